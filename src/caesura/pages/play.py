"""The page to play: two segmentations with movable boundaries, and their metrics.

The page's script uses the report's alignment (``web/report/``) and adds windows; tests compare both with the
library. The examples are from papers, by their names in ``caesura.papers``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from caesura.pages.markup import filled_page, web_files
from caesura.pages.report_page import packed
from caesura.papers.recompute import Fact, load_facts
from caesura.results.palette import PALETTES

STYLES = ("report/theme.css", "report/page.css", "play/play.css")
SCRIPTS = (
    *web_files("report", "elements optimal align dom strips"),
    *web_files("play", "scores forms boundaries main"),
)
"""The parts of the page's script, in order."""

N_T = 2

PH02, F13 = "Pevzner & Hearst (2002), figure 5", "Fournier (2013), figures"


class Step(NamedTuple):
    """An example of a paper: its facts and an explanation."""

    group: str
    title: str
    says: str
    facts: tuple[str, ...] = ()


def _of_figure(number: int, kind: str) -> tuple[str, ...]:
    return tuple(f"F13 fig {number} ({kind}) {name}" for name in ("S", "B", "1-WD"))


STEPS = (
    Step(
        "Start",
        "one match, one near miss",
        "The first boundary matches. The second is off by one, a near miss at n_t = 2: B counts it half. "
        "F counts it as two errors, a miss and a false alarm. Pk and WD count the windows that hold it in "
        "one segmentation only; they are lit. Drag the boundary back, one unit at a time.",
    ),
    Step(
        PH02,
        "A-0: a boundary is missed",
        "Every window across the missed boundary errs, k windows in all. Pk and WD agree about misses. "
        "Drag that reference boundary to the start of the document: fewer windows reach it there, and the "
        "same miss costs less.",
        ("PH02 figure 5 A-0",),
    ),
    Step(
        PH02,
        "A-1: a false alarm near a boundary",
        "A window that holds the true boundary already looks right to Pk, even if it holds two "
        "boundaries. So Pk overlooks part of a false alarm that is close to a true boundary; WD counts "
        "boundaries and sees it all.",
        ("PH02 figure 5 A-1",),
    ),
    Step(
        PH02,
        "A-2: a false alarm in mid-segment",
        "The same false alarm farther away costs Pk k windows, as a miss does. Drag it toward a boundary "
        "and Pk forgives more with each step. WD stays where it was.",
        ("PH02 figure 5 A-2",),
    ),
    Step(
        PH02,
        "A-3: a near miss",
        "A boundary that is off by e units costs both metrics 2e windows: e around each position. For B "
        "it is a near miss only if e is below n_t. Move the n_t slider from 2 to 5, and B rises. Pk and "
        "WD do not know n_t.",
        ("PH02 figure 5 A-3",),
    ),
    Step(
        PH02,
        "A-4: a miss and a false alarm",
        "One boundary is missed, and a false alarm stands close to the other. WD adds the two errors, "
        "about 2k windows. Pk overlooks half of the false alarm, as in A-1, so its value is too low.",
        ("PH02 figure 5 A-4",),
    ),
    Step(
        F13,
        "figure 1: matches, near misses and misses",
        "Boundary edit distance reads two segmentations as matches, near misses and full misses. With n_t "
        "= 3 the two full misses at the end become one near miss: move the slider.",
        ("F13 figure 1",),
    ),
    Step(
        F13,
        "figure 5: a false negative",
        "One of two boundaries is missed. B says 0.5: half of the boundaries are right. S hardly notices, "
        "because it also counts the potential boundaries that neither side marks.",
        _of_figure(5, "false negative"),
    ),
    Step(
        F13,
        "figure 6: a near miss",
        "A near miss is better than a miss. B says so; WD gives both the same value. The paper lets S "
        "weigh a near miss as much as a miss (transposition='constant'); here S weighs it by its distance "
        "and is higher.",
        _of_figure(6, "near miss"),
    ),
    Step(
        F13,
        "figure 7: a false positive",
        "One boundary too many. B divides by one more boundary pair than for a miss, so the value is "
        "higher. The published S and WD are the same for figures 5, 6 and 7: they do not tell these "
        "errors apart.",
        _of_figure(7, "false positive"),
    ),
    Step(
        F13,
        "figure 8: a cluster",
        "Boundaries in clumps at the true ones. Both reference boundaries have a match, so recall is "
        "perfect. The other two are false alarms. B counts them in full; Pk, whose windows mostly hold a "
        "true boundary there, counts only part of them.",
        _of_figure(8, "cluster"),
    ),
)


def play_page() -> str:
    """Return the page; the same version gives the same bytes.

    >>> play_page()[:15]
    '<!doctype html>'
    """
    facts = {fact.id: fact for fact in load_facts()}
    data = {
        "n_t": N_T,
        "types": {"1": "1"},
        "ranks": False,
        "palettes": PALETTES,
        "coders": ["reference", "hypothesis"],
        "steps": [_shown(step, [facts[name] for name in step.facts]) for step in STEPS],
    }
    return filled_page("play/play.html", STYLES, SCRIPTS, title="Play with metrics", data=packed(data))


def _shown(step: Step, facts: list[Fact]) -> dict[str, Any]:
    """Return a step for the page, with the published values."""
    printed = ", ".join(
        f"{name} {value:g}"
        for fact in facts
        for name, value in zip(fact.quantity.split(", "), fact.values, strict=True)
    )
    pair = facts[0].input if facts else {"reference": [2, 3, 6], "hypothesis": [2, 2, 7]}
    return {
        "group": step.group,
        "title": step.title,
        "says": step.says,
        "printed": f"Published: {printed}." if facts else "",
        "n_t": facts[0].config.get("n_t", N_T) if facts else N_T,
        **pair,
    }
