"""The coder's page in a real browser: keys, files, what is lost and what is not. Source of truth: what was
clicked, hashlib, and axe-core. A whole study is in test_study.py."""

from __future__ import annotations

import hashlib
import json
import random
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run
from caesura.io.page_files import canonical, checksum_of
from caesura.pages.annotation import QUESTIONS, Study, in_order_of

from .conftest import scripting_of_keys, violations

TEXTS = {
    "walk": [f"Sentence {i} of the walk says something about the weather." for i in range(1, 13)],
    "house": [f"Sentence {i} of the house." for i in range(1, 9)],
    "sea": [f"Sentence {i} of the sea goes on for a while, as the sea does." for i in range(1, 16)],
}


def corpus_of(texts: dict[str, list[str]]) -> cs.Corpus:
    return cs.Corpus.from_dict({name: {"unseen": [len(units)]} for name, units in texts.items()}, units=texts)


@pytest.fixture
def page_of(visit, tmp_path):
    """Open the page of a study that is made in Python."""

    def open_study(texts=TEXTS, coder: str | None = "ann", where: str = "page", **study: Any) -> Any:
        fields = {name: study.pop(name) for name in list(study) if name in Study.__dataclass_fields__}
        path = tmp_path / f"{where}.html"
        path.write_text(Study(fields.pop("title", "Study"), corpus_of(texts), **fields).page(coder), "utf-8")
        page = visit(path, **study)
        page.set_default_timeout(10_000)
        return page

    return open_study


def boundary(page, position: int):
    return page.get_by_role("button", name=f"boundary after unit {position}", exact=True)


def pressed(page) -> list[int]:
    """The positions of boundaries that the page shows."""
    found = page.locator(".boundary[aria-pressed=true]")
    return sorted(int(one.get_attribute("aria-label").split()[-1]) for one in found.all())


def save(page, path: Path) -> dict[str, Any]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save file").click()
    waiting.value.save_as(path)
    return json.loads(path.read_text(encoding="utf-8"))


def document(page) -> str:
    return page.inner_text("#name") if page.inner_text("#name").strip() else page.title()


