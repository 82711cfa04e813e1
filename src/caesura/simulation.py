"""Artificial data: segmentations, segmenters and coders with known errors, after two papers.

* Pevzner & Hearst (2002), A critique and improvement of an evaluation metric for text segmentation, §4:
  segment sizes uniform in a range, and false negatives and false positives with a given probability.
* Fournier (2013), Evaluating text segmentation, thesis, §5.2.2: exponential segment sizes, and coders with
  near and full misses of given probabilities, or with random boundaries.

Every function takes ``rng``, a seed or a ``numpy.random.Generator``; a seed reproduces the output. Run time
is linear in boundaries and independent of document length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from caesura.arrays import IntArray, repeat
from caesura.checks import (
    MAX_NUMBER,
    N_T,
    Seed,
    as_generator,
    check_choice,
    check_flag,
    check_number,
    check_whole,
)
from caesura.errors import ParameterError
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation
from caesura.values.strings import Strings, offsets_of
from caesura.values.type_scheme import TypeScheme
from caesura.wording import short

Distribution: TypeAlias = Literal["uniform", "exponential"]
ErrorKind: TypeAlias = Literal["FN", "FP1", "FP2", "FP3", "FNP1", "FNP2", "FNP3"]

DISTRIBUTIONS: tuple[str, ...] = get_args(Distribution)
ERROR_KINDS: tuple[str, ...] = get_args(ErrorKind)

MAX_BOUNDARIES = 10**7
"""Most boundaries of a call."""

MAX_LEVELS = 50
"""Most levels of a hierarchy; the top one is drawn once in 2**50 boundaries."""

MAX_DRAWS = 64
"""Most draws of a free position for a boundary."""

MAX_KEY = 2**62
"""The largest number that packs a coding and a position."""

AT_ONCE, BLOCK, MOST_DOCUMENTS = 2**20, 2**22, 2**16
"""Most boundaries per step, and boundaries and documents per block, to bound memory."""

REFERENCE = "reference"
"""The coder of the references in ``simulate``."""


# -------------------------------------------------------------------- segment sizes


def segment_sizes(
    n_segments: int | None = None,
    *,
    n_units: int | None = None,
    distribution: Distribution = "uniform",
    low: int | None = None,
    high: int | None = None,
    mean: float | None = None,
    rng: Seed = None,
) -> Segmentation:
    """Return a segmentation with random segment sizes.

    Parameters
    ----------
    n_segments, n_units
        One of them: the number of segments, or the length of the document. The last segment is cut to fit
        the length.
    distribution
        "uniform" draws sizes from ``low`` to ``high``, both included (Pevzner & Hearst 2002, §4.1; for their
        numbers exclude the upper end: 20 to 29 for (20, 30)). "exponential" draws sizes of at least one unit
        with mean ``mean`` (Fournier 2013, thesis, §5.2.2: 1077 units, mean 5.8148). Sizes are whole, so this
        is the geometric distribution: the exponential one, rounded up, with a rate that keeps the mean.
    rng
        A seed or a generator.

    Examples
    --------
    >>> sizes = segment_sizes(1000, low=20, high=30, rng=1).masses
    >>> len(sizes), min(sizes), max(sizes)
    (1000, 20, 30)
    >>> segment_sizes(n_units=1077, distribution="exponential", mean=5.8148, rng=1).n_units
    1077
    """
    check_choice("distribution", distribution, DISTRIBUTIONS)
    if (n_segments is None) == (n_units is None):
        raise ParameterError("give either n_segments or n_units")
    draw, typical, largest = _sizes(distribution, low, high, mean)
    generator = as_generator(rng)
    if n_segments is not None:
        n_segments = check_whole("n_segments", n_segments, 1)
        _check_amount(n_segments)
        if n_segments * largest > MAX_NUMBER:
            raise ParameterError(f"{n_segments} segments of up to {largest:g} units are too long a document")
        return Segmentation.from_masses(draw(generator, n_segments).tolist())
    n_units = check_whole("n_units", n_units, 1)
    _check_amount(n_units / typical)
    return Segmentation.from_positions(_fill(n_units, draw, typical, generator).tolist(), n_units)


Draw: TypeAlias = Callable[["np.random.Generator", int], IntArray]


def _sizes(distribution: str, low: Any, high: Any, mean: Any) -> tuple[Draw, float, float]:
    """Return a function that draws n sizes, their mean, and a bound on them."""
    if distribution == "exponential":
        if low is not None or high is not None:
            raise ParameterError("low and high are for the uniform distribution; give mean")
        mean = float(check_number("mean", mean, 1.0, MAX_NUMBER))
        return lambda generator, n: generator.geometric(1 / mean, n), mean, 64 * mean
    if mean is not None:
        raise ParameterError("mean is for the exponential distribution; give low and high")
    low = check_whole("low", low, 1)
    high = check_whole("high", high, low)
    return lambda generator, n: generator.integers(low, high + 1, n), (low + high) / 2, high


def _fill(n_units: int, draw: Draw, mean: float, generator: np.random.Generator) -> IntArray:
    """Return the ends of segments inside a document of this length."""
    parts: list[IntArray] = []
    end = 0
    while end < n_units:
        n = int(1.05 * (n_units - end) / mean) + 16
        parts.append(end + np.cumsum(np.minimum(draw(generator, n), n_units)))
        end = int(parts[-1][-1])
    ends = np.concatenate(parts)
    return ends[ends < n_units]


# -------------------------------------------------------------------- errors (Pevzner & Hearst 2002)


def with_errors(reference: SegmentationLike, kind: ErrorKind, p: float, *, rng: Seed = None) -> Segmentation:
    """Return the reference with errors of one kind (Pevzner & Hearst 2002, §4.1 and §4.2).

    FP1 and FP2 place no false positive on a reference boundary, even if that boundary is left out.

    Parameters
    ----------
    reference
        The correct segmentation, without boundary types.
    kind
        The kind of error:

        * FN: each boundary is left out with probability ``p``;
        * FP1: each segment gets a boundary with probability ``p``, uniformly inside it;
        * FP2: each boundary gets another one near it with probability ``p``, at a normally distributed
          distance with a standard deviation of 1/4 of the segment that ends there; a draw that hits a
          boundary is repeated (not stated in the paper, but needed for its numbers);
        * FP3: each position gets a boundary with probability ``p`` × segments / units; at a reference
          boundary this changes nothing, or (FNP3) undoes a false negative;
        * FNP1, FNP2, FNP3: FN together with FP1, FP2 or FP3, independently.
    p
        The probability of an error, from 0 to 1.
    rng
        A seed or a generator.

    Examples
    --------
    >>> with_errors([5, 5, 5, 5], "FN", 1.0).masses
    (20,)
    >>> with_errors([2, 2, 2, 1], "FP1", 1.0).masses
    (1, 1, 1, 1, 1, 1, 1)
    >>> reference = segment_sizes(1000, low=15, high=35, rng=1)
    >>> hypothesis = with_errors(reference, "FNP2", 0.5, rng=2)
    >>> hypothesis == with_errors(reference, "FNP2", 0.5, rng=2)
    True
    """
    truth = as_segmentation(reference)
    check_choice("kind", kind, ERROR_KINDS)
    p = float(check_number("p", p, 0.0, 1.0))
    if not truth.is_plain:
        raise ParameterError("the reference has boundary types, which these errors do not support")
    generator = as_generator(rng)
    positions = truth.position_array
    if kind.startswith("FN"):
        positions = positions[generator.random(len(positions)) >= p]
    if kind != "FN":
        positions = np.union1d(positions, FALSE_POSITIVES[kind[-1]](truth, p, generator))
    return Segmentation.from_positions(positions.tolist(), truth.n_units)


def _within_segments(reference: Segmentation, p: float, generator: np.random.Generator) -> IntArray:
    starts = np.concatenate((np.zeros(1, dtype=np.int64), reference.position_array))
    sizes = np.array(reference.masses, dtype=np.int64)
    chosen = (generator.random(len(sizes)) < p) & (sizes > 1)
    return starts[chosen] + generator.integers(1, sizes[chosen])


def _around_boundaries(reference: Segmentation, p: float, generator: np.random.Generator) -> IntArray:
    boundaries = reference.position_array
    chosen = np.flatnonzero(generator.random(len(boundaries)) < p)
    centers, deviations = boundaries[chosen], np.array(reference.masses)[chosen] / 4

    def draw(which: IntArray) -> IntArray:
        distances = generator.standard_normal(len(which)) * deviations[which]
        return centers[which] + np.rint(distances).astype(np.int64)

    positions = _free_positions(draw, np.zeros(len(chosen), dtype=np.int64), Columns.of([reference]))
    return positions[positions > 0]


def _anywhere(reference: Segmentation, p: float, generator: np.random.Generator) -> IntArray:
    n = int(generator.binomial(reference.n_units - 1, p * reference.n_segments / reference.n_units))
    _check_amount(n)
    return sample_positions(reference.n_units - 1, n, generator)


FALSE_POSITIVES: dict[str, Callable[[Segmentation, float, np.random.Generator], IntArray]] = {
    "1": _within_segments,
    "2": _around_boundaries,
    "3": _anywhere,
}


def _free_positions(draw: Callable[[IntArray], IntArray], owner: IntArray, references: Columns) -> IntArray:
    """Return a distinct position for each boundary, never a reference boundary; 0 if none is free.

    ``owner`` is the index of the coding of each boundary in ``references``.
    """
    positions = np.zeros(len(owner), dtype=np.int64)
    waiting = np.arange(len(owner))
    taken = np.append(-1, _keys(references.coding, references.positions, references))  # ascending
    for _ in range(MAX_DRAWS):
        if not len(waiting):
            break
        drawn, own = draw(waiting), owner[waiting]
        is_inside = (drawn > 0) & (drawn < references.n_units[own])
        keys = _keys(own, np.where(is_inside, drawn, 0), references)
        is_first = np.zeros(len(drawn), dtype=bool)
        is_first[np.unique(keys, return_index=True)[1]] = True
        fits = is_first & is_inside & (taken[np.searchsorted(taken, keys, side="right") - 1] != keys)
        positions[waiting[fits]] = drawn[fits]
        taken = np.sort(np.concatenate((taken, keys[fits])), kind="stable")  # merges two sorted runs
        waiting = waiting[~fits]
    return positions


def _keys(coding: IntArray, positions: IntArray, among: Columns) -> IntArray:
    """Return a number for each position of each coding, in the order of codings and positions."""
    return coding * (int(among.n_units.max(initial=0)) + 1) + positions


# -------------------------------------------------------------------- coders (Fournier 2013, thesis)


def pseudo_coder(
    reference: SegmentationLike,
    near_miss: float,
    full_miss: float,
    *,
    n_t: int = N_T,
    rng: Seed = None,
) -> Segmentation:
    """Return a coder with full and near misses of the reference (Fournier 2013, §5.2.2).

    The coder adds no boundaries; ``with_errors(coder, "FP3", p)`` does.

    Parameters
    ----------
    reference
        The correct segmentation. Types stay with their boundaries.
    near_miss
        Probability that a boundary that is not left out moves by 1 to ``n_t`` − 1 positions (uniform), in
        either direction, to a position without a boundary of the reference or the coder. If there is none, it
        stays, so rates are slightly lower in dense segmentations.
    full_miss
        Probability that a boundary is left out.
    n_t
        Near misses span fewer than this many positions.
    rng
        A seed or a generator.

    Examples
    --------
    >>> reference = Segmentation.from_masses([5, 5, 5, 5])
    >>> pseudo_coder(reference, near_miss=0.0, full_miss=1.0).masses
    (20,)
    >>> coder = pseudo_coder(reference, near_miss=1.0, full_miss=0.0)
    >>> [abs(there - here) for there, here in zip(reference.positions, coder.positions)]
    [1, 1, 1]
    """
    return pseudo_coders(reference, 1, near_miss=near_miss, full_miss=full_miss, n_t=n_t, rng=rng)[0]


class Errors(NamedTuple):
    """The errors of pseudo-coders."""

    near_miss: float
    full_miss: float
    n_t: int


def _pseudo_coders(
    references: Columns, of: IntArray, errors: Errors, generator: np.random.Generator
) -> Columns:
    """Return an independent pseudo-coder for each of these indices of references."""
    longest, most = int(references.n_units.max()), int(references.n_boundaries.max())
    step = max(1, min(AT_ONCE // max(1, most), MAX_KEY // (longest + 1)))
    parts = (references.take(of[start : start + step]) for start in range(0, len(of), step))
    return Columns.concatenate([_missed(part, errors, generator) for part in parts])


def _missed(references: Columns, errors: Errors, generator: np.random.Generator) -> Columns:
    """Leave out boundaries of each coding and move others, with their types."""
    marks = references.marked
    positions = marks.positions.copy()
    is_marked = generator.random(len(positions)) >= errors.full_miss
    moving = np.flatnonzero(is_marked & (generator.random(len(positions)) < errors.near_miss))
    origins = positions[moving]

    def draw(which: IntArray) -> IntArray:
        distances = generator.integers(1, errors.n_t, len(which))
        return origins[which] + np.where(generator.random(len(which)) < 0.5, -distances, distances)

    moved = _free_positions(draw, marks.coding[moving], marks)
    positions[moving] = np.where(moved > 0, moved, origins)
    if references.types is None:
        return Columns.of_marks(marks.n_units, marks.coding[is_marked], positions[is_marked])
    mark = np.searchsorted(
        _keys(marks.coding, marks.positions, marks), _keys(references.coding, references.positions, marks)
    )
    stays = is_marked[mark]
    return Columns.of_marks(
        references.n_units, references.coding[stays], positions[mark[stays]], references.types[stays]
    )


def random_coder(n_units: int, density: float, *, rng: Seed = None) -> Segmentation:
    """Return a coder who marks each position with probability ``density``.

    With a density of 1 / (mean segment size) this is the random coder of Fournier (2013, thesis, §5.2.2.4),
    whose segment sizes are distributed as those of the references.

    >>> random_coder(3, 1.0).masses
    (1, 1, 1)
    >>> random_coder(1077, 1 / 5.8148, rng=1).n_units
    1077
    """
    n_units = check_whole("n_units", n_units, 1)
    density = float(check_number("density", density, 0.0, 1.0))
    _check_amount(n_units * density)
    generator = as_generator(rng)
    n = int(generator.binomial(n_units - 1, density))
    return Segmentation.from_positions(sample_positions(n_units - 1, n, generator).tolist(), n_units)


def sample_positions(n_positions: int, n: int, generator: np.random.Generator) -> IntArray:
    """Return n distinct positions from 1 to n_positions, ascending, in time linear in n."""
    if n > n_positions // 2:  # most of them: leave out the others
        left_out = sample_positions(n_positions, n_positions - n, generator)
        return np.setdiff1d(np.arange(1, n_positions + 1), left_out, assume_unique=True)
    positions: IntArray = np.empty(0, dtype=np.int64)
    while len(positions) < n:
        more = generator.integers(1, n_positions + 1, size=2 * (n - len(positions)))
        positions = np.unique(np.concatenate((positions, more)))
    return np.sort(generator.permutation(positions)[:n])


def sample_positions_many(
    n_positions: IntArray, n: IntArray, generator: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return the document of each position, and n distinct positions of each document, ascending.

    Duplicates are drawn again, so every choice of n positions is equally likely. If n is more than half of
    the positions, the others are drawn.

    >>> owner, positions = sample_positions_many(np.array([9, 3]), np.array([2, 3]), np.random.default_rng(1))
    >>> owner.tolist(), positions[2:].tolist()
    ([0, 0, 1, 1, 1], [1, 2, 3])
    """
    is_most = n > n_positions // 2
    owner = repeat(np.arange(len(n)), np.where(is_most, n_positions - n, n))
    positions = generator.integers(1, n_positions[owner] + 1)
    while True:
        owner, positions = _by_owner(owner, positions, int(n_positions.max(initial=0)))
        again = np.flatnonzero((np.diff(owner) == 0) & (np.diff(positions) == 0)) + 1
        if not len(again):
            break
        positions[again] = generator.integers(1, n_positions[owner[again]] + 1)
    if not is_most.any():
        return owner, positions
    offsets = offsets_of(np.where(is_most, n_positions, 0))
    dense = repeat(np.arange(len(n)), np.diff(offsets))  # the document of each position of dense documents
    is_left_out, is_marked = is_most[owner], np.ones(len(dense), dtype=bool)
    is_marked[offsets[owner[is_left_out]] + positions[is_left_out] - 1] = False
    index = np.flatnonzero(is_marked)
    positions = np.concatenate((positions[~is_left_out], index - offsets[dense[index]] + 1))
    owner = np.concatenate((owner[~is_left_out], dense[index]))
    order = np.argsort(owner, kind="stable")
    return owner[order], positions[order]


