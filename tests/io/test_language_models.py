"""Formats of recognizers, language models and their data sets.

Source of truth: files as the programs write them, with their boundaries counted by hand.
"""

from __future__ import annotations

import json

import pytest

import caesura as cs
from caesura import cli


def put(folder, content, name="d.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def refusal(path, *arguments, **options) -> str:
    with pytest.raises(cs.CaesuraError) as error:
        cs.read(path, *arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# -------------------------------------------------------------------- SuperDialseg


def dialogue(labels, name="d1"):
    turns = [{"utterance": f"u{i}", "segmentation_label": label} for i, label in enumerate(labels)]
    return {"dial_id": name, "turns": turns}


@pytest.mark.parametrize("last", [0, 1])
def test_a_label_of_superdialseg_ends_a_segment_and_the_last_says_nothing(tmp_path, last):
    path = put(tmp_path, {"dial_data": {"superseg-v2": [dialogue([0, 1, 0, 0, 1, last])]}})
    corpus = cs.read(path)
    assert corpus.metadata["format"] == "superdialseg"
    assert corpus["d1", "reference"].masses == (2, 3, 1)
    assert corpus.units["d1"][0] == "u0"


def test_superdialseg_may_hold_several_data_sets(tmp_path):
    path = put(tmp_path, {"dial_data": {"a": [dialogue([0], "x")], "b": [dialogue([1, 0], 7)]}})
    assert cs.read(path).documents == ("x", "7")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"dial_data": {}}, "there are no dialogues"),
        ({"dial_data": {"a": [dialogue([])]}}, "a: dialogue 0: it has no turns"),
        ({"dial_data": {"a": [dialogue([2, 0])]}}, "segmentation_label of turn 0 is 2"),
        ({"dial_data": {"a": [dialogue([0]), dialogue([0])]}}, "document d1 is there twice"),
        ({"dial_data": {"a": [{"dial_id": "x"}]}}, "turns"),
        ({"dial_data": {"a": [{"turns": []}]}}, "dial_id"),
        ({"dial_data": {"a": [{"dial_id": "x", "turns": [{"utterance": 3}]}]}}, "utterance"),
    ],
)
def test_broken_superdialseg_is_refused(tmp_path, data, message):
    assert message in refusal(put(tmp_path, data))


# -------------------------------------------------------------------- Whisper


SPEECH = [(0.0, 2.0, " It rained."), (2, 4, " We stayed."), (5, 7.25, " Then the sun came out.")]


def transcript(segments=SPEECH):
    keys = ("start", "end", "text")
    return {"text": "", "segments": [dict(zip(keys, segment, strict=True)) for segment in segments]}


def test_whispers_segments_are_units_and_no_boundaries(tmp_path):
    corpus = cs.read(put(tmp_path, transcript()))
    assert corpus["d", "whisper"].masses == (3,)
    assert corpus.spans["d"].spans == ((0, 2), (2, 4), (5, 7.25))
    assert corpus.units["d"] == ("It rained.", "We stayed.", "Then the sun came out.")


def test_whispers_ends_are_boundaries_where_asked_for(tmp_path, capsys):
    path = put(tmp_path, transcript())
    assert cs.read(path, ends=True)["d", "whisper"].masses == (1, 1, 1)
    assert cs.read(path, ends=True).onto("1s")["d", "whisper"].masses == (2, 3, 3)
    assert cli.run(["describe", str(path), "--ends", "-f", "csv"]) == 0
    assert "2" in capsys.readouterr().out


def test_ends_is_refused_where_there_is_no_transcript(tmp_path):
    path = put(tmp_path, "0100", "a.gaps")
    assert "ends= is True and fits none of the inputs" in refusal(path, ends=True)
    assert "expected True or False" in refusal(path, ends="yes")


def test_whispers_overlaps_are_cut_where_a_rule_is_named(tmp_path):
    path = put(tmp_path, transcript([(0, 3, "a"), (2, 4, "b")]))
    with pytest.warns(UserWarning, match="segment 2 starts before the previous cue ends"):
        assert "d" not in cs.read(path).spans
    assert cs.read(path, overlap="middle").spans["d"].spans == ((0, 2.5), (2.5, 4))


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([(3, 1, "a")], "ends before it starts"),
        ([(-1, 1, "a")], "segments[0].start is -1"),
        ([(0, 10**400, "a")], "segments[0].end is 1000"),
        ([(0, "1", "a")], "expected a number of seconds"),
        ([(0, 1, None)], "expected text"),
        ([], "there are no segments"),
    ],
)
def test_broken_whisper_is_refused(tmp_path, segments, message):
    assert message in refusal(put(tmp_path, transcript(segments)), "whisper")


def test_boundaries_are_not_written_as_whisper(tmp_path):
    corpus = cs.read(put(tmp_path, transcript()), ends=True)
    with pytest.raises(cs.CorpusError, match="whisper has boundaries, and Whisper's JSON holds none"):
        cs.write(corpus, tmp_path / "out.json", "whisper")
