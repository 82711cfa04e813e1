"""caesura score on streams of Parquet and JSON Lines.

Source of truth: ``evaluate`` in memory with a Poisson bootstrap, on the same data.
"""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura import cli
from caesura.cli import remarks, streams
from caesura.scale import grouping
from caesura.scale.counting import EvaluationTask
from caesura.sums.streams import Progress

GENRES = ("news", "talk", None)

METRICS = ("B", "WD", "MultWD")


def corpus_of(n: int, coders=("ann", "bob", "mine")) -> cs.Corpus:
    generator = np.random.default_rng(4)

    def draw(n_units: int) -> cs.Segmentation:
        return cs.Segmentation.from_positions(
            (np.flatnonzero(generator.random(n_units - 1) < 0.2) + 1).tolist(), n_units
        )

    return cs.Corpus.from_dict({f"d{i:03}": {coder: draw(10 + i % 7) for coder in coders} for i in range(n)})


def with_genre(corpus: cs.Corpus) -> pa.Table:
    table = corpus.to_arrow()
    genres = [GENRES[int(name[1:]) % len(GENRES)] for name in table["document"].to_pylist()]
    return table.append_column("genre", pa.array(genres, pa.string()))


@pytest.fixture
def corpus() -> cs.Corpus:
    return corpus_of(50)


