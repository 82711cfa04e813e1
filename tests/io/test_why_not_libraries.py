"""Why caesura reads some formats itself where libraries exist: what each does with a small file of ours.

A test shows a fault of a library, and what caesura does with the same file; the page of formats states these
faults. A test that fails with a newer version of its library is good news: the fault is mended. Then look
whether the library can be used in place of our own reader or writer, and correct docs/formats_page.py.
Versions are those of the extra ``readers`` in pyproject.toml.

Source of truth: the files are typed by hand, so what stands in them is known.
"""

from __future__ import annotations

import io
import re
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import srt
import webvtt
from praatio import textgrid as praatio
from praatio.utilities import textgrid_io
from pympi.Elan import Eaf
from tests.real_data import data_path
from webvtt.errors import MalformedCaptionError

from caesura import Corpus, CorpusError, Units
from caesura.io.reading import read
from caesura.io.writing import write
from caesura.values.making import CorpusBuilder

from .timed import put, quietly, refusal, times

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import conllu

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"


def library(name: str) -> Any:
    """Return a module; some warn of Python's own deprecations when they are loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(name)


def test_every_library_of_the_page_has_a_test_here():
    part = PAGE.read_text(encoding="utf-8").partition("\n## Libraries\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| ([\w.-]+) \d", part, flags=re.MULTILINE)
    assert len(listed) > 10
    names = " ".join(name for name in globals() if name.startswith("test_"))
    assert [name for name in listed if f"test_{re.sub('[.-]', '_', name)}_" not in names] == []


def film(cues: list[tuple[float, float, str]]) -> Corpus:
    builder = CorpusBuilder()
    builder.add_text("film", [text for _, _, text in cues])
    builder.add_units("film", Units.from_spans([cue[:2] for cue in cues], "seconds"))
    return Corpus.build(builder)


def texts(corpus: Corpus) -> tuple[str, ...]:
    return corpus.units[corpus.documents[0]]


# -------------------------------------------------------------------- srt

FIRST = "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n"
LAST = "3\n00:00:05,000 --> 00:00:06,000\nThree\n"
LETTER = f"{FIRST}2\n00:00:O3,000 --> 00:00:04,000\nTwo\n\n{LAST}"
"""In the second cue's start is a letter O for a nought, as programs that read pictures write it."""

LATE = "1\n100:00:01,000 --> 100:00:02,000\nOne\n"


def test_srt_takes_a_cue_with_a_misspelt_time_for_text_of_the_one_before(tmp_path):
    cues = list(srt.parse(LETTER))
    assert [cue.content.splitlines()[-1] for cue in cues] == ["Two", "Three"]
    assert refusal(put(tmp_path / "film.srt", LETTER)).startswith("line 6: the time is '00:00:O3,000'")


def test_srt_reads_a_file_that_is_cut_off(tmp_path):
    assert [cue.content for cue in srt.parse(f"{FIRST}2\n")] == ["One\n\n2"]
    assert "expected times below the number of a cue; is the file cut off?" in refusal(
        put(tmp_path / "film.srt", f"{FIRST}2\n")
    )


def test_pysubs2_takes_a_cue_with_a_misspelt_time_for_text_of_the_one_before():
    pysubs2 = library("pysubs2")
    for content, name in ((LETTER, "srt"), (VTT_LETTER, "vtt")):
        found = pysubs2.SSAFile.from_string(content, format_=name)
        assert [event.text.split(r"\N")[-1] for event in found] == ["Two", "Three"]


def test_pysubs2_loses_the_hours_from_the_hundredth_on(tmp_path):
    """Read, 100 hours are none; written, all that is later is at 99:59:59,999, with a warning."""
    pysubs2 = library("pysubs2")
    (event,) = pysubs2.SSAFile.from_string(LATE, format_="srt")
    assert (event.start, event.end) == (1000, 2000)
    event.start, event.end = 360_001_000, 360_002_000
    written = pysubs2.SSAFile()
    written.append(event)
    with pytest.warns(RuntimeWarning, match="clamping"):
        assert "99:59:59,999 --> 99:59:59,999" in written.to_string("srt")
    corpus = read(put(tmp_path / "film.srt", LATE))
    assert corpus.spans["film"].spans == ((360_001, 360_002),)
    write(corpus, tmp_path / "again.srt")
    assert (tmp_path / "again.srt").read_text() == LATE


