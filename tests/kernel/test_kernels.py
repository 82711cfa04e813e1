"""The compiled kernels, the Python kernels and the batch entry points give the same, exceptions included.

Source of truth: kernel/python.py is the readable definition (its own correctness is tested in properties/
and papers/); here every other way to the same number must equal it.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loops import each
from tests.properties import strategies as own

import caesura as cs
import caesura.kernel
from caesura import Segmentation
from caesura.alignment.packed import PackedPairs
from caesura.kernel import python
from caesura.values.columns import Columns


def native_module() -> ModuleType:
    return importlib.import_module("caesura.kernel.native")


PYTHON_ONLY = {"first_and_last", "window_runs"}
"""What lists single windows, which the compiled kernel only counts."""


def public_functions(module: ModuleType) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and name not in PYTHON_ONLY
        and (inspect.isroutine(value) or type(value).__name__ == "cython_function_or_method")
        and getattr(value, "__module__", None) == module.__name__
    }


# -------------------------------------------------------------------- the module itself


def test_the_compiled_module_is_built():
    """Fails, rather than skips, where it is missing: otherwise nothing here would test it."""
    module = native_module()
    assert module.NAME == "native"
    assert module.__file__.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def test_the_compiled_module_has_the_same_functions():
    assert public_functions(native_module()) == public_functions(python)


@pytest.mark.parametrize("name", sorted(public_functions(python)))
def test_every_kernel_function_is_compared(name):
    assert name.removesuffix("_many") in COMPARED


@pytest.mark.parametrize(("setting", "chosen"), [("python", "python"), ("native", "native"), ("", "native")])
def test_the_environment_chooses_the_kernel(setting, chosen):
    done = run_python("import caesura.kernel; print(caesura.kernel.active.NAME)", CAESURA_KERNEL=setting)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, chosen, "")


def test_without_the_environment_variable_the_compiled_kernel_is_used():
    done = run_python("import caesura.kernel; print(caesura.kernel.active.NAME)")
    assert done.stdout.strip() == "native"


def test_an_unknown_kernel_is_refused():
    done = run_python("import caesura; caesura.pk", CAESURA_KERNEL="nonsense")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "ParameterError" in last
    assert "'nonsense'" in last
    assert "'python' or 'native'" in last


def test_the_python_kernel_gives_the_documented_number():
    code = "import caesura as cs; print(float(cs.boundary_similarity([2, 3, 6], [2, 2, 7])))"
    assert run_python(code, CAESURA_KERNEL="python").stdout.strip() == "0.75"


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "CAESURA_KERNEL"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


# -------------------------------------------------------------------- single calls

plain_or_sparse = st.one_of(own.plain_pairs(40), own.sparse_pairs(2**40))


def assert_equal_results(name: str, *arguments: object) -> None:
    expected = getattr(python, name)(*arguments)
    found = getattr(native_module(), name)(*arguments)
    if isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-12)  # some processors fuse multiplication and addition
    else:
        assert found == expected
    assert type(found) is type(expected)


def arrays(pair: tuple[Segmentation, Segmentation]) -> tuple[np.ndarray, np.ndarray]:
    return pair[0].position_array, pair[1].position_array


@given(
    pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()),
    n_t=st.one_of(st.integers(1, 8), st.integers(60, 70), st.sampled_from([10**6, 10**12, 2**62])),
    optimal=st.booleans(),
)
def test_edit_counts(pair, n_t, optimal):
    assert_equal_results("edit_counts", *arrays(pair), n_t, optimal)


@given(pair=plain_or_sparse, k=st.integers(1, 2**40), edges=st.sampled_from([0, 1, 2]))
def test_window_counts(pair, k, edges):
    n_units = pair[0].n_units
    assert_equal_results("window_counts", *arrays(pair), n_units, 1 + k % max(1, n_units - 1), edges)


@given(pair=plain_or_sparse, k=st.integers(1, 2**40), edges=st.sampled_from([0, 1, 2]))
def test_window_kinds(pair, k, edges):
    n_units = pair[0].n_units
    ref, hyp = arrays(pair)
    certain, tied = hyp[::2].copy(), hyp[1::2].copy()
    arguments = (ref, certain, tied, n_units, 1 + k % max(1, n_units - 1), edges)
    assert python.window_kinds(*arguments).tolist() == native_module().window_kinds(*arguments).tolist()


@given(
    pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()),
    tolerance=st.one_of(st.integers(0, 6), st.sampled_from([100, 10**12, 2**62])),
)
def test_matched_within(pair, tolerance):
    assert_equal_results("matched_within", *arrays(pair), tolerance)


@given(pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()))
def test_largest_overlaps(pair):
    assert_equal_results("largest_overlaps", *arrays(pair), pair[0].n_units)


@given(pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()))
def test_nearest_distances(pair):
    assert_equal_results("nearest_distances", *arrays(pair))


costs = st.floats(0, 10, allow_subnormal=False)


@given(pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()), insertion=costs, deletion=costs, shift=costs)
def test_generalized_hamming(pair, insertion, deletion, shift):
    assert_equal_results("generalized_hamming", *arrays(pair), insertion, deletion, shift)


COMPARED = {
    "edit_counts",
    "transposition_spans",  # this and the next two in test_edit_kernels.py, as are batches of edit_counts
    "typed_edit_counts",
    "typed_edit_sweep",
    "window_counts",
    "window_kinds",
    "level_kinds",  # in test_hierarchy.py
    "mult_window_counts",  # in test_window_kernels.py
    "matched_within",
    "largest_overlaps",
    "nearest_distances",
    "generalized_hamming",
    "p_mu",  # in test_window_kernels.py
}


def test_all_pairs_of_a_short_document():
    """Exhaustive: 6 units, every pair, every n_t that differs."""
    every = [np.array([p for p in range(1, 6) if mask >> p - 1 & 1], dtype=np.int64) for mask in range(2**5)]
    native = native_module()
    for a in every:
        for b in every:
            for n_t in (1, 2, 3, 4, 5, 6):
                for optimal in (False, True):
                    expected = python.edit_counts(a, b, n_t, optimal)
                    assert native.edit_counts(a, b, n_t, optimal) == expected, (a, b, n_t, optimal)


# -------------------------------------------------------------------- many pairs at once

samples = st.lists(plain_or_sparse, max_size=8)


def packed(sample: list[tuple[Segmentation, Segmentation]]) -> tuple[np.ndarray, ...]:
    segmentations = [segmentation for pair in sample for segmentation in pair]
    indices = range(0, len(segmentations), 2)
    codings = Columns.of(segmentations)
    first, second = np.array(indices), np.array(indices) + 1
    return codings.positions, codings.offsets, first, second, codings.n_units[first]


def test_pairs_may_share_segmentations_and_come_in_any_order(kernel_module):
    one, two, three = (Segmentation.from_masses(masses) for masses in ([2, 3, 6], [2, 2, 7], [11]))
    first, second = [2, 0, 0, 1], [1, 0, 1, 0]
    pairs = PackedPairs.among(Columns.of([one, two, three]), first, second)
    all_three = (one, two, three)
    expected = [
        python.edit_counts(all_three[i].position_array, all_three[j].position_array, 3, False)
        for i, j in zip(first, second, strict=True)
    ]
    assert [tuple(row) for row in kernel_module.edit_counts_many(*pairs.sides, 3, False).tolist()] == expected


@pytest.mark.exhaustive
def test_threads_can_share_packed_pairs(kernel_module):
    rng = np.random.default_rng(1)
    segmentations = [
        Segmentation.from_positions(np.flatnonzero(rng.random(199) < 0.2) + 1, 200) for _ in range(25)
    ]
    first, second = (grid.ravel() for grid in np.meshgrid(np.arange(25), np.arange(25)))
    pairs = PackedPairs.among(Columns.of(segmentations), first, second)
    k = np.full(len(first), 7)
    tasks = [
        lambda: kernel_module.edit_counts_many(*pairs.sides, 2, False),
        lambda: kernel_module.edit_counts_many(*pairs.sides, 5, False),
        lambda: kernel_module.edit_counts_many(*pairs.sides, 5, True),
        lambda: pairs.window_counts(k, 2),
        lambda: kernel_module.matched_within_many(*pairs.sides, 2),
        lambda: kernel_module.largest_overlaps_many(*pairs.sides, pairs.n_units),
    ]
    alone = [task() for task in tasks]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda task: task(), tasks * 2))
    for expected, found in zip(alone * 2, together, strict=True):
        np.testing.assert_array_equal(found, expected)


# -------------------------------------------------------------------- metrics: single and batch, both kernels

SPECS = [
    *cs.METRICS,
    "B(n_t=4)",
    "B(n_t=4, method='optimal')",
    "B(n_t=100)",
    "B(n_t=100, method='optimal')",
    "B(transposition='equation', w0=0.1, n_t=600)",  # weights with a scale beyond the batch limit
    "Ba(transposition='constant')",
    "Ba(transposition=0.3, substitution='1/3')",
    "B(n_t=4, transposition={1: 0.2, 2: 0.9, 3: 0.1})",
    "Bc(n_t=4, transposition={1: 0.2, 2: 0.9, 3: '1/3'}, method='optimal')",
    "BF(n_t=2, transposition={1: 0.2}, substitution={1: 0.25, 2: 0, 3: 1, 4: 0.5})",
    "Bc(n_t=3, substitution='constant')",
    "S(types=(1, 2, 3, 4, 5))",
    "BF(credit_substitutions=True, n_t=3, beta=0.5)",
    "P(tolerance=3)",
    "F(tolerance=1, beta=2.0)",
    "Pk(edges='wrap')",
    "PkPrime(k=5, edges='padded')",
    "WD(weighted=True, rounding='ceil')",
    "WD(k_min=1, rounding='floor')",
    "WD(rounding='half-up')",
    "WD(rounding='half-down')",
    "WinF(k=3, beta=3.0)",
    "Pmu(mu=0.2)",
    "Pmu(mu=1e-9)",
    "MultWD(k=4)",
    "EPk(edges='padded', k_from='all')",
    "EWD(edges='wrap', rounding='ceil')",
    "EWD(k=3)",
    "GHD(insertion=1.0, deletion=1.5, shift=0.25)",
]

LONG = 10**15
PLAIN_DOCUMENTS = [
    ([1], [1]),
    ([5], [5]),
    ([5], [1, 1, 1, 1, 1]),
    ([1, 1, 1, 1, 1], [5]),
    ([2, 3, 6], [2, 2, 7]),
    ([2, 3, 6], [11]),
    ([11], [2, 2, 7]),
    ([1, 1], [2]),
    ([70, 30, 100], [100, 100]),
    ([10**9, 10**12 - 10**9], [10**9 + 5, 10**12 - 10**9 - 5]),
]
LONG_DOCUMENTS = [
    *PLAIN_DOCUMENTS,
    ([LONG], [1, LONG - 1]),
    ([10, LONG - 10], [12, 10**6, LONG - 10**6 - 12]),
]
TYPED_DOCUMENTS = [
    *PLAIN_DOCUMENTS[:5],
    (Segmentation.from_sets([{1, 2}, set(), {3}]), Segmentation.from_sets([{2}, {1}, {5}])),
    (Segmentation.from_sets([set(), {1}, set(), {1}]), Segmentation.from_sets([set(), {2}, {1}, set()])),
    (Segmentation.from_sets([{2}, set()]), Segmentation.from_masses([1, 1, 1])),
]
CORPORA = {
    "plain": PLAIN_DOCUMENTS,
    "long": LONG_DOCUMENTS,
    "typed": TYPED_DOCUMENTS,
    "one": PLAIN_DOCUMENTS[:1],
}


def exact_rows(scores: list[cs.Score]) -> list[tuple[Fraction, ...]]:
    return [tuple(Fraction(count) / score.scale for count in score.counts) for score in scores]


@each("corpus", CORPORA)
@each("spec", SPECS)
def test_every_way_to_a_metric_gives_the_same(spec, corpus, monkeypatch):
    metric = cs.metric(spec)
    documents = [pair for pair in CORPORA[corpus] if own.has_window(metric, pair[0])]
    references, hypotheses = [one for one, _ in documents], [other for _, other in documents]
    ways = []
    for module in (python, native_module()):
        monkeypatch.setattr(caesura.kernel, "active", module)
        ways.append([metric(*pair) for pair in documents])
        batch = metric.batch(references, hypotheses)
        assert len(batch) == len(documents)
        ways.append([batch[i] for i in range(len(batch))])
        np.testing.assert_allclose(batch.values, [float(score) for score in ways[0]], rtol=1e-12, atol=0)
    for scores in ways[1:]:
        if all(isinstance(count, int) for score in ways[0] for count in score.counts):
            assert exact_rows(scores) == exact_rows(ways[0])
        for score, expected in zip(scores, ways[0], strict=True):
            assert float(score) == pytest.approx(float(expected), rel=1e-12, abs=0)


@given(sample=st.lists(own.pairs(), min_size=1, max_size=6), spec=st.sampled_from(SPECS))
def test_batch_equals_single_calls_on_random_documents(sample, spec, kernel_module):
    metric = cs.metric(spec)
    sample = [pair for pair in sample if own.has_window(metric, pair[0])]
    batch = metric.batch([one for one, _ in sample], [other for _, other in sample])
    assert batch.values.tolist() == pytest.approx([float(metric(*pair)) for pair in sample], rel=1e-12, abs=0)


def test_an_empty_batch_has_no_values(kernel_module):
    for name in cs.METRICS:
        batch = cs.metric(name).batch([], [])
        assert len(batch) == 0
        assert batch.values.tolist() == []


def test_the_batch_is_exact_beyond_64_bits():
    """2**63 < 10**4 × 10**15 < 2**64: beside small counts such numbers must not become floats."""
    metric = cs.metric("S(n_t=11, transposition='equation', w0=0.001)")
    documents = [([3, LONG - 3], [4, LONG - 4]), ([2, 3], [3, 2])]
    references, hypotheses = zip(*documents, strict=True)
    batch = metric.batch(references, hypotheses)
    singles = [metric(*pair) for pair in documents]
    assert exact_rows([batch.micro]) == exact_rows([singles[0] + singles[1]])
    # By SPEC §3 and §4: two transpositions over 1 of at most 10 positions, of 10**15 - 1 + 4 slots.
    slots = LONG - 1 + 4
    penalty = 2 * (Fraction("0.001") + Fraction(1, 10))
    assert exact_rows([batch.micro]) == [(slots - penalty, Fraction(slots))]


# -------------------------------------------------------------------- exceptions

TYPED = TYPED_DOCUMENTS[5]
REFUSED = {
    "lengths differ": ("B", [2, 3], [2, 4]),
    "lengths differ, windows": ("WD", [2, 3], [2, 4]),
    "lengths differ, rates": ("F(tolerance=1)", [2, 3], [2, 4]),
    "lengths differ, overlap": ("Purity", [2, 3], [2, 4]),
    "lengths differ, distances": ("BD", [2, 3], [2, 4]),
    "lengths differ, GHD": ("GHD", [2, 3], [2, 4]),
    "lengths differ, types": ("B", TYPED[0], [2, 1]),
    "not masses": ("B", [0, 1, 0], [3]),
    "not gaps": ("WD", "012", "000"),
    "undeclared type": ("B(types=(1, 2))", *TYPED),
    "undeclared plain type": ("S(types=(2, 3))", [2, 3], [2, 3]),
    "incomplete costs": ("B(substitution={(7, 8): 0.5})", *TYPED),
    "incomplete costs, optimal": ("B(substitution={(7, 8): 0.5}, method='optimal')", *TYPED),
}


def outcome(call) -> object:
    """The counts, or the exception's type and text without the number of the pair that batches add."""
    try:
        score = call()
    except Exception as error:
        return type(error), str(error).removeprefix("pair 0: ")
    return exact_rows([score])


