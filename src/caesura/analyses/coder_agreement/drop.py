"""agreement_drop(): how coders' agreement falls when an automatic segmenter joins them (F13t §4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, check_names, settings_of
from caesura.analyses.coder_agreement.question import (
    AgreementQuestion,
    Contributions,
    PairTable,
    check_similarity,
    count_pairs,
)
from caesura.analyses.coder_agreement.strata import Stratum, strata_of
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
from caesura.results.as_json import plain_data
from caesura.results.result import Result
from caesura.values.corpus import Corpus
from caesura.version import __version__

MAX_SHOWN = 6
"""How many drops a repr shows."""


class Drop(NamedTuple):
    """The coefficient of a group of coders without and with one segmenter."""

    segmenter: str
    coders: tuple[str, ...]
    documents: tuple[str, ...]
    without: float
    joined: float

    @property
    def drop(self) -> float:
        """How much lower the coefficient is with the segmenter; negative: it is higher."""
        return self.without - self.joined

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**plain_data(self._asdict()), "drop": self.drop}


@dataclass(frozen=True, eq=False, repr=False)
class AgreementDrop(Result):
    """The drops of all segmenters; the smaller a drop, the more a segmenter is like one more coder."""

    NUMBERS = ("signature", "whole", "drops")

    metric: Metric
    coefficient: Coefficient
    chance: Chance
    drops: tuple[Drop, ...]
    """By segmenter and group of coders."""
    whole: tuple[Drop, ...]
    """By segmenter, over all documents that it and at least two coders have, whoever these are."""

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        return f"{settings_of(self.metric, self.coefficient, self.chance)}|caesura {__version__}"

    def __repr__(self) -> str:
        shown = ", ".join(f"{drop.segmenter} {drop.drop:.4f}" for drop in self.whole[:MAX_SHOWN])
        return f"<AgreementDrop: {shown}{', ...' if len(self.whole) > MAX_SHOWN else ''}>"


def agreement_drop(
    corpus: Corpus,
    segmenters: Sequence[str],
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "kappa",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
) -> AgreementDrop:
    """Return the drop of agreement when each of these segmenters joins the other coders (F13t §4.3).

    Coders who are not among the segmenters count as people. A segmenter is measured on the documents that it
    has segmented, for all coders (``whole``) and for each group of them (``drops``). κ* is the default: a
    segmenter with other habits than the coders' should not be excused for them.

    >>> from caesura import load_stargazers
    >>> result = agreement_drop(load_stargazers(), ["4"])
    >>> round(result.drops[0].without, 4), round(result.drops[0].joined, 4), round(result.drops[0].drop, 4)
    (0.5128, 0.4653, 0.0474)
    """
    if isinstance(segmenters, str) or not segmenters:
        raise ParameterError("segmenters: expected a list of coders' names, at least one")
    for name in segmenters:
        if name not in corpus.coder_numbers:
            raise UnknownNameError(f"there is no coder {name!r}; {did_you_mean(name, corpus.coders)}")
    check_names(coefficient, chance)
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    corpus = corpus.coded
    table = count_pairs(corpus, chosen)
    by_person = ~np.isin(corpus.coder, [corpus.coder_numbers[name] for name in segmenters])
    question = AgreementQuestion((chosen,), coefficient, chance=chance)
    drops, whole = [], []
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.intersect1d(corpus.document[by_segmenter], corpus.document[by_person])
        if not len(shared):
            raise CorpusError(f"no coder has coded a document that {name} has segmented")
        is_there = np.isin(corpus.document, shared)
        # The same documents, once without and once with the segmenter.
        joined = table.part(np.flatnonzero(is_there & (by_person | by_segmenter)))
        of_all, groups = strata_of(table.part(np.flatnonzero(is_there & by_person)), question)
        counted = joined.contributions(chance)
        whole.append(_drop(name, of_all, joined, counted))
        drops += [_drop(name, group, joined, counted) for group in groups]
    return AgreementDrop(chosen, coefficient, chance, tuple(drops), tuple(whole))


def _drop(segmenter: str, alone: Stratum, joined: PairTable, counted: Contributions) -> Drop:
    """Return the drop over the documents of a stratum."""
    if not len(alone.documents):
        return Drop(segmenter, (), (), math.nan, math.nan)
    with_it = replace(alone, table=joined, counted=counted)
    values = alone.finisher.value, with_it.finisher.value
    return Drop(segmenter, alone.finisher.coders, alone.document_names, *values)
