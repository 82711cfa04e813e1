"""edit_bars(): matches and edits by kind, of segmenters against coders or of coders against each other."""

from __future__ import annotations

from typing import Any

from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.analysis import Description
from caesura.errors import CorpusError
from caesura.figures import drawing
from caesura.figures.drawing import EDITS, SUBSTITUTED, WIDTH, Chart, Lengths, Row
from caesura.figures.theme import alt
from caesura.wording import counted, whole_percent

MOST_SEGMENTERS = 20
"""The most segmenters in a figure, the best first, with four bars each."""

OF_CODERS = ("match", "near miss", "full miss", "spurious")
"""Kinds between coders, where nothing is spurious but the kind keeps its color."""


def edit_bars(result: Comparison | Description, *, width: int = WIDTH) -> Chart:
    """Draw matches and edits by kind (F13t figures 4.29 and 5.31).

    For a Comparison, full misses are split by side: missed, only the reference has the boundary; spurious,
    only the segmenter has it. For a Description, the edits are those between every two coders.
    """
    if isinstance(result, Description):
        return _of_coders(result, width)
    substituted, of_others = SUBSTITUTED[result.people.is_hierarchical]
    kinds = (*EDITS, substituted)
    rows: list[Row] = []
    ours = [name for name in result.ranking if result[name].kind == "segmenter"]
    left_out = set(ours[MOST_SEGMENTERS:])
    few = f" The best {MOST_SEGMENTERS} of {len(ours)}." if left_out else ""
    for name in (*(row.name for row in result.rows if row.kind == "upper bound"), *result.ranking):
        if name in left_out:
            continue
        row = result[name]
        counts = (row.matches, row.near_misses, row.missed, row.spurious, row.wrong_types)
        rows += [
            {"name": result.labels[name], "kind": kind, "n": n} for kind, n in zip(kinds, counts, strict=True)
        ]
    best, n_t = result[ours[0]], Lengths.of(result.people).shown(result.editing.n_t)
    types = f", {best.wrong_types:,.0f} {of_others}" if best.wrong_types else ""
    return _bars(
        rows,
        kinds,
        title=f"{best.name}: {best.matches:,.0f} matches, {best.near_misses:,.0f} near misses, "
        f"{best.missed:,.0f} missed and {best.spurious:,.0f} spurious boundaries{types}",
        subtitle=f"Edits against {counted(len(result.coders), 'coder')} on "
        f"{counted(len(result.documents), 'document')} (n_t={n_t}); missed: only the coder has "
        f"the boundary (FN), spurious: only the segmenter (FP). Chance: mean of random draws.{few}",
        signature=result.signature,
        width=width,
    )


def _of_coders(description: Description, width: int) -> Chart:
    if not description.pair_boundaries:
        raise CorpusError("no two coders of a document mark a boundary, so there are no edits to draw")
    counts = (
        description.pair_matches,
        description.pair_transpositions,
        description.pair_additions,
        description.pair_substitutions,
    )
    substituted, of_others = SUBSTITUTED[description.corpus.is_hierarchical]
    kinds = (*OF_CODERS, substituted)
    rows: list[Row] = [
        {"name": "two coders", "kind": kind, "n": n}
        for kind, n in zip((*OF_CODERS[:3], substituted), counts, strict=True)
    ]
    shares, n_t = description.shares, Lengths.of(description.corpus).shown(description.n_t)
    types = f", {whole_percent(shares.substituted)} {of_others}" if description.pair_substitutions else ""
    return _bars(
        rows,
        kinds,
        title=f"{whole_percent(shares.matched)} of the coders' boundaries match, "
        f"{whole_percent(shares.near_missed)} are near misses, "
        f"{whole_percent(shares.missed)} full misses{types}",
        subtitle=f"Edits between every two coders of {counted(description.documents, 'document')} "
        f"({counted(description.pairs, 'pair')}, n_t={n_t}); a match and a near miss have two "
        "boundaries each.",
        signature=description.signature,
        width=width,
    )


def _bars(rows: list[Row], kinds: tuple[str, ...], **words: Any) -> Chart:
    present = {row["kind"] for row in rows if row["n"] or row["kind"] != kinds[-1]}
    rows = [row for row in rows if row["kind"] in present]
    drawing.check_size("edit bars", len(rows))
    shown = [kind for kind in kinds if kind in present]
    chart = drawing.chart(rows).encode(
        x=drawing.counts_along("X", "n", "matches and edits", [row["n"] for row in rows]),
        y=drawing.name_axis("Y", "name", [row["name"] for row in rows]),
        yOffset=alt.YOffset("kind:N", sort=shown).scale(paddingInner=0.1),
    )
    encoding = drawing.edit_colors("kind", kinds, shown)
    number = chart.mark_text(align="left", dx=4, fontSize=10)
    return drawing.framed(
        chart.mark_bar().encode(**encoding, tooltip=["name:N", "kind:N", "n:Q"]),
        number.encode(text=alt.Text("n:Q", format=",.1~f")),
        # With an offset the step is that of a bar.
        step=max(12.0, drawing.row_step(len(rows), largest=18)),
        **words,
    )
