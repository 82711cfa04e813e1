"""Part: what was counted of whole documents, as exact sums; Store: parts in a folder.

``+`` adds a part of other documents. A stored part is a file with a line of JSON (question, states of the
files, checksum of the rest) and the part; the file gets its name when it is whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.io.addresses import absolute, check_here
from caesura.io.files import write_whole
from caesura.pairs import Typed
from caesura.scale.data_files import DataFile
from caesura.scale.documents import Edges
from caesura.sums.tallies import Name, Sums, Tally, added
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__


@dataclass(frozen=True, eq=False)
class Part:
    """Sums over whole documents, by name, and further facts about these documents."""

    sums: Sums
    n_documents: int = 0
    n_rows: int = 0
    edges: Edges | None = None
    """The first and last of their names, if they were counted in the order of the rows."""
    coders: tuple[str, ...] = ()
    """All coders who occur."""
    documents: Any = None
    """A table with the values of single documents, if wanted."""
    typed: Typed = Typed()
    """Which coders mark boundaries of several types."""

    def __add__(self, other: Part) -> Part:
        """Add a part of other documents; with edges, these follow."""
        tables = [table for table in (self.documents, other.documents) if table is not None]
        return Part(
            added(self.sums, other.sums),
            self.n_documents + other.n_documents,
            self.n_rows + other.n_rows,
            self.edges.then(other.edges) if self.edges and other.edges else self.edges or other.edges,
            tuple(dict.fromkeys((*self.coders, *other.coders))),
            load_pyarrow().concat_tables(tables) if tables else None,
            self.typed | other.typed,
        )

    def to_bytes(self) -> bytes:
        """Return the part, without edges, as a line of JSON and an Arrow stream of documents' values."""
        about = {
            "sums": [[name, *vars(tally).values()] for name, tally in self.sums.items()],
            "n": [self.n_documents, self.n_rows],
            "coders": self.coders,
            "typed": [sorted(names) for names in self.typed],
        }
        line = json.dumps(about, default=lambda number: number.tolist()).encode() + b"\n"
        return line if self.documents is None else line + stream_of(self.documents)

    @classmethod
    def from_bytes(cls, data: bytes) -> Part:
        """Return the part from what ``to_bytes`` returned."""
        line, _, stream = data.partition(b"\n")
        about = json.loads(line)
        sums: dict[Name, Tally] = {}
        for name, counts, scale, n, n_infinite, values, squares, resampled in about["sums"]:
            rounds = np.array(resampled, dtype=object).reshape(-1, len(counts))
            sums[tuple(name)] = Tally(tuple(counts), scale, n, n_infinite, values, squares, rounds)
        documents = load_pyarrow().ipc.open_stream(stream).read_all() if stream else None
        typed = Typed(*map(frozenset, about["typed"]))
        n_documents, n_rows = about["n"]
        return cls(sums, n_documents, n_rows, None, tuple(about["coders"]), documents, typed)


def stream_of(table: Any, compression: str | None = None) -> bytes:
    """Return a table as the bytes of an Arrow stream."""
    pyarrow = load_pyarrow()
    sink = pyarrow.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    with pyarrow.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


# -------------------------------------------------------------------- parts in a folder

PREFIX, SUFFIX = "part-", ".part"


class Store:
    """The parts of a count in a folder, one file each; a part that fits is not counted again."""

    def __init__(
        self, folder: Path, question: str, sides: Sequence[Sequence[DataFile]], n_parts: int
    ) -> None:
        check_here(folder, "parts are stored in a folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise CorpusError(f"{folder}: not a folder; parts are stored in a folder") from None
        for draft in folder.glob(f".{PREFIX}*"):  # of a run that was killed
            draft.unlink(missing_ok=True)
        self.folder = folder
        states = {file.path: file.state for side in sides for file in side}
        self._about = {"question": _hash(f"{__version__} {question}".encode()), "states": [*states.values()]}
        self._paths = [*states]
        paths = [[absolute(file.path) for file in side] for side in sides]
        names = (_hash(repr((paths, n_parts, number)).encode())[:24] for number in range(n_parts))
        self._files = [folder / f"{PREFIX}{name}{SUFFIX}" for name in names]

    def n_strangers(self) -> int:
        """Return how many parts in the folder are of other files, or divided otherwise."""
        return sum(path not in self._files for path in parts_in(self.folder))

    def read(self, number: int) -> tuple[Part | None, str]:
        """Return a part, or None and why the stored one cannot be used."""
        if not self._files[number].exists():
            return None, ""
        line, _, body = self._files[number].read_bytes().partition(b"\n")
        try:
            about = json.loads(line)
            if about["sha256"] == _hash(body):
                if about["question"] != self._about["question"]:
                    return None, "they answer another question"
                for path, before, now in zip(
                    self._paths, about["states"], self._about["states"], strict=True
                ):
                    if before != now:
                        return None, f"{path} has changed since"
                return Part.from_bytes(body), ""
        except (load_pyarrow().ArrowException, ValueError, KeyError, TypeError):
            pass
        return None, "the file of a part is damaged"

    def write(self, number: int, part: Part) -> None:
        """Write a part, whole."""
        body = part.to_bytes()
        line = json.dumps({**self._about, "sha256": _hash(body)}).encode()
        write_whole(self._files[number], line + b"\n" + body)


def parts_in(folder: Path) -> Iterator[Path]:
    """Yield the files of parts in a folder."""
    return folder.glob(f"{PREFIX}*{SUFFIX}")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
