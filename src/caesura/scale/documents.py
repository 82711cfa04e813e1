"""Whole documents: plain rows regrouped so that none is split, as columns that corpora are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura import kernel
from caesura.arrays import IntArray, repeat
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError
from caesura.kernel.rows_python import Runs
from caesura.scale.rows import with_types_filled_in
from caesura.values.arrow import in_one_piece, load_pyarrow, read_codings, strings_of
from caesura.values.corpus import Corpus
from caesura.values.making import CorpusColumns
from caesura.values.strings import ENCODING, ERRORS, Strings


class Edges(NamedTuple):
    """The first and the last of some names, and how those between them are ordered."""

    first: str
    last: str
    ascends: bool
    """Whether each is greater than the one before, byte by byte."""
    counts_up: bool
    """Whether each is longer than the one before, or as long and greater: d9, d10, d11."""

    def __add__(self, later: Edges) -> Edges:  # type: ignore[override]  # no tuple is meant
        before, after = (name.encode(ENCODING, ERRORS) for name in (self.last, later.first))
        grows = (len(before), before) < (len(after), after)
        return Edges(
            self.first,
            later.last,
            self.ascends and later.ascends and before < after,
            self.counts_up and later.counts_up and grows,
        )


@dataclass(frozen=True, eq=False)
class DocumentRows:
    """The rows of whole documents, one after the other."""

    table: Any
    starts: IntArray
    """The first row of each document, and the number of rows."""
    names: Strings
    """The name of each document."""

    @classmethod
    def of(cls, table: Any) -> DocumentRows:
        """Find where another name begins."""
        table = table.combine_chunks() if table["document"].num_chunks > 1 else table
        runs = _runs_of(strings_of(table["document"]))
        return cls(table, runs.starts, Strings(runs.data, runs.offsets))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, start: int, stop: int) -> DocumentRows:
        """Return some of the documents, by number."""
        first, last = int(self.starts[start]), int(self.starts[stop])
        return DocumentRows(
            self.table.slice(first, last - first),
            self.starts[start : stop + 1] - first,
            self.names[start:stop],
        )

    @property
    def edges(self) -> Edges:
        """The first and the last name, and their order."""
        runs = _runs_of(self.names)
        return Edges(self.names[0], self.names[len(self.names) - 1], runs.ascends, runs.counts_up)

    def corpus(self) -> Corpus:
        """Return the rows as a corpus, checked."""
        table = with_types_filled_in(self.table)
        codings = read_codings(table)
        if codings is None:
            raise CorpusError("positions and types of a row differ in number")
        coder = in_one_piece(table["coder"]).dictionary_encode()
        number, coders = np.asarray(coder.indices).astype(np.int64), strings_of(coder.dictionary)
        document = repeat(np.arange(len(self)), np.diff(self.starts))
        columns = CorpusColumns(codings, document, number, self.names, coders)
        arrays = codings.n_units, codings.offsets, codings.positions
        if codings.is_plain and kernel.active_rows.codings_fit(
            self.starts, number, len(coders), *arrays, MAX_NUMBER
        ):
            return Corpus(*columns.renumbered())
        try:
            return Corpus.from_columns(columns, name=MARK)
        except CorpusError as error:
            raise CorpusError(str(error).removeprefix(f"{MARK}: ")) from None


MARK = "rows"
"""What stands in place of the number of a row, which is not known here."""


def _runs_of(names: Strings) -> Runs:
    runs: Runs = kernel.active_rows.name_runs(names.data, names.offsets)
    return runs


def whole_documents(tables: Iterable[Any], n_rows: int) -> Iterator[DocumentRows]:
    """Regroup rows, about so many at a time: a document is in one group, if its rows stand together."""
    pyarrow = load_pyarrow()
    held: list[Any] = []
    n_held = 0
    for table in tables:
        held.append(table)
        n_held += len(table)
        if n_held >= n_rows:
            rows = DocumentRows.of(pyarrow.concat_tables(held, promote_options="default"))
            if len(rows) > 1:
                yield rows.part(0, len(rows) - 1)
            held = [rows.part(len(rows) - 1, len(rows)).table]
            n_held = len(held[0])
    if n_held:
        yield DocumentRows.of(pyarrow.concat_tables(held, promote_options="default"))


class NotTogetherError(Exception):
    """Documents are read as they lie, and one may come again."""


def follow(before: Edges | None, edges: Edges) -> Edges:
    """Return the edges of names and those that follow them; refuse what may hold a name twice."""
    both = edges if before is None else before + edges
    if not (both.ascends or both.counts_up):
        raise NotTogetherError
    return both


class DocumentFault(CorpusError):
    """What is wrong with the rows of one document, and what kind of error that is."""

    def __init__(self, fault: str, document: str = "", kind: type[Exception] = CorpusError) -> None:
        super().__init__(fault)
        self.document, self.kind = document, kind
