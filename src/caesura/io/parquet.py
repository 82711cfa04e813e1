"""Parquet: the long table in columns, with lists as lists; keeps everything a corpus holds.

Columns as in ``long_table``. A column ``units`` holds a document's text on the row of its first coding, and
the file's own metadata the type scheme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from caesura.errors import CorpusError, MissingExtraError
from caesura.io.base import Format, check_named
from caesura.io.files import Source, parse_json, shortened
from caesura.io.jsonl import parse_type_scheme, type_scheme_dict
from caesura.values.corpus import Corpus

SCHEME_KEY = b"caesura.type_scheme"


def _pyarrow() -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'caesura[formats]'") from None
    return pyarrow


def read(source: Source) -> Corpus:
    """Read the table."""
    pyarrow = _pyarrow()
    data = source.data
    try:
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data)).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise CorpusError(f"not a whole Parquet file: {error}") from None
    columns = [name.strip().lower() for name in table.column_names]
    for name in columns:
        if columns.count(name) > 1:
            raise CorpusError(f"the column {name!r} is there twice")
    values = [column.to_pylist() for column in table.columns]
    corpus = Corpus.from_records(columns, zip(*values, strict=True))
    if not corpus.documents:
        raise CorpusError("the table has no rows")
    scheme = (table.schema.metadata or {}).get(SCHEME_KEY)
    if scheme is not None:
        corpus = replace(corpus, type_scheme=parse_type_scheme(parse_json(scheme.decode("utf-8"))))
    if "units" in columns:
        documents = map(str, values[columns.index("document")])
        corpus = replace(corpus, units=_units(documents, values[columns.index("units")]))
    return corpus


def _units(documents: Any, texts: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    units: dict[str, tuple[str, ...]] = {}
    for document, text in zip(documents, texts, strict=True):
        if text is None:
            continue
        if not isinstance(text, list) or not all(isinstance(unit, str) for unit in text):
            raise CorpusError(f"document {document}: units is {shortened(text)}: expected a list of texts")
        if units.setdefault(document, tuple(text)) != tuple(text):
            raise CorpusError(f"document {document}: its units differ between rows")
    return units


def write(corpus: Corpus, extension: str) -> bytes:
    """Return one row per coding."""
    pyarrow = _pyarrow()
    check_named(corpus)
    columns, rows = corpus.to_records()
    numbers = pyarrow.list_(pyarrow.int64())
    kinds = [pyarrow.string(), pyarrow.string(), pyarrow.int64(), numbers, numbers][: len(columns)]
    values = [[row[place] for row in rows] for place in range(len(columns))]
    if corpus.units:
        columns = [*columns, "units"]
        kinds.append(pyarrow.list_(pyarrow.string()))
        values.append(_first_rows_only(values[0], corpus))
    schema = pyarrow.schema(list(zip(columns, kinds, strict=True)))
    if corpus.type_scheme is not None:
        scheme = json.dumps(type_scheme_dict(corpus.type_scheme))
        schema = schema.with_metadata({SCHEME_KEY: scheme.encode("utf-8")})
    arrays = [pyarrow.array(column, kind) for column, kind in zip(values, kinds, strict=True)]
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _first_rows_only(documents: Sequence[str], corpus: Corpus) -> list[list[str] | None]:
    told: set[str] = set()
    texts: list[list[str] | None] = []
    for document in documents:
        first = document in corpus.units and document not in told
        texts.append(list(corpus.units[document]) if first else None)
        told.add(document)
    return texts


def sniff(source: Source) -> bool:
    """Tell it by its first bytes."""
    return source.data.startswith(b"PAR1")


FORMAT = Format(
    "parquet",
    "Parquet table with a row per coding; keeps types, their names and text",
    (".parquet", ".pq"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types", "type scheme", "units"}),
)
