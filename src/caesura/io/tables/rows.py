"""Rows of tables as codings: a row per coding, or a row per unit of a long or a wide table.

A long table names document and coder on each row. A wide one has a row per unit and a column of marks or
labels per coder; ``io.tables.columns`` tells its columns apart. ``io.tables.marks`` tells what marks mean. An
empty column says that its coder skipped the document; a single missing label is an error.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.errors import CorpusError, ParameterError, SegmentationError, did_you_mean, missing_extra
from caesura.io.files import whole_numbers
from caesura.io.tables.columns import Roles, TableOptions, is_long_header, named_columns, tell_columns
from caesura.io.tables.marks import UnitValues, look, read_marks, rows_named
from caesura.values import arrow
from caesura.values.forms import MarkMeaning, coding_name, is_blank, name_of, short_name
from caesura.values.making import RECORD_COLUMNS, CorpusBuilder, CorpusColumns, checked_columns
from caesura.values.segmentation import Segmentation
from caesura.wording import short

MAX_DIGITS, MAX_ID_DIGITS = 15, 18
"""Longest number of a unit, in digits, and the longest in a column of ids; longer ones have no order."""

Row: TypeAlias = tuple[int, list[str]]
"""The number of a row, or of its line, and the cells."""

Rows: TypeAlias = Iterable[tuple[int, Sequence[Any]]]
"""The same with cells of any type."""

Key: TypeAlias = tuple[str, str]
"""Document and coder."""


class ReadTable(NamedTuple):
    """What a table holds; how its values per unit were read, and from which columns."""

    columns: CorpusColumns
    reading: MarkMeaning | None = None
    text: str | None = None
    """The column with the units' text."""
    left_out: Sequence[str] = ()
    """Columns with other text, and empty ones."""


def read_frame(frame: Any, options: TableOptions, name: str) -> CorpusColumns:
    """Read a data frame, long or wide; ``name`` is the document of a wide one without a column for it."""
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
    rows = enumerate(table.iter_rows(), start=1)
    if header and not is_long_header(header, options):
        body = [(number, list(map(cell_text, row))) for number, row in rows]
        return read_wide([(0, header), *body], options, name).columns
    columns = named_columns(header, options)
    form = record_form(columns)
    if form != "label" and (options.marks, options.gaps) != (None, None):
        option = "gaps" if options.marks is None else "marks"
        raise ParameterError(f"{option}= does not apply to a table of {form}; leave it out")
    as_arrow = None if form == "label" else arrow.frame_table(table)
    read = None if as_arrow is None else _read_columns(arrow.with_names(as_arrow, columns))
    return read or read_long(columns, rows, options, header).columns


def read_arrow(table: Any, options: TableOptions) -> CorpusColumns:
    """Read a long Arrow table and its texts; column by column if possible."""
    roles = named_columns(table.column_names, TableOptions())
    names = dict(zip(roles, table.column_names, strict=True))
    table = arrow.with_names(table, roles)
    if (read := _read_columns(table)) is None:
        columns = [name for name in table.column_names if name in (*RECORD_COLUMNS, "text")]
        rows = enumerate(zip(*(table[name].to_pylist() for name in columns), strict=True), start=1)
        read = read_long(columns, rows, options, [names[role] for role in columns]).columns
    return arrow.with_texts(read, table)


def _read_columns(table: Any) -> CorpusColumns | None:
    """Read an Arrow table column by column; None if its rows must be read one by one."""
    columns = arrow.read_table(table)
    try:
        return None if columns is None else checked_columns(columns)
    except CorpusError:
        return None  # the rows say which fault comes first


# -------------------------------------------------------------------- a row per coding


