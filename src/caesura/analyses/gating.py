"""gate(): compare a system with limits and a baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.alignment import align
from caesura.analyses.evaluation.analysis import evaluate
from caesura.analyses.saved_scores import SavedScores
from caesura.checks import ALPHA, N_T, TEST_RESAMPLES, Seed, check_number
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.registry import get_metric
from caesura.results.notes import Note, caveat, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.stats.resampling import randomization
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.segmentation import SegmentationLike
from caesura.version import __version__
from caesura.wording import counted, listed, p_shown

ROUNDING = 1e-12
"""The rounding error by which a value may miss its limit."""

CHANCE = "within chance"
"""The verdict on a drop that is not significant in the randomization test."""

SHOWN_DOCUMENTS, SHOWN_BOUNDARIES = 10, 4
"""The most documents shown, and boundaries of one kind; plain data has all documents."""


@dataclass(frozen=True)
class Limits:
    """What a system must reach; metrics by specification or as objects.

    >>> Limits(fail_under={"WD": 0.3})
    Traceback (most recent call last):
    caesura.errors.ParameterError: WD is an error; limit it with fail_over=
    """

    fail_under: Mapping[Any, float] = field(default_factory=dict)
    """The least value of a metric."""
    fail_over: Mapping[Any, float] = field(default_factory=dict)
    """The greatest value of an error such as WD."""
    max_drop: Mapping[Any, float] = field(default_factory=dict)
    """The greatest drop of a metric below the baseline, or the greatest rise of an error above it."""
    no_document_worse: float | None = None
    """The greatest drop of any metric in any document."""
    significant: bool = False
    """Whether drops that are not significant pass."""

    def __post_init__(self) -> None:
        for name in ("fail_under", "fail_over", "max_drop"):
            limits = {get_metric(metric): value for metric, value in getattr(self, name).items()}
            object.__setattr__(self, name, limits)
            for metric, value in limits.items():
                low, high = (0.0, math.inf) if name == "max_drop" else (metric.low, metric.high)
                check_number(f"{name}= of {metric}", value, low, high)
                if name == "fail_under" and metric.direction == "lower":
                    raise ParameterError(f"{metric} is an error; limit it with fail_over=")
                if name == "fail_over" and metric.direction == "higher":
                    raise ParameterError(f"{metric} is not an error; limit it with fail_under=")
        if self.no_document_worse is not None:
            check_number("no_document_worse=", self.no_document_worse)
        if self.significant and not self.max_drop:
            raise ParameterError("significant= needs max_drop=")

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that have limits."""
        return [*dict.fromkeys([*self.fail_under, *self.fail_over, *self.max_drop])]

    @property
    def needs_baseline(self) -> bool:
        """Whether any of the limits needs a baseline."""
        return bool(self.max_drop) or self.no_document_worse is not None


class GateRow(NamedTuple):
    """One metric of the system, beside the baseline if there is one."""

    metric: str
    value: float
    baseline: float | None
    worse_by: float | None
    """In the metric's direction: negative if the system got better."""
    p_value: float | None
    """Of a randomization test over documents, system against baseline."""
    limits: str
    verdict: str


class Worse(NamedTuple):
    """A document that got worse."""

    document: str
    metric: str
    baseline: float
    value: float
    worse_by: float
    places: str
    """The boundaries at which the system differs from the references now; the baseline stores none."""


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """Whether a system meets its limits; ``failures`` are the limits that it misses, and by how much."""

    NUMBERS = ("system", "holds", "failures", "metrics", "documents_worse", "documents", "alpha")

    system: str
    failures: tuple[str, ...]
    metrics: tuple[GateRow, ...]
    documents_worse: tuple[Worse, ...]
    """The worst first."""
    documents: int
    remarks: tuple[str, ...]
    """Caveats of the tests."""
    saved: SavedScores
    """The next baseline."""
    alpha: float = ALPHA

    @property
    def holds(self) -> bool:
        """Whether the system meets all limits."""
        return not self.failures

    @property
    def verdict(self) -> str:
        """One line: the missed limits and by how much, or the values."""
        if self.failures:
            return f"{short_name(self.system)} falls short: {'; '.join(self.failures)}"
        values = listed([f"{row.metric} {row.value:.4f}" for row in self.metrics])
        return f"{short_name(self.system)} holds: {values} on {counted(self.documents, 'document')}"

    def __repr__(self) -> str:
        return f"<Gate: {self.verdict}>"


