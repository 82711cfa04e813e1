"""What a description means in words: how coders differ, who stands out, what n_t would change."""

from __future__ import annotations

import math
from itertools import pairwise

from caesura.analyses.description.coders import ALPHA
from caesura.analyses.description.documents import ByDocument
from caesura.analyses.description.prominence import K_MIN, Support
from caesura.analyses.description.results import Described, Description, StreamedDescription, ratio
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.version import __version__
from caesura.wording import counted, listed, shortened, whole_percent


def findings(description: Description) -> list[str]:
    """Return one or two sentences that say what the numbers mean."""
    return [pair_finding(description), coder_finding(description)]


def pair_finding(description: Described) -> str:
    """Say what becomes of boundaries when two coders are compared."""
    if not description.pairs:
        return "No document has two coders, so there is nothing to compare."
    if not description.pair_boundaries:
        return "No coder marks any boundary in the documents with two coders or more."
    shares = description.shares
    sentence = (
        f"When two coders are compared, {whole_percent(shares.matched)} of their boundaries match, "
        f"{whole_percent(shares.near_missed)} are near misses and {whole_percent(shares.missed)} are full "
        "misses"
    )
    if shares.substituted:
        kind = "level" if description.is_hierarchical else "type"
        sentence += f" ({whole_percent(shares.substituted)} have another {kind})"
    wider = next((edits for edits in description.sweep if edits.n_t == description.n_t + 1), None)
    if wider is not None:
        kinds = (description.pair_additions, description.pair_substitutions, description.pair_transpositions)
        now = sum(kinds)
        fewer = now - wider.edits
        sentence += (
            f"; n_t={wider.n_t} would need {whole_percent(ratio(fewer, now))} fewer edits" if fewer else ""
        )
    return sentence + "."


MOST_NAMED = 5
"""How many coders a sentence names."""


def coder_finding(description: Description) -> str:
    """Say which coders mark more or fewer boundaries than others, or why that cannot be told."""
    tested = [rate for rate in description.coder_rates if not math.isnan(rate.p_value)]
    if not tested:
        return "No document has two coders, so their rates cannot be compared."
    outliers = sorted(description.outliers, key=lambda rate: -abs(rate.difference))
    if outliers:
        verbs = [" marks", *[""] * (len(outliers) - 1)]
        said = [
            f"{shortened(rate.coder)}{verb} {abs(rate.difference):.1f} {rate.outlier}"
            for rate, verb in zip(outliers, verbs, strict=True)
        ]
        p = max(rate.p_value for rate in outliers)
        return (
            f"{listed(said, most=MOST_NAMED)} boundaries per 100 positions than the other coders of the same "
            f"documents, beyond chance (counts by document exchanged among coders, Holm, p ≤ {p:.2g})."
        )
    least = min(rate.least_p for rate in tested)
    if least > ALPHA:
        return (
            "Whether a coder marks more or fewer boundaries than others cannot be told from "
            f"{counted(description.documents, 'document')} by {counted(len(tested), 'coder')}: no p below "
            f"{least:.2g} is possible."
        )
    return "No coder's boundary rate differs from that of the others on the same documents beyond chance."


def sweep_findings(description: Described) -> list[str]:
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
        f"The steepest drop of edits is {whole_percent(drop)}, from n_t={narrow_n_t} to n_t={wide_n_t}; "
        "Fournier (2013, §5.2.1.1) reads it as a sign that the larger of the two may be supportable."
    ]


def notes(description: Description) -> list[Note]:
    """Return what the numbers mean, and their recipe."""
    return [*map(finding, findings(description)), recipe(description.signature)]


STREAM_NOTE = (
    "a stream lists no outliers among coders, support of positions or single documents: these are no sums "
    "over documents; read the data into memory for them."
)


def streamed_notes(description: StreamedDescription) -> list[Note]:
    """Return what the numbers of a stream mean, what is missing, and their recipe."""
    left_out = [caveat(f"left out: {line}") for line in description.left_out]
    said = [finding(pair_finding(description)), *left_out, reading(STREAM_NOTE)]
    return [*said, recipe(description.signature)]


def document_notes(found: ByDocument) -> list[Note]:
    """Return in which documents most agreement is lost, and the recipe."""
    compared = [row for row in found.rows if row.pairs]
    notes = [
        reading(
            "B: over all pairs of the document's coders; lost: its part of the weight of all edits; "
            "boundaries: of all coders together"
        ),
        recipe(found.signature),
    ]
    if not compared:
        return [finding("No document has two coders, so there is nothing to compare."), *notes]
    least = compared[0]
    if least.value == 1:
        return [finding("No coder differs from another in any document."), *notes]
    most = max(compared, key=lambda row: row.lost)
    said = f"The coders of {shortened(least.document)} agree least (B {least.value:.2f})"
    if len(compared) > 1:
        said += f"; most is lost in {shortened(most.document)}, {whole_percent(most.lost)} of all"
    return [finding(f"{said}."), *notes]


def support_notes(support: Support) -> list[Note]:
    """Return what the columns of support are, and their recipe."""
    return [
        reading("coders who mark the position, or one at most k/2 or k away; prominence: exact / coders"),
        recipe(f"support|k={support.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"),
    ]
