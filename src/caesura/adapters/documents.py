"""Read segmentations from marks of units as other libraries hold them: in one long array, or padded.

Libraries that train models see units, not documents: a long array of marks, or rows padded to one length.
The caller names the document of each unit; nothing is guessed from the marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_choice, check_number
from caesura.errors import ComparisonError, ParameterError, SegmentationError
from caesura.values.forms import repeated, short_name
from caesura.values.segmentation import Segmentation, check_comparable
from caesura.wording import short

Marks: TypeAlias = Literal["starts", "ends", "gaps", "labels"]
"""The meaning of values: a unit starts or ends a segment, a gap between units is a boundary, or a unit has a
label, which changes at boundaries."""

MARKS: tuple[Marks, ...] = get_args(Marks)

READERS: Mapping[str, Callable[[Any], Segmentation]] = {
    marks: getattr(Segmentation, f"from_{marks}") for marks in MARKS
}

SIDES = ("y_true", "y_pred")

Documents: TypeAlias = list[tuple[str, slice]]
"""The documents of a long array: their names, and where their units are."""


# -------------------------------------------------------------------- one document after another


def documents_of(y: Any, groups: Any = None, *, one_document: bool = False) -> Documents:
    """Return the documents of marks ``y``: of ``groups``, one for each unit, or else of y's pandas index.

    The first level of an index names the document. The units of a document stand together, in their order.

    >>> documents_of([1, 0, 1, 0, 0], groups=["a", "a", "b", "b", "b"])
    [('a', slice(0, 2, None)), ('b', slice(2, 5, None))]
    """
    n_units = len(y)
    if one_document:
        return [("of all units", slice(0, n_units))]
    if groups is None:
        index: Any = getattr(y, "index", None)  # of a pandas Series; of a list it is a method
        if hasattr(index, "get_level_values"):
            groups = index.get_level_values(0)
    if groups is None:
        fault = "the documents of the units are not known"
        fix = "groups, y as a Series indexed by document or as a list per document, or one_document=True"
        raise ParameterError(f"{fault}; give {fix}")
    return _runs(np.asarray(groups), n_units)


def _runs(groups: NDArray[Any], n_units: int) -> Documents:
    """Return the runs of equal names; each name must occur in one run."""
    if len(groups) != n_units:
        raise ParameterError(f"groups has {len(groups)} names for {n_units} units")
    if not n_units:
        return []
    edges = [0, *(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(), n_units]
    names = [str(name) for name in groups[edges[:-1]]]
    if len(names) == n_units > 1:
        raise ParameterError("each unit has its own document: give groups that name the document of each")
    again = repeated(names)
    if again is not None:
        fault = f"the units of document {short_name(again)} do not stand together"
        raise ParameterError(f"{fault}: sort them by document, and split by GroupKFold")
    return [(name, slice(*edge)) for name, *edge in zip(names, edges[:-1], edges[1:], strict=True)]


def is_nested(y: Any) -> bool:
    """Whether each entry is a document's sequence of marks, not a unit's mark."""
    return isinstance(next(iter(y), None), (list, tuple, np.ndarray))


def pairs_of_units(
    y_true: Any, y_pred: Any, *, marks: Marks = "starts", groups: Any = None, one_document: bool = False
) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return the documents' references and hypotheses, of marks of units or of lists with a document each.

    >>> pairs_of_units([1, 0, 1, 0], [1, 1, 1, 0], groups=["a", "a", "b", "b"])[0]
    [Segmentation.from_masses([2]), Segmentation.from_masses([2])]
    """
    check_choice("marks", marks, MARKS)
    if len(y_true) != len(y_pred):
        raise ComparisonError(f"y_true has {len(y_true)} marks and y_pred {len(y_pred)}")
    if is_nested(y_true):
        numbered = [(str(number), number) for number in range(len(y_true))]
        return _read_both([*y_true], [*y_pred], numbered, marks, SIDES)
    documents = documents_of(y_true, groups, one_document=one_document)
    return _read_both(np.asarray(y_true), np.asarray(y_pred), documents, marks, SIDES)


