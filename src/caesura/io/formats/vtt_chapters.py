"""WebVTT chapters of a recording, a segment per cue.

Units are instants of 0.1 µs from the start of the recording to the end of the last chapter, or to end=; the
coder is called reference. What no chapter covers needs gaps=, chapters that overlap overlap=. Titles are not
kept.

Files differ from subtitles by the line ``Kind: chapters`` of their header, or by a file name that holds
"chapter".
"""

from __future__ import annotations

from itertools import pairwise

from caesura.errors import CorpusError, within
from caesura.io.base import REFERENCE, Contents, Document, Format, Segments, only_coding, read_documents
from caesura.io.cues import cues_in, times_line
from caesura.io.files import Source
from caesura.io.formats.webvtt import SIGNATURE, cues_of, is_of_chapters, is_webvtt
from caesura.io.recordings import edges_of, time_axis
from caesura.values.corpus import Corpus

TO_GRID = "corpus.onto('1ms') moves boundaries to the nearest millisecond"


def read(source: Source) -> Contents:
    """Read one coding of one recording, which ends with its last chapter or at ``end``."""
    cues, notices = cues_in(source, cues_of)
    if not cues:
        raise CorpusError("there is no chapter: expected lines such as 00:00.000 --> 04:30.000 with a title")
    spans = [(cue.start, cue.end) for cue in cues]
    units = time_axis(0.0, source.options.get("end", max(end for _, end in spans)))
    return read_documents(source, [Document(source.name, {REFERENCE: Segments(spans)}, units=units)], notices)


def write(corpus: Corpus, extension: str) -> str:
    """Return a numbered chapter per segment."""
    document, _, segmentation = only_coding(corpus)
    units = corpus.spans[document]
    times = edges_of(units, segmentation)
    with within(f"document {document}"):
        if units.origin:
            raise CorpusError(f"it starts at {units.origin:g} s, and chapters of WebVTT start at 0")
        lines = [times_line(own, ".", FORMAT.name, TO_GRID) for own in pairwise(times)]
    cues = [f"{line}\nChapter {number}\n" for number, line in enumerate(lines, start=1)]
    return "\n".join([f"{SIGNATURE}\nKind: chapters\n", *cues])


def sniff(source: Source) -> bool:
    """Recognize it by the header's kind or the file's name."""
    return is_webvtt(source) and is_of_chapters(source)


FORMAT = Format.of(globals(), "vtt-chapters", (".vtt",), needs_axis="seconds", may_be_legacy=True)
