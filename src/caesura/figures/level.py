"""levels(): hierarchical error level by level."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.analyses.level_errors import HierarchicalError, hierarchical_window_diff
from caesura.errors import CorpusError, ParameterError
from caesura.figures.declaration import Figure, Options, document_of
from caesura.figures.theme import (
    SHAPES,
    WIDTH,
    Chart,
    Row,
    check_size,
    data,
    distinct,
    framed,
    from_zero,
    load_altair,
    names,
)
from caesura.values.corpus import Corpus
from caesura.wording import listed

ALL = "all levels"


def levels(errors: HierarchicalError | Mapping[str, HierarchicalError], *, width: int = WIDTH) -> Chart:
    """Draw the error at each level of the reference, from the most prominent on, and over all (C10 §2).

    Several hypotheses against one reference are given by name.
    """
    alt = load_altair()
    found = {"hypothesis": errors} if isinstance(errors, HierarchicalError) else dict(errors)
    if not found:
        raise ParameterError("there is no hypothesis to draw")
    check_size("levels", len(found), sum(len(error.levels) for error in found.values()))
    first = next(iter(found.values()))
    title = first.score.metric.title
    rows: list[Row] = []
    for name, error in found.items():
        rows += [
            {"name": name, "level": f"level {one.rank}", "value": one.value, "weight": one.weight}
            for one in error.levels
        ]
    overall: list[Row] = [{"name": name, "level": ALL, "value": error.value} for name, error in found.items()]
    order = [*dict.fromkeys(str(row["level"]) for row in rows), ALL]
    hypotheses = names(found)
    several = len(found) > 1
    legend = alt.Legend(title=None) if several else None
    scale = alt.Scale(domain=hypotheses)
    x = alt.X("level:N", sort=order, title=None).scale(domain=order).axis(labelAngle=0, grid=False)
    y = alt.Y("value:Q", title=f"{title} (smaller is better)")
    y = y.scale(from_zero(row["value"] for row in [*rows, *overall]))
    colour = alt.Color("name:N", title=None, scale=scale, legend=legend)
    shape = alt.Shape("name:N", title=None, legend=legend)
    shape = shape.scale(domain=hypotheses, range=distinct(SHAPES, len(hypotheses)))
    tooltip = ["name:N", "level:N", alt.Tooltip("value:Q", format=".4f"), "weight:Q"]
    line = alt.Chart(data(rows)).mark_line(strokeWidth=1.5)
    point = alt.Chart(data([*rows, *overall])).mark_point(filled=True, size=70, opacity=1)
    best = min(found, key=lambda name: found[name].value)
    by_level = ", ".join(f"{one.value:.3f} at level {one.rank}" for one in found[best].levels[:4])
    weights = ", ".join(f"{one.weight} at level {one.rank}" for one in first.levels[:8])
    # Beside each other, so that equal errors do not hide each other.
    band = width / len(order)
    apart = min(0.8 * band, 14 * len(hypotheses))
    lane = alt.XOffset("name:N", sort=hypotheses)
    lane = lane.scale(domain=hypotheses, range=[(band - apart) / 2, (band + apart) / 2])
    layers = [
        line.encode(x=x, y=y, xOffset=lane, color=colour),
        point.encode(x=x, y=y, xOffset=lane, color=colour, shape=shape, tooltip=tooltip),
    ]
    return framed(
        alt.layer(*layers).properties(width=width, height=280),
        title=f"{best}: {title} {found[best].value:.3f}; {by_level}",
        subtitle=f"Error at each level of the reference against as many of the most prominent hypothesis "
        f"boundaries; over all levels weighted by the reference's boundaries ({weights}).",
        signature=first.signature,
        width=width,
    )


def _of_corpus(corpus: Corpus, options: Options) -> Chart:
    document = document_of(corpus, options.document)
    coded = corpus[document]
    if len(coded) < 2:
        raise CorpusError(f"document {document} has one coding; levels need a reference and a hypothesis")
    if len(options.references) != 1:
        raise ParameterError(f"levels need one reference: name a coder as references= ({listed(coded)})")
    reference = corpus[document, options.references[0]]
    others = options.segmenters or [coder for coder in coded if coder != options.references[0]]
    errors = {name: hierarchical_window_diff(reference, corpus[document, name]) for name in others}
    return levels(errors, width=options.width)


LEVELS = Figure(
    "levels",
    "hierarchical error (E_WD) level by level, against a reference",
    _of_corpus,
    uses=("references", "segmenters"),
)
