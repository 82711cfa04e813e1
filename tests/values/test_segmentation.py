"""Segmentation: every form in, every form out, and what is refused.

Source of truth: SPEC §1 (a document has N units and N-1 potential boundaries; position p is the number of
units before it) and its demand that a wrong form gets an error with the index, the value and the constructor
that was probably meant. The forms of one example were written down by hand from those definitions.
"""

import copy
import math
import pickle
import re
from collections import deque
from decimal import Decimal

import numpy as np
import pytest
from tests.loops import each

import caesura as cs
from caesura import Segmentation
from caesura.errors import SegmentationError
from caesura.values.segmentation import as_segmentation

# units 0 1 | 2 3 4 | 5 6 7 8 9 10
FORMS = {
    "masses": Segmentation.from_masses([2, 3, 6]),
    "masses, tuple": Segmentation.from_masses((2, 3, 6)),
    "masses, generator": Segmentation.from_masses(mass for mass in (2, 3, 6)),
    "masses, deque": Segmentation.from_masses(deque([2, 3, 6])),
    "masses, NumPy": Segmentation.from_masses(np.array([2, 3, 6], dtype=np.int32)),
    "masses, unsigned": Segmentation.from_masses(np.array([2, 3, 6], dtype=np.uint8)),
    "masses, whole floats": Segmentation.from_masses([2.0, np.float64(3), 6]),
    "masses, NumPy scalars": Segmentation.from_masses([np.int64(2), np.int16(3), np.uint8(6)]),
    "positions": Segmentation.from_positions([2, 5], n_units=11),
    "positions, NumPy": Segmentation.from_positions(np.array([2, 5]), n_units=np.int64(11)),
    "positions, type 1": Segmentation.from_positions([2, 5], n_units=11, types=[1, 1]),
    "labels": Segmentation.from_labels([1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]),
    "labels, text": Segmentation.from_labels("aabbbcccccc"),
    "labels, one comes back": Segmentation.from_labels(list("aabbbaaaaaa")),
    "labels, mixed kinds": Segmentation.from_labels(["a", "a", 0, 0, 0, *[("x", 1)] * 6]),
    "gaps": Segmentation.from_gaps("0100100000"),
    "gaps, list": Segmentation.from_gaps([0, 1, 0, 0, 1, 0, 0, 0, 0, 0]),
    "gaps, characters": Segmentation.from_gaps(list("0100100000")),
    "gaps, bools": Segmentation.from_gaps(np.array(list("0100100000")) == "1"),
    "gaps, floats": Segmentation.from_gaps([0.0, 1.0, 0, 0, 1, 0, 0, 0, 0, 0]),
    "starts": Segmentation.from_starts([1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]),
    "starts, text": Segmentation.from_starts("10100100000"),
    "starts, first unit unmarked": Segmentation.from_starts("00100100000"),
    "ends": Segmentation.from_ends([0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]),
    "ends, text": Segmentation.from_ends("01001000001"),
    "ends, last unit unmarked": Segmentation.from_ends("01001000000"),
    "sets": Segmentation.from_sets([set(), {1}, set(), set(), frozenset({1}), *[set()] * 5]),
    "sets, tuples": Segmentation.from_sets([(), (1,), (), [], [1], (), (), (), (), ()]),
    "sets, {} for the empty set": Segmentation.from_sets([{}, {1}, {}, {}, {1}, {}, {}, {}, {}, {}]),
    "spans": Segmentation.from_spans([(0, 2), (2, 5), (5, 11)]),
    "spans, lists": Segmentation.from_spans([[0, 2], [2, 5], [5, 11]]),
    "spans, NumPy": Segmentation.from_spans(np.array([[0, 2], [2, 5], [5, 11]])),
}
TYPED = Segmentation.from_sets([set(), {2, 1}, set(), {3}])