def record(content: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (one for one in content["documents"] if one["document"] == name)
    return found


# -------------------------------------------------------------------- what comes back


def test_what_is_not_finished_is_no_coding_and_is_named(visit, tmp_path, capsys):
    texts = tmp_path / "texts.jsonl"
    cs.write(corpus_of(TEXTS), texts)
    assert run(["annotate", str(texts), "-o", str(tmp_path), "--coders", "ann,bob"]) == 0
    for coder, missing in (("ann", "sea"), ("bob", "walk")):
        page = visit(tmp_path / f"texts.{coder}.html")
        for name in TEXTS:
            page.locator("#menu").select_option(label=name)
            boundary(page, 2).click()
            if name == missing:  # what coders deny is not finished, nor what they have not begun
                boundary(page, 2).click()
        save(page, tmp_path / f"{coder}.json")
        assert f"Not finished: {missing}." in page.inner_text("#notice")
    capsys.readouterr()
    assert run(["agree", str(tmp_path / "ann.json"), str(tmp_path / "bob.json")]) == 0
    said = capsys.readouterr().err
    assert "ann has not finished: sea; bob has not finished: walk" in said
    with pytest.warns(UserWarning, match="ann has not finished: sea"):
        read = cs.read([tmp_path / "ann.json", tmp_path / "bob.json"])
    assert read.metadata["unfinished"] == {"ann": ("sea",), "bob": ("walk",)}
    assert sorted((name, who) for name, who, _ in read) == [
        ("house", "ann"), ("house", "bob"), ("sea", "bob"), ("walk", "ann"),
    ]  # fmt: skip


# -------------------------------------------------------------------- boundaries


def test_every_place_has_a_button_and_nothing_is_marked_at_first(page_of):
    page = page_of({"one": TEXTS["walk"]})
    found = page.locator(".boundary")
    names = [one.get_attribute("aria-label") for one in found.all()]
    assert names == [f"boundary after unit {i}" for i in range(1, 12)]
    assert pressed(page) == []
    assert tuple(page.locator(".words").all_inner_texts()) == tuple(TEXTS["walk"])


def test_clicks_and_keys_undo_and_redo(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]})
    boundary(page, 5).click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    assert pressed(page) == [5, 7]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    assert pressed(page) == [5, 6, 7]
    boundary(page, 5).click()
    assert pressed(page) == [6, 7]
    for key, expected in (
        ("u", [5, 6, 7]), ("u", [5, 7]), ("Control+z", [5]), ("Shift+U", [5, 7]), ("Control+y", [5, 6, 7]),
        ("Control+Shift+Z", [6, 7]), ("Shift+U", [6, 7]), ("u", [5, 6, 7]), ("u", [5, 7]), ("u", [5]),
        ("u", []), ("u", []),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert pressed(page) == expected, key
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Undo").click()
    assert record(save(page, tmp_path / "a.json"), "one")["positions"] == [5]


def top_of_current(page) -> float:
    """Where the place at work stands, as a share of the height of the screen."""
    return float(
        page.evaluate("document.querySelector('.gap.current').getBoundingClientRect().top / innerHeight")
    )


@pytest.mark.parametrize("size", [{"width": 1280, "height": 900}, {"width": 390, "height": 844}])
def test_the_place_at_work_stays_at_40_percent_of_the_height(page_of, size):
    page = page_of({"one": [f"Unit {i} says something. " * 8 for i in range(1, 201)]}, **size)
    page.keyboard.press("6")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    places = [60]
    for key in ("j", "j", "k", "l", "h", "Space", "j", "u", "PageDown", "PageDown", "PageUp", "PageUp"):
        page.keyboard.press(key)
        assert 0.35 < top_of_current(page) < 0.45, key
        places.append(int(page.evaluate("caesuraAnnotation.state.list.current")))
    assert places[:9] == [60, 61, 62, 61, 66, 61, 61, 62, 61]
    down, again, up, first = places[9:]
    assert 61 < down < again
    assert 61 <= first < up < again
    following = page.evaluate("caesuraAnnotation.state.list.gaps[caesuraAnnotation.state.list.current + 1]"
                              ".getBoundingClientRect().top < innerHeight")  # fmt: skip
    assert following


def test_page_down_leaves_no_line_unread(page_of):
    """After each key the screen begins above where the one before ended."""
    page = page_of({"one": [f"Unit {i} says something. " * 3 for i in range(1, 201)]})
    shown = "[...document.querySelectorAll('.unit')].map((unit) => unit.getBoundingClientRect())"
    seen: set[int] = set()
    for _ in range(40):
        tops = page.evaluate(f"{shown}.map(({{ top, bottom }}) => top >= 60 && bottom <= innerHeight)")
        seen |= {i for i, is_seen in enumerate(tops) if is_seen}
        page.keyboard.press("PageDown")
    assert seen == set(range(200))
    assert page.evaluate("caesuraAnnotation.state.list.current") == 199


@pytest.mark.parametrize("way", ["numbers", "fives"])
def test_a_choi_document_takes_fewer_than_45_keys(page_of, way):
    """Five documents as Choi (2000) makes them: ten segments of 3 to 11 sentences."""
    chance = random.Random(7)
    masses = {f"d{i}": [chance.randint(3, 11) for _ in range(10)] for i in range(5)}
    page = page_of({name: [f"Sentence {i}." for i in range(sum(own))] for name, own in masses.items()})
    for _ in masses:
        wanted = list(accumulate(masses[document(page)]))[:-1]
        keys, current = ([], 0) if way == "numbers" else (["j"], 1)
        for position in wanted:
            if way == "numbers":
                keys += [*str(position), "Enter"]
            else:
                fives = round((position - current) / 5)
                rest = position - current - 5 * fives
                keys += ["l"] * fives + ["j" if rest > 0 else "k"] * abs(rest)
                current = position
            keys.append("Space")
        for key in keys:
            page.keyboard.press(key)
        assert pressed(page) == wanted
        assert len(keys) + 1 < 45  # and d
        page.keyboard.press("d")
    assert page.inner_text(".progress") == "5 of 5 finished"


def test_search_goes_to_the_next_unit_with_a_text(page_of):
    page = page_of({"one": [*TEXTS["walk"], *TEXTS["house"], *TEXTS["walk"]]}, types=("a", "b"))
    current = "caesuraAnnotation.state.list.current"
    for typed, expected in (
        ("OF the house", 13),
        ("", 14),
        ("sentence 3 of the walk", 23),
        ("", 3),
        ("19", 19),
    ):
        page.keyboard.press("/")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        assert page.evaluate(current) == expected
        assert not page.locator("#find").is_visible()
    for typed in ("nowhere", "99", "0"):
        if typed == "nowhere":
            page.keyboard.press("/")
        page.keyboard.type(typed)  # in place of what was not found
        page.keyboard.press("Enter")
        assert page.inner_text("#notice") == f"“{typed}” is not in this document."
    page.keyboard.press("Escape")
    page.keyboard.press("2")  # a type again
    assert pressed(page) == [19]


def test_paragraphs_of_the_running_text_are_steps(visit, tmp_path):
    path = tmp_path / "talk.html"
    units = cs.Units.from_text("One. Two. Three.\n\nFour. Five.\nSix. Seven.", by="sentence")
    corpus = cs.Corpus.from_dict({"talk": {"ann": [7]}}, units={"talk": units.texts})
    path.write_text(Study("Talk", corpus.with_spans({"talk": units})).page("ann"), "utf-8")
    page = visit(path)
    steps = []
    for key in "lllhh":
        page.keyboard.press(key)
        steps.append(page.evaluate("caesuraAnnotation.state.list.current"))
    assert steps == [3, 5, 6, 5, 3]


def test_a_held_key_stops_at_the_ends(page_of):
    page = page_of({"one": TEXTS["house"]})
    for key, last in (("j", 7), ("k", 1)):
        for _ in range(20):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.ariaLabel") == f"boundary after unit {last}"


def test_a_held_key_places_one_boundary(page_of):
    page = page_of({"one": TEXTS["house"]}, types=("a", "b"))
    page.keyboard.press("j")
    for key in ("Enter", "2"):
        page.keyboard.down(key)
        for _ in range(5):
            page.keyboard.down(key)  # as a held key repeats
        page.keyboard.up(key)
    assert pressed(page) == [1]
    assert page.locator(".choice[aria-pressed=true]").all_inner_texts() == ["1 a", "2 b"]


def test_keys_go_on_from_what_is_in_sight(page_of):
    page = page_of({"one": [f"Unit {i}." for i in range(1, 401)]})
    page.keyboard.press("j")
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.keyboard.press("j")
    position = int(page.evaluate("document.activeElement.ariaLabel").split()[-1])
    assert 100 < position < 300


def test_types_by_number_several_at_one_place(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]}, types=("topic", "speaker", "aside"))
    boundary(page, 2).click()  # the first type
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("3")  # on and off
    page.keyboard.press("4")  # there is no fourth
    page.keyboard.press("j")
    page.keyboard.press("Space")  # the last type that was chosen
    page.get_by_role("button", name="1 topic after unit 2", exact=True).click()  # its only type: no boundary
    page.get_by_text("speaker").first.click()
    boundary(page, 9).click()
    save(page, tmp_path / "a.json")
    corpus = cs.read(tmp_path / "a.json")
    assert corpus["one", "ann"].boundaries == ((3, 3), (4, 1), (4, 2), (6, 3), (9, 2))
    assert corpus.type_scheme == cs.TypeScheme({1: "topic", 2: "speaker", 3: "aside"}, nominal=True)


