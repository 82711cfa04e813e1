"""TinyRec's JSON. Source of truth: the real files, read by eye, and files by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.real_data import data_path

from caesura import CorpusError, Hierarchy
from caesura.io.reading import read
from caesura.io.registry import FORMATS

FIRST = "49ad30d4-971a-4811-b790-f1df50168db1"
SECOND = "7c980186-6905-49c4-9b01-c88975324f24"
THIRD = "7d92ff8b-e6b6-49b0-b615-9d487d855176"


def real(name: str) -> Path:
    return data_path("formats", "tinyrec", f"{name}_anno.json")


def put(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def recording(coarse: object, fine: object, annotator: object = "ann") -> dict[str, object]:
    return {"r": {"env": "dev", "annotator": annotator, "coarse": coarse, "fine": fine}}


@pytest.mark.parametrize(
    ("name", "coder", "coarse", "fine", "n_units"),
    [
        (FIRST, "liam", [46, 85], [7, 12, 22, 39, 51, 60], 93),
        (SECOND, "john", [13, 85, 95], [23, 38, 52, 75], 100),
    ],
)
def test_real_files_are_hierarchies(name, coder, coarse, fine, n_units):
    corpus = read(real(name))
    assert corpus.metadata["format"] == "tinyrec"
    assert corpus.is_hierarchical
    assert list(corpus.type_scheme.names.values()) == ["level 1", "level 2"]
    expected = Hierarchy.from_ranks(dict.fromkeys(coarse, 1) | dict.fromkeys(fine, 2), n_units)
    assert Hierarchy.from_segmentation(corpus[name, coder]) == expected
    assert read(real(name), tiers=["coarse"])[name, coder].positions == tuple(coarse)
    assert read(real(name), tiers=["fine"])[name, coder].positions == tuple(sorted(coarse + fine))
    assert not read(real(name), tiers=["fine"]).is_hierarchical


def test_a_real_file_whose_segments_overlap():
    """Coarse has 184–292 and then 239–356 and 356–558; fine has 318–356 and 356–364."""
    with pytest.raises(CorpusError, match=f"document {THIRD}: coarse: the span from 239 to 357 overlaps"):
        read(real(THIRD))
    with pytest.warns(UserWarning, match="do not nest .* fine lacks 1 coarse boundary, before utterance 239"):
        corpus = read(real(THIRD), overlap="start")
    hierarchy = Hierarchy.from_segmentation(corpus[THIRD, "liam"])
    assert [position for position, rank in hierarchy.boundaries if rank == 1] == [58, 184, 239, 356]
    assert hierarchy.n_units == 559
    assert len(hierarchy.boundaries) == 26  # 26 fine segments, and the boundary that only coarse has


def test_the_example_is_read(tmp_path):
    corpus = read(put(tmp_path / "x.json", FORMATS["tinyrec"].example))
    hierarchy = Hierarchy.from_segmentation(corpus["stand-up", "ann"])
    assert hierarchy == Hierarchy.from_nested([[2, 3], [5]])


def test_rules_for_what_no_segment_covers(tmp_path):
    path = put(tmp_path / "d.json", recording([[0, 3, "a"], [6, 9, "b"]], [[0, 9]]))
    with pytest.raises(CorpusError, match=r"coarse: .*4 to 6 are in no span"):
        read(path)
    with pytest.warns(UserWarning, match="fine lacks 2 coarse boundaries, before utterance 4 and 6"):
        assert read(path, gaps="segment")["r", "ann"].boundaries == ((4, 1), (6, 1))
    assert read(path, gaps="join", tiers=["coarse"])["r", "ann"].positions == (6,)


def test_the_longer_level_is_the_length(tmp_path):
    path = put(tmp_path / "d.json", recording([[0, 3]], [[0, 3], [4, 4]]))
    with pytest.raises(CorpusError, match=r"coarse: .*4 to 5 are in no span"):
        read(path)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (recording([], [[0, 1]]), r"document r: coarse is \[\]"),
        (recording([[0, 1]], None), "document r: fine is None"),
        (recording([[1, 0]], [[0, 1]]), r"coarse\[0\] is \[1, 0\]: .* in order"),
        (recording([[0, 1]], [[-1, 1]]), r"fine\[0\] is \[-1, 1\]"),
        (recording([[0, "1"]], [[0, 1]]), r"expected \[first, last, title\]"),
        (recording([[0, True]], [[0, 1]]), r"expected \[first, last, title\]"),
        (recording([[0]], [[0, 1]]), r"coarse\[0\] is \[0\]: expected \[first, last, title\]"),
        (recording([[0, 2**60]], [[0, 1]]), "in order"),
        (recording([[0, 1]], [[0, 1]], annotator=None), "the annotator is None: expected a name"),
        ({**recording([[0, 1]], [[0, 1]]), "s": 3}, "document s is 3: expected an object"),
        (FORMATS["tinyrec"].example[:-20], "ends too early"),
    ],
)
def test_faults_name_the_place(tmp_path, value, fault):
    path = put(tmp_path / "d.json", value)
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


def test_tiers_that_are_not_there(tmp_path):
    with pytest.raises(CorpusError, match="the tier 'finer' is not there: choose coarse or fine"):
        read(put(tmp_path / "d.json", recording([[0, 1]], [[0, 1]])), tiers=["finer"])


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    every = [[i, i, "x"] for i in range(100_000)]
    corpus = read(put(tmp_path / "d.json", recording(every, every)))
    assert len(corpus["r", "ann"].boundaries) == 99_999
    sparse = read(put(tmp_path / "e.json", recording([[0, 99_999_998]], [[0, 99_999_998]])))
    assert sparse["r", "ann"].n_units == 99_999_999
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
