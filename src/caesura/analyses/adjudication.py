"""adjudicate(): contested places, what each costs agreement, and a gold standard from decisions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, pairwise
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.analyses.consensus_coding import Share, agreed_places, as_share, of_one_coder
from caesura.arrays import FloatArray, IntArray, bincount, changes, repeat
from caesura.checks import N_T
from caesura.errors import CorpusError, UnknownNameError
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.pairs import coded, every_two
from caesura.results.as_json import plain_fields
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table, distinct
from caesura.values.columns import BoolArray, Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings, offsets_of
from caesura.values.type_scheme import name_of_type
from caesura.version import __version__
from caesura.wording import counted, listed, short, shortened, whole_percent

ACCEPT, NONE = "accept", "none"
"""Decisions: take the proposal, or place no boundary."""

Decision: TypeAlias = str | int | Iterable[int | tuple[int, int]]
"""``ACCEPT``, ``NONE``, a position, or positions; with several types pairs of position and type."""

DECISIONS = ("unanimous", "one coder", "accepted", "chosen", NONE)
"""The kinds of decisions in a record."""


class Boundary(NamedTuple):
    """A boundary that is marked, proposed or decided."""

    position: int
    type: int


@dataclass(frozen=True)
class Place:
    """Marked positions of a document, each fewer than n_t from the next.

    No edit of boundary edit distance reaches from one place to another.
    """

    document: str
    positions: tuple[int, ...]
    """The marked positions, ascending."""
    votes: Mapping[str, tuple[Boundary, ...]]
    """The boundaries of each coder of the document; empty: no boundary."""
    proposal: tuple[Boundary, ...]
    """The consensus of the votes, with near marks together; empty: no boundary."""
    support: tuple[int, ...]
    """The number of coders who mark each proposed boundary, exactly or nearby."""
    cost: float
    """The part of 1 − A_o; the costs of all places add up to 1 − A_o."""

    @property
    def first(self) -> int:
        """The leftmost marked position."""
        return self.positions[0]

    @property
    def last(self) -> int:
        """The rightmost marked position."""
        return self.positions[-1]

    @property
    def key(self) -> tuple[str, int]:
        """The key of a decision: document and first position."""
        return self.document, self.first

    @property
    def coders(self) -> int:
        """The number of coders of the document."""
        return len(self.votes)

    @property
    def supporters(self) -> int:
        """The number of coders who support the whole proposal."""
        return min(self.support, default=sum(not marks for marks in self.votes.values()))

    @property
    def is_unanimous(self) -> bool:
        """Whether all coders mark the same boundaries."""
        return len(set(self.votes.values())) == 1

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        own = ("document", "first", "last", "positions", "votes", "proposal", "support", "coders", "cost")
        return plain_fields(self, own)

    def usual_type(self, position: int) -> int:
        """Return the most frequent type at a position, or in the place if the position is unmarked."""
        marks = [mark for own in self.votes.values() for mark in own]
        here = [mark.type for mark in marks if mark.position == position]
        counts = Counter(here or [mark.type for mark in marks])
        return min(counts, key=lambda kind: (-counts[kind], kind))

    def __str__(self) -> str:
        last = f" to {self.last}" if self.last > self.first else ""
        return f"document {self.document}: place {self.first}{last}"


class Record(NamedTuple):
    """The decision on one place."""

    document: str
    first: int
    last: int
    decision: str
    """One of ``DECISIONS``."""
    boundaries: tuple[Boundary, ...]
    supporters: int
    """The number of coders who mark exactly these boundaries."""
    coders: int


@dataclass(frozen=True, repr=False, eq=False)
class Gold(Result):
    """A gold standard: the unanimous places, and the decisions on contested ones."""

    NUMBERS = ("counts", "records")

    corpus: Corpus
    records: tuple[Record, ...]
    """Every place, in the order of documents and positions."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of places by kind of decision."""
        counts = Counter(record.decision for record in self.records)
        return {kind: counts[kind] for kind in DECISIONS if counts[kind]}

    def __repr__(self) -> str:
        documents = counted(len(self.corpus.document_names), "document")
        return f"<Gold of {documents}: {counted(len(self.records), 'place')}>"


