"""Planning a study. Source of truth: variances by brute force over pairs, scipy's noncentral t, known truth.

What is planned must be what a study then gets: simulated studies of other documents, and of more coders than
the pilot has.
"""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import caesura as cs
from caesura import cli
from caesura.analyses.variance_components import Components, Pilot
from caesura.io.writing import write
from caesura.results.as_json import json_safe
from caesura.results.table import RENDERERS
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Resampling


def pilot(n_documents: int = 12, n_coders: int = 4, seed: int = 1) -> cs.Corpus:
    return cs.simulate(
        n_documents, n_coders, n_units=60, mean_segment=6, near_miss=0.15, full_miss=0.3, rng=seed
    )


@pytest.fixture(scope="module")
def planned() -> cs.analyses.study_plan.Plan:
    return cs.plan(pilot(), width=0.05, detect=0.05, rng=0)


# -------------------------------------------------------------------- parts of the variance


def brute_force(corpus: cs.Corpus) -> tuple[float, float, float]:
    """Return Σ h·h′ / number over the same pairs, those that share a coder, and others; h of observed B."""
    metric = cs.metric("B")
    scores = {
        (d, pair): metric(corpus[d, pair[0]], corpus[d, pair[1]])
        for d in corpus.documents
        for pair in combinations(corpus.coders, 2)
    }
    observed = float(sum(scores.values()))
    mean = sum(score.denominator for score in scores.values()) / len(scores)
    h = {key: (one.numerator - observed * one.denominator) / mean for key, one in scores.items()}
    n = len(corpus.documents)
    pairs = [*combinations(corpus.coders, 2)]
    means = {pair: sum(h[d, pair] for d in corpus.documents) / n for pair in pairs}
    found: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for d in corpus.documents:
        for i, one in enumerate(pairs):
            for other in pairs[i:]:
                product = (h[d, one] - means[one]) * (h[d, other] - means[other]) * n / (n - 1)
                found[len({*one} & {*other})].append(product)
    return tuple(math.fsum(found[k]) / len(found[k]) if found[k] else 0.0 for k in (2, 1, 0))


@pytest.mark.parametrize("n_coders", [2, 3, 4, 5])
def test_the_parts_of_the_variance_are_means_of_products(n_coders):
    corpus = pilot(7, n_coders, seed=n_coders)
    found = Pilot.of(corpus, cs.metric("B"))
    sums, numbers = found._products(found._centred(found.residuals.observed))
    total, n = sums.sum(axis=0), numbers.sum(axis=0)
    for k, expected in enumerate(brute_force(corpus)):
        assert (total[k] / n[k] if n[k] else 0) == pytest.approx(expected, abs=1e-12)


def test_residuals_of_the_value_are_its_derivative_by_the_weight_of_a_document():
    """The mean over a document's pairs is what the document adds to π*, times the number of documents."""
    stratum = cs.agreement(pilot(9, 3), n_resamples=0).stratum
    of_documents = stratum.items()
    influence = (of_documents.transposed @ of_documents.slopes(of_documents.sums(np.ones((9, 1)))))[:, 0]
    residual = Pilot(stratum.own).residuals.value.reshape(9, 3).mean(axis=1)
    assert residual == pytest.approx(9 * influence, abs=1e-12)


def test_the_variance_of_a_mean_over_pairs_is_that_of_a_u_statistic():
    """h = d + e + e′ + f, independent with variances 3, 2 and 1: by enumeration of all pairs of pairs."""
    parts = Components(*(np.array([float(x)]) for x in (3 + 2 * 2 + 1, 3 + 2, 3)))
    for c in range(2, 8):
        pairs = [*combinations(range(c), 2)]
        shared = {2: 8, 1: 5, 0: 3}
        variance = sum(shared[len({*one} & {*other})] for one in pairs for other in pairs) / len(pairs) ** 2
        assert parts.of_mean(c)[0] == pytest.approx(variance)
        # Two segmenters by c references: e and f of either remain; the references' e and d cancel.
        assert parts.of_difference(c)[0] == pytest.approx(2 * 2 + 2 * 1 / c)


