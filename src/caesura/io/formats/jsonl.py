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
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io import files
from caesura.io.base import ALL_PARTS, Contents, Format
from caesura.io.files import MAX_LINE, Source, misfit, parse_json, shortened
from caesura.io.json_files import json_of, named_only, shaped, text_of_lines
from caesura.io.spans import places_from, places_of
from caesura.io.tables.cells import marked
from caesura.io.tables.marks import UnitValues, read_marks
from caesura.values.arrow import read_table as read_columns
from caesura.values.arrow import release_unused, with_texts
from caesura.values.columns import is_typed, lists_of, masses_of
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, coding_name
from caesura.values.making import CorpusBuilder, checked_columns
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


# -------------------------------------------------------------------- uniform lines
#
# They are read at once as an Arrow table, with the same result as line by line: pyarrow finds repeated keys,
# and refuses numbers in names, fractions among whole numbers and the like. It ignores line ends, so they are
# checked first.

BLOCK = 2**20
"""Least number of bytes that pyarrow reads at a time."""

MAX_FIELDS = 100
"""Most fields, including those without a meaning here."""


class LineTable(NamedTuple):
    """The codings on all lines, and the type scheme."""

    table: Any
    scheme: TypeScheme | None

    def corpus(self) -> Corpus | None:
        """Return the corpus, or None if it must be read line by line."""
        if (columns := read_columns(self.table, mixed=True)) is None:
            return None
        try:
            columns = with_texts(checked_columns(columns), self.table)
            return Corpus.of(columns).with_type_scheme(self.scheme)
        except CorpusError:
            return None


def read_table(data: bytes) -> LineTable | None:
    """Read the lines; None without pyarrow, or if a line is broken or unlike the others."""
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.json  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        return None
    try:
        return _read(pyarrow, data)
    except (CorpusError, pyarrow.ArrowException, UnicodeError):
        return None


def _read(pyarrow: Any, data: bytes) -> LineTable | None:
    if b'"details"' in data:  # of any type
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    start, end = 0, len(data)
    while end and data[end - 1 : end] == b"\n":
        end -= 1
    record, scheme = _record(data, start, end), None
    if "type_scheme" in record:
        scheme = TypeScheme.from_dict(record["type_scheme"])
        start = data.find(b"\n", 0, end) + 1
        record = _record(data, start, end) if start else {}
    if (fields := _fields(pyarrow, record)) is None:
        return None
    if (table := parse_lines(pyarrow.py_buffer(data).slice(start, end - start), fields)) is None:
        return None
    for column, name in enumerate(table.column_names):  # numbers that are names
        if name in ("document", "coder") and pyarrow.types.is_integer(table[name].type):
            table = table.set_column(column, name, table[name].cast(pyarrow.string()))
    return LineTable(table, scheme)


def parse_lines(data: Any, fields: dict[str, Any], *, others: str = "error", threads: bool = True) -> Any:
    """Return the objects on lines as an Arrow table; None if a line is not an object, or too long.

    ``data`` is a buffer without a final line end; other fields are an "error" or "ignore"d, as ``others``.
    """
    import pyarrow
    import pyarrow.json

    lines = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(lines == LINE_FEED)
    # If each line begins and ends like an object, and there are as many objects as lines, each has one.
    starts = np.concatenate(([0], ends + 1))
    last = np.concatenate((ends, [len(lines)])) - 1
    if not len(lines) or starts[-1] == len(lines) or int(last.min()) < 0:
        return None
    if bool((lines[starts] != OPENING).any()) or bool((lines[last] != CLOSING).any()):
        return None
    if (longest := int((last - starts).max()) + 2) > files.MAX_LINE:
        return None
    table = pyarrow.json.read_json(
        pyarrow.BufferReader(data),
        pyarrow.json.ReadOptions(block_size=max(BLOCK, longest), use_threads=threads),
        pyarrow.json.ParseOptions(explicit_schema=pyarrow.schema(fields), unexpected_field_behavior=others),
    )
    table.validate(full=True)  # texts are UTF-8
    return table if len(table) == len(starts) and _are_numbers(pyarrow, table) else None


LINE_FEED, OPENING, CLOSING = b"\n{}"


def _record(data: bytes, start: int, end: int) -> dict[str, Any]:
    line_end = data.find(b"\n", start, end)
    record = parse_json(data[start : end if line_end < 0 else line_end].decode())
    return record if isinstance(record, dict) else {}


def coding_fields(pyarrow: Any, record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a coding and their types; names are numbers if this record has numbers."""
    text, number = pyarrow.string(), pyarrow.int64()
    names = {name: number if type(record.get(name)) is int else text for name in ("document", "coder")}
    lists = dict.fromkeys(("masses", "positions", "types"), pyarrow.list_(number))
    return {**names, **lists, "n_units": number, "gaps": text}


def _fields(pyarrow: Any, record: dict[str, Any]) -> dict[str, Any] | None:
    """Return all fields and their types: those of a coding, and others of the first line."""
    text, number = pyarrow.string(), pyarrow.float64()
    fields = {**coding_fields(pyarrow, record), "units": pyarrow.list_(text)}
    kinds = {str: text, type(None): text, int: number, float: number, bool: pyarrow.bool_()}
    for name, value in record.items():
        if name not in fields:
            fields[name] = None if name == "labels" else kinds.get(type(value))
    has_all_types = None not in fields.values()
    return fields if has_all_types and len(fields) < MAX_FIELDS else None


def _are_numbers(pyarrow: Any, table: Any) -> bool:
    """Return whether all numbers are finite; pyarrow also reads NaN and Infinity, which are not JSON."""
    floats = [column for column in table.columns if pyarrow.types.is_floating(column.type)]
    return all(np.isfinite(column.drop_null().to_numpy()).all() for column in floats)


FORMAT = Format.of(globals(), "jsonl", (".jsonl", ".ndjson"), ALL_PARTS, codings="optional")
