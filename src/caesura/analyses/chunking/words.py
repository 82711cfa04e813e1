"""Chunkings in tables and sentences: which is best, what the columns are, and what to distrust."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from caesura.analyses.chunking.results import OF_QUESTIONS, OF_TEXTS, ChunkEvaluation, Chunking
from caesura.checks import CONFIDENCE
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.stats.outcome import contrasts_table
from caesura.stats.resampling import FEW_TO_RESAMPLE
from caesura.wording import counted, listed, percent

VALUES = {
    "precision_omega": ("Prec_Ω", "how much of the chunks that have evidence is evidence"),
    "recall_omega": ("Rec_Ω", "how much of the evidence they have"),
    "recall": ("recall", "how much of the evidence the given chunks have"),
    "precision": ("precision", "how much of them is evidence"),
    "iou": ("IoU", "both at once"),
    "redundancy": ("redundant", "Σ|chunks| / |their union| − 1"),
    "coverage": ("covered", "share of the texts in chunks"),
    "block_integrity": ("whole", "share of blocks with no cut inside"),
    "size_compliance": ("fit", "share of chunks within the limits"),
    "covering": ("covering", "how much blocks and chunks overlap (Jaccard)"),
    "cohesion": ("cohesion", "cosine of a chunk's sentences with it"),
    "coherence": ("coherence", "cosine of a chunk with those beside it"),
}
"""The headings of values and what they are, in the order of the columns."""

Columns: TypeAlias = list[tuple[Column, Callable[[Chunking], Cell]]]
"""The columns of a table, and what a chunking has in each."""

FIRST: Columns = [(Column("chunking"), attrgetter("name")), (Column("n"), attrgetter("n_chunks"))]


def name_of(metric: str) -> str:
    """Return what a value is called in sentences."""
    return VALUES[metric][0] if metric in OF_QUESTIONS else metric.replace("_", " ")


def known_values(evaluation: ChunkEvaluation) -> list[str]:
    """Return the values that any of the chunkings has."""
    rows = evaluation.chunkings.values()
    return [name for name in VALUES if any(getattr(row, name) is not None for row in rows)]


def conclusion(evaluation: ChunkEvaluation) -> str:
    """Return what is shown of the deciding metric, and no more."""
    metric, report = evaluation.metric or "", evaluation.report
    rows = [row for row in evaluation.chunkings.values() if getattr(row, metric) is not None]
    best = max(rows, key=lambda row: getattr(row, metric))
    value = f"{name_of(metric)} {getattr(best, metric):.3f}"
    if report is None:
        why = (
            "no difference can be significant with one text"
            if len(rows) > 1
            else "add another chunking to compare it with"
        )
        return f"{best.name} has {value}; {why}."
    beaten = [
        ({contrast.first, contrast.second} - {best.name}).pop()
        for contrast in report.significant
        if best.name in (contrast.first, contrast.second)
    ]
    alike = [row.name for row in rows if row.name != best.name and row.name not in beaten]
    parts = [f"{best.name} is better than {listed(beaten)}"] if beaten else []
    if alike:
        between = f"from {listed(alike)}" if parts else f"between {best.name} and {listed(alike)}"
        parts.append(f"{'no' if parts else 'No'} significant difference {between}")
    return f"{'; '.join(parts)} ({value}; {report.procedure}, α = {report.alpha:g})."


def _notes(evaluation: ChunkEvaluation, names: Sequence[str] | None = None) -> list[Note]:
    names = known_values(evaluation) if names is None else names
    columns = ["n: chunks", *(": ".join(VALUES[name]) for name in names)]
    notes = [reading(f"{'; '.join(columns)}.")]
    if evaluation.metric is not None:
        notes.insert(0, finding(conclusion(evaluation)))
        n_questions, n_documents = len(evaluation.questions), len(evaluation.documents)
        over = f"Means over {counted(n_questions, 'question')}; intervals" if n_questions else "Intervals"
        drawn = "documents" if evaluation.resampled == "documents" else "questions within documents"
        best = "best: share of resamples in which it is the best"
        notes.append(reading(f"{over} are {percent(CONFIDENCE)} and resample {drawn}; {best}."))
        n_drawn = n_documents if evaluation.resampled == "documents" else n_questions
        if n_drawn < FEW_TO_RESAMPLE:
            few = counted(n_drawn, (evaluation.resampled or "")[:-1])
            notes.append(caveat(f"Only {few}: intervals are rough and differences are hard to show."))
        if n_documents == 1:
            notes.append(caveat("Only one text: intervals do not generalize to other texts."))
    if any(row.n_single_sentences for row in evaluation.chunkings.values()):
        singles = [f"{row.name} {row.n_single_sentences}" for row in evaluation.chunkings.values()]
        notes.append(reading(f"Chunks of one sentence do not count for cohesion: {listed(singles)}."))
    return [*notes, signature(evaluation.signature)]


def _main(evaluation: ChunkEvaluation) -> Table:
    """Return a row for each chunking: by the deciding metric, else what is known of its texts."""
    metric = evaluation.metric
    if metric is None:
        return _texts(evaluation)
    shown = OF_QUESTIONS if evaluation.questions else OF_TEXTS
    others = [name for name in known_values(evaluation) if name in shown and name != metric]
    if "recall" in others:
        others = [name for name in others if name in ("recall", "iou")]  # what 80 columns hold
    asked = [name for name in ("size_compliance", "block_integrity") if name in known_values(evaluation)]
    asked = [name for name in asked if name != metric and name not in others]
    columns: Columns = [
        *FIRST,
        (Column("size", 0), attrgetter("sizes.mean")),
        *_values([*asked, metric]),
        (Column("low", 3), partial(_bound, name=metric, end="low")),
        (Column("high", 3), partial(_bound, name=metric, end="high")),
        (Column("best", 2), attrgetter("probability_best")),
        *_values(others),
    ]
    return _table(evaluation, columns, [metric, *others, *asked])


def _texts(evaluation: ChunkEvaluation) -> Table:
    """Return sizes, and what needs no questions."""
    names = [name for name in known_values(evaluation) if name not in OF_QUESTIONS]
    sizes: Columns = [
        (Column("size", 0), attrgetter("sizes.mean")),
        (Column("SD", 0), attrgetter("sizes.deviation")),
        (Column("max", 0), lambda row: row.sizes.quantiles[1.0]),
    ]
    return _table(evaluation, [*FIRST, *sizes, *_values(names)], names)


def _values(names: Sequence[str]) -> Columns:
    return [(Column(VALUES[name][0], 3), attrgetter(name)) for name in names]


def _table(evaluation: ChunkEvaluation, columns: Columns, names: Sequence[str]) -> Table:
    rows = [[cell(row) for _, cell in columns] for row in evaluation.chunkings.values()]
    return Table("", [column for column, _ in columns], rows, notes=_notes(evaluation, names))


def _bound(row: Chunking, name: str, end: str) -> float | None:
    """Return one end of the interval of a value."""
    interval = row.intervals.get(name)
    return None if interval is None else float(getattr(interval, end))


def _intervals(evaluation: ChunkEvaluation) -> Table:
    """Return every value with its interval, a row for each chunking and value."""
    rows: list[list[Cell]] = [
        [row.name, VALUES[name][0], getattr(row, name), _bound(row, name, "low"), _bound(row, name, "high")]
        for row in evaluation.chunkings.values()
        for name in known_values(evaluation)
        if getattr(row, name) is not None
    ]
    return Table.under(("chunking", "value of", "value", "low", "high"), rows, _notes(evaluation))


def _tests(evaluation: ChunkEvaluation) -> Table:
    """Return what the test says of every two chunkings."""
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
