"""Marks: the meaning of one value per unit, the same for all codings of a file.

Values are marks (0/1, true/false, yes/no, x/blank, B/I, B-…/I-…, also t/f, y/n, b/i) or labels. Marks are
``starts`` (on the first unit of each segment), ``ends`` (on the last) or ``gaps`` (on the unit before each
boundary, never on the last of the document). Equal neighbors among ``labels`` form a segment.

Marks are starts if the first unit of every coding is marked, ends if the last one is, and gaps if one blank
cell follows 0 and 1 at the end of every coding. If both or neither hold, or if every coding is one block of 0
and one of 1, which may be labels of two segments, an error lists the possible readings. So it does for any
other two values (ja/nein, S/O, 1/-1) of which one never occurs twice in a row: as labels, each would be a
segment. Chunk tags (B, I, O; BIOES) mark starts of chunks, and ``gaps`` is the rule for units outside. With a
given reading, text in some cells only (titles of segments) also marks them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.checks import check_choice
from caesura.errors import CorpusError, SegmentationError
from caesura.values.columns import BoolArray
from caesura.values.forms import MARK_MEANINGS, MarkMeaning, coding_name, is_blank, short_name
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps, boundaries_of_segments
from caesura.values.units import Units
from caesura.wording import counted, listed, short, shortened

IN_TABLES = "marks='{0}'"
"""How the user chooses a reading of a table."""

SIDES: dict[MarkMeaning, int] = {"starts": 0, "ends": -1}
"""The unit that every coding marks, by reading."""

IGNORED = -100
"""The label that loss functions ignore, of tokens inside words."""

MAX_DIGITS = 18
"""Longest whole number, in digits."""

MOST_CODERS = 4
"""Coders in a message."""

DIGITS, TAGS, BLANK = "0/1", "B/I", "blank"

PAIRS = {
    DIGITS: ("0 0.0", "1 1.0"),
    "true/false": ("false f", "true t"),
    "yes/no": ("no n", "yes y"),
    "x/blank": ("-", "x ✓ ✔ * + | # •"),
}
"""Spellings of unset and set marks, by kind."""

WORDS: dict[str, tuple[str, bool]] = {"": (BLANK, False)} | {
    word: (kind, is_set)
    for kind, (no, yes) in PAIRS.items()
    for is_set, words in ((False, no), (True, yes))
    for word in words.split()
}
"""The kind of each spelling in lower case, and whether it is set."""

TAG = re.compile(r"[BI]([-_].*)?", re.IGNORECASE | re.DOTALL)
"""Tags as marks: B opens a segment, I continues it."""


@dataclass(frozen=True)
class UnitValues:
    """The values of one coding, one per unit."""

    document: str
    coder: str
    values: Sequence[Any]
    where: Callable[[int], str] | None = None
    """Returns the name of a unit in messages, such as ``line 3: coder ann: unit 2``."""

    def at(self, index: int) -> str:
        """Return the name of a unit in messages."""
        if self.where is not None:
            return self.where(index)
        return f"{coding_name(self.document, self.coder)}: unit {index + 1}"

    def first(self, is_it: Callable[[Any], bool]) -> str:
        """Return for a message the first unit whose value fits, and the value."""
        index = next((index for index, value in enumerate(self.values) if is_it(value)), 0)
        return f"{self.at(index)} is {short(self.values[index])}"


class Marked(NamedTuple):
    """Values read as marks."""

    kind: str
    is_set: BoolArray
    blank: int | None
    """The first blank among values with another spelling for unset marks."""

    @property
    def is_gaps(self) -> bool:
        """Whether only the last unit is blank, as for gaps."""
        return self.blank is not None and self.blank == len(self.is_set) - 1

    @property
    def is_missing(self) -> bool:
        """Whether a mark is missing; reading the marks then fails."""
        return self.blank is not None and not self.is_gaps

    @property
    def n_changes(self) -> int:
        """The number of changes between neighbors."""
        return int(np.count_nonzero(self.is_set[1:] != self.is_set[:-1]))

    @property
    def may_be_numbers(self) -> bool:
        """Whether these may be numbers of segments from 0 or 1 on: they never descend."""
        return self.kind == DIGITS and self.n_changes <= 1 and bool(self.is_set[0] <= self.is_set[-1])

    @property
    def may_be_two_labels(self) -> bool:
        """Whether these may be labels of two segments: one block of 0 and one of 1, both of several units."""
        if self.kind != DIGITS or self.n_changes != 1:
            return False
        return bool(self.is_set[0] == self.is_set[1] and self.is_set[-1] == self.is_set[-2])


Pairs: TypeAlias = Sequence[tuple[UnitValues, Marked]]
MixedPairs: TypeAlias = Sequence[tuple[UnitValues, Marked | None]]
"""Codings with their values as marks, or None."""


class ReadMarks(NamedTuple):
    """The reading of the values, and the segmentation of each coding."""

    reading: MarkMeaning
    segmentations: list[Segmentation]


def read_marks(
    codings: Sequence[UnitValues],
    reading: MarkMeaning | None = None,
    *,
    choice: str = IN_TABLES,
    prefer_labels: bool = False,
    gaps: Gaps | None = None,
    has_gaps: bool = True,
) -> ReadMarks:
    """Read the values of all codings of a file in the same way: as given, or by the rules above.

    Parameters
    ----------
    codings
        One value per unit for each.
    reading
        The meaning of the values, if known. Starts need not mark the document's first unit, nor ends its
        last; gaps must not mark the last.
    choice
        How the user can choose a reading, for messages.
    prefer_labels
        Whether ambiguous values are labels.
    gaps, has_gaps
        The rule for units outside chunks of tags, and whether the user can set it.

    >>> coding = UnitValues("d", "ann", [1, 0, 0, 1, 0, 0])
    >>> read_marks([coding]).reading, read_marks([coding]).segmentations[0].masses
    ('starts', (3, 3))
    >>> read_marks([UnitValues("d", "ann", list("aabbb"))]).reading
    'labels'
    """
    if reading is not None:
        check_choice("marks", reading, MARK_MEANINGS)
    pairs: MixedPairs = [(coding, look(coding.values)) for coding in codings]
    unmarked = (coding for coding, marked in pairs if marked is None)
    if reading in (None, "starts") and are_tags(value for coding in unmarked for value in coding.values):
        rule = "join" if gaps is None and reading == "starts" else gaps
        chosen = choice if has_gaps else None
        pairs = [
            (coding, marked or Marked(TAGS, chunk_starts(coding.values, rule, coding.at, chosen), None))
            for coding, marked in pairs
        ]
        reading = "starts"  # even if the last unit is a chunk
    for coding, marked in pairs:
        _check_values(coding, marked, reading)
    if not any(marked for _, marked in pairs) and (of_two := _marks_of_two(codings)):
        pairs = of_two
        reading = reading or ("labels" if prefer_labels else None)
        if reading is None:
            sides = _sides([(coding, marked) for coding, marked in of_two if len(marked.is_set) > 1])
            why = f"no two units in a row have {of_two[0][1].kind.rpartition('/')[0]}"
            raise CorpusError(_ambiguous(of_two, why, [*(sides or SIDES), "labels"], choice))
    reading = reading or _decide(pairs, choice, prefer_labels)
    if reading == "labels":
        return ReadMarks(reading, [_from_labels(coding, choice) for coding in codings])
    marks = [_checked(coding, marked, reading, choice) for coding, marked in pairs]
    return ReadMarks(reading, [Segmentation.over(len(mark), _positions(mark, reading)) for mark in marks])


def look(values: Sequence[Any]) -> Marked | None:
    """Return the values as marks, or None for other values.

    >>> look(["x", "", "", "x", ""]).is_set.tolist()
    [True, False, False, True, False]
    >>> look(["intro", "intro", "method"]) is None
    True
    """
    try:
        distinct = set(values)
    except TypeError:  # lists and the like
        return None
    marks = {}
    for value in distinct:
        if (mark := _mark(value)) is None:
            return None
        marks[value] = mark
    kinds = {kind for kind, _ in marks.values() if kind != BLANK}
    if len(kinds) != 1:
        return None
    is_set = np.fromiter((marks[value][1] for value in values), dtype=bool, count=len(values))
    has_no = any(kind != BLANK and not is_mark for kind, is_mark in marks.values())
    blank = next((i for i, value in enumerate(values) if marks[value][0] == BLANK), None) if has_no else None
    return Marked(kinds.pop(), is_set, blank)


def _mark(value: Any) -> tuple[str, bool] | None:
    """Return the kind of a mark and whether it is set; None for other values."""
    if is_blank(value):
        return BLANK, False
    if isinstance(value, (bool, np.bool_)):
        return "true/false", bool(value)
    if isinstance(value, (int, float, np.number)):
        return (DIGITS, value == 1) if value in (0, 1) else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if TAG.fullmatch(text):
        return TAGS, text[0] in "Bb"
    return WORDS.get(text.lower())


def _is_no_mark(value: Any) -> bool:
    return _mark(value) is None


# -------------------------------------------------------------------- neither marks nor labels


def _check_values(coding: UnitValues, marked: Marked | None, reading: MarkMeaning | None) -> None:
    """Refuse ignored tokens and scores."""
    if not len(coding.values):
        raise CorpusError(f"{coding_name(coding.document, coding.coder)}: a document has at least one unit")
    if marked is not None:
        return
    try:
        distinct = set(coding.values)
    except TypeError:
        return
    if any(map(is_ignored, distinct)):
        fix = "take the values of words (Units.from_tokens(…).of_tokens(values)), or remove these units"
        raise CorpusError(f"{coding.first(is_ignored)}, an ignored token: {fix}")
    if reading != "labels" and are_scores(distinct):
        score = coding.first(lambda value: 0 < float(value) < 1)
        raise CorpusError(f"{score}, a score and not a mark: choose a threshold (Segmentation.from_scores)")


def is_ignored(value: Any) -> bool:
    """Return whether a value is the label of an ignored token."""
    if isinstance(value, str):
        return value.strip() in ("-100", "-100.0")
    return isinstance(value, (int, float, np.number)) and value == IGNORED


def are_scores(values: Iterable[Any]) -> bool:
    """Return whether all are numbers from 0 to 1, and some lie between."""
    try:
        numbers = list(map(float, values))
    except (TypeError, ValueError):
        return False
    return all(0 <= number <= 1 for number in numbers) and any(0 < number < 1 for number in numbers)


# -------------------------------------------------------------------- deciding


def _decide(pairs: MixedPairs, choice: str, prefer_labels: bool) -> MarkMeaning:
    if not (marks := [marked for _, marked in pairs if marked is not None]):
        return "labels"
    if len(marks) < len(pairs):
        _check_mixture(pairs, choice)
        return "labels"
    if all(mark.is_gaps for mark in marks):
        return "gaps"
    telling = [(own, mark) for own, mark in pairs if mark and len(mark.is_set) > 1 and not mark.is_missing]
    if not any(mark.is_set.any() for _, mark in telling):
        return "starts"  # no mark is ambiguous
    sides = _sides(telling)
    is_digits = all(mark.kind == DIGITS for _, mark in telling)
    may_be_labels = is_digits and all(mark.may_be_two_labels or not mark.n_changes for _, mark in telling)
    if len(sides) == 1 and not may_be_labels:
        return sides[0]
    if may_be_labels and prefer_labels:
        return "labels"
    readings: list[MarkMeaning] = [*SIDES, "labels"] if may_be_labels else [*SIDES]
    raise CorpusError(_ambiguous(telling, _why(telling, sides), readings, choice))


def _sides(pairs: Pairs) -> list[MarkMeaning]:
    """Return the readings that fit all: the first unit is marked, or the last."""
    return [own for own, unit in SIDES.items() if all(marked.is_set[unit] for _, marked in pairs)]


def _marks_of_two(codings: Sequence[UnitValues]) -> Pairs | None:
    """Return two values, or numbers beside 0, as marks if one of them never occurs twice in a row.

    >>> _marks_of_two([UnitValues("d", "ann", ["ja", "nein", "nein", "ja", "nein"])])[0][1].is_set.tolist()
    [True, False, False, True, False]
    """
    try:
        counts = Counter(value for coding in codings for value in coding.values)
    except TypeError:
        return None
    if any(map(is_blank, counts)):
        return None
    if len(counts) == 2:
        backgrounds = [value for value, _ in counts.most_common()]
    else:
        backgrounds = [value for value in counts if str(value) == "0"] if all(map(is_whole, counts)) else []
    for background in backgrounds:
        marks = [np.array([value != background for value in coding.values]) for coding in codings]
        is_alone = not any(bool((mark[1:] & mark[:-1]).any()) for mark in marks)
        if is_alone and any(np.count_nonzero(mark) > 1 for mark in marks):
            names = listed([shortened(str(value)) for value in counts if value != background], most=2)
            kind = f"{names}/{shortened(str(background))}"
            return [(coding, Marked(kind, mark, None)) for coding, mark in zip(codings, marks, strict=True)]
    return None


def _check_mixture(pairs: MixedPairs, choice: str) -> None:
    """Check that marks beside labels may be labels: a coder without boundaries has a single label."""
    labels = [coding for coding, marked in pairs if marked is None]
    values = [coding.values for coding in labels]
    for coding, marked in pairs:
        if marked is not None and not fit_as_labels([marked], values):
            marks = f"where coder {short_name(coding.coder)} has marks ({marked.kind})"
            fix = f"give all coders the same kind, or say {choice.format('labels')}"
            raise CorpusError(f"{labels[0].first(_is_no_mark)}, a label, {marks}: {fix}")


def fit_as_labels(marked: Sequence[Marked], labels: Sequence[Sequence[Any]]) -> bool:
    """Return whether apparent marks may be labels beside these labels of other coders.

    Numbers of segments fit beside larger numbers, and a single label fits beside words.
    """
    if all(is_whole(value) for values in labels for value in values):
        return all(mark.may_be_numbers for mark in marked)
    return all(mark.kind != DIGITS and not mark.n_changes for mark in marked)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number of any type, or missing."""
    if isinstance(value, str):
        text = value.strip()
        return not text or (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS)
    return isinstance(value, (int, np.integer)) or is_blank(value)


