"""What we write is what other programs read; tests with srt, webvtt-py and others are beside the formats.

The tests import what is slow to load, since every worker would load it to collect this file.
"""

from __future__ import annotations

import json
import warnings
from itertools import pairwise

import pytest
from pympi.Elan import Eaf
from tests.real_data import data_path

from caesura import Corpus, Segmentation, Units
from caesura.io.writing import write

from .timed import quietly, times

TEXT = "It rained all day. We stayed at home. 🙂 The sun came out."
CUTS = [0, 19, 38, 57]


def chunks() -> Corpus:
    assert len(TEXT) == CUTS[-1]
    units = {"rain.txt": Units.from_text(TEXT, by="character")}
    coding = Segmentation.from_positions(CUTS[1:-1], n_units=len(TEXT))
    return Corpus.from_dict({"rain.txt": {"size": coding}}).with_spans(units)


def talk() -> Corpus:
    axis = Units.of_time(12.5)
    codings = {
        "ann": Segmentation.from_positions([35_000_000, 92_500_000], axis.n_units),
        "bob": Segmentation.from_positions([], axis.n_units),
    }
    return Corpus.from_dict({"talk": codings}).with_spans({"talk": axis})


@pytest.mark.parametrize("name", ["poio_turkish_firsthalf", "speach_fables", "speach_test"])
def test_the_same_times_as_pympi(name):
    path = data_path("formats", "elan", f"{name}.eaf")
    corpus = quietly(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Eaf(str(path))
    compared = 0
    for coder in corpus.coders:
        if coder not in theirs.get_tier_names() or not theirs.tiers[coder][0]:
            continue  # a name that was told apart, or a tier that refers to another
        edges = {edge / 1000 for one in theirs.get_annotation_data_for_tier(coder) for edge in one[:2]}
        axis = corpus.spans[name]
        inside = sorted(edge for edge in edges if axis.origin < edge < axis.end)
        assert times(corpus, coder) == pytest.approx(inside, abs=1e-6)
        compared += 1
    assert compared


def test_pyannote_reads_our_turns(tmp_path):
    from pyannote.database import util

    write(talk().select(coders=["ann"]), tmp_path / "ann.rttm")
    turns = util.load_rttm(str(tmp_path / "ann.rttm"))["talk"]
    found = [(turn.start, turn.end, who) for turn, _, who in turns.itertracks(yield_label=True)]
    assert found == [(0, 3.5, "1"), (3.5, 9.25, "2"), (9.25, 12.5, "1")]
    (region,) = util.load_uem(str(tmp_path / "ann.uem"))["talk"]
    assert (region.start, region.end) == (0, 12.5)


@pytest.mark.exhaustive
def test_llamaindex_loads_our_nodes(tmp_path):
    from llama_index.core.storage.docstore import SimpleDocumentStore

    write(chunks(), tmp_path / "docstore.json", "llamaindex")
    store = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    nodes = sorted(store.docs.values(), key=lambda node: node.start_char_idx)
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == list(pairwise(CUTS))
    assert "".join(node.text for node in nodes) == TEXT
    assert {node.ref_doc_id for node in nodes} == {"rain.txt"}
    assert store.get_ref_doc_info("rain.txt").node_ids == [node.node_id for node in nodes]


def test_langchain_makes_documents_of_our_chunks(tmp_path):
    from langchain_core.documents import Document

    write(chunks(), tmp_path / "size.json", "langchain")
    found = [Document(**record) for record in json.loads((tmp_path / "size.json").read_text())]
    assert [one.metadata["start_index"] for one in found] == CUTS[:-1]
    assert "".join(one.page_content for one in found) == TEXT
