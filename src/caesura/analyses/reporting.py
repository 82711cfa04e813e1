"""report(): the analyses of a corpus put together; a page draws them."""

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
"""Of the sweep, and where the page's slider ends, unless the report is about a larger n_t."""

MANY_CODERS = 60
"""With more coders than this, tables with a row for each of them are left out."""

FEWEST_RESAMPLES = 99
"""Tests of segmenters need some resamples, also where no interval of agreement was asked for."""

AMONG = "coders among themselves"
"""The view of people, beside those of segmenters."""


def against(segmenter: str) -> str:
    """Return the name of the view of a segmenter."""
    return f"{segmenter} against the references"


View: TypeAlias = dict[str, list[float | None]]
"""Document to one value for each of the report's metrics; None where there is none."""


@dataclass(frozen=True)
class Worst:
    """The document with the lowest value of what the report is about."""

    document: str
    metric: Metric
    value: float
    whose: str
    """A segmenter's name, or "" where people are compared among themselves."""


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What is known about a corpus; ``save`` writes it as one page.

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
    """Of the references; None where no document has two of them."""
    levels: HierarchicalAgreement | None
    """Of hierarchies, the agreement on each level."""
    matrix: CoderMatrix | None
    """Of people alone: segmenters are compared with them, and never pooled with them."""
    comparison: Comparison | None
    metrics: tuple[Metric, ...]
    views: Mapping[str, View]
    """The values of every document: of people among themselves, and of each segmenter against them."""
    grid: Mapping[str, Mapping[str, float]]
    """B of each coder of each document, against the references or the other ones."""
    aligner: EditMetric
    """The metric whose alignment the page draws; its n_t is where the slider starts."""
    figures: tuple[Image, ...]
    has_text: bool = True
    """Whether the page holds the texts of the documents, where they are known."""

    @property
    def doubt(self) -> str:
        """A sentence on coders whose names are those of segmenters, where segmenters are not named."""
        likely = [] if self.segmenters else likely_segmenters(self.references)
        if not likely:
            return ""
        kind = "a segmenter, but counts as a coder" if len(likely) == 1 else "segmenters, but count as coders"
        return f"{listed(likely)} may be {kind} here: segmenters= names who is judged."

    @property
    def best(self) -> SegmenterRow | None:
        """The best of the segmenters that are not bounds."""
        if self.comparison is None:
            return None
        machines = set(self.comparison.machines.coders)
        return next((self.comparison[name] for name in self.comparison.ranking if name in machines), None)

    @cached_property
    def worst(self) -> Worst | None:
        """The document of the lowest value: of the best segmenter, or of people among themselves."""
        metric, whose = self.metrics[0], "" if self.best is None else self.best.name
        view = self.views.get(against(whose) if whose else AMONG, {})
        known = {name: row[0] for name, row in view.items() if row[0] is not None and math.isfinite(row[0])}
        if not known:
            return None
        worst = max(known, key=lambda name: metric.distance_from_best(known[name]))
        return Worst(worst, metric, known[worst], whose)

    def with_charts(self) -> Report:
        """Return the report with charts; raise MissingExtraError where Altair is not installed."""
        return replace(self, figures=(*self.figures, *drawer("charts")(self)))

    def to_html(self) -> str:
        """Return the page; the same results give the same bytes."""
        text: str = drawer("page")(self)
        return text

    def save(self, path: str | Path) -> None:
        """Write the page; the file appears whole or not at all."""
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
    """Analyse a corpus and return its report: corpus, agreement, segmenters, and every document to look at.

    Parameters
    ----------
    corpus
        People and segmenters alike are its coders.
    segmenters, references
        Names of the coders to judge, and of those to judge them by and whose agreement is measured. Without
        references they are all others, as ``compare`` has it; with references alone all others are judged.
    metric, n_t
        What decides; ``n_t`` is for every metric that knows it, and where the page's slider starts (None: as
        the metric has it, or else 2).
    types
        Whether segmenters are compared with the types, or ranks, of boundaries: None: where references and
        segmenters have any, as ``compare`` has it.
    n_resamples, rng
        Resamples behind intervals and tests (None: as many as ``compare`` and ``agreement`` take; 0: no
        intervals, and no random coders), and their seed.
    figures
        Title and SVG of further figures, and perhaps an SVG for narrow screens; they are shown as images,
        so nothing in them can run.
    texts
        Whether the page holds the texts of the documents, where they are known.
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
        judging, segmenters = choose_roles(corpus, segmenters or None, references)
        people = tuple(dict.fromkeys(judging))
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
            # The usual bounds, unless a coder already has the name of one.
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
        for document, coder, value in zip(
            *(column.tolist() for column in of_b.document_coder_values()), strict=True
        ):
            grid.setdefault(of_b.documents[document], {})[of_b.coders[coder]] = value
        if corpus.is_hierarchical and len(persons.ranks) <= MAX_LEVELS:
            levels = hierarchical_agreement(persons, metric=agreed.metric, n_resamples=of_agreement, rng=rng)
        if len(people) <= MANY_CODERS:
            matrix = coder_matrix(persons, agreed.metric)
    advance()
    for name in segmenters:
        evaluation = evaluate(
            persons, corpus.select(coders=[name]), requested, types=types, n_resamples=1, rng=rng
        )
        view = _view(evaluation.documents, [summary.documents for summary in evaluation.summaries])
        views[against(name)] = view
        for document, row in view.items():
            if (value := row[b_index]) is not None:
                grid.setdefault(document, {})[name] = value
        advance()
    return Report(
        title or "Segmentation report",
        corpus,
        tuple(segmenters),
        people,
        description,
        agreed,
        levels,
        matrix,
        comparison,
        metrics,
        views,
        grid,
        _aligner(corpus, aligner, reach),
        tuple(figures),
        texts,
    )


def _view(documents: Sequence[str], columns: Sequence[Sequence[float | None]]) -> View:
    """Return the values of each document by metric."""
    return {document: row for document, *row in zip(documents, *columns, strict=True)}


def _requested(corpus: Corpus, metric: Metric | str, n_t: int) -> list[Metric]:
    """Return the metric that decides, and the others that are shown beside it."""
    decisive = get_metric(metric)
    others = [*DEFAULT_METRICS, *(["EWD"] if corpus.is_hierarchical else [])]
    chosen = [decisive, *(get_metric(name) for name in others if name != decisive.name)]
    return [replace(each, n_t=n_t) if "n_t" in each.parameters else each for each in chosen]  # type: ignore[call-arg]


def _aligner(corpus: Corpus, decisive: Metric, n_t: int) -> EditMetric:
    """Return the metric whose alignment the page draws: the one that decides if it has one, else B."""
    chosen = (
        decisive
        if isinstance(decisive, EditMetric)
        else metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    )
    assert isinstance(chosen, EditMetric)
    for kind in KINDS:
        if isinstance(getattr(chosen, kind), tuple):
            raise ParameterError(f"{chosen}: the report's page cannot align by a table of {kind} costs")
    return chosen


def _agreement(people: Corpus, metric: Metric, n_t: int, n_resamples: int, rng: int) -> Agreement | None:
    """Return agreement, by the metric or by B where it is not a similarity."""
    if not (people.n_coders > 1).any():
        return None
    try:
        check_similarity(metric)
    except ParameterError:
        metric = metric_for(people.type_scheme, "B", n_t, step=people.step)
    return agreement(people, metric=metric, n_resamples=n_resamples, rng=rng)