def test_pycaption_needs_numbers_takes_99_for_minutes_and_reads_a_file_that_is_cut_off(tmp_path):
    pycaption = library("pycaption")

    def starts(content: str, reader: Any = pycaption.SRTReader) -> list[int]:
        return [cue.start for cue in reader().read(content).get_captions("en-US")]

    assert starts(VTT_CUT, pycaption.WebVTTReader) == [1_000_000]

    assert starts(FIRST) == [1_000_000]
    with pytest.raises(pycaption.exceptions.CaptionReadNoCaptions):
        starts(FIRST.removeprefix("1\n"))
    assert texts(read(put(tmp_path / "a.srt", FIRST.removeprefix("1\n")))) == ("One",)
    odd = "1\n00:99:99,000 --> 01:59:59,000\nOne\n"
    assert starts(odd) == [(99 * 60 + 99) * 1_000_000]
    assert refusal(put(tmp_path / "b.srt", odd)).startswith("line 2: the time is '00:99:99,000'")


# -------------------------------------------------------------------- webvtt

VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n"
VTT_LETTER = f"{VTT}00:O3.000 --> 00:04.000\nTwo\n\n00:05.000 --> 00:06.000\nThree\n"
VTT_CUT = f"{VTT}00:03"


def captions(content: str, *, strict: bool) -> list[str]:
    return [caption.text for caption in webvtt.from_string(content, strict=strict)]


def test_webvtt_py_leaves_out_a_cue_with_a_misspelt_time_unless_it_is_strict(tmp_path):
    assert captions(VTT_LETTER, strict=False) == ["One", "Three"]
    with pytest.raises(MalformedCaptionError):
        captions(VTT_LETTER, strict=True)
    assert refusal(put(tmp_path / "film.vtt", VTT_LETTER)).startswith("line 6: the time is '00:O3.000'")
    assert [caption.text for caption in webvtt.from_buffer(io.StringIO(LETTER), format="srt")] == [
        "One",
        "Three",
    ]


def test_webvtt_py_reads_a_file_that_is_cut_off_even_if_it_is_strict(tmp_path):
    assert captions(VTT_CUT, strict=True) == ["One"]
    assert "expected a text after a cue's times" in refusal(put(tmp_path / "film.vtt", VTT_CUT))


@pytest.mark.parametrize("between", [" \n", ""], ids=["a line with a space", "nothing"])
def test_webvtt_py_refuses_what_programs_write_if_it_is_strict(tmp_path, between):
    content = f"WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n{between}00:05.000 --> 00:06.000\nTwo\n"
    with pytest.raises(MalformedCaptionError):
        captions(content, strict=True)
    assert texts(quietly(put(tmp_path / "film.vtt", content))) == ("One", "Two")


@pytest.mark.parametrize(("name", "n_cues"), [("webvttpy_youtube_dl", 4), ("webvttpy_netflix_first66", 66)])
def test_webvtt_py_refuses_two_sample_files_if_it_is_strict(name, n_cues):
    """The numbers of cues are facts of the description of the sample files."""
    path = data_path("formats", "vtt", f"{name}.vtt")
    with pytest.raises(MalformedCaptionError):
        webvtt.read(path, strict=True)
    assert len(texts(quietly(path))) == n_cues


def test_webvtt_py_writes_signs_of_markup_as_they_are(tmp_path):
    text = "the tag <b> & more"
    written = webvtt.WebVTT(captions=[webvtt.Caption("00:00:01.000", "00:00:02.000", text)]).content
    assert captions(written, strict=True) == ["the tag  & more"]
    write(film([(1, 2, text)]), tmp_path / "film.vtt")
    assert texts(read(tmp_path / "film.vtt")) == (text,)
    assert "the tag &lt;b&gt; &amp; more" in (tmp_path / "film.vtt").read_text()


def test_ttconv_leaves_out_a_cue_with_a_misspelt_time(caplog):
    """It says so in the log."""
    reader = library("ttconv.vtt.reader")
    (division,) = reader.to_model(io.StringIO(VTT_LETTER)).get_body()
    assert [paragraph.get_begin() for paragraph in division] == [1, 5]
    assert "Invalid timestamp 00:O3.000" in caplog.text


# -------------------------------------------------------------------- textgrid

ITEMS = ["0\n4\n", '"x"\n', "4\n6\n", '"y"\n', "6\n10\n", '"z"\n']
SHORT = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n10\n<exists>\n1\n'
SHORT += f'"IntervalTier"\n"a"\n0\n10\n3\n{"".join(ITEMS)}'
CUT = SHORT[: SHORT.index("10\n" + '"z"')]
"""It ends inside the third of three intervals."""

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = -5
xmax = 5
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "{kind}"
        name = "a"
        xmin = -5
        xmax = 5
        {items}
