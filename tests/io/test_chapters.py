"""Chapters of recordings: lists in descriptions of videos, and WebVTT files of chapters.

Source of truth: the facts that the sample files' own description states; small files typed by hand, with the
seconds worked out by hand; and of written files, that reading gives the same boundaries.
"""

from __future__ import annotations

import re
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
import webvtt
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError, Segmentation, Units
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def quietly(path: Path, *arguments, **options) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return read(path, *arguments, **options)


def times(corpus: Corpus) -> list[float]:
    """Where the document starts, its boundaries are, and it ends, in seconds."""
    ((document, coder, segmentation),) = corpus
    assert coder == "reference"
    units = corpus.spans[document]
    assert units.axis == "seconds"
    return [units.origin, *units.offsets(segmentation).round(6).tolist(), units.end]


def refusal(path: Path, format: str | None = None, **options) -> str:
    with pytest.raises(CorpusError) as error:
        read(path, format, **options)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    return message.removeprefix(f"{path}: ")


# -------------------------------------------------------------------- lists


@pytest.mark.parametrize("name", ["daveshap_chapters.txt", "boutabba_chapters.txt"])
def test_sample_lists_are_read_to_the_facts_of_their_description(name):
    readme = data_path("formats", "README.md").read_text(encoding="utf-8")
    (row,) = [line for line in readme.splitlines() if line.startswith(f"| `{name}` |")]
    n_chapters, last = (int(re.search(fact, row)[1]) for fact in (r"(\d+) chapters", r"last start (\d+)"))
    starts, masses = (
        [int(number) for number in re.search(rf"{fact} \[(.*?)\]", row)[1].split(", ")]
        for fact in ("starts", "first masses")
    )
    path = data_path("formats", "chapters", name)
    with pytest.warns(UserWarning, match=r"end of the last chapter is missing, one second"):
        corpus = read(path)
    assert corpus.metadata["format"] == "chapters"
    found = times(corpus)
    assert (len(found) - 1, found[:5], found[-2:]) == (n_chapters, starts, [last, last + 1])
    ((document, _, segmentation),) = corpus
    assert list(segmentation.masses[:5]) == masses
    assert corpus.spans[document] == Units.every(1, last + 1, start=starts[0])
    assert times(read(path, end=last + 60))[-1] == last + 60
    assert read(path, end="50:00:00")[document, "reference"].masses[-1] == 50 * 3600 - last


@pytest.mark.parametrize(
    "text",
    [
        "0:00 Start\n1:30 Rain\n1:02:03 Sun",
        "00:00 - Start\n01:30 - Rain\n01:02:03 - Sun\n",
        "(0:00) Start\r\n(1:30) Rain\r\n(1:02:03) Sun\r\n",
        "[0:00:00] Start\n\n[0:01:30] Rain\n\n[1:02:03] Sun",
        "• 0:00 Start\n• 1:30 Rain at 9:15\n• 62:03 Sun",
        "1. 0:00 Start\n2) 1:30 Rain\n10. – 1:02:03: Sun",
        "⏱ 0:00 | 12 monkeys\n⏱ 1:30 | 7:00 in the morning\n⏱ 1:02:03 |",
        "Start 0:00\nRain 1:30\nSun 1:02:03",
        "Start - 0:00\nRain (1:30)\nSun [1:02:03].",
        "0:00\n1:30\n1:02:03",
        "0:00-1:30 Start\n1:30 to 20:00 Rain\n1:02:03 Sun",
    ],
)
def test_ways_to_write_a_list(tmp_path, text):
    path = put(tmp_path / "talk.txt", text)
    corpus = read(path, end="1:10:00")
    assert corpus.metadata["format"] == "chapters"
    assert times(corpus) == [0, 90, 3723, 4200]
    assert corpus.documents == ("talk",)
    assert times(read(put(tmp_path / "talk.x", text.encode("utf-16")), end=4200)) == [0, 90, 3723, 4200]


