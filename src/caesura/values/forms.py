"""Reads raw values for the constructors of Segmentation, and hints at the form of wrong values."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError
from caesura.wording import short, shortened

MarkMeaning: TypeAlias = Literal["starts", "ends", "gaps", "labels"]
MARK_MEANINGS: tuple[MarkMeaning, ...] = ("starts", "ends", "gaps", "labels")
"""What one value per unit may mean."""

LONGEST_NAME = 60  # characters of a document's or coder's name in a message


def as_list(values: Any, name: str) -> list[Any]:
    """Return any one-dimensional collection as a new list of Python objects."""
    if type(values) is list:
        return values.copy()
    if isinstance(values, (str, bytes)):
        raise SegmentationError(f"{name} is {short(values)}: read a string of 0 and 1 with from_gaps")
    if isinstance(values, (set, frozenset, dict)):
        raise SegmentationError(f"{name} is a {type(values).__name__}, which has no order; give a list")
    if hasattr(values, "tolist"):  # NumPy arrays, pandas and polars series
        values = values.tolist()
    try:
        return list(values)
    except TypeError:
        if hasattr(values, "rank_array"):
            fix = "use hierarchical_pk, hierarchical_window_diff, hierarchy.up_to(rank) or .to_segmentation()"
            raise SegmentationError(f"expected a segmentation, not a Hierarchy: {fix}") from None
        if hasattr(values, "position_array"):
            raise SegmentationError(f"{name} is already a Segmentation") from None
        raise SegmentationError(f"{name} is {short(values)}: expected a list") from None


def filled(values: Any, name: str) -> list[Any]:
    """Return ``as_list`` of the parts of a document; raise SegmentationError for none."""
    listed = as_list(values, name)
    if not listed:
        raise SegmentationError(f"{name} is empty; a document needs at least one unit")
    return listed


def whole_numbers(values: list[Any], name: str) -> list[int]:
    """Return the values as ints; accept whole floats, refuse bools."""
    if set(map(type, values)) <= {int}:
        return values
    return _each(values, name, _whole, lambda value: f"expected a whole number{hint(values, name)}")


def type_numbers(values: list[Any], name: str) -> list[int]:
    """Return boundary types as ints."""

    def expected(value: Any) -> str:
        fix = "; number your types, such as {'minor': 1, 'major': 2}" if isinstance(value, str) else ""
        return f"boundary types are integers up to 2**53{fix}"

    return _each(values, name, _type, expected)


def indicators(values: str | Iterable[Any], name: str) -> list[int]:
    """Return marks of 0 and 1, given as numbers or strings."""
    items = list(values) if isinstance(values, str) else as_list(values, name)
    return _each(items, name, _indicator, lambda value: f"indicators are 0 or 1{hint(items, name)}")


def _each(
    values: list[Any], name: str, read: Callable[[Any], int | None], expected: Callable[[Any], str]
) -> list[int]:
    """Return each value as a number; raise SegmentationError for the first wrong value."""
    numbers = []
    for index, value in enumerate(values):
        number = read(value)
        if number is None:
            raise SegmentationError(f"{name}[{index}] is {short(value)}: {expected(value)}")
        numbers.append(number)
    return numbers


def _type(value: Any) -> int | None:
    number = _whole(value)
    return None if number is None or abs(number) > MAX_NUMBER else number


def _indicator(value: Any) -> int | None:
    is_mark = isinstance(value, (int, float, str, np.number, np.bool_)) and value in (0, 1, "0", "1")
    return int(value) if is_mark else None


def _whole(value: Any) -> int | None:
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (float, np.floating)):
        return int(value) if float(value).is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def checked_n_units(n_units: Any) -> int:
    """Return the length of a document; raise SegmentationError for an impossible length."""
    number = _whole(n_units)
    if number is None:
        raise SegmentationError(f"n_units is {short(n_units)}: expected a whole number")
    if number < 1:
        raise SegmentationError(f"n_units is {number}: a document needs at least one unit")
    if number > MAX_NUMBER:
        raise SegmentationError(f"n_units is {number}: more than 2**53 units are not supported")
    return number


def short_name(name: object) -> str:
    """Return the name of a document or coder for a message."""
    return shortened(str(name), LONGEST_NAME)


def coding_name(document: object, coder: object) -> str:
    """Return the name of a coding for messages."""
    return f"document {short_name(document)}: coder {short_name(coder)}"


def in_document(document: object, fault: str) -> CorpusError:
    """Return the error for a fault in a document."""
    return CorpusError(f"document {short_name(document)}: {fault}")


def unequal_units(document: object, owner: str, n_units: int, has: str) -> CorpusError:
    """Return the error for a coding, text or axis that is not as long as its document."""
    return in_document(document, f"{owner} has {n_units} units where {has}: all must segment the same units")


def repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once.

    >>> repeated(["a", "b", "a"]), repeated(["a", "b"])
    ('a', None)
    """
    count = Counter(names)
    return next((name for name in names if count[name] > 1), None)


