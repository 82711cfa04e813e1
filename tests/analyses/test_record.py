"""The numbers of record: what agreement, describe, evaluate and compare say of one small corpus.

Source of truth: definitions written out here in Fractions, document by document; of the streamed interval,
the weights of the readable kernel, the value of the documents as often as these say, and Hesterberg's (2015)
levels for as many documents as count (Kish 1965). In memory, by threads, and a batch of rows at a time; Dask
and Spark are held to the numbers of memory and threads in tests/scale/engine_proofs.py.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats
from tests.analyses.agreement.test_pooled_agreement import Oracle

import caesura as cs
from caesura.kernel import resampling_python

SEED, N_RESAMPLES = 7, 60


def one_long_document() -> cs.Corpus:
    """Twelve documents of three coders, two of whom coded the last; one is long."""
    sizes = [30] * 11 + [600]
    documents = {}
    for number, n_units in enumerate(sizes):
        part = cs.simulate(
            1, 3, n_units=n_units, mean_segment=6, near_miss=0.2, full_miss=0.3, reference=False, rng=number
        )
        coders = part.coders[:2] if number == len(sizes) - 1 else part.coders
        documents[f"d{number:02}"] = {coder: part[part.documents[0], coder] for coder in coders}
    return cs.Corpus.from_dict(documents)


CORPUS = one_long_document()


def streams(corpus: cs.Corpus, path) -> list[tuple[cs.Corpus, dict]]:
    """The corpus as it can be counted other than in memory, and with what options."""
    pq.write_table(corpus.to_arrow(), path, row_group_size=5)
    scan = cs.scan(path)
    return [(scan, {"engine": 1}), (scan, {"engine": 3}), (replace(scan, batch_rows=1), {})]


def poisson_weights(corpus: cs.Corpus, seed: int, n_resamples: int) -> np.ndarray:
    """The weight of each document in each resample, documents × resamples."""
    state = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    names = [name.encode() for name in corpus.documents]
    data = np.frombuffer(b"".join(names), dtype=np.uint8)
    hashes = resampling_python.hash_names(data, np.cumsum([0, *map(len, names)]))
    one = np.ones((1, 1), dtype=np.int16)
    return np.array(
        [
            resampling_python.poisson_sums(state, hashes[i : i + 1], one, n_resamples)[0]
            for i in range(len(names))
        ]
    )


def weighted_oracle(corpus: cs.Corpus, weights: list[int]) -> Oracle:
    found = Oracle(corpus, "B")
    found.coded = {
        f"{document}-{copy}": coders
        for (document, coders), weight in zip(found.coded.items(), weights, strict=True)
        for copy in range(weight)
    }
    return found


def compared_by_document(corpus: cs.Corpus) -> list[Fraction]:
    return [
        sum(
            Fraction(cs.boundary_similarity(one, other).denominator)
            for one, other in combinations(corpus[document].values(), 2)
        )
        for document in corpus.documents
    ]


def expanded(values: list[float], n: float) -> tuple[float, float]:
    level = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.isf(0.025, n - 1))
    return tuple(np.quantile(values, [level, 1 - level]))


@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
def test_agreement_and_its_streamed_interval(coefficient, tmp_path):
    oracle = Oracle(CORPUS, "B")
    compared = compared_by_document(CORPUS)
    count = float(sum(compared) ** 2 / sum(n**2 for n in compared))
    assert count < 7  # of twelve
    weights = poisson_weights(CORPUS, SEED, N_RESAMPLES).T.tolist()
    values = [weighted_oracle(CORPUS, drawn).coefficient(coefficient) for drawn in weights]
    low, high = expanded(values, count)
    for scan, how in streams(CORPUS, tmp_path / "x.parquet"):
        found = cs.agreement(scan, coefficient=coefficient, n_resamples=N_RESAMPLES, rng=SEED, **how)
        assert found.value == pytest.approx(oracle.coefficient(coefficient), abs=1e-12)
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-10)
    in_memory = cs.agreement(CORPUS, coefficient=coefficient, n_resamples=4000, rng=SEED)
    assert in_memory.value == pytest.approx(oracle.coefficient(coefficient), abs=1e-12)
    assert in_memory.observed == pytest.approx(float(oracle.observed()), abs=1e-12)
    assert in_memory.interval.estimate == in_memory.value
    # Drawn or weighted, documents are resampled alike, and both widen by the documents that count.
    streamed = cs.agreement(scan, coefficient=coefficient, n_resamples=4000, rng=SEED)
    for end in ("low", "high"):
        ends = getattr(in_memory.interval, end), getattr(streamed.interval, end)
        assert ends[0] == pytest.approx(ends[1], abs=0.75 * in_memory.interval.standard_error)


def test_description(tmp_path):
    coded = {document: [*CORPUS[document].values()] for document in CORPUS.documents}
    pairs = [pair for codings in coded.values() for pair in combinations(codings, 2)]
    edits = [cs.align(*pair, n_t=2) for pair in pairs]
    codings = [one for codings in coded.values() for one in codings]
    masses = [mass for one in codings for mass in one.masses]
    expected = {
        "documents": 12,
        "coders": 3,
        "codings": 35,
        "units": 930,
        "boundaries": sum(one.n_boundaries for one in codings),
        "segments": len(masses),
        "pairs": len(pairs),
        "pair_matches": sum(len(one.matches) for one in edits),
        "pair_transpositions": sum(len(one.transpositions) for one in edits),
        "pair_additions": sum(len(one.additions) for one in edits),
        "pair_potential_boundaries": 11 * 3 * 29 + 599,
    }
    for described in (
        cs.describe(CORPUS),
        *(cs.describe(scan, **how) for scan, how in streams(CORPUS, tmp_path / "x.parquet")),
    ):
        assert {name: getattr(described, name) for name in expected} == expected
        assert described.segment_size == pytest.approx((np.mean(masses), np.std(masses), len(masses)))


def test_evaluation_and_comparison(tmp_path):
    roles = {"references": ["c1"], "segmenters": ["c2"]}
    scores = [cs.boundary_similarity(CORPUS[d, "c1"], CORPUS[d, "c2"]) for d in CORPUS.documents]
    micro = sum(Fraction(s.numerator) for s in scores) / sum(Fraction(s.denominator) for s in scores)
    values = [float(score) for score in scores]
    weights = poisson_weights(CORPUS, SEED, N_RESAMPLES)
    sides = [np.array([getattr(s, name) for s in scores]) @ weights for name in ("numerator", "denominator")]
    ends = expanded(sides[0] / sides[1], 12)
    poisson = {"metrics": ["B"], "n_resamples": N_RESAMPLES, "rng": SEED, **roles}
    evaluations = [
        cs.evaluate(CORPUS, bootstrap="poisson", **poisson),
        *(cs.evaluate(scan, **poisson, **how) for scan, how in streams(CORPUS, tmp_path / "x.parquet")),
    ]
    for evaluation in evaluations:
        summary = evaluation["B"]
        assert float(summary.micro) == float(micro)
        assert (summary.macro, summary.se) == pytest.approx((np.mean(values), stats.sem(values)), abs=1e-14)
        assert (summary.interval.low, summary.interval.high) == pytest.approx(ends, abs=1e-12)
    comparison = cs.compare(CORPUS.select(documents=CORPUS.documents[:11]), segmenters=["c2", "c3"], rng=1)
    for segmenter in ("c2", "c3"):
        pairs = [cs.boundary_similarity(CORPUS[d, "c1"], CORPUS[d, segmenter]) for d in CORPUS.documents[:11]]
        pooled = sum(Fraction(s.numerator) for s in pairs) / sum(Fraction(s.denominator) for s in pairs)
        (found,) = (one for one in comparison.rows if one.name == segmenter)
        assert found.value == pytest.approx(float(pooled), abs=1e-12)