def test_a_list_inside_a_description(tmp_path):
    path = put(
        tmp_path / "d.txt",
        "A talk about the weather in 16:9.\nDoors open at 19:30\nhttps://example.org/1:23\n\nChapters:\n"
        "0:00 Start\n1:30 Rain\n\n3:16 Sun\n\nThanks to 2:1 Studio, 10:5x Club\n",
    )
    with pytest.warns(UserWarning, match="5 lines have no time where the chapters have theirs"):
        assert times(read(path, end=300)) == [0, 90, 196, 300]


def test_the_last_line_may_say_where_it_ends(tmp_path):
    text = "0:10 Start\n1:30 - 3:20 Rain\n"
    path = put(tmp_path / "d.txt", text)
    assert times(read(path)) == [10, 90, 200]
    assert times(read(path, end=150)) == [10, 90, 150]
    assert times(read(path, end="2:00.5")) == [10, 90, 120.5]
    assert read(path, end="2:00.5")["d", "reference"].masses == (80, 31)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Some prose.\n", "there is no chapter: expected lines with a time and a title"),
        ("0:00 Start\n00:99:99 Rain\n", "line 2: the time is '00:99:99': minutes and seconds go up to 59"),
        ("0:00 Start\n0:75 Rain\n", "line 2: the time is '0:75': minutes and seconds go up to 59"),
        (
            "0:00 a\n2:00 b\n\n1:30 c\n",
            r"line 4: 1:30 does not come after 2:00 \(line 2\): is one of these lines not",
        ),
        ("0:00 a\n2:00 b\n2:00 c\n", r"line 3: 2:00 does not come after 2:00 \(line 2\)"),
        ("0:00 a\n2:00 - 1:00 b\n", "line 2: the last chapter is at 2:00, the end at 60 s"),
    ],
)
def test_bad_lists(tmp_path, text, fault):
    assert re.match(fault, refusal(put(tmp_path / "d.txt", text), "chapters"))


def test_an_end_before_the_last_chapter(tmp_path):
    path = put(tmp_path / "d.txt", "0:00 a\n2:00 b\n")
    assert "the last chapter is at 2:00, the end at 120 s" in refusal(path, end=120)


@pytest.mark.parametrize(
    "text",
    [
        "We met at 12:30.\nShe left.\nIt was 13:00 then.\nNobody knew.\nAt 14:00 it rained.\n",
        "12:30 lunch\n",
        "14:00 c\n13:00 b\n",
        "0:00 a\n0:99 b\n",
        "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\n\n",
        "2:1\n3:1\n4:1\n",
        "0:00.5 a\n0:01.5 b\n",
    ],
)
def test_what_is_no_list(tmp_path, text):
    path = put(tmp_path / "d.txt", text)
    try:
        assert quietly(path).metadata["format"] == ("srt" if "-->" in text else "text")
        assert ("-->" in text) != text.startswith("We met")
    except CorpusError as error:
        refused = str(error)
        assert "-->" not in text
        assert "no format fits" in refused


LONG = 200_000


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text",
    [
        *("0" * LONG, "0:" * LONG, ":" * LONG, "1. " * LONG, "-" * LONG + ":", " " * LONG + "0:0"),
        *("(0:00" * LONG, "0:00 - " * LONG, "1:30\n" * LONG, "_" * LONG + "1:1:1", "0:00" + " " * LONG),
    ],
    ids=lambda text: text[:8],
)
def test_hostile_lists_take_linear_time(tmp_path, text):
    path = put(tmp_path / "d.txt", text)
    started = time.process_time()
    for name in ("chapters", None):
        with suppress(CorpusError):
            quietly(path, name)
    assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
def test_100_000_chapters(tmp_path):
    n = 100_000
    path = put(tmp_path / "d.txt", "".join(f"{i // 60}:{i % 60:02} Chapter\n" for i in range(n)))
    started = time.process_time()
    corpus = read(path, end=n)
    assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["d", "reference"].masses == (1,) * n


