"""Sums under names, such as the boundaries of a coder of a type: what parts of a corpus add up, name by name.

A name is of what is counted, never of a document, so that there are few, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura.checks import Seed, as_generator
from caesura.sums.tallies import Tally

Name: TypeAlias = tuple[str | int, ...]
"""What is counted, such as ("marks", "ann", 1)."""

Sums: TypeAlias = Mapping[Name, Tally]


def added(first: Sums, second: Sums) -> dict[Name, Tally]:
    """Return the sums of two parts together: exact, and the same in any order.

    >>> both = added({("units",): Tally((3,))}, {("units",): Tally((4,)), ("pairs",): Tally((1,))})
    >>> {name: tally.counts for name, tally in both.items()}
    {('units',): (7,), ('pairs',): (1,)}
    """
    total = dict(first)
    for name, tally in second.items():
        total[name] = total[name] + tally if name in total else tally
    return total


class Size(NamedTuple):
    """How much was judged."""

    documents: int
    units: int
    codings: int
    """Codings of references, which each segmenter was compared with."""


def seed_of(rng: Seed) -> int:
    """Return the seed of the Poisson bootstrap: 64 bits from a number, however large, or from a generator."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(as_generator(rng).integers(2**64, dtype=np.uint64))
    return int(np.random.SeedSequence(int(rng)).generate_state(1, np.uint64)[0])
