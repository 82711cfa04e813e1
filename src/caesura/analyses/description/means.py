"""Means with standard deviations, and the annotation times that they summarize (KS12 §4)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.values.corpus import Corpus


class MeanSD(NamedTuple):
    """A mean, its population standard deviation (as F13t prints them), and the number of values."""

    mean: float
    sd: float
    n: int


def mean_sd(values: Sequence[float]) -> MeanSD:
    """Return the mean with its population standard deviation, equal in any order; NaN without values."""
    if all(isinstance(value, int) for value in values):
        return mean_sd_of(len(values), int(sum(values)), int(sum(value**2 for value in values)))
    n, mean = len(values), math.fsum(values) / len(values)
    return MeanSD(mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n), n)


def mean_sd_of(n: int, total: int, squares: int) -> MeanSD:
    """Return the mean and deviation of n whole numbers from their sum and sum of squares."""
    if not n:
        return MeanSD(math.nan, math.nan, 0)
    return MeanSD(total / n, math.sqrt(n * squares - total**2) / n, n)


class CodingTime(NamedTuple):
    """Minutes of work, over the annotations with a known time."""

    per_coding: MeanSD
    per_coder: MeanSD  # all annotations of a coder together
    coders: dict[str, float]


def coding_time(corpus: Corpus) -> CodingTime | None:
    """Return how long annotations took, from ``seconds`` in ``Corpus.details``; None if no time is known.

    >>> corpus = Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [5]}, "d2": {"ann": [4]}})
    >>> time = coding_time(corpus.with_details({"seconds": [60, None, 180]}))
    >>> time.per_coding, time.coders
    (MeanSD(mean=2.0, sd=1.0, n=2), {'ann': 4.0})
    """
    minutes: list[float] = []
    by_coder: defaultdict[str, float] = defaultdict(float)
    for (document, coder, _), seconds in zip(corpus, corpus.details.get("seconds", ()), strict=False):
        if seconds is None or seconds == 0:  # the page was opened and not used
            continue
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise CorpusError(
                f"document {document}: coder {coder} has seconds={seconds!r}: expected a number from 0 on"
            )
        minutes.append(seconds / 60)
        by_coder[coder] += seconds / 60
    if not minutes:
        return None
    return CodingTime(mean_sd(minutes), mean_sd([*by_coder.values()]), dict(by_coder))
