"""ByLevel: what an analysis found on each level of hierarchies; and the agreement of their coders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from caesura.analyses.coder_agreement.coefficients import SYMBOLS
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import Agreement
from caesura.metrics.base import Score
from caesura.results.result import Result
from caesura.wording import counted, listed

R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False)
class ByLevel(Result, Generic[R]):
    """What an analysis found on each level; ``by_level[2]`` is that of rank 2 and of those above."""

    levels: dict[int, R]
    """The result of each level, by its rank."""
    names: tuple[str, ...]
    """What the levels are called."""
    boundaries: dict[int, tuple[int, ...]]
    """How many boundaries each of the compared values has on each level."""

    def __getitem__(self, rank: int) -> R:
        """Return the result of a level."""
        return self.levels[rank]

    def __len__(self) -> int:
        return len(self.levels)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "levels": {str(rank): _plain(result) for rank, result in self.levels.items()},
            "names": {str(rank): name for rank, name in zip(self.levels, self.names, strict=True)},
            "boundaries": {str(rank): list(numbers) for rank, numbers in self.boundaries.items()},
        }

    def __repr__(self) -> str:
        results = zip(self.names, self.levels.values(), strict=True)
        said = [f"{name} {float(one):.4f}" for name, one in results if isinstance(one, float)]
        shown = listed(said) if said else type(next(iter(self.levels.values()))).__name__
        return f"<ByLevel of {counted(len(self), 'level')}: {shown}>"


def _plain(result: Any) -> Any:
    if isinstance(result, Result):
        return result.to_dict()
    if isinstance(result, Score):
        return {repr(result.metric): float(result), "signature": result.signature}
    return float(result) if hasattr(result, "__float__") else repr(result)


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalAgreement(Result):
    """Agreement of the coders of hierarchies, in three ways.

    On the boundaries of each level; on all boundaries with their ranks as ordinal types, where a wrong rank
    costs more the further it is off; and by E_WD (Carroll 2010), which looks at the order of the boundaries
    alone.
    """

    by_level: ByLevel[Agreement]
    """The agreement on each level."""
    ranked: Agreement
    """The agreement on all boundaries with their ranks as ordinal types."""
    errors: CoderMatrix
    """E_WD between every two coders, both ways."""

    @property
    def levels(self) -> dict[int, Agreement]:
        """The agreement on each level, by its rank."""
        return self.by_level.levels

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            **self.by_level.numbers(),
            "ranked": self.ranked.to_dict(),
            "E_WD": self.errors.to_dict(),
        }

    def __repr__(self) -> str:
        results = zip(self.by_level.names, self.levels.values(), strict=True)
        shown = [f"{name} {found.value:.4f}" for name, found in results]
        return f"<HierarchicalAgreement: {SYMBOLS[self.ranked.coefficient]} by level: {listed(shown)}>"
