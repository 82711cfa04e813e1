"""The board: saved scores of many systems as one HTML page, without scripts or a network."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.analyses.saved_scores import Ranking
from caesura.pages.markup import escaped, filled_page, folded_table, section
from caesura.wording import counted

STYLES = ("report/theme.css", "report/page.css")

MANY_PAIRS = 15
"""The most pairs whose tests are open; more are folded."""


def board_page(ranking: Ranking, *, title: str) -> str:
    """Return the page; equal scores give equal bytes."""
    scores = ranking.scores[0]
    summary = [
        counted(len(ranking.ranking), "system"),
        counted(len(scores.documents), "document"),
        f"ranked by {ranking.metric}",
        f"references {scores.gold[:12]}…",
    ]
    return filled_page(
        "board/board.html",
        STYLES,
        (),
        title=title,
        data="",
        summary=escaped(" · ".join(summary)),
        sections="\n".join(_sections(ranking)),
    )


def _sections(ranking: Ranking) -> Iterator[str]:
    table = folded_table(ranking.to_table(), "Systems from best to worst", opened=True)
    yield section("ranking", "Ranking", table)
    if ranking.tests is not None:
        few = len(ranking.tests.contrasts) <= MANY_PAIRS
        table = folded_table(ranking.to_table("tests"), f"{ranking.metric} of any two systems", opened=few)
        yield section("tests", "Tests", table)
    differences = [abs(value - best) for best, *others in ranking.documents.values() for value in others]
    shaded = {"heat": bool(differences), "greatest": max(differences, default=0.0) or 1.0}
    documents = folded_table(ranking.to_table("documents"), "Every document", opened=True, **shaded)  # type: ignore[arg-type]
    yield section("documents", "Documents", documents)
    if ranking.set_apart:
        table = folded_table(ranking.to_table("set_apart"), "Files that cannot be compared", opened=True)
        yield section("apart", "Set apart", table)
