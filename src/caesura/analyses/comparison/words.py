"""Tables and sentences of comparisons: the conclusion, where metrics disagree, and caveats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.analyses.roles import role_caveats
from caesura.arrays import FloatArray
from caesura.metrics.base import signature_of
from caesura.metrics.edit import B
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Table, distinct, latex_escape, latex_table
from caesura.stats.choosing import FEW_DOCUMENTS, power_note
from caesura.stats.outcome import CANNOT_TELL, Contrast, TestReport, contrasts_table
from caesura.stats.resampling import pooled
from caesura.wording import counted, listed, percent, whole_percent, whose_references

PRECISE = 0.75
"""From this precision on, a segmenter is called precise."""

ONE_SIDED = 1.25
"""The ratio of precision to recall, or of recall to precision, from which errors are one-sided."""

MOST_REMARKS = 5
"""The most segmenters whose one-sided errors are named."""


def conclusion(comparison: Comparison) -> str:
    """Return which segmenters are better, and how they err."""
    return " ".join(filter(None, (verdict(comparison), failures(comparison))))


def verdict(comparison: Comparison) -> str:
    """Return which segmenters the best one beats, in one sentence."""
    metric, report = comparison.metric, comparison.report
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = min(ours, key=lambda row: metric.distance_from_best(row.value))
    if report is None:
        return f"{best.name} has {metric.name} {best.value:.3f}; add another segmenter to compare it with."
    against = report.against(best.name)
    won = [name for name in against if name in comparison.beats(best.name)]
    verdicts = {name: report.verdict(contrast) for name, contrast in against.items()}
    unknown = [name for name in against if verdicts[name] == CANNOT_TELL and name not in won]
    alike = [name for name in against if name not in (*won, *unknown)]

    def shown(names: Sequence[str]) -> str:
        if len(names) == len(against) > 1:
            return "the others"
        return listed([comparison.labels[name] for name in names])

    parts = []
    if won:
        parts.append(f"{best.name} is better than {listed([comparison.labels[name] for name in won])}")
    if alike:
        between = f"from {shown(alike)}" if won else f"between {best.name} and {shown(alike)}"
        parts.append(f"no significant difference {between}")
    if unknown:
        why = cannot_tell(against[unknown[0]], report, comparison)
        parts.append(f"{CANNOT_TELL} for {best.name} and {shown(unknown)}: {why}")
    sentence = "; ".join(parts)
    sentence = sentence if won else sentence[0].upper() + sentence[1:]
    return f"{sentence} ({metric.name} {best.value:.3f}; {report.procedure}, α = {comparison.alpha:g})."


def cannot_tell(contrast: Contrast, report: TestReport, comparison: Comparison) -> str:
    """Return why a test is inconclusive."""
    n, n_pairs = contrast.subjects, len(report.contrasts)
    evidence = counted(n, "document")
    if 2.0 ** (1 - n) * n_pairs < report.alpha:
        evidence = counted(comparison.n_exchanges, "permutation")
    elif n < report.subjects:
        evidence = f"the {evidence} in which they differ"
    times = f", adjusted for {n_pairs:,} pairs" if n_pairs > 1 else ""
    together = ""
    if report.omnibus is not None and report.omnibus.p_value < report.alpha:
        together = f"; overall they differ, p = {report.omnibus.p_value:.2g}"
    return f"with {evidence} the smallest possible p is {contrast.least_p:.2g}{times}{together}"


def failures(comparison: Comparison) -> str:
    """Return which segmenters miss more than they add, or add more than they miss."""
    parts = []
    for row in (row for row in comparison.rows if row.kind == "segmenter" and row.actual):
        if row.precision > ONE_SIDED * row.recall:
            verb = "is precise but misses" if row.precision >= PRECISE else "misses"
            parts.append(f"{row.name} {verb} {whole_percent(row.missed / row.actual)} of the boundaries")
        elif row.recall > ONE_SIDED * row.precision:
            spurious = whole_percent(row.spurious / row.predicted)
            parts.append(f"{spurious} of the boundaries of {row.name} are spurious")
    if len(parts) > MOST_REMARKS:
        parts[MOST_REMARKS:] = [f"{len(parts) - MOST_REMARKS} more err on one side"]
    return f"{'; '.join(parts)}." if parts else ""


def disagreements(comparison: Comparison) -> list[str]:
    """Return where another metric ranks segmenters differently, and possible reasons."""
    labels = comparison.labels
    metrics_of: dict[tuple[str, str], list[str]] = {}
    for metric in comparison.others:
        rank = {name: i for i, name in enumerate(comparison.rankings[repr(metric)])}
        swapped = _first_exchange([rank[name] for name in comparison.ranking])
        if swapped:
            here, there = (comparison.ranking[i] for i in swapped)
            metrics_of.setdefault((here, there), []).append(metric.name)
    if len(metrics_of) > 1:
        pairs = [
            f"{listed(metrics)} {_verb(metrics, 'rank')} {labels[there]} above {labels[here]}"
            for (here, there), metrics in metrics_of.items()
        ]
        return [f"Not all metrics rank like {comparison.metric.name}: {', and '.join(pairs)}."]
    if not metrics_of:
        return []
    (((here, there), metrics),) = metrics_of.items()
    ranked = f"{listed(metrics)} {_verb(metrics, 'rank')} {labels[there]} above {labels[here]}"
    habits = [f"{labels[name]} has {_habits(comparison[name])}" for name in (there, here)]
    return [f"{ranked}, {comparison.metric.name} below: {'; '.join(habits)}."]


def _first_exchange(ranks: Sequence[int]) -> tuple[int, int] | None:
    """Return the first i and the first j > i whose ranks are in reverse order.

    >>> _first_exchange([0, 2, 1])
    (1, 2)
    """
    for i, rank in enumerate(ranks):
        if min(ranks[i + 1 :], default=rank) < rank:
            return i, next(j for j in range(i + 1, len(ranks)) if ranks[j] < rank)
    return None


def _habits(row: SegmenterRow) -> str:
    rates = f"precision {row.precision:.2f}, recall {row.recall:.2f}"
    return f"{rates} and {row.density:.2f} boundaries per reference boundary"


def warnings(comparison: Comparison) -> list[str]:
    """Return the caveats."""
    notes = []
    n_documents, n_tested = len(comparison.documents), len(comparison.tested)
    if n_documents == 1:
        notes.append("Only one document: results do not generalize to others and have no interval.")
    elif n_documents < FEW_DOCUMENTS:
        few = f"Only {n_documents} documents"
        notes.append(f"{few}: intervals are too narrow and differences are hard to show.")
    if n_tested > 1:
        notes.append(power_note(n_documents, n_tested, comparison.alpha))
    if len(comparison.coders) == 1:
        notes.append("Only one reference coder: another coder might mark different boundaries.")
    notes += role_caveats(comparison.coders, comparison.uncoded, comparison.types_lacking)
    if comparison.report is not None and comparison.report.reason:
        notes.append(comparison.report.reason)
    return notes


def against_people(comparison: Comparison) -> list[str]:
    """Return which segmenters differ from people, if that was tested."""
    report = comparison.human_test
    if report is None:
        return []
    names: dict[str, list[str]] = {"differ": [], "not significant": [], CANNOT_TELL: []}
    for contrast in report.contrasts:
        if comparison[contrast.first].kind == "segmenter":
            names[report.verdict(contrast)].append(contrast.first)
    unlike, alike, unknown = names.values()
    parts = [f"{listed(unlike)} {_verb(unlike, 'differ')} from people"] if unlike else []
    parts += [f"no significant difference between {listed(alike)} and people"] if alike else []
    documents = counted(report.subjects, "document")
    parts += [f"{CANNOT_TELL} for {listed(unknown)} against people with {documents}"] if unknown else []
    sentence = "; ".join(parts)
    return [f"{sentence[0].upper()}{sentence[1:]} ({report.procedure}, α = {comparison.alpha:g})."]


def _verb(names: Sequence[str], verb: str) -> str:
    return verb if len(names) > 1 else f"{verb}s"


def notes(comparison: Comparison) -> list[Note]:
    """Return conclusions, disagreements, caveats and signatures."""
    return [
        *map(finding, filter(None, (verdict(comparison), failures(comparison)))),
        *map(finding, disagreements(comparison)),
        *map(finding, against_people(comparison)),
        *map(caveat, warnings(comparison)),
        reading(whose_references(comparison.coders)),
        *map(signature, comparison.signatures.values()),
    ]


# -------------------------------------------------------------------- in tables


def main_table(comparison: Comparison) -> Table:
    """Return F13t Table 5.8 with intervals over documents, the other metrics and the segmenters beaten."""
    letters, labels = comparison.letters, comparison.labels
    name, level = comparison.metric.name, percent(comparison.confidence)
    over = "boundary pairs" if isinstance(comparison.metric, B) else "codings"
    first = ["", "segmenter", name, f"low {level}", f"high {level}", "beats"]
    last = ["B-P", "B-R", "B-F1", "n", "codings", f"SE of {over.split()[-1]}"]
    names = [*first, *distinct(_beside(comparison), beside=(*first, *last)), *last]
    note = f"beats: the letters of the segmenters that it beats; {level}: bootstrap interval over documents"
    note += f"; SE: treats {over} as independent, as published; n: boundary pairs."
    rows: list[list[Cell]] = [
        [
            letters.get(row.name, ""),
            labels[row.name] if row.kind == "segmenter" else f"{labels[row.name]} ({row.kind})",
            *(row.value, *(row.interval or (None, None)), " ".join(_beaten(comparison, row.name))),
            *(averages.value for averages in row.beside.values()),
            *(row.precision, row.recall, row.f1, round(row.n_pairs), row.n_codings, row.se),
        ]
        for row in _people_first(comparison)
    ]
    return Table.under(names, rows, [*notes(comparison), reading(note)])


def _beside(comparison: Comparison) -> list[str]:
    """Return the headings of the metrics beside the deciding one."""
    return [comparison.headings[spec] for spec in comparison.rows[0].beside]


LONG_RUN = 5
"""From this many on, neighbors in the ranking are written as a range."""


def _beaten(comparison: Comparison, name: str) -> list[str]:
    """Return the letters of the segmenters it beats, in the order of the ranking; long runs as c–k."""
    letters = [*comparison.letters.values()]
    ranks = sorted(comparison.ranking.index(loser) for loser in comparison.beats(name))
    shown: list[str] = []
    for _, group in groupby(enumerate(ranks), key=lambda numbered: numbered[1] - numbered[0]):
        run = [letters[i] for _, i in group]
        shown += [f"{run[0]}–{run[-1]}"] if len(run) >= LONG_RUN else run
    return shown


def _people_first(comparison: Comparison) -> list[SegmenterRow]:
    people = [row for row in comparison.rows if row.kind == "upper bound"]
    return [*people, *(comparison[name] for name in comparison.ranking)]


def latex(comparison: Comparison, full: bool = False) -> str:
    """Return the main table for a paper (booktabs): best values bold, beaten segmenters as superscripts."""
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

    def superscript(row: SegmenterRow) -> str:
        beaten = _beaten(comparison, row.name)
        comma = "" if all(len(letter) == 1 for letter in beaten) else ","
        return rf"$^{{{comma.join(beaten)}}}$" if beaten else ""

    def bounds(row: SegmenterRow) -> str:
        low, high = row.interval or (math.nan, math.nan)
        return "" if math.isnan(low) else f"[{low:.4f}, {high:.4f}]"

    level = percent(comparison.confidence)
    is_known = any(map(bounds, comparison.rows))
    rows = [
        [
            *(letters.get(row.name, ""), latex_escape(comparison.labels[row.name])),
            shown(row, "value") + superscript(row),
            *([bounds(row)] if is_known else []),
            *(shown(row, rate) for rate in ("precision", "recall", "f1")),
            *(f"{row.n_pairs:.0f}", *(f"{averages.value:.4f}" for averages in row.beside.values())),
        ]
        for row in _people_first(comparison)
    ]
    names = ["segmenter", metric.name, *([f"[{level}]"] if is_known else []), "B-P", "B-R"]
    head = ["", *map(latex_escape, names), "B-F$_1$", "$n$", *map(latex_escape, _beside(comparison))]
    interval = f"[{level}]: bootstrap interval over {counted(len(comparison.documents), 'document')}"
    signatures = map(signature, comparison.signatures.values())
    caption = [
        f"Superscripts: segmenters that are beaten at α = {comparison.alpha:g}",
        *([interval] if is_known else []),
        whose_references(comparison.coders).rstrip("."),
        *(note.text if full else note.short for note in signatures),
    ]
    return "\n".join(latex_table("ll" + "r" * (len(head) - 2), head, rows, (), ". ".join(caption)))


def edits_table(comparison: Comparison) -> Table:
    """Return matches and edits by kind and side, and the confusion matrix (F13t figure 5.31)."""
    edits = ("matches", "near misses", "wrong types", "missed", "spurious", "TP", "FP", "FN", "TN")
    names = ["segmenter", *edits, "density"]
    rows: list[list[Cell]] = []
    for row in comparison.rows:
        counts = [float(getattr(row, name.lower().replace(" ", "_"))) for name in edits]
        cells = [int(count) if count.is_integer() else count for count in counts]
        rows.append([comparison.labels[row.name], *cells, row.density])
    note = "missed: only the reference has it (FN); spurious: only the segmenter has it (FP)"
    notes = [reading(note), signature(signature_of(comparison.editing, comparison.rows[0].n_codings))]
    return Table.under(names, rows, notes, "Edits", digits=1)


def macro_table(comparison: Comparison) -> Table:
    """Return means over codings for every metric, with SE and Student's interval (F13t Table 5.7)."""
    level = percent(comparison.confidence)
    names = ["segmenter"]
    for heading in map(comparison.headings.__getitem__, comparison.means):
        names += [heading, f"SE {heading}", f"low {level} {heading}", f"high {level} {heading}"]
    rows: list[list[Cell]] = []
    for name in comparison.tested:
        cells = [cell for means in comparison.means.values() for cell in means[name]]
        rows.append([comparison.labels[name], *cells, comparison[name].n_codings])
    note = "Student's intervals treat codings as independent; those of the main table resample documents."
    signatures = [signature(comparison.signatures[spec]) for spec in comparison.means]
    return Table.under((*names, "codings"), rows, [reading(note), *signatures], "Means over codings")


