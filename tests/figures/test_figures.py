"""Figures: rendered to SVG and PNG, not empty, the right number of marks, and the right numbers in them.

Source of truth: counts and values by hand, Hearst's (1997) Stargazers as F13t prints them, and other public
functions of the package (a figure must show just what they return).
"""

from __future__ import annotations

import builtins
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations, permutations
from statistics import fmean, pstdev, stdev
from typing import Any

import pytest

import caesura as cs
from caesura import figures
from caesura.analyses.comparison import Comparison
from caesura.analyses.description import support
from caesura.analyses.description.analysis import Description
from caesura.analyses.reporting import report as make_report
from caesura.analyses.type_confusion import type_confusion
from caesura.errors import CorpusError, MissingExtraError, ParameterError, UnknownNameError
from caesura.figures.gallery import gallery
from caesura.figures.save import specification
from caesura.papers.results import Curve, Series
from caesura.stargazers import STARGAZERS
from caesura.stats.resampling import bootstrap_intervals
from caesura.values.type_scheme import TypeScheme

pytestmark = pytest.mark.usefixtures("one_bundle")

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {"svg", "g", "path", "line", "text", "tspan", "rect", "defs", "linearGradient", "stop", "clipPath"}


SCORES = {"one": [0.1, 0.9, 0.2, 0.8, *[0.1] * 6], "two": [0.1, 0.2, 0.3, 0.9, 0.1, 0.1, 0.1]}
"""A model's scores of the gaps of both documents of ``small``."""


def small() -> cs.Corpus:
    """Two coders and two segmenters, whose edits are easy to count."""
    codings = {
        "one": {"ann": [2, 3, 6], "bob": [2, 3, 6], "near": [2, 2, 7], "none": [11]},
        "two": {"ann": [4, 4], "bob": [4, 2, 2], "near": [4, 4], "none": [8]},
    }
    return cs.Corpus.from_dict(codings)


@pytest.fixture(scope="module")
def stargazers() -> cs.Corpus:
    return cs.load_stargazers()


@pytest.fixture(scope="module")
def description(stargazers: cs.Corpus) -> Description:
    return cs.describe(stargazers)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return cs.compare(small(), segmenters=["near", "none"], n_resamples=99, rng=1)


def hierarchies() -> cs.Corpus:
    return cs.Corpus.from_dict(
        {
            "play": {
                "gold": cs.Hierarchy.from_ranks({4: 2, 9: 1, 12: 3}, 16),
                "other": cs.Hierarchy.from_ranks({4: 2, 9: 1, 13: 3}, 16),
                "wrong": cs.Hierarchy.from_ranks({4: 1, 9: 1}, 16),
            }
        }
    )


def a_series(**changes: Any) -> Series:
    fields: dict[str, Any] = {
        "id": "X figure 1",
        "paper": "X",
        "title": "more and more errors",
        "x_label": "errors",
        "y_label": "similarity",
        "curves": (
            Curve("B", (0.0, 0.5, 1.0), (1.0, 0.5, 0.25), (0.9, 0.4, 0.2), (1.0, 0.6, 0.3)),
            Curve("S", (0.0, 0.5, 1.0), (1.0, 0.9, 0.8)),
        ),
        "published": (Curve("B", (0.5,), (0.52,)),),
        "note": "made by hand",
        "signature": "by hand|caesura",
    }
    return Series(**(fields | changes))


def a_pilot() -> cs.Corpus:
    return cs.simulate(6, 3, n_units=40, mean_segment=5, near_miss=0.2, full_miss=0.3, rng=1)


def drawings() -> dict[str, Callable[[], Any]]:
    """What draws a chart of each function, by name."""
    corpus, readers = small(), cs.load_stargazers()
    described = cache(lambda: cs.describe(readers))
    compared = cache(lambda: cs.compare(corpus, segmenters=["near"], n_resamples=99, rng=1))
    two = cache(lambda: cs.compare(corpus, segmenters=["near", "none"], n_resamples=99, rng=1))
    levels = hierarchies()["play"]
    error = cache(lambda: cs.hierarchical_window_diff(levels["gold"], levels["other"]))
    matrix = cache(lambda: cs.coder_matrix(readers))
    return {
        "strips": lambda: figures.strips(readers),
        "strips with scores": lambda: figures.strips(small(), "one", scores=SCORES),
        "strips of an alignment": lambda: figures.strips(cs.align([2, 3, 6], [2, 2, 7])),
        "strips of hierarchies": lambda: figures.strips(hierarchies(), reference="gold"),
        "heat map": lambda: figures.heat_map(matrix()),
        "document heat map": lambda: figures.document_heat_map(matrix()),
        "document heat map of a segmenter": lambda: figures.document_heat_map(compared()),
        "agreement": lambda: figures.agreement(cs.agreement(readers, n_resamples=99, rng=0)),
        "half-widths": lambda: figures.half_widths(cs.plan(a_pilot(), width=0.1, n_resamples=9, rng=0)),
        "boundaries": lambda: figures.boundaries(described()),
        "segment sizes": lambda: figures.segment_sizes(described()),
        "segment sizes by document": lambda: figures.segment_sizes(described(), by="document"),
        "document sizes": lambda: figures.document_sizes(cs.describe(corpus)),
        "granularity": lambda: figures.granularity(described()),
        "pair values": lambda: figures.pair_values([matrix(), cs.coder_matrix(readers, "WD")]),
        "segment counts": lambda: figures.segment_counts(described()),
        "support": lambda: figures.support(described()),
        "sweep": lambda: figures.sweep(described()),
        "spans": lambda: figures.spans(described()),
        "edit bars": lambda: figures.edit_bars(compared()),
        "edit bars of coders": lambda: figures.edit_bars(described()),
        "means": lambda: figures.means(compared()),
        "means by metric": lambda: figures.means(compared(), by="metric"),
        "means by coder": lambda: figures.means(compared(), by="coder"),
        "confusion of types": lambda: figures.type_confusion(type_confusion(a_play())),
        "means by coder, pooled": lambda: figures.means(two(), by="coder", pooled=True),
        "document heat map, pooled": lambda: figures.document_heat_map(two(), pooled=True),
        "means by document": lambda: figures.means(compared(), by="document"),
        "means of an evaluation": lambda: figures.means(
            cs.evaluate(corpus.select(coders=["ann", "bob"]), corpus.select(coders=["near"]), rng=0)
        ),
        "precision and recall": lambda: figures.precision_recall(compared()),
        "post hoc": lambda: figures.post_hoc(two()),
        "levels": lambda: figures.levels(error()),
        "curves": lambda: figures.curves(a_series()),
        "thresholds": lambda: figures.thresholds(cs.sweep(corpus, SCORES, rng=1)),
        "thresholds of one document": lambda: figures.thresholds(
            cs.sweep(corpus.select(documents=["one"]), {"one": SCORES["one"]}, "WD", over="segments")
        ),
    }


class Charts(Mapping[str, Any]):
    """A chart of each function, drawn when it is first asked for."""

    def __init__(self) -> None:
        self.drawings = drawings()
        self.drawn: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.drawn:
            self.drawn[name] = self.drawings[name]()
        return self.drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.drawings)

    def __len__(self) -> int:
        return len(self.drawings)


CHARTS = Charts()


SPECIFIED: dict[int, tuple[Any, dict[str, Any]]] = {}


def spec_of(chart: Any) -> dict[str, Any]:
    """The Vega-Lite of a chart, made once."""
    if id(chart) not in SPECIFIED:
        SPECIFIED[id(chart)] = (chart, specification(chart))  # the chart is kept, and so its id
    return SPECIFIED[id(chart)][1]


def rows_of(chart: Any) -> list[list[dict[str, Any]]]:
    """The rows behind each layer, in their order; what layers share stands above them."""
    spec = spec_of(chart)
    inner = spec["vconcat"][0]
    places = [(layer, inner, spec) for layer in inner["layer"]]
    found = [next(place["data"] for place in around if "data" in place) for around in places]
    return [json.loads(data["values"]) for data in found]


DRAWN: dict[int, tuple[Any, str]] = {}


def svg_of(chart: Any) -> str:
    """The SVG of a chart, drawn once."""
    if id(chart) not in DRAWN:
        DRAWN[id(chart)] = (chart, figures.to_svg(chart))  # the chart is kept, and so its id
    return DRAWN[id(chart)][1]


def title_of(chart: Any) -> str:
    return " ".join(spec_of(chart)["vconcat"][0]["title"]["text"])


def subtitle_of(chart: Any) -> str:
    return " ".join(spec_of(chart)["vconcat"][0]["title"]["subtitle"])


def caption_of(chart: Any) -> str:
    return "".join(spec_of(chart)["title"]["text"])


def marks_of(chart: Any) -> list[int]:
    """How many marks each layer has in the SVG; the lines of a layer are one mark each."""
    counts: dict[str, int] = {}
    for group in ElementTree.fromstring(svg_of(chart)).iter(f"{SVG}g"):
        classes = group.get("class", "").split()
        if "role-mark" in classes:
            counts[classes[-1]] = counts.get(classes[-1], 0) + len(list(group))
    return list(counts.values())


def axes_of(chart: Any) -> list[list[str]]:
    """The numbers on each axis that has any, in the order of the SVG."""
    groups = ElementTree.fromstring(svg_of(chart)).iter(f"{SVG}g")
    labels = [
        [text.text or "" for text in group.iter(f"{SVG}text")]
        for group in groups
        if "role-axis-label" in group.get("class", "").split()
    ]
    return [axis for axis in labels if axis and all(label.isdigit() for label in axis)]


def legend_of(svg: str) -> dict[str, str]:
    """The color of each name in the legend."""
    root = ElementTree.fromstring(svg)
    colors = [
        path.get("fill", "")
        for group in root.iter(f"{SVG}g")
        if "role-legend-symbol" in group.get("class", "")
        for path in group.iter(f"{SVG}path")
    ]
    texts = [
        text.text or ""
        for group in root.iter(f"{SVG}g")
        if "role-legend-label" in group.get("class", "")
        for text in group.iter(f"{SVG}text")
    ]
    return dict(zip(texts, colors, strict=True))


def texts_of(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


# -------------------------------------------------------------------- all of them


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHARTS)
def test_every_figure_is_drawn_as_svg_and_png(name: str) -> None:
    chart = CHARTS[name]
    assert sum(marks_of(chart)) > 1
    assert texts_of(svg_of(chart))
    png = figures.to_png(chart)
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    assert 400 < width < 3000
    assert 100 < height < 3000


