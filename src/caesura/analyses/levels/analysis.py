"""by_level(): an analysis or metric on the boundaries of each rank and of those above.

Unlike E_Pk and E_WD, which take as many of the hypothesis's most prominent boundaries as the reference has,
a rank here means the same on both sides, and a hypothesis that marks too many or too few of it errs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar

from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.analyses.levels.results import ByLevel, HierarchicalAgreement
from caesura.errors import ParameterError
from caesura.metrics.hierarchical import EWD
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy, HierarchyLike, as_hierarchy, check_levels
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme, name_of_type, unite_schemes

R = TypeVar("R")


def by_level(analysis: Callable[..., R], *values: Corpus | HierarchyLike, **options: Any) -> ByLevel[R]:
    """Call an analysis or metric once for each level: the boundaries of rank ≤ 1, ≤ 2 and so on.

    Parameters
    ----------
    analysis
        ``evaluate``, ``agreement``, ``describe``, ``coder_matrix``, ``compare``, a metric or a metric's
        function; whatever takes corpora or segmentations first.
    values
        Corpora of hierarchies, or hierarchies (of segmentations, types are the ranks). Every rank that one
        of them has is a level, at most 1000.
    options
        What else the analysis takes, by name.

    Per-level Pk and WindowDiff of two hierarchies are what Gklezakos et al. (2024, TreeSeg) report.

    >>> from caesura import boundary_similarity, evaluate
    >>> reference, hypothesis = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> found = by_level(boundary_similarity, reference, hypothesis)
    >>> found[1], found[2]
    (<B 1 = 1/1>, <B 0.666667 = 2/3>)
    >>> gold, mine = Corpus.from_dict({"d": {"ann": reference}}), Corpus.from_dict({"d": {"m": hypothesis}})
    >>> by_level(evaluate, gold, mine, metrics=["WD"], rng=0)[2]["WD"].micro
    <WD 0.222222 = 2/9>
    """
    corpora = [value for value in values if isinstance(value, Corpus)]
    if not values or len(corpora) not in (0, len(values)):
        raise ParameterError(
            "by_level takes corpora, or hierarchies, after the analysis; what else the analysis takes is "
            "given by name, such as metrics=['B']"
        )
    hierarchies = [] if corpora else [as_hierarchy(value) for value in values]  # type: ignore[arg-type]
    ranked = [corpus.as_hierarchies() for corpus in corpora]
    ranks = check_levels({rank for one in ranked for rank in one.ranks}.union(*_levels(hierarchies)))
    levels, boundaries = {}, {}
    for rank in ranks:
        parts: list[Corpus | Segmentation] = [corpus.level(rank) for corpus in ranked]
        parts += [hierarchy.up_to(rank) for hierarchy in hierarchies]
        levels[rank] = analysis(*parts, **options)
        boundaries[rank] = tuple(map(_n_boundaries, parts))
    scheme = (
        reduce(unite_schemes, (one.type_scheme for one in ranked)) if ranked else TypeScheme.of_ranks(ranks)
    )
    return ByLevel(levels, tuple(name_of_type(scheme, rank) for rank in ranks), boundaries)


def _levels(hierarchies: Sequence[Hierarchy]) -> list[tuple[int, ...]]:
    return [hierarchy.levels for hierarchy in hierarchies]


def _n_boundaries(part: Corpus | Segmentation) -> int:
    return len(part.codings.positions) if isinstance(part, Corpus) else part.n_boundaries


def hierarchical_agreement(corpus: Corpus, **options: Any) -> HierarchicalAgreement:
    """Return how far coders of hierarchies agree on each level, on the ranks, and by E_WD.

    The options are those of ``agreement``.

    >>> ann, bob = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> found = hierarchical_agreement(Corpus.from_dict({"d": {"ann": ann, "bob": bob}}), n_resamples=0)
    >>> [round(level.observed, 4) for level in found.levels.values()]
    [1.0, 0.6667]
    >>> round(float(found.errors.scores.micro), 4)
    0.1667
    """
    corpus = corpus.as_hierarchies()
    return HierarchicalAgreement(
        by_level(agreement, corpus, **options), agreement(corpus, **options), coder_matrix(corpus, EWD())
    )
