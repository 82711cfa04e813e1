"""read_chunks: what splitters write, as spans of texts; the real files of five tools, and hostile ones."""

import json

import pytest
from tests.real_data import data_path

import caesura as cs

TEXT = "It rained all day.\n\nWe stayed at home. It rained."
TEXTS = {"rain": TEXT}
BOTH = {"rain": TEXT, "sun": "The sun shone all day."}


def written(folder, content, name="mine.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def langchain(text, start, **metadata):
    return {
        "page_content": text,
        "metadata": {**({} if start is None else {"start_index": start}), **metadata},
    }


def chonkie(text, start):
    return {"text": text, "start_index": start, "end_index": start + len(text)}


def node(text, start, origin="0b1", **metadata):
    end = None if start is None else start + len(text)
    return {"text": text, "start_char_idx": start, "end_char_idx": end, "metadata": metadata,
            "relationships": {"1": {"node_id": origin}}}  # fmt: skip


FIRST, SECOND = "It rained all day.", "We stayed at home. It rained."
SPANS = ((0, 18), (20, 49))


@pytest.mark.parametrize(
    "content",
    [
        [FIRST, SECOND],
        [[0, 18], [20, 49]],
        {"document": "rain", "chunks": [FIRST, SECOND]},
        {"chunks": [FIRST, SECOND]},
        [{"document": "rain", "chunks": [[0, 18], [20, 49]]}],
        {"rain": [FIRST, SECOND]},
        {"rain": [[0, 18], [20, 49]]},
        [langchain(FIRST, 0), langchain(SECOND, 20)],
        [langchain(FIRST, None), langchain(SECOND, None)],
        [langchain(FIRST, 0, source="files/rain.md"), langchain(SECOND, -1, source="files/rain.md")],
        [{"kwargs": langchain(FIRST, 0)}, {"kwargs": langchain(SECOND, 20)}],
        [node(FIRST, 0), node(SECOND, 20)],
        [node(FIRST, None, file_name="rain.txt"), node(SECOND, None, file_name="rain.txt")],
        [chonkie(FIRST, 0), chonkie(SECOND, 20)],
        [
            {"type": "Title", "text": FIRST, "metadata": {"filename": "rain.pdf"}},
            {"type": "Title", "text": "We stayed at home.", "metadata": {}},
            {"type": "Text", "text": " ", "metadata": {}},
            {"type": "NarrativeText", "text": "It rained.", "metadata": {}},
        ],
        {"axis": "characters", "documents": [
            {"document": "rain", "text": TEXT, "codings": {"a": [[0, 20], [20, 49]]}}]},
    ],
)  # fmt: skip
def test_every_shape_gives_the_same_chunks(tmp_path, content):
    chunks = cs.read_chunks(written(tmp_path, content), TEXTS)
    spans = chunks["rain"]
    assert [text.strip() for text in chunks.strings("rain")] == [FIRST, SECOND]
    assert spans[1] == SPANS[1]


def test_lines_of_several_documents(tmp_path):
    lines = [
        {"document": "rain", "chunks": [FIRST]},
        {"document": "sun", "chunks": ["The sun shone all day."]},
    ]
    path = written(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "mine.jsonl")
    chunks = cs.read_chunks(path, BOTH)
    assert (chunks["rain"], chunks["sun"]) == (((0, 18),), ((0, 22),))


@pytest.mark.parametrize(("entry", "field"), [("file_name", None), ("url", "url")])
def test_nodes_without_a_source_are_of_the_document_that_their_metadata_name(tmp_path, entry, field):
    names = ["rain", "sun"] if field else ["rain.txt", "files/sun.md"]
    nodes = [node(BOTH[own][:8], 0, **{entry: name}) for own, name in zip(BOTH, names, strict=True)]
    for each in nodes:
        del each["relationships"]
    path = written(tmp_path, nodes)
    chunks = cs.read_chunks(path, BOTH, document=field)
    assert (chunks["rain"], chunks["sun"]) == (((0, 8),), ((0, 8),))
    assert cs.read(path, document=field).documents == tuple(names)


def test_a_folder_of_files_called_like_their_texts(tmp_path):
    written(tmp_path, ["The sun"], "sun.json")
    written(tmp_path, [FIRST], "rain.json")
    chunks = cs.read_chunks(tmp_path, BOTH)
    assert (chunks.documents, chunks["sun"]) == (("rain", "sun"), ((0, 7),))


def test_chunks_that_unstructured_has_made_are_chunks(tmp_path):
    elements = [{"type": "CompositeElement", "text": text, "metadata": {}} for text in (FIRST, SECOND)]
    assert cs.read_chunks(written(tmp_path, elements), TEXTS)["rain"] == SPANS


@pytest.mark.parametrize("file", ["langchain_400_0.jsonl", "chonkie_recursive.jsonl", "strings_800_200.json",
                                  "llamaindex.json", "rust.json"])  # fmt: skip
def test_the_files_of_real_tools(file):
    text = data_path("retrieval", "state_of_the_union.md").read_text()
    known = json.loads(data_path("retrieval", "values.json").read_text())[file]
    path = data_path("retrieval", f"state_of_the_union.{file}")
    chunks = cs.read_chunks(path, {"state_of_the_union": text})
    assert len(chunks) == known["n_chunks"]
    if file == "rust.json":
        assert list(chunks.strings("state_of_the_union")) == json.loads(path.read_text())["chunks"]


@pytest.mark.parametrize(
    ("content", "texts", "message"),
    [
        ([FIRST, "It snowed."], TEXTS, "mine.json: document rain: chunk 1: 'It snowed.' is not in the text"),
        ([FIRST], BOTH, "mine.json: the file does not name its document among 2 texts"),
        ({"document": "snow", "chunks": [FIRST]}, BOTH, "there is no text of document 'snow'"),
        ({"document": "snow", "chunks": [FIRST]}, TEXTS, "there is no text of document 'snow'"),
        ({"document": "rain", "chunks": FIRST}, TEXTS, "expected a list of strings"),
        ({"document": "rain", "chunks": [FIRST, 3]}, TEXTS, "document rain: chunk 1 is 3: expected a string"),
        ({"document": "rain", "chunks": []}, TEXTS, "no chunks given"),
        ([[0, 18], [20, 99]], TEXTS, r"chunk 1: \(20, 99\) is not a span of a text of 49"),
        ([[0, 18], [20, -4]], TEXTS, "chunk 1: end is -4: characters are counted from 0"),
        ([[0, 18], [20, 21.5]], TEXTS, "chunk 1: end is 21.5: expected a whole number"),
        ([langchain(FIRST, 0), langchain(SECOND, 19)], TEXTS, "record 2: from character 19 on the text has"),
        ([langchain(FIRST, "0")], TEXTS, "record 1: start_index is '0': expected a whole number"),
        ([{"text": FIRST, "start_index": 0, "end_index": 17}], TEXTS, "end_index is 17, but the text"),
        ([{"type": "Title", "metadata": {}, "text": None}], TEXTS, "record 1"),
        ("[", TEXTS, "mine.json"),
        ({}, TEXTS, "mine.json"),
        ([], TEXTS, r"mine.json: expected chunks, a list of strings or of \[start, end\], not \[\]"),
        ([FIRST, [20, 49]], TEXTS, "chunk 1 is a span among strings; use only strings or only spans"),
        ([None, FIRST], TEXTS, "mine.json"),
        ({"a": {"b": 3}}, TEXTS, "mine.json"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(tmp_path, content, texts, message):
    with pytest.raises(cs.CorpusError, match=message) as caught:
        cs.read_chunks(written(tmp_path, content), texts)
    assert "\n" not in str(caught.value)


def test_offsets_in_a_text_of_crlf_lines_are_refused_with_the_cure(tmp_path):
    """Python's text mode, in which splitters read, makes one character of CR and LF."""
    (tmp_path / "rain.txt").write_bytes(b"It rained.\r\nWe stayed.\r\n")
    text = (tmp_path / "rain.txt").read_text()
    chunks = [langchain(text[:10], 0), langchain(text[11:21], 11)]
    with pytest.raises(cs.CorpusError, match=r"CRLF line ends, .* convert them to LF"):
        cs.read_chunks(written(tmp_path, chunks), {"rain": (tmp_path / "rain.txt").read_bytes().decode()})


def test_strings_are_a_corpus_with_their_text_beside_them(tmp_path):
    path = written(tmp_path, [FIRST, SECOND], "rain.json")
    with pytest.raises(cs.CorpusError, match=r"the text rain\.txt is missing beside it.* cs\.read_chunks"):
        cs.read(path)
    (tmp_path / "rain.txt").write_text(TEXT, encoding="utf-8")
    assert cs.read(tmp_path)["rain", "rain"].positions == (20,)


def test_titles_start_segments_of_elements(tmp_path):
    elements = [{"type": kind, "text": kind, "metadata": {"filename": "rain.pdf"}}
                for kind in ("Header", "Title", "Text", "Title", "Title", "Text")]  # fmt: skip
    assert cs.read(written(tmp_path, elements))["rain", "mine"].masses == (1, 2, 3)
