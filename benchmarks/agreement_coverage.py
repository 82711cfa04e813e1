"""How often the 95 % interval of agreement holds the true value, where not everyone has coded everything.

Studies draw documents from a large population of unequal ones, short and long, easy and hard, each coded by
five coders, of whose codings a design leaves some. The true value is that of the whole population, coded by
the same design.

    python benchmarks/agreement_coverage.py --studies 600 --seed 1
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import caesura as cs

Coefficient = Literal["pi", "kappa"]

N_CODERS = 5
UNITS = (30, 60, 100, 150)
FULL_MISS = (0.1, 0.3, 0.5)
DOCUMENTS_OF_A_KIND = 500

Keep = Callable[[np.random.Generator, int], NDArray[np.bool_]]
"""Which of the coders code each of so many documents."""


def turns(rng: np.random.Generator, n: int) -> NDArray[np.bool_]:
    """Two coders who take turns, pair after pair of the five."""
    pairs = np.stack(np.triu_indices(N_CODERS, 1), axis=1)
    keep = np.zeros((n, N_CODERS), dtype=bool)
    np.put_along_axis(keep, pairs[np.arange(n) % len(pairs)], True, axis=1)
    return keep


def some(rng: np.random.Generator, n: int) -> NDArray[np.bool_]:
    """Return one to five coders, drawn from all."""
    order = rng.permuted(np.tile(np.arange(N_CODERS), (n, 1)), axis=1)
    return np.asarray(order < rng.integers(1, N_CODERS + 1, n)[:, np.newaxis])


def lapses(rng: np.random.Generator, n: int) -> NDArray[np.bool_]:
    """All five, but for a tenth of one coder's work."""
    keep = np.ones((n, N_CODERS), dtype=bool)
    keep[:, 0] = rng.random(n) >= 0.1
    return keep


DESIGNS: dict[str, Keep] = {"pairs in turn": turns, "one to five": some, "a tenth of one missing": lapses}


def population(seed: int) -> cs.Corpus:
    """Return documents of all lengths and difficulties, in disorder."""
    rng = np.random.default_rng(seed)
    kinds = []
    for number, (n_units, full_miss) in enumerate(product(UNITS, FULL_MISS)):
        kind = cs.simulate(
            DOCUMENTS_OF_A_KIND,
            N_CODERS,
            n_units=n_units,
            mean_segment=6,
            near_miss=0.2,
            full_miss=full_miss,
            rng=rng,
        )
        kinds.append(kind.rename(documents={name: f"{number} {name}" for name in kind.documents}))
    return cs.Corpus.merge(*kinds)


def study(everything: cs.Corpus, documents: NDArray[np.int64], keep: NDArray[np.bool_]) -> cs.Corpus:
    """Return what is left of the codings of these documents, which have all coders in their order."""
    rows = documents[:, np.newaxis] * N_CODERS + np.arange(N_CODERS)
    return everything.take(rows[keep])


def coverage(
    everything: cs.Corpus, design: Keep, coefficient: Coefficient, n: int, n_studies: int, seed: int
) -> float:
    """Return the share of studies of n documents whose interval holds the value of the population."""
    rng = np.random.default_rng(seed)
    n_all = len(everything.documents)
    whole = study(everything, np.arange(n_all), design(rng, n_all))
    truth = cs.agreement(whole, coefficient=coefficient, n_resamples=0).value
    held = 0
    for _ in range(n_studies):
        drawn = study(everything, rng.choice(n_all, n, replace=False), design(rng, n))
        found = cs.agreement(drawn, coefficient=coefficient, n_resamples=499, rng=rng)
        low, high = found.interval
        held += low <= truth <= high
    return held / n_studies


def main() -> None:
    """Print a row for each design and number of documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--studies", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    everything = population(options.seed)
    table = Table("codings", "documents", "π*", "κ*")
    for name, design in DESIGNS.items():
        for n in (10, 20, 60):
            shares = [
                coverage(everything, design, coefficient, n, options.studies, options.seed)
                for coefficient in get_args(Coefficient)
            ]
            table.add_row(name, str(n), *(f"{share:.3f}" for share in shares))
    Console().print(table)


if __name__ == "__main__":
    main()