def _why(pairs: Pairs, sides: Sequence[MarkMeaning]) -> str:
    if len(sides) == 2:
        return "every coder marks both the first and the last unit"
    if sides:
        return "every coder has one block of 0 and one of 1"
    no_start = next(coding for coding, marked in pairs if not marked.is_set[0])
    no_end = next(coding for coding, marked in pairs if not marked.is_set[-1])
    if no_start is no_end:
        return f"{_name(no_start)} marks neither the first unit nor the last"
    return f"{_name(no_start)} does not mark the first unit, {_name(no_end)} not the last"


def _name(coding: UnitValues) -> str:
    return f"coder {short_name(coding.coder)} of document {short_name(coding.document)}"


def _ambiguous(pairs: Pairs, why: str, readings: Sequence[MarkMeaning], choice: str) -> str:
    """Return the message with the result of each reading."""
    kinds = " and ".join(dict.fromkeys(marked.kind for _, marked in pairs))
    gives = []
    for reading in readings:
        counts: Counter[str] = Counter()
        for coding, marked in pairs:
            counts[coding.coder] += len(_positions(marked.is_set, reading))
        gives.append(f"as {reading} they give {boundaries_of(counts)}")
    options = " or ".join(choice.format(reading) for reading in readings)
    may_be = f"the {kinds} marks may be {' or '.join(readings)}"
    return f"{may_be}: {why}; {'; '.join(gives)}; say which: {options}"


