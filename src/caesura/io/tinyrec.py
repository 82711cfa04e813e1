"""TinyRec's JSON: recordings by their ids, each with an annotator's coarse and fine segments.

The data set of Gklezakos et al. (2024), TreeSeg: hierarchical topic segmentation of large transcripts.
``coarse`` and ``fine`` are lists of [first, last, title] that count utterances from 0, the last included;
both cover the recording, whose utterances are not in the file. They are two levels of one hierarchy, rank 1
and rank 2. Where a coarse boundary is not among the fine ones the levels do not nest and are united, and a
notice says so. ``tiers="coarse"`` or ``"fine"`` reads one level alone. Segments that overlap or leave
utterances out need a rule (``overlap``, ``gaps``). Written without titles.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from caesura.errors import CorpusError, SegmentationError
from caesura.io.base import Contents, Format, named_only, with_all_ranks
from caesura.io.files import Source, shortened
from caesura.io.span_codings import places_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units
from caesura.wording import counted, listed

LEVELS = ("coarse", "fine")
ANNOTATOR = "annotator"
MAX_UTTERANCE = 100_000_000
"""More than any recording has: a greater number is no utterance's."""


def read(source: Source) -> Contents:
    """Read all recordings; the annotator is the coder."""
    data = source.json
    if not isinstance(data, dict) or not data:
        raise CorpusError(f"expected an object of recordings, not {shortened(data)}")
    tiers = source.options.get("tiers", LEVELS)
    for tier in tiers:
        if tier not in LEVELS:
            raise CorpusError(f"the tier {shortened(tier)} is not there: choose coarse or fine")
    builder = CorpusBuilder()
    notices: list[str] = []
    levels = [level for level in LEVELS if level in tiers]
    for document, recording in data.items():
        try:
            _add_recording(builder, source, notices, document, recording, levels)
        except (CorpusError, SegmentationError) as error:
            raise CorpusError(f"document {document}: {error}") from None
    corpus = Corpus.build(builder)
    return Contents(with_all_ranks(corpus) if builder.is_hierarchical else corpus, notices)


def _add_recording(
    builder: CorpusBuilder,
    source: Source,
    notices: list[str],
    document: str,
    recording: Any,
    tiers: list[str],
) -> None:
    if not isinstance(recording, dict):
        raise CorpusError(f"expected an object with coarse and fine segments, not {shortened(recording)}")
    coder = named_only(recording.get(ANNOTATOR), ANNOTATOR)
    spans = {level: _spans(level, recording.get(level)) for level in LEVELS}
    # Both levels are of one recording, so the end of either is its end.
    units = Units.every(1, end=max(end for level in spans.values() for _, end in level), axis="count")
    levels = [_level(source, tier, spans[tier], units) for tier in tiers]
    builder.add_units(document, units)
    if len(levels) == 1:
        builder.add(document, coder, levels[0])
        return
    ranks = dict.fromkeys(levels[1].positions, 2) | dict.fromkeys(levels[0].positions, 1)
    lacking = sorted(set(levels[0].positions) - set(levels[1].positions))
    if lacking:
        n_lacking = counted(len(lacking), "coarse boundary", "coarse boundaries")
        notices.append(
            f"document {document}: the levels do not nest and are united: fine lacks {n_lacking}, before "
            f"utterance {listed(lacking)}"
        )
    builder.add(document, coder, Hierarchy.from_ranks(ranks, units.n_units))


def _spans(level: str, segments: Any) -> list[tuple[int, int]]:
    """Return where a level's segments start and end, half-open."""
    if not isinstance(segments, list) or not segments:
        raise CorpusError(f"{level} is {shortened(segments)}: expected a list of [first, last, title]")
    spans = []
    for index, segment in enumerate(segments):
        numbers = segment[:2] if isinstance(segment, list) else []
        if len(numbers) < 2 or any(type(number) is not int for number in numbers):
            raise CorpusError(f"{level}[{index}] is {shortened(segment)}: expected [first, last, title]")
        first, last = numbers
        if not 0 <= first <= last < MAX_UTTERANCE:
            raise CorpusError(
                f"{level}[{index}] is {shortened(segment)}: expected first and last utterance, in order, "
                f"counted from 0 and below {MAX_UTTERANCE:,}"
            )
        spans.append((first, last + 1))
    return spans


def _level(source: Source, level: str, spans: list[tuple[int, int]], units: Units) -> Segmentation:
    try:
        return units.place(places_of(source, units, spans)).segmentation
    except SegmentationError as error:
        raise CorpusError(f"{level}: {error}") from None


def write(corpus: Corpus, extension: str) -> str:
    """Return a recording per line, with its segments on both levels."""
    lines = []
    for document in corpus.documents:
        if len(corpus[document]) > 1:
            raise CorpusError(
                f"document {document} is coded by {listed(list(corpus[document]))}, and tinyrec holds one "
                "annotator of each recording; select one of them"
            )
        ((coder, segmentation),) = corpus[document].items()
        ranks = dict(segmentation.boundaries)
        deep = next((position for position, rank in ranks.items() if rank > len(LEVELS)), None)
        if deep is not None:
            raise CorpusError(
                f"document {document}: coder {coder} has the rank {ranks[deep]} at position {deep}: tinyrec "
                f"holds the levels {' and '.join(LEVELS)}; use jsonl"
            )
        if segmentation.n_units > MAX_UTTERANCE:
            raise CorpusError(f"document {document} has {segmentation.n_units:,} units: too many utterances")
        recording = {ANNOTATOR: coder} | {
            level: _segments([place for place, rank in ranks.items() if rank <= depth], segmentation.n_units)
            for depth, level in enumerate(LEVELS, start=1)
        }
        name = json.dumps(document, ensure_ascii=False)
        lines.append(f"{name}: {json.dumps(recording, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _segments(positions: list[int], n_units: int) -> list[tuple[int, int, str]]:
    """Return the first and the last utterance of each segment, and its title."""
    return [(start, end - 1, "") for start, end in pairwise((0, *positions, n_units))]


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first recording."""
    data = source.json_or_none
    first = next(iter(data.values()), None) if isinstance(data, dict) else None
    return isinstance(first, dict) and set(LEVELS) <= first.keys() and ANNOTATOR in first


EXAMPLE = """\
{
  "stand-up": {
    "env": "dev",
    "annotator": "ann",
    "coarse": [[0, 4, "News"], [5, 9, "Plans"]],
    "fine": [[0, 1, "Greetings"], [2, 4, "What was done"], [5, 9, "What is next"]]
  }
}
"""

FORMAT = Format(
    "tinyrec",
    "TinyRec's JSON of recordings with coarse and fine segments",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "ranks"}),
    example=EXAMPLE,
    notes=(
        "Units are utterances, which are not in the file; the coder is the annotator; coarse segments are "
        "level 1 of a hierarchy and fine ones level 2 (`tiers` reads one alone). Titles are not kept."
    ),
)
