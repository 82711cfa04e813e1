"""YTSeg's JSON Lines of videos with a mark (0 or 1) per sentence.

Videos with their sentences, and a string with a mark for each of them. Retkowski & Waibel (2024), From text
segmentation to smart chaptering. A record has ``text``, the sentences, which are the units, ``targets``, a 0
or 1 for each (a list, or text after ``|=``, which no table takes for a number), and ``video_id``, the
document; 1 stands where a chapter begins, but not at the first sentence. The coder is called ``reference``.
Later releases have three transcripts of each video, ``text_ref``, ``text_wt`` and ``text_wl``, with
``target_binary_ref`` and so on: the first is read, or the one that ``tiers`` names. Titles, times and the
channel are not kept.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import REFERENCE, Contents, Document, Format, read_records
from caesura.io.files import Source, misfit
from caesura.io.json_files import Record, first_record, fits, json_lines, name_in, records_of, shaped_entry
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

TRANSCRIPTS = ("ref", "wt", "wl")
"""The reference transcript, and those of a small and a large recognizer."""

Sentences: TypeAlias = Annotated[list[Annotated[str, "a sentence"]], "a list of sentences"]

PREFIX = "|="


def read(source: Source) -> Contents:
    """Read all videos with the transcript in ``tiers``, by default the first."""
    transcript = _transcript(source.options.get("tiers", ()))
    expected = "videos; expected one per line, with text, targets and video_id"
    return read_records(source, records_of(source), partial(_document, transcript), expected)


def _transcript(tiers: tuple[str, ...]) -> str | None:
    """Return the chosen transcript, or None."""
    if not tiers:
        return None
    if len(tiers) > 1:
        raise CorpusError("transcripts are read one at a time: name one in tiers=")
    if (name := tiers[0].removeprefix("text_")) not in TRANSCRIPTS:
        raise CorpusError(f"unknown transcript {name!r}; {did_you_mean(name, TRANSCRIPTS)}")
    return name


def _document(transcript: str | None, record: Record[dict[str, Any]]) -> Document:
    text_key, marks_key = "text", "targets"
    if transcript is not None or marks_key not in record.value:
        name = transcript or TRANSCRIPTS[0]
        text_key, marks_key = f"text_{name}", f"target_binary_{name}"
    document = name_in(record, "video_id", "talk_id", "id")
    sentences: list[str] = shaped_entry(record.value, text_key, Sentences)
    if not sentences:
        raise CorpusError(f"{text_key} is []: expected a list of sentences")
    marks = _marks(record.value.get(marks_key), marks_key, len(sentences))
    return Document(document, {REFERENCE: Segmentation.from_gaps(marks[1:])}, sentences)


def _marks(value: Any, key: str, n_sentences: int) -> str:
    if fits(value, list[Literal[0, 1]]):
        value = "".join(map(str, value))
    if not isinstance(value, str):
        hint = "; a number has lost the zeros in front" if isinstance(value, int) else ""
        raise misfit(key, value, f"a string or list of 0 and 1{hint}")
    marks = value.removeprefix(PREFIX)
    wrong = next((index for index, mark in enumerate(marks) if mark not in "01"), None)
    if wrong is not None:
        raise CorpusError(f"{key} has {marks[wrong]!r} for sentence {wrong}: expected 0 or 1")
    if len(marks) != n_sentences:
        raise CorpusError(f"{key} has {len(marks)} marks for {n_sentences} sentences: expected one for each")
    return marks


def write(corpus: Corpus, extension: str) -> str:
    """Return a video per line."""
    return json_lines(
        {"text": corpus.units[document], "targets": f"{PREFIX}0{coding.to_gaps()}", "video_id": document}
        for document, _, coding in corpus
    )


def sniff(source: Source) -> bool:
    """Recognize it by the entries of the first record."""
    keys = first_record(source).keys()
    return {"text", "targets"} <= keys or any(f"target_binary_{name}" in keys for name in TRANSCRIPTS)


FORMAT = Format.of(globals(), "ytseg", (".jsonl", ".json"), {"documents"}, needs_units=True)
