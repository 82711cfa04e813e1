"""How often a segmenter that is one more coder seems to lower agreement, and how often the interval holds 0.

The coders and the segmenter come from one error process, so the drop of κ* is 0 but for chance: every p of at
most .05 is a false positive.
    python benchmarks/agreement_drops.py --simulations 1000 --seed 1
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import caesura as cs

ALPHA = 0.05


@dataclass(frozen=True)
class Design:
    """How many documents and coders."""

    name: str
    n_documents: int
    n_coders: int


DESIGNS = (
    Design("8 documents, 3 coders", 8, 3),
    Design("20 documents, 2 coders", 20, 2),
    Design("20 documents, 3 coders", 20, 3),
    Design("20 documents, 6 coders", 20, 6),
    Design("60 documents, 3 coders", 60, 3),
)


def measure(
    design: Design, n_simulations: int, seed: int, n_resamples: int = 499
) -> Iterator[tuple[bool, bool]]:
    """Yield whether a drop was found, and whether the interval holds 0, for each simulation."""
    rng, n = np.random.default_rng(seed), design.n_documents
    documents = {"n_units": 60, "mean_segment": 6, "near_miss": 0.2, "full_miss": 0.3}
    made = cs.simulate(n_simulations * n, design.n_coders + 1, **documents, rng=rng)
    segmenter = made.coders[-1]
    for rows in np.split(np.argsort(made.document, kind="stable"), n_simulations):
        (drop,) = cs.agreement_drop(made.take(rows), [segmenter], n_resamples=n_resamples, rng=rng).whole
        assert drop.interval is not None
        yield drop.p_value <= ALPHA, drop.interval.low <= 0 <= drop.interval.high


def main() -> None:
    """Print a row for each design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = Table("design", "false positives", "95 % intervals that hold 0")
    for design in DESIGNS:
        wrong, held = np.mean([*measure(design, options.simulations, options.seed)], axis=0)
        table.add_row(design.name, f"{wrong:.3f}", f"{held:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
