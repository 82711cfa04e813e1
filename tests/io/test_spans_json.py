"""Spans JSON. Source of truth: its own documentation, and small files whose boundaries were found by hand."""

from __future__ import annotations

import json
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import Corpus, CorpusError, Segmentation, Units
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write

TEXT = "It rained all day. We stayed at home."


def put(tmp_path, *documents, axis="characters"):
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"axis": axis, "documents": documents}), encoding="utf-8")
    return path


def document(coding=None, **more):
    codings = {} if coding is None else {"codings": {"ann": coding}}
    return {"document": "d", "text": TEXT, **codings, **more}


def recording(coding, **more):
    return {"document": "d", "codings": {"ann": coding}, "end": 120.5, **more}


# -------------------------------------------------------------------- what it says


def test_the_example(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(FORMATS["spans"].example)
    corpus = read(path)
    assert corpus.metadata["format"] == "spans"
    assert corpus["rain", "ann"].masses == (19, 18)
    assert corpus["rain", "bob"].masses == (37,)
    assert corpus["talk", "ann"].positions == (400_000_000, 822_500_000)
    assert corpus["talk", "ann"].n_units == 1_205_000_000
    assert corpus.spans["talk"].axis == "seconds"


@pytest.mark.parametrize(
    ("units", "masses"),
    [
        (None, (19, 18)),
        ("character", (19, 18)),
        ("word", (4, 4)),
        ("sentence", (1, 1)),
        ([[0, 2], [3, 18], [19, 37]], (2, 1)),
    ],
)
def test_units_of_a_text(tmp_path, units, masses):
    corpus = read(put(tmp_path, document([[0, 18], [19, 37]], units=units)))
    assert corpus["d", "ann"].masses == masses
    assert corpus.spans["d"].text == TEXT


def test_units_without_a_text(tmp_path):
    bare = {"document": "d", "codings": {"ann": {"boundaries": [40]}}}
    assert read(put(tmp_path, {**bare, "end": 100}))["d", "ann"].masses == (40, 60)
    assert read(put(tmp_path, {**bare, "start": 10, "end": 100}))["d", "ann"].masses == (30, 60)
    assert read(put(tmp_path, {**bare, "end": 100, "units": 20}))["d", "ann"].masses == (2, 3)
    assert read(put(tmp_path, {**bare, "units": [[0, 40], [40, 50], [50, 60]]}))["d", "ann"].masses == (1, 2)
    assert read(put(tmp_path, {**bare, "end": 100}, axis="count"))["d", "ann"].masses == (40, 60)


def test_times(tmp_path):
    path = put(tmp_path, recording([[0, 40.25], [40.25, 120.5]], units=0.25), axis="seconds")
    assert read(path)["d", "ann"].masses == (161, 321)
    path = put(
        tmp_path,
        recording({"boundaries": [3.5]}, start=1, end=9, units=[[1, 3], [4, 9]], texts=["One", "Two"]),
        axis="seconds",
    )
    corpus = read(path)
    assert corpus["d", "ann"].masses == (1, 1)
    assert corpus.units["d"] == ("One", "Two")


def test_a_document_that_nobody_has_coded(tmp_path):
    corpus = read(put(tmp_path, document(), {**document([[0, 37]]), "document": "e"}))
    assert corpus.documents == ("d", "e")
    assert len(corpus) == 1


def test_boundaries_at_the_ends_are_none(tmp_path):
    assert read(put(tmp_path, document({"boundaries": [0, 19, 19, 37]})))["d", "ann"].masses == (19, 18)


def test_boundaries_that_move_are_told(tmp_path):
    path = put(tmp_path, document({"boundaries": [17, 21]}, units="sentence"))
    with pytest.warns(
        UserWarning, match="2 boundaries stood inside a unit and moved to its nearer end, by up to 2"
    ):
        assert read(path)["d", "ann"].masses == (1, 1)


def test_overlaps_and_gaps_need_a_rule(tmp_path):
    path = put(tmp_path, document([[0, 20], [10, 37]]))
    with pytest.raises(CorpusError, match=r"document d: coder ann: .*overlap='start'"):
        read(path)
    assert read(path, overlap="start")["d", "ann"].masses == (10, 27)
    path = put(tmp_path, document([[0, 10], [19, 37]]))
    with pytest.raises(CorpusError, match=r"document d: coder ann: .*gaps='segment'"):
        read(path)
    assert read(path, gaps="join")["d", "ann"].masses == (19, 18)


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("coding", "fault"),
    [
        ([[0, 38]], r"spans\[0\] is \(0, 38\): the document ends at 37; offsets count code points"),
        ([[0, 5], [-1, 5]], r"spans\[1\] is \(-1, 5\): the document starts at 0"),
        ([[9, 5]], r"spans\[0\] is \(9, 5\): it ends before it starts"),
        ([[0, "5"]], r"spans\[0\]\[1\] is '5': expected a number"),
        ([[True, 5]], r"spans\[0\]\[0\] is True: expected a number"),
        ([[0.5, 5]], r"spans\[0\]\[0\] is 0.5: characters are counted in whole numbers"),
        ([[0, 10**40]], r"spans\[0\]\[1\] is 1000.*: no document is so long"),
        ([[0, 5, 7]], r"spans\[0\] is \[0, 5, 7\]: expected \[start, end\]"),
        ([3], r"spans\[0\] is 3"),
        ([], "there is no span: leave the coder out"),
        (None, "it is None: expected a list of spans"),
        ({"boundary": [3]}, r"it is \{'boundary': \[3\]\}: expected a list of spans or"),
        ({"boundaries": 3}, "boundaries is 3: expected a list"),
        ({"boundaries": [3, None]}, r"boundaries\[1\] is None: expected a number"),
        ({"boundaries": [3, 38]}, r"boundaries\[1\] is 38: expected a place from 0 to 37"),
        ({"boundaries": [-1]}, r"boundaries\[0\] is -1"),
    ],
)
def test_bad_codings_name_document_coder_index_and_value(tmp_path, coding, fault):
    path = put(tmp_path, {"document": "d", "text": TEXT, "codings": {"ann": coding}})
    with pytest.raises(CorpusError, match=rf"export\.json: document d: coder ann: {fault}") as error:
        read(path)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (3, r"documents\[0\] is 3"),
        ({"codings": {}}, r'documents\[0\] has no "document"'),
        ({"document": [1]}, r"the name of documents\[0\] is"),
        ({"document": "d", "coding": {}}, "document d: 'coding' says nothing; did you mean 'codings'"),
        ({"document": "d"}, "document d: it has no text and no end"),
        ({"document": "d", "axis": "seconds"}, "document d: it has no end"),
        ({"document": "d", "axis": "meters"}, "the axis is 'meters': expected characters, seconds or count"),
        ({"document": "d", "axis": "seconds", "text": "x"}, "it has a text, but its axis is seconds"),
        ({"document": "d", "text": ""}, "text is ''"),
        ({"document": "d", "text": 3}, "text is 3"),
        ({"document": "d", "text": "xyz", "end": 4}, "end is 4: expected 3"),
        ({"document": "d", "text": "xyz", "start": 1}, "start is 1: expected 0"),
        ({"document": "d", "text": "xyz", "units": "syllable"}, "units is 'syllable'"),
        ({"document": "d", "text": "xyz", "units": 2}, "units is 2: a text is counted in characters"),
        ({"document": "d", "end": 9, "units": "word"}, "units is 'word', which needs a text"),
        ({"document": "d", "end": 9, "units": {}}, r"units is \{\}: expected null"),
        ({"document": "d", "end": 9, "units": 0}, "units is 0"),
        ({"document": "d", "end": 9, "units": 1.5}, "characters are counted in whole numbers"),
        ({"document": "d", "end": 9, "units": []}, "there are no units"),
        ({"document": "d", "units": [[0, 5], [4, 9]]}, r"spans\[1\] is \(4, 9\): it starts before"),
        ({"document": "d", "units": [[0, 5], 3]}, r"units\[1\] is 3"),
        ({"document": "d", "end": 8, "units": [[0, 9]]}, "end is 8 where the units end at 9"),
        ({"document": "d", "end": 0}, "end is 0"),
        ({"document": "d", "end": "9"}, "end is '9': expected a number"),
        ({"document": "d", "end": True}, "end is True"),
        ({"document": "d", "end": 9, "start": 10}, "end is 9"),
        ({"document": "d", "text": "xyz", "texts": ["x"]}, "both 'text' and 'texts'"),
        ({"document": "d", "end": 2, "texts": ["x"]}, "it has 2 units but 1 text"),
        ({"document": "d", "end": 1, "texts": [3]}, r"texts\[0\] is 3"),
        ({"document": "d", "end": 1, "codings": 3}, "codings is 3"),
        ({"document": "d", "end": 1, "codings": []}, r"document d: codings is \[\]: expected {coder: spans}"),
    ],
)
def test_bad_documents(tmp_path, record, fault):
    with pytest.raises(CorpusError, match=fault) as error:
        read(put(tmp_path, record), "spans")
    assert len(str(error.value).splitlines()) == 1


