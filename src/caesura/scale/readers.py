"""The kinds of files that a scan reads.

pyarrow reads: it is as fast as DuckDB, takes less memory, and the number of a row is known. Measured with two
threads (CPU seconds, peak memory; DuckDB in brackets): 2 million rows of Parquet .27 s, 215 MB (.26 s,
240 MB); a million JSON lines .74 s, 225 MB (.97 s, 410 MB), compressed .82 s, 210 MB (1.2 s, 410 MB); a
million rows of CSV .44 s, 280 MB (.53 s, 335 MB).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import call
from typing import Any

from caesura.errors import CorpusError, missing_extra
from caesura.io.addresses import state_of
from caesura.scale.data_files import DataFile, LocatedRows, Wanted, naming_file
from caesura.scale.parquet_files import ParquetFile
from caesura.scale.text_files import JsonLines, Table
from caesura.values.arrow import read_codings
from caesura.values.columns import check_columns
from caesura.values.forms import coding_name
from caesura.values.type_scheme import TypeScheme, check_types

FILES = 1024
"""Most files that are not looked at again until they change."""

KINDS: tuple[type[DataFile], ...] = (ParquetFile, JsonLines, Table)


def kind_of(path: str) -> type[DataFile]:
    """Return the kind of a file, by its extension.

    >>> [kind_of(path).kind for path in ("part-0.parquet", "part-0.jsonl.gz", "x.tsv")]
    ['parquet', 'jsonl', 'csv']
    """
    for kind in KINDS:
        if path.lower().endswith(kind.extensions):
            return kind
    known = ", ".join(extension for kind in KINDS for extension in kind.extensions)
    raise CorpusError(f"{path}: a scan reads {known}; convert it with caesura convert")


def check_one_kind(paths: Sequence[str]) -> None:
    """Refuse files of two kinds."""
    for path in paths[1:]:
        if kind_of(path) != kind_of(paths[0]):
            kinds = f"{kind_of(path).kind} where {paths[0]} is {kind_of(paths[0]).kind}"
            raise CorpusError(f"{path}: it is {kinds}; give files of one kind")


def look_at(path: str) -> DataFile:
    """Return what a file says about itself; its rows are not read."""
    kind_of(path)  # or an error, before extras are missed
    try:
        import duckdb  # noqa: F401
        import pyarrow  # type: ignore[import-untyped]  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra(f"scans need {error.name}", "scale") from None
    with naming_file(path):
        return _look(path, *state_of(path))


@lru_cache(maxsize=FILES)
def _look(path: str, n_bytes: int, state: str) -> DataFile:
    return kind_of(path).look(path, n_bytes, state)


def located_rows(file: DataFile, wanted: Wanted) -> Iterator[LocatedRows]:
    """Yield all rows of a file."""
    return map(call, file.unread(wanted))


def checked_rows(
    file: DataFile, wanted: Wanted, scheme: TypeScheme | None, mapped: Callable[..., Iterable[Any]] = map
) -> Iterator[LocatedRows]:
    """Yield all rows of a file; refuse an invalid segmentation, and types that are not declared."""
    with naming_file(file.path):
        for rows in mapped(call, file.unread(wanted)):
            names = rows.table["document"], rows.table["coder"]

            def name(row: int, where: Any = rows.where, names: Any = names) -> str:
                return f"{where(row)}: {coding_name(*(column[row].as_py() for column in names))}"

            codings = read_codings(rows.table, mixed=True)
            assert codings is not None  # rows are plain
            codings = check_columns(codings, name)
            if scheme is not None:
                check_types(codings, scheme, name)
            yield rows
