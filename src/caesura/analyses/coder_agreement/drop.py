"""agreement_drop(): how coders' agreement falls when an automatic segmenter joins them (F13t §4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    check_names,
    check_types,
    group_value,
)
from caesura.analyses.coder_agreement.observed import PairTable, check_similarity, count_pairs
from caesura.analyses.coder_agreement.pool import Pool
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
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


@dataclass(frozen=True, eq=False, repr=False)
class AgreementDrop(Result):
    """The drops of all segmenters; the smaller a drop, the more a segmenter is like one more coder."""

    metric: Metric
    coefficient: Coefficient
    chance: Chance
    drops: tuple[Drop, ...]
    """By segmenter and group of coders."""
    whole: tuple[Drop, ...]
    """By segmenter, over all documents that it and at least two coders have, whoever these are."""

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        recipe = f"{self.metric.recipe}|coefficient={self.coefficient}|chance={self.chance}"
        return f"{recipe}|average=micro|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        rows = [drop._asdict() | {"drop": drop.drop} for drop in self.drops]
        whole = [drop._asdict() | {"drop": drop.drop} for drop in self.whole]
        return {"signature": self.signature, "whole": whole, "drops": rows}

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
    is_person = np.ones(len(corpus.coder_names), dtype=bool)
    is_person[[corpus.coder_numbers[name] for name in segmenters]] = False
    by_person = is_person[corpus.coder]
    n_persons = np.bincount(corpus.document[by_person], minlength=len(corpus.document_names))
    has_person = n_persons > 0
    drops, whole = [], []
    asked = coefficient, chance
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.zeros_like(has_person)
        shared[corpus.document[by_segmenter]] = True
        shared &= has_person
        if not shared.any():
            raise CorpusError(f"no coder has coded a document that {name} has segmented")
        here = shared[corpus.document]
        alone, joined = (
            table.part(np.flatnonzero(here & who)) for who in (by_person, by_person | by_segmenter)
        )
        check_types(joined.groups, chance)
        # The same documents, and so the same groups, once without and once with the segmenter.
        drops += [
            Drop(
                name,
                alone.groups.coders_of(group),
                alone.groups.documents_of(group),
                group_value(alone, group, coefficient, chance),
                group_value(joined, group, coefficient, chance),
            )
            for group in range(len(alone.groups))
        ]
        several = here & (n_persons > 1)[corpus.document]
        whole.append(_whole(table, name, several & by_person, several & (by_person | by_segmenter), asked))
    return AgreementDrop(chosen, coefficient, chance, tuple(drops), tuple(whole))


def _whole(
    table: PairTable,
    segmenter: str,
    people: NDArray[np.bool_],
    everybody: NDArray[np.bool_],
    asked: tuple[Coefficient, Chance],
) -> Drop:
    """Return the drop over all documents with at least two people."""
    if not people.any():
        return Drop(segmenter, (), (), math.nan, math.nan)
    alone, joined = (Pool(table.part(np.flatnonzero(who))) for who in (people, everybody))
    corpus = alone.table.corpus
    return Drop(
        segmenter,
        tuple(corpus.coders[i] for i in alone.coders.tolist()),
        tuple(corpus.documents[i] for i in alone.documents.tolist()),
        alone.value(*asked),
        joined.value(*asked),
    )
