"""Adjudications: places where coders differ, ranked by cost; and gold, with a record of each decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.analyses.consensus_coding import of_one_coder
from caesura.errors import CorpusError, UnknownNameError
from caesura.metrics.edit import B
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.version import __version__
from caesura.wording import counted, listed, short

ACCEPT, NONE = "accept", "none"
"""Decisions in a word: what is proposed, and no boundary at all."""

Decision: TypeAlias = str | int | Iterable[int | tuple[int, int]]
"""``ACCEPT``, ``NONE``, a position, or positions; with several types pairs of position and type."""


class Boundary(NamedTuple):
    """A boundary that was marked, is proposed or was decided."""

    position: int
    type: int


@dataclass(frozen=True)
class Place:
    """Marked positions of a document, each fewer than n_t from the next: one question.

    No edit of boundary edit distance reaches from one place to another.
    """

    document: str
    positions: tuple[int, ...]
    """The positions that anyone marks, ascending."""
    votes: Mapping[str, tuple[Boundary, ...]]
    """What each coder of the document marks here; nothing: no boundary."""
    proposal: tuple[Boundary, ...]
    """The consensus of the votes, near marks counted together; nothing: no boundary."""
    support: tuple[int, ...]
    """How many coders mark each proposed boundary, exactly or nearby."""
    cost: float
    """What the place costs the observed agreement: the costs of all places add up to 1 − A_o."""

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
        """What names the place: document and first position."""
        return self.document, self.first

    @property
    def coders(self) -> int:
        """How many coders have coded the document."""
        return len(self.votes)

    @property
    def supporters(self) -> int:
        """How many coders support the proposal: all of its boundaries, or that there is none."""
        return min(self.support, default=sum(not marks for marks in self.votes.values()))

    @property
    def is_unanimous(self) -> bool:
        """Whether all coders mark the same."""
        return len(set(self.votes.values())) == 1

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        own = ("document", "first", "last", "positions", "votes", "proposal", "support", "coders", "cost")
        return plain_fields(self, own)

    def usual_type(self, position: int) -> int:
        """Return the type most often given at a position, or in the whole place if nobody marks it there."""
        marks = [mark for own in self.votes.values() for mark in own]
        here = [mark.type for mark in marks if mark.position == position]
        counts = Counter(here or [mark.type for mark in marks])
        return min(counts, key=lambda kind: (-counts[kind], kind))

    def __str__(self) -> str:
        last = f" to {self.last}" if self.last > self.first else ""
        return f"document {self.document}: place {self.first}{last}"


# -------------------------------------------------------------------- all places


DECISIONS = ("unanimous", "one coder", "accepted", "chosen", NONE)
"""How places are decided."""


class Record(NamedTuple):
    """What became of one place."""

    document: str
    first: int
    last: int
    decision: str
    """"unanimous", "one coder", "accepted", "none" or "chosen"."""
    boundaries: tuple[Boundary, ...]
    supporters: int
    """Coders who mark just these boundaries here."""
    coders: int


@dataclass(frozen=True, repr=False, eq=False)
class Gold(Result):
    """One coding per document: what all coders mark, and what was decided where they differ."""

    NUMBERS = ("counts", "records")

    corpus: Corpus
    records: tuple[Record, ...]
    """Every place, in the order of documents and positions."""

    @property
    def counts(self) -> dict[str, int]:
        """How many places were decided in each way."""
        counts = Counter(record.decision for record in self.records)
        return {kind: counts[kind] for kind in DECISIONS if counts[kind]}

    def __repr__(self) -> str:
        documents = counted(len(self.corpus.document_names), "document")
        return f"<Gold of {documents}: {counted(len(self.records), 'place')}>"


@dataclass(frozen=True, repr=False, eq=False)
class Adjudication(Result):
    """The places of a corpus that anyone marks: where all agree, and where they do not, with the cost.

    ``contested`` is what somebody has to decide; ``decide`` takes the decisions and gives gold.
    """

    NUMBERS = ("n_t", "share", "pairs", "observed", "contested", "unanimous")

    corpus: Corpus
    metric: B
    share: Fraction
    places: tuple[Place, ...]
    """Every place, in the order of documents and positions."""
    pairs: int
    """Compared pairs of codings."""
    observed: float
    """Observed agreement A_o: B over all pairs; NaN where no document has two coders."""

    @property
    def n_t(self) -> int:
        """Marks fewer than this many positions apart are one place."""
        return int(self.metric.n_t)

    @cached_property
    def contested(self) -> tuple[Place, ...]:
        """The places on which coders differ, the costliest first."""
        places = [place for place in self.places if not place.is_unanimous]
        return tuple(sorted(places, key=lambda place: -place.cost))  # stable: documents and positions

    @cached_property
    def unanimous(self) -> tuple[Place, ...]:
        """The places on which all coders of the document agree, in order; gold takes them over."""
        return tuple(place for place in self.places if place.is_unanimous)

    @property
    def signature(self) -> str:
        """How the places and their costs were made."""
        made = f"n_t={self.n_t}|share={self.share}|cost=part of 1 − A_o"
        return f"adjudication|{self.metric!r}|{made}|caesura {__version__}"

    def decide(self, decisions: Mapping[tuple[str, int], Decision], *, name: str = "gold") -> Gold:
        """Return gold: what all coders mark, and what ``decisions`` say of each contested place.

        Parameters
        ----------
        decisions
            By ``place.key``, that is (document, first position): "accept" the proposal, "none", a position
            or positions, not further than n_t − 1 from the place; with several types pairs (position, type).
            A position without a type gets the one that most coders give it. Every contested place must have
            one, and nothing else may.
        name
            What the coder of gold is called.

        >>> from caesura import adjudicate
        >>> corpus = Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2], "cy": [9, 2]}})
        >>> adjudication = adjudicate(corpus)
        >>> adjudication.decide({("d", 5): 6}).corpus["d", "gold"].positions
        (6, 9)
        """
        contested = {place.key: place for place in self.contested}
        unknown = [key for key in decisions if key not in contested]
        if unknown:
            raise UnknownNameError(f"{short_key(unknown[0])}: there is no contested place that begins there")
        undecided = [place for key, place in contested.items() if key not in decisions]
        if undecided:
            more = f" and {len(undecided) - 1:,} more" if len(undecided) > 1 else ""
            raise CorpusError(f"{undecided[0]} is undecided{more}: each contested place needs a decision")
        records = tuple(self._record(place, decisions) for place in self.places)
        return Gold(self._gold(records, name), records)

    def decided(self, place: Place, decision: Decision) -> tuple[Boundary, ...]:
        """Return the boundaries of a decision, in order; CorpusError where it is none for this place."""
        if decision == ACCEPT:
            return place.proposal
        items: Any = [decision] if isinstance(decision, Integral) else () if decision == NONE else decision
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise CorpusError(
                f"{place}: the decision is {short(decision)}: expected {ACCEPT!r}, {NONE!r} or positions"
            )
        boundaries = sorted({self._boundary(place, item) for item in items})
        for before, after in pairwise(boundaries):
            if self.corpus.is_hierarchical and before.position == after.position:
                raise CorpusError(f"{place}: position {before.position} has two levels: decide for one")
        return tuple(boundaries)

    def _boundary(self, place: Place, given: Any) -> Boundary:
        pair = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(pair) not in (1, 2) or any(not isinstance(n, Integral) or isinstance(n, bool) for n in pair):
            raise CorpusError(f"{place}: {short(given)} is no position, and no pair of position and type")
        position = int(pair[0])
        first = max(1, place.first - self.n_t + 1)
        last = min(self.corpus.n_units(place.document) - 1, place.last + self.n_t - 1)
        if not first <= position <= last:
            raise CorpusError(f"{place}: position {position} is outside it: expected {first} to {last}")
        kind = int(pair[1]) if len(pair) == 2 else place.usual_type(position)
        types = self.corpus.types or (PLAIN_TYPE,)
        if kind not in types:
            raise CorpusError(f"{place}: there is no type {kind}; known: {listed(types)}")
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

    def _gold(self, records: tuple[Record, ...], name: str) -> Corpus:
        numbers = self.corpus.document_numbers
        marks = {
            (numbers[record.document], *boundary) for record in records for boundary in record.boundaries
        }
        columns = np.array([*marks], dtype=np.int64).reshape(-1, 3).T
        codings = Columns.of_marks(self.corpus.document_units, *columns)
        return of_one_coder(self.corpus, codings, name, adjudication=self.signature)

    def __repr__(self) -> str:
        contested = counted(len(self.contested), "contested place")
        return f"<Adjudication of {contested}, {len(self.unanimous):,} unanimous>"


def short_key(key: Any) -> str:
    """Return the key of a place in words."""
    if isinstance(key, tuple) and len(key) == 2:
        return f"document {key[0]}: position {key[1]}"
    return f"the decision for {key!r:.60}"