# -------------------------------------------------------------------- what is planned


def test_documents_for_a_width_are_the_fewest(planned):
    for coders in (2, 7):
        n = int(planned.documents_for(0.05, coders).value)
        assert planned.half_width(n, coders).value <= 0.05 < planned.half_width(n - 1, coders).value
        n = int(planned.documents_to_detect(0.05, coders).value)
        assert planned.power_to_detect(0.05, n, coders).value >= 0.8
        assert planned.power_to_detect(0.05, n - 1, coders).value < 0.8


def test_power_is_that_of_a_t_test(planned):
    spread = math.sqrt(planned.components["observed"].of_difference(3)[0])
    rng = np.random.default_rng(0)
    samples = rng.normal(0.05, spread, (20_000, 25))
    power = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05)
    assert planned.power_to_detect(0.05, 25, 3).value == pytest.approx(power, abs=0.015)


@pytest.mark.exhaustive
@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 8))
def test_more_documents_and_more_coders_narrow_the_interval(seed, n_coders, n_documents):
    found = cs.plan(pilot(n_documents, n_coders, seed), rng=seed, n_resamples=20)
    for of in ("value", "observed"):
        table = np.array([[one.value for one in row] for row in found.half_widths[of]])
        assert (np.diff(table, axis=0) <= 1e-12).all()
        assert (np.diff(table, axis=1) <= 1e-12).all()
    for one in found.half_widths["value"][3]:
        assert one.low <= one.high


def test_missing_codings_and_types_are_planned_with():
    full = pilot(20, 5)
    rng = np.random.default_rng(1)
    part = full.take(np.flatnonzero(rng.random(len(full)) < 0.7))
    assert cs.plan(part, rng=0).half_width(20, 3).value == pytest.approx(
        cs.plan(full, rng=0).half_width(20, 3).value, rel=0.4
    )
    typed = cs.simulate(
        *(10, 3),
        n_units=60,
        mean_segment=6,
        near_miss=0.1,
        full_miss=0.3,
        types=["a", "b"],
        wrong_type=0.1,
        rng=1,
    )
    assert 0 < cs.plan(typed, rng=0).half_width(10, 3).value < 1


def test_the_same_seed_plans_the_same(planned):
    again = cs.plan(pilot(), width=0.05, detect=0.05, rng=0)
    assert again.to_dict() == planned.to_dict()


def test_every_presentation_works(planned):
    json.dumps(json_safe(planned.to_dict()), allow_nan=False)
    for part in planned.parts:
        for format in RENDERERS:
            assert planned.to_table(part).render(format)
    assert planned.to_frame().shape == (10, 7)
    assert repr(planned) == "<Plan from 12 documents: up to 160 documents, 7 coders>"
    assert "To estimate π*_B to ± 0.05 you need " in planned.findings[0]
    assert "difference of 0.05 in B between two segmenters" in planned.findings[1]


def test_few_coders_are_said():
    few = cs.plan(pilot(6, 2), rng=0)
    assert few.assumed
    assert any("simulated" in note for note in few.caveats)
    assert any("Only 6 documents in the pilot" in note for note in few.caveats)
    assert not cs.plan(pilot(12, 4), rng=0).caveats


@pytest.mark.parametrize(
    ("corpus", "options", "error", "message"),
    [
        (None, {}, cs.ParameterError, "n_units is missing"),
        (
            None,
            {"n_units": 50, "density": 0.2, "near_miss": 0.1},
            cs.ParameterError,
            "full_miss is missing",
        ),
        (
            None,
            {"n_units": 50, "density": 0.9, "near_miss": 0.1, "full_miss": 0.5},
            cs.ParameterError,
            "more true boundaries than positions",
        ),
        (pilot(), {"density": 0.1}, cs.ParameterError, "either a pilot or density"),
        (pilot(), {"width": 0}, cs.ParameterError, "width is 0"),
        (pilot(), {"coders": [1, 2]}, cs.ParameterError, "coders is 1"),
        (pilot(), {"metric": "WD"}, cs.ParameterError, "not a similarity"),
        (pilot(1), {}, cs.CorpusError, "documents with two coders in the pilot: 1; a plan needs at least 2"),
        (cs.Corpus.from_dict({d: {"a": [5], "b": [5]} for d in "xy"}), {}, cs.CorpusError, "no coder placed"),
        ("pilot.json", {}, cs.ParameterError, "expected a corpus, got str"),
    ],
)
def test_bad_parameters_are_named(corpus, options, error, message):
    with pytest.raises(error, match=message):
        cs.plan(corpus, **options)


