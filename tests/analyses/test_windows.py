"""cs.windows: which windows err.

Source of truth: the definition of a window (SPEC §5), by a loop over all windows; what PH02, Pevzner & Hearst
(2002), says of its figures 2 to 4; the metric's own score.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.strategies import plain_pairs, sparse_pairs, typed_pairs

import caesura as cs
from caesura import ParameterError, Segmentation

METRICS = ["Pk", "PkPrime", "WD", "WD(weighted=True)"]
EDGES = ["plain", "padded", "wrap"]


def naive(reference, hypothesis, name, k, edges):
    """Look at every window, one unit at a time."""
    n = reference.n_units
    starts = {"plain": range(n - k), "padded": range(-k, n), "wrap": range(n)}[edges]
    errors = []
    for start in starts:
        inside = range(start + 1, start + k + 1)
        positions = [p % n for p in inside] if edges == "wrap" else list(inside)
        r, h = (sum(p in set(side.positions) for p in positions) for side in (reference, hypothesis))
        disagree = (r > 0) != (h > 0)
        weight = {
            "Pk": int(disagree),
            "PkPrime": int(disagree) * (2 if r == 0 else 1),
            "WD": int(r != h),
            "WD(weighted=True)": abs(r - h),
        }[name]
        if weight:
            errors.append((start, start + k, r, h, weight))
    return len(starts), errors


@given(st.one_of(plain_pairs(), typed_pairs()), st.sampled_from(METRICS), st.sampled_from(EDGES), st.data())
def test_errors_are_those_of_a_loop_over_all_windows(pair, name, edges, data):
    reference, hypothesis = pair
    metric = cs.metric(name)
    settings = metric.parameters | {"edges": edges}
    if reference.n_units > 1 and data.draw(st.booleans()):
        settings["k"] = data.draw(st.integers(1, reference.n_units - 1))
    metric = type(metric)(**settings)
    result = cs.windows(reference, hypothesis, metric)
    n_windows, errors = naive(reference, hypothesis, name, result.k, edges)
    assert [tuple(window) for window in result.errors] == errors
    assert result.n_windows == n_windows
    assert [tuple(result.errors[i]) for i in range(len(result.errors))] == errors
    assert [tuple(window) for window in result.errors[1:-1]] == errors[1:-1]
    assert result.score == metric(reference, hypothesis)
    assert sum(window.weight for window in result.errors) == result.score.numerator
    if name in ("Pk", "WD"):
        assert len(result.errors) == result.score.numerator
    inside = {
        p % reference.n_units if edges == "wrap" else p
        for start, end, *_ in errors
        for p in range(start + 1, end + 1)
    }
    covered = [p for first, last in result.stretches() for p in range(first, last + 1)]
    assert covered == sorted(inside & set(range(1, reference.n_units)))


@given(sparse_pairs(), st.sampled_from(METRICS))
def test_a_very_long_document_costs_no_more(pair, name):
    result = cs.windows(*pair, name)
    assert len(result.errors.runs) <= 2 * sum(len(side.positions) for side in pair) + 1
    weights = sum(run.first.weight * run.n_windows for run in result.errors.runs)
    assert weights == result.score.numerator
    if len(result.errors):
        assert (
            result.errors[-1].start
            == result.errors.runs[-1].window(result.errors.runs[-1].n_windows - 1).start
        )


def boundaries(*positions):
    return Segmentation.from_positions(positions, n_units=60)


def test_pevzner_hearst_2002_figure_2_a_miss_errs_in_k_windows():
    result = cs.windows(boundaries(20, 40), boundaries(20), "Pk(k=4)")
    assert [window.start for window in result.errors] == [36, 37, 38, 39]
    assert {window[2:] for window in result.errors} == {(1, 0, 1)}


@pytest.mark.parametrize(("distance", "errors"), [(1, 1), (2, 2), (3, 3), (4, 4), (9, 4)])
def test_pevzner_hearst_2002_figure_3_a_false_alarm_near_a_boundary_errs_in_fewer(distance, errors):
    """Pk sees it only in windows without the boundary; WindowDiff in all k of them."""
    reference, hypothesis = boundaries(20), boundaries(20, 20 + distance)
    assert len(cs.windows(reference, hypothesis, "Pk(k=4)").errors) == errors
    assert len(cs.windows(reference, hypothesis, "WD(k=4)").errors) == 4


def test_pevzner_hearst_2002_figure_4_pk_overlooks_a_boundary_between_its_probes():
    """A short segment that only the hypothesis has: two boundaries in a window look like one."""
    reference, hypothesis = boundaries(20, 21, 22), boundaries(20, 22)
    assert len(cs.windows(reference, hypothesis, "Pk(k=4)").errors) == 0
    assert [window[2:4] for window in cs.windows(reference, hypothesis, "WD(k=4)").errors] == [
        (2, 1), (3, 2), (3, 2), (2, 1)
    ]  # fmt: skip


def test_a_result_shows_its_runs_and_signature():
    result = cs.windows([5, 5, 5, 5], [5, 6, 2, 7])
    plain = result.to_dict()
    assert plain["n_errors"] == 6
    assert [(run["start"], run["windows"]) for run in plain["runs"]] == [(8, 1), (10, 1), (11, 2), (13, 2)]
    json.dumps(plain)
    text = str(result.to_table())
    assert result.score.signature.split("|")[0] in text
    assert "6 of 18 windows" in " ".join(result.findings)


@pytest.mark.parametrize("name", ["B", "F", "WinF", "EPk", "MultWD"])
def test_another_metric_is_refused_with_those_that_have_windows(name):
    with pytest.raises(ParameterError, match="choose Pk, PkPrime or WD"):
        cs.windows([2, 3], [3, 2], name)
