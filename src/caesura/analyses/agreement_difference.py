"""Compare two agreements: compare_agreement() of corpora, agreement_drop() of coders and a segmenter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.analysis import Agreement, agreement
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, Measure
from caesura.analyses.coder_agreement.question import compared
from caesura.analyses.coder_agreement.strata import strata_of
from caesura.analyses.coder_agreement.versions import DifferenceTest, Versions
from caesura.analyses.coder_agreement.words import SIZES, cells, ends, left_out
from caesura.checks import AGREEMENT_RESAMPLES, ALPHA, CONFIDENCE, TEST_RESAMPLES, Seed, as_generator
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.metrics.base import Metric
from caesura.results.as_json import plain_data, plain_fields
from caesura.results.notes import Note, caveat, finding, reading, seed_part, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Progress, Resampling
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted, p_shown, percent

SIDES = ("first", "second")

OF_A_SIDE = (
    *("value", "observed", "expected", "n_coders", "n_documents", "n_pairs", "n_boundaries"),
    "single_documents",
)
"""The numbers of each agreement in plain data."""

MAX_SHOWN = 6
"""How many drops a repr shows."""

# -------------------------------------------------------------------- two corpora


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementDifference(DifferenceTest, Resampling, Result):
    """The difference of two agreements: the value of the first minus that of the second."""

    NUMBERS = (
        *("coefficient", "signature", "difference", "interval", "p_value", "n_shared", "n_exchanges"),
        "is_exact",
    )

    first: Agreement
    second: Agreement
    names: tuple[str, str]
    """The names of the two."""
    n_shared: int
    """Documents with at least two codings in both."""
    reason: str | None
    """Why the difference, interval or p is missing."""

    @property
    def difference(self) -> float:
        """The value of the first minus that of the second."""
        return self.first.value - self.second.value

    @property
    def coefficient(self) -> str:
        """The coefficient's name, such as π*_B."""
        return self.first.label

    @property
    def least_p(self) -> float:
        """The smallest p that the number of documents allows; p of a permutation is that of its opposite."""
        if not self.n_exchanges:
            return math.nan
        is_paired = self.n_shared == self.first.n_documents == self.second.n_documents
        return (2 if is_paired else 1) / self.n_exchanges if self.is_exact else 1 / (self.n_exchanges + 1)

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        made = self.first.settings
        if self.n_exchanges:
            made += f"|p=exchange,{self.n_exchanges}{'' if self.is_exact else seed_part(self.seed)}"
        if self.interval is not None:
            made += self.interval_part()
        return f"{made}|caesura {__version__}"

    @property
    def sides(self) -> list[tuple[str, Agreement]]:
        """The agreements with their names."""
        return [*zip(self.names, (self.first, self.second), strict=True)]

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        sides = {
            side: {"name": name, **plain_fields(own, OF_A_SIDE)}
            for side, (name, own) in zip(SIDES, self.sides, strict=True)
        }
        return super().numbers() | sides | {"reason": self.reason}

    def __repr__(self) -> str:
        return f"<AgreementDifference: {self.coefficient} {self.difference:+.4f}, p {self.p_value:.4f}>"


