"""compare(): which segmenter is best, by how much, how sure are we, and how the others fail.

F13t §4.3 and §5.3 are the model; F13t is Fournier (2013), Evaluating text segmentation, the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.analyses.coder_agreement.observed import metric_for
from caesura.analyses.comparison.bounds import central_coder, lower_bound
from caesura.analyses.comparison.judged import (
    Comparisons,
    PairCorrectness,
    compare_all,
    edit_counts,
    pair_correctness,
)
from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.arrays import FloatArray
from caesura.checks import Seed, check_choice, check_number, check_whole
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric, Scores
from caesura.metrics.confusion import BP
from caesura.metrics.edit import B, EditMetric
from caesura.stats.resampling import Progress
from caesura.values.corpus import Corpus

HUMAN = "human"

Upper: TypeAlias = Literal["central", "leave-one-out"]
UPPER_BOUNDS = ("central", "leave-one-out")


def compare(
    corpus: Corpus,
    *,
    segmenters: Sequence[str],
    references: Sequence[str] | None = None,
    metric: Metric | str = "B",
    metrics: Sequence[Metric | str] = ("S", "WD"),
    bounds: Sequence[str] = ("random",),
    human: Upper | Literal[False] = "central",
    n_draws: int = 100,
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int = 9999,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare segmenters with every reference coder on every document.

    Parameters
    ----------
    corpus
        People and segmenters alike are its coders.
    segmenters, references
        Names of the coders to judge, and of those to judge them by (None: all others).
    metric
        What decides. ``metrics`` are reported beside it, for every coding (F13t Table 5.7).
    bounds
        Lower bounds to add: random, none, all, uniform. ``n_draws`` is how often the random one is drawn.
    human
        The upper bound: "central", the most central coder of each group of documents against the others;
        "leave-one-out", every coder against the others; False, none.

    >>> from caesura import load_stargazers
    >>> comparison = compare(load_stargazers(), segmenters=["1", "5"], rng=1, n_resamples=99)
    >>> comparison.ranking[:2]
    ('1', '5')
    """
    for name, value in (("references", references), ("metrics", metrics), ("bounds", bounds)):
        if isinstance(value, str):
            raise ParameterError(f"{name} is {value!r}: give a list of names")
    chosen = metric_for(corpus.type_scheme, metric)
    if chosen.multi_reference:
        raise ParameterError(f"{chosen} takes all references at once; use mult_window_diff_over for it")
    check_number("alpha", alpha, 0.0, 1.0, exclusive=True)
    check_number("confidence", confidence, 0.0, 1.0, exclusive=True)
    check_whole("n_resamples", n_resamples, 1)
    check_whole("n_draws", n_draws, 1)
    if human is not False:
        check_choice("human", human, UPPER_BOUNDS)
    people, machines = _roles(corpus, segmenters, references)
    generator = np.random.default_rng(rng)
    comparisons = [compare_all(people, machines, segmenters)]
    kinds = ["segmenter"] * len(comparisons[0].segmenters)
    draws = [1] * len(kinds)
    for bound in dict.fromkeys(bounds):
        if bound in people.coders or bound in machines.coders:
            raise ParameterError(
                f"a coder is called {bound!r}, like a bound; rename one, or leave the bound out"
            )
        n = n_draws if bound == "random" else 1
        comparisons.append(_draw_bound(people, bound, n, generator))
        kinds.append("lower bound")
        draws.append(n)
    if human and HUMAN in corpus.coders:
        raise ParameterError(
            f"a coder is called {HUMAN!r}, like the upper bound; rename it, or give human=False"
        )
    judge = chosen if isinstance(chosen, EditMetric) else _default_judge(corpus)
    measured = _Measured.of(comparisons, draws, chosen, judge)
    rows = measured.rows(kinds)
    if human:
        row = _human(people, human, chosen, judge)
        rows += [row] if row else []
    others = tuple(metric_for(corpus.type_scheme, other) for other in metrics)
    return Comparison(
        corpus=people,
        metric=chosen,
        judge=judge,
        documents=comparisons[0].documents,
        coders=comparisons[0].coders,
        rows=tuple(rows),
        others=others,
        beside={repr(other): _beside(comparisons, other) for other in others},
        counts=measured.by_document,
        values=measured.values,
        correctness=measured.correctness,
        by_coder=measured.by_coder,
        machines=machines,
        alpha=alpha,
        confidence=confidence,
        n_resamples=n_resamples,
        n_draws=n_draws if "random" in bounds else 0,
        seed=int(generator.integers(2**63)),
        progress=progress,
    )