def read_long(
    columns: Sequence[str], rows: Rows, options: TableOptions, header: Sequence[str], word: str = "row"
) -> ReadTable:
    """Read the rows of a long table, whose columns are named by their roles.

    Messages name columns as in ``header``, and a row by ``word`` and its number.

    >>> header, rows = ["document", "coder", "masses"], [(1, ["d", "ann", "2 3"])]
    >>> read_long(header, rows, TableOptions(), header).columns.codings.positions
    array([2])
    """
    if (form := record_form(columns)) == "label":
        return _read_units(columns, rows, options, header, word)
    index = {name: number for number, name in enumerate(columns)}
    builder = CorpusBuilder()
    for number, row in rows:
        document, coder = (name_of(row[index[name]], name, word, number) for name in ("document", "coder"))
        if builder.has_coding(document, coder):
            raise CorpusError(f"{word} {number}: {coding_name(document, coder)} is there twice; remove one")
        try:
            builder.add(document, coder, _segmentation(form, index, row))
        except SegmentationError as error:
            raise CorpusError(f"{word} {number}: {coding_name(document, coder)}: {error}") from None
    return ReadTable(builder.columns())


def record_form(columns: Sequence[str]) -> str:
    """Return the column of a long table that holds the segmentation."""
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
            raise SegmentationError(f"gaps is {short(value)}: expected text of 0 and 1, with leading zeros")
        return Segmentation.from_gaps(value)
    if form == "masses":
        return Segmentation.from_masses(_numbers(value, "masses"))
    n_units = row[index["n_units"]]
    if isinstance(n_units, str) and n_units.strip().isdecimal() and len(n_units) < 20:
        n_units = int(n_units)
    types = _numbers(row[index["types"]], "types") if "types" in index else None
    return Segmentation.from_positions(_numbers(value, "positions"), n_units, types)


def _numbers(value: Any, name: str) -> Any:
    """Read a list of numbers, or text with spaces or commas between them."""
    if not isinstance(value, str):
        return [value] if isinstance(value, int) else value
    return whole_numbers(value.replace(",", " ").split(), name)


# -------------------------------------------------------------------- a long table with a row per unit


@dataclass
class _Coding:
    """What the rows of one coding hold."""

    values: list[Any] = field(default_factory=list)
    rows: array[int] = field(default_factory=lambda: array("q"))
    units: list[Any] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)


def _read_units(
    columns: Sequence[str], rows: Rows, options: TableOptions, header: Sequence[str], word: str
) -> ReadTable:
    """Return the codings of a table with a row per unit and coder."""
    codings = _gathered(columns, rows, header[columns.index("coder")].strip(), word)
    _check_order(codings, word)
    values = [
        UnitValues(document, coder, own.values, rows_named(own.rows, word, coding_name(document, coder)))
        for (document, coder), own in codings.items()
    ]
    builder = CorpusBuilder()
    reading = _add_values(builder, values, options)
    if "text" in columns:
        _add_agreed_texts(builder, codings)
    return ReadTable(builder.columns(), reading, options.text or ("text" if "text" in columns else None))


def _add_values(builder: CorpusBuilder, codings: Sequence[UnitValues], options: TableOptions) -> MarkMeaning:
    """Add codings that are all read in one way, and return this way."""
    reading, segmentations = read_marks(codings, options.marks, gaps=options.gaps)
    for coding, segmentation in zip(codings, segmentations, strict=True):
        builder.add(coding.document, coding.coder, segmentation)
    return reading


def _gathered(columns: Sequence[str], rows: Rows, coder_column: str, word: str) -> dict[Key, _Coding]:
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
    """Add the texts of each document's units; all coders must have the same."""
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
    """Return units as numbers; None if one is not a number."""
    numbers = []
    for unit in units:
        text = unit.strip() if isinstance(unit, str) else ""
        is_number = isinstance(unit, (int, np.integer)) and abs(unit) < 10**MAX_DIGITS
        if not is_number and not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
            return None
        numbers.append(int(unit))
    return numbers or None


# -------------------------------------------------------------------- a wide table


