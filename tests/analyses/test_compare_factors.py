"""comparison.test("factors"): values by segmenter, document and coder (F13t §5.3.4; SPEC §17).

Source of truth: every value by the metric of its pair, and SciPy's tests of them; the procedures themselves
are tested in tests/stats/test_factors.py.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import caesura as cs
from caesura import Corpus, ParameterError, Segmentation, UnknownNameError, cli

RATES = {"good": 0.1, "fair": 0.5, "poor": 0.9}
CODERS = ("ann", "bob", "cy")


def study(n_documents=10, seed=2, missing=()):
    rng = np.random.default_rng(seed)
    codings = {}
    for number in range(n_documents):
        n_units = int(rng.integers(15, 30))
        truth = np.flatnonzero(rng.random(n_units - 1) < 0.3) + 1

        def coding(rate, truth=truth, n_units=n_units):
            kept = [p for p in truth if rng.random() > rate]
            added = [p for p in range(1, n_units) if rng.random() < rate * 0.2]
            return Segmentation.from_positions(sorted({*map(int, kept), *added}), n_units)

        codings[f"d{number}"] = {
            **{coder: coding(0.2) for coder in CODERS if (number, coder) not in missing},
            **{name: coding(rate) for name, rate in RATES.items()},
        }
    return Corpus.from_dict(codings)


@pytest.fixture(scope="module")
def corpus():
    return study()


def compared(corpus, **settings):
    return cs.compare(
        corpus, segmenters=[*RATES], references=CODERS, bounds=(), n_resamples=99, rng=0, **settings
    )


def test_every_value_is_an_observation(corpus):
    report = compared(corpus).test("factors")
    values = {
        (name, document, coder): float(
            cs.boundary_similarity(corpus[document, coder], corpus[document, name])
        )
        for name in RATES
        for document in corpus.documents
        for coder in CODERS
    }
    assert report.n == len(values) == 90
    assert report.levels == {"segmenter": 3, "document": 10, "coder": 3}
    for place, factor in enumerate(("segmenter", "document", "coder")):
        samples = {}
        for key, value in values.items():
            samples.setdefault(key[place], []).append(value)
        h, p_value = stats.kruskal(*samples.values())
        assert (report["rank", factor].statistic, report["rank", factor].p_value) == pytest.approx(
            (h, p_value)
        )
    assert report["rank", "segmenter"].p_value < 1e-3
    assert sum(report.shares.values()) == pytest.approx(1.0)
    assert set(report.means) == set(RATES)
    assert any("p is too large if documents differ" in caveat for caveat in report.caveats)


def test_the_analysis_of_variance_knows_documents_and_coders_that_are_not_tested(corpus):
    comparison = compared(corpus)
    every, alone = comparison.test("factors"), comparison.test("factors", factors=["segmenter"])
    assert alone["ANOVA", "segmenter"] == every["ANOVA", "segmenter"]
    assert alone["ANOVA", "segmenter"].df == (2, 18)  # 3 segmenters, 10 documents


def test_boundary_pairs_are_observations_as_in_the_thesis(corpus):
    report = compared(corpus).test("factors", factors=["segmenter", "coder"], subject="pair")
    by_segmenter = [
        [
            value
            for document in corpus.documents
            for coder in CODERS
            for value in cs.align(corpus[document, coder], corpus[document, name]).correctness
        ]
        for name in RATES
    ]
    assert report.n == sum(map(len, by_segmenter))
    assert report["rank", "segmenter"].statistic == pytest.approx(stats.kruskal(*by_segmenter).statistic)
    assert "assumes independent boundary pairs, so p is too small" in " ".join(report.caveats)


def test_within_documents(corpus):
    report = compared(corpus).test("factors", factors=["segmenter", "document"], within="document")
    assert report["rank", "segmenter"].test == "Friedman"


def test_a_coder_who_lacks_documents_leaves_the_mixed_model():
    report = compared(study(missing={(0, "ann"), (1, "bob")})).test("factors")
    assert {test.procedure for test in report.tests} == {"mixed"}
    assert "6 of 90 combinations" in report.remarks[0]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"factors": ["segmnter"]}, UnknownNameError, "unknown factor 'segmnter'; did you mean 'segmenter'"),
        ({"factors": "coder"}, ParameterError, "give a list of names"),
        ({"factors": 5}, ParameterError, "factors is 5: give a list of names"),
        ({"factors": []}, ParameterError, "expected one to three"),
        ({"subject": "document"}, ParameterError, "subject"),
    ],
)
def test_what_is_no_factor_is_named(corpus, settings, error, message):
    with pytest.raises(error, match=message):
        compared(corpus).test("factors", **settings)


def test_a_factor_with_one_level_is_named():
    corpus = study().select(documents=["d0"])
    with pytest.raises(ParameterError, match="factor document has one level, d0"):
        compared(corpus).test("factors", factors=["segmenter", "document"])


def test_pairs_of_codings_without_boundaries_are_no_values():
    corpus = cs.Corpus.from_dict(
        {f"d{i}": {name: [9] for name in ("ann", "bob", "x", "y")} for i in range(3)}
    )
    comparison = cs.compare(corpus, segmenters=["x", "y"], rng=0, n_resamples=99)
    with pytest.raises(ParameterError, match="no coding has a boundary"):
        comparison.test("factors", subject="pair")


@pytest.fixture
def file(corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(corpus, "all.json")
    return ["compare", "all.json", *[part for name in RATES for part in ("-s", name)], "--resamples", "99"]


@pytest.mark.exhaustive
def test_the_command_shows_each_test_in_every_format(file, capsys):
    for test in ("documents", "bootstrap", "codings", "pairs", "factors"):
        for shown in ("text", "csv", "markdown", "latex"):
            assert cli.run([*file, "--test", test, "-f", shown]) == 0
            assert "segmenter" in capsys.readouterr().out
        assert cli.run([*file, "--test", test, "-f", "json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data[f"test of {test}"]
    options = ["--test", "factors", "--factor", "segmenter", "--factor", "document", "--within", "document"]
    assert cli.run([*file, *options]) == 0
    out = capsys.readouterr().out
    assert "Friedman" in out
    assert "segmenter × document" in out


def test_options_of_factors_need_that_test(file, capsys):
    assert cli.run([*file, "--factor", "coder"]) == 2
    assert "--factor, --subject and --within need --test factors" in capsys.readouterr().err
    assert cli.run([*file, "--test", "factors", "--factor", "segmenter", "--within", "coder"]) == 2
    assert "within is 'coder'" in capsys.readouterr().err


def test_several_metrics_decide_in_one_command(file, corpus, capsys):
    assert cli.run([*file, "--decide", "S", "--decide", "WD(k=3)", "-m", "B", "-f", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == ["S", "WD(k=3)"]
    for metric, comparison in data.items():
        alone = cs.compare(corpus, segmenters=[*RATES], metric=metric, metrics=["B"], n_resamples=99, rng=0)
        assert comparison["ranking"] == list(alone.ranking)
        assert comparison["signature"] == alone.signature
        assert list(comparison["other metrics"]) == ["B"]
    assert cli.run([*file, "--decide", "S", "--decide", "WD"]) == 0
    out = capsys.readouterr().out
    assert out.count("human (upper bound)") == 2
