"""Part: what was counted of whole documents, as exact sums.

``+`` adds a part of other documents. ``to_bytes`` and ``from_bytes`` carry a part to the disk, and back, but
for its edges: documents that were brought together have no order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.pairs import Typed
from caesura.scale.documents import Edges
from caesura.sums.tallies import Name, Sums, Tally, added
from caesura.values.arrow import load_pyarrow


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

    def to_bytes(self) -> bytes:
        """Return the part as a line of JSON, and an Arrow stream of the values of documents."""
        about = {
            "sums": [[name, *vars(tally).values()] for name, tally in self.sums.items()],
            "n": [self.n_documents, self.n_rows],
            "coders": self.coders,
            "typed": [sorted(names) for names in self.typed],
        }
        line = json.dumps(about, default=_plain).encode() + b"\n"
        return line if self.documents is None else line + stream_of(self.documents)

    @classmethod
    def from_bytes(cls, data: bytes) -> Part:
        """Return the part that ``to_bytes`` made bytes of."""
        line, _, stream = data.partition(b"\n")
        about = json.loads(line)
        n_documents, n_rows = about["n"]
        sums: dict[Name, Tally] = {}
        for name, counts, scale, n, n_infinite, values, squares, resampled in about["sums"]:
            rounds = np.array(resampled, dtype=object).reshape(-1, len(counts))
            sums[tuple(name)] = Tally(tuple(counts), scale, n, n_infinite, values, squares, rounds)
        documents = load_pyarrow().ipc.open_stream(stream).read_all() if stream else None
        typed = Typed(*map(frozenset, about["typed"]))
        return cls(sums, n_documents, n_rows, None, tuple(about["coders"]), documents, typed)


def _plain(value: Any) -> Any:
    """Return numbers of numpy as Python has them."""
    return value.tolist()


def stream_of(table: Any, compression: str | None = None) -> bytes:
    """Return a table as the bytes of an Arrow stream."""
    pyarrow = load_pyarrow()
    sink = pyarrow.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    with pyarrow.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
