"""A scan gives the numbers of the same data in memory, bit for bit, however it is read.

Sources of truth: the evaluation in memory, whose own sources are in tests/analyses/test_evaluate.py; for the
Poisson
bootstrap, sums written out with the weights of the readable kernel, and the bootstrap of drawn documents.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.analyses.evaluation.counting import Question
from caesura.kernel import resampling_python
from caesura.metrics.registry import METRICS
from caesura.scale.counting import EvaluationTask
from caesura.scale.documents import DocumentRows
from caesura.scale.parts import Part
from caesura.scale.rows import plain_rows
from caesura.sums.tallies import hash_strings, seed_of

ALL = tuple(METRICS)


def random_corpus(n_documents: int, seed: int, *, typed: bool = False) -> cs.Corpus:
    """Documents of one unit and of many, one or two people and two segmenters."""
    generator = np.random.default_rng(seed)
    documents = {}
    for i in range(n_documents):
        n_units = int(generator.integers(1, 60))
        coders = [*(["ann", "bob"] if i % 3 else ["ann"]), "mine", "yours"]
        documents[f"d{i:03}"] = {}
        for coder in coders:
            positions = (np.flatnonzero(generator.random(n_units - 1) < 0.2) + 1).tolist()
            types = generator.integers(1, 4, size=len(positions)).tolist() if typed else None
            documents[f"d{i:03}"][coder] = cs.Segmentation.from_positions(positions, n_units, types)
    return cs.Corpus.from_dict(documents)


def simulated() -> cs.Corpus:
    return cs.simulate(60, 3, n_units=80, mean_segment=8, near_miss=0.2, full_miss=0.1, reference=True, rng=4)


def moonstone() -> cs.Corpus:
    return cs.read(data_path("moonstone", "segmentations"))


CORPORA = {
    "stargazers": lambda: (cs.load_stargazers(), ["1", "2"]),
    "moonstone": lambda: (moonstone(), [moonstone().coders[0]]),
    "simulated": lambda: (simulated(), ["c1", "c2"]),
    "random": lambda: (random_corpus(57, 3), ["mine", "yours"]),
    "typed": lambda: (random_corpus(57, 5, typed=True), ["mine"]),
}


def roles(corpus: cs.Corpus, segmenters: list[str]) -> tuple[cs.Corpus, cs.Corpus]:
    """People and segmenters in the documents that both have coded."""
    segmenters = [name if name in corpus.coders else corpus.coders[int(name)] for name in segmenters]
    machine = corpus.select(coders=segmenters)
    people = corpus.select(coders=[coder for coder in corpus.coders if coder not in segmenters])
    both = [name for name in people.documents if name in machine.document_numbers]
    return people.select(documents=both), machine.select(documents=both)


def same(one, other) -> None:
    """Integers, means, standard errors and intervals are equal to the last bit."""
    assert one.size == other.size
    assert one.segmenters == other.segmenters
    for a, b in zip(one.summaries, other.summaries, strict=True):
        assert (a.segmenter, a.metric, a.n) == (b.segmenter, b.metric, b.n)
        assert (a.micro.counts, a.micro.scale, a.micro.n_pairs) == (
            b.micro.counts,
            b.micro.scale,
            b.micro.n_pairs,
        )
        assert repr((a.macro, a.se, a.interval)) == repr((b.macro, b.se, b.interval))


def written(corpus: cs.Corpus, path: Path, rows: int = 11) -> Path:
    pq.write_table(corpus.to_arrow(), path, row_group_size=rows)
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", list(CORPORA))
def test_a_scan_is_the_corpus_whatever_the_batches_and_threads(name, tmp_path):
    people, machine = roles(*CORPORA[name]())
    metrics = [one for one in ALL if name != "moonstone" or one != "GHD"]
    in_memory = cs.evaluate(people, machine, metrics, bootstrap="poisson", n_resamples=40, rng=5)
    written(cs.Corpus.merge(people, machine), tmp_path / "all.parquet")
    scan = cs.scan(tmp_path)
    for documents in (1, 7, 10_000):
        for threads in (1, 2, 4):
            streamed = cs.evaluate(
                replace(scan, batch_rows=documents),
                references=people.coders,
                segmenters=machine.coders,
                metrics=metrics,
                n_resamples=40,
                rng=5,
                engine=threads,
            )
            same(in_memory, streamed)


def test_selections_of_one_scan_and_names_of_roles_are_the_same(tmp_path):
    corpus = random_corpus(40, 1)
    path = written(corpus, tmp_path / "a.parquet")
    expected = cs.evaluate(corpus, references=["ann", "bob"], bootstrap="poisson", rng=2)
    scan = cs.scan(path)
    same(expected, cs.evaluate(scan, references=["ann", "bob"], rng=2))
    same(expected, cs.evaluate(scan, segmenters=["mine", "yours"], references=["ann", "bob"], rng=2))
    people, machine = scan.select(coders=["ann", "bob"]), scan.select(coders=["mine", "yours"])
    same(expected, cs.evaluate(people, machine, rng=2))


@pytest.mark.exhaustive
def test_two_scans_are_joined(tmp_path):
    corpus = random_corpus(57, 3)
    people, machine = roles(corpus, ["mine", "yours"])
    expected = cs.evaluate(people, machine, ALL, bootstrap="poisson", n_resamples=40, rng=5)
    left, right = tmp_path / "people.parquet", tmp_path / "machine.parquet"
    written(people, left, 9)
    written(machine, right, 13)
    for rows in (1, 7, 10_000):
        for threads in (1, 2):
            sides = (replace(cs.scan(path), batch_rows=rows) for path in (left, right))
            same(expected, cs.evaluate(*sides, ALL, n_resamples=40, rng=5, engine=threads))


def test_documents_may_go_on_in_the_next_file(tmp_path):
    corpus = random_corpus(30, 8)
    table = corpus.to_arrow()
    for number, start in enumerate(range(0, len(table), 7)):
        pq.write_table(table.slice(start, 7), tmp_path / f"part-{number}.parquet", row_group_size=3)
    expected = cs.evaluate(corpus, references=["ann", "bob"], bootstrap="poisson", rng=2)
    same(expected, cs.evaluate(cs.scan(tmp_path), references=["ann", "bob"], rng=2))
    pattern = str(tmp_path / "part-*.parquet")
    same(expected, cs.evaluate(cs.scan(pattern), references=["ann", "bob"], rng=2, engine=1))


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_parts_add_up_in_any_order(size):
    """The one pure function on batches of whole documents, shuffled, through Arrow and through pickle."""
    corpus = random_corpus(57, 3)
    expected = cs.evaluate(
        corpus, references=["ann", "bob"], metrics=ALL, bootstrap="poisson", n_resamples=99, rng=5
    )
    metrics = tuple(summary.metric for summary in expected.summaries[: len(ALL)])
    task = EvaluationTask(Question(metrics, ("mine", "yours"), 99, seed_of(5)), ("ann", "bob"))
    rows = DocumentRows.of(plain_rows(corpus.to_arrow()))
    batches = [rows.part(start, min(len(rows), start + size)) for start in range(0, len(rows), size)]
    np.random.default_rng(1).shuffle(batches)
    total = Part({})
    for batch in batches:
        part = pickle.loads(pickle.dumps(task))(batch)
        total = total + Part.from_bytes(pickle.loads(pickle.dumps(part)).to_bytes())
    assert total.sums["size",].counts == expected.size
    tallies = [total.sums[number,] for number in range(len(expected.summaries))]
    for tally, summary in zip(tallies, expected.summaries, strict=True):
        assert (tally.counts, tally.scale, tally.n) == (summary.micro.counts, summary.micro.scale, summary.n)
        assert (repr(tally.mean), repr(tally.standard_error)) == (repr(summary.macro), repr(summary.se))


# -------------------------------------------------------------------- the Poisson bootstrap


def test_resampled_values_are_those_of_weighted_sums():
    corpus = random_corpus(25, 6)
    people, machine = roles(corpus, ["mine"])
    found = cs.evaluate(people, machine, ["B"], bootstrap="poisson", n_resamples=50, rng=3)["B"]
    names = people.document_names
    hashes = hash_strings(names.data, names.offsets)
    weights = resampling_python.poisson_weights(seed_of(3), hashes, 50)
    b = cs.metric("B")
    counts = [
        sum(b(people[document, coder], machine[document, "mine"]) for coder in people[document])
        for document in people.documents
    ]
    resampled = []
    for own in weights.T.tolist():
        similar = sum(w * Fraction(one.counts[0], one.scale) for w, one in zip(own, counts, strict=True))
        compared = sum(w * Fraction(one.counts[1], one.scale) for w, one in zip(own, counts, strict=True))
        resampled.append(float(similar / compared))
    assert found.interval.standard_error == pytest.approx(np.std(resampled, ddof=1), rel=1e-12)
    assert min(resampled) <= found.interval.low < found.interval.high <= max(resampled)


@pytest.mark.parametrize("metric", ["B", "WD", "F", "GHD", "EPk"])
def test_poisson_intervals_agree_with_those_of_drawn_documents(metric):
    """Within Monte Carlo error: the standard error of a bootstrap's is about 1 / √(2 · 4000) of it."""
    corpus = random_corpus(300, 9)
    people, machine = roles(corpus, ["mine"])
    drawn, poisson = (
        cs.evaluate(people, machine, [metric], bootstrap=how, n_resamples=4000, rng=1)[metric]
        for how in ("documents", "poisson")
    )
    assert float(drawn.micro) == float(poisson.micro)
    assert poisson.interval.standard_error == pytest.approx(drawn.interval.standard_error, rel=0.08)
    tolerance = 0.25 * drawn.interval.standard_error
    assert poisson.interval.low == pytest.approx(drawn.interval.low, abs=tolerance)
    assert poisson.interval.high == pytest.approx(drawn.interval.high, abs=tolerance)


