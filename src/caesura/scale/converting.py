"""Converting: Parquet and JSON Lines of any size into one sorted file of the layout, in bounded memory."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from caesura.checks import check_whole
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.io.finding import PathLike
from caesura.io.layout import GROUP_ROWS, SORTED
from caesura.scale.addresses import file_to_write, find_files, state_of
from caesura.scale.document_checks import DocumentFault, check_documents
from caesura.scale.layout_writer import LayoutWriter, check_regular
from caesura.scale.line_pieces import LineRows, arrow_type
from caesura.scale.parquet_pieces import ParquetRows
from caesura.scale.readers import reader_of
from caesura.scale.rows import PlacedRows
from caesura.scale.sorting import FAN_IN, ExternalSort, merge
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns, check_columns
from caesura.values.forms import coding_name
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.wording import counted, short

MEMORY = 2**28
"""Bytes that rows may take in memory, unless something else is said."""

LEAST_MEMORY = 2**24

BYTES_PER_ROW = 2**8
"""What a short coding takes while its row group waits and is packed, twice over."""

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
    """Documents that nobody has coded."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Fields of lines that are no columns, and where the first is."""

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
            lost.append(f"{counted(self.n_uncoded, 'document')} that nobody has coded")
        return lost


def memory_of(size: int | str) -> int:
    """Return a number of bytes, from itself or from words.

    >>> memory_of("256MB"), memory_of("1.5 GB")
    (256000000, 1500000000)
    >>> memory_of("1GiB")
    1073741824
    """
    if isinstance(size, str):
        found = SIZE.fullmatch(size)
        if found is None or not (found[2] or found[1].isdigit()):
            raise ParameterError(f"memory is {short(size)}: expected a size such as 512MB or 2GB")
        size = int(float(found[1]) * (1024 if found[3] else 1000) ** PREFIXES[found[2].lower()])
    size = check_whole("memory", size, 1)
    if size < LEAST_MEMORY:
        raise ParameterError(f"memory is {size:,} bytes: expected at least {LEAST_MEMORY // 2**20} MiB")
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
        Parquet or JSON Lines: a path, a pattern, a folder, a URL, or several of them.
    path
        The Parquet file to write; a URL is copied to when all of it is written.
    coders, documents
        Which to keep, if not all: names, or patterns such as ``model-*``.
    memory
        About how many bytes the rows may take in memory while they are sorted, such as ``"512MB"``; what does
        not fit waits in a folder beside ``path``, for a URL in that of temporary files.
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
    inputs = [_Input.of(file) for file in find_files(address)]
    _check_alike(inputs)
    with file_to_write(os.fspath(path)) as target:
        return _Conversion(inputs, target, coders, documents, memory_of(memory), advance).run()


# -------------------------------------------------------------------- what there is to convert


@dataclass(frozen=True)
class _Input:
    """A file, and what it says of its rows."""

    path: str
    kind: str
    columns: dict[str, Any]
    """Its further columns and their Arrow types."""
    scheme: TypeScheme | None
    has_types: bool = False
    """Whether it has a column of types; of lines, only reading them tells."""
    is_sorted: bool = False

    @classmethod
    def of(cls, path: str) -> _Input:
        """Look at a file's end, or at its first lines."""
        kind = reader_of(path).name
        if kind == "jsonl":
            pyarrow, head = load_pyarrow("Parquet needs"), LineRows(path).head
            columns = {name: arrow_type(pyarrow, what) for name, what in head.kinds.items()}
            return cls(path, kind, columns, head.scheme)
        with closing(ParquetRows(path)) as rows:
            has_types = "types" in rows.columns
            return cls(path, kind, rows.further, rows.scheme, has_types, rows.is_sorted)


def _check_alike(inputs: Sequence[_Input]) -> None:
    """Refuse files of two kinds, and files whose columns are not those of the first."""
    first = inputs[0]
    for other in inputs[1:]:
        if other.kind != first.kind:
            raise CorpusError(
                f"{other.path}: it is {other.kind} where {first.path} is {first.kind}: convert one kind at a "
                "time"
            )
        for name in [*first.columns, *other.columns]:
            mine, theirs = (one.columns.get(name, "nothing") for one in (other, first))
            is_missing = (
                "nothing" in (mine, theirs) and first.kind == "jsonl"
            )  # lines need not have all fields
            if mine != theirs and not is_missing:
                raise CorpusError(
                    f"{other.path}: the column {name!r} holds {mine} where {first.path} has {theirs}: all "
                    "files must have the same columns"
                )


