"""Reading and writing chunkseg's JSON Lines, and its collar F in continuous time.

Source of truth: the layout that the package's description states, in records typed by hand; for the collar F
all matchings one by one, and a maximum matching by SciPy of all pairs within the collar.
"""

from __future__ import annotations

import json
import re
import time
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from caesura import (
    Corpus,
    CorpusError,
    Units,
    boundary_f,
    boundary_precision,
    boundary_recall,
    evaluate,
    metric,
)
from caesura.io.reading import read
from caesura.io.writing import write

RECORD = {"hypothesis": [24.2, 33.94], "reference": [11.0, 23.0, 34.0], "duration": 50.0}


def put(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def times(corpus: Corpus, document: str, coder: str) -> list[float]:
    return corpus.spans[document].offsets(corpus[document, coder]).round(6).tolist()


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.x"])
def test_times_of_reference_and_hypothesis(tmp_path, name):
    titles = {"reference_titles": [["Start", 11.0]], "video_id": "second", "duration": 40}
    corpus = read(put(tmp_path / name, RECORD, {**RECORD, **titles}))
    assert corpus.metadata["format"] == "chunkseg"
    assert (corpus.documents, corpus.coders) == (("1", "second"), ("reference", "hypothesis"))
    assert corpus.spans["1"] == Units.of_time(50)
    assert len(corpus.spans["second"]) == 400_000_000
    for document in corpus.documents:
        assert times(corpus, document, "reference") == [11.0, 23.0, 34.0]
        assert times(corpus, document, "hypothesis") == [24.2, 33.94]
    assert corpus["1", "hypothesis"].positions == (242_000_000, 339_400_000)


def test_order_does_not_matter_and_0_is_no_boundary(tmp_path):
    corpus = read(put(tmp_path / "a.jsonl", {**RECORD, "hypothesis": [33.94, 0, 24.2], "reference": [0.0]}))
    assert times(corpus, "1", "hypothesis") == [24.2, 33.94]
    assert times(corpus, "1", "reference") == []


def test_times_that_make_no_boundary_are_told(tmp_path):
    path = put(tmp_path / "a.jsonl", {**RECORD, "hypothesis": [10, 10.0, 50]})
    with pytest.warns(
        UserWarning, match="document 1: hypothesis: 2 times at the recording's end or there twice"
    ):
        assert times(read(path), "1", "hypothesis") == [10.0]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"hypothesis": [-1]}, r"line 2: hypothesis\[0\] is -1: expected seconds from 0 to the duration, 50"),
        ({"reference": [1, "2"]}, r"line 2: reference\[1\] is '2': expected seconds"),
        ({"reference": [1, None]}, r"line 2: reference\[1\] is None"),
        ({"reference": [True]}, r"line 2: reference\[0\] is True"),
        (
            {"hypothesis": [51]},
            r"line 2: hypothesis\[0\] is 51: .* to the duration, 50",
        ),
        (
            {"hypothesis": "[CSTART] a [CEND]"},
            "line 2: hypothesis is .*, not a transcript",
        ),
        ({"reference": None}, "line 2: reference is None: expected a list of times in seconds"),
        ({"duration": 0}, "line 2: the recording starts at 0 and ends at 0"),
        ({"duration": None}, "line 2: duration is None: expected seconds"),
        ({"duration": 1e300}, "line 2: the recording ends at 1e.300 seconds: are these milliseconds"),
        ({"duration": 10**400}, "line 2: duration is 1000.*: expected seconds"),
        ({"id": "1"}, "line 2: document 1 is there twice"),
        ({"id": [1]}, r"line 2: the id is \[1\]: expected a name"),
    ],
)
def test_bad_records(tmp_path, change, fault):
    path = put(tmp_path / "a.jsonl", RECORD, {**RECORD, **change})
    with pytest.raises(CorpusError) as error:
        read(path)
    assert re.match(fault, str(error.value).removeprefix(f"{path}: "))
    assert len(str(error.value)) < 700


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "-0.5"])
def test_numbers_that_are_no_times(tmp_path, value):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"hypothesis": [1, {value}], "reference": [], "duration": 50}}\n')
    with pytest.raises(
        CorpusError, match=r"line 1: (not valid JSON: .* is not a JSON number|hypothesis\[1\] is )"
    ):
        read(path, "chunkseg")


# -------------------------------------------------------------------- the collar F in continuous time

microseconds = st.lists(st.integers(1, 59_999_999), max_size=7, unique=True).map(sorted)
near = st.lists(st.integers(1, 40), max_size=6, unique=True).map(sorted)


def largest_matching(reference: list[int], hypothesis: list[int], collar: int) -> int:
    """Try all ways to give each of the fewer times one of the others."""
    fewer, more = sorted((reference, hypothesis), key=len)
    if len(fewer) == len(more) == 0:
        return 0
    return max(
        sum(abs(one - other) <= collar for one, other in zip(fewer, chosen, strict=True))
        for chosen in permutations(more, len(fewer))
    )


