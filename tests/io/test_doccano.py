"""doccano's JSON Lines. Source of truth: facts of real files, counted without caesura, and files by hand."""

from __future__ import annotations

import hashlib
import json
import time
import warnings

import pytest
from tests.real_data import data_path

from caesura import CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS

TEXT = "It rained all day. We stayed at home."
NAME = f"It-rained-all-{hashlib.sha256(TEXT.encode()).hexdigest()[:8]}"
HALVES = [[0, 18, "topic"], [19, 37, "topic"]]


def put(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def noticed(path, **options):
    """Return a corpus and its notices, without the path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = read(path, **options)
    return corpus, [notice.removeprefix(f"{path}: ") for notice in corpus.metadata.get("notices", ())]


# -------------------------------------------------------------------- real files


def real(name):
    return data_path("formats", "doccano", name)


def sizes(corpus):
    """Return the numbers of documents, of codings and of characters."""
    return len(corpus.documents), len(corpus), sum(map(corpus.n_units, corpus.documents))


def test_users_are_coders():
    corpus = read(real("transformer_labeling.jsonl"), gaps="segment", overlap="edges")
    assert corpus.metadata["format"] == "doccano"
    assert sizes(corpus) == (2, 3, 211)
    first, second = corpus.documents
    assert list(corpus[first]) == ["1", "2"]
    assert list(corpus[second]) == ["2"]
    assert corpus.n_units(first) == 110
    for coder in ("1", "2"):  # 10 spans, 5 of them distinct
        assert corpus[first, coder].positions[:5] == (9, 14, 31, 36, 58)
        assert corpus[first, coder].n_boundaries == 10


def test_labels():
    corpus = read(real("transformer_labeling_text_label.jsonl"), gaps="segment", overlap="edges")
    assert sizes(corpus) == (2, 2, 211)
    first = corpus[corpus.documents[0], "transformer_labeling_text_label"]
    assert (first.n_units, first.n_boundaries, first.positions[:5]) == (110, 10, (9, 14, 31, 36, 58))


def test_entities_and_texts_without_any():
    corpus, notices = noticed(real("uie_entities.jsonl"))  # what is coded is tiled completely
    assert sizes(corpus) == (100, 13, 2783)
    assert corpus[corpus.documents[0], "uie_entities"].masses == (2, 11, 14)
    assert notices == ["87 codings have no span: not coded"]


def test_overlaps():
    path = real("entomosci_sample.jsonl")
    corpus, notices = noticed(path, gaps="segment", overlap="edges")
    assert sizes(corpus) == (49, 42, 6592)
    first = corpus[corpus.documents[0], "entomosci_sample"]
    assert (first.n_units, first.positions) == (216, (76, 99, 211))
    assert notices == ["7 codings have no span: not coded"]
    with pytest.raises(
        CorpusError, match=r"line \d+: document .*overlap='start', 'end', 'middle' or 'edges'"
    ):
        read(path, gaps="segment")


def test_two_coders_whose_ids_differ_are_matched_by_text():
    paths = [real("reviews_coder1.jsonl"), real("reviews_coder2.jsonl")]
    corpus = read(paths, gaps="segment", overlap="edges")
    assert sizes(corpus) == (2, 4, 11735)
    assert corpus.coders == ("reviews_coder1", "reviews_coder2")
    first = corpus.documents[0]
    assert first.startswith("Anthony-Bourdain-entered-")
    assert corpus.n_units(first) == 5753
    assert corpus[first, "reviews_coder1"].positions[:5] == (129, 133, 397, 404, 1143)
    assert corpus[first, "reviews_coder2"].positions[:5] == (129, 133, 397, 404, 1773)
    assert [corpus[first, coder].n_boundaries for coder in corpus.coders] == [28, 22]
    by_id = read(paths, gaps="segment", overlap="edges", document="id")
    assert set(by_id.documents) == {"95", "96", "101", "102"}


# -------------------------------------------------------------------- names and coders


def test_the_example(tmp_path):
    path = tmp_path / "ann.jsonl"
    path.write_text(FORMATS["doccano"].example)
    corpus = read(path)
    assert corpus[NAME, "ann"].masses == (19, 18)
    assert corpus.spans[NAME].text == TEXT


def test_order_and_ids_do_not_matter(tmp_path):
    other = {"text": "The sun came out.", "label": [[0, 17, "x"]]}
    put(tmp_path / "ann.jsonl", {"id": 1, "text": TEXT, "label": HALVES}, {"id": 2, **other})
    put(tmp_path / "bob.jsonl", {"id": 1, **other}, {"id": 2, "text": TEXT, "label": [[0, 37, "x"]]})
    corpus = read([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"])
    assert corpus.to_dict()[NAME] == {"ann": [19, 18], "bob": [37]}
    assert len(corpus.documents) == 2
    assert read(tmp_path).to_dict() == corpus.to_dict()


def test_a_text_that_is_there_again_is_another_document(tmp_path):
    path = put(tmp_path / "ann.jsonl", *[{"id": i, "text": TEXT, "label": HALVES} for i in range(3)])
    assert read(path).documents == (NAME, f"{NAME}-2", f"{NAME}-3")
    assert read(path, document="id").documents == ("0", "1", "2")


def test_a_text_without_words_is_called_by_its_digest(tmp_path):
    path = put(tmp_path / "ann.jsonl", {"text": "?!", "label": [[0, 2, "x"]]})
    assert read(path).documents == (hashlib.sha256(b"?!").hexdigest()[:8],)


def test_a_list_of_records(tmp_path):
    path = tmp_path / "ann.json"
    path.write_text(json.dumps([{"id": 1, "text": TEXT, "labels": HALVES}]))
    assert read(path).to_dict() == {NAME: {"ann": [19, 18]}}


def test_labels_are_chosen_by_tiers(tmp_path):
    path = put(tmp_path / "ann.jsonl", {"text": TEXT, "label": [*HALVES, [3, 9, "verb"]]})
    assert read(path, tiers=["topic"]).to_dict() == {NAME: {"ann": [19, 18]}}


def test_relations_are_told(tmp_path):
    record = {"text": TEXT, "entities": [{"start_offset": 0, "end_offset": 37}], "relations": [{}, {}]}
    assert noticed(put(tmp_path / "ann.jsonl", record))[1] == ["2 relations between spans left out"]


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (
            {"text": TEXT, "label": [[0, 38, "x"]]},
            r"label\[0\]: it ends at 38 and the text at 37; offsets count",
        ),
        ({"text": TEXT, "label": [[0, 5, "x"], [-3, 5, "x"]]}, r"label\[1\]: start is -3"),
        ({"text": TEXT, "labels": [[9, 5, "x"]]}, r"labels\[0\]: it ends at 5, before it starts at 9"),
        ({"text": TEXT, "label": [["0", 5, "x"]]}, r"label\[0\]: start is '0': expected a whole number"),
        ({"text": TEXT, "label": [[False, 5, "x"]]}, r"label\[0\]: start is False"),
        ({"text": TEXT, "label": ["sports"]}, r"label is \['sports'\]: labels of whole texts"),
        ({"text": TEXT, "label": 3}, "label is 3: expected a list of spans"),
        ({"text": TEXT, "label": ""}, "label is '': expected a list of spans"),
        ({"text": TEXT, "entities": [{"start_offset": 0}]}, r"entities\[0\]: it is"),
        (
            {"text": TEXT, "annotations": [{"start_offset": 0, "end_offset": 5, "user": [1]}]},
            r"annotations\[0\]: the user is",
        ),
        ({"text": "", "label": []}, "the text is empty"),
        ({"text": 3, "label": []}, "the text is 3"),
        ({"label": []}, "there is no 'text'"),
        ({"text": TEXT}, "there are no spans; expected one of label, labels, entities, annotations"),
        ([TEXT], "expected an object"),
    ],
)
def test_bad_records_name_line_span_and_value(tmp_path, record, fault):
    good = {"text": TEXT, "label": HALVES}
    path = put(tmp_path / "ann.jsonl", good, record)
    with pytest.raises(CorpusError, match=rf"ann\.jsonl: line 2.*{fault}") as error:
        read(path)
    assert len(str(error.value).splitlines()) == 1


def test_other_faults(tmp_path):
    path = put(tmp_path / "ann.jsonl", {"id": 1, "text": TEXT, "label": HALVES})
    with pytest.raises(CorpusError, match=r"line 1: there is no 'name' to name the document"):
        read(path, document="name")
    path = put(tmp_path / "ann.jsonl", *[{"id": 1, "text": TEXT, "label": HALVES}] * 2)
    with pytest.raises(CorpusError, match=r"line 2: document 1 is there twice"):
        read(path, document="id")


@pytest.mark.parametrize("key", ["label", "labels"])
def test_an_export_of_classified_texts_is_refused_as_what_it_is(tmp_path, key):
    path = put(tmp_path / "all.jsonl", {"id": 1, "text": TEXT, key: ["weather", "home"]})
    fault = (
        f"line 1: {key} is ['weather', 'home']: labels of whole texts, not of spans; export a "
        "project that labels spans (sequence labeling)"
    )
    with pytest.raises(CorpusError) as error:
        read(path)
    assert str(error.value) == f"{path}: {fault}"


# -------------------------------------------------------------------- size


@pytest.mark.exhaustive
def test_many_spans_take_linear_time(tmp_path):
    label = [[i * 5, (i + 1) * 5, "x"] for i in range(100_000)]
    path = put(tmp_path / "ann.jsonl", {"text": "word " * 100_000, "label": label})
    begin = time.process_time()
    corpus = read(path)
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus[corpus.documents[0], "ann"].n_segments == 100_000


@pytest.mark.exhaustive
def test_many_texts_take_linear_time(tmp_path):
    path = put(tmp_path / "ann.jsonl", *[{"text": "It rained.", "label": [[0, 10, "x"]]}] * 10_000)
    begin = time.process_time()
    assert len(read(path)) == 10_000
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
