"""Boundary similarity weighted by prominence: missing what every coder sees costs more (KS12 §7).

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from caesura.alignment.alignment import align_pair
from caesura.alignment.edits import Edit
from caesura.alignment.packed import PackedPairs
from caesura.arrays import IntArray, bincount, repeat
from caesura.kernel.places import Marks, near_places, supporters
from caesura.metrics.base import Score, Scores
from caesura.metrics.edit import EditSimilarity
from caesura.metrics.multi import References, as_references
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation, check_comparable


@dataclass(frozen=True, repr=False, kw_only=True)
class Bw(EditSimilarity):
    """Boundary similarity to the places that coders support, each weighted by its share of the coders.

    The places are those of ``prominence``: at least n_t apart, with the most support; of one coder they are
    the coder's boundaries. A boundary of the hypothesis without a place weighs 1. Types are left aside.
    """

    name = "Bw"
    title = "boundary similarity weighted by prominence"
    meaning = "boundary similarity in which a boundary weighs as many of the coders as see it"
    formula = "Σ w · correctness / Σ w"
    citation = "Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance"
    biases = ("A spurious boundary weighs as much as one that all coders see, however many of them see few.",)
    symmetric = False
    multi_reference = True

    def counts(
        self, reference: Segmentation | Sequence[Segmentation], hypothesis: Segmentation
    ) -> tuple[tuple[int, ...], int]:
        """Align the places of all references with the hypothesis."""
        references = (reference,) if isinstance(reference, Segmentation) else reference
        for each in references:
            check_comparable(each, hypothesis)
        places = self.places(references)
        target = Segmentation.over(hypothesis.n_units, np.array(sorted(places), dtype=np.int64))
        alignment = align_pair(target, hypothesis.without_types(), self.method, self.weights)
        paired: list[tuple[int, Edit | None]] = [(match.position, None) for match in alignment.matches]
        paired += [(near.reference_position, near) for near in alignment.transpositions]
        n = len(references)
        similar = sum(
            (places[position] * (1 - (alignment.weight(edit) if edit else 0)) for position, edit in paired),
            Fraction(0),
        )
        compared = sum(places[position] for position, _ in paired)
        compared += sum(places[missed.position] for missed in alignment.missed) + n * len(alignment.spurious)
        scale = int(self.weights.of_distance(1)[1])  # of every near miss
        return (int(similar * scale), compared * scale), n * scale

    def places(self, references: Sequence[Segmentation]) -> dict[int, int]:
        """Return the places that the references support, and by how many."""
        if len(references) == 1:  # whose boundaries may be nearer than n_t
            return dict.fromkeys(references[0].positions, 1)
        positions = [each.position_array for each in references]
        coder = repeat(np.arange(len(references)), list(map(len, positions)))
        together = np.concatenate(positions)
        marks, _ = Marks.in_order(np.zeros_like(together), together, coder)
        n_coders = np.array([len(references)])
        n_units = np.array([references[0].n_units])
        places = near_places(marks, n_coders, n_units, self.n_t, Fraction(0), strict=True)
        support = bincount(supporters(marks, places, self.n_t).place, minlength=len(places.position))
        return dict(zip(places.position.tolist(), support.tolist(), strict=True))

    def __call__(self, reference: References, hypothesis: SegmentationLike) -> Score:
        self.check_units()
        counts, scale = self.counts(as_references(reference), as_segmentation(hypothesis))
        return Score(self, counts, scale)

    def batch(self, references: Sequence[References], hypotheses: Sequence[SegmentationLike]) -> Scores:
        """Score many hypotheses, each against its own reference or references."""
        scores = [self(several, each) for several, each in zip(references, hypotheses, strict=True)]
        return Scores.from_rows(self, [(tuple(map(int, score.counts)), score.scale) for score in scores])

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare all pairs, each with one reference."""
        return self.over_runs(pairs, np.arange(len(pairs) + 1, dtype=np.int64))

    def over_runs(
        self, pairs: PackedPairs, runs: IntArray, name_of: Callable[[int], str] | None = None
    ) -> Scores:
        """Score many hypotheses, each against its run of references."""
        each = list(pairs)
        return Scores.from_rows(
            self,
            [
                self.counts([reference for reference, _ in each[start:end]], each[start][1])
                for start, end in pairwise(runs.tolist())
            ],
        )
