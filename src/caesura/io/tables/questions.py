"""Files of questions with the evidence that answers them: Chroma's CSV, and JSON."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.files import Source, parse_json
from caesura.io.json_files import records_of
from caesura.io.tables.cells import DELIMITERS, rows_of

COLUMNS = ("question", "references")


def read_questions(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return a record for each question of a file.

    A CSV, as Chroma's chunking_evaluation writes it, has the columns ``question``, ``references`` (JSON: a
    list of ``content``, ``start_index``, ``end_index``) and ``corpus_id``, the document. JSON is a list of
    ``{"question": ..., "document": ..., "evidence": [{"start": ..., "end": ...}]}``, or one per line.
    """
    source = Source(Path(path), Path(path).stem)
    if source.extension not in DELIMITERS:
        return [record.value for record in records_of(source)]
    header, *rows = [cells for _, cells in rows_of(source)] or [list(COLUMNS)]
    if (missing := next((name for name in COLUMNS if name not in header), None)) is not None:
        raise CorpusError(f"no column {missing!r}; {did_you_mean(missing, header)}")
    records = []
    for number, row in enumerate(rows):
        record: dict[str, Any] = dict(zip(header, row, strict=True))
        with within(f"question {number}: its references"):
            record["references"] = parse_json(record["references"])
        records.append(record)
    return records
