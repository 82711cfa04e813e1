"""C99 as one writes it down with NumPy from Choi (2000), cell by cell: what ours is measured against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.segmenters.text import WORDS

TIE = 1e-12
"""Share by which a density must exceed another to be greater."""


def plain_c99(texts: Sequence[str], n_segments: int, mask: int = 11) -> list[int]:
    """Return the positions of the boundaries."""
    sums = summed(ranked(cosines(counts(texts)), mask))
    segments = [(0, len(texts))]
    while len(segments) < n_segments:
        segments = divided(sums, segments)
    return [end for _, end in segments[:-1]]


def counts(texts: Sequence[str]) -> np.ndarray:
    """Return how often each term is in each text."""
    terms = [WORDS["choi"](text) for text in texts]
    columns = {term: column for column, term in enumerate(dict.fromkeys(t for one in terms for t in one))}
    found = np.zeros((len(texts), max(len(columns), 1)))
    for row, one in zip(found, terms, strict=True):
        for term in one:
            row[columns[term]] += 1
    return found


def cosines(rows: np.ndarray) -> np.ndarray:
    """Return the squared cosines, in which equal cosines are equal to the last bit."""
    squares = (rows**2).sum(axis=1)
    norms = np.outer(squares, squares)
    return np.divide((rows @ rows.T) ** 2, norms, out=np.zeros_like(norms), where=norms > 0)


def ranked(similarities: np.ndarray, mask: int) -> np.ndarray:
    """Return the share of each cell's neighbors that are smaller."""
    n, reach = len(similarities), mask // 2
    ranks = np.zeros((n, n))
    for row in range(n):
        for column in range(n):
            near = similarities[
                max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1
            ]
            ranks[row, column] = (near < similarities[row, column]).sum() / max(near.size - 1, 1)
    return ranks


def summed(ranks: np.ndarray) -> np.ndarray:
    """Return the sum of all ranks inside each segment, from start to end."""
    area = np.zeros((len(ranks) + 1, len(ranks) + 1))
    area[1:, 1:] = ranks.cumsum(axis=0).cumsum(axis=1)
    diagonal = np.diag(area)
    return diagonal[None, :] - area - area.T + diagonal[:, None]


def divided(sums: np.ndarray, segments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the segments after one more split, the one that makes the document densest."""
    inside = sum(sums[start, end] for start, end in segments)
    cells = sum((end - start) ** 2 for start, end in segments)
    best, chosen, cut = -1.0, 0, 0
    for index in reversed(range(len(segments))):
        start, end = segments[index]
        if end - start < 2:
            continue
        middle = densest(sums, start, end)
        gained = sums[start, middle] + sums[middle, end] - sums[start, end]
        area = (middle - start) ** 2 + (end - middle) ** 2 - (end - start) ** 2
        density = (inside + gained) / (cells + area)
        if density > best * (1 + TIE):
            best, chosen, cut = density, index, middle
    start, end = segments[chosen]
    return [*segments[:chosen], (start, cut), (cut, end), *segments[chosen + 1 :]]


def densest(sums: np.ndarray, start: int, end: int) -> int:
    """Return the split that makes a segment densest, of equal ones the last."""
    best, middle = -1.0, start + 1
    for cut in range(end - 1, start, -1):
        density = (sums[start, cut] + sums[cut, end]) / ((cut - start) ** 2 + (end - cut) ** 2)
        if density > best * (1 + TIE):
            best, middle = density, cut
    return middle
