"""ELAN's .eaf: the edges of annotations of each tier with times, in seconds.

Units are instants of 0.1 µs from 0 to the last time slot (or end=). Each tier with times is a coder, with a
boundary at every edge of an annotation; tiers=['topic > part'] makes a hierarchy of a parent and its
descendants. Time slots without a time are spaced evenly, as ELAN shows them. Values and tiers without times
are not kept. Written with a tier per coder; hierarchies are not written.

The schema is EAFv3.0 of the Max Planck Institute for Psycholinguistics. Annotations of tiers that only refer
to others (Symbolic_Subdivision, Symbolic_Association) have no times. A chain of parent tiers such as
``Utterance > Chunk`` in ``tiers`` is one coding: a hierarchy with the parent's edges at rank 1.

Annotations that divide one of the parent (Time_Subdivision) may meet in time slots without a time. They are
read as ELAN shows them: evenly spaced, in whole milliseconds, between the nearest slots of the tier with a
time, first those of the parent (``TierImpl.proposeTimeFor``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import CorpusError, missing_extra, within
from caesura.io import recordings
from caesura.io.base import Coding, Contents, Document, Format, Segments, read_documents, united
from caesura.io.files import Source, shortened
from caesura.io.spans import placed
from caesura.io.xml_files import is_xml_name, root_of
from caesura.values.corpus import Corpus
from caesura.values.segments import Gaps
from caesura.wording import counted, listed

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ROOT = "ANNOTATION_DOCUMENT"
CHAIN = " > "
SIDES = ("TIME_SLOT_REF1", "TIME_SLOT_REF2")
GAPS: Gaps = "segment"
"""Gaps between annotations are segments by default."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
DATE = "1970-01-01T00:00:00+00:00"
"""The date of every written file: the same corpus makes the same file."""


Times = dict[str, float | None]
"""The times of time slots in seconds; None: not known yet."""


class Tier(NamedTuple):
    """A tier: its annotations, or why they have no times."""

    parent: str | None
    spans: Sequence[tuple[float, float]] = ()
    untimed: frozenset[str] = frozenset()
    """Slots without a time, which were spaced evenly."""
    fault: str = ""


def read(source: Source) -> Contents:
    """Read all tiers with times, or the chosen ones."""
    root = root_of(source)
    if root.tag != ROOT:
        raise CorpusError(f"the outermost element is {shortened(root.tag)}: expected {ROOT}")
    slots = _slots(root)
    last = max((time for time in slots.values() if time is not None), default=None)
    if last is None:
        raise CorpusError("there is no time slot with a time: nothing is annotated")
    units = recordings.time_axis(0.0, source.options.get("end", last))
    if units.end < last:
        raise CorpusError(f"the last time slot is at {last:g}, after the end that was given, {units.end:g}")
    notices: list[str] = []
    tiers = _tiers(root, slots, notices)
    codings: dict[str, Coding] = {}
    used: dict[str, Tier] = {}
    for chain in _chains(tiers, source.options.get("tiers"), notices):
        levels = {name: tiers[name] for name in chain}
        coder = CHAIN.join(chain)
        used |= levels
        if empty := [name for name, tier in levels.items() if not tier.spans]:
            notices.append(f"tier {shortened(empty[0])} is empty: {shortened(coder)} is not coded")
        elif len(chain) == 1:
            codings[coder] = Segments(levels[coder].spans, gaps=GAPS)
        else:
            with within(f"document {source.name}: coder {coder}"):
                projections = (placed(source, units, tier.spans, gaps=GAPS) for tier in levels.values())
                edges = [projection.segmentation.positions for projection in projections]
                codings[coder] = united(edges, len(units))
    if untimed := {name: tier.untimed for name, tier in used.items() if tier.untimed}:
        n_slots = counted(len(frozenset().union(*untimed.values())), "time slot")
        tiers_of = f"{'tier' if len(untimed) == 1 else 'tiers'} {listed(untimed)}"
        notices.append(f"{n_slots} without a time ({tiers_of}): spaced evenly, as ELAN shows them")
    return read_documents(source, [Document(source.name, codings, units=units)], notices)


def _slots(root: Element) -> Times:
    header = root.find("HEADER")
    unit = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if unit != "milliseconds":
        raise CorpusError(f"TIME_UNITS is {shortened(unit)}: only milliseconds can be read")
    slots: Times = {}
    for slot in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, value = slot.get("TIME_SLOT_ID", ""), slot.get("TIME_VALUE")
        where = f"the time of slot {shortened(name)}"
        slots[name] = None if value is None else recordings.time_from_0(value, where) / 1000
    return slots


def _tiers(root: Element, slots: Times, notices: list[str]) -> dict[str, Tier]:
    """Return all tiers by name; parents get times first, because their children's depend on them."""
    elements = root.findall("TIER")
    names = recordings.named_apart([element.get("TIER_ID", "") for element in elements], notices)
    times = dict(slots)
    order = _parents_first(elements)
    tiers = {number: _tier(elements[number], names[number], slots, times) for number in order}
    return {name: tiers[number] for number, name in enumerate(names)}


