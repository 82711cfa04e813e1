"""The papers' figures as data.

Source of truth: formulas derived by hand from the definitions, naive counting, and what the papers say about
their figures in words and numbers. F13t is Fournier (2013), the thesis; KS12 Kazantseva & Szpakowicz (2012);
C10 Carroll (2010).
"""

from __future__ import annotations

import json
import math
from itertools import accumulate, pairwise

import numpy as np
import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.errors import ParameterError, UnknownNameError
from caesura.papers.recompute import MissingDataError, NotRecomputedError
from caesura.papers.reproduction import SERIES, series
from caesura.papers.results import Curve, Series
from caesura.papers.words import comparison
from caesura.results.notes import signature


def curves(id, **options):
    return {curve.label: curve for curve in series(id, **options).curves}


def windows_that_differ(reference, hypothesis, n_units, k):
    """WindowDiff by its definition: window i holds the positions i + 1 to i + k."""
    counts = [
        [sum(i < position <= i + k for position in positions) for i in range(n_units - k)]
        for positions in (reference, hypothesis)
    ]
    return sum(r != h for r, h in zip(*counts, strict=True)) / (n_units - k)


# -------------------------------------------------------------------- the registry


def test_every_figure_is_listed_under_its_paper():
    assert all(
        id == figure.id and figure.paper in ("F13", "F13t", "KS12", "C10") for id, figure in SERIES.items()
    )
    numbers = [*(f"5.{i}" for i in (*range(8, 16), 17, 18, 19, 21, 22, 23, *range(25, 29)))]
    numbers += [*(f"5.{i}{panel}" for i in (16, 20, 24) for panel in "ab"), *(f"A.{i}" for i in range(1, 6))]
    for number in numbers:
        found = [figure for id, figure in SERIES.items() if id.split(",")[0] == f"F13t figure {number}"]
        assert found
        assert all(figure.compute for figure in found)
    assert {f"KS12 figure {i}" for i in (1, 2, 3)} <= set(SERIES)
    assert {f"C10 figure {i}" for i in ("1", "2a", "2b", "2c", "2d", "3", "4a", "4b")} <= set(SERIES)


@pytest.mark.parametrize("id", [id for id, figure in SERIES.items() if figure.compute is None])
def test_what_is_not_recomputed_says_what_it_needs(id):
    with pytest.raises(NotRecomputedError, match="needs the"):
        series(id)


@pytest.mark.parametrize("id", ["KS12 figure 1", "C10 figure 2a", "F13t figure 5.14, Moonstone"])
def test_without_data_the_missing_file_is_named(id, monkeypatch, tmp_path):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    for folder in (None, tmp_path):
        with pytest.raises(MissingDataError, match=r"\.json is missing: add it to the folder of data="):
            series(id, data=folder)


def test_an_unknown_figure_and_a_bad_seed_are_named():
    with pytest.raises(UnknownNameError, match=r"did you mean 'F13t figure 5\.28'"):
        series("F13t figure 5.281")
    with pytest.raises(ParameterError, match="rng is 'x'"):
        series("F13t figure 5.28", rng="x")


# -------------------------------------------------------------------- F13t §5.1


@pytest.mark.parametrize("pattern", ["A", "B"])
def test_f13t_figure_5_8_draws_one_boundary_more_in_each_row(pattern):
    found = curves(f"F13t figure 5.8, pattern {pattern}")
    rows = {
        i: [x for x, y in zip(found["s_i"].x, found["s_i"].y, strict=True) if y == i] for i in range(1, 11)
    }
    assert [len(row) for row in rows.values()] == list(range(1, 11))
    assert rows[10] == list(range(1, 11))
    matched = dict(zip(found["R"].y, found["R"].x, strict=True))
    assert all(matched[i] in row for i, row in rows.items())
    if pattern == "A":
        assert rows[3] == [1, 2, 3]
        assert set(matched.values()) == {1}
    else:
        assert all(abs(2 * matched[i] - 11) == min(abs(2 * p - 11) for p in row) for i, row in rows.items())
        for row in rows.values():  # internal segments of equal size, or off by one
            sizes = [b - a for a, b in pairwise([0, *row, 11])]
            assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("pattern", ["A", "B"])
