"""QMSum's JSON. Source of truth: the facts counted for the real files, and files by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write


def put(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def meeting(n_turns: int, *topics: list[list[object]]) -> dict[str, object]:
    return {
        "topic_list": [{"topic": "t", "relevant_text_span": spans} for spans in topics],
        "meeting_transcripts": [{"speaker": "A", "content": f"turn {i}"} for i in range(n_turns)],
    }


def masses(path: Path, **rules: str) -> list[int]:
    ((_, _, coding),) = read(path, **rules)
    return list(coding.masses)


def test_topics_that_tile_need_no_rule():
    path = data_path("formats", "qmsum", "Bro008.json")
    corpus = read(path)
    assert corpus.metadata["format"] == "qmsum"
    assert corpus.to_dict() == {"Bro008": {"reference": [77, 90, 78]}}
    assert corpus.units["Bro008"][1].startswith("PhD A: I I 'm sorry ?")


def test_turns_in_no_topic_need_a_rule():
    path = data_path("formats", "qmsum", "ES2005a.json")
    with pytest.raises(
        CorpusError,
        match=r"0 to 10 are in no span: gaps='segment'.*gaps='join'",
    ):
        read(path)
    assert masses(path, gaps="segment") == [10, 21, 4, 33, 37]
    assert masses(path, gaps="join") == [31, 4, 33, 37]


def test_turns_in_two_topics_need_another():
    """138 turns, topics 2–73, 74–93, 93–123, 123–133: 93 and 123 are in two, 0, 1 and 134–137 in none."""
    path = data_path("formats", "qmsum", "ES2013a.json")
    with pytest.raises(CorpusError, match="overlaps an earlier one"):
        read(path, gaps="segment")
    assert masses(path, gaps="segment", overlap="start") == [2, 72, 19, 30, 11, 4]
    assert masses(path, gaps="segment", overlap="end") == [2, 72, 20, 30, 10, 4]
    assert masses(path, gaps="join", overlap="start") == [74, 19, 30, 15]
    assert masses(path, gaps="segment", overlap="edges") == [2, 72, 19, 1, 29, 1, 10, 4]


def test_the_example_is_read(tmp_path):
    corpus = read(put(tmp_path / "x.json", FORMATS["qmsum"].example))
    assert corpus.to_dict() == {"x": {"reference": [2, 3]}}
    assert corpus.units["x"][3] == "Bob: To the museum ."


def test_topics_of_several_spans_in_any_order(tmp_path):
    path = put(tmp_path / "d.json", meeting(6, [["4", "5"], ["0", "1"]], [[2, 3]]))
    assert masses(path) == [2, 2, 2]


@pytest.mark.parametrize("topics", [[], [[]]])
def test_a_meeting_without_topics_is_not_coded(tmp_path, topics):
    path = put(tmp_path / "d.json", meeting(2, *topics))
    with pytest.warns(UserWarning, match="document d: topic_list has no spans: this meeting is not coded"):
        corpus = read(path)
    assert len(corpus) == 0
    assert corpus.units["d"] == ("A: turn 0", "A: turn 1")


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (meeting(3, [["0", "3"]]), r"topic_list\[0\]: relevant_text_span has '3': .* from 0 to 2"),
        (meeting(3, [["2", "1"]]), "ends in turn 1, before it starts in turn 2"),
        (meeting(3, [["0"]]), "expected first and last turn"),
        (meeting(3, [["a", "1"]]), "has 'a': expected a turn from 0 to 2"),
        (meeting(3, [[-1, 1]]), "has -1: expected a turn from 0 to 2"),
        (meeting(3, [[True, 1]]), "has True"),
        (meeting(3, [["9" * 400, "1"]]), "expected a turn from 0 to 2"),
        (meeting(3, [[0.5, 1]]), "has 0.5"),
        ({"meeting_transcripts": [{"speaker": "A", "content": "x"}]}, "topic_list is None: expected a list"),
        ({"meeting_transcripts": [], "topic_list": []}, "expected an object with a list meeting_transcripts"),
        ({"meeting_transcripts": ["x"], "topic_list": []}, r"meeting_transcripts\[0\] is 'x': expected"),
        ({"meeting_transcripts": [{"speaker": 1}], "topic_list": []}, r"\[0\]: speaker is 1: expected text"),
        ({**meeting(1), "topic_list": [3]}, r"topic_list\[0\] is 3: expected an object"),
        ({**meeting(1), "topic_list": [{}]}, r"relevant_text_span is None: expected a list of pairs"),
        (FORMATS["qmsum"].example[:-30], "ends too early"),
        ('{"meeting_transcripts": "\0"}', "NUL"),
    ],
)  # fmt: skip
def test_faults_name_the_place(tmp_path, value, fault):
    path = put(tmp_path / "d.json", value)
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert ": : " not in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    path = put(tmp_path / "d.json", meeting(40_000, *([[i, i]] for i in range(40_000))))
    assert masses(path) == [1] * 40_000
    path = put(tmp_path / "e.json", meeting(1000, *([[0, 999]] for i in range(50_000))))
    assert masses(path) == [1000]
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


def test_real_files_are_written_and_read_back(tmp_path):
    corpus = read(data_path("formats", "qmsum", "Bro008.json"))
    write(corpus, tmp_path / "Bro008.json", "qmsum")
    found = read(tmp_path / "Bro008.json")
    assert found.metadata["format"] == "qmsum"
    assert found.to_dict() == corpus.to_dict()
    assert dict(found.units) == dict(corpus.units)
    first = json.loads((tmp_path / "Bro008.json").read_text())["meeting_transcripts"][1]
    assert first["speaker"] == "PhD A"


@given(st.lists(st.text(st.sampled_from("a: \n\"'\\é"), max_size=6), min_size=2, max_size=4))
def test_any_text_survives(tmp_path_factory, texts):
    corpus = Corpus.from_dict({"d": {"reference": [1, len(texts) - 1]}}, units={"d": texts})
    path = tmp_path_factory.mktemp("d") / "d.json"
    write(corpus, path, "qmsum")
    assert read(path).units["d"] == tuple(texts)
    assert read(path).to_dict() == corpus.to_dict()


def test_several_meetings_one_per_line(tmp_path):
    meetings = [meeting(4, [["0", "1"]], [["2", "3"]]), meeting(3, [["0", "0"]], [["1", "2"]])]
    text = "\n".join(map(json.dumps, meetings)) + "\n"
    corpus = read(put(tmp_path / "train.jsonl", text))
    assert corpus.metadata["format"] == "qmsum"
    assert corpus.to_dict() == {"1": {"reference": [2, 2]}, "2": {"reference": [1, 2]}}
    wrong = json.dumps(meeting(3, [["0", "5"]]))
    with pytest.raises(CorpusError, match=r"line 3: topic_list\[0\]"):
        read(put(tmp_path / "train.jsonl", text + wrong + "\n"))