"""
POINT = LONG.format(kind="TextTier", items='points: size = 1\npoints [1]:\nnumber = -2\nmark = "x"')


def intervals(*edges: str) -> str:
    """The long form of a tier from -5 to 5 whose first and only inner edge is spelt so, at both its sides."""
    end, start = edges
    spans = [("-5", end), (start, "5")]
    items = "\n".join(
        f'intervals [{number}]:\nxmin = {first}\nxmax = {last}\ntext = ""'
        for number, (first, last) in enumerate(spans, start=1)
    )
    return LONG.format(kind="IntervalTier", items=f"intervals: size = 2\n{items}")


def entries(path: Path) -> list[tuple[Any, ...]]:
    (tier,) = praatio.openTextgrid(str(path), includeEmptyIntervals=True, reportingMode="error").tiers
    return [tuple(entry) for entry in tier.entries]


def test_praatio_reads_what_is_there_of_a_file_that_is_cut_off(tmp_path):
    assert entries(put(tmp_path / "d.TextGrid", SHORT)) == [(0, 4, "x"), (4, 6, "y"), (6, 10, "z")]
    path = put(tmp_path / "cut.TextGrid", CUT)
    assert entries(path) == [(0, 4, "x"), (4, 6, "y")]
    assert "the file ends before the end of interval 3 of tier 1 of 1 ('a')" in refusal(path)


def test_praatio_drops_the_sign_of_times_before_0(tmp_path):
    path = put(tmp_path / "d.TextGrid", POINT)
    assert entries(path) == [(2, "x")]
    assert times(read(path), "a") == [-2]


def test_praatio_writes_times_near_whole_seconds_as_whole_seconds(tmp_path):
    """In a long recording, three instants after a second: it goes by a share of the time, 1e-14."""
    start, place, end = 40_000_000.0, 40_000_001.0000003, 40_000_002.0
    tier = {"class": "IntervalTier", "name": "a", "xmin": start, "xmax": end}
    tier["entries"] = [(start, place, ""), (place, end, "")]
    written = textgrid_io.getTextgridAsStr(
        {"xmin": start, "xmax": end, "tiers": [tier]}, "long_textgrid", includeBlankSpaces=False
    )
    assert "xmax = 40000001 \n" in written
    assert "40000001.0000003" not in written
    units = Units.of_time(end, start=start)
    corpus = Corpus.from_dict({"d": {"a": units.place([place]).segmentation}}).with_spans({"d": units})
    write(corpus, tmp_path / "d.TextGrid")
    assert "xmax = 40000001.0000003\n" in (tmp_path / "d.TextGrid").read_text()
    assert times(read(tmp_path / "d.TextGrid"), "a") == [place]


def test_praat_parselmouth_reads_the_part_of_a_time_before_a_comma(tmp_path):
    parselmouth = library("parselmouth")
    path = put(tmp_path / "d.TextGrid", intervals("1,5", "1,5"))
    found = parselmouth.Data.read(str(path))
    assert parselmouth.praat.call(found, "Get end time of interval", 1, 1) == 1
    assert "expected the end of interval 1 of tier 1 of 1 ('a'), a number, not '1,5'" in refusal(path)


def test_tgt_reads_what_is_there_of_a_file_that_is_cut_off(tmp_path):
    tgt = library("tgt")
    content = intervals("1", "1")
    path = put(tmp_path / "d.TextGrid", content[: content.index("intervals [2]")])
    (tier,) = tgt.read_textgrid(str(path), include_empty_intervals=True).tiers
    assert [(one.start_time, one.end_time) for one in tier] == [(-5, 1)]
    assert "the file ends before the time of interval 2" in refusal(path)


def test_textgrid_leaves_out_an_interval_that_ends_before_it_starts(tmp_path):
    textgrid = library("textgrid")
    path = put(tmp_path / "d.TextGrid", intervals("-7", "1"))
    assert len(textgrid.TextGrid.fromFile(str(path))[0]) == 1
    assert "interval 1 starts at -5 and ends at -7: it ends before it starts" in refusal(path)


def test_mytextgrid_does_not_read_the_short_form(tmp_path):
    mytextgrid = library("mytextgrid")
    path = put(tmp_path / "d.TextGrid", SHORT)
    with pytest.raises((TypeError, IndexError)):
        mytextgrid.read_textgrid(str(path))
    assert times(read(path), "a") == [4, 6]


# -------------------------------------------------------------------- conllu, disrpt


def word(number: object, form: str, misc: str = "_") -> str:
    return "\t".join([str(number), form, *["_"] * 7, misc]) + "\n"


DOCUMENTS = (
    f"# newdoc id = a\n{word(1, 'One', 'Seg=B-seg')}{word(2, 'two', 'Seg=O')}"
    f"# newdoc id = b\n{word(1, 'Three', 'Seg=B-seg')}"
)
"""As DISRPT's .tok has them: no blank line between documents."""


