"""Notes of a table, whose kind decides where and how they are shown.

A finding says what the numbers show. A caveat says what they do not show, or when to distrust them. A reading
note explains rows and columns. A signature records how the numbers were made, ``B|n_t=2|…|caesura 1.0.0``. It
is never wrapped, so that users can copy it. Readers see the parts that differ from the defaults; files and
JSON have all parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from caesura.declaration import default_settings

SEPARATOR = "|"

EVERYWHERE = {
    *("average=micro", "coefficient=pi", "chance=boundaries", "resamples=9999,seed=0", "draws=100"),
    *("interval=bootstrap,0.95,999,seed=0", "confidence=0.95", "alpha=0.05", "power=0.8"),
}
"""Defaults of every analysis."""

_USUAL: dict[str, frozenset[str]] = {
    "describe": frozenset({"n_t=2", "method=greedy", "SD=population", "k=auto"}),
    "support": frozenset({"k=auto", "rounding=half-even", "k_min=2"}),
}


def short_signature(text: str) -> str:
    """Return a signature without its default parts.

    >>> short_signature("describe|n_t=3|method=greedy|SD=population|k=auto|caesura 1.0.0")
    'describe|n_t=3|caesura 1.0.0'
    """
    name, *parts = text.split(SEPARATOR)
    usual = _USUAL.get(name) or frozenset(default_settings(name).split(SEPARATOR)[1:])
    return SEPARATOR.join([name, *(part for part in parts if part not in usual | EVERYWHERE)])


def folded(signatures: Iterable[str]) -> str:
    """Return signatures as one line that writes equal parts once.

    >>> folded(["B|pairs=6|caesura 1.0.0", "WD|pairs=6|caesura 1.0.0", "S|pairs=9|caesura 1.0.0"])
    'B, WD|pairs=6|caesura 1.0.0  S|pairs=9|caesura 1.0.0'
    """
    names: dict[str, list[str]] = {}
    for name, bar, parts in (text.partition(SEPARATOR) for text in signatures):
        names.setdefault(bar + parts, []).append(name)
    return "  ".join(f"{', '.join(alike)}{parts}" for parts, alike in names.items())


def unfolded(text: str) -> list[str]:
    """Return the signatures of a folded line; return other text unchanged.

    >>> unfolded("B, WD|pairs=6|caesura 1.0.0"), unfolded("F(tolerance=1)")
    (['B|pairs=6|caesura 1.0.0', 'WD|pairs=6|caesura 1.0.0'], ['F(tolerance=1)'])
    """
    if f"{SEPARATOR}caesura " not in text:
        return [text]
    lines = (line.partition(SEPARATOR) for line in text.split("  "))
    return [name + bar + parts for names, bar, parts in lines for name in names.split(", ")]


def seed_part(seed: int | None) -> str:
    """Return the seed of resamples as a part of a signature.

    >>> seed_part(7), seed_part(None)
    (',seed=7', '')
    """
    return "" if seed is None else f",seed={seed}"


Kind: TypeAlias = Literal["finding", "caveat", "reading", "signature"]

KINDS: tuple[Kind, ...] = ("finding", "reading", "caveat", "signature")
"""The kinds in the order of notes below a table."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note, made by ``finding``, ``caveat``, ``reading`` or ``signature``."""

    kind: Kind
    text: str

    @property
    def short(self) -> str:
        """The text, of a signature only the parts that differ from the defaults."""
        return short_signature(self.text) if self.kind == "signature" else self.text

    def to_dict(self) -> dict[str, str]:
        """Return kind and text, signatures in full, as plain data."""
        return {"kind": self.kind, "text": self.text}


finding = partial(Note, "finding")
"""Make a note on what the numbers show."""

caveat = partial(Note, "caveat")
"""Make a note on what the numbers do not show, or when to distrust them."""

reading = partial(Note, "reading")
"""Make a note on rows and columns, or on where to see more."""

signature = partial(Note, "signature")
"""Make a note on how the numbers were made."""


def in_order(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes sorted by kind; text without a kind is refused.

    >>> [note.text for note in in_order([signature("B|n_t=2"), reading("similarity"), finding("b is best")])]
    ['b is best', 'similarity', 'B|n_t=2']
    """
    given = tuple(notes)
    for note in given:
        if not isinstance(note, Note):
            fix = "use finding(text), caveat(text), reading(text) or signature(text)"
            raise TypeError(f"a note is {note!r:.60}: {fix}")
    return tuple(sorted(given, key=lambda note: KINDS.index(note.kind)))
