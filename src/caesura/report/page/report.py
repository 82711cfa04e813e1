"""report(): the analyses of a corpus put together as one HTML page that needs no network.

Nothing is computed here: the analyses are called and shown. The page (``page/``) aligns two codings of a
document by itself, so that a reader can choose them and n_t; tests hold it to the library's results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.question import DEFAULT_N_T, check_similarity
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.coder_agreement.words import agreement_table
from caesura.analyses.comparison.analysis import DEFAULT_RESAMPLES, compare
from caesura.analyses.comparison.results import HUMAN, Comparison
from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.analyses.evaluation import DEFAULT_METRICS, evaluate
from caesura.analyses.levels import HierarchicalAgreement, hierarchical_agreement
from caesura.analyses.references import choose_references, likely_segmenters
from caesura.errors import ParameterError
from caesura.io.files import write_whole
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for, reach_of
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import get_metric
from caesura.report.page import Figure, escaped, figure_grid, filled_page, folded_table, section
from caesura.report.page.answer import Answer, Worst, best_segmenter
from caesura.report.page.payload import LARGEST_N_T, DocumentValues, Payload, packed
from caesura.results.table import Table, show_cell
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import MAX_LEVELS
from caesura.version import __version__
from caesura.wording import counted, listed

STYLES = ("theme.css", "page.css")
SCRIPTS = (
    "elements.js",
    "optimal.js",
    "align.js",
    "dom.js",
    "strips.js",
    "text.js",
    "frames.js",
    "reader.js",
    "list.js",
    "print.js",
    "main.js",
)
"""The parts of the page's one script, in the order in which they are joined."""

MANY_CODERS = 60
"""With more coders than this, tables with a row for each of them are left out."""

MANY_SEGMENTERS = 12
"""Differences of more segmenters than this are no chart, but a table whose names stay in sight."""

SHORT_TABLE = 12
"""Longer tables of levels are folded at first."""

RESAMPLES = 1000
"""Resamples behind the intervals of agreement, as ``agreement`` takes them."""

FEWEST_RESAMPLES = 99
"""Tests of segmenters need some resamples, also where no interval of agreement was asked for."""

AMONG = "coders among themselves"
"""The view of people, beside those of segmenters."""

Progress = Callable[[int, int], None]


