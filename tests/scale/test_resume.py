"""Parts that are kept: a run that was stopped goes on and ends with the same bytes.

Source of truth: the run that nobody stopped.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.scale import keeping, parquet_pieces

KILLS = 20

SCRIPT = """
import json, sys
from pathlib import Path
import caesura as cs
from caesura.scale import parquet_pieces

parquet_pieces.PIECE_ROWS = 60
data, parts, values, output = sys.argv[1:]
found = cs.evaluate(
    cs.scan(data), references=["ann"], metrics=["B", "WD", "GHD"], n_resamples=200, rng=3, engine=2,
    documents=values, resume=parts,
)
Path(output).write_text(json.dumps(found.to_dict()))
"""


@pytest.fixture
def data(tmp_path) -> Path:
    generator = np.random.default_rng(2)

    def draw() -> cs.Segmentation:
        return cs.Segmentation.from_positions((np.flatnonzero(generator.random(99) < 0.1) + 1).tolist(), 100)

    corpus = cs.Corpus.from_dict({f"d{i:04}": {"ann": draw(), "mine": draw()} for i in range(1500)})
    folder = tmp_path / "data"
    folder.mkdir()
    table = corpus.to_arrow()
    for number in range(3):
        part = table.slice(number * 1001, 1001)
        pq.write_table(part, folder / f"{number}.parquet", row_group_size=50)
    return folder


def run(data: Path, folder: Path, kill_after: float | None = None) -> bool:
    """Run it in a process of its own, which may be killed; return whether it has ended by itself."""
    arguments = [data, folder / "parts", folder / "values.pq", folder / "output.json"]
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, *map(str, arguments)], env=os.environ)
    try:
        code = process.wait(kill_after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False
    assert code == 0
    return True


@pytest.mark.exhaustive
def test_twenty_kills_at_random_moments_change_no_byte(data, tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    whole.mkdir()
    stopped.mkdir()
    start = time.monotonic()
    assert run(data, whole)
    duration = time.monotonic() - start
    chance = random.Random(5)
    kills = 0
    while kills < KILLS:
        if run(data, stopped, chance.uniform(0.1, 1.1) * duration):
            # It was done: what is counted is thrown away in part, so that there is something left to kill.
            for path in sorted((stopped / "parts").glob("part-*"))[:: chance.randint(1, 3)]:
                path.unlink()
        else:
            kills += 1
            assert (
                not (stopped / "values.pq").exists() or pq.read_table(stopped / "values.pq").num_rows == 1500
            )
    assert run(data, stopped)
    for name in ("output.json", "values.pq"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    parts = [{one.name: one.read_bytes() for one in (side / "parts").iterdir()} for side in (whole, stopped)]
    assert parts[0] == parts[1]


# -------------------------------------------------------------------- what is noticed


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(parquet_pieces, "PIECE_ROWS", 200)


def resumed(data: Path, parts: Path, **options):
    chosen = {"metrics": ["B"], "rng": 3, "n_resamples": 20, **options}
    return cs.evaluate(cs.scan(data), references=["ann"], resume=parts, **chosen)


def counted_again(monkeypatch) -> list[str]:
    """Note the pieces that are really counted."""
    found: list[str] = []
    count = keeping.EvaluationTask.__call__
    monkeypatch.setattr(
        keeping.EvaluationTask,
        "__call__",
        lambda self, piece: (found.append(Path(piece.path).name), count(self, piece))[1],
    )
    return found


@pytest.mark.usefixtures("small_pieces")
def test_what_is_kept_is_not_counted_again(data, tmp_path, monkeypatch):
    one = resumed(data, tmp_path / "parts")
    counted = counted_again(monkeypatch)
    other = resumed(data, tmp_path / "parts")
    assert counted == []
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


@pytest.mark.usefixtures("small_pieces")
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
    pq.write_table(table, data / "1.parquet", row_group_size=50)
    counted = counted_again(monkeypatch)
    with pytest.warns(UserWarning, match=r"parts: 6 parts counted again: .*1\.parquet has changed since"):
        found = resumed(data, tmp_path / "parts", metrics=["B"])
    assert set(counted) == {"1.parquet"}
    assert json.dumps(found.to_dict()) == json.dumps(resumed(data, tmp_path / "fresh").to_dict())


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("options", [{"rng": 4}, {"metrics": ["WD"]}, {"n_resamples": 21}])
def test_another_question_is_noticed(options, data, tmp_path):
    resumed(data, tmp_path / "parts")
    with pytest.warns(UserWarning, match="counted again: they answer another question"):
        found = resumed(data, tmp_path / "parts", **options)
    fresh = resumed(data, tmp_path / "fresh", **options)
    assert json.dumps(found.to_dict()) == json.dumps(fresh.to_dict())


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("damage", ["cut", "byte", "empty", "text"])
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
        }[damage]
    )
    with pytest.warns(UserWarning, match="1 part counted again: the file of a part is damaged"):
        other = resumed(data, tmp_path / "parts")
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert path.read_bytes() == content


@pytest.mark.usefixtures("small_pieces")
def test_parts_of_rows_that_are_divided_otherwise_are_left_alone(data, tmp_path, monkeypatch):
    resumed(data, tmp_path / "parts")
    monkeypatch.setattr(parquet_pieces, "PIECE_ROWS", 300)
    with pytest.warns(UserWarning, match="left alone: they are of other files, or of rows"):
        resumed(data, tmp_path / "parts")


def test_a_file_is_no_folder_of_parts(data, tmp_path):
    (tmp_path / "parts").write_text("")
    with pytest.raises(cs.CorpusError, match="parts are kept in a folder"):
        resumed(data, tmp_path / "parts")
