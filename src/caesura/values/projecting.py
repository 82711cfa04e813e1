"""Projection of corpora onto other units: the new units, new positions of boundaries, and what moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import FloatArray, IntArray, bincount, repeat
from caesura.checks import seconds_of
from caesura.errors import CorpusError, ParameterError, SegmentationError
from caesura.values.columns import Columns
from caesura.values.forms import in_document, short_name
from caesura.values.making import CorpusColumns
from caesura.values.unit_columns import TextColumns
from caesura.values.units import BY, Rule, Units
from caesura.wording import counted, short

BLOCK = 2**16  # boundaries that are placed at a time, unless one document has more


class Places(Protocol):
    """Offsets of boundaries. ``Units`` implements it."""

    def between(self, positions: IntArray, /) -> tuple[FloatArray, FloatArray]: ...


Target: TypeAlias = CorpusColumns | Mapping[str, Units] | str
"""The units to project onto: those of other documents, units by document, or a rule for new units."""


def can_all_go(corpus: CorpusColumns, target: Target) -> bool:
    """Return whether documents without codings can be projected, too."""
    spans, units = corpus.spans, corpus.units
    if isinstance(target, str):
        return all(name in spans or (target in BY and name in units) for name in corpus.documents)
    if isinstance(target, Mapping):
        return all(name in spans and name in target for name in corpus.documents)
    return False  # documents that the target lacks may lack codings


def source_and_target(corpus: CorpusColumns, target: Target) -> Iterator[tuple[Units, Units]]:
    """Yield the units of each document, and those onto which its codings are projected."""
    if not isinstance(target, (str, Mapping, CorpusColumns)):
        raise ParameterError(f"units are {short(target)}: expected a corpus, units, '1s' or 'sentence'")
    spans, units = corpus.spans, corpus.units
    for document in corpus.documents:
        own = spans.get(document)
        if isinstance(target, str):
            (own,), wanted = make_units(document, [own], [units.get(document)], target)
        elif own is None:
            raise _unknown(document, "other units")
        else:
            wanted = _units_of(document, own, target)
        yield own, wanted


def _units_of(document: str, own: Units, target: CorpusColumns | Mapping[str, Units]) -> Units:
    """Return the target's units of a document."""
    name = f"document {short_name(document)}"
    spans = target if isinstance(target, Mapping) else target.spans
    if document in spans:
        return spans[document]
    if isinstance(target, Mapping) or document not in target.document_numbers:
        raise CorpusError(f"{name}: the target has no units of it")
    if document in target.units and own.text is not None:
        try:
            return Units.located(target.units[document], own.text)
        except SegmentationError as error:
            raise CorpusError(f"{name}: {error}") from None
    raise CorpusError(f"{name}: the target's units have no offsets, and no running text is stored")


def make_units(
    document: str, spans: Sequence[Units | None], texts: Sequence[Sequence[str] | None], target: str
) -> tuple[list[Units], Units]:
    """Return the units of a document in each corpus, and new units for all corpora.

    A grid in time reaches from the earliest start to the latest end. Otherwise the running text of one of the
    corpora is split. Units with texts but without offsets are located in it, and the new units keep
    all of their boundaries.
    """
    name = f"document {short_name(document)}"
    known = [units for units in spans if units is not None]
    if target not in BY:
        step = seconds_of("target", target)
        if len(known) < len(spans):
            raise _unknown(document, f"units of {target}")
        for units in known:
            if units.axis != "seconds":
                raise CorpusError(f"{name}: its axis is {units.axis}; a grid of {target} needs seconds")
        start, end = min(units.origin for units in known), max(units.end for units in known)
        return known, Units.every(step, end, start=min(start, end))
    if any(units is None and own is None for units, own in zip(spans, texts, strict=True)):
        raise _unknown(document, f"units of {target}")
    whole = next((units for units in known if units.text is not None), None)
    if known and whole is None:
        raise CorpusError(f"{name}: no running text is stored, so it cannot be split by {target}")
    try:
        joined = None if known else texts[0]  # written one below the other
        running = whole or Units.joined(joined or ())
        text = str(running.text)
        placed = [
            units or (running if own == joined else Units.located(own or (), text))
            for units, own in zip(spans, texts, strict=True)
        ]
        if len(known) == len(spans):
            return placed, Units.from_text(text, by=target)
        first, *more = [own for units, own in zip(spans, placed, strict=True) if units is None]
        return placed, first.divided(target, also=more)
    except SegmentationError as error:
        raise CorpusError(f"{name}: {error}") from None


def _unknown(document: str, target: str) -> CorpusError:
    fault = f"its units have no offsets on an axis, so they cannot be put on {target}"
    return in_document(document, f"{fault}; add offsets with with_spans()")


