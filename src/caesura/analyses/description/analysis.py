"""describe(): sizes, rates and edits of an annotated corpus, finished from sums.

F13t is Fournier (2013), Evaluating text segmentation, the thesis: tables 5.3 and 5.4, figures 5.14 and 5.15.
KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance: figure 3.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.description.differences import Granularity, granularity
from caesura.analyses.description.documents import (
    ByDocument,
    Prominence,
    Support,
    by_document,
    prominence,
    support,
)
from caesura.analyses.description.question import DescriptionQuestion
from caesura.arrays import FloatArray, bincount, divided
from caesura.checks import ALPHA, N_T, check_whole
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.stats.choosing import holm
from caesura.stats.exchange import exchange_test
from caesura.sums.streams import CodingStream, Run
from caesura.sums.tallies import Name, Sums
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme, name_of_type
from caesura.version import __version__
from caesura.wording import counted

LARGEST_SWEEP = 1000
"""Largest n_t of a sweep."""

# -------------------------------------------------------------------- means and times


class MeanSD(NamedTuple):
    """A mean, its population standard deviation (as F13t prints them), and the number of values."""

    mean: float
    sd: float
    n: int


def mean_sd(values: Sequence[float]) -> MeanSD:
    """Return the mean with its population standard deviation, equal in any order; NaN without values."""
    if all(isinstance(value, int) for value in values):
        return mean_sd_of(len(values), int(sum(values)), int(sum(value**2 for value in values)))
    n, mean = len(values), math.fsum(values) / len(values)
    return MeanSD(mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n), n)


def mean_sd_of(n: int, total: int, squares: int) -> MeanSD:
    """Return the mean and deviation of n whole numbers from their sum and sum of squares."""
    if not n:
        return MeanSD(math.nan, math.nan, 0)
    return MeanSD(total / n, math.sqrt(n * squares - total**2) / n, n)


class CodingTime(NamedTuple):
    """Minutes of work, over the annotations with a known time."""

    per_coding: MeanSD
    per_coder: MeanSD  # all annotations of a coder together
    coders: dict[str, float]


def coding_time(corpus: Corpus) -> CodingTime | None:
    """Return how long annotations took, from ``seconds`` in ``Corpus.details``; None if no time is known.

    >>> corpus = Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [5]}, "d2": {"ann": [4]}})
    >>> time = coding_time(corpus.with_details({"seconds": [60, None, 180]}))
    >>> time.per_coding, time.coders
    (MeanSD(mean=2.0, sd=1.0, n=2), {'ann': 4.0})
    """
    minutes: list[float] = []
    by_coder: defaultdict[str, float] = defaultdict(float)
    for (document, coder, _), seconds in zip(corpus, corpus.details.get("seconds", ()), strict=False):
        if seconds is None or seconds == 0:  # the page was opened and not used
            continue
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            where = f"document {document}: coder {coder}"
            raise CorpusError(f"{where} has seconds={seconds!r}: expected a number from 0 on")
        minutes.append(seconds / 60)
        by_coder[coder] += seconds / 60
    if not minutes:
        return None
    return CodingTime(mean_sd(minutes), mean_sd([*by_coder.values()]), dict(by_coder))


# -------------------------------------------------------------------- the description


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
            raise CorpusError("single documents and positions are not available when streaming; use cs.read")
        return self.source

    @property
    def probabilities(self) -> EventProbabilities:
        """Probabilities of events as defined by F13t."""
        events = (self.pair_additions, self.pair_substitutions, self.pair_transpositions, self.pair_matches)
        given = (ratio(count, self.pair_boundaries) for count in events)
        return EventProbabilities(ratio(self.pair_boundaries, self.pair_potential_boundaries), *given)

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


# -------------------------------------------------------------------- making it


def describe(
    corpus: Corpus | CodingStream,
    *,
    n_t: int | str = N_T,
    sweep: Iterable[int] = range(2, 16),
    progress: Any = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
) -> Description:
    """Return a description of an annotated corpus in numbers (F13t §5.2.1, KS12 §4).

    It has totals, means with population standard deviations, and the edits between every two coders of each
    document, for ``n_t`` (on a time grid also a duration such as "3s") and for every n_t in ``sweep`` (empty:
    no sweep). ``progress`` is called with (pairs done, total pairs).

    A permutation test finds coders who mark more or fewer boundaries than the other coders of the same
    documents. It permutes the numbers of boundaries among the coders of each document; outliers have p ≤ 0.05
    after Holm's correction over all coders. With one document, or few documents and many coders, the test is
    inconclusive.

    A scan (``caesura.scan``) is read once and never held in memory. Its totals, sizes, rates and edits are
    identical to those of the same data in memory. Outliers, support of positions and single documents are
    not sums over documents and are omitted. ``progress``, ``engine`` and ``resume`` work as in ``evaluate``.

    >>> from caesura import load_stargazers
    >>> description = describe(load_stargazers())
    >>> description
    <Description of 1 document, 7 coders: 49 boundaries, 21 pairs>
    >>> description.pair_matches, description.pair_transpositions, description.pair_additions
    (83, 28, 72)
    >>> [edits.transpositions for edits in description.sweep[:3]], description.spans[1]
    ([28, 35, 36], 28)
    """
    all_n_t = tuple(check_whole("sweep: n_t", each, 1) for each in sweep)
    if max(all_n_t, default=1) > LARGEST_SWEEP:
        raise ParameterError(f"the sweep goes to n_t={max(all_n_t)}: expected at most {LARGEST_SWEEP}")
    if not isinstance(corpus, Corpus):
        question = DescriptionQuestion(reach_of(n_t, None), all_n_t)
        sums, _, left_out, _ = corpus.corpus_sums(question, Run.of(engine, progress, resume))
        return finish(question, sums, corpus.type_scheme, left_out=left_out)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume apply to scans only; this corpus is in memory")
    question = DescriptionQuestion(reach_of(n_t, corpus.step), all_n_t)
    corpus = coded(corpus)
    return finish(question, question.count(corpus, progress), corpus.type_scheme, corpus=corpus)


def finish(
    question: DescriptionQuestion,
    sums: Sums,
    scheme: TypeScheme | None,
    *,
    corpus: Corpus | None = None,
    left_out: tuple[str, ...] = (),
) -> Description:
    """Return the description from sums; a corpus in memory adds the numbers that are not sums."""
    total = {name: tally.counts[0] for name, tally in sums.items()}
    edits = {
        n_t: EditTotals(n_t, *(total["edits", n_t, kind] for kind in range(4))) for n_t in question.all_n_t
    }
    rates = tuple(_coder_rates(total, corpus))
    sizes = ("documents", "codings", "units", "boundaries", "segments", "pairs", "pair_boundaries")
    counts = {name: total[name,] for name in sizes}
    n_documents, n_codings, n_units, _, n_segments, *_ = counts.values()
    types = tuple(_types(total, scheme))
    is_hierarchical = scheme is not None and scheme.ranks
    of_position = 1 if is_hierarchical else max(1, len(types))
    return Description(
        n_t=question.n_t,
        coders=len(rates),
        **counts,
        potential_boundaries=(n_units - n_documents) * of_position,
        document_size=mean_sd_of(n_documents, n_units, total["units", "squares"]),
        segment_size=mean_sd_of(n_segments, total["sizes",], total["sizes", "squares"]),
        segments_per_coding=mean_sd_of(n_codings, n_segments, total["segments", "squares"]),
        boundaries_per_coder=mean_sd([rate.boundaries for rate in rates]),
        boundaries_per_position_per_coder=mean_sd([r.rate for r in rates if r.potential_boundaries]),
        pair_potential_boundaries=total["pair_positions",] * of_position,
        **{f"pair_{kind}": n for kind, n in edits[question.n_t]._asdict().items() if kind != "n_t"},
        types=types,
        sweep=tuple(edits[n_t] for n_t in question.sweep),
        spans={
            n_t - 1: edits[n_t].transpositions - edits[n_t - 1].transpositions
            for n_t in range(2, max(question.sweep, default=0) + 1)
        },
        coder_rates=rates,
        prominence=() if corpus is None else prominence(corpus),
        is_hierarchical=is_hierarchical,
        left_out=left_out,
        source=corpus,
    )


def _types(total: Mapping[Name, int], scheme: TypeScheme | None) -> Iterator[TypeCount]:
    number: Counter[int] = Counter()
    users: Counter[int] = Counter()
    for name, n in total.items():
        if name[0] == "type":
            number[int(name[1])] += n
            users[int(name[1])] += 1
    for kind in sorted(number) if scheme is None else scheme.types:
        is_level = ("level", kind, 0) in total
        size = mean_sd_of(*(total["level", kind, moment] for moment in range(3))) if is_level else None
        share = ratio(number[kind], number.total())
        yield TypeCount(kind, name_of_type(scheme, kind), number[kind], share, users[kind], size)


def _coder_rates(total: Mapping[Name, int], corpus: Corpus | None) -> Iterator[CoderRate]:
    """Yield the rate of each coder: in the corpus's order with a test, or by name without one."""
    if corpus is None:
        coders = sorted(str(name[1]) for name in total if name[0] == "coded")
        tests = [(math.nan, math.nan, math.nan)] * len(coders)
    else:
        coders, tests = [*corpus.coders], _coder_tests(corpus)
    for coder, (difference, p_value, least_p) in zip(coders, tests, strict=True):
        positions, boundaries = total["positions", coder], total["marks", coder]
        divisor = float(max(1, positions))
        rates = boundaries / divisor, total["typical", coder] / 2 / divisor
        outlier = ("more" if difference > 0 else "fewer") if p_value <= ALPHA else ""
        sizes = total["coded", coder], positions, boundaries
        yield CoderRate(coder, *sizes, *rates, difference, p_value, least_p, outlier)


