"""Published values of the segmenters.

Sources: what Choi's and Utiyama's programs left for 400 documents (boundaries, logged Pk); Carroll (2010),
figure 2; Eisenstein & Barzilay's program on the lectures (SPEC §13).
"""

from __future__ import annotations

from statistics import fmean

import pytest

from caesura.analyses.level_errors import hierarchical_pk, hierarchical_window_diff
from caesura.segmenters.registry import segmenter

from .conftest import lectures
from .word_errors import choi_pk, mit_errors

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("n_segments", "name", "published"), [(10, "c99_k10", 0.1229), (None, "c99_auto", 0.1289)]
)
def test_c99_of_choi_2000(choi, n_segments, name, published):
    c99 = segmenter("C99")
    found = [list(c99(document.units, n_segments).masses) for document in choi]
    pk = fmean(choi_pk(one.masses, masses, one.n_words) for one, masses in zip(choi, found, strict=True))
    assert pk == pytest.approx(published, abs=0.003)
    same = sum(masses == document.original[name] for document, masses in zip(choi, found, strict=True))
    assert same >= 0.94 * len(choi)


def test_choi_pk_is_what_choi_2000_logged(choi):
    """The evaluation itself: the original's boundaries have the original's logged Pk."""
    for document in choi:
        for name in ("c99_k10", "c99_auto"):
            pk = choi_pk(document.masses, document.original[name], document.n_words)
            assert pk == pytest.approx(document.original[f"pk_{name}"], abs=1e-4)


@pytest.mark.parametrize(
    ("n_segments", "name", "published"), [(10, "pk_u00_k10", 0.1031), (None, "pk_u00_auto", 0.1082)]
)
def test_u00_of_utiyama_and_isahara_2001(choi, n_segments, name, published):
    u00 = segmenter("U00")
    pk = [choi_pk(one.masses, u00(one.units, n_segments).masses, one.n_words) for one in choi]
    assert fmean(pk) == pytest.approx(published, abs=0.001)
    same = sum(
        value == pytest.approx(one.original[name], abs=1e-4) for one, value in zip(choi, pk, strict=True)
    )
    assert same >= 0.98 * len(choi)


HC99_FIGURE_2 = [  # per cent
    (hierarchical_pk, "plain", 12.5),
    (hierarchical_pk, "wrap", 12.1),
    (hierarchical_window_diff, "plain", 13.8),
    (hierarchical_window_diff, "wrap", 13.3),
]


@pytest.mark.parametrize(("error", "edges", "published"), HC99_FIGURE_2)
def test_hc99_of_carroll_2010_figure_2(choi, error, edges, published):
    """The original C99's own boundaries have 12.3, 11.9, 13.5 and 13.0."""
    hc99 = segmenter("HC99")
    value = fmean(
        error(
            one.masses, hc99.hierarchy(one.units), edges=edges, rounding="half-up", unit_sizes=one.n_words
        ).value
        for one in choi
    )
    assert 100 * value == pytest.approx(published, abs=0.4)


# The physics lectures are met to the last digit. On the AI lectures, where apostrophes stand inside words, it
# is not known what the original's tokens were. Of three readings (it is a space: .364 and .436; it is left
# out: .364 and .435; it belongs to the word: .371 and .441) we took the third: it meets MinCut's values, too.
LECTURES = [("physics", 30, 0.3213, 0.3473, 0.0001), ("ai", 19, 0.3682, 0.4430, 0.003)]


@pytest.mark.parametrize(("course", "n", "pk", "wd", "tolerance"), LECTURES)
def test_bayesseg_of_eisenstein_and_barzilay_2008(course, n, pk, wd, tolerance):
    bayesseg = segmenter("BayesSeg")
    documents = lectures(course)
    assert len(documents) == n
    errors = [
        mit_errors(one.masses, bayesseg(one.units, len(one.masses)).masses, one.n_words) for one in documents
    ]
    assert fmean(error for error, _ in errors) == pytest.approx(pk, abs=tolerance)
    assert fmean(error for _, error in errors) == pytest.approx(wd, abs=tolerance)


def test_bayesseg_with_durations_does_not_over_segment(choi):
    """SPEC §13: without a prior of durations 25 segments on Choi's documents, which have 10."""
    bayesseg = segmenter("BayesSeg(shape=5.0)")
    assert 8 <= fmean(bayesseg(one.units).n_segments for one in choi) <= 15