def boundaries_of(counts: Mapping[str, int]) -> str:
    """Return in words the number of boundaries of each coder.

    >>> boundaries_of({"ann": 3, "bob": 1})
    'ann 3 boundaries, bob 1'
    """
    parts = [f"{short_name(coder)} {n:,}" for coder, n in islice(counts.items(), MOST_CODERS)]
    if parts:
        coder, n = next(iter(counts.items()))
        parts[0] = f"{short_name(coder)} {counted(n, 'boundary', 'boundaries')}"
    more = len(counts) - MOST_CODERS
    return ", ".join(parts) + (f" and {more:,} more" if more > 0 else "")


# -------------------------------------------------------------------- reading


def _checked(coding: UnitValues, marked: Marked | None, reading: MarkMeaning, choice: str) -> BoolArray:
    """Return which units are marked; refuse other values, and impossible marks."""
    if marked is None and _are_titles(coding.values):
        marked = Marked("text/blank", np.array([not is_blank(value) for value in coding.values]), None)
    if marked is None:
        kinds = f"{reading} are marked by one of {', '.join(PAIRS)} and B/I for each coder"
        raise CorpusError(f"{coding.first(_is_no_mark)}: {kinds}; labels need {choice.format('labels')}")
    last = len(marked.is_set) - 1
    if marked.blank is not None and (reading != "gaps" or marked.is_missing):
        raise CorpusError(f"{coding.at(marked.blank)} has no mark, others have {marked.kind}: fill it in")
    if reading == "gaps" and marked.is_set[last]:
        raise CorpusError(f"{coding.at(last)} is marked, no gap follows; ends need {choice.format('ends')}")
    return marked.is_set


