"""What was reproduced, in words: how many facts agree, and how far published points are from ours."""

from __future__ import annotations

from caesura.papers.curves import Series
from caesura.papers.results import Reproduction
from caesura.results.notes import Note, finding, reading, recipe
from caesura.version import __version__

SOURCES = (
    "F13 Fournier (2013), ACL; F13t Fournier (2013), thesis; KS12 Kazantseva & Szpakowicz (2012); "
    "PH02 Pevzner & Hearst (2002); C10 Carroll (2010)"
)


def summary(found: Reproduction) -> str:
    """Say how many agree."""
    rest = len(found.items) - len(found.recomputed)
    figures = f" {len(found.series)} of {len(found.figures)} figures as data." if found.figures else ""
    facts = (
        f"{found.n_agreeing} of {len(found.recomputed)} recomputed facts agree within their tolerance; "
        f"{rest} were not"
    )
    if not found.recomputed:
        facts = f"None of {rest} facts was"
    return f"{facts} recomputed.{figures} caesura {__version__}"


def notes(found: Reproduction) -> list[Note]:
    """Say how many agree, and what the papers are."""
    return [finding(summary(found)), reading(SOURCES)]


def comparison(series: Series) -> str:
    """Say how far the published points are from ours; nothing where there are none."""
    compared = [point for point in series.stated if point.ours is not None]
    rest = len(series.stated) - len(compared)
    parts = []
    if compared:
        parts.append(f"published points: {len(compared)}, largest difference {series.largest_difference:.4f}")
    if rest:
        parts.append(f"{rest} published points were not recomputed")
    return "; ".join(parts)


def series_notes(series: Series) -> list[Note]:
    """Say what is drawn, how far published points are from ours, and how it was made."""
    said = (reading(series.note), finding(comparison(series)), recipe(series.signature))
    return [note for note in said if note.text]
