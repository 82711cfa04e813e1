"""The report's page in a real browser: what it shows, how it is moved, and that it is safe. Source of truth:
the library's results for the same corpus, hand-made documents, and axe-core for accessibility."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode, urlparse

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.alignment import Alignment
from caesura.analyses.reporting import report
from caesura.figures.gallery import gallery
from caesura.pages.markup import folded_table
from caesura.results.table import Column, Table

from .conftest import violations

REPORTS = ("stargazers", "typed", "hierarchy")


@pytest.fixture(params=REPORTS)
def made(request):
    return request.getfixturevalue(request.param)


def link(**fields: object) -> str:
    return "#" + urlencode(fields)


def wait_for_address(page, **fields: object) -> None:
    """Wait until the address says so: it follows what is shown, but not many times a second."""
    page.wait_for_function(
        "wanted => { const found = new URLSearchParams(location.hash.slice(1)); "
        "return Object.entries(wanted).every(([name, value]) => found.get(name) === value) }",
        arg={name: str(value) for name, value in fields.items()},
    )


def focused(page) -> str:
    return page.evaluate("document.activeElement.id || document.activeElement.textContent")


def shown_b(page) -> float:
    numerator, denominator = re.search(r"= ([\d.]+) / (\d+)", page.inner_text("#result")).groups()
    return float(numerator) / int(denominator) if int(denominator) else 1.0


def counts_shown(page) -> dict[str, int]:
    """Read '3 matches · 1 near miss · …'."""
    kinds = "match|near miss|missed|spurious|wrong type|other level"
    return {name: int(n) for n, name in re.findall(rf"(\d+) ({kinds})", page.inner_text("#result"))}


def counts_of(found: Alignment, scheme: cs.TypeScheme | None) -> dict[str, int]:
    counts = {
        "match": len(found.matches),
        "near miss": len(found.transpositions),
        "missed": len(found.missed),
        "spurious": len(found.spurious),
    }
    if scheme is None:
        return counts
    return counts | {"other level" if scheme.ranks else "wrong type": len(found.substitutions)}


def aligned(made, document: str, ref: str, hyp: str, n_t: int) -> tuple[Alignment, float]:
    """What the library finds, with the weights that agreement() and compare() take for this corpus."""
    scheme = made.corpus.type_scheme
    weights = {}
    if scheme is not None:
        weights = {"types": scheme.types, "substitution": "constant" if scheme.nominal else "scaled"}
    pair = made.corpus[document, ref], made.corpus[document, hyp]
    return cs.align(*pair, n_t=n_t, **weights), float(cs.boundary_similarity(*pair, n_t=n_t, **weights))


def downloaded(page, button: str) -> tuple[str, str]:
    with page.expect_download() as waiting:
        page.click(button)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_text(encoding="utf-8")


# -------------------------------------------------------------------- what it shows


def test_the_verdict_is_the_librarys(open_page, stargazers):
    page = open_page(stargazers)
    found = cs.agreement(cs.load_stargazers(), rng=0)
    verdict = page.inner_text("#answer")
    assert found.notes[0].text in verdict
    assert f"{found.value:.3f}" in verdict
    assert f"{found.observed:.3f}" in verdict
    assert page.title() == page.inner_text("h1") == "Stargazers"
    assert page.inner_text("#sections").split() == ["Answer", "Agreement", "Corpus", "Documents"]


def test_segmenters_have_their_section(open_page, typed, typed_corpus):
    page = open_page(typed)
    found = cs.compare(
        typed_corpus, segmenters=["c3", "c4"], metric="B", metrics=["Pk", "WD"], n_resamples=99, rng=0
    )
    assert found.findings[0] in page.inner_text("#answer")
    rows = page.locator("#segmenters details").first.locator("tbody tr")
    shown = [rows.nth(i).locator("td, th").all_inner_texts()[1:3] for i in range(rows.count())]
    assert [name for name, _ in shown[1:]] == [
        name if name in ("c3", "c4") else "chance (lower bound)" for name in found.ranking
    ]
    assert [value for _, value in shown[1:]] == [f"{found[name].value:.4f}" for name in found.ranking]


def test_every_document_has_the_librarys_values(open_page, made):
    page = open_page(made)
    metrics = ["B", "F", "Pk", "WD"] + (["EWD"] if made.corpus.is_hierarchical else [])
    people = made.corpus.select(coders=made.references)
    matrices = [cs.coder_matrix(people, metric) for metric in metrics]
    page.select_option("#values", "0")
    assert page.locator(".list thead th").all_inner_texts() == ["document", "units", "coders", *metrics]
    rows = page.locator(".list tbody tr:not(.spacer)")
    assert rows.count() == len(made.corpus.documents)
    for i, document in enumerate(made.corpus.documents):
        cells = rows.nth(i).locator("td, th").all_inner_texts()
        values = [f"{float(matrix.document(document).scores.micro):.3f}" for matrix in matrices]
        n_coders = str(len(made.corpus[document]))
        assert cells == [document, str(made.corpus.n_units(document)), n_coders, *values]


def test_values_of_a_segmenter_are_those_of_evaluate(open_page, typed, typed_corpus):
    page = open_page(typed)
    page.select_option("#values", "2")
    people, machine = typed_corpus.select(coders=["c1", "c2"]), typed_corpus.select(coders=["c4"])
    found = cs.evaluate(people, machine, ["B", "F", "Pk", "WD"], n_resamples=1, rng=0)
    rows = page.locator(".list tbody tr:not(.spacer)")
    for i in range(len(found.documents)):
        cells = rows.nth(i).locator("td").all_inner_texts()
        assert cells[2:] == [f"{summary.documents[i]:.3f}" for summary in found.summaries]


def test_the_grid_has_each_coders_b(open_page, made):
    """B against the references; a person's against the other people of the document."""
    page = open_page(made)
    names = page.locator(".list thead th").all_inner_texts()[2:]
    assert sorted(names) == sorted(made.corpus.coders)
    people = made.corpus.select(coders=made.references)
    rows = page.locator(".list tbody tr:not(.spacer)")
    for i, document in enumerate(made.corpus.documents):
        cells = rows.nth(i).locator("td").all_inner_texts()[1:]
        for name, cell in zip(names, cells, strict=True):
            if name in made.segmenters:
                sides = (people, made.corpus.select(coders=[name]))
                here = [side.select(documents=[document]) for side in sides]
                expected = float(cs.evaluate(*here, ["B"], n_resamples=1, rng=0).summaries[0].micro)
            else:
                expected = cs.coder_matrix(people, documents=[document]).means[name]
            assert float(cell) == pytest.approx(expected, abs=0.00506)


def test_a_cell_of_the_grid_opens_its_document_and_coder(open_page, typed):
    page = open_page(typed)
    page.locator(".list tbody tr", has_text="d4").locator("td[title*='c4']").click()
    wait_for_address(page, doc="d4", hyp="c4")
    page.locator(".list tbody tr", has_text="d2").locator("td[title*='c1']").click()
    wait_for_address(page, doc="d2", ref="c2", hyp="c1")


