"""Files of scores that are compared later: written when a system is scored, and read by gate and board."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from caesura.analyses.saved_scores import SavedScores
from caesura.errors import naming
from caesura.io.files import Source, write_whole
from caesura.io.finding import PathLike
from caesura.io.json_files import shaped
from caesura.results.as_json import json_text


class SavedFile(TypedDict):
    """The object that a file is."""

    caesura: str
    signature: dict[str, str]
    gold: str
    system: str
    scale: dict[str, int]
    documents: dict[str, dict[str, list[int]]]


def read_saved(path: PathLike) -> SavedScores:
    """Return the scores that a file holds; CorpusError names the file and what is wrong in it."""
    file = Path(path)
    with naming(path):
        value = shaped(Source(file, file.stem).json, SavedFile)
        saved = SavedScores(**{name: value[name] for name in SavedFile.__annotations__})  # type: ignore[literal-required]
        saved.check()
        return saved


def write_saved(saved: SavedScores, path: PathLike) -> None:
    """Write scores to a file, which appears whole or not at all."""
    with naming(path):
        write_whole(Path(path), json_text(saved.to_dict()) + "\n")
