"""Whisper's JSON transcripts, a unit per segment in time.

``{"segments": [{"start": 0.0, "end": 4.2, "text": …}]}``, as Whisper, its API and WhisperX write it. Segments
are pieces of speech recognized together, not topics: units in seconds with their text. The only coding, by
the coder whisper, has no boundaries. To evaluate the segments themselves, ``ends`` makes the end of each a
boundary; put both sides on a grid then (``units``). If segments overlap or are not in order, their times are
kept only if ``overlap`` names the place of the cut. Words, tokens and languages are not kept.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypedDict

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError
from caesura.io.base import Contents, Document, Format, read_documents
from caesura.io.cues import Cue, units_of_cues
from caesura.io.files import Source, misfit
from caesura.io.json_files import fits, json_list, shaped, the_object
from caesura.io.recordings import check_order
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

CODER = "whisper"

Seconds: TypeAlias = Annotated[int | float, "a number of seconds"]


class Segment(TypedDict):
    """A piece of speech and its times."""

    start: Seconds
    end: Seconds
    text: str


class Transcript(TypedDict):
    """The object in a file."""

    segments: list[Segment]


def read(source: Source) -> Contents:
    """Read one recording; with ``ends`` the ends of segments are boundaries."""
    if not (segments := shaped(source.json, Transcript)["segments"]):
        raise CorpusError("there are no segments")
    for index, segment in enumerate(segments):
        for edge, time in (("start", segment["start"]), ("end", segment["end"])):
            if not 0 <= time <= MAX_NUMBER:
                raise misfit(f"segments[{index}].{edge}", time, "a number of seconds from 0 on")
        check_order(f"segments[{index}]", segment["start"], segment["end"])
    cues = [Cue(segment["start"], segment["end"], segment["text"].strip(), 0) for segment in segments]
    notices: list[str] = []
    units = units_of_cues(cues, source.options.get("overlap"), notices)
    every = range(1, len(cues)) if source.options.get("ends") else ()
    coding = Segmentation.from_positions(every, n_units=len(cues))
    document = Document(source.name, {CODER: coding}, [cue.text for cue in cues], units)
    return read_documents(source, [document], notices)


def write(corpus: Corpus, extension: str) -> str:
    """Return a segment per unit; a coding with boundaries is refused."""
    (document,) = corpus.documents
    for coder, coding in corpus[document].items():
        if coding.n_boundaries:
            raise CorpusError(f"document {document}: coder {coder} has boundaries; write jsonl")
    texts = corpus.units[document]
    for number, text in enumerate(texts, start=1):
        if text != text.strip():
            where = f"document {document}: unit {number}"
            raise CorpusError(f"{where} has white space around its text; write jsonl")
    rows = zip(corpus.spans[document].spans, texts, strict=True)
    segments = [{"start": start, "end": end, "text": f" {text}"} for (start, end), text in rows]
    return f'{{"segments": {json_list(segments).rstrip()}}}\n'


def sniff(source: Source) -> bool:
    """Look for times and text in the first segment."""
    segments = the_object(source).get("segments")
    return isinstance(segments, list) and bool(segments) and fits(segments[0], Segment)


def names(name: str) -> tuple[str, str]:
    """Return the document of a file, and the coder."""
    return name, CODER


FORMAT = Format.of(globals(), "whisper", (".json",), {"places"}, needs_units=True, needs_axis="seconds")