def _coder_tests(corpus: Corpus) -> list[tuple[float, float, float]]:
    """Permute the numbers of boundaries among the coders of each document, to test each coder.

    Return the difference from the others, p, and the least p that the documents allow, both after Holm.
    """
    n = len(corpus.coder_names)
    tests = exchange_test(corpus.codings.n_boundaries, corpus.document, corpus.coder, n)
    p_values = holm([test.p_value for test in tests])
    n_tested = sum(not math.isnan(test.p_value) for test in tests)
    least = np.minimum(1.0, [test.least_p * n_tested for test in tests])
    return [*zip(*(column.tolist() for column in (_differences(corpus), p_values, least)), strict=True)]


def _differences(corpus: Corpus) -> FloatArray:
    """Return each coder's boundaries per 100 positions minus the mean of the others; NaN without others."""
    n, n_boundaries = len(corpus.coder_names), corpus.codings.n_boundaries
    in_all = bincount(corpus.document, n_boundaries, len(corpus.document_names))[corpus.document]
    others = corpus.n_coders[corpus.document] - 1
    shared = others > 0
    more = n_boundaries - (in_all - n_boundaries) / np.maximum(1, others)
    coder = corpus.coder[shared]
    positions = bincount(coder, (corpus.codings.n_units[shared] - 1).astype(float), n)
    return divided(100 * bincount(coder, more[shared], n), positions, math.nan)
