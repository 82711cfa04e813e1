"""The figures of Carroll (2010): linearizations, errors on Choi's documents, and segment lengths."""

from __future__ import annotations

from collections import Counter
from functools import partial

from caesura.papers.recompute import BASELINES, CHOI, SEGMENTED, Data, choi_documents, word_errors
from caesura.papers.results import Curve, Figure, Series, box_plots, five_numbers, mean_interval
from caesura.values.hierarchy import Hierarchy
from caesura.version import __version__

EXAMPLE = Hierarchy.from_ranks({4: 1, 7: 2, 2: 3, 9: 4, 5: 5}, n_units=11)
"""The paper's own example is a drawing without numbers."""


def figure_1(figure: Figure, data: Data, seed: int) -> Series:
    """Return the boundaries of a hierarchy by prominence, and which of them each linearization has."""
    steps = range(1, EXAMPLE.n_levels + 1)
    ranked = EXAMPLE.to_segmentation().boundaries
    heights = Curve(
        "prominence",
        tuple(position for position, _ in ranked),
        tuple(EXAMPLE.n_levels + 1 - rank for _, rank in ranked),
    )
    lines = [
        Curve(f"step {step}", EXAMPLE.level(step).positions, (step,) * EXAMPLE.level(step).n_boundaries)
        for step in steps
    ]
    note = "an example of ours, 11 units and 5 boundaries: the paper draws its own and gives no numbers"
    return figure.series("position", "prominence, or step", [heights, *lines], note=note)


# -------------------------------------------------------------------- figure 2: errors on Choi's documents

PANELS: dict[str, tuple[str, str, dict[str, tuple[float, float]]]] = {
    "a": (
        "E_Pk",
        "plain",
        {"HC99": (12.5, 0.9), "HCWM": (12.1, 0.9), "BIN": (43.9, 0.9), "NONE": (46.1, 0.2)},
    ),
    "b": (
        "E_Pk",
        "wrap",
        {"HC99": (12.1, 0.8), "HCWM": (12.1, 0.9), "BIN": (42.1, 0.9), "NONE": (45.5, 0.2)},
    ),
    "c": (
        "E_WD",
        "plain",
        {"HC99": (13.8, 0.9), "HCWM": (14.1, 1.0), "BIN": (45.0, 0.9), "NONE": (49.9, 0.1)},
    ),
    "d": (
        "E_WD",
        "wrap",
        {"HC99": (13.3, 0.9), "HCWM": (13.9, 1.0), "BIN": (43.1, 0.8), "NONE": (49.1, 0.1)},
    ),
}
"""Error, edges, and the printed means in per cent with the half width of their 95 % intervals."""


HCWM = "is not recomputed: its space was learnt from the British National Corpus, which is not at hand"


def figure_2(figure: Figure, data: Data, seed: int, *, panel: str) -> Series:
    """Return the distribution of each hypothesis's error over documents, in per cent, and its mean."""
    error, edges, printed = PANELS[panel]
    path = data.choi(with_texts=True)
    names = (*SEGMENTED, *BASELINES)
    values = {name: [100 * value for value in word_errors(path, error, name, edges)] for name in names}
    mean, low, high = zip(*map(mean_interval, values.values()), strict=True)
    curves = [
        Curve("mean", tuple(values), mean, low, high),
        *box_plots(tuple(values), [five_numbers(of_one) for of_one in values.values()]),
    ]
    published = Curve(
        "mean",
        tuple(printed),
        tuple(value for value, _ in printed.values()),
        tuple(value - reach for value, reach in printed.values()),
        tuple(value + reach for value, reach in printed.values()),
    )
    note = (
        f"{len(choi_documents(path))} documents; low and high of the mean are its 95 % interval, for "
        f"HC99 and BIN narrower than printed. HCWM {HCWM}."
    )
    return figure.series(
        "segmentation",
        f"{error} in per cent",
        curves,
        published=[published],
        note=note,
        signature=f"{error}|edges={edges}|unit=words|rounding=half-up|caesura {__version__}",
    )


# -------------------------------------------------------------------- figure 4: segment lengths


def figure_4(figure: Figure, data: Data, seed: int) -> Series:
    """Return how many of Choi's segments have which length, as a ratio to the mean."""
    lengths = Counter(len(segment) for segments in choi_documents(data.path(CHOI)) for segment in segments)
    n = lengths.total()
    mean = sum(length * count for length, count in lengths.items()) / n
    found = sorted(lengths)
    curve = Curve(
        "segments", tuple(length / mean for length in found), tuple(lengths[length] for length in found)
    )
    note = (
        f"{n} segments of {found[0]} to {found[-1]} sentences, mean {mean:.4f}; one point for each "
        "length, where the paper has bins that it does not state"
    )
    return figure.series(
        "length / mean length",
        "segments",
        [curve],
        note=note,
        signature=f"segment lengths|unit=sentences|caesura {__version__}",
    )


ENCYCLOPEDIA = "needs the 66 encyclopedia articles of the paper with their headings, which are not at hand"

FIGURES = (
    Figure("C10 figure 1", "sequential linearizations of a hierarchy", figure_1),
    *(
        Figure(
            f"C10 figure 2{panel}",
            f"distribution of {error} on Choi's documents, edges {edges}",
            partial(figure_2, panel=panel),
        )
        for panel, (error, edges, _) in PANELS.items()
    ),
    Figure("C10 figure 3", "E_WD on encyclopedia articles", reason=f"{ENCYCLOPEDIA}, and six segmenters"),
    Figure("C10 figure 4a", "lengths of Choi's segments", figure_4),
    Figure("C10 figure 4b", "lengths of the encyclopedia's segments", reason=ENCYCLOPEDIA),
)