def read_wide(
    rows: Sequence[Row], options: TableOptions, name: str, word: str = "row", *, is_cut: bool = False
) -> ReadTable:
    """Read the rows of a wide table, the header first; ``name`` is a document that no column names.

    ``is_cut``: empty rows followed, which are not among these.

    >>> rows = [(1, ["ann", "bob"]), (2, ["1", "1"]), (3, ["0", "1"]), (4, ["0", "0"])]
    >>> table = read_wide(rows, TableOptions(), "d")
    >>> table.reading, table.columns.codings.positions.tolist()
    ('starts', [1])
    """
    if len(rows) < 2:
        raise CorpusError("no rows below the header; expected one per unit")
    header, body = list(map(str.strip, rows[0][1])), rows[1:]
    columns = list(zip(*(cells for _, cells in body), strict=True))
    _check_header(header, columns)
    roles = tell_columns(header, columns, options)
    tells_units = (roles.units, roles.text, roles.document) != (None, None, None)
    if is_cut and not tells_units and not all(cell.strip() for i in roles.coders for cell in columns[i]):
        raise CorpusError("the last row is empty: remove it, or number the units in a column 'unit'")
    builder = CorpusBuilder()
    codings: list[UnitValues] = []
    for document, part in _documents(body, roles.document, name, word):
        if roles.units is not None:
            check_numbers(header[roles.units], part, roles.units, word=word)
        codings += _values_of_coders(document, part, header, roles, word)
        if roles.text is not None:
            builder.add_text(document, [cells[roles.text] for _, cells in part])
    if not codings:
        raise CorpusError("no coder has a mark or label; expected a column of them for each coder")
    text = None if roles.text is None else header[roles.text]
    reading = _add_values(builder, codings, options)
    return ReadTable(builder.columns(), reading, text, [header[column] for column in roles.left_out])


def _documents(
    body: Sequence[Row], column: int | None, name: str, word: str
) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield each document and its rows, which must stand together."""
    if column is None:
        yield name, body
        return
    seen = set()
    for document, part in groupby(body, lambda row: row[1][column].strip()):
        rows = list(part)
        where = f"{word} {rows[0][0]}"
        if not document:
            raise CorpusError(f"{where}: the document is missing")
        if document in seen:
            raise CorpusError(f"{where}: put all rows of document {short_name(document)} together, in order")
        seen.add(document)
        yield document, rows


def _values_of_coders(
    document: str, body: Sequence[Row], header: Sequence[str], roles: Roles, word: str
) -> Iterator[UnitValues]:
    """Yield the values of each coder who has not skipped the document."""
    numbers = [number for number, _ in body]
    for column in roles.coders:
        values = [cells[column].strip() for _, cells in body]
        if any(values):
            coder = header[column]
            where = f"coder {short_name(coder)}" if roles.document is None else coding_name(document, coder)
            yield UnitValues(document, coder, values, rows_named(numbers, word, where))


def _check_header(header: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    seen = set()
    for column, name in enumerate(header):
        if not name and column and any(map(str.strip, columns[column])):
            fix = "name its coder (names stand in one row, without a title or merged cells above)"
            raise CorpusError(f"column {column + 1} has no name in the header: {fix}")
        if name and name in seen:
            raise CorpusError(f"coder {short_name(name)} has two columns; rename or remove one")
        seen.add(name)


def check_numbers(name: str, body: Sequence[Row], column: int = 0, *, word: str = "line") -> None:
    """Check that the column of this name numbers the rows from 1 (or 0).

    This refuses a table that lost a row or was sorted. Names of units (``s1``, ``s2``) have no order, but
    each must be unique; numbers in a column ``…_id`` may begin anywhere.
    """
    first = body[0][1][column].strip()
    if not (first.isascii() and first.isdigit()):
        seen = set()
        for line, row in body:
            if row[column] in seen:
                raise CorpusError(f"{word} {line}: {name} {short(row[column])} is there twice; remove one")
            seen.add(row[column])
        return
    may_begin_anywhere = name.strip().lower().endswith("id") and len(first) <= MAX_ID_DIGITS
    start = int(first) if first in ("0", "1") or may_begin_anywhere else 1
    for expected, (line, row) in enumerate(body, start=start):
        if row[column].strip() != str(expected):
            cell = f"{name or 'the first column'} is {short(row[column])}, not {expected}"
            raise CorpusError(f"{word} {line}: {cell}: is a row missing or out of order?")


def cell_text(value: Any) -> str:
    """Return a value as in a CSV file.

    >>> [cell_text(value) for value in (1.0, 0.5, True, None, "x")]
    ['1', '0.5', 'true', '', 'x']
    """
    if is_blank(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
