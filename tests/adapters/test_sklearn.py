"""scikit-learn's own cross-validation, searches and estimator checks run with the adapter.

Source of truth: the same numbers by hand, document by document, with the metric itself; scikit-learn's rules
for estimators; for the threshold, all thresholds tried by brute force.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import caesura as cs
from caesura.adapters.sklearn import ThresholdChooser, goodness, scorer, segmentation_score

METRICS = ["B(n_t=2)", "WD", "Pk", "F(tolerance=1)", "Density", "GHD"]


@pytest.fixture(scope="module")
def units():
    """Twelve documents of 5 to 30 units with a noisy feature of their starts."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(5, 31, size=12)
    groups = np.repeat([f"doc {number}" for number in range(12)], sizes)
    y = (rng.random(len(groups)) < 0.3).astype(int)
    y[np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])] = 1
    X = np.column_stack([y + rng.normal(0, 0.7, len(y)), rng.normal(size=len(y))])
    return X, y, groups


def by_hand(metric, y_true, y_pred, groups):
    """Return the micro-average, turned so that more is better, one document after the other."""
    total = cs.Accumulator(metric)
    for name in dict.fromkeys(groups):
        there = np.asarray(groups) == name
        total.update(*(cs.Segmentation.from_starts(np.asarray(y)[there].tolist()) for y in (y_true, y_pred)))
    value = float(total.value)
    better = cs.metric(metric).direction
    return value if better == "higher" else -value if better == "lower" else -abs(value - 1)


@pytest.fixture
def expected(units):
    """Return what each fold must give, by splitting, fitting and scoring in a loop."""
    X, y, groups = units

    def expected(metric, model):
        found = []
        for train, test in GroupKFold(3).split(X, y, groups):
            fitted = clone(model).fit(X[train], y[train])
            found.append(by_hand(metric, y[test], fitted.predict(X[test]), groups[test]))
        return found

    return expected


# -------------------------------------------------------------------- scorers


@pytest.mark.parametrize("metric", METRICS)
def test_cross_val_score_tells_documents_by_the_index_of_y(units, expected, metric):
    X, y, groups = units
    marks = pd.Series(y, index=groups)
    model = LogisticRegression()
    found = cross_val_score(model, X, marks, groups=groups, cv=GroupKFold(3), scoring=scorer(metric))
    assert found.tolist() == expected(metric, model)


def test_cross_val_score_tells_documents_by_the_first_level_of_an_index(units, expected):
    X, y, groups = units
    index = pd.MultiIndex.from_arrays([groups, range(len(y))], names=["document", "unit"])
    model = LogisticRegression()
    found = cross_val_score(model, X, pd.Series(y, index), groups=groups, cv=GroupKFold(3), scoring=scorer())
    assert found.tolist() == expected("B", model)


@pytest.mark.parametrize("metric", METRICS)
def test_cross_val_score_routes_groups_to_the_scorer(units, expected, metric):
    X, y, groups = units
    model = LogisticRegression()
    with config_context(enable_metadata_routing=True):
        judge = scorer(metric).set_score_request(groups=True)
        found = cross_val_score(model, X, y, params={"groups": groups}, cv=GroupKFold(3), scoring=judge)
    assert found.tolist() == expected(metric, model)


class Tagger(BaseEstimator):
    """Predicts a sequence of marks for each document, as taggers of sequences do."""

    def __init__(self, least=0.5):
        self.least = least

    def fit(self, X, y):
        assert len(X) == len(y)
        self.fitted_ = True
        return self

    def predict(self, X):
        return [[int(value >= self.least) for value in document] for document in X]


def test_documents_may_be_sequences(units):
    X, y, groups = units
    places = [np.flatnonzero(groups == name) for name in dict.fromkeys(groups)]
    scores, marks = [X[place, 0].tolist() for place in places], [y[place].tolist() for place in places]
    found = cross_val_score(Tagger(), scores, marks, cv=KFold(4), scoring=scorer("WD"))
    expected = []
    for _, test in KFold(4).split(places):
        units_of_test = np.concatenate([places[number] for number in test])
        predicted = X[units_of_test, 0] >= 0.5
        expected.append(by_hand("WD", y[units_of_test], predicted.astype(int), groups[units_of_test]))
    assert found.tolist() == expected


