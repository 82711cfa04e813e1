"""Weights: the cost of each edit, and the checks of its parameters.

F13t is Fournier (2013), Evaluating text segmentation, the thesis.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.arrays import Counted
from caesura.checks import MAX_NUMBER, N_T, check_choice, check_number, check_whole, is_duration
from caesura.errors import ParameterError
from caesura.values.segmentation import Segmentation
from caesura.wording import counted, short

Method: TypeAlias = Literal["greedy", "optimal"]

Weighting: TypeAlias = Literal["scaled", "equation", "constant"]

Cost: TypeAlias = float | Fraction | Decimal | str
"""A number from 0 to 1, read as written: 0.2 is 1/5, and "1/3" is a third."""

CostTable: TypeAlias = Mapping[tuple[int, int], Cost] | tuple[tuple[tuple[int, int], Cost], ...]
"""Costs of pairs of types, as a mapping or its hashable items."""

METHODS: tuple[Method, ...] = ("greedy", "optimal")

WEIGHTINGS: tuple[Weighting, ...] = ("scaled", "equation", "constant")

KINDS = ("transposition", "substitution")  # edits with a chosen weight; an addition always costs 1

FRACTION = re.compile(r"[0-9]{1,101}/[0-9]{1,101}")

MAX_DIGITS = 100  # of a fraction that is not a decimal, which is written out in full


class Costs(tuple[tuple[Any, Any], ...]):
    """A mapping as its hashable items; its repr is that of the mapping."""

    def __repr__(self) -> str:
        return repr(dict(self))


Transpositions: TypeAlias = Weighting | Cost | Mapping[int, Cost] | Costs
"""A weighting, the cost of each near miss, or its cost by distance."""

Substitutions: TypeAlias = Weighting | Cost | Mapping[int, Cost] | CostTable | Costs
"""A weighting, the cost of each wrong type, or its cost by distance or pair of types."""

LeastWeight: TypeAlias = float | Mapping[str, float] | Costs  # the w0 of both kinds of edits, or of each


MAX_SCALE = 2**31  # beyond this scale the weights of very many edits might not fit 64-bit integers


@dataclass(frozen=True)
class Weights:
    """The cost of each edit; an addition always costs 1.

    ======================  ===================  ========================  ========
    edit                    scaled               equation                  constant
    ======================  ===================  ========================  ========
    transposition over d    d / n_t              w0 + d / (n_t - 1)        1
    substitution x for y    abs(x - y) / (R + 1) w0 + abs(x - y) / R       1
    ======================  ===================  ========================  ========

    R is the range of the declared types, or else of the types in the pair. ``scaled`` reproduces the
    published results; ``equation`` is F13t's eq. 4.23 and 4.24, with one w0 for both or one for each. A
    number is the cost of every edit; a table ``{distance: cost}`` gives costs by distance of positions or
    types. For nominal types use ``constant`` or a table ``{(x, y): cost}``, where (x, y) includes (y, x).
    Costs are from 0 to 1. ``types=()`` compares boundaries without their types.
    """

    n_t: int = N_T
    transposition: Transpositions = "scaled"
    substitution: Substitutions = "scaled"
    w0: LeastWeight = 0.0
    types: Sequence[int] | None = None

    def __post_init__(self) -> None:
        # The hashable form.
        for name, check in CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        check_distances("", self.n_t, self.transposition, self.substitution, self.types)

    @property
    def ignores_types(self) -> bool:
        """Whether boundaries are compared without their types."""
        return self.types == ()

    @cached_property
    def line(self) -> tuple[int, int, int] | None:
        """(p, q, scale) if a transposition over distance d costs (p + q d) / scale, or None.

        Then the number of transpositions and the sum of their distances determine their weight.
        """
        if self.transposition == "scaled":
            return 0, 1, self.n_t
        if self.transposition == "constant":
            return 1, 0, 1
        if self.transposition == "equation":
            widest = max(1, self.n_t - 1)  # with n_t = 1 there are none
            base = least_weight(self.w0, "transposition")
            return base.numerator * widest, base.denominator, base.denominator * widest
        if not isinstance(self.transposition, Costs):
            cost = Fraction(str(self.transposition))
            return cost.numerator, 0, cost.denominator
        worths, scale = self._worths
        steps = {after - before for before, after in pairwise(worths[1:])}
        if len(steps) > 1:
            return None
        step = steps.pop() if steps else 0
        return (worths[1] - step if len(worths) > 1 else 0), step, scale

    @cached_property
    def _worths(self) -> tuple[list[int], int]:
        """The table's cost of a transposition over each distance from 0 on, in units of 1 / scale."""
        assert isinstance(self.transposition, Costs)
        costs = [Fraction(0), *(Fraction(str(cost)) for _, cost in self.transposition)]
        scale = math.lcm(*(cost.denominator for cost in costs))
        return [int(cost * scale) for cost in costs], scale

    @property
    def nearest_is_cheapest(self) -> bool:
        """Whether less total distance never costs more."""
        return self.line is not None and self.line[1] >= 0

    @cached_property
    def weighed_by_sums(self) -> tuple[Method, ...]:
        """The methods whose kernel counts determine the weight of edits of one type."""
        if self.line is None:
            return ()
        return METHODS if self.nearest_is_cheapest else ("greedy",)

    @cached_property
    def cost_table(self) -> dict[Any, Fraction] | None:
        """Costs of substitutions by distance of types, or by pair of types in both orders, or None."""
        if not isinstance(self.substitution, tuple):
            return None
        table: dict[Any, Fraction] = {}
        for key, cost in self.substitution:
            table[key] = Fraction(str(cost))
            if isinstance(key, tuple):
                table[key[::-1]] = table[key]
        return table

    def of_transpositions(self, n: Counted, span: Counted) -> tuple[Counted, int]:
        """Return the total weight of n transpositions with total distance ``span``, as a fraction.

        Arrays of many pairs work too. The denominator depends only on the weights, which must have a
        ``line``.
        """
        if self.transposition == "scaled":
            return span, self.n_t
        assert self.line is not None
        p, q, scale = self.line
        if scale >= MAX_SCALE and isinstance(n, np.ndarray) and isinstance(span, np.ndarray):
            n, span = n.astype(object), span.astype(object)
        return n * p + span * q, scale

    def of_distance(self, distance: Counted) -> tuple[Counted, int]:
        """Return the weight of a transposition over this distance, or over each of many, as a fraction."""
        if self.line is not None:
            return self.of_transpositions(1 + 0 * distance, distance)
        worths, scale = self._worths
        if isinstance(distance, np.ndarray):
            return np.array(worths, dtype=np.int64 if scale < MAX_SCALE else object)[distance], scale
        return worths[distance], scale

    def of_substitution(self, x: int, y: int, type_range: int) -> Fraction:
        """Return the weight of a substitution."""
        if self.cost_table is None:
            return Fraction(*self.of_substitutions(1, abs(x - y), type_range))
        is_by_distance = isinstance(self.substitution, Costs)
        key = abs(x - y) if is_by_distance else (x, y)
        try:
            return self.cost_table[key]
        except KeyError:
            lacking = f"distance {key}, that of types {x} and {y}" if is_by_distance else f"the pair {key}"
            raise ParameterError(f"the substitution costs lack {lacking}") from None

    def of_substitutions(
        self, n: Counted, difference: Counted, type_range: Counted
    ) -> tuple[Counted, Counted]:
        """Return the total weight of n substitutions whose types differ by ``difference`` in total.

        Return numerator and denominator, or arrays of them for many pairs; not for a table of costs. The
        range of types is at least 1.
        """
        if self.substitution == "scaled":
            return difference, type_range + 1
        if self.substitution == "constant":
            return n, 0 * n + 1
        if self.substitution == "equation":
            base, each, finest = least_weight(self.w0, "substitution"), 1, type_range
        else:
            base, each, finest = Fraction(str(self.substitution)), 0, 0 * type_range + 1
        p, q = base.numerator, base.denominator
        if isinstance(finest, np.ndarray) and q * int(finest.max(initial=1)) >= MAX_SCALE:
            n, difference, finest = (np.asarray(column, object) for column in (n, difference, finest))
        return n * p * finest + difference * q * each, q * finest

    def check_declared(self, occurring: set[int]) -> None:
        """Raise ParameterError for a type that is not declared, if types are declared."""
        undeclared = occurring - set(self.types or occurring)
        if undeclared:
            raise ParameterError(f"type {min(undeclared)} is not among the declared types {self.types}")

    def type_range(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Return the range of the declared types, or else of those in the pair."""
        occurring = {*reference.types, *hypothesis.types}
        if self.types is not None:
            self.check_declared(occurring)
            occurring = set(self.types)
        return max(occurring) - min(occurring) if occurring else 0

    def n_types(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Return the number of declared types, or else of those in the pair; at least 1."""
        if self.types is not None:
            return len(self.types) or 1
        return len({*reference.types, *hypothesis.types}) or 1


def least_weight(w0: LeastWeight, kind: str) -> Fraction:
    """Return the w0 of a kind of edit."""
    return Fraction(str(dict(w0)[kind] if isinstance(w0, Costs) else w0))


def check_least_weight(name: str, value: Any) -> Any:
    """Return the least weight of both kinds of edits, or a mapping with one for each."""
    if not isinstance(value, (Mapping, Costs)):
        return check_number(name, value, 0.0, 1.0)
    of_kind = dict(value)
    if set(of_kind) != set(KINDS):
        table = "{'transposition': ..., 'substitution': ...}"
        raise ParameterError(f"{name} is {short(value)}: expected a number, or {table}")
    return Costs((kind, check_number(f"{name} of {kind}", of_kind[kind], 0.0, 1.0)) for kind in KINDS)


def check_transposition(name: str, value: Any) -> Any:
    """Return a weighting, a cost, or a table of costs by distance, in hashable form."""
    if isinstance(value, (Mapping, Costs)):
        return _costs_by_distance(name, value)
    return _weighting_or_cost(name, value, "{distance: cost}")


def check_substitution(name: str, value: Any) -> Any:
    """Return a weighting, a cost, or a table by distance or by pair of types, in hashable form."""
    if isinstance(value, Costs) or (
        isinstance(value, Mapping) and value and all(isinstance(key, Integral) for key in value)
    ):
        return _costs_by_distance(name, value)
    if not isinstance(value, (Mapping, tuple)):
        return _weighting_or_cost(name, value, "{distance: cost} or {(x, y): cost}")
    costs: dict[tuple[int, int], float | str] = {}
    try:
        for pair, cost in value.items() if isinstance(value, Mapping) else value:
            x, y = check_types(name, pair, is_pair=True) or ()
            if costs.get((y, x), cost) != cost:
                raise ParameterError(f"{name}: ({x}, {y}) and ({y}, {x}) have different costs")
            costs[x, y] = _check_cost(f"{name} of ({x}, {y})", cost)
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        tables = "{(x, y): cost} or {distance: cost}"
        raise ParameterError(f"{name} is {short(value)}: expected a table {tables}") from None
    return tuple(sorted(costs.items()))


def _costs_by_distance(name: str, value: Any) -> Costs:
    costs = {}
    for distance, cost in dict(value).items():
        whole = check_whole(f"{name}: a distance", distance, 1)
        costs[whole] = _check_cost(f"{name} over distance {whole}", cost)
    return Costs(sorted(costs.items()))


def _weighting_or_cost(name: str, value: Any, table: str) -> Any:
    if isinstance(value, str) and not FRACTION.fullmatch(value):
        return check_choice(name, value, WEIGHTINGS)
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal, str)):
        expected = f"{', '.join(WEIGHTINGS)}, a number from 0 to 1, or a table {table}"
        raise ParameterError(f"{name} is {short(value)}: expected {expected}")
    return _check_cost(name, value)


