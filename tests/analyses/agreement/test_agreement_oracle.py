"""Chance-corrected agreement. Source of truth: the formulas of SPEC §7 (F13t §4.2), written out naively.

The oracle goes pair by pair and boundary by boundary in Fractions; only the similarity of two segmentations
is taken from the package, which other tests check. segeval is the second source, for its own way.
"""

from __future__ import annotations

import math
import random
import warnings
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import stats
from tests.loops import each

import caesura as cs
from caesura.analyses.agreement_difference import agreement_drop
from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.pairs import every_two
from caesura.stats.resampling import draw

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval
    import segeval.agreement
    import segeval.data  # its metrics import this when first called
    from segeval.agreement.bias import artstein_poesio_bias_linear
    from segeval.agreement.kappa import fleiss_kappa_linear
    from segeval.agreement.pi import fleiss_pi_linear


# -------------------------------------------------------------------- the oracle


def fraction(number) -> Fraction:
    return Fraction(number).limit_denominator(10**6)  # numerators are multiples of a half, a third ...


class Oracle:
    """One group: every coder coded every document."""

    def __init__(self, corpus: cs.Corpus, metric: str, chance: str = "boundaries") -> None:
        self.corpus, self.metric, self.chance = corpus, cs.metric(metric), chance
        self.coders, self.documents = corpus.coders, corpus.documents
        self.types = corpus.types or (1,)
        self.positions = {d: corpus.n_units(d) - 1 for d in self.documents}

    def observed(self) -> Fraction:
        similar = compared = Fraction(0)
        for document in self.documents:
            for one, other in combinations(self.coders, 2):
                score = self.metric(self.corpus[document, one], self.corpus[document, other])
                similar += fraction(score.numerator)
                compared += fraction(score.denominator)
        return similar / compared

    def marks(self, document: str, coder: str, kind: int) -> int:
        segmentation = self.corpus[document, coder]
        n = sum(1 for _, t in segmentation.boundaries if t == kind)
        return n + (self.chance == "published")  # segments

    def rate(self, kind: int, coders) -> Fraction:
        n = sum(self.marks(d, c, kind) for d in self.documents for c in coders)
        return Fraction(n, len(coders) * sum(self.positions.values()))

    def expected_pi(self) -> Fraction:
        if self.chance != "boundaries":
            ratios = [
                Fraction(self.marks(d, c, 1), self.positions[d])
                for d in self.documents
                for pair in combinations(self.coders, 2)
                for c in pair
            ]
            return (sum(ratios) / len(ratios)) ** 2
        return sum(self.rate(t, self.coders) ** 2 for t in self.types) / len(self.types)

    def expected_kappa(self) -> Fraction:
        pairs = list(combinations(self.coders, 2))
        total = Fraction(0)
        for t in self.types:
            total += sum(self.rate(t, [one]) * self.rate(t, [other]) for one, other in pairs) / len(pairs)
        return total / len(self.types)

    def coefficient(self, expected: Fraction) -> float:
        return float((self.observed() - expected) / (1 - expected))

    def pi_variance(self) -> Fraction:
        """F13t, eq. 4.59 and 4.60, over the types plus "none"."""
        i, c = sum(self.positions.values()), len(self.coders)
        assigned = {
            t: sum(self.marks(d, k, t) for d in self.documents for k in self.coders) for t in self.types
        }
        marked = sum(len(self.corpus[d, k].positions) for d in self.documents for k in self.coders)
        assigned["none"] = i * c - marked
        p = [Fraction(n, sum(assigned.values())) for n in assigned.values()]
        spread = sum(x * (1 - x) for x in p)
        third = sum(x * (1 - x) * (1 - 2 * x) for x in p)
        return 2 * (spread**2 - third) / (i * c * (c - 1) * spread**2)


def random_corpus(
    seed: int, kinds: tuple[int, ...] = (1,), *, n_coders: int | None = None, allow_empty: bool = False
) -> cs.Corpus:
    rng = random.Random(seed)
    n_coders, n_documents = n_coders or rng.randint(2, 5), rng.randint(1, 4)
    codings = {}
    for d in range(n_documents):
        n_units = rng.randint(8, 40)
        opinion = [{t for t in kinds if rng.random() < 0.2} for _ in range(n_units - 1)]
        codings[f"d{d}"] = {f"c{c}": coding(rng, opinion, kinds, allow_empty) for c in range(n_coders)}
    return cs.Corpus.from_dict(codings)


