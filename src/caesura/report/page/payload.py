"""What the page's script reads: documents, codings and values, packed by the browser's own compression."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.report.page.answer import Worst
from caesura.results.as_json import json_safe
from caesura.values.corpus import Corpus
from caesura.version import __version__

LARGEST_N_T = 10
"""Where the page's slider ends, unless the report is about a larger n_t."""

BLOCK = 250_000
"""Characters of text that are unpacked together, when one of their documents is opened."""

DIGITS = 4
"""Of a value in the grid of documents and coders, which is a colour."""


def packed(value: Any) -> str:
    """Return data as compressed JSON in letters that need no escape; the same data give the same letters."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # The header holds no time: zlib's own container instead of gzip's.
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


@dataclass(frozen=True)
class DocumentValues:
    """The values of every document for one view: people among themselves, or one segmenter against them."""

    name: str
    by_document: dict[str, list[float | None]]
    """Document to one value for each of the report's metrics; None where there is none."""


@dataclass(frozen=True)
class Payload:
    """What is shown of a corpus."""

    title: str
    corpus: Corpus
    segmenters: tuple[str, ...]
    """From best to worst."""
    references: tuple[str, ...]
    aligner: EditMetric
    metrics: tuple[Metric, ...]
    views: tuple[DocumentValues, ...]
    grid: Mapping[str, Mapping[str, float]]
    """Document and coder to B of that coder against the references, or the other ones."""
    worst: Worst | None
    has_text: bool

    def data(self) -> dict[str, Any]:
        """Return all but the texts."""
        coders = self.corpus.coders
        place = {coder: number for number, coder in enumerate(coders)}
        scheme = self.corpus.type_scheme
        weights = self.aligner.weights
        documents = self.corpus.documents
        return {
            "title": self.title,
            "version": __version__,
            "n_t": self.aligner.n_t,
            "max_n_t": max(self.aligner.n_t, LARGEST_N_T),
            "weights": {
                "method": self.aligner.method,
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
            "views": [view.name for view in self.views],
            "worst": 0 if self.worst is None else documents.index(self.worst.document),
            "worst_value": None if self.worst is None else self.worst.value,
            "documents": [self._document(document, place) for document in documents],
            "blocks": [first for first, _ in self._blocks],
        }

    def _document(self, document: str, place: Mapping[str, int]) -> dict[str, Any]:
        coded = self.corpus[document]
        grid = self.grid.get(document, {})
        data: dict[str, Any] = {
            "name": document,
            "n": self.corpus.n_units(document),
            "coders": [place[coder] for coder in coded],
            "codings": [_steps([position for position, _ in one.boundaries]) for one in coded.values()],
            "values": [json_safe(view.by_document.get(document)) for view in self.views],
            "grid": [round(grid[coder], DIGITS) if coder in grid else None for coder in coded],
        }
        if not all(one.is_plain for one in coded.values()):
            data["types"] = [[kind for _, kind in one.boundaries] for one in coded.values()]
        return data

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        """First document and the one after the last, of the texts that are packed together."""
        if not self.has_text or not self.corpus.units:
            return []
        blocks, first, size = [], 0, 0
        documents = self.corpus.documents
        for number, document in enumerate(documents, 1):
            size += sum(map(len, self.corpus.units.get(document, ())))
            if size >= BLOCK or number == len(documents):
                blocks.append((first, number))
                first, size = number, 0
        return blocks

    def texts(self) -> Iterator[str]:
        """Return the texts, block by block, packed: units of each document, or null."""
        documents = self.corpus.documents
        for first, last in self._blocks:
            yield packed([self.corpus.units.get(document) for document in documents[first:last]])


def _steps(positions: Sequence[int]) -> list[int]:
    """Return the distances between positions, which take fewer digits."""
    return [position - before for before, position in zip([0, *positions], positions, strict=False)]
