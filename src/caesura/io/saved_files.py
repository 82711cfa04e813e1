"""Score files: of systems, for gate and board, and of a model at each potential boundary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

from caesura.analyses.gating import Gate, Limits, gate
from caesura.analyses.saved_scores import SavedScores
from caesura.errors import CorpusError, ParameterError, naming
from caesura.io.files import PathLike, Source, parse_json, shortened, write_whole
from caesura.io.json_files import shaped, shaped_entry
from caesura.results.as_json import json_text
from caesura.values.corpus import Corpus


class SavedFile(TypedDict):
    """The object in a file."""

    caesura: str
    signature: dict[str, str]
    gold: str
    system: str
    scale: dict[str, int]
    documents: dict[str, dict[str, list[int]]]


def read_saved(path: PathLike) -> SavedScores:
    """Read saved scores; CorpusError names the file and the fault."""
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
    """Check a system against limits and a baseline file; optionally update the file.

    With ``update``, drops are reported but pass, and the file is written unless the system misses a limit
    that needs no baseline. Without it, a missing or unfitting file is an error.
    """
    if not (limits.metrics or limits.needs_baseline or baseline or settings.get("metrics")):
        raise ParameterError("no limit given: set fail_under=, fail_over= or max_drop=, or name metrics=")
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
    except CorpusError:  # of another reference or metric: replace it
        result = gate(gold, system, **settings)
    if result.holds:
        write_saved(result.saved, file)
    return result


# -------------------------------------------------------------------- a model's scores

LINES = (".jsonl", ".ndjson")


Scores: TypeAlias = Annotated[list[float], "a list of numbers"]


def read_scores(path: PathLike) -> dict[str, list[float]]:
    """Return the scores of each document; CorpusError names the file and the fault.

    NaN and infinities, which Python writes into JSON, are kept: the user of the scores reports them.
    """
    file = Path(path)
    with naming(path):
        source = Source(file, file.stem)
        if source.extension in LINES:
            return _of_lines(source)
        try:
            value = json.loads(source.text)
        except (ValueError, RecursionError):
            value = parse_json(source.text)  # says what is wrong and where
        if not isinstance(value, dict):
            raise CorpusError(f"there is {shortened(value)}: expected {{document: [scores]}}")
        entries = ((name, {"scores": own}, f"document {name}") for name, own in value.items())
        return {name: shaped_entry(entry, "scores", Scores, where) for name, entry, where in entries}


def _of_lines(source: Source) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for number, line in enumerate(source.lines, start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise CorpusError(f"{where}: not valid JSON: {shortened(line)}") from None
        if not isinstance(value, dict) or not {"document", "scores"} <= value.keys():
            raise CorpusError(f'{where}: expected {{"document": …, "scores": […]}}')
        if (document := str(value["document"])) in scores:
            raise CorpusError(f"{where}: document {document} has scores already; remove one")
        scores[document] = shaped_entry(value, "scores", Scores, f"{where}: document {document}")
    return scores
