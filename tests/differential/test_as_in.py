"""Metrics as others calculate them. Source of truth: the tools themselves, with their faults."""

import pickle
import re
import warnings
from decimal import InvalidOperation
from pathlib import Path

import nltk
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk_segmentation
from tests.loops import each

import caesura as cs
from caesura.metrics.as_in import SETTINGS
from caesura.metrics.registry import METRICS

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval
    import segeval.data  # its metrics import this when first called

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
    with pytest.raises(cs.CaesuraError, match="unknown as_in 'nlkt'; did you mean 'nltk'"):
        cs.metric("Pk(as_in='nlkt')")
    with pytest.raises(cs.CaesuraError, match="unknown metric 'Pkk'"):
        cs.metric("Pkk(as_in='nltk')")
    with pytest.raises(cs.CaesuraError, match=r"^F: unknown as_in 'xyz'; known: nltk, .* and rt-seg$"):
        cs.metric("F(as_in='xyz')")


@each("tool", SETTINGS)
@each("name", METRICS)
def test_a_metric_is_there_or_the_message_lists_those_that_are(tool, name):
    if name in SETTINGS[tool]:
        assert cs.metric(f"{name}(as_in={tool!r})").name == name
    else:
        with pytest.raises(cs.ParameterError) as raised:
            cs.metric(f"{name}(as_in={tool!r})")
        message = str(raised.value)
        assert message.startswith(f"{name} has no as_in={tool!r}: it is for ")
        assert set(message.partition(": it is for ")[2].replace(" and ", ", ").split(", ")) == {
            *SETTINGS[tool]
        }


def test_what_is_ours_is_as_it_was():
    assert cs.metric("Pk").settings == "Pk|k=auto|rounding=half-even|k_min=2|edges=plain|unit_sizes=auto"
    score = cs.metric("Pk(as_in='nltk')")("0100", "0010")
    assert "as_in=nltk 3.10" in score._repr_html_()
    assert "k=auto" not in cs.pk("0100", "0010")._repr_html_()


def test_the_page_lists_all_of_them():
    page = Path(__file__).resolve().parents[2] / "docs/reference/as-in.md"
    table = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    listed = re.findall(r"(\w+)\(as_in='([\w-]+)'\)`", "\n".join(table))
    assert sorted(listed) == sorted((name, tool) for tool, name in ALL)


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


# -------------------------------------------------------------------- segeval

SETS = segeval.BoundaryFormat.sets

MASSES = {
    "B": segeval.boundary_similarity,
    "S": segeval.segmentation_similarity,
    "Pk": lambda ref, hyp: segeval.pk(hyp, ref),
    "WD": lambda ref, hyp: segeval.window_diff(hyp, ref),
}
RATES = {"BP": segeval.precision, "BR": segeval.recall, "BF": segeval.fmeasure}