def _are_titles(values: Sequence[Any]) -> bool:
    """Return whether units have text or nothing: titles of segments."""
    are_blank = [is_blank(value) for value in values]
    texts = [value for value, is_none in zip(values, are_blank, strict=True) if not is_none]
    return any(are_blank) and all(isinstance(value, str) and _is_no_mark(value) for value in texts)


def _positions(is_set: BoolArray, reading: MarkMeaning) -> Any:
    """Return where the boundaries are."""
    if reading == "labels":
        here = is_set[1:] != is_set[:-1]
    else:
        here = is_set[1:] if reading == "starts" else is_set[:-1]
    return np.flatnonzero(here).astype(np.int64) + 1


def _from_labels(coding: UnitValues, choice: str) -> Segmentation:
    values = coding.values
    if any(map(is_blank, values)):
        index = next(index for index, value in enumerate(values) if is_blank(value))
        fix = f"{choice.format('starts')} or {choice.format('ends')}"
        raise CorpusError(f"{coding.at(index)} has no label; if only a segment's edge has one, say {fix}")
    if all(isinstance(value, str) for value in values):
        values = list(map(str.strip, values))
    try:
        return Segmentation.from_labels(values)
    except SegmentationError as error:
        raise CorpusError(f"{coding_name(coding.document, coding.coder)}: {error}") from None


