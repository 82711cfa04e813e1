"""Hierarchies level by level: plain metrics on the boundaries of each rank and of those above.

Unlike E_Pk and E_WD, which take as many of the hypothesis's most prominent boundaries as the reference has,
a rank here means the same on both sides, and a hypothesis that marks too many or too few of it errs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.analyses.evaluation import Evaluation, evaluate
from caesura.checks import Seed
from caesura.errors import ComparisonError, ParameterError
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric
from caesura.results.notes import caveat, reading, recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table, distinct
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import HierarchyLike, as_hierarchy, check_levels
from caesura.values.type_scheme import name_of_type, unite_schemes

LEVEL_METRICS = ("B", "Pk", "WD")


@dataclass(frozen=True)
class LevelScore:
    """The boundaries of one rank and of those above, compared."""

    rank: int
    reference_boundaries: int
    hypothesis_boundaries: int
    scores: tuple[Score, ...]


@dataclass(frozen=True, repr=False)
class LevelScores(Result):
    """Metrics of two hierarchies on each level; ``scores["B"]`` are the values of one from the top on."""

    levels: tuple[LevelScore, ...]

    def __getitem__(self, metric: Metric | str) -> tuple[float, ...]:
        """Return a metric's value on each level."""
        wanted = get_metric(metric)
        values = tuple(float(s) for level in self.levels for s in level.scores if s.metric == wanted)
        if not values:
            raise KeyError(metric)
        return values

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "levels": [
                {
                    "rank": level.rank,
                    "reference_boundaries": level.reference_boundaries,
                    "hypothesis_boundaries": level.hypothesis_boundaries,
                    **{repr(score.metric): float(score) for score in level.scores},
                }
                for level in self.levels
            ],
            "signatures": [score.signature for score in self.levels[0].scores],
        }

    def to_table(self) -> Table:
        """Return a row for each level."""

        rows: list[list[Cell]] = [
            [level.rank, level.reference_boundaries, level.hypothesis_boundaries, *map(float, level.scores)]
            for level in self.levels
        ]
        metrics = distinct([repr(score.metric) for score in self.levels[0].scores])
        columns = [Column(name) for name in ("level", "in reference", "in hypothesis", *metrics)]
        notes = [reading("A level is the boundaries of its rank and of those above.")]
        return Table("", columns, rows, notes=notes + [recipe(s.signature) for s in self.levels[0].scores])

    def __repr__(self) -> str:
        shown = ", ".join(f"{score.metric.name} {float(score):.4f}" for score in self.levels[-1].scores)
        return f"<LevelScores of {len(self.levels)} levels; all boundaries: {shown}>"


def level_scores(
    reference: HierarchyLike, hypothesis: HierarchyLike, metrics: Sequence[Metric | str] = LEVEL_METRICS
) -> LevelScores:
    """Compare two hierarchies by plain metrics on each level: their boundaries of rank ≤ 1, ≤ 2 and so on.

    Per-level Pk and WindowDiff are what Gklezakos et al. (2024, TreeSeg) report. At most 1000 levels.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_nested([[2, 3], [6]])
    >>> hypothesis = Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> scores = level_scores(reference, hypothesis)
    >>> scores["B"]
    (1.0, 0.6666666666666666)
    """
    if isinstance(metrics, str) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    ref, hyp = as_hierarchy(reference), as_hierarchy(hypothesis)
    if ref.n_units != hyp.n_units:
        raise ComparisonError(
            f"the reference has {ref.n_units} units and the hypothesis {hyp.n_units}: "
            "both must segment the same units"
        )
    chosen = [get_metric(metric) for metric in metrics]
    levels = []
    for rank in check_levels({*ref.levels, *hyp.levels}):
        right, tried = ref.up_to(rank), hyp.up_to(rank)
        scores = tuple(metric(right, tried) for metric in chosen)
        levels.append(LevelScore(rank, right.n_boundaries, tried.n_boundaries, scores))
    return LevelScores(tuple(levels))


@dataclass(frozen=True, repr=False)
class LevelEvaluation(Result):
    """What evaluate_levels() found: an Evaluation for each rank."""

    levels: dict[int, Evaluation]
    names: tuple[str, ...]
    """What the levels are called."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"levels": {str(rank): evaluation.to_dict() for rank, evaluation in self.levels.items()}}

    def to_table(self) -> Table:
        """Return a row for each level: the pooled values with their intervals."""

        (first, *_) = self.levels.values()
        percent = f"{first.confidence:.0%}"
        columns = [Column("level")]
        for name in distinct([repr(summary.asked) for summary in first.summaries]):
            columns += [Column(name), Column(f"{name} low {percent}"), Column(f"{name} high {percent}")]
        rows: list[list[Cell]] = []
        for name, evaluation in zip(self.names, self.levels.values(), strict=True):
            row: list[Cell] = [name]
            for summary in evaluation.summaries:
                row += [float(summary.micro), summary.interval.low, summary.interval.high]
            rows.append(row)
        n = len(first.documents)
        notes = [
            reading("A level is the boundaries of its rank and of those above; values pool all codings."),
            reading(f"Intervals resample the {n} documents.")
            if n > 1
            else caveat("One document says nothing about others: there is no interval."),
            *(recipe(summary.micro.signature) for summary in first.summaries),
        ]
        return Table("", columns, rows, notes=notes)

    def __repr__(self) -> str:
        return f"<LevelEvaluation of {len(self.levels)} levels>"


def evaluate_levels(
    reference: Corpus,
    hypothesis: Corpus,
    metrics: Sequence[Metric | str] = LEVEL_METRICS,
    *,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
) -> LevelEvaluation:
    """Compare a segmenter's hierarchies with all reference codings, each level by itself; see ``evaluate``.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> gold = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]])}})
    >>> mine = Corpus.from_dict({"d": {"mine": Hierarchy.from_nested([[2, 3], [2, 4]])}})
    >>> [float(level["B"].micro) for level in evaluate_levels(gold, mine, rng=0).levels.values()]
    [1.0, 0.6666666666666666]
    """
    right, tried = reference.as_hierarchies(), hypothesis.as_hierarchies()
    levels = {
        rank: evaluate(
            right.level(rank),
            tried.level(rank),
            metrics,
            confidence=confidence,
            n_resamples=n_resamples,
            rng=rng,
        )
        for rank in check_levels({*right.ranks, *tried.ranks})
    }
    scheme = unite_schemes(right.type_scheme, tried.type_scheme)
    return LevelEvaluation(levels, tuple(name_of_type(scheme, rank) for rank in levels))
