"""Facts: the published numbers, with their source, settings and tolerance.

Papers: F13 Fournier (2013), ACL; F13t Fournier (2013), the thesis; KS12 Kazantseva & Szpakowicz (2012); PH02
Pevzner & Hearst (2002); C10 Carroll (2010).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

PAPERS = ("F13", "F13t", "KS12", "PH02", "C10")

SEED = 2013
"""Seed of the simulated figures."""


@dataclass(frozen=True)
class Fact:
    """One published value, or several that stand in one row of a table."""

    id: str
    source: str
    quantity: str
    input: Any
    published: Any
    tolerance: float
    config: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.split()[0]

    @property
    def values(self) -> tuple[float, ...]:
        """The published values."""
        return tuple(self.published) if isinstance(self.published, list) else (self.published,)


def load_facts() -> list[Fact]:
    """Return all published facts.

    >>> len(load_facts())
    162
    """
    from importlib.resources import files  # slow to import

    text = files("caesura.papers").joinpath("facts.json").read_text(encoding="utf-8")
    return [Fact(**entry) for entry in json.loads(text)]
