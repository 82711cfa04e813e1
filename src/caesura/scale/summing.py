"""Adding up counts: of documents in the order of the rows if that keeps them whole, else brought together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, CorpusError, unknown
from caesura.io.addresses import check_here
from caesura.io.files import draft_of
from caesura.io.layout import check_regular, load_parquet, parquet_to
from caesura.scale.counting import AT_ONCE, Task
from caesura.scale.data_files import BadFileError, DataFile, Wanted, connected
from caesura.scale.documents import DocumentFault
from caesura.scale.engines.base import Engine
from caesura.scale.engines.registry import engine_of
from caesura.scale.grouping import Job
from caesura.scale.parts import Part, Store
from caesura.scale.readers import checked_rows
from caesura.sums.streams import Progress, Run, Total
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted


def add_up(
    task: Task, sides: Sequence[Sequence[DataFile]], run: Run, *, bad: Sequence[BadFileError] | None = None
) -> Total:
    """Count all files, on one side or two, and add up the parts.

    ``bad`` lists the errors of files that are skipped; others may join them. None: a bad file is an error.
    """
    engine, skipped = engine_of(run.engine), [*(bad or ())]
    job = Job(task, tuple(map(tuple, sides)))
    if bad is not None:
        skipped += chain.from_iterable(engine(partial(_file_errors, task.scheme), job.files))
    in_row_order = run.resume is None and len(sides) == 1
    while True:
        gone = {error.path for error in skipped}
        job = replace(job, sides=tuple(tuple(f for f in side if f.path not in gone) for side in job.sides))
        try:
            total = _total(engine, run, job, in_row_order=in_row_order)
        except NotTogetherError:
            in_row_order = False
        except (DocumentFault, BadFileError) as error:
            fault: CaesuraError = error
            if isinstance(error, DocumentFault):
                if in_row_order:  # its other rows may stand elsewhere
                    in_row_order = False
                    continue
                fault = located(error, job.files, task.scheme)
            if bad is None or not isinstance(fault, BadFileError) or not fault.path:
                raise fault from None
            skipped.append(fault)
        else:
            return Total(total.sums, total.coders, tuple(map(str, skipped)), total.typed)


class NotTogetherError(Exception):
    """Documents are read in the order of the rows, and a document may occur again."""


def _total(engine: Engine, run: Run, job: Job, *, in_row_order: bool) -> Part:
    """Return the sum of all parts."""
    parts = engine.in_row_order(job) if in_row_order and job.sides[0] else None
    total = Part({})
    watch = run.progress or (lambda progress: None)

    with _values_file(run.documents, is_ordered=parts is not None) as write_values:
        for part in _together(engine, run, job) if parts is None else parts:
            write_values(part.documents)
            total += replace(part, documents=None)
            if total.edges is not None and not (total.edges.ascends or total.edges.counts_up):
                raise NotTogetherError
            job.task.check_sums(total)
            share = min(1.0, total.n_rows / max(1, job.about_rows))
            watch(Progress(total.n_documents, total.n_rows, job.n_rows, share))
        if not total.n_rows:
            raise CorpusError("the files have no rows")
        for kind, names in job.task.roles.items():
            for name in names:
                if name not in total.coders:
                    raise unknown(kind, name, total.coders)
        watch(Progress(total.n_documents, total.n_rows, total.n_rows, 1.0))
    return total


def _together(engine: Engine, run: Run, job: Job) -> Iterator[Part]:
    """Yield parts of documents that were brought together, or what is stored of them."""
    if run.resume is None:
        yield from engine.together(job, range(job.n_parts))
        return
    store = Store(run.resume, repr(job.task), job.sides, job.n_parts)
    again: Counter[str] = Counter()
    missing = []
    for number in range(job.n_parts):
        part, reason = store.read(number)
        if part is not None:
            yield part
            continue
        missing.append(number)
        again.update([reason] if reason else ())
    if missing:
        for number, part in zip(missing, engine.together(job, missing), strict=True):
            store.write(number, part)
            yield part
    for reason, n in again.items():
        run.remark(f"{store.folder}: {counted(n, 'part')} counted again: {reason}")
    strangers = store.n_strangers()
    if strangers:
        run.remark(
            f"{store.folder}: {counted(strangers, 'part')} left alone: of other files, or divided otherwise"
        )


@contextmanager
def _values_file(path: Path | None, *, is_ordered: bool) -> Iterator[Callable[[Any], None]]:
    """Give a function that adds documents' values to a file, which appears whole or not at all.

    DuckDB sorts documents that arrive unordered. Without a path, nothing is written.
    """
    if path is None:
        yield lambda _: None
        return
    check_here(path, "values are written to a file")
    check_regular(path)
    parquet = load_parquet()
    with draft_of(path) as draft:
        with parquet_to(path, lambda schema: parquet.parquet.ParquetWriter(draft, schema)) as write:
            yield lambda table: None if table is None else write(table)
        if not is_ordered and draft.stat().st_size:
            schema = parquet.parquet.read_schema(draft)
            with (
                closing(connected(temp_directory=str(draft.parent))) as own,
                draft_of(draft) as final,
                parquet_to(path, lambda schema: parquet.parquet.ParquetWriter(final, schema)) as write,
            ):
                for batch in own.read_parquet(str(draft)).order("document").to_arrow_reader(AT_ONCE):
                    write(parquet.Table.from_batches([batch]).cast(schema))


# -------------------------------------------------------------------- what is wrong, and where


def _file_errors(scheme: TypeScheme | None, item: tuple[DataFile, Wanted]) -> list[BadFileError]:
    """Return what is wrong with a file, if anything."""
    try:
        for _ in checked_rows(*item, scheme):
            pass
    except BadFileError as error:
        return [error]
    return []


def located(
    fault: DocumentFault, files: Iterable[tuple[DataFile, Wanted]], scheme: TypeScheme | None
) -> CaesuraError:
    """Return the error of a document and where its rows are; reads all files again."""
    places: list[tuple[str, str]] = []
    try:
        for file, wanted in files:
            for rows in checked_rows(file, wanted, scheme):
                names = enumerate(rows.table["document"].to_pylist())
                places += [(rows.where(row), file.path) for row, name in names if name == fault.document]
    except BadFileError as error:
        return error
    if not places:
        return BadFileError(str(fault))
    where, path = places[-1]
    others = f" (its rows begin at {places[0][0]})" if len(places) > 1 else ""
    message = f"{where}: {fault}{others}"
    return BadFileError(message, path) if fault.kind is BadFileError else fault.kind(message)
