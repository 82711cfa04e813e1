"""A description of a scan is that of the same data in memory, bit for bit, however it is read.

Source of truth: describe() in memory, whose own sources are in tests/analyses/test_describe.py.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.real_data import data_path

import caesura as cs
from caesura import cli
from caesura.analyses.description import Description, question
from caesura.analyses.description.question import DescriptionQuestion
from caesura.scale.counting import CorpusTask
from caesura.scale.documents import DocumentRows
from caesura.scale.rows import plain_rows


def random_corpus(n_documents: int, seed: int, *, typed: bool = False) -> cs.Corpus:
    """Documents of one unit and of many; codings are missing at random."""
    generator = np.random.default_rng(seed)
    documents: dict[str, dict[str, cs.Segmentation]] = {}
    for i in range(n_documents):
        n_units = int(generator.integers(1, 60))
        documents[f"d{i:03}"] = {}
        for coder in generator.permutation(5)[: int(generator.integers(1, 6))].tolist():
            positions = (np.flatnonzero(generator.random(n_units - 1) < 0.1 + 0.05 * coder) + 1).tolist()
            types = generator.integers(1, 4, size=len(positions)).tolist() if typed else None
            documents[f"d{i:03}"][f"c{coder}"] = cs.Segmentation.from_positions(positions, n_units, types)
    return cs.Corpus.from_dict(documents)


CORPORA = {
    "stargazers": cs.load_stargazers,
    "moonstone": lambda: cs.read(data_path("moonstone", "segmentations")),
    "simulated": lambda: cs.simulate(
        60, 3, n_units=80, mean_segment=8, near_miss=0.2, full_miss=0.1, reference=True, rng=4
    ),
    "missing": lambda: random_corpus(57, 3),
    "typed": lambda: random_corpus(57, 5, typed=True),
    "ranks": lambda: random_corpus(57, 5, typed=True).as_hierarchies(),
}

IN_MEMORY = ("coder_rates", "prominence", "left_out", "source")
SAME = [field.name for field in fields(Description) if field.name not in IN_MEMORY]


def same(found, in_memory) -> None:
    """All numbers are equal to the last bit."""
    for name in (*SAME, "probabilities", "shares"):
        assert repr(getattr(found, name)) == repr(getattr(in_memory, name)), name
    rates = sorted(tuple(rate)[:6] for rate in in_memory.coder_rates)
    assert repr([tuple(rate)[:6] for rate in found.coder_rates]) == repr(rates)


def written(corpus: cs.Corpus, path: Path, rows: int = 11) -> Path:
    pq.write_table(corpus.to_arrow(), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("name", list(CORPORA))
def test_a_scan_is_the_corpus_whatever_the_batches_and_threads(name, tmp_path):
    corpus = CORPORA[name]()
    in_memory = cs.describe(corpus, n_t=3)
    scan = cs.scan(written(corpus, tmp_path / "all.parquet")).with_type_scheme(corpus.type_scheme)
    for rows in (1, 7, 10_000):
        for threads in (1, 3):
            same(cs.describe(replace(scan, batch_rows=rows), n_t=3, engine=threads), in_memory)


def test_n_t_beyond_the_sweep_and_none(tmp_path):
    corpus = random_corpus(57, 3)
    scan = cs.scan(written(corpus, tmp_path / "x.parquet"))
    same(cs.describe(scan, n_t=9, sweep=()), cs.describe(corpus, n_t=9, sweep=()))


def test_coders_that_are_selected(tmp_path):
    corpus = random_corpus(57, 3)
    scan = cs.scan(written(corpus, tmp_path / "x.parquet"))
    chosen = ["c1", "c4"]
    same(cs.describe(scan.select(coders=chosen)), cs.describe(corpus.select(coders=chosen)))
    with pytest.raises(cs.UnknownNameError, match="unknown coder 'c9'"):
        cs.describe(scan.select(coders=["c1", "c9"]))


def test_what_a_stream_does_not_list_is_said(tmp_path):
    found = cs.describe(cs.scan(written(random_corpus(57, 3, typed=True), tmp_path / "x.parquet")))
    assert any("Not available when streaming: outliers" in note.text for note in found.notes)
    assert json.loads(json.dumps(found.to_dict()))["documents"] == 57
    assert [len(found.to_table(part).rows) for part in ("coders", "types", "sweep")] == [5, 3, 14]


def test_bad_input_is_refused(tmp_path, monkeypatch):
    path = written(random_corpus(57, 3), tmp_path / "x.parquet")
    with pytest.raises(cs.ParameterError, match="apply to scans only"):
        cs.describe(cs.load_stargazers(), engine="threads")
    (tmp_path / "y.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(cs.CorpusError, match=r"y\.parquet"):
        cs.describe(cs.scan(tmp_path))
    found = cs.describe(cs.scan(tmp_path, skip_bad=True))
    assert (found.documents, "y.parquet" in found.left_out[0]) == (57, True)
    monkeypatch.setattr(question, "MOST_NAMES", 20)
    with pytest.raises(cs.CorpusError, match="too many sums for streaming"):
        cs.describe(cs.scan(path))


def test_parts_that_are_kept_give_the_same_numbers(tmp_path):
    path = written(random_corpus(57, 3), tmp_path / "x.parquet")
    first = cs.describe(cs.scan(path), resume=tmp_path / "parts")
    assert list((tmp_path / "parts").glob("part-*"))
    assert repr(cs.describe(cs.scan(path), resume=tmp_path / "parts").numbers()) == repr(first.numbers())
    with pytest.warns(UserWarning, match="another question"):
        cs.describe(cs.scan(path), n_t=5, resume=tmp_path / "parts")


def test_the_task_can_be_sent_elsewhere():
    rows = DocumentRows.of(plain_rows(random_corpus(57, 3).to_arrow()))
    task = CorpusTask(DescriptionQuestion(2, (2, 3)))
    one, other = task(rows), pickle.loads(pickle.dumps(task))(rows)
    assert one.to_bytes() == pickle.loads(pickle.dumps(other)).to_bytes()


def test_the_command_streams_where_it_is_asked_to(tmp_path, capsys):
    corpus = random_corpus(57, 3)
    path = written(corpus, tmp_path / "x.parquet")

    def run(*arguments: object) -> tuple[int, str, str]:
        code = cli.run([*map(str, arguments)])
        return code, *capsys.readouterr()

    code, out, err = run("describe", path, "--stream", "--format", "json")
    assert (code, "as a stream" in err) == (0, True)
    in_memory = cs.describe(corpus)
    found = json.loads(out)
    assert found["segment_size"] == in_memory.segment_size._asdict()
    assert found["pair_matches"] == in_memory.pair_matches
    code, out, _ = run("describe", path, "--stream", "--coders")
    assert (code, "typical" in out) == (0, True)
    code, _, err = run("describe", path, "--stream", "--support")
    assert (code, "--support" in err) == (2, True)
    (tmp_path / "y.parquet").write_bytes(b"PAR1 nonsense")
    code, _, err = run("describe", tmp_path, "--skip-bad")
    assert (code, "y.parquet" in err) == (1, True)
