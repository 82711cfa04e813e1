"""compare() and its bounds and tables. Source of truth: naive loops over the public functions for single
pairs, counts by hand on tiny corpora, and simulated segmenters whose error rates are known.

The published numbers are in papers/test_table_5_8.py; the tests of hypotheses have tests of their own.
"""

from __future__ import annotations

import copy
import csv
import html
import io
import json
import math
import pickle
from statistics import fmean, stdev

import numpy as np
import pytest

import caesura as cs
from caesura import Corpus, Segmentation, TypeScheme, kernel
from caesura.alignment.alignment import pair_correctness
from caesura.analyses.comparison import bounds
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.words import conclusion, disagreements, warnings
from caesura.analyses.reporting import report
from caesura.cli import run
from caesura.errors import ComparisonError, CorpusError, ParameterError, UnknownNameError
from caesura.pairs import pair_segmenters
from caesura.results.as_json import json_safe
from caesura.results.notes import KINDS, finding
from caesura.results.table import RENDERERS

FORMATS = ["text", "json", "csv", "markdown", "latex"]
QUICK = {"n_resamples": 199, "n_draws": 5, "rng": 0}
ALONE = {"n_resamples": 99, "bounds": (), "human": False, "rng": 0}


def draw(generator: np.random.Generator, n_units: int, density: float, n_types: int = 1) -> Segmentation:
    positions = (np.flatnonzero(generator.random(n_units - 1) < density) + 1).tolist()
    if n_types == 1:
        return Segmentation.from_positions(positions, n_units)
    types = (generator.integers(n_types, size=len(positions)) + 1).tolist()
    return Segmentation.from_positions(positions, n_units, types)


def spoil(generator: np.random.Generator, truth: Segmentation, rate: float) -> Segmentation:
    """Drop each boundary with this probability, and put one elsewhere for each one dropped."""
    kept = {p for p in truth.positions if generator.random() >= rate}
    n_dropped = len(truth.positions) - len(kept)
    free = [p for p in range(1, truth.n_units) if p not in truth.positions]
    added = generator.choice(free, size=n_dropped, replace=False).tolist()
    return Segmentation.from_positions(sorted({*kept, *added}), truth.n_units)


RATES = {"poor": 0.8, "good": 0.05, "fair": 0.4}


def simulate(n_documents: int = 20, seed: int = 1, rates: dict[str, float] = RATES) -> Corpus:
    generator = np.random.default_rng(seed)
    codings = {}
    for i in range(n_documents):
        truth = draw(generator, 120, 0.12)
        coders = {name: spoil(generator, truth, 0.1) for name in ("ann", "bob", "cy")}
        codings[f"d{i}"] = coders | {name: spoil(generator, truth, rate) for name, rate in rates.items()}
    return Corpus.from_dict(codings)


SIMULATED = simulate()

HAND = Corpus.from_dict(
    {
        "one": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7], "y": [11]},
        "two": {"ann": [4, 4], "x": [4, 4], "y": [3, 5]},
    }
)
# x: 1.5 / 2 with ann, 0.5 / 2 with bob on one; 1 / 1 on two. y: 0 / 2, 0 / 1; 0.5 / 1.


# -------------------------------------------------------------------- who is better


def test_simulated_segmenters_are_ranked_by_their_error_rates():
    found = compare(SIMULATED, segmenters=list(RATES), **{**QUICK, "n_resamples": 999})
    assert found.ranking == ("good", "fair", "poor", "random")
    assert set(found.beats("good")) == {"fair", "poor", "random"}
    assert {"poor", "random"} <= set(found.beats("fair"))
    assert not {"good", "fair"} & set(found.beats("poor"))
    assert found.beats("random") == ()
    assert conclusion(found).startswith("good is better than")
    assert found["human"].value > found["fair"].value


@pytest.mark.parametrize("subjects", ["documents", "bootstrap", "codings", "pairs"])
def test_every_kind_of_subject_tells_them_apart(subjects):
    found = compare(SIMULATED, segmenters=list(RATES), **{**ALONE, "n_resamples": 999})
    report = found.test(subjects)
    assert {frozenset((c.first, c.second)) for c in report.significant} == {
        frozenset(("good", "fair")),
        frozenset(("good", "poor")),
        frozenset(("fair", "poor")),
    }
    if subjects != "pairs":
        assert report.subjects == {"documents": 20, "bootstrap": 20, "codings": 60}[subjects]


@pytest.mark.parametrize("subjects", ["documents", "bootstrap", "codings", "pairs"])
def test_a_test_has_tables_like_every_result(subjects):
    report = compare(SIMULATED, segmenters=list(RATES), **ALONE).test(subjects)
    assert repr(report).startswith(f"<TestReport: {report.procedure} of ")
    assert "\n" not in repr(report)
    first = report.contrasts[0]
    assert report.to_frame().iloc[0][["first", "second", "adjusted p"]].tolist() == [
        first.first,
        first.second,
        first.adjusted_p,
    ]
    assert report.procedure in str(report)
    data = json.loads(json.dumps(json_safe(report.to_dict()), allow_nan=False))
    assert [contrast["second"] for contrast in data["contrasts"]] == [c.second for c in report.contrasts]
    assert all(note["kind"] in KINDS for note in data["notes"])
    tested = [f"{each.name} {each.of}" for each in report.assumptions]
    rows = report.to_table("assumptions").rows
    assert [f"{row[0]} {row[1]}" for row in rows] == tested
    for format in RENDERERS:
        assert report.to_table().render(format)


def test_unknown_subjects():
    found = compare(HAND, segmenters=["x", "y"], **ALONE)
    with pytest.raises(ParameterError, match="subjects"):
        found.test("coders")


def test_identical_segmenters_are_not_different():
    codings = {d: {**SIMULATED[d], "twin": SIMULATED[d, "fair"]} for d in SIMULATED.documents}
    found = compare(
        Corpus.from_dict(codings), segmenters=["fair", "twin"], references=["ann", "bob", "cy"], **ALONE
    )
    assert found["fair"].value == found["twin"].value
    assert (found.beats("fair"), found.beats("twin")) == ((), ())
    assert found.report.contrasts[0].p_value == 1.0
    assert conclusion(found).startswith("No significant difference between")


def test_equally_good_segmenters_are_not_called_different():
    corpus = simulate(seed=7, rates={"one": 0.3, "two": 0.3, "three": 0.3})
    found = compare(corpus, segmenters=["one", "two", "three"], **{**ALONE, "n_resamples": 999})
    assert all(found.beats(name) == () for name in found.tested)


def test_window_diff_ranks_low_as_best():
    found = compare(SIMULATED, segmenters=list(RATES), metric="WD", metrics=["B"], **ALONE)
    assert found.ranking == ("good", "fair", "poor")
    assert found["good"].value < found["fair"].value < found["poor"].value
    assert set(found.beats("good")) == {"fair", "poor"}
    assert found.beats("poor") == ()


def test_the_conclusion_says_how_a_segmenter_fails():
    codings = {f"d{i}": {"ann": [2] * 6, "few": [2, 10], "many": [1] * 12} for i in range(12)}
    words = conclusion(compare(Corpus.from_dict(codings), segmenters=["few", "many"], **ALONE))
    assert "few is precise but misses 80 % of the boundaries" in words
    assert "55 % of the boundaries of many are spurious" in words  # 6 of 11


# -------------------------------------------------------------------- seeds


def plain(comparison) -> str:
    return json.dumps(comparison.to_dict(), sort_keys=True)


def test_the_same_seed_gives_the_same():
    one, two = (compare(SIMULATED, segmenters=list(RATES), **QUICK) for _ in range(2))
    assert plain(one) == plain(two)
    assert str(one) == str(two)