@pytest.fixture
def folder(tmp_path, monkeypatch, corpus) -> Path:
    """A folder BIG of three files, and parts of few rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grouping, "PART_ROWS", 20)
    Path("BIG").mkdir()
    table = with_genre(corpus)
    for number in range(3):
        pq.write_table(table.slice(number * 50, 50), f"BIG/{number}.parquet", row_group_size=10)
    return tmp_path


def run(capsys, *arguments: object) -> tuple[int, str, list[str]]:
    code = cli.run([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err.splitlines()


def numbers(capsys, *arguments: object) -> dict[str, dict]:
    """Return the rows and totals of JSON by their first cell, beside what stands in notes."""
    code, out, _ = run(capsys, "score", *arguments, "-f", "json")
    assert code == 0
    data = json.loads(out)
    rows = {next(iter(row.values())): row for row in (*data["rows"], *data["totals"])}
    return {**rows, "notes": data["notes"]}


def in_memory(corpus: cs.Corpus, metrics=METRICS, segmenters=("mine",), **options) -> cs.Evaluation:
    people = corpus.select(coders=[coder for coder in corpus.coders if coder not in segmenters])
    machine = corpus.select(coders=segmenters)
    return cs.evaluate(people, machine, metrics, bootstrap="poisson", **options)


def flags(metrics=METRICS) -> list[str]:
    return [word for metric in metrics for word in ("-m", metric)]


def assert_same(found: dict[str, dict], expected: cs.Evaluation) -> None:
    for summary in expected.summaries:
        name = repr(summary.requested)
        if len(expected.segmenters) > 1:
            name = f"{summary.segmenter} {name}"
        assert found["micro"][name] == float(summary.micro)
        assert found["  low 95 %"][name] == summary.interval.low
        assert found["  high 95 %"][name] == summary.interval.high
        assert found["macro"][name] == summary.macro
        assert found["  SE"][name] == summary.se
    assert (found["micro"]["units"], found["micro"]["references"]) == expected.size[1:]


# -------------------------------------------------------------------- the same numbers


@pytest.mark.parametrize("how", [["--stream"], ["--engine", "2"], ["--engine", "threads", "--seed", "5"]])
def test_a_stream_has_the_numbers_of_memory(how, folder, corpus, capsys):
    found = numbers(capsys, "BIG", "-s", "mine", *flags(), *how)
    seed = 5 if "--seed" in how else 0
    assert_same(found, in_memory(corpus, rng=seed))
    texts = [note["text"] for note in found["notes"]]
    assert any("with Poisson weights" in text for text in texts)
    assert "References: ann and bob." in texts


def test_streams_and_memory_differ_in_their_printed_signatures(folder, corpus, capsys):
    shown = [run(capsys, "score", "BIG", "-s", "mine", *how)[1] for how in ([], ["--stream"])]
    memory, stream = (out.rstrip().rpartition("\n")[2] for out in shown)
    assert "|interval=poisson,0.95,999,seed=0|" in stream
    assert "interval" not in memory


def test_small_data_are_read_at_once_as_before(folder, corpus, capsys):
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "-m", "B")
    assert code == 0
    assert "d001" in out
    assert not any("stream" in line for line in err)
    found = numbers(capsys, "BIG", "-s", "mine", "-m", "B")
    streamed = numbers(capsys, "BIG", "-s", "mine", "-m", "B", "--stream")
    for row in ("micro", "macro", "  SE"):
        assert found[row] == streamed[row]
    assert found["  low 95 %"]["B"] == pytest.approx(streamed["  low 95 %"]["B"], abs=0.05)


def test_large_data_are_streamed_and_one_line_says_so(folder, corpus, capsys, monkeypatch):
    size = sum(path.stat().st_size for path in Path("BIG").iterdir())
    for large, is_streamed in ((size, True), (size + 1, False)):
        monkeypatch.setattr(streams, "LARGE", large)
        code, out, err = run(capsys, "score", "BIG", "-s", "mine")
        assert code == 0
        assert ("d001" in out) is not is_streamed
        if is_streamed:
            assert err == [
                "caesura: read BIG as a stream (3 files): 50 documents, not listed "
                "(--documents FILE.parquet has them)"
            ]


def test_a_pattern_is_streamed(folder, corpus, capsys):
    assert_same(numbers(capsys, "BIG/*.parquet", "-s", "mine", *flags()), in_memory(corpus, rng=0))


def test_other_large_data_are_read_at_once(folder, corpus, capsys, monkeypatch):
    monkeypatch.setattr(streams, "LARGE", 1)
    cs.write(corpus, "x.csv")
    cs.write(corpus, "x.json")
    for path in ("x.csv", "x.json"):
        code, out, _ = run(capsys, "score", path, "-s", "mine", "-m", "B")
        assert code == 0
        assert "d001" in out


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_lines_are_streamed(packing, folder, corpus, capsys):
    cs.write(corpus, "x.jsonl")
    if packing:
        Path("x.jsonl.gz").write_bytes(gzip.compress(Path("x.jsonl").read_bytes()))
    assert_same(numbers(capsys, f"x.jsonl{packing}", "-s", "mine", *flags(), "--stream"),
                in_memory(corpus, rng=0))  # fmt: skip


def test_references_and_hypotheses_in_two_files(folder, corpus, capsys):
    cs.write(corpus.select(coders=["ann", "bob"]), "ref.parquet")
    cs.write(corpus.select(coders=["mine"]), "hyp.parquet")
    assert_same(numbers(capsys, "ref.parquet", "hyp.parquet", *flags(), "--stream"),
                in_memory(corpus, rng=0))  # fmt: skip
    found = numbers(capsys, "ref.parquet", "hyp.parquet", "-r", "bob", "-m", "B", "--stream")
    assert_same(found, in_memory(corpus.select(coders=["bob", "mine"]), ["B"], rng=0))
    code, _, err = run(capsys, "score", "ref.parquet", "hyp.parquet", "--skip-bad")
    assert (code, len(err)) == (2, 1)
    assert "in one DATA" in err[0]


def test_two_files_go_on_from_what_was_counted(folder, corpus, capsys):
    cs.write(corpus.select(coders=["ann", "bob"]), "ref.parquet")
    cs.write(corpus.select(coders=["mine"]), "hyp.parquet")
    for _ in range(2):
        found = numbers(capsys, "ref.parquet", "hyp.parquet", *flags(), "--resume", "parts")
        assert_same(found, in_memory(corpus, rng=0))
        assert len([*Path("parts").iterdir()]) == 8
    cs.write(corpus.select(coders=["mine"]), "hyp.jsonl")
    assert_same(numbers(capsys, "ref.parquet", "hyp.jsonl", *flags(), "--resume", "others"),
                in_memory(corpus, rng=0))  # fmt: skip


def test_patterns_of_coders_and_the_order_of_references(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = corpus_of(12, coders=("zoe", "ann", "cfg1", "cfg2"))
    cs.write(corpus, "x.parquet")
    arguments = ["x.parquet", "-s", "cfg*", "-m", "B"]
    found = numbers(capsys, *arguments, "--stream")
    assert_same(found, in_memory(corpus, ["B"], ["cfg1", "cfg2"], rng=0))
    said = [note["text"] for note in numbers(capsys, *arguments)["notes"] if "References" in note["text"]]
    assert [note["text"] for note in found["notes"] if "References" in note["text"]] == said
    for references in (["-r", "zoe", "-r", "ann"], ["-r", "ann", "-r", "zoe"], ["-r", "[az]*"]):
        outputs = [numbers(capsys, *arguments, *references, *how)["notes"] for how in ([], ["--stream"])]
        said = [[note["text"] for note in one if "References" in note["text"]] for one in outputs]
        assert said[0] == said[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-s", "cfg1"],  # cfg2 may be a segmenter
        ["-s", "cgf1", "-r", "ann"],
        ["-s", "cfg1", "-r", "anne"],
        ["-s", "nobody*", "-r", "ann"],
        [],
    ],
)
def test_roles_are_refused_as_in_memory(arguments, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(corpus_of(12, coders=("zoe", "ann", "cfg1", "cfg2")), "x.parquet")
    one = run(capsys, "score", "x.parquet", *arguments)
    other = run(capsys, "score", "x.parquet", *arguments, "--stream")
    assert one == other
    assert one[0] in (1, 2)
    assert len(one[2]) == 1


# -------------------------------------------------------------------- strata and documents


def test_strata_in_all_formats(folder, corpus, capsys):
    detailed = corpus.with_details(
        {"genre": [GENRES[int(document[1:]) % len(GENRES)] for document, _, _ in corpus]}
    )
    expected = in_memory(detailed, ["B", "WD"], rng=0, by="genre")
    found = numbers(capsys, "BIG", "-s", "mine", "-m", "B", "-m", "WD", "--by", "genre")
    assert [one.name for one in expected.strata] == ["(none)", "news", "talk"]
    for name, size, summaries in [
        *((one.name, one.size, one.summaries) for one in expected.strata),
        ("micro", expected.size, expected.summaries),
    ]:
        row = found[name]
        assert (row["documents"], row["units"], row["references"]) == size
        for summary in summaries:
            metric = repr(summary.requested)
            assert row[metric] == float(summary.micro)
            assert row[f"{metric} low 95 %"] == summary.interval.low
            assert row[f"{metric} high 95 %"] == summary.interval.high
    for format in ("text", "csv", "markdown", "latex"):
        code, out, _ = run(capsys, "score", "BIG", "-s", "mine", "-m", "B", "--by", "genre", "-f", format)
        assert code == 0
        assert "news" in out
        assert "talk" in out
        if format == "csv":
            rows = {row["genre"]: row for row in csv.DictReader(io.StringIO(out))}
            assert float(rows["news"]["B"]) == found["news"]["B"]


def test_strata_of_data_that_are_read_at_once(folder, corpus, capsys):
    cs.write(corpus, "x.csv")
    code, _, err = run(capsys, "score", "x.csv", "-s", "mine", "--by", "genre")
    assert (code, len(err)) == (1, 1)
    assert "genre" in err[0]


@pytest.mark.parametrize(
    ("by", "words"),
    [("gender", "did you mean 'genre'"), ("x", "'x'"), ("coder", "a column beside"), ("lists", "no stratum")],
)
def test_columns_that_divide_nothing_are_refused(by, words, folder, capsys):
    for path in Path("BIG").iterdir():
        table = pq.read_table(path)
        pq.write_table(table.append_column("lists", table["positions"]), path)
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "--by", by)
    assert (code, out, len(err)) == (1, "", 1)
    assert words in err[0]


def test_values_of_documents_are_written_and_not_overwritten(folder, corpus, capsys):
    command = ["score", "BIG", "-s", "mine", "-m", "B", "--documents", "values.parquet"]
    code, _, err = run(capsys, *command)
    assert code == 0
    assert err[0].endswith("50 documents, in values.parquet")
    table = pq.read_table("values.parquet")
    expected = in_memory(corpus, ["B"], rng=0)
    assert table["document"].to_pylist() == [*expected.documents]
    assert table["B"].to_pylist() == [*expected["B"].documents]
    before = Path("values.parquet").read_bytes()
    code, _, err = run(capsys, *command, "--by", "genre")
    assert (code, err) == (2, ["caesura: values.parquet already exists (use --force to overwrite)"])
    assert Path("values.parquet").read_bytes() == before
    assert run(capsys, *command, "--by", "genre", "--force")[0] == 0
    assert "genre" in pq.read_table("values.parquet").column_names


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("BIG/0.parquet", "is one of DATA"),
        ("x.csv", "call it x.parquet"),
        ("no/x.parquet", "no/x.parquet: No"),
    ],
)
def test_places_that_values_cannot_have_are_refused(path, words, folder, capsys):
    before = Path("BIG/0.parquet").read_bytes()
    code, _, err = run(capsys, "score", "BIG", "-s", "mine", "--documents", path, "--force")
    assert code in (1, 2)
    assert len(err) == 1
    assert words in err[0]
    assert Path("BIG/0.parquet").read_bytes() == before


# -------------------------------------------------------------------- faults


def test_a_bad_file_is_named_or_left_out(folder, corpus, capsys):
    path = Path("BIG/1.parquet")
    path.write_bytes(path.read_bytes()[:500])
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "--stream")
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith("caesura: BIG/1.parquet: ")
    # Rows that a neighbor would have gone on with stay with it: whole documents are needed.
    table = with_genre(corpus)
    names = [f"d{i:03}" for i in range(50)]
    own = {0: names[:20], 1: names[20:30], 2: names[30:]}
    for number, some in own.items():
        if number != 1:
            mask = [name in some for name in table["document"].to_pylist()]
            pq.write_table(table.filter(pa.array(mask)), f"BIG/{number}.parquet")
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "-m", "B", "--skip-bad", "-f", "json")
    assert code == 1
    assert [line.split(": ")[1:3] for line in err[:1]] == [["skipped", "BIG/1.parquet"]]
    assert "(3 files, 1 of them left out): 40 documents" in err[1]
    rest = corpus.select(documents=[*own[0], *own[2]])
    found = {next(iter(row.values())): row for row in json.loads(out)["totals"]}
    assert_same(found, in_memory(rest, ["B"], rng=0))


def test_nothing_left_out_is_no_failure(folder, capsys):
    assert run(capsys, "score", "BIG", "-s", "mine", "--skip-bad")[0] == 0


@pytest.mark.parametrize("change", ["types", "missing", "strata"])
def test_columns_that_change_between_files_are_named(change, folder, capsys):
    path = Path("BIG/1.parquet")
    table = pq.read_table(path)
    if change == "types":
        place = table.column_names.index("n_units")
        table = table.set_column(place, "n_units", table["n_units"].cast(pa.string()))
    else:
        table = table.drop_columns(["coder" if change == "missing" else "genre"])
    pq.write_table(table, path)
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "-r", "ann", "--stream", "--by", "genre")
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith("caesura: BIG/1.parquet")


class FullDisk:
    """Drafts that are links to a device without room."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def mkstemp(self, **_: object) -> tuple[int, str]:
        link = self._folder / ".draft"
        link.symlink_to("/dev/full")
        return os.open(link, os.O_WRONLY), str(link)

    def TemporaryDirectory(self, **_: object):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")


