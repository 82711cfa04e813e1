"""What agreement() counts: every two codings of every document compared once, and sums by name.

Coders seldom code everything: one coding is missing, or coders take turns in pairs. All documents with at
least two coders are one stratum, those that the same coders have coded another; the same sums are counted of
each, and a stratum is a list of documents. Names are of coders and types, not of documents, so that there are
few, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
from caesura.arrays import FloatArray, IntArray, NumberArray, bincount, changes, repeat
from caesura.checks import N_T
from caesura.errors import ParameterError
from caesura.metrics.base import Metric, Scores, signature_of
from caesura.metrics.edit import EditMetric
from caesura.pairs import every_two
from caesura.sums.named import Name
from caesura.sums.tallies import Tally, hash_strings, resampled_sums, whole
from caesura.sums.whole_numbers import exact, sum_slices, summable
from caesura.values.columns import Columns
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


# -------------------------------------------------------------------- what documents add to sums


class TypedMarks(NamedTuple):
    """Boundaries by owner (a coding, or a coder at a position) and type; 0 takes no room."""

    offsets: IntArray  # where each owner's types start, and where the last ones end
    kind: IntArray  # ascending in each owner: the type, by its index among all types of the corpus
    number: IntArray

    @classmethod
    def of(cls, codings: Columns, kinds: IntArray) -> TypedMarks:
        """Count the boundaries of each coding."""
        if codings.types is None:
            plain = min(int(np.searchsorted(kinds, PLAIN_TYPE)), len(kinds) - 1)
            kind = np.full(len(codings), plain, dtype=np.int64)
            return cls(np.arange(len(codings) + 1), kind, codings.n_boundaries)
        key = codings.coding * len(kinds) + np.searchsorted(kinds, codings.types)
        keys, number = np.unique(key, return_counts=True)
        offsets = np.searchsorted(keys, len(kinds) * np.arange(len(codings) + 1))
        return cls(offsets, keys % len(kinds), number)

    @property
    def owner(self) -> IntArray:
        """Whose each number is."""
        return repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def take(self, owners: IntArray) -> TypedMarks:
        """Return the numbers of these owners, in this order."""
        offsets, where = gather(self.offsets, owners)
        return TypedMarks(offsets, self.kind[where], self.number[where])


@dataclass
class Contributions:
    """What each document, or whatever else is a column, adds to sums by name."""

    n_columns: int
    numbers: dict[Name, int] = field(default_factory=dict)
    """A number for each name."""
    scales: dict[Name, int] = field(default_factory=dict)
    """The units of numbers, 1 / scale, where these are no ones."""
    parts: list[tuple[IntArray, IntArray, NDArray[Any]]] = field(default_factory=list)
    """The number of a name, the column, and what it adds."""

    def add(self, name: Name, values: Any, *, scale: int = 1) -> None:
        """Add what each column has."""
        number = self.numbers.setdefault(name, len(self.numbers))
        self.parts.append((np.full(len(values), number), np.arange(len(values)), np.asarray(values)))
        self.scales[name] = scale

    def add_by(self, name: Callable[[int], Name], keys: IntArray, columns: IntArray, values: Any) -> None:
        """Add values to columns, under the name of each key."""
        present, index = _distinct(keys)
        names = (self.numbers.setdefault(name(key), len(self.numbers)) for key in present.tolist())
        self.parts.append((np.fromiter(names, np.int64, len(present))[index], columns, np.asarray(values)))

    def add_rates(
        self,
        coders: Sequence[str],
        types: Sequence[int],
        coder: IntArray,
        columns: IntArray,
        positions: NDArray[Any],
        marks: TypedMarks,
        own: TypedMarks | None = None,
    ) -> None:
        """Add what codings, or parts of them, count towards rates of boundaries, each to its column.

        ``own``: what counts towards the rate of the coder; None: ``marks``.
        """
        self.add_by(lambda _: ("slots",), np.zeros_like(columns), columns, positions)
        self.add_by(lambda number: ("coder", coders[number]), coder, columns, positions)
        at = columns[marks.owner]
        self.add_by(lambda _: ("boundaries",), np.zeros_like(at), at, marks.number)
        self.add_by(lambda kind: ("type", types[kind]), marks.kind, at, marks.number)
        own = own or marks
        n, owner = len(types), own.owner
        self.add_by(
            lambda key: ("marks", coders[key // n], types[key % n]),
            coder[owner] * n + own.kind,
            columns[owner],
            own.number,
        )

    @cached_property
    def _columns(self) -> tuple[IntArray, IntArray, NDArray[Any], IntArray]:
        """Row, column and value of all, in the order of rows; and where each row starts."""
        row, column, values = (np.concatenate(parts) for parts in zip(*self.parts, strict=True))
        order = np.argsort(row, kind="stable")
        row = row[order]
        return row, column[order], values[order], np.searchsorted(row, np.arange(len(self.numbers) + 1))

    @cached_property
    def _by_column(self) -> tuple[IntArray, IntArray, NDArray[Any], list[Name]]:
        """Where each column starts, row and value of all in the order of columns; and the names of rows."""
        row, column, values, _ = self._columns
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(self.n_columns + 1))
        return starts, row[order], values[order], [*self.numbers]

    def part(self, columns: IntArray) -> Contributions:
        """Return what some columns add, under the names that they have."""
        if len(columns) == self.n_columns:
            return self
        starts, row, values, names = self._by_column
        offsets, where = gather(starts, columns)
        present, number = np.unique(row[where], return_inverse=True)
        column = repeat(np.arange(len(columns)), np.diff(offsets))
        numbers = {names[i]: new for new, i in enumerate(present.tolist())}
        return Contributions(len(columns), numbers, self.scales, [(number, column, values[where])])

    def resampled(
        self, kinds: Collection[str], seed: int, hashes: NDArray[np.uint64], n_resamples: int
    ) -> dict[Name, Tally]:
        """Add up all columns, and resample the sums of these kinds by Poisson weights of columns."""
        _, column, values, starts = self._columns
        totals = sum_slices(summable(values), starts).tolist()
        sums = {
            name: Tally((int(totals[number]),), self.scales.get(name, 1))
            for name, number in self.numbers.items()
        }
        wanted = [(name, number) for name, number in self.numbers.items() if name[0] in kinds]
        for first in range(0, len(wanted) if n_resamples else 0, AT_ONCE):
            batch = wanted[first : first + AT_ONCE]
            rows = np.array([number for _, number in batch])
            _, where = gather(starts, rows)
            columns, index = np.unique(column[where], return_inverse=True)
            table = np.zeros((len(columns), len(rows)), dtype=values.dtype)
            np.add.at(table, (index, repeat(np.arange(len(rows)), np.diff(starts)[rows])), values[where])
            drawn = resampled_sums(seed, hashes[columns], table, n_resamples)
            for (name, _), resampled in zip(batch, np.split(drawn, len(batch), axis=1), strict=True):
                sums[name] = Tally(sums[name].counts, sums[name].scale, resampled=resampled)
        return sums

    def sums(self) -> dict[Name, Tally]:
        """Add up all columns."""
        return self.resampled((), 0, np.empty(0, dtype=np.uint64), 0)

    def matrix(self, names: Sequence[Name], observed: Sequence[FloatArray]) -> csr_array:
        """Return similar, compared, boundaries and what columns add to sums with these names.

        Sums × columns: a resample is a product with how often each document was drawn, and how much one
        document moves a value is the product of its derivative with the document's column.
        """
        from scipy.sparse import coo_array

        wanted = [self.numbers.get(name, -1) for name in (("boundaries",), *names)]
        target = np.full(len(self.numbers) + 1, -1)  # the last: of none
        target[wanted] = np.arange(BOUNDARIES, BOUNDARIES + len(wanted))
        target[-1] = -1
        row, column, values, _ = self._columns
        into = target[row]
        is_in = into >= 0
        each = np.arange(self.n_columns)
        rows = (np.full(len(each), SIMILAR), np.full(len(each), COMPARED), into[is_in])
        data = np.concatenate((*observed, values[is_in].astype(np.float64)))
        shape = (FIRST_OF_CHANCE + len(names), self.n_columns)
        columns = np.concatenate((each, each, column[is_in]))
        return coo_array((data, (np.concatenate(rows), columns)), shape=shape).tocsr()


def _distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the keys that occur, ascending, and the index of each; small ones take no sorting."""
    width = int(keys.max(initial=-1)) + 1
    if width > len(keys):
        return np.unique(keys, return_inverse=True)
    present = np.flatnonzero(bincount(keys, minlength=width))
    index = np.zeros(width, dtype=np.int64)
    index[present] = np.arange(len(present))
    return present, index[keys]


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
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """What is similar and what is compared in each document, in units of 1 / scale."""
        similar, compared, _ = self.metric.fraction(self.by_document.astype(np.float64).T)
        return similar, compared

    @cached_property
    def kinds(self) -> IntArray:
        """All types of the corpus, ascending: those that are declared, or else occur."""
        return np.array(self.corpus.types or (PLAIN_TYPE,), dtype=np.int64)

    @cached_property
    def marks(self) -> TypedMarks:
        """Boundaries by coding and type."""
        return TypedMarks.of(self.corpus.codings, self.kinds)

    @cached_property
    def positions(self) -> NDArray[Any]:
        """Potential boundaries of each document, as whole numbers of which all sums are exact."""
        positions = self.corpus.document_units - 1
        most = int(self.corpus.n_coders.max(initial=0)) ** 2 * len(positions)
        return exact(positions, int(positions.max(initial=0)) * most)

    @cached_property
    def pair_document(self) -> IntArray:
        """The document of each pair of codings."""
        return self.corpus.document[self.pairs.first]

    def part(self, rows: IntArray) -> PairTable:
        """Return the table of some codings of the corpus, by number; nothing is compared again."""
        if len(rows) == len(self.corpus):
            return self
        corpus = self.corpus.take(rows)
        pairs = every_two(corpus, both_ways=not self.metric.symmetric)
        where = self._numbers(rows[pairs.first], rows[pairs.second])
        scores = Scores(self.metric, self.scores.rows[where], self.scores.scale)
        edits = None if self.edits is None else self.edits[where]
        return PairTable(self.metric, corpus, pairs, scores, edits)

    def _numbers(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of the pairs of these codings, two by two of one document."""
        corpus = self.corpus
        slot = np.empty(len(corpus), dtype=np.int64)  # of each coding among those of its document
        slot[corpus.in_order] = np.arange(len(corpus)) - corpus.starts[corpus.document[corpus.in_order]]
        document, low, high = corpus.document[first], slot[first], slot[second]
        n, is_back = corpus.n_coders[document], low > high
        low, high = np.minimum(low, high), np.maximum(low, high)
        number: IntArray = self.starts[document] + low * (2 * n - low - 1) // 2 + high - low - 1
        return number if self.metric.symmetric else number + np.where(is_back, n * (n - 1) // 2, 0)

    # ---------------------------------------------------------------- what is added up

    def contributions(self, chance: Chance, number: int = 0) -> Contributions:
        """Return what each document adds to the sums, with those of the metric under this number."""
        corpus, c, positions = self.corpus, self.corpus.n_coders, self.positions
        added = Contributions(len(c))
        self.add_comparisons(added, number)
        pairs = c * (c - 1) // 2
        added.add(("documents",), np.ones_like(c))
        added.add(("pairs",), pairs)
        added.add(("positions",), positions)
        added.add(("pair_slots",), positions * pairs)
        document, coder, coders = corpus.document, corpus.coder, corpus.coders
        added.add_by(lambda i: ("coded", coders[i]), coder, document, np.ones_like(coder))
        added.add_by(lambda i: ("marked", coders[i]), coder, document, corpus.codings.n_positions)
        self._add_rates(added, chance, np.arange(len(corpus)), document)
        if chance != "boundaries":
            self._add_ratios(added, document, document, (c - 1)[document] * self._rated(chance))
            added.add(("rated",), np.where(positions > 0, c * (c - 1), 0))
        self._add_shared(added, self.pair_document)
        self._add_support(added)
        return added

    def add_comparisons(self, added: Contributions, number: int) -> None:
        """Add what the metric says of pairs of codings, under this number."""
        for index, column in enumerate(self.by_document.T):
            added.add(("count", number, index), column, scale=self.scores.scale)
        edits = self.edits
        if edits is None:
            weights = make_weights(N_T, "scaled", "scaled", 0.0, None)
            edits = _differences(count_edits_many(self.pairs, "greedy", weights))
        for index, column in enumerate(sum_slices(edits, self.starts).T):
            added.add(("edits", number, index), column)
        compared, scale = whole(self.metric.fraction(self.by_document.T)[1], self.scores.scale)
        largest = int(compared.max(initial=0)) ** 2 * len(compared)
        added.add(("compared squared", number), exact(compared, largest) ** 2, scale=scale**2)

    def _rated(self, chance: Chance) -> IntArray:
        """The boundaries of each coding, or segments: one more, also where it has none."""
        return self.corpus.codings.n_boundaries + (chance == "published")

    def _add_rates(self, added: Contributions, chance: Chance, codings: IntArray, columns: IntArray) -> None:
        """Add what these codings count towards rates, each to its column."""
        corpus, own = self.corpus, None
        if chance == "published":  # of one type only
            n = len(codings)
            own = TypedMarks(np.arange(n + 1), np.zeros(n, dtype=np.int64), self._rated(chance)[codings])
        positions = self.positions[corpus.document[codings]]
        which = corpus.coder[codings], columns, positions, self.marks.take(codings), own
        added.add_rates(corpus.coders, self.kinds.tolist(), *which)

    def _add_ratios(
        self, added: Contributions, document: IntArray, columns: IntArray, rated: IntArray
    ) -> None:
        """Add boundaries or segments, which are divided by the potential boundaries of their documents."""
        n = self.corpus.document_units[document] - 1
        added.add_by(lambda n: ("ratio", max(n, 1)), n, columns, np.where(n > 0, rated, 0))

    def _add_shared(self, added: Contributions, *columns: IntArray) -> None:
        """Add what every two coders share to these columns of each pair of codings."""
        first, second = (self.corpus.coder[side] for side in (self.pairs.first, self.pairs.second))
        once, coders = first < second, self.corpus.coders

        def name(key: int) -> Name:
            return "shared", *sorted((coders[key // len(coders)], coders[key % len(coders)]))

        keys, positions = (first * len(coders) + second)[once], self.positions[self.pair_document[once]]
        for column in columns:
            added.add_by(name, keys, column[once], positions)

    def _add_support(self, added: Contributions) -> None:
        """Add how many positions were marked by how many of how many coders."""
        marked, c, n_documents = self.corpus.codings.marked, self.corpus.n_coders, len(self.positions)
        document = self.corpus.document[marked.coding]
        order = np.lexsort((marked.positions, document))
        position, document = marked.positions[order], document[order]
        starts = np.flatnonzero(changes(position, document))
        document, width = document[starts], int(c.max(initial=0)) + 1
        unmarked = self.positions - bincount(document, minlength=n_documents)
        support = document * width + np.diff(np.append(starts, len(position)))
        keys, number = np.unique(support, return_counts=True)
        document = np.concatenate((np.arange(n_documents), keys // width))
        keys = c[document] * width + np.concatenate((np.zeros_like(c), keys % width))
        values = np.concatenate((unmarked, number))
        added.add_by(lambda key: ("support", *divmod(key, width)), keys, document, values)

    # ---------------------------------------------------------------- without one coder

    def without(self, chance: Chance) -> tuple[Contributions, tuple[FloatArray, ...]]:
        """Return what each coder takes away from the sums, and from what is similar and compared.

        Documents that this leaves with one coding go with the coder.
        """
        corpus, c = self.corpus, self.corpus.n_coders
        removed = Contributions(len(corpus.coder_names))
        # Codings that go with a coder: the own ones, and those of a lone partner.
        rows = corpus.in_order
        two = rows[c[corpus.document[rows]] == 2]
        partner = two.reshape(-1, 2)[:, ::-1].ravel()
        codings, of = np.concatenate((rows, two)), corpus.coder[np.concatenate((rows, partner))]
        self._add_rates(removed, chance, codings, of)
        if chance != "boundaries":  # a document's part with all its coders, less that without this one
            n, own = c[corpus.document], self._rated(chance)
            of_all = bincount(corpus.document, own, len(c)).astype(np.int64)[corpus.document]
            lost = (n - 1) * of_all - (n - 2) * (of_all - own)
            self._add_ratios(removed, corpus.document, corpus.coder, lost)
            rated = np.where(self.positions[corpus.document] > 0, 2 * (n - 1), 0)
            removed.add_by(lambda _: ("rated",), 0 * n, corpus.coder, rated)
        # Pairs of codings that a coder is in.
        members = [corpus.coder[side] for side in (self.pairs.first, self.pairs.second)]
        self._add_shared(removed, *members)
        similar, compared, _ = self.metric.fraction(self.scores.rows.astype(np.float64).T)
        both = np.concatenate(members)
        sides = (bincount(both, np.tile(side, 2), removed.n_columns) for side in (similar, compared))
        return removed, tuple(side.astype(np.float64) for side in sides)


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
        shared = np.flatnonzero(corpus.n_coders > 1)
        single = len(corpus.n_coders) - len(shared)
        sums: dict[Name, Tally] = {("single",): Tally((single,))}
        if not len(shared):
            return sums
        first, *others = (count_pairs(corpus, metric) for metric in self.metrics)
        added = first.contributions(self.chance)
        for number, table in enumerate(others, start=1):
            table.add_comparisons(added, number)
        added = added.part(shared)
        self.check(added.numbers)
        names = corpus.document_names
        hashes = hash_strings(names.data, names.offsets)[shared]
        return sums | added.resampled(RESAMPLED[self.coefficient], self.seed, hashes, self.n_resamples)
