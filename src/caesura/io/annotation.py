"""The file that an annotation page saves: one coder's boundaries, titles, comments, doubts and times.

``{"format": "caesura annotation", "version": 1, "checksum": …, "study": …, "coder": …, "scheme": …,
"questions": […], "documents": […]}``. The scheme is null, ``{"kind": "types", "names": […]}`` or the same of
levels, numbered from 1. A document has its name, the ``digest`` of its units, the ``units`` themselves,
``done``, whether its end was ``read``, ``seconds``, ``positions`` and with them ``types``, the ``unsure``
positions, and ``titles`` and ``comments``, one for each segment. Files of all earlier versions are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.errors import CorpusError, SegmentationError
from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.page_files import (
    check_file,
    digest,
    document_records,
    entry,
    sealed,
    with_ranks_between,
    wrong,
)
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import PLAIN_TYPE, Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

NAME = "caesura annotation"
VERSION = 1
"""The latest version of the file; a page writes the one of its day."""

TYPES, LEVELS = "types", "levels"

COLUMNS = {"unsure": "unsure", "title": "titles", "comment": "comments"}
"""What a coder may be asked, and the column that has the answers."""


def scheme_of(kind: str, names: Sequence[str]) -> TypeScheme:
    """Return what a study's types or levels are, numbered from 1.

    >>> scheme_of("levels", ["part", "chapter"])
    TypeScheme(names={1: 'part', 2: 'chapter'}, nominal=False, ranks=True)
    """
    numbered = dict(enumerate(names, start=1))
    return TypeScheme(numbered, ranks=True) if kind == LEVELS else TypeScheme(numbered, nominal=True)


def read(source: Source) -> Contents:
    """Read the documents that the coder has finished; the others are named."""
    data = source.json
    check_file(data, NAME, VERSION, "an annotation page")
    coder = entry(data, "coder", str)
    scheme = _scheme(data.get("scheme"))
    builder = CorpusBuilder()
    unseen: list[str] = []
    unfinished: list[tuple[str, str]] = []
    details: dict[str, list[Any]] = {"seconds": [], "unsure": [], "titles": [], "comments": []}
    documents = document_records(data)
    for record in documents:
        name = record["document"]
        if not entry(record, "done", bool, name):
            unfinished.append((coder, name))
            continue
        try:
            coding = _coding(record, scheme)
        except SegmentationError as error:
            raise CorpusError(f"document {name}: coder {coder}: {error}") from None
        if not record.get("read", True):
            unseen.append(name)
        builder.add(name, coder, coding)
        builder.add_text(name, _units(record, name))
        n_segments = len(set(record["positions"])) + 1
        details["seconds"].append(entry(record, "seconds", int, name))
        details["unsure"].append(entry(record, "unsure", list, name))
        for key in ("titles", "comments"):
            details[key].append(_texts(record, key, name, n_segments))
    corpus = Corpus.build(builder, type_scheme=scheme)
    understood = (
        f"{FORMAT.name}: {coder} has finished {len(corpus)} of {counted(len(documents), 'document')}, "
        f"{counted(len(corpus.codings.positions), 'boundary', 'boundaries')}"
    )
    if unseen:
        understood += f" (not said to be all, and the end never on the screen: {listed(unseen)})"
    asked = [COLUMNS.get(question) for question in entry(data, "questions", list)]
    corpus = corpus.with_details({key: details[key] for key in details if key == "seconds" or key in asked})
    return Contents(corpus, understood=understood, unfinished=unfinished)


def _scheme(value: Any) -> TypeScheme | None:
    if value is None:
        return None
    kind, names = (value.get("kind"), value.get("names", [])) if isinstance(value, dict) else (None, [])
    are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if kind not in (TYPES, LEVELS) or not names or not are_names:
        wrong("", "scheme", value, f'null, or "kind" ({TYPES} or {LEVELS}) and a list of "names"')
    return scheme_of(kind, names)


def _coding(record: dict[str, Any], scheme: TypeScheme | None) -> Segmentation | Hierarchy:
    name = record["document"]
    positions, n_units = entry(record, "positions", list, name), entry(record, "n_units", int, name)
    if scheme is None:
        return Segmentation.from_positions(positions, n_units)
    types = entry(record, "types", list, name)
    if scheme.ranks:
        if len(types) != len(positions):
            wrong(name, "types", types, f"{len(positions)} levels, one for each boundary")
        return Hierarchy.from_ranks(dict(zip(positions, types, strict=True)), n_units)
    return Segmentation.from_positions(positions, n_units, types)


def _units(record: dict[str, Any], name: str) -> list[str]:
    units: list[str] = entry(record, "units", list, name)
    if digest(units) != record.get("digest"):
        raise CorpusError(f"document {name}: its units are not those of its digest")
    return units


def _texts(record: dict[str, Any], key: str, name: str, n_segments: int) -> list[str]:
    texts: list[str] = entry(record, key, list, name)
    if texts and len(texts) != n_segments:
        wrong(name, key, texts, f"{n_segments} texts, one for each segment, or none")
    return texts


def write(corpus: Corpus, extension: str) -> str:
    """Return the file of one coder, which the coder can open on the page to go on with it."""
    if len(corpus.coders) != 1:
        raise CorpusError(f"the file is one coder's, and there are {listed(corpus.coders)}; choose one")
    scheme = _written_scheme(corpus)
    records = []
    for row, (name, _, coding) in enumerate(corpus):
        units = list(corpus.units[name])
        positions, types = coding.boundary_positions.tolist(), coding.boundary_types.tolist()
        known = {key: values[row] for key, values in corpus.details.items()}
        records.append(
            {
                "document": name,
                "digest": digest(units),
                "n_units": coding.n_units,
                "units": units,
                "done": True,
                "said": True,
                "read": True,
                "seconds": known.get("seconds", 0),
                "positions": positions,
                "types": types if scheme else [],
                "unsure": list(known.get("unsure", ())),
                "titles": list(known.get("titles", ())),
                "comments": list(known.get("comments", ())),
            }
        )
    content = {
        "format": NAME,
        "version": VERSION,
        "study": "",
        "coder": corpus.coders[0],
        "scheme": scheme,
        "questions": [question for question, column in COLUMNS.items() if column in corpus.details],
        "documents": records,
    }
    return sealed(content)


def _written_scheme(corpus: Corpus) -> dict[str, Any] | None:
    """Return types or levels as a study declares them; what is neither is refused."""
    scheme = corpus.type_scheme
    if scheme is None and corpus.types in ((), (PLAIN_TYPE,)):
        return None
    if scheme is None or not (scheme.ranks or scheme.nominal):
        raise CorpusError("types of the file have names and no order: declare them (type_scheme, nominal)")
    scheme = with_ranks_between(scheme)
    if list(scheme.names) != list(range(1, len(scheme.names) + 1)):
        raise CorpusError(f"types of the file are numbered from 1, and these are {listed(scheme.names)}")
    return {"kind": LEVELS if scheme.ranks else TYPES, "names": list(scheme.names.values())}


def sniff(source: Source) -> bool:
    """Tell it by the name of its format."""
    data = source.json_or_none
    return isinstance(data, dict) and data.get("format") == NAME


EXAMPLE_UNITS = ["It rained all day.", "We stayed at home.", "Next morning the sun was back."]
EXAMPLE_CONTENT = {
    "format": NAME,
    "version": 1,
    "study": "weather",
    "coder": "ann",
    "scheme": None,
    "questions": ["title", "unsure"],
    "documents": [
        {
            "document": "rain",
            "digest": digest(EXAMPLE_UNITS),
            "n_units": 3,
            "units": EXAMPLE_UNITS,
            "done": True,
            "seconds": 41,
            "positions": [2],
            "unsure": [2],
            "titles": ["A wet day", "The day after"],
            "comments": [],
        }
    ],
}

FORMAT = Format(
    "annotation",
    "what a coder's page (caesura annotate) saves: boundaries, titles, comments, times",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "types", "type scheme", "ranks", "units"}),
    needs_units=True,
    is_of_page=True,
    example=sealed(EXAMPLE_CONTENT),
    notes=(
        "One coder's finished documents, with the text of their units; who has not finished what is said. "
        "Titles and comments by segment, unsure positions and seconds are columns (Corpus.details, "
        "to_frame). A file that was changed by hand is refused. One that is written here can be opened "
        "on the page, to go on with it."
    ),
)
