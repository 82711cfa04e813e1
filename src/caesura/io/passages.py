"""Passages in files, with or without offsets: the documents and spans that they are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.base import Contents, Document, Format, Segments, read_documents
from caesura.io.files import Source, shortened
from caesura.io.spans import Passage, characters_of
from caesura.values.chunks import Chunks, running_texts
from caesura.values.corpus import Corpus
from caesura.values.string_search import in_form
from caesura.wording import counted


def segments_in_originals(source: Source, format: Format, original: Corpus) -> Contents:
    """Return a file's passages as segments of the original texts.

    If one is not found, because the text was changed, all passages become units, to be aligned.
    """
    texts, documents = running_texts(original), []
    coder = format.coder(source) if format.coder else source.name
    passages = format.passages(source) if format.passages else ()
    for name, own in by_document(passages, source.name, texts).items():
        strings = [passage.text for passage in own if passage.text is not None]
        try:
            with within(f"document {name}"):
                document = segments_in(own, texts[name], name, coder)
        except CorpusError:
            if len(strings) < len(own):
                raise
            document = Document(name, {coder: [1] * len(own)}, strings)
        documents.append(document)
    return read_documents(source, documents)


def segments_in(passages: list[Passage], text: str, document: str, coder: str) -> Document:
    """Return a document with the passages as segments of its characters."""
    chunks = Chunks.from_spans({document: spans_of(passages, text, document)}, {document: text})
    coding = Segments([(float(start), float(end)) for start, end in chunks[document]])
    return Document(document, {coder: coding}, units=characters_of(text))


def by_document(passages: Iterable[Passage], file: str, texts: dict[str, str]) -> dict[str, list[Passage]]:
    """Return the passages of each text, in the order of the file."""
    several: dict[str, list[Passage]] = {}
    for passage in passages:
        several.setdefault(document_of(passage, file, texts), []).append(passage)
    return several


def document_of(passage: Passage, file: str, texts: dict[str, str]) -> str:
    """Return the document that contains a passage."""
    name = passage.document
    for candidate in (name, None if name is None else PurePath(name).stem, file if name is None else None):
        if candidate is not None and candidate in texts:
            return candidate
    if len(texts) == 1 and (name is None or not passage.is_named):
        return next(iter(texts))
    if name is None:
        several = f"the file does not name its document among {counted(len(texts), 'text')}"
        raise CorpusError(f"{several}; name it like its text, or give one text")
    raise CorpusError(f"there is no text of document {shortened(name)}; {did_you_mean(name, texts)}")


def spans_of(passages: list[Passage], text: str, document: str) -> list[tuple[int, int]]:
    """Return the spans of a document's chunks, each of one or more passages."""
    if all(passage.start is not None and passage.start >= 0 for passage in passages):
        spans = [_checked(passage, text) for passage in passages]
    else:
        bare = next((passage.where for passage in passages if passage.text is None), None)
        if bare is not None:
            raise CorpusError(f"{bare} is a span among strings; use only strings or only spans")
        strings = [passage.text or "" for passage in passages]
        spans = list(Chunks.from_strings({document: strings}, {document: text})[document])
    joined: list[tuple[int, int]] = []
    for passage, (start, end) in zip(passages, spans, strict=True):
        if passage.goes_on and joined:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _checked(passage: Passage, text: str) -> tuple[int, int]:
    """Return the span of a passage, after comparing its text."""
    start, end = passage.span
    own = text[start:end]
    if passage.text is not None and own != passage.text and in_form(own) != in_form(passage.text):
        theirs = f"the text has {shortened(own)}, and the chunk is {shortened(passage.text)}"
        hint = "is it another text? offsets count code points"
        if "\r\n" in text:
            hint = "the text has CRLF line ends, which splitters count as one character; convert them to LF"
        raise CorpusError(f"{passage.where}: from character {start} on {theirs}: {hint}")
    return start, end
