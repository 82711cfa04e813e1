"""JSON Lines keep everything a corpus holds: places of units, running texts, documents without codings."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write
from caesura.values.making import CorpusBuilder
from caesura.values.units import AXES, Units

numbers = st.floats(0, 1e6, allow_nan=False).map(lambda value: round(value, 3))
letters = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=40)


@st.composite
def units(draw: st.DrawFn) -> Units:
    axis = draw(st.sampled_from(AXES))
    kind = draw(st.sampled_from(["spans", "grid", "text"]))
    if kind == "text":
        text = draw(letters.filter(str.strip))
        return Units.from_text(text, by=draw(st.sampled_from(["character", "word", "line"])))
    if kind == "grid":
        return Units.every(
            draw(st.sampled_from([1.0, 2.0, 5.0])), end=float(draw(st.integers(6, 60))), axis=axis
        )
    whole = axis != "seconds"
    edges = sorted(draw(st.lists(st.integers(0, 99) if whole else numbers, min_size=2, max_size=12)))
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    return Units.from_spans(pairs, axis)


@st.composite
def corpora(draw: st.DrawFn) -> cs.Corpus:
    builder = CorpusBuilder()
    for document in draw(st.lists(letters, min_size=1, max_size=4, unique=True)):
        own = draw(st.none() | units())
        n_units = draw(st.integers(1, 8)) if own is None else len(own)
        coders = draw(st.lists(st.sampled_from(["ann", "bob", "cat"]), unique=True, max_size=3))
        if own is not None:
            builder.add_units(document, own, with_texts=draw(st.booleans()))
        elif not coders or draw(st.booleans()):
            builder.add_text(document, draw(st.lists(letters, min_size=n_units, max_size=n_units)))
        for coder in coders:
            first = draw(st.integers(1, n_units))
            builder.add(document, coder, [first, n_units - first] if first < n_units else [n_units])
    return cs.Corpus.build(builder)


def assert_same(found: cs.Corpus, expected: cs.Corpus) -> None:
    assert found.documents == expected.documents
    assert found.with_metadata({}) == expected
    assert {name: own.text for name, own in found.spans.items()} == {
        name: own.text for name, own in expected.spans.items()
    }


@given(corpus=corpora())
def test_what_is_written_is_read_back(tmp_path, corpus):
    path = tmp_path / "c.jsonl"
    write(corpus, path)
    assert_same(read(path), corpus)
    assert_same(read(path, "jsonl"), corpus)


def put(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_the_keys_by_hand(tmp_path):
    text = (
        '{"document": "a", "coder": "ann", "masses": [1, 1],'
        ' "places": {"axis": "characters", "spans": [[0, 3], [4, 8]], "text": "One two"}}\n'
    ).replace("[4, 8]", "[4, 7]")
    text += '{"document": "b", "places": {"axis": "seconds", "grid": [0.0, 60.0, 0.5]}}\n'
    text += '{"document": "c", "units": ["Nobody", "has", "coded", "this"]}\n'
    corpus = read(put(tmp_path / "t.jsonl", text))
    assert corpus.documents == ("a", "b", "c")
    assert corpus.units["a"] == ("One", "two")
    assert (len(corpus.spans["b"]), corpus.spans["b"].step, corpus.n_units("c")) == (120, 0.5, 4)
    write(corpus, tmp_path / "u.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "u.jsonl").read_text().splitlines()]
    assert [sorted(line) for line in lines] == [
        ["coder", "document", "masses", "places"],
        ["document", "places"],
        ["document", "units"],
    ]


@pytest.mark.parametrize(
    ("places", "fault"),
    [
        ('{"axis": "meters", "grid": [0, 1, 1]}', "axis"),
        ('{"axis": "seconds"}', "expected an object with axis, and spans or grid"),
        ('{"axis": "seconds", "grid": [0, 1]}', r"grid is \[0, 1\]"),
        ('{"axis": "seconds", "grid": [0, 1, 0]}', "step"),
        ('{"axis": "seconds", "grid": ["a", 1, 1]}', "document d: places"),
        ('{"axis": "characters", "spans": [[0, 2], [1, 3]]}', r"spans\[1\]"),
        ('{"axis": "characters", "spans": 5}', "spans is 5"),
        ('{"axis": "characters", "spans": [[0, 2], [3, 9]], "text": "short"}', "the text has 5 characters"),
        ('{"axis": "count", "grid": [0, 2, 1], "tekst": ""}', "unknown key 'tekst'"),
        ("[1]", "expected an object"),
    ],
)
def test_faulty_places_are_one_line(tmp_path, places, fault):
    path = put(
        tmp_path / "t.jsonl", f'{{"document": "d", "coder": "a", "masses": [1, 1], "places": {places}}}\n'
    )
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: line 1: ")


def test_other_formats_say_what_they_do_not_keep(tmp_path):
    builder = CorpusBuilder()
    builder.add("d", "ann", [1, 1])
    builder.add_units("d", Units.from_spans([(0, 2), (3, 5)], "seconds"))
    builder.add_text("e", ["Nobody has coded this."])
    corpus = cs.Corpus.build(builder)
    assert not_kept(corpus, FORMATS["jsonl"], "t.jsonl") == []
    lost = not_kept(corpus, FORMATS["segeval-json"], "t.json")
    assert "the places of the units" in lost
    assert "1 document without a coding" in lost
    with pytest.raises(CorpusError, match="document e is not coded"):
        write(corpus, tmp_path / "t.json")
    write(corpus.coded, tmp_path / "t.json")
    assert read(tmp_path / "t.json").to_dict() == {"d": {"ann": [1, 1]}}
    with pytest.raises(CorpusError, match="the corpus is empty"):
        write(cs.Corpus.from_dict({}), tmp_path / "u.json")