@needs_full
@pytest.mark.parametrize(
    ("function", "arguments", "named"),
    [
        ("mkstemp", ["--documents", "values.parquet"], "values.parquet"),
        ("mkstemp", ["--resume", "parts"], "parts/part-"),
        ("TemporaryDirectory", ["--stream"], tempfile.gettempdir()),
    ],
)
def test_a_full_disk_is_one_line_that_names_the_file(function, arguments, named, folder, capsys, monkeypatch):
    table = pq.read_table("BIG")
    pq.write_table(table.take([*range(len(table))][::-1]), "x.parquet")  # names that do not ascend
    monkeypatch.setattr(tempfile, function, getattr(FullDisk(folder), function))
    code, out, err = run(capsys, "score", "x.parquet", "-s", "mine", *arguments)
    assert (code, out, len(err)) == (1, "", 1)
    assert err[0].startswith(f"caesura: {named}")
    assert os.strerror(errno.ENOSPC) in err[0]
    assert not Path("values.parquet").exists()
    assert not list(folder.rglob(".*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--levels"],
        ["--unit-sizes", "words"],
        ["--units", "words"],
        ["--form", "masses"],
        ["--engine", "fast"],
    ],
)
def test_options_that_do_not_go_together_are_usage_errors(arguments, folder, capsys):
    code, out, err = run(capsys, "score", "BIG", "-s", "mine", "--stream", *arguments)
    assert (code, out, len(err)) == (2, "", 1)


