"""Bugs of segeval 2.0.11: each test first shows what segeval does, then demands the right answer.

Source of truth: the definitions in F13 and F13t (Fournier 2013, ACL and thesis), Pevzner & Hearst (2002) and
Lamprier et al. (2007), worked out by hand in each test.
"""

import math
import warnings
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import pytest

import caesura as cs
from caesura import Segmentation

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval
    import segeval.data  # its metrics import this when first called
    from segeval.similarity.distance import multipleboundary
    from segeval.util import SegmentationMetricError

LABELS = segeval.BoundaryFormat.position
SETS = segeval.BoundaryFormat.sets


def units_in_one_segment(label, n_units):
    """The label once per unit, as a file reader would make it: equal numbers, not one object."""
    return [int(str(label)) for _ in range(n_units)]


# -------------------------------------------------------------------- nothing to compare


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (segeval.boundary_similarity, cs.boundary_similarity),
        (segeval.segmentation_similarity, cs.segmentation_similarity),
    ],
    ids=["B", "S"],
)
def test_two_documents_without_boundaries_are_the_same(theirs, ours):
    """F13t figure 5.3 prints 1.0 for this case; segeval looks for the largest of no types."""
    with pytest.raises(ValueError, match="empty"):
        theirs([11], [11])
    assert ours([11], [11]) == 1


def test_the_confusion_matrix_of_two_documents_without_boundaries():
    """Nothing predicted, nothing to find: ten true negatives."""
    with pytest.raises(ValueError, match="empty"):
        segeval.boundary_confusion_matrix([11], [11])
    matrix = cs.confusion_matrix([11], [11])
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (0, 0, 0, 10)


def test_two_units_are_enough_for_window_diff():
    """k is at least 2, but no window is longer than N - 1 = 1: here one window, in error.

    segeval has N - k = 0 windows and divides by them, while its Pk says that nothing is wrong.
    """
    with pytest.raises(InvalidOperation):
        segeval.window_diff([1, 1], [2])
    assert segeval.pk([1, 1], [2]) == 0
    assert cs.window_diff([2], [1, 1]) == 1
    assert cs.pk([2], [1, 1]) == 1


# -------------------------------------------------------------------- `is` on integers above 256


def test_window_diff_with_a_window_of_256():
    """One boundary moved by 10: 10 windows before and 10 after it differ, of N - k.

    segeval compares the length of each window with k + 1 by `is`.
    """
    ref, hyp = [400, 400], [410, 390]
    assert segeval.window_diff(hyp, ref, window_size=255, return_parts=True) == (20, 800 - 255)
    with pytest.raises(AssertionError):
        segeval.window_diff(hyp, ref, window_size=256)
    for k in (255, 256, 300):
        score = cs.window_diff(ref, hyp, k=k)
        assert (score.numerator, score.denominator) == (20, 800 - k)


def test_pk_with_labels_above_256():
    """Two equal segmentations have no error, whatever their segments are called.

    segeval compares the labels by `is`, so no two units with a label above 256 share a segment.
    """
    small = units_in_one_segment(1, 5) + units_in_one_segment(2, 5)
    large = units_in_one_segment(1001, 5) + units_in_one_segment(1002, 5)
    assert segeval.pk(small, small, window_size=2, boundary_format=LABELS) == 0
    assert segeval.pk(small, large, window_size=2, boundary_format=LABELS) == Decimal(6) / 8
    assert cs.pk(Segmentation.from_labels(large), Segmentation.from_labels(small), k=2) == 0


def test_pk_of_a_full_miss_with_labels_above_256():
    """One boundary is missed: the k = 2 windows around it are wrong, of N - k = 8; segeval sees none."""
    ref = units_in_one_segment(1001, 5) + units_in_one_segment(1002, 5)
    hyp = units_in_one_segment(1001, 10)
    assert segeval.pk(hyp, ref, window_size=2, boundary_format=LABELS) == 0
    assert cs.pk(Segmentation.from_labels(ref), Segmentation.from_labels(hyp), k=2) == 2 / 8


