"""Figures of a description: rates, granularity, support, sizes, counts, edits by n_t, spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal

from caesura.analyses.description.analysis import Description, EditTotals, MeanSD
from caesura.analyses.description.differences import NO_DIFFERENCE
from caesura.checks import check_choice
from caesura.errors import CorpusError
from caesura.figures import drawing
from caesura.figures.drawing import SUBSTITUTED, WIDTH, Chart, Lengths, Row
from caesura.figures.theme import alt
from caesura.wording import counted, whole_percent

OUTLIERS = ("typical", "fewer", "more")
SOME_DOCUMENTS = "choose some of the documents"
MOST_BARS = 60
TOLERANCES = {"exact": "same position", "k/2": "within k/2", "k": "within k"}
KINDS = ("all edits", "near misses", "full misses")


def boundaries(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw boundaries per position of each coder, with mean ± SD over coders (F13 figure 11)."""
    rates, mean = description.coder_rates, description.boundaries_per_position_per_coder
    if not description.potential_boundaries:
        raise CorpusError("every document is one unit long, so it has no position to mark")
    rows = [
        {"coder": coder.coder, "rate": coder.rate, "n": coder.boundaries, "kind": coder.outlier or "typical"}
        for coder in rates
    ]
    shown = [kind for kind in OUTLIERS if any(row["kind"] == kind for row in rows)]
    color = alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(OUTLIERS)))
    color = color.legend(values=shown, symbolType="square") if len(shown) > 1 else color.legend(None)
    named = ", ".join(f"{coder.coder} {coder.rate:.2f}" for coder in description.outliers[:4])
    ends = sorted(rates, key=lambda coder: coder.rate)
    return _bars_and_mean(
        rows,
        drawing.zero_axis("X", "rate", "boundaries per position", [coder.rate for coder in rates]),
        alt.Text("n:Q", format=",d"),
        mean,
        color=color,
        tooltip=drawing.tooltip("coder:N", "n:Q", numbers=["rate"]),
        title=f"Coders mark {mean.mean:.3f} ± {mean.sd:.3f} of the positions, from {ends[0].rate:.3f} "
        f"({ends[0].coder}) to {ends[-1].rate:.3f} ({ends[-1].coder})",
        subtitle=f"{counted(len(rates), 'coder')}; dashed: their mean, dotted: ± population SD, numbers: "
        f"boundaries. {f'Unlike others of the same documents, beyond chance: {named}.' if named else ''}",
        signature=description.signature,
        width=width,
    )


