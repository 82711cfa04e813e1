"""Part: what was counted of whole documents, as exact sums.

``+`` adds a part of other documents. ``to_arrow`` and ``from_arrow`` carry a part between processes, and
to the disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.pairs import Typed
from caesura.scale.documents import Edges
from caesura.sums.named import Name, Sums, added
from caesura.sums.tallies import Tally
from caesura.values.arrow import load_pyarrow

NUMBER_BYTES = 8
"""Whole numbers take this many bytes, or a multiple of it."""


@dataclass(frozen=True, eq=False)
class Part:
    """Sums over whole documents, by name, and what else is known of these."""

    sums: Sums
    n_documents: int = 0
    n_rows: int = 0
    edges: Edges | None = None
    """The first and the last of their names, where they were counted as they lie."""
    coders: tuple[str, ...] = ()
    """All who occur."""
    documents: Any = None
    """A table with the values of single documents, where it is wanted."""
    typed: Typed = Typed()
    """Who marks boundaries of several types."""

    def __add__(self, other: Part) -> Part:
        """Add a part of other documents, which follow where there are edges."""
        tables = [table for table in (self.documents, other.documents) if table is not None]
        edges = [part.edges for part in (self, other) if part.edges is not None]
        return Part(
            added(self.sums, other.sums),
            self.n_documents + other.n_documents,
            self.n_rows + other.n_rows,
            edges[0] + edges[1] if len(edges) > 1 else edges[0] if edges else None,
            tuple(dict.fromkeys((*self.coders, *other.coders))),
            load_pyarrow().concat_tables(tables) if tables else None,
            self.typed | other.typed,
        )

    # ---------------------------------------------------------------- Arrow

    def __reduce__(self) -> tuple[Any, ...]:
        return Part.from_arrow, (self.to_arrow(),)

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
        about = [self.n_documents, self.n_rows, self.edges, self.coders]
        typed = [sorted(names) for names in self.typed]
        rows.append({"kind": "about", "name": json.dumps([*about, typed])})
        if self.documents is not None:
            rows.append({"kind": "documents", "counts": _to_bytes(self.documents)})
        return pyarrow.RecordBatch.from_pylist(rows, schema=part_schema())

    @classmethod
    def from_arrow(cls, batch: Any) -> Part:
        """Return the part that ``to_arrow`` made a record batch of."""
        sums: dict[Name, Tally] = {}
        documents = None
        for row in batch.to_pylist():
            if row["kind"] == "tally":
                sums[tuple(json.loads(row["name"]))] = _tally(row)
            elif row["kind"] == "documents":
                documents = _from_bytes(row["counts"])
            else:
                n_documents, n_rows, edges, coders, typed = json.loads(row["name"])
        return cls(
            sums,
            n_documents,
            n_rows,
            None if edges is None else Edges(*edges),
            tuple(coders),
            documents,
            Typed(*map(frozenset, typed)),
        )


def part_schema() -> Any:
    """Return the schema of a part: what an engine gets back."""
    pyarrow = load_pyarrow()
    return pyarrow.schema(
        [
            ("kind", pyarrow.string()),
            ("name", pyarrow.string()),
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
