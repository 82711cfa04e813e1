"""Parquet table with a row per coding; keeps types, their names, text and places.

The long table in columns, with lists as lists; keeps everything in a corpus except details of codings.
Columns are those of the long table: ``document``, ``coder``, ``n_units``, ``positions`` (and ``types``).
Tables with a row per unit are read like CSV. On the row of a document's first coding, a column ``units``
holds its text and ``places``, as JSON, the offsets of its units (see jsonl); the file's metadata holds the
type scheme. Needs the extra formats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.errors import CorpusError, within
from caesura.io.base import ALL_PARTS, Contents, Format, check_named
from caesura.io.files import Source, misfit, parse_json
from caesura.io.json_files import json_of
from caesura.io.layout import GROUPED, SORTED, load_parquet, parquet_writer, row_groups
from caesura.io.spans import places_from, places_of
from caesura.io.tables.cells import options_of, read_table
from caesura.io.tables.columns import is_long_header, named_columns
from caesura.io.tables.rows import Row, cell_text, record_form
from caesura.values.arrow import release_unused, with_names
from caesura.values.corpus import Corpus
from caesura.values.units import Units

PLACES = "places"


def read(source: Source) -> Contents:
    """Read the table."""
    pyarrow = load_parquet()
    data = source.data
    try:
        buffer = pyarrow.BufferReader(data)
        schema = pyarrow.parquet.read_schema(buffer)
        names = [field.name for field in schema if not pyarrow.types.is_nested(field.type)]
        repeated = [name for name in names if name in ("document", "coder")]
        table = pyarrow.parquet.ParquetFile(buffer, read_dictionary=repeated).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise CorpusError(f"not a whole Parquet file: {error}") from None
    options = options_of(source.options)
    is_wide = table.column_names and not is_long_header(table.column_names, options)
    if is_wide or record_form(columns := named_columns(table.column_names, options)) == "label":
        return read_table(_cells(table), source)
    source.options.use("document")
    table = with_names(table, columns)
    corpus = Corpus.from_arrow(table)
    if PLACES in table.column_names:
        corpus = _with_places(corpus, table)
    if corpus.texts is not None:
        del table
        release_unused()
    if not corpus.n_codings:
        raise CorpusError("the table has no rows")
    return Contents(corpus)


def _cells(table: Any) -> list[Row]:
    """Return the rows of a wide table, the header first."""
    columns = [list(map(cell_text, column.to_pylist())) for column in table.columns]
    body = enumerate(map(list, zip(*columns, strict=True)), start=1)
    return [(0, list(table.column_names)), *body]


def _with_places(corpus: Corpus, table: Any) -> Corpus:
    """Return the corpus with the units in the column of places."""
    units: dict[str, Units] = {}
    for row, (document, cell) in enumerate(zip(table["document"], table[PLACES], strict=True)):
        if (value := cell.as_py()) is None:
            continue
        name = str(document.as_py())
        with within(f"row {row}: document {name}: {PLACES}"):
            if not isinstance(value, str):
                raise misfit("it", value, "JSON")
            if units.setdefault(name, own := places_from(parse_json(value))) != own:
                raise CorpusError("it differs from that on an earlier row")
    return corpus.with_spans(units) if units else corpus


def write(corpus: Corpus, extension: str) -> bytes:
    """Return one row per coding."""
    pyarrow = load_parquet()
    check_named(corpus)
    sink = pyarrow.BufferOutputStream()
    table = corpus.to_arrow()
    if corpus.spans:
        table = table.append_column(PLACES, pyarrow.array(_places(corpus), pyarrow.large_string()))
    # Names are mostly distinct: plain text is smaller, and faster to read.
    table = table.set_column(0, "document", table["document"].cast(pyarrow.large_string()))
    starts = corpus.starts[:-1]
    order = SORTED if _ascend(table["document"].take(pyarrow.array(starts))) else GROUPED
    with parquet_writer(sink, table.schema, order) as writer:
        for start, end in row_groups(starts, len(table), table.nbytes):
            writer.write_table(table.slice(start, end - start), row_group_size=end - start)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _ascend(names: Any) -> bool:
    """Return whether names ascend by their bytes."""
    from pyarrow import compute  # type: ignore[import-untyped]

    names = names.combine_chunks()
    return bool(np.asarray(compute.less(names[:-1], names[1:])).all())


def _places(corpus: Corpus) -> list[str | None]:
    """Return the units of each document on the row of its first coding."""
    places: list[str | None] = [None] * corpus.n_codings
    for document, start in zip(corpus.documents, corpus.starts.tolist(), strict=False):
        if document in corpus.spans:
            places[start] = json_of(places_of(corpus.spans[document]))
    return places


def sniff(source: Source) -> bool:
    """Recognize it by its first bytes."""
    return source.data.startswith(b"PAR1")


FORMAT = Format.of(globals(), "parquet", (".parquet", ".pq"), ALL_PARTS, is_binary=True)
