"""CoNLL-U: paragraphs of sentences, or sentences of words.

Units are sentences and segments paragraphs where any `# newpar` is marked; otherwise, or with
`tiers='sentences'`, units are words and segments sentences. Lemmas, tags and trees are not kept.

A sentence with the comment ``# newpar`` (or ``# newpar id = …``) opens a paragraph, one with ``# newdoc`` a
document. Such a file has two segmentations: sentences into paragraphs, and words into sentences.
``tiers="paragraphs"`` or ``"sentences"`` chooses one; by default paragraphs if the file marks any. Words are
the lines with whole numbers: lines of several words (3-4) and empty nodes (7.1) are not words. A sentence's
text is its ``# text``, or its words with spaces between.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.values.corpus import Corpus
from caesura.wording import listed

TOK = ".tok"
MARKS = ("beginseg=", "seg=", "conn=")
"""Entries of the last column that mark discourse units or connectives."""

N_COLUMNS = 10
BLANK = "_"
NEW_DOCUMENT = ("newdoc", "newdoc id", "newdoc_id")


class Word(NamedTuple):
    """A word: its line in the file, its number, form and last column."""

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

    The name of a single document is by default the file's, and of one among others its number.
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
            twice = f"document {shortened(name)} is there twice"
            raise CorpusError(f"line {sentences[0].words[0].line}: {twice}; rename one")
        documents[name] = sentences
    return documents


def sentences_of(source: Source) -> Iterator[Sentence]:
    """Yield the sentences; skip lines of several words (3-4) and empty nodes (7.1)."""
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
        elif line.strip() and (word := _word(line, number, is_last=number == last)) is not None:
            words.append(word)
    if words:
        yield Sentence(comments, words)
    elif not comments.keys().isdisjoint(NEW_DOCUMENT):
        raise CorpusError(f"line {opened}: a document without words begins here: is the file cut off?")


def _word(line: str, number: int, *, is_last: bool) -> Word | None:
    """Return the word of a line, or None for a line that is not a word."""
    cells = line.split("\t")
    if len(cells) != N_COLUMNS:
        hint = "is the file cut off?" if is_last else "are the tabs lost?"
        raise misfit(f"line {number}", line, f"{N_COLUMNS} columns with tabs, not {len(cells)}; {hint}")
    if not is_id(cells[0]):
        raise misfit(f"line {number}: the word's number", cells[0], "7, 7-8 (words) or 7.1 (empty node)")
    if not cells[1]:
        raise CorpusError(f"line {number}: the second column is empty: expected a word")
    return Word(number, int(cells[0]), cells[1], cells[-1]) if cells[0].isdigit() else None


def is_id(cell: str) -> bool:
    """Return whether a first column numbers a word, several words or an empty node.

    >>> [is_id(cell) for cell in ("7", "7-8", "7.1", "x", "7-")]
    [True, True, True, False, False]
    """
    first, sign, second = cell.partition("-" if "-" in cell else ".")
    parts = (first, second) if sign else (first,)
    return all(part.isascii() and part.isdigit() and len(part) < N_COLUMNS for part in parts)


def has_entry(source: Source, beginnings: tuple[str, ...]) -> bool:
    """Return whether a last column has an entry that begins so."""
    columns = (line.rpartition("\t")[2].lower() for line in source.lines if not line.startswith("#"))
    return any(entry.startswith(beginnings) for column in columns for entry in column.split("|"))


def is_disrpt(source: Source) -> bool:
    """Recognize files of discourse units by the extension or an entry for units or connectives."""
    return is_conll(source) and (source.extension == TOK or has_entry(source, MARKS))


def is_conll(source: Source) -> bool:
    """Return whether the first line that is not a comment numbers a word and has ten columns."""
    lines = (line for line in source.lines if line.strip() and not line.startswith("#"))
    cells = next(lines, "").split("\t")
    return len(cells) == N_COLUMNS and is_id(cells[0])


# -------------------------------------------------------------------- writing


def document_comment(document: str) -> str:
    """Return the comment that opens a document."""
    if not document or document != document.strip() or not _is_one_line(document):
        raise misfit("a document", document, "a name without spaces around it or line ends; rename it")
    return f"# newdoc id = {document}"


def word_line(number: int, form: str, misc: str = BLANK) -> str:
    """Return the line of a word with only a form.

    >>> word_line(1, "It").split("\\t")
    ['1', 'It', '_', '_', '_', '_', '_', '_', '_', '_']
    """
    if not form or "\t" in form or not _is_one_line(form):
        raise CorpusError(f"the unit {shortened(form)} cannot be a word: empty, or with tab or line end")
    return "\t".join([str(number), form, *[BLANK] * (N_COLUMNS - 3), misc])


def _is_one_line(text: str) -> bool:
    return "\n" not in text and "\r" not in text


# -------------------------------------------------------------------- lines

EXTENSIONS = (".conllu",)
NEW_PARAGRAPH = ("newpar", "newpar id")
PARAGRAPHS, SENTENCES = TIERS = ("paragraphs", "sentences")


def read(source: Source) -> Contents:
    """Read all documents with their text."""
    documents = documents_of(source)
    for sentence in chain.from_iterable(documents.values()):
        _check_numbers(sentence)
    is_marked = any(map(_opens_paragraph, chain.from_iterable(documents.values())))
    default = PARAGRAPHS if is_marked else SENTENCES
    tier, *further = source.options.get("tiers", (default,))
    if further or tier not in TIERS:
        raise CorpusError(f"the tier {listed([tier, *further])} is not there: choose paragraphs or sentences")
    if tier == PARAGRAPHS and not is_marked:
        raise CorpusError("no paragraph is marked (# newpar): it can only be read by sentences")
    return read_documents(source, (_document(*document, tier) for document in documents.items()))


def _check_numbers(sentence: Sentence) -> None:
    """Check that words count from 1, so that no line or blank line is lost."""
    for expected, word in enumerate(sentence.words, start=1):
        if word.number != expected:
            hint = "the blank line before it" if word.number == 1 else "a line"
            number = f"the number {word.number} where {expected} was expected"
            raise CorpusError(f"line {word.line}: {shortened(word.form)} has {number}: is {hint} missing?")


def _opens_paragraph(sentence: Sentence) -> bool:
    return not sentence.comments.keys().isdisjoint(NEW_PARAGRAPH)


def _document(name: str, sentences: list[Sentence], tier: str) -> Document:
    segments: list[list[str]] = []
    for sentence in sentences:
        words = [word.form for word in sentence.words]
        if tier == SENTENCES or not segments or _opens_paragraph(sentence):
            segments.append([])
        segments[-1] += words if tier == SENTENCES else [sentence.comments.get("text") or " ".join(words)]
    return Document(name, {REFERENCE: list(map(len, segments))}, chain.from_iterable(segments))


def write(corpus: Corpus, extension: str) -> str:
    """Return units as sentences of paragraphs if one contains white space, else as words of sentences."""
    words = chain.from_iterable(corpus.units[document] for document in corpus.documents)
    has_sentences = any(any(map(str.isspace, text)) for text in words)
    blocks = []
    for document, _, segmentation in corpus:
        texts = corpus.units[document]
        segments = [texts[start:end] for start, end in segmentation.to_spans()]
        own = _paragraph_blocks(segments) if has_sentences else [_words(segment) for segment in segments]
        blocks += [f"{document_comment(document)}\n{own[0]}", *own[1:]]
    return "\n\n".join(blocks) + "\n\n"


def _paragraph_blocks(paragraphs: list[tuple[str, ...]]) -> list[str]:
    """Return a block per sentence; white space separates its words."""
    blocks = []
    for paragraph in paragraphs:
        for index, text in enumerate(paragraph):
            if not text.strip() or "\n" in text or "\r" in text:
                raise CorpusError(f"the unit {shortened(text)} cannot be a sentence: not a line of words")
            mark = "" if index else "# newpar\n"
            blocks.append(f"{mark}# text = {text}\n{_words(text.split())}")
    return blocks


def _words(forms: list[str] | tuple[str, ...]) -> str:
    return "\n".join(word_line(number, form) for number, form in enumerate(forms, start=1))


def sniff(source: Source) -> bool:
    """Recognize it by its ten columns or its extension, and that it marks no discourse units."""
    return (source.extension in EXTENSIONS or is_conll(source)) and not is_disrpt(source)


FORMAT = Format.of(globals(), "conllu", EXTENSIONS, {"documents"}, needs_units=True)
