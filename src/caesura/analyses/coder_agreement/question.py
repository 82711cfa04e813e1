"""Count what agreement() needs: compare all pairs of codings of each document once, and sum by name.

A stratum is a list of documents: all with at least two coders, or those that the same coders annotated. Each
stratum has the same sums. Names hold coders and types but no documents, so they are few.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.counts import count_edits_many
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import Weights
from caesura.analyses.coder_agreement.coefficients import (
    BOUNDARIES,
    COMPARED,
    FIRST_OF_CHANCE,
    SIMILAR,
    Chance,
    Coefficient,
    Measure,
    check_names,
)
from caesura.arrays import FloatArray, IntArray, NumberArray, bincount, changes, repeat
from caesura.errors import ParameterError
from caesura.metrics.as_in import Segeval
from caesura.metrics.base import Metric, Scores
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import metric_for
from caesura.pairs import every_two
from caesura.sums.tallies import Name, Tally, exact, hash_strings, resampled_sums, sum_slices, summable, whole
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import gather, offsets_of
from caesura.values.type_scheme import TypeScheme

if TYPE_CHECKING:
    from scipy.sparse import csr_array


AT_ONCE = 64
"""Sums to resample together, to bound the numbers per document in memory."""

MOST_NUMBERS = 10_000_000
"""Most numbers of a stream in memory: sums, each with its resamples."""

NUMBERS_OF_A_SUM = 25
"""The memory of one sum, in resamples."""

RESAMPLED: Mapping[Coefficient, frozenset[str]] = {
    "pi": frozenset(("count", "boundaries", "slots", "type")),
    "kappa": frozenset(("count", "boundaries", "coder", "marks", "shared")),
}
"""The sums behind each coefficient."""


def check_similarity(metric: Metric) -> None:
    """Raise ParameterError unless the metric is a similarity from 0 to 1, which agreement needs."""
    if metric.direction != "higher" or (metric.low, metric.high) != (0.0, 1.0):
        fix = "use B, Ba, Bc or S, or coder_matrix, which takes any metric"
        raise ParameterError(f"{metric} is not a similarity from 0 to 1, so chance is undefined; {fix}")


def similarity_for(
    scheme: TypeScheme | None, metric: Metric | str, n_t: int | str | None, step: float | None = None
) -> Metric:
    """Return the metric for boundaries of this scheme; raise ParameterError unless it is a similarity."""
    chosen = metric_for(scheme, metric, n_t, step=step)
    check_similarity(chosen)
    return chosen


# -------------------------------------------------------------------- contributions to sums


class TypedMarks(NamedTuple):
    """Numbers of boundaries by owner (a coding, or a coder at a position) and type, without zeros."""

    owner: IntArray  # ascending
    kind: IntArray  # the index of the type in the corpus, ascending within an owner
    number: IntArray

    @classmethod
    def of(cls, codings: Columns, kinds: IntArray) -> TypedMarks:
        """Count the boundaries of each coding."""
        if codings.types is None:
            plain = min(int(np.searchsorted(kinds, PLAIN_TYPE)), len(kinds) - 1)
            kind = np.full(len(codings), plain, dtype=np.int64)
            return cls(np.arange(len(codings)), kind, codings.n_boundaries)
        key = codings.coding * len(kinds) + np.searchsorted(kinds, codings.types)
        keys, number = np.unique(key, return_counts=True)
        return cls(*np.divmod(keys, len(kinds)), number)

    def take(self, owners: IntArray) -> TypedMarks:
        """Return the numbers of these owners, in this order."""
        offsets = np.searchsorted(self.owner, np.arange(int(owners.max(initial=0)) + 2))
        offsets, where = gather(offsets, owners)
        owner = repeat(np.arange(len(owners)), np.diff(offsets))
        return TypedMarks(owner, self.kind[where], self.number[where])


@dataclass
class Contributions:
    """The contributions of columns (documents, positions or coders) to sums by name."""

    n_columns: int
    numbers: dict[Name, int] = field(default_factory=dict)
    """The row of each name."""
    scales: dict[Name, int] = field(default_factory=dict)
    """The scale of names whose values are in units of 1 / scale."""
    parts: list[tuple[IntArray, IntArray, NDArray[Any]]] = field(default_factory=list)
    """Rows, columns and values."""

    def add(self, name: Name, values: Any, columns: IntArray | None = None, *, scale: int = 1) -> None:
        """Add values to these columns, by default one to each column."""
        number = self.numbers.setdefault(name, len(self.numbers))
        columns = np.arange(len(values)) if columns is None else columns
        self.parts.append((np.full(len(values), number), columns, np.asarray(values)))
        self.scales[name] = scale

    def add_by(self, name: Callable[[int], Name], keys: IntArray, columns: IntArray, values: Any) -> None:
        """Add values to columns under the name of each key."""
        present, index = _distinct(keys)
        names = (self.numbers.setdefault(name(key), len(self.numbers)) for key in present.tolist())
        self.parts.append((np.fromiter(names, np.int64, len(present))[index], columns, np.asarray(values)))

    @cached_property
    def _columns(self) -> tuple[IntArray, IntArray, NDArray[Any], IntArray]:
        """Rows, columns and values by row, and the start of each row."""
        row, column, values = (np.concatenate(parts) for parts in zip(*self.parts, strict=True))
        order = np.argsort(row, kind="stable")
        row = row[order]
        return row, column[order], values[order], np.searchsorted(row, np.arange(len(self.numbers) + 1))

    @cached_property
    def _by_column(self) -> tuple[IntArray, IntArray, NDArray[Any], list[Name]]:
        """The start of each column, rows and values by column, and the names of rows."""
        row, column, values, _ = self._columns
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(self.n_columns + 1))
        return starts, row[order], values[order], [*self.numbers]

    def part(self, columns: IntArray) -> Contributions:
        """Return these columns, without names that do not occur in them."""
        if len(columns) == self.n_columns:
            return self
        starts, row, values, names = self._by_column
        offsets, where = gather(starts, columns)
        present, number = np.unique(row[where], return_inverse=True)
        column = repeat(np.arange(len(columns)), np.diff(offsets))
        numbers = {names[i]: new for new, i in enumerate(present.tolist())}
        return Contributions(len(columns), numbers, self.scales, [(number, column, values[where])])

    def sums(
        self, kinds: Collection[str] = (), seed: int = 0, hashes: Any = None, n_resamples: int = 0
    ) -> dict[Name, Tally]:
        """Return the sums of all columns, and Poisson resamples of the sums of these kinds."""
        _, column, values, starts = self._columns
        totals = sum_slices(summable(values), starts).tolist()
        numbers = self.numbers.items()
        sums = {name: Tally((int(totals[n]),), self.scales.get(name, 1)) for name, n in numbers}
        wanted = [name for name in sums if name[0] in kinds and n_resamples]
        for first in range(0, len(wanted), AT_ONCE):
            batch = wanted[first : first + AT_ONCE]
            rows = np.array([self.numbers[name] for name in batch])
            _, where = gather(starts, rows)
            columns, index = np.unique(column[where], return_inverse=True)
            table = np.zeros((len(columns), len(rows)), dtype=values.dtype)
            np.add.at(table, (index, repeat(np.arange(len(rows)), np.diff(starts)[rows])), values[where])
            drawn = resampled_sums(seed, hashes[columns], table, n_resamples)
            for name, resampled in zip(batch, np.split(drawn, len(batch), axis=1), strict=True):
                sums[name] = replace(sums[name], resampled=resampled)
        return sums

    def matrix(self, names: Sequence[Name], observed: Sequence[FloatArray]) -> csr_array:
        """Return a matrix, sums × columns: similarity, comparisons, boundaries, and these sums.

        Its product with the number of draws of each document is a resample. The influence of a document on a
        value is the product of the value's derivative and the document's column.
        """
        from scipy.sparse import coo_array

        wanted = [self.numbers.get(name, -1) for name in (("boundaries",), *names)]
        target = np.full(len(self.numbers) + 1, -1)  # the last is for names without a row
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
    """Return the distinct keys, ascending, and the index of each key; small keys are not sorted."""
    width = int(keys.max(initial=-1)) + 1
    if width > len(keys):
        return np.unique(keys, return_inverse=True)
    present = np.flatnonzero(bincount(keys, minlength=width))
    index = np.zeros(width, dtype=np.int64)
    index[present] = np.arange(len(present))
    return present, index[keys]


# -------------------------------------------------------------------- pairs of codings


@dataclass(frozen=True, eq=False)
class PairTable:
    """All compared pairs of codings of a corpus, and the boundaries of each coding.

    Pairs are in the order of documents, then of coders. An asymmetric metric compares each two both ways.
    """

    metric: Metric
    corpus: Corpus
    pairs: PackedPairs
    scores: Scores
    edits: IntArray
    """Additions, substitutions and transpositions of each pair."""

    @cached_property
    def starts(self) -> IntArray:
        """The start of the pairs of each document, and the end of the last."""
        n = self.corpus.n_coders
        return offsets_of(n * (n - 1) // (2 if self.metric.symmetric else 1))

    @cached_property
    def by_document(self) -> NumberArray:
        """The metric's counts summed over the pairs of each document."""
        return sum_slices(summable(self.scores.rows), self.starts)

    @cached_property
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """Similarity and comparisons of each document, in units of 1 / scale."""
        similar, compared, _ = self.metric.fraction(self.by_document.astype(np.float64).T)
        return similar, compared

    @cached_property
    def kinds(self) -> IntArray:
        """The declared types of the corpus, or else the types that occur, ascending."""
        return np.array(self.corpus.types or (PLAIN_TYPE,), dtype=np.int64)

    @cached_property
    def marks(self) -> TypedMarks:
        """Boundaries by coding and type."""
        return TypedMarks.of(self.corpus.codings, self.kinds)

    @cached_property
    def positions(self) -> NDArray[Any]:
        """Potential boundaries of each document, as integers with exact sums."""
        positions = self.corpus.document_units - 1
        most = int(self.corpus.n_coders.max(initial=0)) ** 2 * len(positions)
        return exact(positions, int(positions.max(initial=0)) * most)

    @property
    def _is_segeval(self) -> bool:
        """Whether expected agreement follows from pairs of codings, as in segeval."""
        return isinstance(self.metric, Segeval)

    @cached_property
    def pair_document(self) -> IntArray:
        """The document of each pair of codings."""
        return self.corpus.document[self.pairs.first]

    def part(self, rows: IntArray) -> PairTable:
        """Return the table of these codings, reusing their comparisons."""
        if len(rows) == len(self.corpus):
            return self
        corpus = self.corpus.take(rows)
        pairs = every_two(corpus, both_ways=not self.metric.symmetric)
        where = self._numbers(rows[pairs.first], rows[pairs.second])
        scores = Scores(self.metric, self.scores.rows[where], self.scores.scale)
        return PairTable(self.metric, corpus, pairs, scores, self.edits[where])

    def _numbers(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the indices of these pairs of codings."""
        corpus = self.corpus
        slot = np.empty(len(corpus), dtype=np.int64)  # the index of each coding within its document
        slot[corpus.in_order] = np.arange(len(corpus)) - corpus.starts[corpus.document[corpus.in_order]]
        document, low, high = corpus.document[first], slot[first], slot[second]
        n, is_back = corpus.n_coders[document], low > high
        low, high = np.minimum(low, high), np.maximum(low, high)
        number: IntArray = self.starts[document] + low * (2 * n - low - 1) // 2 + high - low - 1
        return number if self.metric.symmetric else number + np.where(is_back, n * (n - 1) // 2, 0)

    # ---------------------------------------------------------------- sums

    def contributions(self, chance: Chance) -> Contributions:
        """Return the contribution of each document to the sums."""
        corpus, c, positions = self.corpus, self.corpus.n_coders, self.positions
        added, pairs = Contributions(len(c)), c * (c - 1) // 2
        self.add_comparisons(added, 0)
        sizes = {"documents": np.ones_like(c), "pairs": pairs, "positions": positions}
        for name, values in (sizes | {"pair_slots": positions * pairs}).items():
            added.add((name,), values)
        document, coder, coders = corpus.document, corpus.coder, corpus.coders
        added.add_by(lambda i: ("coded", coders[i]), coder, document, np.ones_like(coder))
        added.add_by(lambda i: ("marked", coders[i]), coder, document, corpus.codings.n_positions)
        self._add_codings(added, chance, np.arange(len(corpus)), document)
        if self._is_segeval:
            self._add_pair_rates(added, self.pair_document)
        elif chance != "boundaries":
            self._add_ratios(added, document, document, (c - 1)[document] * self._rated(chance))
            added.add(("rated",), np.where(positions > 0, c * (c - 1), 0))
        self._add_shared(added, self.pair_document)
        self._add_support(added)
        return added

    def add_comparisons(self, added: Contributions, number: int) -> None:
        """Add counts of the metric with this number, and edits, over the pairs of codings."""
        for index, column in enumerate(self.by_document.T):
            added.add(("count", number, index), column, scale=self.scores.scale)
        for index, column in enumerate(sum_slices(self.edits, self.starts).T):
            added.add(("edits", number, index), column)
        compared, scale = whole(self.metric.fraction(self.by_document.T)[1], self.scores.scale)
        largest = int(compared.max(initial=0)) ** 2 * len(compared)
        added.add(("compared squared", number), exact(compared, largest) ** 2, scale=scale**2)

    def _rated(self, chance: Chance) -> IntArray:
        """The boundaries of each coding, or its segments (one more)."""
        return self.corpus.codings.n_boundaries + (chance == "published")

    def _add_codings(
        self, added: Contributions, chance: Chance, codings: IntArray, columns: IntArray
    ) -> None:
        """Add these codings to boundary rates, each to its column."""
        corpus, own = self.corpus, None
        if chance == "published":  # which allows one type only
            each = np.arange(len(codings))
            own = TypedMarks(each, np.zeros_like(each), self._rated(chance)[codings])
        positions = self.positions[corpus.document[codings]]
        self.add_rates(added, corpus.coder[codings], columns, positions, self.marks.take(codings), own)

    def add_rates(
        self,
        added: Contributions,
        coder: IntArray,
        columns: IntArray,
        positions: NDArray[Any],
        marks: TypedMarks,
        own: TypedMarks | None = None,
    ) -> None:
        """Add codings or parts of them, each to its column; rates of coders count ``own``, or ``marks``."""
        coders, types, at, own = self.corpus.coders, self.kinds.tolist(), columns[marks.owner], own or marks
        n, owner, number = len(types), own.owner, own.number
        added.add(("slots",), positions, columns)
        added.add(("boundaries",), marks.number, at)
        added.add_by(lambda kind: ("type", types[kind]), marks.kind, at, marks.number)
        if self._is_segeval:
            return  # its rates of coders are those of pairs
        added.add_by(lambda i: ("coder", coders[i]), coder, columns, positions)
        keys = coder[owner] * n + own.kind
        added.add_by(lambda key: ("marks", coders[key // n], types[key % n]), keys, columns[owner], number)

    def _add_ratios(
        self, added: Contributions, document: IntArray, columns: IntArray, rated: IntArray
    ) -> None:
        """Add boundaries or segments, by the potential boundaries that divide them."""
        n = self.corpus.document_units[document] - 1
        added.add_by(lambda n: ("ratio", max(n, 1)), n, columns, np.where(n > 0, rated, 0))

    def _add_pair_rates(self, added: Contributions, *columns: IntArray) -> None:
        """Add the numbers that segeval divides in each pair of codings to these columns of the pair.

        It divides the boundaries of a coding, of any type, by positions times the types in the pair.
        """
        from scipy.sparse import csr_array

        coders, first, second = self.corpus.coders, self.pairs.first, self.pairs.second
        kind, shape = self.marks.kind, (len(self.corpus), len(self.kinds))
        kinds = csr_array((np.ones_like(kind), (self.marks.owner, kind)), shape)
        n_types = np.diff((kinds[first] + kinds[second]).indptr)
        slots = (self.corpus.document_units - 1)[self.pair_document] * n_types
        once = self.corpus.coder[first] < self.corpus.coder[second]
        for coding, column in product((first, second), columns):
            at, slot, own = column[once], slots[once], self.corpus.codings.n_boundaries[coding][once]
            coder = self.corpus.coder[coding][once]
            added.add_by(lambda n: ("ratio", max(n, 1)), slot, at, np.where(slot > 0, own, 0))
            added.add(("rated",), (slot > 0).astype(np.int64), at)
            added.add_by(lambda i: ("coder", coders[i]), coder, at, slot)
            added.add_by(lambda i: ("marks", coders[i], PLAIN_TYPE), coder, at, own)

    def _add_shared(self, added: Contributions, *columns: IntArray) -> None:
        """Add the positions that pairs of coders share to these columns of each pair of codings."""
        first, second = (self.corpus.coder[side] for side in (self.pairs.first, self.pairs.second))
        once, coders = first < second, self.corpus.coders

        def name(key: int) -> Name:
            return "shared", *sorted((coders[key // len(coders)], coders[key % len(coders)]))

        keys, positions = (first * len(coders) + second)[once], self.positions[self.pair_document[once]]
        for column in columns:
            added.add_by(name, keys, column[once], positions)

    def _add_support(self, added: Contributions) -> None:
        """Add the number of positions by the numbers of coders who annotated and who marked them."""
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
        """Return what sums, similarity and comparisons lose without each coder.

        A document left with one coding is omitted as well.
        """
        corpus, c = self.corpus, self.corpus.n_coders
        removed = Contributions(len(corpus.coder_names))
        # The codings of a coder, and those of an only partner, are omitted.
        rows = corpus.in_order
        two = rows[c[corpus.document[rows]] == 2]
        partner = two.reshape(-1, 2)[:, ::-1].ravel()
        codings, of = np.concatenate((rows, two)), corpus.coder[np.concatenate((rows, partner))]
        self._add_codings(removed, chance, codings, of)
        members = [corpus.coder[side] for side in (self.pairs.first, self.pairs.second)]
        if self._is_segeval:
            self._add_pair_rates(removed, *members)
        elif chance != "boundaries":  # the part of a document with all coders, minus that without this one
            n, own = c[corpus.document], self._rated(chance)
            of_all = bincount(corpus.document, own, len(c)).astype(np.int64)[corpus.document]
            lost = (n - 1) * of_all - (n - 2) * (of_all - own)
            self._add_ratios(removed, corpus.document, corpus.coder, lost)
            rated = np.where(self.positions[corpus.document] > 0, 2 * (n - 1), 0)
            removed.add(("rated",), rated, corpus.coder)
        self._add_shared(removed, *members)
        similar, compared, _ = self.metric.fraction(self.scores.rows.astype(np.float64).T)
        both = np.concatenate(members)
        sides = (bincount(both, np.tile(side, 2), removed.n_columns) for side in (similar, compared))
        return removed, tuple(side.astype(np.float64) for side in sides)


def count_pairs(corpus: Corpus, metric: Metric) -> PairTable:
    """Compare all pairs of codings of every document.

    >>> from caesura import load_stargazers, metric
    >>> count_pairs(load_stargazers(), metric("B")).scores.micro
    <B 0.530055 = 97/183, 21 pairs>
    """
    pairs = every_two(corpus, both_ways=not metric.symmetric)
    if isinstance(metric, EditMetric):
        edits = count_edits_many(pairs, metric.method, metric.weights)
        scores = metric.over_edits(pairs, edits)
    else:
        edits = count_edits_many(pairs, "greedy", Weights())
        scores = metric.over(pairs)
    scores = Scores(scores.metric, *whole(scores.rows, scores.scale))  # sums must not depend on order
    differences = np.column_stack((edits.additions, edits.substitutions, edits.transpositions))
    return PairTable(metric, corpus, pairs, scores, differences)


# -------------------------------------------------------------------- the question


@dataclass(frozen=True)
class AgreementQuestion:
    """What to count in the codings of documents, for several metrics."""

    metrics: tuple[Metric, ...]
    coefficient: Coefficient
    """The coefficient to resample."""
    n_resamples: int = 0
    """Resamples of the Poisson bootstrap."""
    seed: int = 0
    chance: Chance = "boundaries"

    def measure(self, number: int = 0) -> Measure:
        """Return the coefficient by the metric with this number."""
        return Measure(metric=self.metrics[number], coefficient=self.coefficient, chance=self.chance)

    def check(self, names: Collection[Name]) -> None:
        """Raise ParameterError for more sums than memory should hold."""
        n = sum(name[0] in RESAMPLED[self.coefficient] for name in names) * self.n_resamples
        if n + len(names) * NUMBERS_OF_A_SUM > MOST_NUMBERS:
            fix = "use coefficient='pi' or n_resamples=0" if self.n_resamples else "select fewer coders"
            many = f"{len(names):,} over coders, pairs of coders and types"
            raise ParameterError(f"too many sums for streaming: {many}; {fix}, or use cs.read")

    def count(self, corpus: Corpus) -> dict[Name, Tally]:
        """Return the sums over documents with at least two codings, and the number of the others."""
        corpus = corpus.coded
        shared = np.flatnonzero(corpus.n_coders > 1)
        sums: dict[Name, Tally] = {("single",): Tally((len(corpus.n_coders) - len(shared),))}
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
        return sums | added.sums(RESAMPLED[self.coefficient], self.seed, hashes, self.n_resamples)


def compared(
    corpus: Corpus, metric: Metric | str, coefficient: Coefficient, n_t: int | str | None, chance: Chance
) -> tuple[PairTable, AgreementQuestion]:
    """Compare all pairs of codings of a corpus; metrics of segeval imply its expectation and limits."""
    check_names(coefficient, chance)
    corpus, chosen = corpus.coded, similarity_for(corpus.type_scheme, metric, n_t, corpus.step)
    if isinstance(chosen, Segeval):
        if chance == "published":
            raise ParameterError(f"{chosen} fixes every other parameter: leave out chance")
        if lacking := np.flatnonzero(corpus.n_coders < len(corpus.coders)).tolist():
            fault = f"{chosen.release} fails for missing annotations: document {corpus.documents[lacking[0]]}"
            raise ParameterError(f"{chosen}: {fault}; use {chosen.ours} with chance='segeval'")
        chance = "segeval"
    return count_pairs(corpus, chosen), AgreementQuestion((chosen,), coefficient, chance=chance)
