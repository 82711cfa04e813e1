"""Tags of chunks (BIO, IOB1, BIOES, BILOU, BMES): which are tags, and the spans of the chunks that they say.

``B-x`` opens a chunk of type x, ``I-x`` continues it, ``O`` is outside of all. As in conlleval, ``I-x`` opens
a chunk, too, where none of type x goes on (IOB1 writes them so). The last (E, L) and the only (S, U) unit of
a chunk may have tags of their own. What follows a colon is left alone (``B-Premise:-1:Support``).
"""

from __future__ import annotations

from collections.abc import Sequence

OUTSIDE = "O"
OPENING = frozenset("BSU")
CLOSING = frozenset("ELSU")
PREFIXES = OPENING | CLOSING | frozenset("IM")


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
    for place, cell in enumerate(tags):
        tag = cell.partition(":")[0]
        prefix, kind = tag[:1], tag[2:]
        if prefix == OUTSIDE:
            open_kind = None
            continue
        if prefix in OPENING or kind != open_kind:
            chunks.append((place, place + 1))
        else:
            chunks[-1] = (chunks[-1][0], place + 1)
        open_kind = None if prefix in CLOSING else kind
    return chunks
