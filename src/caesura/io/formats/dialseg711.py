"""DialSeg711's JSON of dialogues with utterances and segments.

A list of dialogues, each with its utterances and the masses of its segments. Xu, Zhao and Zhang (2021),
Topic-aware multi-turn dialogue modeling. Entries are ``dial_id``, ``utterances``, which are the units, and
``segments``, the one coding, by the coder ``reference``; others (``set``) are not kept.
"""

from __future__ import annotations

from typing import TypedDict

from caesura.errors import CorpusError, within
from caesura.io.base import REFERENCE, Contents, Document, Format, read_records
from caesura.io.files import Source
from caesura.io.json_files import Name, Record, first_listed, json_list, listed_records, number_or
from caesura.values.columns import masses_of
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation


class Dialogue(TypedDict):
    """A dialogue, its utterances, and how many of them each segment has."""

    dial_id: Name
    utterances: list[str]
    segments: list[int]


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    return read_records(source, listed_records(source, Dialogue, "dialogue"), _document, "dialogues")


def _document(record: Record[Dialogue]) -> Document:
    name, utterances = str(record.value["dial_id"]), record.value["utterances"]
    with within(f"document {name}: segments"):
        coding = Segmentation.from_masses(record.value["segments"])
    if coding.n_units != len(utterances):
        sums = f"the segments have {coding.n_units} utterances in all, the dialogue {len(utterances)}"
        raise CorpusError(f"document {name}: {sums}")
    return Document(name, {REFERENCE: coding}, utterances)


def write(corpus: Corpus, extension: str) -> str:
    """Return the list of dialogues, one per line."""
    codings = zip(corpus.documents, masses_of(corpus.codings), strict=True)
    records = ((number_or(name, name), corpus.units[name], masses) for name, masses in codings)
    return json_list(dict(zip(Dialogue.__annotations__, record, strict=True)) for record in records)


def sniff(source: Source) -> bool:
    """Recognize it by the entries of the first dialogue."""
    return {"utterances", "segments"} <= first_listed(source).keys()


FORMAT = Format.of(globals(), "dialseg711", (".json",), {"documents"}, needs_units=True)
