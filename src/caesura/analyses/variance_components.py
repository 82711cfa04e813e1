"""Split the variance of agreement into parts: documents, coders in them, and pairs of coders in them.

A pair of coders on a document moves the value by h. The variance of h over documents has three parts: two
pairs of different coders on one document share the document, two pairs with a common coder share more, and
the rest belongs to the pair. With c coders there are c(c − 1)/2 pairs, and the variance of their mean is that
of a U-statistic (Hoeffding 1948):

    σ²(c) = [same + 2(c − 2)·one_coder + (c − 2)(c − 3)/2·document] / [c(c − 1)/2]

So these parts predict the variance for any number of coders. A pilot estimates the first part well. The other
two are averaged with those of simulated coders of the same density and errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import Weights
from caesura.analyses.coder_agreement.coefficients import COMPARED, FIRST_OF_CHANCE, SIMILAR
from caesura.analyses.coder_agreement.question import AgreementQuestion, PairTable, count_pairs
from caesura.analyses.coder_agreement.strata import Stratum, strata_of
from caesura.arrays import FloatArray, IntArray, bincount, divided
from caesura.checks import N_T
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.pairs import sum_by
from caesura.simulation import simulate
from caesura.values.corpus import Corpus

FEWEST = 5
"""The fewest documents with four coders to estimate all three parts."""

WORTH = 20
"""The weight of simulated coders, in documents of the pilot."""

LESS = 0.75
"""The factor of a variance below that of the simulated coders."""

SIMULATED_DOCUMENTS, SIMULATED_CODERS = 400, 7
"""The size of the simulation."""

LONGEST_SIMULATED = 2000
"""Most units of a simulated document."""


@dataclass(frozen=True, eq=False)
class Components:
    """The three parts of the variance, as arrays over resamples of the documents."""

    same: FloatArray
    one_coder: FloatArray
    document: FloatArray

    def numbers(self) -> dict[str, float]:
        """Return the three parts for all documents as plain data."""
        return {name: float(part[0]) for name, part in vars(self).items()}

    def of_mean(self, coders: int) -> FloatArray:
        """Return σ²(c), the variance of a document's contribution to the value of c coders."""
        c = coders
        pairs = c * (c - 1) / 2
        total = self.same + 2 * (c - 2) * self.one_coder + (c - 2) * (c - 3) / 2 * self.document
        return np.maximum(total / pairs, 0)

    def of_difference(self, references: int) -> FloatArray:
        """Return the variance of the difference of two segmenters that err like coders, by c references.

        Both are compared with the same references, so the shared parts cancel.
        """
        own = self.one_coder - self.document
        pair = self.same - 2 * self.one_coder + self.document
        return np.maximum(2 * own + 2 * pair / references, 0)