@pytest.mark.parametrize("name", CHARTS)
def test_every_figure_has_a_number_in_its_title_and_a_signature_with_the_version(name: str) -> None:
    assert any(char.isdigit() for char in title_of(CHARTS[name]))
    if name != "curves":  # its signature is what the series says
        assert f"caesura {cs.__version__}" in caption_of(CHARTS[name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHARTS)
def test_svg_fits_a_page_with_a_strict_policy(name: str) -> None:
    root = ElementTree.fromstring(svg_of(CHARTS[name]))
    assert root.get("role") == "img"
    assert title_of(CHARTS[name])[:20] in root.get("aria-label", "")
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in HARMLESS
        assert "style" not in element.attrib
        assert not any(attribute.startswith("on") for attribute in element.attrib)
        assert not any(attribute.endswith("href") for attribute in element.attrib)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHARTS)
def test_titles_are_not_cut_off(name: str) -> None:
    spec = spec_of(CHARTS[name])
    width = float(ElementTree.fromstring(svg_of(CHARTS[name])).get("width", "0"))
    title = spec["vconcat"][0]["title"]
    lines = [(line, 6.5) for line in title["text"]] + [(line, 4.5) for line in title["subtitle"]]
    for line, pixels in [*lines, *((line, 4.0) for line in spec["title"]["text"])]:
        assert len(line) * pixels < width, line
    shown = " ".join(texts_of(svg_of(CHARTS[name])))
    assert "…" not in shown


def test_the_registry_lists_a_line_for_each_kind() -> None:
    for kind, figure in figures.FIGURES.items():
        assert figure.kind == kind
        assert kind == kind.lower()
        assert 10 < len(figure.summary) < 100
    with pytest.raises(UnknownNameError, match="did you mean 'heat-map'"):
        figures.named_figure("heatmap")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [kind for kind, figure in figures.FIGURES.items() if not figure.takes_name])
def test_every_kind_is_made_from_a_corpus(kind: str) -> None:
    options = figures.Options("one", ("near", "none"), ("ann",), resamples=99, scores=SCORES)
    chart = figures.FIGURES[kind].make(small(), options)
    assert sum(marks_of(chart)) > 1


# -------------------------------------------------------------------- strips


def test_strips_have_a_mark_for_every_boundary_and_every_edit(stargazers: cs.Corpus) -> None:
    reference = stargazers["stargazers", "6"]
    found = [
        cs.align(reference, coding) for coder, coding in stargazers["stargazers"].items() if coder != "6"
    ]
    matches, near = (sum(map(len, parts)) for parts in
                     ([one.matches for one in found], [one.transpositions for one in found]))  # fmt: skip
    missed, spurious = (sum(map(len, parts)) for parts in
                        ([one.missed for one in found], [one.spurious for one in found]))  # fmt: skip
    chart = figures.strips(stargazers, reference="6")
    lines, links, own, ticks, signs, scores = marks_of(chart)
    assert own + ticks == sum(len(masses) - 1 for masses in STARGAZERS.values()) == 49
    assert (lines, own, scores) == (7, 6, 6)
    assert ticks == matches + near + spurious
    assert signs == matches + near + spurious + missed
    assert links == near
    counts = f"{matches} matched, {near} near-missed, {missed} missed, {spurious} spurious"
    assert counts in title_of(chart)


def test_strips_by_hand() -> None:
    # Positions 2 and 5 against 2, 4 and 8: a match, a near miss of one unit, and one that is spurious.
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 2, 4, 3]}})
    chart = figures.strips(corpus, reference="ann")
    _, links, own, ticks, signs, scores = rows_of(chart)
    assert [row["position"] for row in own] == [2, 5]
    assert sorted((row["position"], row["state"]) for row in ticks) == [
        (2, "match"), (4, "near miss"), (8, "spurious"),
    ]  # fmt: skip
    assert [(row["position"], row["other"]) for row in links] == [(4, 5)]
    assert len(signs) == 3
    assert [row["label"] for row in scores] == ["B 0.50"]  # (1 + 1/2 + 0) / 3
    wide = figures.strips(corpus, reference="bob", n_t=5)
    assert "1 matched, 1 near-missed, 1 missed, 0 spurious" in title_of(wide)


def test_strips_take_the_most_central_coder_as_the_reference(stargazers: cs.Corpus) -> None:
    means = {
        coder: fmean(
            float(cs.boundary_similarity(stargazers["stargazers", coder], other))
            for name, other in stargazers["stargazers"].items()
            if name != coder
        )
        for coder in stargazers.coders
    }
    assert max(means, key=means.__getitem__) == "7"
    assert title_of(figures.strips(stargazers)).startswith("stargazers, against 7, the most central coder")


def test_scores_stand_above_the_boundaries_gap_by_gap() -> None:
    chart = figures.strips(small(), "one", reference="ann", scores=SCORES)
    lines, gaps = rows_of(chart)
    assert [(gap["position"], gap["score"]) for gap in gaps] == [*enumerate(SCORES["one"], start=1)]
    # ann and bob mark 2 and 5, the segmenter 2 and 4, the other nothing.
    assert {line["position"]: line["n"] for line in lines} == {2: 3, 4: 1, 5: 2}
    assert {line["position"]: line["share"] for line in lines} == {2: 0.75, 4: 0.25, 5: 0.5}
    below = spec_of(chart)["vconcat"][1]
    plain = spec_of(figures.strips(small(), "one", reference="ann"))["vconcat"][0]
    assert below == {name: part for name, part in plain.items() if name != "title"}
    by_start = figures.strips(small(), "one", scores={"one": [9.0, *SCORES["one"]]})
    assert rows_of(by_start)[1] == gaps
    with pytest.raises(CorpusError, match="no scores for two"):
        figures.strips(small(), "two", scores={"one": SCORES["one"]})
    with pytest.raises(CorpusError, match="segmenters need the texts"):
        figures.strips(small(), "one", scores="TextTiling")


def test_scores_of_a_segmenter_are_those_that_it_gives() -> None:
    text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    corpus = cs.Corpus.from_dict({"pets": {"ann": [3, 3], "bob": [2, 4]}}, units={"pets": text})
    tiling = cs.segmenter("TextTiling(w=2, k=2)")
    for given in (tiling, "TextTiling(w=2, k=2)"):
        chart = figures.strips(corpus, scores=given)
        assert [gap["score"] for gap in rows_of(chart)[1]] == pytest.approx(tiling.scores(text).tolist())
        assert caption_of(chart).endswith("scores=TextTiling(w=2, k=2)")
    options = figures.Options(scores="TextTiling(w=2, k=2)", references=("ann",))
    (highest,) = {row["label"] for row in rows_of(figures.FIGURES["thresholds"].make(corpus, options))[4]}
    assert highest.startswith("1.000 at")
    with pytest.raises(ParameterError, match="has no scores"):
        figures.strips(corpus, scores="MinCut")


def test_strips_tell_ranks_by_height() -> None:
    _, _, own, ticks, _, _, _ = rows_of(figures.strips(hierarchies(), reference="gold"))
    heights = {row["position"]: row["height"] for row in own}
    assert heights[9] > heights[4] > heights[12]
    wrong = [row for row in ticks if row["state"] == "other level"]
    assert [(row["coder"], row["position"], row["label"]) for row in wrong] == [("wrong", 4, "1, not 2")]


def test_strips_have_a_row_for_each_type() -> None:
    typed = cs.Segmentation.from_positions
    corpus = cs.Corpus.from_dict(
        {"d": {"ann": typed([3, 6], 9, [1, 2]), "bob": typed([3, 6], 9, [1, 1])}},
        type_scheme=cs.TypeScheme({1: "scene", 2: "act"}),
    )
    chart = figures.strips(corpus, reference="ann")
    lines, _, own, ticks, *_ = rows_of(chart)
    assert [row["row"] for row in lines] == ["ann · scene", "ann · act", "bob · scene", "bob · act"]
    assert [row["row"] for row in own] == ["ann · scene", "ann · act"]
    (wrong,) = [row for row in ticks if row["state"] == "wrong type"]
    assert (wrong["row"], wrong["other row"]) == ("bob · scene", "bob · act")
    assert "1 of a wrong type" in title_of(chart)


def test_strips_of_one_coder_have_no_edits() -> None:
    chart = figures.strips(cs.Corpus.from_dict({"d": {"ann": [2, 3]}}))
    assert title_of(chart) == "d: 1 boundary by one coder"
    assert figures.to_svg(chart)


def test_strips_without_boundaries() -> None:
    chart = figures.strips(cs.Corpus.from_dict({"d": {"ann": [5], "bob": [5]}}))
    assert title_of(chart) == "d: no boundaries"
    assert figures.to_svg(chart)


def test_strips_cost_boundaries_and_not_units() -> None:
    n_units = 10**15
    positions = {"ann": [10**6, 10**14], "bob": [10**6 + 1, 10**14]}
    codings = {name: cs.Segmentation.from_positions(at, n_units) for name, at in positions.items()}
    chart = figures.strips(cs.Corpus.from_dict({"d": codings}), reference="ann")
    assert "1 matched, 1 near-missed" in title_of(chart)
    assert marks_of(chart)[2:5] == [2, 2, 2]


@pytest.mark.exhaustive
def test_strips_of_many_boundaries_are_all_drawn() -> None:
    every = list(range(2, 12_000, 2))  # more rows than Altair lets a data frame have
    codings = {name: cs.Segmentation.from_positions(every, 12_001) for name in ("ann", "bob")}
    assert marks_of(figures.strips(cs.Corpus.from_dict({"d": codings})))[2:4] == [5999, 5999]


def test_too_many_rows_or_marks_are_refused_in_one_line() -> None:
    coding = cs.Segmentation.from_masses([2, 2])
    many = cs.Corpus.from_dict({"d": {f"c{i}": coding for i in range(301)}})
    with pytest.raises(CorpusError, match="301 rows exceed the 300 that a figure can show; choose some"):
        figures.strips(many)
    with pytest.raises(CorpusError, match="301 rows"):
        figures.heat_map(cs.coder_matrix(many))
    with pytest.raises(CorpusError, match="301 rows"):
        figures.boundaries(cs.describe(many))
    dense = cs.Segmentation.from_positions(range(1, 30_000), 30_000)
    with pytest.raises(CorpusError, match="59,998 marks"):
        figures.strips(cs.Corpus.from_dict({"d": {"ann": dense, "bob": dense}}))


def test_strips_of_several_documents_ask_for_one() -> None:
    with pytest.raises(ParameterError, match=r"this figure needs document= from one and two"):
        figures.strips(small())
    with pytest.raises(UnknownNameError, match="did you mean 'two'"):
        figures.strips(small(), "tow")
    with pytest.raises(UnknownNameError, match="no coding by 'bop'"):
        figures.strips(small(), "one", reference="bop")


