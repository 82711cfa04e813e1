"""Reading and writing subtitles: SubRip and WebVTT.

Source of truth: the facts that the sample files' own description states; the packages srt and webvtt-py on
the same files; small files typed by hand; and of written files, that these packages and our reader give them
back.
"""

from __future__ import annotations

import codecs
import re
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
import srt
import webvtt
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError, Units
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write
from caesura.values.making import CorpusBuilder

NAMES = {".srt": "srt", ".vtt": "webvtt"}


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def quietly(path: Path, *arguments, **options) -> Corpus:
    """Read a file whose notices another test looks at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return read(path, *arguments, **options)


def only(corpus: Corpus) -> tuple[tuple[str, ...], tuple[tuple[float, float], ...] | None]:
    """The texts and times of a corpus of one document without annotations."""
    (document,) = corpus.documents
    assert len(corpus) == 0
    return corpus.units[document], corpus.spans[document].spans if document in corpus.spans else None


def refusal(path: Path, format: str | None = None, **options) -> str:
    with pytest.raises(CorpusError) as error:
        read(path, format, **options)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 700
    return message.removeprefix(f"{path}: ")


def subtitles(cues: list[tuple[int, int, str]], document: str = "film") -> Corpus:
    """The corpus of cues whose times are milliseconds."""
    builder = CorpusBuilder()
    builder.add_text(document, [text for _, _, text in cues])
    starts, ends = ([cue[side] / 1000 for cue in cues] for side in (0, 1))
    builder.add_units(document, Units.from_arrays(starts, ends, "seconds"))
    return Corpus.build(builder)


# -------------------------------------------------------------------- real files

FILES = {
    "srt": [
        *("pysrt_bom-utf-8.srt", "pysrt_no-indexes.srt", "pysrt_capability_tester.srt"),
        *("pysrt_windows-1252_first60.srt", "textgridconvert_captions1.srt"),
    ],
    "vtt": [
        *("webvttpy_sample.vtt", "webvttpy_captions_with_bom.vtt", "webvttpy_comments.vtt"),
        *("webvttpy_cue_tags.vtt", "webvttpy_youtube_dl.vtt", "webvttpy_using_identifiers.vtt"),
        *("webvttpy_styles.vtt", "webvttpy_netflix_first66.vtt", "w3c_ids.vtt", "w3c_settings-multiple.vtt"),
    ],
}
REAL = [(folder, name) for folder, names in FILES.items() for name in names]


def facts(folder: str, name: str) -> dict[str, list[float]]:
    """What the description of the sample files says of one of them, number by number."""
    readme = data_path("formats", "README.md").read_text(encoding="utf-8")
    (row,) = [line for line in readme.splitlines() if line.startswith(f"| `{name}` |")]
    stated = {
        "cues": r"(\d+) cues",
        "starts": r"starts (\[.*?\])",
        "ends": r"ends (\[.*?\])",
        "last": r"last end ([\d.]+)",
        "lines": r"(\d+) text lines",
        "lines per cue": r"lines per cue (\[.*?\])",
        "words per cue": r"words per cue (\[.*?\])",
        "words": r"\(sum (\d+)\)",
        "gaps": r"neighbou?rs: (\d+) gaps",
        "overlaps": r"gaps, (\d+) overlaps",
        "empty": r"(\d+) cues of length 0",
    }
    found = {fact: re.search(pattern, row)[1] for fact, pattern in stated.items()}
    return {fact: [float(x) for x in re.findall(r"[\d.]+", value)] for fact, value in found.items()}


@pytest.mark.parametrize(("folder", "name"), REAL)
def test_sample_files_are_read_to_the_facts_of_their_description(folder, name):
    known = facts(folder, name)
    path = data_path("formats", folder, name)
    corpus = quietly(path)
    texts, spans = only(corpus)
    assert corpus.metadata["format"] == NAMES[path.suffix]
    assert corpus.documents == (path.stem,)
    lines = [text.count("\n") + 1 for text in texts]
    words = [len(text.split()) for text in texts]
    assert [len(texts)] == known["cues"]
    assert (lines[:5], [sum(lines)]) == (known["lines per cue"], known["lines"])
    assert (words[:5], [sum(words)]) == (known["words per cue"], known["words"])
    if known["overlaps"] != [0]:
        assert spans is None
        assert "without times" in corpus.metadata["notices"][0]
        # Cut where the next cue starts, all cues still start where they do.
        spans = only(quietly(path, overlap="start"))[1]
        assert [start for start, _ in spans[:5]] == known["starts"]
        assert [spans[-1][1]] == known["last"]
        return
    starts, ends = zip(*spans, strict=True)
    assert (list(starts[:5]), list(ends[:5]), [ends[-1]]) == (known["starts"], known["ends"], known["last"])
    assert [sum(end < start for end, start in zip(ends, starts[1:], strict=False))] == known["gaps"]
    assert [sum(start == end for start, end in spans)] == known["empty"]


@pytest.mark.parametrize("name", FILES["srt"])
def test_the_package_srt_reads_the_same_cues(name):
    path = data_path("formats", "srt", name)
    encoding = "cp1252" if "1252" in name else "utf-8-sig"
    # The package wants numbers; where they are missing its times are compared with those of the other file.
    if name == "pysrt_no-indexes.srt":
        assert only(read(path)) == only(read(path.with_name("pysrt_bom-utf-8.srt")))
        return
    expected = list(srt.parse(path.read_bytes().decode(encoding).replace("\r\n", "\n")))
    texts, spans = only(quietly(path))
    plain = [re.sub(r"</?[A-Za-z][^>]*>|\{\\.*?\}", "", cue.content) for cue in expected]
    assert list(texts) == plain
    times = [(cue.start.total_seconds(), cue.end.total_seconds()) for cue in expected]
    if spans is not None:
        assert list(spans) == times


@pytest.mark.parametrize("name", FILES["vtt"])
def test_the_package_webvtt_py_reads_the_same_cues(name):
    path = data_path("formats", "vtt", name)
    expected = list(webvtt.read(path))
    texts, spans = only(quietly(path))
    assert [text.split() for text in texts] == [caption.text.split() for caption in expected]
    if spans is not None:
        shown = [(srt_time(caption.start), srt_time(caption.end)) for caption in expected]
        assert list(spans) == shown


def srt_time(clock: str) -> float:
    return srt.srt_timestamp_to_timedelta(clock.replace(".", ",")).total_seconds()


# -------------------------------------------------------------------- by hand

SRT = """\
1
00:00:01,500 --> 00:00:03,000
One <i>word</i>

