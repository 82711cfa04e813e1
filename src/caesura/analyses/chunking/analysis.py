"""evaluate_chunks(): chunkings of the same texts, by evidence, blocks, sizes and vectors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from caesura.analyses.chunking.judging import judged
from caesura.analyses.chunking.results import DECIDING, OF_QUESTIONS, ChunkEvaluation, Chunking
from caesura.analyses.chunking.spans import Axis, Tokenizer
from caesura.analyses.chunking.with_questions import (
    Ranking,
    given_chunks,
    values_of_questions,
)
from caesura.analyses.chunking.without_questions import (
    Size,
    cosines_of,
    measure_of,
    quotients_of,
    sizes_of,
)
from caesura.checks import (
    EVALUATION_RESAMPLES,
    Seed,
    as_generator,
    check_choice,
    check_resamples,
    known_seed,
)
from caesura.errors import CorpusError, ParameterError
from caesura.results.notes import seed_part
from caesura.segmenters.similarities import Vectors, check_vectors
from caesura.values.chunks import Chunks, Texts, questions_of, running_texts
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.wording import short

NEEDS = {
    **dict.fromkeys(OF_QUESTIONS[:2], "questions"),
    **dict.fromkeys(OF_QUESTIONS[2:], "ranking"),
    "size_compliance": "limits",
    "block_integrity": "blocks",
    "covering": "blocks",
    "cohesion": "vectors",
    "coherence": "vectors",
}
"""What a metric that decides has to be given."""

TOOLS = ("chroma",)
"""Whose public code gives Precision_Ω otherwise."""


def evaluate_chunks(
    texts: Texts,
    chunkings: Mapping[str, Chunks],
    *,
    questions: str | os.PathLike[str] | Iterable[Any] | None = None,
    ranking: Ranking | None = None,
    budget: float | None = None,
    limits: tuple[float, float] | None = None,
    blocks: Chunks | Corpus | Mapping[str, Iterable[Sequence[int]]] | None = None,
    tolerance: int = 0,
    vectors: Vectors | None = None,
    tokenizer: Tokenizer | None = None,
    size: Size = "characters",
    metric: str | None = None,
    as_in: str | None = None,
    n_resamples: int = EVALUATION_RESAMPLES,
    rng: Seed = None,
) -> ChunkEvaluation:
    """Compare chunkings of the same texts, for retrieval.

    Parameters
    ----------
    texts
        The running texts, by document, or a corpus with texts.
    chunkings
        ``Chunks`` by name; each has chunks of all the texts.
    questions
        Questions with the evidence that answers them: a file (Chroma's CSV, or JSON), or a list of
        ``{"question": ..., "document": ..., "evidence": [{"start": ..., "end": ...}]}``.
    ranking
        The chunks that a retriever gives for each question, best first, by the name of the chunking. Numbers
        count a document's chunks from 0; of several documents they are pairs (document, number).
    budget
        Only so many of them are given as fit into these tokens, without a tokenizer characters.
    limits
        The least and the greatest size of a chunk that complies.
    blocks, tolerance
        Spans that should stay whole, such as sections or tables; a cut within so many characters of a block's
        end is none.
    vectors
        A function from texts to rows of numbers, or the name of a vectorizer ("wordllama").
    tokenizer
        A function from a text to its tokens' spans (start, end): amounts are then in tokens, not characters.
    size
        What sizes and limits are in: "characters", "words", or a function of a chunk's text.
    metric
        What decides, for the test and the probability of being best: a metric of questions (with questions
        "precision_omega", if not given), or coverage, block_integrity, size_compliance, covering, cohesion or
        coherence, over documents.
    as_in
        "chroma": Precision_Ω as the public code of chunking_evaluation has it, which counts chunks that only
        touch the evidence.

    >>> text = "The rain fell. The sun shone. The snow lay."
    >>> chunkings = {"fine": [(0, 15), (15, 30), (30, 43)], "coarse": [(0, 43)]}
    >>> chunks = {name: Chunks.from_spans({"d": own}, {"d": text}) for name, own in chunkings.items()}
    >>> question = {"question": "What shone?", "evidence": [{"text": "The sun shone."}]}
    >>> result = evaluate_chunks({"d": text}, chunks, questions=[question], rng=0)
    >>> round(result["fine"].precision_omega, 3), round(result["coarse"].precision_omega, 3)
    (0.933, 0.326)
    """
    known = running_texts(texts)
    _check_chunkings(chunkings, known)
    check_resamples("n_resamples", n_resamples)
    if metric is None and questions is not None:
        metric = OF_QUESTIONS[0]
    if metric is not None:
        check_choice("metric", metric, DECIDING)
    needed = NEEDS.get(metric or "", "")
    given = {"questions": questions, "ranking": ranking, "limits": limits, "blocks": blocks}
    if needed and (given | {"vectors": vectors})[needed] is None:
        raise ParameterError(f"metric is {metric!r}, which needs {needed}")
    if as_in is not None:
        check_choice("as_in", as_in, TOOLS)
    axis = Axis.of(known, tokenizer)
    placed = {name: axis.chunks(chunks) for name, chunks in chunkings.items()}
    generator = as_generator(rng)
    of_size = measure_of(size)
    rows, tables = {}, {}
    for name, chunks in chunkings.items():
        sizes = {doc: np.array([of_size(text) for text in chunks.strings(doc)], dtype=float) for doc in known}
        tables[name] = quotients_of(axis, placed[name], sizes, limits, blocks, tolerance)
        n_single = None
        if vectors is not None:
            encoder = check_vectors("vectors", vectors) or vectors
            cosines, n_single = cosines_of(chunks, known, encoder)
            tables[name] |= cosines
        rows[name] = Chunking(name=name, sizes=sizes_of(sizes), n_single_sentences=n_single)
    settings = _settings(size, tokenizer, budget, limits, as_in, n_resamples, rng)
    evaluation = ChunkEvaluation(rows, tuple(known), metric, None, settings=settings)
    evaluation = judged(evaluation, tables, n_resamples, generator)
    if questions is None:
        lacking = [key for key, value in (("ranking", ranking), ("as_in", as_in)) if value is not None]
        if lacking:
            raise ParameterError(f"{lacking[0]} needs questions, which it is about")
        if budget is not None:
            raise ParameterError("budget needs questions and a ranking, of which it takes the first chunks")
        return evaluation
    asked = questions_of(_records(questions), known)
    ranked = given_chunks(asked, chunkings, axis, placed, ranking, budget)
    tables = {
        name: values_of_questions(axis, asked, own, ranked.get(name), touch=as_in == "chroma")
        for name, own in placed.items()
    }
    _, documents = np.unique([question.document for question in asked], return_inverse=True)
    return replace(
        judged(evaluation, tables, n_resamples, generator, documents),
        questions=tuple(question.text for question in asked),
        by_question={name: {key: own[:, 0] for key, own in table.items()} for name, table in tables.items()},
    )


def _records(questions: Any) -> Iterable[Any]:
    if isinstance(questions, (str, os.PathLike)):
        from caesura.io.tables.questions import read_questions

        return read_questions(questions)
    if not isinstance(questions, Iterable):
        raise ParameterError(f"questions is {short(questions)}: expected a file, or a list of questions")
    return questions


def _check_chunkings(chunkings: Mapping[str, Chunks], texts: Mapping[str, str]) -> None:
    """Refuse chunkings that do not cover all these texts."""
    if not isinstance(chunkings, Mapping) or not chunkings:
        raise ParameterError("chunkings: expected Chunks by name")
    for name, chunks in chunkings.items():
        if not isinstance(chunks, Chunks):
            raise ParameterError(f"chunking {name} is {short(chunks)}: expected Chunks")
        for document, text in texts.items():
            if document not in chunks.texts:
                raise CorpusError(f"chunking {name} has no chunks of document {short_name(document)}")
            if chunks.texts[document] != text:
                raise CorpusError(f"chunking {name} is of another text of document {short_name(document)}")


def _settings(
    size: Size, tokenizer: object, budget: float | None, limits: object, as_in: str | None, n: int, rng: Seed
) -> tuple[str, ...]:
    """Return what the signature says."""
    named = {
        "size": getattr(size, "__name__", size),
        "amounts": "characters" if tokenizer is None else getattr(tokenizer, "__name__", "tokens"),
        "budget": None if budget is None else f"{budget:g}",
        "limits": None if limits is None else "–".join(f"{limit:g}" for limit in limits),  # type: ignore[attr-defined]
        "as_in": as_in,
    }
    own = [f"{key}={value}" for key, value in named.items() if value is not None]
    return (*own, f"resamples={n}{seed_part(known_seed(rng))}")