def _default_judge(corpus: Corpus) -> EditMetric:
    """Return the B that counts edits where another metric decides."""
    judge = metric_for(corpus.type_scheme, B())
    assert isinstance(judge, EditMetric)
    return judge


def _roles(
    corpus: Corpus, segmenters: Sequence[str], references: Sequence[str] | None
) -> tuple[Corpus, Corpus]:
    """Return the corpus of the people and that of the segmenters."""
    if isinstance(segmenters, str) or not len(segmenters):
        raise ParameterError(f"segmenters is {segmenters!r}: give a list of at least one name")
    if len(set(segmenters)) < len(segmenters):
        raise ParameterError("a segmenter is named twice")
    known = corpus.coders
    for name in [*segmenters, *(references or ())]:
        if name not in known:
            raise UnknownNameError(f"there is no coder {name!r}; {did_you_mean(name, known)}")
    chosen = [name for name in known if name not in segmenters] if references is None else list(references)
    both = [name for name in segmenters if name in chosen]
    if both:
        raise ParameterError(
            f"{both[0]} is a segmenter and a reference: nobody is judged by himself; name it once"
        )
    if not chosen:
        raise CorpusError("there is no reference coder: all coders are segmenters")
    return corpus.select(coders=chosen), corpus.select(coders=segmenters)


def _draw_bound(people: Corpus, bound: str, n_draws: int, generator: np.random.Generator) -> Comparisons:
    """Compare a bound; each draw of it is a segmenter of its own here."""
    drawn = [lower_bound(people, bound, rng=generator) for _ in range(n_draws)]
    named = {
        document: {f"{bound} {i}": next(iter(draw[document].values())) for i, draw in enumerate(drawn)}
        for document in people.documents
    }
    compared = compare_all(people, Corpus(named))
    return Comparisons(
        compared.documents, compared.coders, (bound,), compared.document, compared.coder, compared.pairs
    )


@dataclass(frozen=True)
class _Measured:
    """What was counted of every segmenter; a bound of several draws holds their means."""

    names: tuple[str, ...]
    scores: tuple[Scores, ...]  # per segmenter, all draws end to end
    n_codings: int
    draws: tuple[int, ...]
    by_document: FloatArray  # documents × segmenters × counts
    by_coder: FloatArray  # coders × segmenters × counts
    values: FloatArray  # codings × segmenters
    correctness: tuple[PairCorrectness, ...]
    edits: tuple[dict[str, float], ...]

    @classmethod
    def of(
        cls, comparisons: Sequence[Comparisons], draws: Sequence[int], metric: Metric, judge: EditMetric
    ) -> _Measured:
        names, scores, by_document, by_coder, values, correctness, edits = [], [], [], [], [], [], []
        n_draws = iter(draws)
        for compared in comparisons:
            # Segmenters have one set of pairs each, a bound one for each draw.
            one_name = len(compared.segmenters) == 1 and len(compared.pairs) > 1
            parts = [compared.pairs] if one_name else [[pairs] for pairs in compared.pairs]
            for name, part in zip(compared.segmenters, parts, strict=True):
                n = next(n_draws)
                found = [metric.over(pairs) for pairs in part]
                rows = np.sum([score.rows / score.scale for score in found], axis=0) / n
                names.append(name)
                scores.append(found[0])
                by_document.append(compared.by_document(rows))
                by_coder.append(compared.by_coder(rows))
                values.append(np.mean([score.values for score in found], axis=0))
                pairs_found = [pair_correctness(pairs, judge) for pairs in part]
                correctness.append(
                    PairCorrectness(
                        np.concatenate([one.values for one in pairs_found]),
                        np.concatenate([one.coding for one in pairs_found]),
                    )
                )
                edits.append(_edit_totals(part, judge, n))
        return cls(
            tuple(names),
            tuple(scores),
            comparisons[0].n_codings,
            tuple(draws),
            np.stack(by_document, axis=1),
            np.stack(by_coder, axis=1),
            np.stack(values, axis=1),
            tuple(correctness),
            tuple(edits),
        )

    def rows(self, kinds: Sequence[str]) -> list[SegmenterRow]:
        """Return a row for each segmenter, before any test."""
        found = []
        for index, (name, kind) in enumerate(zip(self.names, kinds, strict=True)):
            found.append(
                _row(
                    name,
                    kind,
                    self.scores[index].metric,
                    self.by_document[:, index].sum(axis=0),
                    self.values[:, index],
                    self.correctness[index].values,
                    self.draws[index],
                    self.edits[index],
                )
            )
        return found


