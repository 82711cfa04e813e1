"""CSV and TSV with a row per coding: DuckDB's query for its cells, all of them text, and what they mean."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, CorpusError
from caesura.io import files as text_files
from caesura.io.tables.cells import DELIMITERS, QUOTED
from caesura.results.table import without_apostrophe
from caesura.scale.addresses import state_of
from caesura.scale.data_files import DataFile, PlacedRows, Reader, Wanted, literal, naming_file, quoted
from caesura.scale.line_files import PACKINGS, first_lines, line_blocks
from caesura.scale.rows import SEGMENTATIONS, RowFault, coding_arrays, columns_of, compute, plain_rows
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus

AT_ONCE = 2**15
"""Rows that are read at a time where each must have its line."""

LISTS = ("masses", "positions", "types")


def look(path: str) -> DataFile:
    """Read the header; refuse another table."""
    with naming_file(path):
        n_bytes, state = state_of(path)
        lines = first_lines(path)
        header = lines[0] if lines else ""
        extension = path.lower().removesuffix(".gz").removesuffix(".zst")[-4:]
        order = DELIMITERS[extension]
        delimiter = next((one for one in order if one in header), order[0])
        columns = columns_of(next(csv.reader([header], delimiter=delimiter), []))
        further = {name: "text" for name in columns if name not in SEGMENTATIONS}
    size = max(32, sum(map(len, lines)) // max(1, len(lines)))
    first = f"{delimiter}{header}"
    return DataFile(
        path, "csv", state, n_bytes, columns, further, row_bytes=size, first_line=first, shape=first
    )


def query(files: Sequence[DataFile], wanted: Wanted) -> str:
    """Return the query for the cells of all columns, as text."""
    columns = files[0].columns
    kinds = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in columns.values())
    chosen = ["coder"] if wanted.coders_only else [*SEGMENTATIONS, *wanted.further]
    names = [f"{quoted(columns[name])} AS {quoted(name)}" for name in chosen if name in columns]
    how = f"header=true, auto_detect=false, quote='\"', escape='\"', delim={literal(files[0].first_line[0])}"
    return (
        f"SELECT {', '.join(names)} FROM read_csv(getvariable('paths'), {how}, columns={{{kinds}}}, "
        f"max_line_size={2**24})"
    )


def plain(batch: Any, wanted: Wanted) -> Any:
    """Make plain rows of text cells."""
    pyarrow = load_pyarrow()
    functions = compute()
    columns: dict[str, Any] = {}
    for name in batch.column_names:
        column = functions.fill_null(batch[name].combine_chunks(), "")
        if functions.any(functions.match_substring_regex(column, f"^{QUOTED.pattern}")).as_py():
            column = pyarrow.array([without_apostrophe(cell) for cell in column.to_pylist()])
        columns[name] = column
    if wanted.coders_only:
        return pyarrow.table(columns)
    return plain_rows(_with_numbers(pyarrow, columns), wanted.by, wanted.others)


def _with_numbers(pyarrow: Any, columns: dict[str, Any]) -> Any:
    """Return the columns with numbers in place of their digits: at once, or cell by cell."""
    functions = compute()
    try:
        read = dict(columns)
        for name in {"n_units", *LISTS} & read.keys():
            if name == "n_units":
                read[name] = read[name].cast(pyarrow.int64())
                continue
            cells = functions.split_pattern(read[name], " ")
            is_empty = functions.equal(read[name], "")
            cells = functions.if_else(is_empty, pyarrow.scalar([], cells.type), cells)
            read[name] = cells.cast(pyarrow.list_(pyarrow.int64()))
        return pyarrow.table(read)
    except pyarrow.ArrowException:
        pass
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
    return pyarrow.table({**rest, **coding_arrays(pyarrow, Columns.of(codings))})


def slowly(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[PlacedRows]:
    """Yield the rows with their lines; a fault has the file and the line."""
    with naming_file(file.path):
        if csv.field_size_limit() < text_files.MAX_LINE:
            csv.field_size_limit(text_files.MAX_LINE)
        lines = (
            line for _, data in line_blocks(file.path) for line in io.StringIO(data.decode(), newline="")
        )
        reader = csv.reader(lines, delimiter=file.first_line[0], strict=True)
        held: list[list[str]] = []
        places: list[int] = []
        try:
            header = next(reader)
            for row in reader:
                if row and len(row) != len(header):
                    hint = "a cell with the delimiter inside needs quotes" if len(row) > len(header) else ""
                    raise CorpusError(
                        f"line {reader.line_num}: it has {len(row)} cells, the header has {len(header)}: "
                        f"{hint or 'cells are missing'}"
                    )
                if row:
                    held.append(row)
                    places.append(reader.line_num)
                if len(held) == AT_ONCE:
                    yield _placed(file, wanted, held, places)
                    held, places = [], []
        except csv.Error as error:
            hint = "; a quoted cell is not closed" if "end of data" in str(error) else ""
            raise CorpusError(f"line {reader.line_num}: {error}{hint}") from None
        if held:
            yield _placed(file, wanted, held, places)


def _placed(file: DataFile, wanted: Wanted, rows: list[list[str]], lines: list[int]) -> PlacedRows:
    pyarrow = load_pyarrow()
    names = [*file.columns]
    cells = {name: pyarrow.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    try:
        table = plain(pyarrow.table(cells), wanted)
    except RowFault as error:
        raise CorpusError(f"line {lines[error.row]}: {error.fault}") from None
    return PlacedRows(table, file.path, lines[0], lines=np.array(lines))


READER = Reader(
    "csv",
    tuple(f"{one}{packing}" for one in DELIMITERS for packing in ("", *PACKINGS)),
    look,
    query,
    plain,
    slowly,
)
