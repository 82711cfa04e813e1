"""The roles of columns in a table with a row per unit: unit numbers, document, text, coders.

The name and the cells of a column determine its role. Free text and numbers with decimals are never a
coder's, nor are other values beside marks: an error names such a column and the options that set its role.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from caesura.errors import CorpusError, did_you_mean
from caesura.io.tables.marks import are_scores, are_tags, fit_as_labels, is_ignored, is_whole, look
from caesura.values.forms import MarkMeaning, repeated, short_name
from caesura.values.segments import Gaps
from caesura.wording import listed, short, shortened

Cells = Sequence[str]

UNIT_NAMES = {"unit", "id", "index"}
"""Names of columns with numbers or names of units, besides all that end in ``_id``."""

TEXT_NAMES = ("text", "sentence", "utterance", "paragraph", "content", "token", "word")
"""Names of columns with the units' text; the first in this order wins."""

DOCUMENT_NAMES = ("document", "doc", "document_id", "doc_id")

CODER_NAMES = ("coder", "annotator", "rater", "coder_id", "annotator_id", "rater_id")
"""Names of columns with the coder in a long table."""

VALUE_NAMES = ("label", "mark", "boundary")
"""Names of columns with the mark or label of a unit in a long table."""

OTHER_NAMES = {
    "speaker", "role", "start", "end", "begin", "time", "timestamp", "date", "duration", "onset", "offset",
    "page", "comment", "comments", "note", "notes",
}  # fmt: skip
"""Names of columns that describe units; coders only if they hold marks or are chosen."""

LEVEL = re.compile(r"level[ _]?[0-9]+")
"""Names of the columns of a hierarchy, which are not coders."""

LONG_NAMES = {"coder", "masses", "gaps", "positions"}
"""Names of columns of long tables alone: the coder, or a whole coding."""

NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?")

MAX_LABEL = 80
"""Longest label, in characters; longer values are text."""

FEW = 4
"""Least rows in which distinct values suggest text."""

NEARLY_ALL = 0.8
"""Least share of distinct values in a column of text."""


@dataclass(frozen=True)
class TableOptions:
    """The user's options for a table: the meaning of marks, names of columns, the rule for gaps."""

    marks: MarkMeaning | None = None
    text: str | None = None
    document: str | None = None
    coders: Sequence[str] = ()
    gaps: Gaps | None = None


@dataclass(frozen=True)
class Roles:
    """The roles of a table's columns, by number."""

    coders: list[int]
    text: int | None = None
    document: int | None = None
    units: int | None = None
    left_out: Sequence[int] = ()
    """Unread columns: other text, and empty ones."""


def tell_columns(header: Sequence[str], columns: Sequence[Cells], options: TableOptions) -> Roles:
    """Return the roles of all columns; refuse an unclear column."""
    names = [plain(name) for name in header]
    text = None if options.text is None else _column(header, options.text, "text")
    document = next((names.index(name) for name in DOCUMENT_NAMES if name in names), None)
    if options.document is not None:
        document = _column(header, options.document, "document")
    coders = [_column(header, coder, "coders") for coder in options.coders]
    free = [column for column in range(len(header)) if column not in {text, document, *coders}]
    kinds = {column: _kind(column, names[column], columns[column]) for column in free}
    units = next((column for column in free if kinds[column] == "units"), None)
    if text is None:
        text = _text_column(names, header, kinds)
    left_out: list[int] = []
    if not coders:
        if options.marks in ("starts", "ends") and "marks" not in kinds.values():
            texts = (column for column in free if kinds[column] == "text")
            # Text in some cells only: titles of segments.
            titles = [column for column in texts if not all(map(str.strip, columns[column]))]
            kinds |= {column: "labels" for column in titles if column != text}
        coders = _coders(header, columns, kinds, options.marks)
        left_out = [column for column in free if column not in {text, units, *coders} and names[column]]
    return Roles(coders, text, document, units, left_out)


def plain(name: str) -> str:
    """Return a column's name in the form for comparisons."""
    return name.strip().lower()