# -------------------------------------------------------------------- many types at one position


@pytest.mark.parametrize("n_types", [2, 3, 4])
def test_segeval_tries_all_pairings_of_all_permutations(monkeypatch, n_types):
    """k types against k others at one position: (k!)² pairings, 10**95 of them for 40."""
    tried = []

    def counted(types):
        for permutation in permutations(types):
            tried.append(permutation)
            yield permutation

    permutations = multipleboundary.permutations
    monkeypatch.setattr(multipleboundary, "permutations", counted)
    a, b = set(range(n_types)), set(range(n_types, 2 * n_types))
    segeval.boundary_edit_distance([a], [b])
    outer = math.factorial(n_types)
    assert len(tried) == outer + outer**2


def test_forty_types_at_one_position():
    """Odd against even: 1 with 2, 3 with 4 ... costs 1 each, the least that two different types can."""
    odd, even = set(range(1, 80, 2)), set(range(2, 81, 2))
    alignment = cs.align(Segmentation.from_sets([odd]), Segmentation.from_sets([even]))
    assert [(s.reference_type, s.hypothesis_type) for s in alignment.substitutions] == [
        (x, x + 1) for x in range(1, 80, 2)
    ]
    assert alignment.additions == ()
    assert alignment.penalty == Fraction(40, 80)  # forty times 1 / (80 - 1 + 1)


def test_forty_types_against_thirty():
    """The smaller side is paired completely, here 10·i with 10·i + 1; the ten types far off are left over."""
    tens, beside = [10 * i for i in range(1, 31)], [10 * i + 1 for i in range(1, 31)]
    far = list(range(1001, 1011))
    ref, hyp = Segmentation.from_sets([{*beside, *far}]), Segmentation.from_sets([set(tens)])
    alignment = cs.align(ref, hyp)
    assert [(s.reference_type, s.hypothesis_type) for s in alignment.substitutions] == [
        (x + 1, x) for x in tens
    ]
    assert [addition.type for addition in alignment.missed] == far
    assert alignment.spurious == ()


# -------------------------------------------------------------------- S


def test_s_divides_by_types_times_positions():
    """F13t eq. 4.10: two types at three positions are 6 potential boundaries; one of them is in error."""
    a, b = [{1}, {2}, set()], [{1}, set(), set()]
    # 12 = types² × positions
    theirs = segeval.segmentation_similarity(a, b, boundary_format=SETS)
    assert theirs == 1 - Decimal(1) / 12
    ours = cs.segmentation_similarity(Segmentation.from_sets(a), Segmentation.from_sets(b))
    assert (ours.numerator, ours.denominator) == (5, 6)


# -------------------------------------------------------------------- the confusion matrix


def test_a_nearer_miss_gets_more_credit():
    """A near miss is a true positive in part: its correctness, 1 - distance / n_t (F13t, Table 5.8).

    segeval adds the weight of the error, so the credit grows with the distance.
    """
    ref, near, far = [10, 10], [11, 9], [14, 6]
    assert segeval.boundary_confusion_matrix(near, ref, n_t=5)[1][1] == Decimal("0.2")
    assert segeval.boundary_confusion_matrix(far, ref, n_t=5)[1][1] == Decimal("0.8")
    assert cs.confusion_matrix(ref, near, n_t=5)[1, 1] == 0.8
    assert cs.confusion_matrix(ref, far, n_t=5)[1, 1] == 0.2


def test_a_spurious_boundary_is_a_false_positive():
    """Only the hypothesis has a boundary: predicted 1, actual none. segeval says the reverse."""
    theirs = segeval.boundary_confusion_matrix(hypothesis=[5, 6], reference=[11])
    assert (theirs[None][1], theirs[1][None]) == (1, 0)
    ours = cs.confusion_matrix([11], [5, 6])
    assert (ours[1, None], ours[None, 1]) == (1, 0)
    assert (ours.fp, ours.fn) == (1, 0)