def compare_agreement(
    first: Corpus | Agreement,
    second: Corpus | Agreement,
    *,
    metric: Metric | str | None = None,
    coefficient: Coefficient | None = None,
    n_t: int | str | None = None,
    chance: Chance | None = None,
    names: tuple[str, str] = SIDES,
    n_resamples: int = TEST_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    progress: Progress | None = None,
) -> AgreementDifference:
    """Return how much better the coders of the first corpus agree than those of the second.

    Use it for two versions of guidelines, two teams, or two rounds of training. Documents in both corpora are
    compared in pairs, which is more precise.

    Parameters
    ----------
    first, second
        Two corpora, or their agreements (results of ``agreement``).
    metric, coefficient, n_t, chance
        As in ``agreement``; None: those of a given agreement, or else B, "pi" and "boundaries".
    names
        The names of the two in tables and sentences.
    n_resamples, confidence, rng
        Resamples of documents for the interval, and permutations for p; 0: neither. An int as ``rng`` makes
        them reproducible. If there are at most this many permutations, p uses all of them.
    progress
        Called with the steps done and the total steps.

    Notes
    -----
    The interval resamples documents: those in both corpora (by name, with at least two codings in each) in
    pairs, the others within their corpus. p is the share of permutations with at least this difference. A
    permutation swaps the two versions of some shared documents, and reassigns the other documents to the two
    corpora. Differences are measured by Student's t with the standard error and degrees of freedom of each
    permutation (delta method, corrected for influential documents). So p keeps its level if one corpus has
    more coders, boundaries or documents (Janssen 1997; Chung & Romano 2013; Cohen & Fogarty 2022). The
    interval is expanded in the same way.

    Examples
    --------
    >>> from caesura import simulate
    >>> options = {"n_units": 60, "mean_segment": 6, "near_miss": 0.1, "reference": False}
    >>> before = simulate(12, 3, full_miss=0.4, rng=1, **options)
    >>> after = simulate(12, 3, full_miss=0.1, rng=2, **options)
    >>> result = compare_agreement(after, before, rng=0)
    >>> round(result.difference, 2), result.p_value < 0.01, result.n_shared
    (0.43, True, 12)
    """
    resampling, generator = Resampling.of(n_resamples, confidence, rng), as_generator(rng)
    known = next((given for given in (first, second) if isinstance(given, Agreement)), None)
    settings: dict[str, Any] = {
        "metric": metric or (known.metric if known else "B"),
        "coefficient": coefficient or (known.coefficient if known else "pi"),
        "chance": chance or (known.chance if known else "boundaries"),
        "n_t": n_t,
    }
    both = _measured(first, names[0], settings), _measured(second, names[1], settings)
    if both[0].metric != both[1].metric:
        differ = f"{both[0].metric} and {both[1].metric}"
        raise ParameterError(f"the metrics differ: {differ}; declare the same types and time grid")
    versions = Versions.of(both[0].in_memory, both[1].in_memory)
    sides = [*zip(names, both, strict=True)]
    reasons = [f"{name}: {own.reason}" for name, own in sides if own.reason]
    few = "has only one document with two codings; at least two are needed"
    reasons += [f"{name} {few}" for name, own in sides if own.n_documents < 2]
    tested = DifferenceTest()
    if not reasons and resampling.n_resamples:
        tested = versions.tested(both[0].value - both[1].value, resampling, generator, progress)
    return AgreementDifference(
        **vars(tested),
        **vars(resampling),
        first=both[0],
        second=both[1],
        names=names,
        n_shared=versions.n_shared,
        reason=next(iter(reasons), None),
    )


def _measured(given: Corpus | Agreement, name: str, settings: dict[str, Any]) -> Agreement:
    """Return the agreement of a corpus, or of that of another agreement, with these settings."""
    corpus = given.in_memory.table.corpus if isinstance(given, Agreement) else given
    if not isinstance(corpus, Corpus):
        raise ParameterError(f"expected a corpus or an agreement, got {type(corpus).__name__}")
    try:
        return agreement(corpus, n_resamples=0, **settings)
    except CorpusError as error:
        raise CorpusError(f"{name}: {error}") from None


def conclusion(result: AgreementDifference) -> str:
    """Return a sentence on which coders agree better, by how much, and whether that is significant."""
    if math.isnan(result.difference):
        return f"{result.coefficient} cannot be compared: {result.reason}."
    first, second = result.names
    values = f"{result.first.value:.3f} for {first} and {result.second.value:.3f} for {second}"
    change = f"{result.coefficient} is {values}, a difference of {result.difference:+.3f}"
    if result.interval is not None:
        level = percent(result.confidence)
        change += f" [{level}: {result.interval.low:+.3f} to {result.interval.high:+.3f}]"
    if math.isnan(result.p_value):
        return f"{change}{f'; {result.reason}' if result.reason else ''}."
    better, worse = result.names if result.difference > 0 else result.names[::-1]
    verdict = f"the coders of {better} agree better than those of {worse} ({p_shown(result.p_value)})"
    if result.least_p > ALPHA:
        verdict = f"inconclusive, since with so few documents the smallest possible p is {result.least_p:.3f}"
    elif result.p_value > ALPHA:
        verdict = f"not significant ({p_shown(result.p_value)})"
    return f"{change}: {verdict}."


