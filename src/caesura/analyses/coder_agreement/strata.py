"""Value strata in memory: resampled, by document, without each coder, and with random coders.

The bootstrap draws documents with replacement and adds up their sums. A single document is resampled by
positions, which is cruder, because neighboring positions of a text are not independent. Every match and edit
belongs to a position (a near miss to its left end), and all marks and counts at a position are drawn
together.

Random coders score above A_e: B leaves out unmarked positions and credits near misses, and S counts unmarked
positions as agreement. So their coefficient is above 0, and z against 0 rejects too easily. The randomization
test compares with codings that have the same number of boundaries of each type in every document, at random
positions. In hierarchies no position has two ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.alignment.alignment import align
from caesura.alignment.counts import EditCounts
from caesura.alignment.packed import Documents, PackedPairs
from caesura.analyses.coder_agreement.coefficients import (
    BOUNDARIES,
    COMPARED,
    FIRST_OF_CHANCE,
    SIMILAR,
    Expectation,
    Ratio,
    coefficient_values,
    corrected,
    expectation_of,
)
from caesura.analyses.coder_agreement.finish import (
    Coefficients,
    RandomAgreement,
    expanded_interval,
    finish,
    strict_sums,
)
from caesura.analyses.coder_agreement.question import AgreementQuestion, Contributions, PairTable, TypedMarks
from caesura.analyses.coder_agreement.strict import strict_ratios
from caesura.arrays import FloatArray, IntArray, NumberArray, divided, repeat
from caesura.checks import Seed, as_generator, check_resamples
from caesura.metrics.edit import EditMetric
from caesura.simulation import sample_positions_many
from caesura.stats.intervals import effective_size
from caesura.stats.outcome import Interval
from caesura.stats.resampling import MANY_DOCUMENTS, Resampling, alike, chunks, draw
from caesura.sums.tallies import Name, sum_slices, summable
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.strings import gather, offsets_of

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

ALIGN_OPTIONS = ("n_t", "method", "transposition", "substitution", "w0", "types")
"""The parameters that edit metrics share with align()."""

STRICT_SUMS = ("support", "marked", "coder", "shared")
"""The sums behind strict coefficients."""

MARKED = frozenset(("type", "marks", "ratio"))
"""Sums of boundaries; documents with the same coders and length share all other sums."""

FEWEST_ROUNDS, MOST_ROUNDS = 20, 100
"""Fewest rounds of random codings that allow p ≤ 0.05, and most rounds."""

MOST_BOUNDARIES = 20_000_000
"""Most boundaries to compare by default (a second or two)."""

BOUNDARIES_AT_ONCE = 100_000
"""The approximate number of boundaries and pairs of random codings in memory."""

DEARER = 10
"""The factor by which boundaries of several types take longer to compare."""


@dataclass(frozen=True, eq=False)
class Items:
    """The items to draw (documents, or positions of one document), as columns of sums."""

    expectation: Expectation
    matrix: csr_array
    """Sums × items; equal items are one column."""
    number: IntArray
    """The number of items behind each column."""
    constant: FloatArray | None = None
    """Added to the sums of every resample."""

    @cached_property
    def transposed(self) -> csr_array:
        """Items × sums."""
        return self.matrix.T.tocsr()

    @cached_property
    def compared(self) -> FloatArray:
        """Comparisons in each item: items × 1."""
        column: FloatArray = self.matrix[[COMPARED]].toarray().T
        return column

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums with these weights of items: items × resamples → sums × resamples."""
        sums: FloatArray = self.matrix @ weights
        return sums if self.constant is None else sums + self.constant[:, None]

    def values(self, sums: FloatArray) -> FloatArray:
        """Return the coefficient of each resample; NaN if undefined."""
        return coefficient_values(self.expectation, sums)

    def slopes(self, sums: FloatArray) -> FloatArray:
        """Return the derivative of the coefficient by each sum: sums × resamples."""
        expected = divided(*self.expectation.ratio(sums[FIRST_OF_CHANCE:]))
        observed, rest = divided(sums[SIMILAR], sums[COMPARED]), 1 - expected
        slopes = np.zeros_like(sums)
        slopes[SIMILAR] = divided(np.ones_like(rest), sums[COMPARED] * rest)
        slopes[COMPARED] = -observed * slopes[SIMILAR]
        by_chance = self.expectation.derivative(sums[FIRST_OF_CHANCE:])
        slopes[FIRST_OF_CHANCE:] = -divided(1 - observed, rest**2) * by_chance
        return slopes

    def column_values(self, total: FloatArray | float = 0.0, sign: int = 1) -> FloatArray:
        """Return the coefficient of each column alone, or of these sums without the column (sign -1)."""
        values = np.empty(self.matrix.shape[1])
        for start, stop in chunks(len(values), self.matrix.shape[0]):
            values[start:stop] = self.values(total + sign * self.matrix[:, start:stop].toarray())
        return values

    def drawn_values(self, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the coefficient in each resample of the items."""
        values = np.empty(n_resamples)
        for start, stop in chunks(n_resamples, max(self.matrix.shape)):
            weights = draw(self.number, stop - start, rng).T.copy()
            values[start:stop] = self.values(self.sums(weights))
        return values

    def merged(self, counts: NumberArray, coders: Sequence[str], number: IntArray | None = None) -> Items:
        """Merge items with the same counts and marks into one column."""
        names, order = self.expectation.names, {coder: i for i, coder in enumerate(coders)}
        rows = [i for i, name in enumerate(names) if name[0] in MARKED]
        rows.sort(key=lambda i: (names[i][-1], order.get(str(names[i][1]), 0)))
        marks = self.matrix[FIRST_OF_CHANCE:][rows].tocsc()
        keys = np.column_stack((counts, self.matrix[[FIRST_OF_CHANCE]].toarray()[0], patterns(marks)))
        columns, number = alike(keys.astype(np.float64), number)
        return Items(self.expectation, self.matrix[:, columns], number, self.constant)


def patterns(matrix: csc_array) -> IntArray:
    """Return a number for each column, the same for equal columns.

    Columns are grouped by their first entry, then by their second, and so on, reading each entry once.

    >>> from scipy.sparse import csc_array
    >>> patterns(csc_array([[1, 1, 1, 0], [1, 0, 1, 0]])).tolist()
    [2, 1, 2, 0]
    """
    matrix.sort_indices()
    codes = np.unique(np.column_stack((matrix.data, matrix.indices)), axis=0, return_inverse=True)[1].ravel()
    n_codes = len(codes) + 1
    lengths = np.diff(matrix.indptr)
    pattern = np.zeros(len(lengths), dtype=np.int64)
    left = np.flatnonzero(lengths)
    used = 1  # 0 stands for empty columns
    for depth in range(int(lengths.max(initial=0))):
        left = left[lengths[left] > depth]
        key = pattern[left] * n_codes + codes[matrix.indptr[left] + depth]
        distinct, index = np.unique(key, return_inverse=True)
        pattern[left] = used + index
        used += len(distinct)
    return pattern


@dataclass(frozen=True, eq=False)
class Stratum:
    """Documents of a corpus, and their contributions to the question."""

    table: PairTable
    question: AgreementQuestion
    counted: Contributions
    """The contributions of all documents of the corpus."""
    documents: IntArray
    """The numbers of the documents."""

    @cached_property
    def contributions(self) -> Contributions:
        """The contribution of each document to the sums."""
        return self.counted.part(self.documents)

    @cached_property
    def own(self) -> PairTable:
        """The table of these documents alone."""
        return self.table.part(self.rows)

    @property
    def rows(self) -> IntArray:
        """The codings of the documents."""
        corpus = self.table.corpus
        return np.sort(corpus.in_order[gather(corpus.starts, self.documents)[1]])

    @property
    def document_names(self) -> tuple[str, ...]:
        """The names of the documents."""
        names = self.table.corpus.documents
        is_whole = len(self.documents) == len(names)
        return names if is_whole else tuple(names[i] for i in self.documents.tolist())

    @cached_property
    def finished(self) -> Coefficients:
        """The numbers that follow from the summed documents."""
        corpus, added = self.table.corpus, self.contributions
        coders = [str(name[1]) for name in added.numbers if name[0] == "coded"]
        order = sorted(coders, key=corpus.coder_numbers.__getitem__)
        return finish(self.question, added.sums(), corpus.type_scheme, order=order)

    def expectation_of(self, names: Iterable[Name]) -> Expectation:
        """Return how expected agreement follows from the sums with these names."""
        question = self.question
        return expectation_of(question.coefficient, question.chance, self.finished.n_types, names)

    @property
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """Similarity and comparisons of each document."""
        similar, compared = self.table.observed
        return similar[self.documents], compared[self.documents]

    def items(self, expectation: Expectation | None = None) -> Items:
        """Return the documents as items; ``expectation`` may include further sums."""
        rates = expectation or self.expectation_of(self.contributions.numbers)
        matrix = self.contributions.matrix(rates.names, self.observed)
        return Items(rates, matrix, np.ones(len(self.documents), dtype=np.int64))

    def drawn(self) -> Items | None:
        """Return the items that the interval draws, or None."""
        if len(self.documents) == 1:
            items = self._positions()
            return items if items is not None and int(items.number.sum()) > 1 else None
        is_large = len(self.documents) >= MANY_DOCUMENTS and self.finished.is_complete
        counts = self.table.by_document[self.documents]
        return self.items().merged(counts, self.finished.coders) if is_large else self.items()

    def interval(self, resampling: Resampling, rng: np.random.Generator) -> Interval | None:
        """Return the expanded percentile interval of the value; None if it cannot be resampled."""
        if not resampling.n_resamples or self.finished.reason is not None or (items := self.drawn()) is None:
            return None
        n_items = int(items.number.sum()) if len(self.documents) == 1 else self.finished.n_effective
        values = items.drawn_values(resampling.n_resamples, rng)
        return expanded_interval(self.finished.value, values, resampling.confidence, n_items)

    @cached_property
    def _strict_sums(self) -> tuple[list[Name], csr_array]:
        """The names of the sums behind strict coefficients, and the contribution of each document."""
        names = [name for name in self.contributions.numbers if name[0] in STRICT_SUMS]
        return names, self.contributions.matrix(names, self.observed)[FIRST_OF_CHANCE:]

    def _strict_values(self, parts: Iterable[FloatArray]) -> dict[str, FloatArray]:
        """Return the strict coefficients of each column of these sums, given in parts."""
        values: dict[str, list[FloatArray]] = {}
        for sums in parts:
            by_kind: dict[str | int, dict[Any, FloatArray]] = {kind: {} for kind in STRICT_SUMS}
            for name, row in zip(self._strict_sums[0], sums, strict=True):
                by_kind[name[0]][name[1:]] = row
            for coefficient, ratio in strict_ratios(*strict_sums(by_kind, self.finished.is_complete)).items():
                of_columns = np.broadcast_to(divided(*ratio, math.nan), sums.shape[1])
                values.setdefault(coefficient, []).append(of_columns)
        return {coefficient: np.concatenate(each) for coefficient, each in values.items()}

    def strict_by_document(self) -> dict[str, FloatArray]:
        """Return each strict coefficient of each document alone; NaN if undefined."""
        names, matrix = self._strict_sums
        parts = chunks(len(self.documents), max(1, len(names)))
        return self._strict_values(matrix[:, start:stop].toarray() for start, stop in parts)

    def strict_intervals(
        self, resampling: Resampling, rng: np.random.Generator
    ) -> dict[str, Interval | None]:
        """Return the interval of each strict coefficient over documents; empty for a single document."""
        matrix, n = self._strict_sums[1], len(self.documents)
        if n < 2 or not resampling.n_resamples:
            return {}
        number, parts = np.ones(n, dtype=np.int64), chunks(resampling.n_resamples, max(matrix.shape))
        drawn = (matrix @ draw(number, stop - start, rng).T.astype(np.float64) for start, stop in parts)
        c, strict = self.table.corpus.n_coders, self.finished.strict
        weights = (self.table.positions * c * (c - 1))[self.documents].astype(np.float64)
        n_items = effective_size(n, float(weights.sum()), float((weights**2).sum()))
        return {
            name: expanded_interval(getattr(strict, name), values, resampling.confidence, n_items)
            for name, values in self._strict_values(drawn).items()
        }

    def values_without(self) -> dict[str, float]:
        """Return the coefficient without each coder; NaN if undefined."""
        items = self.items()
        removed, observed = self.own.without(self.question.chance)
        without = Items(items.expectation, removed.matrix(items.expectation.names, observed), items.number)
        values = without.column_values(items.sums(np.ones((len(self.documents), 1))), sign=-1)
        by_coder = dict(zip(self.own.corpus.coders, values.tolist(), strict=True))
        return {coder: by_coder[coder] for coder in self.finished.coders}

    # ---------------------------------------------------------------- positions of a single document

    def _positions(self) -> Items | None:
        """Return the positions of a single document as items; None for a metric without edits."""
        table, corpus, metric = self.own, self.own.corpus, self.own.metric
        if not isinstance(metric, EditMetric):
            return None
        codings, c, length = corpus.codings, len(corpus), int(table.positions[0])
        marked = np.unique(codings.positions)
        n_items = len(marked) + 1  # the last stands for all unmarked positions
        # Treat each coder at each position as a coding.
        kind = np.searchsorted(table.kinds, codings.all_types)
        owner = codings.coding * n_items + np.searchsorted(marked, codings.positions)
        marks = TypedMarks(owner, kind, np.ones_like(kind))
        column = np.tile(np.arange(n_items), c)
        coder, each = repeat(corpus.coder, n_items), np.ones_like(column)
        added = Contributions(n_items)
        table.add_rates(added, coder, column, each, marks)
        rates = self.expectation_of(self.contributions.numbers)
        for name in rates.names:
            if name[0] == "shared":
                added.add(name, each[:n_items])
        constant = None
        if self.question.chance != "boundaries":
            added.add(("ratio", length), (c - 1) * marks.number, owner % n_items)
            extra = self.question.chance == "published"  # codings have one segment more than boundaries
            more = {"marks": extra, "ratio": extra * (c - 1) * c, "rated": c * (c - 1)}
            rows = [0.0] * (BOUNDARIES + 1)
            constant = np.array([*rows, *(float(more.get(str(name[0]), 0)) for name in rates.names)])
        counts = _counts_by_position(metric, table.pairs, marked)
        similar, compared, _ = metric.fraction(counts.T)
        items = Items(rates, added.matrix(rates.names, (similar, compared)), column, constant)
        number = np.append(np.ones(len(marked), dtype=np.int64), length - len(marked))
        return items.merged(counts, self.finished.coders, number)


def strata_of(table: PairTable, question: AgreementQuestion) -> tuple[Stratum, list[Stratum]]:
    """Return the stratum of all documents with at least two coders, and that of each group of coders."""
    counted = table.contributions(question.chance)
    groups = [Stratum(table, question, counted, group.documents) for group in table.corpus.find_groups()]
    return Stratum(table, question, counted, np.flatnonzero(table.corpus.n_coders > 1)), groups


def _counts_by_position(metric: EditMetric, pairs: PackedPairs, marked: IntArray) -> FloatArray:
    """Return the metric's counts at each position over all pairs; the last row is for unmarked positions."""
    weights = metric.weights
    options = {name: getattr(metric, name) for name in ALIGN_OPTIONS}
    edits = np.zeros((7, len(marked) + 1))
    slots = 0

    def add(row: int, positions: Sequence[int], amounts: FloatArray | float = 1.0) -> None:
        np.add.at(edits[row], np.searchsorted(marked, np.array(positions, dtype=np.int64)), amounts)

    for reference, hypothesis in pairs:
        pair = align(reference, hypothesis, **options)
        slots += weights.n_types(reference, hypothesis)
        add(0, [match.position for match in pair.matches])
        add(1, [edit.position for edit in pair.missed])
        add(2, [edit.position for edit in pair.spurious])
        exchanged = [edit.position for edit in pair.substitutions]
        moved = [edit.start for edit in pair.transpositions]
        for row, positions, costly in ((3, exchanged, pair.substitutions), (4, moved, pair.transpositions)):
            add(row, positions)
            add(row + 2, positions, np.array([pair.weight(edit) for edit in costly], dtype=np.float64))
    counts = EditCounts._make((*edits, np.full(len(marked) + 1, float(slots)), 1))
    return np.column_stack(metric.combine(counts))


# -------------------------------------------------------------------- random coders


def quick_rounds(corpus: Corpus) -> int:
    """Return the default number of rounds of random codings; 0 if too few would be quick.

    >>> corpora = [Corpus.from_dict({"d": dict.fromkeys("abc", [1] * n)}) for n in (100, 50_000, 1_000_000)]
    >>> [quick_rounds(corpus) for corpus in corpora]
    [100, 44, 0]
    """
    coders = corpus.n_coders[corpus.document]
    compared = int((coders * (corpus.codings.n_boundaries + 1)).sum())
    if not corpus.codings.is_plain:
        compared *= DEARER
    rounds = min(MOST_ROUNDS, MOST_BOUNDARIES // max(1, compared))
    return rounds if rounds >= FEWEST_ROUNDS else 0


def random_agreements(strata: Sequence[Stratum], n_rounds: int, rng: Seed) -> list[RandomAgreement | None]:
    """Return the score of random coders in ``n_rounds`` rounds for each stratum; None without a value."""
    check_resamples("n_rounds", n_rounds, 1)
    generator = as_generator(rng)
    known = [stratum for stratum in strata if stratum.finished.reason is None]
    if not known:
        return [None] * len(strata)
    rows = np.unique(np.concatenate([stratum.rows for stratum in known]))
    documents = np.unique(known[0].table.corpus.document[rows])  # in the order of that part
    parts = [(stratum, np.searchsorted(documents, stratum.documents)) for stratum in known]
    table = known[0].table.part(rows)
    at_once = max(1, BOUNDARIES_AT_ONCE // (len(table.corpus.codings.positions) + len(table.pairs)))
    batches = (min(at_once, n_rounds - start) for start in range(0, n_rounds, at_once))
    rounds = np.concatenate([_random_values(table, parts, batch, generator) for batch in batches])
    scores = []
    for stratum, values in zip(known, rounds.T, strict=True):
        p_value = (int((values >= stratum.finished.value).sum()) + 1) / (n_rounds + 1)
        scores.append(RandomAgreement(float(values.mean()), p_value, tuple(values.tolist())))
    in_order = iter(scores)
    return [None if stratum.finished.reason is not None else next(in_order) for stratum in strata]


def _random_values(
    table: PairTable, strata: Sequence[tuple[Stratum, IntArray]], n_rounds: int, rng: np.random.Generator
) -> FloatArray:
    """Return the coefficient of strata with boundaries at random positions: rounds × strata.

    Each stratum comes with the indices of its documents in the table. Expected agreement stays, because it
    depends only on the numbers of boundaries.
    """
    metric, codings = table.metric, shuffled(table, n_rounds, rng)
    pairs, corpus, rounds = table.pairs, table.corpus, np.arange(n_rounds)[:, None]
    first, second = ((len(corpus) * rounds + side).ravel() for side in (pairs.first, pairs.second))
    named = Documents(corpus.document_names, (len(corpus.document_names) * rounds + corpus.document).ravel())
    rows = summable(metric.over(PackedPairs(codings, codings, first, second, named)).rows)
    counts = sum_slices(rows, offsets_of(np.tile(np.diff(table.starts), n_rounds)))
    counts = counts.reshape(n_rounds, -1, counts.shape[-1])
    values = np.empty((n_rounds, len(strata)))
    for number, (stratum, documents) in enumerate(strata):
        expected = stratum.finished.expected_ratio
        totals = summable(counts[:, documents]).sum(axis=1).tolist()
        values[:, number] = [corrected(Ratio(*metric.fraction(total)[:2]), expected) for total in totals]
    return values


def shuffled(table: PairTable, n_rounds: int, rng: np.random.Generator) -> Columns:
    """Move every boundary to a random position, distinct for boundaries of one type, in each round."""
    codings = Columns.concatenate([table.corpus.codings] * n_rounds)
    positions_of = codings.n_units - 1
    if codings.types is None:
        _, positions = sample_positions_many(positions_of, codings.n_boundaries, rng)
        return Columns(codings.n_units, codings.offsets, positions)
    if table.corpus.is_hierarchical:  # one rank each
        coding, positions = sample_positions_many(positions_of, codings.n_boundaries, rng)
        types = codings.types[np.lexsort((rng.random(len(coding)), coding))]
        return Columns(codings.n_units, codings.offsets, positions, types)
    marks = TypedMarks.of(codings, table.kinds)
    coding = marks.owner
    owner, positions = sample_positions_many(positions_of[coding], marks.number, rng)
    types = table.kinds[marks.kind[owner]]
    order = np.lexsort((types, positions, coding[owner]))
    return Columns(codings.n_units, codings.offsets, positions[order], types[order])
