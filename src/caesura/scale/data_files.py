"""A file of codings: what it says of itself, which of its rows are wanted, and where each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from caesura.arrays import IntArray
from caesura.errors import CorpusError, MissingExtraError, one_line
from caesura.scale.rows import RowFault, plain_names, plain_rows
from caesura.values.arrow import load_pyarrow
from caesura.values.type_scheme import TypeScheme

NEEDED = ("document", "coder", "n_units", "positions")
"""The columns of the layout; types, and what documents are divided by, may be there too."""


class BadFileError(CorpusError):
    """A file cannot be read, or does not hold what a scan reads."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class DataFile:
    """What a file says of itself."""

    path: str
    reader: str
    """The name of its reader in ``caesura.scale.readers``."""
    n_bytes: int
    state: str
    """What changes when the file does: size and time."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The column of each plain name: in lower case, without spaces around it."""
    further: Mapping[str, Any] = field(default_factory=dict)
    """The columns that are not the long table's, and what they hold."""
    scheme: TypeScheme | None = None
    order: bytes | None = None
    """What it says of the order of its rows."""
    row_groups: tuple[int, ...] = ()
    """Rows of each row group of Parquet."""
    repetitive: tuple[str, ...] = ()
    """Names of columns that are kept once each, and may be far longer than what they take in the file."""
    row_bytes: int = 100
    """About how much memory a row takes."""
    delimiter: str = ""
    """What divides the cells of CSV."""
    has_labels: bool = False
    """Whether there are values per unit, whose meaning only a whole file tells."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are; None where only reading tells."""
        return sum(self.row_groups) if self.reader == "parquet" else None

    @property
    def about_rows(self) -> int:
        """About how many rows there are: a packed line takes an eighth of its size."""
        packed = 1 if self.path.lower().endswith(("l", "n", "v")) else 8
        return self.n_rows if self.n_rows is not None else packed * self.n_bytes // self.row_bytes + 1


@dataclass(frozen=True)
class PlacedRows:
    """Some rows of a file, plain, and where each of them stands."""

    table: Any
    file: str
    first: int
    """The number of the first row: in its row group from 0, or of its line from 1."""
    row_group: int | None = None
    lines: IntArray | None = None
    """The lines of all rows, where some lines hold none."""
    n_uncoded: int = 0
    """Lines that describe a document without coding it."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Fields that were neither asked for nor known, and the first line of each."""

    def place(self, row: int) -> str:
        """Return where a row is, for a message."""
        if self.row_group is not None:
            return f"{self.file}: row group {self.row_group}, row {self.first + row}"
        return f"{self.file}: line {self.first + row if self.lines is None else self.lines[row]}"

    def read(self, function: Callable[[Any], Any]) -> PlacedRows:
        """Return the rows that a function makes of these; a fault has the file, and the row."""
        with naming_file(self.file, "" if self.row_group is None else f": row group {self.row_group}"):
            try:
                return replace(self, table=function(self.table))
            except RowFault as error:
                raise BadFileError(f"{self.place(error.row)}: {one_line(error.fault)}", self.file) from None


@dataclass(frozen=True)
class Wanted:
    """What is read of files."""

    by: str | None = None
    """The column of strata."""
    others: tuple[str, ...] = ()
    """Further columns that are kept as they are."""
    coders_only: bool = False
    is_strict: bool = False
    """Whether what no column keeps must be noted, for which lines are read one by one."""

    @property
    def further(self) -> list[str]:
        """The columns that are not the long table's."""
        return [*self.others, *([] if self.by is None else [self.by])]

    def rows(self, table: Any) -> Any:
        """Return what is wanted of a table's rows, plain; or raise what is wrong with one."""
        if self.coders_only:
            return load_pyarrow().table({"coder": plain_names(table["coder"], "coder")})
        return plain_rows(table, self.by, self.others)


@contextmanager
def naming_file(path: str, where: str = "") -> Iterator[None]:
    """Turn whatever keeps a file from being read into one error that names it, and the place in it."""
    try:
        yield
    except (BadFileError, MissingExtraError):
        raise
    except (CorpusError, OSError, load_pyarrow().ArrowException) as error:
        fault = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        fault = one_line(fault)
        raise BadFileError(fault if fault.startswith(path) else f"{path}{where}: {fault}", path) from None


def connected(n_threads: int | None = None, memory: int | None = None, folder: str | None = None) -> Any:
    """Return a database of its own, in memory, that spills to a folder."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false; SET autoinstall_known_extensions = false")
    for name, value in (("threads", n_threads), ("memory_limit", memory), ("temp_directory", folder)):
        if value is not None:
            unit = "B" if name == "memory_limit" else ""
            connection.execute(f"SET {name} = '{value}{unit}'")
    return connection
