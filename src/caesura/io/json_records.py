"""Records of JSON, in whichever of three ways they stand in a file: one per line, in a list, or alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura.errors import CorpusError
from caesura.io.files import MAX_LINE, Source, parse_json, shortened


def records_of(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each record and where it stands, in words."""
    for place, record in _values(source):
        if not isinstance(record, dict):
            raise CorpusError(f"{place} is {shortened(record)}: expected an object")
        yield place, record


def _values(source: Source) -> Iterator[tuple[str, Any]]:
    if not _has_record_per_line(source):
        values = source.json
        for number, value in enumerate(values if isinstance(values, list) else [values], start=1):
            yield f"record {number}", value
        return
    for number, line in enumerate(source.each_line(), start=1):
        if line.strip():
            try:
                yield f"line {number}", parse_json(line)
            except CorpusError as error:
                raise CorpusError(f"line {number}: {error}") from None


def first_record(source: Source) -> dict[str, Any]:
    """Return the first record, or an empty one where there is none: for formats that only look."""
    if _has_record_per_line(source):
        record = source.first_json
    else:
        values = source.json_or_none
        record = values[0] if isinstance(values, list) and values else values
    return record if isinstance(record, dict) else {}


def _has_record_per_line(source: Source) -> bool:
    """Tell it by the first line, which then holds a whole record."""
    line = source.first_line.strip()
    return line.startswith("{") and (line.endswith("}") or len(line) >= MAX_LINE)
