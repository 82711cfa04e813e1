"""How long coders took, where the data says it: the ``seconds`` among ``Corpus.details`` (KS12 §4)."""

from __future__ import annotations

import math
from typing import NamedTuple

from caesura.analyses.description.means import MeanSD, mean_sd
from caesura.errors import CorpusError
from caesura.values.corpus import Corpus

SECONDS = "seconds"
"""The column of details that holds times."""


class CodingTime(NamedTuple):
    """Minutes of work; codings whose time is not known do not count."""

    per_coding: MeanSD
    per_coder: MeanSD
    """Of a coder's codings together."""
    coders: dict[str, float]
    """Minutes of each coder."""


def coding_time(corpus: Corpus) -> CodingTime | None:
    """Return how long codings took; None where no time is known.

    >>> corpus = Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [5]}, "d2": {"ann": [4]}})
    >>> time = coding_time(corpus.with_details({"seconds": [60, None, 180]}))
    >>> time.per_coding, time.coders
    (MeanSD(mean=2.0, sd=1.0, n=2), {'ann': 4.0})
    """
    minutes: list[float] = []
    by_coder: dict[str, float] = {}
    for (document, coder, _), seconds in zip(corpus, corpus.details.get(SECONDS, ()), strict=False):
        if seconds is None or seconds == 0:  # a page that was opened and not used
            continue
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise CorpusError(
                f"document {document}: coder {coder} has seconds={seconds!r}: expected a number from 0 on"
            )
        minutes.append(seconds / 60)
        by_coder[coder] = by_coder.get(coder, 0.0) + seconds / 60
    if not minutes:
        return None
    return CodingTime(mean_sd(minutes), mean_sd([*by_coder.values()]), by_coder)
