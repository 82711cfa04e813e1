"""What is wrong with files is said in one line that names the file, the row group and the document.

Source of truth: the layout as the documentation describes it, broken by hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.errors import CorpusError, ParameterError, UnknownNameError
from caesura.scale.data_files import BadFileError

ROWS = [
    ("a", "ann", 8, [4]),
    ("a", "mine", 8, [3]),
    ("b", "ann", 5, [2]),
    ("b", "mine", 5, []),
    ("c", "ann", 6, [1, 3]),
    ("c", "mine", 6, [3]),
]


def table_of(rows) -> pa.Table:
    document, coder, n_units, positions = zip(*rows, strict=True)
    return pa.table(
        {
            "document": document,
            "coder": coder,
            "n_units": pa.array(n_units, pa.int64()),
            "positions": pa.array(positions, pa.list_(pa.int64())),
        }
    )


def written(path, rows, row_group_size: int = 2):
    pq.write_table(table_of(rows), path, row_group_size=row_group_size)
    return path


def judged(scan, **options):
    return cs.evaluate(scan, references=["ann"], segmenters=["mine"], rng=1, n_resamples=9, **options)


def changed(row: int, **cells) -> list[tuple]:
    names = ("document", "coder", "n_units", "positions")
    rows = [dict(zip(names, one, strict=True)) for one in ROWS]
    rows[row].update(cells)
    return [tuple(one.values()) for one in rows]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (changed(2, n_units=6), ["row group 1", "document b", "5 units"]),
        (changed(2, positions=[5]), ["row group 1", "document b", "ann", "5"]),
        (changed(4, positions=[3, 1]), ["row group 2", "document c", "ann", "ascend"]),
        (changed(3, coder="ann"), ["row group 1", "document b", "twice"]),
        (changed(2, coder="bob"), ["segmenter mine has b, which no reference coder has"]),
        (changed(3, coder="other"), ["segmenter mine lacks", "b"]),
        (changed(2, document=""), ["row group 1", "name"]),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_fault_names_file_row_group_and_document(rows, words, threads, tmp_path):
    path = written(tmp_path / "x.parquet", rows)
    with pytest.raises(CorpusError) as caught:
        judged(cs.scan(path), engine=threads)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_document_whose_rows_are_apart_is_brought_together(size, threads, tmp_path):
    """It is counted once, whole, wherever its rows stand, in one file or in several."""
    expected = judged(cs.scan(written(tmp_path / "x.parquet", ROWS)))
    order = [5, 0, 2, 4, 1, 3]
    (tmp_path / "apart").mkdir()
    written(tmp_path / "apart" / "1.parquet", [ROWS[row] for row in order[:4]], size)
    written(tmp_path / "apart" / "2.parquet", [ROWS[row] for row in order[4:]], size)
    found = judged(cs.scan(tmp_path / "apart"), engine=threads)
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())


def test_a_coding_that_comes_again_in_another_file_is_refused(tmp_path):
    written(tmp_path / "1.parquet", ROWS)
    written(tmp_path / "2.parquet", ROWS[2:4])
    with pytest.raises(CorpusError, match=r"2\.parquet.*document b.* twice.*1\.parquet"):
        judged(cs.scan(tmp_path))


def test_names_in_any_order_are_fine_if_none_comes_again(tmp_path):
    path = written(tmp_path / "x.parquet", [*ROWS[4:], *ROWS[:2], *ROWS[2:4]], 3)
    assert judged(cs.scan(path)).size.documents == 3


@pytest.mark.parametrize("order", [b"sorted", b"grouped"])
def test_a_file_that_only_says_that_it_is_in_order_gives_no_wrong_sum(order, tmp_path):
    expected = judged(cs.scan(written(tmp_path / "x.parquet", ROWS)))
    table = table_of([ROWS[row] for row in (0, 2, 1, 3, 5, 4)])
    path = tmp_path / "lies.parquet"
    pq.write_table(table.replace_schema_metadata({b"caesura.order": order}), path, row_group_size=2)
    assert json.dumps(judged(cs.scan(path)).to_dict()) == json.dumps(expected.to_dict())


@pytest.mark.parametrize("missing", ["document", "coder", "n_units", "positions"])
def test_a_file_without_a_column_is_refused(missing, tmp_path):
    pq.write_table(table_of(ROWS).drop_columns([missing]), tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=rf"x\.parquet.*{missing}"):
        judged(cs.scan(tmp_path))


@pytest.mark.parametrize(
    ("name", "values"),
    [("n_units", ["8"] * 6), ("positions", ["4"] * 6), ("document", [1.5] * 6), ("n_units", [None] * 6)],
)
def test_columns_of_another_kind_are_refused(name, values, tmp_path):
    table = table_of(ROWS)
    table = table.set_column(table.column_names.index(name), name, pa.array(values))
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=rf"x\.parquet.*{name}"):
        judged(cs.scan(tmp_path))


def test_a_corrupt_file_is_named(tmp_path):
    written(tmp_path / "1.parquet", ROWS[:2])
    path = written(tmp_path / "2.parquet", ROWS[2:])
    data = bytearray(path.read_bytes())
    data[4:60] = b"\xff" * 56
    path.write_bytes(data)
    with pytest.raises(BadFileError, match=r"2\.parquet"):
        judged(cs.scan(tmp_path))
    path.write_bytes(bytes(data[:100]))
    with pytest.raises(BadFileError, match=r"2\.parquet"):
        judged(cs.scan(tmp_path))


def test_bad_files_are_left_out_as_wholes_where_that_is_asked_for(tmp_path):
    written(tmp_path / "1.parquet", ROWS[:2])
    written(tmp_path / "2.parquet", changed(5, positions=[9])[2:])
    (tmp_path / "3.parquet").write_bytes(b"PAR1 nothing")
    alone = judged(cs.scan(tmp_path / "1.parquet"))
    found = judged(cs.scan(tmp_path, skip_bad=True), documents=tmp_path / "values.pq")
    assert found.size == alone.size
    assert found["B"].micro.counts == alone["B"].micro.counts
    assert len(found.left_out) == 2
    assert any("2.parquet" in line and "document c" in line for line in found.left_out)
    assert any("3.parquet" in line for line in found.left_out)
    assert pq.read_table(tmp_path / "values.pq")["document"].to_pylist() == ["a"]
    assert any("Left out: 2 files" in note for note in found.caveats)
    assert len(found.to_dict()["left_out"]) == 2


def test_types_that_files_declare_otherwise_are_refused(tmp_path):
    one = cs.Corpus.from_dict({"a": {"ann": [2, 3], "mine": [2, 3]}})
    other = one.rename(documents={"a": "b"}).with_type_scheme(cs.TypeScheme({1: "topic"}))
    pq.write_table(one.to_arrow(), tmp_path / "1.parquet")
    pq.write_table(other.to_arrow(), tmp_path / "2.parquet")
    with pytest.raises(CorpusError, match=r"2\.parquet: it declares other types"):
        judged(cs.scan(tmp_path))
    declared = cs.scan(tmp_path).with_type_scheme(cs.TypeScheme({1: "topic"}))
    assert judged(declared).size.documents == 2


def test_the_values_of_documents_are_written_whole_or_not_at_all(tmp_path):
    path = written(tmp_path / "x.parquet", changed(4, positions=[9]))
    with pytest.raises(CorpusError):
        judged(cs.scan(path), documents=tmp_path / "values.pq")
    assert [one.name for one in tmp_path.iterdir()] == ["x.parquet"]


# -------------------------------------------------------------------- two scans


@pytest.mark.parametrize(
    ("people", "machine", "words"),
    [
        ([0, 2, 4], [1, 5], "the segmenters lack document b"),
        ([0, 4], [1, 3, 5], "no reference coder has document b"),
        ([0, 2, 4], [1, 3], "the segmenters lack document c"),
        ([0, 2], [1, 3, 5], "no reference coder has document c"),
        ([2, 0, 4], [3, 1, 5, 5], "document c"),
    ],
)
def test_documents_that_one_of_two_scans_lacks_are_named(people, machine, words, tmp_path):
    sides = [
        written(tmp_path / f"{name}.parquet", [ROWS[row] for row in rows])
        for name, rows in (("people", people), ("machine", machine))
    ]
    with pytest.raises(CorpusError, match=words):
        cs.evaluate(*map(cs.scan, sides), rng=1, n_resamples=0)


# -------------------------------------------------------------------- arguments


def test_coders_who_are_not_there_are_named(tmp_path):
    scan = cs.scan(written(tmp_path / "x.parquet", ROWS))
    with pytest.raises(UnknownNameError, match="unknown coder 'anne'; did you mean 'ann'"):
        cs.evaluate(scan, references=["ann", "anne"], segmenters=["mine"], n_resamples=0)
    with pytest.raises(UnknownNameError, match="bob"):
        scan.select(coders=["ann"]).select(coders=["bob"])


@pytest.mark.parametrize(
    ("coders", "words"),
    [
        (pa.array([b"ann", b"mine"] * 3), "the column 'coder' holds binary: expected text"),
        (pa.array(["ann", None] * 3), "row 1: the coder is missing"),
        (pa.nulls(6), "row 0: the coder is missing"),
    ],
)
def test_coders_that_are_no_names_are_refused_before_they_are_looked_for(coders, words, tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(ROWS).set_column(1, "coder", coders), path)
    for asked in (lambda: cs.scan(path).has(["nobody"]), lambda: cs.scan(path).coders):
        with pytest.raises(BadFileError, match=words) as caught:
            asked()
        assert str(caught.value).startswith(f"{path}: row group 0")


def test_arguments_that_do_not_fit_are_refused(tmp_path):
    scan = cs.scan(written(tmp_path / "x.parquet", ROWS))
    corpus = cs.read(tmp_path / "x.parquet")
    for call, words in [
        (lambda: cs.evaluate(scan), "references="),
        (lambda: cs.evaluate(scan, corpus), "a corpus and a scan"),
        (lambda: cs.evaluate(scan, references="ann"), "give a list"),
        (lambda: cs.evaluate(scan, references=["ann"], bootstrap="documents"), "poisson"),
        (lambda: cs.evaluate(scan, references=["ann"], bootstrap="bootstrap"), "documents"),
        (lambda: cs.evaluate(scan, references=["ann"], n_resamples=10**6), "100,000"),
        (lambda: cs.evaluate(scan, references=["ann"], unit_sizes="words"), "unit_sizes"),
        (lambda: cs.evaluate(scan, references=["ann"], engine="cluster"), "engine is 'cluster'"),
        (lambda: cs.evaluate(scan, references=["ann"], segmenters=["ann"]), "a segmenter and a reference"),
        (lambda: cs.evaluate(corpus, references=["ann"], engine="threads"), "for scans"),
        (lambda: cs.evaluate(corpus, references=["ann"], by="genre"), "details"),
        (lambda: cs.evaluate(scan, references=["ann"], metrics=["B(n_t='3s')"]), "grid in time"),
        (lambda: scan.select(coders="ann"), "give a list"),
    ]:
        with pytest.raises((ParameterError, CorpusError), match=words):
            call()


def test_a_stratum_of_a_document_is_one(tmp_path):
    table = table_of(ROWS).append_column("genre", pa.array(["x", "x", "x", "y", "y", "y"]))
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=r"x\.parquet.*document b: its rows differ in genre"):
        judged(cs.scan(tmp_path), by="genre")
    with pytest.raises(UnknownNameError, match="unknown column 'gender'; did you mean 'genre'"):
        judged(cs.scan(tmp_path), by="gender")


@pytest.mark.parametrize("address", ["nothing.parquet", "nothing-*.parquet"])
def test_an_address_without_files_is_refused(address, tmp_path):
    with pytest.raises((CorpusError, OSError), match="nothing"):
        cs.scan(tmp_path / address)
    with pytest.raises(CorpusError, match="folder"):
        cs.scan(tmp_path)


def test_a_scan_without_rows_is_refused(tmp_path):
    pq.write_table(table_of(ROWS).slice(0, 0), tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match="no rows"):
        judged(cs.scan(tmp_path))


def test_coders_of_a_scan_without_rows_are_not_said_to_be_misspelt(tmp_path):
    pq.write_table(table_of(ROWS).slice(0, 0), tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match="no rows"):
        _ = cs.scan(tmp_path).coders


def test_a_batch_of_one_row_finds_the_same_faults(tmp_path):
    path = written(tmp_path / "x.parquet", changed(2, n_units=6))
    with pytest.raises(CorpusError, match="document b"):
        judged(replace(cs.scan(path), batch_rows=1))


@pytest.mark.parametrize("order", [([4, 0, 2], [1, 3, 5]), ([4, 0, 2], [5, 3, 1]), ([0, 2, 4], [3, 5, 1])])
def test_two_scans_may_be_in_any_order(order, tmp_path):
    expected = judged(cs.scan(written(tmp_path / "x.parquet", ROWS)))
    sides = [
        cs.scan(written(tmp_path / f"{name}.parquet", [ROWS[row] for row in rows]))
        for name, rows in zip(("people", "machine"), order, strict=True)
    ]
    found = cs.evaluate(*sides, rng=1, n_resamples=9)
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())


def test_lists_of_one_length_are_lists(tmp_path):
    lists = pa.array([[1]] * 6, pa.list_(pa.int32(), 1))
    table = table_of([(*row[:3], [1]) for row in ROWS])
    pq.write_table(table.set_column(3, "positions", lists), tmp_path / "x.parquet")
    assert float(judged(cs.scan(tmp_path))["B"].micro) == 1
    assert cs.read(tmp_path / "x.parquet")["c", "mine"].positions == (1,)


def test_a_fault_in_lines_is_said_to_be_among_them(tmp_path):
    lines = [f'{{"document": "{d}", "coder": "{c}", "n_units": {n}, "positions": []}}' for d, c, n, _ in ROWS]
    lines[3] = lines[3].replace("5", "7")
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    with pytest.raises(CorpusError, match=r"x\.jsonl: line 4: .*document b.*7 units.*ann has 5"):
        judged(cs.scan(tmp_path / "x.jsonl"))


def test_a_crowd_of_coders_is_refused_before_memory_is_full():
    """20,000 coders of one document are 200 million pairs."""
    crowd = cs.Corpus.from_dict({"d": {f"c{number}": [1, 1] for number in range(20_000)}})
    with pytest.raises(
        CorpusError, match=r"199,990,000 pairs of codings.*document d alone has 20,000 coders"
    ):
        cs.describe(crowd)


# -------------------------------------------------------------------- nothing is repaired

GOOD = '{"document": "a", "coder": "ann", "n_units": 8, "positions": [4]}'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"document": "a", "coder": "mine", "n_units": 8, "positions": [1, 2.5]}', "2.5"),
        ('{"document": 7.0, "coder": "mine", "n_units": 8, "positions": [1]}', "7.0"),
        ('{"document": "a", "coder": "mine", "n_units": "8", "positions": [1]}', "'8'"),
        ('{"document": "a", "coder": "mine", "n_units": null, "positions": [1]}', "n_units"),
        ('{"document": "a", "coder": "mine", "n_units": 8, "positions": [null]}', "None"),
        ('{"document": null, "coder": "mine", "n_units": 8, "positions": []}', "document"),
        ('{"document": "a", "coder": "mine", "n_units": 8, "positions": [1]', "JSON"),
        ('{"document": "a", "coder": "mine", "n_units": 8, "positions": [1], "positions": [2]}', "twice"),
    ],
)
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_a_line_that_a_reader_might_repair_is_refused(line, words, packing, tmp_path):
    path = tmp_path / f"x.jsonl{packing}"
    with pa.output_stream(str(path)) as stream:
        stream.write("\n".join([GOOD, line, GOOD.replace('"a"', '"b"')]).encode())
    with pytest.raises(CorpusError) as caught:
        judged(cs.scan(path))
    assert str(caught.value).startswith(f"{path}: line 2: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,mine,8,1 2.5", "2.5"),
        ("a,mine,8.0,1", "8.0"),
        ("a,mine,,1", "n_units"),
        (",mine,8,1", "document"),
        ("a,mine,8", "it has 3 cells, the header has 4: cells are missing"),
        ('a,mine,8,"1', "quoted cell is not closed"),
        ("a,mine,8,1;2", "positions"),
    ],
)
def test_a_row_of_a_table_that_a_reader_might_repair_is_refused(row, words, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f"document,coder,n_units,positions\na,ann,8,4\n{row}\n")
    with pytest.raises(CorpusError) as caught:
        judged(cs.scan(path))
    assert str(caught.value).startswith(f"{path}: line 3: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("positions", pa.array([[4.0]] * 4 + [[2.5]] * 2), "row 4: .*2.5"),
        ("n_units", pa.array([8.0] * 6), "n_units"),
        ("document", pa.array([1.0] * 6), "the column 'document' holds double: expected text"),
        ("positions", pa.array([[4], None, [2], [], [1], [3]], pa.list_(pa.int64())), "row 1: .*no segm"),
    ],
)
def test_a_column_that_a_reader_might_repair_is_refused(name, values, words, tmp_path):
    table = table_of(ROWS)
    table = table.set_column(table.column_names.index(name), name, values)
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=rf"x\.parquet: row group 0.*{words}"):
        judged(cs.scan(tmp_path))


def test_files_whose_types_differ_are_read_each_as_it_is(tmp_path):
    """Of files in one query DuckDB would cast the second one's to the first one's types."""
    expected = judged(cs.scan(written(tmp_path / "whole.parquet", ROWS)))
    (tmp_path / "two").mkdir()
    written(tmp_path / "two" / "1.parquet", ROWS[:4])
    table = table_of(ROWS[4:])
    wide = table.set_column(2, "n_units", table["n_units"].cast(pa.int32()))
    pq.write_table(wide, tmp_path / "two" / "2.parquet")
    assert judged(cs.scan(tmp_path / "two")).to_dict() == expected.to_dict()
    pq.write_table(
        table.set_column(2, "n_units", table["n_units"].cast(pa.string())), tmp_path / "two" / "2.parquet"
    )
    with pytest.raises(CorpusError, match=r"2\.parquet: row group 0, row 0: .*n_units is '6'"):
        judged(cs.scan(tmp_path / "two"))


PEAK = """
import sys
import caesura as cs
cs.evaluate(cs.scan(sys.argv[1]), references=["ann"], segmenters=["mine"], metrics=["B"], n_resamples=0)
print(next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_rows_in_any_order(tmp_path):
    """Four times as many rows; all of them at once would take 400 MB more."""
    peaks = []
    for factor in (1, 4):
        n = 400_000 * factor
        names = pa.array([f"document number {number}" for number in range(n)])
        order = np.random.default_rng(1).permutation(2 * n)
        positions = pa.ListArray.from_arrays(
            pa.array(np.arange(0, 8 * n + 1, 4), pa.int32()), pa.array(np.tile([3, 9, 12, 20], 2 * n))
        )
        table = pa.table(
            {
                "document": pa.concat_arrays([names, names]),
                "coder": pa.array(["ann"] * n + ["mine"] * n),
                "n_units": pa.array(np.full(2 * n, 30)),
                "positions": positions,
            }
        ).take(pa.array(order))
        pq.write_table(table, tmp_path / f"{factor}.parquet", row_group_size=200_000)
        command = [sys.executable, "-c", PEAK, str(tmp_path / f"{factor}.parquet")]
        peaks.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        (tmp_path / f"{factor}.parquet").unlink()
    assert max(peaks) < 700
    assert peaks[1] < 1.4 * peaks[0]
