"""Weights: what each edit costs, and the checks of what may be chosen.

F13t is Fournier (2013), Evaluating text segmentation, the thesis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.arrays import Counted
from caesura.checks import MAX_NUMBER, N_T, check_choice, check_number, check_whole
from caesura.errors import ParameterError
from caesura.values.segmentation import Segmentation
from caesura.wording import short

Method: TypeAlias = Literal["greedy", "optimal"]

Weighting: TypeAlias = Literal["scaled", "equation", "constant"]

CostTable: TypeAlias = Mapping[tuple[int, int], float] | tuple[tuple[tuple[int, int], float], ...]
"""Costs of pairs of types, as a mapping or as its hashable items."""

METHODS: tuple[Method, ...] = ("greedy", "optimal")

WEIGHTINGS: tuple[Weighting, ...] = ("scaled", "equation", "constant")


MAX_SCALE = 2**31
"""Beyond this scale the weights of very many edits might not fit 64-bit integers."""


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
    table ``{(x, y): cost}`` with costs from 0 to 1, in which (x, y) also stands for (y, x). With ``types=()``
    boundaries are compared without their types.
    """

    n_t: int = N_T
    transposition: Weighting = "scaled"
    substitution: Weighting | tuple[tuple[tuple[int, int], float], ...] = "scaled"
    w0: float = 0.0
    types: tuple[int, ...] | None = None

    @property
    def ignores_types(self) -> bool:
        """Whether boundaries are compared without their types."""
        return self.types == ()

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
        if q * widest >= MAX_SCALE and isinstance(n, np.ndarray) and isinstance(span, np.ndarray):
            n, span = n.astype(object), span.astype(object)
        return n * p * widest + span * q, q * widest

    def of_substitution(self, x: int, y: int, type_range: int) -> Fraction:
        """Weight of one substitution."""
        if self.cost_table is not None:
            try:
                return self.cost_table[x, y]
            except KeyError:
                raise ParameterError(f"the substitution costs lack the pair ({x}, {y})") from None
        return Fraction(*self.of_substitutions(1, abs(x - y), type_range))

    def of_substitutions(
        self, n: Counted, difference: Counted, type_range: Counted
    ) -> tuple[Counted, Counted]:
        """Total weight of n substitutions of types that differ by ``difference`` in all.

        Returns numerator and denominator, or arrays of them for many pairs; not for nominal types with a
        table of costs. The range of types is at least 1, as that of two types to exchange is.
        """
        if self.substitution == "scaled":
            return difference, type_range + 1
        if self.substitution == "constant":
            return n, 0 * n + 1
        p, q = self._base.numerator, self._base.denominator
        if isinstance(type_range, np.ndarray) and q * int(type_range.max(initial=1)) >= MAX_SCALE:
            n, difference, type_range = (np.asarray(each, object) for each in (n, difference, type_range))
        return n * p * type_range + difference * q, q * type_range

    def check_declared(self, occurring: set[int]) -> None:
        """Raise ParameterError for a type that is not among the declared ones, if there are any."""
        undeclared = occurring - set(self.types or occurring)
        if undeclared:
            raise ParameterError(f"type {min(undeclared)} is not among the declared types {self.types}")

    def type_range(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Largest minus least of the declared types, or else of those that occur in the pair."""
        occurring = {*reference.types, *hypothesis.types}
        if self.types is not None:
            self.check_declared(occurring)
            occurring = set(self.types)
        return max(occurring) - min(occurring) if occurring else 0

    def n_types(self, reference: Segmentation, hypothesis: Segmentation) -> int:
        """Number of declared types, or else of those that occur in the pair (at least 1)."""
        if self.types is not None:
            return len(self.types) or 1
        return len({*reference.types, *hypothesis.types}) or 1


def make_weights(
    n_t: int,
    transposition: Weighting,
    substitution: Weighting | CostTable,
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
            costs[x, y] = float(check_number(f"{name} of ({x}, {y})", cost, 0.0, 1.0))
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(fault) from None
    return tuple(sorted(costs.items()))


def check_types(name: str, value: Any, *, is_pair: bool = False) -> tuple[int, ...] | None:
    """Return declared types, ascending and each once, () for none at all; a pair of types stays as it is."""
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
