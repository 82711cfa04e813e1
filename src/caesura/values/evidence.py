"""Evidence: the characters of texts that answer a question, checked against the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from caesura.errors import CorpusError, did_you_mean
from caesura.wording import short, shortened

DOCUMENT, START, END = ("document", "corpus_id"), ("start", "start_index"), ("end", "end_index")
CONTENT, EVIDENCE = ("text", "content"), ("evidence", "references")
"""The names of entries here, and in Chroma's files."""

Span: TypeAlias = tuple[str, int, int]


@dataclass(frozen=True)
class Question:
    """A question, and the spans of characters (document, start, end) that answer it."""

    text: str
    evidence: tuple[Span, ...]

    @property
    def document(self) -> str:
        """The document with which it is resampled: that of its first evidence."""
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
        text = value.text if isinstance(value, Question) else _entry(value, ("question",))
        try:
            evidence = (
                [_checked(span, texts, {}) for span in value.evidence]
                if isinstance(value, Question)
                else _evidence(value, texts)
            )
            if not isinstance(text, str) or not text.strip():
                raise CorpusError("it has no text; expected an object with question and evidence")
        except CorpusError as error:
            shown = f" ({shortened(text)})" if isinstance(text, str) and text.strip() else ""
            raise CorpusError(f"question {number}{shown}: {error}") from None
        questions.append(Question(text, tuple(evidence)))
    if not questions:
        raise CorpusError("no questions given")
    return questions


def _entry(value: Any, names: tuple[str, ...]) -> Any:
    """Return the value of the first of these names that a mapping has."""
    is_mapping = isinstance(value, Mapping)
    return next((value[name] for name in names if is_mapping and value.get(name) is not None), None)


def _evidence(value: Any, texts: Mapping[str, str]) -> list[Span]:
    spans = _entry(value, EVIDENCE)
    if not isinstance(spans, (list, tuple)) or not spans:
        raise CorpusError("it has no evidence: expected a list of {start, end}, half-open, in characters")
    return [_checked(span, texts, value) for span in spans]


def _checked(value: Any, texts: Mapping[str, str], question: Mapping[str, Any]) -> Span:
    """Return the span of a piece of evidence; refuse a wrong one."""
    document, content = _entry(value, DOCUMENT), _entry(value, CONTENT)
    start, end = _entry(value, START), _entry(value, END)
    if isinstance(value, (list, tuple)) and len(value) in (2, 3):
        *name, start, end = value
        document = name[0] if name else None
    document = document if document is not None else _entry(question, DOCUMENT)
    if document is None and len(texts) == 1:
        document = next(iter(texts))
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
    if not all(isinstance(side, (int, np.integer)) and not isinstance(side, bool) for side in (start, end)):
        raise CorpusError(f"its evidence is {short(value)}: expected start and end in characters")
    if start == end:
        raise CorpusError(f"its evidence is empty: it starts and ends at {start}")
    if not 0 <= start < end <= len(text):
        where = f"from {start} to {end}, and the text has {len(text):,} characters"
        raise CorpusError(f"its evidence is not in the text: {where}")
    if isinstance(content, str) and text[start:end] != content:
        stands = f"from {start} to {end} stands {short(text[start:end])}"
        raise CorpusError(f"its evidence {short(content)} is not in the text there: {stands}")
    return document, int(start), int(end)