def _check_cost(name: str, value: Any) -> float | str:
    """Return a cost from 0 to 1 as a decimal, or as "1/3" if it is not a decimal."""
    if isinstance(value, str) and FRACTION.fullmatch(value):
        numerator, denominator = value.split("/")
        if int(denominator):
            value = Fraction(int(numerator), int(denominator))
    if isinstance(value, Decimal) and value.is_finite():
        is_short = -MAX_DIGITS <= int(value.as_tuple().exponent) <= 0
        value = Fraction(value) if is_short else value
    decimal = float(check_number(name, value, 0.0, 1.0))
    if not isinstance(value, Fraction) or Fraction(str(decimal)) == value:
        return decimal
    if value.denominator > 10**MAX_DIGITS:
        raise ParameterError(f"{name} is a fraction of more than {MAX_DIGITS} digits: round it")
    return str(value)


def check_distances(
    name: str,
    n_t: int,
    transposition: Transpositions,
    substitution: Substitutions,
    types: Sequence[int] | None,
) -> None:
    """Raise ParameterError unless tables have the cost of every possible distance, and no other.

    Distances of positions are known unless n_t is a duration; distances of types if types are declared.
    """
    if isinstance(transposition, Costs) and not is_duration(n_t):
        near = f"near misses are up to {counted(n_t - 1, 'position')} apart" if n_t > 1 else "nothing is near"
        _check_complete(f"{name}transposition", transposition, range(1, n_t), f"at n_t={n_t} {near}")
    if isinstance(substitution, Costs) and types:
        distances = (y - x for x, y in combinations(types, 2))
        _check_complete(f"{name}substitution", substitution, distances, f"the types are {short(types)}")


