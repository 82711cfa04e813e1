"""means(): segmenters' means with intervals; over all, by metric, against each coder and on each document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.evaluation import Evaluation
from caesura.checks import check_choice
from caesura.figures.declaration import of_comparison
from caesura.figures.theme import (
    SHAPES,
    WIDTH,
    Chart,
    Row,
    check_size,
    data,
    distinct,
    framed,
    limits,
    load_altair,
    names,
    row_step,
)
from caesura.metrics.base import signature_of
from caesura.values.corpus import Corpus
from caesura.wording import counted, percent

By: TypeAlias = Literal["coder", "document", "metric"]
BY = ("coder", "document", "metric")

BETTER = {"higher": "greater is better", "lower": "smaller is better", "closest": "1 is best"}
"""What a metric's direction means for its axis."""

ROOM_FOR_NUMBERS = 24
"""Pixels between two rows from which on a number stands above its point without touching the next."""


def means(result: Comparison | Evaluation, *, by: By | None = None, width: int = WIDTH) -> Chart:
    """Draw means with their intervals (F13t figures 5.29, 5.30, 5.32 and 5.33).

    Of a Comparison: each segmenter and bound, with document-clustered bootstrap intervals; ``by="metric"``
    the means over codings by every metric, ``by="coder"`` against each coder and ``by="document"`` on each
    document, all three with Student's intervals. Of an Evaluation: each metric with its bootstrap interval.
    """
    if isinstance(result, Evaluation):
        return _of_evaluation(result, width)
    if by is None:
        return _overall(result, width)
    check_choice("by", by, BY)
    return _by_metric(result, width) if by == "metric" else _breakdown(result, by, width)


def _overall(comparison: Comparison, width: int) -> Chart:
    rows: list[Row] = []
    people = [row for row in comparison.rows if row.kind == "upper bound"]
    for row in [*people, *(comparison[name] for name in comparison.ranking)]:
        interval = comparison.intervals.get(row.name)
        low, high = (interval.low, interval.high) if interval else (None, None)
        rows.append({"name": row.name, "group": row.kind, "value": row.value, "low": low, "high": high})
    ours = [comparison[name] for name in comparison.ranking if comparison[name].kind == "segmenter"]
    name, metric = comparison.metric.name, comparison.metric
    title = f"{ours[0].name} has {name} {ours[0].value:.3f}"
    if len(ours) > 1:
        title += f", {', '.join(f'{row.name} {row.value:.3f}' for row in ours[1:4])}"
    title += f" (people: {people[0].value:.3f})" if people else ""
    documents = counted(len(comparison.documents), "document")
    whiskers = f"Whiskers: {percent(comparison.confidence)} bootstrap intervals over {documents}"
    no_interval = "; people have none" if people else ""
    seed = f"|bootstrap seed={comparison.seed}"
    if len(comparison.documents) < 2:
        whiskers, no_interval, seed = "One document: there are no intervals", "", ""
    return _whiskers(
        rows,
        f"{name} ({BETTER[metric.direction]})",
        limits(metric.low, metric.high, [row["value"] for row in rows]),
        group=("kind", ["segmenter", "lower bound", "upper bound"]),
        title=title,
        subtitle=f"{name} of {counted(ours[0].n_codings, 'coding')}, pooled. {whiskers}{no_interval}.",
        signature=f"{comparison.signature}{seed}",
        width=width,
    )


def _by_metric(comparison: Comparison, width: int) -> Chart:
    metrics = (comparison.metric, *comparison.others)
    # Parameters are told in the signature; here they only keep apart what has the same name.
    plain = {repr(one): one.name for one in metrics}
    if len(set(plain.values())) < len(plain):
        plain = {spec: spec for spec in plain}
    rows: list[Row] = [
        {"name": plain[spec], "group": name, "value": found[name].mean, "low": found[name].low,
         "high": found[name].high}
        for name in comparison.tested
        for spec, found in comparison.means.items()
    ]  # fmt: skip
    best = {plain[spec]: order[0] for spec, order in comparison.rankings.items()}
    value = {(row["name"], row["group"]): row["value"] for row in rows}
    if len(set(best.values())) == 1:
        leaders = [f"{metric} {value[metric, name]:.3f}" for metric, name in best.items()]
        title = f"{comparison.ranking[0]} is best by all metrics: {', '.join(leaders)}"
    else:
        leaders = [f"by {metric} {name} ({value[metric, name]:.3f})" for metric, name in best.items()]
        title = f"Best {', '.join(leaders)}"
    return _whiskers(
        rows,
        "mean over codings",
        limits(min(m.low for m in metrics), max(m.high for m in metrics), [row["value"] for row in rows]),
        group=("segmenter", comparison.tested),
        title=title,
        subtitle=f"Means of {counted(comparison.rows[0].n_codings, 'coding')}; whiskers: "
        f"{percent(comparison.confidence)} intervals (Student's t over codings). "
        "Metrics have different ranges, and of errors such as Pk and WD the smaller is better.",
        signature=comparison.signature,
        width=width,
    )