class Residuals(NamedTuple):
    """The influence of each pair of coders on each document, in the order of documents."""

    value: FloatArray
    """The coefficient π*."""
    observed: FloatArray
    """Observed agreement."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """A pilot's documents with at least two coders, and the influence of each pair of coders."""

    table: PairTable

    @classmethod
    def of(cls, corpus: Corpus, metric: Metric) -> Pilot:
        """Compare the coders of documents with at least two codings."""
        corpus = corpus.coded
        return cls(count_pairs(corpus.take(np.flatnonzero(corpus.n_coders[corpus.document] > 1)), metric))

    @property
    def n_coders(self) -> IntArray:
        """The number of coders of each document."""
        return self.table.corpus.n_coders

    @cached_property
    def group(self) -> IntArray:
        """The group of coders of each document."""
        group = np.zeros(len(self.n_coders), dtype=np.int64)
        for number, (_, documents, _) in enumerate(self.table.corpus.find_groups()):
            group[documents] = number
        return group

    @cached_property
    def stratum(self) -> Stratum:
        """All documents as a stratum of agreement()."""
        return strata_of(self.table, AgreementQuestion((self.table.metric,), "pi"))[0]

    @cached_property
    def residuals(self) -> Residuals:
        """The influence of each pair, in units of the value, with mean 0 over documents."""
        table, marks, items = self.table, self.table.marks, self.stratum.items()
        slopes = items.slopes(items.sums(np.ones((len(self.n_coders), 1))))[:, 0]
        similar, compared, _ = table.metric.fraction(table.scores.rows.astype(np.float64).T)
        value = len(similar) * (slopes[SIMILAR] * similar + slopes[COMPARED] * compared)
        # Expected agreement depends on all codings; each pair takes the mean over its two coders.
        by_name = dict(zip(items.expectation.names, slopes[FIRST_OF_CHANCE:].tolist(), strict=True))
        by_type = np.array([by_name.get(("type", kind), 0.0) for kind in table.kinds.tolist()])
        each = bincount(marks.owner, by_type[marks.kind] * marks.number, minlength=len(table.corpus))
        each += by_name["slots",] * table.positions[table.corpus.document].astype(np.float64)
        value += len(each) * (each[table.pairs.first] + each[table.pairs.second]) / 2
        return Residuals(value, (similar - self.stratum.finished.observed * compared) / np.mean(compared))

    def components(
        self, residual: FloatArray, weights: FloatArray, simulated: Components | None
    ) -> Components:
        """Return the parts of the variance for each row of weights, the number of draws of each document.

        The shared parts need many documents and coders. So they are averaged with those of ``simulated``
        coders.
        """
        sums, numbers = self._products(self._centred(residual))
        totals = np.einsum("rd,dk->kr", weights, sums)
        known = np.einsum("rd,dk->kr", weights, numbers)
        same, one_coder, document = (divided(total, n) for total, n in zip(totals, known, strict=True))
        if simulated is not None:
            like = _like(same, simulated)
            three, four = ((column > 0).sum() for column in numbers.T[1:])
            one_coder = (three * one_coder + WORTH * like.one_coder) / (three + WORTH)
            document = (four * document + WORTH * like.document) / (four + WORTH)
        one_coder = np.clip(one_coder, 0, same)
        return Components(same, one_coder, np.clip(document, 0, one_coder))

    @cached_property
    def lacks(self) -> bool:
        """Whether too few documents have four coders to separate the three parts."""
        return int((self.n_coders >= 4).sum()) < FEWEST

    @cached_property
    def fits(self) -> bool:
        """Whether a group of coders has several documents, to estimate coders' habits."""
        return bool((bincount(self.group) > 1).any())

    def _centred(self, residual: FloatArray) -> FloatArray:
        """Return residuals around the mean of each pair of coders, because habits are not uncertainty."""
        if not self.fits:
            n_documents = len(self.n_coders)
            return residual * float(np.sqrt(n_documents / max(1, n_documents - 1)))
        corpus, pairs, n_coders = self.table.corpus, self.table.pairs, len(self.table.corpus.coder_names)
        first, second = corpus.coder[pairs.first], corpus.coder[pairs.second]
        two = np.minimum(first, second) * n_coders + np.maximum(first, second)
        key = two + n_coders**2 * self.group[self.table.pair_document]
        _, index = np.unique(key, return_inverse=True)
        n = bincount(index)[index]
        mean = (bincount(index, residual) / bincount(index))[index]
        scale = np.sqrt(divided(n, n - 1))
        return np.asarray((residual - mean) * scale)

    def _products(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Σ h·h′ over equal pairs, pairs with a common coder and other pairs, and their numbers."""
        corpus, c = self.table.corpus, self.n_coders.astype(np.float64)
        n, (residual, first, second) = len(c), self._one_way(residual)
        document = corpus.document[first]
        own = sum_by(residual**2, document, n)
        both = np.concatenate((first, second))
        row = bincount(both, np.tile(residual, 2), minlength=len(corpus))
        square = bincount(both, np.tile(residual**2, 2), minlength=len(corpus))
        sharing = bincount(corpus.document, (row**2 - square) / 2, minlength=n)
        rest = (sum_by(residual, document, n) ** 2 - own) / 2 - sharing
        pairs = c * (c - 1) / 2
        number = np.column_stack((pairs, pairs * (c - 2), pairs * (c - 2) * (c - 3) / 4))
        if self.fits:  # the only document of its coders has no mean to differ from
            number[(bincount(self.group)[self.group]) == 1] = 0
        return np.column_stack((own, sharing, rest)), number

    def _one_way(self, residual: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
        """Return residuals and the two codings of each pair; both directions are averaged."""
        pairs, n = self.table.pairs, len(self.table.corpus)
        if self.table.metric.symmetric:
            return residual, pairs.first, pairs.second
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        keys, index = np.unique(low * n + high, return_inverse=True)
        first, second = np.divmod(keys, n)
        return bincount(index, residual) / bincount(index), first, second

    # ---------------------------------------------------------------- simulated coders

    def simulated(self, rng: np.random.Generator) -> tuple[Components, Components]:
        """Return the parts of both values for simulated coders with this pilot's density and errors."""
        missed, moved = self._error_rates()
        pilot = self.stratum.finished
        density = min(0.5, pilot.n_boundaries / pilot.slots / (1 - missed))
        n_units = int(np.clip(np.mean(self.table.positions.astype(np.float64)) + 1, 10, LONGEST_SIMULATED))
        rates: dict[str, Any] = {"near_miss": moved, "full_miss": missed, "n_t": max(2, self._n_t)}
        mean_segment = 1 / max(density, 2 / n_units)
        size = SIMULATED_DOCUMENTS, SIMULATED_CODERS
        corpus = simulate(*size, n_units=n_units, mean_segment=mean_segment, rng=rng, **rates)
        metric = self.table.metric
        if "types" in metric.parameters:
            metric = type(metric)(**metric.parameters | {"types": None})
        made, once = Pilot.of(corpus, metric), np.ones((1, SIMULATED_DOCUMENTS))
        value, observed = (made.components(residual, once, None) for residual in made.residuals)
        return value, observed

    @property
    def _n_t(self) -> int:
        return int(self.table.metric.parameters.get("n_t", N_T))

    def _error_rates(self) -> tuple[float, float]:
        """Return the rates at which a coder misses or moves a boundary of a common truth.

        Let q = 1 − missed and m = moved. With probability q² both coders mark a true boundary; then they
        match with probability (1 − m)² + m²/2, are near with 2m(1 − m), and apart with m²/2. With 2q(1 − q)
        only one marks it. The rates solve this for the observed matches, near misses and other edits.
        """
        weights = Weights(self._n_t)
        if isinstance(self.table.metric, EditMetric):
            weights = self.table.metric.weights
        edits = count_edits_many(self.table.pairs, "greedy", weights)
        near, apart = float(edits.transpositions.sum()), float(edits.additions.sum())
        by_both = max(float(edits.matches.sum() + edits.substitutions.sum()) + near, 1)
        grid = np.linspace(0, 0.5, 501)
        together = (1 - grid) ** 2 + grid**2 / 2 + 2 * grid * (1 - grid)
        at = int(np.argmin(np.abs(2 * grid * (1 - grid) / together - near / by_both)))
        moved = float(grid[at])
        q = 2 / (2 + max(0.0, apart / by_both * float(together[at]) - moved**2))
        return min(0.95, 1 - q), moved


def _like(same: FloatArray, simulated: Components) -> Components:
    """Return the parts of simulated coders, shifted by the difference in variance from the pilot.

    A smaller variance counts only in part, so that the plan is not too optimistic.
    """
    more = same - simulated.same
    more = np.where(more < 0, LESS * more, more)
    one_coder = np.clip(simulated.one_coder + more, 0, same)
    return Components(same, one_coder, np.clip(simulated.document + more, 0, one_coder))
