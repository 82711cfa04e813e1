"""chunkseg's JSON Lines: recordings, each with the times of a reference and of a hypothesis.

Retkowski et al. (2026), Beyond transcripts: a renewed perspective on audio chaptering. A record has
``reference`` and ``hypothesis``, lists of times in seconds, and ``duration``. Its collar F in continuous time
is then ``boundary_f`` with a tolerance, as units are instants of 0.1 µs. A hypothesis that is a transcript
has no times yet, and is refused.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, named_only
from caesura.io.files import Source, shortened
from caesura.io.json_records import first_record, records_of
from caesura.io.recordings import time_axis
from caesura.io.span_codings import add_places
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.units import INSTANT
from caesura.wording import counted

CODERS = ("reference", "hypothesis")
NAMES = ("id", "video_id")
N_DECIMALS = 7
"""Decimals of a time: those of an instant."""


def read(source: Source) -> Contents:
    """Read all recordings, each coded twice."""
    builder = CorpusBuilder()
    notices: list[str] = []
    for place, record in records_of(source):
        try:
            _add(builder, notices, _name(record, place), record)
        except CorpusError as error:
            raise CorpusError(f"{place}: {error}") from None
    if not builder:
        raise CorpusError("there are no recordings; expected one per line, with reference and hypothesis")
    return Contents(Corpus.build(builder), notices)


def _name(record: dict[str, Any], place: str) -> str:
    """Return the recording's name, or the number of its line."""
    key = next((key for key in NAMES if key in record), None)
    return place.split()[-1] if key is None else named_only(record[key], key)


def _add(builder: CorpusBuilder, notices: list[str], document: str, record: dict[str, Any]) -> None:
    if builder.has_document(document):
        raise CorpusError(f"document {document} is there twice; rename or remove one")
    duration = _time("duration", record.get("duration"))
    units = time_axis(0.0, duration)
    for coder in CODERS:
        times = _times(coder, record.get(coder), duration)
        inner = [time for time in times if 0 < time < duration]
        n_left_out = sum(time >= duration for time in times) + len(inner) - len(set(inner))
        if n_left_out:
            notices.append(
                f"document {document}: {coder}: {counted(n_left_out, 'time')} at the recording's end or "
                "there twice: no further boundary"
            )
        add_places(builder, document, coder, units, sorted(inner))


def _times(coder: str, value: Any, duration: float) -> list[float]:
    if isinstance(value, str):
        raise CorpusError(
            f"{coder} is {shortened(value)}: a transcript has no times; give a list of them, in seconds"
        )
    if not isinstance(value, list):
        raise CorpusError(f"{coder} is {shortened(value)}: expected a list of times in seconds")
    times = [_time(f"{coder}[{index}]", time) for index, time in enumerate(value)]
    for index, time in enumerate(times):
        if time > duration:
            raise CorpusError(
                f"{coder}[{index}] is {time:g}, after the recording's end (duration is {duration:g}); "
                "correct one of them"
            )
    return times


def _time(name: str, value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= sys.float_info.max:
        raise CorpusError(f"{name} is {shortened(value)}: expected seconds, a number from 0 on")
    return float(value)


def write(corpus: Corpus, extension: str) -> str:
    """Return a recording per line."""
    lines = []
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
        lines.append(json.dumps({"id": document, **times, "duration": units.end}, ensure_ascii=False))
    return "\n".join(lines) + "\n"


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
