"""Converting rows of any number: sorted, checked, whole or not at all, in bounded memory.

Source of truth: sorted() of the rows that a test wrote, and cs.read of the same files.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.cli import run, streams
from caesura.errors import CorpusError, ParameterError, UnknownNameError
from caesura.io import line_blocks
from caesura.scale import converting
from caesura.scale.converting import convert, memory_of
from caesura.scale.documents import whole_documents

NAMES = ["z", "d1", "d10", "d2", "é", "🙂", "Z", "\uffff", "a b", "日本", "d", "ab", "a\u0301"]


def rows_in_disorder(n: int, seed: int) -> list[dict[str, object]]:
    """Return codings of documents whose rows stand anywhere."""
    rng = random.Random(seed)
    names = [f"{rng.choice(NAMES)}#{number}" for number in range(n)]
    lengths = {name: rng.randrange(1, 40) for name in names}
    rows = []
    for name in names:
        for coder in rng.sample(["ann", "bob", "cy"], rng.randrange(1, 4)):
            positions = sorted(rng.sample(range(1, lengths[name]), rng.randrange(lengths[name])))
            rows.append({"document": name, "coder": coder, "n_units": lengths[name], "positions": positions})
    rng.shuffle(rows)
    return rows


def write_lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def table_of(rows: list[dict[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(rows).cast(
        pa.schema(
            {
                "document": pa.string(),
                "coder": pa.string(),
                "n_units": pa.int64(),
                "positions": pa.list_(pa.int64()),
            }
        )
    )


def content(path: Path) -> list[dict[str, object]]:
    return pq.read_table(path).to_pylist()


@pytest.fixture
def tiny(monkeypatch):
    """Batches and blocks of few rows, and small row groups."""
    monkeypatch.setattr(converting, "LEAST_MEMORY", 1)
    monkeypatch.setattr(converting, "SORTED_ROWS", 100)
    monkeypatch.setattr(line_blocks, "BLOCK", 5000)
    monkeypatch.setattr(converting, "GROUP_ROWS", 50)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("memory", [100_000, 1_000_000, 2**28])
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_rows_are_sorted_by_document_and_stay_in_order(memory, ending, tmp_path):
    rows = rows_in_disorder(700, seed=memory)
    source = tmp_path / f"x.{ending}"
    if ending == "parquet":
        pq.write_table(table_of(rows), source, row_group_size=99)
    else:
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        source.write_bytes(data if ending == "jsonl" else pa_gzip(data))
    found = convert(source, tmp_path / "out.parquet", memory=memory)
    assert content(tmp_path / "out.parquet") == sorted(rows, key=lambda row: str(row["document"]).encode())
    assert (found.n_documents, found.n_codings) == (700, len(rows))
    assert found.coders == {"ann", "bob", "cy"}
    assert sorted(os.listdir(tmp_path)) == ["out.parquet", f"x.{ending}"]


def pa_gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data)


def test_long_codings_are_taken_from_duckdb_few_at_a_time(tmp_path, monkeypatch):
    """Each has 500 positions of 8 bytes."""
    positions = pa.array([*range(1, 501)] * 5000, pa.int64())
    lists = pa.ListArray.from_arrays(pa.array(range(0, 500 * 5001, 500), pa.int32()), positions)
    names = [f"d{number}" for number in range(5000)]
    table = pa.table(
        {"document": names, "coder": ["ann"] * 5000, "n_units": [501] * 5000, "positions": lists}
    )
    pq.write_table(table, tmp_path / "x.parquet")
    lengths: list[int] = []

    def regrouped(tables: Iterable[Any], n_rows: int) -> Iterator[Any]:
        return whole_documents((lengths.append(len(each)) or each for each in tables), n_rows)

    monkeypatch.setattr(converting, "whole_documents", regrouped)
    for most_bytes in (2**26, 2**20):
        monkeypatch.setattr(converting, "SORTED_BYTES", most_bytes)
        lengths.clear()
        assert convert(tmp_path / "x.parquet", tmp_path / "y.parquet").n_codings == 5000 == sum(lengths)
        assert (max(lengths) - 1) * 500 * 8 <= most_bytes


@pytest.mark.usefixtures("tiny")
def test_row_groups_are_small_and_divide_no_document(tmp_path):
    rows = rows_in_disorder(700, seed=1)
    many = [{"document": "m", "coder": f"c{i}", "n_units": 3, "positions": [1]} for i in range(130)]
    convert(write_lines(tmp_path / "x.jsonl", rows + many), tmp_path / "out.parquet")
    file = pq.ParquetFile(tmp_path / "out.parquet")
    assert file.schema_arrow.metadata[b"caesura.order"] == b"sorted"
    seen: set[str] = set()
    for group in range(file.num_row_groups):
        names = set(file.read_row_group(group, columns=["document"])["document"].to_pylist())
        assert not names & seen
        assert file.metadata.row_group(group).num_rows <= 50 or names == {"m"}
        seen |= names
    assert file.num_row_groups <= 2 * len(rows) / 50


def test_the_same_is_read_as_from_the_source(tmp_path):
    corpus = cs.simulate(
        80, 3, n_units=30, mean_segment=5, near_miss=0.1, full_miss=0.1, types=["a", "b"], rng=1
    )
    corpus = corpus.with_texts({name: [f"{name} {i} ☀" for i in range(30)] for name in corpus.documents[::2]})
    for source in (tmp_path / "x.jsonl", tmp_path / "x.parquet"):
        cs.write(corpus, source)
        found = convert(source, tmp_path / "out.parquet")
        read = cs.read(tmp_path / "out.parquet")
        assert read.documents == tuple(sorted(corpus.documents))
        assert read.segmentations() == corpus.segmentations()
        assert read.type_scheme == corpus.type_scheme
        assert dict(read.units) == dict(corpus.units)
        assert found.not_kept == []


def test_places_and_their_texts_are_kept(tmp_path):
    spans = {"axis": "characters", "spans": [[0, 5], [6, 9]], "text": "It is not so."}
    lines = [
        {"document": "b", "coder": "ann", "masses": [1, 1], "places": spans},
        {"document": "a", "coder": "ann", "masses": [2], "places": {"axis": "seconds", "grid": [0, 60, 30]}},
        {"document": "a", "coder": "bob", "masses": [1, 1]},
    ]
    source = write_lines(tmp_path / "x.jsonl", lines)
    convert(source, tmp_path / "out.parquet")
    direct, streamed = cs.read(source), cs.read(tmp_path / "out.parquet")
    assert streamed.segmentations() == direct.segmentations()
    assert streamed.spans == direct.spans
    assert dict(streamed.units) == dict(direct.units)


def test_types_that_come_late_and_further_columns(tmp_path):
    rows = rows_in_disorder(50, seed=2)
    for row in rows:
        row["genre"] = f"genre of {row['document']}"
    rows[-1]["types"] = [3 for _ in rows[-1]["positions"]]
    source = write_lines(
        tmp_path / "x.jsonl", [*rows, {"document": "new", "coder": "ann", "masses": [2], "late": 1}]
    )
    found = convert(source, tmp_path / "out.parquet")
    by_coding = {(row["document"], row["coder"]): row for row in content(tmp_path / "out.parquet")}
    for row in rows:
        expected = {"types": [1] * len(row["positions"]), **row}
        assert by_coding[row["document"], row["coder"]] == expected | {"late": None}
    assert by_coding["new", "ann"]["late"] == 1
    assert found.not_kept == []


def test_what_has_no_column_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("caesura.scale.text_files.LOOKED_AT", 1)
    lines = [
        {"document": "b", "coder": "ann", "masses": [2]},
        {"document": "a", "coder": "ann", "masses": [2], "details": {"x": 1}, "late": 3},
        {"document": "c", "units": ["one"]},
    ]
    found = convert(write_lines(tmp_path / "x.jsonl", lines), tmp_path / "out.parquet")
    where = f"{tmp_path}/x.jsonl: line"
    assert found.not_kept == [
        f"the field 'details' ({where} 2)", f"the field 'late' ({where} 2)", f"the field 'units' ({where} 3)",
        "1 document without a coding",
    ]  # fmt: skip


@pytest.mark.usefixtures("tiny")
def test_sorted_files_become_one(tmp_path):
    rows = rows_in_disorder(300, seed=4)
    parts = [rows[:400], rows[400:]]
    files = []
    for number, part in enumerate(parts):
        files.append(tmp_path / f"sorted{number}.parquet")
        convert(write_lines(tmp_path / "x.jsonl", part), files[-1])
    convert(files, tmp_path / "out.parquet")
    expected = sorted(rows, key=lambda row: str(row["document"]).encode())
    by_document = [list(group) for _, group in groupby(expected, key=lambda row: row["document"])]
    place = {id(row): number for number, part in enumerate(parts) for row in part}
    expected = [row for group in by_document for row in sorted(group, key=lambda row: place[id(row)])]
    assert content(tmp_path / "out.parquet") == expected


def test_a_file_that_only_says_that_it_is_sorted_is_sorted(tmp_path):
    rows = [{"document": name, "coder": "ann", "n_units": 3, "positions": [1]} for name in "bac"]
    table = table_of(rows).replace_schema_metadata({b"caesura.order": b"sorted"})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1)
    convert(tmp_path / "x.parquet", tmp_path / "out.parquet")
    assert [row["document"] for row in content(tmp_path / "out.parquet")] == ["a", "b", "c"]


def test_coders_and_documents_are_chosen(tmp_path):
    rows = rows_in_disorder(60, seed=5)
    source = write_lines(tmp_path / "x.jsonl", rows)
    documents = sorted({row["document"] for row in rows})[:9]
    convert(source, tmp_path / "out.parquet", coders=["a*", "cy"], documents=documents)
    chosen = [row for row in rows if row["coder"] in ("ann", "cy") and row["document"] in documents]
    assert content(tmp_path / "out.parquet") == sorted(chosen, key=lambda row: row["document"].encode())
    convert(source, tmp_path / "out.parquet", documents=[f"{documents[0][:-1]}?"])
    alike = {row["document"] for row in rows if row["document"][:-1] == documents[0][:-1]}
    assert {row["document"] for row in content(tmp_path / "out.parquet")} == alike
    for wrong, words in (
        ({"coders": ["bib"]}, "unknown coder 'bib'; did you mean 'bob'"),
        ({"documents": ["there is none"]}, "unknown document 'there is none'"),
    ):
        with pytest.raises(UnknownNameError, match=words):
            convert(source, tmp_path / "new.parquet", **wrong)
    with pytest.raises(ParameterError):
        convert(source, tmp_path / "new.parquet", coders="ann")
    assert sorted(os.listdir(tmp_path)) == ["out.parquet", "x.jsonl"]


def test_a_coder_who_comes_late_is_found(tmp_path, monkeypatch):
    """Of very many coders not all names are remembered."""
    monkeypatch.setattr(converting, "MANY_NAMES", 3)
    rows = [{"document": "a", "coder": f"c{i}", "n_units": 5, "positions": [2]} for i in range(9)]
    source = write_lines(tmp_path / "x.jsonl", rows)
    convert(source, tmp_path / "out.parquet", coders=["c8", "c[67]"])
    assert content(tmp_path / "out.parquet") == rows[6:]
    with pytest.raises(UnknownNameError, match="unknown coder 'c9'"):
        convert(source, tmp_path / "new.parquet", coders=["c8", "c9"])


def test_what_is_no_file_keeps_its_place(tmp_path):
    source = write_lines(
        tmp_path / "x.jsonl", [{"document": "a", "coder": "b", "n_units": 5, "positions": [2]}]
    )
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(CorpusError, match="not a regular file"):
        convert(source, tmp_path / "pipe.parquet")
    options = ["--documents", "9", "--coders", "1", "--force"]
    assert run(["simulate", "-o", str(tmp_path / "pipe.parquet"), *options]) == 1
    assert (tmp_path / "pipe.parquet").is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["pipe.parquet", "x.jsonl"]


GOOD = {"document": "a", "coder": "ann", "n_units": 5, "positions": [2]}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positions": [3, 2], "document": "b"}, "document b: coder ann: positions[1] is 2 after 3"),
        ({"positions": [5], "document": "b"}, "document b: coder ann: positions[0] is 5"),
        ({}, "document a: coder ann is there twice"),
        ({"coder": "bob", "n_units": 6}, "document a: coder bob has 6 units where coder ann has 5"),
    ],
)
def test_bad_rows_are_named_and_nothing_is_left(changes, words, ending, tmp_path):
    others = rows_in_disorder(200, seed=6)
    rows = [*others[:50], GOOD, *others[50:], {**GOOD, **changes}]
    source = tmp_path / f"x.{ending}"
    if ending == "parquet":
        pq.write_table(table_of(rows), source, row_group_size=30)
        place = f"row group {(len(rows) - 1) // 30}, row {(len(rows) - 1) % 30}"
    else:
        write_lines(source, rows)
        place = f"line {len(rows)}"
    with pytest.raises(CorpusError) as error:
        convert(source, tmp_path / "out.parquet", memory=30_000)
    assert str(error.value).startswith(f"{source}: {place}: ")
    assert words in str(error.value)
    assert os.listdir(tmp_path) == [f"x.{ending}"]


def test_undeclared_types_are_refused(tmp_path):
    lines = [{"type_scheme": {"names": {"1": "minor"}}}, {**GOOD, "types": [2]}]
    with pytest.raises(
        CorpusError, match="line 2: document a: coder ann: type 2 is not among the declared types 1"
    ):
        convert(write_lines(tmp_path / "x.jsonl", lines), tmp_path / "out.parquet")


def test_files_that_do_not_fit_together_are_named(tmp_path):
    pq.write_table(table_of([GOOD]).append_column("genre", pa.array(["news"])), tmp_path / "a.parquet")
    pq.write_table(table_of([GOOD]).append_column("genre", pa.array([3])), tmp_path / "b.parquet")
    pq.write_table(table_of([GOOD]), tmp_path / "c.parquet")
    for other, words in (("b", "holds int64 where .*a.parquet has string"), ("c", "holds nothing where")):
        with pytest.raises(CorpusError, match=rf"{other}\.parquet: the column 'genre' {words}"):
            convert([tmp_path / "a.parquet", tmp_path / f"{other}.parquet"], tmp_path / "out.parquet")
    write_lines(tmp_path / "d.jsonl", [GOOD])
    with pytest.raises(CorpusError, match=r"d\.jsonl: it is jsonl where .*a\.parquet is parquet"):
        convert([tmp_path / "a.parquet", tmp_path / "d.jsonl"], tmp_path / "out.parquet")
    write_lines(tmp_path / "e.jsonl", [{"type_scheme": {"names": {"1": "x"}}}, GOOD])
    write_lines(tmp_path / "f.jsonl", [{"type_scheme": {"names": {"1": "y"}}}, GOOD])
    with pytest.raises(CorpusError, match=r"f\.jsonl: it declares other boundary types"):
        convert([tmp_path / "e.jsonl", tmp_path / "f.jsonl"], tmp_path / "out.parquet")


def test_nothing_to_convert(tmp_path):
    (tmp_path / "x.jsonl").write_text("\n")
    with pytest.raises(CorpusError, match="no codings"):
        convert(tmp_path / "x.jsonl", tmp_path / "out.parquet")
    with pytest.raises(FileNotFoundError, match=r"nowhere/out\.parquet"):
        convert(write_lines(tmp_path / "y.jsonl", [GOOD]), tmp_path / "nowhere" / "out.parquet")


@pytest.mark.parametrize(
    ("size", "expected"), [("640MB", 640 * 10**6), ("1GiB", 2**30), ("500 mb", 5 * 10**8), (2**29, 2**29)]
)
def test_sizes(size, expected):
    assert memory_of(size) == expected


@pytest.mark.parametrize("size", ["", "much", "1.5", "-3MB", "5PB", 1, True, 2.5, "1kB", "200MB", None])
def test_sizes_that_are_none(size):
    with pytest.raises(ParameterError, match="memory is"):
        memory_of(size)


# -------------------------------------------------------------------- the disk, and Ctrl-C

CHILD = """
import sys, time, resource
from caesura.cli import main
from caesura.scale import converting
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
if sys.argv[2] == "slow":
    converting.GROUP_ROWS = converting.SORTED_ROWS = 100
    check = converting.Task.__call__
    def slowly(self, rows):
        print("run", flush=True)
        time.sleep(0.05)
        return check(self, rows)
    converting.Task.__call__ = slowly