def _by_owner(owner: IntArray, positions: IntArray, largest: int) -> tuple[IntArray, IntArray]:
    """Sort positions by owner; much faster if one number of 64 bits holds both."""
    if (int(owner.max(initial=0)) + 1) * (largest + 1) < MAX_KEY:
        key = np.sort(owner * (largest + 1) + positions)
        return key // (largest + 1), key % (largest + 1)
    order = np.lexsort((positions, owner))
    return owner[order], positions[order]


def pseudo_coders(
    reference: SegmentationLike,
    n_coders: int,
    *,
    near_miss: float,
    full_miss: float,
    n_t: int = N_T,
    rng: Seed = None,
) -> tuple[Segmentation, ...]:
    """Return several independent pseudo-coders of one reference; see ``pseudo_coder``.

    Fournier (2013, thesis, §5.2.2) counts the reference as one more coder.

    >>> len(pseudo_coders([5, 5, 5], 9, near_miss=0.1, full_miss=0.2, rng=1))
    9
    >>> [coder.masses for coder in pseudo_coders([5, 5, 5], 2, near_miss=0.0, full_miss=0.0)]
    [(5, 5, 5), (5, 5, 5)]
    """
    truth = as_segmentation(reference)
    n_coders = check_whole("n_coders", n_coders, 1)
    near, full = check_number("near_miss", near_miss, 0, 1), check_number("full_miss", full_miss, 0, 1)
    errors = Errors(near, full, check_whole("n_t", n_t, 2))
    _check_amount(n_coders * truth.n_segments)
    coding = np.zeros(n_coders, dtype=np.int64)
    codings = _pseudo_coders(Columns.of([truth]), coding, errors, as_generator(rng))
    return tuple(map(codings.segmentation, range(n_coders)))


