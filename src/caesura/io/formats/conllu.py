"""CoNLL-U: paragraphs of sentences, or sentences of words.

Units are sentences and segments paragraphs where any `# newpar` is marked; otherwise, or with
`tiers='sentences'`, units are words and segments sentences. Lemmas, tags and trees are not kept.

A sentence with the comment ``# newpar`` (or ``# newpar id = …``) opens a paragraph, one with ``# newdoc`` a
document. There are two segmentations in such a file: sentences into paragraphs, and words into sentences;
``tiers="paragraphs"`` or ``"sentences"`` says which to read. Without it, paragraphs are read where the file
marks any, and sentences otherwise. Words are the lines with whole numbers: lines of several words (3-4) and
empty nodes (7.1) are none. A sentence's text is its ``# text``, or its words with blanks between.
"""

from __future__ import annotations

from itertools import chain

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format
from caesura.io.conll_lines import Sentence, document_comment, documents_of, is_conll, word_line
from caesura.io.documents import Document, read_documents
from caesura.io.files import Source, shortened
from caesura.io.formats.disrpt import sniff as is_disrpt
from caesura.values.corpus import Corpus
from caesura.wording import listed

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
    """Check that words count from 1: a lost line or blank line must not pass."""
    for expected, word in enumerate(sentence.words, start=1):
        if word.number != expected:
            hint = "the blank line before it" if word.number == 1 else "a line"
            raise CorpusError(
                f"line {word.line}: the word {shortened(word.form)} has the number {word.number} where "
                f"{expected} was expected: is {hint} missing?"
            )


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
    """Return units as sentences in paragraphs where one has white space in it, else as words in sentences."""
    has_sentences = any(
        any(map(str.isspace, text)) for document in corpus.documents for text in corpus.units[document]
    )
    blocks = []
    for document, _, segmentation in corpus:
        texts = corpus.units[document]
        segments = [texts[start:end] for start, end in segmentation.to_spans()]
        own = _paragraph_blocks(segments) if has_sentences else [_words(segment) for segment in segments]
        blocks += [f"{document_comment(document)}\n{own[0]}", *own[1:]]
    return "\n\n".join(blocks) + "\n\n"


def _paragraph_blocks(paragraphs: list[tuple[str, ...]]) -> list[str]:
    """Return a block per sentence; its words are what stands between white space."""
    blocks = []
    for paragraph in paragraphs:
        for index, text in enumerate(paragraph):
            if not text.strip() or "\n" in text or "\r" in text:
                raise CorpusError(f"the unit {shortened(text)} cannot be a sentence: it is no line of words")
            mark = "" if index else "# newpar\n"
            blocks.append(f"{mark}# text = {text}\n{_words(text.split())}")
    return blocks


def _words(forms: list[str] | tuple[str, ...]) -> str:
    return "\n".join(word_line(number, form) for number, form in enumerate(forms, start=1))


def sniff(source: Source) -> bool:
    """Tell it by its ten columns or its extension, and that it marks no discourse units."""
    return (source.extension in EXTENSIONS or is_conll(source)) and not is_disrpt(source)


FORMAT = Format.of(globals(), "conllu", EXTENSIONS, {"documents"}, needs_units=True)