def test_the_worst_document_is_open(open_page, typed, hierarchy):
    """Of the best segmenter, or of people among themselves."""
    found = cs.compare(typed.corpus, segmenters=["c3", "c4"], n_resamples=99, rng=0)
    best = next(name for name in found.ranking if name in ("c3", "c4"))
    people, machine = (typed.corpus.select(coders=names) for names in (["c1", "c2"], [best]))
    values = cs.evaluate(people, machine, ["B"], n_resamples=1, rng=0).summaries[0].documents
    page = open_page(typed)
    assert page.inner_text("#document-title") == typed.corpus.documents[values.index(min(values))]
    assert page.locator("#hypothesis option:checked").inner_text() == best
    assert page.locator("#hypothesis optgroup:has(:checked)").get_attribute("label") == "Segmenters"
    matrix = cs.coder_matrix(hierarchy.corpus)
    among = {name: float(matrix.document(name).scores.micro) for name in hierarchy.corpus.documents}
    page = open_page(hierarchy)
    worst = min(among, key=lambda name: among[name])
    assert page.inner_text("#document-title") == worst
    assert worst in page.inner_text("#worst figcaption")
    assert f"B {among[worst]:.3f}" in page.inner_text(".next")


def test_with_one_gold_coding_the_page_is_about_the_comparison(open_page, typed_corpus):
    corpus = typed_corpus.rename({"c1": "gold"})
    made = report(corpus, segmenters=["c2", "c3", "c4"], n_resamples=99).with_charts()
    page = open_page(made)
    said = page.inner_text("body")
    assert "one reference, gold · 3 segmenters" in said
    for absent in ("no document has two coders", "4 coders", "too few to point out outliers"):
        assert absent not in said.lower()
    sections = page.inner_text("#sections").split()
    assert sections == ["Answer", "Segmenters", "Figures", "Corpus", "Documents"]
    assert page.locator("#figures figcaption").count() == 0  # a chart has its title
    assert page.locator("#answer .means tbody tr").count() == 4  # with chance


def test_the_first_screen_answers(open_page, stargazers, typed):
    """Figure with its interval, picture, caveats as in the terminal, what to do next; without scrolling."""
    page = open_page(stargazers)
    interval = cs.agreement(cs.load_stargazers(), rng=0).interval
    shown = page.inner_text(".key")
    assert f"95 % interval {interval.low:.2f}–{interval.high:.2f}" in shown
    assert "one document" in page.inner_text(".caveats").lower()
    for part in (".key strong", "#worst svg", ".caveats", ".next"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] < 900
    page = open_page(typed)
    box = page.locator("#answer .means").bounding_box()
    assert box["y"] + box["height"] < 900
    assert box["x"] > 600  # beside the words


def on_axis(page, table: str) -> dict[str, float]:
    """Read the dots of a picture against its ticks 0 and 1, by the place of both on the screen."""
    return page.evaluate(
        """table => {
          const middle = (element) => {
            const box = element.getBoundingClientRect();
            return box.x + box.width / 2;
          };
          const ticks = [...table.querySelectorAll("tfoot span")];
          const at = (text) => middle(ticks.find((tick) => tick.textContent === text));
          const [zero, one] = [at("0"), at("1")];
          const rows = [...table.querySelectorAll("tbody tr:has(.dot)")];
          const along = (row) => (middle(row.querySelector(".dot")) - zero) / (one - zero);
          return Object.fromEntries(rows.map((row) => [row.querySelector("th").textContent, along(row)]));
        }""",
        page.locator(table).element_handle(),
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_pictures_of_values_have_0_1_chance_and_people(open_page, stargazers, typed, width):
    page = open_page(stargazers, width=width)
    found = stargazers.agreement
    expected = {"these coders": found.value, "random coders": found.random.mean}
    assert on_axis(page, "#answer .means") == pytest.approx(expected, abs=0.01)
    assert (
        page.locator(".means tr", has_text="published studies").locator(".number").inner_text() == "0.18–0.44"
    )
    page = open_page(typed, width=width)
    compared = typed.comparison
    expected = {name: compared[name].value for name in ("c3", "c4")}
    expected |= {"people": compared.human.value, "chance": compared["random"].value}
    assert on_axis(page, "#answer .means") == pytest.approx(expected, abs=0.01)
    assert page.locator("#answer .means tbody tr").first.locator(".through").count() == 2
    assert set(on_axis(page, "#agreement .means")) == {"these coders", "random coders"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_time_is_time(open_page):
    """Units of half a second from 1:00 on: positions, lengths, distances and n_t are times."""
    spans = {"d": cs.Units.every(0.5, 3661, start=60)}  # 7,202 units
    codings = {"d": {"ann": [101, 7101], "bob": [102, 7100]}}
    page = open_page(report(cs.Corpus.from_dict(codings).with_spans(spans), n_resamples=0))
    ticks = page.locator(".strips svg text").all_text_contents()
    assert ticks == ["ann", "bob", "1:00", "1:01:01", "31:00.5"]
    assert page.inner_text("output[for='n-t']") == "0:01"
    assert "1:00:01" in page.inner_text(".place")
    page.keyboard.press("n")
    assert page.inner_text(".current-edit") == "near miss: ann at 1:50.5, bob at 1:51"
    assert "the other 0:00.5 below" in page.locator(".gap").first.inner_text()


def test_metrics_that_rank_alike_are_one_bullet(open_page, typed):
    rankings = typed.comparison.rankings
    other = {spec for spec, names in rankings.items() if names.index("c4") < names.index("c3")}
    assert len(other) == 3
    assert open_page(typed).locator("#answer li", has_text="above c3").count() == 1


def test_segmenters_stand_apart_from_people(open_page, typed):
    """The matrix of coders has people alone; each segmenter stands beside each of them elsewhere."""
    page = open_page(typed)
    heads = page.locator("#agreement table.heat thead th").all_inner_texts()
    assert heads == ["coder", "mean", "c1", "c2"]
    assert typed.matrix.n_pairs == 6
    heads = page.locator("#segmenters table.heat thead th").all_inner_texts()
    assert heads[:3] == ["coder", "c3", "c4"]


@pytest.mark.parametrize("width", [390, 1280])
def test_sections_stay_in_sight(open_page, typed, width):
    """The bar of sections stays at the top, and covers neither a heading it leads to nor the text's bar."""
    page = open_page(typed, width=width, height=844)
    bar = page.locator("#sections")
    for name in ("agreement", "documents"):
        bar.locator(f"a[href='#{name}']").click()
        box = bar.bounding_box()
        assert box["y"] == 0
        assert box["height"] < 60
        heading = page.locator(f"#{name}-title").bounding_box()
        assert box["height"] <= heading["y"] < 844
    for _ in range(9):
        page.keyboard.press("n")
    assert page.locator(".stay").bounding_box()["y"] >= box["height"] - 1
    current = page.locator(".gap.current").bounding_box()
    stay = page.locator(".stay").bounding_box()
    assert stay["y"] + stay["height"] <= current["y"] < 844


def test_signatures_are_folded(open_page, typed):
    page = open_page(typed)
    signatures = page.locator("#agreement .signatures").first
    assert not signatures.locator(".signature").is_visible()
    signatures.locator("summary").click()
    assert signatures.locator(".signature").inner_text() == typed.agreement.signature


def test_below_few_segmenters_stands_the_worst_document(open_page, typed):
    """Reference and best segmenter, and a legend of what is drawn and nothing else."""
    page = open_page(typed)
    document, best = typed.worst.document, typed.worst.whose
    assert page.locator("#worst text").all_text_contents()[:2] == ["c1", best]
    found, _ = aligned(typed, document, "c1", best, 2)
    drawn = {kind for kind, n in counts_of(found, typed.corpus.type_scheme).items() if n and kind != "match"}
    pair = [typed.corpus[document, coder] for coder in ("c1", best)]
    used = {kind for coding in pair for _, kind in coding.boundaries}
    drawn |= {f"{kind} {typed.corpus.type_scheme.names[kind]}" for kind in used}
    swatches = [text.lstrip("~−+≠ \n") for text in page.locator("#worst .swatch").all_inner_texts()]
    assert set(swatches) == drawn
    value = f"{typed.worst.metric.name} {typed.worst.value:.3f}"
    assert f"where {best} is farthest off ({value})" in page.inner_text("#worst figcaption")


def test_levels_of_the_first_picture_have_a_legend(open_page, hierarchy):
    page = open_page(hierarchy)
    coded = hierarchy.corpus[hierarchy.worst.document].values()
    ranks = sorted({rank for coding in coded for _, rank in coding.boundaries})
    assert page.locator("#worst .swatch").all_inner_texts() == [f"level {rank}" for rank in ranks]


def test_one_coder_alone_is_described(open_page):
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 4]}, "e": {"ann": [6]}})
    page = open_page(report(corpus, n_resamples=0))
    assert page.inner_text(".key").split("\n")[:2] == ["mean segment", "4.0"]  # (2 + 4 + 6) / 3
    assert page.inner_text("body").lower().count("no document has two coders") == 1
    assert "caesura annotate" in page.inner_text(".next")


