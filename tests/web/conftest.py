"""What browser tests share: Chromium, pages that must stay silent and offline, and the corpora they show."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.analyses.reporting import report

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(
    os.environ.get("CAESURA_SCREENSHOTS") or Path(__file__).parents[2] / "build" / "screenshots"
)


def missing(reason: str) -> None:
    """Fail where tests must run; say visibly that they did not where they need not."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium, started once."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CAESURA_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        missing("browser tests need Chromium: run tests/web/install_chromium.sh, or set CAESURA_CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("browser tests need Playwright: pip install playwright")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file in a new browser; afterwards there must be no complaint and no request but the file's."""
    complaints: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_file(path: Path, link: str = "", *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + link)
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:image/svg+xml"))] == []


@pytest.fixture
def open_page(visit: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Open a report in a new browser."""

    def open_report(made: Any, link: str = "", **options: Any) -> Any:
        path = tmp_path / "report.html"
        made.save(path)
        page = visit(path, link, **options)
        page.wait_for_function("() => window.caesuraReport")
        return page

    return open_report


def violations(page: Any, context: str | None = None, **options: object) -> list[tuple[str, str]]:
    """What axe-core finds wrong: the rule, and the first element."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, context, {"resultTypes": ["violations"], **options})
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found.response["violations"]]


def scripting_of_keys(page: Any, keys: Sequence[str]) -> float:
    """The median time, in seconds, that scripts run for a key press, by the browser's own count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def scripting() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "ScriptDuration"))

    took = []
    for key in keys:
        before = scripting()
        page.keyboard.press(key)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        took.append(scripting() - before)
    return statistics.median(took)


@pytest.fixture
def screenshot() -> Callable[[Any, str], Path]:
    """Keep what a page looks like, for people to see."""

    def take(page: Any, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        page.screenshot(path=path)
        return path

    return take


def _words(corpus: cs.Corpus) -> dict[str, tuple[str, ...]]:
    return {
        document: tuple(
            f"Sentence {i + 1} of {document} says something." for i in range(corpus.n_units(document))
        )
        for document in corpus.documents
    }


@pytest.fixture(scope="session")
def stargazers() -> Any:
    return report(cs.load_stargazers(), title="Stargazers")


@pytest.fixture(scope="session")
def typed_corpus() -> cs.Corpus:
    """Text, three nominal types, two people and two segmenters."""
    made = cs.simulate(
        6,
        4,
        n_units=60,
        mean_segment=5,
        near_miss=0.2,
        full_miss=0.2,
        n_t=4,
        types=["topic", "speaker", "aside"],
        wrong_type=0.2,
        rng=3,
    )
    return cs.Corpus.from_dict(made.segmentations(), units=_words(made), type_scheme=made.type_scheme)


@pytest.fixture(scope="session")
def typed(typed_corpus: cs.Corpus) -> Any:
    return report(typed_corpus, segmenters=["c3", "c4"], title="Types", n_resamples=99)


@pytest.fixture(scope="session")
def hierarchy_corpus() -> cs.Corpus:
    """Text, and hierarchies of three levels by three people: types as ranks."""
    made = cs.simulate(
        4,
        3,
        n_units=40,
        mean_segment=4,
        near_miss=0.2,
        full_miss=0.2,
        types=["1", "2", "3"],
        wrong_type=0.2,
        rng=5,
    )
    codings = {
        document: {
            coder: cs.Hierarchy.from_ranks(dict(segmentation.boundaries), segmentation.n_units)
            for coder, segmentation in coded.items()
        }
        for document, coded in made.segmentations().items()
    }
    return cs.Corpus.from_dict(codings, units=_words(made))


@pytest.fixture(scope="session")
def hierarchy(hierarchy_corpus: cs.Corpus) -> Any:
    return report(hierarchy_corpus, title="Hierarchy", n_resamples=99)
