"""agreement() of a corpus and its groups of coders, and agreements() of a scan by several metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, check_names
from caesura.analyses.coder_agreement.finish import Coefficients, RandomAgreement, finish
from caesura.analyses.coder_agreement.question import AgreementQuestion, compared, similarity_for
from caesura.analyses.coder_agreement.strata import Stratum, quick_rounds, random_agreements, strata_of
from caesura.analyses.coder_agreement.subsets import AgreementSubsets, subsets_of
from caesura.arrays import divided
from caesura.checks import AGREEMENT_RESAMPLES, CONFIDENCE, Seed, as_generator
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.as_in import Segeval
from caesura.metrics.base import Metric
from caesura.results.as_json import plain_fields
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Resampling
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.sums.tallies import seed_of
from caesura.values.corpus import Corpus
from caesura.version import __version__

STRICT_OF_DOCUMENTS = ("percent", "fleiss_kappa", "davies_fleiss_kappa", "krippendorff_alpha")
"""The strict coefficients of single documents."""

NO_PAIR = "no document has two coders; agreement needs at least two per document"
IN_MEMORY = "load the data into memory with cs.read"


class DocumentAgreement(NamedTuple):
    """Agreement on one document alone; NaN if undefined."""

    document: str
    n_positions: int
    n_boundaries: int
    observed: float
    value: float
    percent: float
    """Strict percent agreement, followed by strict coefficients (KS12 table 1)."""
    fleiss_kappa: float
    davies_fleiss_kappa: float
    krippendorff_alpha: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StratumAgreement(Coefficients, Resampling):
    """The numbers of a group or of all coders, and in memory the documents behind them."""

    stratum: Stratum | None = None
    """The documents; None for a stream."""

    @property
    def is_streamed(self) -> bool:
        """Whether only sums over documents are known."""
        return self.stratum is None

    @property
    def in_memory(self) -> Stratum:
        """The documents; CorpusError for a stream."""
        if self.stratum is None:
            raise CorpusError(f"not available when streaming; {IN_MEMORY}")
        return self.stratum

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents with at least two of the coders; empty for a stream."""
        return () if self.stratum is None else self.stratum.document_names

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN if fewer than two coders or no boundaries remain."""
        return {} if self.stratum is None else self.stratum.values_without()

    def strict_intervals(self, rng: Seed = None) -> dict[str, Interval | None]:
        """Return the bootstrap interval over documents of each strict coefficient; None if undefined.

        A single document has no intervals. Resamples and confidence are those of ``interval``, and so is the
        seed unless ``rng`` is given.
        """
        return self.in_memory.strict_intervals(self, as_generator(self.seed if rng is None else rng))

    def at_random(self, n_rounds: int = 100, rng: Seed = None) -> RandomAgreement | None:
        """Return the score of random coders in ``n_rounds`` rounds; None without a value."""
        return random_agreements([self.in_memory], n_rounds, rng)[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupAgreement(StratumAgreement):
    """Agreement of coders who annotated the same documents."""

    NUMBERS = (*Coefficients.NUMBERS, "documents", "influence", "by_document")

    group: int
    """The index of the group, from 0."""

    @property
    def number(self) -> int:
        """The number of the group in tables, from 1."""
        return self.group + 1

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        if self.n_coders < 2:
            return ()
        stratum, own = self.in_memory, self.in_memory.own
        similar, compared = stratum.observed
        strict = stratum.strict_by_document()
        columns = (
            own.positions,
            np.diff(own.corpus.codings.offsets[own.corpus.starts]),
            divided(similar, compared, math.nan),
            stratum.items().column_values(),
            *(strict[name] for name in STRICT_OF_DOCUMENTS),
        )
        return tuple(map(DocumentAgreement, self.documents, *(column.tolist() for column in columns)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Agreement(StratumAgreement):
    """Agreement over all documents with at least two coders, and in each group of coders.

    A stream has no groups, single documents or influence of coders.

    >>> from caesura import load_stargazers
    >>> from caesura.analyses.coder_agreement import agreement
    >>> result = agreement(load_stargazers(), n_resamples=0)
    >>> round(result.value, 4), round(result.observed, 4), round(result.expected, 4)
    (0.4644, 0.5301, 0.1225)
    >>> result.notes[0].text
    'π*_B 0.46: 46 % of what perfect agreement would add over chance.'
    """

    NUMBERS = (
        *("metric", "coefficient", "chance", "signature", *Coefficients.NUMBERS),
        *("krippendorff_alpha", "n_single_documents"),
    )

    groups: tuple[GroupAgreement, ...] = ()
    """The groups, including those of one coder."""
    n_single_documents: int = 0
    """Documents with one coding, which do not count anywhere else."""
    left_out: tuple[str, ...] = ()
    """The errors of the files that a stream skipped."""

    def with_random(self, n_rounds: int = 100, rng: Seed = None) -> Agreement:
        """Return the agreement with the score of random coders, over all documents and in each group."""
        strata = [part.in_memory for part in (self, *self.groups)]
        of_all, *by_group = random_agreements(strata, n_rounds, rng)
        pairs = zip(self.groups, by_group, strict=True)
        return replace(self, random=of_all, groups=tuple(replace(group, random=own) for group, own in pairs))

    @cached_property
    def shared_groups(self) -> tuple[GroupAgreement, ...]:
        """The groups of at least two coders."""
        return tuple(group for group in self.groups if group.n_coders > 1)

    @property
    def single_documents(self) -> tuple[str, ...]:
        """The documents with one coding; empty for a stream."""
        if self.stratum is None:
            return ()
        corpus = self.stratum.table.corpus
        return tuple(corpus.documents[i] for i in np.flatnonzero(corpus.n_coders == 1).tolist())

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        rows = {row.document: row for group in self.groups for row in group.by_document}
        return tuple(rows[document] for document in self.documents)

    def subsets(self, rng: Seed = None) -> AgreementSubsets:
        """Return subsets of coders and of documents that agree better, with held-out values.

        >>> from caesura import load_stargazers
        >>> from caesura.analyses.coder_agreement import agreement
        >>> subsets = agreement(load_stargazers(), n_resamples=0).subsets()
        >>> [(subset.left_out, round(subset.value, 2)) for subset in subsets.by_coder[:3]]
        [((), 0.46), (('4',), 0.51), (('2',), 0.55)]
        """
        return subsets_of(self.in_memory, self.seed if rng is None else rng)

    @property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all documents; annotations may be missing."""
        return self.strict.krippendorff_alpha

    @property
    def signature(self) -> str:
        """The signature of the numbers: metric, coefficient, expectation, resampling and version."""
        method = "poisson" if self.is_streamed else "bootstrap"
        interval = self.interval_part(method) if self.n_resamples else ""
        return f"{self.settings}|pairs={self.n_pairs}{interval}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        in_memory = ("documents", "influence", "single_documents", "groups")
        return super().numbers() | plain_fields(self, ("left_out",) if self.is_streamed else in_memory)

    def __repr__(self) -> str:
        several = len(self.shared_groups)
        groups = f", {several:,} groups" if several > 1 else ""
        return f"<Agreement: {super().__repr__()[1:-1]}{groups}>"


