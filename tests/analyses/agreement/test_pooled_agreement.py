"""Agreement of a corpus with missing codings. Source of truth: SPEC §14 written out coding by coding.

The oracle goes through documents, pairs and boundaries in Fractions; the similarity of two segmentations is
taken from the package, which other tests check.
"""

from __future__ import annotations

import math
import random
from dataclasses import fields
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.loops import each

import caesura as cs
from caesura.analyses.coder_agreement import agreement
from caesura.analyses.coder_agreement.finish import Coefficients
from caesura.analyses.coder_agreement.question import AgreementQuestion, count_pairs
from caesura.analyses.coder_agreement.strata import strata_of
from caesura.simulation import simulate
from caesura.stats.resampling import Resampling

from .test_agreement_oracle import coding, fraction

METRICS = ("B", "S", "Ba", "B(n_t=1)", "F(tolerance=1)", "P")


class Oracle:
    """All documents with at least two codings."""

    def __init__(self, corpus: cs.Corpus, metric: str, chance: str = "boundaries") -> None:
        self.metric, self.chance = cs.metric(metric), chance
        coded = {d: corpus[d] for d in corpus.documents}
        self.coded = {d: dict(coders) for d, coders in coded.items() if len(coders) > 1}
        self.types = sorted({t for c in self.coded.values() for one in c.values() for t in one.types}) or [1]
        self.coders = [c for c in corpus.coders if any(c in one for one in self.coded.values())]

    def n_positions(self, document: str) -> int:
        return next(iter(self.coded[document].values())).n_units - 1

    def observed(self) -> Fraction:
        similar = compared = Fraction(0)
        for coders in self.coded.values():
            for one, other in combinations(coders.values(), 2):
                for pair in [(one, other)] if self.metric.symmetric else [(one, other), (other, one)]:
                    score = self.metric(*pair)
                    similar += fraction(score.numerator)
                    compared += fraction(score.denominator)
        return similar / compared if compared else Fraction(0)

    def marks(self, coding: cs.Segmentation, kind: int) -> int:
        n = sum(1 for _, t in coding.boundaries if t == kind)
        return n + (self.chance == "published")  # segments

    def rate(self, kind: int, coder: str | None = None) -> Fraction:
        """P(t), or P(t|c) over the documents that c coded."""
        n = slots = 0
        for document, coders in self.coded.items():
            for name, one in coders.items():
                if coder in (None, name):
                    n += self.marks(one, kind)
                    slots += self.n_positions(document)
        return Fraction(n, slots) if slots else Fraction(0)

    def expected_pi(self) -> Fraction:
        if self.chance != "boundaries":
            ratios = [
                Fraction(self.marks(one, 1), self.n_positions(document))
                for document, coders in self.coded.items()
                if self.n_positions(document)
                for pair in combinations(coders.values(), 2)
                for one in pair
            ]
            return (sum(ratios) / len(ratios)) ** 2
        return sum(self.rate(t) ** 2 for t in self.types) / len(self.types)

    def expected_kappa(self) -> Fraction:
        total = weights = Fraction(0)
        rates = {(t, c): self.rate(t, c) for t in self.types for c in self.coders}
        for one, other in combinations(self.coders, 2):
            shared = sum(self.n_positions(d) for d, c in self.coded.items() if one in c and other in c)
            weights += shared
            total += shared * sum(rates[t, one] * rates[t, other] for t in self.types) / len(self.types)
        return total / weights

    def coefficient(self, name: str) -> float:
        if not self.coded or not any(one.n_boundaries for c in self.coded.values() for one in c.values()):
            return math.nan
        if not sum(map(self.n_positions, self.coded)):
            return math.nan
        expected = self.expected_pi() if name == "pi" else self.expected_kappa()
        return float((self.observed() - expected) / (1 - expected)) if expected < 1 else math.nan

    def without(self, coder: str) -> dict[str, dict[str, cs.Segmentation]]:
        return {d: {c: one for c, one in coders.items() if c != coder} for d, coders in self.coded.items()}

    def pi_variance(self) -> Fraction:
        """F13t, eq. 4.59, with the number of pairs of codings at all positions for I·c·(c-1)/2."""
        pairs = sum(math.comb(len(c), 2) * self.n_positions(d) for d, c in self.coded.items())
        assigned = [
            sum(self.marks(one, t) for c in self.coded.values() for one in c.values()) for t in self.types
        ]
        slots = sum(len(c) * self.n_positions(d) for d, c in self.coded.items())
        marked = sum(len(set(one.positions)) for c in self.coded.values() for one in c.values())
        assigned.append(slots - marked)
        p = [Fraction(n, sum(assigned)) for n in assigned]
        spread, third = sum(x * (1 - x) for x in p), sum(x * (1 - x) * (1 - 2 * x) for x in p)
        return (spread**2 - third) / (pairs * spread**2)


