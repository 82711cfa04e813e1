"""Several factors at once: by ranks, by analysis of variance, and by a mixed model with shares of variance.

F13t, Fournier (2013), Evaluating text segmentation, the thesis, §3.3 and §5.3.4, asks whether values differ
by segmenter, by document or by coder. An observation is a value with a level of each factor.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import ALPHA
from caesura.errors import ParameterError, missing_extra
from caesura.results.notes import Note, caveat, finding, reading
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table
from caesura.stats import classical
from caesura.stats.outcome import Assumption, Contrast
from caesura.wording import counted, listed, p_shown

Procedure: TypeAlias = Literal["rank", "ANOVA", "mixed"]

MOST_COMPARED = 30
"""Levels of a factor that are compared two by two at most."""

MOST_COLUMNS = 2000
"""Columns that the design of an analysis of variance has at most."""

MOST_MIXED = 1500
"""Observations of a mixed model with two random factors at most: its time grows with their cube."""

REPEATED = "document"
"""The factor whose levels have values of one fixed level that are not independent."""

TIMES = " × "


@dataclass(frozen=True, eq=False)
class Factor:
    """What observations differ in: the names of its levels, and the level of each observation."""

    name: str
    levels: tuple[str, ...]
    codes: IntArray

    @classmethod
    def of(cls, name: str, values: Sequence[str]) -> Factor:
        """Return the factor with its levels in the order in which they first occur.

        >>> Factor.of("coder", ["bob", "ann", "bob"]).codes.tolist()
        [0, 1, 0]
        """
        number = {level: i for i, level in enumerate(dict.fromkeys(values))}
        return cls(name, tuple(number), np.array([number[value] for value in values], dtype=np.int64))


@dataclass(frozen=True)
class FactorTest:
    """What one procedure says of a factor, or of an interaction of several."""

    procedure: Procedure
    factor: str
    test: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    effect: float
    effect_name: str
    sum_of_squares: float = math.nan
    """Of type II; of an analysis of variance only."""
    contrasts: tuple[Contrast, ...] = ()
    """Every two levels after a test of ranks."""
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, repr=False)
class FactorReport(Result):
    """Which factors values differ by, and how much of their variance each has."""

    subject: str
    """What an observation is: "coding" or "pair"."""
    n: int
    levels: dict[str, int]
    """How many levels each factor has."""
    tests: tuple[FactorTest, ...]
    shares: dict[str, float] | None
    """Of the variance that the fixed factor leaves: of each random factor, and the rest."""
    means: dict[str, float]
    """Of each level of the fixed factor, as the mixed model estimates them."""
    reason: str | None
    """Why there are no shares."""
    assumptions: tuple[Assumption, ...]
    remarks: tuple[str, ...]
    is_repeated: bool
    """Whether documents have several values of a segmenter."""
    alpha: float = ALPHA

    def numbers(self) -> dict[str, Any]:
        """Return tests, shares and assumptions as plain data."""
        return asdict(self)

    def __getitem__(self, key: tuple[str, str]) -> FactorTest:
        """Return the test of a factor by a procedure: ``report["ANOVA", "segmenter × document"]``."""
        for test in self.tests:
            if (test.procedure, test.factor) == key:
                return test
        raise KeyError(key)

    def __repr__(self) -> str:
        return f"<FactorReport of {counted(self.n, self.subject)} by {listed([*self.levels])}>"


def factor_report(
    values: FloatArray,
    factors: Sequence[Factor],
    *,
    subject: str = "coding",
    within: str | None = None,
    fixed: str = "segmenter",
    alpha: float = ALPHA,
) -> FactorReport:
    """Test factors by ranks, by analysis of variance and by a mixed model.

    Parameters
    ----------
    values
        One for each observation.
    factors
        One to three; each has a level for every observation.
    within
        A factor whose levels are the blocks of Friedman's test of the others.
    fixed
        The factor whose levels the mixed model estimates; the others are random.

    >>> rng = np.random.default_rng(1)
    >>> segmenter = Factor.of("segmenter", ["a", "b"] * 10)
    >>> document = Factor.of("document", [f"d{i // 2}" for i in range(20)])
    >>> values = np.arange(20) // 2 + segmenter.codes * 5 + rng.normal(size=20)
    >>> factor_report(values, [segmenter, document])["ANOVA", "segmenter"].p_value < 0.001
    True
    """
    _check(values, factors, within)
    remarks: list[str] = []
    tests: list[FactorTest] = []
    assumptions: list[Assumption] = []
    n_cells = math.prod(len(factor.levels) for factor in factors)
    cell = np.ravel_multi_index([factor.codes for factor in factors], [len(f.levels) for f in factors])
    n_missing = n_cells - len(np.unique(cell))
    if n_missing:
        names = listed([factor.name for factor in factors])
        remarks.append(
            f"{n_missing:,} of {n_cells:,} combinations of {names} have no value: only the mixed model "
            "allows for that"
        )
    else:
        tests += [_rank_test(values, factor, factors, within, remarks) for factor in factors]
        squares, assumptions = _anova(values, factors, alpha, remarks)
        tests += squares
    shares, means, reason, mixed = _mixed(values, factors, fixed)
    tests += mixed
    levels = {factor.name: len(factor.levels) for factor in factors}
    is_repeated = REPEATED not in levels or len(values) > _n_cells(factors, fixed, REPEATED)
    settings = tuple(assumptions), tuple(remarks), is_repeated, alpha
    return FactorReport(subject, len(values), levels, tuple(tests), shares, means, reason, *settings)


def _check(values: FloatArray, factors: Sequence[Factor], within: str | None) -> None:
    names = [factor.name for factor in factors]
    if not 1 <= len(names) <= 3 or len(set(names)) < len(names):
        raise ParameterError(
            f"factors are {listed(names) if names else 'none'}: expected one to three different ones"
        )
    for factor in factors:
        if len(factor.levels) < 2:
            raise ParameterError(
                f"factor {factor.name} has one level, {listed(factor.levels)}: a test needs two or more; "
                "leave it out"
            )
    if within is not None and within not in names:
        raise ParameterError(f"within is {within!r}: no factor of {listed(names)}; add it to the factors")
    if within is not None and len(names) < 2:
        raise ParameterError(
            f"within is {within!r}: it is the only factor; add the one to be ranked inside of it"
        )


def _n_cells(factors: Sequence[Factor], *names: str) -> int:
    """Return how many combinations of levels of these factors have a value."""
    codes = np.stack([factor.codes for factor in factors if factor.name in names])
    return len(np.unique(codes, axis=1)[0])


# -------------------------------------------------------------------- ranks


def _rank_test(
    values: FloatArray, factor: Factor, factors: Sequence[Factor], within: str | None, remarks: list[str]
) -> FactorTest:
    """Compare the levels of a factor: Kruskal–Wallis, or Friedman within the levels of another."""
    k, names = len(factor.levels), factor.levels
    is_within = within is not None and factor.name != within
    if is_within:
        block = next(other for other in factors if other.name == within)
        samples = [*_cell_means(values, block, factor).T]
        numbers = classical.wilcoxon(samples) if k == 2 else classical.friedman(samples)
        title = "Wilcoxon signed-rank" if k == 2 else "Friedman"
        effect = "rank-biserial correlation" if k == 2 else "Kendall's W"
        post_hoc = classical.nemenyi
    else:
        samples = [values[factor.codes == level] for level in range(k)]
        numbers = classical.kruskal_wallis(samples)
        title, effect, post_hoc = "Kruskal–Wallis", "ε²", classical.siegel_castellan
    contrasts: tuple[Contrast, ...] = ()
    if k > MOST_COMPARED:
        remarks.append(f"{factor.name} has {k:,} levels: no more than {MOST_COMPARED} are compared in pairs")
    elif not (is_within and k == 2):
        contrasts = post_hoc(samples, names)
    statistic, df, p_value, size, reason = numbers
    return FactorTest(
        "rank", factor.name, title, statistic, df, p_value, size, effect, math.nan, contrasts, reason
    )


def _cell_means(values: FloatArray, rows: Factor, columns: Factor) -> FloatArray:
    """Return the mean of each pair of levels."""
    shape = len(rows.levels), len(columns.levels)
    cell = rows.codes * shape[1] + columns.codes
    sums = bincount(cell, values, math.prod(shape)) / bincount(cell, minlength=math.prod(shape))
    return sums.reshape(shape)


# -------------------------------------------------------------------- analysis of variance


def _anova(
    values: FloatArray, factors: Sequence[Factor], alpha: float, remarks: list[str]
) -> tuple[list[FactorTest], list[Assumption]]:
    """Return sums of squares of type II with F, for each factor and interaction that can be estimated.

    That of a term is what it explains beyond all terms that do not hold it (Yates 1934).
    """
    from scipy import stats

    terms: list[tuple[Factor, ...]] = [(factor,) for factor in factors]
    if _n_columns(terms) > MOST_COLUMNS:
        remarks.append(f"more than {MOST_COLUMNS:,} levels: no analysis of variance")
        return [], []
    for size in range(2, len(factors) + 1):
        more = [*combinations(factors, size)]
        if _n_columns([*terms, *more]) > min(len(values) - 1, MOST_COLUMNS):
            names = listed([TIMES.join(factor.name for factor in term) for term in more])
            remarks.append(f"too few values for {names}: it is left out")
            break
        terms += more
    residuals = _residuals(values, terms)
    df_error = len(values) - _n_columns(terms)
    error = _squares(residuals)
    tests = []
    for term in terms:
        others = [other for other in terms if not set(term) <= set(other)]
        squares = max(
            0.0, _squares(_residuals(values, others)) - _squares(_residuals(values, [*others, term]))
        )
        df = float(math.prod(len(factor.levels) - 1 for factor in term))
        name = TIMES.join(factor.name for factor in term)
        numbers = classical.Numbers(math.nan, (df, float(df_error)), math.nan, math.nan)
        if df_error < 1:
            numbers = classical.undefined("too few values")
        elif not error and not squares:
            numbers = classical.no_difference((df, float(df_error)))
        elif not error:
            numbers = classical.undefined("nothing is left to vary, so F is infinite")
        else:
            f = (squares / df) / (error / df_error)
            p_value, effect = float(stats.f.sf(f, df, df_error)), squares / (squares + error)
            numbers = classical.Numbers(f, (df, float(df_error)), p_value, effect)
        statistic, dfs, p_value, effect, reason = numbers
        tests.append(
            FactorTest("ANOVA", name, "F", statistic, dfs, p_value, effect, "partial η²", squares, (), reason)
        )
    assumptions = [classical.normality(np.round(residuals, classical.DECIMALS), "the residuals", alpha)]
    for factor in factors:
        samples = [values[factor.codes == level] for level in range(len(factor.levels))]
        equal = classical.equal_variances(samples, alpha)
        assumptions.append(Assumption(equal.name, f"the levels of {factor.name}", *_numbers(equal)))
    rejected = [f"{each.name} of {each.of}" for each in assumptions if each.holds is False]
    if rejected:
        remarks.append(f"F assumes normal residuals of equal variance; rejected: {listed(rejected)}")
    return tests, assumptions


def _numbers(assumption: Assumption) -> tuple[float, float, bool | None, str | None]:
    reason = assumption.reason and assumption.reason.replace("a segmenter", "a level")
    return assumption.statistic, assumption.p_value, assumption.holds, reason


def _n_columns(terms: Iterable[tuple[Factor, ...]]) -> int:
    """Return how many parameters a model has, the mean included."""
    return 1 + sum(math.prod(len(factor.levels) - 1 for factor in term) for term in terms)


def _squares(residuals: FloatArray) -> float:
    """Return a sum of squares without rounding noise."""
    return float((np.round(residuals, classical.DECIMALS) ** 2).sum())


def _residuals(values: FloatArray, terms: Sequence[tuple[Factor, ...]]) -> FloatArray:
    """Return what a linear model with these terms leaves of the values."""
    from scipy import linalg, sparse

    centered = values - values.mean()
    ones: Any = sparse.csr_array(np.ones((len(values), 1)))
    columns = [reduce(_products, map(_indicators, term)) for term in terms]
    matrix: Any = sparse.hstack([ones, *columns], format="csr")
    normal = (matrix.T @ matrix).toarray()
    weights = linalg.lstsq(normal, matrix.T @ centered, lapack_driver="gelsy")[0]
    return np.asarray(centered - matrix @ weights, dtype=np.float64)


def _indicators(factor: Factor) -> Any:
    """Return a column for each level but the first: 1 where an observation has it, −1 where it has the first.

    So the columns of an interaction are products, and those of different terms of balanced data independent.
    """
    from scipy import sparse

    n = len(factor.levels)
    full = sparse.csr_array(
        (np.ones(len(factor.codes)), (np.arange(len(factor.codes)), factor.codes)), (len(factor.codes), n)
    )
    contrasts = sparse.csr_array(np.vstack([-np.ones((1, n - 1)), np.eye(n - 1)]))
    return full @ contrasts


def _products(a: Any, b: Any) -> Any:
    """Return every column of the one times every column of the other."""
    from scipy import sparse

    return sparse.hstack([a.multiply(b[:, [i]]) for i in range(b.shape[1])], format="csr")


# -------------------------------------------------------------------- mixed model


def _mixed(
    values: FloatArray, factors: Sequence[Factor], fixed: str
) -> tuple[dict[str, float] | None, dict[str, float], str | None, list[FactorTest]]:
    """Fit value ~ fixed + (1 | random) + … by REML: shares of variance, means of the fixed levels, a test.

    Several values of a segmenter in a document are not independent: they have (1 | segmenter × document) as
    well. F has the degrees of freedom of the stratum in which the fixed factor varies.
    """
    random = [factor for factor in factors if factor.name != fixed]
    if not random:
        return None, {}, f"a mixed model needs another factor than {fixed}", []
    if len(random) > 1 and len(values) > MOST_MIXED:
        return None, {}, f"{len(values):,} values are more than the {MOST_MIXED:,} that are fitted", []
    if not np.ptp(values):
        return None, {}, "all values are equal", []
    try:
        import pandas as pd
        import statsmodels.formula.api as smf
        from scipy import stats
    except ImportError:
        return None, {}, str(missing_extra("the mixed model needs statsmodels", "stats")), []
    data = pd.DataFrame({f"x{i}": factor.codes for i, factor in enumerate(random)} | {"value": values})
    whole = next((factor for factor in factors if factor.name == fixed), None)
    parts = {factor.name: f"0 + C(x{i})" for i, factor in enumerate(random)}
    n_levels = sum(len(factor.levels) - 1 for factor in random)
    df_error = float(len(values) - (len(whole.levels) if whole else 1) - n_levels)
    formula = "value ~ 1"
    if whole is not None:
        data["fixed"], formula = whole.codes, "value ~ C(fixed)"
        repeated = next((i for i, factor in enumerate(random) if factor.name == REPEATED), None)
        if repeated is not None:
            n_cells = _n_cells(factors, fixed, REPEATED)
            if n_cells < len(values):  # what a document does to a segmenter is in all of its codings
                parts[TIMES.join((fixed, REPEATED))] = f"0 + C(fixed):C(x{repeated})"
                df_error = float(n_cells - len(whole.levels) - len(random[repeated].levels) + 1)
    settings: Mapping[str, object] = {"groups": data["x0"], "vc_formula": None}
    if len(parts) > 1:
        settings = {"groups": np.ones(len(data)), "vc_formula": parts}  # crossed: one group
    if len(random) == 1 and len(parts) > 1:  # nested: groups are documents
        nested = {name: "0 + C(fixed)" for name in parts if name != random[0].name}
        settings = {"groups": data["x0"], "re_formula": "1", "vc_formula": nested}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # By gradients it stops at a variance of 0 in one of six fits, and says that it converged.
            fit = smf.mixedlm(formula, data, **settings).fit(reml=True, method="powell")
    except (np.linalg.LinAlgError, ValueError) as error:
        return None, {}, f"the mixed model cannot be fitted ({str(error).splitlines()[0]})", []
    if not fit.converged:
        return None, {}, "the mixed model does not converge", []
    variances = dict(zip(fit.model.exog_vc.names, map(float, fit.vcomp), strict=True))
    if len(random) == 1:
        variances[random[0].name] = float(np.asarray(fit.cov_re)[0, 0])
    total = sum(variances.values()) + float(fit.scale)
    shares = {name: variances[name] / total for name in parts} | {"rest": float(fit.scale) / total}
    if whole is None:
        return shares, {}, None, []
    effects = np.asarray(fit.fe_params)
    means = {name: float(effects[0] + (effects[i] if i else 0)) for i, name in enumerate(whole.levels)}
    k = len(whole.levels) - 1
    test = fit.wald_test(np.eye(k + 1, len(fit.params))[1:], scalar=True, use_f=False)
    f, dfs = float(test.statistic) / k, (float(k), df_error)
    p_value = float(stats.f.sf(f, *dfs)) if df_error >= 1 else math.nan
    reason = None if df_error >= 1 else "too few values"
    tested = FactorTest("mixed", fixed, "F", f, dfs, p_value, math.nan, "share", reason=reason)
    return shares, means, None, [tested]


# -------------------------------------------------------------------- in tables and words


def _main_table(report: FactorReport) -> Table:
    """Return a row for each test, and for each share of variance."""
    rows: list[list[Cell]] = [
        [
            *(test.procedure, test.factor, test.test, test.statistic),
            " and ".join(f"{df:g}" for df in test.df),
            *(test.p_value, test.effect),
        ]
        for test in report.tests
    ]
    for name, share in (report.shares or {}).items():
        rows.append(["mixed", name, "REML", None, "", None, share])
    names = ["procedure", "factor", "test", "statistic", "df", "p", "effect"]
    return Table("", [*map(Column, names)], rows, notes=_notes(report))


def _contrasts_table(report: FactorReport) -> Table:
    """Return every two levels of each factor, as the tests of ranks compare them."""
    rows: list[list[Cell]] = [
        [test.factor, c.first, c.second, c.difference, c.p_value, c.adjusted_p, c.effect]
        for test in report.tests
        for c in test.contrasts
    ]
    names = ["factor", "first", "second", "difference", "p", "adjusted p", "effect"]
    return Table("Levels of factors", [*map(Column, names)], rows, notes=_notes(report))


def _notes(report: FactorReport) -> list[Note]:
    notes = []
    differing = [
        test.factor for test in report.tests if test.procedure != "mixed" and test.p_value < report.alpha
    ]
    names = [*dict.fromkeys(differing)]
    tested = [*dict.fromkeys(test.factor for test in report.tests if test.procedure != "mixed")]
    if tested:
        says = f"values differ by {listed(names)}" if names else f"no difference by {listed(tested)} is shown"
        notes.append(finding(f"{says[0].upper()}{says[1:]} (α = {report.alpha:g})."))
    for test in report.tests:
        if test.procedure == "mixed" and not math.isnan(test.p_value):
            verdict = "differ" if test.p_value < report.alpha else "are not shown to differ"
            text = f"By the mixed model values {verdict} by {test.factor} ({p_shown(test.p_value)})."
            notes.append(finding(text))
    if report.shares is not None:
        shares = listed([f"{name} {share:.0%}" for name, share in report.shares.items()])
        notes.append(finding(f"Shares of the variance that segmenters do not explain: {shares}."))
    elif report.reason:
        notes.append(caveat(f"No shares of variance: {report.reason}."))
    if report.subject == "pair":
        notes.append(caveat("Boundary pairs of one document are not independent, so p is too small."))
    elif report.is_repeated and tested:
        notes.append(
            caveat("Codings of one document are not independent, so p of ranks and of ANOVA is too small.")
        )
    reasons = [f"{test.factor}: {test.reason}" for test in report.tests if test.reason]
    effects = {test.test: test.effect_name for test in report.tests if test.procedure != "mixed"}
    effects |= {"REML": "share of variance"} if report.shares else {}
    shown = listed([f"{effect} of {test}" for test, effect in effects.items()]) if effects else "none"
    return [*notes, *map(reading, [*report.remarks, *reasons, f"effect: {shown}"])]


present(FactorReport, notes=_notes, main=_main_table, contrasts=_contrasts_table)
