"""The README is short and true: its length, its counts, its links. Its examples run as doctests.

Source of truth: the registries for counts, the file system for links; ``tests/cli/test_score_diff.py`` runs
its command.
"""

import re
from pathlib import Path

import caesura as cs

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
MOST_LINES = 180


def test_it_has_at_most_180_lines():
    assert len(README.splitlines()) <= MOST_LINES


def test_its_links_lead_somewhere():
    inline = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    assert len(inline) > 20
    assert [link for link in inline if not (REPOSITORY / link).exists()] == []
    used = set(re.findall(r"\]\[([^\]]+)\]", README))
    defined = dict(re.findall(r"^\[([^\]]+)\]: (https://\S+)$", README, re.MULTILINE))
    assert used == set(defined)


def test_every_cell_of_the_comparison_is_linked_or_says_no():
    rows = re.findall(
        r"^\| (metrics|agreement|tests|hierarchy|formats|speed.*?|maintained) \| (.+) \|$", README, re.M
    )
    assert len(rows) == 7
    for _, row in rows:
        cells = row.split(" | ")
        assert len(cells) == 5
        assert all(cell in ("no", "not measured") or re.search(r"\]\(|\]\[", cell) for cell in cells)


def test_its_counts_are_those_of_the_registries():
    assert f"[{len(cs.METRICS)}, for text and time]" in README
    assert f"[{len(cs.FORMATS)}](docs/reference/formats.md)" in README
    assert f"annotation tools: {len(cs.FORMATS)} formats" in README
    assert f"[{len(cs.SEGMENTERS)} segmenters]" in README
    published = (REPOSITORY / "docs" / "published-numbers.md").read_text(encoding="utf-8")
    (number,) = re.findall(r"\[(\d+) published numbers\]", README)
    assert f"of the {number} published numbers" in published
