"""compare(): which segmenter is best, by how much, and how the others fail.

It follows F13t §4.3 and §5.3; F13t is Fournier (2013), Evaluating text segmentation, the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.alignment.alignment import PairCorrectness, pair_correctness
from caesura.alignment.counts import count_edits_many
from caesura.alignment.packed import PackedPairs
from caesura.analyses.comparison.bounds import LOWER_BOUNDS, CodersHabits, bound_columns
from caesura.analyses.comparison.results import (
    HUMAN,
    Averages,
    Comparison,
    SegmenterRow,
    rates_of,
)
from caesura.analyses.roles import cast, leave_out_uncoded
from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import (
    ALPHA,
    CONFIDENCE,
    TEST_RESAMPLES,
    Seed,
    as_generator,
    check_choice,
    check_number,
    check_resamples,
    check_share,
    check_whole,
    known_seed,
)
from caesura.errors import ParameterError, unknown
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, EditMetric
from caesura.metrics.registry import get_metric
from caesura.pairs import documents_of, every_two, pair_segmenters, sum_by
from caesura.stats.intervals import standard_error
from caesura.stats.resampling import Progress, bootstrap_intervals, pooled, randomization
from caesura.values.corpus import Corpus

Upper: TypeAlias = Literal["all", "central", "leave-one-out"]
UPPER_BOUNDS = ("all", "central", "leave-one-out")


def compare(
    corpus: Corpus,
    *,
    segmenters: Sequence[str],
    references: Sequence[str] | None = None,
    metric: Metric | str = "B",
    metrics: Sequence[Metric | str] = ("S", "WD"),
    types: bool | None = None,
    bounds: Sequence[str] = ("random",),
    human: Upper | Literal[False] = "all",
    n_draws: int = 100,
    alpha: float = ALPHA,
    confidence: float = CONFIDENCE,
    n_resamples: int = TEST_RESAMPLES,
    test: bool = True,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare segmenters with every reference coder on every document.

    Parameters
    ----------
    corpus
        Its coders are both people and segmenters.
    segmenters, references
        Names of the coders to compare, and of the reference coders (None: all others, unless one of them may
        be a segmenter; ``caesura.analyses.roles`` says when).
    metric, metrics
        The metric that decides, and those reported beside it (F13t Table 5.7).
    types
        Whether boundaries are compared with their types, or ranks: True, False, or by default if both sides
        have any.
    bounds
        Lower bounds to add: random (drawn ``n_draws`` times; tables and figures call it chance), none, all,
        uniform.
    human
        The upper bound: "all" (or "leave-one-out") compares every coder with the others of each document,
        "central" only the most central coder of each group; False adds none. ``comparison.human_test`` tests
        each segmenter against people.
    n_resamples
        Resamples for intervals and tests. Tests of many segmenters use at least as many as let the smallest
        possible p fall below α / 20 after correction.
    test
        Whether to test every pair of segmenters.

    >>> from caesura import load_stargazers
    >>> comparison = compare(load_stargazers(), segmenters=["1", "5"], rng=1, n_resamples=99)
    >>> comparison.ranking[:2]
    ('1', '5')
    """
    for name, value in (("metrics", metrics), ("bounds", bounds)):
        if isinstance(value, str):
            raise ParameterError(f"{name} is {value!r}: give a list of names")
    corpus = corpus.coded
    requested = [get_metric(spec) for spec in (metric, *metrics)]
    for each in requested:
        if each.multi_reference:
            raise ParameterError(f"{each} takes all references at once; use it with evaluate()")
    check_number("alpha", alpha, 0.0, 1.0, exclusive=True)
    check_share("confidence", confidence)
    check_resamples("n_resamples", n_resamples, 1)
    check_whole("n_draws", n_draws, 1)
    if human is not False:
        check_choice("human", human, UPPER_BOUNDS)
    generator = as_generator(rng)
    people, machines = cast(corpus, None, segmenters, references)
    machines, uncoded = leave_out_uncoded(corpus, people, machines, references)
    if not isinstance(requested[0], EditMetric):
        requested.append(B())  # counts the edits where another metric decides
    paired = pair_segmenters(people, machines, segmenters)
    (decisive, *others), lacking = paired.metrics(machines, requested, types)
    with_types = types is not False and not lacking
    editing = decisive if isinstance(decisive, EditMetric) else others.pop()
    assert isinstance(editing, EditMetric)
    lower = _check_names(people, machines, bounds, human)
    counter = Counter(people, decisive, editing, tuple(others))
    named = zip(segmenters, paired.pairs, strict=True)
    rows = [counter.count(name, "segmenter", [pairs]) for name, pairs in named]
    # In hierarchies a position has one rank, so ranks do not change the number of boundaries.
    habits = CodersHabits(people if with_types or people.is_hierarchical else people.without_types())
    sides = np.arange(len(people)), people.document, documents_of(people)
    for bound in lower:
        drawn = (bound_columns(habits, bound, generator) for _ in range(n_draws if bound == "random" else 1))
        draws = (PackedPairs(people.codings, columns, *sides) for columns in drawn)
        rows.append(counter.count(bound, "lower bound", draws))
    # The draws of documents are those of evaluate() with the same seed.
    seed = known_seed(rng)
    seed = int(generator.integers(2**63)) if seed is None else seed
    options: Any = {"n_resamples": n_resamples, "confidence": confidence, "rng": seed, "progress": progress}

    def with_intervals(rows: Sequence[SegmenterRow], documents: IntArray | slice) -> list[SegmenterRow]:
        counts = np.stack([row.by_document[documents] for row in rows], axis=1)
        drawn = bootstrap_intervals(decisive, counts, **options)
        return [replace(row, interval=interval) for row, interval in zip(rows, drawn, strict=True)]

    rows = with_intervals(rows, slice(None))
    upper = _human(counter, human) if human else None
    if upper is not None:
        rows += with_intervals(upper[:1], upper[1])
    comparison = Comparison(
        people=people,
        machines=machines,
        metric=decisive,
        editing=editing,
        rows=tuple(rows),
        others=tuple(others),
        requested=tuple(requested[: 1 + len(others)]),
        alpha=alpha,
        confidence=confidence,
        n_resamples=n_resamples,
        n_draws=n_draws if "random" in lower else 0,
        seed=seed,
        types_lacking=lacking,
        uncoded=uncoded,
    )
    if not test:
        return comparison
    report = comparison.resample(randomization, progress) if len(comparison.tested) > 1 else None
    human_test = None if upper is None else comparison.test_against_people(*upper[1:], progress)
    return replace(comparison, report=report, human_test=human_test)


