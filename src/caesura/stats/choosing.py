"""Choose the test that fits the values of segmenters; all tests by name.

Fournier (2013, thesis, table 3.5 and §5.3.1) compares means if the values of every segmenter may be normal
(Shapiro–Wilk) and their variances equal (Bartlett), otherwise ranks. Within subjects, all segmenters share
the subjects (documents, or codings); between subjects, each has its own (boundary pairs).

These tests assume independent subjects. Codings of one document are not independent, boundary pairs even
less, so there are too many false positives (``benchmarks/false_positives.py`` measures them). Tests with
documents as subjects, and those of ``resampling``, do not have this problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.arrays import FloatArray
from caesura.checks import ALPHA
from caesura.errors import ParameterError
from caesura.stats import classical
from caesura.stats.classical import DECIMALS, Numbers, Samples
from caesura.stats.outcome import Assumption, Contrast, Design, Omnibus, TestReport
from caesura.wording import counted

PAIRS_NOTE = "boundary pairs of one document are not independent, so p is too small"
CODINGS_NOTE = "codings of one document are not independent, so p is too small"


FEW_DOCUMENTS = 10
"""With fewer documents, intervals are too narrow and tests have little power."""


@dataclass(frozen=True)
class Procedure:
    """A test of all segmenters, and the comparison of pairs after it."""

    title: str
    design: Design
    name: str
    """The name of the test of all segmenters."""
    effect_name: str
    calculate: Callable[[Samples], Numbers]
    post_hoc: Callable[[Samples, Sequence[str]], tuple[Contrast, ...]] | None = None
    notes: Callable[[Samples], list[str]] = lambda samples: []

    def omnibus(self, samples: Samples) -> Omnibus:
        """Return the test of all segmenters."""
        statistic, df, p_value, effect, reason = self.calculate(samples)
        return Omnibus(self.name, statistic, df, p_value, effect, self.effect_name, reason)

    @property
    def is_for_two(self) -> bool:
        """Whether it compares two segmenters; the others need three or more."""
        return self.post_hoc is None

    def __call__(
        self, samples: Sequence[ArrayLike], names: Sequence[str], alpha: float = ALPHA
    ) -> TestReport:
        """Run the test on an array of values per segmenter.

        >>> PROCEDURES["wilcoxon"]([[0.5, 0.6, 0.9, 0.8], [0.4, 0.3, 0.7, 0.7]], ["a", "b"]).p_value
        0.125
        """
        return self.run(as_samples(samples, names, self.design), names, alpha, "requested by name", [])

    def run(
        self, samples: Samples, names: Sequence[str], alpha: float, reason: str, assumptions: list[Assumption]
    ) -> TestReport:
        """Run the test on checked samples and report it."""
        if self.is_for_two != (len(samples) == 2):
            expected = "two segmenters" if self.is_for_two else "three or more segmenters"
            raise ParameterError(f"{self.title} compares {expected}, not {len(samples)}")
        omnibus = self.omnibus(samples)
        has_values = all(len(sample) for sample in samples)
        notes = self.notes(samples) if has_values else []
        contrasts: tuple[Contrast, ...] = ()
        if self.post_hoc is None:
            difference = math.nan
            if has_values:
                difference = float(np.round(samples[0].mean() - samples[1].mean(), DECIMALS))
            values = difference, omnibus.statistic, omnibus.p_value, omnibus.p_value, omnibus.effect
            contrasts = (Contrast(names[0], names[1], *values, self.effect_name),)
        elif has_values:
            contrasts = self.post_hoc(samples, names)
        subjects = len(samples[0]) if self.design == "within" else sum(map(len, samples))
        if self.design == "between":
            notes.append(PAIRS_NOTE)
        return TestReport(
            self.title, subjects, omnibus, contrasts, alpha, reason, tuple(assumptions), tuple(notes)
        )


def _sphericity_note(samples: Samples) -> list[str]:
    from scipy import stats

    numbers = classical.rm_anova(samples)
    epsilon = classical.sphericity(np.column_stack(samples)) if len(samples[0]) > 1 else math.nan
    if math.isnan(numbers.p_value) or math.isnan(epsilon):
        return []
    corrected = float(stats.f.sf(numbers.statistic, *(epsilon * df for df in numbers.df)))
    return [f"p = {corrected:.2g} after Greenhouse–Geisser correction for sphericity (ε = {epsilon:.2f})"]


def _wilcoxon_notes(samples: Samples) -> list[str]:
    difference = classical.differences(samples[0], samples[1])
    zeros = int((difference == 0).sum())
    kind = "exact" if len(difference) - zeros <= classical.MAX_EXACT else "normal, corrected for ties"
    dropped = f"; {zeros} of {len(difference)} subjects without a difference are dropped" if zeros else ""
    return [f"p is {kind}{dropped}"]


def _friedman_notes(samples: Samples) -> list[str]:
    notes = ["χ² is only roughly right below 10 subjects"] if len(samples[0]) < 10 else []
    if any(len(set(row)) < len(row) for row in np.column_stack(samples).tolist()):
        notes.append("Friedman's χ² is corrected for ties, Nemenyi's test is not: ties make it conservative")
    return notes


def _kruskal_notes(samples: Samples) -> list[str]:
    from scipy import stats

    untied = stats.tiecorrect(stats.rankdata(np.concatenate(samples)))  # type: ignore[arg-type]
    if untied == 1:
        return []
    factor = f"a factor of {math.sqrt(untied):.2f}"
    return [f"H is corrected for ties; pairwise comparisons are not (as published): z shrinks by {factor}"]


PROCEDURES = {
    "paired_t": Procedure("paired t test", "within", "paired t", "Cohen's d_z", classical.paired_t),
    "wilcoxon": Procedure(
        "Wilcoxon signed-rank test", "within", "Wilcoxon signed-rank", "rank-biserial correlation",
        classical.wilcoxon, notes=_wilcoxon_notes,
    ),
    "rm_anova": Procedure(
        "repeated-measures ANOVA, Tukey's HSD", "within", "repeated-measures ANOVA", "partial η²",
        classical.rm_anova, classical.tukey_within, _sphericity_note,
    ),
    "friedman": Procedure(
        "Friedman, Nemenyi", "within", "Friedman", "Kendall's W",
        classical.friedman, classical.nemenyi, _friedman_notes,
    ),
    "student_t": Procedure(
        "Student's t test", "between", "Student's t", "Cohen's d",
        partial(classical.unpaired_t, equal_variances=True),
    ),
    "welch_t": Procedure(
        "Welch's t test", "between", "Welch's t", "Cohen's d",
        partial(classical.unpaired_t, equal_variances=False),
    ),
    "mann_whitney": Procedure(
        "Mann–Whitney test", "between", "Mann–Whitney", "Cliff's δ", classical.mann_whitney
    ),
    "anova": Procedure(
        "ANOVA, Tukey's HSD", "between", "ANOVA", "η²", classical.anova, classical.tukey_between
    ),
    "kruskal_wallis": Procedure(
        "Kruskal–Wallis, Siegel & Castellan", "between", "Kruskal–Wallis", "ε²",
        classical.kruskal_wallis, classical.siegel_castellan, _kruskal_notes,
    ),
}  # fmt: skip
"""All tests by name; each is called with one array of values per segmenter and the segmenters' names."""


