"""Subsets of coders and documents that agree better (F13t §5.2.1.3).

Source of truth: agreement() of what a naive loop has selected, a corpus put together of what is held out, and
simulated studies in which nobody, or half of the documents, is better.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import caesura as cs
from caesura import Corpus, agreement, cli

ERRORS = {"n_units": 40, "mean_segment": 5, "near_miss": 0.2, "full_miss": 0.3}


def value_of(corpus):
    return agreement(corpus, n_resamples=0).value


def naive_order(known, whole):
    """Return who is left out, one after the other, by the documents that are known."""
    gone = []
    while True:
        left = {d: [c for c in whole[d] if c not in gone] for d in whole.documents}
        needed = {c for coders in left.values() if len(coders) < 3 for c in coders}
        values = {}
        for coder in known.coders:
            if coder not in needed and coder not in gone:
                rest = [c for c in known.coders if c not in (*gone, coder)]
                values[coder] = value_of(known.select(coders=rest))
        values = {coder: value for coder, value in values.items() if not math.isnan(value)}
        if not values:
            return gone
        gone.append(max(values, key=values.get))


def missing(seed):
    """Return a corpus of five coders; every third document lacks one of them."""
    made = cs.simulate(7, 5, **ERRORS, rng=seed)
    codings = {d: dict(made[d]) for d in made.documents}
    for number, document in enumerate(made.documents):
        if number % 3 == 0:
            del codings[document][made.coders[number % 5]]
    return Corpus.from_dict(codings)


@pytest.mark.parametrize("seed", [1, 2])
def test_coders_are_left_out_as_a_naive_loop_leaves_them_out(seed):
    corpus = missing(seed)
    subsets = agreement(corpus, n_resamples=0).subsets(rng=seed).by_coder
    order = naive_order(corpus, corpus)
    assert [subset.left_out for subset in subsets] == [(), *((coder,) for coder in order)]
    for subset in subsets:
        assert subset.value == pytest.approx(value_of(corpus.select(coders=subset.coders)), abs=1e-12)
    # What each fold leaves out is held out: those documents, with the coders that the others choose.
    folds = np.array_split(np.random.default_rng(seed).permutation(7), 7)
    orders = [
        naive_order(
            corpus.select(documents=[d for i, d in enumerate(corpus.documents) if i not in fold]), corpus
        )
        for fold in folds
    ]
    for number, subset in enumerate(subsets):
        held = {
            corpus.documents[i]: {
                coder: coding
                for coder, coding in corpus[corpus.documents[i]].items()
                if coder not in gone[:number]
            }
            for fold, gone in zip(folds, orders, strict=True)
            for i in fold
        }
        assert subset.held_out == pytest.approx(value_of(Corpus.from_dict(held)), abs=1e-12)


def test_documents_are_left_out_by_their_own_agreement():
    corpus = missing(3)
    result = agreement(corpus, n_resamples=0)
    own = {document: value_of(corpus.select(documents=[document])) for document in corpus.documents}
    ranked = sorted(own, key=own.get, reverse=True)
    for number, subset in zip(range(7, 0, -1), result.subsets().by_document, strict=True):
        assert set(subset.documents) == set(ranked[:number])
        assert subset.value == pytest.approx(value_of(corpus.select(documents=subset.documents)), abs=1e-12)


def test_documents_are_held_out_by_the_other_half_of_the_coders():
    """Of four coders there are three ways to deal two and two: the value of all is a mean over them."""
    corpus = cs.simulate(6, 4, **ERRORS, rng=4)
    pairs = [("c1", "c2"), ("c1", "c3"), ("c1", "c4"), ("c2", "c3"), ("c2", "c4"), ("c3", "c4")]
    values = [value_of(corpus.select(coders=pair)) for pair in pairs]
    held_out = agreement(corpus, n_resamples=0).subsets(rng=1).by_document[0].held_out
    assert min(values) < held_out < max(values)
    assert held_out == pytest.approx(np.mean(values), abs=0.04)


@pytest.mark.exhaustive
def test_what_is_chosen_by_chance_is_not_better_where_it_was_not_chosen():
    """Nobody is better: chosen subsets seem to be, those held out do not, on the mean of 20 studies."""
    rises = Counter()
    for seed in range(20):
        subsets = agreement(cs.simulate(12, 4, **ERRORS, rng=seed), n_resamples=0).subsets(rng=seed)
        for of, each in subsets.by_kind.items():
            part = each[len(each) // 2]
            rises[of, "chosen"] += (part.value - each[0].value) / 20
            rises[of, "held out"] += (part.held_out - each[0].held_out) / 20
    assert rises["documents", "chosen"] > 0.05
    assert rises["coders", "chosen"] > 0.015
    assert abs(rises["documents", "held out"]) < 0.03
    assert abs(rises["coders", "held out"]) < 0.015


def test_documents_that_are_better_are_so_where_they_were_not_chosen():
    easy = cs.simulate(8, 4, n_units=40, mean_segment=5, near_miss=0, full_miss=0.1, rng=1)
    hard = cs.simulate(8, 4, n_units=40, mean_segment=5, near_miss=0.2, full_miss=0.6, rng=2)
    codings = {f"easy {d}": easy[d] for d in easy.documents} | {f"hard {d}": hard[d] for d in hard.documents}
    subsets = agreement(Corpus.from_dict(codings), n_resamples=0).subsets(rng=0)
    whole, half = subsets.by_document[0], next(s for s in subsets.by_document if len(s.documents) == 8)
    assert all(document.startswith("easy") for document in half.documents)
    assert half.held_out > whole.held_out + 0.15
    assert "documents have π*_B" in subsets.findings[-1]


def test_where_nothing_can_be_held_out_the_reason_is_said(tmp_path, monkeypatch, capsys):
    alone = agreement(cs.load_stargazers(), n_resamples=0).subsets()
    assert all(math.isnan(subset.held_out) for subset in alone.by_coder)
    assert alone.reasons == {"coders": "only one document, so no other documents can value the choice"}
    three = agreement(cs.simulate(5, 3, **ERRORS, rng=1), n_resamples=0).subsets()
    assert list(three.reasons) == ["documents"]
    monkeypatch.chdir(tmp_path)
    cs.write(cs.simulate(5, 3, **ERRORS, rng=1), "three.json")
    assert cli.run(["agree", "three.json", "--subsets"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Subsets of documents have no held-out value: a document has fewer than 4 coders" in out
    assert cli.run(["agree", "three.json", "--subsets", "-f", "json"]) == 0
    assert '"subsets"' in capsys.readouterr().out
    assert cli.run(["agree", "three.json", "--subsets", "--strict"]) == 2
