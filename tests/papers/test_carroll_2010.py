"""E_Pk and E_WD on Choi's documents. Source of truth: Carroll (2010), figure 2, NONE and BIN.

The documents are the 3–11 set of Choi (2000): 400 documents of 10 segments. Windows run over words, with k =
floor(words / (2 × segments) + 0.5); boundaries stand between sentences. The paper does not say how BIN
rounds; it is bisection at sentence (a + b + 1) // 2, with the depth as rank.
"""

from __future__ import annotations

import json
import statistics

import numpy as np
import pytest
from tests.real_data import data_path

from caesura import cli
from caesura.analyses.level_errors import hierarchical_pk, hierarchical_window_diff
from caesura.papers.recompute import BASELINES, wrapped_errors
from caesura.values.segmentation import Segmentation

PUBLISHED = [  # per cent
    ("NONE", hierarchical_pk, "plain", 46.1),
    ("NONE", hierarchical_pk, "wrap", 45.5),
    ("NONE", hierarchical_window_diff, "plain", 49.9),
    ("NONE", hierarchical_window_diff, "wrap", 49.1),
    ("BIN", hierarchical_pk, "plain", 43.9),
    ("BIN", hierarchical_pk, "wrap", 42.1),
    ("BIN", hierarchical_window_diff, "plain", 45.0),
    ("BIN", hierarchical_window_diff, "wrap", 43.1),
]
TOLERANCE = 0.25
METRICS = {hierarchical_pk: "EPk", hierarchical_window_diff: "EWD"}


@pytest.fixture(scope="module")
def documents() -> list[list[list[int]]]:
    """Words of each sentence of each segment of each document."""
    text = data_path("choi_t3_11", "word_counts.json").read_text(encoding="utf-8")
    return list(json.loads(text).values())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("baseline", "function", "edges", "published"), PUBLISHED)
def test_figure_2(documents, baseline, function, edges, published):
    values = []
    for segments in documents:
        words = [count for segment in segments for count in segment]
        reference = Segmentation.from_masses([len(segment) for segment in segments])
        hypothesis = [len(words)] if baseline == "NONE" else BASELINES["BIN"](len(words))
        result = function(reference, hypothesis, edges=edges, rounding="half-up", unit_sizes=words)
        values.append(result.value)
    assert len(values) == 400
    assert 100 * statistics.fmean(values) == pytest.approx(published, abs=TOLERANCE)


# §3.2, in per cent, with windows that wrap around: printed; and by counting each window, N of them in each
# document, without and with the document's end as a boundary of both sides.
SECTION_3_2 = {("NONE", "Pk"): 43.5, ("NONE", "WD"): 43.8, ("ALL", "Pk"): 51.1, ("ALL", "WD"): 99.2}


def window_errors(segments, is_all, has_end):
    """Return Pk and WD by their definitions: window i holds the boundaries after the words i + 1 to i + k."""
    n_words, n_segments = sum(map(sum, segments)), len(segments)
    k = (n_words + n_segments) // (2 * n_segments)  # words / (2 × segments) + 0.5, rounded down
    marks = np.zeros((2, 2 * n_words + 1), dtype=int)
    at = 0
    for segment in segments:
        for words in segment:
            at += words
            marks[1, at] = is_all
        marks[0, at] = 1
    marks[:, n_words] = has_end
    marks[:, n_words + 1 :] = marks[:, 1 : n_words + 1]
    totals = marks.cumsum(axis=1)
    reference, hypothesis = totals[:, k : n_words + k] - totals[:, :n_words]
    return {"Pk": ((reference > 0) != (hypothesis > 0)).mean(), "WD": (reference != hypothesis).mean()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("has_end", [False, True])
@pytest.mark.parametrize(("baseline", "error"), SECTION_3_2)
def test_section_3_2_none_and_all(documents, baseline, error, has_end):
    by_hand = [window_errors(segments, baseline == "ALL", has_end)[error] for segments in documents]
    path = data_path("choi_t3_11", "word_counts.json")
    assert wrapped_errors(path, error, baseline, ends_are_boundaries=has_end) == pytest.approx(by_hand)
    mean, printed = 100 * statistics.fmean(by_hand), SECTION_3_2[baseline, error]
    if has_end:
        assert mean == pytest.approx(printed, abs=TOLERANCE)
    else:
        ours = {("NONE", "Pk"): 44.0, ("NONE", "WD"): 44.0, ("ALL", "Pk"): 55.6, ("ALL", "WD"): 99.3}
        assert mean == pytest.approx(ours[baseline, error], abs=0.06)


@pytest.mark.exhaustive
def test_figure_2_by_commands(tmp_path, capsys):
    """BIN is Bisection: its ranks go through the file between the two commands."""
    texts, made = str(data_path("choi_t3_11", "ref")), str(tmp_path / "bin.jsonl")
    printed = {
        f"{METRICS[function]}(rounding='half-up', edges='{edges}')": published
        for baseline, function, edges, published in PUBLISHED
        if baseline == "BIN"
    }
    assert cli.run(["segment", texts, "-s", "Bisection", "-o", made]) == 0
    options = ["--unit-sizes", "words", "--totals-only", "--resamples", "0", "-f", "json"]
    asked = [option for spec in printed for option in ("-m", spec)]
    assert cli.run(["score", texts, made, *asked, *options]) == 0
    rows = {row["document"]: row for row in json.loads(capsys.readouterr().out)["totals"]}
    values = [value for name, value in rows["macro"].items() if name.startswith("E")]
    assert [100 * value for value in values] == pytest.approx(list(printed.values()), abs=TOLERANCE)
