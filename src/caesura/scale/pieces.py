"""Pieces of files: what is read, counted and kept by itself; and what a reader of a format has to offer.

A piece holds rows of the long table: document, coder, n_units, positions (and types, and others). Where it
starts and ends is up to its reader; a document may go on in the next piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.errors import CorpusError
from caesura.scale.addresses import absolute
from caesura.values.type_scheme import TypeScheme


class BadFileError(CorpusError):
    """A file cannot be read, or does not hold what a scan reads."""


class BadFile(NamedTuple):
    """A file that is left out, and why."""

    path: str
    message: str


@contextmanager
def naming_file(path: str) -> Iterator[None]:
    """Turn whatever keeps a file from being read into one error that names it."""
    try:
        yield
    except BadFileError:
        raise
    except (CorpusError, OSError) as error:
        what = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise BadFileError(what if what.startswith(path) else f"{path}: {what}") from None


NEEDED = ("document", "coder", "n_units", "positions")
"""The columns of the layout; types, and what documents are divided by, may be there too."""


@dataclass(frozen=True)
class Piece:
    """A run of rows of one file: row groups of Parquet, bytes of JSON Lines."""

    reader: str
    """The name of its reader in ``caesura.scale.readers``."""
    path: str
    """A file, or an address that fsspec opens."""
    start: int
    stop: int
    """From where to where, as the reader counts."""
    n_rows: int | None
    """None where only reading tells."""
    state: str
    """What changes when the file does: size, time and, where it has one, a checksum."""

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells it from all other pieces."""
        return absolute(self.path), self.start, self.stop

    @property
    def states(self) -> dict[str, str]:
        """The state of each file that is read for it."""
        return {self.path: self.state}


class SortedRows(NamedTuple):
    """Rows of a file that says it is sorted by document."""

    piece: Piece
    first: bytes
    last: bytes
    """No name is less than the first or greater than the last, byte by byte."""


class Batch(NamedTuple):
    """Some rows of a piece, as an Arrow table."""

    where: str
    """The file and the row group or line, for messages."""
    table: Any


@dataclass(frozen=True)
class Reader:
    """Reads one format piece by piece."""

    name: str
    extensions: tuple[str, ...]
    pieces: Callable[[str], Sequence[Piece]]
    """Divide a file, without reading its rows."""
    batches: Callable[[Piece, Sequence[str], int], Iterator[Batch]]
    """Read these columns of a piece, in batches of at most so many rows; those that a file lacks are left
    out, and names that are not in the file are no error here."""
    columns: Callable[[str], Sequence[str]]
    """The names of a file's columns."""
    scheme: Callable[[str], TypeScheme | None] = lambda path: None
    """What the types of a file's boundaries mean, where it says so."""
    sorted_rows: Callable[[Piece], Sequence[SortedRows] | None] = lambda piece: None
    """Divide a piece further, where a file says that it is sorted and which names are where; else None."""