def _parents_first(elements: Sequence[Element]) -> list[int]:
    """Return the numbers of all tiers, each after its parent; cycles last."""
    number_by_name = {element.get("TIER_ID", ""): number for number, element in enumerate(elements)}
    below: dict[int | None, list[int]] = {}
    for number, element in enumerate(elements):
        below.setdefault(number_by_name.get(element.get("PARENT_REF", "")), []).append(number)
    order = below.pop(None, [])
    for number in order:
        order += below.pop(number, [])  # the loop reaches them
    return order + [number for numbers in below.values() for number in numbers]


def _tier(element: Element, name: str, slots: Times, times: Times) -> Tier:
    """Return a tier; add to ``times`` those that it implies for slots without one."""
    parent = element.get("PARENT_REF")
    if element.find("ANNOTATION/REF_ANNOTATION") is not None:
        return Tier(parent, fault="its annotations refer to those of another tier and have no times")
    annotations = element.findall("ANNOTATION/ALIGNABLE_ANNOTATION")
    labels = [annotation.get("ANNOTATION_ID", "") for annotation in annotations]
    edges = [tuple(annotation.get(side, "") for side in SIDES) for annotation in annotations]
    for label, edge in zip(labels, edges, strict=True):
        for side, slot in zip(SIDES, edge, strict=True):
            if slot not in slots:
                where = f"tier {shortened(name)}: annotation {shortened(label)}"
                raise CorpusError(f"{where}: {side} is {shortened(slot)}: there is no such time slot")
    if parent is not None:
        _space_evenly(edges, times)
    spans: list[tuple[float, float]] = []
    for label, (first, last) in zip(labels, edges, strict=True):
        start, end = times[first], times[last]
        if start is None or end is None:
            return Tier(parent, fault=f"annotation {label} has a slot without a time")
        recordings.check_order(f"tier {shortened(name)}: annotation {shortened(label)}", start, end)
        spans.append((start, end))
    untimed = frozenset(slot for pair in edges for slot in pair if slots[slot] is None)
    return Tier(parent, spans, untimed)


def _space_evenly(edges: Sequence[tuple[str, ...]], times: Times) -> None:
    """Space slots without a time, in which annotations meet, evenly between slots with one."""
    after: dict[str, str] = {}
    for first, last in edges:
        after.setdefault(first, last)
    for first, last in edges:
        untimed: list[str] = []
        if (begin := times[first]) is None:
            continue
        while times[last] is None and last in after and len(untimed) < len(edges):
            untimed.append(last)
            last = after[last]
        if (end := times[last]) is None:
            return  # the tier cannot be read
        step = round(1000 * (end - begin)) // (len(untimed) + 1)
        for number, slot in enumerate(untimed, start=1):
            times[slot] = (round(1000 * begin) + number * step) / 1000


def _chains(
    tiers: dict[str, Tier], wanted: Sequence[str] | None, notices: list[str]
) -> list[tuple[str, ...]]:
    """Return the tiers of each coding: one, or a parent and its descendants."""
    if wanted is None:
        if without := [name for name, tier in tiers.items() if tier.fault]:
            subject = f"{counted(len(without), 'tier has', 'tiers have')} annotations without times"
            notices.append(f"{subject} and are left out: {listed(without)}")
        return [(name,) for name, tier in tiers.items() if not tier.fault]
    chains = []
    for name in dict.fromkeys(wanted):
        names = (name,) if name in tiers else tuple(part.strip() for part in name.split(CHAIN))
        for part in names:
            if fault := tiers[recordings.known_tier(part, tiers)].fault:
                raise CorpusError(f"tier {shortened(part)} cannot be read: {fault}")
        for above, below in pairwise(names):
            ancestors = _above(below, tiers)
            if above not in ancestors:
                parents = f"those above are {listed(ancestors)}" if ancestors else "it has no parent"
                raise CorpusError(f"tier {shortened(above)} is not above tier {shortened(below)}: {parents}")
        chains.append(names)
    return chains


def _above(name: str, tiers: dict[str, Tier]) -> dict[str, None]:
    """Return a tier's ancestors, its parent first."""
    above: dict[str, None] = {}
    parent = tiers[name].parent
    while parent is not None and parent in tiers and parent not in above:
        above[parent] = None
        parent = tiers[parent].parent
    return above


def write(corpus: Corpus, extension: str) -> str:
    """Return a tier of empty annotations, from end to end, for each coder."""
    try:
        from pympi.Elan import Eaf, to_string  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("writing .eaf needs pympi-ling", "formats") from None
    units, edges = recordings.tilings(corpus, "elan", is_xml_name)
    if units.origin != 0:
        raise CorpusError(f"the recording starts at {units.origin:g}, and elan's at 0; write a TextGrid")
    file = Eaf(author="")
    file.adocument["DATE"] = DATE
    file.remove_tier("default")
    for coder, times in edges.items():
        file.add_tier(coder)
        steps = [recordings.steps_of(time, 1000, "elan", "write a TextGrid") for time in times]
        for start, end in pairwise(steps):
            file.add_annotation(coder, start, end)
    return f"{DECLARATION}\n{to_string(file)}"


def sniff(source: Source) -> bool:
    """Recognize it by its outermost element."""
    return source.text.lstrip().startswith("<") and f"<{ROOT}" in source.text


FORMAT = Format.of(globals(), "elan", (".eaf",), {"coders"}, needs_axis="seconds")
