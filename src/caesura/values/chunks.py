"""Chunks: the parts into which a retrieval system cuts texts, as columns; they may overlap and leave gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError, did_you_mean, unknown
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.string_search import find_in_order
from caesura.values.units import Rule, Units
from caesura.wording import counted, short

Texts: TypeAlias = Corpus | Mapping[str, str]  # the running texts of documents: by name, or those of a corpus


def running_texts(texts: Texts) -> dict[str, str]:
    """Return the running text of each document; that of a corpus must be known.

    >>> running_texts({"d": "One two."})
    {'d': 'One two.'}
    """
    if not isinstance(texts, (Corpus, Mapping)):
        raise CorpusError(f"texts is {short(texts)}: expected a corpus, or texts by document")
    own: dict[str, Any] = dict(texts) if isinstance(texts, Mapping) else {}
    if isinstance(texts, Corpus):
        spans, units = texts.spans, texts.units
        for document in texts.documents:
            text = spans[document].text if document in spans else None
            if text is None and document in units:
                text = Units.joined(units[document]).text
            own[document] = text
    for document, text in own.items():
        if not isinstance(text, str) or not text:
            fault = "its running text is not known" if text is None else f"its text is {short(text)}"
            raise CorpusError(f"document {short_name(str(document))}: {fault}; chunks are parts of a text")
    if not own:
        raise CorpusError("there is no text: chunks are parts of texts")
    return own


@dataclass(frozen=True, repr=False, eq=False)
class Chunks:
    """Half-open spans of characters of texts, in order of start, numbered from 0 within their document.

    >>> chunks = Chunks.from_strings({"d": ["One two. ", "two. Three."]}, {"d": "One two. Three."})
    >>> chunks
    <Chunks: 2 of 1 document>
    >>> chunks["d"]
    ((0, 9), (4, 15))
    >>> chunks.corpus(units="word", overlap="start", name="mine")["d", "mine"].masses
    (1, 2)
    """

    texts: Mapping[str, str]
    """The documents' texts; each has chunks."""
    offsets: IntArray
    """Where the chunks of each document begin among all, and the end of all."""
    starts: IntArray
    ends: IntArray
    is_sorted: bool = True
    """Whether they were given in order of start, so that their numbers are those that the caller knows."""

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_spans(cls, spans: Mapping[str, Iterable[Sequence[int]]], texts: Texts) -> Chunks:
        """Read pairs (start, end) of characters, half-open; they are put in order of start.

        >>> Chunks.from_spans({"d": [(0, 3), (2, 8)]}, {"d": "One two."}).strings("d")
        ('One', 'e two.')
        """
        known, columns = running_texts(texts), []
        for document, own in spans.items():
            text = _text_of(document, known)
            pairs = list(own)
            try:
                table = np.array(pairs).reshape(len(pairs), 2)
                is_whole = table.dtype.kind in "iu" or bool((table == table.astype(np.int64)).all())
            except (TypeError, ValueError, OverflowError):
                is_whole, table = False, np.empty((0, 2))
            if not is_whole:
                number = next((i for i, pair in enumerate(pairs) if not _is_pair(pair)), 0)
                raise _fault(document, number, f"it is {short(pairs[number])}: expected (start, end)")
            columns.append((document, text, table.astype(np.int64)))
        return cls._of(columns)

    @classmethod
    def from_strings(cls, strings: Mapping[str, Iterable[str]], texts: Texts) -> Chunks:
        """Find strings in their document's text, in order: each at or after the start of the one before it.

        Each is looked for as it is, then with runs of white space as one space and in the Unicode form NFC.
        Of several hits the one nearest to the end of the string before it counts, at a tie the earlier.
        """
        known, columns = running_texts(texts), []
        for document, own in strings.items():
            text = _text_of(document, known)
            if isinstance(own, str):
                raise CorpusError(f"document {short_name(document)}: its chunks are text: expected a list")
            chunks = list(own)
            for number, chunk in enumerate(chunks):
                if not isinstance(chunk, str) or not chunk:
                    raise _fault(document, number, f"it is {short(chunk)}: expected text")
            spans = []
            for number, span in enumerate(find_in_order(chunks, text)):
                if span is None:
                    after = f" at or after the start of chunk {number - 1}" if number else ""
                    raise _fault(
                        document,
                        number,
                        f"{short(chunks[number])} is not in the text{after}, white space aside; where a "
                        "model has changed the text, cs.align_text says what became of its parts",
                    )
                spans.append(span)
            columns.append((document, text, np.array(spans, dtype=np.int64).reshape(len(spans), 2)))
        return cls._of(columns)

    @classmethod
    def _of(cls, columns: Sequence[tuple[str, str, IntArray]]) -> Chunks:
        """Check the spans of each document and put them in order."""
        if not columns:
            raise CorpusError("there are no chunks")
        tables, is_sorted = [], True
        for document, text, spans in columns:
            if not len(spans):
                raise CorpusError(f"document {short_name(document)}: there are no chunks of it")
            wrong = (spans[:, 0] < 0) | (spans[:, 1] <= spans[:, 0]) | (spans[:, 1] > len(text))
            if wrong.any():
                number = int(np.argmax(wrong))
                start, end = spans[number].tolist()
                raise _fault(
                    document,
                    number,
                    f"({start}, {end}) is no part of a text of {len(text):,} characters; offsets count code "
                    "points (not bytes, and not the halves of UTF-16)",
                )
            order = np.lexsort((spans[:, 1], spans[:, 0]))
            is_sorted = is_sorted and bool((np.diff(spans[:, 0]) >= 0).all())
            tables.append(spans if bool((np.diff(spans[:, 0]) >= 0).all()) else spans[order])
        both = np.concatenate(tables)
        offsets = np.cumsum([0, *map(len, tables)])
        texts = {document: text for document, text, _ in columns}
        return cls(texts, offsets, both[:, 0].copy(), both[:, 1].copy(), is_sorted)

    # ---------------------------------------------------------------- what they are

    @property
    def documents(self) -> tuple[str, ...]:
        """The names of the documents."""
        return tuple(self.texts)

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        return f"<Chunks: {len(self):,} of {counted(len(self.texts), 'document')}>"

    def __getitem__(self, document: str) -> tuple[tuple[int, int], ...]:
        """Return the spans of a document."""
        starts, ends = self.columns(document)
        return tuple(zip(starts.tolist(), ends.tolist(), strict=True))

    def columns(self, document: str) -> tuple[IntArray, IntArray]:
        """Return where the chunks of a document start and end."""
        if document not in self.texts:
            raise unknown("document", document, self.texts)
        number = self.documents.index(document)
        own = slice(*self.offsets[number : number + 2].tolist())
        return self.starts[own], self.ends[own]

    def strings(self, document: str) -> tuple[str, ...]:
        """Return the texts of a document's chunks."""
        return tuple(self.texts[document][start:end] for start, end in self[document])

    def corpus(
        self,
        units: str | Units | Mapping[str, Units] | Corpus = "sentence",
        *,
        overlap: Overlap = "middle",
        gaps: Gaps = "error",
        rule: Rule = "nearest",
        name: str = "chunks",
    ) -> Corpus:
        """Return the segmentation whose boundaries are the cuts between chunks, put on units of the texts.

        Parameters
        ----------
        units
            What the texts are divided by ("sentence", "word", "paragraph", "line", "character"), the units of
            the only document or of each, or a corpus whose units are meant, such as gold.
        overlap, gaps
            Where between two chunks that overlap the boundary is, and what text is that no chunk holds, as in
            ``Units.divide``.
        rule
            Where a cut inside a unit goes. What moves is said in a warning and in ``metadata["moves"]``.
        name
            Of the coder.
        """
        characters = {doc: Units.from_text(text, by="character") for doc, text in self.texts.items()}
        codings = {}
        for document, own in characters.items():
            try:
                cuts = boundaries_of_segments(*self.columns(document), own, overlap=overlap, gaps=gaps)
            except ValueError as error:
                raise CorpusError(f"document {short_name(document)}: {error}") from None
            codings[document] = {name: own.place(cuts).segmentation}
        if isinstance(units, Units):
            if len(characters) > 1:
                raise CorpusError(f"there are {len(characters)} documents: give the units of each by name")
            units = dict.fromkeys(characters, units)
        corpus = Corpus.from_dict(codings).with_spans(characters)
        return corpus if units == "character" else corpus.onto(units, rule)


def _text_of(document: str, texts: Mapping[str, str]) -> str:
    if document not in texts:
        hint = did_you_mean(str(document), texts)
        raise CorpusError(f"document {short_name(str(document))}: there is no text of it; {hint}")
    return texts[document]


def _is_pair(pair: object) -> bool:
    sides = list(pair) if isinstance(pair, Iterable) and not isinstance(pair, str) else []
    return len(sides) == 2 and all(isinstance(side, (int, np.integer)) for side in sides)


def _fault(document: str, number: int, fault: str) -> CorpusError:
    return CorpusError(f"document {short_name(document)}: chunk {number}: {fault}")