sys.argv[1:] = sys.argv[3:]
main()
"""


def child(limit: int, speed: str, *arguments: object) -> subprocess.Popen[str]:
    """Start the command, without bytecode: a file of it that is cut off at the limit would stay."""
    command = [sys.executable, "-B", "-c", CHILD, str(limit), speed, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("limit", [2_000, 20_000])
def test_where_the_disk_is_full_one_line_says_so_and_nothing_is_left(limit, tmp_path):
    """The limit on a file's size stands for a full disk."""
    write_lines(tmp_path / "x.jsonl", rows_in_disorder(3000, seed=7))
    out = tmp_path / "out.parquet"
    process = child(limit, "fast", "convert", tmp_path / "x.jsonl", out, "--sort")
    _, said = process.communicate()
    assert process.returncode == 1
    assert said == f"caesura: {out}: {os.strerror(27)}\n"
    assert os.listdir(tmp_path) == ["x.jsonl"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("sent", "end"), [(signal.SIGINT, (130, "\ncaesura: stopped\n")), (signal.SIGTERM, (143, ""))]
)
def test_control_c_and_the_end_of_a_job_leave_nothing(sent, end, tmp_path):
    write_lines(tmp_path / "x.jsonl", rows_in_disorder(3000, seed=8))
    out = tmp_path / "out.parquet"
    out.write_text("what was there before")
    for n_runs in (1, 3, 8):
        process = child(0, "slow", "convert", tmp_path / "x.jsonl", out, "--sort", "--force")
        for _ in range(n_runs):
            assert process.stdout.readline() == "run\n"
        process.send_signal(sent)
        _, said = process.communicate()
        assert (process.returncode, said) == end
        assert sorted(os.listdir(tmp_path)) == ["out.parquet", "x.jsonl"]
        assert out.read_text() == "what was there before"


