"""Comparisons in tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.analyses.comparison.sentences import cannot_tell, conclusion, disagreements, notes, warnings
from caesura.arrays import FloatArray
from caesura.metrics.base import signature
from caesura.metrics.edit import B
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.presentation import Presentation, present, table_of
from caesura.results.table import Cell, Column, Table, distinct, latex_escape
from caesura.stats.outcome import TestReport
from caesura.stats.resampling import pooled
from caesura.wording import counted, judged_by, percent


def main_table(comparison: Comparison) -> Table:
    """Return F13t Table 5.8 with intervals over documents, the other metrics and who beats whom."""
    letters = comparison.letters
    name, level = comparison.metric.name, percent(comparison.confidence)
    names = ["", "segmenter", name, _error_name(comparison), f"low {level}", f"high {level}", *RATES]
    names += ["n", "codings"]
    names += distinct([*comparison.pooled_beside], beside=(*names, "beats"))
    rows: list[list[Cell]] = []
    for row in _people_first(comparison):
        interval = comparison.intervals.get(row.name)
        rows.append(
            [
                letters.get(row.name, ""),
                row.name if row.kind == "segmenter" else f"{row.name} ({row.kind})",
                row.value,
                row.se,
                *((interval.low, interval.high) if interval else (None, None)),
                row.precision,
                row.recall,
                row.f1,
                round(row.n_pairs),
                row.n_codings,
                *(found[row.name] for found in comparison.pooled_beside.values()),
                " ".join(_beaten(comparison, row.name)),
            ]
        )
    columns = [Column(column) for column in (*names, "beats")]
    said = [*notes(comparison), reading(_main_reading(comparison))]
    return Table("", columns, rows, notes=said)


RATES = ("B-P", "B-R", "B-F1")


def _error_name(comparison: Comparison) -> str:
    """Return what the standard error is over: boundary pairs, as published, or codings."""
    return f"SE of {'pairs' if isinstance(comparison.metric, B) else 'codings'}"


def _main_reading(comparison: Comparison) -> str:
    level = percent(comparison.confidence)
    over = "boundary pairs" if isinstance(comparison.metric, B) else "codings"
    return (
        f"low and high {level} resample documents; the SE takes {over} as independent, as published; n: "
        "boundary pairs; beats: the letters of those whom it beats."
    )


LONG_RUN = 5
"""From so many on, neighbours in the ranking are written as the first and the last of them."""


def _beaten(comparison: Comparison, name: str) -> list[str]:
    """Return the letters of those whom a segmenter beats, in the order of the ranking; long runs as c–k."""
    letters = [*comparison.letters.values()]
    place = {one: i for i, one in enumerate(comparison.letters)}
    places = sorted(place[one] for one in comparison.beats(name))
    found: list[str] = []
    for _, group in groupby(enumerate(places), key=lambda numbered: numbered[1] - numbered[0]):
        run = [letters[i] for _, i in group]
        found += [f"{run[0]}–{run[-1]}"] if len(run) >= LONG_RUN else run
    return found


def _people_first(comparison: Comparison) -> list[SegmenterRow]:
    people = [row for row in comparison.rows if row.kind == "upper bound"]
    return [*people, *(comparison[one] for one in comparison.ranking)]


def latex(comparison: Comparison, full: bool = False) -> str:
    """Return the main table for a paper (booktabs): intervals over documents, best values bold, superscripts.

    The superscripts say who is beaten.
    """
    letters, metric = comparison.letters, comparison.metric
    ranked = [comparison[name] for name in comparison.ranking]
    best = {
        "value": min((row.value for row in ranked), key=metric.distance_from_best),
        **{rate: max(getattr(row, rate) for row in ranked) for rate in ("precision", "recall", "f1")},
    }

    def shown(row: SegmenterRow, quantity: str) -> str:
        number = f"{getattr(row, quantity):.4f}"
        is_best = row.kind != "upper bound" and getattr(row, quantity) == best[quantity]
        return rf"\textbf{{{number}}}" if is_best else number

    level = percent(comparison.confidence)
    beside = "".join(f" & {latex_escape(spec)}" for spec in comparison.pooled_beside)
    is_known = any(not math.isnan(interval.low) for interval in comparison.intervals.values())
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{ll{'r' * (5 + is_known + len(comparison.pooled_beside))}}}",
        r"\toprule",
        rf" & segmenter & {latex_escape(metric.name)}{f' & [{latex_escape(level)}]' if is_known else ''} & "
        rf"B-P & B-R & B-F$_1$ & $n${beside} \\",
        r"\midrule",
    ]
    for row in _people_first(comparison):
        beaten = _beaten(comparison, row.name)
        mark = (
            rf"$^{{{('' if all(len(one) == 1 for one in beaten) else ',').join(beaten)}}}$" if beaten else ""
        )
        rates = " & ".join(shown(row, rate) for rate in ("precision", "recall", "f1"))
        others = "".join(f" & {found[row.name]:.4f}" for found in comparison.pooled_beside.values())
        lines.append(
            rf"{letters.get(row.name, '')} & {latex_escape(row.name)} & {shown(row, 'value')}{mark}"
            rf"{_latex_interval(comparison, row) if is_known else ''} & {rates} & "
            rf"{row.n_pairs:.0f}{others} \\"
        )
    recipes = [recipe(text) for text in comparison.signatures.values()]
    interval = f"[{level}]: bootstrap interval over {counted(len(comparison.documents), 'document')}"
    caption = ". ".join(
        [
            f"Superscripts: segmenters that are beaten at α = {comparison.alpha:g}",
            *([interval] if is_known else []),
            judged_by(comparison.coders).rstrip("."),
            *(note.text if full else note.short for note in recipes),
        ]
    )
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{latex_escape(caption)}.}}", r"\end{table}"]
    return "\n".join(lines)


def _latex_interval(comparison: Comparison, row: SegmenterRow) -> str:
    interval = comparison.intervals.get(row.name)
    if interval is None or math.isnan(interval.low):
        return " & "
    return f" & [{interval.low:.4f}, {interval.high:.4f}]"


def edits_table(comparison: Comparison) -> Table:
    """Return matches and edits by kind and side, and the confusion matrix (F13t figure 5.31)."""
    names = ["segmenter", "matches", "near misses", "wrong types", "missed", "spurious"]
    names += ["TP", "FP", "FN", "TN", "density"]
    rows: list[list[Cell]] = []
    for row in comparison.rows:
        edits = (row.matches, row.near_misses, row.wrong_types, row.missed, row.spurious)
        rows.append([row.name, *map(_count, (*edits, row.tp, row.fp, row.fn, row.tn)), row.density])
    note = "missed: only the reference has it (FN side); spurious: only the segmenter has it (FP side)"
    said = [reading(note), recipe(signature(comparison.judge, comparison.rows[0].n_codings))]
    return Table("Edits", [Column(column, 1) for column in names], rows, notes=said)


def macro_table(comparison: Comparison) -> Table:
    """Return means over codings for every metric, with SE and Student's interval (F13t Table 5.7)."""
    level = percent(comparison.confidence)
    names = ["segmenter"]
    for spec in comparison.means:
        names += [spec, f"SE {spec}", f"low {level} {spec}", f"high {level} {spec}"]
    rows: list[list[Cell]] = [
        [
            name,
            *(cell for means in comparison.means.values() for cell in means[name]),
            comparison[name].n_codings,
        ]
        for name in comparison.tested
    ]
    note = "Student's intervals take codings as independent; those of the main table resample documents."
    columns = [Column(column) for column in [*names, "codings"]]
    recipes = [recipe(comparison.signatures[spec]) for spec in comparison.means]
    return Table("Means over codings", columns, rows, notes=[reading(note), *recipes])


