"""report(): the analyses of a corpus together; a page draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TypeAlias

from caesura.alignment.weights import KINDS
from caesura.analyses.coder_agreement.analysis import Agreement, agreement
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.question import check_similarity
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import HUMAN, Comparison, SegmenterRow
from caesura.analyses.description.analysis import Description, describe
from caesura.analyses.evaluation import DEFAULT_METRICS, evaluate
from caesura.analyses.levels import HierarchicalAgreement, hierarchical_agreement
from caesura.analyses.roles import check_names, choose_roles, likely_segmenters
from caesura.checks import AGREEMENT_RESAMPLES, N_T, TEST_RESAMPLES
from caesura.errors import ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import get_metric, metric_for, reach_of
from caesura.results import drawer
from caesura.results.table import Image
from caesura.stats.resampling import Progress
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import MAX_LEVELS
from caesura.wording import listed

LARGEST_N_T = 10
"""The largest n_t of the sweep and of the page's slider, unless the report has a larger one."""

MANY_CODERS = 60
"""The most coders in tables with a row for each."""

FEWEST_RESAMPLES = 99
"""The fewest resamples of tests of segmenters, even without intervals of agreement."""

AMONG = "coders among themselves"
"""The name of the coders' view."""


def against(segmenter: str) -> str:
    """Return the name of the view of a segmenter."""
    return f"{segmenter} against the references"


View: TypeAlias = dict[str, list[float | None]]
"""The values of the report's metrics by document; None for an undefined one."""


@dataclass(frozen=True)
class Worst:
    """The document with the worst value of the deciding metric."""

    document: str
    metric: Metric
    value: float
    whose: str
    """A segmenter's name, or "" for people among themselves."""


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The analyses of a corpus; ``save`` writes them as one page.

    >>> from caesura import load_stargazers
    >>> page = report(load_stargazers(), n_resamples=0).to_html()
    >>> page[:15], "π*_B 0.46" in page
    ('<!doctype html>', True)
    """

    title: str
    corpus: Corpus
    segmenters: tuple[str, ...]
    references: tuple[str, ...]
    description: Description
    agreement: Agreement | None
    """The agreement of the references; None if no document has two of them."""
    levels: HierarchicalAgreement | None
    """The agreement on each level of hierarchies."""
    matrix: CoderMatrix | None
    """The coders' matrix, without segmenters."""
    comparison: Comparison | None
    metrics: tuple[Metric, ...]
    views: Mapping[str, View]
    """The values of every document: people among themselves, and each segmenter against them."""
    grid: Mapping[str, Mapping[str, float]]
    """B of each coder of each document, against the references or the other coders."""
    aligner: EditMetric
    """The metric whose alignment the page draws; the slider starts at its n_t."""
    figures: tuple[Image, ...]
    has_text: bool = True
    """Whether the page includes the texts of the documents, if known."""

    @property
    def doubt(self) -> str:
        """A sentence on coders with the names of segmenters, if no segmenters are given."""
        likely = [] if self.segmenters else likely_segmenters(self.references)
        if not likely:
            return ""
        kind = "a segmenter, but counts as a coder" if len(likely) == 1 else "segmenters, but count as coders"
        return f"{listed(likely)} may be {kind} here; name segmenters with segmenters=."

    @property
    def best(self) -> SegmenterRow | None:
        """The best segmenter, bounds aside."""
        if self.comparison is None:
            return None
        ranked = map(self.comparison.__getitem__, self.comparison.ranking)
        return next((row for row in ranked if row.kind == "segmenter"), None)

    @cached_property
    def worst(self) -> Worst | None:
        """The document with the worst value of the best segmenter, or of people among themselves."""
        metric, whose = self.metrics[0], "" if self.best is None else self.best.name
        view = self.views.get(against(whose) if whose else AMONG, {})
        known = {name: row[0] for name, row in view.items() if row[0] is not None and math.isfinite(row[0])}
        if not known:
            return None
        worst = max(known, key=lambda name: metric.distance_from_best(known[name]))
        return Worst(worst, metric, known[worst], whose)

    def with_charts(self) -> Report:
        """Return the report with charts; raise MissingExtraError if Altair is not installed."""
        return replace(self, figures=(*self.figures, *drawer("charts")(self)))

    def to_html(self) -> str:
        """Return the page; the same results give the same bytes."""
        text: str = drawer("page")(self)
        return text

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all."""
        drawer("save")(self, Path(path))

    def __repr__(self) -> str:
        return f"<Report on {repr(self.corpus).removeprefix('<')[:-1]}>"


def report(
    corpus: Corpus,
    *,
    segmenters: Sequence[str] = (),
    references: Sequence[str] | None = None,
    metric: Metric | str = "B",
    n_t: int | str | None = None,
    types: bool | None = None,
    title: str | None = None,
    n_resamples: int | None = None,
    rng: int = 0,
    figures: Sequence[Image] = (),
    texts: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Analyze a corpus and return its report: corpus, agreement, segmenters and every document.

    Parameters
    ----------
    corpus
        Its coders are both people and segmenters.
    segmenters, references
        Names of the segmenters, and of the reference coders, whose agreement is measured. Without references
        these are all others, as in ``compare``; with references alone all others are segmenters.
    metric, n_t
        The metric that decides; ``n_t`` is for every metric with this parameter and the page's slider (None:
        that of the metric, otherwise 2).
    types
        Whether segmenters are compared with the types, or ranks, of boundaries, as in ``compare``.
    n_resamples, rng
        Resamples for intervals and tests (None: as in ``compare`` and ``agreement``; 0: no intervals and no
        random coders), and their seed.
    figures
        Title and SVG of further figures, optionally with an SVG for narrow screens; shown as images, so that
        scripts in them do not run.
    texts
        Whether the page includes the texts of the documents, if known.
    progress
        Called with (steps done, steps in all).

    >>> from caesura import load_stargazers
    >>> report(load_stargazers(), segmenters=["1"], n_resamples=99)
    <Report on Corpus of 1 document, 7 coders, 7 codings>
    """
    corpus = corpus.coded
    check_names(segmenters or None, references)
    people = corpus.coders
    if segmenters or references is not None:
        chosen, segmenters = choose_roles(corpus, segmenters or None, references)
        people = tuple(dict.fromkeys(chosen))
    if n_t is None:
        n_t = get_metric(metric).parameters.get("n_t", N_T)
    reach = reach_of(n_t, corpus.step)
    requested = _requested(corpus, metric, reach)
    metrics = tuple(metric_for(corpus.type_scheme, each, step=corpus.step) for each in requested)
    of_agreement = AGREEMENT_RESAMPLES if n_resamples is None else n_resamples
    steps = count(1)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), 4 + len(segmenters))

    persons = corpus.select(coders=people)
    comparison, aligner = None, metrics[0]
    if segmenters:
        comparison = compare(
            corpus,
            segmenters=segmenters,
            references=people,
            metric=requested[0],
            metrics=requested[1:],
            types=types,
            # the usual bounds, unless a coder has the name of one
            bounds=() if "random" in corpus.coders else ("random",),
            human=False if HUMAN in corpus.coders else "all",
            n_resamples=TEST_RESAMPLES if n_resamples is None else max(n_resamples, FEWEST_RESAMPLES),
            rng=rng,
        )
        aligner, types = comparison.metric, types is not False and not comparison.types_lacking
    advance()
    description = describe(persons, n_t=reach, sweep=range(1, LARGEST_N_T + 1))
    advance()
    agreed = _agreement(persons, metrics[0], reach, of_agreement, rng)
    advance()
    levels = matrix = None
    views: dict[str, View] = {}
    grid: dict[str, dict[str, float]] = {}
    b_index = [metric.name for metric in metrics].index("B")
    if agreed is not None:
        matrices = [coder_matrix(persons, metric) for metric in metrics]
        views[AMONG] = _view(matrices[0].documents, [each.document_values().tolist() for each in matrices])
        of_b = matrices[b_index]
        by_coder = (column.tolist() for column in of_b.document_coder_values())
        for document, coder, value in zip(*by_coder, strict=True):
            grid.setdefault(of_b.documents[document], {})[of_b.coders[coder]] = value
        if corpus.is_hierarchical and len(persons.ranks) <= MAX_LEVELS:
            levels = hierarchical_agreement(persons, metric=agreed.metric, n_resamples=of_agreement, rng=rng)
        if len(people) <= MANY_CODERS:
            matrix = coder_matrix(persons, agreed.metric)
    advance()
    for name in segmenters:
        machine = corpus.select(coders=[name])
        evaluation = evaluate(persons, machine, requested, types=types, n_resamples=1, rng=rng)
        columns = [summary.documents for summary in evaluation.summaries]
        views[against(name)] = _view(evaluation.documents, columns)
        for document, value in zip(evaluation.documents, columns[b_index], strict=True):
            grid.setdefault(document, {})[name] = value
        advance()
    data = title or "Segmentation report", corpus, tuple(segmenters), people
    drawn, images = _aligner(corpus, aligner, reach), tuple(figures)
    return Report(
        *data, description, agreed, levels, matrix, comparison, metrics, views, grid, drawn, images, texts
    )


