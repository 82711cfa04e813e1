"""Segmenter: the declaration of every automatic segmenter, and its call.

Like a metric, a segmenter is a frozen dataclass whose fields are its parameters. Calls do not change it;
``fit`` returns a new segmenter.
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
    """An automatic segmenter; its fields are its parameters.

    Call it on the units of a document, with or without the number of segments, to get a Segmentation. If
    there are fewer units than segments, every unit is a segment.
    """

    cost: ClassVar[str]
    """Time and memory as functions of n units."""
    needs: ClassVar[str] = "the texts of the units"
    has_scores: ClassVar[bool] = False
    """Whether it has a score for each gap."""
    has_hierarchy: ClassVar[bool] = False
    """Whether it ranks its boundaries."""
    is_hierarchical: ClassVar[bool] = False
    """Whether ``segment`` keeps its ranks by default."""
    is_random: ClassVar[bool] = False
    """Whether it takes ``rng=``."""
    is_fitted: ClassVar[bool] = False
    """Whether it must first be fitted on a corpus."""
    asks_a_model: ClassVar[bool] = False
    """Whether it needs ``ask=``, a function from a prompt to a language model's answer."""
    takes_n_segments: ClassVar[bool] = True
    """Whether it uses the number of segments."""

    # Segmenters define these.

    @abstractmethod
    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        """Return the positions of boundaries, ascending; ``n_segments`` is at most the number of units."""
        raise NotImplementedError

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return a score for each of the n − 1 gaps; higher scores mean likelier boundaries."""
        raise ParameterError(f"{self.name} has no scores: it finds all boundaries together")

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the boundaries with their ranks: all, or those of ``n_segments`` segments."""
        raise ParameterError(f"{self.name} has no hierarchy: its boundaries have no ranks")

    def fit(self, corpus: Corpus, name: str | None = None) -> Self:
        """Return the segmenter fitted on the texts of a corpus, which its signature names."""
        raise ParameterError(f"{self.name} learns nothing: call it as it is")

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that ``vectors`` encode."""
        return texts

    # These follow.

    def __call__(self, units: UnitsLike, n_segments: int | None = None) -> Segmentation:
        n_units, wanted = self.checked(units, n_segments)
        return Segmentation.over(n_units, self.boundaries(units, wanted))

    def checked(self, units: UnitsLike, n_segments: int | None) -> tuple[int, int | None]:
        """Return the number of units, and the number of segments, which is at most as large."""
        n_units = number_of(units)
        if n_segments is None:
            return n_units, None
        wanted = min(check_whole("n_segments", n_segments, 1), n_units)
        return n_units, wanted if self.takes_n_segments else None

    def check_memory(self, n_units: int, n_bytes: int, remedy: str) -> None:
        """Raise ParameterError, with a remedy, for a document whose matrices do not fit memory."""
        if n_bytes > MAX_BYTES:
            size = f"{n_units:,} units take {n_bytes / 1e9:,.1f} GB of memory"
            raise ParameterError(f"{self.name}: {size}; {remedy}")

    def check_longest(
        self, n_segments: int | None, most: int | None, n_units: int, noun: str = "units", by: str = "longest"
    ) -> None:
        """Raise ParameterError if ``n_segments`` of at most ``most`` units do not cover a document.

        ``by`` is the parameter that sets the most units.
        """
        if n_segments is not None and most is not None and n_segments * most < n_units:
            fault = f"{n_segments} segments of at most {most} units do not cover {n_units:,} {noun}"
            raise ParameterError(f"{self.name}: {fault}: take more segments, or a greater {by}")


class Searching(Segmenter):
    """A segmenter that searches for the segmentation of least cost."""

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.search(units, n_segments)[0]

    def least(self, units: UnitsLike, n_segments: int | None = None) -> float:
        """Return the cost of the segmentation."""
        _, wanted = self.checked(units, n_segments)
        return self.search(units, wanted)[1]

    @abstractmethod
    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation of least cost, and its cost."""
        raise NotImplementedError


def number_of(units: UnitsLike) -> int:
    """Return the number of units."""
    return len(units) if isinstance(units, Units) else len(texts_of(units))


def ascending(positions: IntArray) -> IntArray:
    """Return the positions of splits in the order of the text."""
    return np.sort(positions).astype(np.int64)


def abilities(cls: type[Segmenter]) -> list[str]:
    """Return the abilities of a segmenter in words."""
    known = {
        "boundaries": True,
        "any number of segments": cls.takes_n_segments,
        "scores": cls.has_scores,
        "hierarchy": cls.has_hierarchy,
        "chance (rng)": cls.is_random,
        "fit": cls.is_fitted,
    }
    return [ability for ability, is_given in known.items() if is_given]