def documents_table(comparison: Comparison) -> Table:
    """Return each segmenter's value on each document: which documents are hard."""
    return _breakdown(comparison, "document", comparison.documents, comparison.tested_counts.counts)


def coders_table(comparison: Comparison) -> Table:
    """Return each segmenter's value against each coder: which coders are hard to match."""
    return _breakdown(comparison, "coder", comparison.coders, comparison.tested_counts.by_coder)


def _breakdown(comparison: Comparison, what: str, names: Sequence[str], counts: FloatArray) -> Table:
    metric = comparison.metric
    values = pooled(metric, counts)
    overall = pooled(metric, counts.sum(axis=1))
    distance = np.array([metric.distance_from_best(value) for value in overall.tolist()])
    order = np.argsort(distance, kind="stable")[::-1].tolist()
    rows: list[list[Cell]] = [[names[i], *values[i].tolist(), float(overall[i])] for i in order]
    tested = distinct(comparison.tested, beside=(what, "together"))
    columns = [Column(what), *map(Column, tested), Column("together")]
    note = f"hardest first; {metric.name} of all coders and documents of a row, pooled"
    return Table(f"By {what}", columns, rows, notes=_read_by(note, comparison))


def tests_table(comparison: Comparison) -> Table:
    """Return the default test's comparison of every two segmenters."""
    report = comparison.report
    if report is None:
        return Table("", [Column("first"), Column("second")], [], notes=[finding(conclusion(comparison))])
    difference = f"difference of {comparison.metric.name}"
    names = ["first", "second", difference, "p", "adjusted p", _effect_name(report), "verdict"]
    verdicts = {
        **dict.fromkeys(report.cannot_tell, CANNOT_TELL),
        **dict.fromkeys(report.significant, "differ"),
    }
    rows: list[list[Cell]] = [
        [
            *(c.first, c.second, c.difference, c.p_value, c.adjusted_p, c.effect),
            verdicts.get(c, "no difference shown"),
        ]
        for c in report.contrasts
    ]
    found = []
    if report.omnibus:
        found.append(finding(f"all together: {report.omnibus.name}, p = {report.omnibus.p_value:.4f}"))
    if report.cannot_tell:
        found.append(caveat(f"{CANNOT_TELL}: {cannot_tell(report.cannot_tell[0], report, comparison)}"))
    found += [*map(reading, report.notes), recipe(comparison.signature)]
    return Table(report.procedure, [Column(column) for column in names], rows, notes=found)


