"""CSV and TSV with a row per coding: pyarrow reads cells as text, and what they mean."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CaesuraError, CorpusError
from caesura.io.tables.cells import DELIMITERS, QUOTED, parsed_rows, width_hint
from caesura.results.table import without_apostrophe
from caesura.scale.data_files import DataFile, PlacedRows, Wanted
from caesura.scale.line_files import first_lines, line_blocks, with_packings
from caesura.scale.rows import SEGMENTATIONS, RowFault, coding_arrays, columns_of, compute
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus

EXTENSIONS = with_packings(DELIMITERS)

LISTS = ("masses", "positions", "types")

QUOTE = ord('"')


def look(file: DataFile) -> DataFile:
    """Read the header; refuse another table."""
    lines = first_lines(file.path)
    header = lines[0] if lines else ""
    likely = DELIMITERS[file.path.lower().removesuffix(".gz").removesuffix(".zst")[-4:]]
    delimiter = next((sign for sign in likely if sign in header), likely[0])
    columns = columns_of(next(csv.reader([header], delimiter=delimiter), []))
    further = {name: "text" for name in columns if name not in SEGMENTATIONS}
    size = max(32, sum(map(len, lines)) // max(1, len(lines)))
    return replace(file, columns=columns, further=further, row_bytes=size, delimiter=delimiter)


def pieces(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole rows, and the line of the first; a cell in quotes may have several lines."""
    for first, data in line_blocks(file.path, lambda data: data.count(b'"') % 2 == 0):
        if first == 1:
            first, data = 2, data.partition(b"\n")[2]
        if data:
            yield first, data


def rows(file: DataFile, wanted: Wanted, piece: tuple[int, bytes]) -> PlacedRows:
    """Make plain rows of a block: its cells at once, or row by row where something is unusual, or wrong."""
    first, data = piece
    cells, lines = _cells_at_once(file, data), None
    if cells is None:
        cells, lines = _cells_of_rows(file, first, data)
    return PlacedRows(cells, file.path, first, lines=lines).read(lambda table: wanted.rows(_read(table)))


def _cells_at_once(file: DataFile, data: bytes) -> Any:
    """Read the cells of rows that have a line each; None where that cannot be, or something may be wrong."""
    from pyarrow import ArrowException, string  # type: ignore[import-untyped]
    from pyarrow import csv as cells

    if not _is_well_quoted(data, file.delimiter):
        return None
    names = [*file.columns]
    try:
        table = cells.read_csv(
            io.BytesIO(data),
            cells.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            cells.ParseOptions(delimiter=file.delimiter, newlines_in_values=True),
            cells.ConvertOptions(column_types=dict.fromkeys(names, string())),
        )
    except ArrowException:
        return None
    return table if len(table) == data.count(b"\n") + (not data.endswith(b"\n")) else None


def _is_well_quoted(data: bytes, delimiter: str) -> bool:
    """Whether each quote begins or ends a cell, or stands twice within one."""
    if b'"' not in data:
        return True
    signs = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(signs == QUOTE)
    around = np.concatenate((signs[quotes[::2] - 1], signs[quotes[1::2] + 1]))
    return len(quotes) % 2 == 0 and bool(np.isin(around, [QUOTE, ord("\n"), ord(delimiter)]).all())


def _cells_of_rows(file: DataFile, first: int, data: bytes) -> tuple[Any, IntArray]:
    """Read the cells of rows one by one, and the line of each."""
    names, held, lines = [*file.columns], [], []
    for line, row in parsed_rows(io.StringIO(data.decode(), newline=""), file.delimiter, first):
        if row and len(row) != len(names):
            raise CorpusError(
                f"line {line}: it has {len(row)} cells, the header has {len(names)}: "
                f"{width_hint(row, len(names))}"
            )
        if row:
            held.append(row)
            lines.append(line)
    columns = zip(*held, strict=True) if held else [()] * len(names)
    pyarrow = load_pyarrow()
    arrays = [pyarrow.array(column, pyarrow.string()) for column in columns]
    return pyarrow.table(arrays, names), np.array(lines, dtype=np.int64)


def _read(table: Any) -> Any:
    """Return a table with what its cells mean: numbers in place of their digits, at once or cell by cell."""
    pyarrow, functions = load_pyarrow(), compute()
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if functions.any(functions.match_substring_regex(column, f"^{QUOTED.pattern}")).as_py():
            column = pyarrow.array([without_apostrophe(cell) for cell in column.to_pylist()])
        columns[name] = column
    numbers = {}
    try:
        for name in {"n_units", *LISTS} & columns.keys():
            cells, kind = columns[name], pyarrow.int64()
            if name in LISTS:
                lists = functions.split_pattern(cells, " ")
                is_empty = functions.equal(cells, "")
                cells = functions.if_else(is_empty, pyarrow.scalar([], lists.type), lists)
                kind = pyarrow.list_(kind)
            numbers[name] = cells.cast(kind)
        return pyarrow.table({**columns, **numbers})
    except pyarrow.ArrowException:
        return _with_codings(columns)


def _with_codings(columns: dict[str, Any]) -> Any:
    """Return the columns with the segmentations that their cells mean, row by row."""
    names = [name for name in SEGMENTATIONS if name in columns]
    codings = []
    for row, cells in enumerate(zip(*(columns[name].to_pylist() for name in names), strict=True)):
        record = [
            int(cell) if name == "n_units" and cell.strip().isdecimal() and len(cell) < 20 else cell
            for name, cell in zip(names, cells, strict=True)
        ]
        try:
            codings += [coding for _, _, coding in Corpus.from_records(names, [record])]
        except CaesuraError as error:
            raise RowFault(row, str(error).removeprefix("row 1: ")) from None
    rest = {name: column for name, column in columns.items() if name not in SEGMENTATIONS[2:]}
    pyarrow = load_pyarrow()
    return pyarrow.table({**rest, **coding_arrays(pyarrow, Columns.of(codings))})
