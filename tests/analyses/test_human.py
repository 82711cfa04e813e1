"""comparison["human"]: people against people, with an interval and a test (F13t §5.3; SPEC §17).

Source of truth: every ordered pair of reference codings by the metric of that pair; simulated segmenters that
are, or are not, one more person.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import caesura as cs
from caesura import Corpus, ParameterError, Segmentation, cli

QUICK = {"n_resamples": 199, "n_draws": 5, "rng": 0}


def coding(rng, truth, n_units, rate):
    kept = [int(p) for p in truth if rng.random() > rate]
    added = [p for p in range(1, n_units) if rng.random() < 0.25 * rate]
    return Segmentation.from_positions(sorted({*kept, *added}), n_units)


def study(n_documents, seed, rates, coders=("ann", "bob", "cy")):
    rng = np.random.default_rng(seed)
    codings = {}
    for number in range(n_documents):
        n_units = int(rng.integers(20, 40))
        truth = np.flatnonzero(rng.random(n_units - 1) < 0.25) + 1
        people = {coder: coding(rng, truth, n_units, 0.3) for coder in coders}
        codings[f"d{number}"] = people | {
            name: coding(rng, truth, n_units, rate) for name, rate in rates.items()
        }
    return Corpus.from_dict(codings)


@pytest.mark.parametrize("metric", ["B", "WD", "S"])
def test_the_value_pools_every_ordered_pair(metric):
    corpus = study(12, 1, {"x": 0.6})
    comparison = cs.compare(corpus, segmenters=["x"], metric=metric, **QUICK)
    row = comparison["human"]
    judge = cs.metric(metric)
    scores = [
        judge(corpus[document, first], corpus[document, second])
        for document in corpus.documents
        for first, second in itertools.permutations(("ann", "bob", "cy"), 2)
    ]
    assert row.value == pytest.approx(float(sum(scores[1:], scores[0])))
    assert row.macro == pytest.approx(np.mean([float(score) for score in scores]))
    assert row.n_codings == len(scores) == 72
    assert row.interval.low < row.value < row.interval.high
    assert row.interval.estimate == pytest.approx(row.value)
    assert all(each.interval is not None for each in comparison.rows)


def test_its_interval_resamples_documents_with_two_coders_or_more():
    """Documents that one person has coded say nothing about people."""
    corpus = study(10, 2, {"x": 0.6})
    codings = {name: dict(corpus[name]) for name in corpus.documents}
    for name in ("d8", "d9"):
        codings[name] = {"ann": codings[name]["ann"], "x": codings[name]["x"]}
    some = cs.compare(Corpus.from_dict(codings), segmenters=["x"], **QUICK)
    alone = cs.compare(corpus.select(documents=[f"d{i}" for i in range(8)]), segmenters=["x"], **QUICK)
    assert some["human"].value == alone["human"].value
    assert some["human"].interval == alone["human"].interval
    assert some.human_test.subjects == 8


def test_each_segmenter_is_tested_against_people():
    """By enumeration of all exchanges of 8 documents; people weigh as much as a segmenter's three pairs."""
    corpus = study(8, 3, {"x": 0.35, "y": 0.9})
    comparison = cs.compare(corpus, segmenters=["x", "y"], bounds=(), n_resamples=999, rng=0)
    judge = cs.metric("B")
    p_values = {}
    for name in ("x", "y"):
        sides = []
        for document in corpus.documents:
            people = [
                judge(corpus[document, a], corpus[document, b])
                for a, b in itertools.permutations(("ann", "bob", "cy"), 2)
            ]
            ours = [judge(corpus[document, a], corpus[document, name]) for a in ("ann", "bob", "cy")]
            sides.append(
                [
                    (sum(s.numerator for s in ours), sum(s.denominator for s in ours)),
                    (sum(s.numerator for s in people) / 2, sum(s.denominator for s in people) / 2),
                ]
            )
        table = np.array(sides)

        def difference(exchanged, table=table):
            first = np.where(np.array(exchanged)[:, None], table[:, 1], table[:, 0]).sum(0)
            second = table.sum((0, 1)) - first
            return abs(first[0] / first[1] - second[0] / second[1])

        seen = difference([False] * 8)
        p_values[name] = np.mean(
            [difference(each) >= seen - 1e-12 for each in itertools.product([False, True], repeat=8)]
        )
    contrasts = {contrast.first: contrast for contrast in comparison.human_test.contrasts}
    for name, p_value in p_values.items():
        assert contrasts[name].second == "human"
        assert contrasts[name].p_value == pytest.approx(p_value)
    ordered = sorted(p_values, key=p_values.get)
    assert contrasts[ordered[0]].adjusted_p == pytest.approx(min(1, 2 * p_values[ordered[0]]))
    assert contrasts[ordered[1]].adjusted_p == pytest.approx(
        max(p_values[ordered[1]], contrasts[ordered[0]].adjusted_p)
    )


def test_words_and_tables_say_who_differs_from_people():
    comparison = cs.compare(study(25, 4, {"near": 0.3, "far": 0.95}), segmenters=["near", "far"], **QUICK)
    (sentence,) = [text for text in comparison.findings if "people" in text]
    assert "Far differs from people" in sentence or "far differs from people" in sentence
    assert "no significant difference between near and people" in sentence
    rows = comparison.to_table("human").rows
    assert [row[:2] for row in rows] == [["near", "human"], ["far", "human"], ["chance", "human"]]
    assert comparison.to_dict()["human test"]["contrasts"][0]["second"] == "human"
    assert comparison.ranking[0] != "human"


def test_without_two_coders_there_is_no_human():
    corpus = study(5, 5, {"x": 0.5}, coders=("ann",))
    comparison = cs.compare(corpus, segmenters=["x"], **QUICK)
    assert comparison.human_test is None
    assert [row.name for row in comparison.rows] == ["x", "random"]
    assert comparison.to_table("human").rows == []


def test_a_segmenter_named_human_is_refused_with_the_way_on():
    corpus = study(5, 6, {"human": 0.5})
    with pytest.raises(ParameterError, match=r"corpus\.rename"):
        cs.compare(corpus, segmenters=["human"], **QUICK)


def test_the_command_leaves_people_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cs.write(study(6, 7, {"x": 0.5}), "all.json")
    command = ["compare", "all.json", "-s", "x", "--resamples", "99"]
    assert cli.run(command) == 0
    assert "human (upper bound)" in capsys.readouterr().out
    assert cli.run([*command, "--no-human"]) == 0
    out = capsys.readouterr().out
    assert "human" not in out
    assert "chance (lower bound)" in out
    assert cli.run([*command, "--show", "human", "-f", "csv"]) == 0
    assert "x,human," in capsys.readouterr().out
    cs.write(study(6, 7, {"human": 0.5}), "human.json")
    assert cli.run(["compare", "human.json", "-s", "human"]) == 1
    assert "rename it in the file, or give --no-human" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_segmenter_that_is_one_more_person_is_found_different_as_often_as_alpha():
    """400 studies of 15 documents and 3 people: .03 to .07 of them at α = .05."""
    found = 0
    for seed in range(400):
        comparison = cs.compare(
            study(15, 1000 + seed, {"x": 0.3}),
            segmenters=["x"], metrics=(), bounds=(), n_resamples=399, rng=seed,
        )  # fmt: skip
        found += comparison.human_test.contrasts[0].adjusted_p < 0.05
    assert 0.03 <= found / 400 <= 0.07
