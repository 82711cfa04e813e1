"""TypeScheme: the boundary types of a coding scheme, by number and name, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.errors import CorpusError, SegmentationError
from caesura.values.columns import Columns
from caesura.wording import short


@dataclass(frozen=True)
class TypeScheme:
    """The boundary types of a coding scheme: names by number, and whether their order matters.

    >>> TypeScheme.of_ranks([1, 2])
    TypeScheme(names={1: 'level 1', 2: 'level 2'}, nominal=False, ranks=True)
    """

    names: Mapping[int, str]
    nominal: bool = False
    """Whether the order of the numbers is meaningless."""
    ranks: bool = False
    """Whether the numbers are the ranks of a hierarchy, 1 the most prominent."""

    def __post_init__(self) -> None:
        if self.ranks and self.nominal:
            raise CorpusError("a type scheme of ranks cannot be nominal; ranks are ordered")
        if self.ranks and not self.names:  # hierarchies without boundaries have one level
            object.__setattr__(self, "names", {1: "level 1"})
        if self.ranks and min(self.names) < 1:
            raise CorpusError(f"a type scheme of ranks has {min(self.names)}; ranks start from 1")

    @classmethod
    def of_ranks(cls, ranks: Iterable[int]) -> TypeScheme:
        """Return the scheme of hierarchies with these ranks."""
        return cls({rank: f"level {rank}" for rank in sorted(set(ranks))}, ranks=True)

    @classmethod
    def from_dict(cls, value: Any) -> TypeScheme:
        """Read the result of ``to_dict``, also from JSON.

        >>> TypeScheme.from_dict({"names": {"1": "minor"}, "nominal": False}).names
        {1: 'minor'}
        """
        given = value if isinstance(value, dict) else {}
        names, nominal, ranks = given.get("names"), given.get("nominal", False), given.get("ranks", False)
        if not isinstance(names, dict) or not isinstance(nominal, bool) or not isinstance(ranks, bool):
            expected = '{"names": {"1": name}, "nominal": false}'
            raise CorpusError(f"type_scheme is {short(value)}: expected {expected}")
        numbered = {}
        for number, name in names.items():
            if not (number.isascii() and number.removeprefix("-").isdigit() and len(number) < 19):
                raise CorpusError(f"type_scheme: the type {short(number)} is not a whole number")
            if not isinstance(name, str):
                raise CorpusError(f"type_scheme: the name of type {number} is {short(name)}: expected text")
            numbered[int(number)] = name
        return cls(numbered, nominal, ranks)

    def to_dict(self) -> dict[str, Any]:
        """Return the scheme as plain data for JSON."""
        names = {str(number): name for number, name in self.names.items()}
        return {"names": names, "nominal": self.nominal, **({"ranks": True} if self.ranks else {})}

    @property
    def types(self) -> tuple[int, ...]:
        """The type numbers, ascending."""
        return tuple(sorted(self.names))


def name_of_type(scheme: TypeScheme | None, kind: int) -> str:
    """Return the name of a type: from the scheme, otherwise its number."""
    return str(kind) if scheme is None else scheme.names.get(kind, str(kind))


def unite_schemes(first: TypeScheme | None, second: TypeScheme | None) -> TypeScheme | None:
    """Return the scheme of two corpora together; hierarchies may differ in depth.

    >>> unite_schemes(TypeScheme.of_ranks([1]), TypeScheme.of_ranks([1, 2])).types
    (1, 2)
    """
    if first is None or second is None or first == second:
        return first or second
    names = {**first.names, **second.names}
    same_names = all(names[kind] == name for kind, name in first.names.items())
    if first.ranks and second.ranks and same_names:
        return TypeScheme(names, ranks=True)
    raise CorpusError("the boundary types are declared differently in another part of the data")


def check_types(codings: Columns, scheme: TypeScheme, name: Callable[[int], str]) -> None:
    """Raise CorpusError for undeclared types, and for two ranks at one position."""
    undeclared = set(codings.kinds) - set(scheme.names)
    if undeclared:
        is_wrong = np.isin(codings.all_types, list(undeclared))
        row = int(codings.coding[np.argmax(is_wrong)])
        kind = int(codings.all_types[is_wrong & (codings.coding == row)].min())
        declared = ", ".join(map(str, scheme.types))
        raise CorpusError(f"{name(row)}: type {kind} is not among the declared types {declared}")
    if scheme.ranks and codings.types is not None:
        twice = np.flatnonzero((np.diff(codings.positions) == 0) & (np.diff(codings.coding) == 0))
        if len(twice):
            first = int(twice[0])
            where = f"{name(int(codings.coding[first]))}: position {codings.positions[first]}"
            raise CorpusError(f"{where} has two ranks; keep the most prominent")


def ranked(codings: Columns, name: Callable[[int], str]) -> Columns:
    """Return codings whose types are read as ranks: the most prominent at each position."""
    if codings.types is not None and bool((codings.types < 1).any()):
        row = int(codings.coding[np.argmax(codings.types < 1)])
        raise SegmentationError(f"{name(row)}: a type below 1 is not a rank; ranks start from 1")
    return codings.first_types()
