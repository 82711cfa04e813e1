"""adjudication_page(): contested places as one HTML page on which each is decided, without a server.

The page shows the votes, proposals and texts of ``adjudicate``. It saves a file for
``caesura.io.formats.adjudication``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.analyses.adjudication import Adjudication, Boundary, Place
from caesura.io.formats.adjudication import PAGE
from caesura.io.page_files import digest
from caesura.pages.markup import MARKING, check_shown, filled_page, script_json, web_files
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import name_of_type

STYLES = ("report/theme.css", "marking/marking.css", "adjudication/adjudication.css")
SCRIPTS = (
    "report/elements.js",
    *MARKING,
    *web_files("adjudication", "words gold file gaps question lists main"),
)
"""The parts of the page's script, in order."""


def adjudication_page(adjudication: Adjudication, *, title: str, name: str = "gold") -> str:
    """Return the page on which contested places are decided; equal places give equal bytes.

    >>> from caesura import Corpus, adjudicate
    >>> corpus = Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2]}})
    >>> adjudication_page(adjudicate(corpus), title="Two coders")[:15]
    '<!doctype html>'
    """
    check_shown(adjudication.corpus, "decide the places in a table, places.csv")
    return filled_page(
        "adjudication/adjudication.html",
        STYLES,
        SCRIPTS,
        title=title,
        things="Places",
        ready="decided",
        data=script_json(_payload(adjudication, title, name)),
    )


def _payload(adjudication: Adjudication, title: str, name: str) -> dict[str, Any]:
    corpus = adjudication.corpus
    places: dict[str, list[Place]] = {document: [] for document in corpus.documents}
    for place in adjudication.places:
        places[place.document].append(place)
    lost = sum(place.cost for place in adjudication.contested)
    documents = [_document(corpus, document, places[document], lost) for document in corpus.documents]
    where = {
        place.key: (document, number)
        for document, own in enumerate(places.values())
        for number, place in enumerate(own)
    }
    scheme = corpus.type_scheme
    content = {
        "format": PAGE.name,
        "version": PAGE.version,
        "title": title,
        "coder": name,
        "signature": adjudication.signature,
        "n_t": adjudication.n_t,
        "type_scheme": None if scheme is None else scheme.to_dict(),
        "is_levels": corpus.is_hierarchical,
        "types": [{"type": kind, "name": name_of_type(scheme, kind)} for kind in corpus.types],
        "documents": documents,
        "queue": [where[place.key] for place in adjudication.contested],
    }
    # The browser stores work under this digest, which differs for other codings.
    study = {**content, "documents": [(each["document"], each["digest"]) for each in documents]}
    return {**content, "study": digest(study)}


def _document(corpus: Corpus, name: str, places: Sequence[Place], lost: float) -> dict[str, Any]:
    coders = list(corpus[name])
    content = {
        "document": name,
        "n_units": corpus.n_units(name),
        "units": list(corpus.units[name]) if name in corpus.units else None,
        "coders": coders,
        "places": [
            {
                "positions": list(place.positions),
                "votes": [_pairs(place.votes[coder]) for coder in coders],
                "proposal": _pairs(place.proposal),
                "supporters": place.supporters,
                "is_contested": not place.is_unanimous,
                "percent": round(100 * place.cost / lost) if lost else 0,
            }
            for place in places
        ],
    }
    return {**content, "digest": digest(content)}


def _pairs(boundaries: Sequence[Boundary]) -> list[list[int]]:
    return [[boundary.position, boundary.type] for boundary in boundaries]
