"""UnitColumns: where the units of all documents of a corpus stand, as a few arrays; Units when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.values.columns import BoolArray
from caesura.values.strings import Strings, gather, offsets_of
from caesura.values.units import AXES, Units


@dataclass(frozen=True, eq=False)
class UnitColumns:
    """The axis of each document and its units' spans, or the grid that they form.

    >>> columns = UnitColumns.of([Units.from_spans([(0, 5), (6, 9)]), None, Units.every(1, end=60)])
    >>> columns.n_units.tolist(), columns[2], columns[1]
    ([2, 0, 60], <Units: 60 of seconds>, None)
    """

    axis: IntArray  # per document: its place in AXES; -1: not known
    n_units: IntArray
    grid: FloatArray  # documents × (origin, end, step); a step of 0: the units have spans of their own
    offsets: IntArray  # where each document's spans start, and where the last one's end
    spans: FloatArray  # spans × (start, end)
    texts: Strings
    """The running text of each document; see ``has_text``."""
    has_text: BoolArray

    @classmethod
    def of(cls, units: Sequence[Units | None]) -> UnitColumns:
        """Lay the units of documents end to end; None where they are not known."""
        grid = np.zeros((len(units), 3))
        spans: list[FloatArray] = [np.empty((0, 2))]
        lengths = np.zeros(len(units), dtype=np.int64)
        for number, one in enumerate(units):
            if one is None:
                continue
            grid[number] = one.origin, one.end, one.step or 0.0
            if one.step is None:
                spans.append(np.stack((one.starts, one.ends), axis=1).astype(np.float64))
                lengths[number] = len(one)
        return cls(
            np.array([-1 if one is None else AXES.index(one.axis) for one in units], dtype=np.int64),
            np.array([0 if one is None else len(one) for one in units], dtype=np.int64),
            grid,
            offsets_of(lengths),
            np.concatenate(spans),
            Strings.of("" if one is None or one.text is None else one.text for one in units),
            np.array([one is not None and one.text is not None for one in units], dtype=bool),
        )

    @classmethod
    def unknown(cls, n_documents: int) -> UnitColumns:
        """Return the columns of documents of which nothing is known."""
        return cls.of([None] * n_documents)

    def __len__(self) -> int:
        return len(self.axis)

    def __getitem__(self, document: int) -> Units | None:
        if self.axis[document] < 0:
            return None
        axis, n_units = AXES[self.axis[document]], int(self.n_units[document])
        origin, end, step = self.grid[document].tolist()
        text = self.texts[document] if self.has_text[document] else None
        if step:
            return Units(axis, n_units, origin, end, step, text=text)
        rows = self.spans[self.offsets[document] : self.offsets[document + 1]]
        return Units(axis, n_units, origin, end, None, rows[:, 0], rows[:, 1], text)

    @cached_property
    def is_known(self) -> BoolArray:
        """Which documents' units are known."""
        return self.axis >= 0

    def first_difference(self, numbers: IntArray, other: UnitColumns, others: IntArray) -> int | None:
        """Return the first place at which two documents, by number, have other units; None if none has."""
        is_known = self.is_known[numbers] & other.is_known[others]
        mine, theirs = self.grid[numbers], other.grid[others]
        alike = (self.axis[numbers] == other.axis[others]) & (self.n_units[numbers] == other.n_units[others])
        alike &= (mine[:, 2] > 0) & (mine == theirs).all(axis=1)
        for place in np.flatnonzero(is_known & ~alike).tolist():
            if self[int(numbers[place])] != other[int(others[place])]:
                return place
        return None

    def take(self, documents: IntArray) -> UnitColumns:
        """Return these documents, in this order."""
        offsets, where = gather(self.offsets, documents)
        return UnitColumns(
            self.axis[documents],
            self.n_units[documents],
            self.grid[documents],
            offsets,
            self.spans[where],
            self.texts.take(documents),
            self.has_text[documents],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[UnitColumns]) -> UnitColumns:
        """Return the documents of all parts."""
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate([part.axis for part in parts]),
            np.concatenate([part.n_units for part in parts]),
            np.concatenate([part.grid for part in parts]),
            offsets_of(lengths),
            np.concatenate([part.spans for part in parts]),
            Strings.concatenate([part.texts for part in parts]),
            np.concatenate([part.has_text for part in parts]),
        )
