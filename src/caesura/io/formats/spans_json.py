"""caesura's own JSON of segments in a text or in time, for everything else.

``{"axis": "characters", "documents": [...]}``; each document has its name in ``document`` and its ``codings``
by coder: a list of half-open spans ``[start, end]``, or the offsets ``{"boundaries": [...]}``. The axis is
characters (code points), seconds or count; documents may have their own. A document of characters has its
``text``; without one, ``end`` (and ``start``, if not 0) gives its extent. ``units`` are null (each character,
or each instant of 0.1 µs), a list of spans, "word", "line", "paragraph" or "sentence" of the text, or the
step of a uniform grid. ``texts`` are the texts of the units without a running text. Types of boundaries are
not kept.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

import numpy as np

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.base import Contents, Document, Documents, Format
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import Name, fits, json_of, named_only, shaped, shaped_entry, the_object
from caesura.io.spans import placed
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import AXES, BY, INSTANT, Axis, Projection, Units
from caesura.wording import counted, listed

CHARACTERS, SECONDS, _ = AXES
BOUNDARIES = "boundaries"
N_DECIMALS = 7
"""Decimals of an instant."""

UNITS = f"null, a list of spans, the step of a grid, or one of {', '.join(BY)}"

Number: TypeAlias = Annotated[int | float, "a number"]
Pair: TypeAlias = Annotated[tuple[Number, Number], "[start, end]"]


class Export(TypedDict):
    """The content of the file."""

    documents: list[Any]
    axis: NotRequired[Any]


class Entry(TypedDict):
    """A document: its units and codings."""

    document: Name
    axis: NotRequired[Any]
    text: NotRequired[str | None]
    texts: NotRequired[Annotated[list[str], "a list of texts"] | None]
    start: NotRequired[Number | None]
    end: NotRequired[Number | None]
    units: NotRequired[Annotated[str | int | float | list[Pair] | None, UNITS]]
    codings: NotRequired[Annotated[dict[str, Any], "{coder: spans}"] | None]


KEYS = Entry.__annotations__.keys()


def read(source: Source) -> Contents:
    """Read all documents and codings."""
    data = source.json
    if not fits(data, Export) or not data["documents"]:
        raise CorpusError(f'expected an object with a list of "documents", not {shortened(data)}')
    documents = Documents(source)
    projections: list[Projection] = []
    for index, value in enumerate(data["documents"]):
        where = f"documents[{index}]"
        if "document" not in shaped(value, dict[str, Any], where):
            raise CorpusError(f'{where} has no "document", its name')
        name = named_only(value["document"], f"name of {where}")
        with within(f"document {name}"):
            if unknown := [key for key in value if key not in KEYS]:
                raise CorpusError(f"{shortened(unknown[0])} says nothing; {did_you_mean(unknown[0], KEYS)}")
            entry = shaped(value, Entry)
            units = _units(entry, value.get("axis", data.get("axis")))
            codings = {}
            for coder, coding in (entry.get("codings") or {}).items():
                with within(f"coder {coder}"):
                    codings[coder] = _projection(source, coding, units)
            document = Document(name, codings, _texts(entry, units), units)
        with within(where):
            documents.add(document)
        projections += codings.values()
    if n_moved := sum(projection.moved for projection in projections):
        furthest = max(projection.largest_move for projection in projections)
        moved = f"{counted(n_moved, 'boundary', 'boundaries')} stood inside a unit"
        documents.notices.append(f"{moved} and moved to its nearer end, by up to {furthest:g}")
    return documents.contents()


def _units(entry: Entry, axis: Any) -> Units:
    """Return the units of a document, with its start and end."""
    if axis not in AXES:
        raise misfit("the axis", axis, listed(AXES, last="or"))
    text, units, start, end = entry.get("text"), entry.get("units"), entry.get("start"), entry.get("end")
    if text is not None:
        _check_text(entry, axis, text)
    if isinstance(units, str):
        if text is None:
            raise CorpusError(f"units is {shortened(units)}, which needs a text")
        if units not in BY:
            raise misfit("units", units, f"spans or one of {', '.join(BY)}")
        return Units.from_text(text, by=units)
    if isinstance(units, list):
        own = Units.from_spans(_spans("units", units, axis), axis, text=text)
        for key, given, edge in (("start", start, own.origin), ("end", end, own.end)):
            if text is None and given is not None and _place(key, given, axis) != edge:
                raise CorpusError(f"{key} is {shortened(given)} where the units {key} at {edge:g}")
        return own
    step = (INSTANT if axis == SECONDS else 1) if units is None else units
    if not 0 < step < math.inf:
        raise misfit("units", units, "the step of a grid, greater than 0")
    if text is not None:
        if step != 1:
            raise CorpusError(f"units is {shortened(units)}: a text is counted in characters; leave it out")
        return Units.from_text(text, by="character")
    if end is None:
        raise CorpusError(f"it has no {'text and no ' if axis == CHARACTERS else ''}end: where does it end?")
    _place("units", step, axis if units is not None else SECONDS)
    return Units.every(step, _place("end", end, axis), axis, start=_place("start", start or 0, axis))


def _check_text(entry: Entry, axis: Axis, text: str) -> None:
    """Refuse an empty text, and a start or end that is not the text's."""
    if not text:
        raise misfit("text", text, "text")
    if axis != CHARACTERS:
        raise CorpusError(f"it has a text, but its axis is {axis}; put the units' texts in 'texts'")
    for key, given, edge in (("start", entry.get("start"), 0), ("end", entry.get("end"), len(text))):
        if given not in (None, edge):
            raise misfit(key, given, f"{edge}, the text's {key} in code points; leave it out")


