"""The long table: CSV or TSV with one row per coding, or one row per unit with its label.

Columns ``document`` and ``coder``, and the segmentation as ``masses``, as ``gaps``, or as ``positions`` and
``n_units`` (and ``types``), numbers with spaces between; or, one row per unit in order, ``label`` (and
``text``). Other columns are left alone. Written with ``n_units`` and ``positions``, which keep types.
"""

from __future__ import annotations

from collections.abc import Iterator

from caesura.errors import CorpusError
from caesura.io.base import Format, check_named
from caesura.io.files import Source
from caesura.io.tables import first_rows, rows_of, table_text
from caesura.values.corpus import Corpus
from caesura.values.forms import repeated

ONE_ROW_PER_CODING = ("masses", "gaps", "positions")


def read(source: Source) -> Corpus:
    """Read the table; the texts of a row per unit are kept as the document's units."""
    rows = rows_of(source)
    columns = [cell.strip().lower() for cell in next(rows, (0, []))[1]]
    twice = repeated([name for name in columns if name])
    if twice is not None:
        raise CorpusError(f"the column {twice!r} is there twice")
    records = _records(rows, columns)
    texts: dict[str, dict[str, list[str]]] = {}
    if {"document", "coder", "label", "text"} <= set(columns) and _is_per_unit(columns):
        records = _remembering(records, columns, texts)
    corpus = Corpus.from_records(columns, records)
    if not corpus.documents:
        raise CorpusError("there are no rows below the header")
    return corpus.with_texts(_agreed_units(texts)) if texts else corpus


def _is_per_unit(columns: list[str]) -> bool:
    return set(columns).isdisjoint(ONE_ROW_PER_CODING)


def _records(rows: Iterator[tuple[int, list[str]]], columns: list[str]) -> Iterator[list[object]]:
    n_units = columns.index("n_units") if "n_units" in columns else None
    for _, row in rows:
        record: list[object] = row  # type: ignore[assignment]  # one cell becomes a number; the list is ours
        if n_units is not None and row[n_units].strip().isdecimal() and len(row[n_units]) < 20:
            record[n_units] = int(row[n_units])
        yield record


def _remembering(
    records: Iterator[list[object]], columns: list[str], texts: dict[str, dict[str, list[str]]]
) -> Iterator[list[object]]:
    """Pass the records on, and put their texts by document and coder."""
    places = [columns.index(name) for name in ("document", "coder", "text")]
    for record in records:
        document, coder, text = (str(record[place]) for place in places)
        texts.setdefault(document, {}).setdefault(coder, []).append(text)
        yield record


def _agreed_units(texts: dict[str, dict[str, list[str]]]) -> dict[str, tuple[str, ...]]:
    units = {}
    for document, by_coder in texts.items():
        (first, expected), *others = by_coder.items()
        for coder, found in others:
            for index, (one, other) in enumerate(zip(expected, found, strict=False)):
                if one != other:
                    raise CorpusError(
                        f"document {document}: text[{index}] differs between coders {first} and {coder}"
                    )
        units[document] = tuple(expected)
    return units


def write(corpus: Corpus, extension: str) -> str:
    """Return one row per coding."""
    check_named(corpus)
    columns, rows = corpus.to_records()
    for row in rows:
        row[3:] = [" ".join(map(str, numbers)) for numbers in row[3:]]
    return table_text([columns, *rows], extension)


def sniff(source: Source) -> bool:
    """Tell it by its columns."""
    header = {cell.strip().lower() for row in first_rows(source, 1) for cell in row}
    return "document" in header and not header.isdisjoint(("coder", "label", *ONE_ROW_PER_CODING))


FORMAT = Format(
    "long",
    "table with a row per coding: document, coder and masses, gaps or positions",
    (".csv", ".tsv", ".tab"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types"}),
)