# -------------------------------------------------------------------- WebVTT

VTT = """\
WEBVTT
Kind: chapters

1
00:00.000 --> 01:30.000
Start

NOTE A note.

00:01:30.000 --> 00:04:00.125
Rain

00:04:00.125 --> 00:05:00.000
Sun
"""


def test_webvtt_chapters(tmp_path):
    corpus = read(put(tmp_path / "talk.vtt", VTT))
    assert corpus.metadata["format"] == "vtt-chapters"
    assert times(corpus) == [0, 90, 240.125, 300]
    assert corpus["talk", "reference"].masses == (900_000_000, 1_501_250_000, 598_750_000)
    assert corpus.spans["talk"] == Units.of_time(300)
    assert len(corpus.units) == 0


@pytest.mark.parametrize(
    ("name", "kind", "format"),
    [
        ("talk.vtt", "Kind: chapters", "vtt-chapters"),
        ("talk.vtt", "Kind: Chapters", "vtt-chapters"),
        ("talk.vtt", "Kind: captions", "webvtt"),
        ("talk.vtt", "Language: en", "webvtt"),
        ("talk.Chapters.en.vtt", "Language: en", "vtt-chapters"),
        ("chapter-3.vtt", "Kind: captions", "webvtt"),
        ("talk.x", "Kind: chapters", "vtt-chapters"),
    ],
)
def test_chapters_are_told_from_subtitles(tmp_path, name, kind, format):
    path = put(tmp_path / name, VTT.replace("Kind: chapters", kind))
    assert read(path).metadata["format"] == format
    assert times(read(path, "vtt-chapters")) == [0, 90, 240.125, 300]
    assert list(read(path, "webvtt").units.values()) == [("Start", "Rain", "Sun")]


def test_gaps_overlaps_and_the_end_need_a_rule(tmp_path):
    cues = "WEBVTT\n\n00:10.000 --> 00:20.000\na\n\n00:30.000 --> 00:50.000\nb\n\n"
    path = put(tmp_path / "chapters.vtt", cues)
    assert "seconds 0 to 10, and 1 more parts are in no span: gaps='segment'" in refusal(path)
    assert times(read(path, gaps="segment")) == [0, 10, 20, 30, 50]
    assert times(read(path, gaps="join")) == [0, 30, 50]
    assert times(read(path, gaps="segment", end="1:00")) == [0, 10, 20, 30, 50, 60]
    assert "the document ends at 40" in refusal(path, gaps="join", end=40)
    nested = put(tmp_path / "chapters.2.vtt", cues.replace("00:30", "00:16").replace("00:10.000", "00:00"))
    assert "overlap='start', 'end', 'middle' or 'edges'" in refusal(nested)
    assert times(read(nested, overlap="start")) == [0, 16, 50]
    assert times(read(nested, overlap="middle")) == [0, 18, 50]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("WEBVTT\n\n", "there is no chapter"),
        ("WEBVTT\n\n00:00.000 --> 00:00.000\nx\n", "the recording starts at 0 and ends at 0"),
        (
            "WEBVTT\n\n00:00.000 --> 999999999:00:00.000\nx\n",
            "the recording ends at 3.6e.12 seconds: are these milliseconds",
        ),
        ("WEBVTT\n\n00:00.000 --> 00:99.000\nx\n", "line 3: the time is '00:99.000'"),
        ("chapters\n", "line 1 is 'chapters': expected WEBVTT"),
    ],
)
def test_bad_webvtt_chapters(tmp_path, content, fault):
    assert re.match(fault, refusal(put(tmp_path / "chapters.vtt", content)))


# -------------------------------------------------------------------- writing


