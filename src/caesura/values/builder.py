"""CorpusBuilder: collects codings one by one, as readers find them, into the columns of a corpus."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError, SegmentationError
from caesura.values.columns import Columns
from caesura.values.forms import short
from caesura.values.hierarchy import Hierarchy, HierarchyLike
from caesura.values.segmentation import Segmentation, as_segmentation
from caesura.values.strings import ENCODING, ERRORS, Strings

MAX_DIGITS = 20
"""Longest number in text: no unit or type is near it, and longer ones cost time to read."""


class Parts(NamedTuple):
    """The columns of a corpus."""

    codings: Columns
    document: IntArray
    coder: IntArray
    documents: list[str]
    coders: list[str]
    texts: Strings | None
    text_offsets: IntArray | None


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
        self._document, self._coder = array("q"), array("q")
        self._codings: set[tuple[int, int]] = set()
        self._n_units = array("q")
        self._first_coder: list[str] = []  # of each document
        self._length: list[int] = []  # of each document
        self._positions: list[IntArray] = []
        self._types: list[IntArray] = []
        self._is_plain = True
        self._texts: dict[int, tuple[bytes, array[int]]] = {}

    def __len__(self) -> int:
        return len(self._document)

    def has_document(self, document: str) -> bool:
        """Whether somebody has coded this document."""
        return document in self._documents

    def has_coding(self, document: str, coder: str) -> bool:
        """Whether this coder has coded this document."""
        return (self._documents.get(document, -1), self._coders.get(coder, -1)) in self._codings

    def add(self, document: str, coder: str, coding: HierarchyLike) -> None:
        """Add a coding: a segmentation, a hierarchy, masses or gap indicators."""
        if isinstance(coding, Hierarchy):
            self.is_hierarchical = True
            coding = coding.to_segmentation()
        if not isinstance(coding, Segmentation):
            try:
                coding = as_segmentation(coding)
            except SegmentationError as error:
                raise CorpusError(f"document {document}: coder {coder}: {error}") from None
        if self.has_coding(document, coder):
            raise CorpusError(f"document {document} already has a coding by {coder}; remove one")
        number = self._documents.setdefault(document, len(self._documents))
        if number == len(self._length):
            self._length.append(coding.n_units)
            self._first_coder.append(coder)
        elif self._length[number] != coding.n_units:
            raise CorpusError(
                f"document {document}: coder {coder} has {coding.n_units} units where "
                f"{self._first_coder[number]} has {self._length[number]}: all must segment the same units"
            )
        who = self._coders.setdefault(coder, len(self._coders))
        self._codings.add((number, who))
        self._document.append(number)
        self._coder.append(who)
        self._n_units.append(coding.n_units)
        self._positions.append(coding.boundary_positions)
        if not coding.is_plain and self._is_plain:
            self._is_plain = False
            self._types = [np.ones(len(positions), dtype=np.int64) for positions in self._positions[:-1]]
        if not self._is_plain:
            self._types.append(coding.boundary_types)

    def add_text(self, document: str, units: Iterable[str]) -> bool:
        """Add the texts of a document's units; return whether they are what was added before, if anything."""
        encoded = [unit.encode(ENCODING, ERRORS) for unit in units]
        lengths = array("q", map(len, encoded))
        text = (b"".join(encoded), lengths)
        if document not in self._documents:
            raise CorpusError(f"document {document}: there is text of it, but nobody has coded it")
        number = self._documents[document]
        if len(lengths) != self._length[number]:
            raise CorpusError(
                f"document {document}: the text has {len(lengths)} units where coder "
                f"{self._first_coder[number]} has {self._length[number]}"
            )
        return self._texts.setdefault(number, text) == text

    def columns(self) -> Parts:
        """Return what was collected, the codings of one document together."""
        document, coder = _integers(self._document), _integers(self._coder)
        offsets = np.zeros(len(document) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, self._positions), np.int64, len(self._positions)), out=offsets[1:])
        nothing = np.empty(0, dtype=np.int64)
        codings = Columns(
            _integers(self._n_units),
            offsets,
            np.concatenate([nothing, *self._positions]),
            None if self._is_plain else np.concatenate([nothing, *self._types]),
        )
        coders = list(self._coders)
        if len(document) and bool((np.diff(document) < 0).any()):
            order = np.argsort(document, kind="stable")
            document, coder, codings = document[order], coder[order], codings.take(order)
            # Coders are numbered in the order in which documents show them.
            _, first = np.unique(coder, return_index=True)
            by_occurrence = np.argsort(first, kind="stable")
            place = np.empty(len(coders), dtype=np.int64)
            place[by_occurrence] = np.arange(len(coders))
            coder, coders = place[coder], [coders[i] for i in by_occurrence.tolist()]
        texts, text_offsets = self._text_columns()
        return Parts(codings, document, coder, list(self._documents), coders, texts, text_offsets)

    def _text_columns(self) -> tuple[Strings | None, IntArray | None]:
        if not self._texts:
            return None, None
        text_offsets = np.zeros(len(self._documents) + 1, dtype=np.int64)
        offsets, data = array("q", [0]), bytearray()
        for number in range(len(self._documents)):
            text, lengths = self._texts.get(number, (b"", ()))
            data += text
            for length in lengths:
                offsets.append(offsets[-1] + length)
            text_offsets[number + 1] = len(offsets) - 1
        return Strings(np.frombuffer(bytes(data), dtype=np.uint8), _integers(offsets)), text_offsets


def _integers(numbers: array[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def numbers_of(value: Any, name: str) -> Any:
    """Read a list of numbers, or text with spaces or commas between them."""
    if not isinstance(value, str):
        return [value] if isinstance(value, int) else value
    parts = value.replace(",", " ").split()
    if not all(part.isascii() and part.lstrip("-").isdigit() and len(part) <= MAX_DIGITS for part in parts):
        raise SegmentationError(f"{name} is {short(value)}: expected whole numbers with spaces between")
    return [int(part) for part in parts]
