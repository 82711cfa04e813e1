"""sweep(): a metric over thresholds of a model's scores, and the best one by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.packed import PackedPairs
from caesura.analyses.evaluation.counting import scores_of
from caesura.analyses.held_out import ROUNDING, held_out_counts
from caesura.arrays import FloatArray, IntArray, bincount, repeat
from caesura.checks import Seed, as_generator, check_choice
from caesura.errors import CorpusError, unknown
from caesura.metrics.base import Metric
from caesura.metrics.classic import P, R
from caesura.metrics.registry import metric_for
from caesura.pairs import SegmenterPairs, Subjects, coded
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.stats.resampling import pooled
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.strings import offsets_of
from caesura.version import __version__
from caesura.wording import counted, listed

# -------------------------------------------------------------------- scores of gaps


At: TypeAlias = Literal["gaps", "starts", "ends"]

AT: tuple[At, ...] = ("gaps", "starts", "ends")

IGNORED = -100.0
"""The label of tokens that models ignore."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """One score for each gap of each document, document after document."""

    n_units: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, corpus: Corpus, scores: Mapping[str, Sequence[float]], at: At | None) -> Gaps:
        """Check the scores of each document of a corpus; CorpusError names document, index and value."""
        if not isinstance(scores, Mapping):
            raise CorpusError(f"scores are {type(scores).__name__}: expected {{document: scores}}")
        for name in scores:
            if name not in corpus.document_numbers:
                raise CorpusError(f"scores: {unknown('document', name, corpus.documents)}")
        missing = [name for name in corpus.documents if name not in scores]
        if missing:
            raise CorpusError(f"no scores for {listed(missing, 3)} of {len(corpus.documents):,} documents")
        lengths = zip(corpus.documents, corpus.document_units.tolist(), strict=True)
        parts = [_gaps_of(name, scores[name], n_units, at) for name, n_units in lengths]
        return cls(corpus.document_units, np.concatenate([np.empty(0), *parts]))

    @cached_property
    def document(self) -> IntArray:
        """The number of each gap's document."""
        return repeat(np.arange(len(self.n_units)), self.n_units - 1)

    @cached_property
    def position(self) -> IntArray:
        """The position of each gap."""
        starts = offsets_of(self.n_units - 1)[:-1]
        return np.arange(len(self.scores)) - starts[self.document] + 1

    @cached_property
    def rank(self) -> IntArray:
        """How many gaps of its document come before each: those with higher scores, or as high before it."""
        order = np.lexsort((self.position, -self.scores, self.document))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - offsets_of(self.n_units - 1)[:-1][self.document[order]]
        return rank

    def marked(self, cut: float, over: Over) -> Columns:
        """Return one segmentation per document, with a boundary where a score reaches the threshold.

        Over segments, each document has ``cut`` segments, or as many as it has units.
        """
        chosen = np.flatnonzero(self.scores >= cut if over == "threshold" else self.rank < cut - 1)
        counts = bincount(self.document[chosen], minlength=len(self.n_units))
        return Columns(self.n_units, offsets_of(counts), self.position[chosen])


def _gaps_of(document: str, given: Any, n_units: int, at: At | None) -> FloatArray:
    where = f"document {document}"
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise CorpusError(f"{where}: the scores are not a list of numbers") from None
    if values.ndim != 1:
        raise CorpusError(f"{where}: the scores have {values.ndim} dimensions: expected one number per gap")
    for index in np.flatnonzero(~np.isfinite(values)).tolist():
        raise CorpusError(f"{where}: scores[{index}] is {values[index]}: expected a number")
    for index in np.flatnonzero(values == IGNORED).tolist():
        raise CorpusError(f"{where}: scores[{index}] is -100 (ignored tokens); give scores[labels != -100]")
    expected = {"gaps": n_units - 1, "starts": n_units, "ends": n_units}
    if len(values) not in ([expected[at]] if at else expected.values()):
        number = f"{expected[at]} ({at})" if at else f"{n_units - 1} (gaps) or {n_units} (units)"
        raise CorpusError(f"{where}: {len(values)} scores for {n_units} units: expected {number}")
    if len(values) == n_units - 1:
        return values
    return values[:-1] if at == "ends" else values[1:]


# -------------------------------------------------------------------- results


class Point(NamedTuple):
    """The value of a metric at one cut of the scores."""

    cut: float
    """The threshold, or the number of segments."""
    value: float
    boundaries: int
    """The boundaries of all documents."""


class PrecisionRecall(NamedTuple):
    """Precision and recall of exact boundaries at one cut."""

    cut: float
    precision: float
    recall: float


