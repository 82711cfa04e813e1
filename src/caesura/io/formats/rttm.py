"""RTTM: speakers' turns in recordings, a line each; read by a rule that the caller names.

NIST (2009), The 2009 (RT-09) rich transcription meeting recognition evaluation plan, appendix A: a line
``SPEAKER recording channel onset duration <NA> <NA> speaker <NA> <NA>`` is a turn; ``;;`` begins a comment.
A file ``x.uem`` beside ``x.rttm`` (``recording channel from to``) says which part of each was annotated.
Written with a turn per segment, of two speakers in turn, and the .uem, so that either rule gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.options import TURNS
from caesura.io.recordings import edges_of, time_axis, time_in
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import INSTANT, Units
from caesura.wording import counted, listed

COMMENT = ";;"
SPEAKER = "SPEAKER"
OTHERS = {"SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "SU"}
OTHERS |= {"IP", "CB", "A/P", "SPKR-INFO"}
"""Types of lines that are no turns."""

UEM = ".uem"
"""The extension of files of annotated regions."""

N_FIELDS = (9, 10)
"""How many a line has, without and with the look-ahead time of later versions."""

N_DECIMALS = 9
"""Decimals of a duration: further ones come of subtracting times."""

READINGS = {
    "changes": "where the speaker is another than in the turn that started before",
    "edges": "at both edges of every turn",
}


class Turn(NamedTuple):
    """A stretch of speech of one speaker; in this order turns are sorted."""

    start: float
    end: float
    speaker: str


class Region(NamedTuple):
    """From where to where a recording was annotated."""

    start: float
    end: float


def read(source: Source) -> Contents:
    """Read the turns of all recordings."""
    given = source.options.get("end")
    rule = source.options.get("turns")
    notices: list[str] = []
    turns = _turns(source, given, notices)
    regions = {} if given is not None else _regions(source, notices)
    axes = {name: _axis(own, regions.get(name), given) for name, own in turns.items()}
    if rule is None:
        raise CorpusError(_readings(turns, axes))
    builder = CorpusBuilder()
    for name, own in turns.items():
        builder.add_units(name, axes[name])
        builder.add(name, source.name, _coding(own, axes[name], rule))
    notices += _unlike(turns, regions)
    return Contents(Corpus.build(builder), notices)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line that is no comment, with its number."""
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields and not fields[0].startswith(COMMENT):
            yield number, fields


def _turns(source: Source, end: float | None, notices: list[str]) -> dict[str, list[Turn]]:
    """Return the turns of each recording in order of their starts."""
    found: dict[str, list[Turn]] = {}
    skipped: dict[str, None] = {}
    for number, fields in _records(source.lines):
        if fields[0] in OTHERS:
            skipped[fields[0]] = None
            continue
        if fields[0] != SPEAKER or len(fields) not in N_FIELDS:
            raise CorpusError(
                f"line {number} is {shortened(' '.join(fields[:12]))}: expected {SPEAKER}, recording, "
                "channel, onset, duration, <NA>, <NA>, speaker, <NA>, <NA>"
            )
        turn = _turn(fields, number)
        if end is not None and turn.end > end:
            raise CorpusError(f"line {number}: the turn ends at {turn.end:g}, after the end given, {end:g}")
        found.setdefault(fields[1], []).append(turn)
    if not found:
        raise CorpusError(f"there is no line of type {SPEAKER}")
    if skipped:
        notices.append(f"lines of type {listed(skipped)} are no turns and were not read")
    return {name: sorted(own) for name, own in found.items()}


def _turn(fields: list[str], number: int) -> Turn:
    onset = time_in(fields[3], f"line {number}: the onset")
    duration = time_in(fields[4], f"line {number}: the duration")
    for what, value in (("onset", onset), ("duration", duration)):
        if value < 0:
            raise CorpusError(f"line {number}: the {what} is {value:g}: expected a time from 0 on")
    return Turn(onset, onset + duration, fields[7])


# -------------------------------------------------------------------- where recordings end


def companions(source: Source) -> Iterable[Path]:
    """Return the file that says which parts of the recordings were annotated."""
    return [source.path.with_suffix(UEM)]


def _regions(source: Source, notices: list[str]) -> dict[str, Region]:
    """Return the annotated part of each recording, from its first region to its last."""
    regions: dict[str, Region] = {}
    several: dict[str, None] = {}
    beside = source.beside(source.path.with_suffix(UEM))
    if beside is None:
        return regions
    for number, fields in _records(beside.lines):
        where = f"{beside.path.name}: line {number}"
        if len(fields) != 4:
            found = shortened(" ".join(fields[:8]))
            raise CorpusError(f"{where} is {found}: expected recording, channel, from, to")
        start, end = (time_in(field, where) for field in fields[2:])
        if not 0 <= start < end:
            raise CorpusError(f"{where}: the region is from {start:g} to {end:g}: it has no length")
        known = regions.get(fields[0])
        if known is not None and known != (start, end):
            several[fields[0]] = None
            start, end = min(start, known.start), max(end, known.end)
        regions[fields[0]] = Region(start, end)
    if several:
        notices.append(
            f"{beside.path.name} has several regions of {listed(several)}: read from the first to the last"
        )
    return regions