def test_one_document_has_no_interval_and_no_resamples_none():
    one = roles(random_corpus(1, 6), ["mine"])
    assert np.isnan(cs.evaluate(*one, ["B"], bootstrap="poisson", rng=1)["B"].interval.low)
    some = roles(random_corpus(9, 6), ["mine"])
    found = cs.evaluate(*some, ["B"], bootstrap="poisson", n_resamples=0, rng=1)["B"]
    assert np.isnan(found.interval.low)


def test_a_generator_and_a_large_seed_are_seeds():
    sides = roles(random_corpus(20, 6), ["mine"])
    rngs = [lambda: 2**200, lambda: np.random.default_rng(4)]
    for rng in rngs:
        one, other = (cs.evaluate(*sides, ["B"], bootstrap="poisson", rng=rng()) for _ in range(2))
        same(one, other)


# -------------------------------------------------------------------- strata and documents


def with_genre(corpus: cs.Corpus) -> tuple[pa.Table, list[str | None]]:
    genres = [("news", "talk", None)[number % 3] for number in corpus.document.tolist()]
    return corpus.to_arrow().append_column("genre", pa.array(genres, pa.string())), genres


def test_strata_are_evaluations_of_their_documents(tmp_path):
    corpus = random_corpus(45, 2)
    table, genres = with_genre(corpus)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=10)
    people, machine = roles(corpus, ["mine", "yours"])
    names = {}
    for genre, number in zip(genres, corpus.document.tolist(), strict=True):
        names.setdefault(genre or "(none)", {})[corpus.documents[number]] = None
    streamed = cs.evaluate(
        cs.scan(tmp_path), references=["ann", "bob"], metrics=["B", "Pk"], by="genre", rng=7
    )
    assert [one.name for one in streamed.strata] == sorted(names)
    for stratum in streamed.strata:
        documents = list(names[stratum.name])
        expected = cs.evaluate(
            people.select(documents=documents),
            machine.select(documents=documents),
            ["B", "Pk"],
            bootstrap="poisson",
            rng=7,
        )
        same(expected, replace(expected, size=stratum.size, summaries=stratum.summaries))
    same(cs.evaluate(people, machine, ["B", "Pk"], bootstrap="poisson", rng=7), streamed)
    assert [row[0] for row in streamed.to_table("strata").rows] == sorted(names)
    assert set(streamed.to_dict()["strata"]) == set(names)
    detailed = people.with_details(
        {"genre": [("news", "talk", None)[corpus.document_numbers[d] % 3] for d, _, _ in people]}
    )
    in_memory = cs.evaluate(detailed, machine, ["B", "Pk"], by="genre", bootstrap="poisson", rng=7)
    for one, other in zip(in_memory.strata, streamed.strata, strict=True):
        assert one.name == other.name
        same(replace(in_memory, size=one.size, summaries=one.summaries),
             replace(streamed, size=other.size, summaries=other.summaries))  # fmt: skip


