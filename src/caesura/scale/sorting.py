"""Sorting on disk: rows in any order, by their documents' names, in a bounded amount of memory.

An external merge sort (Knuth, The art of computer programming 3, §5.4): as many rows as fit are sorted and
put aside in a file, a run; all runs are then read side by side. Names ascend by their UTF-8 bytes, which is
the order of their code points; the rows of a document stay in the order in which they came.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.scale.layout_writer import document_starts, named_os_error
from caesura.values.arrow import load_pyarrow, release_unused
from caesura.values.forms import short_name
from caesura.values.strings import gather

FAN_IN = 64
"""Most runs that are read side by side."""

COPIES = 4
"""How many times over the rows of a run are in memory while they are sorted and put aside."""


def sort_rows(table: Any) -> Any:
    """Return the rows of a table by document; those of one document keep their order.

    >>> import pyarrow
    >>> sort_rows(pyarrow.table({"document": ["b", "a", "b"], "row": [1, 2, 3]}))["row"].to_pylist()
    [2, 1, 3]
    """
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import compute

    documents = table["document"].combine_chunks()
    starts = document_starts(documents)
    # Rows of one document mostly stand together: sorting what is together is less to compare.
    order = np.asarray(compute.sort_indices(documents.take(pyarrow.array(starts)))).astype(np.int64)
    if bool((np.diff(order) == 1).all()):
        return table
    _, rows = gather(np.append(starts, len(table)), order)
    return table.take(pyarrow.array(rows))


class ExternalSort:
    """Rows that are put aside in sorted runs, in a folder that the caller removes."""

    def __init__(self, folder: Path, memory: int, path: Path) -> None:
        self._folder = folder
        self._path = path  # what messages name
        self._memory = memory
        self._waiting: list[Any] = []
        self._bytes_waiting = 0
        self._runs: list[Path] = []
        self._n_files = 0

    def add(self, rows: Any) -> None:
        """Add a table; all have the same columns."""
        self._waiting.append(rows)
        self._bytes_waiting += rows.nbytes
        if self._bytes_waiting * COPIES >= self._memory:
            self._put_aside()

    def tables(self) -> Iterator[Any]:
        """Yield all rows, sorted, in tables of whole documents."""
        pyarrow = load_pyarrow()
        if not self._runs:  # all of it fits
            if self._waiting:
                yield sort_rows(pyarrow.concat_tables(self._waiting))
            return
        if self._waiting:
            self._put_aside()
        while len(self._runs) > FAN_IN:
            # The first ones become one run, which stays the first: rows of one document keep their order.
            first, self._runs = self._runs[:FAN_IN], self._runs[FAN_IN:]
            self._runs.insert(0, self._write(self._merged(first)))
            for run in first:
                run.unlink()
        yield from self._merged(self._runs)

    def _put_aside(self) -> None:
        pyarrow = load_pyarrow()
        table = sort_rows(pyarrow.concat_tables(self._waiting))
        self._waiting, self._bytes_waiting = [], 0
        self._runs.append(self._write([table]))
        del table
        release_unused()

    def _write(self, tables: Iterable[Any]) -> Path:
        """Write a run, in pieces so small that one of each run fits into memory."""
        pyarrow = load_pyarrow()
        path = self._folder / f"{self._n_files}.arrow"
        self._n_files += 1
        writer = None
        try:
            with pyarrow.OSFile(str(path), "wb") as sink:
                for table in tables:
                    if writer is None:
                        options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
                        writer = pyarrow.ipc.new_file(sink, table.schema, options=options)
                    piece = self._memory // (2 * COPIES * FAN_IN)
                    rows = max(1, piece * len(table) // max(1, table.nbytes))
                    writer.write_table(table, max_chunksize=rows)
                if writer is not None:
                    writer.close()
        except OSError as error:
            raise named_os_error(error, self._path) from None
        return path

    def _merged(self, runs: Sequence[Path]) -> Iterator[Any]:
        return merge([partial(_read, run) for run in runs], self._memory // COPIES)


def _read(path: Path) -> Iterator[Any]:
    """Yield the pieces of a run."""
    pyarrow = load_pyarrow()
    with pyarrow.OSFile(str(path), "rb") as stream:
        reader = pyarrow.ipc.open_file(stream)
        for number in range(reader.num_record_batches):
            yield pyarrow.Table.from_batches([reader.get_batch(number)])


def merge(runs: Sequence[Callable[[], Iterator[Any]]], most_bytes: int) -> Iterator[Any]:
    """Yield the rows of sorted runs, sorted, in tables of whole documents.

    A run is what opens an iterator of tables. Rows of one document come in the order of the runs. A document
    of more than ``most_bytes`` in one run is refused.
    """
    pyarrow = load_pyarrow()
    heads = [_Head(run(), most_bytes) for run in runs]
    for head in heads:
        head.fill()
    while any(len(head.rows) for head in heads):
        unfinished = [head for head in heads if not head.is_last]
        # What comes later is not before the last name that each run has shown.
        bound = min((head.last for head in unfinished), default=None)
        parts = [part for head in heads if len(part := head.take_before(bound))]
        if parts:
            yield sort_rows(pyarrow.concat_tables(parts))
        for head in unfinished:
            if head.last == bound:
                head.fill()


class _Head:
    """The rows of a run that have been read and not passed on."""

    def __init__(self, tables: Iterator[Any], most_bytes: int) -> None:
        self._tables = tables
        self._most_bytes = most_bytes
        self.rows: Any = ()
        self.last = ""
        self.is_last = False

    def fill(self) -> None:
        """Read on."""
        pyarrow = load_pyarrow()
        table = next(self._tables, None)
        if table is None:
            self.is_last = True
            return
        self._check_order(table["document"].combine_chunks())
        if len(self.rows):
            table = pyarrow.concat_tables([self.rows, table])
            if self.rows.nbytes > self._most_bytes:
                raise CorpusError(
                    f"document {short_name(self.last)} has more than {self._most_bytes // 2**20:,} MB of "
                    "codings: give a larger memory="
                )
        self.rows = table.combine_chunks()
        self._documents = self.rows["document"].chunk(0)
        self.last = self._documents[-1].as_py()

    def _check_order(self, names: Any) -> None:
        """Refuse rows that are not sorted, although their file says so."""
        from pyarrow import compute

        places = np.flatnonzero(np.asarray(compute.less(names[1:], names[:-1])))
        before, name = self.last, names[0].as_py()
        if len(places):
            before, name = (names[int(places[0]) + step].as_py() for step in (0, 1))
        if name < before:
            raise CorpusError(
                f"document {short_name(name)} comes after {short_name(before)}: the rows are not sorted by "
                "document, as the file's metadata says"
            )

    def take_before(self, bound: str | None) -> Any:
        """Return the rows of documents before this one, or all, and forget them."""
        if not len(self.rows):
            return self.rows
        end = len(self.rows)
        if bound is not None:
            end = bisect_left(range(end), bound, key=lambda row: self._documents[row].as_py())
        taken, self.rows = self.rows.slice(0, end), self.rows.slice(end)
        self._documents = self._documents.slice(end)
        return taken
