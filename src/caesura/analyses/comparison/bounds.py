"""Bounds of performance: what a segmenter without any skill reaches, and what people reach.

Lower bounds are segmenters: random with the coders' boundary density, no boundaries, all boundaries, and as
many boundaries as the coders place, evenly spread. Upper bounds are coders: the most central one, and each
coder left out and compared with the rest (Fournier 2013, thesis, §4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from caesura.checks import Seed
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric, Score
from caesura.simulation import sample_positions
from caesura.values.corpus import Corpus
from caesura.values.segmentation import MAX_DENSE_UNITS, Segmentation


def density(corpus: Corpus, document: str) -> Fraction:
    """Return the boundaries per potential boundary of a document's coders; 0 for a document of one unit."""
    coded = corpus[document].values()
    positions = sum(segmentation.n_units - 1 for segmentation in coded)
    marked = sum(len(segmentation.position_array) for segmentation in coded)
    return Fraction(marked, positions) if positions else Fraction(0)


def random_segmenter(corpus: Corpus, *, name: str = "random", rng: Seed = None) -> Corpus:
    """Return one draw of a segmenter that marks each position with the density of the document's coders.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [5, 6]}})
    >>> random_segmenter(corpus, rng=1)["d", "random"].n_units
    11
    """
    generator = np.random.default_rng(rng)
    return _segment(corpus, name, lambda document, n_units: _draw(corpus, document, n_units, generator))


def _draw(corpus: Corpus, document: str, n_units: int, generator: np.random.Generator) -> Segmentation:
    n_positions = n_units - 1
    n_boundaries = int(generator.binomial(n_positions, float(density(corpus, document))))
    return Segmentation.from_positions(
        sample_positions(n_positions, n_boundaries, generator).tolist(), n_units
    )


def no_boundaries(corpus: Corpus, *, name: str = "none") -> Corpus:
    """Return the segmenter that marks nothing."""
    return _segment(corpus, name, lambda _, n_units: Segmentation.from_masses([n_units]))


def all_boundaries(corpus: Corpus, *, name: str = "all") -> Corpus:
    """Return the segmenter that marks every position."""
    return _segment(corpus, name, _every_position)


def _every_position(document: str, n_units: int) -> Segmentation:
    if n_units > MAX_DENSE_UNITS:
        raise ParameterError(f"document {document}: {n_units} units are too many to mark every position")
    return Segmentation.from_positions(range(1, n_units), n_units)


def uniform(corpus: Corpus, *, name: str = "uniform") -> Corpus:
    """Return the segmenter that spreads the coders' mean number of boundaries evenly.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 7], "bob": [5, 1, 6]}})
    >>> uniform(corpus)["d", "uniform"].masses
    (4, 4, 4)
    """

    def spread(document: str, n_units: int) -> Segmentation:
        n_segments = round(density(corpus, document) * (n_units - 1)) + 1
        # In whole numbers: the i-th boundary is i × n_units / n_segments, rounded.
        ends = [(2 * i * n_units + n_segments) // (2 * n_segments) for i in range(1, n_segments)]
        return Segmentation.from_positions(ends, n_units)

    return _segment(corpus, name, spread)


def _segment(corpus: Corpus, name: str, segment: Callable[[str, int], Segmentation]) -> Corpus:
    return Corpus(
        {document: {name: segment(document, corpus.n_units(document))} for document in corpus.documents}
    )


LOWER_BOUNDS: dict[str, Callable[..., Corpus]] = {
    "random": random_segmenter,
    "none": no_boundaries,
    "all": all_boundaries,
    "uniform": uniform,
}
"""Every lower bound by name."""


def lower_bound(corpus: Corpus, kind: str, *, rng: Seed = None) -> Corpus:
    """Return the lower bound of this name for the documents and coders of a corpus."""
    if kind not in LOWER_BOUNDS:
        raise UnknownNameError(f"there is no bound {kind!r}; {did_you_mean(kind, LOWER_BOUNDS)}")
    return random_segmenter(corpus, rng=rng) if kind == "random" else LOWER_BOUNDS[kind](corpus)


# -------------------------------------------------------------------- upper bounds


def coder_scores(corpus: Corpus, metric: Metric) -> dict[str, Score]:
    """Return the pooled score of each coder against all others on the documents that they share.

    >>> from caesura import metric
    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [11]}})
    >>> {coder: round(float(score), 2) for coder, score in coder_scores(corpus, metric("B")).items()}
    {'ann': 0.25, 'bob': 0.33, 'cy': 0.0}
    """
    pairs = corpus.pairs()
    if not pairs:
        raise CorpusError("no document has two coders: there is no human upper bound")
    scores: dict[str, Score] = {}
    # Reference first: a metric that is not symmetric sees each coder as the hypothesis.
    for coder in corpus.coders:
        own = [pair for pair in pairs if coder in (pair.first, pair.second)]
        if own:
            others = [pair.second if coder == pair.first else pair.first for pair in own]
            references = [corpus[pair.document, other] for pair, other in zip(own, others, strict=True)]
            hypotheses = [corpus[pair.document, coder] for pair in own]
            scores[coder] = metric.batch(references, hypotheses).micro
    return scores


def central_coder(corpus: Corpus, metric: Metric) -> str:
    """Return the coder with the best pooled score against the others; the first of equals."""
    scores = coder_scores(corpus, metric)
    return min(scores, key=lambda coder: distance_from_best(metric, float(scores[coder])))


def distance_from_best(metric: Metric, value: float) -> float:
    """Return how far a value is from a perfect one; less is better whatever the metric's direction."""
    return abs(value - metric.best)


def ranked(metric: Metric, values: Sequence[float]) -> list[int]:
    """Return the indices of values from the best to the worst."""
    return sorted(range(len(values)), key=lambda index: distance_from_best(metric, values[index]))
