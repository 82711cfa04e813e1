"""The documentation site: it builds strictly, its pages have what is declared, and it works from the disk.

Source of truth: the declarations; values in the pictures worked out by hand; a browser that reports
complaints and requests.
"""

from __future__ import annotations

import html
import html.parser
import importlib.util
import inspect
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import caesura as cs
from caesura import figures
from caesura.cli import COMMANDS
from caesura.pages.play import play_page

from .conftest import violations

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does, once; this is the slow part, some seconds."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


# -------------------------------------------------------------------- in a browser


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
@pytest.mark.parametrize("name", ["index", "how-to/choose", "metrics/index", "metrics/BF", "play/index"])
def test_axe_finds_nothing(site, visit, screenshot, name):
    """Colors depend on the scheme alone and sizes on the width alone, so two of four pages have them all."""
    for width, scheme in ((1440, "light"), (390, "dark")):
        page = visit(site / f"{name}.html", width=width, color_scheme=scheme)
        screenshot(page, f"site-{name.replace('/', '-')}-{width}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert violations(page, rules=THEME, preload=False) == []


# -------------------------------------------------------------------- what the pages say


def text_of(page):
    """Return the words of a page, without tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", cs.METRICS)
def test_every_metric_has_a_page_from_its_declaration(site, name):
    cls = cs.METRICS[name]
    shown = text_of(site / "metrics" / f"{name}.html")
    for declared in (cls.title, cls.meaning[1:], cls.formula, cls.citation, *cls.biases):
        assert declared in shown
    for parameter in cls().parameters:
        assert parameter in shown
    assert cls.biases


# By hand, for the reference [8, 8, 8]: B over boundary pairs (n_t = 2), WD over N - k = 20 windows (k = 4).
PICTURES = {
    "B": {
        "identical": 1,
        "near miss, off by one": 1.5 / 2,
        "miss by two": 1 / 3,
        "one missed": 1 / 2,
        "one spurious, beside a true one": 2 / 3,
        "one missed and one spurious": 1 / 3,
        "clusters around the true ones": 2 / 4,
        "a boundary everywhere": 2 / 23,
        "no boundary": 0,
    },
    "WD": {
        "identical": 0,
        "near miss, off by one": 2 / 20,
        "miss by two": 4 / 20,
        "one missed": 4 / 20,
        "one spurious, in mid-segment": 4 / 20,
        "a boundary everywhere": 20 / 20,
        "no boundary": 8 / 20,
    },
    "BD": {"near miss, off by one": 1 / 24, "a boundary everywhere": 0, "no boundary": 2},
    "EWD": {"identical": 0, "a third level too many": 0},
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_shows_the_values(site, name):
    label = re.search(
        r'aria-label="(\w+ of the examples: [^"]+)"', (site / f"metrics/{name}.html").read_text()
    )
    shown = dict(re.findall(r"(?:: |; )(.+?) (\d\.\d{3})(?=;|$)", label[1]))
    for example, value in PICTURES[name].items():
        assert shown[example] == f"{value:.3f}"


@pytest.mark.parametrize("name", cs.SEGMENTERS)
def test_every_segmenter_has_a_page_from_its_declaration(site, name):
    cls = cs.SEGMENTERS[name]
    shown = text_of(site / "segmenters" / f"{name}.html")
    for declared in (cls.meaning[1:], cls.needs, cls.cost, cls.citation):
        assert declared in shown
    for parameter in cls().parameters:
        assert parameter in shown
    assert name in text_of(site / "segmenters" / "index.html")
    assert "small text" in shown


# By hand: 24 sentences; four equal segments, halves of halves; every ten; all halves of three levels.
SMALL_TEXT = {
    "Uniform": ("6 12 18", "10 20"),
    "Bisection": ("6 12 18", "3 6 9 12 15 18 21"),
    "None": (None, "none"),
    "All": (None, " ".join(map(str, range(1, 24)))),
}


@pytest.mark.parametrize("name", SMALL_TEXT)
def test_the_picture_of_a_segmenter_shows_its_boundaries(site, name):
    page = (site / "segmenters" / f"{name}.html").read_text(encoding="utf-8")
    label = re.search(r'aria-label="(Boundaries of [^"]+)"', page)[1]
    asked, chosen = SMALL_TEXT[name]
    assert "reference 4 12 19;" in label
    assert label.endswith(f"as it chooses {chosen}")
    assert ("segments asked for" in label) == (asked is not None)
    assert asked is None or f"4 segments asked for {asked};" in label


def test_the_reference_has_every_public_name_command_and_format(site):
    entries = set()
    for page in (site / "reference").glob("*.html"):
        entries |= set(re.findall(r'id="caesura\.(?:\w+\.)*(\w+)"', page.read_text(encoding="utf-8")))
    assert {name for name in cs.__all__ if callable(getattr(cs, name))} <= entries
    charts = {name for name in figures.__all__ if inspect.isfunction(getattr(figures, name))}
    assert {"report", "Report", "heat_map", *charts} <= entries
    commands = text_of(site / "reference" / "cli.html")
    assert [name for name in COMMANDS if f"caesura {name} [OPTIONS]" not in commands] == []
    formats = text_of(site / "reference" / "formats.html")
    assert [known.title for known in cs.FORMATS.values() if known.title not in formats] == []


def test_the_guide_to_figures_has_every_kind_theme_and_format(site):
    shown = text_of(site / "how-to" / "see.html")
    assert [one.kind for one in figures.FIGURES.values() if one.summary not in shown] == []
    guide = (DOCS / "how-to" / "see.md").read_text(encoding="utf-8")
    named = [f"`{name}`" for name in (*figures.THEMES, ".svg", ".png", ".pdf", ".html")]
    assert [name for name in named if name not in guide] == []


def test_pictures_are_drawn_in_the_color_of_the_page(site):
    """Counted by hand: the others have 3, 6, 4, 3, 4 and 5 of the six boundaries of reader 1."""
    page = (site / "how-to" / "see.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<div class="figure" tabindex="0"><svg (.*?)</svg></div>', page, re.DOTALL)
    strips, heat_map, granularity, pair_values = pictures
    assert "against 1: 25 matched" in strips
    assert "7 coders: B 0.53 pooled" in heat_map
    assert "72 % of the differences are granularity" in granularity
    assert "Two coders have on average B 0.53" in pair_values
    for drawn in pictures:
        assert "currentColor" in drawn


@pytest.mark.parametrize("name", cs.METRICS)
def test_the_calls_on_a_metrics_page_give_one_number(site, name):
    shown = text_of(site / "metrics" / f"{name}.html")
    calls = re.findall(r"^score = (cs\..+?)(?:  # the same number)?$", shown, re.MULTILINE)
    given = {"cs": cs, "reference": [2, 3, 6], "references": [[2, 3, 6], [5, 6]], "hypothesis": [2, 2, 4, 3]}
    values = [round(float(eval(call, dict(given))), 9) for call in calls]
    without = ("Coverage", "Purity", "Density", "Cseg", "PrError", "Bw")  # without a function in cs
    assert len(values) == (1 if name in without else 2)
    assert len(set(values)) == 1


def test_the_site_has_the_page_to_play_and_links_it(site):
    assert (site / "play" / "index.html").read_text(encoding="utf-8") == play_page()
    assert 'href="play/index.html"' in (site / "index.html").read_text(encoding="utf-8")


# By hand, over N - k = 20 windows (k = 4), and over boundary pairs; Pk and WD as PH02 §2.4 and §3 say.
FIVE_ERRORS = {
    "Pk": (4 / 20, 2 / 20, 4 / 20, 4 / 20, 6 / 20),
    "WD": (4 / 20, 4 / 20, 4 / 20, 4 / 20, 8 / 20),
    "B": (1 / 2, 2 / 3, 2 / 3, 1 / 3, 1 / 3),
    "F": (2 / 3, 4 / 5, 4 / 5, 2 / 4, 2 / 4),
}


def test_all_metrics_stand_on_the_same_five_errors(site):
    page = (site / "metrics" / "index.html").read_text(encoding="utf-8")
    rows = re.findall(r'<th scope="row"><a href="(\w+)\.html">.*?</th>(.*?)</tr>', page)
    assert [name for name, _ in rows] == list(cs.METRICS)
    for name, cells in rows:
        values = re.findall(r"</i>([\d.]+)</td>", cells)
        assert len(values) == 5
        if name in FIVE_ERRORS:
            assert values == [f"{value:.3f}" for value in FIVE_ERRORS[name]]


def docs_module(name):
    """Import a module from docs/, as the site's build does."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fence(sign):
    return f'<mo stretchy="false">{sign}</mo>'


FORMULAS = {
    "1 - x / (y + z)": "<mn>1</mn><mo>−</mo>"
    "<mfrac><mi>x</mi><mrow><mi>y</mi><mo>+</mo><mi>z</mi></mrow></mfrac>",
    "Σ_r |x| / N": "<mfrac><mrow><munder><mo>∑</mo><mi>r</mi></munder>"
    f"<mrow>{fence('|')}<mi>x</mi>{fence('|')}</mrow></mrow><mi>N</mi></mfrac>",
    "β² TP": "<msup><mi>β</mi><mn>2</mn></msup><mi>TP</mi>",
    "P(h | r)": f"<mi>P</mi><mrow>{fence('(')}"
    f"<mrow><mi>h</mi>{fence('|')}<mi>r</mi></mrow>{fence(')')}</mrow>",
    "c / d, mean over ties": "<mfrac><mi>c</mi><mi>d</mi></mfrac><mo>,</mo>"
    "<mtext>&nbsp;mean over ties&nbsp;</mtext>",
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_set_as_a_formula(formula):
    """By the meaning of MathML's elements."""
    made = docs_module("formulas").math("X", formula)
    assert FORMULAS[formula] in made.replace("<mrow></mrow>", "")
    assert made.endswith(f'<annotation encoding="text/plain">X = {formula}</annotation></semantics></math>')
    ET.fromstring(made.replace("&nbsp;", " "))


def test_every_metric_page_sets_its_formula(site):
    pages = [(site / "metrics" / f"{name}.html").read_text(encoding="utf-8") for name in cs.METRICS]
    assert all('<div class="formula"><math display="block">' in page for page in pages)


def test_copying_a_session_takes_what_is_typed(site):
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    copied = html.unescape(re.search(r'data-copy="([^"]+)"', page)[1])
    block = (DOCS / "tutorial.md").read_text(encoding="utf-8").partition("```pycon\n")[2].partition("```")[0]
    typed = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    assert copied.split("\n") == typed


def test_search_knows_what_others_call_it(site):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    for word, page in {
        "inter-annotator": "how-to/coders.html",
        "kappa": "how-to/coders.html",
        "windowdiff": "metrics/WD.html",
        "chunking evaluation": "how-to/chunking.html",
        "out-of-core": "how-to/scale.html",
    }.items():
        found = {
            entry["location"].partition("#")[0]
            for entry in index
            if word in f"{entry['title']} {entry['text']}".lower()
        }
        assert page in found, word


def test_home_begins_as_the_readme(site):
    home = text_of(site / "index.html")
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    promise = re.search(r"\*\*caesura\*\* (.+?)\n\n", readme, re.DOTALL)[1].replace("\n", " ")
    assert promise in home.replace("\n", " ")
    assert "Why another package" in home
    assert "cs.boundary_similarity(reference, hypothesis)" in home


class Resources(html.parser.HTMLParser):
    """Collects what a browser would load for a page; links that a reader may follow are none."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            value for name, value in attrs if name in ("src", "srcset", "poster", "data") and value
        ]
        if tag == "link":
            self.found += [value for name, value in attrs if name == "href"]


def test_everything_loads_from_the_site_itself(site):
    resources = Resources()
    for page in site.rglob("*.html"):
        resources.feed(page.read_text(encoding="utf-8"))
    for sheet in site.rglob("*.css"):
        resources.found += re.findall(r"url\(([^)]+)\)|@import\s+[\"']([^\"']+)", sheet.read_text("utf-8"))
    found = [one for value in resources.found for one in (value if isinstance(value, tuple) else (value,))]
    assert any(one.endswith(".css") for one in found)
    assert [one for one in found if re.match(r"[\"']?(?:https?:)?//", one)] == []


def test_what_makes_the_pages_is_not_published(site):
    assert list(site.rglob("*.py")) == []


@pytest.mark.exhaustive
def test_figures_fit_the_columns_of_a_paper(site, visit, screenshot):
    """ACL's columns: 77 mm each, 160 mm both, on one sheet; 96 CSS pixels to the inch."""
    page = visit(site / "paper" / "index.html", width=794, height=1123)
    screenshot(page, "paper")
    sizes = page.locator("figure").evaluate_all(
        "figures => figures.map((one) => [one.clientWidth, one.firstChild.getBoundingClientRect().width])"
    )
    for (room, width), millimeters in zip(sizes, (160, 77, 77), strict=True):
        assert (room, width) == (pytest.approx(millimeters / 25.4 * 96, abs=1),) * 2
    labels = page.locator("svg text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(labels) > 8  # a line of 8 points has about 12 pixels, of signs in cells about 9
    sheet = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", sheet)) == 1
