"""Converting: rows of any number and in any order, sorted by DuckDB into one file of the layout."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from caesura.checks import check_whole
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.io.files import PathLike, naming_target
from caesura.io.layout import GROUP_ROWS, SORTED
from caesura.scale.addresses import file_to_write, find_files
from caesura.scale.counting import Task
from caesura.scale.data_files import DataFile, Wanted, connected
from caesura.scale.documents import DocumentFault, whole_documents
from caesura.scale.engines.threads import Threads
from caesura.scale.layout_writer import check_regular, write_layout
from caesura.scale.line_files import arrow_type
from caesura.scale.readers import check_one_kind, look_at, pieces_of, rows_of
from caesura.scale.rows import compute, long_fields, with_columns, with_types_filled_in
from caesura.scale.summing import check_values, located
from caesura.values.arrow import load_pyarrow
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.wording import counted, short

MEMORY = 2**29
"""Bytes that the process may take, unless something else is said."""

LEAST_MEMORY = 256_000_000

OWN_BYTES = 380_000_000
"""Measured: what a process takes beside sorting: Python, its imports, and a row group that is packed."""

LEAST_SORTED = 2**26
"""What DuckDB is left for sorting at least."""

BYTES_PER_ROW = 2**10
"""A row group has as many rows as fit the memory, if each takes so much while it waits and is packed."""

SORTED_ROWS = 2**16
"""Rows that are taken from DuckDB at a time."""

SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kMGT]?)(i?)B?\s*", re.IGNORECASE)

PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}

MANY_NAMES = 10_000
"""How many names of coders, or documents, are remembered."""

Advance = Callable[[int, int], None]


@dataclass
class Conversion:
    """What was converted, and what has no place in the layout."""

    n_documents: int = 0
    n_codings: int = 0
    coders: set[str] = field(default_factory=set)
    """Their names; from MANY_NAMES on no more are added."""
    n_uncoded: int = 0
    """Documents without a coding."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Fields of lines without a column, and where the first is."""

    def __str__(self) -> str:
        more = "at least " if len(self.coders) >= MANY_NAMES else ""
        return (
            f"{counted(self.n_documents, 'document')}, {more}{counted(len(self.coders), 'coder')}, "
            f"{counted(self.n_codings, 'coding')}"
        )

    @property
    def not_kept(self) -> list[str]:
        """What of the input is missing in the output, in words."""
        lost = [f"the field {name!r} ({where})" for name, where in self.left_out.items()]
        if self.n_uncoded:
            lost.append(f"{counted(self.n_uncoded, 'document')} without a coding")
        return lost


def memory_of(size: int | str) -> int:
    """Return a number of bytes, from itself or from words.

    >>> memory_of("256MB"), memory_of("1.5 GB")
    (256000000, 1500000000)
    >>> memory_of("1GiB")
    1073741824
    """
    if isinstance(size, str):
        match = SIZE.fullmatch(size)
        if match is None or not (match[2] or match[1].isdigit()):
            raise ParameterError(f"memory is {short(size)}: expected a size such as 512MB or 2GB")
        size = int(float(match[1]) * (1024 if match[3] else 1000) ** PREFIXES[match[2].lower()])
    size = check_whole("memory", size, 1)
    if size < LEAST_MEMORY:
        raise ParameterError(f"memory is {size:,} bytes: expected at least {LEAST_MEMORY // 10**6} MB")
    return size


