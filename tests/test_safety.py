"""Nothing explodes: many types, very long documents, very large n_t, tables that would not fit.

Source of truth: SPEC §1 (time and memory depend on the boundaries, never on N), §2 (k types at one position
must not cost k!) and the definitions, by which each result was worked out by hand. A case finishes in seconds
or is refused with a ParameterError; those that could hang run in a process of their own.
"""

import math
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import caesura as cs
from caesura import Segmentation
from caesura.metrics.classic import coverage, purity

N = 10**15


def run_alone(code: str, *, memory: int = 2 * 2**30, seconds: int = 20) -> str:
    """Run code in a fresh process that may neither hang nor take more memory than this; return its output."""
    limit = f"""
import sys
try:
    import resource
except ImportError:  # not on Windows
    pass
else:
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
import caesura as cs
from caesura import Segmentation
"""
    done = subprocess.run(
        [sys.executable, "-c", limit + code], capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


# -------------------------------------------------------------------- many types


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_forty_types_at_one_position(method):
    """Types 1..40 against 41..80: 40 substitutions of 40 / (79 + 1) each, however they are paired."""
    reference = Segmentation.from_sets([set(range(1, 41))])
    hypothesis = Segmentation.from_sets([set(range(41, 81))])
    alignment = cs.align(reference, hypothesis, method=method)
    assert (len(alignment.substitutions), len(alignment.additions)) == (40, 0)
    assert cs.boundary_similarity(reference, hypothesis, method=method) == 0.5


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_forty_against_fifteen_types_at_one_position(method):
    """Even types 2..80 against 1, 3, .. 29: each odd one has an even neighbor at a difference of 1."""
    reference = Segmentation.from_sets([set(range(2, 82, 2))])
    hypothesis = Segmentation.from_sets([set(range(1, 31, 2))])
    alignment = cs.align(reference, hypothesis, method=method)
    assert (len(alignment.substitutions), len(alignment.additions)) == (15, 25)
    assert {abs(e.reference_type - e.hypothesis_type) for e in alignment.substitutions} == {1}


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_forty_types_at_each_of_ten_positions(method):
    """Every type moved by one position, ten to eleven: near misses at n_t = 2 pair all of them."""
    types = set(range(1, 41))
    reference = Segmentation.from_sets([types, set()] * 10)
    hypothesis = Segmentation.from_sets([set(), types] * 10)
    alignment = cs.align(reference, hypothesis, method=method)
    assert len(alignment.transpositions) == alignment.distance == 400
    assert cs.boundary_similarity(reference, hypothesis, method=method) == 0.5


def test_a_confusion_matrix_of_forty_types():
    types = set(range(1, 41))
    matrix = cs.confusion_matrix(Segmentation.from_sets([types]), Segmentation.from_sets([types]))
    assert matrix.tp == 40
    assert matrix.f(average="macro") == 1


def test_types_far_apart_cost_no_memory():
    reference = Segmentation.from_sets([{-(2**52)}])
    hypothesis = Segmentation.from_sets([{2**52 - 1}])
    assert cs.boundary_similarity(reference, hypothesis) == 1 / 2**53
    assert cs.confusion_matrix(reference, hypothesis).fp == 1


# -------------------------------------------------------------------- very long documents


@pytest.mark.parametrize("name", cs.METRICS)
def test_every_metric_on_a_document_of_10_to_the_15_units(name):
    metric = cs.metric(name)
    pair = [10**9, N - 10**9], [10**9 + 1, N - 10**9 - 1]
    score = metric(*pair)
    assert metric.low <= score <= metric.high
    assert math.isfinite(score)
    assert metric.batch([pair[0]], [pair[1]])[0] == score


def test_exact_numbers_on_a_document_of_10_to_the_15_units():
    reference, hypothesis = [10**9, N - 10**9], [10**9 + 1, N - 10**9 - 1]
    assert cs.segmentation_similarity(reference, hypothesis).counts == (2 * (N - 1) - 1, 2 * (N - 1))
    # One unit is on the wrong side.
    assert purity(reference, hypothesis).counts == (N - 1, N)
    assert coverage(reference, hypothesis).counts == (N - 1, N)
    # Windows that hold exactly one of two neighboring positions: one at each end.
    assert cs.window_diff(reference, hypothesis, k=10).counts == (2, N - 10)
    # With k = N / 4 the window that ends between them would start before the document.
    assert cs.window_diff(reference, hypothesis).counts == (1, N - N // 4)
    assert cs.window_diff(reference, hypothesis, edges="padded", k=10).counts == (2, N + 10)
    assert cs.pk(reference, hypothesis, edges="wrap", k=10).counts == (2, N)
    assert cs.ghd(reference, hypothesis) == 1


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_several_types_on_a_document_of_10_to_the_15_units(method):
    reference = Segmentation.from_positions([5, 5, N - 2], N, types=[1, 2, 1])
    hypothesis = Segmentation.from_positions([5, 6, N - 1], N, types=[1, 2, 1])
    alignment = cs.align(reference, hypothesis, method=method)
    assert (len(alignment.matches), len(alignment.transpositions), alignment.distance) == (1, 2, 2)


# -------------------------------------------------------------------- very large n_t


def interleaved(n_boundaries: int, kind: int) -> tuple[Segmentation, Segmentation]:
    """Boundaries at 10, 20, .. against 11, 21, ..: all are near misses over 1."""
    places = [10 * i for i in range(1, n_boundaries + 1)]
    sides = (places, [place + 1 for place in places])
    one, other = (Segmentation.from_positions(side, N, types=[kind] * n_boundaries) for side in sides)
    return one, other


@pytest.mark.parametrize("method", ["greedy", "optimal"])
@pytest.mark.parametrize("kind", [1, 2], ids=["plain", "typed"])
def test_a_few_hundred_boundaries_at_an_n_t_of_10_to_the_9(kind, method):
    pair = interleaved(250, kind)
    alignment = cs.align(*pair, n_t=10**9, method=method)
    assert alignment.distance == len(alignment.transpositions) == 250
    assert {edit.distance for edit in alignment.transpositions} == {1}
    assert cs.boundary_similarity(*pair, n_t=10**9, method=method) == 1 - 1e-9


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [1, 2], ids=["plain", "typed"])
def test_an_optimal_alignment_of_one_type_is_near_linear_at_any_n_t(kind):
    """Every boundary is in reach of every other: a table of candidates would have 4 × 10**8 cells."""
    code = f"""
places = range(10, 200_010, 10)
one = Segmentation.from_positions(places, 10**15, types=[{kind}] * 20_000)
other = Segmentation.from_positions([p + 1 for p in places], 10**15, types=[{kind}] * 20_000)
alignment = cs.align(one, other, n_t=10**9, method="optimal")
print(len(alignment.transpositions), {{edit.distance for edit in alignment.transpositions}})
print(float(cs.boundary_similarity(one, other, n_t=10**9, method="optimal")))
print(cs.metric("B(n_t=1000000000, method='optimal')").batch([one], [other]).values.tolist())
"""
    assert run_alone(code) == "20000 {1}\n0.999999999\n[0.999999999]"


def test_an_optimal_alignment_of_touching_types_that_would_take_too_long_is_refused():
    """Types 1 and 2 take turns, in the other order in the hypothesis: each may be moved or exchanged."""
    code = """
one = Segmentation.from_positions(range(1, 3001), 10**15, types=[1, 2] * 1500)
other = Segmentation.from_positions(range(1, 3001), 10**15, types=[2, 1] * 1500)
try:
    print(cs.align(one, other, n_t=10**9, method="optimal").distance)
except cs.ParameterError as error:
    print(error)
"""
    answer = run_alone(code)
    assert answer.startswith(
        "an optimal alignment of 3000 with 3000 boundaries of several types at n_t=1000000000"
    )
    assert answer.endswith("use a smaller n_t or method='greedy'")


def test_twenty_thousand_boundaries_with_a_small_n_t_are_no_problem():
    pair = interleaved(20_000, 1)
    for method in ("greedy", "optimal"):
        assert cs.boundary_similarity(*pair, n_t=3, method=method) == pytest.approx(2 / 3)


def test_optimal_ends_with_weights_of_many_digits():
    """By hand: 1 at 3 stays unpaired or moves; 2 reference boundaries of type 1 reach those at 4 and 5.

    Weights under 'equation' are w0 + d/4. Unmatched: types 1 at 1, 2 and 3 and type 2 at 3 against type 1 at
    4 and 5. Two transpositions are possible; cheapest is 3 to 4 and 2 to 5 or 2 to 4 and 3 to 5 (d = 1 + 3 or
    2 + 2, in all 4): 4 edits in all, penalty 2 additions + 2 w0 + 4/4.
    """
    code = """
reference = Segmentation.from_sets([{1}, {1}, {1, 2}, set(), set()])
hypothesis = Segmentation.from_sets([set(), set(), set(), {1}, {1}])
weights = {"transposition": "equation", "substitution": "equation", "w0": 1 / 3, "n_t": 5}
alignment = cs.align(reference, hypothesis, method="optimal", **weights)
print(alignment.distance, round(float(alignment.penalty), 6))
"""
    assert run_alone(code) == "4 3.666667"


def test_optimal_ends_with_several_types_and_near_misses_over_many_units():
    """One type called 2, three near boundaries and one far: all four pairs are within n_t."""
    code = """
n_units = 10**12
reference = [419913266718, 419913266740, 419913266743, 442123459377]
hypothesis = [419913266681, 419913266754, 442123459442, 442123459455]
for types in ([1] * 4, [2] * 4):
    one, other = (Segmentation.from_positions(p, n_units, types=types) for p in (reference, hypothesis))
    alignment = cs.align(one, other, n_t=n_units, method="optimal")
    print(alignment.distance, alignment.penalty * n_units)
"""
    # In order: 718-681, 754-740, 442123459442-419913266743, 455-377.
    total = 37 + 14 + (442123459442 - 419913266743) + 78
    assert run_alone(code).splitlines() == [f"4 {total}"] * 2


# -------------------------------------------------------------------- quadratic tables


def test_ghd_of_too_many_boundaries_is_refused():
    pair = interleaved(10_001, 1)
    for call in (lambda: cs.ghd(*pair), lambda: cs.metric("GHD").batch([pair[0]], [pair[1]])):
        with pytest.raises(cs.ParameterError, match=r"GHD.*10001"):
            call()


def test_ghd_of_a_thousand_boundaries_finishes():
    assert cs.ghd(*interleaved(1000, 1)) == 1000


# -------------------------------------------------------------------- many pairs


def test_sums_beyond_64_bits_are_exact():
    total = cs.Accumulator("Purity")
    for _ in range(10):
        total.update_many([[N]] * 1000, [[1, N - 1]] * 1000)
    assert total.value.counts == (10_000 * N, 10_000 * N)


# -------------------------------------------------------------------- hostile files


LENGTH = 30_000


def hostile() -> Iterator[str]:
    """Texts at which patterns that go back and forth, or lists searched again and again, would take hours."""

    def many(piece: str, *, before: str = "", after: str = "") -> str:
        return before + piece * (LENGTH // len(piece)) + after

    signs = [*" \t\r\n\f\xa0\u2028=-*_#`~>.,;\"'\\0123456789&<[{(", "- ", "* ", "_ ", "# ", "> ", "1. ", "0 "]
    for sign in signs:
        yield many(sign)
        yield many(sign, after="x")
    yield many(" ", before="a\t", after="x")  # a name, and gaps that are none
    yield many(" ", before="0", after="x")
    yield many(" ", before=many(" ") + "0", after="x")
    yield many(" ", before="===", after="x")
    yield many(" ", before=many("="), after="x")
    yield many(" ", before="<!doctype")
    for tag in (
        "<a",
        "<a ",
        '<a b="',
        "</",
        "</a",
        "<!--",
        "<!-- -->",
        "<pre>",
        "<script>",
        "<script></script",
    ):
        yield many(tag)
        yield many(tag, before="x\n", after="\nx")
    for tag in ("<h1>", "<h1></h1>", "<nav>", "<nav></nav>", "<p>x", "<title></titl", "<ul><li>"):
        yield many(tag)
    yield many("a", before="<")
    yield many("/", before="<a ")
    yield many("=", before="<a ")
    yield many('=""', before="<a ")
    yield many("9", before="<p>&#", after=";")
    yield many("f", before="<p>&#x", after=";")
    yield many("&notit", before="<p>")
    yield many("1", before="========,")
    yield many("========,1,x\n")
    yield many("==========\n")
    yield many("=====\nx\n")
    yield many("a", before="---\n", after="\n---\n")
    yield many("- ```\n")
    yield "\n".join(" " * i + "- x" for i in range(600))
    yield "\n".join("`" * i for i in range(3, 600))
    yield many("{}")
    yield many("{}\n")
    yield many('{"a":')
    yield many("[", before='{"d": {"a": ')
    for value in ("-", "9", "1,", "null,", "[", '"'):
        for field in ("masses", "positions", "units", "labels", "n_units"):
            yield many(value, before=f'{{"document": "d", "coder": "a", "{field}": [', after="1]}")
    yield many("2", before='{"document": "d", "coder": "a", "gaps": "', after='"}')
    keys = ",".join(f'"k{i}":1' for i in range(LENGTH // 10))
    yield f'{{"document": "d", "coder": "a", "masses": [1], {keys}}}'
    names = ",".join(f"c{i}" for i in range(LENGTH // 7))
    yield f"unit,{names}\n1" + many(",1")
    yield f"document,{names}\n"
    yield f"document,coder,{names}\n"
    yield "par," + ",".join(f"level{i}" for i in range(1, LENGTH // 10)) + "\n"
    for cell in ("1 ", "-", "9", "1,", '"'):
        yield many(cell, before="document,coder,masses\nd,a,")
        yield many(cell, before="document,coder,n_units,positions\nd,a,")
        yield many(cell, before="Coder\tMasses\na\t")


@pytest.mark.exhaustive
def test_no_file_makes_a_reader_search_for_hours(tmp_path: Path):
    """Every format reads or refuses each of them, in one line of a bounded length."""
    for number, text in enumerate(hostile()):
        (tmp_path / f"{number}.x").write_text(text, encoding="utf-8", newline="")
    code = f"""
import warnings
from pathlib import Path
from caesura.errors import CaesuraError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
warnings.simplefilter("ignore", UserWarning)  # notices of what was read
for path in sorted(Path({str(tmp_path)!r}).iterdir()):
    for name in [None, *FORMATS]:
        try:
            read(path, name)
        except CaesuraError as error:
            if len(str(error)) > 1000 or len(str(error).splitlines()) > 1:
                print(path, name, str(error)[:1000])
"""
    assert run_alone(code, memory=8 * 2**30, seconds=240) == ""


def test_a_line_of_spaces_is_no_gap_string(tmp_path: Path):
    """The pattern that once told gap strings took 19 seconds for 80,000 spaces."""
    path = tmp_path / "d.txt"
    path.write_text("0\n" + " " * LENGTH + "x\n")
    assert "no format fits" in run_alone(f"""
try:
    cs.read({str(path)!r})
except cs.CorpusError as error:
    print(error)
""")


@pytest.mark.parametrize("types", [[1, 1], [1, 2]], ids=["plain", "typed"])
def test_a_least_weight_of_many_digits_is_exact_in_batches_too(types):
    """By hand: a near miss over 1 of at most 1 weighs w0 + 1, a boundary is missing: 1 − (w0 + 1) of 2."""
    metric = cs.metric("B(transposition='equation', substitution='equation', w0=5e-324)")
    reference = Segmentation.from_positions([3, 8], 10, types=types)
    hypothesis = Segmentation.from_positions([4], 10, types=types[:1])
    (score,) = metric.batch([reference], [hypothesis])
    assert Fraction(*score.counts) == Fraction("-5e-324") / 2
