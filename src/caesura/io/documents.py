"""Documents: what a reader makes of each record of a file, and the one way from them to a corpus.

A coding is a segmentation, masses, a hierarchy, or the spans of its segments on the document's axis, which
the rules that the caller named divide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Passage, with_all_ranks
from caesura.io.files import Source, shortened
from caesura.io.json_files import Record
from caesura.io.spans import Chunk, Spans, on_one_line, placed, units_of_chunks
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import HierarchyLike
from caesura.values.making import CorpusBuilder
from caesura.values.segments import Gaps, Overlap
from caesura.values.units import Projection, Units
from caesura.wording import counted, listed

T = TypeVar("T")


@dataclass(frozen=True)
class Segments:
    """A coding whose segments are these spans, half-open; without any, nobody has coded the document."""

    spans: Spans
    overlap: Overlap = "error"
    """What the format says of spans that overlap; what the caller of ``read`` says counts more."""
    gaps: Gaps = "error"
    """What it says of parts in no span."""


Span: TypeAlias = tuple[int, int]
Coding: TypeAlias = HierarchyLike | Segments | Projection


@dataclass(frozen=True)
class Document:
    """What a record says of a document."""

    name: str
    codings: Mapping[str, Coding]
    """By coder; without any, nobody has coded it."""
    texts: Iterable[str] | None = None
    """The texts of its units."""
    units: Units | None = None
    """Where its units stand."""
    notices: Sequence[str] = ()
    """What should be known of it although it can be read."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long coders took, where the file says so."""


@dataclass
class Documents:
    """The documents of a file, and what is to be told of them all."""

    source: Source
    nouns: tuple[str, str] = ("coding", "codings")
    """What the file's own program calls a coding, and several."""
    builder: CorpusBuilder = field(default_factory=CorpusBuilder)
    notices: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """How many there are of each kind of what is no span."""
    _seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    _labels: Counter[str] = field(default_factory=Counter)
    _n_chosen: int = 0
    _n_uncoded: int = 0
    _n_quotes_differ: int = 0
    _first_quote: str = ""

    def add(self, document: Document) -> None:
        """Add a document with its codings; refuse one that is there."""
        name, builder = document.name, self.builder
        if builder.has_document(name):
            raise CorpusError(f"document {name} is there twice; rename or remove one")
        if document.units is not None:
            builder.add_units(name, document.units)
        for coder, coding in document.codings.items():
            if not isinstance(coding, Segments):
                builder.add(name, coder, coding.segmentation if isinstance(coding, Projection) else coding)
            elif not len(coding.spans):
                self._n_uncoded += 1
            elif document.units is not None:
                with within(f"document {name}: coder {coder}"):
                    projection = placed(
                        self.source,
                        document.units,
                        coding.spans,
                        overlap=coding.overlap,
                        gaps=coding.gaps,
                    )
                builder.add(name, coder, projection.segmentation)
        if document.texts is not None:
            builder.add_text(name, document.texts)
        self._seconds |= {(name, coder): seconds for coder, seconds in document.seconds.items()}
        self.notices += [f"document {name}: {notice}" for notice in document.notices]

    def takes(self, labels: Iterable[str]) -> bool:
        """Whether a span with these labels was asked for (by ``tiers``; otherwise all are)."""
        wanted = self.source.options.get("tiers")
        if wanted is None:
            return True
        own = list(labels)
        self._labels.update(own)
        is_chosen = not set(wanted).isdisjoint(own)
        self._n_chosen += is_chosen
        return is_chosen

    def compare_quote(self, where: str, text: str | None, parts: Sequence[Span], quote: object) -> None:
        """Note where the text that a file gives beside the offsets, if it does, is not what stands there."""
        if text is None or not isinstance(quote, str):
            return
        length = sum(end - start for start, end in parts) + len(parts) - 1
        # Texts of other lengths are not even looked at: a file may quote a word for each of many long spans.
        if length == len(quote) and on_one_line(_joined(text, parts)) == on_one_line(quote):
            return
        self._n_quotes_differ += 1
        if not self._first_quote:
            self._first_quote = f"{where}: {shortened(_joined(text, parts))}, not {shortened(quote)}"

    def contents(self, expected: str = "documents") -> Contents:
        """Return the corpus of all documents, with what should be known of them."""
        if not self.builder.n_documents:
            raise CorpusError(f"there are no {expected}")
        corpus = Corpus.build(self.builder)
        if self.builder.is_hierarchical:
            corpus = with_all_ranks(corpus)
        if self._seconds:
            taken = [self._seconds.get((document, coder)) for document, coder, _ in corpus]
            corpus = corpus.with_details({"seconds": taken})
        notices = []
        if self._labels and not self._n_chosen:
            labels = listed([label for label, _ in self._labels.most_common(6)])
            notices.append(
                f"none of its {counted(self._labels.total(), 'label')} was asked for: there are {labels}"
            )
        if self._n_uncoded:
            has = "has" if self._n_uncoded == 1 else "have"
            notices.append(f"{counted(self._n_uncoded, *self.nouns)} {has} no span: not coded")
        if self._n_quotes_differ:
            notices.append(
                f"the quoted text of {counted(self._n_quotes_differ, 'span')} differs from the document's "
                f"({self._first_quote}); the offsets count, in code points"
            )
        left_out = [f"{kind} ({n:,})" for kind, n in sorted(self.left_out.items()) if n]
        last = [f"what is no span was left out: {', '.join(left_out)}"] if left_out else []
        return Contents(corpus, [*notices, *self.notices, *last])


def _joined(text: str, parts: Sequence[Span]) -> str:
    return " ".join(text[start:end] for start, end in parts)


def read_documents(source: Source, documents: Iterable[Document], notices: Sequence[str] = ()) -> Contents:
    """Return the corpus of these documents, and what else should be known of the file."""
    file = Documents(source, notices=list(notices))
    for document in documents:
        file.add(document)
    return file.contents()


def read_records(
    source: Source, records: Iterable[Record[T]], document_of: Callable[[Record[T]], Document], expected: str
) -> Contents:
    """Return the corpus of a file whose records are a document each; there must be what is expected."""
    documents = Documents(source)
    for record in records:
        with within(record.where):
            documents.add(document_of(record))
    return documents.contents(expected)


def read_passages(
    source: Source,
    passages: Iterable[Passage],
    start: str,
    fix: str = "name the text with text_of=",
    coder: str | None = None,
) -> Contents:
    """Return the corpus of one coder (the file, if none is given), whose segments are these passages.

    Each must have a ``start``, which the file calls so; ``fix`` is for files without.
    """
    chunks: dict[str, list[Chunk]] = {}
    for passage in passages:
        if passage.start is None or passage.start < 0:
            value = "missing" if passage.start is None else passage.start
            raise CorpusError(f"{passage.where}: {start} is {value}; {fix}")
        chunk = Chunk(passage.start, passage.text or "", passage.where)
        name = source.name if passage.document is None else passage.document
        chunks.setdefault(name, []).append(chunk)
    documents = Documents(source)
    for name, own in chunks.items():
        own.sort(key=lambda chunk: (chunk.start, chunk.end))
        with within(f"document {name}"):
            units = units_of_chunks(own)
        segments = Segments([(chunk.start, chunk.end) for chunk in own])
        documents.add(Document(name, {coder or source.name: segments}, units=units))
    return documents.contents("chunks")
