"""APS and HAPS. Sources of truth: brute force over exemplars, and the values of SPEC §13.

The messages themselves are compared with a plain version in test_cutting_kernels.py.
"""

from __future__ import annotations

import itertools
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ParameterError
from caesura.segmenters.aps import APS, HAPS, cuts, similarities_of_segments

from .conftest import lectures
from .word_errors import choi_pk, mit_errors

documents = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1, max_size=12)


def blocks(n_blocks: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors of units in blocks that differ clearly."""
    centers = np.eye(n_blocks) * 3.0
    return np.repeat(centers, size, axis=0) + rng.random((n_blocks * size, n_blocks))


@given(documents, st.integers(1, 14))
def test_as_many_segments_as_are_asked_for(units, n_segments):
    assert APS(words=str.split)(units, n_segments).n_segments == min(n_segments, len(units))


@given(documents, st.integers(1, 5))
def test_what_terms_are_called_does_not_matter(units, n_segments):
    renamed = APS(words=lambda text: [f"<{word}>" for word in text.split()])
    assert renamed(units, n_segments) == APS(words=str.split)(units, n_segments)


@pytest.mark.parametrize("seed", range(5))
def test_blocks_are_found_forwards_and_backwards(seed):
    rng = np.random.default_rng(seed)
    vectors = blocks(4, 6, rng)
    units = [""] * len(vectors)
    assert APS(vectors=vectors)(units, 4).masses == (6, 6, 6, 6)
    assert APS(vectors=vectors[::-1])(units, 4).masses == (6, 6, 6, 6)


def test_a_higher_preference_gives_more_segments():
    vectors = blocks(5, 5, np.random.default_rng(2))
    numbers = [APS(vectors=vectors, preference=p)([""] * 25).n_segments for p in (-20.0, -1.0, 0.9)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]


@pytest.mark.parametrize("seed", range(20))
def test_cuts_between_exemplars_leave_units_most_similar(seed):
    """Brute force over all boundaries that leave one exemplar in each segment."""
    rng = np.random.default_rng(seed)
    n, reach = 9, int(rng.integers(1, 9))
    s = rng.random((n, n))
    rows = np.zeros((2 * reach + 1, n))
    for i, j in itertools.product(range(n), repeat=2):
        if abs(i - j) <= reach and i != j:
            rows[reach + j - i, i] = s[i, j]
    exemplars = np.sort(rng.choice(n, 3, replace=False))

    def net(ends: list[int]) -> float:
        segments = itertools.pairwise([0, *ends, n])
        return sum(
            s[i, j]
            for (a, b), j in zip(segments, exemplars, strict=True)
            for i in range(a, b)
            if i != j and abs(i - j) <= reach
        )

    choices = itertools.product(*(range(a + 1, b + 1) for a, b in itertools.pairwise(exemplars)))
    assert net(cuts(rows, exemplars).tolist()) == pytest.approx(max(net(list(ends)) for ends in choices))


def best_net(s: np.ndarray, preference: float) -> float:
    """The greatest net similarity of any segmentation with one exemplar in each segment."""
    n = len(s)
    best = [0.0, *[-np.inf] * n]
    for end in range(1, n + 1):
        for start in range(end):
            inside = s[start:end, start:end]
            value = (inside.sum(axis=0) - np.diag(inside)).max() + preference
            best[end] = max(best[end], best[start] + value)
    return best[n]


def test_messages_nearly_always_find_the_greatest_net_similarity():
    """Max-sum is exact on trees; on this graph it is an approximation, and a good one."""
    shares = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 10
        vectors = np.repeat(rng.random((3, 4)), [3, 4, 3], axis=0) + 0.3 * rng.random((n, 4))
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        s = unit @ unit.T
        aps = APS(vectors=vectors, preference=0.6, window=1.0)
        ends = [0, *aps([""] * n).positions, n]
        found = 0.0
        for a, b in itertools.pairwise(ends):
            found += (s[a:b, a:b].sum(axis=0) - 1.0).max() + 0.6
        shares.append(found / best_net(s, 0.6))
    assert max(shares) <= 1.0 + 1e-9
    assert fmean(shares) > 0.99


def test_what_memory_does_not_hold_is_refused():
    with pytest.raises(ParameterError, match=r"100,000 units take .* GB of memory; APS\(widest="):
        APS(widest=30_000)(["cat"] * 100_000)
    with pytest.raises(ParameterError, match=r"HAPS: 100,000 units .* HAPS\(widest=100\)"):
        HAPS(widest=30_000).hierarchy(["cat"] * 100_000)


# -------------------------------------------------------------------- HAPS


def test_similarities_of_segments_are_sums_over_their_units():
    rng = np.random.default_rng(3)
    n, reach = 8, 7
    s = rng.random((n, n))
    rows = np.zeros((2 * reach + 1, n))
    for i, j in itertools.permutations(range(n), 2):
        rows[reach + j - i, i] = s[i, j]
    exemplars, ends = np.array([1, 3, 6]), [0, 2, 5, 8]
    found = similarities_of_segments(rows, exemplars, np.array(ends[1:-1]), 100)
    for a, b in itertools.product(range(3), repeat=2):
        wanted = sum(s[i, exemplars[b]] for i in range(ends[a], ends[a + 1]) if i != exemplars[b])
        assert found[len(found) // 2 + b - a, a] == pytest.approx(wanted)


@given(documents, st.integers(1, 12))
def test_levels_nest_and_the_finest_is_aps(units, n_segments):
    haps = HAPS(words=str.split, growth=2.0)
    hierarchy = haps.hierarchy(units, n_segments)
    finest = APS(words=str.split)(units, n_segments)
    assert hierarchy.positions == finest.positions
    assert hierarchy.n_levels <= 3


def test_nested_blocks_are_levels():
    rng = np.random.default_rng(1)
    coarse = np.repeat(np.eye(2), 18, axis=0) * 2.0
    fine = np.tile(np.repeat(np.eye(3), 6, axis=0), (2, 1)) * 1.5
    vectors = np.hstack([coarse, fine]) + 0.1 * rng.random((36, 5))
    hierarchy = HAPS(vectors=vectors, levels=2, growth=3.0).hierarchy([""] * 36, 6)
    assert hierarchy.level(1).masses == (18, 18)
    assert hierarchy.up_to(2).masses == (6,) * 6


def exemplars_of(s: np.ndarray, ends: list[int], allowed: set[int]) -> list[tuple[float, tuple[int, ...]]]:
    """Return the sums of similarities to every choice of one allowed exemplar in each segment."""
    segments = list(itertools.pairwise(ends))
    choices = itertools.product(*(sorted(allowed & set(range(a, b))) for a, b in segments))
    return [
        (sum(s[a:b, j].sum() - s[j, j] for (a, b), j in zip(segments, chosen, strict=True)), chosen)
        for chosen in choices
    ]


def joint_value(s: np.ndarray, fine: tuple[int, ...], coarse: tuple[int, ...]) -> float:
    """The greatest sum of both levels' similarities, with exemplars of the coarse among those of the fine."""
    n = len(s)
    return max(
        value + max((found for found, _ in exemplars_of(s, [0, *coarse, n], set(chosen))), default=-np.inf)
        for value, chosen in exemplars_of(s, [0, *fine, n], set(range(n)))
    )


@pytest.mark.exhaustive
def test_settling_levels_one_after_another_nearly_reaches_the_best_of_both_together():
    """Brute force over all nested segmentations into four and two segments, and all their exemplars.

    The paper settles all levels in one graph; this says what is lost by not doing so.
    """
    shares = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 9
        centers = rng.random((4, 4)) + np.repeat(np.eye(2), 2, axis=0) @ rng.random((2, 4))
        vectors = np.repeat(centers, [2, 2, 3, 2], axis=0) + 0.2 * rng.random((n, 4))
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        hierarchy = HAPS(vectors=vectors, levels=2, growth=2.0).hierarchy([""] * n, 4)
        found = joint_value(unit @ unit.T, hierarchy.positions, hierarchy.level(1).positions)
        best = max(
            joint_value(unit @ unit.T, fine, (cut,))
            for fine in itertools.combinations(range(1, n), 3)
            for cut in fine
        )
        shares.append(found / best)
    assert max(shares) <= 1.0 + 1e-9
    assert fmean(shares) > 0.98


# -------------------------------------------------------------------- values


@pytest.mark.exhaustive
def test_choi_set_3_with_the_number_known_as_spec_13(choi):
    found = [
        choi_pk(one.masses, APS()(one.units, 10).masses, one.n_words) for one in choi if one.name[0] == "3"
    ]
    assert len(found) == 300
    assert fmean(found) <= 0.25


@pytest.mark.exhaustive
def test_choi_set_3_with_the_preference_tuned_on_set_1_as_spec_13(choi):
    def pk(preference: float, number: str) -> float:
        aps = APS(preference=preference)
        chosen = [one for one in choi if one.name.startswith(f"{number}/")]
        return fmean(choi_pk(one.masses, aps(one.units).masses, one.n_words) for one in chosen)

    tuned = min((-1.0, -0.9, -0.8, -0.7, -0.6, -0.5), key=lambda preference: pk(preference, "1"))
    assert tuned == APS().preference
    assert pk(tuned, "3") <= 0.25


@pytest.mark.exhaustive
def test_ai_lectures_as_a_careful_port():
    """SPEC §13: WindowDiff about .448 is what a careful port reached."""
    found = [
        mit_errors(one.masses, APS()(one.units, len(one.masses)).masses, one.n_words)[1]
        for one in lectures("ai")
    ]
    assert fmean(found) == pytest.approx(0.448, abs=0.01)
