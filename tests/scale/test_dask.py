"""Scans on Dask: a local cluster of two worker processes, which are killed in the middle."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
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
from caesura.analyses.evaluation.counting import Question
from caesura.errors import EngineError, MissingExtraError, ParameterError
from caesura.io.layout import GROUPED, ORDER_KEY
from caesura.scale import grouping
from caesura.scale.counting import EvaluationTask
from caesura.scale.engines import dask_cluster
from caesura.scale.engines.base import outcome, result_of
from caesura.scale.engines.registry import engine_of

pytestmark = pytest.mark.exhaustive  # it starts clusters


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """Two worker processes that listen to this machine alone; a nanny starts another for one that dies."""
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        missing("tests of Dask need it: pip install 'caesura[dask]'")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster) as client:
        yield client


class TestDask(EngineProofs):
    pass


# -------------------------------------------------------------------- faults


@pytest.fixture
def kill_a_worker(engine) -> Iterator[Callable[[object], None]]:
    """What kills a worker the first time that something was counted; afterwards there are two again."""
    first, *_ = engine.run(os.getpid).values()
    killed = []

    def kill(progress: object) -> None:
        if not killed:
            killed.append(first)
            os.kill(first, signal.SIGKILL)

    yield kill
    assert killed
    wait_for_others(engine, first)


def wait_for_others(engine: Any, *killed: int) -> None:
    """Wait until there are two workers that answer, and none of them was killed."""
    for _ in range(600):
        there = engine.run(os.getpid, on_error="ignore").values()
        if len(there) == 2 and not {*there} & {*killed}:
            return
        time.sleep(0.2)
    pytest.fail(f"there are not two workers: {there}, of which {killed} were killed")


def test_a_worker_killed_in_the_middle_changes_nothing(engine, kill_a_worker, tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "PIECE_ROWS", 10)
    monkeypatch.setattr(dask_cluster, "AHEAD", 12)
    people, machine = simulated()
    table = sorted_table(people, machine).replace_schema_metadata({ORDER_KEY: GROUPED})
    scan = cs.scan(spread(table, tmp_path / "all", 10, 8))
    assert sum(len(file.row_groups) for file in scan.files) >= 40
    found = cs.evaluate(
        scan, references=people.coders, by="genre", engine=engine, progress=kill_a_worker, **HOW
    )
    same(found, cs.evaluate(people, machine, by="genre", bootstrap="poisson", **HOW))


def test_a_worker_killed_in_a_join_changes_nothing(engine, kill_a_worker, tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "PART_ROWS", 40)
    people, machine = simulated()
    scans = [cs.scan(spread(table_of(one), tmp_path / one.coders[0])) for one in (people, machine)]
    found = cs.evaluate(*scans, engine=engine, progress=kill_a_worker, **HOW)
    same(found, cs.evaluate(people, machine, bootstrap="poisson", **HOW))


def test_a_piece_counted_by_both_workers_gives_the_same_bytes(engine, tmp_path):
    people, machine = simulated(30)
    scan = cs.scan(spread(sorted_table(people, machine), tmp_path / "all", 1))
    metrics = tuple(cs.metric(name) for name in ("B", "WD"))
    task = EvaluationTask(Question(metrics, machine.coders, 40, 7), people.coders, by="genre")
    job = grouping.Job(task, (scan.files,))
    expected = pickle.dumps(job.count_piece(job.pieces[0]))
    assert pickle.dumps(next(engine_of(engine)(job.count_piece, job.pieces))) == expected
    for worker in engine.nthreads():
        again = engine.submit(
            outcome, cs.__version__, job.count_piece, job.pieces[0], pure=False, workers=[worker]
        )
        assert pickle.dumps(again.result()) == expected


def test_what_fails_once_is_tried_again(engine, tmp_path):
    flag = tmp_path / "was here"

    def fail_once(item: int) -> int:
        if item == 3 and not flag.exists():
            flag.touch()
            raise RuntimeError("by chance")
        return item * 2

    assert [*engine_of(engine)(fail_once, range(40))] == [*range(0, 80, 2)]
    assert flag.exists()


def test_what_kills_every_worker_is_an_error_of_one_line(engine):
    def die(item: int) -> None:
        os._exit(1)

    def allow(failures: int, dask_scheduler: Any = None) -> int:
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, failures
        return int(before)

    there = engine.run(os.getpid).values()
    before = engine.run_on_scheduler(allow, 0)
    try:
        with pytest.raises(EngineError, match=r"^Dask could not finish: KilledWorker: ") as caught:
            [*engine_of(engine)(die, [1])]
    finally:
        engine.run_on_scheduler(allow, before)
    assert "\n" not in str(caught.value)
    assert [*there] != [*engine.run(os.getpid, on_error="ignore").values()]
    wait_for_others(engine)


def test_other_errors_are_of_one_line(engine):
    def divide(item: int) -> float:
        return 1 / item

    with pytest.raises(EngineError, match=r"^Dask could not finish: ZeroDivisionError: division by zero$"):
        [*engine_of(engine)(divide, [0])]


def test_a_worker_must_have_the_same_version():
    with pytest.raises(EngineError, match=r"a worker has caesura .*, not 0.0; install"):
        result_of(outcome("0.0", abs, -1))


# -------------------------------------------------------------------- what is given as engine


def test_an_address_opens_a_client_for_the_time(engine, tmp_path):
    people, machine = simulated(20)
    scan = cs.scan(spread(sorted_table(people, machine), tmp_path / "all"))
    address = engine.scheduler.address.replace("tcp://", "dask://")
    found = cs.evaluate(scan, references=people.coders, engine=address, **HOW)
    same(found, cs.evaluate(people, machine, bootstrap="poisson", **HOW))
    assert len(engine.run_on_scheduler(lambda dask_scheduler: [*dask_scheduler.clients])) <= 2


def test_no_scheduler_answers(monkeypatch):
    monkeypatch.setattr(dask_cluster, "SECONDS", 1)
    with pytest.raises(EngineError, match=r"^no Dask scheduler answers at tcp://127.0.0.1:1: "):
        [*engine_of("dask://127.0.0.1:1")(abs, [1])]
    with pytest.raises(EngineError, match=r"^no Dask scheduler answers at tcp://: "):
        [*engine_of("dask://")(abs, [1])]


def test_a_scheduler_without_workers(engine, monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(dask_cluster, "SECONDS", 1)
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        pytest.raises(EngineError, match=r"has no workers: start some with 'dask worker tcp://127.0.0.1"),
    ):
        [*engine_of(cluster.scheduler_address.replace("tcp://", "dask://"))(abs, [1])]


def test_an_asynchronous_client_is_refused():
    class Client:
        __module__ = "distributed.client"
        asynchronous = True

    with pytest.raises(EngineError, match=r"asynchronous=False"):
        [*engine_of(Client())(abs, [1])]


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"a Dask scheduler needs distributed: .*dask"):
        [*engine_of("dask://127.0.0.1:1")(abs, [1])]


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "dusk://x", object()])
def test_what_is_no_engine_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"expected None, 'threads' or a number of threads; a dask"):
        engine_of(wrong)
