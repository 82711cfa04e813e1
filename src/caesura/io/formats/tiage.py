"""TIAGE's JSON of dialogues with a topic-shift mark per utterance.

Dialogues by number, each a list of an utterance and whether the topic shifts with it. Xie et al. (2021),
TIAGE: a benchmark for topic-shift aware dialog modeling. Units are the utterances. The mark is "1" where an
utterance begins a new topic, "0" where it does not, and "-1" for a dialogue's first utterance.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from caesura.io.base import REFERENCE, Contents, Document, Format, read_records
from caesura.io.files import Source, misfit
from caesura.io.json_files import Record, entries_of, first_entry, fits, json_object
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

FIRST, SAME, SHIFT = "-1", "0", "1"

Turn: TypeAlias = Annotated[tuple[str, str | int], "[utterance, mark]"]


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    records = entries_of(source, "dialogues", list[Turn], each="utterance")
    return read_records(source, records, _document, "dialogues")


def _document(record: Record[list[Turn]]) -> Document:
    marks = [str(mark) for _, mark in record.value]
    for index, mark in enumerate(marks):
        if mark not in (SAME, SHIFT) and (mark != FIRST or index):
            raise misfit(f"the mark of utterance {index}", mark, '"1" or "0", or at the first "-1"')
    coding = Segmentation.from_gaps("".join(marks[1:]))
    return Document(record.key, {REFERENCE: coding}, [utterance for utterance, _ in record.value])


def write(corpus: Corpus, extension: str) -> str:
    """Return the dialogues, one per line."""
    marks = ((document, [FIRST, *coding.to_gaps()]) for document, _, coding in corpus)
    return json_object({name: [*zip(corpus.units[name], own, strict=True)] for name, own in marks})


def sniff(source: Source) -> bool:
    """Recognize it by the first utterance: text and a mark."""
    dialogue = first_entry(source)
    return isinstance(dialogue, list) and fits(dialogue[:1], list[tuple[str, object]]) and bool(dialogue)


FORMAT = Format.of(globals(), "tiage", (".json",), {"documents"}, needs_units=True)
