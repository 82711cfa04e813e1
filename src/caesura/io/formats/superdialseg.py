"""SuperDialseg's JSON of dialogues with a mark on the last utterance of each segment.

Dialogues by data set, each with its turns. Jiang et al. (2023), SuperDialseg: a large-scale dataset for
supervised dialogue segmentation. ``{"dial_data": {"superseg-v2": [{"dial_id": …, "turns": […]}]}}``; a turn
has its ``utterance``, which is a unit, and ``segmentation_label``, 1 where a segment ends and 0 elsewhere
(after a dialogue's last utterance either says the same). The coder is called reference. Roles, dialogue acts
and topics are not kept.
"""

from __future__ import annotations

from typing import TypedDict

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, read_records
from caesura.io.files import Source, misfit
from caesura.io.json_files import Name, Record, json_list, shaped, the_object
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

DATA = "dial_data"


class Turn(TypedDict):
    """An utterance, and whether a segment ends with it."""

    utterance: str
    segmentation_label: int


class Dialogue(TypedDict):
    """A dialogue and its turns."""

    dial_id: Name
    turns: list[Turn]


class Export(TypedDict):
    """What the file holds."""

    dial_data: dict[str, list[Dialogue]]


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    dialogues = (
        Record(f"{name}: dialogue {index}", str(dialogue["dial_id"]), dialogue)
        for name, dialogues in shaped(source.json, Export)["dial_data"].items()
        for index, dialogue in enumerate(dialogues)
    )
    return read_records(source, dialogues, _document, "dialogues")


def _document(record: Record[Dialogue]) -> Document:
    if not (turns := record.value["turns"]):
        raise CorpusError("it has no turns")
    for index, turn in enumerate(turns):
        if (label := turn["segmentation_label"]) not in (0, 1):
            raise misfit(f"segmentation_label of turn {index}", label, "1 where a segment ends, 0 elsewhere")
    marks = "".join(str(turn["segmentation_label"]) for turn in turns[:-1])
    texts = [turn["utterance"] for turn in turns]
    return Document(record.key, {REFERENCE: Segmentation.from_gaps(marks)}, texts)


def write(corpus: Corpus, extension: str) -> str:
    """Return the dialogues, one per line."""
    dialogues = []
    for document, _, coding in corpus:
        labels = map(int, coding.to_gaps() + "0")
        rows = enumerate(zip(corpus.units[document], labels, strict=True))
        turns = [{"turn_id": i, "utterance": text, "segmentation_label": own} for i, (text, own) in rows]
        dialogues.append({"dial_id": document, "turns": turns})
    return f'{{"{DATA}": {{"dialogues": {json_list(dialogues).rstrip()}}}}}\n'


def sniff(source: Source) -> bool:
    """Tell it by the entry that holds the dialogues."""
    return isinstance(the_object(source).get(DATA), dict)


FORMAT = Format.of(globals(), "superdialseg", (".json",), {"documents"}, needs_units=True)
