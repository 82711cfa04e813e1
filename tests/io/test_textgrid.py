"""Praat's TextGrid.

Source of truth: the facts that the README of the sample files states (computed without caesura), the reader
of praatio, and for written files that praatio and we read the same corpus back.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from praatio import textgrid as praatio
from tests.loops import each
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.formats import textgrid
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units

from .timed import put, quietly, refusal, times

START, END = 1358.8925, 1422.5525
PHONES = (15, [0.31542, 0.385268, 0.490683, 0.568711, 0.67555])
MARY = {
    "phone": PHONES,
    "word": (5, [0.31542, 0.67555, 0.983907, 1.063726, 1.518254]),
    "pitch": (4, [0.597869, 0.82646, 1.01958, 1.200876]),
}
GORMAN = {
    "phone": (107, [1361.8925, 1362.0125, 1362.1325, 1362.1625, 1363.3325]),
    "word": (44, [1361.8925, 1362.1625, 1363.3325, 1363.4925, 1364.6425]),
    "mute": (0, []),
    "Errors": (2, [1362.1625, 1363.3325]),
}
FACTS = {
    "textgrid_long_format": ((START, END), GORMAN),
    "textgrid_short_format": ((START, END), {name: GORMAN[name] for name in ("phone", "word", "Errors")}),
    "praatio_mary": ((0, 1.869687), MARY),
    "praatio_mary_longfile": ((0, 1.869687), MARY),
    "praatio_bobby_words_with_newlines": (
        (0, 1.194625),
        {
            '"word"': (5, [0.064691, 0.411565, 0.657688, 0.740816, 1.117148]),
            "phrase": (2, [0.064691, 1.117148]),
            "tier 3": (4, [0.232905, 0.530454, 0.696696, 0.923171]),
        },
    ),
    "praatio_bobby_phones_elan": (
        (0, 1.194625),
        {"phone": (15, [0.012472, 0.064691, 0.08439, 0.232858, 0.278821])},
    ),
    "praatio_all_tiers_have_the_same_name": (
        (0, 1),
        {
            "Mary": (2, [0.065886, 0.234288]),
            "Mary (2)": (2, [0.193952, 0.334119]),
            "Mary (3)": (2, [0.411765, 0.518655]),
        },
    ),
    "readtextgrid_points": ((0, 1), {"test": (3, [0.1, 0.5, 0.8])}),
    "readtextgrid_nested-intervals": (
        (0, 1.863492),
        {
            "words": (4, [0.419353, 0.760948, 0.854458, 1.44223]),
            "phones": (10, [0.419353, 0.524313, 0.636906, 0.760948, 0.854458]),
            "utterance": (0, []),
        },
    ),
    "readtextgrid_quoted": (
        (0, 2.3),
        {"sentence": (0, []), "phonemes": (2, [0.7, 1.6]), "bell": (2, [0.9, 1.3])},
    ),
}


def sample(name: str) -> Path:
    return data_path("formats", "textgrid", f"{name}.TextGrid")


def short_form(*tiers: str, start: object = 0, end: object = 10) -> str:
    head = f'"ooTextFile"\n"TextGrid"\n\n{start}\n{end}\n<exists>\n{len(tiers)}\n'
    return head + "".join(tiers)


def tier(name: str, *items: str, kind: str = "IntervalTier", n: int | None = None) -> str:
    n = len(items) if n is None else n
    return "\n".join([f'"{kind}"', f'"{name}"', "0", "10", str(n), *items]) + "\n"


# -------------------------------------------------------------------- the sample files


@pytest.mark.parametrize("name", FACTS)
def test_the_facts_of_the_sample_files(name):
    (start, end), tiers = FACTS[name]
    corpus = quietly(sample(name))
    assert corpus.metadata["format"] == "textgrid"
    assert corpus.documents == (name,)
    assert corpus.coders == tuple(tiers)
    units = corpus.spans[name]
    assert (units.origin, units.end) == pytest.approx((start, end), abs=1e-6)
    for coder, (n_boundaries, first) in tiers.items():
        found = times(corpus, coder)
        assert len(found) == n_boundaries
        assert found[:5] == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in FACTS if not name.startswith("textgrid_")])
def test_the_same_times_as_praatio(name):
    """It refuses the other two: there intervals overlap by a tenth of a microsecond."""
    path = sample(name)
    theirs = praatio.openTextgrid(
        str(path), includeEmptyIntervals=True, reportingMode="silence", duplicateNamesMode="rename"
    )
    ours = quietly(path)
    for coder, other in zip(ours.coders, [tier for tier in theirs.tiers if tier.entries], strict=True):
        edges = {edge for entry in other.entries for edge in entry[:-1]}
        edges -= {theirs.minTimestamp, theirs.maxTimestamp, other.minTimestamp, other.maxTimestamp}
        assert times(ours, coder) == pytest.approx(sorted(edges), abs=0.6e-6)


def test_what_is_odd_is_told():
    with pytest.warns(UserWarning, match="tier 2 is called 'Mary' as one before: here Mary \\(2\\)"):
        read(sample("praatio_all_tiers_have_the_same_name"))
    with pytest.warns(UserWarning, match="tier 3 has no name: here tier 3"):
        read(sample("praatio_bobby_words_with_newlines"))
    with pytest.warns(UserWarning, match="tier 'mute' is empty: it is not coded"):
        read(sample("textgrid_short_format"))


def test_the_file_that_is_hard_to_parse():
    """A tier of it leaves the recording; the others can be chosen."""
    path = sample("readtextgrid_hard-to-parse")
    message = refusal(path)
    assert message.startswith("tier 'Embedded \"String\" here': interval 1 is at -0.1, outside the recording")
    corpus = quietly(path, tiers=["! Fake Comment", "point tier 1", "TextTier"])
    assert corpus.coders == ("! Fake Comment", "point tier 1")
    assert times(corpus, "! Fake Comment") == pytest.approx([1, 2])
    assert times(corpus, "point tier 1") == pytest.approx([0.1, 0.8])
    notices = " ".join(corpus.metadata["notices"])
    assert "has -10 items: taken for none, as Praat does" in notices
    assert "what follows the last of 4 tiers was not read" in notices


# -------------------------------------------------------------------- forms


def test_the_example_of_the_documentation(tmp_path):
    corpus = read(put(tmp_path / "news.TextGrid", FORMATS["textgrid"].example))
    assert corpus.coders == ("topic", "pause")
    assert times(corpus, "topic") == [4.25]
    assert times(corpus, "pause") == pytest.approx([4.1])


@pytest.mark.parametrize("change", ["BOM", "CR", "CRLF", "UTF-16", "other extension"])
def test_encodings_and_line_ends(tmp_path, change):
    text = FORMATS["textgrid"].example
    data = {
        "BOM": text.encode("utf-8-sig"),
        "CR": text.replace("\n", "\r").encode(),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "UTF-16": text.encode("utf-16"),
        "other extension": text.encode(),
    }[change]
    corpus = read(put(tmp_path / ("d.txt" if change == "other extension" else "d.TextGrid"), data))
    assert corpus.metadata["format"] == "textgrid"
    assert times(corpus, "topic") == [4.25]


def test_quotes_breaks_and_comments(tmp_path):
    text = short_form(
        tier(
            'say ""hi""',
            '0 4.5 "a ""quoted"" label\nof two lines, 3 and ""4"""! 7',
            "4.5s 10 free text 'x' \"\"",
        )
    )
    corpus = read(put(tmp_path / "d.TextGrid", text))
    assert corpus.coders == ('say "hi"',)
    assert times(corpus, 'say "hi"') == [4.5]


