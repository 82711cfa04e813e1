"""Chunks: where strings stand in their text, against naive loops and what splitters say; spans and cuts."""

import json
import re
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.real_data import data_path

import caesura as cs
from caesura.values.string_search import find_in_order


def folded(text):
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text))


def is_edge(text, offset):
    """Whether a run of white space, or a letter with its marks, does not go on over this offset."""
    if offset in (0, len(text)):
        return True
    in_space = text[offset - 1].isspace() and text[offset].isspace()
    return not in_space and not unicodedata.combining(text[offset])


def naive_hits(text, string):
    """Return all spans that are equal to a string as it is, or else all that are but for white space."""
    spans = [(a, b) for a in range(len(text)) for b in range(a + 1, len(text) + 1)]
    exact = [(a, b) for a, b in spans if text[a:b] == string]
    loose = [
        (a, b)
        for a, b in spans
        if is_edge(text, a) and is_edge(text, b) and folded(text[a:b]) == folded(string)
    ]
    return exact, loose


def naive(strings, text):
    """SPEC §16: exact, then loosely; nearest to the end of the one before, after its start; the earlier."""
    start, end, spans = -1, 0, []
    for string in strings:
        for hits in naive_hits(text, string):
            after = [span for span in hits if span[0] > start]
            possible = after or [span for span in hits if span[0] == start]
            if possible:
                break
        else:
            return [*spans, None]
        start, end = min(possible, key=lambda span: (abs(span[0] - end), span[0]))
        spans.append((start, end))
    return spans


@st.composite
def text_and_parts(draw):
    text = draw(st.text(alphabet="ab \n", min_size=1, max_size=14)) + draw(
        st.sampled_from(["", "é", "e\u0301b"])
    )
    n = draw(st.integers(1, 4))
    parts = []
    for _ in range(n):
        first = draw(st.integers(0, len(text) - 1))
        part = text[first : draw(st.integers(first + 1, len(text)))]
        change = draw(st.sampled_from([str, folded, lambda part: part.replace(" ", "\n ")]))
        parts.append(change(part))
    return text, parts


@settings(max_examples=4 * settings.default.max_examples)
@given(text_and_parts())
def test_strings_are_found_as_naive_loops_find_them(case):
    text, parts = case
    assert list(find_in_order(parts, text)) == naive(parts, text)


TEXT = "One two. Three.\n\nFour five."


def test_overlaps_and_repetitions_are_found_in_order():
    repeated = "ha ha ha ha"
    assert cs.Chunks.from_strings({"d": ["ha", "ha", "ha"]}, {"d": repeated})["d"] == ((0, 2), (3, 5), (6, 8))
    assert cs.Chunks.from_strings({"d": ["ha ha", "ha ha"]}, {"d": repeated})["d"] == ((0, 5), (6, 11))
    assert cs.Chunks.from_strings({"d": ["One two.", "two. Three. Four"]}, {"d": TEXT})["d"] == (
        (0, 8),
        (4, 21),
    )


def test_composed_letters_are_found():
    text = "un cafe\u0301 noir"
    assert cs.Chunks.from_strings({"d": ["un café", " noir"]}, {"d": text})["d"] == ((0, 8), (8, 13))


@pytest.mark.parametrize(
    ("file", "text_key", "offset"),
    [
        ("langchain_400_0.jsonl", "page_content", lambda row: row["metadata"]["start_index"]),
        ("chonkie_recursive.jsonl", "text", lambda row: row["start_index"]),
        ("llamaindex.json", "text", lambda row: row["start_char_idx"]),
    ],
)
def test_strings_stand_where_their_splitters_say(file, text_key, offset):
    path = data_path("retrieval", f"state_of_the_union.{file}")
    text = data_path("retrieval", "state_of_the_union.md").read_text()
    content = path.read_text()
    rows = json.loads(content) if file.endswith(".json") else list(map(json.loads, content.splitlines()))
    chunks = cs.Chunks.from_strings({"d": [row[text_key] for row in rows]}, {"d": text})
    assert chunks.starts.tolist() == [offset(row) for row in rows]


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("a" * 10**6, ["a" * 500] * 2000),
        ("a " * 500_000, ["a  " * 200 + "a"] * 2000),
        ("word next\n" * 100_000, ["word  next " * 100] * 900),
        ("ab" * 500_000, ["ab" * 50_000, "ba" * 50_000, "ab" * 50_000] * 3),
    ],
)
def test_hostile_texts_take_linear_time(text, strings):
    before = time.process_time()
    assert None not in list(find_in_order(strings, text))
    assert time.process_time() - before < 10


