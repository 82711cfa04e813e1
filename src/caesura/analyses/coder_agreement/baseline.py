"""Random coders: the agreement of codings with the same numbers of boundaries at random positions.

Random coders score above A_e: B leaves out unmarked positions and credits near misses, and S counts unmarked
positions as agreement. So their coefficient is above 0, and z against 0 rejects too easily. This
randomization test compares with codings that have the same number of boundaries of each type in every
document, at random positions. In hierarchies no position has two ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.alignment.packed import Documents, PackedPairs
from caesura.analyses.coder_agreement.coefficients import Ratio, corrected
from caesura.analyses.coder_agreement.finish import RandomAgreement
from caesura.analyses.coder_agreement.question import PairTable, TypedMarks
from caesura.analyses.coder_agreement.strata import Stratum
from caesura.arrays import FloatArray, IntArray
from caesura.checks import Seed, as_generator, check_resamples
from caesura.simulation import sample_positions_many
from caesura.sums.tallies import sum_slices, summable
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.strings import offsets_of

FEWEST_ROUNDS, MOST_ROUNDS = 20, 100
"""Fewest rounds of random codings that allow p ≤ 0.05, and most rounds."""

MOST_BOUNDARIES = 20_000_000
"""Most boundaries to compare by default (a second or two)."""

BOUNDARIES_AT_ONCE = 100_000
"""The approximate number of boundaries and pairs of random codings in memory."""

DEARER = 10
"""The factor by which boundaries of several types take longer to compare."""


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
    indices = [np.searchsorted(documents, stratum.documents) for stratum in known]
    table = known[0].table.part(rows)
    at_once = max(1, BOUNDARIES_AT_ONCE // (len(table.corpus.codings.positions) + len(table.pairs)))
    batches = (min(at_once, n_rounds - start) for start in range(0, n_rounds, at_once))
    rounds = np.concatenate([_random_values(table, known, indices, batch, generator) for batch in batches])
    of_known = (
        RandomAgreement(
            float(values.mean()),
            (int((values >= stratum.finished.value).sum()) + 1) / (n_rounds + 1),
            tuple(values.tolist()),
        )
        for stratum, values in zip(known, rounds.T, strict=True)
    )
    return [next(of_known) if stratum.finished.reason is None else None for stratum in strata]


def _random_values(
    table: PairTable,
    strata: Sequence[Stratum],
    indices: Sequence[IntArray],
    n_rounds: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the coefficient of each stratum with boundaries at random positions: rounds × strata.

    Expected agreement depends only on the numbers of boundaries, so it stays.
    """
    metric, codings = table.metric, shuffled(table, n_rounds, rng)
    pairs, corpus, rounds = table.pairs, table.corpus, np.arange(n_rounds)[:, None]
    first, second = ((len(corpus) * rounds + side).ravel() for side in (pairs.first, pairs.second))
    named = Documents(corpus.document_names, (len(corpus.document_names) * rounds + corpus.document).ravel())
    rows = summable(metric.over(PackedPairs(codings, codings, first, second, named)).rows)
    counts = sum_slices(rows, offsets_of(np.tile(np.diff(table.starts), n_rounds)))
    counts = counts.reshape(n_rounds, -1, counts.shape[-1])
    values = np.empty((n_rounds, len(strata)))
    for number, (stratum, documents) in enumerate(zip(strata, indices, strict=True)):
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
