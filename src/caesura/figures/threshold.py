"""thresholds(): a metric against where a model's scores are cut, the best cut, and its value held out."""

from __future__ import annotations

import math

from caesura.analyses.thresholds import Sweep, sweep
from caesura.errors import ParameterError
from caesura.figures.declaration import Figure, Options
from caesura.figures.theme import WIDTH, Chart, check_size, data, framed, limits, load_altair
from caesura.metrics.registry import metric_for
from caesura.values.corpus import Corpus
from caesura.wording import counted

TITLES = {"threshold": "threshold of the scores", "segments": "segments of each document"}


def thresholds(found: Sweep, *, width: int = WIDTH) -> Chart:
    """Draw a metric against the threshold (or number of segments), the best one, and its value held out."""
    alt = load_altair()
    best, metric = found.best, found.metric
    check_size("thresholds", 0, len(found.curve))
    rows = [{"cut": point.cut, "value": point.value, "n": point.boundaries} for point in found.curve]
    cut = best.cut
    ends = limits(metric.low, metric.high, [point.value for point in found.curve])
    x = alt.X("cut:Q", title=TITLES[found.over], scale=alt.Scale(zero=False, nice=False, padding=8))
    y = alt.Y("value:Q", title=metric.name, scale=alt.Scale(domain=ends))
    chart = alt.Chart(data(rows)).encode(x=x, y=y)
    tooltip = [alt.Tooltip("cut:Q", format=".4g"), alt.Tooltip("value:Q", format=".4f"), "n:Q"]
    chosen = alt.Chart(data([{"cut": cut, "value": best.value, "label": f"{best.value:.3f} at {cut:.4g}"}]))
    middle = (min(point.cut for point in found.curve) + max(point.cut for point in found.curve)) / 2
    beside = {"align": "left", "dx": 9} if cut <= middle else {"align": "right", "dx": -9}
    layers = [
        chart.mark_line(interpolate="step-after" if found.over == "segments" else "linear"),
        chart.mark_point(filled=True, size=16, opacity=1).encode(tooltip=tooltip),
        chosen.mark_rule(strokeDash=[2, 2]).encode(x="cut:Q"),
        chosen.mark_point(size=150, strokeWidth=2, opacity=1, style="outline").encode(x=x, y=y),
        chosen.mark_text(dy=-9, **beside).encode(x=x, y=y, text="label:N"),
    ]
    said = f"best {found.over} {cut:.4g}: {metric.name} {best.value:.3f} where it was chosen"
    if not math.isnan(best.held_out):
        held = alt.Chart(data([{"value": best.held_out, "label": f"held out {best.held_out:.3f}"}]))
        layers += [
            held.mark_rule(strokeDash=[6, 3], strokeWidth=1.5).encode(y="value:Q"),
            held.mark_text(align="right", dx=-4, dy=10).encode(
                x=alt.value(width), y="value:Q", text="label:N"
            ),
        ]
        said += f", {best.held_out:.3f} on documents held out"
    codings = counted(found.references, "reference coding")
    return framed(
        alt.layer(*layers).properties(width=width, height=300),
        title=f"{said[:1].upper()}{said[1:]}",
        subtitle=f"{counted(found.documents, 'document')}, {codings}, pooled. Ring: the best; dashed: each "
        f"document cut as the others say ({counted(len(found.chosen), 'part')}).",
        signature=found.signature,
        width=width,
    )


def _of_corpus(corpus: Corpus, options: Options) -> Chart:
    if options.scores is None:
        raise ParameterError("this figure needs scores: name a file of them by scores=")
    metric = metric_for(None, options.metric, options.n_t, step=corpus.step)
    references = corpus.select(coders=options.references or None)
    scores = {name: own for name, own in options.scores.items() if name in references.document_numbers}
    return thresholds(sweep(references, scores, metric, rng=options.seed or 0), width=options.width)


THRESHOLDS = Figure(
    "thresholds",
    "a metric against the threshold of a model's scores, the best one, and its value held out",
    _of_corpus,
    uses=("references", "metric", "n_t", "seed", "scores"),
)
