"""Records: the objects of a JSON list, or of a file with one on each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura.errors import CorpusError
from caesura.io.files import MAX_LINE, Source, parse_json, shortened


def records_of(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each record stands, in words, and the record."""
    for where, record in _values(source):
        if not isinstance(record, dict):
            raise CorpusError(f"{where} is {shortened(record)}: expected an object")
        yield where, record


def _values(source: Source) -> Iterator[tuple[str, Any]]:
    if source.first_line.startswith("["):
        for index, value in enumerate(source.json):
            yield f"entry {index}", value
        return
    for number, line in enumerate(source.each_line(), start=1):
        if line.strip():
            try:
                yield f"line {number}", parse_json(line)
            except CorpusError as error:
                raise CorpusError(f"line {number}: {error}") from None


def first_record(source: Source) -> dict[str, Any]:
    """Return the first record, or an empty one where there is none: for formats that only look."""
    value = source.json_or_none if source.extension == ".json" else None
    if value is None:
        value = _first_value(source)
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else {}


def _first_value(source: Source) -> Any:
    line = source.first_line
    if line.startswith("["):
        return source.json_or_none
    if not line.startswith("{") or len(line) >= MAX_LINE:
        return None
    try:
        return parse_json(line)
    except CorpusError:
        return None
