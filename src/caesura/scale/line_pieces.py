"""JSON Lines in pieces: the format of ``io.jsonl``, a block of lines at a time.

Lines that are alike are read at once by pyarrow; a block with something unusual is read line by line, which
also says what is wrong and on which line. What the fields mean is read as ``io.jsonl`` does, but for
``labels``: what marks mean is told for a whole file, and a stream never sees one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, CorpusError, ParameterError, SegmentationError
from caesura.io.files import parse_json, shortened
from caesura.io.formats import jsonl
from caesura.io.json_table import parse_lines
from caesura.io.messages import one_line
from caesura.io.spans import places_from, places_of
from caesura.scale.addresses import state_of
from caesura.scale.lines import PACKINGS, LineBlock, line_blocks, packing_of
from caesura.scale.pieces import BadFileError, Batch, Piece, Reader
from caesura.scale.rows import AT_ONCE, LONG_TABLE, NAMES, SEGMENTATIONS, PlacedRows, coding_arrays, long_rows
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns
from caesura.values.forms import coding_name
from caesura.values.segmentation import Segmentation, as_segmentation
from caesura.values.type_scheme import TypeScheme

PIECE_BYTES = 2**25
"""Bytes of a piece of a file that is not packed."""

LOOKED_AT = 1000
"""Lines from which it is told which further fields there are, and of what kind."""

KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}

LABELS = (
    "what labels mean is told for a whole file, and this one is read in pieces: write masses or positions "
    "instead"
)

DESCRIBING = ("units", "places")
"""Fields on what the units of a document are."""


class Head(NamedTuple):
    """What the first lines of a file say of all."""

    scheme: TypeScheme | None
    kinds: dict[str, str]
    """Further fields, and what they hold."""
    has_labels: bool = False
    """Whether there are values per unit, which cannot be read in pieces."""


class LineRows:
    """The rows of a file of JSON Lines, or of a part of it: from one byte on and before another."""

    def __init__(self, path: str, start: int = 0, stop: int | None = None) -> None:
        self.path, self._start, self._stop = path, start, stop
        self.n_uncoded = 0
        """Lines so far that describe a document which nobody has coded."""
        self.left_out: dict[str, int] = {}
        """Fields so far that were neither asked for nor known, and the first line of each."""

    @cached_property
    def head(self) -> Head:
        """What the first lines of the file say; a file without any lines says nothing."""
        lines: list[bytes] = []
        with self._naming():
            for block in line_blocks(self.path):
                lines += block.data.removesuffix(b"\n").split(b"\n")
                if len(lines) >= LOOKED_AT:
                    break
            return _head(lines[:LOOKED_AT])

    def rows(
        self, others: Sequence[str], most: int = AT_ONCE, *, note_others: bool = False
    ) -> Iterator[PlacedRows]:
        """Yield the rows with further fields; those that nobody asked for are noted, or ignored."""
        for found in self._blocks_of_rows(others, note_others=note_others):
            for start in range(0, len(found.table), most):
                lines = None if found.lines is None else found.lines[start : start + most]
                yield replace(
                    found, table=found.table.slice(start, most), first=found.first + start, lines=lines
                )

    def _blocks_of_rows(self, others: Sequence[str], *, note_others: bool) -> Iterator[PlacedRows]:
        pyarrow = load_pyarrow("JSON Lines in pieces need")
        kinds = {**self.head.kinds, "units": "a list of texts", "places": "an object"}
        wanted = {name: kinds[name] for name in others if name in kinds}
        with self._naming():
            for block in line_blocks(self.path, self._start, self._stop):
                if self._start == 0 and block.first == 1 and self.head.scheme is not None:
                    block = LineBlock(2, block.data.partition(b"\n")[2])
                table = _read_at_once(pyarrow, block.data, wanted, note_others=note_others)
                if table is not None:
                    yield PlacedRows(table, self.path, block.first, start=self._start)
                    continue
                reader = _LineReader(pyarrow, wanted, block.first)
                table = reader.read(block.data)
                self.n_uncoded += reader.n_uncoded
                self.left_out = {**reader.left_out, **self.left_out}
                if len(table):
                    lines = np.array(reader.lines)
                    yield PlacedRows(table, self.path, block.first, lines=lines, start=self._start)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Put the file before what is wrong in it; lines are counted from its beginning."""
        try:
            yield
        except CorpusError as error:
            message = one_line(str(error))
            line = LINE.match(message)
            if self._start and line:
                before = _lines_before(self.path, self._start)
                message = f"line {before + int(line.group(1))}{message[line.end() :]}"
            raise BadFileError(f"{self.path}: {message}") from None


