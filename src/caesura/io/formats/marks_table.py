"""The wide table: a row per unit and a column per coder, with marks (0/1, x, B/I …) or labels.

The first column numbers the units, from 1 (or 0) without a gap; it may be missing. A column ``text`` (or
``sentence``, ``utterance`` …), or one of free text, holds the units' text; a column ``document`` the name of
the document, where there are several, the rows of each together.
It is read by ``io.tables.wide_table``, as data frames of this shape are. Written with the numbers of the
segments as labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.formats.haps_csv import is_haps_header
from caesura.io.formats.label_studio import is_label_studio_header
from caesura.io.formats.segeval_tsv import is_segeval_header
from caesura.io.messages import understood_marks
from caesura.io.tables.cells import DELIMITERS, TOLD, first_rows, is_long_table, rows_of, table_text, told_of
from caesura.io.tables.columns import is_reserved, plain
from caesura.io.tables.marks import are_tags, look
from caesura.io.tables.wide_table import Row, WideTable
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.wording import short

MAX_ROWS = 10_000_000
"""Longest document that is written with a row for each unit."""

LOOKED_AT = 200
"""Rows that are looked at to recognise a table of marks."""


def read(source: Source) -> Contents:
    """Read the table."""
    last = source.text.rstrip("\r\n").rpartition("\n")[2]
    return read_rows(list(rows_of(source)), source, is_cut=not last.strip(" \r,;\t"))


def read_rows(rows: Sequence[Row], source: Source, *, word: str = "line", is_cut: bool = False) -> Contents:
    """Read the rows of a table, the header first; messages call a row by this word.

    ``is_cut``: empty rows followed, which are not among these.
    """
    for name in TOLD:
        source.options.get(name)  # all of them are made use of
    told = told_of(source.options)
    _check_header(rows, word)
    builder = CorpusBuilder()
    table = WideTable(rows, told, name=source.name, word=word)
    if is_cut and table.is_open:
        raise CorpusError(
            "its last row is empty, and nothing tells a unit that nobody marks from an empty row: number the "
            "units in a column 'unit', or remove the row"
        )
    found = table.read_into(builder)
    corpus = Corpus.build(builder)
    understood = understood_marks("table", corpus, found.reading, found.text, found.left_out)
    return Contents(corpus, understood=understood, marks=found.reading)


def _check_header(rows: Sequence[Row], word: str) -> None:
    """Refuse a first row that is a unit: no cell is a known name, and its marks or labels go on below."""
    if len(rows) < 3:
        return
    (number, header), *body = rows
    names = list(map(str.strip, header))
    if any(is_reserved(name) for name in names):
        return
    below = [{cells[place].strip() for _, cells in body} for place in range(len(names))]
    repeats = [place for place, values in enumerate(below) if len(values) < len(body)]
    if repeats and all(names[place] in below[place] for place in repeats):
        raise CorpusError(
            f"{word} {number} looks like a unit, not like the names of columns "
            f"({short(names[repeats[0]])} is a value below it, too): put a row of names above it"
        )


def write(corpus: Corpus, extension: str) -> str:
    """Return the table of one document; labels are the numbers of the segments."""
    # A table of nothing but 1 may be read as marks on all units.
    prefix = "" if len(corpus.codings.positions) else "s"
    header, *rows = table_rows(
        corpus, MAX_ROWS, lambda coding: [f"{prefix}{label}" for label in coding.to_labels()]
    )
    return table_text([header[1:], *(row[1:] for row in rows)], extension)


def table_rows(
    corpus: Corpus, most: int, labels: Callable[[Segmentation], Sequence[str]]
) -> list[tuple[object, ...]]:
    """Return the header and at most so many rows: document, unit, text if there is any, and each coder."""
    n_rows = sum(map(corpus.n_units, corpus.documents))
    if n_rows > most:
        what = f"document {corpus.documents[0]} has" if len(corpus.documents) == 1 else "its documents have"
        raise CorpusError(f"{what} {n_rows:,} units, a row each is too many; use jsonl")
    for coder in corpus.coders:
        if is_reserved(coder) or coder != coder.strip():
            raise CorpusError(f"coder {coder!r}: this cannot be the name of a column of labels; rename it")
    rows: list[tuple[object, ...]] = [
        ("document", "unit", *(["text"] if corpus.units else []), *corpus.coders)
    ]
    for document in corpus.documents:
        n_units, codings = corpus.n_units(document), corpus[document]
        empty = [""] * n_units
        columns: list[Sequence[object]] = [[document] * n_units, range(1, n_units + 1)]
        if corpus.units:
            columns.append(corpus.units.get(document, empty))
        columns += [labels(codings[coder]) if coder in codings else empty for coder in corpus.coders]
        rows += zip(*columns, strict=True)
    return rows


def sniff(source: Source) -> bool:
    """Tell it by the numbered first column, by a column of marks, or by columns of text and units."""
    start = first_rows(source, LOOKED_AT)
    if len(start) < 2 or (len(start[0]) < 2 and not _is_one_coder(start, source)):
        return False
    header = start[0]
    if is_segeval_header(header) or is_haps_header(header) or is_label_studio_header(header):
        return False
    if is_long_table(header, source.options):
        return False
    if start[1][0].strip() in ("0", "1"):
        return True
    if source.extension not in DELIMITERS:
        return False
    columns = zip(*(row for row in start[1:] if len(row) == len(header)), strict=True)
    return any(is_reserved(name) for name in header if plain(name)) or any(map(_has_marks, columns))


def _is_one_coder(rows: Sequence[Sequence[str]], source: Source) -> bool:
    """Whether there is nothing but a name, and marks below it."""
    cells = [row[0] for row in rows if len(row) == 1]
    is_whole = source.extension in DELIMITERS and len(cells) == len(rows)
    return is_whole and look(cells[:1]) is None and _has_marks(cells[1:])


def _has_marks(cells: Sequence[str]) -> bool:
    return look(cells) is not None or are_tags(cells)


FORMAT = Format(
    "labels",
    "table with a row per unit and a column of marks or labels per coder",
    (".csv", ".tsv", ".tab"),
    read,
    write,
    sniff,
    frozenset({"coders", "units"}),
    example="unit,text,ann,bob\n1,It rained.,1,1\n2,We stayed.,0,0\n3,Then it cleared.,1,0\n4,We left.,0,0\n",
    notes="Marks (0/1, true/false, yes/no, x/blank, B/I) on the first unit of each segment are starts, on "
    "the last ends; where both are possible, marks= says which. Other values are labels: equal neighbours "
    "belong together. Two values of which one never stands twice in a row (ja/nein) may be either, and are "
    "refused unless marks= says which. A column of free text is the units' text; a column document names the "
    "document. Parquet and data frames of this shape are read in the same way.",
)
