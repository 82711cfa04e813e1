"""What agreement() counts: every two codings of every document compared once, and sums by name.

Coders seldom code everything: one coding is missing, or coders take turns in pairs. All documents with at
least two coders are one stratum, those that the same coders have coded another; the same sums are counted of
each, and a stratum is a list of documents. Names are of coders and types, not of documents, so that there are
few, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.counts import EditCounts, count_edits_many
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import make_weights
from caesura.analyses.coder_agreement.coefficients import (
    BOUNDARIES,
    COMPARED,
    FIRST_OF_CHANCE,
    SIMILAR,
    Chance,
    Coefficient,
)
from caesura.analyses.coder_agreement.marks import Marks
from caesura.arrays import FloatArray, IntArray, NumberArray
from caesura.checks import N_T
from caesura.errors import ParameterError
from caesura.metrics.base import Metric, Scores, signature_of
from caesura.metrics.edit import EditMetric
from caesura.pairs import every_two
from caesura.sums.named import Name
from caesura.sums.tallies import Tally, hash_strings, resampled_sums, whole
from caesura.sums.whole_numbers import exact, sum_slices, summable
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import gather, offsets_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


AT_ONCE = 64
"""Sums that are resampled together: memory holds so many numbers of each document."""

MOST_NUMBERS = 10_000_000
"""Sums that a stream keeps, each with its resamples."""

NUMBERS_OF_A_SUM = 25
"""A sum takes at least as much memory as so many resamples."""

RESAMPLED: Mapping[Coefficient, frozenset[str]] = {
    "pi": frozenset(("count", "boundaries", "slots", "type")),
    "kappa": frozenset(("count", "boundaries", "coder", "marks", "shared")),
}
"""The sums that a coefficient is made of."""


def check_similarity(metric: Metric) -> None:
    """Raise ParameterError when a metric is no similarity from 0 to 1, so that its value is no agreement."""
    if metric.direction != "higher" or (metric.low, metric.high) != (0.0, 1.0):
        raise ParameterError(
            f"{metric} is no similarity from 0 to 1, so chance cannot be taken off; choose B, Ba, Bc or S "
            "(coder_matrix shows any metric between coders)"
        )


# -------------------------------------------------------------------- every two codings, compared


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every two codings of every document of a corpus, compared, and the boundaries of each coding.

    Pairs are in the order of documents, and within one of its coders. A metric that treats its two sides
    differently compares each two both ways.
    """

    metric: Metric
    corpus: Corpus
    pairs: PackedPairs
    scores: Scores
    edits: IntArray | None = None
    """Additions, substitutions and transpositions of each pair, where the metric has counted them."""

    @cached_property
    def starts(self) -> IntArray:
        """Where each document's pairs start, and where the last ones end."""
        n = self.corpus.n_coders
        return offsets_of(n * (n - 1) // (2 if self.metric.symmetric else 1))

    @cached_property
    def by_document(self) -> NumberArray:
        """The metric's counts of each document, over all its pairs."""
        return sum_slices(summable(self.scores.rows), self.starts)

    @cached_property
    def edits_by_document(self) -> IntArray:
        """Additions, substitutions and transpositions of each document, at the metric's n_t (else 2)."""
        edits = self.edits
        if edits is None:
            weights = make_weights(N_T, "scaled", "scaled", 0.0, None)
            edits = _differences(count_edits_many(self.pairs, "greedy", weights))
        return sum_slices(edits, self.starts)

    @cached_property
    def kinds(self) -> IntArray:
        """All types of the corpus, ascending: those that are declared, or else occur."""
        return np.array(self.corpus.types or (PLAIN_TYPE,), dtype=np.int64)

    @cached_property
    def marks(self) -> Marks:
        """Boundaries by coding and type."""
        return Marks.of_codings(self.corpus.codings, self.kinds)

    @cached_property
    def marks_by_document(self) -> Marks:
        """Boundaries by document and type."""
        return self.marks.pooled(self.corpus.document, len(self.corpus.document_names))

    @cached_property
    def positions(self) -> IntArray:
        """Potential boundaries of each document."""
        return self.corpus.document_units - 1

    @cached_property
    def boundaries_by_document(self) -> IntArray:
        """Boundaries of all coders of each document."""
        ends = self.corpus.codings.offsets[self.corpus.starts]
        return ends[1:] - ends[:-1]

    @cached_property
    def support(self) -> tuple[IntArray, IntArray, IntArray]:
        """How many positions of each document how many coders have marked: offsets, coders, positions."""
        marked = self.corpus.codings.marked
        document = self.corpus.document[marked.coding]
        order = np.lexsort((marked.positions, document))
        position, document = marked.positions[order], document[order]
        is_new = np.ones(len(position), dtype=bool)
        is_new[1:] = (np.diff(position) != 0) | (np.diff(document) != 0)
        starts = np.flatnonzero(is_new)
        width = int(self.corpus.n_coders.max(initial=0)) + 1
        n_there = np.diff(np.append(starts, len(position)))
        keys, number = np.unique(document[starts] * width + n_there, return_counts=True)
        offsets = np.searchsorted(keys, width * np.arange(len(self.corpus.document_names) + 1))
        return offsets, keys % width, number

    def part(self, rows: IntArray) -> PairTable:
        """Return the table of some codings of the corpus, by number; nothing is compared again."""
        corpus = self.corpus.take(rows)
        pairs = every_two(corpus, both_ways=not self.metric.symmetric)
        where = self._numbers(rows[pairs.first], rows[pairs.second])
        scores = Scores(self.metric, self.scores.rows[where], self.scores.scale)
        return PairTable(
            self.metric, corpus, pairs, scores, None if self.edits is None else self.edits[where]
        )

    @cached_property
    def slot(self) -> IntArray:
        """The place of each coding among those of its document, in the order of coders."""
        slot = np.empty(len(self.corpus), dtype=np.int64)
        slot[self.corpus.in_order] = np.arange(len(self.corpus)) - self.corpus.starts[self.corpus.document]
        return slot

    def _numbers(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of the pairs of these codings, two by two of one document."""
        document, one, other = self.corpus.document[first], self.slot[first], self.slot[second]
        n = self.corpus.n_coders[document]
        low, high = np.minimum(one, other), np.maximum(one, other)
        number: IntArray = self.starts[document] + low * (2 * n - low - 1) // 2 + high - low - 1
        return number if self.metric.symmetric else number + np.where(one < other, 0, n * (n - 1) // 2)


def count_pairs(corpus: Corpus, metric: Metric) -> PairTable:
    """Compare every two codings of every document.

    >>> from caesura import load_stargazers, metric
    >>> count_pairs(load_stargazers(), metric("B")).scores.micro
    <B 0.530055 = 97/183, 21 pairs>
    """
    pairs = every_two(corpus, both_ways=not metric.symmetric)
    differences = None
    if isinstance(metric, EditMetric):
        edits = count_edits_many(pairs, metric.method, metric.weights)
        scores, differences = metric.over_edits(pairs, edits), _differences(edits)
    else:
        scores = metric.over(pairs)
    scores = Scores(scores.metric, *whole(scores.rows, scores.scale))  # their sums are the same in any order
    return PairTable(metric, corpus, pairs, scores, differences)


def _differences(edits: EditCounts[IntArray]) -> IntArray:
    return np.column_stack((edits.additions, edits.substitutions, edits.transpositions))


# -------------------------------------------------------------------- what documents add to sums


@dataclass
class Contributions:
    """What each document, or whatever else is a column, adds to sums by name."""

    n_columns: int
    numbers: dict[Name, int] = field(default_factory=dict)
    """A number for each name."""
    scales: dict[Name, int] = field(default_factory=dict)
    """The units of numbers, 1 / scale, where these are no ones."""
    parts: list[tuple[IntArray, IntArray, NDArray[Any]]] = field(default_factory=list)
    """The number of a name, the document, and what it adds."""

    def add(self, name: Name, values: Any, *, scale: int = 1) -> None:
        """Add what each document has."""
        self.add_many([name], np.zeros(len(values), dtype=np.int64), np.arange(len(values)), values)
        self.scales[name] = scale

    def add_many(self, names: Iterable[Name], row: IntArray, document: IntArray, values: Any) -> None:
        """Add what documents have under several names, by their numbers in the list."""
        numbers = np.array([self.numbers.setdefault(name, len(self.numbers)) for name in names], dtype=int)
        self.parts.append((numbers[row], document, np.asarray(values)))

    @cached_property
    def _columns(self) -> tuple[IntArray, IntArray, NDArray[Any], IntArray]:
        """Row, document and value of all, in the order of rows; and where each row starts."""
        row, document, values = (np.concatenate(parts) for parts in zip(*self.parts, strict=True))
        order = np.argsort(row, kind="stable")
        row = row[order]
        return row, document[order], values[order], np.searchsorted(row, np.arange(len(self.numbers) + 1))

    @cached_property
    def _by_document(self) -> tuple[IntArray, IntArray, NDArray[Any]]:
        """Where each document starts, and row and value of all, in the order of documents."""
        row, document, values, _ = self._columns
        order = np.argsort(document, kind="stable")
        starts = np.searchsorted(document[order], np.arange(self.n_columns + 1))
        return starts, row[order], values[order]

    @cached_property
    def _names(self) -> list[Name]:
        return [*self.numbers]

    def part(self, documents: IntArray) -> Contributions:
        """Return what some documents add, under the names that they have."""
        if len(documents) == self.n_columns:
            return self
        starts, row, values = self._by_document
        offsets, where = gather(starts, documents)
        present, number = np.unique(row[where], return_inverse=True)
        names = [self._names[i] for i in present.tolist()]
        document = np.arange(len(documents)).repeat(np.diff(offsets))
        return Contributions(
            len(documents),
            {name: i for i, name in enumerate(names)},
            self.scales,
            [(number, document, values[where])],
        )

    def sums(self) -> dict[Name, Tally]:
        """Add up over all documents."""
        _, _, values, starts = self._columns
        totals = sum_slices(summable(values), starts).tolist()
        return {
            name: Tally((int(totals[number]),), self.scales.get(name, 1))
            for name, number in self.numbers.items()
        }

    def resampled(
        self, kinds: frozenset[str], seed: int, hashes: NDArray[np.uint64], n_resamples: int
    ) -> dict[Name, Tally]:
        """Add up, and resample the sums of these kinds by Poisson weights of documents."""
        sums = self.sums()
        wanted = [(name, number) for name, number in self.numbers.items() if name[0] in kinds]
        _, document, values, starts = self._columns
        for first in range(0, len(wanted) if n_resamples else 0, AT_ONCE):
            batch = wanted[first : first + AT_ONCE]
            rows = np.array([number for _, number in batch])
            _, where = gather(starts, rows)
            documents, place = np.unique(document[where], return_inverse=True)
            table = np.zeros((len(documents), len(rows)), dtype=values.dtype)
            np.add.at(table, (place, np.repeat(np.arange(len(rows)), np.diff(starts)[rows])), values[where])
            drawn = resampled_sums(seed, hashes[documents], table, n_resamples)
            for (name, _), column in zip(batch, np.split(drawn, len(batch), axis=1), strict=True):
                tally = sums[name]
                sums[name] = Tally(tally.counts, tally.scale, resampled=column)
        return sums

    def matrix(self, names: Sequence[Name], observed: Sequence[FloatArray]) -> csr_array:
        """Return similar, compared, boundaries and what documents add to sums with these names.

        Sums × documents: a resample is a product with how often each document was drawn, and how much one
        document moves a value is the product of its derivative with the document's column.
        """
        from scipy.sparse import coo_array

        wanted = [self.numbers.get(name, -1) for name in (("boundaries",), *names)]
        place = np.full(len(self.numbers) + 1, -1)  # the last: of none
        place[wanted] = np.arange(BOUNDARIES, BOUNDARIES + len(wanted))
        place[-1] = -1
        row, document, values, _ = self._columns
        into = place[row]
        is_in = into >= 0
        each = np.arange(self.n_columns)
        rows = (np.full(len(each), SIMILAR), np.full(len(each), COMPARED), into[is_in])
        data = np.concatenate((*observed, values[is_in].astype(np.float64)))
        shape = (FIRST_OF_CHANCE + len(names), self.n_columns)
        columns = np.concatenate((each, each, document[is_in]))
        return coo_array((data, (np.concatenate(rows), columns)), shape=shape).tocsr()


# -------------------------------------------------------------------- strata


@dataclass(frozen=True, eq=False)
class Pool:
    """A stratum of documents with at least two coders; coders are numbered as in the corpus."""

    table: PairTable
    documents: IntArray

    @classmethod
    def of_all(cls, table: PairTable) -> Pool:
        """Take all documents with at least two coders."""
        return cls(table, np.flatnonzero(table.corpus.n_coders > 1))

    @cached_property
    def n_coders(self) -> IntArray:
        """The coders of each document."""
        return self.table.corpus.n_coders[self.documents]

    @cached_property
    def rows(self) -> IntArray:
        """The codings of the documents, document by document."""
        corpus = self.table.corpus
        rows: IntArray = corpus.in_order[gather(corpus.starts, self.documents)[1]]
        return rows

    @cached_property
    def document(self) -> IntArray:
        """The document of each coding, as a place among ``documents``."""
        return np.arange(len(self.documents)).repeat(self.n_coders)

    @cached_property
    def coder(self) -> IntArray:
        """The coder of each coding."""
        return self.table.corpus.coder[self.rows]

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders, in the corpus's order."""
        return tuple(self.table.corpus.coders[i] for i in np.unique(self.coder).tolist())

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of the documents."""
        names = self.table.corpus.documents
        if len(self.documents) == len(names):
            return tuple(names)
        return tuple(names[i] for i in self.documents.tolist())

    @cached_property
    def positions(self) -> NDArray[Any]:
        """The potential boundaries of each document, as whole numbers of which all sums are exact."""
        positions = self.table.positions[self.documents]
        largest = int(positions.max(initial=0)) * int(self.n_coders.max(initial=0)) ** 2 * len(positions)
        return exact(positions, largest)

    @cached_property
    def pairs(self) -> IntArray:
        """The pairs of codings, by number."""
        return gather(self.table.starts, self.documents)[1]

    @cached_property
    def pair_document(self) -> IntArray:
        """The document of each pair of codings, as a place among ``documents``."""
        return np.arange(len(self.documents)).repeat(np.diff(self.table.starts)[self.documents])

    @cached_property
    def pair_key(self) -> IntArray:
        """One number for the two coders of each pair of codings."""
        coder, pairs = self.table.corpus.coder, self.table.pairs
        one, other = coder[pairs.first[self.pairs]], coder[pairs.second[self.pairs]]
        return np.minimum(one, other) * len(self.table.corpus.coder_names) + np.maximum(one, other)

    @cached_property
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """What is similar and what is compared in each document, in units of 1 / scale."""
        counts = self.table.by_document[self.documents].astype(np.float64)
        similar, compared, _ = self.table.metric.fraction(counts.T)
        return similar, compared

    def marks(self, chance: Chance) -> Marks:
        """Return what each coding counts towards its coder's rate: boundaries, or segments if published."""
        if chance == "boundaries":
            return self.table.marks.take(self.rows)
        # One type only; a coding has one segment more than boundaries, also where it has none.
        number = self.table.corpus.codings.n_boundaries[self.rows] + 1
        return Marks(np.arange(len(number) + 1), np.zeros(len(number), dtype=np.int64), number, 1)

    @cached_property
    def segments(self) -> IntArray:
        """The segments of all coders of each document."""
        return self.table.boundaries_by_document[self.documents] + self.n_coders

    # ---------------------------------------------------------------- what is added up

    def contributions(self, chance: Chance, number: int = 0) -> Contributions:
        """Return what each document adds to the sums, with those of the metric under this number."""
        added = Contributions(len(self.documents))
        self._add_comparisons(added, number)
        self._add_codings(added, chance)
        return added

    def _add_comparisons(self, added: Contributions, number: int) -> None:
        """Add what the metric says of pairs of codings."""
        table = self.table
        counts = table.by_document[self.documents]
        for place, column in enumerate(counts.T):
            added.add(("count", number, place), column, scale=table.scores.scale)
        for place, column in enumerate(table.edits_by_document[self.documents].T):
            added.add(("edits", number, place), column)
        compared, scale = whole(table.metric.fraction(counts.T)[1], table.scores.scale)
        largest = int(compared.max(initial=0)) ** 2 * len(compared)
        added.add(("compared squared", number), exact(compared, largest) ** 2, scale=scale**2)

    def _add_codings(self, added: Contributions, chance: Chance) -> None:
        """Add what coders did, each and every two."""
        table, corpus, c, positions = self.table, self.table.corpus, self.n_coders, self.positions
        types, coders = table.kinds.tolist(), corpus.coders
        added.add(("documents",), np.ones(len(self.documents), dtype=np.int64))
        added.add(("pairs",), c * (c - 1) // 2)
        added.add(("positions",), positions)
        added.add(("slots",), positions * c)
        added.add(("pair_slots",), positions * (c * (c - 1) // 2))
        added.add(("boundaries",), table.boundaries_by_document[self.documents])
        by_type = table.marks_by_document.take(self.documents)
        added.add_many([("type", kind) for kind in types], by_type.kind, by_type.owner, by_type.number)
        if chance == "published":
            lengths, place = np.unique(table.positions[self.documents], return_inverse=True)
            names: list[Name] = [("ratio", length) for length in np.maximum(lengths, 1).tolist()]
            has_any = table.positions[self.documents] > 0
            each = np.arange(len(self.documents))
            added.add_many(names, place, each, np.where(has_any, (c - 1) * self.segments, 0))
            added.add(("rated",), np.where(has_any, c * (c - 1), 0))
        # Coders: what they coded, how much they marked, and of what type.
        present, coder = np.unique(self.coder, return_inverse=True)
        who = [coders[i] for i in present.tolist()]
        columns = {
            "coded": np.ones(len(self.rows), dtype=np.int64),
            "coder": positions[self.document],
            "marked": corpus.codings.marked.n_boundaries[self.rows],
        }
        for kind, values in columns.items():
            added.add_many([(kind, one) for one in who], coder, self.document, values)
        marks = self.marks(chance)
        keys, column = np.unique(coder[marks.owner] * len(types) + marks.kind, return_inverse=True)
        names = [("marks", who[key // len(types)], types[key % len(types)]) for key in keys.tolist()]
        added.add_many(names, column, self.document[marks.owner], marks.number)
        # Every two coders: what they share. Positions: how many coders have marked them.
        pairs, column = self.coder_pairs
        slot = table.slot
        once = slot[table.pairs.first[self.pairs]] < slot[table.pairs.second[self.pairs]]
        document = self.pair_document[once]
        added.add_many([("shared", *pair) for pair in pairs], column[once], document, positions[document])
        self._add_support(added)

    @cached_property
    def coder_pairs(self) -> tuple[list[tuple[str, str]], IntArray]:
        """Every two coders who share a document, by name; and which of them each pair of codings is of."""
        coders, n = self.table.corpus.coders, len(self.table.corpus.coder_names)
        keys, column = np.unique(self.pair_key, return_inverse=True)
        pairs = [sorted((coders[key // n], coders[key % n])) for key in keys.tolist()]
        return [(one, other) for one, other in pairs], column

    def _add_support(self, added: Contributions) -> None:
        """Add how many positions were marked by how many of how many coders."""
        offsets, n_there, number = self.table.support
        offsets, where = gather(offsets, self.documents)
        document = np.arange(len(self.documents)).repeat(np.diff(offsets))
        unmarked = self.positions - sum_slices(number[where], offsets)
        support = np.concatenate((np.zeros(len(self.documents), dtype=np.int64), n_there[where]))
        document = np.concatenate((np.arange(len(self.documents)), document))
        width = int(self.n_coders.max(initial=0)) + 1
        keys, column = np.unique(self.n_coders[document] * width + support, return_inverse=True)
        names: list[Name] = [("support", *divmod(key, width)) for key in keys.tolist()]
        added.add_many(names, column, document, np.concatenate((unmarked, number[where])))

    # ---------------------------------------------------------------- without one coder

    def without(self, chance: Chance) -> tuple[Contributions, tuple[FloatArray, ...]]:
        """Return what each coder takes away from the sums, and from what is similar and compared.

        Documents that this leaves with one coding go with the coder.
        """
        table, types = self.table, self.table.kinds.tolist()
        present, coder = np.unique(self.coder, return_inverse=True)
        removed = Contributions(len(present))
        # Codings that go with a coder: the own ones, and those of a lone partner.
        place = np.arange(len(self.rows))
        two = place[self.n_coders[self.document] == 2]
        partner = two.reshape(-1, 2)[:, ::-1].ravel()
        codings, of = np.concatenate((place, two)), np.concatenate((coder, coder[partner]))
        positions = self.positions[self.document[codings]]
        boundaries = table.corpus.codings.n_boundaries[self.rows][codings]
        each = np.zeros(len(codings), dtype=np.int64)
        removed.add_many([("slots",)], each, of, positions)
        removed.add_many([("boundaries",)], each, of, boundaries)
        by_type = table.marks.take(self.rows[codings])
        removed.add_many([("type", kind) for kind in types], by_type.kind, of[by_type.owner], by_type.number)
        who = [table.corpus.coders[i] for i in present.tolist()]
        removed.add_many([("coder", one) for one in who], coder[codings], of, positions)
        marks = self.marks(chance).take(codings)
        keys, column = np.unique(coder[codings][marks.owner] * len(types) + marks.kind, return_inverse=True)
        names: list[Name] = [
            ("marks", who[key // len(types)], types[key % len(types)]) for key in keys.tolist()
        ]
        removed.add_many(names, column, of[marks.owner], marks.number)
        if chance == "published":  # a document's part with all its coders, less that without this one
            lengths, length = np.unique(self.positions.astype(np.int64), return_inverse=True)
            c, has_any = self.n_coders[self.document], self.positions[self.document] > 0
            own, of_all = table.corpus.codings.n_boundaries[self.rows] + 1, self.segments[self.document]
            lost = np.where(has_any, (c - 1) * of_all - (c - 2) * (of_all - own), 0)
            names = [("ratio", one) for one in np.maximum(lengths, 1).tolist()]
            removed.add_many(names, length[self.document], coder, lost)
            removed.add_many([("rated",)], 0 * coder, coder, np.where(has_any, 2 * (c - 1), 0))
        # Pairs of codings that a coder is in.
        first, second = (
            np.searchsorted(present, table.corpus.coder[side[self.pairs]])
            for side in (table.pairs.first, table.pairs.second)
        )
        member = np.concatenate((first, second))
        pairs, column = self.coder_pairs
        shared = np.tile(self.positions[self.pair_document] / (1 if table.metric.symmetric else 2), 2)
        removed.add_many([("shared", *pair) for pair in pairs], np.tile(column, 2), member, shared)
        similar, compared, _ = table.metric.fraction(table.scores.rows[self.pairs].astype(np.float64).T)
        sides = (np.bincount(member, np.tile(side, 2), len(present)) for side in (similar, compared))
        return removed, tuple(side.astype(np.float64) for side in sides)


# -------------------------------------------------------------------- the question


@dataclass(frozen=True)
class AgreementQuestion:
    """What is counted of the codings of documents, for several metrics at once."""

    metrics: tuple[Metric, ...]
    coefficient: Coefficient
    """The one that is resampled."""
    n_resamples: int = 0
    """Resamples of a Poisson bootstrap."""
    seed: int = 0
    chance: Chance = "boundaries"

    @property
    def about(self) -> tuple[Any, ...]:
        """What tells the question from others of its kind."""
        return *map(signature_of, self.metrics), self.coefficient, self.n_resamples, self.seed

    def check(self, names: Collection[Name]) -> None:
        """Refuse more sums than memory should hold."""
        resampled = RESAMPLED[self.coefficient]
        n = sum(name[0] in resampled for name in names) if self.n_resamples else 0
        if n * self.n_resamples + len(names) * NUMBERS_OF_A_SUM > MOST_NUMBERS:
            fewer = "coefficient='pi', or n_resamples=0" if self.n_resamples else "fewer coders"
            raise ParameterError(
                f"there are {len(names):,} sums over coders, pairs of coders and types, more than a stream "
                f"keeps: take {fewer}, or read the data into memory"
            )

    def count(self, corpus: Corpus) -> dict[Name, Tally]:
        """Return the sums over all documents with at least two codings, and the number of others."""
        corpus = corpus.coded
        pools = [Pool.of_all(count_pairs(corpus, metric)) for metric in self.metrics]
        single: dict[Name, Tally] = {("single",): Tally((int((corpus.n_coders == 1).sum()),))}
        if not len(pools[0].documents):
            return single
        added = pools[0].contributions(self.chance)
        for number, pool in enumerate(pools[1:], start=1):
            pool._add_comparisons(added, number)
        self.check(added.numbers)
        names = corpus.document_names
        hashes = hash_strings(names.data, names.offsets)[pools[0].documents]
        return single | added.resampled(RESAMPLED[self.coefficient], self.seed, hashes, self.n_resamples)
