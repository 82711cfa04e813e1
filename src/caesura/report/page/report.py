"""report(): the analyses of a corpus put together as one HTML page that needs no network.

Nothing is computed here: the analyses are called and shown. The page (``page/``) aligns two codings of a
document by itself, so that a reader can choose them and n_t; tests hold it to the library's results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.baseline import quick_rounds
from caesura.analyses.coder_agreement.coefficients import label
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.observed import DEFAULT_N_T, check_similarity
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.coder_agreement.sentences import interpretation, read_random, significance
from caesura.analyses.comparison.analysis import DEFAULT_RESAMPLES, compare
from caesura.analyses.comparison.results import HUMAN, Comparison
from caesura.analyses.comparison.sentences import conclusion, disagreements
from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.analyses.description.sentences import findings
from caesura.analyses.evaluation import DEFAULT_METRICS, evaluate
from caesura.analyses.levels import HierarchicalAgreement, hierarchical_agreement
from caesura.analyses.references import choose_references
from caesura.errors import CaesuraError, ParameterError
from caesura.io.files import write_whole
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for, reach_of
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import get_metric
from caesura.report.page import (
    escaped,
    figure_grid,
    folded_table,
    key_figures,
    script_json,
    section,
    security_policy,
    sentence_list,
)
from caesura.results.as_json import json_safe
from caesura.results.table import Table, show_cell
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import MAX_LEVELS
from caesura.version import __version__
from caesura.wording import counted

SCRIPTS = ("align.js", "dom.js", "strips.js", "text.js", "reader.js", "list.js", "main.js")
"""The parts of the page's one script, in the order in which they are joined."""

LARGEST_N_T = 10
"""Where the page's slider ends, unless the report is about a larger n_t."""

MANY_CODERS = 60
"""With more coders than this, tables with a row for each of them are left out."""

SHORT_TABLE = 12
"""Longer tables of levels are folded at first."""

RESAMPLES = 1000
"""Resamples behind the intervals of agreement, as ``agreement`` takes them."""

