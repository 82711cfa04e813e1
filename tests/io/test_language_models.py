"""Formats of recognizers, language models and their data sets.

Source of truth: files as the programs write them, with their boundaries counted by hand.
"""

from __future__ import annotations

import itertools
import json
import random

import pytest

import caesura as cs
from caesura import cli
from caesura.io.options import NUMBERINGS


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
    with pytest.raises(cs.CorpusError, match="whisper has boundaries; write jsonl"):
        cs.write(corpus, tmp_path / "out.json", "whisper")


# -------------------------------------------------------------------- lists of titles


def titled(segments):
    return [{"title": f"t{i}", "start": start, "end": end} for i, (start, end) in enumerate(segments)]


def counted_as(numbering, masses):
    """The segments of these masses, as a list counts them."""
    first, is_inclusive = int(numbering[0]), numbering.endswith("inclusive")
    ends = list(itertools.accumulate(masses))
    return [(end - mass + first, end + first - is_inclusive) for mass, end in zip(masses, ends, strict=True)]


def covers_each_unit_once(segments, numbering):
    first, last = int(numbering[0]), int(numbering.endswith("inclusive"))
    units = [unit - first for start, end in segments for unit in range(start, end + last)]
    has_empty = any(not range(start, end + last) for start, end in segments)
    return not has_empty and sorted(units) == list(range(len(units)))


@pytest.mark.parametrize("numbering", NUMBERINGS)
@pytest.mark.parametrize("seed", range(12))
def test_a_numbering_is_taken_where_it_alone_fits_all_documents(tmp_path, numbering, seed):
    """The oracle writes the units of each segment out."""
    rng = random.Random(seed)
    masses = {
        name: [rng.randrange(1, 4) for _ in range(rng.randrange(1, 5))]
        for name in "abc"[: rng.randrange(1, 4)]
    }
    lists = {name: counted_as(numbering, own) for name, own in masses.items()}
    fitting = [
        every for every in NUMBERINGS if all(covers_each_unit_once(own, every) for own in lists.values())
    ]
    path = put(tmp_path, {name: titled(own) for name, own in lists.items()}, "gpt.json")
    if len(fitting) == 1:
        corpus = cs.read(path)
        assert f"counted as {numbering}" in corpus.metadata["understood"][0]
    else:
        message = refusal(path)
        assert [f"numbering='{every}'" in message for every in NUMBERINGS] == [
            every in fitting for every in NUMBERINGS
        ]
        corpus = cs.read(path, numbering=numbering)
    assert corpus.to_dict() == {name: {"gpt": own} for name, own in masses.items()}


LIST = titled([(1, 4), (5, 9), (10, 11)])


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (LIST, ("gpt",)),
        ({"segments": LIST}, ("gpt",)),
        ({"topics": LIST, "document": 7}, ("7",)),
        ({"d1": LIST, "d2": LIST}, ("d1", "d2")),
        ([{"document": "d1", "chapters": LIST}, {"document": "d2", "chapters": LIST}], ("d1", "d2")),
        (json.dumps({"document": "d1", "sections": LIST}) + "\n", ("d1",)),
    ],
)
def test_a_list_may_stand_in_several_places(tmp_path, content, names):
    corpus = cs.read(put(tmp_path, content, "gpt.json"))
    assert corpus.metadata["format"] == "titles"
    assert corpus.to_dict() == {name: {"gpt": [4, 5, 2]} for name in names}


def test_one_segment_may_be_counted_in_two_ways_and_texts_decide(tmp_path, capsys):
    path = put(tmp_path, titled([(0, 5)]), "gpt.json")
    ways = "choose numbering='0-inclusive' or numbering='0-exclusive'"
    assert ways in refusal(path)
    assert cli.run(["describe", str(path)]) == 1
    assert "choose --numbering 0-inclusive or --numbering 0-exclusive" in capsys.readouterr().err
    gold = cs.Corpus.from_dict({"d": {"ann": [2, 3]}}).with_texts({"d": list("abcde")})
    corpus = cs.read(path, text_of=gold)
    assert corpus["d", "gpt"].masses == (5,)
    assert corpus.units["d"] == tuple("abcde")


def test_gaps_and_overlaps_need_their_rules(tmp_path):
    path = put(tmp_path, titled([(1, 4), (7, 9), (10, 12)]), "gpt.json")
    assert "the segment from 7 to 9 leaves out 2 units before it (gaps=)" in refusal(path)
    assert "may be counted in 4 ways" in refusal(path, gaps="join")
    assert cs.read(path, gaps="join", numbering="1-inclusive")["gpt", "gpt"].masses == (6, 3, 3)
    assert cs.read(path, gaps="segment", numbering="1-inclusive")["gpt", "gpt"].masses == (4, 2, 3, 3)
    path = put(tmp_path, titled([(1, 4), (4, 9), (10, 12)]), "gpt.json")
    assert "no way of counting fits" in refusal(path)
    assert cs.read(path, overlap="start")["gpt", "gpt"].masses == (3, 6, 3)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (titled([(1, 4), (5, 9)]), {"numbering": "0-exclusive"}, "are in no span"),
        (titled([(0, 4), (5, 9)]), {"numbering": "1-inclusive"}, "starts before the first unit"),
        (titled([(1, 4), (9, 5)]), {}, "has no units"),
        (titled([(1, 2**60), (2**60 + 1, 2**61)]), {}, "2**53"),
        ([{"start": 1, "end": "4"}], {"format": "titles"}, "'4': expected a whole number"),
        ([{"start": 1.0, "end": 4}], {"format": "titles"}, "1.0: expected a whole number"),
        ([{"start": 1}], {"format": "titles"}, "end is None"),
        ([], {"format": "titles"}, "expected a list of segments"),
        ({"segments": []}, {"format": "titles"}, "expected a list of segments"),
        ({"segments": None}, {"format": "titles"}, "expected a list of segments"),
        (LIST, {"numbering": "2-inclusive"}, "numbering is '2-inclusive'"),
    ],
)
def test_broken_lists_are_refused(tmp_path, content, options, message):
    assert message in refusal(put(tmp_path, content, "gpt.json"), **options)


def test_the_texts_say_how_many_units_there_are(tmp_path):
    gold = cs.Corpus.from_dict({"d": {"ann": [12]}}).with_texts({"d": list("abcdefghijkl")})
    path = put(tmp_path, LIST, "gpt.json")
    assert "the last unit is 11 of 12" in refusal(path, text_of=gold)
    assert cs.read(path, text_of=gold, gaps="join", numbering="1-inclusive")["d", "gpt"].masses == (4, 5, 3)


def test_without_a_boundary_no_list_is_written(tmp_path):
    with pytest.raises(cs.CorpusError, match="without boundaries"):
        cs.write(cs.Corpus.from_dict({"d": {"out": [5]}}), tmp_path / "out.json", "titles")
