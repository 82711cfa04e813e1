"""Part: what was counted of some rows, as exact sums, with the rows at both ends that others may go on with.

``+`` adds a part that follows. ``to_arrow`` and ``from_arrow`` carry a part between processes and to disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.pairs import Typed
from caesura.scale.documents import DocumentRows
from caesura.sums.named import Name, Sums, added
from caesura.sums.tallies import Tally
from caesura.values.arrow import load_pyarrow
from caesura.values.strings import ENCODING, ERRORS


class Edges(NamedTuple):
    """The first and the last of some names, and how those between them are ordered."""

    first: str
    last: str
    ascends: bool
    """Whether each is greater than the one before, byte by byte."""
    counts_up: bool
    """Whether each is longer than the one before, or as long and greater: d9, d10, d11."""

    @property
    def differ(self) -> bool:
        """Whether no name comes again, as far as an order tells."""
        return self.ascends or self.counts_up


NUMBER_BYTES = 8
"""Whole numbers take this many bytes, or a multiple of it."""


def no_hashes() -> NDArray[np.uint64]:
    """Return the numbers of no names."""
    return np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Part:
    """Sums over whole documents, by name, and what tells whether a document comes again."""

    sums: Sums
    hashes: NDArray[np.uint64] = field(default_factory=no_hashes)
    """A number of 64 bits for the name of each document that was counted."""
    edges: Edges | None = None
    """The first and the last of these names, and how they are ordered; None of none."""
    n_rows: int = 0
    coders: tuple[str, ...] = ()
    """All who occur."""
    documents: Any = None
    """A table with the values of single documents, where it is wanted."""
    with_documents: bool = False
    head: DocumentRows | None = None
    """The rows of the first document, which may have begun before."""
    tail: DocumentRows | None = None
    """The rows of the last document, which may go on; None where it is the first one."""
    typed: Typed = Typed()
    """Who marks boundaries of several types."""
    recounted: str | None = None
    """Why rows were counted again of which a part was kept."""

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return len(self.hashes)

    def __add__(self, other: Part) -> Part:
        """Add a part of later documents; neither may have rows at its ends."""
        tables = [table for table in (self.documents, other.documents) if table is not None]
        return Part(
            added(self.sums, other.sums),
            np.concatenate((self.hashes, other.hashes)),
            joined_edges(self.edges, other.edges),
            self.n_rows + other.n_rows,
            tuple(dict.fromkeys((*self.coders, *other.coders))),
            load_pyarrow().concat_tables(tables) if tables else None,
            self.with_documents,
            typed=self.typed | other.typed,
        )

    # ---------------------------------------------------------------- Arrow

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the record batch: rows at the ends go without the rest of the tables they are slices of."""
        return _restored, (self.to_arrow(), self.recounted)

    def to_arrow(self) -> Any:
        """Return the part as a record batch: a row per tally, and one for each table."""
        pyarrow = load_pyarrow()
        rows: list[dict[str, Any]] = []
        for name, tally in self.sums.items():
            rows.append(
                {
                    "kind": "tally",
                    "name": json.dumps(name),
                    "counts": packed(tally.counts),
                    "values": packed((tally.scale, tally.n, tally.n_infinite, tally.values, tally.squares)),
                    "resampled": packed(tally.resampled.ravel().tolist()),
                }
            )
        about = [str(self.n_rows), str(int(self.with_documents)), *self.coders]
        rows.append({"kind": "about", "names": about, "counts": self.hashes.tobytes()})
        if self.edges is not None:
            first, last, ascends, counts_up = self.edges
            rows.append({"kind": "edges", "names": [first, last], "place": 2 * counts_up + ascends})
        rows += [
            {"kind": f"typed {side}", "names": sorted(who)} for side, who in self.typed._asdict().items()
        ]
        tables = {"documents": self.documents}
        for kind, end in (("head", self.head), ("tail", self.tail)):
            if end is not None:
                rows.append({"kind": f"{kind} place", "names": [end.where]})
                tables[kind] = end.table
        for kind, table in tables.items():
            if table is not None:
                rows.append({"kind": kind, "counts": _to_bytes(table)})
        return pyarrow.RecordBatch.from_pylist(rows, schema=part_schema())

    @classmethod
    def from_arrow(cls, batch: Any) -> Part:
        """Return the part that ``to_arrow`` made a record batch of."""
        sums: dict[Name, Tally] = {}
        tables: dict[str, Any] = {}
        names: dict[str, list[str]] = {}
        hashes, edges = no_hashes(), None
        for row in batch.to_pylist():
            kind = row["kind"]
            if kind == "tally":
                sums[tuple(json.loads(row["name"]))] = _tally(row)
            elif kind == "about":
                names[kind] = row["names"]
                hashes = np.frombuffer(row["counts"], dtype=np.uint64)
            elif kind == "edges":
                first, last = row["names"]
                edges = Edges(first, last, bool(row["place"] & 1), bool(row["place"] & 2))
            elif kind.endswith(" place") or kind.startswith("typed "):
                names[kind] = row["names"]
            else:
                tables[kind] = _from_bytes(row["counts"])
        n_rows, with_documents, *coders = names["about"]
        ends = {
            kind: DocumentRows.of(names[f"{kind} place"][0], tables[kind]) if kind in tables else None
            for kind in ("head", "tail")
        }
        return cls(
            sums,
            hashes,
            edges,
            int(n_rows),
            tuple(coders),
            tables.get("documents"),
            bool(int(with_documents)),
            ends["head"],
            ends["tail"],
            Typed(*(frozenset(names[f"typed {side}"]) for side in Typed._fields)),
        )