def test_levels_by_number_and_depth(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]}, levels=("part", "chapter", "section"))
    boundary(page, 2).click()
    page.keyboard.press("2")  # one level takes the place of another
    page.keyboard.press("j")
    page.keyboard.press("1")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("2")
    save(page, tmp_path / "a.json")
    corpus = cs.read(tmp_path / "a.json")
    assert corpus.is_hierarchical
    assert corpus["one", "ann"].boundaries == ((2, 2), (3, 3), (4, 1))
    assert corpus.type_scheme.names == {1: "part", 2: "chapter", 3: "section"}


def test_titles_comments_and_doubts_are_columns(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]}, questions=QUESTIONS)
    boundary(page, 4).click()
    page.keyboard.press("n")
    page.keyboard.press("t")
    page.keyboard.type("Rain & “wind” </script>")
    page.keyboard.press("Enter")
    boundary(page, 8).click()
    page.get_by_label("title of the segment from unit 1").fill(" A start ")
    page.get_by_label("comment of the segment from unit 9").fill("two\nlines")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.keyboard.press("d")
    page.reload()
    content = save(page, tmp_path / "a.json")
    assert record(content, "one")["positions"] == [4, 8]
    (row,) = cs.read(tmp_path / "a.json").to_frame().to_dict("records")
    assert row["titles"] == ["A start", "Rain & “wind” </script>", ""]
    assert row["comments"] == ["", "", "two\nlines"]
    assert row["unsure"] == [4]
    assert row["seconds"] >= 0


