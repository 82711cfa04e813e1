"""The long table, with a row per coding or a row per unit: data frames, Arrow tables and rows of cells."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from caesura.errors import CorpusError, ParameterError, SegmentationError, did_you_mean, missing_extra
from caesura.io.files import whole_numbers
from caesura.io.tables.columns import TableOptions, is_long_header, named_columns
from caesura.io.tables.marks import UnitValues, look, rows_named
from caesura.io.tables.wide_table import ReadTable, WideTable, add_values, cell_text
from caesura.values import arrow
from caesura.values.forms import coding_name, name_of, short_name
from caesura.values.making import RECORD_COLUMNS, CorpusBuilder, CorpusColumns, checked_columns
from caesura.values.segmentation import Segmentation
from caesura.wording import short

MAX_UNIT_DIGITS = 15
"""Longest number of a unit, in digits: longer ones are identifiers, whose order is not known."""

Key: TypeAlias = tuple[str, str]
"""Document and coder."""


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
        return WideTable([(0, header), *body], options, name=name).read().columns
    columns = named_columns(header, options)
    form = record_form(columns)
    if form != "label" and (options.marks, options.gaps) != (None, None):
        option = "gaps" if options.marks is None else "marks"
        raise ParameterError(f"{option}= says nothing of a table of {form}; leave it out")
    as_arrow = None if form == "label" else arrow.frame_table(table)
    read = None if as_arrow is None else _read_columns(arrow.with_names(as_arrow, columns))
    return read or read_records(columns, table.iter_rows(), options, header)


def read_arrow(table: Any, options: TableOptions) -> CorpusColumns:
    """Read a long Arrow table, column by column where that can be, and its texts."""
    roles = named_columns(table.column_names, TableOptions())
    names = dict(zip(roles, table.column_names, strict=True))
    table = arrow.with_names(table, roles)
    if (read := _read_columns(table)) is None:
        columns = [name for name in table.column_names if name in (*RECORD_COLUMNS, "text")]
        rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
        read = read_records(columns, rows, options, [names[role] for role in columns])
    return arrow.with_texts(read, table)


def _read_columns(table: Any) -> CorpusColumns | None:
    """Read an Arrow table column by column; None where only its rows can tell what they hold."""
    columns = arrow.read_table(table)
    try:
        return None if columns is None else checked_columns(columns)
    except CorpusError:
        return None  # of several faults the first row's counts


def read_records(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    options: TableOptions | None = None,
    header: Sequence[str] | None = None,
) -> CorpusColumns:
    """Read the rows of a long table; ``header`` is what its columns are called there.

    >>> read_records(["document", "coder", "masses"], [["d", "ann", "2 3"]]).codings.positions.tolist()
    [2]
    """
    if (form := record_form(columns)) == "label":
        return read_units(columns, enumerate(rows, start=1), options, header).columns
    index = {name: number for number, name in enumerate(columns)}
    builder = CorpusBuilder()
    for number, row in enumerate(rows, start=1):
        document, coder = (name_of(row[index[name]], name, "row", number) for name in ("document", "coder"))
        if builder.has_coding(document, coder):
            twice = f"document {short_name(document)} already has a coding by {short_name(coder)}"
            raise CorpusError(f"row {number}: {twice}")
        try:
            builder.add(document, coder, _segmentation(form, index, row))
        except SegmentationError as error:
            raise CorpusError(f"row {number}: {coding_name(document, coder)}: {error}") from None
    return builder.columns()


def record_form(columns: Sequence[str]) -> str:
    """Return the column of a long table that has the segmentation."""
    for name in ("document", "coder"):
        if name not in columns:
            raise CorpusError(f"no column {name!r}; {did_you_mean(name, columns)}")
    for form in ("masses", "gaps", "positions", "label"):
        if form in columns:
            if form == "positions" and "n_units" not in columns:
                raise CorpusError("a column 'positions' needs a column 'n_units' beside it")
            return form
    raise CorpusError("no column masses, gaps, positions (with n_units) or label: it has the segmentation")


def _segmentation(form: str, index: Mapping[str, int], row: Sequence[Any]) -> Segmentation:
    value = row[index[form]]
    if form == "gaps":
        if not isinstance(value, str):
            expected = "expected text of 0 and 1 (a number loses a leading 0)"
            raise SegmentationError(f"gaps is {short(value)}: {expected}")
        return Segmentation.from_gaps(value)
    if form == "masses":
        return Segmentation.from_masses(_numbers(value, "masses"))
    types = _numbers(row[index["types"]], "types") if "types" in index else None
    return Segmentation.from_positions(_numbers(value, "positions"), row[index["n_units"]], types)


def _numbers(value: Any, name: str) -> Any:
    """Read a list of numbers, or text with spaces or commas between them."""
    if not isinstance(value, str):
        return [value] if isinstance(value, int) else value
    return whole_numbers(value.replace(",", " ").split(), name)


# -------------------------------------------------------------------- a row per unit


@dataclass
class _Coding:
    """What the rows of one coding hold."""

    values: list[Any] = field(default_factory=list)
    rows: array[int] = field(default_factory=lambda: array("q"))
    units: list[Any] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)


def read_units(
    columns: Sequence[str],
    rows: Iterable[tuple[int, Sequence[Any]]],
    options: TableOptions | None = None,
    header: Sequence[str] | None = None,
    word: str = "row",
) -> ReadTable:
    """Return the codings of a table with a numbered row per unit and coder, all read in one way.

    Columns are called by their roles, and in messages as the header has them.

    >>> rows = [("d", "ann", 1), ("d", "ann", 0), ("d", "ann", 1), ("d", "ann", 0)]
    >>> table = read_units(["document", "coder", "label"], enumerate(rows, start=1))
    >>> table.reading, table.columns.codings.positions.tolist()
    ('starts', [2])
    """
    coder_column = (columns if header is None else header)[columns.index("coder")].strip()
    codings = _gathered(columns, rows, coder_column, word)
    _check_order(codings, word)
    values = [
        UnitValues(document, coder, own.values, rows_named(own.rows, word, coding_name(document, coder)))
        for (document, coder), own in codings.items()
    ]
    builder = CorpusBuilder()
    reading = add_values(builder, values, options or TableOptions())
    if "text" in columns:
        _add_agreed_texts(builder, codings)
    return ReadTable(builder.columns(), reading)


def _gathered(
    columns: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]], coder_column: str, word: str
) -> dict[Key, _Coding]:
    """Return what the rows of each coding hold."""
    document_at, coder_at, value_at = map(columns.index, ("document", "coder", "label"))
    unit_at, text_at = (columns.index(name) if name in columns else None for name in ("unit", "text"))
    if coder_column.lower() != "coder":
        rows = list(rows)
        cells = [row[coder_at] for _, row in rows]
        if look(cells) is not None:  # the table may have a column per coder
            fault = f"column {coder_column!r} may name each row's coder, or hold marks ({short(cells[0])})"
            fix = f"rename it to coder, or name the columns of marks, coders=[{coder_column!r}, …]"
            raise CorpusError(f"{fault}: {fix}")
    codings: dict[Key, _Coding] = {}
    for number, row in rows:
        key = (row[document_at], row[coder_at])
        try:
            coding = codings[key]
        except (KeyError, TypeError):
            document = name_of(key[0], "document", word, number)
            coder = name_of(key[1], "coder", word, number)
            coding = codings.setdefault((document, coder), _Coding())
        coding.values.append(row[value_at])
        coding.rows.append(number)
        if unit_at is not None:
            coding.units.append(row[unit_at])
        if text_at is not None:
            coding.texts.append(row[text_at])
    return codings


def _add_agreed_texts(builder: CorpusBuilder, codings: Mapping[Key, _Coding]) -> None:
    """Add the texts of each document's units, which must be the same for all coders."""
    agreed: dict[str, tuple[str, list[str]]] = {}
    for (document, coder), coding in codings.items():
        texts = list(map(cell_text, coding.texts))
        first, expected = agreed.setdefault(document, (coder, texts))
        for index, (text, again) in enumerate(zip(expected, texts, strict=False)):
            if text != again:
                coders = f"coders {short_name(first)} and {short_name(coder)}"
                raise CorpusError(f"document {short_name(document)}: text[{index}] differs between {coders}")
    for document, (_, texts) in agreed.items():
        builder.add_text(document, texts)


