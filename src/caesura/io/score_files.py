"""Files of a model's scores: JSON ``{document: [0.1, …]}``, or lines ``{"document": …, "scores": […]}``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeAlias

from caesura.errors import CorpusError, naming
from caesura.io.files import Source, parse_json, shortened
from caesura.io.finding import PathLike
from caesura.io.json_files import shaped_entry

LINES = (".jsonl", ".ndjson")


Scores: TypeAlias = Annotated[list[float], "a list of numbers"]


def read_scores(path: PathLike) -> dict[str, list[float]]:
    """Return the scores of each document; CorpusError names the file and what is wrong in it.

    NaN and infinities, which Python writes into JSON, are read, so that what takes the scores can say where.
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
        return {
            name: shaped_entry({"scores": own}, "scores", Scores, f"document {name}")
            for name, own in value.items()
        }


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
        document = str(value["document"])
        if document in scores:
            raise CorpusError(f"{where}: document {document} has scores already; remove one")
        scores[document] = shaped_entry(value, "scores", Scores, f"{where}: document {document}")
    return scores
