"""Adding up what is counted: documents as they lie where these prove to be whole, or brought together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from caesura.errors import CaesuraError, CorpusError
from caesura.scale.counting import Task
from caesura.scale.data_files import BadFileError, DataFile, PlacedRows, Wanted
from caesura.scale.documents import DocumentFault, NotTogetherError, follow
from caesura.scale.engines.base import Engine
from caesura.scale.engines.registry import engine_of
from caesura.scale.grouping import Job
from caesura.scale.keeping import keep_parts
from caesura.scale.layout_writer import values_file
from caesura.scale.parts import Part
from caesura.scale.readers import placed_rows
from caesura.sums.streams import Progress, Run, Total
from caesura.values.arrow import read_codings
from caesura.values.columns import check_columns
from caesura.values.forms import coding_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted


def add_up(
    task: Task,
    sides: Sequence[Sequence[DataFile]],
    run: Run,
    *,
    bad: Sequence[BadFileError] | None = None,
) -> Total:
    """Count all files, of one side or two, and add up the parts.

    ``bad`` says what is wrong with files that are left out already; others may join them. None: a bad file
    is an error.
    """
    engine, left_out = engine_of(run.engine), [*(bad or ())]
    job = Job(task, tuple(map(tuple, sides)))
    if bad is not None:
        check = partial(check_file, job.wanted(0), task.scheme)
        left_out += chain.from_iterable(engine(check, job.sides[0]))
    as_they_lie = run.resume is None and len(sides) == 1
    while True:
        gone = {error.path for error in left_out}
        job = replace(job, sides=tuple(tuple(f for f in side if f.path not in gone) for side in job.sides))
        try:
            total = _total(engine, run, job, as_they_lie=as_they_lie)
        except NotTogetherError:
            as_they_lie = False
        except DocumentFault as error:
            if as_they_lie:  # its other rows may stand elsewhere
                as_they_lie = False
                continue
            fault = located(error, job.files, task.scheme)
            if bad is None or not isinstance(fault, BadFileError) or not fault.path:
                raise fault from None
            left_out.append(fault)
        except BadFileError as error:
            if bad is None or not error.path:
                raise
            left_out.append(error)
        else:
            return Total(total.sums, total.coders, tuple(map(str, left_out)), total.typed)


def _total(engine: Engine, run: Run, job: Job, *, as_they_lie: bool) -> Part:
    """Return the sum of all parts."""
    parts = engine.as_they_lie(job) if as_they_lie and job.sides[0] else None
    is_ordered = parts is not None
    total = Part({})

    def show(all_rows: int | None, share: float) -> None:
        if run.progress is not None:
            run.progress(Progress(total.n_documents, total.n_rows, all_rows, share))

    with values_file(run.documents, is_ordered=is_ordered) as write_values:
        for part in _together(engine, run, job) if parts is None else _proved(parts):
            write_values(part.documents)
            total += replace(part, documents=None, edges=None)
            job.task.check_sums(total)
            show(job.n_rows, min(1.0, total.n_rows / max(1, job.about_rows)))
        if not total.n_rows:
            raise CorpusError("the files have no rows")
        job.task.check_total(total)
        show(total.n_rows, 1.0)
    return total


def _proved(parts: Iterator[Part]) -> Iterator[Part]:
    """Yield the parts as long as names ascend, or count up, so that none can come again."""
    edges = None
    for part in parts:
        if part.edges is not None:
            edges = follow(edges, part.edges)
        yield part


def _together(engine: Engine, run: Run, job: Job) -> Iterator[Part]:
    """Yield parts of documents that were brought together, or what is stored of them."""
    if run.resume is None:
        yield from engine.together(job, job.n_parts, range(job.n_parts))
        return
    stored = keep_parts(job, run.resume)
    again: Counter[str] = Counter()
    missing = []
    for number in range(job.n_parts):
        part, reason = stored.part(number)
        if part is not None:
            yield part
            continue
        missing.append(number)
        if reason is not None:
            again[reason] += 1
    if missing:
        parts = engine.together(job, job.n_parts, missing)
        for number, part in zip(missing, parts, strict=True):
            stored.keep(number, part)
            yield part
    for reason, n in again.items():
        run.remark(f"{stored.folder}: {counted(n, 'part')} counted again: {reason}")
    strangers = stored.strangers()
    if strangers:
        run.remark(
            f"{stored.folder}: {counted(strangers, 'part')} left alone: they are of other files, or of "
            "rows that are divided otherwise now"
        )


# -------------------------------------------------------------------- what is wrong, and where


def check_values(rows: PlacedRows, scheme: TypeScheme | None) -> None:
    """Refuse an invalid segmentation, and types that are not declared."""
    table = rows.table

    def name(row: int) -> str:
        document, coder = (table[column][row].as_py() for column in ("document", "coder"))
        return f"{rows.place(row)}: {coding_name(document, coder)}"

    try:
        codings = read_codings(table, mixed=True)
        assert codings is not None  # rows are plain
        checked = check_columns(codings, name)
    except CorpusError as error:
        raise BadFileError(str(error), rows.file) from None
    if scheme is not None:
        wrong = np.flatnonzero(~np.isin(checked.all_types, scheme.types))
        if len(wrong):
            row = int(checked.coding[wrong[0]])
            raise BadFileError(
                f"{name(row)}: type {checked.all_types[wrong[0]]} is not among the declared types "
                f"{', '.join(map(str, scheme.types))}",
                rows.file,
            )


def check_file(wanted: Wanted, scheme: TypeScheme | None, file: DataFile) -> list[BadFileError]:
    """Return what is wrong with a file by itself, if anything is."""
    try:
        for rows in placed_rows(file, wanted):
            check_values(rows, scheme)
    except BadFileError as error:
        return [error]
    return []


def located(
    fault: DocumentFault, files: Iterable[tuple[DataFile, Wanted]], scheme: TypeScheme | None
) -> CaesuraError:
    """Return what is wrong with a document as an error that says where its rows are."""
    places: list[tuple[str, str]] = []
    for file, wanted in files:
        try:
            for rows in placed_rows(file, wanted):
                check_values(rows, scheme)
                names = rows.table["document"].to_pylist()
                places += [
                    (rows.place(row), file.path) for row, name in enumerate(names) if name == fault.document
                ]
        except BadFileError as error:
            return error
    if not places:
        return BadFileError(str(fault))
    others = f" (its rows begin at {places[0][0]})" if len(places) > 1 else ""
    message = f"{places[-1][0]}: {fault}{others}"
    if fault.kind is BadFileError:
        return BadFileError(message, places[-1][1])
    return fault.kind(message) if issubclass(fault.kind, CaesuraError) else CorpusError(message)
