"""Simulated columns: the corpus that simulate() makes in memory, straight to Parquet.

Source of truth: simulate() itself, whose corpora are tested against what they were made by; numpy's draws.
"""

from __future__ import annotations

import os

import numpy as np
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura import simulation
from caesura.cli import run
from caesura.cli.simulate import write_simulated
from caesura.errors import ParameterError
from caesura.io import layout
from caesura.simulation import Simulation

PLAIN = {"n_units": 40, "mean_segment": 6.0, "near_miss": 0.2, "full_miss": 0.1}

KINDS = {
    "plain": {},
    "with references": {"reference": True},
    "types": {"types": ["a", "b"], "wrong_type": 0.2, "reference": True},
    "levels": {"levels": 3, "wrong_type": 0.1},
    "one unit": {"n_units": 1},
    "no boundaries": {"full_miss": 1.0, "types": ["a", "b"]},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", [7, 10**6])
def test_the_file_is_the_corpus_whatever_the_row_groups(kind, group, tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "MOST_DOCUMENTS", 16)
    monkeypatch.setattr(layout, "GROUP_ROWS", group)
    parameters = {**PLAIN, **KINDS[kind]}
    path = tmp_path / "x.parquet"
    seen: list[tuple[int, int]] = []
    plan = Simulation(50, 2, **parameters)
    write_simulated(plan, path, rng=5, advance=lambda *step: seen.append(step))
    expected, found = cs.simulate(50, 2, **parameters, rng=5), cs.read(path)
    assert found.documents == expected.documents
    assert found.segmentations() == expected.segmentations()
    assert found.type_scheme == expected.type_scheme
    assert seen == [(16, 50), (32, 50), (48, 50), (50, 50)]
    assert pq.read_schema(path).metadata[b"caesura.order"] == b"grouped"
    assert os.listdir(tmp_path) == ["x.parquet"]


def test_blocks_are_drawn_one_after_the_other(monkeypatch):
    """The documents of each block are those of a corpus drawn from the same generator where it stood then."""
    generator = np.random.default_rng(3)
    parts = [cs.simulate(n, 2, **PLAIN, rng=generator) for n in (16, 16, 8)]
    monkeypatch.setattr(simulation, "MOST_DOCUMENTS", 16)
    whole = cs.simulate(40, 2, **PLAIN, rng=3)
    expected = [coding for part in parts for _, _, coding in part]
    assert [coding for _, _, coding in whole] == expected


def test_long_documents_make_small_blocks(monkeypatch):
    monkeypatch.setattr(simulation, "BLOCK", 2000)
    plan = Simulation(3, 1, n_units=2000, mean_segment=2, near_miss=0, full_miss=0)
    assert [len(codings) for codings in plan.blocks(rng=1)] == [1, 1, 1]


def test_what_no_machine_holds_is_refused():
    with pytest.raises(ParameterError, match=r"cannot make about .* boundaries; at most"):
        cs.simulate(10**7, 2, **PLAIN)
    with pytest.raises(ParameterError, match=r"cannot make about .* boundaries; at most"):
        Simulation(1, 1, n_units=10**9, mean_segment=2, near_miss=0, full_miss=0)
    Simulation(10**12, 2, **PLAIN)  # one block after the other


def test_the_command_writes_the_same_corpus_in_all_formats(tmp_path, capsys):
    options = ["--documents", "20", "--coders", "2", "--units", "30", "--seed", "4", "--reference"]
    for ending in ("parquet", "jsonl"):
        assert run(["simulate", "-o", str(tmp_path / f"x.{ending}"), *options]) == 0
        counts = "simulated with seed 4: 20 documents, 3 coders, 60 codings -> "
        assert capsys.readouterr().err == f"{counts}{tmp_path}/x.{ending} ({ending})\n"
    found, expected = cs.read(tmp_path / "x.parquet"), cs.read(tmp_path / "x.jsonl")
    assert found.segmentations() == expected.segmentations()
    assert found.coders == ("reference", "c1", "c2")
    assert run(["simulate", "-o", str(tmp_path / "x.parquet"), *options]) == 2
    assert "use --force to overwrite" in capsys.readouterr().err
