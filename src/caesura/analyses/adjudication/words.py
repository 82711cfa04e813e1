"""Adjudications and gold in words and tables; the table of places is edited and read back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise

from caesura.analyses.adjudication.results import NONE, Adjudication, Boundary, Gold, Place, Record
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Table, distinct
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import name_of_type
from caesura.wording import counted, whole_percent

MOST_OF_LOSS = 0.5
"""How much of the lost agreement the costliest places are to make up."""


def adjudication_notes(adjudication: Adjudication) -> list[Note]:
    """Return how much there is to decide, where most is lost, and the signature."""
    notes = [finding(_to_decide(adjudication))]
    single = sum(place.coders == 1 for place in adjudication.unanimous)
    if single:
        alone = counted(single, "place")
        notes.append(
            caveat(f"{alone} in documents with one coder: the gold standard takes them over unchecked.")
        )
    cost = "cost: share of 1 − observed agreement (B over all pairs of coders)"
    notes.append(
        reading(f"{cost}. Marks fewer than {adjudication.n_t} apart form one place. All others go into gold.")
    )
    return [*notes, signature(adjudication.signature)]


def _to_decide(adjudication: Adjudication) -> str:
    n = len(adjudication.contested)
    agreed = counted(len(adjudication.unanimous), "place")
    if not n:
        return f"Nothing to decide: the coders agree on all {agreed}."
    sentence = f"{counted(n, 'place')} to decide; the coders agree on {agreed}"
    lost = 1 - adjudication.observed
    if math.isnan(lost) or n == 1:
        return f"{sentence}."
    totals = [*accumulate(place.cost for place in adjudication.contested)]
    most = next((n for n, total in enumerate(totals, start=1) if total >= MOST_OF_LOSS * lost), n)
    costliest = "most costly place accounts" if most == 1 else f"{most:,} most costly places account"
    return (
        f"{sentence}. The {costliest} for {whole_percent(totals[most - 1] / lost)} of the disagreement "
        f"(observed B {adjudication.observed:.2f})."
    )


def gold_notes(gold: Gold) -> list[Note]:
    """Return how many places were decided in which way."""
    counts = ", ".join(f"{n:,} {kind}" for kind, n in gold.counts.items())
    return [
        finding(f"{counted(len(gold.records), 'place')}: {counts}." if counts else "There is no boundary."),
        signature(str(gold.corpus.metadata["adjudication"])),
    ]


# -------------------------------------------------------------------- in tables


DECIDED_BY = ("document", "first", "last", "decision")
"""The columns of the places that are read back."""

SHOWN_TEXT = 200
"""Characters of the text on either side of a place."""

NOT_CODED = "not coded"


def main_table(adjudication: Adjudication) -> Table:
    """Return one row per contested place, the costliest first, with the coders at each position."""
    names = ["document", "place", "cost", "proposal", "support", "votes"]
    rows: list[list[Cell]] = [
        [
            place.document,
            str(place.first) if place.first == place.last else f"{place.first}–{place.last}",
            place.cost,
            written(place.proposal, adjudication.corpus),
            supported(place),
            _votes(place, adjudication.corpus),
        ]
        for place in adjudication.contested
    ]
    return Table.under(names, rows, adjudication_notes(adjudication), "Contested places")


def places_table(adjudication: Adjudication) -> Table:
    """Return the file of decisions: one row per contested place, a column per coder, and the text."""
    corpus = adjudication.corpus
    names = [*DECIDED_BY, "proposal", "support", "cost", "before", "between", "after"]
    coders = distinct(corpus.coders, beside=names)
    texts = cache(lambda document: corpus.units.get(document, ()))
    rows: list[list[Cell]] = []
    for place in adjudication.contested:
        votes = [
            written(place.votes[coder], corpus, nothing="") if coder in place.votes else NOT_CODED
            for coder in corpus.coders
        ]
        proposed: list[Cell] = [written(place.proposal, corpus), supported(place), place.cost]
        text = around(place, texts(place.document))
        rows.append([place.document, place.first, place.last, "", *proposed, *text, *votes])
    return Table.under([*names, *coders], rows, adjudication_notes(adjudication), "Contested places")


def unanimous_table(adjudication: Adjudication) -> Table:
    """Return one row per place on which all coders of its document agree."""
    corpus, names = adjudication.corpus, ("document", "boundary", "coders")
    rows: Iterator[list[Cell]] = (
        [place.document, written(next(iter(place.votes.values())), corpus), place.coders]
        for place in adjudication.unanimous
    )
    return Table.under(names, rows, adjudication_notes(adjudication), "Unanimous places")


def gold_table(gold: Gold) -> Table:
    """Return one row per place: what was decided, and how many coders had marked just that."""
    rows: Iterator[list[Cell]] = (
        [*record[:4], written(record.boundaries, gold.corpus), *record[5:]] for record in gold.records
    )
    return Table.under(Record._fields, rows, gold_notes(gold), "Gold")


def written(boundaries: Iterable[Boundary], corpus: Corpus, nothing: str = NONE) -> str:
    """Return boundaries as a cell that no spreadsheet takes for a number, date or formula of its own.

    >>> from caesura.values.type_scheme import TypeScheme
    >>> typed = Corpus.from_dict({"d": {"ann": [2, 3]}}, type_scheme=TypeScheme({1: "topic", 2: "aside"}))
    >>> written([Boundary(5, 1), Boundary(7, 2)], typed)
    '5 (topic) and 7 (aside)'
    """
    is_plain = len(corpus.types) < 2
    cells = [
        f"{mark.position}" if is_plain else f"{mark.position} ({name_of_type(corpus.type_scheme, mark.type)})"
        for mark in boundaries
    ]
    return " and ".join([", ".join(cells[:-1]), cells[-1]] if len(cells) > 1 else cells) or nothing


def supported(place: Place) -> str:
    """Return how many of the coders support the proposal."""
    return f"{place.supporters} of {place.coders}"


def _votes(place: Place, corpus: Corpus) -> str:
    counts = Counter(mark for own in place.votes.values() for mark in own)
    return " · ".join(f"{written([mark], corpus)}: {counts[mark]}" for mark in sorted(counts))


def around(place: Place, texts: Sequence[str]) -> tuple[str, str, str]:
    """Return the text before, between and after the positions of a place, none where it is not known."""
    if not texts:
        return "", "", ""
    before, after = texts[place.first - 1], texts[place.last]
    between = []
    for start, end in pairwise(place.positions):
        between += [_head(" ".join(texts[start:end])), f"|{end}|"]
    return _head(before[::-1])[::-1], " ".join(between[:-1]), _head(after)


def _head(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_TEXT else text[: SHOWN_TEXT - 1] + "…"


present(
    Adjudication, notes=adjudication_notes, main=main_table, places=places_table, unanimous=unanimous_table
)
present(Gold, notes=gold_notes, main=gold_table)
