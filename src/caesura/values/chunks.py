"""Chunks: the parts into which a retrieval system splits texts, as columns; they may overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError, did_you_mean, unknown
from caesura.values.corpus import Corpus
from caesura.values.forms import as_list, short_name, whole_numbers
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.string_search import find_in_order
from caesura.values.units import Rule, Units
from caesura.wording import counted, short

Texts: TypeAlias = Corpus | Mapping[str, str]  # the running texts of documents: by name, or those of a corpus


def running_texts(texts: Texts) -> dict[str, str]:
    """Return the running text of each document; a corpus must contain texts.

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
            fault = "no running text is stored" if text is None else f"its text is {short(text)}"
            raise CorpusError(f"document {short_name(str(document))}: {fault}; chunks are parts of a text")
    if not own:
        raise CorpusError("no texts given; chunks are parts of texts")
    return own


@dataclass(frozen=True, repr=False, eq=False)
class Chunks:
    """Half-open spans of characters of texts, by start, numbered from 0 within their document.

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
    """Whether they were given by start, so that their numbers are the caller's."""

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_spans(cls, spans: Mapping[str, Iterable[Sequence[int]]], texts: Texts) -> Chunks:
        """Read pairs (start, end) of characters, half-open; sort them by start.

        >>> Chunks.from_spans({"d": [(0, 3), (2, 8)]}, {"d": "One two."}).strings("d")
        ('One', 'e two.')
        """
        known, columns = running_texts(texts), []
        for document, own in spans.items():
            text = _text_of(document, known)
            pairs = list(own)
            sides = [_sides(pair) for pair in pairs]
            if [] in sides:
                number = sides.index([])
                raise _fault(document, number, f"it is {short(pairs[number])}: expected (start, end)")
            columns.append((document, text, np.array(sides, dtype=np.int64).reshape(len(sides), 2)))
        return cls._of(columns)

    @classmethod
    def from_strings(cls, strings: Mapping[str, Iterable[str]], texts: Texts) -> Chunks:
        """Find strings in their document's text, in order: each at or after the start of the previous one.

        Each is searched as it is, then with runs of white space as one space and in the Unicode form NFC. Of
        several hits, the one nearest to the end of the previous string counts; at a tie the earlier.
        """
        known, columns = running_texts(texts), []
        for document, own in strings.items():
            text = _text_of(document, known)
            if isinstance(own, str):
                raise CorpusError(f"document {short_name(document)}: its chunks are a string; give a list")
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
                        f"{short(chunks[number])} is not in the text{after}, white space aside; if a model "
                        "changed the text, align both with cs.align_text",
                    )
                spans.append(span)
            columns.append((document, text, np.array(spans, dtype=np.int64).reshape(len(spans), 2)))
        return cls._of(columns)

    @classmethod
    def _of(cls, columns: Sequence[tuple[str, str, IntArray]]) -> Chunks:
        """Check the spans of each document and sort them."""
        if not columns:
            raise CorpusError("no chunks given")
        tables, is_sorted = [], True
        for document, text, spans in columns:
            if not len(spans):
                raise CorpusError(f"document {short_name(document)}: it has no chunks")
            wrong = (spans[:, 0] < 0) | (spans[:, 1] <= spans[:, 0]) | (spans[:, 1] > len(text))
            if wrong.any():
                number = int(np.argmax(wrong))
                start, end = spans[number].tolist()
                raise _fault(
                    document,
                    number,
                    f"({start}, {end}) is not a span of a text of {len(text):,} characters; offsets count "
                    "code points, not bytes or UTF-16 units",
                )
            if (np.diff(spans[:, 0]) < 0).any():
                is_sorted, spans = False, spans[np.lexsort((spans[:, 1], spans[:, 0]))]
            tables.append(spans)
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
        """Return the segmentation with boundaries between chunks, on units of the texts.

        Parameters
        ----------
        units
            What to split the texts by ("sentence", "word", "paragraph", "line", "character"), the units of
            the only document or of each, or a corpus with these units, such as a gold standard.
        overlap, gaps
            Where the boundary between overlapping chunks is, and what text outside chunks becomes, as in
            ``Units.divide``.
        rule
            Where a boundary inside a unit moves. A warning and ``metadata["moves"]`` say what moved.
        name
            The name of the coder.
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
                raise CorpusError(
                    f"units of one document for {len(characters)}; give the units of each by name"
                )
            units = dict.fromkeys(characters, units)
        corpus = Corpus.from_dict(codings).with_spans(characters)
        return corpus if units == "character" else corpus.onto(units, rule)


def _text_of(document: str, texts: Mapping[str, str]) -> str:
    if document not in texts:
        hint = did_you_mean(str(document), texts)
        raise CorpusError(f"document {short_name(str(document))}: it has no text; {hint}")
    return texts[document]


def _sides(pair: Any) -> list[int]:
    """Return the two whole numbers of a pair, or nothing if it is not one."""
    try:
        sides = whole_numbers(as_list(pair, "span"), "span")
    except SegmentationError:
        return []
    return sides if len(sides) == 2 and max(map(abs, sides)) <= MAX_NUMBER else []


def _fault(document: str, number: int, fault: str) -> CorpusError:
    return CorpusError(f"document {short_name(document)}: chunk {number}: {fault}")