def test_other_faults(tmp_path):
    with pytest.raises(CorpusError, match=r"documents\[1\]: document d is there twice"):
        read(put(tmp_path, document(), document()))
    path = tmp_path / "x.json"
    for content in ("[]", "{}", '{"documents": {}}', '{"documents": []}', "3"):
        path.write_text(content)
        with pytest.raises(CorpusError, match='expected an object with a list of "documents"'):
            read(path, "spans")
    path.write_text(json.dumps({"axis": "seconds", "documents": [recording([[0, float("nan")]])]}))
    with pytest.raises(CorpusError, match="NaN is not a JSON number"):
        read(path)


# -------------------------------------------------------------------- writing

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)


@st.composite
def units_of_any_kind(draw):
    kind = draw(st.sampled_from(["characters of a text", "words", "spans", "times", "grid", "instants"]))
    if kind == "characters of a text":
        return Units.from_text(draw(TEXTS), by="character")
    if kind == "words":
        return Units.from_text(" ".join(["a", *draw(st.lists(st.sampled_from(["bb", "c"])))]), by="word")
    if kind in ("spans", "times"):
        lengths = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=9))
        scale = 1 if kind == "spans" else 0.1
        spans, end = [], 0
        for gap, length in lengths:
            spans.append(((end + gap) * scale, (end + gap + length) * scale))
            end += gap + length
        return Units.from_spans(spans, "characters" if kind == "spans" else "seconds")
    start = draw(st.floats(-1000, 1000, allow_nan=False))
    length = draw(st.floats(0.001, 5000))
    step = 1e-7 if kind == "instants" else draw(st.sampled_from([0.1, 0.5, 1, 1 / 3]))
    return Units.every(step, start + length, "seconds", start=start)


