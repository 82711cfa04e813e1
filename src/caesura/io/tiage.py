"""TIAGE's JSON: dialogues by number, each a list of an utterance and whether the topic shifts with it.

Xie et al. (2021), TIAGE: a benchmark for topic-shift aware dialog modeling. The mark is "1" where the
utterance begins a new topic, "0" where it does not, and "-1" for a dialogue's first utterance.
"""

from __future__ import annotations

import json
from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.rows import lists_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

FIRST, SAME, SHIFT = "-1", "0", "1"


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    data = source.json
    if not isinstance(data, dict) or not data:
        raise CorpusError(f"expected an object of dialogues, not {shortened(data)}")
    builder = CorpusBuilder()
    for document, dialogue in data.items():
        if not isinstance(dialogue, list) or not dialogue:
            raise CorpusError(
                f"document {document} is {shortened(dialogue)}: expected a list of [utterance, mark]"
            )
        marks = [_mark(document, index, turn) for index, turn in enumerate(dialogue)]
        positions = [index for index, mark in enumerate(marks) if index and mark == SHIFT]
        builder.add(document, REFERENCE, Segmentation.from_positions(positions, len(marks)))
        builder.add_text(document, [utterance for utterance, _ in dialogue])
    return Contents(Corpus.build(builder))


def _mark(document: str, index: int, turn: Any) -> str:
    if not isinstance(turn, list) or len(turn) != 2 or not isinstance(turn[0], str):
        raise CorpusError(
            f"document {document}: utterance {index} is {shortened(turn)}: expected [utterance, mark]"
        )
    mark = str(turn[1])
    if mark not in (SAME, SHIFT) and (mark != FIRST or index):
        raise CorpusError(
            f"document {document}: the mark of utterance {index} is {shortened(turn[1])}: "
            'expected "1" for a topic shift or "0" for none ("-1" stands only at the first)'
        )
    return mark


def write(corpus: Corpus, extension: str) -> str:
    """Return the dialogues, one per line."""
    lines = []
    shifts = lists_of(corpus.codings.offsets, corpus.codings.positions)
    for document, positions in zip(corpus.documents, shifts, strict=True):
        utterances = corpus.units[document]
        marks = [FIRST, *[SAME] * (len(utterances) - 1)]
        for position in positions:
            marks[position] = SHIFT
        turns = list(zip(utterances, marks, strict=True))
        lines.append(f"{json.dumps(document, ensure_ascii=False)}: {json.dumps(turns, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def sniff(source: Source) -> bool:
    """Tell it by the first utterance: text and a mark."""
    data = source.json_or_none
    if not isinstance(data, dict) or not data:
        return False
    dialogue = next(iter(data.values()))
    turn = dialogue[0] if isinstance(dialogue, list) and dialogue else None
    return isinstance(turn, list) and len(turn) == 2 and isinstance(turn[0], str)


FORMAT = Format(
    "tiage",
    "TIAGE's JSON of dialogues with a topic-shift mark per utterance",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "units"}),
    needs_units=True,
    example='{"7": [["Do you like tea?", "-1"], ["I do.", "0"], ["How was your trip?", "1"]]}\n',
    notes="An utterance is a unit; a mark of 1 says that the topic shifts with it.",
)
