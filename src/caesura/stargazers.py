"""The built-in example: seven readers' segmentations of the article "Stargazers"."""

from __future__ import annotations

from caesura.values.corpus import Corpus

STARGAZERS: dict[str, tuple[int, ...]] = {
    "1": (2, 3, 3, 1, 3, 6, 3),
    "2": (2, 8, 2, 4, 2, 3),
    "3": (2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1),
    "4": (2, 1, 4, 1, 1, 3, 1, 4, 3, 1),
    "5": (3, 2, 4, 3, 5, 4),
    "6": (2, 3, 4, 2, 2, 5, 3),
    "7": (2, 3, 2, 2, 3, 1, 3, 2, 3),
}
"""Masses in paragraphs (21 in all) by reader; Hearst (1997), TextTiling, Computational Linguistics 23."""


def load_stargazers() -> Corpus:
    """Return seven readers' topic boundaries between the 21 paragraphs of one article (Hearst 1997).

    >>> load_stargazers()
    <Corpus of 1 document, 7 coders, 7 codings>
    """
    return Corpus.from_dict({"stargazers": STARGAZERS}, metadata={"source": "Hearst (1997)"})
