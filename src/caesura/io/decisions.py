"""Adjudication files: write contested places, and read decisions back after editing.

Spreadsheets may use semicolons, add a byte order mark, and sort or add rows and columns; only the columns
document, first, last and decision count. A decision is ``accept`` (the proposal), ``none``, or positions:
``6``, ``5 and 9``, with types ``5 (topic) and 9 (aside)``.
"""

from __future__ import annotations

import re
from pathlib import Path

from caesura.analyses.adjudication import ACCEPT, DECIDED_BY, NONE, Adjudication, Decision, Place
from caesura.errors import CorpusError, did_you_mean, naming, within
from caesura.io.files import PathLike, Source, misfit, shortened, write_whole
from caesura.io.formats.excel import rows_of_sheet
from caesura.io.tables.cells import rows_of
from caesura.io.tables.rows import Row
from caesura.results.table import csv_safe
from caesura.values.type_scheme import name_of_type
from caesura.wording import listed

SHEETS = (".xlsx", ".xls", ".ods")

Key = tuple[str, int]

WHOLE = re.compile(r"'?(\d{1,15})(?:[.,]0+)?")
"""A whole number in the spelling of a spreadsheet."""

BETWEEN = r"(?>\s*(?:[,;+&]|and\b|\s)\s*|\Z)"
"""The separator of boundaries, or the end."""


def write_places(adjudication: Adjudication, path: PathLike) -> None:
    """Write the contested places, the costliest first, with an empty column for decisions.

    The file begins with a byte order mark, so that spreadsheets read it as UTF-8.
    """
    write_whole(Path(path), "\ufeff" + adjudication.to_table("places").to_csv() + "\n")


def read_decisions(path: PathLike, adjudication: Adjudication) -> dict[Key, Decision]:
    """Return the decision for each contested place; CorpusError names a wrong row."""
    file = Path(path)
    is_sheet = file.suffix.lower() in SHEETS
    word = "row" if is_sheet else "line"
    with naming(path):
        source = Source(file, file.stem)
        # Some spreadsheets save in Windows-1252.
        text = Source(file, file.stem, unpack=lambda: source.legacy.text.encode("utf-8"))
        rows = rows_of_sheet(source.data, source.options) if is_sheet else list(rows_of(text))
        if not rows:
            raise CorpusError("the file is empty")
        return _Reader(adjudication, rows[0][1], word).read(rows[1:])


class _Reader:
    """Reads the rows of one file."""

    def __init__(self, adjudication: Adjudication, header: list[str], word: str) -> None:
        self.adjudication = adjudication
        self.word = word
        names = [cell.strip().lower() for cell in header]
        if missing := [name for name in DECIDED_BY if name not in names]:
            columns = f"{listed(missing, last='or')} among {listed(header)}"
            raise CorpusError(f"{word} 1: no column {columns}; write the places again, and edit that file")
        for name in DECIDED_BY:
            if names.count(name) > 1:
                raise CorpusError(f"{word} 1: two columns are called {name!r}; rename one")
        self.columns = {name: names.index(name) for name in DECIDED_BY}
        self.places = {place.key: place for place in adjudication.contested}
        corpus = adjudication.corpus
        self.documents = {str(csv_safe(name)): name for name in corpus.documents}
        self.documents.update((name, name) for name in corpus.documents)
        self.types = {name_of_type(corpus.type_scheme, kind): kind for kind in corpus.types}
        self.types.update((str(kind), kind) for kind in corpus.types if str(kind) not in self.types)
        kinds = "|".join(re.escape(name) for name in sorted(self.types, key=len, reverse=True))
        boundary = rf"(?i:(\d{{1,15}})(?:[.,]0+(?!\d))?(?:\s*\(\s*({kinds})\s*\))?)"
        self.boundary, self.boundaries = re.compile(boundary), re.compile(rf"(?:(?>{boundary}){BETWEEN})*+")
        self.folded = {name.lower(): kind for name, kind in self.types.items()}

    def read(self, rows: list[Row]) -> dict[Key, Decision]:
        """Return all decisions; every contested place must have one."""
        decisions: dict[Key, Decision] = {}
        lines: dict[Key, str] = {}
        for number, row in rows:
            where = f"{self.word} {number}"
            with within(where):
                place = self._place(row)
                if place.key in lines:
                    raise CorpusError(f"{place} was decided in {lines[place.key]} already")
                lines[place.key] = where
                decisions[place.key] = self._decision(place, self._cell(row, "decision"))
        if missing := [place for key, place in self.places.items() if key not in decisions]:
            more = f", nor for {len(missing) - 1:,} more" if len(missing) > 1 else ""
            raise CorpusError(f"no row for {missing[0]}{more}; restore it, or write the places again")
        return decisions

    def _cell(self, row: list[str], name: str) -> str:
        return row[self.columns[name]].strip()

    def _place(self, row: list[str]) -> Place:
        document = self._document(self._cell(row, "document"))
        first, last = (self._position(row, name) for name in ("first", "last"))
        place = self.places.get((document, first))
        if place is None or place.last != last:
            lack = f"document {document} has no contested place from {first} to {last}"
            raise CorpusError(f"{lack}; are DATA and n_t the same as when the places were written?")
        return place

    def _document(self, given: str) -> str:
        known = self.documents.get(given)
        if known is None and given.isdecimal():  # a spreadsheet turns 007 into 7
            same = {name for name in self.documents.values() if name.isdecimal() and int(name) == int(given)}
            known = same.pop() if len(same) == 1 else None
        if known is None:
            raise CorpusError(f"unknown document {shortened(given)}; {did_you_mean(given, self.documents)}")
        return known

    def _position(self, row: list[str], name: str) -> int:
        given = self._cell(row, name)
        if (match := WHOLE.fullmatch(given)) is None:
            raise misfit(name, given, "a position")
        return int(match[1])

    def _decision(self, place: Place, given: str) -> Decision:
        if not (word := given.lower()):
            raise CorpusError(f"{place} is undecided: write {ACCEPT}, {NONE} or positions ({place.first})")
        if word in (ACCEPT, NONE):
            return word
        if (boundaries := self._boundaries(given)) is None:
            kind = next(iter(self.types)) if len(self.types) > 1 else None
            types = "" if kind is None else f", with types such as {place.first} ({kind})"
            expected = f"{ACCEPT}, {NONE} or positions such as {place.first}{types}"
            raise misfit(f"{place}: the decision", given, expected)
        self.adjudication.decided(place, boundaries)
        return boundaries

    def _boundaries(self, given: str) -> list[int | tuple[int, int]] | None:
        """Read positions with their types; None for other text."""
        given = given.removeprefix("'").strip()
        if not self.boundaries.fullmatch(given):
            return None
        matches = [match.groups() for match in self.boundary.finditer(given)]
        return [(int(at), self.folded[kind.lower()]) if kind else int(at) for at, kind in matches]
