"""What an adjudication page (caesura adjudicate) saves: gold, and a record of each decision.

Gold, with a record of each decision. ``{"format": "caesura adjudication", "version": 1, "checksum": …,
"study": …, "title": …, "coder": "gold", "signature": …, "type_scheme": …, "documents": […]}``. The scheme is
null or as in ``TypeScheme.to_dict``. A document has its name, ``n_units``, its ``units`` or null where their
text is not known, ``seconds``, ``positions`` and with them ``types`` (none where all are plain), and
``decisions``: of each place its ``first`` and ``last`` position, the ``votes`` of coders, the ``proposal``,
the ``decision`` in one word, the ``boundaries`` that gold has there, and a ``comment``. Boundaries are pairs
of position and type.

Decisions and seconds are columns (``Corpus.details``, ``to_frame``). Undecided places have the proposed
boundaries and are reported. A file edited by hand is refused.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NotRequired, TypedDict

from caesura.errors import within
from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.json_files import shaped
from caesura.io.page_files import PARTS, Known, PageFile, Seconds, coding_of, with_ranks_between
from caesura.values.corpus import Corpus
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

PAGE = PageFile("caesura adjudication", 1, "an adjudication page", "coding")

UNDECIDED = "undecided"
"""The decision on an undecided place; gold has the proposal there."""


class Decision(TypedDict):
    """The decision on a contested place."""

    decision: str


class Decided(TypedDict):
    """A document of gold, with its texts where they are known."""

    n_units: int
    positions: list[Any]
    types: list[Any]
    seconds: Seconds
    decisions: list[Decision]
    units: NotRequired[list[str] | None]


def read(source: Source) -> Contents:
    """Read gold; undecided places have the proposal, and are reported."""
    coder, records = PAGE.read(source)
    known = source.json.get("type_scheme")
    scheme = None if known is None else TypeScheme.from_dict(known)
    builder = CorpusBuilder()
    undecided: Counter[str] = Counter()
    for where, name, record in records:
        own = shaped(record, Decided, where)
        types = own["types"] if scheme is not None and scheme.ranks else own["types"] or None
        with within(f"{where}: coder {coder}"):
            builder.add(name, coder, coding_of(own["positions"], types, own["n_units"], scheme))
        if (units := own.get("units")) is not None:
            builder.add_text(name, units)
        undecided[name] = sum(decision["decision"] == UNDECIDED for decision in own["decisions"])
    details = {key: [record.value[key] for record in records] for key in ("seconds", "decisions")}
    corpus = Corpus.build(builder, type_scheme=scheme).with_details(details)
    boundaries = counted(len(corpus.codings.positions), "boundary", "boundaries")
    understood = f"{FORMAT.name}: {coder}, {counted(len(corpus), 'document')}, {boundaries}"
    if places := undecided.total():
        understood += f" ({counted(places, 'place')} undecided and taken as proposed: {listed(+undecided)})"
    return Contents(corpus, understood=understood)


def write(corpus: Corpus, extension: str) -> str:
    """Return the file of one coding per document, with its decisions."""
    scheme = corpus.type_scheme
    is_plain = scheme is None and corpus.codings.types is None

    def saved(name: str, coding: Segmentation, known: Known) -> Known:
        return {
            "n_units": coding.n_units,
            "units": list(corpus.units[name]) if name in corpus.units else None,
            "seconds": known.get("seconds") or 0,
            "positions": coding.boundary_positions.tolist(),
            "types": [] if is_plain else coding.boundary_types.tolist(),
            "decisions": list(known.get("decisions") or ()),
        }

    return PAGE.write(
        corpus,
        saved,
        title="",
        signature=str(corpus.metadata.get("adjudication", "")),
        type_scheme=None if scheme is None else with_ranks_between(scheme).to_dict(),
    )


FORMAT = Format.of(globals(), "adjudication", (".json",), PARTS, is_of_page=True, sniff=PAGE.sniff)
