"""Metrics as objects: names, specifications, declarations, scores, pooling, and the degenerate decisions.

Source of truth: DESIGN (public names; a metric is declared once, its repr parses back, every number carries
its signature, degenerate inputs have decided answers) and SPEC §4-5 for the numbers, which were worked out
by hand: [2, 3, 6] and [2, 2, 7] share the boundary at 2 and have a near miss between 4 and 5.
"""

import copy
import dataclasses
import inspect
import math
import pickle
import statistics
import typing
from typing import ClassVar

import numpy as np
import pytest
from tests.loops import each

import caesura as cs
from caesura.alignment.weights import Weights
from caesura.declaration import whole
from caesura.errors import ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.classic import coverage, density_ratio, purity

NAMES = [
    *["B", "Ba", "Bc", "S", "BP", "BR", "BF", "Pk", "PkPrime", "WD", "WinP", "WinR", "WinF"],
    *["Fallout", "ErrorRate", "Cseg", "PrError"],
    *["P", "R", "F", "Coverage", "Purity", "GHD", "Pmu", "BD", "Density"],
]

# A value other than the default for every parameter; a new parameter needs an entry here.
CHANGED = {
    "k_from": "all",
    "ranks": "hypothesis",
    "unit_sizes": (2, 1, 1, 3, 1, 2, 5, 1, 1, 2, 1),
    "n_t": 3,
    "method": "optimal",
    "transposition": "equation",
    "substitution": "constant",
    "w0": 0.25,
    "types": (1, 2, 4),
    "credit_substitutions": True,
    "beta": 0.5,
    "tolerance": 2,
    "k": 3,
    "rounding": "half-up",
    "k_min": 1,
    "edges": "wrap",
    "weighted": True,
    "insertion": 1.5,
    "deletion": 3.0,
    "shift": 0.25,
    "mu": 0.125,
    "miss_weight": 0.25,
}

REFERENCE, HYPOTHESIS = [2, 3, 6], [2, 2, 7]


def parameters_of(cls: type[cs.Metric]) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]


EVERY_PARAMETER = [(name, parameter) for name, cls in cs.METRICS.items() for parameter in parameters_of(cls)]


# -------------------------------------------------------------------- the registry and the declarations


def test_the_registry_has_the_public_names():
    assert set(NAMES) <= set(cs.METRICS)


@each("name", cs.METRICS)
def test_every_declaration_is_complete(name):
    cls = cs.METRICS[name]
    assert cls.name == name
    for declared in ("title", "meaning", "formula", "citation"):
        text = getattr(cls, declared)
        assert isinstance(text, str)
        assert text.strip()
    assert cls.direction in ("higher", "lower", "closest")
    assert isinstance(cls.symmetric, bool)
    assert cls().low < cls().high
    assert cls().low <= cls().best <= cls().high
    assert cls.count_names
    assert all(cls.count_names)
    assert len(set(cls.count_names)) == len(cls.count_names)
    assert len(cls()(REFERENCE, HYPOTHESIS).counts) == len(cls.count_names)
    for field in dataclasses.fields(cls):
        assert field.metadata["help"].strip()


@pytest.mark.parametrize(
    ("spec", "low", "high"),
    [
        ("B", 0, 1),
        ("B(w0=0.25)", 0, 1),  # the weights by default know no w0
        ("B(transposition='equation', w0=0.25)", -0.25, 1),
        ("S(substitution='equation', w0=1)", -1, 1),
        ("B(substitution={(1, 2): 0.5}, w0=0.5)", 0, 1),
        ("PkPrime", 0, 2),
        ("WD", 0, 1),
        ("WD(weighted=True)", 0, math.inf),
        ("WD(weighted=True, k=3)", 0, 3),
        ("GHD", 0, math.inf),
    ],
)
def test_the_range_follows_from_the_parameters(spec, low, high):
    metric = cs.metric(spec)
    assert (metric.low, metric.high) == (low, high)
    assert not {"low", "high"} & set(vars(metric))


# -------------------------------------------------------------------- specifications


@each("name", cs.METRICS)
def test_a_name_alone_means_the_defaults(name):
    metric = cs.metric(name)
    assert isinstance(metric, cs.METRICS[name])
    assert repr(metric) == name
    assert metric == cs.METRICS[name]()
    assert cs.metric(f" {name}() ") == metric


@each("name, parameter", EVERY_PARAMETER)
def test_repr_parses_back_with_each_parameter_changed(name, parameter):
    metric = cs.METRICS[name](**{parameter: CHANGED[parameter]})
    assert metric != cs.metric(name)
    assert f"{parameter}={CHANGED[parameter]!r}" in repr(metric)
    assert cs.metric(repr(metric)) == metric
    assert hash(cs.metric(repr(metric))) == hash(metric)
    assert metric.parameters[parameter] == CHANGED[parameter]


@each("name", cs.METRICS)
def test_repr_parses_back_with_all_parameters_changed(name):
    changed = {parameter: CHANGED[parameter] for parameter in parameters_of(cs.METRICS[name])}
    metric = cs.METRICS[name](**changed)
    assert cs.metric(repr(metric)) == metric
    assert metric.parameters == changed


def test_repr_of_a_cost_table_parses_back():
    metric = cs.METRICS["B"](substitution={(2, 1): 0.5, (1, 3): 1})
    assert cs.metric(repr(metric)) == metric
    assert cs.metric("B(substitution={(2, 1): 0.5, (1, 3): 1})") == metric


def test_numpy_numbers_are_numbers():
    for name, parameter in (("B", "n_t"), ("F", "tolerance"), ("WD", "k"), ("WD", "k_min")):
        metric = cs.METRICS[name](**{parameter: np.int64(3)})
        assert metric == cs.METRICS[name](**{parameter: 3})
        assert cs.metric(repr(metric)) == metric


