"""MkDocs hooks: write a page per metric and segmenter, and fill marked places from the declarations."""

from __future__ import annotations

import dataclasses
import html
import inspect
import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import formulas
import segmenter_pages
from markup import code, parameters, table, text
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from paper import paper_page

import caesura
from caesura import figures
from caesura.cli import COMMANDS, group
from caesura.metrics.base import Metric
from caesura.metrics.hierarchical import HierarchicalMetric
from caesura.pages.play import PH02, STEPS, play_page
from caesura.papers.recompute import load_facts

Boundaries = dict[int, int]  # position to rank; rank 1 is drawn tallest

N_UNITS = 24
"""Length of the examples' documents, as in F13t figure 5.7."""

PAIR = "(reference, hypothesis)"

CALLS = {
    "B": f"boundary_similarity{PAIR}",
    "Ba": f"boundary_similarity_a{PAIR}",
    "Bc": f"boundary_similarity_c{PAIR}",
    "S": f"segmentation_similarity{PAIR}",
    "BP": f"confusion_matrix{PAIR}.precision()",
    "BR": f"confusion_matrix{PAIR}.recall()",
    "BF": f"confusion_matrix{PAIR}.f()",
    "Fallout": f"confusion_matrix{PAIR}.fallout",
    "ErrorRate": f"confusion_matrix{PAIR}.error_rate",
    "P": f"boundary_precision{PAIR}",
    "R": f"boundary_recall{PAIR}",
    "F": f"boundary_f{PAIR}",
    "Pk": f"pk{PAIR}",
    "PkPrime": f"pk_prime{PAIR}",
    "WD": f"window_diff{PAIR}",
    "MultWD": "mult_window_diff(references, hypothesis)",
    "EPk": f"hierarchical_pk{PAIR}",
    "EWD": f"hierarchical_window_diff{PAIR}",
    "WinP": f"win_pr{PAIR}.precision",
    "WinR": f"win_pr{PAIR}.recall",
    "WinF": f"win_pr{PAIR}.f",
    "GHD": f"ghd{PAIR}",
    "Pmu": f"p_mu{PAIR}",
    "BD": f"break_distance{PAIR}",
}
"""The call of a function that gives the same number, for metrics that have one."""

FORMULA = re.compile("<!-- formula (.+?) = (.+?) -->")
PICTURE = re.compile("<!-- picture of (.+?) -->")
NAMES_OF = re.compile("<!-- names of (.+?) -->", re.DOTALL)

PICTURE_WIDTH = 420
"""Pixels of the example figures' plots, so that they fit beside the navigation."""

BETTER = {"higher": "higher", "lower": "lower", "closest": "closer to 1"}


