"""The whole corpus, whoever coded what: all documents with at least two coders, pooled.

Coders seldom code everything: one coding is missing, or coders take turns in pairs. Observed agreement pools
every two codings of one document; expected agreement goes by all codings of these documents (π*), or by the
rates of every two coders who share a document, weighted by the potential boundaries that they share (κ*).
Where all coders coded the same documents, these are the group's own numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    Ratio,
    Ratios,
    finish,
    kappa_of_pairs,
    undefined_group,
)
from caesura.analyses.coder_agreement.groups import Marks, sum_slices, summable
from caesura.analyses.coder_agreement.observed import Differences, PairTable, Totals
from caesura.analyses.coder_agreement.strict import own_rates_of_pairs
from caesura.arrays import FloatArray, IntArray, NumberArray
from caesura.values.strings import gather, offsets_of


class SharedTypes(NamedTuple):
    """Types that two coders both have placed, as places in the marks by coder and type."""

    pair: IntArray
    """The pair of coders, ascending."""
    first: IntArray
    second: IntArray


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents of a corpus with at least two coders; coders are numbered as in the corpus."""

    table: PairTable

    # ---------------------------------------------------------------- who and what

    @cached_property
    def documents(self) -> IntArray:
        """The documents with at least two coders."""
        return np.flatnonzero(self.table.corpus.n_coders > 1)

    @cached_property
    def single_documents(self) -> IntArray:
        """The documents with one coder, which are left out."""
        return np.flatnonzero(self.table.corpus.n_coders == 1)

    @cached_property
    def rows(self) -> IntArray:
        """The codings of the documents, by number."""
        corpus = self.table.corpus
        return np.flatnonzero(corpus.n_coders[corpus.document] > 1)

    @cached_property
    def document(self) -> IntArray:
        """The document of each coding, as a place among ``documents``."""
        place = np.zeros(len(self.table.corpus.document_names), dtype=np.int64)
        place[self.documents] = np.arange(len(self.documents))
        return place[self.table.corpus.document[self.rows]]

    @cached_property
    def coder(self) -> IntArray:
        """The coder of each coding."""
        return self.table.corpus.coder[self.rows]

    @property
    def n_names(self) -> int:
        """Coders of the corpus, also those without a coding here."""
        return len(self.table.corpus.coder_names)

    @cached_property
    def coders(self) -> IntArray:
        """The coders, ascending."""
        return np.unique(self.coder)

    @cached_property
    def n_coders(self) -> IntArray:
        """The coders of each document."""
        return self.table.corpus.n_coders[self.documents]

    @cached_property
    def positions(self) -> IntArray:
        """The potential boundaries of each document."""
        return self.table.groups.positions[self.documents]

    @cached_property
    def marks(self) -> Marks:
        """Boundaries of each coding by type."""
        return self.table.groups.marks.take(self.rows)

    @cached_property
    def marks_by_type(self) -> Marks:
        """Boundaries of all codings by type."""
        return self.marks.pooled(np.zeros(len(self.rows), dtype=np.int64), 1)

    # ---------------------------------------------------------------- every two coders who share a document

    @cached_property
    def pair_key(self) -> IntArray:
        """One number for the two coders of each pair of codings."""
        coder = self.table.corpus.coder
        one, other = coder[self.table.pairs.first], coder[self.table.pairs.second]
        return np.minimum(one, other) * self.n_names + np.maximum(one, other)

    @cached_property
    def pair_positions(self) -> FloatArray:
        """The potential boundaries of the document of each pair of codings."""
        corpus = self.table.corpus
        return self.table.groups.positions[corpus.document[self.table.pairs.first]].astype(np.float64)

    @cached_property
    def keys(self) -> IntArray:
        """The pairs of coders who share a document, by number, ascending."""
        return np.unique(self.pair_key)

    @cached_property
    def partners(self) -> tuple[IntArray, IntArray]:
        """The first and the second coder of each of these pairs."""
        first, second = np.divmod(self.keys, self.n_names)
        return first, second

    @cached_property
    def shared(self) -> FloatArray:
        """The potential boundaries that each of these pairs shares."""
        return _summed(np.searchsorted(self.keys, self.pair_key), self.pair_positions, len(self.keys))

    # ---------------------------------------------------------------- rates of coders

    def marks_of(self, chance: Chance) -> Marks:
        """Return what each coding counts towards its coder's rate: boundaries, or segments if published."""
        if chance == "boundaries":
            return self.marks
        # One type only; a coding has one segment more than boundaries, also where it has none.
        number = self.table.corpus.codings.n_boundaries[self.rows] + 1
        return Marks(np.arange(len(number) + 1), np.zeros(len(number), dtype=np.int64), number, 1)

    def by_coder(self, chance: Chance) -> Marks:
        """Return that by coder and type."""
        return self.marks_of(chance).pooled(self.coder, self.n_names)

    @cached_property
    def positions_by_coder(self) -> FloatArray:
        """The potential boundaries of the documents of each coder."""
        weights = self.positions[self.document].astype(np.float64)
        return _summed(self.coder, weights, self.n_names)

    def shared_types(self, by_coder: Marks) -> SharedTypes:
        """Return the types that both coders of each pair have placed."""
        first, second = self.partners
        if by_coder.is_full:
            return SharedTypes(np.arange(len(first)), first, second)
        offsets, place = gather(by_coder.offsets, first)
        pair = np.arange(len(first)).repeat(np.diff(offsets))
        keys = by_coder.owner * by_coder.n_kinds + by_coder.kind  # ascending
        wanted = second[pair] * by_coder.n_kinds + by_coder.kind[place]
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        is_there = keys[found] == wanted
        return SharedTypes(pair[is_there], place[is_there], found[is_there])

    # ---------------------------------------------------------------- sums

    @cached_property
    def totals(self) -> Totals:
        """What all coders did."""
        table, groups = self.table, self.table.groups
        c = self.n_coders
        positions, counts = summable(self.positions), summable(table.by_document[self.documents])
        similar, compared, _ = table.metric.fraction(tuple(counts.sum(axis=0).tolist()))
        marks = self.marks_by_type
        declared = groups.corpus.type_scheme is not None or len(groups.kinds) == 1
        return Totals(
            n_coders=len(self.coders),
            n_documents=len(self.documents),
            n_pairs=int((c * (c - 1) // 2).sum()),
            n_types=len(groups.kinds) if declared else max(1, len(marks.kind)),
            positions=int(positions.sum()),
            slots=sum(n * p for n, p in _by_size(c, positions)),
            pair_slots=sum(n * (n - 1) // 2 * p for n, p in _by_size(c, positions)),
            similar=similar,
            compared=compared,
            boundaries=int(marks.powers(1).sum()),
            marked=int(groups.marked_by_document[self.documents].sum()),
            together=int(marks.powers(2).sum()),
            cubes=int(marks.powers(3).sum()),
        )

    def ratios(self, chance: Chance) -> Ratios:
        """Return observed and expected agreement."""
        totals = self.totals
        pi: Ratio[float] = Ratio(totals.together, totals.n_types * totals.slots**2)
        if chance == "published":
            rate = self._published_rate()
            pi = Ratio(rate.numerator**2, rate.denominator**2)
        return Ratios(Ratio(totals.similar, totals.compared), pi, self._expected_kappa(chance))

    def value(self, name: Coefficient, chance: Chance) -> float:
        """Return the coefficient; NaN where it is not defined."""
        if undefined_group(self.totals) is not None:
            return math.nan
        ratios = self.ratios(chance)
        return finish(ratios.observed, ratios.expected(name))

    def _expected_kappa(self, chance: Chance) -> Ratio[float]:
        marks = self.by_coder(chance)
        if int(marks.number.sum()) == self.totals.n_types * self.totals.slots:
            return Ratio(1, 1)  # exactly, though rates are rounded
        rates, types = _rates(marks, self.positions_by_coder), self.shared_types(marks)
        sides = rates[types.first], rates[types.second]
        return kappa_of_pairs(self.shared, types.pair, *sides, self.totals.n_types)

    def published_ratios(self) -> tuple[FloatArray, FloatArray]:
        """Return segments per potential boundary of both coders of all pairs of each document, and how many.

        segeval before 2.0.11 averaged this ratio over both coders of all pairs of codings.
        """
        segments = self.table.groups.boundaries_by_document[self.documents] + self.n_coders
        has_any = self.positions > 0
        ratios = np.zeros(len(self.documents))
        np.divide((self.n_coders - 1) * segments, self.positions, out=ratios, where=has_any)
        return ratios, np.where(has_any, self.n_coders * (self.n_coders - 1.0), 0.0)

    def _published_rate(self) -> Ratio[float]:
        ratios, number = self.published_ratios()
        return Ratio(math.fsum(ratios.tolist()), max(1.0, float(number.sum())))

    @cached_property
    def differences(self) -> Differences:
        """The edits between all coders."""
        return Differences(*map(sum, zip(*self.table.differences, strict=True)))

    @cached_property
    def silent(self) -> IntArray:
        """The coders who have placed no boundary at all."""
        number = np.bincount(
            self.coder, weights=self.table.corpus.codings.n_boundaries[self.rows], minlength=self.n_names
        )
        found: IntArray = self.coders[number[self.coders] == 0]
        return found

    def strict_own_rates(self) -> tuple[float, float]:
        """Return expected strict agreement where each coder has a rate; any type counts as a mark."""
        marked = self.table.corpus.codings.marked.n_boundaries[self.rows]
        number = np.bincount(self.coder, weights=marked, minlength=self.n_names)
        positions = self.positions_by_coder
        rate = np.divide(number, positions, out=np.zeros(self.n_names), where=positions > 0)
        one, other = (rate[side] for side in self.partners)
        return own_rates_of_pairs(self.shared, one, other)

    # ---------------------------------------------------------------- without one coder

    def values_without(self, name: Coefficient, chance: Chance) -> list[float]:
        """Return the coefficient without each coder; NaN where it is not defined.

        Documents that this leaves with one coding are left out with it.
        """
        counts = self._counts_without()
        removed_rows, removed_of = self._removed
        marks = self.marks.take(removed_rows).pooled(removed_of, self.n_names)
        boundaries = marks.powers(1)
        if name == "kappa":
            expected = self._kappa_without(chance)
        elif chance == "published":
            expected = self._published_without()
        else:
            expected = self._pi_without(marks)
        values = []
        for coder, row in zip(self.coders.tolist(), counts, strict=True):
            similar, compared, _ = self.table.metric.fraction(tuple(row))
            is_marked = self.totals.boundaries > int(boundaries[coder])
            values.append(finish(Ratio(similar, compared), expected[coder]) if is_marked else math.nan)
        return values

    @cached_property
    def _removed(self) -> tuple[IntArray, IntArray]:
        """Codings (places in ``rows``) that go with a coder, and the coder: own ones, and lone partners'."""
        place = np.arange(len(self.rows))
        order = np.argsort(self.document, kind="stable")
        two = order[self.n_coders[self.document[order]] == 2]
        partner = two.reshape(-1, 2)[:, ::-1].ravel()
        return np.concatenate((place, two)), np.concatenate((self.coder, self.coder[partner]))

    def _counts_without(self) -> list[list[float]]:
        """Return the metric's counts of all pairs that a coder is not in, by coder."""
        rows = summable(self.table.scores.rows)
        coder = self.table.corpus.coder
        member = np.concatenate((coder[self.table.pairs.first], coder[self.table.pairs.second]))
        order = np.argsort(member, kind="stable")
        sums = sum_slices(rows[order % len(rows)], offsets_of(np.bincount(member, minlength=self.n_names)))
        rest: list[list[float]] = (rows.sum(axis=0) - sums[self.coders]).tolist()
        return rest

    def _pi_without(self, removed: Marks) -> dict[int, Ratio[float]]:
        totals = self.totals
        rows, of = self._removed
        slots = np.bincount(of, weights=self.positions[self.document[rows]], minlength=self.n_names)
        of_all = self.marks_by_type
        shared = sum_slices(
            of_all.number[np.searchsorted(of_all.kind, removed.kind)] * removed.number, removed.offsets
        )
        together = totals.together - 2 * shared + removed.powers(2)
        return {
            coder: Ratio(int(together[coder]), totals.n_types * (totals.slots - int(slots[coder])) ** 2)
            for coder in self.coders.tolist()
        }

    def _published_without(self) -> dict[int, Ratio[float]]:
        ratios, number = self.published_ratios()
        segments = self.table.corpus.codings.n_boundaries[self.rows] + 1
        all_segments = (self.table.groups.boundaries_by_document[self.documents] + self.n_coders)[
            self.document
        ]
        positions, c = self.positions[self.document], self.n_coders[self.document]
        # A document's part with all its coders, less that without this one.
        lost = (c - 1) * all_segments - (c - 2) * (all_segments - segments)
        weights = np.divide(lost, positions, out=np.zeros(len(lost)), where=positions > 0)
        less = np.bincount(self.coder, weights=weights, minlength=self.n_names)
        fewer = np.bincount(
            self.coder, weights=np.where(positions > 0, 2 * (c - 1), 0), minlength=self.n_names
        )
        rest = (ratios.sum() - less, np.maximum(number.sum() - fewer, 1.0))
        return {
            coder: Ratio(float(rest[0][coder]) ** 2, float(rest[1][coder]) ** 2)
            for coder in self.coders.tolist()
        }

    def _kappa_without(self, chance: Chance) -> dict[int, Ratio[float]]:
        """Return expected agreement without each coder: only rates of lone partners change."""
        marks, positions = self.by_coder(chance), self.positions_by_coder
        rates, types = _rates(marks, positions), self.shared_types(marks)
        first, second = self.partners
        n_pairs = len(first)
        both = self.shared[types.pair] * rates[types.first] * rates[types.second]
        starts = np.searchsorted(types.pair, np.arange(n_pairs + 1))
        by_pair = sum_slices(both, starts)
        member = np.concatenate((first, second))
        pairs_of = np.argsort(member, kind="stable") % n_pairs
        pair_starts = offsets_of(np.bincount(member, minlength=self.n_names))
        rows, of = self._removed
        n_own = len(self.rows)
        lone = np.argsort(of[n_own:], kind="stable") + n_own  # partners' codings that go with a coder
        lone_starts = offsets_of(np.bincount(of[n_own:], minlength=self.n_names))
        own_marks, keys = self.marks_of(chance), marks.owner * marks.n_kinds + marks.kind
        owner, sum_of_all, shared_by_all = marks.owner, float(by_pair.sum()), float(self.shared.sum())
        number, left = marks.number.astype(np.float64), positions.copy()
        found = {}
        for coder in self.coders.tolist():
            gone = rows[lone[lone_starts[coder] : lone_starts[coder + 1]]]
            partner = self.coder[gone]
            touched = np.unique(pairs_of[gather(pair_starts, np.append(np.unique(partner), coder))[1]])
            stays = (first[touched] != coder) & (second[touched] != coder)
            # The partners' rates over what they coded with others; put back afterwards.
            theirs, fewer = own_marks.take(gone), self.positions[self.document[gone]]
            column = np.searchsorted(keys, partner[theirs.owner] * marks.n_kinds + theirs.kind)
            np.subtract.at(number, column, theirs.number)
            np.subtract.at(left, partner, fewer)
            where = gather(starts, touched[stays])[1]
            one, other = types.first[where], types.second[where]
            new = self.shared[types.pair[where]]
            new = (
                new * _quotient(number[one], left[owner[one]]) * _quotient(number[other], left[owner[other]])
            )
            np.add.at(number, column, theirs.number)
            np.add.at(left, partner, fewer)
            found[coder] = Ratio(
                sum_of_all - float(by_pair[touched].sum()) + float(new.sum()),
                self.totals.n_types * (shared_by_all - float(self.shared[touched[~stays]].sum())),
            )
        return found


def _rates(by_coder: Marks, positions: FloatArray) -> FloatArray:
    """Return marks per potential boundary, by coder and type."""
    return _quotient(by_coder.number.astype(np.float64), positions[by_coder.owner])


def _summed(into: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Sum values into n places."""
    return np.bincount(into, weights=values, minlength=n).astype(np.float64)


def _quotient(over: FloatArray, under: FloatArray) -> FloatArray:
    """Divide; 0 where there is nothing to divide by."""
    return np.divide(over, under, out=np.zeros(len(over)), where=under > 0)


def _by_size(n_coders: IntArray, positions: NumberArray) -> list[tuple[int, int]]:
    """Return the potential boundaries of all documents with as many coders, in Python's whole numbers."""
    return [(n, int(positions[n_coders == n].sum())) for n in np.unique(n_coders).tolist()]
