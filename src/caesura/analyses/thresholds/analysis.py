"""sweep(): a metric over thresholds of a model's scores, and the best one by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.evaluation.counting import scores_of
from caesura.analyses.thresholds.gaps import AT, At, Gaps
from caesura.analyses.thresholds.results import Best, Point, Sweep
from caesura.arrays import FloatArray, IntArray
from caesura.checks import Seed, as_generator, check_choice
from caesura.errors import CorpusError
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import Metric, Scores
from caesura.metrics.declared import metric_for
from caesura.pairs import Judged, Subjects
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus

Over: TypeAlias = Literal["threshold", "segments"]

FOLDS = 10
"""Documents are held out in this many parts; of fewer documents each by itself."""

ROUNDING = 1e-12
"""Values that differ by less are equal."""

MOST_CUTS = 200
"""Of more different cuts only about as many are tried."""


def sweep(
    reference: Corpus,
    scores: Mapping[str, Sequence[float]],
    metric: Metric | str = "B",
    *,
    over: Over = "threshold",
    at: At | None = None,
    rng: Seed = None,
) -> Sweep:
    """Return a metric at every threshold of a model's scores, the best one, and its honest value.

    A boundary is where a score reaches the threshold; the metric pools every document and reference coding
    (micro). The best threshold is that of all documents, of several equal neighbours the middle one.
    Its value there is too good, since it was chosen on the same documents; ``best.held_out`` is that of
    cross-validation: documents are divided at random into 10 parts (of fewer than 10 each is one), each is
    cut at the threshold that is best without it, and all are pooled.

    Parameters
    ----------
    reference
        Documents with one or several codings each.
    scores
        For each document numbers such as probabilities, the higher the rather a boundary: one for each gap,
        or for each unit that may start a segment (the first means nothing). ``segmenter.scores(units)`` is
        of the former kind.
    metric
        Any metric, or its specification.
    over
        "threshold", or "segments": each document has the same number of segments, those with the highest
        scores.
    at
        What scores stand for, where their number is not to tell: "gaps", "starts" or "ends".
    rng
        A seed, or a generator: which documents are held out together.

    Of more than 200 different cuts at most 200 are tried: quantiles of the scores, half of them evenly and
    half in geometric steps from the highest score on, so that none is missed where boundaries are few.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3]}, "b": {"ann": [1, 3]}, "c": {"ann": [3, 1]}})
    >>> scores = {"a": [0.1, 0.8, 0.3, 0.2], "b": [0.7, 0.1, 0.4], "c": [0.2, 0.5, 0.6]}
    >>> found = sweep(gold, scores, "B", rng=1)
    >>> found.best
    Best(threshold=0.6, n_segments=None, value=1.0, held_out=1.0)
    >>> [(point.cut, round(point.value, 2)) for point in found.curve][:3]
    [(0.8, 0.33), (0.7, 0.67), (0.6, 1.0)]
    """
    check_choice("over", over, ("threshold", "segments"))
    if at is not None:
        check_choice("at", at, AT)
    generator = as_generator(rng)
    if not reference.n_codings:
        raise CorpusError("the references have no documents that anybody has coded")
    reference = reference.coded
    chosen = metric_for(  # scores tell boundaries, not their types
        reference.type_scheme, metric, step=reference.step, types=not reference.typed_coders
    )
    gaps = Gaps.of(reference, scores, at)
    if not len(gaps.scores):
        raise CorpusError("every document is one unit long: there is no gap to mark")
    cuts, n_cuts = _cuts(gaps, over)
    tables, boundaries, chosen = _tables(reference, gaps, chosen, over, cuts)
    values = _values(chosen, tables.sum(axis=1))
    best = _best(chosen, values)
    folds = _folds(len(gaps.n_units), generator)
    held_out, of_folds = _held_out(chosen, tables, folds)
    points = map(Point, cuts.tolist(), values.tolist(), boundaries)
    return Sweep(
        chosen,
        over,
        tuple(points),
        Best(
            float(cuts[best]) if over == "threshold" else None,
            int(cuts[best]) if over == "segments" else None,
            float(values[best]),
            held_out,
        ),
        tuple(cuts[of_folds].tolist()),
        len(gaps.n_units),
        len(reference),
        len(gaps.scores),
        n_cuts,
    )


def _cuts(gaps: Gaps, over: Over) -> tuple[NDArray[np.float64], int]:
    """Return thresholds, falling, or numbers of segments, rising; and how many there are to choose from."""
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
) -> tuple[FloatArray, list[int], Metric]:
    """Return the metric's counts (cuts × documents × counts), the boundaries of each cut, and the metric."""
    subjects = Subjects.of(reference)
    tables, boundaries = [], []
    for cut in cuts.tolist():
        marked: Columns = gaps.reaching(cut) if over == "threshold" else gaps.highest(int(cut))
        pairs = PackedPairs(reference.codings, marked, subjects.rows, subjects.document)
        judged = Judged(subjects, ("scores",), (pairs,))
        found = scores_of(metric, judged, 0)
        counts = found.unscaled
        tables.append(counts if found.metric.multi_reference else judged.by_document(counts))
        boundaries.append(len(marked.positions))
    return np.stack(tables), boundaries, found.metric


def _values(metric: Metric, sums: FloatArray) -> FloatArray:
    """Return the value of each row of sums."""
    return Scores(metric, sums).values


def _best(metric: Metric, values: FloatArray) -> int:
    """Return the best value; of equal neighbours, up to rounding, the middle one: it is the safest."""
    distance = np.abs(values - metric.best)
    is_best = distance <= distance.min() + ROUNDING
    first = int(np.argmax(is_best))
    n_equal = int(np.argmin(np.append(is_best[first:], False)))
    return first + (n_equal - 1) // 2


def _folds(n_documents: int, generator: np.random.Generator) -> list[IntArray]:
    """Return the documents that are held out together."""
    if n_documents < 2:
        return []
    return np.array_split(generator.permutation(n_documents), min(FOLDS, n_documents))


def _held_out(metric: Metric, tables: FloatArray, folds: list[IntArray]) -> tuple[float, list[int]]:
    """Return the value of documents that are cut as the others say, and the cut without each fold."""
    if not folds:
        return math.nan, []
    total = tables.sum(axis=1)
    sums = [tables[:, fold].sum(axis=1) for fold in folds]
    chosen = [_best(metric, _values(metric, total - own)) for own in sums]
    pooled = np.sum([own[cut] for own, cut in zip(sums, chosen, strict=True)], axis=0)
    return float(_values(metric, pooled[None])[0]), chosen
