"""Marks in tables, lines and JSON: read as what they are, or refused; never misread without a word.

Expected masses are counted by hand on the marks in each test; those of properties come from the segmentation
that the marks were written from.
"""

import json
import tempfile
import time
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError, CorpusError, ParameterError, SegmentationError
from caesura.io.lines import read_pairs
from caesura.io.tables.marks import UnitValues, read_marks
from caesura.values.forms import MARK_MEANINGS
from caesura.values.segmentation import Segmentation


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def masses(corpus: cs.Corpus) -> dict[str, dict[str, list[int]]]:
    return corpus.to_dict()


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(CorpusError) as error:
        cs.read(path, **options)
    message = str(error.value)
    assert message.startswith(f"{path}")
    assert len(message.splitlines()) == 1
    assert len(message) < 700
    return message


def values(*codings: object) -> list[UnitValues]:
    return [UnitValues("d", f"c{i}", list(one)) for i, one in enumerate(codings)]


def read_as(*codings: object, marks: str | None = None) -> tuple[str, list[tuple[int, ...]]]:
    reading, found = read_marks(values(*codings), marks)
    return reading, [one.masses for one in found]


# -------------------------------------------------------------------- the faults of the issue


LONG = "document,coder,unit,label\n" + "".join(
    f"d,{coder},{unit},{mark}\n"
    for coder, marks in {"ann": "100100", "bob": "100010"}.items()
    for unit, mark in enumerate(marks, start=1)
)