# -------------------------------------------------------------------- making it


def agreement(
    corpus: Corpus | CodingStream,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Agreement:
    """Return chance-corrected inter-annotator agreement of the whole corpus and of each group of coders.

    Parameters
    ----------
    corpus
        Documents annotated by at least two coders; missing annotations are fine. Coders who annotated the
        same documents form a group, listed with its own numbers in ``groups``. Alternatively a scan
        (``caesura.scan``), which is read once and never held in memory. The numbers of the whole are then
        identical to those of the same data in memory. Groups, single documents and the influence of coders
        are not sums over documents and are omitted.
    metric
        The similarity behind observed agreement: B, Ba, Bc, S, or any other from 0 to 1. A metric that treats
        its two sides differently compares each two coders both ways.
    coefficient
        ``"pi"``: π*, one boundary rate for all coders (Fleiss 1971; for two coders Scott 1955). Use it to
        judge a coding scheme. ``"kappa"``: κ*, one rate per coder (Davies & Fleiss 1982; Cohen 1960).
    n_t
        Near misses span fewer than this many positions; None: the metric's own value (2 by default). On a
        time grid this may be a duration such as "3s".
    chance
        ``"boundaries"`` follows the definition. ``"published"`` reproduces the numbers of Fournier (2013):
        it counts segments instead of boundaries and, for π*, averages their ratio over pairs and documents.
        ``"segeval"`` averages the ratio of boundaries, as ``B(as_in='segeval')`` does.
    n_resamples, confidence, rng
        Bootstrap over documents (over positions for a single document) for the interval; 0: no interval. An
        int as ``rng`` makes it reproducible. A scan uses a Poisson bootstrap that draws each document's
        weight from its name. With resamples, ``random`` holds the score of random coders, unless that
        takes long or the data are a scan.
    engine, resume, progress
        For a scan: the engine that reads and counts, a folder that stores partial counts, and a callback for
        progress; as in ``evaluate``.

    Notes
    -----
    coefficient = (A_o - A_e) / (1 - A_e), with A_o = Σ numerators / Σ denominators of the metric over coder
    pairs and documents, and A_e the mean over types of P(t)² (π*) or of the mean over coder pairs of
    P(t|c)·P(t|c′) (κ*), P being boundaries per potential boundary. F13t (eq. 4.44 to 4.56) prints a sum over
    types, which may exceed 1 where types share positions; for one type both are the same. z and the two-sided
    p test whether the coefficient is 0 (F13t, eq. 4.59 to 4.63). They assume many independent positions.

    Where annotations are missing, every two annotations of one document are compared. P(t) covers all
    annotations of documents with at least two, P(t|c) those of them by c, and pairs of coders weigh as much
    as the potential boundaries that they share. Documents with one annotation are left out and listed in
    ``single_documents``. If all coders annotated the same documents, the value is the same.

    References
    ----------
    F13t: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa, §4.2. Artstein & Poesio
    (2008), Inter-coder agreement for computational linguistics, Computational Linguistics 34.

    Examples
    --------
    >>> from caesura import load_stargazers
    >>> result = agreement(load_stargazers(), rng=0)
    >>> round(result.pi, 4), round(result.kappa, 4), round(result.bias, 4)
    (0.4644, 0.4653, 0.0014)

    Cy did not annotate the second document; the value pools all four pairs of annotations:

    >>> corpus = Corpus.from_dict(
    ...     {"d1": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]}, "d2": {"ann": [4, 4], "bob": [4, 4]}}
    ... )
    >>> pooled = agreement(corpus, n_resamples=0)
    >>> round(pooled.observed, 4), round(pooled.value, 4), [round(group.value, 4) for group in pooled.groups]
    (0.5714, 0.5603, [0.4857, 1.0])
    >>> round(agreement(load_stargazers(), chance="published", n_resamples=0).pi, 4)
    0.4405
    """
    if not isinstance(corpus, Corpus):
        check_names(coefficient, chance)
        if chance != "boundaries":
            raise ParameterError(f"chance={chance!r} is not available for scans; {IN_MEMORY}")
        options: dict[str, Any] = {"coefficient": coefficient, "n_t": n_t, "confidence": confidence}
        options |= {"n_resamples": n_resamples, "rng": rng, "progress": progress}
        return agreements(corpus, [metric], engine=engine, resume=resume, **options)[0]
    resampling, generator = Resampling.of(n_resamples, confidence, rng), as_generator(rng)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume apply to scans only; this corpus is in memory")
    table, question = compared(corpus, metric, coefficient, n_t, chance)
    if not len(table.pairs):
        raise CorpusError(NO_PAIR)
    of_all, strata = strata_of(table, question)

    def numbers(stratum: Stratum) -> dict[str, Any]:
        interval = stratum.interval(resampling, generator)
        return vars(stratum.finished) | vars(resampling) | {"interval": interval, "stratum": stratum}

    groups = tuple(GroupAgreement(**numbers(stratum), group=number) for number, stratum in enumerate(strata))
    shared = [group for group in groups if group.n_coders > 1]
    if len(shared) == 1:  # the whole is this group
        own = {name: value for name, value in vars(shared[0]).items() if name != "group"}
    else:
        own = numbers(of_all)
    n_single = int((table.corpus.n_coders == 1).sum())
    result = Agreement(**own, groups=groups, n_single_documents=n_single)
    rounds = quick_rounds(corpus) if resampling.n_resamples else 0
    # Spawn, so that a generator's stream stays where the intervals left it.
    seed = rng.spawn(1)[0] if isinstance(rng, np.random.Generator) else rng
    return result.with_random(rounds, seed) if rounds else result


def agreements(
    stream: CodingStream,
    metrics: Sequence[Metric | str],
    *,
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> list[Agreement]:
    """Return the agreement of a scan by several metrics, reading it once.

    The parameters and the numbers are those of ``agreement``.
    """
    check_names(coefficient, "boundaries")
    resampling = Resampling.of(n_resamples, confidence, rng)
    if isinstance(metrics, (str, Metric)) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    as_generator(rng)  # refuses anything that is not a seed
    chosen = tuple(similarity_for(stream.type_scheme, metric, n_t) for metric in metrics)
    for metric in chosen:
        if isinstance(metric, Segeval):
            raise ParameterError(f"{metric} is not available for the agreement of scans; {IN_MEMORY}")
    n_resamples, seed = resampling.n_resamples, seed_of(rng) if resampling.n_resamples else 0
    question = AgreementQuestion(chosen, coefficient, n_resamples, seed)
    sums, _, left_out, _ = stream.corpus_sums(question, Run.of(engine, progress, resume))
    if ("documents",) not in sums:
        raise CorpusError(NO_PAIR)
    more = {"n_single_documents": sums["single",].counts[0], "left_out": left_out, **vars(resampling)}
    finished = (finish(question, sums, stream.type_scheme, i, None, confidence) for i in range(len(chosen)))
    return [Agreement(**vars(each), **more) for each in finished]