def as_samples(samples: Sequence[ArrayLike], names: Sequence[str], design: Design) -> list[FloatArray]:
    """Check the values of segmenters and round them to their resolution.

    >>> as_samples([[0.1 + 0.2], [0.3]], ["a", "b"], "within")
    [array([0.3]), array([0.3])]
    """
    arrays: list[FloatArray] = [np.asarray(sample, dtype=np.float64).round(DECIMALS) for sample in samples]
    if len(arrays) != len(names):
        raise ParameterError(f"{len(arrays)} samples but {len(names)} names")
    if len(arrays) < 2:
        raise ParameterError("a test needs at least two segmenters")
    for name, array in zip(names, arrays, strict=True):
        if array.ndim != 1:
            raise ParameterError(f"segmenter {name}: expected a list of values, got {array.ndim} dimensions")
        unusable = np.flatnonzero(~np.isfinite(array))
        if len(unusable):
            value = f"the value of subject {unusable[0]} is {array[unusable[0]]}"
            raise ParameterError(f"segmenter {name}: {value}; a test needs finite values")
    if design == "within" and len({len(array) for array in arrays}) > 1:
        sizes = ", ".join(f"{name} {len(array)}" for name, array in zip(names, arrays, strict=True))
        raise ParameterError(f"within subjects, all segmenters have the same subjects; got {sizes}")
    return arrays


def within_subjects(values: ArrayLike, names: Sequence[str], alpha: float = ALPHA) -> TestReport:
    """Compare segmenters measured on the same subjects (rows of ``values``).

    Shapiro–Wilk for each segmenter (for two also for their differences) and Bartlett decide, at α, between
    means (paired t; repeated-measures ANOVA with Tukey's HSD) and ranks (Wilcoxon; Friedman with Nemenyi).
    If an assumption cannot be tested, ranks are compared.

    >>> report = within_subjects([[0.2, 0.4], [0.3, 0.5], [0.1, 0.2], [0.4, 0.9]], ["random", "bayes"])
    >>> report.procedure, report.subjects, report.contrasts[0].difference
    ('paired t test', 4, -0.25)
    """
    table: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ParameterError(f"expected a table subjects × segmenters, got {table.ndim} dimensions")
    return _run_chosen(list(table.T), names, alpha, "within")


def between_subjects(groups: Sequence[ArrayLike], names: Sequence[str], alpha: float = ALPHA) -> TestReport:
    """Compare segmenters with different subjects (boundary pairs), given as an array of values each.

    Shapiro–Wilk for each segmenter and Bartlett decide, at α, between means (Student's t, or Welch's if only
    the variances differ; ANOVA with Tukey's HSD) and ranks (Mann–Whitney; Kruskal–Wallis with Siegel &
    Castellan).

    >>> report = between_subjects([[1, 1, 0, 0.5, 1], [0, 0, 0.5, 0], [0, 0, 0, 0.5]], ["a", "b", "c"])
    >>> report.procedure
    'Kruskal–Wallis, Siegel & Castellan'
    """
    return _run_chosen(groups, names, alpha, "between")