def test_coders_who_may_be_segmenters_are_named(open_page):
    coded = {"gold": [2, 3, 4], "C99": [2, 4, 3], "mine": [5, 4]}
    page = open_page(report(cs.Corpus.from_dict({"d": coded}), n_resamples=0))
    assert "C99 and mine may be segmenters, but count as coders here" in page.inner_text(".caveats")


@pytest.fixture(scope="module")
def wide():
    """One reference, and more segmenters than a chart of differences can hold."""
    made = cs.simulate(6, 21, n_units=60, mean_segment=5, near_miss=0.2, full_miss=0.2, rng=4)
    return report(made.rename({"c1": "gold"}), references=["gold"], n_resamples=99).with_charts()


def test_differences_of_many_segmenters_are_a_table(open_page, wide):
    page = open_page(wide)
    found = wide.comparison
    assert not any(title.startswith("Differences between segmenters") for title, *_ in wide.figures)
    table = page.locator("#segmenters details", has_text="Differences of B of every two").locator("table")
    order = [name for name in found.ranking if name in found.tested]
    assert table.locator("thead th").all_inner_texts() == [
        "segmenter",
        *(found.labels[name] for name in order),
    ]
    rows = table.locator("tbody tr")
    assert rows.count() == len(order) == 21  # with the random bound
    for i in (0, 7, 20):
        cells = rows.nth(i).locator("td").all_inner_texts()
        for j, cell in enumerate(cells):
            if i != j:
                difference = found[order[i]].value - found[order[j]].value
                assert float(cell) == pytest.approx(difference, abs=0.00501)


def test_what_scrolls_shows_its_edge_and_keeps_its_names(open_page, wide):
    """A shadow lies over the cells, whatever their color, until the end is in sight."""
    page = open_page(wide, width=900)
    for box in (page.locator("table.heat").first.locator("xpath=.."), page.locator(".list-box")):
        frame = box.locator("xpath=..")
        shadow = "frame => getComputedStyle(frame, '::after').opacity"
        name = box.locator("tbody th").first
        page.wait_for_function("frame => frame.classList.contains('more-right')", arg=frame.element_handle())
        assert frame.evaluate(shadow) == "1"
        before = name.bounding_box()["x"]
        box.evaluate("box => { box.scrollLeft = box.scrollWidth }")
        page.wait_for_function("frame => !frame.classList.contains('more-right')", arg=frame.element_handle())
        assert frame.evaluate(shadow) == "0"
        assert name.bounding_box()["x"] == pytest.approx(before, abs=1)
        assert violations(page, ".list-box") == []


def test_coders_of_the_open_document_are_in_sight(open_page):
    """Other people coded the last chapters of The Moonstone."""
    made = report(cs.read(data_path("moonstone", "moonstone_masses.json")), n_resamples=0)
    page = open_page(made, link(doc="ch21"), width=1100)
    box = page.locator(".list-box").bounding_box()
    cells = page.locator(".list tr[aria-current] td[data-coder]")
    assert cells.count() == len(made.corpus["ch21"])
    for cell in cells.all():
        at = cell.bounding_box()
        assert box["x"] <= at["x"]
        assert at["x"] + at["width"] <= box["x"] + box["width"] + 1


def test_the_heat_map_holds_the_coder_matrix(open_page, stargazers):
    page = open_page(stargazers)
    matrix = cs.coder_matrix(cs.load_stargazers())
    cells = page.locator("table.heat tbody tr").nth(2).locator("td").all_inner_texts()
    expected = ["" if i == 2 else f"{value:.2f}" for i, value in enumerate(matrix.values[2])]
    assert cells == [f"{matrix.means['3']:.2f}", *expected]


def test_moonstone_has_its_groups_and_chapters(open_page):
    """All coders, and five groups of them, on twenty chapters (Kazantseva & Szpakowicz 2012)."""
    page = open_page(report(cs.read(data_path("moonstone", "moonstone_masses.json")), n_resamples=0))
    assert page.locator("#agreement details").first.locator("tbody tr").count() == 6
    page.select_option("#values", "0")
    assert page.locator(".list tbody tr:not(.spacer)").count() == 20
    page.keyboard.press("]")
    page.keyboard.press("n")
    assert page.inner_text(".counter").startswith("1 of ")


# -------------------------------------------------------------------- the reader


def test_the_slider_aligns_as_the_library_does(open_page, typed):
    page = open_page(typed, link(doc="d2", ref="c1", hyp="c4"))
    for n_t in range(1, 11):
        page.fill("#n-t", str(n_t))
        found, value = aligned(typed, "d2", "c1", "c4", n_t)
        assert counts_shown(page) == counts_of(found, typed.corpus.type_scheme), n_t
        assert shown_b(page) == pytest.approx(value, abs=1e-4), n_t
        wait_for_address(page, n_t=n_t)


def test_every_pair_can_be_chosen(open_page, made):
    document = made.corpus.documents[0]
    page = open_page(made, link(doc=document))
    reference, hypothesis = page.locator("#reference"), page.locator("#hypothesis")
    coders = made.corpus.coders

    for ref, hyp in zip(coders[1:], coders, strict=False):
        reference.select_option(label=ref)
        hypothesis.select_option(label=hyp)
        found, value = aligned(made, document, ref, hyp, 2)
        assert counts_shown(page) == counts_of(found, made.corpus.type_scheme)
        assert shown_b(page) == pytest.approx(value, abs=1e-4)
        wait_for_address(page, ref=ref, hyp=hyp)


def test_text_and_marks_are_those_of_the_corpus(open_page, typed):
    page = open_page(typed, link(doc="d3"))
    corpus = typed.corpus
    assert tuple(page.locator(".words").all_inner_texts()) == corpus.units["d3"]
    marked = sorted({position for coder in corpus.coders for position in corpus["d3", coder].positions})
    gaps = page.locator(".gap")
    assert [int(gaps.nth(i).get_attribute("data-position")) for i in range(gaps.count())] == marked
    for i, position in enumerate(marked):
        # Columns stand in the order reference, hypothesis, others: c1, c3, c2, c4.
        expected = [
            str(kind)
            for coder in ("c1", "c3", "c2", "c4")
            for at, kind in corpus["d3", coder].boundaries
            if at == position
        ]
        assert gaps.nth(i).locator(".mark i").all_inner_texts() == expected


