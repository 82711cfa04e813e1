"""Spark: executors read and count the pieces, or rows that Spark has brought together, in ``mapInArrow``.

Only what a finished job has collected is added up, so that tasks that were tried again, or ran twice because
one of them was slow, change nothing.
"""

from __future__ import annotations

import os
import pickle
import sys
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from caesura.errors import EngineError, missing_extra
from caesura.scale.documents import whole_documents
from caesura.scale.engines.base import Failure, engine_error, outcome, result_of
from caesura.scale.engines.threads import Threads
from caesura.scale.grouping import Job, part_numbers
from caesura.scale.parts import Part
from caesura.scale.rows import compute, long_fields, with_columns
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

T = TypeVar("T")
R = TypeVar("R")

NAME, SCHEME = "spark", "spark://"

JOBS = 3
"""Jobs at a time: while one ends, its cores have work from the next."""

LEAST_ITEMS, MOST_ITEMS = 8, 64
"""Items of a job, as many as Spark has cores; the driver holds the results of few jobs."""

OUTCOMES = "item long, outcome binary"
"""The columns of results."""

ROWS = (
    "document string, coder string, n_units long, positions array<long>, types array<long>, "
    "stratum string, side byte, part long, fault binary"
)
"""The columns of rows on the way."""


@dataclass(frozen=True)
class Spark:
    """A session, or the master to start one with; None: the one that Spark's configuration names."""

    session: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Run a job for some items at a time, a task each, and yield results in their order."""
        with _opened(self.session) as session:
            tag = f"caesura-{uuid.uuid4().hex}"
            size = min(max(LEAST_ITEMS, _n_cores(session)), MOST_ITEMS)

            def job(some: list[T]) -> list[Any]:
                session.addTag(tag)
                return _collected(session, _Map(__version__, function, some), len(some))

            results = Threads(JOBS)(job, _lists(items, size))
            try:
                for found in results:
                    yield from map(result_of, found)
            finally:
                session.interruptTag(tag)

    def as_they_lie(self, job: Job) -> Iterator[Part] | None:
        """Have executors count pieces of files that say that no document is divided among these."""
        return self(job.count_piece, job.pieces) if job.is_grouped else None

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Let Spark divide rows by the part of their document and sort them, and yield what is counted."""
        with _opened(self.session) as session:
            from pyspark import StorageLevel

            n = max(1, len(job.pieces))
            with _spark_errors():
                rows = session.range(0, n, 1, n).mapInArrow(_Read(job, n_parts, {*numbers}), ROWS)
                divided = rows.repartition(max(_n_cores(session), n_parts), "part")
                sorted_rows = divided.sortWithinPartitions("part", "document")
                counted = sorted_rows.mapInArrow(_Count(__version__, job), OUTCOMES)
                counted = counted.persist(StorageLevel.DISK_ONLY)
            try:
                with _spark_errors():
                    counted.count()  # all at once; then they are taken one after the other
                    collected: dict[int, Part] = {}
                    for row in counted.toLocalIterator(prefetchPartitions=True):
                        collected[row["item"]] = result_of(pickle.loads(row["outcome"]))
                for number in numbers:
                    yield collected.pop(number, Part({}))
            finally:
                counted.unpersist()


def from_given(engine: Any) -> Spark | None:
    """Return the engine of a session, which needs no import to be known, or of a master's address."""
    if isinstance(engine, str):
        if engine == NAME:
            return Spark(None)
        return Spark(engine) if engine.startswith(SCHEME) else None
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(engine).__mro__}
    return Spark(engine) if "pyspark.SparkSession" in kinds else None


# -------------------------------------------------------------------- sessions


