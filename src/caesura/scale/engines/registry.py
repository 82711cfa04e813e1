"""The engines by what is given as ``engine``: None, a name, an address, or an object of a library."""

from __future__ import annotations

from typing import Any

from caesura.errors import ParameterError
from caesura.scale.engines import dask_cluster, spark_session, threads
from caesura.scale.engines.base import Engine, EngineMaker
from caesura.wording import short

ENGINES: dict[str, EngineMaker] = {
    "None, 'threads' or a number of threads": threads.from_given,
    "a dask.distributed.Client or 'dask://scheduler:8786'": dask_cluster.from_given,
    "a SparkSession, 'spark' or 'spark://master:7077'": spark_session.from_given,
}
"""What makes each engine, by what it takes."""


def engine_of(engine: Any) -> Engine:
    """Return the engine that is meant.

    >>> engine_of(2)
    Threads(number=2)
    >>> engine_of("dask://127.0.0.1:8786")
    DaskCluster(client='tcp://127.0.0.1:8786')
    """
    for made in (maker(engine) for maker in ENGINES.values()):
        if made is not None:
            return made
    raise ParameterError(f"engine is {short(engine)}: expected {'; '.join(ENGINES)}")
