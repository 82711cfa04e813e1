"""The report as one HTML page that needs no network.

Nothing is computed here. The page's script (``web/report/``) aligns two codings of a document by itself, so
that a reader can choose them and n_t; tests hold it to the library's results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.coder_agreement.words import agreement_table
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.reporting import MANY_CODERS, Report
from caesura.io.files import write_whole
from caesura.pages.answer import Answer
from caesura.pages.markup import escaped, figure_grid, filled_page, folded_table, section
from caesura.pages.payload import data_of, packed, texts_of
from caesura.results.table import Image, Table
from caesura.version import __version__
from caesura.wording import counted

STYLES = ("report/theme.css", "report/page.css")
SCRIPTS = tuple(
    f"report/{name}.js"
    for name in (
        *("elements", "optimal", "align", "dom", "strips", "text", "frames", "reader", "list", "print"),
        "main",
    )
)
"""The parts of the page's one script, in the order in which they are joined."""

MANY_SEGMENTERS = 12
"""Differences of more segmenters than this are no chart, but a table whose names stay in sight."""

SHORT_TABLE = 12
"""Longer tables of levels are folded at first."""


def charts(report: Report) -> Sequence[Image]:
    """Return the charts of a report; raise MissingExtraError where Altair is not installed."""
    from caesura.figures.gallery import gallery

    return gallery(report.description, report.comparison, most_tested=MANY_SEGMENTERS)


def save(report: Report, path: Path) -> None:
    """Write the page; the file appears whole or not at all."""
    write_whole(path, page(report))


def page(report: Report) -> str:
    """Return the page; the same results give the same bytes."""
    answer = Answer(report)
    texts = [f'<script type="text/plain" class="texts">{text}</script>' for text in texts_of(report)]
    return filled_page(
        "report/page.html",
        STYLES,
        SCRIPTS,
        {
            "title": escaped(report.title),
            "data": packed(data_of(report)),
            "texts": "\n".join(texts),
            "summary": escaped(_summary(report)),
            "version": escaped(__version__),
            "sections": "\n".join(_sections(report, answer)),
        },
    )


def _summary(report: Report) -> str:
    parts = [counted(len(report.corpus.documents), "document")]
    if not report.segmenters:
        parts.append(counted(len(report.references), "coder"))
    elif len(report.references) == 1:
        parts.append(f"one reference, {report.references[0]}")
    else:
        parts.append(counted(len(report.references), "reference coder"))
    if report.segmenters:
        parts.append(counted(len(report.segmenters), "segmenter"))
    return " · ".join([*parts, counted(len(report.corpus), "coding")])


def _sections(report: Report, answer: Answer) -> Iterator[str]:
    # What the first screen has said already is not said again.
    shown = partial(_table, {*answer.findings, *answer.small_print})
    yield section("answer", "Answer", answer.to_html())
    if report.comparison is not None:
        yield section("segmenters", "Segmenters", "".join(_comparison(report, report.comparison, shown)))
    if report.agreement is not None:
        yield section("agreement", "Agreement", "".join(_agreement(report, report.agreement, shown)))
    if report.figures:
        yield section("figures", "Figures", figure_grid(report.figures))
    yield section("corpus", "Corpus", "".join(_corpus(report, shown)))


def _table(said: Collection[str], table: Table, name: str, **options: Any) -> str:
    """Show a table without the notes that were said already."""
    notes = [note for note in table.notes if note.text not in said]
    return folded_table(replace(table, notes=notes), name, **options)


def _corpus(report: Report, shown: Callable[..., str]) -> Iterator[str]:
    description, name = report.description, "The corpus in numbers"
    table = description.to_table()
    if report.agreement is None:  # all that is found is that there is nobody to compare
        yield shown(replace(table, notes=[note for note in table.notes if note.kind != "finding"]), name)
        return
    yield shown(table, name)
    few = len(report.references) <= MANY_CODERS
    yield shown(description.to_table("coders" if few else "outliers"), "Coders")
    yield shown(description.to_table("sweep"), "Edits by n_t")


def _agreement(report: Report, agreement: Agreement, shown: Callable[..., str]) -> Iterator[str]:
    yield shown(agreement_table([agreement]), "Agreement by group of coders", opened=True)
    if report.levels is not None:
        table = report.levels.to_table()
        yield shown(table, "Agreement by level", opened=len(table.rows) <= SHORT_TABLE)
    if report.matrix is not None:
        yield shown(report.matrix.to_table(), "Coder by coder", opened=True, heat=True)
    if len(report.references) <= MANY_CODERS:
        yield shown(agreement.to_table("influence"), "Without each coder")
    yield shown(agreement.to_table("strict"), "Strict coefficients")


def _comparison(report: Report, comparison: Comparison, shown: Callable[..., str]) -> Iterator[str]:
    yield shown(comparison.to_table(), "Segmenters from best to worst", opened=True)
    if comparison.report is not None and len(comparison.tested) > MANY_SEGMENTERS:
        name = f"Differences of {comparison.metric.name} of every two"
        greatest = max((abs(one.difference) for one in comparison.report.contrasts), default=0.0) or 1.0
        yield shown(comparison.to_table("differences"), name, opened=True, heat=True, greatest=greatest)
    yield shown(comparison.to_table("edits"), "Edits of each segmenter")
    yield shown(comparison.to_table("macro"), "Means over codings")
    yield shown(comparison.to_table("tests"), "Tests of every two")
    if len(report.references) > 1:
        yield shown(comparison.to_table("coders"), "Segmenters by coder")
