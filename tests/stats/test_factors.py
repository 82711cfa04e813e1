"""Several factors: ranks, analysis of variance by documents, shares of variance (SPEC §17).

Source of truth: statsmodels' AnovaRM and anova_lm, SciPy's rank tests on samples made by loops, and for
shares the mean squares of balanced data, which give REML's variances (Searle, Casella & McCulloch 1992).
"""

from __future__ import annotations

import collections
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from caesura.errors import ParameterError
from caesura.stats.factors import Factor, anova, factor_report

pd = pytest.importorskip("pandas")


def observations(n_segmenters=3, n_documents=6, n_coders=3, repeats=1, keep=1.0, seed=3):
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"d{d}", f"c{c}")
        for s, d, c, _ in itertools.product(
            range(n_segmenters), range(n_documents), range(n_coders), range(repeats)
        )
        if rng.random() < keep
    ]
    effects = {name: rng.normal(scale=0.5) for name in sorted({name for row in rows for name in row})}
    values = np.array([sum(effects[name] for name in row) + rng.normal(scale=0.4) for row in rows])
    return values, pd.DataFrame(rows, columns=["segmenter", "document", "coder"]).assign(value=values)


def factors_of(data, *names):
    return [Factor.of(name, data[name].tolist()) for name in names]


@pytest.mark.parametrize(
    ("within", "made"),
    [
        (("segmenter",), {"n_coders": 1}),
        (("segmenter",), {}),
        (("segmenter", "coder"), {}),
        (("segmenter", "coder"), {"n_segmenters": 2, "n_documents": 9, "n_coders": 4}),
        (("segmenter", "coder"), {"repeats": 4, "keep": 0.9}),
    ],
)
def test_f_of_segmenters_and_coders_is_that_of_repeated_measures_of_documents(within, made):
    """statsmodels' AnovaRM compares each term with its interaction with the subject, here the document."""
    from statsmodels.stats.anova import AnovaRM

    _, data = observations(**made)
    beside = [name for name in ("document", "coder") if name not in within]
    report = factor_report(
        data["value"].to_numpy(), factors_of(data, *within), beside=factors_of(data, *beside)
    )
    cells = data.groupby(["segmenter", "document", "coder"], as_index=False)["value"].mean()
    expected = AnovaRM(cells, "value", "document", [*within], aggregate_func="mean").fit().anova_table
    assert [test.factor for test in report.tests if test.procedure == "ANOVA"] == [
        label.replace(":", " × ") for label in expected.index
    ]
    for label, row in expected.iterrows():
        test = report["ANOVA", label.replace(":", " × ")]
        assert (test.test, test.df) == ("F", (row["Num DF"], row["Den DF"]))
        assert test.statistic == pytest.approx(row["F Value"], rel=1e-9)
        assert test.p_value == pytest.approx(row["Pr > F"], rel=1e-9)


@pytest.mark.parametrize(
    ("names", "made", "terms"),
    [
        (("segmenter", "document"), {"n_coders": 1}, "C(segmenter) + C(document)"),
        (
            ("segmenter", "document", "coder"), {},
            "(C(segmenter) + C(document) + C(coder)) ** 2",
        ),
    ],
)  # fmt: skip
def test_sums_of_squares_are_those_of_statsmodels(names, made, terms):
    """With one value in a cell; the residual of statsmodels is the error of interactions with documents."""
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    values, data = observations(**made)
    report = factor_report(values, factors_of(data, *names))
    expected = sm.stats.anova_lm(smf.ols(f"value ~ {terms}", data).fit(), typ=2)
    rows = expected.drop("Residual")
    assert len([test for test in report.tests if test.procedure == "ANOVA"]) == len(rows)
    for label, row in rows.iterrows():
        factor = " × ".join(part.removeprefix("C(").removesuffix(")") for part in label.split(":"))
        test = report["ANOVA", factor]
        assert test.sum_of_squares == pytest.approx(row["sum_sq"], rel=1e-6)
        if len(names) == 2 or label in {"C(segmenter):C(document)", "C(document):C(coder)"}:
            assert test.df == (row["df"], expected.loc["Residual", "df"])
            assert (test.statistic, test.p_value) == pytest.approx((row["F"], row["PR(>F)"]), rel=1e-6)