def _run_chosen(
    values: Sequence[ArrayLike], names: Sequence[str], alpha: float, design: Design
) -> TestReport:
    samples = as_samples(values, names, design)
    chosen, assumptions = choose(samples, names, alpha, design)
    against = [classical.describe(assumption) for assumption in assumptions if not assumption.holds]
    more = f" and {len(against) - 2} more" if len(against) > 2 else ""
    why = "; ".join(against[:2]) + more or "neither normal values nor equal variances are rejected"
    return PROCEDURES[chosen].run(samples, names, alpha, why, assumptions)


FITTING = {
    ("within", True): ("paired_t", "wilcoxon"),
    ("within", False): ("rm_anova", "friedman"),
    ("between", True): ("student_t", "mann_whitney"),
    ("between", False): ("anova", "kruskal_wallis"),
}
"""The test of means and the test of ranks, by design and by whether there are two segmenters."""


def choose(
    samples: Samples, names: Sequence[str], alpha: float, design: Design
) -> tuple[str, list[Assumption]]:
    """Return the name of the procedure that fits, and the tests of its assumptions."""
    two = len(samples) == 2
    tested = [classical.normality(sample, name, alpha) for sample, name in zip(samples, names, strict=True)]
    if two and design == "within":
        tested.append(classical.normality(classical.differences(*samples), "the differences", alpha))
    is_normal = all(assumption.holds for assumption in tested)
    variances = classical.equal_variances(samples, alpha)
    by_means, by_ranks = FITTING[design, two]
    if by_means == "student_t" and is_normal and variances.holds is False:
        by_ranks = "welch_t"
    return by_means if is_normal and variances.holds else by_ranks, [*tested, variances]


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p-values with Holm's correction (1979): the smallest × m, the next × (m − 1), …; NaN stays.

    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return adjusted


def least_adjusted(p_values: ArrayLike, least: ArrayLike) -> FloatArray:
    """Return Holm's adjusted p of each test if its own p were the smallest possible.

    >>> least_adjusted([0.01, 0.5, 0.5], [0.01, 0.01, 0.04]).round(4).tolist()
    [0.03, 0.03, 0.08]
    """
    p, lowest = np.asarray(p_values, dtype=np.float64), np.asarray(least, dtype=np.float64)
    known = np.sort(p[~np.isnan(p)])
    factors = np.arange(len(known), 0, -1)
    reached = np.maximum.accumulate(np.concatenate(([0.0], known * factors)))
    before = np.searchsorted(known, lowest, side="left")  # p of each test is at least its lowest
    adjusted: FloatArray = np.maximum(reached[before], lowest * np.maximum(1, len(known) - before))
    return np.minimum(1.0, adjusted)


def least_effect(n_subjects: int, alpha: float = ALPHA, power: float = 0.8) -> float:
    """Return the standardized difference that a paired t test detects with about this power.

    d_z ≈ (t_{1−α/2} + t_{power}) / √n with n − 1 degrees of freedom.

    >>> round(least_effect(20), 2)
    0.66
    """
    from scipy import stats

    if n_subjects < 2:
        return math.inf
    t = stats.t(n_subjects - 1)
    return float((t.isf(alpha / 2) + t.ppf(power)) / math.sqrt(n_subjects))


def power_note(n_subjects: int, k: int, alpha: float = ALPHA) -> str:
    """Return a sentence on the differences that a test of k segmenters on this many documents can detect.

    The randomization test of n documents has 2ⁿ permutations, two of which are as extreme as the most extreme
    one. SD is the standard deviation of the documents' differences. The correction for several pairs is
    Bonferroni's.

    >>> print(power_note(20, 3))
    With 20 documents and 3 pairs, differences below about 0.78 SD have less than 80 % power.
    >>> print(power_note(5, 2))
    With 5 documents no difference can be significant at α = 0.05 (smallest p 0.062); use 6 or more.
    """
    n_pairs = math.comb(k, 2)
    least = 2.0 ** (1 - n_subjects) if n_subjects else 1.0
    documents = counted(n_subjects, "document")
    if least * n_pairs >= alpha:
        enough = 2 + math.floor(math.log2(n_pairs / alpha))
        smallest = f"smallest p {least:.2g}" + (f" × {n_pairs} pairs" if n_pairs > 1 else "")
        cannot = f"With {documents} no difference can be significant at α = {alpha:g}"
        return f"{cannot} ({smallest}); use {enough} or more."
    effect = least_effect(n_subjects, alpha / n_pairs)
    pairs = f" and {n_pairs} pairs" if n_pairs > 1 else ""
    return f"With {documents}{pairs}, differences below about {effect:.2f} SD have less than 80 % power."
