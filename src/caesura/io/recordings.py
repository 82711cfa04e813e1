"""Recordings: what formats of tiers and times share, which is the axis, times in text, and names of tiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count

from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.io.files import Source, shortened
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units


def time_axis(start: float, end: float) -> Units:
    """Return the axis of a recording, or say why there is none."""
    if not start < end:
        raise CorpusError(f"the recording starts at {start:g} and ends at {end:g}: it has no length")
    try:
        return Units.of_time(end, start=start)
    except ParameterError:
        raise CorpusError(f"the recording ends at {end:g} seconds: are these milliseconds?") from None


def time_in(text: str, what: str) -> float:
    """Return a time that stands in a file, in the unit that it has there.

    >>> time_in("1.5", "onset")
    1.5
    """
    try:
        value = math.nan if "_" in text else float(text)  # Python's own numbers may have underscores
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CorpusError(f"{what} is {shortened(text)}: expected a number, with a point for decimals")
    return value


def named_apart(names: Sequence[str], notices: list[str]) -> list[str]:
    """Return names of tiers that are all different, and none of them empty; notices say which are new.

    >>> named_apart(["Mary", "Mary", ""], [])
    ['Mary', 'Mary (2)', 'tier 3']
    """
    given = set(names)
    apart: dict[str, None] = {}
    free: dict[str, Iterator[int]] = {}  # of each name: the numbers that were not tried yet
    for number, name in enumerate(names, start=1):
        plain = name or f"tier {number}"
        told = plain
        if told in apart or (not name and told in given):
            numbers = free.setdefault(plain, count(2))
            others = (f"{plain} ({i})" for i in numbers)
            told = next(other for other in others if other not in given and other not in apart)
        if name and told != name:
            notices.append(f"tier {number} is called {shortened(name)} as one before: here {told}")
        elif not name:
            notices.append(f"tier {number} has no name: here {told}")
        apart[told] = None
    return list(apart)


def wanted_tiers(names: Collection[str], source: Source) -> list[str]:
    """Return the tiers that the caller names, or all of them."""
    wanted = source.options.get("tiers")
    return list(names) if wanted is None else [known_tier(name, names) for name in dict.fromkeys(wanted)]


def known_tier(name: str, names: Collection[str]) -> str:
    """Return the name of a tier that is there."""
    if name not in names:
        raise CorpusError(f"there is no tier {shortened(name)}; {did_you_mean(name, names)}")
    return name


def tilings(
    corpus: Corpus, format: str, is_name: Callable[[str], bool] = bool
) -> tuple[Units, dict[str, list[float]]]:
    """Return the axis of the only document, and by coder where segments start and the last one ends."""
    (document,) = corpus.documents
    units = corpus.spans[document]
    edges: dict[str, list[float]] = {}
    for _, coder, segmentation in corpus:
        if not is_name(coder):
            raise CorpusError(f"coder {coder!r}: {format} cannot hold this name; rename it")
        edges[coder] = edges_of(units, segmentation)
    return units, edges


def edges_of(units: Units, segmentation: Segmentation) -> list[float]:
    """Return where the segments start, and where the last one ends."""
    # Without the digits that come of adding up instants; readers take times to the nearest of them.
    inner = [round(place, 9) for place in units.offsets(segmentation).tolist()]
    return [units.origin, *inner, units.end]
