"""UnitRows: the rows of a long table with a row per unit, gathered by coding, and read as marks or labels.

Columns are called by their role: ``document``, ``coder``, ``label``, and perhaps ``unit`` and ``text``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.io.tables.marks import UnitValues, look, read_marks, rows_named
from caesura.io.tables.wide_table import cell_text
from caesura.values.builder import CorpusBuilder
from caesura.values.forms import MarkMeaning, coding_name, name_of, short_name
from caesura.values.segments import Gaps
from caesura.wording import short

MAX_UNIT_DIGITS = 15
"""Longest number of a unit, in digits: longer ones are identifiers, whose order is not known."""


@dataclass
class _Coding:
    """What the rows of one coding hold."""

    values: list[Any] = field(default_factory=list)
    rows: array[int] = field(default_factory=lambda: array("q"))
    units: list[Any] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)


class UnitRows:
    """Values of units as the rows of a table have them, one after the other.

    >>> rows = UnitRows(["document", "coder", "label"])
    >>> rows.add_all(enumerate([("d", "ann", 1), ("d", "ann", 0), ("d", "ann", 1), ("d", "ann", 0)], start=1))
    >>> builder = CorpusBuilder()
    >>> rows.read_into(builder), builder.columns().codings.positions.tolist()
    ('starts', [2])
    """

    def __init__(
        self, columns: Sequence[str], *, header: Sequence[str] | None = None, word: str = "row"
    ) -> None:
        """Take the columns by their roles, and the names that they have in the table."""
        self._places = tuple(columns.index(name) for name in ("document", "coder", "label"))
        self._unit = columns.index("unit") if "unit" in columns else None
        self._text = columns.index("text") if "text" in columns else None
        self._coder_column = (columns if header is None else header)[self._places[1]].strip()
        self._word = word
        self._codings: dict[tuple[str, str], _Coding] = {}

    def add_all(self, rows: Iterable[tuple[int, Sequence[Any]]]) -> None:
        """Add numbered rows."""
        document_place, coder_place, value_place = self._places
        codings, unit_place, text_place = self._codings, self._unit, self._text
        if self._coder_column.lower() != "coder":
            rows = list(rows)
            self._check_coders([row[coder_place] for _, row in rows])
        for number, row in rows:
            key = (row[document_place], row[coder_place])
            try:
                coding = codings[key]
            except (KeyError, TypeError):
                names = [
                    name_of(value, what, self._word, number)
                    for value, what in zip(key, ("document", "coder"), strict=True)
                ]
                coding = codings.setdefault((names[0], names[1]), _Coding())
            coding.values.append(row[value_place])
            coding.rows.append(number)
            if unit_place is not None:
                coding.units.append(row[unit_place])
            if text_place is not None:
                coding.texts.append(row[text_place])

    def _check_coders(self, cells: Sequence[Any]) -> None:
        """Refuse marks where names of coders are expected: the table may have a column per coder."""
        if look(cells) is not None:
            name = self._coder_column
            raise CorpusError(
                f"column {name!r} may name the coder of each row, or hold a coder's marks (such as "
                f"{short(cells[0])}): rename it to coder, or name the columns of marks, "
                f"coders=[{name!r}, …]"
            )

    def read_into(
        self, builder: CorpusBuilder, reading: MarkMeaning | None = None, *, gaps: Gaps | None = None
    ) -> MarkMeaning:
        """Add all codings, read in one way, and return which."""
        self._check_order()
        values = [
            UnitValues(document, coder, one.values, self._naming(document, coder, one))
            for (document, coder), one in self._codings.items()
        ]
        found = read_marks(values, reading, gaps=gaps)
        for coding, segmentation in zip(values, found.segmentations, strict=True):
            builder.add(coding.document, coding.coder, segmentation)
        if self._text is not None:
            for document, texts in self._agreed_texts().items():
                builder.add_text(document, texts)
        return found.reading

    def _agreed_texts(self) -> dict[str, list[str]]:
        """Return the texts of each document's units, which must be the same for all coders."""
        agreed: dict[str, tuple[str, list[str]]] = {}
        for (document, coder), coding in self._codings.items():
            texts = list(map(cell_text, coding.texts))
            first, expected = agreed.setdefault(document, (coder, texts))
            for index, (one, other) in enumerate(zip(expected, texts, strict=False)):
                if one != other:
                    raise CorpusError(
                        f"document {short_name(document)}: text[{index}] differs between coders "
                        f"{short_name(first)} and {short_name(coder)}"
                    )
        return {document: texts for document, (_, texts) in agreed.items()}

    def _naming(self, document: str, coder: str, coding: _Coding) -> Callable[[int], str]:
        return rows_named(coding.rows, self._word, coding_name(document, coder))

    def _check_order(self) -> None:
        """Check that numbers of units ascend, and are those of the document's first coder."""
        first: dict[str, tuple[str, list[int]]] = {}
        for (document, coder), coding in self._codings.items():
            numbers = _numbers(coding.units)
            if numbers is None:
                continue
            where = coding_name(document, coder)
            steps = np.diff(np.array(numbers, dtype=np.int64))
            if bool((steps < 1).any()):
                index = int(np.argmax(steps < 1)) + 1
                raise CorpusError(
                    f"{self._word} {coding.rows[index]}: {where}: unit {numbers[index]} stands after unit "
                    f"{numbers[index - 1]}: sort the rows by unit, and remove rows that are there twice"
                )
            other, expected = first.setdefault(document, (coder, numbers))
            if numbers != expected:
                missing = sorted(set(numbers) ^ set(expected))[0]
                raise CorpusError(
                    f"{where}: unit {missing} is there for only one of {short_name(other)} and "
                    f"{short_name(coder)}: is a row missing?"
                )


def _numbers(units: Sequence[Any]) -> list[int] | None:
    """Return units as numbers; None where one is none."""
    numbers = []
    for unit in units:
        if isinstance(unit, str):
            text = unit.strip()
            if not (text.isascii() and text.isdigit() and len(text) <= MAX_UNIT_DIGITS):
                return None
            numbers.append(int(text))
        elif isinstance(unit, (int, np.integer)) and abs(unit) < 10**MAX_UNIT_DIGITS:
            numbers.append(int(unit))
        else:
            return None
    return numbers or None
