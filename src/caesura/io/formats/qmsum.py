"""QMSum's JSON of a meeting with the spans of its topics, or JSON Lines of several.

A meeting of turns, and topics that are spans of them. Zhong et al. (2021), QMSum: a new benchmark for
query-based multi-domain meeting summarization. ``meeting_transcripts`` is a list of turns with ``speaker``
and ``content``, which are the units (``speaker: content``); an entry of ``topic_list`` has
``relevant_text_span``, pairs such as ["2", "73"] of the first and the last turn, counted from 0. Each pair is
a segment. Topics may overlap or skip turns; ``overlap`` and ``gaps`` are the rules. A
file of several meetings, one per line, calls each by its number. Titles of topics and queries are not kept.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypedDict

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, Segments, only_coding, read_records
from caesura.io.files import Source, shortened
from caesura.io.json_files import Record, first_record, json_list, records_of, shaped
from caesura.io.spans import span_of_turns
from caesura.values.corpus import Corpus
from caesura.values.units import Units

TURNS, TOPICS, SPANS = "meeting_transcripts", "topic_list", "relevant_text_span"
SPEAKER, CONTENT = "speaker", "content"
COLON = ": "

Pairs: TypeAlias = Annotated[list[Any], "a list of pairs"]


class Turn(TypedDict):
    """A turn of a meeting."""

    speaker: str
    content: str


class Topic(TypedDict):
    """A topic, with the first and last turn of each part."""

    relevant_text_span: Pairs


class Meeting(TypedDict):
    """A meeting and its topics."""

    meeting_transcripts: list[Turn]
    topic_list: Annotated[list[Topic], "a list of topics"]


def read(source: Source) -> Contents:
    """Read meetings with their texts; one without topics is not coded."""
    source.options.use("overlap", "gaps")
    meetings = list(records_of(source))
    if len(meetings) == 1:
        meetings = [meetings[0]._replace(where="", key=source.name)]
    return read_records(source, meetings, _document, "meetings")


def _document(record: Record[dict[str, Any]]) -> Document:
    if not isinstance(record.value.get(TURNS), list) or not record.value[TURNS]:
        raise CorpusError(f"expected an object with a list {TURNS}, not {shortened(record.value)}")
    meeting = shaped(record.value, Meeting)
    spoken = ((turn["speaker"], turn["content"]) for turn in meeting["meeting_transcripts"])
    texts = [f"{speaker}{COLON}{content}" if speaker else content for speaker, content in spoken]
    spans = [
        _span(f"{TOPICS}[{index}]: {SPANS}", pair, len(texts))
        for index, topic in enumerate(meeting["topic_list"])
        for pair in topic["relevant_text_span"]
    ]
    if not spans:
        return Document(record.key, {}, texts, notices=[f"{TOPICS} has no spans: this meeting is not coded"])
    units = Units.every(1, end=len(texts), axis="count")
    return Document(record.key, {REFERENCE: Segments(spans)}, texts, units)


def _span(where: str, pair: Any, n_turns: int) -> tuple[int, int]:
    """Return a topic's half-open span."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise CorpusError(f'{where} has {shortened(pair)}: expected first and last turn, such as ["2", "73"]')
    return span_of_turns(where, pair[0], pair[1], n_turns)


def write(corpus: Corpus, extension: str) -> str:
    """Return the meeting, a turn per line, with the text before a colon as the speaker."""
    document, _, segmentation = only_coding(corpus)
    texts = corpus.units[document]
    topics = [{"topic": "", SPANS: [[str(start), str(end - 1)]]} for start, end in segmentation.to_spans()]
    parts = ((text, *text.partition(COLON)) for text in texts)
    turns = [
        {SPEAKER: speaker, CONTENT: content} if speaker and colon else {SPEAKER: "", CONTENT: text}
        for text, speaker, colon, content in parts
    ]
    return f'{{\n"{TOPICS}": {json_list(topics).rstrip()},\n"{TURNS}": {json_list(turns).rstrip()}\n}}\n'


def sniff(source: Source) -> bool:
    """Recognize it by the turns of the first meeting."""
    return TURNS in first_record(source)


FORMAT = Format.of(globals(), "qmsum", (".json", ".jsonl"), needs_units=True)