def against(segmenter: str) -> str:
    """Return the name of the view of a segmenter."""
    return f"{segmenter} against the references"


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
    comparison: Comparison | None
    metrics: tuple[Metric, ...]
    values: tuple[DocumentValues, ...]
    grid: Mapping[str, Mapping[str, float]]
    """B of each coder of each document, against the references or the other ones."""
    aligner: EditMetric
    """The metric whose alignment the page draws; its n_t is where the slider starts."""
    figures: tuple[Figure, ...]
    has_text: bool = True
    """Whether the page holds the texts of the documents, where they are known."""

    def with_charts(self) -> Report:
        """Return the report with charts; raise MissingExtraError where Altair is not installed."""
        from caesura.report.figures.gallery import gallery

        drawn = gallery(self.description, self.comparison, most_tested=MANY_SEGMENTERS)
        return replace(self, figures=(*self.figures, *drawn))

    def to_html(self) -> str:
        """Return the page; the same results give the same bytes."""
        payload = self._payload
        texts = [f'<script type="text/plain" class="texts">{text}</script>' for text in payload.texts()]
        return filled_page(
            "page/page.html",
            [f"page/{name}" for name in STYLES],
            [f"page/{name}" for name in SCRIPTS],
            {
                "title": escaped(self.title),
                "data": packed(payload.data()),
                "texts": "\n".join(texts),
                "summary": escaped(self._summary()),
                "version": escaped(__version__),
                "sections": "\n".join(self._sections()),
            },
        )

    def save(self, path: str | Path) -> None:
        """Write the page; the file appears whole or not at all."""
        write_whole(Path(path), self.to_html())

    def __repr__(self) -> str:
        return f"<Report on {repr(self.corpus).removeprefix('<')[:-1]}>"

    # ---------------------------------------------------------------- the fixed part of the page

    def _summary(self) -> str:
        parts = [counted(len(self.corpus.documents), "document")]
        if not self.segmenters:
            parts.append(counted(len(self.references), "coder"))
        elif len(self.references) == 1:
            parts.append(f"one reference, {self.references[0]}")
        else:
            parts.append(counted(len(self.references), "reference coder"))
        if self.segmenters:
            parts.append(counted(len(self.segmenters), "segmenter"))
        return " · ".join([*parts, counted(len(self.corpus), "coding")])

    def _sections(self) -> Iterator[str]:
        yield section("answer", "Answer", self.answer.to_html())
        if self.comparison is not None:
            yield section("segmenters", "Segmenters", self._comparison(self.comparison))
        if self.agreement is not None:
            yield section("agreement", "Agreement", self._agreement(self.agreement))
        if self.figures:
            yield section("figures", "Figures", figure_grid(self.figures))
        yield section("corpus", "Corpus", self._corpus())

    @cached_property
    def answer(self) -> Answer:
        """The first screen."""
        return Answer(self.comparison, self.agreement, self.description, self.worst, self.doubt)

    @property
    def doubt(self) -> str:
        """A sentence on coders whose names are those of segmenters, where nobody said which ones are."""
        likely = [] if self.segmenters else likely_segmenters(self.references)
        if not likely:
            return ""
        kind = "a segmenter, but counts as a coder" if len(likely) == 1 else "segmenters, but count as coders"
        return f"{listed(likely)} may be {kind} here: --segmenter names who is judged."

    @cached_property
    def worst(self) -> Worst | None:
        """The document of the lowest value: of the best segmenter, or of people among themselves."""
        best = best_segmenter(self.comparison)
        metric = self.metrics[0]
        named = {view.name: view for view in self.values}
        view = named.get(AMONG) if best is None else named.get(against(best.name))
        rows = {} if view is None else view.by_document
        known = {name: row[0] for name, row in rows.items() if row[0] is not None and math.isfinite(row[0])}
        if not known:
            return None
        worst = max(known, key=lambda name: metric.distance_from_best(known[name]))
        whose = "" if best is None else best.name
        return Worst(worst, f"{metric.name} {show_cell(known[worst], 3)}", whose)

    def _corpus(self) -> str:
        found, name = self.description, "The corpus in numbers"
        table = found.to_table()
        if self.agreement is None:  # all that is found is that there is nobody to compare
            return self._table(
                replace(table, notes=[one for one in table.notes if one.kind != "finding"]), name
            )
        coders = found.to_table("coders" if self._few_coders else "outliers")
        parts = [(table, name), (coders, "Coders"), (found.to_table("sweep"), "Edits by n_t")]
        return "".join(self._table(*part) for part in parts)

    def _agreement(self, found: Agreement) -> str:
        parts = [self._table(agreement_table([found]), "Agreement by group of coders", opened=True)]
        if self.levels is not None:
            table = self.levels.to_table()
            parts.append(self._table(table, "Agreement by level", opened=len(table.rows) <= SHORT_TABLE))
        if self.matrix is not None:
            parts.append(self._table(self.matrix.to_table(), "Coder by coder", opened=True, heat=True))
        if self._few_coders:
            parts.append(self._table(found.to_table("influence"), "Without each coder"))
        parts.append(self._table(found.to_table("strict"), "Strict coefficients"))
        return "".join(parts)

    def _comparison(self, found: Comparison) -> str:
        parts = [self._table(found.to_table(), "Segmenters from best to worst", opened=True)]
        if found.report is not None and len(found.tested) > MANY_SEGMENTERS:
            name = f"Differences of {found.metric.name} of every two"
            greatest = max((abs(one.difference) for one in found.report.contrasts), default=0.0) or 1.0
            table = found.to_table("differences")
            parts.append(self._table(table, name, opened=True, heat=True, greatest=greatest))
        parts += [
            self._table(found.to_table("edits"), "Edits of each segmenter"),
            self._table(found.to_table("macro"), "Means over codings"),
            self._table(found.to_table("tests"), "Tests of every two"),
        ]
        if len(self.references) > 1:
            parts.append(self._table(found.to_table("coders"), "Segmenters by coder"))
        return "".join(parts)

    def _table(
        self,
        table: Table,
        name: str,
        *,
        opened: bool = False,
        heat: bool = False,
        greatest: float = 1.0,
    ) -> str:
        """Show a table; what the first screen has said already is not said again."""
        said = {*self.answer.findings, *self.answer.small_print}
        notes = [note for note in table.notes if note.text not in said]
        return folded_table(replace(table, notes=notes), name, opened=opened, heat=heat, greatest=greatest)

    @property
    def _few_coders(self) -> bool:
        return len(self.references) <= MANY_CODERS

    @property
    def _payload(self) -> Payload:
        ranking = self.segmenters
        if self.comparison is not None:
            ranking = tuple(name for name in self.comparison.ranking if name in self.segmenters)
        return Payload(
            self.title,
            self.corpus,
            ranking,
            self.references,
            self.aligner,
            self.metrics,
            self.values,
            self.grid,
            self.worst,
            self.has_text,
        )


