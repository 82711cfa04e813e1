"""Messages on files: where and what is wrong, in one line that can be read; and what a reader understood."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from caesura.errors import CorpusError, ParameterError, SegmentationError
from caesura.io.tables.marks import boundaries_of
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning, short_name
from caesura.wording import counted, listed

LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
MAX_MESSAGE = 500


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the path before what is wrong with the content of a file."""
    try:
        yield
    except (CorpusError, SegmentationError) as error:
        raise CorpusError(f"{path}: {one_line(str(error))}") from None


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put where it stands before what is wrong inside of a file; a message that begins so is left as it is.

    >>> with within("line 3"):
    ...     raise CorpusError("it is blank")
    Traceback (most recent call last):
    caesura.errors.CorpusError: line 3: it is blank
    """
    try:
        yield
    except (CorpusError, SegmentationError, ParameterError) as error:
        message = str(error)
        is_there = not where or message.startswith((f"{where}: ", f"{where} "))
        raise CorpusError(message if is_there else f"{where}: {message}") from None


def one_line(message: str) -> str:
    """Data may hold line ends, or be as long as its file; a message is one line that can be read."""
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE - 200]} ... {message[-200:]}"
    return without_line_ends(message)


def without_line_ends(message: str) -> str:
    """Write out line ends, of which data may hold any.

    >>> without_line_ends("a\\nb")
    'a\\\\nb'
    """
    return LINE_END.sub(lambda end: end.group().encode("unicode_escape").decode(), message)


def understood_marks(
    what: str, corpus: Corpus, reading: MarkMeaning, text: str | None = None, left_out: Sequence[str] = ()
) -> str:
    """Return how values per unit were read: ``a table of starts: ann 3 boundaries, bob 4``.

    So that nothing is left out without a word, it names who has not coded all documents, and other columns.
    """
    n_documents = len(corpus.documents)
    parts = [boundaries_of(boundaries_by_coder(corpus))]
    if n_documents > 1:
        parts.append(f"in {n_documents:,} documents")
        n_codings = np.bincount(corpus.coder, minlength=len(corpus.coder_names)).tolist()
        few = [
            f"{short_name(coder)} {n:,}"
            for coder, n in zip(corpus.coders, n_codings, strict=True)
            if n < n_documents
        ]
        if few:
            parts.append(f"of which coded by {listed(few)}")
    if text is not None:
        parts.append(f"text from {short_name(text)!r}")
    if left_out:
        parts.append(f"left out {listed([repr(short_name(name)) for name in left_out])}")
    return f"a {what} of {reading}: {', '.join(parts)}"


def boundaries_by_coder(corpus: Corpus) -> dict[str, int]:
    """Return how many boundaries each coder has placed, in all documents."""
    counts = np.bincount(
        corpus.coder, weights=np.diff(corpus.codings.offsets), minlength=len(corpus.coder_names)
    )
    return dict(zip(corpus.coders, counts.astype(np.int64).tolist(), strict=True))


def understood_size(format: str, corpus: Corpus) -> str:
    """Return what any file holds: ``segeval-json: 1 document, 7 coders``."""
    documents, coders = counted(len(corpus.documents), "document"), counted(len(corpus.coders), "coder")
    return f"{format}: {documents}, {coders}"
