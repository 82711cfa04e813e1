"""Lines in blocks, and JSON Lines: blocks of lines that are alike are read at once, others line by line.

Lines mean what ``io.formats.jsonl`` says, but for ``labels``: what marks mean is told for a whole file, and a
stream never sees one.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, CorpusError, within
from caesura.io import files as text_files
from caesura.io.files import parse_json, shortened
from caesura.io.formats import jsonl
from caesura.io.json_files import HALF
from caesura.io.json_table import coding_fields, parse_lines
from caesura.io.spans import places_from, places_of
from caesura.scale.addresses import open_file
from caesura.scale.data_files import DataFile, PlacedRows, Wanted
from caesura.scale.rows import LONG_TABLE, NAMES, SEGMENTATIONS, coding_arrays
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns
from caesura.values.forms import coding_name
from caesura.values.segmentation import Segmentation, as_segmentation
from caesura.values.type_scheme import TypeScheme

BLOCK = 2**22
"""Bytes that are read at a time."""

PACKINGS = {".gz": "gzip", ".zst": "zstd"}

LOOKED_AT = 1000
"""Lines from which it is told which further fields there are, and of what kind."""

KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}

LABELS = (
    "what labels mean is told for a whole file, and this one is read in pieces: write masses or positions "
    "instead"
)

DESCRIBING = ("units", "places")
"""Fields on what the units of a document are."""


# -------------------------------------------------------------------- blocks of lines


def line_blocks(
    path: str, is_whole: Callable[[bytes], bool] = lambda data: True
) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines that end in line feeds, and the number of the first; all is UTF-8.

    Where a record may have several lines, ``is_whole`` says whether a block ends with one.
    """
    pyarrow = load_pyarrow("lines in pieces need")
    packing = next((kind for ending, kind in PACKINGS.items() if path.lower().endswith(ending)), None)
    with closing(open_file(path)) as stream:
        if packing is not None:
            stream = pyarrow.CompressedInputStream(stream, packing)
        first, is_start, held, rest = 1, True, b"", b""
        while True:
            try:
                block = stream.read(BLOCK)
                block += stream.read(1) if block.endswith(b"\r") else b""  # its line feed may come next
            except (pyarrow.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise CorpusError(f"not a whole {packing} file: {error}") from None
            if is_start:
                if block.startswith(text_files.UTF_16_MARKS):
                    raise CorpusError("it is UTF-16; save it as UTF-8")
                block, is_start = block.removeprefix(codecs.BOM_UTF8), False
            end = block.rfind(b"\n") + 1 or block.rfind(b"\r") + 1
            if block and not end:
                rest += block
            else:
                held, rest = held + rest + block[:end], block[end:]
                if held and (not block or len(held) > text_files.MAX_LINE or is_whole(held)):
                    data, held = _checked(held, first), b""
                    yield first, data
                    first += data.count(b"\n")
            if len(rest) > text_files.MAX_LINE:
                line = first + held.count(b"\n")
                raise CorpusError(
                    f"line {line} has more than {text_files.MAX_LINE:,} bytes: are the line ends lost? each "
                    "line holds one record"
                )
            if not block:
                return


def _checked(data: bytes, first: int) -> bytes:
    """Return lines that end in line feeds alone; refuse what is not text."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in data:
        line = first + data.count(b"\n", 0, data.index(b"\0"))
        raise CorpusError(
            f"line {line} holds a NUL; save the file as UTF-8 text (it may be binary or UTF-16)"
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = first + data.count(b"\n", 0, error.start)
            raise CorpusError(
                f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; {text_files.NAME_ENCODING}"
            ) from None
    return data


def first_lines(path: str) -> list[str]:
    """Return some lines from the beginning."""
    lines: list[str] = []
    for _, data in line_blocks(path):
        lines += data.decode().removesuffix("\n").split("\n")
        if len(lines) >= LOOKED_AT:
            break
    return lines[:LOOKED_AT]


# -------------------------------------------------------------------- what a file says of itself


def look(file: DataFile) -> DataFile:
    """Read the first lines; what is wrong with them is said when they are read as rows."""
    lines = first_lines(file.path)
    scheme, has_labels, kinds = None, False, dict[str, str]()
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_json(line) if line.strip() else None
        except CorpusError:
            continue
        if not isinstance(record, dict):
            continue
        if number == 1 and "type_scheme" in record:
            try:
                scheme = TypeScheme.from_dict(record["type_scheme"])
            except CorpusError as error:
                raise CorpusError(f"line 1: {error}") from None
            continue
        has_labels = has_labels or jsonl.has_labels(record)
        for name, value in record.items():
            is_further = name not in SEGMENTATIONS and name not in ("labels", "details", *kinds)
            kind = _kind_of(name, value) if is_further and value is not None else None
            if kind is not None:
                kinds[name] = kind
        if isinstance(record.get("places"), dict) and record["places"].get("text") is not None:
            kinds.setdefault("units", "a list of texts")  # slices of the text
    columns = {name: name for name in (*LONG_TABLE, *kinds)}
    row_bytes = max(32, sum(map(len, lines)) // max(1, len(lines)))
    return replace(
        file, columns=columns, further=kinds, scheme=scheme, row_bytes=row_bytes, has_labels=has_labels
    )


def _kind_of(name: str, value: object) -> str | None:
    """Return what a further field holds; None where a column cannot hold it."""
    if name == "units":
        return "a list of texts"
    return "an object" if name == "places" else KINDS.get(type(value))


def arrow_type(kind: str) -> Any:
    """Return the type of the column of a further field."""
    pyarrow = load_pyarrow("Parquet needs")
    types = {"a number": pyarrow.float64(), "true or false": pyarrow.bool_()}
    return types.get(kind, pyarrow.list_(pyarrow.string()) if kind == "a list of texts" else pyarrow.string())


# -------------------------------------------------------------------- rows


def pieces(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of lines, and the number of the first."""
    for first, data in line_blocks(file.path):
        if first == 1 and file.scheme is not None:
            first, data = 2, data.partition(b"\n")[2]
        if data and not data.isspace():
            yield first, data


def rows(file: DataFile, wanted: Wanted, piece: tuple[int, bytes]) -> PlacedRows:
    """Make plain rows of a block: at once, or line by line where something is unusual, or wrong."""
    first, data = piece
    known = {"units": "a list of texts", "places": "an object", **file.further}
    kinds = {name: known.get(name, "text") for name in wanted.further}
    table = _read_at_once(data, kinds, wanted)
    if table is not None:
        return PlacedRows(table, file.path, first)
    return _read_line_by_line(file, wanted, kinds, first, data)


def _read_at_once(data: bytes, kinds: dict[str, str], wanted: Wanted) -> Any:
    """Read lines at once; None where that cannot be, or where something may be wrong."""
    pyarrow = load_pyarrow()
    if b'"labels"' in data or ("places" in kinds and b'"places"' in data):
        return None
    try:
        lines = pyarrow.py_buffer(data).slice(0, len(data) - data.endswith(b"\n"))
        first = parse_json(data.partition(b"\n")[0].decode())
        fields = coding_fields(pyarrow, first if isinstance(first, dict) else {})
        fields |= {name: arrow_type(kind) for name, kind in kinds.items()}
        others = "error" if wanted.is_strict else "ignore"
        table = parse_lines(lines, fields, others=others, threads=False)
        if table is None:
            return None
        empty = [
            name
            for name in table.column_names
            if name in SEGMENTATIONS and table[name].null_count == len(table)
        ]
        return wanted.rows(table.drop_columns(empty))
    except (CaesuraError, pyarrow.ArrowException, KeyError):
        return None


# -------------------------------------------------------------------- line by line


def _read_line_by_line(
    file: DataFile, wanted: Wanted, kinds: dict[str, str], first: int, data: bytes
) -> PlacedRows:
    """Read lines one by one, and say which is wrong."""
    columns: dict[str, list[Any]] = {name: [] for name in (*NAMES, *kinds)}
    codings: list[Segmentation] = []
    numbers: list[int] = []
    left_out: dict[str, int] = {}
    n_uncoded = 0
    for number, line in enumerate(data.split(b"\n"), start=first):
        if not line.strip():
            continue
        with within(f"line {number}"):
            record = parse_json(line.decode())
            if not isinstance(record, dict):
                raise CorpusError(
                    f"expected an object with document, coder and masses, not {shortened(record)}"
                )
            if jsonl.has_labels(record):
                raise CorpusError(LABELS)
            document, coder = jsonl.names_of(record)
            for name in record:
                if name not in columns and name not in SEGMENTATIONS:
                    left_out.setdefault(name, number)
            if "coder" not in record:
                n_uncoded += 1
                continue
            form = jsonl.form_of(record, document, coder)
            with within(coding_name(document, coder)):
                if not document or not coder:
                    raise CorpusError(f"the name of the {'coder' if document else 'document'} is empty")
                codings.append(as_segmentation(jsonl.coding_of(record, form)))
            row = {"document": document, "coder": coder, **_described(document, record, kinds)}
            for name, value in row.items():
                if b"\\u" in line and HALF.search(json.dumps(value, ensure_ascii=False)):
                    raise CorpusError(f"{name} is {shortened(value)}: it holds half a character")
                columns[name].append(value)
        numbers.append(number)
    pyarrow = load_pyarrow()
    types = {name: arrow_type(kinds.get(name, "text")) for name in columns}
    arrays = {name: pyarrow.array(values, types[name]) for name, values in columns.items()}
    table = wanted.rows(pyarrow.table(arrays | coding_arrays(pyarrow, Columns.of(codings))))
    return PlacedRows(table, file.path, first, None, np.array(numbers), n_uncoded, left_out)


def _described(document: str, record: dict[str, Any], kinds: dict[str, str]) -> dict[str, Any]:
    """Return what a line has of the fields that are wanted."""
    values = {name: record.get(name) for name in kinds}
    for name, value in values.items():
        if value is not None and name not in DESCRIBING and KINDS.get(type(value)) != kinds[name]:
            raise CorpusError(f"{name} is {shortened(value)}: expected {kinds[name]}, as on lines before")
    if values.get("units") is not None:
        values["units"] = jsonl.texts_of(document, values["units"])
    if values.get("places") is not None:
        with within(f"document {document}: places"):
            places = places_from(values["places"])
        if "units" in values and "units" not in record and places.text is not None and not places.is_grid:
            values["units"] = list(places.texts)
        values["places"] = json.dumps(places_of(places), ensure_ascii=False)
    return values


def with_packings(extensions: Iterable[str]) -> tuple[str, ...]:
    """Return the extensions of files, plain and packed."""
    return tuple(f"{extension}{packing}" for extension in extensions for packing in ("", *PACKINGS))


EXTENSIONS = with_packings((".jsonl", ".ndjson", ".json"))
"""The last is what Spark calls its lines."""
