"""Values with their intervals: means() of segmenters or metrics, agreement() of groups of coders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from caesura.analyses.coder_agreement.analysis import Agreement, GroupAgreement
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import TOGETHER, Comparison, SegmenterRow, together
from caesura.analyses.evaluation import Evaluation
from caesura.checks import check_choice
from caesura.errors import CorpusError, ParameterError
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.matrix import cells
from caesura.figures.theme import alt
from caesura.metrics.base import signature_of
from caesura.results.table import Interval
from caesura.values.corpus import Corpus
from caesura.wording import counted, percent

By: TypeAlias = Literal["coder", "document", "metric"]
BY = ("coder", "document", "metric")

BETTER = {"higher": "higher is better", "lower": "lower is better", "closest": "1 is best"}
"""A metric's direction, as an axis shows it."""

MOST_GROUPS = 6
"""Means of more segmenters by coder, document or metric are a heat map."""


def means(
    result: Comparison | Evaluation, *, by: By | None = None, pooled: bool = False, width: int = WIDTH
) -> Chart:
    """Draw means with their intervals (F13t figures 5.29, 5.30, 5.32 and 5.33).

    For a Comparison: each segmenter and bound, with document-clustered bootstrap intervals.
    ``by="metric"``: the means over codings by every metric; ``by="coder"``: against each coder;
    ``by="document"``: on each document. These have Student's t intervals, or are a heat map for more than
    six segmenters. For an Evaluation: each metric with its bootstrap interval.

    The band is the interval of people against each other, the line in it their value (F13 figure 10).
    ``pooled`` pools all segmenters, by coder or by document.
    """
    if pooled and by not in ("coder", "document"):
        raise ParameterError('pooled takes all segmenters together by="coder" or by="document"')
    if isinstance(result, Evaluation):
        return _of_evaluation(result, width)
    if by is None:
        return _overall(result, width)
    check_choice("by", by, BY)
    return _by_metric(result, width) if by == "metric" else _breakdown(result, by, pooled, width)


def _overall(comparison: Comparison, width: int) -> Chart:
    rows: list[Row] = []
    people = comparison.human
    for row in _ranked(comparison):
        interval = row.interval
        low, high = (interval.low, interval.high) if interval else (None, None)
        name = comparison.labels[row.name]
        rows.append({"name": name, "group": row.kind, "value": row.value, "low": low, "high": high})
    ours = [comparison[name] for name in comparison.ranking if comparison[name].kind == "segmenter"]
    name, metric = comparison.metric.name, comparison.metric
    title = f"{ours[0].name} has {name} {ours[0].value:.3f}"
    if len(ours) > 1:
        title += f", {', '.join(f'{row.name} {row.value:.3f}' for row in ours[1:4])}"
    title += f" (people: {people.value:.3f})" if people else ""
    return _whiskers(
        rows,
        f"{name} ({BETTER[metric.direction]})",
        group=("", ["segmenter", "lower bound", "upper bound"]),
        title=title,
        people=people,
        subtitle=f"{name} of {counted(ours[0].n_codings, 'coding')}, pooled. "
        f"{_over_documents(comparison.confidence, len(comparison.documents))}",
        signature=comparison.signature,
        width=width,
    )


def _ranked(comparison: Comparison) -> list[SegmenterRow]:
    """Return people, then segmenters and bounds from best to worst."""
    ranking = [comparison[name] for name in comparison.ranking]
    return ranking if comparison.human is None else [comparison.human, *ranking]


def _by_metric(comparison: Comparison, width: int) -> Chart:
    metrics = (comparison.metric, *comparison.others)
    # Parameters, which the signature has, only distinguish metrics of the same name here.
    plain = {repr(metric): metric.name for metric in metrics}
    if len(set(plain.values())) < len(plain):
        plain = {spec: spec for spec in plain}
    shown = _ranked(comparison)
    labels = [comparison.labels[row.name] for row in shown]
    rows: list[Row] = [
        {"name": plain[spec], "group": label, "value": mean.mean, "low": mean.low, "high": mean.high}
        for label, row in zip(labels, shown, strict=True)
        for spec in comparison.means
        for mean in [comparison.mean_of(row, spec)]
    ]
    best = {plain[spec]: comparison.labels[order[0]] for spec, order in comparison.rankings.items()}
    value = {(row["name"], row["group"]): row["value"] for row in rows}
    if len(set(best.values())) == 1:
        leaders = [f"{metric} {value[metric, name]:.3f}" for metric, name in best.items()]
        title = f"{labels[-len(comparison.ranking)]} is best by all metrics: {', '.join(leaders)}"
    else:
        leaders = [f"by {metric} {name} ({value[metric, name]:.3f})" for metric, name in best.items()]
        title = f"Best {', '.join(leaders)}"
    words: dict[str, Any] = {"title": title, "signature": comparison.signature, "width": width}
    codings = f"Means of {counted(comparison.rows[0].n_codings, 'coding')}"
    if len(labels) > MOST_GROUPS:
        for metric in metrics:
            own = [row for row in rows if row["name"] == plain[repr(metric)]]
            distances = [metric.distance_from_best(row["value"]) for row in own]
            span = max(distances) - min(distances) or 1.0
            for row, distance in zip(own, distances, strict=True):
                row["shade"] = (max(distances) - distance) / span
        subtitle = f"{codings}; the darker, the better by the metric of the row, from worst to best."
        words |= {"shade": "shade", "subtitle": subtitle}
        return cells(_as_cells(rows), [*plain.values()], labels, None, (0, 1), **words)
    return _whiskers(
        rows,
        "mean over codings",
        group=("segmenter", labels),
        subtitle=f"{codings}; whiskers: {percent(comparison.confidence)} intervals (Student's t over "
        "codings). Metrics have different ranges; for errors such as Pk and WD lower is better.",
        **words,
    )