def test_names_of_coders_before_data_are_not_streamed(folder, capsys):
    code, _, err = run(capsys, "score", "gold=BIG", "-s", "mine", "--stream")
    assert (code, len(err)) == (2, 1)


# -------------------------------------------------------------------- stopping and going on


def test_ctrl_c_says_how_to_go_on(folder, capsys, monkeypatch):
    command = ["score", "BIG", "-s", "mine", "-m", "B", "-f", "json", "--engine", "1", "--resume", "parts"]
    whole = run(capsys, *command[:-1], "whole")
    count, done = EvaluationTask.__call__, []

    def stopping(self, rows):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(rows)
        return count(self, rows)

    with monkeypatch.context() as patched:
        patched.setattr(EvaluationTask, "__call__", stopping)
        code, out, err = run(capsys, *command)
        assert (code, out) == (130, "")
        assert err == ["caesura: stopped; the counts are in parts: run the same command again to resume"]
        code, out, err = run(capsys, *command[:-1], "empty")
        assert (code, out) == (130, "")
        assert err == ["caesura: stopped; nothing was counted yet, so empty is empty"]
        code, out, err = run(capsys, *command[:-2])
        assert (code, out) == (130, "")
        assert len(err) == 1
        assert "--resume FOLDER" in err[0]
    assert len([*Path("parts").iterdir()]) == 3
    assert run(capsys, *command)[:2] == whole[:2]
    assert {path.name for path in Path("parts").iterdir()} == {path.name for path in Path("whole").iterdir()}


