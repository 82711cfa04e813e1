"""Two scans side by side: references and hypotheses in separate files, their documents in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from caesura.errors import CorpusError
from caesura.scale.documents import DocumentRows
from caesura.scale.parts import Edges, edges_of, joined_edges
from caesura.values.forms import short_name

IF_UNSORTED = " (if the two are not in the same order, caesura convert sorts them)"


class JoinedRows(NamedTuple):
    """The same documents of both sides."""

    people: DocumentRows
    machine: DocumentRows


class _Side:
    """Whole documents of one side, as many of them at a time as the other can join."""

    def __init__(self, rows: Iterator[DocumentRows]) -> None:
        self._rows = rows
        self.held: DocumentRows | None = None
        self._edges: Edges | None = None

    def fill(self) -> DocumentRows | None:
        """Return what is held; None at the end."""
        if self.held is None:
            self.held = next(self._rows, None)
            if self.held is not None:
                self._edges = joined_edges(self._edges, edges_of(self.held))
        return self.held

    def take(self, number: int) -> DocumentRows:
        """Return the first documents that are held, and hold the rest."""
        assert self.held is not None
        taken = self.held.part(0, number)
        self.held = self.held.part(number, len(self.held)) if number < len(self.held) else None
        return taken

    @property
    def ascends(self) -> bool:
        """Whether all names so far ascend."""
        return self._edges is None or self._edges.ascends


def joined(people: Iterator[DocumentRows], machine: Iterator[DocumentRows]) -> Iterator[JoinedRows]:
    """Yield the rows of the same documents together; a document that one side lacks is refused."""
    one, other = _Side(people), _Side(machine)
    while True:
        ours, theirs = one.fill(), other.fill()
        if ours is None and theirs is None:
            return
        number = min(len(ours), len(theirs)) if ours is not None and theirs is not None else 0
        if ours is None or theirs is None or not _same(ours, theirs, number):
            _refuse(one, other)
        yield JoinedRows(one.take(number), other.take(number))


def _same(ours: DocumentRows, theirs: DocumentRows, number: int) -> bool:
    return ours.names[:number] == theirs.names[:number]


def _refuse(one: _Side, other: _Side) -> NoReturn:
    """Say what the first difference is, and whose fault it may be."""
    ours, theirs = one.held, other.held
    if theirs is None:
        assert ours is not None
        _raise_lacking(ours, 0)
    if ours is None:
        _raise_unknown(theirs, 0)
    pairs = enumerate(zip(ours.names, theirs.names, strict=False))
    place, (mine, yours) = next(found for found in pairs if found[1][0] != found[1][1])
    if one.ascends and other.ascends:
        if mine.encode() < yours.encode():
            _raise_lacking(ours, place)
        _raise_unknown(theirs, place)
    raise CorpusError(
        f"{ours.where}: document {short_name(mine)} stands where {theirs.where} has {short_name(yours)}: "
        "both scans must have the same documents in the same order; caesura convert sorts them"
    )


def _raise_lacking(rows: DocumentRows, place: int) -> NoReturn:
    raise CorpusError(
        f"{rows.where}: the segmenters lack document {short_name(rows.names[place])} of the references; "
        f"add it, or remove it from the references{IF_UNSORTED}"
    )


def _raise_unknown(rows: DocumentRows, place: int) -> NoReturn:
    raise CorpusError(
        f"{rows.where}: no reference coder has document {short_name(rows.names[place])} of the segmenters; "
        f"remove it, or add references{IF_UNSORTED}"
    )
