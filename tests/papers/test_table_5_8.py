"""compare() on F13t Table 5.8. Source of truth: the numbers that the thesis prints.

The segmenters' outputs were never published. A row says how many boundary pairs of each kind there were:
TP = M + T / 2 and n = M + T + FP + FN give the matches M and the near misses T. Any documents with these
pairs, far enough apart, must give the row's numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura import Corpus, Segmentation
from caesura.analyses.comparison.analysis import compare
from caesura.papers.recompute import load_facts

N_POSITIONS = 5253
N_CHAPTERS = 15
DIGITS = 6e-5  # four decimals are printed


class Printed(NamedTuple):
    value: float
    se: float
    n: int
    precision: float
    recall: float
    f1: float
    tp: float
    fp: int
    fn: int
    tn: float

    @property
    def near_misses(self) -> float:
        return 2 * (self.n - self.fp - self.fn - self.tp)

    @property
    def matches(self) -> float:
        return self.n - self.fp - self.fn - self.near_misses


TABLE_5_8 = {
    "Random": Printed(0.2640, 0.0129, 1057, 0.3991, 0.4673, 0.4306, 279.0, 420, 318, 4236.0),
    "Human": Printed(0.5285, 0.0164, 841, 0.6854, 0.7439, 0.7135, 444.5, 204, 153, 4451.5),
    "BayesSeg": Printed(0.3745, 0.0146, 964, 0.5247, 0.6224, 0.5694, 361.0, 327, 219, 4346.0),
    "APS": Printed(0.2873, 0.0163, 738, 0.6773, 0.3403, 0.4530, 212.0, 101, 411, 4529.0),
    "MinCut": Printed(0.2468, 0.0141, 871, 0.4788, 0.3496, 0.4041, 215.0, 234, 400, 4404.0),
}

# What the reference and the segmenter mark, from the place of the pair.
KINDS = {"match": ([0], [0]), "near miss": ([0], [1]), "missed": ([0], []), "spurious": ([], [0])}
WIDTH = 4  # with n_t = 2 nothing pairs across it


def all_kinds(row: Printed) -> list[str]:
    counts = (int(row.matches), int(row.near_misses), row.fn, row.fp)
    return [kind for kind, n in zip(KINDS, counts, strict=True) for _ in range(n)]


def lay_out(kinds: list[str], n_positions: int, segmenter: str) -> dict[str, Segmentation]:
    reference, hypothesis = [], []
    for index, kind in enumerate(kinds):
        start = 1 + WIDTH * index
        reference += [start + offset for offset in KINDS[kind][0]]
        hypothesis += [start + offset for offset in KINDS[kind][1]]
    n_units = n_positions + 1
    return {
        "coder": Segmentation.from_positions(reference, n_units),
        segmenter: Segmentation.from_positions(hypothesis, n_units),
    }


def check(found, printed: Printed) -> None:
    for name in ("value", "se", "precision", "recall", "f1"):
        assert getattr(found, name) == pytest.approx(getattr(printed, name), abs=DIGITS), name
    assert found.n_pairs == printed.n
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(found, name) == getattr(printed, name), name


@pytest.mark.parametrize("segmenter", TABLE_5_8)
def test_the_reconstruction_has_whole_counts_and_all_positions(segmenter):
    row = TABLE_5_8[segmenter]
    assert row.near_misses.is_integer()
    assert row.matches.is_integer()
    assert min(row.near_misses, row.matches) > 0
    assert row.tp + row.fp + row.fn + row.tn == N_POSITIONS


@pytest.mark.parametrize("segmenter", TABLE_5_8)
def test_row_from_one_document(segmenter):
    row = TABLE_5_8[segmenter]
    corpus = Corpus.from_dict({"d": lay_out(all_kinds(row), N_POSITIONS, segmenter)})
    comparison = compare(corpus, segmenters=[segmenter], bounds=(), human=False, n_resamples=99, rng=0)
    found = comparison[segmenter]
    check(found, row)
    assert (found.matches, found.near_misses) == (row.matches, row.near_misses)
    assert (found.missed, found.spurious, found.wrong_types) == (row.fn, row.fp, 0)


@pytest.mark.parametrize("segmenter", TABLE_5_8)
def test_row_from_fifteen_chapters(segmenter):
    """The thesis pools 15 chapters: where a pair stands must not matter."""
    row = TABLE_5_8[segmenter]
    kinds = all_kinds(row)
    sizes = [N_POSITIONS // N_CHAPTERS] * N_CHAPTERS
    sizes[-1] += N_POSITIONS - sum(sizes)
    corpus = Corpus.from_dict(
        {f"chapter {i}": lay_out(kinds[i::N_CHAPTERS], size, segmenter) for i, size in enumerate(sizes)}
    )
    comparison = compare(corpus, segmenters=[segmenter], bounds=(), human=False, n_resamples=99, rng=0)
    check(comparison[segmenter], row)
    table = comparison.to_table()
    cells = dict(zip([column.name for column in table.columns], table.rows[0], strict=True))
    assert cells["B"] == pytest.approx(row.value, abs=DIGITS)
    assert cells["SE of pairs"] == pytest.approx(row.se, abs=DIGITS)


# -------------------------------------------------------------------- both ends of a chapter

MEANS_OF_TABLE_5_7 = {"Random": 0.1115, "Human": 0.4211, "BayesSeg": 0.2399, "APS": 0.0558, "MinCut": 0.0508}


@pytest.mark.parametrize("segmenter", TABLE_5_8)
def test_a_row_counts_both_ends_of_every_chapter_as_matches(segmenter):
    """The codings have fewer boundaries than the row has references: two for each of them."""
    row = TABLE_5_8[segmenter]
    people = cs.read(data_path("moonstone", "moonstone_masses.json"))
    judged = people.select(documents=[f"ch{number}" for number in (5, *range(7, 22))])
    codings = [coding for document in judged.documents for coding in judged[document].values()]
    # Chapter 20, which six people coded, has lost a paragraph.
    assert sum(coding.n_units - 1 for coding in codings) + 6 == N_POSITIONS
    of_references = row.matches + row.near_misses + row.fn
    assert of_references == sum(coding.n_boundaries for coding in codings) + 2 * len(codings)


@pytest.mark.parametrize("segmenter", TABLE_5_8)
def test_without_both_ends_b_is_near_the_means_over_codings(segmenter):
    """Table 5.7 has means over the same 90 codings, without ends; this is the quotient of sums."""
    row, ends = TABLE_5_8[segmenter], 2 * 90
    without = (row.tp - ends) / (row.n - ends)
    assert without == pytest.approx(MEANS_OF_TABLE_5_7[segmenter], abs=0.025)
    (fact,) = (one for one in load_facts() if one.id == f"F13t table 5.8 {segmenter}")
    assert fact.note.endswith(f"without them B is {without:.3f}")
