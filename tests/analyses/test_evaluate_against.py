"""evaluation.test and score --against; E_Pk and E_WD without the ranks of one side (C10 §4.2, figure 3).

Source of truth: SciPy's t and Wilcoxon tests of the values of single documents; the same hierarchy flattened.
"""

from __future__ import annotations

import csv
import io
import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from tests.properties.strategies import typed_pairs

import caesura as cs
from caesura import Corpus, CorpusError, Hierarchy, ParameterError, Segmentation, cli
from caesura.errors import UnknownNameError


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(6)
    codings = {}
    for number in range(15):
        n_units = int(rng.integers(15, 30))
        codings[f"d{number}"] = {
            name: Segmentation.from_positions(np.flatnonzero(rng.random(n_units - 1) < 0.3) + 1, n_units)
            for name in ("ann", "bob", "x", "y")
        }
    return Corpus.from_dict(codings)


def values_of(study, metric, segmenter):
    """Return the pooled value of each document."""
    judge = cs.metric(metric)
    return [
        float(
            judge(study[name, "ann"], study[name, segmenter])
            + judge(study[name, "bob"], study[name, segmenter])
        )
        for name in study.documents
    ]


def evaluated(study, metrics, **settings):
    roles = {"references": ["ann", "bob"], "segmenters": ["x", "y"], "n_resamples": 0}
    return cs.evaluate(study, metrics=metrics, **roles | settings)


def test_a_constant_is_what_one_sample_is_tested_against(study):
    report = evaluated(study, ["WD"]).test("WD", 0.5, segmenter="x")
    t, p_value = stats.ttest_1samp(values_of(study, "WD", "x"), 0.5)
    (contrast,) = report.contrasts
    assert (contrast.statistic, report.p_value) == pytest.approx((t, p_value))
    assert (contrast.first, contrast.second, report.subjects) == ("WD", "0.5", 15)


def test_two_metrics_are_paired_by_document(study):
    evaluation = evaluated(study, ["WD", "WD(edges='wrap')"])
    sides = values_of(study, "WD", "y"), values_of(study, "WD(edges='wrap')", "y")
    report = evaluation.test("WD", "WD(edges='wrap')", segmenter="y")
    assert report.p_value == pytest.approx(stats.ttest_rel(*sides).pvalue)
    ranks = evaluation.test("WD", "WD(edges='wrap')", segmenter="y", procedure="wilcoxon")
    difference = np.round(np.subtract(*sides), 12)
    difference = difference[difference != 0]
    signed = stats.rankdata(np.abs(difference))
    every = [signed @ signs for signs in itertools.product([0, 1], repeat=len(signed))]
    middle = signed.sum() / 2
    seen = abs(signed[difference > 0].sum() - middle)
    assert ranks.p_value == pytest.approx(np.mean([abs(each - middle) >= seen - 1e-9 for each in every]))


def test_what_cannot_be_tested_is_refused(study, tmp_path):
    with pytest.raises(UnknownNameError, match="unknown metric 'B'"):
        evaluated(study, ["WD"]).test("B", 0.5, segmenter="x")
    with pytest.raises(CorpusError, match="2 segmenters; name one"):
        evaluated(study, ["WD"]).test("WD", 0.5)
    with pytest.raises(ParameterError, match="procedure"):
        evaluated(study, ["WD"]).test("WD", 0.5, segmenter="x", procedure="z")
    cs.write(study, tmp_path / "all.jsonl")
    scan = cs.scan(tmp_path / "all.jsonl")
    streamed = cs.evaluate(scan, metrics=["WD"], references=["ann"], segmenters=["x"], n_resamples=0)
    with pytest.raises(CorpusError, match="no values of single documents"):
        streamed.test("WD", 0.5)


def test_the_command_tests_every_metric_of_every_segmenter(study, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cs.write(study, "all.json")
    command = ["score", "all.json", "-s", "x", "-s", "y", "-r", "ann", "-r", "bob", "-m", "WD", "-m", "Pk"]
    assert cli.run([*command, "--against", "0.5", "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["segmenter"], row["metric"], row["against"]) for row in rows] == [
        ("x", "WD", "0.5"), ("x", "Pk", "0.5"), ("y", "WD", "0.5"), ("y", "Pk", "0.5")
    ]  # fmt: skip
    assert float(rows[0]["p"]) == pytest.approx(stats.ttest_1samp(values_of(study, "WD", "x"), 0.5).pvalue)
    assert cli.run([*command, "--against", "Pk"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert out.count("  WD ") == 2
    assert cli.run([*command, "--against", "zz"]) == 2
    assert "unknown metric 'zz'" in capsys.readouterr().err


def hierarchies(pair):
    return [
        Hierarchy.from_ranks(
            {p: min(k for q, k in side.boundaries if q == p) for p in side.positions}, side.n_units
        )
        for side in pair
    ]


@given(typed_pairs())
def test_carroll_2010_figure_3_the_ranks_of_one_side_are_left_aside(pair):
    reference, hypothesis = hierarchies(pair)
    flat = [
        Hierarchy.from_ranks(dict.fromkeys(side.positions, 1), side.n_units)
        for side in (reference, hypothesis)
    ]
    for name in ("EPk", "EWD"):
        plain = cs.metric(name)
        linear, unranked = (cs.metric(f"{name}(ranks={side!r})") for side in ("hypothesis", "reference"))
        assert linear(reference, hypothesis).counts == plain(flat[0], hypothesis).counts
        assert unranked(reference, hypothesis).counts == plain(reference, flat[1]).counts
        assert "ranks=hypothesis" in linear(reference, hypothesis).signature
    assert float(cs.hierarchical_pk(reference, hypothesis, ranks="reference")) == float(
        cs.hierarchical_pk(reference, flat[1])
    )
