"""doccano's JSON Lines of texts with spans, a coder per file.

A text per line with its spans, one coder per file. Units are characters. Spans are ``[start, end, label]`` in
``label`` or ``labels``, or objects with ``start_offset`` and ``end_offset`` in ``entities`` or
``annotations``; the text is in ``text`` or ``data``. ``tiers`` chooses spans by label; a text without spans
is not coded. The coder is the file's name, or the ``user`` of a span. doccano numbers the same text
differently in each project, so the name of a document is made from its text: the first words and a digest.
Files of several coders then match in any order; ``document="id"`` takes names from a field instead. Labels
and relations are not kept. One coder is written in the first form, with the document's name as ``id``;
several coders in the second form, with the ``user`` of each span.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, Documents, Format, Segments
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import entry_in, first_record, json_lines, named_only, records_of, shaped_entry
from caesura.io.spans import characters_of, checked_span, running_text, segments_of
from caesura.values.corpus import Corpus
from caesura.wording import counted

Spans: TypeAlias = Annotated[list[Any], "a list of spans"]

TEXT_KEYS = ("text", "data")
SPAN_KEYS = ("label", "labels", "entities", "annotations")
CLASS_KEYS = ("label", "labels")
"""Keys of labels of whole texts."""

LABEL = "segment"
"""The label of written spans."""

LOOKED_AT = 60
"""Characters of a text with the words for its name."""

N_WORDS = 3
LONGEST_WORD = 12
N_DIGITS = 8


def read(source: Source) -> Contents:
    """Read all lines with their texts."""
    documents = Documents(source)
    field = source.options.get("document")
    called: Counter[str] = Counter()
    n_relations = 0
    for where, _, record in records_of(source):
        with within(where):
            text = entry_in(record, TEXT_KEYS)
            units = characters_of(text)
            named = None if field is None else entry_in(record, [field], " to name the document")
            name = _name_apart(text, called) if field is None else named_only(named, field)
            codings = _codings(documents, record, units.n_units)
            documents.add(Document(name, codings, units=units))
        relations = record.get("relations")
        n_relations += len(relations) if isinstance(relations, list) else 0
    if n_relations:
        documents.notices.append(f"{counted(n_relations, 'relation')} between spans left out")
    return documents.contents("texts; expected one per line, with its spans")


def _name_apart(text: str, called: Counter[str]) -> str:
    """Return the name of a text; a repeated text gets a number."""
    name = name_of_text(text)
    called[name] += 1
    return name if called[name] == 1 else f"{name}-{called[name]}"


def name_of_text(text: str) -> str:
    """Return the name of a document made from its text.

    >>> name_of_text("It rained all day. We stayed.")
    'It-rained-all-ee3a67c3'
    """
    words = re.findall(r"\w+", text[:LOOKED_AT])[:N_WORDS]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:N_DIGITS]
    return "-".join([*(word[:LONGEST_WORD] for word in words), digest])


def _codings(documents: Documents, record: dict[str, Any], length: int) -> dict[str, Segments]:
    """Return the spans by coder; without spans, an empty list for the file's coder."""
    if (key := next((key for key in SPAN_KEYS if key in record), None)) is None:
        raise CorpusError(f"there are no spans; expected one of {', '.join(SPAN_KEYS)}")
    marked = shaped_entry(record, key, Spans | None) or []
    if _are_classes(marked):
        fault = f"{key} is {shortened(marked)}: labels of whole texts, not of spans"
        raise CorpusError(f"{fault}; export a project that labels spans (sequence labeling)")
    file_coder = documents.source.name
    spans: dict[str, list[tuple[int, int]]] = {} if marked else {file_coder: []}
    for index, value in enumerate(marked):
        with within(f"{key}[{index}]"):
            start, end, label, user = _span(value)
            span = checked_span(start, end, length)
            own = spans.setdefault(file_coder if user is None else named_only(user, "user"), [])
        if documents.takes([str(label)]):
            own.append(span)
    return {coder: Segments(own) for coder, own in spans.items()}


def _span(span: Any) -> tuple[Any, Any, Any, Any]:
    """Return start, end, label and user of a span of either form."""
    if isinstance(span, list) and len(span) in (2, 3):
        return span[0], span[1], span[2] if len(span) == 3 else None, None
    if not isinstance(span, dict) or not {"start_offset", "end_offset"} <= span.keys():
        raise misfit("it", span, "[start, end, label], or start_offset and end_offset")
    return span["start_offset"], span["end_offset"], span.get("label"), span.get("user")


def write(corpus: Corpus, extension: str) -> str:
    """Return a text per line, with the segments of one coder or, by user, of several."""
    return json_lines(_record(corpus, document) for document in corpus.documents)


def _record(corpus: Corpus, document: str) -> dict[str, Any]:
    spans = [
        {"start_offset": start, "end_offset": end, "user": coder}
        for coder, segmentation in corpus[document].items()
        for start, end, _ in segments_of(corpus, document, segmentation)
    ]
    record: dict[str, Any] = {"id": document, "text": running_text(corpus, document)}
    if len(corpus.coders) > 1:
        return {**record, "entities": [{"id": i, "label": LABEL, **span} for i, span in enumerate(spans, 1)]}
    return {**record, "label": [[span["start_offset"], span["end_offset"], LABEL] for span in spans]}


def leaves_out(corpus: Corpus, path: Path) -> Iterator[str]:
    """Yield the names that change."""
    if len(corpus.coders) == 1 and corpus.coders != (path.stem,):
        yield f"the coder's name (it will be {path.stem})"
    called: Counter[str] = Counter()
    texts = ((document, corpus.spans[document].text) for document in corpus.documents)
    if any(text is not None and _name_apart(text, called) != document for document, text in texts):
        yield 'the documents\' names, unless read with document="id"'


def sniff(source: Source) -> bool:
    """Recognize it by a text and a list of its spans in the first record."""
    record = first_record(source)
    key = next((key for key in SPAN_KEYS if key in record), "")
    marked = record.get(key)
    has_text = any(isinstance(record.get(key), str) for key in TEXT_KEYS)
    if not has_text or not isinstance(marked, list) or not record.keys().isdisjoint(("metadata", "coder")):
        return False
    if key in CLASS_KEYS and _are_classes(marked):
        return "document" not in record  # reading reports that there are no segments
    if not marked and key == "annotations":
        return source.extension == ".jsonl"  # WikiSection's articles, in a list, have the same entry
    first: Any = next(iter(marked), [])
    return isinstance(first, list) or (isinstance(first, dict) and "start_offset" in first)


def _are_classes(marked: list[Any]) -> bool:
    """Return whether these are labels of whole texts, from a classification project."""
    return bool(marked) and all(isinstance(label, str) for label in marked)


needs_axis, codings = "characters", "optional"
FORMAT = Format.of(globals(), "doccano", (".jsonl", ".json"), {"documents", "coders"})
