"""DialSeg711's JSON: a list of dialogues, each with its utterances and the masses of its segments.

Xu, Zhao and Zhang (2021), Topic-aware multi-turn dialogue modeling. Entries are ``dial_id``, ``utterances``
and ``segments``; others (``set``) are left alone.
"""

from __future__ import annotations

import json
from typing import Any

from caesura.errors import CorpusError, SegmentationError
from caesura.io.base import REFERENCE, Contents, Format, named_only
from caesura.io.files import Source, shortened
from caesura.io.rows import masses_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    dialogues = source.json
    if not isinstance(dialogues, list) or not dialogues:
        raise CorpusError(f"expected a list of dialogues, not {shortened(dialogues)}")
    builder = CorpusBuilder()
    for index, dialogue in enumerate(dialogues):
        _check_dialogue(dialogue, index)
        document = named_only(dialogue["dial_id"], f"dial_id of dialogue {index}")
        if builder.has_document(document):
            raise CorpusError(f"document {document} is there twice (again at dialogue {index}); rename one")
        try:
            coding = Segmentation.from_masses(dialogue["segments"])
        except SegmentationError as error:
            raise CorpusError(f"document {document}: segments: {error}") from None
        if coding.n_units != len(dialogue["utterances"]):
            raise CorpusError(
                f"document {document}: the segments have {coding.n_units} utterances in all "
                f"where the dialogue has {len(dialogue['utterances'])}"
            )
        builder.add(document, REFERENCE, coding)
        builder.add_text(document, dialogue["utterances"])
    return Contents(Corpus.build(builder))


def _check_dialogue(dialogue: Any, index: int) -> None:
    if not isinstance(dialogue, dict):
        raise CorpusError(f"dialogue {index} is {shortened(dialogue)}: expected an object")
    for key in ("dial_id", "utterances", "segments"):
        if key not in dialogue:
            raise CorpusError(f"dialogue {index} has no {key!r}")
    for key, kind in (("utterances", str), ("segments", int)):
        values = dialogue[key]
        if not isinstance(values, list):
            raise CorpusError(f"dialogue {index}: {key} is {shortened(values)}: expected a list")
        for place, value in enumerate(values):
            if not isinstance(value, kind):
                expected = "text" if kind is str else "a whole number"
                raise CorpusError(
                    f"dialogue {index}: {key}[{place}] is {shortened(value)}: expected {expected}"
                )


def write(corpus: Corpus, extension: str) -> str:
    """Return the list of dialogues, one per line."""
    lines = []
    for document, masses in zip(corpus.documents, masses_of(corpus.codings), strict=True):
        dialogue = {
            "dial_id": _number_or_text(document),
            "utterances": corpus.units[document],
            "segments": masses,
        }
        lines.append(json.dumps(dialogue, ensure_ascii=False))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _number_or_text(name: str) -> int | str:
    """Return a number, as in the data set, wherever it reads back as the same name."""
    if name.isascii() and name.isdigit() and len(name) < 19 and str(int(name)) == name:
        return int(name)
    return name


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first dialogue."""
    data = source.json_or_none
    if not isinstance(data, list) or not data or not isinstance(data[0], dict):
        return False
    return {"utterances", "segments"} <= data[0].keys()


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
