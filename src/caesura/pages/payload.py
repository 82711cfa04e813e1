"""What the page's script reads: documents, codings and values, packed by the browser's own compression."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from caesura.analyses.reporting import LARGEST_N_T, Report
from caesura.pages.answer import worst_value
from caesura.results.as_json import json_safe
from caesura.results.palette import PALETTES
from caesura.version import __version__

BLOCK = 250_000
"""Characters of text that are unpacked together, when one of their documents is opened."""

DIGITS = 4
"""Of a value in the grid of documents and coders, which is a colour."""


def packed(value: Any) -> str:
    """Return data as compressed JSON in letters that need no escape; the same data give the same letters."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # The header holds no time: zlib's own container instead of gzip's.
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


def data_of(report: Report) -> dict[str, Any]:
    """Return all that is shown but the texts."""
    corpus, aligner, comparison, worst = report.corpus, report.aligner, report.comparison, report.worst
    place = {coder: number for number, coder in enumerate(corpus.coders)}
    ranking = report.segmenters if comparison is None else comparison.ranking
    scheme, weights = corpus.type_scheme, aligner.weights
    return {
        "title": report.title,
        "version": __version__,
        "n_t": aligner.n_t,
        "max_n_t": max(aligner.n_t, LARGEST_N_T),
        "weights": {
            "method": aligner.method,
            "transposition": weights.transposition,
            "substitution": weights.substitution,
            "w0": weights.w0,
            "types": weights.types,
        },
        "signature": aligner.settings.split("|")[2:],  # all but name and n_t, which the page chooses
        "types": {str(kind): scheme.names[kind] if scheme else str(kind) for kind in corpus.types},
        "palettes": PALETTES,
        "ranks": corpus.is_hierarchical,
        "coders": corpus.coders,
        "segmenters": [place[name] for name in ranking if name in report.segmenters],
        "references": [place[name] for name in report.references],
        "metrics": [
            {"name": metric.name, "spec": repr(metric), "title": metric.title, "better": metric.direction}
            for metric in report.metrics
        ],
        "views": [view.name for view in report.values],
        "worst": 0 if worst is None else corpus.documents.index(worst.document),
        "worst_value": None if worst is None else worst_value(worst),
        "documents": [_document(report, document, place) for document in corpus.documents],
        "blocks": [first for first, _ in _blocks(report)],
    }


def _document(report: Report, document: str, place: Mapping[str, int]) -> dict[str, Any]:
    coded = report.corpus[document]
    grid = report.grid.get(document, {})
    data: dict[str, Any] = {
        "name": document,
        "n": report.corpus.n_units(document),
        "coders": [place[coder] for coder in coded],
        "codings": [_steps([position for position, _ in coding.boundaries]) for coding in coded.values()],
        "values": [json_safe(view.by_document.get(document)) for view in report.values],
        "grid": [round(grid[coder], DIGITS) if coder in grid else None for coder in coded],
    }
    if not all(coding.is_plain for coding in coded.values()):
        data["types"] = [[kind for _, kind in coding.boundaries] for coding in coded.values()]
    return data


def _blocks(report: Report) -> list[tuple[int, int]]:
    """Return the first document and the one after the last, of the texts that are packed together."""
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
    """Return the texts, block by block, packed: units of each document, or null."""
    corpus = report.corpus
    for first, last in _blocks(report):
        yield packed([corpus.units.get(document) for document in corpus.documents[first:last]])


def _steps(positions: Sequence[int]) -> list[int]:
    """Return the distances between positions, which take fewer digits."""
    return [position - before for before, position in zip([0, *positions], positions, strict=False)]