def _common_scheme(inputs: Sequence[_Input]) -> TypeScheme | None:
    scheme: TypeScheme | None = None
    for one in inputs:
        try:
            scheme = unite_schemes(scheme, one.scheme)
        except CorpusError:
            raise CorpusError(f"{one.path}: it declares other boundary types than a file before") from None
    return scheme


# -------------------------------------------------------------------- converting


class _Conversion:
    """One conversion."""

    def __init__(
        self,
        inputs: Sequence[_Input],
        path: Path,
        coders: Sequence[str],
        documents: Sequence[str],
        memory: int,
        advance: Advance | None,
    ) -> None:
        self._inputs, self._path, self._memory, self._advance = inputs, path, memory, advance
        self._choices = _Choice("coder", coders), _Choice("document", documents)
        self._pyarrow = load_pyarrow("Parquet needs")
        self._scheme = _common_scheme(inputs)
        self._found = Conversion()
        self._further: dict[str, Any] = {}
        for one in inputs:
            self._further.update(one.columns)
        self._has_types = any(one.has_types for one in inputs)

    def run(self) -> Conversion:
        """Write the file."""
        import tempfile  # slow to import

        check_regular(self._path)
        parent = Path(os.path.realpath(self._path)).parent
        if not parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._path))
        try:
            folder = tempfile.TemporaryDirectory(dir=parent, prefix=f".{self._path.name[:50]}.")
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self._path)) from None
        with folder:
            self._write(self._sorted(Path(folder.name)))
        return self._found

    def _sorted(self, folder: Path) -> Iterator[Any]:
        """Yield all rows in tables of whole documents, sorted."""
        if all(one.is_sorted for one in self._inputs) and len(self._inputs) <= FAN_IN:
            return merge([partial(self._tables, [one]) for one in self._inputs], self._memory)
        sorting = ExternalSort(folder, self._memory, self._path)
        for table in self._tables(self._inputs):
            sorting.add(table)
        return sorting.tables()

    def _tables(self, inputs: Sequence[_Input]) -> Iterator[Any]:
        """Yield the rows that are wanted, checked one by one."""
        size = sum(state_of(one.path)[0] for one in inputs)
        done = 0
        for one in inputs:
            for rows in self._rows(one):
                table = rows.table
                for choice in self._choices:
                    table = choice.of(table)
                if len(table):
                    self._check(rows)
                    self._has_types |= "types" in table.column_names
                    yield self._with_all_columns(table)
            done += state_of(one.path)[0]
            if self._advance is not None:
                self._advance(done, size)

    def _rows(self, one: _Input) -> Iterator[PlacedRows]:
        if one.kind == "jsonl":
            lines = LineRows(one.path)
            yield from lines.rows([*self._further], note_others=True)
            self._found.n_uncoded += lines.n_uncoded
            for name, line in lines.left_out.items():
                self._found.left_out.setdefault(name, f"{one.path}: line {line}")
            return
        with closing(ParquetRows(one.path)) as rows:
            yield from rows.rows([*self._further])

    def _check(self, rows: PlacedRows) -> None:
        """Refuse a segmentation that is none, or has types that nobody declared."""
        table = rows.table
        positions = table["positions"].combine_chunks()
        offsets = np.asarray(positions.offsets).astype(np.int64)
        start, end = int(offsets[0]), int(offsets[-1])
        types = None
        if "types" in table.column_names:
            types = table["types"].combine_chunks().flatten().to_numpy().copy()
        codings = Columns(
            table["n_units"].to_numpy(),
            offsets - start,
            positions.values.slice(start, end - start).to_numpy(),
            types,
        )

        def name(row: int) -> str:
            document, coder = (table[column][row].as_py() for column in ("document", "coder"))
            return f"{rows.place(row)}: {coding_name(document, coder)}"

        checked = check_columns(codings, name)
        if self._scheme is not None:
            wrong = np.flatnonzero(~np.isin(checked.all_types, self._scheme.types))
            if len(wrong):
                row = int(checked.coding[wrong[0]])
                raise CorpusError(
                    f"{name(row)}: type {checked.all_types[wrong[0]]} is not among the declared types "
                    f"{', '.join(map(str, self._scheme.types))}"
                )

    def _with_all_columns(self, table: Any) -> Any:
        """Return the rows with all columns in their order; what a file has not is missing."""
        pyarrow = self._pyarrow
        kinds = {
            "document": pyarrow.string(),
            "coder": pyarrow.string(),
            "n_units": pyarrow.int64(),
            "positions": pyarrow.list_(pyarrow.int64()),
            "types": pyarrow.list_(pyarrow.int64()),
            **self._further,
        }
        there = table.column_names
        return pyarrow.table(
            {
                name: table[name].cast(kind) if name in there else pyarrow.nulls(len(table), kind)
                for name, kind in kinds.items()
            }
        )

    def _write(self, tables: Iterator[Any]) -> None:
        first = next(tables, None)
        if first is None:
            self._check_choices()
            raise CorpusError(f"{self._inputs[0].path}: there are no codings")
        schema = first.schema
        if not self._has_types:
            schema = schema.remove(schema.get_field_index("types"))
        group_rows = max(1, min(GROUP_ROWS, self._memory // BYTES_PER_ROW))
        with LayoutWriter(
            self._path, schema, order=SORTED, scheme=self._scheme, group_rows=group_rows
        ) as writer:
            for table in chain([first], tables):
                self._found.n_documents += self._n_documents(table)
                self._found.n_codings += len(table)
                if len(self._found.coders) < MANY_NAMES:
                    self._found.coders.update(table["coder"].unique().to_pylist())
                if self._has_types:
                    table = with_types_filled_in(self._pyarrow, table)
                writer.write(table.select(schema.names))
            self._check_choices()

    def _check_choices(self) -> None:
        for choice in self._choices:
            choice.check()

    def _n_documents(self, table: Any) -> int:
        """Check whole documents; what is wrong with one is said with the places of its rows."""
        try:
            return check_documents(table)
        except DocumentFault as error:
            places = self._places(error.document)
            others = f" (its rows begin at {places[0]})" if len(places) > 1 else ""
            raise CorpusError(f"{places[-1]}: {error}{others}") from None

    def _places(self, document: str) -> list[str]:
        """Return where the rows of a document stand in the input, which is read again for it."""
        from pyarrow import compute  # type: ignore[import-untyped]

        found = []
        for one in self._inputs:
            for rows in self._rows(one):
                is_it = np.asarray(compute.equal(rows.table["document"], document))
                found += [rows.place(row) for row in np.flatnonzero(is_it).tolist()]
        return found


def with_types_filled_in(pyarrow: Any, table: Any) -> Any:
    """Return the table with types on all rows: where a row has none, its boundaries are plain.

    >>> import pyarrow
    >>> rows = pyarrow.table({"positions": [[2, 3], [4]], "types": [None, [2]]})
    >>> with_types_filled_in(pyarrow, rows)["types"].to_pylist()
    [[1, 1], [2]]
    """
    positions, types = (table[name].combine_chunks() for name in ("positions", "types"))
    if not types.null_count:
        return table
    lengths = np.diff(np.asarray(positions.offsets))
    values = np.full(int(lengths.sum()), PLAIN_TYPE, dtype=np.int64)
    values[np.repeat(np.asarray(types.is_valid()), lengths)] = types.flatten().to_numpy()
    offsets = np.asarray(positions.offsets)
    filled = pyarrow.ListArray.from_arrays(pyarrow.array(offsets - offsets[0]), pyarrow.array(values))
    return table.set_column(table.column_names.index("types"), "types", filled)


class _Choice:
    """Which coders, or documents, are wanted, and which of them were found."""

    def __init__(self, column: str, patterns: Sequence[str]) -> None:
        self._column, self._patterns = column, tuple(patterns)
        self._known: dict[str, bool] = {}
        self._missing = set(patterns)

    def of(self, table: Any) -> Any:
        """Return the rows that are wanted."""
        import pyarrow
        from pyarrow import compute

        if not self._patterns:
            return table
        names = table[self._column].unique().to_pylist()
        wanted = [name for name in names if self._is_wanted(name)]
        if len(wanted) == len(names):
            return table
        return table.filter(
            compute.is_in(table[self._column].cast("string"), pyarrow.array(wanted, pyarrow.string()))
        )

    def _is_wanted(self, name: str) -> bool:
        if name in self._known:
            return self._known[name]
        fitting = {pattern for pattern in self._patterns if _fits(name, pattern)}
        self._missing -= fitting
        if len(self._known) < MANY_NAMES:
            self._known[name] = bool(fitting)
        return bool(fitting)

    def check(self) -> None:
        """Refuse a name that nothing has."""
        if self._missing:
            missing = next(name for name in self._patterns if name in self._missing)
            hint = did_you_mean(missing, self._known)
            raise UnknownNameError(f"there is no {self._column} {missing!r}; {hint}")


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)
