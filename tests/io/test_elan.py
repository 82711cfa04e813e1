"""ELAN's .eaf.

Source of truth: the facts that the README of the sample files states (computed without caesura), a naive
reader of the same files (the tree as it is, edges as a set), and for written files that it and we read the
corpus back.
"""

from __future__ import annotations

import builtins
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError, MissingExtraError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units

from .timed import put, quietly, refusal, times

EXAMPLE = FORMATS["elan"].example
# By file: the end in seconds, and by tier the number of annotations, first starts and first ends.
FACTS = {
    "speach_test": (
        17.57,
        {
            "Person1 (Utterance)": (8, [1.04, 3.2, 5.51, 7.07, 9.67], [2.33, 5.05, 6.35, 9.39, 11.34]),
            "marker": (3, [0.83, 6.89, 16.523], [5.2, 16.26, 17.57]),
            "Person1 (Chunk)": (12, [1.04, 3.2, 5.51, 7.07, 9.731], [2.33, 5.05, 6.35, 9.39, 10.281]),
        },
    ),
    "speach_fables": (
        97.958,
        {
            "Story": (16, [0.61, 3.3, 6.73, 13.275, 16.26], [2.71, 6.36, 12.27, 15.895, 19.52]),
            "SectionMarker": (3, [0.454, 21.754, 92.44], [21.526, 26.49, 97.958]),
            "StoryChunk": (28, [0.61, 3.3, 6.735, 9.456, 13.275], [2.71, 6.36, 9.355, 12.156, 15.895]),
        },
    ),
    "poio_turkish_firsthalf": (
        None,
        {"P-Spch": (6, [0.04, 3.81, 7.7, 13.32, 17.6], [3.59, 7.45, 13.17, 17.42, 21.22])},
    ),
}


def sample(name: str) -> Path:
    return data_path("formats", "elan", f"{name}.eaf")


def naive_tiers(path: Path) -> dict[str, list[tuple[int, int]]]:
    root = ET.parse(path).getroot()
    slots = {slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT")}
    return {
        tier.get("TIER_ID"): [
            (slots[one.get("TIME_SLOT_REF1")], slots[one.get("TIME_SLOT_REF2")])
            for one in tier.iter("ALIGNABLE_ANNOTATION")
        ]
        for tier in root.iter("TIER")
    }


def document(slots: str, *tiers: str, head: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{head}<ANNOTATION_DOCUMENT><HEADER/><TIME_ORDER>{slots}'
        f"</TIME_ORDER>{''.join(tiers)}</ANNOTATION_DOCUMENT>"
    )


def slots(*times: object) -> str:
    values = ["" if t is None else f' TIME_VALUE="{t}"' for t in times]
    return "".join(f'<TIME_SLOT TIME_SLOT_ID="t{i}"{value}/>' for i, value in enumerate(values))


def tier(name: str, *spans: tuple[int, int], more: str = "") -> str:
    return (
        f'<TIER TIER_ID="{name}" {more}>'
        + "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{i}" TIME_SLOT_REF1="t{start}" '
            f'TIME_SLOT_REF2="t{end}"/></ANNOTATION>'
            for i, (start, end) in enumerate(spans)
        )
        + "</TIER>"
    )


# -------------------------------------------------------------------- the sample files


@pytest.mark.parametrize("name", FACTS)
def test_the_facts_of_the_sample_files(name):
    end, tiers = FACTS[name]
    corpus = quietly(sample(name))
    assert corpus.metadata["format"] == "elan"
    assert (corpus.documents, corpus.coders) == ((name,), tuple(tiers))
    assert corpus.spans[name].origin == 0
    if end is not None:
        assert corpus.spans[name].end == end
    naive = naive_tiers(sample(name))
    last = 1000 * corpus.spans[name].end
    for coder, (n, starts, ends) in tiers.items():
        assert len(naive[coder]) == n
        found = times(corpus, coder)
        assert {*starts, *ends} - {corpus.spans[name].end} <= {round(place, 3) for place in found}
        edges = sorted({edge for span in naive[coder] for edge in span} - {0, last})
        assert [1000 * place for place in found] == pytest.approx(edges, abs=1e-3)


def test_tiers_without_times_are_left_out_with_a_notice():
    with pytest.warns(
        UserWarning,
        match="4 tiers have annotations without times and are left out: P-Word, P-Morph, P-Gloss and",
    ):
        read(sample("poio_turkish_firsthalf"))
    message = refusal(sample("poio_turkish_firsthalf"), tiers=["P-Word"])
    assert message.startswith("tier 'P-Word' cannot be read: its annotations refer to those of another")