def test_a_title_comes_back_with_its_boundary_and_is_undone_as_a_whole(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]}, questions=("title",))
    boundary(page, 4).click()
    field = page.get_by_label("title of the segment from unit 5")
    field.fill("Rain")
    boundary(page, 4).click()
    assert field.count() == 0
    assert record(save(page, tmp_path / "a.json"), "one")["titles"] == [""]
    page.keyboard.press("Escape")
    boundary(page, 4).click()
    assert field.input_value() == "Rain"
    for _ in range(3):
        page.get_by_role("button", name="Undo").click()
    assert field.input_value() == ""


# -------------------------------------------------------------------- documents


def test_the_order_is_the_coders_own_and_the_same_on_a_page_for_all(page_of):
    texts = {f"d{i}": ["One.", "Two."] for i in range(12)}
    orders = {}
    for coder in ("ann", "bob"):
        page = page_of(texts, coder=coder, seed=7)
        orders[coder] = page.locator("#menu option").all_inner_texts()
        page = page_of(texts, coder=None, seed=7)
        page.get_by_label("Your name").fill(f" {coder} ")
        page.get_by_role("button", name="Start").click()
        assert page.locator("#menu option").all_inner_texts() == orders[coder]
        named = [{"document": name} for name in texts]
        assert [one["document"] for one in in_order_of(named, 7, coder)] == orders[coder]
    assert sorted(orders["ann"]) == sorted(texts)
    assert orders["ann"] != orders["bob"]
    assert orders["ann"] != list(texts)


def test_progress_says_what_is_finished(page_of):
    page = page_of()
    assert page.inner_text(".progress") == "0 of 3 finished"
    first = document(page)
    page.get_by_role("button", name="This document is finished").click()
    assert page.inner_text(".progress") == "1 of 3 finished"
    assert document(page) != first
    page.keyboard.press("[")
    assert document(page) == first
    page.get_by_role("button", name="Not finished yet").click()
    assert page.inner_text(".progress") == "0 of 3 finished"
    page.keyboard.press("[")
    assert "first document" in page.inner_text("#notice")


def test_finishing_is_undone_from_its_message(page_of):
    page = page_of()
    first = document(page)
    boundary(page, 2).click()
    page.keyboard.press("d")
    assert page.inner_text("#notice") == f"“{first}” is finished. Undo"
    page.locator("#notice").get_by_role("button", name="Undo").click()
    assert document(page) == first
    assert page.inner_text(".progress") == "0 of 3 finished"
    assert record(page.evaluate("caesuraAnnotation.fileContent()"), first)["said"] is None
    for _ in TEXTS:
        page.keyboard.press("d")
    last = document(page)
    assert "All documents are finished." in page.inner_text("#notice")
    page.locator("#notice").get_by_role("button", name="Undo").click()
    assert (page.inner_text(".progress"), document(page)) == ("2 of 3 finished", last)


def test_instructions_fold_after_the_first_document(page_of):
    guide = "# Rules\n\n| kind | when |\n|---|---|\n| topic | the *subject* changes |\n"
    page = page_of(instructions=guide)
    opened = page.locator("#instructions[open]")
    assert page.locator("#instructions").get_by_role("table").inner_text().split() == [
        "kind", "when", "topic", "the", "subject", "changes",
    ]  # fmt: skip
    assert page.locator("#instructions th").count() == 2
    assert opened.count() == 1
    page.keyboard.press("d")
    assert opened.count() == 0
    page.locator("#instructions summary").click()
    assert opened.count() == 1
    page.reload()
    assert opened.count() == 0


