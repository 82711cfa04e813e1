"""Tables of any file as what a reader returns: long, wide, or whichever of them the header says; and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from caesura.arrays import bincount
from caesura.errors import CorpusError
from caesura.io.base import Contents
from caesura.io.files import Source
from caesura.io.tables.cells import TABLE_OPTIONS, is_long_table, options_of
from caesura.io.tables.columns import coder_column, is_reserved, named_columns
from caesura.io.tables.long_rows import read_units, record_form
from caesura.io.tables.marks import boundaries_of
from caesura.io.tables.wide_table import Row, WideTable
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, short_name
from caesura.values.segmentation import Segmentation
from caesura.wording import listed, short


def read_table(rows: Sequence[Row], source: Source) -> Contents:
    """Read the rows of a table, the header first, as what the header says that it is."""
    if is_long_table(rows[0][1], source.options):
        return read_long(iter(rows), source, word="row")
    return read_wide(rows, source, word="row")


def read_long(rows: Iterator[Row], source: Source, *, word: str = "line") -> Contents:
    """Read the rows of a table, the header first; messages call a row by this word."""
    header = next(rows, (0, []))[1]
    options = options_of(source.options)
    columns = named_columns(header, options)
    for name in ("document", "text"):
        source.options.get(name)  # they are made use of
    if options.coders == (coder_column(header, options),):
        source.options.get("coders")  # it says what is so anyway
    if record_form(columns) == "label":
        body = list(rows)
        if not body:
            raise CorpusError("no rows below the header")
        marks, gaps = source.options.get("marks"), source.options.get("gaps")
        table = read_units(columns, body, marks, gaps, header=header, word=word)
        text = source.options.get("text", "text" if "text" in columns else None)
        return marked("long table", Corpus(*table.columns), table.reading, text)
    corpus = Corpus.from_records(columns, _records(rows, columns))
    if not corpus.documents:
        raise CorpusError("no rows below the header")
    return Contents(corpus)


def _records(rows: Iterable[Row], columns: list[str]) -> Iterator[list[object]]:
    n_units = columns.index("n_units") if "n_units" in columns else None
    for _, row in rows:
        record: list[object] = row  # type: ignore[assignment]  # one cell becomes a number; the list is ours
        if n_units is not None and row[n_units].strip().isdecimal() and len(row[n_units]) < 20:
            record[n_units] = int(row[n_units])
        yield record


def read_wide(rows: Sequence[Row], source: Source, *, word: str = "line", is_cut: bool = False) -> Contents:
    """Read the rows of a table, the header first; messages call a row by this word.

    ``is_cut``: empty rows followed, which are not among these.
    """
    for name in TABLE_OPTIONS:
        source.options.get(name)  # all of them are made use of
    options = options_of(source.options)
    _check_header(rows, word)
    table = WideTable(rows, options, name=source.name, word=word)
    if is_cut and table.is_open:
        fix = "remove it, or number the units in a column 'unit'"
        raise CorpusError(f"the last row is empty: a unit without a mark, or an empty row? {fix}")
    table_read = table.read()
    return marked("table", Corpus(*table_read.columns), *table_read[1:])


def marked(
    noun: str, corpus: Corpus, reading: MarkMeaning, text: str | None = None, left_out: Sequence[str] = ()
) -> Contents:
    """Return a corpus with how its values per unit were read: ``a table of starts: ann 3 boundaries, bob 4``.

    It names who has not coded all documents, and other columns.
    """
    n_documents = len(corpus.documents)
    n_boundaries = np.diff(corpus.codings.offsets)
    counts = bincount(corpus.coder, n_boundaries, len(corpus.coder_names)).astype(np.int64).tolist()
    parts = [boundaries_of(dict(zip(corpus.coders, counts, strict=True)))]
    if n_documents > 1:
        parts.append(f"in {n_documents:,} documents")
        n_codings = zip(corpus.coders, bincount(corpus.coder, minlength=len(corpus.coder_names)), strict=True)
        few = [f"{short_name(coder)} {n:,}" for coder, n in n_codings if n < n_documents]
        if few:
            parts.append(f"of which coded by {listed(few)}")
    if text is not None:
        parts.append(f"text from {short_name(text)!r}")
    if left_out:
        parts.append(f"left out {listed([repr(short_name(name)) for name in left_out])}")
    return Contents(corpus, understood=f"a {noun} of {reading}: {', '.join(parts)}", marks=reading)


def _check_header(rows: Sequence[Row], word: str) -> None:
    """Refuse a first row that is a unit: no cell is a known name, and its marks or labels go on below."""
    if len(rows) < 3:
        return
    (number, header), *body = rows
    names = list(map(str.strip, header))
    if any(is_reserved(name) for name in names):
        return
    below = [{cells[column].strip() for _, cells in body} for column in range(len(names))]
    repeats = [column for column, values in enumerate(below) if len(values) < len(body)]
    if repeats and all(names[column] in below[column] for column in repeats):
        value = short(names[repeats[0]])
        fault = f"{word} {number} looks like a unit, not like a header ({value} is a value below it, too)"
        raise CorpusError(f"{fault}: put a row of names above it")


def table_rows(
    corpus: Corpus, most: int, labels: Callable[[Segmentation], Sequence[str]]
) -> list[tuple[object, ...]]:
    """Return the header and at most so many rows: document, unit, text if there is any, and each coder."""
    n_rows = sum(map(corpus.n_units, corpus.documents))
    if n_rows > most:
        which = f"document {corpus.documents[0]} has" if len(corpus.documents) == 1 else "its documents have"
        raise CorpusError(f"{which} {n_rows:,} units, a row each is too many; use jsonl")
    for coder in corpus.coders:
        if is_reserved(coder) or coder != coder.strip():
            raise CorpusError(f"coder {coder!r}: this cannot be the name of a column of labels; rename it")
    text = ["text"] if corpus.units else []
    rows: list[tuple[object, ...]] = [("document", "unit", *text, *corpus.coders)]
    for document in corpus.documents:
        n_units, codings = corpus.n_units(document), corpus[document]
        empty = [""] * n_units
        columns: list[Sequence[object]] = [[document] * n_units, range(1, n_units + 1)]
        if corpus.units:
            columns.append(corpus.units.get(document, empty))
        columns += [labels(codings[coder]) if coder in codings else empty for coder in corpus.coders]
        rows += zip(*columns, strict=True)
    return rows
