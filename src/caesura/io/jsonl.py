"""JSON Lines: one coding per line; the one text format that keeps everything a corpus holds.

A line has ``document``, ``coder`` and one of ``masses``, ``gaps``, ``labels``, or ``positions`` with
``n_units`` (and ``types``). ``units``, the document's text, may stand on any of its lines. A first line
``{"type_scheme": {"names": {"1": "minor"}, "nominal": false}}`` says what the types mean; with
``"ranks": true`` they are the ranks of hierarchies.
"""

from __future__ import annotations

import json
import re
from typing import Any

from caesura.errors import CorpusError, SegmentationError, did_you_mean
from caesura.io.base import Format, named_only
from caesura.io.files import MAX_LINE, Source, check_line, parse_json, shortened
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme

FORMS = ("masses", "positions", "gaps", "labels")
FIRST_OBJECT = re.compile(r"\s*\{[^\r\n]*")


def read(source: Source) -> Corpus:
    """Read all lines."""
    codings: dict[str, dict[str, Segmentation]] = {}
    units: dict[str, tuple[str, ...]] = {}
    scheme = None
    for number, line in enumerate(source.lines, start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            if number == 1 and isinstance(record, dict) and "type_scheme" in record:
                scheme = TypeScheme.from_dict(record["type_scheme"])
            else:
                _add(record, codings, units)
        except CorpusError as error:
            raise CorpusError(f"line {number}: {error}") from None
    if not codings:
        raise CorpusError("there are no codings; expected one per line, with document, coder and masses")
    return Corpus.from_dict(codings, units=units, type_scheme=scheme)


def _add(record: Any, codings: dict[str, dict[str, Segmentation]], units: dict[str, tuple[str, ...]]) -> None:
    if not isinstance(record, dict):
        raise CorpusError(f"expected an object with document, coder and masses, not {shortened(record)}")
    for key in ("document", "coder"):
        if key not in record:
            raise CorpusError(f"there is no {key!r}; {did_you_mean(key, record)}")
    document, coder = record["document"], record["coder"]
    if type(document) is not str or type(coder) is not str:
        document, coder = named_only(document, "document"), named_only(coder, "coder")
    try:
        segmentation = _segmentation(record)
    except (CorpusError, SegmentationError) as error:
        raise CorpusError(f"document {document}: coder {coder}: {error}") from None
    if codings.setdefault(document, {}).setdefault(coder, segmentation) is not segmentation:
        raise CorpusError(f"document {document} already has a coding by {coder}; remove one")
    if record.get("units") is not None:
        text = _units(document, record["units"])
        if units.setdefault(document, text) != text:
            raise CorpusError(f"document {document}: its units differ from those on an earlier line")


def _segmentation(record: dict[str, Any]) -> Segmentation:
    forms = [form for form in FORMS if form in record]
    if len(forms) != 1:
        forms = [form for form in forms if record[form] is not None]  # data frames write all their columns
        if len(forms) > 1:
            raise CorpusError(f"there are both {forms[0]!r} and {forms[1]!r}; keep one of them")
        if not forms:
            raise CorpusError(f"there is no segmentation: expected one of {', '.join(FORMS)}")
    (form,) = forms
    value = record[form]
    if form == "gaps":
        return Segmentation.from_gaps(value)
    if not isinstance(value, list):
        raise CorpusError(f"{form} is {shortened(value)}: expected a list")
    if form == "masses":
        return Segmentation.from_masses(value)
    if form == "labels":
        return Segmentation.from_labels(value)
    if "n_units" not in record:
        raise CorpusError("'positions' need 'n_units' beside them")
    return Segmentation.from_positions(value, record["n_units"], record.get("types"))


def _units(document: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise CorpusError(f"document {document}: units is {shortened(value)}: expected a list of texts")
    for index, text in enumerate(value):
        if not isinstance(text, str):
            raise CorpusError(f"document {document}: units[{index}] is {shortened(text)}: expected text")
    return tuple(value)


def write(corpus: Corpus, extension: str) -> str:
    """Return a line per coding; a document's text stands on its first line."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines = []
    if corpus.type_scheme is not None:
        lines.append(encode({"type_scheme": corpus.type_scheme.to_dict()}))
    told: set[str] = set()
    for document, coder, segmentation in corpus:
        record: dict[str, Any] = {"document": document, "coder": coder}
        if segmentation.is_plain:
            record["masses"] = segmentation.masses
        else:
            record["n_units"] = segmentation.n_units
            record["positions"] = [position for position, _ in segmentation.boundaries]
            record["types"] = [kind for _, kind in segmentation.boundaries]
        if document in corpus.units and document not in told:
            record["units"] = corpus.units[document]
            told.add(document)
        lines.append(encode(record))
        check_line(lines[-1], len(lines))
    return "\n".join(lines) + "\n"


def sniff(source: Source) -> bool:
    """Tell it by the first line, an object with a document and a coder (or a type scheme)."""
    first = FIRST_OBJECT.match(source.text)
    if not first or first.end() > MAX_LINE:
        return bool(first)  # reading says that the line is too long
    try:
        record = parse_json(first.group())
    except CorpusError:
        return False
    return {"document", "coder"} <= record.keys() or "type_scheme" in record


FORMAT = Format(
    "jsonl",
    "JSON Lines with a coding per line; keeps types, their names and text",
    (".jsonl", ".ndjson"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types", "type scheme", "units"}),
)
