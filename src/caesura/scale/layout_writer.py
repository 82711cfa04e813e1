"""Writing whole documents, as they come, to a Parquet file of the layout that appears whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from caesura.errors import CorpusError
from caesura.io.files import default_mode
from caesura.io.layout import GROUP_BYTES, GROUP_ROWS, parquet_writer, row_groups
from caesura.scale.documents import DocumentRows
from caesura.values.arrow import SCHEME_KEY, load_pyarrow
from caesura.values.type_scheme import TypeScheme


class LayoutWriter:
    """Writes whole documents, as they come, to a file that appears whole or not at all.

    Used as a context: where it is left by an error, or Ctrl-C, nothing is left behind. A row group waits in
    memory until it is complete.
    """

    def __init__(
        self,
        path: Path,
        schema: Any,
        *,
        order: bytes,
        scheme: TypeScheme | None = None,
        group_rows: int | None = None,
    ) -> None:
        metadata = dict(schema.metadata or {})
        if scheme is not None:
            metadata[SCHEME_KEY] = json.dumps(scheme.to_dict()).encode("utf-8")
        self._schema = schema.with_metadata(metadata)
        self._order = order
        self._group_rows = group_rows or GROUP_ROWS
        self._path = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._n_waiting = self._bytes_waiting = 0

    def __enter__(self) -> Self:
        import tempfile  # slow to import

        check_regular(self._path)
        with self._naming():
            prefix = f".{self._path.name[:50]}."
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=prefix)
            os.close(handle)
            self._temporary = Path(name)
            self._writer = parquet_writer(name, self._schema, self._order)
        return self

    def write(self, rows: Any) -> None:
        """Add rows, a table of whole documents: none of them may come again."""
        if not len(rows):
            return
        self._waiting.append(rows)
        self._n_waiting += len(rows)
        self._bytes_waiting += rows.nbytes
        if self._n_waiting >= self._group_rows or self._bytes_waiting >= GROUP_BYTES:
            self._flush(is_last=False)

    def _flush(self, *, is_last: bool) -> None:
        """Write row groups of what waits; the rest, too little for one, waits on."""
        pyarrow = load_pyarrow()
        table = pyarrow.concat_tables(self._waiting).combine_chunks()
        begin, starts = 0, DocumentRows.of(table).starts[:-1]
        with self._naming():
            for begin, end in row_groups(starts, len(table), table.nbytes, self._group_rows):
                if end == len(table) and not is_last:
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


def check_regular(path: Path) -> None:
    """Refuse a device or a pipe: the file would take its place."""
    if path.exists() and not path.is_file():
        raise CorpusError(f"{path}: it is no regular file, and Parquet of any size is written to one")


def named_os_error(error: OSError, path: Path) -> OSError:
    """Return what went wrong with writing, such as a full disk, by the name that was asked for."""
    if error.errno is None:
        return OSError(f"{path}: {error}")
    return type(error)(error.errno, os.strerror(error.errno), str(path))