class Best(NamedTuple):
    """The best of all cuts."""

    threshold: float | None
    """A boundary is where a score reaches it; None: numbers of segments were tried."""
    n_segments: int | None
    value: float
    """The value on the documents it was chosen on, which is optimistic."""
    held_out: float
    """Cross-validated; NaN with one document."""

    @property
    def cut(self) -> float:
        """The threshold or the number of segments, whichever was tried."""
        return float(self.n_segments or 0) if self.threshold is None else self.threshold


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Result):
    """A metric of all documents at each cut of the scores."""

    NUMBERS = (
        *("metric", "over", "best", "chosen", "curve", "precision_recall"),
        *("documents", "references", "gaps"),
    )

    metric: Metric
    over: str
    """"threshold" or "segments"."""
    curve: tuple[Point, ...]
    """From the fewest boundaries to the most."""
    precision_recall: tuple[PrecisionRecall, ...]
    """Of exact boundaries at the same cuts (Pevzner & Hearst 2002, §1.1)."""
    best: Best
    chosen: tuple[float, ...]
    """The best cut without each fold of documents."""
    documents: int
    references: int
    """Reference codings."""
    gaps: int
    n_cuts: int
    """Cuts that would differ; the curve has at most ``MOST_CUTS`` of them."""

    @property
    def average_precision(self) -> float:
        """The area under the precision–recall curve: Σ (recall − recall of the cut before) × precision."""
        steps = pairwise([PrecisionRecall(math.nan, 1.0, 0.0), *self.precision_recall])
        return math.fsum((after.recall - before.recall) * after.precision for before, after in steps)

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        folds = f"folds={len(self.chosen)} of documents" if self.chosen else "no folds"
        return f"sweep|{self.metric!r}|over={self.over}|average=micro|{folds}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the best cut and the whole curve as plain data."""
        return {**super().numbers(), "cuts": self.n_cuts, "signature": self.signature}

    def __repr__(self) -> str:
        best = f"best {self.over} {self.best.cut:g}, {self.metric.name} {self.best.value:.4f}"
        return f"<Sweep of {counted(self.documents, 'document')}: {best}, held out {self.best.held_out:.4f}>"


# -------------------------------------------------------------------- cuts


Over: TypeAlias = Literal["threshold", "segments"]

MOST_CUTS = 200
"""The most different cuts that are tried."""


def sweep(
    reference: Corpus,
    scores: Mapping[str, Sequence[float]],
    metric: Metric | str = "B",
    *,
    over: Over = "threshold",
    at: At | None = None,
    rng: Seed = None,
) -> Sweep:
    """Return a metric at every threshold of a model's scores, the best one, and its cross-validated value.

    A boundary is where a score reaches the threshold; the metric pools every document and reference coding
    (micro). The best threshold is chosen on all documents; of equal neighbors it is the middle one. Its value
    there is optimistic, since it was chosen on the same documents. ``best.held_out`` is cross-validated: ten
    random folds (leave-one-out below ten documents), each scored at the threshold chosen on the others, and
    pooled.

    Parameters
    ----------
    reference
        Documents with one or several codings each.
    scores
        For each document numbers such as the probabilities of a boundary: one for each gap, as
        ``segmenter.scores(units)`` gives, or for each unit that may start a segment (the first is ignored).
    metric
        Any metric, or its specification.
    over
        "threshold", or "segments": each document has the same number of segments, those with the highest
        scores.
    at
        What scores belong to, if their number does not show it: "gaps", "starts" or "ends".
    rng
        The seed or generator of the folds.

    At most 200 different cuts are tried: quantiles of the scores, half of them evenly spaced and half in
    geometric steps from the highest score on, since boundaries are few.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3]}, "b": {"ann": [1, 3]}, "c": {"ann": [3, 1]}})
    >>> scores = {"a": [0.1, 0.8, 0.3, 0.2], "b": [0.7, 0.1, 0.4], "c": [0.2, 0.5, 0.6]}
    >>> swept = sweep(gold, scores, "B", rng=1)
    >>> swept.best
    Best(threshold=0.6, n_segments=None, value=1.0, held_out=1.0)
    >>> [(point.cut, round(point.value, 2)) for point in swept.curve][:3]
    [(0.8, 0.33), (0.7, 0.67), (0.6, 1.0)]
    """
    check_choice("over", over, ("threshold", "segments"))
    if at is not None:
        check_choice("at", at, AT)
    generator = as_generator(rng)
    reference = coded(reference, "the reference")
    types = not reference.typed_coders  # scores tell boundaries, not their types
    chosen = metric_for(reference.type_scheme, metric, step=reference.step, types=types, references=reference)
    gaps = Gaps.of(reference, scores, at)
    if not len(gaps.scores):
        raise CorpusError("every document is one unit long; there are no gaps to mark")
    cuts, n_cuts = _cuts(gaps, over)
    tables, boundaries, rates, chosen = _tables(reference, gaps, chosen, over, cuts)
    values = pooled(chosen, tables.sum(axis=1))
    best = _best(chosen, values)
    held_out, of_folds = held_out_counts(chosen, tables, _best, generator)
    threshold, number = (float(cuts[best]), None) if over == "threshold" else (None, int(cuts[best]))
    value_held_out = float(pooled(chosen, held_out.sum(axis=0))) if of_folds else math.nan
    points = tuple(map(Point, cuts.tolist(), values.tolist(), boundaries))
    exact = tuple(PrecisionRecall(cut, *both) for cut, both in zip(cuts.tolist(), rates, strict=True))
    both_values = Best(threshold, number, float(values[best]), value_held_out)
    sizes = len(gaps.n_units), len(reference), len(gaps.scores), n_cuts
    return Sweep(chosen, over, points, exact, both_values, tuple(cuts[of_folds].tolist()), *sizes)


