"""chunkseg's JSON Lines of recordings with the times of a reference and a hypothesis.

Retkowski et al. (2026), Beyond transcripts: a renewed perspective on audio chaptering. A record has
``reference`` and ``hypothesis``, lists of times in seconds, which are its coders, and ``duration``; it is
called by its ``id`` or else by the number of its line. Units are instants of 0.1 µs from 0 to the duration,
so that the collar F in continuous time is ``boundary_f`` with a tolerance. A hypothesis that is a transcript
has no times yet, and is refused. Titles and transcripts are not kept.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError
from caesura.io.base import Contents, Document, Format, read_records
from caesura.io.files import Source, misfit
from caesura.io.json_files import Record, first_record, json_lines, name_in, records_of, shaped, shaped_entry
from caesura.io.recordings import time_axis
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed

CODERS = ("reference", "hypothesis")
N_DECIMALS = 7
"""Decimals of an instant."""

EXPECTED = "seconds, a number from 0 on"
Seconds: TypeAlias = Annotated[int | float, EXPECTED]
Times: TypeAlias = Annotated[list[Seconds], "a list of times in seconds"]


def read(source: Source) -> Contents:
    """Read all recordings, each coded twice."""
    expected = "recordings; expected one per line, with reference and hypothesis"
    return read_records(source, records_of(source), _document, expected)


def _document(record: Record[dict[str, Any]]) -> Document:
    name = name_in(record, "id", "video_id")
    for coder in CODERS:
        if isinstance(record.value.get(coder), str):
            raise misfit(coder, record.value[coder], "a list of times in seconds, not a transcript")
    duration: float = shaped_entry(record.value, "duration", Seconds)
    if not 0 <= duration <= sys.float_info.max:
        raise misfit("duration", duration, EXPECTED)
    units = time_axis(0.0, float(duration))
    codings, notices = {}, []
    all_times = shaped({coder: record.value.get(coder) for coder in CODERS}, dict[str, Times])
    for coder, times in all_times.items():
        for index, time in enumerate(times):
            if not 0 <= time <= duration:
                raise misfit(f"{coder}[{index}]", time, f"seconds from 0 to the duration, {duration:g}")
        inner = {float(time) for time in times if 0 < time < duration}
        if n_left_out := sum(time > 0 for time in times) - len(inner):
            times_out = f"{counted(n_left_out, 'time')} at the recording's end or there twice"
            notices.append(f"{coder}: {times_out}: no further boundary")
        codings[coder] = units.place(sorted(inner))
    return Document(name, codings, units=units, notices=notices)


def write(corpus: Corpus, extension: str) -> str:
    """Return a recording per line."""
    recordings = []
    for document in corpus.documents:
        codings, units = corpus[document], corpus.spans[document]
        if set(codings) != set(CODERS):
            coders = f"document {document} is coded by {listed(codings)}"
            raise CorpusError(f"{coders}, and chunkseg holds {listed(CODERS)}; rename the coders")
        if units.origin:
            raise CorpusError(f"document {document} starts at {units.origin:g} s, and chunkseg at 0")
        times = {coder: units.offsets(codings[coder]).round(N_DECIMALS).tolist() for coder in CODERS}
        recordings.append({"id": document, **times, "duration": units.end})
    return json_lines(recordings)


def sniff(source: Source) -> bool:
    """Recognize it by the two lists of times."""
    return set(CODERS) <= first_record(source).keys()


FORMAT = Format.of(globals(), "chunkseg", (".jsonl", ".json"), {"documents", "coders"}, needs_axis="seconds")
