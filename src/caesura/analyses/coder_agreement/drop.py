"""agreement_drop(): how coders' agreement falls when an automatic segmenter joins them (F13t §4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, check_names
from caesura.analyses.coder_agreement.question import (
    AgreementQuestion,
    PairTable,
    Pool,
    check_similarity,
    count_pairs,
)
from caesura.analyses.coder_agreement.strata import Stratum
from caesura.arrays import IntArray
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
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
        """The signature of the numbers."""
        signature = f"{self.metric.settings}|coefficient={self.coefficient}|chance={self.chance}"
        return f"{signature}|average=micro|caesura {__version__}"

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
    question = AgreementQuestion((chosen,), coefficient, chance=chance)
    drops, whole = [], []
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.zeros_like(has_person)
        shared[corpus.document[by_segmenter]] = True
        shared &= has_person
        if not shared.any():
            raise CorpusError(f"no coder has coded a document that {name} has segmented")
        here = shared[corpus.document]
        # The same documents, once without and once with the segmenter.
        alone, joined = (
            table.part(np.flatnonzero(here & who)) for who in (by_person, by_person | by_segmenter)
        )
        strata = [group.documents for group in alone.corpus.find_groups()]
        drops += [_drop(question, name, alone, joined, documents) for documents in strata]
        whole.append(_drop(question, name, alone, joined, np.flatnonzero(alone.corpus.n_coders > 1)))
    return AgreementDrop(chosen, coefficient, chance, tuple(drops), tuple(whole))


def _drop(
    question: AgreementQuestion, segmenter: str, alone: PairTable, joined: PairTable, documents: IntArray
) -> Drop:
    """Return the drop over some documents."""
    if not len(documents):
        return Drop(segmenter, (), (), math.nan, math.nan)
    pools = Pool(alone, documents), Pool(joined, documents)
    without, with_it = (Stratum(pool, question).value for pool in pools)
    return Drop(segmenter, pools[0].coders, pools[0].document_names, without, with_it)
