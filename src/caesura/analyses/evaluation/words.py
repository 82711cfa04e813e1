"""Evaluations in tables and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from caesura.analyses.evaluation.results import Evaluation, MetricSummary
from caesura.metrics.base import signature_of
from caesura.results.notes import Note, caveat, reading, signature
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.wording import counted, judged_by, listed, percent, without_types


def documents_table(evaluation: Evaluation) -> Table:
    """Return a row for each document, and micro, macro, SE and interval below."""
    values = [summary.documents for summary in evaluation.summaries]
    keys = zip(evaluation.documents, evaluation.n_units, evaluation.n_references, strict=True)
    rows: list[list[Cell]] = [[*key, *row] for key, *row in zip(keys, *values, strict=True)]
    columns = _columns(evaluation, "document")
    return Table("", columns, rows, totals=_totals(evaluation), notes=notes(evaluation))


def totals_table(evaluation: Evaluation) -> Table:
    """Return the averages alone."""
    return Table(
        "", _columns(evaluation, "document"), [], totals=_totals(evaluation), notes=notes(evaluation)
    )


def strata_table(evaluation: Evaluation) -> Table:
    """Return a row for each stratum with its pooled values and intervals, and all documents below."""
    level = percent(evaluation.confidence)
    rows: list[list[Cell]] = [[one.name, *one.size, *_pooled(one.summaries)] for one in evaluation.strata]
    first = (evaluation.by or "stratum", "documents", "units", "references")
    names = [
        name for one in names_of(evaluation) for name in (one, f"{one} low {level}", f"{one} high {level}")
    ]
    columns = [*map(Column, first), *map(Column, distinct(names, beside=first))]
    means = [(summary.macro, summary.se) for summary in evaluation.summaries]
    totals: list[list[Cell]] = [
        ["micro", *evaluation.size, *_pooled(evaluation.summaries)],
        ["macro", *evaluation.size, *(cell for macro, _ in means for cell in (macro, None, None))],
        ["  SE", None, None, None, *(cell for _, se in means for cell in (se, None, None))],
    ]
    return Table("", columns, rows, totals=totals, notes=notes(evaluation))


def _pooled(summaries: Sequence[MetricSummary]) -> list[Cell]:
    """Return the pooled value of each summary, and the ends of its interval."""
    return [value for one in summaries for value in (float(one.micro), one.interval.low, one.interval.high)]


def segmenters_table(evaluation: Evaluation) -> Table:
    """Return a row for each segmenter, the best by the first metric first, with the pooled values."""
    level = percent(evaluation.confidence)
    asked = [summary.asked for summary in evaluation.of_segmenter(evaluation.segmenters[0])]
    names = [name for one in asked for name in (repr(one), f"{one} low {level}", f"{one} high {level}")]
    rows: list[list[Cell]] = []
    by_name = dict(zip(evaluation.segmenters, _by_segmenter(evaluation.summaries, len(asked)), strict=True))
    for name, summaries in by_name.items():
        rows.append([name, *_pooled(summaries)])
    first = evaluation.summaries[0].metric
    rows.sort(key=lambda row: first.distance_from_best(float(row[1])))  # type: ignore[arg-type]
    columns = [Column("segmenter"), *map(Column, distinct(names, beside=["segmenter"]))]
    return Table("", columns, rows, notes=notes(evaluation))


def _by_segmenter(summaries: Sequence[MetricSummary], n: int) -> list[Sequence[MetricSummary]]:
    """Return the summaries of each segmenter, which stand together."""
    return [summaries[start : start + n] for start in range(0, len(summaries), n)]


def _columns(evaluation: Evaluation, what: str) -> list[Column]:
    first = (what, "units", "references")
    return [*map(Column, first), *map(Column, distinct(names_of(evaluation), beside=first))]


def names_of(evaluation: Evaluation) -> list[str]:
    """Return what the column of each summary is called."""
    several = len(evaluation.segmenters) > 1
    return [
        f"{summary.segmenter} {summary.asked!r}" if several else repr(summary.asked)
        for summary in evaluation.summaries
    ]


def _totals(evaluation: Evaluation) -> list[list[Cell]]:
    _, n_units, n_codings = evaluation.size
    level = percent(evaluation.confidence)
    summaries = evaluation.summaries
    return [
        ["micro", n_units, n_codings, *(float(s.micro) for s in summaries)],
        [f"  low {level}", None, None, *(s.interval.low for s in summaries)],
        [f"  high {level}", None, None, *(s.interval.high for s in summaries)],
        ["macro", n_units, n_codings, *(s.macro for s in summaries)],
        ["  SE", None, None, *(s.se for s in summaries)],
    ]


def notes(evaluation: Evaluation) -> list[Note]:
    """Return what the numbers are, and what they do not show."""
    n = evaluation.size.documents
    how = " with Poisson weights" if evaluation.bootstrap == "poisson" else ""
    resampled = (
        f", its interval resamples the {n:,} documents{how}" if n > 1 and evaluation.n_resamples else ""
    )
    found = [
        reading(f"micro pools all codings{resampled}; macro is {_averaged(evaluation)}"),
        reading(judged_by(evaluation.coders)),
    ]
    if n == 1:
        found.append(caveat("One document says nothing about others: there is no interval."))
    if evaluation.types_lacking:
        found.append(caveat(without_types(evaluation.types_lacking)))
    if evaluation.left_out:
        files = counted(len(evaluation.left_out), "file")
        found.append(caveat(f"Left out: {files} that could not be read ({evaluation.left_out[0]})."))
    return found + [signature(text) for text in _signatures(evaluation.summaries)]


def _signatures(summaries: tuple[MetricSummary, ...]) -> list[str]:
    """Return the signature of every metric once, whatever the number of segmenters."""
    return [*dict.fromkeys(signature_of(summary.metric, summary.micro.n_pairs) for summary in summaries)]


def _averaged(evaluation: Evaluation) -> str:
    """Say what the means are over; metrics of many references at once have one value per document."""
    over: dict[str, Counter[str]] = {}
    for summary in evaluation.of_segmenter(evaluation.segmenters[0]):
        what = counted(summary.n, "document" if summary.metric.multi_reference else "coding")
        over.setdefault(what, Counter())[repr(summary.asked)] += 1
    if len(over) == 1:
        return f"the mean over {next(iter(over))}"
    return "the mean over " + listed([f"{what} ({listed(list(names))})" for what, names in over.items()])


present(
    Evaluation,
    Presentation(
        tables={
            "main": documents_table,
            "totals": totals_table,
            "segmenters": segmenters_table,
            "strata": strata_table,
        },
        notes=notes,
    ),
)