def test_quasi_f_of_documents_follows_from_mean_squares():
    """Clark (1973): F' = [MS(d) + MS(rest)] / [MS(s × d) + MS(d × c)], with Satterthwaite's df."""
    values, data = observations(n_segmenters=3, n_documents=7, n_coders=4)
    names = "segmenter", "document", "coder"
    terms = [*((name,) for name in names), *itertools.combinations(names, 2)]
    squares = {term: mean_squares(data, *term) for term in terms}
    df = len(values) - 1 - sum(df for _, df in squares.values())
    total = ((values - values.mean()) ** 2).sum()
    rest = (total - sum(square * df for square, df in squares.values())) / df, df
    sides = [(squares["document",], rest), (squares["segmenter", "document"], squares["document", "coder"])]
    above, below = (sum(square for square, _ in side) for side in sides)
    dfs = [sum(ms for ms, _ in side) ** 2 / sum(ms**2 / df for ms, df in side) for side in sides]
    test = factor_report(values, factors_of(data, *names))["ANOVA", "document"]
    assert (test.test, test.df) == ("quasi-F", pytest.approx(dfs))
    assert test.statistic == pytest.approx(above / below)
    assert test.p_value == pytest.approx(stats.f.sf(above / below, *dfs))
    eta = test.statistic * dfs[0] / (test.statistic * dfs[0] + dfs[1])
    assert test.effect == pytest.approx(eta)


def test_without_some_codings_only_means_over_coders_are_compared():
    values, data = observations(n_documents=8)
    present = ((data["coder"] != "c0") | (data["document"] != "d3")).to_numpy()
    data = data[present]
    segmenter, document, coder = factors_of(data, "segmenter", "document", "coder")
    report = factor_report(values[present], [segmenter, document], beside=[coder])
    means = data.groupby(["document", "segmenter"])["value"].mean().unstack()
    f = mean_squares(means.stack().rename("value").reset_index(), "segmenter")
    error = mean_squares(means.stack().rename("value").reset_index(), "segmenter", "document")
    assert report["ANOVA", "segmenter"].statistic == pytest.approx(f[0] / error[0])
    assert report["ANOVA", "segmenter"].df == (2, 14)
    assert [test.factor for test in report.tests if test.procedure == "ANOVA"] == ["segmenter"]
    assert "too few values for document and segmenter × document: left out" in report.remarks
    alone = factor_report(values[present], [segmenter, coder], beside=[document])
    assert {test.procedure for test in alone.tests} == {"rank", "mixed"}
    assert any("no analysis of variance: some combinations" in remark for remark in alone.remarks)


def test_without_documents_there_is_no_analysis_of_variance():
    values, data = observations()
    report = factor_report(values, factors_of(data, "segmenter", "coder"))
    assert {test.procedure for test in report.tests} == {"rank", "mixed"}
    assert any("it needs several documents and another factor" in remark for remark in report.remarks)


def test_ranks_are_those_of_each_level():
    values, data = observations()
    report = factor_report(values, factors_of(data, "segmenter", "document", "coder"))
    for name in ("segmenter", "document", "coder"):
        samples = [data.loc[data[name] == level, "value"] for level in dict.fromkeys(data[name])]
        h, p_value = stats.kruskal(*samples)
        test = report["rank", name]
        assert (test.statistic, test.p_value) == pytest.approx((h, p_value))
        assert test.df == (len(samples) - 1,)
        assert len(test.contrasts) == math.comb(len(samples), 2)


