"""One window for all references of a document, or of a corpus.

Source of truth: half the mean segment length, worked out below segment by segment.
"""

from __future__ import annotations

from statistics import fmean

import pytest

import caesura as cs

GOLD = {
    "a": {"ann": [3, 4, 5], "bob": [6, 6]},
    "b": {"ann": [24, 24]},
    "c": {"ann": [1, 1, 1, 1, 20], "bob": [4] * 6, "cy": [24]},
}
MINE = {"a": {"mine": [4, 8]}, "b": {"mine": [30, 18]}, "c": {"mine": [5, 19]}}


def half_the_mean(codings):
    """Return half the mean segment of these masses, at least 2, at most the shortest document less 1."""
    half = round(fmean(size for masses in codings for size in masses) / 2)
    return min(max(2, half), min(map(sum, codings)) - 1)


OF_DOCUMENT = {document: half_the_mean([*coded.values()]) for document, coded in GOLD.items()}
OF_CORPUS = half_the_mean([masses for coded in GOLD.values() for masses in coded.values()])


def pooled(metric, sizes):
    """Add up errors and windows of every reference, with the window of its document."""
    scores = [
        metric(masses, MINE[document]["mine"], k=sizes[document])
        for document, coded in GOLD.items()
        for masses in coded.values()
    ]
    return sum(score.numerator for score in scores), sum(score.denominator for score in scores)


def test_the_three_rules_differ_here():
    assert len({*OF_DOCUMENT.values()}) == 3
    assert OF_CORPUS not in OF_DOCUMENT.values()


def test_a_corpus_has_one_window():
    gold = cs.Corpus.from_dict(GOLD)
    assert cs.window_size(gold) == OF_CORPUS
    assert cs.window_size(gold.select(documents=["c"])) == OF_DOCUMENT["c"]
    assert cs.window_size(gold, rounding="ceil", k_min=9) == 9
    with pytest.raises(cs.ParameterError, match="the corpus has no codings"):
        cs.window_size(cs.Corpus.merge())


@pytest.mark.parametrize(("name", "function"), [("WD", cs.window_diff), ("Pk", cs.pk)])
def test_evaluate_and_compare_take_it(name, function):
    gold, mine = cs.Corpus.from_dict(GOLD), cs.Corpus.from_dict(MINE)
    for rule, sizes in (("document", OF_DOCUMENT), ("corpus", dict.fromkeys(GOLD, OF_CORPUS))):
        spec = f"{name}(k={rule!r})"
        micro = cs.evaluate(gold, mine, [spec], n_resamples=0)[spec].micro
        expected = pooled(function, sizes)
        assert (micro.numerator, micro.denominator) == expected
        both = cs.Corpus.merge(gold, mine)
        compared = cs.compare(both, segmenters=["mine"], metric=spec, n_resamples=9, rng=0)
        assert compared["mine"].value == pytest.approx(expected[0] / expected[1])
        matrix = cs.coder_matrix(both, spec, documents=["b"])
        assert matrix.values.shape == (2, 2)
    evaluation = cs.evaluate(gold, mine, [f"{name}(k='corpus')"], n_resamples=0)
    assert f"|k={OF_CORPUS}|" in evaluation.notes[-1].text


def test_many_references_of_a_document_have_one_window_anyhow():
    gold, mine = cs.Corpus.from_dict(GOLD), cs.Corpus.from_dict(MINE)
    plain, named, whole = (
        cs.evaluate(gold, mine, [f"MultWD{k}"], n_resamples=0).summaries[0].micro
        for k in ("", "(k='document')", "(k='corpus')")
    )
    assert plain.counts == named.counts
    shared = [
        cs.mult_window_diff([*coded.values()], MINE[document]["mine"], k=OF_CORPUS).score
        for document, coded in GOLD.items()
    ]
    assert whole.counts == sum(shared[1:], start=shared[0]).counts


def test_a_pair_knows_no_corpus():
    with pytest.raises(cs.ParameterError, match=r"WD: k is 'corpus'.*k=window_size\(corpus\)"):
        cs.metric("WD(k='corpus')")([2, 3, 6], [2, 2, 7])
    with pytest.raises(cs.ParameterError, match="WD: k is 'corpus'"):
        cs.metric("WD(k='corpus')").batch([[2, 3, 6]], [[2, 2, 7]])
    assert cs.metric("WD(k='document')")([2, 3, 6], [2, 2, 7]) == 2 / 9
    with pytest.raises(cs.ParameterError, match="k is 'corpsu': expected a number of units"):
        cs.metric("WD(k='corpsu')")
