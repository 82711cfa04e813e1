"""ELAN's .eaf: each tier whose annotations have times is a coding of the recording.

The schema is EAFv3.0 of the Max Planck Institute for Psycholinguistics. Annotations of tiers that only refer
to others (Symbolic_Subdivision, Symbolic_Association) have no times. A tier may have a parent; a chain such
as ``Utterance > Chunk``, asked for by name, is one coding: a hierarchy, the parent's edges of rank 1.

Annotations that divide one of the parent (Time_Subdivision) may meet in time slots without a time. ELAN shows
them evenly spaced, in whole milliseconds, between the nearest slots of the tier that have one, the parent's
own such slots first (``TierImpl.proposeTimeFor``), and so they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caesura.errors import CorpusError, missing_extra
from caesura.io.base import Contents, Format, with_all_ranks
from caesura.io.files import Source, shortened
from caesura.io.messages import within
from caesura.io.recordings import known_tier, named_apart, tilings, time_axis, time_in
from caesura.io.spans import add_segments, placed
from caesura.io.xml_files import is_xml_name, root_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segments import Gaps
from caesura.values.units import INSTANT, Units
from caesura.wording import counted, listed

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ROOT = "ANNOTATION_DOCUMENT"
CHAIN = " > "
GAPS: Gaps = "segment"
"""Between annotations is what nobody has annotated, unless the caller says something else."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
DATE = "1970-01-01T00:00:00+00:00"
"""The day of every written file, so that the same corpus is the same file tomorrow."""


class Tier(NamedTuple):
    """A tier: its annotations, or why they cannot be read as times."""

    parent: str | None
    spans: list[tuple[float, float]]
    fault: str = ""
    untimed: frozenset[str] = frozenset()
    """Slots without a time, which were spaced evenly."""


def read(source: Source) -> Contents:
    """Read all tiers with times, or those that the caller names."""
    root = root_of(source)
    if root.tag != ROOT:
        raise CorpusError(f"the outermost element is {shortened(root.tag)}: expected {ROOT}")
    slots = _slots(root)
    units = time_axis(0.0, _end(source, slots))
    notices: list[str] = []
    tiers = _tiers(root, slots, notices)
    builder = CorpusBuilder()
    builder.add_units(source.name, units)
    chains = _chains(tiers, source.options.get("tiers"), notices)
    for chain in chains:
        spans = [tiers[name].spans for name in chain]
        coder = CHAIN.join(chain)
        empty = [name for name in chain if not tiers[name].spans]
        if empty:
            notices.append(f"tier {shortened(empty[0])} is empty: {shortened(coder)} is not coded")
        elif len(chain) == 1:
            add_segments(builder, source, source.name, coder, units, spans[0], gaps=GAPS)
        else:
            builder.add(source.name, coder, _hierarchy(source, coder, units, spans))
    notices += _untimed(tiers, chains)
    corpus = Corpus.build(builder)
    return Contents(with_all_ranks(corpus) if corpus.is_hierarchical else corpus, notices)