def _breakdown(comparison: Comparison, by: By, width: int) -> Chart:
    everybody = Corpus.merge(comparison.people, comparison.machines)
    segmenters = [row.name for row in comparison.rows if row.kind == "segmenter"]
    subjects = comparison.coders if by == "coder" else comparison.documents
    check_size(f"means by {by}", len(subjects) * len(segmenters), hint=f"choose fewer segmenters or {by}s")
    rows: list[Row] = []
    for subject in subjects:
        coders = [subject] if by == "coder" else list(comparison.coders)
        documents = comparison.people.select(coders=coders).documents if by == "coder" else (subject,)
        part = everybody.select(documents=documents, coders=[*coders, *segmenters] if by == "coder" else None)
        present = [name for name in part.coders if name not in segmenters]
        found = compare(
            part,
            segmenters=segmenters,
            references=present,
            metric=comparison.metric,
            metrics=(),
            bounds=(),
            human=False,
            test=False,
            rng=0,
        )
        for row in found.rows:
            low, high = row.t_interval(comparison.confidence)
            rows.append({"name": subject, "group": row.name, "value": row.value, "low": low, "high": high})
    metric = comparison.metric
    joint = "against" if by == "coder" else "on"
    least, most = (choose(rows, key=lambda row: row["value"]) for choose in (min, max))
    return _whiskers(
        rows,
        metric.name,
        limits(metric.low, metric.high, [row["value"] for row in rows]),
        group=("segmenter", segmenters),
        title=f"{metric.name} by {by}: from {least['value']:.2f} ({least['group']} {joint} {least['name']}) "
        f"to {most['value']:.2f} ({most['group']} {joint} {most['name']})",
        subtitle=f"{metric.name} of each segmenter {joint} each {by}, "
        f"pooled; whiskers: {percent(comparison.confidence)} intervals (Student's t over "
        f"{'boundary pairs' if metric.name == 'B' else 'codings'}).",
        signature=signature_of(metric, comparison.rows[0].n_codings),
        width=width,
    )


def _of_evaluation(evaluation: Evaluation, width: int) -> Chart:
    rows: list[Row] = [
        {"name": repr(summary.asked), "group": "", "value": float(summary.micro),
         "low": summary.interval.low, "high": summary.interval.high}
        for summary in evaluation.summaries
    ]  # fmt: skip
    metrics = [summary.metric for summary in evaluation.summaries]
    whiskers = f"Whiskers: {percent(evaluation.confidence)} bootstrap intervals over documents"
    if evaluation.size.documents < 2:
        whiskers = "One document: there are no intervals"
    return _whiskers(
        rows,
        "pooled value",
        limits(
            min(m.low for m in metrics), max(m.high for m in metrics), [float(row["value"]) for row in rows]
        ),
        group=("", [""]),
        title=", ".join(f"{row['name']} {row['value']:.3f}" for row in rows),
        subtitle=f"{counted(evaluation.size.codings, 'coding')} of "
        f"{counted(evaluation.size.documents, 'document')}, pooled. {whiskers}.",
        signature="\n".join(summary.micro.signature for summary in evaluation.summaries),
        width=width,
    )


def _whiskers(
    rows: Sequence[Row],
    axis_title: str,
    domain: Sequence[float],
    *,
    group: tuple[str, Sequence[str]],
    width: int,
    **words: str,
) -> Chart:
    """Draw points with whiskers, names down the side, groups by colour and shape."""
    alt = load_altair()
    group_title, group_names = group
    order = names(row["name"] for row in rows)
    several = len({row["group"] for row in rows}) > 1
    per_name = max(1, len(rows) // len(order)) if len(rows) > len(order) else 1
    check_size(words["title"], len(rows))
    y = alt.Y("name:N", sort=order, title=None).scale(domain=order).axis(labelOverlap=True)
    x = alt.X("value:Q", title=axis_title, scale=alt.Scale(domain=list(domain), nice=False))
    groups = names(group_names)
    drawn = [name for name in groups if name in {row["group"] for row in rows}]
    legend = alt.Legend(title=group_title or None, values=drawn) if several else None
    colour = alt.Color("group:N", title=group_title or None, legend=legend).scale(domain=groups)
    shape = alt.Shape("group:N", title=group_title or None, legend=legend)
    shape = shape.scale(domain=groups, range=distinct(SHAPES, len(groups)))
    lane = {"yOffset": alt.YOffset("group:N", sort=groups)} if per_name > 1 else {}
    tooltip = [
        "name:N",
        "group:N",
        *(alt.Tooltip(f"{field}:Q", format=".4f") for field in ("value", "low", "high")),
    ]
    known = [row for row in rows if row["low"] is not None and row["low"] == row["low"]]
    whisker = alt.Chart(data(known)).mark_rule(strokeWidth=2, clip=True)
    point = alt.Chart(data(rows)).mark_point(filled=True, size=70, opacity=1)
    layers = [
        whisker.encode(y=y, x=alt.X("low:Q"), x2="high:Q", color=colour, tooltip=tooltip, **lane),
        point.encode(y=y, x=x, color=colour, shape=shape, tooltip=tooltip, **lane),
    ]
    # With an offset the step is that of a point.
    step = row_step(len(rows), largest=34 if per_name == 1 else 18)
    if per_name == 1 and step >= ROOM_FOR_NUMBERS:
        number = alt.Chart(data(rows)).mark_text(dy=-10, fontSize=10)
        layers.append(number.encode(y=y, x=x, text=alt.Text("value:Q", format=".3f")))
    return framed(alt.layer(*layers).properties(width=width, height=alt.Step(step)), width=width, **words)


MEANS = of_comparison(
    "means", "each segmenter's mean with its interval, between lower and upper bounds", means
)
MEANS_BY_METRIC = of_comparison(
    "means-by-metric", "each segmenter's mean over codings, by several metrics", means, by="metric"
)
MEANS_BY_CODER = of_comparison(
    "means-by-coder", "each segmenter's mean against each coder", means, by="coder"
)
MEANS_BY_DOCUMENT = of_comparison(
    "means-by-document", "each segmenter's mean on each document", means, by="document"
)
