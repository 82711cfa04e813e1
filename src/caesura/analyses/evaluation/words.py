"""Evaluations in tables and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caesura.analyses.evaluation.results import Evaluation, MetricSummary
from caesura.analyses.roles import role_caveats
from caesura.metrics.base import signature_of
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Interval, Table, distinct
from caesura.wording import counted, listed, percent, whose_references


def totals_table(evaluation: Evaluation) -> Table:
    """Return the averages alone: micro with its interval, macro with its SE."""
    first = ("document", "units", "references")
    columns = [*map(Column, first), *map(Column, distinct(evaluation.names, beside=first))]
    _, n_units, n_codings = evaluation.size
    level = percent(evaluation.confidence)
    summaries = evaluation.summaries
    totals: list[list[Cell]] = [
        ["micro", n_units, n_codings, *(float(s.micro) for s in summaries)],
        [f"  low {level}", None, None, *(s.interval.low for s in summaries)],
        [f"  high {level}", None, None, *(s.interval.high for s in summaries)],
        ["macro", n_units, n_codings, *(s.macro for s in summaries)],
        ["  SE", None, None, *(s.se for s in summaries)],
    ]
    return Table("", columns, [], totals=totals, notes=notes(evaluation))


def documents_table(evaluation: Evaluation) -> Table:
    """Return a row for each document, and micro, macro, SE and interval below."""
    return replace(totals_table(evaluation), rows=evaluation.rows)


def pooled_columns(names: Sequence[str], confidence: float, first: Sequence[str] = ()) -> list[Column]:
    """Return columns for the pooled values of these names, and for the ends of their intervals."""
    level = percent(confidence)
    pooled = [column for name in names for column in (name, f"{name} low {level}", f"{name} high {level}")]
    return [*map(Column, first), *map(Column, distinct(pooled, beside=first))]


def pooled_cells(summaries: Sequence[MetricSummary]) -> list[Cell]:
    """Return the pooled value of each summary, and the ends of its interval."""
    return [cell for s in summaries for cell in (float(s.micro), s.interval.low, s.interval.high)]


def strata_table(evaluation: Evaluation) -> Table:
    """Return a row for each stratum with its pooled values and intervals, and all documents below."""
    rows: list[list[Cell]] = [
        [stratum.name, *stratum.size, *pooled_cells(stratum.summaries)] for stratum in evaluation.strata
    ]
    first = (evaluation.by or "stratum", "documents", "units", "references")
    totals: list[list[Cell]] = [
        ["micro", *evaluation.size, *pooled_cells(evaluation.summaries)],
        ["macro", *evaluation.size, *(cell for s in evaluation.summaries for cell in (s.macro, None, None))],
        ["  SE", None, None, None, *(cell for s in evaluation.summaries for cell in (s.se, None, None))],
    ]
    columns = pooled_columns(evaluation.names, evaluation.confidence, first)
    return Table("", columns, rows, totals=totals, notes=notes(evaluation))


def segmenters_table(evaluation: Evaluation) -> Table:
    """Return a row for each segmenter, the best by the first metric first, with the pooled values."""
    ranked = _ranked(evaluation)
    rows: list[list[Cell]] = [[own[0].segmenter, *pooled_cells(own)] for own in ranked]
    names = [repr(s.requested) for s in ranked[0]]
    columns = pooled_columns(names, evaluation.confidence, ["segmenter"])
    return Table("", columns, rows, notes=notes(evaluation))


def _ranked(evaluation: Evaluation) -> list[Sequence[MetricSummary]]:
    """Return the summaries of each segmenter, the best by the first metric first."""
    best = evaluation.summaries[0].metric
    each = map(evaluation.of_segmenter, evaluation.segmenters)
    return sorted(each, key=lambda own: best.distance_from_best(float(own[0].micro)))


def verdict(evaluation: Evaluation) -> str:
    """Return the sentence on the best segmenter by the first metric.

    >>> from caesura import Corpus, evaluate
    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "x": [2, 3]}, "e": {"ann": [4], "x": [2, 2]}})
    >>> verdict(evaluate(corpus, segmenters=["x"], rng=0))
    'x scores B 0.50 (95 % interval 0.00–1.00) on 2 documents.'
    """
    best = _ranked(evaluation)[0][0]
    span = Interval.of(best.interval.low, best.interval.high)
    has_interval = span is not None and span != "n/a"
    value = f"{float(best.micro):.2f}"
    value += f" ({percent(evaluation.confidence)} interval {span})" if has_interval else ""
    value += f" on {counted(evaluation.size.documents, 'document')}."
    n = len(evaluation.segmenters)
    if n == 1:
        return f"{best.segmenter} scores {best.requested} {value}"
    most = {"higher": "highest", "lower": "lowest", "closest": "best"}[best.metric.direction]
    return f"{best.segmenter} has the {most} {best.requested} of {n} segmenters: {value}"


def notes(evaluation: Evaluation) -> list[Note]:
    """Return findings, reading notes, caveats and signatures."""
    n = evaluation.size.documents
    weights = " with Poisson weights" if evaluation.bootstrap == "poisson" else ""
    is_resampled = n > 1 and evaluation.n_resamples
    resampled = f" (interval: bootstrap over {n:,} documents{weights})" if is_resampled else ""
    notes = [
        finding(verdict(evaluation)),
        reading(f"micro pools all codings{resampled}; macro is {_averaged(evaluation)}."),
        reading(whose_references(evaluation.coders)),
    ]
    if n == 1:
        notes.append(caveat("Only one document: results do not generalize to others and have no interval."))
    notes += map(caveat, role_caveats(evaluation.coders, evaluation.uncoded, evaluation.types_lacking))
    if evaluation.left_out:
        files = counted(len(evaluation.left_out), "file")
        notes.append(caveat(f"Left out: {files} that could not be read ({evaluation.left_out[0]})."))
    # Each metric once, whatever the number of segmenters.
    each = dict.fromkeys(signature_of(s.metric, s.micro.n_pairs) for s in evaluation.summaries)
    with_intervals = (own.replace("|caesura ", f"{evaluation.of_intervals}|caesura ") for own in each)
    return [*notes, *map(signature, with_intervals)]


def _averaged(evaluation: Evaluation) -> str:
    """Return the number of values in the means; metrics of many references have one per document."""
    over: dict[str, list[str]] = {}
    for summary in evaluation.of_segmenter(evaluation.segmenters[0]):
        subjects = counted(summary.n, "document" if summary.metric.multi_reference else "coding")
        over.setdefault(subjects, []).append(repr(summary.requested))
    if len(over) == 1:
        return f"the mean over {next(iter(over))}"
    return "the mean over " + listed([f"{n} ({listed(dict.fromkeys(names))})" for n, names in over.items()])


present(
    Evaluation,
    notes=notes,
    main=documents_table,
    totals=totals_table,
    segmenters=segmenters_table,
    strata=strata_table,
)
