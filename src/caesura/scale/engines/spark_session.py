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
from itertools import islice
from typing import Any, TypeVar

from caesura.errors import EngineError, missing_extra
from caesura.scale.engines.outcomes import engine_error, outcome, result_of
from caesura.scale.engines.threads import Threads
from caesura.scale.grouping import Grouping, SidePiece, both_sides, n_groups
from caesura.scale.parts import Part
from caesura.scale.pieces import Piece
from caesura.scale.tasks import Task
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

T = TypeVar("T")
R = TypeVar("R")

NAME, SCHEME = "spark", "spark://"

JOBS = 3
"""Jobs at a time: while one ends, its cores have work from the next."""

LEAST_ITEMS, MOST_ITEMS = 8, 64
"""Items of a job, as many as Spark has cores; the driver holds the results of few jobs."""

GROUP_ROWS = 1 << 20
"""Rows of documents that are brought together in a task, which reads them one after the other."""

OUTCOMES = "item long, outcome binary"
"""The columns of results."""

ROWS = (
    "document string, side int, place string, coder string, n_units long, positions array<long>, "
    "types array<long>, stratum string, fault binary"
)
"""The columns of rows on the way, as ``row_schema`` has them."""


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

    def join(self, task: Task, people: Sequence[Piece], machine: Sequence[Piece]) -> Iterator[Part]:
        """Let Spark divide rows by document and sort them, and yield what is counted of each partition."""
        pieces = both_sides(people, machine)
        if not pieces:
            return
        with _opened(self.session) as session:
            from pyspark import StorageLevel

            n = max(_n_cores(session), n_groups(pieces, GROUP_ROWS))
            with _spark_errors():
                rows = session.range(0, len(pieces), 1, len(pieces)).mapInArrow(
                    _Read(Grouping(task), pieces), ROWS
                )
                sorted_rows = rows.repartition(n, "document").sortWithinPartitions(
                    "document", "side", "place"
                )
                counted = sorted_rows.mapInArrow(_Count(__version__, Grouping(task)), OUTCOMES)
                counted = counted.persist(StorageLevel.DISK_ONLY)
            try:
                with _spark_errors():
                    counted.count()  # all at once; then they are taken one after the other
                    for row in counted.toLocalIterator(prefetchPartitions=True):
                        yield result_of(pickle.loads(row["outcome"]))
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
    """From a batch of numbers of pieces to batches of their rows."""

    grouping: Grouping
    pieces: list[SidePiece]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for number in _numbers(batches):
            for table in self.grouping.read(self.pieces[number]):
                yield from table.to_batches()


@dataclass(frozen=True)
class _Count:
    """From batches of sorted rows to a batch of what was counted."""

    version: str
    grouping: Grouping

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        pyarrow = load_pyarrow()
        tables = (pyarrow.Table.from_batches([batch]) for batch in batches)
        yield _outcomes(0, outcome(self.version, self.grouping.count, tables))
