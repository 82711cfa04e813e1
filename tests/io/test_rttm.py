"""RTTM.

Source of truth: the facts that the README of the sample files states (computed without caesura), and a naive
reader of the same files that sorts rows and compares neighbors.
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import CorpusError, ParameterError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write

from .timed import put, quietly, refusal, times

EXAMPLE = FORMATS["rttm"].example
# By file: the recording, its turns, its changes of speaker, and the first turns (start, end, speaker).
FACTS = {
    "dscore_ref": ("FILE1", 13, 7, [(0, 0.558, 1), (0.678, 2.211, 2), (1.1, 4.328, 1), (4.698, 7.123, 2)]),
    "dscore_sys": ("FILE1", 11, 5, [(0.101, 0.601, 2), (0.68, 2.213, 2), (1.3, 4.32, 1), (4.698, 7.123, 2)]),
    "doverlap_ref_rttm_test_first": ("EN2002a.Mix-Headset", 700, 592, None),
    "doverlap_rttm_test_sc_first": ("EN2002a.Mix-Headset", 700, 629, None),
}


def sample(name: str) -> Path:
    return data_path("formats", "rttm", f"{name}.rttm")


def naive_turns(path: Path) -> list[tuple[float, float, str]]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return sorted((float(row[3]), float(row[3]) + float(row[4]), row[7]) for row in rows)


def speaker(onset: object, duration: object, who: str = "ann", recording: str = "m") -> str:
    return f"SPEAKER {recording} 1 {onset} {duration} <NA> <NA> {who} <NA> <NA>\n"


# -------------------------------------------------------------------- the sample files


@pytest.mark.parametrize("name", FACTS)
def test_the_facts_of_the_sample_files(name):
    recording, n_turns, n_changes, first = FACTS[name]
    naive = naive_turns(sample(name))
    assert len(naive) == n_turns
    changes = [turn[0] for before, turn in pairwise(naive) if turn[2] != before[2]]
    assert len(changes) == n_changes
    for found, (start, end, number) in zip(naive, first or [], strict=False):
        assert found[:2] == pytest.approx((start, end))
        assert found[2] == f"speaker{number}"
    end = max(turn[1] for turn in naive)
    corpus = read(sample(name), turns="changes")
    assert corpus.metadata["format"] == "rttm"
    assert (corpus.documents, corpus.coders) == ((recording,), (name,))
    assert corpus.spans[recording].end == end
    distinct = {round(1e6 * place) for place in changes} - {0}
    assert [round(1e6 * place) for place in times(corpus, name)] == sorted(distinct)
    edges = {round(1e6 * edge) for turn in naive for edge in turn[:2]} - {0, round(1e6 * end)}
    found = {round(1e6 * place) for place in times(read(sample(name), turns="edges"), name)}
    assert found == edges


def test_without_a_rule_both_readings_are_told():
    message = refusal(sample("dscore_ref"))
    assert "turns='changes'" in message
    assert "(7 boundaries)" in message
    assert "turns='edges' at both edges of every turn (24 boundaries)" in message


def test_the_region_of_a_uem_beside_it():
    corpus = read(sample("pyannote_train"), turns="edges")
    assert corpus.documents == ("filename1", "filename2")
    assert [corpus.spans[name].end for name in corpus.documents] == [2, 2]
    assert times(corpus, "pyannote_train", "filename1") == pytest.approx([0.2, 0.9])
    assert times(corpus, "pyannote_train", "filename2") == pytest.approx([0.2, 1.1])
    assert read(sample("pyannote_train").parent / "pyannote_train.rttm", turns="changes").coded.n_codings == 2


def test_reference_and_system_are_two_coders_of_one_recording():
    paths = [sample("dscore_ref"), sample("dscore_sys")]
    corpus = read(paths, turns="changes", end=60)
    assert corpus.coders == ("dscore_ref", "dscore_sys")
    assert [len(times(corpus, coder)) for coder in corpus.coders] == [7, 5]
    with pytest.raises(CorpusError, match=r"units where coder .* has"):
        read(paths, turns="changes")


# -------------------------------------------------------------------- forms


def test_the_example_of_the_documentation(tmp_path):
    path = put(tmp_path / "ref.rttm", EXAMPLE)
    assert times(read(path, turns="changes"), "ref") == [3.5, 9]
    assert times(read(path, turns="edges"), "ref") == [3.25, 3.5, 7.5, 7.75, 9, 9.25]


@given(order=st.permutations(range(4)))
def test_the_order_of_lines_does_not_matter(tmp_path, order):
    lines = EXAMPLE.splitlines(keepends=True)
    path = put(tmp_path / "ref.rttm", ";; a comment\n\n" + "".join(lines[i] for i in order))
    assert times(read(path, turns="changes"), "ref") == [3.5, 9]


@pytest.mark.parametrize("change", ["BOM", "CRLF", "UTF-16", "tabs", "other extension", "nine fields"])
def test_forms(tmp_path, change):
    data = {
        "BOM": EXAMPLE.encode("utf-8-sig"),
        "CRLF": EXAMPLE.replace("\n", "\r\n").encode(),
        "UTF-16": EXAMPLE.encode("utf-16"),
        "tabs": EXAMPLE.replace(" ", "\t").encode(),
        "other extension": EXAMPLE.encode(),
        "nine fields": EXAMPLE.replace(" <NA>\n", "\n").encode(),
    }[change]
    path = put(tmp_path / ("ref.txt" if change == "other extension" else "ref.rttm"), data)
    corpus = read(path, turns="changes")
    assert corpus.metadata["format"] == "rttm"
    assert times(corpus, "ref") == [3.5, 9]


def test_lines_that_are_no_turns_are_told(tmp_path):
    path = put(tmp_path / "ref.rttm", EXAMPLE + "LEXEME meeting 1 0.1 0.2 hello lex ann 0.5 <NA>\n")
    with pytest.warns(UserWarning, match="lines of type LEXEME are not turns and were not read"):
        assert times(read(path, turns="changes"), "ref") == [3.5, 9]


def test_what_does_not_fit_the_uem_is_told(tmp_path):
    path = put(tmp_path / "ref.rttm", EXAMPLE + speaker(0, 3, "bob", "other"))
    put(tmp_path / "ref.uem", ";; regions\nmeeting 1 1.0 4.0\nmeeting 1 5.0 8.0\nthird 1 0 5\n")
    corpus = quietly(path, turns="edges")
    assert corpus.documents == ("meeting", "other")
    assert (corpus.spans["meeting"].origin, corpus.spans["meeting"].end) == (1, 8)
    assert times(corpus, "ref") == [3.25, 3.5, 7.5, 7.75]
    notices = " ".join(corpus.metadata["notices"])
    for told in (
        "ref.uem has several regions of meeting: read from the first to the last",
        "the .uem has no region of other",
        "3 turns outside the regions of the .uem: cut there",
        "there is no turn in third: not coded, and left out",
    ):
        assert told in notices
    assert quietly(path, turns="edges", end=20).spans["meeting"].end == 20


def test_a_folder_with_regions(tmp_path):
    put(tmp_path / "ref.rttm", EXAMPLE)
    put(tmp_path / "ref.uem", "meeting 1 0 12\n")
    assert read(tmp_path, turns="changes").spans["meeting"].end == 12


def test_boundaries_of_turns_are_written_as_tiers(tmp_path):
    corpus = read(put(tmp_path / "ref.rttm", EXAMPLE), turns="changes")
    write(corpus, tmp_path / "meeting.TextGrid")
    assert times(read(tmp_path / "meeting.TextGrid"), "ref") == [3.5, 9]


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (";; nothing\n", "there is no line of type SPEAKER"),
        (EXAMPLE + "SPEAKER m 1 0", "line 5 is 'SPEAKER m 1 0': expected SPEAKER, recording, channel, onset"),
        (EXAMPLE + speaker(1, 2).replace("SPEAKER", "Speaker"), "line 5 is 'Speaker m 1 1 2"),
        (speaker("nan", 1), "line 1: the onset is 'nan': expected a number, with a point for decimals"),
        (speaker(0, "inf"), "line 1: the duration is 'inf': expected a number"),
        (speaker("0,5", 1), "line 1: the onset is '0,5': expected a number"),
        (speaker("1_0", 1), "line 1: the onset is '1_0': expected a number"),
        (speaker(-1, 3), "line 1: the onset is -1: expected a time from 0 on"),
        (speaker(1, -3), "line 1: the duration is -3: expected a time from 0 on"),
        (speaker(0, 0), "it has no length"),
        (speaker(0, "1e13"), "are these milliseconds?"),
    ],
)
def test_faults_name_their_line(tmp_path, text, fault):
    assert fault in refusal(put(tmp_path / "d.rttm", text), turns="changes")


@pytest.mark.parametrize(
    ("uem", "fault"),
    [
        ("meeting 0 5\n", "d.uem: line 1 is 'meeting 0 5': expected recording, channel, from, to"),
        ("meeting 1 5 x\n", "d.uem: line 1 is 'x': expected a number"),
        ("meeting 1 5 2\n", "d.uem: line 1: the region is from 5 to 2: it has no length"),
    ],
)
def test_faults_of_the_uem_name_it(tmp_path, uem, fault):
    put(tmp_path / "d.uem", uem)
    assert fault in refusal(put(tmp_path / "d.rttm", EXAMPLE), turns="changes")


def test_an_end_before_the_last_turn_and_options_of_other_formats(tmp_path):
    path = put(tmp_path / "d.rttm", EXAMPLE)
    assert "line 4: the turn ends at 11, after the end given, 10" in refusal(path, turns="changes", end=10)
    with pytest.raises(ParameterError, match=r"tiers= .* fits none of the inputs, .*rttm"):
        read(path, turns="changes", tiers=["ann"])


@pytest.mark.exhaustive
def test_a_hundred_thousand_turns_and_long_lines_take_linear_time(tmp_path):
    n = 100_000
    path = put(tmp_path / "d.rttm", "".join(speaker(i / 10, 0.1, f"s{i % 2}", f"m{i % 7}") for i in range(n)))
    start = time.process_time()
    assert read(path, turns="changes").n_codings == 7
    assert "expected SPEAKER" in refusal(put(tmp_path / "e.rttm", EXAMPLE + "x " * 200_000), turns="edges")
    assert "expected SPEAKER" in refusal(put(tmp_path / "e.rttm", EXAMPLE + "x" * 200_000), turns="edges")
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
