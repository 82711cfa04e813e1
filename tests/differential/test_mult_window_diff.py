"""multWinDiff against a naive transcription of its definition: KS12 eq. 7–10, in the form of SPEC §5.

KS12 is Kazantseva & Szpakowicz (2012). Source of truth: the loops below over every window, every reference
and every possible number of boundaries, in fractions; cases whose value follows from the definition; and
examples worked out by hand.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.properties import strategies as own

import caesura as cs
from caesura import METRICS, Accumulator, Corpus, Segmentation, window_diff
from caesura.analyses.evaluation import Evaluation, evaluate
from caesura.errors import ComparisonError, CorpusError, ParameterError, SegmentationError, UnknownNameError
from caesura.metrics.multi import ErrorBounds, MultWD, mult_window_diff
from caesura.results.notes import signature

# -------------------------------------------------------------------- the definition, slowly


def half_even(value: Fraction) -> int:
    return round(value)  # Python rounds a Fraction half to even


def default_window(references: list[Segmentation]) -> int:
    n_units = references[0].n_units
    segments = [mass for reference in references for mass in reference.masses]
    m = max(2, half_even(Fraction(sum(segments), len(segments)) / 2))
    return max(1, min(m, n_units - 1))


def naive(references: list[Segmentation], hypothesis: Segmentation, m: int) -> dict[str, Fraction]:
    n_units, h = hypothesis.n_units, len(references)
    windows = [set(range(i + 1, i + m + 1)) for i in range(n_units - m)]
    if not windows:
        return dict.fromkeys(("error", "best", "worst", "value"), Fraction(0))
    error = best = worst = Fraction(0)
    for window in windows:
        counts = [len(window & set(reference.positions)) for reference in references]
        guess = len(window & set(hypothesis.positions))
        error += sum(count != guess for count in counts)
        best += h - max(counts.count(count) for count in counts)
        worst += h - min(counts.count(possible) for possible in range(m + 1))
    scale = h * len(windows)
    value = (error - best) / (worst - best) if worst != best else Fraction(0)
    return {"error": error / scale, "best": best / scale, "worst": worst / scale, "value": value}


def plain_of(n_units: int) -> st.SearchStrategy[Segmentation]:
    def build(number: int) -> Segmentation:
        marks = format(number, f"0{n_units - 1}b") if n_units > 1 else ""
        return Segmentation.from_gaps(marks)

    return st.integers(0, 2 ** (n_units - 1) - 1).map(build)


def several(max_units: int = 24, max_references: int = 9) -> st.SearchStrategy:
    """Some references and a hypothesis of one document, and a window size or none."""
    return st.integers(1, max_units).flatmap(
        lambda n: st.tuples(
            st.lists(plain_of(n), min_size=1, max_size=max_references),
            plain_of(n),
            st.none() | st.integers(1, min(6, n - 1)) if n > 1 else st.none(),
        )
    )


# -------------------------------------------------------------------- equality


@given(several())
def test_equals_the_naive_definition(drawn):
    references, hypothesis, k = drawn
    m = default_window(references) if k is None else k
    result = mult_window_diff(references, hypothesis, k=k)
    expected = naive(references, hypothesis, m)
    assert result.k == m
    assert result.n_references == len(references)
    for name, value in expected.items():
        assert getattr(result, name) == pytest.approx(float(value), abs=1e-12)


@given(several())
def test_errors_are_false_positives_or_false_negatives(drawn):
    """Counted window by window: too many boundaries or too few, over windows × references."""
    references, hypothesis, k = drawn
    result = mult_window_diff(references, hypothesis, k=k)
    windows = [range(i + 1, i + result.k + 1) for i in range(hypothesis.n_units - result.k)]
    own = [sum(p in window for p in hypothesis.positions) for window in windows]
    theirs = [[sum(p in window for p in one.positions) for window in windows] for one in references]
    too_many = sum(h > r for one in theirs for r, h in zip(one, own, strict=True))
    too_few = sum(h < r for one in theirs for r, h in zip(one, own, strict=True))
    assert result.wrong_windows == (too_many, too_few)
    assert too_many + too_few == result.score.counts[0]
    if windows:
        assert result.false_positives == pytest.approx(too_many / len(windows) / len(references))
        assert result.false_negatives == pytest.approx(too_few / len(windows) / len(references))


@given(several(max_units=7, max_references=20))
def test_equals_the_naive_definition_where_every_count_has_support(drawn):
    """Only here, with more references than possible counts, is the worst guess not simply wrong."""
    references, hypothesis, _ = drawn
    assume(hypothesis.n_units > 1)
    expected = naive(references, hypothesis, max(1, min(1, hypothesis.n_units - 1)))
    result = mult_window_diff(references, hypothesis, k=1)
    assert result.worst == pytest.approx(float(expected["worst"]), abs=1e-12)
    assert result.value == pytest.approx(float(expected["value"]), abs=1e-12)


@given(own.typed_pairs())
def test_types_do_not_count(pair):
    reference, hypothesis = pair
    plain = [Segmentation.from_positions(one.positions, one.n_units) for one in pair]
    assert mult_window_diff([reference], hypothesis).value == mult_window_diff([plain[0]], plain[1]).value


@given(st.lists(st.sets(st.integers(1, 10**12), max_size=8), min_size=2, max_size=5), st.integers(1, 10**12))
def test_equals_the_definition_on_long_documents(positions, k):
    """Windows between two changes are all equal, so the definition needs one of each run."""
    n_units = 10**12 + 1
    *references, hypothesis = [Segmentation.from_positions(sorted(one), n_units) for one in positions]
    result = mult_window_diff(references, hypothesis, k=k)
    edges = sorted(
        {0, n_units - k}
        | {edge for one in positions for p in one for edge in (p - k, p) if 0 < edge < n_units - k}
    )
    h = len(references)
    error = best = worst = 0
    for start, end in pairwise(edges):
        counts = [sum(start < p <= start + k for p in reference.positions) for reference in references]
        guess = sum(start < p <= start + k for p in hypothesis.positions)
        run = end - start
        error += run * sum(count != guess for count in counts)
        best += run * (h - max(counts.count(count) for count in counts))
        least = 0 if k + 1 > len(set(counts)) else min(counts.count(count) for count in set(counts))
        worst += run * (h - least)
    assert result.score.counts == (error, best, worst, h * (n_units - k))


def test_a_document_of_a_trillion_units_at_the_default_k():
    """Three coders break at a, a + 5 and far away; the hypothesis at a. Half the mean segment is n / 4.

    It contradicts more coders than the best guess would only in the five windows that end at a .. a + 4:
    there the coders have 1, 0 and 0 breaks, so two errors where one is least. The five that begin at
    a .. a + 4 have 0, 1 and 0: one error, which is least.
    """
    n_units = 10**12
    a, far = 4 * 10**11, 9 * 10**11
    references = [Segmentation.from_positions([p], n_units) for p in (a, a + 5, far)]
    result = mult_window_diff(references, references[0])
    assert result.k == n_units // 4
    error, best, worst, comparisons = result.score.counts
    assert error - best == 5
    assert (worst, comparisons) == (3 * (n_units - n_units // 4),) * 2


# -------------------------------------------------------------------- what follows from the definition


@given(own.plain_pairs())
def test_one_reference_gives_window_diff(pair):
    reference, hypothesis = pair
    assert mult_window_diff(reference, hypothesis).value == pytest.approx(float(window_diff(*pair)))
    assert float(MultWD()(reference, hypothesis)) == pytest.approx(float(window_diff(*pair)))


@given(own.plain_pairs(), st.integers(2, 6))
def test_equal_references_give_window_diff_and_the_widest_bounds(pair, h):
    reference, hypothesis = pair
    result = mult_window_diff([reference] * h, hypothesis)
    assert result.value == pytest.approx(float(window_diff(*pair)))
    assert (result.best, result.worst) == ((0.0, 1.0) if reference.n_units > 1 else (0.0, 0.0))


@given(several())
def test_a_majority_of_equal_references_scores_zero_for_their_segmentation(drawn):
    references, hypothesis, k = drawn
    crowd = [*references, *[hypothesis] * len(references)]
    result = mult_window_diff(crowd, hypothesis, k=k)
    assert result.value == 0.0
    assert result.error == result.best


def test_the_majority_of_each_window_scores_zero_though_no_coder_wrote_it():
    """Coders mark 2 and 5, 5 and 8, 2 and 8: each of the three positions has two of three coders."""
    references = [Segmentation.from_positions(p, 10) for p in ([2, 5], [5, 8], [2, 8])]
    majority = Segmentation.from_positions([2, 5, 8], 10)
    result = mult_window_diff(references, majority, k=1)
    assert result.value == 0.0
    assert result.error == result.best == pytest.approx(3 / 27)
    # No boundary is contradicted twice at each of the three places: (6 - 3) / (worst - 3); in the six windows
    # without marks the least popular of the counts 0 and 1 has no support, in the three others one coder's.
    nothing = mult_window_diff(references, Segmentation.from_positions([], 10), k=1)
    assert nothing.value == pytest.approx((6 - 3) / (6 * 3 + 3 * 2 - 3))


def test_worst_equal_to_best_scores_zero():
    """Two coders, one position, one mark: either guess contradicts one of them."""
    for hypothesis in ([2], [1, 1]):
        result = mult_window_diff([[2], [1, 1]], hypothesis)
        assert (result.error, result.best, result.worst, result.value) == (0.5, 0.5, 0.5, 0.0)


@given(several())
def test_bounds(drawn):
    references, hypothesis, k = drawn
    result = mult_window_diff(references, hypothesis, k=k)
    assert 0 <= result.best <= result.error <= result.worst <= 1
    assert 0 <= result.value <= 1
    for one in references:
        assert mult_window_diff(references, one, k=k).best == result.best


@given(several(), st.randoms(use_true_random=False))
def test_order_of_references_does_not_matter(drawn, random):
    references, hypothesis, k = drawn
    shuffled = random.sample(references, len(references))
    assert MultWD(k=k)(shuffled, hypothesis).counts == MultWD(k=k)(references, hypothesis).counts


def test_by_hand():
    """11 units, k = 2: references break at 2 5, at 2 4 and at 5, the hypothesis at 2.

    Windows 0 and 1: one coder has none there. Window 2: one has a break at 4. Window 3: all three have one,
    the hypothesis none. Window 4: two have the one at 5. Errors 1 1 1 3 2, best 1 1 1 0 1, worst 3 in all 9.
    """
    result = mult_window_diff([[2, 3, 6], [2, 2, 7], [5, 6]], [2, 9], k=2)
    assert result.score.counts == (8, 4, 27, 27)
    assert result.value == pytest.approx(4 / 23)
    assert (result.error, result.best, result.worst) == pytest.approx((8 / 27, 4 / 27, 1))
    assert float(result) == result.value
    assert repr(result).startswith("<MultWD(k=2) 0.173913")
    assert result.signature.startswith("MultWD|k=2|rounding=half-even|k_min=2|")


# -------------------------------------------------------------------- the metric object


def test_registered_after_window_diff():
    names = list(METRICS)
    assert names[names.index("WD") + 1] == "MultWD"
    assert [name for name, cls in METRICS.items() if cls.multi_reference] == ["Bw", "MultWD"]
    assert repr(cs.metric("MultWD(k=3)")) == "MultWD(k=3)"


def test_references_in_every_form():
    corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 2, 7]}})
    forms = [
        [[2, 3, 6], [2, 2, 7]],
        ([2, 3, 6], "0101000000"),
        [np.array([2, 3, 6]), np.array([2, 2, 7])],
        ["0100100000", "0101000000"],
        [Segmentation.from_masses([2, 3, 6]), (2, 2, 7)],
        corpus["d"],
    ]
    values = {MultWD()(form, [2, 9]).counts for form in forms}
    assert len(values) == 1
    for single in (
        [2, 3, 6],
        (2, 3, 6),
        "0100100000",
        np.array([2, 3, 6]),
        Segmentation.from_masses([2, 3, 6]),
    ):
        assert MultWD()(single, [2, 9]) == window_diff([2, 3, 6], [2, 9])


@given(st.lists(several(), min_size=1, max_size=4))
def test_scores_pool_counts(drawn):
    references = [one for one, _, _ in drawn]
    hypotheses = [one for _, one, _ in drawn]
    expected = [
        naive(refs, hyp, default_window(refs)) for refs, hyp in zip(references, hypotheses, strict=True)
    ]
    scores = MultWD().batch(references, hypotheses)
    assert scores.values == pytest.approx([float(one["value"]) for one in expected])
    weights = [
        len(refs) * (hyp.n_units - default_window(refs))
        for refs, hyp in zip(references, hypotheses, strict=True)
    ]
    totals = {
        name: sum(one[name] * weight for one, weight in zip(expected, weights, strict=True))
        for name in ("error", "best", "worst")
    }
    span = totals["worst"] - totals["best"]
    micro = (totals["error"] - totals["best"]) / span if span else 0
    assert float(scores.micro) == pytest.approx(float(micro))
    total = Accumulator("MultWD")
    for refs, hyp in zip(references, hypotheses, strict=True):
        total.update(refs, hyp)
    assert total.value.counts == scores.micro.counts
    if sum(weights):
        bounds = ErrorBounds.of(scores.micro)
        assert bounds == pytest.approx([float(totals[name] / sum(weights)) for name in bounds._fields])


def test_batch_takes_single_references_like_every_metric():
    pairs = ([[2, 3, 6], [5, 6]], [[2, 2, 7], [6, 5]])
    assert MultWD().batch(*pairs).values.tolist() == cs.metric("WD").batch(*pairs).values.tolist()
    with pytest.raises(ParameterError, match="1 sets of references but 2 hypotheses"):
        MultWD().batch([[2, 3]], [[2, 3], [5]])


@pytest.mark.parametrize(
    ("references", "hypothesis", "error", "message"),
    [
        ([[2, 3], [2, 4]], [5], ComparisonError, "the reference has 6 units and the hypothesis 5"),
        ([2, 3], [6], ComparisonError, "the reference has 5 units and the hypothesis 6"),
        ([], [6], SegmentationError, "empty"),
        ({}, [6], ParameterError, "no reference"),
        ([[2, 3], [2, 0, 3]], [5], SegmentationError, r"masses\[1\] is 0"),
    ],
)
def test_what_can_not_be_compared(references, hypothesis, error, message):
    with pytest.raises(error, match=message):
        mult_window_diff(references, hypothesis)


@pytest.mark.parametrize("parameters", [{"k": 0}, {"k": 1.5}, {"k_min": 0}, {"rounding": "up"}])
def test_wrong_parameters(parameters):
    with pytest.raises(ParameterError):
        mult_window_diff([[2, 3], [5]], [5], **parameters)


def test_rounding_of_half_the_mean_segment():
    """20 units in 4 segments: 5 on average, half of it 2.5."""
    references = [[5, 15], [4, 16]]
    assert mult_window_diff(references, [20]).k == 5
    references = [[5, 5, 10], [20]]
    assert mult_window_diff(references, [20]).k == 5
    references = [[5, 5, 5, 5]]
    assert [mult_window_diff(references, [20], rounding=how).k for how in ("half-even", "half-up")] == [2, 3]
    assert mult_window_diff(references, [20], k_min=7).k == 7


def test_one_unit_has_no_window():
    result = mult_window_diff([[1], [1]], [1])
    assert (result.value, result.error, result.best, result.worst) == (0.0, 0.0, 0.0, 0.0)


# -------------------------------------------------------------------- over a corpus


CODERS = Corpus.from_dict(
    {
        "one": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]},
        "two": {"ann": [4, 4], "bob": [3, 5]},
        "three": {"dan": [5]},
    }
)
SEGMENTERS = Corpus.from_dict(
    {
        "one": {"x": [2, 9], "y": [11]},
        "two": {"x": [4, 4], "y": [8]},
        "three": {"x": [5], "y": [2, 3]},
    }
)


def over(references: Corpus, hypotheses: Corpus, spec: str = "MultWD") -> Evaluation:
    return evaluate(references, hypotheses, [spec], n_resamples=0)


def against_the_others(corpus: Corpus, coder: str) -> Evaluation:
    """Evaluate one coder against all others, on the documents that are shared with any of them."""
    alone = corpus.select(coders=[coder])
    others = corpus.select(coders=[name for name in corpus.coders if name != coder])
    shared = [document for document in alone.documents if document in others.document_numbers]
    return over(others.select(documents=shared), alone.select(documents=shared))


def test_over_a_corpus():
    result = over(CODERS, SEGMENTERS)
    assert (result.documents, result.segmenters) == (("one", "two", "three"), ("x", "y"))
    for segmenter in ("x", "y"):
        found = result["MultWD", segmenter]
        expected = []
        for document in CODERS.documents:
            references = list(CODERS[document].values())
            m = default_window(references)
            weight = len(references) * (references[0].n_units - m)
            expected.append((naive(references, SEGMENTERS[document, segmenter], m), weight))
        values = [float(one["value"]) for one, _ in expected]
        assert found.documents == pytest.approx(values)
        assert found.macro == pytest.approx(sum(values) / 3)
        totals = [sum(one[name] * weight for one, weight in expected) for name in ("error", "best", "worst")]
        micro = (totals[0] - totals[1]) / (totals[2] - totals[1])
        assert float(found.micro) == pytest.approx(float(micro))
        assert found.micro.n_pairs == found.n == 3
        comparisons = sum(weight for _, weight in expected)
        assert ErrorBounds.of(found.micro) == pytest.approx([float(one / comparisons) for one in totals])


def test_a_coder_against_the_others():
    """Bob shares one with ann and cy, and two with ann; nobody else has coded what dan has."""
    result = against_the_others(CODERS, "bob")
    assert result.documents == ("one", "two")
    assert result.n_references == (2, 1)
    expected = mult_window_diff([[2, 3, 6], [5, 6]], [2, 2, 7]).value
    assert result["MultWD"].documents == pytest.approx((expected, float(window_diff([4, 4], [3, 5]))))


def test_result_as_data_and_tables():
    """Document one by hand, see ``test_by_hand``: 8 errors where 4 are least and all 27 most."""
    result = over(CODERS, SEGMENTERS, "MultWD(k=2)")
    data = result.to_dict()
    assert len(data["documents"]) == 3
    assert data["documents"][0] == {
        "document": "one",
        "units": 11,
        "references": 3,
        "x MultWD(k=2)": pytest.approx(4 / 23),
        "y MultWD(k=2)": pytest.approx(
            float(naive([*CODERS["one"].values()], SEGMENTERS["one", "y"], 2)["value"])
        ),
    }
    one = mult_window_diff(CODERS["one"], SEGMENTERS["one", "x"], k=2)
    assert (one.error, one.best, one.worst) == pytest.approx((8 / 27, 4 / 27, 1.0))
    assert (one.k, one.n_references) == (2, 3)
    assert [data["metrics"][name]["segmenter"] for name in data["metrics"]] == ["x", "y"]
    table = result.to_table()
    assert [column.name for column in table.columns] == [
        *("document", "units", "references", "x MultWD(k=2)", "y MultWD(k=2)"),
    ]
    totals = {str(row[0]): row[3:] for row in table.totals}
    for average in ("micro", "macro"):
        assert totals[average] == [float(getattr(result["MultWD(k=2)", one], average)) for one in ("x", "y")]
    assert table.notes[-1] == signature(result["MultWD(k=2)", "x"].micro.signature)
    assert len(table.of_kind("signature")) == 1
    assert repr(result).startswith("<Evaluation on 3 documents: x MultWD(k=2) 0.")
    assert "one" in result.to_markdown()


@pytest.mark.parametrize(
    ("hypotheses", "error", "message"),
    [
        (
            SEGMENTERS.select(documents=["one"]),
            CorpusError,
            r"x lacks 2 \(two and three\) of the 3",
        ),
        (
            Corpus.merge(SEGMENTERS, Corpus.from_dict({"four": {"x": [2], "y": [2]}})),
            CorpusError,
            r"segmenter x has 1 \(four\), which no reference coder has",
        ),
        (
            Corpus.from_dict({"one": {"x": [12]}, "two": {"x": [8]}, "three": {"x": [5]}}),
            ComparisonError,
            "document one: segmenter x has 12 units where the references have 11",
        ),
    ],
)
def test_corpora_that_do_not_fit(hypotheses, error, message):
    with pytest.raises(error, match=message):
        over(CODERS, hypotheses)


def test_a_coder_who_shares_nothing_or_is_not_there():
    with pytest.raises(CorpusError, match="no annotations"):
        against_the_others(CODERS, "dan")
    with pytest.raises(UnknownNameError, match="unknown coder 'bbo'"):
        against_the_others(CODERS, "bbo")
