"""The report as one HTML page that needs no network.

Nothing is computed here. The page's script (``web/report/``) aligns any two codings of a document at any
n_t; tests compare it with the library.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from caesura.alignment.weights import KINDS, WEIGHTINGS, Costs
from caesura.analyses.coder_agreement.analysis import Agreement
from caesura.analyses.coder_agreement.words import agreement_table
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.reporting import LARGEST_N_T, MANY_CODERS, Report
from caesura.io.files import write_whole
from caesura.pages.answer import Answer, agreement_scale, worst_value
from caesura.pages.markup import escaped, figure_grid, filled_page, folded_table, section, web_files
from caesura.results.as_json import json_safe
from caesura.results.palette import PALETTES
from caesura.results.table import Image, Table
from caesura.version import __version__
from caesura.wording import counted

STYLES = ("report/theme.css", "report/page.css")
SCRIPTS = web_files("report", "elements optimal align dom strips text frames reader list print main")
"""The parts of the page's one script, in the order in which they are joined."""

MANY_SEGMENTERS = 12
"""The most segmenters whose differences are a chart; for more, they are a table with fixed names."""

BY_CODER = "segmenters-by-coder"
"""The target of the link from a sentence that counts the references."""

SHORT_TABLE = 12
"""The most rows of an open table of levels or coders; longer tables are folded."""

BLOCK = 250_000
"""The characters of text that are unpacked together when a document is opened."""

DIGITS = 4
"""The decimals of a value in the grid of documents and coders, which is a color."""


def charts(report: Report) -> Sequence[Image]:
    """Return the charts of a report; raise MissingExtraError if Altair is not installed."""
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
        title=report.title,
        data=packed(data_of(report)),
        texts="\n".join(texts),
        summary=escaped(_summary(report)),
        sections="\n".join(_sections(report, answer)),
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
    # The notes of the first screen are not repeated.
    shown = partial(_table, {*answer.findings, *answer.small_print})
    yield section("answer", "Answer", answer.to_html())
    if report.comparison is not None:
        yield section("segmenters", "Segmenters", "".join(_comparison(report, report.comparison, shown)))
    if report.agreement is not None:
        yield section("agreement", "Agreement", "".join(_agreement(report, report.agreement, shown)))
    if report.figures:
        yield section("figures", "Figures", figure_grid(report.figures))
    yield section("corpus", "Corpus", "".join(_corpus(report, shown)))


def _table(shown: Collection[str], table: Table, name: str, **options: Any) -> str:
    """Return a table without the notes of the first screen."""
    notes = [note for note in table.notes if note.text not in shown]
    return folded_table(replace(table, notes=notes), name, **options)


def _corpus(report: Report, shown: Callable[..., str]) -> Iterator[str]:
    description, name = report.description, "The corpus in numbers"
    table = description.to_table()
    if report.agreement is None:  # its only finding is on the first screen: only one coder annotated
        yield shown(replace(table, notes=[note for note in table.notes if note.kind != "finding"]), name)
        return
    yield shown(table, name)
    few = len(report.references) <= MANY_CODERS
    yield shown(description.to_table("coders" if few else "outliers"), "Coders")
    yield shown(description.to_table("sweep"), "Edits by n_t")


def _agreement(report: Report, agreement: Agreement, shown: Callable[..., str]) -> Iterator[str]:
    if report.comparison is not None:  # otherwise it is on the first screen
        yield agreement_scale(agreement)
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
    main = shown(comparison.to_table(), "Segmenters from best to worst", opened=True)
    references = counted(len(report.references), "coder")
    yield main.replace(f": {references}.", f': <a href="#{BY_CODER}">{references}</a>.')
    if comparison.report is not None and len(comparison.tested) > MANY_SEGMENTERS:
        name = f"Differences of {comparison.metric.name} of every two"
        greatest = max((abs(pair.difference) for pair in comparison.report.contrasts), default=0.0) or 1.0
        yield shown(comparison.to_table("differences"), name, opened=True, heat=True, greatest=greatest)
    yield shown(comparison.to_table("edits"), "Edits of each segmenter")
    yield shown(comparison.to_table("macro"), "Means over codings")
    yield shown(comparison.to_table("tests"), "Tests of every two")
    if len(report.references) > 1:
        few = len(report.references) <= SHORT_TABLE
        yield shown(
            comparison.to_table("coders"), "Segmenters by coder", opened=few, heat=True, anchor=BY_CODER
        )