FEWEST_RESAMPLES = 99
"""Tests of segmenters need some resamples, also where no interval of agreement was asked for."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class DocumentValues:
    """The values of every document for one view: people among themselves, or one segmenter against them."""

    name: str
    by_document: dict[str, list[float | None]]
    """Document to one value for each of the report's metrics; None where there is none."""


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
    agreement: Agreement | str
    """Of the references; or the reason why there is none."""
    at_random: str
    """A sentence on what random coders would get; empty where that was not computed."""
    levels: HierarchicalAgreement | None
    """Of hierarchies, the agreement on each level."""
    matrix: CoderMatrix | None
    comparison: Comparison | None
    metrics: tuple[Metric, ...]
    values: tuple[DocumentValues, ...]
    aligner: EditMetric
    """The metric whose alignment the page draws; its n_t is where the slider starts."""
    figures: tuple[tuple[str, str], ...]
    """Title and SVG of further figures."""

    def with_charts(self) -> Report:
        """Return the report with charts; raise MissingExtraError where Altair is not installed."""
        from caesura.report.figures.gallery import gallery

        return replace(self, figures=(*self.figures, *gallery(self.description, self.comparison)))

    def to_html(self) -> str:
        """Return the page; the same results give the same bytes."""
        page = files("caesura.report") / "page"
        style = (page / "page.css").read_text(encoding="utf-8")
        parts = "\n".join((page / name).read_text(encoding="utf-8") for name in SCRIPTS)
        script = f'"use strict";\n(() => {{\n{parts}}})();\n'
        # One pass over the template: what comes from data is never searched for further marks.
        values = {
            "policy": security_policy(script, style),
            "title": escaped(self.title),
            "style": style,
            "script": script,
            "data": script_json(self._payload()),
            "summary": escaped(self._summary()),
            "version": escaped(__version__),
            "sections": "\n".join(self._sections()),
        }
        template = (page / "page.html").read_text(encoding="utf-8")
        return re.sub(r"\{\{(\w+)\}\}", lambda mark: values[mark[1]], template)

    def save(self, path: str | Path) -> None:
        """Write the page; the file appears whole or not at all."""
        write_whole(Path(path), self.to_html())

    def __repr__(self) -> str:
        return f"<Report on {repr(self.corpus).removeprefix('<')[:-1]}>"

    # ---------------------------------------------------------------- the fixed part of the page

    def _summary(self) -> str:
        n_segmenters = len(self.segmenters)
        parts = repr(self.corpus).removeprefix("<Corpus of ").removesuffix(">").split(", ")
        if n_segmenters:
            parts.append(f"{counted(n_segmenters, 'segmenter')} among the coders")
        return " · ".join(parts)

    def _sections(self) -> Iterator[str]:
        yield section("verdict", "Verdict", self._verdict())
        yield section("corpus", "Corpus", self._corpus())
        yield section("agreement", "Agreement", self._agreement())
        if self.comparison is not None:
            yield section("segmenters", "Segmenters", self._comparison(self.comparison))
        if self.figures:
            yield section("figures", "Figures", figure_grid(self.figures))

    @cached_property
    def sentences(self) -> list[str]:
        """The verdict in words: what the analyses themselves say, the most important first."""
        found = []
        if self.comparison is not None:
            found += [conclusion(self.comparison), *disagreements(self.comparison)]
        if isinstance(self.agreement, str):
            found.append(self.agreement)
        else:
            found += [interpretation(self.agreement), self.at_random, significance(self.agreement)]
        return [sentence for sentence in [*found, *findings(self.description)] if sentence]

    def _verdict(self) -> str:
        figures = []
        if self.comparison is not None:
            best = next(name for name in self.comparison.ranking if name in self.segmenters)
            value = show_cell(self.comparison[best].value, 3)
            figures.append((f"{self.comparison.metric.name} of {best}", value, "best segmenter"))
        if not isinstance(self.agreement, str):
            figures += _agreement_figures(self.agreement)
        first, *others = self.sentences
        return key_figures(figures) + f'<p class="lead">{escaped(first)}</p>' + sentence_list(others)

    def _corpus(self) -> str:
        found = self.description
        coders = found.to_table("coders" if self._few_coders else "outliers")
        return "".join(
            [
                self._table(found.to_table(), "The corpus in numbers"),
                self._table(coders, "Coders"),
                self._table(found.to_table("sweep"), "Edits by n_t"),
            ]
        )

    def _agreement(self) -> str:
        if isinstance(self.agreement, str):
            return sentence_list([self.agreement])
        parts = [self._table(self.agreement.to_table(), "Agreement by group of coders", opened=True)]
        if self.levels is not None:
            table = self.levels.to_table()
            parts.append(self._table(table, "Agreement by level", opened=len(table.rows) <= SHORT_TABLE))
        if self.matrix is not None:
            parts.append(self._table(self.matrix.to_table(), "Coder by coder", opened=True, heat=True))
        if self._few_coders:
            parts.append(self._table(self.agreement.to_table("influence"), "Without each coder"))
        parts.append(self._table(self.agreement.to_table("strict"), "Strict coefficients"))
        return "".join(parts)

    def _comparison(self, found: Comparison) -> str:
        return "".join(
            [
                self._table(found.to_table(), "Segmenters from best to worst", opened=True),
                self._table(found.to_table("edits"), "Edits of each segmenter"),
                self._table(found.to_table("macro"), "Means over codings"),
                self._table(found.to_table("tests"), "Tests of every two"),
                self._table(found.to_table("coders"), "Segmenters by coder"),
            ]
        )

    def _table(self, table: Table, name: str, *, opened: bool = False, heat: bool = False) -> str:
        """Show a table; what the verdict has said already is not said again."""
        notes = [note for note in table.notes if note.text not in self.sentences]
        return folded_table(replace(table, notes=notes), name, opened=opened, heat=heat)

    @property
    def _few_coders(self) -> bool:
        return len(self.references) <= MANY_CODERS

    # ---------------------------------------------------------------- what the script reads

    def _payload(self) -> dict[str, Any]:
        coders = self.corpus.coders
        place = {coder: number for number, coder in enumerate(coders)}
        scheme = self.corpus.type_scheme
        weights = self.aligner.weights
        return {
            "title": self.title,
            "version": __version__,
            "n_t": self.aligner.n_t,
            "max_n_t": max(self.aligner.n_t, LARGEST_N_T),
            "weights": {
                "transposition": weights.transposition,
                "substitution": weights.substitution,
                "w0": weights.w0,
                "types": weights.types,
            },
            "recipe": self.aligner.recipe.split("|")[2:],  # all but name and n_t, which the page chooses
            "types": {str(kind): scheme.names[kind] if scheme else str(kind) for kind in self.corpus.types},
            "ranks": self.corpus.is_hierarchical,
            "coders": coders,
            "segmenters": [place[name] for name in self.segmenters],
            "references": [place[name] for name in self.references],
            "metrics": [
                {"name": metric.name, "spec": repr(metric), "title": metric.title, "better": metric.direction}
                for metric in self.metrics
            ],
            "views": [view.name for view in self.values],
            "documents": [self._document(document, place) for document in self.corpus.documents],
        }

    def _document(self, document: str, place: dict[str, int]) -> dict[str, Any]:
        coded = self.corpus[document]
        data: dict[str, Any] = {
            "name": document,
            "n": self.corpus.n_units(document),
            "coders": [place[coder] for coder in coded],
            "codings": [_steps([position for position, _ in one.boundaries]) for one in coded.values()],
            "values": [json_safe(view.by_document.get(document)) for view in self.values],
        }
        if not all(one.is_plain for one in coded.values()):
            data["types"] = [[kind for _, kind in one.boundaries] for one in coded.values()]
        if document in self.corpus.units:
            data["units"] = self.corpus.units[document]
        return data


