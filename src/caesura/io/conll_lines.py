"""Lines of CoNLL-U and its relatives: documents of sentences, whose words have ten columns, with comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.files import Source, shortened
from caesura.wording import counted

N_COLUMNS = 10
BLANK = "_"
NEW_DOCUMENT = ("newdoc", "newdoc id", "newdoc_id")


class Word(NamedTuple):
    """A word's line: its place in the file, its number, its form and its last column."""

    line: int
    number: int
    form: str
    misc: str


class Sentence(NamedTuple):
    """The words up to a blank line or the next comment, and the comments above them by their keys."""

    comments: dict[str, str]
    words: list[Word]


def documents_of(source: Source) -> dict[str, list[Sentence]]:
    """Return the sentences of each document: a comment ``# newdoc`` opens one, with or without a name.

    Without any, the file is one document and names it; one without a name among others is called by its
    number.
    """
    groups: list[list[Sentence]] = []
    for sentence in sentences_of(source):
        if not groups or not sentence.comments.keys().isdisjoint(NEW_DOCUMENT):
            groups.append([])
        groups[-1].append(sentence)
    if not groups:
        raise CorpusError("there are no words: expected lines of ten columns with tabs between")
    documents: dict[str, list[Sentence]] = {}
    for number, sentences in enumerate(groups, start=1):
        comments = sentences[0].comments
        given = next((comments[key].strip() for key in NEW_DOCUMENT if key in comments), "")
        name = given or (source.name if len(groups) == 1 else str(number))
        if name in documents:
            raise CorpusError(
                f"line {sentences[0].words[0].line}: document {shortened(name)} is there twice; rename one"
            )
        documents[name] = sentences
    return documents


def sentences_of(source: Source) -> Iterator[Sentence]:
    """Yield the sentences; lines of several words (3-4) and empty nodes (7.1) are no words."""
    comments: dict[str, str] = {}
    words: list[Word] = []
    last = len(source.lines)
    opened = 0
    for number, line in enumerate(source.lines, start=1):
        is_comment = line.startswith("#")
        if words and (is_comment or not line.strip()):
            yield Sentence(comments, words)
            comments, words = {}, []
        if is_comment:
            key, _, value = line[1:].partition("=")
            comments[" ".join(key.split())] = value.removeprefix(" ")
            opened = number
        elif line.strip():
            word = _word(line, number, is_last=number == last)
            if word is not None:
                words.append(word)
    if words:
        yield Sentence(comments, words)
    elif not comments.keys().isdisjoint(NEW_DOCUMENT):
        raise CorpusError(f"line {opened}: a document without words begins here: is the file cut off?")


def _word(line: str, number: int, *, is_last: bool) -> Word | None:
    """Return the word of a line, or None where the line is no word of its own."""
    cells = line.split("\t")
    if len(cells) != N_COLUMNS:
        hint = "is the file cut off?" if is_last else "are the tabs lost?"
        raise CorpusError(
            f"line {number} ({shortened(line)}) has {counted(len(cells), 'column')} where {N_COLUMNS} with "
            f"tabs between were expected: {hint}"
        )
    if not is_id(cells[0]):
        raise CorpusError(
            f"line {number}: the word's number is {shortened(cells[0])}: expected 7, or 7-8 for a line of "
            "several words, or 7.1 for an empty node"
        )
    if not cells[1]:
        raise CorpusError(f"line {number}: the second column is empty: expected a word")
    return Word(number, int(cells[0]), cells[1], cells[-1]) if cells[0].isdigit() else None


def is_id(cell: str) -> bool:
    """Whether a first column numbers a word, several words or an empty node.

    >>> [is_id(cell) for cell in ("7", "7-8", "7.1", "x", "7-")]
    [True, True, True, False, False]
    """
    first, sign, second = cell.partition("-" if "-" in cell else ".")
    parts = (first, second) if sign else (first,)
    return all(part.isascii() and part.isdigit() and len(part) < N_COLUMNS for part in parts)


def is_conll(source: Source) -> bool:
    """Whether the first line that is no comment numbers a word and has ten columns."""
    lines = (line for line in source.lines_or_none if line.strip() and not line.startswith("#"))
    cells = next(lines, "").split("\t")
    return len(cells) == N_COLUMNS and is_id(cells[0])


# -------------------------------------------------------------------- writing


def document_comment(document: str) -> str:
    """Return the comment that opens a document."""
    if not document or document != document.strip() or not _is_one_line(document):
        raise CorpusError(
            f"document {shortened(document)}: a name that is empty, has spaces around it or has line ends "
            "cannot stand in a comment; rename it"
        )
    return f"# newdoc id = {document}"


def word_line(number: int, form: str, misc: str = BLANK) -> str:
    """Return the line of a word of which only the form is known.

    >>> word_line(1, "It").split("\\t")
    ['1', 'It', '_', '_', '_', '_', '_', '_', '_', '_']
    """
    if not form or "\t" in form or not _is_one_line(form):
        raise CorpusError(
            f"the unit {shortened(form)} cannot be a word: it is empty, or has a tab or a line end in it"
        )
    return "\t".join([str(number), form, *[BLANK] * (N_COLUMNS - 3), misc])


def _is_one_line(text: str) -> bool:
    return "\n" not in text and "\r" not in text
