"""The numbers of a comparison: a row for each segmenter and bound, rankings and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from caesura.alignment.alignment import PairCorrectness
from caesura.analyses.agreement_difference import AgreementDrop, agreement_drop
from caesura.analyses.comparison.bounds import CHANCE
from caesura.arrays import FloatArray, IntArray, bincount, repeat
from caesura.checks import AGREEMENT_RESAMPLES, CONFIDENCE, check_choice
from caesura.errors import CaesuraError, ParameterError, unknown
from caesura.metrics.base import Metric, signature_of
from caesura.metrics.confusion import BF, BP, BR
from caesura.metrics.edit import B, EditMetric
from caesura.results.as_json import plain_data, plain_fields
from caesura.results.notes import seed_part
from caesura.results.result import Result
from caesura.stats.choosing import CODINGS_NOTE, between_subjects, holm, within_subjects
from caesura.stats.factors import Factor, FactorReport, factor_report
from caesura.stats.intervals import standard_error, t_interval
from caesura.stats.outcome import Interval, TestReport
from caesura.stats.resampling import Progress, enough_resamples, paired_bootstrap, pooled, randomization
from caesura.values.corpus import Corpus
from caesura.wording import short

HUMAN = "human"
"""The name of the upper bound in rows."""

EDIT_PARAMETERS = ("n_t", "method", "transposition", "substitution", "w0", "types")
"""The parameters that all metrics on boundary edit distance share."""


def rates_of(editing: EditMetric) -> tuple[BP, BR, BF]:
    """Return precision, recall and F1 with the parameters of a metric that counts edits."""
    shared = {name: editing.parameters[name] for name in EDIT_PARAMETERS}
    return BP(**shared), BR(**shared), BF(**shared)


Subjects = Literal["documents", "bootstrap", "codings", "pairs"]
SUBJECTS = ("documents", "bootstrap", "codings", "pairs")

Observed = Literal["coding", "pair"]
OBSERVED = ("coding", "pair")


class MeanInterval(NamedTuple):
    """A mean over codings with its standard error and Student's interval."""

    mean: float
    se: float
    low: float
    high: float


class Averages(NamedTuple):
    """Another metric of one segmenter: the pooled value, and the mean over codings with its SE."""

    value: float
    mean: float
    se: float


@dataclass(frozen=True, eq=False)
class SegmenterRow:
    """The counts of one segmenter or bound; for several draws of a bound, their means."""

    name: str
    kind: str
    """"segmenter", "lower bound" or "upper bound"."""
    metric: Metric
    by_document: FloatArray = field(repr=False)
    """The metric's counts, documents × counts."""
    by_coder: FloatArray = field(repr=False)
    """The metric's counts, reference coders × counts."""
    values: FloatArray = field(repr=False)
    """The metric's value of each coding."""
    correctness: PairCorrectness = field(repr=False)
    """The correctness of each boundary pair, in the first draw."""
    n_pairs: float
    pair_sd: float
    """The standard deviation of the correctness of boundary pairs, over all draws."""
    beside: dict[str, Averages]
    """The other metrics by their specifications."""
    matches: float
    near_misses: float
    wrong_types: float
    missed: float
    spurious: float
    tp: float
    fp: float
    fn: float
    tn: float
    interval: Interval | None = None
    """Document-clustered bootstrap interval of the value."""

    @property
    def n_codings(self) -> int:
        """The number of reference codings."""
        return len(self.values)

    @cached_property
    def value(self) -> float:
        """The metric's value, all codings pooled."""
        return float(pooled(self.metric, self.by_document.sum(axis=0)))

    @property
    def se(self) -> float:
        """The standard error of the value; treats boundary pairs (codings) as independent."""
        if not isinstance(self.metric, B):
            return self.macro_se
        return float(self.pair_sd / math.sqrt(self.n_pairs)) if self.n_pairs else math.nan

    @property
    def se_n(self) -> float:
        """The number that ``se`` divides by: boundary pairs for B, codings for other metrics."""
        return self.n_pairs if isinstance(self.metric, B) else float(self.n_codings)

    @property
    def macro(self) -> float:
        """The mean of the values of codings."""
        return float(self.values.mean())

    @property
    def macro_se(self) -> float:
        """The standard error of that mean."""
        return standard_error(self.values, self.n_codings)

    def t_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return Student's interval of the value, under the assumption of ``se``."""
        return t_interval(self.value, self.se, self.se_n, confidence)

    @property
    def precision(self) -> float:
        """B-precision."""
        return _share(self.tp, self.tp + self.fp, self.fn)

    @property
    def recall(self) -> float:
        """B-recall."""
        return _share(self.tp, self.tp + self.fn, self.fp)

    @property
    def f1(self) -> float:
        """B-F1."""
        whole = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / whole if whole else 1.0

    @property
    def actual(self) -> float:
        """Reference boundaries."""
        return self.matches + self.near_misses + self.wrong_types + self.missed

    @property
    def predicted(self) -> float:
        """The segmenter's boundaries."""
        return self.actual - self.missed + self.spurious

    @property
    def density(self) -> float:
        """Predicted boundaries per reference boundary."""
        return self.predicted / self.actual if self.actual else math.nan


