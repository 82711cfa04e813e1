"""Tags of chunks (BIO, IOB1, BIOES, BILOU, BMES): which are tags, and the spans of the chunks that they say.

``B-x`` opens a chunk of type x, ``I-x`` continues it, ``O`` is outside of all. As in conlleval, ``I-x`` opens
a chunk, too, where none of type x goes on (IOB1 writes them so). The last (E, L) and the only (S, U) unit of
a chunk may have tags of their own. What follows a colon is left alone (``B-Premise:-1:Support``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.values.columns import BoolArray
from caesura.values.segments import Gaps, boundaries_of_segments
from caesura.values.units import Units
from caesura.wording import counted, short

OUTSIDE = "O"
OPENING = frozenset("BSU")
CLOSING = frozenset("ELSU")
PREFIXES = OPENING | CLOSING | frozenset("IM")
LETTERS = PREFIXES | {OUTSIDE}
GAP_RULES: tuple[Gaps, ...] = ("segment", "join")


def is_tag(cell: str) -> bool:
    """Whether a cell is a tag.

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
    """Return which units start a segment, as tags of chunks say, and as ``gaps`` says of those in no chunk.

    ``at`` names the unit of an index in messages; ``choice`` says how a reading is chosen, if it can be.
    """
    tags = [value.strip() for value in values]
    fault = _fault_of_tags(tags)
    if fault is not None:
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
    """Whether all values are tags of chunks, and one opens or continues a chunk.

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
    """Return the first of single letters that does not fit the one before it as tags; they may be labels.

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
    """Return the units that begin a segment, but for the first."""
    if not chunks:
        return []
    units = Units.every(1, end=n_units, axis="count")
    starts, ends = zip(*chunks, strict=True)
    return boundaries_of_segments(starts, ends, units, gaps=gaps).astype(np.int64)


def _outside(
    at: Callable[[int], str],
    tags: Sequence[str],
    chunks: Sequence[tuple[int, int]],
    choice: str | None,
) -> str:
    """Return what the rules for units outside of all chunks would give, in words."""
    where = f"{at(tags.index(OUTSIDE))} is {OUTSIDE!r}, in no chunk"
    if choice is None:
        return f"{where}: marks have B and I alone; columns of tags are read by format='bio'"
    n_first = (len(_first_units(chunks, len(tags), rule)) for rule in GAP_RULES)
    segment, join = (counted(n, "boundary", "boundaries") for n in n_first)
    own = f"gaps='segment' makes such units segments of their own ({segment})"
    parts = f"gaps='join', as {choice.format('starts')}, parts of the chunk before ({join})"
    return f"{where}: {own}, {parts}; labels need {choice.format('labels')}"
