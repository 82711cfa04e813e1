"""Exceptions, their place in a file, and hints at misspelled names."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate, islice

from caesura.installation import adding_extra, adding_package
from caesura.wording import listed, shortened, terminal_safe

LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
MAX_MESSAGE = 500


class CaesuraError(Exception):
    """Base of all errors that caesura raises on purpose; the message is one line."""

    def __str__(self) -> str:
        return terminal_safe(super().__str__())


class SegmentationError(CaesuraError, ValueError):
    """The input does not describe a segmentation."""


class ComparisonError(CaesuraError, ValueError):
    """Two segmentations cannot be compared."""


class CorpusError(CaesuraError, ValueError):
    """Codings do not fit together, or a file has wrong content."""


class EngineError(CaesuraError, RuntimeError):
    """A cluster cannot be reached, or could not finish a task."""


class MissingExtraError(CaesuraError, ImportError):
    """An optional package is missing; the message names the package to install."""


class AnswerError(CaesuraError, ValueError):
    """A language model gave no answer with boundaries."""


class ParameterError(CaesuraError, ValueError):
    """A parameter has a value that is not allowed."""


class UnknownNameError(CaesuraError, LookupError):
    """A metric, parameter or other name does not exist."""


def missing_extra(need: str, extra: str) -> MissingExtraError:
    """Return the error that names the need ("figures need Altair") and the command that adds the extra."""
    return MissingExtraError(f"{need}: {adding_extra(extra)}")


def missing_package(need: str, package: str) -> MissingExtraError:
    """Return the same error for a package that is in none of the extras."""
    return MissingExtraError(f"{need}: {adding_package(package)}")


MOST_COMPARED = 1000
"""Known names that are compared letter by letter."""

MOST_LETTERS = 100
"""Letters of a name that are compared: time may grow with the product of two lengths."""

LONGEST_UNKNOWN = 60  # characters of an unknown name in a message

LONGEST_LIST = 300
"""Characters of a list of known names."""


def did_you_mean(name: str, known: Collection[str], also: Iterable[tuple[str, str]] = ()) -> str:
    """Return a hint at the closest known name, or the first of the known names.

    ``also`` maps other names to known names: titles, abbreviations, names in other programs. Case, spaces,
    hyphens and underscores are ignored.

    >>> did_you_mean("windowdif", ["pk", "windowdiff"])
    "did you mean 'windowdiff'?"
    >>> did_you_mean("window_diff", ["Pk", "WD"], also=[("WindowDiff", "WD")])
    "did you mean 'WD'?"
    >>> did_you_mean("xyz", ["pk", "wd"])
    'known: pk and wd'
    """
    from difflib import get_close_matches  # only errors need it

    wanted = _folded(name)
    likely: Iterable[str] = known
    if len(known) > MOST_COMPARED:
        likely = islice(_alike(name[:MOST_LETTERS].lower(), known), MOST_COMPARED)
    own = _by_name((candidate, candidate) for candidate in likely)
    meant = {**_by_name(also), **own}  # a known name means itself
    close = [wanted] if meant.get(wanted) else get_close_matches(wanted, meant, n=1, cutoff=0.5)
    if close:
        first, *more = map(repr, meant[close[0]])
        shown = listed([first, *more], last="or") if more else shortened(first, MOST_LETTERS)
        return f"did you mean {shown}?"
    lengths = accumulate(len(shortened(candidate)) + len(", ") for candidate in islice(known, MOST_COMPARED))
    return f"known: {listed(known, most=sum(length <= LONGEST_LIST for length in lengths))}"


def unknown(
    noun: str, name: object, known: Collection[str], also: Iterable[tuple[str, str]] = (), where: str = ""
) -> UnknownNameError:
    """Return the error for an unknown name, with a hint.

    >>> print(unknown("metric", "windowdif", ["pk", "windowdiff"]))
    unknown metric 'windowdif'; did you mean 'windowdiff'?
    """
    shown = shortened(str(name), LONGEST_UNKNOWN)
    return UnknownNameError(f"unknown {noun} {shown!r}{where}; {did_you_mean(str(name), known, also)}")


def _by_name(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the known names that each name may mean, each once."""
    meant: dict[str, dict[str, None]] = {}
    for name, candidate in names:
        meant.setdefault(_folded(name), {})[candidate] = None
    return {name: [*candidates] for name, candidates in meant.items()}


def _folded(name: str) -> str:
    """Return the form in which names are compared.

    >>> _folded("Window_Diff"), _folded("Pk′")
    ('windowdiff', "pk'")
    """
    return name[:MOST_LETTERS].lower().translate(FOLDED)


FOLDED = str.maketrans({" ": None, "-": None, "_": None, "′": "'", "’": "'"})
"""Characters that are ignored in names, and other forms of the prime."""


def _alike(wanted: str, known: Iterable[str]) -> Iterator[str]:
    """Yield the names that differ by an inserted, deleted or changed letter, or two swapped letters."""
    coarse, fine = _frames(wanted, 1 + len(wanted) // 8), _frames(wanted, 1)
    for candidate in known:
        if abs(len(candidate) - len(wanted)) < 3:
            folded = candidate.lower()
            for start, end in coarse:  # most names fit none of these
                if folded.endswith(end) and folded.startswith(start):
                    if any(folded.endswith(end) and folded.startswith(start) for start, end in fine):
                        yield candidate
                    break


def _frames(wanted: str, step: int) -> list[tuple[str, str]]:
    """Return the text before and after each gap; gaps overlap by the letter that may be swapped."""
    return [(wanted[:i], wanted[i + step + 1 :]) for i in range(0, len(wanted), step)]


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Prefix errors in the content of a file with its path."""
    try:
        yield
    except (CorpusError, SegmentationError) as error:
        raise CorpusError(f"{path}: {one_line(str(error))}") from None


@contextmanager
def within(where: str) -> Iterator[None]:
    """Prefix errors with their place in a file, unless the message begins with it.

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
    """Return a message as one line of bounded length, whatever the data hold."""
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE - 200]} ... {message[-200:]}"
    return without_line_ends(message)


def without_line_ends(message: str) -> str:
    """Return a message with escaped line ends.

    >>> without_line_ends("a\\nb")
    'a\\\\nb'
    """
    return LINE_END.sub(lambda end: end.group().encode("unicode_escape").decode(), message)
