"""Whole documents: plain rows regrouped so that no document is split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from caesura import kernel
from caesura.arrays import IntArray, repeat
from caesura.checks import MAX_NUMBER
from caesura.errors import CaesuraError, CorpusError
from caesura.kernel.rows_python import Runs
from caesura.values.arrow import in_one_piece, load_pyarrow, read_codings, strings_of
from caesura.values.corpus import Corpus
from caesura.values.strings import ENCODING, ERRORS, Strings

MOST_BYTES = 2**26
"""About the most bytes that are regrouped at a time: codings may be long."""


class Edges(NamedTuple):
    """The first and last of some names, and how the names between them are ordered."""

    first: str
    last: str
    ascends: bool
    """Whether each name is greater than the previous one, byte by byte."""
    counts_up: bool
    """Whether each name is longer than the previous one, or as long and greater: d9, d10, d11."""

    def then(self, later: Edges) -> Edges:
        """Return the edges of these names and those that follow."""
        before, after = (name.encode(ENCODING, ERRORS) for name in (self.last, later.first))
        ascends = self.ascends and later.ascends and before < after
        counts_up = self.counts_up and later.counts_up and (len(before), before) < (len(after), after)
        return Edges(self.first, later.last, ascends, counts_up)


@dataclass(frozen=True, eq=False)
class DocumentRows:
    """The rows of whole documents, one after the other."""

    table: Any
    starts: IntArray
    """The first row of each document, and the number of rows."""
    names: Strings
    """The name of each document."""
    ascends: bool
    """Whether these names, or those of more rows, ascend byte by byte."""
    counts_up: bool
    """Whether they ascend by length, then byte by byte: d9, d10, d11."""

    @classmethod
    def of(cls, table: Any) -> DocumentRows:
        """Find where another name begins."""
        table = table.combine_chunks() if table["document"].num_chunks > 1 else table
        names = strings_of(table["document"])
        runs: Runs = kernel.active_rows.name_runs(names.data, names.offsets)
        return cls(table, runs.starts, Strings(runs.data, runs.offsets), runs.ascends, runs.counts_up)

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
        )

    @property
    def edges(self) -> Edges:
        """The first and last name, and their order."""
        return Edges(self.names[0], self.names[len(self) - 1], self.ascends, self.counts_up)

    def corpus(self) -> Corpus:
        """Return the rows as a corpus, checked."""
        codings = read_codings(self.table, mixed=True)
        assert codings is not None  # rows are plain
        coder = in_one_piece(self.table["coder"]).dictionary_encode()  # rows from a file are text again
        number, coders = np.asarray(coder.indices).astype(np.int64), strings_of(coder.dictionary)
        document = repeat(np.arange(len(self)), np.diff(self.starts))
        corpus = Corpus(codings, document, number, self.names, coders)
        arrays = codings.n_units, codings.offsets, codings.positions
        if codings.is_plain and kernel.active_rows.codings_fit(
            self.starts, number, len(coders), *arrays, MAX_NUMBER
        ):
            return corpus.renumbered()
        try:
            return Corpus.from_columns(corpus, name="rows")
        except CorpusError as error:
            raise CorpusError(str(error).removeprefix("rows: ")) from None


def whole_documents(tables: Iterable[Any], n_rows: int) -> Iterator[DocumentRows]:
    """Regroup rows, about ``n_rows`` at a time; adjacent rows of a document stay together."""
    pyarrow = load_pyarrow()
    held: list[Any] = []
    n_held = n_bytes = 0
    for table in chain(tables, [None]):
        if table is not None:
            held.append(table)
            n_held, n_bytes = n_held + len(table), n_bytes + table.nbytes
        if not n_held or (table is not None and n_held < n_rows and n_bytes < MOST_BYTES):
            continue
        rows = DocumentRows.of(pyarrow.concat_tables(held, promote_options="default"))
        last = len(rows) - (table is not None)
        if last:
            yield rows.part(0, last)
        held = [rows.part(last, len(rows)).table]
        n_held, n_bytes = len(held[0]), held[0].nbytes


class DocumentFault(CorpusError):
    """What is wrong with the rows of a document, and the kind of that error."""

    def __init__(self, fault: str, document: str = "", kind: type[CaesuraError] = CorpusError) -> None:
        super().__init__(fault)
        self.document, self.kind = document, kind
