"""The file that an adjudication page saves: gold, with a record of each decision.

``{"format": "caesura adjudication", "version": 1, "checksum": …, "study": …, "title": …, "coder": "gold",
"signature": …, "type_scheme": …, "documents": […]}``. The scheme is null or as in ``TypeScheme.to_dict``. A
document has its name, ``n_units``, its ``units`` or null where their text is not known, ``seconds``,
``positions`` and with them ``types`` (none where all are plain), and ``decisions``: of each place its
``first`` and ``last`` position, the ``votes`` of coders, the ``proposal``, the ``decision`` in a word, the
``boundaries`` that gold has there, and a ``comment``. Boundaries are pairs of position and type.

Decisions are a column, and so are the seconds (``Corpus.details``, ``to_frame``). Places that are still
undecided are as proposed, and are named. A file that was changed by hand is refused.
"""

from __future__ import annotations

from typing import Any, TypedDict

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, notes_of
from caesura.io.files import Source
from caesura.io.json_files import shaped
from caesura.io.messages import within
from caesura.io.page_files import Seconds, coding_of, saved, sealed, with_ranks_between
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

NAME = "caesura adjudication"
VERSION = 1
"""The latest version of the file; a page writes the one of its day."""

UNDECIDED = "undecided"
"""The decision on a contested place that nobody has decided yet: gold has what is proposed there."""


class Decision(TypedDict):
    """What was decided on a contested place."""

    decision: str


class _Decided(TypedDict):
    n_units: int
    positions: list[Any]
    types: list[Any]
    seconds: Seconds
    decisions: list[Decision]


class Decided(_Decided, total=False):
    """A document of gold, with its texts where they are known."""

    units: list[str] | None


def read(source: Source) -> Contents:
    """Read gold; what is undecided is as proposed, and is said."""
    data = saved(source, NAME, VERSION, "an adjudication page")
    coder, known = data["coder"], source.json.get("type_scheme")
    scheme = None if known is None else TypeScheme.from_dict(known)
    builder = CorpusBuilder()
    details: dict[str, list[Any]] = {"seconds": [], "decisions": []}
    undecided: dict[str, int] = {}
    for record in source.json["documents"]:
        name = record["document"]
        own = shaped(record, Decided, f"document {name}")
        types = own["types"] if scheme is not None and scheme.ranks else own["types"] or None
        with within(f"document {name}: coder {coder}"):
            builder.add(name, coder, coding_of(own["positions"], types, own["n_units"], scheme))
        units = own.get("units")
        if units is not None:
            builder.add_text(name, units)
        for key, values in details.items():
            values.append(record[key])
        n = sum(one["decision"] == UNDECIDED for one in own["decisions"])
        if n:
            undecided[name] = n
    corpus = Corpus.build(builder, type_scheme=scheme).with_details(details)
    boundaries = counted(len(corpus.codings.positions), "boundary", "boundaries")
    understood = f"{FORMAT.name}: {coder}, {counted(len(corpus), 'document')}, {boundaries}"
    if undecided:
        understood += (
            f" ({counted(sum(undecided.values()), 'place')} undecided and taken as proposed: "
            f"{listed(undecided)})"
        )
    return Contents(corpus, understood=understood)


def write(corpus: Corpus, extension: str) -> str:
    """Return the file of one coding per document, with what is known of its decisions."""
    if len(corpus.coders) != 1:
        raise CorpusError(f"the file is one coding, and there are {listed(corpus.coders)}; choose one")
    is_plain = corpus.type_scheme is None and corpus.codings.types is None
    records = []
    for row, (name, _, coding) in enumerate(corpus):
        known = {key: values[row] for key, values in corpus.details.items()}
        records.append(
            {
                "document": name,
                "n_units": coding.n_units,
                "units": list(corpus.units[name]) if name in corpus.units else None,
                "seconds": known.get("seconds") or 0,
                "positions": coding.boundary_positions.tolist(),
                "types": [] if is_plain else coding.boundary_types.tolist(),
                "decisions": list(known.get("decisions") or ()),
            }
        )
    scheme = corpus.type_scheme
    return sealed(
        {
            "format": NAME,
            "version": VERSION,
            "study": "",
            "title": "",
            "coder": corpus.coders[0],
            "signature": str(corpus.metadata.get("adjudication", "")),
            "type_scheme": None if scheme is None else with_ranks_between(scheme).to_dict(),
            "documents": records,
        }
    )


def sniff(source: Source) -> bool:
    """Tell it by the name of its format."""
    data = source.json_or_none
    return isinstance(data, dict) and data.get("format") == NAME


EXAMPLE_CONTENT: dict[str, Any] = {
    "format": NAME,
    "version": 1,
    "study": "weather",
    "title": "weather",
    "coder": "gold",
    "signature": "adjudication|B|n_t=2|share=1/2",
    "type_scheme": None,
    "documents": [
        {
            "document": "rain",
            "n_units": 3,
            "units": ["It rained all day.", "We stayed at home.", "Next morning the sun was back."],
            "seconds": 12,
            "positions": [2],
            "types": [],
            "decisions": [
                {
                    "first": 1,
                    "last": 2,
                    "votes": [
                        {"coder": "ann", "boundaries": [[1, 1]]},
                        {"coder": "bob", "boundaries": [[2, 1]]},
                    ],
                    "proposal": [[1, 1]],
                    "decision": "chosen",
                    "boundaries": [[2, 1]],
                    "comment": "The next day begins here.",
                }
            ],
        }
    ],
}

FORMAT = Format(
    "adjudication",
    "what an adjudication page (caesura adjudicate) saves: gold, and a record of each decision",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types", "type scheme", "ranks", "units"}),
    is_of_page=True,
    example=sealed(EXAMPLE_CONTENT),
    notes=notes_of(__doc__),
)