def test_gaps_and_overlaps_are_edges_unless_the_caller_says_else(tmp_path):
    path = put(tmp_path / "d.TextGrid", short_form(tier("a", '1 4 "x"', '6 8 "y"', '7 10 "z"')))
    assert times(read(path), "a") == [1, 4, 6, 7, 8]
    assert times(read(path, gaps="join", overlap="start"), "a") == [6, 7]
    assert "overlaps an earlier one" in refusal(path, overlap="error")


def test_where_a_tier_as_such_ends_is_no_boundary(tmp_path):
    inner = tier("a", '2 4 ""', '4 8 ""').replace("\n0\n10\n", "\n2\n8\n")
    assert times(read(put(tmp_path / "d.TextGrid", short_form(inner))), "a") == [4]


def test_tiers_are_chosen_by_name(tmp_path):
    text = short_form(tier("topic", '0 10 ""'), tier("phone", '0 3 ""', '3 10 ""'))
    path = put(tmp_path / "d.TextGrid", text)
    assert read(path, tiers=["phone"]).coders == ("phone",)
    assert read(path, tiers="phone").coders == ("phone",)
    assert refusal(path, tiers=["phones"]) == "unknown tier 'phones'; did you mean 'phone'?"


def test_names_are_told_apart_whatever_they_are(tmp_path):
    tiers = [tier(name, '0 10 ""') for name in ("a", "a (2)", "a", "", "tier 4")]
    corpus = quietly(put(tmp_path / "d.TextGrid", short_form(*tiers)))
    assert corpus.coders == ("a", "a (2)", "a (3)", "tier 4 (2)", "tier 4")


