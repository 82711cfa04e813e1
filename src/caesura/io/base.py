"""Format: what a file format declares, once, for reading, writing, recognising and the help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from caesura.corpus import Corpus
from caesura.errors import CorpusError
from caesura.io.files import Source
from caesura.segmentation import Segmentation

Part: TypeAlias = Literal["documents", "coders", "types", "type scheme", "units"]
"""A part of a corpus: several documents, several coders, boundary types, their names, the units' text."""

REFERENCE = "reference"
"""The coder of formats that know of only one and do not name it."""


@dataclass(frozen=True)
class Format:
    """A file format. ``read`` and ``write`` raise errors without the path, which ``registry`` adds."""

    name: str
    title: str
    extensions: tuple[str, ...]
    """The first is what files in a folder get."""
    read: Callable[[Source], Corpus]
    write: Callable[[Corpus, str], str | bytes]
    """Content of the file that holds a corpus, given the extension it will have."""
    sniff: Callable[[Source], bool]
    """Whether the content looks like this format; it may be broken all the same."""
    keeps: frozenset[Part]
    needs_units: bool = False
    """Whether the format consists of the units' text."""


def only_coding(corpus: Corpus) -> tuple[str, str, Segmentation]:
    """Return document, coder and segmentation of a corpus that is known to hold just one."""
    (coding,) = corpus
    return coding


def check_named(corpus: Corpus) -> None:
    """Refuse names that a table could not tell from a missing cell."""
    for document, coder, _ in corpus:
        if "" in (document, coder):
            raise CorpusError("a document or coder without a name can not stand in a table; name it")


def named_only(name: object, what: str) -> str:
    """Return a name read from JSON: text, or a whole number written out."""
    if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
        return str(name)
    raise CorpusError(f"the {what} is {name!r}: expected a name")
