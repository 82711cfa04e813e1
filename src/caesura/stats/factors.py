"""Test several factors: by ranks, by analysis of variance, and by a mixed model with shares of variance.

Do values differ by segmenter, document or coder (F13t: Fournier 2013, Evaluating text segmentation, thesis,
§3.3 and §5.3.4)? An observation is a value with a level of each factor.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import ALPHA
from caesura.errors import MissingExtraError, ParameterError, missing_extra
from caesura.results.notes import Note, caveat, finding, reading
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.stats import classical
from caesura.stats.choosing import PROCEDURES
from caesura.stats.outcome import Assumption, Contrast
from caesura.wording import counted, listed, p_shown

Procedure: TypeAlias = Literal["rank", "ANOVA", "mixed"]

MOST_COMPARED = 30
"""Levels of a factor with more levels are not compared in pairs."""

MOST_MIXED = 1500
"""Most observations of a mixed model with two random factors: its time grows with their cube."""

FIXED, RANDOM = "segmenter", "document"
"""The fixed factor of the mixed model, and the random factor with error strata."""

TIMES = " × "

MODELS = (
    "Shares of variance: value ~ segmenter + (1 | document) + (1 | coder). The p of segmenter: "
    "the same model with (1 | segmenter × document), since values of a segmenter in one document are alike."
)
"""Which of the two mixed models gives the shares, and which the p."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A factor: its name, the names of its levels, and the level of each observation."""

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
    """The test of a factor or an interaction by one procedure."""

    procedure: Procedure
    factor: str
    test: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    effect: float
    effect_name: str
    reason: str | None = None
    """Why it has no value."""
    sum_of_squares: float = math.nan
    """In analyses of variance: that of cell means, times the harmonic mean of cell sizes."""
    contrasts: tuple[Contrast, ...] = ()
    """After a rank test: every pair of levels."""


@dataclass(frozen=True, repr=False)
class FactorReport(Result):
    """The factors by which values differ, and the share of the variance of each."""

    subject: str
    """The kind of observation: "coding" or "pair" (a boundary pair)."""
    n: int
    levels: dict[str, int]
    """The number of levels of each factor."""
    tests: tuple[FactorTest, ...]
    shares: dict[str, float] | None
    """The shares of variance that segmenters do not explain: of each random factor, and the rest.

    They are those of value ~ segmenter + (1 | document) + (1 | coder). The test "mixed" adds
    (1 | segmenter × document).
    """
    means: dict[str, float]
    """The mean of each segmenter by the model of the shares."""
    reason: str | None
    """Why shares are None."""
    assumptions: tuple[Assumption, ...]
    remarks: tuple[str, ...]
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
    beside: Sequence[Factor] = (),
    subject: str = "coding",
    within: str | None = None,
    alpha: float = ALPHA,
) -> FactorReport:
    """Test factors by ranks, by analysis of variance and by a mixed model.

    Parameters
    ----------
    values
        One for each observation.
    factors
        One to three factors to test.
    beside
        Further factors, which the analysis of variance needs for its error strata.
    within
        A factor whose levels are the blocks of Friedman's test of the others.

    >>> rng = np.random.default_rng(1)
    >>> segmenter = Factor.of("segmenter", ["a", "b"] * 10)
    >>> document = Factor.of("document", [f"d{i // 2}" for i in range(20)])
    >>> values = np.arange(20) // 2 + segmenter.codes * 5 + rng.normal(size=20)
    >>> factor_report(values, [segmenter, document])["ANOVA", "segmenter"].p_value < 0.001
    True
    """
    _check(factors, within)
    remarks: list[str] = []
    tests: list[FactorTest] = []
    assumptions: list[Assumption] = []
    if n_missing := _n_missing(factors):
        n_cells = math.prod(len(factor.levels) for factor in factors)
        names = listed([factor.name for factor in factors])
        cells = f"{n_missing:,} of {n_cells:,} combinations of {names}"
        remarks.append(f"{cells} have no value: only the mixed model allows for that")
    else:
        tests += [_rank_test(values, factor, factors, within, remarks) for factor in factors]
        squares, residuals = anova(values, factors, beside, remarks)
        if squares:
            tests += squares
            assumptions = _assumptions(values, residuals, factors, alpha, remarks)
    shares: dict[str, float] | None = None
    means: dict[str, float] = {}
    reason = None
    try:
        shares, means, mixed = _mixed(values, factors)
        tests += mixed
    except (ParameterError, MissingExtraError) as error:
        reason = str(error)
    levels = {factor.name: len(factor.levels) for factor in factors}
    fitted = tuple(tests), shares, means, reason
    return FactorReport(subject, len(values), levels, *fitted, tuple(assumptions), tuple(remarks), alpha)