def test_within_documents_ranks_are_friedmans():
    values, data = observations(n_coders=2)
    report = factor_report(values, factors_of(data, "segmenter", "document", "coder"), within="document")
    means = data.groupby(["document", "segmenter"])["value"].mean().unstack()
    expected = stats.friedmanchisquare(*(means[name] for name in means))
    test = report["rank", "segmenter"]
    assert (test.test, test.statistic) == ("Friedman", pytest.approx(expected.statistic))
    pairs = data.groupby(["document", "coder"])["value"].mean().unstack()
    assert report["rank", "coder"].test == "Wilcoxon signed-rank"
    assert report["rank", "coder"].p_value == pytest.approx(stats.wilcoxon(pairs["c0"], pairs["c1"]).pvalue)
    assert report["rank", "document"].test == "Kruskal–Wallis"


def mean_squares(data, *names):
    """Return the mean square and degrees of freedom of a factor, or of two, of balanced data."""
    grand = data["value"].mean()
    means = data.groupby(list(names))["value"].transform("mean")
    squares, levels = ((means - grand) ** 2).sum(), [data[name].nunique() for name in names]
    if len(names) > 1:
        squares -= sum(mean_squares(data, name)[0] * mean_squares(data, name)[1] for name in names)
    df = math.prod(n - 1 for n in levels)
    return squares / df, df


def alike_in_documents(seed=7):
    """Return 3 segmenters, 8 documents and 4 codings of each; segmenters differ from document to document."""
    values, data = observations(n_segmenters=3, n_documents=8, n_coders=4)
    cell = pd.factorize(data["segmenter"] + data["document"])[0]
    values = values + np.random.default_rng(seed).normal(scale=0.6, size=24)[cell]
    return values, data.assign(value=values)


@pytest.mark.parametrize("with_coders", [True, False])
def test_shares_and_p_of_balanced_data_follow_from_mean_squares(with_coders):
    values, data = alike_in_documents()
    names = ("segmenter", "document", "coder") if with_coders else ("segmenter", "document")
    report = factor_report(values, factors_of(data, *names))
    squares = {name: mean_squares(data, name) for name in names}
    total = ((values - values.mean()) ** 2).sum()
    df = len(values) - 1 - sum(df for _, df in squares.values())
    rest = (total - sum(square * df for square, df in squares.values())) / df
    variances = {"document": (squares["document"][0] - rest) / 12}
    if with_coders:
        variances["coder"] = (squares["coder"][0] - rest) / 24
    variances |= {"rest": rest}
    assert min(variances.values()) > 0
    total = sum(variances.values())
    assert report.shares == pytest.approx({name: v / total for name, v in variances.items()}, abs=3e-3)
    assert report.means == pytest.approx(data.groupby("segmenter")["value"].mean().to_dict(), abs=1e-6)
    test = report["mixed", "segmenter"]
    assert test.df == (2, 14)
    both = mean_squares(data, "segmenter", "document")[0]
    assert test.statistic == pytest.approx(squares["segmenter"][0] / both, rel=5e-3)
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, 2, 14))


