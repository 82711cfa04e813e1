"""Scans on Spark, local[2]: tasks fail, and are tried again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.scale.engine_proofs import HOW, EngineProofs, missing, same, simulated, sorted_table, spread

import caesura as cs
from caesura.errors import EngineError, MissingExtraError
from caesura.io.layout import GROUPED, ORDER_KEY
from caesura.scale import grouping
from caesura.scale.counting import EvaluationTask
from caesura.scale.engines.registry import engine_of

# Spark warns of pandas, which nothing here uses.
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """A session of two threads that listens to this machine alone; a task may fail three times."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        missing("tests of Spark need Java: run tests/scale/install_java.sh, or set JAVA_HOME")
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        missing("tests of Spark need it: pip install 'caesura[spark]'")
    options = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        # Compiling less is half of the time of so small data.
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        builder = SparkSession.builder.master("local[2,4]").appName("caesura")
        session = builder.config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


class TestSpark(EngineProofs):
    pass


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize("order", [GROUPED, b"unknown"])
def test_a_worker_killed_in_the_middle_changes_nothing(order, engine, tmp_path, monkeypatch):
    """The process that counts the last documents is killed after it has counted them once."""
    monkeypatch.setattr(grouping, "PIECE_ROWS", 60)
    monkeypatch.setattr(grouping, "PART_ROWS", 100)
    people, machine = simulated()
    table = sorted_table(people, machine).replace_schema_metadata({ORDER_KEY: order})
    scan = cs.scan(spread(table, tmp_path / "all", rows=20))
    flag = tmp_path / "was here"
    monkeypatch.setattr("caesura.scale.scanning.EvaluationTask", killed_once(str(flag)))
    found = cs.evaluate(scan, references=people.coders, by="genre", engine=engine, **HOW)
    assert flag.exists()
    same(found, cs.evaluate(people, machine, by="genre", bootstrap="poisson", **HOW))


def killed_once(flag: str) -> type[EvaluationTask]:
    """Return a task whose first process dies when it has counted; classes of a function travel whole."""

    @dataclass(frozen=True)
    class Killed(EvaluationTask):
        def __call__(self, rows: Any) -> Any:
            part = super().__call__(rows)
            if not os.path.exists(flag) and "d99" in [*rows.names]:
                Path(flag).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return part

    return Killed


def test_what_fails_once_is_tried_again(engine, tmp_path):
    flag = tmp_path / "was here"

    def fail_once(item: int) -> int:
        if item == 3 and not flag.exists():
            flag.touch()
            raise RuntimeError("by chance")
        return item * 2

    assert [*engine_of(engine)(fail_once, range(20))] == [*range(0, 40, 2)]
    assert flag.exists()


def test_other_errors_are_of_one_line(engine):
    def divide(item: int) -> float:
        return 1 / item

    with pytest.raises(EngineError, match=r"^Spark could not finish: .*ZeroDivisionError") as caught:
        [*engine_of(engine)(divide, [0])]
    assert "\n" not in str(caught.value)


# -------------------------------------------------------------------- what is given as engine


def test_the_active_session_is_found_by_name(engine):
    assert [*engine_of("spark")(abs, [-3, 2])] == [3, 2]
    assert engine.range(3).count() == 3


SCRIPT = """
import sys
import caesura as cs
scan = cs.scan(sys.argv[1])
try:
    found = cs.evaluate(scan, references=["c1", "c2"], metrics=["B"], engine="spark", rng=5)
    print(found["B", "c3"].micro)
except cs.CaesuraError as error:
    print(error)
"""


def run_script(folder: Path, **environment: str) -> str:
    """Start a session of its own, as the command line does."""
    command = [sys.executable, "-W", "error::FutureWarning", "-c", SCRIPT, str(folder)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=600
    )
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.usefixtures("engine")
def test_a_session_is_started_by_name(tmp_path):
    people, machine = simulated(20)
    folder = spread(sorted_table(people, machine), tmp_path / "all")
    expected = cs.evaluate(people, machine, ["B"], rng=5)["B", "c3"].micro
    assert run_script(folder) == f"{expected}\n"


def test_without_java_one_line_says_so(tmp_path):
    folder = spread(sorted_table(*simulated(20)), tmp_path / "all")
    assert run_script(folder, JAVA_HOME=str(tmp_path)).startswith("Spark needs Java 17")


def test_without_spark_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"Spark needs pyspark: .*spark"):
        [*engine_of("spark")(abs, [1])]