def _check_complete(name: str, costs: Costs, distances: Iterable[int], why: str) -> None:
    known, possible = dict(costs), set()
    for distance in distances:
        if distance not in known:
            raise ParameterError(f"{name} has no cost of distance {distance}; add it: {why}")
        possible.add(distance)
    for distance in known:
        if distance not in possible:
            raise ParameterError(f"{name} has a cost of distance {distance}, which cannot occur: {why}")


def check_types(name: str, value: Any, *, is_pair: bool = False) -> tuple[int, ...] | None:
    """Return declared types, ascending and without repeats; a pair of types stays as it is."""
    if value is None and not is_pair:
        return None
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise ParameterError(f"{name} is {short(value)}: expected whole numbers")
    kinds = tuple(value)
    for kind in kinds:
        if isinstance(kind, bool) or not isinstance(kind, Integral) or abs(int(kind)) > MAX_NUMBER:
            raise ParameterError(f"{name} is {short(value)}: expected whole numbers")
    if is_pair:
        return tuple(map(int, kinds))
    return tuple(sorted(set(map(int, kinds))))


CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "n_t": lambda name, value: check_whole(name, value, 1),
    "transposition": check_transposition,
    "substitution": check_substitution,
    "w0": check_least_weight,
    "types": check_types,
}
"""The check of each field of ``Weights``."""
