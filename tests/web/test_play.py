"""The page to play, in a real browser. Source of truth: the library's metrics, the papers' printed values,
segmentations worked out by hand, and axe-core."""

from __future__ import annotations

import random

import pytest

import caesura as cs
from caesura.cli import run
from caesura.pages.play import PH02, STEPS, play_page
from caesura.papers.recompute import load_facts

from .conftest import violations

METRICS = ("B", "S", "F", "Pk", "WD")
FACTS = {fact.id: fact for fact in load_facts()}


@pytest.fixture
def play(visit, tmp_path):
    """Open the page to play."""
    path = tmp_path / "play.html"
    path.write_text(play_page(), encoding="utf-8")

    def open_play(link: str = "", **options):
        page = visit(path, link, **options)
        page.wait_for_function("() => window.caesuraPlay")
        return page

    return open_play


def in_library(reference, hypothesis, n_t=2, k=None) -> list[float]:
    pair = reference, hypothesis
    windows = {} if k is None else {"k": k}
    scores = (
        cs.boundary_similarity(*pair, n_t=n_t),
        cs.segmentation_similarity(*pair, n_t=n_t),
        cs.boundary_f(*pair),
        cs.pk(*pair, **windows),
        cs.window_diff(*pair, **windows),
    )
    return [float(score) for score in scores]


def shown(page) -> list[float]:
    """Read the values on the page, from the fractions."""
    values = []
    for name in METRICS:
        card = page.locator(f"[data-metric={name}]")
        top, bottom = (float(part) for part in card.locator("dd > span").first.inner_text().split(" / "))
        empty = 0.0 if name in ("Pk", "WD") else 1.0
        values.append(top / bottom if bottom else empty)
        assert float(card.locator("strong").inner_text()) == pytest.approx(values[-1], abs=6e-5)
    return values


def library(*arguments):
    """The library's values, to the digits that the page shows."""
    return pytest.approx(in_library(*arguments), abs=6e-5)


def text(page) -> list[str]:
    return page.input_value("#text").split("\n")


def test_a_thousand_random_pairs_have_the_librarys_values(play):
    generator = random.Random(0)
    cases, expected = [], []
    for _ in range(1000):
        n_units = generator.choice([1, 2, 3, 5, 12, 40, 200])
        density = generator.choice([0.05, 0.2, 0.6])
        pair = [[p for p in range(1, n_units) if generator.random() < density] for _ in range(2)]
        n_t = generator.randint(1, 8)
        k = generator.choice([None, generator.randint(1, n_units - 1)]) if n_units > 1 else None
        cases.append([*pair, n_units, n_t, k])
        sides = [cs.Segmentation.from_positions(p, n_units) for p in pair]
        expected.append(in_library(*sides, n_t, k))
    values = play().evaluate(
        """cases => cases.map(([a, b, n, nT, k]) => {
            const { scoresOf, windowSize } = caesuraPlay;
            const { values } = scoresOf(a, b, n, nT, k ?? windowSize(a, n));
            return ["B", "S", "F", "Pk", "WD"].map((name) => values[name].value);
        })""",
        cases,
    )
    for case, value, wanted in zip(cases, values, expected, strict=True):
        assert value == pytest.approx(wanted, abs=1e-12), case


def test_a_boundary_is_dragged_added_and_removed(play):
    page = play()
    assert text(page) == ["2 3 6", "2 2 7"]
    strips = page.locator(".strips")

    def at(side: str, position: float) -> tuple[float, float]:
        """The middle of a strip at a position, from the boundaries that are drawn."""
        first, last = (strips.locator(f"[data-side=ref][data-position='{p}']").bounding_box() for p in (2, 5))
        unit = (last["x"] - first["x"]) / 3
        y = strips.locator(f"[data-side={side}]").first.bounding_box()
        return first["x"] + first["width"] / 2 + (position - 2) * unit, y["y"] + y["height"] / 2

    page.mouse.move(*at("hyp", 4))
    page.mouse.down()
    page.mouse.move(*at("hyp", 4.6), steps=3)
    page.mouse.move(*at("hyp", 7.2), steps=5)
    page.mouse.up()
    assert text(page)[1] == "2 5 4"
    assert shown(page) == library([2, 3, 6], [2, 5, 4])
    page.mouse.click(*at("hyp", 9))
    assert text(page)[1] == "2 5 2 2"
    page.mouse.click(*at("hyp", 2))
    assert text(page)[1] == "7 2 2"
    assert shown(page) == library([2, 3, 6], [7, 2, 2])


def test_keys_move_and_remove_a_boundary(play):
    page = play()
    page.locator("[data-side=hyp][data-position='4']").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert text(page)[1] == "2 5 4"
    page.keyboard.press("Delete")
    assert text(page)[1] == "2 9"
    page.locator("[data-side=ref][data-position='2']").focus()
    for _ in range(4):  # the document begins before 1, and another boundary is never passed
        page.keyboard.press("ArrowLeft")
    assert text(page)[0] == "1 4 6"


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("masses", ["3 1 2", "6"]),
        ("positions", ["3 4", ""]),
        ("gaps", ["00110", "00000"]),
        ("labels", ["a a a b c c", "x x x x x x"]),
    ],
)
def test_two_segmentations_are_pasted_in_any_form(play, form, lines):
    page = play("#ref=6&hyp=6")
    page.check(f"input[value={form}]")
    page.fill("#text", "\n".join(lines))
    assert shown(page) == library([3, 1, 2], [6])
    assert page.inner_text(".problem") == ""
    page.click("text=Exchange")
    page.check("input[value=masses]")
    assert text(page) == ["6", "3 1 2"]


