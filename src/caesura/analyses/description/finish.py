"""What follows from the sums of describe(): the only place where its numbers come about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from caesura.analyses.description.coders import CoderTest
from caesura.analyses.description.prominence import prominence
from caesura.analyses.description.question import DescriptionQuestion
from caesura.analyses.description.results import (
    CoderRate,
    Description,
    EditTotals,
    MeanSD,
    TypeCount,
    ratio,
)
from caesura.sums.named import Name, Sums
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme, name_of_type


def finish(
    question: DescriptionQuestion,
    sums: Sums,
    scheme: TypeScheme | None,
    *,
    corpus: Corpus | None = None,
    left_out: tuple[str, ...] = (),
) -> Description:
    """Return the description of all documents.

    ``corpus``: whose documents they are, where it is in memory; it has the numbers that are no sums, too.
    """
    total = {name: tally.counts[0] for name, tally in sums.items()}
    documents, units, codings = total["documents",], total["units",], total["codings",]
    edits = {
        n_t: EditTotals(n_t, *(total["edits", n_t, kind] for kind in range(4))) for n_t in question.all_n_t
    }
    own = edits[question.n_t]
    rates = _coder_rates(total, corpus)
    largest = max(question.sweep, default=0)
    return Description(
        n_t=question.n_t,
        documents=documents,
        coders=len(rates),
        codings=codings,
        units=units,
        potential_boundaries=units - documents,
        boundaries=total["boundaries",],
        segments=total["segments",],
        document_size=_mean_sd_of(documents, units, total["units", "squares"]),
        segment_size=_mean_sd_of(total["segments",], total["sizes",], total["sizes", "squares"]),
        segments_per_coding=_mean_sd_of(codings, total["segments",], total["segments", "squares"]),
        boundaries_per_coder=_mean_sd([rate.boundaries for rate in rates]),
        boundaries_per_position_per_coder=_mean_sd(
            [rate.rate for rate in rates if rate.potential_boundaries]
        ),
        pairs=total["pairs",],
        pair_potential_boundaries=total["pair_positions",],
        pair_boundaries=total["pair_boundaries",],
        pair_matches=own.matches,
        pair_additions=own.additions,
        pair_substitutions=own.substitutions,
        pair_transpositions=own.transpositions,
        types=_types(total, scheme),
        sweep=tuple(edits[wide] for wide in question.sweep),
        spans={
            wide - 1: edits[wide].transpositions - edits[wide - 1].transpositions
            for wide in range(2, largest + 1)
        },
        coder_rates=rates,
        prominence=() if corpus is None else prominence(corpus),
        is_hierarchical=scheme is not None and scheme.ranks,
        left_out=left_out,
        source=corpus,
    )


def _coder_rates(total: Mapping[Name, int], corpus: Corpus | None) -> tuple[CoderRate, ...]:
    """Return the rate of each coder: in the corpus's order, or by name."""
    coders = sorted(str(name[1]) for name in total if name[0] == "coded") if corpus is None else corpus.coders
    tests = CoderTest.untested(len(coders)) if corpus is None else CoderTest.of(corpus)
    rates = []
    for coder, test in zip(coders, tests, strict=True):
        positions, boundaries = total["positions", coder], total["marks", coder]
        divisor = float(max(1, positions))
        typical = total["typical", coder] / 2
        numbers = (total["coded", coder], positions, boundaries)
        rate = (boundaries / divisor, typical / divisor, test.difference, test.p_value, test.least_p)
        rates.append(CoderRate(coder, *numbers, *rate, test.outlier))
    return tuple(rates)


def _types(total: Mapping[Name, int], scheme: TypeScheme | None) -> tuple[TypeCount, ...]:
    number: Counter[int] = Counter()
    users: Counter[int] = Counter()
    for name, n in total.items():
        if name[0] == "type":
            number[int(name[1])] += n
            users[int(name[1])] += 1
    of_all = sum(number.values())
    types = []
    for kind in sorted(number) if scheme is None else scheme.types:
        is_level = ("level", kind, 0) in total
        size = _mean_sd_of(*(total["level", kind, moment] for moment in range(3))) if is_level else None
        name_of_kind = name_of_type(scheme, kind)
        types.append(
            TypeCount(kind, name_of_kind, number[kind], ratio(number[kind], of_all), users[kind], size)
        )
    return tuple(types)


def _mean_sd(values: Sequence[float]) -> MeanSD:
    """Return the mean with its population standard deviation, the same in any order; NaN without values."""
    if not values:
        return MeanSD(math.nan, math.nan, 0)
    if all(isinstance(value, int) for value in values):
        return _mean_sd_of(len(values), int(sum(values)), int(sum(value**2 for value in values)))
    mean = math.fsum(values) / len(values)
    return MeanSD(
        mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)), len(values)
    )


def _mean_sd_of(n: int, total: int, squares: int) -> MeanSD:
    """Return the mean and deviation of so many whole numbers with this sum and sum of squares."""
    if not n:
        return MeanSD(math.nan, math.nan, 0)
    return MeanSD(total / n, math.sqrt(n * squares - total**2) / n, n)