def test_parent_tiers_are_a_hierarchy():
    path = sample("speach_test")
    chain = "Person1 (Utterance) > Person1 (Chunk)"
    corpus = read(path, tiers=[chain, "marker"])
    assert corpus.coders == (chain, "marker")
    assert corpus.is_hierarchical
    naive = naive_tiers(path)
    last = 17570
    parents = {edge for span in naive["Person1 (Utterance)"] for edge in span} - {0, last}
    children = {edge for span in naive["Person1 (Chunk)"] for edge in span} - {0, last} - parents
    expected = sorted([(edge * 10_000, 1) for edge in parents] + [(edge * 10_000, 2) for edge in children])
    assert list(corpus["speach_test", chain].boundaries) == expected
    assert set(corpus["speach_test", "marker"].types) == {1}


@pytest.mark.parametrize(
    ("chain", "fault"),
    [
        (
            "Person1 (Chunk) > Person1 (Utterance)",
            "'Person1 (Chunk)' is not above tier 'Person1 (Utterance)': it has",
        ),
        (
            "marker > Person1 (Chunk)",
            "'marker' is not above tier 'Person1 (Chunk)': those above are Person1 (Utt",
        ),
        ("Person1 (Utterance) > Person1 (Chunks)", "unknown tier 'Person1 (Chunks)'; did you mean"),
        ("Person1 (Utterance) > Person1 (Language)", "tier 'Person1 (Language)' cannot be read"),
        ("markers", "unknown tier 'markers'; did you mean 'marker'?"),
    ],
)
def test_chains_that_are_none(chain, fault):
    assert fault in refusal(sample("speach_test"), tiers=[chain])


# -------------------------------------------------------------------- forms


def test_the_example_of_the_documentation(tmp_path):
    path = put(tmp_path / "news.eaf", EXAMPLE)
    corpus = read(path)
    assert corpus.coders == ("topic", "part")
    assert times(corpus, "topic") == [4.25]
    assert times(corpus, "part") == pytest.approx([1.2])
    ranked = read(path, tiers=["topic > part"])
    assert ranked["news", "topic > part"].boundaries == ((12_000_000, 2), (42_500_000, 1))


@pytest.mark.parametrize("change", ["BOM", "CRLF", "UTF-16", "other extension"])
def test_encodings(tmp_path, change):
    data = {
        "BOM": EXAMPLE.encode("utf-8-sig"),
        "CRLF": EXAMPLE.replace("\n", "\r\n").encode(),
        "UTF-16": EXAMPLE.encode("utf-16"),
        "other extension": EXAMPLE.encode(),
    }[change]
    corpus = read(put(tmp_path / ("d.txt" if change == "other extension" else "d.eaf"), data))
    assert corpus.metadata["format"] == "elan"
    assert times(corpus, "topic") == [4.25]


def test_gaps_are_segments_and_overlaps_must_be_named(tmp_path):
    path = put(tmp_path / "d.eaf", document(slots(0, 2000, 3000, 5000, 9000), tier("a", (1, 2), (3, 4))))
    assert times(read(path), "a") == [2, 3, 5]
    assert times(read(path, gaps="join"), "a") == [5]
    assert times(read(path, end=10), "a") == [2, 3, 5, 9]
    assert "the last time slot is at 9, after the end that was given, 8" in refusal(path, end=8)
    path = put(tmp_path / "e.eaf", document(slots(0, 2000, 3000, 5000), tier("a", (0, 2), (1, 3))))
    assert "coder a: the span from 2 to 5 overlaps an earlier one" in refusal(path)
    assert times(read(path, overlap="edges"), "a") == [2, 3]


def test_empty_tiers_and_slots_without_a_time(tmp_path):
    unset = '<TIME_SLOT TIME_SLOT_ID="t3"/>'
    text = document(slots(0, 2000, 5000) + unset, tier("a", (0, 1)), tier("b"), tier("c", (1, 3)))
    path = put(tmp_path / "d.eaf", text)
    corpus = quietly(path)
    assert corpus.coders == ("a",)
    notices = " ".join(corpus.metadata["notices"])
    assert "1 tier has annotations without times and are left out: c" in notices
    assert "tier 'b' is empty: 'b' is not coded" in notices
    assert "'c' cannot be read: annotation a0 has a slot without a time" in refusal(path, tiers=["c"])


def test_slots_without_a_time_are_evenly_spaced_as_elan_shows_them(tmp_path):
    """By hand: thirds of 6 s; thirds of 1 s in whole milliseconds, rounded down; halves beside 3 s."""
    word = 'PARENT_REF="turn"'
    for times_of_slots, expected in [
        ((0, None, None, 6000), [2, 4]),
        ((0, None, None, 1000), [0.333, 0.666]),
        ((0, None, 3000, None, 6000), [1.5, 3, 4.5]),
    ]:
        last = len(times_of_slots) - 1
        words = [(start, start + 1) for start in range(last)]
        text = document(slots(*times_of_slots), tier("turn", (0, last)), tier("word", *words, more=word))
        corpus = quietly(put(tmp_path / "d.eaf", text))
        assert times(corpus, "word") == pytest.approx(expected, abs=1e-9)
        assert corpus.metadata["notices"] == (
            f"{tmp_path / 'd.eaf'}: 2 time slots without a time (tier word): spaced evenly, "
            "as ELAN shows them",
        )
        ranked = quietly(tmp_path / "d.eaf", tiers=["turn > word"])
        assert [rank for _, rank in ranked["d", "turn > word"].boundaries] == [2] * len(expected)


