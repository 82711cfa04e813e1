"""Converting rows in any number and order: DuckDB sorts them into one file of the layout."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import numpy as np

from caesura.checks import check_whole
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.io.addresses import file_to_write, find_files
from caesura.io.files import PathLike, naming_target
from caesura.io.layout import GROUP_ROWS, SORTED, check_regular, long_fields, with_columns, write_layout
from caesura.scale.counting import Task
from caesura.scale.data_files import DataFile, Wanted, connected
from caesura.scale.documents import DocumentFault, whole_documents
from caesura.scale.engines.threads import Threads
from caesura.scale.readers import check_one_kind, checked_rows, look_at
from caesura.scale.rows import with_all_types
from caesura.scale.summing import located
from caesura.scale.text_files import arrow_type
from caesura.values.arrow import load_compute, load_pyarrow
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.wording import counted, short

MEMORY = 2**29
"""Bytes that the process may take by default."""

LEAST_MEMORY = 256_000_000

OWN_BYTES = 380_000_000
"""Measured memory of a process beside sorting: Python, its imports, and the row group being written."""

LEAST_SORTED = 2**26
"""Least memory of DuckDB."""

BYTES_PER_ROW = 2**12
"""Memory of a row while its row group is written."""

SORTED_ROWS, SORTED_BYTES = 2**16, 2**26
"""Most rows that are taken from DuckDB at a time, and about the most bytes."""

NUMBER = "caesura.number"
"""The column of the number of a row, on its way."""

MANY_NAMES = 10_000
"""Most names of coders or documents that are remembered."""


@dataclass
class Conversion:
    """What was converted, and what the layout cannot hold."""

    n_documents: int = 0
    n_codings: int = 0
    coders: set[str] = field(default_factory=set)
    """Their names; at most about MANY_NAMES."""
    n_uncoded: int = 0
    """Documents without a coding."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Fields without a column, and the first place of each."""

    def __str__(self) -> str:
        more = "at least " if len(self.coders) >= MANY_NAMES else ""
        n_coders = f"{more}{counted(len(self.coders), 'coder')}"
        return f"{counted(self.n_documents, 'document')}, {n_coders}, {counted(self.n_codings, 'coding')}"

    @property
    def not_kept(self) -> list[str]:
        """What the output lacks of the input, in words."""
        lost = [f"the field {name!r} ({where})" for name, where in self.left_out.items()]
        return lost + ([f"{counted(self.n_uncoded, 'document')} without a coding"] if self.n_uncoded else [])