def rows_named(rows: Sequence[int], word: str, name: str) -> Callable[[int], str]:
    """Return a function that names a unit by its line or row.

    >>> rows_named([2, 3], "line", "coder ann")(1)
    'line 3: coder ann: unit 2'
    """
    return lambda index: f"{word} {rows[index]}: {name}: unit {index + 1}"


# -------------------------------------------------------------------- strings of 0 and 1


def string_reading(strings: Sequence[str], *, choice: str = IN_TABLES) -> MarkMeaning:
    """Return whether strings of 0 and 1 are starts, ends or gaps.

    >>> string_reading(["0010001001", "0001001001"]), string_reading(["0100100000"])
    ('ends', 'gaps')
    """
    strings = [string for string in strings if len(string) > 1]
    is_start = bool(strings) and all(string.startswith("1") for string in strings)
    is_end = bool(strings) and all(string.endswith("1") for string in strings)
    if is_start and is_end:
        n_marks = sum(string.count("1") for string in strings)
        inside = counted(n_marks - len(strings), "boundary", "boundaries")
        gives = f"as starts or ends they give {inside}, as gaps {n_marks:,} and one unit more per line"
        choices = listed([choice.format(reading) for reading in ("starts", "ends", "gaps")], last="or")
        raise CorpusError(f"the first and the last mark of every line are 1: {gives}; say which: {choices}")
    if is_start or is_end:
        return "starts" if is_start else "ends"
    return "gaps"


def string_segmentation(marks: str, reading: MarkMeaning) -> Segmentation:
    """Read a string of marks; there is one gap fewer than units.

    >>> string_segmentation("0010001001", "ends").masses
    (3, 4, 3)
    """
    coding: Segmentation = getattr(Segmentation, f"from_{reading}")(marks)
    return coding


# -------------------------------------------------------------------- tags of chunks
#
# BIO, IOB1, BIOES, BILOU and BMES: ``B-x`` opens a chunk of type x, ``I-x`` continues it, ``O`` is outside.
# As in conlleval, ``I-x`` also opens a chunk after another type or outside (IOB1). The last (E, L) and the
# only (S, U) unit of a chunk may have special tags. Text after a colon is ignored (``B-Premise:-1:Support``).

OUTSIDE = "O"
OPENING = frozenset("BSU")
CLOSING = frozenset("ELSU")
PREFIXES = OPENING | CLOSING | frozenset("IM")
LETTERS = PREFIXES | {OUTSIDE}
GAP_RULES: tuple[Gaps, ...] = ("segment", "join")


def is_tag(cell: str) -> bool:
    """Return whether a cell is a tag.

    >>> [is_tag(cell) for cell in ("O", "B", "I-NP", "B-Claim:Against", "B-", "In", "I", "_")]
    [True, True, True, True, False, False, True, False]
    """
    tag = cell.partition(":")[0]
    return tag == OUTSIDE or tag in PREFIXES or (tag[:1] in PREFIXES and tag[1:2] == "-" and len(tag) > 2)


