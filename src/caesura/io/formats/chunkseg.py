"""chunkseg's JSON Lines: recordings, each with the times of a reference and of a hypothesis.

Retkowski et al. (2026), Beyond transcripts: a renewed perspective on audio chaptering. A record has
``reference`` and ``hypothesis``, lists of times in seconds, and ``duration``. Its collar F in continuous time
is then ``boundary_f`` with a tolerance, as units are instants of 0.1 µs. A hypothesis that is a transcript
has no times yet, and is refused.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, TypeAlias, TypedDict

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.json_files import first_record, json_lines, name_in, records_of, shaped
from caesura.io.messages import within
from caesura.io.recordings import time_axis
from caesura.io.spans import add_places
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.units import INSTANT
from caesura.wording import counted

CODERS = ("reference", "hypothesis")
NAMES = ("id", "video_id")
N_DECIMALS = 7
"""Decimals of a time: those of an instant."""

Seconds: TypeAlias = Annotated[int | float, "seconds, a number from 0 on"]
Times: TypeAlias = Annotated[list[Seconds], "a list of times in seconds"]


class Recording(TypedDict):
    """How long a recording is, and the times of both codings."""

    duration: Seconds
    reference: Times
    hypothesis: Times


def read(source: Source) -> Contents:
    """Read all recordings, each coded twice."""
    builder = CorpusBuilder()
    notices: list[str] = []
    for place, record in records_of(source):
        with within(place):
            _add(builder, notices, name_in(record, NAMES, place), record)
    if not builder:
        raise CorpusError("there are no recordings; expected one per line, with reference and hypothesis")
    return Contents(Corpus.build(builder), notices)


def _add(builder: CorpusBuilder, notices: list[str], document: str, record: dict[str, Any]) -> None:
    if builder.has_document(document):
        raise CorpusError(f"document {document} is there twice; rename or remove one")
    for coder in CODERS:
        if isinstance(record.get(coder), str):
            raise CorpusError(
                f"{coder} is {shortened(record[coder])}: a transcript has no times; give a list of them, in "
                "seconds"
            )
    recording = shaped(record, Recording)
    duration = _time("duration", recording["duration"])
    units = time_axis(0.0, duration)
    for coder, own in (("reference", recording["reference"]), ("hypothesis", recording["hypothesis"])):
        times = [_time(f"{coder}[{index}]", time) for index, time in enumerate(own)]
        for index, time in enumerate(times):
            if time > duration:
                raise CorpusError(
                    f"{coder}[{index}] is {time:g}, after the recording's end (duration is {duration:g}); "
                    "correct one of them"
                )
        inner = [time for time in times if 0 < time < duration]
        n_left_out = sum(time >= duration for time in times) + len(inner) - len(set(inner))
        if n_left_out:
            notices.append(
                f"document {document}: {coder}: {counted(n_left_out, 'time')} at the recording's end or "
                "there twice: no further boundary"
            )
        add_places(builder, document, coder, units, sorted(inner))


def _time(name: str, value: float) -> float:
    if not 0 <= value <= sys.float_info.max:
        raise CorpusError(f"{name} is {shortened(value)}: expected seconds, a number from 0 on")
    return float(value)


def write(corpus: Corpus, extension: str) -> str:
    """Return a recording per line."""
    recordings = []
    for document in corpus.documents:
        codings, units = corpus[document], corpus.spans[document]
        if set(codings) != set(CODERS):
            raise CorpusError(
                f"document {document} is coded by {' and '.join(codings)}, and chunkseg holds a reference "
                "and a hypothesis; select two coders and rename them so"
            )
        if units.origin:
            raise CorpusError(
                f"document {document} starts at {units.origin:g} s, and recordings of chunkseg start at 0"
            )
        times = {coder: units.offsets(codings[coder]).round(N_DECIMALS).tolist() for coder in CODERS}
        recordings.append({"id": document, **times, "duration": units.end})
    return json_lines(recordings)


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first record."""
    return set(CODERS) <= first_record(source).keys()


FORMAT = Format(
    "chunkseg",
    "chunkseg's JSON Lines of recordings with the times of a reference and a hypothesis",
    (".jsonl", ".json"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "places"}),
    needs_axis="seconds",
    step=INSTANT,
    example="""\
{"id": "talk", "reference": [11.0, 23.0, 34.0], "hypothesis": [24.2, 33.94], "duration": 50.0}
{"id": "news", "reference": [], "hypothesis": [12.5], "duration": 30.0}
""",
    notes="Units are instants of 0.1 µs from 0 to the duration, the coders are called reference and "
    "hypothesis, and documents by id or else by the number of their line. Titles and transcripts are "
    "not kept.",
)
