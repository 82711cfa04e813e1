"""Two agreements and their difference in words and in a table."""

from __future__ import annotations

import math

from caesura.analyses.agreement_difference.analysis import AgreementDifference
from caesura.analyses.coder_agreement.words import SIZES, ends, left_out, sizes
from caesura.checks import ALPHA
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Table
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.wording import counted, p_shown, percent


def conclusion(result: AgreementDifference) -> str:
    """Return a sentence: who agrees better, by how much, and how sure that is."""
    if math.isnan(result.difference):
        return f"{result.coefficient} cannot be compared: {result.reason}."
    first, second = result.names
    values = f"{result.first.value:.3f} for {first} and {result.second.value:.3f} for {second}"
    change = f"{result.coefficient} is {values}, a difference of {result.difference:+.3f}"
    if result.interval is not None:
        level = percent(result.confidence)
        change += f" [{level}: {result.interval.low:+.3f} to {result.interval.high:+.3f}]"
    if math.isnan(result.p_value):
        return f"{change}{f'; {result.reason}' if result.reason else ''}."
    return f"{change}: {_verdict(result)}."


def _verdict(result: AgreementDifference) -> str:
    if result.p_value > ALPHA and result.least_p > ALPHA:
        return f"inconclusive, since with so few documents the smallest possible p is {result.least_p:.3f}"
    if result.p_value > ALPHA:
        return f"not significant ({p_shown(result.p_value)})"
    better, worse = result.names if result.difference > 0 else result.names[::-1]
    return f"the coders of {better} agree better than those of {worse} ({p_shown(result.p_value)})"


def design(result: AgreementDifference) -> str:
    """Return a sentence on what was compared with what."""
    n = result.first.n_documents, result.second.n_documents
    own = [size - result.n_shared for size in n]
    if not any(own):
        paired = f"All {n[0]:,} documents are in both versions and compared in pairs"
    elif not result.n_shared:
        paired = f"No document is in both versions ({n[0]:,} and {n[1]:,} documents)"
    else:
        paired = (
            f"{counted(result.n_shared, 'document')} in both versions, compared in pairs; {own[0]:,} only in "
            f"{result.names[0]}, {own[1]:,} only in {result.names[1]}"
        )
    if not result.n_exchanges:
        return f"{paired}."
    which = "exact" if result.is_exact else "random"
    between = "versions within documents" if result.n_shared else "documents between the two"
    return f"{paired}; p permutes {between} ({result.n_exchanges:,} permutations, {which})."


def notes(result: AgreementDifference) -> list[Note]:
    """Return what the numbers mean, what they do not, and the signature."""
    sides = [*zip(result.names, (result.first, result.second), strict=True)]
    single = [
        caveat(f"{name}: {left_out(side.n_single_documents, side.single_documents)}")
        for name, side in sides
        if side.single_documents
    ]
    fewest = min(side.n_documents for _, side in sides)
    few = f"Only {fewest} documents: the interval is probably too narrow."
    narrow = [caveat(few)] if result.interval is not None and fewest < FEW_DOCUMENTS else []
    first = finding(conclusion(result)), reading(design(result))
    return [*first, *single, *narrow, signature(result.signature)]


def difference_table(result: AgreementDifference) -> Table:
    """Return a row for each of the two, and below them the difference."""
    first, second, level = result.first, result.second, percent(result.confidence)
    names = ("version", *SIZES, first.metric.name, result.coefficient, f"low {level}", f"high {level}", "p")
    rows: list[list[Cell]] = [
        [name, *sizes(side), side.observed, side.value, None, None, None]
        for name, side in zip(result.names, (first, second), strict=True)
    ]
    change = first.observed - second.observed, result.difference, *ends(result.interval)
    total: list[Cell] = ["difference", None, result.n_shared, None, None, *change, result.p_value]
    return Table.under(names, [*rows, total], notes(result))


present(
    AgreementDifference,
    notes=notes,
    words=lambda result: {"conclusion": conclusion(result)},
    main=difference_table,
)