def recording(places: list[int], end: int, per_second: int, units: Units) -> Corpus:
    offsets = [place / per_second for place in places]
    segmentation = units.place(offsets).segmentation
    assert segmentation.n_boundaries == len([place for place in places if 0 < place < end])
    return Corpus.from_dict({"talk": {"reference": segmentation}}).with_spans({"talk": units})


@given(places=st.sets(st.integers(1, 10**8 - 1), max_size=6), step=st.sampled_from([1e-6, 1e-3]))
def test_webvtt_chapters_are_read_back(tmp_path, places, step):
    corpus = recording(sorted(places), 10**8, 1000, Units.every(step, 10**5))
    path = tmp_path / "talk.vtt"
    write(corpus, path, "vtt-chapters")
    found = read(path)
    assert found.metadata["format"] == "vtt-chapters"
    assert times(found) == [0, *(place / 1000 for place in sorted(places)), 10**5]
    assert len(webvtt.read(path)) == len(places) + 1
    assert webvtt.read(path)[-1].end == "27:46:40.000"


@given(places=st.sets(st.integers(1, 10**6 - 1), max_size=6), step=st.sampled_from([1e-6, 1.0]))
def test_lists_are_read_back(tmp_path, places, step):
    corpus = recording(sorted(places), 10**6, 1, Units.every(step, 10**6))
    path = tmp_path / "talk.txt"
    write(corpus, path, "chapters")
    assert times(read(path, "chapters", end=10**6)) == [0, *sorted(places), 10**6]


def test_a_list_from_its_own_start(tmp_path):
    corpus = read(put(tmp_path / "a.txt", "0:10 a\n0:20 b\n1:00:00 c\n"), end=4000)
    write(corpus, tmp_path / "b.txt", "chapters")
    assert (tmp_path / "b.txt").read_text() == "0:10 Chapter 1\n0:20 Chapter 2\n1:00:00 Chapter 3\n"
    assert times(read(tmp_path / "b.txt", end=4000)) == times(corpus)
    lost = not_kept(corpus, FORMATS["chapters"], "a.txt")
    assert lost == ["where the recording ends"]
    with pytest.raises(CorpusError, match="document a: it starts at 10 s, and chapters of WebVTT start at 0"):
        write(corpus, tmp_path / "a.vtt", "vtt-chapters")


def test_times_that_are_too_fine_are_refused(tmp_path):
    units = Units.of_time(10)
    corpus = recording([2_500_100], 10_000_000, 10**6, units)
    with pytest.raises(CorpusError, match=r"2\.5001 s is finer than a millisecond.*corpus\.onto\('1ms'\)"):
        write(corpus, tmp_path / "talk.vtt", "vtt-chapters")
    with pytest.raises(CorpusError, match=r"2\.5001 s is finer than a second.*corpus\.onto\('1s'\)"):
        write(corpus, tmp_path / "talk.txt", "chapters")
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(UserWarning, match="1 of 1 boundary moved"):
        moved = corpus.onto("1s")
    write(moved, tmp_path / "talk.txt", "chapters")
    assert (tmp_path / "talk.txt").read_text() == "0:00 Chapter 1\n0:03 Chapter 2\n"


def test_what_is_no_recording_is_refused(tmp_path):
    corpus = Corpus.from_dict({"d": {"reference": Segmentation.from_masses([2, 3])}})
    for name in ("chapters", "vtt-chapters"):
        with pytest.raises(CorpusError, match=r"document d: .*chapters needs units in seconds"):
            write(corpus, tmp_path / "d.x", name)


def test_times_with_parts_of_a_second_as_podcasts_have_them(tmp_path):
    path = put(tmp_path / "a.txt", "00:00:00.000 Intro\n00:02:15.500 Rain\n00:10:00.000 Sun\n")
    assert times(read(path, end="20:00")) == [0, 135.5, 600, 1200]
    whole = put(tmp_path / "b.txt", "00:00:00.000 Intro\n00:02:15.000 Rain\n")
    assert read(whole, end="20:00").n_units("b") == 1200