# -------------------------------------------------------------------- the data of the script


def packed(value: Any) -> str:
    """Return data as compressed JSON in base64; equal data give equal text."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # zlib's header has no time, unlike gzip's.
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


def data_of(report: Report) -> dict[str, Any]:
    """Return the data of the page, without texts."""
    corpus, aligner, comparison, worst = report.corpus, report.aligner, report.comparison, report.worst
    number_of = {coder: number for number, coder in enumerate(corpus.coders)}
    ranking = report.segmenters if comparison is None else comparison.ranking
    scheme, weights = corpus.type_scheme, aligner.weights
    return {
        "title": report.title,
        "version": __version__,
        "n_t": aligner.n_t,
        "max_n_t": max(aligner.n_t, LARGEST_N_T),
        "step": corpus.step,
        "weights": {
            "method": aligner.method,
            **{kind: _weighting(getattr(weights, kind)) for kind in KINDS},
            "w0": dict(weights.w0) if isinstance(weights.w0, Costs) else weights.w0,
            "types": weights.types,
        },
        "signature": aligner.settings.split("|")[2:],  # the page adds name and n_t
        "types": {str(kind): scheme.names[kind] if scheme else str(kind) for kind in corpus.types},
        "palettes": PALETTES,
        "ranks": corpus.is_hierarchical,
        "coders": corpus.coders,
        "segmenters": [number_of[name] for name in ranking if name in report.segmenters],
        "references": [number_of[name] for name in report.references],
        "metrics": [
            {"name": metric.name, "spec": repr(metric), "title": metric.title, "better": metric.direction}
            for metric in report.metrics
        ],
        "views": [*report.views],
        "worst": 0 if worst is None else corpus.documents.index(worst.document),
        "worst_value": None if worst is None else worst_value(worst),
        "documents": [_document(report, document, number_of) for document in corpus.documents],
        "blocks": [first for first, _ in _blocks(report)],
    }


def _weighting(value: Any) -> Any:
    """Return a weighting by name, or a cost as a number."""
    return value if value in WEIGHTINGS else float(Fraction(str(value)))


def _document(report: Report, document: str, number_of: Mapping[str, int]) -> dict[str, Any]:
    coded = report.corpus[document]
    grid = report.grid.get(document, {})
    data: dict[str, Any] = {
        "name": document,
        "n": report.corpus.n_units(document),
        "coders": [number_of[coder] for coder in coded],
        "codings": [_steps([position for position, _ in coding.boundaries]) for coding in coded.values()],
        "values": [json_safe(view.get(document)) for view in report.views.values()],
        "grid": [round(grid[coder], DIGITS) if coder in grid else None for coder in coded],
    }
    if not all(coding.is_plain for coding in coded.values()):
        data["types"] = [[kind for _, kind in coding.boundaries] for coding in coded.values()]
    if report.corpus.step is not None:
        data["origin"] = report.corpus.spans[document].origin
    return data


def _blocks(report: Report) -> list[tuple[int, int]]:
    """Return the start and end of each range of documents whose texts are packed together."""
    units = report.corpus.units if report.has_text else {}
    if not units:
        return []
    blocks, first, size = [], 0, 0
    documents = report.corpus.documents
    for number, document in enumerate(documents, 1):
        size += sum(map(len, units.get(document, ())))
        if size >= BLOCK or number == len(documents):
            blocks.append((first, number))
            first, size = number, 0
    return blocks


def texts_of(report: Report) -> Iterator[str]:
    """Yield the packed texts of each block: the units of each document, or null."""
    corpus = report.corpus
    for first, last in _blocks(report):
        yield packed([corpus.units.get(document) for document in corpus.documents[first:last]])


def _steps(positions: Sequence[int]) -> list[int]:
    """Return the distances between positions, which need fewer digits."""
    return [position - before for before, position in zip([0, *positions], positions, strict=False)]
