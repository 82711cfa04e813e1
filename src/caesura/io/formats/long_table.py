"""The long table: CSV or TSV with one row per coding, or one row per unit with its mark or label.

Columns ``document`` and ``coder``, and the segmentation as ``masses``, as ``gaps``, or as ``positions`` and
``n_units`` (and ``types``), numbers with spaces between; or, one row per unit in order, ``label`` (and
``text``, and ``unit``, whose numbers must ascend); then ``doc``, ``annotator`` or ``mark`` and the like will
do, too. What marks in the column ``label`` mean is told by
``caesura.io.tables.marks``. Other columns are left alone. Written with ``n_units`` and ``positions``, which
keep types.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, check_named
from caesura.io.files import Source
from caesura.io.messages import understood_marks
from caesura.io.tables.cells import first_rows, is_long_table, rows_of, table_text, told_of
from caesura.io.tables.columns import check_chosen, check_once, coder_column, long_columns
from caesura.io.tables.long_rows import record_form
from caesura.io.tables.unit_rows import UnitRows
from caesura.io.tables.wide_table import Row
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus


def read(source: Source) -> Contents:
    """Read the table; the texts of a row per unit are kept as the document's units."""
    return read_rows(rows_of(source), source)


def read_rows(rows: Iterator[Row], source: Source, *, word: str = "line") -> Contents:
    """Read the rows of a table, the header first; messages call a row by this word."""
    header = next(rows, (0, []))[1]
    told = told_of(source.options)
    columns = long_columns(header, told)
    check_once(columns)
    for name in ("document", "text"):
        source.options.get(name)  # they are made use of
    if told.coders == (coder_column(header, told),):
        source.options.get("coders")  # it says what is so anyway
    check_chosen(columns, told)
    if record_form(columns) == "label":
        return _read_units(rows, header, columns, source, word)
    corpus = Corpus.from_records(columns, _records(rows, columns))
    if not corpus.documents:
        raise CorpusError("there are no rows below the header")
    return Contents(corpus)


def _read_units(
    rows: Iterable[Row], header: Sequence[str], columns: list[str], source: Source, word: str
) -> Contents:
    """Read a row per unit."""
    units = UnitRows(columns, header=header, word=word)
    body = list(rows)
    if not body:
        raise CorpusError("there are no rows below the header")
    units.add_all(body)
    builder = CorpusBuilder()
    marks, gaps = source.options.get("marks"), source.options.get("gaps")
    reading = units.read_into(builder, marks, gaps=gaps)
    corpus = Corpus.build(builder)
    text = source.options.get("text", "text" if "text" in columns else None)
    return Contents(corpus, understood=understood_marks("long table", corpus, reading, text), marks=reading)


def _records(rows: Iterable[Row], columns: list[str]) -> Iterator[list[object]]:
    n_units = columns.index("n_units") if "n_units" in columns else None
    for _, row in rows:
        record: list[object] = row  # type: ignore[assignment]  # one cell becomes a number; the list is ours
        if n_units is not None and row[n_units].strip().isdecimal() and len(row[n_units]) < 20:
            record[n_units] = int(row[n_units])
        yield record


def write(corpus: Corpus, extension: str) -> str:
    """Return one row per coding."""
    check_named(corpus)
    columns, rows = corpus.to_records()
    for row in rows:
        row[3:] = map(_cell, row[3:])
    return table_text([columns, *rows], extension)


def _cell(value: Any) -> Any:
    """Return numbers with spaces between, and texts as JSON: they may hold anything."""
    if not isinstance(value, list):
        return value
    is_text = any(isinstance(one, str) for one in value)
    return json.dumps(value, ensure_ascii=False) if is_text else " ".join(map(str, value))


def sniff(source: Source) -> bool:
    """Tell it by its columns."""
    return any(is_long_table(header, source.options) for header in first_rows(source, 1))


FORMAT = Format(
    "long",
    "table with a row per coding: document, coder and masses, gaps or positions; or a row per unit: label",
    (".csv", ".tsv", ".tab"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types"}),
    example=("document,coder,masses\nch1,ann,2 3 6\nch1,bob,2 2 7\n"),
    notes=(
        "A row is a coding, as masses, gaps, or positions with n_units (and types); or a row is a unit, with "
        "label (without a column coder it is the table labels); there doc, annotator or rater, and mark or "
        "boundary will do, too. The same columns in Parquet and data frames."
    ),
)