def test_spans_are_put_in_order():
    chunks = cs.Chunks.from_spans({"d": [(9, 15), (0, 8)]}, {"d": TEXT})
    assert chunks["d"] == ((0, 8), (9, 15))
    assert not chunks.is_sorted
    assert len(chunks) == 2
    assert chunks.strings("d") == ("One two.", "Three.")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: cs.Chunks.from_strings({"d": ["One", "Six"]}, {"d": TEXT}),
            r"document d: chunk 1: 'Six' is not in",
        ),
        (lambda: cs.Chunks.from_strings({"d": ["One", "Six"]}, {"d": TEXT}), r"cs\.align_text"),
        (
            lambda: cs.Chunks.from_strings({"d": ["Four", "One"]}, {"d": TEXT}),
            r"at or after the start of chunk 0",
        ),
        (lambda: cs.Chunks.from_strings({"d": ["One", ""]}, {"d": TEXT}), r"document d: chunk 1: it is ''"),
        (lambda: cs.Chunks.from_strings({"d": [None]}, {"d": TEXT}), r"document d: chunk 0: it is None"),
        (lambda: cs.Chunks.from_strings({"d": "One"}, {"d": TEXT}), r"document d: its chunks are a string"),
        (lambda: cs.Chunks.from_strings({"e": ["One"]}, {"d": TEXT}), r"document e: it has no text"),
        (lambda: cs.Chunks.from_strings({"d": []}, {"d": TEXT}), r"document d: it has no chunks"),
        (lambda: cs.Chunks.from_spans({}, {"d": TEXT}), r"no chunks given"),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 99)]}, {"d": TEXT}),
            r"chunk 0: \(0, 99\) is not a span of a text of 27",
        ),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 3), (5, 5)]}, {"d": TEXT}),
            r"chunk 1: \(5, 5\) is not a span",
        ),
        (lambda: cs.Chunks.from_spans({"d": [(-1, 3)]}, {"d": TEXT}), r"chunk 0: \(-1, 3\) is not a span"),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 3), (4, "x")]}, {"d": TEXT}),
            r"chunk 1: it is \(4, 'x'\): expected",
        ),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 3), (4,)]}, {"d": TEXT}),
            r"chunk 1: it is \(4,\): expected",
        ),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 3.5)]}, {"d": TEXT}),
            r"chunk 0: it is \(0, 3\.5\): expected",
        ),
        (lambda: cs.Chunks.from_spans({"d": [(0, 3)]}, {"d": ""}), r"document d: its text is ''"),
        (lambda: cs.Chunks.from_spans({"d": [(0, 3)]}, TEXT), r"expected a corpus, or texts by document"),
        (
            lambda: cs.Chunks.from_spans({"d": [(0, 8), (20, 27)]}, {"d": TEXT}).corpus(),
            r"document d: .*gaps=",
        ),
    ],
)
def test_what_is_wrong_is_named(make, message):
    with pytest.raises(cs.CorpusError, match=message):
        make()


def test_the_texts_of_a_corpus_serve_as_well():
    units = cs.Units.from_text(TEXT, by="sentence")
    corpus = cs.Corpus.from_dict({"d": {"gold": [2, 1]}}).with_spans({"d": units})
    assert cs.Chunks.from_strings({"d": ["Three.\n\nFour"]}, corpus)["d"] == ((9, 21),)
    by_lines = cs.Corpus.from_dict({"d": {"gold": [1, 1]}}, units={"d": ["One two.", "Three."]})
    assert cs.Chunks.from_strings({"d": ["One two. Three."]}, by_lines)["d"] == ((0, 15),)


def test_cuts_are_the_boundaries_on_units_of_the_text():
    chunks = cs.Chunks.from_spans({"d": [(0, 12), (6, 27)]}, {"d": TEXT})
    assert chunks.corpus("word", overlap="middle", name="mine")["d", "mine"].masses == (2, 3)
    units = cs.Units.from_text(TEXT, by="sentence")
    with pytest.warns(UserWarning, match="moved"):
        on_units = cs.Chunks.from_spans({"d": [(0, 14), (14, 27)]}, {"d": TEXT}).corpus(units)
    assert on_units["d", "chunks"].masses == (2, 1)
    assert chunks.corpus("character", overlap="start")["d", "chunks"].positions == (6,)


@pytest.mark.parametrize("units", [5, None, [(0, 12), (12, 27)]])
def test_units_of_a_wrong_type_are_refused(units):
    chunks = cs.Chunks.from_spans({"d": [(0, 14), (14, 27)]}, {"d": TEXT})
    with pytest.raises(cs.ParameterError, match=r"units are .*: expected a corpus, units, '1s'"):
        chunks.corpus(units)


def test_arrays_hold_the_spans():
    chunks = cs.Chunks.from_spans({"a": [(0, 3)], "b": [(0, 4), (2, 5)]}, {"a": TEXT, "b": TEXT})
    assert chunks.offsets.tolist() == [0, 1, 3]
    assert isinstance(chunks.starts, np.ndarray)