def test_another_seed_changes_only_what_is_drawn():
    one, two = (
        compare(SIMULATED, segmenters=list(RATES), **{**QUICK, "rng": seed}).to_dict() for seed in (1, 2)
    )
    drawn = {"interval", "beats"}
    for first, second in zip(one["segmenters"], two["segmenters"], strict=True):
        kept = {key: value for key, value in first.items() if key not in drawn}
        if first["name"] == "random":
            assert kept != second
        else:
            assert kept == {key: value for key, value in second.items() if key not in drawn}
            assert first["kind"] == "upper bound" or first["interval"] != second["interval"]
    for first, second in zip(one["agreement drop"]["whole"], two["agreement drop"]["whole"], strict=True):
        assert first["interval"] != second["interval"]
        assert first["drop"] == second["drop"]
    assert one["agreement drop"]["drops"] == two["agreement drop"]["drops"]


def test_the_order_of_looking_does_not_change_the_numbers():
    one, two = (compare(SIMULATED, segmenters=list(RATES), **QUICK) for _ in range(2))
    one.test("bootstrap")
    assert one.report == two.report
    assert [row.interval for row in one.rows] == [row.interval for row in two.rows]
    assert two.report is not None


# -------------------------------------------------------------------- values against naive loops


def all_edits(corpus: Corpus, segmenter: str, coders: tuple[str, ...], **parameters):
    pairs = [
        (corpus[document, coder], corpus[document, segmenter])
        for document in corpus.documents
        for coder in corpus[document]
        if coder in coders
    ]
    return (
        [cs.boundary_similarity(*pair, **parameters) for pair in pairs],
        [cs.confusion_matrix(*pair, **parameters) for pair in pairs],
        [cs.align(*pair, **parameters) for pair in pairs],
    )


def typed_corpus() -> Corpus:
    generator = np.random.default_rng(5)
    names = ("ann", "bob", "x", "y")
    return Corpus.from_dict(
        {f"d{i}": {name: draw(generator, 40, 0.3, 3) for name in names} for i in range(5)}
    )


def gappy_corpus() -> Corpus:
    """Not every coder has coded every document; one document has no boundaries, one has a single unit."""
    generator = np.random.default_rng(6)
    groups = [("ann", "bob"), ("bob",), ("ann", "cy"), ("cy", "bob", "ann")]
    codings = {
        f"d{i}": {name: draw(generator, 30 + i, 0.25) for name in (*group, "x", "y")}
        for i, group in enumerate(groups)
    }
    codings["empty"] = {name: Segmentation.from_masses([9]) for name in ("ann", "x", "y")}
    codings["unit"] = {name: Segmentation.from_masses([1]) for name in ("cy", "x", "y")}
    return Corpus.from_dict(codings)


@pytest.mark.parametrize(
    ("corpus", "parameters"),
    [
        (gappy_corpus(), {}),
        (gappy_corpus(), {"n_t": 1}),
        (gappy_corpus(), {"n_t": 4}),
        (gappy_corpus(), {"n_t": 4, "method": "optimal"}),
        (gappy_corpus(), {"n_t": 3, "transposition": "equation", "w0": 0.25}),
        (gappy_corpus(), {"n_t": 3, "transposition": "constant"}),
        (typed_corpus(), {}),
        (typed_corpus(), {"n_t": 3, "method": "optimal"}),
        (typed_corpus(), {"n_t": 3, "types": (1, 2, 3, 9), "substitution": "constant"}),
    ],
    ids=str,
)
def test_values_equal_a_naive_loop(corpus, parameters):
    people = tuple(name for name in corpus.coders if name not in ("x", "y"))
    metric = cs.METRICS["B"](**parameters)
    found = compare(corpus, segmenters=["x", "y"], metric=metric, **ALONE)
    for name in ("x", "y"):
        scores, matrices, alignments = all_edits(corpus, name, people, **parameters)
        correctness = [value for alignment in alignments for value in alignment.correctness]
        row = found[name]
        values = [float(score) for score in scores]
        assert row.n_codings == len(scores)
        assert row.n_pairs == len(correctness)
        total = sum(score.numerator for score in scores) / sum(score.denominator for score in scores)
        assert row.value == pytest.approx(total, abs=1e-12)
        assert row.value == pytest.approx(fmean(correctness), abs=1e-12)
        assert row.se == pytest.approx(stdev(correctness) / math.sqrt(len(correctness)), abs=1e-12)
        assert row.macro == pytest.approx(fmean(values), abs=1e-12)
        assert row.macro_se == pytest.approx(stdev(values) / math.sqrt(len(values)), abs=1e-12)
        for count in ("tp", "fp", "fn", "tn"):
            total = sum(getattr(matrix, count) for matrix in matrices)
            assert getattr(row, count) == pytest.approx(total, abs=1e-9), count
        for count, part in (("matches", "matches"), ("near_misses", "transpositions"),
                            ("wrong_types", "substitutions"), ("missed", "missed"),
                            ("spurious", "spurious")):  # fmt: skip
            assert getattr(row, count) == sum(len(getattr(a, part)) for a in alignments), count
        tp, fp, fn = (sum(getattr(matrix, count) for matrix in matrices) for count in ("tp", "fp", "fn"))
        assert row.precision == pytest.approx(tp / (tp + fp))
        assert row.recall == pytest.approx(tp / (tp + fn))
        assert row.f1 == pytest.approx(2 * tp / (2 * tp + fp + fn))


@pytest.mark.parametrize("spec", ["S", "Bc", "BF", "F(tolerance=2)", "Pk", "WD", "GHD", "Density"])
def test_any_metric_pools_and_averages_codings(spec):
    metric = cs.metric(spec)
    generator = np.random.default_rng(9)
    corpus = Corpus.from_dict(
        {f"d{i}": {name: draw(generator, 50, 0.2) for name in ("ann", "bob", "x")} for i in range(6)}
    )
    scores = [metric(corpus[d, coder], corpus[d, "x"]) for d in corpus.documents for coder in ("ann", "bob")]
    row = compare(corpus, segmenters=["x"], metric=spec, **ALONE)["x"]
    values = [float(score) for score in scores]
    assert row.value == pytest.approx(float(sum(scores)))
    assert row.macro == pytest.approx(fmean(values))
    assert row.se == row.macro_se == pytest.approx(stdev(values) / math.sqrt(12))


def test_other_metrics_are_means_over_codings():
    found = compare(SIMULATED, segmenters=["good", "fair"], references=["ann", "bob", "cy"], **ALONE)
    assert list(found.means) == ["B", "S", "WD"]
    for spec, function in (("S", cs.segmentation_similarity), ("WD", cs.window_diff)):
        for name in ("good", "fair"):
            values = [
                float(function(SIMULATED[document, coder], SIMULATED[document, name]))
                for document in SIMULATED.documents
                for coder in ("ann", "bob", "cy")
            ]
            mean, se = found.means[spec][name][:2]
            assert mean == pytest.approx(fmean(values))
            assert se == pytest.approx(stdev(values) / math.sqrt(60))


@pytest.mark.parametrize("parameters", [{}, {"n_t": 5}, {"n_t": 5, "method": "optimal"}])
def test_pair_correctness_of_each_coding(parameters):
    corpus = gappy_corpus()
    people = corpus.select(coders=["ann", "bob", "cy"])
    compared = pair_segmenters(people, corpus.select(coders=["x"]))
    metric = cs.METRICS["B"](**parameters)
    found = pair_correctness(compared.pairs[0], metric.method, metric.weights)
    alignments = [cs.align(coding, corpus[document, "x"], **parameters) for document, _, coding in people]
    assert len(compared.subjects) == len(alignments)
    for coding, alignment in enumerate(alignments):
        values = found.values[found.coding == coding]
        assert sorted(values) == pytest.approx(sorted(alignment.correctness))


