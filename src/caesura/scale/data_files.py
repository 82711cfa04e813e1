"""A file of codings: what it says about itself, what to read from it, and where each row is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

from caesura.errors import CorpusError, MissingExtraError, one_line
from caesura.scale.rows import RowFault, plain_names, plain_rows
from caesura.values.arrow import load_pyarrow
from caesura.values.type_scheme import TypeScheme


class BadFileError(CorpusError):
    """A file cannot be read, or does not hold what a scan reads."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class LocatedRows:
    """Plain rows of a file, and where each is."""

    table: Any
    where: Callable[[int], str]
    """Says where a row is, given its number in the table."""
    n_uncoded: int = 0
    """Lines that describe a document without coding it."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Unknown fields, and the first line of each."""


@dataclass(frozen=True)
class Wanted:
    """What to read from files."""

    by: str | None = None
    """The column of strata."""
    others: tuple[str, ...] = ()
    """Further columns, which are passed on unchanged."""
    coders_only: bool = False
    is_strict: bool = False
    """Whether fields without a column must be noted; lines are then read one by one."""

    @property
    def further(self) -> list[str]:
        """The columns beside those of the long table."""
        return [*self.others, *([] if self.by is None else [self.by])]

    def rows(self, table: Any) -> Any:
        """Return the wanted columns of a table as plain rows, or raise what is wrong with a row."""
        if self.coders_only:
            return load_pyarrow().table({"coder": plain_names(table["coder"], "coder")})
        return plain_rows(table, self.by, self.others)

    def located(self, table: Any, where: Callable[[int], str], *notes: Any) -> LocatedRows:
        """Return the same rows and where each is; an error says where the row is."""
        try:
            return LocatedRows(self.rows(table), where, *notes)
        except RowFault as error:
            raise CorpusError(f"{where(error.row)}: {one_line(error.fault)}") from None


@dataclass(frozen=True)
class DataFile:
    """What a file says about itself; a subclass for each kind of file reads it."""

    path: str
    n_bytes: int
    state: str
    """Size and time, which change when the file does."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The column of each plain name (lower case, without surrounding spaces)."""
    further: Mapping[str, Any] = field(default_factory=dict)
    """The columns beside those of the long table, and what they hold."""
    scheme: TypeScheme | None = None
    row_bytes: int = 100
    """Approximate memory of a row."""
    order: bytes | None = None
    """What the file says about the order of its rows."""
    row_groups: tuple[int, ...] = ()
    """Rows of each row group of Parquet."""
    has_labels: bool = False
    """Whether lines hold labels, whose meaning only a whole file shows."""

    kind: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]

    @classmethod
    def look(cls, path: str, n_bytes: int, state: str) -> Self:
        """Return what a file says about itself; its rows are not read."""
        raise NotImplementedError

    def pieces(self, wanted: Wanted, row_groups: range | None) -> Iterator[Any]:
        """Yield the pieces that ``rows`` takes, in order; one thread calls this."""
        raise NotImplementedError

    def rows(self, wanted: Wanted, piece: Any) -> LocatedRows:
        """Return the plain rows of a piece, or raise which row is wrong; any thread may call this."""
        raise NotImplementedError

    def unread(self, wanted: Wanted, row_groups: range | None = None) -> Iterator[Callable[[], LocatedRows]]:
        """Yield functions that read the rows of each piece, in order."""
        with naming_file(self.path):
            for piece in self.pieces(wanted, row_groups):
                yield partial(self._read, wanted, piece)

    def _read(self, wanted: Wanted, piece: Any) -> LocatedRows:
        with naming_file(self.path):
            return self.rows(wanted, piece)

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None where only reading shows it."""
        return sum(self.row_groups) if self.kind == "parquet" else None

    @property
    def about_rows(self) -> int:
        """Approximate number of rows; compression makes text about eight times smaller."""
        ratio = 8 if self.path.lower().endswith((".gz", ".zst")) else 1
        return self.n_rows if self.n_rows is not None else ratio * self.n_bytes // self.row_bytes + 1


@contextmanager
def naming_file(path: str, where: str = "", broken: str = "") -> Iterator[None]:
    """Turn any error of reading into a BadFileError that names the file and ``where`` in it.

    ``broken`` says what the file is if its content, not the system, is at fault.
    """
    try:
        yield
    except (BadFileError, MissingExtraError):
        raise
    except (CorpusError, OSError, UnicodeDecodeError, load_pyarrow().ArrowException) as error:
        fault = (isinstance(error, OSError) and error.strerror) or str(error)
        if broken and not isinstance(error, CorpusError) and getattr(error, "errno", None) is None:
            fault = f"{broken}: {fault}"
        fault = one_line(fault)
        raise BadFileError(fault if fault.startswith(path) else f"{path}{where}: {fault}", path) from None


def connected(**settings: Any) -> Any:
    """Return a new in-memory database of DuckDB with these settings."""
    import duckdb

    connection = duckdb.connect(config={"autoinstall_known_extensions": False, **settings})
    return connection.execute("SET enable_progress_bar = false")


def n_rows_of(files: Iterable[DataFile]) -> int | None:
    """Return the number of rows of files; None where only reading shows it."""
    rows = [file.n_rows for file in files]
    return None if None in rows else sum(n for n in rows if n is not None)
