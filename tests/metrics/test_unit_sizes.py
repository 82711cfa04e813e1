"""unit_sizes: windows run over words while boundaries stand between sentences (C10, footnote 2; Choi 2000).

Source of truth: the same segmentation written down word by word, by the metric without sizes.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.strategies import plain_pairs

import caesura as cs
from caesura import Corpus, ParameterError, Segmentation

NAMES = ["Pk", "PkPrime", "WD", "WD(weighted=True)", "WD(edges='wrap')", "WinP", "WinR", "WinF", "MultWD"]


def word_by_word(segmentation, sizes):
    """Label each word with the segment of its sentence."""
    labels = segmentation.to_labels()
    return Segmentation.from_labels([labels[i] for i, size in enumerate(sizes) for _ in range(size)])


@st.composite
def sized_pairs(draw):
    pair = draw(plain_pairs(12))
    n_units = pair[0].n_units
    return (*pair, draw(st.lists(st.integers(1, 6), min_size=n_units, max_size=n_units)))


@given(sized_pairs(), st.sampled_from(NAMES))
def test_windows_run_over_what_sizes_count(drawn, name):
    reference, hypothesis, sizes = drawn
    metric = cs.metric(name)
    sized = type(metric)(**(metric.parameters | {"unit_sizes": sizes}))
    words = [word_by_word(side, sizes) for side in (reference, hypothesis)]
    assert sized(reference, hypothesis).counts == metric(*words).counts
    assert (
        sized.batch([reference] * 2, [hypothesis, reference]).rows.tolist()
        == metric.batch([words[0]] * 2, [words[1], words[0]]).rows.tolist()
    )
    assert cs.metric(repr(sized)) == sized


@given(sized_pairs())
def test_functions_take_them(drawn):
    reference, hypothesis, sizes = drawn
    words = [word_by_word(side, sizes) for side in (reference, hypothesis)]
    for function in (cs.pk, cs.pk_prime, cs.window_diff, cs.mult_window_diff):
        assert float(function(reference, hypothesis, unit_sizes=sizes)) == float(function(*words))
    ours, theirs = cs.win_pr(reference, hypothesis, unit_sizes=sizes), cs.win_pr(*words)
    for name in ("tp", "fp", "fn", "tn", "k"):
        assert getattr(ours, name) == getattr(theirs, name)
    metric = cs.METRICS["WD"](unit_sizes=sizes)
    ours, theirs = cs.windows(reference, hypothesis, metric), cs.windows(*words)
    assert (list(ours.errors), ours.k, ours.n_windows) == (list(theirs.errors), theirs.k, theirs.n_windows)


@pytest.fixture
def study():
    """Two documents with texts, three coders and two segmenters."""
    rng = np.random.default_rng(5)
    codings, texts = {}, {}
    for document in ("d", "e"):
        n_units = int(rng.integers(8, 14))
        texts[document] = [" ".join(["word"] * int(rng.integers(1, 9))) for _ in range(n_units)]
        codings[document] = {
            coder: Segmentation.from_positions(np.flatnonzero(rng.random(n_units - 1) < 0.3) + 1, n_units)
            for coder in ("ann", "bob", "cy", "x", "y")
        }
    return Corpus.from_dict(codings, units=texts), texts


@pytest.mark.parametrize("sizes", ["words", "characters", "given"])
def test_evaluate_takes_sizes_of_texts_or_documents(study, sizes):
    corpus, texts = study
    count = {"words": lambda text: len(text.split()), "characters": len, "given": len}[sizes]
    own = {name: [count(text) for text in units] for name, units in texts.items()}
    plain = Corpus.from_dict(
        {
            name: {coder: word_by_word(coding, own[name]) for coder, coding in corpus[name].items()}
            for name in corpus.documents
        }
    )
    metrics = ["Pk", "WD", "WinF", "MultWD", "WD(k='document')", "B"]
    roles = {"references": ["ann", "bob", "cy"], "segmenters": ["x", "y"], "rng": 3}
    ours = cs.evaluate(corpus, metrics=metrics, unit_sizes=own if sizes == "given" else sizes, **roles)
    theirs = cs.evaluate(plain, metrics=metrics[:-1], **roles)
    for summary, other in zip(
        [each for each in ours.summaries if each.metric.name != "B"], theirs.summaries, strict=True
    ):
        assert summary.micro.counts == other.micro.counts
        assert summary.interval == other.interval
        assert "unit_sizes=2 documents" in summary.micro.signature


def test_words_of_documents_without_texts_are_refused_with_both_ways_on(study):
    corpus = Corpus.from_dict({"d": {"ann": [2, 3], "x": [3, 2]}})
    with pytest.raises(ParameterError, match="read the texts with the codings, or give sizes by document"):
        cs.evaluate(corpus, references=["ann"], metrics=["Pk"], unit_sizes="words")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([1, 0, 1, 1, 1], r"unit_sizes\['d'\]\[1\] is 0"),
        (3, r"unit_sizes\['d'\]"),
        ([1, 2], "has 2 sizes .* 5 units"),
    ],
)
def test_sizes_by_document_are_refused_with_its_name(sizes, message):
    corpus = Corpus.from_dict({"d": {"ann": [2, 3], "x": [3, 2]}})
    with pytest.raises(cs.CaesuraError, match=message):
        cs.evaluate(corpus, references=["ann"], metrics=["Pk"], unit_sizes={"d": sizes})


def test_words_as_a_metrics_own_sizes_name_what_takes_them():
    with pytest.raises(ParameterError, match=r"use evaluate\(unit_sizes='words'\)"):
        cs.metric("WD(unit_sizes='words')")


@pytest.mark.parametrize("metric", ["WD(k='corpus')", "WD(k='3s')"])
def test_a_window_that_counts_units_is_refused(study, metric):
    with pytest.raises(ParameterError, match="with unit_sizes give a number"):
        cs.evaluate(study[0], references=["ann"], metrics=[metric], unit_sizes="words")


def test_metrics_without_windows_are_refused(study):
    with pytest.raises(ParameterError, match="need a metric with a window"):
        cs.evaluate(study[0], references=["ann"], metrics=["B", "F"], unit_sizes="words")


@pytest.mark.parametrize("function", [cs.pk, cs.window_diff, cs.mult_window_diff, cs.win_pr])
def test_sizes_that_do_not_fit_are_refused(function):
    with pytest.raises(ParameterError, match="2 unit_sizes but 5 units"):
        function([2, 3], [3, 2], unit_sizes=[1, 2])
    with pytest.raises(ParameterError, match=r"unit_sizes\[1\] is 0"):
        function([2], [2], unit_sizes=[1, 0])
