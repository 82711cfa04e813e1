"""Messages on files: the path before what is wrong with the content, in one line that can be read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from caesura.errors import CorpusError, ParameterError, SegmentationError

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
    """Put where it stands before what is wrong inside of a file.

    >>> with within("line 3"):
    ...     raise CorpusError("it is blank")
    Traceback (most recent call last):
    caesura.errors.CorpusError: line 3: it is blank
    """
    try:
        yield
    except (CorpusError, SegmentationError, ParameterError) as error:
        raise CorpusError(f"{where}: {error}") from None


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
