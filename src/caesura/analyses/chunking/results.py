"""What is known of chunkings of the same texts: each one's numbers, and which is best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE
from caesura.errors import unknown
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.stats.outcome import Interval, TestReport
from caesura.version import __version__

OF_QUESTIONS = ("precision_omega", "recall_omega", "recall", "precision", "iou")
"""Means over questions: of the best that a retriever could do, and of the chunks that one gives."""

OF_TEXTS = (
    *("redundancy", "coverage", "block_integrity", "size_compliance"),
    *("covering", "cohesion", "coherence"),
)
"""Quotients of sums over documents."""

DECIDING = (*OF_QUESTIONS, *OF_TEXTS[1:])
"""What may say which chunking is best: all of which more is better."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of chunks: how many there are, mean, standard deviation (of all), and quantiles by share."""

    number: int
    mean: float
    deviation: float
    quantiles: Mapping[float, float]


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """One chunking: what was not asked for is None. Intervals are by the name of the value."""

    NUMBERS: ClassVar[tuple[str, ...]] = (
        *("name", "n_chunks", "sizes", *OF_QUESTIONS, *OF_TEXTS),
        *("n_single_sentences", "probability_best"),
    )

    name: str
    sizes: Sizes
    redundancy: float | None = None
    """Σ|c| / |∪c| − 1 over chunks c."""
    coverage: float | None = None
    """The share of the texts that is in chunks."""
    precision_omega: float | None = None
    """|E ∩ ∪C*| / |∪C* ∪ E|, C* being the chunks that share a character with the evidence E."""
    recall_omega: float | None = None
    """|E ∩ ∪C*| / |E|."""
    recall: float | None = None
    """|E ∩ ∪C| / |E| of the chunks C that the ranking gives."""
    precision: float | None = None
    """|E ∩ ∪C| / Σ|c|."""
    iou: float | None = None
    """|E ∩ ∪C| / (Σ|c| + |E ∖ ∪C|)."""
    block_integrity: float | None = None
    """The share of blocks with no cut inside."""
    size_compliance: float | None = None
    """The share of chunks within the limits of size."""
    covering: float | None = None
    """Σ |A| max J(A, B) / Σ |A| over blocks A and chunks B."""
    cohesion: float | None = None
    """The mean cosine of a chunk's sentences with the chunk, over chunks of several sentences."""
    coherence: float | None = None
    """The mean cosine of a chunk with the chunks beside it."""
    n_single_sentences: int | None = None
    """How many chunks have one sentence or none, and are left out of the cohesion."""
    probability_best: float | None = None
    """The share of resamples in which it has the greatest value of the deciding metric."""
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def n_chunks(self) -> int:
        """How many chunks it has."""
        return self.sizes.number

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        intervals = {name: [interval.low, interval.high] for name, interval in self.intervals.items()}
        sizes = {**vars(self.sizes), "quantiles": {f"{q:g}": v for q, v in self.sizes.quantiles.items()}}
        return {**plain_fields(self, self.NUMBERS), "sizes": sizes, "intervals": intervals}


@dataclass(frozen=True, repr=False, eq=False)
class ChunkEvaluation(Result):
    """Chunkings of the same texts: ``result["name"]`` is one of them."""

    chunkings: Mapping[str, Chunking]
    documents: tuple[str, ...]
    metric: str | None
    """The metric that decides which is best."""
    report: TestReport | None
    """The test of every two chunkings by it."""
    questions: tuple[str, ...] = ()
    by_question: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    """The values of each question, by chunking and metric."""
    resampled: str | None = None
    """What was drawn for the intervals of the deciding metric: questions or documents."""
    settings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Chunking:
        if name not in self.chunkings:
            raise unknown("chunking", name, self.chunkings)
        return self.chunkings[name]

    def __repr__(self) -> str:
        return f"<ChunkEvaluation of {', '.join(self.chunkings)}>"

    @property
    def signature(self) -> str:
        """How the numbers were made."""
        return "|".join(("chunks", *self.settings, f"caesura {__version__}"))

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        values = {name: {key: column.tolist() for key, column in own.items()}
                  for name, own in self.by_question.items()}  # fmt: skip
        return {
            "metric": self.metric,
            "chunkings": [chunking.numbers() for chunking in self.chunkings.values()],
            "documents": list(self.documents),
            "questions": list(self.questions),
            "by_question": values,
            "test": None if self.report is None else self.report.numbers(),
            "confidence": CONFIDENCE,
            "signature": self.signature,
        }