def _breakdown(comparison: Comparison, by: By, pooled: bool, width: int) -> Chart:
    coded = Corpus.merge(comparison.people, comparison.machines)
    segmenters = [row.name for row in comparison.rows if row.kind == "segmenter"]
    subjects = comparison.coders if by == "coder" else comparison.documents
    groups = [TOGETHER] if pooled else [name for name in comparison.ranking if name in segmenters]
    drawing.check_size(f"means by {by}", len(subjects) * len(groups), hint=f"use fewer segmenters or {by}s")
    metric, rows = comparison.metric, list[Row]()
    alone: dict[str, Any] = {"metrics": (), "bounds": (), "human": False, "test": False, "rng": 0}
    for subject in subjects:
        coders = [subject] if by == "coder" else list(comparison.coders)
        documents = comparison.people.select(coders=coders).documents if by == "coder" else (subject,)
        part = coded.select(documents=documents, coders=[*coders, *segmenters] if by == "coder" else None)
        present = [name for name in part.coders if name not in segmenters]
        compared = compare(part, segmenters=segmenters, references=present, metric=metric, **alone)
        for row in [together(compared.rows)] if pooled else compared.rows:
            low, high = row.t_interval(comparison.confidence)
            rows.append({"name": subject, "group": row.name, "value": row.value, "low": low, "high": high})
    joint = "against" if by == "coder" else "on"
    least, most = (choose(rows, key=lambda row: row["value"]) for choose in (min, max))
    words: dict[str, Any] = {
        "title": f"{metric.name} by {by}: from {least['value']:.2f} ({least['group']} {joint} "
        f"{least['name']}) to {most['value']:.2f} ({most['group']} {joint} {most['name']})",
        "signature": signature_of(metric, comparison.rows[0].n_codings),
        "width": width,
    }
    explained = f"{metric.name} of {TOGETHER if pooled else 'each segmenter'} {joint} each {by}, pooled"
    people = comparison.human
    if len(groups) > MOST_GROUPS:
        if people is not None:
            level = metric.distance_from_best(people.value)
            for cell in rows:
                cell["framed"] = metric.distance_from_best(cell["value"]) <= level
            explained += f"; framed: at least as good as people ({people.value:.2f})"
        ends = drawing.limits(metric.low, metric.high, [row["value"] for row in rows])
        return cells(_as_cells(rows), subjects, groups, metric.name, ends, subtitle=f"{explained}.", **words)
    over = f"Student's t over {'boundary pairs' if metric.name == 'B' else 'codings'}"
    return _whiskers(
        rows,
        metric.name,
        group=("segmenter", groups),
        people=people,
        subtitle=f"{explained}; whiskers: {percent(comparison.confidence)} intervals ({over}).",
        **words,
    )


def _of_evaluation(evaluation: Evaluation, width: int) -> Chart:
    rows: list[Row] = [
        {"name": repr(summary.requested), "group": "", "value": float(summary.micro),
         "low": summary.interval.low, "high": summary.interval.high}
        for summary in evaluation.summaries
    ]  # fmt: skip
    return _whiskers(
        rows,
        "pooled value",
        group=("", [""]),
        title=", ".join(f"{row['name']} {row['value']:.3f}" for row in rows),
        subtitle=f"{counted(evaluation.size.codings, 'coding')}, pooled. "
        f"{_over_documents(evaluation.confidence, evaluation.size.documents)}",
        signature="\n".join(summary.micro.signature for summary in evaluation.summaries),
        width=width,
    )


def _over_documents(confidence: float, n: int) -> str:
    if n < 2:
        return "One document: no intervals."
    return f"Whiskers: {percent(confidence)} bootstrap intervals over {n:,} documents."


# -------------------------------------------------------------------- agreement of coders


