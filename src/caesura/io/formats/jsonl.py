"""JSON Lines with a coding per line; keeps types, their names, text and the places of units.

The one text format that keeps everything in a corpus. A line has ``document``, ``coder`` and one of
``masses``, ``gaps``, ``labels``, or ``positions`` with ``n_units`` (and ``types``). ``labels`` have a value
per unit; marks among them (0/1, B/I …) have one meaning in the whole file. ``units``, the texts of the
document's units, may be on any of its lines. A first line ``{"type_scheme": {"names": {"1": "minor"},
"nominal": false}}`` names the types; with ``"ranks": true`` they are the ranks of hierarchies.

``places`` on a line has the offsets of the document's units: ``{"axis": "characters", "spans": [[0, 5], [6,
9]], "text": "It is ..."}``, or, for units of one length, ``{"axis": "seconds", "grid": [0.0, 60.0, 0.5]}``
with the start, the end and the step. The axis is characters, seconds or count; ``text``, the running text, is
optional. With it and without ``units``, the units' texts are its slices (``"units": null``: they have none).
A document without annotations has a line without ``coder``, with ``units`` or ``places``. ``details`` on a
coding's line are further values, such as ``{"seconds": 41, "titles": ["Rain", "Sun"]}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.base import ALL_PARTS, Contents, Format
from caesura.io.files import MAX_LINE, Source, misfit, parse_json, shortened
from caesura.io.json_files import json_of, named_only, shaped, text_of_lines
from caesura.io.json_table import read_table
from caesura.io.spans import places_from, places_of
from caesura.io.tables.cells import marked
from caesura.io.tables.marks import UnitValues, read_marks
from caesura.values.arrow import release_unused
from caesura.values.columns import is_typed, lists_of, masses_of
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, coding_name
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import Segmentation, SegmentationLike
from caesura.values.type_scheme import TypeScheme

FORMS = ("masses", "positions", "gaps", "labels")


Texts: TypeAlias = Annotated[list[str], "a list of texts"]

LARGE = 2**20
"""Bytes above which importing pyarrow is faster than reading line by line."""


def read(source: Source) -> Contents:
    """Read all lines: at once if they are uniform and valid, otherwise one by one."""
    if source.size >= LARGE:
        table = read_table(source.utf8)
        source.forget()
        corpus = None if table is None else table.corpus()
        if corpus is not None:
            if corpus.texts is not None:
                release_unused()
            return Contents(corpus)
    return read_lines(source)


def read_lines(source: Source) -> Contents:
    """Read line by line; errors name the line."""
    builder = CorpusBuilder()
    scheme = None
    details: dict[tuple[str, str], dict[str, Any]] = {}
    waiting: list[tuple[str, Any]] = []  # all lines from the first with labels on
    for number, line in enumerate(source.each_line(), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        with within(where):
            record = parse_json(line)
            if number == 1 and isinstance(record, dict) and "type_scheme" in record:
                scheme = TypeScheme.from_dict(record["type_scheme"])
            elif waiting or has_labels(record):
                waiting.append((where, record))
            else:
                _add(record, builder)
            if isinstance(record, dict) and record.get("details") is not None:
                details[names_of(record)] = shaped(record["details"], dict[str, Any], "details")
    meaning = _add_waiting(waiting, builder, source) if waiting else None
    if not builder.n_documents:
        raise CorpusError("there are no codings; expected one per line, with document, coder and masses")
    corpus = Corpus.build(builder, type_scheme=scheme)
    if details:
        own = [details.get((document, coder), {}) for document, coder, _ in corpus]
        names = dict.fromkeys(name for known in details.values() for name in known)
        corpus = corpus.with_details({name: [known.get(name) for known in own] for name in names})
    return Contents(corpus) if meaning is None else marked("file", corpus, meaning)


def has_labels(record: Any) -> bool:
    """Return whether a line has values per unit, whose meaning depends on all lines."""
    return isinstance(record, dict) and record.get("labels") is not None


def _add_waiting(waiting: list[tuple[str, Any]], builder: CorpusBuilder, source: Source) -> MarkMeaning:
    """Read the values per unit of all lines in the same way; return their meaning."""
    values = []
    for where, record in waiting:
        if has_labels(record):
            with within(where):
                document, coder = names_of(record)
                form = form_of(record, document, coder)
                own = f"{where}: {coding_name(document, coder)}: labels"
                if not isinstance(record[form], list):
                    raise misfit(own, record[form], "a list")
                values.append(UnitValues(document, coder, record[form], partial("{}[{}]".format, own)))
    marks = read_marks(values, source.options.get("marks"), gaps=source.options.get("gaps"))
    segmentations = iter(marks.segmentations)
    for where, record in waiting:
        with within(where):
            _add(record, builder, next(segmentations) if has_labels(record) else None)
    return marks.reading


def names_of(record: dict[str, Any]) -> tuple[str, str]:
    """Return the document and the coder; the coder is empty if the line only describes a document."""
    filled = {key for key, value in record.items() if value is not None}
    is_coded = "coder" in record or filled.isdisjoint(("units", "places")) or not filled.isdisjoint(FORMS)
    for key in ("document", "coder") if is_coded else ("document",):
        if key not in record:
            raise CorpusError(f"there is no {key!r}; {did_you_mean(key, record)}")
    document, coder = record["document"], record.get("coder", "")
    if type(document) is not str or type(coder) is not str:
        document, coder = named_only(document, "document"), named_only(coder, "coder")
    return document, coder


def _add(record: Any, builder: CorpusBuilder, coding: Segmentation | None = None) -> None:
    """Add the content of a line; ``coding`` is its coding if already read."""
    if not isinstance(record, dict):
        raise CorpusError(f"expected an object with document, coder and masses, not {shortened(record)}")
    document, coder = names_of(record)
    if coding is not None:
        builder.add(document, coder, coding)
    elif "coder" in record:
        form = form_of(record, document, coder)
        with within(f"document {document}: coder {coder}"):
            own = coding_of(record, form)
        builder.add(document, coder, own)
    units = record.get("units")
    if units is not None and not builder.add_text(document, texts_of(document, units)):
        raise CorpusError(f"document {document}: its units differ from those on an earlier line")
    if record.get("places") is not None:
        with within(f"document {document}: places"):
            places = places_from(record["places"])
        if not builder.add_units(document, places, with_texts="units" not in record):
            raise CorpusError(f"document {document}: its places differ from those on an earlier line")


def form_of(record: dict[str, Any], document: str, coder: str) -> str:
    """Return the key of the segmentation."""
    forms = [form for form in FORMS if form in record]
    if len(forms) != 1:
        where = f"document {document}: coder {coder}"
        forms = [form for form in forms if record[form] is not None]  # data frames write all columns
        if len(forms) > 1:
            raise CorpusError(f"{where}: there are both {forms[0]!r} and {forms[1]!r}; keep one of them")
        if not forms:
            raise CorpusError(f"{where}: there is no segmentation: expected one of {', '.join(FORMS)}")
    return forms[0]


def coding_of(record: dict[str, Any], form: str) -> SegmentationLike:
    """Return the segmentation, or the masses as they are."""
    value = record[form]
    if form == "gaps":
        return Segmentation.from_gaps(value)
    if not isinstance(value, list):
        raise misfit(form, value, "a list")
    if form == "masses":
        return value
    if "n_units" not in record:
        raise CorpusError("'positions' need 'n_units' beside them")
    return Segmentation.from_positions(value, record["n_units"], record.get("types"))


def texts_of(document: str, value: Any) -> list[str]:
    """Return the texts of a document's units."""
    return shaped({"units": value}, dict[str, Texts], f"document {document}")["units"]