LINE = re.compile(r"line ([0-9]+)(?![0-9])")


def _lines_before(path: str, place: int) -> int:
    """Return how many lines begin before a byte; the file is read again for it, where one is wrong."""
    return sum(block.data.count(b"\n") for block in line_blocks(path, 0, place))


def _head(lines: Sequence[bytes]) -> Head:
    """Read the first lines; what is wrong with them is said when they are read as rows."""
    scheme: TypeScheme | None = None
    kinds: dict[str, str] = {}
    has_labels = False
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_json(line.decode()) if line.strip() else None
        except CorpusError:
            continue
        if not isinstance(record, dict):
            continue
        if number == 1 and "type_scheme" in record:
            scheme = _scheme(record)
            continue
        has_labels |= jsonl.has_labels(record)
        for name, value in record.items():
            is_further = name not in SEGMENTATIONS and name not in ("labels", "details")
            if is_further and value is not None and name not in kinds:
                kind = _kind_of(name, value)
                if kind is not None:
                    kinds[name] = kind
        if isinstance(record.get("places"), dict) and record["places"].get("text") is not None:
            kinds.setdefault("units", "a list of texts")  # slices of the text
    return Head(scheme, kinds, has_labels)


def _scheme(record: dict[str, Any]) -> TypeScheme:
    try:
        return TypeScheme.from_dict(record["type_scheme"])
    except CorpusError as error:
        raise CorpusError(f"line 1: {error}") from None


def _kind_of(name: str, value: object) -> str | None:
    """Return what a further field holds; None where a column cannot hold it."""
    if name == "units":
        return "a list of texts"
    return "an object" if name == "places" else KINDS.get(type(value))


# -------------------------------------------------------------------- lines that are alike


def _read_at_once(pyarrow: Any, data: bytes, wanted: dict[str, str], *, note_others: bool) -> Any:
    """Read a block at once; None where that cannot be, or where something may be wrong."""
    if b'"labels"' in data or ("places" in wanted and b'"places"' in data):
        return None
    lines = pyarrow.py_buffer(data[:-1] if data.endswith(b"\n") else data)
    try:
        fields = _fields(pyarrow, data, wanted)
        table = parse_lines(lines, fields, others="error" if note_others else "ignore", threads=False)
        if table is None:
            return None
        empty = [
            name
            for name in table.column_names
            if name in SEGMENTATIONS and table[name].null_count == len(table)
        ]
        return long_rows(table.drop_columns(empty), [name for name in wanted if name in table.column_names])
    except (CaesuraError, pyarrow.ArrowException, KeyError):
        return None


def _fields(pyarrow: Any, data: bytes, wanted: dict[str, str]) -> dict[str, Any]:
    """Return the types of all fields that are read."""
    numbers = pyarrow.list_(pyarrow.int64())
    first = parse_json(data.partition(b"\n")[0].decode())
    has_numbers = {
        name for name in NAMES if isinstance(first, dict) and type(first.get(name)) is int
    }  # then all names are, or the block is read line by line
    fields = {name: pyarrow.int64() if name in has_numbers else pyarrow.string() for name in NAMES}
    fields |= {"masses": numbers, "gaps": pyarrow.string(), "positions": numbers, "types": numbers}
    fields["n_units"] = pyarrow.int64()
    return fields | {name: arrow_type(pyarrow, kind) for name, kind in wanted.items()}


def arrow_type(pyarrow: Any, kind: str) -> Any:
    """Return the type of the column of a further field."""
    return {
        "a number": pyarrow.float64(),
        "true or false": pyarrow.bool_(),
        "a list of texts": pyarrow.list_(pyarrow.string()),
    }.get(kind, pyarrow.string())


# -------------------------------------------------------------------- line by line


