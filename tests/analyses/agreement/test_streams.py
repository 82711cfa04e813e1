"""Agreement of a scan is that of the same data in memory, bit for bit, however it is read.

Sources of truth: agreement in memory, whose own sources are in tests/analyses/agreement/test_agreement.py;
for intervals,
the bootstrap of drawn documents, and sums written out with the weights of the readable kernel.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.real_data import data_path

import caesura as cs
from caesura import cli
from caesura.analyses.coder_agreement import agreements, question
from caesura.analyses.coder_agreement.coefficients import Totals, expectation_of
from caesura.analyses.coder_agreement.finish import resampled_values
from caesura.analyses.coder_agreement.question import AgreementQuestion
from caesura.kernel import resampling_python
from caesura.metrics.registry import METRICS
from caesura.scale.counting import CorpusTask
from caesura.scale.data_files import DataFile
from caesura.scale.documents import DocumentRows
from caesura.scale.rows import plain_rows
from caesura.sums.tallies import hash_strings, seed_of


def random_corpus(n_documents: int, seed: int, *, typed: bool = False, coders: int = 5) -> cs.Corpus:
    """Documents of one unit and of many; codings are missing at random, also all but one."""
    generator = np.random.default_rng(seed)
    documents: dict[str, dict[str, cs.Segmentation]] = {}
    for i in range(n_documents):
        n_units = int(generator.integers(1, 60))
        some = generator.permutation(coders)[: int(generator.integers(1, coders + 1))].tolist()
        documents[f"d{i:03}"] = {}
        for coder in some:
            rate = 0.1 + 0.05 * coder
            positions = (np.flatnonzero(generator.random(n_units - 1) < rate) + 1).tolist()
            types = generator.integers(1, 4, size=len(positions)).tolist() if typed else None
            documents[f"d{i:03}"][f"c{coder}"] = cs.Segmentation.from_positions(positions, n_units, types)
    return cs.Corpus.from_dict(documents)


def silent() -> cs.Corpus:
    """Complete codings in which one coder marks nothing."""
    corpus = cs.simulate(20, 3, n_units=40, mean_segment=8, near_miss=0.2, full_miss=0.1, rng=4)
    documents = {
        name: {coder: corpus[name, coder] for coder in corpus.coders}
        | {"nil": cs.Segmentation.from_masses([40])}
        for name in corpus.documents
    }
    return cs.Corpus.from_dict(documents)


def declared() -> cs.Corpus:
    scheme = cs.TypeScheme({1: "topic", 2: "shift", 3: "other", 4: "never"})
    return random_corpus(40, 9, typed=True).with_type_scheme(scheme)


CORPORA = {
    "stargazers": cs.load_stargazers,
    "moonstone": lambda: cs.read(data_path("moonstone", "segmentations")),
    "simulated": lambda: cs.simulate(
        60, 3, n_units=80, mean_segment=8, near_miss=0.2, full_miss=0.1, reference=True, rng=4
    ),
    "missing": lambda: random_corpus(57, 3),
    "typed": lambda: random_corpus(57, 5, typed=True),
    "declared": declared,
    "silent": silent,
    "two coders": lambda: cs.simulate(12, 2, n_units=30, mean_segment=6, near_miss=0.2, full_miss=0.1, rng=1),
}

SAME = (
    *("coders", "value", "observed", "expected", "pi", "kappa", "bias", "z", "p_value", "strict"),
    *("differences", "near_miss_share", "krippendorff_alpha", "silent", "n_pairs", "n_positions"),
    *("reason", *Totals.__dataclass_fields__),
)


def same(found, in_memory) -> None:
    """All numbers are equal to the last bit."""
    for name in SAME:
        one, other = getattr(found, name), getattr(in_memory, name)
        if name in ("coders", "silent"):
            one, other = sorted(one), sorted(other)
        assert repr(one) == repr(other), name
    assert found.n_documents == len(in_memory.documents)
    assert found.n_single_documents == len(in_memory.single_documents)


def written(corpus: cs.Corpus, path: Path, rows: int = 11) -> Path:
    pq.write_table(corpus.to_arrow(), path, row_group_size=rows)
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
@pytest.mark.parametrize("name", list(CORPORA))
def test_a_scan_is_the_corpus_whatever_the_batches_and_threads(name, coefficient, tmp_path):
    corpus = CORPORA[name]()
    in_memory = cs.agreement(corpus, coefficient=coefficient, n_resamples=0)
    scan = cs.scan(written(corpus, tmp_path / "all.parquet"))
    intervals = set()
    for rows in (1, 7, 10_000):
        for threads in (1, 3):
            found = cs.agreement(
                replace(scan, batch_rows=rows), coefficient=coefficient, n_resamples=30, rng=5, engine=threads
            )
            same(found, in_memory)
            intervals.add(found.interval)
    assert len(intervals) == 1


@pytest.mark.parametrize("metric", ["B(n_t=4)", "S", "Ba", "F", "P", "WD", "Pk"])
def test_all_similarities_are_those_of_memory(metric, tmp_path):
    corpus = random_corpus(40, 8, typed=metric[0] in "BS")
    if METRICS.get(metric.partition("(")[0], METRICS["B"]).direction != "higher":
        with pytest.raises(cs.ParameterError, match="not a similarity"):
            cs.agreement(cs.scan(written(corpus, tmp_path / "x.parquet")), metric=metric)
        return
    scan = replace(cs.scan(written(corpus, tmp_path / "x.parquet")), batch_rows=7)
    for coefficient in ("pi", "kappa"):
        in_memory = cs.agreement(corpus, metric=metric, coefficient=coefficient, n_resamples=0)
        same(cs.agreement(scan, metric=metric, coefficient=coefficient, n_resamples=0), in_memory)


def test_several_metrics_are_counted_in_one_reading_with_the_numbers_of_each(tmp_path, monkeypatch):
    corpus = random_corpus(40, 8)
    scan = replace(cs.scan(written(corpus, tmp_path / "x.parquet")), batch_rows=7)
    metrics = ["B(n_t=4)", "F", "S", "B"]
    for coefficient in ("pi", "kappa"):
        each = [
            cs.agreement(scan, metric=one, coefficient=coefficient, n_resamples=20, rng=5) for one in metrics
        ]
        read = []
        with monkeypatch.context() as patch:
            patch.setattr(DataFile, "_read", _noting(DataFile._read, read))
            together = agreements(scan, metrics, coefficient=coefficient, n_resamples=20, rng=5)
        assert sum(read) == scan.n_rows
        for one, alone, metric in zip(together, each, metrics, strict=True):
            assert (one.metric, one.interval) == (cs.metric(metric), alone.interval)
            assert repr(one.numbers()) == repr(alone.numbers())
            same(one, cs.agreement(corpus, metric=metric, coefficient=coefficient, n_resamples=0))


def _noting(read, n_rows: list):
    def noted(*piece):
        rows = read(*piece)
        n_rows.append(len(rows.table))
        return rows

    return noted


def test_weights_that_are_no_whole_numbers_are_those_of_memory(tmp_path):
    corpus = random_corpus(40, 8, typed=True)
    metric = METRICS["B"](substitution={(1, 2): 0.1, (1, 3): 1 / 3, (2, 3): 0.7})
    scan = cs.scan(written(corpus, tmp_path / "x.parquet"))
    in_memory = cs.agreement(corpus, metric=metric, n_resamples=0)
    for rows in (1, 10_000):
        same(cs.agreement(replace(scan, batch_rows=rows), metric=metric, n_resamples=0), in_memory)


@pytest.mark.exhaustive
@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
@pytest.mark.parametrize("name", ["moonstone", "simulated", "missing", "typed"])
def test_the_interval_is_that_of_drawn_documents_within_chance(name, coefficient, tmp_path):
    corpus = CORPORA[name]()
    scan = cs.scan(written(corpus, tmp_path / "x.parquet"))
    drawn = cs.agreement(corpus, coefficient=coefficient, n_resamples=4000, rng=2).interval
    found = cs.agreement(scan, coefficient=coefficient, n_resamples=4000, rng=2).interval
    assert found.estimate == drawn.estimate
    # An end of 4,000 resamples varies by some 0.05 standard errors, and Poisson weights add as little.
    for end in ("low", "high"):
        assert abs(getattr(found, end) - getattr(drawn, end)) < 0.3 * drawn.standard_error
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.12)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["missing", "typed"])
def test_a_resample_is_the_agreement_of_documents_as_often_as_weighted(name, tmp_path):
    """Documents that are written as often as their weight says give the value of the resample."""
    corpus = CORPORA[name]()
    n_resamples, seed = 5, 11
    names = corpus.document_names
    hashes = hash_strings(names.data, names.offsets)
    ones = np.ones((1, 1), dtype=np.int16)
    weights = np.array(
        [
            resampling_python.poisson_sums(seed_of(seed), hashes[i : i + 1], ones, n_resamples)[0]
            for i in range(len(hashes))
        ]
    )
    for coefficient in ("pi", "kappa"):
        asked = AgreementQuestion((cs.metric("B"),), coefficient, n_resamples, seed_of(seed))
        sums = asked.count(corpus)
        n_types = len({name[1] for name in sums if name[0] == "type"})
        values = resampled_values(asked, sums, expectation_of(coefficient, "boundaries", n_types, sums))
        for place in range(n_resamples):
            drawn = cs.Corpus.from_dict(
                {
                    f"{document}-{copy}": {
                        coder: coding for name, coder, coding in corpus if name == document
                    }
                    for document, weight in zip(corpus.documents, weights[:, place].tolist(), strict=True)
                    for copy in range(weight)
                }
            )
            expected = cs.agreement(drawn, coefficient=coefficient, n_resamples=0).value
            assert values[place] == pytest.approx(expected, rel=1e-12)


def test_the_order_of_documents_and_coders_changes_nothing(tmp_path):
    corpus = random_corpus(57, 3)
    backwards = corpus.select(documents=corpus.documents[::-1], coders=sorted(corpus.coders, reverse=True))
    one = cs.agreement(
        cs.scan(written(corpus, tmp_path / "x.parquet")), coefficient="kappa", n_resamples=20, rng=1
    )
    other = cs.agreement(
        cs.scan(written(backwards, tmp_path / "y.parquet")), coefficient="kappa", n_resamples=20, rng=1
    )
    assert repr(one.numbers()) == repr(other.numbers())


def test_coders_that_are_selected(tmp_path):
    corpus = random_corpus(57, 3)
    scan = cs.scan(written(corpus, tmp_path / "x.parquet"))
    chosen = ["c1", "c4"]
    found = cs.agreement(scan.select(coders=chosen), n_resamples=0)
    same(found, cs.agreement(corpus.select(coders=chosen), n_resamples=0))
    with pytest.raises(cs.UnknownNameError, match="unknown coder 'c9'"):
        cs.agreement(scan.select(coders=["c1", "c9"]), n_resamples=0)


def test_what_a_stream_does_not_list_is_said(tmp_path):
    found = cs.agreement(cs.scan(written(random_corpus(57, 3), tmp_path / "x.parquet")), n_resamples=9, rng=1)
    assert any("Not available when streaming: groups" in note.text for note in found.notes)
    assert f"{found.n_single_documents} documents with one coding do not count." in found.caveats
    assert "interval=poisson,0.95,9,seed=1" in found.signature
    assert json.loads(json.dumps(found.to_dict()))["n_documents"] == found.n_documents
    assert len(found.to_table().rows) == 1


def test_one_document_has_no_interval_and_a_note(tmp_path):
    found = cs.agreement(cs.scan(written(cs.load_stargazers(), tmp_path / "x.parquet")), rng=1)
    assert found.interval is None
    assert any("No interval: streaming" in line for line in found.caveats)


def test_bad_input_is_refused(tmp_path, monkeypatch):
    lonely = cs.Corpus.from_dict({"a": {"ann": [2, 3]}, "b": {"bob": [2, 3]}})
    with pytest.raises(cs.CorpusError, match="no document has two coders"):
        cs.agreement(cs.scan(written(lonely, tmp_path / "lonely.parquet")))
    path = written(random_corpus(57, 3), tmp_path / "x.parquet")
    with pytest.raises(cs.ParameterError, match="published"):
        cs.agreement(cs.scan(path), chance="published")
    with pytest.raises(cs.ParameterError, match="at least one"):
        agreements(cs.scan(path), "B")
    with pytest.raises(cs.ParameterError, match="rng is -1"):
        agreements(cs.scan(path), ["B"], rng=-1)
    with pytest.raises(cs.ParameterError, match="apply to scans only"):
        cs.agreement(lonely, engine="threads")
    table = pq.read_table(path)
    names = table["document"].to_pylist()
    first = next(row for row in range(len(names)) if names[row] == names[row + 1])
    order = [row for row in range(len(names)) if row != first] + [first]
    pq.write_table(table.take(order), tmp_path / "split.parquet")
    same(cs.agreement(cs.scan(tmp_path / "split.parquet"), n_resamples=0), cs.agreement(cs.read(path)))
    monkeypatch.setattr(question, "MOST_NUMBERS", 2000)
    with pytest.raises(cs.ParameterError, match="over coders, pairs of coders and types"):
        cs.agreement(cs.scan(path), coefficient="kappa", n_resamples=1000)


def test_bad_files_are_left_out_on_demand(tmp_path):
    corpus = random_corpus(30, 3)
    written(corpus, tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(cs.CorpusError, match=r"b\.parquet"):
        cs.agreement(cs.scan(tmp_path))
    found = cs.agreement(cs.scan(tmp_path, skip_bad=True), n_resamples=0)
    same(found, cs.agreement(corpus, n_resamples=0))
    assert "b.parquet" in found.left_out[0]


def test_parts_that_are_kept_give_the_same_numbers(tmp_path):
    path = written(random_corpus(57, 3), tmp_path / "x.parquet")
    options = {"coefficient": "kappa", "n_resamples": 20, "rng": 3, "resume": tmp_path / "parts"}
    first = cs.agreement(cs.scan(path), **options)
    assert list((tmp_path / "parts").glob("part-*"))
    assert repr(cs.agreement(cs.scan(path), **options).numbers()) == repr(first.numbers())
    with pytest.warns(UserWarning, match="another question"):
        cs.agreement(cs.scan(path), **{**options, "rng": 4})


def test_the_task_can_be_sent_elsewhere():
    rows = DocumentRows.of(plain_rows(random_corpus(57, 3).to_arrow()))
    task = CorpusTask(AgreementQuestion((cs.metric("B"),), "kappa", 9, 1))
    one, other = task(rows), pickle.loads(pickle.dumps(task))(rows)
    assert one.to_bytes() == pickle.loads(pickle.dumps(other)).to_bytes()


# -------------------------------------------------------------------- the command


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = cli.run([*map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command_streams_where_it_is_asked_to(tmp_path, capsys):
    corpus = random_corpus(57, 3)
    path = written(corpus, tmp_path / "x.parquet")
    code, out, err = run(capsys, "agree", path, "--stream", "--format", "json", "--resamples", 20)
    assert code == 0, err
    (found,) = json.loads(out)["agreements"]
    in_memory = cs.agreement(corpus, n_resamples=0)
    assert (found["value"], found["bias"]) == (in_memory.value, in_memory.bias)
    assert "as a stream" in err
    code, out, _ = run(capsys, "agree", path, "--stream", "-m", "B", "-m", "S", "--resamples", 0)
    assert (code, "Not available when streaming: groups" in out) == (0, True)
    again = run(capsys, "agree", path, "-m", "B", "-m", "S", "--resamples", 0, "--resume", tmp_path / "parts")
    assert again[:2] == (0, out)
    assert (
        run(capsys, "agree", path, "-m", "B", "-m", "S", "--resamples", 0, "--resume", tmp_path / "parts")
        == again
    )
    code, _, err = run(capsys, "agree", path, "--stream", "--influence")
    assert (code, "--influence" in err) == (2, True)
    code, _, err = run(capsys, "agree", path, path, "--engine", 2)
    assert (code, "second DATA" in err) == (2, True)


def test_the_command_leaves_bad_files_out_and_exits_with_1(tmp_path, capsys):
    written(random_corpus(30, 3), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 nonsense")
    code, _, err = run(capsys, "agree", tmp_path, "--skip-bad", "--resamples", 0)
    assert (code, "b.parquet" in err) == (1, True)