def write(corpus: Corpus, extension: str) -> str:
    """Return a line per coding; the first line of a document describes its units."""
    lines = [] if corpus.type_scheme is None else [json_of({"type_scheme": corpus.type_scheme.to_dict()})]
    coders = [json_of(coder) for coder in corpus.coders]
    codings = enumerate(zip(corpus.coder.tolist(), _codings(corpus), strict=True))
    for document, n_codings in zip(corpus.documents, corpus.n_coders.tolist(), strict=True):
        start, more = f'{{"document": {json_of(document)}', _description(corpus, document)
        if not n_codings:
            lines.append(f"{start}{more}}}")
        for row, (coder, coding) in islice(codings, n_codings):
            known = {name: values[row] for name, values in corpus.details.items() if values[row] is not None}
            if known:
                more += f', "details": {json_of(known)}'
            lines.append(f'{start}, "coder": {coders[coder]}, {coding}{more}}}')
            more = ""
    return text_of_lines(lines)


def _description(corpus: Corpus, document: str) -> str:
    """Return the entries about a document's units."""
    words, places = corpus.units.get(document), corpus.spans.get(document)
    has_slices = places is not None and places.text is not None and not places.is_grid
    slices = places.texts if places is not None and has_slices else None
    units = "" if words == slices else f', "units": {json_of(words)}'
    return units if places is None else f'{units}, "places": {json_of(places_of(places))}'


def _codings(corpus: Corpus) -> Iterator[str]:
    """Yield the entries of each coding: masses, or positions and types."""
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
    """Recognize an object with a document and a coder, or a type scheme, on the first line."""
    first = source.first_line
    if not first.startswith("{") or len(first) >= MAX_LINE:
        return first.startswith("{")  # reading refuses a line that is too long
    keys = parse_json(first).keys()
    if "document" in keys and not keys.isdisjoint(("coder", "places")):
        return True
    # A document without annotations may have only units.
    return keys == {"document", "units"} or "type_scheme" in keys


FORMAT = Format.of(globals(), "jsonl", (".jsonl", ".ndjson"), ALL_PARTS, codings="optional")