def documents_table(comparison: Comparison) -> Table:
    """Return each segmenter's value on each document: which documents are hard."""
    return _breakdown(comparison, "document", comparison.documents, comparison.counts)


def coders_table(comparison: Comparison) -> Table:
    """Return each segmenter's value against each coder: which coders are hard to match."""
    counts = np.stack([row.by_coder for row in comparison.tested_rows], axis=1)
    return _breakdown(comparison, "coder", comparison.coders, counts)


def _breakdown(comparison: Comparison, subject: str, names: Sequence[str], counts: FloatArray) -> Table:
    metric = comparison.metric
    values = pooled(metric, counts)
    overall = pooled(metric, counts.sum(axis=1))
    distance = np.array([metric.distance_from_best(value) for value in overall.tolist()])
    order = np.argsort(distance, kind="stable")[::-1].tolist()
    rows = ([names[i], *values[i].tolist(), float(overall[i])] for i in order)
    labels = [comparison.labels[name] for name in comparison.tested]
    columns = (subject, *distinct(labels, beside=(subject, "together")), "together")
    note = f"Hardest first; {metric.name} pooled over all coders and documents of a row."
    return Table.under(columns, rows, _read_by(note, comparison), f"By {subject}")


def tests_table(comparison: Comparison) -> Table:
    """Return the default test of every pair of segmenters."""
    report = comparison.report
    table = _contrasts(comparison, report, finding(conclusion(comparison)))
    if report is None or not report.cannot_tell:
        return table
    reason = cannot_tell(report.cannot_tell[0], report, comparison)
    return replace(table, notes=[*table.notes, caveat(f"{CANNOT_TELL}: {reason}")])


