"""LangChain and LlamaIndex. Source of truth: a real file, counted without caesura, and chunks by hand."""

from __future__ import annotations

import json
import time

import pytest
from tests.real_data import data_path

from caesura import Corpus, CorpusError, Units
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write

TEXT = "It rained all day. We stayed at home."


def chunk(start, end, *, text=TEXT, source="rain.txt", **metadata):
    return {
        "page_content": text[start:end],
        "metadata": {"source": source, "start_index": start, **metadata},
    }


def put(tmp_path, *chunks, name="size500.json"):
    path = tmp_path / name
    lines = [json.dumps(one) for one in chunks]
    path.write_text("\n".join(lines) if name.endswith("l") else f"[{', '.join(lines)}]", encoding="utf-8")
    return path


def node(start, end, *, text=None, source="d1", **metadata):
    return {
        "__type__": "1",
        "__data__": {
            "text": TEXT[start:end] if text is None else text,
            "start_char_idx": start,
            "end_char_idx": end,
            "metadata": metadata,
            "relationships": {"1": {"node_id": source}},
        },
    }


def put_nodes(tmp_path, *nodes, name="size500.json"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"docstore/data": {f"n{i}": one for i, one in enumerate(nodes)}}))
    return path


# -------------------------------------------------------------------- LangChain


@pytest.mark.parametrize("name", ["size500.json", "size500.jsonl"])
def test_chunks_with_white_space_between(tmp_path, name):
    corpus = read(put(tmp_path, chunk(0, 18), chunk(19, 37), name=name))
    assert corpus.metadata["format"] == "langchain"
    assert corpus.to_dict() == {"rain.txt": {"size500": [19, 18]}}
    assert corpus.spans["rain.txt"].text == TEXT


def test_the_example_of_langchain(tmp_path):
    path = tmp_path / "size500.json"
    path.write_text(FORMATS["langchain"].example)
    assert read(path).to_dict() == {"rain.txt": {"size500": [19, 18]}}


@pytest.mark.parametrize(
    ("rule", "masses"), [("start", [10, 27]), ("end", [18, 19]), ("middle", [14, 23]), ("edges", [10, 8, 19])]
)
def test_chunks_that_overlap_need_a_rule(tmp_path, rule, masses):
    path = put(tmp_path, chunk(10, 37), chunk(0, 18))  # in any order
    with pytest.raises(
        CorpusError, match=r"document rain\.txt: coder size500: .*overlap='start', 'end', 'middle'"
    ):
        read(path)
    corpus = read(path, overlap=rule)
    assert corpus.to_dict() == {"rain.txt": {"size500": masses}}
    assert corpus.spans["rain.txt"].text == TEXT


def test_other_forms_of_a_chunk(tmp_path):
    halves = [chunk(0, 18), chunk(19, 37)]
    serialized = [{"lc": 1, "type": "constructor", "kwargs": one} for one in halves]
    assert read(put(tmp_path, *serialized)).to_dict() == {"rain.txt": {"size500": [19, 18]}}
    for key in ("text", "content"):
        renamed = [{key: one["page_content"], "metadata": one["metadata"]} for one in halves]
        assert read(put(tmp_path, *renamed)).to_dict() == {"rain.txt": {"size500": [19, 18]}}


def test_names_of_documents(tmp_path):
    bare = {"page_content": TEXT, "metadata": {"start_index": 0}}
    assert read(put(tmp_path, bare)).documents == ("size500",)
    pages = [chunk(0, 37, page=0), chunk(0, 18, page=1)]
    assert read(put(tmp_path, *pages)).documents == ("rain.txt#page=0", "rain.txt#page=1")
    named = put(tmp_path, chunk(0, 37, title="Rain"))
    assert read(named, document="title").documents == ("Rain",)
    with pytest.raises(CorpusError, match=r"record 1: metadata has no 'titel'.*did you mean 'title'"):
        read(named, document="titel")


def test_two_chunkings_of_one_text(tmp_path):
    put(tmp_path, chunk(0, 18), chunk(19, 37), name="fine.json")
    put(tmp_path, chunk(0, 37), name="coarse.json")
    corpus = read([tmp_path / "fine.json", tmp_path / "coarse.json"])
    assert corpus.to_dict() == {"rain.txt": {"fine": [19, 18], "coarse": [37]}}
    # What splitters strip is a space where it is not known, and may be something else where it is.
    put(tmp_path, chunk(0, 37, text=TEXT.replace(". ", ".\n")), name="lines.json")
    assert read([tmp_path / "fine.json", tmp_path / "lines.json"]).coders == ("fine", "lines")


def test_long_text_that_is_in_no_chunk_is_unknown(tmp_path):
    text = "x" * 100
    path = put(tmp_path, chunk(0, 40, text=text), chunk(60, 100, text=text))
    with pytest.raises(CorpusError, match=r"characters 40 to 60 .* in no span: .*gaps='segment'"):
        read(path)
    corpus = read(path, gaps="segment")
    assert corpus["rain.txt", "size500"].masses == (40, 20, 40)
    assert corpus.spans["rain.txt"].text == "x" * 40 + "\ufffd" * 20 + "x" * 40