def long_columns(header: Sequence[str], options: TableOptions) -> list[str]:
    """Return the names of a long table's columns, with the chosen ones renamed to their roles.

    Synonyms of document, coder and label (doc, annotator, mark) count if all three roles have a column.

    >>> long_columns(["Doc", "Rater", "Mark", "Page"], TableOptions())
    ['document', 'coder', 'label', 'page']
    """
    names = [plain(name) for name in header]
    for role, chosen in (("document", options.document), ("text", options.text)):
        if chosen is not None and plain(chosen) in names:
            column = names.index(plain(chosen))
            names = [f"({name})" if name == role else name for name in names]
            names[column] = role
    roles = {"document": DOCUMENT_NAMES, "coder": CODER_NAMES, "label": VALUE_NAMES}
    named = {role: [names.index(name) for name in known if name in names] for role, known in roles.items()}
    if all(named.values()):
        for role, (column, *_) in named.items():
            names[column] = role
    return names


def named_columns(header: Sequence[str], options: TableOptions) -> list[str]:
    """Return these names; refuse repeated names, and a chosen document or text without a column."""
    columns = long_columns(header, options)
    if (twice := repeated([name for name in columns if name])) is not None:
        raise CorpusError(f"the column {short_name(twice)!r} is there twice")
    for role, name in (("document", options.document), ("text", options.text)):
        if name is not None and role not in columns:
            raise CorpusError(f"{role}: unknown column {name!r}")
    return columns


def is_long_header(header: Sequence[str], options: TableOptions) -> bool:
    """Return whether a table is long: it has a column of coders or codings, and no chosen coders."""
    names = long_columns(header, options)
    has_coders = not options.coders or tuple(options.coders) == (coder_column(header, options),)
    return has_coders and not LONG_NAMES.isdisjoint(names)


def coder_column(header: Sequence[str], options: TableOptions) -> str | None:
    """Return the header of the column of coders in a long table."""
    names = long_columns(header, options)
    return header[names.index("coder")].strip() if "coder" in names else None


def is_reserved(name: str) -> bool:
    """Return whether a column of this name has another role than a coder's labels."""
    name = plain(name)
    known = UNIT_NAMES.union(TEXT_NAMES, DOCUMENT_NAMES, OTHER_NAMES)
    return not name or name in known or name.endswith("_id") or LEVEL.fullmatch(name) is not None


def _column(header: Sequence[str], name: str, option: str) -> int:
    """Return the number of the column in an option."""
    matches = [column for column, own in enumerate(header) if own == name]
    matches = matches or [column for column, own in enumerate(header) if plain(own) == plain(name)]
    if len(matches) != 1:
        fault = f"two columns are called {short_name(name)!r}" if matches else f"unknown column {name!r}"
        hint = "rename one" if matches else did_you_mean(name, [own.strip() for own in header])
        raise CorpusError(f"{option}: {fault}; {hint}")
    return matches[0]


def _kind(column: int, name: str, cells: Cells) -> str:
    """Return the kind of a column's cells: nothing, units, text, marks, labels or other."""
    if name == TEXT_NAMES[0]:  # as caesura writes it
        return "text"
    if not any(map(str.strip, cells)):
        return "nothing"
    if _numbers_units(column, name, cells):
        return "units"
    if LEVEL.fullmatch(name):
        return "other"
    if _are_marks(cells):
        return "marks"
    if name in TEXT_NAMES:
        return "text"
    if name in OTHER_NAMES or name in UNIT_NAMES or name.endswith("_id"):
        return "other"
    if all(map(is_whole, cells)):
        return "labels"
    if any(sign in cell for cell in cells for sign in ".,") and all(map(_is_number, cells)):
        return "other"
    return "text" if is_free_text(cells) else "labels"