def test_a_grid_search_finds_the_parameter_that_is_best_by_hand(units):
    X, y, groups = units
    places = [np.flatnonzero(groups == name) for name in dict.fromkeys(groups)]
    scores, marks = [X[place, 0].tolist() for place in places], [y[place].tolist() for place in places]
    grid = {"least": [-1.0, 0.2, 0.5, 0.8, 3.0]}
    search = GridSearchCV(Tagger(), grid, scoring=scorer("Pk"), cv=KFold(3)).fit(scores, marks)
    values = {}
    for least in grid["least"]:
        folds = [np.concatenate([places[n] for n in test]) for _, test in KFold(3).split(places)]
        marked = (X[:, 0] >= least).astype(int)
        values[least] = np.mean([by_hand("Pk", y[fold], marked[fold], groups[fold]) for fold in folds])
    assert search.best_params_["least"] == max(values, key=values.get)
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(list(values.values()))


def test_a_pipeline_in_a_grid_search_with_two_metrics(units):
    X, y, groups = units
    marks = pd.Series(y, index=groups)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(
        model,
        {"logisticregression__C": [0.01, 1.0]},
        scoring={"B": scorer("B"), "Pk": scorer("Pk")},
        refit="B",
        cv=GroupKFold(3),
    ).fit(X, marks, groups=groups)
    assert set(search.cv_results_) >= {"mean_test_B", "mean_test_Pk"}
    assert (search.cv_results_["mean_test_Pk"] <= 0).all()


def test_scikit_learns_own_threshold_tuning_takes_the_scorer(units):
    """TunedThresholdClassifierCV fits a classifier and its threshold; documents come by the index of y."""
    X, y, groups = units
    marks = pd.Series(y, index=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=scorer("B"), cv=folds, thresholds=[0.2, 0.5, 0.8], store_cv_results=True
    ).fit(X, marks)
    found = []
    for least in (0.2, 0.5, 0.8):
        values = []
        for train, test in folds:
            fitted = LogisticRegression().fit(X[train], y[train])
            predicted = (fitted.predict_proba(X[test])[:, 1] >= least).astype(int)
            values.append(by_hand("B", y[test], predicted, groups[test]))
        found.append(np.mean(values))
    assert tuned.cv_results_["scores"].tolist() == pytest.approx(found)
    assert tuned.best_threshold_ == (0.2, 0.5, 0.8)[int(np.argmax(found))]


@pytest.mark.parametrize("marks", ["starts", "ends", "gaps", "labels"])
def test_marks_of_every_kind(marks):
    references, hypotheses = [[2, 3, 6], [1, 4]], [[2, 2, 7], [5]]
    write = {"starts": "to_starts", "ends": "to_ends", "gaps": "to_gaps", "labels": "to_labels"}[marks]

    def flat(codings):
        return [
            int(mark) for masses in codings for mark in getattr(cs.Segmentation.from_masses(masses), write)()
        ]

    groups = [name for name, n in (("a", 11), ("b", 5)) for _ in range(n - (marks == "gaps"))]
    found = segmentation_score(flat(references), flat(hypotheses), metric="B", marks=marks, groups=groups)
    assert found == cs.metric("B").batch(references, hypotheses).micro
    assert found.counts == cs.metric("B").batch(references, hypotheses).micro.counts


