"""References and hypotheses that an engine brings together: their rows on the way, and what is counted then.

On the way every row says which side it is of and where it was read. Rows of a document may come from anywhere
and in any order: the engine sorts them by document. A fault takes the place of rows that cannot be read.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import CaesuraError
from caesura.scale.documents import DocumentRows, joined_places, whole_documents, with_plain_types
from caesura.scale.joining import joined
from caesura.scale.parts import Part
from caesura.scale.pieces import Batch, Piece
from caesura.scale.tasks import Task
from caesura.values.arrow import load_pyarrow

PEOPLE, MACHINE = 0, 1
"""The sides: references and hypotheses."""

UNKNOWN_ROWS = 1 << 17
"""Rows that a piece is taken to have where only reading tells."""


class SidePiece(NamedTuple):
    """A piece of one side."""

    side: int
    piece: Piece


def both_sides(people: Sequence[Piece], machine: Sequence[Piece]) -> list[SidePiece]:
    """Return the pieces of both sides."""
    sides = ((PEOPLE, people), (MACHINE, machine))
    return [SidePiece(side, piece) for side, pieces in sides for piece in pieces]


def n_groups(pieces: Iterable[SidePiece], rows: int) -> int:
    """Return how many groups of about so many rows there are."""
    total = sum(UNKNOWN_ROWS if piece.n_rows is None else piece.n_rows for _, piece in pieces)
    return max(1, -(-total // rows))


def row_schema() -> Any:
    """Return the columns of rows on the way."""
    pyarrow = load_pyarrow()
    numbers = pyarrow.list_(pyarrow.int64())
    return pyarrow.schema(
        {
            "document": pyarrow.string(),
            "side": pyarrow.int32(),
            "place": pyarrow.string(),
            "coder": pyarrow.string(),
            "n_units": pyarrow.int64(),
            "positions": numbers,
            "types": numbers,
            "stratum": pyarrow.string(),
            "fault": pyarrow.binary(),
        }
    )


@dataclass(frozen=True)
class Grouping:
    """Both ends of the way: reads the rows of a piece, and counts rows that were sorted by document."""

    task: Task

    def read(self, item: SidePiece) -> Iterator[Any]:
        """Yield the rows of a piece as tables, or a fault after those that could be read."""
        task = self.task if item.side == PEOPLE else replace(self.task, by=None)
        try:
            for where, table in task.read(item.piece):
                yield self._sent(item.side, where, table, task.by)
        except (CaesuraError, OSError) as error:
            yield _fault(error)

    def _sent(self, side: int, where: str, table: Any, by: str | None) -> Any:
        pyarrow = load_pyarrow()
        schema, n = row_schema(), len(table)
        known = {
            "side": pyarrow.repeat(pyarrow.scalar(side, pyarrow.int32()), n),
            "place": pyarrow.repeat(where, n),
        }
        arrays = []
        for field in schema:
            name = by if field.name == "stratum" else field.name
            if field.name in known:
                arrays.append(known[field.name])
            elif name in table.column_names:
                arrays.append(table[name].cast(field.type))
            else:
                arrays.append(pyarrow.nulls(n, field.type))
        return pyarrow.table(arrays, schema=schema)

    def count(self, tables: Iterable[Any]) -> Part:
        """Count rows in the order of their documents' names; which is no order of the data's."""
        part = self.task.nothing
        for rows in whole_documents(_larger(tables, self.task.batch_rows)):
            part += self._counted(rows)
        return replace(part, edges=None)  # no document comes again: all of its rows are here

    def _counted(self, rows: DocumentRows) -> Part:
        """Count whole documents; what is wrong is looked for until it is one document's."""
        try:
            return self._joined(rows)
        except CaesuraError as error:
            if len(rows) == 1:
                raise
            half = len(rows) // 2
            for some in (rows.part(0, half), rows.part(half, len(rows))):
                self._counted(some)
            raise error

    def _joined(self, rows: DocumentRows) -> Part:
        side = np.asarray(rows.table["side"])
        people, machine = (
            self._of_side(number, rows.table.filter(load_pyarrow().array(side == number)))
            for number in (PEOPLE, MACHINE)
        )
        part = self.task.nothing
        for pair in joined(people, machine):
            part += self.task(pair)
        return part

    def _of_side(self, side: int, table: Any) -> Iterator[DocumentRows]:
        if not len(table):
            return
        where = joined_places(table["place"].unique().to_pylist())
        by = self.task.by if side == PEOPLE else None
        if by is not None:
            names = [by if name == "stratum" else name for name in table.column_names]
            table = table.rename_columns(names)
        yield DocumentRows.of(*with_plain_types(Batch(where, table), by))


def _fault(error: Exception) -> Any:
    row = {"document": "", "side": PEOPLE, "place": "", "coder": "", "n_units": 0, "positions": []}
    return load_pyarrow().Table.from_pylist([{**row, "fault": pickle.dumps(error)}], schema=row_schema())


def _larger(tables: Iterable[Any], n_rows: int) -> Iterator[Batch]:
    """Put tables together until there are enough rows; a fault is raised."""
    pyarrow = load_pyarrow()
    held: list[Any] = []
    for table in tables:
        faults = table["fault"].drop_null()
        if len(faults):
            raise pickle.loads(faults[0].as_py())
        held.append(table)
        if sum(map(len, held)) >= n_rows:
            yield Batch("joined rows", pyarrow.concat_tables(held))
            held = []
    if held:
        yield Batch("joined rows", pyarrow.concat_tables(held))
