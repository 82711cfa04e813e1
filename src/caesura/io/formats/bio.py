"""BIO columns: tokens with tags that open and continue chunks.

Units are tokens, a sequence between blank lines is a document, and a chunk is a segment; several columns of
tags are coders (`column 3`, `column 4`, chosen by `coders`). Tokens outside of chunks need a rule (`gaps`).
Types of chunks and other columns are not kept. Written with one document and one coder per file, whose names
a file of several would lose.

``B-x`` opens a chunk of type x, ``I-x`` continues it, ``O`` is outside of all; a blank line ends a sequence,
which is a document. Tabs, or else spaces, separate columns. A column with a tag in every row is a coder. The
token is the first other column, except one that only counts the rows. Text after a colon in a tag is ignored
(``B-Premise:-1:Support``).

As in conlleval, ``I-x`` also opens a chunk after another type or outside (IOB1). The last (E, L) and the only
(S, U) token of a chunk may have special tags (BIOES, BILOU, BMES). Chunks are spans of tokens, and ``gaps``
is the rule for tokens outside; with it, a sequence without chunks is one segment. A line with -DOCSTART- ends
a sequence; a line ``# id 1`` at the start of a sequence, without a tag at its end, is a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, Segments, only_coding, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.tables.marks import OUTSIDE, chunks_of, is_tag
from caesura.values.corpus import Corpus
from caesura.values.units import Units
from caesura.wording import counted, listed

EXTENSIONS = (".bio", ".conll", ".iob", ".iob2", ".bioes", ".dat")
START_OF_FILE = "-DOCSTART-"
COMMENT = "# "
NO_ROWS = (COMMENT, START_OF_FILE)
SEGMENT = "seg"
"""The type of written chunks."""


class Row(NamedTuple):
    """A line's number and columns."""

    line: int
    cells: list[str]


class Table(NamedTuple):
    """The sequences of rows, and the columns of the token and of tags, from 0 on."""

    sequences: list[list[Row]]
    token: int
    tags: list[int]

    @property
    def rows(self) -> Iterator[Row]:
        """The rows of all sequences."""
        return chain.from_iterable(self.sequences)


def read(source: Source) -> Contents:
    """Read every sequence with its tokens, and each column of tags as a coder."""
    table = _table(source)
    source.options.use("overlap", "gaps")
    coders = _coders(source, table.tags)
    documents = []
    for number, rows in enumerate(table.sequences, start=1):
        name = source.name if len(table.sequences) == 1 else str(number)
        tags = {coder: [row.cells[column] for row in rows] for coder, column in coders.items()}
        where = f"document {name}: coder"
        codings = {coder: _coding(source, f"{where} {coder}", own) for coder, own in tags.items()}
        tokens = [row.cells[table.token] for row in rows]
        documents.append(Document(name, codings, tokens, Units.every(1, end=len(rows), axis="count")))
    return read_documents(source, documents)


def _coding(source: Source, where: str, tags: Sequence[str]) -> Segments | list[int]:
    chunks = chunks_of(tags)
    if sum(end - start for start, end in chunks) == len(tags):
        return [end - start for start, end in chunks]  # all tokens are in chunks
    if not chunks and source.options.get("gaps") is None:
        raise CorpusError(f"{where}: all tokens are {OUTSIDE}: give gaps='segment' or gaps='join'")
    return Segments(chunks) if chunks else [len(tags)]


def _table(source: Source) -> Table:
    sequences = _sequences(source)
    if not (rows := list(chain.from_iterable(sequences))):
        raise CorpusError("there are no tokens: expected a token and its tag on each line")
    _check_width(rows)
    columns = range(len(rows[0].cells))
    faults = {i: next((row for row in rows if not is_tag(row.cells[i])), None) for i in columns}
    tags = [column for column, fault in faults.items() if fault is None]
    if len(tags) == len(columns):
        tags = tags[1:]  # one column must be the token
    if not tags:
        # The column with the latest fault is the likeliest one.
        line, column, cell = max((row.line, i, row.cells[i]) for i, row in faults.items() if row is not None)
        raise misfit(f"line {line}: column {column + 1}", cell, "a tag on every line, O, B-… or I-…")
    return Table(sequences, _token_column(sequences, tags), tags)