# -------------------------------------------------------------------- heat maps


def test_a_heat_map_has_a_cell_for_every_two_coders(stargazers: cs.Corpus) -> None:
    chart = figures.heat_map(cs.coder_matrix(stargazers))
    cells, _ = rows_of(chart)
    assert marks_of(chart) == [42, 42]
    for cell in cells:
        pair = (stargazers["stargazers", cell[side]] for side in ("row", "column"))
        assert cell["value"] == pytest.approx(float(cs.boundary_similarity(*pair)))
    assert {(cell["row"], cell["column"]) for cell in cells} == set(permutations(STARGAZERS, 2))
    # F13t prints B 0.53 for the Stargazers (0.5301).
    values = [cell["value"] for cell in cells]
    assert (
        f"7 coders: B 0.53 pooled, between two of them from {min(values):.2f} to {max(values):.2f}"
        in title_of(chart)
    )


def test_pair_values_have_a_dot_for_every_two_codings() -> None:
    corpus = small().select(coders=["ann", "bob", "near"], documents=["one"])
    chart = figures.FIGURES["pair-values"].make(corpus, figures.Options())
    boxes, dots = rows_of(chart)
    assert boxes == dots
    values = {
        name: sorted(dot["value"] for dot in dots if dot["metric"] == name) for name in ("B", "S", "1 − WD")
    }
    # 2 and 5 against 2 and 4: a match and a near miss of one unit; at 10 positions half an edit. Windows of
    # two gaps, nine of them, differ where they hold 3 and 4, and where they hold 5 and 6.
    assert values["B"] == [0.75, 0.75, 1.0]
    assert values["S"] == [0.95, 0.95, 1.0]
    assert values["1 − WD"] == pytest.approx([7 / 9] * 4 + [1.0] * 2)
    assert title_of(chart) == "Two coders have on average B 0.83, S 0.97, 1 − WD 0.85"
    (alone,) = {row["metric"] for row in rows_of(figures.pair_values(cs.coder_matrix(corpus, "BD")))[0]}
    assert alone == "BD"


def test_a_document_heat_map_has_each_coders_mean() -> None:
    corpus = small()
    chart = figures.document_heat_map(cs.coder_matrix(corpus))
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in rows_of(chart)[0]}
    assert len(cells) == 8
    # On "two" ann has [4, 4]: bob adds a boundary (1 of 2), near is equal (1 of 1), none misses it (0 of 1).
    assert cells["two", "ann"] == pytest.approx(2 / 4)


def test_a_document_heat_map_of_a_segmenter_has_a_cell_for_each_coding(comparison: Comparison) -> None:
    chart = figures.document_heat_map(comparison, segmenter="near")
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in rows_of(chart)[0]}
    # [2, 2, 7] for [2, 3, 6]: (1 + 1/2) / 2; [4, 4] for [4, 2, 2]: 1 of 2.
    assert cells == pytest.approx(
        {("one", "ann"): 0.75, ("one", "bob"): 0.75, ("two", "ann"): 1.0, ("two", "bob"): 0.5}
    )
    assert "near has mean B 0.75: from 0.50 to 1.00 on 4 codings" in title_of(chart)
    # People have B 1 on one and 1/2 on two, 2·(2 + 1/2·2) of 2·(2 + 2) boundary pairs in all: 3/4.
    assert comparison["human"].value == 0.75
    framed = {(cell["row"], cell["column"]) for cell in rows_of(chart)[1]}
    assert framed == {("one", "ann"), ("one", "bob"), ("two", "ann")}
    assert "framed: at least as good as people (0.75)" in subtitle_of(chart)
    with pytest.raises(UnknownNameError, match="did you mean 'near'"):
        figures.document_heat_map(comparison, segmenter="neat")


def a_play() -> cs.Corpus:
    """Acts, scenes and speeches of one coder, and what two others take them for."""

    def coding(**positions: int) -> cs.Segmentation:
        marks = sorted((int(name[1:]), kind) for name, kind in positions.items())
        return cs.Segmentation.from_positions([at for at, _ in marks], 40, types=[kind for _, kind in marks])

    codings = {
        "gold": coding(p5=1, p10=2, p15=2, p20=3, p30=1),
        "sys": coding(p5=2, p10=2, p16=2, p25=3, p30=2),
        "plain": cs.Segmentation.from_positions([5, 10], 40),
    }
    scheme = TypeScheme({1: "act", 2: "scene", 3: "speech"})
    return cs.Corpus.from_dict({"play": codings}, type_scheme=scheme)


def test_confusion_of_types_by_hand() -> None:
    """Two acts are taken for scenes; a scene is found, one nearly; a speech is missed, another spurious."""
    play = a_play()
    confusion = type_confusion(play, segmenters=["sys"], references=["gold"])
    chart = figures.type_confusion(confusion)
    cells = {(cell["row"], cell["column"]): cell["n"] for cell in rows_of(chart)[0]}
    assert cells == {
        ("act", "scene"): 2, ("scene", "scene"): 1.5, ("speech", "no boundary"): 1,
        ("no boundary", "speech"): 1,
    }  # fmt: skip
    assert [cell["row"] for cell in rows_of(chart)[1]] == ["scene"]
    assert title_of(chart) == "act is most often taken for scene (2 of 2 confusions)"
    assert "Predictions of segmenters: 1 pair, n_t=2." in subtitle_of(chart)
    both = type_confusion(play.select(coders=["gold", "sys"]))
    assert both.confused == {(1, 2): 2, (2, 1): 2}
    assert "Every coder by every other one: 2 pairs" in subtitle_of(figures.type_confusion(both))
    with pytest.raises(CorpusError, match="only one side has several boundary types"):
        type_confusion(play, segmenters=["plain"], references=["gold"])
    with pytest.raises(CorpusError, match="no document has two coders"):
        type_confusion(play.select(coders=["gold"]))


def test_confusion_of_types_without_types_and_of_levels() -> None:
    """Without types it is the confusion matrix of F13t §4.1.3: 2 and 5 against 2 and 4 have 1.5 hits."""
    chart = figures.FIGURES["type-confusion"].make(
        small(), figures.Options(segmenters=("near",), references=("ann",))
    )
    cells = {(cell["row"], cell["column"]): cell["n"] for cell in rows_of(chart)[0]}
    assert cells == {("boundary", "boundary"): 1.5 + 1}
    ranks = {"gold": {4: 2, 9: 1, 12: 3}, "wrong": {4: 1, 9: 1, 14: 3}}
    codings = {coder: cs.Hierarchy.from_ranks(own, 16) for coder, own in ranks.items()}
    corpus = cs.Corpus.from_dict({"play": codings})
    levels = figures.type_confusion(type_confusion(corpus, segmenters=["wrong"], references=["gold"]))
    # Level 2 at 4 is level 1 there, that at 9 is right, level 3 at 12 is missed and that at 14 spurious.
    assert {(cell["row"], cell["column"]) for cell in rows_of(levels)[0]} == {
        ("level 2", "level 1"), ("level 1", "level 1"), ("level 3", "no boundary"),
        ("no boundary", "level 3"),
    }  # fmt: skip


@pytest.mark.exhaustive
def test_a_report_shows_which_types_are_taken_for_which() -> None:
    def titles(corpus: cs.Corpus, **roles: Any) -> list[str]:
        return [title for title, *_ in gallery(*described(corpus, **roles))]

    def described(corpus: cs.Corpus, **roles: Any) -> tuple[Description, Comparison | None]:
        made = make_report(corpus, n_resamples=0, **roles)
        return made.description, made.comparison

    play = a_play()
    shown = titles(play, segmenters=["sys"], references=["gold"])
    confused = "Types taken for others: act is most often taken for scene (2 of"
    assert f"{confused} 2 confusions)" in shown
    assert any(title.endswith("of 4 confusions)") for title in titles(play.select(coders=["gold", "sys"])))
    for roles in ({"segmenters": ["plain"], "references": ["gold"]}, {"references": ["plain"]}):
        assert not any(title.startswith("Types") for title in titles(play, **roles))
    assert not any(title.startswith("Types") for title in titles(small()))


def test_a_pooled_heat_map_has_the_boundary_pairs_of_all_segmenters(comparison: Comparison) -> None:
    chart = figures.document_heat_map(comparison, pooled=True)
    cells = {(cell["row"], cell["column"]): cell["value"] for cell in rows_of(chart)[0]}
    # Beside near's boundary pairs those of none, which misses 2, 2, 1 and 2 boundaries.
    assert cells == pytest.approx(
        {("one", "ann"): 1.5 / 4, ("one", "bob"): 1.5 / 4, ("two", "ann"): 1 / 2, ("two", "bob"): 1 / 4}
    )
    assert "All segmenters have mean B 0.38: from 0.25 to 0.50 on 4 codings" in title_of(chart)
    by_wd = cs.compare(small(), segmenters=["near", "none"], metric="WD", n_resamples=99, rng=1)
    cells = {(cell["row"], cell["column"]): cell["value"]
             for cell in rows_of(figures.document_heat_map(by_wd, pooled=True))[0]}  # fmt: skip
    near, none = (by_wd[name].values for name in ("near", "none"))
    assert [*cells.values()] == pytest.approx(((near + none) / 2).tolist())
    with pytest.raises(ParameterError, match="pooled"):
        figures.document_heat_map(cs.coder_matrix(small()), pooled=True)


def test_a_heat_map_of_an_unbounded_metric_ends_at_the_data() -> None:
    matrix = cs.coder_matrix(cs.Corpus.from_dict({"d": {"a": [2, 9], "b": [5, 6], "c": [11]}}), "BD")
    domain = spec_of(figures.heat_map(matrix))["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"][
        "domain"
    ]
    assert domain[1] >= max(value for row in matrix.values.tolist() for value in row if value == value)


# -------------------------------------------------------------------- descriptions


def test_segment_sizes_count_every_segment_once(description: Description) -> None:
    chart = figures.segment_sizes(description)
    bars, mean = rows_of(chart)
    sizes = [size for masses in STARGAZERS.values() for size in masses]
    assert {int(bar["low"] + 0.5): bar["n"] for bar in bars} == {
        size: sizes.count(size) for size in set(sizes)
    }
    assert mean[0]["mean"] == pytest.approx(fmean(sizes))
    assert f"{fmean(sizes):.1f} ± {pstdev(sizes):.1f} units, the longest 8" in title_of(chart)
    assert marks_of(chart) == [len(set(sizes)), 1]