# -------------------------------------------------------------------- corpora


def simulate(
    n_documents: int,
    n_coders: int,
    *,
    n_units: int,
    mean_segment: float,
    near_miss: float,
    full_miss: float,
    n_t: int = N_T,
    types: Sequence[str] | None = None,
    levels: int | None = None,
    wrong_type: float = 0.0,
    reference: bool = False,
    rng: Seed = None,
) -> Corpus:
    """Return an artificial corpus: pseudo-coders of random references (Fournier 2013, thesis, §5.2.2).

    Parameters
    ----------
    n_documents, n_coders
        Numbers of documents (named d1, d2 ...) and coders (c1, c2 ...).
    n_units
        Length of each document.
    mean_segment
        Mean size of the references' segments, which is exponential; see ``segment_sizes``.
    near_miss, full_miss, n_t
        The errors of the coders; see ``pseudo_coder``.
    types
        Names of boundary types, uniform over reference boundaries.
    levels
        Number of levels of hierarchies; each rank is twice as frequent as the rank above.
    wrong_type
        Probability of a wrong type (uniform), in hierarchies the rank above or below.
    reference
        Whether to include the references as the coder "reference".
    rng
        A seed or a generator.

    Examples
    --------
    >>> corpus = simulate(2, 3, n_units=30, mean_segment=6, near_miss=0.1, full_miss=0.2, rng=1)
    >>> corpus
    <Corpus of 2 documents, 3 coders, 6 codings>
    >>> corpus.coders
    ('c1', 'c2', 'c3')
    >>> corpus["d1", "c1"].n_units
    30
    >>> simulate(
    ...     1, 2, n_units=60, mean_segment=4, near_miss=0, full_miss=0, levels=3, rng=1
    ... ).type_scheme.names
    {1: 'level 1', 2: 'level 2', 3: 'level 3'}
    """
    options = (n_units, mean_segment, near_miss, full_miss, n_t, types, levels, wrong_type, reference)
    return Simulation(n_documents, n_coders, *options).corpus(rng)