def with_missing(seed: int, kinds: tuple[int, ...] = (1,)) -> cs.Corpus:
    """Return documents that some of six coders have coded, one or more of them."""
    rng = random.Random(seed)
    codings = {}
    for d in range(rng.randint(3, 8)):
        n_units = rng.randint(2, 30)
        opinion = [{t for t in kinds if rng.random() < 0.25} for _ in range(n_units - 1)]
        who = rng.sample("abcdef", rng.randint(1, 4))
        codings[f"d{d}"] = {c: coding(rng, opinion, kinds) for c in who}
    codings["both"] = {c: coding(rng, [{kinds[0]}] * 6, kinds, allow_empty=False) for c in "ab"}
    return cs.Corpus.from_dict(codings)


CASES = [(seed, kinds) for kinds in ((1,), (1, 2, 5)) for seed in range(8)]


@each("metric", METRICS)
@each("seed, kinds", CASES)
def test_the_value_of_a_corpus_is_that_of_the_definition(seed, kinds, metric):
    corpus = with_missing(seed, kinds)
    oracle = Oracle(corpus, metric)
    for name in ("pi", "kappa"):
        result = agreement(corpus, metric=metric, coefficient=name, n_resamples=0)
        assert result.value == pytest.approx(oracle.coefficient(name), abs=1e-12)
    assert result.observed == pytest.approx(float(oracle.observed()), abs=1e-12)
    assert result.bias == pytest.approx(float(oracle.expected_pi() - oracle.expected_kappa()), abs=1e-12)
    assert set(result.coders) == set(oracle.coders)
    assert result.documents == tuple(oracle.coded)
    assert result.single_documents == tuple(d for d in corpus.documents if d not in oracle.coded)
    assert [row.document for row in result.by_document] == list(oracle.coded)


@pytest.mark.parametrize(("seed", "kinds"), CASES)
def test_z_goes_by_the_pairs_of_codings_at_all_positions(seed, kinds):
    corpus = with_missing(seed, kinds)
    oracle = Oracle(corpus, "B")
    result = agreement(corpus, n_resamples=0)
    assert result.z == pytest.approx(oracle.coefficient("pi") / math.sqrt(oracle.pi_variance()))
    assert result.p_value == pytest.approx(2 * stats.norm.sf(abs(result.z)))


@pytest.mark.parametrize("seed", range(8))
def test_published_chance_averages_over_both_coders_of_all_pairs(seed):
    corpus = with_missing(seed)
    for name in ("pi", "kappa"):
        result = agreement(corpus, chance="published", coefficient=name, n_resamples=0)
        value = Oracle(corpus, "B", "published").coefficient(name)
        assert result.value == pytest.approx(value, abs=1e-12, nan_ok=True)


@pytest.mark.exhaustive
@each("name", ["pi", "kappa"])
@each("chance", ["boundaries", "published", "segeval"])
@each("seed, kinds", CASES)
def test_influence_is_the_value_of_the_other_coders(seed, kinds, name, chance):
    if chance != "boundaries" and len(kinds) > 1:
        return
    corpus = with_missing(seed, kinds)
    oracle = Oracle(corpus, "B", chance)
    influence = agreement(corpus, coefficient=name, chance=chance, n_resamples=0).influence
    assert set(influence) == set(oracle.coders)
    for coder, value in influence.items():
        rest = Oracle.__new__(Oracle)
        rest.metric, rest.chance, rest.types = oracle.metric, chance, oracle.types
        rest.coded = {d: c for d, c in oracle.without(coder).items() if len(c) > 1}
        rest.coders = [c for c in oracle.coders if any(c in one for one in rest.coded.values())]
        assert value == pytest.approx(rest.coefficient(name), abs=1e-11, nan_ok=True), coder