def test_long_segments_share_bars_and_none_is_lost() -> None:
    corpus = cs.Corpus.from_dict({"d": {"ann": [1, 120, 121, 240, 1]}})
    bars, _ = rows_of(figures.segment_sizes(cs.describe(corpus)))
    assert [(bar["sizes"], bar["n"]) for bar in bars] == [("1 to 4", 2), ("117 to 120", 1), ("121 to 124", 1),
                                                          ("237 to 240", 1)]  # fmt: skip


def test_segment_counts_have_a_dot_for_each_coding() -> None:
    chart = figures.segment_counts(cs.describe(small()))
    _, dots = rows_of(chart)
    assert {(dot["document"], dot["coder"]): dot["n"] for dot in dots} == {
        ("one", "ann"): 3, ("one", "bob"): 3, ("one", "near"): 3, ("one", "none"): 1,
        ("two", "ann"): 2, ("two", "bob"): 3, ("two", "near"): 2, ("two", "none"): 1,
    }  # fmt: skip
    assert "from 1 to 3" in title_of(chart)


def test_segment_sizes_by_document_have_every_segment() -> None:
    chart = figures.segment_sizes(cs.describe(small()), by="document")
    (rows,) = rows_of(chart)
    sizes = {name: sorted(row["n"] for row in rows if row["document"] == name) for name in ("one", "two")}
    assert sizes == {"one": [2, 2, 2, 2, 3, 3, 6, 6, 7, 11], "two": [2, 2, 4, 4, 4, 4, 4, 8]}
    assert "the longest 11 (one)" in title_of(chart)
    with pytest.raises(ParameterError, match="by"):
        figures.segment_sizes(cs.describe(small()), by="coder")  # type: ignore[arg-type]


def test_document_sizes_have_a_bar_for_each_document() -> None:
    chart = figures.document_sizes(cs.describe(small()))
    (band,), bars, *_ = rows_of(chart)
    assert {bar["document"]: bar["n"] for bar in bars} == {"one": 11, "two": 8}
    assert (band["low"], band["mean"], band["high"]) == (8.0, 9.5, 11.0)
    assert "9.5 ± 1.5 units, from 8 (two) to 11 (one)" in title_of(chart)
    even = figures.document_sizes(cs.describe(cs.load_stargazers()))
    assert title_of(even) == "Documents have 21.0 ± 0.0 units"


def test_granularity_by_hand() -> None:
    # All have 4. bob's 10 and cy's 6 stand in one stretch: conflict. ann leaves whole what either divides.
    corpus = cs.Corpus.from_dict({"d": {"ann": [4, 12], "bob": [4, 6, 6], "cy": [4, 2, 10]}})
    chart = figures.granularity(cs.describe(corpus))
    bars, _, ticks, labels = rows_of(chart)
    assert {(bar["coder"], bar["kind"]): bar["n"] for bar in bars if bar["n"]} == {
        ("ann", "coarser"): 2, ("bob", "finer"): 1, ("bob", "conflict"): 2, ("cy", "finer"): 1,
        ("cy", "conflict"): 2,
    }  # fmt: skip
    assert [bar["high"] for bar in bars if bar["coder"] == "bob"] == pytest.approx([1 / 3, 1 / 3, 1])
    # Of 14 free positions 3 are before 4 and 11 after: bob's and cy's share a side in 3·2 + 11·10 of 14·13.
    apart = 2 * (1 - (3 * 2 + 11 * 10) / (14 * 13))
    assert {tick["coder"]: tick["chance"] for tick in ticks} == pytest.approx(
        {"ann": 1.0, "bob": (1 + apart) / 3, "cy": (1 + apart) / 3}
    )
    assert [label["label"] for label in labels] == ["0 · 2 · 0", "1 · 0 · 2", "1 · 0 · 2"]
    assert title_of(chart).startswith(
        f"50 % of the differences are granularity ({100 * (2 + apart) / 4:.0f} %"
    )
    same = cs.Corpus.from_dict({"d": {"ann": [2, 3], "bob": [2, 3]}})
    with pytest.raises(CorpusError, match="no boundary differs"):
        figures.granularity(cs.describe(same))


def test_boundaries_have_a_bar_for_each_coder(description: Description) -> None:
    chart = figures.boundaries(description)
    bars = rows_of(chart)[1]
    rates = {coder: (len(masses) - 1) / 20 for coder, masses in STARGAZERS.items()}
    assert {bar["coder"]: bar["rate"] for bar in bars} == pytest.approx(rates)
    assert [bar["n"] for bar in bars] == [len(masses) - 1 for masses in STARGAZERS.values()]
    assert f"{fmean(rates.values()):.3f} ± {pstdev(rates.values()):.3f}" in title_of(chart)
    # The band, the bars, the ends of the band on top of them, the mean and the numbers.
    assert marks_of(chart) == [1, 7, 1, 1, 1, 7]


def test_the_sweep_has_the_edits_of_every_n_t(stargazers: cs.Corpus, description: Description) -> None:
    _, points = rows_of(figures.sweep(description))
    found = {(point["n_t"], point["kind"]): point["n"] for point in points}
    assert len(found) == 14 * 3
    # F13t table 5.3: 28 transpositions and 72 additions at n_t = 2.
    assert tuple(found["2", kind] for kind in ("near misses", "full misses", "all edits")) == (28, 72, 100)
    pairs = combinations(stargazers["stargazers"].values(), 2)
    assert found["15", "all edits"] == sum(cs.align(one, other, n_t=15).distance for one, other in pairs)


def test_spans_have_the_near_misses_by_distance(stargazers: cs.Corpus, description: Description) -> None:
    chart = figures.spans(description)
    bars, _ = rows_of(chart)
    near = [
        edit.distance
        for one, other in combinations(stargazers["stargazers"].values(), 2)
        for edit in cs.align(one, other, n_t=15).transpositions
    ]
    assert {bar["span"]: bar["n"] for bar in bars if bar["n"]} == {
        str(span): near.count(span) for span in set(near)
    }
    assert title_of(chart).startswith(f"28 of {len(near)} near misses")


@pytest.mark.exhaustive
def test_sweep_and_spans_are_signed_with_the_n_t_that_they_draw(stargazers: cs.Corpus) -> None:
    def signed(draw: Any, **options: Any) -> str:
        return caption_of(draw(cs.describe(stargazers, **options)))

    assert signed(figures.sweep).startswith("describe|n_t=2..15|method=greedy|")
    assert signed(figures.spans).startswith("describe|n_t=15|method=greedy|")
    assert "|n_t=2..4|" in signed(figures.sweep, n_t=3, sweep=range(2, 5))
    assert "|n_t=2,5,9|" in signed(figures.sweep, sweep=(2, 5, 9))
    assert "|n_t=9|" in signed(figures.spans, sweep=(2, 9, 5))
    four = figures.Options(n_t=4)
    assert "|n_t=2..4|" in caption_of(figures.FIGURES["sweep"].make(stargazers, four))
    assert "|n_t=4|" in caption_of(figures.FIGURES["spans"].make(stargazers, four))


@pytest.mark.exhaustive
def test_axes_of_small_counts_have_whole_numbers_each_once() -> None:
    few = cs.Corpus.from_dict({"d": {"ann": [2, 3], "bob": [3, 2], "cy": [5]}})
    described, compared = cs.describe(few), cs.compare(few, segmenters=["cy"], n_resamples=99, rng=0)
    # Segments of 2, 3, 2, 3 and 5 units; 2, 2 and 1 in a coding; a near miss and two times a full miss.
    expected = {
        figures.segment_sizes: (described, [list("0123456"), list("012")]),
        figures.segment_counts: (described, [list("012")]),
        figures.sweep: (described, [list("0123")]),
        figures.spans: (described, [list("01")]),
    }
    for draw, (result, axes) in expected.items():
        assert axes_of(draw(result))[-len(axes) :] == axes, draw
    for result in (described, compared):
        assert axes_of(figures.edit_bars(result)) == [list("012")]
    assert axes_of(figures.strips(cs.Corpus.from_dict({"d": {"ann": [1, 1]}}))) == [list("012")]
    many = cs.describe(cs.Corpus.from_dict({"d": {"ann": [1] * 400, "bob": [1] * 400}}))
    (sizes, counts) = axes_of(figures.segment_sizes(many))
    assert (sizes, counts[0], counts[-1]) == (list("012"), "0", "800")
    assert len(counts) < 12


def test_support_has_a_box_for_each_tolerance() -> None:
    corpus = cs.Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [5, 3, 3]}})
    chart = figures.support(cs.describe(corpus))
    exact = rows_of(chart)[0][0]
    # Positions 5 (two of three coders), 6 and 8 (one each).
    assert (exact["least"], exact["median"], exact["greatest"]) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert "67 % of 3 marked positions are marked by one coder only, 0 % by all" in title_of(chart)
    assert marks_of(chart) == [3, 3, 3, 3]


def test_what_needs_two_coders_says_so() -> None:
    alone = cs.describe(cs.Corpus.from_dict({"d": {"ann": [2, 3]}}))
    for draw in (figures.sweep, figures.spans, figures.support, figures.granularity):
        with pytest.raises(CorpusError, match="no document has two coders"):
            draw(alone)
    with pytest.raises(CorpusError, match="no sweep"):
        figures.sweep(cs.describe(small(), sweep=()))


def test_edit_bars_of_coders(description: Description) -> None:
    chart = figures.edit_bars(description)
    assert {bar["kind"]: bar["n"] for bar in rows_of(chart)[0]} == {
        "match": 83, "near miss": 28, "full miss": 72,
    }  # fmt: skip
    # 83 matches and 28 near misses have two boundaries each, 72 full misses one: 294 in all.
    assert (
        f"{100 * 166 / 294:.0f} % of the coders' boundaries match, {100 * 56 / 294:.0f} % are near misses"
        in title_of(chart)
    )


# -------------------------------------------------------------------- agreement and comparison


def test_agreement_has_a_point_and_an_interval_for_each_group() -> None:
    two_groups = cs.Corpus.from_dict(
        {
            "one": {"ann": [2, 3, 6], "bob": [2, 2, 7]},
            "two": {"ann": [4, 4], "bob": [4, 4]},
            "three": {"dan": [3, 3], "eve": [3, 3]},
        }
    )
    result = cs.agreement(two_groups, n_resamples=99, rng=0)
    chart = figures.agreement(result)
    whiskers, points, _ = rows_of(chart)
    shown = [point["value"] for point in points if point["group"] == "π*_B"]
    parts = (result, *result.groups)
    assert shown == pytest.approx([part.value for part in parts])
    intervals = [part.interval for part in parts]
    assert [(row["low"], row["high"]) for row in whiskers] == [(one.low, one.high) for one in intervals]
    low, high = result.interval.low, result.interval.high
    assert title_of(chart) == f"π*_B {result.value:.2f} ({low:.2f}–{high:.2f}); 2 groups of coders"