def test_conllu_makes_one_sentence_of_documents_without_blank_lines_between(tmp_path):
    (sentence,) = conllu.parse(DOCUMENTS)
    assert sentence.metadata == {"newdoc id": "b"}
    assert [token["form"] for token in sentence] == ["One", "two", "Three"]
    corpus = read(put(tmp_path / "d.tok", DOCUMENTS))
    assert dict(corpus.units) == {"a": ("One", "two"), "b": ("Three",)}


def test_conllu_divides_words_at_two_spaces_and_loses_the_last_column(tmp_path):
    line = word(1, "ten  thousand", "Seg=B-seg")
    ((token,),) = conllu.parse(line)
    assert (token["form"], token["misc"]) == ("ten", None)
    corpus = read(put(tmp_path / "d.tok", line))
    assert corpus.units["d"] == ("ten  thousand",)


SHORT_LINE, LONG_LINE = word(1, "One") + "2\ttwo\ttwo\n", word(1, "One").replace("\n", "\tlost\n")


def test_conllu_accepts_three_of_ten_columns_and_eleven(tmp_path):
    assert [[token["form"] for token in one] for one in conllu.parse(SHORT_LINE)] == [["One", "two"]]
    assert "lost" not in str([dict(token) for one in conllu.parse(LONG_LINE) for token in one])
    assert "line 2 is '2\\ttwo\\ttwo': expected 10 columns with tabs, not 3" in refusal(
        put(tmp_path / "d.conllu", SHORT_LINE)
    )
    assert "with tabs, not 11" in refusal(put(tmp_path / "e.conllu", LONG_LINE))


def test_conllu_writes_a_word_with_a_tab_as_two_columns(tmp_path):
    token = conllu.Token(zip(conllu.parser.DEFAULT_FIELDS, [1, "a\tb", *[None] * 8], strict=True))
    assert conllu.TokenList([token]).serialize().strip().count("\t") == 10
    corpus = Corpus.from_dict({"a": {"reference": [1]}}, units={"a": ["a\tb"]})
    with pytest.raises(CorpusError, match="cannot be a word"):
        write(corpus, tmp_path / "d.tok")


def test_pyconll_makes_one_sentence_of_documents_and_accepts_any_number(tmp_path):
    pyconll = library("pyconll")
    (sentence,) = pyconll.load_from_string(f"{DOCUMENTS}\n")
    assert sentence.meta_value("newdoc id") == "b"
    assert [token.form for token in sentence] == ["One", "two", "Three"]
    content = word("x", "One") + "\n"
    assert [token.id for token in pyconll.load_from_string(content)[0]] == ["x"]
    assert "line 1: the word's number is 'x'" in refusal(put(tmp_path / "d.conllu", content))


@pytest.mark.exhaustive
def test_udapi_makes_one_sentence_of_documents_and_accepts_three_of_ten_columns_and_eleven():
    """Their refusal is above, with conllu."""
    document = library("udapi.core.document").Document

    def forms(content: str) -> list[list[str]]:
        found = document()
        found.from_conllu_string(f"{content}\n")
        return [[node.form for node in bundle.trees[0].descendants] for bundle in found.bundles]

    assert forms(DOCUMENTS) == [["One", "two", "Three"]]
    assert forms(SHORT_LINE) == [["One", "two"]]
    assert forms(LONG_LINE) == [["One"]]


# -------------------------------------------------------------------- elan


def elan(tiers: str, unit: str = "milliseconds") -> str:
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{1000 * number}"/>' for number in range(4)
    )
    return (
        '<ANNOTATION_DOCUMENT VERSION="3.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:noNamespaceSchemaLocation="EAFv3.0.xsd"><HEADER TIME_UNITS="{unit}"/>'
        f"<TIME_ORDER>{slots}</TIME_ORDER>{tiers}</ANNOTATION_DOCUMENT>"
    )


def tier(name: str, annotation: str, start: int, end: int) -> str:
    return (
        f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="x"><ANNOTATION><ALIGNABLE_ANNOTATION '
        f'ANNOTATION_ID="{annotation}" TIME_SLOT_REF1="ts{start}" TIME_SLOT_REF2="ts{end}">'
        "<ANNOTATION_VALUE/></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
    )


