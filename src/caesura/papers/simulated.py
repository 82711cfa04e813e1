"""What is recomputed by simulation or on Choi's documents: PH02 tables 1 to 3, and C10 figure 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from caesura.io.reading import read
from caesura.metrics.hierarchical import HierarchicalError, hierarchical_pk, hierarchical_window_diff
from caesura.metrics.window import WD, Edges, Pk, PkPrime
from caesura.papers.facts import Fact
from caesura.segmenters.registry import segmenter
from caesura.simulation import segment_sizes, with_errors
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

SEED = 2002
N_REFERENCES = 10
N_HYPOTHESES = 10
"""PH02 took 100 for each reference; ten give a mean that is stable well below the tolerance."""


def pevzner_hearst(fact: Fact) -> tuple[float, ...]:
    """Return mean Pk, Pk′ and WD of hypotheses with one kind of error (PH02 §5)."""
    low, high = map(int, fact.input["sizes"].split("-"))
    generator = np.random.default_rng(SEED)
    references: list[Segmentation] = []
    hypotheses: list[Segmentation] = []
    for _ in range(N_REFERENCES):
        reference = segment_sizes(fact.input["segments"], low=low, high=high, rng=generator)
        references += [reference] * N_HYPOTHESES
        kind, p = fact.input["simulate"], fact.input["p"]
        hypotheses += [with_errors(reference, kind, p, rng=generator) for _ in range(N_HYPOTHESES)]
    metrics = (Pk(**fact.config), PkPrime(**fact.config), WD(**fact.config))
    return tuple(float(metric.batch(references, hypotheses).values.mean()) for metric in metrics)


BASELINES: dict[str, Callable[[int], Hierarchy]] = {
    "NONE": lambda n_units: Hierarchy.from_ranks({}, n_units),
    "BIN": lambda n_units: bisected(n_units),
}

SEGMENTED = ("HC99",)
"""Hypotheses that are segmenters of ours: they read the texts."""

TEXTS = "ref"
"""Where the texts are, beside the file of word counts."""

ERRORS: dict[str, Callable[..., HierarchicalError]] = {
    "E_Pk": hierarchical_pk,
    "E_WD": hierarchical_window_diff,
}

MEAN_ERRORS = {f"mean {error} in percent": error for error in ERRORS}
"""Quantities of facts and the errors that they average."""


def carroll(fact: Fact, path: Path) -> float:
    """Return the mean word error of a hypothesis over Choi's documents, in per cent (C10 figure 2)."""
    error, hypothesis = MEAN_ERRORS[fact.quantity], fact.input["hypothesis"]
    return 100 * fmean(word_errors(path, error, hypothesis, fact.config["edges"]))


@lru_cache(maxsize=16)
def word_errors(path: Path, error: str, hypothesis: str, edges: Edges) -> tuple[float, ...]:
    """Return the error of a hypothesis for each of Choi's documents; windows run over words."""
    values = []
    for segments, found in zip(choi_documents(path), hypotheses(path, hypothesis), strict=True):
        words = [count for segment in segments for count in segment]
        reference = Segmentation.from_masses([len(segment) for segment in segments])
        one = ERRORS[error](reference, found, edges=edges, rounding="half-up", unit_sizes=words)
        values.append(one.value)
    return tuple(values)


@lru_cache(maxsize=4)
def hypotheses(path: Path, name: str) -> list[Hierarchy]:
    """Return what a baseline or a segmenter makes of each of Choi's documents."""
    if name in BASELINES:
        return [BASELINES[name](sum(map(len, segments))) for segments in choi_documents(path)]
    rank = segmenter(name).hierarchy
    return [rank(_texts(path.parent / TEXTS / document)) for document in _word_counts(path)]


def choi_documents(path: Path) -> list[Any]:
    """Return the words of each sentence of each segment of each document."""
    return list(_word_counts(path).values())


@lru_cache(maxsize=1)
def _word_counts(path: Path) -> dict[str, Any]:
    counts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return counts


def _texts(path: Path) -> tuple[str, ...]:
    corpus = read(path, "choi")
    return corpus.units[corpus.documents[0]]


def bisected(n_units: int) -> Hierarchy:
    """Return C10's BIN: every segment is cut in the middle, and the depth of a cut is its rank.

    >>> bisected(8).ranks
    (3, 2, 3, 1, 3, 2, 3)
    """
    ranks: dict[int, int] = {}
    segments = [(0, n_units, 1)]
    while segments:
        start, end, depth = segments.pop()
        middle = (start + end + 1) // 2
        if start < middle < end:
            ranks[middle] = depth
            segments += [(start, middle, depth + 1), (middle, end, depth + 1)]
    return Hierarchy.from_ranks(ranks, n_units)