def test_half_widths_are_those_of_the_plan() -> None:
    plan = cs.plan(a_pilot(), width=0.1, coders=[2, 5], documents=[5, 20], n_resamples=0, rng=0)
    chart = figures.half_widths(plan)
    lines, rule, _ = rows_of(chart)
    drawn = {(row["documents"], row["coders"]): row["half-width"] for row in lines}
    assert drawn[20, "5"] == plan.half_width(20, 5).value
    assert {coders for _, coders in drawn} == {"2", "5"}
    assert [row["half-width"] for row in rule] == [0.1]
    assert title_of(chart).startswith(
        f"With 20 documents expect π*_B ± {plan.half_width(20, 2).value:.2f} with 2 coders"
    )


def test_agreement_of_the_stargazers(stargazers: cs.Corpus) -> None:
    chart = figures.agreement(cs.agreement(stargazers, chance="published", n_resamples=0))
    assert rows_of(chart)[1][0]["value"] == pytest.approx(0.4405, abs=5e-5)  # F13
    assert title_of(chart) == "π*_B 0.44"
    assert marks_of(chart) == [0, 3, 1]  # no interval, three points and a number


def test_agreement_that_is_not_defined_is_refused() -> None:
    result = cs.agreement(cs.Corpus.from_dict({"d": {"ann": [1, 1], "bob": [1, 1]}}), n_resamples=0)
    with pytest.raises(CorpusError, match="not defined in any group"):
        figures.agreement(result)


def test_means_have_a_point_for_each_segmenter_and_bound(comparison: Comparison) -> None:
    chart = figures.means(comparison)
    whiskers, points, _, (line,), (band,) = rows_of(chart)
    human = comparison["human"]
    assert (line["value"], band) == (human.value, {"low": human.interval.low, "high": human.interval.high})
    assert "Dashed: people against each other (0.750), band: their interval." in subtitle_of(chart)
    # near: 1.5 of 2, 1.5 of 2, 1 of 1 and 1 of 2 boundary pairs, as in the heat map; none: nothing.
    values = {point["name"]: point["value"] for point in points}
    assert values["near"] == pytest.approx((1.5 + 1.5 + 1 + 1) / (2 + 2 + 1 + 2))
    assert values["none"] == 0
    assert [point["name"] for point in points] == ["human", "near", "chance", "none"]
    assert {row["name"]: (row["low"], row["high"]) for row in whiskers} == {
        comparison.labels[row.name]: (row.interval.low, row.interval.high) for row in comparison.rows
    }
    assert "near has B 0.714, none 0.000" in title_of(chart)


@pytest.mark.exhaustive
def test_only_means_with_intervals_promise_them_and_all_name_their_seed(comparison: Comparison) -> None:
    chart = figures.means(comparison)
    assert f"|resamples=99,seed={comparison.seed}|draws=" in caption_of(chart)
    counts = comparison.counts
    again = bootstrap_intervals(comparison.metric, counts, n_resamples=99, rng=comparison.seed)
    people, *others = [(row["low"], row["high"]) for row in rows_of(chart)[0]]
    assert people == (comparison["human"].interval.low, comparison["human"].interval.high)
    assert others == [
        (found.low, found.high)
        for name in ("near", "random", "none")
        for found in [again[comparison.tested.index(name)]]
    ]
    one = small().select(documents=["one"])
    references, near = one.select(coders=["ann", "bob"]), one.select(coders=["near"])
    compared = figures.means(cs.compare(one, segmenters=["near"], n_resamples=99, rng=0))
    assert "|resamples=99,seed=0|draws=" in caption_of(compared)  # random boundaries have draws, too
    for alone in (compared, figures.means(cs.evaluate(references, near, rng=0))):
        assert marks_of(alone)[0] == 0
        assert "One document: no intervals." in subtitle_of(alone)
        assert "hiskers" not in subtitle_of(alone)
    assert "Whiskers: 95 % bootstrap intervals" in subtitle_of(CHARTS["means of an evaluation"])
    assert marks_of(CHARTS["means of an evaluation"])[0] > 0


@pytest.mark.parametrize(
    ("metric", "better"), [("B", "higher is better"), ("WD", "lower is better"), ("Density", "1 is best")]
)
def test_the_axis_says_what_is_better(metric, better) -> None:
    chart = figures.means(cs.compare(small(), segmenters=["near"], metric=metric, n_resamples=99, rng=0))
    assert f"{metric} ({better})" in chart.to_json()


def test_means_by_coder_and_document(comparison: Comparison) -> None:
    _, points, (line,), _ = rows_of(figures.means(comparison, by="coder"))
    assert line["value"] == comparison["human"].value
    found = {(point["name"], point["group"]): point["value"] for point in points}
    assert found == pytest.approx(
        {("ann", "near"): 2.5 / 3, ("ann", "none"): 0, ("bob", "near"): 2.5 / 4, ("bob", "none"): 0}
    )
    chart = figures.means(comparison, by="document")
    found = {(point["name"], point["group"]): point["value"] for point in rows_of(chart)[1]}
    assert found == pytest.approx(
        {("one", "near"): 3 / 4, ("one", "none"): 0, ("two", "near"): 2 / 3, ("two", "none"): 0}
    )
    assert "from 0.00 (none on one) to 0.75 (near on one)" in title_of(chart)
    with pytest.raises(ParameterError):
        figures.means(comparison, by="reader")  # type: ignore[arg-type]


def test_pooled_means_have_the_boundary_pairs_of_all_segmenters(comparison: Comparison) -> None:
    whiskers, points, *_ = rows_of(figures.means(comparison, by="coder", pooled=True))
    assert {point["group"] for point in points} == {"all segmenters"}
    assert {point["name"]: point["value"] for point in points} == pytest.approx(
        {"ann": 2.5 / 6, "bob": 2.5 / 8}
    )
    # ann's boundary pairs: 1, 1/2 and 1 of near, three of none; 2.570582 is Student's t with 5 degrees.
    of_ann = [1.0, 0.5, 1.0, 0.0, 0.0, 0.0]
    reach = 2.570582 * stdev(of_ann) / 6**0.5
    ends = next((row["low"], row["high"]) for row in whiskers if row["name"] == "ann")
    assert ends == pytest.approx((fmean(of_ann) - reach, fmean(of_ann) + reach))
    chart = figures.means(comparison, by="document", pooled=True)
    assert {point["name"]: point["value"] for point in rows_of(chart)[1]} == pytest.approx(
        {"one": 3 / 8, "two": 2 / 6}
    )
    assert "from 0.33 (all segmenters on two) to 0.38 (all segmenters on one)" in title_of(chart)
    for by in (None, "metric"):
        with pytest.raises(ParameterError, match="pooled"):
            figures.means(comparison, by=by, pooled=True)  # type: ignore[arg-type]


def test_means_by_metric(comparison: Comparison) -> None:
    whiskers, points = rows_of(figures.means(comparison, by="metric"))
    found = {(point["name"], point["group"]): point["value"] for point in points}
    assert found["B", "human"] == pytest.approx(fmean([1.0, 0.5]))
    assert found["B", "near"] == pytest.approx(fmean([0.75, 0.75, 1.0, 0.5]))
    # 3.182446 is the 97.5 % quantile of Student's t with three degrees of freedom.
    reach = 3.182446 * stdev([0.75, 0.75, 1.0, 0.5]) / 2
    low, high = next(
        (row["low"], row["high"]) for row in whiskers if (row["name"], row["group"]) == ("B", "near")
    )
    assert (low, high) == (pytest.approx(0.75 - reach), pytest.approx(0.75 + reach))
    corpus = small()
    wd = [
        float(cs.window_diff(corpus[document, coder], corpus[document, "near"]))
        for document in ("one", "two")
        for coder in ("ann", "bob")
    ]
    assert found["WD", "near"] == pytest.approx(fmean(wd))


def seven_segmenters() -> Comparison:
    """s0 marks what ann does in "one"; each next one marks one boundary less of the first seven."""
    codings = {"ann": [1] * 8, **{f"s{n}": [1] * (7 - n) + [n + 1] for n in range(7)}}
    return cs.compare(
        cs.Corpus.from_dict({"one": codings}), segmenters=[f"s{n}" for n in range(7)], n_resamples=99, rng=0
    )


def test_means_of_more_than_six_segmenters_are_a_heat_map() -> None:
    compared = seven_segmenters()
    names = [f"s{n}" for n in range(7)]
    cells, *_ = rows_of(figures.means(compared, by="coder"))
    # Of ann's seven boundaries sn has 7 - n.
    shares = [(7 - n) / 7 for n in range(7)]
    assert {(cell["row"], cell["column"]): cell["value"] for cell in cells} == pytest.approx(
        {("ann", name): share for name, share in zip(names, shares, strict=True)}
    )
    cells, *_ = rows_of(figures.means(compared, by="metric"))
    of_b = {cell["column"]: cell for cell in cells if cell["row"] == "B"}
    assert [of_b[name]["value"] for name in names] == pytest.approx(shares)
    assert [round(of_b[name]["shade"], 6) for name in ("s0",)] == [1]
    worst = min(of_b, key=lambda name: of_b[name]["value"])
    assert of_b[worst]["shade"] == 0
    for by in ("coder", "metric"):
        assert {*names} <= {*texts_of(svg_of(figures.means(compared, by=by)))}, (
            "every name stands on the axis"
        )
    # Of errors the least is the darkest, too.
    of_wd = {cell["column"]: cell for cell in cells if cell["row"] == "WD"}
    assert max(of_wd, key=lambda name: of_wd[name]["shade"]) == min(of_wd, key=lambda n: of_wd[n]["value"])


def test_axes_of_values_begin_at_zero_and_end_soon_after_the_data() -> None:
    corpus = cs.Corpus.from_dict({d: {"ann": [3, 4, 5], "x": [9, 3]} for d in "abc"})
    svg = svg_of(figures.means(cs.compare(corpus, segmenters=["x"], bounds=(), n_resamples=99, rng=0)))
    numbers = [float(text) for text in texts_of(svg) if re.fullmatch(r"\d\.\d+", text)]
    assert min(numbers) == 0
    # Two boundaries, none of them marked by x: 0, and the axis ends at 1 for want of values.
    assert max(numbers) == 1
    low = svg_of(figures.agreement(cs.agreement(cs.load_stargazers(), n_resamples=99, rng=0)))
    assert "1.0" not in texts_of(low)
    assert "0.0" in texts_of(low)
    assert {"0.6", "0.9"} & {*texts_of(low)} == {"0.6"}