def _restored(batch: Any, recounted: str | None) -> Part:
    return replace(Part.from_arrow(batch), recounted=recounted)


def edges_of(rows: DocumentRows) -> Edges:
    """Return the edges of the documents' names."""
    names = rows.names
    return Edges(names[0], names[len(names) - 1], rows.ascends, rows.counts_up)


def joined_edges(first: Edges | None, second: Edges | None) -> Edges | None:
    """Return the edges of names that follow each other."""
    if first is None or second is None:
        return second if first is None else first
    before, after = (name.encode(ENCODING, ERRORS) for name in (first.last, second.first))
    ascends = first.ascends and second.ascends and before < after
    grows = (len(before), before) < (len(after), after)
    return Edges(first.first, second.last, ascends, first.counts_up and second.counts_up and grows)


def part_schema() -> Any:
    """Return the schema of a part: what an engine gets back."""
    pyarrow = load_pyarrow()
    return pyarrow.schema(
        [
            ("kind", pyarrow.string()),
            ("name", pyarrow.string()),
            ("place", pyarrow.int64()),
            ("names", pyarrow.list_(pyarrow.string())),
            ("counts", pyarrow.large_binary()),
            ("values", pyarrow.large_binary()),
            ("resampled", pyarrow.large_binary()),
        ]
    )


def _tally(row: Mapping[str, Any]) -> Tally:
    counts = tuple(unpacked(row["counts"]))
    resampled = np.array(unpacked(row["resampled"]), dtype=object)
    scale, n, n_infinite, values, squares = unpacked(row["values"])
    return Tally(counts, scale, n, n_infinite, values, squares, resampled.reshape(-1, len(counts)))


def packed(numbers: Iterable[int]) -> bytes:
    """Return whole numbers of any size as bytes: the width of each in words of 64 bits, then all of them.

    >>> unpacked(packed([1, -(2**70)]))
    [1, -1180591620717411303424]
    """
    found = [*numbers]
    try:
        return b"\x01" + np.array(found, dtype="<i8").tobytes()
    except OverflowError:
        words = max(number.bit_length() for number in found) // (8 * NUMBER_BYTES) + 1
        width = words * NUMBER_BYTES
        return bytes([words]) + b"".join(one.to_bytes(width, "little", signed=True) for one in found)


def unpacked(data: bytes) -> list[int]:
    """Return the numbers that ``packed`` made bytes of."""
    width = data[0] * NUMBER_BYTES
    if data[0] == 1:
        numbers: list[int] = np.frombuffer(data, dtype="<i8", offset=1).tolist()
        return numbers
    places: Sequence[int] = range(1, len(data), width)
    return [int.from_bytes(data[at : at + width], "little", signed=True) for at in places]


def _to_bytes(table: Any) -> bytes:
    pyarrow = load_pyarrow()
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _from_bytes(data: bytes) -> Any:
    return load_pyarrow().ipc.open_stream(data).read_all()
