"""The formats that a scan reads, each once."""

from __future__ import annotations

from caesura.errors import CorpusError
from caesura.scale import line_pieces, parquet_pieces
from caesura.scale.pieces import Reader

READERS: dict[str, Reader] = {reader.name: reader for reader in (parquet_pieces.READER, line_pieces.READER)}
"""Every reader by name."""


def reader_of(path: str) -> Reader:
    """Return the reader of a file, by its extension.

    >>> reader_of("part-0.parquet").name, reader_of("part-0.jsonl.gz").name
    ('parquet', 'jsonl')
    """
    for reader in READERS.values():
        if path.lower().endswith(reader.extensions):
            return reader
    known = ", ".join(extension for reader in READERS.values() for extension in reader.extensions)
    raise CorpusError(f"{path}: a scan reads {known}; caesura convert writes Parquet")