@pytest.mark.exhaustive
def test_times_are_times_and_characters_are_characters() -> None:
    codings = {"talk": {"ann": [60, 60, 60], "bob": [62, 58, 60]}}
    corpus = cs.Corpus.from_dict(codings).with_spans({"talk": cs.Units.every(0.5, 90.0)})
    chart = figures.strips(corpus, n_t="1.5s")
    assert {"0:00", "0:30", "1:00", "1:15", "1:30", "time"} <= {*texts_of(svg_of(chart))}
    assert "2 codings of 1:30" in subtitle_of(chart)
    assert "(n_t=0:01.5)" in subtitle_of(chart)
    described = cs.describe(corpus, n_t="1.5s", sweep=range(2, 5))
    assert [row["n_t"] for row in rows_of(figures.sweep(described))[0]][::3] == ["0:01", "0:01.5", "0:02"]
    assert title_of(figures.spans(described)) == "0 of 1 near misses up to distance 0:01.5 span 0:00.5"
    assert title_of(figures.segment_sizes(described)) == "Segments have 0:30 ± 0:00.6, the longest 0:31"
    assert title_of(figures.document_sizes(described)) == "Documents have 1:30 ± 0:00"
    late = corpus.with_spans({"talk": cs.Units.every(0.5, 690.0, start=600.0)})
    assert {"10:00", "10:30", "11:30"} <= {*texts_of(svg_of(figures.strips(late, n_t="1.5s")))}
    text = cs.Corpus.from_dict({"d": {"ann": [3, 4], "bob": [4, 3]}})
    text = text.with_spans({"d": cs.Units.from_text("abcdefg", by="character")})
    assert "characters" in texts_of(svg_of(figures.strips(text)))
    assert "distance in characters" in texts_of(svg_of(figures.spans(cs.describe(text))))


def test_edit_bars_of_segmenters(comparison: Comparison) -> None:
    chart = figures.edit_bars(comparison)
    found = {(bar["name"], bar["kind"]): bar["n"] for bar in rows_of(chart)[0]}
    # near: a match and a near miss with either coder on "one", then a match, and a match and a miss.
    assert [found["near", kind] for kind in ("match", "near miss", "missed", "spurious")] == [4, 2, 1, 0]
    assert [found["none", kind] for kind in ("match", "near miss", "missed", "spurious")] == [0, 0, 7, 0]
    assert title_of(chart) == "near: 4 matches, 2 near misses, 1 missed and 0 spurious boundaries"
    assert marks_of(chart) == [4 * 4, 4 * 4]


def test_precision_and_recall(comparison: Comparison) -> None:
    chart = figures.precision_recall(comparison)
    lines, _, points, *_ = rows_of(chart)
    # TP = 4 + 2 × 1/2 = 5, FP = 0, FN = 1.
    (near,) = [point for point in points if point["name"] == "near"]
    assert (near["precision"], near["recall"]) == pytest.approx((1.0, 5 / 6))
    for point in lines:
        p, r = point["precision"], point["recall"]
        assert 2 * p * r / (p + r) == pytest.approx(point["f"])
        assert 0 < p <= 1 + 1e-9
    assert marks_of(chart)[:3] == [9, 9, 4]


def test_names_of_close_points_do_not_cover_each_other() -> None:
    """Boxes of 6 pixels for each letter, 11 high, on a side of 460 pixels."""
    codings = {
        f"d{i}": {name: [4 + (i == n), 4 - (i == n), 4, 4] for n, name in enumerate(["ann", *"abcdefgh"])}
        for i in range(8)
    }
    compared = cs.compare(cs.Corpus.from_dict(codings), segmenters=list("abcdefgh"), n_resamples=99, rng=0)
    _, _, points, labels, leaders = rows_of(figures.precision_recall(compared))
    places = {label["name"]: (460 * label["recall"], 460 * label["precision"]) for label in labels}
    assert set(places) == {point["name"] for point in points}
    for (one, (x, y)), (other, (x2, y2)) in combinations(places.items(), 2):
        apart = x2 - x >= 6 * len(one) or x - x2 >= 6 * len(other) or abs(y - y2) >= 11
        assert apart, (one, other)
    where = {point["name"]: (point["recall"], point["precision"]) for point in points}
    assert all(where[line["name"]] == (line["to recall"], line["to precision"]) for line in leaders)


@pytest.mark.exhaustive
def test_substitutions_of_hierarchies_are_levels_and_of_types_are_types() -> None:
    ranks = hierarchies()
    typed = cs.Corpus.from_dict(
        {
            "d": {
                "ann": cs.Segmentation.from_positions([4, 9], 16, [1, 2]),
                "bob": cs.Segmentation.from_positions([4, 9], 16, [2, 2]),
            }
        }
    )
    for corpus, kind, sentence in (
        (ranks, "other level", "of another level"),
        (typed, "wrong type", "of a wrong type"),
    ):
        described = cs.describe(corpus)
        assert kind in {row["kind"] for row in rows_of(figures.edit_bars(described))[0]}
        assert title_of(figures.edit_bars(described)).endswith(sentence)
        assert f"{kind}s" in {row["kind"] for row in rows_of(figures.sweep(described))[0]}
        assert f" 1 {sentence}" in title_of(figures.strips(corpus))
        reference, segmenter = corpus.coders[0], corpus.coders[-1]
        both = corpus.select(coders=[reference, segmenter])
        compared = cs.compare(both, segmenters=[segmenter], types=True, rng=0)
        assert title_of(figures.edit_bars(compared)).endswith(f", 1 {sentence}")


def test_without_a_boundary_axes_begin_at_zero_and_errors_are_true() -> None:
    nobody = cs.describe(cs.Corpus.from_dict({"d": {"ann": [20], "bob": [20]}}))
    for chart in (figures.sweep(nobody), figures.spans(nobody)):
        assert spec_of(chart)["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"] == {"domain": [0, 1]}
    assert title_of(figures.spans(nobody)) == "No near misses up to distance 14"
    with pytest.raises(CorpusError, match="no coder marks a boundary"):
        figures.support(nobody)
    with pytest.raises(CorpusError, match="no document has two coders"):
        figures.support(cs.describe(cs.Corpus.from_dict({"d": {"ann": [10, 10]}})))


def test_the_axis_of_one_segment_size_says_that_size_once() -> None:
    alone = cs.describe(cs.Corpus.from_dict({"d": {"ann": [20], "bob": [20]}}))
    assert texts_of(svg_of(figures.segment_sizes(alone))).count("20") == 1


def test_labels_of_many_rows_do_not_cover_each_other() -> None:
    many = cs.Corpus.from_dict({"d": {f"coder {i}": [4, 4, 4] for i in range(90)}})
    root = ElementTree.fromstring(figures.to_svg(figures.boundaries(cs.describe(many))))
    labels = [text for text in root.iter(f"{SVG}text") if (text.text or "").startswith("coder ")]
    shown = [label for label in labels if label.get("opacity") != "0"]
    assert 40 <= len(shown) <= 45  # rows of 10 pixels have room for every second name


def test_metrics_are_told_by_name_unless_two_have_the_same() -> None:
    typed = cs.Corpus.from_dict(
        {"d": {name: cs.Segmentation.from_positions([4, 9], 16, [1, 2]) for name in ("ann", "bob", "cyd")}}
    )
    compared = cs.compare(typed, segmenters=["bob"], n_resamples=99, rng=0)
    assert "B 1.000" in title_of(figures.means(compared, by="metric"))
    twice = cs.compare(typed, segmenters=["bob"], metrics=("B(n_t=5)",), n_resamples=99, rng=0)
    rows = {row["name"] for row in rows_of(figures.means(twice, by="metric"))[1]}
    assert len(rows) == 2
    assert any("n_t=5" in name for name in rows)


def test_post_hoc_has_a_cell_for_every_two(comparison: Comparison) -> None:
    chart = figures.post_hoc(comparison)
    cells = {(cell["row"], cell["column"]): cell for cell in rows_of(chart)[0]}
    assert len(cells) == 4 * 3
    human = comparison["human"].value
    assert cells["near", "human"]["difference"] == pytest.approx(comparison["near"].value - human)
    assert "from them 0 of 3 differ" in subtitle_of(chart)
    near = comparison["near"].value
    assert cells["near", "none"]["difference"] == pytest.approx(near)
    assert cells["none", "near"]["difference"] == pytest.approx(-near)
    assert title_of(chart) == "0 of 3 differences are significant at α = 0.05"  # two documents show nothing
    assert figures.to_svg(figures.post_hoc(comparison.test("codings")))
    alone = cs.compare(small(), segmenters=["near"], bounds=(), n_resamples=99, rng=0)
    with pytest.raises(CorpusError, match="no two segmenters"):
        figures.post_hoc(alone)


def test_post_hoc_marks_what_is_significant() -> None:
    codings = {
        f"d{i}": {"ann": [3, 3, 3], "good": [3, 3, 3], "bad": [1, 8] if i % 2 else [9]} for i in range(12)
    }
    compared = cs.compare(cs.Corpus.from_dict(codings), segmenters=["good", "bad"], bounds=(), human=False,
                          n_resamples=999, rng=0)  # fmt: skip
    chart = figures.post_hoc(compared)
    assert title_of(chart) == "1 of 1 difference is significant at α = 0.05"
    assert all(cell["p"].endswith("*") for cell in rows_of(chart)[0])


def test_levels_have_a_point_for_each_level_and_one_for_all() -> None:
    coded = hierarchies()["play"]
    errors = {name: cs.hierarchical_window_diff(coded["gold"], coded[name]) for name in ("other", "wrong")}
    chart = figures.levels(errors)
    _, points = rows_of(chart)
    assert len(points) == 2 * (3 + 1)
    found = {(point["name"], point["level"]): point["value"] for point in points}
    assert found["other", "level 1"] == 0
    assert found["other", "all levels"] == pytest.approx(float(errors["other"]))
    top = cs.window_diff(cs.Segmentation.from_positions([9], 16), cs.Segmentation.from_positions([9], 16))
    assert float(top) == found["other", "level 1"]
    whole = cs.window_diff(
        cs.Segmentation.from_positions([4, 9, 12], 16), cs.Segmentation.from_positions([4, 9, 13], 16)
    )
    assert found["other", "level 3"] == pytest.approx(float(whole))
    with pytest.raises(ParameterError, match="no hypothesis"):
        figures.levels({})


