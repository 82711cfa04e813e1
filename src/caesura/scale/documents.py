"""Batches of whole documents: rows regrouped so that none is split, as columns that corpora are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura import kernel
from caesura.arrays import IntArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError
from caesura.kernel.rows_python import Runs
from caesura.scale.pieces import NEEDED, BadFileError, Batch
from caesura.sums.tallies import hash_strings
from caesura.values.arrow import load_pyarrow, read_codings, strings_of
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings


def with_plain_types(batch: Batch, by: str | None) -> Batch:
    """Return the batch with the columns of the layout in the types that all files share, or refuse it."""
    pyarrow = load_pyarrow("scans need")
    where, table = batch
    text, number = pyarrow.large_string(), pyarrow.int64()
    wanted = {
        "document": text,
        "coder": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
        "n_units": number,
        "positions": pyarrow.large_list(number),
        "types": pyarrow.large_list(number),
    }
    arrays, names = [], []
    for name in [*NEEDED, "types", *([] if by is None else [by])]:
        if name not in table.column_names:
            if name == "types":
                continue
            raise BadFileError(f"{where}: there is no column {name!r}; {_known(table)}")
        column = table[name]
        if name == by and name not in wanted:
            column = _stratum_names(pyarrow, column, where, name)
        elif column.type != wanted[name]:
            try:
                column = _converted(pyarrow, column, wanted[name])
            except (pyarrow.ArrowException, ValueError):
                raise BadFileError(
                    f"{where}: the column {name!r} holds {column.type}, expected {_shown(wanted[name])}"
                ) from None
        if column.null_count and name not in (by, "types"):
            raise BadFileError(f"{where}: the column {name!r} lacks a value in {column.null_count} rows")
        arrays.append(column)
        names.append(name)
    return Batch(where, pyarrow.table(arrays, names=names))


def _stratum_names(pyarrow: Any, column: Any, where: str, name: str) -> Any:
    """Return what strata are called: the values as text."""
    try:
        return column.cast(pyarrow.large_string())
    except pyarrow.ArrowException:
        raise BadFileError(
            f"{where}: the column {name!r} holds {column.type}, which names no stratum"
        ) from None


def _converted(pyarrow: Any, column: Any, kind: Any) -> Any:
    """Return the column in another type of the same meaning; a text is no number."""
    types = pyarrow.types
    given = column.type
    is_name = types.is_dictionary(kind) or types.is_large_string(kind)
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    inner = given.value_type if types.is_dictionary(given) else given
    if is_name and not any(is_text(inner) for is_text in texts):
        raise ValueError
    if types.is_dictionary(kind):
        if types.is_dictionary(given):
            column = column.cast(pyarrow.string())
        return column.cast(pyarrow.string()).dictionary_encode()
    if types.is_integer(kind) and not types.is_integer(given):
        raise ValueError
    if types.is_large_list(kind):
        lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
        if not any(is_list(given) for is_list in lists):
            raise ValueError
        if not types.is_integer(given.value_type) and not types.is_null(given.value_type):
            raise ValueError
    return column.cast(kind)


def _shown(kind: Any) -> str:
    text = str(kind)
    return "texts" if "string" in text else "lists of whole numbers" if "list" in text else "whole numbers"


def _known(table: Any) -> str:
    columns = ", ".join(short_name(name) for name in table.column_names[:10])
    return f"it has {columns}; caesura convert writes the layout that a scan reads"


# -------------------------------------------------------------------- whole documents


@dataclass(frozen=True, eq=False)
class DocumentRows:
    """The rows of whole documents, one after the other."""

    where: str
    table: Any
    starts: IntArray
    """The first row of each document, and the number of rows."""
    names: Strings
    """The name of each document."""
    hashes: NDArray[np.uint64]
    """The number of 64 bits of each name."""
    is_sorted: bool
    """Whether these names, or those of more rows, were seen to ascend."""
    counts_up: bool
    """Whether they were seen to ascend by length, and bytes: d9, d10, d11."""

    @classmethod
    def of(cls, where: str, table: Any) -> DocumentRows:
        """Find where another name begins."""
        table = table.combine_chunks() if table["document"].num_chunks > 1 else table
        runs = _runs(strings_of(table["document"]))
        if not np.diff(runs.offsets).all():
            raise BadFileError(f"{where}: a document has no name")
        names, orders = Strings(runs.data, runs.offsets), (runs.ascends, runs.counts_up)
        return cls(where, _with_one_dictionary(table), runs.starts, names, runs.hashes, *orders)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, start: int, stop: int) -> DocumentRows:
        """Return some of the documents, by number."""
        first, last = int(self.starts[start]), int(self.starts[stop])
        return replace(
            self,
            table=self.table.slice(first, last - first),
            starts=self.starts[start : stop + 1] - first,
            names=self.names[start:stop],
            hashes=self.hashes[start:stop],
        )

    @cached_property
    def ascends(self) -> bool:
        """Whether the names ascend."""
        return self.is_sorted or _runs(self.names).ascends

    def alone(self) -> DocumentRows:
        """Return the same in memory of its own: a slice would keep all rows of its batch."""
        rows = load_pyarrow().array(np.arange(len(self.table)))
        return DocumentRows.of(self.where, self.table.take(rows))

    def corpus(self) -> Corpus:
        """Return the rows as a corpus, checked; who reads them again pays nothing for names."""
        coder = self.table["coder"].chunk(0) if len(self.table) else None
        if coder is None:
            raise BadFileError(f"{self.where}: there are no rows")
        document = np.repeat(np.arange(len(self)), np.diff(self.starts))
        where = self.where.replace("{", "{{").replace("}", "}}")
        codings = read_codings(self.table)
        if codings is None:
            raise BadFileError(f"{self.where}: positions and types of a row differ in number")
        coders = strings_of(coder.dictionary)
        if not np.diff(coders.offsets).all():
            raise BadFileError(f"{self.where}: a coder has no name")
        numbers = np.asarray(coder.indices).astype(np.int64)
        columns = CorpusColumns(codings, document, numbers, self.names, coders)
        if codings.is_plain and self._fit(numbers, len(coders), codings):
            return Corpus(*columns.renumbered())
        try:
            return Corpus.from_columns(columns, name=where)
        except CorpusError as error:
            place = "" if str(error).startswith(self.where) else f"{self.where}: "
            raise BadFileError(f"{place}{error}") from None

    def _fit(self, coder: IntArray, n_coders: int, codings: Columns) -> bool:
        """Whether nothing is wrong with codings without types."""
        arrays = codings.n_units, codings.offsets, codings.positions
        return bool(kernel.active_rows.codings_fit(self.starts, coder, n_coders, *arrays, MAX_NUMBER))


def _runs(names: Strings) -> Runs:
    found: Runs = kernel.active_rows.name_runs(names.data, names.offsets)
    return found


def _with_one_dictionary(table: Any) -> Any:
    column = table["coder"]
    if column.num_chunks > 1:
        column = column.unify_dictionaries().combine_chunks()
        table = table.set_column(table.column_names.index("coder"), "coder", column)
    return table


def whole_documents(batches: Iterator[Batch]) -> Iterator[DocumentRows]:
    """Regroup batches: each but the last ends with a document, which the next one does not go on with."""
    pyarrow = load_pyarrow()
    held: Any = None
    held_where = ""
    for where, table in batches:
        if not len(table):
            continue
        if held is not None:
            table = _joined(pyarrow, [held, table], where)
            where = joined_places([held_where, where])
        found = DocumentRows.of(where, table)
        if len(found) > 1:
            yield found.part(0, len(found) - 1)
        held, held_where = found.part(len(found) - 1, len(found)).table, where
    if held is not None:
        yield DocumentRows.of(held_where, held)


def _joined(pyarrow: Any, tables: Sequence[Any], where: str) -> Any:
    try:
        return pyarrow.concat_tables(tables)
    except pyarrow.ArrowException:
        names = [set(table.column_names) for table in tables]
        differing = sorted(names[0] ^ names[1])
        raise BadFileError(
            f"{where}: the columns change: {', '.join(differing) or 'their types'} before and after differ"
        ) from None


def joined_places(places: Sequence[str]) -> str:
    """Return where rows come from, the first and the last place.

    >>> joined_places(["a.parquet: row group 1", "a.parquet: row group 2"])
    'a.parquet: row group 1 to row group 2'
    """
    first, last = places[0], places[-1]
    if first == last:
        return first
    file, _, place = first.partition(": ")
    other, _, last_place = last.partition(": ")
    return f"{file}: {place} to {last_place}" if file == other else f"{first} to {last}"


def hashes_of(names: Strings) -> NDArray[np.uint64]:
    """Return the number of 64 bits of each name."""
    return hash_strings(names.data, names.offsets)
