"""The long table into the columns of a corpus: data frames, Arrow tables and rows of cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caesura.errors import CorpusError, ParameterError, SegmentationError, did_you_mean, missing_extra
from caesura.io.tables.columns import TableOptions, check_chosen, check_once, is_long_header, long_columns
from caesura.io.tables.unit_rows import UnitRows
from caesura.io.tables.wide_table import WideTable, cell_text
from caesura.values import arrow
from caesura.values.builder import CorpusBuilder
from caesura.values.forms import MarkMeaning, coding_name, name_of, short_name
from caesura.values.making import RECORD_COLUMNS, CorpusColumns, checked_columns
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps
from caesura.wording import short

MAX_DIGITS = 20
"""Longest number in text: no unit or type is near it, and longer ones cost time to read."""


def read_frame(frame: Any, options: TableOptions, name: str) -> CorpusColumns:
    """Read a data frame, long or wide; a wide one's document has this name where no column says it."""
    try:
        import narwhals
    except ModuleNotFoundError:
        raise missing_extra("data frames need narwhals", "formats") from None
    try:
        table = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        raise CorpusError(f"expected a data frame, not a {kind}; a lazy one needs collect() first") from None
    header = list(map(str, table.columns))
    if header and not is_long_header(header, options):
        body = [(number, list(map(cell_text, row))) for number, row in enumerate(table.iter_rows(), 1)]
        builder = CorpusBuilder()
        WideTable([(0, header), *body], options, name=name).read_into(builder)
        return builder.columns()
    columns = long_columns(header, options)
    check_once(columns)
    check_chosen(columns, options)
    form = record_form(columns)
    if form == "label":
        return _read_units(columns, table.iter_rows(), header, options.marks, options.gaps)
    if options.marks is not None or options.gaps is not None:
        option = "gaps" if options.marks is None else "marks"
        raise ParameterError(f"{option}= says nothing of a table of {form}; leave it out")
    as_arrow = arrow.frame_table(table)
    read = None if as_arrow is None else _read_columns(arrow.with_names(as_arrow, columns))
    return read_records(columns, table.iter_rows()) if read is None else read


def read_arrow(table: Any, marks: MarkMeaning | None, gaps: Gaps | None) -> CorpusColumns:
    """Read a long Arrow table, column by column where that can be, and its texts."""
    roles = long_columns(table.column_names, TableOptions())
    check_once(roles)
    names = dict(zip(roles, table.column_names, strict=True))
    table = arrow.with_names(table, roles)
    read = _read_columns(table)
    if read is None:
        columns = [name for name in table.column_names if name in (*RECORD_COLUMNS, "text")]
        rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
        if record_form(columns) == "label":
            read = _read_units(columns, rows, [names[role] for role in columns], marks, gaps)
        else:
            read = read_records(columns, rows)
    return arrow.with_texts(read, table)


def _read_columns(table: Any) -> CorpusColumns | None:
    """Read an Arrow table column by column; None where only its rows can tell what they hold."""
    columns = arrow.read_table(table)
    try:
        return None if columns is None else checked_columns(columns)
    except CorpusError:
        return None  # of several faults the first row's counts


def read_records(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, marks: MarkMeaning | None = None
) -> CorpusColumns:
    """Read the rows of a long table.

    >>> read_records(["document", "coder", "masses"], [["d", "ann", "2 3"]]).codings.positions.tolist()
    [2]
    """
    form = record_form(columns)
    if form == "label":
        return _read_units(columns, rows, None, marks)
    index = {name: number for number, name in enumerate(columns)}
    builder = CorpusBuilder()
    for number, row in enumerate(rows, start=1):
        document, coder = (name_of(row[index[name]], name, "row", number) for name in ("document", "coder"))
        if builder.has_coding(document, coder):
            raise CorpusError(
                f"row {number}: document {short_name(document)} already has a coding by {short_name(coder)}"
            )
        try:
            builder.add(document, coder, _segmentation(form, index, row))
        except SegmentationError as error:
            raise CorpusError(f"row {number}: {coding_name(document, coder)}: {error}") from None
    return builder.columns()


def _read_units(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    header: Sequence[str] | None,
    marks: MarkMeaning | None,
    gaps: Gaps | None = None,
) -> CorpusColumns:
    """Read a row per unit and coder; the columns are called by their roles."""
    units = UnitRows(columns, header=header)
    units.add_all(enumerate(rows, start=1))
    builder = CorpusBuilder()
    units.read_into(builder, marks, gaps=gaps)
    return builder.columns()


def record_form(columns: Sequence[str]) -> str:
    """Return the column of a long table that has the segmentation."""
    for name in ("document", "coder"):
        if name not in columns:
            raise CorpusError(f"there is no column {name!r}; {did_you_mean(name, columns)}")
    for form in ("masses", "gaps", "positions", "label"):
        if form in columns:
            if form == "positions" and "n_units" not in columns:
                raise CorpusError("a column 'positions' needs a column 'n_units' beside it")
            return form
    raise CorpusError(
        "there is no column with the segmentation: expected masses, gaps, positions with n_units, or label"
    )


def _segmentation(form: str, index: Mapping[str, int], row: Sequence[Any]) -> Segmentation:
    value = row[index[form]]
    if form == "gaps":
        if not isinstance(value, str):
            raise SegmentationError(
                f"gaps is {short(value)}: expected text of 0 and 1 (a leading 0 is lost in numbers)"
            )
        return Segmentation.from_gaps(value)
    if form == "masses":
        return Segmentation.from_masses(_numbers(value, "masses"))
    types = _numbers(row[index["types"]], "types") if "types" in index else None
    return Segmentation.from_positions(_numbers(value, "positions"), row[index["n_units"]], types)


def _numbers(value: Any, name: str) -> Any:
    """Read a list of numbers, or text with spaces or commas between them."""
    if not isinstance(value, str):
        return [value] if isinstance(value, int) else value
    parts = value.replace(",", " ").split()
    if not all(part.isascii() and part.lstrip("-").isdigit() and len(part) <= MAX_DIGITS for part in parts):
        raise SegmentationError(f"{name} is {short(value)}: expected whole numbers with spaces between")
    return [int(part) for part in parts]