def _share(part: float, whole: float, errors: float) -> float:
    """Return a rate; without a denominator 1 if the other side has no error, else 0."""
    return part / whole if whole else float(errors == 0)


TOGETHER = "all segmenters"


def together(rows: Sequence[SegmenterRow]) -> SegmenterRow:
    """Return one row with the counts of several segmenters (F13t figures 5.32 to 5.34)."""
    correctness = np.concatenate([row.correctness.values for row in rows])
    coding = np.concatenate([row.correctness.coding for row in rows])
    added = ("by_document", "by_coder", "n_pairs", *EDIT_COUNTS)
    return replace(
        rows[0],
        name=TOGETHER,
        values=np.concatenate([row.values for row in rows]),
        correctness=PairCorrectness(correctness, coding),
        pair_sd=float(correctness.std(ddof=1)) if len(correctness) > 1 else math.nan,
        beside={},
        interval=None,
        **{name: sum(getattr(row, name) for row in rows) for name in added},
    )


def values_together(rows: Sequence[SegmenterRow]) -> FloatArray:
    """Return a value for each coding: B over the boundary pairs of all segmenters, other metrics' mean."""
    means: FloatArray = np.mean([row.values for row in rows], axis=0)
    if not isinstance(rows[0].metric, B):
        return means
    every = together(rows).correctness
    n_pairs = bincount(every.coding, minlength=len(means))
    sums = bincount(every.coding, every.values, len(means))
    return np.divide(sums, n_pairs, out=means, where=n_pairs > 0)


FACTORS = ("segmenter", "document", "coder")


def factors_of(
    names: Sequence[str], people: Corpus, codings: Sequence[IntArray], chosen: Sequence[str] | None
) -> tuple[list[Factor], list[Factor]]:
    """Return the chosen factors of the observed values, and the other factors (F13t §5.3.4).

    Parameters
    ----------
    names
        The segmenters.
    codings
        For each segmenter, the reference coding of each of its observations.
    chosen
        Names of factors (None: all three).
    """
    if isinstance(chosen, str) or not isinstance(chosen, Sequence | None):
        raise ParameterError(f"factors is {short(chosen)}: give a list of names")
    for name in chosen or ():
        if name not in FACTORS:
            raise unknown("factor", name, FACTORS)
    coding = np.concatenate(codings)
    columns = {
        "segmenter": (names, repeat(np.arange(len(names)), [len(each) for each in codings])),
        "document": (people.documents, people.document[coding]),
        "coder": (people.coders, people.coder[coding]),
    }
    factors = {}
    for name, (levels, codes) in columns.items():
        used, codes = np.unique(codes, return_inverse=True)  # without boundaries a document has no pairs
        factors[name] = Factor(name, tuple(levels[level] for level in used.tolist()), codes)
    first = [factors[name] for name in (FACTORS if chosen is None else chosen)]
    return first, [factor for factor in factors.values() if factor not in first]


