"""Metrics as others calculate them. Source of truth: the tools themselves, with their faults."""

import pickle

import nltk
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk_segmentation

import caesura as cs
from caesura.metrics.as_in import SETTINGS

LENIENT = tuple(map(int, nltk.__version__.split(".")[:2])) >= (3, 10)
"""Older releases of NLTK divide by no boundaries where the reference has none."""

ALL = [(tool, name) for tool, metrics in SETTINGS.items() for name in metrics]


@st.composite
def gaps(draw, most=40):
    n_gaps = draw(st.integers(1, most))
    side = st.text("01", min_size=n_gaps, max_size=n_gaps) | st.just("0" * n_gaps)
    return draw(side), draw(side)


def theirs_or_ours(metric, ref, hyp, call, *errors):
    """Hold a metric to what the tool's call returns; where that raises, to an error with our value."""
    try:
        expected = float(call())
    except errors as error:
        with pytest.raises(cs.ParameterError, match=f"raises {type(error).__name__}.* of caesura is "):
            metric(ref, hyp)
    else:
        assert float(metric(ref, hyp)) == expected


# -------------------------------------------------------------------- what all have in common


@pytest.mark.parametrize(("tool", "name"), ALL)
def test_the_repr_parses_back_and_the_signature_says_whose_it_is(tool, name):
    metric = cs.metric(f"{name}(as_in={tool!r})")
    assert cs.metric(repr(metric)) == metric == pickle.loads(pickle.dumps(metric))
    assert metric != cs.metric(name)
    assert metric.settings.startswith(f"{name}|as_in={tool}")
    assert metric.parameters == {"as_in": tool}
    score = metric("0100100", "0010100")
    assert score.signature.startswith(f"{name}|as_in={tool}")
    assert metric.batch(["0100100"] * 2, ["0010100"] * 2).micro == score + score


@pytest.mark.parametrize(("tool", "name"), ALL)
def test_a_tool_fixes_every_other_parameter(tool, name):
    with pytest.raises(cs.ParameterError, match=r"fixes every other parameter: leave out n_t"):
        cs.metric(f"{name}(as_in={tool!r}, n_t=3)")


def test_what_a_tool_lacks_is_refused():
    with pytest.raises(cs.ParameterError, match=r"^Bw has no as_in='nltk': it is for Pk, WD and GHD$"):
        cs.metric("Bw(as_in='nltk')")
    with pytest.raises(cs.CaesuraError, match="there is no as_in 'nlkt'; did you mean 'nltk'"):
        cs.metric("Pk(as_in='nlkt')")
    with pytest.raises(cs.CaesuraError, match="there is no metric 'Pkk'"):
        cs.metric("Pkk(as_in='nltk')")


def test_what_is_ours_is_as_it_was():
    assert cs.metric("Pk").settings == "Pk|k=auto|rounding=half-even|k_min=2|edges=plain|unit_sizes=auto"
    score = cs.metric("Pk(as_in='nltk')")("0100", "0010")
    assert "as_in=nltk 3.10" in score._repr_html_()
    assert "k=auto" not in cs.pk("0100", "0010")._repr_html_()


# -------------------------------------------------------------------- NLTK


@pytest.mark.usefixtures("kernel_module")
@given(gaps())
@example(("1", "0"))
@example(("0000", "0100"))
def test_nltk(pair):
    ref, hyp = pair
    if "1" not in ref and not LENIENT:
        return
    k = round(len(ref) / (2 * max(1, ref.count("1"))))
    assert float(cs.metric("Pk(as_in='nltk')")(ref, hyp)) == nltk_segmentation.pk(ref, hyp)
    assert float(cs.metric("WD(as_in='nltk')")(ref, hyp)) == nltk_segmentation.windowdiff(ref, hyp, k)
    assert float(cs.metric("GHD(as_in='nltk')")(ref, hyp)) == nltk_segmentation.ghd(ref, hyp)


def test_nltk_differs_from_ours():
    """The default k of NLTK issue 3102."""
    ref, hyp = "000001001000", "000100010000"
    assert (
        float(cs.metric("Pk(as_in='nltk')")(ref, hyp))
        == nltk_segmentation.pk(ref, hyp)
        == 0.4
        != cs.pk(ref, hyp)
    )


@pytest.mark.skipif(not LENIENT, reason="older releases have no bound")
def test_nltk_refuses_long_documents():
    ref = "1" + "0" * 10_000
    metric = cs.metric("GHD(as_in='nltk')")
    theirs_or_ours(metric, ref, ref, lambda: nltk_segmentation.ghd(ref, ref), ValueError)
