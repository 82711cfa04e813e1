"""tune(): choose the best parameters of segmenters on some documents, and score them on the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.evaluation.counting import Question
from caesura.analyses.held_out import ROUNDING, held_out_counts
from caesura.analyses.segmenting import Numbers, segment
from caesura.arrays import FloatArray
from caesura.checks import EVALUATION_RESAMPLES, Seed, as_generator, check_resamples
from caesura.declaration import parse, with_parameters
from caesura.errors import ParameterError, unknown
from caesura.metrics.base import Metric
from caesura.metrics.registry import get_metric
from caesura.pairs import coded, pair_segmenters
from caesura.results.as_json import plain_fields
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import SEGMENTERS, get_segmenter
from caesura.stats.outcome import Interval
from caesura.stats.resampling import bootstrap_intervals, pooled
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted, listed, short

MOST_COMBINATIONS = 10_000
"""The most combinations of parameters that are tried."""

LISTED = 20
"""The most rows of the grid that are shown."""


class Candidate(NamedTuple):
    """One combination of parameters."""

    specification: str
    value: float
    """The value on the documents tuned on."""


class HeldOut(NamedTuple):
    """The value on held-out documents."""

    value: float
    interval: Interval


@dataclass(frozen=True, repr=False, eq=False)
class Tuning(Result):
    """The best of a grid of parameters by a metric, and its value on other documents."""

    metric: Metric
    chosen: str
    """The specification that is best on the documents tuned on; of equal ones the first in the grid."""
    value: float
    """Its pooled value on those documents, which is optimistic."""
    interval: Interval
    held_out: HeldOut | None
    """The value on the other documents; cross-validated if all were tuned on. None with one document."""
    grid: tuple[Candidate, ...]
    """Every combination, in the order of the grid."""
    tuned_on: tuple[str, ...]
    held_out_documents: tuple[str, ...]
    """The documents that were not tuned on; empty after cross-validation."""
    chosen_by_fold: tuple[str, ...]
    """The choice without each fold of documents."""

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        folds = f"folds={len(self.chosen_by_fold)} of documents" if self.chosen_by_fold else "no folds"
        documents = f"tuned_on={len(self.tuned_on)}|held_out={len(self.held_out_documents)}"
        choice = f"tune|{self.metric!r}|grid={len(self.grid)}|average=micro"
        return f"{choice}|{documents}|{folds}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the choice, its values and the whole grid as plain data."""
        out = self.held_out
        return {
            **plain_fields(self, ("metric", "chosen", "value")),
            "interval": self.interval.to_dict(),
            "held_out": out and {"value": out.value, "interval": out.interval.to_dict()},
            **plain_fields(self, ("grid", "tuned_on", "held_out_documents", "chosen_by_fold", "signature")),
        }

    def __repr__(self) -> str:
        held_out = "" if self.held_out is None else f", {self.held_out.value:.4f} held out"
        return f"<Tuning: {self.chosen}, {self.metric.name} {self.value:.4f}{held_out}>"


# -------------------------------------------------------------------- the grid


def grid_of(spec: str) -> list[Segmenter]:
    """Return every combination that a specification names: a list as a value means each of its items.

    >>> grid_of("C99(mask=[9, 13], cutoff=1.5)")
    [C99(mask=9, cutoff=1.5), C99(mask=13, cutoff=1.5)]
    """
    name, parameters = (spec, {}) if spec in SEGMENTERS else parse(spec, "segmenter")
    fixed = get_segmenter(name)
    lists = {key: value for key, value in parameters.items() if isinstance(value, list)}
    for key, value in lists.items():
        if not value:
            raise ParameterError(f"{name}: {key} is an empty list; give the values to try, {key}=[1, 2]")
    _check_size(math.prod(map(len, lists.values())), spec)
    others = {key: value for key, value in parameters.items() if key not in lists}
    chosen = (dict(zip(lists, values, strict=True)) for values in product(*lists.values()))
    return [with_parameters(fixed, others | each) for each in chosen]