def _sequences(source: Source) -> list[list[Row]]:
    """Return the rows between blank lines."""
    lines = source.lines
    has_tabs = all("\t" in line for line in lines if line.strip() and not line.startswith(COMMENT))
    sequences: list[list[Row]] = [[]]
    starts: list[list[Row]] = []
    for number, line in enumerate(lines, start=1):
        row = Row(number, line.split("\t") if has_tabs else line.split())
        if line.strip() and row.cells[0] != START_OF_FILE:
            # A comment at the head of a sequence, unless it is the token #.
            if sequences[-1] or not line.startswith(COMMENT) or is_tag(line.split()[-1]):
                sequences[-1].append(row)
            continue
        if sequences[-1]:
            sequences.append([])
        if line.strip():
            starts.append([row])
    return [sequence for sequence in sequences if sequence] or starts


def _check_width(rows: Sequence[Row]) -> None:
    if (width := len(rows[0].cells)) < 2:
        raise misfit(f"line {rows[0].line}", rows[0].cells[0], "two columns, a token and its tag")
    for row in rows:
        if len(row.cells) != width:
            hint = "is the file cut off?" if row is rows[-1] else "a column is missing or too many"
            expected = f"where line {rows[0].line} has {width}"
            raise CorpusError(f"line {row.line} has {counted(len(row.cells), 'column')} {expected}: {hint}")


def _token_column(sequences: Sequence[Sequence[Row]], tags: Sequence[int]) -> int:
    """Return the first column that is neither tags nor numbers of rows."""
    is_tags = set(tags)
    columns = [column for column in range(len(sequences[0][0].cells)) if column not in is_tags]
    rows = (pair for sequence in sequences for pair in enumerate(sequence, start=1))
    are_numbers = (row.cells[columns[0]] == str(number) for number, row in rows)
    return columns[1] if len(columns) > 1 and all(are_numbers) else columns[0]


def _coders(source: Source, tags: Sequence[int]) -> dict[str, int]:
    """Return the columns to read, by coder."""
    columns = {f"column {column + 1}": column for column in tags}
    if (chosen := source.options.get("coders")) is None:
        return {REFERENCE: tags[0]} if len(tags) == 1 else columns
    names = [f"column {name}" if name.isdigit() else name for name in chosen]
    for name in names:
        if name not in columns:
            raise CorpusError(f"{shortened(name)} is not a column of tags: there is {listed(columns)}")
    return {name: columns[name] for name in names}


def write(corpus: Corpus, extension: str) -> str:
    """Return the document as one sequence in which every segment is a chunk."""
    document, _, segmentation = only_coding(corpus)
    positions = {0, *segmentation.positions}
    lines = []
    for index, token in enumerate(corpus.units[document]):
        if not token or any(sign in token for sign in "\t\n\r"):
            raise CorpusError(f"the unit {shortened(token)} cannot be a token: it is empty or has a tab")
        lines.append(f"{token}\t{'B' if index in positions else 'I'}-{SEGMENT}\n")
    return "".join(lines)


def sniff(source: Source) -> bool:
    """Recognize it by a column of tags in all lines, of which one opens or continues a chunk."""
    first = next((line for line in source.lines if line.strip() and not line.startswith(NO_ROWS)), "")
    if not any(map(is_tag, first.split("\t")[1:] if "\t" in first else first.split()[1:])):
        return False  # without reading all lines
    table = _table(source)
    if all(is_tag(row.cells[table.token]) for row in table.rows):
        return False  # only tags: perhaps a line per document
    tags = {row.cells[column] for row in table.rows for column in table.tags}
    return "B" in tags or any(tag[1:2] == "-" for tag in tags)


FORMAT = Format.of(globals(), "bio", EXTENSIONS, needs_units=True)