def test_keys_walk_through_the_differences(open_page, typed):
    page = open_page(typed, link(doc="d1", ref="c1", hyp="c2", n_t=3))
    found, _ = aligned(typed, "d1", "c1", "c2", 3)
    starts = sorted(
        [edit.position for edit in (*found.additions, *found.substitutions)]
        + [edit.start for edit in found.transpositions]
    )
    walked = []
    for number in range(1, len(starts) + 1):
        page.keyboard.press("n")
        assert page.inner_text(".counter") == f"{number} of {len(starts)}"
        wait_for_address(page, edit=number)
        current = page.locator(".gap.current")
        walked.append(int(current.get_attribute("data-position")))
        box = current.bounding_box()
        assert 0 < box["y"] < 900
        assert f"Difference {number} of {len(starts)}" in page.inner_text("[role=status]")
    assert walked == starts
    page.keyboard.press("p")
    assert page.inner_text(".counter") == f"{len(starts) - 1} of {len(starts)}"
    page.keyboard.press("j")
    page.keyboard.press("j")  # from the last to the first
    assert page.inner_text(".counter") == f"1 of {len(starts)}"
    page.keyboard.press("]")
    assert page.inner_text("#document-title") == "d2"
    page.keyboard.press("[")
    page.keyboard.press("[")  # from the first to the last
    assert page.inner_text("#document-title") == "d6"


def test_kinds_can_be_hidden(open_page, typed):
    documents = typed.corpus.documents
    document = next(name for name in documents if aligned(typed, name, "c1", "c3", 4)[0].transpositions)
    page = open_page(typed, link(doc=document, ref="c1", hyp="c3", n_t=4))
    found, _ = aligned(typed, document, "c1", "c3", 4)
    page.get_by_label("missed").uncheck()
    page.get_by_label("spurious").uncheck()
    page.get_by_label("wrong type").uncheck()
    n = len(found.transpositions)
    assert page.inner_text(".counter") == (f"{n} differences" if n > 1 else "1 difference")
    assert page.locator(".gap .sign.missed, .gap .sign.spurious, .gap .sign.type").count() == 0
    assert page.locator(".gap .sign.near").count() == 2 * n
    assert counts_shown(page) == counts_of(
        found, typed.corpus.type_scheme
    )  # hiding does not change the numbers


def test_another_rank_is_another_level(open_page):
    """Both mark unit 5, as a boundary of rank 2 and of rank 3; nothing calls that a wrong type."""
    coded = {"c1": {2: 1, 5: 2}, "c2": {2: 1, 5: 3}}
    ranks = {coder: cs.Hierarchy.from_ranks(one, 8) for coder, one in coded.items()}
    page = open_page(report(cs.Corpus.from_dict({"d": ranks}), n_resamples=0), link(doc="d"))
    page.keyboard.press("n")
    assert page.inner_text(".current-edit") == "other level after unit 5: level 2 by c1, level 3 by c2"
    assert page.inner_text(".gap.current .edit") == "≠ other level: level 2, not level 3"
    assert page.inner_text("#result").endswith("· 1 other level")
    assert page.get_by_label("other levels").is_checked()
    _, text = downloaded(page, "#save-svg")
    assert "≠ other level" in text
    assert "wrong type" not in text + page.inner_text("#documents")


def test_a_deep_link_leads_to_a_difference(open_page, hierarchy):
    page = open_page(hierarchy, link(doc="d3", ref="c2", hyp="c3", n_t=2, edit=2))
    found, value = aligned(hierarchy, "d3", "c2", "c3", 2)
    edits = sorted(
        [edit.position for edit in (*found.additions, *found.substitutions)]
        + [edit.start for edit in found.transpositions]
    )
    assert page.inner_text("#document-title") == "d3"
    assert shown_b(page) == pytest.approx(value, abs=1e-4)
    assert page.inner_text(".counter") == f"2 of {len(edits)}"
    current = page.locator(".gap.current")
    assert int(current.get_attribute("data-position")) == edits[1]
    assert current.evaluate(
        "gap => { const b = gap.getBoundingClientRect(); return b.top > 0 && b.bottom < innerHeight }"
    )
    page.evaluate("location.hash = 'doc=d1&n_t=7'")
    page.wait_for_function("() => document.getElementById('document-title').textContent === 'd1'")
    assert page.input_value("#n-t") == "7"


@pytest.mark.parametrize(
    ("fragment", "document"),
    [("#doc=nothing", "d1"), ("#doc=d1&ref=x&hyp=&n_t=99&edit=-3", "d1"), ("#&&==%zz", ""), ("#answer", "")],
)
def test_a_wrong_link_does_no_harm(open_page, hierarchy, fragment, document):
    page = open_page(hierarchy, fragment)
    assert page.inner_text("#document-title") == (document or hierarchy.worst.document)
    assert page.input_value("#n-t") == "2"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"doc": "d9"}, "a document “d9”"),
        ({"doc": "d1", "ref": "x", "hyp": "c9"}, "a reference “x” for this document; a hypothesis “c9” for"),
        ({"doc": "d1", "n_t": 99}, "n_t = 99"),
        ({"doc": "d1", "edit": 999}, "difference 999"),
        ({"doc": "d1", "ref": "c2", "hyp": "c2"}, "two different coders"),
    ],
)
def test_a_link_to_what_is_not_there_says_so(open_page, hierarchy, fields, says):
    page = open_page(hierarchy, link(**fields))
    assert page.inner_text("[role=alert]").startswith(f"The link asks for what is not here: {says}")
    assert page.locator("[role=alert]").bounding_box()["y"] < 900
    page.keyboard.press("]")
    assert not page.locator("[role=alert]").is_visible()


def test_a_coder_of_other_documents_is_missed_in_a_link(open_page):
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 3], "bob": [3, 2]}, "e": {"ann": [2], "cem": [2]}})
    page = open_page(report(corpus, n_resamples=0), link(doc="d", ref="ann", hyp="cem"))
    assert "a hypothesis “cem” for this document" in page.inner_text("[role=alert]")


ODD_NAMES = [
    "a&b=c#d%25", "q\"u'o", "two\nlines", "a+b c", "עברית 日本語 é 👩‍👧", "%", "doc=x", "=1+1", "\ud800 half"
]  # fmt: skip


def test_the_address_leads_back_whatever_the_names(open_page):
    corpus = cs.Corpus.from_dict(
        {name: {f"{name}1": [2, 3, 4], f"{name}2": [3, 4, 2], f"{name}3": [1, 8]} for name in ODD_NAMES}
    )
    made = report(corpus, n_resamples=0)
    page, again = open_page(made), open_page(made)
    for number, name in enumerate(ODD_NAMES):
        page.evaluate("scrollTo(0, 0)")
        page.locator(".list tbody a").nth(number).click()
        page.select_option("#hypothesis", index=2)
        page.keyboard.press("Tab")
        page.keyboard.press("n")
        wait_for_address(page, edit=1, doc=name.replace("\ud800", "\ufffd"))
        again.goto(page.url)
        again.reload()  # as opened with this address
        assert not again.locator("[role=alert]").is_visible()
        for part in ("#result", ".counter", ".current-edit", "#document-title"):
            assert again.inner_text(part) == page.inner_text(part)