@pytest.mark.parametrize("tiers", ["<absent>\n", "<exists>\n0\n", f"<exists>\n1\n{tier('a')}"])
def test_a_file_that_nobody_has_coded(tmp_path, tiers):
    corpus = quietly(put(tmp_path / "d.TextGrid", f'"ooTextFile"\n"TextGrid"\n0\n2\n{tiers}'))
    assert (corpus.documents, corpus.n_codings) == (("d",), 0)
    assert corpus.n_units("d") == 20_000_000


# -------------------------------------------------------------------- round trips


@given(
    start=st.integers(0, 3_000_000).map(lambda n: n / 1000),
    places=st.lists(st.sets(st.integers(1, 9_999_999), max_size=20), min_size=1, max_size=3),
    names=st.lists(st.text(min_size=1, max_size=5), min_size=3, max_size=3, unique=True),
)
def test_what_is_written_is_read_back(tmp_path, start, places, names):
    units = Units.of_time(start + 10, start=start)
    codings = {
        name: Segmentation.from_positions(sorted(found), len(units))
        for name, found in zip(names, places, strict=False)
    }
    corpus = Corpus.from_dict({"d": codings}).with_spans({"d": units})
    path = tmp_path / "d.TextGrid"
    try:
        write(corpus, path)
    except CorpusError as error:
        message = str(error)
        assert "NUL" in message or "half a character" in message
        return
    found = read(path)
    assert found.coders == corpus.coders
    assert found.segmentations() == corpus.segmentations()
    assert found.spans["d"] == units
    assert not_kept(corpus, FORMATS["textgrid"], path) == []


def test_praatio_reads_what_we_write(tmp_path):
    units = Units.of_time(12.5, start=2.5)
    corpus = Corpus.from_dict({"d": {"ann": units.place([4.25, 9.000001]).segmentation}})
    write(corpus.with_spans({"d": units}), tmp_path / "d.TextGrid")
    theirs = praatio.openTextgrid(str(tmp_path / "d.TextGrid"), includeEmptyIntervals=True)
    assert theirs.tierNames == ("ann",)
    assert [entry[:2] for entry in theirs.tiers[0].entries] == [
        (2.5, 4.25),
        (4.25, 9.000001),
        (9.000001, 12.5),
    ]


@pytest.mark.parametrize(
    ("corpus", "fault"),
    [
        (Corpus.from_dict({"d": {"ann": [2, 3]}}), "needs units in seconds"),
        (
            Corpus.from_dict({"d": {"ann": [1, 1]}}).with_spans({"d": Units.from_spans([(0, 3), (4, 9)])}),
            "needs units in seconds",
        ),
        (
            Corpus.from_dict({"d": {"": [1, 1]}}).with_spans({"d": Units.every(1, end=2)}),
            "coder '': textgrid cannot hold this name",
        ),
    ],
)
def test_what_cannot_be_written(tmp_path, corpus, fault):
    with pytest.raises(CorpusError, match=fault):
        write(corpus, tmp_path / "d.TextGrid")
    assert list(tmp_path.iterdir()) == []


