"""What an adjudication has to decide, in words, and what gold was made of."""

from __future__ import annotations

import math

from caesura.analyses.adjudication.results import Adjudication, Gold
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.wording import counted, whole_percent

MOST_OF_LOSS = 0.5
"""How much of the lost agreement the costliest places are to make up."""


def adjudication_notes(found: Adjudication) -> list[Note]:
    """Return how much there is to decide, where most is lost, and the recipe."""
    notes = [finding(_to_decide(found))]
    single = sum(place.coders == 1 for place in found.unanimous)
    if single:
        alone = counted(single, "place")
        notes.append(
            caveat(f"{alone} of documents with one coder: nobody checked what gold takes over there")
        )
    cost = "cost: its part of 1 − observed agreement (B over all pairs of coders)"
    notes.append(
        reading(f"{cost}; marks fewer than {found.n_t} apart are one place; gold takes over the rest")
    )
    return [*notes, recipe(found.signature)]


def _to_decide(found: Adjudication) -> str:
    n = len(found.contested)
    agreed = counted(len(found.unanimous), "place")
    if not n:
        return f"There is nothing to decide: {agreed}, and no coder differs."
    sentence = f"{counted(n, 'place')} to decide and {agreed} on which all agree"
    lost = 1 - found.observed
    if math.isnan(lost) or n == 1:
        return f"{sentence}."
    total, most = 0.0, 0
    while total < MOST_OF_LOSS * lost and most < n:
        total += found.contested[most].cost
        most += 1
    costliest = "costliest makes" if most == 1 else f"{most:,} costliest make"
    return (
        f"{sentence}; the {costliest} up {whole_percent(total / lost)} of what is lost "
        f"(observed B {found.observed:.2f})."
    )


def gold_notes(gold: Gold) -> list[Note]:
    """Return how many places were decided in which way."""
    said = ", ".join(f"{n:,} {kind}" for kind, n in gold.counts.items())
    return [
        finding(f"{counted(len(gold.records), 'place')}: {said}." if said else "There is no boundary."),
        recipe(str(gold.corpus.metadata["adjudication"])),
    ]