@pytest.mark.parametrize("keep", [1.0, 0.8])
def test_shares_and_p_are_those_of_statsmodels(keep):
    """Shares of value ~ segmenter + (1 | document) + (1 | coder); p with (1 | segmenter × document)."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    values, data = alike_in_documents()
    present = np.random.default_rng(2).random(len(data)) < keep
    values, data = values[present], data[present]
    report = factor_report(values, factors_of(data, "segmenter", "document", "coder"))
    data = data.assign(every=1)
    parts = {"document": "0 + C(document)", "coder": "0 + C(coder)"}
    model = MixedLM.from_formula("value ~ C(segmenter)", data, groups="every", vc_formula=parts)
    plain = model.fit(reml=True, method="powell")
    variances = dict(zip(model.exog_vc.names, plain.vcomp, strict=True)) | {"rest": plain.scale}
    total = sum(variances.values())
    assert list(report.shares) == ["document", "coder", "rest"]
    assert report.shares == pytest.approx({name: v / total for name, v in variances.items()}, abs=1e-6)
    parts["both"] = "0 + C(segmenter):C(document)"
    model = MixedLM.from_formula("value ~ C(segmenter)", data, groups="every", vc_formula=parts)
    extended = model.fit(reml=True, method="powell")
    f = float(extended.wald_test(np.eye(3, len(extended.params))[1:], scalar=True).statistic) / 2
    test = report["mixed", "segmenter"]
    cells = len(data[["segmenter", "document"]].drop_duplicates())
    assert test.df == (2, cells - 3 - 7)
    assert test.statistic == pytest.approx(f, rel=2e-3)
    assert test.p_value == pytest.approx(stats.f.sf(f, *test.df), rel=5e-3)
    f_of_plain = float(plain.wald_test(np.eye(3, len(plain.params))[1:], scalar=True).statistic) / 2
    assert f_of_plain > 1.2 * f  # so its p would be too small
    (text,) = (note.text for note in report.notes if "(1 | segmenter × document)" in note.text)
    assert "Shares of variance: value ~ segmenter + (1 | document) + (1 | coder)" in text


@pytest.mark.parametrize("failing", ["shares", "p"])
def test_a_fit_that_does_not_converge_gives_no_number(failing, monkeypatch):
    from statsmodels.regression.mixed_linear_model import MixedLM

    fit = MixedLM.fit

    def stopped(model, **settings):
        result = fit(model, **settings)
        if failing == "shares" or len(model.exog_vc.names) == 3:
            result.converged = False
        return result

    monkeypatch.setattr(MixedLM, "fit", stopped)
    values, data = alike_in_documents()
    report = factor_report(values, factors_of(data, "segmenter", "document", "coder"))
    texts = [note.text for note in report.notes]
    if failing == "shares":
        assert (report.shares, report.reason) == (None, "the mixed model does not converge")
        assert "No shares of variance: the mixed model does not converge." in texts
        assert "mixed" not in {test.procedure for test in report.tests}
    else:
        assert set(report.shares) == {"document", "coder", "rest"}
        assert math.isnan(report["mixed", "segmenter"].p_value)
        assert "segmenter: the mixed model does not converge" in texts


def test_f_of_one_value_of_a_segmenter_in_each_document_is_that_of_the_analysis_of_variance():
    values, data = observations(n_segmenters=3, n_documents=10, n_coders=1)
    report = factor_report(values, factors_of(data, "segmenter", "document"))
    mixed, anova = report["mixed", "segmenter"], report["ANOVA", "segmenter"]
    assert mixed.df == anova.df == (2, 18)
    assert mixed.statistic == pytest.approx(anova.statistic, rel=5e-3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("spread", [0.0, 0.03, 0.1, 0.3])
def test_the_share_of_one_random_factor_follows_from_mean_squares(spread):
    """Of values between 0 and 1, on which an optimizer may stop at 0 (Searle, Casella & McCulloch 1992)."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        _, data = observations(n_segmenters=3, n_documents=12, n_coders=1)
        factors = factors_of(data, "segmenter", "document")
        values = 0.3 + rng.normal(0, spread, 12)[factors[1].codes] + rng.normal(0, 0.1, len(data))
        data = data.assign(value=values)
        between = mean_squares(data, "document")[0]
        error = mean_squares(data, "segmenter", "document")[0]
        pooled = (11 * between + 22 * error) / 33  # what is left where documents have no share
        variance = max(0.0, (between - error) / 3)
        share = variance / (variance + (error if variance else pooled))
        shares = factor_report(values, factors).shares
        assert shares == pytest.approx({"document": share, "rest": 1 - share}, abs=3e-3)


def test_one_random_factor_and_no_fixed_one():
    values, data = observations()
    one = factor_report(values, factors_of(data, "segmenter", "document"))
    assert set(one.shares) == {"document", "rest"}
    none = factor_report(values, factors_of(data, "document", "coder"))
    assert set(none.shares) == {"document", "coder", "rest"}
    assert sum(none.shares.values()) == pytest.approx(1.0)
    alone = factor_report(values, factors_of(data, "segmenter"))
    assert alone.shares is None
    assert "another factor than segmenter" in alone.reason


def test_missing_cells_leave_the_mixed_model_alone():
    values, data = observations(keep=0.8)
    report = factor_report(values, factors_of(data, "segmenter", "document", "coder"))
    assert {test.procedure for test in report.tests} == {"mixed"}
    assert report.shares is not None
    assert "combinations of segmenter, document and coder have no value" in report.remarks[0]


