"""SemanticChunker: boundaries where neighboring sentences are far apart, as in LangChain and LlamaIndex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_number
from caesura.declaration import choice, optional_number, whole
from caesura.segmenters.base import Segmenter, ascending
from caesura.segmenters.similarities import Vectors, near_cosines, unit_products, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, joined, texts_of, words_parameter

DIGITS = 12  # decimals of compared distances: rounding must not choose a boundary

AMOUNTS = {"percentile": 95.0, "standard_deviation": 3.0, "interquartile": 1.5, "gradient": 95.0}
"""LangChain's default amount of each rule."""

PERCENTILES = ("percentile", "gradient")


@dataclass(frozen=True, repr=False)
class SemanticChunker(Segmenter):
    """SemanticChunker: a boundary wherever the distance to the next text exceeds a limit.

    Each unit is joined with ``buffer`` units on both sides; the distance of adjacent joined texts is 1 −
    cosine. The limit is a percentile of the document's distances, or their mean plus ``amount`` standard
    deviations or interquartile ranges; with "gradient", gradients are compared with a percentile of the
    gradients. For a given number of segments, the greatest distances (or gradients) are boundaries.
    LlamaIndex has only the percentile. Vectors given as an array are those of the joined texts; without
    vectors words are counted.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> SemanticChunker(buffer=0)(text).masses
    (3, 3)
    """

    name = "SemanticChunker"
    title = "distances of adjacent texts, SemanticChunker"
    meaning = "a boundary wherever the distance of adjacent texts exceeds a percentile or another limit"
    citation = "Kamradt (2023), 5 levels of text splitting; as in LangChain and LlamaIndex"
    cost = "time and memory n d"
    also = ("semantic chunking", "SemanticSplitterNodeParser")
    has_scores = True

    threshold: str = choice("percentile", "the rule of the limit", tuple(AMOUNTS))
    amount: float | None = optional_number(
        "the percentile, or how many deviations or ranges; auto: "
        + ", ".join(f"{amount:g} ({rule})" for rule, amount in AMOUNTS.items())
    )
    buffer: int = whole(1, "units on each side that are joined with a unit", minimum=0)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.amount is not None:
            greatest = 100 if self.threshold in PERCENTILES else math.inf
            check_number(f"{self.name}: amount", self.amount, 0.0, greatest)

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        scores = self.scores(units)
        if n_segments is not None:
            return ascending(np.argsort(-scores, kind="stable")[: n_segments - 1] + 1)
        if not len(scores):
            return np.empty(0, dtype=np.int64)
        amount = AMOUNTS[self.threshold] if self.amount is None else self.amount
        if self.threshold in PERCENTILES:
            limit = np.percentile(scores, amount)
        else:
            low, high = np.percentile(scores, [25, 75])
            spread = scores.std() if self.threshold == "standard_deviation" else high - low
            limit = scores.mean() + amount * spread
        return np.flatnonzero(scores > round(float(limit), DIGITS)) + 1

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return the distance of each unit, joined with its neighbors, to the next, or the gradient."""
        products = unit_products(self.encoded_texts(texts_of(units)), self.words, self.vectors)
        distances = 1.0 - near_cosines(products, 1)[:-1, 1]
        if self.threshold == "gradient" and len(distances) > 1:
            distances = np.gradient(distances)
        return np.round(distances, DIGITS)

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        return joined(texts, self.buffer, self.buffer)
