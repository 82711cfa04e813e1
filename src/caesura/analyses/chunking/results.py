"""The values of chunkings of the same texts, the best chunking, tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE
from caesura.errors import unknown
from caesura.results.as_json import plain_fields
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table
from caesura.stats.outcome import Interval, TestReport, contrasts_table
from caesura.stats.resampling import FEW_TO_RESAMPLE
from caesura.version import __version__
from caesura.wording import counted, listed, percent


class Value(NamedTuple):
    """The heading and meaning of a value, and the argument of ``evaluate_chunks`` that it needs."""

    heading: str
    meaning: str
    needs: str


def _value(heading: str, meaning: str, needs: str = "texts") -> Any:
    return field(default=None, metadata={"value": Value(heading, meaning, needs)})


@dataclass(frozen=True)
class Sizes:
    """The number of chunks, and the mean, population standard deviation and quantiles of their sizes."""

    number: int
    mean: float
    deviation: float
    quantiles: Mapping[float, float]


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """One chunking. Values that were not requested are None; intervals are by the name of the value."""

    name: str
    sizes: Sizes
    precision_omega: float | None = _value(
        "Prec_Ω", "how much of the chunks that have evidence is evidence", "questions"
    )
    """|E ∩ ∪C*| / |∪C* ∪ E|, C* being the chunks that share a character with the evidence E."""
    recall_omega: float | None = _value("Rec_Ω", "how much of the evidence they have", "questions")
    """|E ∩ ∪C*| / |E|."""
    recall: float | None = _value("recall", "how much of the evidence the given chunks have", "ranking")
    """|E ∩ ∪C| / |E| of the ranked chunks C."""
    precision: float | None = _value("precision", "how much of them is evidence", "ranking")
    """|E ∩ ∪C| / Σ|c|."""
    iou: float | None = _value("IoU", "both at once", "ranking")
    """|E ∩ ∪C| / (Σ|c| + |E ∖ ∪C|)."""
    redundancy: float | None = _value("redundant", "Σ|chunks| / |their union| − 1")
    """Σ|c| / |∪c| − 1 over chunks c."""
    coverage: float | None = _value("covered", "share of the texts in chunks")
    """The share of the texts in chunks."""
    block_integrity: float | None = _value("whole", "share of blocks with no cut inside", "blocks")
    """The share of blocks with no cut inside."""
    size_compliance: float | None = _value("fit", "share of chunks within the limits", "limits")
    """The share of chunks within the limits of size."""
    covering: float | None = _value("covering", "how much blocks and chunks overlap (Jaccard)", "blocks")
    """Σ |A| max J(A, B) / Σ |A| over blocks A and chunks B."""
    cohesion: float | None = _value("cohesion", "cosine of a chunk's sentences with it", "vectors")
    """The mean cosine of a chunk's sentences with the chunk, over chunks of several sentences."""
    coherence: float | None = _value("coherence", "cosine of a chunk with those beside it", "vectors")
    """The mean cosine of a chunk with the chunks beside it."""
    n_single_sentences: int | None = None
    """The number of chunks of at most one sentence, which do not count for cohesion."""
    probability_best: float | None = None
    """The share of resamples in which it has the highest value of the deciding metric."""
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def n_chunks(self) -> int:
        """The number of chunks."""
        return self.sizes.number

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        names = ("name", "n_chunks", "sizes", *VALUES, "n_single_sentences", "probability_best", "intervals")
        quantiles = {f"{share:g}": size for share, size in self.sizes.quantiles.items()}
        return plain_fields(self, names) | {"sizes": {**vars(self.sizes), "quantiles": quantiles}}


VALUES: Mapping[str, Value] = {
    each.name: each.metadata["value"] for each in fields(Chunking) if "value" in each.metadata
}
"""The values by name, in the order of columns."""

OF_QUESTIONS = tuple(name for name, value in VALUES.items() if value.needs in ("questions", "ranking"))
"""Means over questions. The other values are quotients of sums over documents."""

DECIDING = tuple(name for name in VALUES if name != "redundancy")
"""The metrics that can decide which chunking is best: higher is better."""


@dataclass(frozen=True, repr=False, eq=False)
class ChunkEvaluation(Result):
    """Chunkings of the same texts, by name: ``result["name"]``."""

    chunkings: Mapping[str, Chunking]
    documents: tuple[str, ...]
    metric: str | None
    """The deciding metric."""
    settings: tuple[str, ...]
    report: TestReport | None = None
    """The test of every pair of chunkings by the deciding metric."""
    resampled: str = ""
    """What its intervals resample: questions or documents."""
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


# -------------------------------------------------------------------- in tables and sentences

Columns: TypeAlias = list[tuple[Column, Callable[[Chunking], Cell]]]
"""The columns of a table, each with the function that returns a chunking's cell."""


def name_of(metric: str) -> str:
    """Return the name of a value in sentences."""
    return VALUES[metric].heading if metric in OF_QUESTIONS else metric.replace("_", " ")


def known_values(evaluation: ChunkEvaluation) -> list[str]:
    """Return the values that any of the chunkings has."""
    rows = evaluation.chunkings.values()
    return [name for name in VALUES if any(getattr(row, name) is not None for row in rows)]


