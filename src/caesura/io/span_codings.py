"""Codings that files hold as spans on an axis: added to a corpus by the rules that the caller named."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from caesura.arrays import FloatArray
from caesura.errors import CorpusError, SegmentationError
from caesura.io.files import Source
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.units import Projection, Units


def add_segments(
    builder: CorpusBuilder,
    source: Source,
    document: str,
    coder: str,
    units: Units,
    spans: Sequence[tuple[float, float]] | FloatArray,
    *,
    overlap: Overlap = "error",
    gaps: Gaps = "error",
) -> Projection:
    """Add a coding whose segments are these spans on the document's axis.

    ``overlap`` and ``gaps`` are what the format itself says of such places; what the caller of ``read`` says
    counts more.
    """
    try:
        places = places_of(source, units, spans, overlap=overlap, gaps=gaps)
    except SegmentationError as error:
        raise CorpusError(f"document {document}: coder {coder}: {error}") from None
    return add_places(builder, document, coder, units, places)


def note_rules(source: Source) -> None:
    """Take note of the rules that the caller named, so that a file that happens to need none may be read."""
    source.options.get("overlap")
    source.options.get("gaps")


def places_of(
    source: Source,
    units: Units,
    spans: Sequence[tuple[float, float]] | FloatArray,
    *,
    overlap: Overlap = "error",
    gaps: Gaps = "error",
) -> FloatArray:
    """Return where the boundaries between these spans are, by the rules that ``add_segments`` says."""
    table = np.asarray(spans, dtype=np.float64).reshape(len(spans), 2)
    return boundaries_of_segments(
        table[:, 0],
        table[:, 1],
        units,
        overlap=source.options.get("overlap", overlap),
        gaps=source.options.get("gaps", gaps),
    )


def add_places(
    builder: CorpusBuilder, document: str, coder: str, units: Units, places: Sequence[float] | np.ndarray
) -> Projection:
    """Add a coding with boundaries at these places on the document's axis; return how they got there."""
    if not builder.add_units(document, units):
        raise CorpusError(f"document {document}: its units or texts differ between codings")
    placed = units.place(places)
    builder.add(document, coder, placed.segmentation)
    return placed


def running_text(corpus: Corpus, document: str) -> str:
    """Return the text in which a document's units are counted, of which formats of spans consist."""
    text = corpus.spans[document].text
    if text is None:
        raise CorpusError(
            f"document {document} has no running text in which its characters are counted; write the format "
            "spans or jsonl"
        )
    return text


def segments_of(units: Units, segmentation: Segmentation) -> list[tuple[int, int]]:
    """Return the segments as spans that cover the whole running text; each begins with its first unit.

    >>> segments_of(Units.from_text("One two three", by="word"), Segmentation.from_masses([2, 1]))
    [(0, 8), (8, 13)]
    """
    places = [0, *map(int, units.offsets(segmentation)), len(units.text or "")]
    segments = list(pairwise(places))
    if any(start == end for start, end in segments):
        raise CorpusError("a segment has no characters, which a format of spans cannot hold; write jsonl")
    return segments