def design(result: AgreementDifference) -> str:
    """Return a sentence on the documents and the permutations."""
    n = result.first.n_documents, result.second.n_documents
    own = [size - result.n_shared for size in n]
    shared = f"{counted(result.n_shared, 'document')} in both versions, compared in pairs"
    alone = (f"{size:,} only in {name}" for size, name in zip(own, result.names, strict=True))
    paired = f"{shared}; {', '.join(alone)}"
    if not any(own):
        paired = f"All {n[0]:,} documents are in both versions and compared in pairs"
    elif not result.n_shared:
        paired = f"No document is in both versions ({n[0]:,} and {n[1]:,} documents)"
    if not result.n_exchanges:
        return f"{paired}."
    which = "exact" if result.is_exact else "random"
    between = "versions within documents" if result.n_shared else "documents between the two"
    return f"{paired}; p permutes {between} ({result.n_exchanges:,} permutations, {which})."


def notes(result: AgreementDifference) -> list[Note]:
    """Return the findings, caveats and the signature."""
    against = [f"{name}: {text}" for name, side in result.sides for text in left_out(side)]
    fewest = min(side.n_documents for _, side in result.sides)
    if result.interval is not None and fewest < FEW_DOCUMENTS:
        against.append(f"Only {fewest} documents: the interval is probably too narrow.")
    first = finding(conclusion(result)), reading(design(result))
    return [*first, *map(caveat, against), signature(result.signature)]


def difference_table(result: AgreementDifference) -> Table:
    """Return a row for each agreement, and one for the difference."""
    first, second, level = result.first, result.second, percent(result.confidence)
    names = ("version", *SIZES, first.metric.name, result.coefficient, f"low {level}", f"high {level}", "p")
    rows: list[list[Cell]] = [
        [name, *cells(side, (*SIZES.values(), "observed", "value")), None, None, None]
        for name, side in result.sides
    ]
    change = first.observed - second.observed, result.difference, *ends(result.interval)
    total: list[Cell] = ["difference", None, result.n_shared, None, None, *change, result.p_value]
    return Table.under(names, [*rows, total], notes(result))


present(AgreementDifference, notes, lambda result: {"conclusion": conclusion(result)}, main=difference_table)


# -------------------------------------------------------------------- segmenters that join the coders


class Drop(NamedTuple):
    """The coefficient of a group of coders without and with one segmenter."""

    segmenter: str
    coders: tuple[str, ...]
    documents: tuple[str, ...]
    without: float
    joined: float
    interval: Interval | None = None
    """Bootstrap interval of the drop over documents; None for a group, or if not computed."""
    p_value: float = math.nan
    """p of the hypothesis that the segmenter is like one more coder (a drop of 0)."""

    @property
    def drop(self) -> float:
        """How much lower the coefficient is with the segmenter; negative if it is higher."""
        return self.without - self.joined

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**plain_data(self._asdict()), "drop": self.drop}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementDrop(Measure, Resampling, Result):
    """The drops of all segmenters; the smaller a drop, the more a segmenter is like one more coder."""

    NUMBERS = ("signature", "whole", "drops")

    drops: tuple[Drop, ...]
    """By segmenter and group of coders."""
    whole: tuple[Drop, ...]
    """By segmenter, over all documents that it segmented and at least two coders annotated."""

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        tested = f"{self.interval_part()}|p=exchange{seed_part(self.seed)}"
        if all(drop.interval is None for drop in self.whole):
            tested = ""
        return f"{self.settings}{tested}|caesura {__version__}"

    def __repr__(self) -> str:
        shown = ", ".join(f"{drop.segmenter} {drop.drop:.4f}" for drop in self.whole[:MAX_SHOWN])
        return f"<AgreementDrop: {shown}{', ...' if len(self.whole) > MAX_SHOWN else ''}>"


