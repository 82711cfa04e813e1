"""Two agreements and their difference in a table."""

from __future__ import annotations

from caesura.analyses.agreement_difference.results import AgreementDifference
from caesura.analyses.agreement_difference.sentences import conclusion, notes
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table
from caesura.wording import percent


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
