"""Praat's TextGrid: the edges of intervals or the points of each tier, in seconds.

Units are instants of 0.1 µs from xmin to xmax, and each tier with items is a coder, with a boundary at every
edge of an interval or at every point. Labels are not kept.

By Praat's manual, "TextGrid file formats", only numbers, texts in double quotes (quotes inside are doubled)
and flags such as ``<exists>`` count, each after white space; the rest, and text after an exclamation mark, is
comment. So the long and short forms, and those of other programs, are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import Coding, Contents, Document, Format, Segments, read_documents
from caesura.io.files import Source, shortened
from caesura.io.recordings import check_order, named_apart, tilings, time_axis, wanted_tiers
from caesura.values.corpus import Corpus
from caesura.values.units import INSTANT, Units
from caesura.wording import counted

TOKEN = re.compile(
    r"""(?: \s++ | ![^\r\n]*+ | [^\s!"<0-9+-]\S*+ )*+     # white space, comments and words
        ( "(?:[^"]|"")*+" | "(?s:.)*+                     # a text, or one that does not end
        | <\S*+ | [0-9+-][^\s!]*+ | \Z )                  # a flag, a number, or nothing more""",
    re.VERBOSE,
)
"""A token after everything that does not count. It matches everywhere, so no position is tried twice."""

NUMBER = re.compile(r"([-+]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+)[^0-9]*+")
"""A number and the signs attached to it, as in 2.5s."""

LINE_END = re.compile(r"\r\n|\r|\n")
INTERVALS, POINTS = "IntervalTier", "TextTier"
KINDS = {'"': "a text ", "<": "a flag "}


class Tier(NamedTuple):
    """A tier of the file, with the start and end of each item; those of a point are equal."""

    name: str
    item: str
    start: float
    end: float
    spans: list[tuple[float, float]]