def test_metrics_are_values():
    one, same, other = cs.metric("B(n_t=3)"), cs.metric("B(n_t=3, method='greedy')"), cs.metric("B(n_t=4)")
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert cs.metric("B") != cs.metric("Ba")
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.n_t = 5


def test_equal_declared_types_are_equal_metrics_in_any_order():
    assert cs.METRICS["B"](types=[3, 1, 1]) == cs.METRICS["B"](types=(1, 3)) == cs.metric("B(types=[3, 1])")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("b", "did you mean 'B'?"),
        ("wd", "did you mean 'WD'?"),
        ("pkprime", "did you mean 'PkPrime'?"),
        ("Purty", "did you mean 'Purity'?"),
        ("Win P", "did you mean 'WinP'?"),
        ("B(nt=3)", "did you mean 'n_t'?"),
        ("B(N_T=3)", "did you mean 'n_t'?"),
        ("WD(edge='wrap')", "did you mean 'edges'?"),
        ("F(tolerence=1)", "did you mean 'tolerance'?"),
        ("WD(edges='wrp')", "did you mean 'wrap'?"),
        ("Pk(rounding='half_up')", "did you mean 'half-up'?"),
    ],
)
def test_a_near_name_is_suggested(spec, message):
    with pytest.raises((cs.UnknownNameError, cs.ParameterError)) as caught:
        cs.metric(spec)
    assert message in str(caught.value)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(cs.UnknownNameError) as caught:
        cs.metric("xyzzy")
    message = str(caught.value)
    assert "'xyzzy'" in message
    assert all(name in message for name in NAMES)


def test_an_unknown_parameter_names_metric_and_parameter():
    with pytest.raises(cs.UnknownNameError, match=r"BD has no parameter 'n_t'"):
        cs.metric("BD(n_t=3)")
    with pytest.raises(cs.UnknownNameError, match=r"WD has no parameter 'xyzzy'; known: k, "):
        cs.metric("WD(xyzzy=3)")


def test_unknown_names_are_lookup_errors_and_caesura_errors():
    assert issubclass(cs.UnknownNameError, LookupError)
    assert issubclass(cs.UnknownNameError, cs.CaesuraError)
    assert issubclass(cs.ParameterError, ValueError)
    assert issubclass(cs.ParameterError, cs.CaesuraError)


BAD_VALUES = [
    *[
        f"B({value})"
        for value in ("n_t=0", "n_t=-1", "n_t=2.5", "n_t=2.0", "n_t='2'", "n_t=None", "n_t=True")
    ],
    *["B(n_t=[2])", "B(method='fast')", "B(method=None)", "B(method=[])", "B(transposition='x')"],
    *["B(transposition=None)", "B(substitution='x')", "B(substitution=5)", "B(substitution=None)"],
    *["B(substitution={(1, 2): 2})", "B(substitution={(1, 2): -0.1})", "B(substitution={(1, 2): 'x'})"],
    *["B(substitution={(1, 2): None})", "B(substitution={0: 0.5})", "B(substitution={(1, 2, 3): 0.5})"],
    *["B(substitution={(1, 2): 0.1, (2, 1): 0.9})"],
    *["B(w0=-0.1)", "B(w0=1.5)", "B(w0='x')", "B(w0=None)", "B(w0=1e999)"],
    *["B(types=5)", "B(types='abc')", "B(types=(1.5,))", "B(types=(1, None))"],
    *["S(n_t=0)", "BF(n_t=0)", "BP(method='fast')"],
    *["BP(credit_substitutions='yes')", "BP(credit_substitutions=None)"],
    *[f"{name}(beta={value})" for name in ("F", "BF", "WinF") for value in ("-1", "'x'", "None", "1e999")],
    *["F(tolerance=-1)", "P(tolerance=0.5)", "R(tolerance=None)", "F(tolerance=True)", "F(tolerance='1')"],
    *["WD(k=0)", "WD(k=-1)", "WD(k=2.5)", "WD(k=True)", "WD(k='3')", "Pk(k=[3])"],
    *["WD(k_min=0)", "WD(k_min=None)", "WD(k_min=1.5)", "WD(rounding='up')", "WD(rounding=None)"],
    *["WD(edges='x')", "WD(edges=None)", "WD(edges=[])", "WD(weighted='yes')", "WD(weighted=None)"],
    *["EPk(unit_sizes=5)", "EPk(unit_sizes=())", "EWD(unit_sizes=(1, 0))", "EWD(unit_sizes=(1, 1.5))"],
    *["EWD(unit_sizes='words')", "EWD(unit_sizes={1: 2})", "EWD(unit_sizes=(9007199254740992, 1))"],
    *["GHD(insertion=-5)", "GHD(insertion='x')", "GHD(deletion=None)", "GHD(shift=-0.5)"],
    *["Pmu(mu=0)", "Pmu(mu=-1)", "Pmu(mu=1e999)", "Pmu(mu='x')"],
]


@each("spec", BAD_VALUES)
def test_a_bad_value_is_refused(spec):
    with pytest.raises(cs.ParameterError) as caught:
        cs.metric(spec)
    parameter = spec.partition("(")[2].partition("=")[0]
    assert parameter in str(caught.value)


