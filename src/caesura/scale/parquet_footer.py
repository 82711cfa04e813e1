"""The end of a Parquet file: how much each column of each row group holds, packed and unpacked.

pyarrow knows it, too, but ends the whole process where what it is asked for is damaged. So the few numbers
that decide how much is read at a time are read here, from Thrift's compact protocol, in which the end of a
file is written (https://parquet.apache.org/docs/file-format/metadata/).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import Any, NamedTuple

from caesura.errors import CorpusError
from caesura.scale.addresses import open_file, state_of

TAIL = 8
"""Bytes after it: its length and the letters PAR1."""

MAX_DEPTH = 20
"""Deepest nesting; the format has less than ten."""

DICTIONARIES = {2, 8}
"""The encodings PLAIN_DICTIONARY and RLE_DICTIONARY."""

DATA_PAGES = {0, 3}
"""The kinds of pages that hold rows."""

DELTAS = {5, 6, 7}
"""The encodings of differences, which pyarrow cannot read as dictionaries."""


class Chunk(NamedTuple):
    """A column of a row group."""

    path: tuple[str, ...]
    """Its name, and those inside it: ("positions", "list", "element")."""
    n_values: int
    n_packed: int
    n_unpacked: int
    """Bytes on the disk, and of its pages once they are unpacked."""
    is_in_dictionary: bool
    """Whether values may be kept once each, and numbered."""
    is_all_in_dictionary: bool
    """Whether all are: where they become too many, writers go on without."""
    bounds: tuple[bytes, bytes] | None
    """No value is less than the first or greater than the second, where the file says so."""


def chunks_of(path: str) -> tuple[tuple[Chunk, ...], ...]:
    """Return the columns of each row group."""
    return _chunks_of(path, state_of(path))


@lru_cache(maxsize=64)
def _chunks_of(path: str, state: tuple[int, str]) -> tuple[tuple[Chunk, ...], ...]:
    try:
        groups = Compact(footer_of(path, state[0])).struct()[4]
        return tuple(tuple(map(_chunk, group[1])) for group in groups)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise CorpusError("not a whole Parquet file: its end is damaged") from None


def footer_of(path: str, size: int) -> bytes:
    """Return the bytes at the end that say what the file holds."""
    with closing(open_file(path)) as stream:
        stream.seek(max(0, size - TAIL))
        length = int.from_bytes(stream.read(TAIL)[:4], "little")
        stream.seek(max(0, size - TAIL - length))
        footer: bytes = stream.read(min(length, size))
        return footer


def _chunk(column: dict[int, Any]) -> Chunk:
    found = column[3]
    encodings = set(found[2])
    is_in_dictionary = bool(encodings & DICTIONARIES) and not encodings & DELTAS
    data_pages = [page[2] for page in found.get(13, ()) if page[1] in DATA_PAGES]
    is_all = is_in_dictionary and bool(data_pages) and set(data_pages) <= DICTIONARIES
    path = tuple(name.decode() for name in found[3])
    return Chunk(path, found[5], found[7], found[6], is_in_dictionary, is_all, _bounds(found.get(12, {})))


def _bounds(statistics: dict[int, Any]) -> tuple[bytes, bytes] | None:
    least, greatest = statistics.get(6), statistics.get(5)
    return (least, greatest) if isinstance(least, bytes) and isinstance(greatest, bytes) else None


def chosen(chunks: Sequence[Chunk], columns: Sequence[str]) -> list[Chunk]:
    """Return the chunks of these columns."""
    return [chunk for chunk in chunks if chunk.path[0] in columns or ".".join(chunk.path) in columns]


class Compact:
    """Values in Thrift's compact protocol: structures as dictionaries by the numbers of their fields.

    >>> Compact(bytes([0x15, 0x06, 0x18, 0x01, 0x61, 0x00])).struct()
    {1: 3, 2: b'a'}
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a structure."""
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while True:
            head = self._byte()
            kind, step = head & 15, head >> 4
            if kind == 0:
                return fields
            number = number + step if step else self._signed()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (9, 10):
            return self._list(depth + 1)
        if kind in (1, 2, 3):  # a byte, or true or false in a list
            return self._byte()
        if kind == 7:
            return self._bytes(8)
        raise ValueError(f"there is no type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4
        if size == 15:
            size = self._unsigned()
        if size > len(self._data) - self._place:
            raise ValueError("longer than the data")
        return [self._value(head & 15, depth) for _ in range(size)]

    def _byte(self) -> int:
        self._place += 1
        return self._data[self._place - 1]

    def _bytes(self, length: int) -> bytes:
        if length > len(self._data) - self._place:
            raise ValueError("longer than the data")
        self._place += length
        return self._data[self._place - length : self._place]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
