"""Hold the numbers of a description.

F13t is Fournier (2013), Evaluating text segmentation, the thesis; KS12 is Kazantseva & Szpakowicz (2012),
Topical segmentation: a study of human performance and a new measure of quality.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from caesura.analyses.description.differences import Granularity, granularity
from caesura.analyses.description.documents import ByDocument, Prominence, Support, by_document, support
from caesura.analyses.description.means import CodingTime, MeanSD, coding_time
from caesura.errors import CorpusError
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted


class CoderRate(NamedTuple):
    """How many boundaries a coder places, compared with the other coders of the same documents."""

    coder: str
    documents: int
    potential_boundaries: int
    boundaries: int
    rate: float
    """Boundaries per potential boundary."""
    typical_rate: float
    """The rate of the median coder of each document."""
    difference: float
    """Boundaries per 100 positions above the other coders of the same documents; NaN without others."""
    p_value: float
    """p of that difference, permuting coders within documents, with Holm's correction over all coders."""
    least_p: float
    """The least p that the coder's documents allow, times the number of coders."""
    outlier: str
    """``more`` or ``fewer`` boundaries than chance allows, or an empty string."""


class TypeCount(NamedTuple):
    """How often a boundary type, or a rank of a hierarchy, is used."""

    type: int
    name: str
    boundaries: int
    share: float
    """Share of all boundaries."""
    coders: int
    """Coders who use it."""
    segment_size: MeanSD | None
    """Size of segments between boundaries of this rank and above; None unless types are ranks."""


class EditTotals(NamedTuple):
    """Matches and edits over all pairs at one n_t."""

    n_t: int
    matches: int
    additions: int
    substitutions: int
    transpositions: int

    @property
    def edits(self) -> int:
        """Boundary edit distance, summed over the pairs."""
        return self.additions + self.substitutions + self.transpositions


class EventProbabilities(NamedTuple):
    """Probabilities as in F13t tables 5.3c and 5.4c; NaN if the divisor is 0.

    P(b) counts the boundaries of both coders per shared position, so two coders who mark every tenth position
    have P(b) = 0.2. Given a boundary, an event counts once per pair of boundaries, so P(m | b) + ... is less
    than 1. ``Description.shares`` counts boundaries and sums to 1.
    """

    boundary: float
    addition: float
    substitution: float
    transposition: float
    match: float


class BoundaryShares(NamedTuple):
    """Shares of boundaries by outcome when two codings are compared; they sum to 1."""

    missed: float
    substituted: float
    near_missed: float
    matched: float


@dataclass(frozen=True, repr=False)
class Description(Result):
    """The numbers that describe an annotated corpus; ``print`` it to see the main table.

    Units and potential boundaries count each document once; boundaries and segments count every coding. A
    position has one potential boundary per boundary type (F13t eq. 4.10), but only one for all ranks. Fields
    that begin with ``pair_`` are sums over every two codings of each document.
    """

    n_t: int
    documents: int
    coders: int
    codings: int
    units: int
    potential_boundaries: int
    boundaries: int
    segments: int
    document_size: MeanSD
    segment_size: MeanSD
    segments_per_coding: MeanSD
    boundaries_per_coder: MeanSD
    boundaries_per_position_per_coder: MeanSD
    pairs: int
    pair_potential_boundaries: int
    pair_boundaries: int
    pair_matches: int
    """Matches; F13t tables 5.3 and 5.4 print two more for each pair."""
    pair_additions: int
    pair_substitutions: int
    pair_transpositions: int
    types: tuple[TypeCount, ...]
    """One entry for each declared or used boundary type."""
    sweep: tuple[EditTotals, ...]
    """Edits for each n_t of the sweep (F13t figure 5.14)."""
    spans: dict[int, int]
    """Number of transpositions by distance, at the largest n_t of the sweep (F13t figure 5.15)."""
    coder_rates: tuple[CoderRate, ...]
    """In the order of the corpus; for a stream by name and without tests."""
    prominence: tuple[Prominence, ...]
    """Support of the marked positions at tolerance 0, k/2 and k (KS12 figure 3); empty for a stream."""
    is_hierarchical: bool
    """Whether the types are the ranks of hierarchies."""
    left_out: tuple[str, ...] = ()
    """The faults of the files that a stream left out."""
    source: Corpus | None = field(default=None, compare=False)
    """The described corpus; None for a stream."""

    @property
    def is_streamed(self) -> bool:
        """Whether the data were streamed, so that only sums over documents are known."""
        return self.source is None

    @property
    def outliers(self) -> tuple[CoderRate, ...]:
        """Coders who mark significantly more or fewer boundaries than others on the same documents."""
        return tuple(rate for rate in self.coder_rates if rate.outlier)

    def support(self, document: str | None = None) -> Support:
        """Return how many coders support each marked position of one document, or of all."""
        return support(self.corpus if document is None else self.corpus.select(documents=[document]))

    @cached_property
    def granularity(self) -> Granularity | None:
        """How often one coder only splits finer than another (KS12 §4.2); None for a stream."""
        return None if self.source is None else granularity(self.source, self.n_t)

    @cached_property
    def time(self) -> CodingTime | None:
        """How long annotations took (KS12 §4); None if no time is known, and for a stream."""
        return None if self.source is None else coding_time(self.source)

    def by_document(self) -> ByDocument:
        """Return the agreement within each document, least agreement first."""
        return by_document(self.corpus, n_t=self.n_t)

    @property
    def corpus(self) -> Corpus:
        """The corpus; CorpusError for a stream."""
        if self.source is None:
            raise CorpusError(
                "single documents and positions are not available when streaming; load the data with cs.read"
            )
        return self.source

    @property
    def probabilities(self) -> EventProbabilities:
        """Probabilities of events as defined by F13t."""
        events = (self.pair_additions, self.pair_substitutions, self.pair_transpositions, self.pair_matches)
        return EventProbabilities(
            ratio(self.pair_boundaries, self.pair_potential_boundaries),
            *(ratio(count, self.pair_boundaries) for count in events),
        )

    @property
    def shares(self) -> BoundaryShares:
        """Shares of the compared boundaries that are missed, substituted, near-missed and matched."""
        twice = (2 * self.pair_substitutions, 2 * self.pair_transpositions, 2 * self.pair_matches)
        return BoundaryShares(*(ratio(n, self.pair_boundaries) for n in (self.pair_additions, *twice)))

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"describe|n_t={self.n_t}|method=greedy|SD=population|k=auto|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data, except the support of single positions."""
        fields = [name for name in self.__dataclass_fields__ if name != "source"]
        fields += ["probabilities", "shares", "granularity", "time", "signature"]
        return plain_fields(self, fields)

    def __repr__(self) -> str:
        size = f"{counted(self.documents, 'document')}, {counted(self.coders, 'coder')}"
        boundaries = counted(self.boundaries, "boundary", "boundaries")
        return f"<{type(self).__name__} of {size}: {boundaries}, {counted(self.pairs, 'pair')}>"


def ratio(part: int, whole: int) -> float:
    """Return part / whole; NaN if the whole is 0."""
    return part / whole if whole else math.nan