def outcomes(
    spec: str, reference: object, hypothesis: object, monkeypatch: pytest.MonkeyPatch
) -> list[object]:
    found = []
    for module in (python, native_module()):
        monkeypatch.setattr(caesura.kernel, "active", module)
        found.append(outcome(lambda: cs.metric(spec)(reference, hypothesis)))
        found.append(outcome(lambda: cs.metric(spec).batch([reference], [hypothesis])[0]))
    return found


@pytest.mark.parametrize("case", REFUSED)
def test_every_way_to_a_metric_refuses_the_same(case, monkeypatch):
    found = outcomes(*REFUSED[case], monkeypatch)
    assert issubclass(found[0][0], cs.CaesuraError)
    assert found == [found[0]] * 4


@pytest.mark.parametrize(
    "spec",
    [
        "B(n_t={}, transposition='constant')",
        "B(n_t={}, transposition='constant', method='optimal')",
        "F(tolerance={})",
        "WD(k={})",
        "WinF(k={})",
    ],
)
@pytest.mark.parametrize("huge", [10**15, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**30])
def test_parameters_up_to_and_beyond_64_bits_reach_every_kernel_alike(spec, huge, monkeypatch):
    """More reach than any document is long (2**53) changes nothing, or is refused by all alike.

    A window that is longer than the document is always refused.
    """
    pair = [2, 3, 6], [5, 1, 5]
    found = outcomes(spec.format(huge), *pair, monkeypatch)
    assert found == [found[0]] * 4
    if (huge > 2**53 or "(k=" in spec) and isinstance(found[0], tuple):
        assert issubclass(found[0][0], cs.ParameterError)
    else:
        assert found[0] == exact_rows([cs.metric(spec.format(100))(*pair)])