def human_table(comparison: Comparison) -> Table:
    """Return the test of every segmenter and lower bound against people."""
    return _contrasts(comparison, comparison.human_test, reading("No document has two reference coders."))


def _contrasts(comparison: Comparison, report: TestReport | None, without: Note) -> Table:
    """Return the contrasts of a test, or a table with a note if there was none."""
    if report is None:
        return Table.under(("first", "second", "difference", "p", "adjusted p", "verdict"), (), [without])
    table = contrasts_table(report.named(comparison.labels), f"difference of {comparison.metric.name}")
    return replace(table, notes=[*table.notes, signature(comparison.signature)])


def differences_table(comparison: Comparison) -> Table:
    """Return the default test's differences as a square, from best to worst: row minus column."""
    contrasts = comparison.report.contrasts if comparison.report is not None else ()
    difference = {(pair.first, pair.second): pair.difference for pair in contrasts}
    difference |= {(second, first): -value for (first, second), value in difference.items()}
    order = [name for name in comparison.ranking if any(name in pair for pair in difference)]
    labels = [comparison.labels[name] for name in order]
    rows: list[list[Cell]] = [
        [comparison.labels[row], *(difference.get((row, column)) for column in order)] for row in order
    ]
    names = ["segmenter", *distinct(labels, beside=("segmenter",))]
    note = f"{comparison.metric.name} of the row minus {comparison.metric.name} of the column."
    return Table.under(names, rows, _read_by(note, comparison), "Differences", digits=2)


def _read_by(note: str, comparison: Comparison) -> list[Note]:
    return [reading(note), signature(comparison.signature)]


present(
    Comparison,
    notes=notes,
    words=lambda comparison: {
        "conclusion": conclusion(comparison),
        "disagreements": disagreements(comparison),
        "warnings": warnings(comparison),
    },
    latex=latex,
    main=main_table,
    edits=edits_table,
    macro=macro_table,
    documents=documents_table,
    coders=coders_table,
    tests=tests_table,
    human=human_table,
    differences=differences_table,
    drop=lambda comparison: comparison.drop.to_table(),
)