def test_f13t_figure_5_9_follows_the_formulas(pattern):
    found = curves(f"F13t figure 5.9, pattern {pattern}")
    for i in range(1, 100):  # one match, i - 1 additions, 99 potential boundaries
        assert found["S"].y[i - 1] == pytest.approx(1 - (i - 1) / 99)
        assert found["Ba"].y[i - 1] == pytest.approx(2 / (i + 1))
        assert found["B"].y[i - 1] == pytest.approx(1 / i)
        assert found["Bc"].y[i - 1] == pytest.approx(1 / i)  # "performed identically to B_b"
    assert all(curve.x == tuple(range(1, 100)) for curve in found.values())


def test_f13t_figure_5_9_window_diff_reports_0_too_early():
    sequential = curves("F13t figure 5.9, pattern A")["1-WD"].y
    # k = 25 from R; window 0 and those that begin before position i are wrong: i of 75.
    expected = [1.0] + [max(0.0, 1 - i / 75) for i in range(2, 100)]
    assert sequential == pytest.approx(expected)
    uniform = curves("F13t figure 5.9, pattern B")["1-WD"].y
    for i in range(1, 100):
        positions = [j * 100 // (i + 1) for j in range(1, i + 1)]
        middle = min(positions, key=lambda position: abs(position - 50))
        assert uniform[i - 1] == pytest.approx(1 - windows_that_differ([middle], positions, 100, 25))
    assert next(i for i, value in enumerate(uniform, start=1) if value == 0) == 7  # "~5 %" of the decay


@pytest.mark.parametrize(("id", "n_t_of_s", "n_t"), [("n_t 2 or 5", 2, 5), ("n_t 7", 7, 7)])
def test_f13t_figure_5_10_follows_the_formulas(id, n_t_of_s, n_t):
    found = curves(f"F13t figure 5.10, {id}")
    for distance in range(11):
        near, near_for_s = 0 < distance < n_t, 0 < distance < n_t_of_s
        values = {label: curve.y[distance] for label, curve in found.items()}
        if distance == 0:
            assert set(values.values()) == {1.0}
            continue
        assert values["S"] == pytest.approx(1 - (1 if near_for_s else 2) / 24)
        assert values["Ba"] == pytest.approx(1 / 2 if near else 0)
        assert values["B"] == pytest.approx(1 - distance / n_t if near else 0)
        assert values["Bc"] == pytest.approx(3 / 4 if near else 0)
        assert values["1-WD"] == pytest.approx(1 - windows_that_differ([2], [2 + distance], 25, 6))


def test_f13t_figures_5_11_and_5_12_depend_on_size_only_in_s_and_window_diff():
    drawn, found = curves("F13t figure 5.11"), curves("F13t figure 5.12")
    for i, m in enumerate(range(4, 101)):
        match, miss = m // 4, m // 2
        assert (drawn["match"].x[i], drawn["full miss"].x[i]) == (match, miss)
        assert found["S"].y[i] == pytest.approx(1 - 1 / (m - 1))
        assert found["Ba"].y[i] == pytest.approx(2 / 3)
        assert found["B"].y[i] == found["Bc"].y[i] == 0.5
        for label, reference, hypothesis in (
            ("R has both", [match, miss], [match]),
            ("R has one", [match], [match, miss]),
        ):
            k = max(2, m // (2 * (len(reference) + 1)))
            assert found[f"k/m, {label}"].y[i] == pytest.approx(k / m)
            wrong = windows_that_differ(reference, hypothesis, m, k)
            assert found[f"1-WD, {label}"].y[i] == pytest.approx(1 - wrong)


# -------------------------------------------------------------------- F13t §5.2.1

# Boundaries of all pairs and matches: the tables, with two matches less for each of the 21 and 244 pairs.
TABLES = {"Stargazers": (294, 125 - 2 * 21, 72, 28), "Moonstone": (2301, 907 - 2 * 244, 1039, 212)}


@pytest.mark.parametrize("corpus", TABLES)
def test_f13t_figure_5_14_and_5_15_fit_tables_5_3_and_5_4(corpus):
    data = data_path() if corpus == "Moonstone" else None
    boundaries, matches, additions, transpositions = TABLES[corpus]
    found = series(f"F13t figure 5.14, {corpus}", data=data)
    assert found.largest_difference == 0
    by_label = {curve.label: curve for curve in found.curves}
    ad, t, edits = (by_label[label].y for label in ("AD", "T", "edits"))
    assert (ad[0], t[0]) == (additions, transpositions)
    assert by_label["T"].x == tuple(range(2, 16))
    # Every boundary is matched, missed, or one end of a near miss.
    assert all(2 * matches + missed + 2 * near == boundaries for missed, near in zip(ad, t, strict=True))
    assert edits == tuple(missed + near for missed, near in zip(ad, t, strict=True))
    drops = [a - b for a, b in pairwise(edits)]
    assert min(drops) >= 0  # "gradual decline in the total number of edits"
    assert drops[0] == max(drops)  # "a noticeable drop ... at n_t = 3"

    (spans,) = series(f"F13t figure 5.15, {corpus}", data=data).curves
    assert spans.x == tuple(range(2, 16))
    assert tuple(accumulate(spans.y)) == t  # short transpositions come first, whatever n_t is
    assert max(spans.y) == spans.y[0]  # "the bulk of transpositions being at n_t = 2"


def test_f13_figure_11_has_the_mean_of_f13t_table_5_4():
    found = series("F13 figure 11", data=data_path())
    assert len(found.curves[0].x) == 27
    mean, printed = found.curves[1], found.published[0]
    # One paragraph is lost in the files: 1056 positions where the thesis has 1057.
    assert (mean.y + mean.low + mean.high) == pytest.approx(printed.y + printed.low + printed.high, abs=2e-4)


# -------------------------------------------------------------------- F13t §5.2.2

GROWING = ["5.25, S", "5.25, B", "5.26, S", "5.26, B", "5.27, S", "5.27, B"]


def test_f13t_figure_5_13_ranks_the_methods_as_the_text_does():
    """§5.1.2: "The ranking ... is then B_b, followed by B_a and B_c, and then 1-WD and S"."""
    (points,) = series("F13t figure 5.13").curves
    by_points = sorted(zip(points.y, points.x, strict=True), reverse=True)
    assert [name for _, name in by_points] == ["B", "Ba", "Bc", "1-WD", "S"]
    assert max(points.y) < 3 * 11  # "no comparison method satisfied the hypotheses perfectly"


@pytest.mark.parametrize(
    ("id", "n", "mean"),
    [("5.16a", 56, 2.6250), ("5.20a", 628, 9.2691), ("5.24b", 628, 9.2691)],
)
def test_f13t_figures_5_16_and_5_20_have_the_sizes_of_tables_5_3_and_5_4(id, n, mean):
    (curve,) = series(f"F13t figure {id}", data=data_path()).curves
    assert sum(curve.y) == n
    total = sum(size * count for size, count in zip(curve.x, curve.y, strict=True))
    assert total / n == pytest.approx(mean, abs=0.01)  # the files of the Moonstone lack a paragraph


def test_f13t_figure_5_16_only_one_coder_is_clearly_outside_one_deviation():
    """§5.2.1.2, with table 5.3d: 7.0 ± 1.8516."""
    found = curves("F13t figure 5.16b")
    mean, low, high = (found["mean and SD"].y, found["mean and SD"].low, found["mean and SD"].high)
    assert (mean[0], low[0], high[0]) == pytest.approx((7, 7 - 1.8516, 7 + 1.8516), abs=5e-5)
    assert sorted(found["coders"].y) == [5, 5, 6, 6, 8, 9, 10]


def test_f13t_figure_5_17_has_the_quartiles_of_all_pairs():
    coded = [*cs.load_stargazers()["stargazers"].values()]
    pairs = [(a, b) for a in coded for b in coded if a is not b]
    assert len(pairs) == 42
    values = {
        "S": [cs.segmentation_similarity(*pair) for pair in pairs],
        "B": [cs.boundary_similarity(*pair) for pair in pairs],
        "1-WD": [1 - float(cs.window_diff(*pair)) for pair in pairs],
    }
    found = curves("F13t figure 5.17")
    medians = dict(zip(found["median"].x, found["median"].y, strict=True))
    assert medians == pytest.approx({name: np.median([*map(float, own)]) for name, own in values.items()})


@pytest.mark.parametrize(("id", "tolerance"), [("5.18", 5e-5), ("5.22", 5e-3)])
def test_f13t_figures_5_18_and_5_22_have_the_coefficients_of_f13_section_5(id, tolerance):
    found = series(f"F13t figure {id}", data=data_path())
    assert len(found.stated) == (2 if id == "5.18" else 10)
    assert found.largest_difference <= tolerance


def test_f13t_figure_5_19_has_20_chapters_of_the_size_of_table_5_4():
    found = curves("F13t figure 5.19", data=data_path())
    assert len(found["chapters"].x) == 20
    assert found["chapters"].x[:6] == ("ch1", "ch2", "ch3", "ch4", "ch5", "ch7")
    assert sum(found["chapters"].y) == 1057 - 1  # table 5.4; the files lack a paragraph
    assert found["mean and SD"].y[0] - found["mean and SD"].low[0] == pytest.approx(28.5679, abs=0.06)


def test_f13t_figure_5_23_chapter_2_has_the_highest_similarity():
    """§5.2.1.3: "chapter 2 appears to have higher than average actual agreement"."""
    found = curves("F13t figure 5.23", data=data_path())
    assert sum(len(curve.x) for curve in found.values()) == 108
    values = {}
    for curve in found.values():
        for chapter, value in zip(curve.x, curve.y, strict=True):
            values.setdefault(chapter, []).append(value)
    means = {chapter: sum(own) / len(own) for chapter, own in values.items()}
    assert max(means, key=means.get) == "ch2"
    (first, second, *rest) = cs.read(data_path() / "moonstone/moonstone_masses.json")["ch2"].items()
    mean = np.mean([float(cs.boundary_similarity(first[1], other)) for _, other in (second, *rest)])
    by_chapter = dict(zip(found[first[0]].x, found[first[0]].y, strict=True))
    assert by_chapter["ch2"] == pytest.approx(mean)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("id", "false_positives", "false_negatives"),
    # m matches and x full misses: B = m / (m + x), Ba = 2m / (2m + x), Bc = 1 - 2x / (2m + x + x) = B
    [("A.2", 4 / 5, 2 / 3), ("A.3", 2 / 3, 1 / 2), ("A.4", 2 / 3, 1 / 2)],
)
def test_f13t_figures_a_2_to_a_4_do_not_depend_on_the_sizes(id, false_positives, false_negatives):
    found = curves(f"F13t figure {id}")
    medians = dict(zip(found["median"].x, found["median"].y, strict=True))
    assert len(medians) == 12
    for sizes in ("20-30", "15-35", "10-40", "5-45"):
        assert medians[f"FP {sizes}"] == pytest.approx(false_positives, abs=0.01)
        assert medians[f"FN {sizes}"] == pytest.approx(false_negatives, abs=0.01)


@pytest.mark.exhaustive
def test_f13t_figure_5_28_with_the_mean_size_of_table_5_4():
    """5.8148, which the thesis took, is the mean number of segments of a coding."""
    found, other = curves("F13t figure 5.28, mean size 9.27"), curves("F13t figure 5.28")
    assert max(found["B"].y) < 0.11 < 0.13 < min(other["B"].y)
    assert min(found["S"].y) > 0.82 > 0.77 > max(other["S"].y)


@pytest.mark.exhaustive
@pytest.mark.parametrize("id", GROWING)
def test_f13t_figures_5_25_to_5_27_have_a_curve_for_each_number_of_coders(id):
    found = series(f"F13t figure {id}")
    assert [curve.label for curve in found.curves] == [f"{n} coders" for n in range(2, 11)]
    assert all(curve.x == pytest.approx([i / 10 for i in range(9)]) for curve in found.curves)
    assert all(0 < y <= 1 for curve in found.curves for y in curve.y)
    if "5.27" not in id:  # no error of either kind: identical codings
        assert all(curve.y[0] == 1 for curve in found.curves)


@pytest.mark.exhaustive
@pytest.mark.parametrize("id", ["5.25, S", "5.25, B", "5.26, B", "5.27, B"])
def test_agreement_falls_as_errors_grow_where_the_thesis_says_so(id):
    for curve in series(f"F13t figure {id}").curves:
        assert all(a > b for a, b in pairwise(curve.y))


@pytest.mark.exhaustive
def test_two_coders_with_full_misses_follow_the_formula():
    # The reference and one who leaves out a share p: B = 1 - p and S = 1 - p · b / 1076 but for chance, where
    # the reference has b = 1076 / 5.8148 boundaries on average; A_e is about the square of the mean rate.
    b, s = (curves(f"F13t figure 5.26, {name}")["2 coders"] for name in ("B", "S"))
    rate = 1 / 5.8148
    for p, by_b, by_s in zip(b.x, b.y, s.y, strict=True):
        expected = (rate * (1 - p / 2)) ** 2
        assert by_b == pytest.approx((1 - p - expected) / (1 - expected), abs=0.05)  # 4 standard errors
        assert by_s == pytest.approx((1 - p * rate - expected) / (1 - expected), abs=0.012)


@pytest.mark.exhaustive
def test_agreement_by_s_rises_again_with_full_misses_and_many_coders():
    found = curves("F13t figure 5.26, S")
    two, ten = found["2 coders"].y, found["10 coders"].y
    assert min(ten) < ten[-1]  # "it also increases in agreement"
    assert ten[-1] - two[-1] > 0.05  # "does not perform similarly for varying numbers of coders"


def test_f13t_figure_5_28_random_coders():
    found = curves("F13t figure 5.28")
    q = 1 / 5.8148
    # Of 2q(1 - q) positions with one mark, none to all are near misses, which cost a quarter each.
    most, least = 1 - 2 * q * (1 - q) / 4, 1 - 2 * q * (1 - q)
    assert all(least - 0.03 < value < most for value in found["S"].y)
    for label in ("S", "B"):
        assert found[label].x == tuple(range(2, 11))
        assert max(found[label].y) - min(found[label].y) < 0.02  # "remained steady as coders were varied"
    assert max(found["B"].y) < 0.2  # "very low agreement"
    assert min(found["S"].y) > 0.7  # "highly inflated agreement"


@pytest.mark.exhaustive
def test_f13_figure_9_is_what_the_thesis_shows():
    assert series("F13 figure 9b").curves == series("F13t figure 5.27, B").curves
    assert series("F13 figure 9c").curves == series("F13t figure 5.28").curves


@pytest.mark.exhaustive
def test_the_same_seed_gives_the_same_series():
    first = series("F13t figure 5.28", rng=7)
    assert first == series("F13t figure 5.28", rng=7)
    assert first.curves != series("F13t figure 5.28", rng=8).curves
    assert "seed 7" in first.note
    assert "seed=7" in first.signature
    drawn = series("F13t figure 5.28", rng=np.random.default_rng(1))
    assert drawn == series("F13t figure 5.28", rng=np.random.default_rng(1))
    seed = int(drawn.signature.split("seed=")[1].split("|")[0])
    assert drawn == series("F13t figure 5.28", rng=seed)


# -------------------------------------------------------------------- KS12


@pytest.fixture(scope="module")
def moonstone():
    """Masses by chapter and coder."""
    return json.loads(data_path("moonstone", "moonstone_masses.json").read_text(encoding="utf-8"))["items"]


def test_ks12_figure_1_counts_segments_by_chapter(moonstone):
    found = series("KS12 figure 1", data=data_path())
    assert found.largest_difference == 0
    by_label = {curve.label: curve for curve in found.curves}
    chapters = [f"ch{i}" for i in range(1, 22) if i != 6]  # chapter 6 was coded in a pilot study
    assert by_label["median"].x == tuple(chapters)
    counts = [sorted(len(masses) for masses in moonstone[chapter].values()) for chapter in chapters]
    assert by_label["least"].y == tuple(of_one[0] for of_one in counts)
    assert by_label["greatest"].y == tuple(of_one[-1] for of_one in counts)
    middle = [(of_one[(len(of_one) - 1) // 2] + of_one[len(of_one) // 2]) / 2 for of_one in counts]
    assert by_label["median"].y == pytest.approx(middle)
    assert by_label["median"].low == by_label["lower quartile"].y
    assert by_label["median"].high == by_label["upper quartile"].y


def test_ks12_figure_2_draws_chapter_1(moonstone):
    found = series("KS12 figure 2", data=data_path())
    expected = [tuple(accumulate(masses[:-1])) for masses in moonstone["ch1"].values()]
    assert [curve.x for curve in found.curves] == expected
    assert [set(curve.y) for curve in found.curves] == [{1}, {2}, {3}, {4}]
    assert all(point.ours == point.published for point in found.stated)
    # "everyone found that there was a significant change of topic between paragraphs 9 and 11"
    assert all(any(9 <= x <= 11 for x in curve.x) for curve in found.curves)


def test_ks12_figure_3_counts_annotators_near_each_boundary(moonstone):
    shares = {"exact": [], "k/2": [], "k": []}
    for coded in moonstone.values():
        marked = [set(accumulate(masses[:-1])) for masses in coded.values()]
        units = sum(map(sum, coded.values()))
        k = max(2, round(units / sum(map(len, coded.values())) / 2))
        for position in set.union(*marked):
            for name, reach in (("exact", 0), ("k/2", k // 2), ("k", k)):
                near = sum(any(abs(position - other) <= reach for other in marks) for marks in marked)
                shares[name].append(near / len(marked))
    found = series("KS12 figure 3", data=data_path())
    for curve in found.curves:
        level = ("least", "lower quartile", "median", "upper quartile", "greatest").index(curve.label) / 4
        assert curve.x == tuple(shares)
        assert curve.y == pytest.approx([np.quantile(values, level) for values in shares.values()])
    assert found.largest_difference <= 0.05 + 1e-12  # the paper gives multiples of 5 %, in words


# -------------------------------------------------------------------- C10


def test_c10_figure_1_adds_one_boundary_at_each_step():
    heights, *steps = series("C10 figure 1").curves
    by_height = sorted(zip(heights.y, heights.x, strict=True), reverse=True)
    for i, step in enumerate(steps, start=1):
        assert set(step.y) == {i}
        assert set(step.x) == {x for _, x in by_height[:i]}
    assert len(steps) == len(heights.x)


@pytest.mark.exhaustive
@pytest.mark.parametrize("panel", "abcd")
def test_c10_figure_2_has_the_printed_means_and_intervals(panel):
    found = series(f"C10 figure 2{panel}", data=data_path())
    ours, (printed,) = found.curves[0], found.published
    for name in ("BIN", "NONE"):
        i, j = ours.x.index(name), printed.x.index(name)
        assert ours.y[i] == pytest.approx(printed.y[j], abs=0.25)
        # Ours are narrower than the printed ones; 300 for 400 documents was fitted to these eight widths.
        half = (ours.high[i] - ours.low[i]) / 2 * math.sqrt(400 / 300)
        assert round(half, 1) == pytest.approx((printed.high[j] - printed.low[j]) / 2)
    i, j = ours.x.index("HC99"), printed.x.index("HC99")
    assert printed.low[j] < ours.y[i] < printed.high[j]
    assert [point.x for point in found.stated if point.ours is None] == ["HCWM"]
    boxes = {curve.label: curve.y for curve in found.curves[1:]}
    order = ("least", "lower quartile", "median", "upper quartile", "greatest")
    assert all(
        list(of_one) == sorted(of_one) for of_one in zip(*(boxes[name] for name in order), strict=True)
    )


def test_c10_figure_4_has_segments_of_3_to_11_sentences():
    (curve,) = series("C10 figure 4a", data=data_path()).curves
    assert sum(curve.y) == 4000  # 400 documents of 10 segments
    assert len(curve.x) == 9
    assert sum(x * y for x, y in zip(curve.x, curve.y, strict=True)) == pytest.approx(4000)
    assert curve.x[-1] / curve.x[0] == pytest.approx(11 / 3)
    assert all(350 < count < 550 for count in curve.y)  # "uniformly distributed between 3 and 11"


# -------------------------------------------------------------------- Series


def made(*published):
    ours = (Curve("a", (1, 2), (0.5, 0.25)), Curve("b", ("x",), (3.0,), (2.0,), (4.0,)))
    return Series("P figure 1", "P", "title", "x name", "y name", ours, published, "note", "made|v1")


def test_a_series_compares_its_published_points_by_label_and_x():
    found = made(Curve("a", (2, 3), (0.2, 0.1)), Curve("b", ("x",), (3.0,)))
    assert found.n_points == 3
    assert [point.ours for point in found.stated] == [0.25, None, 3.0]
    assert found.largest_difference == pytest.approx(0.05)
    assert comparison(found) == (
        "published points: 2, largest difference 0.0500; 1 published points were not recomputed"
    )
    assert made().largest_difference is None
    assert comparison(made()) == ""


def test_a_series_is_a_table_with_a_row_for_each_point():
    table = made(Curve("a", (2, 3), (0.2, 0.1))).to_table()
    assert [column.name for column in table.columns] == [
        "curve",
        "x name",
        "y name",
        "low",
        "high",
        "published",
    ]
    assert table.rows == [
        ["a", 1, 0.5, None, None, None],
        ["a", 2, 0.25, None, None, 0.2],
        ["b", "x", 3.0, 2.0, 4.0, None],
        ["a", 3, None, None, None, 0.1],
    ]
    assert table.notes[-1] == signature("made|v1")


def test_a_series_as_plain_data():
    data = made().to_dict()
    assert json.loads(json.dumps(data)) == {
        "id": "P figure 1",
        "paper": "P",
        "title": "title",
        "x_label": "x name",
        "y_label": "y name",
        "curves": [
            {"label": "a", "x": [1, 2], "y": [0.5, 0.25], "low": [], "high": []},
            {"label": "b", "x": ["x"], "y": [3.0], "low": [2.0], "high": [4.0]},
        ],
        "published": [],
        "note": "note",
        "signature": "made|v1",
        "is_drawing": False,
        "largest_difference": None,
        "notes": [{"kind": "reading", "text": "note"}, {"kind": "signature", "text": "made|v1"}],
    }


def test_a_series_as_a_frame_and_as_latex():
    frame = made().to_frame()
    assert frame["curve"].tolist() == ["a", "a", "b"]
    assert r"\toprule" in made().to_latex()
