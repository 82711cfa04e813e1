"""How often two equally good codings are said to agree differently, and how often the interval holds 0.

Coders of both versions come from one error process, so every difference that is found is a false positive,
and 0 is the true difference. Documents are in both versions (paired), in one of them (unpaired), or some of
each; versions may differ in numbers of documents and coders.

    python benchmarks/agreement_differences.py --simulations 1000 --seed 1
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
    """Documents of both versions, of the first and of the second alone; coders of each."""

    name: str
    n_shared: int
    n_first: int
    n_second: int
    first_coders: int
    second_coders: int


DESIGNS = (
    Design("paired, 8 documents", 8, 0, 0, 3, 3),
    Design("paired, 20 documents", 20, 0, 0, 3, 3),
    Design("paired, 20 documents, 2 and 5 coders", 20, 0, 0, 2, 5),
    Design("unpaired, 20 and 20 documents", 0, 20, 20, 3, 3),
    Design("unpaired, 40 documents of 5 coders and 10 of 2", 0, 40, 10, 5, 2),
    Design("unpaired, 10 documents of 5 coders and 40 of 2", 0, 10, 40, 5, 2),
    Design("10 paired, 10 and 20 unpaired", 10, 10, 20, 3, 4),
)


def simulate(
    design: Design, n_simulations: int, rng: np.random.Generator
) -> Iterator[tuple[cs.Corpus, cs.Corpus]]:
    """Draw documents, and coders of both versions who find their boundaries equally well."""
    n = design.n_shared + design.n_first + design.n_second
    n_coders = design.first_coders + design.second_coders
    documents = {"n_units": 60, "mean_segment": 6, "near_miss": 0.2, "full_miss": 0.3}
    made = cs.simulate(n_simulations * n, n_coders, **documents, rng=rng)
    is_first, number = made.coder < design.first_coders, made.document % n
    ends = design.n_shared, design.n_shared + design.n_first
    in_first, in_second = number < ends[1], (number < ends[0]) | (number >= ends[1])
    sides = [np.flatnonzero(is_first & in_first), np.flatnonzero(~is_first & in_second)]
    for first, second in zip(*(np.split(rows, n_simulations) for rows in sides), strict=True):
        yield made.take(first), made.take(second)


def measure(
    design: Design, n_simulations: int, seed: int, n_resamples: int = 499
) -> Iterator[tuple[bool, bool]]:
    """Yield whether a difference was found, and whether the interval holds 0, for each simulation."""
    rng = np.random.default_rng(seed)
    for versions in simulate(design, n_simulations, rng):
        found = cs.compare_agreement(*versions, n_resamples=n_resamples, rng=rng)
        assert found.interval is not None
        yield found.p_value <= ALPHA, found.interval.low <= 0 <= found.interval.high


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
