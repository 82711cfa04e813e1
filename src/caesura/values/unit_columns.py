"""The texts and offsets of the units of all documents as a few arrays, looked up by document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from caesura.arrays import FloatArray, IntArray, changes
from caesura.errors import CorpusError
from caesura.values.columns import BoolArray
from caesura.values.forms import in_document, short_name
from caesura.values.strings import Strings, gather, offsets_of
from caesura.values.units import AXES, INSTANT, UNKNOWN, Units

UNKNOWN_SIGNS = np.array([ord(" "), ord(UNKNOWN)], dtype=np.uint32)
"""Characters of a running text that may stand for unknown characters."""

Value = TypeVar("Value")


class ByDocument(Mapping[str, Value]):
    """A column of documents by name, decoded on demand."""

    def __init__(self, numbers: Mapping[str, int], column: TextColumns | UnitColumns | None) -> None:
        self._numbers = numbers
        self._column = column

    def __getitem__(self, document: str) -> Value:
        number = self._numbers.get(document)
        value: Any = None if number is None or self._column is None else self._column[number]
        if value is None:
            raise KeyError(document)
        return value  # type: ignore[no-any-return]

    def __contains__(self, document: object) -> bool:
        number = self._numbers.get(document)  # type: ignore[call-overload]
        return number is not None and self._column is not None and bool(self._column.is_known[number])

    def __iter__(self) -> Iterator[str]:
        if self._column is None:
            return iter(())
        known = self._column.is_known.tolist()
        return (name for name, number in self._numbers.items() if known[number])

    def __len__(self) -> int:
        return 0 if self._column is None else int(np.count_nonzero(self._column.is_known))

    def __repr__(self) -> str:
        return f"<units of {len(self):,} documents>"


@dataclass(frozen=True, eq=False)
class TextColumns:
    """The texts of the units of all documents, end to end.

    >>> columns = TextColumns.of({2: ["It rained.", "We stayed."]}, 3)
    >>> columns.lengths.tolist(), columns[2], columns[0]
    ([0, 0, 2], ('It rained.', 'We stayed.'), None)
    """

    strings: Strings
    offsets: IntArray  # where the texts of each document start, and where the last end; no texts: not known

    @classmethod
    def of(cls, texts: Mapping[int, Sequence[str]], n_documents: int) -> TextColumns:
        """Lay the texts of documents, by number, end to end."""
        lengths = np.zeros(n_documents, dtype=np.int64)
        for document, units in texts.items():
            lengths[document] = len(units)
        in_order = (units for _, units in sorted(texts.items()))
        encoded = [units if isinstance(units, Strings) else Strings.of(units) for units in in_order]
        return cls(Strings.concatenate(encoded), offsets_of(lengths))

    @classmethod
    def of_rows(
        cls, strings: Strings, offsets: IntArray, document: IntArray, names: Strings, fault: str
    ) -> TextColumns:
        """Return the texts of documents from rows; several rows of a document must have equal texts."""
        order = np.argsort(document, kind="stable")
        is_first = changes(document[order])
        chosen = order[is_first]
        repeats = order[~is_first], chosen[(np.cumsum(is_first) - 1)[~is_first]]
        for row, before in zip(*map(np.ndarray.tolist, repeats), strict=True):
            if strings[offsets[row] : offsets[row + 1]] != strings[offsets[before] : offsets[before + 1]]:
                raise CorpusError(f"document {short_name(names[int(document[row])])}: {fault}")
        lengths = np.zeros(len(names), dtype=np.int64)
        lengths[document[chosen]] = np.diff(offsets)[chosen]
        return cls(strings.take(gather(offsets, chosen)[1]), offsets_of(lengths))

    @cached_property
    def lengths(self) -> IntArray:
        """The number of texts of each document, 0 if they are not known."""
        return np.diff(self.offsets)

    @cached_property
    def is_known(self) -> BoolArray:
        """Which documents' texts are known."""
        return self.lengths > 0

    def encoded(self, document: int) -> Strings:
        """Return a document's texts as they are stored."""
        start, end = self.offsets[document : document + 2].tolist()
        return self.strings[start:end]

    def __getitem__(self, document: int) -> tuple[str, ...] | None:
        return tuple(self.encoded(document)) or None

    def take(self, documents: IntArray) -> TextColumns:
        """Return these documents, in this order."""
        offsets, where = gather(self.offsets, documents)
        return TextColumns(self.strings.take(where), offsets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumns):
            return NotImplemented
        return np.array_equal(self.lengths, other.lengths) and self.strings == other.strings

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashed


@dataclass(frozen=True, eq=False)
class UnitColumns:
    """The axis of each document, and the spans of its units or their grid.

    >>> columns = UnitColumns.of([Units.from_spans([(0, 5), (6, 9)]), None, Units.every(1, end=60)])
    >>> columns.n_units.tolist(), columns[2], columns[1]
    ([2, 0, 60], <Units: 60 of seconds>, None)
    """

    axis: IntArray  # per document: its place in AXES; -1: not known
    n_units: IntArray
    grid: FloatArray  # documents × (origin, end, step); a step of 0: the units have spans of their own
    offsets: IntArray  # where the spans of each document start, and where the last end
    spans: FloatArray  # spans × (start, end)
    texts: Strings  # the running text of each document; see ``has_text``
    has_text: BoolArray

    @classmethod
    def of(cls, units: Sequence[Units | None]) -> UnitColumns:
        """Lay the units of documents end to end; None: not known."""
        grid = np.zeros((len(units), 3))
        spans: list[FloatArray] = [np.empty((0, 2))]
        lengths = np.zeros(len(units), dtype=np.int64)
        for number, own in enumerate(units):
            if own is None:
                continue
            grid[number] = own.origin, own.end, own.step or 0.0
            if own.step is None:
                spans.append(np.stack((own.starts, own.ends), axis=1).astype(np.float64))
                lengths[number] = len(own)
        return cls(
            np.array([-1 if own is None else AXES.index(own.axis) for own in units], dtype=np.int64),
            np.array([0 if own is None else len(own) for own in units], dtype=np.int64),
            grid,
            offsets_of(lengths),
            np.concatenate(spans),
            Strings.of("" if own is None or own.text is None else own.text for own in units),
            np.array([own is not None and own.text is not None for own in units], dtype=bool),
        )

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
        """Return the first row whose two documents, by number, have different units, or None."""
        is_known = self.is_known[numbers] & other.is_known[others]
        mine, theirs = self.grid[numbers], other.grid[others]
        alike = (self.axis[numbers] == other.axis[others]) & (self.n_units[numbers] == other.n_units[others])
        alike &= (mine[:, 2] > 0) & (mine == theirs).all(axis=1)
        for row in np.flatnonzero(is_known & ~alike).tolist():
            if self[int(numbers[row])] != other[int(others[row])]:
                return row
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

    def step(self, names: Sequence[str]) -> float | None:
        """Return the length of every unit in seconds, if all documents are on one uniform grid in time."""
        if not len(self):
            return None
        steps = np.where(self.axis == AXES.index("seconds"), self.grid[:, 2], 0.0)
        if bool((steps == steps[0]).all()):
            return float(steps[0]) or None
        is_instant = steps == INSTANT
        if bool(is_instant.any()):
            timed, coarse = (short_name(names[int(np.argmax(which))]) for which in (is_instant, ~is_instant))
            raise CorpusError(f"document {timed} has times, {coarse} has none; use corpus.onto('1s')")
        return None


def unite_units(
    columns: Sequence[UnitColumns | None], numbers: Sequence[IntArray], names: Strings
) -> UnitColumns | None:
    """Merge the units of corpora by the numbers of their documents; those of a document must be equal."""
    if all(column is None for column in columns):
        return None
    united: list[Units | None] = [None] * len(names)
    for column, number in zip(columns, numbers, strict=True):
        if column is None:
            continue
        for row, document in enumerate(number.tolist()):
            units, known = column[row], united[document]
            if units is None:
                continue
            if known is not None:
                _check_same(names[document], known, units)
            united[document] = units if known is None or known.text is None else known
    return UnitColumns.of(united)


def _check_same(document: str, first: Units, second: Units) -> None:
    """Raise CorpusError for different offsets, and for running texts that differ where both are known.

    Unknown parts of a text are spaces or signs for unknown characters.
    """
    if first != second:
        fault = "its units have other offsets in another corpus"
        raise in_document(document, f"{fault}; project one onto the units of the other")
    mine, theirs = first.text, second.text
    if not first.is_grid or mine is None or theirs is None or mine == theirs:
        return
    signs = (np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") for text in (mine, theirs))
    my_signs, their_signs = signs
    is_known = ~(np.isin(my_signs, UNKNOWN_SIGNS) | np.isin(their_signs, UNKNOWN_SIGNS))
    different = np.flatnonzero((my_signs != their_signs) & is_known)
    if len(different):
        index = int(different[0])
        texts = " and ".join(repr(text[index : index + 20]) for text in (mine, theirs))
        raise in_document(document, f"its texts differ at character {index}: {texts}")