def test_levels_without_a_reference_show_some_of_the_coders() -> None:
    def asked(n: int) -> str:
        coding = cs.Hierarchy.from_ranks({4: 1}, 8)
        corpus = cs.Corpus.from_dict({"d": {f"c{i}": coding for i in range(n)}})
        with pytest.raises(ParameterError) as caught:
            figures.FIGURES["levels"].make(corpus, figures.Options())
        return str(caught.value)

    assert asked(6).endswith("(c0, c1, c2, c3, c4 and c5)")
    assert asked(7).endswith("(c0, c1, c2, c3, c4, c5 and 1 more)")


# -------------------------------------------------------------------- curves


def test_curves_have_lines_spread_and_published_points() -> None:
    chart = figures.curves(a_series())
    spread, line, points, published = rows_of(chart)
    assert [(row["low"], row["high"]) for row in spread] == [(0.9, 1.0), (0.4, 0.6), (0.2, 0.3)]
    assert len(line) == len(points) == 6
    assert [(row["x"], row["y"]) for row in published] == [(0.5, 0.52)]
    assert marks_of(chart) == [1, 2, 6, 1]
    assert "published points: 1, largest difference 0.0200" in title_of(chart)


def test_curves_over_categories_have_points_and_no_lines() -> None:
    series = a_series(
        curves=(Curve("median", ("ch1", "ch2"), (3.0, 5.0), (2.0, 4.0), (4.0, 6.0)),), published=()
    )
    chart = figures.curves(series)
    assert marks_of(chart) == [2, 2]  # whiskers and points
    assert "similarity from 3 to 5" in title_of(chart)


def test_points_that_go_back_are_not_joined() -> None:
    series = a_series(curves=(Curve("s", (1.0, 2.0, 1.0), (1.0, 2.0, 3.0)),), published=())
    assert marks_of(figures.curves(series)) == [3]
    drawing = a_series(published=(), signature="drawing|caesura", is_drawing=True)
    assert marks_of(figures.curves(drawing))[1:] == [
        3,
        3,
    ]  # the spread; rings of the first, points of the other


# -------------------------------------------------------------------- safety


NASTY = "</script><script>alert(1)</script>\"'&\x1b[31m\u202e{{x}}\nline"


def nasty() -> cs.Corpus:
    return cs.Corpus.from_dict({NASTY: {f"{NASTY}1": [2, 3, 6], "<img src=x onerror=alert(1)>": [2, 2, 7]}})


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "draw",
    [
        lambda corpus: figures.strips(corpus),
        lambda corpus: figures.heat_map(cs.coder_matrix(corpus)),
        lambda corpus: figures.document_heat_map(cs.coder_matrix(corpus)),
        lambda corpus: figures.boundaries(cs.describe(corpus)),
        lambda corpus: figures.segment_counts(cs.describe(corpus)),
        lambda corpus: figures.means(cs.compare(corpus, segmenters=[f"{NASTY}1"], n_resamples=99, rng=0)),
    ],
)
def test_names_from_data_can_do_nothing(draw: Any) -> None:
    chart = draw(nasty())
    svg = figures.to_svg(chart)
    root = ElementTree.fromstring(svg)  # well-formed, so control characters are gone
    assert not list(root.iter(f"{SVG}script"))
    assert not list(root.iter(f"{SVG}img"))
    assert "\x1b" not in svg
    assert "\u202e" not in svg
    page = figures.to_html(chart)
    assert page.lower().count("<script") == page.lower().count("</script") == 2
    assert "<img src=x" not in page
    assert figures.to_png(chart).startswith(b"\x89PNG")


def test_very_long_names_do_not_blow_up_the_picture() -> None:
    long = cs.Corpus.from_dict({"d" * 10_000: {"a" * 10_000: [2, 3], "b" * 10_000: [3, 2]}})
    lines, _, own, ticks, *_ = rows_of(figures.strips(long))
    assert {row["row"] for row in lines} == {row["row"] for row in [*own, *ticks]}
    for chart in (figures.strips(long), figures.heat_map(cs.coder_matrix(long))):
        root = ElementTree.fromstring(figures.to_svg(chart))
        assert float(root.get("width", "0")) < 1500
        assert float(root.get("height", "0")) < 800


@pytest.mark.exhaustive
def test_a_page_loads_nothing() -> None:
    page = figures.to_html(CHARTS["strips"])
    head = page[: page.index("<script>")]
    assert "default-src 'none'" in head
    for attribute in (" src=", " href=", "@import", "url("):
        assert attribute not in head
    assert '"url"' not in page[page.rindex("<script>") :]


@pytest.mark.exhaustive
def test_the_same_data_gives_the_same_bytes(stargazers: cs.Corpus) -> None:
    def drawn(seed: int) -> str:
        return figures.to_svg(figures.agreement(cs.agreement(stargazers, n_resamples=99, rng=seed)))

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHARTS)
def test_drawing_twice_gives_the_same_bytes(name: str) -> None:
    assert figures.to_svg(CHARTS[name]) == svg_of(CHARTS[name])


def test_pictures_in_one_page_define_nothing_under_the_same_name() -> None:
    pages = [svg_of(CHARTS[name]) for name in ("heat map", "document heat map", "means", "post hoc")]
    ids = [re.findall(r' id="([^"]+)"', page) for page in pages]
    assert all(len(found) == 1 for found in ids)
    assert len({found[0] for found in ids}) == 4
    for page, (found,) in zip(pages, ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", page)) == {found}


# -------------------------------------------------------------------- themes and files


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colors as WCAG 2.2 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_default_theme_is_readable_on_its_background() -> None:
    theme = figures.THEMES["auto"]
    assert theme.background == "white"
    assert contrast(theme.ink, "#ffffff") >= 7  # WCAG AAA for text
    for color in theme.palette:
        assert contrast(color, "#ffffff") >= 3.0  # and for graphics


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_of_a_theme_is_readable_on_its_background(theme: str) -> None:
    chosen = figures.THEMES[theme]
    background = {"white": "#ffffff"}.get(chosen.background, chosen.background)
    assert contrast(chosen.ink, background) >= 7.0


def test_what_a_user_configures_wins_key_by_key(tmp_path):
    """Altair's ``configure`` replaces everything, ``configure_axis`` a section."""
    chart = figures.heat_map(cs.coder_matrix(cs.load_stargazers()))
    dark = figures.THEMES["dark"]

    def saved(configured: Any) -> str:
        figures.save(configured, tmp_path / "out.svg", theme="dark")
        return (tmp_path / "out.svg").read_text(encoding="utf-8")

    assert dark.background in saved(chart)
    for own in (
        chart.configure(font="Courier", background="transparent"),
        chart.properties(config={"font": "Courier", "background": "transparent"}),
    ):
        svg = saved(own)
        assert "Courier" in svg
        assert dark.background not in svg
        assert dark.ink in svg
    larger = specification(chart.configure_axis(labelFontSize=21).configure_text(limit=7), "dark")["config"]
    plain = specification(chart, "dark")["config"]
    assert larger == {
        **plain,
        "axis": {**plain["axis"], "labelFontSize": 21},
        "text": {**plain["text"], "limit": 7},
    }


@pytest.mark.exhaustive
def test_themes_change_the_colors_of_a_chart() -> None:
    chart = CHARTS["heat map"]
    assert 'fill="currentColor"' in figures.to_svg(chart, theme="page")
    assert figures.THEMES["dark"].ink in figures.to_svg(chart, theme="dark")
    for name, drawn in CHARTS.items():
        colors = re.findall(r'"#([0-9a-f]{6})"', figures.to_svg(drawn, theme="print").lower())
        assert all(one[:2] == one[2:4] == one[4:] for one in colors), name
    with pytest.raises(UnknownNameError, match="did you mean 'dark'"):
        figures.to_svg(chart, theme="drak")


def test_opposite_differences_have_two_greys_in_print(comparison: Comparison) -> None:
    svg = figures.to_svg(figures.post_hoc(comparison), theme="print")
    cells = next(
        list(group)
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if "mark-rect" in group.get("class", "").split()
    )
    differences = [row["difference"] for row in rows_of(figures.post_hoc(comparison))[0]]
    grays = dict(zip(differences, (cell.get("fill") for cell in cells), strict=True))
    assert len(set(grays.values())) == len(grays) > 2


def test_text_is_dark_by_default() -> None:
    assert 'fill="#222222"' in svg_of(CHARTS["heat map"])


@pytest.mark.exhaustive
def test_kinds_of_edits_have_the_colors_of_the_page() -> None:
    drawn = make_report(cs.load_stargazers(), n_resamples=0).to_html()
    page = dict(re.findall(r"--(match|near|missed|spurious|type): (#[0-9a-f]{6})", drawn.split("@media")[0]))
    typed = cs.Segmentation.from_positions
    corpus = cs.Corpus.from_dict(
        {
            "d": {
                "ann": typed([4, 9, 12, 20, 26], 40, [1, 2, 1, 1, 1]),
                "bob": typed([4, 9, 13, 32], 40, [2, 2, 1, 1]),
            }
        }
    )
    described, compared = cs.describe(corpus), cs.compare(corpus, segmenters=["bob"], rng=0)
    sides = {"match": "match", "near miss": "near", "missed": "missed", "spurious": "spurious",
             "wrong type": "type"}  # fmt: skip
    between = {"match": "match", "near miss": "near", "full miss": "missed", "wrong type": "type"}
    by_n_t = {"near misses": "near", "full misses": "missed", "wrong types": "type"}
    for chart, kinds in (
        (figures.strips(corpus, reference="ann"), sides),
        (figures.edit_bars(compared), sides),
        (figures.edit_bars(described), between),
        (figures.sweep(described), by_n_t),
    ):
        colors = legend_of(figures.to_svg(chart))
        assert {kind: colors[kind] for kind in kinds} == {kind: page[name] for kind, name in kinds.items()}
        assert set(colors) - set(kinds) <= {"all edits"}
        assert len(set(colors.values())) == len(colors)
        assert len(set(legend_of(figures.to_svg(chart, theme="print")).values())) == len(colors)


def test_color_is_never_alone() -> None:
    """Where points differ in color they differ in shape too."""
    for name, chart in CHARTS.items():
        for layer in spec_of(chart)["vconcat"][0]["layer"]:
            color = layer.get("encoding", {}).get("color", {})
            if layer["mark"]["type"] == "point" and "field" in color:
                assert layer["encoding"]["shape"]["field"] == color["field"], name


def test_more_names_than_colors_are_still_told_apart() -> None:
    labels = [f"{n} coders" for n in range(2, 20)]
    chart = figures.curves(
        a_series(curves=tuple(Curve(label, (0.0,), (1.0,)) for label in labels), published=())
    )
    layers = spec_of(chart)["vconcat"][0]["layer"]
    shapes = next(layer for layer in layers if layer["mark"]["type"] == "point")["encoding"]["shape"][
        "scale"
    ]["range"]
    colors = figures.THEMES["auto"].palette
    looks = [(colors[i % len(colors)], shape) for i, shape in enumerate(shapes)]
    assert len(set(looks)) == len(labels)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [kind for kind, figure in figures.FIGURES.items() if not figure.takes_name])