def memory_of(size: int | str) -> int:
    """Return a number of bytes, from itself or from words.

    >>> memory_of("256MB"), memory_of("1.5 GB"), memory_of("1GiB")
    (256000000, 1500000000, 1073741824)
    """
    if isinstance(size, str):
        import duckdb

        try:
            with closing(connected()) as own:
                ((size,),) = own.execute("SELECT parse_formatted_bytes($1)", [size]).fetchall()
        except duckdb.Error:
            raise ParameterError(f"memory is {short(size)}: expected a size such as 512MB or 2GB") from None
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
    advance: Callable[[int, int], None] | None = None,
) -> Conversion:
    """Write the files at an address as one file of the layout, sorted by document, whole or not at all.

    Rows may stand in any order. They are checked as ``read`` checks them: positions, the same units for all
    coders of a document, no coder twice.

    Parameters
    ----------
    address
        Parquet, JSON Lines or CSV: a path, a pattern, a folder, a URL, or a list of these.
    path
        The Parquet file to write, or its URL.
    coders, documents
        Names, or patterns such as ``model-*``, of those to convert; by default all.
    memory
        About the peak memory of the process in bytes, such as ``"512MB"``; further rows wait in a folder
        beside ``path`` (for a URL, in the folder of temporary files).
    advance
        Called after each file with the bytes read so far and the bytes of all files.

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
    check_one_kind(paths)
    source = _Source(
        [look_at(name) for name in paths], (_Choice("coder", coders), _Choice("document", documents))
    )
    size = memory_of(memory)
    with file_to_write(os.fspath(path)) as target:
        check_regular(target)
        parent = os.path.dirname(os.path.realpath(target))
        with naming_target(target):
            folder = tempfile.TemporaryDirectory(dir=parent, prefix=f".{target.name[:50]}.")
        limit = f"{max(LEAST_SORTED, size - OWN_BYTES)}B"
        with folder as name, closing(connected(memory_limit=limit, temp_directory=name)) as own:
            try:
                batches = source.batches(advance)
                numbered = source.schema.append(load_pyarrow().field(NUMBER, "int64"))
                own.register("rows", load_pyarrow().RecordBatchReader.from_batches(numbered, batches))
                rows = own.sql(f'SELECT * EXCLUDE "{NUMBER}" FROM rows ORDER BY document, "{NUMBER}"')
                group_rows = max(1, min(GROUP_ROWS, size // BYTES_PER_ROW))
                at_once = min(SORTED_ROWS, 1 + SORTED_BYTES // max(file.row_bytes for file in source.files))
                tables = map(load_pyarrow().Table.from_batches, zip(rows.to_arrow_reader(at_once)))
                groups = whole_documents(tables, max(1, group_rows - at_once))
                first = next(groups, None)  # now all rows have been read
                source.check_chosen(first)
                checked = source.checked(chain([first], groups))
                write_layout(target, checked, source.schema, SORTED, source.scheme, group_rows)
            except DocumentFault as error:
                raise located(error, [(file, Wanted()) for file in source.files], source.scheme) from None
            except Exception as error:
                if source.failure is not None:
                    raise source.failure from None
                if "Out of Memory" in str(error):  # of DuckDB, or an OSError of Arrow
                    fault = f"sorting needs more than {size:,} bytes: give a larger memory="
                    raise CorpusError(f"{target}: {fault}") from None
                if type(error).__name__ == "IOException":  # of DuckDB
                    codes = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
                    code = next((code for code in codes if os.strerror(code) in str(error)), errno.EIO)
                    raise OSError(code, os.strerror(code), str(target)) from None
                raise
    return source.conversion


class _Source:
    """The files of a conversion, and what reading them has shown."""

    def __init__(self, files: Sequence[DataFile], choices: Sequence[_Choice]) -> None:
        first, further = files[0], dict[str, Any]()
        self.scheme: TypeScheme | None = None
        for file in files:
            further |= file.further
            for name in [*first.further, *file.further]:
                kinds = [each.further.get(name, "nothing") for each in (file, first)]
                is_missing = "nothing" in kinds and first.kind == "jsonl"  # lines may lack fields
                if kinds[0] != kinds[1] and not is_missing:
                    fault = f"the column {name!r} holds {kinds[0]} where {first.path} has {kinds[1]}"
                    raise CorpusError(f"{file.path}: {fault}; give files with the same columns")
            try:
                self.scheme = unite_schemes(self.scheme, file.scheme)
            except CorpusError:
                raise CorpusError(
                    f"{file.path}: it declares other boundary types than a file before"
                ) from None
        types = {name: arrow_type(kind) if isinstance(kind, str) else kind for name, kind in further.items()}
        self.files = [replace(file, further=further) for file in files]
        self.schema = load_pyarrow().schema({**long_fields(), **types})
        """The columns of the output."""
        self.conversion = Conversion()
        self.failure: Exception | None = None
        """The error that ended the reading; through Arrow, only its text arrives."""
        self._choices = choices
        self._has_types = first.kind != "jsonl" and any("types" in file.columns for file in files)
        self._wanted = Wanted(others=tuple(further), is_strict=True)

    def batches(self, advance: Callable[[int, int], None] | None) -> Iterator[Any]:
        """Yield the chosen rows, checked and numbered."""
        n = done = 0
        try:
            for file in self.files:
                for rows in checked_rows(file, self._wanted, self.scheme, Threads()):
                    self.conversion.n_uncoded += rows.n_uncoded
                    for name, line in rows.left_out.items():
                        self.conversion.left_out.setdefault(name, f"{file.path}: line {line}")
                    table = rows.table
                    for choice in self._choices:
                        table = choice.of(table)
                    self._has_types |= "types" in table.column_names and len(table) > 0
                    numbers = load_pyarrow().array(np.arange(n, n + len(table)))
                    n += len(table)
                    table = with_columns(table, self.schema).append_column(NUMBER, numbers)
                    yield from table.to_batches()
                done += file.n_bytes
                if advance is not None:
                    advance(done, sum(file.n_bytes for file in self.files))
        except Exception as error:
            self.failure = error
            raise

    def check_chosen(self, first: Any) -> None:
        """Refuse names that no row has, and an input without codings, once all rows have been read."""
        for choice in self._choices:
            for name in choice.missing:
                raise unknown(choice.column, name, choice.known)
        if first is None:
            raise CorpusError(f"{self.files[0].path}: no codings")
        if not self._has_types:
            self.schema = self.schema.remove(self.schema.get_field_index("types"))

    def checked(self, groups: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of whole documents, checked and counted."""
        check = Task(scheme=self.scheme)
        for rows in groups:
            part = check(rows)
            self.conversion.n_documents += part.n_documents
            self.conversion.n_codings += part.n_rows
            if len(self.conversion.coders) < MANY_NAMES:
                self.conversion.coders.update(part.coders)
            yield with_columns(with_all_types(rows.table), self.schema)


class _Choice:
    """Patterns of the coders or documents to convert."""

    def __init__(self, column: str, patterns: Sequence[str]) -> None:
        self.column, self._patterns = column, patterns
        self.missing = dict.fromkeys(patterns)
        """The patterns that no row has fitted yet."""
        self.known: dict[str, None] = {}

    def of(self, table: Any) -> Any:
        """Return the chosen rows."""
        if not self._patterns:
            return table
        names = table[self.column].unique().to_pylist()
        self.known |= dict.fromkeys(names if len(self.known) < MANY_NAMES else ())
        fitting = {name: [each for each in self._patterns if fnmatchcase(name, each)] for name in names}
        for name in names:
            fitting[name] += [name] if name in self._patterns else []
            for pattern in fitting[name]:
                self.missing.pop(pattern, None)
        chosen = load_pyarrow().array([name for name in names if fitting[name]], "string")
        return table.filter(load_compute().is_in(table[self.column], chosen))