def test_a_linked_difference_does_not_depend_on_the_kinds_shown(open_page, typed):
    page = open_page(typed, link(doc="d1", ref="c1", hyp="c3", n_t=4))
    page.get_by_label("missed").uncheck()
    page.get_by_label("wrong type").uncheck()
    page.keyboard.press("n")
    page.keyboard.press("n")
    shown = page.inner_text(".current-edit")
    page.wait_for_function("() => new URLSearchParams(location.hash.slice(1)).has('edit')")
    page.wait_for_timeout(500)
    again = open_page(typed, "#" + urlparse(page.url).fragment)
    assert again.inner_text(".current-edit") == shown
    assert again.inner_text(".counter") != page.inner_text(".counter")


def test_back_and_forward_go_from_document_to_document(open_page, typed):
    page = open_page(typed, link(doc="d1"))
    title = page.locator("#document-title")

    def wait_for_title(name: str) -> None:
        page.wait_for_function(
            "name => document.getElementById('document-title').textContent === name", arg=name
        )

    page.click(".list tbody a >> nth=3")
    wait_for_address(page, doc="d4", n_t=2)
    page.fill("#n-t", "5")
    wait_for_address(page, n_t=5)
    page.wait_for_timeout(500)
    page.keyboard.press("]")
    assert title.inner_text() == "d5"
    page.go_back()
    wait_for_title("d4")
    page.go_back()
    wait_for_title("d1")
    assert page.input_value("#n-t") == "2"
    page.go_forward()
    wait_for_title("d4")
    assert page.input_value("#n-t") == "5"


def test_a_held_key_changes_the_address_a_few_times_only(open_page, typed):
    """Safari throws at the hundredth change in half a minute."""
    page = open_page(typed, link(doc="d1"))
    page.evaluate(
        "() => { window.changes = 0; for (const name of ['pushState', 'replaceState']) { "
        "const plain = history[name].bind(history); "
        "history[name] = (...given) => { window.changes++; plain(...given) } } "
        "for (const key of ['n', ']', '+']) for (let i = 0; i < 100; i++) "
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })) }"
    )
    wait_for_address(page, n_t=10, doc="d5")  # a hundred steps through six documents from d1
    assert page.evaluate("changes") <= 8


def test_an_opened_page_keeps_its_address(open_page, stargazers):
    assert urlparse(open_page(stargazers).url).fragment == ""


def test_pointing_at_a_strip_reads_a_boundary(open_page, stargazers):
    page = open_page(stargazers)
    strips = page.locator(".strips")
    strips.scroll_into_view_if_needed()
    box = strips.bounding_box()
    page.mouse.move(box["x"] + 0.98 * box["width"], box["y"] + 20)
    corpus = cs.load_stargazers()
    last = max(corpus["stargazers", coder].positions[-1] for coder in corpus.coders)
    who = [coder for coder in corpus.coders if last in corpus["stargazers", coder].positions]
    assert page.inner_text(".readout").startswith(f"After unit {last}: {len(who)} of 7 coders")
    assert set(page.inner_text(".readout").split(": ")[2].split(", ")) == set(who)


def test_everything_is_reached_by_tab(open_page, typed):
    page = open_page(typed)
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(() => { const e = document.activeElement; return e.id || e.getAttribute('aria-label') "
                "|| e.textContent })()"
            )
        )
    wanted = {"search", "save-list", "n-t", "reference", "hypothesis", "save-svg", "save-edits", "Keys (?)",
              "Next difference (n)", "Previous difference (p)", "Next document (])"}  # fmt: skip
    assert wanted <= reached
    assert (
        page.evaluate(
            "(() => { const e = document.getElementById('save-svg'); e.focus({focusVisible: true}); "
            "return getComputedStyle(e).outlineStyle })()"
        )
        == "solid"
    )


def test_the_focus_stays_where_the_page_is_drawn_anew(open_page, typed):
    page = open_page(typed, link(doc="d2"))
    page.focus("#n-t")
    page.keyboard.press("ArrowRight")
    assert (focused(page), page.input_value("#n-t")) == ("n-t", "3")
    page.focus("#reference")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "reference"
    box = page.locator(".kind input").first
    box.focus()
    page.keyboard.press("Space")
    assert box.evaluate("box => box === document.activeElement && !box.checked")
    page.select_option("#values", "0")
    page.focus(".list thead th:nth-child(4) button")
    page.keyboard.press("Enter")
    assert focused(page) == "B"
    page.locator(".gap button.edit").first.click()
    page.keyboard.press("+")
    assert page.evaluate("document.activeElement.className").startswith("text")
    page.locator(".list tbody a", has_text="d4").focus()
    page.keyboard.press("]")
    assert focused(page) == "d4"
    page.keyboard.press("Enter")
    assert focused(page) == "document-title"
    assert page.locator("#document-title").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_tab_goes_through_a_list_that_is_drawn_in_parts(open_page):
    corpus = cs.Corpus.from_dict({f"doc {i:03}": {"ann": [2, 3], "bob": [3, 2]} for i in range(300)})
    page = open_page(report(corpus, n_resamples=0))
    page.locator(".list tbody a").first.focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert focused(page) == "doc 060"


def test_help_opens_and_closes_by_key(open_page, stargazers):
    page = open_page(stargazers)
    page.keyboard.press("?")
    assert "next difference" in page.inner_text("dialog[open]")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


# -------------------------------------------------------------------- the list


def test_documents_are_sorted_by_any_metric(open_page, typed):
    page = open_page(typed)
    page.select_option("#values", "0")
    names = page.locator(".list tbody th")
    for place, metric in enumerate(["B", "F", "Pk", "WD"]):
        matrix = cs.coder_matrix(typed.corpus.select(coders=["c1", "c2"]), metric)
        value = {name: float(matrix.document(name).scores.micro) for name in typed.corpus.documents}
        heading = page.locator(".list thead th").nth(3 + place)
        errors = metric in ("Pk", "WD")  # of which the highest is the worst
        heading.locator("button").click()
        worst_first = sorted(value, key=lambda name: (-value[name] if errors else value[name], name))
        assert names.all_inner_texts() == worst_first
        assert heading.get_attribute("aria-sort") == ("descending" if errors else "ascending")
        heading.locator("button").click()
        best_first = sorted(value.values(), reverse=not errors)
        assert [value[name] for name in names.all_inner_texts()] == best_first


def test_where_1_is_best_the_worst_is_farthest_from_it(open_page):
    """Boundaries of the segmenter per boundary of the coder: 4 / 2, 1 / 2 and 2 / 2."""
    sizes = {"twice": [2, 2, 2, 2, 2], "half": [5, 5], "same": [3, 3, 4]}
    coded = {name: {"ann": [3, 3, 4], "machine": one} for name, one in sizes.items()}
    made = report(
        cs.Corpus.from_dict(coded),
        segmenters=["machine"],
        references=["ann"],
        metric="Density",
        n_resamples=0,
    )
    page = open_page(made)
    page.select_option("#values", "0")
    page.click(".list thead button >> text=Density")
    assert page.locator(".list tbody th").all_inner_texts() == ["twice", "half", "same"]


def test_documents_are_found_by_name(open_page, typed):
    page = open_page(typed)
    page.keyboard.press("/")
    page.keyboard.type("D5")
    assert page.locator(".list tbody th").all_inner_texts() == ["d5"]
    page.click(".list tbody a")
    assert page.inner_text("#document-title") == "d5"