# -------------------------------------------------------------------- hints


def hint(values: list[Any], name: str) -> str:
    """Return a hint at the constructor for the form of the values, unless it is ``name``."""
    form = _likely_form(values)
    if form is None or form == name:
        return ""
    words = {
        "gaps": "this looks like gap indicators, use Segmentation.from_gaps (or from_starts, from_ends)",
        "labels": "one label per unit belongs to Segmentation.from_labels",
        "masses": "this looks like masses (Segmentation.from_masses) or labels (Segmentation.from_labels)",
        "positions": "this looks like boundary positions, use Segmentation.from_positions",
        "sets": "sets of boundary types belong to Segmentation.from_sets",
        "spans": "pairs (start, end) belong to Segmentation.from_spans",
    }
    return f"; {words[form]}"


def _likely_form(values: list[Any]) -> str | None:
    if not values:
        return None
    if any(isinstance(value, (set, frozenset)) for value in values):
        return "sets"
    if all(isinstance(value, (tuple, list)) and len(value) == 2 for value in values):
        return "spans"
    if all(isinstance(value, str) for value in values):
        if any(value in " ,;\t" for value in values):
            return "masses"  # the characters of a line of numbers
        return "gaps" if set(values) <= {"0", "1"} else "labels"
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return "gaps"
    numbers = [_whole(value) for value in values]
    if None in numbers:
        return None
    whole = [number for number in numbers if number is not None]
    if set(whole) <= {0, 1}:
        return "gaps"
    if whole[0] == 0 and all(a < b for a, b in pairwise(whole)):
        return "positions"
    return "masses" if min(whole) >= 1 else None


def misread(values: list[Any], name: str, index: int, expected: str) -> SegmentationError:
    """Return the error for a value, with a hint at the constructor for all of them."""
    return SegmentationError(f"{name}[{index}] is {short(values[index])}: {expected}{hint(values, name)}")


def range_fault(position: int, n_units: int) -> str:
    """Return which positions are possible."""
    edge = "the document's edges are not boundaries; " if position in (0, n_units) else ""
    allowed = f"a position is from 1 to {n_units - 1}" if n_units > 1 else "no position is possible"
    return f"{edge}with n_units={n_units} {allowed}"


def position_fault(numbers: list[int], n_units: int, may_repeat: bool) -> str:
    """Return the message for the first position out of range or order."""
    for index, position in enumerate(numbers):
        fault = None
        if not 0 < position < n_units:
            fault = f": {range_fault(position, n_units)}"
        elif index and position == numbers[index - 1] and not may_repeat:
            fault = " again: positions are repeated; they must ascend"
        elif index and position < numbers[index - 1]:
            fault = f" after {numbers[index - 1]}: positions are unsorted; they must ascend"
        if fault is not None:
            return f"positions[{index}] is {position}{fault}{hint(numbers, 'positions')}"
    raise AssertionError("the positions are fine")


def span_fault(values: list[Any], index: int, start: int, expected: int) -> str:
    """Return why a span does not follow the span before."""
    span = f"spans[{index}] is {values[index]!r}"
    if start < expected:
        return f"{span}: it overlaps the span before, which ends at {expected}"
    if not index:
        fix = "; if units count from 1, subtract 1 from each start" if start == 1 else ""
        return f"{span}: the first span must start at unit 0{fix}"
    fix = "; if the ends are inclusive, add 1 to each" if start == expected + 1 else ""
    return f"{span}: units {expected} to {start - 1} are in no span{fix}"


def is_blank(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN or blank."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def name_of(value: Any, column: str, word: str, number: int) -> str:
    """Return the name of a document or coder in a row; raise CorpusError without one."""
    if isinstance(value, (list, dict, set)):
        raise CorpusError(f"{word} {number}: the {column} is {short(value)}: expected a name")
    if is_blank(value) and not (isinstance(value, str) and value):
        raise CorpusError(f"{word} {number}: the {column} is missing")
    return str(value)