2
00:00:03,000 --> 00:00:03,000

3
100:00:04,250 --> 100:00:05,000  X1:000 X2:000
{\\an8}Two
2 < 3 -> 4 --> 5
"""
SRT_CUES = (
    ("One word", "", "Two\n2 < 3 -> 4 --> 5"),
    ((1.5, 3.0), (3.0, 3.0), (360_004.25, 360_005.0)),
)


@pytest.mark.parametrize("change", ["as it is", "BOM", "CR", "CRLF", "UTF-16", "blank ends", "no numbers"])
def test_srt(tmp_path, change):
    data = {
        "as it is": SRT.encode(),
        "BOM": codecs.BOM_UTF8 + SRT.encode(),
        "CR": SRT.replace("\n", "\r").encode(),
        "CRLF": SRT.replace("\n", "\r\n").encode(),
        "UTF-16": SRT.encode("utf-16"),
        "blank ends": b"\n \n" + SRT.rstrip().replace("\n\n", "\n \n\n").encode() + b"\n\n \n",
        "no numbers": re.sub(r"^\d\n", "", SRT, flags=re.MULTILINE).encode(),
    }[change]
    corpus = read(put(tmp_path / "film.srt", data))
    assert only(corpus) == SRT_CUES
    assert (corpus.documents, corpus.coders) == (("film",), ())
    assert corpus.spans["film"].axis == "seconds"
    assert only(read(put(tmp_path / "film.x", data), "srt")) == SRT_CUES
    assert read(tmp_path / "film.x").metadata["format"] == "srt"


def test_srt_in_windows_1252(tmp_path):
    path = put(
        tmp_path / "film.srt", "1\n00:00:01,000 --> 00:00:02,000\nÇa déjà “vu” – 5 €\n".encode("cp1252")
    )
    with pytest.warns(UserWarning, match="read as Windows-1252"):
        assert only(read(path))[0] == ("Ça déjà “vu” – 5 €",)


def test_a_blank_line_inside_a_cue_is_told(tmp_path):
    path = put(
        tmp_path / "film.srt",
        "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n12 o'clock\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n",
    )
    with pytest.warns(UserWarning, match="line 4: the text below this blank line"):
        assert only(read(path))[0] == ("One\n12 o'clock", "Two")


VTT = """\
WEBVTT - a film
X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0