def test_hundreds_of_documents_are_drawn_where_they_are_seen(open_page):
    corpus = cs.Corpus.from_dict({f"doc {i:03}": {"ann": [i + 1, 3], "bob": [3, i + 1]} for i in range(900)})
    page = open_page(report(corpus, n_resamples=0), link(doc="doc 000"))
    assert page.locator(".list tbody tr").count() < 100
    page.locator(".list-box").evaluate("box => { box.scrollTop = box.scrollHeight }")
    page.wait_for_selector("text=doc 899")
    page.click("text=doc 899")
    assert page.inner_text("#document-title") == "doc 899"
    page.keyboard.press("]")
    assert page.inner_text("#document-title") == "doc 000"


# -------------------------------------------------------------------- long documents


def test_a_long_text_is_drawn_where_it_is_read(open_page):
    n = 5000
    corpus = cs.Corpus.from_dict(
        {"long": {"ann": [50] * 100, "bob": [51] + [50] * 98 + [49]}},
        units={"long": [f"unit number {i + 1}" for i in range(n)]},
    )
    page = open_page(report(corpus, n_resamples=0))
    assert page.locator(".unit").count() < 1000
    page.keyboard.press("p")  # the last difference
    page.wait_for_selector("text=unit number 4950")
    assert page.inner_text(".counter") == "99 of 99"
    assert page.locator(".unit").count() < 1000
    assert page.locator(".gap.current").get_attribute("data-position") == "4950"


def test_the_readers_place_stays_when_n_t_changes(open_page):
    rows = [f"unit {i + 1} " + "words " * (i % 40) for i in range(2000)]
    corpus = cs.Corpus.from_dict(
        {"long": {"ann": [20] * 100, "bob": [21] + [20] * 98 + [19], "cem": [22] + [20] * 98 + [18]}},
        units={"long": rows},
    )
    page = open_page(report(corpus, n_resamples=0), link(doc="long", ref="ann", hyp="cem", edit=100))
    position = page.locator(".gap.current").get_attribute("data-position")
    page.wait_for_timeout(300)  # chunks near the screen are filled after they are seen
    gap = page.locator(f"[data-position='{position}']")
    before = gap.bounding_box()["y"]
    page.keyboard.press("+")
    page.wait_for_timeout(300)
    assert counts_shown(page)["near miss"] == 99
    assert gap.bounding_box()["y"] == pytest.approx(before, abs=30)


def test_the_next_document_begins_at_its_title(open_page, typed):
    page = open_page(typed, link(doc="d1"))
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.keyboard.press("]")
    assert 0 <= page.locator("#document-title").bounding_box()["y"] < 200


def test_a_document_of_a_million_million_units_opens(open_page):
    n = 10**12
    ann = cs.Segmentation.from_positions([7, 10**6, 10**11], n)
    bob = cs.Segmentation.from_positions([8, 10**6, 10**11 + 1], n)
    page = open_page(report(cs.Corpus.from_dict({"huge": {"ann": ann, "bob": bob}}), n_resamples=0))
    assert counts_shown(page) == {"match": 1, "near miss": 2, "missed": 0, "spurious": 0}
    assert "1,000,000,000,000 units" in page.inner_text(".place")
    assert page.locator(".gap .number").all_inner_texts() == [
        "after unit 7", "after unit 8", "after unit 1,000,000", "after unit 100,000,000,000",
        "after unit 100,000,000,001",
    ]  # fmt: skip


def test_one_unit_has_one_number_at_each_end(open_page):
    page = open_page(report(cs.Corpus.from_dict({"d": {"ann": [1], "bob": [1]}}), n_resamples=0))
    assert sorted(page.locator(".strips text").all_text_contents()) == ["0", "1", "ann", "bob"]


def test_differences_of_another_document_do_not_stay(open_page):
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 3], "bob": [4, 1]}, "e": {"ann": [2, 3]}})
    page = open_page(report(corpus, n_resamples=0))
    assert page.locator(".kind .count").all_inner_texts() == ["0", "1", "1"]
    page.keyboard.press("]")
    assert page.locator(".kind .count").all_inner_texts() == ["0", "0", "0"]


def test_coders_without_room_in_the_margin_are_counted(open_page):
    coders = {f"coder {i:02}": [4, 6] if i < 40 else [5, 5] for i in range(70)}
    page = open_page(report(cs.Corpus.from_dict({"d": coders}), n_resamples=0))
    first, second = page.locator(".gap").all()
    shown = first.locator(".mark").count()
    assert 2 <= shown < 40
    assert f"{40 - shown} more coders" in first.inner_text()
    assert second.locator(".mark").count() == 0
    assert "30 more coders" in second.inner_text()
    page.locator(".strips").scroll_into_view_if_needed()
    box = page.locator(".strips").bounding_box()
    page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 20)
    assert page.inner_text(".readout").endswith("40 of 70 coders: " + ", ".join(
        [f"coder {i:02}" for i in range(12)] + ["28 more"]
    ))  # fmt: skip


def test_one_coder_alone_is_shown_and_not_compared(open_page):
    page = open_page(report(cs.Corpus.from_dict({"d": {"ann": [2, 3, 4]}}), n_resamples=0))
    assert page.inner_text("#result") == "One coder: there is nothing to compare."
    assert page.locator(".gap .number").all_inner_texts() == ["after unit 2", "after unit 5"]
    assert page.locator(".gap .edit").count() == 0


def test_controls_that_need_two_coders_say_so(open_page):
    corpus = cs.Corpus.from_dict({"d": {"ann": [2, 3]}, "e": {"ann": [2, 3], "bob": [4, 1]}})
    page = open_page(report(corpus, n_resamples=0), link(doc="d"))
    reason = page.get_by_text("n_t and the differences shown are for two coders; here is one.")
    assert reason.is_visible()
    assert page.locator("#n-t").is_disabled()
    assert page.locator(".kind input:enabled").count() == 0
    page.keyboard.press("+")
    assert page.input_value("#n-t") == "2"
    assert "caesura" in downloaded(page, "#save-svg")[1]
    page.keyboard.press("]")
    assert not reason.is_visible()
    assert page.locator("#n-t").is_enabled()
    assert page.locator(".kind input:enabled").count() == 3


# -------------------------------------------------------------------- files


def test_the_edits_are_saved_as_csv(open_page, typed):
    page = open_page(typed, link(doc="d4", ref="c2", hyp="c3", n_t=3))
    name, text = downloaded(page, "#save-edits")
    assert name == "d4-edits.csv"
    rows = list(csv.DictReader(io.StringIO(text)))
    found, _ = aligned(typed, "d4", "c2", "c3", 3)
    near = sorted((edit.reference_position, edit.hypothesis_position) for edit in found.transpositions)
    assert (
        sorted(
            (int(row["reference position"]), int(row["hypothesis position"]))
            for row in rows
            if row["kind"] == "near miss"
        )
        == near
    )
    for kind, side, edits in (
        ("missed", "reference position", found.missed),
        ("spurious", "hypothesis position", found.spurious),
        ("wrong type", "reference position", found.substitutions),
    ):
        positions = [int(row[side]) for row in rows if row["kind"] == kind]
        assert positions == sorted(edit.position for edit in edits)


