"""Two agreements and their difference in words and in a table."""

from __future__ import annotations

import math

from caesura.analyses.agreement_difference.results import AgreementDifference
from caesura.analyses.coder_agreement.words import left_out
from caesura.checks import ALPHA
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Presentation, present
from caesura.results.table import Cell, Column, Table
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.wording import counted, percent


def conclusion(found: AgreementDifference) -> str:
    """Return a sentence: who agrees better, by how much, and how sure that is."""
    if math.isnan(found.difference):
        return f"{found.coefficient} cannot be compared: {found.reason}."
    first, second = found.names
    values = f"{found.first.value:.3f} of {first}, {found.second.value:.3f} of {second}"
    change = f"{found.coefficient} {values}: a difference of {found.difference:+.3f}"
    if found.interval is not None:
        level = percent(found.confidence)
        change += f" [{level}: {found.interval.low:+.3f} to {found.interval.high:+.3f}]"
    if math.isnan(found.p_value):
        return f"{change}{f'; {found.reason}' if found.reason else ''}."
    return f"{change}; {_verdict(found)}."


def _verdict(found: AgreementDifference) -> str:
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    if found.p_value > ALPHA and found.least_p > ALPHA:
        return f"cannot tell: so few documents allow no p below {found.least_p:.3f}"
    if found.p_value > ALPHA:
        return f"that may be chance ({p})"
    better, worse = found.names if found.difference > 0 else found.names[::-1]
    return f"the coders of {better} agree better than those of {worse} ({p})"


def design(found: AgreementDifference) -> str:
    """Return a sentence on what was compared with what."""
    n = found.first.totals.n_documents, found.second.totals.n_documents
    own = [size - found.n_shared for size in n]
    if not any(own):
        paired = f"All {n[0]:,} documents are in both and are compared with themselves"
    elif not found.n_shared:
        paired = f"No document is in both ({n[0]:,} and {n[1]:,} documents)"
    else:
        paired = (
            f"{counted(found.n_shared, 'document')} in both, compared with themselves; {own[0]:,} only in "
            f"{found.names[0]}, {own[1]:,} only in {found.names[1]}"
        )
    if not found.n_exchanges:
        return f"{paired}."
    how = "all there are" if found.is_exact else "at random"
    between = "versions within documents" if found.n_shared else "documents between the two"
    return f"{paired}; p exchanges {between} ({found.n_exchanges:,} exchanges, {how})."


def notes(found: AgreementDifference) -> list[Note]:
    """Return what the numbers mean, what they do not, and the signature."""
    said = [finding(conclusion(found)), reading(design(found))]
    for name, one in zip(found.names, (found.first, found.second), strict=True):
        if one.single_documents:
            said.append(caveat(f"{name}: {left_out(one.n_single_documents, one.single_documents)}"))
    fewest = min(found.first.totals.n_documents, found.second.totals.n_documents)
    if found.interval is not None and fewest < FEW_DOCUMENTS:
        said.append(caveat(f"the interval comes from only {fewest} documents and is probably too narrow"))
    return [*said, signature(found.signature)]


# -------------------------------------------------------------------- in tables


def difference_table(found: AgreementDifference) -> Table:
    """Return a row for each of the two, and below them the difference."""
    level = percent(found.confidence)
    names = ("version", "coders", "docs", "pairs", "boundaries", found.first.metric.name, found.coefficient)
    columns = [*names, f"low {level}", f"high {level}", "p"]
    rows: list[list[Cell]] = [
        [
            name,
            one.totals.n_coders,
            one.totals.n_documents,
            one.n_pairs,
            one.n_boundaries,
            one.observed,
            one.value,
            None,
            None,
            None,
        ]
        for name, one in zip(found.names, (found.first, found.second), strict=True)
    ]
    ends: list[Cell] = [None, None] if found.interval is None else [found.interval.low, found.interval.high]
    shared, observed = found.n_shared, found.first.observed - found.second.observed
    total: list[Cell] = [
        "difference",
        None,
        shared,
        None,
        None,
        observed,
        found.difference,
        *ends,
        found.p_value,
    ]
    return Table("", [Column(name) for name in columns], [*rows, total], notes=notes(found))


present(
    AgreementDifference,
    Presentation(
        tables={"main": difference_table},
        notes=notes,
        words=lambda found: {"conclusion": conclusion(found)},
    ),
)
