"""support(): how many of the coders support the positions that any of them marks."""

from __future__ import annotations

from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.errors import CorpusError
from caesura.figures.declaration import Figure
from caesura.figures.theme import WIDTH, Chart, data, framed, load_altair
from caesura.wording import whole_percent

TOLERANCES = {"exact": "just here", "k/2": "at most k/2 away", "k": "at most k away"}


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


SUPPORT = Figure(
    "support",
    "how many coders support the marked positions",
    lambda corpus, o: support(describe(corpus, sweep=()), width=o.width),
)
