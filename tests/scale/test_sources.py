"""Addresses and pieces: what files hold, row by row, and what is refused, in which file and on which line.

Source of truth: the rows that a test wrote, by json, pyarrow, gzip and pickle; cs.read of the same file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
import random
import subprocess
import sys
from itertools import cycle, pairwise
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.cli import run
from caesura.errors import CorpusError, MissingExtraError, ParameterError
from caesura.io import line_blocks
from caesura.io.addresses import find_files
from caesura.scale import text_files
from caesura.scale.data_files import Wanted
from caesura.scale.readers import located_rows, look_at
from caesura.scale.rows import LONG_TABLE
from caesura.scale.scanning import scan

Row = tuple[str, str, int, list[int], list[int]]


def random_rows(n_documents: int, seed: int, *, typed: bool = False) -> list[Row]:
    rng = random.Random(seed)
    rows = []
    for number in range(n_documents):
        n_units = rng.randrange(1, 30)
        for coder in rng.sample(["ann", "bob", "cy", "ævar ☀"], rng.randrange(1, 5)):
            positions = sorted(rng.sample(range(1, n_units), rng.randrange(n_units)))
            types = [rng.randrange(1, 4) if typed else 1 for _ in positions]
            rows.append((f"d{number}", coder, n_units, positions, types))
    return rows


def record(row: Row, form: str) -> dict[str, object]:
    document, coder, n_units, positions, types = row
    coding: dict[str, object] = {"n_units": n_units, "positions": positions}
    if form == "types":
        coding["types"] = types
    elif form == "masses":
        edges = [0, *positions, n_units]
        coding = {"masses": [end - start for start, end in pairwise(edges)]}
    elif form == "gaps":
        coding = {"gaps": "".join("01"[place in positions] for place in range(1, n_units))}
    return {"document": document, "coder": coder, **coding}


PLAIN = Wanted()


def rows_of(path: str | Path, wanted: Wanted = PLAIN) -> list[Row]:
    """Return all rows, read at once where lines are alike, and line by line, which must be the same."""
    file = look_at(str(path))
    assert pickle.loads(pickle.dumps(file)) == file
    found = tables_of(path, wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files.JsonLines, "at_once", lambda *_: None)
        patch.setattr(text_files.Table, "at_once", lambda *_: None)
        assert [row for table in tables_of(path, wanted) for row in plain(table)] == [
            row for table in found for row in plain(table)
        ]
    return [row for table in found for row in plain(table)]


def tables_of(path: str | Path, wanted: Wanted) -> list[pa.Table]:
    """Return all rows as tables, whose places are in the file."""
    tables = []
    for rows in located_rows(look_at(str(path)), wanted):
        assert rows.where(0).startswith(f"{path}: ")
        tables.append(rows.table)
    return tables


def plain(table: pa.Table) -> list[Row]:
    assert str(table.schema.field("document").type) == "string"
    assert table.schema.field("positions").type == pa.list_(pa.int64())
    types = table["types"].to_pylist() if "types" in table.column_names else [None] * len(table)
    rows = zip(table.select(LONG_TABLE[:4]).to_pylist(), types, strict=True)
    return [(*row.values(), [1] * len(row["positions"]) if own is None else own) for row, own in rows]


def refusal(path: str | Path, wanted: Wanted = PLAIN) -> str:
    """Return why a file is refused."""
    with pytest.raises(CorpusError) as error:
        rows_of(path, wanted)
    return reason(path, error.value)


def reason(path: str | Path, error: CorpusError) -> str:
    """Return what an error says after the name of the file, in one line."""
    message = str(error)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


# -------------------------------------------------------------------- JSON Lines


@pytest.fixture
def small(monkeypatch):
    """Blocks of a few lines."""
    monkeypatch.setattr(line_blocks, "BLOCK", 300)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["positions", "types", "masses", "gaps"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_of_every_form_packing_and_ending(form, packing, ending, tmp_path):
    rows = random_rows(40, seed=len(form) + len(packing), typed=form == "types")
    text = ending.join(json.dumps(record(row, form), ensure_ascii=False) for row in rows)
    path = tmp_path / f"x.jsonl{packing}"
    for mark in ("", "\ufeff"):
        write_packed(path, (mark + text + (ending if form != "gaps" else "")).encode())
        assert rows_of(path) == rows


def write_packed(path: Path, data: bytes) -> None:
    if path.suffix == ".gz":
        data = gzip.compress(data[:100]) + gzip.compress(data[100:])  # two members are one file
    if path.suffix == ".zst":
        data = pa.compress(data, codec="zstd", asbytes=True)
    path.write_bytes(data)


@pytest.mark.parametrize("block", [1, 13, 200, 10**6])
def test_every_line_is_read_once_wherever_blocks_end(block, tmp_path, monkeypatch):
    monkeypatch.setattr(line_blocks, "BLOCK", block)
    rows = random_rows(5 if block == 1 else 40, seed=block)
    mixed = [record(row, form) for row, form in zip(rows, ["masses", "gaps", "positions"] * 99, strict=False)]
    path = tmp_path / "x.ndjson"
    path.write_text("\n".join(map(json.dumps, mixed)))
    assert rows_of(path) == rows


@pytest.mark.usefixtures("small")
def test_unusual_lines_are_read_as_cs_read_does(tmp_path):
    path = tmp_path / "x.jsonl"
    text = [
        {"type_scheme": {"names": {"1": "minor", "2": "major"}, "nominal": True}},
        {"document": 7, "coder": "ann", "masses": [2, 3], "details": {"seconds": 3}, "genre": "news"},
        {"document": "seven", "units": ["a", "b"]},
        {
            "document": "e",
            "coder": 12,
            "n_units": 9,
            "positions": [2, 2, 5],
            "types": [1, 2, 1],
            "masses": None,
        },
        {"document": "f", "coder": "\u0061", "gaps": "", "genre": None},
    ]
    path.write_text("\n\n".join(map(json.dumps, text)))
    corpus = cs.read(path)
    expected = [
        (document, coder, coding.n_units, *map(list, zip(*coding.boundaries, strict=True)))
        if coding.boundaries
        else (document, coder, coding.n_units, [], [])
        for document, coder, coding in corpus
    ]
    assert rows_of(path) == expected
    assert look_at(str(path)).scheme == corpus.type_scheme
    assert [*look_at(str(path)).columns] == [*LONG_TABLE, "genre", "units"]


def test_further_fields_are_columns(tmp_path):
    path = tmp_path / "x.jsonl"
    more = [{"genre": None, "year": 1999, "good": True}, {"genre": "news", "year": 2.5}, {}]
    rows = [
        {**record(row, "masses"), **one} for row, one in zip(random_rows(9, 1), cycle(more), strict=False)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    wanted = Wanted(others=("genre", "year", "good"))
    tables = tables_of(path, wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files.JsonLines, "at_once", lambda *_: None)
        assert pa.concat_tables(tables_of(path, wanted)).equals(pa.concat_tables(tables))
    for name in ("genre", "year", "good"):
        assert pa.concat_tables(tables)[name].to_pylist() == [row.get(name) for row in rows]


LINE = b'{"document": "a", "coder": "ann", "masses": [2, 3]}\n'


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"document": "b", "coder": "ann", "masses": [2, 0]}', "document b: coder ann: masses[1] is 0"),
        (b'{"document": "b", "coder": "ann", "masses": [2, 3.5]}', "masses[1] is 3.5"),
        (b'{"document": "b", "coder": "ann", "masses": [2], "gaps": ""}', "both 'masses' and 'gaps'"),
        (b'{"document": "b", "coder": "ann", "positions": [2]}', "'positions' need 'n_units' beside them"),
        (b'{"document": "b", "codr": "ann", "masses": [2]}', "there is no 'coder'"),
        (b'{"document": "b", "coder": "ann", "masses": [2]', "not valid JSON"),
        (b'{"document": "b", "coder": "ann", "coder": "x", "masses": [2]}', "the key 'coder' is there twice"),
        (b'{"document": "", "coder": "ann", "masses": [2]}', "the name of the document is empty"),
        (b'{"document": "b", "coder": "ann", "labels": [1, 1]}', "labels cannot be streamed"),
        (b'{"document": "\\ud800", "coder": "ann", "masses": [2]}', "holds half a character"),
        (b'["b", "ann", [2]]', "expected an object"),
        (b"\x00", "holds a NUL"),
        (b'{"document": "\xe9", "coder": "ann", "masses": [2]}', "byte 0xe9 is not UTF-8"),
        (b'{"document": "b", "coder": "ann", "n_units": 5, "positions": [2], "types": [1, 2]}', "types"),
        (b'{"document": "b", "coder": "ann", "n_units": 99999999999999999999, "positions": [2]}', "n_units"),
    ],
)
@pytest.mark.parametrize("before", [0, 3, 40])
def test_a_bad_line_is_named_in_every_block(line, words, before, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINE * before + line + b"\n" + LINE * 5)
    message = refusal(path)
    assert message.startswith(f"line {before + 1}")
    assert words in message


def test_a_kind_that_changes_is_named(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{**record(row, "masses"), "genre": "news"} for row in random_rows(5, 1)]
    rows[-1]["genre"] = 7
    path.write_text("\n".join(map(json.dumps, rows)))
    wanted = Wanted(by="genre")
    assert refusal(path, wanted).startswith(f"line {len(rows)}: genre is 7: expected text")


def test_no_lines_are_no_rows(tmp_path):
    for name, data in (("a.jsonl", b""), ("b.jsonl", b"\n \n"), ("c.jsonl.gz", gzip.compress(b""))):
        (tmp_path / name).write_bytes(data)
        assert rows_of(tmp_path / name) == []


@pytest.mark.parametrize("packing", [".gz", ".zst"])
def test_a_packed_file_that_is_cut_off_is_refused(packing, tmp_path):
    path = tmp_path / f"x.jsonl{packing}"
    write_packed(path, LINE * 1000)
    path.write_bytes(path.read_bytes()[:-9])
    assert "not a whole" in refusal(path)
    path.write_bytes(b"no packed file at all")
    assert "not a whole" in refusal(path)


def test_utf_16_says_what_to_do(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINE.decode().encode("utf-16"))
    assert refusal(path) == "it is UTF-16; save it as UTF-8"


def peak(code: str, *arguments: object) -> tuple[str, int]:
    """Run code in a process of its own; return what it prints and its peak memory in bytes."""
    end = "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    result = subprocess.run(
        [sys.executable, "-c", code + end, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    said, memory = result.stdout.rsplit("\n", 2)[:2]
    return said, int(memory) * 1024


READ = """
import sys
from caesura.errors import CorpusError
import caesura as cs
try:
    cs.describe(cs.scan(sys.argv[1]), sweep=())
    print("read")
