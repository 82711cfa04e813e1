"""How often each test calls equally good segmenters different: measured over seeded simulations.

All segmenters come from one error process, so every difference that a test finds is a false positive, and a
test that holds its α finds one in a share α of the simulations. 20 documents of 60 to 140 units; coders and
segmenters miss, move and add boundaries of a hidden truth. In three settings:

- independent: one coder, all documents equally hard: boundary pairs hardly depend on each other;
- coders: three coders, so that each output is compared three times;
- documents: three coders, and every document has its own difficulty, partly shared by all segmenters and
  partly each segmenter's own: the boundary pairs of one document are correlated.

A second table says how often 95 % bootstrap intervals hold the true value. A third has curves of the default
test by the number of segmenters and of documents: how often it calls any two of equally good segmenters
different (in the hardest setting, "documents"), and how often it finds that one segmenter is better.

    python benchmarks/false_positives.py --simulations 1000 --seed 1
    python benchmarks/false_positives.py --curves --simulations 400 --seed 1
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura.alignment.counts import count_edits_many
from caesura.alignment.packed import PackedPairs
from caesura.stats.choosing import PROCEDURES, as_samples, choose
from caesura.stats.intervals import expanded_levels
from caesura.stats.resampling import (
    bootstrap_intervals,
    bootstrap_values,
    enough_resamples,
    interval_of,
    paired_bootstrap,
    pooled,
    randomization,
)
from caesura.values.columns import Columns

ALPHA = 0.05
METRIC = cs.metric("B")
N_DOCUMENTS = 20
NAMES = ["a", "b", "c"]


@dataclass(frozen=True)
class Setting:
    """What makes boundary pairs of a document depend on each other."""

    name: str
    n_coders: int
    spread: float  # of the difficulty of documents, in logits


SETTINGS = (Setting("independent", 1, 0.0), Setting("coders", 3, 0.0), Setting("documents", 3, 0.7))


@dataclass(frozen=True)
class Simulation:
    """Three equally good segmenters: what the tests take as their subjects."""

    counts: NDArray[np.float64]  # documents × segmenters × counts
    codings: NDArray[np.float64]  # codings × segmenters
    pairs: list[NDArray[np.float64]]  # per segmenter: the correctness of all boundary pairs

    @property
    def documents(self) -> NDArray[np.float64]:
        """The value of each document, documents × segmenters."""
        return pooled(METRIC, self.counts)


def simulate(
    setting: Setting,
    rng: np.random.Generator,
    n_segmenters: int = 3,
    n_documents: int = N_DOCUMENTS,
    lead: float = 0.0,
) -> Simulation:
    """Draw documents, coders and segmenters, and compare each segmenter with each coder.

    ``lead`` is how much better the first segmenter is than the others, which are equally good, in logits of
    the share of boundaries that it gets wrong.
    """
    codings, first, second = [], [], []
    for start in range(0, n_documents * (setting.n_coders + n_segmenters), setting.n_coders + n_segmenters):
        n_units = int(rng.integers(60, 141))
        truth = rng.random(n_units - 1) < 0.1
        shared = setting.spread * rng.standard_normal()
        own = setting.spread * rng.standard_normal(n_segmenters)
        own[0] -= lead
        shares = np.concatenate((np.full(setting.n_coders, 0.15), 1 / (1 + np.exp(0.5 - shared - own))))
        codings.append(disturb(truth, shares, rng))
        for segmenter in range(n_segmenters):
            first += range(start, start + setting.n_coders)
            second += [start + setting.n_coders + segmenter] * setting.n_coders
    pairs = PackedPairs.among(Columns.concatenate(codings), first, second)
    edits = count_edits_many(pairs, "greedy", METRIC.weights)
    shape = n_documents, n_segmenters, setting.n_coders
    rows = np.stack(METRIC.combine(edits), axis=-1).reshape(*shape, 2)
    correctness = np.tile([1.0, 0.5, 0.0], len(first))
    repeats = np.stack((edits.matches, edits.transpositions, edits.additions), axis=-1)
    whose = np.repeat(np.tile(np.repeat(range(n_segmenters), setting.n_coders), n_documents), repeats.sum(1))
    pairs = np.repeat(correctness, repeats.ravel())
    values = pooled(METRIC, rows)  # documents × segmenters × coders
    return Simulation(
        rows.sum(axis=2).astype(np.float64),
        values.transpose(0, 2, 1).reshape(-1, n_segmenters),
        [pairs[whose == segmenter] for segmenter in range(n_segmenters)],
    )


def disturb(truth: NDArray[np.bool_], shares: NDArray[np.float64], rng: np.random.Generator) -> Columns:
    """Return codings of the truth: each misses a share of its boundaries; others are moved or added."""
    shape = len(shares), len(truth)
    coding, kept = np.nonzero(truth & (rng.random(shape) >= shares[:, None]))
    moved = kept + rng.choice([-1, 0, 0, 0, 1], size=len(kept))
    is_inside = (moved >= 0) & (moved < len(truth))
    marked = rng.random(shape) < 0.1 * shares[:, None]
    marked[coding[is_inside], moved[is_inside]] = True
    coding, position = np.nonzero(marked)
    return Columns.of_marks(np.full(len(shares), len(truth) + 1), coding, position + 1)


def called_different(simulation: Simulation, n_resamples: int, seed: int) -> Iterator[str]:
    """Yield a label for every test, of two or three segmenters, that finds a difference at α."""
    samples = {
        "documents": list(simulation.documents.T),
        "codings": list(simulation.codings.T),
        "boundary pairs": simulation.pairs,
    }
    for subjects, values in samples.items():
        for k in (2, 3):
            yield from _tests(subjects, values[:k], k)
    for k in (2, 3):
        counts = simulation.counts[:, :k]
        options = {"n_resamples": n_resamples, "rng": seed, "alpha": ALPHA}
        for report in (paired_bootstrap(METRIC, counts, **options), randomization(METRIC, counts, **options)):
            title = report.procedure.replace(" by document", "").replace("approximate ", "")
            if report.p_value < ALPHA:
                yield f"documents|{title}|{k}"
            if k > 2 and report.significant:
                yield f"documents|{title}|pairs"


def _tests(subjects: str, values: list[NDArray[np.float64]], k: int) -> Iterator[str]:
    design = "between" if subjects == "boundary pairs" else "within"
    names = NAMES[:k]
    checked = as_samples(values, names, design)
    chosen, _ = choose(checked, names, ALPHA, design)
    for name, procedure in PROCEDURES.items():
        if procedure.design != design or procedure.is_for_two != (k == 2):
            continue
        if not procedure.omnibus(checked).p_value < ALPHA:
            continue
        found = [f"{subjects}|{name}"] + ([f"{subjects}|as chosen"] if name == chosen else [])
        yield from (f"{label}|{k}" for label in found)
        # Pairs are compared where the omnibus test finds a difference, as users do.
        if procedure.post_hoc and any(c.adjusted_p < ALPHA for c in procedure.post_hoc(checked, names)):
            yield from (f"{label}|pairs" for label in found)


def covered(simulation: Simulation, truth: float, n_resamples: int, seed: int) -> Iterator[str]:
    """Yield a label for every bootstrap interval, expanded and plain, that holds the true value."""
    counts = simulation.counts[:, :2]
    first, second = bootstrap_intervals(METRIC, counts, n_resamples=n_resamples, rng=seed)
    values = bootstrap_values(METRIC, counts, n_resamples=n_resamples, rng=seed)
    difference, levels = values[:, 0] - values[:, 1], expanded_levels(0.95, len(counts))
    for what, true, interval, drawn in (
        ("value", truth, first, values[:, 0]),
        ("difference", 0.0, interval_of(first.estimate - second.estimate, difference, levels), difference),
    ):
        if interval.low <= true <= interval.high:
            yield f"interval|{what}|expanded"
        low, high = np.quantile(drawn, [0.025, 0.975])
        if low <= true <= high:
            yield f"interval|{what}|plain"


@cache
def true_value(setting: int, seed: int) -> float:
    """Return the value of the error process, from many more documents than a simulation has."""
    drawn = [simulate(SETTINGS[setting], np.random.default_rng([seed, setting, 0, n])) for n in range(300)]
    similar, compared = sum(simulation.counts.sum(axis=(0, 1)) for simulation in drawn)
    return float(similar / compared)


def run_one(task: tuple[int, int], seed: int, n_resamples: int) -> list[str]:
    """Simulate once and return labels of the tests that were wrong and of the intervals that were right."""
    setting, number = task
    simulation = simulate(SETTINGS[setting], np.random.default_rng([seed, setting, number]))
    labels = [
        *called_different(simulation, n_resamples, number),
        *covered(simulation, true_value(setting, seed), n_resamples, number),
    ]
    return [f"{SETTINGS[setting].name}|{label}" for label in labels]


def measure(n_simulations: int, seed: int, n_resamples: int = 499, jobs: int = 1) -> Counter[str]:
    """Return how often each test was wrong and each interval right, by 'setting|subjects|test|segmenters'."""
    tasks = [(setting, number) for setting in range(len(SETTINGS)) for number in range(n_simulations)]
    one = partial(run_one, seed=seed, n_resamples=n_resamples)
    if jobs == 1:
        return Counter(label for task in tasks for label in one(task))
    with ProcessPoolExecutor(jobs) as pool:
        return Counter(label for labels in pool.map(one, tasks, chunksize=20) for label in labels)


# -------------------------------------------------------------------- curves of the default test

SEGMENTERS = (2, 10, 60)
DOCUMENTS = (5, 20, 100)
LEADS = (0.0, 0.5, 1.0)
"""How much better the first segmenter is; none: whatever is found is a false positive."""


@dataclass(frozen=True)
class Point:
    """A point of the curves: how many segmenters, documents, and how much better the first one is."""

    n_segmenters: int
    n_documents: int
    lead: float


POINTS = [Point(k, n, lead) for k in SEGMENTERS for n in DOCUMENTS for lead in LEADS]


def test_point(task: tuple[int, int], seed: int) -> tuple[int, bool, bool, float, bool, float]:
    """Simulate once: is any difference found, any between equals, how often the first wins, by how much."""
    at, number = task
    point = POINTS[at]
    rng = np.random.default_rng([seed, at, number])
    drawn = simulate(SETTINGS[2], rng, point.n_segmenters, point.n_documents, point.lead)
    n_pairs = math.comb(point.n_segmenters, 2)
    n_resamples = max(999, enough_resamples(n_pairs, ALPHA))
    report = randomization(METRIC, drawn.counts, n_resamples=n_resamples, alpha=ALPHA, rng=number)
    among_equals = [one for one in report.significant if point.lead == 0 or one.first != "0"]
    won = [one for one in report.significant if one.first == "0" and one.difference > 0]
    values = pooled(METRIC, drawn.counts.sum(axis=0))
    return (
        at,
        report.p_value < ALPHA,
        bool(among_equals),
        len(won) / (point.n_segmenters - 1),
        len(report.cannot_tell) == n_pairs,
        float(values[0] - values[1:].mean()),
    )


def measure_curves(
    n_simulations: int, seed: int, jobs: int = 1, points: Sequence[int] = range(len(POINTS))
) -> dict[Point, NDArray[np.float64]]:
    """Return the means of what ``test_point`` says, by point."""
    tasks = [(at, number) for at in points for number in range(n_simulations)]
    one = partial(test_point, seed=seed)
    if jobs == 1:
        found = [one(task) for task in tasks]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            found = list(pool.map(one, tasks, chunksize=5))
    rows = np.array([row[1:] for row in found], dtype=np.float64).reshape(len(points), n_simulations, -1)
    return {POINTS[at]: row for at, row in zip(points, rows.mean(axis=1), strict=True)}


def print_curves(curves: dict[Point, NDArray[np.float64]], n_simulations: int) -> None:
    """Print false positives and power by the number of segmenters and of documents."""
    margin = 1.96 * (ALPHA * (1 - ALPHA) / n_simulations) ** 0.5
    table = Table(title=f"the default test of compare, α = {ALPHA}, ± {margin:.3f} by chance at α")
    for column in ("segmenters", "documents", "lead in B", "all together", "pairs of equals", "first wins"):
        table.add_column(column, justify="right")
    for point, (together, equals, won, is_silent, lead) in curves.items():
        cells = ["cannot tell"] * 2 if is_silent == 1 else [f"{equals:.3f}", f"{won:.3f}"]
        shown = [f"{lead:.3f}" if point.lead else "none", f"{together:.3f}", *cells]
        table.add_row(str(point.n_segmenters), str(point.n_documents), *shown)
    Console(width=160).print(table)


# -------------------------------------------------------------------- what is printed

ROWS = (
    ("documents", "randomization", "randomization"),
    ("documents", "paired bootstrap", "paired bootstrap"),
    ("documents", "wilcoxon", "friedman"),
    ("documents", "paired_t", "rm_anova"),
    ("documents", "as chosen", "as chosen"),
    ("codings", "wilcoxon", "friedman"),
    ("codings", "paired_t", "rm_anova"),
    ("codings", "as chosen", "as chosen"),
    ("boundary pairs", "mann_whitney", "kruskal_wallis"),
    ("boundary pairs", "student_t", "anova"),
    ("boundary pairs", "welch_t", None),
    ("boundary pairs", "as chosen", "as chosen"),
)


def print_rates(wrong: Counter[str], n_simulations: int) -> None:
    """Print the share of simulations in which each test was wrong."""
    margin = 1.96 * (ALPHA * (1 - ALPHA) / n_simulations) ** 0.5
    table = Table(title=f"equally good segmenters called different, α = {ALPHA}, ± {margin:.3f} by chance")
    for column in ("subjects", "two", "three"):
        table.add_column(column)
    for setting in SETTINGS:
        for heading in ("two", "three", "some pair"):
            table.add_column(f"{setting.name}\n{heading}", justify="right")
    for subjects, two, three in ROWS:
        cells = []
        for setting in SETTINGS:
            for name, k in ((two, "2"), (three, "3"), (three, "pairs")):
                rate = wrong[f"{setting.name}|{subjects}|{name}|{k}"] / n_simulations
                cells.append("" if name is None else f"{rate:.3f}")
        table.add_row(subjects, two, three or "", *cells)
    Console(width=160).print(table)


def print_coverage(right: Counter[str], n_simulations: int) -> None:
    """Print the share of simulations in which each interval held the true value."""
    table = Table("interval", "of", *(setting.name for setting in SETTINGS), title="95 % bootstrap intervals")
    for kind in ("expanded", "plain"):
        for what in ("value", "difference"):
            rates = [right[f"{setting.name}|interval|{what}|{kind}"] / n_simulations for setting in SETTINGS]
            table.add_row(kind, what, *(f"{rate:.3f}" for rate in rates))
    Console(width=160).print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=499)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--curves", action="store_true", help="by number of segmenters and documents instead")
    options = parser.parse_args()
    start = time.perf_counter()
    if options.curves:
        print_curves(measure_curves(options.simulations, options.seed, options.jobs), options.simulations)
        print(f"seed {options.seed}, {time.perf_counter() - start:.0f} s")
        return
    measured = measure(options.simulations, options.seed, options.resamples, options.jobs)
    print_rates(measured, options.simulations)
    print_coverage(measured, options.simulations)
    print(
        f"{options.simulations} simulations, seed {options.seed}, {options.resamples} resamples, "
        f"{time.perf_counter() - start:.0f} s"
    )


if __name__ == "__main__":
    main()
