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
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from caesura.errors import EngineError, missing_extra
from caesura.scale.engines.base import count_blocks, engine_error, is_of, outcome, read_blocks, result_of
from caesura.scale.engines.threads import Threads
from caesura.scale.grouping import Job
from caesura.scale.parts import Part
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

T = TypeVar("T")
R = TypeVar("R")

NAME, SCHEME = "spark", "spark://"

JOBS = 3
"""Jobs at a time: while one ends, its cores have work from the next."""

LEAST_ITEMS, MOST_ITEMS = 8, 64
"""Items of a job, as many as Spark has cores; the driver holds the results of few jobs."""

PAIRS = "number long, content binary"
"""The columns of what goes from executor to executor, and back: blocks of parts, and pickles of results."""


@dataclass(frozen=True)
class Spark:
    """A session, or the master to start one with; None: the one that Spark's configuration names."""

    session: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Run a job for few items at a time, a task each, and yield results in their order."""
        with _opened(self.session) as session:
            tag = f"caesura-{uuid.uuid4().hex}"
            size = min(max(LEAST_ITEMS, _n_cores(session)), MOST_ITEMS)

            def job(group: list[T]) -> list[Any]:
                session.addTag(tag)
                with _spark_errors():
                    rows = _numbered(
                        session, len(group), partial(_outcomes, __version__, function, group)
                    ).collect()
                return [pickle.loads(row["content"]) for row in sorted(rows)]

            left = iter(items)
            try:
                for results in Threads(JOBS)(job, iter(lambda: [*islice(left, size)], [])):
                    yield from map(result_of, results)
            finally:
                session.interruptTag(tag)

    def as_they_lie(self, job: Job) -> Iterator[Part] | None:
        """Have executors count pieces of files that say that no document is divided among these."""
        return self(job.count_piece, job.pieces) if job.is_grouped else None

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Let Spark bring the blocks of each part together, and yield what is counted of the part."""
        with _opened(self.session) as session:
            from pyspark import StorageLevel

            read = partial(_blocks, __version__, job, n_parts, {*numbers})
            with _spark_errors():
                blocks = _numbered(session, len(job.pieces), read)
                divided = blocks.repartition(max(_n_cores(session), n_parts), "number")
                count = partial(_counts, __version__, job)
                counted = divided.sortWithinPartitions("number").mapInArrow(count, PAIRS)
                counted = counted.persist(StorageLevel.DISK_ONLY)
            try:
                with _spark_errors():
                    counted.count()  # all at once; then they are taken one after the other
                    parts: dict[int, Part] = {}
                    for row in counted.toLocalIterator(prefetchPartitions=True):
                        parts[row["number"]] = result_of(pickle.loads(row["content"]))
                for number in numbers:
                    yield parts.pop(number, Part({}))
            finally:
                counted.unpersist()


def from_given(engine: Any) -> Spark | None:
    """Return the engine of a session, or of a master's address."""
    if isinstance(engine, str):
        if engine == NAME:
            return Spark(None)
        return Spark(engine) if engine.startswith(SCHEME) else None
    return Spark(engine) if is_of(engine, "pyspark.SparkSession") else None


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

Pairs = Iterable[tuple[int, bytes]]


def _numbered(session: Any, n: int, function: Callable[[int], Pairs]) -> Any:
    """Return the pairs that a function makes of each number below n, a task each."""

    def pairs(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield from (_batch(function(number)) for number in batch.column(0).to_pylist())

    return session.range(0, n, 1, max(1, n)).mapInArrow(pairs, PAIRS)


def _outcomes(version: str, function: Callable[[T], Any], items: Sequence[T], number: int) -> Pairs:
    return [(number, pickle.dumps(outcome(version, function, items[number])))]


def _blocks(version: str, job: Job, n_parts: int, numbers: set[int], number: int) -> Pairs:
    return read_blocks(version, job, n_parts, numbers, job.pieces[number])


def _counts(version: str, job: Job, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield what was counted of each part, from batches of sorted blocks."""
    pairs = (pair for batch in batches for pair in zip(*batch.to_pydict().values(), strict=True))
    for number, part in groupby(pairs, key=itemgetter(0)):
        yield _batch([(number, count_blocks(version, job, (block for _, block in part)))])


def _batch(pairs: Pairs) -> Any:
    pyarrow = load_pyarrow()
    schema = pyarrow.schema({"number": pyarrow.int64(), "content": pyarrow.binary()})
    rows = [dict(zip(schema.names, pair, strict=True)) for pair in pairs]
    return pyarrow.RecordBatch.from_pylist(rows, schema=schema)