STYLE
::cue { color: red }

NOTE
several
lines

REGION
id:fred

00:01.500 --> 00:03.000 align:start position:0%
One <c.red>wo<00:00:02.000>rd</c>

one cue's name
00:00:03.000 --> 00:00:03.000

100:00:04.250 --> 100:00:05.000
<v Ann Bee>Two
2 &lt; 3 -&gt; 4 &amp; &lt;b&gt; < 5
"""
VTT_CUES = (
    ("One word", "", "Two\n2 < 3 -> 4 & <b> < 5"),
    ((1.5, 3.0), (3.0, 3.0), (360_004.25, 360_005.0)),
)


@pytest.mark.parametrize("change", ["as it is", "BOM", "CR", "CRLF", "UTF-16", "blank ends"])
def test_webvtt(tmp_path, change):
    data = {
        "as it is": VTT.encode(),
        "BOM": codecs.BOM_UTF8 + VTT.encode(),
        "CR": VTT.replace("\n", "\r").encode(),
        "CRLF": VTT.replace("\n", "\r\n").encode(),
        "UTF-16": VTT.encode("utf-16"),
        "blank ends": VTT.rstrip().replace("\n\n", "\n \n\n").encode() + b"\n\n \n",
    }[change]
    corpus = read(put(tmp_path / "film.vtt", data))
    assert corpus.metadata["format"] == "webvtt"
    assert only(corpus) == VTT_CUES
    assert read(put(tmp_path / "film.x", data)).metadata["format"] == "webvtt"


def test_text_outside_of_cues_is_told(tmp_path):
    path = put(
        tmp_path / "a.vtt", "WEBVTT\n\nlost\n\n00:01.000 --> 00:02.000\nOne\n\nlost again\n\nNOTE fine\n"
    )
    with pytest.warns(UserWarning, match=r"line 3: 'lost' stands in no cue \(and 1 more\)"):
        corpus = read(path)
    assert only(corpus)[0] == ("One",)


# -------------------------------------------------------------------- cues that overlap

NESTED = [(0, 100_000, "a"), (10_000, 20_000, "b"), (30_000, 40_000, "c"), (50_000, 60_000, "d")]


def as_srt(cues: list[tuple[int, int, str]]) -> str:
    """Cues as the package srt writes them."""
    return "\n".join(
        f"{number}\n{shown(start)} --> {shown(end)}\n{text}\n"
        for number, (start, end, text) in enumerate(cues, start=1)
    )


def shown(milliseconds: int) -> str:
    return srt.timedelta_to_srt_timestamp(srt.timedelta(milliseconds=milliseconds))


@pytest.mark.parametrize(
    ("rule", "spans"),
    [
        ("start", ((0, 10), (10, 20), (30, 40), (50, 60))),
        ("end", ((0, 20), (20, 20), (40, 40), (60, 60))),
        ("middle", ((0, 15), (15, 20), (35, 40), (55, 60))),
    ],
)
def test_overlaps_are_cut_where_the_caller_says(tmp_path, rule, spans):
    path = put(tmp_path / "film.srt", as_srt(NESTED))
    with pytest.warns(UserWarning, match=r"line 6: cue 2 starts before the previous .*overlap='start'"):
        assert only(read(path)) == (("a", "b", "c", "d"), None)
    assert only(read(path, overlap=rule)) == (("a", "b", "c", "d"), spans)
    assert "line 6: cue 2 starts before" in refusal(path, overlap="error")
    assert "use 'start', 'end' or 'middle'" in refusal(path, overlap="edges")


def test_cues_that_are_not_in_order_lose_their_times(tmp_path):
    path = put(tmp_path / "film.srt", as_srt([(5000, 6000, "a"), (1000, 2000, "b")]))
    with pytest.warns(UserWarning, match="line 6: cue 2 starts before the previous cue starts"):
        assert only(read(path, overlap="start")) == (("a", "b"), None)


@given(
    cues=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8),
    rule=st.sampled_from(["start", "end", "middle"]),
)
@settings(max_examples=100)
def test_cut_cues_are_units_inside_what_they_were(tmp_path, cues, rule):
    cues = sorted((start * 1000, (start + length) * 1000, "x") for start, length in cues)
    spans = only(read(put(tmp_path / "film.srt", as_srt(cues)), overlap=rule))[1]
    reached = 0.0
    for (start, end), (first, last, _) in zip(spans, cues, strict=True):
        assert reached <= start <= end
        if end > start:
            assert first / 1000 <= start
            assert end <= last / 1000
        reached = end


# -------------------------------------------------------------------- writing

lines = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=12)
texts = st.lists(lines | st.sampled_from(["<i>x</i>", "1", "a --> b", "{\\an8}", "&amp;"]), max_size=3)
timed_cues = st.lists(
    st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), texts.map("\n".join)), min_size=1, max_size=5
).map(
    lambda rows: [
        (before + gap, before + gap + length, text)
        for (gap, length, text), before in zip(
            rows, [sum(g + n for g, n, _ in rows[:i]) for i in range(len(rows))], strict=True
        )
    ]
)


@pytest.mark.parametrize("extension", NAMES)
@given(cues=timed_cues)
def test_what_is_written_is_read_back_or_refused(tmp_path, extension, cues):
    corpus = subtitles(cues)
    path = tmp_path / f"film{extension}"
    path.unlink(missing_ok=True)
    try:
        write(corpus, path)
    except CorpusError as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        assert refused.startswith(f"{path}: document film: unit ")
        assert not path.exists()
        return
    found = quietly(path)
    assert found.metadata["format"] == NAMES[extension]
    assert only(found) == only(corpus)


PLAIN = [(0, 1500, "One"), (1500, 1500, "naïve 日本\ntwo lines"), (7_260_001, 400_000_000, "42")]


def test_other_packages_read_what_is_written(tmp_path):
    corpus = subtitles(PLAIN)
    write(corpus, tmp_path / "film.srt")
    found = list(srt.parse((tmp_path / "film.srt").read_text(encoding="utf-8")))
    times = [(start / 1000, end / 1000) for start, end, _ in PLAIN]
    assert [(cue.start.total_seconds(), cue.end.total_seconds()) for cue in found] == times
    assert [cue.content for cue in found] == [text for _, _, text in PLAIN]
    assert [cue.index for cue in found] == [1, 2, 3]
    write(corpus, tmp_path / "film.vtt")
    captions = list(webvtt.read(tmp_path / "film.vtt"))
    assert [(srt_time(caption.start), srt_time(caption.end)) for caption in captions] == times
    assert [caption.text for caption in captions] == [text for _, _, text in PLAIN]


@pytest.mark.parametrize("text", ["two\n\nparagraphs", " ", "a\r\nb", "end\n"])
@pytest.mark.parametrize("extension", NAMES)
def test_texts_that_no_cue_can_hold(tmp_path, extension, text):
    with pytest.raises(CorpusError, match=r"unit 2 is .* reads back; use jsonl"):
        write(subtitles([(0, 1, "a"), (2, 3, text)]), tmp_path / f"film{extension}")


def test_what_is_not_written(tmp_path):
    def cue(start: float, end: float) -> Corpus:
        return Corpus.from_dict({"d": {"ann": [1]}}, units={"d": ["x"]}).with_spans(
            {"d": Units.from_spans([(start, end)], "seconds")}
        )

    for name in NAMES.values():
        with pytest.raises(CorpusError, match=r"unit 1: 1\.2345 s is finer than a millisecond"):
            write(cue(1.2345, 2), tmp_path / "d.x", name)
        with pytest.raises(CorpusError, match="unit 1: -1 s is negative"):
            write(cue(-1, 2), tmp_path / "d.x", name)
        with pytest.raises(CorpusError, match="document d has no text"):
            write(Corpus.from_dict({"d": {"ann": [1]}}), tmp_path / "d.x", name)
        with pytest.raises(CorpusError, match="needs units in seconds"):
            write(Corpus.from_dict({"d": {"ann": [1]}}, units={"d": ["x"]}), tmp_path / "d.x", name)
        # A coded document is written as what was coded, and that is told.
        assert not_kept(cue(1, 2), FORMATS[name], "d.x") == ["the codings"]
        write(cue(1, 2), tmp_path / "d.x", name)
        assert only(read(tmp_path / "d.x", name)) == (("x",), ((1.0, 2.0),))
        (tmp_path / "d.x").unlink()
    with pytest.raises(CorpusError, match="document film is not coded"):
        write(subtitles(PLAIN), tmp_path / "d.json")
    assert not_kept(subtitles(PLAIN), FORMATS["srt"], "film.srt") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES.values())
def test_a_folder_of_films(tmp_path, name):
    corpus = Corpus.merge(subtitles(PLAIN, "a"), subtitles(PLAIN[1:], "part/b"))
    write(corpus, tmp_path / "out", name)
    found = read(tmp_path / "out")
    assert found.documents == ("a", "part/b")
    assert dict(found.units) == dict(corpus.units)
    assert {document: units.spans for document, units in found.spans.items()} == {
        document: units.spans for document, units in corpus.spans.items()
    }


# -------------------------------------------------------------------- bad files

TIMES = "00:00:01,000 --> 00:00:02,000"
BAD = {
    "a.srt": [
        ("just text\n", r"line 1 is 'just text': expected a cue's number"),
        ("1\n", "line 1 is '1': expected a cue's number"),
        ("lost\n1\n" + TIMES + "\nx\n", "line 1 is 'lost'"),
        ("1\n00:00:01,000 -->\nx\n", r"line 2 is .*: the cue has no end; is it cut off\?"),
        (
            "1\n00:00:01,000 --> 00:0",
            r"line 2 is .*: expected a text after .*; is the file cut off\?",
        ),
        ("1\n00:00:01,000 --> 00:0\n", "line 2: the time is '00:0': expected one such as 00:01:02.500"),
        ("1\n" + TIMES, "line 2 is .*: expected a text after a cue's times"),
        (
            "1\n00:00:01,000 --> 00:99:99,000\nx\n",
            "line 2: .*'00:99:99,000': minutes and seconds go up to 59",
        ),
        ("1\n00:00:61,000 --> 00:01:02,000\nx\n", "line 2: .*'00:00:61,000': minutes and seconds"),
        ("1\n-00:00:01,000 --> 00:00:02,000\nx\n", "line 2: .*'-00:00:01,000': it is negative"),
        ("1\nnan --> 00:00:02,000\nx\n", "line 2: the time is 'nan': expected one such as 00:01:02.500"),
        ("1\n1e3 --> inf\nx\n", "line 2: the time is '1e3'"),
        ("1\n00:00:05,000 --> 00:00:02,000\nx\n", "line 2: the cue ends at 00:00:02,000, before it starts"),
        ("1\n" + TIMES + "\nx\n\n2\n", "line 5 is '2': expected times below the number of a cue"),
        ("1\n" + TIMES + "\nx\n\n2\n00:00:0", "line 6 is '00:00:0': expected a text after a cue's times"),
        ("1\n٠٠:00:01,000 --> 00:00:02,000\nx\n", "line 2: the time is"),
        (b"\x89PNG\r\n\0\0", "byte 0|NUL"),
        ("", "the file is empty"),
    ],
    "a.vtt": [
        ("1\n" + TIMES + "\nx\n", "line 1 is '1': expected WEBVTT"),
        ("WEBVTTX\n\n" + TIMES + "\nx\n", "line 1 is 'WEBVTTX'"),
        ("WEBVTT\n", "no cue; expected"),
        ("WEBVTT\n\n00:01.000 -->\n", "line 3 is .*: the cue has no end"),
        ("WEBVTT\n\n00:01.000 --> 0\n", "line 3: the time is '0'"),
        ("WEBVTT\n\n00:01.000 --> 00:0", "line 3 is .*: expected a text after a cue's times"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nx\n\n00:03", "line 6 is '00:03': expected a text"),
        ("WEBVTT\n\na --> b\n", "line 3: the time is 'a'"),
        ("WEBVTT\n\n00:99.000 --> 01:00.000\n", "line 3: the time is '00:99.000': minutes and seconds"),
        ("WEBVTT\n\n00:02.000 --> 00:01.000\n", "line 3: the cue ends at 00:01.000, before it starts"),
        ("WEBVTT\n\n-00:02.000 --> 00:01.000\n", "line 3: .*'-00:02.000': it is negative"),
        ("WEBVTT\n\nNaN --> NaN\n", "line 3: the time is 'NaN'"),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "fault"), [(name, *case) for name, cases in BAD.items() for case in cases]
)
def test_bad_files_give_one_clear_line(tmp_path, name, content, fault):
    assert re.match(fault, refusal(put(tmp_path / name, content)))


LONG = 200_000


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text",
    [
        "<" * LONG,
        "<a" * (LONG // 2),
        "<" + "a" * LONG,
        "{\\" * (LONG // 2),
        "{\\" + "a" * LONG,
        "&lt" * (LONG // 3),
        " " * LONG,
        "-->" * (LONG // 3),
        "0" * LONG,
        "0" * LONG + " --> 1",
        "00:00:01.000 --> " + "1:" * LONG,
        "-" * LONG + "-->",
        "1\n" * (LONG // 2),
        "\n" * LONG,
        "NOTE\n" * (LONG // 5),
        "x\n\n" * (LONG // 3),
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("name", NAMES.values())
def test_hostile_files_take_linear_time(tmp_path, name, text):
    starts = {"srt": f"1\n{TIMES}\n", "webvtt": f"WEBVTT\n\n{TIMES}\n"}
    for number, content in enumerate([starts[name] + text, text, starts[name] + "\n" + text]):
        path = put(tmp_path / f"{number}.x", content)
        started = time.process_time()
        with suppress(CorpusError):
            quietly(path, name)
        assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
@pytest.mark.parametrize("extension", NAMES)
def test_100_000_cues(tmp_path, extension):
    n = 100_000
    path = tmp_path / f"film{extension}"
    corpus = subtitles([(i * 1000, i * 1000 + 900, f"Line {i} & more\nand another") for i in range(n)])
    started = time.process_time()
    write(corpus, path)
    found = read(path)
    assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes
    assert only(found) == only(corpus)