def _read_both(
    true: Any, predicted: Any, documents: Sequence[tuple[str, Any]], marks: Marks, sides: tuple[str, str]
) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return both segmentations of each document; errors name the document."""
    both: tuple[list[Segmentation], list[Segmentation]] = ([], [])
    for name, units in documents:
        for values, side, of_side in zip((true, predicted), sides, both, strict=True):
            try:
                of_side.append(READERS[marks](values[units]))
            except SegmentationError as error:
                raise SegmentationError(f"document {short_name(name)}: {side}: {error}") from None
        check_document(name, both[0][-1], both[1][-1])
    return both


def check_document(name: str, reference: Segmentation, hypothesis: Segmentation) -> None:
    """Raise ComparisonError, which names the document, if the lengths differ."""
    try:
        check_comparable(reference, hypothesis)
    except ComparisonError as error:
        raise ComparisonError(f"document {short_name(name)}: {error}") from None


def gaps_of(values: NDArray[Any], marks: Marks) -> NDArray[Any]:
    """Return the marks or scores of a document's gaps; the edge of a document is not a boundary."""
    return {"starts": values[1:], "ends": values[:-1], "gaps": values}[marks]


# -------------------------------------------------------------------- padded batches


def pairs_of_batch(
    labels: Any,
    predictions: Any,
    *,
    marks: Marks = "starts",
    ignore: int | None = None,
    threshold: float | None = None,
) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return the references and hypotheses of a padded batch: a row per document, a column per unit.

    Predictions are marks; with ``threshold`` they are scores, and scores from the threshold on are marks.
    With a third dimension they are scores of classes, and the highest counts. Where the label is ``ignore``
    (−100 for special tokens, later pieces of words and padding) neither side has a unit; a row without units
    is not a document. Without ``ignore`` every column is a unit.

    >>> labels = [[-100, 1, 0, 1, -100], [-100, 1, 0, -100, -100]]
    >>> predictions = [[0, 1, 1, 0, 1], [1, 1, 0, 0, 1]]
    >>> references, hypotheses = pairs_of_batch(labels, predictions, ignore=-100)
    >>> [each.masses for each in references], [each.masses for each in hypotheses]
    ([(2, 1), (2,)], [(1, 2), (2,)])
    """
    check_choice("marks", marks, MARKS)
    true, given = _array(labels, "labels"), _array(predictions, "predictions")
    if true.ndim != 2 or given.shape[:2] != true.shape or given.ndim > 3:
        shapes = f"labels have the shape {true.shape} and predictions {given.shape}"
        expected = "documents × units, or documents × units × classes for predictions"
        raise ComparisonError(f"{shapes}: expected {expected}")
    there = np.ones(true.shape, dtype=bool) if ignore is None else true != ignore
    marked = _marked(given, there, marks, threshold)
    rows = [(f"row {row}", (row, there[row])) for row in np.flatnonzero(there.any(axis=1)).tolist()]
    return _read_both(true, marked, rows, marks, ("labels", "predictions"))


def _array(values: Any, side: str) -> NDArray[Any]:
    """Return the rows of a batch, which must have one length."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ComparisonError(f"{side} form no array: pad all rows to one length") from None


def _marked(
    given: NDArray[Any], there: NDArray[np.bool_], marks: Marks, threshold: float | None
) -> NDArray[Any]:
    """Return the marks of predictions: the class with the highest score, or scores from the threshold on."""
    of_units = given[there]
    if given.dtype.kind == "f" and np.isnan(of_units).any():
        raise ParameterError("predictions have nan: the model has no score for some unit")
    if given.ndim == 3:
        if threshold is not None:
            raise ParameterError("leave threshold out: of scores of classes the highest counts")
        return np.asarray(given.argmax(axis=2))
    if threshold is not None:
        if marks == "labels":
            raise ParameterError("threshold makes marks of scores, not labels")
        return np.asarray(given >= check_number("threshold", threshold, -np.inf), dtype=np.int64)
    if given.dtype.kind == "f" and marks != "labels" and not np.isin(of_units, (0, 1)).all():
        value = of_units[~np.isin(of_units, (0, 1))][0]
        raise ParameterError(f"predictions have {short(float(value))}: give threshold where they are scores")
    return given