def test_the_strips_are_saved_as_svg(open_page, typed):
    page = open_page(typed, link(doc="d4"), color_scheme="dark")
    name, text = downloaded(page, "#save-svg")
    assert name == "d4.svg"
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words[:4] == ["c1", "c3", "c2", "c4"]
    assert root.find("{http://www.w3.org/2000/svg}rect").get("fill") == "#ffffff"  # light, for paper
    _, value = aligned(typed, "d4", "c1", "c3", 2)
    title = root.find("{http://www.w3.org/2000/svg}title").text
    assert title.startswith(f"d4 · Reference c1, hypothesis c3, n_t = 2 · B {value:.3f} = ")
    drawn = "".join(root.itertext())
    assert drawn.count("Reference c1, hypothesis c3, n_t = 2") == 2  # for readers, too
    assert all(f"┃ {name}" in drawn for name in ("topic", "speaker", "aside"))
    pair = typed.corpus["d4", "c1"], typed.corpus["d4", "c3"]
    score = cs.boundary_similarity(*pair, n_t=2, types=(1, 2, 3), substitution="constant")
    last = list(root.iter("{http://www.w3.org/2000/svg}text"))[-1]
    assert "".join(last.itertext()).strip() == score.signature


def test_a_saved_drawing_is_xml_whatever_the_names(open_page):
    corpus = cs.Corpus.from_dict({"a\x01\x0b\ufffe<&b\ud800": {"<i>\x08": [2, 3], "W" * 500: [3, 2]}})
    page = open_page(report(corpus, n_resamples=0))
    _, text = downloaded(page, "#save-svg")
    root = ET.fromstring(text)
    assert root.find("{http://www.w3.org/2000/svg}title").text.startswith("a\ufffd\ufffd\ufffd<&b\ufffd · ")


def test_tables_are_saved_as_csv(open_page, stargazers):
    page = open_page(stargazers)
    _, text = downloaded(page, "[aria-label='Coder by coder as CSV']")
    rows = list(csv.reader(io.StringIO(text)))
    matrix = cs.coder_matrix(cs.load_stargazers())
    assert rows[0] == ["coder", "mean", *matrix.coders]
    assert float(rows[1][3]) == matrix.values[0, 1]
    name, text = downloaded(page, "#save-list")
    assert name == "Stargazers-documents-by-coder.csv"
    (row,) = csv.DictReader(io.StringIO(text))
    assert float(row["B of 3"]) == pytest.approx(matrix.means["3"], abs=0.00005)
    page.select_option("#values", "0")
    name, text = downloaded(page, "#save-list")
    assert name == "Stargazers-documents-coders-among-themselves.csv"
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["document"] == "stargazers"
    assert float(row["B"]) == float(matrix.scores.micro)


def test_saved_values_say_whose_they_are(open_page, typed):
    page = open_page(typed)
    page.select_option("#values", "2")
    name, _ = downloaded(page, "#save-list")
    assert name == "Types-documents-c4-against-the-references.csv"


def test_a_number_is_saved_as_a_number(open_page):
    """A text that begins with a minus gets a quote before it; a number must not."""
    table = Table("T", [Column("coder"), Column("change")], [["-ann", -3], ["bob", -0.25]])
    made = report(cs.load_stargazers(), n_resamples=0)
    text = made.to_html().replace(
        '<section id="documents"', folded_table(table, "T") + '<section id="documents"'
    )
    page = open_page(SimpleNamespace(save=lambda path: path.write_text(text, encoding="utf-8")))
    page.click("summary >> text=/^T$/")
    assert downloaded(page, "[aria-label='T as CSV']")[1] == "coder,change\n'-ann,-3\nbob,-0.25\n"


def test_a_saved_formula_does_not_run_in_a_spreadsheet(open_page):
    corpus = cs.Corpus.from_dict({"=1+1": {"@ann": [2, 3], 'b"o,b': [3, 2]}})
    page = open_page(report(corpus, n_resamples=0))
    _, text = downloaded(page, "#save-edits")
    assert list(csv.reader(io.StringIO(text)))[1][:3] == ["'=1+1", "'@ann", 'b"o,b']


# -------------------------------------------------------------------- safety

HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_nothing_from_data_runs(open_page):
    corpus = cs.Corpus.from_dict(
        {
            HOSTILE: {f"{HOSTILE}a": [2, 3], "{{script}}": [3, 2]},
            "__proto__": {f"{HOSTILE}a": [1, 1], "constructor": [2]},
            "sign \ud800 \u2028\u202e<!--": {"ann": [1, 1], "bob": [2]},
        },
        units={HOSTILE: [HOSTILE, "two", "<b>three</b>", "&lt;", "five"]},
    )
    run = "<script>top.document.title = 'run'</script>"
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{run}</svg>'
    made = report(corpus, title=HOSTILE, n_resamples=0, figures=[(HOSTILE, picture)])
    page = open_page(made, link(doc=HOSTILE))
    assert page.title() == page.inner_text("h1") == HOSTILE
    assert page.inner_text("#document-title") == HOSTILE
    assert page.locator(".words").first.inner_text() == HOSTILE
    assert page.locator(".list tbody th").first.inner_text() == HOSTILE
    assert page.locator("figure img").evaluate("img => img.complete && img.naturalWidth") == 9
    assert page.locator("script").count() == 3  # data, texts, and the one that runs
    page.keyboard.press("n")
    page.keyboard.press("]")
    assert page.inner_text("#document-title") == "__proto__"
    page.keyboard.press("]")
    assert page.inner_text("#document-title").startswith("sign ")
    assert page.locator("img[src=x]").count() == 0


def test_the_policy_stops_what_was_not_there_when_it_was_made(open_page, stargazers, tmp_path):
    text = stargazers.to_html().replace("</body>", "<script>document.title = 'run'</script></body>")
    path = tmp_path / "changed.html"
    path.write_text(text, encoding="utf-8")
    other = open_page(stargazers).context.new_page()
    refused = []
    other.on("console", lambda message: refused.append(message.text))
    other.goto(path.as_uri())
    assert other.title() == "Stargazers"
    assert any("Content Security Policy" in line for line in refused)
    assert other.evaluate("fetch('data:text/plain,x').then(() => 'loaded', () => 'refused')") == "refused"


def test_the_page_has_no_style_attribute_and_no_handler(stargazers, typed):
    for made in (stargazers, typed):
        markup = re.sub(r"<(script|style)\b.*?</\1>", "", made.to_html(), flags=re.S)
        assert not re.search(r"<[^>]+\s(style|on\w+)\s*=", markup)
        assert "http" not in markup.replace("http-equiv", "")


# -------------------------------------------------------------------- everybody can read it


@pytest.mark.parametrize(("size", "width", "scheme"), [("desktop", 1280, "light"), ("phone", 390, "dark")])
def test_axe_finds_nothing(open_page, made, screenshot, request, size, width, scheme):
    """Colors depend on the scheme alone and sizes on the width alone, so two of four pages have them all."""
    page = open_page(made, width=width, height=844, color_scheme=scheme)
    name = request.node.callspec.params["made"]
    screenshot(page, f"{name}-{size}-{scheme}-top")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.keyboard.press("n")
    screenshot(page, f"{name}-{size}-{scheme}-reading")
    page.evaluate("scrollTo(0, document.getElementById('reader').offsetTop)")
    screenshot(page, f"{name}-{size}-{scheme}-document")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


LONG = "W" * 500


@pytest.fixture(scope="module")
def extreme():
    """Long names, many coders, long, empty and right-to-left units."""
    units = ["x" * 20_000, "", "שלום עולם", "e\u0301\u0302 👩‍👩‍👧", "  ", "two\nlines", "=1", "a", "b", "c"]
    machine = f"{LONG}2"
    few = {LONG: [2, 3, 5], machine: [3, 2, 5], "日本語" * 6: [10]}
    many = {f"coder {i:02}": [i % 8 + 1, 9 - i % 8] for i in range(55)} | {machine: [4, 6]}
    corpus = cs.Corpus.from_dict(
        {LONG: few, "many": many, "one": {machine: [10], LONG: [10]}}, units={LONG: units, "many": units}
    )
    return report(corpus, segmenters=[machine], n_resamples=0, title=LONG)