def coding(
    rng: random.Random, opinion: list[set[int]], kinds: tuple[int, ...], allow_empty: bool = True
) -> cs.Segmentation:
    """Return the opinion with noise: boundaries moved by one, missed, or added."""
    sites: list[set[int]] = [set() for _ in opinion]
    for i, types in enumerate(opinion):
        for t in types:
            place = i + rng.choice((-1, 0, 0, 0, 1))
            if rng.random() < 0.8 and 0 <= place < len(sites):
                sites[place].add(t)
        if rng.random() < 0.05:
            sites[i].add(rng.choice(kinds))
    if not allow_empty and not any(sites):
        sites[0].add(kinds[0])
    return cs.Segmentation.from_sets(sites)


METRICS = ("B", "S", "Ba", "Bc", "B(n_t=1)", "B(n_t=4)", "S(n_t=3)", "Ba(transposition='constant')")
KINDS = ((1,), (1, 2, 5))
CASES = [(seed, metric, KINDS[seed % 2]) for seed in range(24) for metric in METRICS]


@pytest.mark.exhaustive
@each("seed, metric, kinds", CASES)
def test_coefficients_by_definition(seed, metric, kinds):
    corpus = random_corpus(seed, kinds, allow_empty=True)
    oracle = Oracle(corpus, metric)
    result = agreement(corpus, metric=metric, n_resamples=0)
    expected_pi, expected_kappa = oracle.expected_pi(), oracle.expected_kappa()
    exact = {"abs": 1e-14}
    assert result.observed == pytest.approx(float(oracle.observed()), **exact)
    assert result.expected == pytest.approx(float(expected_pi), **exact)
    assert result.pi == pytest.approx(oracle.coefficient(expected_pi), **exact)
    assert result.kappa == pytest.approx(oracle.coefficient(expected_kappa), **exact)
    assert result.bias == pytest.approx(float(expected_pi - expected_kappa), **exact)
    assert result.n_pairs == len(every_two(corpus))


@pytest.mark.parametrize("seed", range(24))
def test_tests_against_zero(seed):
    corpus = random_corpus(seed, KINDS[seed % 2])
    oracle = Oracle(corpus, "B")
    pi = agreement(corpus, n_resamples=0)
    z = oracle.coefficient(oracle.expected_pi()) / math.sqrt(oracle.pi_variance())
    assert pi.z == pytest.approx(z)
    assert pi.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    kappa = agreement(corpus, coefficient="kappa", n_resamples=0)
    chance = float(oracle.expected_kappa())
    deviation = math.sqrt(chance / (sum(oracle.positions.values()) * (1 - chance)))
    assert kappa.z == pytest.approx(oracle.coefficient(oracle.expected_kappa()) / deviation)
    assert kappa.value == kappa.kappa
    assert kappa.expected == pytest.approx(chance)


@pytest.mark.parametrize("seed", range(0, 24, 2))
def test_variance_of_one_type_has_the_closed_form(seed):
    """SPEC §7: 2 / (I·c·(c-1))."""
    corpus = random_corpus(seed)
    positions, c = sum(corpus.n_units(d) - 1 for d in corpus.documents), len(corpus.coders)
    result = agreement(corpus, n_resamples=0)
    assert result.z == pytest.approx(result.pi / math.sqrt(2 / (positions * c * (c - 1))))


