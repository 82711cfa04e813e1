"""RTTM, a line for each speaker's turn, in seconds; turns= says where boundaries are.

Units are instants of 0.1 µs from 0 to the last turn's end, to end=, or in the region of a .uem file beside
it. The coder is the file's name, so ref.rttm and sys.rttm with the same end are two coders. Speakers and
channels are not kept. Written with the .uem, and with a turn per segment of two alternating speakers, 1 and
2, so that both rules give the same boundaries.

NIST (2009), The 2009 (RT-09) rich transcription meeting recognition evaluation plan, appendix A: a line
``SPEAKER recording channel onset duration <NA> <NA> speaker <NA> <NA>`` is a turn; ``;;`` begins a comment.
A file ``x.uem`` beside ``x.rttm`` (``recording channel from to``) gives the annotated part of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import Contents, Document, Format, coded_by_file, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.recordings import edges_of, time_axis, time_from_0, time_in
from caesura.values.corpus import Corpus
from caesura.values.units import INSTANT, Projection, Units
from caesura.wording import counted, listed

COMMENT = ";;"
SPEAKER = "SPEAKER"
OTHERS = {"SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU"}
OTHERS |= {"IP", "CB", "A/P", "SPKR-INFO"}
"""Types of lines that are not turns."""

UEM = ".uem"
"""The extension of files of annotated regions."""

N_FIELDS = (9, 10)
"""Fields of a line, without and with the look-ahead time of later versions."""

N_DECIMALS = 9
"""Decimals of a duration; subtraction adds meaningless ones."""

RULES = {"changes": "where the speaker changes", "edges": "at both edges of every turn"}
EXPECTED = f"expected {SPEAKER}, recording, channel, onset, duration, <NA>, <NA>, speaker, <NA>, <NA>"


class Turn(NamedTuple):
    """The speech of one speaker; turns are sorted by these fields."""

    start: float
    end: float
    speaker: str


Regions = dict[str, tuple[float, float]]
"""The annotated part of each recording."""


def read(source: Source) -> Contents:
    """Read the turns of all recordings."""
    end, rule = source.options.get("end"), source.options.get("turns")
    notices: list[str] = []
    turns = _turns(source, end, notices)
    regions = _regions(source, notices) if end is None else {}
    axes = {}
    for name, own in turns.items():
        last = max(turn.end for turn in own) if end is None else end
        axes[name] = time_axis(*regions.get(name, (0.0, last)))
    if rule is None:
        raise CorpusError(_rules(turns, axes))
    coded = ((name, _coding(own, axes[name], rule)) for name, own in turns.items())
    documents = [Document(name, {source.name: coding}, units=axes[name]) for name, coding in coded]
    return read_documents(source, documents, [*notices, *_unlike(turns, regions)])


def _records(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line that is not a comment, with its number."""
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields and not fields[0].startswith(COMMENT):
            yield number, fields


def _turns(source: Source, end: float | None, notices: list[str]) -> dict[str, list[Turn]]:
    """Return the turns of each recording in order of their starts."""
    turns: dict[str, list[Turn]] = {}
    skipped: dict[str, None] = {}
    for number, fields in _records(source.lines):
        if fields[0] in OTHERS:
            skipped[fields[0]] = None
            continue
        if fields[0] != SPEAKER or len(fields) not in N_FIELDS:
            raise CorpusError(f"line {number} is {shortened(' '.join(fields[:12]))}: {EXPECTED}")
        onset = time_from_0(fields[3], f"line {number}: the onset")
        turn = Turn(onset, onset + time_from_0(fields[4], f"line {number}: the duration"), fields[7])
        if end is not None and turn.end > end:
            raise CorpusError(f"line {number}: the turn ends at {turn.end:g}, after the end given, {end:g}")
        turns.setdefault(fields[1], []).append(turn)
    if not turns:
        raise CorpusError(f"there is no line of type {SPEAKER}")
    if skipped:
        notices.append(f"lines of type {listed(skipped)} are not turns and were not read")
    return {name: sorted(own) for name, own in turns.items()}


def companions(source: Source) -> Iterable[Path]:
    """Return the file with the annotated parts of the recordings."""
    return [source.path.with_suffix(UEM)]