except CorpusError as error:
    print(error)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(packing, tmp_path):
    path = tmp_path / f"x.jsonl{packing}"
    start = LINE + b'{"document": "b", "coder": "ann", "gaps": "'
    if packing == "":
        with path.open("wb") as stream:
            stream.write(start)
            stream.seek(2**30)  # a hole: NULs, which are no line end either
            stream.write(b'"}\n')
        words = ("line 2 has more than 50,000,000 bytes",)
    else:
        codec = "gzip" if packing == ".gz" else "zstd"
        with pa.CompressedOutputStream(str(path), codec) as stream:
            stream.write(start)
            for _ in range(256):
                stream.write(b"0" * 2**22)
        words = ("more than 50,000,000 bytes",)
    said, memory = peak(READ, path)
    assert said.startswith(f"{path}: ")
    assert any(word in said for word in words)
    assert memory < 500 * 2**20


@pytest.mark.exhaustive
def test_a_bomb_of_blank_lines_takes_little_memory(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    with pa.CompressedOutputStream(str(path), "gzip") as stream:
        stream.write(LINE)
        for _ in range(20):
            stream.write(b"\n" * 2**22)
    said, memory = peak(READ, path)
    assert said == "read"
    assert memory < 500 * 2**20


# -------------------------------------------------------------------- CSV


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tables_in_quotes_and_blocks(quoting, packing, ending, tmp_path, monkeypatch):
    """Names with quotes, delimiters and line ends in them, wherever blocks end."""
    rows = random_rows(40, seed=11)
    signs = ["", ", jr.", ' "the" ', "\ntwo\n\nlines", ';"', '"', "☀"]
    rows = [(f"{row[0]}{sign}", *row[1:]) for row, sign in zip(rows, cycle(signs), strict=False)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting, lineterminator=ending)
    writer.writerow(LONG_TABLE[:4])
    writer.writerows([*row[:3], " ".join(map(str, row[3]))] for row in rows)
    path = tmp_path / f"x.csv{packing}"
    write_packed(path, text.getvalue().encode())
    for block in (300, 10**6):
        monkeypatch.setattr(line_blocks, "BLOCK", block)
        assert rows_of(path) == rows
    lines = [
        rows.where(row) for rows in located_rows(look_at(str(path)), PLAIN) for row in range(len(rows.table))
    ]
    read = csv.reader(io.StringIO(text.getvalue(), newline=""))
    assert lines == [f"{path}: line {read.line_num}" for _ in read][1:]


def test_quotes_that_belong_to_names(tmp_path):
    """A quote within a cell that does not begin with one is a sign like others."""
    path = tmp_path / "x.csv"
    rows = [(f'5" d{number}', "ann", 3, [1], [1]) for number in range(3)]
    path.write_text("document,coder,n_units,positions\n" + "".join(f"{row[0]},ann,3,1\n" for row in rows))
    assert rows_of(path) == rows


# -------------------------------------------------------------------- Parquet


def long_table(rows: list[Row], *, typed: bool = False) -> pa.Table:
    columns = dict(zip(LONG_TABLE, map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table(columns, pa.schema(dict(zip(LONG_TABLE, KINDS, strict=True))))
    return table if typed else table.drop_columns("types")


KINDS = (pa.string(), pa.string(), pa.int64(), pa.list_(pa.int64()), pa.list_(pa.int64()))


@pytest.mark.parametrize(
    "options", [{}, {"row_group_size": 10}, {"use_dictionary": False, "compression": "zstd"}]
)
@pytest.mark.parametrize("typed", [False, True])
def test_row_groups(options, typed, tmp_path):
    rows = random_rows(60, seed=3, typed=typed)
    path = tmp_path / "x.parquet"
    pq.write_table(long_table(rows, typed=typed), path, **options)
    assert rows_of(path) == rows
    assert look_at(str(path)).n_rows == len(rows)


def test_any_types_that_mean_the_same(tmp_path):
    rows = random_rows(20, seed=5)
    plain = long_table(rows)
    kinds = {
        "document": [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
        "coder": [pa.large_string(), pa.dictionary(pa.int32(), pa.large_string())],
        "n_units": [pa.int32(), pa.uint16()],
        "positions": [pa.large_list(pa.int64()), pa.list_(pa.int32()), pa.list_(pa.uint8())],
    }
    for name, others in kinds.items():
        for number, kind in enumerate(others):
            path = tmp_path / f"{name}{number}.parquet"
            place = plain.column_names.index(name)
            column = plain[name]
            if pa.types.is_dictionary(kind):
                column = column.combine_chunks().dictionary_encode().cast(kind)
            else:
                column = column.cast(kind)
            pq.write_table(plain.set_column(place, name, column), path)
            assert rows_of(path) == rows


def test_masses_gaps_numbers_as_names_and_capitals(tmp_path):
    rows = random_rows(20, seed=6)
    for form in ("masses", "gaps"):
        records = [record(row, form) for row in rows]
        path = tmp_path / f"{form}.parquet"
        pq.write_table(
            pa.table({f" {name.title()}": [one[name] for one in records] for name in records[0]}), path
        )
        assert rows_of(path) == rows
    path = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"document": [3, 4], "coder": [1, 1], "gaps": ["01", ""]}), path)
    assert rows_of(path) == [("3", "1", 3, [2], [1]), ("4", "1", 1, [], [])]


def test_what_the_corpus_writes_is_read(tmp_path):
    corpus = cs.simulate(50, 3, n_units=30, mean_segment=5, near_miss=0.1, full_miss=0.1, levels=2, rng=4)
    cs.write(corpus, tmp_path / "x.parquet")
    expected = [
        (
            document,
            coder,
            coding.n_units,
            [p for p, _ in coding.boundaries],
            [t for _, t in coding.boundaries],
        )
        for document, coder, coding in corpus
    ]
    assert rows_of(tmp_path / "x.parquet") == expected
    assert look_at(str(tmp_path / "x.parquet")).scheme == corpus.type_scheme


def test_files_that_are_cut_off_anywhere_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(long_table(random_rows(200, seed=7)), path, row_group_size=50)
    data = path.read_bytes()
    for end in [0, 3, 4, 11, len(data) // 2, len(data) - 9, len(data) - 1]:
        path.write_bytes(data[:end])
        assert refusal(path).startswith("not a whole Parquet file")


@pytest.mark.exhaustive
def test_damaged_pages_name_their_row_group_or_are_read(tmp_path):
    path = tmp_path / "x.parquet"
    rows = random_rows(60, seed=7)
    pq.write_table(long_table(rows), path, row_group_size=30)
    data = path.read_bytes()
    rng = random.Random(8)
    refused = []
    for _ in range(120):
        damaged = bytearray(data)
        for _ in range(4):
            damaged[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            rows_of(path)
        except CorpusError as error:
            refused.append(reason(path, error))
    assert len(refused) > 15


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"document": ["a"], "masses": [[2]]}, "no column 'coder'; known: document and masses"),
        (
            {"document": ["a"], "coder": ["ann"]},
            "no column masses, gaps, positions (with n_units)",
        ),
        (
            {"document": ["a"], "coder": ["ann"], "positions": [[1]]},
            "a column 'positions' needs a column 'n_units' beside it",
        ),
        (
            {"document": ["a"], "coder": ["ann"], "masses": ["2 3"]},
            "row group 0, row 0: document a: coder ann: masses is '2 3'",
        ),
        (
            {"document": ["a"], "coder": ["ann"], "masses": [[2.5]]},
            "row group 0, row 0: document a: coder ann: masses[0] is 2.5",
        ),
        (
            {"document": ["a", None], "coder": ["ann", "b"], "gaps": ["", ""]},
            "row group 0, row 1: the document is missing",
        ),
        (
            {"document": ["a", "b"], "coder": ["ann", ""], "gaps": ["", ""]},
            "row 1: the name of the coder is empty",
        ),
        (
            {"document": [1.5], "coder": ["ann"], "gaps": [""]},
            "the column 'document' holds double: expected text",
        ),
        (
            {"document": ["a"], "coder": ["ann"], "n_units": [4], "positions": [[1, None]]},
            "row group 0, row 0: document a: coder ann: positions[1] is None",
        ),
        (
            {"document": ["a"], "coder": ["ann"], "n_units": [4], "positions": [None]},
            "no segmentation",
        ),
        (
            {"document": ["a"], "Document": ["a"], "coder": ["ann"], "gaps": [""]},
            "the column 'document' is there twice",
        ),
        ({"document": ["a" * 9000], "coder": ["ann"], "gaps": [""]}, "has 9,000 bytes, more than 8,192"),
    ],
)
def test_other_tables_are_refused(columns, words, tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(columns), path)
    assert words in refusal(path)