def test_every_kind_fits_a_column(kind: str) -> None:
    chosen = {"width": "acl", "font_size": 8, "title": False}
    options = figures.Options("one", ("near", "none"), ("ann",), resamples=99, scores=SCORES, **chosen)
    svg = figures.to_svg(figures.FIGURES[kind].make(small(), options))
    root = ElementTree.fromstring(svg)
    assert root.get("width") == "218.268pt"  # 77 mm
    wide, high = map(float, root.get("viewBox", "").split()[2:])
    assert wide == pytest.approx(218.268 * 11 / 8, abs=0.01)  # a label of 11 units is 8 points
    assert float(root.get("height", "").removesuffix("pt")) == pytest.approx(high * 8 / 11, abs=0.01)


@pytest.mark.exhaustive
def test_a_layout_gives_width_font_and_words() -> None:
    matrix = cs.coder_matrix(cs.load_stargazers())
    plain = figures.heat_map(matrix)
    layout = figures.Layout("3in", font="DejaVu Serif", title=False, signature=False)
    bare = layout.draw(figures.heat_map, matrix)
    svg = figures.to_svg(bare)
    assert {"3", "0.30"} < set(texts_of(svg))
    assert not [text for text in texts_of(svg) if "pooled" in text or "|" in text]
    assert 'font-family="DejaVu Serif"' in svg
    root = ElementTree.fromstring(svg)
    assert [element.text for element in root.iter(f"{SVG}metadata")] == [caption_of(plain)]
    assert not list(ElementTree.fromstring(figures.to_svg(plain)).iter(f"{SVG}metadata"))
    assert figures.THEMES["dark"].ink in figures.to_svg(bare, theme="dark")
    # Other words are as they were: a layout changes no chart that it is not asked to.
    same = figures.Layout(400).draw(figures.heat_map, matrix)
    assert texts_of(figures.to_svg(same)) == texts_of(figures.to_svg(figures.heat_map(matrix, width=400)))


@pytest.mark.exhaustive
def test_titles_and_signatures_are_broken_at_the_width_of_the_column() -> None:
    chart = figures.Layout("acl").draw(figures.strips, cs.load_stargazers())
    wide = figures.strips(cs.load_stargazers())
    assert len(spec_of(chart)["vconcat"][0]["title"]["text"]) > len(
        spec_of(wide)["vconcat"][0]["title"]["text"]
    )
    assert title_of(chart) == title_of(wide)
    assert caption_of(chart) == caption_of(wide)


@pytest.mark.exhaustive
def test_text_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ParameterError, match="width 1in leaves no room beside the labels"):
        figures.Layout("1in").draw(figures.strips, cs.load_stargazers())
    for width, message in (("3", "'3' is not a width"), ("4000mm", "out of range"), (9, "out of range")):
        with pytest.raises(ParameterError, match=message):
            figures.Layout(width)
    with pytest.raises(ParameterError, match="font_size is 0"):
        figures.Layout(font_size=0)


def chunks_of(png: bytes) -> dict[bytes, bytes]:
    """The chunks of a PNG by type, read as PNG's section 5.3 has it."""
    chunks, at = {}, 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + content) == int.from_bytes(png[at + 8 + length : at + 12 + length], "big")
        chunks[kind + content.split(b"\0")[0] if kind == b"iTXt" else kind] = content
        at += 12 + length
    return chunks


def test_the_metadata_of_a_png_are_its_title_and_signature_and_its_size() -> None:
    chart = figures.Layout("3in", signature=False).draw(
        figures.heat_map, cs.coder_matrix(cs.load_stargazers())
    )
    chunks = chunks_of(figures.to_png(chart))
    signature = caption_of(figures.heat_map(cs.coder_matrix(cs.load_stargazers())))
    assert chunks[b"iTXtSubject"] == b"Subject\0\0\0\0\0" + signature.encode()
    assert chunks[b"iTXtTitle"].startswith(b"Title\0\0\0\0\x007 coders: B ")
    assert abs(int.from_bytes(chunks[b"IHDR"][:4], "big") - 900) <= 1  # 3 inches of 300 pixels
    per_metre = int.from_bytes(chunks[b"pHYs"][:4], "big")
    assert per_metre == pytest.approx(300 / 0.0254, abs=1)


def test_the_metadata_of_a_pdf_are_its_title_and_signature_and_its_size() -> None:
    """The last cross-reference section leads to the information, and to the section before (ISO 32000-1)."""
    chart = figures.Layout("3in", signature=False).draw(
        figures.heat_map, cs.coder_matrix(cs.load_stargazers())
    )
    pdf = figures.to_pdf(chart)
    table = int(pdf.rsplit(b"startxref", 1)[1].split()[0])
    section = re.match(rb"xref\n(\d+) 1\n(\d{10}) 00000 n\r\ntrailer\n<<(.*?)>>", pdf[table:], re.DOTALL)
    assert section is not None
    number, offset, trailer = section.groups()
    assert b"/Info %s 0 R" % number in trailer
    before = re.search(rb"/Prev (\d+)", trailer)
    assert before is not None
    assert pdf[int(before[1]) :].startswith(b"xref")
    assert pdf[int(offset) :].startswith(b"%s 0 obj\n<<" % number)
    subject = re.search(rb"/Subject <([0-9a-f]+)>", pdf[int(offset) :])
    assert subject is not None
    signature = caption_of(figures.heat_map(cs.coder_matrix(cs.load_stargazers())))
    assert bytes.fromhex(subject[1].decode()).decode("utf-16") == signature
    assert re.findall(rb"/MediaBox \[0 0 216 [\d.]+\]", pdf)


def test_save_writes_each_format_by_its_extension(tmp_path) -> None:
    chart = CHARTS["spans"]
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>", "SVG": b"<svg"}
    for extension, start in starts.items():
        path = tmp_path / f"figure.{extension}"
        figures.save(chart, path)
        assert path.read_bytes().startswith(start)
    with pytest.raises(
        ParameterError, match=r"figure\.gif: unknown extension of a figure; use \.svg, \.png, \.pdf, \.html"
    ):
        figures.save(chart, tmp_path / "figure.gif")
    with pytest.raises(ParameterError, match="unknown extension of a figure; use"):
        figures.save(chart, tmp_path / "figure")
    assert len(list(tmp_path.iterdir())) == len(starts)


@pytest.mark.exhaustive
def test_a_report_of_too_many_pairs_has_no_figure_of_granularity(monkeypatch: pytest.MonkeyPatch) -> None:
    report = make_report(small(), segmenters=["near", "none"], rng=0)

    def drawn() -> list[str]:
        return [title.split(":")[0] for title, *_ in gallery(report.description, report.comparison)]

    assert "Granularity or conflict" in drawn()
    monkeypatch.setattr("caesura.figures.gallery.MOST_COMPARED", report.description.pairs - 1)
    assert "Granularity or conflict" not in drawn()


@pytest.mark.exhaustive
def test_titles_in_a_report_are_a_name_and_a_finding() -> None:
    report = make_report(small(), segmenters=["near", "none"], rng=0)
    titles = [title for title, *_ in gallery(report.description, report.comparison)]
    assert len(titles) == 8
    assert titles[0].startswith("Segmenters and bounds: near has B 0.714, none 0.000")
    assert sum(title.startswith("Precision against recall: ") for title in titles) == 1
    assert (
        titles[2] == "Edits of segmenters: near: 4 matches, 2 near misses, 1 missed and 0 spurious boundaries"
    )


# -------------------------------------------------------------------- notebooks and the missing extra


def test_a_notebook_shows_the_table_and_a_figure(stargazers: cs.Corpus) -> None:
    for result in (
        cs.coder_matrix(stargazers),
        cs.agreement(stargazers, n_resamples=0),
        cs.describe(stargazers),
    ):
        page = result._repr_html_()
        assert page.index("<table>") < page.index("<svg")
        assert "currentColor" in page
    shown = support(stargazers)._repr_html_()
    assert "<table>" in shown
    assert "<svg" not in shown


def test_without_altair_a_notebook_shows_the_table_and_figures_say_what_to_install(
    stargazers: cs.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == "altair":
            raise ModuleNotFoundError("No module named 'altair'")
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    matrix = cs.coder_matrix(stargazers)
    with pytest.raises(MissingExtraError, match=r"^figures need Altair: .* -m pip install .*\[report\]'$"):
        figures.heat_map(matrix)
    assert "<svg" not in matrix._repr_html_()
    assert "<table>" in matrix._repr_html_()


def test_a_result_that_can_not_be_drawn_is_shown_as_a_table() -> None:
    result = cs.agreement(cs.Corpus.from_dict({"d": {"ann": [1, 1], "bob": [1, 1]}}), n_resamples=0)
    page = result._repr_html_()
    assert "<table>" in page
    assert "<svg" not in page


def test_importing_the_figures_does_not_import_altair() -> None:
    code = "import sys, caesura.figures; print('altair' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -------------------------------------------------------------------- thresholds


def test_thresholds_show_the_curve_the_best_and_the_value_held_out() -> None:
    found = cs.sweep(small().select(coders=["ann"]), SCORES, "B(n_t=1)", rng=1)
    chart = figures.thresholds(found)
    line, points, rule, ring, label, held, held_label = rows_of(chart)
    assert [(row["cut"], row["n"]) for row in line] == [(0.9, 2), (0.8, 3), (0.3, 4), (0.2, 6), (0.1, 17)]
    # Ann marks 2 and 5 of the one and 4 of the other: 0.9 finds 2 of 3, the next adds a spurious 4.
    assert [row["value"] for row in points[:2]] == pytest.approx([2 / 3, 2 / 4])
    assert (ring[0]["cut"], ring[0]["value"]) == (0.9, pytest.approx(2 / 3))
    assert rule == ring == label
    assert held == held_label
    assert held[0]["value"] == pytest.approx(found.best.held_out)
    assert title_of(chart).startswith("Best threshold 0.9: B 0.667 where it was chosen, ")