def test_a_missed_boundary_is_a_false_negative():
    """Only the reference has a boundary: predicted none, actual 1. segeval says the reverse."""
    theirs = segeval.boundary_confusion_matrix(hypothesis=[11], reference=[5, 6])
    assert (theirs[1][None], theirs[None][1]) == (1, 0)
    ours = cs.confusion_matrix([5, 6], [11])
    assert (ours[None, 1], ours[1, None]) == (1, 0)
    assert (ours.fp, ours.fn) == (0, 1)


def test_misses_and_wrong_types_agree_on_who_predicted():
    """The hypothesis says 2 where 1 is right, and misses a 1: rows are predictions in both cases.

    segeval has the wrong type at [predicted][actual], but the miss in the row of predictions.
    """
    ref, hyp = [{1}, set(), set(), {1}], [{2}, set(), set(), set()]
    theirs = segeval.boundary_confusion_matrix(hypothesis=hyp, reference=ref, boundary_format=SETS)
    assert (theirs[2][1], theirs[1][None], theirs[None][1]) == (1, 1, 0)
    ours = cs.confusion_matrix(Segmentation.from_sets(ref), Segmentation.from_sets(hyp))
    assert (ours[2, 1], ours[None, 1], ours[1, None]) == (1, 1, 0)


# -------------------------------------------------------------------- padded WindowDiff


def test_padded_window_diff_has_n_plus_k_windows():
    """Lamprier et al. (2007): k phantom units at both ends make N + 2k units, so N + k windows of k.

    The boundary is missed in the k = 3 windows that hold it. segeval divides by one window too many.
    """
    ref, hyp, k = [5, 6], [11], 3
    theirs = segeval.window_diff(hyp, ref, window_size=k, lamprier_et_al_2007_fix=True, return_parts=True)
    assert theirs == (3, 11 + 3 + 1)
    ours = cs.window_diff(ref, hyp, k=k, edges="padded")
    assert (ours.numerator, ours.denominator) == (3, 11 + 3)


def test_padded_window_diff_of_all_boundaries_against_none():
    """Of the N + k = 8 windows only the first and the last, over phantom units alone, agree."""
    ref, hyp, k = [1] * 6, [6], 2
    theirs = segeval.window_diff(hyp, ref, window_size=k, lamprier_et_al_2007_fix=True, return_parts=True)
    assert theirs == (6, 6 + 2 + 1)
    ours = cs.window_diff(ref, hyp, k=k, edges="padded")
    assert (ours.numerator, ours.denominator) == (6, 6 + 2)


# -------------------------------------------------------------------- what is no segmentation


def test_a_document_without_units():
    """segeval blames the number of arguments."""
    with pytest.raises(SegmentationMetricError, match="expected 1 or 2, obtained 2"):
        segeval.boundary_similarity([], [])
    with pytest.raises(cs.SegmentationError, match="masses is empty; a document needs at least one unit"):
        cs.boundary_similarity([], [])


def test_a_segment_without_units():
    """segeval fails somewhere inside, or finds nothing wrong."""
    with pytest.raises(IndexError):
        segeval.boundary_similarity([0], [0])
    assert segeval.window_diff([0], [0]) == 0
    for metric in (cs.boundary_similarity, cs.window_diff):
        with pytest.raises(
            cs.SegmentationError, match=r"masses\[0\] is 0: a segment needs at least one unit"
        ):
            metric([0], [0])


def test_an_empty_segment_among_others():
    """segeval takes it without a word."""
    assert segeval.boundary_similarity([3], [0, 3]) == 0
    with pytest.raises(cs.SegmentationError, match=r"masses\[0\] is 0"):
        cs.boundary_similarity([3], [0, 3])
