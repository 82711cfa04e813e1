"""Chunkings of the same texts as results: the values of each, and which is best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE
from caesura.errors import unknown
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.stats.outcome import Interval, TestReport
from caesura.version import __version__


class Value(NamedTuple):
    """A value of a chunking: its heading, what it is, and the argument of ``evaluate_chunks`` it needs."""

    heading: str
    meaning: str
    needs: str = "texts"


VALUES = {
    "precision_omega": Value("Prec_Ω", "how much of the chunks that have evidence is evidence", "questions"),
    "recall_omega": Value("Rec_Ω", "how much of the evidence they have", "questions"),
    "recall": Value("recall", "how much of the evidence the given chunks have", "ranking"),
    "precision": Value("precision", "how much of them is evidence", "ranking"),
    "iou": Value("IoU", "both at once", "ranking"),
    "redundancy": Value("redundant", "Σ|chunks| / |their union| − 1"),
    "coverage": Value("covered", "share of the texts in chunks"),
    "block_integrity": Value("whole", "share of blocks with no cut inside", "blocks"),
    "size_compliance": Value("fit", "share of chunks within the limits", "limits"),
    "covering": Value("covering", "how much blocks and chunks overlap (Jaccard)", "blocks"),
    "cohesion": Value("cohesion", "cosine of a chunk's sentences with it", "vectors"),
    "coherence": Value("coherence", "cosine of a chunk with those beside it", "vectors"),
}
"""Every value by name, in the order of the columns."""

OF_QUESTIONS = tuple(name for name, value in VALUES.items() if value.needs in ("questions", "ranking"))
"""Means over questions; the other values are quotients of sums over documents."""

DECIDING = tuple(name for name in VALUES if name != "redundancy")
"""The values that can decide which chunking is best: higher is better."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of chunks: number, mean, standard deviation (of the population), and quantiles by share."""

    number: int
    mean: float
    deviation: float
    quantiles: Mapping[float, float]


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """One chunking: values that were not requested are None. Intervals are by the name of the value."""

    NUMBERS: ClassVar[tuple[str, ...]] = (
        *("name", "n_chunks", "sizes", *VALUES, "n_single_sentences", "probability_best"),
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
    """Chunks of at most one sentence, which do not count for the cohesion."""
    probability_best: float | None = None
    """The share of resamples in which it has the highest value of the deciding metric."""
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def n_chunks(self) -> int:
        """The number of chunks."""
        return self.sizes.number

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        intervals = {name: [*interval] for name, interval in self.intervals.items()}
        sizes = {**vars(self.sizes), "quantiles": {f"{q:g}": v for q, v in self.sizes.quantiles.items()}}
        return {**plain_fields(self, self.NUMBERS), "sizes": sizes, "intervals": intervals}


@dataclass(frozen=True, repr=False, eq=False)
class ChunkEvaluation(Result):
    """Chunkings of the same texts: ``result["name"]`` is one of them."""

    chunkings: Mapping[str, Chunking]
    documents: tuple[str, ...]
    metric: str | None
    """The metric that decides which is best."""
    settings: tuple[str, ...]
    report: TestReport | None = None
    """The test of every pair of chunkings by it."""
    resampled: str = ""
    """What the intervals of the deciding metric resample: questions or documents."""
    questions: tuple[str, ...] = ()
    by_question: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    """The values of each question, by chunking and metric."""

    def __getitem__(self, name: str) -> Chunking:
        if name not in self.chunkings:
            raise unknown("chunking", name, self.chunkings)
        return self.chunkings[name]

    def __repr__(self) -> str:
        return f"<ChunkEvaluation of {', '.join(self.chunkings)}>"

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        return "|".join(("chunks", *self.settings, f"caesura {__version__}"))

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "metric": self.metric,
            "chunkings": [chunking.numbers() for chunking in self.chunkings.values()],
            **plain_fields(self, ("documents", "questions", "by_question")),
            "test": None if self.report is None else self.report.numbers(),
            "confidence": CONFIDENCE,
            "signature": self.signature,
        }
