"""Who places more or fewer boundaries than the other coders of the same documents."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from caesura.arrays import FloatArray
from caesura.stats.choosing import holm
from caesura.stats.exchange import exchange_test
from caesura.values.corpus import Corpus

ALPHA = 0.05
"""Adjusted p up to which a coder's rate is said to differ from that of others."""


class CoderTest(NamedTuple):
    """How a coder's numbers of boundaries differ from others' of the same documents; NaN of a stream."""

    difference: float = math.nan
    p_value: float = math.nan
    least_p: float = math.nan
    outlier: str = ""

    @classmethod
    def untested(cls, n: int) -> list[CoderTest]:
        """Return what is not known of n coders."""
        return [cls()] * n

    @classmethod
    def of(cls, corpus: Corpus) -> list[CoderTest]:
        """Test each coder: the numbers of boundaries are exchanged among a document's coders; Holm."""
        n = len(corpus.coder_names)
        tests = exchange_test(corpus.codings.n_boundaries, corpus.document, corpus.coder, n)
        difference = _differences(corpus)
        p_values = holm([test.p_value for test in tests])
        n_tested = sum(not math.isnan(test.p_value) for test in tests)
        least = np.minimum(1.0, [test.least_p * n_tested for test in tests])
        outlier = np.where(p_values <= ALPHA, np.where(difference > 0, "more", "fewer"), "")
        return [*map(cls, *(column.tolist() for column in (difference, p_values, least, outlier)))]


def _differences(corpus: Corpus) -> FloatArray:
    """Return each coder's boundaries per 100 positions minus the mean of the others, where there are any."""
    n = len(corpus.coder_names)
    n_boundaries = corpus.codings.n_boundaries
    in_all = np.bincount(corpus.document, n_boundaries, len(corpus.document_names))[corpus.document]
    others = corpus.n_coders[corpus.document] - 1
    shared = others > 0
    more = n_boundaries - (in_all - n_boundaries) / np.maximum(1, others)
    coder = corpus.coder[shared]
    positions = np.bincount(coder, (corpus.codings.n_units[shared] - 1).astype(float), n)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference: FloatArray = 100 * np.bincount(coder, more[shared], n) / positions
    return np.where(positions > 0, difference, np.nan)
