"""The documentation site from the disk, in a browser. Source of truth: the pages' titles, and a browser that
reports complaints and requests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import violations

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; it takes some seconds."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


FIRST = {
    "inter-annotator": "Inter-annotator agreement",
    "kappa": "Which metric, which coefficient, which test?",
    "windowdiff": "WD · WindowDiff",
    "chunking": "Compare chunkings for retrieval",
}


@pytest.mark.exhaustive
def test_search_works_from_the_disk(site, visit):
    page = visit(site / "index.html")
    for word, title in FIRST.items():
        page.fill("input[name=query]", "")
        page.click("input[name=query]")
        page.locator(".md-search-result__meta", has_text="Type to start searching").wait_for()
        page.keyboard.insert_text(word[:-1])
        page.keyboard.press(word[-1])  # the theme listens to keys
        page.locator(".md-search-result__item h1", has_text=title).first.wait_for(timeout=10_000)


@pytest.mark.exhaustive
def test_the_button_of_a_session_copies_what_is_typed(site, visit):
    page = visit(site / "index.html", permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-copy] button[data-clipboard-target]").first.click()
    page.wait_for_function(
        "async () => (await navigator.clipboard.readText()).startsWith('import caesura as cs')"
    )
    copied = page.evaluate("navigator.clipboard.readText()")
    assert ">>>" not in copied
    assert "B 0.75" not in copied


THEME = {rule: {"enabled": False} for rule in ["landmark-unique", "scrollable-region-focusable"]}
"""The theme's own navigation, copy buttons and frames of wide tables break these."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "how-to/choose", "metrics/index", "metrics/BF", "play/index"])
def test_axe_finds_nothing(site, visit, screenshot, name, scheme):
    for width in (1440, 390):
        page = visit(site / f"{name}.html", width=width, color_scheme=scheme)
        screenshot(page, f"site-{name.replace('/', '-')}-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert violations(page, rules=THEME, preload=False) == []
