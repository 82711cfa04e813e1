"""The columns of a corpus: built coding by coding, read from a table, or merged."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, NoReturn, Self, TypeAlias, TypeGuard

import numpy as np

from caesura.arrays import IntArray, bincount, changes
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError
from caesura.values.columns import Columns, check_columns
from caesura.values.forms import coding_name, in_document, short_name, unequal_units
from caesura.values.hierarchy import Hierarchy, HierarchyLike
from caesura.values.segmentation import PLAIN_TYPE, Segmentation, as_segmentation
from caesura.values.strings import Strings, offsets_of
from caesura.values.unit_columns import ByDocument, TextColumns, UnitColumns, unite_units
from caesura.values.units import Units

RECORD_COLUMNS = ("document", "coder", "masses", "gaps", "n_units", "positions", "types", "label", "unit")
"""The columns of the long table, besides texts."""

Details: TypeAlias = Mapping[str, tuple[Any, ...]]  # further columns of codings, by name


@dataclass(frozen=True, repr=False, eq=False)
class CorpusColumns:
    """The codings of documents by coders, and what is known of the documents' units."""

    codings: Columns
    """The boundaries of every coding, document after document."""
    document: IntArray
    """The number of each coding's document, ascending."""
    coder: IntArray
    """The number of each coding's coder."""
    document_names: Strings
    coder_names: Strings
    texts: TextColumns | None = None
    """The texts of documents' units, where any are known."""
    unit_columns: UnitColumns | None = None
    """The offsets of documents' units on their axis, where any are known."""

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents, in the order of the data."""
        return tuple(self.document_names)

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """All coders, in the order of the data."""
        return tuple(self.coder_names)

    @cached_property
    def document_numbers(self) -> dict[str, int]:
        """The number of each document, by name."""
        return {name: number for number, name in enumerate(self.documents)}

    @property
    def units(self) -> ByDocument[tuple[str, ...]]:
        """Text of each unit, by document, where known."""
        return ByDocument(self.document_numbers, self.texts)

    @property
    def spans(self) -> ByDocument[Units]:
        """The units with their offsets on the axis, by document, where known."""
        return ByDocument(self.document_numbers, self.unit_columns)

    def coding_name(self, row: int) -> str:
        """Return the name of a coding for messages."""
        document, coder = int(self.document[row]), int(self.coder[row])
        return coding_name(self.document_names[document], self.coder_names[coder])

    @cached_property
    def starts(self) -> IntArray:
        """The first coding of each document, and the number of codings."""
        return offsets_of(bincount(self.document, minlength=len(self.document_names)))

    @cached_property
    def document_units(self) -> IntArray:
        """The length of each document, in units."""
        lengths = np.zeros(len(self.document_names), dtype=np.int64)
        if self.texts is not None:
            lengths = np.maximum(lengths, self.texts.lengths)
        if self.unit_columns is not None:
            lengths = np.maximum(lengths, self.unit_columns.n_units)
        lengths[self.document] = self.codings.n_units
        return lengths

    def renumbered(self, chosen: IntArray | None = None, *, keep_uncoded: bool = False) -> Self:
        """Number documents (or the chosen ones) and coders by occurrence; drop the rest."""
        documents, document = numbers_by_occurrence(self.document, len(self.document_names))
        if chosen is not None:
            order = np.argsort(chosen)
            documents, document = chosen, order[np.searchsorted(chosen, self.document, sorter=order)]
        elif keep_uncoded and len(documents) < len(self.document_names):
            documents, document = np.arange(len(self.document_names)), self.document
        coders, coder = numbers_by_occurrence(self.coder, len(self.coder_names))
        if document is self.document and coder is self.coder:
            return self
        return replace(
            self,
            document=document,
            coder=coder,
            document_names=self.document_names.take(documents),
            coder_names=self.coder_names.take(coders),
            texts=None if self.texts is None else self.texts.take(documents),
            unit_columns=None if self.unit_columns is None else self.unit_columns.take(documents),
        )

    def check_lengths(self) -> None:
        """Raise CorpusError for codings of one document that differ in length; they must be adjacent."""
        n_units = self.codings.n_units
        wrong = np.flatnonzero((np.diff(n_units) != 0) & (np.diff(self.document) == 0)) + 1
        if len(wrong):
            row = int(wrong[0])
            owner = f"coder {short_name(self.coder_names[int(self.coder[row])])}"
            first = int(n_units[np.searchsorted(self.document, self.document[row])])
            self._refuse(int(self.document[row]), owner, int(n_units[row]), first)

    def check_known(self, documents: IntArray, lengths: IntArray, noun: str) -> None:
        """Raise CorpusError for a text or axis whose length is not its document's; documents are numbers."""
        expected = self.document_units[documents]
        wrong = np.flatnonzero(lengths != expected)
        if len(wrong):
            index = int(wrong[0])
            self._refuse(int(documents[index]), f"the {noun}", int(lengths[index]), int(expected[index]))

    def _refuse(self, document: int, owner: str, n_units: int, expected: int) -> NoReturn:
        first = int(np.searchsorted(self.document, document))
        has = f"there are {expected}"
        if first < len(self.document) and self.document[first] == document:
            has = f"coder {short_name(self.coder_names[int(self.coder[first])])} has {expected}"
        raise unequal_units(self.document_names[document], owner, n_units, has)


