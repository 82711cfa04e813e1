"""CorpusBuilder: collects codings one by one, as readers read them, into the columns of a corpus."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import TypeGuard

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError
from caesura.values.columns import Columns
from caesura.values.forms import coding_name, short_name, unequal_units
from caesura.values.hierarchy import Hierarchy, HierarchyLike
from caesura.values.making import CorpusColumns
from caesura.values.segmentation import PLAIN_TYPE, Segmentation, as_segmentation
from caesura.values.strings import Strings, offsets_of
from caesura.values.unit_columns import TextColumns, UnitColumns
from caesura.values.units import Units


class CorpusBuilder:
    """Codings and texts that are still being read.

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
        self._first = array("q")  # of each document: its first coding; -1: it has none yet
        self._document, self._coder, self._n_units = array("q"), array("q"), array("q")
        self._keys: set[int] = set()  # of each coding: its document and coder
        self._n_boundaries, self._positions = array("q"), array("q")
        self._types: array[int] | None = None  # as long as all boundaries are plain
        self._texts: dict[int, Strings] = {}
        self._units: dict[int, Units] = {}

    def __len__(self) -> int:
        return len(self._document)

    @property
    def n_documents(self) -> int:
        """Number of documents, coded or not."""
        return len(self._documents)

    def has_document(self, document: str) -> bool:
        """Whether this document has codings, texts or units."""
        return document in self._documents

    def has_coding(self, document: str, coder: str) -> bool:
        """Whether this coder has coded this document."""
        number, coder_number = self._documents.get(document), self._coders.get(coder)
        return number is not None and coder_number is not None and _key(number, coder_number) in self._keys

    def add_all(self, codings: Mapping[str, Mapping[str, HierarchyLike]]) -> None:
        """Add the codings of documents by coder, ``{document: {coder: segmentation}}``."""
        for document, coded in codings.items():
            if not isinstance(coded, Mapping):
                raise CorpusError(
                    f"document {short_name(document)}: expected {{coder: segmentation}}, not "
                    f"{type(coded).__name__}"
                )
            if not coded:
                raise CorpusError(f"document {short_name(document)}: it has no annotations")
            if self.has_document(str(document)):
                raise CorpusError("two documents have the same name when written out")
            if len(set(map(str, coded))) < len(coded):
                raise CorpusError(
                    f"document {short_name(document)}: two coders have the same name when written out"
                )
            for coder, value in coded.items():
                self.add(str(document), str(coder), value)

    def add(self, document: str, coder: str, coding: HierarchyLike) -> None:
        """Add a coding: a segmentation, a hierarchy, masses or gap indicators."""
        types: array[int] | None = None
        if _is_masses(coding):  # most are, and need no Segmentation of their own
            n_units, positions = sum(coding), array("q", accumulate(coding[:-1]))
        else:
            segmentation = self._segmentation(document, coder, coding)
            n_units, positions = segmentation.n_units, _numbers(segmentation.boundary_positions)
            types = None if segmentation.is_plain else _numbers(segmentation.boundary_types)
        if self.has_coding(document, coder):
            raise CorpusError(
                f"document {short_name(document)} already has a coding by {short_name(coder)}; remove one"
            )
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
    """Whether these are valid masses."""
    if type(coding) is not list or set(map(type, coding)) != {int}:
        return False
    return min(coding) > 0 and sum(coding) <= MAX_NUMBER


def _key(document: int, coder: int) -> int:
    return document << 32 | coder


def _numbers(values: IntArray) -> array[int]:
    return array("q", values.tobytes())


def _integers(numbers: array[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)
