"""Table with a row per unit and a column of marks or labels per coder.

Marks (0/1, true/false, yes/no, x/blank, B/I) on the first unit of each segment are starts, on the last ends;
if both are possible, marks= chooses. Other values are labels: equal neighbors form a segment. Two values of
which one never occurs twice in a row (ja/nein) may be either, and need marks=. A column of free text is the
units' text; a column document names the document. Parquet and data frames of this shape are read in the same
way.

The first column numbers the units, from 1 (or 0) without a gap; it may be missing. A column ``text`` (or
``sentence``, ``utterance`` …), or one of free text, holds the units' text; a column ``document`` the name of
the document, where there are several, the rows of each together. Written with the numbers of the segments as
labels.
"""

from __future__ import annotations

from collections.abc import Sequence

from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.formats.haps_csv import is_haps_header
from caesura.io.formats.label_studio import is_label_studio_header
from caesura.io.formats.segeval_tsv import is_segeval_header
from caesura.io.tables import cells
from caesura.io.tables.cells import read_wide_table, table_rows
from caesura.io.tables.columns import is_reserved, plain
from caesura.io.tables.marks import are_tags, look
from caesura.values.corpus import Corpus

MAX_ROWS = 10_000_000
"""Most units that are written with a row each."""

LOOKED_AT = 200
"""Rows read to recognize a table of marks."""


def read(source: Source) -> Contents:
    """Read the table."""
    last = source.text.rstrip("\r\n").rpartition("\n")[2]
    return read_wide_table(list(cells.rows_of(source)), source, is_cut=not last.strip(" \r,;\t"))


def write(corpus: Corpus, extension: str) -> str:
    """Return the table of one document, with numbers of segments as labels."""
    # A table of 1 alone could be read as marks.
    prefix = "" if len(corpus.codings.positions) else "s"
    header, *rows = table_rows(corpus, MAX_ROWS, lambda own: [f"{prefix}{i}" for i in own.to_labels()])
    return cells.table_text([header[1:], *(row[1:] for row in rows)], extension)


def sniff(source: Source) -> bool:
    """Recognize it by the numbered first column, by a column of marks, or by columns of text and units."""
    start = cells.first_rows(source, LOOKED_AT)
    if len(start) < 2 or (len(start[0]) < 2 and not _is_one_coder(start, source)):
        return False
    header = start[0]
    if is_segeval_header(header) or is_haps_header(header) or is_label_studio_header(header):
        return False
    if cells.is_long_table(header, source.options):
        return False
    if start[1][0].strip() in ("0", "1"):
        return True
    if source.extension not in cells.DELIMITERS:
        return False
    columns = zip(*(row for row in start[1:] if len(row) == len(header)), strict=True)
    return any(is_reserved(name) for name in header if plain(name)) or any(map(_has_marks, columns))


def _is_one_coder(rows: Sequence[Sequence[str]], source: Source) -> bool:
    """Return whether there is only a name with marks below it."""
    values = [row[0] for row in rows if len(row) == 1]
    is_whole = source.extension in cells.DELIMITERS and len(values) == len(rows)
    return is_whole and look(values[:1]) is None and _has_marks(values[1:])


def _has_marks(values: Sequence[str]) -> bool:
    return look(values) is not None or are_tags(values)


FORMAT = Format.of(globals(), "labels", (".csv", ".tsv", ".tab"), {"coders", "units"})