def test_too_few_values_leave_an_interaction_out():
    values, data = observations(n_coders=1)
    report = factor_report(values, factors_of(data, "segmenter", "document"))
    assert [test.factor for test in report.tests if test.procedure == "ANOVA"] == ["segmenter", "document"]
    assert "too few values for segmenter × document: left out" in report.remarks


def test_rejected_assumptions_are_noted():
    _, data = observations(n_documents=30)
    values = np.where(
        data["segmenter"] == "s0", 0.0, np.random.default_rng(1).exponential(size=len(data)) ** 3
    )
    values = values + np.linspace(0, 1e-3, len(values))
    report = factor_report(values, factors_of(data, "segmenter", "document"))
    assert any("normal residuals of equal variance; rejected" in remark for remark in report.remarks)


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (("segmenter", "coder"), {}, "factor coder has one level, c0"),
        (("segmenter", "segmenter"), {}, "expected one to three different ones"),
        ((), {}, "factors are none: expected one to three"),
        (
            ("segmenter", "document"),
            {"within": "coder"},
            "within is 'coder', which is not among the factors .*; add it",
        ),
        (("segmenter",), {"within": "segmenter"}, "within is 'segmenter', the only factor; add"),
    ],
)
def test_factors_that_cannot_be_tested_are_named(names, settings, message):
    values, data = observations(n_coders=1)
    with pytest.raises(ParameterError, match=message):
        factor_report(values, factors_of(data, *names), **settings)


def test_equal_values_say_so():
    _, data = observations()
    report = factor_report(np.ones(len(data)), factors_of(data, "segmenter", "document"))
    assert report.shares is None
    assert report.reason == "all values are equal"
    assert report["ANOVA", "segmenter"].p_value == 1.0


def test_many_levels_are_not_compared_in_pairs():
    values, data = observations(n_segmenters=2, n_documents=40, n_coders=1)
    report = factor_report(values, factors_of(data, "segmenter", "document"))
    assert report["rank", "document"].contrasts == ()
    assert "at most 30 are compared in pairs" in report.remarks[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_coders", [1, 3])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_false_positives_of_the_analysis_of_variance_stay_at_alpha(n_coders, spread):
    """No factor makes a difference: of 1,000 studies each F finds about 5 % (.03 to .07).

    Codings of a document are alike (it is harder for one segmenter, and coded differently by one coder), and
    documents are equally difficult or not; where they are, their F is tested as well.
    """
    rng = np.random.default_rng(8)
    _, data = observations(n_segmenters=3, n_documents=8, n_coders=n_coders)
    factors = [
        factor for factor in factors_of(data, "segmenter", "document", "coder") if len(factor.levels) > 1
    ]
    found = collections.Counter()
    for _ in range(1000):
        values = spread * rng.normal(size=(1, 8, 1)) + rng.normal(size=(3, 8, n_coders)) / 2
        values = values + rng.normal(size=(3, 8, 1)) + rng.normal(size=(1, 8, n_coders))
        found.update(test.factor for test in anova(values.ravel(), factors)[0] if test.p_value < 0.05)
    null = {"segmenter"}
    if n_coders > 1:
        null |= {"coder", "segmenter × coder"} | ({"document"} if not spread else set())
    for factor in null:
        assert 0.03 <= found[factor] / 1000 <= 0.07, factor


def test_the_table_has_a_row_per_factor_and_share():
    values, data = observations()
    table = factor_report(values, factors_of(data, "segmenter", "document", "coder")).to_table()
    assert [row[:2] for row in table.rows][:3] == [
        ["rank", "segmenter"], ["rank", "document"], ["rank", "coder"]
    ]  # fmt: skip
    shares = [row for row in table.rows if row[2] == "REML"]
    assert [row[1] for row in shares] == ["document", "coder", "rest"]
    assert sum(row[6] for row in shares) == pytest.approx(1.0)
