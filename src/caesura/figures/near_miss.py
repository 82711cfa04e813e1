"""sweep() and spans(): how many edits each n_t needs, and how far near misses reach."""

from __future__ import annotations

from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description, EditTotals
from caesura.errors import CorpusError
from caesura.figures.declaration import Figure, Options
from caesura.figures.theme import (
    SUBSTITUTED,
    WIDTH,
    Chart,
    count_axis,
    data,
    edit_scale,
    framed,
    from_zero,
    load_altair,
)
from caesura.metrics.registry import reach_of
from caesura.values.corpus import Corpus
from caesura.wording import counted

KINDS = ("all edits", "near misses", "full misses")
LARGEST = 15
"""F13t's largest n_t."""


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


SWEEP = Figure(
    "sweep", "edits between coders for each n_t up to 15, or up to the one given",
    lambda corpus, o: sweep(_described(corpus, o), width=o.width), uses=("n_t",),)  # fmt: skip
SPANS = Figure(
    "spans", "distances of near misses between coders",
    lambda corpus, o: spans(_described(corpus, o), width=o.width), uses=("n_t",),)  # fmt: skip