def test_pympi_ling_keeps_the_last_of_tiers_with_one_name(tmp_path):
    path = put(tmp_path / "d.eaf", elan(tier("a", "a1", 0, 1) + tier("a", "a2", 2, 3)))
    theirs = Eaf(str(path))
    assert [(name, theirs.get_annotation_data_for_tier(name)) for name in theirs.get_tier_names()] == [
        ("a", [(2000, 3000, "")])
    ]
    with pytest.warns(UserWarning, match=r"tier 2 is called 'a' as one before: here a \(2\)"):
        corpus = read(path)
    assert {coder: times(corpus, coder) for coder in corpus.coders} == {"a": [1], "a (2)": [2]}


def test_pympi_ling_takes_frames_for_milliseconds(tmp_path):
    path = put(tmp_path / "d.eaf", elan(tier("a", "a1", 0, 1), "PAL-frames"))
    assert Eaf(str(path)).get_annotation_data_for_tier("a") == [(0, 1000, "")]
    assert "TIME_UNITS is 'PAL-frames': only milliseconds can be read" in refusal(path)


def test_pympi_ling_does_not_say_where_a_fault_is(tmp_path):
    path = put(tmp_path / "d.eaf", elan(tier("a", "a1", 0, 9)))
    with pytest.raises(KeyError, match=r"^'ts9'$"):
        Eaf(str(path)).get_annotation_data_for_tier("a")
    assert "tier 'a': annotation 'a1': TIME_SLOT_REF2 is 'ts9'" in refusal(path)
    path = put(tmp_path / "e.eaf", elan(tier("a", "a1", 0, 1))[:-20])
    with pytest.raises(Exception, match=r"^Unable to parse eaf, can you open it in ELAN"):
        Eaf(str(path))
    assert "not well-formed XML: unclosed token: line 1, column" in refusal(path)


# -------------------------------------------------------------------- rttm

TURN = "SPEAKER m 1 0.00 3.25 <NA> <NA> ann <NA> <NA>\n"


def test_pyannote_database_leaves_out_turns_that_are_wrong(tmp_path):
    """A line that is cut off, and a turn of negative length."""
    util = library("pyannote.database.util")
    for wrong, fault in (
        ("SPEAKER m 1 5", "line 2 is 'SPEAKER m 1 5': expected SPEAKER, recording"),
        (TURN.replace("3.25", "-5"), "line 2: the duration is -5"),
    ):
        path = put(tmp_path / "d.rttm", TURN + wrong)
        assert [(turn.start, turn.end) for turn in util.load_rttm(str(path))["m"].itersegments()] == [
            (0, 3.25)
        ]
        assert fault in refusal(path, turns="changes")


def test_pyannote_database_writes_milliseconds():
    core = library("pyannote.core")
    turns = core.Annotation(uri="m")
    turns[core.Segment(0, 1.2345678)] = "ann"
    assert " 1.235 " in turns.to_rttm()


def test_meeteval_takes_words_for_turns_and_1_0_for_ten(tmp_path):
    meeteval = library("meeteval")
    path = put(tmp_path / "d.rttm", TURN + "LEXEME m 1 1.0 0.2 hello lex ann 0.5 <NA>\n")
    assert [float(turn.begin_time) for turn in meeteval.io.RTTM.load(str(path))] == [0, 1]
    assert quietly(path, turns="edges").spans["m"].end == 3.25
    path = put(tmp_path / "e.rttm", TURN.replace("3.25", "1_0"))
    assert [float(turn.duration) for turn in meeteval.io.RTTM.load(str(path))] == [10]
    assert "line 1: the duration is '1_0': expected a number" in refusal(path, turns="edges")


# -------------------------------------------------------------------- brat


TEXT = "It rained all day."

passed_over = pytest.mark.parametrize(
    ("content", "n_spans", "fault"),
    [
        ("T1\tX 0 99\tIt\n", 1, "line 1: it ends at 99 and the text at 18"),
        ("Z1\tX 0 2\tIt\n", 0, "line 1: it is 'Z1\\tX 0 2\\tIt': expected a span"),
    ],
    ids=["a span outside the text", "a line of a kind that there is not"],
)


def put_brat(folder: Path, content: str) -> Path:
    put(folder / "d.txt", TEXT)
    return put(folder / "d.ann", content)


@passed_over
def test_bioc_passes_over_faults(tmp_path, content, n_spans, fault):
    assert len(library("bioc.brat").loads(TEXT, content).entities) == n_spans
    assert fault in refusal(put_brat(tmp_path, content))


@passed_over
def test_pybrat_passes_over_faults(tmp_path, content, n_spans, fault):
    parser = library("pybrat.parser").BratParser(error="raise")
    path = put_brat(tmp_path, content)
    (found,) = parser.parse(tmp_path)
    assert len(found.entities) == n_spans
    assert fault in refusal(path)
