"""Reading and writing YTSeg's JSON.

Source of truth: the layout that the data set's card and its loader describe, in records typed by hand; and of
written files, that reading gives the same. The round trips that all formats make are in test_io.py.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from caesura import Corpus, CorpusError
from caesura.io.reading import read
from caesura.io.writing import write

VIDEO = {
    "text": ["One.", "Two.", "Three.", "Four."],
    "targets": "|=0101",
    "channel_id": "UC1",
    "video_id": "abc",
    "audio_path": "abc.mp3",
}
OTHER = {"text": ["Only."], "targets": "0", "video_id": "def"}
LATER = {
    "text_ref": ["One.", "Two.", "Three."],
    "target_binary_ref": "001",
    "text_wt": ["one", "two three"],
    "target_binary_wt": "|=01",
    "text_wl": ["One two three."],
    "target_binary_wl": "0",
    "chapter_titles": ["Start", "End"],
    "chapter_timestamps": [0.0, 3.5],
    "video_id": "ghi",
}


def put(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", lines(VIDEO, OTHER)),
        ("a.jsonl", lines(VIDEO, OTHER)),
        ("a.x", "\n" + lines(VIDEO, OTHER).replace("\n", "\r\n\r\n")),
        ("a.json", json.dumps([VIDEO, OTHER])),
        ("a.json", json.dumps([VIDEO, OTHER], indent=2)),
    ],
)
def test_a_mark_opens_a_segment(tmp_path, name, content):
    corpus = read(put(tmp_path / name, content))
    assert corpus.metadata["format"] == "ytseg"
    assert corpus.to_dict() == {"abc": {"reference": [1, 2, 1]}, "def": {"reference": [1]}}
    assert dict(corpus.units) == {"abc": ("One.", "Two.", "Three.", "Four."), "def": ("Only.",)}


def test_one_record_alone_and_a_mark_on_the_first_sentence(tmp_path):
    record = {**VIDEO, "targets": "1100"}
    for content in (json.dumps(record, indent=1), json.dumps(record)):
        assert read(put(tmp_path / "a.json", content)).to_dict() == {"abc": {"reference": [1, 3]}}
    del record["video_id"]
    assert read(put(tmp_path / "a.json", lines(record, record))).documents == ("1", "2")


def test_later_releases_have_three_transcripts(tmp_path):
    path = put(tmp_path / "a.json", lines(LATER))
    assert read(path).metadata["format"] == "ytseg"
    assert read(path).to_dict() == {"ghi": {"reference": [2, 1]}}
    assert read(path, tiers=["wt"]).to_dict() == {"ghi": {"reference": [1, 1]}}
    assert read(path, tiers=["text_wl"]).units == {"ghi": ("One two three.",)}
    with pytest.raises(CorpusError, match=r"unknown transcript 'x'; known: ref, wt and wl"):
        read(path, tiers=["x"])
    with pytest.raises(CorpusError, match="one at a time"):
        read(path, tiers=["wt", "wl"])
    with pytest.raises(CorpusError, match="text_wt is None: expected a list of sentences"):
        read(put(tmp_path / "b.json", lines(VIDEO)), tiers=["wt"])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"targets": "01"}, "line 2: targets has 2 marks for 4 sentences: expected one for each"),
        ({"targets": "0x01"}, "line 2: targets has 'x' for sentence 1: expected 0 or 1"),
        ({"targets": "|=|=01"}, r"line 2: targets has '\|' for sentence 0"),
        ({"targets": 101}, "line 2: targets is 101: .*; a number has lost the zeros in front"),
        (
            {"targets": [0, 2, 0, 1]},
            r"line 2: targets is \[0, 2, 0, 1\]: expected a string or list of 0 and 1",
        ),
        ({"text": []}, r"line 2: text is \[\]: expected a list of sentences"),
        ({"text": "One."}, "line 2: text is 'One.': expected a list of sentences"),
        ({"text": ["a", 2, "c", "d"]}, r"line 2: text\[1\] is 2: expected a sentence"),
        ({"video_id": None}, "line 2: the video_id is None: expected a name"),
        ({"video_id": "def"}, "line 2: document def is there twice"),
    ],
)
def test_bad_records(tmp_path, change, fault):
    path = put(tmp_path / "a.json", lines(OTHER, {**VIDEO, **change}))
    with pytest.raises(CorpusError) as error:
        read(path)
    assert re.match(fault, str(error.value).removeprefix(f"{path}: "))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (lines(OTHER, 5), "line 2 is 5: expected an object"),
        (lines(OTHER) + '{"text": ["a"', "line 2: not valid JSON: .* is it cut off"),
        (json.dumps([OTHER, 5]), "record 2 is 5: expected an object"),
        ("[]", "there are no videos"),
        ("[" * 100_000, "not valid JSON: lists or objects are nested too deeply"),
    ],
)
def test_bad_files(tmp_path, content, fault):
    path = put(tmp_path / "a.json", content)
    with pytest.raises(CorpusError) as error:
        read(path, "ytseg")
    assert re.match(fault, str(error.value).removeprefix(f"{path}: "))


def test_what_is_written(tmp_path):
    corpus = Corpus.from_dict({"v": {"reference": [1, 2]}}, units={"v": ["Å", "b", "c"]})
    write(corpus, tmp_path / "a.jsonl", "ytseg")
    written = json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8"))
    assert written == {"text": ["Å", "b", "c"], "targets": "|=010", "video_id": "v"}
    found = read(tmp_path / "a.jsonl")
    assert (found.to_dict(), dict(found.units)) == (corpus.to_dict(), dict(corpus.units))


@pytest.mark.exhaustive
def test_long_videos_take_linear_time(tmp_path):
    n = 200_000
    record = {"text": ["x"] * n, "targets": "01" * (n // 2), "video_id": "v"}
    path = put(tmp_path / "a.json", lines(record, {**record, "video_id": "w"}))
    started = time.process_time()
    corpus = read(path)
    assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["w", "reference"].masses == (1, *[2] * (n // 2 - 1), 1)


def test_targets_may_be_a_list(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({**VIDEO, "targets": [0, 1, 0, 1]}) + "\n", encoding="utf-8")
    assert read(path).to_dict() == {"abc": {"reference": [1, 2, 1]}}
