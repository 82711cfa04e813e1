"""TIAGE's JSON: dialogues by number, each a list of an utterance and whether the topic shifts with it.

Xie et al. (2021), TIAGE: a benchmark for topic-shift aware dialog modeling. The mark is "1" where the
utterance begins a new topic, "0" where it does not, and "-1" for a dialogue's first utterance.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.json_files import entries_of, fits, json_object, shaped
from caesura.values.builder import CorpusBuilder
from caesura.values.columns import lists_of
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

FIRST, SAME, SHIFT = "-1", "0", "1"

Turn: TypeAlias = Annotated[tuple[str, str | int], "[utterance, mark]"]


def read(source: Source) -> Contents:
    """Read all dialogues with their text."""
    builder = CorpusBuilder()
    for document, dialogue in entries_of(source.json, "dialogues").items():
        turns = shaped(dialogue, list[Turn], f"document {document}", each="utterance")
        for index, (_, mark) in enumerate(turns):
            if str(mark) not in (SAME, SHIFT) and (str(mark) != FIRST or index):
                raise CorpusError(
                    f"document {document}: the mark of utterance {index} is {shortened(mark)}: "
                    'expected "1" for a topic shift or "0" for none ("-1" stands only at the first)'
                )
        positions = [index for index, (_, mark) in enumerate(turns) if index and str(mark) == SHIFT]
        builder.add(document, REFERENCE, Segmentation.from_positions(positions, len(turns)))
        builder.add_text(document, [utterance for utterance, _ in turns])
    return Contents(Corpus.build(builder))


def write(corpus: Corpus, extension: str) -> str:
    """Return the dialogues, one per line."""
    dialogues = {}
    shifts = lists_of(corpus.codings.offsets, corpus.codings.positions)
    for document, positions in zip(corpus.documents, shifts, strict=True):
        utterances = corpus.units[document]
        marks = [FIRST, *[SAME] * (len(utterances) - 1)]
        for position in positions:
            marks[position] = SHIFT
        dialogues[document] = list(zip(utterances, marks, strict=True))
    return json_object(dialogues)


def sniff(source: Source) -> bool:
    """Tell it by the first utterance: text and a mark."""
    data = source.json_or_none
    dialogue = next(iter(data.values()), None) if isinstance(data, dict) else None
    return isinstance(dialogue, list) and fits(dialogue[:1], list[tuple[str, object]]) and bool(dialogue)


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
