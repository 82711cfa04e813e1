"""edit_bars(): matches and edits by kind, of segmenters against coders or of coders against each other."""

from __future__ import annotations

from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.checks import N_T
from caesura.errors import CorpusError
from caesura.figures.declaration import OF_COMPARISON, Figure, Options, comparison_of
from caesura.figures.theme import (
    SUBSTITUTED,
    WIDTH,
    Chart,
    Row,
    check_size,
    count_axis,
    data,
    edit_scale,
    framed,
    from_zero,
    load_altair,
    names,
    row_step,
)
from caesura.values.corpus import Corpus
from caesura.wording import counted, whole_percent

KINDS = ("match", "near miss", "missed", "spurious")
MOST_SEGMENTERS = 20
"""Of more segmenters the best are drawn: four bars each."""

OF_CODERS = ("match", "near miss", "full miss", "spurious")
"""Between coders no side is wrong: nothing is spurious, but the kind keeps its colour."""


def edit_bars(result: Comparison | Description, *, width: int = WIDTH) -> Chart:
    """Draw matches and edits by kind (F13t figures 4.29 and 5.31).

    Of a Comparison full misses are split by side: missed, only the reference has the boundary; spurious,
    only the segmenter has it. Of a Description the edits between every two coders are drawn.
    """
    if isinstance(result, Description):
        return _of_coders(result, width)
    other, of_other = SUBSTITUTED[result.people.is_hierarchical]
    kinds = (*KINDS, other)
    rows: list[Row] = []
    ours = [name for name in result.ranking if result[name].kind == "segmenter"]
    left_out = set(ours[MOST_SEGMENTERS:])
    few = f" The best {MOST_SEGMENTERS} of {len(ours)}." if left_out else ""
    for name in (*(row.name for row in result.rows if row.kind == "upper bound"), *result.ranking):
        if name in left_out:
            continue
        row = result[name]
        counts = (row.matches, row.near_misses, row.missed, row.spurious, row.wrong_types)
        rows += [{"name": name, "kind": kind, "n": n} for kind, n in zip(kinds, counts, strict=True)]
    best = result[ours[0]]
    types = f", {best.wrong_types:,.0f} {of_other}" if best.wrong_types else ""
    return _bars(
        rows,
        kinds,
        title=f"{best.name}: {best.matches:,.0f} matches, {best.near_misses:,.0f} near misses, "
        f"{best.missed:,.0f} missed and {best.spurious:,.0f} spurious boundaries{types}",
        subtitle=f"Edits against {counted(len(result.coders), 'coder')} on "
        f"{counted(len(result.documents), 'document')} (n_t={result.judge.n_t}); missed: only the coder has "
        f"the boundary (FN), spurious: only the segmenter (FP). Of random draws the mean.{few}",
        signature=result.signature,
        width=width,
    )


def _of_coders(description: Description, width: int) -> Chart:
    if not description.pair_boundaries:
        raise CorpusError("no two coders of a document mark a boundary: there are no edits to draw")
    counts = (
        description.pair_matches,
        description.pair_transpositions,
        description.pair_additions,
        description.pair_substitutions,
    )
    other, of_other = SUBSTITUTED[description.corpus.is_hierarchical]
    kinds = (*OF_CODERS, other)
    rows: list[Row] = [
        {"name": "two coders", "kind": kind, "n": n}
        for kind, n in zip((*OF_CODERS[:3], other), counts, strict=True)
    ]
    shares = description.shares
    types = f", {whole_percent(shares.substituted)} {of_other}" if description.pair_substitutions else ""
    return _bars(
        rows,
        kinds,
        title=f"{whole_percent(shares.matched)} of the coders' boundaries match, "
        f"{whole_percent(shares.near_missed)} are near misses, "
        f"{whole_percent(shares.missed)} full misses{types}",
        subtitle=f"Edits between every two coders of {counted(description.documents, 'document')} "
        f"({counted(description.pairs, 'pair')}, n_t={description.n_t}); a match and a near miss have two "
        "boundaries each.",
        signature=description.signature,
        width=width,
    )


def _bars(
    rows: list[Row],
    kinds: tuple[str, ...],
    *,
    width: int,
    **words: str,
) -> Chart:
    alt = load_altair()
    shown = [
        kind
        for kind in dict.fromkeys(row["kind"] for row in rows)
        if kind != kinds[-1] or any(row["n"] for row in rows if row["kind"] == kind)
    ]
    rows = [row for row in rows if row["kind"] in shown]
    order = names(str(row["name"]) for row in rows)
    check_size("edit bars", len(rows))
    y = alt.Y("name:N", sort=order, title=None).scale(domain=order)
    x = alt.X("n:Q", title="matches and edits").axis(**count_axis(max(row["n"] for row in rows)))
    x = x.scale(from_zero(row["n"] for row in rows))
    lane = alt.YOffset("kind:N", sort=list(shown)).scale(paddingInner=0.1)
    colour = alt.Color("kind:N", title=None, scale=edit_scale(kinds))
    colour = colour.legend(values=shown, symbolType="square")
    chart = alt.Chart(data(rows))
    bar = chart.mark_bar().encode(y=y, x=x, yOffset=lane, color=colour, tooltip=["name:N", "kind:N", "n:Q"])
    number = chart.mark_text(align="left", dx=4, fontSize=10)
    text = alt.Text("n:Q", format=",.1~f")
    # With an offset the step is that of a bar.
    step = max(12.0, row_step(len(rows), largest=18))
    return framed(
        alt.layer(bar, number.encode(y=y, x=x, yOffset=lane, text=text)).properties(
            width=width, height=alt.Step(step)
        ),
        width=width,
        **words,
    )


def _of_corpus(corpus: Corpus, options: Options) -> Chart:
    if options.segmenters:
        return edit_bars(comparison_of(corpus, options), width=options.width)
    n_t = N_T if options.n_t is None else options.n_t
    return edit_bars(describe(corpus, n_t=n_t, sweep=()), width=options.width)


EDITS = Figure(
    "edits",
    "matches and edits by kind, of segmenters or between coders",
    _of_corpus,
    uses=OF_COMPARISON,
)