@pytest.mark.parametrize(("width", "is_touch"), [(390, True), (1280, False)])
def test_help_speaks_of_what_the_screen_has(page_of, width, is_touch):
    page = page_of(types=("a", "b"), width=width, height=844, has_touch=is_touch, is_mobile=is_touch)
    page.get_by_role("button", name="Help").click()
    words = page.locator("#keys").inner_text()
    assert ("between two units" in words) == is_touch
    assert ("PageDown" in words) == ("Escape" in words) == (not is_touch)


def test_a_boundary_of_two_types_shows_both_colors(page_of, screenshot):
    page = page_of({"one": TEXTS["walk"]}, types=("topic", "speaker", "aside"))
    line = "getComputedStyle(document.querySelector('.gap[data-position=\"3\"] .boundary'), '::before')"
    colors = [page.evaluate(f"getComputedStyle(document.querySelector('.kind[data-type=\"{kind}\"] span'))"
                            ".borderBottomColor") for kind in (1, 3)]  # fmt: skip
    boundary(page, 3).click()
    assert page.evaluate(f"{line}.borderTopColor") == colors[0]
    page.keyboard.press("3")
    image = page.evaluate(f"{line}.backgroundImage")
    assert all(color in image for color in colors)
    screenshot(page, "annotate-two-types")


def test_time_is_that_of_the_document_at_hand(page_of):
    """The browser's clock is moved by hand: pauses of over a minute count as one."""
    page = page_of()
    page.clock.install()
    page.reload()
    first = document(page)
    for _ in range(4):
        page.clock.fast_forward(10_000)
        page.keyboard.press("j")
    page.clock.fast_forward(3_600_000)
    page.keyboard.press("]")
    page.clock.fast_forward(7_000)
    page.keyboard.press("j")
    content = page.evaluate("caesuraAnnotation.fileContent()")
    assert record(content, first)["seconds"] == 100
    assert record(content, document(page))["seconds"] == 7


def test_a_practice_document_has_feedback_by_its_key(page_of, tmp_path):
    key = cs.Corpus.from_dict(
        {"try": {"lead": cs.Segmentation.from_positions([2, 5, 8], 10)}},
        units={"try": [f"Try {i}." for i in range(1, 11)]},
    )
    page = page_of({"one": TEXTS["walk"]}, practice=key)
    assert page.inner_text("#kind").lower() == "practice"
    for position in (2, 4, 9):
        boundary(page, position).click()
    page.keyboard.press("d")  # compares before it goes on
    assert document(page) == "try"
    # 2 right; 4 is one off 5, and 9 one off 8
    assert page.inner_text("#notice") == "Compared with the key: 1 right, 2 near."
    boundary(page, 9).click()
    boundary(page, 7).click()
    boundary(page, 7).click()
    boundary(page, 6).click()
    boundary(page, 4).click()
    boundary(page, 2).click()
    boundary(page, 1).click()
    boundary(page, 1).click()
    page.get_by_role("button", name="Compare with the key").click()
    assert page.inner_text("#notice") == "Compared with the key: 0 right, 1 near, 2 missed."
    gaps = page.locator("[data-feedback]")
    found = {
        int(one.get_attribute("data-position")): one.get_attribute("data-feedback") for one in gaps.all()
    }
    assert found == {2: "missed", 6: "near", 8: "missed"}
    page.get_by_role("button", name="Go on to the documents").click()
    boundary(page, 3).click()
    content = save(page, tmp_path / "a.json")
    assert [one["document"] for one in content["documents"]] == ["one"]


# -------------------------------------------------------------------- files


def test_the_digest_is_that_of_hashlib(page_of):
    page = page_of({"one": ["a", "b"]})
    for value in (
        [], "", "a" * 55, "a" * 56, "a" * 64, "x" * 1000, ["é", "\U0001f600", "\u2028", "\x7f\x00\x1f\"\\/"],
        {"b": [1, True, None], "a": {"d": 0, "c": "\ud800"}},
    ):  # fmt: skip
        expected = hashlib.sha256(canonical(value).encode()).hexdigest()
        as_json = json.dumps(value)
        assert page.evaluate("text => caesuraAnnotation.digest(JSON.parse(text))", as_json) == expected


