"""JSON Lines: one coding per line; the one text format that keeps everything a corpus holds.

A line has ``document``, ``coder`` and one of ``masses``, ``gaps``, ``labels``, or ``positions`` with
``n_units`` (and ``types``). ``labels`` have a value per unit; what marks among them (0/1, B/I …) mean is told
for the whole file. ``units``, the texts of the document's units, may stand on any of its lines. A first line
``{"type_scheme": {"names": {"1": "minor"}, "nominal": false}}`` says what the types mean; with
``"ranks": true`` they are the ranks of hierarchies.

``places`` on a line says where the document's units stand:
``{"axis": "characters", "spans": [[0, 5], [6, 9]], "text": "It is ..."}``, or, for units of one length,
``{"axis": "seconds", "grid": [0.0, 60.0, 0.5]}`` with the start, the end and the step. The axis is
characters, seconds or count; ``text``, the running text, may be missing. Where it is there and ``units`` is
not, the units' texts are its slices (``"units": null`` says that they have none). A document that nobody has
coded has a line without ``coder``, with ``units`` or ``places``. ``details`` on a coding's line are what
else is known of it, such as ``{"seconds": 41, "titles": ["Rain", "Sun"]}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import Contents, Format, notes_of
from caesura.io.files import MAX_LINE, Source, check_line, parse_json, shortened
from caesura.io.json_files import named_only, shaped
from caesura.io.json_table import read_table
from caesura.io.messages import understood_marks, within
from caesura.io.spans import places_from, places_of
from caesura.io.tables.marks import UnitValues, read_marks
from caesura.values.arrow import release_unused
from caesura.values.builder import CorpusBuilder
from caesura.values.columns import is_typed, lists_of, masses_of
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, coding_name
from caesura.values.segmentation import Segmentation, SegmentationLike
from caesura.values.type_scheme import TypeScheme

FORMS = ("masses", "positions", "gaps", "labels")


Texts: TypeAlias = Annotated[list[str], "a list of texts"]

LARGE = 2**20
"""Bytes from which on it takes less time to import pyarrow than to read line by line."""


def read(source: Source) -> Contents:
    """Read all lines: at once where they are alike and fine, and otherwise one by one."""
    corpus = _read_at_once(source) if source.size >= LARGE else None
    if corpus is None:
        return read_lines(source)
    if corpus.texts is not None:
        release_unused()
    return Contents(corpus)


def _read_at_once(source: Source) -> Corpus | None:
    table = read_table(source.utf8)
    source.forget()
    return None if table is None else table.corpus()


def read_lines(source: Source) -> Contents:
    """Read line by line, and say which is wrong."""
    builder = CorpusBuilder()
    scheme = None
    details: dict[tuple[str, str], dict[str, Any]] = {}
    waiting: list[tuple[int, Any]] = []  # from the first line with labels on: all of them are read alike
    for number, line in enumerate(source.each_line(), start=1):
        if not line.strip():
            continue
        with _naming(number):
            record = parse_json(line)
            if number == 1 and isinstance(record, dict) and "type_scheme" in record:
                scheme = TypeScheme.from_dict(record["type_scheme"])
            elif waiting or has_labels(record):
                waiting.append((number, record))
            else:
                _add(record, builder)
            if isinstance(record, dict) and record.get("details") is not None:
                details[names_of(record)] = shaped(record["details"], dict[str, Any], "details")
    reading = _add_waiting(waiting, builder, source) if waiting else None
    if not builder.n_documents:
        raise CorpusError("there are no codings; expected one per line, with document, coder and masses")
    corpus = Corpus.build(builder, type_scheme=scheme)
    if details:
        found = [details.get((document, coder), {}) for document, coder, _ in corpus]
        names = dict.fromkeys(name for one in details.values() for name in one)
        corpus = corpus.with_details({name: [one.get(name) for one in found] for name in names})
    understood = "" if reading is None else understood_marks("file", corpus, reading)
    return Contents(corpus, understood=understood, marks=reading)


@contextmanager
def _naming(number: int) -> Iterator[None]:
    """Put the number of the line before what is wrong with it."""
    with within(f"line {number}"):
        yield


def has_labels(record: Any) -> bool:
    """Whether a line has values per unit, which are read together with those of all other lines."""
    return isinstance(record, dict) and record.get("labels") is not None


def _add_waiting(waiting: list[tuple[int, Any]], builder: CorpusBuilder, source: Source) -> MarkMeaning:
    """Read the values per unit of all lines in one way, and return which."""
    values = []
    for number, record in waiting:
        if has_labels(record):
            with _naming(number):
                document, coder = names_of(record)
                form = form_of(record, document, coder)
                if not isinstance(record[form], list):
                    fault = f"{form} is {shortened(record[form])}: expected a list"
                    raise CorpusError(f"{coding_name(document, coder)}: {fault}")
                where = partial(_label_name, number, document, coder)
                values.append(UnitValues(document, coder, record[form], where))
    found = read_marks(values, source.options.get("marks"), gaps=source.options.get("gaps"))
    segmentations = iter(found.segmentations)
    for number, record in waiting:
        with _naming(number):
            _add(record, builder, next(segmentations) if has_labels(record) else None)
    return found.reading


def _label_name(number: int, document: str, coder: str, index: int) -> str:
    return f"line {number}: {coding_name(document, coder)}: labels[{index}]"


def names_of(record: dict[str, Any]) -> tuple[str, str]:
    """Return the document and the coder; the coder is empty where the line only describes a document."""
    is_coded = "coder" in record or not _describes_document(record)
    for key in ("document", "coder") if is_coded else ("document",):
        if key not in record:
            raise CorpusError(f"there is no {key!r}; {did_you_mean(key, record)}")
    document, coder = record["document"], record.get("coder", "")
    if type(document) is not str or type(coder) is not str:
        document, coder = named_only(document, "document"), named_only(coder, "coder")
    return document, coder


def _add(record: Any, builder: CorpusBuilder, coding: Segmentation | None = None) -> None:
    """Add what a line holds; its coding, if that has been read."""
    if not isinstance(record, dict):
        raise CorpusError(f"expected an object with document, coder and masses, not {shortened(record)}")
    document, coder = names_of(record)
    if coding is not None:
        builder.add(document, coder, coding)
    elif "coder" in record:
        form = form_of(record, document, coder)
        with within(f"document {document}: coder {coder}"):
            found = coding_of(record, form)
        builder.add(document, coder, found)
    units = record.get("units")
    if units is not None and not builder.add_text(document, texts_of(document, units)):
        raise CorpusError(f"document {document}: its units differ from those on an earlier line")
    if record.get("places") is not None:
        _add_places(record, document, builder)


def _describes_document(record: dict[str, Any]) -> bool:
    """Whether a line says what a document is, and not how somebody has coded it."""
    has_units = record.get("units") is not None or record.get("places") is not None
    return has_units and not any(record.get(form) is not None for form in FORMS)


def _add_places(record: dict[str, Any], document: str, builder: CorpusBuilder) -> None:
    with within(f"document {document}: places"):
        units = places_from(record["places"])
    if not builder.add_units(document, units, with_texts="units" not in record):
        raise CorpusError(f"document {document}: its places differ from those on an earlier line")


def form_of(record: dict[str, Any], document: str, coder: str) -> str:
    """Return the key of the segmentation."""
    forms = [form for form in FORMS if form in record]
    if len(forms) != 1:
        where = f"document {document}: coder {coder}"
        forms = [form for form in forms if record[form] is not None]  # data frames write all their columns
        if len(forms) > 1:
            raise CorpusError(f"{where}: there are both {forms[0]!r} and {forms[1]!r}; keep one of them")
        if not forms:
            raise CorpusError(f"{where}: there is no segmentation: expected one of {', '.join(FORMS)}")
    return forms[0]


def coding_of(record: dict[str, Any], form: str) -> SegmentationLike:
    """Return the segmentation, or the masses as they stand there."""
    value = record[form]
    if form == "gaps":
        return Segmentation.from_gaps(value)
    if not isinstance(value, list):
        raise CorpusError(f"{form} is {shortened(value)}: expected a list")
    if form == "masses":
        return value
    if "n_units" not in record:
        raise CorpusError("'positions' need 'n_units' beside them")
    return Segmentation.from_positions(value, record["n_units"], record.get("types"))


def texts_of(document: str, value: Any) -> list[str]:
    """Return the texts of a document's units."""
    return shaped({"units": value}, dict[str, Texts], f"document {document}")["units"]