def differences_table(comparison: Comparison) -> Table:
    """Return the default test's differences as a square, from best to worst: row minus column."""
    contrasts = comparison.report.contrasts if comparison.report is not None else ()
    difference = {(one.first, one.second): one.difference for one in contrasts}
    difference |= {(second, first): -value for (first, second), value in difference.items()}
    order = [name for name in comparison.ranking if any(name in pair for pair in difference)]
    rows: list[list[Cell]] = [[row, *(difference.get((row, one)) for one in order)] for row in order]
    columns = [Column("segmenter"), *(Column(name, 2) for name in distinct(order, beside=("segmenter",)))]
    note = f"{comparison.metric.name} of the row minus that of the column"
    return Table("Differences", columns, rows, notes=_read_by(note, comparison))


CANNOT_TELL = "cannot tell"


def _effect_name(report: TestReport) -> str:
    """Return what the size of effects is called, with its unit."""
    names = dict.fromkeys(contrast.effect_name for contrast in report.contrasts)
    return next(iter(names), "effect")


def _read_by(note: str, comparison: Comparison) -> list[Note]:
    return [reading(note), recipe(comparison.signature)]


def _count(value: float) -> Cell:
    return int(value) if float(value).is_integer() else float(value)


present(
    Comparison,
    Presentation(
        tables={
            "main": main_table,
            "edits": edits_table,
            "macro": macro_table,
            "documents": documents_table,
            "coders": coders_table,
            "tests": tests_table,
            "differences": differences_table,
            "drop": lambda comparison: table_of(comparison.drop),
        },
        notes=notes,
        words=lambda comparison: {
            "conclusion": conclusion(comparison),
            "disagreements": disagreements(comparison),
            "warnings": warnings(comparison),
        },
        latex=latex,
    ),
)