def texts_on(corpus: CorpusColumns, wanted: Sequence[Units], target: Target) -> TextColumns | None:
    """Return the texts of the new units: those of the target, or else slices of running texts."""
    theirs: Mapping[str, tuple[str, ...]] = {}
    if not isinstance(target, (str, Mapping)):
        if target.texts is not None and all(document in target.units for document in corpus.documents):
            if corpus.document_names == target.document_names:
                return target.texts
            numbers = [target.document_numbers[document] for document in corpus.documents]
            return target.texts.take(np.array(numbers, dtype=np.int64))
        theirs = target.units
    texts: dict[int, tuple[str, ...]] = {}
    for number, (document, units) in enumerate(zip(corpus.documents, wanted, strict=True)):
        if document in theirs:
            texts[number] = theirs[document]
        elif units.text is not None and not units.is_grid:
            texts[number] = units.texts
    return TextColumns.of(texts, len(wanted)) if texts else None


@dataclass(frozen=True, eq=False)
class Moves:
    """How projection moved, merged and dropped the boundaries of each document."""

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
        """Whether every boundary is where it was."""
        return not (self.moved.any() or self.merged.any() or self.at_edge.any())

    def __str__(self) -> str:
        return self._sentence(np.arange(len(self.documents)))

    def by_document(self) -> tuple[str, ...]:
        """Return a sentence on each document in which anything moved."""
        changed = np.flatnonzero((self.moved > 0) | (self.merged > 0) | (self.at_edge > 0))
        return tuple(
            f"document {self.documents[i]}: {self._sentence(np.array([i]))}" for i in changed.tolist()
        )

    def _sentence(self, chosen: IntArray) -> str:
        n, moved = int(self.boundaries[chosen].sum()), int(self.moved[chosen].sum())
        sentence = f"{moved:,} of {counted(n, 'boundary', 'boundaries')} moved to other units"
        if moved:
            mean = float(self.total_move[chosen].sum()) / moved
            most = self.largest_move[chosen].max()
            sentence += f" (by {mean:.3g} {self.axis} on average, at most {most:.3g})"
        if merged := int(self.merged[chosen].sum()):
            sentence += f", {merged:,} met another one and merged with it"
        if at_edge := int(self.at_edge[chosen].sum()):
            sentence += f", {at_edge:,} dropped at an end of the document"
        return sentence


def project_columns(
    codings: Columns,
    starts: IntArray,
    source: Sequence[Places],
    target: Sequence[Units],
    names: Sequence[str],
    rule: Rule,
    *,
    ranks: bool,
) -> tuple[Columns, Moves]:
    """Put the codings of each document (``starts``: where they begin) from its units onto others.

    Where boundaries of several ranks meet, the most prominent stays.
    """
    bounds = codings.offsets[starts]
    parts: list[Columns] = []
    moves: list[tuple[NDArray[Any], ...]] = []
    first = 0
    while first < len(names):
        # As many documents as fit a cache: larger arrays are slower.
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + BLOCK, side="right")) - 1)
        rows = codings.take(np.arange(starts[first], starts[last]))
        block = starts[first : last + 1] - starts[first]
        part, moved = _project_block(rows, block, source[first:last], target[first:last], rule, ranks)
        parts.append(part)
        moves.append(moved)
        first = last
    columns = map(np.concatenate, zip(*moves, strict=True))
    return Columns.concatenate(parts), Moves(target[0].axis, tuple(names), *columns)


def _project_block(
    codings: Columns,
    starts: IntArray,
    source: Sequence[Places],
    target: Sequence[Units],
    rule: Rule,
    ranks: bool,
) -> tuple[Columns, tuple[NDArray[Any], ...]]:
    """Project a block of documents; also return the columns of ``Moves``."""
    positions = np.empty(len(codings.positions), dtype=np.int64)
    moves = np.zeros(len(codings.positions))
    bounds = codings.offsets[starts]
    for number, (start, end) in enumerate(pairwise(bounds.tolist())):
        low, high = source[number].between(codings.positions[start:end])
        positions[start:end], moves[start:end] = target[number].find(low, high, rule)
    n = len(target)
    lengths = np.array([len(units) for units in target], dtype=np.int64)
    document = repeat(np.arange(n), np.diff(bounds))
    is_inside = (positions > 0) & (positions < lengths[document])
    coding, kinds = codings.coding[is_inside], codings.all_types[is_inside]
    inner, owner, distance = positions[is_inside], document[is_inside], moves[is_inside]
    # Boundaries keep their order; only types of merged boundaries may need sorting.
    order = np.arange(len(inner)) if codings.types is None else np.lexsort((kinds, inner, coding))
    is_new = np.ones(len(order), dtype=bool)
    same = (np.diff(coding[order]) == 0) & (np.diff(inner[order]) == 0)
    is_new[1:] = ~(same if ranks else same & (np.diff(kinds[order]) == 0))
    chosen = order[is_new]
    offsets = np.searchsorted(coding[chosen], np.arange(len(codings) + 1)).astype(np.int64)
    types = None if codings.types is None else kinds[chosen]

    def per_document(which: IntArray) -> IntArray:
        return bincount(which, minlength=n).astype(np.int64)

    largest = np.zeros(n)
    np.maximum.at(largest, owner, distance)
    return Columns(repeat(lengths, np.diff(starts)), offsets, inner[chosen], types), (
        np.diff(bounds),
        per_document(owner[distance > 0]),
        bincount(owner, weights=distance, minlength=n),
        largest,
        per_document(owner[order[~is_new]]),
        per_document(document[~is_inside]),
    )