def test_one_document_is_said_so():
    y, predicted = [1, 0, 1, 0, 0], [1, 0, 0, 1, 0]
    found = segmentation_score(y, predicted, metric="B", one_document=True)
    assert found == cs.boundary_similarity([2, 3], [3, 2])


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        ([1, 0, 1], None, "the documents of the units are not known; give groups"),
        (pd.Series([1, 0, 1]), None, "each unit has its own document: give groups"),
        ([1, 0, 1], ["a", "b", "a"], "each unit has its own document: give groups"),
        ([1, 0, 1, 1], ["a", "a", "b", "a"], "the units of document a do not stand together"),
        ([1, 0, 1], ["a", "a"], "groups has 2 names for 3 units"),
        ([1, 0, 2], ["a", "b", "b"], r"document b: y_true: starts\[1\] is 2: indicators are 0 or 1"),
        ([1, 0, -100], ["a", "b", "b"], r"document b: y_true: starts\[1\] is -100"),
    ],
)
def test_what_tells_no_documents_is_refused(y, groups, message):
    with pytest.raises(cs.CaesuraError, match=message):
        segmentation_score(y, [1] * len(y), groups=groups)


def test_wrong_arguments_are_refused():
    with pytest.raises(cs.ComparisonError, match="y_true has 3 marks and y_pred 2"):
        segmentation_score([1, 0, 0], [1, 0], one_document=True)
    with pytest.raises(
        cs.ComparisonError, match="document 1: the reference has 2 units and the hypothesis 3"
    ):
        segmentation_score([[1, 0], [1, 0]], [[1, 0], [1, 0, 0]])
    with pytest.raises(cs.ParameterError, match="did you mean 'starts'"):
        segmentation_score([1, 0], [1, 0], one_document=True, marks="start")
    with pytest.raises(cs.UnknownNameError, match="did you mean 'WD'"):
        scorer("windowdiff")
    with pytest.raises(cs.ParameterError, match="a duration needs a uniform grid"):
        scorer("B(n_t='3s')")