def test_metadata_that_are_no_scheme_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({"document": ["a"], "coder": ["ann"], "gaps": [""]})
    for scheme in (b"{", b"[]"):
        pq.write_table(table.replace_schema_metadata({b"caesura.type_scheme": scheme}), path)
        with pytest.raises(CorpusError, match="its metadata"):
            look_at(str(path))


@pytest.mark.exhaustive
def test_a_table_that_unpacks_to_far_more_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "positions.parquet"
    lists = pa.ListArray.from_arrays([0, 10**8], np.ones(10**8, dtype=np.int64))
    pq.write_table(pa.table({"document": ["a"], "coder": ["b"], "n_units": [9], "positions": lists}), path)
    assert path.stat().st_size < 10**5
    said, memory = peak(READ, path)
    assert "column positions unpacks to 800,000,000 bytes" in said
    assert memory < 500 * 2**20
    path = tmp_path / "names.parquet"
    name = pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), pa.array(["a" * 10**6]))
    pq.write_table(pa.table({"document": name, "coder": ["b"] * 10**6, "gaps": [""] * 10**6}), path)
    said, memory = peak(READ, path)
    assert "the name of the document has 1,000,000 bytes" in said
    assert memory < 500 * 2**20


@pytest.mark.exhaustive
def test_a_large_row_group_is_read_in_little_memory(tmp_path):
    path = tmp_path / "x.parquet"
    n = 4 * 10**6
    offsets = pa.array(range(0, 2 * n + 1, 2), pa.int32())
    positions = pa.ListArray.from_arrays(offsets, pa.array([3, 7] * n, pa.int64()))
    names = pa.array([f"document number {i}" for i in range(n)])
    table = pa.table({"document": names, "coder": ["b"] * n, "n_units": [9] * n, "positions": positions})
    pq.write_table(table, path, row_group_size=n)
    assert table.nbytes > 230 * 10**6
    said, memory = peak(READ, path)
    assert said == "read"
    assert memory < 450 * 10**6


