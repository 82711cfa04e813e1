"""A whole study in Chromium, from texts to gold: pages, three coders, agreement, adjudication, comparison.
Source of truth: tests/web/study.py, which counts by hand what was clicked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run

from .study import CODINGS, DECISIONS, GOLD, QUESTIONS, TEXTS, agreement, observed, similarity, write_texts

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def boundary(page: Any, position: int) -> Any:
    return page.get_by_role("button", name=f"boundary after unit {position}", exact=True)


def pressed(page: Any) -> list[int]:
    found = page.locator(".boundary[aria-pressed=true]")
    return sorted(int(one.get_attribute("aria-label").split()[-1]) for one in found.all())


def downloaded(page: Any, path: Path, press: Any) -> dict[str, Any]:
    with page.expect_download() as waiting:
        press()
    waiting.value.save_as(path)
    return json.loads(path.read_text(encoding="utf-8"))


def by_keyboard_alone(page: Any, path: Path) -> None:
    for _ in TEXTS:
        here = 0
        for position in CODINGS["ann"][page.inner_text("#name")]:
            for step in range(position - here):
                page.keyboard.press("j" if step % 2 else "ArrowDown")
            page.keyboard.press("Space" if position % 2 else "Enter")
            here = position
        page.keyboard.press("d")
    assert "All documents are finished" in page.inner_text("#notice")
    downloaded(page, path, lambda: page.keyboard.press("s"))


def by_finger(page: Any, path: Path) -> None:
    for _ in TEXTS:
        for position in CODINGS["bob"][page.inner_text("#name")]:
            boundary(page, position).tap()
        page.get_by_role("button", name="This document is finished").tap()
    downloaded(page, path, lambda: page.get_by_role("button", name="Save file").tap())


def with_reloads(page: Any, path: Path) -> None:
    for _ in TEXTS:
        name = page.inner_text("#name")
        for n, position in enumerate(CODINGS["cy"][name], start=1):
            boundary(page, position).click()
            page.reload()
            assert page.inner_text("#name") == name
            assert pressed(page) == CODINGS["cy"][name][:n]
        page.get_by_role("button", name="This document is finished").click()
    downloaded(page, path, lambda: page.get_by_role("button", name="Save file").click())


def adjudicated(page: Any) -> set[tuple[str, str]]:
    """Decide every place, each in another way; return what was asked."""
    asked = set()
    for _ in QUESTIONS:
        document, question = page.inner_text("#name"), page.inner_text("#asks")
        asked.add((document, question))
        match document, question:
            case ("walk", "After 2 or after 3?"):
                page.keyboard.press("a")
            case ("walk", "After 7 or after 8?"):
                page.keyboard.press("ArrowRight")
                page.get_by_label("Comment").fill("The weather turns.")
                page.keyboard.press("Escape")
                page.reload()  # in the middle, and go on
                assert page.inner_text("#asks") == question
                page.keyboard.press("n")
            case ("walk", "A boundary after 10?"):
                page.get_by_role("button", name="No boundary", exact=True).click()
            case ("house", "A boundary after 4?"):
                page.keyboard.press("r")
            case ("house", "A boundary after 6?"):
                boundary(page, 6).click()
                page.keyboard.press("n")
            case ("sea", "After 9 or after 10?"):
                page.get_by_role("button", name="After 10 ann").click()
            case ("sea", "A boundary after 12?"):
                page.get_by_role("button", name="Accept", exact=True).click()
    return asked


@pytest.mark.exhaustive
def test_from_texts_to_gold(visit, tmp_path, capsys, screenshot):
    pages, back = tmp_path / "pages", tmp_path / "back"
    texts = write_texts(tmp_path / "texts")
    assert run(["annotate", str(texts), "-o", str(pages), "--coders", "ann,bob,cy", "--seed", "4"]) == 0
    assert sorted(path.name for path in pages.iterdir()) == [f"texts.{who}.html" for who in CODINGS]
    by_keyboard_alone(visit(pages / "texts.ann.html"), back / "ann.json")
    page = visit(pages / "texts.bob.html", **PHONE)
    screenshot(page, "study-annotate-phone")
    by_finger(page, back / "bob.json")
    with_reloads(visit(pages / "texts.cy.html"), back / "cy.json")

    files = [str(path) for path in sorted(back.iterdir())]
    read = cs.read(files)
    assert {(name, who): list(coding.positions) for name, who, coding in read} == {
        (name, who): positions for who, coded in CODINGS.items() for name, positions in coded.items()
    }
    assert dict(read.units) == {name: tuple(units) for name, units in TEXTS.items()}
    capsys.readouterr()
    assert run(["agree", *files, "-f", "json"]) == 0
    (printed,) = json.loads(capsys.readouterr().out)["agreements"]
    assert printed["value"] == pytest.approx(float(agreement()), abs=1e-12)
    assert printed["observed"] == pytest.approx(float(observed()), abs=1e-12)
    assert run(["report", *files, "-o", str(tmp_path / "report.html"), "--resamples", "0"]) == 0

    assert run(["adjudicate", *files, "-o", str(tmp_path / "adjudicate.html"), "--title", "Study"]) == 0
    page = visit(tmp_path / "adjudicate.html")
    screenshot(page, "study-adjudicate")
    assert adjudicated(page) == QUESTIONS
    gold_file = tmp_path / "gold.json"
    content = downloaded(page, gold_file, lambda: page.get_by_role("button", name="Save file").click())
    made = {
        one["document"]: {record["first"]: record["decision"] for record in one["decisions"]}
        for one in content["documents"]
    }
    assert made == DECISIONS
    gold = cs.read(gold_file)
    assert {name: list(gold[name, "gold"].positions) for name in TEXTS} == GOLD

    capsys.readouterr()
    compared = ["compare", *files, str(gold_file), "--reference", "gold", "-f", "json", "--resamples", "99"]
    assert run([*compared, "-s", "ann", "-s", "bob", "-s", "cy"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = {row["name"]: row["value"] for row in printed["segmenters"]}
    for who in CODINGS:
        assert found[who] == pytest.approx(float(similarity(CODINGS[who], GOLD)), abs=1e-12)