@given(data=st.data())
def test_what_is_written_is_read_back(tmp_path, data):
    units = data.draw(st.lists(units_of_any_kind(), min_size=1, max_size=3))
    codings = {}
    for number, own in enumerate(units):
        positions = st.sets(st.integers(1, len(own) - 1), max_size=8) if len(own) > 1 else st.just(set())
        codings[f"d{number}"] = {
            coder: Segmentation.from_positions(sorted(data.draw(positions)), len(own))
            for coder in ("ann", "bob")
        }
    corpus = Corpus.from_dict(codings).with_spans({f"d{i}": own for i, own in enumerate(units)})
    write(corpus, tmp_path / "out.json", "spans")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(tmp_path / "out.json")
    assert found.metadata["format"] == "spans"
    assert found.segmentations() == corpus.segmentations()
    for name, own in corpus.spans.items():
        assert found.spans[name] == own
        assert found.spans[name].text == own.text


def test_texts_of_units_and_uncoded_documents_are_kept(tmp_path):
    source = put(
        tmp_path,
        {"document": "d", "axis": "seconds", "units": [[0, 1], [2, 3]], "texts": ["One", "Two"]},
        document({"boundaries": [19]}, units="word") | {"document": "e"},
    )
    corpus = read(source)
    write(corpus, tmp_path / "out.json", "spans")
    found = read(tmp_path / "out.json")
    assert found.with_metadata({}) == corpus.with_metadata({})
    assert found.units["d"] == ("One", "Two")
    assert found.units["e"][:2] == ("It", "rained")


def test_what_cannot_be_written(tmp_path):
    beside = Units.from_spans([(0, 1), (1, 1), (1, 2)])
    corpus = Corpus.from_dict({"d": {"ann": [1, 2]}}).with_spans({"d": beside})
    with pytest.raises(CorpusError, match="document d: coder ann: a boundary beside a unit without a length"):
        write(corpus, tmp_path / "out.json", "spans")
    with pytest.raises(CorpusError, match="spans needs units in a text or in time"):
        write(Corpus.from_dict({"d": {"ann": [1, 2]}}), tmp_path / "out.json", "spans")


# -------------------------------------------------------------------- size


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["spans", "boundaries"])
def test_many_spans_take_linear_time(tmp_path, form):
    n = 100_000
    coding = [[i, i + 1] for i in range(n)] if form == "spans" else {"boundaries": list(range(n))}
    path = put(tmp_path, recording(coding, end=n), axis="seconds")
    begin = time.process_time()
    corpus = read(path)
    assert corpus["d", "ann"].n_segments == n
    write(corpus, tmp_path / "out.json", "spans")
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
