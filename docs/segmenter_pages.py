"""A page per segmenter, from its declaration and from what it makes of a small text."""

from __future__ import annotations

import html
import inspect

import numpy as np
from markup import code, parameters, table, text

import caesura
from caesura.segmenters.base import Segmenter, abilities
from caesura.segmenters.text import WORDS

TEXT = (
    "Bread begins with flour, water and salt.",
    "The baker kneads the dough until the flour has taken all the water.",
    "Yeast makes the dough rise, and warm water helps the yeast.",
    "A dough that rests overnight makes better bread.",
    "The moon pulls the sea, and the tide rises.",
    "When moon and sun pull together, the tide is highest.",
    "Harbours publish tables of the tide for every ship.",
    "A ship that misses the tide waits outside the harbor.",
    "At low tide the sea leaves pools among the rocks.",
    "Crabs hide in the pools until the sea comes back.",
    "In narrow bays the tide can rise as high as a house.",
    "Mills once ground corn by the water that the tide left behind.",
    "A game of chess opens with pawns.",
    "Each pawn that moves makes room for a bishop or the queen.",
    "The queen is the strongest piece, but a pawn may become one.",
    "Good players castle early to protect the king.",
    "A king without pawns in front of it is easily attacked.",
    "Sometimes neither of the players can win the game.",
    "The game ends when the king cannot escape, and players shake hands.",
    "A hive of bees has one mother and thousands of workers.",
    "Worker bees collect nectar from flowers near the hive.",
    "In the hive the nectar becomes honey.",
    "The keeper opens the hive in summer and takes some of the honey.",
    "Enough honey must stay for the bees to live through winter.",
)
"""Four topics, written for these pages."""

MASSES = (4, 8, 7, 5)
REFERENCE = caesura.Segmentation.from_masses(MASSES).positions
SMALL_SPACE = "rank=8, passage=2"
"""What can be learnt from the small text."""
SEED = 1
"""Of what is random, so that the pages stay the same."""

WIDTH, LEFT, STRIP, GAP = 440, 4, 260, 16
SCORES = 56
"""Height of the bars of scores."""


def page_of(cls: type[Segmenter]) -> str:
    """Return the page of a segmenter."""
    return f"segmenters/{cls.name}.md"


def segmenter_page(cls: type[Segmenter]) -> str:
    """Return the page of a segmenter."""
    parts = [
        f"# {cls.name}: {cls.title.removesuffix(f', {cls.name}')}",
        text(f"{cls.meaning[0].upper()}{cls.meaning[1:]}."),
        *map(text, described(cls)),
        facts(cls),
        "## On a small text",
        *shown(cls),
        "## Parameters",
        parameters(cls),
        "## Use it",
        usage(cls),
        "## Source",
        text(f"{cls.citation}."),
    ]
    return "\n\n".join(parts) + "\n"


def described(cls: type[Segmenter]) -> list[str]:
    """Return the paragraphs of the docstring that say more than its first line, without examples."""
    paragraphs = (inspect.getdoc(cls) or "").split("\n\n")[1:]
    return [" ".join(one.replace("``", "").split()) for one in paragraphs if not one.startswith(">>>")]


def facts(cls: type[Segmenter]) -> str:
    """Return needs, abilities and cost as a list."""
    said = {"Needs": cls.needs, "Gives": ", ".join(abilities(cls)), "Cost": cls.cost}
    return "\n".join(f"- **{name}**: {text(value)}" for name, value in said.items())


def usage(cls: type[Segmenter]) -> str:
    """Return how the segmenter is called, from Python and from the command line."""
    name = f'cs.segmenter("{cls.name}"{", ask=my_model" if cls.asks_a_model else ""})'
    made = f"{name}.fit(other_texts)" if cls.is_fitted else name
    lines = ["import caesura as cs", "", f"segmenter = {made}"]
    rng = ", rng=0" if cls.is_random else ""
    lines.append(f"segmenter(units{rng})")
    if cls.takes_n_segments:
        lines.append(f"segmenter(units, n_segments=10{rng})")
    if cls.has_scores:
        lines.append("segmenter.scores(units)  # a number for each gap")
    if cls.has_hierarchy:
        lines.append("segmenter.hierarchy(units)")
    learning = " --fit OTHER_TEXTS" if cls.is_fitted else ""
    shell = [
        f"caesura segment TEXTS -s {cls.name}{learning} -o segmented.jsonl",
        f"caesura compare GOLD --segment {cls.name}{learning}",
    ]
    if cls.is_hierarchical:
        shell[0] += "  # with ranks; --flat: without"
    blocks = {"python": lines} if cls.asks_a_model else {"python": lines, "sh": shell}
    return "\n\n".join(f"```{language}\n" + "\n".join(said) + "\n```" for language, said in blocks.items())


# -------------------------------------------------------------------- the picture