def test_start_marks_in_a_long_table(tmp_path):
    corpus = cs.read(put(tmp_path / "t.csv", LONG))
    assert masses(corpus) == {"d": {"ann": [3, 3], "bob": [4, 2]}}
    assert corpus.metadata["understood"] == (
        f"{tmp_path / 't.csv'} as a long table of starts: ann 1 boundary, bob 1",
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("kind", [int, float, bool, str])
def test_start_marks_in_a_data_frame(make, kind):
    marks = [kind(int(mark)) if kind is not str else mark for mark in "100100" + "100010"]
    frame = make({"document": ["d"] * 12, "coder": ["ann"] * 6 + ["bob"] * 6, "label": marks})
    assert masses(cs.Corpus.from_frame(frame)) == {"d": {"ann": [3, 3], "bob": [4, 2]}}
    ends = cs.Corpus.from_frame(frame, marks="ends")
    assert masses(ends) == {"d": {"ann": [1, 3, 2], "bob": [1, 4, 1]}}
    with pytest.raises(ParameterError, match="marks"):
        cs.Corpus.from_frame(frame, marks="begins")


def test_start_marks_in_parquet(tmp_path):
    frame = pd.DataFrame({"document": "d", "coder": "ann", "label": [1, 0, 0, 1, 0, 0]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert masses(cs.read(tmp_path / "t.parquet")) == {"d": {"ann": [3, 3]}}
    assert masses(cs.read(tmp_path / "t.parquet", marks="ends")) == {"d": {"ann": [1, 3, 2]}}


def line(document: str, coder: str, labels: object) -> str:
    return json.dumps({"document": document, "coder": coder, "labels": labels}) + "\n"


def test_start_marks_in_json_lines(tmp_path):
    text = line("d", "ann", [1, 0, 0, 1, 0, 0]) + line("d", "bob", [1, 0, 1, 0, 0, 0])
    assert masses(cs.read(put(tmp_path / "t.jsonl", text))) == {"d": {"ann": [3, 3], "bob": [2, 4]}}


def test_many_json_lines_are_read_as_few_are(tmp_path):
    """A file that is large enough for the fast reader has the same rule over all of its codings."""
    text = "".join(line(f"d{i}", "ann", [1, 0, 0, 1, 0, 0] * 20) for i in range(3000))
    corpus = cs.read(put(tmp_path / "t.jsonl", text))
    assert set(map(tuple, (one["ann"] for one in masses(corpus).values()))) == {(3,) * 40}
    mixed = '{"document": "x", "coder": "ann", "masses": [2, 3]}\n' + text
    assert masses(cs.read(put(tmp_path / "t.jsonl", mixed)))["d2999"] == {"ann": [3] * 40}
    assert cs.read(tmp_path / "t.jsonl").documents[:2] == ("x", "d0")


def test_the_order_of_mixed_json_lines_is_kept(tmp_path):
    rest = '{"document": "e", "coder": "bob", "masses": [2], "units": ["a", "b"]}\n'
    corpus = cs.read(put(tmp_path / "t.jsonl", line("d", "ann", ["a", "b"]) + rest))
    assert (corpus.documents, corpus.coders) == (("d", "e"), ("ann", "bob"))


def lines(tmp_path: Path, reference: str, hypothesis: str) -> tuple[Path, Path]:
    return put(tmp_path / "r.txt", reference), put(tmp_path / "h.txt", hypothesis)


def test_tags_on_lines_are_starts_whatever_the_form_is_called(tmp_path):
    files = lines(tmp_path, "B I I B I I\n", "B-x I-x B-y I-y I-y I-y\n")
    for form in ("labels", "auto"):
        pairs = read_pairs(*files, form)
        references, hypotheses = pairs
        assert ([one.masses for one in references], [one.masses for one in hypotheses]) == (
            [(3, 3)],
            [(2, 4)],
        )
        assert pairs.form == "starts"
        assert pairs.understood == "lines of starts: reference 1 boundary, hypothesis 1"


def test_end_marks_on_lines_are_no_gaps(tmp_path):
    """Ten units, boundaries after 3 and 7 against 4 and 7: one match, one near miss, B = 1.5 / 2."""
    files = lines(tmp_path, "0010001001\n", "0001001001\n")
    (reference,), (hypothesis,) = pairs = read_pairs(*files, "auto")
    assert pairs.form == "ends"
    assert (reference.masses, hypothesis.masses) == ((3, 4, 3), (4, 3, 3))
    assert float(cs.boundary_similarity(reference, hypothesis)) == 0.75
    assert read_pairs(*files, "gaps").references[0].n_units == 11
    corpus = cs.read([files[0], files[1]])
    assert masses(corpus) == {"1": {"r": [3, 4, 3], "h": [4, 3, 3]}}
    assert corpus.metadata["understood"][0] == f"{files[0]} as a file of ends: r 2 boundaries"


def test_gap_strings_stay_gap_strings(tmp_path):
    """The extension, the name of the format, an option, or a line that no other reading fits says so."""
    named = put(tmp_path / "r.gaps", "0010001001\n")
    assert cs.read(named)["1", "r"].n_units == 11
    other = put(tmp_path / "r.txt", "0010001001\n")
    assert cs.read(other, "gaps")["1", "r"].n_units == 11
    assert cs.read(other, marks="gaps")["1", "r"].masses == (3, 4, 3, 1)
    assert cs.read(put(tmp_path / "s.txt", "0100100000\n"))["1", "s"].masses == (2, 3, 6)
    starts = cs.read(put(tmp_path / "u.txt", "a\t10010\nb\t1000\n"))
    assert masses(starts) == {"a": {"u": [3, 2]}, "b": {"u": [4]}}


def test_lines_that_may_be_starts_ends_or_gaps(tmp_path):
    files = lines(tmp_path, "1000001001\n", "1001000001\n")
    with pytest.raises(SegmentationError) as error:
        read_pairs(*files, "auto")
    message = str(error.value)
    assert "as starts or ends they give 4 boundaries" in message  # 3 marks a line, one of them the first
    assert "form='starts', form='ends' or form='gaps'" in message
    assert read_pairs(*files, "starts").references[0].masses == (6, 3, 1)
    assert read_pairs(*files, "ends").references[0].masses == (1, 6, 3)
    named = put(tmp_path / "n.txt", "a\t1000001001\n")
    assert "as gaps 3 and one unit more" in refusal(named)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1 0 0 1 0", (3, 2)), ("x,x,x", None), ("1 1 1", (1, 1, 1)), ("0;0;1;0;1", (3, 2))],
)
def test_marks_with_something_between_on_lines(tmp_path, text, expected):
    files = lines(tmp_path, text + "\n", text + "\n")
    if expected is None:
        with pytest.raises(SegmentationError, match="may be starts or ends"):
            read_pairs(*files, "auto")
    else:
        assert read_pairs(*files, "auto").references[0].masses == expected


# -------------------------------------------------------------------- the table


TRUTH = {"ann": [3, 3, 2], "bob": [3, 5], "cat": [2, 4, 2]}
SENTENCES = [
    "It rained.", "We stayed in.", "Nobody called.", "Then it cleared.",
    "We went out.", "The sun shone.", "Later, dinner.", "We slept.",
]  # fmt: skip


def table(*, set_="1", unset="0", extra: dict[str, list[str]] | None = None) -> str:
    columns = {"sentence_id": [str(i) for i in range(1, 9)], "sentence": [f'"{s}"' for s in SENTENCES]}
    columns |= extra or {}
    for coder, own in TRUTH.items():
        columns[coder] = [mark for mass in own for mark in [set_] + [unset] * (mass - 1)]
    rows = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "marks", ["1 0", "x -", "1 -", "B I", "true false", "TRUE FALSE", "yes no", "1.0 0.0"]
)
def test_a_table_with_text_has_three_coders_and_their_agreement(tmp_path, marks):
    set_, unset = (mark.replace("-", "") for mark in marks.split())
    corpus = cs.read(put(tmp_path / "t.csv", table(set_=set_, unset=unset)))
    assert masses(corpus) == {"t": TRUTH}
    assert corpus.units["t"] == tuple(SENTENCES)
    truth = cs.Corpus.from_dict({"t": TRUTH})
    assert cs.agreement(corpus).value == cs.agreement(truth).value
    (understood,) = corpus.metadata["understood"]
    assert understood.endswith(
        "t.csv as a table of starts: ann 2 boundaries, bob 1, cat 2, text from 'sentence'"
    )


def test_a_column_that_is_neither_is_named(tmp_path):
    path = put(tmp_path / "t.csv", table(extra={"speaker": list("AABBAABB")}))
    message = refusal(path)
    assert "column 'speaker' ('A' and 'B')" in message
    assert "coders=['ann', 'bob', 'cat'], or" in message
    assert "text='speaker'" in message
    assert "document='speaker'" in message
    assert masses(cs.read(path, coders=["ann", "bob", "cat"])) == {"t": TRUTH}
    assert masses(cs.read(path, coders=["bob"])) == {"t": {"bob": [3, 5]}}


@pytest.mark.parametrize("name", ["mood", "time", "role", "start"])
def test_other_columns_beside_marks_are_named(tmp_path, name):
    times = {"time": [f"{i}.5" for i in range(8)], "start": [f"00:0{i}" for i in range(8)]}
    cells = times.get(name, ["glad", "glad", "sad", "sad", "glad", "sad", "sad", "sad"])
    assert f"column {name!r}" in refusal(put(tmp_path / "t.csv", table(extra={name: cells})))


def test_text_is_told_by_name_by_content_or_by_option(tmp_path):
    rows = "".join(
        f"{i},{word},{mark}\n"
        for i, (word, mark) in enumerate(zip(["the", "the", "a", "the"], "1010", strict=True))
    )
    assert cs.read(put(tmp_path / "a.csv", "i,token,ann\n" + rows)).units["a"] == ("the", "the", "a", "the")
    assert "column 'w'" in refusal(put(tmp_path / "b.csv", "i,w,ann\n" + rows))
    assert cs.read(tmp_path / "b.csv", text="w").units["b"] == ("the", "the", "a", "the")
    free = "".join(f"{i},say {i},{mark}\n" for i, mark in enumerate("1010"))
    assert cs.read(put(tmp_path / "c.csv", "i,whatever,ann\n" + free)).units["c"][3] == "say 3"
    assert "unknown column 'wrods'" in refusal(tmp_path / "b.csv", text="wrods")


def test_tables_without_a_column_of_units(tmp_path):
    path = put(tmp_path / "t.csv", "sentence,ann\nIt rained.,1\nWe stayed.,0\nThen sun.,1\nWe left.,0\n")
    assert masses(cs.read(path)) == {"t": {"ann": [2, 2]}}
    bare = put(tmp_path / "u.csv", "ann,bob\n1,1\n0,1\n1,0\n0,0\n")
    assert masses(cs.read(bare)) == {"u": {"ann": [2, 2], "bob": [1, 3]}}


def test_several_documents_in_one_table(tmp_path):
    text = "document,unit,ann,bob\na,1,1,1\na,2,0,1\nb,1,1,\nb,2,1,\nb,3,0,\n"
    corpus = cs.read(put(tmp_path / "t.csv", text))
    assert masses(corpus) == {"a": {"ann": [2], "bob": [1, 1]}, "b": {"ann": [1, 2]}}
    chapters = put(tmp_path / "u.csv", text.replace("document", "chapter"))
    assert masses(cs.read(chapters, document="chapter")) == masses(corpus)
    torn = put(tmp_path / "v.csv", "document,unit,ann\na,1,1\nb,1,1\na,2,0\n")
    assert "line 4: put all rows of document a together" in refusal(torn)


def test_a_lost_row_is_found_by_the_numbers_of_units(tmp_path):
    assert "line 3: sentence_id is '3', not 2" in refusal(
        put(tmp_path / "t.csv", "sentence_id,ann\n1,1\n3,0\n4,1\n")
    )
    path = put(tmp_path / "t.csv", "sentence_id,ann\n101,1\n102,0\n103,1\n104,0\n")
    assert masses(cs.read(path)) == {"t": {"ann": [2, 2]}}


def test_labels_are_labels_beside_a_coder_without_boundaries(tmp_path):
    path = put(tmp_path / "t.csv", "unit,ann,bob\n1,1,1\n2,1,1\n3,2,1\n")
    assert masses(cs.read(path)) == {"t": {"ann": [2, 1], "bob": [3]}}
    words = put(tmp_path / "u.csv", "unit,ann,bob\n1,intro,A\n2,intro,A\n3,body,A\n4,body,B\n")
    assert masses(cs.read(words)) == {"u": {"ann": [2, 2], "bob": [3, 1]}}


# -------------------------------------------------------------------- the rule


def test_the_first_or_the_last_unit_of_every_coding_decides():
    assert read_as("1010", "1100") == ("starts", [(2, 2), (1, 3)])
    assert read_as("0101", "0011") == ("ends", [(2, 2), (3, 1)])
    assert read_as("1010", "1101") == ("starts", [(2, 2), (1, 2, 1)])
    assert read_as([True, False, True, False]) == ("starts", [(2, 2)])
    assert read_as("0", "0") == ("starts", [(1,), (1,)])
    assert read_as("000", "000") == ("starts", [(3,), (3,)])
    assert read_as(["0", "1", "0", ""], ["1", "0", "0", ""]) == ("gaps", [(2, 2), (1, 3)])


@pytest.mark.parametrize(
    ("codings", "counts"),
    [
        (
            ("1001", "1011"),
            ["as starts they give c0 1 boundary, c1 2;", "as ends they give c0 1 boundary, c1 2;"],
        ),
        (
            ("0100", "0110"),
            ["as starts they give c0 1 boundary, c1 2;", "as ends they give c0 1 boundary, c1 2;"],
        ),
        (
            ("1000", "0001"),
            ["as starts they give c0 0 boundaries, c1 1;", "as ends they give c0 1 boundary, c1 0;"],
        ),
        (("1111",), ["as starts they give c0 3 boundaries;", "as labels they give c0 0 boundaries;"]),
        (("0011",), ["as starts they give c0 2 boundaries;", "as ends they give c0 1 boundary;", "labels"]),
    ],
)
def test_two_readings_are_refused_with_what_each_gives(codings, counts):
    with pytest.raises(CorpusError) as error:
        read_as(*codings)
    for words in [*counts, "marks='starts'", "marks='ends'"]:
        assert words in str(error.value)
    for reading in ("starts", "ends", "labels"):
        assert read_as(*codings, marks=reading)[0] == reading


def test_marks_that_are_told_are_obeyed_and_checked():
    assert read_as("0101", marks="starts") == ("starts", [(1, 2, 1)])
    assert read_as("1010", marks="ends") == ("ends", [(1, 2, 1)])
    assert read_as("0110", marks="gaps") == ("gaps", [(2, 1, 1)])
    assert read_as("1010", marks="labels") == ("labels", [(1, 1, 1, 1)])
    with pytest.raises(CorpusError, match=r"unit 4 is marked, no gap follows.*marks='ends'"):
        read_as("0101", marks="gaps")
    with pytest.raises(CorpusError, match=r"unit 1 is 'a': starts are marked by.*marks='labels'"):
        read_as("aab", marks="starts")
    with pytest.raises(CorpusError, match=r"unit 2 has no mark, others have 0/1"):
        read_as(["0", "", "1"])


@pytest.mark.parametrize(
    ("codings", "fault"),
    [
        ([list("BIOBI")], r"unit 3 is 'O', in no chunk.*segment.*2 boundaries.*join.*1 boundary.*labels"),
        ([["B-x", "I-x", "O", "B-y"]], "unit 3 is 'O', in no chunk"),
        ([list("BBSS")], "unit 2 is 'B' after 'B', which tags of chunks are not; labels need marks='labels'"),
        ([[-100, 1, 0, -100]], r"unit 1 is -100.*Units.from_tokens\(…\).of_tokens.*remove"),
        ([["1", "-100", "0"]], "unit 2 is '-100'"),
        ([[3, 3, -100, 4]], "unit 3 is -100"),
        ([[0.9, 0.1, 0.2]], "unit 1 is 0.9, a score.*from_scores"),
        (["1001", "abcd"], r"coder c1: unit 1 is 'a', a label, where coder c0 has marks \(0/1\)"),
        ([[]], "at least one unit"),
    ],
)
def test_what_is_neither_mark_nor_label_is_refused(codings, fault):
    with pytest.raises(CorpusError, match=fault):
        read_as(*codings)


def test_tags_of_chunks_are_starts_and_gaps_says_what_is_outside(tmp_path):
    assert read_as(list("BIESBE")) == ("starts", [(3, 1, 2)])
    assert read_as(list("BBSS"), marks="labels") == ("labels", [(2, 2)])
    table = put(
        tmp_path / "d.csv",
        "token,gold,model\nEU,B-org,B-org\nrejects,O,I-org\nGerman,B-misc,B-misc\ncall,O,O\nnow,O,O\n",
    )
    assert "line 3: coder gold: unit 2 is 'O', in no chunk" in refusal(table)
    joined = {"gold": [2, 3], "model": [2, 3]}
    assert masses(cs.read(table, gaps="join")) == {"d": joined}
    assert masses(cs.read(table, marks="starts")) == {"d": joined}
    assert masses(cs.read(table, gaps="segment")) == {"d": {"gold": [1, 1, 1, 2], "model": [2, 1, 2]}}
    # Of a document without any chunk all is one segment.
    several = put(tmp_path / "e.csv", "document,token,gold\na,EU,B-org\na,is,O\nb,It,O\nb,is,O\n")
    assert masses(cs.read(several, gaps="segment")) == {"a": {"gold": [1, 1]}, "b": {"gold": [2]}}
    lines = put(
        tmp_path / "f.jsonl", '{"document": "d", "coder": "c", "labels": ["B", "I", "O", "B", "I"]}\n'
    )
    assert masses(cs.read(lines, gaps="segment")) == {"d": {"c": [2, 1, 2]}}
    long = put(tmp_path / "g.csv", "document,coder,label\nd,c,B\nd,c,O\nd,c,B\n")
    assert masses(cs.read(long, gaps="join")) == {"d": {"c": [2, 1]}}


def test_titles_where_segments_begin_are_marks_if_told(tmp_path):
    rows = [
        "It rained.,Rain,Rain",
        "We stayed.,,",
        "Then the sun came.,,The sun",
        "We went out.,The sun,",
        "Good.,,",
    ]
    table = put(tmp_path / "d.csv", "\n".join(["sentence,ann,bob", *rows]) + "\n")
    assert "marks='starts'" in refusal(table, coders=["ann", "bob"])
    assert masses(cs.read(table, marks="starts")) == {"d": {"ann": [3, 2], "bob": [2, 3]}}


def test_columns_that_are_no_coders_are_named(tmp_path):
    head = (
        "sentence,gold,{0}\nIt rained.,1,{1}\nWe stayed.,0,{2}\nSun came.,1,{3}\nWe left.,0,{4}\nGood.,0,\n"
    )
    scores = put(tmp_path / "a.csv", head.format("p", 0.9, 0.1, 0.75, 0.2))
    assert "column 'p' ('0.9', '0.1' and 2 more, scores" in refusal(scores)
    assert masses(cs.read(scores, coders=["gold"])) == {"a": {"gold": [2, 3]}}
    times = put(tmp_path / "b.csv", head.format("at", "0.5", "12.25", "30.0", "41.5"))
    assert "column 'at'" in refusal(times)
    notes = put(tmp_path / "c.csv", head.format("remarks", "", "not sure here", "", "maybe earlier"))
    assert masses(cs.read(notes)) == {"c": {"gold": [2, 3]}}
    assert cs.read(notes).metadata["understood"][0].endswith("text from 'sentence', left out 'remarks'")
    empty = put(tmp_path / "d.csv", head.format("cat", "", "", "", ""))
    assert cs.read(empty).metadata["understood"][0].endswith("left out 'cat'")
    strange = put(tmp_path / "e.csv", "text,ann,bob\n" + "a b,1,1\nc d,0,0\ne f,NA,0\ng h,1,1\ni j,0,0\n")
    assert "column 'ann': unit 3 is 'NA', nearly all others are marks" in refusal(strange)
    two = put(tmp_path / "f.csv", "document,text,ann,bob\na,x y,1,1\na,z,0,0\nb,u v,1,\nb,w,0,\n")
    assert masses(cs.read(two)) == {"a": {"ann": [2], "bob": [2]}, "b": {"ann": [2]}}
    assert "in 2 documents, of which coded by bob 1, text" in cs.read(two).metadata["understood"][0]


@pytest.mark.parametrize(
    "head", ["document,coder,unit,mark", "doc,annotator,sentence,label", "doc_id,Rater,unit,Boundary"]
)
def test_long_tables_by_other_names(tmp_path, head):
    table = put(tmp_path / "t.csv", head + LONG[LONG.index("\n") :])
    expected = {"d": {"ann": [3, 3], "bob": [4, 2]}}
    assert masses(cs.read(table)) == expected
    assert masses(cs.read(table, coders=[head.split(",")[1]])) == expected
    file = put(tmp_path / "f.csv", head.replace(head.split(",")[0], "file") + LONG[LONG.index("\n") :])
    assert masses(cs.read(file, document="file", coders=[head.split(",")[1]])) == expected


def test_marks_are_no_names_of_coders(tmp_path):
    rows = ["d,It rained.,1,1", "d,We stayed.,0,0", "d,Sun came.,0,1", "d,We left.,1,0", "d,Good.,0,0"]
    table = put(tmp_path / "t.csv", "\n".join(["document,sentence,annotator,label", *rows]) + "\n")
    assert "column 'annotator' may name each row's coder, or hold marks" in refusal(table)
    found = masses(cs.read(table, coders=["annotator", "label"]))
    assert found == {"d": {"annotator": [3, 2], "label": [2, 3]}}


def test_a_table_without_names_of_columns_is_refused(tmp_path):
    bare = put(tmp_path / "a.csv", "It rained.,0\nWe stayed.,0\nSun came.,1\nWe left.,0\nGood.,1\n")
    assert "line 1 is ['It rained.', '0']: expected a header, not a unit" in refusal(bare)
    numbered = put(tmp_path / "b.csv", "sentence,1,2\nIt rained.,1,1\nWe stayed.,0,1\nGood.,1,0\n")
    assert masses(cs.read(numbered)) == {"b": {"1": [2, 1], "2": [1, 2]}}
    spaced = put(tmp_path / "c.csv", "sentence, ann, bob\nIt rained., 1, 1\nWe stayed., 0, 1\nGood., 1, 0\n")
    assert masses(cs.read(spaced)) == {"c": {"ann": [2, 1], "bob": [1, 2]}}
    alone = put(tmp_path / "d.csv", "boundary\n1\n0\n1\n0\n")
    assert masses(cs.read(alone)) == {"d": {"boundary": [2, 2]}}


def test_units_out_of_order_in_a_long_table(tmp_path):
    head = "document,coder,unit,label\n"
    swapped = put(tmp_path / "a.csv", head + "d,ann,1,1\nd,ann,3,0\nd,ann,2,0\n")
    assert "line 4: document d: coder ann: unit 2 stands after unit 3" in refusal(swapped)
    lost = put(tmp_path / "b.csv", head + "d,ann,1,1\nd,ann,2,0\nd,bob,1,1\nd,bob,3,0\n")
    assert "unit 2 is there for only one of ann and bob" in refusal(lost)
    named = put(tmp_path / "c.csv", head + "d,ann,s2,1\nd,ann,s1,0\n")
    assert masses(cs.read(named)) == {"d": {"ann": [2]}}
    missing = put(tmp_path / "e.csv", head + "d,ann,1,a\nd,ann,2,\nd,ann,3,b\n")
    assert "line 3: document d: coder ann: unit 2 has no label" in refusal(missing)


def test_files_of_one_folder_are_read_alike(tmp_path):
    put(tmp_path / "in" / "a.csv", "unit,ann\n1,1\n2,0\n3,1\n4,0\n")
    second = put(tmp_path / "in" / "b.csv", "unit,ann\n1,0\n2,1\n3,0\n4,1\n")
    with pytest.raises(CorpusError) as error:
        cs.read(tmp_path / "in")
    assert str(error.value).startswith(f"{second}: its marks look like ends where those of")
    corpus = cs.read(tmp_path / "in", marks="starts")
    assert masses(corpus) == {"a": {"ann": [2, 2]}, "b": {"ann": [1, 2, 1]}}
    assert len(corpus.metadata["understood"]) == 2


def test_what_was_understood_is_bounded(tmp_path):
    header = ",".join(f"c{i}" for i in range(16))
    row = lambda mark: ",".join([mark] * 16)  # noqa: E731
    path = put(tmp_path / "t.csv", f"unit,{header}\n1,{row('1')}\n2,{row('0')}\n3,{row('1')}\n4,{row('0')}\n")
    (understood,) = cs.read(path).metadata["understood"]
    assert understood.endswith("a table of starts: c0 1 boundary, c1 1, c2 1, c3 1 and 12 more")
    other = put(tmp_path / "x.json", '{"segmentation_type": "linear", "items": {"d": {"a": [2], "b": [2]}}}')
    assert cs.read(other).metadata["understood"] == (f"{other} as segeval-json: 1 document, 2 coders",)


# -------------------------------------------------------------------- properties


segmentations = st.lists(st.integers(1, 5), min_size=2, max_size=6).map(Segmentation.from_masses)
WRITTEN = {"starts": Segmentation.to_starts, "ends": Segmentation.to_ends, "labels": Segmentation.to_labels}


@given(st.lists(segmentations, min_size=1, max_size=4), st.sampled_from(list(WRITTEN)))
def test_a_told_reading_gives_back_what_was_written(found, reading):
    written = [WRITTEN[reading](one) for one in found]
    assert read_marks(values(*written), reading).segmentations == found


@given(st.lists(segmentations, min_size=1, max_size=4), st.sampled_from(["starts", "ends"]))
def test_marks_are_read_rightly_or_refused(found, written):
    """No set of start marks is ever read as ends or labels, and the other way round."""
    codings = values(*(WRITTEN[written](one) for one in found))
    try:
        reading, segmentations = read_marks(codings)
    except CorpusError as error:
        assert f"may be {'starts or ends'}" in str(error)  # noqa: PT017
    else:
        assert (reading, segmentations) == (written, found)


CELLS = st.sampled_from(
    [0, 1, "0", "1", "x", "", None, True, "B", "I", "O", -100, 2, "a", 0.5, float("nan"), []]
)


@given(st.lists(st.lists(CELLS, max_size=6), min_size=1, max_size=3), st.sampled_from([None, *MARK_MEANINGS]))
@example([[], ["B", "O"]], None)
def test_any_values_are_read_or_refused_in_one_line(codings, reading):
    try:
        found = read_marks(values(*codings), reading)
    except CaesuraError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
    else:
        assert [one.n_units for one in found.segmentations] == [len(one) for one in codings]


# -------------------------------------------------------------------- time


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", ["wide", "long"])
def test_large_tables_take_seconds(tmp_path, shape):
    n, coders = 100_000, ["ann", "bob", "cat", "dan", "eve"]
    if shape == "wide":
        rows = [f"{i + 1},this is sentence {i}," + ",".join("10000"[i % 5] for _ in coders) for i in range(n)]
        text = "unit,sentence," + ",".join(coders) + "\n" + "\n".join(rows)
    else:
        rows = [f"d,{coder},{i + 1},{'10000'[i % 5]}" for coder in coders for i in range(n)]
        text = "document,coder,unit,label\n" + "\n".join(rows)
    path = put(tmp_path / "t.csv", text + "\n")
    start = time.process_time()
    corpus = cs.read(path)
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
    assert [len(coding.positions) for _, _, coding in corpus] == [n // 5 - 1] * 5


# -------------------------------------------------------------------- marks that are written otherwise


WRITTEN_OTHERWISE = ["y n", "Y N", "t f", "b i", "B_a I_a", "* _", "| _", "+ -", "x -", "• _"]


@pytest.mark.parametrize("marks", WRITTEN_OTHERWISE)
def test_marks_are_read_however_they_are_written(tmp_path, marks):
    set_, unset = (mark if len(mark) > 1 else mark.replace("_", "") for mark in marks.split())
    assert masses(cs.read(put(tmp_path / "t.csv", table(set_=set_, unset=unset)))) == {"t": TRUTH}


@pytest.mark.parametrize("pair", ["ja nein", "boundary none", "S O", "BEGIN IN", "1 -1", "01 00", "1 NA"])
def test_two_other_values_that_look_like_marks_are_refused(tmp_path, pair):
    """As labels, each mark would be a segment of one unit: ann has 2 boundaries, not 5, bob 1, not 3."""
    set_, unset = pair.split()
    path = put(tmp_path / "t.csv", table(set_=set_, unset=unset))
    message = refusal(path, format="labels")
    assert f"the {set_}/{unset} marks may be starts or labels: no two units in a row have {set_}" in message
    assert "as starts they give ann 2 boundaries, bob 1, cat 2;" in message
    assert "as labels they give ann 5 boundaries, bob 3, cat 5;" in message
    assert masses(cs.read(path, "labels", marks="starts")) == {"t": TRUTH}
    assert cs.read(path, "labels", marks="labels")["t", "bob"].masses == (1, 2, 1, 4)


def test_numbers_beside_0_that_never_stand_together_are_refused():
    with pytest.raises(CorpusError, match=r"the 1 and 2/0 marks may be starts or labels"):
        read_as([1, 0, 0, 2, 0, 0])
    assert read_as([0, 0, 1, 0, 2, 0], marks="starts") == ("starts", [(2, 2, 2)])
    with pytest.raises(CorpusError, match="may be starts or ends or labels"):
        read_as(["a", "b", "a", "a", "b", "a"])


@pytest.mark.parametrize("labels", ["aabbaa", "aabbcc", "abbb", "aab", "abcab", [0, 0, 1, 1, 0, 0, 2, 2]])
def test_labels_that_cannot_be_marks_stay_labels(labels):
    assert read_as(labels)[0] == "labels"


def test_an_ignored_token_beside_marks_is_named(tmp_path):
    text = "token,ann,bob\nThe,1,1\nsea,-100,0\nis,0,0\nThen,1,1\nrain,0,0\n"
    message = refusal(put(tmp_path / "t.csv", text))
    assert "line 3: coder ann: unit 2 is '-100', an ignored token" in message
    assert "of_tokens" in message


def test_a_last_row_without_any_value_may_be_a_unit(tmp_path):
    only = put(tmp_path / "t.csv", "ann,bob\nx,x\nx,\n,x\n,\n")
    assert "the last row is empty" in refusal(only)
    assert "in a column 'unit'" in refusal(put(tmp_path / "u.csv", "ann,bob\nx,x\n,\nx,\n"))
    numbered = put(tmp_path / "v.csv", "unit,ann,bob\n1,x,x\n2,x,\n3,,x\n4,,\n,,\n")
    assert masses(cs.read(numbered)) == {"v": {"ann": [1, 3], "bob": [2, 2]}}


def test_a_column_called_label_needs_no_coder(tmp_path):
    text = (
        "document,sentence,label\na,It rained.,1\na,We stayed.,0\nb,It was so.,1\nb,Then sun.,1\nb,End.,0\n"
    )
    assert masses(cs.read(put(tmp_path / "t.csv", text))) == {"a": {"label": [2]}, "b": {"label": [1, 2]}}


@pytest.mark.parametrize(
    ("reference", "hypothesis", "form", "reading"),
    [
        ("BIIBII", "BIIIBI", "auto", "starts"),
        ("BIIBII", "BIIIBI", "starts", "starts"),
        ("BIIBII", "BIIIBI", "labels", "starts"),
        ("100100", "100010", "labels", "starts"),
        ("aaabbb", "aaaabb", "labels", "labels"),
        ("0 0 0 1 1 1", "0 0 0 0 1 1", "labels", "labels"),
        ("x - - x - -", "x - - - x -", "auto", "starts"),
        ("yes no no yes no no", "yes no no no yes no", "auto", "starts"),
    ],
)
def test_lines_of_values_with_or_without_something_between(tmp_path, reference, hypothesis, form, reading):
    pairs = read_pairs(*lines(tmp_path, reference + "\n", hypothesis + "\n"), form)
    assert (pairs.references[0].masses, pairs.hypotheses[0].masses) == ((3, 3), (4, 2))
    assert pairs.form == reading


def test_lines_of_true_and_false_are_no_plain_text(tmp_path):
    path = put(tmp_path / "t.txt", "true false false true\nfalse true true true\n")
    with pytest.raises(CorpusError, match="no format fits"):
        cs.read(path)


# -------------------------------------------------------------------- wide tables of other programs


WIDE = {"sentence": SENTENCES} | {
    coder: [int(mark) for mass in own for mark in [1] + [0] * (mass - 1)] for coder, own in TRUTH.items()
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_wide_data_frame(make):
    frame = make(WIDE)
    corpus = cs.Corpus.from_frame(frame, name="t")
    assert masses(corpus) == {"t": TRUTH}
    assert corpus.units["t"] == tuple(SENTENCES)
    with_speakers = make(WIDE | {"speaker": list("AABBAABB")})
    with pytest.raises(CorpusError, match="column 'speaker'"):
        cs.Corpus.from_frame(with_speakers)
    chosen = cs.Corpus.from_frame(with_speakers, coders=["ann", "cat"], text="sentence")
    assert masses(chosen) == {"table": {coder: TRUTH[coder] for coder in ("ann", "cat")}}
    two = make(WIDE | {"book": list("aaaabbbb")})
    with pytest.raises(CorpusError, match="may be starts or ends"):
        cs.Corpus.from_frame(two, document="book")  # no coder marks the first unit of the second
    assert masses(cs.Corpus.from_frame(two, document="book", marks="starts", coders=["bob"])) == {
        "a": {"bob": [3, 1]},
        "b": {"bob": [4]},
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_blanks_in_a_wide_data_frame(make):
    crosses = {"ann": ["x", None, None, "x"], "bob": ["x", None, "x", None]}
    assert masses(cs.Corpus.from_frame(make(crosses))) == {"table": {"ann": [3, 1], "bob": [2, 2]}}
    with pytest.raises(CorpusError, match=r"row 2: coder ann: unit 2 is '-100'"):
        cs.Corpus.from_frame(make({"ann": [1, -100, 0, 1], "bob": [1, 0, 0, 0]}))


def test_frames_that_cannot_be_read():
    with pytest.raises(CorpusError, match=r"not a LazyFrame; a lazy one needs collect\(\)"):
        cs.Corpus.from_frame(pl.LazyFrame(WIDE))
    long = pd.DataFrame({"document": ["d"], "coder": ["a"], "masses": [[2, 3]]})
    with pytest.raises(CorpusError, match="coders: unknown column 'a'"):
        cs.Corpus.from_frame(long, coders=["a"])
    with pytest.raises(ParameterError, match="marks= does not apply to a table of masses; leave it out"):
        cs.Corpus.from_frame(long, marks="starts")


# -------------------------------------------------------------------- one table, however it is kept


def as_csv(folder, table, **options):
    pd.DataFrame(table).to_csv(folder / "t.csv", index=False)
    return cs.read(folder / "t.csv", **options)


def as_parquet(folder, table, **options):
    pd.DataFrame(table).to_parquet(folder / "t.parquet")
    return cs.read(folder / "t.parquet", **options)


def as_pandas(folder, table, **options):
    return cs.Corpus.from_frame(pd.DataFrame(table), name="t", **options)


def as_polars(folder, table, **options):
    return cs.Corpus.from_frame(pl.DataFrame(table), name="t", **options)


def as_arrow(folder, table, **options):
    return cs.Corpus.from_frame(pa.table(table), name="t", **options)


TABLES = pytest.mark.parametrize("read_table", [as_csv, as_parquet, as_pandas, as_polars, as_arrow])

RATED = {
    "Doc": ["d"] * 8,
    "rater": ["ann"] * 4 + ["bob"] * 4,
    "boundary": [1, 0, 0, 1, 1, 0, 1, 0],
    "said": ["One.", "Two.", None, "Four."] * 2,
}


@TABLES
@pytest.mark.parametrize(
    ("coder", "mark"), [("annotator", "mark"), ("rater", "boundary"), ("coder", "label")]
)
def test_other_names_of_columns_in_any_long_table(tmp_path, read_table, coder, mark):
    table = dict(zip(["Doc", coder, mark, "text"], RATED.values(), strict=True))
    corpus = read_table(tmp_path, table)
    assert masses(corpus) == {"d": {"ann": [3, 1], "bob": [2, 2]}}
    assert corpus.units["d"] == ("One.", "Two.", "", "Four.")


@TABLES
def test_chosen_columns_of_any_long_table(tmp_path, read_table):
    table = {"part": ["p"] * 8, **RATED}
    corpus = read_table(tmp_path, table, document="part", text="said", coders=["rater"], marks="ends")
    assert masses(corpus) == {"p": {"ann": [1, 3], "bob": [1, 2, 1]}}
    assert corpus.units["p"] == ("One.", "Two.", "", "Four.")
    with pytest.raises(CorpusError, match="text: unknown column 'sayd'"):
        read_table(tmp_path, RATED, text="sayd")


@TABLES
def test_texts_that_differ_in_any_long_table(tmp_path, read_table):
    table = RATED | {"said": ["One.", "Two.", "Three.", "Four.", "One.", "To.", "Three.", "Four."]}
    with pytest.raises(CorpusError, match=r"document d: text\[1\] differs between coders ann and bob"):
        read_table(tmp_path, table, text="said")


@TABLES
def test_marks_are_no_names_of_coders_in_any_long_table(tmp_path, read_table):
    table = {"doc": ["d"] * 4, "rater": [1, 0, 0, 1], "mark": [1, 0, 1, 0]}
    with pytest.raises(CorpusError, match="column 'rater' may name each row's coder"):
        read_table(tmp_path, table)


@TABLES
@pytest.mark.parametrize(("gaps", "expected"), [("segment", [2, 2, 2]), ("join", [4, 2])])
def test_units_outside_of_chunks_in_any_table(tmp_path, read_table, gaps, expected):
    """B I O O B I: the two outside are a segment of their own, or go on with the chunk before."""
    tags = list("BIOOBI")
    wide, long = {"ann": tags, "bob": tags}, {"document": ["t"] * 6, "coder": ["ann"] * 6, "label": tags}
    assert masses(read_table(tmp_path, wide, gaps=gaps)) == {"t": {"ann": expected, "bob": expected}}
    assert masses(read_table(tmp_path, long, gaps=gaps)) == {"t": {"ann": expected}}
    for table in (wide, long):
        with pytest.raises(CorpusError, match="gaps='segment'"):
            read_table(tmp_path, table)


@TABLES
def test_names_of_columns_in_other_letters_in_any_long_table(tmp_path, read_table):
    table = {"Document": ["d", "d"], " CODER": ["ann", "bob"], "Masses": ["2 3", "4 1"]}
    assert masses(read_table(tmp_path, table)) == {"d": {"ann": [2, 3], "bob": [4, 1]}}
    with pytest.raises(CorpusError, match="the column 'masses' is there twice"):
        read_table(tmp_path, table | {"masses": ["5", "5"]})


def test_what_a_long_table_in_parquet_was_understood_as(tmp_path):
    (understood,) = as_parquet(tmp_path, RATED).metadata["understood"]
    assert understood.endswith("t.parquet as a long table of starts: ann 1 boundary, bob 1")


def test_a_wide_table_as_parquet_and_as_a_spreadsheet(tmp_path):
    pd.DataFrame(WIDE).to_parquet(tmp_path / "t.parquet")
    pd.DataFrame(WIDE).to_excel(tmp_path / "t.xlsx", index=False)
    for name in ("t.parquet", "t.xlsx"):
        corpus = cs.read(tmp_path / name)
        assert masses(corpus) == {"t": TRUTH}
        assert corpus.units["t"] == tuple(SENTENCES)
        (understood,) = corpus.metadata["understood"]
        assert "as a table of starts: ann 2 boundaries" in understood


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_a_spreadsheet_of_any_segments_is_read_back(own):
    """Segments of one unit beside others must not look like marks."""
    corpus = cs.Corpus.from_dict({"d": {"ann": own}, "e": {"ann": own[::-1]}})
    with tempfile.TemporaryDirectory() as folder:
        cs.write(corpus, Path(folder, "t.xlsx"))
        assert masses(cs.read(Path(folder, "t.xlsx"))) == masses(corpus)
