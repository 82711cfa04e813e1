"""scikit-learn: scorers for cross-validation and searches, and a threshold chooser."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from caesura.adapters.documents import Marks, documents_of, gaps_of, pairs_of_units
from caesura.arrays import FloatArray
from caesura.checks import check_choice, check_whole
from caesura.errors import ParameterError, SegmentationError, missing_extra
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric
from caesura.values.forms import indicators
from caesura.values.segmentation import Segmentation

try:
    from sklearn.base import BaseEstimator
    from sklearn.metrics import make_scorer
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise missing_extra("this adapter needs scikit-learn", "sklearn") from error


def segmentation_score(
    y_true: Any,
    y_pred: Any,
    *,
    metric: Metric | str = "B",
    marks: Marks = "starts",
    groups: Any = None,
    one_document: bool = False,
) -> Score:
    """Return a metric's micro-average over documents from marks of units, as estimators predict them.

    ``groups`` names the document of each unit; otherwise a pandas index of ``y_true`` does, or both sides
    are lists with the marks of one document each. ``marks`` defines 1: the unit starts a segment, the unit
    ends a segment, or the gap is a boundary; or the values are labels that change at boundaries.

    >>> segmentation_score([1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 1, 1], groups=["a"] * 4 + ["b"] * 2)
    <B 0.5 = 1/2, 2 pairs>
    """
    options = {"marks": marks, "groups": groups, "one_document": one_document}
    return get_metric(metric).batch(*pairs_of_units(y_true, y_pred, **options)).micro


def scorer(metric: Metric | str = "B", *, marks: Marks = "starts", one_document: bool = False) -> Any:
    """Return a scorer for ``cross_val_score``, ``GridSearchCV`` and other functions with ``scoring=``.

    Higher is better, as everywhere in scikit-learn: errors such as WindowDiff are negated, and of a ratio
    that should be 1 the scorer returns the negative distance from 1. ``segmentation_score`` explains how
    documents are separated; ``scorer("B").set_score_request(groups=True)`` routes groups.

    >>> scorer("WD")
    make_scorer(_goodness, response_method='predict', metric=WD, marks=starts, one_document=False)
    """
    chosen = get_metric(metric)
    chosen.check_units()
    return make_scorer(_goodness, metric=chosen, marks=marks, one_document=one_document)


def _goodness(y_true: Any, y_pred: Any, **options: Any) -> float:
    """Return the score with a sign so that higher is better."""
    return goodness(segmentation_score(y_true, y_pred, **options))


def goodness(score: Score) -> float:
    """Return a score with a sign so that higher is better.

    >>> from caesura import metric
    >>> goodness(metric("Pk")([2, 3, 6], [5, 6])) < goodness(metric("Pk")([2, 3, 6], [2, 3, 6]))
    True
    """
    metric = score.metric
    return float(score) if metric.direction == "higher" else -metric.distance_from_best(float(score))


class ThresholdChooser(BaseEstimator):
    """Chooses the threshold that gives the best boundaries.

    ``fit`` takes a score for each unit (or for each gap, ``marks="gaps"``), such as a classifier's
    probabilities, the true marks, and groups (see ``segmentation_score``). ``predict`` marks the scores from
    the threshold on. Thresholds are halfway between neighboring scores. If there are more than
    ``n_thresholds``, it tries evenly spaced ones; of equally good thresholds it takes the lowest. The value
    ``best_score_`` is optimistic, because the threshold was chosen on the same documents; report
    ``cross_val_score`` of the chooser with ``GroupKFold``.

    >>> scores, marks, documents = [0.9, 0.2, 0.8, 0.3, 0.9, 0.1], [1, 0, 1, 0, 1, 0], list("aaaabb")
    >>> chooser = ThresholdChooser("B").fit(scores, marks, documents)
    >>> chooser.threshold_, chooser.predict([0.5, 0.6])
    (0.55, array([0, 1]))
    """

    threshold_: float
    """The threshold: scores from it on are boundaries."""
    best_score_: float
    """The metric there, with a sign so that higher is better."""
    thresholds_: FloatArray
    """The thresholds tried."""
    scores_: FloatArray
    """The metric at each threshold."""

    def __init__(
        self,
        metric: Metric | str = "B",
        *,
        marks: Marks = "starts",
        n_thresholds: int = 100,
        one_document: bool = False,
    ) -> None:
        self.metric = metric
        self.marks = marks
        self.n_thresholds = n_thresholds
        self.one_document = one_document

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose the threshold for these scores, ``X``, and true marks."""
        metric = get_metric(self.metric)
        check_choice("marks", self.marks, ("starts", "ends", "gaps"))
        check_whole("n_thresholds", self.n_thresholds, 1)
        if y is None:
            raise ParameterError("this estimator requires y to be passed, but the target y is None")
        scores = self._scores(X, reset=True)
        documents = documents_of(y, groups, one_document=self.one_document)
        true = np.array(indicators(y, "y"), dtype=np.int64)
        if len(scores) != len(true):
            raise ParameterError(f"{len(scores)} scores for {len(true)} marks: give one for each")
        parts = [
            (gaps_of(true[units], self.marks), gaps_of(scores[units], self.marks)) for _, units in documents
        ]
        references = [_segmentation(marked == 1) for marked, _ in parts]
        self.thresholds_ = _thresholds(np.concatenate([gaps for _, gaps in parts]), self.n_thresholds)
        hypotheses = ([_segmentation(gaps >= least) for _, gaps in parts] for least in self.thresholds_)
        self.scores_ = np.array([goodness(metric.batch(references, each).micro) for each in hypotheses])
        best = int(np.argmax(self.scores_))
        self.threshold_, self.best_score_ = float(self.thresholds_[best]), float(self.scores_[best])
        return self

    def predict(self, X: Any) -> Any:
        """Return 1 for each score that reaches the threshold, otherwise 0."""
        check_is_fitted(self)
        return (self._scores(X, reset=False) >= self.threshold_).astype(np.int64)

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Return the metric for other documents, with a sign so that higher is better."""
        options = {"marks": self.marks, "groups": groups, "one_document": self.one_document}
        return goodness(segmentation_score(y, self.predict(X), metric=self.metric, **options))

    def _scores(self, X: Any, *, reset: bool) -> FloatArray:
        """Return a score for each unit: X itself, its only column, or the second of two (probabilities)."""
        checked: FloatArray = validate_data(self, X, reset=reset, dtype=np.float64, ensure_2d=False)
        if checked.ndim == 2 and checked.shape[1] <= 2:
            checked = checked[:, -1]
        if checked.ndim != 1:
            expected = "one score for each unit, or the two columns of predict_proba"
            raise ParameterError(f"scores have the shape {checked.shape}: expected {expected}")
        return checked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _segmentation(is_boundary: Any) -> Segmentation:
    """Return the segmentation with these boundaries, one value for each gap."""
    return Segmentation.over(len(is_boundary) + 1, np.flatnonzero(is_boundary).astype(np.int64) + 1)


def _thresholds(scores: FloatArray, most: int) -> FloatArray:
    """Return thresholds that tell these scores apart, from all boundaries to none."""
    distinct = np.unique(scores)
    if not len(distinct):
        raise SegmentationError("no gap to choose a threshold for: every document has one sample (unit)")
    none = np.nextafter(distinct[-1], np.inf)
    thresholds = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2, [none]])
    if len(thresholds) > most:
        thresholds = thresholds[np.unique(np.linspace(0, len(thresholds) - 1, most).round().astype(np.int64))]
    return thresholds
