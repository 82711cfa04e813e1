"""Measure false positives: one more person against people, and equally good segmenters by several factors.

Coders and segmenters come from one error process; a third of the documents is easy and a third hard, or all
are equally hard. So every p of at most .05 is a false positive, of documents where they are equally hard. A
mixed model that cannot be fitted has no p and finds nothing: how many cannot, and why, is printed.
    python benchmarks/people_and_factors.py --simulations 500 --seed 1
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura.stats.factors import TIMES

ALPHA = 0.05
N_SEGMENTERS = 3
ERRORS = ((0.1, 0.15), (0.2, 0.3), (0.3, 0.45))
"""Shares of near and full misses in easy, middling and hard documents; of equally hard ones the second."""


@dataclass(frozen=True)
class Design:
    """How many documents and coders, and the factors; without any, segmenters are tested against people."""

    n_documents: int
    n_coders: int
    factors: tuple[str, ...] = ()
    is_even: bool = False
    """Whether documents are equally hard."""


FACTORS = ("segmenter", "document", "coder")

DESIGNS = (
    Design(8, 3),
    Design(20, 2),
    Design(20, 3),
    Design(20, 6),
    Design(60, 3),
    Design(20, 1, ("segmenter", "document")),
    Design(60, 1, ("segmenter", "document")),
    Design(20, 3, FACTORS),
    Design(20, 3, FACTORS, is_even=True),
    Design(8, 3, FACTORS, is_even=True),
)


def study(design: Design, rng: np.random.Generator) -> cs.Corpus:
    """Draw documents, coders and segmenters."""
    codings = {}
    for number in range(design.n_documents):
        near_miss, full_miss = ERRORS[1 if design.is_even else number % len(ERRORS)]
        made = cs.simulate(
            1,
            design.n_coders + N_SEGMENTERS,
            n_units=60,
            mean_segment=6,
            near_miss=near_miss,
            full_miss=full_miss,
            rng=rng,
        )
        codings[f"d{number}"] = made["d1"]
    return cs.Corpus.from_dict(codings)


def p_values(
    design: Design, corpus: cs.Corpus, rng: np.random.Generator
) -> Iterator[tuple[str, float | str]]:
    """Yield the name of each test with its p, or with the reason why it has none."""
    compared = cs.compare(
        corpus,
        segmenters=corpus.coders[-N_SEGMENTERS:],
        metrics=(),
        bounds=(),
        n_resamples=399,
        test=not design.factors,
        rng=int(rng.integers(2**31)),
    )
    if not design.factors:
        people = compared.test_against_people()
        assert people is not None
        yield "segmenter against people", people.contrasts[0].p_value
        yield "any segmenter against people, Holm", min(each.adjusted_p for each in people.contrasts)
        return
    tested = set(design.factors) - (set() if design.is_even else {"document"})
    for factor in tested:
        alone = compared.test("factors", factors=[factor])
        yield f"Kruskal–Wallis, {factor}", alone["rank", factor].p_value
    report = compared.test("factors", factors=design.factors, within="document")
    for test in report.tests:
        if test.procedure != "mixed" and set(test.factor.split(TIMES)) <= tested - {"document"}:
            yield f"{test.test if test.procedure == 'rank' else 'ANOVA'}, {test.factor}", test.p_value
    if "document" in tested:
        yield "ANOVA, document", report["ANOVA", "document"].p_value
    fitted = [test.reason or test.p_value for test in report.tests if test.procedure == "mixed"]
    yield "mixed model, segmenter", fitted[0] if fitted else str(report.reason)


def main() -> None:
    """Print a row for each test of each design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = Table("documents", "coders", "difficulty", "test", "false positives", "no p")
    reasons: Counter[str] = Counter()
    for design in DESIGNS:
        rng = np.random.default_rng(options.seed)
        by_test: dict[str, list[float | str]] = {}
        for _ in range(options.simulations):
            for test, value in p_values(design, study(design, rng), rng):
                by_test.setdefault(test, []).append(value)
        for test, values in sorted(by_test.items()):
            wrong = sum(value <= ALPHA for value in values if not isinstance(value, str))
            missing = [value for value in values if isinstance(value, str)]
            reasons.update(missing)
            rate = f"{wrong / options.simulations:.3f}"
            difficulty = "equal" if design.is_even else "mixed"
            table.add_row(
                str(design.n_documents), str(design.n_coders), difficulty, test, rate, str(len(missing))
            )
    Console().print(table)
    for reason, number in reasons.most_common():
        print(f"{number} without p: {reason}")


if __name__ == "__main__":
    main()