def _axis(turns: list[Turn], region: Region | None, end: float | None) -> Units:
    if region is not None:
        return time_axis(region.start, region.end)
    return time_axis(0.0, max(turn.end for turn in turns) if end is None else end)


def _unlike(turns: dict[str, list[Turn]], regions: dict[str, Region]) -> Iterator[str]:
    """Yield what does not fit the file of regions."""
    if not regions:
        return
    without = [name for name in turns if name not in regions]
    if without:
        yield f"the .uem has no region of {listed(without)}: the last turn ends the recording"
    outside = sum(
        turn.start < region.start - INSTANT or turn.end > region.end + INSTANT
        for name, region in regions.items()
        for turn in turns.get(name, ())
    )
    if outside:
        yield f"{counted(outside, 'turn')} outside the regions of the .uem: cut there"
    silent = [name for name in regions if name not in turns]
    if silent:
        yield f"there is no turn in {listed(silent)}: not coded, and left out"


# -------------------------------------------------------------------- where boundaries are


def _coding(turns: list[Turn], units: Units, rule: str) -> Segmentation:
    if rule == "changes":
        places = [turn.start for before, turn in pairwise(turns) if turn.speaker != before.speaker]
    else:
        places = [edge for turn in turns for edge in (turn.start, turn.end)]
    return units.place(places).segmentation


def _readings(turns: dict[str, list[Turn]], axes: dict[str, Units]) -> str:
    """Say which rules there are and what each would give."""
    said = []
    for rule in TURNS:
        n = sum(_coding(own, axes[name], rule).n_boundaries for name, own in turns.items())
        said.append(f"turns='{rule}' {READINGS[rule]} ({counted(n, 'boundary', 'boundaries')})")
    return f"say where boundaries are among turns: {'; '.join(said)}"


def write(corpus: Corpus, extension: str) -> str:
    """Return a turn per segment; one speaker is called 1 and the other 2."""
    lines = []
    for document, _, segmentation in corpus:
        units = corpus.spans[document]
        _check_document(document, units)
        for speaker, (start, end) in zip(cycle("12"), pairwise(edges_of(units, segmentation)), strict=False):
            duration = round(end - start, N_DECIMALS)
            if end == units.end and start + duration != end:  # however finely the recording's end is known
                duration = end - start
            lines.append(f"{SPEAKER} {document} 1 {start!r} {duration!r} <NA> <NA> {speaker} <NA> <NA>\n")
    return "".join(lines)


def write_beside(corpus: Corpus) -> dict[str, str]:
    """Return where the recordings start and end."""
    spans = ((document, corpus.spans[document]) for document in corpus.documents)
    return {UEM: "".join(f"{document} 1 {units.origin!r} {units.end!r}\n" for document, units in spans)}


def _check_document(document: str, units: Units) -> None:
    if document.split() != [document] or document.startswith(COMMENT):
        raise CorpusError(f"document {document!r}: a recording's name is one word in rttm; rename it")
    if units.origin < 0:
        raise CorpusError(f"document {document} starts at {units.origin:g}, and times of rttm are from 0 on")


def sniff(source: Source) -> bool:
    """Tell it by its first line."""
    lines = (line for line in source.text[:100_000].splitlines() if not line.startswith(COMMENT))
    fields = next((line.split() for line in lines if line.strip()), [])
    return len(fields) in N_FIELDS and (fields[0] == SPEAKER or fields[0] in OTHERS)


EXAMPLE = """SPEAKER meeting 1 0.00 3.25 <NA> <NA> ann <NA> <NA>
SPEAKER meeting 1 3.50 4.00 <NA> <NA> bob <NA> <NA>
SPEAKER meeting 1 7.75 1.50 <NA> <NA> bob <NA> <NA>
SPEAKER meeting 1 9.00 2.00 <NA> <NA> ann <NA> <NA>
"""

FORMAT = Format(
    "rttm",
    "RTTM, a line for each speaker's turn, in seconds; turns= says where boundaries are",
    (".rttm",),
    read,
    write,
    sniff,
    frozenset({"documents", "places"}),
    needs_axis="seconds",
    step=INSTANT,
    names=lambda name: ("", name),
    companions=companions,
    write_beside=write_beside,
    example=EXAMPLE,
    example_options={"turns": "changes"},
    notes="Units are instants of 0.1 µs from 0 to the last turn's end, to end=, or as a .uem beside it says; "
    "the coder is the file's name, so ref.rttm and sys.rttm, with one end, are two coders. Speakers and "
    "channels are not kept. Written with the .uem, and with a turn per segment of two speakers, 1 and 2, so "
    "that either rule gives the same boundaries.",
)
