"""The engines: an engine is given as None, a name, an address, or an object of its library."""

from __future__ import annotations

from typing import Any

from caesura.errors import ParameterError
from caesura.scale.engines.base import Engine
from caesura.scale.engines.dask_cluster import DaskCluster
from caesura.scale.engines.spark_session import Spark
from caesura.scale.engines.threads import Threads
from caesura.wording import short


def engine_of(engine: Any) -> Engine:
    """Return the engine that is given.

    >>> engine_of(2)
    Threads(number=2)
    >>> engine_of("dask://127.0.0.1:8786")
    DaskCluster(client='tcp://127.0.0.1:8786')
    """
    if engine is None or (type(engine) is int and engine > 0):
        return Threads(engine)
    if isinstance(engine, str):
        name, _, rest = engine.partition("://")
        if engine == "threads":
            return Threads()
        if engine == "spark" or (name == "spark" and rest):
            return Spark(engine if rest else None)
        if name == "dask" and engine != name:
            return DaskCluster(f"tcp://{rest}")
    classes = {f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in type(engine).__mro__}
    if "distributed.Client" in classes:
        return DaskCluster(engine)
    if "pyspark.SparkSession" in classes:
        return Spark(engine)
    raise ParameterError(
        f"engine is {short(engine)}: expected None, 'threads' or a number of threads; a "
        "dask.distributed.Client or 'dask://scheduler:8786'; a SparkSession, 'spark' or 'spark://master:7077'"
    )
