"""HAPS's table of a hierarchy: a row per paragraph, a column per level.

A paragraph is a unit; a break on level 1 is the most prominent. The file's name says document and coder
(ch1-an1).

Kazantseva and Szpakowicz (2014), Hierarchical topical segmentation with affinity propagation. The columns are
``par``, which numbers the paragraphs, and ``level1`` (the top, rank 1), ``level2`` and so on. A file is one
coder's coding of one document and does not name them; its name does, ``ch1-an1`` or ``ch1/an1``.

In a hierarchy, a break is also on each level below its own, but the published codings often omit it. So the
levels are united: a break has the rank of the first level that marks it, and a notice says that they do not
nest. A level without breaks was not used. Breaks after the last paragraph are the document's end, not
boundaries; a notice says if a level does not mark the end, since the file may be cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, only_coding, read_documents, united
from caesura.io.files import Source, misfit
from caesura.io.tables.cells import first_rows, rows_of, table_text
from caesura.io.tables.rows import check_numbers
from caesura.values.corpus import Corpus

N_LEVELS = 6
"""Columns of levels that HAPS's own files have."""

MAX_CELLS = 10_000_000
"""Most cells of a written table."""


def names(name: str) -> tuple[str, str]:
    """Return document and coder from the name of a file: its folder, or the text before the last hyphen.

    >>> names("ch1/ch1-an1"), names("ch1-an1"), names("ch1/an1"), names("ch1")
    (('ch1', 'an1'), ('ch1', 'an1'), ('ch1', 'an1'), ('ch1', 'reference'))
    """
    folder, _, file = name.rpartition("/")
    prefix = folder.rpartition("/")[2] + "-"
    if folder and file.startswith(prefix) and file != prefix:
        return folder, file.removeprefix(prefix)
    document, _, coder = file.rpartition("-")
    if document and coder:
        return (f"{folder}/{document}" if folder else document), coder
    return (folder, file) if folder else (name, REFERENCE)


def file_name(document: str, coder: str) -> str:
    """Return the name of a coding's file as in HAPS's own folders.

    >>> file_name("ch1", "an1")
    'ch1/ch1-an1'
    """
    return f"{document}/{document.rpartition('/')[2]}-{coder}"


def read(source: Source) -> Contents:
    """Read one coding."""
    rows = list(rows_of(source))
    if not rows or not is_haps_header(["par", *rows[0][1][1:]]):
        raise misfit("line 1", rows[0][1] if rows else [], "the columns par, level1, level2 …, in order")
    (_, header), *body = rows
    if not body:
        raise CorpusError("there are no rows below the header; expected one per paragraph")
    check_numbers(header[0], body)
    document, coder = names(source.name)
    levels = header[1:]
    marks = [[_mark(line, *cell) for cell in zip(levels, row[1:], strict=True)] for line, row in body]
    absent = ", ".join(level for level, mark in zip(levels, marks.pop(), strict=True) if not mark)
    fault = f"line {body[-1][0]}: the document's end is not marked on {absent}: is the file cut off?"
    notices = [fault] if absent else []
    # The numbers may count from 0; positions are the number of paragraphs before a break.
    columns = zip(*marks, strict=True)
    breaks = [{after for after, mark in enumerate(level, start=1) if mark} for level in columns]
    notices += _not_nested(coder, breaks)
    return read_documents(source, [Document(document, {coder: united(breaks, len(body))})], notices)


def _mark(line: int, level: str, cell: str) -> bool:
    if (mark := cell.strip()) not in ("0", "1"):
        raise misfit(f"line {line}: {level}", cell, "1 for a break after, 0 for none")
    return mark == "1"


def _not_nested(coder: str, breaks: Sequence[set[int]]) -> Iterator[str]:
    """Yield a notice if levels do not nest."""
    lacking = []
    above: set[int] = set()
    for rank, level in enumerate(breaks, start=1):
        if level and above - level:
            lacking.append(f"level{rank} lacks {len(above - level)} of {len(above)}")
        above |= level
    if lacking:
        lacks = ", ".join(lacking)
        yield f"coder {coder}: the levels do not nest and are united: of the breaks above, {lacks}"


def write(corpus: Corpus, extension: str) -> str:
    """Return the table of one coding, with each break on its level and all used levels below."""
    document, coder, segmentation = only_coding(corpus)
    ranks = dict(segmentation.boundaries)
    deepest = max(ranks.values(), default=0)
    n_units, n_levels = segmentation.n_units, max(deepest, N_LEVELS)
    if n_units * n_levels > MAX_CELLS:
        size = f"{n_units:,} paragraphs on {n_levels:,} levels"
        raise CorpusError(f"document {document}: coder {coder}: {size} are too large a table; use jsonl")
    rows: list[list[object]] = [["par", *(f"level{level}" for level in range(1, n_levels + 1))]]
    for paragraph in range(1, n_units):
        rank = ranks.get(paragraph, deepest + 1)
        rows.append([paragraph, *(int(rank <= level <= deepest) for level in range(1, n_levels + 1))])
    rows.append([n_units, *[1] * n_levels])
    return table_text(rows, extension)


def is_haps_header(header: Sequence[str]) -> bool:
    """Return whether these are the columns of HAPS."""
    columns = [cell.strip().lower() for cell in header]
    levels = [f"level{level}" for level in range(1, len(columns))]
    return len(columns) > 1 and columns == ["par", *levels]


def sniff(source: Source) -> bool:
    """Recognize it by its header."""
    rows = first_rows(source, 1)
    return bool(rows) and is_haps_header(rows[0])


FORMAT = Format.of(globals(), "haps", (".csv", ".tsv", ".tab"), {"ranks"})
