"""Text files in blocks of whole lines: JSON Lines and CSV.

pyarrow reads a block whose lines are alike; any other block is read line by line. Lines of JSON mean what
``io.formats.jsonl`` says, except that ``labels`` are refused: only a whole file shows what they mean.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from caesura.errors import CaesuraError, CorpusError, within
from caesura.io.files import misfit, parse_json, shortened
from caesura.io.formats import jsonl
from caesura.io.json_files import HALF
from caesura.io.line_blocks import COMPRESSIONS, line_blocks
from caesura.io.spans import places_from, places_of
from caesura.io.tables.cells import DELIMITERS, QUOTED, is_well_quoted, parsed_rows, width_hint
from caesura.results.table import without_apostrophe
from caesura.scale.data_files import DataFile, LocatedRows, Wanted
from caesura.scale.rows import LONG_TABLE, NAMES, SEGMENTATIONS, coding_of, columns_of
from caesura.values.arrow import coding_arrays, load_compute, load_pyarrow
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme

LOOKED_AT = 1000
"""Lines that show which further fields there are, and what they hold."""

FIELDS = {"units": "a list of texts", "places": "an object"}
"""Further fields with a meaning, and what they hold."""

KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number"}

LISTS = ("masses", "positions", "types")


def extensions_of(*plain: str) -> tuple[str, ...]:
    """Return the extensions of files, plain and compressed."""
    return tuple(f"{extension}{packed}" for extension in plain for packed in ("", *COMPRESSIONS))


@dataclass(frozen=True)
class TextFile(DataFile):
    """A file of lines; the first may be a header, or declare types."""

    delimiter: str = ""
    """What divides the cells of CSV, where quotes enclose cells of several lines."""

    def pieces(self, wanted: Wanted, row_groups: range | None) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of whole records, and the number of the first line."""
        for first, data in line_blocks(self.path, b'"' if self.delimiter else b""):
            if first == 1 and (self.delimiter or self.scheme is not None):
                first, data = 2, data.partition(b"\n")[2]
            if data.strip(b" \n"):
                yield first, data

    def rows(self, wanted: Wanted, piece: tuple[int, bytes]) -> LocatedRows:
        """Return the plain rows of a block, read at once or one by one."""
        first, data = piece
        known = {**FIELDS, **self.further}
        kinds = {name: known.get(name, "text") for name in wanted.further}
        try:
            table = self.at_once(data, kinds, wanted)
        except (CaesuraError, load_pyarrow().ArrowException, KeyError):
            table = None
        if table is not None:
            return LocatedRows(table, lambda row: f"{self.path}: line {first + row}")
        records = [*self.records(data, kinds, first)]
        left_out: dict[str, int] = {}
        for line, cells, _ in records:
            for name in cells:
                if name not in (*SEGMENTATIONS, *kinds):
                    left_out.setdefault(name, line)
        coded = [(line, cells, coding) for line, cells, coding in records if coding is not None]
        kinds = {**dict.fromkeys(NAMES, "text"), **kinds}
        lines, rows, codings = zip(*coded, strict=True) if coded else ((), (), ())
        arrays = {name: [cells[name] for cells in rows] for name in kinds}
        pyarrow = load_pyarrow()
        columns = {name: pyarrow.array(values, arrow_type(kinds[name])) for name, values in arrays.items()}
        table = pyarrow.table(columns | coding_arrays(Columns.of(codings)))
        n_uncoded = len(records) - len(coded)
        return wanted.located(table, lambda row: f"{self.path}: line {lines[row]}", n_uncoded, left_out)

    def at_once(self, data: bytes, kinds: Mapping[str, str], wanted: Wanted) -> Any:
        """Return the plain rows of lines that are alike; None or an error if they are not."""
        raise NotImplementedError

    def records(
        self, data: bytes, kinds: Mapping[str, str], first: int
    ) -> Iterator[tuple[int, dict[str, Any], Segmentation | None]]:
        """Yield the line, cells and segmentation of each record, or raise which is wrong."""
        raise NotImplementedError


