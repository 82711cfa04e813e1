"""Sizes of units: windows run over atoms such as words, while boundaries are between units such as sentences.

See Carroll (2010), Evaluating hierarchical discourse segmentation, footnote 2; Choi (2000) counts so, too.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.packed import PackedPairs
from caesura.arrays import IntArray, bincount, repeat
from caesura.checks import MAX_NUMBER
from caesura.errors import ParameterError, SegmentationError
from caesura.values.columns import Columns
from caesura.values.forms import as_list, whole_numbers
from caesura.values.segmentation import Segmentation
from caesura.values.strings import offsets_of
from caesura.wording import counted, short

MAX_SHOWN = 20  # more sizes are described instead of shown


class UnitSizes(NamedTuple):
    """Sizes of the units of documents, end to end, and the document of each pair.

    Sizes count atoms, such as the words of sentences.
    """

    sizes: IntArray
    offsets: IntArray  # the start of each document's sizes, and the end of the last
    document: IntArray  # per pair

    def totals(self) -> IntArray:
        """Return the number of atoms of each document; raise ParameterError for invalid sizes."""
        of = repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        small = np.flatnonzero(self.sizes < 1)
        if len(small):
            document = of[small[0]]
            fault = _too_small("unit_sizes", small[0] - self.offsets[document], self.sizes[small[0]])
            raise ParameterError(f"document {document}: {fault}")
        totals = np.diff(offsets_of(self.sizes)[self.offsets])
        # Floating point detects sums beyond 64 bits.
        if ((totals > MAX_NUMBER) | (bincount(of, self.sizes, len(totals)) > 2 * MAX_NUMBER)).any():
            raise ParameterError("unit_sizes add up to more than 2**53")
        return totals

    def ends(self, n_units: IntArray) -> tuple[IntArray, IntArray]:
        """Return the number of atoms up to the end of each unit, and the start of each pair's ends."""
        lengths = np.diff(self.offsets)
        wrong = np.flatnonzero(lengths[self.document] != n_units)
        if len(wrong):
            pair = wrong[0]
            raise ParameterError(f"pair {pair}: {unequal(lengths[self.document[pair]], n_units[pair])}")
        # Sums over all documents may overflow 64 bits; their differences are still right.
        totals = self.totals()
        before = np.cumsum(totals) - totals
        return np.cumsum(self.sizes) - repeat(before, lengths), self.offsets[self.document]

    def refined(self, pairs: PackedPairs) -> PackedPairs:
        """Return the pairs as segmentations of atoms."""
        ends, starts = self.ends(pairs.n_units)

        def side(codings: Columns, numbers: IntArray) -> tuple[Columns, IntArray]:
            used, pair, number = np.unique(numbers, return_index=True, return_inverse=True)
            codings, start = codings.take(used), starts[pair]  # the start of each coding's ends
            positions = ends[start[codings.coding] + codings.positions - 1]
            n_atoms = ends[start + codings.n_units - 1]
            return Columns(n_atoms, codings.offsets, positions, codings.types), number

        reference, first = side(pairs.reference, pairs.first)
        hypothesis, second = side(pairs.hypothesis, pairs.second)
        documents = pairs.documents
        if documents is not None:
            documents = documents._replace(of_reference=documents.of_reference[np.unique(pairs.first)])
        return PackedPairs(reference, hypothesis, first, second, documents)

    @property
    def description(self) -> str:
        """The description of the sizes for signatures, with their digest."""
        documents, total = counted(len(self.offsets) - 1, "document"), sum(self.totals().tolist())
        digest = _digest(np.concatenate((self.offsets, self.sizes)))
        return f"{documents}, {counted(len(self.sizes), 'unit')}, {total:,} in all, {digest}"


DESCRIPTION = re.compile(r"[\d,]+ documents?, [\d,]+ units?, [\d,]+ in all, sha256 [0-9a-f]{12}")
"""The form of ``UnitSizes.description``."""


class DocumentSizes(tuple[int, ...]):
    """The sizes of a document's units, which signatures describe."""

    def __str__(self) -> str:
        return f"{counted(len(self), 'unit')}, {sum(self):,} in all, {_digest(np.array(self))}"


def check_sizes(name: str, value: Any) -> DocumentSizes | str | None:
    """Return the sizes of a document's units, the description of those of many documents, or None."""
    if value is None or (isinstance(value, str) and DESCRIPTION.fullmatch(value)):
        return value
    if isinstance(value, str) and value in ("words", "characters"):
        raise ParameterError(f"{name} is {value!r}, which needs texts: use evaluate(unit_sizes={value!r})")
    return document_sizes(name, value)


def document_sizes(name: str, value: Any) -> DocumentSizes:
    """Return the sizes of a document's units, each at least 1."""
    try:
        sizes = whole_numbers(as_list(value, name), name)
    except SegmentationError:
        raise ParameterError(f"{name} is {short(value)}: expected a whole number for each unit") from None
    if not sizes:
        raise ParameterError(f"{name} is {short(value)}: a document has at least one unit")
    for index, size in enumerate(sizes):
        if size < 1:
            raise ParameterError(_too_small(name, index, size))
    if sum(sizes) > MAX_NUMBER:
        raise ParameterError(f"{name} add up to more than 2**53")
    return DocumentSizes(sizes)


def _digest(numbers: IntArray) -> str:
    return f"sha256 {hashlib.sha256(numbers.astype('<i8').tobytes()).hexdigest()[:12]}"


def _too_small(name: str, index: int, size: int) -> str:
    expected = "expected a whole number from 1 on; join units without words to a neighbor"
    return f"{name}[{index}] is {size}: {expected}"


def unequal(n_sizes: int, n_units: int) -> str:
    """Return the message for a wrong number of sizes."""
    return f"{n_sizes} unit_sizes but {n_units} units: give one each"


def refined(segmentation: Segmentation, sizes: tuple[int, ...]) -> Segmentation:
    """Return a segmentation of units as one of their atoms.

    >>> refined(Segmentation.from_masses([2, 1]), (3, 4, 5)).masses
    (7, 5)
    """
    if len(sizes) != segmentation.n_units:
        raise ParameterError(unequal(len(sizes), segmentation.n_units))
    ends = np.cumsum(np.array(sizes, dtype=np.int64))
    return Segmentation.from_positions(ends[segmentation.position_array - 1], int(ends[-1]))
