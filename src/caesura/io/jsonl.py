"""JSON Lines: one coding per line; the one text format that keeps everything a corpus holds.

A line has ``document``, ``coder`` and one of ``masses``, ``gaps``, ``labels``, or ``positions`` with
``n_units`` (and ``types``). ``units``, the document's text, may stand on any of its lines. A first line
``{"type_scheme": {"names": {"1": "minor"}, "nominal": false}}`` says what the types mean; with
``"ranks": true`` they are the ranks of hierarchies.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from caesura.errors import CorpusError, SegmentationError, did_you_mean
from caesura.io.base import Format, named_only
from caesura.io.files import MAX_LINE, Source, check_line, parse_json, shortened
from caesura.io.json_table import read_table
from caesura.io.rows import is_typed, lists_of, masses_of
from caesura.values.arrow import release_unused
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation, SegmentationLike
from caesura.values.type_scheme import TypeScheme

FORMS = ("masses", "positions", "gaps", "labels")

LARGE = 2**20
"""Bytes from which on it takes less time to import pyarrow than to read line by line."""


def read(source: Source) -> Corpus:
    """Read all lines: at once where they are alike and fine, and otherwise one by one."""
    corpus = _read_at_once(source) if source.size >= LARGE else None
    if corpus is None:
        return read_lines(source)
    if corpus.texts is not None:
        release_unused()
    return corpus


def _read_at_once(source: Source) -> Corpus | None:
    table = read_table(source.utf8)
    source.forget()
    return None if table is None else table.corpus()


def read_lines(source: Source) -> Corpus:
    """Read line by line, and say which is wrong."""
    builder = CorpusBuilder()
    scheme = None
    for number, line in enumerate(source.each_line(), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            if number == 1 and isinstance(record, dict) and "type_scheme" in record:
                scheme = TypeScheme.from_dict(record["type_scheme"])
            else:
                _add(record, builder)
        except CorpusError as error:
            raise CorpusError(f"line {number}: {error}") from None
    if not builder:
        raise CorpusError("there are no codings; expected one per line, with document, coder and masses")
    return Corpus.build(builder, type_scheme=scheme)


def _add(record: Any, builder: CorpusBuilder) -> None:
    if not isinstance(record, dict):
        raise CorpusError(f"expected an object with document, coder and masses, not {shortened(record)}")
    for key in ("document", "coder"):
        if key not in record:
            raise CorpusError(f"there is no {key!r}; {did_you_mean(key, record)}")
    document, coder = record["document"], record["coder"]
    if type(document) is not str or type(coder) is not str:
        document, coder = named_only(document, "document"), named_only(coder, "coder")
    try:
        coding = _coding(record)
    except (CorpusError, SegmentationError) as error:
        raise CorpusError(f"document {document}: coder {coder}: {error}") from None
    builder.add(document, coder, coding)
    if record.get("units") is not None and not builder.add_text(document, _units(document, record["units"])):
        raise CorpusError(f"document {document}: its units differ from those on an earlier line")


def _coding(record: dict[str, Any]) -> SegmentationLike:
    """Return the segmentation, or the masses as they stand there."""
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
        return value
    if form == "labels":
        return Segmentation.from_labels(value)
    if "n_units" not in record:
        raise CorpusError("'positions' need 'n_units' beside them")
    return Segmentation.from_positions(value, record["n_units"], record.get("types"))


def _units(document: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        raise CorpusError(f"document {document}: units is {shortened(value)}: expected a list of texts")
    for index, text in enumerate(value):
        if not isinstance(text, str):
            raise CorpusError(f"document {document}: units[{index}] is {shortened(text)}: expected text")
    return value


def write(corpus: Corpus, extension: str) -> str:
    """Return a line per coding; a document's text stands on its first line."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines = []
    if corpus.type_scheme is not None:
        lines.append(encode({"type_scheme": corpus.type_scheme.to_dict()}))
    coders = [encode(coder) for coder in corpus.coders]
    names = zip(corpus.document.tolist(), corpus.coder.tolist(), strict=True)
    told, document_name, texts = -1, "", dict(corpus.units.encoded())
    for (document, coder), coding in zip(names, _codings(corpus), strict=True):
        text = None
        if document != told:
            told, document_name = document, encode(corpus.documents[document])
            text = texts.get(corpus.documents[document])
        units = "" if text is None else f', "units": {encode(list(text))}'
        lines.append(f'{{"document": {document_name}, "coder": {coders[coder]}, {coding}{units}}}')
        check_line(lines[-1], len(lines))
    return "\n".join(lines) + "\n"


def _codings(corpus: Corpus) -> Iterator[str]:
    """Yield each coding as it stands on its line: masses, or positions and types."""
    codings = corpus.codings
    plain = (f'"masses": {masses}' for masses in masses_of(codings))
    if codings.types is None:
        yield from plain
        return
    positions, types = (lists_of(codings.offsets, column) for column in (codings.positions, codings.types))
    rows = zip(is_typed(codings).tolist(), codings.n_units.tolist(), plain, positions, types, strict=True)
    for has_types, n_units, masses, places, kinds in rows:
        yield f'"n_units": {n_units}, "positions": {places}, "types": {kinds}' if has_types else masses


def sniff(source: Source) -> bool:
    """Tell it by the first line, an object with a document and a coder (or a type scheme)."""
    first = source.first_line
    if not first.startswith("{") or len(first) >= MAX_LINE:
        return first.startswith("{")  # reading says that the line is too long
    try:
        record = parse_json(first)
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