def _regions(source: Source, notices: list[str]) -> Regions:
    """Return the annotated part of each recording, from its first region to its last."""
    regions: Regions = {}
    several: dict[str, None] = {}
    if (beside := source.beside(source.path.with_suffix(UEM))) is None:
        return regions
    for number, fields in _records(beside.lines):
        where = f"{beside.path.name}: line {number}"
        if len(fields) != 4:
            raise misfit(where, " ".join(fields[:8]), "recording, channel, from, to")
        region = start, end = time_in(fields[2], where), time_in(fields[3], where)
        if not 0 <= start < end:
            raise CorpusError(f"{where}: the region is from {start:g} to {end:g}: it has no length")
        first, last = regions.setdefault(fields[0], region)
        if (first, last) != region:
            several[fields[0]] = None
            regions[fields[0]] = min(start, first), max(end, last)
    if several:
        regions_of = f"{beside.path.name} has several regions of {listed(several)}"
        notices.append(f"{regions_of}: read from the first to the last")
    return regions


def _unlike(turns: dict[str, list[Turn]], regions: Regions) -> Iterator[str]:
    """Yield notices about differences from the file of regions."""
    without = [name for name in turns if name not in regions]
    if regions and without:
        yield f"the .uem has no region of {listed(without)}: the last turn ends the recording"
    spoken = ((turn, region) for name, region in regions.items() for turn in turns.get(name, ()))
    n_outside = sum(turn.start < start - INSTANT or turn.end > end + INSTANT for turn, (start, end) in spoken)
    if n_outside:
        yield f"{counted(n_outside, 'turn')} outside the regions of the .uem: cut there"
    if silent := [name for name in regions if name not in turns]:
        yield f"there is no turn in {listed(silent)}: not coded, and left out"


def _coding(turns: list[Turn], units: Units, rule: str) -> Projection:
    """Return the coding by a rule."""
    if rule == "changes":
        return units.place([turn.start for before, turn in pairwise(turns) if turn.speaker != before.speaker])
    return units.place([edge for turn in turns for edge in (turn.start, turn.end)])


def _rules(turns: dict[str, list[Turn]], axes: dict[str, Units]) -> str:
    """Return the message with the rules and the result of each."""
    gives = []
    for rule, meaning in RULES.items():
        n = sum(_coding(own, axes[name], rule).segmentation.n_boundaries for name, own in turns.items())
        gives.append(f"turns='{rule}' {meaning} ({counted(n, 'boundary', 'boundaries')})")
    return f"say where boundaries are among turns: {'; '.join(gives)}"


def write(corpus: Corpus, extension: str) -> str:
    """Return a turn per segment; the speakers 1 and 2 alternate."""
    lines = []
    for document, _, segmentation in corpus:
        units = corpus.spans[document]
        if document.split() != [document] or document.startswith(COMMENT):
            raise CorpusError(f"document {document!r}: a recording's name is one word in rttm; rename it")
        if units.origin < 0:
            raise CorpusError(f"document {document} starts at {units.origin:g}, before 0; use another format")
        for speaker, (start, end) in zip(cycle("12"), pairwise(edges_of(units, segmentation)), strict=False):
            duration = round(end - start, N_DECIMALS)
            if end == units.end and start + duration != end:  # keep the exact end of the recording
                duration = end - start
            lines.append(f"{SPEAKER} {document} 1 {start!r} {duration!r} <NA> <NA> {speaker} <NA> <NA>\n")
    return "".join(lines)


def write_beside(corpus: Corpus) -> dict[str, str]:
    """Return the .uem with the start and end of each recording."""
    spans = ((document, corpus.spans[document]) for document in corpus.documents)
    return {UEM: "".join(f"{document} 1 {units.origin!r} {units.end!r}\n" for document, units in spans)}


def sniff(source: Source) -> bool:
    """Recognize it by its first line."""
    _, fields = next(_records(source.text[:100_000].splitlines()), (0, []))
    return len(fields) in N_FIELDS and (fields[0] == SPEAKER or fields[0] in OTHERS)


names = coded_by_file
example_options = {"turns": "changes"}
FORMAT = Format.of(globals(), "rttm", (".rttm",), {"documents"}, needs_axis="seconds")
