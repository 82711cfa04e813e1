"""Parquet: the long table in columns, with lists as lists; keeps all of a corpus but details of codings.

Columns as in ``long_table``. A column ``units`` holds a document's text on the row of its first coding, and
the file's own metadata the type scheme.
"""

from __future__ import annotations

from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import Format, check_named
from caesura.io.files import Source
from caesura.values.arrow import load_pyarrow, release_unused
from caesura.values.corpus import Corpus


def load_parquet() -> Any:
    """Return pyarrow with its Parquet module."""
    load_pyarrow("Parquet needs")
    import pyarrow.parquet  # type: ignore[import-untyped]

    return pyarrow


def read(source: Source) -> Corpus:
    """Read the table."""
    pyarrow = load_parquet()
    data = source.data
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), read_dictionary=["document", "coder"])
        table = file.read()
    except (pyarrow.ArrowException, OSError) as error:
        raise CorpusError(f"not a whole Parquet file: {error}") from None
    marks = source.options.get("marks") if "label" in table.column_names else None
    corpus = Corpus.from_arrow(table, marks=marks)
    if corpus.texts is not None:
        del table
        release_unused()
    if not corpus.n_codings:
        raise CorpusError("the table has no rows")
    return corpus


def write(corpus: Corpus, extension: str) -> bytes:
    """Return one row per coding."""
    pyarrow = load_parquet()
    check_named(corpus)
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(corpus.to_arrow(), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


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
    is_binary=True,
    notes=(
        "The long table as Parquet: document, coder, n_units, positions (and types), and units, their texts. "
        "Needs pip install 'caesura[formats]'."
    ),
)
