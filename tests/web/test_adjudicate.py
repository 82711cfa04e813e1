"""The adjudicator's page in a real browser: keys, presses, types, levels, files, and what is lost.
Source of truth: what was clicked, Adjudication.decide of the same decisions, and axe-core."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run
from caesura.io.page_files import checksum_of
from caesura.pages.adjudication import adjudication_page

from .conftest import scripting_of_keys, violations

UNITS = [f"Sentence {i} says something of no great importance." for i in range(1, 21)]


def coded(units: bool = True, **codings: list[int]) -> cs.Corpus:
    made = {who: cs.Segmentation.from_positions(positions, 20) for who, positions in codings.items()}
    return cs.Corpus.from_dict({"d": made}, units={"d": UNITS} if units else None)


# 4 and 5 are a near miss, 12 is one coder's, all mark 8 and 16
PLAIN = {"ann": [4, 8, 16], "bob": [5, 8, 12, 16], "cy": [4, 8, 16]}


@pytest.fixture
def page_of(visit, tmp_path):
    """Open the page of a corpus."""

    def open_corpus(
        corpus: cs.Corpus, title: str = "Study", name: str = "gold", n_t: int = 2, **options: Any
    ) -> Any:
        path = tmp_path / "adjudicate.html"
        path.write_text(adjudication_page(cs.adjudicate(corpus, n_t=n_t), title=title, name=name), "utf-8")
        page = visit(path, **options)
        page.set_default_timeout(10_000)
        return page

    return open_corpus


def boundary(page: Any, position: int) -> Any:
    return page.get_by_role("button", name=f"boundary after unit {position}", exact=True)


def pressed(page: Any) -> list[int]:
    found = page.locator(".boundary[aria-pressed=true]")
    return sorted(int(one.get_attribute("aria-label").split()[-1]) for one in found.all())


def save(page: Any, path: Path) -> dict[str, Any]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save file").click()
    waiting.value.save_as(path)
    return json.loads(path.read_text(encoding="utf-8"))


def go_to(page: Any, question: str) -> None:
    """Go from place to place, from the first one on."""
    n = page.evaluate("caesuraAdjudication.queue.length")
    for key in ("p", "n"):
        for _ in range(n):
            if page.inner_text("#asks") == question:
                return
            page.keyboard.press(key)
    raise AssertionError(f"not asked: {question}")


def decisions(content: dict[str, Any]) -> dict[int, tuple[str, list[int]]]:
    (document,) = content["documents"]
    return {
        one["first"]: (one["decision"], [position for position, _ in one["boundaries"]])
        for one in document["decisions"]
    }


# -------------------------------------------------------------------- deciding


def test_every_place_has_a_button_and_shows_what_stands(page_of):
    page = page_of(coded(**PLAIN))
    names = [one.get_attribute("aria-label") for one in page.locator(".boundary").all()]
    assert names == [f"boundary after unit {i}" for i in range(1, 20)]
    assert pressed(page) == [4, 8, 16]  # taken over, and proposed by two of three
    assert tuple(page.locator(".words").all_inner_texts()) == tuple(UNITS)
    assert page.locator(".gap.proposed").evaluate_all("all => all.map((one) => one.dataset.position)") == [
        "4"
    ]


def test_near_misses_are_one_question_with_who_marked_what(page_of):
    page = page_of(coded(**PLAIN))
    asked = []
    for _ in range(2):
        options = page.locator(".option").all_inner_texts()
        asked.append((page.inner_text("#asks"), [" ".join(one.split()) for one in options]))
        page.keyboard.press("n")
    assert sorted(asked) == [
        ("A boundary after 12?", ["1 After 12 bob", "2 No boundary ann, cy proposed, 2 of 3 support it"]),
        ("After 4 or after 5?", [
            "1 After 4 ann, cy proposed, 3 of 3 support it", "2 After 5 bob", "3 No boundary no coder"]),
    ]  # fmt: skip
    votes = page.locator(".gap.contested").evaluate_all(
        "all => all.map((one) => [one.dataset.position, one.querySelector('.chip').textContent])"
    )
    assert votes == [["4", "ann, cy"], ["5", "bob"], ["12", "bob"]]


def test_the_costliest_place_comes_first(page_of):
    corpus = coded(ann=[3, 9, 15], bob=[3, 10], cy=[9], dee=[3, 9])
    page = page_of(corpus)
    expected = [place.positions for place in cs.adjudicate(corpus).contested]
    found = []
    for _ in expected:
        found.append(tuple(page.evaluate("caesuraAdjudication.state.place.positions")))
        page.keyboard.press("n")
    assert found == expected
    assert len(expected) == 3


def test_keys_accept_choose_move_reject_and_go_back(page_of, tmp_path):
    page = page_of(coded(ann=[3, 9, 15], bob=[4, 9, 14], cy=[9, 15, 18]))
    first = page.inner_text("#asks")
    page.keyboard.press("a")
    assert page.inner_text("#asks") != first
    assert page.inner_text("#done") == "1 of 3"
    page.keyboard.press("u")
    assert page.inner_text("#done") == "0 of 3"
    assert page.inner_text("#asks") == first
    page.keyboard.press("Shift+U")
    assert page.inner_text("#done") == "1 of 3"
    go_to(page, "After 3 or after 4?")
    page.keyboard.press("2")  # what bob marked, or ann: the second of the list
    go_to(page, "After 14 or after 15?")
    page.keyboard.press("ArrowLeft")
    assert "Decided: after 14." in page.inner_text(".state")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")  # fewer than n_t from the place, and no further
    assert "Decided: after 13." in page.inner_text(".state")
    assert page.inner_text("#notice") == "It would leave this place."
    go_to(page, "A boundary after 18?")
    page.keyboard.press("r")
    assert "All places are decided" in page.inner_text("#notice")
    content = save(page, tmp_path / "gold.json")
    assert decisions(content) == {
        3: ("chosen", [4]), 9: ("unanimous", [9]), 14: ("chosen", [13]), 18: ("accepted", []),
    }  # fmt: skip
    assert cs.read(tmp_path / "gold.json")["d", "gold"].positions == (4, 9, 13)


def test_what_is_pressed_in_the_text_is_what_is_saved(page_of, tmp_path):
    """A press in the text decides; unanimous places may be overruled, and others added."""
    page = page_of(coded(**PLAIN))
    for position in (5, 4, 12, 8, 19):
        boundary(page, position).click()
    assert pressed(page) == [5, 12, 16, 19]
    assert page.inner_text("#done") == "2 of 2"
    content = save(page, tmp_path / "gold.json")
    assert decisions(content) == {
        4: ("chosen", [5]), 8: ("overruled", []), 12: ("chosen", [12]), 16: ("unanimous", [16]),
        19: ("added", [19]),
    }  # fmt: skip
    assert cs.read(tmp_path / "gold.json")["d", "gold"].positions == (5, 12, 16, 19)


def test_undecided_places_are_as_proposed_and_are_named(page_of, tmp_path, capsys):
    page = page_of(coded(**PLAIN))
    content = save(page, tmp_path / "gold.json")
    assert "2 places are undecided and taken as proposed: d." in page.inner_text("#notice")
    assert decisions(content)[4] == ("undecided", [4])
    corpus = cs.read(tmp_path / "gold.json")
    assert corpus["d", "gold"].positions == (4, 8, 16)
    (said,) = corpus.metadata["understood"]
    assert said.endswith(
        "adjudication: gold, 1 document, 3 boundaries (2 places undecided and taken as proposed: d)"
    )


def test_a_place_may_be_left_open_again(page_of, tmp_path):
    page = page_of(coded(**PLAIN))
    go_to(page, "After 4 or after 5?")
    page.keyboard.press("ArrowRight")
    assert pressed(page) == [5, 8, 16]
    page.get_by_role("button", name="Leave it open").click()
    assert pressed(page) == [4, 8, 16]
    assert page.inner_text("#done") == "0 of 2"
    page.keyboard.press("u")
    assert pressed(page) == [5, 8, 16]


@pytest.mark.parametrize("seed", range(4))
def test_gold_is_that_of_the_library(page_of, tmp_path, seed):
    """Decisions at random, made on the page by option and given to Adjudication.decide."""
    chance = random.Random(seed)
    corpus = cs.simulate(3, 4, n_units=30, mean_segment=4, near_miss=0.3, full_miss=0.3, rng=seed)
    n_t = 2 + seed % 2
    found = cs.adjudicate(corpus, n_t=n_t)
    page = page_of(corpus, n_t=n_t, name="Zoë's gold")
    wanted = {}
    for place in found.contested:
        assert page.evaluate("caesuraAdjudication.state.place.positions") == list(place.positions)
        options = page.locator(".option").all()
        chosen = chance.randrange(len(options))
        boundaries = page.evaluate(
            f"caesuraAdjudication.optionsOf(caesuraAdjudication.state.place)[{chosen}].boundaries"
        )
        wanted[place.key] = [tuple(one) for one in boundaries]
        options[chosen].click()
    expected = found.decide(wanted, name="Zoë's gold")
    content = save(page, tmp_path / "gold.json")
    assert cs.read(tmp_path / "gold.json").segmentations() == expected.corpus.segmentations()
    records = [one for document in content["documents"] for one in document["decisions"]]
    assert [(one["first"], one["last"], one["decision"]) for one in records] == [
        (record.first, record.last, record.decision) for record in expected.records
    ]
    for record, place in zip(records, found.places, strict=True):
        votes = {one["coder"]: [tuple(mark) for mark in one["boundaries"]] for one in record["votes"]}
        assert votes == {who: list(map(tuple, marks)) for who, marks in place.votes.items()}


# -------------------------------------------------------------------- types and levels


def typed(scheme: cs.TypeScheme | None) -> cs.Corpus:
    codings = {"ann": ([2, 5, 9], [1, 2, 3]), "bob": ([2, 6, 9], [1, 2, 1]), "cy": ([2, 5], [1, 2])}
    made = {
        who: cs.Segmentation.from_positions(places, 12, types) for who, (places, types) in codings.items()
    }
    return cs.Corpus.from_dict({"d": made}, units={"d": UNITS[:12]}, type_scheme=scheme)


@pytest.mark.parametrize(
    "scheme",
    [
        cs.TypeScheme({1: "topic", 2: "speaker", 3: "aside"}, nominal=True),
        cs.TypeScheme({1: "weak", 2: "middle", 3: "strong"}),
        None,
    ],
)
def test_types_nominal_ordinal_and_undeclared(page_of, tmp_path, scheme):
    page = page_of(typed(scheme))
    name = {1: "1", 2: "2", 3: "3"} if scheme is None else scheme.names
    go_to(page, "After 5 or after 6?")
    assert page.locator(".option .what").all_inner_texts() == [
        f"After 5 ({name[2]})", f"After 6 ({name[2]})", "No boundary",
    ]  # fmt: skip
    page.keyboard.press("2")
    assert page.inner_text("#asks") == "A boundary after 9?"
    boundary(page, 9).click() if 9 not in pressed(page) else None
    page.get_by_role("button", name=f"{name[3]} after unit 9", exact=True).click()
    page.get_by_role("button", name=f"{name[2]} after unit 9", exact=True).click()
    before = set(page.evaluate("caesuraAdjudication.state.doc.gold.get(9)"))
    save(page, tmp_path / "gold.json")
    corpus = cs.read(tmp_path / "gold.json")
    assert corpus.type_scheme == scheme
    assert corpus["d", "gold"].boundaries == ((2, 1), (6, 2), *((9, kind) for kind in sorted(before)))
    assert 2 in before


def test_levels_one_at_a_position(page_of, tmp_path):
    ranks = {"ann": {3: 1, 6: 2, 10: 3}, "bob": {3: 2, 6: 2, 10: 3}, "cy": {3: 1, 7: 2, 10: 3}}
    corpus = cs.Corpus.from_dict(
        {"d": {who: cs.Hierarchy.from_ranks(own, 12) for who, own in ranks.items()}}, units={"d": UNITS[:12]}
    )
    page = page_of(corpus)
    go_to(page, "After 3: level 1 or level 2?")
    page.get_by_role("button", name="level 2 after unit 3", exact=True).click()
    page.keyboard.press("t")  # the next deeper one
    go_to(page, "After 6 or after 7?")
    page.keyboard.press("ArrowRight")
    save(page, tmp_path / "gold.json")
    gold = cs.read(tmp_path / "gold.json")
    assert gold.is_hierarchical
    assert gold["d", "gold"].boundaries == ((3, 3), (7, 2), (10, 3))


# -------------------------------------------------------------------- texts, documents, lists


def test_without_texts_units_have_numbers(page_of):
    page = page_of(coded(units=False, **PLAIN))
    assert page.locator(".words").all_inner_texts()[:2] == ["unit 1", "unit 2"]


def test_unanimous_places_are_listed_and_places_can_be_reached(page_of):
    page = page_of(coded(**PLAIN))
    page.get_by_text("Taken over, as all coders of the document agree: 2 places").click()
    items = page.locator("#unanimous li").all_inner_texts()
    assert [" ".join(one.split()) for one in items] == ["d: After 8 all agree", "d: After 16 all agree"]
    page.get_by_text("All places to decide: 2").click()
    page.locator("#contested").get_by_role("button", name="d: A boundary after 12?").click()
    assert page.inner_text("#asks") == "A boundary after 12?"
    page.keyboard.press("r")
    assert "accepted: no boundary" in page.inner_text("#contested")


def test_documents_of_one_coder_and_of_none_that_differ(page_of, tmp_path):
    corpus = cs.Corpus.from_dict(
        {
            "alone": {"ann": [2, 3]},
            "same": {"ann": [1, 3], "bob": [1, 3]},
            "other": {"ann": [2, 2], "bob": [3, 1]},
        }
    )
    page = page_of(corpus)
    assert page.inner_text("#name") == "other"
    page.locator("#menu").select_option(label="same")
    assert page.inner_text("#question").startswith("Nothing to decide here")
    page.get_by_role("button", name="To the next question").click()
    page.keyboard.press("a")
    content = save(page, tmp_path / "gold.json")
    made = {
        one["document"]: [record["decision"] for record in one["decisions"]] for one in content["documents"]
    }
    assert made == {"alone": ["one coder"], "same": ["unanimous"], "other": ["accepted"]}


def test_where_no_coder_differs_gold_is_what_they_marked(page_of, tmp_path):
    page = page_of(coded(ann=[3], bob=[3]))
    assert "All coders agree on every place" in page.inner_text("#intro")
    save(page, tmp_path / "gold.json")
    assert cs.read(tmp_path / "gold.json")["d", "gold"].positions == (3,)


def test_a_boundary_is_that_of_the_nearest_place(page_of, tmp_path):
    """6 lies as near to 5, on which all agree, as to 7, which is contested: it answers the question."""
    page = page_of(coded(ann=[5, 7], bob=[5, 7], cy=[5]))
    assert page.inner_text("#asks") == "A boundary after 7?"
    page.keyboard.press("ArrowLeft")
    content = save(page, tmp_path / "gold.json")
    assert decisions(content) == {5: ("unanimous", [5]), 7: ("chosen", [6])}


# -------------------------------------------------------------------- files, and what is lost


def test_comments_and_decisions_survive_a_reload_and_are_columns(page_of, tmp_path):
    page = page_of(coded(**PLAIN))
    go_to(page, "After 4 or after 5?")
    page.keyboard.press("c")
    page.keyboard.type("a & “b” </script>")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.reload()
    assert page.inner_text("#asks") == "After 4 or after 5?"
    assert page.get_by_label("Comment").input_value() == "a & “b” </script>"
    assert page.inner_text("#done") == "1 of 2"
    save(page, tmp_path / "gold.json")
    (row,) = cs.read(tmp_path / "gold.json").to_frame().to_dict("records")
    comments = {one["first"]: one["comment"] for one in row["decisions"]}
    assert comments == {4: "a & “b” </script>", 8: "", 12: "", 16: ""}
    assert row["seconds"] >= 0


def test_an_earlier_file_is_opened_to_go_on(page_of, visit, tmp_path):
    page = page_of(coded(**PLAIN))
    go_to(page, "After 4 or after 5?")
    page.keyboard.press("2")
    for position in (8, 19):
        boundary(page, position).click()
    saved = save(page, tmp_path / "gold.json")
    other = visit(tmp_path / "adjudicate.html")  # as on another computer
    other.set_input_files("#earlier", tmp_path / "gold.json")
    other.locator("#notice", has_text="Opened gold.json: 1 decision is here again.").wait_for()
    assert pressed(other) == [5, 16, 19]
    assert other.inner_text("#done") == "1 of 2"
    again = save(other, tmp_path / "again.json")
    for content in (saved, again):
        content["documents"][0]["seconds"] = 0
    assert again["documents"] == saved["documents"]


def test_decisions_on_what_others_have_coded_since_are_not_taken(page_of, tmp_path):
    page = page_of(coded(**PLAIN))
    page.keyboard.press("a")
    page.keyboard.press("a")
    save(page, tmp_path / "gold.json")
    page = page_of(coded(**{**PLAIN, "bob": [5, 8, 13, 16]}))
    page.set_input_files("#earlier", tmp_path / "gold.json")
    page.locator("#notice", has_text="1 decision is here again.").wait_for()
    assert "1 decision of it is on places that are not on this page." in page.inner_text("#notice")
    page = page_of(coded(zed=[2], yan=[3]))
    page.set_input_files("#earlier", tmp_path / "gold.json")
    page.locator("#notice", has_text="its codings differ from those of this page").wait_for()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content["documents"][0]["positions"].append(3), "it was changed after it was saved"),
        (lambda content: content.update(version=99), "a newer page has saved it"),
        (
            lambda content: content.update(format="caesura annotation"),
            "it is not a file that this page has saved",
        ),
        (
            lambda content: content.update(type_scheme={"names": {"1": "a"}, "nominal": True}, checksum=None),
            "boundary types differ",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_not_opened(page_of, tmp_path, change, reason):
    page = page_of(coded(**PLAIN))
    content = save(page, tmp_path / "gold.json")
    change(content)
    if content["checksum"] is None:
        content["checksum"] = checksum_of(content)
    (tmp_path / "gold.json").write_text(json.dumps(content), encoding="utf-8")
    page.set_input_files("#earlier", tmp_path / "gold.json")
    page.locator("#notice", has_text="not opened").wait_for()
    assert reason in page.inner_text("#notice")


def test_what_is_there_is_replaced_only_when_confirmed(page_of, tmp_path):
    page = page_of(coded(**PLAIN))
    save(page, tmp_path / "gold.json")
    boundary(page, 19).click()
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.set_input_files("#earlier", tmp_path / "gold.json")
    page.locator("#notice", has_text="the decisions on this page stay").wait_for()
    assert pressed(page) == [4, 8, 16, 19]
    page.once("dialog", lambda dialog: dialog.accept())
    page.set_input_files("#earlier", tmp_path / "gold.json")
    page.locator("#notice", has_text="Opened").wait_for()
    assert pressed(page) == [4, 8, 16]


@pytest.mark.parametrize("is_saved", [False, True])
def test_leaving_warns_of_what_is_not_in_a_file(page_of, tmp_path, is_saved):
    page = page_of(coded(**PLAIN))
    boundary(page, 2).click()
    if is_saved:
        save(page, tmp_path / "gold.json")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    page.keyboard.press("j")  # browsers ask only those who have done something
    page.reload()
    assert asked == ([] if is_saved else ["beforeunload"] * 2)


# -------------------------------------------------------------------- the command


def test_the_command_writes_the_page(visit, tmp_path, capsys):
    data, page = tmp_path / "talk.jsonl", tmp_path / "a.html"
    cs.write(coded(**PLAIN), data)
    assert run(["adjudicate", str(data), "-o", str(page), "--name", "truth", "--n-t", "1"]) == 0
    assert "3 places to decide, most costly first" in capsys.readouterr().err
    opened = visit(page)
    assert opened.title() == "talk"
    assert save(opened, tmp_path / "truth.json")["coder"] == "truth"
    assert cs.read(tmp_path / "truth.json").coders == ("truth",)
    assert run(["adjudicate", str(data), "-o", str(page)]) == 2
    assert "use --force to overwrite" in capsys.readouterr().err


def test_a_document_that_no_browser_can_show_is_refused(tmp_path, capsys):
    data = tmp_path / "long.json"
    cs.write(cs.Corpus.from_dict({"d": {"ann": [10**6, 3], "bob": [10**6 + 1, 2]}}), data)
    assert run(["adjudicate", str(data), "-o", str(tmp_path / "a.html")]) == 1
    said = capsys.readouterr().err
    assert "document d has 1,000,003 units (at most 100,000)" in said
    assert not (tmp_path / "a.html").exists()


# -------------------------------------------------------------------- safety, looks, access, speed

HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_hostile_texts_and_names_are_shown_and_not_run(page_of, tmp_path, screenshot):
    units = [HOSTILE, "<b>bold</b>", "שלום", "{{script}} ${x}", "W" * 3000, "\u2028", "nul \0", "last"]
    scheme = cs.TypeScheme({1: HOSTILE, 2: "constructor"}, nominal=True)
    marks = {HOSTILE: ([2, 4], [1, 2]), "__proto__": ([2, 5], [2, 2]), "constructor": ([3], [1])}
    codings = {who: cs.Segmentation.from_positions(*one[:1], 8, one[1]) for who, one in marks.items()}
    corpus = cs.Corpus.from_dict(
        {HOSTILE: codings, "__proto__": {"ann": [1, 1], "bob": [2]}},
        units={HOSTILE: units},
        type_scheme=scheme,
    )
    page = page_of(corpus, title=HOSTILE, name=HOSTILE, width=390)
    page.locator("#menu").select_option(label=HOSTILE)
    page.get_by_label("Comment").fill(HOSTILE)
    for _ in range(5):
        page.keyboard.press("Escape")
        page.keyboard.press("a")
    for one in ("#contested", "#unanimous"):
        if page.locator(f"{one} summary").is_visible():
            page.locator(f"{one} summary").click()
    content = save(page, tmp_path / "gold.json")
    assert page.title() == page.inner_text("h1") == HOSTILE
    assert page.locator("main img, main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, "adjudicate-hostile")
    gold = cs.read(tmp_path / "gold.json")
    assert gold.coders == (HOSTILE,)
    assert gold.units[HOSTILE] == tuple(units)
    votes = content["documents"][0]["decisions"][0]["votes"]
    assert [one["coder"] for one in votes] == list(corpus[HOSTILE])


def test_nothing_but_the_page_itself_may_run(tmp_path):
    page = adjudication_page(cs.adjudicate(coded(**PLAIN)), title="t")
    policy = page.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("size", "width", "scheme"), [("wide", 1440, "light"), ("desktop", 1024, "dark"), ("phone", 390, "dark")]
)
@pytest.mark.parametrize("kind", ["plain", "types", "bare"])
def test_axe_finds_nothing(page_of, screenshot, kind, size, width, scheme):
    """Colors depend on the scheme alone and sizes on the width alone, so three of six pages have them all."""
    corpus = {
        "plain": coded(**PLAIN),
        "types": typed(cs.TypeScheme({1: "topic", 2: "speaker", 3: "aside"}, nominal=True)),
        "bare": coded(units=False, **PLAIN),
    }[kind]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = page_of(corpus, title="A study", width=width, height=844, color_scheme=scheme, **touch)
    assert violations(page) == []
    screenshot(page, f"adjudicate-{kind}-{size}-{scheme}")
    page.keyboard.press("ArrowRight")
    for one in ("#contested", "#unanimous"):
        page.locator(f"{one} summary").click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("button", name="Help").click()
    assert violations(page) == []


def test_fingers_have_room(page_of):
    page = page_of(typed(None), width=390, height=844, has_touch=True, is_mobile=True)
    for button in page.locator("button:not(.link):visible").all():
        box = button.bounding_box()
        assert box["height"] >= 44, button.inner_text()
        assert box["width"] >= 44, button.inner_text()


def test_on_a_phone_the_place_is_in_sight_above_the_question(page_of):
    page = page_of(coded(**PLAIN), width=390, height=844, has_touch=True, is_mobile=True)
    for question in ("After 4 or after 5?", "A boundary after 12?"):
        go_to(page, question)
        gaps = [one.bounding_box() for one in page.locator(".gap.asked").all()]
        card, bar = page.locator("#question").bounding_box(), page.locator("#bar").bounding_box()
        assert gaps
        assert all(bar["height"] <= box["y"] and box["y"] + box["height"] <= card["y"] for box in gaps)


@pytest.mark.parametrize("height", [844, 664, 568])
def test_on_a_phone_the_actions_are_pinned_and_the_first_button_is_in_sight(page_of, height):
    """Seven answers to one question: more than fit."""
    marks = {f"coder {i}": [9 + i] for i in range(3)} | {f"coder {i + 3}": [9 + i, 12] for i in range(3)}
    page = page_of(coded(**marks), n_t=4, width=390, height=height, has_touch=True, is_mobile=True)
    page.wait_for_function("scrollY > 0")
    card = page.locator("#question")
    assert card.evaluate("card => card.scrollHeight > card.clientHeight")

    def edges(name: str) -> tuple[float, float]:
        box = page.locator(f"[data-part={name}]").bounding_box()
        return round(box["y"]), round(box["y"] + box["height"])

    top = card.bounding_box()["y"]
    acts = edges("accept")
    assert top < edges("option-0")[0] < edges("option-0")[1] < acts[0]
    for scroll in (0, 10_000):
        card.evaluate(f"card => card.scrollTo(0, {scroll})")
        assert edges("accept") == edges("reject") == edges("later")
        assert edges("accept") == pytest.approx(acts, abs=1)
        assert acts[1] <= height
    page.locator("[data-part=accept]").tap()
    assert "All places are decided" in page.inner_text("#notice")
    page.get_by_role("button", name="Help").click()
    words = page.locator("#keys").inner_text()
    assert "between two units" in words
    assert "Escape" not in words


def test_keys_page_and_search_in_the_text(page_of):
    page = page_of(coded(**PLAIN), height=500)
    page.keyboard.press("/")
    page.keyboard.type("15")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.ariaLabel") == "boundary after unit 15"
    page.keyboard.press("PageUp")
    position = page.evaluate("caesuraAdjudication.state.list.current")
    assert position < 12
    page.keyboard.press("PageDown")
    assert position < page.evaluate("caesuraAdjudication.state.list.current")


def test_a_text_of_10_000_units_stays_smooth(page_of):
    """Scripting for a key press, as the browser itself measures it, with 2,500 contested places."""
    n = 10_000
    made = {
        who: cs.Segmentation.from_positions(list(range(2 + shift, n - 2, 4)), n)
        for who, shift in (("ann", 0), ("bob", 0), ("cy", 1))
    }
    units = {"long": [f"Unit {i} says something of no importance." for i in range(1, n + 1)]}
    page = page_of(cs.Corpus.from_dict({"long": made}, units=units))
    keys = ("a", "ArrowRight", "n", "2", "u", "Shift+U", "r", "j", "Space", "p")
    assert scripting_of_keys(page, keys * 3) < 0.050
    assert page.evaluate("caesuraAdjudication.queue.length") == 2_499
