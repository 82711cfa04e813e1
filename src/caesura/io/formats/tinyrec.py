"""TinyRec's JSON of recordings with coarse and fine segments.

Recordings by their ids, each with an annotator's coarse and fine segments. The data set of Gklezakos et al.
(2024), TreeSeg: hierarchical topic segmentation of large transcripts. ``coarse`` and ``fine`` are lists of
[first, last, title] that count utterances from 0, the last included; both cover the recording. Units are
these utterances, which are not in the file, and the coder is the annotator. The lists are two levels of one
hierarchy, ranks 1 and 2. If a coarse boundary is not among the fine ones, the levels do not nest and are
united, with a notice. ``tiers="coarse"`` or ``"fine"`` reads one level alone. Segments that
overlap or leave utterances out need a rule (``overlap``, ``gaps``). Titles are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError, within
from caesura.io.base import Coding, Contents, Document, Format, ranks_up_to, read_records, united
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import Record, entries_of, first_entry, fits, json_object, named_only, shaped
from caesura.io.spans import placed
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.units import Units
from caesura.wording import counted, listed

LEVELS = ("coarse", "fine")
ANNOTATOR = "annotator"
MAX_UTTERANCE = 100_000_000
"""More utterances than any recording has."""

Level: TypeAlias = Annotated[list[Any], "a list of [first, last, title]"]


def read(source: Source) -> Contents:
    """Read all recordings; the annotator is the coder."""
    tiers = source.options.get("tiers", LEVELS)
    for tier in tiers:
        if tier not in LEVELS:
            raise CorpusError(f"the tier {shortened(tier)} is not there: choose coarse or fine")
    records = entries_of(source, "recordings", dict[str, Any])
    return read_records(source, records, partial(_document, source, tiers), "recordings")


def _document(source: Source, tiers: Sequence[str], record: Record[dict[str, Any]]) -> Document:
    coder = named_only(record.value.get(ANNOTATOR), ANNOTATOR)
    divided = shaped({level: record.value.get(level) for level in LEVELS}, dict[str, Level])
    spans = {level: _spans(level, segments) for level, segments in divided.items()}
    # Both levels are of one recording, so the end of either is its end.
    units = Units.every(1, end=max(end for level in spans.values() for _, end in level), axis="count")
    levels = []
    for level in filter(tiers.__contains__, LEVELS):
        with within(level):
            levels.append(placed(source, units, spans[level]).segmentation)
    coding: Coding = levels[0]
    notices = []
    if len(levels) == len(LEVELS):
        coarse, fine = (level.positions for level in levels)
        coding = united([coarse, fine], units.n_units)
        if lacking := sorted(set(coarse) - set(fine)):
            n_lacking = counted(len(lacking), "coarse boundary", "coarse boundaries")
            lacks = f"fine lacks {n_lacking}, before utterance {listed(lacking)}"
            notices.append(f"the levels do not nest and are united: {lacks}")
    return Document(record.key, {coder: coding}, units=units, notices=notices)


def _spans(level: str, segments: list[Any]) -> list[tuple[int, int]]:
    """Return the half-open spans of a level's segments."""
    if not segments:
        raise misfit(level, segments, "a list of [first, last, title]")
    spans = []
    for index, segment in enumerate(segments):
        if not isinstance(segment, list) or len(segment) < 2 or not fits(segment[:2], list[int]):
            raise misfit(f"{level}[{index}]", segment, "[first, last, title]")
        first, last = segment[:2]
        if not 0 <= first <= last < MAX_UTTERANCE:
            raise misfit(f"{level}[{index}]", segment, f"utterances in order, below {MAX_UTTERANCE:,}")
        spans.append((first, last + 1))
    return spans


def write(corpus: Corpus, extension: str) -> str:
    """Return a recording per line, with its segments on both levels."""
    recordings = {}
    for document, coder, segmentation in corpus:
        if len(corpus[document]) > 1:
            raise CorpusError(f"document {document} is coded by {listed(corpus[document])}; select one coder")
        holds = f"tinyrec holds the levels {' and '.join(LEVELS)}"
        ranks = ranks_up_to(len(LEVELS), document, coder, segmentation, holds)
        if segmentation.n_units > MAX_UTTERANCE:
            raise CorpusError(f"document {document} has {segmentation.n_units:,} units: too many utterances")
        hierarchy = Hierarchy.from_ranks(ranks, segmentation.n_units)
        recordings[document] = {ANNOTATOR: coder} | {
            level: [(start, end - 1, "") for start, end in hierarchy.up_to(depth).to_spans()]
            for depth, level in enumerate(LEVELS, start=1)
        }
    return json_object(recordings)


def sniff(source: Source) -> bool:
    """Recognize it by the entries of the first recording."""
    first = first_entry(source)
    return isinstance(first, dict) and {*LEVELS, ANNOTATOR} <= first.keys()


FORMAT = Format.of(globals(), "tinyrec", (".json",), {"documents", "coders", "ranks"})