def write(corpus: Corpus, extension: str) -> str:
    """Return a line per coding; what is known of a document's units stands on its first line."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines = []
    if corpus.type_scheme is not None:
        lines.append(encode({"type_scheme": corpus.type_scheme.to_dict()}))
    coders = [encode(coder) for coder in corpus.coders]
    names = zip(corpus.document.tolist(), corpus.coder.tolist(), strict=True)
    told, document_name, describe = -1, "", _Descriptions(corpus, encode)
    for row, ((document, coder), coding) in enumerate(zip(names, _codings(corpus), strict=True)):
        description = ""
        for uncoded in range(told + 1, document):
            lines.append(f'{{"document": {encode(corpus.documents[uncoded])}{describe(uncoded)}}}')
        if document != told:
            told, document_name = document, encode(corpus.documents[document])
            description = describe(document)
        details = {name: values[row] for name, values in corpus.details.items() if values[row] is not None}
        if details:
            description += f', "details": {encode(details)}'
        lines.append(f'{{"document": {document_name}, "coder": {coders[coder]}, {coding}{description}}}')
    for uncoded in range(told + 1, len(corpus.documents)):
        lines.append(f'{{"document": {encode(corpus.documents[uncoded])}{describe(uncoded)}}}')
    for number, line in enumerate(lines, start=1):
        check_line(line, number)
    return "\n".join(lines) + "\n"


class _Descriptions:
    """What the lines of documents say of their units."""

    def __init__(self, corpus: Corpus, encode: Callable[[Any], str]) -> None:
        self._corpus, self._encode = corpus, encode
        self._texts = corpus.units

    def __call__(self, document: int) -> str:
        name = self._corpus.documents[document]
        text, places = self._texts.get(name), self._corpus.spans.get(name)
        words = None if text is None else list(text)
        has_slices = places is not None and places.text is not None and not places.is_grid
        parts = ""
        if places is not None and has_slices:
            parts = "" if words == list(places.texts) else f', "units": {self._encode(words)}'
        elif words is not None:
            parts = f', "units": {self._encode(words)}'
        return parts if places is None else f'{parts}, "places": {self._encode(places_of(places))}'


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
    keys = record.keys()
    if "document" in keys and not keys.isdisjoint(("coder", "places")):
        return True
    # A document that nobody has coded has nothing but its units.
    return keys == {"document", "units"} or "type_scheme" in keys


FORMAT = Format(
    "jsonl",
    "JSON Lines with a coding per line; keeps types, their names, text and the places of units",
    (".jsonl", ".ndjson"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types", "type scheme", "units", "places"}),
    codings="optional",
    example=(
        '{"document": "ch1", "coder": "ann", "masses": [2, 3, 6]}\n'
        '{"document": "ch1", "coder": "bob", "positions": [2, 4], "n_units": 11}\n'
    ),
    notes=notes_of(__doc__),
)