def agreement_drop(
    corpus: Corpus,
    segmenters: Sequence[str],
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "kappa",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
) -> AgreementDrop:
    """Return how far agreement drops when each of these segmenters joins the other coders (F13t §4.3).

    Coders who are not named as segmenters count as people. Each segmenter is measured on the documents that
    it segmented, over all coders (``whole``) and over each group (``drops``). κ* is the default because it
    does not excuse a segmenter whose boundary rate differs from that of the coders.

    The drop over all documents has an interval and a p, unless ``n_resamples`` is 0. As in
    ``compare_agreement``, documents are resampled, and the versions with and without the segmenter are
    permuted within documents. A small p means that the segmenter is not like one more coder.

    >>> from caesura import load_stargazers
    >>> result = agreement_drop(load_stargazers(), ["4"])
    >>> round(result.drops[0].without, 4), round(result.drops[0].joined, 4), round(result.drops[0].drop, 4)
    (0.5128, 0.4653, 0.0474)
    """
    if isinstance(segmenters, str) or not segmenters:
        raise ParameterError("segmenters: expected a list of coders' names, at least one")
    for name in segmenters:
        if name not in corpus.coder_numbers:
            raise unknown("coder", name, corpus.coders)
    resampling, generator = Resampling.of(n_resamples, confidence, rng), as_generator(rng)
    table, question = compared(corpus, metric, coefficient, n_t, chance)
    corpus = table.corpus
    by_person = ~np.isin(corpus.coder, [corpus.coder_numbers[name] for name in segmenters])
    drops: list[Drop] = []
    whole: list[Drop] = []
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.intersect1d(corpus.document[by_segmenter], corpus.document[by_person])
        if not len(shared):
            raise CorpusError(f"no coder annotated a document that {name} segmented")
        is_there = np.isin(corpus.document, shared)
        # The same documents, once without and once with the segmenter.
        joined = table.part(np.flatnonzero(is_there & (by_person | by_segmenter)))
        counted = joined.contributions(question.chance)
        of_all, groups = strata_of(table.part(np.flatnonzero(is_there & by_person)), question)
        for alone in (of_all, *groups):
            with_it = replace(alone, table=joined, counted=counted)
            drop = Drop(name, (), (), math.nan, math.nan)
            if len(alone.documents):
                values = alone.finished.value, with_it.finished.value
                drop = Drop(name, alone.finished.coders, alone.document_names, *values)
            is_tested = resampling.n_resamples and len(drop.documents) > 1 and not math.isnan(drop.drop)
            if alone is of_all and is_tested:
                tested = Versions.of(alone, with_it).tested(drop.drop, resampling, generator, None)
                drop = drop._replace(interval=tested.interval, p_value=tested.p_value)
            (whole if alone is of_all else drops).append(drop)
    return AgreementDrop(
        **vars(question.measure()),
        **vars(resampling),
        drops=tuple(drops),
        whole=tuple(whole),
    )


def drop_notes(drop: AgreementDrop) -> list[Note]:
    """Return a reading note on p, a caveat and the signature."""
    tested = "p tests whether the segmenter is like one more coder (a drop of 0); p values are not adjusted."
    weak = "A drop means little if the coders do not agree: also test the segmenters (F13t §4.3)."
    has_p = any(not math.isnan(each.p_value) for each in drop.whole)
    return [*([reading(tested)] if has_p else []), caveat(weak), signature(drop.signature)]


def drop_table(result: AgreementDrop) -> Table:
    """Return a row for each segmenter over all documents and, if there are several groups, for each."""
    by_group = [drop for drop in result.drops if len(drop.coders) > 1]
    shown = (*result.whole, *(by_group if len(by_group) > len(result.whole) else ()))
    is_tested = any(each.interval is not None for each in shown)
    level = percent(result.confidence)
    tested = (f"low {level}", f"high {level}", "p") if is_tested else ()
    sides = f"{result.label} of coders", f"{result.label} with it"
    columns = ("segmenter", "coders", "documents", *sides, "drop", *tested, "members")

    def row(d: Drop) -> list[Cell]:
        beside = [*ends(d.interval), d.p_value] if is_tested else []
        return [d.segmenter, len(d.coders), len(d.documents), d.without, d.joined, d.drop, *beside, d.coders]

    return Table.under(columns, map(row, shown), drop_notes(result))


present(AgreementDrop, notes=drop_notes, main=drop_table)