# -------------------------------------------------------------------- making it


def report(
    corpus: Corpus,
    *,
    segmenters: Sequence[str] = (),
    references: Sequence[str] | None = None,
    metric: Metric | str = "B",
    n_t: int | str | None = None,
    title: str | None = None,
    n_resamples: int | None = None,
    rng: int = 0,
    figures: Sequence[Figure] = (),
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
    for name, value in (("segmenters", segmenters), ("references", references)):
        if isinstance(value, str):
            raise ParameterError(f"{name} is {value!r}: give a list of names")
    corpus = corpus.coded
    people = corpus.coders
    if references is not None and not segmenters:
        segmenters = [coder for coder in corpus.coders if coder not in references]
    if segmenters or references is not None:
        people = tuple(dict.fromkeys(choose_references(corpus.coders, segmenters, references)))
    if n_t is None:
        n_t = get_metric(metric).parameters.get("n_t", DEFAULT_N_T)
    reach = reach_of(n_t, corpus.step)
    metrics = _metrics(corpus, metric, reach)
    aligner = _aligner(corpus, metrics[0], reach)
    of_agreement = RESAMPLES if n_resamples is None else n_resamples
    step = _Steps(progress, 4 + len(segmenters))
    comparison = _comparison(corpus, segmenters, people, metrics, n_resamples, rng) if segmenters else None
    step()
    persons = corpus.select(coders=people)
    description = describe(persons, n_t=reach, sweep=range(1, LARGEST_N_T + 1))
    step()
    found = _agreement(persons, metrics[0], reach, of_agreement, rng)
    step()
    views = [_among(persons, metrics)] if found is not None else []
    levels = None
    if corpus.is_hierarchical and found is not None and len(persons.ranks) <= MAX_LEVELS:
        levels = hierarchical_agreement(persons, metric=found.metric, n_resamples=of_agreement, rng=rng)
    matrix = None
    if found is not None and len(people) + len(segmenters) <= MANY_CODERS:
        matrix = coder_matrix(corpus.select(coders=[*people, *segmenters]), found.metric)
    step()
    for name in segmenters:
        views.append(_against(persons, corpus.select(coders=[name]), metrics, rng))
        step()
    return Report(
        title or "Segmentation report",
        corpus,
        tuple(segmenters),
        people,
        description,
        found,
        levels,
        matrix,
        comparison,
        metrics,
        tuple(views),
        _grid(persons, found is not None, segmenters, views, metrics),
        aligner,
        tuple(figures),
        texts,
    )


class _Steps:
    """Counts the steps of a long work for a progress bar."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _comparison(
    corpus: Corpus,
    segmenters: Sequence[str],
    people: Sequence[str],
    metrics: Sequence[Metric],
    n_resamples: int | None,
    rng: int,
) -> Comparison:
    """Compare the segmenters, with the usual bounds unless a coder already has the name of one."""
    return compare(
        corpus,
        segmenters=segmenters,
        references=people,
        metric=metrics[0],
        metrics=metrics[1:],
        bounds=() if "random" in corpus.coders else ("random",),
        human=False if HUMAN in corpus.coders else "central",
        n_resamples=DEFAULT_RESAMPLES if n_resamples is None else max(n_resamples, FEWEST_RESAMPLES),
        rng=rng,
    )


def _metrics(corpus: Corpus, metric: Metric | str, n_t: int) -> tuple[Metric, ...]:
    """Return the metric that decides, and the others that are shown beside it."""
    decisive = metric_for(corpus.type_scheme, metric, step=corpus.step)
    names = [*DEFAULT_METRICS, *(["EWD"] if corpus.is_hierarchical else [])]
    others = [
        metric_for(corpus.type_scheme, name, step=corpus.step) for name in names if name != decisive.name
    ]
    return tuple(
        metric_for(corpus.type_scheme, one, n_t, step=corpus.step) if "n_t" in one.parameters else one
        for one in (decisive, *others)
    )


def _aligner(corpus: Corpus, decisive: Metric, n_t: int) -> EditMetric:
    """Return the metric whose alignment the page draws: the one that decides if it has one, else B."""
    chosen = (
        decisive
        if isinstance(decisive, EditMetric)
        else metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    )
    assert isinstance(chosen, EditMetric)
    if not isinstance(chosen.substitution, str):
        raise ParameterError(f"{chosen}: the report's page cannot align by a table of substitution costs")
    return chosen


def _agreement(people: Corpus, metric: Metric, n_t: int, n_resamples: int, rng: int) -> Agreement | None:
    """Return agreement, by the metric or by B where it is no similarity."""
    if not (people.n_coders > 1).any():
        return None
    try:
        check_similarity(metric)
    except ParameterError:
        metric = metric_for(people.type_scheme, "B", n_t, step=people.step)
    return agreement(people, metric=metric, n_resamples=n_resamples, rng=rng)


def _among(people: Corpus, metrics: Sequence[Metric]) -> DocumentValues:
    """Return each document's pooled values over every two people."""
    matrices = [coder_matrix(people, metric) for metric in metrics]
    columns = [matrix.document_values().tolist() for matrix in matrices]
    return DocumentValues(
        AMONG,
        {document: list(row) for document, *row in zip(matrices[0].documents, *columns, strict=True)},
    )


def _against(people: Corpus, machine: Corpus, metrics: Sequence[Metric], rng: int) -> DocumentValues:
    """Return each document's pooled values of a segmenter against all people."""
    found = evaluate(people, machine, metrics, n_resamples=1, rng=rng)
    columns = [summary.documents for summary in found.summaries]
    return DocumentValues(
        against(machine.coders[0]),
        {document: [column[i] for column in columns] for i, document in enumerate(found.documents)},
    )


def _grid(
    people: Corpus,
    are_compared: bool,
    segmenters: Sequence[str],
    views: Sequence[DocumentValues],
    metrics: Sequence[Metric],
) -> dict[str, dict[str, float]]:
    """Return B of each coder of each document: a segmenter against references, a person against others."""
    place = [metric.name for metric in metrics].index("B")
    grid: dict[str, dict[str, float]] = {}
    if are_compared:
        matrix = coder_matrix(people, metrics[place])
        for document, coder, value in zip(
            *(one.tolist() for one in matrix.document_coder_values()), strict=True
        ):
            grid.setdefault(matrix.documents[document], {})[matrix.coders[coder]] = value
    named = {view.name: view for view in views}
    for name in segmenters:
        for document, row in named[against(name)].by_document.items():
            value = row[place]
            if value is not None:
                grid.setdefault(document, {})[name] = value
    return grid