@pytest.mark.parametrize("width", [1280, 390])
def test_extreme_data_stay_on_the_screen(open_page, extreme, width):
    page = open_page(extreme, width=width, height=844)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    for _ in extreme.corpus.documents:
        page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".stay").bounding_box()["height"] < 300
        starts = "all => all.map(text => text.getBoundingClientRect().left)"
        strips = page.locator(".strips").bounding_box()["x"]
        assert min(page.locator(".strips text").evaluate_all(starts)) >= strips
        page.keyboard.press("]")
    page.keyboard.press("]")  # to the document of many coders, whose strips scroll
    assert violations(page, runOnly=["scrollable-region-focusable", "region", "label"]) == []


def test_extreme_data_stay_on_paper(open_page, extreme, typed):
    for made in (extreme, typed):
        page = open_page(made)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
        assert page.evaluate("document.documentElement.scrollWidth") <= 718


def test_it_prints_what_is_compared(open_page, typed):
    page = open_page(typed, link(doc="d2", ref="c2", hyp="c4", n_t=3))
    assert not page.locator(".pair").is_visible()
    page.emulate_media(media="print")
    assert page.inner_text(".pair") == "Reference c2, hypothesis c4, n_t = 3"


def test_it_prints_all_documents_that_are_listed(open_page, typed):
    page = open_page(typed, link(doc="d3", ref="c2", hyp="c4", edit=1))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#documents h3[dir]").all_inner_texts() == ["d3"]  # unless all are asked for
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.select_option("#print", "listed")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    titles = page.locator("#documents h3[dir]").all_inner_texts()
    assert titles == list(typed.corpus.documents)
    assert page.locator(".words").count() == 60 * 6
    assert page.locator(".strips svg").count() == 6
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#documents h3[dir]").all_inner_texts() == ["d3"]
    assert page.inner_text(".counter").startswith("1 of ")
    page.fill("#search", "d5")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = page.locator("#documents h3[dir]").all_inner_texts()
    assert shown == ["d3", "d5"]  # the open one, and the listed


def test_it_prints_without_controls_and_with_the_whole_text(open_page, typed):
    page = open_page(typed, color_scheme="dark")
    assert page.pdf()[:5] == b"%PDF-"
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("#n-t").is_visible()
    assert not page.locator(".walk").is_visible()
    assert not page.locator("#sections").is_visible()
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".words").count() == 60
    assert page.locator(".strips svg > rect").first.get_attribute("fill") == "#ffffff"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


def test_a_long_folded_table_is_not_printed(open_page, wide):
    page = open_page(wide)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(wide.comparison.report.contrasts) == 210
    assert not page.locator("summary", has_text="Tests of every two").is_visible()
    assert page.locator("summary", has_text="Edits of each segmenter").is_visible()


@pytest.mark.parametrize(("width", "narrow"), [(390, True), (1280, False)])
def test_phones_have_charts_of_their_own(open_page, wide, width, narrow):
    page = open_page(wide, width=width, height=844)
    images = page.locator("#figures img")
    assert images.count() == len(wide.figures)
    for image in images.all():
        image.scroll_into_view_if_needed()
        shown = image.evaluate("image => image.decode().then(() => image.currentSrc !== image.src)")
        assert shown is narrow
        box = image.bounding_box()
        assert box["x"] + box["width"] <= width
        if narrow:  # letters are no smaller than nine tenths of what was drawn
            assert box["width"] >= 0.9 * image.evaluate("image => image.naturalWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_the_results_are_there(browser, stargazers, tmp_path):
    stargazers.save(tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert "π*_B 0.46" in page.inner_text("#answer")
    assert "scripts are switched off" in page.inner_text("#documents")
    context.close()


def test_charts_are_shown_as_images_in_both_modes(open_page, screenshot, typed):
    """An image that the policy or a fault in its SVG stops has no width."""
    drawn = gallery(typed.description, typed.comparison)
    assert drawn[0][0].startswith("Segmenters and bounds")
    assert any(title.startswith("Precision against recall") for title, _, _ in drawn)
    assert len(drawn) == 9
    heights = [float(re.search(r'height="([\d.]+)"', svg)[1]) for _, svg, _ in drawn]
    assert heights == [*sorted(heights[:4]), *sorted(heights[4:], reverse=True)]
    made = dataclasses.replace(typed, figures=tuple(drawn))
    for scheme in ("light", "dark"):
        page = open_page(made, color_scheme=scheme)
        images = page.locator("#figures img")
        assert images.count() == 9
        for number in range(9):
            assert images.nth(number).evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        page.locator("#figures").scroll_into_view_if_needed()
        screenshot(page, f"typed-desktop-{scheme}-figures")


WIDE = '<svg xmlns="http://www.w3.org/2000/svg" width="700" height="300"><text y="20">“é”</text></svg>'


@pytest.fixture(scope="module")
def charted():
    return report(cs.load_stargazers(), n_resamples=0, figures=[("Wide & <high>", WIDE), ("Second", WIDE)])


def test_a_chart_is_saved_as_it_is(open_page, charted):
    page = open_page(charted)
    button = page.get_by_role("button", name="Save as SVG: Wide & <high>")
    button.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "Wide-high.svg"
    assert Path(waiting.value.path()).read_text(encoding="utf-8") == WIDE


@pytest.mark.parametrize(("width", "shown"), [(390, 580), (1440, 656)])
def test_a_chart_stays_readable_on_a_phone(open_page, charted, width, shown):
    page = open_page(charted, width=width, height=844)
    first, second = (box.bounding_box() for box in page.locator("#figures img").all())
    assert [round(one["width"]) for one in (first, second)] == [shown, shown]
    if width < 640:
        assert second["y"] > first["y"] + first["height"]  # below, not beside
    else:
        assert second["x"] > first["x"] + first["width"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    region = page.get_by_role("region", name="Figure: Second")
    region.focus()
    assert region.evaluate("box => box === document.activeElement")
    assert region.evaluate("box => box.scrollWidth > box.clientWidth") == (width < shown)
    assert violations(page, rules={"color-contrast": {"enabled": False}}) == []
    assert violations(page, "#figures") == []  # the other colors are those of any page


def test_many_references_are_a_count_that_leads_to_the_table_of_all(open_page):
    made = cs.simulate(2, 14, n_units=20, mean_segment=5, near_miss=0.2, full_miss=0.2, rng=1)
    corpus = cs.Corpus.from_dict(made.segmentations())
    page = open_page(report(corpus, segmenters=["c14"], n_resamples=99))
    rows = page.locator("#segmenters-by-coder tbody tr")
    assert not rows.first.is_visible()
    page.get_by_role("link", name="13 coders").click()
    assert rows.first.is_visible()
    assert rows.count() == 13


def test_caveats_of_one_subject_are_one_sentence(stargazers, typed):
    for made in (stargazers, typed):
        caveats = re.search(r'<div class="caveats">.*?</div>', made.to_html())[0]
        subjects = [text.split(":")[0] for text in re.findall(r"<li>(.*?)</li>", caveats)]
        assert len(subjects) == len(set(subjects)) > 1