def _agreement_figures(found: Agreement) -> list[tuple[str, str, str]]:
    """Return what stands large at the top: name, value and explanation."""
    name = label(found.metric, found.coefficient)
    known = [group for group in found.groups if not math.isnan(group.value)]
    if not known:
        return []
    if len(known) == 1:
        (group,) = known
        interval = group.interval
        beside = "beyond chance"
        if interval is not None:
            beside = f"beyond chance, 95 % from {show_cell(interval.low, 2)} to {show_cell(interval.high, 2)}"
        observed = (f"observed {found.metric.name}", show_cell(group.observed, 3), f"{group.n_pairs:,} pairs")
        return [(name, show_cell(group.value, 3), beside), observed]
    values, observed_values = ([group.value for group in known], [group.observed for group in known])
    n_pairs = sum(group.n_pairs for group in known)
    return [
        (name, _span(values), f"beyond chance, in {len(known)} groups of coders"),
        (f"observed {found.metric.name}", _span(observed_values), f"{n_pairs:,} pairs"),
    ]


def _span(values: Sequence[float]) -> str:
    return f"{show_cell(min(values), 2)} – {show_cell(max(values), 2)}"


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
    figures: Sequence[tuple[str, str]] = (),
    progress: Progress | None = None,
) -> Report:
    """Analyse a corpus and return its report: corpus, agreement, segmenters, and every document to look at.

    Parameters
    ----------
    corpus
        People and segmenters alike are its coders.
    segmenters, references
        Names of the coders to judge, and of those to judge them by and whose agreement is measured (None:
        all others, as ``compare`` has it).
    metric, n_t
        What decides; ``n_t`` is for every metric that knows it, and where the page's slider starts (None: as
        the metric has it, or else 2).
    n_resamples, rng
        Resamples behind intervals and tests (None: as many as ``compare`` and ``agreement`` take; 0: no
        intervals, and no random coders), and their seed.
    figures
        Title and SVG of further figures; they are shown as images, so nothing in them can run.
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
    found, at_random = _agreement(persons, metrics[0], reach, of_agreement, rng)
    step()
    views = [_among(persons, metrics)] if isinstance(found, Agreement) else []
    levels = None
    if corpus.is_hierarchical and isinstance(found, Agreement) and len(persons.ranks) <= MAX_LEVELS:
        levels = hierarchical_agreement(persons, metric=found.metric, n_resamples=of_agreement, rng=rng)
    matrix = None
    if isinstance(found, Agreement) and len(people) + len(segmenters) <= MANY_CODERS:
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
        at_random,
        levels,
        matrix,
        comparison,
        metrics,
        tuple(views),
        aligner,
        tuple(figures),
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
    if chosen.method != "greedy" or not isinstance(chosen.substitution, str):
        raise ParameterError(
            f"{chosen}: the report's page aligns by the published method; leave method='optimal' and "
            "tables of substitution costs out"
        )
    return chosen


def _agreement(
    people: Corpus, metric: Metric, n_t: int, n_resamples: int, rng: int
) -> tuple[Agreement | str, str]:
    """Return agreement, by the metric or by B where it is no similarity, and a sentence on random coders."""
    try:
        check_similarity(metric)
    except ParameterError:
        metric = metric_for(people.type_scheme, "B", n_t, step=people.step)
    try:
        found = agreement(people, metric=metric, n_resamples=n_resamples, rng=rng)
    except CaesuraError as error:
        reason = str(error)
        return reason[0].upper() + reason[1:] + ".", ""
    rounds = quick_rounds(people) if n_resamples else 0
    if not rounds:
        return found, ""
    known = [one for one in found.each_at_random(rounds, rng) if one is not None]
    return found, read_random(known, rounds, label(found.metric, found.coefficient))


def _among(people: Corpus, metrics: Sequence[Metric]) -> DocumentValues:
    """Return each document's pooled values over every two people."""
    matrices = [coder_matrix(people, metric) for metric in metrics]
    columns = [matrix.document_values().tolist() for matrix in matrices]
    return DocumentValues(
        "coders among themselves",
        {document: list(row) for document, *row in zip(matrices[0].documents, *columns, strict=True)},
    )


def _against(people: Corpus, machine: Corpus, metrics: Sequence[Metric], rng: int) -> DocumentValues:
    """Return each document's pooled values of a segmenter against all people."""
    found = evaluate(people, machine, metrics, n_resamples=1, rng=rng)
    columns = [summary.documents for summary in found.summaries]
    return DocumentValues(
        f"{machine.coders[0]} against the references",
        {document: [column[i] for column in columns] for i, document in enumerate(found.documents)},
    )


def _steps(positions: Sequence[int]) -> list[int]:
    """Return the distances between positions, which take fewer digits."""
    return [position - before for before, position in zip([0, *positions], positions, strict=False)]
