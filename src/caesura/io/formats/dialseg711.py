"""DialSeg711's JSON: a list of dialogues, each with its utterances and the masses of its segments.

Xu, Zhao and Zhang (2021), Topic-aware multi-turn dialogue modeling. Entries are ``dial_id``, ``utterances``
and ``segments``; others (``set``) are left alone.
"""

from __future__ import annotations

from typing import TypedDict

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format
from caesura.io.files import Source
from caesura.io.json_files import Name, first_listed, json_list, shaped
from caesura.io.messages import within
from caesura.values.builder import CorpusBuilder
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
    builder = CorpusBuilder()
    for index, dialogue in enumerate(shaped(source.json, list[Dialogue], each="dialogue")):
        document, utterances = str(dialogue["dial_id"]), dialogue["utterances"]
        if builder.has_document(document):
            raise CorpusError(f"document {document} is there twice (again at dialogue {index}); rename one")
        with within(f"document {document}: segments"):
            coding = Segmentation.from_masses(dialogue["segments"])
        if coding.n_units != len(utterances):
            raise CorpusError(
                f"document {document}: the segments have {coding.n_units} utterances in all "
                f"where the dialogue has {len(utterances)}"
            )
        builder.add(document, REFERENCE, coding)
        builder.add_text(document, utterances)
    return Contents(Corpus.build(builder))


def write(corpus: Corpus, extension: str) -> str:
    """Return the list of dialogues, one per line."""
    return json_list(
        {"dial_id": _number_or_text(document), "utterances": corpus.units[document], "segments": masses}
        for document, masses in zip(corpus.documents, masses_of(corpus.codings), strict=True)
    )


def _number_or_text(name: str) -> int | str:
    """Return a number, as in the data set, wherever it reads back as the same name."""
    if name.isascii() and name.isdigit() and len(name) < 19 and str(int(name)) == name:
        return int(name)
    return name


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first dialogue."""
    return {"utterances", "segments"} <= first_listed(source).keys()


FORMAT = Format(
    "dialseg711",
    "DialSeg711's JSON of dialogues with utterances and segments",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "units"}),
    needs_units=True,
    example=(
        '[{"dial_id": "d1", "utterances": ["A table for two?", "At eight.", "And a taxi."], "segm'
        'ents": [2, 1]}]\n'
    ),
    notes="An utterance is a unit; the one coding is by the coder reference. Other entries are not kept.",
)
