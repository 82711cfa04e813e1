"""The layout of large files: the long table as Parquet, in row groups that never divide a document.

The file's metadata says under ``caesura.order`` what is known of its rows: ``grouped``, the rows of a
document are together; or ``sorted``, they are, and documents ascend by the UTF-8 bytes of their names, so
that two such files can be read side by side.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.io.files import default_mode
from caesura.io.parquet import load_parquet
from caesura.values.arrow import load_pyarrow
from caesura.values.corpus import SCHEME_KEY
from caesura.values.type_scheme import TypeScheme

ORDER_KEY = b"caesura.order"

GROUPED, SORTED = b"grouped", b"sorted"

GROUP_ROWS = 2**17
"""Rows of a row group, but for a document that alone has more."""

GROUP_BYTES = 2**25
"""Bytes of a row group in memory, likewise."""

IN_DICTIONARIES = ("coder", "n_units", "positions.list.element", "types.list.element")
"""Columns of few values; names of documents are nearly all different."""


def document_starts(documents: Any) -> IntArray:
    """Return where a column of names begins, and wherever one follows another name.

    >>> import pyarrow
    >>> document_starts(pyarrow.array(["a", "a", "b"])).tolist()
    [0, 2]
    """
    import pyarrow.compute  # type: ignore[import-untyped]

    if not len(documents):
        return np.empty(0, dtype=np.int64)
    differs = np.asarray(pyarrow.compute.not_equal(documents[1:], documents[:-1]))
    return np.concatenate(([0], np.flatnonzero(differs) + 1))


class LayoutWriter:
    """Writes whole documents, as they come, to a file that appears whole or not at all.

    Used as a context: where it is left by an error, or Ctrl-C, nothing is left behind.
    """

    def __init__(self, path: Path, schema: Any, *, order: bytes, scheme: TypeScheme | None = None) -> None:
        metadata = {**(schema.metadata or {}), ORDER_KEY: order}
        if scheme is not None:
            metadata[SCHEME_KEY] = json.dumps(scheme.to_dict()).encode("utf-8")
        self.schema = schema.with_metadata(metadata)
        self._path = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._n_waiting = self._bytes_waiting = 0

    def __enter__(self) -> Self:
        import tempfile  # slow to import

        parquet = load_parquet().parquet
        with self._naming():
            prefix = f".{self._path.name[:50]}."
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=prefix)
            os.close(handle)
            self._temporary = Path(name)
            self._writer = parquet.ParquetWriter(
                name,
                self.schema,
                compression="zstd",
                use_dictionary=[name for name in IN_DICTIONARIES if name.split(".")[0] in self.schema.names],
            )
        return self

    def write(self, rows: Any) -> None:
        """Add rows, a table of whole documents: none of them may come again."""
        if not len(rows):
            return
        self._waiting.append(rows)
        self._n_waiting += len(rows)
        self._bytes_waiting += rows.nbytes
        if self._n_waiting >= GROUP_ROWS or self._bytes_waiting >= GROUP_BYTES:
            self._flush(is_last=False)

    def _flush(self, *, is_last: bool) -> None:
        """Write row groups of what waits; the rest, too little for one, waits on."""
        pyarrow = load_pyarrow()
        table = pyarrow.concat_tables(self._waiting).combine_chunks()
        starts = document_starts(table["document"])
        ends = np.append(starts[1:], len(table))
        most = max(1, min(GROUP_ROWS, GROUP_BYTES * len(table) // max(1, table.nbytes)))
        begin = 0
        with self._naming():
            while begin < len(table):
                # The last document that ends inside the row group, or else the first that does not.
                fitting = int(np.searchsorted(ends, begin + most, side="right")) - 1
                end = int(ends[fitting]) if fitting >= 0 and ends[fitting] > begin else 0
                end = end or int(ends[np.searchsorted(ends, begin, side="right")])
                if end == len(table) and not is_last and end - begin < most:
                    break
                self._writer.write_table(table.slice(begin, end - begin), row_group_size=end - begin)
                begin = end
        rest = table.slice(begin)
        if len(rest):
            rest = rest.take(pyarrow.array(np.arange(len(rest))))  # or it would keep the whole
        self._waiting = [rest] if len(rest) else []
        self._n_waiting, self._bytes_waiting = len(rest), rest.nbytes

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                if self._waiting:
                    self._flush(is_last=True)
                with self._naming():
                    self._writer.close()
                    assert self._temporary is not None
                    os.chmod(self._temporary, default_mode(0o666))
                    os.replace(self._temporary, self._path)
                    self._temporary = None
        finally:
            self._waiting = []
            self._abandon()

    def _abandon(self) -> None:
        """Remove the file that is not finished."""
        if self._temporary is None:
            return
        try:
            self._writer.close()
        except (OSError, load_pyarrow().ArrowException):
            pass  # a full disk has no room for the end of the file either
        finally:
            self._temporary.unlink(missing_ok=True)
            self._temporary = None

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Name the file that was asked for, not the temporary one."""
        pyarrow = load_pyarrow()
        try:
            yield
        except OSError as error:
            raise named_os_error(error, self._path) from None
        except pyarrow.ArrowException as error:
            raise CorpusError(f"{self._path}: it cannot be written: {error}") from None


def named_os_error(error: OSError, path: Path) -> OSError:
    """Return what went wrong with writing, such as a full disk, by the name that was asked for."""
    if error.errno is None:
        return OSError(f"{path}: {error}")
    return type(error)(error.errno, os.strerror(error.errno), str(path))
