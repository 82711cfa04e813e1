"""Sums under names, such as the boundaries of a coder of a type: what streams add up, name by name."""

from __future__ import annotations

import json
from typing import Any

from caesura.analyses.evaluation.counting import Sums
from caesura.analyses.evaluation.results import Size
from caesura.stats.exact import Tally


def name_of(*parts: str | int) -> str:
    """Return the name of a sum.

    >>> name_of("marks", "ann", 1)
    '["marks", "ann", 1]'
    """
    return json.dumps(parts)


def parts_of(name: str) -> tuple[Any, ...]:
    """Return what a name is made of.

    >>> parts_of(name_of("marks", "ann", 1))
    ('marks', 'ann', 1)
    """
    return tuple(json.loads(name))


def kind_of(name: str) -> str:
    """Return the first part of a name, a word without quotes; it is asked for often.

    >>> kind_of(name_of("marks", "ann", 1))
    'marks'
    """
    return name[2:].partition('"')[0]


def sum_of(tally: Tally) -> Sums:
    """Return one tally as sums."""
    return Sums(Size(0, 0, 0), (tally,))
