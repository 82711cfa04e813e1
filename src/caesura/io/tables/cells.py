"""Tables in files: cells with line numbers, the contents that readers return, and writing."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from caesura.arrays import bincount
from caesura.errors import CorpusError
from caesura.io.base import Contents
from caesura.io.files import MAX_LINE, Source, check_length, misfit
from caesura.io.options import ReadOptions
from caesura.io.tables import columns
from caesura.io.tables.marks import boundaries_of
from caesura.io.tables.rows import Row, read_long, read_wide
from caesura.results.table import formula_safe, without_apostrophe
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, short_name
from caesura.values.segmentation import Segmentation
from caesura.wording import listed

DELIMITERS = {".csv": ",;\t", ".tsv": "\t,;", ".tab": "\t,;"}
"""Delimiters by extension, the likeliest first; a semicolon is the comma of many spreadsheets."""

TABLE_OPTIONS = ("marks", "text", "document", "coders", "gaps")
"""Options about columns."""

EMPTY_ROW = "remove it or restore its data; if it is a unit without a mark, number units in a column 'unit'"
"""The fix for a row without values."""

LINE = re.compile(r"[^\r\n]++(?:\r\n|\r|\n)?|\r\n|\r|\n")
SPECIAL = re.compile(r'[\r\n\t,;"]')
QUOTED = re.compile(r"'[=+\-@\t\r]")

FORMULAS = "cells that begin with =, +, - or @ got an apostrophe against formulas; caesura reads them without"
"""The notice about texts that look like formulas."""


def rows_of(source: Source, *, ragged: bool = False) -> Iterator[Row]:
    """Yield the rows, the header first; all must have its width unless ``ragged``.

    Empty rows are allowed at the end only: inside a table they may be lost data.
    """
    width = empty = 0
    is_quoted = QUOTED.search(source.text) is not None
    for line, row in parsed_rows(_lines(source.text), _delimiter(source)):
        if is_quoted:
            row = list(map(without_apostrophe, row))
        if not any(map(str.strip, row)):
            empty = empty or line
            continue
        if empty:
            raise CorpusError(f"line {empty} is empty; {EMPTY_ROW}")
        if not ragged and width and len(row) != width:
            raise CorpusError(f"line {line} has {len(row)} cells, not {width}: {width_hint(row, width)}")
        width = width or len(row)
        yield line, row


def parsed_rows(lines: Iterable[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of lines with the numbers of their last lines; ``first`` is the first line's number."""
    # The csv module's own bound (128 KiB a cell) is one setting for all threads, so it is only ever raised.
    if csv.field_size_limit() < MAX_LINE:
        csv.field_size_limit(MAX_LINE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield first - 1 + reader.line_num, row
    except csv.Error as error:
        hint = "; a quoted cell is not closed" if "end of data" in str(error) else ""
        raise CorpusError(f"line {first - 1 + reader.line_num}: {error}{hint}") from None


def width_hint(row: Sequence[str], width: int) -> str:
    """Return why the width of a row may be wrong."""
    return "a cell with the delimiter inside needs quotes" if len(row) > width else "cells are missing"


def is_well_quoted(data: bytes, delimiter: str) -> bool:
    """Return whether each quote begins or ends a cell, or is doubled inside one."""
    if b'"' not in data:
        return True
    signs = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(signs == ord('"'))
    around = np.concatenate((signs[quotes[::2] - 1], signs[quotes[1::2] + 1]))
    return len(quotes) % 2 == 0 and bool(np.isin(around, [ord('"'), ord("\n"), ord(delimiter)]).all())


def first_rows(source: Source, n_rows: int) -> list[list[str]]:
    """Return the first rows."""
    return [row for _, row in islice(rows_of(source, ragged=True), n_rows)]


def options_of(options: ReadOptions) -> columns.TableOptions:
    """Return the options about a table's columns."""
    return columns.TableOptions(
        **{name: options.given[name] for name in TABLE_OPTIONS if name in options.given}
    )


def is_long_table(header: Sequence[str], options: ReadOptions) -> bool:
    """Return whether a table is long: it names document and coder on each row."""
    chosen = options_of(options)
    return "document" in columns.long_columns(header, chosen) and columns.is_long_header(header, chosen)


def _lines(text: str) -> Iterator[str]:
    # splitlines() also splits at form feeds; StringIO takes 4 bytes per character. Line ends stay, because
    # they may be inside quotes.
    for number, match in enumerate(LINE.finditer(text), start=1):
        line = match.group()
        check_length(len(line), number)
        yield line


def _delimiter(source: Source) -> str:
    first = LINE.match(source.text, 0, 100_000)  # bounded, in case line ends are lost
    bare = re.sub(r'"[^"]*"', "", first.group() if first else "")
    order = DELIMITERS.get(source.extension, "\t,;")
    return next((delimiter for delimiter in order if delimiter in bare), order[0])


def table_text(rows: Iterable[Sequence[object]], extension: str) -> str:
    """Return a table as text: tab-delimited for .tsv and .tab, otherwise comma-delimited.

    A text that a spreadsheet would run as a formula gets an apostrophe, and a UserWarning says so.

    >>> table_text([["document", "masses"], ["end, the", "2 3"]], ".csv")
    'document,masses\\n"end, the",2 3\\n'
    """
    delimiter = DELIMITERS.get(extension, ",")[0]
    lines = []
    is_changed = False
    for row in rows:
        texts = list(map(str, row))
        safe = list(map(formula_safe, texts))
        is_changed = is_changed or safe != texts
        # Quote every delimiter, so that all readers see the same cells.
        lines.append(delimiter.join(map(_cell, safe)))
    if is_changed:
        warnings.warn(FORMULAS, UserWarning, stacklevel=2)
    for number, line in enumerate(lines, start=1):
        check_length(len(line), number)  # or it could not be read back
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if SPECIAL.search(text) else text


# -------------------------------------------------------------------- what a reader returns


def read_table(rows: Sequence[Row], source: Source) -> Contents:
    """Read the rows of a table, the header first, as a long or a wide one."""
    if is_long_table(rows[0][1], source.options):
        return read_long_table(iter(rows), source, word="row")
    return read_wide_table(rows, source, word="row")


def read_long_table(rows: Iterator[Row], source: Source, *, word: str = "line") -> Contents:
    """Read the rows of a long table, the header first; messages call a row ``word``."""
    header = next(rows, (0, []))[1]
    options = options_of(source.options)
    source.options.use("document", "text")
    if options.coders == (columns.coder_column(header, options),):
        source.options.use("coders")  # the header says the same
    table = read_long(columns.named_columns(header, options), rows, options, header, word)
    if not len(table.columns.document_names):
        raise CorpusError("no rows below the header")
    if table.reading is None:
        return Contents(Corpus.of(table.columns))
    source.options.use("marks", "gaps")
    return marked("long table", Corpus.of(table.columns), *table[1:])


def read_wide_table(
    rows: Sequence[Row], source: Source, *, word: str = "line", is_cut: bool = False
) -> Contents:
    """Read the rows of a wide table, the header first; messages call a row ``word``.

    ``is_cut``: empty rows followed, which are not among these.
    """
    source.options.use(*TABLE_OPTIONS)
    _check_header(rows, word)
    options = options_of(source.options)
    table = read_wide(rows, options, source.name, word, is_cut=is_cut)
    return marked("table", Corpus.of(table.columns), *table[1:])


def marked(
    kind: str, corpus: Corpus, reading: MarkMeaning | None, text: str | None = None, rest: Sequence[str] = ()
) -> Contents:
    """Return a corpus, and in words how its values per unit were read.

    The words are such as ``a table of starts: ann 3 boundaries, bob 4``, with the coders who have not coded
    all documents, and the rest of the columns.
    """
    n_documents = len(corpus.documents)
    n_boundaries = np.diff(corpus.codings.offsets)
    counts = bincount(corpus.coder, n_boundaries, len(corpus.coder_names)).astype(np.int64).tolist()
    parts = [boundaries_of(dict(zip(corpus.coders, counts, strict=True)))]
    if n_documents > 1:
        parts.append(f"in {n_documents:,} documents")
        n_codings = zip(corpus.coders, bincount(corpus.coder, minlength=len(corpus.coder_names)), strict=True)
        if few := [f"{short_name(coder)} {n:,}" for coder, n in n_codings if n < n_documents]:
            parts.append(f"of which coded by {listed(few)}")
    if text is not None:
        parts.append(f"text from {short_name(text)!r}")
    if rest:
        parts.append(f"left out {listed([repr(short_name(name)) for name in rest])}")
    return Contents(corpus, understood=f"a {kind} of {reading}: {', '.join(parts)}", marks=reading)


def _check_header(rows: Sequence[Row], word: str) -> None:
    """Refuse a first row that is a unit: no cell is a known name, and its values repeat below."""
    if len(rows) < 3:
        return
    (number, header), *body = rows
    names = list(map(str.strip, header))
    if any(columns.is_reserved(name) for name in names):
        return
    below = [{cells[column].strip() for _, cells in body} for column in range(len(names))]
    repeats = [column for column, values in enumerate(below) if len(values) < len(body)]
    if repeats and all(names[column] in below[column] for column in repeats):
        raise misfit(f"{word} {number}", rows[0][1], "a header, not a unit; put names above it")


def table_rows(
    corpus: Corpus, most: int, labels: Callable[[Segmentation], Sequence[str]]
) -> list[tuple[object, ...]]:
    """Return the header and the rows: document, unit, text if known, and each coder; refuse too many."""
    if (n_rows := sum(map(corpus.n_units, corpus.documents))) > most:
        which = f"document {corpus.documents[0]} has" if len(corpus.documents) == 1 else "its documents have"
        raise CorpusError(f"{which} {n_rows:,} units, a row each is too many; use jsonl")
    for coder in corpus.coders:
        if columns.is_reserved(coder) or coder != coder.strip():
            raise CorpusError(f"coder {coder!r}: this cannot be the name of a column of labels; rename it")
    text = ["text"] if corpus.units else []
    rows: list[tuple[object, ...]] = [("document", "unit", *text, *corpus.coders)]
    for document in corpus.documents:
        n_units, codings = corpus.n_units(document), corpus[document]
        empty = [""] * n_units
        parts: list[Sequence[object]] = [[document] * n_units, range(1, n_units + 1)]
        if corpus.units:
            parts.append(corpus.units.get(document, empty))
        parts += [labels(codings[coder]) if coder in codings else empty for coder in corpus.coders]
        rows += zip(*parts, strict=True)
    return rows
