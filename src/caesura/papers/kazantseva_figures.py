"""The figures of Kazantseva & Szpakowicz (2012): segments, chapter 1, and support of boundaries."""

from __future__ import annotations

from caesura.metrics.window import window_size
from caesura.papers.recompute import MOONSTONE, Data, described
from caesura.papers.results import FIVE_NUMBERS, Curve, Figure, Series, box_plots, five_numbers
from caesura.version import __version__


def figure_1(figure: Figure, data: Data, seed: int) -> Series:
    """Return box plots of the number of segments of each chapter."""
    corpus = data.corpus(MOONSTONE)
    chapters = sorted(corpus.documents, key=lambda name: int(name.removeprefix("ch")))
    counts = {name: [coding.n_segments for coding in corpus[name].values()] for name in chapters}
    published = [Curve("least", ("ch1",), (2,)), Curve("greatest", ("ch1",), (5,))]
    note = (
        "quartiles of all codings of a chapter, interpolated. Published: section 4.2 says of chapter 1 that "
        "its annotators found 2, 5, 2 and 4 segments."
    )
    return figure.series(
        "chapter",
        "segments",
        box_plots(chapters, [five_numbers(counts[name]) for name in chapters]),
        published=published,
        note=note,
        signature=f"segments per coding|quantiles=linear|caesura {__version__}",
    )


def figure_2(figure: Figure, data: Data, seed: int) -> Series:
    """Return where each annotator of chapter 1 sees a boundary."""
    coded = data.corpus(MOONSTONE)["ch1"]
    curves = [
        Curve(f"annotator {number}", coding.positions, (number,) * coding.n_boundaries)
        for number, coding in enumerate(coded.values(), start=1)
    ]
    published = [
        Curve("annotator 1", (11,), (1,)),
        Curve("annotator 2", (2,), (2,)),
        Curve("annotator 4", (2,), (4,)),
    ]
    note = (
        f"annotators in the order of the data: {', '.join(coded)}; k = {window_size(*coded.values())}, as "
        "section 4.2 says. Published: boundaries that section 4.2 names. It also says that only annotator 2 "
        "marks a boundary after paragraph 4, and later calls it 3, which is what the data has."
    )
    return figure.series(
        "paragraphs before the boundary", "annotator", curves, published=published, note=note
    )


def figure_3(figure: Figure, data: Data, seed: int) -> Series:
    """Return box plots of the share of annotators who support a marked boundary, by tolerance."""
    description = described(data, MOONSTONE)
    tolerances = [found.tolerance for found in description.prominence]
    boxes = [
        (found.least, found.lower_quartile, found.median, found.upper_quartile, found.greatest)
        for found in description.prominence
    ]
    _, lower, middle, upper, _ = FIVE_NUMBERS
    published = [
        Curve(lower, ("k/2",), (0.35,)),
        Curve(middle, ("exact", "k"), (0.25, 0.7)),
        Curve(upper, ("exact", "k/2"), (0.5, 0.8)),
    ]
    note = (
        f"{description.prominence[0].positions} positions that at least one annotator marks; k of each "
        "chapter from all its annotators. Published: what section 4.2 says in words, such as 'over 70%'; of "
        "the lower quartile at k/2 it says both 35% and 30%."
    )
    return figure.series(
        "tolerance",
        "share of annotators",
        box_plots(tolerances, boxes),
        published=published,
        note=note,
        signature=description.signature,
    )


FIGURES = (
    Figure("KS12 figure 1", "number of segments by chapter", figure_1),
    Figure("KS12 figure 2", "segmentations of chapter 1", figure_2),
    Figure("KS12 figure 3", "support of segment boundaries", figure_3),
)