@pytest.mark.parametrize("beta", [math.nan, math.inf, -1.0, "1"])
def test_functions_refuse_a_bad_beta(beta):
    for call in (
        lambda: cs.boundary_f(REFERENCE, HYPOTHESIS, beta=beta),
        lambda: cs.win_pr(REFERENCE, HYPOTHESIS, beta=beta),
        lambda: cs.confusion_matrix(REFERENCE, HYPOTHESIS).f(beta=beta),
    ):
        with pytest.raises(cs.ParameterError):
            call()


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        (cs.boundary_similarity, {"n_t": 0}),
        (cs.boundary_similarity_a, {"method": "fast"}),
        (cs.boundary_similarity_c, {"transposition": "x"}),
        (cs.segmentation_similarity, {"w0": 2}),
        (cs.boundary_similarity, {"types": 5}),
        (cs.boundary_similarity, {"method": ["greedy"]}),
        (cs.align, {"n_t": 0}),
        (cs.align, {"n_t": "2"}),
        (cs.align, {"method": "fast"}),
        (cs.confusion_matrix, {"n_t": 0}),
        (cs.pk, {"k": 0}),
        (cs.pk, {"k": [3]}),
        (cs.pk_prime, {"edges": "x"}),
        (cs.window_diff, {"rounding": "x"}),
        (cs.win_pr, {"k": -1}),
        (cs.boundary_precision, {"tolerance": -1}),
        (cs.p_mu, {"mu": 0}),
        (cs.ghd, {"shift": -1}),
    ],
)
def test_functions_refuse_bad_values(function, keywords):
    with pytest.raises(cs.ParameterError):
        function(REFERENCE, HYPOTHESIS, **keywords)


@pytest.mark.parametrize("keywords", [{"k_min": 0}, {"k_min": 2.5}, {"k_min": None}, {"rounding": "x"}])
def test_window_size_refuses_bad_values(keywords):
    with pytest.raises(cs.ParameterError):
        cs.window_size(REFERENCE, **keywords)


@pytest.mark.parametrize("function", [cs.boundary_similarity, cs.pk, cs.window_diff, cs.boundary_f, cs.align])
def test_a_misspelt_keyword_is_an_error(function):
    with pytest.raises(TypeError, match="windw"):
        function(REFERENCE, HYPOTHESIS, windw=3)


# -------------------------------------------------------------------- functions are written as declared

FUNCTIONS = {
    cs.boundary_similarity: "B",
    cs.boundary_similarity_a: "Ba",
    cs.boundary_similarity_c: "Bc",
    cs.segmentation_similarity: "S",
    cs.pk: "Pk",
    cs.pk_prime: "PkPrime",
    cs.window_diff: "WD",
    cs.mult_window_diff: "MultWD",
    cs.hierarchical_pk: "EPk",
    cs.hierarchical_window_diff: "EWD",
    cs.win_pr: "WinF",
    cs.confusion_matrix: "BP",
    cs.boundary_precision: "P",
    cs.boundary_recall: "R",
    cs.boundary_f: "F",
    coverage: "Coverage",
    purity: "Purity",
    cs.ghd: "GHD",
    cs.p_mu: "Pmu",
    cs.break_distance: "BD",
    density_ratio: "Density",
}


@each("function, name", FUNCTIONS.items())
def test_a_function_has_the_parameters_of_its_metric(function, name):
    cls = cs.METRICS[name]
    reference, hypothesis, *keywords = inspect.signature(function).parameters.values()
    assert reference.name in ("reference", "references")
    assert hypothesis.name == "hypothesis"
    declared = [(field.name, field.default) for field in dataclasses.fields(cls)]
    assert [(keyword.name, keyword.default) for keyword in keywords] == declared
    assert all(keyword.kind is inspect.Parameter.KEYWORD_ONLY for keyword in keywords)
    hints, types = typing.get_type_hints(function), typing.get_type_hints(cls)
    assert {name: hints[name] for name, _ in declared} == {name: types[name] for name, _ in declared}


@each("function, name", FUNCTIONS.items())
def test_a_function_hands_each_parameter_to_its_metric(function, name):
    cls = cs.METRICS[name]
    for keywords in [{}, *({parameter: CHANGED[parameter]} for parameter in parameters_of(cls))]:
        result = function(REFERENCE, HYPOTHESIS, **keywords)
        if function is cs.confusion_matrix:
            assert result.precision() == cls(**keywords)(REFERENCE, HYPOTHESIS)
        else:
            score = getattr(result, "score", getattr(result, "f", result))
            assert score.metric == cls(**keywords)


@each("function, name", FUNCTIONS.items())
def test_the_help_of_a_function_says_what_is_declared(function, name):
    cls, text = cs.METRICS[name], inspect.getdoc(function)
    assert text.startswith("Return ")
    assert cls.citation in text
    assert ">>> " in text
    for field in dataclasses.fields(cls):
        assert f"\n{field.name}\n    {field.metadata['help']}\n" in text
    if isinstance(function(REFERENCE, HYPOTHESIS), cs.Score):
        assert cls.formula in text
        assert cls.meaning[1:] in text