def _check(factors: Sequence[Factor], within: str | None) -> None:
    names = [factor.name for factor in factors]
    if not 1 <= len(names) <= 3 or len(set(names)) < len(names):
        raise ParameterError(f"factors are {listed(names) or 'none'}: expected one to three different ones")
    for factor in factors:
        if not factor.levels:
            raise ParameterError("no values to test: no coding has a boundary")
        if len(factor.levels) < 2:
            level = f"factor {factor.name} has one level, {listed(factor.levels)}"
            raise ParameterError(f"{level}: a test needs two or more; leave it out")
    if within is not None and within not in names:
        raise ParameterError(f"within is {within!r}, which is not among the factors {listed(names)}; add it")
    if within is not None and len(names) < 2:
        raise ParameterError(f"within is {within!r}, the only factor; add the factor to rank within it")


def _n_cells(factors: Sequence[Factor]) -> int:
    """Return the number of combinations of levels that have a value."""
    return len(np.unique(np.stack([factor.codes for factor in factors]), axis=1)[0])


def _n_missing(factors: Sequence[Factor]) -> int:
    """Return the number of combinations of levels without a value."""
    return math.prod(len(factor.levels) for factor in factors) - _n_cells(factors)


def _cell_means(values: FloatArray, factors: Sequence[Factor]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and number of values of each combination of levels, with an axis for each factor."""
    shape = [len(factor.levels) for factor in factors]
    cell = np.ravel_multi_index([factor.codes for factor in factors], shape)
    sizes = bincount(cell, minlength=math.prod(shape))
    return (bincount(cell, values, len(sizes)) / sizes).reshape(shape), sizes.reshape(shape).astype(float)


# -------------------------------------------------------------------- ranks


def _rank_test(
    values: FloatArray, factor: Factor, factors: Sequence[Factor], within: str | None, remarks: list[str]
) -> FactorTest:
    """Compare the levels of a factor: Kruskal–Wallis, or Friedman within the levels of another factor."""
    k = len(factor.levels)
    procedure = PROCEDURES["kruskal_wallis"]
    samples = [values[factor.codes == level] for level in range(k)]
    if within is not None and factor.name != within:
        (block,) = (each for each in factors if each.name == within)
        procedure = PROCEDURES["wilcoxon" if k == 2 else "friedman"]
        samples = [*_cell_means(values, [factor, block])[0]]
    contrasts: tuple[Contrast, ...] = ()
    if k > MOST_COMPARED:
        remarks.append(f"{factor.name} has {k:,} levels: at most {MOST_COMPARED} are compared in pairs")
    elif procedure.post_hoc is not None:
        contrasts = procedure.post_hoc(samples, factor.levels)
    numbers, effect = procedure.calculate(samples), procedure.effect_name
    test = FactorTest("rank", factor.name, procedure.name, *numbers[:4], effect, numbers.reason)
    return replace(test, contrasts=contrasts)


# -------------------------------------------------------------------- analysis of variance


def anova(
    values: FloatArray,
    factors: Sequence[Factor],
    beside: Sequence[Factor] = (),
    remarks: list[str] | None = None,
) -> tuple[list[FactorTest], FloatArray]:
    """Return F of each factor and interaction that can be tested, and the residuals.

    Values of one document are not independent: a document may be harder for one segmenter, or coded
    differently by one coder. So the error stratum of a term is its interaction with documents:
    F = MS(segmenter) / MS(segmenter × document), as in repeated measures, likewise for coders and for
    segmenter × coder. The error of an interaction with documents is that of all three factors. Documents vary
    by segmenter and by coder, so they have the quasi-F of Clark (1973) with Satterthwaite's degrees of
    freedom: [MS(d) + MS(s × d × c)] / [MS(s × d) + MS(d × c)]. All mean squares are those of cell means.

    >>> rng = np.random.default_rng(1)
    >>> segmenter, document, coder = (codes.ravel() for codes in np.indices((2, 8, 3)))
    >>> values = rng.normal(size=(2, 8))[segmenter, document]  # alike for all coders of a document
    >>> names = "segmenter", "document", "coder"
    >>> factors = [Factor.of(*each) for each in zip(names, (segmenter, document, coder))]
    >>> [test.df for test in anova(values, factors[:1], factors[1:])[0]]
    [(1.0, 7.0)]
    """
    from scipy import stats

    remarks = [] if remarks is None else remarks
    design = [factor for factor in (*factors, *beside) if len(factor.levels) > 1]
    is_averaged = _n_missing(design) > 0
    if is_averaged:  # a coder lacks documents: average over coders
        design = [factor for factor in design if factor in factors or factor.name == RANDOM]
    axis = {factor.name: i for i, factor in enumerate(design)}
    if RANDOM not in axis or len(design) < 2:
        remarks.append("no analysis of variance: it needs several documents and another factor")
        return [], np.empty(0)
    if _n_missing(design):
        remarks.append(f"no analysis of variance: some combinations of {listed([*axis])} have no value")
        return [], np.empty(0)
    cells, sizes = _cell_means(values, design)
    strata, residuals = _strata(cells)
    tests, untested = [], []
    for size in range(1, len(factors) + 1):
        for term in combinations(factors, size):
            name = TIMES.join(factor.name for factor in term)
            own = frozenset(axis[factor.name] for factor in term)
            if axis[RANDOM] not in own:
                errors = [strata[own | {axis[RANDOM]}]]
            else:
                errors = [strata[above] for above in strata if len(above) == size + 1 and own < above]
            if not errors or (is_averaged and axis[RANDOM] in own):
                untested.append(name)
                continue
            top = [strata[frozenset(axis.values())]] if len(errors) > 1 else []
            (above, df), (below, df_error) = _sum_of(strata[own], *top), _sum_of(*errors)
            if below:
                f = above / below
                eta = f * df / (f * df + df_error)
                numbers = classical.Numbers(f, (df, df_error), float(stats.f.sf(f, df, df_error)), eta)
            elif above:
                numbers = classical.undefined("the error does not vary, so F is infinite")
            else:
                numbers = classical.no_difference((df, df_error))
            test = "F" if len(errors) == 1 else "quasi-F"
            shown = FactorTest("ANOVA", name, test, *numbers[:4], "partial η²", numbers.reason)
            squares = math.prod(strata[own]) / float(np.mean(1 / sizes))
            tests.append(replace(shown, sum_of_squares=squares))
    if untested:
        remarks.append(f"too few values for {listed(untested)}: left out")
    return tests, residuals


def _assumptions(
    values: FloatArray, residuals: FloatArray, factors: Sequence[Factor], alpha: float, remarks: list[str]
) -> list[Assumption]:
    """Test whether residuals are normal, and whether the levels of each factor have equal variances."""
    assumptions = [classical.normality(residuals, "the residuals", alpha)]
    for factor in factors:
        samples = [values[factor.codes == level] for level in range(len(factor.levels))]
        equal = classical.equal_variances(samples, alpha)
        reason = equal.reason and equal.reason.replace("a segmenter", "a level")
        assumptions.append(replace(equal, of=f"the levels of {factor.name}", reason=reason))
    rejected = [f"{each.name} of {each.of}" for each in assumptions if each.holds is False]
    if rejected:
        remarks.append(f"F assumes normal residuals of equal variance; rejected: {listed(rejected)}")
    return assumptions


MeanSquare: TypeAlias = tuple[float, float]
"""A mean square and its degrees of freedom."""


def _strata(cells: FloatArray) -> tuple[dict[frozenset[int], MeanSquare], FloatArray]:
    """Return the mean square of each term of a complete design, by its axes, and the last term's effects."""
    axes = range(cells.ndim)
    strata = {}
    for size in range(1, cells.ndim + 1):
        for term in combinations(axes, size):
            means = cells.mean(tuple(set(axes) - set(term)), keepdims=True)
            effect = reduce(lambda table, axis: table - table.mean(axis, keepdims=True), term, means)
            effect = np.round(effect, classical.DECIMALS)
            df = float(math.prod(cells.shape[axis] - 1 for axis in term))
            strata[frozenset(term)] = float((effect**2).sum()) * cells.size / effect.size / df, df
    return strata, effect.ravel()


def _sum_of(*squares: MeanSquare) -> MeanSquare:
    """Return the sum of mean squares with Satterthwaite's degrees of freedom."""
    total = sum(square for square, _ in squares)
    if len(squares) == 1 or not total:
        return total, squares[0][1]
    return total, total**2 / sum(square**2 / df for square, df in squares)


# -------------------------------------------------------------------- mixed model


def _mixed(
    values: FloatArray, factors: Sequence[Factor]
) -> tuple[dict[str, float], dict[str, float], list[FactorTest]]:
    """Fit value ~ segmenter + (1 | random) + … by REML; return shares of variance, means, and a test.

    The p of this model would be too small, because values of a segmenter in one document are not independent.
    So the test adds (1 | segmenter × document), and F has the degrees of freedom of the stratum in which
    segmenters vary.
    """
    from scipy import stats

    random = [factor for factor in factors if factor.name != FIXED]
    fixed = next((factor for factor in factors if factor.name == FIXED), None)
    if not random:
        raise ParameterError(f"a mixed model needs another factor than {FIXED}")
    if len(random) > 1 and len(values) > MOST_MIXED:
        raise ParameterError(f"{len(values):,} values are more than the {MOST_MIXED:,} that are fitted")
    if not np.ptp(values):
        raise ParameterError("all values are equal")
    is_crossed = len(random) > 1
    columns = {factor.name: factor.codes for factor in factors} | {"value": values}
    columns["group"] = np.zeros(len(values)) if is_crossed else random[0].codes
    parts = {factor.name: f"0 + C({factor.name})" if is_crossed else "1" for factor in random}
    formula = "value ~ 1" if fixed is None else f"value ~ C({FIXED})"
    fit, variances = _fit(formula, columns, parts)
    total = sum(variances.values())
    shares = {name: variance / total for name, variance in variances.items()}
    if fixed is None:
        return shares, {}, []
    k, effects = len(fixed.levels) - 1, np.asarray(fit.fe_params)
    means = {name: float(effects[0] + (effects[i] if i else 0)) for i, name in enumerate(fixed.levels)}
    df_error = len(values) - 1 - k - sum(len(factor.levels) - 1 for factor in random)
    blocks = [factor for factor in random if factor.name == RANDOM]
    try:
        if blocks and (n_cells := _n_cells([fixed, *blocks])) < len(values):
            df_error = n_cells - 1 - k - (len(blocks[0].levels) - 1)
            within = f"0 + C({FIXED}):C({RANDOM})" if is_crossed else f"0 + C({FIXED})"
            fit, _ = _fit(formula, columns, parts | {TIMES.join((FIXED, RANDOM)): within})
        if df_error < 1:
            raise ParameterError("too few values")
        wald = fit.wald_test(np.eye(k + 1, len(fit.params))[1:], scalar=True, use_f=False)
        f, df = float(wald.statistic) / k, (float(k), float(df_error))
        numbers = classical.Numbers(f, df, float(stats.f.sf(f, *df)), math.nan)
    except ParameterError as error:
        numbers = classical.undefined(str(error))
    return shares, means, [FactorTest("mixed", FIXED, "F", *numbers[:4], "share", numbers.reason)]


def _fit(formula: str, columns: dict[str, Any], parts: dict[str, str]) -> tuple[Any, dict[str, float]]:
    """Fit a mixed model by REML; return it, and the variance of each part (name → formula) and the rest."""
    try:
        import pandas as pd
        import statsmodels.formula.api as smf
    except ImportError:
        raise missing_extra("the mixed model needs statsmodels", "stats") from None
    data = pd.DataFrame(columns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = smf.mixedlm(formula, data, groups=data["group"], vc_formula=parts)
            # Gradient methods report convergence at a variance of 0 in one of six fits.
            fit = model.fit(reml=True, method="powell")
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ParameterError(f"the mixed model cannot be fitted ({str(error).splitlines()[0]})") from error
    if not fit.converged:
        raise ParameterError("the mixed model does not converge")
    variances = dict(zip(model.exog_vc.names, map(float, fit.vcomp), strict=True))
    return fit, {name: variances[name] for name in parts} | {"rest": float(fit.scale)}


# -------------------------------------------------------------------- in tables and words


def _main_table(report: FactorReport) -> Table:
    """Return a row for each test and for each share of variance."""
    rows: list[list[Cell]] = []
    for test in report.tests:
        df = " and ".join(f"{df:.4g}" for df in test.df)
        rows.append([test.procedure, test.factor, test.test, test.statistic, df, test.p_value, test.effect])
    rows += [["mixed", name, "REML", None, "", None, share] for name, share in (report.shares or {}).items()]
    names = ["procedure", "factor", "test", "statistic", "df", "p", "effect"]
    return Table.under(names, rows, _notes(report))


def _contrasts_table(report: FactorReport) -> Table:
    """Return the pairwise comparisons of levels after the rank tests."""
    rows: list[list[Cell]] = [
        [test.factor, c.first, c.second, c.difference, c.p_value, c.adjusted_p, c.effect]
        for test in report.tests
        for c in test.contrasts
    ]
    names = ["factor", "first", "second", "difference", "p", "adjusted p", "effect"]
    return Table.under(names, rows, _notes(report), "Levels of factors")


def _notes(report: FactorReport) -> list[Note]:
    notes = []
    tests = [test for test in report.tests if test.procedure != "mixed"]
    if tests:
        names = listed([*dict.fromkeys(test.factor for test in tests if test.p_value < report.alpha)])
        tested = listed([*dict.fromkeys(test.factor for test in tests)])
        says = f"Values differ by {names}" if names else f"No significant difference by {tested}"
        notes.append(finding(f"{says} (α = {report.alpha:g})."))
    for test in report.tests:
        if test.procedure == "mixed" and not math.isnan(test.p_value):
            says = "values differ" if test.p_value < report.alpha else "no significant difference"
            notes.append(finding(f"Mixed model: {says} by {test.factor} ({p_shown(test.p_value)})."))
            notes.append(reading(MODELS))
    if report.shares is not None:
        shares = listed([f"{name} {share:.0%}" for name, share in report.shares.items()])
        notes.append(finding(f"Shares of the variance that segmenters do not explain: {shares}."))
    elif report.reason:
        notes.append(caveat(f"No shares of variance: {report.reason}."))
    if any(test.test == PROCEDURES["kruskal_wallis"].name for test in tests):
        assumes, ranks = "Kruskal–Wallis assumes independent", "within='document' ranks within documents."
        text = f"{assumes} boundary pairs, so p is too small"
        if report.subject == "coding":
            text = f"{assumes} codings: p is too large if documents differ in difficulty"
            text += ", and too small if codings of one document are alike"
        notes.append(caveat(f"{text}; {ranks}"))
    reasons = [f"{test.factor}: {test.reason}" for test in report.tests if test.reason]
    effects = [f"{effect} of {test}" for test, effect in {t.test: t.effect_name for t in tests}.items()]
    effects += ["share of variance of REML"] if report.shares else []
    return [*notes, *map(reading, [*report.remarks, *reasons, f"effect: {listed(effects) or 'none'}"])]


present(FactorReport, notes=_notes, main=_main_table, contrasts=_contrasts_table)
