"""A page of a two-column paper with figures as `--column acl` and `acl2` make them, to look at on paper."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable

import caesura as cs
from caesura import figures
from caesura.figures.drawing import Chart

STYLE = """
@page { size: A4; margin: 0; }
body { margin: 0; background: white; color: black; }
main {
  box-sizing: border-box; width: 210mm; height: 297mm; padding: 25mm; margin: auto;
  font: 10pt/12pt "Times New Roman", "Nimbus Roman", "Liberation Serif", serif; text-align: justify;
}
h1 { font-size: 15pt; text-align: center; margin: 0 0 6mm; }
h2 { font-size: 12pt; margin: 4mm 0 2mm; text-align: left; break-after: avoid; }
p { margin: 0 0 2mm; }
.columns { columns: 2; column-gap: 6mm; hyphens: auto; }
figure { margin: 0 0 4mm; break-inside: avoid; }
figure.both { column-span: all; }
figcaption { font-size: 9pt; line-height: 11pt; margin-top: 1mm; }
svg { display: block; }
"""
"""ACL's: A4 with margins of 25 mm, two columns of 77 mm that are 6 mm apart, text of 10 points."""


def paper_page() -> str:
    """Return the page: what the package says of Stargazers, as HTML that prints as one sheet of A4."""
    corpus = cs.load_stargazers()
    coded = {"stargazers": {"regular": [3] * 7, "careful": [2, 7, 3, 6, 3]}}
    everyone = cs.Corpus.merge(corpus, cs.Corpus.from_dict(coded))
    agreement = cs.agreement(corpus, rng=0)
    comparison = cs.compare(everyone, segmenters=["regular", "careful"], rng=0)
    numbers = itertools.count(1)

    def figure(column: str, draw: Callable[..., Chart], result: object) -> str:
        chart = figures.Layout(column, title=False, signature=False).draw(draw, result)
        caption = html.escape(f"Figure {next(numbers)}: {chart.description}")
        kind = ' class="both"' if column == "acl2" else ""
        svg = figures.to_svg(chart, theme="light")
        return f"<figure{kind}>{svg}<figcaption>{caption}</figcaption></figure>"

    def text(*sentences: str) -> str:
        return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)

    parts = [
        "<h1>Seven Readers of Stargazers</h1>",
        figure("acl2", figures.strips, corpus),
        '<div class="columns"><h2>1 Agreement</h2>',
        text(*(note.text for note in agreement.notes if note.kind == "finding")),
        figure("acl", figures.heat_map, cs.coder_matrix(corpus)),
        "<h2>2 Segmenters</h2>",
        text(*comparison.findings),
        figure("acl", figures.means, comparison),
        "</div>",
    ]
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A two-column page</title>'
        f"<style>{STYLE}</style></head><body><main>{''.join(parts)}</main></body></html>"
    )