PEAK = """
import sys
from caesura.scale.converting import convert
print(convert(sys.argv[1], sys.argv[2], memory="512MB"))
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.exhaustive
def test_memory_is_the_peak_of_the_process(tmp_path):
    """Within a quarter, of rows that fit and of rows that do not."""
    for factor in (1, 16):
        source = tmp_path / f"{factor}.parquet"
        size = ["--documents", str(50_000 * factor), "--coders", "2", "--seed", "1"]
        assert run(["simulate", "-o", str(source), *size]) == 0
        assert peak_of(source, tmp_path / "out.parquet", 50_000 * factor) * 1024 < 1.25 * 512e6


@pytest.mark.exhaustive
def test_what_needs_more_memory_to_sort_is_refused_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("caesura.scale.converting.LEAST_SORTED", 2**22)
    source, target = tmp_path / "x.parquet", tmp_path / "out.parquet"
    assert run(["simulate", "-o", str(source), "--documents", "50000", "--coders", "2", "--seed", "1"]) == 0
    capsys.readouterr()
    assert run(["convert", str(source), str(target), "--sort", "--memory", "256MB"]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"caesura: {target}: sorting needs more than")
    assert os.listdir(tmp_path) == ["x.parquet"]


def peak_of(source: Path, target: Path, n_documents: int) -> int:
    """Convert a file in a process of its own, and return the most memory that it held."""
    command = [sys.executable, "-c", PEAK, source, target]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    said, memory = result.stdout.splitlines()
    assert said.startswith(f"{n_documents:,} documents, 2 coders")
    return int(memory)


# -------------------------------------------------------------------- the command


def said(capsys) -> str:
    return capsys.readouterr().err


def test_the_command_sorts_where_it_is_asked_to(tmp_path, capsys):
    rows = rows_in_disorder(30, seed=9)
    source, out = write_lines(tmp_path / "x.jsonl", rows), tmp_path / "out.parquet"
    assert run(["convert", str(source), str(out), "--sort"]) == 0
    assert (
        said(capsys)
        == f"{source}: 30 documents, 3 coders, {len(rows)} codings -> {out} (parquet, sorted by document)\n"
    )
    documents = [row["document"] for row in content(out)]
    assert documents == sorted(documents)


def test_other_formats_are_sorted_in_memory(tmp_path):
    corpus = cs.Corpus.from_dict({name: {"ann": [2, 3]} for name in ("b", "c", "a")})
    cs.write(corpus, tmp_path / "x.csv")
    assert run(["convert", str(tmp_path / "x.csv"), str(tmp_path / "out.parquet"), "--sort"]) == 0
    assert [row["document"] for row in content(tmp_path / "out.parquet")] == ["a", "b", "c"]
    metadata = pq.read_schema(tmp_path / "out.parquet").metadata
    assert metadata[b"caesura.order"] == b"sorted"
    assert run(["convert", str(tmp_path / "x.csv"), str(tmp_path / "grouped.parquet")]) == 0
    assert pq.read_schema(tmp_path / "grouped.parquet").metadata[b"caesura.order"] == b"grouped"


def test_small_files_go_on_as_before_and_large_ones_are_streamed(tmp_path, capsys, monkeypatch):
    rows = [
        {"document": "b", "coder": "ann", "masses": [2, 3]},
        {"document": "a", "coder": "ann", "masses": [2]},
    ]
    source = write_lines(tmp_path / "x.jsonl", rows)
    assert run(["convert", str(source), str(tmp_path / "small.parquet")]) == 0
    assert [row["document"] for row in content(tmp_path / "small.parquet")] == ["b", "a"]
    said(capsys)
    monkeypatch.setattr(streams, "LARGE", 10)
    assert run(["convert", str(source), str(tmp_path / "large.parquet")]) == 0
    assert "sorted by document" in said(capsys)
    assert [row["document"] for row in content(tmp_path / "large.parquet")] == ["a", "b"]
    assert run(["convert", str(source), str(tmp_path / "large.csv")]) == 0  # no rows of columns
    labels = write_lines(
        tmp_path / "labels.jsonl", [{"document": "a", "coder": "ann", "labels": ["x", "x", "y"]}]
    )
    assert run(["convert", str(labels), str(tmp_path / "labels.parquet")]) == 0  # needs all of the file
    assert cs.read(tmp_path / "labels.parquet").segmentations() == cs.read(labels).segmentations()


def test_wrong_use(tmp_path, capsys):
    source = write_lines(tmp_path / "x.jsonl", [GOOD])
    for options, words in (
        (["out.parquet", "--sort", "--memory", "lots"], "--memory is 'lots': expected a size such as 512MB"),
        (["out.csv", "--sort"], "--sort works for Parquet only"),
    ):
        assert run(["convert", str(source), str(tmp_path / options[0]), *options[1:]]) == 2
        assert words in said(capsys)
    assert os.listdir(tmp_path) == ["x.jsonl"]