def convert(
    address: PathLike | Iterable[PathLike],
    path: PathLike,
    *,
    coders: Sequence[str] = (),
    documents: Sequence[str] = (),
    memory: int | str = MEMORY,
    advance: Advance | None = None,
) -> Conversion:
    """Write what an address names as one file of the layout, sorted by document, whole or not at all.

    Rows may come in any order. They are checked as ``read`` checks them: positions, the same units for all
    coders of a document, no coder twice.

    Parameters
    ----------
    address
        Parquet, JSON Lines or CSV: a path, a pattern, a folder, a URL, or several of them.
    path
        The Parquet file to write; a URL is copied to when all of it is written.
    coders, documents
        Which to keep, if not all: names, or patterns such as ``model-*``.
    memory
        About how many bytes the process may take at its peak, such as ``"512MB"``; rows that do not fit wait
        in a folder beside ``path``, for a URL in that of temporary files.
    advance
        Called with how many bytes have been read, and how many there are, after each file.

    Examples
    --------
    >>> import pyarrow.parquet
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/x.jsonl", "w") as stream:
    ...         _ = stream.write('{"document": "b", "coder": "ann", "masses": [2, 3]}\\n')
    ...         _ = stream.write('{"document": "a", "coder": "ann", "masses": [4]}\\n')
    ...     print(convert(f"{folder}/x.jsonl", f"{folder}/x.parquet"))
    ...     pyarrow.parquet.read_table(f"{folder}/x.parquet")["document"].to_pylist()
    2 documents, 1 coder, 2 codings
    ['a', 'b']
    """
    if isinstance(coders, str) or isinstance(documents, str):
        raise ParameterError("coders and documents are lists of names")
    paths = find_files(address)
    check_one_kind(paths, "convert")
    files = [look_at(path) for path in paths]
    _check_alike(files)
    further = {name: kind for file in files for name, kind in file.further.items()}
    files = [replace(file, further=further) for file in files]
    types = {name: arrow_type(kind) if isinstance(kind, str) else kind for name, kind in further.items()}
    source = _Source(
        files,
        Wanted(others=tuple(further), is_strict=True),
        load_pyarrow().schema({**long_fields(), **types, "number": "int64"}),
        _common_scheme(files),
        (_Choice("coder", coders), _Choice("document", documents)),
        has_types=files[0].reader != "jsonl" and any("types" in file.columns for file in files),
    )
    size = memory_of(memory)
    with file_to_write(os.fspath(path)) as target:
        check_regular(target)
        parent = os.path.dirname(os.path.realpath(target))
        with naming_target(target):
            folder = tempfile.TemporaryDirectory(dir=parent, prefix=f".{target.name[:50]}.")
        with (
            folder as name,
            closing(connected(memory=max(LEAST_SORTED, size - OWN_BYTES), folder=name)) as own,
        ):
            try:
                with _naming_disk(target, size, source):
                    batches = source.batches(advance)
                    own.register(
                        "rows", load_pyarrow().RecordBatchReader.from_batches(source.schema, batches)
                    )
                    rows = own.sql("SELECT * EXCLUDE number FROM rows ORDER BY document, number")
                    _write(source, rows.to_arrow_reader(SORTED_ROWS), target, size)
            except DocumentFault as error:
                raise located(error, [(file, Wanted()) for file in files], source.scheme) from None
    return source.conversion


# -------------------------------------------------------------------- what there is to convert


def _check_alike(files: Sequence[DataFile]) -> None:
    """Refuse files whose columns are not those of the first."""
    first = files[0]
    for file in files[1:]:
        for name in [*first.further, *file.further]:
            mine, theirs = (each.further.get(name, "nothing") for each in (file, first))
            is_missing = "nothing" in (mine, theirs) and first.reader == "jsonl"  # lines may lack fields
            if mine != theirs and not is_missing:
                raise CorpusError(
                    f"{file.path}: the column {name!r} holds {mine} where {first.path} has {theirs}: all "
                    "files must have the same columns"
                )


def _common_scheme(files: Sequence[DataFile]) -> TypeScheme | None:
    scheme: TypeScheme | None = None
    for file in files:
        try:
            scheme = unite_schemes(scheme, file.scheme)
        except CorpusError:
            raise CorpusError(f"{file.path}: it declares other boundary types than a file before") from None
    return scheme


# -------------------------------------------------------------------- converting