def _check_size(total: int, of: str) -> None:
    if total > MOST_COMBINATIONS:
        raise ParameterError(f"{of[:60]} has {total:,} combinations; at most {MOST_COMBINATIONS:,} are tried")


# -------------------------------------------------------------------- tuning


def tune(
    gold: Corpus,
    segmenters: Sequence[Segmenter | str],
    metric: Metric | str = "B",
    *,
    on: Sequence[str] | None = None,
    n_segments: Numbers = None,
    n_resamples: int = EVALUATION_RESAMPLES,
    rng: Seed = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Return the best of a grid of segmenters on some documents, and its value on the others.

    The metric pools every document and reference coding (micro). The best on the documents tuned on is
    chosen; of equal ones the first in the grid. Its value there is optimistic; ``held_out`` is its value on
    the other documents. Without ``on``, ``held_out`` is cross-validated, as in ``sweep``: ten folds of
    documents, each segmented with the choice of the others.

    Parameters
    ----------
    gold
        Documents with texts and one or several codings each.
    segmenters
        Specifications in which a list means a grid, "C99(mask=[7, 9, 11])", or segmenters.
    metric
        Any metric, or its specification.
    on
        Names of the documents to tune on, or patterns ("ch[1-5]"); the others are held out.
    n_segments
        As in ``segment``: a number, a number by document, "like" (as the references have), or None.
    n_resamples, rng
        Resamples of documents behind the intervals, and the seed.
    progress
        Called with the number of segmentations that are done, and of all.

    >>> text = ["cats purr", "a cat purrs", "dogs bark", "the dog barks", "rain falls", "the rain falls"]
    >>> codings = {name: {"ann": [2, 2, 2]} for name in ("ch1", "ch2", "ch3")}
    >>> gold = Corpus.from_dict(codings, units=dict.fromkeys(codings, text))
    >>> tuned = tune(gold, ["Uniform", "C99(mask=[3, 5])"], on=["ch[12]"], n_segments=2, rng=1)
    >>> tuned
    <Tuning: C99(mask=3), B 0.5000, 0.5000 held out>
    >>> [candidate.specification for candidate in tuned.grid], tuned.held_out_documents
    (['Uniform', 'C99(mask=3)', 'C99(mask=5)'], ('ch3',))
    """
    given = [segmenters] if isinstance(segmenters, str) else segmenters
    grid = [each for spec in given for each in (grid_of(spec) if isinstance(spec, str) else [spec])]
    if not grid:
        raise ParameterError("segmenters is empty; give at least one, such as C99(mask=[7, 9, 11])")
    _check_size(len(grid), "the grid")
    judge = get_metric(metric)
    check_resamples("n_resamples", n_resamples)
    generator = as_generator(rng)
    gold = coded(gold, "the gold")
    tuned_on = _documents_on(gold.documents, on)
    others = tuple(document for document in gold.documents if document not in set(tuned_on))
    done = len(tuned_on) * len(grid)

    def count(documents: Sequence[str], grid: Sequence[Segmenter], before: int) -> tuple[Metric, FloatArray]:
        """Return counts by candidate, document and count."""
        steps = None if progress is None else lambda now, _: progress(before + now, done + len(others))
        own = gold.select(documents=documents)
        flat = not own.is_hierarchical
        machine = segment(own, grid, n_segments, flat=flat, rng=generator, progress=steps)
        paired = pair_segmenters(own, machine)
        metrics, _ = paired.metrics(machine, [judge])
        counts = Question(tuple(metrics), paired.segmenters).counts(paired)
        return counts[0].metric, np.stack([each.unscaled for each in counts])

    def value_of(metric: Metric, counts: FloatArray) -> HeldOut:
        table = counts[:, None, :]
        interval, *_ = bootstrap_intervals(metric, table, n_resamples=n_resamples, rng=generator)
        return HeldOut(float(pooled(metric, counts.sum(axis=0))), interval)

    finish, tables = count(tuned_on, grid, 0)
    values = pooled(finish, tables.sum(axis=1))
    best = _first_best(finish, values)
    _, interval = value_of(finish, tables[best])
    held_out: HeldOut | None = None
    folds: list[int] = []
    if others:
        finish_others, (counts,) = count(others, [grid[best]], done)
        held_out = value_of(finish_others, counts)
    elif len(tuned_on) > 1:
        counts, folds = held_out_counts(finish, tables, _first_best, generator)
        held_out = value_of(finish, counts)
    names = [repr(segmenter) for segmenter in grid]
    candidates = tuple(map(Candidate, names, values.tolist()))
    of_folds = tuple(names[fold] for fold in folds)
    chosen = names[best], float(values[best]), interval
    return Tuning(finish, *chosen, held_out, candidates, tuned_on, others, of_folds)


def _documents_on(documents: Sequence[str], patterns: Sequence[str] | None) -> tuple[str, ...]:
    """Return the documents whose names fit; patterns that fit none or all are refused."""
    if patterns is None:
        return tuple(documents)
    patterns = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(patterns, Sequence) or not patterns:
        raise ParameterError(f"on is {short(patterns)}: expected names of documents, or patterns ('ch[1-5]')")
    chosen: set[str] = set()
    for pattern in patterns:
        fitting = [name for name in documents if name == pattern or fnmatchcase(name, pattern)]
        if not fitting:
            raise unknown("document", pattern, documents)
        chosen.update(fitting)
    if len(chosen) == len(documents):
        raise ParameterError(
            f"on={listed(patterns)} leaves none of the {len(documents):,} documents held out; fit fewer"
        )
    return tuple(name for name in documents if name in chosen)


def _first_best(metric: Metric, values: FloatArray) -> int:
    """Return the first of the best values."""
    distance = np.abs(values - metric.best)
    return int(np.argmax(distance <= distance.min() + ROUNDING))


# -------------------------------------------------------------------- in words and tables


def _notes(tuning: Tuning) -> list[Note]:
    name, documents = tuning.metric.name, counted(len(tuning.tuned_on), "document")
    best = f"{tuning.chosen} is the best of {len(tuning.grid):,}"
    sentence = f"{best} on {documents}: {name} {tuning.value:.3f}"
    notes = []
    if tuning.held_out is None:
        notes.append(caveat("Only one document: nothing is held out, so the value is too optimistic."))
    elif tuning.held_out_documents:
        others = counted(len(tuning.held_out_documents), "other document")
        sentence += f", and {tuning.held_out.value:.3f} on {others}"
    else:
        folds = len(tuning.chosen_by_fold)
        sentence += f", and {tuning.held_out.value:.3f} by cross-validation in {folds} folds"
        if differing := set(tuning.chosen_by_fold) - {tuning.chosen}:
            notes.append(caveat(f"Without one fold, {listed(sorted(differing), 3)} is best."))
    if len(tuning.grid) > LISTED:
        notes.append(reading(f"The {LISTED} best of {len(tuning.grid):,} combinations; JSON has all."))
    return [finding(f"{sentence}."), *notes, signature(tuning.signature)]


def _grid_table(tuning: Tuning) -> Table:
    """Return a row for each combination, the best first."""
    ranked = sorted(tuning.grid, key=lambda candidate: abs(candidate.value - tuning.metric.best))
    return Table.under(("segmenter", tuning.metric.name), ranked[:LISTED], _notes(tuning))


def _chosen_table(tuning: Tuning) -> Table:
    """Return the choice with both of its values."""
    rows: list[list[Cell]] = [["tuned on", len(tuning.tuned_on), tuning.value, *tuning.interval]]
    if tuning.held_out is not None:
        n_documents = len(tuning.held_out_documents) or len(tuning.tuned_on)
        where = "held out" if tuning.held_out_documents else "cross-validated"
        rows.append([where, n_documents, tuning.held_out.value, *tuning.held_out.interval])
    names = ["segmenter", "on", "documents", tuning.metric.name, "low", "high"]
    return Table.under(names, [[tuning.chosen, *row] for row in rows], _notes(tuning))


present(Tuning, notes=_notes, main=_chosen_table, grid=_grid_table)
