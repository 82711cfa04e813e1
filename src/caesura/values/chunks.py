"""Chunks: the spans into which a retrieval system splits texts; questions and the spans that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError, did_you_mean, unknown, within
from caesura.values.common_units import text_units
from caesura.values.corpus import Corpus
from caesura.values.forms import as_list, short_name, whole_numbers
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.string_search import find_in_order
from caesura.values.units import Rule, Units
from caesura.wording import counted, short, shortened

Texts: TypeAlias = Corpus | Mapping[str, str]  # the running texts by document, or a corpus with texts


def running_texts(texts: Texts) -> dict[str, str]:
    """Return the running text of each document; a corpus must contain texts.

    >>> running_texts({"d": "One two."})
    {'d': 'One two.'}
    """
    own: dict[str, Any]
    if isinstance(texts, Corpus):
        own = {document: getattr(text_units(texts, document), "text", None) for document in texts.documents}
    elif isinstance(texts, Mapping):
        own = dict(texts)
    else:
        raise CorpusError(f"texts is {short(texts)}: expected a corpus, or texts by document")
    for document, text in own.items():
        if not isinstance(text, str) or not text:
            fault = "no running text is stored" if text is None else f"its text is {short(text)}"
            raise CorpusError(f"document {short_name(str(document))}: {fault}; chunks are parts of a text")
    if not own:
        raise CorpusError("no texts given; chunks are parts of texts")
    return own


def segment_spans(corpus: Corpus) -> dict[str, list[tuple[int, int]]]:
    """Return the segments of each document, which has one coder, as spans of characters.

    >>> corpus = Corpus.from_dict({"d": {"ann": [1, 1]}})
    >>> segment_spans(corpus.with_spans({"d": Units.from_text("One two.", by="word")}))
    {'d': [(0, 4), (4, 8)]}
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    for document, coder, segmentation in corpus:
        units = corpus.spans.get(document)
        if units is None or units.axis != "characters":
            raise CorpusError(f"document {short_name(document)}: its segments have no offsets in a text")
        if document in spans:
            raise CorpusError(f"document {short_name(document)}: {coder} is a second coder; select one")
        spans[document] = [*pairwise(map(int, [units.origin, *units.offsets(segmentation), units.end]))]
    return spans


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
    """Where each document's chunks begin among all chunks, and the number of all."""
    starts: IntArray
    ends: IntArray
    is_sorted: bool = True
    """Whether the chunks were given by start, so that the caller's numbers hold."""

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_spans(cls, spans: Mapping[str, Iterable[Sequence[int]]], texts: Texts) -> Chunks:
        """Read pairs (start, end) of characters, half-open, and sort them by start.

        >>> Chunks.from_spans({"d": [(0, 3), (2, 8)]}, {"d": "One two."}).strings("d")
        ('One', 'e two.')
        """
        known, sides = running_texts(texts), dict[str, list[list[int]]]()
        for document, own in spans.items():
            sides[document] = []
            for number, pair in enumerate(own):
                if not (edges := _sides(pair)):
                    raise _fault(document, number, f"it is {short(pair)}: expected (start, end)")
                sides[document].append(edges)
        return cls._of(sides, known)

    @classmethod
    def from_strings(cls, strings: Mapping[str, Iterable[str]], texts: Texts) -> Chunks:
        """Find strings in their document's text, in order: each at or after the start of the previous string.

        The search is exact first, then with runs of white space as one space and in Unicode form NFC. Of
        several hits, the hit nearest to the end of the previous string counts; at a tie the earlier.
        """
        known, spans = running_texts(texts), dict[str, list[tuple[int, int]]]()
        for document, own in strings.items():
            if isinstance(own, str):
                raise CorpusError(f"document {short_name(document)}: its chunks are a string; give a list")
            chunks, spans[document] = list(own), []
            for number, chunk in enumerate(chunks):
                if not isinstance(chunk, str) or not chunk:
                    raise _fault(document, number, f"it is {short(chunk)}: expected text")
            for number, span in enumerate(find_in_order(chunks, _text_of(document, known))):
                if span is None:
                    after = f" at or after the start of chunk {number - 1}" if number else ""
                    fault = f"{short(chunks[number])} is not in the text{after}, white space aside"
                    raise _fault(document, number, f"{fault}; align a changed text with cs.align_text")
                spans[document].append(span)
        return cls._of(spans, known)

    @classmethod
    def _of(cls, own: Mapping[str, Sequence[Sequence[int]]], known: Mapping[str, str]) -> Chunks:
        """Check the spans of each document and sort them."""
        if not own:
            raise CorpusError("no chunks given")
        texts = {document: _text_of(document, known) for document in own}
        tables, is_sorted = [], True
        for document, text in texts.items():
            if not len(own[document]):
                raise CorpusError(f"document {short_name(document)}: it has no chunks")
            spans = np.array(own[document], dtype=np.int64)
            starts, ends = spans.T
            wrong = (starts < 0) | (ends <= starts) | (ends > len(text))
            if wrong.any():
                number = int(wrong.argmax())
                span = f"({starts[number]}, {ends[number]})"
                fault = f"{span} is not a span of a text of {len(text):,} characters"
                raise _fault(document, number, f"{fault}; offsets count code points, not bytes")
            if (np.diff(starts) < 0).any():
                is_sorted, spans = False, spans[np.lexsort((ends, starts))]
            tables.append(spans)
        starts, ends = np.concatenate(tables).T.copy()
        return cls(texts, np.cumsum([0, *map(len, tables)]), starts, ends, is_sorted)

    # ---------------------------------------------------------------- properties

    @property
    def documents(self) -> tuple[str, ...]:
        """The names of the documents."""
        return tuple(self.texts)

    @cached_property
    def _rows(self) -> dict[str, slice]:
        return {doc: slice(*rows) for doc, rows in zip(self.texts, pairwise(self.offsets), strict=True)}

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
        own = self._rows[document]
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
            with within(f"document {short_name(document)}"):
                cuts = boundaries_of_segments(*self.columns(document), own, overlap=overlap, gaps=gaps)
            codings[document] = {name: own.place(cuts).segmentation}
        if isinstance(units, Units):
            if len(characters) > 1:
                raise CorpusError(f"units of one document for {len(characters)}; give units by name")
            units = dict.fromkeys(characters, units)
        corpus = Corpus.from_dict(codings).with_spans(characters)
        return corpus if units == "character" else corpus.onto(units, rule)