def test_an_earlier_file_is_opened_to_go_on(page_of, tmp_path):
    page = page_of(questions=("title", "unsure"), types=("topic", "speaker"))
    page.locator("#menu").select_option(label="sea")
    boundary(page, 4).click()
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.press("t")
    page.keyboard.type("Waves")
    page.keyboard.press("Enter")
    page.keyboard.press("d")
    page.locator("#menu").select_option(label="house")
    boundary(page, 2).click()
    saved = save(page, tmp_path / "a.json")
    other = page_of(questions=("title", "unsure"), types=("topic", "speaker"))  # as on another computer
    other.set_input_files("#earlier", tmp_path / "a.json")
    other.locator("#notice", has_text="Opened").wait_for()
    assert "the work on 3 documents is here again" in other.inner_text("#notice")
    assert other.inner_text(".progress") == "1 of 3 finished"
    again = save(other, tmp_path / "b.json")
    for one in (*saved["documents"], *again["documents"]):
        one["seconds"] = 0
    assert again["documents"] == saved["documents"]
    other.locator("#menu").select_option(label="✓ sea")
    assert other.get_by_label("title of the segment from unit 5").input_value() == "Waves"


def test_a_file_that_the_library_writes_is_opened(page_of, tmp_path):
    coding = cs.Segmentation.from_positions([2, 7], 12)
    corpus = cs.Corpus.from_dict({"walk": {"ann": coding}}, units={"walk": TEXTS["walk"]})
    cs.write(corpus.with_details({"titles": [["a", "b", "c"]]}), tmp_path / "ann.json", "annotation")
    page = page_of(questions=("title",))
    page.set_input_files("#earlier", tmp_path / "ann.json")
    page.locator("#notice", has_text="the work on 1 document is here again").wait_for()
    page.locator("#menu").select_option(label="✓ walk")
    assert pressed(page) == [2, 7]
    assert page.get_by_label("title of the segment from unit 8").input_value() == "c"
    assert page.inner_text(".progress") == "1 of 3 finished"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content["documents"][0]["positions"].append(3), "it was changed after it was saved"),
        (lambda content: content.update(coder="bob", checksum=None), "it is bob’s, and this page is ann’s"),
        (lambda content: content.update(version=99), "a newer page has saved it"),
        (lambda content: content.update(format="x"), "it is not a file that this page has saved"),
        (
            lambda content: content.update(scheme={"kind": "types", "names": ["a"]}, checksum=None),
            "boundary types differ",
        ),
    ],
)
def test_a_file_of_another_is_not_opened(page_of, tmp_path, change, reason):
    page = page_of()
    content = save(page, tmp_path / "a.json")
    change(content)
    if content["checksum"] is None:
        content["checksum"] = checksum_of(content)
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="not opened").wait_for()
    assert reason in page.inner_text("#notice")


def test_what_is_there_is_replaced_only_when_confirmed(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]})
    boundary(page, 3).click()
    save(page, tmp_path / "a.json")
    boundary(page, 5).click()
    questions = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="stays").wait_for()
    assert pressed(page) == [3, 5]
    page.once("dialog", lambda dialog: dialog.accept())
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="Opened").wait_for()
    assert pressed(page) == [3]
    assert questions == ["Replace the work on this page by that in the file?"]


def test_a_title_alone_is_not_replaced_without_asking(page_of, tmp_path):
    page = page_of({"one": TEXTS["walk"]}, questions=("title",))
    save(page, tmp_path / "a.json")
    page.get_by_label("title of the segment from unit 1").fill("A start")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="stays").wait_for()
    assert asked == ["confirm"]
    assert page.get_by_label("title of the segment from unit 1").input_value() == "A start"


def test_a_file_of_other_texts_is_not_opened(page_of, tmp_path):
    save(page_of({"one": TEXTS["house"]}), tmp_path / "a.json")
    page = page_of({"one": TEXTS["walk"]}, where="other")
    boundary(page, 3).click()
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="not opened: its texts differ from those of this page").wait_for()
    assert pressed(page) == [3]