def _view(documents: Sequence[str], columns: Sequence[Sequence[float | None]]) -> View:
    """Return the values of each document by metric."""
    return {document: row for document, *row in zip(documents, *columns, strict=True)}


def _requested(corpus: Corpus, metric: Metric | str, n_t: int) -> list[Metric]:
    """Return the deciding metric, and the others beside it."""
    decisive = get_metric(metric)
    others = [*DEFAULT_METRICS, *(["EWD"] if corpus.is_hierarchical else [])]
    chosen = [decisive, *(get_metric(name) for name in others if name != decisive.name)]
    return [replace(each, n_t=n_t) if "n_t" in each.parameters else each for each in chosen]  # type: ignore[call-arg]


def _aligner(corpus: Corpus, decisive: Metric, n_t: int) -> EditMetric:
    """Return the metric whose alignment the page draws: the deciding one if it has one, else B."""
    if not isinstance(decisive, EditMetric):
        decisive = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(decisive, EditMetric)
    for kind in KINDS:
        if isinstance(getattr(decisive, kind), tuple):
            raise ParameterError(f"{decisive}: the page cannot align by a table of {kind} costs")
    return decisive


def _agreement(people: Corpus, metric: Metric, n_t: int, n_resamples: int, rng: int) -> Agreement | None:
    """Return the agreement by the metric, or by B if the metric is not a similarity."""
    if not (people.n_coders > 1).any():
        return None
    try:
        check_similarity(metric)
    except ParameterError:
        metric = metric_for(people.type_scheme, "B", n_t, step=people.step)
    return agreement(people, metric=metric, n_resamples=n_resamples, rng=rng)