def checked_columns(columns: CorpusColumns, name: str = "row {}") -> CorpusColumns:
    """Check the columns of a table with a row per coding, in any order; rows in messages count from 1."""
    codings = check_columns(
        columns.codings, lambda row: f"{name.format(row + 1)}: {columns.coding_name(row)}"
    )
    order, document = numbers_by_occurrence(columns.document, len(columns.document_names))
    names, coder = columns.document_names.take(order), columns.coder
    row = first_repeated(document * len(columns.coder_names) + coder)
    if row is not None:
        raise CorpusError(f"{name.format(row + 1)}: {columns.coding_name(row)} is there twice; remove one")
    if bool((document[1:] < document[:-1]).any()):
        rows = np.argsort(document, kind="stable")
        document, coder, codings = document[rows], coder[rows], codings.take(rows)
    checked = CorpusColumns(codings, document, coder, names, columns.coder_names)
    checked.check_lengths()
    return checked.renumbered()


def merge_columns(parts: Sequence[CorpusColumns]) -> tuple[CorpusColumns, IntArray]:
    """Merge the columns of corpora; also return the new order of all their codings, end to end."""
    documents, document_numbers = _unite_names([part.document_names for part in parts])
    coders, coder_numbers = _unite_names([part.coder_names for part in parts])
    document = np.concatenate(
        [numbers[part.document] for numbers, part in zip(document_numbers, parts, strict=True)]
    )
    coder = np.concatenate([numbers[part.coder] for numbers, part in zip(coder_numbers, parts, strict=True)])
    twice = first_repeated(document * len(coders) + coder)
    if twice is not None:
        owner = short_name(coders[int(coder[twice])])
        raise in_document(documents[int(document[twice])], f"two of the merged corpora have coder {owner}")
    order = np.argsort(document, kind="stable")
    codings = Columns.concatenate([part.codings for part in parts]).take(order)
    merged = CorpusColumns(codings, document[order], coder[order], documents, coders)
    merged.check_lengths()
    texts = _unite_texts([part.texts for part in parts], document_numbers, documents)
    units = unite_units([part.unit_columns for part in parts], document_numbers, documents)
    united = replace(merged, texts=texts, unit_columns=units)
    if texts is not None:
        united.check_known(rows := np.flatnonzero(texts.is_known), texts.lengths[rows], "text")
    if units is not None:
        united.check_known(rows := np.flatnonzero(units.is_known), units.n_units[rows], "axis")
    return united.renumbered(keep_uncoded=True), order


def merge_details(parts: Sequence[tuple[Details, int]], order: IntArray) -> Details:
    """Return the details of the codings of all corpora, in this order; None where a corpus has none."""
    names = dict.fromkeys(name for details, _ in parts for name in details)
    united = {
        name: tuple(value for details, n in parts for value in details.get(name, (None,) * n))
        for name in names
    }
    return take_details(united, order)


def take_details(details: Details, rows: IntArray) -> Details:
    """Return the details of these codings."""
    chosen = rows.tolist() if details else ()
    return {name: tuple(values[row] for row in chosen) for name, values in details.items()}


def _unite_names(names: Sequence[Strings]) -> tuple[Strings, list[IntArray]]:
    """Return all distinct names, and the numbers of each list's names among them."""
    if all(part == names[0] for part in names[1:]):
        return names[0], [np.arange(len(part)) for part in names]
    index: dict[str, int] = {}
    numbers = [
        np.array([index.setdefault(name, len(index)) for name in part], dtype=np.int64) for part in names
    ]
    return Strings.of(index), numbers