def _cuts(gaps: Gaps, over: Over) -> tuple[NDArray[np.float64], int]:
    """Return falling thresholds or rising numbers of segments, and the number of all different cuts."""
    if over == "segments":
        every: FloatArray = np.arange(1, int(gaps.n_units.max()) + 1, dtype=np.float64)
    else:
        every = np.unique(gaps.scores)[::-1]
    if len(every) <= MOST_CUTS:
        return every, len(every)
    size = len(every) if over == "segments" else len(gaps.scores)
    steps = (space(1, size, MOST_CUTS // 2) for space in (np.geomspace, np.linspace))
    ranks = np.unique(np.concatenate([*steps]).round().astype(np.int64)) - 1
    tried = every[ranks] if over == "segments" else np.unique(np.sort(gaps.scores)[::-1][ranks])[::-1]
    return tried, len(every)


def _tables(
    reference: Corpus, gaps: Gaps, metric: Metric, over: Over, cuts: FloatArray
) -> tuple[FloatArray, list[int], list[tuple[float, float]], Metric]:
    """Return the metric's counts (cuts × documents × counts), boundaries and rates by cut, the metric."""
    subjects = Subjects.of(reference)
    tables, boundaries, rates = [], [], []
    for cut in cuts.tolist():
        marked = gaps.marked(cut, over)
        pairs = PackedPairs(reference.codings, marked, subjects.rows, subjects.document)
        paired = SegmenterPairs(subjects, ("scores",), (pairs,))
        scores = scores_of(metric, paired, 0)
        counts = scores.unscaled
        tables.append(counts if scores.metric.multi_reference else paired.by_document(counts))
        boundaries.append(len(marked.positions))
        rates.append((float(P().over(pairs).micro), float(R().over(pairs).micro)))
    return np.stack(tables), boundaries, rates, scores.metric


def _best(metric: Metric, values: FloatArray) -> int:
    """Return the index of the best value; of equal neighbors, up to rounding, of the middle one."""
    distance = np.abs(values - metric.best)
    is_best = distance <= distance.min() + ROUNDING
    first = int(np.argmax(is_best))
    n_equal = int(np.argmin(np.append(is_best[first:], False)))
    return first + (n_equal - 1) // 2


# -------------------------------------------------------------------- in words and tables


NOUNS = {"threshold": "threshold", "segments": "number of segments"}


def notes(sweep: Sweep) -> list[Note]:
    """Return the best cut with both values, caveats, and the signature."""
    best, name = sweep.best, sweep.metric.name
    sentence = f"The best {NOUNS[sweep.over]} is {best.cut:.4g}: {name} {best.value:.3f} where it was chosen"
    notes = []
    if len(set(sweep.chosen)) > 1:
        low, high = min(sweep.chosen), max(sweep.chosen)
        text = f"Without one fold of documents the best {NOUNS[sweep.over]} is {low:.4g} to {high:.4g}."
        notes = [caveat(text)]
    if math.isnan(best.held_out):
        notes = [caveat("Only one document: nothing is held out, so the value is too optimistic.")]
    else:
        parts = f"{len(sweep.chosen)} folds of {counted(sweep.documents, 'document')}"
        sentence += f", {best.held_out:.3f} by cross-validation ({parts})"
    note = f"boundaries: in all documents together, out of {counted(sweep.gaps, 'gap')}"
    if sweep.n_cuts > len(sweep.curve):
        note += f"; {len(sweep.curve):,} of {sweep.n_cuts:,} different cuts were tried"
    return [finding(f"{sentence}."), *notes, reading(note), signature(sweep.signature)]


def curve_table(sweep: Sweep) -> Table:
    """Return one row per cut: the metric's value, and how many boundaries that is."""
    return Table.under([sweep.over, sweep.metric.name, "boundaries"], _rows(sweep, sweep.curve), notes(sweep))


def precision_recall_table(sweep: Sweep) -> Table:
    """Return one row per cut: precision and recall of exact boundaries."""
    area = finding(f"The area under the precision–recall curve is {sweep.average_precision:.3f}.")
    rows = _rows(sweep, sweep.precision_recall)
    return Table.under([sweep.over, "precision", "recall"], rows, [area, signature(sweep.signature)])


def _rows(sweep: Sweep, points: Sequence[Point | PrecisionRecall]) -> list[list[Cell]]:
    """Return a row for each cut; numbers of segments are whole."""
    return [[int(cut) if sweep.over == "segments" else cut, *rest] for cut, *rest in points]


def best_table(sweep: Sweep) -> Table:
    """Return the best cut with both of its values."""
    best = sweep.best
    names = [sweep.over, sweep.metric.name, "held out", "documents", "references"]
    cut: Cell = best.threshold if best.n_segments is None else best.n_segments
    row = cut, best.value, best.held_out, sweep.documents, sweep.references
    return Table.under(names, [row], notes(sweep))


present(Sweep, notes=notes, main=best_table, curve=curve_table, precision_recall=precision_recall_table)
