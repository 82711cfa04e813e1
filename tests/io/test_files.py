"""Reading, writing and recognizing files.

Source of truth: the forms themselves, typed by hand from each format's description (segeval's data files and
readers, Choi's .ref, the DialSeg711 and TIAGE data sets), and for written files that reading gives the same
corpus back. Bad files must give one clear line, in Python and on the command line.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import os
import random
import re
import stat
import sys
import threading
import warnings
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caesura import (
    Corpus,
    CorpusError,
    MissingExtraError,
    ParameterError,
    Segmentation,
    SegmentationError,
    TypeScheme,
    UnknownNameError,
    cli,
    scan,
)
from caesura.cli import reading
from caesura.cli.remarks import as_flags
from caesura.io import files, options
from caesura.io.formats import jsonl, marks_table
from caesura.io.lines import read_pairs
from caesura.io.reading import read
from caesura.io.registry import FORMATS, find_format
from caesura.io.writing import not_kept, write
from caesura.wording import shortened

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval.data.jsonutils
    import segeval.data.samples
    import segeval.data.tsv

# Formats of hierarchies are in test_io_hierarchies.py; those that consist of places on an axis, those without
# codings, and webanno, whose layers have to be named, are in tests/io.
FLAT = [
    name
    for name, format in FORMATS.items()
    if "ranks" not in format.keeps
    and format.needs_axis is None
    and name != "webanno"
    and format.codings != "none"
]
ONE_CODER = [name for name in FLAT if "coders" not in FORMATS[name].keeps]
ONE_DOCUMENT = [name for name in FLAT if "documents" not in FORMATS[name].keeps]
TYPED = [name for name in FLAT if "types" in FORMATS[name].keeps]


def masses(corpus: Corpus) -> dict[str, dict[str, list[int]]]:
    return corpus.to_dict()


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def assert_same(found: Corpus, expected: Corpus, keeps: frozenset[str], *, ordered: bool = True) -> None:
    """Equal in everything that the format keeps, the order of documents and coders included."""
    found_codings, expected_codings = list(found), list(expected)
    if not ordered:
        found_codings.sort(key=lambda coding: coding[:2])
        expected_codings.sort(key=lambda coding: coding[:2])
    assert found_codings == expected_codings
    assert dict(found.units) == (dict(expected.units) if "units" in keeps else {})
    assert found.type_scheme == (expected.type_scheme if "type scheme" in keeps else None)


def assert_one_line(message: str, path: Path) -> None:
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 1000


# -------------------------------------------------------------------- each form, typed by hand


FORMS = {
    "d.json": '{"segmentation_type": "linear", "items": {"d": {"ann": [2, 3, 1], "bob": [5, 1]}}}',
    "d.tsv": "Coder\tMasses\nann\t2\t3\t1\nbob\t5\t1\n",
    "d-short-rows-filled.tsv": "Coder\tMasses\t\t\nann\t2\t3\t1\nbob\t5\t1\t\n",
    "d-positions.csv": "Coder,Positions\nann,1,1,2,2,2,3\nbob,1,1,1,1,1,2\n",
    "d.csv": "paragraph,ann,bob\n1,1,1\n2,1,1\n3,2,1\n4,2,1\n5,2,1\n6,3,2\n",
    "d-from-0.csv": "i,ann,bob\n0,a,x\n1,a,x\n2,b,x\n3,b,x\n4,b,x\n5,a,y\n",
    "d-semicolons.csv": "paragraph;ann;bob\n1;1;1\n2;1;1\n3;2;1\n4;2;1\n5;2;1\n6;3;2\n",
    "d-tabs.tsv": "unit\tann\tbob\n1\t1\t1\n2\t1\t1\n3\t2\t1\n4\t2\t1\n5\t2\t1\n6\t3\t2\n",
    "d-left-out.csv": "unit,ann,eve,bob,\n1,1,,1,\n2,1,,1,\n3,2,,1,\n4,2,,1,\n5,2,,1,\n6,3,,2,\n",
    "long-masses.csv": "document,coder,masses\nd,ann,2 3 1\nd,bob,5 1\n",
    "long-quoted.csv": 'Coder,Document,masses\nann,d,"2,3,1"\nbob,d,"5,1"\n',
    "long-gaps.tsv": "document\tcoder\tgaps\nd\tann\t01001\nd\tbob\t00001\n",
    "long-positions.csv": "document,coder,n_units,positions\nd,ann,6,2 5\nd,bob,6,5\n",
    "long-labels.csv": "document,coder,label\n"
    + "".join(f"d,ann,{label}\n" for label in "aabbbc")
    + "".join(f"d,bob,{label}\n" for label in "xxxxxy"),
    "lines.jsonl": '{"document": "d", "coder": "ann", "masses": [2, 3, 1]}\n'
    '{"document": "d", "coder": "bob", "gaps": "00001"}\n',
    "lines.ndjson": '{"document": "d", "coder": "ann", "labels": ["a", "a", "b", "b", "b", "a"]}\n\n'
    '{"document": "d", "coder": "bob", "n_units": 6, "positions": [5], "masses": null}\n',
    "lines.json": '{"document": "d", "coder": "ann", "masses": [2, 3, 1]}\n'
    '{"document": "d", "coder": "bob", "masses": [5, 1]}\n',
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("change", ["as it is", "BOM", "CR", "CRLF", "UTF-16", "no end", "blank end"])
def test_one_corpus_in_every_form(tmp_path, name, change):
    text = FORMS[name]
    data = {
        "as it is": text.encode(),
        "BOM": codecs.BOM_UTF8 + text.encode(),
        "CR": text.replace("\n", "\r").encode(),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "UTF-16": text.encode("utf-16"),
        "no end": text.rstrip("\n").encode(),
        "blank end": text.encode() + b"\n\n",
    }[change]
    corpus = read(put(tmp_path / name, data))
    (document,) = corpus.documents
    assert masses(corpus)[document] == {"ann": [2, 3, 1], "bob": [5, 1]}
    in_the_file = name.startswith(("long", "lines")) or name == "d.json"
    assert document == ("d" if in_the_file else name.rpartition(".")[0])


def test_the_name_of_the_format_taken_is_told(tmp_path):
    path = put(tmp_path / "c.csv", FORMS["d.csv"])
    one = f"{path} as a table of labels: ann 2 boundaries, bob 1"
    assert read(path).metadata == {"format": "labels", "source": str(path), "understood": (one,)}
    other = put(tmp_path / "e.csv", FORMS["long-masses.csv"])
    assert read([path, other]).metadata == {
        "format": "labels, long",
        "source": f"{path}, {other}",
        "understood": (one, f"{other} as long: 1 document, 2 coders"),
    }


def test_text_is_kept_with_its_units(tmp_path):
    labels = put(tmp_path / "d.csv", 'unit,text,ann\n1,"One, two.",1\n2,,1\n3," Three ""4"".",2\n')
    assert read(labels).units == {"d": ("One, two.", "", ' Three "4".')}
    assert masses(read(labels)) == {"d": {"ann": [2, 1]}}
    rows = "document,coder,text,label\nd,ann,One,1\nd,ann,Two,2\nd,bob,One,1\nd,bob,Two,1\n"
    assert read(put(tmp_path / "l.csv", rows)).units == {"d": ("One", "Two")}
    line = '{"document": "d", "coder": "ann", "masses": [2], "units": ["One", "Two"]}\n'
    assert read(put(tmp_path / "l.jsonl", line)).units == {"d": ("One", "Two")}


CHOI = "==========\nOne . \nTwo .\n==========\n Three .\n==========\n"


def test_choi(tmp_path):
    corpus = read(put(tmp_path / "7.ref", CHOI))
    assert masses(corpus) == {"7": {"reference": [2, 1]}}
    assert corpus.units == {"7": ("One . ", "Two .", " Three .")}
    write(corpus, tmp_path / "again.ref")
    assert (tmp_path / "again.ref").read_text() == CHOI
    without = put(tmp_path / "8.ref", "One .\nTwo .\n==========\n\nThree .")
    assert masses(read(without)) == {"8": {"reference": [2, 1]}}


@pytest.mark.parametrize("marker", ["===", "==========  ", "---", "****", "================"])
def test_marked_text(tmp_path, marker):
    corpus = read(put(tmp_path / "d.txt", f"One\n\nTwo\n{marker}\nThree\n"))
    assert corpus.metadata["format"] == "marked"
    assert masses(corpus) == {"d": {"reference": [2, 1]}}
    assert corpus.units == {"d": ("One", "Two", "Three")}


SEPARATORS = {
    "titles": ("### Rain\nOne\nTwo\n\n### Sun\nThree\n", None),
    "tags": ("[CSTART]\nOne\nTwo\n[CSTART]\nThree\n", None),
    "tags with titles": ("[CSTART] Rain [CEND]\nOne\nTwo\n[CSTART] Sun [CEND]\nThree\n", None),
    "blank lines": ("\nOne\nTwo\n\n \n\nThree\n\n", "blank"),
    "a named beginning": ("Part 1\nOne\nTwo\nPart 2: sun\nThree\n", "Part …"),
    "a named beginning, in ASCII": ("## a\nOne\nTwo\n## b\nThree\n", "## ..."),
    "dots are a line": ("One\nTwo\n...\nThree\n", "..."),
}
"""What language models and people put between segments, and the marker that has to be named."""


@pytest.mark.parametrize(("content", "marker"), SEPARATORS.values(), ids=list(SEPARATORS))
def test_what_stands_between_segments(tmp_path, content, marker):
    corpus = read(put(tmp_path / "d.txt", content), marker=marker)
    assert corpus.metadata["format"] == "marked"
    assert masses(corpus) == {"d": {"reference": [2, 1]}}
    assert corpus.units == {"d": ("One", "Two", "Three")}
    if marker is not None:
        write(corpus, tmp_path / "e.txt", marker=marker)
        again = read(tmp_path / "e.txt", marker=marker)
        assert (masses(again)["e"], again.units["e"]) == (masses(corpus)["d"], corpus.units["d"])


def test_blank_lines_are_no_markers_unless_they_are_named(tmp_path):
    corpus = read(put(tmp_path / "d.txt", "It rained.\n\nWe stayed at home.\n"))
    assert (len(corpus), corpus.units) == (0, {"d": ("It rained.", "We stayed at home.")})


def test_marked_text_with_the_callers_marker(tmp_path):
    path = put(tmp_path / "d.txt", "One\n---\nTwo\n<break>\nThree\n")
    corpus = read(path, marker="<break>")
    assert corpus.units == {"d": ("One", "---", "Two", "Three")}
    assert masses(corpus) == {"d": {"reference": [3, 1]}}
    write(corpus, tmp_path / "e.txt", marker="<break>")
    assert_same(
        read(tmp_path / "e.txt", marker="<break>").select(), renamed(corpus, "e"), frozenset({"units"})
    )
    with pytest.raises(ParameterError, match="marked"):
        read(path, "choi", marker="<break>")
    with pytest.raises(ParameterError, match="marker is"):
        read(path, marker=" ")


def test_a_marker_concerns_the_files_that_have_it(tmp_path, capsys):
    """JSON Lines, a table and text with signs of its own stay what they are beside text with the marker."""
    put(tmp_path / "in" / "d.txt", "One\n###\nTwo\nThree\n")
    put(tmp_path / "in" / "e.jsonl", '{"document": "e", "coder": "ann", "masses": [2, 3]}\n')
    put(tmp_path / "in" / "f.txt", "One\n=====\nTwo\n")
    corpus = read(tmp_path / "in", marker="###")
    assert masses(corpus) == {"d": {"reference": [1, 2]}, "e": {"ann": [2, 3]}, "f": {"reference": [1, 1]}}
    assert run(capsys, "describe", tmp_path / "in", "--marker", "###")[0] == 0


def test_an_option_that_fits_no_input_is_refused(tmp_path, capsys):
    path = put(tmp_path / "e.jsonl", '{"document": "e", "coder": "ann", "masses": [2, 3]}\n')
    fault = f"marker= is '###' and fits none of the inputs, {path} (jsonl): it is for marked"
    with pytest.raises(ParameterError) as error:
        read(path, marker="###")
    assert str(error.value) == fault.replace(str(path), shortened(str(path)))
    lines = [put(tmp_path / name, "2 3\n") for name in ("ref", "hyp")]
    for command in (["describe", path], ["score", path, path], ["score", *lines], ["diff", *lines]):
        code, out, err = run(capsys, *command, "--marker", "###")
        assert (code, out) == (1, "")
        assert "--marker is '###' and fits none of the inputs" in err
        assert err.count("\n") == 1


def test_options_name_the_formats_whose_readers_ask_for_them(tmp_path, monkeypatch):
    asked: dict[str, set[str]] = {}
    plain = options.ReadOptions.get

    def get(own: options.ReadOptions, name: str, default: object = None) -> object:
        asked.setdefault(name, set()).add(known.name)
        return plain(own, name, default)

    monkeypatch.setattr(options.ReadOptions, "get", get)
    for known in FORMATS.values():
        if known.example:
            path = put(tmp_path / known.name / f"d{known.extensions[0]}", known.example)
            if known.example_beside:
                put(path.with_suffix(".txt"), known.example_beside)
            read(path, known.name, **known.example_options)
    for name, formats in asked.items():
        assert formats <= set(options.OPTIONS[name].formats or FORMATS)


@pytest.mark.parametrize(
    ("encoding", "name", "content"),
    [
        ("latin-1", "d.csv", "unit,text,Zoé\n1,Déjà vu.,1\n2,Là.,0\n3,Où ?,1\n4,Ici.,0\n"),
        ("shift_jis", "d.txt", "雨が降った。\n=====\n晴れた。\n"),
        ("cp1252", "d.jsonl", '{"document": "d", "coder": "Zoé", "masses": [2, 3]}\n'),
        ("utf-16-le", "d.md", "# Über\n\nEins.\n\n# Zwei\n\nDrei.\n"),
        ("latin-1", "d.tsv", "document\tcoder\tmasses\nd\tZoé\t2 3\n"),
    ],
)
def test_texts_of_other_encodings(tmp_path, capsys, encoding, name, content):
    """The same as from UTF-8; without the encoding, the message names the option."""
    expected = read(put(tmp_path / "utf8" / name, content))
    path = put(tmp_path / name, content.encode(encoding))
    with pytest.raises(CorpusError, match=r"encoding=\"latin-1\"|encoding=\"utf-16-le\""):
        read(path)
    found = read(path, encoding=encoding)
    assert masses(found) == masses(expected)
    assert found.units == expected.units
    assert run(capsys, "describe", path, "--encoding", encoding)[0] == 0


def test_lines_of_another_encoding(tmp_path, capsys):
    paths = [put(tmp_path / name, "2 3\n".encode("utf-16-le")) for name in ("ref", "hyp")]
    assert run(capsys, "score", *paths, "--encoding", "utf-16-le")[0] == 0


def test_encodings_that_do_not_fit_or_are_unknown(tmp_path, capsys):
    path = put(tmp_path / "d.csv", "unit,Zoé\n1,1\n2,0\n")
    with pytest.raises(ParameterError, match="unknown encoding 'latin1252'"):
        read(path, encoding="latin1252")
    code, _, err = run(capsys, "describe", path, "--encoding", "latin1252")
    assert (code, err.count("\n")) == (2, 1)
    with pytest.warns(UserWarning, match="read as cp1252, and looks like UTF-8"):
        read(path, encoding="cp1252", marks="starts")
    with pytest.raises(CorpusError, match=r"byte 7 \(0xc3\) is not ascii; give another encoding"):
        read(path, encoding="ascii")


def renamed(corpus: Corpus, document: str) -> Corpus:
    ((old, coded),) = corpus.segmentations().items()
    units = {document: corpus.units[old]} if old in corpus.units else {}
    return Corpus.from_dict({document: coded}, units=units, type_scheme=corpus.type_scheme)


def test_gap_strings(tmp_path):
    corpus = read([put(tmp_path / "ann.gaps", "0100\n000\n"), put(tmp_path / "bob.txt", "0000\n 010 \n")])
    assert masses(corpus) == {"1": {"ann": [2, 3], "bob": [5]}, "2": {"ann": [4], "bob": [2, 2]}}
    named = read(put(tmp_path / "eve.gaps", "first\t10\nsecond, and last\t\n"))
    assert masses(named) == {"first": {"eve": [1, 2]}, "second, and last": {"eve": [1]}}


def test_dialseg711(tmp_path):
    dialogues = [
        {"dial_id": 0, "utterances": ["a", "b", "c"], "segments": [2, 1], "set": "test"},
        {"dial_id": "x", "utterances": ["d"], "segments": [1]},
    ]
    corpus = read(put(tmp_path / "d.json", json.dumps(dialogues)))
    assert masses(corpus) == {"0": {"reference": [2, 1]}, "x": {"reference": [1]}}
    assert corpus.units == {"0": ("a", "b", "c"), "x": ("d",)}
    write(corpus, tmp_path / "again.json", "dialseg711")
    written = json.loads((tmp_path / "again.json").read_text())
    assert written == [{key: d[key] for key in ("dial_id", "utterances", "segments")} for d in dialogues]


def test_tiage(tmp_path):
    data = {"1": [["a", "-1"], ["b", "0"], ["c", "1"], ["d", "0"]], "2": [["e", "-1"]]}
    corpus = read(put(tmp_path / "d.json", json.dumps(data)))
    assert masses(corpus) == {"1": {"reference": [2, 2]}, "2": {"reference": [1]}}
    assert corpus.units["1"] == ("a", "b", "c", "d")
    write(corpus, tmp_path / "again.json", "tiage")
    assert json.loads((tmp_path / "again.json").read_text()) == data


def test_segeval_json_keeps_its_other_entries(tmp_path):
    data = {"segmentation_type": "linear", "id": "x", "items": {"d": {"a": [2]}}, "groups": {"1": ["d"]}}
    corpus = read(put(tmp_path / "d.json", json.dumps(data)))
    assert corpus.metadata["properties"] == {"id": "x", "groups": {"1": ["d"]}}
    write(corpus, tmp_path / "e.json")
    assert json.loads((tmp_path / "e.json").read_text()) == data


# -------------------------------------------------------------------- segeval reads what we write


def open_for_segeval(path: str, mode: str) -> io.StringIO:
    """It opens with the mode "rU", which Python 3.11 no longer knows."""
    assert mode == "rU"
    return io.StringIO(Path(path).read_text(encoding="utf-8"))


def test_segeval_reads_our_json_and_tsv(tmp_path, monkeypatch):
    for module in (segeval.data.jsonutils, segeval.data.tsv):
        monkeypatch.setattr(module, "open", open_for_segeval, raising=False)
    codings = {"item,1": {"an 1": [2, 8, 2, 1], 'an"2': [11, 2]}}
    write(Corpus.from_dict(codings), tmp_path / "d.json")
    theirs = segeval.data.jsonutils.input_linear_mass_json(str(tmp_path / "d.json"))
    assert {d: {c: list(m) for c, m in coded.items()} for d, coded in theirs.items()} == codings
    write(Corpus.from_dict(codings), tmp_path / "item,1.tsv", "segeval-tsv")
    theirs = segeval.data.tsv.input_linear_mass_tsv(str(tmp_path / "item,1.tsv"))
    assert {d: {c: list(m) for c, m in coded.items()} for d, coded in theirs.items()} == codings


@pytest.mark.parametrize("name", ["hearst1997.json", "hearst1997.tsv", "hearst1997_positions.csv"])
def test_we_read_segevals_own_files(name):
    folder = Path(segeval.data.__file__).parent
    stargazer = segeval.data.samples.HEARST_1997_STARGAZER["stargazer"]
    (coded,) = masses(read(folder / name)).values()
    assert coded == {coder: list(masses) for coder, masses in stargazer.items()}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("hearst1997_bad_type.ejson", "'incorrect'"),
        ("hearst1997_missing_type.ejson", 'no "segmentation_type"'),
        ("hearst1997_missing_items.ejson", 'no "items"'),
    ],
)
def test_we_refuse_what_segeval_refuses(name, fault):
    path = Path(segeval.data.__file__).parent / name
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")


# -------------------------------------------------------------------- round trips


ODD_NAMES = [
    "ann",
    "'=1+1",
    "a,b;c",
    'say "hi"',
    "two\nlines",
    "cr\rlf\r\n",
    "tab\there",
    "=1+1",
    "naïve 日本 🙂",
    "\ufeffmark",
    " space ",
    "text",
    "",
    "\0",
    "\x85\u2028\x0c",
    "0",
    "document",
    "==========",
]
names = st.one_of(st.sampled_from(ODD_NAMES), st.text(max_size=6))
texts = st.one_of(names, st.just("One sentence ."))


def segmentations(n_units: int, *, typed: bool) -> st.SearchStrategy[Segmentation]:
    if n_units == 1:
        return st.just(Segmentation.from_masses([1]))
    kinds = st.sampled_from([1, 2, 3, 5]) if typed else st.just(1)
    boundaries = st.sets(st.tuples(st.integers(1, n_units - 1), kinds)).map(sorted)
    return boundaries.map(
        lambda pairs: Segmentation.from_positions([p for p, _ in pairs], n_units, [t for _, t in pairs])
    )


@st.composite
def corpora(draw, *, typed: bool, one_document: bool, one_coder: str | None, with_units: bool) -> Corpus:
    documents = ["doc"] if one_document else draw(st.lists(names, min_size=1, max_size=4, unique=True))
    codings, units = {}, {}
    for document in documents:
        n_units = draw(st.integers(1, 9))
        coders = [one_coder] if one_coder else draw(st.lists(names, min_size=1, max_size=3, unique=True))
        codings[document] = {coder: draw(segmentations(n_units, typed=typed)) for coder in coders}
        if with_units or draw(st.booleans()):
            units[document] = draw(st.lists(texts, min_size=n_units, max_size=n_units).map(tuple))
    scheme = draw(st.sampled_from([None, TypeScheme({1: "minor", 2: "", 3: "x", 5: "major"}, nominal=True)]))
    return Corpus.from_dict(codings, units=units, type_scheme=scheme)


@pytest.mark.filterwarnings("ignore:cells that begin with")
@pytest.mark.parametrize("name", FLAT)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_written_is_read_back_or_refused(tmp_path, name, data):
    format = FORMATS[name]
    extension = data.draw(st.sampled_from([format.extensions[0], ".other"]))
    corpus = data.draw(
        corpora(
            typed=name in TYPED,
            one_document=name in ONE_DOCUMENT,
            one_coder=format.names("doc")[1] if name in ONE_CODER else None,
            with_units=format.needs_units,
        )
    )
    path = tmp_path / f"doc{extension}"
    for written_before in tmp_path.iterdir():
        written_before.unlink()
    try:
        write(corpus, path, name)
    except CorpusError as error:
        refusal = str(error)
    else:
        refusal = None
        assert_same(read(path, name), corpus, format.keeps)
    if refusal is not None:
        assert_one_line(refusal, path)
        assert not path.exists()
    assert [entry.name for entry in tmp_path.iterdir() if entry != path] == []


@pytest.mark.parametrize("name", ["long", "labels", "segeval-tsv"])
@pytest.mark.parametrize("extension", [".csv", ".tsv"])
def test_no_cell_of_a_table_is_a_formula_and_names_are_read_back(tmp_path, capsys, name, extension):
    coders = ["=cmd()", "'=cmd()", "''=cmd()", "'tis", "-1", "+1", "@sum", "it's -1"]
    corpus = Corpus.from_dict(
        {"d": {coder: [1, 2] for coder in coders}}, units={"d": ["- Yes.", "'- No.", "x"]}
    )
    path = tmp_path / f"d{extension}"
    with pytest.warns(UserWarning, match="cells that begin with =, \\+, - or @ got an apostrophe"):
        write(corpus, path, name)
    with path.open(newline="") as stream:
        cells = [
            cell for row in csv.reader(stream, delimiter="\t" if extension == ".tsv" else ",") for cell in row
        ]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
    found = read(path, name)
    assert found.to_dict() == corpus.to_dict()
    assert "units" not in FORMATS[name].keeps or dict(found.units) == dict(corpus.units)
    code, _, err = run(capsys, "convert", path, tmp_path / f"e{extension}", "--to", name, "--from", name)
    assert code == 0
    assert "note: cells that begin with" in err


SIMPLE = Corpus.from_dict(
    {"d, 1": {"=ann": [2, 3], 'b"ob': [5]}, "ÿ2": {"=ann": [1]}},
    units={"d, 1": ["One.", "Two, too.", '"3"', "=4", "5 "], "ÿ2": ["naïve 日本"]},
)


@pytest.mark.filterwarnings("ignore:cells that begin with")
@pytest.mark.parametrize("name", FLAT)
def test_simple_corpora_are_never_refused_and_always_recognised(tmp_path, name):
    format = FORMATS[name]
    corpus = SIMPLE
    if name in ONE_CODER:
        _, coder = format.names("doc")
        coded = {document: {coder: codings["=ann"]} for document, codings in corpus.segmentations().items()}
        corpus = Corpus.from_dict(coded, units=corpus.units)
    if name in ONE_DOCUMENT:
        corpus = renamed(corpus.select(documents=["d, 1"]), "doc")
    extensions = (".xlsx",) if name == "excel" else format.extensions
    for extension in (*extensions, ".other", ""):
        path = tmp_path / f"doc{extension}"
        write(corpus, path, name)
        found = read(path)
        assert found.metadata["format"] == name
        assert_same(found, corpus, format.keeps)


@pytest.mark.parametrize("name", ONE_DOCUMENT)
def test_a_folder_of_documents(tmp_path, name):
    coders = ["reference"] if name in ONE_CODER else ["ann", "bob"]
    documents = ["ch10", "ch2", "part.1/ch2", "a.b", "=x, y"]
    corpus = Corpus.from_dict(
        {document: {coder: [1, len(document)] for coder in coders} for document in documents},
        units={document: [f"unit {i}" for i in range(len(document) + 1)] for document in documents},
    )
    write(corpus, tmp_path / "out", name)
    extension = FORMATS[name].extensions[0]
    assert (tmp_path / "out" / "part.1" / f"ch2{extension}").is_file()
    found = read(tmp_path / "out")
    assert_same(found, corpus, FORMATS[name].keeps, ordered=False)
    assert [d for d in found.documents if d.startswith("ch")] == ["ch2", "ch10"]
    with pytest.raises(CorpusError, match="not empty"):
        write(corpus, tmp_path / "out", name)
    with pytest.raises(CorpusError, match="name a folder"):
        write(corpus, tmp_path / f"out{extension}", name)
    write(corpus.select(documents=["ch2"]), f"{tmp_path}/one/", name)
    assert [path.name for path in (tmp_path / "one").iterdir()] == [f"ch2{extension}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "out"]


def test_names_that_would_be_skipped_as_no_data(tmp_path):
    corpus = Corpus.from_dict(
        {"README": {"reference": [1]}, ".x": {"reference": [1]}}, units={"README": ["One"], ".x": ["Two"]}
    )
    write(corpus, tmp_path / "out", "choi")  # .ref says what it is
    assert_same(read(tmp_path / "out"), corpus, frozenset({"units"}), ordered=False)
    with pytest.raises(CorpusError, match="'README': a file of this name would not be read"):
        write(corpus, tmp_path / "text", "marked")


@pytest.mark.parametrize("document", ["", "/abs", "a//b", "../up", ".git/x", "nul\0", "back\\slash"])
def test_names_that_no_file_can_have(tmp_path, document):
    corpus = Corpus.from_dict({document: {"ann": [2]}, "other": {"ann": [3]}})
    with pytest.raises(CorpusError, match="rename it"):
        write(corpus, tmp_path / "out", "labels")
    assert list(tmp_path.iterdir()) == []


def test_sparse_documents_stay_sparse(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": [10**15, 3]}})
    for name in (*TYPED, "segeval-json", "segeval-tsv"):
        path = tmp_path / f"d{FORMATS[name].extensions[0]}"
        write(corpus, path, name)
        assert read(path, name)["d", "ann"].n_units == 10**15 + 3
    for name in ("labels", "gaps"):
        with pytest.raises(CorpusError, match=r"d\.x: .*units"):
            write(corpus, tmp_path / "d.x", name)


def test_long_cells_are_read(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": [1] * 100_000}})  # a cell of more than the csv module's 128 KiB
    write(corpus, tmp_path / "d.csv")
    assert_same(read(tmp_path / "d.csv"), corpus, frozenset())


# -------------------------------------------------------------------- what a format cannot hold


MANY_TYPES = Corpus.from_records(
    ["document", "coder", "n_units", "positions", "types"], [["d", "ann", 4, [1, 2], [1, 2]]]
)


@pytest.mark.parametrize("name", FLAT)
def test_types_are_kept_or_refused(tmp_path, name):
    path = tmp_path / "d.x"
    if name in TYPED:
        write(MANY_TYPES, path, name)
        assert_same(read(path, name), MANY_TYPES, FORMATS[name].keeps)
    else:
        with pytest.raises(CorpusError, match=r"coder ann .* other types than 1.*jsonl, long, parquet"):
            write(MANY_TYPES, path, name)


def test_what_else_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="empty"):
        write(Corpus.from_dict({}), tmp_path / "d.jsonl")
    with pytest.raises(CorpusError, match="holds one coder, not 2"):
        write(SIMPLE, tmp_path / "d.gaps")
    with pytest.raises(CorpusError, match="document d has no text"):
        write(Corpus.from_dict({"d": {"a": [2]}}), tmp_path / "d.ref")
    with pytest.raises(CorpusError, match=r"d\.x: its extension names no format.*\.jsonl"):
        write(SIMPLE, tmp_path / "d.x")
    with pytest.raises(CorpusError, match="the property x is nan"):
        write(
            Corpus.from_dict({"d": {"a": [2]}}, metadata={"properties": {"x": math.nan}}), tmp_path / "d.json"
        )
    with pytest.raises(CorpusError, match="half a character"):
        write(Corpus.from_dict({"\ud800": {"a": [2]}}), tmp_path / "d.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_kept_is_told():
    corpus = Corpus.from_dict(
        {"d": {"ann": [2]}},
        units={"d": ["One", "Two"]},
        type_scheme=TypeScheme({1: "x"}),
        metadata={"properties": {"id": "y"}},
    )
    assert not_kept(corpus, FORMATS["jsonl"], "o.jsonl") == ["properties of the file (id)"]
    assert not_kept(corpus, FORMATS["segeval-json"], "o.json") == [
        "the units' text",
        "the names of the boundary types",
    ]
    assert not_kept(corpus, FORMATS["choi"], "o.ref")[1:3] == [
        "the document's name (it will be o)",
        "the coder's name (it will be reference)",
    ]
    assert not_kept(corpus, FORMATS["gaps"], "ann.gaps")[:2] == [
        "the units' text",
        "the names of the boundary types",
    ]
    assert not_kept(corpus, FORMATS["labels"], "d.csv")[0] == "the names of the boundary types"


# -------------------------------------------------------------------- folders and several files


def test_folders_are_read_in_natural_order_and_nothing_is_dropped(tmp_path):
    table = "unit,ann\n1,1\n2,2\n"
    for name in ("ch10.csv", "ch2.csv", "Ch1.csv", "b/ch2.csv", "ch007.csv"):
        put(tmp_path / "data" / name, table)
    for name in (".DS_Store", "README.md", "LICENSE", "LICENSE.segeval-BSD-3", "x_LICENSE", "README.txt"):
        put(tmp_path / "data" / name, b"\xff\xfe\x00 no data")
    put(tmp_path / "data" / ".git" / "index.csv", b"\xff")
    corpus = read(tmp_path / "data")
    assert corpus.documents == ("b/ch2", "Ch1", "ch2", "ch007", "ch10")
    broken = put(tmp_path / "data" / "README.csv", "nothing")
    with pytest.raises(CorpusError) as error:
        read(tmp_path / "data")
    assert str(error.value).startswith(f"{broken}: ")
    broken.unlink()
    unknown = put(tmp_path / "data" / "notes.docx", "some words")
    with pytest.raises(CorpusError) as error:
        read(tmp_path / "data")
    assert str(error.value).startswith(f"{unknown}: no format fits")


def test_links_in_a_circle_end(tmp_path):
    put(tmp_path / "data" / "d.csv", "unit,ann\n1,1\n")
    (tmp_path / "data" / "again").symlink_to(tmp_path / "data", target_is_directory=True)
    assert read(tmp_path / "data").documents == ("d",)


def test_a_link_to_itself_is_named(tmp_path, capsys):
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    file = put(tmp_path / "e.jsonl", '{"document": "e", "coder": "ann", "masses": [2, 3]}\n')
    for command in (
        ["consensus", loop, "-o", tmp_path / "o.json"],
        ["describe", loop],
        ["score", file, loop],
    ):
        code, _, err = run(capsys, *command)
        assert (code, err.count("\n")) == (1, 1)
        assert err.startswith(f"caesura: {loop}: ")


@pytest.mark.parametrize("name", ["a\0b.csv", "a\ud800.jsonl", "a\0b", "a\0b.zip", "a\ud800.csv.gz"])
def test_names_that_no_file_can_have_are_refused(tmp_path, capsys, name):
    corpus = Corpus.from_dict({"d": {"ann": [2, 3]}})
    calls = [read, scan, lambda path: write(corpus, path, "jsonl")]
    for call in calls:
        with pytest.raises(CorpusError, match=r"holds|not a whole zip archive"):
            call(f"{tmp_path}/{name}")
    for command in (["describe", name], ["score", name, name], ["diff", name, name]):
        assert run(capsys, *command)[0] == 1


@pytest.mark.parametrize("path", [None, 7, b"d.csv", [None], ["d.csv", 7]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ParameterError, match=r"path is .*: expected the name of a file or folder"):
        read(path)


def test_pipes_are_read_but_not_in_folders(tmp_path):
    pipe = tmp_path / "data" / "d.jsonl"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    with pytest.raises(CorpusError, match="not a regular file"):
        read(pipe.parent)
    writer = threading.Thread(target=pipe.write_text, args=(FORMS["lines.jsonl"],))
    writer.start()
    assert len(read(pipe)) == 2
    writer.join()
    with pytest.raises(CorpusError, match="neither a file nor a folder"):
        read("/dev/zero")


def test_several_files_are_merged_and_conflicts_name_both(tmp_path):
    one = put(tmp_path / "a" / "d.csv", "unit,text,ann\n1,One,1\n2,Two,2\n")
    two = put(tmp_path / "b" / "d.csv", "unit,bob\n1,a\n2,a\n")
    corpus = read([one, two])
    assert masses(corpus) == {"d": {"ann": [1, 1], "bob": [2]}}
    assert corpus.units == {"d": ("One", "Two")}
    assert masses(read([tmp_path / "a", str(tmp_path / "b")])) == masses(corpus)
    for other, fault in {
        "unit,ann\n1,a\n2,a\n": f"already has a coding by ann, from {one}",
        "unit,bob\n1,a\n2,a\n3,a\n": f"coder bob has 3 units where coder ann has 2 in {one}",
        "unit,text,bob\n1,One,a\n2,Too,a\n": "its text differs",
    }.items():
        put(two, other)
        with pytest.raises(CorpusError) as error:
            read([one, two])
        assert str(error.value).startswith(f"{two}: document d")
        assert fault in str(error.value)
    with pytest.raises(CorpusError, match="read twice"):
        read([one, one])
    with pytest.raises(CorpusError, match="no file"):
        read([])
    scheme = '{"type_scheme": {"names": {"1": "%s"}}}\n{"document": "%s", "coder": "a", "masses": [2]}\n'
    paths = [put(tmp_path / f"{name}.jsonl", scheme % (name, name)) for name in "xy"]
    with pytest.raises(CorpusError, match=r"y\.jsonl: it declares other boundary types"):
        read(paths)


def test_unknown_names_and_missing_files(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'jsonl'"):
        find_format("json-l")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.csv")


def test_parquet_with_lists_for_names_is_refused_in_one_line(tmp_path):
    columns = {"document": [[1], [2]], "coder": ["ann", "ann"], "masses": [[2, 3], [5]]}
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    with pytest.raises(CorpusError, match=r"d\.parquet: row 1: the document is \[1\]: expected a name"):
        read(tmp_path / "d.parquet")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    write(SIMPLE, tmp_path / "d.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = r"^Parquet needs pyarrow: .* -m pip install .*\[formats\]'$"
    with pytest.raises(MissingExtraError, match=message):
        read(tmp_path / "d.parquet")
    with pytest.raises(MissingExtraError, match=message):
        write(SIMPLE, tmp_path / "e.parquet")


# -------------------------------------------------------------------- recognizing


def test_marks_are_not_taken_for_labels(tmp_path):
    levels = put(tmp_path / "d.csv", "unit,level1,level2\r1,0,1\r2,1,0\r3,0,1\r4,1,1\r")
    with pytest.raises(CorpusError, match=r"column 'level1' .*neither"):
        read(levels)
    chosen = read(levels, marks="labels", coders=["level1", "level2"])
    assert masses(chosen) == {"d": {"level1": [1, 1, 1, 1], "level2": [1, 1, 2]}}
    assert masses(read(put(tmp_path / "e.csv", "unit,ann\n1,0\n2,0\n3,1\n"))) == {"e": {"ann": [3]}}


def test_numbers_that_may_be_masses_are_not_taken_for_gaps(tmp_path):
    path = put(tmp_path / "d.txt", "1\n10\n11\n")
    with pytest.raises(CorpusError, match=r"no format fits.*gaps"):
        read(path)
    assert read(path, "gaps").documents == ("1", "2", "3")


def test_a_wrong_extension_does_not_hide_the_content(tmp_path):
    write(SIMPLE, tmp_path / "d.parquet")
    (tmp_path / "d.parquet").rename(tmp_path / "d.csv")
    assert read(tmp_path / "d.csv").metadata["format"] == "parquet"
    assert read(put(tmp_path / "e.txt", FORMS["d.json"])).metadata["format"] == "segeval-json"


def test_when_two_formats_fit_both_are_named(tmp_path):
    data = {"segmentation_type": [["a", "-1"]], "items": [["b", "-1"]]}
    with pytest.raises(CorpusError, match=r"more than one format fits: .*segeval-json.* or tiage"):
        read(put(tmp_path / "d.json", json.dumps(data)))


# -------------------------------------------------------------------- bad files


SEGEVAL = '{"segmentation_type": "linear", "items": %s}'
LINE = '{"document": "d", "coder": "ann", %s}\n'
BAD_FILES = {
    "empty": ("d.csv", b"", "the file is empty"),
    "only blanks": ("d.json", b" \n\r\n", "the file is empty"),
    "truncated JSON": ("d.json", FORMS["d.json"][:-9], "line 1, column .*ends too early"),
    "truncated JSON string": ("d.json", FORMS["d.json"][:50], "ends too early"),
    "truncated JSON line": ("d.jsonl", FORMS["lines.jsonl"][:-9], "line 2: not valid JSON: .*ends too early"),
    "no JSON": ("d.json", "hello", "line 1, column 1: Expecting value"),
    "two JSON values": ("d.json", "{} {}", "jsonl"),
    "JSON with a repeated key": (
        "d.json",
        SEGEVAL % '{"d": {"ann": [2], "ann": [2]}}',
        "the key 'ann' is there twice",
    ),
    "JSON line with a repeated key": ("d.jsonl", LINE % '"masses": [2], "masses": [3]', "line 1: .*'masses'"),
    "JSON with NaN": ("d.json", SEGEVAL % '{"d": {"ann": [NaN]}}', "NaN is not a JSON number"),
    "JSON nested deeply": ("d.json", "[" * 200_000 + "]" * 200_000, "nested too deeply"),
    "JSON with a giant number": ("d.json", SEGEVAL % ('{"d": {"ann": [' + "9" * 5000 + "]}}"), "digits"),
    "JSON of something else": ("d.json", '{"a": 1}', "no format fits.*segeval-json.*dialseg711.*tiage"),
    "segeval: items is a list": ("d.json", SEGEVAL % "[1]", '"items" is .1.'),
    "segeval: no items": ("d.json", SEGEVAL % "{}", '"items" is {}'),
    "segeval: masses alone": ("d.json", SEGEVAL % '{"d": [2, 3]}', "document d is .2, 3.: expected"),
    "segeval: no coder": ("d.json", SEGEVAL % '{"d": {}}', "document d: it has no annotations"),
    "segeval: masses are text": (
        "d.json",
        SEGEVAL % '{"d": {"ann": "2 3"}}',
        "document d: coder ann .*'2 3'",
    ),
    "segeval: mass 0": (
        "d.json",
        SEGEVAL % '{"d": {"ann": [2, 0]}}',
        r"document d: coder ann: masses\[1\] is 0",
    ),
    "segeval: half a mass": ("d.json", SEGEVAL % '{"d": {"ann": [2.5]}}', r"masses\[0\] is 2.5"),
    "segeval: other lengths": (
        "d.json",
        SEGEVAL % '{"d": {"ann": [2], "bob": [3]}}',
        "document d: coder bob has 3 units where coder ann has 2",
    ),
    "Latin-1": (
        "d.csv",
        "unit,Zoé\n1,1\n".encode("latin-1"),
        r"byte 7 \(0xe9\) is not UTF-8; give its encoding, e.g. encoding=\"latin-1\"",
    ),
    "half a UTF-16 letter": (
        "d.csv",
        codecs.BOM_UTF16_LE + b"u\0n\0\0\xd8",
        r"byte 6 \(0x00\) is not UTF-16-LE",
    ),
    "NUL bytes": ("d.csv", b"unit,ann\n1,\0\n", "character 11 is a NUL"),
    "UTF-16 without a mark": (
        "d.jsonl",
        "{}".encode("utf-16-le"),
        'give encoding="utf-16-le"',
    ),
    "zip": ("d.csv", b"PK\x03\x04\x00\x00\xff\xff", "spreadsheet"),
    "gzip": ("d.jsonl", b"\x1f\x8b\x08\x00", "unpack"),
    "labels: ragged row": (
        "d.csv",
        "unit,ann,bob\n1,1,1\n2,1\n",
        "line 3 has 2 cells, not 3",
    ),
    "labels: too many cells": ("d.csv", "unit,ann\n1,1,1\n", "line 2 has 3 cells.*quotes"),
    "labels: no rows": ("d.csv", "unit,ann\n", "no format fits"),
    "labels: missing label": (
        "d.csv",
        "unit,ann,bob\n1,1,1\n2,,1\n3,2,1\n",
        "line 3: coder ann: unit 2 has no label",
    ),
    "labels: nobody": ("d.csv", "unit,ann\n1,\n2,\n", "no coder has a mark or label"),
    "labels: a coder twice": ("d.csv", "unit,ann,ann\n1,1,1\n", "coder ann has two columns"),
    "labels: no name": ("d.csv", "unit,,ann\n1,1,1\n", "column 2 has no name"),
    "labels: a lost row": ("d.csv", "unit,ann\n1,1\n3,1\n", "line 3: unit is '3', not 2"),
    "labels: text": ("d.csv", f"unit,says\n1,{'so ' * 30}\n", "no coder has a mark or label"),
    "labels: an empty row": ("d.csv", "unit,ann\n1,1\n,\n2,1\n", "line 3 is empty"),
    "open quote": ("d.csv", 'unit,ann\n1,"1\n2,1\n', "line 3: .*not closed"),
    "text after a quote": ("d.csv", 'unit,ann\n1,"1"x\n', "line 2: "),
    "long: a column twice": ("d.csv", "document,coder,masses,masses\nd,a,1,1\n", "'masses' is there twice"),
    "long: no coder": ("d.csv", "document,codr,masses\nd,a,1\n", "no column 'coder'; did you mean 'codr'"),
    "long: no segmentation": ("d.csv", "document,coder\nd,a\n", "no column masses, gaps, positions"),
    "long: no rows": ("d.csv", "document,coder,masses\n", "no rows"),
    "long: a coding twice": (
        "d.csv",
        "document,coder,masses\nd,a,2\nd,a,2\n",
        "line 3: document d: coder a is there twice",
    ),
    "long: words": (
        "d.csv",
        "document,coder,masses\nd,a,two\n",
        r"line 2: document d: coder a: masses\[0\] is 'two'",
    ),
    "long: long words": (
        "d.csv",
        f"document,coder,masses\nd,a,{'x' * 100_000}\n",
        r"coder a: masses\[0\] is 'xxx",
    ),
    "long: n_units": ("d.csv", "document,coder,n_units,positions\nd,a,x,1\n", "coder a: n_units is 'x'"),
    "long: no name": ("d.csv", "document,coder,masses\n,a,2\n", "line 2: the document is missing"),
    "long: texts differ": (
        "d.csv",
        "document,coder,text,label\nd,a,x,1\nd,b,y,1\n",
        r"document d: text\[0\] differs between coders a and b",
    ),
    "name with line ends": ("d.csv", 'document,coder,masses\n"d\n\r1",a,0\n', r"document d\\n\\r1: coder a"),
    "TSV: no header": ("d.tsv", "ann\t2\t3\nbob\t5\n", "no format fits"),
    "TSV: no rows": ("d.tsv", "Coder\tMasses\n", "no rows"),
    "TSV: words": ("d.tsv", "Coder\tMasses\nann\t2\tx\n", r"line 2: coder ann: masses\[1\] is 'x'"),
    "TSV: a hole": ("d.tsv", "Coder\tMasses\nann\t2\t\t3\n", r"line 2: coder ann: masses\[1\] is ''"),
    "TSV: no masses": ("d.tsv", "Coder\tMasses\nann\n", "line 2: coder ann: masses is empty"),
    "TSV: no coder": ("d.tsv", "Coder\tMasses\n\t2\n", "line 2: the coder is missing"),
    "TSV: a coder twice": ("d.tsv", "Coder\tMasses\nann\t2\nann\t2\n", "line 3: coder ann is there twice"),
    "lines: a list": ("d.jsonl", "[1]\n", "line 1: expected an object"),
    "lines: no coder": ("d.jsonl", '{"document": "d", "masses": [1]}', "line 1: there is no 'coder'"),
    "lines: no name": ("d.jsonl", '{"document": null, "coder": "a"}', "line 1: the document is None"),
    "lines: nothing": ("d.jsonl", LINE % '"x": 1', "line 1: document d: coder ann: there is no segmentation"),
    "lines: two forms": ("d.jsonl", LINE % '"masses": [2], "gaps": "0"', "both 'masses' and 'gaps'"),
    "lines: no list": ("d.jsonl", LINE % '"masses": 2', "coder ann: masses is 2: expected a list"),
    "lines: no n_units": ("d.jsonl", LINE % '"positions": [2]', "'n_units'"),
    "lines: gaps are a number": ("d.jsonl", LINE % '"gaps": 100', "line 1: document d: coder ann: gaps"),
    "lines: types are a number": (
        "d.jsonl",
        LINE % '"positions": [1], "n_units": 2, "types": 1',
        "line 1: document d: coder ann: types",
    ),
    "lines: a coding twice": (
        "d.jsonl",
        LINE % '"masses": [2]' * 2,
        "line 2: document d: coder ann is there twice",
    ),
    "lines: units": ("d.jsonl", LINE % '"masses": [1], "units": [1]', r"units\[0\] is 1"),
    "lines: units are text": ("d.jsonl", LINE % '"masses": [1], "units": "x"', "units is 'x'"),
    "lines: too few units": ("d.jsonl", LINE % '"masses": [2], "units": ["x"]', "the text has 1 units"),
    "lines: type scheme": ("d.jsonl", '{"type_scheme": [1]}', "line 1: type_scheme is"),
    "lines: type names": ("d.jsonl", '{"type_scheme": {"names": {"x": "y"}}}', "type 'x'"),
    "lines: name of a type": ("d.jsonl", '{"type_scheme": {"names": {"1": 2}}}', "type 1 is 2"),
    "lines: only a scheme": ("d.jsonl", '{"type_scheme": {"names": {"1": "x"}}}', "no codings"),
    "lines: undeclared type": (
        "d.jsonl",
        '{"type_scheme": {"names": {"2": "x"}}}\n' + LINE % '"masses": [1, 1]',
        "coder ann: type 1 is not among the declared",
    ),
    "gaps: other letters": ("d.gaps", "010\n0x0\n", r"line 2: document 2: gaps\[1\] is 'x'"),
    "gaps: a blank line": ("d.gaps", "010\n\n010\n", "line 2 is blank"),
    "gaps: a name lost": ("d.gaps", "a\t010\n010\n", "line 2 has no name"),
    "gaps: no name": ("d.gaps", "\t010\n", "line 1: the name is ''"),
    "gaps: a name twice": ("d.gaps", "a\t010\na\t010\n", "line 2: document a is there twice"),
    "Choi: no text": ("d.ref", "==========\n==========\n", "there is no text"),
    "Choi: empty segment": ("d.ref", "a\n==========\n==========\nb\n", "line 3: there is no text between"),
    "marked: two markers": ("d.txt", "a\n=====\nb\n-----\nc\n", "line 2 is a line of =, line 4 one of -"),
    "marked: two levels": ("d.txt", "# T\na\n### b\nc\n", "line 3 is a line of ###, line 1 one of #"),
    "marked: text behind a title": ("d.txt", "[CSTART] a [CEND] b\nc\n", "line 1: text follows"),
    "marked: text between titles": (
        "d.txt",
        "[CSTART] a [CEND] b [CEND]\nc\n",
        "line 1: text follows",
    ),
    "marked: text behind a tag": (
        "d.txt",
        "[CSTART]\na\n[CSTART] b\nc\n",
        r"line 3: text follows \[CSTART\] or \[CEND\]; move it to the next line",
    ),
    "Parquet: cut off": ("d.parquet", b"PAR1\x00\x00", "not a whole Parquet file"),
    "Parquet: text": ("d.parquet", b"document,coder\n", "not a whole Parquet file"),
    "DialSeg711: sums": (
        "d.json",
        '[{"dial_id": 3, "utterances": ["a", "b"], "segments": [1, 2]}]',
        "document 3: the segments have 3 utterances in all, the dialogue 2",
    ),
    "DialSeg711: no id": (
        "d.json",
        '[{"utterances": ["a"], "segments": [1]}]',
        "dialogue 0: dial_id is None: expected a name",
    ),
    "DialSeg711: id": ("d.json", '[{"dial_id": [], "utterances": ["a"], "segments": [1]}]', "dial_id"),
    "DialSeg711: text": (
        "d.json",
        '[{"dial_id": 0, "utterances": [1], "segments": [1]}]',
        r"dialogue 0: utterances\[0\] is 1: expected text",
    ),
    "DialSeg711: segment": (
        "d.json",
        '[{"dial_id": 0, "utterances": ["a"], "segments": ["1"]}]',
        r"dialogue 0: segments\[0\] is '1'",
    ),
    "DialSeg711: no list": (
        "d.json",
        '[{"dial_id": 0, "utterances": "a", "segments": [1]}]',
        "expected a list",
    ),
    "DialSeg711: mass 0": (
        "d.json",
        '[{"dial_id": 7, "utterances": ["a"], "segments": [1, 0]}]',
        r"document 7: segments: masses\[1\] is 0",
    ),
    "DialSeg711: twice": (
        "d.json",
        json.dumps([{"dial_id": 0, "utterances": ["a"], "segments": [1]}] * 2),
        "document 0 is there twice",
    ),
    "DialSeg711: number": (
        "d.json",
        '[{"dial_id": 0, "utterances": ["a"], "segments": [1]}, 5]',
        "dialogue 1 is 5",
    ),
    "TIAGE: mark": (
        "d.json",
        '{"1": [["a", "-1"], ["b", "2"]]}',
        "document 1: the mark of utterance 1 is '2'",
    ),
    "TIAGE: first mark inside": ("d.json", '{"1": [["a", "-1"], ["b", "-1"]]}', "utterance 1 is '-1'"),
    "TIAGE: turn": ("d.json", '{"1": [["a", "-1"], ["b"]]}', "document 1: utterance 1 is"),
    "TIAGE: empty": ("d.json", '{"1": [["a", "-1"]], "2": []}', r"document 2 is \[\]"),
}


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: cli/test_reading.py
    return code, captured.out, said


def assert_refused(capsys: pytest.CaptureFixture[str], path: Path, fault: str) -> None:
    """One line that starts with the path, from ``read`` and from the command line, and no output file."""
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    message = str(error.value)
    assert_one_line(message, path)
    out = path.parent / "out.jsonl"
    code, stdout, stderr = run(capsys, "convert", path, out)
    assert code == 1
    assert stdout == ""
    assert stderr == f"caesura: {as_flags(message)}\n"
    assert len(stderr.splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_give_one_clear_line(tmp_path, capsys, case):
    name, content, fault = BAD_FILES[case]
    assert_refused(capsys, put(tmp_path / name, content), fault)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("d.gaps", ""),
        ("d.csv", "document,coder,gaps\nd,a,"),
        ("d.jsonl", '{"document": "d", "coder": "a", "gaps": "'),
    ],
)
@pytest.mark.exhaustive
def test_a_line_of_51_megabytes(tmp_path, capsys, name, start):
    path = put(tmp_path / name, start + "0" * 51_000_000)
    try:
        assert_refused(capsys, path, r"line [12] has 51,000,\d\d\d characters, more than 50,000,000")
    finally:
        path.unlink()  # pytest keeps the folders of its last runs


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("d.gaps", ""),
        ("d.txt", ""),
        ("d.csv", "document,coder,gaps\nd,a,"),
        ("e.csv", "unit,ann\n1,"),
        ("d.tsv", "Coder\tMasses\na\t"),
        ("d.jsonl", '{"document": "d", "coder": "a", "gaps": "'),
        ("d.ref", "==========\n"),
    ],
)
def test_too_long_lines_in_every_format_of_lines(tmp_path, capsys, monkeypatch, name, start):
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = put(tmp_path / name, start + "0" * 1001)
    assert_refused(capsys, path, r"line [12] has 1,0\d\d characters, more than 1,000")


def test_long_lines_are_refused_when_written(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE", 100)
    corpus = Corpus.from_dict({"d": {"d": [1] * 101}})
    for name in ("jsonl", "gaps", "long", "segeval-tsv"):
        with pytest.raises(CorpusError, match="more than 100"):
            write(corpus, tmp_path / "d.x", name)
    monkeypatch.setattr(marks_table, "MAX_ROWS", 100)
    with pytest.raises(CorpusError, match="a row each is too many"):
        write(corpus, tmp_path / "d.csv", "labels")


@pytest.mark.parametrize("names", [[], ["README.md", ".hidden", "LICENSE", "deep/.keep"]])
def test_a_folder_without_data(tmp_path, capsys, names):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in names:
        put(folder / name, "x")
    assert_refused(capsys, folder, "the folder holds no data files")


@pytest.mark.exhaustive
def test_every_format_refuses_every_other_with_one_line(tmp_path, capsys):
    """Said to be what it is not, a file never makes a traceback."""
    contents = {name: text.encode() for name, text in FORMS.items()}
    contents |= {case: c.encode() if isinstance(c, str) else c for case, (_, c, _) in BAD_FILES.items()}
    for number, content in enumerate(contents.values()):
        path = put(tmp_path / f"{number}.x", content)
        for name in FORMATS:
            code, _, stderr = run(capsys, "convert", path, tmp_path / "out.jsonl", "--from", name, "--force")
            assert code in (0, 1)
            assert code == 0 or (stderr.startswith(f"caesura: {path}: ") and stderr.count("\n") == 1)


@settings(max_examples=5 * settings.default.max_examples)
@given(
    data=st.binary(max_size=60),
    name=st.sampled_from([*FORMATS, None]),
    extension=st.sampled_from([".csv", ".x"]),
)
def test_no_bytes_at_all_make_a_traceback(tmp_path, data, name, extension):
    path = put(tmp_path / f"d{extension}", data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # notices of what could be read
        try:
            read(path, name)
        except CorpusError as error:
            refusal = str(error)
        else:
            return
    assert_one_line(refusal, path)


keys = st.sampled_from(
    [
        *(
            "items",
            "segmentation_type",
            "document",
            "coder",
            "masses",
            "gaps",
            "labels",
            "positions",
            "n_units",
        ),
        *("types", "units", "type_scheme", "names", "nominal", "dial_id", "utterances", "segments", "1", "a"),
    ]
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 4),
    st.sampled_from([10**30, 2**62, 1.5, 2.0, "linear", "0101", "", "-1", "1", "0", "1 2", "\ud800"]),
)
json_values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)
nearly_valid = st.one_of(
    json_values,
    st.fixed_dictionaries({"segmentation_type": st.just("linear"), "items": json_values}),
    st.fixed_dictionaries(
        {"document": leaves, "coder": leaves},
        optional=dict.fromkeys(
            ("masses", "gaps", "labels", "positions", "n_units", "types", "units"), json_values
        ),
    ),
    st.lists(
        st.fixed_dictionaries(dict.fromkeys(("dial_id", "utterances", "segments"), json_values)), max_size=3
    ),
    st.dictionaries(keys, st.lists(st.lists(leaves, max_size=3), max_size=3), max_size=3),
)


@pytest.mark.exhaustive
@settings(max_examples=5 * settings.default.max_examples)
@given(value=nearly_valid, name=st.sampled_from(["segeval-json", "jsonl", "dialseg711", "tiage", None]))
def test_no_json_at_all_makes_a_traceback(tmp_path, value, name):
    path = put(tmp_path / "d.json", json.dumps(value))
    try:
        corpus = read(path, name)
    except CorpusError as error:
        refusal = str(error)
    else:
        assert len(corpus) >= 1
        return
    assert_one_line(refusal, path)


# -------------------------------------------------------------------- JSON Lines at once and line by line


def result_of(function, *arguments) -> tuple[object, ...]:
    """What a reader gives, in its order, or what it says is wrong."""
    try:
        corpus = function(*arguments)
    except CorpusError as error:
        return (str(error),)
    rows = [(document, coder, coding) for document, coder, coding in corpus]
    return corpus.documents, corpus.coders, rows, dict(corpus.units), corpus.type_scheme


@pytest.mark.parametrize("number", ["--5", "5-", "-", "1" * 21, "٣", "1_0"])
def test_what_only_looks_like_a_whole_number_is_refused_in_words(tmp_path, number):
    with pytest.raises(CorpusError, match=r"masses\[.*\] is .*: expected a whole number"):
        Corpus.from_records(["document", "coder", "masses"], [["d", "ann", f"{number} 3"]])
    with pytest.raises(CorpusError, match=r"line 2: coder ann: masses\[0\] is .*: expected a whole number"):
        read(put(tmp_path / "t.tsv", f"Coder\tMasses\nann\t{number}\t3\n"), "segeval-tsv")
    reference, hypothesis = put(tmp_path / "a.txt", "2 3\n"), put(tmp_path / "b.txt", f"{number} 3\n")
    with pytest.raises(SegmentationError, match=r"b.txt: line 1: masses\[0\] is .*: expected a whole number"):
        read_pairs(reference, hypothesis, "masses")


def source_of(path: Path, content: str | bytes) -> files.Source:
    return files.Source(put(path, content), "d")


line_names = st.one_of(
    st.sampled_from(["a", "b", "2020-01-01", "1", "1.5", "", "\0", "ü", 3, -1, None, True]), names
)
line_forms = st.one_of(
    st.fixed_dictionaries({"masses": st.lists(st.integers(1, 4), min_size=1, max_size=4)}),
    st.fixed_dictionaries(
        {"positions": st.lists(st.integers(1, 6), unique=True, max_size=4).map(sorted), "n_units": st.just(7)}
    ),
    st.fixed_dictionaries(
        {"positions": st.just([1, 1, 3]), "n_units": st.just(7), "types": st.permutations([1, 2, 5])}
    ),
    st.fixed_dictionaries({"gaps": st.text("01", max_size=6)}),
    st.fixed_dictionaries({"labels": st.lists(st.sampled_from("ab"), min_size=1, max_size=4)}),
    st.dictionaries(
        st.sampled_from(["masses", "positions", "n_units", "types", "gaps", "labels"]),
        st.one_of(
            st.none(),
            st.lists(st.sampled_from([0, 1, 2, -1, 2.0, 1.5, True, None, 2**53, 2**64, "1"]), max_size=3),
            st.sampled_from([7, 7.0, "7", "010", "0x", [[1]], {}, math.nan, math.inf]),
        ),
        max_size=4,
    ),
)
extra_fields = st.dictionaries(
    st.sampled_from(["split", "score", "note", "type_scheme", "", "\ud800"]),
    st.sampled_from(["test", "2020-01-01", 1, 0.5, math.nan, None, True, [1], {"x": 1}]),
    max_size=2,
)
line_units = st.one_of(
    st.none(), st.lists(st.one_of(texts, st.just("\ud800"), st.none()), max_size=7), st.just("x")
)


@st.composite
def json_lines(draw) -> bytes:
    """Lines that are alike more often than not, and sometimes broken."""
    form = draw(line_forms)
    extra = draw(extra_fields) if draw(st.integers(0, 3)) == 0 else {}
    scheme = {"type_scheme": {"names": {"1": "x", "2": "y", "5": "z"}}}
    lines = [json.dumps(scheme)] if draw(st.integers(0, 3)) == 0 else []
    for _ in range(draw(st.integers(1, 4))):
        record = {
            "document": draw(line_names if draw(st.integers(0, 4)) == 0 else st.sampled_from("de")),
            "coder": draw(line_names if draw(st.integers(0, 4)) == 0 else st.sampled_from("abc")),
            **(draw(line_forms) if draw(st.integers(0, 2)) == 0 else form),
            **extra,
        }
        if draw(st.integers(0, 4)) == 0:
            record["units"] = draw(line_units)
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())))
    data = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", " \n", ",", ""])).join(lines)
    data += draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.integers(0, 3)) == 0:  # something is cut out, or put in
        place = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 3))
        noise = [
            "",
            " ",
            "\n",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            "\\",
            "0",
            "-",
            "null",
            "NaN",
            "\x01",
            "\0",
        ]
        data = data[:place] + draw(st.sampled_from(noise)) + data[place + cut :]
    return data.encode("utf-8", "surrogatepass")


@pytest.mark.exhaustive
@settings(max_examples=5 * settings.default.max_examples)
@given(data=json_lines())
@example(data=b'{"document": "d", "coder": "a", "gaps": "010", "labels": 7}')
@example(data=b"null")  # at which pyarrow ends the process
@example(data=b'{"document": "d", "coder": "a", "gaps": "010"}\nnull')
@example(
    data=b'{"document": "d", "coder": "a", "gaps": "010"} {"document": "e", "coder": "a", "gaps": "010"}'
)
@example(
    data=b'{"document": "d", "coder":\n"a", "gaps": "010"}{"document": "e", "coder": "a", "gaps": "010"}'
)
@example(data=b'{"document": "d", "coder": "a", "gaps": "010", "x": 1, "x": 2}')
def test_lines_read_at_once_are_what_they_are_one_by_one(tmp_path, data):
    table = jsonl.read_table(data)
    corpus = None if table is None else table.corpus()
    expected = result_of(lambda: jsonl.read_lines(source_of(tmp_path / "d.jsonl", data)).corpus)
    if corpus is not None:
        assert result_of(lambda: corpus) == expected


SCHEME = '{"type_scheme": {"names": {"1": "x", "2": "y"}, "nominal": true}}\n'
ALIKE = {
    "masses": LINE % '"masses": [2, 3]',
    "names like dates": '{"document": "2020-01-01", "coder": "1", "masses": [2]}\n',
    "numbers as names": '{"document": 7, "coder": -1, "masses": [2]}\n'
    '{"document": 8, "coder": 0, "masses": [2]}\n',
    "gaps": LINE % '"gaps": "0100"' + LINE.replace("ann", "bob") % '"gaps": "0000"',
    "a document of one unit": LINE % '"gaps": ""',
    "positions": LINE % '"n_units": 5, "positions": []'
    + LINE.replace("ann", "b") % '"n_units": 5, "positions": [1, 4]',
    "mixed": SCHEME
    + LINE % '"masses": [2, 3]'
    + LINE.replace("ann", "bob") % '"n_units": 5, "positions": [1, 1], "types": [2, 1]'
    + LINE.replace("ann", "cy") % '"n_units": 5, "positions": [4], "types": null'
    + LINE.replace("ann", "dee") % '"gaps": "1111", "masses": null',
    "text on any line, and again": LINE % '"masses": [2], "units": ["\\u00fc", "\\n\\u0000"]'
    + LINE.replace('"d"', '"e"') % '"masses": [1, 2]'
    + LINE.replace("ann", "bob") % '"masses": [1, 1], "units": ["ü", "\\n\\u0000"]'
    + LINE.replace('"d"', '"e"').replace("ann", "bob") % '"masses": [3], "units": ["", "a", ""]',
    "documents in turns": "".join(
        f'{{"document": "{document}", "coder": "{coder}", "masses": [{mass}]}}\n'
        for document, coder, mass in ["ea3", "db2", "eb3", "da2"]
    ),
    "other fields": (LINE % '"masses": [2], "split": "dev", "score": 0.5, "date": null, "ok": true'),
    "ends of lines": (LINE % '"masses": [2]' + LINE.replace("ann", "bob") % '"masses": [2]').replace(
        "\n", "\r\n"
    )
    + "\r\n\n",
}


@pytest.mark.parametrize("case", ALIKE)
def test_lines_that_are_alike_are_read_at_once(tmp_path, case):
    table = jsonl.read_table(ALIKE[case].encode())
    assert table is not None
    corpus = table.corpus()
    assert corpus is not None
    expected = result_of(lambda: jsonl.read_lines(source_of(tmp_path / "d.jsonl", ALIKE[case])).corpus)
    assert result_of(lambda: corpus) == expected


@pytest.mark.parametrize("case", [case for case, (name, *_) in BAD_FILES.items() if name.endswith(".jsonl")])
def test_what_is_wrong_is_said_alike_in_large_files(tmp_path, monkeypatch, case):
    name, content, _ = BAD_FILES[case]
    path = put(tmp_path / name, content)
    small = result_of(read, path)
    monkeypatch.setattr(jsonl, "LARGE", 0)
    assert result_of(read, path) == small


def test_lines_of_many_blocks(tmp_path, monkeypatch):
    """pyarrow reads block by block; a line may stand in two of them."""
    rng = random.Random(0)
    codings = {
        f"d{i}": {"ann": [rng.randint(1, 10**9) for _ in range(rng.randint(1, 50))]} for i in range(500)
    }
    codings["d7"]["bob"] = Segmentation.from_positions([1, 1, 2], sum(codings["d7"]["ann"]), [3, 1, 1])
    units = {"u": ["x" * rng.randint(0, 500) + "ü" for _ in range(40)]}
    corpus = Corpus.from_dict({**codings, "u": {"ann": [20, 20]}}, units=units)
    write(corpus, tmp_path / "d.jsonl")
    monkeypatch.setattr(jsonl, "BLOCK", 1)
    table = jsonl.read_table((tmp_path / "d.jsonl").read_bytes())
    assert table is not None
    assert table.table["masses"].num_chunks > 1
    assert table.corpus() == corpus


def test_large_lines_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "LARGE", 0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = put(tmp_path / "d.jsonl", FORMS["lines.jsonl"])
    assert masses(read(path)) == {"d": {"ann": [2, 3, 1], "bob": [5, 1]}}


def test_pipes_are_read_once_even_if_large(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "LARGE", 0)
    pipe = tmp_path / "d.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(LINE % '"labels": ["a", "b"]',))
    writer.start()
    assert masses(read(pipe)) == {"d": {"ann": [1, 1]}}
    writer.join()


def test_texts_are_kept_as_bytes(tmp_path):
    """A corpus holds its texts once, in one buffer, with an offset for each unit."""
    units = {f"d{i}": [f"unit {j} of {i} " * 3 for j in range(5)] for i in range(1000)}
    corpus = Corpus.from_dict({name: {"ann": [2, 3]} for name in units}, units=units)
    for name in ("d.jsonl", "d.parquet"):
        write(corpus, tmp_path / name)
        found = read(tmp_path / name)
        n_bytes = sum(len(unit) for text in units.values() for unit in text)
        assert found.texts is not None
        assert int(found.texts.strings.offsets[-1] - found.texts.strings.offsets[0]) == n_bytes
        assert found.texts.strings.offsets.nbytes == 8 * 5001
        assert dict(found.units) == {name: tuple(text) for name, text in units.items()}


# -------------------------------------------------------------------- writing whole


def test_files_appear_whole_or_not_at_all(tmp_path, monkeypatch):
    path = put(tmp_path / "d.jsonl", "old")
    monkeypatch.setattr(
        os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OSError, match="No space left") as error:
        write(SIMPLE, path)
    assert error.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    corpus = Corpus.from_dict(
        {"a": {"reference": [1]}, "b": {"reference": [1]}}, units={"a": ["fine"], "b": ["not\nfine"]}
    )
    with pytest.raises(CorpusError, match="document b: unit 1"):
        write(corpus, tmp_path / "out", "choi")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:cells that begin with")
def test_written_files_have_usual_permissions_and_links_are_followed(tmp_path):
    target = put(tmp_path / "real.jsonl", "old")
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    mask = os.umask(0o027)
    try:
        write(SIMPLE, link)
        write(SIMPLE, tmp_path / "out", "segeval-tsv")
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert_same(read(target), SIMPLE, FORMATS["jsonl"].keeps)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o750


def test_devices_are_written_to_and_stay_devices(capfd):
    write(Corpus.from_dict({"d": {"a": [2]}}), "/dev/stdout", "jsonl")
    assert json.loads(capfd.readouterr().out) == {"document": "d", "coder": "a", "masses": [2]}
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        write(SIMPLE, tmp_path / "none" / "d.jsonl")
    assert error.value.filename == str(tmp_path / "none" / "d.jsonl")
    with pytest.raises(FileNotFoundError) as error:
        write(SIMPLE, tmp_path / "none" / "out", "labels")
    assert error.value.filename == str(tmp_path / "none" / "out")


# -------------------------------------------------------------------- the command


def test_convert_says_what_it_read_and_wrote(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("ch2", "ch10"):
        put(tmp_path / "in" / f"{name}.csv", "unit,text,ann,bob\n1,a,1,1\n2,b,1,2\n")
    assert run(capsys, "convert", "in", "out.json") == (
        0,
        "",
        "in (labels): 2 documents, 2 coders, 4 codings -> out.json (segeval-json)\n"
        "not kept in segeval-json: the units' text\n",
    )
    assert masses(read("out.json")) == {chapter: {"ann": [2], "bob": [1, 1]} for chapter in ("ch2", "ch10")}
    code, _, stderr = run(capsys, "convert", "in/ch2.csv", "in/ch10.csv", "out.jsonl")
    assert (code, stderr.count("\n")) == (0, 1)
    assert stderr.startswith("2 sources (labels): ")
    assert_same(read("out.jsonl"), read("in"), FORMATS["jsonl"].keeps)
    assert run(capsys, "convert", "out.jsonl", "back", "--to", "labels")[0] == 0
    assert_same(read("back"), read("in"), FORMATS["labels"].keeps)


def test_convert_shows_how_many_files_are_read(tmp_path, capsys, monkeypatch):
    steps = []
    monkeypatch.setattr(reading, "progress_bar", lambda what: nullcontext(lambda *step: steps.append(step)))
    for name in "abc":
        put(tmp_path / "in" / f"{name}.csv", FORMS["d.csv"])
    assert run(capsys, "convert", tmp_path / "in", tmp_path / "out.jsonl")[0] == 0
    assert steps == [(0, 3), (1, 3), (2, 3)]


def test_convert_does_not_overwrite_unasked(tmp_path, capsys):
    one = put(tmp_path / "a.csv", FORMS["d.csv"])
    two = put(tmp_path / "b.csv", FORMS["d.csv"])
    code, _, stderr = run(capsys, "convert", one, two)
    assert (code, stderr) == (2, f"caesura: {two} already exists (use --force to overwrite)\n")
    assert two.read_text() == FORMS["d.csv"]
    assert run(capsys, "convert", one, two, "--force")[0] == 0
    assert read(two).metadata["format"] == "long"


def test_convert_options(tmp_path, capsys):
    text = put(tmp_path / "d.txt", "One\n#\nTwo\n")
    assert run(capsys, "convert", text, tmp_path / "out.jsonl", "--marker", "#")[0] == 0
    assert masses(read(tmp_path / "out.jsonl")) == {"d": {"reference": [1, 1]}}
    for arguments, fault in [
        (["--from", "jsonlines"], "unknown format 'jsonlines'; did you mean 'jsonl'?"),
    ]:
        code, _, stderr = run(capsys, "convert", text, tmp_path / "o.jsonl", *arguments)
        assert code == 2
        assert fault in stderr
        assert stderr.count("\n") == 1
    code, _, stderr = run(capsys, "convert", text, tmp_path / "o.x", "--from", "marked")
    assert code == 2
    assert "names no format" in stderr
    code, _, stderr = run(capsys, "convert", tmp_path / "none.csv", tmp_path / "o.jsonl")
    assert (code, stderr) == (1, f"caesura: {tmp_path / 'none.csv'}: No such file or directory\n")


def test_convert_refuses_to_lose_types(tmp_path, capsys):
    write(MANY_TYPES, tmp_path / "d.parquet")
    code, _, stderr = run(capsys, "convert", tmp_path / "d.parquet", tmp_path / "d.json")
    assert code == 1
    assert stderr.startswith(
        f"caesura: {tmp_path / 'd.json'}: document d: coder ann has boundaries of other types"
    )
    assert stderr.count("\n") == 1
    assert not (tmp_path / "d.json").exists()


def test_convert_help_lists_every_format(capsys):
    code, stdout, _ = run(capsys, "convert", "--help")
    assert code == 0
    for format in FORMATS.values():
        assert format.title in " ".join(stdout.split())  # lines fit the terminal
