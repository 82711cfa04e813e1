"""A study that is played through in a browser: what three coders mark, what is decided, what comes of it.

Source of truth: boundary similarity and π* written out by hand for marks of which each has at most one
near neighbor (F13; F13t §4.2), in fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path

TEXTS = {
    "walk": [f"Sentence {i} of the walk says something about the weather." for i in range(1, 13)],
    "house": [f"Sentence {i} of the house." for i in range(1, 9)],
    "sea": [f"Sentence {i} of the sea goes on for a while, as the sea does." for i in range(1, 16)],
}
CODINGS = {
    "ann": {"walk": [3, 7], "house": [4], "sea": [5, 10]},
    "bob": {"walk": [3, 8], "house": [], "sea": [5, 9, 12]},
    "cy": {"walk": [2, 7, 10], "house": [4, 6], "sea": [5]},
}
QUESTIONS = {
    ("walk", "After 2 or after 3?"), ("walk", "After 7 or after 8?"), ("walk", "A boundary after 10?"),
    ("house", "A boundary after 4?"), ("house", "A boundary after 6?"),
    ("sea", "After 9 or after 10?"), ("sea", "A boundary after 12?"),
}  # fmt: skip
"""Each contested place, near misses as one question; all agree on 5 in sea."""

GOLD = {"walk": [3, 8], "house": [6], "sea": [5, 10]}
"""3 accepted, 7 moved to 8, 10 and 4 rejected, 6 pressed, 10 chosen, and accepted that 12 is none."""

DECISIONS = {
    "walk": {2: "accepted", 7: "chosen", 10: "accepted"},
    "house": {4: "none", 6: "chosen"},
    "sea": {5: "unanimous", 9: "chosen", 12: "accepted"},
}


def write_texts(folder: Path) -> Path:
    """Write the texts, one unit per line."""
    folder.mkdir()
    for name, units in TEXTS.items():
        (folder / f"{name}.txt").write_text("\n".join(units) + "\n", encoding="utf-8")
    return folder


def similar_and_compared(one: list[int], other: list[int]) -> tuple[Fraction, Fraction]:
    """Numerator and denominator of B with n_t = 2: a near miss counts for a half."""
    matches = set(one) & set(other)
    left, right = set(one) - matches, set(other) - matches
    near = [(a, b) for a in left for b in right if abs(a - b) == 1]
    assert len({a for a, _ in near}) == len({b for _, b in near}) == len(near)
    edits = len(near) + len(left) + len(right) - 2 * len(near)
    return len(matches) + Fraction(len(near), 2), Fraction(len(matches) + edits)


def similarity(one: dict[str, list[int]], other: dict[str, list[int]]) -> Fraction:
    """B over all documents, micro-averaged."""
    parts = [similar_and_compared(one[name], other[name]) for name in TEXTS]
    return sum(similar for similar, _ in parts) / sum(compared for _, compared in parts)


def observed() -> Fraction:
    parts = [
        similar_and_compared(CODINGS[one][name], CODINGS[other][name])
        for one, other in combinations(CODINGS, 2)
        for name in TEXTS
    ]
    return sum(similar for similar, _ in parts) / sum(compared for _, compared in parts)


def agreement() -> Fraction:
    """π*: observed B, corrected by the chance that two coders mark the same position."""
    positions = sum(len(units) - 1 for units in TEXTS.values())
    marks = sum(len(found) for coded in CODINGS.values() for found in coded.values())
    chance = Fraction(marks, len(CODINGS) * positions) ** 2
    return (observed() - chance) / (1 - chance)
