"""Label Studio's export of spans in texts, dialogues or recordings, as JSON or a table.

A task is a document, named by its ``id``, ``data.id``, or for a single task the file. Its text is
``data.text``, the only text among ``data``, or the field that ``text`` names. An annotation is a coding by
``completed_by``: a number, or an object with ``id`` or ``email``; one without spans is skipped. ``tiers``
chooses spans by label. Units are characters, and offsets count code points; versions before 1.5 counted
halves of UTF-16 after an emoji, and the quoted text then differs. ``lead_time`` is kept as ``seconds``
(``Corpus.details``).

Regions of a recording, whose length they or ``end`` give, are spans in seconds, and units are instants of
0.1 µs. Regions of a dialogue (``paragraphlabels``) are spans of its turns, which are then the units.

Also read: the exports JSON-MIN, CSV and TSV, a row per annotation with ``annotator``; a single task; an
annotation with its task inside, as in target storages; and ``completions``, as annotations were called before
1.0. Labels, relations, choices, predictions, drafts and canceled annotations are not kept. Written as JSON,
for texts only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple, NotRequired, TypeAlias, TypedDict

from caesura.errors import CorpusError, within
from caesura.io import spans
from caesura.io.base import Contents, Document, Documents, Format, Segments, check_named
from caesura.io.files import Source, misfit, parse_json, shortened
from caesura.io.json_files import entry_in, fits, json_list, named_only, number_or, shaped, shaped_entry
from caesura.io.recordings import time_axis, time_from_0
from caesura.io.tables.cells import DELIMITERS, first_rows, rows_of
from caesura.values.corpus import Corpus
from caesura.values.units import Units
from caesura.wording import listed

UNKNOWN = "unknown"
"""The coder of annotations without one."""

SPANS = "labels"
"""The type of results for spans of a plain text or a recording."""

TURNS = "paragraphlabels"
"""The type of results for spans of a dialogue's turns."""

ROW_COLUMNS = {"id", "annotation_id", "annotator"}
"""Columns of a row per annotation, besides its data."""

ROW_KEYS = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
"""Keys of a row of JSON-MIN, besides the data of its task."""

ELSEWHERE = {
    "hypertextlabels": "of HTML, whose offsets are inside of its elements",
    "timelinelabels": "of a video",
    "timeserieslabels": "of a time series",
}
"""Types of results for spans of other material."""


Span: TypeAlias = tuple[float, float]
Seconds: TypeAlias = Annotated[float, "a time in seconds"]


class Task(TypedDict):
    """A document and its annotations, in old versions ``completions``."""

    data: dict[str, Any]
    id: NotRequired[Any]
    annotations: NotRequired[list[dict[str, Any]] | None]
    completions: NotRequired[list[dict[str, Any]] | None]
    predictions: NotRequired[list[Any] | None]
    drafts: NotRequired[list[Any] | None]


class Turn(TypedDict):
    """A turn of a dialogue."""

    text: str


class Material(NamedTuple):
    """The material of a task: a text, a recording, or the turns of a dialogue."""

    units: Units
    turns: Sequence[dict[str, Any]] | None = None


def read(source: Source) -> Contents:
    """Read all tasks with their texts."""
    values = list(_rows(source)) if source.extension in DELIMITERS else source.json
    tasks = shaped(_tasks([values] if isinstance(values, dict) else values), list[Any], each="task")
    documents = Documents(source)
    for index, value in enumerate(tasks):
        name = _name(value, index, source.name if len(tasks) == 1 else None)
        with within(f"task {name}"):
            documents.add(_document(documents, name, shaped(value, Task)))
    return documents.contents()


