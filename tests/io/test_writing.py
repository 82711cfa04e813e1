"""Writing. Source of truth: what was written, read again, is the same; and what other programs read in it."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import warnings
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

import caesura as cs
from caesura import Corpus, CorpusError, Hierarchy, Segmentation, Units, cli
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write

from .timed import quietly

TEXT = "It rained all day. We stayed at home."


def same(found: Corpus, expected: Corpus) -> None:
    """Equal codings, texts and places, whatever the order of documents and coders."""
    key = lambda coding: coding[:2]  # noqa: E731
    assert sorted(found, key=key) == sorted(expected, key=key)
    assert dict(found.units) == dict(expected.units)
    assert dict(found.spans) == dict(expected.spans)


def put(path: Path, corpus: Corpus, name: str) -> Path | None:
    """Write a corpus where nothing is; None where it is refused, in one line, and nothing is left behind."""
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir()
    try:
        write(corpus, f"{path}/" if name == "brat" else path, name)
    except CorpusError as error:
        fault = str(error)
    else:
        return path
    assert fault.startswith(str(path))
    assert len(fault.splitlines()) == 1
    assert list(path.parent.iterdir()) == []
    return None


# -------------------------------------------------------------------- the real files

RULES = [{}, {"turns": "changes"}, {"overlap": "edges", "gaps": "segment"}]
AGAIN = {"rttm": {"turns": "changes"}}
REFUSED = {
    "seqeval_ground_truth.txt": "bio holds one coder, not 2",
    "ukp_essays_first3.dat": "bio holds one document per file and there are 3; name a folder",
    "wnut17_dev_first60.conll": "bio holds one document per file and there are 60; name a folder",
    "pysrt_capability_tester.srt": "needs units in seconds",  # cues overlap
    "textgridconvert_captions1.srt": "needs units in seconds",
    "w3c_ids.vtt": "needs units in seconds",
    "w3c_settings-multiple.vtt": "needs units in seconds",
    "webvttpy_youtube_dl.vtt": "expected a text that webvtt reads back",
}
UNREAD = {"2025_eng.pdtb.tedm_dev_first.tok", "ES2002a.topic.xml", "default-topics.xml", "train.uem"}
UNREAD |= {"readtextgrid_hard-to-parse.TextGrid", "pyannote_train.uem"}
FOLDERS = [
    "bio", "brat", "chapters", "conllu", "dialseg711", "disrpt", "doccano", "elan", "label_studio",
    "llamaindex", "nxt", "qmsum", "rttm", "srt", "textgrid", "tiage", "tinyrec", "vtt", "webanno", "wiki727k",
]  # fmt: skip


def real_files(folder: str) -> list[Path]:
    files = sorted(data_path("formats", folder).iterdir())
    return [
        path
        for path in files
        if path.name not in UNREAD
        and "LICENSE" not in path.name
        and not path.name.endswith(".words.xml")
        and not (folder == "brat" and path.suffix == ".txt")
    ]


def read_by_any_rule(path: Path) -> Corpus:
    for rules in RULES:
        try:
            return quietly(path, **rules)
        except CorpusError as error:
            last = error
    raise last


@pytest.mark.parametrize("folder", FOLDERS)
def test_real_files_are_written_and_read_back(tmp_path, folder):
    """Real files read, written in their own format and read again without a rule."""
    files = real_files(folder)
    assert files
    for path in files:
        corpus = read_by_any_rule(path)
        format = FORMATS[corpus.metadata["format"]]
        target = tmp_path / folder / path.name
        target.parent.mkdir(exist_ok=True)
        if path.name in REFUSED:
            with pytest.raises(CorpusError, match=re.escape(REFUSED[path.name])):
                write(corpus, target, format.name)
            continue
        write(corpus.coded if format.codings == "needed" else corpus, target, format.name)
        found = quietly(target, format=format.name, **AGAIN.get(format.name, {}))
        if path.name == "neuged_test_input_multi_sentence_span.tsv":  # whose offsets were none
            found = found.with_spans({})
        same(found, corpus)


# -------------------------------------------------------------------- spans in texts

NAMES = st.sampled_from(["ann", "bob", "a b", "7", "=1+1", "ÿ", "x/y", "", "."])
TEXTS = st.one_of(
    st.text(min_size=1, max_size=12),
    st.sampled_from(["One\r\ntwo\rthree\n", "🙂 a 🙂", "\ufeffmark", "tab\there", "T1\tx 0 1\ty", TEXT]),
)


@st.composite
def texts_with_codings(draw, coders: list[str] | None) -> Corpus:
    documents = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    codings: dict[str, dict[str, Segmentation]] = {}
    units = {}
    for document in documents:
        text = draw(TEXTS)
        who = coders or draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
        places = st.sets(st.integers(1, len(text) - 1)).map(sorted) if len(text) > 1 else st.just([])
        codings[document] = {
            coder: Segmentation.from_positions(draw(places), n_units=len(text)) for coder in who
        }
        units[document] = Units.from_text(text, by="character")
    return Corpus.from_dict(codings).with_spans(units)


def test_a_document_without_a_name_keeps_its_nodes(tmp_path):
    corpus = halves().rename(coders={"ann": "file"}, documents={"rain": ""})
    same(read(put(tmp_path / "out" / "file.json", corpus, "llamaindex")), corpus)


@pytest.mark.parametrize("name", ["label-studio", "doccano", "brat", "langchain", "llamaindex", "parquet"])
@given(data=st.data())
def test_spans_in_texts_are_read_back(tmp_path, name, data):
    corpus = data.draw(texts_with_codings(["file"] if name in ("langchain", "llamaindex") else None))
    path = put(tmp_path / "out" / f"file{FORMATS[name].extensions[0]}", corpus, name)
    if path is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if name == "doccano" and len(corpus.coders) == 1:
                corpus = corpus.rename({corpus.coders[0]: "file"})
            same(read(path, name, **({"document": "id"} if name == "doccano" else {})), corpus)


def halves(**coders: list[int]) -> Corpus:
    units = {"rain": Units.from_text(TEXT, by="character")}
    return Corpus.from_dict({"rain": coders or {"ann": [19, 18]}}).with_spans(units)


def test_brat_is_two_files(tmp_path):
    (tmp_path / "ann").mkdir()
    write(halves(), tmp_path / "ann" / "rain.ann")
    assert (tmp_path / "ann" / "rain.ann").read_text() == (
        "T1\tSegment 0 19\tIt rained all day. \nT2\tSegment 19 37\tWe stayed at home.\n"
    )
    assert (tmp_path / "ann" / "rain.txt").read_text() == TEXT
    same(read(tmp_path / "ann" / "rain.ann"), halves())
    assert not_kept(halves(), FORMATS["brat"], tmp_path / "ann" / "rain.ann") == []
    assert not_kept(halves(), FORMATS["brat"], tmp_path / "eve" / "x.ann") == [
        "the document's name (it will be x)",
        "the coder's name (it will be eve)",
    ]


def test_brat_of_several_coders_is_a_folder_each(tmp_path):
    corpus = halves(ann=[19, 18], bob=[37])
    write(corpus, tmp_path / "out", "brat")
    assert sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")) == [
        "ann/rain.ann",
        "ann/rain.txt",
        "bob/rain.ann",
        "bob/rain.txt",
    ]
    same(read(tmp_path / "out"), corpus)
    with pytest.raises(CorpusError, match="brat holds one coding per file and there are 2; name a folder"):
        write(corpus, tmp_path / "x.ann")


def test_a_text_that_nobody_named_is_not_overwritten(tmp_path):
    (tmp_path / "rain.txt").write_text("my own notes")
    with pytest.raises(CorpusError, match=r"rain\.txt beside it already exists and differs"):
        write(halves(), tmp_path / "rain.ann")
    assert [path.name for path in tmp_path.iterdir()] == ["rain.txt"]
    (tmp_path / "rain.txt").write_text(TEXT)
    write(halves(), tmp_path / "rain.ann")
    assert read(tmp_path / "rain.ann").to_dict() == {"rain": {tmp_path.name: [19, 18]}}


def test_doccano_in_both_forms(tmp_path):
    write(halves(), tmp_path / "ann.jsonl", "doccano")
    assert json.loads((tmp_path / "ann.jsonl").read_text()) == {
        "id": "rain",
        "text": TEXT,
        "label": [[0, 19, "segment"], [19, 37, "segment"]],
    }
    corpus = halves(ann=[19, 18], bob=[37])
    write(corpus, tmp_path / "all.jsonl", "doccano")
    entities = json.loads((tmp_path / "all.jsonl").read_text())["entities"]
    assert entities[2] == {"id": 3, "label": "segment", "start_offset": 0, "end_offset": 37, "user": "bob"}
    same(read(tmp_path / "all.jsonl", document="id"), corpus)
    assert not_kept(halves(), FORMATS["doccano"], "x.jsonl") == [
        "the coder's name (it will be x)",
        'the documents\' names, unless read with document="id"',
    ]
    assert not_kept(read(tmp_path / "all.jsonl"), FORMATS["doccano"], "x.jsonl") == []


def test_units_that_become_others_are_told():
    words = Corpus.from_dict({"d": {"ann": [4, 4]}}).with_spans({"d": Units.from_text(TEXT, by="word")})
    for name in ("label-studio", "brat", "doccano", "langchain", "llamaindex"):
        assert "the units (they will be characters)" in not_kept(words, FORMATS[name], "x.json")
    seconds = Corpus.from_dict({"d": {"ann": [4, 4]}}).with_spans({"d": Units.every(1, end=8)})
    for name in ("textgrid", "elan", "rttm"):
        lost = not_kept(seconds, FORMATS[name], "d.x")
        assert "the units (they will be instants of 0.1 µs)" in lost
    assert "the units" not in str(not_kept(seconds, FORMATS["chapters"], "d.txt"))
    counted = Corpus.from_dict({"d": {"ann": [4, 4]}}).with_spans({"d": Units.every(1, end=8, axis="count")})
    assert not_kept(counted, FORMATS["segeval-json"], "d.json") == []


def test_what_has_no_text_is_refused(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": [2, 3]}})
    places = corpus.with_spans({"d": Units.every(1, end=5, axis="characters")})
    for name in ("brat", "doccano", "llamaindex"):
        with pytest.raises(CorpusError, match="needs units in characters"):
            write(corpus, tmp_path / "d.x", name)
        with pytest.raises(CorpusError, match="has no running text to count characters in"):
            write(places, tmp_path / "d.x", name)
    for name in ("webanno", "html", "nxt", "wikisection"):
        with pytest.raises(CorpusError, match="document d has no text"):
            write(corpus, tmp_path / "d.x", name)
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- RTTM


@st.composite
def recordings(draw) -> Corpus:
    documents = draw(
        st.lists(st.sampled_from(["talk", "a.Mix-Headset", "ÿ", ";", "two words", ""]), unique=True)
    )
    codings, units = {}, {}
    for document in documents or ["talk"]:
        start = draw(st.sampled_from([0.0, 0.0, 2.5, 1 / 3]))
        axis = Units.of_time(start + draw(st.floats(1e-6, 5000)), start=start)
        places = draw(st.sets(st.integers(1, axis.n_units - 1), max_size=6)) if axis.n_units > 1 else []
        codings[document] = {"ref": Segmentation.from_positions(sorted(places), n_units=axis.n_units)}
        units[document] = axis
    return Corpus.from_dict(codings).with_spans(units)


@given(corpus=recordings(), turns=st.sampled_from(["changes", "edges"]))
def test_turns_are_read_back_by_either_rule(tmp_path, corpus, turns):
    path = put(tmp_path / "out" / "ref.rttm", corpus, "rttm")
    if path is None:
        assert any(document.split() != [document] for document in corpus.documents)
    else:
        same(read(path, turns=turns), corpus)


def test_rttm_as_it_is_written(tmp_path):
    corpus = Corpus.from_dict({"talk": {"ref": Segmentation.from_positions([35_000_000], 95_000_000)}})
    write(corpus.with_spans({"talk": Units.of_time(9.5)}), tmp_path / "ref.rttm")
    assert (tmp_path / "ref.rttm").read_text() == (
        "SPEAKER talk 1 0.0 3.5 <NA> <NA> 1 <NA> <NA>\nSPEAKER talk 1 3.5 6.0 <NA> <NA> 2 <NA> <NA>\n"
    )
    assert (tmp_path / "ref.uem").read_text() == "talk 1 0.0 9.5\n"


# -------------------------------------------------------------------- WebAnno


@st.composite
def tokens(draw) -> Corpus:
    forms = draw(
        st.lists(st.one_of(st.text(min_size=1, max_size=4), st.sampled_from("_|[]*\\\t🙂")), min_size=1)
    )
    coders = draw(
        st.lists(
            st.sampled_from(["sentences", "ann", "bob|x", "a.b", "日本", "c d"]), min_size=1, unique=True
        )
    )
    places = st.sets(st.integers(1, len(forms) - 1)).map(sorted) if len(forms) > 1 else st.just([])
    codings = {coder: Segmentation.from_positions(draw(places), n_units=len(forms)) for coder in coders}
    corpus = Corpus.from_dict({"doc": codings}, units={"doc": forms})
    if draw(st.booleans()):
        return corpus
    between = [draw(st.sampled_from(["", " ", "\n\n", " 🙂 "])) for _ in forms]
    text, spans = "", []
    for form, gap in zip(forms, between, strict=True):
        text += gap
        spans.append((len(text), len(text) + len(form)))
        text += form
    return corpus.with_spans({"doc": Units.from_spans(spans, text=text)})


@given(corpus=tokens())
def test_webanno_is_read_back_layer_by_layer(tmp_path, corpus):
    path = put(tmp_path / "out" / "doc.tsv", corpus, "webanno")
    if path is None:
        return
    found = read(path, tiers=corpus.coders)
    assert list(found) == list(corpus)
    assert dict(found.units) == dict(corpus.units)
    if corpus.spans:
        assert found.spans["doc"].spans == corpus.spans["doc"].spans


def test_webanno_as_it_is_written(tmp_path):
    corpus = Corpus.from_dict(
        {"d": {"sentences": [3, 1], "ann": [1, 3]}}, units={"d": ["It", "rained", "🙂", "Hm"]}
    )
    write(corpus, tmp_path / "d.tsv", "webanno")
    assert (tmp_path / "d.tsv").read_text().split("\n") == [
        "#FORMAT=WebAnno TSV 3.3",
        "#T_SP=webanno.custom.ann|value",
        "",
        "",
        "#Text=It rained 🙂",
        "1-1\t0-2\tIt\t*[1]\t",
        "1-2\t3-9\trained\t*[2]\t",
        "1-3\t10-12\t🙂\t*[2]\t",
        "",
        "#Text=Hm",
        "2-1\t13-15\tHm\t*[2]\t",
        "",
    ]
    lost = "that ann are read by default (they will be layers, which tiers= names)"
    assert not_kept(corpus, FORMATS["webanno"], "d.tsv") == [lost]
    with pytest.raises(CorpusError, match="coder 'a b': this cannot be the name of a layer"):
        write(corpus.rename({"ann": "a b"}), tmp_path / "x.tsv", "webanno")


# -------------------------------------------------------------------- levels


def test_tinyrec_holds_two_levels_and_one_annotator(tmp_path):
    first = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=10)
    corpus = Corpus.from_dict({"stand-up": {"ann": first}, "talk": {"bob": Hierarchy.from_ranks({3: 1}, 4)}})
    write(corpus, tmp_path / "x.json", "tinyrec")
    written = json.loads((tmp_path / "x.json").read_text())
    assert written["stand-up"] == {
        "annotator": "ann",
        "coarse": [[0, 4, ""], [5, 9, ""]],
        "fine": [[0, 1, ""], [2, 4, ""], [5, 9, ""]],
    }
    assert list(read(tmp_path / "x.json")) == list(corpus)
    with pytest.raises(CorpusError, match="talk is coded by ann and bob; select one"):
        write(Corpus.from_dict({"talk": {"ann": [2], "bob": [2]}}), tmp_path / "y.json", "tinyrec")
    deep = Corpus.from_dict({"talk": {"ann": Hierarchy.from_ranks({1: 3}, n_units=2)}})
    with pytest.raises(CorpusError, match="has the rank 3 at position 1: tinyrec holds the levels coarse"):
        write(deep, tmp_path / "y.json", "tinyrec")


def test_topics_are_nested_and_keep_the_times_of_words(tmp_path):
    units = Units.from_spans([(0, 0.5), (0.5, 1), (2, 2.25), (3, 4)], "seconds")
    hierarchy = Hierarchy.from_ranks({1: 2, 3: 1}, n_units=4)
    corpus = Corpus.from_dict(
        {"news": {"reference": hierarchy}}, units={"news": ["It", "rained", "&", "<w>"]}
    )
    corpus = corpus.with_spans({"news": units})
    write(corpus, tmp_path / "news.topic.xml", "nxt")
    root = ElementTree.parse(tmp_path / "news.topic.xml").getroot()
    assert [len(topic.findall("topic")) for topic in root.findall("topic")] == [2, 1]
    assert [word.text for word in root.findall("w")] == ["It", "rained", "&", "<w>"]
    same(read(tmp_path / "news.topic.xml"), corpus)
    assert not_kept(corpus, FORMATS["nxt"], "news.topic.xml") == []
    deep = Corpus.from_dict({"d": {"a": Hierarchy.from_ranks({1: 101}, 2)}}, units={"d": ["a", "b"]})
    with pytest.raises(CorpusError, match="rank 101 at position 1: topics are written up to 100 deep"):
        write(deep, tmp_path / "d.xml", "nxt")


def test_pages_are_escaped_and_keep_white_space(tmp_path):
    texts = ["Tom & <b>Tim</b>", "two  spaces\n and a line", "plain"]
    corpus = Corpus.from_dict({"d": {"reference": Hierarchy.from_ranks({2: 3}, 3)}}, units={"d": texts})
    write(corpus, tmp_path / "d.html")
    assert "<p>Tom &amp; &lt;b&gt;Tim&lt;/b&gt;</p>\n<pre>two  spaces" in (tmp_path / "d.html").read_text()
    same(read(tmp_path / "d.html"), corpus)
    with pytest.raises(CorpusError, match="unit 1 is ' ': expected a text that HTML reads back; use jsonl"):
        write(Corpus.from_dict({"d": {"reference": [1]}}, units={"d": [" "]}), tmp_path / "x.html")


def test_sections_of_articles(tmp_path):
    corpus = Corpus.from_dict({"Tea": {"reference": [1, 2]}}, units={"Tea": ["A drink.", "It came.", "So."]})
    write(corpus, tmp_path / "x.json", "wikisection")
    (article,) = json.loads((tmp_path / "x.json").read_text())
    cut = [article["text"][one["begin"] :][: one["length"]] for one in article["annotations"]]
    assert cut == ["A drink.\n", "It came.\nSo."]
    assert article["title"] == "Tea"
    with pytest.raises(CorpusError, match=r"document d: unit 1 is 'a\\nb': expected one line"):
        write(Corpus.from_dict({"d": {"x": [1]}}, units={"d": ["a\nb"]}), tmp_path / "y.json", "wikisection")


# -------------------------------------------------------------------- spreadsheets


def test_openpyxl_sees_texts_and_no_formulas(tmp_path):
    corpus = Corpus.from_dict(
        {"d": {"ann": [1, 2], "=bob": [3]}, "e": {"ann": [1]}},
        units={"d": ["=1+1", "#N/A", " 5 "], "e": ["last"]},
    )
    write(corpus, tmp_path / "x.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").active
    assert [[cell.value for cell in row] for row in sheet] == [
        ["document", "unit", "text", "ann", "=bob"],
        ["d", "1", "=1+1", "a", "a"],
        ["d", "2", "#N/A", "b", "a"],
        ["d", "3", " 5 ", "b", "a"],
        ["e", "1", "last", "a", None],
    ]
    assert {cell.data_type for row in sheet for cell in row if cell.value is not None} == {"s"}
    same(read(tmp_path / "x.xlsx"), corpus)
    write(corpus, tmp_path / "y.xlsx")
    assert (tmp_path / "x.xlsx").read_bytes() == (tmp_path / "y.xlsx").read_bytes()


@pytest.mark.parametrize(
    ("coder", "text", "fault"),
    [
        ("text", "a", "coder 'text': this cannot be the name of a column"),
        ("coder", "a", "a coder has the name of a column of the long table"),
        ("ann", "x" * 40_000, "has 40,000 characters, over 32,767; use jsonl"),
        ("ann", "\x07", r"'\\x07' has a sign that no cell can hold"),
    ],
)
def test_what_no_sheet_can_hold(tmp_path, coder, text, fault):
    corpus = Corpus.from_dict({"d": {coder: [1, 1]}}, units={"d": [text, "b"]})
    with pytest.raises(CorpusError, match=fault):
        write(corpus, tmp_path / "x.xlsx")
    with pytest.raises(CorpusError, match=r"a spreadsheet is written as \.xlsx only"):
        write(corpus, tmp_path / "x.ods")
    assert list(tmp_path.iterdir()) == []


def test_without_openpyxl_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(cs.MissingExtraError, match=r"needs openpyxl: .*\[formats\]"):
        write(Corpus.from_dict({"d": {"ann": [1, 1]}}), tmp_path / "x.xlsx")


# -------------------------------------------------------------------- Parquet keeps places


@pytest.mark.parametrize("axis", ["characters", "seconds", "count"])
def test_parquet_keeps_places(tmp_path, axis):
    corpus = Corpus.from_dict({"d": {"ann": [1, 2], "bob": [3]}, "e": {"ann": [4]}})
    spans = {"d": Units.from_spans([(0, 2), (3, 4), (4, 9)], axis), "e": Units.every(1, end=4, axis=axis)}
    corpus = corpus.with_spans(spans)
    write(corpus, tmp_path / "x.parquet")
    same(read(tmp_path / "x.parquet"), corpus)
    assert not_kept(corpus, FORMATS["parquet"], "x.parquet") == []


# -------------------------------------------------------------------- packed


def packed(path: Path, folder: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return path


def test_files_beside_others_are_found_in_archives(tmp_path):
    corpus = halves(ann=[19, 18], bob=[37])
    write(corpus, tmp_path / "brat", "brat")
    same(read(packed(tmp_path / "brat.zip", tmp_path / "brat")), corpus)
    turns = Corpus.from_dict({"talk": {"ref": [10, 20]}}).with_spans({"talk": Units.every(1, 32, start=2)})
    (tmp_path / "rttm").mkdir()
    write(turns, tmp_path / "rttm" / "ref.rttm")
    found = read(packed(tmp_path / "rttm.zip", tmp_path / "rttm"), turns="changes")
    assert found.spans["talk"].offsets(found["talk", "ref"]).tolist() == [12]
    assert (found.spans["talk"].origin, found.spans["talk"].end) == (2, 32)
    both = tmp_path / "both"
    both.mkdir()
    shutil.copy(tmp_path / "brat.zip", both)
    same(read(both), corpus)  # a zip archive inside a folder


def test_one_folder_of_brat_in_an_archive_is_called_by_it(tmp_path):
    write(halves(), f"{tmp_path}/out/", "brat")
    found = read(packed(tmp_path / "eve.zip", tmp_path / "out" / "ann"))
    assert found.to_dict() == {"rain": {"eve": [19, 18]}}
    (tmp_path / "rain.ann.gz").write_bytes(gzip.compress((tmp_path / "out/ann/rain.ann").read_bytes()))
    shutil.copy(tmp_path / "out/ann/rain.txt", tmp_path)
    assert read(tmp_path / "rain.ann.gz").to_dict() == {"rain": {tmp_path.name: [19, 18]}}


def test_topics_and_words_of_a_real_meeting_in_an_archive(tmp_path):
    folder = data_path("formats", "nxt")
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.write(folder / "ES2005a.topic.xml", "topics/ES2005a.topic.xml")
        for file in folder.glob("ES2005a.*.words.xml"):
            archive.write(file, f"words/{file.name}")
    found = quietly(tmp_path / "m.zip")
    assert len(found.documents) == 1
    (_, _, coding), (_, _, expected) = *found, *quietly(folder / "ES2005a.topic.xml")
    assert coding == expected


# -------------------------------------------------------------------- on the command line


def test_convert_writes_the_coder_and_the_documents_that_are_named(tmp_path, capsys):
    units = {name: Units.from_text(TEXT, by="character") for name in ("d1", "d2")}
    corpus = Corpus.from_dict({name: {"ann": [19, 18], "bob": [37]} for name in units}).with_spans(units)
    write(corpus, tmp_path / "all.json", "spans")
    out = tmp_path / "ann.json"
    assert cli.run(["convert", str(tmp_path / "all.json"), str(out), "--to", "langchain"]) == 1
    assert "langchain holds one coder, not 2 (ann and bob); use -c NAME" in (capsys.readouterr().err)
    line = ["convert", str(tmp_path / "all.json"), str(out), "--to", "langchain", "-c", "ann", "-d", "d2"]
    assert cli.run(line) == 0
    assert read(out).to_dict() == {"d2": {"ann": [19, 18]}}
