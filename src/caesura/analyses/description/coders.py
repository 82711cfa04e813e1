"""How many boundaries each coder places, and who places more or fewer than others of the same documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.description.exact import exact
from caesura.analyses.description.results import CoderRate
from caesura.arrays import FloatArray
from caesura.pairs import sum_by
from caesura.stats.choosing import holm
from caesura.stats.exchange import exchange_test
from caesura.values.corpus import Corpus

ALPHA = 0.05
"""Adjusted p up to which a coder's rate is said to differ from that of others."""


def coder_rates(corpus: Corpus) -> tuple[CoderRate, ...]:
    """Return the boundary rate of each coder, beside the typical one of the same documents.

    Whether a coder differs from the others of the same documents is tested on the numbers of boundaries by
    document, which are exchanged among the document's coders (``exchange_test``), and adjusted by Holm.
    """
    n, n_boundaries = len(corpus.coder_names), corpus.codings.n_boundaries
    boundaries = np.bincount(corpus.coder, n_boundaries, n)
    typical = np.bincount(corpus.coder, median_boundaries(corpus)[corpus.document], n)
    documents = np.bincount(corpus.coder, minlength=n)
    positions = _positions(corpus)
    divisor = np.maximum(1, positions).astype(float)
    rate, typical_rate = boundaries / divisor, typical / divisor
    tests = exchange_test(n_boundaries, corpus.document, corpus.coder, n)
    difference = differences(corpus)
    p_values = holm([test.p_value for test in tests])
    n_tested = sum(not math.isnan(test.p_value) for test in tests)
    least = np.minimum(1.0, [test.least_p * n_tested for test in tests])
    outlier = np.where(p_values <= ALPHA, np.where(difference > 0, "more", "fewer"), "")
    columns = (documents, positions, boundaries.astype(np.int64), rate, typical_rate)
    lists = [column.tolist() for column in (*columns, difference, p_values, least, outlier)]
    return tuple(map(CoderRate, corpus.coders, *lists))


def differences(corpus: Corpus) -> FloatArray:
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
        found: FloatArray = 100 * np.bincount(coder, more[shared], n) / positions
    return np.where(positions > 0, found, np.nan)


def _positions(corpus: Corpus) -> NDArray[Any]:
    """Return the potential boundaries of all codings of each coder."""
    n_units = corpus.codings.n_units
    n_positions = exact(n_units - 1, int(n_units.max()) * len(n_units))
    return sum_by(n_positions, corpus.coder, len(corpus.coder_names))


def median_boundaries(corpus: Corpus) -> FloatArray:
    """Return each document's median number of boundaries over its coders."""
    n_boundaries, starts = corpus.codings.n_boundaries, corpus.starts[:-1]
    ordered = n_boundaries[np.lexsort((n_boundaries, corpus.document))]
    low, high = (corpus.n_coders - 1) // 2, corpus.n_coders // 2
    medians: FloatArray = (ordered[starts + low] + ordered[starts + high]) / 2
    return medians