def _untimed(tiers: dict[str, Tier], chains: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a notice on how many times were made up."""
    names = dict.fromkeys(name for chain in chains for name in chain if tiers[name].untimed)
    if names:
        n_slots = len(frozenset().union(*(tiers[name].untimed for name in names)))
        yield (
            f"{counted(n_slots, 'time slot')} without a time ({'tier' if len(names) == 1 else 'tiers'} "
            f"{listed(names)}): read as ELAN shows them, evenly spaced between their neighbours"
        )


def _slots(root: Element) -> dict[str, float | None]:
    """Return the time of each time slot in seconds; None where it has no time yet."""
    header = root.find("HEADER")
    unit = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if unit != "milliseconds":
        raise CorpusError(f"TIME_UNITS is {shortened(unit)}: only milliseconds can be read")
    slots: dict[str, float | None] = {}
    for slot in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, value = slot.get("TIME_SLOT_ID", ""), slot.get("TIME_VALUE")
        seconds = None if value is None else time_in(value, f"the time of slot {shortened(name)}") / 1000
        if seconds is not None and seconds < 0:
            raise CorpusError(f"the time of slot {shortened(name)} is {value}: expected one from 0 on")
        slots[name] = seconds
    return slots


def _end(source: Source, slots: dict[str, float | None]) -> float:
    last = max((time for time in slots.values() if time is not None), default=None)
    if last is None:
        raise CorpusError("there is no time slot with a time: nothing is annotated")
    end: float = source.options.get("end", last)
    if end < last:
        raise CorpusError(f"the last time slot is at {last:g}, after the end that was given, {end:g}")
    return end


def _tiers(root: Element, slots: dict[str, float | None], notices: list[str]) -> dict[str, Tier]:
    """Return all tiers by name; parents come first to their times, which their children's depend on."""
    elements = root.findall("TIER")
    names = named_apart([element.get("TIER_ID", "") for element in elements], notices)
    times = dict(slots)
    found = {place: _tier(elements[place], names[place], slots, times) for place in _parents_first(elements)}
    return {name: found[place] for place, name in enumerate(names)}


def _parents_first(elements: Sequence[Element]) -> list[int]:
    """Return the numbers of all tiers, each after its parent; those that are their own ancestors last."""
    place = {element.get("TIER_ID", ""): number for number, element in enumerate(elements)}
    below: dict[int | None, list[int]] = {}
    for number, element in enumerate(elements):
        below.setdefault(place.get(element.get("PARENT_REF", "")), []).append(number)
    order = below.pop(None, [])
    for number in order:
        order += below.pop(number, [])  # which are looked at in their turn
    return order + [number for numbers in below.values() for number in numbers]


def _tier(
    element: Element, name: str, slots: dict[str, float | None], times: dict[str, float | None]
) -> Tier:
    """Return a tier; slots without a time that it can say something of get one in ``times``."""
    parent = element.get("PARENT_REF")
    if element.find("ANNOTATION/REF_ANNOTATION") is not None:
        return Tier(parent, [], "its annotations only refer to those of another tier and have no times")
    annotations = element.findall("ANNOTATION/ALIGNABLE_ANNOTATION")
    edges = [_edges(annotation, name, slots) for annotation in annotations]
    if parent is not None:
        _space_evenly(edges, times)
    spans: list[tuple[float, float]] = []
    for annotation, (first, last) in zip(annotations, edges, strict=True):
        start, end = times[first], times[last]
        if start is None or end is None:
            return Tier(parent, [], f"annotation {annotation.get('ANNOTATION_ID')} has a slot without a time")
        if end < start:
            where = _where(annotation, name)
            raise CorpusError(f"{where} starts at {start:g} and ends at {end:g}: it ends before it starts")
        spans.append((start, end))
    return Tier(
        parent, spans, untimed=frozenset(slot for pair in edges for slot in pair if slots[slot] is None)
    )


def _edges(annotation: Element, tier: str, slots: dict[str, float | None]) -> tuple[str, str]:
    """Return the time slots in which an annotation begins and ends."""
    first, last = annotation.get("TIME_SLOT_REF1", ""), annotation.get("TIME_SLOT_REF2", "")
    for side, slot in (("TIME_SLOT_REF1", first), ("TIME_SLOT_REF2", last)):
        if slot not in slots:
            raise CorpusError(
                f"{_where(annotation, tier)}: {side} is {shortened(slot)}: there is no such time slot"
            )
    return first, last


def _where(annotation: Element, tier: str) -> str:
    return f"tier {shortened(tier)}: annotation {shortened(annotation.get('ANNOTATION_ID', ''))}"


def _space_evenly(edges: Sequence[tuple[str, str]], times: dict[str, float | None]) -> None:
    """Give times to slots without one in which annotations meet, from one slot with a time to the next."""
    after: dict[str, str] = {}
    for first, last in edges:
        after.setdefault(first, last)
    for first, last in edges:
        untimed: list[str] = []
        begin = times[first]
        if begin is None:
            continue
        while times[last] is None and last in after and len(untimed) < len(edges):
            untimed.append(last)
            last = after[last]
        end = times[last]
        if end is None:
            return  # the tier cannot be read
        step = round(1000 * (end - begin)) // (len(untimed) + 1)
        for number, slot in enumerate(untimed, start=1):
            times[slot] = (round(1000 * begin) + number * step) / 1000


def _chains(
    tiers: dict[str, Tier], wanted: Sequence[str] | None, notices: list[str]
) -> list[tuple[str, ...]]:
    """Return the tiers that make up each coding: one, or a parent and its descendants."""
    if wanted is None:
        without = [name for name, tier in tiers.items() if tier.fault]
        if without:
            fault = "annotations without times and"
            notices.append(
                f"tier {without[0]} has {fault} is left out"
                if len(without) == 1
                else f"{len(without)} tiers have {fault} are left out: {listed(without)}"
            )
        return [(name,) for name, tier in tiers.items() if not tier.fault]
    chains = []
    for name in dict.fromkeys(wanted):
        names = (name,) if name in tiers else tuple(part.strip() for part in name.split(CHAIN))
        for one in names:
            fault = tiers[known_tier(one, tiers)].fault
            if fault:
                raise CorpusError(f"tier {shortened(one)} cannot be read: {fault}")
        for above, below in pairwise(names):
            _check_below(above, below, tiers)
        chains.append(names)
    return chains


def _check_below(above: str, below: str, tiers: dict[str, Tier]) -> None:
    seen: dict[str, None] = {}
    parent = tiers[below].parent
    while parent is not None and parent in tiers and parent not in seen:
        if parent == above:
            return
        seen[parent] = None
        parent = tiers[parent].parent
    parents = f"those above are {listed(seen)}" if seen else "it has no parent"
    raise CorpusError(f"tier {shortened(above)} is not above tier {shortened(below)}: {parents}")


def _hierarchy(
    source: Source, coder: str, units: Units, levels: Sequence[list[tuple[float, float]]]
) -> Hierarchy:
    """Return the edges of all levels, each with the rank of the first that has it."""
    ranks: dict[int, int] = {}
    for rank, spans in enumerate(levels, start=1):
        with within(f"document {source.name}: coder {coder}"):
            positions = placed(source, units, spans, gaps=GAPS).segmentation.positions
        for position in positions:
            ranks.setdefault(position, rank)
    return Hierarchy.from_ranks(ranks, len(units))


# -------------------------------------------------------------------- writing


def write(corpus: Corpus, extension: str) -> str:
    """Return a tier of empty annotations, from end to end, for each coder."""
    try:
        from pympi.Elan import Eaf, to_string  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("writing .eaf needs pympi-ling", "formats") from None
    units, edges = tilings(corpus, "elan", is_xml_name)
    if units.origin != 0:
        raise CorpusError(f"the recording starts at {units.origin:g}, and elan's at 0; write a TextGrid")
    file = Eaf(author="")
    file.adocument["DATE"] = DATE
    file.remove_tier("default")
    for coder, places in edges.items():
        file.add_tier(coder)
        for start, end in pairwise(map(_milliseconds, places)):
            file.add_annotation(coder, start, end)
    return f"{DECLARATION}\n{to_string(file)}"


def _milliseconds(seconds: float) -> int:
    value = round(seconds * 1000)
    if abs(value - seconds * 1000) > 1e-6:
        raise CorpusError(
            f"a boundary or end is at {seconds!r} seconds, and elan has whole milliseconds; write a TextGrid"
        )
    return value


def sniff(source: Source) -> bool:
    """Tell it by its outermost element."""
    return source.text.lstrip().startswith("<") and f"<{ROOT}" in source.text


EXAMPLE = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-05-01T12:00:00+00:00" FORMAT="3.0" VERSION="3.0">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
    <TIME_ORDER>
        <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
        <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="1200"/>
        <TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="4250"/>
        <TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="9500"/>
    </TIME_ORDER>
    <TIER LINGUISTIC_TYPE_REF="topic" TIER_ID="topic">
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts3">
                <ANNOTATION_VALUE>weather</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
                <ANNOTATION_VALUE>sport</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="part" PARENT_REF="topic" TIER_ID="part">
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
                <ANNOTATION_VALUE>greeting</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
    </TIER>
    <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="topic" TIME_ALIGNABLE="true"/>
    <LINGUISTIC_TYPE CONSTRAINTS="Included_In" LINGUISTIC_TYPE_ID="part" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""

FORMAT = Format(
    "elan",
    "ELAN's .eaf: the edges of annotations of each tier with times, in seconds",
    (".eaf",),
    read,
    write,
    sniff,
    frozenset({"coders", "places"}),
    needs_axis="seconds",
    step=INSTANT,
    example=EXAMPLE,
    notes="Units are instants of 0.1 µs from 0 to the last time slot (or end=), and each tier with times is "
    "a coder, with a boundary at every edge of an annotation; tiers=['topic > part'] makes a hierarchy of a "
    "parent and its descendants. Time slots without a time, where annotations divide one of the parent tier, "
    "are spaced evenly, as ELAN shows them. Values, and tiers without times, are not kept. Written with a "
    "tier for a coder; a hierarchy is not written.",
)
