"""Notes below a table: what kind each is decides where and how it is shown, not what its words look like.

A finding says what the numbers show, a caveat what they do not show or when to distrust them, a reading
note what the rows and columns are or where to see more, and a signature how the numbers were made: the line
that is copied into a paper, so it is never wrapped. A signature is a name and its parts,
``B|n_t=2|…|caesura 1.0.0``. A reader sees what differs from the defaults, files and JSON have everything:
defaults are asked of what declares them; name and version say which they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from caesura.declaration import default_settings

SEPARATOR = "|"

EVERYWHERE = frozenset(
    {
        *("average=micro", "coefficient=pi", "chance=boundaries", "resamples=9999", "draws=100"),
        *("confidence=0.95", "alpha=0.05", "power=0.8"),
    }
)
"""What every analysis does unless something else is asked for."""

_USUAL: dict[str, frozenset[str]] = {
    "describe": frozenset({"n_t=2", "method=greedy", "SD=population", "k=auto"}),
    "support": frozenset({"k=auto", "rounding=half-even", "k_min=2"}),
}


def short_signature(text: str) -> str:
    """Return a signature without the parts that are usual.

    >>> short_signature("describe|n_t=3|method=greedy|SD=population|k=auto|caesura 1.0.0")
    'describe|n_t=3|caesura 1.0.0'
    """
    name, *parts = text.split(SEPARATOR)
    usual = _USUAL.get(name) or frozenset(default_settings(name).split(SEPARATOR)[1:])
    return SEPARATOR.join([name, *(part for part in parts if part not in usual | EVERYWHERE)])


def seed_part(seed: int | None) -> str:
    """Return what a signature says of the seed behind resamples, after their number.

    >>> seed_part(7), seed_part(None)
    (',seed=7', '')
    """
    return "" if seed is None else f",seed={seed}"


Kind: TypeAlias = Literal["finding", "caveat", "reading", "signature"]

KINDS: tuple[Kind, ...] = ("finding", "reading", "caveat", "signature")
"""The kinds in the order in which they stand below a table."""


@dataclass(frozen=True, slots=True)
class Note:
    """One note, made by ``finding``, ``caveat``, ``reading`` or ``signature``."""

    kind: Kind
    text: str

    @property
    def short(self) -> str:
        """What a reader sees: of a signature only what differs from the defaults."""
        return short_signature(self.text) if self.kind == "signature" else self.text

    def to_dict(self) -> dict[str, str]:
        """Return kind and text, signatures in full, as plain data."""
        return {"kind": self.kind, "text": self.text}


def finding(text: str) -> Note:
    """Return what the numbers show, in words."""
    return Note("finding", text)


def caveat(text: str) -> Note:
    """Return what the numbers do not show, or when to distrust them."""
    return Note("caveat", text)


def reading(text: str) -> Note:
    """Return what the rows and columns are, or where to see more."""
    return Note("reading", text)


def signature(text: str) -> Note:
    """Return how the numbers were made: a signature."""
    return Note("signature", text)


def in_order(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes by kind, in the given order inside a kind; text without a kind is refused.

    >>> [note.text for note in in_order([signature("B|n_t=2"), reading("similarity"), finding("b is best")])]
    ['b is best', 'similarity', 'B|n_t=2']
    """
    given = tuple(notes)
    for note in given:
        if not isinstance(note, Note):
            raise TypeError(
                f"a note is {note!r:.60}: say its kind by finding(text), caveat(text), reading(text) or "
                "signature(text) of caesura.results.notes"
            )
    return tuple(sorted(given, key=lambda note: KINDS.index(note.kind)))