@pytest.mark.parametrize("seed", range(8))
def test_strict_coefficients_pool_pairs_and_rates(seed):
    corpus = with_missing(seed, (1, 2, 5))
    coded = Oracle(corpus, "B").coded
    marked = {
        (d, c): [p in set(one.positions) for p in range(1, one.n_units)]
        for d, coders in coded.items()
        for c, one in coders.items()
    }
    agreeing = compared = 0
    both: dict[tuple[str, str], int] = {}
    for d, coders in coded.items():
        for one, other in combinations(sorted(coders), 2):
            agreeing += sum(x == y for x, y in zip(marked[d, one], marked[d, other], strict=True))
            compared += len(marked[d, one])
            both[one, other] = both.get((one, other), 0) + len(marked[d, one])
    percent = Fraction(agreeing, compared)
    slots = [mark for marks in marked.values() for mark in marks]
    p = Fraction(sum(slots), len(slots))
    one_rate = p**2 + (1 - p) ** 2

    def rate(coder: str) -> Fraction:
        own = [mark for (_, c), marks in marked.items() if c == coder for mark in marks]
        return Fraction(sum(own), len(own)) if own else Fraction(0)

    own_rates = sum(
        n * (rate(x) * rate(y) + (1 - rate(x)) * (1 - rate(y))) for (x, y), n in both.items()
    ) / sum(both.values())
    strict = agreement(corpus, n_resamples=0).strict
    assert strict.percent == pytest.approx(float(percent))
    assert strict.fleiss_kappa == pytest.approx(float((percent - one_rate) / (1 - one_rate)))
    assert strict.davies_fleiss_kappa == pytest.approx(float((percent - own_rates) / (1 - own_rates)))
    assert strict.scott_pi is None
    assert strict.reasons["cochran_q"] == "not all coders have coded all documents"


@pytest.mark.parametrize("name", ["pi", "kappa"])
@pytest.mark.parametrize("seed", range(6))
def test_the_drop_over_all_documents_is_the_difference_of_two_values(seed, name):
    coded = with_missing(seed).segmentations()
    coded = {d: {**c, "machine": next(iter(c.values()))} for d, c in coded.items() if d != "d1"}
    corpus = cs.Corpus.from_dict(coded)
    people = {d: {c: one for c, one in coders.items() if c != "machine"} for d, coders in coded.items()}
    several = [d for d, coders in people.items() if len(coders) > 1]
    (drop,) = cs.agreement_drop(corpus, ["machine"], coefficient=name).whole
    alone = Oracle(cs.Corpus.from_dict({d: people[d] for d in several}), "B")
    joined = Oracle(cs.Corpus.from_dict({d: coded[d] for d in several}), "B")
    assert drop.documents == tuple(several)
    assert drop.without == pytest.approx(alone.coefficient(name), abs=1e-12)
    assert drop.joined == pytest.approx(joined.coefficient(name), abs=1e-12)


# -------------------------------------------------------------------- what always holds


@pytest.mark.exhaustive
@given(st.integers(0, 10**6), st.sampled_from([(1,), (1, 2)]), st.sampled_from(["pi", "kappa"]), st.randoms())
def test_the_names_of_coders_and_documents_do_not_matter(seed, kinds, name, rng):
    corpus = with_missing(seed, kinds)
    coders = dict(zip(corpus.coders, rng.sample(corpus.coders, len(corpus.coders)), strict=True))
    documents = dict(zip(corpus.documents, rng.sample(corpus.documents, len(corpus.documents)), strict=True))
    other = cs.Corpus.from_dict(
        {
            documents[d]: {coders[c]: one for c, one in rng.sample([*coded.items()], len(coded))}
            for d, coded in corpus.segmentations().items()
        }
    )
    ours, theirs = (agreement(part, coefficient=name, n_resamples=0) for part in (corpus, other))
    for number in ("value", "observed", "expected", "bias", "z", "near_miss_share", "krippendorff_alpha"):
        assert getattr(ours, number) == pytest.approx(getattr(theirs, number), abs=1e-12, nan_ok=True)


