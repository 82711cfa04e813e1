"""Parquet in pieces: runs of row groups."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from caesura.io.parquet import load_parquet
from caesura.scale.pieces import BadFileError, Batch, Piece, Reader
from caesura.values.corpus import scheme_of_metadata
from caesura.values.type_scheme import TypeScheme

PIECE_ROWS = 1 << 17
"""Row groups are taken together up to this many rows."""

FOOTER = 8
"""Bytes at the end of a file that hold the length of what describes it."""


def _opened(path: str, **options: Any) -> Any:
    pyarrow = load_parquet()
    try:
        return pyarrow.parquet.ParquetFile(path, **options)
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFileError(f"{path}: not a whole Parquet file: {error}") from None


def pieces(path: str) -> list[Piece]:
    """Take row groups together until there are enough rows."""
    with _opened(path) as file:
        metadata = file.metadata
        rows = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    state = _state(path)
    found, start, held = [], 0, 0
    for number, n_rows in enumerate(rows):
        if held and held + n_rows > PIECE_ROWS:
            found.append(Piece(READER.name, path, start, number, held, state))
            start, held = number, 0
        held += n_rows
    if held:
        found.append(Piece(READER.name, path, start, len(rows), held, state))
    return found


def _state(path: str) -> str:
    """Return size, time and the checksum of what the file says of itself, which has the size of each page."""
    about = os.stat(path)
    with open(path, "rb") as file:
        file.seek(max(0, about.st_size - FOOTER))
        end = file.read()
        length = int.from_bytes(end[:4], "little")
        file.seek(max(0, about.st_size - FOOTER - length))
        digest = hashlib.sha256(file.read(length)).hexdigest()
    return f"{about.st_size} bytes, {about.st_mtime_ns}, {digest}"


def batches(piece: Piece, columns: Sequence[str], n_rows: int) -> Iterator[Batch]:
    """Read the row groups one after the other, on this thread alone."""
    pyarrow = load_parquet()
    with _opened(piece.path) as file:
        there = [name for name in columns if name in file.schema_arrow.names]
        coded, metadata = [name for name in there if name == "coder"], file.metadata
    with _opened(piece.path, read_dictionary=coded, metadata=metadata) as file:
        for group in range(piece.start, piece.stop):
            where = f"{piece.path}: row group {group}"
            read = file.iter_batches(n_rows, row_groups=[group], columns=there, use_threads=False)
            while True:
                try:
                    batch = next(read, None)
                except (pyarrow.ArrowException, OSError) as error:
                    raise BadFileError(f"{where}: it cannot be read: {error}") from None
                if batch is None:
                    break
                yield Batch(where, pyarrow.Table.from_batches([batch]))


def columns(path: str) -> list[str]:
    """Return the names in the schema."""
    with _opened(path) as file:
        return [*file.schema_arrow.names]


def scheme(path: str) -> TypeScheme | None:
    """Return what the file's metadata say of types."""
    with _opened(path) as file:
        return scheme_of_metadata(file.schema_arrow.metadata)


READER = Reader("parquet", (".parquet", ".pq"), pieces, batches, columns, scheme)
