"""Chunkings in tables and sentences: which is best, what the columns are, and what to distrust."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.analyses.chunking.results import OF_QUESTIONS, OF_TEXTS, ChunkEvaluation, Chunking
from caesura.checks import CONFIDENCE
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.stats.outcome import contrasts_table
from caesura.stats.resampling import FEW_TO_RESAMPLE
from caesura.wording import counted, listed, percent

TITLES = {
    "precision_omega": "Prec_Ω",
    "recall_omega": "Rec_Ω",
    "recall": "recall",
    "precision": "precision",
    "iou": "IoU",
    "redundancy": "redundant",
    "coverage": "covered",
    "block_integrity": "whole",
    "size_compliance": "fit",
    "covering": "covering",
    "cohesion": "cohesion",
    "coherence": "coherence",
}
"""The headings of values, in the order of the columns."""

DIGITS = 3

READING = {
    "precision_omega": "Prec_Ω: how much of the chunks that have evidence is evidence",
    "recall_omega": "Rec_Ω: how much of the evidence they have",
    "recall": "recall: how much of the evidence the given chunks have",
    "precision": "precision: how much of them is evidence",
    "iou": "IoU: both at once",
    "redundancy": "redundant: Σ|chunks| / |their union| − 1",
    "coverage": "covered: share of the texts in chunks",
    "block_integrity": "whole: share of blocks with no cut inside",
    "size_compliance": "fit: share of chunks within the limits",
    "covering": "covering: how much blocks and chunks overlap (Jaccard)",
    "cohesion": "cohesion: cosine of a chunk's sentences with it",
    "coherence": "coherence: cosine of a chunk with those beside it",
}


def name_of(metric: str) -> str:
    """Return what a value is called in sentences."""
    return TITLES[metric] if metric in OF_QUESTIONS else metric.replace("_", " ")


def known_values(evaluation: ChunkEvaluation) -> list[str]:
    """Return the values that any of the chunkings has."""
    rows = evaluation.chunkings.values()
    return [name for name in TITLES if any(getattr(row, name) is not None for row in rows)]


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
            else "there is no other chunking to compare it with"
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
    columns = ["n: chunks", *(READING[name] for name in names if name in READING)]
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
    columns = [Column("chunking"), Column("n"), Column("size", 0)]
    columns += [Column(TITLES[name], DIGITS) for name in (*asked, metric)]
    columns += [Column("low", DIGITS), Column("high", DIGITS), Column("best", 2)]
    columns += [Column(TITLES[name], DIGITS) for name in others]
    rows: list[list[Cell]] = [
        [
            *(row.name, row.n_chunks, row.sizes.mean),
            *(getattr(row, name) for name in (*asked, metric)),
            *_bounds(row, metric),
            row.probability_best,
            *(getattr(row, name) for name in others),
        ]
        for row in evaluation.chunkings.values()
    ]
    return Table("", columns, rows, notes=_notes(evaluation, [metric, *others, *asked]))


def _texts(evaluation: ChunkEvaluation) -> Table:
    """Return sizes, and what needs no questions."""
    names = [name for name in known_values(evaluation) if name not in OF_QUESTIONS]
    columns = [Column("chunking"), Column("n"), *(Column(name, 0) for name in ("size", "SD", "max"))]
    columns += [Column(TITLES[name], DIGITS) for name in names]
    rows: list[list[Cell]] = [
        [
            *(row.name, row.n_chunks, row.sizes.mean, row.sizes.deviation, row.sizes.quantiles[1.0]),
            *(getattr(row, name) for name in names),
        ]
        for row in evaluation.chunkings.values()
    ]
    return Table("", columns, rows, notes=_notes(evaluation, names))


def _bounds(row: Chunking, name: str) -> tuple[float | None, float | None]:
    interval = row.intervals.get(name)
    return (None, None) if interval is None else (interval.low, interval.high)


def _intervals(evaluation: ChunkEvaluation) -> Table:
    """Return every value with its interval, a row for each chunking and value."""
    columns = [Column("chunking"), Column("value of"), *(Column(name) for name in ("value", "low", "high"))]
    rows: list[list[Cell]] = [
        [row.name, TITLES[name], getattr(row, name), *_bounds(row, name)]
        for row in evaluation.chunkings.values()
        for name in known_values(evaluation)
        if getattr(row, name) is not None
    ]
    return Table("", columns, rows, notes=_notes(evaluation))


def _tests(evaluation: ChunkEvaluation) -> Table:
    """Return what the test says of every two chunkings."""
    if evaluation.report is None:
        return Table("", [Column("first"), Column("second")], [], notes=_notes(evaluation))
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
