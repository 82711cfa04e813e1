"""What the tests of the segmenters share: both kernels, Choi's documents and the lectures."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from tests.real_data import data_path

import caesura.kernel

KERNELS = {"python": "caesura.kernel.segmenting_python", "native": "caesura.kernel.segmenting"}


@pytest.fixture(params=list(KERNELS))
def segmenting_kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Run the test on this kernel; a missing native module is a failure, never a skip."""
    module = importlib.import_module(KERNELS[request.param])
    monkeypatch.setattr(caesura.kernel, "active_segmenting", module)
    return module


class Document(NamedTuple):
    """A text with its reference, both in units, and what the original programs left."""

    name: str
    units: list[str]
    masses: list[int]
    n_words: list[int]
    original: dict[str, object]


def read_segments(path: Path) -> list[list[str]]:
    """Return the lines of each segment."""
    segments: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("=========="):
            segments.append([])
        elif line.strip():
            segments[-1].append(line)
    return [segment for segment in segments if segment]


@pytest.fixture(scope="session")
def choi() -> list[Document]:
    """The 400 documents of Choi's set 3–11; word counts with punctuation."""
    original = json.loads(data_path("segmenters", "choi_3_11.json").read_text(encoding="utf-8"))
    n_words = json.loads(data_path("choi_t3_11", "word_counts.json").read_text(encoding="utf-8"))
    documents = []
    for name in original:
        segments = read_segments(data_path("choi_t3_11", "ref", *name.split("/")))
        units = [unit for segment in segments for unit in segment]
        sizes = [size for segment in n_words[name] for size in segment]
        documents.append(Document(name, units, [*map(len, segments)], sizes, original[name]))
    assert len(documents) == 400
    return documents


def lectures(course: str) -> list[Document]:
    """The lectures of Malioutov & Barzilay (2006); words are runs of letters and digits."""
    documents = []
    for path in sorted(data_path("segmenters", "lectures", course).glob("*.ref")):
        segments = read_segments(path)
        units = [unit for segment in segments for unit in segment]
        sizes = [max(1, len("".join(c if c.isalnum() else " " for c in unit).split())) for unit in units]
        documents.append(Document(path.stem, units, [*map(len, segments)], sizes, {}))
    return documents