def largest_matching_by_scipy(reference: list[int], hypothesis: list[int], collar: int) -> int:
    within = np.abs(np.subtract.outer(reference, hypothesis)) <= collar
    return int((maximum_bipartite_matching(csr_array(within), perm_type="column") >= 0).sum())


def read_pair(tmp_path: Path, reference: list[int], hypothesis: list[int]) -> Corpus:
    sides = {"reference": reference, "hypothesis": hypothesis}
    record = {coder: [time / 10**6 for time in times] for coder, times in sides.items()}
    return read(put(tmp_path / "a.jsonl", {**record, "duration": 60}))


@given(reference=near, hypothesis=near, collar=st.integers(1, 9))
def test_the_collar_f_is_that_of_the_best_of_all_matchings(tmp_path, reference, hypothesis, collar):
    """Times are tenths of a second, close together, so that greedy matching would often fail."""
    reference, hypothesis = ([time * 10**5 for time in times] for times in (reference, hypothesis))
    corpus = read_pair(tmp_path, reference, hypothesis)
    pair = corpus["1", "reference"], corpus["1", "hypothesis"]
    matched = largest_matching(reference, hypothesis, collar * 10**5)
    total = len(reference) + len(hypothesis)
    expected = 2 * matched / total if total else 1.0
    assert float(boundary_f(*pair, tolerance=collar * 10**6)) == pytest.approx(expected, abs=1e-12)


@given(reference=microseconds, hypothesis=microseconds, collar=st.integers(1, 10_000_000))
def test_the_collar_f_is_that_of_a_maximum_matching(tmp_path, reference, hypothesis, collar):
    if not reference or not hypothesis:
        return
    corpus = read_pair(tmp_path, reference, hypothesis)
    matched = largest_matching_by_scipy(reference, hypothesis, collar)
    pair = corpus["1", "reference"], corpus["1", "hypothesis"]
    assert float(boundary_precision(*pair, tolerance=10 * collar)) == pytest.approx(matched / len(hypothesis))
    assert float(boundary_recall(*pair, tolerance=10 * collar)) == pytest.approx(matched / len(reference))


def test_greedy_matching_would_lose_a_pair():
    """Of 10, 12.5 and 11.5, 14: the closest pair first leaves 10 and 14, four seconds apart."""
    units = Units.of_time(60)
    reference, hypothesis = (units.place(times).segmentation for times in ([10, 12.5], [11.5, 14]))
    assert float(boundary_f(reference, hypothesis, tolerance=2 * 10**7)) == 1.0


def test_a_file_is_evaluated_in_one_call(tmp_path):
    corpus = read(put(tmp_path / "a.jsonl", RECORD))
    sides = [corpus.select(coders=[coder]) for coder in ("reference", "hypothesis")]
    # Within 3 s: 23 and 24.2, 34 and 33.94; of three and two.
    collar = metric("F(tolerance='3s')")
    assert "0.8" in repr(evaluate(*sides, metrics=[collar]))


# -------------------------------------------------------------------- writing


@given(reference=microseconds, hypothesis=microseconds, name=st.text(max_size=5).filter(str.isprintable))
def test_what_is_written_is_read_back(tmp_path, reference, hypothesis, name):
    units = Units.of_time(60)
    codings = {
        coder: units.place([time / 10**6 for time in times]).segmentation
        for coder, times in (("reference", reference), ("hypothesis", hypothesis))
    }
    assert codings["reference"].positions == tuple(10 * time for time in reference)
    corpus = Corpus.from_dict({name: codings}).with_spans({name: units})
    write(corpus, tmp_path / "a.jsonl", "chunkseg")
    found = read(tmp_path / "a.jsonl")
    assert found.segmentations() == corpus.segmentations()
    assert found.spans[name] == units
    written = json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8"))
    assert written["reference"] == [time / 10**6 for time in reference]


def test_what_is_not_written(tmp_path):
    units = Units.of_time(60)
    one = Corpus.from_dict({"d": {"ann": [200_000_000, 400_000_000]}}).with_spans({"d": units})
    with pytest.raises(CorpusError, match="document d is coded by ann, and chunkseg holds reference and"):
        write(one, tmp_path / "a.jsonl", "chunkseg")
    later = Units.every(1, 60, start=10)
    both = Corpus.from_dict({"d": {"reference": [50], "hypothesis": [50]}}).with_spans({"d": later})
    with pytest.raises(CorpusError, match="document d starts at 10 s, and chunkseg at 0"):
        write(both, tmp_path / "a.jsonl", "chunkseg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_100_000_times_take_linear_time(tmp_path):
    n = 100_000
    record = {"reference": list(range(1, n)), "hypothesis": [i + 0.5 for i in range(n)], "duration": n}
    path = put(tmp_path / "a.jsonl", record)
    started = time.process_time()
    corpus = read(path)
    assert time.process_time() - started < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["1", "reference"].n_boundaries == n - 1
