"""The figures of Fournier (2013), the thesis, §5.1 and §5.2.1: comparison methods, and edits by n_t."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from caesura.analyses.description.results import EditTotals
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, Ba, Bc, S
from caesura.metrics.window import WD, window_size
from caesura.papers.recompute import MOONSTONE, STARGAZERS, Data, described
from caesura.papers.results import Curve, Figure, Series
from caesura.values.segmentation import Segmentation
from caesura.version import __version__

WEIGHTS = "S, Ba and Bc weigh every near miss 1, B weighs it by its distance"


def methods(n_t: int, n_t_of_s: int | None = None) -> dict[str, Metric]:
    """Return the similarities of §5.1; only B scales near misses there (§5.1.1.7)."""
    return {
        "S": S(n_t=n_t_of_s or n_t, transposition="constant"),
        "Ba": Ba(n_t=n_t, transposition="constant"),
        "B": B(n_t=n_t),
        "Bc": Bc(n_t=n_t, transposition="constant"),
    }


def compare_all(
    x: Sequence[int],
    references: Sequence[Segmentation],
    hypotheses: Sequence[Segmentation],
    similarities: dict[str, Metric],
) -> list[Curve]:
    """Return a curve for each similarity, and one for 1-WD with k from the reference."""
    curves = [
        Curve(name, tuple(x), tuple(metric.batch(references, hypotheses).values.tolist()))
        for name, metric in similarities.items()
    ]
    errors = WD().batch(references, hypotheses).values
    return [*curves, Curve("1-WD", tuple(x), tuple((1 - errors).tolist()))]


def starts(curves: Sequence[Curve], value: float) -> list[Curve]:
    """Return what the text says of every method: the value at the first x."""
    return [Curve(curve.label, curve.x[:1], (value,)) for curve in curves]


# -------------------------------------------------------------------- §5.1.1.6: more and more full misses


def full_misses(n_units: int, pattern: str) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return the references R and the segmentations s_i, i = 1 ... n_units - 1, of pattern A or B.

    A: s_i has its boundaries at the first i positions, R at the first. B: s_i has i boundaries between
    segments of equal size (they differ by one unit at most), R that one of them which is nearest the middle.

    >>> references, hypotheses = full_misses(11, "B")
    >>> references[2].positions, hypotheses[2].positions
    ((5,), (2, 5, 8))
    """
    references, hypotheses = [], []
    for i in range(1, n_units):
        if pattern == "A":
            positions = list(range(1, i + 1))
            matched = 1
        else:
            positions = [j * n_units // (i + 1) for j in range(1, i + 1)]
            matched = min(positions, key=lambda position: abs(2 * position - n_units))
        references.append(Segmentation.from_positions([matched], n_units))
        hypotheses.append(Segmentation.from_positions(positions, n_units))
    return references, hypotheses


def figure_5_8(figure: Figure, data: Data, seed: int, *, pattern: str) -> Series:
    """Return where the boundaries stand with ten potential ones; the figure is a drawing of them."""
    references, hypotheses = full_misses(11, pattern)
    curves = []
    for label, segmentations in (("R", references), ("s_i", hypotheses)):
        points = [(p, i) for i, s in enumerate(segmentations, start=1) for p in s.positions]
        curves.append(Curve(label, tuple(p for p, _ in points), tuple(i for _, i in points)))
    note = "row i is a pair of segmentations of 11 units: R has one boundary, s_i has i, one of them matches"
    return figure.series("position", "boundaries in s_i", curves, note=note)


def figure_5_9(figure: Figure, data: Data, seed: int, *, pattern: str) -> Series:
    """Return what each method says of 0 to 98 full misses beside one match."""
    references, hypotheses = full_misses(100, pattern)
    curves = compare_all(range(1, 100), references, hypotheses, methods(2))
    zero = next(i for i, value in zip(curves[-1].x, curves[-1].y, strict=True) if value == 0)
    note = (
        f"100 units; R has one boundary, s_i has i; k = 25 from R. 1-WD is 0 from i = {zero} on. Published: "
        "every method is 1 at first."
    )
    return figure.series(
        "boundaries in s_i",
        "similarity",
        curves,
        published=starts(curves, 1.0),
        note=note,
        signature=signature_of(2, "k=reference"),
    )


# -------------------------------------------------------------------- §5.1.1.7: a near miss moves away


def figure_5_10(figure: Figure, data: Data, seed: int, *, n_t: int, n_t_of_s: int) -> Series:
    """Return what each method says of a boundary that is 0 to 10 units off."""
    distances = range(11)
    reference = Segmentation.from_positions([2], 25)
    hypotheses = [Segmentation.from_positions([2 + distance], 25) for distance in distances]
    curves = compare_all(distances, [reference] * len(hypotheses), hypotheses, methods(n_t, n_t_of_s))
    ends = [Curve(name, (0, 10), (1.0, 0.0)) for name in ("Ba", "B", "Bc")]
    published = [*(curve for curve in starts(curves, 1.0) if curve.label in ("S", "1-WD")), *ends]
    note = (
        f"25 units, boundary of R at position 2; n_t = {n_t_of_s} for S and {n_t} for the others; {WEIGHTS}; "
        "k = 6 from R. Published: every method is 1 at first, and Ba, B and Bc end at 0."
    )
    return figure.series(
        "distance",
        "similarity",
        curves,
        published=published,
        note=note,
        signature=signature_of(n_t, f"n_t of S={n_t_of_s}|k=reference"),
    )


# -------------------------------------------------------------------- §5.1.1.8: longer and longer documents

SIZES = range(4, 101)


def figure_5_11(figure: Figure, data: Data, seed: int) -> Series:
    """Return where the two boundaries stand in documents of 4 to 100 units."""
    curves = [
        Curve("match", tuple(size // 4 for size in SIZES), tuple(SIZES)),
        Curve("full miss", tuple(size // 2 for size in SIZES), tuple(SIZES)),
    ]
    note = "both segmentations have a boundary after a quarter of the m units, one of them another after half"
    return figure.series("position", "units m", curves, note=note)


def figure_5_12(figure: Figure, data: Data, seed: int) -> Series:
    """Return what each method says of one match and one full miss in documents of 4 to 100 units."""
    one = [Segmentation.from_positions([size // 4], size) for size in SIZES]
    both = [Segmentation.from_positions([size // 4, size // 2], size) for size in SIZES]
    wd = WD(rounding="floor")
    curves = compare_all(SIZES, both, one, methods(2))[:-1]
    for name, references, hypotheses in (("R has both", both, one), ("R has one", one, both)):
        similar = 1 - wd.batch(references, hypotheses).values
        share = [window_size(r, rounding="floor") / r.n_units for r in references]
        curves.append(Curve(f"1-WD, {name}", tuple(SIZES), tuple(similar.tolist())))
        curves.append(Curve(f"k/m, {name}", tuple(SIZES), tuple(share)))
    note = (
        "boundaries at m // 4 (match) and m // 2 (full miss). The text does not say which side has the "
        "second boundary; it matters to 1-WD only, so both are given. k is rounded down, as the text says."
    )
    return figure.series(
        "units m", "similarity", curves, note=note, signature=signature_of(2, "k=reference, floor")
    )


def signature_of(n_t: int, rest: str) -> str:
    """Return the signature of a figure with all methods."""
    return f"S Ba B Bc 1-WD|n_t={n_t}|T=constant, of B scaled|{rest}|caesura {__version__}"


# -------------------------------------------------------------------- §5.2.1.1: edits by n_t

CORPORA = {
    "Stargazers": (STARGAZERS, "5.3", EditTotals(2, 83, 72, 0, 28)),
    "Moonstone": (MOONSTONE, "5.4", EditTotals(2, 419, 1039, 0, 212)),
}
"""File, table, and the edits that the table prints (its matches are others; see the documentation)."""


def figure_5_14(figure: Figure, data: Data, seed: int, *, corpus: str) -> Series:
    """Return the edits between every two coders for n_t from 2 to 15."""
    name, table, printed = CORPORA[corpus]
    description = described(data, name)
    n_ts = tuple(edits.n_t for edits in description.sweep)
    curves = [
        Curve("AD", n_ts, tuple(edits.additions for edits in description.sweep)),
        Curve("T", n_ts, tuple(edits.transpositions for edits in description.sweep)),
        Curve("edits", n_ts, tuple(edits.edits for edits in description.sweep)),
    ]
    values = {"AD": printed.additions, "T": printed.transpositions}
    published = [Curve(label, (2,), (value,)) for label, value in values.items()]
    note = f"{description.pairs} pairs of codings; published: table {table}, where n_t = 2"
    return figure.series(
        "n_t", "edits", curves, published=published, note=note, signature=description.signature
    )


def figure_5_15(figure: Figure, data: Data, seed: int, *, corpus: str) -> Series:
    """Return how many transpositions at n_t = 15 span 2, 3, ... 15 positions, both ends counted."""
    description = described(data, CORPORA[corpus][0])
    spans = tuple(distance + 1 for distance in description.spans)
    curve = Curve("T", spans, tuple(description.spans.values()))
    note = (
        f"{description.pairs} pairs of codings at n_t = 15; an n-wise transposition moves a boundary by n - 1"
    )
    signature = description.signature.replace("n_t=2", "n_t=15")
    return figure.series("n", "n-wise transpositions", [curve], note=note, signature=signature)


def coder_rates(figure: Figure, data: Data, seed: int) -> Series:
    """Return the boundaries per potential boundary of each coder, and their mean with SD."""
    description = described(data, MOONSTONE)
    mean, sd, n = description.boundaries_per_position_per_coder
    rates = description.coder_rates
    curves = [
        Curve("coders", tuple(rate.coder for rate in rates), tuple(rate.rate for rate in rates)),
        Curve("mean and SD", ("all",), (mean,), (mean - sd,), (mean + sd,)),
    ]
    published = [Curve("mean and SD", ("all",), (0.0936,), (0.0433,), (0.1439,))]
    note = f"{n} coders; published: F13t table 5.4d, 0.0936 ± 0.0503"
    return figure.series(
        "coder",
        "boundaries per potential boundary",
        curves,
        published=published,
        note=note,
        signature=description.signature,
    )


FIGURES = (
    *(
        Figure(
            f"F13t figure 5.8, pattern {pattern}",
            f"{how} more full misses, 10 potential boundaries",
            partial(figure_5_8, pattern=pattern),
        )
        for pattern, how in (("A", "sequentially"), ("B", "uniformly"))
    ),
    *(
        Figure(
            f"F13t figure 5.9, pattern {pattern}",
            f"{how} more full misses, 99 potential boundaries",
            partial(figure_5_9, pattern=pattern),
        )
        for pattern, how in (("A", "sequentially"), ("B", "uniformly"))
    ),
    Figure(
        "F13t figure 5.10, n_t 2 or 5",
        "growing distance between two boundaries",
        partial(figure_5_10, n_t=5, n_t_of_s=2),
    ),
    Figure(
        "F13t figure 5.10, n_t 7",
        "growing distance between two boundaries",
        partial(figure_5_10, n_t=7, n_t_of_s=7),
    ),
    Figure("F13t figure 5.11", "a match and a full miss in longer and longer documents", figure_5_11),
    Figure("F13t figure 5.12", "the same errors in longer and longer documents", figure_5_12),
    *(
        Figure(f"F13t figure 5.14, {name}", "edits by n_t", partial(figure_5_14, corpus=name))
        for name in CORPORA
    ),
    *(
        Figure(
            f"F13t figure 5.15, {name}",
            "spanning distance of transpositions, n_t = 15",
            partial(figure_5_15, corpus=name),
        )
        for name in CORPORA
    ),
    Figure("F13 figure 11", "boundaries placed by each coder of Moonstone", coder_rates),
)

UNPUBLISHED = "needs the outputs of BayesSeg, APS and MinCut on Moonstone, which were never published"

NOT_RECOMPUTED = tuple(
    Figure(id, title, reason=UNPUBLISHED)
    for id, title in (
        ("F13t figure 5.29", "performance of five segmenters, by codings"),
        ("F13t figure 5.30", "performance of five segmenters, by boundary pairs"),
        ("F13t figure 5.31", "edits of five segmenters"),
        ("F13t figure 5.32", "performance of segmenters by coder"),
        ("F13t figure 5.33", "performance of segmenters by chapter"),
        ("F13t figure 5.34", "performance of segmenters by chapter and coder"),
        ("F13 figure 10", "performance of five segmenters"),
        ("F13 figure 12", "B-precision and B-recall of five segmenters"),
    )
)