# -------------------------------------------------------------------- the command


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(pilot(), "pilot.json")
    return "pilot.json"


def test_the_command_prints_half_widths_and_what_is_needed(file, capsys, planned):
    assert cli.run(["plan", file, "--width", "0.05", "--detect", "0.05", "-f", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["half_widths"]["value"][0][0]["value"] == pytest.approx(planned.half_width(5, 2).value)
    assert data["needed"]["detect"][1]["value"] == planned.documents_to_detect(0.05, 3).value
    for format in ("text", "csv", "markdown", "latex"):
        assert cli.run(["plan", file, "--width", "0.05", "--coders", "2-3,5", "-f", format]) == 0
        out = capsys.readouterr().out
        assert "5 coders" in out
        assert "6 coders" not in out
    assert cli.run(["plan", file, "--show", "needed", "--detect", "0.1"]) == 0
    assert "to detect 0.1 of B" in capsys.readouterr().out


def test_the_command_without_a_pilot(capsys):
    rates = ["--length", "80", "--density", "0.1", "--near-miss", "0.1", "--full-miss", "0.2"]
    assert cli.run(["plan", *rates, "--width", "0.1", "--documents", "10,20"]) == 0
    out = capsys.readouterr().out
    assert "The stated rates give π*_B" in out
    assert "use a pilot if you can" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a PILOT, or all of --length"),
        (["--length", "80"], "give a PILOT, or all of --length"),
        (["pilot.json", "--density", "0.1"], "give a PILOT, or --length"),
        (["pilot.json", "--coders", "1-3"], "ascending numbers, 2 or more"),
        (["pilot.json", "--documents", "ten"], "expected whole numbers"),
        (["pilot.json", "--width", "0"], "--width"),
        (["pilot.json", "-m", "B", "-m", "S"], "one metric"),
    ],
)
def test_bad_usage_is_one_line(file, capsys, arguments, message):
    assert cli.run(["plan", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


# -------------------------------------------------------------------- known truth


POPULATION = 2000
MOST_CODERS = 6


@cache
def population(*, alike: bool) -> cs.Corpus:
    """Return documents that are equally hard, or of different length and difficulty."""
    rng = np.random.default_rng(8)
    if alike:
        return pilot(POPULATION, MOST_CODERS, 8)
    found = {}
    for d in range(POPULATION):
        one = cs.simulate(
            *(1, MOST_CODERS),
            n_units=int(rng.integers(30, 120)),
            mean_segment=6,
            near_miss=0.15,
            full_miss=float(rng.beta(4, 8)),
            rng=rng,
        )
        found[f"d{d}"] = one["d1"]
    return cs.Corpus.from_dict(found)


def study(n_documents: int, n_coders: int, rng: np.random.Generator, *, alike: bool) -> cs.Corpus:
    """Return some of these documents, with the codings of the first coders."""
    chosen = rng.choice(POPULATION, n_documents, replace=False)
    rows = MOST_CODERS * chosen[:, None] + np.arange(n_coders)
    return population(alike=alike).take(rows.ravel())


def interval(corpus: cs.Corpus, rng: np.random.Generator) -> Interval:
    """Return the interval of π*; nobody asks what random coders would get."""
    return cs.agreement(corpus, n_resamples=0).stratum.interval(Resampling(500), rng)


SIZES = ((10, 2), (20, 3), (30, 6))


@pytest.fixture(scope="module", params=[True, False], ids=["alike", "different"])
def realized(request):
    """The mean half-width of simulated studies, by documents and coders."""
    rng = np.random.default_rng(11)
    found = {}
    for size in SIZES:
        intervals = [interval(study(*size, rng, alike=request.param), rng) for _ in range(150)]
        found[size] = np.mean([(one.high - one.low) / 2 for one in intervals])
    return request.param, found


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_coders", [2, 3, 4])
def test_half_widths_are_within_a_tenth_of_what_studies_get(realized, n_coders):
    """On average over pilots of 30 documents, also for more coders than the pilots have."""
    alike, found = realized
    rng = np.random.default_rng(5)
    plans = [cs.plan(study(30, n_coders, rng, alike=alike), n_resamples=0, rng=rng) for _ in range(100)]
    for size, width in found.items():
        assert np.mean([one.half_width(*size).value for one in plans]) == pytest.approx(width, rel=0.1), size


@pytest.mark.exhaustive
def test_stated_rates_give_the_half_widths_of_such_studies():
    rng = np.random.default_rng(2)
    rates = {"near_miss": 0.15, "full_miss": 0.3}
    planned = cs.plan(None, n_units=60, density=0.7 / 6, **rates, n_resamples=0, rng=1)
    for n, c in SIZES:
        intervals = [interval(study(n, c, rng, alike=True), rng) for _ in range(100)]
        width = np.mean([(one.high - one.low) / 2 for one in intervals])
        assert planned.half_width(n, c).value == pytest.approx(width, rel=0.1)


@pytest.mark.exhaustive
def test_the_planned_documents_have_the_planned_power():
    """Two segmenters that miss 20 % and 35 % of a truth that three coders look for, compared by B."""
    rng = np.random.default_rng(4)
    options = {"n_units": 60, "mean_segment": 6, "near_miss": 0.1, "reference": True}

    def codings(n: int) -> cs.Corpus:
        made = cs.simulate(n, 3, full_miss=0.275, rng=rng, **options)
        documents = {}
        for d in made.documents:
            truth = made[d, "reference"]
            coded = {c: one for c, one in made[d].items() if c != "reference"}
            coded["good"] = cs.simulation.pseudo_coder(truth, 0.1, 0.2, rng=rng)
            coded["bad"] = cs.simulation.pseudo_coder(truth, 0.1, 0.35, rng=rng)
            documents[d] = coded
        return cs.Corpus.from_dict(documents)

    def values(corpus: cs.Corpus) -> np.ndarray:
        coders = [c for c in corpus.coders if c not in ("good", "bad")]
        metric = cs.metric("B")
        scores = [
            [[metric(corpus[d, c], corpus[d, s]) for c in coders] for s in ("good", "bad")]
            for d in corpus.documents
        ]
        return np.array(
            [
                [(sum(x.numerator for x in one), sum(x.denominator for x in one)) for one in pair]
                for pair in scores
            ]
        )

    def difference(counts: np.ndarray) -> float:
        (a, b), (c, d) = counts.sum(axis=0)
        return a / b - c / d

    delta = difference(values(codings(600)))
    plans = [
        cs.plan(codings(40).select(coders=["c1", "c2", "c3"]), n_resamples=0, rng=rng) for _ in range(20)
    ]
    n = round(np.mean([one.documents_to_detect(delta, 3).value for one in plans]))
    found = 0
    for _ in range(200):
        counts = values(codings(n))
        (a, b), (c, d) = counts.sum(axis=0)
        moved = (counts[:, 0, 0] - a / b * counts[:, 0, 1]) / b - (
            counts[:, 1, 0] - c / d * counts[:, 1, 1]
        ) / d
        error = math.sqrt(n / (n - 1) * (moved**2).sum())
        found += abs(difference(counts)) / error > stats.t.isf(0.025, n - 1)
    assert found / 200 == pytest.approx(0.8, abs=0.1)
