"""The board in a browser. Source of truth: axe-core, and a browser that reports complaints and requests."""

import pytest

import caesura as cs
from caesura.analyses.saved_scores import SavedScores, rank_saved
from caesura.pages.board import board_page

from .conftest import violations

GOLD = cs.Corpus.from_dict({f"document {i}": {"ann": [4, 4, 4]} for i in range(30)})


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_and_the_page_is_silent(visit, tmp_path, width, scheme):
    files = {}
    for number in range(5):
        codings = {
            document: {f"system {number}": [4 - number // 2, 4 + number // 2, 4]}
            for document in GOLD.documents
        }
        files[f"{number}.json"] = SavedScores.of(
            cs.evaluate(GOLD, cs.Corpus.from_dict(codings), n_resamples=0)
        )
    files["other.json"] = SavedScores.of(
        cs.evaluate(GOLD, cs.Corpus.from_dict(codings), ["B"], n_resamples=0)
    )
    path = tmp_path / "board.html"
    path.write_text(board_page(rank_saved(files, n_resamples=99), title="Board"), encoding="utf-8")
    page = visit(path, width=width, color_scheme=scheme)
    assert page.locator("#ranking tbody tr").count() == 5
    assert page.locator("#apart tbody tr").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page) == []
