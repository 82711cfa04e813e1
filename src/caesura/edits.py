"""align(): boundary edit distance as matches and edits, and the weights of edits.

F13 is Fournier (2013), ACL; F13t is Fournier (2013), the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura import kernel
from caesura.errors import ParameterError
from caesura.forms import MAX_NUMBER, short
from caesura.kernel import pairing, typed
from caesura.kernel.batch import PackedPairs
from caesura.parameters import check_choice, check_number, check_whole
from caesura.segmentation import PLAIN_TYPE, Segmentation, SegmentationLike, as_segmentation, check_comparable

Method: TypeAlias = Literal["greedy", "optimal"]
Weighting: TypeAlias = Literal["scaled", "equation", "constant"]
CostTable: TypeAlias = Mapping[tuple[int, int], float]

Counted: TypeAlias = Any  # an int, or an array with one int per pair

METHODS = ("greedy", "optimal")
WEIGHTINGS = ("scaled", "equation", "constant")


@dataclass(frozen=True)
class Weights:
    """What each edit costs; an addition always costs 1.

    ======================  ===================  ========================  ========
    edit                    scaled               equation                  constant
    ======================  ===================  ========================  ========
    transposition over d    d / n_t              w0 + d / (n_t - 1)        1
    substitution x for y    abs(x - y) / (R + 1) w0 + abs(x - y) / R       1
    ======================  ===================  ========================  ========

    R is the range of the declared types, or else of the types in the pair. ``scaled`` reproduces the
    published results; ``equation`` is what F13t prints (eq. 4.23, 4.24). Nominal types: ``constant``, or a
    table ``{(x, y): cost}`` with costs from 0 to 1, in which (x, y) also stands for (y, x).
    """

    n_t: int = 2
    transposition: Weighting = "scaled"
    substitution: Weighting | tuple[tuple[tuple[int, int], float], ...] = "scaled"
    w0: float = 0.0
    types: tuple[int, ...] | None = None

    @cached_property
    def _base(self) -> Fraction:
        return Fraction(str(self.w0))

    @cached_property
    def cost_table(self) -> dict[tuple[int, int], Fraction] | None:
        """Costs of substitutions of nominal types, in both directions; None without such a table."""
        if isinstance(self.substitution, str):
            return None
        table = {}
        for (x, y), cost in self.substitution:
            table[x, y] = table[y, x] = Fraction(str(cost))
        return table

    def of_transpositions(self, n: Counted, span: Counted) -> tuple[Counted, int]:
        """Total weight of n transpositions with distances that sum to ``span``, as a fraction.

        It works on arrays of many pairs too; the denominator depends on the weights alone.
        """
        if self.transposition == "scaled":
            return span, self.n_t
        if self.transposition == "constant":
            return n, 1
        widest = max(1, self.n_t - 1)  # with n_t = 1 there are none
        p, q = self._base.numerator, self._base.denominator
        return n * p * widest + span * q, q * widest

    def of_substitution(self, x: int, y: int, type_range: int) -> Fraction:
        """Weight of one substitution."""
        if self.cost_table is not None:
            try:
                return self.cost_table[x, y]
            except KeyError:
                raise ParameterError(f"the substitution costs lack the pair ({x}, {y})") from None
        if self.substitution == "scaled":
            return Fraction(abs(x - y), type_range + 1)
        if self.substitution == "constant":
            return Fraction(1)
        return self._base + Fraction(abs(x - y), type_range)

    def type_range(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Largest minus least of the declared types, or else of those that occur in the pair."""
        occurring = {*reference.types, *hypothesis.types}
        if self.types is not None:
            undeclared = occurring - set(self.types)
            if undeclared:
                raise ParameterError(f"type {min(undeclared)} is not among the declared types {self.types}")
            occurring = set(self.types)
        return max(occurring) - min(occurring) if occurring else 0

    def n_types(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Number of declared types, or else of those that occur in the pair (at least 1)."""
        if self.types is not None:
            return len(self.types)
        return len({*reference.types, *hypothesis.types}) or 1


class EditCounts(NamedTuple):
    """The edits of one pair as integers, or of many pairs as arrays; weights are in units of 1 / scale."""

    matches: Counted
    only_reference: Counted
    only_hypothesis: Counted
    substitutions: Counted
    transpositions: Counted
    substitution_weight: Counted
    transposition_weight: Counted
    slots: Counted  # types × potential boundaries
    scale: int

    @property
    def additions(self) -> Counted:
        """Full misses of either side."""
        return self.only_reference + self.only_hypothesis

    @property
    def pairs(self) -> Counted:
        """Boundary pairs: matches and edits."""
        return self.matches + self.additions + self.substitutions + self.transpositions

    @property
    def boundaries(self) -> Counted:
        """Boundaries of both sides."""
        return 2 * self.pairs - self.additions

    @property
    def penalty(self) -> Counted:
        """Total weight of the edits."""
        return self.additions * self.scale + self.substitution_weight + self.transposition_weight


def count_edits(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> EditCounts:
    """Return the numbers of matches and edits and their weights, without listing them."""
    if reference.n_units != hypothesis.n_units:
        check_comparable(reference, hypothesis)
    slots = reference.n_units - 1
    if weights.types is not None or not (reference.is_plain and hypothesis.is_plain):
        weights.type_range(reference, hypothesis)  # refuses what is not declared
        slots *= weights.n_types(reference, hypothesis)
    if reference.is_plain and hypothesis.is_plain:
        matches, only_a, only_b, transpositions, span = kernel.active.edit_counts(
            reference.position_array, hypothesis.position_array, weights.n_t, method == "optimal"
        )
        weight, scale = weights.of_transpositions(transpositions, span)
        return EditCounts(matches, only_a, only_b, 0, transpositions, 0, weight, slots, scale)
    edits = _typed_edits(reference, hypothesis, method, weights)
    type_range = weights.type_range(reference, hypothesis)
    span = sum(abs(i - j) for i, j, _ in edits.transpositions)
    moved = Fraction(*weights.of_transpositions(len(edits.transpositions), span))
    exchanged = sum(
        (weights.of_substitution(x, y, type_range) for _, x, y in edits.substitutions), Fraction(0)
    )
    scale = math.lcm(moved.denominator, exchanged.denominator)
    return EditCounts(
        len(edits.matches),
        len(edits.only_a),
        len(edits.only_b),
        len(edits.substitutions),
        len(edits.transpositions),
        int(exchanged * scale),
        int(moved * scale),
        slots,
        scale,
    )


def count_edits_many(pairs: PackedPairs, method: Method, weights: Weights) -> EditCounts:
    """Return ``count_edits`` of many pairs of plain segmentations, as arrays."""
    rows = pairs.edit_counts(weights.n_t, method == "optimal")
    matches, only_a, only_b, transpositions, span = rows.T
    weight, scale = weights.of_transpositions(transpositions, span)
    nothing = np.zeros_like(matches)
    slots = pairs.pair_n_units - 1
    return EditCounts(matches, only_a, only_b, nothing, transpositions, nothing, weight, slots, scale)


def _typed_edits(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> typed.TypedEdits:
    a, b = reference.boundaries, hypothesis.boundaries
    type_range = weights.type_range(reference, hypothesis)
    table = weights.cost_table
    if method == "greedy":
        cost = None if table is None else lambda x, y: float(weights.of_substitution(x, y, type_range))
        return typed.greedy_edits(a, b, weights.n_t, cost)
    # Whole numbers: what weighs the same must be equal.
    whole = math.lcm(
        weights.of_transpositions(1, 1)[1] if weights.n_t > 1 else 1,
        *(
            weights.of_substitution(x, y, type_range).denominator
            for x, y in _substitutable(set(a) - set(b), set(b) - set(a))
        ),
    )
    return typed.optimal_edits(
        a,
        b,
        weights.n_t,
        lambda distance: int(Fraction(*weights.of_transpositions(1, distance)) * whole),
        lambda x, y: int(weights.of_substitution(x, y, type_range) * whole),
    )


def _substitutable(a: set[typed.Boundary], b: set[typed.Boundary]) -> set[tuple[int, int]]:
    """Pairs of types that stand at one position on the two sides."""
    in_b: dict[int, list[int]] = {}
    for position, kind in b:
        in_b.setdefault(position, []).append(kind)
    return {(x, y) for position, x in a for y in in_b.get(position, ())}


class Match(NamedTuple):
    """A boundary of one type at one position in both."""

    position: int
    type: int


class Addition(NamedTuple):
    """A full miss: a boundary in one of the two only (an addition or deletion)."""

    position: int
    type: int
    side: Literal["reference", "hypothesis"]


class Substitution(NamedTuple):
    """Two types at one position."""

    position: int
    reference_type: int
    hypothesis_type: int


class Transposition(NamedTuple):
    """A near miss: one type at nearby positions."""

    reference_position: int
    hypothesis_position: int
    type: int

    @property
    def start(self) -> int:
        """The left position."""
        return min(self.reference_position, self.hypothesis_position)

    @property
    def end(self) -> int:
        """The right position."""
        return max(self.reference_position, self.hypothesis_position)

    @property
    def distance(self) -> int:
        """Potential boundaries between the two."""
        return self.end - self.start


Edit: TypeAlias = Addition | Substitution | Transposition


@dataclass(frozen=True)
class Alignment:
    """Two segmentations, what matches between them, and the edits that turn one into the other.

    ``print`` it to see both segmentations and the edits.
    """

    reference: Segmentation
    hypothesis: Segmentation
    method: Method
    weights: Weights
    matches: tuple[Match, ...]
    additions: tuple[Addition, ...]
    substitutions: tuple[Substitution, ...]
    transpositions: tuple[Transposition, ...]

    @property
    def n_t(self) -> int:
        """Transpositions span less than this many positions."""
        return self.weights.n_t

    @property
    def missed(self) -> tuple[Addition, ...]:
        """Full misses that only the reference has (false negatives)."""
        return tuple(addition for addition in self.additions if addition.side == "reference")

    @property
    def spurious(self) -> tuple[Addition, ...]:
        """Full misses that only the hypothesis has (false positives)."""
        return tuple(addition for addition in self.additions if addition.side == "hypothesis")

    @property
    def distance(self) -> int:
        """Boundary edit distance: the number of edits."""
        return len(self.additions) + len(self.substitutions) + len(self.transpositions)

    def weight(self, edit: Edit) -> Fraction:
        """Penalty of one edit."""
        if isinstance(edit, Addition):
            return Fraction(1)
        if isinstance(edit, Transposition):
            return Fraction(*self.weights.of_transpositions(1, edit.distance))
        type_range = self.weights.type_range(self.reference, self.hypothesis)
        return self.weights.of_substitution(edit.reference_type, edit.hypothesis_type, type_range)

    @property
    def penalty(self) -> Fraction:
        """Total weight of the edits."""
        edits: list[Edit] = [*self.additions, *self.substitutions, *self.transpositions]
        return sum((self.weight(edit) for edit in edits), Fraction(0))

    @property
    def correctness(self) -> tuple[float, ...]:
        """Correctness of each boundary pair, from left to right: 1 - weight; B is their mean."""
        pairs: list[tuple[int, float]] = [(match.position, 1.0) for match in self.matches]
        pairs += [(addition.position, 0.0) for addition in self.additions]
        pairs += [(edit.position, float(1 - self.weight(edit))) for edit in self.substitutions]
        pairs += [(edit.start, float(1 - self.weight(edit))) for edit in self.transpositions]
        return tuple(value for _, value in sorted(pairs))

    def __str__(self) -> str:
        from caesura.drawing import draw_alignment

        return draw_alignment(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def align(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = 2,
    method: Method = "greedy",
    transposition: Weighting = "scaled",
    substitution: Weighting | CostTable = "scaled",
    w0: float = 0.0,
    types: Sequence[int] | None = None,
) -> Alignment:
    """Return the matches and edits between two segmentations: boundary edit distance (F13 §3.1).

    Edits are additions (full misses, with their side), substitutions (two types at one position) and
    transpositions (near misses: one type, fewer than ``n_t`` positions apart). ``greedy`` is the published
    algorithm; ``optimal`` finds a truly minimal set, which the greedy one misses at times for n_t > 2 or
    several types.

    >>> edits = align([2, 3, 6], [2, 2, 7])
    >>> edits.matches, edits.transpositions
    ((Match(position=2, type=1),), (Transposition(reference_position=5, hypothesis_position=4, type=1),))
    >>> edits.distance, edits.correctness
    (1, (1.0, 0.5))
    """
    weights = make_weights(n_t, transposition, substitution, w0, types)
    check_choice("method", method, METHODS)
    ref, hyp = as_segmentation(reference), as_segmentation(hypothesis)
    check_comparable(ref, hyp)
    edits = (
        _plain_edits(ref, hyp, method, n_t)
        if ref.is_plain and hyp.is_plain
        else _typed_edits(ref, hyp, method, weights)
    )
    additions = [Addition(position, kind, "reference") for position, kind in edits.only_a]
    additions += [Addition(position, kind, "hypothesis") for position, kind in edits.only_b]
    return Alignment(
        ref,
        hyp,
        method,
        weights,
        tuple(Match(*match) for match in edits.matches),
        tuple(sorted(additions)),
        tuple(Substitution(*edit) for edit in edits.substitutions),
        tuple(sorted((Transposition(*edit) for edit in edits.transpositions), key=lambda t: t.start)),
    )


def _plain_edits(
    reference: Segmentation, hypothesis: Segmentation, method: Method, n_t: int
) -> typed.TypedEdits:
    a, b = set(reference.positions), set(hypothesis.positions)
    only_a, only_b = sorted(a - b), sorted(b - a)
    pair = pairing.optimal_transpositions if method == "optimal" else pairing.transpositions
    pairs = pair(only_a, only_b, n_t)
    paired_a, paired_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return typed.TypedEdits(
        [(position, PLAIN_TYPE) for position in sorted(a & b)],
        [(position, PLAIN_TYPE) for position in only_a if position not in paired_a],
        [(position, PLAIN_TYPE) for position in only_b if position not in paired_b],
        [],
        [(i, j, PLAIN_TYPE) for i, j in pairs],
    )


def make_weights(
    n_t: int,
    transposition: Weighting,
    substitution: Weighting | CostTable | tuple[tuple[tuple[int, int], float], ...],
    w0: float,
    types: Sequence[int] | None,
) -> Weights:
    """Check the parameters of weights and return them in their hashable form."""
    check_choice("transposition", transposition, WEIGHTINGS)
    return Weights(
        check_whole("n_t", n_t, 1),
        transposition,
        check_substitution("substitution", substitution),
        check_number("w0", w0, 0.0, 1.0),
        check_types("types", types),
    )


def check_substitution(name: str, value: Any) -> Any:
    """Return a weighting, or a table of costs of pairs of types in its hashable form."""
    if isinstance(value, str):
        return check_choice(name, value, WEIGHTINGS)
    fault = f"{name} is {short(value)}: expected {', '.join(WEIGHTINGS)} or a table {{(x, y): cost}}"
    if not isinstance(value, (Mapping, tuple)):
        raise ParameterError(fault)
    costs: dict[tuple[int, int], float] = {}
    try:
        for pair, cost in value.items() if isinstance(value, Mapping) else value:
            x, y = check_types(name, pair, is_pair=True) or ()
            if costs.get((y, x), cost) != cost:
                raise ParameterError(f"{name}: ({x}, {y}) and ({y}, {x}) have different costs")
            costs[x, y] = check_number(f"{name} of ({x}, {y})", cost, 0.0, 1.0)
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(fault) from None
    return tuple(sorted(costs.items()))


def check_types(name: str, value: Any, *, is_pair: bool = False) -> tuple[int, ...] | None:
    """Return declared types, ascending and each once; a pair of types stays as it is."""
    if value is None and not is_pair:
        return None
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise ParameterError(f"{name} is {short(value)}: expected whole numbers")
    found = tuple(value)
    for kind in found:
        if isinstance(kind, bool) or not isinstance(kind, Integral) or abs(int(kind)) > MAX_NUMBER:
            raise ParameterError(f"{name} is {short(value)}: expected whole numbers")
    if is_pair:
        return tuple(map(int, found))
    if not found:
        raise ParameterError(f"{name} is empty: declare at least one type, or leave it out")
    return tuple(sorted(set(map(int, found))))
