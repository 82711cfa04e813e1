"""What a coder's page (caesura annotate) saves: boundaries, titles, comments, times.

One coder's boundaries, titles, comments, doubts and times. ``{"format": "caesura annotation", "version": 1,
"checksum": …, "study": …, "coder": …, "scheme": …, "questions": […], "documents": […]}``. The scheme is null,
``{"kind": "types", "names": […]}`` or the same of levels, numbered from 1. A document has its name, the
``digest`` of its units, the ``units`` themselves, ``done``, whether its end was ``read``, ``seconds``,
``positions`` and with them ``types``, the ``unsure`` positions, and ``titles`` and ``comments``, one for each
segment. Files of all earlier versions are read.

Only finished documents are read; the others are reported. Titles and comments by segment, unsure positions
and seconds are columns (``Corpus.details``, ``to_frame``). A file edited by hand is refused. A written file
can be opened on the page to continue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Format
from caesura.io.files import Source, misfit
from caesura.io.json_files import fits, shaped, shaped_entry
from caesura.io.page_files import PARTS, Known, PageFile, Seconds, coding_of, digest, with_ranks_between
from caesura.values.corpus import Corpus
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import PLAIN_TYPE, Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

PAGE = PageFile("caesura annotation", 1, "an annotation page", "coder's")

TYPES, LEVELS = "types", "levels"

COLUMNS = {"unsure": "unsure", "title": "titles", "comment": "comments"}
"""The questions of a study, and the columns of their answers."""


class Finished(TypedDict):
    """A coder's work on a document."""

    n_units: int
    units: list[str]
    positions: list[Any]
    seconds: Seconds
    unsure: list[Any]
    titles: list[str]
    comments: list[str]


class Scheme(TypedDict):
    """The types or levels of a study."""

    kind: str
    names: list[str]


def scheme_of(kind: str, names: Sequence[str]) -> TypeScheme:
    """Return the scheme of a study's types or levels, numbered from 1.

    >>> scheme_of("levels", ["part", "chapter"])
    TypeScheme(names={1: 'part', 2: 'chapter'}, nominal=False, ranks=True)
    """
    numbered = dict(enumerate(names, start=1))
    return TypeScheme(numbered, ranks=True) if kind == LEVELS else TypeScheme(numbered, nominal=True)


def read(source: Source) -> Contents:
    """Read the documents that the coder has finished; name the others."""
    coder, records = PAGE.read(source)
    scheme = _scheme(source.json.get("scheme"))
    builder = CorpusBuilder()
    unseen: list[str] = []
    unfinished: list[tuple[str, str]] = []
    finished: list[Finished] = []
    for where, name, record in records:
        if not shaped_entry(record, "done", bool, where):
            unfinished.append((coder, name))
            continue
        own = shaped(record, Finished, where)
        types = None if scheme is None else shaped_entry(record, "types", list[Any], where)
        with within(f"{where}: coder {coder}"):
            builder.add(name, coder, coding_of(own["positions"], types, own["n_units"], scheme))
        if not record.get("read", True):
            unseen.append(name)
        if digest(own["units"]) != record.get("digest"):
            raise CorpusError(f"{where}: its units are not those of its digest")
        builder.add_text(name, own["units"])
        n_segments = len(set(own["positions"])) + 1
        for key, texts in (("titles", own["titles"]), ("comments", own["comments"])):
            if texts and len(texts) != n_segments:
                raise misfit(f"{where}: {key}", texts, f"{n_segments} texts, one for each segment, or none")
        finished.append(own)
    corpus = Corpus.build(builder, type_scheme=scheme)
    finished_of = f"{coder} has finished {len(corpus)} of {counted(len(records), 'document')}"
    boundaries = counted(len(corpus.codings.positions), "boundary", "boundaries")
    understood = f"{FORMAT.name}: {finished_of}, {boundaries}"
    if unseen:
        understood += f" (not said to be all, and the end never on the screen: {listed(unseen)})"
    questions = shaped_entry(source.json, "questions", list[str])
    columns = ["seconds", *(column for question, column in COLUMNS.items() if question in questions)]
    details = {column: [dict(own)[column] for own in finished] for column in columns}
    return Contents(corpus.with_details(details), understood=understood, unfinished=unfinished)


def _scheme(value: Any) -> TypeScheme | None:
    if value is None:
        return None
    if not fits(value, Scheme) or value["kind"] not in (TYPES, LEVELS) or not value["names"]:
        raise misfit("scheme", value, f'null, or "kind" ({TYPES} or {LEVELS}) and a list of "names"')
    return scheme_of(value["kind"], value["names"])


def write(corpus: Corpus, extension: str) -> str:
    """Return the file of one coder, which can be opened on the page."""
    scheme = _written_scheme(corpus)
    questions = [question for question, column in COLUMNS.items() if column in corpus.details]

    def saved(name: str, coding: Segmentation, known: Known) -> Known:
        units = list(corpus.units[name])
        return {
            "digest": digest(units),
            "n_units": coding.n_units,
            "units": units,
            **dict.fromkeys(("done", "said", "read"), True),
            "seconds": known.get("seconds", 0),
            "positions": coding.boundary_positions.tolist(),
            "types": coding.boundary_types.tolist() if scheme else [],
            **{column: list(known.get(column, ())) for column in COLUMNS.values()},
        }

    return PAGE.write(corpus, saved, scheme=scheme, questions=questions)


def _written_scheme(corpus: Corpus) -> dict[str, Any] | None:
    """Return types or levels as a study declares them; refuse other types."""
    scheme = corpus.type_scheme
    if scheme is None and corpus.types in ((), (PLAIN_TYPE,)):
        return None
    if scheme is None or not (scheme.ranks or scheme.nominal):
        raise CorpusError("types of the file have names and no order: declare them (type_scheme, nominal)")
    scheme = with_ranks_between(scheme)
    if list(scheme.names) != list(range(1, len(scheme.names) + 1)):
        raise CorpusError(f"types of the file are numbered from 1, and these are {listed(scheme.names)}")
    return {"kind": LEVELS if scheme.ranks else TYPES, "names": list(scheme.names.values())}


sniff = PAGE.sniff
FORMAT = Format.of(globals(), "annotation", (".json",), PARTS, needs_units=True, is_of_page=True)
