"""Agreement as sums over documents: what agreement() of a stream adds up, and what follows from the sums.

Every sum has a name, such as the boundaries of a coder of a type or the potential boundaries that two coders
share. Names are of coders and types, not of documents, so that there are few, however long the stream.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.coder_agreement.coefficients import Coefficient, Ratio, Ratios, Sums, kappa_of_pairs
from caesura.analyses.coder_agreement.contributions import (
    Expectation,
    OneRate,
    OwnRates,
    coefficient_values,
    shared_columns,
)
from caesura.analyses.coder_agreement.groups import FITS, sum_slices, summable
from caesura.analyses.coder_agreement.observed import Differences, Totals, count_pairs
from caesura.analyses.coder_agreement.pool import Pool
from caesura.analyses.coder_agreement.strict import (
    MarkCounts,
    StrictAgreement,
    count_marks,
    krippendorff_alpha,
    own_rates_of_pairs,
    pooled_strict_agreement,
    strict_agreement,
)
from caesura.arrays import FloatArray, IntArray
from caesura.errors import ParameterError
from caesura.metrics.base import Metric, signature
from caesura.stats.intervals import effective_size, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.named import Name
from caesura.sums.named import Sums as NamedSums
from caesura.sums.tallies import Tally, hash_strings, resampled_sums, whole
from caesura.values.corpus import Corpus

AT_ONCE = 64
"""Sums that are resampled together: memory holds so many numbers of each document."""

MOST_NUMBERS = 10_000_000
"""Sums that are kept, each with its resamples."""

NUMBERS_OF_A_SUM = 25
"""A sum takes at least as much memory as so many resamples."""


# -------------------------------------------------------------------- what is added up


@dataclass(frozen=True)
class AgreementQuestion:
    """What is counted of the codings of documents, for several metrics at once."""

    metrics: tuple[Metric, ...]
    coefficient: Coefficient
    """The one that is resampled."""
    n_resamples: int
    seed: int

    @property
    def about(self) -> tuple[Any, ...]:
        """What tells the question from others of its kind."""
        return *map(signature, self.metrics), self.coefficient, self.n_resamples, self.seed

    def check(self, names: Mapping[Name, Any]) -> None:
        """Refuse more sums than memory should hold."""
        n = self._numbers(names)
        if n > MOST_NUMBERS:
            fewer = "coefficient='pi', or n_resamples=0" if self.n_resamples else "fewer coders"
            raise ParameterError(
                f"there are {len(names):,} sums over coders, pairs of coders and types, more than a stream "
                f"keeps: take {fewer}, or read the data into memory"
            )

    def _numbers(self, names: Mapping[Name, Any]) -> int:
        resampled = RESAMPLED[self.coefficient]
        n = sum(name[0] in resampled for name in names) if self.n_resamples else 0
        return n * self.n_resamples + len(names) * NUMBERS_OF_A_SUM

    def count(self, corpus: Corpus) -> dict[Name, Tally]:
        """Return the sums over all documents with at least two codings, and the number of others."""
        collected = _Collected()
        for number, metric in enumerate(self.metrics):
            pool = Pool(count_pairs(corpus.coded, metric))
            if len(pool.documents):
                _collect_comparisons(number, pool, collected)
        collected.add(("single",), [len(pool.single_documents)])
        if len(pool.documents):
            _collect_codings(pool, collected)  # which are the same, whatever they are compared by
        self.check(collected.numbers)
        names = corpus.coded.document_names
        hashes = hash_strings(names.data, names.offsets)[pool.documents]
        return collected.sums(self, hashes)


RESAMPLED: Mapping[Coefficient, frozenset[str]] = {
    "pi": frozenset(("count", "boundaries", "slots", "type")),
    "kappa": frozenset(("count", "boundaries", "coder", "marks", "shared")),
}
"""The sums that a coefficient is made of."""


@dataclass
class _Collected:
    """Numbers of documents under the names of the sums that they add to."""

    numbers: dict[Name, int] = field(default_factory=dict)
    """A number for each name."""
    scales: dict[Name, int] = field(default_factory=dict)
    """The units of numbers, 1 / scale, where these are no ones."""
    parts: list[tuple[IntArray, IntArray, NDArray[Any]]] = field(default_factory=list)
    """The number of a name, the document, and what it adds."""

    def add(self, name: Name, values: Any, *, scale: int = 1) -> None:
        """Add what each document has; one value is of all documents together."""
        self.add_many([name], np.zeros(len(values), dtype=np.int64), np.arange(len(values)), values)
        self.scales[name] = scale

    def add_many(self, names: Sequence[Name], column: IntArray, document: IntArray, values: Any) -> None:
        """Add what documents have under several names, by their numbers in the list."""
        numbers = np.array([self.numbers.setdefault(name, len(self.numbers)) for name in names])
        self.parts.append((numbers[column], document, np.asarray(values)))

    def sums(self, question: AgreementQuestion, hashes: NDArray[np.uint64]) -> dict[Name, Tally]:
        """Add up, and resample what the coefficient is made of."""
        column, document, values = (np.concatenate(parts) for parts in zip(*self.parts, strict=True))
        order = np.argsort(column, kind="stable")
        column, document, values = column[order], document[order], values[order]
        starts = np.searchsorted(column, np.arange(len(self.numbers) + 1))
        totals = sum_slices(summable(values), starts).tolist()
        wanted = [
            number
            for name, number in self.numbers.items()
            if question.n_resamples and name[0] in RESAMPLED[question.coefficient]
        ]
        resampled: dict[int, NDArray[np.object_]] = {}
        for first in range(0, len(wanted), AT_ONCE):
            some = np.array(wanted[first : first + AT_ONCE])
            where = np.concatenate([np.arange(starts[one], starts[one + 1]) for one in some.tolist()])
            documents, row = np.unique(document[where], return_inverse=True)
            table = np.zeros((len(documents), len(some)), dtype=values.dtype)
            np.add.at(table, (row, np.repeat(np.arange(len(some)), np.diff(starts)[some])), values[where])
            drawn = resampled_sums(question.seed, hashes[documents], table, question.n_resamples)
            resampled.update(zip(some.tolist(), np.split(drawn, len(some), axis=1), strict=True))
        nothing = np.zeros((0, 1), dtype=object)
        return {
            name: Tally(
                (int(totals[number]),), self.scales.get(name, 1), resampled=resampled.get(number, nothing)
            )
            for name, number in self.numbers.items()
        }


def _collect_comparisons(metric: int, pool: Pool, collected: _Collected) -> None:
    """Collect what a metric, by its number, says of pairs of codings."""
    table = pool.table
    for place, counts in enumerate(table.by_document[pool.documents].T):
        collected.add(("count", metric, place), counts, scale=table.scores.scale)
    for place, number in enumerate(pool.differences):
        collected.add(("edits", metric, place), [number])
    _, compared, _ = table.metric.fraction(table.by_document[pool.documents].T)
    compared, scale = whole(compared, table.scores.scale)
    largest = int(compared.max(initial=0)) ** 2 * len(compared)
    squares = (compared if largest <= FITS else compared.astype(object)) ** 2
    collected.add(("compared squared", metric), squares, scale=scale**2)


def _collect_codings(pool: Pool, collected: _Collected) -> None:
    """Collect what coders did, each and every two."""
    table, groups = pool.table, pool.table.groups
    corpus, documents, n_coders = table.corpus, pool.documents, pool.n_coders
    largest = int(pool.positions.max()) * int(n_coders.max()) ** 2 * len(documents)
    positions = pool.positions.astype(np.int64 if largest <= FITS else object)
    collected.add(("documents",), [len(documents)])
    collected.add(("pairs",), n_coders * (n_coders - 1) // 2)
    collected.add(("positions",), positions)
    collected.add(("slots",), positions * n_coders)
    collected.add(("pair_slots",), positions * (n_coders * (n_coders - 1) // 2))
    collected.add(("boundaries",), groups.boundaries_by_document[documents])
    by_type = groups.marks_by_document.take(documents)
    types = groups.kinds.tolist()
    names: list[Name] = [("type", one) for one in types]
    collected.add_many(names, by_type.kind, by_type.owner, by_type.number)
    # Coders: what they coded, how much they marked, and of what type.
    coders = [*corpus.coders]
    own = positions[pool.document]
    collected.add_many([("coded", one) for one in coders], pool.coder, pool.document, 0 * own + 1)
    collected.add_many([("coder", one) for one in coders], pool.coder, pool.document, own)
    marked = corpus.codings.marked.n_boundaries[pool.rows]
    collected.add_many([("marked", one) for one in coders], pool.coder, pool.document, marked)
    marks = pool.marks
    keys, column = np.unique(pool.coder[marks.owner] * len(types) + marks.kind, return_inverse=True)
    whose = [divmod(one, len(types)) for one in keys.tolist()]
    names = [("marks", coders[coder], types[kind]) for coder, kind in whose]
    collected.add_many(names, column, pool.document[marks.owner], marks.number)
    # Every two coders: what they share.
    slot, first, second = groups.slot, table.pairs.first, table.pairs.second
    once = slot[first] < slot[second]
    document = np.searchsorted(documents, corpus.document[first[once]])
    column = np.searchsorted(pool.keys, pool.pair_key[once])
    names = [
        ("shared", *sorted((coders[one], coders[other])))
        for one, other in zip(*(side.tolist() for side in pool.partners), strict=True)
    ]
    collected.add_many(names, column, document, positions[document])
    support: Counter[tuple[int, int]] = Counter()
    for counted in count_marks(groups):
        if counted.n_coders > 1:
            support.update({(counted.n_coders, j): n for j, n in enumerate(counted.support) if n})
    for (n, j), number in support.items():
        collected.add(("support", n, j), [number])


# -------------------------------------------------------------------- what follows


@dataclass(frozen=True, eq=False)
class PooledSums:
    """The sums over all documents, and what a pool of these documents in memory would say by one metric."""

    question: AgreementQuestion
    place: int
    """The metric's, among those of the question."""
    declared: int | None
    """How many types are declared; None: those that occur are counted."""
    tallies: Mapping[tuple[Any, ...], Tally]

    @classmethod
    def of(cls, question: AgreementQuestion, declared: int | None, sums: NamedSums) -> list[PooledSums]:
        """Take sums by name, and return what they are by each metric."""
        tallies = dict(sorted(sums.items(), key=lambda item: repr(item[0])))
        return [cls(question, place, declared, tallies) for place in range(len(question.metrics))]

    @property
    def metric(self) -> Metric:
        """The similarity behind observed agreement."""
        return self.question.metrics[self.place]

    def total(self, *name: str | int) -> int:
        """Return a sum; 0 of nothing."""
        tally = self.tallies.get(name)
        return 0 if tally is None else tally.counts[0]

    def _named(self, what: str) -> dict[tuple[Any, ...], int]:
        """Return the sums of one kind, by the rest of their names."""
        return {
            name[1:]: tally.counts[0]
            for name, tally in self.tallies.items()
            if name[0] == what and len(name) > 1
        }

    @property
    def n_single(self) -> int:
        """Documents with one coding, which are left out."""
        return self.total(
            "single",
        )

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders who share a document with another, by name."""
        return tuple(sorted(name for (name,), n in self._named("coded").items() if n))

    @cached_property
    def is_one_group(self) -> bool:
        """Whether all of them have coded all documents."""
        return all(self.total("coded", one) == self.total("documents") for one in self.coders)

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        return tuple(one for one in self.coders if not self.total("marked", one))

    @cached_property
    def _counts(self) -> list[Tally]:
        """The metric's counts, in units of one scale."""
        n_counts = len(self.metric.count_names)
        found = [self.tallies["count", self.place, place] for place in range(n_counts)]
        scale = math.lcm(*(one.scale for one in found))
        return [Tally((0,), scale, resampled=one.resampled * 0) + one for one in found]

    @cached_property
    def totals(self) -> Totals:
        """What all coders did."""
        counts = tuple(one.counts[0] for one in self._counts)
        similar, compared, _ = self.metric.fraction(counts)
        marks = [n for n in self._named("type").values() if n]
        return Totals(
            n_coders=len(self.coders),
            n_documents=self.total("documents"),
            n_pairs=self.total("pairs"),
            n_types=max(1, len(marks)) if self.declared is None else self.declared,
            positions=self.total("positions"),
            slots=self.total("slots"),
            pair_slots=self.total("pair_slots"),
            similar=similar,
            compared=compared,
            boundaries=self.total("boundaries"),
            marked=sum(self.total("marked", one) for one in self.coders),
            together=sum(n**2 for n in marks),
            cubes=sum(n**3 for n in marks),
        )

    @cached_property
    def ratios(self) -> Ratios:
        """Observed and expected agreement."""
        totals, marks = self.totals, self._named("marks")
        observed: Ratio[float] = Ratio(totals.similar, totals.compared)
        if self.is_one_group:
            own = sum(n**2 for n in marks.values())
            sums: Sums[float] = Sums(
                observed, totals.positions, totals.n_coders, totals.n_types, own, totals.together
            )
            return sums.ratios()
        pi: Ratio[float] = Ratio(totals.together, totals.n_types * totals.slots**2)
        if sum(marks.values()) == totals.n_types * totals.slots:
            return Ratios(observed, pi, Ratio(1, 1))
        layout = self._layout
        positions = np.array([float(self.total("coder", one)) for one in self.coders])
        number = np.array([float(marks[key]) for key in layout.columns])
        rates = np.divide(
            number, positions[layout.owner], out=np.zeros(len(number)), where=positions[layout.owner] > 0
        )
        shared = np.array([float(n) for n in self._named("shared").values()])
        kappa = kappa_of_pairs(shared, layout.pair, rates[layout.first], rates[layout.second], totals.n_types)
        return Ratios(observed, pi, kappa)

    @cached_property
    def _layout(self) -> _Layout:
        return _Layout.of(self.coders, [*self._named("marks")], [*self._named("shared")])

    @property
    def differences(self) -> Differences:
        """The edits between all coders."""
        kinds = range(len(Differences._fields))
        return Differences(*(self.total("edits", self.place, kind) for kind in kinds))

    # ---------------------------------------------------------------- strict coefficients

    @cached_property
    def _marks(self) -> list[MarkCounts]:
        """How often positions were marked, by number of coders."""
        support = self._named("support")
        found = []
        for n in sorted({n for n, _ in support}):
            numbers = tuple(support.get((n, j), 0) for j in range(n + 1))
            by_coder = (sum(j * number for j, number in enumerate(numbers)), *(0 for _ in range(n - 1)))
            found.append(MarkCounts(numbers, by_coder))
        return found

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        by_coder = tuple(self.total("marked", one) for one in self.coders)
        if self.is_one_group:
            support = self._marks[0].support if self._marks else (0,) * (len(self.coders) + 1)
            return strict_agreement(MarkCounts(support, by_coder))
        positions = np.array([float(self.total("coder", one)) for one in self.coders])
        number = np.array(by_coder, dtype=np.float64)
        rate = np.divide(number, positions, out=np.zeros(len(number)), where=positions > 0)
        place = {coder: number for number, coder in enumerate(self.coders)}
        pairs = self._named("shared")
        one, other = (np.array([rate[place[pair[side]]] for pair in pairs]) for side in (0, 1))
        shared = np.array([float(n) for n in pairs.values()])
        return pooled_strict_agreement(self._marks, len(self.coders), own_rates_of_pairs(shared, one, other))

    @cached_property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all documents."""
        return krippendorff_alpha(self._marks)

    # ---------------------------------------------------------------- the interval

    def interval(self, value: float, confidence: float) -> Interval | None:
        """Return the expanded percentile interval of the resampled values; None where there is none."""
        n_documents = self.total("documents")
        if n_documents < 2 or not self.question.n_resamples:
            return None
        values = self.resampled_values()
        known = values[~np.isnan(values)]
        squares = self.tallies["compared squared", self.place]
        compared = self.totals.compared / self._counts[0].scale
        effective = effective_size(n_documents, compared, squares.counts[0] / squares.scale)
        return interval_of(value, known, expanded_levels(confidence, effective)) if len(known) else None

    def resampled_values(self) -> FloatArray:
        """Return the coefficient of each resample; NaN where it is not defined."""
        counts: Any = tuple(one.resampled[:, 0] for one in self._counts)
        similar, compared, _ = self.metric.fraction(counts)
        expectation, names = self._expectation
        columns = [similar, compared, *(self.tallies[name].resampled[:, 0] for name in names)]
        return coefficient_values(expectation, np.array([column.astype(np.float64) for column in columns]))

    @property
    def _expectation(self) -> tuple[Expectation, list[tuple[Any, ...]]]:
        """How expected agreement follows from sums, and which ones these are after the boundaries."""
        n_types = self.totals.n_types
        boundaries: tuple[Any, ...] = ("boundaries",)
        if self.question.coefficient == "pi":
            types = [("type", *rest) for rest in self._named("type")]
            return OneRate(n_types), [boundaries, ("slots",), *types]
        layout = self._layout
        names = [
            *(("coder", one) for one in self.coders),
            *(("marks", *rest) for rest in layout.columns),
            *(("shared", *rest) for rest in self._named("shared")),
        ]
        sides = (layout.pair, layout.first, layout.second)
        n = (len(self.coders), len(self._named("shared")))
        return OwnRates(n_types, layout.owner, *sides, *n), [boundaries, *names]


@dataclass(frozen=True, eq=False)
class _Layout:
    """Coders, their types and pairs of coders as places in arrays."""

    columns: list[tuple[Any, ...]]
    """Coders and types, coder after coder."""
    owner: IntArray
    pair: IntArray
    first: IntArray
    second: IntArray

    @classmethod
    def of(
        cls, coders: tuple[str, ...], marks: list[tuple[Any, ...]], pairs: list[tuple[Any, ...]]
    ) -> _Layout:
        place = {coder: number for number, coder in enumerate(coders)}
        kinds = {kind: number for number, kind in enumerate(sorted({kind for _, kind in marks}))}
        columns = sorted((key for key in marks if key[0] in place), key=lambda key: (place[key[0]], key[1]))
        owner = np.array([place[coder] for coder, _ in columns], dtype=np.int64)
        kind = np.array([kinds[kind] for _, kind in columns], dtype=np.int64)
        keys = owner * len(kinds) + kind
        pair_keys = np.array([place[a] * len(coders) + place[b] for a, b in pairs], dtype=np.int64)
        shared = shared_columns(pair_keys, len(coders), owner, kind, len(kinds), keys)
        return cls(columns, owner, *shared)