def test_a_place_beyond_memory(tmp_path):
    far = {"page_content": "end", "metadata": {"source": "rain.txt", "start_index": 10**12}}
    corpus = read(put(tmp_path, chunk(0, 37), far), gaps="join")
    assert corpus["rain.txt", "size500"].masses == (10**12, 3)
    assert corpus.spans["rain.txt"].text is None


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (
            {"page_content": "x", "metadata": {}},
            r"start_index is missing; split with add_start_index=True",
        ),
        ({"page_content": "x"}, "add_start_index=True"),
        (chunk(0, 5, start_index=-1), "start_index is -1; .*name the text with text_of="),
        (chunk(0, 5, start_index=-2), "start_index is -2: characters are counted from 0"),
        (chunk(0, 5, start_index="0"), "start_index is '0': expected a whole number"),
        (chunk(0, 5, start_index=True), "start_index is True"),
        (chunk(0, 5, start_index=1.5), "start_index is 1.5"),
        (chunk(0, 5, start_index=10**40), "no text is so long"),
        (chunk(0, 0), "its text is ''"),
        ({"page_content": 3, "metadata": {"start_index": 0}}, "its text is 3"),
        ({"page_content": "x", "metadata": 3}, "metadata is 3: expected an object"),
        ({"page_content": "x", "metadata": []}, r"record 2: metadata is \[\]: expected an object"),
        ({"pagecontent": "x"}, "there is no 'page_content'; did you mean 'pagecontent'"),
        (chunk(0, 5, source=[1]), "record 2: the source is"),
        (3, "record 2 is 3"),
    ],
)
def test_bad_chunks_are_named(tmp_path, bad, fault):
    path = put(tmp_path, chunk(0, 37), bad)
    with pytest.raises(CorpusError, match=rf"size500\.json: .*{fault}") as error:
        read(path, "langchain")
    assert len(str(error.value).splitlines()) == 1


def test_chunks_of_one_document_agree(tmp_path):
    path = put(tmp_path, chunk(0, 18), chunk(10, 37, text=TEXT.replace("day", "DAY")))
    with pytest.raises(
        CorpusError,
        match=r"document rain\.txt: record 2 has 'DAY.*' at character 14, a chunk before it 'day",
    ):
        read(path, overlap="start")


def test_chunks_are_written_and_read_back(tmp_path):
    codings = {"rain.txt": {"size500": [19, 18]}, "d/2": {"size500": [1]}}
    corpus = Corpus.from_dict(codings).with_spans(
        {"rain.txt": Units.from_text(TEXT, by="character"), "d/2": Units.from_text("ÿ", by="character")}
    )
    for name in ("size500.json", "size500.jsonl"):
        write(corpus, tmp_path / name, "langchain")
        found = read(tmp_path / name)
        assert found.metadata["format"] == "langchain"
        assert found.to_dict() == codings
        assert [found.spans[name].text for name in found.documents] == [TEXT, "ÿ"]
    assert json.loads((tmp_path / "size500.json").read_text())[1] == {
        "page_content": "We stayed at home.",
        "metadata": {"source": "rain.txt", "start_index": 19},
    }


@pytest.mark.exhaustive
def test_many_chunks_take_linear_time(tmp_path):
    n = 100_000
    text = "word " * n
    path = put(tmp_path, *[chunk(i * 5, i * 5 + 15, text=text) for i in range(n)])
    begin = time.process_time()
    corpus = read(path, overlap="start")
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["rain.txt", "size500"].n_segments == n


# -------------------------------------------------------------------- LlamaIndex


def test_a_real_store():
    path = data_path("formats", "llamaindex", "docstore_first6.json")
    with pytest.raises(CorpusError, match=r"coder docstore_first6: .*from 3459 to 7784 .*overlap='start'"):
        read(path)
    corpus = read(path, overlap="edges")
    assert corpus.metadata["format"] == "llamaindex"
    assert corpus.documents == ("paul_graham_essay.txt",)
    edges = corpus["paul_graham_essay.txt", "docstore_first6"]
    # Starts and ends of the first five chunks; the last one is cut by the end of the sixth.
    assert edges.positions[:9] == (2, 3459, 4172, 6984, 7784, 10369, 11177, 13874, 14708)
    assert edges.n_units == 21749
    starts = read(path, overlap="start")["paul_graham_essay.txt", "docstore_first6"]
    assert starts.positions == (3459, 6984, 10369, 13874, 17420)
    nodes = [one["__data__"] for one in json.loads(path.read_text())["docstore/data"].values()]
    text = corpus.spans["paul_graham_essay.txt"].text
    assert all(text[one["start_char_idx"] : one["end_char_idx"]] == one["text"] for one in nodes)


