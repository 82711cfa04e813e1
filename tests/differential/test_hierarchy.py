"""Hierarchies and E_Pk, E_WD. Source of truth: C10 §2 taken literally, every choice among ties enumerated.

C10 is Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.
"""

from __future__ import annotations

import json
import math
import pickle
import random
import statistics
import time
from collections import Counter
from fractions import Fraction
from itertools import accumulate, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loops import each
from tests.properties import strategies as own

import caesura as cs
from caesura import Segmentation, kernel
from caesura.alignment.packed import PackedPairs
from caesura.analyses.level_errors import hierarchical_pk, hierarchical_window_diff
from caesura.errors import ComparisonError, ParameterError, SegmentationError
from caesura.kernel import native, python
from caesura.kernel.python import PADDED, PLAIN, WRAP, Levels, Units
from caesura.metrics.hierarchical import (
    EWD,
    EPk,
    UnitSizes,
    hypergeometric,
)
from caesura.values.columns import Columns
from caesura.values.hierarchy import Hierarchy

EDGES = ("plain", "padded", "wrap")
EDGE_CODES = {"plain": PLAIN, "padded": PADDED, "wrap": WRAP}
FUNCTIONS = {"pk": hierarchical_pk, "wd": hierarchical_window_diff}


# -------------------------------------------------------------------- the definition, taken literally


def windows(n: int, k: int, edges: str) -> list[list[int]]:
    """The positions that each window covers; impossible ones are among them."""
    if edges == "plain":
        return [list(range(i + 1, i + k + 1)) for i in range(n - k)]
    if edges == "padded":
        return [list(range(i + 1, i + k + 1)) for i in range(-k, n)]
    return [[(i + j) % n for j in range(1, k + 1)] for i in range(n)]


def error(kind: str, reference: set[int], hypothesis: set[int], n: int, k: int, edges: str) -> Fraction:
    wrong = 0
    covered = windows(n, k, edges)
    for window in covered:
        r, h = len(reference & set(window)), len(hypothesis & set(window))
        wrong += (r != h) if kind == "wd" else ((r > 0) != (h > 0))
    return Fraction(wrong, len(covered)) if covered else Fraction(0)


def oracle(
    kind: str,
    ref: dict[int, int],
    hyp: dict[int, int],
    n_units: int,
    edges: str,
    k: int | None = None,
    k_from: str = "level",
    sizes: list[int] | None = None,
) -> Fraction:
    sizes = sizes or [1] * n_units
    place = {p: sum(sizes[:p]) for p in range(1, n_units)}
    n = sum(sizes)
    last = 1 + max(hyp.values(), default=0)
    prominence = {p: hyp.get(p, last) for p in place}
    total = Fraction(0)
    for rank in sorted(set(ref.values())):
        chosen = {p for p in ref if ref[p] <= rank}
        n_segments = 1 + (len(chosen) if k_from == "level" else len(ref))
        size = k or max(2, round(Fraction(n, 2 * n_segments)))
        size = max(1, min(size, n - 1))
        # All sets of as many boundaries in which none left out is more prominent than one taken.
        cut = sorted(prominence.values())[len(chosen) - 1]
        certain = {p for p in prominence if prominence[p] < cut}
        tied = sorted(p for p in prominence if prominence[p] == cut)
        choices = list(combinations(tied, len(chosen) - len(certain)))
        reference = {place[p] for p in chosen}
        errors = [
            error(kind, reference, {place[p] for p in certain.union(choice)}, n, size, edges)
            for choice in choices
        ]
        weight = sum(r == rank for r in ref.values())
        total += weight * sum(errors, Fraction(0)) / len(choices)
    return total / len(ref) if ref else Fraction(0)


def random_ranks(rng: random.Random, n_units: int, most: int) -> dict[int, int]:
    n = rng.randint(0, min(most, n_units - 1))
    n_ranks = rng.randint(1, 4)
    return {p: rng.randint(1, n_ranks) for p in rng.sample(range(1, n_units), n)}


@each("kind", FUNCTIONS)
@each("edges", EDGES)
@each("seed", range(40))
def test_against_the_enumeration_of_all_choices(kind, edges, seed):
    rng = random.Random(seed)
    n_units = rng.randint(1, 10)
    ref, hyp = random_ranks(rng, n_units, 7), random_ranks(rng, n_units, 7)
    k = rng.choice([None, None, 1, 2, 3, 20])
    k_from = rng.choice(["level", "all"])
    sizes = rng.choice([None, [rng.randint(1, 4) for _ in range(n_units)]])
    sides = Hierarchy.from_ranks(ref, n_units), Hierarchy.from_ranks(hyp, n_units)
    parameters = {"edges": edges, "k": k, "k_from": k_from, "unit_sizes": sizes}
    n_atoms = sum(sizes or [1] * n_units)
    if k is not None and k >= n_atoms:
        with pytest.raises(ParameterError, match=f"k={k} has no window in {n_atoms} unit"):
            FUNCTIONS[kind](*sides, **parameters)
        return
    result = FUNCTIONS[kind](*sides, **parameters)
    expected = oracle(kind, ref, hyp, n_units, edges, k, k_from, sizes)
    assert result.value == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("hypothesis", [{}, {4: 1}, {4: 1, 9: 1, 12: 2}, {1: 3, 13: 3}])