def _unite_texts(
    columns: Sequence[TextColumns | None], numbers: Sequence[IntArray], documents: Strings
) -> TextColumns | None:
    """Merge the documents' texts; two texts of one document must be equal."""
    known = [
        (texts, np.flatnonzero(texts.is_known), number)
        for texts, number in zip(columns, numbers, strict=True)
        if texts is not None and texts.is_known.any()
    ]
    if not known:
        return None
    parts = [(texts.take(rows), number[rows]) for texts, rows, number in known]
    return TextColumns.of_rows(
        Strings.concatenate([texts.strings for texts, _ in parts]),
        offsets_of(np.concatenate([texts.lengths for texts, _ in parts])),
        np.concatenate([document for _, document in parts]),
        documents,
        "the merged corpora have different texts of it",
    )


def numbers_by_occurrence(numbers: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return which of 0 .. n − 1 occur, in the order of occurrence, and the numbers in that order.

    Time is linear in the numbers, not in n; numbers in order are returned unchanged.

    >>> [column.tolist() for column in numbers_by_occurrence(np.array([2, 0, 2]), 4)]
    [[2, 0], [0, 1, 0]]
    """
    if len(numbers) < n:
        occurring, first, index = np.unique(numbers, return_index=True, return_inverse=True)
    else:
        every = np.arange(n)
        if np.array_equal(numbers[:n], every):
            return every, numbers
        if np.array_equal(numbers, np.cumsum(changes(numbers)) - 1) and numbers[-1] == n - 1:
            return every, numbers
        occurring, index = every, numbers
        first = np.full(n, len(numbers), dtype=np.int64)
        np.minimum.at(first, numbers, np.arange(len(numbers)))
    order = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(numbers)))]
    rank = np.empty(len(occurring), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return occurring[order], rank[index]


def first_repeated(key: IntArray) -> int | None:
    """Return the first row whose key occurs in an earlier row."""
    if bool((key[1:] > key[:-1]).all()):
        return None
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    return int(order[twice + 1].min()) if len(twice) else None


class CorpusBuilder:
    """Collects codings and texts one by one, as readers read them.

    >>> builder = CorpusBuilder()
    >>> builder.add("d", "ann", [2, 3])
    >>> builder.columns().codings.positions.tolist()
    [2]
    """

    def __init__(self) -> None:
        self.is_hierarchical = False
        self._documents: dict[str, int] = {}
        self._coders: dict[str, int] = {}
        self._lengths = array("q")  # of each document, in units
        self._first = array("q")  # the first coding of each document; -1: none yet
        self._document, self._coder, self._n_units = array("q"), array("q"), array("q")
        self._keys: set[int] = set()  # of each coding: its document and coder
        self._n_boundaries, self._positions = array("q"), array("q")
        self._types: array[int] | None = None  # None as long as all boundaries are plain
        self._texts: dict[int, Strings] = {}
        self._units: dict[int, Units] = {}

    def __len__(self) -> int:
        return len(self._document)

    @property
    def n_documents(self) -> int:
        """Number of documents, coded or not."""
        return len(self._documents)

    def has_document(self, document: str) -> bool:
        """Return whether this document has codings, texts or units."""
        return document in self._documents

    def has_coding(self, document: str, coder: str) -> bool:
        """Return whether this coder has coded this document."""
        number, coder_number = self._documents.get(document), self._coders.get(coder)
        return number is not None and coder_number is not None and _key(number, coder_number) in self._keys

    def add_all(self, codings: Mapping[str, Mapping[str, HierarchyLike]]) -> None:
        """Add the codings of documents by coder, ``{document: {coder: segmentation}}``."""
        for document, coded in codings.items():
            if not isinstance(coded, Mapping):
                raise in_document(document, f"expected {{coder: segmentation}}, not {type(coded).__name__}")
            if not coded:
                raise CorpusError(f"document {short_name(document)}: it has no annotations")
            if self.has_document(str(document)):
                raise CorpusError("two documents have the same name when written out")
            if len(set(map(str, coded))) < len(coded):
                raise in_document(document, "two coders have the same name when written out")
            for coder, value in coded.items():
                self.add(str(document), str(coder), value)

    def add(self, document: str, coder: str, coding: HierarchyLike) -> None:
        """Add a coding: a segmentation, a hierarchy, masses or gap indicators."""
        types: array[int] | None = None
        if _is_masses(coding):  # most are; they do not need a Segmentation
            n_units, positions = sum(coding), array("q", accumulate(coding[:-1]))
        else:
            segmentation = self._segmentation(document, coder, coding)
            n_units, positions = segmentation.n_units, array("q", segmentation.boundary_positions.tobytes())
            types = None if segmentation.is_plain else array("q", segmentation.boundary_types.tobytes())
        if self.has_coding(document, coder):
            raise CorpusError(f"{coding_name(document, coder)} is there twice; remove one")
        number = self._number(document, n_units, "coder", coder)
        coder_number = self._coders.setdefault(coder, len(self._coders))
        if self._first[number] < 0:
            self._first[number] = len(self)
        if types is not None and self._types is None:
            self._types = array("q", [PLAIN_TYPE]) * len(self._positions)
        if self._types is not None:
            self._types.extend(array("q", [PLAIN_TYPE]) * len(positions) if types is None else types)
        self._keys.add(_key(number, coder_number))
        self._document.append(number)
        self._coder.append(coder_number)
        self._n_units.append(n_units)
        self._n_boundaries.append(len(positions))
        self._positions.extend(positions)

    def _segmentation(self, document: str, coder: str, coding: HierarchyLike) -> Segmentation:
        if isinstance(coding, Hierarchy):
            self.is_hierarchical = True
            return coding.to_segmentation()
        try:
            return as_segmentation(coding)
        except SegmentationError as error:
            raise CorpusError(f"{coding_name(document, coder)}: {error}") from None

    def _number(self, document: str, length: int, *owner: str) -> int:
        """Return the number of a document of this length, which may be new."""
        number = self._documents.setdefault(document, len(self._documents))
        if number == len(self._first):
            if not length:
                raise CorpusError(f"document {short_name(document)}: it has no units")
            self._first.append(-1)
            self._lengths.append(length)
        elif length != self._lengths[number]:
            first = "its text"
            if self._first[number] >= 0:
                first = f"coder {short_name([*self._coders][self._coder[self._first[number]]])}"
            has = f"{first} has {self._lengths[number]}"
            raise unequal_units(document, " ".join(map(short_name, owner)), length, has)
        return number

    def add_text(self, document: str, units: Iterable[str]) -> bool:
        """Add the texts of a document's units, coded or not; return whether they equal those added before."""
        text = Strings.of(units)
        number = self._number(document, len(text), "the text")
        known = self._texts.setdefault(number, text)
        return known is text or known == text

    def add_units(self, document: str, units: Units, *, with_texts: bool = True) -> bool:
        """Add the spans of a document's units, and their texts if the running text is known.

        Return whether they equal those added before.
        """
        number = self._number(document, len(units), "the axis")
        is_same = self._units.setdefault(number, units) == units
        if with_texts and units.text is not None and not units.is_grid:
            return self.add_text(document, units.texts) and is_same
        return is_same

    def columns(self) -> CorpusColumns:
        """Return the columns, the codings of each document together."""
        document, coder = _integers(self._document), _integers(self._coder)
        codings = Columns(
            _integers(self._n_units),
            offsets_of(_integers(self._n_boundaries)),
            _integers(self._positions),
            None if self._types is None else _integers(self._types),
        )
        if bool((document[1:] < document[:-1]).any()):
            order = np.argsort(document, kind="stable")
            document, coder, codings = document[order], coder[order], codings.take(order)
        documents, coders = Strings.of(self._documents), Strings.of(self._coders)
        texts = TextColumns.of(self._texts, len(documents)) if self._texts else None
        units = UnitColumns.of([self._units.get(i) for i in range(len(documents))]) if self._units else None
        columns = CorpusColumns(codings, document, coder, documents, coders, texts, units)
        return columns.renumbered(keep_uncoded=True)


def _is_masses(coding: HierarchyLike) -> TypeGuard[list[int]]:
    """Return whether these are valid masses."""
    if type(coding) is not list or set(map(type, coding)) != {int}:
        return False
    return min(coding) > 0 and sum(coding) <= MAX_NUMBER


def _key(document: int, coder: int) -> int:
    return document << 32 | coder


def _integers(numbers: array[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)