def test_both_sides_may_be_named():
    assert cs.pk(reference=REFERENCE, hypothesis=HYPOTHESIS, k=3) == cs.pk(REFERENCE, HYPOTHESIS, k=3)
    assert cs.pk(REFERENCE, hypothesis=HYPOTHESIS) == cs.pk(REFERENCE, HYPOTHESIS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.pk(REFERENCE), r"pk\(\).*'hypothesis'"),
        (lambda: cs.pk(), r"pk\(\).*'reference'"),
        (lambda: cs.pk(REFERENCE, HYPOTHESIS, 3), r"pk\(\) takes 2 positional"),
        (lambda: cs.pk(REFERENCE, HYPOTHESIS, reference=REFERENCE), r"pk\(\).*'reference'"),
        (lambda: cs.pk(REFERENCE, HYPOTHESIS, egdes="wrap"), r"pk\(\).*'egdes'"),
        (lambda: cs.boundary_similarity(REFERENCE, HYPOTHESIS, nt={}), r"boundary_similarity\(\).*'nt'"),
        (lambda: coverage(REFERENCE, HYPOTHESIS, k=3), r"coverage\(\).*'k'"),
    ],
)
def test_a_wrong_call_is_a_type_error_that_names_the_function(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_metrics_take_their_parameters_by_name_only():
    with pytest.raises(TypeError):
        cs.METRICS["B"](3)


def test_equal_calls_share_one_metric_object():
    def metric_of(**keywords):
        return cs.boundary_similarity(REFERENCE, HYPOTHESIS, **keywords).metric

    assert metric_of() is metric_of()
    assert metric_of(n_t=3) is metric_of(n_t=3)
    table = {(2, 1): 0.5, (1, 3): 1}
    assert metric_of(substitution=table) is metric_of(substitution=dict(table))
    assert metric_of(substitution=table) == cs.METRICS["B"](substitution=table)
    assert metric_of(types=[3, 1]) is metric_of(types=[1, 3])
    # 1 and 1.0 are one key of a dict, but not one signature.
    assert metric_of(w0=1).settings != metric_of(w0=1.0).settings


@dataclasses.dataclass(frozen=True, repr=False, kw_only=True)
class Toy(Metric):
    """Toy rate."""

    name: ClassVar[str] = "Toy"
    title: ClassVar[str] = "toy rate"
    meaning: ClassVar[str] = "boundaries of the hypothesis per bonus of a toy"
    formula: ClassVar[str] = "hypothesis boundaries / (bonus + boundaries)"
    citation: ClassVar[str] = "Nobody (2000), A toy"
    count_names: ClassVar[tuple[str, ...]] = ("found", "all")

    bonus: int = whole(1, "what is added to the boundaries", minimum=0)

    def counts(self, reference, hypothesis):
        return (hypothesis.n_boundaries, hypothesis.n_boundaries + self.bonus), 1

    def fraction(self, counts):
        found, every = counts
        return found, every, 0.0


def test_a_metric_is_one_class_that_is_registered(monkeypatch):
    monkeypatch.setattr(cs.METRICS, "_members", dict(cs.METRICS._members))
    cs.register(Toy)
    assert repr(cs.metric("Toy(bonus=4)")) == "Toy(bonus=4)"
    assert cs.metric("Toy")([1, 1], [1, 1]) == 1 / 2
    assert cs.metric("Toy(bonus=3)")([1, 1], [1, 1]) == 1 / 4
    assert cs.metric("Toy").batch([[1, 1], [2]], [[1, 1], [2]]).values.tolist() == [1 / 2, 0]
    assert cs.metric("Toy")([1, 1], [1, 1]).signature == f"Toy|bonus=1|caesura {cs.__version__}"
    with pytest.raises(cs.ParameterError, match="Toy: bonus is -1"):
        cs.metric("Toy(bonus=-1)")


REFUSED_SPECS = [
    *[
        "",
        "   ",
        "B(",
        "B)",
        "B(n_t=2",
        "B(2)",
        "B(n_t=2, 3)",
        "B(*[1])",
        "B(**{})",
        "B(n_t=2)(3)",
        "B; B",
        "B, B",
    ],
    *["B.n_t", "[B]", "B + B", "3", "'B'", "None", "lambda: B", "B(n_t=n)", "B(n_t=1+1)", "B(n_t=2, n_t=3)"],
    *["__import__('os')", "__import__('os').getcwd()", "B(n_t=__import__('os'))", "B(n_t=open('x'))"],
    *["B(types={[]})", "B(substitution={[1]: 2})", "B\0", "B\nB", "\ud800", "B(method='\udfff')"],
    *["B" * 301, "B" * 10**5, "B(" + "n" * 90_000 + "=2)", "B(n_t=" + "9" * 10_000 + ")", " " * 10**6 + "B"],
    *[
        "(" * 290,
        "B(" * 90,
        "B(types=" + "[" * 140 + "]" * 140 + ")",
        "-" * 290 + "1",
        "B(n_t=" + "-" * 280 + "1)",
        "(" * 90_000,
        "B(" * 45_000,
        "B(types=" + "[" * 45_000 + "]" * 45_000 + ")",
        "B(n_t=" + "-" * 90_000 + "1)",
        "B(n_t=" + "1+" * 45_000 + "1)",
        "B" + ".n_t" * 20_000,
    ],
]


@each("spec", REFUSED_SPECS)
def test_what_is_no_specification_is_refused_cleanly(spec):
    with pytest.raises((cs.ParameterError, cs.UnknownNameError)) as caught:
        cs.metric(spec)
    assert len(str(caught.value)) < 500
    assert caught.value.__cause__ is None


@each(
    "spec",
    [None, 3, 2.5, [], {}, ["B"], b"B", cs.METRICS["B"], object()],
)
@each("choose", [cs.metric, cs.Accumulator])
def test_what_is_no_text_is_no_specification(choose, spec):
    with pytest.raises(cs.ParameterError, match=r"^metric is .*: expected a name, such as 'B'") as caught:
        choose(spec)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


# -------------------------------------------------------------------- scores


def test_a_score_is_a_float_with_its_counts_and_signature():
    score = cs.boundary_similarity(REFERENCE, HYPOTHESIS)
    assert isinstance(score, float)
    assert isinstance(score, cs.Score)
    assert score == 0.75
    assert (score.numerator, score.denominator, score.n_pairs) == (1.5, 2, 1)
    assert score.metric == cs.metric("B")
    assert f"{score:.3f}" == "0.750"
    assert repr(score) == "<B 0.75 = 1.5/2>"


def test_functions_and_metric_objects_give_equal_scores():
    cases = {
        "B(n_t=3)": cs.boundary_similarity(REFERENCE, HYPOTHESIS, n_t=3),
        "Ba": cs.boundary_similarity_a(REFERENCE, HYPOTHESIS),
        "Bc(w0=0.5)": cs.boundary_similarity_c(REFERENCE, HYPOTHESIS, w0=0.5),
        "S(method='optimal')": cs.segmentation_similarity(REFERENCE, HYPOTHESIS, method="optimal"),
        "Pk(k=3)": cs.pk(REFERENCE, HYPOTHESIS, k=3),
        "PkPrime(edges='wrap')": cs.pk_prime(REFERENCE, HYPOTHESIS, edges="wrap"),
        "WD(weighted=True)": cs.window_diff(REFERENCE, HYPOTHESIS, weighted=True),
        "P(tolerance=1)": cs.boundary_precision(REFERENCE, HYPOTHESIS, tolerance=1),
        "R": cs.boundary_recall(REFERENCE, HYPOTHESIS),
        "F(beta=2.0)": cs.boundary_f(REFERENCE, HYPOTHESIS, beta=2.0),
        "Coverage": coverage(REFERENCE, HYPOTHESIS),
        "Purity": purity(REFERENCE, HYPOTHESIS),
        "GHD(shift=0.5)": cs.ghd(REFERENCE, HYPOTHESIS, shift=0.5),
        "Pmu(mu=0.5)": cs.p_mu(REFERENCE, HYPOTHESIS, mu=0.5),
        "BD": cs.break_distance(REFERENCE, HYPOTHESIS),
        "Density": density_ratio(REFERENCE, HYPOTHESIS),
        "WinP": cs.win_pr(REFERENCE, HYPOTHESIS).precision,
        "WinR": cs.win_pr(REFERENCE, HYPOTHESIS).recall,
        "WinF": cs.win_pr(REFERENCE, HYPOTHESIS).f,
    }
    for spec, score in cases.items():
        assert score.metric == cs.metric(spec)
        assert score == cs.metric(spec)(REFERENCE, HYPOTHESIS)


def test_every_input_form_reaches_a_metric():
    gaps, value = "0100100000", cs.Segmentation.from_masses(REFERENCE)
    for reference in (REFERENCE, tuple(REFERENCE), np.array(REFERENCE), gaps, value):
        assert cs.metric("B")(reference, HYPOTHESIS) == 0.75


@each("name", NAMES)
def test_a_hierarchy_is_refused_with_what_to_use(name):
    hierarchy = cs.Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    metric = cs.metric(name)
    for call in (
        lambda: metric(hierarchy, hierarchy),
        lambda: metric(REFERENCE, hierarchy),
        lambda: metric.batch([hierarchy], [REFERENCE]),
    ):
        with pytest.raises(cs.SegmentationError, match=r"a Hierarchy: .*hierarchical_window_diff") as caught:
            call()
        assert all(word in str(caught.value) for word in ("up_to", "to_segmentation"))
        assert "masses" not in str(caught.value)
        assert "\n" not in str(caught.value)
    for taken in (hierarchy.up_to(2), hierarchy.to_segmentation()):
        metric(taken, taken)


@each("name", cs.METRICS)
def test_a_signature_names_every_parameter_and_the_version(name):
    cls = cs.METRICS[name]
    changed = {parameter: CHANGED[parameter] for parameter in parameters_of(cls)}
    score = cls(**changed)([2, 3, 6], [2, 2, 7])
    parts = score.signature.split("|")
    assert parts[0] == name
    assert parts[-1] == f"caesura {cs.__version__}"
    for parameter in changed:
        assert sum(part.startswith(f"{parameter}=") for part in parts) == 1
    assert "average" not in score.signature
    pooled = (score + score).signature
    assert "average=micro" in pooled
    assert "pairs=2" in pooled


def test_different_parameters_have_different_signatures():
    for name, parameter in EVERY_PARAMETER:
        changed = cs.METRICS[name](**{parameter: CHANGED[parameter]})
        assert changed(REFERENCE, REFERENCE).signature != cs.metric(name)(REFERENCE, REFERENCE).signature


def test_plus_pools_counts():
    one, other = cs.metric("B")(REFERENCE, HYPOTHESIS), cs.metric("B")([5, 6], [5, 6])
    pooled = one + other
    assert isinstance(pooled, cs.Score)
    assert (pooled.numerator, pooled.denominator, pooled.n_pairs) == (2.5, 3, 2)
    assert pooled == 2.5 / 3
    assert repr(pooled) == "<B 0.833333 = 2.5/3, 2 pairs>"
    assert (one.n_pairs, float(one)) == (1, 0.75)


def test_sum_pools_counts():
    scores = [cs.metric("WD(k=2)")(REFERENCE, HYPOTHESIS), cs.metric("WD(k=2)")([3, 3], [3, 3])]
    pooled = sum(scores)
    # 9 and 4 windows, 2 of them in error: those that hold 4 but not 5, or 5 but not 4.
    assert (pooled.numerator, pooled.denominator, pooled.n_pairs) == (2, 13, 2)


def test_weights_of_different_scale_pool_exactly():
    metric = cs.metric("B(n_t=3)")
    typed = cs.Segmentation.from_sets([{1}, {5}]), cs.Segmentation.from_sets([{2}, {5}])
    pooled = metric([2, 3], [3, 2]) + metric(*typed)
    # A near miss over 1 of n_t=3 is worth 2/3; type 2 for 1 of types 1..5 is worth 4/5; one match.
    assert pooled.scale % 15 == 0
    assert pooled.counts[0] * 15 == (10 + 12 + 15) * pooled.scale
    assert pooled.denominator == 3


def test_a_pooled_score_cannot_be_averaged_again():
    scores = [cs.metric("B")(REFERENCE, HYPOTHESIS), cs.metric("B")([5, 6], [5, 6])]
    with pytest.raises(TypeError, match="micro-average of 2 pairs"):
        sum(scores) / len(scores)
    assert statistics.fmean(scores) == 0.875
    assert float(sum(scores)) / 2 == 2.5 / 6


def three_scores():
    """Values 0.75, 1 and 0, of 2, 1 and 1 boundary pairs."""
    return [cs.metric("B")(*pair) for pair in ((REFERENCE, HYPOTHESIS), ([5, 6], [5, 6]), ([5], [2, 3]))]


@pytest.mark.parametrize(
    "function",
    [
        *[statistics.mean, statistics.fmean, statistics.harmonic_mean, statistics.median],
        *[statistics.pvariance, statistics.variance, statistics.stdev, statistics.quantiles],
        *[np.mean, np.std, np.median, math.fsum, max, sorted],
    ],
)
def test_statistics_of_scores_are_those_of_their_values(function):
    scores = three_scores()
    assert function(scores) == function([0.75, 1.0, 0.0])
    assert function([*scores, 0.5]) == function([0.75, 1.0, 0.0, 0.5])


def test_the_mean_of_scores_is_a_plain_number():
    assert type(statistics.mean(three_scores())) is float
    assert statistics.mean(three_scores()) == 1.75 / 3
    assert statistics.mean([sum(three_scores()), 1.0]) == (2.5 / 4 + 1) / 2


def test_the_median_of_two_scores_is_refused_rather_than_wrong():
    """It is made as (a + b) / 2, in which a + b would be a micro-average."""
    with pytest.raises(TypeError, match="micro-average of 2 pairs"):
        statistics.median(three_scores()[:2])


@pytest.mark.parametrize("zero", [0, 0.0, False])
def test_zero_adds_nothing_from_either_side(zero):
    for score in (three_scores()[0], sum(three_scores())):
        assert score + zero is score
        assert zero + score is score
    assert sum(three_scores(), zero).counts == sum(three_scores()).counts


def test_scores_and_arrays():
    score = three_scores()[0]
    assert (score + np.array([0.0, 1.0])).tolist() == [0.75, 1.75]
    assert (np.array([0.0, 1.0]) + score).tolist() == [0.75, 1.75]
    assert (score / np.array([1.0, 3.0])).tolist() == [0.75, 0.25]


def test_what_is_no_number_is_not_added():
    for wrong in ("a", None, [1]):
        with pytest.raises(TypeError):
            three_scores()[0] + wrong
        with pytest.raises(TypeError):
            wrong + three_scores()[0]


@pytest.mark.parametrize("name", ["metric", "counts", "scale", "n_pairs", "numerator", "signature", "note"])
def test_a_score_does_not_change(name):
    score = cs.metric("B")(REFERENCE, HYPOTHESIS)
    before = copy.copy(score)
    with pytest.raises(AttributeError):
        setattr(score, name, 3)
    with pytest.raises(AttributeError):
        delattr(score, name)
    assert (score.metric, score.counts, score.scale, score.n_pairs) == (
        before.metric,
        before.counts,
        before.scale,
        before.n_pairs,
    )


def test_arithmetic_with_numbers_gives_plain_floats():
    score = cs.metric("B")(REFERENCE, HYPOTHESIS)
    results = {
        1 - score: 0.25,
        score + 1: 1.75,
        1 + score: 1.75,
        score * 2: 1.5,
        score / 3: 0.25,
        -score: -0.75,
    }
    for found, expected in results.items():
        assert found == expected
        assert type(found) is float


def test_scores_of_different_signatures_do_not_pool():
    with pytest.raises(cs.ParameterError, match=r"B\(n_t=3\).*B"):
        cs.metric("B(n_t=3)")(REFERENCE, HYPOTHESIS) + cs.metric("B")(REFERENCE, HYPOTHESIS)
    with pytest.raises(cs.ParameterError):
        sum([cs.pk(REFERENCE, HYPOTHESIS), cs.window_diff(REFERENCE, HYPOTHESIS)])


@each("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@each("name", cs.METRICS)
def test_copies_of_a_score_keep_everything(name, duplicate):
    score = cs.metric(name)(REFERENCE, HYPOTHESIS)
    for original in (score, score + score):
        copied = duplicate(original)
        assert isinstance(copied, cs.Score)
        assert float(copied) == float(original)
        assert (copied.counts, copied.scale, copied.n_pairs) == (
            original.counts,
            original.scale,
            original.n_pairs,
        )
        assert copied.metric == original.metric
        assert copied.signature == original.signature


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_a_cost_table_needs_only_types_that_meet(method):
    """Type 1 at 1 and type 2 at 4 share no position, so nothing can be substituted: two additions."""
    reference = cs.Segmentation.from_sets([{1}, set(), set(), set()])
    hypothesis = cs.Segmentation.from_sets([set(), set(), set(), {2}])
    score = cs.boundary_similarity(reference, hypothesis, method=method, substitution={(1, 3): 0.5})
    assert (score, score.denominator) == (0, 2)


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_a_cost_table_lacks_types_that_meet(method):
    pair = cs.Segmentation.from_sets([{1}]), cs.Segmentation.from_sets([{2}])
    with pytest.raises(cs.ParameterError, match=r"1, 2"):
        cs.boundary_similarity(*pair, method=method, substitution={(1, 3): 0.5})
    assert cs.boundary_similarity(*pair, method=method, substitution={(2, 1): 0.25}) == 0.75


def test_an_alignment_asks_for_the_range_of_types_once(monkeypatch):
    """100 wrong types of the range 3; all weigh 1/4 (scaled: |x - y| / (range + 1))."""
    reference = cs.Segmentation.from_positions(range(1, 102), 200, [1] * 100 + [4])
    hypothesis = cs.Segmentation.from_positions(range(1, 102), 200, [2] * 100 + [4])
    alignment = cs.align(reference, hypothesis)
    assert len(alignment.substitutions) == 100
    asked = []
    find = Weights.type_range
    monkeypatch.setattr(Weights, "type_range", lambda *sides: asked.append(1) or find(*sides))
    assert alignment.penalty == 25
    assert alignment.correctness == (0.75,) * 100 + (1.0,)
    assert len(asked) == 1
    assert copy.deepcopy(alignment) == alignment


# -------------------------------------------------------------------- many pairs


def test_a_batch_has_values_and_averages():
    scores = cs.metric("B").batch([REFERENCE, [5, 6], [5]], [HYPOTHESIS, [5, 6], [2, 3]])
    assert isinstance(scores, cs.Scores)
    assert len(scores) == 3
    assert scores.values.tolist() == [0.75, 1.0, 0.0]
    assert scores.macro == pytest.approx(1.75 / 3)
    assert (scores.micro.numerator, scores.micro.denominator, scores.micro.n_pairs) == (2.5, 4, 3)
    assert scores[0] == 0.75
    assert (scores[0].numerator, scores[0].denominator, scores[0].n_pairs) == (1.5, 2, 1)
    assert [float(score) for score in scores] == [0.75, 1.0, 0.0]


def test_a_batch_needs_as_many_hypotheses_as_references():
    with pytest.raises(cs.ParameterError, match="2 references but 1 hypotheses"):
        cs.metric("B").batch([REFERENCE, [5]], [HYPOTHESIS])


def test_a_batch_names_the_pair_of_different_lengths():
    with pytest.raises(cs.ComparisonError, match=r"pair 1.* 5 .* 6"):
        cs.metric("B").batch([[3], [2, 3]], [[3], [2, 4]])


@pytest.mark.parametrize("name", ["B", "WD", "F", "GHD"])
def test_an_empty_batch_has_no_average(name):
    """As with an accumulator: nothing compared is no perfect score."""
    scores = cs.metric(name).batch([], [])
    with pytest.raises(cs.ParameterError):
        _ = scores.micro
    with pytest.raises(cs.ParameterError):
        _ = scores.macro


def test_scores_of_many_pairs_are_equal_by_metric_and_counts():
    pairs = [REFERENCE, [5, 6]], [HYPOTHESIS, [5, 6]]
    scores = cs.metric("B").batch(*pairs)
    assert scores == cs.metric("B").batch(*pairs)
    assert scores != cs.metric("Ba").batch(*pairs)
    assert scores != cs.metric("B(n_t=3)").batch(*pairs)
    assert scores != cs.metric("B").batch(*reversed([pairs[0][:1], pairs[1][:1]]))
    assert scores != cs.metric("B").batch(pairs[0], pairs[0])
    assert scores != "scores"
    assert cs.metric("B").batch([], []) == cs.metric("B").batch([], [])
    with pytest.raises(TypeError):
        hash(scores)


def test_scores_in_other_units_are_equal():
    """Thirds and sixths of the same counts; at any scale, where 64 bits would overflow."""
    metric = cs.metric("B(n_t=3)")
    thirds = cs.Scores(metric, np.array([[5, 6], [3, 3]]), 3)
    assert thirds == cs.Scores(metric, np.array([[10, 12], [6, 6]]), 6)
    assert thirds != cs.Scores(metric, np.array([[5, 6], [3, 3]]), 6)
    large = 2**62
    assert cs.Scores(metric, np.array([[4, 4]]), 4) != cs.Scores(
        metric, np.array([[4 + 2**60] * 2]), 4 * large
    )
    assert cs.Scores(metric, np.array([[large, large]]), 4) == cs.Scores(metric, np.array([[large // 4] * 2]))


@each("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@each("name", cs.METRICS)
def test_copies_of_metrics_and_of_many_scores_are_equal(name, duplicate):
    metric = cs.metric(name)
    metric(REFERENCE, HYPOTHESIS)  # so that it remembers what it makes of its parameters
    assert duplicate(metric) == metric
    assert duplicate(metric)(REFERENCE, HYPOTHESIS) == metric(REFERENCE, HYPOTHESIS)
    scores = metric.batch([REFERENCE, [5, 6]], [HYPOTHESIS, [6, 5]])
    copied = duplicate(scores)
    assert copied == scores
    assert copied.values.tolist() == scores.values.tolist()
    assert copied.micro.signature == scores.micro.signature


# -------------------------------------------------------------------- accumulators


def test_an_accumulator_adds_up():
    total = cs.Accumulator("B")
    total.update(REFERENCE, HYPOTHESIS)
    total.update_many([[5, 6]], [[5, 6]])
    assert total.metric == cs.metric("B")
    assert total.n_pairs == 2
    assert (total.value.numerator, total.value.denominator) == (2.5, 3)
    assert "0.833333" in repr(total)


def test_an_empty_accumulator_has_no_value():
    total = cs.Accumulator("B")
    total.update_many([], [])
    assert total.n_pairs == 0
    assert "no pairs" in repr(total)
    with pytest.raises(cs.ParameterError, match="no pair"):
        _ = total.value


def test_repr_of_an_accumulator_tells_zero_from_nothing():
    total = cs.Accumulator("WD")
    total.update(REFERENCE, REFERENCE)
    assert total.value == 0
    assert "no pairs" not in repr(total)


def test_accumulators_merge_and_stay_as_they_were():
    one, other, empty = cs.Accumulator("B"), cs.Accumulator(cs.metric("B")), cs.Accumulator("B")
    one.update(REFERENCE, HYPOTHESIS)
    other.update([5, 6], [5, 6])
    merged = one + other + empty
    assert (merged.value.numerator, merged.value.denominator, merged.n_pairs) == (2.5, 3, 2)
    assert (one.n_pairs, other.n_pairs, empty.n_pairs) == (1, 1, 0)
    assert (empty + empty).n_pairs == 0
    merged.update([5], [5])
    assert (one.n_pairs, other.n_pairs) == (1, 1)


def test_accumulators_travel_between_processes():
    total = cs.Accumulator("B(n_t=3)")
    total.update(REFERENCE, HYPOTHESIS)
    copied = pickle.loads(pickle.dumps(total))
    assert copied.value == total.value
    assert (copied + total).n_pairs == 2


def test_accumulators_of_different_signatures_do_not_merge():
    with pytest.raises(cs.ParameterError, match=r"B\(n_t=3\)"):
        cs.Accumulator("B") + cs.Accumulator("B(n_t=3)")
    with pytest.raises(TypeError):
        cs.Accumulator("B") + 1


def test_a_refused_pair_leaves_an_accumulator_as_it_was():
    total = cs.Accumulator("WD")
    total.update(REFERENCE, HYPOTHESIS)
    before = total.value.counts
    with pytest.raises(cs.ComparisonError):
        total.update([2, 3], [2, 4])
    with pytest.raises(cs.ComparisonError):
        total.update_many([[5], [2, 3]], [[5], [2, 4]])
    with pytest.raises(cs.ParameterError):
        total.update_many([[5], [2, 3]], [[5]])
    assert (total.value.counts, total.n_pairs) == (before, 1)


def test_an_accumulator_needs_a_metric_that_exists():
    with pytest.raises(cs.UnknownNameError, match="did you mean 'WD'"):
        cs.Accumulator("wd")


# -------------------------------------------------------------------- degenerate inputs

NOTHING_TO_FIND = {
    **dict.fromkeys(["B", "Ba", "Bc", "S", "BP", "BR", "BF", "P", "R", "F", "WinP", "WinR", "WinF"], 1.0),
    **dict.fromkeys(["Coverage", "Purity", "Pmu", "Density"], 1.0),
    **dict.fromkeys(["Pk", "PkPrime", "WD", "GHD", "BD"], 0.0),
    **dict.fromkeys(["Fallout", "ErrorRate", "Cseg", "PrError"], 0.0),
}


@each("document", [[1], [2], [5], [10**15]])
@each("name, value", NOTHING_TO_FIND.items())
def test_no_boundary_on_either_side_is_perfect(name, value, document):
    assert cs.metric(name)(document, document) == value
    assert cs.metric(name).batch([document], [document]).values.tolist() == [value]
    assert cs.metric(name).best == value


RATES = [
    "BP",
    "BR",
    "BF",
    "P",
    "R",
    "F",
    "WinP",
    "WinR",
    "WinF",
    "P(tolerance=9)",
    "F(beta=0.5)",
    "F(beta=2.0)",
]


@each("name", [*RATES, "B", "Ba", "Bc", "B(n_t=9)"])
@each(
    "reference, hypothesis",
    [([2, 3], [5]), ([5], [2, 3]), ([1, 1], [2]), ([2], [1, 1]), ([1] * 9, [9]), ([9], [1] * 9)],
)
def test_boundaries_on_one_side_only_are_never_credited(name, reference, hypothesis):
    assert cs.metric(name)(reference, hypothesis) == 0
    assert cs.metric(name).batch([reference], [hypothesis]).values.tolist() == [0]


@pytest.mark.parametrize("name", ["F", "BF", "WinF"])
def test_beta_zero_does_not_make_an_empty_hypothesis_perfect(name):
    """F with beta = 0 is precision; where it is allowed, nothing predicted of something is 0."""
    try:
        metric = cs.metric(f"{name}(beta=0)")
    except cs.ParameterError:
        return
    assert metric([2, 3], [5]) == 0
    assert metric([5], [5]) == 1


def test_other_metrics_on_an_empty_hypothesis():
    reference, hypothesis = [2, 3], [5]
    assert cs.segmentation_similarity(reference, hypothesis) == 1 - 1 / 4
    assert density_ratio(reference, hypothesis) == 0
    assert coverage(reference, hypothesis) == 1
    assert purity(reference, hypothesis) == 3 / 5
    assert cs.break_distance(reference, hypothesis) == 1
    assert cs.ghd(reference, hypothesis) == 2
    # k = 2: windows hold positions 1-2, 2-3, 3-4; the boundary at 2 is in two of them.
    assert cs.pk(reference, hypothesis) == cs.window_diff(reference, hypothesis) == 2 / 3
    assert density_ratio(hypothesis, reference) == math.inf


def test_a_missed_document_counts_in_a_micro_average():
    scores = [cs.boundary_f([2, 3], [5]), cs.boundary_f([2, 3], [2, 3])]
    assert sum(scores) == 2 / 3  # 2 TP / (2 TP + FN)
    assert sum([cs.boundary_precision([2, 3], [5]), cs.boundary_precision([2, 3], [2, 3])]) == 1


def test_two_units_with_a_boundary_between_them():
    assert cs.boundary_similarity([1, 1], [1, 1]) == 1
    assert cs.window_diff([1, 1], [1, 1]) == 0
    assert cs.window_diff([1, 1], [2]) == 1
    assert cs.segmentation_similarity([1, 1], [2]) == 0


def test_a_beta_whose_square_is_beyond_numbers_is_refused() -> None:
    for name in ("F", "BF", "WinF"):
        with pytest.raises(ParameterError, match=rf"{name}: beta is 1e\+308: expected .* to 1000"):
            cs.metric(f"{name}(beta=1e308)")
    with pytest.raises(ParameterError, match="beta is"):
        cs.confusion_matrix([2, 3], [3, 2]).f(1e308)


@pytest.mark.parametrize("name", ["WD", "MultWD", "EPk"])
def test_a_window_in_seconds_needs_a_grid(name: str) -> None:
    metric = cs.metric(f"{name}(k='0.5 s')")
    for call in (lambda: metric([2, 3], [3, 2]), lambda: metric.batch([[2, 3]], [[3, 2]])):
        with pytest.raises(ParameterError, match=rf"{name}: k is '0.5 s': a duration needs a uniform grid"):
            call()
