"""Parts that are kept: a run that was stopped goes on and ends with the same bytes.

Source of truth: the run that nobody stopped.
"""

from __future__ import annotations

import hashlib
import json
import random
import signal
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.scale import grouping
from caesura.scale.counting import EvaluationTask

KILLS = 20

N_DOCUMENTS = 600

PROCESSES = get_context("forkserver")
"""Processes that have imported everything already: most of a kill would be the start of what is killed."""

PROCESSES.set_forkserver_preload(
    ["caesura.scale.scanning", "duckdb", "pyarrow.parquet", "pyarrow.compute", "pandas", "scipy.stats"]
)

SCRIPT = """
import json
from pathlib import Path
import caesura as cs
from caesura.scale import grouping

grouping.PART_ROWS = 30
scans = [cs.scan(one) for one in data]
found = cs.evaluate(
    scans[0].select(coders=["ann"]), scans[-1].select(coders=["mine"]), metrics=["B", "WD", "GHD"],
    n_resamples=50, rng=3, engine=2, documents=f"{folder}/values.pq", resume=f"{folder}/parts",
)
Path(folder, "output.json").write_text(json.dumps(found.to_dict()))
"""
"""What is killed: as text, since other processes cannot import this module."""


@pytest.fixture
def data(tmp_path) -> Path:
    generator = np.random.default_rng(2)

    def draw() -> cs.Segmentation:
        return cs.Segmentation.from_positions((np.flatnonzero(generator.random(99) < 0.1) + 1).tolist(), 100)

    corpus = cs.Corpus.from_dict({f"d{i:04}": {"ann": draw(), "mine": draw()} for i in range(N_DOCUMENTS)})
    folder = tmp_path / "data"
    folder.mkdir()
    table = corpus.to_arrow()
    for number in range(3):
        part = table.slice(number * 401, 401)
        pq.write_table(part, folder / f"{number}.parquet", row_group_size=25)
    return folder


