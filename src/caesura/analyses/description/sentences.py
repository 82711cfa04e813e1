"""What a description means in words: how coders differ, who stands out, what n_t would change."""

from __future__ import annotations

from itertools import pairwise

from caesura.analyses.description.coders import MIN_CODERS_FOR_FENCES
from caesura.analyses.description.prominence import K_MIN, Support
from caesura.analyses.description.results import Description, ratio
from caesura.results.notes import Note, finding, reading, recipe
from caesura.version import __version__
from caesura.wording import listed


def findings(description: Description) -> list[str]:
    """Return one or two sentences that say what the numbers mean."""
    return [pair_finding(description), coder_finding(description)]


def pair_finding(description: Description) -> str:
    """Say what becomes of boundaries when two coders are compared."""
    if not description.pairs:
        return "No document has two coders, so there is nothing to compare."
    if not description.pair_boundaries:
        return "No coder marks any boundary in the documents with two coders or more."
    shares = description.shares
    sentence = (
        f"When two coders are compared, {shares.matched:.0%} of their boundaries match, "
        f"{shares.near_missed:.0%} are near misses and {shares.missed:.0%} are full misses"
    )
    if shares.substituted:
        sentence += f" ({shares.substituted:.0%} have another type)"
    wider = next((edits for edits in description.sweep if edits.n_t == description.n_t + 1), None)
    if wider is not None:
        kinds = (description.pair_additions, description.pair_substitutions, description.pair_transpositions)
        now = sum(kinds)
        fewer = now - wider.edits
        sentence += f"; n_t={wider.n_t} would need {ratio(fewer, now):.0%} fewer edits" if fewer else ""
    return sentence + "."


def coder_finding(description: Description) -> str:
    """Say which coders mark far more or fewer boundaries than others."""
    if description.coders < MIN_CODERS_FOR_FENCES:
        return f"Fewer than {MIN_CODERS_FOR_FENCES} coders: too few to point out outliers."
    parts = []
    for which in ("more", "fewer"):
        names = [rate.coder for rate in description.outliers if rate.outlier == which]
        if names:
            verb = "marks" if len(names) == 1 else "mark"
            parts.append(f"{listed(names, most=5)} {verb} far {which} boundaries")
    if not parts:
        return "No coder's boundary rate is far from that of the others on the same documents."
    return f"{' and '.join(parts)} than the other coders of the same documents (Tukey's fences)."


def sweep_findings(description: Description) -> list[str]:
    """Say at which n_t the number of edits drops most."""
    drops = [
        (ratio(narrow.edits - wide.edits, narrow.edits), narrow.n_t, wide.n_t)
        for narrow, wide in pairwise(description.sweep)
        if narrow.edits
    ]
    if not drops:
        return []
    drop, narrow_n_t, wide_n_t = max(drops, key=lambda found: found[0])
    if drop <= 0:
        return ["The number of edits does not depend on n_t here."]
    return [
        f"The steepest drop of edits is {drop:.0%}, from n_t={narrow_n_t} to n_t={wide_n_t}; Fournier "
        "(2013, §5.2.1.1) reads it as a sign that the larger of the two may be supportable."
    ]


def notes(description: Description) -> list[Note]:
    """Return what the numbers mean, and their recipe."""
    return [*map(finding, findings(description)), recipe(description.signature)]


def support_notes(support: Support) -> list[Note]:
    """Return what the columns of support are, and their recipe."""
    return [
        reading("coders who mark the position, or one at most k/2 or k away; prominence: exact / coders"),
        recipe(f"support|k={support.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"),
    ]
