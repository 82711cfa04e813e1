"""The values of single documents as Parquet, written while they are counted, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Self

from caesura.io.parquet import load_parquet


class ValuesFile:
    """A file that takes its name when everything is in it; nothing is written where no path is given."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._draft: Path | None = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        if self._path is not None:
            handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
            os.close(handle)
            self._draft = Path(name)
        return self

    def write(self, table: Any) -> None:
        """Add rows."""
        if self._path is None or table is None:
            return
        if self._writer is None:
            self._writer = load_parquet().parquet.ParquetWriter(self._draft, table.schema)
        self._writer.write_table(table)

    def finish(self) -> None:
        """Put the file in its place."""
        if self._path is None or self._draft is None:
            return
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        os.replace(self._draft, self._path)
        self._draft = None

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._draft is not None:
            self._draft.unlink(missing_ok=True)