EDIT_COUNTS = ("matches", "near_misses", "wrong_types", "missed", "spurious", "tp", "fp", "fn", "tn")
ROW_NUMBERS = (
    *("name", "kind", "n_codings", "n_pairs", "value", "se", "se_n", "macro", "macro_se"),
    *(*EDIT_COUNTS, "precision", "recall", "f1", "density"),
)
"""The fields and properties of a row in plain data."""


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Segmenters in the order of the call, then lower bounds, then people.

    Tests use stored counts; nothing is compared again. ``print`` it to see the main table.
    """

    people: Corpus
    machines: Corpus
    metric: Metric
    editing: EditMetric
    """The metric that counts edits: the deciding one, or B."""
    rows: tuple[SegmenterRow, ...]
    others: tuple[Metric, ...]
    requested: tuple[Metric, ...]
    """The deciding metric and the others as given, before they take the data's types."""
    alpha: float
    confidence: float
    n_resamples: int
    n_draws: int
    seed: int
    report: TestReport | None = None
    """The default test; None with a single segmenter, or with ``test=False``."""
    human_test: TestReport | None = None
    """The default test of each segmenter and lower bound against people; None without people."""
    types_lacking: tuple[str, ...] = ()
    """The coders without types or ranks; because of them, the comparison ignores types."""
    uncoded: tuple[str, ...] = ()
    """The documents that none of the named references has coded; they are left out."""

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents on which all segmenters are compared."""
        return self.people.documents

    @property
    def coders(self) -> tuple[str, ...]:
        """The reference coders."""
        return self.people.coders

    @cached_property
    def tested_rows(self) -> tuple[SegmenterRow, ...]:
        """The rows of segmenters and lower bounds, all compared with the same codings."""
        return tuple(row for row in self.rows if row.kind != "upper bound")

    @property
    def intervals(self) -> dict[str, Interval]:
        """Document-clustered bootstrap intervals of the values, by name."""
        return {row.name: row.interval for row in self.rows if row.interval is not None}

    @cached_property
    def labels(self) -> dict[str, str]:
        """The name of each row in tables and figures; "random" is "chance" unless a coder has that name."""
        names = {name: name for name in self._by_name}
        has_chance = "random" in names and self["random"].kind == "lower bound" and CHANCE not in names
        return names | ({"random": CHANCE} if has_chance else {})

    @property
    def tested(self) -> tuple[str, ...]:
        """The names of segmenters and lower bounds."""
        return tuple(row.name for row in self.tested_rows)

    @property
    def counts(self) -> FloatArray:
        """The counts of ``tested`` by the deciding metric, documents × segmenters × counts."""
        return np.stack([row.by_document for row in self.tested_rows], axis=1)

    def __getitem__(self, name: str) -> SegmenterRow:
        """Return the row of a segmenter or bound."""
        if name not in self._by_name:
            raise unknown("segmenter", name, self._by_name)
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, SegmenterRow]:
        return {row.name: row for row in self.rows}

    @cached_property
    def means(self) -> dict[str, dict[str, MeanInterval]]:
        """Means over codings with Student's intervals, by metric, then by segmenter (F13t Table 5.7)."""
        specs = map(repr, (self.metric, *self.others))
        return {spec: {row.name: self.mean_of(row, spec) for row in self.tested_rows} for spec in specs}

    def mean_of(self, row: SegmenterRow, spec: str) -> MeanInterval:
        """Return the mean over codings of a segmenter or bound, by the deciding metric or another one."""
        mean, se = (row.macro, row.macro_se) if spec == repr(self.metric) else row.beside[spec][1:]
        return MeanInterval(mean, se, *t_interval(mean, se, row.n_codings, self.confidence))

    @property
    def human(self) -> SegmenterRow | None:
        """The row of people against people; None without one."""
        return next((row for row in self.rows if row.kind == "upper bound"), None)

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Segmenters and lower bounds from the best value to the worst."""
        return tuple(sorted(self.tested, key=lambda name: self.metric.distance_from_best(self[name].value)))

    @cached_property
    def rankings(self) -> dict[str, tuple[str, ...]]:
        """The ranking by each metric; other metrics rank by their mean over codings."""
        rankings = {repr(self.metric): self.ranking}
        for beside in self.others:
            means, distance = self.means[repr(beside)], beside.distance_from_best
            rankings[repr(beside)] = tuple(sorted(means, key=lambda name: distance(means[name].mean)))
        return rankings

    @overload
    def test(self, subjects: Subjects = "documents") -> TestReport: ...

    @overload
    def test(
        self,
        subjects: Literal["factors"],
        *,
        factors: Sequence[str] | None = None,
        subject: Observed = "coding",
        within: str | None = None,
    ) -> FactorReport: ...

    def test(
        self,
        subjects: Subjects | Literal["factors"] = "documents",
        *,
        factors: Sequence[str] | None = None,
        subject: Observed = "coding",
        within: str | None = None,
    ) -> TestReport | FactorReport:
        """Test the segmenters and lower bounds against each other.

        ``documents`` (default): randomization document by document, which holds its α when the boundary
        pairs of a document are correlated. ``bootstrap``: paired bootstrap of documents. ``codings``: every
        coding is a subject (F13t §5.3.1). ``pairs``: every boundary pair is a subject (F13t §5.3.2), for a
        random bound those of its first draw; the pairs of a document are not independent, so this test finds
        differences that do not exist.

        ``factors``: the effects of ``segmenter``, ``document`` and ``coder`` (F13t §5.3.4; all three by
        default), by ranks, by analysis of variance and by a mixed model with shares of variance. An
        observation is the value of a coding, or with ``subject="pair"`` the correctness of a boundary pair;
        ``within="document"`` ranks within documents.
        """
        check_choice("subjects", subjects, (*SUBJECTS, "factors"))
        rows = self.tested_rows
        if subjects == "factors":
            check_choice("subject", subject, OBSERVED)
            by_coding = subject == "coding"
            observed = [row.values if by_coding else row.correctness.values for row in rows]
            codings = [np.arange(len(row.values)) if by_coding else row.correctness.coding for row in rows]
            chosen, beside = factors_of(self.tested, self.people, codings, factors)
            options: Any = {"subject": subject, "within": within, "alpha": self.alpha}
            return factor_report(np.concatenate(observed), chosen, beside=beside, **options)
        if subjects == "codings":
            values = np.stack([row.values for row in rows], axis=1)
            report = within_subjects(values, self.tested, self.alpha)
            return replace(report, remarks=(*report.remarks, CODINGS_NOTE))
        if subjects == "pairs":
            return between_subjects([row.correctness.values for row in rows], self.tested, self.alpha)
        return self.resample(randomization if subjects == "documents" else paired_bootstrap)

    def test_against_people(
        self, documents: IntArray, people: FloatArray, progress: Progress | None = None
    ) -> TestReport:
        """Test whether each segmenter and lower bound differs from people (randomization, Holm).

        In each of these documents the test exchanges a segmenter with people, whose counts have the weight of
        as many pairs.
        """
        options, reports = self._options(len(self.tested), progress), []
        for row in self.tested_rows:
            counts = np.stack((row.by_document[documents], people), axis=1)
            reports.append(randomization(self.metric, counts, names=(row.name, HUMAN), **options))
        contrasts = [report.contrasts[0] for report in reports]
        adjusted = holm([contrast.p_value for contrast in contrasts]).tolist()
        contrasts = [
            replace(contrast, adjusted_p=p_value, least_p=min(1.0, contrast.least_p * len(contrasts)))
            for contrast, p_value in zip(contrasts, adjusted, strict=True)
        ]
        return replace(reports[0], contrasts=tuple(contrasts), omnibus=None)

    def resample(self, test: Callable[..., TestReport], progress: Progress | None = None) -> TestReport:
        """Run a test that resamples documents, with enough resamples to decide."""
        options = self._options(math.comb(len(self.tested), 2), progress)
        return test(self.metric, self.counts, names=self.tested, **options)

    def _options(self, n_tests: int, progress: Progress | None = None) -> dict[str, Any]:
        """Return the options of a test that resamples documents, corrected for this number of tests."""
        n = max(self.n_resamples, enough_resamples(n_tests, self.alpha))
        return {"n_resamples": n, "alpha": self.alpha, "rng": self.seed + 1, "progress": progress}

    @property
    def n_exchanges(self) -> int:
        """The permutations behind the smallest possible p: the resamples, or more for many pairs.

        ``randomization`` draws fewer, with weights for rare ones.
        """
        return max(self.n_resamples, enough_resamples(math.comb(len(self.tested), 2), self.alpha))

    def beats(self, name: str) -> tuple[str, ...]:
        """Return the segmenters with a worse value that differ from it in the default test."""
        return self._beaten.get(name, ())

    @cached_property
    def _beaten(self) -> dict[str, tuple[str, ...]]:
        beaten: dict[str, tuple[str, ...]] = {}
        for contrast in self.report.significant if self.report else ():
            pair = (contrast.first, contrast.second)
            first, second = (self.metric.distance_from_best(self[name].value) for name in pair)
            if first != second:
                winner, loser = pair if first < second else pair[::-1]
                beaten[winner] = (*beaten.get(winner, ()), loser)
        return beaten

    @cached_property
    def drop(self) -> AgreementDrop:
        """The drop of κ* when each segmenter joins the coders (F13t §4.3); it needs two coders.

        The metric is the deciding one if it counts edits, else B.
        """
        segmenters = [row.name for row in self.rows if row.kind == "segmenter"]
        metric = self.metric if isinstance(self.metric, EditMetric) else self.editing
        both, n = Corpus.merge(self.people, self.machines), min(self.n_resamples, AGREEMENT_RESAMPLES)
        return agreement_drop(both, segmenters, metric=metric, n_resamples=n, rng=self.seed)

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each segmenter and lower bound, in the order of the ranking."""
        return {name: chr(ord("a") + i) if i < 26 else str(i + 1) for i, name in enumerate(self.ranking)}

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        return self.signature_of_test(self.report)

    def signature_of_test(self, report: TestReport | None) -> str:
        """Return the signature with another test in place of the default one."""
        draws = f"|draws={self.n_draws}" if self.n_draws else ""
        test = f"|test={report.procedure}" if report else ""
        if report and report.procedure.endswith("by document"):
            is_exact = report.procedure.startswith("exact")
            test += ", Holm" + ("" if is_exact else f"|least p=1/{self.n_exchanges + 1}")
        return f"{signature_of(self.metric)}{test}|resamples={self.n_resamples}{seed_part(self.seed)}{draws}"

    @property
    def headings(self) -> dict[str, str]:
        """The name of each metric in tables, as given, by its specification."""
        metrics = zip((self.metric, *self.others), self.requested, strict=True)
        return {repr(metric): repr(requested) for metric, requested in metrics}

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every metric of the main table; the deciding metric's includes the test."""
        beside = (metric for metric in (*rates_of(self.editing), *self.others) if metric != self.metric)
        n = self.rows[0].n_codings
        return {repr(self.metric): self.signature} | {
            repr(metric): signature_of(metric, n) for metric in beside
        }

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        try:
            drop = self.drop.numbers()
        except CaesuraError as error:
            drop = {"reason": str(error)}
        return {
            **plain_fields(self, ("signature", "signatures")),
            "references": list(self.coders),
            **plain_fields(self, [name for name in ("types_lacking", "uncoded") if getattr(self, name)]),
            **plain_fields(self, ("ranking", "rankings")),
            "segmenters": [self._row_numbers(row) for row in self.rows],
            "other metrics": {repr(metric): plain_data(self.means[repr(metric)]) for metric in self.others},
            "test": self.report.to_dict() if self.report else None,
            "human test": self.human_test.to_dict() if self.human_test else None,
            "agreement drop": drop,
        }

    def _row_numbers(self, row: SegmenterRow) -> dict[str, Any]:
        return {
            **plain_fields(row, ROW_NUMBERS),
            "beats": list(self.beats(row.name)),
            "interval": row.interval.to_dict() if row.interval else None,
            "other metrics": {spec: averages.value for spec, averages in row.beside.items()},
        }

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {self[name].value:.4f}" for name in self.ranking)
        return f"<Comparison by {self.metric}: {shown}>"
