"""Where the uncertainty of agreement comes from: documents, coders in them, and pairs of coders in them.

How much one pair of coders on one document moves the value is a number h. Its variance over documents has
three parts: two pairs of different coders on one document still have something in common (the document), two
pairs that share a coder have more, and a pair has all of it to itself. With c coders there are c(c − 1)/2
pairs, and the variance of their mean is that of a U-statistic (Hoeffding 1948):

    σ²(c) = [same + 2(c − 2)·one_coder + (c − 2)(c − 3)/2·document] / [c(c − 1)/2]

Any number of coders can be planned from these three, also more than a pilot has. The first is well known from
a pilot; the other two are averaged with those of simulated coders who have its density and errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import make_weights
from caesura.analyses.coder_agreement.coefficients import Totals
from caesura.analyses.coder_agreement.question import AgreementQuestion, Pool, count_pairs
from caesura.analyses.coder_agreement.strata import Stratum
from caesura.arrays import FloatArray, IntArray
from caesura.checks import N_T
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.pairs import sum_by
from caesura.simulation import simulate

FEWEST = 5
"""Fewest documents with four coders that show all three parts."""

WORTH = 20
"""As many documents are simulated coders worth where a pilot's are few."""

LESS = 0.75
"""The part of a smaller variance than the simulated coders' that is believed."""

SIMULATED_DOCUMENTS, SIMULATED_CODERS = 400, 7
"""How much is simulated, to learn what few documents or coders cannot say."""

LONGEST_SIMULATED = 2000
"""Units of the longest document that is simulated."""


@dataclass(frozen=True, eq=False)
class Components:
    """The three parts of the variance; each an array with one entry for each resample of the documents."""

    same: FloatArray
    one_coder: FloatArray
    document: FloatArray

    def of_mean(self, coders: int) -> FloatArray:
        """Return σ²(c): the variance of what one document adds to the value of c coders."""
        c = coders
        pairs = c * (c - 1) / 2
        total = self.same + 2 * (c - 2) * self.one_coder + (c - 2) * (c - 3) / 2 * self.document
        return np.maximum(total / pairs, 0)

    def of_difference(self, references: int) -> FloatArray:
        """Return the variance of the difference of two segmenters, who err like coders, by c references.

        Both are compared with the same references: what they share with them, and the document, cancels.
        """
        own = self.one_coder - self.document
        pair = self.same - 2 * self.one_coder + self.document
        return np.maximum(2 * own + 2 * pair / references, 0)