@dataclass(frozen=True, repr=False, eq=False)
class Adjudication(Result):
    """The marked places of a corpus with their costs; ``decide`` makes a gold standard."""

    NUMBERS = ("n_t", "share", "pairs", "observed", "contested", "unanimous")

    corpus: Corpus
    metric: B
    share: Fraction
    places: tuple[Place, ...]
    """Every place, in the order of documents and positions."""
    pairs: int
    """The number of compared pairs of codings."""
    observed: float
    """Observed agreement A_o: B over all pairs; NaN if no document has two coders."""

    @property
    def n_t(self) -> int:
        """Marks fewer than this many positions apart form one place."""
        return int(self.metric.n_t)

    @cached_property
    def contested(self) -> tuple[Place, ...]:
        """The places on which coders differ, the most costly first."""
        places = [place for place in self.places if not place.is_unanimous]
        return tuple(sorted(places, key=lambda place: -place.cost))  # stable: documents and positions

    @cached_property
    def unanimous(self) -> tuple[Place, ...]:
        """The places on which all coders of the document agree, in order."""
        return tuple(place for place in self.places if place.is_unanimous)

    @property
    def signature(self) -> str:
        """The signature of the places and their costs."""
        made = f"n_t={self.n_t}|share={self.share}|cost=part of 1 − A_o"
        return f"adjudication|{self.metric!r}|{made}|caesura {__version__}"

    def decide(self, decisions: Mapping[tuple[str, int], Decision], *, name: str = "gold") -> Gold:
        """Return the gold standard: the unanimous places, and the decisions on contested ones.

        Parameters
        ----------
        decisions
            By ``place.key``, that is (document, first position): "accept" the proposal, "none", a position
            or positions at most n_t − 1 from the place; with several types pairs (position, type). A position
            without a type gets the most frequent one. Every contested place needs a decision; no other place
            may have one.
        name
            The name of the coder of the gold standard.

        >>> from caesura import adjudicate
        >>> corpus = Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2], "cy": [9, 2]}})
        >>> adjudication = adjudicate(corpus)
        >>> adjudication.decide({("d", 5): 6}).corpus["d", "gold"].positions
        (6, 9)
        """
        contested = {place.key: place for place in self.contested}
        for key in decisions:
            if key not in contested:
                is_key = isinstance(key, tuple) and len(key) == 2
                where = f"document {key[0]}: position {key[1]}" if is_key else f"key {key!r:.60}"
                raise UnknownNameError(f"{where}: no contested place begins there")
        if undecided := [place for key, place in contested.items() if key not in decisions]:
            more = f" and {len(undecided) - 1:,} more" if len(undecided) > 1 else ""
            raise CorpusError(f"{undecided[0]} is undecided{more}; each contested place needs a decision")
        records = tuple(self._record(place, decisions) for place in self.places)
        numbers = self.corpus.document_numbers
        marks = {(numbers[record.document], *mark) for record in records for mark in record.boundaries}
        columns = np.array([*marks], dtype=np.int64).reshape(-1, 3).T
        codings = Columns.of_marks(self.corpus.document_units, *columns)
        return Gold(of_one_coder(self.corpus, codings, name, adjudication=self.signature), records)

    def decided(self, place: Place, decision: Decision) -> tuple[Boundary, ...]:
        """Return the boundaries of a decision; raise CorpusError if it does not fit the place."""
        if decision == ACCEPT:
            return place.proposal
        items: Any = [decision] if isinstance(decision, Integral) else () if decision == NONE else decision
        if isinstance(items, str) or not isinstance(items, Iterable):
            fix = f"expected {ACCEPT!r}, {NONE!r} or positions"
            raise CorpusError(f"{place}: the decision is {short(decision)}: {fix}")
        boundaries = sorted({self._boundary(place, item) for item in items})
        for before, after in pairwise(boundaries):
            if self.corpus.is_hierarchical and before.position == after.position:
                raise CorpusError(f"{place}: position {before.position} has two levels; give one")
        return tuple(boundaries)

    def _boundary(self, place: Place, given: Any) -> Boundary:
        pair = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(pair) not in (1, 2) or any(not isinstance(n, Integral) or isinstance(n, bool) for n in pair):
            raise CorpusError(f"{place}: {short(given)} is not a position or a pair of position and type")
        position = int(pair[0])
        first = max(1, place.first - self.n_t + 1)
        last = min(self.corpus.n_units(place.document) - 1, place.last + self.n_t - 1)
        if not first <= position <= last:
            raise CorpusError(f"{place}: position {position} is outside it: expected {first} to {last}")
        kind = int(pair[1]) if len(pair) == 2 else place.usual_type(position)
        types = self.corpus.types or (PLAIN_TYPE,)
        if kind not in types:
            raise CorpusError(f"{place}: unknown type {kind}; known: {listed(types)}")
        return Boundary(position, kind)

    def _record(self, place: Place, decisions: Mapping[tuple[str, int], Decision]) -> Record:
        if place.key not in decisions:
            boundaries = next(iter(place.votes.values()))
            decision = "unanimous" if place.coders > 1 else "one coder"
        else:
            boundaries = self.decided(place, decisions[place.key])
            decision = "accepted" if boundaries == place.proposal else "chosen" if boundaries else NONE
        agreeing = sum(marks == boundaries for marks in place.votes.values())
        return Record(place.document, place.first, place.last, decision, boundaries, agreeing, place.coders)

    def __repr__(self) -> str:
        contested = counted(len(self.contested), "contested place")
        return f"<Adjudication of {contested}, {len(self.unanimous):,} unanimous>"


