"""What a comparison means in words: its conclusion, where metrics disagree, and what to distrust."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.results.notes import Note, caveat, finding, recipe
from caesura.stats.choosing import FEW_DOCUMENTS, power_note
from caesura.wording import listed


def conclusion(comparison: Comparison) -> str:
    """Return what the data supports, and no more."""
    metric, report = comparison.metric, comparison.report
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = min(ours, key=lambda row: metric.distance_from_best(row.value))
    if report is None:
        return f"{best.name} has {metric.name} {best.value:.3f}; nothing to compare it with."
    beaten = set(comparison.beats(best.name))
    others = [name for name in comparison.tested if name != best.name]
    if beaten >= set(others):
        start = f"{best.name} is better than {listed(others)} ({metric.name} {best.value:.3f}"
    elif beaten:
        won = [name for name in others if name in beaten]
        rest = [name for name in others if name not in beaten]
        start = (
            f"{best.name} is better than {listed(won)}, but no difference from {listed(rest)} is shown "
            f"({metric.name} {best.value:.3f}"
        )
    else:
        start = f"No difference is shown between {best.name} and the others ({metric.name} {best.value:.3f}"
    return f"{start}; {report.procedure}, α = {comparison.alpha:g}). {_failures(ours)}".rstrip()


def _failures(rows: Sequence[SegmenterRow]) -> str:
    """Say how the segmenters err, where it is one-sided."""
    parts = []
    for row in rows:
        if row.actual and row.precision > 1.25 * row.recall:
            parts.append(f"{row.name} is precise but misses {row.missed / row.actual:.0%} of the boundaries")
        elif row.actual and row.recall > 1.25 * row.precision:
            parts.append(f"{row.spurious / row.predicted:.0%} of the boundaries of {row.name} are spurious")
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
    if comparison.report is not None and comparison.report.reason:
        notes.append(comparison.report.reason)
    return notes


def notes(comparison: Comparison) -> list[Note]:
    """Return all of it, and the recipe."""
    return [
        finding(conclusion(comparison)),
        *map(finding, disagreements(comparison)),
        *map(caveat, warnings(comparison)),
        recipe(comparison.signature),
    ]