def test_slots_that_a_parent_shares_get_the_parents_time(tmp_path):
    """Words at 2 and 4 of 6 s; the parts of the second word halve it, at 3, wherever their tier stands."""
    parts = tier("part", (0, 1), (1, 4), (4, 2), more='PARENT_REF="word"')
    words = tier("word", (0, 1), (1, 2), (2, 3), more='PARENT_REF="turn"')
    text = document(slots(0, None, None, 6000, None), parts, words, tier("turn", (0, 3)))
    path = put(tmp_path / "d.eaf", text)
    corpus = quietly(path)
    assert times(corpus, "word") == [2, 4]
    assert times(corpus, "part") == [2, 3, 4]
    assert "3 time slots without a time (tiers part and word)" in corpus.metadata["notices"][0]
    assert quietly(path, tiers=["turn"]).metadata.get("notices") is None


@pytest.mark.parametrize("spans", [[(0, 2), (2, 3)], [(0, 2), (2, 3), (3, 2)], [(0, 2), (3, 1)]])
def test_slots_that_lead_to_no_time_are_left_out(tmp_path, spans):
    """A chain that ends without a time, or runs in a circle, or is torn, divides no known interval."""
    text = document(
        slots(0, 6000, None, None), tier("turn", (0, 1)), tier("word", *spans, more='PARENT_REF="turn"')
    )
    path = put(tmp_path / "d.eaf", text)
    assert quietly(path).coders == ("turn",)
    assert "annotation a0 has a slot without a time" in refusal(path, tiers=["word"])


def test_tiers_that_are_their_own_parents_are_read(tmp_path):
    tiers = tier("a", (0, 1), more='PARENT_REF="b"'), tier("b", (1, 2), more='PARENT_REF="a"')
    corpus = read(put(tmp_path / "d.eaf", document(slots(0, 2000, 6000), *tiers)))
    assert times(corpus, "a") == times(corpus, "b") == [2]


# -------------------------------------------------------------------- round trips


@given(
    places=st.lists(st.sets(st.integers(1, 9_999), max_size=20), min_size=1, max_size=3),
    names=st.lists(st.text(min_size=1, max_size=5), min_size=3, max_size=3, unique=True),
)
def test_what_is_written_is_read_back(tmp_path, places, names):
    units = Units.of_time(10)
    codings = {
        name: Segmentation.from_positions([10_000 * place for place in sorted(found)], len(units))
        for name, found in zip(names, places, strict=False)
    }
    corpus = Corpus.from_dict({"d": codings}).with_spans({"d": units})
    path = tmp_path / "d.eaf"
    try:
        write(corpus, path)
    except CorpusError as error:
        message = str(error)
        assert "elan cannot hold this name" in message
        return
    found = read(path)
    assert found.coders == corpus.coders
    assert found.segmentations() == corpus.segmentations()
    assert found.spans["d"] == units
    assert not_kept(corpus, FORMATS["elan"], path) == []


def test_what_is_written_is_there_for_a_naive_reader_and_the_same_every_day(tmp_path, monkeypatch):
    """The tier default is what pympi-ling puts into a new file."""
    units = Units.of_time(12.5)
    codings = {"default": units.place([3.5, 9.25]).segmentation, 'b & "c"': units.place([]).segmentation}
    corpus = Corpus.from_dict({"d": codings}).with_spans({"d": units})
    write(corpus, tmp_path / "d.eaf")
    assert naive_tiers(tmp_path / "d.eaf") == {
        "default": [(0, 3500), (3500, 9250), (9250, 12500)],
        'b & "c"': [(0, 12500)],
    }
    monkeypatch.setattr(time, "strftime", lambda *_: "2030-01-01T00:00:00{}{}")
    write(corpus, tmp_path / "e.eaf")
    assert (tmp_path / "e.eaf").read_bytes() == (tmp_path / "d.eaf").read_bytes()


