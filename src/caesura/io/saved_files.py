"""Files of scores that are compared later: written when a system is scored, and read by gate and board."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from caesura.analyses.gating import Gate, Limits, gate
from caesura.analyses.saved_scores import SavedScores
from caesura.errors import CorpusError, ParameterError, naming
from caesura.io.files import Source, write_whole
from caesura.io.finding import PathLike
from caesura.io.json_files import shaped
from caesura.results.as_json import json_text
from caesura.values.corpus import Corpus


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


def gate_on(
    gold: Corpus,
    system: Corpus,
    limits: Limits,
    baseline: PathLike | None = None,
    *,
    update: bool = False,
    **settings: Any,
) -> Gate:
    """Hold a system against limits and the baseline in a file, and write the next one where it is wanted.

    With ``update`` drops are reported and pass, and the file is written unless the system misses a limit that
    needs no baseline; without it, a file that is not there or does not fit is an error.
    """
    if baseline is None:
        if limits.needs_baseline or update:
            raise ParameterError("drops are held against an earlier run: name its file by baseline=")
        return gate(gold, system, limits, **settings)
    file = Path(baseline)
    if not update:
        if not file.exists():
            raise CorpusError(f"{file}: there is no such baseline yet; update=True writes it")
        earlier = read_saved(file)
        with naming(file):
            return gate(gold, system, limits, baseline=earlier, **settings)
    shown = [*limits.metrics, *settings.pop("metrics", ())]
    settings |= {"metrics": shown, "limits": Limits(limits.fail_under, limits.fail_over)}
    replaced = read_saved(file) if file.exists() else None
    try:
        result = gate(gold, system, baseline=replaced, **settings)
    except CorpusError:  # it is of another reference or metric, and is replaced
        result = gate(gold, system, **settings)
    if result.holds:
        write_saved(result.saved, file)
    return result
