"""Agreement as published: Fournier (2013) and Kazantseva & Szpakowicz (2012), on Stargazers and Moonstone.

Source of truth: the printed numbers. Fournier's come from segeval before 2.0.11, whose expected agreement
counted segments instead of boundaries and averaged their ratio over pairs and documents: more chance
agreement, so lower coefficients than by definition. ``chance="published"`` does the same.
"""

from __future__ import annotations

import json
import statistics
from fractions import Fraction

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.analyses.coder_agreement import agreement, coder_matrix

# One coder of each of the thesis's groups (F13t, Table 5.5), by the names in the data; the thesis numbers
# coders without gaps.
GROUPS = {"G1": "an13", "G2": "an25", "G3": "an7", "G4": "an19", "G5": "an1"}

# id in published.json: group, metric, printed value, tolerance, ours by definition (SPEC §7; None: not in it)
PUBLISHED = {
    "F13 stargazers pi*_B": (None, "B", 0.4405, 5e-5, 0.4644),
    "F13 stargazers pi*_S": (None, "S", 0.7562, 5e-5, 0.7667),
    "F13 moonstone G1 pi*_B": ("G1", "B", 0.20, 0.005, None),
    "F13 moonstone G1 pi*_S": ("G1", "S", 0.91, 0.005, None),
    "F13 moonstone G2 pi*_B": ("G2", "B", 0.18, 0.005, None),
    "F13 moonstone G2 pi*_S": ("G2", "S", 0.92, 0.005, None),
    "F13 moonstone G3 pi*_B": ("G3", "B", 0.40, 0.005, None),
    "F13 moonstone G3 pi*_S": ("G3", "S", 0.90, 0.005, None),
    "F13 moonstone G4 pi*_B": ("G4", "B", 0.38, 0.005, None),
    "F13 moonstone G4 pi*_S": ("G4", "S", 0.94, 0.005, None),
    "F13 moonstone G5 pi*_B": ("G5", "B", 0.23, 0.005, None),
    "F13 moonstone G5 pi*_S": ("G5", "S", 0.83, 0.005, None),
}
CASES = [pytest.param(*row, id=name) for name, row in PUBLISHED.items()]


def moonstone() -> cs.Corpus:
    path = data_path("moonstone", "moonstone_masses.json")
    return cs.Corpus.from_dict(json.loads(path.read_text(encoding="utf-8"))["items"])


def measured(group, metric, chance):
    if group is None:
        return agreement(cs.load_stargazers(), metric=metric, n_t=2, chance=chance, n_resamples=0).groups[0]
    found = agreement(moonstone(), metric=metric, n_t=2, chance=chance, n_resamples=0).groups
    return next(one for one in found if GROUPS[group] in one.coders)


@pytest.mark.parametrize(("group", "metric", "printed", "tolerance", "by_definition"), CASES)
def test_printed_value_with_published_chance(group, metric, printed, tolerance, by_definition):
    assert measured(group, metric, "published").pi == pytest.approx(printed, abs=tolerance)


@pytest.mark.parametrize(("group", "metric", "printed", "tolerance", "by_definition"), CASES)
def test_by_definition_chance_is_smaller_and_the_value_greater(
    group, metric, printed, tolerance, by_definition
):
    ours, theirs = measured(group, metric, "boundaries"), measured(group, metric, "published")
    assert ours.observed == theirs.observed
    assert ours.expected < theirs.expected
    assert ours.pi > theirs.pi
    if by_definition is not None:
        assert ours.pi == pytest.approx(by_definition, abs=5e-5)


def test_f13t_table_5_5_groups_are_found():
    groups = agreement(moonstone(), n_resamples=0).groups
    assert sorted(len(group.coders) for group in groups) == [4, 5, 6, 6, 6]
    assert sum(group.n_pairs for group in groups) == 244
    assert sum(len(group.documents) for group in groups) == 20


def test_segeval_issue_2_boundaries_are_pooled_over_documents():
    """github.com/cfournie/segmentation.evaluation/issues/2: the worked example, (1+2+2+3) / (2·(6+8))."""
    corpus = cs.Corpus.from_dict(
        {"1": {"A": [3, 4], "B": [3, 2, 2]}, "2": {"A": [3, 3, 3], "B": [3, 2, 2, 2]}}
    )
    expected = Fraction(8, 28) ** 2
    assert agreement(corpus, n_resamples=0).expected == pytest.approx(float(expected), abs=1e-15)


# -------------------------------------------------------------------- KS12, Table 1

# "Pk and windowDiff are computed pairwise for all annotators within one group and then averaged", with half
# the mean segment length over all annotators of a chapter as the window: how chapters and groups weigh is
# not said, so the printed means hold within the tolerances of published.json only. Fleiss' κ of each chapter
# has the printed standard deviation, 0.15, which that of the five groups (0.12) does not have.
KS12_TABLE_1 = {
    "KS12 table 1 pairwise Pk mean": ("Pk", 0.33, 0.03),
    "KS12 table 1 pairwise WD mean": ("WD", 0.38, 0.04),
}


def half_mean_length(coded) -> int:
    segments = sum(coding.n_segments for coding in coded.values())
    return max(2, round(sum(coding.n_units for coding in coded.values()) / segments / 2))


@pytest.mark.parametrize(
    ("metric", "printed", "tolerance"), [pytest.param(*row, id=name) for name, row in KS12_TABLE_1.items()]
)
def test_pairwise_mean(metric, printed, tolerance):
    corpus = moonstone()
    group_means = []
    for group in corpus.groups():
        chapters = []
        for document in group.documents:
            k = half_mean_length(group[document])
            chapters.append(coder_matrix(group, f"{metric}(k={k})", documents=[document]).scores.macro)
        group_means.append(statistics.fmean(chapters))
    assert statistics.fmean(group_means) == pytest.approx(printed, abs=tolerance)


def test_strict_fleiss_kappa_mean():
    """KS12 table 1: mean 0.29 (ours within 0.06), standard deviation 0.15."""
    corpus = moonstone()
    chapters = [
        agreement(corpus.select(documents=[document]), n_resamples=0).strict.fleiss_kappa
        for document in corpus.documents
    ]
    assert statistics.fmean(chapters) == pytest.approx(0.29, abs=0.06)
    assert statistics.stdev(chapters) == pytest.approx(0.15, abs=0.005)