# -------------------------------------------------------------------- addresses


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in (
        "x10.jsonl",
        "x9.jsonl",
        "sub/x1.jsonl.gz",
        "_SUCCESS",
        ".x.jsonl",
        "README.md",
        "_t/x.jsonl",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_packed(tmp_path / name, LINE)
    return tmp_path


def test_folders_and_patterns_in_natural_order(folder):
    def names(address: object) -> list[str]:
        return [Path(file).relative_to(folder).as_posix() for file in find_files(address)]

    assert names(folder) == names(str(folder) + "/") == ["sub/x1.jsonl.gz", "x9.jsonl", "x10.jsonl"]
    assert names(f"{folder}/*.jsonl") == ["x9.jsonl", "x10.jsonl"]
    assert names(f"{folder}/**/x1*") == ["sub/x1.jsonl.gz", "x10.jsonl"]
    assert names(f"{folder}/x[!1]*.jsonl") == ["x9.jsonl"]
    assert names([folder / "x10.jsonl", folder]) == ["x10.jsonl", "sub/x1.jsonl.gz", "x9.jsonl"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    path = tmp_path / "x[1].jsonl"
    path.write_bytes(LINE)
    assert find_files(path) == (str(path),)


def test_addresses_that_name_nothing(tmp_path):
    with pytest.raises(FileNotFoundError):
        find_files(tmp_path / "nothing.parquet")
    for address, words in (
        (tmp_path, "the folder holds no data files"),
        (f"{tmp_path}/*.x", "no file matches"),
    ):
        with pytest.raises(CorpusError, match=words):
            find_files(address)
    for wrong in ([], 7, [None]):
        with pytest.raises((ParameterError, TypeError)):
            find_files(wrong)


def test_mixed_kinds_and_other_files_are_refused_by_name(folder):
    pq.write_table(long_table(random_rows(3, 1)), folder / "z.parquet")
    with pytest.raises(CorpusError, match=r"z\.parquet: it is parquet where .*x1\.jsonl\.gz is jsonl"):
        scan(folder)
    (folder / "z.parquet").unlink()
    (folder / "z.txt").write_text("document,coder\n")
    with pytest.raises(CorpusError, match=r"z\.txt: a scan reads"):
        scan(folder)


@pytest.fixture
def memory_files():
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.rm("/", recursive=True)


def test_urls(memory_files, tmp_path):
    rows = random_rows(30, seed=9)
    pq.write_table(long_table(rows), tmp_path / "x.parquet", row_group_size=11)
    text = "\n".join(json.dumps(record(row, "masses")) for row in rows).encode()
    memory_files.pipe("/data/a/x.parquet", (tmp_path / "x.parquet").read_bytes())
    memory_files.pipe("/lines/x2.jsonl", text)
    memory_files.pipe("/lines/x10.jsonl.gz", gzip.compress(text))
    memory_files.pipe("/lines/_SUCCESS", b"")
    assert find_files("memory://data") == ("memory://data/a/x.parquet",)
    assert find_files("memory://lines") == ("memory://lines/x2.jsonl", "memory://lines/x10.jsonl.gz")
    assert find_files("memory://lines/*.gz") == ("memory://lines/x10.jsonl.gz",)
    assert find_files("memory://**/*.parquet") == ("memory://data/a/x.parquet",)
    for name in ("memory://data/a/x.parquet", "memory://lines/x2.jsonl", "memory://lines/x10.jsonl.gz"):
        assert rows_of(name) == rows
    path = (tmp_path / "x.parquet").rename(tmp_path / "100% x.parquet")
    assert find_files(path.as_uri()) == find_files(tmp_path.as_uri()) == (str(path),)
    assert rows_of(path) == rows
    with pytest.raises(FileNotFoundError, match="memory://nothing"):
        find_files("memory://nothing/x.parquet")
    with pytest.raises(CorpusError, match="nosuchthing"):
        find_files("nosuchthing://x")


def test_without_fsspec_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"memory:// needs fsspec: .*\[remote\]"):
        find_files("memory://x.parquet")


def test_a_changed_file_has_another_state(tmp_path):
    for name, data in (("x.jsonl", LINE), ("x.parquet", None)):
        path = tmp_path / name
        states = []
        for n in (1, 2):
            if data is None:
                pq.write_table(long_table(random_rows(n, 1)), path)
            else:
                path.write_bytes(data * n)
            states.append(look_at(str(path)).state)
        assert states[0] != states[1]


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_without_the_extra_one_line_says_what_to_install(package, tmp_path, monkeypatch):
    pq.write_table(long_table(random_rows(3, 1)), tmp_path / "x.parquet")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"scans need {package}: .*\[scale\]"):
        cs.describe(scan(tmp_path / "x.parquet"))


def test_the_allocator_of_the_asking_process_is_left_alone(tmp_path, monkeypatch):
    """Freed memory is kept by the command, whose process is ours, and not by who imports the package."""
    pq.write_table(long_table(random_rows(3, 1)), tmp_path / "x.parquet")
    calls: list[None] = []
    monkeypatch.setattr("caesura.cli.streams.keep_freed_memory", lambda: calls.append(None))
    cs.describe(scan(tmp_path / "x.parquet"))
    assert calls == []
    assert run(["describe", str(tmp_path / "x.parquet"), "--stream"]) == 0
    assert calls == [None]