def test_what_is_counted_again_is_a_note(folder, capsys):
    command = ["score", "BIG", "-s", "mine", "-m", "B", "--resume", "parts"]
    run(capsys, *command)
    _, _, err = run(capsys, *command, "--seed", "1")
    assert len(err) == 2
    assert err[0].startswith("caesura: note: parts: ")
    assert "another question" in err[0]


MAIN = """
import sys
from caesura import cli
from caesura.scale import grouping
grouping.PART_ROWS = 20
sys.exit(cli.run(sys.argv[1:]))
"""


@pytest.mark.exhaustive
def test_kills_change_no_byte(folder):
    """The command itself, in processes that are killed while they count."""
    Path("MANY").mkdir()
    pq.write_table(with_genre(corpus_of(200)), "MANY/a.parquet", row_group_size=20)
    chosen = ["MANY", "-s", "mine", "-m", "B", "--resamples", "20", "--by", "genre", "--engine", "2"]

    def started(name: str) -> subprocess.Popen:
        kept = ["--resume", f"{name}/parts", "--documents", f"{name}/values.parquet", "--force"]
        command = [sys.executable, "-c", MAIN, "score", *chosen, *kept, "-o", f"{name}/output.txt"]
        Path(name).mkdir(exist_ok=True)
        return subprocess.Popen(command, stderr=subprocess.PIPE)

    process = started("whole")
    assert process.communicate()[1].count(b"\n") == 2  # what was read and written
    assert process.returncode == 0
    n_parts = len([*Path("whole/parts").iterdir()])
    kills = 0
    for kill_at in (n_parts // 3, n_parts * 2 // 3):
        process = started("stopped")
        while process.poll() is None and len([*Path("stopped").glob("parts/part-*")]) < kill_at:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert kills
    assert started("stopped").communicate()[1].count(b"\n") == 2  # what was read and written
    for name in ("output.txt", "values.parquet"):
        assert Path("stopped", name).read_bytes() == Path("whole", name).read_bytes()


# -------------------------------------------------------------------- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_documents_per_second_and_the_time_left(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    clock = [0.0]
    monkeypatch.setattr(remarks.time, "monotonic", lambda: clock[0])
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with remarks.stream_bar("scoring") as watch:
        assert watch is not None
        clock[0] = 2.0
        watch(Progress(3000, 6000, 12000, 0.5))
    shown = stream.getvalue()
    assert "3,000 documents, 1,500 per second" in shown
    assert "0:00:" in shown or "-:--:--" in shown


def test_progress_is_told_of_lines_as_well(folder, corpus):
    cs.write(corpus, "x.jsonl")
    for path in ("BIG", "x.jsonl"):
        seen: list[Progress] = []
        cs.evaluate(cs.scan(path), references=["ann"], metrics=["B"], n_resamples=0, progress=seen.append)
        assert seen[-1].documents == 50
        assert seen[-1].share == 1
        assert [one.share for one in seen] == sorted(one.share for one in seen)


def test_nobody_watches_a_pipe(capsys):
    with remarks.stream_bar("scoring") as watch:
        assert watch is None
