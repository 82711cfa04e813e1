"""Spans JSON, caesura's own format for what other programs export: segments as places in a text or in time.

``{"axis": "characters", "documents": [...]}``; each document has a name in ``document`` and its ``codings``,
by coder: a list of spans ``[start, end]``, half-open, or ``{"boundaries": [...]}``, places between segments.
The axis is characters (code points), seconds or count, and may also stand in a document. A document of
characters has its ``text``; without one, ``end`` (and ``start``, if not 0) says where it ends. ``units`` are
what a boundary may stand between: null (each character, or each instant of 0.1 µs), a list of spans, "word",
"line", "paragraph" or "sentence" of the text, or a number, the step of a uniform grid. ``texts`` are the
texts of these units, where there is no running text. Types of boundaries are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, TypeAlias, TypedDict

import numpy as np

from caesura.arrays import FloatArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import Contents, Format, notes_of
from caesura.io.files import Source, shortened
from caesura.io.json_files import fits, json_of, named_only, shaped
from caesura.io.messages import within
from caesura.io.spans import add_places, add_segments
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import AXES, BY, INSTANT, Axis, Units
from caesura.wording import counted, listed

CHARACTERS, SECONDS, _ = AXES
KEYS = ("document", "axis", "text", "texts", "start", "end", "units", "codings")
BOUNDARIES = "boundaries"
N_DECIMALS = 7
"""Decimals of a time: those of an instant."""


def read(source: Source) -> Contents:
    """Read all documents and codings."""
    data = source.json
    if not fits(data, Export) or not data["documents"]:
        raise CorpusError(f'expected an object with a list of "documents", not {shortened(data)}')
    builder = CorpusBuilder()
    moved = _Moves()
    for index, record in enumerate(data["documents"]):
        name = _name(record, index)
        with within(f"document {name}"):
            if builder.has_document(name):
                raise CorpusError(f"it is there twice, again at documents[{index}]; rename one")
            units = _units(record, record.get("axis", data.get("axis")))
            _add_units(builder, name, units, record.get("texts"))
        own = shaped({"codings": record.get("codings")}, dict[str, Codings | None], f"document {name}")
        for coder, coding in (own["codings"] or {}).items():
            _add_coding(builder, source, name, coder, units, coding, moved)
    return Contents(Corpus.build(builder), [*moved.notices()])


Codings: TypeAlias = Annotated[dict[str, Any], "{coder: spans}"]


class Export(TypedDict):
    """What the file holds, beside the axis that all documents may have in common."""

    documents: list[Any]


class _Moves:
    """Boundaries that stood inside of units, and how far they went."""

    def __init__(self) -> None:
        self.n, self.largest = 0, 0.0

    def notices(self) -> Iterator[str]:
        if self.n:
            yield (
                f"{counted(self.n, 'boundary', 'boundaries')} stood inside a unit and moved to its nearer "
                f"end, by up to {self.largest:g}"
            )


def _name(record: Any, index: int) -> str:
    if "document" not in shaped(record, dict[str, Any], f"documents[{index}]"):
        raise CorpusError(f'documents[{index}] has no "document", its name')
    name = named_only(record["document"], f"name of documents[{index}]")
    for key in record:
        if key not in KEYS:
            raise CorpusError(f"document {name}: {shortened(key)} says nothing; {did_you_mean(key, KEYS)}")
    return name


# -------------------------------------------------------------------- units


def _units(record: dict[str, Any], axis: Any) -> Units:
    """Return the units of a document, and with them where it starts and ends."""
    if axis not in AXES:
        raise CorpusError(f"the axis is {shortened(axis)}: expected {listed(AXES, last='or')}")
    text, units = record.get("text"), record.get("units")
    if text is not None:
        _check_text(record, axis, text)
    if isinstance(units, str):
        if text is None:
            raise CorpusError(f"units is {shortened(units)}, which needs a text")
        if units not in BY:
            raise CorpusError(f"units is {shortened(units)}: expected spans or one of {', '.join(BY)}")
        return Units.from_text(text, by=units)
    if isinstance(units, list):
        return _listed_units(record, units, axis, text)
    step = _step(units, axis)
    if text is not None:
        if step != 1:
            raise CorpusError(f"units is {shortened(units)}: a text is counted in characters; leave it out")
        return Units.from_text(text, by="character")
    if record.get("end") is None:
        raise CorpusError(f"it has no {'text and no ' if axis == CHARACTERS else ''}end: where does it end?")
    start, end = (_number(key, record.get(key), axis) for key in ("start", "end"))
    return Units.every(step, end, axis, start=start)


def _check_text(record: dict[str, Any], axis: Any, text: Any) -> None:
    """Refuse a text that is none, or whose characters are not what is counted from start to end."""
    if not isinstance(text, str) or not text:
        raise CorpusError(f"text is {shortened(text)}: expected text")
    if axis != CHARACTERS:
        raise CorpusError(f"it has a text, but its axis is {axis}; put the units' texts in 'texts'")
    for key, expected in (("start", 0), ("end", len(text))):
        if record.get(key, expected) not in (None, expected):
            raise CorpusError(
                f"{key} is {shortened(record[key])} where the text goes from 0 to {len(text)}; leave it out "
                "(offsets count code points)"
            )


def _listed_units(record: dict[str, Any], units: list[Any], axis: Axis, text: str | None) -> Units:
    spans = [_span(f"units[{index}]", span, axis) for index, span in enumerate(units)]
    found = Units.from_spans(spans, axis, text=text)
    for key, own in (("start", found.origin), ("end", found.end)):
        if text is None and record.get(key) is not None and _number(key, record[key], axis) != own:
            raise CorpusError(f"{key} is {shortened(record[key])} where the units {key} at {own:g}")
    return found


def _step(units: Any, axis: Axis) -> float:
    if units is None:
        return INSTANT if axis == SECONDS else 1
    if isinstance(units, bool) or not isinstance(units, (int, float)) or not 0 < units < math.inf:
        raise CorpusError(
            f"units is {shortened(units)}: expected null, a list of spans, the step of a grid, or one of "
            f"{', '.join(BY)}"
        )
    if axis != SECONDS and units != int(units):
        raise CorpusError(f"units is {shortened(units)}: {axis} are counted in whole numbers")
    return units


def _number(what: str, value: Any, axis: Axis) -> float:
    """Return a place on an axis; a start that is not there is 0."""
    if value is None and what == "start":
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CorpusError(f"{what} is {shortened(value)}: expected a number")
    if not abs(value) <= MAX_NUMBER:
        raise CorpusError(f"{what} is {shortened(value)}: no document is so long")
    if axis != SECONDS and value != int(value):
        raise CorpusError(f"{what} is {shortened(value)}: {axis} are counted in whole numbers")
    return value


def _span(what: str, value: Any, axis: Axis) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise CorpusError(f"{what} is {shortened(value)}: expected [start, end]")
    return _number(f"{what}[0]", value[0], axis), _number(f"{what}[1]", value[1], axis)


def _add_units(builder: CorpusBuilder, document: str, units: Units, texts: Any) -> None:
    builder.add_units(document, units)
    if texts is None:
        return
    if units.text is not None:
        raise CorpusError("it has both 'text' and 'texts'; keep one of them")
    if not fits(texts, list[str]):
        raise CorpusError(f"texts is {shortened(texts)}: expected a list of texts")
    if len(texts) != len(units):
        raise CorpusError(f"it has {counted(len(units), 'unit')} but {counted(len(texts), 'text')}")
    builder.add_text(document, texts)


# -------------------------------------------------------------------- codings


def _add_coding(
    builder: CorpusBuilder,
    source: Source,
    document: str,
    coder: str,
    units: Units,
    coding: Any,
    moved: _Moves,
) -> None:
    with within(f"document {document}: coder {coder}"):
        if isinstance(coding, dict) and list(coding) == [BOUNDARIES]:
            places = _places(coding[BOUNDARIES], units)
            placed = add_places(builder, document, coder, units, places)
        else:
            spans = _spans(coding, units)
            placed = None
    if placed is None:
        placed = add_segments(builder, source, document, coder, units, spans)
    moved.n += placed.moved
    moved.largest = max(moved.largest, placed.largest_move)


def _places(values: Any, units: Units) -> list[float]:
    if not isinstance(values, list):
        raise CorpusError(f"{BOUNDARIES} is {shortened(values)}: expected a list of places")
    places = [_number(f"{BOUNDARIES}[{index}]", value, units.axis) for index, value in enumerate(values)]
    for index, place in enumerate(places):
        if not units.origin <= place <= units.end:
            raise CorpusError(
                f"{BOUNDARIES}[{index}] is {place:g}: the document goes from {units.origin:g} to "
                f"{units.end:g}"
            )
    return places


def _spans(values: Any, units: Units) -> Sequence[tuple[float, float]] | FloatArray:
    if not isinstance(values, list):
        raise CorpusError(f'it is {shortened(values)}: expected a list of spans or {{"{BOUNDARIES}": [...]}}')
    if not values:
        raise CorpusError(
            "there is no span: leave the coder out who has not coded it; one segment is "
            f'{{"{BOUNDARIES}": []}}'
        )
    if _are_whole(values):
        return np.array(values, dtype=np.float64)
    return [_span(f"spans[{index}]", value, units.axis) for index, value in enumerate(values)]


def _are_whole(values: list[Any]) -> bool:
    """Whether all are pairs of whole numbers, of which nothing is left to check one by one."""
    if set(map(type, values)) != {list} or set(map(len, values)) != {2}:
        return False
    numbers = list(chain.from_iterable(values))
    return set(map(type, numbers)) == {int} and min(numbers) >= -MAX_NUMBER and max(numbers) <= MAX_NUMBER


# -------------------------------------------------------------------- writing


def write(corpus: Corpus, extension: str) -> str:
    """Return a document per line, with the boundaries of each coder."""
    axes = {corpus.spans[document].axis for document in corpus.documents}
    common = axes.pop() if len(axes) == 1 else None
    lines = [json_of(_record(corpus, name, common)) for name in corpus.documents]
    head = "" if common is None else f'"axis": "{common}", '
    return f'{{{head}"documents": [\n' + ",\n".join(lines) + "\n]}\n"


def _record(corpus: Corpus, document: str, axis: Axis | None) -> dict[str, Any]:
    units = corpus.spans[document]
    record: dict[str, Any] = {"document": document}
    if axis is None:
        record["axis"] = units.axis
    texts = corpus.units.get(document)
    has_own_texts = texts is not None and (units.text is None or units.is_grid or units.texts != texts)
    if has_own_texts:
        record["texts"] = texts
    elif units.text is not None:
        record["text"] = units.text
    record |= _written_units(units, "text" in record)
    record["codings"] = {
        coder: {BOUNDARIES: _written_places(document, coder, units, segmentation)}
        for coder, segmentation in corpus[document].items()
    }
    return record


def _written_units(units: Units, has_text: bool) -> dict[str, Any]:
    """Return what says where units stand, as short as it can be said."""
    if not units.is_grid:
        return {"units": units.spans}
    if has_text and (units.step, units.origin, units.end) == (1, 0, len(units.text or "")):
        return {}
    edges: dict[str, Any] = {"start": _plain(units.origin)} if units.origin else {}
    edges["end"] = _plain(units.end)
    is_finest = units.step == (INSTANT if units.axis == SECONDS else 1)
    return edges if is_finest else {**edges, "units": _plain(units.step or 1)}


def _plain(number: float) -> float:
    """Return a whole number as one."""
    return int(number) if number == int(number) else number


def _written_places(document: str, coder: str, units: Units, segmentation: Segmentation) -> list[float]:
    """Return where the boundaries stand, such that they are read back where they were."""
    exact = units.offsets(segmentation)
    for places in (np.round(exact, N_DECIMALS), exact):
        placed = units.place(places)
        if placed.moved == 0 and placed.segmentation == segmentation:
            return [_plain(place) for place in places.tolist()]
    raise CorpusError(
        f"document {document}: coder {coder}: a boundary stands beside a unit without a length, so that its "
        "place does not say where; write jsonl"
    )


def sniff(source: Source) -> bool:
    """Tell it by documents with a name each, and by an axis or codings."""
    data = source.json_or_none
    documents = data.get("documents") if isinstance(data, dict) else None
    if not isinstance(documents, list) or not documents or not isinstance(documents[0], dict):
        return False
    return "document" in documents[0] and ("axis" in data or "codings" in documents[0])


EXAMPLE = """\
{"axis": "characters", "documents": [
  {"document": "rain", "text": "It rained all day. We stayed at home.",
   "codings": {"ann": [[0, 18], [19, 37]], "bob": {"boundaries": []}}},
  {"document": "talk", "axis": "seconds", "end": 120.5,
   "codings": {"ann": {"boundaries": [40, 82.25]}}}
]}
"""

FORMAT = Format(
    "spans",
    "caesura's own JSON of segments in a text or in time, for everything else",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "units", "places"}),
    needs_axis="any",
    codings="optional",
    example=EXAMPLE,
    notes=notes_of(__doc__),
)