def gate(
    gold: Corpus,
    system: Corpus,
    limits: Limits,
    *,
    metrics: Sequence[Metric | str] = (),
    baseline: SavedScores | None = None,
    types: bool | None = None,
    rng: Seed = 0,
) -> Gate:
    """Score a system and compare it with limits and a baseline.

    Parameters
    ----------
    gold, system
        The references, and the codings of one system.
    limits
        What the system must reach; limits on drops need a baseline.
    metrics
        Metrics to show beside those that have limits; by default B if none has.
    baseline
        The saved scores of an earlier run with the same documents, references and metrics.

    >>> gold = Corpus.from_dict({"d": {"ann": [2, 3, 6]}})
    >>> gate(gold, Corpus.from_dict({"d": {"mine": [2, 2, 7]}}), Limits(fail_under={"B": 0.8}))
    <Gate: mine falls short: B is 0.7500, below 0.8 by 0.0500>
    """
    shown = [*dict.fromkeys([*limits.metrics, *map(get_metric, metrics)])] or [get_metric("B")]
    saved = SavedScores.of(evaluate(gold, system, shown, types=types, n_resamples=0))
    if baseline is not None and (reason := baseline.reason_apart(saved, saved.signature)):
        raise CorpusError(f"the baseline does not fit: {reason}")
    rows, failures, remarks = [], list[str](), list[str]()
    for metric in shown:
        row = _row(metric, saved, baseline, limits, rng)
        missed = [
            f"{metric} is {row.value:.4f}, {word} {limit:g} by {abs(limit - row.value):.4f}"
            for limits_of, sign, word in ((limits.fail_under, 1, "below"), (limits.fail_over, -1, "above"))
            if (limit := limits_of.get(metric)) is not None and not sign * (row.value - limit) >= -ROUNDING
        ]  # an undefined value misses all
        allowed = limits.max_drop.get(metric, math.inf)
        if row.worse_by is not None and row.worse_by > allowed + ROUNDING:
            drop = f"{metric} went from {row.baseline:.4f} to {row.value:.4f}, worse by {row.worse_by:.4f}"
            drop, p = f"{drop}, allowed {allowed:g}", p_shown(row.p_value or 0.0)
            is_chance = row.verdict == CHANCE
            if limits.significant and is_chance:
                remarks.append(f"{drop}: {CHANCE} ({p}), so it passes.")
            else:
                missed.append(f"{drop} ({f'{CHANCE}, ' if is_chance else ''}{p})")
        failures += missed
        rows.append(row._replace(verdict="falls short") if missed else row)
    n_documents = len(saved.documents)
    if limits.significant and baseline is not None and 2.0 ** (1 - n_documents) >= ALPHA:
        documents = counted(n_documents, "document")
        remarks.append(f"{documents} cannot show a drop at α = {ALPHA:g}; use more.")
    worse = () if baseline is None else _documents_worse(gold, system, saved, baseline, shown)
    allowed = math.inf if limits.no_document_worse is None else limits.no_document_worse
    cases: dict[str, str] = {}
    for each in worse:  # a document's worst metric comes first
        if each.worse_by > allowed + ROUNDING:
            case = f"{short_name(each.document)} by {each.worse_by:.4f} ({each.metric})"
            cases.setdefault(each.document, case)
    if cases:
        documents = counted(len(cases), "document is", "documents are")
        failures.append(f"{documents} worse by more than {allowed:g}: {listed([*cases.values()], 3)}")
    return Gate(saved.system, tuple(failures), tuple(rows), worse, n_documents, tuple(remarks), saved)


