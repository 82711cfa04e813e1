"""The exceptions, and the "did you mean" helper."""

from __future__ import annotations

from collections.abc import Iterable


class CaesuraError(Exception):
    """Base of every error that caesura raises on purpose."""


class SegmentationError(CaesuraError, ValueError):
    """The input does not describe a segmentation."""


class ComparisonError(CaesuraError, ValueError):
    """Two segmentations can not be compared."""


class CorpusError(CaesuraError, ValueError):
    """Codings do not fit together, or a file does not hold what it should."""


class MissingExtraError(CaesuraError, ImportError):
    """An optional package is needed for what was asked; the message says which to install."""


class ParameterError(CaesuraError, ValueError):
    """A parameter has a value that is not allowed."""


class UnknownNameError(CaesuraError, LookupError):
    """A metric, parameter or other name that does not exist was asked for."""

    def __str__(self) -> str:
        return str(self.args[0])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is closest, or a list of all of them.

    >>> did_you_mean("windowdif", ["pk", "windowdiff"])
    "did you mean 'windowdiff'?"
    >>> did_you_mean("xyz", ["pk", "wd"])
    'known: pk, wd'
    """
    from difflib import get_close_matches  # only errors need it

    known = list(known)
    folded = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(name.lower(), folded, n=1, cutoff=0.5)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known: {', '.join(known)}"
