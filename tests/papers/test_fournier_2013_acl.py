"""Figures 5 to 8 of F13: Fournier (2013), Evaluating text segmentation using boundary edit distance, ACL.

Source of truth: the values printed in the paper, with the settings that produce them: n_t = 2, k = 2, and S
with near misses that cost as much as full misses.
"""

import pytest

import caesura as cs

MANUAL = [2, 3, 6]
FIGURES = {
    # figure: automatic segmentation, printed S, B, 1-WD
    "F13 fig 5 (false negative)": ([5, 6], 0.9, 0.5, 0.7777),
    "F13 fig 6 (near miss)": ([2, 2, 7], 0.9, 0.75, 0.7777),
    "F13 fig 7 (false positive)": ([2, 3, 3, 3], 0.9, 0.6666, 0.7777),
    "F13 fig 8 (cluster)": ([1, 1, 3, 1, 5], 0.8, 0.5, 0.6666),
}
TOLERANCE = 0.0001

QUANTITIES = {
    "S": lambda ref, hyp: cs.segmentation_similarity(ref, hyp, n_t=2, transposition="constant"),
    "B": lambda ref, hyp: cs.boundary_similarity(ref, hyp, n_t=2),
    "1-WD": lambda ref, hyp: 1 - cs.window_diff(ref, hyp, k=2),
}
CASES = [
    pytest.param(quantity, automatic, value, id=f"{figure} {quantity}")
    for figure, (automatic, *printed) in FIGURES.items()
    for quantity, value in zip(QUANTITIES, printed, strict=True)
]


@pytest.mark.parametrize(("quantity", "automatic", "printed"), CASES)
def test_printed_value(quantity, automatic, printed):
    assert QUANTITIES[quantity](MANUAL, automatic) == pytest.approx(printed, abs=TOLERANCE)


def test_footnote_10_k_comes_from_the_manual_segmentation():
    assert cs.window_size(MANUAL) == 2


def test_section_4_b_ranks_near_miss_then_false_positive_then_a_tie():
    false_negative, near_miss, false_positive, cluster = (
        cs.boundary_similarity(MANUAL, automatic) for automatic, *_ in FIGURES.values()
    )
    assert near_miss > false_positive > false_negative == cluster