class Residuals(NamedTuple):
    """How much each pair of coders on each document moves a value; pairs are in the order of documents."""

    value: FloatArray
    """The coefficient π*."""
    observed: FloatArray
    """Observed agreement."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """A pilot's documents with at least two coders, and how each pair of coders moves agreement."""

    pool: Pool

    @property
    def metric(self) -> Metric:
        """The similarity."""
        return self.pool.table.metric

    @property
    def document(self) -> IntArray:
        """The document of each pair, as a place among the pool's."""
        return self.pool.pair_document

    @cached_property
    def group(self) -> IntArray:
        """The group of coders of each document."""
        group = np.zeros(len(self.pool.table.corpus.document_names), dtype=np.int64)
        for number, one in enumerate(self.pool.table.corpus.find_groups()):
            group[one.documents] = number
        return group[self.pool.documents]

    @cached_property
    def _stratum(self) -> Stratum:
        return Stratum(self.pool, AgreementQuestion((self.metric,), "pi"))

    @property
    def totals(self) -> Totals:
        """What the coders did."""
        return self._stratum.finisher.totals

    @cached_property
    def most_coders(self) -> int:
        """The most coders that a document has."""
        return int(self.pool.n_coders.max())

    @cached_property
    def observed(self) -> float:
        """Observed agreement."""
        return self.totals.similar / self.totals.compared

    @cached_property
    def expected(self) -> float:
        """Expected agreement by π*."""
        return self._stratum.finisher.ratios.expected_pi.value

    @cached_property
    def residuals(self) -> Residuals:
        """Return the influence of each pair, in units of the value, so that its mean over documents is 0."""
        table, totals = self.pool.table, self.totals
        similar, compared, _ = table.metric.fraction(table.scores.rows.astype(np.float64).T)
        mean_compared = np.mean(compared)
        observed = (similar - self.observed * compared) / mean_compared
        # Expected agreement by all codings: the mean over a pair's two coders stands for it.
        marks = table.marks
        by_type = table.marks_by_document.take(self.pool.documents)
        rates = np.bincount(by_type.kind, by_type.number, len(table.kinds)) / totals.slots
        each = np.bincount(marks.owner, rates[marks.kind] * marks.number, minlength=len(table.corpus))
        positions = table.positions[table.corpus.document].astype(np.float64)
        slope = 2 * (each / totals.n_types - self.expected * positions)
        slope /= totals.slots / len(self.pool.rows)
        by_chance = (slope[table.pairs.first] + slope[table.pairs.second]) / 2
        left = 1 - self.expected
        value = observed / left - (1 - self.observed) / left**2 * by_chance
        return Residuals(value, observed)

    def components(
        self, residual: FloatArray, weights: FloatArray, simulated: Components | None
    ) -> Components:
        """Return the parts of the variance, for each row of weights: how often each document is drawn.

        What pairs have in common is hard to see in few documents, and not at all with few coders: it is
        averaged with what ``simulated`` coders have, who count as much as some documents.
        """
        sums, numbers = self._products(self._centred(residual))
        totals = np.einsum("rd,dk->kr", weights, sums)
        known = np.einsum("rd,dk->kr", weights, numbers)
        same, one_coder, document = (
            np.divide(total, n, out=np.zeros(len(weights)), where=n > 0)
            for total, n in zip(totals, known, strict=True)
        )
        if simulated is not None:
            like = _like(same, simulated)
            three, four = ((column > 0).sum() for column in numbers.T[1:])
            one_coder = (three * one_coder + WORTH * like.one_coder) / (three + WORTH)
            document = (four * document + WORTH * like.document) / (four + WORTH)
        one_coder = np.clip(one_coder, 0, same)
        return Components(same, one_coder, np.clip(document, 0, one_coder))

    @cached_property
    def lacks(self) -> bool:
        """Whether too few documents have four coders to tell the three parts from each other."""
        return int((self.pool.n_coders >= 4).sum()) < FEWEST

    @cached_property
    def fits(self) -> bool:
        """Whether some groups of coders have several documents, so that coders' habits can be set apart."""
        return bool((np.bincount(self.group) > 1).any())

    def _centred(self, residual: FloatArray) -> FloatArray:
        """Return residuals around the mean of each pair of coders: their habits are not uncertainty."""
        if not self.fits:
            n_documents = len(self.pool.documents)
            return residual * float(np.sqrt(n_documents / max(1, n_documents - 1)))
        key = self.pool.pair_key + len(self.pool.table.corpus.coder_names) ** 2 * self.group[self.document]
        _, place = np.unique(key, return_inverse=True)
        n = np.bincount(place)[place]
        mean = (np.bincount(place, residual) / np.bincount(place))[place]
        scale = np.sqrt(np.divide(n, n - 1, out=np.zeros(len(n)), where=n > 1))
        centred: FloatArray = (residual - mean) * scale
        return centred

    def _products(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Σ h·h′ over the same pairs, those that share a coder, and others; and how many there are."""
        pool, n = self.pool, len(self.pool.documents)
        if not pool.table.metric.symmetric:  # both ways are one pair
            residual, document, first, second = self._one_way(residual)
        else:
            document, first, second = self.document, pool.table.pairs.first, pool.table.pairs.second
        own = sum_by(residual**2, document, n)
        both = np.concatenate((first, second))
        row = np.bincount(both, np.tile(residual, 2), minlength=len(pool.table.corpus))
        square = np.bincount(both, np.tile(residual**2, 2), minlength=len(pool.table.corpus))
        per_coding = (row**2 - square)[pool.rows] / 2
        sharing = np.bincount(pool.document, per_coding, minlength=n)
        rest = (sum_by(residual, document, n) ** 2 - own) / 2 - sharing
        c = pool.n_coders.astype(np.float64)
        pairs = c * (c - 1) / 2
        number = np.column_stack((pairs, pairs * (c - 2), pairs * (c - 2) * (c - 3) / 4))
        if self.fits:  # a document alone with its coders has no mean to differ from
            number[(np.bincount(self.group)[self.group]) == 1] = 0
        return np.column_stack((own, sharing, rest)), number

    def _one_way(self, residual: FloatArray) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
        pairs = self.pool.table.pairs
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        key = low * len(self.pool.table.corpus) + high
        keys, place = np.unique(key, return_inverse=True)
        mean = np.bincount(place, residual) / np.bincount(place)
        first, second = np.divmod(keys, len(self.pool.table.corpus))
        document = np.zeros(len(keys), dtype=np.int64)
        document[place] = self.document
        order = np.argsort(document, kind="stable")
        return mean[order], document[order], first[order], second[order]

    # ---------------------------------------------------------------- simulated coders

    def simulated(self, rng: np.random.Generator) -> tuple[Components, Components]:
        """Return the parts, of value and of observed agreement, with this pilot's density and errors."""
        missed, moved = self._error_rates()
        density = min(0.5, self.totals.boundaries / self.totals.slots / (1 - missed))
        n_units = int(np.clip(np.mean(self.pool.positions.astype(np.float64)) + 1, 10, LONGEST_SIMULATED))
        corpus = simulate(
            SIMULATED_DOCUMENTS,
            SIMULATED_CODERS,
            n_units=n_units,
            mean_segment=1 / max(density, 2 / n_units),
            near_miss=moved,
            full_miss=missed,
            n_t=max(2, self._n_t),
            rng=rng,
        )
        metric = self.metric
        if "types" in metric.parameters:
            metric = type(metric)(**metric.parameters | {"types": None})
        made = Pilot(Pool.of_all(count_pairs(corpus, metric)))
        once = np.ones((1, SIMULATED_DOCUMENTS))
        value, observed = (made.components(residual, once, None) for residual in made.residuals)
        return value, observed

    @property
    def _n_t(self) -> int:
        return int(self.metric.parameters.get("n_t", N_T))

    def _error_rates(self) -> tuple[float, float]:
        """Return how often a coder misses, and how often moves, a boundary of a common truth.

        With q = 1 − missed and m = moved, a boundary of the truth is found by both coders with q²; then they
        match with (1 − m)² + m²/2, are near with 2m(1 − m) and apart with m²/2; one alone finds it with
        2q(1 − q). Solved for the shares of matches, near misses and others among all pairs of codings.
        """
        weights = make_weights(self._n_t, "scaled", "scaled", 0.0, None)
        if isinstance(self.metric, EditMetric):
            weights = self.metric.weights
        edits = count_edits_many(self.pool.table.pairs, "greedy", weights)
        near, apart = float(edits.transpositions.sum()), float(edits.additions.sum())
        found = float(edits.matches.sum() + edits.substitutions.sum()) + near
        grid = np.linspace(0, 0.5, 501)
        together = (1 - grid) ** 2 + grid**2 / 2 + 2 * grid * (1 - grid)
        at = int(np.argmin(np.abs(2 * grid * (1 - grid) / together - near / max(found, 1))))
        moved = float(grid[at])
        q = 2 / (2 + max(0.0, apart / max(found, 1) * float(together[at]) - moved**2))
        return min(0.95, 1 - q), moved


def _like(same: FloatArray, simulated: Components) -> Components:
    """Return the parts of simulated coders; what varies more than with them is the documents'.

    Where it varies less, a part of that is taken for chance, so as not to promise too much.
    """
    more = same - simulated.same
    more = np.where(more < 0, LESS * more, more)
    one_coder = np.clip(simulated.one_coder + more, 0, same)
    return Components(same, one_coder, np.clip(simulated.document + more, 0, one_coder))