@given(st.sampled_from(sorted(cs.METRICS)), st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_a_perfect_hypothesis_is_the_best(name, masses):
    metric = cs.metric(name)
    assert goodness(metric(masses, masses)) == (metric.best if metric.direction == "higher" else 0)


# -------------------------------------------------------------------- the threshold


@pytest.mark.parametrize("metric", METRICS)
def test_no_threshold_is_better_than_the_chosen_one(units, metric):
    X, y, groups = units
    scores = X[:, 0]
    chooser = ThresholdChooser(metric, n_thresholds=10_000).fit(scores, y, groups)
    best = max(by_hand(metric, y, (scores >= least).astype(int), groups) for least in [*scores, np.inf])
    assert chooser.best_score_ == pytest.approx(best)
    assert by_hand(metric, y, chooser.predict(scores), groups) == pytest.approx(best)
    assert chooser.score(scores, y, groups) == pytest.approx(best)


def test_the_chooser_is_ready_for_group_k_fold(units):
    X, y, groups = units
    marks, scores = pd.Series(y, index=groups), X[:, :1]
    found = cross_val_score(ThresholdChooser(), scores, marks, groups=groups, cv=GroupKFold(3))
    expected = []
    for train, test in GroupKFold(3).split(X, y, groups):
        chooser = ThresholdChooser().fit(scores[train], y[train], groups[train])
        expected.append(by_hand("B", y[test], chooser.predict(scores[test]), groups[test]))
    assert found.tolist() == expected
    with config_context(enable_metadata_routing=True):
        chooser = ThresholdChooser().set_fit_request(groups=True).set_score_request(groups=True)
        routed = cross_val_score(chooser, scores, y, params={"groups": groups}, cv=GroupKFold(3))
    assert routed.tolist() == expected


def test_probabilities_of_a_classifier_are_taken_as_they_come(units):
    X, y, groups = units
    options = {"groups": groups, "cv": GroupKFold(3), "method": "predict_proba"}
    probabilities = cross_val_predict(LogisticRegression(), X, y, **options)
    of_both = ThresholdChooser().fit(probabilities, y, groups)
    assert of_both.threshold_ == ThresholdChooser().fit(probabilities[:, 1], y, groups).threshold_
    assert of_both.predict(probabilities).sum() == (probabilities[:, 1] >= of_both.threshold_).sum()


def test_marks_of_the_edges_mean_nothing():
    """The first unit's start and the last unit's end are no boundaries, whatever their scores."""
    first = ThresholdChooser().fit([0.0, 0.9, 0.1, 0.2], [1, 1, 0, 0], ["a"] * 4)
    assert first.predict([0.0, 0.9, 0.1, 0.2]).tolist() == [0, 1, 0, 0]
    last = ThresholdChooser(marks="ends").fit([0.9, 0.1, 0.2, 0.0], [1, 0, 0, 1], ["a"] * 4)
    assert last.predict([0.9, 0.1, 0.2, 0.0]).tolist() == [1, 0, 0, 0]
    assert first.best_score_ == last.best_score_ == 1


def test_no_boundary_at_all_can_be_the_best():
    chooser = ThresholdChooser().fit([0.1, 0.9, 0.5], [1, 0, 0], ["a"] * 3)
    assert chooser.predict([0.1, 0.9, 0.5]).tolist() == [0, 0, 0]
    assert chooser.best_score_ == 1


def test_few_thresholds_are_tried_where_few_are_asked_for(units):
    X, y, groups = units
    chooser = ThresholdChooser(n_thresholds=7).fit(X[:, 0], y, groups)
    assert len(chooser.thresholds_) == len(chooser.scores_) == 7
    assert chooser.threshold_ in chooser.thresholds_


@pytest.mark.parametrize(
    ("scores", "y", "groups", "message"),
    [
        ([0.1, 0.2], [1, 0, 0], ["a"] * 3, "2 scores for 3 marks"),
        ([[0.1] * 3] * 2, [1, 0], ["a"] * 2, r"scores have the shape \(2, 3\)"),
        ([0.1, 0.2], [1, 3], ["a"] * 2, r"y\[1\] is 3"),
        ([0.1], [1], ["a"], "no gap to choose a threshold for"),
        ([0.1, 0.2], [1, 0], None, "the documents of the units are not known; give groups"),
    ],
)
def test_what_gives_no_threshold_is_refused(scores, y, groups, message):
    with pytest.raises(cs.CaesuraError, match=message):
        ThresholdChooser().fit(scores, y, groups)


def test_a_chooser_is_cloned_and_pickled(units):
    X, y, groups = units
    chooser = ThresholdChooser("WD", n_thresholds=20)
    assert clone(chooser).get_params() == chooser.get_params()
    fitted = pickle.loads(pickle.dumps(chooser.fit(X[:, 0], y, groups)))
    assert fitted.threshold_ == chooser.threshold_
    assert pickle.loads(pickle.dumps(scorer("WD")))._kwargs == scorer("WD")._kwargs


class OfAnything(ThresholdChooser):
    """The chooser on what scikit-learn's checks give: several features and classes, of which it takes one."""

    def fit(self, X, y, groups=None):
        return super().fit(X, None if y is None else self._mark(y), groups)

    def score(self, X, y, groups=None):
        return super().score(X, self._mark(y), groups)

    def _mark(self, y):
        return (np.asarray(y).reshape(len(y), -1)[:, 0] == np.asarray(y).flat[0]).astype(int)

    def _scores(self, X, *, reset):
        kept = self._validated(X, reset=reset)
        return kept[:, 0]

    def _validated(self, X, *, reset):
        from sklearn.utils.validation import validate_data

        return validate_data(self, X, reset=reset, dtype=np.float64)


@pytest.mark.filterwarnings("ignore")
def test_the_chooser_follows_scikit_learns_rules_for_estimators():
    """All checks pass but for what they give: marks are 0 or 1 and there is one score, so a shim chooses."""
    results = check_estimator(OfAnything(one_document=True), on_fail=None, on_skip=None)
    failed = [f"{one['check_name']}: {one['exception']}" for one in results if one["status"] == "failed"]
    assert failed == []
    assert sum(one["status"] == "passed" for one in results) >= 35
