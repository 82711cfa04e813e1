"""Errors over words, written from the definitions of those who published them (SPEC §13)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def _segment_of_word(masses: Sequence[int], n_words: Sequence[int]) -> np.ndarray:
    return np.repeat(np.repeat(np.arange(len(masses)), masses), n_words)


def choi_pk(reference: Sequence[int], hypothesis: Sequence[int], n_words: Sequence[int]) -> float:
    """Choi's Pk: two words k apart, k half the mean reference segment, halves rounded up."""
    ours, theirs = (_segment_of_word(masses, n_words) for masses in (reference, hypothesis))
    k = int(len(ours) / (2 * len(reference)) + 0.5)
    return float(np.mean((ours[k:] == ours[:-k]) != (theirs[k:] == theirs[:-k])))


def mit_errors(
    reference: Sequence[int], hypothesis: Sequence[int], n_words: Sequence[int]
) -> tuple[float, float]:
    """MIT's Pk and WindowDiff: k = words // (2 segments), windows of the words [i, i + k].

    A boundary belongs to the first word of its segment.
    """
    n, k = sum(n_words), sum(n_words) // (2 * len(reference))
    inside = []
    for masses in (reference, hypothesis):
        segment = _segment_of_word(masses, n_words)
        up_to = np.concatenate(([0], np.cumsum(np.diff(segment, prepend=0))))
        first = np.arange(n - k)
        inside.append(up_to[first + k + 1] - up_to[first])
    return float(np.mean((inside[0] > 0) != (inside[1] > 0))), float(np.mean(inside[0] != inside[1]))
