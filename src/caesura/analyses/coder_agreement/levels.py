"""agreement_levels(): how far coders of hierarchies agree, on each level, on the ranks, and by E_WD.

A hierarchy can be compared in three ways: the boundaries of each level by B; all boundaries at once by B
with the ranks as ordinal types, where a wrong rank costs more the further it is off; and by E_WD (Carroll
2010), which looks at the order of the boundaries alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Chance, Coefficient
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.coder_agreement.sentences import caveats
from caesura.checks import Seed
from caesura.metrics.base import Metric
from caesura.metrics.hierarchical import EWD
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.presentation import Presentation, present
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import check_levels
from caesura.values.type_scheme import name_of_type

MAX_SHOWN = 6
"""How many levels a repr shows."""


@dataclass(frozen=True, eq=False, repr=False)
class LevelAgreement(Result):
    """Agreement of the coders of hierarchies."""

    levels: dict[int, Agreement]
    """The agreement on the boundaries of each rank and of those above."""
    names: tuple[str, ...]
    """What the levels are called."""
    ranked: Agreement
    """The agreement on all boundaries with their ranks as ordinal types."""
    errors: CoderMatrix
    """E_WD between every two coders, both ways."""

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "levels": {str(rank): found.to_dict() for rank, found in self.levels.items()},
            "ranked": self.ranked.to_dict(),
            "E_WD": self.errors.to_dict(),
        }

    def __repr__(self) -> str:
        few = zip(self.names[:MAX_SHOWN], self.levels.values(), strict=False)
        shown = ", ".join(f"{name} {_pooled(found)}" for name, found in few)
        if len(self.names) > MAX_SHOWN:
            shown += f" and {len(self.names) - MAX_SHOWN} more"
        return f"<LevelAgreement: {SYMBOLS[self.ranked.coefficient]} by level: {shown}>"


def level_table(result: LevelAgreement) -> Table:
    """Return a row for each level and group, and below the agreement on the ranks."""
    first = result.ranked
    several = len(first.groups) > 1
    ends = [f"{end} {100 * first.confidence:g} %" for end in ("low", "high")] if first.n_resamples else []
    name = SYMBOLS[first.coefficient]
    columns = ["level", *(["group"] if several else []), "coders", "docs", "pairs", "boundaries"]
    columns += [first.metric.name, f"{name}_{first.metric.name}", *ends, "Fleiss κ"]
    rows = [
        row
        for level, found in zip(result.names, result.levels.values(), strict=True)
        for row in _rows(level, found, several)
    ]
    return Table(
        "",
        [Column(column) for column in columns],
        rows,
        totals=_rows("with ranks", first, several, strict=False),  # strict coefficients know no ranks
        notes=level_notes(result),
    )


def level_notes(result: LevelAgreement) -> list[Note]:
    """Return what the rows are, and what they do not show."""
    name = SYMBOLS[result.ranked.coefficient]
    micro, n = float(result.errors.scores.micro), result.errors.n_pairs
    return [
        reading(
            "A level is the boundaries of its rank and of those above; the last row compares all "
            "boundaries with their ranks, where a wrong rank costs more the further it is off."
        ),
        caveat(
            f"Chance seldom hits the right rank, too, so {name} with ranks is not to be compared "
            "with that of the levels."
        ),
        finding(
            f"E_WD between coders, which looks at the order of boundaries alone: {micro:.4f} "
            f"({n} comparisons, each coder of a pair as reference once; 0 is perfect)."
        ),
        *map(caveat, _reasons(result)),
        *caveats(result.ranked, tests=False),  # there is no z here
        recipe(result.ranked.signature),
        recipe(result.errors.signature),
    ]


def _reasons(result: LevelAgreement) -> Iterator[str]:
    """Say why levels have no value, where only some have none."""
    for level, found in zip(result.names, result.levels.values(), strict=True):
        for number, group in enumerate(found.groups, start=1):
            if group.reason is not None and result.ranked.groups[number - 1].reason is None:
                yield f"{level}{f', group {number}' if len(found.groups) > 1 else ''}: {group.reason}"


def _pooled(found: Agreement) -> str:
    return " ".join(f"{group.value:.4f}" for group in found.groups)


def _rows(level: str, found: Agreement, several: bool, *, strict: bool = True) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for number, group in enumerate(found.groups, start=1):
        interval: list[Cell] = []
        if found.n_resamples:
            interval = [None, None] if group.interval is None else [group.interval.low, group.interval.high]
        rows.append(
            [
                level,
                *([number] if several else []),
                group.totals.n_coders,
                group.totals.n_documents,
                group.n_pairs,
                group.n_boundaries,
                group.observed,
                group.value,
                *interval,
                group.strict.fleiss_kappa if strict else None,
            ]
        )
    return rows


def agreement_levels(
    corpus: Corpus,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Seed = None,
) -> LevelAgreement:
    """Return how far coders of hierarchies agree on each level, on the ranks, and by E_WD.

    The parameters are those of ``agreement``. At most 1000 levels.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> ann, bob = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> found = agreement_levels(Corpus.from_dict({"d": {"ann": ann, "bob": bob}}), n_resamples=0)
    >>> [round(level.observed, 4) for level in found.levels.values()]
    [1.0, 0.6667]
    >>> round(float(found.errors.scores.micro), 4)
    0.1667
    """
    corpus = corpus.as_hierarchies()
    ranks = check_levels(corpus.ranks)

    def measure(part: Corpus) -> Agreement:
        return agreement(
            part,
            metric=metric,
            coefficient=coefficient,
            n_t=n_t,
            chance=chance,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
        )

    return LevelAgreement(
        {rank: measure(corpus.level(rank)) for rank in ranks},
        tuple(name_of_type(corpus.type_scheme, rank) for rank in ranks),
        measure(corpus),
        coder_matrix(corpus, EWD()),
    )


present(LevelAgreement, Presentation(tables={"main": level_table}, notes=level_notes))