def test_declared_types_count_in_true_negatives():
    """Two declared types × 10 positions, one match, one missed: TN = 18, as in confusion_matrix."""
    corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "x": [2, 9]}})
    found = compare(corpus, segmenters=["x"], metric="B(types=(1, 2))", **ALONE)
    assert found["x"].tn == cs.confusion_matrix([2, 3, 6], [2, 9], types=(1, 2)).tn == 18


def test_nominal_types_cost_a_full_miss():
    """SPEC §3: nominal types always cost 1. One match and one wrong type: B = 1 / 2."""
    scheme = TypeScheme({1: "topic", 2: "scene", 3: "time"}, nominal=True)
    codings = {
        "ann": Segmentation.from_positions([2, 5], 9, [1, 1]),
        "x": Segmentation.from_positions([2, 5], 9, [1, 2]),
    }
    found = compare(
        Corpus.from_dict({"d": codings}, type_scheme=scheme), segmenters=["x"], types=True, **ALONE
    )
    assert found["x"].value == 0.5


# -------------------------------------------------------------------- small cases


def test_one_segmenter_has_no_test_and_the_conclusion_says_so():
    found = compare(SIMULATED, segmenters=["good"], references=["ann", "bob", "cy"], **ALONE)
    assert found.report is None
    assert found.beats("good") == ()
    assert "add another segmenter to compare it with" in conclusion(found)
    assert "test=" not in found.signature
    assert found.to_table("tests").rows == []
    assert found.to_dict()["test"] is None
    assert "good" in str(found)


@pytest.mark.parametrize("documents", [["one"], ["one", "two"]])
def test_one_segmenter_on_few_documents_can_be_printed(documents):
    found = compare(HAND.select(documents=documents), segmenters=["x"], references=["ann"], **ALONE)
    assert "Only one document" if len(documents) == 1 else "Only 2" in str(found)


def test_one_coder_is_warned_of_and_has_no_human_row():
    corpus = SIMULATED.select(coders=["ann", "good", "fair"])
    found = compare(corpus, segmenters=["good", "fair"], **QUICK)
    assert [row.name for row in found.rows] == ["good", "fair", "random"]
    assert any("Only one reference coder" in note for note in warnings(found))
    two = compare(SIMULATED, segmenters=["good"], references=["ann", "bob"], **QUICK)
    assert not any("Only one reference coder" in note for note in warnings(two))


def test_one_document_has_no_interval_and_a_warning():
    found = compare(HAND.select(documents=["one"]), segmenters=["x", "y"], **ALONE)
    for row in found.rows:
        assert math.isnan(row.interval.low)
        assert math.isnan(row.interval.high)
    assert found["x"].value == 0.5
    assert any("1 document" in note for note in warnings(found))
    assert found.beats("x") == ()
    assert "n/a" in str(found)
    assert found.to_table("documents").rows[0][0] == "one"


def test_few_documents_are_warned_of():
    few, enough = (simulate(n, rates={"a": 0.1, "b": 0.3}) for n in (4, 12))
    assert any("Only 4 documents" in n for n in warnings(compare(few, segmenters=["a", "b"], **ALONE)))
    assert not any("Only" in n for n in warnings(compare(enough, segmenters=["a", "b"], **ALONE)))


def test_documents_without_boundaries():
    """Nobody marks anything: nothing to compare, which is perfect; a spurious boundary is all wrong."""
    codings = {f"d{i}": {"ann": [5], "bob": [5], "x": [5], "y": [2, 3]} for i in range(3)}
    found = compare(Corpus.from_dict(codings), segmenters=["x", "y"], bounds=("none",), **QUICK)
    assert (found["x"].value, found["x"].macro, found["x"].n_pairs) == (1.0, 1.0, 0)
    assert (found["x"].precision, found["x"].recall, found["x"].f1) == (1.0, 1.0, 1.0)
    assert math.isnan(found["x"].density)
    assert math.isnan(found["x"].se)
    assert (found["y"].value, found["y"].n_pairs, found["y"].fp) == (0.0, 6, 6)
    assert (found["y"].precision, found["y"].recall) == (0.0, 0.0)
    assert found["none"].value == found["human"].value == 1.0
    assert found.ranking[-1] == "y"
    for table in (found.to_table(), found.to_table("edits"), found.to_table("macro")):
        assert table.render("text")


def test_rows_come_in_the_order_of_the_call_then_bounds_then_people():
    found = compare(SIMULATED, segmenters=["poor", "good"], bounds=("uniform", "none"), **QUICK)
    kinds = [(row.name, row.kind) for row in found.rows]
    assert kinds == [
        ("poor", "segmenter"),
        ("good", "segmenter"),
        ("uniform", "lower bound"),
        ("none", "lower bound"),
        ("human", "upper bound"),
    ]
    assert found.tested == ("poor", "good", "uniform", "none")
    with pytest.raises(UnknownNameError, match="unknown segmenter"):
        found["fair"]


def test_references_choose_who_judges():
    found = compare(HAND, segmenters=["x"], references=["ann"], **ALONE)
    assert found.coders == ("ann",)
    assert found["x"].value == pytest.approx(2.5 / 3)


# -------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"segmenters": ["x"], "references": ["ann", "x"]}, ParameterError, "x is a segmenter and a ref"),
        ({"segmenters": ["xx"]}, UnknownNameError, "unknown coder 'xx'; did you mean 'x'"),
        ({"segmenters": ["x"], "references": ["anm"]}, UnknownNameError,
         "unknown coder 'anm'; did you mean 'ann"),
        ({"segmenters": []}, ParameterError, "segmenters.*list of at least one name"),
        ({"segmenters": "x"}, ParameterError, "segmenters is 'x'.*list"),
        ({"segmenters": ["x", "x"]}, ParameterError, "twice"),
        ({"segmenters": ["ann", "bob", "x", "y"]}, CorpusError, "no reference coder"),
        ({"segmenters": ["x"], "references": []}, CorpusError, "no reference coder"),
        ({"segmenters": ["x"], "metric": "MultWD"}, ParameterError, "MultWD.*all references at once"),
        ({"segmenters": ["x"], "metric": "BB"}, UnknownNameError, "unknown metric 'BB'"),
        ({"segmenters": ["x"], "metrics": ["Wd"]}, UnknownNameError,
         "unknown metric 'Wd'; did you mean 'WD'"),
        ({"segmenters": ["x"], "bounds": ["randon"]}, UnknownNameError,
         "unknown bound.*did you mean 'random'"),
        ({"segmenters": ["x"], "n_draws": 0}, ParameterError, "n_draws"),
        ({"segmenters": ["x"], "alpha": 0}, ParameterError, "alpha is 0"),
        ({"segmenters": ["x"], "alpha": -0.1}, ParameterError, "alpha"),
        ({"segmenters": ["x"], "alpha": 1.5}, ParameterError, "alpha is 1.5"),
        ({"segmenters": ["x"], "alpha": "5%"}, ParameterError, "alpha is '5%'"),
        ({"segmenters": ["x"], "alpha": math.nan}, ParameterError, "alpha"),
    ],
)  # fmt: skip
def test_clear_errors(changes, error, message):
    with pytest.raises(error, match=message):
        compare(HAND, **changes)