def document_sizes(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the size of each document, with the mean ± SD over documents (F13t figure 5.19)."""
    corpus, mean = description.corpus, description.document_size
    lengths = Lengths.of(corpus)
    sizes = {document: corpus.n_units(document) for document in corpus.documents}
    least, most = (choose(sizes, key=sizes.__getitem__) for choose in (min, max))
    span = ""
    if mean.sd:
        span = f", from {lengths.shown(sizes[least])} ({least}) to {lengths.shown(sizes[most])} ({most})"
    return _bars_and_mean(
        [{"document": document, "n": n, "label": lengths.shown(n)} for document, n in sizes.items()],
        drawing.counts_along("X", "n", lengths.title("length"), sizes.values(), lengths),
        "label:N",
        mean,
        tooltip=["document:N", "label:N"],
        title=f"Documents have {_mean(mean, lengths)}{span}",
        subtitle=f"{counted(len(sizes), 'document')}; dashed: the mean, dotted: ± population SD, numbers: "
        f"{'lengths' if lengths.step else f'{lengths.name}s. Potential boundaries are one less'}.",
        signature=description.signature,
        width=width,
    )


def _bars_and_mean(
    rows: Sequence[Row], x: Any, label: Any, mean: MeanSD, *, tooltip: Any, width: int, **words: Any
) -> Chart:
    """Draw a bar and a number for each row, named by its first field, over a band of mean ± SD."""
    field = next(iter(rows[0]))
    drawing.check_size(f"the {field}s", len(rows), hint=f"choose some of the {field}s")
    look = {"color": words.pop("color")} if "color" in words else {}
    chart = drawing.chart(rows).encode(
        y=drawing.name_axis("Y", field, [row[field] for row in rows], labelOverlap=True)
    )
    around = drawing.chart([{"mean": mean.mean, "low": mean.mean - mean.sd, "high": mean.mean + mean.sd}])
    edge, step = around.mark_rule(strokeDash=[1, 2]), drawing.row_step(len(rows), largest=22)
    return drawing.framed(
        around.mark_rect(opacity=0.12, style="ink").encode(x="low:Q", x2="high:Q"),
        chart.mark_bar().encode(x=x, tooltip=tooltip, **look),
        edge.encode(x="low:Q"),  # because bars hide the band
        edge.encode(x="high:Q"),
        around.mark_rule(strokeDash=[6, 3], strokeWidth=1.5).encode(x="mean:Q"),
        drawing.beside(chart, label, width, step),
        width=width,
        step=step,
        **words,
    )


def _mean(mean: MeanSD, lengths: Lengths) -> str:
    name = "" if lengths.step else f" {lengths.name}s"
    return f"{lengths.shown(mean.mean, 1)} ± {lengths.shown(mean.sd, 1)}{name}"


def segment_sizes(
    description: Description, *, by: Literal["document"] | None = None, width: int = WIDTH
) -> Chart:
    """Draw the histogram of segment sizes over all codings (F13t figures 5.16a and 5.20a).

    With ``by="document"``, box plots of the sizes in each document.
    """
    if by is not None:
        check_choice("by", by, ("document",))
        return _sizes_by_document(description, width)
    lengths = Lengths.of(description.corpus)
    sizes = Counter(size for _, _, segmentation in description.corpus for size in segmentation.masses)
    step = -(-max(sizes) // MOST_BARS)
    bars: Counter[int] = Counter()
    for size, n in sizes.items():
        bars[(size - 1) // step] += n
    # The bar of sizes a to b extends from a − 1/2 to b + 1/2.
    rows = [
        {"sizes": " to ".join(dict.fromkeys(map(lengths.shown, (i * step + 1, (i + 1) * step)))), "n": n,
         "low": i * step + 0.5, "high": (i + 1) * step + 0.5}
        for i, n in sorted(bars.items())
    ]  # fmt: skip
    mean = description.segment_size
    x = alt.X("low:Q", bin="binned", title=lengths.title("segment size"))
    # Both ends are set, or the axis of a single size would have no number.
    end = step * -(-max(sizes) // step) + 1
    x = x.axis(**lengths.axis(end), grid=False).scale(domain=[0, end], nice=False)
    y = drawing.counts_along("Y", "n", "segments", bars.values())
    bar = drawing.chart(rows).mark_bar(binSpacing=1)
    line = drawing.chart([{"mean": mean.mean}]).mark_rule(strokeDash=[6, 3], strokeWidth=1.5)
    return drawing.framed(
        bar.encode(x=x, x2="high:Q", y=y, tooltip=["sizes:N", "n:Q"]),
        line.encode(x="mean:Q"),
        title=f"Segments have {_mean(mean, lengths)}, the longest {lengths.shown(max(sizes))}",
        subtitle=f"{counted(mean.n, 'segment')} of {counted(description.codings, 'coding')}; dashed: the "
        "mean, ± population SD in the title.",
        signature=description.signature,
        width=width,
    )


def _sizes_by_document(description: Description, width: int) -> Chart:
    rows: list[Row] = [
        {"document": document, "n": size}
        for document, _, segmentation in description.corpus
        for size in segmentation.masses
    ]
    documents, mean = description.corpus.documents, description.segment_size
    lengths = Lengths.of(description.corpus)
    drawing.check_size("segment sizes", len(documents), len(rows), SOME_DOCUMENTS)
    x = drawing.counts_along("X", "n", lengths.title("segment size"), [row["n"] for row in rows], lengths)
    layers, step = drawing.boxes(rows, "document", documents, x, None)
    longest = max(rows, key=lambda row: row["n"])
    return drawing.framed(
        *layers,
        title=f"Segments have {_mean(mean, lengths)}, the longest {lengths.shown(longest['n'])} "
        f"({longest['document']})",
        subtitle=f"{counted(mean.n, 'segment')} of {counted(description.codings, 'coding')}. Boxes: "
        "quartiles and median over the segments of all coders, whiskers: least and greatest.",
        signature=description.signature,
        width=width,
        step=step,
    )


def segment_counts(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the number of segments in each document as box plots over coders (KS12 figure 1)."""
    rows = [
        {"document": document, "coder": coder, "n": segmentation.n_segments}
        for document, coder, segmentation in description.corpus
    ]
    documents = description.corpus.documents
    drawing.check_size("segment counts", len(documents), len(rows), SOME_DOCUMENTS)
    mean = description.segments_per_coding
    counts = [segmentation.n_segments for _, _, segmentation in description.corpus]
    x = drawing.counts_along("X", "n", "segments per coding", counts)
    layers, step = drawing.boxes(rows, "document", documents, x, ["document:N", "coder:N", "n:Q"])
    return drawing.framed(
        *layers,
        title=f"{mean.mean:.1f} ± {mean.sd:.1f} segments per coding, from {min(counts):,} to {max(counts):,}",
        subtitle=f"{counted(description.documents, 'document')}, {counted(description.codings, 'coding')}. "
        "Boxes: quartiles and median over coders, whiskers: least and greatest, dots: codings.",
        signature=description.signature,
        width=width,
        step=step,
    )


def support(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the support of marked positions, exact, within k/2 and within k, as box plots (KS12 figure 3)."""
    if not description.prominence:
        raise CorpusError("no coder marks a boundary" if description.pairs else "no document has two coders")
    rows = [{**share._asdict(), "where": TOLERANCES[share.tolerance]} for share in description.prominence]
    chart = drawing.chart(rows).encode(y=alt.Y("where:N", sort=list(TOLERANCES.values()), title=None))
    x = alt.X("least:Q", scale=alt.Scale(domain=[0, 1]), title="share of the document's coders")
    number = chart.mark_text(dy=-22, fontSize=10)
    exact, near, _ = description.prominence
    return drawing.framed(
        chart.mark_rule(strokeWidth=1.5, opacity=0.8).encode(x=x.axis(format="%"), x2="greatest:Q"),
        chart.mark_bar(size=26).encode(x="lower_quartile:Q", x2="upper_quartile:Q"),
        chart.mark_tick(thickness=3, size=26, style="accent").encode(x="median:Q"),
        number.encode(x="median:Q", text=alt.Text("median:Q", format=".0%")),
        title=f"{whole_percent(exact.by_one)} of {exact.positions:,} marked positions are marked by one "
        f"coder only, {whole_percent(exact.by_all)} by all; within k/2 {whole_percent(near.by_one)} and "
        f"{whole_percent(near.by_all)}",
        subtitle="Share of coders who mark a marked position, or one near it; boxes: quartiles over "
        "positions, number: median, whiskers: least and greatest. k is half the mean segment length.",
        signature=description.signature,
        width=width,
        step=64,
    )


PARTS = ("finer", "coarser", "conflict")
"""How two coders differ in a stretch: only this coder divides it, only the other does, or both do."""


def granularity(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the shares of each coder's differences: finer, coarser, and conflict (KS12 §4.2)."""
    corpus = description.corpus  # raises an error for a stream
    result = description.granularity
    if result is None or not (corpus.n_coders > 1).any():
        raise CorpusError("no document has two coders to compare")
    differing = [coder for coder in result.coders if coder.differences.share is not None]
    if not differing:
        raise CorpusError(f"{NO_DIFFERENCE} between two coders; nothing to draw")
    drawing.check_size("granularity", len(differing))
    rows: list[Row] = []
    chances: list[Row] = []
    for coder, _, parts in differing:
        counts = (parts.finer_first, parts.finer_second, parts.conflict)
        ends = [0, *accumulate(counts)]
        rows += [
            {"coder": coder, "kind": kind, "n": n, "low": low / ends[-1], "high": high / ends[-1]}
            for kind, n, (low, high) in zip(PARTS, counts, pairwise(ends), strict=True)
        ]
        label = " · ".join(f"{n:,}" for n in counts)
        chances.append({"coder": coder, "chance": parts.chance, "label": label})
    step, n_t = drawing.row_step(len(differing), largest=22), Lengths.of(corpus).shown(result.n_t)
    y = drawing.name_axis("Y", "coder", [coder.coder for coder in differing], labelOverlap=True)
    x = drawing.number_axis("X", "low", "share of the boundaries that differ", [0, 1]).axis(format="%")
    color = alt.Color("kind:N", title=None, sort=PARTS).scale(domain=PARTS).legend(symbolType="square")
    bar = drawing.chart(rows).mark_bar(stroke="white", strokeWidth=1)
    beside = drawing.chart(chances).encode(y=y)
    known = drawing.chart(row for row in chances if row["chance"] is not None)
    ticks = [  # the white edge shows on dark bars
        known.mark_tick(thickness=thickness, size=0.9 * step, opacity=1, **look).encode(y=y, x="chance:Q")
        for thickness, look in ((6, {"color": "white"}), (3, {"style": "ink"}))
    ]
    total, finest = result.total, max(differing, key=lambda coder: coder.differences.finer_first)
    by_chance = "" if total.chance is None else f" ({whole_percent(total.chance)} at random)"
    return drawing.framed(
        bar.encode(y=y, x=x, x2="high:Q", color=color, tooltip=["coder:N", "kind:N", "n:Q"]),
        *ticks,
        drawing.beside(beside, "label:N", width, step),
        title=f"{whole_percent(total.share or 0.0)} of the differences are granularity{by_chance}; "
        f"{finest.coder} divides finest",
        subtitle=f"{counted(description.pairs, 'pair')} of codings, n_t={n_t}. Finer, coarser: only "
        "this coder, or only the other, divides a stretch; conflict: both do, at other positions. Ticks: "
        "finer and coarser at random. Numbers: finer · coarser · conflict.",
        signature=result.signature,
        width=width,
        step=step,
    )


def sweep(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the edits between every two coders for each n_t (F13t figure 5.14)."""
    totals = _swept(description)
    substituted = f"{SUBSTITUTED[description.corpus.is_hierarchical][0]}s"
    shown = (*KINDS, substituted) if any(edits.substitutions for edits in totals) else KINDS
    lengths = Lengths.of(description.source)
    n_t = {edits.n_t: lengths.shown(edits.n_t) for edits in totals}
    rows = [
        {"n_t": n_t[edits.n_t], "kind": kind, "n": n}
        for edits in totals
        for kind, n in zip(  # without types there are no substitutions
            shown, (edits.edits, edits.transpositions, edits.additions, edits.substitutions), strict=False
        )
    ]
    every, near, full = KINDS
    # Matches and spurious boundaries are not drawn but define the order of colors.
    domain = ["match", near, full, "spurious", substituted, every]
    shapes = ["cross", "square", "diamond", "triangle-down", "triangle-up", "circle"]
    encoding = drawing.edit_colors("kind", domain, shown, {"range": shapes})
    chart = drawing.chart(rows).encode(
        x=drawing.name_axis("X", "n_t", n_t.values(), title="n_t", labelAngle=0, labelOverlap=True),
        y=drawing.counts_along("Y", "n", "edits", [edits.edits for edits in totals]),
    )
    point = chart.mark_point(filled=True, size=45, opacity=1)
    first, last = totals[0], totals[-1]
    return drawing.framed(
        chart.mark_line().encode(color=encoding["color"]),
        point.encode(**encoding, tooltip=["n_t:N", "kind:N", "n:Q"]),
        title=f"From n_t={n_t[first.n_t]} to n_t={n_t[last.n_t]} edits go from {first.edits:,} to "
        f"{last.edits:,}, near misses from {first.transpositions:,} to {last.transpositions:,}",
        subtitle=f"Edits between every two coders, {counted(description.pairs, 'pair')} of codings.",
        signature=_signature(description, _range([edits.n_t for edits in totals])),
        width=width,
    )


def spans(description: Description, *, width: int = WIDTH) -> Chart:
    """Draw the number of near misses by distance, at the largest n_t of the sweep (F13t figure 5.15)."""
    largest = max(edits.n_t for edits in _swept(description))
    total, nearest = sum(description.spans.values()), description.spans.get(1, 0)
    lengths = Lengths.of(description.source)
    distances = [*map(lengths.shown, description.spans)]
    counts = zip(distances, description.spans.values(), strict=True)
    chart = drawing.chart({"span": span, "n": n} for span, n in counts).encode(
        x=drawing.name_axis("X", "span", distances, title=lengths.title("distance"), labelAngle=0),
        y=drawing.counts_along("Y", "n", "near misses", description.spans.values()),
    )
    return drawing.framed(
        chart.mark_bar().encode(tooltip=["span:N", "n:Q"]),
        chart.mark_text(dy=-7, fontSize=10).encode(text=alt.Text("n:Q", format=",d")),
        title=f"{nearest:,} of {total:,} near misses up to distance {lengths.shown(largest - 1)} span "
        f"{lengths.counted(1) if lengths.step else f'one {lengths.name}'}"
        if total
        else f"No near misses up to distance {lengths.shown(largest - 1)}",
        subtitle=f"Near misses between every two coders by distance, n_t={lengths.shown(largest)} "
        f"({counted(description.pairs, 'pair')} of codings).",
        signature=_signature(description, str(largest)),
        width=width,
    )


def _signature(description: Description, n_t: str) -> str:
    """Return the description's signature with the n_t of the figure instead of the tables' n_t."""
    return description.signature.replace(f"|n_t={description.n_t}|", f"|n_t={n_t}|", 1)


def _range(n_t: list[int]) -> str:
    """Return numbers as a range, or one by one if the range has gaps.

    >>> _range([2, 3, 4]), _range([2, 5, 10]), _range([2])
    ('2..4', '2,5,10', '2')
    """
    if len(n_t) > 1 and n_t == list(range(n_t[0], n_t[-1] + 1)):
        return f"{n_t[0]}..{n_t[-1]}"
    return ",".join(map(str, n_t))


def _swept(description: Description) -> tuple[EditTotals, ...]:
    if not description.pairs:
        raise CorpusError("no document has two coders, so there are no edits to draw")
    if not description.sweep:
        raise CorpusError("the description has no sweep over n_t; use describe(corpus, sweep=range(2, 16))")
    return description.sweep