def _row(
    name: str,
    kind: str,
    metric: Metric,
    totals: FloatArray,
    values: FloatArray,
    pairs: FloatArray,
    n_draws: int,
    edits: dict[str, float],
) -> SegmenterRow:
    numerator, denominator, empty = metric.fraction(totals)
    n_pairs = len(pairs) / n_draws
    is_mean_of_pairs = isinstance(metric, B)
    over, n = (pairs, n_pairs) if is_mean_of_pairs else (values, float(len(values)))
    return SegmenterRow(
        name=name,
        kind=kind,
        n_codings=len(values),
        n_pairs=n_pairs,
        value=float(numerator / denominator) if denominator else float(empty),
        se=standard_error(over, n),
        se_n=n,
        macro=float(values.mean()),
        macro_se=standard_error(values, len(values)),
        **edits,
    )


def standard_error(values: FloatArray, n: float) -> float:
    """Return s / √n with the sample standard deviation; NaN for fewer than two values."""
    return float(values.std(ddof=1) / math.sqrt(n)) if len(values) > 1 else math.nan


def _edit_totals(parts: Sequence[Any], judge: EditMetric, n_draws: int) -> dict[str, float]:
    """Return the edits by kind and side, and the confusion matrix, as means over draws."""
    rates = BP(
        n_t=judge.n_t,
        method=judge.method,
        transposition=judge.transposition,
        substitution=judge.substitution,
        w0=judge.w0,
        types=judge.types,
    )
    totals = dict.fromkeys(("matches", "near_misses", "wrong_types", "missed", "spurious", "slots"), 0.0)
    hits = np.zeros(3)
    for pairs in parts:
        edits = edit_counts(pairs, judge)
        totals["matches"] += float(edits.matches.sum())
        totals["near_misses"] += float(edits.transpositions.sum())
        totals["wrong_types"] += float(edits.substitutions.sum())
        totals["missed"] += float(edits.only_reference.sum())
        totals["spurious"] += float(edits.only_hypothesis.sum())
        totals["slots"] += float(edits.slots.sum())
        hits += np.sum(np.column_stack(rates.combine(edits)), axis=0) / edits.scale
    tp, fp, fn = (float(hit) / n_draws for hit in hits)
    shares = {name: total / n_draws for name, total in totals.items()}
    slots = shares.pop("slots")
    return {**shares, "tp": tp, "fp": fp, "fn": fn, "tn": slots - tp - fp - fn}


def _beside(comparisons: Sequence[Comparisons], metric: Metric) -> dict[str, tuple[float, float]]:
    """Return mean and standard error over codings of another metric, by segmenter."""
    found: dict[str, tuple[float, float]] = {}
    for compared in comparisons:
        values = np.stack([metric.over(pairs).values for pairs in compared.pairs])
        if len(compared.segmenters) < len(values):
            values = values.mean(axis=0, keepdims=True)
        for name, row in zip(compared.segmenters, values, strict=True):
            found[name] = (float(row.mean()), standard_error(row, len(row)))
    return found


def _human(people: Corpus, upper: Upper, metric: Metric, judge: EditMetric) -> SegmenterRow | None:
    """Return people against people, pooled over groups: the most central coder, or each in turn."""
    compared = []
    for group in people.groups():
        if len(group.coders) < 2:
            continue
        chosen = [central_coder(group, metric)] if upper == "central" else group.coders
        for coder in chosen:
            others = group.select(coders=[other for other in group.coders if other != coder])
            compared.append(compare_all(others, group.select(coders=[coder])))
    if not compared:
        return None
    scores = [metric.over(one.pairs[0]) for one in compared]
    totals = np.sum([score.rows.sum(axis=0) / score.scale for score in scores], axis=0)
    values = np.concatenate([score.values for score in scores])
    pairs = np.concatenate([pair_correctness(one.pairs[0], judge).values for one in compared])
    edits = _edit_totals([one.pairs[0] for one in compared], judge, 1)
    return _row(HUMAN, "upper bound", metric, totals, values, pairs, 1, edits)