@pytest.mark.parametrize("changes", [{"confidence": 2}, {"n_resamples": -1}, {"n_resamples": 1.5}], ids=str)
def test_bad_numbers_are_refused_at_once(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        compare(HAND, segmenters=["x", "y"], **changes)


@pytest.mark.parametrize("changes", [{"references": "ann"}, {"metrics": "WD"}, {"bounds": "none"}], ids=str)
def test_a_string_is_no_list(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        compare(HAND, segmenters=["x", "y"], **changes)


def test_a_segmenter_that_lacks_documents_is_named():
    codings = {d: dict(SIMULATED[d]) for d in SIMULATED.documents}
    for document in ("d3", "d4", "d7", "d9"):
        del codings[document]["fair"]
    with pytest.raises(
        CorpusError, match=r"fair lacks 4 \(d3, d4, d7 and 1 more\) of the 20 reference documents"
    ):
        compare(Corpus.from_dict(codings), segmenters=["good", "fair", "poor"])


def test_a_document_without_references_is_left_out_and_named():
    comparison = compare(HAND, segmenters=["x", "y"], references=["bob"], **QUICK)
    assert comparison.documents == ("one",)
    assert comparison.uncoded == ("two",)
    assert any("two" in note for note in comparison.caveats)
    assert comparison["x"].value == 0.5 / 2


def test_unequal_lengths_say_both():
    with pytest.raises(CorpusError, match="coder x has 10 units where coder ann has 11"):
        compare(Corpus.from_dict({"d": {"ann": [5, 6], "x": [5, 5]}}), segmenters=["x"])
    people, machine = Corpus.from_dict({"d": {"ann": [5, 6]}}), Corpus.from_dict({"d": {"x": [5, 5]}})
    with pytest.raises(ComparisonError, match=r"document d: segmenter x has 10 units.*11"):
        pair_segmenters(people, machine)


@pytest.mark.parametrize("role", ["segmenter", "reference"])
def test_a_coder_called_like_a_bound(role):
    name = "random"
    codings = {"d": {"ann": [2, 2], "x": [2, 2], name: [1, 3]}}
    segmenters = ["x", name] if role == "segmenter" else ["x"]
    corpus = Corpus.from_dict(codings)
    references = [coder for coder in corpus.coders if coder not in segmenters]
    with pytest.raises(ParameterError, match="a coder is called 'random', like a bound"):
        compare(corpus, segmenters=segmenters, references=references, **QUICK)
    assert compare(corpus, segmenters=segmenters, references=references, **ALONE)["x"].n_codings >= 1


def test_a_segmenter_called_human_is_not_the_upper_bound():
    corpus = Corpus.from_dict(
        {
            d: {("human" if n == "good" else n): s for n, s in SIMULATED[d].items()}
            for d in SIMULATED.documents
        }
    )
    try:
        found = compare(corpus, segmenters=["human", "fair", "poor"], bounds=(), **QUICK)
    except ParameterError as error:
        assert "human" in str(error)  # noqa: PT017
        return
    (people,) = (row for row in found.to_dict()["segmenters"] if row["kind"] == "upper bound")
    assert (people["interval"], people["beats"]) == (None, [])


# -------------------------------------------------------------------- lower bounds


LONG = Corpus.from_dict(
    {"short": {"ann": [2, 3, 6], "bob": [5, 6]}, "unit": {"ann": [1]}, "none": {"bob": [7]}}
)


def lower_bound(corpus, kind, rng=None):
    """Return the lower bound of this name as the only coder of the documents."""
    habits = bounds.CodersHabits(corpus)
    codings = bounds.bound_columns(habits, kind, np.random.default_rng(rng))
    rows = {name: {kind: codings.segmentation(i)} for i, name in enumerate(corpus.documents)}
    return Corpus.from_dict(rows, type_scheme=corpus.type_scheme)


def test_none_marks_nothing_and_all_marks_everything():
    none, every = lower_bound(LONG, "none"), lower_bound(LONG, "all")
    for document in LONG.documents:
        n_units = LONG.n_units(document)
        assert none[document, "none"].positions == ()
        assert none[document, "none"].n_units == n_units
        assert every[document, "all"].positions == tuple(range(1, n_units))


def test_bounds_in_a_comparison():
    """Boundaries of people: 2 and 1 in 'one', 1 in 'two'; all has 10, 10 and 7."""
    found = compare(HAND, segmenters=["x", "y"], bounds=("none", "all", "uniform"), **QUICK)
    none, every = found["none"], found["all"]
    assert (none.value, none.missed, none.spurious, none.precision, none.recall) == (0.0, 4, 0, 0.0, 0.0)
    assert (every.matches, every.missed, every.spurious) == (4, 0, 23)
    assert every.value == pytest.approx(4 / 27)
    assert every.recall == 1.0
    # one: 3 boundaries of 20 positions, times 10, is 1.5, to even 2: 3 segments of 11, at 4 and 7; two: at 4
    uniform = found["uniform"]
    assert (uniform.matches, uniform.near_misses, uniform.missed, uniform.spurious) == (1, 2, 1, 2)


@pytest.mark.parametrize("n_units", [1, 2, 3, 7, 10, 31, 100])
def test_uniform_segments_differ_by_one_unit_at_most(n_units):
    for n_boundaries in range(n_units):
        coding = Segmentation.from_positions(range(1, n_boundaries + 1), n_units)
        masses = lower_bound(Corpus.from_dict({"d": {"ann": coding}}), "uniform")["d", "uniform"].masses
        assert len(masses) == n_boundaries + 1
        assert sum(masses) == n_units
        assert max(masses) - min(masses) <= 1


def test_random_has_the_density_of_the_coders_and_no_favourite_places():
    n, density = 20_001, 0.1
    generator = np.random.default_rng(4)
    corpus = Corpus.from_dict(
        {
            "dense": {"ann": draw(generator, n, 0.08), "bob": draw(generator, n, 0.12)},
            "sparse": {"ann": draw(generator, n, 0.01)},
        }
    )
    drawn = lower_bound(corpus, "random", rng=11)
    for document, expected in (("dense", density), ("sparse", 0.01)):
        positions = np.array(drawn[document, "random"].positions)
        assert len(np.unique(positions)) == len(positions)
        assert positions.min() >= 1
        assert positions.max() <= n - 1
        spread = math.sqrt(expected / (n - 1))
        assert abs(len(positions) / (n - 1) - expected) < 5 * spread
        for part in np.histogram(positions, bins=4, range=(1, n - 1))[0]:
            assert abs(part / len(positions) - 0.25) < 5 * math.sqrt(0.19 / len(positions))


def test_random_is_drawn_anew_and_by_the_seed():
    corpus = Corpus.from_dict({"d": {"ann": draw(np.random.default_rng(1), 500, 0.2)}})
    one, same, other = (lower_bound(corpus, "random", rng=seed)["d", "random"] for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_random_of_nothing_and_of_everything():
    codings = {"none": {"ann": [9]}, "all": {"ann": [1] * 9}, "unit": {"ann": [1]}}
    drawn = lower_bound(Corpus.from_dict(codings), "random", rng=1)
    assert drawn["none", "random"].masses == (9,)
    assert drawn["all", "random"].masses == (1,) * 9
    assert drawn["unit", "random"].masses == (1,)


def test_random_of_a_dense_document_takes_few_draws():
    class Counting(np.random.Generator):
        calls = 0

        def integers(self, *arguments, **keywords):
            self.calls += 1
            return super().integers(*arguments, **keywords)

    generator = Counting(np.random.PCG64(1))
    lower_bound(Corpus.from_dict({"d": {"ann": [1] * 2000}}), "random", rng=generator)
    assert generator.calls < 100


TYPED = TypeScheme({2: "scene", 5: "time", 9: "place"}, nominal=True)
RANKED = TypeScheme({2: "part", 3: "chapter"}, ranks=True)


def typed_corpus(scheme: TypeScheme, n_units: int = 400) -> Corpus:
    """Coders who use the last type five times as often as the first."""
    generator = np.random.default_rng(12)
    rates = np.linspace(0.02, 0.1, len(scheme.types))

    def coding() -> Segmentation:
        marks: dict[int, set[int]] = {}
        for kind, rate in zip(scheme.types, rates, strict=True):
            for position in np.flatnonzero(generator.random(n_units - 1) < rate) + 1:
                marks.setdefault(int(position), set()).add(kind)
        pairs = sorted(
            (p, k) for p, kinds in marks.items() for k in (kinds if not scheme.ranks else {min(kinds)})
        )
        return Segmentation.from_positions([p for p, _ in pairs], n_units, [k for _, k in pairs])

    names = ("ann", "bob", "x")
    return Corpus.from_dict(
        {f"d{i}": {name: coding() for name in names} for i in range(6)}, type_scheme=scheme
    )


@pytest.mark.parametrize("scheme", [TYPED, RANKED], ids=["types", "ranks"])
def test_lower_bounds_know_the_types(scheme):
    """Each type is drawn at its own rate; the scheme need not have the type 1."""
    corpus = typed_corpus(scheme)
    people = corpus.select(coders=["ann", "bob"])
    drawn = [lower_bound(people, "random", rng=seed) for seed in range(40)]
    for kind in scheme.types:
        actual = sum((c.boundary_types == kind).sum() for _, _, c in people) / 2
        mean = np.mean([sum((c.boundary_types == kind).sum() for _, _, c in one) for one in drawn])
        assert mean == pytest.approx(actual, abs=5 * math.sqrt(actual / 40))
    for kind in bounds.LOWER_BOUNDS:
        one = lower_bound(people, kind, rng=1)
        assert one.type_scheme == scheme
        if scheme.ranks:
            assert all(len(set(c.positions)) == c.n_boundaries for _, _, c in one)
    found = compare(corpus, segmenters=["x"], bounds=bounds.LOWER_BOUNDS, **QUICK)
    assert found["all"].recall > (0.4 if scheme.ranks else 0.99)
    assert found["none"].value == 0.0
    assert 0 < found["random"].value < 0.5
    uniform = lower_bound(people, "uniform")
    for document in people.documents:
        coded = people[document].values()
        for kind in scheme.types if not scheme.ranks else ():
            mean = sum((c.boundary_types == kind).sum() for c in coded) / 2
            n = (uniform[document, "uniform"].boundary_types == kind).sum()
            assert abs(n - mean) <= 0.5


def test_metrics_of_many_references_are_refused_wherever_they_are_named():
    """They have no value for each coder; once WD's numbers stood under the name MultWD."""
    for changes in ({"metric": "MultWD"}, {"metrics": ["MultWD", "WD"]}):
        with pytest.raises(ParameterError, match=r"MultWD takes all references at once.*evaluate"):
            compare(HAND, segmenters=["x", "y"], **changes, **QUICK)


def test_the_drop_is_that_of_the_deciding_metric():
    found = compare(SIMULATED, segmenters=["fair"], references=["ann", "bob", "cy"], metric="S", **ALONE)
    assert found.drop.metric == cs.metric("S")
    by_windows = compare(
        SIMULATED, segmenters=["fair"], references=["ann", "bob", "cy"], metric="WD", **ALONE
    )
    assert by_windows.drop.metric == cs.metric("B")


def test_no_draw_of_the_random_bound_is_kept():
    """Draws come one after the other: only sums of them stay."""
    found = compare(HAND, segmenters=["x"], n_draws=50, n_resamples=99, rng=0)
    n_pairs = found["random"].n_pairs
    assert len(found["random"].correctness.values) < 3 * n_pairs + 20


@pytest.mark.parametrize("name", ["rng", "n_resamples", "confidence", "alpha", "n_draws"])
def test_wrong_numbers_are_refused_in_one_line(name):
    wrong = {"rng": -1, "n_resamples": 10.5, "confidence": 1.0, "alpha": 0, "n_draws": 0}[name]
    with pytest.raises(ParameterError, match=rf"^{name} is {wrong}: expected [^\n]*$"):
        compare(HAND, segmenters=["x", "y"], **{**QUICK, name: wrong})


def test_a_comparison_is_pickled_and_copied():
    found = compare(HAND, segmenters=["x", "y"], **QUICK)
    for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert repr(other.numbers()) == repr(found.numbers())  # a NaN is not equal to itself
        assert str(other) == str(found)


def test_a_large_n_t_costs_one_pass(monkeypatch):
    """Once a loop over n_t: B(n_t=2000) on three documents took 41 s."""
    calls = []
    count = kernel.active.edit_counts_many
    monkeypatch.setattr(kernel.active, "edit_counts_many", lambda *a: calls.append(a) or count(*a))
    compare(HAND, segmenters=["x", "y"], metric="B(n_t=2000)", bounds=(), human=False, n_resamples=99, rng=0)
    assert len(calls) < 20


def test_the_random_row_is_a_mean_over_draws():
    """No skill: a random segmenter finds a reference boundary with the probability that it marks a place."""
    generator = np.random.default_rng(8)
    corpus = Corpus.from_dict(
        {f"d{i}": {n: draw(generator, 400, 0.2) for n in ("ann", "x")} for i in range(5)}
    )
    found = compare(corpus, segmenters=["x"], rng=1, n_draws=100, n_resamples=99)["random"]
    n_boundaries = sum(len(corpus[d, "ann"].positions) for d in corpus.documents)
    density = n_boundaries / (5 * 399)
    assert found.matches + found.near_misses + found.missed == pytest.approx(n_boundaries)
    assert found.matches == pytest.approx(n_boundaries * density, rel=0.05)
    assert found.density == pytest.approx(1.0, abs=0.03)
    assert found.tp + found.fp + found.fn + found.tn == pytest.approx(5 * 399)
    assert found.n_codings == 5
    pairs = found.matches + found.near_misses + found.missed + found.spurious
    assert found.n_pairs == pytest.approx(pairs)
    assert found.value == pytest.approx(found.tp / pairs)  # n_t = 2: correctness of a near miss is 1 / 2


def test_bounds_of_a_very_long_document():
    n = 10**12
    coding = Segmentation.from_positions([10, 10**6, 10**11], n)
    near = Segmentation.from_positions([11, 10**6], n)
    corpus = Corpus.from_dict({"d": {"ann": coding, "x": coding, "y": near}})
    found = compare(corpus, segmenters=["x", "y"], bounds=("random", "none", "uniform"), **QUICK)
    assert found["x"].value == 1.0
    assert found["y"].value == pytest.approx(1.5 / 3)
    assert found["none"].missed == 3
    assert found["x"].tn == n - 1 - 3
    masses = lower_bound(corpus.select(coders=["ann"]), "uniform")["d", "uniform"].masses
    assert masses == (n // 4,) * 4
    with pytest.raises(
        ParameterError, match=r"document d: cannot mark every position of 1000000000000 units"
    ):
        compare(corpus, segmenters=["x"], bounds=("all",), **QUICK)


# -------------------------------------------------------------------- the human row


PEOPLE = {"ann": [2, 3, 6], "bob": [2, 9], "cy": [11]}


def test_the_human_row_is_the_central_coder_against_the_others():
    """Pooled B: ann 1 / (2 + 2), bob 1 / (2 + 1), cy 0. Bob: match and miss with ann, one extra with cy."""
    corpus = Corpus.from_dict({"d": {**PEOPLE, "x": [11]}})
    assert bounds.central_coder(corpus.select(coders=list(PEOPLE)), cs.metric("B")) == "bob"
    row = compare(corpus, segmenters=["x"], human="central", **QUICK)["human"]
    assert (row.kind, row.n_codings, row.n_pairs) == ("upper bound", 2, 3)
    assert (row.matches, row.missed, row.spurious, row.near_misses) == (1, 1, 1, 0)
    assert (row.tp, row.fp, row.fn, row.tn) == (1, 1, 1, 17)
    assert row.value == pytest.approx(1 / 3)
    assert row.se == pytest.approx(stdev([1, 0, 0]) / math.sqrt(3))
    assert row.macro == pytest.approx(0.25)
    assert row.macro_se == pytest.approx(stdev([0.5, 0]) / math.sqrt(2))


def test_the_human_row_pools_the_groups_of_coders():
    """Group two: dan and eve agree on one boundary. Group three has one coder and says nothing."""
    codings = {
        "d": {**PEOPLE, "x": [11]},
        "e": {"dan": [3, 3], "eve": [3, 3], "x": [6]},
        "f": {"fay": [2], "x": [2]},
    }
    row = compare(Corpus.from_dict(codings), segmenters=["x"], human="central", **QUICK)["human"]
    assert (row.n_codings, row.n_pairs) == (3, 4)
    assert row.value == pytest.approx(2 / 4)
    assert row.macro == pytest.approx((0.5 + 0 + 1) / 3)


def test_scores_of_coders_and_the_first_of_equals():
    scores = bounds.coder_scores(Corpus.from_dict({"d": PEOPLE}), cs.metric("B"))
    assert {name: float(score) for name, score in scores.items()} == {
        "ann": 0.25,
        "bob": pytest.approx(1 / 3),
        "cy": 0.0,
    }
    equal = Corpus.from_dict({"d": {"ann": [2, 2], "bob": [2, 2]}})
    assert bounds.central_coder(equal, cs.metric("B")) == "ann"
    with pytest.raises(CorpusError, match="no document has two coders"):
        bounds.coder_scores(Corpus.from_dict({"d": {"ann": [2, 2]}}), cs.metric("B"))


def test_the_central_coder_by_an_error_has_the_least():
    corpus = Corpus.from_dict({"d": {"ann": [4, 4, 4], "bob": [4, 4, 4], "cy": [12]}})
    assert bounds.central_coder(corpus, cs.metric("WD")) in ("ann", "bob")


# -------------------------------------------------------------------- tables


def test_documents_table_is_pooled_by_hand():
    table = compare(HAND, segmenters=["x", "y"], **ALONE).to_table("documents")
    assert [column.name for column in table.columns] == ["document", "x", "y", "together"]
    assert table.rows == [
        ["one", pytest.approx(2 / 4), 0.0, pytest.approx(2 / 7)],
        ["two", 1.0, 0.5, pytest.approx(1.5 / 2)],
    ]


def test_coders_table_is_pooled_by_hand():
    table = compare(HAND, segmenters=["x", "y"], **ALONE).to_table("coders")
    assert [column.name for column in table.columns] == ["coder", "x", "y", "together"]
    assert table.rows == [
        ["bob", pytest.approx(0.25), 0.0, pytest.approx(0.5 / 3)],
        ["ann", pytest.approx(2.5 / 3), pytest.approx(0.5 / 3), pytest.approx(3 / 6)],
    ]


def test_the_hardest_document_comes_first_with_an_error_too():
    table = compare(HAND, segmenters=["x", "y"], metric="WD", **ALONE).to_table("documents")
    together = [row[-1] for row in table.rows]
    assert together == sorted(together, reverse=True)


def test_main_edits_and_macro_tables_by_hand():
    found = compare(HAND, segmenters=["x", "y"], metrics=["WD"], **ALONE)
    rows = {row[1]: row for row in found.to_table().rows}
    assert [row[1] for row in found.to_table().rows] == ["x", "y"]
    assert [row[0] for row in found.to_table().rows] == ["a", "b"]
    # x: 2 matches, 2 near misses, 1 spurious; y: 1 near miss, 3 missed
    assert rows["x"][2] == pytest.approx(3 / 5)
    assert rows["x"][-1] == pytest.approx(stdev([1, 0.5, 0.5, 0, 1]) / math.sqrt(5))
    assert rows["x"][-6:-1] == [pytest.approx(3 / 4), 1.0, pytest.approx(6 / 7), 5, 3]
    assert rows["y"][-6:-1] == [1.0, pytest.approx(0.5 / 3.5), pytest.approx(1 / 4), 4, 3]
    edits = {row[0]: row[1:] for row in found.to_table("edits").rows}
    assert edits["x"] == [2, 2, 0, 0, 1, 3, 1, 0, 23, pytest.approx(5 / 4)]
    assert edits["y"] == [0, 1, 0, 3, 0, 0.5, 0, 3, 23.5, pytest.approx(1 / 4)]
    macro = {row[0]: row[1:] for row in found.to_table("macro").rows}
    assert macro["x"][:2] == [pytest.approx(2 / 3), pytest.approx(stdev([0.75, 0.25, 1]) / math.sqrt(3))]
    assert macro["y"][0] == pytest.approx(0.5 / 3)
    # 4.302653 is the 97.5 % quantile of Student's t with two degrees of freedom.
    reach = 4.302653 * stdev([0.75, 0.25, 1]) / math.sqrt(3)
    assert macro["x"][2:4] == [pytest.approx(2 / 3 - reach), pytest.approx(2 / 3 + reach)]
    # WD of x as in test_evaluate
    assert macro["x"][4] == pytest.approx((2 / 9 + 3 / 8 + 0) / 3)
    assert macro["x"][-1] == 3


def test_people_stand_on_top_and_letters_say_who_beats_whom():
    found = compare(SIMULATED, segmenters=["poor", "good"], bounds=(), **QUICK)
    rows = found.to_table().rows
    assert [row[1] for row in rows] == ["human (upper bound)", "good", "poor"]
    assert [row[0] for row in rows] == ["", "a", "b"]
    assert [row[5] for row in rows] == ["", "b", ""]


def test_tests_table_has_every_two():
    table = compare(SIMULATED, segmenters=list(RATES), **ALONE).to_table("tests")
    assert [tuple(row[:2]) for row in table.rows] == [("poor", "good"), ("poor", "fair"), ("good", "fair")]
    differences = [row[2] for row in table.rows]
    assert differences[0] < differences[1] < 0 < differences[2]
    assert any("Holm" in note.text for note in table.notes)


NAME = "a_b & <script>"


def named() -> Corpus:
    codings = {f"{NAME} {i}": {"ann": [2, 3, 6], NAME: [2, 2, 7], "y": [11]} for i in range(3)}
    return Corpus.from_dict(codings)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("part", ["main", "edits", "macro", "documents", "coders", "tests"])
def test_every_table_in_every_format_with_names_escaped(part, format):
    found = compare(named(), segmenters=[NAME, "y"], **QUICK)
    text = found.to_table(part).render(format)
    if format == "latex":
        assert r"a\_b \& \textless{}script\textgreater{}" in text
    if format in ("latex", "markdown"):
        assert "<script>" not in text
        assert "a_b" not in text
    if format == "text":
        assert NAME in text
    if format == "json":
        assert NAME in json.dumps(json.loads(text), ensure_ascii=False)
    if format == "csv":
        assert any(NAME in cell for row in csv.reader(io.StringIO(text)) for cell in row)


@pytest.mark.exhaustive
def test_html_markdown_latex_and_frame_of_the_result():
    found = compare(named(), segmenters=[NAME, "y"], **QUICK)
    html = found._repr_html_()
    assert "<script>" not in html
    assert "a_b &amp; &lt;script&gt;" in html
    assert "<script>" not in found.to_markdown()
    assert r"\begin{tabular}" in found.to_latex()
    assert NAME in found.to_frame()["segmenter"].tolist()
    assert NAME in repr(found)


def test_plain_data_is_json_and_complete():
    data = json.loads(plain(compare(HAND, segmenters=["x", "y"], **QUICK)))
    assert {row["name"] for row in data["segmenters"]} == {"x", "y", "random", "human"}
    assert data["ranking"][0] == "x"
    assert data["signature"].startswith("B|n_t=2|")
    assert "draws=5" in data["signature"]
    assert data["test"]["contrasts"]


# -------------------------------------------------------------------- agreement drop and notes


def test_the_agreement_drop_is_that_of_kappa():
    stargazers = cs.load_stargazers()
    found = compare(stargazers, segmenters=["4", "5"], **ALONE)
    people = [name for name in stargazers.coders if name not in ("4", "5")]

    def kappa(coders: list[str]) -> float:
        return cs.agreement(stargazers.select(coders=coders), coefficient="kappa", n_resamples=0).value

    assert [drop.segmenter for drop in found.drop.drops] == ["4", "5"]
    for drop in found.drop.drops:
        assert drop.without == pytest.approx(kappa(people))
        assert drop.joined == pytest.approx(kappa([*people, drop.segmenter]))
    assert len(found.to_dict()["agreement drop"]["drops"]) == 2


def test_a_better_segmenter_drops_agreement_less():
    drops = {d.segmenter: d.drop for d in compare(SIMULATED, segmenters=list(RATES), **ALONE).drop.drops}
    assert drops["good"] < drops["fair"] < drops["poor"]


def test_a_metric_that_disagrees_is_noted_with_the_habits_behind_it():
    """'many' has all boundaries and 30 others; 'few' has none. WD and S like 'few', B 'many'."""
    many = sorted({*range(10, 100, 10), *range(5, 100, 10), *range(2, 100, 10), *range(7, 100, 10)})
    codings = {
        "ann": Segmentation.from_positions(range(10, 100, 10), 100),
        "many": Segmentation.from_positions(many, 100),
        "few": Segmentation.from_masses([100]),
    }
    corpus = Corpus.from_dict({f"d{i}": codings for i in range(3)})
    assert cs.window_diff(codings["ann"], codings["few"]) < cs.window_diff(codings["ann"], codings["many"])
    found = compare(corpus, segmenters=["many", "few"], **ALONE)
    assert found.ranking == ("many", "few")
    notes = disagreements(found)
    assert [note.split(":")[0] for note in notes] == ["S and WD rank few above many, B below"]
    assert "many has precision 0.23, recall 1.00" in notes[0]  # 9 of 39
    assert "4.33 boundaries per reference boundary" in notes[0]
    assert all(finding(note) in found.to_table().notes for note in notes)


def test_metrics_that_agree_are_not_noted():
    assert disagreements(compare(SIMULATED, segmenters=list(RATES), **ALONE)) == []


def test_a_metric_with_a_long_table_of_costs_can_stand_beside():
    costs = {(x, y): 0.5 for x in range(1, 9) for y in range(1, x)}
    metric = cs.METRICS["B"](substitution=costs)
    assert "x" in str(compare(HAND, segmenters=["x", "y"], metrics=[metric], **ALONE))


# -------------------------------------------------------------------- LaTeX, rankings, leave-one-out


@pytest.fixture(scope="module")
def ranked():
    return compare(SIMULATED, segmenters=list(RATES), **{**QUICK, "n_resamples": 999})


def test_latex_marks_the_best_and_whom_it_beats(ranked):
    latex = ranked.to_latex()
    best, *_, worst = ranked.ranking
    lines = {
        name: next(line for line in latex.splitlines() if f"& {ranked.labels[name]} &" in line)
        for name in (best, worst)
    }
    assert r"\textbf{" in lines[best]
    assert r"$^{" in lines[best]
    assert r"\textbf{" not in lines[worst].split("&")[2]
    assert r"$^{" not in lines[worst]
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1
    assert "randomization by document" in latex


def test_rankings_by_each_metric_follow_its_direction(ranked):
    for spec, order in ranked.rankings.items():
        if spec == repr(ranked.metric):
            continue
        means = [ranked.means[spec][name].mean for name in order]
        assert means == sorted(means, reverse=cs.metric(spec).direction == "higher")


def test_leave_one_out_pools_every_coder_against_the_others():
    """By hand: ann {2, 5}, bob {2}, cy none of 11 units; each pair is compared in both directions."""
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [11], "x": [2, 9]}})
    found = compare(corpus, segmenters=["x"], bounds=(), human="leave-one-out", n_resamples=9)["human"]
    # ann-bob 1 of 2, ann-cy 0 of 2, bob-cy 0 of 1: 1 of 5, twice.
    assert found.value == pytest.approx(1 / 5)
    assert found.n_pairs == 10
    assert found.n_codings == 6


# -------------------------------------------------------------------- failures, windows and reports


@pytest.mark.parametrize(
    ("coding", "said"),
    [
        ([2, 10], "few is precise but misses 80 % of the boundaries"),  # 1 of 1 right, 1 of 5 found
        ([2, 1, 2, 7], "few misses 80 % of the boundaries"),  # 1 of 3 right, 1 of 5 found
    ],
)
def test_precise_is_said_only_where_precision_is_high(coding, said):
    codings = {f"d{i}": {"ann": [2] * 6, "few": coding} for i in range(8)}
    parameters = {**ALONE, "metric": "B(n_t=1)"}
    found = compare(Corpus.from_dict(codings), segmenters=["few"], bounds=("all",), **{
        key: value for key, value in parameters.items() if key != "bounds"
    })  # fmt: skip
    words = conclusion(found)
    assert said in words
    assert ("precise" in words) is ("precise" in said)


@pytest.mark.parametrize(
    "spec", ["Pk(k=50)", "PkPrime(k=11)", "WD(k=11, edges='wrap')", "WinF(k=20)", "EPk(k=11)", "EWD(k=50)"]
)
def test_no_window_no_value(spec):
    """SPEC §14: Pk(k=50) of 11 units was 0, perfect."""
    metric = cs.metric(spec)
    people, machine = HAND.select(coders=["ann", "bob"]), HAND.select(coders=["y"])
    wanted = rf"k={metric.k} has no window in 11 units.*at most 10"
    calls = [
        (lambda: metric([2, 3, 6], [5, 6]), ""),
        (lambda: metric.batch([[20] * 3, [2, 3, 6]], [[60], [5, 6]]), "pair 1: "),
        (lambda: cs.evaluate(people, machine, [spec]), "document one: "),
        (
            lambda: compare(HAND, segmenters=["x"], references=["ann"], metrics=[spec], **ALONE),
            "document one: ",
        ),
        (lambda: compare(HAND, segmenters=["x"], references=["ann"], metric=spec, **ALONE), "document one: "),
    ]
    for call, where in calls:
        with pytest.raises(ParameterError, match=f"^{where}{metric.name} with {wanted}"):
            call()


def test_no_window_for_many_references_and_the_functions():
    people, machine = HAND.select(coders=["ann", "bob"]), HAND.select(coders=["y"])
    with pytest.raises(ParameterError, match="document one: MultWD with k=11 has no window in 11 units"):
        cs.evaluate(people, machine, ["MultWD(k=11)"])
    for function in (cs.pk, cs.pk_prime, cs.window_diff, cs.win_pr, cs.mult_window_diff, cs.hierarchical_pk):
        with pytest.raises(ParameterError, match="with k=11 has no window in 11 units"):
            function([2, 3, 6], [5, 6], k=11)
        function([2, 3, 6], [5, 6], k=10)
        function([1], [1])  # the automatic k of one unit: no window, no error (SPEC §5)


@pytest.mark.exhaustive
def test_the_report_says_what_compare_says(monkeypatch, capsys, tmp_path):
    """SPEC §14: reports and commands use the same; with 11 segmenters they contradicted each other."""
    monkeypatch.chdir(tmp_path)
    rates = {f"s{i}": 0.05 + 0.06 * i for i in range(12)}
    corpus = simulate(12, seed=3, rates=rates)
    cs.write(corpus, "data.json")
    names = [part for name in rates for part in ("-s", name)]
    assert run(["compare", "data.json", *names, "-m", "B", "-f", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    made = report(corpus, segmenters=list(rates))
    assert made.comparison is not None
    assert run(["report", "data.json", *names, "-o", "page.html"]) == 0
    for key in ("ranking", "test", "conclusion", "signature"):
        assert json_safe(made.comparison.to_dict()[key]) == printed[key], key
    for mine, theirs in zip(made.comparison.to_dict()["segmenters"], printed["segmenters"], strict=True):
        assert (mine["name"], mine["value"], mine["beats"]) == tuple(
            theirs[k] for k in ("name", "value", "beats")
        )
        assert json_safe(mine["interval"]) == theirs["interval"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.escape(printed["conclusion"]) in page


@pytest.mark.parametrize("n_documents", [9, 1200])
def test_a_segmenter_has_the_interval_that_evaluate_gives_it(n_documents: int) -> None:
    """Whoever is compared beside it: another segmenter must not change which documents are drawn."""
    rng = np.random.default_rng(3)
    corpus = Corpus.from_dict(
        {
            f"d{number}": {
                coder: Segmentation.from_gaps((rng.random(7) < 0.3).astype(int).tolist())
                for coder in ("ann", "bob", "near", "far")
            }
            for number in range(n_documents)
        }
    )
    people, shared = ["ann", "bob"], {"n_resamples": 99, "rng": 5}
    compared = compare(
        corpus, segmenters=["near", "far"], references=people, metric="B(n_t=3)", test=False, **shared
    )
    alone = cs.evaluate(corpus, metrics=["B(n_t=3)"], references=people, segmenters=["near"], **shared)
    assert compared["near"].interval == alone["B(n_t=3)"].interval


def test_a_flat_segmenter_that_finds_every_ranked_boundary_is_perfect() -> None:
    ranks = {2: 1, 4: 2, 7: 3, 9: 2}
    flat = Segmentation.from_positions(list(ranks), n_units=12)
    ranked = cs.Hierarchy.from_ranks(ranks, n_units=12)
    corpus = Corpus.from_dict({name: {"gold": ranked, "mine": flat} for name in "abcdefgh"})
    options = {"segmenters": ["mine"], "references": ["gold"], "n_resamples": 99, "rng": 0}
    for metric in ("B", "WD"):
        compared = compare(corpus, metric=metric, **options)
        row = compared["mine"]
        assert (row.precision, row.recall, row.wrong_types) == (1.0, 1.0, 0.0)
        assert compared.ranking == ("mine", "random")
        assert any("without boundary types and ranks, because mine" in text for text in compared.caveats)
    kept = compare(corpus, types=True, **options)
    assert (kept["mine"].precision, kept["mine"].wrong_types) == (0.25, 24.0)


TWO_TYPES = {"ann": [1, 2], "x": [2, 1]}


def test_without_types_tables_call_a_metric_by_its_requested_name() -> None:
    """The signature says which types are compared, as in evaluate(); S of no types is another metric."""
    found = compare(HAND, segmenters=["x", "y"], metrics=["S", "WD"], types=False, **ALONE)
    columns = [column.name for column in found.to_table().columns]
    assert columns[5:8] == ["beats", "S", "WD"]
    assert r" & S & WD \\" in found.to_latex()
    macro = [column.name for column in found.to_table("macro").columns]
    assert [name for name in macro if " " not in name] == ["segmenter", "B", "S", "WD", "codings"]
    assert any(text.startswith("S|") and "types=none" in text for text in found.signatures.values())
    page = cs.report(HAND, segmenters=["x", "y"], types=False, n_resamples=99).to_html()
    assert "types=()" not in page
    codings = {name: Segmentation.from_positions([2, 5], 9, types) for name, types in TWO_TYPES.items()}
    both = compare(Corpus.from_dict({"d": codings}), segmenters=["x"], metrics=["S", "S(types=())"], **ALONE)
    assert [column.name for column in both.to_table().columns][5:8] == ["beats", "S", "S(types=())"]


def test_a_report_without_types_has_the_random_bound_of_a_comparison_without_types() -> None:
    corpus, options = typed_corpus(TYPED, 60), {"segmenters": ["bob"], "references": ["ann"], "types": False}
    shown = cs.report(corpus, n_resamples=99, rng=4, **options).comparison
    compared = compare(corpus, n_resamples=99, rng=4, test=False, **options)
    for name in ("bob", "random"):
        theirs = (compared[name].value, compared[name].precision, compared[name].recall)
        assert (shown[name].value, shown[name].precision, shown[name].recall) == theirs


def test_random_boundaries_are_chance_in_words_and_tables_beside_a_segmenter_named_random() -> None:
    """By hand: three names that differ, whichever of them the data have."""
    codings = {"d": {"ann": [2, 3, 6], "bob": [2, 9], "Random": [3, 8], "chance": [11]}}
    corpus = cs.Corpus.from_dict(codings)
    found = cs.compare(corpus, segmenters=["Random"], references=["ann", "bob"], **QUICK)
    assert {row[1] for row in found.to_table().rows} == {
        "Random",
        "chance (lower bound)",
        "human (upper bound)",
    }
    for part in ("edits", "macro", "documents", "coders", "tests", "human", "differences"):
        table = found.to_table(part)
        shown = {str(cell) for row in [[c.name for c in table.columns], *table.rows] for cell in row}
        assert "chance" in shown
        assert "random" not in shown
    verdict = found.findings[0].replace("randomization", "")
    assert "chance" in verdict
    assert "random" not in verdict
    taken = cs.compare(corpus, segmenters=["chance"], references=["ann", "bob"], **QUICK)
    assert {row[1] for row in taken.to_table().rows} == {
        "chance",
        "random (lower bound)",
        "human (upper bound)",
    }


def test_metrics_that_disagree_about_several_pairs_are_one_sentence() -> None:
    """By their rankings: each metric's first exchange, all of them in one note."""
    drawn = cs.simulate(4, 8, n_units=60, mean_segment=6, near_miss=0.3, full_miss=0.3, rng=2)
    corpus = cs.Corpus.from_dict(drawn.segmentations())
    found = compare(
        corpus, segmenters=[f"c{n}" for n in range(2, 9)], metrics=["S", "WD", "Pk", "GHD"], **ALONE
    )
    assert len({order for spec, order in found.rankings.items() if spec != repr(found.metric)}) > 1
    (note,) = disagreements(found)
    assert note.startswith("Not all metrics rank like B: ")
    for metric in found.others:
        place = {name: i for i, name in enumerate(found.rankings[repr(metric)])}
        pairs = [(a, b) for i, a in enumerate(found.ranking) for b in found.ranking[i + 1 :]]
        above = [f"{b} above {a}" for a, b in pairs if place[b] < place[a]]
        assert not above or (metric.name in note and any(pair in note for pair in above))