@contextmanager
def _opened(session: Any) -> Iterator[Any]:
    """Yield the session that was given or is active, or one that is stopped afterwards."""
    if session is not None and not isinstance(session, str):
        yield session
        return
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise missing_extra("Spark needs pyspark", "spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    opened = _started(session)
    try:
        yield opened
    finally:
        opened.stop()


def _started(master: str | None) -> Any:
    """Start a session; a local one has this Python, and listens to this machine alone."""
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    with _spark_errors():
        conf = SparkConf().setAppName("caesura").setIfMissing("spark.ui.showConsoleProgress", "false")
        if master is not None:
            conf.setMaster(master)
        conf.setIfMissing("spark.master", "local[*]")
        if str(conf.get("spark.master")).startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
            conf.setIfMissing("spark.ui.enabled", "false")
        session = SparkSession.builder.config(conf=conf).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        return session


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Say what Spark says in one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        if "JAVA_GATEWAY_EXITED" in str(error):
            raise EngineError("Spark needs Java 17 or later: install a runtime, or set JAVA_HOME") from None
        raise engine_error("Spark", error) from error


def _n_cores(session: Any) -> int:
    """Return how many tasks run at a time, as far as Spark knows."""
    try:
        return int(session.sparkContext.defaultParallelism)
    except AttributeError:  # Spark Connect does not tell
        return LEAST_ITEMS


# -------------------------------------------------------------------- on the executors


def _lists(items: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(items)
    while some := [*islice(left, size)]:
        yield some


def _collected(session: Any, mapped: _Map, n: int) -> list[Any]:
    with _spark_errors():
        rows = session.range(0, n, 1, n).mapInArrow(mapped, OUTCOMES).collect()
    found = {row["item"]: row["outcome"] for row in rows}
    return [pickle.loads(found[number]) for number in range(n)]


def _numbers(batches: Iterable[Any]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _outcomes(number: int, found: Any) -> Any:
    pyarrow = load_pyarrow()
    schema = pyarrow.schema({"item": pyarrow.int64(), "outcome": pyarrow.binary()})
    return pyarrow.RecordBatch.from_pydict(
        {"item": [number], "outcome": [pickle.dumps(found)]}, schema=schema
    )


@dataclass(frozen=True)
class _Map:
    """From a batch of numbers of items to a batch of what the function returns."""

    version: str
    function: Callable[[Any], Any]
    items: list[Any]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for number in _numbers(batches):
            yield _outcomes(number, outcome(self.version, self.function, self.items[number]))


@dataclass(frozen=True)
class _Read:
    """From a batch of numbers of pieces to batches of their rows; a failure takes the place of rows."""

    job: Job
    n_parts: int
    numbers: set[int]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        pyarrow = load_pyarrow()
        numbers = pyarrow.array(sorted(self.numbers))
        for number in _numbers(batches):
            tables = self.job.rows([self.job.pieces[number]]) if self.job.pieces else iter(())
            while True:
                found = outcome(__version__, lambda rows: next(rows, None), tables)
                if found is None:
                    break
                if isinstance(found, Failure):
                    row = {"document": "", "part": min(self.numbers), "fault": pickle.dumps(found)}
                    yield pyarrow.RecordBatch.from_pylist([row], schema=_row_schema())
                    break
                part = pyarrow.array(part_numbers(found, self.n_parts))
                found = with_columns(found.append_column("part", part), _row_schema())
                yield from found.filter(compute().is_in(found["part"], numbers)).to_batches()


def _row_schema() -> Any:
    pyarrow = load_pyarrow()
    further = {"stratum": pyarrow.string(), "side": pyarrow.int8(), "part": pyarrow.int64()}
    return pyarrow.schema({**long_fields(), **further, "fault": pyarrow.binary()})


@dataclass(frozen=True)
class _Count:
    """From batches of sorted rows to batches of what was counted, one for each part."""

    version: str
    job: Job

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        pyarrow = load_pyarrow()
        tables = (pyarrow.Table.from_batches([batch]) for batch in batches)
        for number, group in groupby(_by_part(tables), key=itemgetter(0)):
            rows = (table for _, table in group)
            found = outcome(self.version, self._counted, rows)
            yield _outcomes(number, found)
            if isinstance(found, Failure):
                return

    def _counted(self, tables: Iterable[Any]) -> Part:
        def rows() -> Iterator[Any]:
            for table in tables:
                faults = table["fault"].drop_null()
                if len(faults):
                    result_of(pickle.loads(faults[0].as_py()))
                yield self.job.on_its_way(table)

        return self.job.task.count_all(whole_documents(rows(), self.job.task.batch_rows))


def _by_part(tables: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the rows of each part in sorted batches."""
    for table in tables:
        numbers = table["part"].to_numpy()
        starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, end in pairwise(starts):
            if end > start:
                yield int(numbers[start]), table.slice(start, end - start)