# -------------------------------------------------------------------- values


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_one_segmentation_is_one_value(form):
    segmentation = FORMS[form]
    assert segmentation == FORMS["masses"]
    assert hash(segmentation) == hash(FORMS["masses"])
    assert segmentation.n_units == 11
    assert segmentation.positions == (2, 5)
    assert segmentation.boundaries == ((2, 1), (5, 1))
    assert segmentation.masses == (2, 3, 6)
    assert segmentation.types == (1,)
    assert segmentation.n_boundaries == 2
    assert segmentation.n_segments == 3
    assert segmentation.is_plain
    assert {*FORMS.values()} == {FORMS["masses"]}


def test_every_conversion_of_one_segmentation():
    segmentation = FORMS["masses"]
    assert segmentation.to_gaps() == "0100100000"
    assert segmentation.to_labels() == (1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3)
    assert segmentation.to_starts() == (1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0)
    assert segmentation.to_ends() == (0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
    assert segmentation.to_sets() == tuple(frozenset(kinds) for kinds in ((), (1,), (), (), (1,), *[()] * 5))
    assert segmentation.to_spans() == ((0, 2), (2, 5), (5, 11))
    assert segmentation.position_array.tolist() == [2, 5]


def test_types_share_positions():
    assert TYPED.n_units == 5
    assert TYPED.boundaries == ((2, 1), (2, 2), (4, 3))
    assert TYPED.positions == (2, 4)
    assert TYPED.types == (1, 2, 3)
    assert TYPED.n_boundaries == 3
    assert TYPED.n_segments == 3
    assert TYPED.masses == (2, 2, 1)
    assert TYPED.to_gaps() == "0101"
    assert TYPED.to_sets() == (frozenset(), frozenset({1, 2}), frozenset(), frozenset({3}))
    assert not TYPED.is_plain


def test_typed_forms_are_one_value_whatever_the_order_of_types_at_a_position():
    same = Segmentation.from_positions([2, 2, 4], n_units=5, types=[2, 1, 3])
    assert same == TYPED
    assert hash(same) == hash(TYPED)


def test_types_may_be_any_integers():
    segmentation = Segmentation.from_sets([{-4, 0}, {7}])
    assert segmentation.boundaries == ((1, -4), (1, 0), (2, 7))


@pytest.mark.parametrize(
    "one_unit",
    [
        Segmentation.from_masses([1]),
        Segmentation.from_positions([], n_units=1),
        Segmentation.from_positions([], n_units=1, types=[]),
        Segmentation.from_labels(["a"]),
        Segmentation.from_gaps(""),
        Segmentation.from_gaps([]),
        Segmentation.from_starts([1]),
        Segmentation.from_starts("0"),
        Segmentation.from_ends([0]),
        Segmentation.from_sets([]),
        Segmentation.from_spans([(0, 1)]),
    ],
)
def test_a_document_of_one_unit(one_unit):
    assert one_unit == Segmentation.from_masses([1])
    assert hash(one_unit) == hash(Segmentation.from_masses([1]))
    assert (one_unit.n_units, one_unit.n_boundaries, one_unit.n_segments) == (1, 0, 1)
    assert (one_unit.positions, one_unit.types, one_unit.masses) == ((), (), (1,))
    assert (one_unit.to_gaps(), one_unit.to_labels(), one_unit.to_sets()) == ("", (1,), ())
    assert (one_unit.to_starts(), one_unit.to_ends(), one_unit.to_spans()) == ((1,), (1,), ((0, 1),))


@pytest.mark.parametrize(
    "other",
    [
        Segmentation.from_masses([2, 3, 7]),
        Segmentation.from_masses([3, 2, 6]),
        Segmentation.from_masses([2, 9]),
        Segmentation.from_positions([2, 5], n_units=11, types=[1, 2]),
        Segmentation.from_positions([2, 5], n_units=11, types=[2, 2]),
        Segmentation.from_positions([2, 5, 5], n_units=11, types=[1, 1, 2]),
        [2, 3, 6],
        "0100100000",
        None,
    ],
)
def test_different_values_are_not_equal(other):
    assert FORMS["masses"] != other


def test_a_label_that_returns_starts_a_new_segment():
    assert Segmentation.from_labels(["a", "b", "a", "a", "b"]).masses == (1, 1, 2, 1)


def test_a_boundary_after_every_unit():
    assert Segmentation.from_gaps("111") == Segmentation.from_masses([1, 1, 1, 1])


# -------------------------------------------------------------------- immutability, copies, repr


@pytest.mark.parametrize("segmentation", [FORMS["masses"], TYPED])
@pytest.mark.parametrize("name", ["n_units", "positions", "types", "_n_units", "_boundary_positions", "new"])
def test_attributes_can_not_be_set_or_deleted(segmentation, name):
    with pytest.raises(AttributeError, match="immutable"):
        setattr(segmentation, name, 3)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(segmentation, name)


@pytest.mark.parametrize("segmentation", [FORMS["masses"], TYPED], ids=["plain", "typed"])
def test_the_position_array_is_read_only(segmentation):
    with pytest.raises(ValueError, match="read-only"):
        segmentation.position_array[0] = 1


def test_the_input_may_change_afterwards():
    positions = np.array([2, 5])
    masses = np.array([2, 3, 6])
    read = Segmentation.from_positions(positions, 11), Segmentation.from_masses(masses)
    positions[:] = 1
    masses[:] = 1
    assert read == (FORMS["masses"], FORMS["masses"])


def test_there_is_no_constructor_that_guesses():
    with pytest.raises(TypeError, match=r"from_masses.*from_spans"):
        Segmentation([2, 3, 6])


COPIED = [FORMS["masses"], TYPED, Segmentation.from_masses([1]), Segmentation.from_masses([1, 10**15])]


@pytest.mark.parametrize("segmentation", COPIED)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_the_value(segmentation, protocol):
    copied = pickle.loads(pickle.dumps(segmentation, protocol))
    assert copied == segmentation
    assert hash(copied) == hash(segmentation)
    assert copied.boundaries == segmentation.boundaries
    with pytest.raises(AttributeError):
        copied.n_units = 3


@pytest.mark.parametrize("segmentation", COPIED)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_keep_the_value(segmentation, duplicate):
    copied = duplicate(segmentation)
    assert copied == segmentation
    assert hash(copied) == hash(segmentation)


@pytest.mark.parametrize(
    "segmentation", [*COPIED, Segmentation.from_positions([2, 5], 11, types=[-1, 10**12])]
)
def test_repr_evaluates_back(segmentation):
    assert eval(repr(segmentation), {"Segmentation": Segmentation}) == segmentation


def test_repr_of_many_segments_stays_short():
    text = repr(Segmentation.from_masses([1] * 1000))
    assert len(text) < 80
    assert "1000 units" in text
    assert "999 boundaries" in text


# -------------------------------------------------------------------- sparseness


def test_a_document_of_a_thousand_billion_units_is_sparse():
    n_units = 10**15
    segmentation = Segmentation.from_positions([1, 10**9, n_units - 1], n_units)
    assert segmentation.masses == (1, 10**9 - 1, n_units - 1 - 10**9, 1)
    assert segmentation.to_spans()[-1] == (n_units - 1, n_units)
    assert segmentation == Segmentation.from_masses(segmentation.masses)
    assert segmentation == Segmentation.from_spans(segmentation.to_spans())
    assert len(pickle.dumps(segmentation)) < 1000


@pytest.mark.parametrize("name", ["to_gaps", "to_labels", "to_starts", "to_ends", "to_sets"])
def test_writing_out_a_huge_document_is_refused(name):
    segmentation = Segmentation.from_masses([1, 10**15])
    with pytest.raises(cs.SegmentationError, match=f"{name}.*1000000000000001 units"):
        getattr(segmentation, name)()


def test_the_longest_document():
    assert Segmentation.from_masses([2**53 - 1, 1]).n_units == 2**53


# -------------------------------------------------------------------- plain values in place of a Segmentation


def test_a_list_is_masses_and_a_string_is_gaps():
    assert as_segmentation([2, 3, 6]) == FORMS["masses"]
    assert as_segmentation((2, 3, 6)) == FORMS["masses"]
    assert as_segmentation(np.array([2, 3, 6])) == FORMS["masses"]
    assert as_segmentation("0100100000") == FORMS["masses"]
    assert as_segmentation(FORMS["masses"]) is FORMS["masses"]


def test_a_list_of_ones_is_masses_not_gaps():
    assert as_segmentation([1, 1, 1]).n_units == 3
    assert as_segmentation("111").n_units == 4


@pytest.mark.parametrize(
    ("value", "fragments"),
    [
        ([0, 1, 0], ["masses[0]", "0", "from_gaps"]),
        ([{1}, set()], ["masses[0]", "{1}", "from_sets"]),
        ([(0, 2), (2, 4)], ["masses[0]", "(0, 2)", "from_spans"]),
        (["a", "b"], ["masses[0]", "'a'", "from_labels"]),
        ("2 3 6", ["gaps[0]", "'2'", "from_masses"]),
        ("aab", ["gaps[0]", "'a'", "from_labels"]),
        (None, ["None"]),
        (7, ["7"]),
        ({2: 3}, ["dict"]),
        ({2, 3}, ["set"]),
        (b"0100", ["from_gaps"]),
    ],
)
def test_what_is_neither_masses_nor_gaps_is_refused_by_every_function(value, fragments):
    for call in (
        lambda: as_segmentation(value),
        lambda: cs.boundary_similarity(value, [1, 2]),
        lambda: cs.window_diff([1, 2], value),
    ):
        with pytest.raises(cs.SegmentationError) as caught:
            call()
        for fragment in fragments:
            assert fragment in str(caught.value)


@pytest.mark.parametrize("name", sorted(cs.METRICS))
def test_segmentations_of_different_lengths_can_not_be_compared(name):
    calls = [
        lambda: cs.metric(name)([2, 3], [2, 4]),
        lambda: cs.metric(name).batch([[5], [2, 3]], [[5], [2, 4]]),
    ]
    for call in calls:
        with pytest.raises(cs.ComparisonError) as caught:
            call()
        assert "5" in str(caught.value)
        assert "6" in str(caught.value)


def test_align_and_confusion_name_both_lengths():
    for function in (cs.align, cs.confusion_matrix, cs.win_pr):
        with pytest.raises(cs.ComparisonError, match=r"17 units.*23"):
            function([8, 9], [11, 12])


# -------------------------------------------------------------------- what is refused

NAN = float("nan")

REFUSED = [
    # masses
    ("from_masses", ([],), ["empty"]),
    ("from_masses", ([0, 1, 0, 0, 1],), ["masses[0]", "is 0", "from_gaps"]),
    ("from_masses", ([1, 0, 1],), ["masses[1]", "is 0", "from_gaps"]),
    ("from_masses", ([2, 0, 3],), ["masses[1]", "is 0"]),
    ("from_masses", ([0, 2, 5],), ["masses[0]", "is 0", "from_positions"]),
    ("from_masses", ([2, -3, 4],), ["masses[1]", "-3"]),
    ("from_masses", ([2, 2.5],), ["masses[1]", "2.5"]),
    ("from_masses", ([2, NAN],), ["masses[1]", "nan"]),
    ("from_masses", ([math.inf, 2],), ["masses[0]", "inf"]),
    ("from_masses", (np.array([2, 2.5]),), ["masses[1]", "2.5"]),
    ("from_masses", ([True, False],), ["masses[0]", "True", "from_gaps"]),
    ("from_masses", (np.array([False, True]),), ["masses[0]", "False", "from_gaps"]),
    ("from_masses", ([2, True, 3],), ["masses[1]", "True"]),
    ("from_masses", ([np.True_, 3],), ["masses[0]", "True"]),
    ("from_masses", ([2, None, 3],), ["masses[1]", "None"]),
    ("from_masses", (["2", "3"],), ["masses[0]", "'2'"]),
    ("from_masses", (["a", "a", "b"],), ["masses[0]", "'a'", "from_labels"]),
    ("from_masses", ([set(), {1}],), ["masses[0]", "set()", "from_sets"]),
    ("from_masses", ([frozenset(), {1}],), ["masses[0]", "frozenset()", "from_sets"]),
    ("from_masses", ([(0, 2), (2, 5)],), ["masses[0]", "(0, 2)", "from_spans"]),
    ("from_masses", ([[0, 2], [2, 5]],), ["masses[0]", "[0, 2]", "from_spans"]),
    ("from_masses", (np.array([[0, 2], [2, 5]]),), ["masses[0]", "[0, 2]", "from_spans"]),
    ("from_masses", ([np.array([0, 2]), np.array([2, 5])],), ["masses[0]", "array([0, 2])"]),
    ("from_masses", ("0100",), ["'0100'", "from_gaps"]),
    ("from_masses", (b"0100",), ["from_gaps"]),
    ("from_masses", ({2, 3},), ["set", "no order"]),
    ("from_masses", ({2: 3},), ["dict", "no order"]),
    ("from_masses", (None,), ["None"]),
    ("from_masses", (5,), ["5"]),
    ("from_masses", (np.array(5),), ["5"]),
    ("from_masses", (FORMS["masses"],), ["already a Segmentation"]),
    ("from_masses", ([2**53, 1],), [str(2**53 + 1), "2**53"]),
    ("from_masses", ([10**30],), [str(10**30), "2**53"]),
    # positions
    ("from_positions", ([5, 2], 11), ["positions[1]", "is 2", "after 5", "unsorted"]),
    ("from_positions", ([2, 5, 5], 11), ["positions[2]", "is 5", "repeated"]),
    ("from_positions", ([2, 2, 7], 11), ["positions[1]", "is 2", "repeated", "from_masses"]),
    ("from_positions", ([0, 2], 11), ["positions[0]", "is 0", "n_units=11"]),
    ("from_positions", ([2, 11], 11), ["positions[1]", "is 11", "n_units=11"]),
    ("from_positions", ([2, 12], 11), ["positions[1]", "is 12", "n_units=11"]),
    ("from_positions", ([-1, 2], 11), ["positions[0]", "is -1"]),
    ("from_positions", ([1], 1), ["positions[0]", "is 1", "n_units=1"]),
    ("from_positions", ([0, 1, 0, 0], 5), ["positions[0]", "is 0", "from_gaps"]),
    ("from_positions", ([True, False], 5), ["positions[0]", "True", "from_gaps"]),
    ("from_positions", ([2, True], 5), ["positions[1]", "True"]),
    ("from_positions", ([2, 3.5], 5), ["positions[1]", "3.5"]),
    ("from_positions", ([2, NAN], 5), ["positions[1]", "nan"]),
    ("from_positions", ([2, None], 5), ["positions[1]", "None"]),
    ("from_positions", (["2"], 5), ["positions[0]", "'2'"]),
    ("from_positions", ([{1}, set()], 5), ["positions[0]", "{1}", "from_sets"]),
    ("from_positions", ([(0, 2), (2, 5)], 5), ["positions[0]", "(0, 2)", "from_spans"]),
    ("from_positions", ([np.array([1, 2])], 5), ["positions[0]", "array([1, 2])"]),
    ("from_positions", ("0100", 5), ["'0100'", "from_gaps"]),
    ("from_positions", ({2, 5}, 11), ["set", "no order"]),
    ("from_positions", ({2: 1}, 11), ["dict", "no order"]),
    ("from_positions", (None, 11), ["None"]),
    ("from_positions", ([2], 0), ["n_units is 0"]),
    ("from_positions", ([], 0), ["n_units is 0"]),
    ("from_positions", ([], -3), ["n_units is -3"]),
    ("from_positions", ([2], 5.5), ["n_units is 5.5"]),
    ("from_positions", ([2], True), ["n_units is True"]),
    ("from_positions", ([2], None), ["n_units is None"]),
    ("from_positions", ([2], "5"), ["n_units is '5'"]),
    ("from_positions", ([2], [2, 3]), ["n_units is [2, 3]"]),
    ("from_positions", ([2], 2**53 + 1), [str(2**53 + 1), "2**53"]),
    ("from_positions", ([2, 3], 5, [1]), ["2 positions", "1 types"]),
    ("from_positions", ([2, 3], 5, [1, "a"]), ["types[1]", "'a'", "integers"]),
    ("from_positions", ([2, 3], 5, [1.5, 1]), ["types[0]", "1.5", "integers"]),
    ("from_positions", ([2, 3], 5, [True, 1]), ["types[0]", "True", "integers"]),
    ("from_positions", ([2, 3], 5, [None, 1]), ["types[0]", "None"]),
    ("from_positions", ([2, 3], 5, [1, 10**30]), ["types[1]", str(10**30)]),
    ("from_positions", ([2, 3], 5, {1, 2}), ["types", "set"]),
    ("from_positions", ([2, 3], 5, 1), ["types", "1"]),
    ("from_positions", ([2, 2], 5, [1, 1]), ["position 2", "type 1 twice"]),
    ("from_positions", ([3, 2], 5, [1, 1]), ["positions[1]", "is 2", "after 3", "unsorted"]),
    ("from_positions", ([0], 5, [1]), ["positions[0]", "is 0"]),
    # labels
    ("from_labels", ([],), ["empty"]),
    ("from_labels", ("",), ["empty"]),
    ("from_labels", ([1, None, 2],), ["labels[1]", "None", "no label"]),
    ("from_labels", ([1, NAN, 2],), ["labels[1]", "nan", "no label"]),
    ("from_labels", (np.array([1.0, 1.0, np.nan]),), ["labels[2]", "nan", "no label"]),
    ("from_labels", ([Decimal("NaN"), 1],), ["labels[0]", "NaN", "no label"]),
    ("from_labels", ([np.datetime64("NaT", "D"), 1],), ["labels[0]", "NaT", "no label"]),
    ("from_labels", ([np.array([1, 2]), np.array([1, 2])],), ["labels[0]", "array([1, 2])"]),
    ("from_labels", ([set(), {1}],), ["labels[0]", "set()", "from_sets"]),
    ("from_labels", ({1, 2},), ["set", "no order"]),
    ("from_labels", ({1: 2},), ["dict", "no order"]),
    ("from_labels", (None,), ["None"]),
    ("from_labels", (7,), ["7"]),
    ("from_labels", (FORMS["masses"],), ["already a Segmentation"]),
    # gaps
    ("from_gaps", ("01x1",), ["gaps[2]", "'x'"]),
    ("from_gaps", ("0１0",), ["gaps[1]", "'１'"]),  # a full-width digit
    ("from_gaps", ("0 1",), ["gaps[1]", "' '"]),
    ("from_gaps", ("0\n",), ["gaps[1]", r"'\n'"]),
    ("from_gaps", ("2,3,6",), ["gaps[0]", "'2'", "from_masses"]),
    ("from_gaps", ("aabb",), ["gaps[0]", "'a'", "from_labels"]),
    ("from_gaps", ([2, 3, 6],), ["gaps[0]", "is 2", "from_masses"]),
    ("from_gaps", ([0, 2, 0],), ["gaps[1]", "is 2"]),
    ("from_gaps", ([0, -1],), ["gaps[1]", "-1"]),
    ("from_gaps", (["a", "b"],), ["gaps[0]", "'a'", "from_labels"]),
    ("from_gaps", ([0, "11"],), ["gaps[1]", "'11'"]),
    ("from_gaps", ([0, 0.5],), ["gaps[1]", "0.5"]),
    ("from_gaps", ([0, NAN],), ["gaps[1]", "nan"]),
    ("from_gaps", ([0, None],), ["gaps[1]", "None"]),
    ("from_gaps", ([set(), {1}],), ["gaps[0]", "set()", "from_sets"]),
    ("from_gaps", ([(0, 2), (2, 5)],), ["gaps[0]", "(0, 2)"]),
    ("from_gaps", ([np.array([0, 1])],), ["gaps[0]", "array([0, 1])"]),
    ("from_gaps", (b"0100",), ["gaps"]),
    ("from_gaps", ({0, 1},), ["set", "no order"]),
    ("from_gaps", ({0: 1},), ["dict", "no order"]),
    ("from_gaps", (None,), ["None"]),
    ("from_gaps", (FORMS["masses"],), ["already a Segmentation"]),
    # starts and ends
    *[
        case
        for form in ("starts", "ends")
        for case in (
            (f"from_{form}", ([],), ["empty"]),
            (f"from_{form}", ("",), ["empty"]),
            (f"from_{form}", ("10x",), [f"{form}[2]", "'x'"]),
            (f"from_{form}", ([1, 0, 2],), [f"{form}[2]", "is 2"]),
            (f"from_{form}", ([2, 3, 6],), [f"{form}[0]", "is 2", "from_masses"]),
            (f"from_{form}", (["a", "b"],), [f"{form}[0]", "'a'", "from_labels"]),
            (f"from_{form}", ([1, None],), [f"{form}[1]", "None"]),
            (f"from_{form}", ([1, NAN],), [f"{form}[1]", "nan"]),
            (f"from_{form}", ([1, {1}],), [f"{form}[1]", "{1}", "from_sets"]),
            (f"from_{form}", ({0, 1},), ["set", "no order"]),
            (f"from_{form}", (None,), ["None"]),
            (f"from_{form}", (3,), ["3"]),
        )
    ],
    # sets
    ("from_sets", ([0, 1, 0],), ["sets[0]", "is 0", "from_gaps"]),
    ("from_sets", ([2, 3, 6],), ["sets[0]", "is 2", "from_masses"]),
    ("from_sets", (["a", "a"],), ["sets[0]", "'a'", "from_labels"]),
    ("from_sets", ([{1}, None],), ["sets[1]", "None"]),
    ("from_sets", ([{1}, 2],), ["sets[1]", "is 2"]),
    ("from_sets", ([{1}, "12"],), ["sets[1]", "'12'"]),
    ("from_sets", ([{1}, {2: 3}],), ["sets[1]", "{2: 3}"]),
    ("from_sets", ([set(), {1.5}],), ["sets[1]", "1.5", "integers"]),
    ("from_sets", ([{"major", 1}],), ["sets[0]", "'major'", "integers"]),
    ("from_sets", ([{None}],), ["sets[0]", "None"]),
    ("from_sets", ([{True}],), ["sets[0]", "True"]),
    ("from_sets", ([{(1, 2), "a"}],), ["sets[0]"]),
    ("from_sets", ([set(), {10**30}],), ["sets[1]", str(10**30)]),
    ("from_sets", ([(1, 1)],), ["sets[0]", "(1, 1)", "type 1", "twice"]),
    ("from_sets", ([np.array([1, 2])],), ["sets[0]", "array([1, 2])"]),
    ("from_sets", ("0100",), ["'0100'", "from_gaps"]),
    ("from_sets", ({frozenset({1})},), ["set", "no order"]),
    ("from_sets", ({1: {1}},), ["dict", "no order"]),
    ("from_sets", (None,), ["None"]),
    # spans
    ("from_spans", ([],), ["empty"]),
    ("from_spans", ([(0, 2), (4, 6)],), ["spans[1]", "(4, 6)", "units 2 to 3"]),
    ("from_spans", ([(0, 1), (2, 4)],), ["spans[1]", "(2, 4)", "inclusive"]),
    ("from_spans", ([(0, 3), (2, 5)],), ["spans[1]", "(2, 5)", "overlap", "3"]),
    ("from_spans", ([(0, 3), (0, 3)],), ["spans[1]", "(0, 3)", "overlap"]),
    ("from_spans", ([(1, 3), (3, 5)],), ["spans[0]", "(1, 3)", "unit 0"]),
    ("from_spans", ([(2, 5), (0, 2)],), ["spans[0]", "(2, 5)", "unit 0"]),
    ("from_spans", ([(-2, 5)],), ["spans[0]", "(-2, 5)"]),
    ("from_spans", ([(0, 0)],), ["spans[0]", "(0, 0)"]),
    ("from_spans", ([(0, 3), (3, 1)],), ["spans[1]", "(3, 1)"]),
    ("from_spans", ([(0, 2), (2, 5, 7)],), ["spans[1]", "(2, 5, 7)"]),
    ("from_spans", ([(0,)],), ["spans[0]", "(0,)"]),
    ("from_spans", ([(0, 2.5)],), ["spans[0]", "2.5"]),
    ("from_spans", ([(0, None)],), ["spans[0]", "None"]),
    ("from_spans", ([(0, True)],), ["spans[0]", "True"]),
    ("from_spans", (["02"],), ["spans[0]", "'02'"]),
    ("from_spans", ([None],), ["spans[0]", "None"]),
    ("from_spans", ([{0, 2}],), ["spans[0]", "{0, 2}"]),
    ("from_spans", ([2, 3, 6],), ["spans[0]", "is 2", "from_masses"]),
    ("from_spans", ([0, 2, 5],), ["spans[0]", "is 0", "from_positions"]),
    ("from_spans", ([0, 1, 0],), ["spans[0]", "is 0", "from_gaps"]),
    ("from_spans", ("0100",), ["'0100'", "from_gaps"]),
    ("from_spans", ({(0, 2)},), ["set", "no order"]),
    ("from_spans", ({0: 2},), ["dict", "no order"]),
    ("from_spans", (None,), ["None"]),
    ("from_spans", ([(0, 2**53 + 1)],), [str(2**53 + 1), "2**53"]),
]


@each(
    "constructor, arguments, fragments",
    REFUSED,
    # The order of a set in its repr changes from process to process; names of tests must not.
)
def test_wrong_input_is_refused_with_index_value_and_the_constructor_meant(constructor, arguments, fragments):
    with pytest.raises(cs.SegmentationError) as caught:
        getattr(Segmentation, constructor)(*arguments)
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(cs.SegmentationError) as caught:
        Segmentation.from_masses("0" * 10**6)
    assert len(str(caught.value)) < 300


def test_errors_are_value_errors_and_caesura_errors():
    assert issubclass(cs.SegmentationError, ValueError)
    assert issubclass(cs.SegmentationError, cs.CaesuraError)
    assert issubclass(cs.ComparisonError, cs.CaesuraError)


def test_what_is_no_number_among_scores_and_no_label_is_named() -> None:
    for scores, fault in (
        ([[], [1]], "scores[0] is []"),
        ([0.5, "high"], "scores[1] is 'high'"),
        ([0.5, 10**400], "scores[1] is 1000"),
        ([[0.5], [0.5]], "scores[0] is [0.5]"),
    ):
        with pytest.raises(SegmentationError, match=re.escape(fault)):
            Segmentation.from_scores(scores, threshold=0.5)  # type: ignore[arg-type]
    arrays = [np.array([1, 2]), np.array([1, 3])]
    for labels in (arrays, [[one] for one in arrays]):
        with pytest.raises(SegmentationError, match=re.escape("labels[0] is ")):
            Segmentation.from_labels(labels)
