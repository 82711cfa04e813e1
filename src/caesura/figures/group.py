"""agreement(): the agreement of all coders and of each group of them, with its interval."""

from __future__ import annotations

import math

from caesura.analyses.coder_agreement.analysis import agreement as measure
from caesura.analyses.coder_agreement.coefficients import label
from caesura.analyses.coder_agreement.results import Agreement, GroupAgreement
from caesura.errors import CorpusError
from caesura.figures.declaration import Figure
from caesura.figures.theme import WIDTH, Chart, Row, check_size, data, framed, load_altair, row_step
from caesura.wording import counted, percent


def agreement(result: Agreement, *, width: int = WIDTH) -> Chart:
    """Draw the coefficient of all and of each group with its interval, beside observed and strict ones."""
    alt = load_altair()
    name = label(result.metric, result.coefficient)
    kinds = [name, f"observed {result.metric.name}", "Fleiss' κ (strict)"]
    rows: list[Row] = []
    groups = [(number, group) for number, group in enumerate(result.groups, 1) if len(group.coders) > 1]
    check_size("agreement", len(groups), hint="measure some of the groups")
    parts: list[tuple[str, Agreement | GroupAgreement]] = [(f"{number}: ", group) for number, group in groups]
    parts = [("all: ", result), *parts] if len(parts) > 1 else [("", result)]
    for who, group in parts:
        who += f"{counted(len(group.coders), 'coder')}, {counted(len(group.documents), 'document')}"
        low, high = (None, None) if group.interval is None else (group.interval.low, group.interval.high)
        measured = (group.value, group.observed, group.strict.fleiss_kappa)
        for kind, value in zip(kinds, measured, strict=True):
            ends = (low, high) if kind == name else (None, None)
            rows.append({"group": who, "kind": kind, "value": value, "low": ends[0], "high": ends[1]})
    if all(math.isnan(group.value) for _, group in parts):
        raise CorpusError(f"{name} is not defined in any group: {result.reason}")
    least = min(
        0.0, *(v for row in rows for v in (row["value"], row["low"]) if isinstance(v, float) and v == v)
    )
    least = math.floor(10 * least) / 10
    order = list(dict.fromkeys(str(row["group"]) for row in rows))
    y = alt.Y("group:N", sort=order, title=None).scale(domain=order)
    x = alt.X("value:Q", title="agreement", scale=alt.Scale(domain=[least, 1.0], nice=False))
    scale = alt.Scale(domain=kinds)
    colour, shape = alt.Color("kind:N", title=None, scale=scale), alt.Shape("kind:N", title=None, scale=scale)
    known = [row for row in rows if row["low"] is not None]
    whisker = alt.Chart(data(known)).mark_rule(strokeWidth=2.5)
    drawn = [row for row in rows if row["value"] == row["value"]]
    point = alt.Chart(data(drawn)).mark_point(filled=True, size=80, opacity=1)
    number = alt.Chart(data([row for row in drawn if row["kind"] == name])).mark_text(
        dx=7, dy=-7, align="left", fontSize=10
    )
    lane = alt.YOffset("kind:N", sort=kinds)
    tooltip = ["group:N", "kind:N", *(alt.Tooltip(f"{f}:Q", format=".4f") for f in ("value", "low", "high"))]
    span = f"{result.value:.2f}"
    if result.interval is not None:
        span += f" [{result.interval.low:.2f}, {result.interval.high:.2f}]"
    among = f"; {len(groups)} groups of coders" if len(groups) > 1 else f" in {counted(1, 'group')} of coders"
    whiskers = f" Whiskers: {percent(result.confidence)} bootstrap intervals." if known else ""
    return framed(
        alt.layer(
            whisker.encode(y=y, x=alt.X("low:Q"), x2="high:Q", color=colour, yOffset=lane),
            point.encode(y=y, x=x, color=colour, shape=shape, tooltip=tooltip, yOffset=lane),
            number.encode(y=y, x=x, yOffset=lane, text=alt.Text("value:Q", format=".2f")),
        ).properties(width=width, height=alt.Step(row_step(len(rows), largest=16))),
        title=f"{name} {span}{among}",
        subtitle=f"Agreement beyond chance ({counted(result.n_pairs, 'pair')} of codings); a group has coded "
        f"the same documents; strict: near misses have no credit.{whiskers}",
        signature=result.signature,
        width=width,
    )


AGREEMENT = Figure(
    "agreement",
    "agreement of all coders and of each group of them with its interval",
    lambda corpus, o: agreement(
        measure(corpus, metric=o.metric, n_t=o.n_t, n_resamples=o.resamples, rng=o.seed or 0), width=o.width
    ),
    uses=("metric", "n_t", "resamples", "seed"),
)
