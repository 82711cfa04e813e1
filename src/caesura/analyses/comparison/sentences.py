"""What a comparison means in words: its conclusion, where metrics disagree, and what to distrust."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.stats.choosing import FEW_DOCUMENTS, power_note
from caesura.stats.outcome import Contrast, TestReport
from caesura.wording import counted, judged_by, listed, whole_percent, without_types

PRECISE = 0.75
"""A segmenter with such a precision is called precise."""

ONE_SIDED = 1.25
"""How many times precision has to exceed recall, or recall precision, to be worth a remark."""

MOST_REMARKS = 5
"""Of how many segmenters it is said how they err."""


def conclusion(comparison: Comparison) -> str:
    """Return what the data supports, and no more."""
    metric, report = comparison.metric, comparison.report
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = min(ours, key=lambda row: metric.distance_from_best(row.value))
    if report is None:
        return f"{best.name} has {metric.name} {best.value:.3f}; nothing to compare it with."
    others = [name for name in comparison.tested if name != best.name]
    beaten = set(comparison.beats(best.name))
    open_to = {
        ({contrast.first, contrast.second} - {best.name}).pop(): contrast
        for contrast in report.cannot_tell
        if best.name in (contrast.first, contrast.second)
    }
    won = [name for name in others if name in beaten]
    unknown = [name for name in others if name in open_to and name not in beaten]
    alike = [name for name in others if name not in beaten and name not in open_to]
    parts = []
    if won:
        parts.append(f"{best.name} is better than {listed(won)}")
    if alike:
        shown = f"but no difference from {listed(alike)} is shown"
        if not won:
            shown = f"no difference is shown between {best.name} and {_others(alike, others)}"
        parts.append(shown)
    if unknown:
        whom = f"whether {best.name} differs from {_others(unknown, others)}"
        parts.append(f"{whom} the test cannot tell: {cannot_tell(open_to[unknown[0]], report, comparison)}")
    said = ", ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
    said = said if won else said[0].upper() + said[1:]
    recipe = f"({metric.name} {best.value:.3f}; {report.procedure}, α = {comparison.alpha:g})"
    return f"{said} {recipe}. {_failures(ours)}".rstrip()


def _others(names: Sequence[str], others: Sequence[str]) -> str:
    return "the others" if len(names) == len(others) and len(names) > 1 else listed(names)


def cannot_tell(contrast: Contrast, report: TestReport, comparison: Comparison) -> str:
    """Say why a test could not have found a difference."""
    n, n_pairs = contrast.subjects, len(report.contrasts)
    what = counted(n, "document")
    if 2.0 ** (1 - n) * n_pairs < report.alpha:
        what = counted(comparison.n_exchanges, "exchange")
    elif n < report.subjects:
        what = f"the {what} in which they differ"
    times = f", adjusted for {n_pairs:,} pairs" if n_pairs > 1 else ""
    together = ""
    if report.omnibus is not None and report.omnibus.p_value < report.alpha:
        together = f"; that all are equally good is ruled out (p = {report.omnibus.p_value:.2g})"
    return f"{what} {'allows' if n == 1 else 'allow'} no p below {contrast.least_p:.2g}{times}{together}"


def _failures(rows: Sequence[SegmenterRow]) -> str:
    """Say how the segmenters err, where it is one-sided."""
    parts = []
    for row in rows:
        if row.actual and row.precision > ONE_SIDED * row.recall:
            is_precise = "is precise but " if row.precision >= PRECISE else ""
            parts.append(
                f"{row.name} {is_precise}misses {whole_percent(row.missed / row.actual)} of the boundaries"
            )
        elif row.actual and row.recall > ONE_SIDED * row.precision:
            parts.append(
                f"{whole_percent(row.spurious / row.predicted)} of the boundaries of {row.name} are spurious"
            )
    if len(parts) > MOST_REMARKS:
        parts[MOST_REMARKS:] = [f"{len(parts) - MOST_REMARKS} more err on one side"]
    return f"{'; '.join(parts)}." if parts else ""


def disagreements(comparison: Comparison) -> list[str]:
    """Say where another metric ranks segmenters differently, and what may be behind it."""
    notes = []
    for other in comparison.others:
        place = {name: i for i, name in enumerate(comparison.rankings[repr(other)])}
        swapped = _first_exchange([place[name] for name in comparison.ranking])
        if swapped:
            here, there = (comparison[comparison.ranking[i]] for i in swapped)
            notes.append(
                f"{other.name} puts {there.name} before {here.name}, {comparison.metric.name} after: "
                f"{_habits(there)}; {_habits(here)}."
            )
    return notes


def _first_exchange(places: Sequence[int]) -> tuple[int, int] | None:
    """Return the first i and the first j > i that stand the other way round elsewhere.

    >>> _first_exchange([0, 2, 1])
    (1, 2)
    """
    least_after = [*places]
    for i in range(len(places) - 2, -1, -1):
        least_after[i] = min(least_after[i], least_after[i + 1])
    for i, place in enumerate(places[:-1]):
        if least_after[i + 1] < place:
            return i, next(j for j in range(i + 1, len(places)) if places[j] < place)
    return None


def _habits(row: SegmenterRow) -> str:
    return (
        f"{row.name} has precision {row.precision:.2f}, recall {row.recall:.2f} and {row.density:.2f} "
        "boundaries per reference boundary"
    )


def warnings(comparison: Comparison) -> list[str]:
    """Say what the numbers do not show."""
    notes = []
    n_documents, n_tested = len(comparison.documents), len(comparison.tested)
    if n_documents < FEW_DOCUMENTS:
        few = "One document says nothing about others: there is no interval"
        if n_documents > 1:
            few = f"Only {n_documents} documents: intervals are too narrow"
        notes.append(f"{few}, and differences are hard to show.")
    if n_tested > 1:
        notes.append(power_note(n_documents, n_tested, comparison.alpha))
    if len(comparison.coders) == 1:
        notes.append("One reference coder: another person might mark other boundaries.")
    if comparison.types_lacking:
        notes.append(without_types(comparison.types_lacking))
    if comparison.report is not None and comparison.report.reason:
        notes.append(comparison.report.reason)
    return notes


def notes(comparison: Comparison) -> list[Note]:
    """Return all of it, and the recipe."""
    return [
        finding(conclusion(comparison)),
        *map(finding, disagreements(comparison)),
        *map(caveat, warnings(comparison)),
        reading(judged_by(comparison.coders)),
        *map(recipe, comparison.signatures.values()),
    ]