def test_another_form_is_recognized_and_what_is_wrong_is_named(play):
    page = play()
    page.fill("#text", "0100100000\n0101000000")
    assert page.inner_text(".problem") == "Read as gaps."
    assert shown(page) == library([2, 3, 6], [2, 2, 7])
    page.check("input[value=masses]")
    page.fill("#text", "2 3 6\n2 2 8")
    expected = "The reference has 11 units, the hypothesis 12: expected as many."
    assert page.inner_text(".problem") == expected
    page.fill("#text", "")
    assert page.inner_text(".problem") == "Line 1, the reference: there is no segment."
    page.check("input[value=positions]")
    page.fill("#text", "2 5\n2 99")
    assert "positions[1] is 99, and the document has 11 units: set Units" in page.inner_text(".problem")
    page.fill("#text", "1\n200000")
    page.check("input[value=masses]")
    page.fill("#text", "200000\n200000")
    assert "at most 100,000" in page.inner_text(".problem")


def test_two_files_are_read(play, tmp_path):
    reference, hypothesis = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    reference.write_text("2 3 6\n5 5\n", encoding="utf-8")
    hypothesis.write_text("2 2 7\n5 5\n", encoding="utf-8")
    page = play("#ref=4&hyp=4")
    page.set_input_files("#files", [reference, hypothesis])
    page.wait_for_function("() => caesuraPlay.state.n === 11")
    assert shown(page) == library([2, 3, 6], [2, 2, 7])
    assert "Only the first line of each file" in page.inner_text(".problem")
    reference.write_text("a\na\nb\nb\nb\n", encoding="utf-8")  # a column of labels
    hypothesis.write_text("x\ny\ny\ny\ny\n", encoding="utf-8")
    page.check("input[value=labels]")
    page.set_input_files("#files", [reference, hypothesis])
    page.wait_for_function("() => caesuraPlay.state.n === 5")
    assert shown(page) == library([2, 3], [1, 4])


def test_two_files_are_dropped(play):
    page = play("#ref=4&hyp=4")
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["2 3 6"], "a.txt"));
            files.items.add(new File(["2 2 7"], "b.txt"));
            window.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
        }"""
    )
    page.wait_for_function("() => caesuraPlay.state.n === 11")
    assert text(page) == ["2 3 6", "2 2 7"]
    assert shown(page) == library([2, 3, 6], [2, 2, 7])


def test_sliders_and_the_link_carry_n_t_and_k(play):
    page = play("#ref=8,8,8&hyp=10,6,8")
    page.fill("#nT", "3")
    page.fill("#k", "6")
    assert shown(page) == library([8, 8, 8], [10, 6, 8], 3, 6)
    page.wait_for_function("() => location.hash.includes('k=6')")
    link = page.get_attribute("#link", "href")
    assert page.url.endswith(link)
    again = play(link)
    assert shown(again) == shown(page)
    assert again.input_value("#nT") == "3"
    again.check("#auto")
    assert shown(again) == library([8, 8, 8], [10, 6, 8], 3)
    broken = play("#ref=2,x&hyp=3")
    assert "The link cannot be read." in broken.inner_text(".problem")


def test_a_window_says_what_it_covers(play):
    """By hand: of [8, 8, 8] and [8, 2, 6, 8], window 10 of 20 holds positions 10 to 13, and so only 10."""
    page = play("#ref=8,8,8&hyp=8,2,6,8")
    page.fill("#window", "9")
    expected = (
        "Window 10 of 20 covers positions 10 to 13: 0 reference boundaries, 1 in the hypothesis. "
        "Pk: error, WD: error."
    )
    assert page.inner_text(".readout") == expected
    page.fill("#window", "6")
    assert page.inner_text(".readout").endswith("Pk: correct, WD: error.")


def test_every_step_shows_what_the_paper_prints(play):
    page = play()
    n_windows = n_values = 0
    for number, step in enumerate(STEPS):
        page.select_option("#step", str(number))
        assert page.inner_text(".step-says") == step.says
        b, s, _, _, wd = shown(page)
        values = {"B": b, "S": s, "1-WD": 1 - wd}
        for fact in map(FACTS.get, step.facts):
            assert text(page)[0] == " ".join(map(str, fact.input["reference"]))
            if fact.quantity in values and fact.config.get("transposition") != "constant":
                assert values[fact.quantity] == pytest.approx(fact.published, abs=fact.tolerance)
                n_values += 1
            if step.group == PH02:
                cards = {"Pk windows": "Pk", "WD windows": "WD"}
                for name, value in zip(fact.quantity.split(", "), fact.values, strict=True):
                    fraction = page.locator(f"[data-metric={cards[name]}] dd > span").first.inner_text()
                    assert int(fraction.split(" / ")[0]) == value
                    n_windows += 1
    assert (n_windows, n_values) == (9, 8)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1024, "dark"), (390, "light"), (390, "dark")]
)
def test_axe_finds_nothing_and_nothing_is_cut_off(play, screenshot, width, scheme):
    page = play("#ref=8,8,8&hyp=8,2,6,8&step=3", width=width, color_scheme=scheme)
    page.fill("#window", "9")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page) == []
    screenshot(page, f"play-{width}-{scheme}")


def test_the_command_writes_the_page(tmp_path, capsys):
    path = tmp_path / "play.html"
    assert run(["play", "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == play_page()
    assert capsys.readouterr().err == f"page -> {path}\n"
    assert run(["play", "-o", str(tmp_path / "play.txt")]) == 2
    assert "end it in .html" in capsys.readouterr().err
