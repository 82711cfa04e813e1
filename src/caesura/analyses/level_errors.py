"""hierarchical_pk() and hierarchical_window_diff(): E_Pk and E_WD of one hypothesis, level by level.

C10 is Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.metrics.base import Score
from caesura.metrics.hierarchical import (
    EWD,
    EPk,
    HierarchicalMetric,
    LevelError,
    RanksOf,
    SizeFrom,
    total_error,
)
from caesura.metrics.window import Edges, Rounding, Sizes
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Table
from caesura.values.hierarchy import HierarchyLike
from caesura.wording import counted


@dataclass(frozen=True, repr=False)
class HierarchicalError(Result):
    """E_Pk or E_WD of one hypothesis, level by level; it converts to float."""

    score: Score
    """The value with its counts; scores of several documents add up."""
    levels: tuple[LevelError, ...]
    """One entry for each rank of the reference, from the most prominent on."""

    @property
    def value(self) -> float:
        """(1 / |R|) Σ c · error of the level."""
        return float(self.score)

    @property
    def signature(self) -> str:
        """The signature behind the value."""
        return self.score.signature

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        levels = [{**vars(level), "value": level.value} for level in self.levels]
        return {"value": self.value, "signature": self.signature, "levels": levels}

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"<{self.score.metric} {self.value:.6g} over {counted(len(self.levels), 'level')}>"


def _levels_table(error: HierarchicalError) -> Table:
    """Return a row for each level of the reference."""
    names = ("level", "weight", "boundaries", "k", "windows", "errors", "tied", "needed", "value")
    return Table.under(names, ([*vars(level).values(), level.value] for level in error.levels), _notes(error))


def _notes(error: HierarchicalError) -> list[Note]:
    mean = f"{error.score.metric.title} {error.value:.4f} is the mean over ranks, weighted by boundaries."
    return [finding(mean), reading("Tied ranks have expected errors."), signature(error.signature)]


present(HierarchicalError, notes=_notes, main=_levels_table)


def _hierarchical(
    metric: HierarchicalMetric, reference: HierarchyLike, hypothesis: HierarchyLike
) -> HierarchicalError:
    levels = metric.levels(reference, hypothesis)
    return HierarchicalError(Score(metric, total_error(levels)), levels)


def hierarchical_pk(
    reference: HierarchyLike,
    hypothesis: HierarchyLike,
    *,
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    edges: Edges = "plain",
    k_from: SizeFrom = "level",
    ranks: RanksOf = "both",
) -> HierarchicalError:
    """Return E_Pk: Pk averaged over all levels of the reference (Carroll 2010, §2).

    E = (1 / |R|) Σ_l c_l · Pk(R_l, H_l), where R_l are the reference boundaries of the l most prominent
    ranks, c_l the number of those with exactly the l-th, and H_l the |R_l| most prominent boundaries of the
    hypothesis. If r of n hypothesis boundaries of one rank are needed, the term is the expectation over all
    C(n, r) choices; a window with m tied boundaries and no certain one has none with probability
    C(n − m, r) / C(n, r). Positions without a hypothesis boundary are the last rank, so a hypothesis is not
    penalized for more or fewer boundaries than the reference. Without reference boundaries E is 0.

    The default k is half the mean segment length of R_l (``k_from="all"``: of R). With ``unit_sizes`` (say,
    words in each sentence) windows run over words, k counts words, and boundaries lie between sentences.
    Carroll prefers ``edges="wrap"``, in which all positions have equal weight.

    Source: Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    edges
        windows at the document's edges
    k_from
        mean segment of each level, or of all boundaries
    ranks
        whose ranks count; boundaries of the other side are alike

    >>> from caesura.values.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    >>> hierarchical_pk(reference, Hierarchy.from_ranks({5: 1, 2: 2, 8: 3}, n_units=11))
    <EPk 0 over 2 levels>
    >>> result = hierarchical_pk(reference, [5, 3, 3], edges="wrap")
    >>> [(level.rank, level.boundaries, level.k, round(level.value, 4)) for level in result.levels]
    [(1, 1, 3, 0.2727), (2, 2, 2, 0.3636)]
    >>> round(float(result), 4)
    0.3182
    """
    return _hierarchical(EPk.of(k, rounding, k_min, unit_sizes, edges, k_from, ranks), reference, hypothesis)


def hierarchical_window_diff(
    reference: HierarchyLike,
    hypothesis: HierarchyLike,
    *,
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    edges: Edges = "plain",
    k_from: SizeFrom = "level",
    ranks: RanksOf = "both",
) -> HierarchicalError:
    """Return E_WD: WindowDiff averaged over all levels of the reference (Carroll 2010, §2).

    It is ``hierarchical_pk`` with WindowDiff instead of Pk: if r of n tied boundaries are needed, a window
    with c certain and m tied boundaries holds c + x with the hypergeometric probability
    C(m, x) C(n − m, r − x) / C(n, r).

    Source: Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    edges
        windows at the document's edges
    k_from
        mean segment of each level, or of all boundaries
    ranks
        whose ranks count; boundaries of the other side are alike

    >>> from caesura.values.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_nested([[2, 3], [6]])
    >>> float(hierarchical_window_diff(reference, reference))
    0.0
    >>> round(float(hierarchical_window_diff(reference, [11], edges="wrap")), 4)
    0.4121
    """
    return _hierarchical(EWD.of(k, rounding, k_min, unit_sizes, edges, k_from, ranks), reference, hypothesis)