@dataclass(frozen=True)
class Simulation:
    """The corpus of ``simulate`` in blocks, for any number of documents in little memory.

    The parameters are those of ``simulate``. The documents of a block depend only on them and the seed.

    >>> plan = Simulation(3, 1, n_units=9, mean_segment=3, near_miss=0, full_miss=0, reference=True)
    >>> plan.coders, [len(codings) for codings in plan.blocks(rng=1)]
    (('reference', 'c1'), [6])
    """

    n_documents: int
    n_coders: int
    n_units: int
    mean_segment: float
    near_miss: float
    full_miss: float
    n_t: int = N_T
    types: Sequence[str] | None = None
    levels: int | None = None
    wrong_type: float = 0.0
    reference: bool = False

    def __post_init__(self) -> None:
        own = vars(self)
        for name, least in (("n_documents", 1), ("n_coders", 1), ("n_units", 1), ("n_t", 2)):
            own[name] = check_whole(name, own[name], least)
        own["mean_segment"] = float(check_number("mean_segment", self.mean_segment, 1.0, MAX_NUMBER))
        for name in ("near_miss", "full_miss", "wrong_type"):
            own[name] = float(check_number(name, own[name], 0.0, 1.0))
        check_flag("reference", self.reference)
        own["types"] = _type_names(self.types)
        if self.levels is not None:
            own["levels"] = check_whole("levels", self.levels, 1)
            if self.levels > MAX_LEVELS:
                raise ParameterError(f"levels is {self.levels}: expected at most {MAX_LEVELS}")
            if self.types:
                raise ParameterError("give either types or levels")
        if self.wrong_type and self.n_types < 2:
            raise ParameterError("wrong_type needs at least two types or levels")
        _check_amount(self.boundaries_each)

    @property
    def n_types(self) -> int:
        """The number of types or levels; 0 without any."""
        return self.levels or len(self.types or ())

    @property
    def boundaries_each(self) -> float:
        """The approximate number of boundaries of a document, over all coders."""
        return (self.n_coders + 1) * max(1.0, self.n_units / self.mean_segment)

    @property
    def coders(self) -> tuple[str, ...]:
        """The coders of each document, in order."""
        coders = tuple(f"c{number}" for number in range(1, self.n_coders + 1))
        return (REFERENCE, *coders) if self.reference else coders

    @property
    def type_scheme(self) -> TypeScheme | None:
        """The meaning of the types."""
        if self.levels is not None:
            return TypeScheme.of_ranks(range(1, self.levels + 1))
        return TypeScheme(dict(enumerate(self.types, start=1)), nominal=True) if self.types else None

    def corpus(self, rng: Seed = None) -> Corpus:
        """Return all documents."""
        _check_amount(self.n_documents * self.boundaries_each)
        codings = Columns.concatenate(list(self.blocks(rng)))
        n_coders = len(self.coders)
        document = repeat(np.arange(self.n_documents), n_coders)
        coder = np.tile(np.arange(n_coders), self.n_documents)
        documents = Strings.of(f"d{number}" for number in range(1, self.n_documents + 1))
        corpus = Corpus(codings, document, coder, documents, Strings.of(self.coders))
        return corpus.with_type_scheme(self.type_scheme)

    def blocks(self, rng: Seed = None) -> Iterator[Columns]:
        """Yield the codings of blocks of documents, in the order of documents and coders."""
        generator = as_generator(rng)
        most = max(1, min(MOST_DOCUMENTS, int(BLOCK / self.boundaries_each)))
        for start in range(0, self.n_documents, most):
            yield self._block(min(most, self.n_documents - start), generator)

    def _block(self, n_documents: int, generator: np.random.Generator) -> Columns:
        # Segment sizes are geometric, so each position ends a segment with probability 1 / mean.
        n_boundaries = generator.binomial(self.n_units - 1, 1 / self.mean_segment, n_documents)
        lengths = np.full(n_documents, self.n_units, dtype=np.int64)
        owner, positions = sample_positions_many(lengths - 1, n_boundaries, generator)
        is_ranked = self.levels is not None
        kinds: IntArray | None = None
        if is_ranked:  # each twice as likely as the one before
            weights = np.exp2(np.arange(self.n_types))
            kinds = 1 + generator.choice(self.n_types, size=len(positions), p=weights / weights.sum())
        elif self.n_types:
            kinds = generator.integers(1, self.n_types + 1, len(positions))
        references = Columns.of_marks(lengths, owner, positions, kinds)
        document = repeat(np.arange(n_documents), self.n_coders)
        errors = Errors(self.near_miss, self.full_miss, self.n_t)
        codings = _pseudo_coders(references, document, errors, generator)
        if self.wrong_type:
            codings = _mistype(codings, self.n_types, self.wrong_type, generator, to_neighbor=is_ranked)
        if not self.reference:
            return codings
        document = np.concatenate((np.arange(n_documents), document))
        order = np.argsort(document, kind="stable")  # references before coders
        return Columns.concatenate([references, codings]).take(order)


