"""Table with a row per coding: document, coder and masses, gaps or positions; or a row per unit: label.

A row is a coding, as masses, gaps, or positions with n_units (and types); or a row is a unit, with label
(without a column coder it is the table labels). Then doc, annotator or rater, and mark or boundary are also
accepted. The same columns are read in Parquet and data frames.

Columns ``document`` and ``coder``, and the segmentation as ``masses``, ``gaps``, or ``positions`` and
``n_units`` (and ``types``), as numbers with spaces between; or, one row per unit in order, ``label`` (and
``text``, and ``unit``, whose numbers must ascend). Marks in ``label`` have the meanings of the table labels.
Other columns are ignored. Written with ``n_units`` and ``positions``, which keep types.
"""

from __future__ import annotations

import json
from typing import Any

from caesura.io.base import Contents, Format, check_named
from caesura.io.files import Source
from caesura.io.tables.cells import first_rows, is_long_table, read_long_table, rows_of, table_text
from caesura.values.corpus import Corpus


def read(source: Source) -> Contents:
    """Read the table; the texts of a row per unit are kept as the document's units."""
    return read_long_table(rows_of(source), source)


def write(corpus: Corpus, extension: str) -> str:
    """Return one row per coding."""
    check_named(corpus)
    columns, rows = corpus.to_records()
    for row in rows:
        row[3:] = map(_cell, row[3:])
    return table_text([columns, *rows], extension)


def _cell(value: Any) -> Any:
    """Return numbers with spaces between, and texts as JSON."""
    if not isinstance(value, list):
        return value
    is_text = any(isinstance(item, str) for item in value)
    return json.dumps(value, ensure_ascii=False) if is_text else " ".join(map(str, value))


def sniff(source: Source) -> bool:
    """Recognize it by its columns."""
    return any(is_long_table(header, source.options) for header in first_rows(source, 1))


FORMAT = Format.of(globals(), "long", (".csv", ".tsv", ".tab"), {"documents", "coders", "types"})