@given(st.integers(0, 10**6), st.sampled_from([(1,), (1, 2)]), st.sampled_from(["pi", "kappa"]))
def test_with_one_group_the_corpus_has_its_numbers_also_beside_single_codings(seed, kinds, name):
    corpus = with_missing(seed, kinds)
    shared = {
        d: {c: coded[c] for c in "ab"} for d, coded in corpus.segmentations().items() if {*"ab"} <= {*coded}
    }
    alone = agreement(cs.Corpus.from_dict(shared), coefficient=name, n_resamples=20, rng=1)
    (group,) = alone.groups
    single = {f"{d}x": {"f": coded["a"]} for d, coded in shared.items()}
    beside = agreement(cs.Corpus.from_dict(shared | single), coefficient=name, n_resamples=20, rng=1)
    assert beside.single_documents == tuple(single)
    assert f"{len(single)} document" in " ".join(beside.caveats)
    for one in (alone, beside):
        beside = ("seed", "strict", "random")
        names = [field.name for field in fields(Coefficients) if field.name not in beside]
        same = [getattr(one, name) == getattr(group, name) for name in names]
        assert all(same) or math.isnan(group.value)
        assert one.strict == group.strict or math.isnan(group.strict.cochran_q)
        assert one.influence == group.influence or math.isnan(group.value) or len(group.coders) < 3


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.sampled_from([(1,), (1, 2)]),
    st.sampled_from(["pi", "kappa"]),
    st.sampled_from(["boundaries", "published", "segeval"]),
)
def test_every_resample_is_the_value_of_the_drawn_documents(seed, kinds, name, chance):
    """A document drawn twice is two documents of the same coders."""
    chance = chance if len(kinds) == 1 else "boundaries"
    corpus = with_missing(seed, kinds)
    of_documents = agreement(corpus, coefficient=name, chance=chance, n_resamples=0).stratum.items()
    n_documents = len(of_documents.number)
    weights = np.random.default_rng(seed).multinomial(
        n_documents, np.full(n_documents, 1 / n_documents), size=3
    )
    found = of_documents.values(of_documents.sums(weights.T.astype(float)))
    oracle = Oracle(corpus, "B", chance)
    for value, drawn in zip(found, weights, strict=True):
        resample = Oracle(corpus, "B", chance)
        resample.coded = {
            f"{d}-{i}": coded
            for (d, coded), n in zip(oracle.coded.items(), drawn, strict=True)
            for i in range(n)
        }
        assert value == pytest.approx(resample.coefficient(name), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("chance", ["boundaries", "published", "segeval"])
@pytest.mark.parametrize("name", ["pi", "kappa"])
@pytest.mark.parametrize("seed", range(6))
def test_influence_of_a_document_is_the_derivative_by_its_weight(seed, name, chance):
    corpus = with_missing(seed, (1, 2, 5) if chance == "boundaries" else (1,))
    of_documents = agreement(corpus, coefficient=name, chance=chance, n_resamples=0).stratum.items()
    n, step = len(of_documents.number), 1e-6
    sums = of_documents.sums(np.ones((n, 1)))
    found = of_documents.transposed @ of_documents.slopes(sums)
    for document in range(n):
        up, down = np.ones((n, 1)), np.ones((n, 1))
        up[document] += step
        down[document] -= step
        values = [of_documents.values(of_documents.sums(weights))[0] for weights in (up, down)]
        assert found[document, 0] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)
    assert found.sum() == pytest.approx(0, abs=1e-9)  # twice the documents, the same value


def test_random_coders_are_measured_over_the_whole_corpus():
    corpus = with_missing(3)
    result = agreement(corpus, n_resamples=0)
    found = result.with_random(20, rng=1)
    of_all, each = found.random, [group.random for group in found.groups]
    assert of_all.p_value <= 1
    assert [one is None for one in each] == [math.isnan(group.value) for group in result.groups]
    assert result.at_random(20, rng=1) == of_all


# -------------------------------------------------------------------- known truth


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["pi", "kappa"])
@pytest.mark.parametrize("n_documents", [20, 60])
def test_intervals_with_missing_codings_hold_the_truth(name, n_documents):
    """Rotating pairs and triples of four coders: 95 % intervals hold the value of very many documents."""
    rng = np.random.default_rng(7)

    def codings(n: int) -> cs.Corpus:
        full = simulate(n, 4, n_units=60, mean_segment=6, near_miss=0.2, full_miss=0.3, rng=rng)
        order = np.argsort(rng.random((n, 4)), axis=1)
        size = rng.integers(2, 4, n)
        return full.take(np.flatnonzero(order[full.document, full.coder] < size[full.document]))

    truth = agreement(codings(20_000), coefficient=name, n_resamples=0).value
    n_studies, held = 1000, 0
    metric = cs.metric("B")
    question = AgreementQuestion((metric,), name)
    drawn = codings(n_studies * n_documents)
    of_study = np.searchsorted(drawn.document, n_documents * np.arange(1, n_studies))
    for rows in np.split(np.arange(len(drawn)), of_study):
        whole, _ = strata_of(count_pairs(drawn.take(rows), metric), question)  # groups need no intervals
        interval = whole.interval(Resampling(400), rng)
        held += interval.low <= truth <= interval.high
    assert 0.93 <= held / n_studies <= 0.97
