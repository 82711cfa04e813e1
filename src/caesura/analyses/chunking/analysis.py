"""evaluate_chunks(): chunkings of the same texts, compared by evidence, blocks, sizes and vectors."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura import checks
from caesura.analyses.chunking import measures
from caesura.analyses.chunking.measures import Axis, Ranking, Size, Tables, Tokenizer
from caesura.analyses.chunking.results import DECIDING, OF_QUESTIONS, VALUES, ChunkEvaluation, Chunking
from caesura.arrays import FloatArray, IntArray
from caesura.checks import CONFIDENCE, EVALUATION_RESAMPLES, Seed
from caesura.errors import CorpusError, ParameterError, naming
from caesura.pairs import sum_by
from caesura.results.notes import seed_part
from caesura.segmenters.similarities import Vectors, check_vectors
from caesura.stats import resampling
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.stats.intervals import expanded_levels
from caesura.values.chunks import Chunks, Question, Texts, questions_of, running_texts
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.wording import short

TOOLS = ("chroma",)
"""Tools whose public code computes Precision_Ω differently."""


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
        The chunks that a retriever returns for each question, best first, by the name of the chunking. Chunks
        of a document are numbered from 0; with several documents, give pairs (document, number).
    budget
        Use only the top-ranked chunks that fit into this many tokens, or characters without a tokenizer.
    limits
        The smallest and largest compliant size of a chunk.
    blocks, tolerance
        Spans that should stay whole, such as sections or tables; cuts within ``tolerance`` characters of a
        block's end are ignored.
    vectors
        A function from texts to rows of numbers, or the name of a vectorizer ("wordllama").
    tokenizer
        A function from a text to the spans (start, end) of its tokens; amounts are then in tokens.
    size
        The unit of sizes and limits: "characters", "words", or a function of a chunk's text.
    metric
        The metric that is tested and decides which chunking is best: a metric of questions (with questions
        "precision_omega" by default), or coverage, block_integrity, size_compliance, covering, cohesion or
        coherence, over documents.
    as_in
        "chroma": Precision_Ω as in the public code of chunking_evaluation, which counts chunks that only
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
    checks.check_resamples("n_resamples", n_resamples)
    if metric is None and questions is not None:
        metric = OF_QUESTIONS[0]
    given: dict[str, Any] = {"texts": texts, "questions": questions, "ranking": ranking, "as_in": as_in}
    given |= {"limits": limits, "blocks": blocks, "vectors": vectors, "budget": budget}
    if metric is not None:
        checks.check_choice("metric", metric, DECIDING)
        if given[VALUES[metric].needs] is None:
            raise ParameterError(f"metric is {metric!r}, which needs {VALUES[metric].needs}")
    for name, needed in (("ranking", "questions"), ("as_in", "questions"), ("budget", "ranking")):
        if given[name] is not None and given[needed] is None:
            raise ParameterError(f"{name} needs {needed}")
    if as_in is not None:
        checks.check_choice("as_in", as_in, TOOLS)
    if budget is not None:
        checks.check_number("budget", budget, exclusive=True)
    axis = Axis(known, tokenizer)
    placed = {name: axis.chunks(chunks) for name, chunks in chunkings.items()}
    generator = checks.as_generator(rng)
    size_of = measures.measure_of(size)
    rows: dict[str, dict[str, Any]] = {}
    tables = {}
    for name, chunks in chunkings.items():
        sizes = np.array([size_of(text) for doc in known for text in chunks.strings(doc)], dtype=float)
        rows[name] = {"name": name, "sizes": measures.sizes_of(sizes), "intervals": {}}
        tables[name] = measures.tables_of_texts(axis, placed[name], sizes, limits, blocks, tolerance)
        if vectors is not None:
            encoder = check_vectors("vectors", vectors) or vectors
            cosines, rows[name]["n_single_sentences"] = measures.cosines_of(axis, chunks, encoder)
            tables[name] |= cosines
    named = {
        "size": getattr(size, "__name__", size),
        "amounts": "characters" if tokenizer is None else getattr(tokenizer, "__name__", "tokens"),
        "budget": None if budget is None else f"{budget:g}",
        "limits": None if limits is None else "–".join(f"{limit:g}" for limit in limits),
        "as_in": as_in,
    }
    settings = [f"{name}={value}" for name, value in named.items() if value is not None]
    settings.append(f"resamples={n_resamples}{seed_part(checks.known_seed(rng))}")
    outcome = _valued(rows, tables, metric, n_resamples, generator)
    if questions is not None:
        about = _questions(questions, known)
        ranked: dict[str, list[IntArray]] = {}
        if ranking is not None:
            ranked = measures.given_chunks(len(about), chunkings, axis, ranking, budget)
        tables = {
            name: measures.tables_of_questions(axis, about, own, ranked.get(name), touch=as_in == "chroma")
            for name, own in placed.items()
        }
        _, document = np.unique([question.document for question in about], return_inverse=True)
        outcome |= _valued(rows, tables, metric, n_resamples, generator, document)
        outcome["questions"] = tuple(question.text for question in about)
        outcome["by_question"] = {
            name: {key: own[:, 0] for key, own in table.items()} for name, table in tables.items()
        }
    evaluated = {name: Chunking(**row) for name, row in rows.items()}
    return ChunkEvaluation(evaluated, tuple(known), metric, tuple(settings), **outcome)


def _questions(given: Any, texts: Mapping[str, str]) -> list[Question]:
    """Return the questions of a file or a list."""
    if isinstance(given, (str, os.PathLike)):
        from caesura.io.tables.questions import read_questions

        with naming(given):
            return questions_of(read_questions(given), texts)
    if not isinstance(given, Iterable):
        raise ParameterError(f"questions is {short(given)}: expected a file, or a list of questions")
    return questions_of(given, texts)


def _check_chunkings(chunkings: Mapping[str, Chunks], texts: Mapping[str, str]) -> None:
    """Refuse chunkings that do not cover all these texts."""
    if not isinstance(chunkings, Mapping) or not chunkings:
        raise ParameterError("chunkings: expected Chunks by name")
    for name, chunks in chunkings.items():
        if not isinstance(chunks, Chunks):
            raise ParameterError(f"chunking {name} is {short(chunks)}: expected Chunks")
        for document, text in texts.items():
            if chunks.texts.get(document) != text:
                fault = "is of another text of" if document in chunks.texts else "has no chunks of"
                raise CorpusError(f"chunking {name} {fault} document {short_name(document)}")


# -------------------------------------------------------------------- from sums to values


class Mean:
    """A finisher: a quotient of sums, such as the mean of values."""

    def fraction(self, counts: Any) -> tuple[Any, Any, Any]:
        return counts[0], counts[1], math.nan


def _valued(
    rows: Mapping[str, dict[str, Any]],
    tables: Mapping[str, Tables],
    metric: str | None,
    n_resamples: int,
    generator: np.random.Generator,
    document: IntArray | None = None,
) -> dict[str, Any]:
    """Add values and intervals to the rows; return what is resampled, and the test, if the metric is here.

    ``tables`` has a row for each document, or for each question; ``document`` is then the number of its
    document. Questions are resampled within documents; from ``FEW_DOCUMENTS`` documents on, documents are.
    """
    columns = [(name, key) for name, own in tables.items() for key in own]
    counts = np.stack([tables[name][key] for name, key in columns], axis=1)
    noun, stratum = "document", None
    if document is not None and (n_documents := int(document.max()) + 1) < FEW_DOCUMENTS:
        noun, stratum = "question", document
    elif document is not None:
        counts = sum_by(counts, document, n_documents)
    is_drawn = len(counts) > 1 and n_resamples > 0
    is_tested = len(counts) > 1 or noun == "question"
    resampled, levels = np.full((1, len(columns)), math.nan), (math.nan, math.nan)
    if is_drawn:
        resampled = _resampled(counts, stratum, n_resamples, generator)
        levels = expanded_levels(CONFIDENCE, len(counts))
    values = resampling.pooled(Mean(), counts.sum(axis=0)).tolist()
    for (name, key), value, drawn in zip(columns, values, resampled.T, strict=True):
        rows[name][key] = None if math.isnan(value) else value
        if is_tested:
            rows[name]["intervals"][key] = resampling.interval_of(value, drawn, levels)
    deciding = [column for column, (_, key) in enumerate(columns) if key == metric]
    names = [columns[column][0] for column in deciding]
    if deciding and is_drawn:
        is_best = resampled[:, deciding] == resampled[:, deciding].max(axis=1, keepdims=True)
        shares = is_best / np.maximum(is_best.sum(axis=1, keepdims=True), 1)  # ties are shared
        for name, share in zip(names, shares.mean(axis=0).tolist(), strict=True):
            rows[name]["probability_best"] = share
    outcome: dict[str, Any] = {"resampled": f"{noun}s"} if deciding else {}
    if len(deciding) > 1 and is_tested:
        table = counts[:, deciding]
        outcome["report"] = resampling.randomization(Mean(), table, names=names, rng=generator, subject=noun)
    return outcome


def _resampled(
    counts: FloatArray, stratum: IntArray | None, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return the values in resamples, in which rows are drawn within each stratum, if there are strata."""
    flat, values = counts.reshape(len(counts), -1), []
    strata = [flat] if stratum is None else [flat[stratum == own] for own in range(int(stratum.max()) + 1)]
    for start, stop in resampling.chunks(n_resamples, len(counts)):
        totals = np.zeros((stop - start, flat.shape[1]))
        for rows in strata:
            drawn = resampling.draw(np.ones(len(rows), dtype=np.int64), stop - start, generator)
            totals += np.einsum("rd,dc->rc", drawn, rows)
        values.append(resampling.pooled(Mean(), totals.reshape(-1, *counts.shape[1:])))
    return np.concatenate(values)