def _rows(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as in JSON-MIN; cells hold spans as JSON."""
    rows = rows_of(source)
    header = [name.strip() for name in next(rows, (0, []))[1]]
    for number, cells in rows:
        with within(f"line {number}"):
            filled = {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}
            row = {name: parse_json(own) if own.startswith('[{"') else own for name, own in filled.items()}
        yield {"id": None, "annotation_id": None, **row}


def _tasks(values: Any) -> Any:
    """Return any of the exports as tasks with data and annotations."""
    if not isinstance(values, list):
        return values
    tasks: list[Any] = []
    by_id: dict[str, dict[str, Any]] = {}
    for entry in values:
        if _is_row(entry):
            data = {key: own for key, own in entry.items() if isinstance(own, str) and key not in ROW_KEYS}
            if (task := by_id.get(json.dumps(entry["id"]))) is None:
                task = by_id[json.dumps(entry["id"])] = {"id": entry["id"], "data": data, "annotations": []}
                tasks.append(task)
            # The data of rows include choices, which differ between annotations.
            task["data"] = dict(task["data"].items() & data.items())
            names = {"id": "annotation_id", "completed_by": "annotator", "lead_time": "lead_time"}
            own = {key: entry.get(name) for key, name in names.items()}
            task["annotations"].append({**own, "result": list(_results_of_row(entry))})
        else:
            tasks.append({**entry["task"], "annotations": [entry]} if _is_annotation(entry) else entry)
    return tasks


def _is_row(entry: Any) -> bool:
    """Return whether this is a row of JSON-MIN."""
    return isinstance(entry, dict) and "annotation_id" in entry and "id" in entry and "data" not in entry


def _is_annotation(entry: Any) -> bool:
    """Return whether this is an annotation with its task."""
    return isinstance(entry, dict) and "result" in entry and isinstance(entry.get("task"), dict)


def _results_of_row(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the spans of all controls; JSON-MIN has a list for each."""
    for control in row.values():
        for span in control if isinstance(control, list) else []:
            if isinstance(span, dict) and "start" in span:
                kind = next((kind for kind in (SPANS, TURNS, *ELSEWHERE) if kind in span), SPANS)
                yield {"type": kind, "value": span}


def _name(task: Any, index: int, only: str | None) -> str:
    """Return the name of a task's document."""
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise misfit(f"entry {index}", task, "a task with data and annotations")
    name = next((name for name in (task.get("id"), task["data"].get("id"), only) if name is not None), None)
    if name is None:
        raise CorpusError(f"entry {index}: the task has no id; add one, or data.id")
    return named_only(name, f"id of entry {index}")


def _document(documents: Documents, name: str, task: Task) -> Document:
    """Return the document of a task, with a coding for each annotation that is not canceled."""
    annotations = task.get("annotations")
    made: dict[str, dict[str, Any]] = {}
    for index, value in enumerate((task.get("completions") if annotations is None else annotations) or ()):
        own = shortened(value.get("id", f"[{index}]"))
        results = shaped_entry(value, "result", list[dict[str, Any]] | None, f"annotation {own}") or []
        made[own if own not in made else f"[{index}]"] = {**value, "result": results}
    material = _material(task["data"], made, documents.source)
    codings: dict[str, Segments] = {}
    made_by: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for own, annotation in made.items():
        if annotation.get("was_cancelled"):
            documents.left_out["canceled annotation"] += 1
            continue
        with within(f"annotation {own}"):
            coder = _coder(annotation.get("completed_by"))
            if made_by.setdefault(coder, own) != own:
                raise CorpusError(f"coder {coder} made annotation {made_by[coder]}, too; remove one")
            codings[coder] = Segments(_spans(documents, name, annotation, material))
            if annotation.get("lead_time") is not None:
                seconds[coder] = time_from_0(str(annotation["lead_time"]), "lead_time")
    left_out = {"prediction": task.get("predictions"), "draft": task.get("drafts")}
    documents.left_out.update({kind: len(entries or ()) for kind, entries in left_out.items()})
    texts = None if material.turns is None else map(_turn_text, material.turns)
    return Document(name, codings, texts, material.units, seconds=seconds)


def _material(data: dict[str, Any], annotations: dict[str, dict[str, Any]], source: Source) -> Material:
    """Return the material of a task's regions."""
    lengths: dict[float, None] = {}
    text_field, end = source.options.get("text"), source.options.get("end")
    for own, annotation in annotations.items():
        with within(f"annotation {own}"):
            in_all = (_length_of(result, end) for result in annotation["result"])
            lengths |= dict.fromkeys(length for length in in_all if length is not None)
    if len(lengths) > 1:
        raise CorpusError(f"its recording has several lengths, {listed([f'{s:g}' for s in lengths])} s")
    if lengths:
        return Material(time_axis(0.0, next(iter(lengths))))
    fields = data if text_field is None else [text_field]
    dialogues = [data[key] for key in fields if data.get(key) and fits(data[key], list[Turn])]
    if len(dialogues) == 1:
        return Material(Units.every(1, end=len(dialogues[0]), axis="count"), dialogues[0])
    return Material(spans.characters_of(_text(data, text_field)))


def _length_of(result: dict[str, Any], end: float | None) -> float | None:
    """Return the length of a result's recording in seconds, or None for other results."""
    value = result.get("value") if result.get("type") == SPANS else None
    if not isinstance(value, dict):
        return None
    length = result.get("original_length", value.get("original_length", end if "channel" in value else None))
    if length is None and "channel" in value:
        raise CorpusError("the length of its recording is missing; give end= if all are so long")
    return None if length is None else shaped(length, Seconds, "original_length")


def _turn_text(turn: dict[str, Any]) -> str:
    author = turn.get("author", turn.get("speaker"))
    return f"{author}: {turn['text']}" if isinstance(author, str) and author else turn["text"]


def _text(data: dict[str, Any], text_field: str | None) -> Any:
    """Return the text among the data of a task."""
    if text_field is not None:
        return entry_in(data, [text_field], " in data")
    if "text" in data:
        return data["text"]
    texts = [key for key, value in data.items() if isinstance(value, str) and key != "id"]
    if len(texts) != 1:
        raise CorpusError(f"data has no 'text' but {listed(texts) or 'no other texts'}: choose one by text=")
    return data[texts[0]]


def _coder(completed_by: Any) -> str:
    """Return the coder of an annotation."""
    if isinstance(completed_by, dict):
        known = (completed_by.get(key) for key in ("id", "email"))
        completed_by = next((value for value in known if value not in (None, "")), None)
    return UNKNOWN if completed_by is None else named_only(completed_by, "completed_by")


def _spans(documents: Documents, name: str, annotation: dict[str, Any], material: Material) -> list[Span]:
    """Return the chosen spans of an annotation."""
    chosen = []
    for index, result in enumerate(annotation["result"]):
        kind, value = result.get("type"), result.get("value")
        with within(f"result[{index}]"):
            if isinstance(kind, str) and kind in ELSEWHERE:
                raise CorpusError(f"it is of the type {kind}, a span {ELSEWHERE[kind]}, which is not read")
            if kind not in (SPANS, TURNS):
                documents.left_out[kind if isinstance(kind, str) else "result without a type"] += 1
                continue
            if not isinstance(value, dict) or not isinstance(value.get(kind, []), list):
                raise misfit("the value", value, f"start, end and {kind}")
            span = _span(value, kind, material)
        where, parts = f"task {name}, {span[0]} to {span[1]}", [(int(span[0]), int(span[1]))]
        documents.compare_quote(where, material.units.text, parts, value.get("text"))
        if documents.takes(label for label in value.get(kind, []) if isinstance(label, str)):
            chosen.append(span)
    return chosen


def _span(value: dict[str, Any], kind: str, material: Material) -> Span:
    """Return the start and end of a region in the units of its material."""
    if kind == TURNS:
        return _span_of_turns(value, material.turns)
    if material.turns is not None:
        raise CorpusError(f"it is a span of a text, and its task has a dialogue: {shortened(value)}")
    if material.units.axis != "seconds":
        return spans.checked_span(value.get("start"), value.get("end"), len(material.units.text or ""))
    start, end = (shaped(value.get(side), Seconds, side) for side in ("start", "end"))
    if not 0 <= start < end:
        raise CorpusError(f"it starts at {start:g} s and ends at {end:g} s")
    return start, end


def _span_of_turns(value: dict[str, Any], turns: Sequence[dict[str, Any]] | None) -> Span:
    """Return the first turn and the one after the last; the region must cover both ends whole."""
    if turns is None:
        raise CorpusError("it is a span of a dialogue, and its task has none")
    first, stop = spans.span_of_turns("the region", value.get("start"), value.get("end"), len(turns))
    before, after = turns[first]["text"], turns[stop - 1]["text"]
    start = spans.checked_offset("startOffset", value.get("startOffset", 0))
    end = spans.checked_offset("endOffset", value.get("endOffset", len(after)))
    if before[:start].strip():
        raise CorpusError(f"it starts at character {start} of turn {first}: units are turns, mark them whole")
    if after[end:].strip():
        raise CorpusError(f"it ends at character {end} of turn {stop - 1}: units are turns, mark them whole")
    return first, stop


def write(corpus: Corpus, extension: str) -> str:
    """Return a task per document, with an annotation for each coder."""
    check_named(corpus)
    return json_list(_task(corpus, document) for document in corpus.documents)


def _task(corpus: Corpus, document: str) -> dict[str, Any]:
    annotations = []
    for number, (coder, segmentation) in enumerate(corpus[document].items(), start=1):
        results: list[dict[str, Any]] = []
        for start, end, text in spans.segments_of(corpus, document, segmentation):
            value = {"start": start, "end": end, "text": text, "labels": ["segment"]}
            names = {"from_name": "label", "to_name": "text", "type": SPANS}
            results.append({"id": f"{number}-{len(results) + 1}", **names, "value": value})
        by = {} if coder == UNKNOWN else {"completed_by": number_or(coder, {"email": coder})}
        annotations.append({"id": number, **by, "result": results})
    data = {"text": spans.running_text(corpus, document)}
    return {"id": number_or(document, document), "data": data, "annotations": annotations}


def is_label_studio_header(header: Sequence[str]) -> bool:
    """Recognize a table of annotations by its columns."""
    return {name.strip() for name in header} >= ROW_COLUMNS


def sniff(source: Source) -> bool:
    """Recognize the data and annotations of the first task, or the columns of a table."""
    if source.extension in DELIMITERS:
        return any(map(is_label_studio_header, first_rows(source, 1)))
    values = source.json_or_none
    first = values[0] if isinstance(values, list) and values else values
    if not isinstance(first, dict):
        return False
    is_list = isinstance(values, list)
    has_annotations = isinstance(first.get("annotations", []), list) if is_list else "annotations" in first
    is_task = isinstance(first.get("data"), dict) and has_annotations
    return is_task or _is_annotation(first) or (is_list and _is_row(first))


needs_axis, codings = "characters", "optional"
FORMAT = Format.of(globals(), "label-studio", (".json",), {"documents", "coders"})