def _row(
    metric: Metric, saved: SavedScores, baseline: SavedScores | None, limits: Limits, rng: Seed
) -> GateRow:
    """Return the row of a metric without the verdict on its limits."""
    name = repr(metric)
    named = {"at least": limits.fail_under, "at most": limits.fail_over, "worse by at most": limits.max_drop}
    words = ", ".join(f"{word} {values[metric]:g}" for word, values in named.items() if metric in values)
    value = float(saved.score(name))
    if baseline is None:
        return GateRow(name, value, None, None, None, words, "holds")
    before = float(baseline.score(name))
    table = np.stack([saved.counts(name), baseline.counts(name)], axis=1)
    (contrast,) = randomization(metric, table, n_resamples=TEST_RESAMPLES, rng=rng).contrasts
    p_value = 1.0 if math.isnan(contrast.p_value) else contrast.p_value
    worse_by = _worse_by(metric, before, value)
    verdict = "holds" if worse_by <= ROUNDING else "worse" if p_value < ALPHA else CHANCE
    return GateRow(name, value, before, worse_by, p_value, words, verdict)


def _worse_by(metric: Metric, before: float, value: float) -> float:
    """Return by how much a value is worse than before, in the metric's direction."""
    if before == value:
        return 0.0  # infinite values, too
    return metric.distance_from_best(value) - metric.distance_from_best(before)


def _documents_worse(
    gold: Corpus, system: Corpus, saved: SavedScores, baseline: SavedScores, metrics: Sequence[Metric]
) -> tuple[Worse, ...]:
    worse = []
    for metric in metrics:
        before = baseline.values(repr(metric))
        for document, now in saved.values(repr(metric)).items():
            if (drop := _worse_by(metric, before[document], now)) > ROUNDING:
                worse.append(Worse(document, repr(metric), before[document], now, drop, ""))
    worse.sort(key=lambda each: (-each.worse_by, each.document))
    n_t = next((n for metric in metrics if isinstance(n := metric.parameters.get("n_t"), int)), N_T)
    shown = dict.fromkeys(each.document for each in worse[:SHOWN_DOCUMENTS])
    places = {document: _places(gold, system[document, saved.system], document, n_t) for document in shown}
    return tuple(each._replace(places=places.get(each.document, "")) for each in worse)


def _places(gold: Corpus, hypothesis: SegmentationLike, document: str, n_t: int) -> str:
    """Return the boundaries at which a system differs from the references of a document, in words."""
    words = []
    references = gold[document]
    for coder, reference in references.items():
        edits = align(reference, hypothesis, n_t=n_t)
        kinds: dict[str, Sequence[object]] = {
            "missing after": [each.position for each in edits.missed],
            "spurious after": [each.position for each in edits.spurious],
            "moved": [f"{t.reference_position} to {t.hypothesis_position}" for t in edits.transpositions],
            "another type after": [each.position for each in edits.substitutions],
        }
        own = "; ".join(f"{kind} {listed(at, SHOWN_BOUNDARIES)}" for kind, at in kinds.items() if at)
        if own:
            words.append(f"{short_name(coder)}: {own}" if len(references) > 1 else own)
    return " | ".join(words)


# -------------------------------------------------------------------- in tables and words


def _main_table(result: Gate) -> Table:
    """Return a row for each metric, with the verdict as title."""
    names = ["metric", "value", "baseline", "worse by", "p", "verdict", "limit"]
    rows: list[list[Cell]] = [[*row[:5], row.verdict, row.limits] for row in result.metrics]
    if all(row.baseline is None for row in result.metrics):
        names, rows = [*names[:2], *names[5:]], [[*row[:2], *row[5:]] for row in rows]
    return Table.under(names, rows, _notes(result), result.verdict)


def _documents_table(result: Gate) -> Table:
    """Return the documents that got worse, and the boundaries that are wrong now."""
    shown = result.documents_worse[:SHOWN_DOCUMENTS]
    notes = [reading("Numbers are the units before the boundary; the baseline stores no boundaries.")]
    if more := len(result.documents_worse) - len(shown):
        notes.append(reading(f"{counted(more, 'further row')}; JSON has all."))
    names = ["document", "metric", "baseline", "value", "worse by", "where it is wrong now"]
    return Table.under(names, shown, notes, title="Documents that got worse")


def _notes(result: Gate) -> list[Note]:
    signatures = (f"{each}|average=micro|caesura {__version__}" for each in result.saved.signature.values())
    return [*map(caveat, result.remarks), *map(signature, signatures)]


present(Gate, notes=_notes, main=_main_table, documents=_documents_table)