def _mistype(
    codings: Columns, n_types: int, wrong_type: float, generator: np.random.Generator, *, to_neighbor: bool
) -> Columns:
    """Give some boundaries a wrong type."""
    kinds = codings.all_types
    if to_neighbor:
        step = generator.choice(np.array([-1, 1]), size=len(kinds))
        others = kinds + np.where((kinds + step < 1) | (kinds + step > n_types), -step, step)
    else:
        # 1 to n_types - 1 further on, around the circle of types, is any other type.
        others = (kinds - 1 + generator.integers(1, n_types, len(kinds))) % n_types + 1
    kinds = np.where(generator.random(len(kinds)) < wrong_type, others, kinds)
    return Columns.of_marks(codings.n_units, codings.coding, codings.positions, kinds)


# -------------------------------------------------------------------- checks


def _type_names(types: Sequence[str] | None) -> tuple[str, ...]:
    if types is None:
        return ()
    if isinstance(types, str) or not isinstance(types, Sequence):
        raise ParameterError(f"types is {short(types)}: expected the names of boundary types")
    if not types or not all(isinstance(name, str) and name for name in types) or len(set(types)) < len(types):
        raise ParameterError(f"types is {short(types)}: expected different names, at least one")
    return tuple(types)


def _check_amount(n_boundaries: float) -> None:
    if n_boundaries > MAX_BOUNDARIES:
        raise ParameterError(f"cannot make about {n_boundaries:.3g} boundaries; at most {MAX_BOUNDARIES:.0e}")