def conclusion(evaluation: ChunkEvaluation) -> str:
    """Return what the data shows of the deciding metric."""
    metric, report = evaluation.metric or "", evaluation.report
    rows = [row for row in evaluation.chunkings.values() if getattr(row, metric) is not None]
    best = max(rows, key=attrgetter(metric))
    value = f"{name_of(metric)} {getattr(best, metric):.3f}"
    if report is None:
        alone = "add another chunking to compare it with"
        hint = alone if len(rows) == 1 else "no difference can be significant with one text"
        return f"{best.name} has {value}; {hint}."
    against = report.against(best.name).items()
    beaten = [name for name, contrast in against if report.verdict(contrast) == "differ"]
    alike = [row.name for row in rows if row.name not in (best.name, *beaten)]
    parts = [f"{best.name} is better than {listed(beaten)}"] if beaten else []
    if alike:
        no, between = ("no", "from") if parts else ("No", f"between {best.name} and")
        parts.append(f"{no} significant difference {between} {listed(alike)}")
    return f"{'; '.join(parts)} ({value}; {report.procedure}, α = {report.alpha:g})."


def _notes(evaluation: ChunkEvaluation, names: Sequence[str] | None = None) -> list[Note]:
    names = known_values(evaluation) if names is None else names
    columns = ["n: chunks", *(": ".join(VALUES[name][:2]) for name in names)]
    notes = [reading(f"{'; '.join(columns)}.")]
    if evaluation.metric is None:
        notes.append(finding(_sizes(evaluation)))
    else:
        noun, n_questions = evaluation.resampled[:-1], len(evaluation.questions)
        over = f"Means over {counted(n_questions, 'question')}; intervals" if n_questions else "Intervals"
        drawn = "documents" if noun == "document" else "questions within documents"
        best = "best: share of resamples in which it is the best"
        notes.append(finding(conclusion(evaluation)))
        notes.append(reading(f"{over} are {percent(CONFIDENCE)} and resample {drawn}; {best}."))
        n_drawn = len(evaluation.documents) if noun == "document" else n_questions
        if n_drawn < FEW_TO_RESAMPLE:
            few = f"Only {counted(n_drawn, noun)}"
            notes.append(caveat(f"{few}: intervals are rough and differences are hard to show."))
        if len(evaluation.documents) == 1:
            notes.append(caveat("Only one text: intervals do not generalize to other texts."))
    if any(row.n_single_sentences for row in evaluation.chunkings.values()):
        singles = [f"{row.name} {row.n_single_sentences}" for row in evaluation.chunkings.values()]
        notes.append(reading(f"Chunks of one sentence do not count for cohesion: {listed(singles)}."))
    return [*notes, signature(evaluation.signature)]


def _sizes(evaluation: ChunkEvaluation) -> str:
    """Return which chunkings have the smallest and the largest chunks."""
    rows = sorted(evaluation.chunkings.values(), key=attrgetter("sizes.mean"))
    mean = [f"{row.name} (mean size {row.sizes.mean:,.0f})" for row in rows]
    if len(rows) == 1:
        return f"The chunking is {mean[0]}."
    return f"The smallest chunks are those of {mean[0]}, the largest those of {mean[-1]}."


def _main(evaluation: ChunkEvaluation) -> Table:
    """Return a row for each chunking: the deciding metric, or without one sizes and values of texts."""
    metric, known = evaluation.metric, known_values(evaluation)
    if metric is None:
        return _texts(evaluation)
    of_questions = bool(evaluation.questions)
    others = [name for name in known if (name in OF_QUESTIONS) == of_questions and name != metric]
    if "recall" in others:
        others = [name for name in ("recall", "iou") if name in others]  # 80 columns do not hold more
    first = [name for name in ("size_compliance", "block_integrity") if name in {*known} - {metric, *others}]
    interval: Columns = [
        (Column("low", 3), lambda row: getattr(row.intervals.get(metric), "low", None)),
        (Column("high", 3), lambda row: getattr(row.intervals.get(metric), "high", None)),
        (Column("best", 2), attrgetter("probability_best")),
    ]
    columns = [*_values([*first, metric]), *interval, *_values(others)]
    return _table(evaluation, columns, [metric, *others, *first])


def _texts(evaluation: ChunkEvaluation) -> Table:
    """Return sizes, and the values that need no questions."""
    names = [name for name in known_values(evaluation) if name not in OF_QUESTIONS]
    sizes: Columns = [
        (Column("SD", 0), attrgetter("sizes.deviation")),
        (Column("max", 0), lambda row: row.sizes.quantiles[1.0]),
    ]
    return _table(evaluation, [*sizes, *_values(names)], names)


def _values(names: Sequence[str]) -> Columns:
    return [(Column(VALUES[name].heading, 3), attrgetter(name)) for name in names]


def _table(evaluation: ChunkEvaluation, further: Columns, names: Sequence[str]) -> Table:
    first: Columns = [
        (Column("chunking"), attrgetter("name")),
        (Column("n"), attrgetter("n_chunks")),
        (Column("size", 0), attrgetter("sizes.mean")),
    ]
    columns, cells = zip(*first, *further, strict=True)
    rows = [[cell(row) for cell in cells] for row in evaluation.chunkings.values()]
    return Table("", columns, rows, notes=_notes(evaluation, names))


def _intervals(evaluation: ChunkEvaluation) -> Table:
    """Return every value with its interval, a row for each chunking and value."""
    rows: list[list[Cell]] = [
        [row.name, VALUES[name].heading, getattr(row, name), *row.intervals.get(name, (None, None))]
        for row in evaluation.chunkings.values()
        for name in known_values(evaluation)
        if getattr(row, name) is not None
    ]
    return Table.under(("chunking", "value of", "value", "low", "high"), rows, _notes(evaluation))


def _tests(evaluation: ChunkEvaluation) -> Table:
    """Return the test of every pair of chunkings."""
    if evaluation.report is None:
        return Table.under(("first", "second"), [], _notes(evaluation))
    return contrasts_table(evaluation.report)


present(
    ChunkEvaluation,
    notes=_notes,
    words=lambda evaluation: {} if evaluation.metric is None else {"conclusion": conclusion(evaluation)},
    main=_main,
    texts=_texts,
    intervals=_intervals,
    tests=_tests,
)