def _text_of(document: str, texts: Mapping[str, str]) -> str:
    if document not in texts:
        hint = did_you_mean(str(document), texts)
        raise CorpusError(f"document {short_name(str(document))}: it has no text; {hint}")
    return texts[document]


def _sides(pair: Any) -> list[int]:
    """Return the two whole numbers of a pair, or an empty list for anything else."""
    try:
        sides = whole_numbers(as_list(pair, "span"), "span")
    except SegmentationError:
        return []
    return sides if len(sides) == 2 and max(map(abs, sides)) <= MAX_NUMBER else []


def _fault(document: str, number: int, fault: str) -> CorpusError:
    return CorpusError(f"document {short_name(document)}: chunk {number}: {fault}")


DOCUMENT, START, END = ("document", "corpus_id"), ("start", "start_index"), ("end", "end_index")
CONTENT, EVIDENCE = ("text", "content"), ("evidence", "references")
"""Keys of questions, here and in Chroma's files."""

Span: TypeAlias = tuple[str, int, int]


@dataclass(frozen=True)
class Question:
    """A question, and the spans of characters (document, start, end) that answer it."""

    text: str
    evidence: tuple[Span, ...]

    @property
    def document(self) -> str:
        """The document of its first evidence, with which it is resampled."""
        return self.evidence[0][0]


def questions_of(given: Iterable[Any], texts: Mapping[str, str]) -> list[Question]:
    """Read questions: ``Question`` or mappings with question, evidence and, of several texts, document.

    Evidence is a list of pairs (start, end), of ``{"start": ..., "end": ...}``, or of ``{"text": ...}`` that
    occurs in the document once. ``text`` may accompany offsets, and ``document`` override the question's.

    >>> questions_of([{"question": "What fell?", "evidence": [{"text": "rain"}]}], {"d": "The rain fell."})
    [Question(text='What fell?', evidence=(('d', 4, 8),))]
    """
    questions = []
    for number, value in enumerate(given):
        if isinstance(value, Question):
            value = {"question": value.text, "evidence": value.evidence}
        text, spans = _entry(value, ("question",)), _entry(value, EVIDENCE)
        is_asked = isinstance(text, str) and bool(text.strip())
        with within(f"question {number}{f' ({shortened(text)})' if is_asked else ''}"):
            if not isinstance(spans, (list, tuple)) or not spans:
                raise CorpusError("it has no evidence: expected a list of {start, end}, in characters")
            evidence = [_checked(span, texts, value) for span in spans]
            if not is_asked:
                raise CorpusError("it has no text; expected an object with question and evidence")
        questions.append(Question(text, tuple(evidence)))
    if not questions:
        raise CorpusError("no questions given")
    return questions


def _entry(value: Any, names: tuple[str, ...]) -> Any:
    """Return the value of the first of these keys that a mapping has."""
    own = value if isinstance(value, Mapping) else {}
    return next((own[name] for name in names if own.get(name) is not None), None)


def _checked(value: Any, texts: Mapping[str, str], question: Mapping[str, Any]) -> Span:
    """Return the span of a piece of evidence; raise CorpusError for a wrong one."""
    if isinstance(value, (list, tuple)) and len(value) in (2, 3):
        value = dict(zip(("document", "start", "end")[-len(value) :], value, strict=True))
    document, content, start, end = (_entry(value, names) for names in (DOCUMENT, CONTENT, START, END))
    if document is None and (document := _entry(question, DOCUMENT)) is None and len(texts) == 1:
        (document,) = texts
    if document not in texts:
        hint = did_you_mean(str(document), texts)
        raise CorpusError(f"its evidence is in document {short(document)}, which has no text; {hint}")
    text = texts[document]
    if start is None and end is None and isinstance(content, str) and content:
        start = text.find(content)
        if start < 0 or text.find(content, start + 1) >= 0:
            n_times = "not" if start < 0 else "more than once"
            raise CorpusError(f"its evidence {short(content)} is {n_times} in the text; give start and end")
        return document, start, start + len(content)
    if not (sides := _sides((start, end))):
        raise CorpusError(f"its evidence is {short(value)}: expected start and end in characters")
    start, end = sides
    if start == end:
        raise CorpusError(f"its evidence is empty: it starts and ends at {start}")
    if not 0 <= start < end <= len(text):
        own = f"its evidence is not in the text: from {start} to {end}"
        raise CorpusError(f"{own}, and the text has {len(text):,} characters")
    if isinstance(content, str) and text[start:end] != content:
        own = f"its evidence {short(content)} is not in the text there"
        raise CorpusError(f"{own}: {start} to {end} is {short(text[start:end])}")
    return document, start, end