def same(metric, ref, hyp, call, *errors):
    """Hold a metric to what segeval's call returns; where that raises, to an error with our value."""
    try:
        expected = float(call())
    except errors as error:
        with pytest.raises(cs.ParameterError, match=f"raises {type(error).__name__} .* of caesura is "):
            metric(ref, hyp)
    else:
        assert float(metric(ref, hyp)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("name", MASSES)
@given(pair=gaps())
@example(pair=("1", "0"))
@example(pair=("0", "0"))
@example(pair=("00", "00"))
@example(pair=("00", "10"))
def test_segeval_of_one_type(name, pair):
    ref, hyp = (cs.Segmentation.from_gaps(side) for side in pair)
    metric = cs.metric(f"{name}(as_in='segeval')")
    same(metric, ref, hyp, lambda: MASSES[name](ref.masses, hyp.masses), ValueError, InvalidOperation)


@st.composite
def typed(draw):
    """Two boundary strings of up to three types."""
    kinds = st.frozensets(st.integers(1, draw(st.integers(1, 3))), max_size=3)
    n = draw(st.integers(1, 12))
    return [tuple(draw(st.lists(kinds, min_size=n, max_size=n))) for _ in "ab"]


@given(typed())
@example([({1}, {2}, set()), ({1}, set(), set())])
@example([(set(), {3}), ({3}, {1})])
def test_segeval_of_several_types(pair):
    a, b = [tuple(map(frozenset, side)) for side in pair]
    ref, hyp = cs.Segmentation.from_sets(a), cs.Segmentation.from_sets(b)
    for name in ("B", "S"):
        metric = cs.metric(f"{name}(as_in='segeval')")
        same(metric, ref, hyp, lambda call=MASSES[name]: call(a, b, boundary_format=SETS), ValueError)
    for name, rate in RATES.items():
        metric = cs.metric(f"{name}(as_in='segeval')")

        def call(rate=rate):
            return rate(segeval.boundary_confusion_matrix(b, a, boundary_format=SETS))

        same(metric, ref, hyp, call, ValueError)


def test_segeval_differs_from_ours():
    """Each fault by its own case: types squared, "none" as a class, windows without room or too long."""
    ref = cs.Segmentation.from_sets([{1}, {2}, set()])
    hyp = cs.Segmentation.from_sets([{1}, set(), set()])
    assert (
        float(cs.metric("S(as_in='segeval')")(ref, hyp)) == 1 - 1 / 12 != cs.segmentation_similarity(ref, hyp)
    )
    assert (
        float(cs.metric("BP(as_in='segeval')")([2, 3, 6], [2, 9]))
        == 0.5
        != cs.metric("BP")([2, 3, 6], [2, 9])
    )
    assert float(cs.metric("Pk(as_in='segeval')")([2], [1, 1])) == 0 != cs.pk([2], [1, 1])
    for n_units, fails in ((1022, False), (1026, True)):
        ref, hyp = [n_units // 2] * 2, [n_units // 2 - 9, n_units // 2 + 9]
        same(
            cs.metric("WD(as_in='segeval')"),
            ref,
            hyp,
            lambda a=ref, b=hyp: segeval.window_diff(b, a),
            AssertionError,
        )
        if fails:
            with pytest.raises(
                cs.ParameterError, match=r"AssertionError for windows of more than 255 units; WD"
            ):
                cs.metric("WD(as_in='segeval')")(ref, hyp)


# -------------------------------------------------------------------- shared tasks


def tok(masses_of_documents):
    """Return documents as a file .tok of 2025."""
    lines = []
    for number, masses in enumerate(masses_of_documents):
        marks = [mark for n in masses for mark in ("Seg=B-seg", *["Seg=O"] * (n - 1))]
        lines += [f"# newdoc id = d{number}"]
        lines += [f"{i}\tw{i}" + "\t_" * 7 + f"\t{mark}" for i, mark in enumerate(marks, start=1)]
    return "\n".join(lines) + "\n"


def marked(path):
    return [i for i, line in enumerate(path.read_text().splitlines()) if line.endswith("Seg=B-seg")]


@pytest.mark.parametrize("year", [2023, 2025])
def test_disrpt_counts_the_marks_in_both_files(year, tmp_path):
    """The scripts compare the marks token by token: here 7 in gold, 6 in the answer, 5 in both."""
    gold, answer = tmp_path / "gold.tok", tmp_path / "answer.tok"
    gold.write_text(tok([[2, 3, 6], [4, 4, 1, 1]]))
    answer.write_text(tok([[2, 2, 7], [4, 5, 1]]))
    a, b = marked(gold), marked(answer)
    both = len({*a} & {*b})
    assert (len(a), len(b), both) == (7, 6, 5)
    corpora = [cs.read(path).rename({"reference": name}) for path, name in ((gold, "gold"), (answer, "us"))]
    names = [f"{name}(as_in='disrpt{year}')" for name in "PRF"]
    totals = cs.evaluate(*corpora, metrics=[*names, "F"], n_resamples=0)
    assert [totals[name].micro for name in (*names, "F")] == pytest.approx([5 / 6, 5 / 7, 10 / 13, 6 / 9])


def test_disrpt_as_it_was_printed():
    """English RST-DT, test part, 38 documents: one system's answer, and what disrpt_eval printed of it."""
    n_documents, gold, predicted, precision, f_score = 38, 2346, 2310, 0.9584415584415584, 0.9510309278350515
    hits = round(precision * predicted)
    # One document with all that is not the first token of the others, which have a single segment.
    n = gold + predicted - hits - n_documents
    positions = range(1, n + 1)
    ref = cs.Segmentation.from_positions(positions[: gold - n_documents], n_units=n + 1)
    hyp = cs.Segmentation.from_positions(positions[gold - hits :], n_units=n + 1)
    references, hypotheses = ([side] + [[5]] * (n_documents - 1) for side in (ref, hyp))
    for year in (2023, 2025):
        scores = cs.metric(f"F(as_in='disrpt{year}')").batch(references, hypotheses)
        assert float(scores.micro) == pytest.approx(f_score, rel=1e-15)
        assert f"disrpt{year}" in scores.micro.signature
    ours = cs.metric("F").batch(references, hypotheses).micro
    assert float(ours) == pytest.approx(0.95022, abs=5e-6)


CHUNKED = [
    ([2, 3, 6], [2, 2, 7], 1 / 3),
    ([2, 3, 6], [2, 9], 0.4),
    ([2, 3, 6], [3, 2, 6], 1 / 3),
    ([5, 6], [5, 6], 1.0),
    ([3, 4, 4], [11], 0.0),
    ([1] * 6, [1, 2, 1, 2], 0.4),
]
"""Segments, tagged B-seg and I-seg, and the F of conlleval 0.2, the script in Python, and seqeval 1.2.2."""


@pytest.mark.parametrize(("ref", "hyp", "printed"), CHUNKED)
@pytest.mark.parametrize("tool", ["conll-chunking", "sighan"])
def test_chunks_and_words(tool, ref, hyp, printed):
    """Both take whole segments; ours takes boundaries."""
    metric = cs.metric(f"F(as_in={tool!r})")
    assert float(metric(ref, hyp)) == pytest.approx(printed)
    if ref != hyp:
        assert float(metric(ref, hyp)) != cs.boundary_f(ref, hyp) or hyp == [11]


def test_conlleval_as_it_was_printed():
    """What conlleval.pl of 2004-01-26 printed of two sentences, and of three."""
    printed = {
        "precision:  50.00%; recall:  42.86%; FB1:  46.15": [
            ([2, 3, 6], [2, 2, 7]),
            ([4, 4, 1, 1], [4, 5, 1]),
        ],
        "precision:  57.14%; recall:  36.36%; FB1:  44.44": [
            ([1] * 6, [1, 2, 1, 2]),
            ([5, 6], [5, 6]),
            ([3, 4, 4], [11]),
        ],
    }
    for line, pairs in printed.items():
        p, r, f = (
            100 * float(cs.metric(f"{rate}(as_in='conll-chunking')").batch(*zip(*pairs, strict=True)).micro)
            for rate in "PRF"
        )
        assert f"precision: {p:6.2f}%; recall: {r:6.2f}%; FB1: {f:6.2f}" == line


WORDS = "我 来到 北京", "我来 到 北京", "谢谢 谢谢 你", "谢谢谢 谢 你"
"""Two sentences, each with an answer; the bakeoffs' script printed .333 for all three rates."""


def test_sighan_as_it_was_printed():
    cut = [[len(word) for word in sentence.split()] for sentence in WORDS]
    metric = cs.metric("F(as_in='sighan')")
    both = metric.batch(cut[::2], cut[1::2]).micro
    assert (float(both), both.counts) == (pytest.approx(2 / 6), (2, 4, 4))


# -------------------------------------------------------------------- RT-SEG


def rt_seg(ref, hyp):
    """Boundary similarity as RT-SEG's documentation defines it, with its window of 3."""
    sides = [{i for i, mark in enumerate(side, start=1) if mark == "1"} for side in (ref, hyp)]
    if not all(sides):
        return float(not any(sides))
    shares = [
        len([x for x in one if any(abs(x - y) <= 3 for y in other)]) / len(one)
        for one, other in (sides, sides[::-1])
    ]
    return 2 * shares[0] * shares[1] / sum(shares) if sum(shares) else 0.0


@given(gaps())
@example(("0001000", "1111111"))
def test_rt_seg(pair):
    assert float(cs.metric("B(as_in='rt-seg')")(*pair)) == rt_seg(*pair)


@pytest.mark.parametrize(
    ("ref", "hyp", "returned"),
    [
        ([31, 28, 25], [29, 4, 51], 2 / 3),
        ([10, 2, 20], [11, 21], 1.0),
        ([6, 2, 2, 10], [8, 12], 1.0),
        ([12, 12, 12, 12], [9, 15, 9, 15], 1.0),
        ([4, 9, 7], [8, 9, 3], 0.0),
        ([5, 5, 5, 5], [20], 0.0),
        ([20], [20], 1.0),
    ],
)
def test_rt_seg_as_its_code_returned_it(ref, hyp, returned):
    """What ReasoningAgreementSuite().boundary_similarity of RT-SEG returned for spans of these lengths."""
    assert float(cs.metric("B(as_in='rt-seg')")(ref, hyp)) == pytest.approx(returned)


def test_rt_seg_takes_one_boundary_for_many_and_averages_documents():
    metric = cs.metric("B(as_in='rt-seg')")
    assert float(metric("0001000", "1111111")) == 1 != cs.boundary_similarity("0001000", "1111111")
    # Its own example: gold 31 and 59, regex 31 of 84 characters.
    gold, regex = [31, 28, 25], [31, 53]
    assert float(metric(gold, regex)) == pytest.approx(2 / 3)
    assert float(metric.batch([gold, [9]], [regex, [9]]).micro) == pytest.approx((2 / 3 + 1) / 2)
