"""What a sweep found, in words."""

from __future__ import annotations

import math

from caesura.analyses.thresholds.results import Sweep
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.wording import counted

NOUNS = {"threshold": "threshold", "segments": "number of segments"}


def notes(found: Sweep) -> list[Note]:
    """Return the best cut with both values, what they do not show, and the recipe."""
    best, name = found.best, found.metric.name
    said = f"The best {NOUNS[found.over]} is {best.cut:.4g}: {name} {best.value:.3f} where it was chosen"
    said_more = [caveat(_spread(found))] if found.chosen and len(set(found.chosen)) > 1 else []
    if math.isnan(best.held_out):
        finding_note = finding(f"{said}.")
        said_more = [caveat("one document: nothing is held out, and the value is too good")]
    else:
        held = f"{len(found.chosen)} parts of {counted(found.documents, 'document')}"
        finding_note = finding(f"{said}, {best.held_out:.3f} on documents held out ({held}).")
    read = f"boundaries: of all documents together, of {counted(found.gaps, 'gap')}"
    if found.n_cuts > len(found.curve):
        read += f"; {len(found.curve):,} of {found.n_cuts:,} different cuts were tried"
    return [finding_note, *said_more, reading(read), recipe(found.signature)]


def _spread(found: Sweep) -> str:
    low, high = min(found.chosen), max(found.chosen)
    return f"without one part of the documents the best {NOUNS[found.over]} is {low:.4g} to {high:.4g}"