def test_unmarked_positions_are_tied(kind, edges, hypothesis):
    ref = {3: 2, 5: 1, 8: 3, 11: 2}
    expected = oracle(kind, ref, hypothesis, 14, edges)
    result = FUNCTIONS[kind](Hierarchy.from_ranks(ref, 14), Hierarchy.from_ranks(hypothesis, 14), edges=edges)
    assert result.value == pytest.approx(float(expected), abs=1e-12)
    assert result.levels[-1].needed == max(0, 4 - len(hypothesis))


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_sizes_of_one_change_nothing(kind, edges):
    """Unmarked positions are counted without unit_sizes and listed with them."""
    rng = random.Random(1)
    for _ in range(20):
        n_units = rng.randint(2, 200)
        ref = Hierarchy.from_ranks(random_ranks(rng, n_units, 30), n_units)
        hyp = Hierarchy.from_ranks(random_ranks(rng, n_units, 15), n_units)
        counted = FUNCTIONS[kind](ref, hyp, edges=edges)
        listed = FUNCTIONS[kind](ref, hyp, edges=edges, unit_sizes=[1] * n_units)
        assert counted.value == pytest.approx(listed.value, abs=1e-12)


def test_the_probabilities_are_exact_at_any_size():
    cases = [(n, m, r) for n in (2, 3, 7, 40, 400) for m in (0, 1, n // 2, n) for r in (1, n // 2, n - 1)]
    cases += [(10**6, 10**5, 3000), (10**6, 999_999, 17)]
    for n, m, r in cases:
        for x in {-1, 0, 1, r * m // n, r * m // n + 1, min(m, r), r}:
            is_possible = 0 <= x <= r
            exact = Fraction(math.comb(m, x) * math.comb(n - m, r - x), math.comb(n, r)) if is_possible else 0
            found = hypergeometric(np.array([x]), n, np.array([m]), r)[0]
            assert found == pytest.approx(float(exact), rel=1e-10, abs=1e-300), (n, m, r, x)


@pytest.mark.parametrize("function", FUNCTIONS.values())
@pytest.mark.parametrize("edges", EDGES)
def test_a_document_of_any_length(function, edges):
    """The error of a stretched copy is the same, but for what the fineness of positions changes."""

    def stretched(n: int) -> float:
        reference = Hierarchy.from_ranks({n // 4: 1, n // 2: 2}, n_units=n)
        return function(reference, Hierarchy.from_ranks({n // 8: 1}, n_units=n), edges=edges).value

    start = time.process_time()
    value = stretched(10**15)
    assert time.process_time() - start < 1
    assert value == pytest.approx(stretched(10**5), abs=1e-4)


def counted_windows(sets: list[set[int]], n: int, k: int, edges: str) -> Counter[tuple[int, ...]]:
    """Windows by how many of each set they hold."""
    return Counter(tuple(len(s.intersection(window)) for s in sets) for window in windows(n, k, edges))


def exact_error(
    kind: str, ref: dict[int, int], hyp: dict[int, int], edges: str, k: int | None, sizes: list[int]
) -> Fraction:
    """The definition with the number of choices from binomial coefficients in place of their enumeration."""
    ends = list(accumulate(sizes))
    n, place = ends[-1], dict(enumerate(ends[:-1], 1))
    prominence = {p: hyp.get(p, math.inf) for p in place}
    total = Fraction(0)
    for level in set(ref.values()):
        chosen = {p for p in ref if ref[p] <= level}
        size = k or max(2, round(Fraction(n, 2 * (len(chosen) + 1))))
        size = max(1, min(size, n - 1))
        cut = sorted(prominence.values())[len(chosen) - 1]
        certain = {place[p] for p in place if prominence[p] < cut}
        tied = {place[p] for p in place if prominence[p] == cut}
        needed = len(chosen) - len(certain)
        held = counted_windows([{place[p] for p in chosen}, certain, tied], n, size, edges)
        wrong = Fraction(0)
        for (r, c, m), number in held.items():
            for x in range(min(m, needed) + 1):
                if (r != c + x) if kind == "wd" else ((r > 0) != (c + x > 0)):
                    choices = math.comb(m, x) * math.comb(len(tied) - m, needed - x)
                    wrong += Fraction(number * choices, math.comb(len(tied), needed))
        weight = sum(r == level for r in ref.values())
        total += weight * wrong / (held.total() or 1)
    return total / len(ref) if ref else Fraction(0)


@pytest.fixture(params=["native", "python"])
def kernel_in_use(request, monkeypatch):
    module = python
    if request.param == "native":
        module = native
    monkeypatch.setattr(kernel, "active", module)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("max_terms", [1, 2**17])  # probabilities one by one, or all of them at once
@pytest.mark.usefixtures("kernel_in_use")
def test_against_exact_fractions(kind, edges, max_terms, monkeypatch):
    monkeypatch.setattr("caesura.metrics.hierarchical.MAX_TERMS", max_terms)
    rng = random.Random(5)
    for _ in range(15):
        n_units = rng.randint(20, 60)
        ref, hyp = random_ranks(rng, n_units, 50), random_ranks(rng, n_units, rng.choice([0, 5, 30, 60]))
        sizes = rng.choice([None, None, [rng.randint(1, 5) for _ in range(n_units)]])
        k = rng.choice([None, None, 1, 7, min(40, n_units - 1)])  # a window needs more units than k
        one, two = Hierarchy.from_ranks(ref, n_units), Hierarchy.from_ranks(hyp, n_units)
        found = FUNCTIONS[kind](one, two, edges=edges, k=k, unit_sizes=sizes).value
        expected = exact_error(kind, ref, hyp, edges, k, sizes or [1] * n_units)
        assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("max_packed", [python.MAX_PACKED, 1])  # counts in 64 bits, and in Python's integers
def test_both_kernels_count_windows_by_what_they_hold(edges, max_packed, monkeypatch):
    monkeypatch.setattr(python, "MAX_PACKED", max_packed)
    rng = random.Random(6)
    for _ in range(100):
        n = rng.randint(1, 50)
        k = rng.randint(1, max(1, n - 1))
        sets = [set(rng.sample(range(1, n), rng.randint(0, n - 1))) for _ in range(3)]
        arguments = (*(np.array(sorted(s), dtype=np.int64) for s in sets), n, k, EDGE_CODES[edges])
        expected = [[*held, number] for held, number in sorted(counted_windows(sets, n, k, edges).items())]
        for rows in (python.window_kinds(*arguments), native.window_kinds(*arguments)):
            assert rows.dtype == np.int64
            assert rows.tolist() == expected


def test_both_kernels_count_the_windows_of_a_very_long_document():
    rng = random.Random(8)
    n = 2**53
    for edges in EDGE_CODES.values():
        sets = [np.array(sorted(rng.sample(range(1, n), 500)), dtype=np.int64) for _ in range(3)]
        k = rng.randint(n // 100, n - 1)
        found = native.window_kinds(*sets, n, k, edges)
        assert found.tolist() == python.window_kinds(*sets, n, k, edges).tolist()
        assert found[:, 3].sum() == {PLAIN: n - k, PADDED: n + k, WRAP: n}[edges]


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("edges", EDGES)
def test_both_kernels_give_the_same_errors(kind, edges, monkeypatch):
    rng = random.Random(9)
    for _ in range(10):
        n_units = rng.choice([300, 10**12])
        sizes = (
            [rng.randint(1, 30) for _ in range(n_units)] if n_units == 300 and rng.random() < 0.5 else None
        )
        ref, hyp = (Hierarchy.from_ranks(random_ranks(rng, n_units, 100), n_units) for _ in range(2))
        found = []
        for module in (native, python):
            monkeypatch.setattr(kernel, "active", module)
            found.append(FUNCTIONS[kind](ref, hyp, edges=edges, unit_sizes=sizes).levels)
        assert found[0] == found[1]


# -------------------------------------------------------------------- many pairs at once

N_RANDOM = 25


def random_sample(rng: random.Random, longer_than: int) -> list[tuple[Hierarchy, Hierarchy, list[int]]]:
    """References, hypotheses and sizes of the units; some without boundaries, some of one unit."""
    sample = []
    for _ in range(N_RANDOM):
        n_units = rng.choice([n for n in (1, 2, 5, 12, 30, 54) if n > longer_than])
        pair = [Hierarchy.from_ranks(random_ranks(rng, n_units, 25), n_units) for _ in range(2)]
        sample.append((*pair, [rng.randint(1, 6) for _ in range(n_units)]))
    return sample


def given_sizes(sample: list[tuple[Hierarchy, Hierarchy, list[int]]]) -> UnitSizes:
    """The sizes, stored backwards, so that no document has the number of its pair."""
    stored = [sizes for _, _, sizes in reversed(sample)]
    offsets = np.cumsum([0, *map(len, stored)], dtype=np.int64)
    return UnitSizes(np.concatenate(stored), offsets, np.arange(len(sample) - 1, -1, -1, dtype=np.int64))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["EPk", "EWD"])
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize(("max_terms", "min_rows"), [(1, 1000), (100, 1), (2**17, 1)])
@pytest.mark.usefixtures("kernel_in_use")
def test_a_batch_equals_single_calls(kind, edges, max_terms, min_rows, monkeypatch):
    """To the last digit: no sum depends on what else is in the batch, or on how it is divided."""
    rng = random.Random(f"{kind} {edges} {max_terms}")
    k = rng.choice([None, None, 1, 4])
    sample = random_sample(rng, longer_than=k or 0)
    references, hypotheses, _ = zip(*sample, strict=True)
    parameters = {
        "edges": edges,
        "k": k,
        "k_from": rng.choice(["level", "all"]),
        "rounding": rng.choice(["half-even", "half-up", "half-down", "ceil", "floor"]),
        "k_min": rng.choice([1, 2, 5]),
    }
    metric = cs.METRICS[kind](**parameters)
    function = {"EPk": hierarchical_pk, "EWD": hierarchical_window_diff}[kind]
    singles = [metric(*pair) for pair in zip(references, hypotheses, strict=True)]
    sized = [function(*pair, **parameters, unit_sizes=sizes).score for *pair, sizes in sample]
    monkeypatch.setattr("caesura.metrics.hierarchical.MAX_TERMS", max_terms)
    monkeypatch.setattr("caesura.metrics.hierarchical.MIN_ROWS", min_rows)
    assert metric.batch(references, hypotheses).rows.tolist() == [list(score.counts) for score in singles]
    every = np.arange(N_RANDOM)
    sides = (Columns.of([*map(Hierarchy.to_segmentation, side)]) for side in (references, hypotheses[::-1]))
    by_size = metric.over(PackedPairs(*sides, every, every[::-1].copy()), given_sizes(sample))
    assert by_size.rows.tolist() == [list(score.counts) for score in sized]


@pytest.mark.parametrize("edges", EDGES)
def test_a_batch_of_very_long_documents_equals_single_calls(edges, monkeypatch):
    rng = random.Random(14)
    sides = [[Hierarchy.from_ranks(random_ranks(rng, 2**53, 20), 2**53) for _ in range(20)] for _ in range(2)]
    singles = [EWD(edges=edges)(*pair).counts for pair in zip(*sides, strict=True)]
    monkeypatch.setattr("caesura.metrics.hierarchical.MIN_ROWS", 1)
    assert EWD(edges=edges).batch(*sides).rows.tolist() == [list(counts) for counts in singles]


@given(sample=st.lists(own.pairs(), max_size=6), kind=st.sampled_from(["EPk", "EWD"]))
def test_packed_segmentations_are_compared_as_single_ones(sample, kind):
    """Types are ranks; where several stand at one position, the most prominent counts."""
    metric = cs.metric(kind)
    pairs = PackedPairs.of([one for one, _ in sample], [other for _, other in sample])
    expected = [metric(*map(Hierarchy.from_segmentation, pair)).counts for pair in sample]
    assert metric.over(pairs).rows.tolist() == [list(counts) for counts in expected]


def test_a_type_that_is_no_rank_is_refused_in_a_batch():
    wrong = Segmentation.from_positions([2, 3], n_units=5, types=[1, 0])
    for refused in (
        lambda: EWD().batch([[5], wrong], [[5], [5]]),
        lambda: EWD().over(PackedPairs.of([wrong], [wrong])),
    ):
        with pytest.raises(SegmentationError, match="type at position 3 is 0"):
            refused()


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([[1] * 5, [1] * 4], "pair 1: 4 unit_sizes but 6 units"),
        ([[1] * 5, [1, 1, 1, 1, 0, 1]], r"document 1: unit_sizes\[4\] is 0"),
        ([[1] * 5, [2**52, 2**52, 1, 1, 1, 1]], r"more than 2\*\*53"),
        ([[1] * 5, [2**62] * 6], r"more than 2\*\*53"),
        ([[1] * 5, [2**62] * 4 + [1] * 2], r"more than 2\*\*53"),
    ],
)
def test_wrong_sizes_of_many_documents_are_named(sizes, message):
    documents = [Segmentation.from_masses([5]), Segmentation.from_masses([2, 4])]
    offsets = np.cumsum([0, *map(len, sizes)])
    with pytest.raises(ParameterError, match=message):
        EPk().over(
            PackedPairs.of(documents, documents), UnitSizes(np.concatenate(sizes), offsets, np.arange(2))
        )


def sets_of_level(
    ref: dict[int, int], hyp: dict[int, int], rank: int, place: dict[int, int]
) -> list[set[int]]:
    """Reference, certain and tied boundaries by definition; none is tied where all of a rank are needed."""
    chosen = {place[p] for p in ref if ref[p] <= rank}
    prominence = {place[p]: hyp.get(p, math.inf) for p in place}
    order = sorted(prominence, key=prominence.__getitem__)
    cut = prominence[order[len(chosen) - 1]] if chosen else 0
    up_to = {p for p in prominence if prominence[p] <= cut}
    if len(up_to) == len(chosen):
        return [chosen, up_to, set()]
    certain = {p for p in prominence if prominence[p] < cut}
    return [chosen, certain, up_to - certain]


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("with_sizes", [False, True])
@pytest.mark.parametrize("name", ["native", "python"])
def test_the_windows_of_all_levels_are_counted_by_what_they_hold(edges, with_sizes, name):
    module = {"native": native, "python": python}[name]
    rng = random.Random(12)
    n_units = [rng.choice([1, 2, 4, 9, 25]) for _ in range(60)]
    sides = [[random_ranks(rng, n, 20) for n in n_units] for _ in range(2)]
    pairs = PackedPairs.of(
        *(
            [Hierarchy.from_ranks(ranks, n).to_segmentation() for ranks, n in zip(side, n_units, strict=True)]
            for side in sides
        )
    )
    sizes = [[rng.randint(1, 4) if with_sizes else 1 for _ in range(n)] for n in n_units]
    ends = np.concatenate([np.cumsum(each) for each in sizes])
    levels = [(i, rank) for i, ref in enumerate(sides[0]) for rank in sorted(set(ref.values())) or [1]]
    ks = [rng.randint(1, max(1, sum(sizes[i]) - 1)) for i, _ in levels]
    atoms = (ends, np.cumsum(n_units) - n_units) if with_sizes else ()
    arguments = (
        *pairs.typed_sides,
        Units(pairs.n_units, *atoms),
        Levels(np.array([i for i, _ in levels]), np.array([rank for _, rank in levels]), np.array(ks)),
    )
    start, n_calls = 0, 0
    while start < len(levels):
        made, kinds = module.level_kinds_many(*arguments, start, 50, EDGE_CODES[edges])
        assert made.dtype == kinds.dtype == np.int64
        assert len(kinds) == made[:, 2].sum()
        assert len(kinds) - made[-1, 2] < 50 <= len(kinds) or start + len(made) == len(levels)
        for (i, rank), k, (n_tied, needed, n_kinds) in zip(levels[start:], ks[start:], made.tolist()):  # noqa: B905
            rows, kinds = kinds[:n_kinds].tolist(), kinds[n_kinds:]
            place = {p: sum(sizes[i][:p]) for p in range(1, n_units[i])}
            sets = sets_of_level(sides[0][i], sides[1][i], rank, place)
            found = Counter()
            for r, c, low, high, number in rows:
                assert low == high or number == high - low + 1
                for m in range(low, high + 1):
                    found[r, c, m] += number if low == high else 1
            assert found == counted_windows(sets, sum(sizes[i]), k, edges)
            assert n_tied == len(sets[2])
            assert needed == (len(sets[0]) - len(sets[1]) if sets[2] else 0)
        start += len(made)
        n_calls += 1
    assert n_calls > 3


@pytest.mark.exhaustive
def test_more_boundaries_than_the_compiled_kernel_packs_go_to_the_other(monkeypatch):
    n_units = 2**21
    many = Segmentation.from_positions(np.arange(1, n_units, 2)[: 2**20], n_units)
    few = Segmentation.from_positions([3, 2**20], n_units)
    references, hypotheses = [few, many, few], [few, few, few]
    found = []
    for module in (native, python):
        monkeypatch.setattr(kernel, "active", module)
        found.append(EWD(k=5).batch(references, hypotheses).rows.tolist())
    assert found[0] == found[1]
    assert found[0][0] == found[0][2] == [0, 2]
    assert found[0][1][0] > 0


def test_chunks_of_many_levels_keep_memory_small(monkeypatch):
    limit, n_units = 50, 2000
    monkeypatch.setattr("caesura.metrics.hierarchical.MAX_TERMS", limit)
    rows = []

    class Watched:
        def __getattr__(self, name: str):
            function = getattr(python, name)

            def watched(*arguments):
                result = function(*arguments)
                rows.append(len(result[1]))
                return result

            return watched if name == "level_kinds_many" else function

    monkeypatch.setattr(kernel, "active", Watched())
    rng = random.Random(13)
    positions = rng.sample(range(1, n_units), 100)
    hierarchy = Hierarchy.from_ranks({p: rank for rank, p in enumerate(positions, 1)}, n_units)
    assert EPk()(hierarchy, hierarchy) == 0
    assert len(rows) > 5
    assert max(rows) < 2 * limit


# -------------------------------------------------------------------- what follows from the definition


@pytest.mark.parametrize("edges", EDGES)
def test_one_level_with_as_many_boundaries_is_the_linear_metric(edges):
    rng = random.Random(2)
    for _ in range(50):
        n_units = rng.randint(2, 60)
        n = rng.randint(0, n_units - 1)
        ref, hyp = (
            Segmentation.from_positions(sorted(rng.sample(range(1, n_units), n)), n_units) for _ in range(2)
        )
        assert hierarchical_pk(ref, hyp, edges=edges).value == pytest.approx(
            cs.pk(ref, hyp, edges=edges), abs=1e-15
        )
        assert hierarchical_window_diff(ref, hyp, edges=edges).value == pytest.approx(
            cs.window_diff(ref, hyp, edges=edges), abs=1e-15
        )


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("function", FUNCTIONS.values())
def test_the_reference_itself_has_no_error_and_relabelled_ranks_change_nothing(function, edges):
    rng = random.Random(3)
    for _ in range(30):
        n_units = rng.randint(2, 40)
        ref, hyp = random_ranks(rng, n_units, 20), random_ranks(rng, n_units, 20)

        def relabelled(ranks: dict[int, int], n_units: int = n_units) -> Hierarchy:
            return Hierarchy.from_ranks({p: 3 * r**2 + 7 for p, r in ranks.items()}, n_units)

        one, two = Hierarchy.from_ranks(ref, n_units), Hierarchy.from_ranks(hyp, n_units)
        assert function(one, one, edges=edges).value == 0.0
        assert function(one, relabelled(ref), edges=edges).value == 0.0
        value = function(one, two, edges=edges).value
        assert function(relabelled(ref), two, edges=edges).value == value
        assert function(one, relabelled(hyp), edges=edges).value == value
        assert function(one.normalized(), two.normalized(), edges=edges).value == value
        assert function(one.to_segmentation(), two.to_segmentation(), edges=edges).value == value
        assert 0 <= value <= 1


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_an_unmarked_hypothesis_scores_near_one_half(kind):
    """L random boundaries, wrapped windows that cover a share p = 1 / (2 (L + 1)): r and h are independent
    and binomial(L, p), so that P(r ≠ h) and P((r > 0) ≠ (h > 0)) are known. Published for NONE,
    on other documents: E_Pk 46.1 % (C10 §3.2), E_WD "at chance (50%)" (§4.2).
    """
    n_units, n_boundaries = 10**9, 100
    expected = []
    for level in range(1, n_boundaries + 1):
        p = 1 / (2 * (level + 1))
        chances = [math.comb(level, x) * p**x * (1 - p) ** (level - x) for x in range(level + 1)]
        same = sum(chance**2 for chance in chances)
        expected.append(1 - same if kind == "wd" else 2 * chances[0] * (1 - chances[0]))
    rng = random.Random(10)
    found = []
    for _ in range(40):
        positions = rng.sample(range(1, n_units), n_boundaries)
        reference = Hierarchy.from_ranks({p: rank for rank, p in enumerate(positions, 1)}, n_units)
        found.append(FUNCTIONS[kind](reference, Hierarchy.from_ranks({}, n_units), edges="wrap").value)
    standard_error = statistics.stdev(found) / math.sqrt(len(found))
    assert statistics.mean(found) == pytest.approx(statistics.mean(expected), abs=4 * standard_error)
    assert standard_error < 0.005
    assert all(0.4 < value < 0.6 for value in found)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("function", FUNCTIONS.values())
def test_no_reference_boundary_and_one_unit_are_no_error(function, edges):
    for reference, hypothesis in [([11], [2, 3, 6]), ([11], [11]), ([1], [1])]:
        result = function(reference, hypothesis, edges=edges)
        assert result.value == 0.0
        assert [(level.boundaries, level.value) for level in result.levels] == [(0, 0.0)]


def test_less_prominent_boundaries_that_the_reference_lacks_are_free():
    reference = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    finer = Hierarchy.from_ranks({5: 1, 2: 2, 7: 3, 8: 3, 9: 4}, n_units=11)
    assert hierarchical_window_diff(reference, finer).value == 0.0
    assert hierarchical_window_diff(reference, finer.level(3)).value > 0.0


def test_levels_say_what_was_compared():
    reference = Hierarchy.from_ranks({5: 10, 2: 20, 9: 20}, n_units=11)
    result = hierarchical_pk(reference, Hierarchy.from_ranks({5: 1, 6: 2}, n_units=11))
    first, second = result.levels
    assert (first.rank, first.weight, first.boundaries, first.k, first.value) == (10, 1, 1, 3, 0.0)
    assert (second.rank, second.weight, second.boundaries, second.k) == (20, 2, 3, 2)
    assert (second.tied, second.needed) == (8, 1)
    assert result.value == pytest.approx((first.value + 2 * second.value) / 3)
    assert float(result) == result.value
    assert json.loads(json.dumps(result.to_dict()))["levels"][1]["value"] == second.value
    assert result.signature.startswith("EPk|k=auto|rounding=half-even|k_min=2|edges=plain|k_from=level|")
    assert [level.k for level in hierarchical_pk(reference, [11], k_from="all").levels] == [2, 2]
    assert [level.k for level in hierarchical_pk(reference, [11], k=4).levels] == [4, 4]


def test_metric_objects_agree_with_the_functions():
    ref, hyp = Hierarchy.from_nested([[2, 3], [6, [1, 3]]]), [5, 10]
    assert EPk(edges="wrap")(ref, hyp) == hierarchical_pk(ref, hyp, edges="wrap").value
    assert EWD(k=3)(ref, hyp) == hierarchical_window_diff(ref, hyp, k=3).value
    assert repr(EWD(k=3, k_from="all")) == "EWD(k=3, k_from='all')"
    scores = EPk().batch([ref, [15]], [hyp, [15]])
    assert scores.values.tolist() == [hierarchical_pk(ref, hyp).value, 0.0]
    assert scores.micro == EPk()(ref, hyp) + EPk()([15], [15])
    assert EPk()(ref.to_segmentation(), hyp) == EPk()(ref, hyp)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"unit_sizes": [1, 2]}, "2 unit_sizes but 11 units"),
        ({"unit_sizes": [1] * 10 + [0]}, r"unit_sizes\[10\] is 0"),
        ({"k": 0}, "k is 0"),
        ({"edges": "wrapped"}, "did you mean 'wrap'"),
        ({"k_from": "levels"}, "did you mean 'level'"),
    ],
)
def test_wrong_parameters_are_named(keywords, message):
    with pytest.raises(ParameterError, match=message):
        hierarchical_pk([5, 6], [5, 6], **keywords)


# -------------------------------------------------------------------- unit sizes are part of the signature

WORDS = [12, 7, 30, 5, 9, 14, 3, 21, 8, 11, 6]


@pytest.mark.parametrize(("kind", "function"), [("EPk", hierarchical_pk), ("EWD", hierarchical_window_diff)])
def test_metrics_take_unit_sizes(kind, function):
    ref, hyp = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11), [4, 7]
    metric = cs.METRICS[kind](edges="wrap", unit_sizes=WORDS)
    found = function(ref, hyp, edges="wrap", unit_sizes=np.array(WORDS))
    assert found.score.metric == metric == cs.metric(repr(metric))
    assert metric(ref, hyp) == found.value
    assert metric.unit_sizes == tuple(WORDS)
    assert metric.batch([ref, ref], [hyp, ref]).values.tolist() == [found.value, 0.0]
    pairs = PackedPairs.of([ref.to_segmentation()], [Segmentation.from_masses(hyp)])
    assert metric.over(pairs).values.tolist() == [found.value]
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(metric) == hash(cs.metric(repr(metric)))


def test_scores_over_different_unit_sizes_neither_pool_nor_have_one_signature():
    others = [None, [1] * 11, WORDS, WORDS[::-1], [sum(WORDS) - 10] + [1] * 10]
    scores = [hierarchical_pk([5, 6], [4, 7], unit_sizes=sizes).score for sizes in others]
    assert len({score.signature for score in scores}) == len(others)
    for one, other in combinations(scores, 2):
        with pytest.raises(ParameterError, match="signatures differ") as caught:
            one + other
        assert len(str(caught.value)) < 500
    again = hierarchical_pk([5, 6], [2, 9], unit_sizes=tuple(WORDS)).score
    assert (scores[2] + again).n_pairs == 2
    total = f"unit_sizes=11 units, {sum(WORDS)} in all, sha256 "
    assert total in scores[2].signature
    assert "|unit_sizes=auto|" in scores[0].signature


def test_many_unit_sizes_are_described_but_for_repr():
    sizes = tuple(1 + i % 40 for i in range(5000))
    metric = EWD(k=9, unit_sizes=sizes)
    assert cs.metric(repr(metric)) == metric
    words = Segmentation.from_masses([2500, 2500])
    for text in (str(metric), metric.settings, repr(metric(words, [5000])), metric(words, [5000]).signature):
        assert f"5,000 units, {sum(sizes):,} in all, sha256 " in text
        assert len(text) < 200
    assert str(metric).startswith("EWD(k=9, unit_sizes=<5,000 units")
    assert str(EWD(unit_sizes=sizes)).startswith("EWD(unit_sizes=<5,000 units")
    assert str(EWD(unit_sizes=(1, 2))) == repr(EWD(unit_sizes=(1, 2))) == "EWD(unit_sizes=(1, 2))"


def test_documents_with_sizes_of_their_own_have_a_signature_of_their_own():
    sample = random_sample(random.Random(15), longer_than=0)
    pairs = PackedPairs.of(*([triple[side].to_segmentation() for triple in sample] for side in (0, 1)))
    sizes = given_sizes(sample)
    hook, plain = EPk().over(pairs, sizes), EPk().over(pairs)
    assert hook.metric != plain.metric == EPk()
    assert cs.metric(repr(hook.metric)) == hook.metric
    n_units = sum(len(triple[2]) for triple in sample)
    total = sum(sum(triple[2]) for triple in sample)
    described = f"|unit_sizes={len(sample)} documents, {n_units} units, {total:,} in all, sha256 "
    assert described in hook.micro.signature
    with pytest.raises(ParameterError, match="signatures differ"):
        hook.micro + plain.micro
    doubled = EPk().over(pairs, sizes._replace(sizes=sizes.sizes * 2))
    assert doubled.metric != hook.metric
    # A metric that only describes the sizes takes these, and no others.
    assert hook.metric.over(pairs, sizes).rows.tolist() == hook.rows.tolist()
    for refused in (
        lambda: doubled.metric.over(pairs, sizes),
        lambda: EPk(unit_sizes=(1, 2)).over(pairs, sizes),
    ):
        with pytest.raises(ParameterError, match="other unit_sizes"):
            refused()
    with pytest.raises(ParameterError, match="give them with the documents"):
        hook.metric([5, 6], [5, 6])


def test_a_batch_names_the_pair_that_the_unit_sizes_do_not_fit():
    with pytest.raises(ParameterError, match="pair 1: 2 unit_sizes but 3 units"):
        EPk(unit_sizes=(4, 4)).batch([[2], [3]], [[2], [3]])
    with pytest.raises(ParameterError, match=r"^2 unit_sizes but 3 units"):
        EPk(unit_sizes=(4, 4))([3], [3])


def test_documents_of_different_lengths_are_refused():
    with pytest.raises(ComparisonError, match="11 units and the hypothesis 12"):
        hierarchical_pk([5, 6], [5, 7])
    with pytest.raises(ComparisonError, match="pair 1: "):
        EPk().batch([[5, 6], [5, 6]], [[5, 6], [5, 7]])


# -------------------------------------------------------------------- Hierarchy


def test_the_constructors_agree():
    expected = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    assert Hierarchy.from_levels([[5, 6], [2, 3, 6]]) == expected
    assert Hierarchy.from_levels([Segmentation.from_masses([5, 6]), "0100100000"]) == expected
    assert Hierarchy.from_nested([[2, 3], [6]]) == expected
    assert Hierarchy.from_nested(((2, 3), 6)) == expected
    assert Hierarchy.from_segmentation(expected.to_segmentation()) == expected
    assert expected.positions == (2, 5)
    assert expected.ranks == (2, 1)
    assert expected.n_levels == 2
    assert [expected.level(number).masses for number in (1, 2)] == [(5, 6), (2, 3, 6)]
    assert Hierarchy.from_ranks({}, n_units=3).n_levels == 0
    assert Hierarchy.from_nested([[[4]]]) == Hierarchy.from_levels([[4]]) == Hierarchy.from_ranks({}, 4)


def test_it_is_a_value():
    one, two = Hierarchy.from_ranks({5: 1, 2: 3}, n_units=11), Hierarchy.from_ranks({2: 3, 5: 1}, n_units=11)
    assert one == two
    assert hash(one) == hash(two)
    assert one != Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11) == one.normalized()
    assert one != Hierarchy.from_ranks({5: 1, 2: 3}, n_units=12)
    assert pickle.loads(pickle.dumps(one)) == one
    assert eval(repr(one)) == one
    assert "50 boundaries on 5 levels" in repr(Hierarchy.from_ranks({p: p % 5 + 1 for p in range(1, 51)}, 99))
    with pytest.raises(AttributeError):
        one.n_units = 3
    with pytest.raises(ValueError, match="read-only"):
        one.rank_array[0] = 2
    with pytest.raises(TypeError, match="from_ranks"):
        Hierarchy({5: 1})


