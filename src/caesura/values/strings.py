"""Strings: many texts in one buffer with offsets, as in Arrow; decoded on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, repeat

ENCODING, ERRORS = "utf-8", "surrogatepass"  # JSON may hold lone surrogates

LONG = 64  # mean bytes of runs from which on they are copied run by run


class Strings(Sequence[str]):
    """A read-only sequence of texts.

    >>> names = Strings.of(["ann", "bob", "ævar"])
    >>> names[2], len(names), list(names[:2])
    ('ævar', 3, ['ann', 'bob'])
    """

    __slots__ = ("data", "offsets")

    data: NDArray[np.uint8]  # the UTF-8 bytes of all texts, end to end
    offsets: IntArray  # where each text starts, and where the last one ends

    def __init__(self, data: NDArray[np.uint8], offsets: IntArray) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """Encode texts."""
        encoded = [text.encode(ENCODING, ERRORS) for text in texts]
        offsets = offsets_of(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Strings: ...
    def __getitem__(self, index: int | slice) -> str | Strings:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("texts are taken in their order, without steps")
            return Strings(self.data, self.offsets[start : max(start, stop) + 1])
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return str(self.data[self.offsets[index] : self.offsets[index + 1]].tobytes(), ENCODING, ERRORS)

    def __iter__(self) -> Iterator[str]:
        if not len(self):
            return
        offsets = (self.offsets - self.offsets[0]).tolist()
        data = self.data[self.offsets[0] : self.offsets[-1]].tobytes()
        start = 0
        for end in offsets[1:]:
            yield data[start:end].decode(ENCODING, ERRORS)
            start = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strings):
            return NotImplemented
        mine, theirs = self.offsets, other.offsets
        return (
            len(mine) == len(theirs)
            and bool((mine - mine[0] == theirs - theirs[0]).all())
            and bool((self.data[mine[0] : mine[-1]] == other.data[theirs[0] : theirs[-1]]).all())
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashed

    def __reduce__(self) -> tuple[Any, ...]:
        start, end = self.offsets[0], self.offsets[-1]
        return (Strings, (self.data[start:end].copy(), self.offsets - start))

    def __repr__(self) -> str:
        return f"<Strings: {len(self):,} texts>"

    def take(self, indices: IntArray) -> Strings:
        """Return these texts, in this order.

        >>> list(Strings.of(["a", "bb", "c"]).take(np.array([2, 1])))
        ['c', 'bb']
        """
        runs = np.flatnonzero(np.diff(indices) != 1) + 1  # where runs of neighbors end
        if not len(runs) and len(indices):
            return self[int(indices[0]) : int(indices[-1]) + 1]
        starts, ends = self.offsets[indices], self.offsets[indices + 1]
        if int((ends - starts).sum()) < LONG * (len(runs) + 1):
            offsets, where = gather(self.offsets, indices)
            return Strings(self.data[where], offsets)
        # Copy long texts run by run: an index for each byte would take eight times their memory.
        first, last = np.concatenate(([0], runs)), np.concatenate((runs, [len(indices)])) - 1
        pieces = zip(starts[first].tolist(), ends[last].tolist(), strict=True)
        data = np.concatenate([self.data[start:end] for start, end in pieces])
        return Strings(data, offsets_of(ends - starts))

    @classmethod
    def concatenate(cls, parts: Sequence[Strings]) -> Strings:
        """Return all texts of all parts."""
        if len(parts) == 1:
            return parts[0]
        lengths = [np.empty(0, dtype=np.int64), *(np.diff(part.offsets) for part in parts)]
        offsets = offsets_of(np.concatenate(lengths))
        data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
        return cls(np.concatenate([np.empty(0, dtype=np.uint8), *data]), offsets)


def offsets_of(lengths: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> IntArray:
    """Return the offsets of slices of these lengths, end to end.

    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def gather(offsets: IntArray, indices: IntArray) -> tuple[IntArray, IntArray]:
    """Return the offsets of the slices with these indices, end to end, and the indices of their items.

    >>> offsets, where = gather(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> offsets.tolist(), where.tolist()
    ([0, 3, 5], [2, 3, 4, 0, 1])
    """
    starts = offsets[indices]
    lengths = offsets[indices + 1] - starts
    gathered = offsets_of(lengths)
    where = np.arange(gathered[-1], dtype=np.int64) + repeat(starts - gathered[:-1], lengths)
    return gathered, where
