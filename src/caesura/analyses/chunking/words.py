"""Chunkings in tables and sentences: which is best, what the columns are, and caveats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeAlias

from caesura.analyses.chunking.results import OF_QUESTIONS, VALUES, ChunkEvaluation, Chunking
from caesura.checks import CONFIDENCE
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.stats.outcome import contrasts_table
from caesura.stats.resampling import FEW_TO_RESAMPLE
from caesura.wording import counted, listed, percent

Columns: TypeAlias = list[tuple[Column, Callable[[Chunking], Cell]]]
"""The columns of a table, and the cell of a chunking in each."""

FIRST: Columns = [
    *((Column("chunking"), attrgetter("name")), (Column("n"), attrgetter("n_chunks"))),
    (Column("size", 0), attrgetter("sizes.mean")),
]


def name_of(metric: str) -> str:
    """Return the name of a value in sentences."""
    return VALUES[metric].heading if metric in OF_QUESTIONS else metric.replace("_", " ")


def known_values(evaluation: ChunkEvaluation) -> list[str]:
    """Return the values that any of the chunkings has."""
    rows = evaluation.chunkings.values()
    return [name for name in VALUES if any(getattr(row, name) is not None for row in rows)]


def conclusion(evaluation: ChunkEvaluation) -> str:
    """Return what the data shows of the deciding metric, and no more."""
    metric, report = evaluation.metric or "", evaluation.report
    rows = [row for row in evaluation.chunkings.values() if getattr(row, metric) is not None]
    best = max(rows, key=attrgetter(metric))
    value = f"{name_of(metric)} {getattr(best, metric):.3f}"
    if report is None and len(rows) > 1:
        return f"{best.name} has {value}; no difference can be significant with one text."
    if report is None:
        return f"{best.name} has {value}; add another chunking to compare it with."
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
    if evaluation.metric is not None:
        notes.insert(0, finding(conclusion(evaluation)))
        n_questions, n_documents = len(evaluation.questions), len(evaluation.documents)
        by_document = evaluation.resampled == "documents"
        over = f"Means over {counted(n_questions, 'question')}; intervals" if n_questions else "Intervals"
        drawn = "documents" if by_document else "questions within documents"
        best = "best: share of resamples in which it is the best"
        notes.append(reading(f"{over} are {percent(CONFIDENCE)} and resample {drawn}; {best}."))
        n_drawn = n_documents if by_document else n_questions
        if n_drawn < FEW_TO_RESAMPLE:
            few = counted(n_drawn, evaluation.resampled[:-1])
            notes.append(caveat(f"Only {few}: intervals are rough and differences are hard to show."))
        if n_documents == 1:
            notes.append(caveat("Only one text: intervals do not generalize to other texts."))
    if any(row.n_single_sentences for row in evaluation.chunkings.values()):
        singles = [f"{row.name} {row.n_single_sentences}" for row in evaluation.chunkings.values()]
        notes.append(reading(f"Chunks of one sentence do not count for cohesion: {listed(singles)}."))
    return [*notes, signature(evaluation.signature)]


def _main(evaluation: ChunkEvaluation) -> Table:
    """Return a row for each chunking: by the deciding metric, otherwise by its texts."""
    metric, known = evaluation.metric, known_values(evaluation)
    if metric is None:
        return _texts(evaluation)
    with_questions = bool(evaluation.questions)
    others = [name for name in known if (name in OF_QUESTIONS) == with_questions and name != metric]
    if "recall" in others:
        others = ["recall", "iou"] if "iou" in others else ["recall"]  # 80 columns do not hold more
    first = [name for name in ("size_compliance", "block_integrity") if name in known]
    first = [name for name in first if name not in (metric, *others)]
    columns: Columns = [
        *_values([*first, metric]),
        (Column("low", 3), lambda row: row.intervals[metric].low if metric in row.intervals else None),
        (Column("high", 3), lambda row: row.intervals[metric].high if metric in row.intervals else None),
        (Column("best", 2), attrgetter("probability_best")),
        *_values(others),
    ]
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
    columns = [*FIRST, *further]
    rows = [[cell(row) for _, cell in columns] for row in evaluation.chunkings.values()]
    return Table("", [column for column, _ in columns], rows, notes=_notes(evaluation, names))


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
