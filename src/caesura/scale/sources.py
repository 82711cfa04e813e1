"""Sources: what an address names, as parts that can be read one by one, by threads or on other machines.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     with open(f"{folder}/x.jsonl", "w") as stream:
...         _ = stream.write('{"document": "a", "coder": "ann", "masses": [2, 3]}\\n')
...         _ = stream.write('{"document": "b", "coder": "ann", "gaps": "01"}\\n')
...     source = open_source(f"{folder}/x.jsonl")
...     [(batch.rows.num_rows, batch.rows["positions"].to_pylist()) for batch in source.batches()]
[(2, [[2], [2]])]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from caesura.errors import CorpusError, UnknownNameError, did_you_mean
from caesura.io.finding import PathLike
from caesura.scale.addresses import DataFile, find_files
from caesura.scale.batches import LONG_TABLE, SEGMENTATIONS, Batch
from caesura.scale.layout import ORDER_KEY, SORTED
from caesura.scale.line_batches import LineRows, arrow_type
from caesura.scale.parquet_batches import ParquetRows
from caesura.values.arrow import load_pyarrow
from caesura.values.corpus import SCHEME_KEY
from caesura.values.type_scheme import TypeScheme, unite_schemes


@dataclass(frozen=True)
class Part:
    """What one worker reads at a time: a row group, or a file of lines; it can be sent to another process."""

    file: DataFile
    columns: tuple[str, ...] = ()
    """Further columns to read."""
    row_group: int | None = None
    n_rows: int | None = None
    """How many rows it has, where that is known before it is read."""

    @property
    def name(self) -> str:
        """Where it is, for a message."""
        return self.file.name if self.row_group is None else f"{self.file.name}: row group {self.row_group}"

    def batches(self) -> Iterator[Batch]:
        """Yield its rows."""
        if self.file.kind == "jsonl":
            yield from LineRows(self.file).batches(self.columns)
            return
        with closing(ParquetRows(self.file)) as rows:
            yield from rows.batches(self.columns, None if self.row_group is None else [self.row_group])


class FileFacts(NamedTuple):
    """What a file says of all its rows."""

    kinds: dict[str, Any]
    """Further columns and their Arrow types."""
    n_rows: tuple[int, ...] | None
    """Rows of each row group."""
    scheme: TypeScheme | None
    is_sorted: bool


@dataclass(frozen=True)
class Source:
    """The files behind an address; nothing is read of them before it is asked for."""

    files: tuple[DataFile, ...]
    columns: tuple[str, ...] = ()
    """Further columns to read, beside the long table's."""

    @cached_property
    def facts(self) -> tuple[FileFacts, ...]:
        """What each file says of its rows, from its end or its first lines; they must fit together."""
        found: list[FileFacts] = []
        for file in self.files:
            facts = facts_of(file)
            self._check_fits(file, facts, found[0] if found else facts)
            found.append(facts)
        return tuple(found)

    @cached_property
    def type_scheme(self) -> TypeScheme | None:
        """What the boundary types mean, as the files declare together."""
        scheme: TypeScheme | None = None
        for file, facts in zip(self.files, self.facts, strict=True):
            try:
                scheme = unite_schemes(scheme, facts.scheme)
            except CorpusError:
                raise CorpusError(
                    f"{file.name}: it declares other boundary types than a file before"
                ) from None
        return scheme

    @property
    def is_sorted(self) -> bool:
        """Whether it is one file that says that its rows are in the order of their documents' names."""
        return len(self.files) == 1 and self.facts[0].is_sorted

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where the files say so."""
        counts = [facts.n_rows for facts in self.facts]
        return None if None in counts else sum(sum(count) for count in counts if count is not None)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    def parts(self) -> Iterator[Part]:
        """Yield what can be read on its own, in order."""
        for file, facts in zip(self.files, self.facts, strict=True):
            if facts.n_rows is None:
                yield Part(file, self.columns)
                continue
            for group, n_rows in enumerate(facts.n_rows):
                if n_rows:
                    yield Part(file, self.columns, group, n_rows)

    def batches(self) -> Iterator[Batch]:
        """Yield all rows in order, each file opened once."""
        _ = self.facts
        for file in self.files:
            yield from Part(file, self.columns).batches()

    def _check_fits(self, file: DataFile, facts: FileFacts, first: FileFacts) -> None:
        """Refuse a file whose further columns are not those of the first."""
        for name in self.columns:
            if name not in facts.kinds:
                known = [*LONG_TABLE, *facts.kinds]
                raise UnknownNameError(
                    f"{file.name}: there is no column {name!r}; {did_you_mean(name, known)}"
                )
            mine, theirs = facts.kinds[name], first.kinds[name]
            if mine != theirs:
                raise CorpusError(
                    f"{file.name}: the column {name!r} holds {mine} where {self.files[0].name} has {theirs}: "
                    "all files must have the same columns"
                )


def open_source(address: PathLike | Iterable[PathLike], columns: Sequence[str] = ()) -> Source:
    """Return what a path, a pattern, a folder, a URL, or several of them name, with further columns to read.

    The columns of the long table are always there; others, such as one with the genre of each document, are
    asked for by name.
    """
    further = tuple(name for name in dict.fromkeys(columns) if name not in SEGMENTATIONS)
    return Source(find_files(address), further)


def facts_of(file: DataFile) -> FileFacts:
    """Return what a file says of its rows."""
    if file.kind == "jsonl":
        pyarrow = load_pyarrow("JSON Lines in batches need")
        head = LineRows(file).head
        kinds = {name: arrow_type(pyarrow, kind) for name, kind in head.kinds.items()}
        return FileFacts(kinds, None, head.scheme, is_sorted=False)
    with closing(ParquetRows(file)) as rows:
        footer = rows.footer
        kinds = {name: kind for name, kind in footer.kinds.items() if name not in SEGMENTATIONS}
        metadata = footer.metadata
        is_sorted = metadata.get(ORDER_KEY) == SORTED
        return FileFacts(kinds, footer.n_rows, _declared(file, metadata.get(SCHEME_KEY)), is_sorted)


def _declared(file: DataFile, scheme: bytes | None) -> TypeScheme | None:
    if scheme is None:
        return None
    try:
        return TypeScheme.from_dict(json.loads(scheme))
    except (CorpusError, ValueError) as error:
        raise CorpusError(f"{file.name}: its metadata: {error}") from None