# -------------------------------------------------------------------- what MkDocs calls


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of metrics and segmenters in the navigation."""
    for section in config.nav or []:
        if "Metrics" in section:
            section["Metrics"] += [{heading(cls): page_of(cls)} for cls in caesura.METRICS.values()]
        if "Segmenters" in section:
            section["Segmenters"] += [
                {cls.name: segmenter_pages.page_of(cls)} for cls in caesura.SEGMENTERS.values()
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of metrics and segmenters, the page to play and the page of a paper."""
    files.append(File.generated(config, "play/index.html", content=play_page()))
    files.append(File.generated(config, "paper/index.html", content=paper_page()))
    for cls in caesura.METRICS.values():
        files.append(File.generated(config, page_of(cls), content=metric_page(cls)))
    for segmenter in caesura.SEGMENTERS.values():
        content = segmenter_pages.segmenter_page(segmenter)
        files.append(File.generated(config, segmenter_pages.page_of(segmenter), content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put tables, and the public names of modules, where pages ask for them by a comment."""
    for name, make in MARKS.items():
        mark = f"<!-- {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    markdown = FORMULA.sub(lambda found: formula(found[1], found[2]), markdown)
    markdown = PICTURE.sub(lambda found: stargazers_picture(found[1]), markdown)
    return NAMES_OF.sub(lambda found: names_of(found[1].split()), markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the theme's search dialog, which has no name for screen readers."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let a block's button copy what is typed, without prompts and output; add other words for the page."""
    also = page.meta.get("also")
    words = f'<p class="also">Also called: {html.escape(also)}.</p>' if also else ""
    return BLOCK.sub(lambda found: with_typed(found[0]), content) + words


BLOCK = re.compile(r'<div class="highlight">.*?</code></pre></div>', re.DOTALL)
TYPED = re.compile(r"^(?:>>> ?|\.\.\. ?|\$ )(.*)", re.MULTILINE)


def with_typed(block: str) -> str:
    """Return a session's block with its typed lines as what the button copies, and others as they are."""
    shown = html.unescape(re.sub(r'<span class="filename">.*?</span>|<[^>]+>', "", block))
    if not shown.startswith((">>> ", "$ ")):
        return block
    typed = html.escape("\n".join(TYPED.findall(shown))).replace("\n", "&#10;")
    return block.replace("<div ", f'<div data-copy="{typed}" ', 1)


def page_of(cls: type[Metric]) -> str:
    """Return the page of a metric."""
    return f"metrics/{cls.name}.md"


def names_of(modules: list[str]) -> str:
    """Return the entries of all names of the package that these modules define, for mkdocstrings."""
    found = []
    for module in modules:
        for name in dir(caesura):
            if getattr(getattr(caesura, name), "__module__", None) == module:
                # By the module that defines it: several functions are called like their module.
                found.append(f"::: {module}.{name}")
    return "\n\n".join(found)


# -------------------------------------------------------------------- a metric's page


def metric_page(cls: type[Metric]) -> str:
    """Return the page of a metric, from its declaration and from the numbers that it gives."""
    parts = [
        f"# {heading(cls)}",
        text(f"{cls.meaning[0].upper()}{cls.meaning[1:]}."),
        formula(cls.name, cls.formula),
        facts(cls),
        "## Behavior on standard errors",
        *examples(cls),
        *([f"Also called: {', '.join(map(text, cls.also))}."] if cls.also else []),
        "## Known biases",
        "\n".join(f"- {text(bias)}" for bias in cls.biases) or "None that we know of in the literature.",
        "## Parameters",
        parameters(cls),
        "## Use it",
        usage(cls),
        "## Source",
        text(f"{cls.citation}."),
    ]
    return "\n\n".join(parts) + "\n"


def formula(name: str, meaning: str) -> str:
    """Return a formula in a line of its own."""
    return f'<div class="formula">{formulas.math(name, meaning)}</div>'


def heading(cls: type[Metric]) -> str:
    """Return the name and, where it is another, the title."""
    return cls.name if cls.name.lower() == cls.title.lower() else f"{cls.name} · {cls.title}"


def facts(cls: type[Metric]) -> str:
    """Return range, direction, symmetry and references in one line."""
    metric = cls()
    high = "∞" if metric.high == math.inf else f"{metric.high:g}"
    said = [
        f"Range {metric.low:g} to {high}",
        f"{BETTER[cls.direction]} is better",
        "symmetric" if cls.symmetric else "not symmetric: reference first",
        "one reference or several at once" if cls.multi_reference else "one reference",
    ]
    return " · ".join(said) + ". [What the letters stand for](index.md#symbols)."


def usage(cls: type[Metric]) -> str:
    """Return how the metric is called, from Python and from the command line."""
    given = "references" if cls.multi_reference else "reference"
    lines = [f'score = cs.metric("{cls.name}")({given}, hypothesis)']
    if cls.name in CALLS:
        lines.append(f"score = cs.{CALLS[cls.name]}  # the same number")
    python = "\n".join(["import caesura as cs", "", *lines])
    shell = f"caesura score REFERENCE HYPOTHESIS -m {cls.name}"
    return f"```python\n{python}\n```\n\n```sh\n{shell}\n```"


# -------------------------------------------------------------------- the examples


@dataclasses.dataclass(frozen=True)
class Example:
    """A hypothesis with one kind of error."""

    name: str
    boundaries: Boundaries


def flat(*positions: int) -> Boundaries:
    """Return boundaries of one rank."""
    return dict.fromkeys(positions, 1)


EVERYWHERE = flat(*range(1, N_UNITS))

LINEAR = (
    Example("identical", flat(8, 16)),
    Example("near miss, off by one", flat(9, 16)),
    Example("miss by two", flat(10, 16)),
    Example("one missed", flat(16)),
    Example("one spurious, beside a true one", flat(8, 10, 16)),
    Example("one spurious, in mid-segment", flat(8, 12, 16)),
    Example("one missed and one spurious", flat(14, 16)),
    Example("clusters around the true ones", flat(7, 8, 15, 16)),
    Example("a boundary everywhere", EVERYWHERE),
    Example("no boundary", {}),
)
"""After F13 figures 5 to 8, F13t figures 5.1 to 5.7 and PH02 figure 5."""

RANKED = (
    Example("identical", {12: 1, 6: 2, 18: 2}),
    Example("near miss of a top boundary", {13: 1, 6: 2, 18: 2}),
    Example("near miss of a lower boundary", {12: 1, 7: 2, 18: 2}),
    Example("ranks exchanged", {6: 1, 12: 2, 18: 2}),
    Example("right places, no ranks", flat(6, 12, 18)),
    Example("lower boundaries missed", {12: 1}),
    Example("a third level too many", {12: 1, 6: 2, 18: 2, 3: 3, 9: 3, 15: 3, 21: 3}),
    Example("a boundary everywhere", EVERYWHERE),
    Example("no boundary", {}),
)

SEVERAL_REFERENCES = (flat(8, 16), flat(8, 17), flat(8, 12, 16))


def segmentation(boundaries: Boundaries) -> caesura.Segmentation:
    """Return the segmentation with these boundaries."""
    return caesura.Segmentation.from_positions(sorted(boundaries), n_units=N_UNITS)


def hierarchy(boundaries: Boundaries) -> caesura.Hierarchy:
    """Return the hierarchy with these ranks."""
    return caesura.Hierarchy.from_ranks(boundaries, n_units=N_UNITS)


def examples(cls: type[Metric]) -> list[str]:
    """Return what the examples are, and the picture of what the metric says of them."""
    shown: tuple[Example, ...] = LINEAR
    make: Callable[[Boundaries], Any] = segmentation
    references: tuple[Boundaries, ...] = (LINEAR[0].boundaries,)
    said = "The reference has two boundaries, three segments of eight units."
    if issubclass(cls, HierarchicalMetric):
        shown, make, references = RANKED, hierarchy, (RANKED[0].boundaries,)
        said = "The reference has one boundary of rank 1 and two of rank 2; taller marks are more prominent."
    elif cls.multi_reference:
        references = SEVERAL_REFERENCES
        said = "Three coders: two differ by one position, the third marks one boundary more."
    metric: Callable[[Any, Any], float] = cls()
    made = [make(reference) for reference in references]
    right = made if cls.multi_reference else made[0]
    values = [float(metric(right, make(one.boundaries))) for one in shown]
    better = {"higher": "Long bars are good.", "lower": "Long bars are bad.", "closest": "1 is best."}
    gray = "Wide gray marks are where the reference has boundaries."
    note = f"{N_UNITS} units, all parameters as they are by default. {said} {gray} {better[cls.direction]}"
    return [note, picture(cls, references, shown, values)]


# -------------------------------------------------------------------- the picture

WIDTH, LEFT, STRIP, BAR, GAP, ROW = 440, 4, 216, 150, 20, 42


def picture(
    cls: type[Metric], references: tuple[Boundaries, ...], shown: tuple[Example, ...], values: list[float]
) -> str:
    """Return an SVG with a strip of boundaries and a bar for each example; the page's colors color it."""
    finite = [value for value in values if math.isfinite(value)]
    high = cls().high
    longest = high if math.isfinite(high) else max(finite)
    height = 22 * len(references) + 14 + ROW * len(shown)
    said = "; ".join(f"{one.name} {number(value)}" for one, value in zip(shown, values, strict=True))
    lines = [
        f'<svg class="examples {cls.direction}" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{html.escape(f"{cls.name} of the examples: {said}")}">'
    ]
    y = 14
    for index, boundaries in enumerate(references):
        lines += strip(boundaries, y, "reference")
        name = "reference" if len(references) == 1 else f"reference {index + 1}"
        lines.append(f'<text class="name" x="{LEFT + STRIP + GAP}" y="{y + 4}">{name}</text>')
        y += 22
    for one, value in zip(shown, values, strict=True):
        lines.append(f'<text class="name" x="0" y="{y + 10}">{html.escape(one.name)}</text>')
        for boundaries in references:
            lines += strip(boundaries, y + 25, "ghost", baseline=False)
        lines += strip(one.boundaries, y + 25, "hypothesis")
        length = BAR if value == math.inf else BAR * value / longest
        start = LEFT + STRIP + GAP
        lines.append(f'<rect class="bar" x="{start}" y="{y + 18}" width="{max(length, 1):.1f}" height="14"/>')
        lines.append(f'<text class="value" x="{start + length + 6:.1f}" y="{y + 29}">{number(value)}</text>')
        y += ROW
    return "\n".join([*lines, "</svg>"])


def strip(boundaries: Boundaries, y: int, kind: str, *, baseline: bool = True) -> list[str]:
    """Return a document as a line with a mark at each boundary."""
    lines = []
    if baseline:
        lines.append(f'<path class="line" d="M{LEFT} {y}h{STRIP}"/>')
    marks = "".join(
        f"M{LEFT + STRIP * position / N_UNITS:g} {y - reach}v{2 * reach}"
        for position, rank in boundaries.items()
        for reach in [{1: 9, 2: 6}.get(rank, 3)]
    )
    if marks:
        lines.append(f'<path class="{kind}" d="{marks}"/>')
    return lines


def number(value: float) -> str:
    """Return a value as the pictures show it."""
    return "∞" if value == math.inf else f"{value:.3f}"


# -------------------------------------------------------------------- what other pages ask for


def metrics_table() -> str:
    """Return all metrics with their pages."""
    rows = []
    for cls in caesura.METRICS.values():
        rows.append((f"[{text(heading(cls))}]({cls.name}.md)", BETTER[cls.direction], text(cls.meaning)))
    return table(["metric", "better", "meaning"], rows)


def errors_picture() -> str:
    """Return what every metric says of the five errors of Pevzner & Hearst, as a table with bars."""
    facts_of = {fact.id: fact for fact in load_facts()}
    steps = [step for step in STEPS if step.group == PH02]
    pairs = [facts_of[step.facts[0]].input for step in steps]
    reference = pairs[0]["reference"]
    heads = [
        f'<th scope="col">{html.escape(step.title)}<svg viewBox="0 0 {LEFT + STRIP} 40" aria-hidden="true">'
        + "".join(strip(of_masses(reference), 10, "reference"))
        + "".join(strip(of_masses(pair["hypothesis"]), 30, "hypothesis"))
        + "</svg></th>"
        for step, pair in zip(steps, pairs, strict=True)
    ]
    rows = []
    for cls in caesura.METRICS.values():
        make: Callable[[Boundaries], Any] = hierarchy if issubclass(cls, HierarchicalMetric) else segmentation
        of_reference = make(of_masses(reference))
        right = [of_reference] if cls.multi_reference else of_reference
        metric: Callable[[Any, Any], float] = cls()
        values = [float(metric(right, make(of_masses(pair["hypothesis"])))) for pair in pairs]
        longest = cls().high if math.isfinite(cls().high) else max(*values, 1.0)
        cells = "".join(
            f'<td><i style="width:{100 * value / longest:.1f}%"></i>{number(value)}</td>' for value in values
        )
        link = f'<a href="{cls.name}.html">{html.escape(heading(cls))}</a>'
        rows.append(f'<tr class="{cls.direction}"><th scope="row">{link}</th>{cells}</tr>')
    body = f"<thead><tr><td></td>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody>"
    label = "All metrics on the same five errors"
    return (
        f'<div class="errors" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="all">{body}</table></div>'
    )


def of_masses(masses: list[int]) -> Boundaries:
    """Return the boundaries, of one rank, between segments of these sizes."""
    return flat(*itertools.accumulate(masses[:-1]))


def commands() -> str:
    """Return usage, help and options of every command."""
    parts = []
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        context = click.Context(command, info_name=f"caesura {name}", show_default=True)
        parts.append(f"## caesura {name}")
        parts.append(f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```")
        help_text = (command.help or "").replace("\b", "")
        parts += [text(" ".join(paragraph.split())) for paragraph in help_text.split("\n\n")]
        options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
        records = filter(None, (option.get_help_record(context) for option in options))
        rows = [(code(option), text(meaning)) for option, meaning in records]
        parts.append(table(["option", "meaning"], rows))
        formatter = click.HelpFormatter(width=100)
        command.format_epilog(context, formatter)
        if epilog := inspect.cleandoc(formatter.getvalue()):
            parts.append(f"```text\n{epilog}\n```")
    return "\n\n".join(parts)


def figures_table() -> str:
    """Return all kinds of figures with what they show."""
    return table(
        ["kind", "what it shows"], [(code(one.kind), text(one.summary)) for one in figures.FIGURES.values()]
    )


def stargazers_picture(kind: str) -> str:
    """Return a figure of the built-in example; text and lines have the page's color."""
    options = figures.Options(references=("1",), width=PICTURE_WIDTH)
    svg = figures.to_svg(figures.FIGURES[kind].make(caesura.load_stargazers(), options), theme="page")
    return f'<div class="figure" tabindex="0">{svg}</div>'


def plan_picture() -> str:
    """Return the half-widths that the page on planning speaks of."""
    pilot = caesura.simulate(12, 3, n_units=80, mean_segment=7, near_miss=0.15, full_miss=0.3, rng=1)
    plan = caesura.plan(pilot, width=0.05, detect=0.05, rng=0)
    svg = figures.to_svg(figures.half_widths(plan, width=PICTURE_WIDTH), theme="page")
    return f'<div class="figure" tabindex="0">{svg}</div>'


def charts() -> str:
    """Return the entries of all functions that make or write a chart, for mkdocstrings."""
    functions = [
        getattr(figures, name) for name in figures.__all__ if inspect.isfunction(getattr(figures, name))
    ]
    return "\n\n".join(f"::: {one.__module__}.{one.__name__}" for one in functions)


README = Path(__file__).resolve().parents[1] / "README.md"


def first_screen() -> str:
    """Return the README up to the end of its comparison with other packages, with the site's links."""
    whole = README.read_text(encoding="utf-8")
    first = whole[: whole.index("## Annotators")].removeprefix("# caesura\n")
    first += "\n".join(line for line in whole.splitlines() if re.match(r"\[[^\]]+\]: ", line))
    first = first.replace("[yes](CHANGELOG.md)", "yes").replace("](docs/", "](")
    # A doctest in the README ends with an empty line.
    return first.replace("```python", "```pycon").replace("\n\n```\n", "\n```\n")


MARKS: dict[str, Callable[[], str]] = {
    "first screen": first_screen,
    "metrics": metrics_table,
    "five errors": errors_picture,
    "commands": commands,
    "figures": figures_table,
    "charts": charts,
    "plan": plan_picture,
    "segmenters": segmenter_pages.segmenters_table,
    "segmenter classes": segmenter_pages.classes,
    "rules of words": segmenter_pages.words_table,
    "small text": segmenter_pages.small_text,
}