class Tokens:
    """The tokens of a file, one after the other; messages name the expected role of each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = iter([token for token in TOKEN.findall(text) if token])
        self._n_taken = 0

    def take(self, role: str = "") -> str:
        """Return the next token; without a role it may be missing."""
        token = next(self._tokens, "")
        if role and not token:
            raise CorpusError(f"the file ends before {role}: is it cut off?")
        self._n_taken += 1
        return str(token)

    def text(self, role: str) -> str:
        """Return the next token, a text."""
        token = self.take(role)
        if token[0] != '"':
            raise self.fault(f"expected {role}, a text in double quotes, not {shortened(token)}")
        if token.count('"') % 2:
            raise self.fault(f"{role} has no closing quote: is the file cut off?")
        return token[1:-1].replace('""', '"')

    def number(self, role: str) -> float:
        """Return the next token, a number."""
        token = self.take(role)
        if (match := NUMBER.fullmatch(token)) is None:
            raise self.fault(f"expected {role}, a number, not {KINDS.get(token[0], '')}{shortened(token)}")
        value = float(match[1])
        if abs(value) == float("inf"):
            raise self.fault(f"{role} is {shortened(token)}: too large a number")
        return value

    def count(self, role: str) -> int:
        """Return the next token, a whole number."""
        value = self.number(role)
        if value != int(value):
            raise self.fault(f"{role} is {value:g}: expected a whole number")
        return int(value)

    def fault(self, message: str) -> CorpusError:
        """Return the error with the line of the last token."""
        match = next(islice(TOKEN.finditer(self._text), self._n_taken - 1, None))
        line = 1 + sum(1 for _ in LINE_END.finditer(self._text, 0, match.start(1)))
        return CorpusError(f"line {line}: {message}")


def read(source: Source) -> Contents:
    """Read the tiers that are not empty."""
    tokens = Tokens(source.text)
    kind, content = tokens.text("the file's type"), tokens.text("what it holds")
    if not kind.startswith("ooTextFile") or content != "TextGrid":
        raise CorpusError(f"it is of type {shortened(kind)} with {shortened(content)}: expected a TextGrid")
    units = time_axis(tokens.number("xmin of the file"), tokens.number("xmax of the file"))
    notices: list[str] = []
    in_order = list(_tiers(tokens, notices))
    tiers = dict(zip(named_apart([tier.name for tier in in_order], notices), in_order, strict=True))
    codings: dict[str, Coding] = {}
    for name in wanted_tiers(tiers, source):
        tier = tiers[name]
        _check_times(tier, name, units)
        if not tier.spans:
            notices.append(f"tier {shortened(name)} is empty: it is not coded")
        elif tier.item == "point":
            codings[name] = units.place([start for start, _ in tier.spans])
        else:
            # Extend tiers to the recording's ends: their own ends are not boundaries.
            ends = {tier.start: units.origin}, {tier.end: units.end}
            spans = [(ends[0].get(start, start), ends[1].get(end, end)) for start, end in tier.spans]
            codings[name] = Segments(spans, overlap="edges", gaps="segment")
    return read_documents(source, [Document(source.name, codings, units=units)], notices)


def _tiers(tokens: Tokens, notices: list[str]) -> Iterator[Tier]:
    if (flag := tokens.take("whether there are tiers")) == "<absent>":
        return
    if flag != "<exists>":
        raise tokens.fault(f"expected whether there are tiers, <exists> or <absent>, not {shortened(flag)}")
    n_tiers = tokens.count("the number of tiers")
    for number in range(1, n_tiers + 1):
        yield _tier(tokens, notices, f"tier {number} of {n_tiers}")
    if tokens.take():
        notices.append(f"what follows the last of {counted(n_tiers, 'tier')} was not read")


def _tier(tokens: Tokens, notices: list[str], where: str) -> Tier:
    if (kind := tokens.text(f"the class of {where}")) not in (INTERVALS, POINTS):
        raise tokens.fault(f"the class of {where} is {shortened(kind)}: expected {INTERVALS} or {POINTS}")
    name = tokens.text(f"the name of {where}")
    where = f"{where} ({shortened(name)})"
    tier_start, tier_end = tokens.number(f"xmin of {where}"), tokens.number(f"xmax of {where}")
    if (n_items := tokens.count(f"the number of items of {where}")) < 0:
        notices.append(f"{where} has {n_items} items: taken for none, as Praat does")
    item = "point" if kind == POINTS else "interval"
    spans: list[tuple[float, float]] = []
    for number in range(1, n_items + 1):
        start = tokens.number(f"the time of {item} {number} of {where}")
        end = start if kind == POINTS else tokens.number(f"the end of {item} {number} of {where}")
        tokens.text(f"the label of {item} {number} of {where}")
        spans.append((start, end))
    return Tier(name, item, tier_start, tier_end, spans)


def _check_times(tier: Tier, name: str, units: Units) -> None:
    for number, (start, end) in enumerate(tier.spans, start=1):
        where = f"tier {shortened(name)}: {tier.item} {number}"
        check_order(where, start, end)
        for time in (start, end):
            if not units.origin - INSTANT <= time <= units.end + INSTANT:
                extent = f"outside the recording, {units.origin:g} to {units.end:g}"
                raise CorpusError(f"{where} is at {time:g}, {extent}; correct it, or leave it out by tiers=")


def write(corpus: Corpus, extension: str) -> str:
    """Return the long form, with a tier of unlabeled intervals for each coder."""
    units, edges = tilings(corpus, "textgrid")
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', ""]
    lines += [f"xmin = {units.origin!r}", f"xmax = {units.end!r}"]
    lines += ["tiers? <exists>", f"size = {len(edges)}", "item []:"]
    for number, (coder, times) in enumerate(edges.items(), start=1):
        name = coder.replace('"', '""')
        lines += [f"    item [{number}]:", f'        class = "{INTERVALS}"', f'        name = "{name}"']
        lines += [f"        xmin = {units.origin!r}", f"        xmax = {units.end!r}"]
        lines.append(f"        intervals: size = {len(times) - 1}")
        for interval, (start, end) in enumerate(pairwise(times), start=1):
            lines += [f"        intervals [{interval}]:", f"            xmin = {start!r}"]
            lines += [f"            xmax = {end!r}", '            text = ""']
    return "\n".join(lines) + "\n"


def sniff(source: Source) -> bool:
    """Recognize it by the first two texts."""
    first = [match[1] for match in islice(TOKEN.finditer(source.text[:1000]), 2)]
    return len(first) == 2 and first[0].startswith('"ooTextFile') and first[1] == '"TextGrid"'


FORMAT = Format.of(globals(), "textgrid", (".textgrid",), {"coders"}, needs_axis="seconds")