@each("coefficient", ["pi", "kappa"])
@each("chance", ["boundaries", "published", "segeval"])
@each("seed", range(0, 24, 2))
def test_leaving_a_coder_out_and_single_documents_are_agreements_of_smaller_corpora(
    seed, chance, coefficient
):
    corpus = random_corpus(seed)
    options = {"chance": chance, "coefficient": coefficient, "n_resamples": 0}
    result = agreement(corpus, **options)
    for coder, value in result.influence.items():
        rest = [other for other in corpus.coders if other != coder]
        if len(rest) < 2:
            assert math.isnan(value)
            continue
        oracle = Oracle(corpus.select(coders=rest), "B", chance)
        chosen = oracle.expected_pi() if coefficient == "pi" else oracle.expected_kappa()
        assert value == pytest.approx(oracle.coefficient(chosen), abs=1e-13)
    for row in result.by_document:
        oracle = Oracle(corpus.select(documents=[row.document]), "B", chance)
        chosen = oracle.expected_pi() if coefficient == "pi" else oracle.expected_kappa()
        assert row.value == pytest.approx(oracle.coefficient(chosen), abs=1e-12)
        assert row.observed == pytest.approx(float(oracle.observed()), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_near_miss_share_counts_listed_edits(seed):
    corpus = random_corpus(seed, KINDS[seed % 2])
    near = differences = 0
    for coded in corpus.segmentations().values():
        for one, other in combinations(coded.values(), 2):
            edits = cs.align(one, other, n_t=3)
            near += len(edits.transpositions)
            differences += edits.distance
    result = agreement(corpus, n_t=3, n_resamples=0)
    assert result.near_miss_share == pytest.approx(near / differences)


# -------------------------------------------------------------------- segeval


def masses(segmentation: cs.Segmentation) -> tuple[int, ...]:
    return tuple(end - start for start, end in pairwise((0, *segmentation.positions, segmentation.n_units)))


def for_segeval(corpus: cs.Corpus, form=masses):
    return {
        document: {coder: form(coding) for coder, coding in coded.items()}
        for document, coded in corpus.segmentations().items()
    }


def sets(segmentation: cs.Segmentation) -> tuple[frozenset[int], ...]:
    string: list[set[int]] = [set() for _ in range(segmentation.n_units - 1)]
    for position, kind in segmentation.boundaries:
        string[position - 1].add(kind)
    return tuple(map(frozenset, string))


@pytest.mark.parametrize("seed", range(0, 24, 2))
def test_kappa_and_observed_agreement_equal_segeval(seed):
    """segeval 2.0.11 pools boundaries for κ* as the definition says; for π* it averages ratios."""
    corpus = random_corpus(seed)
    result = agreement(corpus, n_resamples=0)
    data = for_segeval(corpus)
    assert result.observed == pytest.approx(float(segeval.actual_agreement_linear(data)), abs=1e-14)
    assert result.kappa == pytest.approx(float(fleiss_kappa_linear(data)), abs=1e-14)
    if len(corpus.documents) == 1:
        assert result.pi == pytest.approx(float(fleiss_pi_linear(data)), abs=1e-14)
        assert result.bias == pytest.approx(float(artstein_poesio_bias_linear(data)), abs=1e-14)


COMPARE = {"B": segeval.boundary_similarity, "S": segeval.segmentation_similarity}


def by_segeval(corpus: cs.Corpus, name: str) -> list[float]:
    """segeval's π*, κ* and bias."""
    options = {"fnc_compare": COMPARE[name], "boundary_format": segeval.BoundaryFormat.sets}
    data = for_segeval(corpus, sets)
    return [
        float(call(data, **options))
        for call in (fleiss_pi_linear, fleiss_kappa_linear, artstein_poesio_bias_linear)
    ]


@pytest.mark.exhaustive
@each("name", ["B", "S"])
@each("seed, kinds", [(seed, KINDS[seed % 2]) for seed in range(24)])
def test_agreement_as_in_segeval_is_segeval(seed, kinds, name):
    """With several types segeval adds them up, and multiplies positions by the types of each pair."""
    corpus, metric = random_corpus(seed, kinds), f"{name}(as_in='segeval')"
    result = agreement(corpus, metric=metric, n_resamples=0)
    assert [result.pi, result.kappa, result.bias] == pytest.approx(by_segeval(corpus, name), abs=1e-14)
    assert result.signature.startswith(f"{name}|as_in=segeval 2.0.11|coefficient=pi|chance=segeval|")
    if len(corpus.documents) > 1 or len(kinds) > 1:
        assert result.pi != pytest.approx(agreement(corpus, metric=name, n_resamples=0).pi, abs=1e-9)
    for coder, value in result.influence.items():
        rest = [other for other in corpus.coders if other != coder]
        if len(rest) > 1:
            assert value == pytest.approx(by_segeval(corpus.select(coders=rest), name)[0], abs=1e-13)
    for row in result.by_document:
        assert row.value == pytest.approx(by_segeval(corpus.select(documents=[row.document]), name)[0])


def test_agreement_as_in_segeval_fails_as_segeval_does(tmp_path):
    as_in = "B(as_in='segeval')"
    partly = {"d1": {"ann": [5, 6], "bob": [4, 7]}, "d2": {"ann": [3, 4]}}
    with pytest.raises(Exception, match="Unequal number of items"):
        fleiss_pi_linear(partly)
    with pytest.raises(cs.ParameterError, match="fails for missing annotations: document d2;"):
        agreement(cs.Corpus.from_dict(partly), metric=as_in)
    empty = {"d1": {"ann": [5, 6], "bob": [4, 7]}, "d2": {"ann": [7], "bob": [7]}}
    with pytest.raises(ValueError, match="empty"):
        fleiss_pi_linear(empty)
    with pytest.raises(cs.ParameterError, match=r"^document d2: .* raises ValueError .*; B of caesura is 1$"):
        agreement(cs.Corpus.from_dict(empty), metric=as_in)
    corpus = cs.load_stargazers()
    with pytest.raises(cs.ParameterError, match="fixes every other parameter: leave out chance"):
        agreement(corpus, metric=as_in, chance="published")
    for chance in ("published", "segeval"):
        with pytest.raises(cs.ParameterError, match=r"for one boundary type; .*as_in='segeval'"):
            agreement(random_corpus(1, (1, 2)), chance=chance)
    with pytest.raises(cs.ParameterError, match="fails for missing annotations"):
        agreement_drop(cs.Corpus.from_dict(partly), ["bob"], metric=as_in)
    cs.write(corpus, tmp_path / "c.jsonl")
    with pytest.raises(cs.ParameterError, match=r"is not available for .*scans; load the data into memory"):
        agreement(cs.scan(tmp_path / "c.jsonl"), metric=as_in)
    with pytest.raises(cs.ParameterError, match=r"is not available for .*scans; load the data into memory"):
        agreement(cs.scan(tmp_path / "c.jsonl"), chance="segeval")
    difference = cs.compare_agreement(corpus, agreement(corpus, metric=as_in, n_resamples=0), n_resamples=0)
    assert difference.difference == 0


@pytest.mark.parametrize("seed", range(0, 24, 2))
def test_published_chance_is_segeval_with_segments_for_boundaries(seed, monkeypatch):
    corpus = random_corpus(seed)
    boundaries = segeval.agreement.__boundaries__
    monkeypatch.setattr(
        segeval.agreement, "__boundaries__", lambda coding, **options: boundaries(coding, **options) + 1
    )
    result = agreement(corpus, chance="published", n_resamples=0)
    data = for_segeval(corpus)
    assert result.pi == pytest.approx(float(fleiss_pi_linear(data)), abs=1e-13)
    assert result.kappa == pytest.approx(float(fleiss_kappa_linear(data)), abs=1e-13)


# -------------------------------------------------------------------- resampling


@pytest.mark.exhaustive
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("chance", ["boundaries", "published", "segeval"])
def test_resampled_documents_are_agreements_of_resampled_corpora(metric, chance):
    corpus = random_corpus(16, (1, 2, 5) if chance == "boundaries" else (1,))
    assert len(corpus.documents) > 1
    draws = draw(np.ones(len(corpus.documents), dtype=np.int64), 30, np.random.default_rng(1))
    for name in ("pi", "kappa"):
        result = agreement(corpus, metric=metric, coefficient=name, chance=chance, n_resamples=0)
        items = result.groups[0].stratum.items()
        values = items.values(items.sums(draws.T.copy()))
        for drawn, value in zip(draws.astype(int).tolist(), values.tolist(), strict=True):
            codings = {
                f"{document} {copy}": corpus[document]
                for document, n in zip(corpus.documents, drawn, strict=True)
                for copy in range(n)
            }
            types = cs.TypeScheme({kind: str(kind) for kind in corpus.types})
            resampled = cs.Corpus.from_dict(codings, type_scheme=types)
            oracle = Oracle(resampled, metric, chance)
            chosen = oracle.expected_pi() if name == "pi" else oracle.expected_kappa()
            assert value == pytest.approx(oracle.coefficient(chosen), abs=1e-12)


@each("metric", METRICS)
@each("kinds", KINDS)
@each("chance", ["boundaries", "published", "segeval"])
def test_positions_drawn_once_each_give_the_value(metric, kinds, chance):
    if chance != "boundaries" and len(kinds) > 1:
        return
    corpus = random_corpus(3, kinds)
    corpus = corpus.select(documents=corpus.documents[:1])
    for name in ("pi", "kappa"):
        result = agreement(corpus, metric=metric, coefficient=name, chance=chance, n_resamples=0)
        items = result.stratum._positions()
        assert items is not None
        assert items.number.sum() == corpus.n_units(corpus.documents[0]) - 1
        once = items.values(items.sums(items.number[:, None].astype(float)))[0]
        assert once == pytest.approx(result.value, abs=1e-12)


@pytest.mark.parametrize("n_documents", [1, 3])
def test_the_interval_is_reproducible_and_holds_the_value(n_documents):
    coded = random_corpus(4)["d0"]
    corpus = cs.Corpus.from_dict({f"copy {i}": coded for i in range(n_documents)})
    first, second, other = (agreement(corpus, rng=seed).interval for seed in (7, 7, 8))
    assert first == second
    assert first is not None
    value = agreement(corpus, n_resamples=0).value
    assert first.low <= value <= first.high
    if n_documents == 1:
        assert first != other
    else:  # three copies of one document: every resample is the same
        assert first.low == pytest.approx(first.high)


def test_the_interval_of_many_documents_is_as_wide_as_its_standard_error():
    rng = random.Random(5)
    codings = {}
    for d in range(60):
        opinion = [{1} if rng.random() < 0.2 else set() for _ in range(30)]
        codings[f"d{d}"] = {f"c{c}": coding(rng, opinion, (1,)) for c in range(3)}
    corpus = cs.Corpus.from_dict(codings)
    result = agreement(corpus, rng=0, n_resamples=4000)
    # The jackknife over documents, an independent way to the standard error.
    left_out = [
        agreement(corpus.select(documents=[d for d in corpus.documents if d != out]), n_resamples=0).value
        for out in corpus.documents
    ]
    n = len(left_out)
    error = math.sqrt((n - 1) / n * sum((value - sum(left_out) / n) ** 2 for value in left_out))
    assert result.interval is not None
    assert result.interval.high - result.interval.low == pytest.approx(2 * 1.96 * error, rel=0.15)


# -------------------------------------------------------------------- matrix, drop, random coders


@pytest.mark.parametrize("metric", ["B", "WD", "Pk", "F(tolerance=1)", "BP", "S(n_t=3)"])
def test_coder_matrix_pools_shared_documents(metric):
    corpus = random_corpus(11, (1,))
    measure = cs.metric(metric)
    matrix = coder_matrix(corpus, metric)
    for i, one in enumerate(corpus.coders):
        for j, other in enumerate(corpus.coders):
            if i == j:
                assert math.isnan(matrix.values[i, j])
                continue
            scores = [measure(corpus[d, one], corpus[d, other]) for d in corpus.documents]
            assert matrix.values[i, j] == pytest.approx(float(sum(scores[1:], scores[0])), abs=1e-13)
    for document in corpus.documents:
        part = matrix.document(document)
        one, other = corpus.coders[0], corpus.coders[-1]
        assert part.values[0, -1] == pytest.approx(
            float(measure(corpus[document, one], corpus[document, other]))
        )


def test_coder_matrix_of_strangers_is_nan():
    corpus = cs.Corpus.from_dict({"d": {"a": [2, 3], "b": [3, 2]}, "e": {"c": [1, 1], "d": [2]}})
    values = coder_matrix(corpus).values
    assert np.isnan(values).sum() == 16 - 4
    assert values[0, 1] == values[1, 0] == 0.5


@pytest.mark.parametrize("seed", [2, 4, 11])
def test_agreement_drop_is_the_difference_of_two_agreements(seed):
    corpus = random_corpus(seed, n_coders=4)
    *people, first, second = corpus.coders
    drops = agreement_drop(corpus, [first, second]).drops
    without = Oracle(corpus.select(coders=people), "B")
    for drop, name in zip(drops, (first, second), strict=True):
        joined = Oracle(corpus.select(coders=[*people, name]), "B")
        assert drop.segmenter == name
        assert drop.without == pytest.approx(without.coefficient(without.expected_kappa()))
        assert drop.joined == pytest.approx(joined.coefficient(joined.expected_kappa()))
        assert drop.drop == drop.without - drop.joined


def test_random_coders_get_what_random_placement_gives():
    """Two coders, one boundary each on 10 positions, n_t=1: they meet with probability 1/10."""
    corpus = cs.Corpus.from_dict({"d": {"a": [3, 8], "b": [3, 8]}})
    random_value = agreement(corpus, n_t=1, n_resamples=0).groups[0].at_random(4000, rng=0)
    assert random_value is not None
    chance = Fraction(1, 100)
    mean = float((Fraction(1, 10) - chance) / (1 - chance))
    assert random_value.mean == pytest.approx(mean, abs=0.015)
    assert random_value.p_value == pytest.approx(0.1, abs=0.015)


def test_random_typed_codings_keep_their_numbers_of_boundaries():
    corpus = random_corpus(5, (1, 2, 5))
    group = agreement(corpus, n_resamples=0).groups[0]
    assert group.at_random(3, rng=1) == group.at_random(3, rng=1)