@pytest.mark.parametrize("rows", [1, 7, 10_000])
def test_values_of_documents_are_written_in_order(rows, tmp_path):
    corpus = random_corpus(45, 2)
    written(corpus, tmp_path / "a.parquet")
    people, machine = roles(corpus, ["mine", "yours"])
    expected = cs.evaluate(people, machine, ["B", "MultWD"], rng=7, n_resamples=9)
    scan = replace(cs.scan(tmp_path), batch_rows=rows)
    cs.evaluate(
        scan, references=["ann", "bob"], metrics=["B", "MultWD"], documents=tmp_path / "values.pq", rng=7
    )
    table = pq.read_table(tmp_path / "values.pq")
    assert tuple(table["document"].to_pylist()) == expected.documents
    assert tuple(table["units"].to_pylist()) == expected.n_units
    assert tuple(table["references"].to_pylist()) == expected.n_references
    for summary in expected.summaries:
        column = table[f"{summary.segmenter} {summary.metric!r}"]
        assert tuple(column.to_pylist()) == summary.documents


def test_a_streamed_evaluation_has_tables_and_words(tmp_path):
    corpus = random_corpus(45, 2)
    written(corpus, tmp_path / "a.parquet")
    found = cs.evaluate(cs.scan(tmp_path), references=["ann", "bob"], segmenters=["mine"], rng=7)
    assert found.documents == ()
    assert found["B"].documents == ()
    assert "45 documents with Poisson weights" in " ".join(str(found).split())
    assert found.to_table().rows == []
    assert next(row[0] for row in found.to_table().totals) == "micro"
    plain = found.to_dict()
    assert plain["documents"] == []
    assert plain["size"] == {"documents": 45, "units": found.size.units, "codings": found.size.codings}
    assert repr(found).startswith("<Evaluation on 45 documents: B ")