def test_a_file_of_an_older_page_is_opened(page_of, tmp_path):
    """The file of version 1 that is kept with the tests of its reader, as a page of its day saved it."""
    kept = Path(__file__).parents[1] / "io" / "annotation_version_1.json"
    content = json.loads(kept.read_text(encoding="utf-8"))
    texts = {one["document"]: one["units"] for one in content["documents"]}
    page = page_of(texts, types=tuple(content["scheme"]["names"]), questions=tuple(content["questions"]))
    page.set_input_files("#earlier", kept)
    page.locator("#notice", has_text=f"the work on {len(texts)} documents is here again").wait_for()
    again = save(page, tmp_path / "b.json")
    for one in content["documents"]:
        for key in ("positions", "types", "unsure", "titles", "comments", "done"):
            assert record(again, one["document"])[key] == one[key]


def test_work_on_two_tabs_is_said(page_of):
    page = page_of({"one": TEXTS["walk"]})
    other = page.context.new_page()
    other.goto(page.url)
    boundary(other, 3).click()
    page.locator("#notice", has_text="changed on another tab").wait_for()


@pytest.mark.parametrize("is_saved", [False, True])
def test_leaving_warns_of_what_is_not_in_a_file(page_of, tmp_path, is_saved):
    page = page_of()
    boundary(page, 2).click()
    if is_saved:
        save(page, tmp_path / "a.json")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    page.keyboard.press("j")  # browsers ask only those who have done something
    page.reload()
    assert asked == ([] if is_saved else ["beforeunload"] * 2)


def test_a_browser_that_keeps_nothing_says_so(visit, browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(Study("S", corpus_of(TEXTS)).page("ann"), encoding="utf-8")
    context = browser.new_context()
    context.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('no', 'SecurityError') }"
    )
    page = context.new_page()
    page.goto(path.as_uri())
    assert "not kept when the page is closed (the browser forbids it)" in page.inner_text("#storage")
    boundary(page, 2).click()
    assert pressed(page) == [2]
    context.close()
    assert visit(path).inner_text("#storage") == ""


def test_coders_on_one_computer_do_not_see_each_other(visit, tmp_path):
    """Pages from a disk share the browser's storage."""
    study = Study("S", corpus_of(TEXTS))
    for coder in ("ann", "bob"):
        (tmp_path / f"{coder}.html").write_text(study.page(coder), encoding="utf-8")
    page = visit(tmp_path / "ann.html")
    boundary(page, 2).click()
    page.goto((tmp_path / "bob.html").as_uri())
    assert pressed(page) == []
    boundary(page, 3).click()
    page.goto((tmp_path / "ann.html").as_uri())
    assert pressed(page) == [2]


# -------------------------------------------------------------------- safety

HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
UNITS = [
    HOSTILE, "<b>bold</b> &lt;", "שלום עולם, this is mixed", "\U0001f469‍\U0001f469‍\U0001f467 family",
    "nul \0 here", "{{script}} ${x}", "W" * 3000, "line one\nline two", "\u2028\u2029", "last",
]  # fmt: skip