def shown(cls: type[Segmenter]) -> list[str]:
    """Return the picture of what a segmenter makes of the small text, and what is in it."""
    if cls.asks_a_model:
        return [
            "What becomes of [the small text](index.md#the-small-text) depends on the model that is asked."
        ]
    segmenter = cls()
    if cls.is_fitted:
        segmenter = caesura.segmenter(f"{cls.name}({SMALL_SPACE})").fit(learnt())
    rows = {"reference": REFERENCE}
    if cls.takes_n_segments:
        rows[f"{len(MASSES)} segments asked for"] = found(segmenter, len(MASSES))
    rows["as it chooses"] = found(segmenter, None)
    note = (
        f"[The small text](index.md#the-small-text) has {len(MASSES)} topics in {len(TEXT)} sentences. Wide "
        "gray marks are where they change."
    )
    if cls.is_fitted:
        note += f" For this picture it learnt from that text itself ({SMALL_SPACE}), which flatters it."
    if cls.has_scores:
        note += " Below, the score of each gap: the higher, the rather a boundary."
    return [note, picture(cls.name, rows, segmenter.scores(TEXT) if cls.has_scores else None)]


def learnt() -> caesura.Corpus:
    """Return the small text as a corpus."""
    return caesura.Corpus.from_dict({"small": {"reference": MASSES}}, units={"small": TEXT})


def found(segmenter: Segmenter, n_segments: int | None) -> tuple[int, ...]:
    """Return the boundaries of the small text."""
    chance = {"rng": SEED} if segmenter.is_random else {}
    return segmenter(TEXT, n_segments, **chance).positions


def picture(name: str, rows: dict[str, tuple[int, ...]], scores: np.ndarray | None) -> str:
    """Return an SVG with a strip of boundaries for each row, and bars for scores."""
    height = 34 * len(rows) + (SCORES + 20 if scores is not None else 0)
    said = "; ".join(f"{row} {' '.join(map(str, places)) or 'none'}" for row, places in rows.items())
    label = html.escape(f"Boundaries of {name} in the small text: {said}")
    lines = [f'<svg class="examples higher" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">']
    for number, (row, places) in enumerate(rows.items()):
        y = 34 * number + 16
        if row != "reference":
            lines.append(f'<path class="ghost" d="{marks(REFERENCE, y)}"/>')
        lines.append(f'<path class="line" d="M{LEFT} {y}h{STRIP}"/>')
        if places:
            kind = "reference" if row == "reference" else "hypothesis"
            lines.append(f'<path class="{kind}" d="{marks(places, y)}"/>')
        lines.append(f'<text class="name" x="{LEFT + STRIP + GAP}" y="{y + 4}">{html.escape(row)}</text>')
    if scores is not None:
        lines += bars(scores, height - 4)
    return "\n".join([*lines, "</svg>"])


def marks(positions: tuple[int, ...], y: int) -> str:
    """Return the path of marks at these positions."""
    return "".join(f"M{place(position):g} {y - 9}v18" for position in positions)


def place(position: int) -> float:
    """Return where a position stands."""
    return LEFT + STRIP * position / len(TEXT)


def bars(scores: np.ndarray, bottom: int) -> list[str]:
    """Return a bar for the score of each gap, from the lowest to the highest."""
    low, high = float(scores.min()), float(scores.max())
    heights = (scores - low) / (high - low or 1.0) * (SCORES - 2) + 2
    lines = [
        f'<rect class="bar" x="{place(position) - 3:.1f}" y="{bottom - reach:.1f}" width="6" '
        f'height="{reach:.1f}"/>'
        for position, reach in enumerate(heights.tolist(), start=1)
    ]
    middle = bottom - SCORES / 2
    return [*lines, f'<text class="name" x="{LEFT + STRIP + GAP}" y="{middle:g}">scores of the gaps</text>']


# -------------------------------------------------------------------- what other pages ask for


def segmenters_table() -> str:
    """Return all segmenters with their pages."""
    rows = [
        (f"[{cls.name}]({cls.name}.md)", text(cls.title), text(cls.needs), text(cls.meaning))
        for cls in caesura.SEGMENTERS.values()
    ]
    return table(["name", "title", "needs", "meaning"], rows)


def words_table() -> str:
    """Return the rules that make terms of a text."""
    rows = [(code(name), text(rule.title)) for name, rule in WORDS.items()]
    rows.append((code("snowball:german"), "runs of letters and digits, Snowball's stems of a language"))
    return table(["rule", "terms"], rows)


def small_text() -> str:
    """Return the small text, a paragraph for each topic."""
    spans = caesura.Segmentation.from_masses(MASSES).to_spans()
    topics = [TEXT[start:end] for start, end in spans]
    return "\n\n".join(f"> {text(' '.join(topic))}" for topic in topics)


def classes() -> str:
    """Return the entries of all segmenters' classes, for mkdocstrings."""
    return "\n\n".join(f"::: {cls.__module__}.{cls.__name__}" for cls in caesura.SEGMENTERS.values())