def _check_order(codings: Mapping[Key, _Coding], word: str) -> None:
    """Check that numbers of units ascend, and are those of the document's first coder."""
    first: dict[str, tuple[str, list[int]]] = {}
    for (document, coder), coding in codings.items():
        if (numbers := _unit_numbers(coding.units)) is None:
            continue
        where = coding_name(document, coder)
        steps = np.diff(np.array(numbers, dtype=np.int64))
        if bool((steps < 1).any()):
            index = int(np.argmax(steps < 1)) + 1
            order = f"{where}: unit {numbers[index]} stands after unit {numbers[index - 1]}"
            raise CorpusError(f"{word} {coding.rows[index]}: {order}: sort by unit, remove repeated rows")
        first_coder, expected = first.setdefault(document, (coder, numbers))
        if numbers != expected:
            missing = sorted(set(numbers) ^ set(expected))[0]
            coders = f"{short_name(first_coder)} and {short_name(coder)}"
            raise CorpusError(f"{where}: unit {missing} is there for only one of {coders}: is a row missing?")


def _unit_numbers(units: Sequence[Any]) -> list[int] | None:
    """Return units as numbers; None where one is not a number."""
    numbers = []
    for unit in units:
        text = unit.strip() if isinstance(unit, str) else ""
        is_number = isinstance(unit, (int, np.integer)) and abs(unit) < 10**MAX_UNIT_DIGITS
        if not is_number and not (text.isascii() and text.isdigit() and len(text) <= MAX_UNIT_DIGITS):
            return None
        numbers.append(int(unit))
    return numbers or None