class _LineReader:
    """Reads a block line by line, and says which is wrong."""

    def __init__(self, pyarrow: Any, wanted: dict[str, str], first: int) -> None:
        self._pyarrow, self._wanted, self._first = pyarrow, wanted, first
        self._names: dict[str, list[str]] = {name: [] for name in NAMES}
        self._codings: list[Segmentation] = []
        self._others: dict[str, list[Any]] = {name: [] for name in wanted}
        self.lines: list[int] = []
        self.n_uncoded = 0
        self.left_out: dict[str, int] = {}

    def read(self, data: bytes) -> Any:
        """Return the rows."""
        for number, line in enumerate(data.split(b"\n"), start=self._first):
            if line.strip():
                try:
                    self._add(number, parse_json(line.decode()))
                except CorpusError as error:
                    raise CorpusError(f"line {number}: {error}") from None
        columns: dict[str, Any] = {}
        for name, values in self._names.items():
            columns[name] = self._column(name, values, self._pyarrow.string())
        columns |= coding_arrays(self._pyarrow, Columns.of(self._codings))
        for name, values in self._others.items():
            columns[name] = self._column(name, values, arrow_type(self._pyarrow, self._wanted[name]))
        return self._pyarrow.table(columns)

    def _add(self, number: int, record: Any) -> None:
        if not isinstance(record, dict):
            raise CorpusError(f"expected an object with document, coder and masses, not {shortened(record)}")
        if jsonl.has_labels(record):
            raise CorpusError(LABELS)
        document, coder = jsonl.names_of(record)
        for name in record:
            if name not in SEGMENTATIONS and name not in self._wanted:
                self.left_out.setdefault(name, number)
        if "coder" not in record:
            self.n_uncoded += 1
            return
        form = jsonl.form_of(record, document, coder)
        try:
            if not document or not coder:
                raise CorpusError(f"the name of the {'coder' if document else 'document'} is empty")
            self._codings.append(as_segmentation(jsonl.coding_of(record, form)))
        except (CorpusError, SegmentationError) as error:
            raise CorpusError(f"{coding_name(document, coder)}: {error}") from None
        self._names["document"].append(document)
        self._names["coder"].append(coder)
        self.lines.append(number)
        for name, value in self._described(document, record).items():
            self._others[name].append(value)

    def _described(self, document: str, record: dict[str, Any]) -> dict[str, Any]:
        """Return what a line has of the fields that are wanted."""
        found = {name: record.get(name) for name in self._wanted}
        for name, value in found.items():
            if value is None or name in DESCRIBING:
                continue
            if KINDS.get(type(value)) != self._wanted[name]:
                raise CorpusError(
                    f"{name} is {shortened(value)}: expected {self._wanted[name]}, as on lines before"
                )
        if found.get("units") is not None:
            found["units"] = jsonl.texts_of(document, found["units"])
        if found.get("places") is not None:
            try:
                places = places_from(found["places"])
            except (SegmentationError, ParameterError) as error:
                raise CorpusError(f"document {document}: places: {error}") from None
            if "units" in found and "units" not in record and places.text is not None and not places.is_grid:
                found["units"] = list(places.texts)
            found["places"] = json.dumps(places_of(places), ensure_ascii=False)
        return found

    def _column(self, name: str, values: list[Any], kind: Any) -> Any:
        try:
            return self._pyarrow.array(values, kind)
        except UnicodeEncodeError:
            for number, value in zip(self.lines, values, strict=True):
                if not _is_utf8(value):
                    raise CorpusError(
                        f"line {number}: {name} is {shortened(value)}: it holds half a character"
                    ) from None
            raise


def _is_utf8(value: Any) -> bool:
    try:
        return value is None or bool("".join(value).encode() or True)
    except UnicodeEncodeError:
        return False


# -------------------------------------------------------------------- the reader


def pieces(path: str) -> list[Piece]:
    """Divide a file at every so many bytes, wherever lines end; a packed one is one piece."""
    size, state = state_of(path)
    if size == 0:
        return []
    if packing_of(path) is not None:
        return [Piece(READER.name, path, 0, size, None, state)]
    return [
        Piece(READER.name, path, start, min(start + PIECE_BYTES, size), None, state)
        for start in range(0, size, PIECE_BYTES)
    ]


def batches(piece: Piece, columns: Sequence[str], n_rows: int) -> Iterator[Batch]:
    """Read the lines that begin in a piece."""
    others = [name for name in columns if name not in SEGMENTATIONS]
    for found in LineRows(piece.path, piece.start, piece.stop).rows(others, n_rows):
        yield Batch(found.where, found.table)


def columns(path: str) -> list[str]:
    """Return the long table's names, and further fields that the first lines have."""
    head = LineRows(path).head
    if head.has_labels:
        raise BadFileError(f"{path}: {LABELS}")
    return [*LONG_TABLE, *head.kinds]


def scheme(path: str) -> TypeScheme | None:
    """Return what the first line says of types."""
    return LineRows(path).head.scheme


EXTENSIONS = (".jsonl", ".ndjson", ".json")
"""The last is what Spark calls its lines."""

READER = Reader(
    "jsonl",
    tuple(f"{extension}{packing}" for extension in EXTENSIONS for packing in ("", *PACKINGS)),
    pieces,
    batches,
    columns,
    scheme,
)