def test_progress_tells_documents_and_rows(tmp_path):
    corpus = random_corpus(45, 2)
    written(corpus, tmp_path / "a.parquet")
    seen = []
    cs.evaluate(cs.scan(tmp_path), references=["ann", "bob"], progress=seen.append, rng=1, n_resamples=0)
    assert [one.documents for one in seen] == sorted(one.documents for one in seen)
    assert (seen[-1].documents, seen[-1].rows, seen[-1].all_rows) == (45, len(corpus), len(corpus))


def test_other_columns_and_types_of_columns_are_fine(tmp_path):
    """Written by other programs: 32-bit numbers, large and dictionary-encoded texts, columns of their own."""
    corpus = random_corpus(20, 2)
    table = corpus.to_arrow()
    other = pa.table(
        {
            "extra": pa.array(range(len(table))),
            "coder": table["coder"].cast(pa.large_string()),
            "positions": table["positions"].cast(pa.list_(pa.int32())),
            "n_units": table["n_units"].cast(pa.int32()),
            "document": table["document"].cast(pa.string()),
        }
    )
    pq.write_table(other, tmp_path / "a.parquet", row_group_size=7)
    expected = cs.evaluate(corpus, references=["ann", "bob"], bootstrap="poisson", rng=2)
    same(expected, cs.evaluate(cs.scan(tmp_path), references=["ann", "bob"], rng=2))