def _place(name: str, value: float, axis: Axis) -> float:
    """Return an offset on an axis; refuse an impossible one."""
    if not abs(value) <= MAX_NUMBER:
        raise CorpusError(f"{name} is {shortened(value)}: no document is so long")
    if axis != SECONDS and value != int(value):
        raise CorpusError(f"{name} is {shortened(value)}: {axis} are counted in whole numbers")
    return value


def _spans(name: str, spans: list[tuple[float, float]], axis: Axis) -> list[tuple[float, float]]:
    """Return spans on the axis; refuse an impossible edge."""
    edges = (zip((0, 1), span, strict=True) for span in spans)
    places = ([_place(f"{name}[{i}][{k}]", edge, axis) for k, edge in own] for i, own in enumerate(edges))
    return [(start, end) for start, end in places]


def _texts(entry: Entry, units: Units) -> list[str] | None:
    """Return the texts of units without a running text."""
    texts = entry.get("texts")
    if texts is not None and units.text is not None:
        raise CorpusError("it has both 'text' and 'texts'; keep one of them")
    if texts is not None and len(texts) != len(units):
        raise CorpusError(f"it has {counted(len(units), 'unit')} but {counted(len(texts), 'text')}")
    return texts


def _projection(source: Source, coding: Any, units: Units) -> Projection:
    """Return a coding from its spans or the offsets of its boundaries."""
    if isinstance(coding, dict) and list(coding) == [BOUNDARIES]:
        boundaries = shaped(coding, dict[str, list[Number]])[BOUNDARIES]
        for index, boundary in enumerate(boundaries):
            name = f"{BOUNDARIES}[{index}]"
            if not units.origin <= _place(name, boundary, units.axis) <= units.end:
                raise misfit(name, boundary, f"a place from {units.origin:g} to {units.end:g}")
        return units.place(boundaries)
    if not isinstance(coding, list):
        raise misfit("it", coding, f'a list of spans or {{"{BOUNDARIES}": [...]}}')
    if not coding:
        raise CorpusError(f'there is no span: leave the coder out; one segment is {{"{BOUNDARIES}": []}}')
    spans = shaped_entry({"spans": coding}, "spans", list[Pair])
    return placed(source, units, _spans("spans", spans, units.axis))


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
    if texts is not None and (units.text is None or units.is_grid or units.texts != texts):
        record["texts"] = texts
    elif units.text is not None:
        record["text"] = units.text
    record |= _written_units(units, "text" in record)
    codings = corpus[document].items()
    record["codings"] = {
        coder: {BOUNDARIES: _written_places(document, coder, units, own)} for coder, own in codings
    }
    return record


def _written_units(units: Units, has_text: bool) -> dict[str, Any]:
    """Return the shortest description of the units."""
    if not units.is_grid:
        return {"units": units.spans}
    if has_text and (units.step, units.origin, units.end) == (1, 0, len(units.text or "")):
        return {}
    start = {"start": _plain(units.origin)} if units.origin else {}
    is_finest = units.step == (INSTANT if units.axis == SECONDS else 1)
    return {**start, "end": _plain(units.end), **({} if is_finest else {"units": _plain(units.step or 1)})}


def _plain(number: float) -> float:
    """Return a whole number as an int."""
    return int(number) if number == int(number) else number


def _written_places(document: str, coder: str, units: Units, segmentation: Segmentation) -> list[float]:
    """Return the offsets of the boundaries; refuse ones that would not be read back."""
    exact = units.offsets(segmentation)
    for places in (np.round(exact, N_DECIMALS), exact):
        placed = units.place(places)
        if placed.moved == 0 and placed.segmentation == segmentation:
            return [_plain(place) for place in places.tolist()]
    fault = "a boundary beside a unit without a length has no place of its own"
    raise CorpusError(f"document {document}: coder {coder}: {fault}; write jsonl")


def sniff(source: Source) -> bool:
    """Recognize documents with names, and an axis or codings."""
    data = the_object(source)
    documents = data.get("documents")
    first = documents[0] if isinstance(documents, list) and documents else None
    return isinstance(first, dict) and "document" in first and ("axis" in data or "codings" in first)


needs_axis, codings = "any", "optional"
FORMAT = Format.of(globals(), "spans", (".json",), {"documents", "coders", "units"})
