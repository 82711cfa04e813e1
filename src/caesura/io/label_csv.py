"""The wide table of labels: a row per unit and a column per coder, one document per file.

The first column numbers the units, from 1 (or 0) without a gap. A boundary stands wherever a coder's label
changes. A column without any label says that its coder left the document out; one missing label is an
error. A column ``text`` holds the units' text.
"""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import CorpusError
from caesura.io.base import Format
from caesura.io.files import Source, shortened
from caesura.io.haps_csv import is_haps_header
from caesura.io.segeval_tsv import is_segeval_header
from caesura.io.tables import check_numbers, first_rows, rows_of, table_text
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

MAX_ROWS = 10_000_000
"""Longest document that is written with a row for each unit."""

MAX_LABEL = 80
"""Longest label, in characters; a column with longer ones holds the text, not a coder's labels."""


def read(source: Source) -> Corpus:
    """Read the table as one document."""
    rows = list(rows_of(source))
    if len(rows) < 2:
        raise CorpusError("there are no rows below the header; expected one per unit")
    (_, header), *body = rows
    check_numbers(header[0], body)
    builder = CorpusBuilder()
    units: list[str] = []
    left_out = set()
    for place, coder in enumerate(header[1:], start=1):
        cells = [row[place] for _, row in body]
        if _is_text(coder):
            units = cells
            continue
        labels = [cell.strip() for cell in cells]
        if coder == "":
            if any(labels):
                raise CorpusError(f"column {place + 1} has no name in the header; name its coder")
            continue
        if builder.has_coding(source.name, coder) or coder in left_out:
            raise CorpusError(f"coder {coder} has two columns; rename or remove one")
        if not any(labels):
            left_out.add(coder)
        elif "" in labels:
            line, row = body[labels.index("")]
            raise CorpusError(
                f"line {line}: coder {coder}: unit {row[0].strip()} has no label; "
                "only a coder who left the whole document out has an empty column"
            )
        elif len(max(labels, key=len)) > MAX_LABEL:
            raise CorpusError(
                f"coder {coder}: {shortened(max(labels, key=len))} is no label; call a column of text 'text'"
            )
        else:
            builder.add(source.name, coder, Segmentation.from_labels(labels))
    if not builder:
        raise CorpusError("no coder has labelled a unit; expected a column of labels for each coder")
    if units:
        builder.add_text(source.name, units)
    return Corpus.build(builder)


def _is_text(column: str) -> bool:
    return column.strip().lower() == "text"


def write(corpus: Corpus, extension: str) -> str:
    """Return the table of one document; labels are the numbers of the segments."""
    (document,) = corpus.documents
    n_units = corpus.n_units(document)
    if n_units > MAX_ROWS:
        raise CorpusError(f"document {document} has {n_units:,} units, a row each is too many; use jsonl")
    for coder in corpus.coders:
        if coder == "" or _is_text(coder):
            raise CorpusError(f"coder {coder!r}: this cannot be the name of a column of labels; rename it")
    header = ["unit", *corpus.coders]
    columns: list[Sequence[object]] = [
        range(1, n_units + 1),
        *(coding.to_labels() for _, _, coding in corpus),
    ]
    if document in corpus.units:
        header.insert(1, "text")
        columns.insert(1, corpus.units[document])
    return table_text([header, *zip(*columns, strict=True)], extension)


def sniff(source: Source) -> bool:
    """Tell it by the numbered first column; 0 and 1 in turns may mark boundaries instead."""
    start = first_rows(source, 2)
    if len(start) < 2 or len(start[0]) < 2 or start[1][0].strip() not in ("0", "1"):
        return False
    if is_segeval_header(start[0]) or is_haps_header(start[0]):
        return False
    return not _has_marks(source)


def _has_marks(source: Source) -> bool:
    """Whether some column has only 0 and 1 and goes back from 1 to 0, as marks of boundaries do."""
    try:
        body = [row for _, row in rows_of(source)][1:]
    except CorpusError:
        return False  # it is broken, and reading will say how
    for cells in zip(*body, strict=True):
        line = "".join(cell.strip() or "?" for cell in cells)
        if set(line) == {"0", "1"} and "10" in line and set(map(len, map(str.strip, cells))) == {1}:
            return True
    return False


FORMAT = Format(
    "labels",
    "table with a row per unit and a column of labels per coder",
    (".csv", ".tsv", ".tab"),
    read,
    write,
    sniff,
    frozenset({"coders", "units"}),
)