def test_levels_that_do_not_nest_are_united_with_a_notice():
    with pytest.warns(UserWarning, match=r"levels\[1\] lacks .* 5 \(levels\[0\]\).* united"):
        united = Hierarchy.from_levels([[5, 6], [2, 9]])
    assert united == Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)


def test_deep_nesting_is_read_up_to_a_limit():
    nested: list[object] = [1, 1]
    for _ in range(900):
        nested = [nested, 1]
    assert Hierarchy.from_nested(nested).ranks == tuple(range(901, 0, -1))
    for _ in range(100_000):
        nested = [nested, 1]
    with pytest.raises(SegmentationError, match="over 1000 levels"):
        Hierarchy.from_nested(nested)
    endless: list[object] = [1]
    endless.append(endless)
    with pytest.raises(SegmentationError, match="holds itself"):
        Hierarchy.from_nested(endless)
    while nested:  # taken apart one by one, as deleting it at once recurses
        nested = nested[0] if isinstance(nested[0], list) else []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hierarchy.from_ranks([5, 2], 11), "expected {position: rank}"),
        (lambda: Hierarchy.from_ranks({"5": 1}, 11), "JSON"),
        (lambda: Hierarchy.from_ranks({11: 1}, 11), r"ranks\[11\] is 1: the document's edges .* 1 to 10"),
        (lambda: Hierarchy.from_ranks({5: 0}, 11), r"ranks\[5\] is 0: .* add 1"),
        (lambda: Hierarchy.from_ranks({5: "top"}, 11), r"ranks\[0\] is 'top'"),
        (lambda: Hierarchy.from_ranks({5: 1.5}, 11), r"ranks\[0\] is 1.5"),
        (lambda: Hierarchy.from_ranks({1: 1}, 1), "no position is possible"),
        (lambda: Hierarchy.from_ranks({}, 0), "at least one unit"),
        (lambda: Hierarchy.from_levels([]), "empty"),
        (lambda: Hierarchy.from_levels([2, 3, 6]), r"levels\[0\] is 2: expected a Segmentation"),
        (lambda: Hierarchy.from_levels(Segmentation.from_masses([2, 3])), "one Segmentation"),
        (lambda: Hierarchy.from_levels([[5, 6], [2, 3, 7]]), r"levels\[1\] has 12 units, not 11"),
        (lambda: Hierarchy.from_levels([[5, 6], [2, 0, 9]]), r"levels\[1\]: masses\[1\] is 0"),
        (lambda: Hierarchy.from_nested([[2, 3], []]), r"nested\[1\] is empty"),
        (lambda: Hierarchy.from_nested([]), "nested is empty"),
        (lambda: Hierarchy.from_nested([[2, 0], [6]]), r"nested\[0\]\[1\] is 0"),
        (lambda: Hierarchy.from_nested([[2, "a"], [6]]), r"nested\[0\]\[1\] is 'a'"),
        (lambda: Hierarchy.from_nested([[2, None], [6]]), r"nested\[0\]\[1\] is None"),
        (lambda: Hierarchy.from_nested("0100"), "nested is '0100'"),
        (lambda: Hierarchy.from_nested(7), "nested is 7"),
        (
            lambda: Hierarchy.from_segmentation(Segmentation.from_positions([2], n_units=5, types=[0])),
            "type at position 2 is 0",
        ),
        (lambda: Hierarchy.from_ranks({5: 1}, 11).level(2), "level is 2: a level is from 1 to 1"),
        (lambda: Hierarchy.from_ranks({}, 11).level(1), "there are none"),
    ],
)
def test_errors_name_index_value_and_fix(make, message):
    with pytest.raises((SegmentationError, ParameterError), match=message):
        make()