@pytest.fixture
def two_sides(data, tmp_path) -> list[Path]:
    """The same data as two datasets in no order."""
    table = pa.concat_tables(pq.read_table(path) for path in sorted(data.iterdir()))
    for name in ("document", "coder"):
        table = table.set_column(table.column_names.index(name), name, table[name].cast(pa.string()))
    table = table.take(pa.array(np.random.default_rng(4).permutation(len(table))))
    folders = []
    for coder, n_files, rows in (("ann", 2, 19), ("mine", 3, 23)):
        own = table.filter(pc.equal(table["coder"], coder))
        folders.append(tmp_path / coder)
        folders[-1].mkdir()
        size = -(-len(own) // n_files)
        for number in range(n_files):
            part = own.slice(number * size, size)
            pq.write_table(part, folders[-1] / f"{number}.parquet", row_group_size=rows)
    return folders


def parts_in(folder: Path) -> list[Path]:
    return sorted((folder / "parts").glob("part-*"))


def run(data: list[Path], folder: Path, kill_at: int | None = None, wait: float = 0) -> bool:
    """Run it in a process of its own, to be killed when there are so many parts; say whether it has ended."""
    process = PROCESSES.Process(
        target=exec, args=(SCRIPT, {"data": [*map(str, data)], "folder": str(folder)})
    )
    process.start()
    while kill_at is not None and process.is_alive() and len(parts_in(folder)) < kill_at:
        time.sleep(0.002)
    if kill_at is not None:
        time.sleep(wait)
        process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("sides", ["one", "two"])
def test_twenty_kills_at_random_moments_change_no_byte(sides, data, two_sides, tmp_path):
    data = [data] if sides == "one" else two_sides
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    whole.mkdir()
    stopped.mkdir()
    start = time.monotonic()
    assert run(data, whole)
    duration = time.monotonic() - start
    n_parts = len(parts_in(whole))
    assert n_parts > KILLS
    chance = random.Random(5)
    kills = 0
    while kills < KILLS:
        # At any part, or after the last one, and at any moment between two.
        kill_at = chance.randint(len(parts_in(stopped)), n_parts)
        wait = chance.uniform(0, 2 if kill_at < n_parts else 10) * duration / n_parts
        kills += not run(data, stopped, kill_at, wait)
        if len(parts_in(stopped)) == n_parts:
            # What is counted is thrown away in part, so that there is something left to kill.
            for path in parts_in(stopped)[:: chance.randint(1, 3)]:
                path.unlink()
        values = stopped / "values.pq"
        assert not values.exists() or pq.read_table(values).num_rows == N_DOCUMENTS
    assert run(data, stopped)
    for name in ("output.json", "values.pq"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    parts = [{one.name: one.read_bytes() for one in (side / "parts").iterdir()} for side in (whole, stopped)]
    assert parts[0] == parts[1]


# -------------------------------------------------------------------- what is noticed


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(grouping, "PART_ROWS", 75)


def resumed(data: Path, parts: Path, **options):
    chosen = {"metrics": ["B"], "rng": 3, "n_resamples": 20, **options}
    return cs.evaluate(cs.scan(data), references=["ann"], resume=parts, **chosen)


def counted_again(monkeypatch) -> list[str]:
    """Note the documents that are really counted."""
    found: list[str] = []
    count = EvaluationTask.__call__
    monkeypatch.setattr(
        EvaluationTask, "__call__", lambda self, rows: (found.extend(rows.names), count(self, rows))[1]
    )
    return found


@pytest.mark.usefixtures("small_parts")
def test_what_is_kept_is_not_counted_again(data, tmp_path, monkeypatch):
    one = resumed(data, tmp_path / "parts")
    counted = counted_again(monkeypatch)
    other = resumed(data, tmp_path / "parts")
    assert counted == []
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    path = min((tmp_path / "parts").iterdir())
    path.unlink()
    assert json.dumps(resumed(data, tmp_path / "parts").to_dict()) == json.dumps(one.to_dict())
    assert 0 < len(counted) == len(set(counted)) < N_DOCUMENTS / 2
    assert path.exists()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("small_parts")
def test_a_changed_file_is_noticed_and_counted_again(data, tmp_path, monkeypatch):
    resumed(data, tmp_path / "parts")
    table = pq.read_table(data / "1.parquet")
    n_units = np.asarray(table["n_units"]).copy() + 1
    table = table.set_column(table.column_names.index("n_units"), "n_units", [n_units])
    # The document that goes on from the file before, and into the next one, keeps its length.
    inner = [name not in (table["document"][0].as_py(), table["document"][-1].as_py())
             for name in table["document"].to_pylist()]  # fmt: skip
    n_units = np.where(inner, n_units, n_units - 1)
    table = table.set_column(table.column_names.index("n_units"), "n_units", [n_units])
    pq.write_table(table, data / "1.parquet", row_group_size=25)
    counted = counted_again(monkeypatch)
    with pytest.warns(UserWarning, match=r"parts: 16 parts counted again: .*1\.parquet has changed since"):
        found = resumed(data, tmp_path / "parts", metrics=["B"])
    assert len(counted) == N_DOCUMENTS
    assert json.dumps(found.to_dict()) == json.dumps(resumed(data, tmp_path / "fresh").to_dict())


@pytest.mark.exhaustive
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("options", [{"rng": 4}, {"metrics": ["WD"]}, {"n_resamples": 21}])
def test_another_question_is_noticed(options, data, tmp_path):
    resumed(data, tmp_path / "parts")
    with pytest.warns(UserWarning, match="counted again: they answer another question"):
        found = resumed(data, tmp_path / "parts", **options)
    fresh = resumed(data, tmp_path / "fresh", **options)
    assert json.dumps(found.to_dict()) == json.dumps(fresh.to_dict())


def _foreign(content: bytes, body: bytes) -> bytes:
    """Return a part of the same header in which something else is checked as whole."""
    about = json.loads(content.partition(b"\n")[0])
    about["sha256"] = hashlib.sha256(body).hexdigest()
    return json.dumps(about).encode() + b"\n" + body


@pytest.mark.exhaustive
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("damage", ["cut", "byte", "empty", "text", "foreign"])
def test_a_damaged_part_is_noticed(damage, data, tmp_path):
    one = resumed(data, tmp_path / "parts")
    path = min((tmp_path / "parts").iterdir())
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[:-1],
            "byte": content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
            "empty": b"",
            "text": b"{}\n",
            "foreign": _foreign(content, b"no Arrow stream"),
        }[damage]
    )
    with pytest.warns(UserWarning, match="1 part counted again: the file of a part is damaged"):
        other = resumed(data, tmp_path / "parts")
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert path.read_bytes() == content


@pytest.mark.exhaustive
@pytest.mark.usefixtures("small_parts")
def test_parts_of_rows_that_are_divided_otherwise_are_left_alone(data, tmp_path, monkeypatch):
    resumed(data, tmp_path / "parts")
    monkeypatch.setattr(grouping, "PART_ROWS", 125)
    with pytest.warns(UserWarning, match="left alone: of other files, or divided otherwise"):
        resumed(data, tmp_path / "parts")


def test_a_file_is_no_folder_of_parts(data, tmp_path):
    (tmp_path / "parts").write_text("")
    with pytest.raises(cs.CorpusError, match="parts are stored in a folder"):
        resumed(data, tmp_path / "parts")
