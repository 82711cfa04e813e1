"""What notebooks show of values and scores: the right boundaries, bounded in size, names escaped.

Source of truth: the values themselves, read back from the HTML, which must be well formed.
"""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs

HOSTILE = "<script>alert(1)</script>&\"'"


def parsed(value):
    """Return the HTML as a tree; it is well formed, so it can be read as XML."""
    return ElementTree.fromstring(f"<div>{value._repr_html_()}</div>")


def strokes(svg):
    """Return where a strip has strokes, in pixels, and how high they are."""
    baseline, marks = svg.iter("path")
    assert baseline.get("d") == "M0 24h600"
    found = re.findall(r"M([\d.]+) 24v-([\d.]+)", marks.get("d"))
    assert "".join(f"M{x} 24v-{height}" for x, height in found) == marks.get("d")
    return [(float(x), float(height)) for x, height in found]


def words_of(tree):
    return " ".join("".join(tree.itertext()).split())


@given(st.lists(st.integers(1, 9), min_size=1, max_size=19))
def test_a_strip_has_a_stroke_at_each_boundary(masses):
    coding = cs.Segmentation.from_masses(masses)
    tree = parsed(coding)
    (svg,) = tree.iter("svg")
    places = [x / 600 * coding.n_units for x, _ in strokes(svg)]
    assert places == pytest.approx(coding.positions, abs=coding.n_units / 1200)
    assert f"masses {', '.join(map(str, masses))}" in words_of(tree)
    assert "…" not in words_of(tree)


def test_of_many_segments_the_first_masses_are_named():
    coding = cs.Segmentation.from_masses([2, *[1] * 29, 5])
    assert words_of(parsed(coding)).endswith("31 segments; masses 2" + ", 1" * 19 + ", …")


def test_types_have_strips_of_their_own():
    tree = parsed(cs.Segmentation.from_positions([2, 2, 5], n_units=10, types=[1, 2, 7]))
    assert [[x for x, _ in strokes(svg)] for svg in tree.iter("svg")] == [[120], [120], [300]]
    for line in ("type 1: 1 boundary", "type 7: 1 boundary", "10 units, 3 boundaries, 3 segments"):
        assert line in words_of(tree)


def test_more_prominent_boundaries_are_higher():
    tree = parsed(cs.Hierarchy.from_ranks({2: 3, 5: 1, 7: 2}, n_units=10))
    (svg,) = tree.iter("svg")
    third, first, second = (height for _, height in strokes(svg))
    assert first > second > third > 0
    assert "10 units, 3 boundaries on 3 levels" in words_of(tree)


@pytest.mark.parametrize("masses", [[1], [7]])
def test_nothing_to_draw_is_a_line(masses):
    (svg,) = parsed(cs.Segmentation.from_masses(masses)).iter("svg")
    assert strokes(svg) == []
    assert "0 boundaries on 0 levels" in words_of(parsed(cs.Hierarchy.from_ranks({}, n_units=masses[0])))


@pytest.mark.exhaustive
@pytest.mark.parametrize("types", [False, True])
def test_a_million_boundaries_in_ten_to_the_fifteen_units_stay_small(types):
    rng = np.random.default_rng(0)
    positions = np.unique(rng.integers(1, 10**15, 10**6))
    kinds = rng.integers(1, 100, len(positions)) if types else None
    coding = cs.Segmentation.over(10**15, positions, kinds)
    assert len(coding._repr_html_()) < 200_000
    assert "1,000,000,000,000,000 units" in coding._repr_html_()
    assert ("91 more types" in coding._repr_html_()) == types


def test_a_corpus_is_a_table_of_boundaries():
    corpus = cs.Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [1, 2, 2]}, "d2": {"bob": [4]}})
    tree = parsed(corpus)
    rows = [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]
    assert rows == [["document", "units", "ann", "bob"], ["d1", "5", "1", "2"], ["d2", "4", "–", "0"]]
    assert "Corpus of 2 documents, 2 coders, 3 codings" in words_of(tree)
    assert "not shown" not in words_of(tree)


def test_of_a_large_corpus_a_corner_is_shown():
    corpus = cs.Corpus.from_dict({f"d{i}": {f"c{j}": [i + 1, 9] for j in range(30)} for i in range(40)})
    rows = [["".join(cell.itertext()) for cell in row] for row in parsed(corpus).iter("tr")]
    assert [len(row) for row in rows] == [10] * 11
    assert "30 more documents and 22 more coders not shown" in words_of(parsed(corpus))


def test_a_corpus_that_nobody_has_coded_shows_its_texts_lengths(tmp_path):
    (tmp_path / "a.txt").write_text("One line.\nAnother line here.\n", encoding="utf-8")
    corpus = cs.read(tmp_path / "a.txt", format="text")
    rows = [["".join(cell.itertext()) for cell in row] for row in parsed(corpus).iter("tr")]
    assert rows == [["document", "units"], ["a", "2"]]


def test_names_are_escaped_and_shortened():
    corpus = cs.Corpus.from_dict({HOSTILE: {HOSTILE: [2, 3]}, "x" * 1000: {"y" * 1000: [2]}})
    assert "<script>" not in corpus._repr_html_()
    assert HOSTILE in words_of(parsed(corpus))
    assert len(corpus._repr_html_()) < 2000


def test_a_score_has_its_value_and_its_signature():
    score = cs.metric("WD(edges='wrap')")([2, 3, 6], [2, 2, 7])
    value, signature = parsed(score).findall("div")
    assert words_of(value) == "WD(edges='wrap') 0.181818 = 2/11"
    assert words_of(signature) == f"WD|edges=wrap|caesura {cs.__version__}"  # what differs from the defaults


def test_scores_are_a_table_of_pairs_with_both_averages():
    scores = cs.metric("B").batch([[2, 3, 6], [5, 6]], [[2, 2, 7], [5, 6]])
    rows = [["".join(cell.itertext()) for cell in row] for row in parsed(scores).iter("tr")]
    # Fournier 2013: 0.75 of the first pair; of both pooled 2.5 of 3, on average 0.875.
    assert rows == [
        ["pair", "value", "similar", "compared"],
        ["0", "0.7500", "1.5000", "2"],
        ["1", "1.0000", "1", "1"],
        ["micro", "0.8333", "2.5000", "3"],
        ["macro", "0.8750", "", ""],
    ]
    assert words_of(parsed(scores)).endswith(f"B|pairs=2|caesura {cs.__version__}")
    assert repr(scores) == "<B of 2 pairs: micro 0.833333, macro 0.875>"


def test_of_many_scores_the_first_are_shown():
    scores = cs.metric("Pk").batch([[2, 3, 6]] * 1234, [[2, 2, 7]] * 1234)
    assert len(scores._repr_html_()) < 3000
    assert "1,224 more pairs" in words_of(parsed(scores))


def test_scores_of_no_pairs_are_shown():
    scores = cs.metric("B").batch([], [])
    assert repr(scores) == "<B of no pairs>"
    assert len(list(parsed(scores).iter("tr"))) == 1