# -------------------------------------------------------------------- making it


def adjudicate(corpus: Corpus, *, n_t: int | str = N_T, share: Share = 0.5) -> Adjudication:
    """Return the places that coders mark: the contested ones, most costly first, and the unanimous ones.

    Marked positions fewer than ``n_t`` apart (on a time grid perhaps a duration, "3s") form one place. No
    edit of boundary edit distance crosses places. So observed agreement A_o, B over all pairs of codings of a
    document (Fournier 2013, ACL), is 1 minus a sum over places. The cost of a place is its part of that sum::

        Σ over pairs of coders (weights of their edits in the place)
        ──────────────────────────────────────────────────────────────────
        Σ over pairs of coders and all places (matches and edits)

    Substitutions weigh by the range of the declared types, or of the types in the corpus.

    The proposal for a place is the consensus of its votes with ``share`` and ``n_t`` (see ``consensus``).
    ``Adjudication.decide`` turns decisions into a gold standard. Unanimous places, and places of documents
    with one coder, need no decision.

    >>> corpus = Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2], "cy": [9, 2]}})
    >>> adjudication = adjudicate(corpus)
    >>> adjudication
    <Adjudication of 1 contested place, 1 unanimous>
    >>> place = adjudication.contested[0]
    >>> place.positions, place.proposal, place.support
    ((5, 6), (Boundary(position=5, type=1),), (2,))
    >>> round(adjudication.observed, 4), round(1 - place.cost, 4)
    (0.5833, 0.5833)
    """
    least = as_share(share)
    corpus = coded(corpus)
    metric = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(metric, B)
    if metric.types is None and corpus.types not in ((), (PLAIN_TYPE,)):
        metric = replace(metric, types=corpus.types)  # weights must not depend on the place
    split = _by_place(corpus, int(metric.n_t))
    weights, compared = _edits(split, metric)
    # In a unanimous place, every boundary of every pair of coders is a match.
    n_pairs = split.codings.n_coders * (split.codings.n_coders - 1) // 2
    total = compared + int((split.n_boundaries * n_pairs)[~split.is_contested].sum())
    costs = weights / total if total else np.zeros(len(weights))
    places = tuple(_places(corpus, split, costs, int(metric.n_t), least))
    all_pairs = int((corpus.n_coders * (corpus.n_coders - 1) // 2).sum())
    observed = 1.0 - float(weights.sum()) / total if total else (1.0 if all_pairs else math.nan)
    return Adjudication(corpus, metric, least, places, all_pairs, observed)


class Split(NamedTuple):
    """A corpus in which each place is a document with all codings of its original document."""

    codings: Corpus
    document: IntArray
    """The document of each place, in the order of documents and positions."""
    is_contested: BoolArray
    n_boundaries: IntArray
    """The number of distinct marked (position, type) of each place."""


def _by_place(corpus: Corpus, reach: int) -> Split:
    """Split all codings at the gaps between marks that are ``reach`` or more."""
    codings = corpus.codings
    coding, positions, types = codings.coding, codings.positions, codings.all_types
    order = np.lexsort((types, positions, corpus.document[coding]))
    coding, positions, types = coding[order], positions[order], types[order]
    document = corpus.document[coding]
    is_first = changes(document)
    is_first[1:] |= np.diff(positions) >= reach
    place = np.cumsum(is_first) - 1
    is_new = is_first | changes(positions, types)
    n_places = int(is_first.sum())
    of_place = document[is_first]
    n_boundaries = bincount(place, is_new, n_places).astype(np.int64)
    n_marks = bincount(place, minlength=n_places)
    n_coders = corpus.n_coders[of_place]
    # Coders mark a boundary once, so a unanimous place has boundaries × coders marks.
    is_contested = n_marks < n_boundaries * n_coders
    starts = offsets_of(n_coders)
    row = starts[place] + coding - corpus.starts[document]
    by_row = np.lexsort((types, positions, row))
    source = np.arange(starts[-1]) - repeat(starts[:-1] - corpus.starts[of_place], n_coders)
    columns = Columns(
        codings.n_units[source],
        offsets_of(bincount(row, minlength=int(starts[-1]))),
        positions[by_row],
        None if codings.types is None else types[by_row],
    )
    by_place = Corpus(
        columns,
        repeat(np.arange(n_places), n_coders),
        corpus.coder[source],
        Strings.of(map(str, range(n_places))),
        corpus.coder_names,
        type_scheme=corpus.type_scheme,
    )
    return Split(by_place, of_place, is_contested, n_boundaries)


def _edits(split: Split, metric: B) -> tuple[FloatArray, int]:
    """Return the weights of the edits in each place, and the matches and edits of contested places."""
    codings, n_places = split.codings, len(split.document)
    contested = np.flatnonzero(split.is_contested[codings.document])
    if not len(contested):
        return np.zeros(n_places), 0
    within = codings.take(contested)
    pairs = every_two(within)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    place = np.flatnonzero(split.is_contested)[within.document[pairs.first]]
    weights: FloatArray = bincount(place, edits.penalty.astype(float), n_places) / edits.scale
    return weights, int(edits.pairs.sum())


def _places(corpus: Corpus, split: Split, costs: FloatArray, reach: int, share: Fraction) -> Iterator[Place]:
    """Yield every place with its votes and its proposal."""
    codings = split.codings
    agreed = agreed_places(codings, reach, share, strict=False)
    starts = np.searchsorted(agreed.document, np.arange(len(costs) + 1)).tolist()
    proposed = list(map(Boundary, agreed.position.tolist(), agreed.type.tolist()))
    support = agreed.support.tolist()
    columns = codings.codings
    marks = list(map(Boundary, columns.positions.tolist(), columns.all_types.tolist()))
    offsets, coders = columns.offsets.tolist(), [corpus.coders[number] for number in codings.coder.tolist()]
    rows = codings.starts.tolist()
    for place, document in enumerate(split.document.tolist()):
        votes = {
            coders[row]: tuple(marks[offsets[row] : offsets[row + 1]])
            for row in range(rows[place], rows[place + 1])
        }
        chosen = slice(starts[place], starts[place + 1])
        yield Place(
            corpus.documents[document],
            tuple(sorted({mark.position for own in votes.values() for mark in own})),
            votes,
            tuple(proposed[chosen]),
            tuple(support[chosen]),
            float(costs[place]),
        )


# -------------------------------------------------------------------- tables and sentences


MOST_OF_LOSS = 0.5
"""The share of the disagreement to which the most costly places add up."""

DECIDED_BY = ("document", "first", "last", "decision")
"""The columns of the file of decisions that are read back."""

SHOWN_TEXT = 200
"""Most characters of the text on either side of a place."""

NOT_CODED = "not coded"


def adjudication_notes(adjudication: Adjudication) -> list[Note]:
    """Return the number of places to decide, the costliest ones, caveats and the signature."""
    single = sum(place.coders == 1 for place in adjudication.unanimous)
    alone = f"{counted(single, 'place')} in documents with one coder"
    return [
        finding(_to_decide(adjudication)),
        *([caveat(f"{alone}: gold includes them unchecked.")] if single else []),
        reading(f"cost: share of 1 − observed B. Marks fewer than {adjudication.n_t} apart form one place."),
        signature(adjudication.signature),
    ]


def _to_decide(adjudication: Adjudication) -> str:
    n = len(adjudication.contested)
    agreed = counted(len(adjudication.unanimous), "place")
    if not n:
        return f"Nothing to decide: the coders agree on all {agreed}."
    sentence = f"{counted(n, 'place')} to decide; the coders agree on {agreed}."
    lost = 1 - adjudication.observed
    if math.isnan(lost) or n == 1:
        return sentence
    totals = [*accumulate(place.cost for place in adjudication.contested)]
    most = next((n for n, total in enumerate(totals, start=1) if total >= MOST_OF_LOSS * lost), n)
    costliest = "most costly place accounts" if most == 1 else f"{most:,} most costly places account"
    share = f"{whole_percent(totals[most - 1] / lost)} of the disagreement"
    return f"{sentence} The {costliest} for {share} (observed B {adjudication.observed:.2f})."


def gold_notes(gold: Gold) -> list[Note]:
    """Return the number of places by decision, and the signature."""
    counts = ", ".join(f"{n:,} {kind}" for kind, n in gold.counts.items())
    text = f"{counted(len(gold.records), 'place')}: {counts}." if counts else "No coder placed a boundary."
    return [finding(text), signature(str(gold.corpus.metadata["adjudication"]))]


def main_table(adjudication: Adjudication) -> Table:
    """Return a row per contested place, most costly first, with the coders at each position."""
    corpus = adjudication.corpus

    def row(place: Place) -> list[Cell]:
        position = str(place.first) if place.first == place.last else f"{place.first}–{place.last}"
        counts = Counter(mark for own in place.votes.values() for mark in own)
        votes = " · ".join(f"{written([mark], corpus)}: {counts[mark]}" for mark in sorted(counts))
        proposed = written(place.proposal, corpus), supported(place)
        return [place.document, position, place.cost, *proposed, votes]

    names = ("document", "place", "cost", "proposal", "support", "votes")
    rows, notes = map(row, adjudication.contested), adjudication_notes(adjudication)
    return Table.under(names, rows, notes, "Contested places")


def places_table(adjudication: Adjudication) -> Table:
    """Return the file of decisions: a row per contested place, a column per coder, and the text."""
    corpus = adjudication.corpus
    names = [*DECIDED_BY, "proposal", "support", "cost", "before", "between", "after"]
    texts = cache(lambda document: corpus.units.get(document, ()))

    def row(place: Place) -> list[Cell]:
        votes = (
            written(place.votes[coder], corpus, nothing="") if coder in place.votes else NOT_CODED
            for coder in corpus.coders
        )
        proposed = written(place.proposal, corpus), supported(place), place.cost
        text = around(place, texts(place.document))
        return [place.document, place.first, place.last, "", *proposed, *text, *votes]

    columns, rows = [*names, *distinct(corpus.coders, beside=names)], map(row, adjudication.contested)
    return Table.under(columns, rows, adjudication_notes(adjudication), "Contested places")


def unanimous_table(adjudication: Adjudication) -> Table:
    """Return a row per unanimous place."""
    corpus, names = adjudication.corpus, ("document", "boundary", "coders")
    rows: Iterator[list[Cell]] = (
        [place.document, written(next(iter(place.votes.values())), corpus), place.coders]
        for place in adjudication.unanimous
    )
    return Table.under(names, rows, adjudication_notes(adjudication), "Unanimous places")


def gold_table(gold: Gold) -> Table:
    """Return a row per place: the decision, and the number of coders who marked exactly that."""
    rows: Iterator[list[Cell]] = (
        [*record[:4], written(record.boundaries, gold.corpus), *record[5:]] for record in gold.records
    )
    return Table.under(Record._fields, rows, gold_notes(gold), "Gold")


def written(boundaries: Iterable[Boundary], corpus: Corpus, nothing: str = NONE) -> str:
    """Return boundaries as a cell that spreadsheets do not read as a number, date or formula.

    >>> from caesura.values.type_scheme import TypeScheme
    >>> typed = Corpus.from_dict({"d": {"ann": [2, 3]}}, type_scheme=TypeScheme({1: "topic", 2: "aside"}))
    >>> written([Boundary(5, 1), Boundary(7, 2)], typed)
    '5 (topic) and 7 (aside)'
    """
    is_plain, scheme = len(corpus.types) < 2, corpus.type_scheme
    cells = [f"{n}" if is_plain else f"{n} ({name_of_type(scheme, kind)})" for n, kind in boundaries]
    return " and ".join([", ".join(cells[:-1]), cells[-1]] if len(cells) > 1 else cells) or nothing


def supported(place: Place) -> str:
    """Return the number of coders who support the proposal, in words."""
    return f"{place.supporters} of {place.coders}"


def around(place: Place, texts: Sequence[str]) -> tuple[str, str, str]:
    """Return the text before, between and after the positions of a place; empty if unknown."""
    if not texts:
        return "", "", ""
    before, after = texts[place.first - 1], texts[place.last]
    between = []
    for start, end in pairwise(place.positions):
        between += [_head(" ".join(texts[start:end])), f"|{end}|"]
    return _head(before[::-1])[::-1], " ".join(between[:-1]), _head(after)


def _head(text: str) -> str:
    return shortened(" ".join(text.split()), SHOWN_TEXT)


present(
    Adjudication, notes=adjudication_notes, main=main_table, places=places_table, unanimous=unanimous_table
)
present(Gold, notes=gold_notes, main=gold_table)