def test_hostile_texts_and_names_are_shown_and_not_run(page_of, tmp_path, screenshot):
    guide = f"# {HOSTILE}\n\n[x](javascript:alert(1)) ![y](http://127.0.0.1/z.png)\n"
    page = page_of(
        {HOSTILE: UNITS, "__proto__": ["a", "b"]}, coder=HOSTILE, title=HOSTILE,
        types=(HOSTILE, "constructor"), questions=QUESTIONS, instructions=guide, width=390,
    )  # fmt: skip
    page.locator("#menu").select_option(label=HOSTILE)
    assert page.title() == page.inner_text("h1") == HOSTILE
    page.locator(".words", has_text="onerror").first.wait_for()
    assert page.locator(".words").first.inner_text() == HOSTILE
    boundary(page, 2).click()
    page.get_by_label("title of the segment from unit 3").fill(HOSTILE)
    boundary(page, 2).press("2")
    content = save(page, tmp_path / "a.json")
    assert page.title() == HOSTILE
    assert page.locator("a[href^=javascript], main img, main b:not(.kind b)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, "annotate-hostile")
    assert content["coder"] == HOSTILE
    with pytest.warns(UserWarning, match="__proto__"):
        corpus = cs.read(tmp_path / "a.json")
    assert corpus.units[HOSTILE] == tuple(UNITS)
    assert corpus[HOSTILE, HOSTILE].boundaries == ((2, 1), (2, 2))
    assert corpus.details["titles"] == (["", HOSTILE],)


def test_without_scripts_the_page_says_so(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(Study("S", corpus_of(TEXTS), instructions="Read me").page("ann"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "scripts are switched off" in page.inner_text("main")
    assert "Read me" in page.inner_text("main")
    context.close()


# -------------------------------------------------------------------- looks, access, speed


@pytest.mark.parametrize(
    ("size", "width", "scheme"), [("wide", 1440, "light"), ("desktop", 1024, "dark"), ("phone", 390, "dark")]
)
@pytest.mark.parametrize("kind", ["plain", "types", "levels"])
def test_axe_finds_nothing(page_of, screenshot, kind, size, width, scheme):
    """Colors depend on the scheme alone and sizes on the width alone, so three of six pages have them all."""
    study: dict[str, Any] = {
        "plain": {},
        "types": {"types": ("topic", "speaker", "aside", "four", "five", "six", "seven", "eight", "nine")},
        "levels": {"levels": ("part", "chapter", "section"), "questions": QUESTIONS},
    }[kind]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = page_of(
        instructions="# Guide\n\nMark a boundary where the *topic* changes.\n", title="A study", width=width,
        height=844, color_scheme=scheme, **study, **touch,
    )  # fmt: skip
    assert violations(page) == []
    for i, position in enumerate((2, 3, 5, 6), start=1):
        boundary(page, position).click()
        if kind != "plain":
            page.keyboard.press(str(min(i, 3 if kind == "levels" else 9)))
    page.keyboard.press("n")
    page.evaluate("scrollTo(0, 0)")
    screenshot(page, f"annotate-{kind}-{size}-{scheme}")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("button", name="Help").click()
    assert violations(page) == []


def test_a_page_for_all_asks_for_a_name_first(page_of, tmp_path, screenshot):
    page = page_of(coder=None)
    assert page.get_by_role("button", name="Save file").count() == 0
    assert violations(page) == []
    screenshot(page, "annotate-name")
    page.get_by_label("Your name").fill("Zoë")
    page.keyboard.press("Enter")
    boundary(page, 2).click()
    page.reload()
    assert pressed(page) == [2]
    assert save(page, tmp_path / "z.json")["coder"] == "Zoë"


def test_fingers_have_room(page_of):
    page = page_of(
        width=390, height=844, has_touch=True, is_mobile=True, types=("a", "b"), questions=("unsure",)
    )
    boundary(page, 2).tap()
    for button in page.locator("button:not(.link):visible, select:visible").all():
        box = button.bounding_box()
        assert box["height"] >= 44, button.get_attribute("aria-label")
        assert box["width"] >= 44, button.get_attribute("aria-label")


def test_a_text_of_10_000_units_stays_smooth(page_of, tmp_path):
    """Scripting for a key press, as the browser itself measures it, with half of all boundaries placed."""
    texts = {"long": [f"Unit {i} says something of no importance." for i in range(1, 10_001)]}
    coding = cs.Segmentation.from_positions(list(range(2, 10_000, 2)), 10_000)
    cs.write(cs.Corpus.from_dict({"long": {"ann": coding}}, units=texts), tmp_path / "a.json", "annotation")
    page = page_of(texts, questions=("title", "unsure"))
    page.set_input_files("#earlier", tmp_path / "a.json")
    page.locator("#notice", has_text="Opened").wait_for()
    page.evaluate("caesuraAnnotation.state.list.go(4999)")
    keys = ("j", "Space", "j", "Space", "u", "Shift+U", "n", "k", "Space", "j")
    assert scripting_of_keys(page, keys * 3) < 0.050
    assert page.locator(".boundary").count() == 9_999
    assert 4_990 < page.locator(".boundary[aria-pressed=true]").count() < 5_010
