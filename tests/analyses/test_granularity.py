"""Granularity or conflict: which differences are one coder dividing finer (SPEC §17; KS12 §4.2).

Source of truth: the definition, position by position on small documents; random placements drawn one by one.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.strategies import plain_pairs, typed_pairs
from tests.real_data import data_path

import caesura as cs
from caesura import Corpus, Segmentation, cli
from caesura.analyses.description.differences import differences_of, granularity


def naive(alignment):
    """Walk over the document and judge each stretch between two cuts."""
    cuts = {match.position for match in alignment.matches} | {edit.start for edit in alignment.transpositions}
    finer = {"reference": 0, "hypothesis": 0}
    conflict = len(alignment.substitutions)
    inside = []

    def judge():
        nonlocal conflict
        sides = {addition.side for addition in inside}
        if len(sides) == 2:
            conflict += len(inside)
        for side in sides if len(sides) == 1 else ():
            finer[side] += len(inside)
        inside.clear()

    for position in range(1, alignment.reference.n_units):
        inside += [addition for addition in alignment.additions if addition.position == position]
        if position in cuts:
            judge()
    judge()
    return finer["reference"], finer["hypothesis"], conflict


@given(st.one_of(plain_pairs(), typed_pairs()), st.integers(1, 4))
def test_stretches_are_those_of_a_walk_over_the_document(pair, n_t):
    alignment = cs.align(*pair, n_t=n_t)
    differences = differences_of(alignment)
    assert differences[2:5] == naive(alignment)
    assert differences.granularity + differences.conflict == len(alignment.additions) + len(
        alignment.substitutions
    )
    other = differences_of(cs.align(*reversed(pair), n_t=n_t))
    assert sum(other[2:5]) == sum(differences[2:5])


@given(plain_pairs(), st.data())
def test_a_coding_that_contains_the_other_is_all_granularity(pair, data):
    whole = pair[0]
    some = data.draw(st.lists(st.sampled_from(whole.positions), unique=True)) if whole.positions else []
    part = Segmentation.from_positions(sorted(some), whole.n_units)
    differences = differences_of(cs.align(whole, part))
    assert (differences.conflict, differences.finer_second) == (0, 0)
    assert differences.share == (1.0 if len(some) < len(whole.positions) else None)


@pytest.mark.parametrize(
    ("first", "second", "n_t"),
    [([3, 1, 4, 2, 2], [3, 5, 1, 3], 2), ([2, 5, 5], [7, 1, 1, 3], 1), ([1, 9, 2], [4, 2, 4, 2], 2)],
)
def test_chance_is_the_mean_over_every_placement(first, second, n_t):
    """All ways to put the unmatched boundaries of both on different free positions, counted by hand."""
    alignment = cs.align(first, second, n_t=n_t)
    n_first, n_second = len(alignment.missed), len(alignment.spurious)
    taken = {match.position for match in alignment.matches}
    taken |= {p for edit in alignment.transpositions for p in (edit.start, edit.end)}
    free = [p for p in range(1, alignment.reference.n_units) if p not in taken]
    cuts = sorted(
        {match.position for match in alignment.matches} | {e.start for e in alignment.transpositions}
    )
    values = []
    for ours in itertools.combinations(free, n_first):
        for theirs in itertools.combinations([p for p in free if p not in ours], n_second):
            sides = [[sum(cut < p for cut in cuts) for p in side] for side in (ours, theirs)]
            values.append(sum(s not in sides[1] for s in sides[0]) + sum(s not in sides[0] for s in sides[1]))
    assert differences_of(alignment).expected == pytest.approx(np.mean(values), abs=1e-9)


def test_a_very_long_document_costs_no_more():
    n_units = 10**15
    first = Segmentation.from_positions([10**9, 10**12, 10**14], n_units)
    second = Segmentation.from_positions([10**9, 5 * 10**13], n_units)
    differences = differences_of(cs.align(first, second))
    assert differences[:5] == (1, 0, 0, 0, 3)
    assert 0 < differences.chance < 0.01


def test_pairs_and_coders_add_up():
    """By hand, n_t = 2: ann and bob agree at 4 and 12; bob alone divides 4–12 and ann alone 12–16."""
    codings = {
        "one": {"ann": [4, 8, 2, 2], "bob": [4, 3, 5, 4]},
        "two": {"bob": [4, 12], "ann": [4, 12], "cy": [3, 3, 10]},
    }
    compared = granularity(Corpus.from_dict(codings), 2)
    assert [(pair.first, pair.second, pair.documents) for pair in compared.pairs] == [
        ("ann", "bob", 2), ("ann", "cy", 1), ("bob", "cy", 1)
    ]  # fmt: skip
    first = compared.pairs[0].differences
    assert (first.agreed, first.near, first.finer_first, first.finer_second, first.conflict) == (
        3,
        0,
        1,
        1,
        0,
    )
    assert compared.pairs[1].differences[:5] == (0, 1, 0, 1, 0)  # 3 is near 4, and 6 cy's own
    ann, bob, cy = compared.coders
    assert (ann.comparisons, ann.differences[:5]) == (3, (3, 1, 1, 2, 0))
    assert (cy.comparisons, cy.differences.finer_first, cy.differences.finer_second) == (2, 2, 0)
    assert bob.differences[:5] == (3, 1, 1, 2, 0)


def test_no_difference_has_no_share_and_says_why():
    plain = granularity(Corpus.from_dict({"d": {"ann": [2, 3], "bob": [2, 3]}}), 2).to_dict()
    assert plain["pairs"][0]["share"] is None
    assert plain["pairs"][0]["reason"] == "no boundary differs"


def test_describe_has_it_in_json_and_as_a_table(tmp_path, capsys):
    codings = {"one": {"ann": [4, 8, 2, 2], "bob": [4, 3, 5, 4]}, "two": {"ann": [4, 12], "bob": [4, 12]}}
    corpus = Corpus.from_dict(codings)
    description = cs.describe(corpus)
    assert description.to_dict()["granularity"] == granularity(corpus, 2).numbers()
    assert description.granularity.total.share == 1.0
    (row,) = description.granularity.to_table("pairs").rows
    assert row[:8] == ["ann", "bob", 2, 3, 0, 1, 1, 0]
    cs.write(corpus, tmp_path / "corpus.json")
    assert cli.run(["describe", str(tmp_path / "corpus.json"), "--granularity"]) == 0
    out = capsys.readouterr().out
    assert "In 100 % of the 2 differences one coder splits a segment of the other" in " ".join(out.split())
    assert cli.run(["describe", str(tmp_path / "corpus.json"), "--granularity", "--coders"]) == 2
    assert "choose one of --coders" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_kazantseva_szpakowicz_2012_differences_are_as_often_conflict_as_by_chance():
    """KS12 §4.2 asks whether differences are granularity; of its corpus, 53 % are where chance gives 54 %.

    Not a published number: the walk over each pair of codings, and 200 draws of random positions for it.
    """
    corpus = cs.read(data_path("moonstone", "segmentations"))
    total = granularity(corpus, 2).total
    rng = np.random.default_rng(1)
    finer = conflict = 0
    drawn = np.zeros(200)
    for document in corpus.documents:
        for first, second in itertools.combinations(corpus[document].values(), 2):
            alignment = cs.align(first, second)
            *sides, between = naive(alignment)
            finer, conflict = finer + sum(sides), conflict + between
            taken = {match.position for match in alignment.matches}
            taken |= {p for edit in alignment.transpositions for p in (edit.start, edit.end)}
            free = [p for p in range(1, first.n_units) if p not in taken]
            cuts = sorted(
                {match.position for match in alignment.matches} | {e.start for e in alignment.transpositions}
            )
            n_first, n_both = len(alignment.missed), len(alignment.additions)
            for draw in range(len(drawn)):
                ours, theirs = np.split(
                    np.searchsorted(cuts, rng.choice(free, n_both, replace=False)), [n_first]
                )
                drawn[draw] += np.sum(~np.isin(ours, theirs)) + np.sum(~np.isin(theirs, ours))
    assert (total.granularity, total.conflict) == (finer, conflict)
    error = drawn.std() / len(drawn) ** 0.5
    assert total.expected == pytest.approx(drawn.mean(), abs=4 * error)