def _are_marks(cells: Cells) -> bool:
    """Return whether a column holds marks; ignored tokens among them are refused later."""
    if look(cells) is not None or are_tags(cells):
        return True
    rest = [cell for cell in cells if not is_ignored(cell)]
    return 0 < len(rest) < len(cells) and look(rest) is not None


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, with a decimal point or comma, or blank."""
    return not cell.strip() or NUMBER.fullmatch(cell.strip()) is not None


def _numbers_units(column: int, name: str, cells: Cells) -> bool:
    if name in UNIT_NAMES:
        return True
    if name.endswith("_id"):
        return len(set(cells)) == len(cells) or counts_up(cells)
    return column == 0 and counts_up(cells)


def counts_up(cells: Cells) -> bool:
    """Return whether most of these numbers continue the one before, from 0 or 1 on."""
    if cells[0].strip() not in ("0", "1") or not all(map(is_whole, cells)):
        return False
    numbers = [int(cell) if cell.strip() else -1 for cell in cells]
    steps = sum(after - before == 1 for before, after in pairwise(numbers))
    return 2 * steps >= len(numbers) - 1


def is_free_text(cells: Cells) -> bool:
    """Return whether values are long or nearly all distinct.

    >>> is_free_text(["It rained.", "We stayed."]), is_free_text(["intro", "intro", "method", "method"])
    (True, False)
    """
    values = [cell for cell in map(str.strip, cells) if cell]
    if len(max(values, key=len)) > MAX_LABEL:
        return True
    n_different = len(set(values))
    if len(values) >= FEW:
        return n_different >= NEARLY_ALL * len(values)
    return n_different == len(values) and any(" " in value for value in values)


def _text_column(names: Sequence[str], header: Sequence[str], kinds: dict[int, str]) -> int | None:
    """Return the column with the units' text: by name, or the only one of free text."""
    matches = [column for column, kind in kinds.items() if kind == "text"]
    named = [column for name in TEXT_NAMES for column in matches if names[column] == name]
    if named or len(matches) < 2:
        return next(iter(named or matches), None)
    columns = listed([repr(header[column]) for column in matches])
    raise CorpusError(f"columns {columns} hold text: choose one, text={short_name(header[matches[0]])!r}")


def _coders(
    header: Sequence[str], columns: Sequence[Cells], kinds: dict[int, str], reading: MarkMeaning | None
) -> list[int]:
    """Return the columns of coders: those with marks, or those with labels."""
    by_kind: dict[str, list[int]] = {"marks": [], "labels": [], "other": []}
    for column, kind in kinds.items():
        by_kind.setdefault(kind, []).append(column)
    marks, labels, others = by_kind["marks"], by_kind["labels"], by_kind["other"]
    are_alike = reading == "labels"
    if reading is None and labels:
        matches = [marked for column in marks if (marked := look(columns[column])) is not None]
        are_alike = fit_as_labels(matches, [columns[column] for column in labels])
    if not are_alike and marks:
        others, labels = sorted(others + labels), []
    if others:
        _refuse(header, columns, others[0], sorted(marks + labels))
    return sorted(marks + labels)


def _refuse(header: Sequence[str], columns: Sequence[Cells], column: int, coders: Sequence[int]) -> NoReturn:
    name, cells = short_name(header[column]), columns[column]
    values = listed([short(shortened(cell)) for cell in dict.fromkeys(cells[:100]) if cell.strip()], most=2)
    if (strange := _strange(cells)) is not None:
        cell = short(shortened(cells[strange]))
        raise CorpusError(f"column {name!r}: unit {strange + 1} is {cell}, nearly all others are marks")
    if are_scores(cell for cell in cells if cell.strip()):
        values += ", scores: a threshold makes marks of them, Segmentation.from_scores"
    wanted = [short_name(header[coder]) for coder in coders[:3]] or [name]
    fix = f"name the coders, coders={wanted}, or say what it is: text={name!r}, document={name!r}"
    raise CorpusError(f"column {name!r} ({values}) is neither a coder's marks nor text: {fix}")


def _strange(cells: Cells) -> int | None:
    """Return the first cell that is not a mark, if nearly all others are.

    >>> _strange(["1", "0", "NA", "0", "1", "0"]), _strange(["Ann", "Bob", "Ann", "Bob"])
    (2, None)
    """
    is_mark = [look([cell]) is not None for cell in cells]
    if sum(is_mark) < NEARLY_ALL * len(cells):
        return None
    return None if all(is_mark) else is_mark.index(False)
