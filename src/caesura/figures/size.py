"""segment_sizes() and segment_counts(): how long segments are, and how many coders see in each document."""

from __future__ import annotations

from collections import Counter

from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.figures.declaration import Figure
from caesura.figures.theme import (
    WIDTH,
    Chart,
    check_size,
    count_axis,
    data,
    framed,
    load_altair,
    names,
    row_step,
)
from caesura.wording import counted

MOST_BARS = 60


def segment_sizes(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the histogram of segment sizes over all codings (F13t figures 5.16a and 5.20a)."""
    alt = load_altair()
    sizes = Counter(size for _, _, segmentation in description.corpus for size in segmentation.masses)
    step = -(-max(sizes) // MOST_BARS)
    bars: Counter[int] = Counter()
    for size, n in sizes.items():
        bars[(size - 1) // step] += n
    # The bar of the sizes a to b stands over a − 1/2 to b + 1/2.
    rows = [
        {"sizes": f"{i * step + 1:,}" + (f" to {(i + 1) * step:,}" if step > 1 else ""), "n": n,
         "low": i * step + 0.5, "high": (i + 1) * step + 0.5}
        for i, n in sorted(bars.items())
    ]  # fmt: skip
    mean = description.segment_size
    x = alt.X("low:Q", bin="binned", title="segment size in units")
    # Both ends are given: an axis of one size alone would have no number on it.
    end = step * -(-max(sizes) // step) + 1
    x = x.axis(**count_axis(end), grid=False).scale(domain=[0, end], nice=False)
    y = alt.Y("n:Q", title="segments").axis(**count_axis(max(bars.values())))
    bar = alt.Chart(data(rows)).mark_bar(binSpacing=1)
    line = alt.Chart(data([{"mean": mean.mean}])).mark_rule(strokeDash=[6, 3], strokeWidth=1.5)
    return framed(
        alt.layer(
            bar.encode(x=x, x2="high:Q", y=y, tooltip=["sizes:N", "n:Q"]),
            line.encode(x="mean:Q"),
        ).properties(width=width, height=260),
        title=f"Segments have {mean.mean:.1f} ± {mean.sd:.1f} units, the longest {max(sizes):,}",
        subtitle=f"{counted(mean.n, 'segment')} of {counted(description.codings, 'coding')}; dashed: the "
        "mean, ± population SD in the title.",
        signature=description.signature,
        width=width,
    )


def segment_counts(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw how many segments the coders see in each document: box plots over coders (KS12 figure 1)."""
    alt = load_altair()
    rows = [
        {"document": document, "coder": coder, "n": segmentation.n_segments}
        for document, coder, segmentation in description.corpus
    ]
    check_size("segment counts", description.documents, len(rows), "choose some of the documents")
    order = names(description.corpus.documents)
    mean = description.segments_per_coding
    y = alt.Y("document:N", sort=order, title=None).scale(domain=order)
    y = y.axis(labelOverlap=True)
    counts = [segmentation.n_segments for _, _, segmentation in description.corpus]
    x = alt.X("n:Q", title="segments per coding", scale=alt.Scale(zero=True)).axis(**count_axis(max(counts)))
    step = row_step(len(order), largest=24)
    box = alt.Chart(data(rows)).mark_boxplot(extent="min-max", size=0.6 * step)
    dots = alt.Chart(data(rows)).mark_point(size=min(18, step), style="ink", filled=True, opacity=0.7)
    return framed(
        alt.layer(
            box.encode(x=x, y=y), dots.encode(x=x, y=y, tooltip=["document:N", "coder:N", "n:Q"])
        ).properties(width=width, height=alt.Step(step)),
        title=f"{mean.mean:.1f} ± {mean.sd:.1f} segments per coding, from {min(counts):,} to {max(counts):,}",
        subtitle=f"{counted(description.documents, 'document')}, {counted(description.codings, 'coding')}. "
        "Boxes: quartiles and median over coders, whiskers: least and greatest, dots: codings.",
        signature=description.signature,
        width=width,
    )


SEGMENT_SIZES = Figure(
    "segment-sizes",
    "histogram of segment sizes over all codings",
    lambda corpus, o: segment_sizes(describe(corpus, sweep=()), width=o.width),
)
SEGMENT_COUNTS = Figure(
    "segment-counts",
    "box plots of segments per coding, by document",
    lambda corpus, o: segment_counts(describe(corpus, sweep=()), width=o.width),
)