def _first_lines(path: str) -> tuple[list[str], int]:
    """Return lines from the beginning, and about how much memory a row takes."""
    lines: list[str] = []
    for _, data in line_blocks(path):
        lines += data.decode().removesuffix("\n").split("\n")
        if len(lines) >= LOOKED_AT:
            break
    lines = lines[:LOOKED_AT]
    return lines, max(32, sum(map(len, lines)) // max(1, len(lines)))


# -------------------------------------------------------------------- JSON Lines


def arrow_type(kind: str) -> Any:
    """Return the type of the column of a further field."""
    pyarrow = load_pyarrow("Parquet needs")
    types = {"a number": pyarrow.float64(), "true or false": pyarrow.bool_()}
    return types.get(kind, pyarrow.list_(pyarrow.string()) if kind == FIELDS["units"] else pyarrow.string())


@dataclass(frozen=True)
class JsonLines(TextFile):
    """A file of JSON Lines; ``further`` holds kinds in words."""

    kind = "jsonl"
    extensions = extensions_of(".jsonl", ".ndjson", ".json")  # Spark calls its lines .json

    @classmethod
    def look(cls, path: str, n_bytes: int, state: str) -> Self:
        """Read the first lines; reading them as rows reports what is wrong with them."""
        lines, row_bytes = _first_lines(path)
        scheme, has_labels, kinds = None, False, dict[str, str]()
        for number, line in enumerate(lines, start=1):
            try:
                record = parse_json(line) if line.strip() else None
            except CorpusError:
                continue
            if not isinstance(record, dict):
                continue
            if number == 1 and "type_scheme" in record:
                with within("line 1"):
                    scheme = TypeScheme.from_dict(record["type_scheme"])
                continue
            has_labels = has_labels or jsonl.has_labels(record)
            if isinstance(record.get("places"), dict) and record["places"].get("text") is not None:
                record.setdefault("units", [])  # slices of the text
            for name, value in record.items():
                value_kind = None if value is None else FIELDS.get(name) or KINDS.get(type(value))
                if value_kind and name not in (*SEGMENTATIONS, "labels", "details"):
                    kinds.setdefault(name, value_kind)
        columns = {name: name for name in (*LONG_TABLE, *kinds)}
        return cls(path, n_bytes, state, columns, kinds, scheme, row_bytes, has_labels=has_labels)

    def at_once(self, data: bytes, kinds: Mapping[str, str], wanted: Wanted) -> Any:
        """Return the plain rows of lines that are alike; None or an error if they are not."""
        if b'"labels"' in data or ("places" in kinds and b'"places"' in data):
            return None
        pyarrow = load_pyarrow()
        lines = pyarrow.py_buffer(data).slice(0, len(data) - data.endswith(b"\n"))
        first = parse_json(data.partition(b"\n")[0].decode())
        fields = jsonl.coding_fields(pyarrow, first if isinstance(first, dict) else {})
        fields |= {name: arrow_type(kind) for name, kind in kinds.items()}
        others = "error" if wanted.is_strict else "ignore"
        table = jsonl.parse_lines(lines, fields, others=others, threads=False)
        if table is None:
            return None
        nulls = [name for name in SEGMENTATIONS if table[name].null_count == len(table)]
        return wanted.rows(table.drop_columns(nulls))

    def records(
        self, data: bytes, kinds: Mapping[str, str], first: int
    ) -> Iterator[tuple[int, dict[str, Any], Segmentation | None]]:
        """Yield the line, fields and segmentation of each record."""
        for number, line in enumerate(data.split(b"\n"), start=first):
            if not line.strip():
                continue
            with within(f"line {number}"):
                record = parse_json(line.decode())
                if not isinstance(record, dict):
                    raise misfit("it", record, "an object with document, coder and masses")
                if jsonl.has_labels(record):
                    raise CorpusError("labels cannot be streamed; write masses or positions instead")
                document, coder = jsonl.names_of(record)
                if "coder" not in record:
                    yield number, record, None
                    continue
                coding = coding_of(record, document, coder)
                cells = {"document": document, "coder": coder, **_further_fields(document, record, kinds)}
                for name, value in cells.items():
                    if b"\\u" in line and HALF.search(json.dumps(value, ensure_ascii=False)):
                        raise CorpusError(f"{name} is {shortened(value)}: it holds half a character")
            yield number, {**record, **cells}, coding


def _further_fields(document: str, record: dict[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the wanted further fields of a line."""
    values = {name: record.get(name) for name in kinds}
    for name, value in values.items():
        if value is not None and name not in FIELDS and KINDS.get(type(value)) != kinds[name]:
            raise misfit(name, value, f"{kinds[name]}, as on lines before")
    if values.get("units") is not None:
        values["units"] = jsonl.texts_of(document, values["units"])
    if values.get("places") is not None:
        with within(f"document {document}: places"):
            places = places_from(values["places"])
        if "units" in values and "units" not in record and places.text is not None and not places.is_grid:
            values["units"] = list(places.texts)
        values["places"] = json.dumps(places_of(places), ensure_ascii=False)
    return values


# -------------------------------------------------------------------- CSV


@dataclass(frozen=True)
class Table(TextFile):
    """A CSV or TSV table with a row per coding."""

    kind = "csv"
    extensions = extensions_of(*DELIMITERS)

    @classmethod
    def look(cls, path: str, n_bytes: int, state: str) -> Self:
        """Read the header; refuse another table."""
        lines, row_bytes = _first_lines(path)
        header = lines[0] if lines else ""
        likely = next(signs for ending, signs in DELIMITERS.items() if ending in path.lower()[-8:])
        delimiter = next((sign for sign in likely if sign in header), likely[0])
        columns = columns_of(next(csv.reader([header], delimiter=delimiter), []))
        further = {name: "text" for name in columns if name not in SEGMENTATIONS}
        return cls(path, n_bytes, state, columns, further, row_bytes=row_bytes, delimiter=delimiter)

    def at_once(self, data: bytes, kinds: Mapping[str, str], wanted: Wanted) -> Any:
        """Return the plain rows of lines that are alike; None or an error if they are not."""
        from pyarrow import csv as arrow_csv  # type: ignore[import-untyped]

        if not is_well_quoted(data, self.delimiter):
            return None
        pyarrow, functions = load_pyarrow(), load_compute()
        table = arrow_csv.read_csv(
            io.BytesIO(data),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=[*self.columns]),
            arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(self.columns, pyarrow.string())),
        )
        if len(table) != data.count(b"\n") + (not data.endswith(b"\n")):
            return None  # a cell has several lines
        columns = {}
        for name in table.column_names:
            cells = table[name].combine_chunks()
            if functions.any(functions.match_substring_regex(cells, f"^{QUOTED.pattern}")).as_py():
                cells = pyarrow.array(map(without_apostrophe, cells.to_pylist()))
            if name in LISTS:
                lists = functions.split_pattern(cells, " ")
                cells = functions.if_else(functions.equal(cells, ""), pyarrow.scalar([], lists.type), lists)
                cells = cells.cast(pyarrow.list_(pyarrow.int64()))
            columns[name] = cells.cast(pyarrow.int64()) if name == "n_units" else cells
        return wanted.rows(pyarrow.table(columns))

    def records(
        self, data: bytes, kinds: Mapping[str, str], first: int
    ) -> Iterator[tuple[int, dict[str, Any], Segmentation | None]]:
        """Yield the last line, cells and segmentation of each row."""
        width = len(self.columns)
        names = [name for name in SEGMENTATIONS if name in self.columns]
        for line, row in parsed_rows(io.StringIO(data.decode(), newline=""), self.delimiter, first):
            if not row:
                continue
            with within(f"line {line}"):
                if len(row) != width:
                    hint = width_hint(row, width)
                    raise CorpusError(f"it has {len(row)} cells, the header has {width}: {hint}")
                cells: dict[str, Any] = dict(zip(self.columns, map(without_apostrophe, row), strict=True))
                values = {name: cells[name] for name in names}
                if values.get("n_units", "").strip().isdecimal() and len(values["n_units"]) < 20:
                    values["n_units"] = int(values["n_units"])
                try:
                    ((_, _, coding),) = Corpus.from_records(names, [[*values.values()]])
                except CaesuraError as error:
                    raise CorpusError(str(error).removeprefix("row 1: ")) from None
            yield line, cells, coding