def test_the_example_of_llamaindex(tmp_path):
    path = tmp_path / "size500.json"
    path.write_text(FORMATS["llamaindex"].example)
    assert read(path).to_dict() == {"rain.txt": {"size500": [19, 18]}}


def test_nodes_in_any_order_and_documents_among_them(tmp_path):
    whole = {"__type__": "4", "__data__": {"text": TEXT, "relationships": {}}}
    corpus = read(put_nodes(tmp_path, node(19, 37), whole, node(0, 18)))
    assert corpus.to_dict() == {"d1": {"size500": [19, 18]}}


def test_names_of_sources(tmp_path):
    two = [node(0, 37, file_name="a.txt"), node(0, 37, source="d2", file_name="a.txt")]
    assert read(put_nodes(tmp_path, *two)).documents == ("d1", "d2")
    pages = [node(0, 37, file_name="a.pdf", page_label=str(i), source=f"d{i}") for i in (1, 2)]
    assert read(put_nodes(tmp_path, *pages)).documents == ("a.pdf#page=1", "a.pdf#page=2")
    assert read(put_nodes(tmp_path, node(0, 37, title="Rain")), document="title").documents == ("Rain",)


def test_stores_called_docstore_are_named_by_their_folder(tmp_path):
    put_nodes(tmp_path, node(0, 37, file_name="a.txt"), name="coarse/docstore.json")
    put_nodes(
        tmp_path, node(0, 18, file_name="a.txt"), node(19, 37, file_name="a.txt"), name="fine/docstore.json"
    )
    (tmp_path / "fine" / "index_store.json").write_text("{}")
    expected = {"a.txt": {"coarse": [37], "fine": [19, 18]}}
    assert read(tmp_path).to_dict() == expected
    assert read([tmp_path / "coarse", tmp_path / "fine"]).to_dict() == expected


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (node(None, 5, text="x"), "node 'n1': start_char_idx or end_char_idx is missing; name the text"),
        (node(0, None, text="x"), "node 'n1': start_char_idx or end_char_idx is missing; name the text"),
        (
            node(0, 5, text="xx"),
            "node 'n1': end_char_idx is 5, but the text \\(2 characters from 0 on\\) ends at 2",
        ),
        (node(-1, 5, text="xxxxxx"), "node 'n1': start_char_idx is -1"),
        (node("0", 5, text="xxxxx"), "node 'n1': start_char_idx is '0'"),
        (node(0, 5, text=3), "node 'n1': its text is 3"),
        (3, "node 'n1' is 3: expected an object with __data__"),
        ({"__data__": {"relationships": 3}}, "node 'n1': relationships is 3"),
    ],
)
def test_bad_nodes_are_named(tmp_path, bad, fault):
    with pytest.raises(CorpusError, match=fault) as error:
        read(put_nodes(tmp_path, node(0, 37), bad))
    assert len(str(error.value).splitlines()) == 1


def test_stores_without_chunks(tmp_path):
    with pytest.raises(CorpusError, match="no node has a source document"):
        read(put_nodes(tmp_path, {"__data__": {"text": TEXT}}))
    (tmp_path / "x.json").write_text('{"docstore/data": 3}')
    with pytest.raises(CorpusError, match="expected an object with 'docstore/data'"):
        read(tmp_path / "x.json")


# -------------------------------------------------------------------- nodes without a store


@pytest.mark.parametrize("name", ["size500.json", "size500.jsonl"])
def test_nodes_in_a_list_or_one_per_line(tmp_path, name):
    nodes = [node(start, end, file_name="rain.txt")["__data__"] for start, end in ((0, 18), (19, 37))]
    corpus = read(put(tmp_path, *nodes, name=name))
    assert corpus.metadata["format"] == "llamaindex"
    assert corpus.to_dict() == {"rain.txt": {"size500": [19, 18]}}
    with pytest.raises(CorpusError, match=r"(line|record) 2: end_char_idx is 40"):
        read(put(tmp_path, nodes[0], nodes[1] | {"end_char_idx": 40}, name=name))


def test_nodes_whose_data_are_text(tmp_path):
    nodes = [node(0, 18), node(19, 37)]
    packed = [one | {"__data__": json.dumps(one["__data__"])} for one in nodes]
    assert read(put_nodes(tmp_path, *packed)).to_dict() == {"d1": {"size500": [19, 18]}}


def test_chunks_that_lie_in_others_are_put_together(tmp_path):
    """A chunk may end before one that started before it does; the text is whole all the same."""
    path = put(tmp_path, chunk(0, 30), chunk(5, 12), chunk(20, 37), chunk(25, 28))
    corpus = read(path, overlap="start")
    assert corpus.spans["rain.txt"].text == TEXT
    assert corpus["rain.txt", "size500"].positions == (5, 20, 25)
    wrong = chunk(25, 28) | {"page_content": "xyz"}
    with pytest.raises(CorpusError, match=r"record 4 has 'xyz' at character 25, a chunk before it"):
        read(put(tmp_path, chunk(0, 30), chunk(5, 12), chunk(20, 37), wrong), overlap="start")