def chunks_of(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Return the spans of the chunks in a sequence of tags.

    >>> chunks_of(["B-NP", "I-NP", "O", "I-NP", "I-VP", "B-VP"])
    [(0, 2), (3, 4), (4, 5), (5, 6)]
    """
    chunks: list[tuple[int, int]] = []
    open_kind = None
    for index, cell in enumerate(tags):
        tag = cell.partition(":")[0]
        prefix, kind = tag[:1], tag[2:]
        if prefix == OUTSIDE:
            open_kind = None
            continue
        if prefix in OPENING or kind != open_kind:
            chunks.append((index, index + 1))
        else:
            chunks[-1] = (chunks[-1][0], index + 1)
        open_kind = None if prefix in CLOSING else kind
    return chunks


def chunk_starts(
    values: Sequence[str], gaps: Gaps | None, at: Callable[[int], str], choice: str | None
) -> BoolArray:
    """Return which units start a segment, from chunk tags and the rule for units outside chunks.

    ``at`` names a unit in messages; ``choice`` is how the user can choose a reading.
    """
    tags = [value.strip() for value in values]
    if (fault := _fault_of_tags(tags)) is not None:
        labels = "" if choice is None else f"; labels need {choice.format('labels')}"
        pair = f"{short(tags[fault])} after {short(tags[fault - 1])}"
        raise CorpusError(f"{at(fault)} is {pair}, which tags of chunks are not{labels}")
    chunks = chunks_of(tags)
    if OUTSIDE in tags and gaps in (None, "error"):
        raise CorpusError(_outside(at, tags, chunks, choice))
    is_set = np.zeros(len(tags), dtype=bool)
    is_set[:1] = True  # a coding without units is refused later
    is_set[_first_units(chunks, len(tags), gaps or "error")] = True
    return is_set


def are_tags(values: Iterable[Any]) -> bool:
    """Return whether all values are chunk tags, and one opens or continues a chunk.

    >>> are_tags(["B-x", "O", "O"]), are_tags(["O", "O"]), are_tags(["B", "In"])
    (True, False, False)
    """
    distinct = set()
    for value in values:
        if not isinstance(value, str):
            return False
        distinct.add(value.strip())
    return all(map(is_tag, distinct)) and any(text[0] in "BI" for text in distinct)


def _fault_of_tags(tags: Sequence[str]) -> int | None:
    """Return the first letter that cannot follow the one before it as a tag, or None.

    >>> _fault_of_tags(list("BIESBE")), _fault_of_tags(list("BBSS")), _fault_of_tags(list("IOBI"))
    (None, 1, None)
    """
    letters = set(tags)
    if letters <= set("BIO") or not letters <= LETTERS:
        return None
    is_open = False
    for index, letter in enumerate(tags):
        if is_open == (letter in OPENING or letter == OUTSIDE):
            return max(index, 1)
        is_open = letter not in CLOSING and letter != OUTSIDE
    return None


def _first_units(chunks: Sequence[tuple[int, int]], n_units: int, gaps: Gaps) -> Any:
    """Return the units that begin a segment, except the first."""
    if not chunks:
        return []
    units = Units.every(1, end=n_units, axis="count")
    starts, ends = zip(*chunks, strict=True)
    return boundaries_of_segments(starts, ends, units, gaps=gaps).astype(np.int64)


def _outside(
    at: Callable[[int], str], tags: Sequence[str], chunks: Sequence[tuple[int, int]], choice: str | None
) -> str:
    """Return the message with the result of each rule for units outside chunks."""
    where = f"{at(tags.index(OUTSIDE))} is {OUTSIDE!r}, in no chunk"
    if choice is None:
        return f"{where}: marks have B and I alone; columns of tags are read by format='bio'"
    n_first = (len(_first_units(chunks, len(tags), rule)) for rule in GAP_RULES)
    segment, join = (counted(n, "boundary", "boundaries") for n in n_first)
    own = f"gaps='segment' makes such units segments of their own ({segment})"
    parts = f"gaps='join', as {choice.format('starts')}, parts of the chunk before ({join})"
    return f"{where}: {own}, {parts}; labels need {choice.format('labels')}"
