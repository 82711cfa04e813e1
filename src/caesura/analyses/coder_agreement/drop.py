"""agreement_drop(): how coders' agreement falls when an automatic segmenter joins them (F13t §4.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient
from caesura.analyses.coder_agreement.reading import label
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
from caesura.results.notes import caveat, recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.values.corpus import Corpus
from caesura.version import __version__


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

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        recipe = f"{self.metric.recipe}|coefficient={self.coefficient}|chance={self.chance}"
        return f"{recipe}|average=micro|caesura {__version__}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        rows = [drop._asdict() | {"drop": drop.drop} for drop in self.drops]
        return {"signature": self.signature, "drops": rows}

    def to_table(self) -> Table:
        """Return a table with a row for each segmenter and group of coders."""

        name = label(self.metric, self.coefficient)
        names = (
            "segmenter",
            "coders",
            "documents",
            f"{name} of coders",
            f"{name} with it",
            "drop",
            "members",
        )
        rows: list[list[Cell]] = [
            [
                drop.segmenter,
                len(drop.coders),
                len(drop.documents),
                drop.without,
                drop.joined,
                drop.drop,
                drop.coders,
            ]
            for drop in self.drops
        ]
        note = (
            "A drop has no test of its own and means little where the coders do not agree: report it beside "
            "a test (F13t §4.3)."
        )
        return Table(
            "", [Column(column) for column in names], rows, notes=[caveat(note), recipe(self.signature)]
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{drop.segmenter} {drop.drop:.4f}" for drop in self.drops)
        return f"<AgreementDrop: {shown}>"


def agreement_drop(
    corpus: Corpus,
    segmenters: Sequence[str],
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "kappa",
    n_t: int | None = None,
    chance: Chance = "boundaries",
) -> AgreementDrop:
    """Return the drop of agreement when each of these segmenters joins the other coders (F13t §4.3).

    Coders who are not among the segmenters count as people. A segmenter is measured on the documents that it
    has segmented, for each group of coders. κ* is the default: a segmenter with other habits than the
    coders' should not be excused for them.

    >>> from caesura import load_stargazers
    >>> result = agreement_drop(load_stargazers(), ["4"])
    >>> round(result.drops[0].without, 4), round(result.drops[0].joined, 4), round(result.drops[0].drop, 4)
    (0.5128, 0.4653, 0.0474)
    """
    if isinstance(segmenters, str) or not segmenters:
        raise ParameterError("segmenters: expected a list of coders' names, at least one")
    for name in segmenters:
        if name not in corpus.coders:
            raise UnknownNameError(f"there is no coder {name!r}; {did_you_mean(name, corpus.coders)}")
    people = [coder for coder in corpus.coders if coder not in segmenters]

    def measure(documents: Sequence[str], coders: Sequence[str]) -> float:
        part = corpus.select(documents=documents, coders=coders)
        found = agreement(part, metric=metric, coefficient=coefficient, n_t=n_t, chance=chance, n_resamples=0)
        return found.value

    drops = []
    for name in segmenters:
        part = corpus.select(documents=_shared(corpus, name, people), coders=people)
        for group in part.groups():
            coders, documents = group.coders, group.documents
            alone = measure(documents, coders) if len(coders) > 1 else math.nan
            drops.append(Drop(name, coders, documents, alone, measure(documents, (*coders, name))))
    return AgreementDrop(metric_for(corpus.type_scheme, metric, n_t), coefficient, chance, tuple(drops))


def _shared(corpus: Corpus, segmenter: str, people: Sequence[str]) -> list[str]:
    """Return the documents that the segmenter and some of the people have coded."""
    found = [
        document
        for document, coded in ((document, corpus[document]) for document in corpus.documents)
        if segmenter in coded and not coded.keys().isdisjoint(people)
    ]
    if not found:
        raise CorpusError(f"no coder has coded a document that {segmenter} has segmented")
    return found