def _check_names(
    people: Corpus, machines: Corpus, bounds: Sequence[str], human: Upper | Literal[False]
) -> tuple[str, ...]:
    """Return the lower bounds to add; refuse bounds with the name of a coder."""
    known = people.coder_numbers.keys() | machines.coder_numbers.keys()
    for bound in bounds:
        if bound not in LOWER_BOUNDS:
            raise unknown("bound", bound, LOWER_BOUNDS)
        if bound in known:
            raise ParameterError(f"a coder is called {bound!r}, like a bound; rename one, or omit the bound")
    if human and HUMAN in known:
        raise ParameterError(f"a coder is called {HUMAN!r}; use corpus.rename, or give human=False")
    return tuple(dict.fromkeys(bounds))


# -------------------------------------------------------------------- counting


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts segmenters against the references, one draw after the other, without storing draws."""

    people: Corpus
    metric: Metric
    editing: EditMetric
    others: tuple[Metric, ...] = ()

    def count(self, name: str, kind: str, draws: Iterable[PackedPairs]) -> SegmenterRow:
        """Count the pairs of one segmenter; each draw of a bound is all its pairs again."""
        sums: list[FloatArray] = []
        first: PairCorrectness | None = None
        for pairs in draws:
            correctness = pair_correctness(pairs, self.editing.method, self.editing.weights)
            first = first or correctness
            arrays = self._sums(pairs, correctness.values)
            sums = [a + b for a, b in zip(sums, arrays, strict=True)] if sums else arrays
        assert first is not None
        edits, (n, n_pairs, total, squares), *rest = sums
        by_document, by_coder, values, *others = (part / n for part in rest)
        matches, near, wrong_types, missed, spurious, slots, tp, fp, fn = (edits / n).tolist()
        beside = {
            repr(metric): Averages(float(pooled(metric, counts)), own.mean(), standard_error(own, len(own)))
            for metric, own, counts in zip(self.others, others[::2], others[1::2], strict=True)
        }
        counts = self.metric, by_document, by_coder, values, first
        variance = max(0.0, squares - total * (total / n_pairs)) / (n_pairs - 1) if n_pairs >= 2 else math.nan
        of_pairs = n_pairs / n, math.sqrt(variance)
        edits_by_kind = matches, near, wrong_types, missed, spurious
        hits = tp, fp, fn, slots - tp - fp - fn
        return SegmenterRow(name, kind, *counts, *of_pairs, beside, *edits_by_kind, *hits)

    def _sums(self, pairs: PackedPairs, correctness: FloatArray) -> list[FloatArray]:
        """Return the sums of one draw: edits, correctness, counts, values, and the other metrics."""
        people, coding = self.people, pairs.first
        edits = count_edits_many(pairs, self.editing.method, self.editing.weights)
        precision, *_ = rates_of(self.editing)
        kinds = (edits.matches, edits.transpositions, edits.substitutions)
        sides = (edits.only_reference, edits.only_hypothesis, edits.slots)
        hits = np.sum(np.column_stack(precision.combine(edits)), axis=0) / edits.scale
        scores = self.metric.over(pairs)
        rows = scores.rows.astype(np.float64)  # whole numbers: their sums are exact, as evaluate()'s are
        beside = [metric.over(pairs) for metric in self.others]
        return [
            np.array([*(float(kind.sum()) for kind in (*kinds, *sides)), *hits]),
            np.array([1.0, len(correctness), correctness.sum(), (correctness**2).sum()]),
            sum_by(rows, people.document[coding], len(people.document_names)) / scores.scale,
            sum_by(rows, people.coder[coding], len(people.coder_names)) / scores.scale,
            scores.values,
            *(part for own in beside for part in (own.values, own.unscaled.sum(axis=0))),
        ]


def _human(counter: Counter, upper: Upper) -> tuple[SegmenterRow, IntArray, FloatArray] | None:
    """Compare people with people: every ordered pair, or those of the most central coder of each group.

    Return their row, the documents with at least two coders, and the counts of these documents, scaled to one
    pair for each reference coder, as segmenters have them.
    """
    people, metric = counter.people, counter.metric
    pairs = every_two(people, both_ways=True)  # each coder of a pair is the hypothesis once
    if not len(pairs):
        return None
    if upper == "central":
        n_coders = len(people.coder_names)
        group = np.empty(len(people.document_names), dtype=np.int64)
        for number, members in enumerate(people.find_groups()):
            group[members.documents] = number
        member = group[people.document[pairs.first]] * n_coders + people.coder[pairs.second]
        keys, which = np.unique(member, return_inverse=True)
        values = pooled(metric, sum_by(metric.over(pairs).unscaled, which, len(keys)))
        distance = [metric.distance_from_best(value) for value in values.tolist()]
        # The first of the best of each group; within a group, coders are in the corpus's order.
        order = np.lexsort((keys, distance, keys // n_coders))
        best = order[np.unique(keys[order] // n_coders, return_index=True)[1]]
        pairs = pairs.take(np.flatnonzero(np.isin(which, best)))
    row = counter.count(HUMAN, "upper bound", [pairs])
    n_pairs = bincount(people.document[pairs.first], minlength=len(people.document_names))
    documents = np.flatnonzero(n_pairs)
    weights = people.n_coders[documents] / n_pairs[documents]
    return row, documents, row.by_document[documents] * weights[:, None]
