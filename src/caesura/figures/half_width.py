"""half_widths(): how the interval of agreement narrows with documents and coders."""

from __future__ import annotations

import numpy as np

from caesura.analyses.study_plan.analysis import Of, Plan, plan
from caesura.figures.declaration import Figure
from caesura.figures.theme import (
    DASHES,
    WIDTH,
    Chart,
    Row,
    check_size,
    data,
    distinct,
    framed,
    from_zero,
    load_altair,
)
from caesura.wording import counted, percent

POINTS = 40
"""Numbers of documents that a line is drawn through, about."""


def half_widths(found: Plan, *, of: Of = "value", width: int = WIDTH) -> Chart:
    """Draw the half-width of π*, or of observed agreement, against documents, a line per number of coders."""
    alt = load_altair()
    low, high = found.documents[0], found.documents[-1]
    documents = sorted({*found.documents, *np.geomspace(low, high, POINTS).round().astype(int).tolist()})
    check_size("half-widths", len(found.coders), len(documents) * len(found.coders))
    rows: list[Row] = [
        {"documents": n, "coders": str(c), "half-width": found.half_width(n, c, of).value}
        for c in found.coders
        for n in documents
    ]
    name = f"π*_{found.metric.name}" if of == "value" else f"observed {found.metric.name}"
    labels = [str(c) for c in found.coders]
    legend = alt.Legend(title="coders", columns=7)
    colour = alt.Color("coders:N", scale=alt.Scale(domain=labels), sort=labels, legend=legend)
    dash = alt.StrokeDash("coders:N", legend=legend, sort=labels)
    dash = dash.scale(domain=labels, range=distinct(DASHES, len(labels)))
    x = alt.X(
        "documents:Q",
        title="documents",
        scale=alt.Scale(type="log", domain=[low, max(high, low + 1)], nice=False),
    )
    x = x.axis(values=list(found.documents), format="d", labelOverlap=True)
    largest = max(float(str(row["half-width"])) for row in rows)
    y = alt.Y("half-width:Q", title=f"half-width of {name}").scale(from_zero([largest]))
    tooltip = ["documents:Q", "coders:N", alt.Tooltip("half-width:Q", format=".4f")]
    lines = alt.Chart(data(rows)).mark_line(strokeWidth=2)
    layers = [lines.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip)]
    if found.width is not None and found.width <= largest:
        wanted: list[Row] = [{"half-width": found.width, "label": f"± {found.width:g}"}]
        rule = alt.Chart(data(wanted)).encode(y=alt.Y("half-width:Q"))
        layers.append(rule.mark_rule(strokeDash=[2, 3], strokeWidth=1.5))
        layers.append(
            rule.mark_text(align="right", dy=-6, fontSize=10).encode(text="label:N", x=alt.value(width))
        )
    few, many = found.coders[0], found.coders[-1]
    n = found.documents[len(found.documents) // 2]
    ends = [f"± {found.half_width(n, c, of).value:.2f} with {c} coders" for c in dict.fromkeys((few, many))]
    source = (
        "Stated rates"
        if found.stated is not None
        else f"From {counted(found.n_documents, 'document')} of a pilot"
    )
    return framed(
        alt.layer(*layers).properties(width=width, height=260),
        title=f"{n} documents: {name} {', '.join(ends)}",
        subtitle=f"{source}: the half-width of the {percent(found.confidence)} interval to expect, against "
        "documents (logarithmic), for each number of coders.",
        signature=found.signature,
        width=width,
    )


HALF_WIDTHS = Figure(
    "half-widths",
    "half-width of the interval of agreement against documents, for 2 to 7 coders, planned from a pilot",
    lambda corpus, o: half_widths(
        plan(corpus, metric=o.metric, n_t=o.n_t, n_resamples=0, rng=o.seed or 0), width=o.width
    ),
    uses=("metric", "n_t", "seed"),
)
