"""The values of single documents as Parquet, written while they are counted, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from caesura.errors import CorpusError
from caesura.io.files import default_mode
from caesura.io.layout import load_parquet
from caesura.scale.addresses import check_here
from caesura.scale.data_files import connected
from caesura.scale.layout_writer import named_os_error

SORTED_ROWS = 2**17
"""Rows that are written at a time."""


class ValuesFile:
    """A file that takes its name when everything is in it; nothing is written where no path is given."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._draft: Path | None = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        check_here(self._path, "values are written to a file")
        if self._path.exists() and not self._path.is_file():
            raise CorpusError(f"{self._path}: it is no regular file, and values are written to one")
        target = Path(os.path.realpath(self._path))
        with self._naming():
            handle, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", dir=target.parent)
            os.close(handle)
            self._draft = Path(name)
        return self

    def write(self, table: Any) -> None:
        """Add rows."""
        if self._path is None or table is None:
            return
        with self._naming():
            if self._writer is None:
                self._writer = load_parquet().parquet.ParquetWriter(self._draft, table.schema)
            self._writer.write_table(table)

    def finish(self, *, is_ordered: bool) -> None:
        """Put the file in its place; documents that are in no order are sorted."""
        if self._path is None or self._draft is None:
            return
        with self._naming():
            if self._writer is not None:
                self._writer.close()
                self._writer = None
                if not is_ordered:
                    self._sort(self._draft)
            os.chmod(self._draft, default_mode(0o666))
            os.replace(self._draft, os.path.realpath(self._path))
        self._draft = None

    def _sort(self, draft: Path) -> None:
        """Sort the values by the names of the documents, on the disk where they are many."""
        with closing(connected(folder=str(draft.parent))) as connection:
            connection.execute("SET VARIABLE paths = $path", {"path": str(draft)})
            rows = connection.sql("FROM read_parquet(getvariable('paths')) ORDER BY document")
            schema = load_parquet().parquet.read_schema(draft)
            with (
                tempfile.NamedTemporaryFile(dir=draft.parent, prefix=draft.name, delete=False) as target,
                load_parquet().parquet.ParquetWriter(target, schema) as writer,
            ):
                for batch in rows.to_arrow_reader(SORTED_ROWS):
                    writer.write_table(load_parquet().Table.from_batches([batch]).cast(schema))
            os.replace(target.name, draft)

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            # A full disk has no room for the end of the file either.
            with suppress(OSError, load_parquet().ArrowException):
                self._writer.close()
        if self._draft is not None:
            self._draft.unlink(missing_ok=True)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Name the file that was asked for, not the draft."""
        assert self._path is not None
        try:
            yield
        except OSError as error:
            raise named_os_error(error, self._path) from None