@pytest.mark.parametrize(
    ("units", "fault"),
    [
        (Units.of_time(10, start=1), "the recording starts at 1, and elan's at 0"),
        (
            Units.of_time(9.9999),
            r"9.9999 s is finer than a millisecond .elan.; write a TextGrid",
        ),
    ],
)
def test_what_cannot_be_written(tmp_path, units, fault):
    corpus = Corpus.from_dict({"d": {"ann": Segmentation.from_positions([30_000], len(units))}})
    with pytest.raises(CorpusError, match=fault):
        write(corpus.with_spans({"d": units}), tmp_path / "d.eaf")
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<TIER/>", "the outermost element is 'TIER': expected ANNOTATION_DOCUMENT"),
        (document(""), "there is no time slot with a time: nothing is annotated"),
        (document(slots(0, 0)), "it has no length"),
        (document(slots(0, "nan")), "the time of slot 't1' is 'nan': expected a number"),
        (document(slots(0, "1,5")), "the time of slot 't1' is '1,5': expected a number, with a point"),
        (document(slots(0, -5)), "the time of slot 't1' is -5: expected a time from 0 on"),
        (document(slots(0, "9" * 20)), "are these milliseconds?"),
        (document(slots(0, 5), tier("a", (1, 0))), "tier 'a': annotation 'a0' starts at 0.005 and ends at 0"),
        (
            document(slots(0, 5), tier("a", (1, 7))),
            "'a0': TIME_SLOT_REF2 is 't7': there is no such time slot",
        ),
        (
            document(slots(0)).replace("<HEADER", '<HEADER TIME_UNITS="PAL-frames"'),
            "TIME_UNITS is 'PAL-frames'",
        ),
        (EXAMPLE[:400], "not well-formed XML"),
        ("<ANNOTATION_DOCUMENT>", "not well-formed XML: no element found: line 1, column 21: is it cut off?"),
        ("<ANNOTATION_DOCUMENT>&x;</ANNOTATION_DOCUMENT>", "not well-formed XML: undefined entity"),
    ],
)
def test_faults_name_their_place(tmp_path, text, fault):
    assert fault in refusal(put(tmp_path / "d.eaf", text))


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 20))
DOCTYPES = {
    "bomb": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>',
    "external": '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
    "parameter": '<!DOCTYPE x [<!ENTITY % x SYSTEM "http://localhost:9/x.dtd"> %x;]>',
    "other file": '<!DOCTYPE x SYSTEM "http://localhost:9/x.dtd">',
    "empty": "<!DOCTYPE ANNOTATION_DOCUMENT>",
}


@pytest.mark.parametrize("doctype", DOCTYPES)
def test_document_types_are_refused(tmp_path, doctype):
    text = document(slots(0, 5), "<TIER TIER_ID='a'>&l19;&x;</TIER>", head=DOCTYPES[doctype])
    assert refusal(put(tmp_path / "d.eaf", text)).startswith("it has a DOCTYPE")


@pytest.mark.exhaustive
def test_deep_nesting_and_long_lines_take_linear_time(tmp_path):
    deep = document(slots(0, 5), "<TIER TIER_ID='a'>" + "<x>" * 200_000 + "</x>" * 200_000 + "</TIER>")
    long = document(slots(0, 5), tier("x" * 200_000, (0, 1)), f"<y>{'&amp;' * 200_000}</y>")
    start = time.process_time()
    assert quietly(put(tmp_path / "deep.eaf", deep)).n_codings == 0
    assert read(put(tmp_path / "long.eaf", long)).n_codings == 1
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
def test_long_chains_of_parents_take_linear_time(tmp_path):
    n = 20_000
    tiers = [tier(f"n{i}", more=f'PARENT_REF="n{i - 1}"') for i in range(n)]
    path = put(tmp_path / "d.eaf", document(slots(0, 5), *tiers))
    start = time.process_time()
    assert "is not above tier 'n9': those above are" in refusal(path, tiers=["n19999 > n9"])
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
def test_a_hundred_thousand_annotations_take_seconds(tmp_path):
    n = 100_000
    units = Units.every(0.1, end=n / 10)
    write(Corpus.from_dict({"d": {"a": [1] * n}}).with_spans({"d": units}), tmp_path / "d.eaf")
    start = time.process_time()
    corpus = read(tmp_path / "d.eaf")
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["d", "a"].n_boundaries == n - 1


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def load_others(name, *args, **kwargs):
        if name.startswith(package):
            raise ModuleNotFoundError(name)
        return load(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", load_others)


def test_without_defusedxml_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    path = put(tmp_path / "d.eaf", EXAMPLE)
    without("defusedxml", monkeypatch)
    with pytest.raises(
        MissingExtraError, match=r"XML needs the package defusedxml: .* -m pip install .*\[formats\]'"
    ):
        read(path)


def test_without_pympi_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    corpus = read(put(tmp_path / "d.eaf", EXAMPLE))
    without("pympi", monkeypatch)
    with pytest.raises(
        MissingExtraError, match=r"writing \.eaf needs pympi-ling: .* -m pip install .*\[formats\]'"
    ):
        write(corpus, tmp_path / "e.eaf")
    assert not (tmp_path / "e.eaf").exists()