def agreement(result: Agreement, *, width: int = WIDTH) -> Chart:
    """Draw the coefficient of all coders and of each group, with observed and strict agreement."""
    name = result.label
    kinds = [name, f"observed {result.metric.name}", "Fleiss' κ (strict)"]
    groups = [(number, group) for number, group in enumerate(result.groups, 1) if len(group.coders) > 1]
    drawing.check_size("agreement", len(groups), hint="measure some of the groups")
    parts: list[tuple[str, Agreement | GroupAgreement]] = [(f"{number}: ", group) for number, group in groups]
    parts = [("all: ", result), *parts] if len(parts) > 1 else [("", result)]
    rows: list[Row] = []
    for who, group in parts:
        who += f"{counted(len(group.coders), 'coder')}, {counted(len(group.documents), 'document')}"
        ends = {"low": None, "high": None}
        own = ends if group.interval is None else {"low": group.interval.low, "high": group.interval.high}
        values = (group.value, group.observed, group.strict.fleiss_kappa)
        for kind, value in zip(kinds, values, strict=True):
            rows.append({"name": who, "group": kind, "value": value, **(own if kind == name else ends)})
    if all(math.isnan(group.value) for _, group in parts):
        raise CorpusError(f"{name} is not defined in any group: {result.reason}")
    span = "" if result.interval is None else f" ({Interval.of(result.interval.low, result.interval.high)})"
    several = len(groups) > 1
    has_intervals = any(row["low"] is not None for row in rows)
    whiskers = f" Whiskers: {percent(result.confidence)} bootstrap intervals." if has_intervals else ""
    return _whiskers(
        rows,
        "agreement",
        group=("", kinds),
        numbered=name,
        title=f"{name} {result.value:.2f}{span}{f'; {len(groups)} groups of coders' if several else ''}",
        subtitle=f"Agreement beyond chance ({counted(result.n_pairs, 'pair')} of codings); strict: near "
        f"misses get no credit{'; a group annotated the same documents' if several else ''}.{whiskers}",
        signature=result.signature,
        width=width,
    )


# -------------------------------------------------------------------- what both share


def _as_cells(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "row": row["name"], "column": row["group"]} for row in rows]


def _whiskers(
    rows: Sequence[Row],
    axis_title: str,
    *,
    group: tuple[str, Sequence[str]],
    numbered: str | None = None,
    people: SegmenterRow | None = None,
    width: int,
    **words: Any,
) -> Chart:
    """Draw points with whiskers, groups by color and shape, and the band of people.

    Each name has the number of its point; of several points, that of the group ``numbered``.
    """
    group_title, groups = group[0] or None, drawing.names(group[1])
    order = drawing.names(row["name"] for row in rows)
    present = {drawing.shown(row["group"]) for row in rows}
    is_single = len(rows) <= len(order)
    drawing.check_size(words["title"], len(rows))
    y = drawing.name_axis("Y", "name", order, labelOverlap=True)
    x = drawing.zero_axis("X", "value", axis_title, [row["value"] for row in rows])
    values = [name for name in groups if name in present]
    legend = {"title": group_title, "values": values} if len(values) > 1 else None
    encoding = drawing.color_and("group", groups, title=group_title, legend=legend)
    lane = {} if is_single else {"yOffset": alt.YOffset("group:N", sort=groups)}
    tooltip = drawing.tooltip("name:N", "group:N", numbers=("value", "low", "high"))
    known = [row for row in rows if row["low"] is not None and row["low"] == row["low"]]
    defined = [row for row in rows if row["value"] == row["value"]]
    whisker = drawing.chart(known).mark_rule(strokeWidth=2, clip=True)
    point = drawing.chart(defined).mark_point(filled=True, size=70, opacity=1)
    layers = [
        whisker.encode(y=y, x="low:Q", x2="high:Q", color=encoding["color"], tooltip=tooltip, **lane),
        point.encode(y=y, x=x, **encoding, tooltip=tooltip, **lane),
    ]
    # With an offset, the step is that of a point.
    step = drawing.row_step(len(rows), largest=34 if is_single else 18)
    if is_single or numbered is not None:
        own = drawing.chart(row for row in defined if is_single or row["group"] == numbered)
        number = alt.Text("value:Q", format=".3f" if is_single else ".2f")
        layers.append(drawing.beside(own.encode(y=y), number, width, step))
    if people is not None:
        line = drawing.chart([{"value": people.value}]).mark_rule(strokeDash=[6, 3], strokeWidth=1.5)
        layers.append(line.encode(x="value:Q"))
        words["subtitle"] += f" Dashed: people against each other ({people.value:.3f})"
        if people.interval is not None and not math.isnan(people.interval.low):
            band = drawing.chart([{"low": people.interval.low, "high": people.interval.high}])
            layers.append(band.mark_rect(opacity=0.12, style="ink").encode(x="low:Q", x2="high:Q"))
            words["subtitle"] += ", band: their interval"
        words["subtitle"] += "."
    return drawing.framed(*layers, width=width, step=step, **words)
