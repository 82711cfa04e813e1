"""The page of published numbers has a row for every table and figure. Source: facts.json and figures.json."""

from __future__ import annotations

import re
from pathlib import Path

from caesura.papers.figures import SERIES
from caesura.papers.recompute import PAPERS, load_facts

PAGE = Path(__file__).parents[2] / "docs" / "published-numbers.md"
NAME = re.compile(r"(\w+) (?:fig|figure|figures) ([\w.-]+)|(\w+) (tables?|section|equations?|sec) ([\w.-]+)")


def item_of(name: str) -> str:
    """Return the table, figure or section that a fact's source or a figure's name begins with."""
    match = NAME.match(name)
    assert match, name
    figure_of, figure, paper, kind, number = (each and each.rstrip(".,") for each in match.groups())
    return (
        f"{figure_of} figure {figure}"
        if figure
        else f"{paper} {'section' if kind == 'sec' else kind} {number}"
    )


def rows() -> dict[str, str]:
    """Return the page's row of each table and figure, in the order of the papers."""
    facts, figures = {}, {}
    for fact in load_facts():
        facts.setdefault(item_of(fact.id if NAME.match(fact.id) else fact.source), []).append(fact)
    for id, figure in SERIES.items():
        figures.setdefault(item_of(id), []).append(figure)
    made = {}
    for item in {**facts, **figures}:
        own, drawn = facts.get(item, []), figures.get(item, [])
        missing = [fact for fact in own if fact.input is None or "HCWM" in fact.id]
        n_differing = sum(fact.differs for fact in own)
        n_agreeing = len(own) - len(missing) - n_differing
        reasons = dict.fromkeys(
            [fact.note for fact in missing] + [each.reason for each in drawn if each.reason]
        )
        says = [f"{n_agreeing} agree"] * bool(n_agreeing) + [f"{n_differing} differ"] * bool(n_differing)
        says += ["as data"] * any(each.compute for each in drawn)
        if reasons:
            n_missing = f"{len(missing)} " if missing and says else ""
            says.append(f"{n_missing}cannot be recomputed, because it {'; because it '.join(reasons)}")
        made[item] = f"| {item} | {'; '.join(says)} |"
    return dict(sorted(made.items(), key=lambda row: rank(row[0])))


def rank(item: str) -> tuple[object, ...]:
    paper, kind, number = item.split(" ", 2)
    parts = [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", number)]
    return PAPERS.index(paper), kind.rstrip("s"), parts


def test_the_page_has_a_row_for_every_table_and_figure_and_no_other():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    shown = [line for line in lines if line.startswith(tuple(f"| {paper} " for paper in PAPERS))]
    assert sorted(shown) == sorted(rows().values())


def test_the_page_counts_the_facts():
    facts = load_facts()
    missing = sum(fact.input is None or ("HCWM" in fact.id) for fact in facts)
    differing = sum(fact.differs for fact in facts)
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"recomputes {len(facts) - missing} of the {len(facts)} published numbers" in text
    assert f"{len(facts) - missing - differing} agree within the tolerance of their entry" in text
    assert f"{differing} differ" in text
