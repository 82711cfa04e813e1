"""Figures of a description: coders' rates, sizes and counts of segments, support, edits and spans by n_t."""

from __future__ import annotations

from collections import Counter

from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description, EditTotals
from caesura.errors import CorpusError
from caesura.figures.declaration import Options, of_description
from caesura.figures.theme import (
    SUBSTITUTED,
    WIDTH,
    Chart,
    check_size,
    count_axis,
    data,
    edit_scale,
    framed,
    from_zero,
    load_altair,
    names,
    row_step,
)
from caesura.metrics.registry import reach_of
from caesura.values.corpus import Corpus
from caesura.wording import counted, whole_percent

OUTLIERS = ("typical", "fewer", "more")
MOST_BARS = 60
TOLERANCES = {"exact": "just here", "k/2": "at most k/2 away", "k": "at most k away"}
KINDS = ("all edits", "near misses", "full misses")
LARGEST = 15
"""F13t's largest n_t."""


def boundaries(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw boundaries per position of each coder, with mean ± SD over coders (F13 figure 11)."""
    alt = load_altair()
    rates = description.coder_rates
    if not description.potential_boundaries:
        raise CorpusError("every document is one unit long: there is no position to mark")
    check_size("boundaries", len(rates))
    rows = [
        {"coder": one.coder, "rate": one.rate, "n": one.boundaries,
         "kind": one.outlier or "typical"}
        for one in rates
    ]  # fmt: skip
    mean = description.boundaries_per_position_per_coder
    order = names(one.coder for one in rates)
    y = alt.Y("coder:N", sort=order, title=None).scale(domain=order).axis(labelOverlap=True)
    x = alt.X("rate:Q", title="boundaries per position", scale=from_zero(one.rate for one in rates))
    shown = [kind for kind in OUTLIERS if any(row["kind"] == kind for row in rows)]
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(OUTLIERS)))
    colour = colour.legend(values=shown, symbolType="square") if len(shown) > 1 else colour.legend(None)
    chart = alt.Chart(data(rows))
    bars = chart.mark_bar().encode(
        x=x, y=y, color=colour, tooltip=["coder:N", alt.Tooltip("rate:Q", format=".4f"), "n:Q"]
    )
    step = row_step(len(order), largest=22)
    number = chart.mark_text(align="left", dx=4, fontSize=min(10, step))
    spread = [{"mean": mean.mean, "low": mean.mean - mean.sd, "high": mean.mean + mean.sd}]
    around = alt.Chart(data(spread))
    edge = around.mark_rule(strokeDash=[1, 2])  # bars hide the band
    outliers = description.outliers
    named = ", ".join(f"{one.coder} {one.rate:.2f}" for one in outliers[:4])
    ends = sorted(rates, key=lambda one: one.rate)
    return framed(
        alt.layer(
            around.mark_rect(opacity=0.12, style="ink").encode(x="low:Q", x2="high:Q"),
            bars,
            edge.encode(x="low:Q"),
            edge.encode(x="high:Q"),
            around.mark_rule(strokeDash=[6, 3], strokeWidth=1.5).encode(x="mean:Q"),
            number.encode(x=alt.value(width), y=y, text=alt.Text("n:Q", format=",d")),
        ).properties(width=width, height=alt.Step(step)),
        title=f"Coders mark {mean.mean:.3f} ± {mean.sd:.3f} of the positions, from {ends[0].rate:.3f} "
        f"({ends[0].coder}) to {ends[-1].rate:.3f} ({ends[-1].coder})",
        subtitle=f"{counted(len(rates), 'coder')}; dashed: their mean, dotted: ± population SD, numbers: "
        f"boundaries. {f'Unlike others of the same documents, beyond chance: {named}.' if named else ''}",
        signature=description.signature,
        width=width,
    )


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


def support(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the support of marked positions, exact and within k/2 and k, as box plots (KS12 figure 3)."""
    alt = load_altair()
    if not description.prominence:
        raise CorpusError(
            "no document has two coders: nobody could support another's boundary"
            if not description.pairs
            else "no coder marks a boundary: there is nothing to support"
        )
    rows = [{**one._asdict(), "where": TOLERANCES[one.tolerance]} for one in description.prominence]
    chart = alt.Chart(data(rows))
    y = alt.Y("where:N", sort=list(TOLERANCES.values()), title=None)
    ends = alt.Scale(domain=[0, 1])
    whisker = chart.mark_rule(strokeWidth=1.5, opacity=0.8)
    box = chart.mark_bar(size=26)
    median = chart.mark_tick(thickness=3, size=26, style="accent")
    number = chart.mark_text(dy=-22, fontSize=10)
    x = alt.X("least:Q", scale=ends, title="share of the document's coders").axis(format="%")
    exact, near, _ = description.prominence
    return framed(
        alt.layer(
            whisker.encode(y=y, x=x, x2="greatest:Q"),
            box.encode(y=y, x=alt.X("lower_quartile:Q"), x2="upper_quartile:Q"),
            median.encode(y=y, x="median:Q"),
            number.encode(y=y, x="median:Q", text=alt.Text("median:Q", format=".0%")),
        ).properties(width=width, height=alt.Step(64)),
        title=f"{whole_percent(exact.by_one)} of {exact.positions:,} marked positions are marked by one "
        f"coder only, {whole_percent(exact.by_all)} by all; within k/2 {whole_percent(near.by_one)} and "
        f"{whole_percent(near.by_all)}",
        subtitle="Coders who mark a position that any coder marks, or one near it; boxes: quartiles over "
        "positions, number: median, whiskers: least and greatest. k is half the mean segment length.",
        signature=description.signature,
        width=width,
    )


def sweep(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the edits between every two coders for each n_t (F13t figure 5.14): which n_t is supportable?"""
    alt = load_altair()
    found = _swept(description)
    other, _ = SUBSTITUTED[description.corpus.is_hierarchical]
    shown = (*KINDS, f"{other}s") if any(edits.substitutions for edits in found) else KINDS
    rows = [
        {"n_t": edits.n_t, "kind": kind, "n": n}
        for edits in found
        for kind, n in zip(  # without types there are no substitutions
            shown, (edits.edits, edits.transpositions, edits.additions, edits.substitutions), strict=False
        )
    ]
    x = alt.X("n_t:O", title="n_t").axis(labelAngle=0)
    y = alt.Y("n:Q", title="edits").axis(**count_axis(max(edits.edits for edits in found)))
    y = y.scale(from_zero(edits.edits for edits in found))
    every, near, full = KINDS
    # Matches and spurious ones are not drawn, but colours go by place.
    domain = ["match", near, full, "spurious", f"{other}s", every]
    shapes = ["cross", "square", "diamond", "triangle-down", "triangle-up", "circle"]
    colour = alt.Color("kind:N", title=None, scale=edit_scale(domain)).legend(values=list(shown))
    shape = alt.Shape("kind:N", title=None, scale=alt.Scale(domain=domain, range=shapes))
    shape = shape.legend(values=list(shown))
    chart = alt.Chart(data(rows)).encode(x=x, y=y)
    first, last = found[0], found[-1]
    return framed(
        alt.layer(
            chart.mark_line().encode(color=colour),
            chart.mark_point(filled=True, size=45, opacity=1).encode(
                color=colour, shape=shape, tooltip=["n_t:O", "kind:N", "n:Q"]
            ),
        ).properties(width=width, height=280),
        title=f"From n_t={first.n_t} to n_t={last.n_t} edits go from {first.edits:,} to {last.edits:,}, near "
        f"misses from {first.transpositions:,} to {last.transpositions:,}",
        subtitle=f"Edits between every two coders, {counted(description.pairs, 'pair')} of codings.",
        signature=_signature(description, _range([edits.n_t for edits in found])),
        width=width,
    )


def spans(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw how many near misses span each distance, at the largest n_t of the sweep (F13t figure 5.15)."""
    alt = load_altair()
    largest = max(edits.n_t for edits in _swept(description))
    rows = [{"span": span, "n": n} for span, n in description.spans.items()]
    total, nearest = sum(description.spans.values()), description.spans.get(1, 0)
    x = alt.X("span:O", title="distance in units").axis(labelAngle=0)
    y = alt.Y("n:Q", title="near misses").axis(**count_axis(max(description.spans.values(), default=0)))
    y = y.scale(from_zero(description.spans.values()))
    chart = alt.Chart(data(rows)).encode(x=x, y=y)
    bars = chart.mark_bar().encode(tooltip=["span:O", "n:Q"])
    number = chart.mark_text(dy=-7, fontSize=10).encode(text=alt.Text("n:Q", format=",d"))
    return framed(
        alt.layer(bars, number).properties(width=width, height=260),
        title=f"{nearest:,} of {total:,} near misses up to distance {largest - 1} span one unit"
        if total
        else f"No near misses up to distance {largest - 1}",
        subtitle=f"Near misses between every two coders by distance, n_t={largest} "
        f"({counted(description.pairs, 'pair')} of codings).",
        signature=_signature(description, str(largest)),
        width=width,
    )


def _signature(description: Description, n_t: str) -> str:
    """Return the description's signature with the n_t that are drawn, not the one of its tables."""
    return description.signature.replace(f"|n_t={description.n_t}|", f"|n_t={n_t}|", 1)


def _range(n_t: list[int]) -> str:
    """Write numbers as a range, or one by one where some are left out.

    >>> _range([2, 3, 4]), _range([2, 5, 10]), _range([2])
    ('2..4', '2,5,10', '2')
    """
    if len(n_t) > 1 and n_t == list(range(n_t[0], n_t[-1] + 1)):
        return f"{n_t[0]}..{n_t[-1]}"
    return ",".join(map(str, n_t))


def _swept(description: Description) -> tuple[EditTotals, ...]:
    if not description.pairs:
        raise CorpusError("no document has two coders: there are no edits between them to draw")
    if not description.sweep:
        raise CorpusError(
            "the description has no sweep over n_t: describe(corpus, sweep=range(2, 16)) has one"
        )
    return description.sweep


def _described(corpus: Corpus, options: Options) -> Description:
    largest = LARGEST if options.n_t is None else max(3, reach_of(options.n_t, corpus.step))
    return describe(corpus, sweep=range(2, largest + 1))


BOUNDARIES = of_description(
    "boundaries", "boundaries per position of each coder, with mean and SD", boundaries
)
SEGMENT_SIZES = of_description("segment-sizes", "histogram of segment sizes over all codings", segment_sizes)
SEGMENT_COUNTS = of_description(
    "segment-counts", "box plots of segments per coding, by document", segment_counts
)
SUPPORT = of_description("support", "how many coders support the marked positions", support)
SWEEP = of_description(
    "sweep", "edits between coders for each n_t up to 15, or up to the one given", sweep, _described
)
SPANS = of_description("spans", "distances of near misses between coders", spans, _described)
