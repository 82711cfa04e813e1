"""Codings of whole corpora on other units: every boundary placed anew, and the account of what moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.values.columns import Columns
from caesura.values.units import Rule, Units
from caesura.wording import counted


@dataclass(frozen=True, eq=False)
class Moves:
    """What happened to the boundaries of each document when they were put on other units."""

    axis: str
    documents: tuple[str, ...]
    boundaries: IntArray
    moved: IntArray
    total_move: FloatArray
    largest_move: FloatArray
    merged: IntArray
    at_edge: IntArray

    @property
    def is_exact(self) -> bool:
        """Whether every boundary stands where it stood."""
        return not (self.moved.any() or self.merged.any() or self.at_edge.any())

    def __str__(self) -> str:
        return self._said(np.arange(len(self.documents)))

    def by_document(self) -> tuple[str, ...]:
        """Return a sentence on each document in which anything moved."""
        changed = np.flatnonzero((self.moved > 0) | (self.merged > 0) | (self.at_edge > 0))
        return tuple(f"document {self.documents[i]}: {self._said(np.array([i]))}" for i in changed.tolist())

    def _said(self, chosen: IntArray) -> str:
        n, moved = int(self.boundaries[chosen].sum()), int(self.moved[chosen].sum())
        said = f"{moved:,} of {counted(n, 'boundary', 'boundaries')} moved to other units"
        if moved:
            mean = float(self.total_move[chosen].sum()) / moved
            said += f" (by {mean:.3g} {self.axis} on average, at most {self.largest_move[chosen].max():.3g})"
        if merged := int(self.merged[chosen].sum()):
            said += f", {merged:,} met another one at their place"
        if at_edge := int(self.at_edge[chosen].sum()):
            said += f", {at_edge:,} fell on an end of the document and {'is' if at_edge == 1 else 'are'} none"
        return said


def project_columns(
    codings: Columns,
    starts: IntArray,
    source: Sequence[Units],
    target: Sequence[Units],
    names: Sequence[str],
    rule: Rule,
    *,
    ranks: bool,
) -> tuple[Columns, Moves]:
    """Put the codings of each document (``starts``: where they begin) from its units onto others.

    Where boundaries of several ranks meet, the most prominent stays.
    """
    positions = np.empty(len(codings.positions), dtype=np.int64)
    moves = np.zeros(len(codings.positions))
    bounds = codings.offsets[starts]
    for number, (start, end) in enumerate(pairwise(bounds.tolist())):
        low, high = source[number].between(codings.positions[start:end])
        positions[start:end], moves[start:end] = target[number].find(low, high, rule)
    lengths = np.array([len(units) for units in target], dtype=np.int64)
    n_units = np.repeat(lengths, np.diff(starts))
    document = np.repeat(np.arange(len(names)), np.diff(bounds))
    is_inside = (positions > 0) & (positions < lengths[document])
    coding, kinds = codings.coding[is_inside], codings.all_types[is_inside]
    kept, owner, distance = positions[is_inside], document[is_inside], moves[is_inside]
    # Boundaries keep their order; only the types of those that meet may have to be put in order.
    order = np.arange(len(kept)) if codings.types is None else np.lexsort((kinds, kept, coding))
    is_new = np.ones(len(order), dtype=bool)
    same = (np.diff(coding[order]) == 0) & (np.diff(kept[order]) == 0)
    is_new[1:] = ~(same if ranks else same & (np.diff(kinds[order]) == 0))
    chosen = order[is_new]
    offsets = np.searchsorted(coding[chosen], np.arange(len(codings) + 1))
    types = None if codings.types is None else kinds[chosen]
    projected = Columns(n_units, offsets.astype(np.int64), kept[chosen], types)

    def per_document(which: IntArray) -> IntArray:
        return np.bincount(which, minlength=len(names)).astype(np.int64)

    moved = distance > 0
    largest = np.zeros(len(names))
    np.maximum.at(largest, owner, distance)
    return projected, Moves(
        target[0].axis if target else "count",
        tuple(names),
        per_document(document),
        per_document(owner[moved]),
        np.bincount(owner, weights=distance, minlength=len(names)).astype(np.float64),
        largest,
        per_document(owner[order[~is_new]]),
        per_document(document[~is_inside]),
    )
