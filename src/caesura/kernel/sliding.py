"""The window that slides over two segmentations, in runs of windows that hold as many boundaries."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.arrays import IntArray

PLAIN, PADDED, WRAP = 0, 1, 2  # how windows treat the document's edges (see ``window_runs``)


def first_and_last(n_units: int, k: int, edges: int) -> tuple[int, int]:
    """Return the first and the last window: PLAIN 0 .. n-k-1, PADDED -k .. n-1, WRAP 0 .. n-1."""
    if edges == PADDED:
        return -k, n_units - 1
    return 0, n_units - 1 if edges == WRAP else n_units - k - 1


def window_runs(
    reference: IntArray, hypothesis: IntArray, n_units: int, k: int, edges: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield each run of windows as (first window, number of windows, r, h), in order and without gaps.

    Window i covers positions i+1 .. i+k and holds r and h boundaries. PADDED windows reach over both ends
    (Lamprier et al. 2007); in WRAP positions are taken modulo n_units (Carroll 2010).
    """
    ref, hyp = reference.tolist(), hypothesis.tolist()
    window, last = first_and_last(n_units, k, edges)
    if edges == WRAP:
        ref += [p + n_units for p in ref if p < k]
        hyp += [p + n_units for p in hyp if p < k]
    # A boundary at p is inside windows p-k .. p-1: it enters at p-k and leaves at p.
    changes = [(p - k, 1, 0) for p in ref] + [(p, -1, 0) for p in ref]
    changes += [(p - k, 0, 1) for p in hyp] + [(p, 0, -1) for p in hyp]
    changes.sort()
    r = h = 0
    for start, r_change, h_change in [*changes, (last + 1, 0, 0)]:
        run = min(start, last + 1) - window
        if run > 0:
            yield window, run, r, h
            window += run
        r += r_change
        h += h_change
