"""Spark: executors read and count the pieces, or rows that Spark has brought together, in ``mapInArrow``.

Only what a finished job has collected is added up, so tasks that Spark retried, or ran twice because one of
them was slow, change nothing.
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
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from caesura.errors import EngineError, missing_extra
from caesura.scale.engines import base
from caesura.scale.engines.base import R, T
from caesura.scale.engines.threads import Threads
from caesura.scale.grouping import Job
from caesura.scale.parts import Part
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

JOBS = 3
"""Jobs at a time: while one ends, its cores have work from the next."""

LEAST_ITEMS, MOST_ITEMS = 8, 64
"""Items of a job, one for each core; the driver holds the results of few jobs."""

PAIRS = "number long, content binary"
"""The columns of what executors exchange and return: blocks of parts, and pickled outcomes."""


@dataclass(frozen=True)
class Spark(base.Engine):
    """A session, or the master to start one with; None: the one in Spark's configuration."""

    session: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Run a job for few items at a time, a task each, and yield results in their order."""
        with _opened(self.session) as session:
            tag = f"caesura-{uuid.uuid4().hex}"
            size = min(max(LEAST_ITEMS, _n_cores(session)), MOST_ITEMS)

            def run(group: list[T]) -> list[Any]:
                def pairs(number: int) -> Pairs:
                    return [(number, pickle.dumps(base.outcome(__version__, function, group[number])))]

                session.addTag(tag)
                with _spark_errors():
                    rows = _numbered(session, len(group), pairs).collect()
                return [pickle.loads(row["content"]) for row in sorted(rows)]

            left = iter(items)
            try:
                for results in Threads(JOBS)(run, iter(lambda: [*islice(left, size)], [])):
                    yield from map(base.result_of, results)
            finally:
                session.interruptTag(tag)

    def together(self, job: Job, numbers: Sequence[int]) -> Iterator[Part]:
        """Let Spark bring the blocks of each part together, and yield the count of each part."""
        from pyspark import StorageLevel

        def read(piece: int) -> Pairs:
            return base.read_blocks(__version__, job, {*numbers}, job.pieces[piece])

        def count(batches: Iterable[Any]) -> Iterator[Any]:
            pairs = (pair for batch in batches for pair in zip(*batch.to_pydict().values(), strict=True))
            for number, part in groupby(pairs, key=itemgetter(0)):
                yield _batch([(number, base.count_blocks(__version__, job, (block for _, block in part)))])

        with _opened(self.session) as session:
            with _spark_errors():
                blocks = _numbered(session, len(job.pieces), read)
                divided = blocks.repartition(max(_n_cores(session), job.n_parts), "number")
                counted = divided.sortWithinPartitions("number").mapInArrow(count, PAIRS)
                counted = counted.persist(StorageLevel.DISK_ONLY)
            try:
                with _spark_errors():
                    counted.count()  # all at once; then they are taken one after the other
                    rows = counted.toLocalIterator(prefetchPartitions=True)
                    parts = {row["number"]: base.result_of(pickle.loads(row["content"])) for row in rows}
                yield from (parts.pop(number, Part({})) for number in numbers)
            finally:
                counted.unpersist()


@contextmanager
def _opened(session: Any) -> Iterator[Any]:
    """Yield the given or active session, or one that is stopped afterwards."""
    if session is not None and not isinstance(session, str):
        yield session
        return
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise missing_extra("Spark needs pyspark", "spark") from None
    active = SparkSession.getActiveSession()
    opened = active or _started(session)
    try:
        yield opened
    finally:
        if active is None:
            opened.stop()


def _started(master: str | None) -> Any:
    """Start a session; a local one uses this Python, and listens only to this machine."""
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
    """Report an error of Spark in one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        if "JAVA_GATEWAY_EXITED" in str(error):
            raise EngineError("Spark needs Java 17 or later: install a runtime, or set JAVA_HOME") from None
        raise base.engine_error("Spark", error) from error


def _n_cores(session: Any) -> int:
    """Return how many tasks run at a time, as far as Spark knows."""
    context = getattr(session, "sparkContext", None)  # Spark Connect has none
    return LEAST_ITEMS if context is None else int(context.defaultParallelism)


# -------------------------------------------------------------------- on the executors

Pairs = Iterable[tuple[int, bytes]]


def _numbered(session: Any, n: int, function: Callable[[int], Pairs]) -> Any:
    """Return the pairs that a function makes of each number below n, a task each."""

    def pairs(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield from (_batch(function(number)) for number in batch.column(0).to_pylist())

    return session.range(0, n, 1, max(1, n)).mapInArrow(pairs, PAIRS)


def _batch(pairs: Pairs) -> Any:
    pyarrow = load_pyarrow()
    schema = pyarrow.schema({"number": pyarrow.int64(), "content": pyarrow.binary()})
    rows = [dict(zip(schema.names, pair, strict=True)) for pair in pairs]
    return pyarrow.RecordBatch.from_pylist(rows, schema=schema)
