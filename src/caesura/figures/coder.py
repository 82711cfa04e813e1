"""boundaries(): how often each coder marks a boundary, beside the mean of all coders."""

from __future__ import annotations

from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.errors import CorpusError
from caesura.figures.declaration import Figure
from caesura.figures.theme import (
    WIDTH,
    Chart,
    check_size,
    data,
    framed,
    from_zero,
    load_altair,
    names,
    row_step,
)
from caesura.wording import counted

KINDS = ("typical", "fewer", "more")


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
    shown = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(KINDS)))
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


BOUNDARIES = Figure(
    "boundaries",
    "boundaries per position of each coder, with mean and SD",
    lambda corpus, o: boundaries(describe(corpus, sweep=()), width=o.width),
)
