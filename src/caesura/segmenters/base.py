"""Segmenter: what every automatic segmenter declares, and how it is called.

A segmenter is a frozen dataclass whose fields are its parameters, as a metric is. It does not change when it
is used; what it learns from a corpus, ``fit`` returns as another segmenter.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_whole
from caesura.declaration import Declared
from caesura.errors import ParameterError
from caesura.segmenters.text import UnitsLike, texts_of
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units

MAX_BYTES = 4 * 2**30  # most memory for the matrices of a segmenter


@dataclass(frozen=True, repr=False)
class Segmenter(Declared):
    """A way to divide a text into segments; its fields are its parameters.

    Call it on the units of a document, with the number of segments or without, to get a Segmentation. More
    segments than units are not possible: then every unit is a segment.
    """

    cost: ClassVar[str]
    """How time and memory grow, with n units."""
    needs: ClassVar[str] = "the texts of the units"
    has_scores: ClassVar[bool] = False
    """Whether there is a number for each gap."""
    has_hierarchy: ClassVar[bool] = False
    """Whether it ranks its boundaries."""
    is_hierarchical: ClassVar[bool] = False
    """Whether the hierarchy is what it is for: ``segment`` then keeps the ranks, unless it is to be flat."""
    is_random: ClassVar[bool] = False
    """Whether it takes ``rng=``."""
    is_fitted: ClassVar[bool] = False
    """Whether it learns from a corpus first: ``fit``."""
    asks_a_model: ClassVar[bool] = False
    """Whether it needs ``ask=``, a function from a prompt to the answer of a language model."""
    takes_n_segments: ClassVar[bool] = True
    """Whether the number of segments can be asked for; those that have no choice leave it unread."""

    # What a segmenter has to say.

    @abstractmethod
    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        """Return the positions of the boundaries, ascending; ``n_segments`` is at most that of units."""
        raise NotImplementedError

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return a number for each of the n − 1 gaps: the higher, the rather a boundary."""
        raise ParameterError(f"{self.name} has no scores: it finds all boundaries together")

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the boundaries with their ranks: all, or those between as many segments as are wanted."""
        raise ParameterError(f"{self.name} has no hierarchy: its boundaries have no ranks")

    def fit(self, corpus: Corpus, name: str | None = None) -> Self:
        """Return the segmenter with what it learns from the texts of a corpus, which its signature names."""
        raise ParameterError(f"{self.name} learns nothing: call it as it is")

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that ``vectors`` are made of."""
        return texts

    # What follows from it.

    def __call__(self, units: UnitsLike, n_segments: int | None = None) -> Segmentation:
        n_units, wanted = self.checked(units, n_segments)
        return Segmentation.over(n_units, self.boundaries(units, wanted))

    def checked(self, units: UnitsLike, n_segments: int | None) -> tuple[int, int | None]:
        """Return how many units there are, and how many segments are wanted of them."""
        n_units = number_of(units)
        if n_segments is None:
            return n_units, None
        wanted = min(check_whole("n_segments", n_segments, 1), n_units)
        return n_units, wanted if self.takes_n_segments else None


class Searching(Segmenter):
    """A segmenter that looks for the segmentation of least cost."""

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.search(units, n_segments)[0]

    def least(self, units: UnitsLike, n_segments: int | None = None) -> float:
        """Return the cost of the segmentation that is found."""
        _, wanted = self.checked(units, n_segments)
        return self.search(units, wanted)[1]

    @abstractmethod
    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation of least cost, and that."""
        raise NotImplementedError


def check_memory(name: str, n_units: int, n_bytes: int, remedy: str) -> None:
    """Refuse a document whose matrices would not fit; say what bounds them."""
    if n_bytes > MAX_BYTES:
        raise ParameterError(f"{name}: {n_units:,} units take {n_bytes / 1e9:,.1f} GB of memory; {remedy}")


def check_longest(
    name: str,
    n_segments: int | None,
    longest: int | None,
    n_units: int,
    which: str,
    parameter: str = "longest",
) -> None:
    """Refuse so many segments of at most so many units if these do not cover a document."""
    if n_segments is not None and longest is not None and n_segments * longest < n_units:
        fault = f"{n_segments} segments of at most {longest} units do not cover {which}"
        raise ParameterError(f"{name}: {fault}: take more segments, or a greater {parameter}")


def number_of(units: UnitsLike) -> int:
    """Return how many units there are."""
    return len(units) if isinstance(units, Units) else len(texts_of(units))


def ascending(positions: IntArray) -> IntArray:
    """Return the positions of splits in the order of the text."""
    return np.sort(positions).astype(np.int64)


def abilities(cls: type[Segmenter]) -> list[str]:
    """Return what a segmenter gives, and what it can be told, in words."""
    known = {
        "boundaries": True,
        "any number of segments": cls.takes_n_segments,
        "scores": cls.has_scores,
        "hierarchy": cls.has_hierarchy,
        "chance (rng)": cls.is_random,
        "fit": cls.is_fitted,
    }
    return [ability for ability, is_given in known.items() if is_given]