@dataclass
class _Source:
    """The files of one conversion, and what was learnt while they were read."""

    files: Sequence[DataFile]
    wanted: Wanted
    schema: Any
    """The columns of rows on their way: those of the output, and the number of the row."""
    scheme: TypeScheme | None
    choices: Sequence[_Choice]
    has_types: bool
    conversion: Conversion = field(default_factory=Conversion)
    failure: Exception | None = None
    """What ended the reading; by way of Arrow only its text arrives."""

    def batches(self, advance: Advance | None) -> Iterator[Any]:
        """Yield the rows that are wanted, each checked, and numbered; an error ends them."""
        pyarrow = load_pyarrow()
        n = 0
        try:
            for table in self._tables(advance):
                for choice in self.choices:
                    table = choice.of(table)
                self.has_types |= "types" in table.column_names and len(table) > 0
                table = table.append_column("number", pyarrow.array(np.arange(n, n + len(table))))
                n += len(table)
                yield from with_columns(table, self.schema).to_batches()
        except Exception as error:
            self.failure = error
            raise

    def _tables(self, advance: Advance | None) -> Iterator[Any]:
        """Yield plain rows; note what no column keeps."""
        size = sum(file.n_bytes for file in self.files)
        done = 0
        for file in self.files:
            for rows in Threads()(rows_of, pieces_of(file, self.wanted)):
                check_values(rows, self.scheme)
                self.conversion.n_uncoded += rows.n_uncoded
                for name, line in rows.left_out.items():
                    self.conversion.left_out.setdefault(name, f"{file.path}: line {line}")
                yield rows.table
            done += file.n_bytes
            if advance is not None:
                advance(done, size)


def _write(source: _Source, batches: Iterable[Any], path: Path, memory: int) -> None:
    """Write sorted rows, once whole documents are checked."""
    pyarrow = load_pyarrow()
    groups = whole_documents(map(pyarrow.Table.from_batches, zip(batches)), SORTED_ROWS)
    first = next(groups, None)  # now all rows have been read
    for choice in source.choices if first is None else ():
        choice.check()
    if first is None:
        raise CorpusError(f"{source.files[0].path}: no codings")
    names = [name for name in source.schema.names[:-1] if name != "types" or source.has_types]
    schema = pyarrow.schema([source.schema.field(name) for name in names])

    def checked() -> Iterator[Any]:
        conversion, check = source.conversion, Task(scheme=source.scheme)
        for rows in chain([first], groups):
            part = check(rows)
            conversion.n_documents += part.n_documents
            conversion.n_codings += part.n_rows
            if len(conversion.coders) < MANY_NAMES:
                conversion.coders.update(part.coders)
            yield with_types_filled_in(rows.table).select(names).cast(schema)
        for choice in source.choices:
            choice.check()

    group_rows = max(1, min(GROUP_ROWS, memory // BYTES_PER_ROW))
    write_layout(path, checked(), schema, order=SORTED, scheme=source.scheme, group_rows=group_rows)


@contextmanager
def _naming_disk(path: Path, memory: int, source: _Source) -> Iterator[None]:
    """Say what DuckDB says of the disk and of memory in one line."""
    import duckdb

    try:
        yield
    except (duckdb.Error, load_pyarrow().ArrowException, OSError) as error:
        if source.failure is not None:
            raise source.failure from None
        # What comes by way of Arrow is an OSError that says so.
        if isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in str(error):
            raise CorpusError(
                f"{path}: sorting needs more than {memory:,} bytes: give a larger memory="
            ) from None
        if isinstance(error, duckdb.IOException):
            with naming_target(path):
                raise _disk_error(error) from None
        raise


def _disk_error(error: Exception) -> OSError:
    """Return what DuckDB says of the disk, such as that it is full, as the system says it."""
    known = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
    number = next((code for code in known if os.strerror(code) in str(error)), errno.EIO)
    return OSError(number, str(error))


class _Choice:
    """Which coders, or documents, are wanted, and which of them no row has had yet."""

    def __init__(self, column: str, patterns: Sequence[str]) -> None:
        self._column, self._patterns = column, tuple(patterns)
        self._missing = set(patterns)
        self._known: dict[str, None] = {}

    def of(self, table: Any) -> Any:
        """Return the rows that are wanted."""
        if not self._patterns:
            return table
        column = table[self._column].cast("string")
        names = column.unique()
        fitting = [
            {pattern for pattern in self._patterns if _fits(name, pattern)} for name in names.to_pylist()
        ]
        self._missing.difference_update(*fitting)
        if len(self._known) < MANY_NAMES:
            self._known |= dict.fromkeys(names.to_pylist())
        if all(fitting):
            return table
        wanted = names.filter(load_pyarrow().array(map(bool, fitting)))
        return table.filter(compute().is_in(column, wanted))

    def check(self) -> None:
        """Refuse a name that nothing has."""
        if self._missing:
            missing = next(name for name in self._patterns if name in self._missing)
            raise unknown(self._column, missing, self._known)


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)
