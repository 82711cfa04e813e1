"""Scans on Dask: a local cluster of two worker processes, one of which is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.scale.engine_proofs import (
    HOW,
    EngineProofs,
    missing,
    same,
    simulated,
    sorted_table,
    spread,
    table_of,
)

import caesura as cs
from caesura.errors import EngineError, MissingExtraError, ParameterError
from caesura.scale.engines.registry import engine_of


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """Two worker processes that listen to this machine alone; a nanny starts another for one that dies."""
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        missing("tests of Dask need it: pip install 'caesura[dask]'")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:
        yield client


class TestDask(EngineProofs):
    pass