def test_several_documents_are_a_folder(tmp_path):
    units = Units.every(1, end=5)
    corpus = Corpus.from_dict({"a": {"ann": [2, 3]}, "b": {"ann": [1, 4]}}).with_spans(
        {"a": units, "b": units}
    )
    write(corpus, tmp_path / "out", "textgrid")
    found = read(tmp_path / "out")
    assert [found.spans[d].offsets(found[d, "ann"]).tolist() for d in found.documents] == [[2], [1]]


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('"ooTextFile" "Sound" 0 1', "with 'Sound': expected a TextGrid"),
        ('"ooTextFile"\n"TextGrid"\n0', "the file ends before xmax of the file: is it cut off?"),
        (short_form(end=0), "it has no length"),
        (short_form(start=5, end=1), "starts at 5 and ends at 1: it has no length"),
        (short_form(end="1e14"), "are these milliseconds?"),
        (short_form(end="1e999"), "line 5: xmax of the file is '1e999': too large a number"),
        (short_form(end="0,5"), "line 5: expected xmax of the file, a number, not '0,5'"),
        (short_form(end="--undefined--"), "expected xmax of the file, a number, not '--undefined--'"),
        (short_form(end="nan"), "line 6: expected xmax of the file, a number, not a flag '<exists>'"),
        (
            short_form().replace("<exists>\n0", "1"),
            "expected whether there are tiers, <exists> or <absent>, not '1'",
        ),
        (
            short_form().replace("<exists>\n0", "<exists>\n1.5"),
            "the number of tiers is 1.5: expected a whole number",
        ),
        (
            short_form(tier("a", kind="Spline")),
            "line 8: the class of tier 1 of 1 is 'Spline': expected IntervalTier",
        ),
        (
            short_form(tier("a", '0 5 ""', n=2)),
            "the file ends before the time of interval 2 of tier 1 of 1 ('a')",
        ),
        (short_form(tier("a", '0 5 ""', n=10**9)), "the file ends before the time of interval 2"),
        (
            short_form(tier("a", '0 5 "x')),
            "line 13: the label of interval 1 of tier 1 of 1 ('a') has no closing quote",
        ),
        (
            short_form(tier("a", "0 5 7")),
            "line 13: expected the label of interval 1 of tier 1 of 1 ('a'), a text",
        ),
        (
            short_form(tier("a", '0 nan ""')),
            "expected the end of interval 1 of tier 1 of 1 ('a'), a number, not a text",
        ),
        (
            short_form(tier("a", '5 4 ""')),
            "tier 'a': interval 1 starts at 5 and ends at 4: it ends before it starts",
        ),
        (short_form(tier("a", '-1 4 ""')), "tier 'a': interval 1 is at -1, outside the recording, 0 to 10"),
        (short_form(tier("a", '0 4 ""', '4 11 ""')), "tier 'a': interval 2 is at 11, outside the recording"),
        (
            short_form(tier("a", '12 ""', kind="TextTier")),
            "tier 'a': point 1 is at 12, outside the recording",
        ),
    ],
)
def test_faults_name_their_place(tmp_path, text, fault):
    assert fault in refusal(put(tmp_path / "d.TextGrid", text))


@each("length", range(0, len(FORMATS["textgrid"].example) - 4, 7))
def test_a_cut_off_file_never_passes(tmp_path, length):
    refusal(put(tmp_path / "d.TextGrid", FORMATS["textgrid"].example[:length]))


@given(text=st.text(st.sampled_from('"<>!0159.-+eE \n\rxs'), max_size=60))
def test_no_text_makes_a_traceback(tmp_path, text):
    path = put(tmp_path / "d.TextGrid", f'"ooTextFile" "TextGrid" {text}')
    try:
        quietly(path)
    except CorpusError as error:
        message = str(error)
    else:
        return
    assert len(message.splitlines()) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "part",
    ['"', '""', '"" ', 'x"', ' "x', "<", "!", "! \n", "-", "9", "9 ", "1e", ".", "\n", "x ", '" ""', "'"],
)
def test_long_lines_take_linear_time(tmp_path, part):
    path = put(tmp_path / "d.TextGrid", f'"ooTextFile" "TextGrid" 0 10 <exists> {part * 200_000}')
    start = time.process_time()
    refusal(path)
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["long", "short"])
def test_a_hundred_thousand_intervals_take_seconds(tmp_path, form):
    n = 100_000
    path = tmp_path / "d.TextGrid"
    if form == "short":
        items = (f'{i / 10}\n{(i + 1) / 10}\n"x"' for i in range(n))
        put(path, short_form(tier("a", *items), end=n / 10).replace("\n0\n10\n", f"\n0\n{n / 10}\n"))
    else:
        units = Units.every(0.1, end=n / 10)
        write(Corpus.from_dict({"d": {"a": [1] * n}}).with_spans({"d": units}), path)
    start = time.process_time()
    corpus = read(path)
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["d", "a"].n_boundaries == n - 1


@pytest.mark.exhaustive
def test_thousands_of_tiers_of_one_name(tmp_path):
    path = put(tmp_path / "d.TextGrid", short_form(*[tier("a", '0 10 ""')] * 3_000))
    start = time.process_time()
    assert len(quietly(path).coders) == 3_000
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


def test_only_textgrids_look_like_it(tmp_path):
    source = textgrid.Source(put(tmp_path / "d.txt", 'He said "ooTextFile" and then "TextGrid2"'), "d")
    assert not textgrid.sniff(source)
