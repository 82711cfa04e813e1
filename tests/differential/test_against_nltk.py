"""Source of truth: nltk.metrics.segmentation for WindowDiff, Pk with a given k, and GHD.

NLTK writes a document of N units as a string of its N - 1 gaps. A window of k of them has
(N - 1) - k + 1 = N - k places: the same windows as ours, so the same k gives the same value.
"""

import random
from functools import cache

import pytest
from nltk.metrics.segmentation import ghd as nltk_ghd
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

import caesura as cs

DENSITIES = (0.0, 0.03, 0.1, 0.3, 0.6, 1.0)


def gap_strings(seed, n_pairs):
    """Pairs of strings of gaps, the second often near the first; both may have no boundary."""
    rng = random.Random(seed)
    for _ in range(n_pairs):
        n_gaps = rng.randint(1, 60)
        ref = _gaps(rng, n_gaps, rng.choice(DENSITIES))
        if rng.random() < 0.5:
            shift = rng.choice((-2, -1, 1, 2)) % n_gaps
            hyp = ref[shift:] + ref[:shift]
        else:
            hyp = _gaps(rng, n_gaps, rng.choice(DENSITIES))
        yield rng, ref, hyp


def _gaps(rng, n_gaps, density):
    return "".join("1" if rng.random() < density else "0" for _ in range(n_gaps))


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("weighted", [False, True])
def test_windowdiff(weighted):
    for rng, ref, hyp in gap_strings(seed=1, n_pairs=3000):
        k = rng.randint(1, len(ref))
        theirs = nltk_windowdiff(ref, hyp, k, weighted=weighted)
        assert cs.window_diff(ref, hyp, k=k, weighted=weighted) == theirs, (ref, hyp, k)


@pytest.mark.usefixtures("kernel_module")
def test_pk():
    for rng, ref, hyp in gap_strings(seed=2, n_pairs=3000):
        k = rng.randint(1, len(ref))
        assert cs.pk(ref, hyp, k=k) == nltk_pk(ref, hyp, k=k), (ref, hyp, k)


def test_a_window_as_long_as_the_text_is_one_window():
    """Where N - k and N - k + 1 would differ most: k = N - 1 leaves one window, in NLTK as here."""
    assert nltk_windowdiff("010", "000", 3) == 1
    assert cs.window_diff("010", "000", k=3).denominator == 1
    assert cs.window_diff("010", "000", k=3) == 1


@cache
def ghd_of_nltk(insertion, deletion, shift):
    """Pairs and NLTK's answers, which serve both kernels."""
    return [
        (ref, hyp, nltk_ghd(ref, hyp, ins_cost=insertion, del_cost=deletion, shift_cost_coeff=shift))
        for _, ref, hyp in gap_strings(seed=3, n_pairs=800)
    ]


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize(
    ("insertion", "deletion", "shift"),
    [(2.0, 2.0, 1.0), (1.0, 1.0, 0.5), (1.0, 2.0, 0.5), (3.0, 0.5, 0.25), (5.5, 5.5, 2.0), (1.0, 1.0, 0.0)],
)
def test_ghd(insertion, deletion, shift):
    for ref, hyp, theirs in ghd_of_nltk(insertion, deletion, shift):
        ours = cs.ghd(ref, hyp, insertion=insertion, deletion=deletion, shift=shift)
        assert ours == pytest.approx(theirs, abs=1e-12), (ref, hyp)


def test_ghd_defaults():
    for _, ref, hyp in gap_strings(seed=4, n_pairs=300):
        assert cs.ghd(ref, hyp) == nltk_ghd(ref, hyp), (ref, hyp)


# Printed in NLTK's documentation, which has them from Kulyukin's C++ implementation.
GHD_EXAMPLES = [
    ("1100100000", "1100010000", 1.0, 1.0, 0.5, 0.5),
    ("1100100000", "1100000001", 1.0, 1.0, 0.5, 2.0),
    ("011", "110", 1.0, 1.0, 0.5, 1.0),
    ("1", "0", 1.0, 1.0, 0.5, 1.0),
    ("111", "000", 1.0, 1.0, 0.5, 3.0),
    ("000", "111", 1.0, 2.0, 0.5, 6.0),
]


@pytest.mark.parametrize(("ref", "hyp", "insertion", "deletion", "shift", "printed"), GHD_EXAMPLES)
def test_ghd_examples_of_nltk_docs(ref, hyp, insertion, deletion, shift, printed):
    assert cs.ghd(ref, hyp, insertion=insertion, deletion=deletion, shift=shift) == printed


WINDOWDIFF_EXAMPLES = [
    ("000100000010", "000100000010", 0.00),
    ("000100000010", "000010000100", 0.30),
    ("000010000100", "100000010000", 0.80),
]


@pytest.mark.parametrize(("ref", "hyp", "printed"), WINDOWDIFF_EXAMPLES)
def test_windowdiff_examples_of_nltk_docs(ref, hyp, printed):
    assert round(cs.window_diff(ref, hyp, k=3), 2) == printed


PK_EXAMPLES = [
    ("0100" * 100, "1" * 400, 0.50),
    ("0100" * 100, "0" * 400, 0.50),
    ("0100" * 100, "0100" * 100, 0.0),
]


@pytest.mark.parametrize(("ref", "hyp", "printed"), PK_EXAMPLES)
def test_pk_examples_of_nltk_docs(ref, hyp, printed):
    assert round(cs.pk(ref, hyp, k=2), 2) == printed


# -------------------------------------------------------------------- NLTK's default k (nltk issue 3102)


def test_nltks_default_k_is_half_of_gaps_per_boundary():
    """The example of nltk issue 3102: 13 units in 3 segments, so half a segment is 13 / 6, about 2.

    NLTK divides the 12 gaps by the 2 boundaries and gets 12 / 4 = 3.
    """
    ref, hyp = "000001001000", "000100010000"
    assert nltk_pk(ref, hyp) == nltk_pk(ref, hyp, k=3) == 0.4
    assert cs.window_size(ref) == 2
    assert cs.pk(ref, hyp) == nltk_pk(ref, hyp, k=2) == 6 / 11


def test_nltks_default_k_is_twice_ours_with_one_boundary():
    """20 units in 2 segments: half a segment is 5; NLTK takes half of 19 gaps per 1 boundary, 10."""
    ref, hyp = "0000000001000000000", "0000000000001000000"
    assert nltk_pk(ref, hyp) == nltk_pk(ref, hyp, k=10) != nltk_pk(ref, hyp, k=5)
    assert cs.window_size(ref) == 5
    assert cs.pk(ref, hyp) == nltk_pk(ref, hyp, k=5)
