"""Recompute the figures of papers; ``figures.json`` lists them with their printed numbers.

Each function takes the papers' data, a seed and the settings of its entry, and returns ``Points``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import permutations, product
from statistics import fmean, pstdev
from typing import Any

import numpy as np

from caesura.analyses.coder_agreement import agreement
from caesura.analyses.description.analysis import Description, describe
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, Ba, Bc, S
from caesura.metrics.window import WD, Edges, window_size
from caesura.papers.recompute import (
    BASELINES,
    CHOI,
    MOONSTONE,
    SEGMENTED,
    STARGAZERS,
    Data,
    choi_documents,
    corpus_of,
    mean_interval,
    packaged,
    published_pi,
    simulated_pairs,
    word_errors,
)
from caesura.papers.results import Curve, Figure, Points, box_plots
from caesura.simulation import ErrorKind, pseudo_coders, segment_sizes
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.version import __version__

# -------------------------------------------------------------------- F13t §5.1: comparison methods


def methods(n_t: int, n_t_of_s: int | None = None) -> dict[str, Metric]:
    """Return the similarities of §5.1; only B scales near misses there (§5.1.1.7)."""
    constant: Any = {"transposition": "constant"}
    others = {"Ba": Ba(n_t=n_t, **constant), "B": B(n_t=n_t), "Bc": Bc(n_t=n_t, **constant)}
    return {"S": S(n_t=n_t_of_s or n_t, **constant), **others}


def compare_all(
    x: Sequence[int],
    references: Sequence[Segmentation],
    hypotheses: Sequence[Segmentation],
    similarities: dict[str, Metric],
) -> list[Curve]:
    """Return a curve for each similarity, and one for 1-WD with k from the reference."""
    values = {name: metric.batch(references, hypotheses).values for name, metric in similarities.items()}
    values["1-WD"] = 1 - WD().batch(references, hypotheses).values
    return [Curve(name, x, own.tolist()) for name, own in values.items()]


def signature_of(n_t: int, rest: str) -> str:
    """Return the signature of a figure with all methods."""
    return f"S Ba B Bc 1-WD|n_t={n_t}|T=constant, of B scaled|{rest}|caesura {__version__}"


def full_misses(n_units: int, pattern: str) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return the references R and the segmentations s_i, i = 1 ... n_units - 1, of pattern A or B.

    A: s_i has its boundaries at the first i positions, R at the first. B: s_i has i boundaries between
    segments of equal size (they differ by at most one unit), and R has the one nearest the middle.

    >>> references, hypotheses = full_misses(11, "B")
    >>> references[2].positions, hypotheses[2].positions
    ((5,), (2, 5, 8))
    """
    references, hypotheses = [], []
    for i in range(1, n_units):
        if pattern == "A":
            positions = list(range(1, i + 1))
            matched = 1
        else:
            positions = [j * n_units // (i + 1) for j in range(1, i + 1)]
            matched = min(positions, key=lambda position: abs(2 * position - n_units))
        references.append(Segmentation.from_positions([matched], n_units))
        hypotheses.append(Segmentation.from_positions(positions, n_units))
    return references, hypotheses


def drawn_full_misses(data: Data, seed: int, *, pattern: str) -> Points:
    """Return the boundaries in documents of eleven units, as drawn."""
    curves = []
    for label, segmentations in zip(("R", "s_i"), full_misses(11, pattern), strict=True):
        points = [(p, i) for i, s in enumerate(segmentations, start=1) for p in s.positions]
        curves.append(Curve(label, *zip(*points, strict=True)))
    return Points(curves)


def similarity_by_full_misses(data: Data, seed: int, *, pattern: str) -> Points:
    """Return each method's value for 0 to 98 full misses beside one match."""
    curves = compare_all(range(1, 100), *full_misses(100, pattern), methods(2))
    zero = next(i for i, value in zip(curves[-1].x, curves[-1].y, strict=True) if value == 0)
    return Points(curves, signature_of(2, "k=reference"), {"zero": zero})


def similarity_by_distance(data: Data, seed: int, *, n_t: int, n_t_of_s: int) -> Points:
    """Return each method's value for a boundary that is 0 to 10 units off."""
    distances = range(11)
    reference = Segmentation.from_positions([2], 25)
    hypotheses = [Segmentation.from_positions([2 + distance], 25) for distance in distances]
    curves = compare_all(distances, [reference] * len(hypotheses), hypotheses, methods(n_t, n_t_of_s))
    return Points(curves, signature_of(n_t, f"n_t of S={n_t_of_s}|k=reference"))


SIZES = range(4, 101)


def drawn_sizes(data: Data, seed: int) -> Points:
    """Return the two boundaries in documents of 4 to 100 units, as drawn."""
    parts = {"match": 4, "full miss": 2}.items()
    return Points([Curve(label, [n // part for n in SIZES], SIZES) for label, part in parts])


def similarity_by_size(data: Data, seed: int) -> Points:
    """Return each method's value for one match and one full miss in documents of 4 to 100 units."""
    match = [Segmentation.from_positions([size // 4], size) for size in SIZES]
    both = [Segmentation.from_positions([size // 4, size // 2], size) for size in SIZES]
    wd = WD(rounding="floor")
    curves = compare_all(SIZES, both, match, methods(2))[:-1]
    for name, references, hypotheses in (("R has both", both, match), ("R has one", match, both)):
        similar = 1 - wd.batch(references, hypotheses).values
        share = [window_size(r, rounding="floor") / r.n_units for r in references]
        curves += [Curve(f"1-WD, {name}", SIZES, similar.tolist()), Curve(f"k/m, {name}", SIZES, share)]
    return Points(curves, signature_of(2, "k=reference, floor"))


def points_of_methods(data: Data, seed: int, *, grades: dict[str, list[int]]) -> Points:
    """Return each method's sum of grades in the discussions of the experiments."""
    points = Curve("points", [*grades], [*map(sum, grades.values())])
    return Points([points], f"sum of grades|caesura {__version__}")


SCENARIOS: dict[str, ErrorKind] = {"FP": "FP1", "FN": "FN", "FP & FN": "FNP1"}
SIZE_RANGES = ("20-30", "15-35", "10-40", "5-45")


def similarity_by_size_range(data: Data, seed: int, *, name: str) -> Points:
    """Return box plots of a method's values by kind of error and range of segment sizes."""
    metric = (methods(2) | {"1-WD": WD()})[name]
    boxes = {}
    for (label, kind), sizes in product(SCENARIOS.items(), SIZE_RANGES):
        values = metric.batch(*simulated_pairs(kind, 0.5, sizes, seed)).values
        boxes[f"{label} {sizes}"] = (1 - values if name == "1-WD" else values).tolist()
    return Points(box_plots(boxes), f"{metric.settings}|p=0.5|caesura {__version__}")


# -------------------------------------------------------------------- F13t §5.2.1: edits, and rates of coders

CORPORA = {"Stargazers": STARGAZERS, "Moonstone": MOONSTONE}


@lru_cache(maxsize=4)
def described(data: Data, corpus: str) -> Description:
    """Return the description of a corpus, with n_t from 2 to 15."""
    return describe(data.corpus(CORPORA[corpus]))


def edits_by_n_t(data: Data, seed: int, *, corpus: str, table: str) -> Points:
    """Return the edits between every two coders for n_t from 2 to 15; the table prints those for 2."""
    description = described(data, corpus)
    n_ts = [edits.n_t for edits in description.sweep]
    curves = [
        Curve(label, n_ts, [getattr(edits, name) for edits in description.sweep])
        for label, name in (("AD", "additions"), ("T", "transpositions"), ("edits", "edits"))
    ]
    return Points(curves, description.signature, {"pairs": description.pairs})


def spans_of_near_misses(data: Data, seed: int, *, corpus: str) -> Points:
    """Return the number of transpositions at n_t = 15 that span 2, 3, ... 15 positions, both ends counted."""
    description = described(data, corpus)
    signature = description.signature.replace("n_t=2", "n_t=15")
    curve = Curve("T", [distance + 1 for distance in description.spans], [*description.spans.values()])
    return Points([curve], signature, {"pairs": description.pairs})


def boundaries_of_coders(data: Data, seed: int, *, corpus: str, per_position: bool) -> Points:
    """Return each coder's boundaries, or boundaries per potential boundary, and their mean with SD."""
    description = described(data, corpus)
    rates, mean_sd = description.coder_rates, description.boundaries_per_coder
    if per_position:
        mean_sd = description.boundaries_per_position_per_coder
    values = [rate.rate if per_position else rate.boundaries for rate in rates]
    coders = Curve("coders", [rate.coder for rate in rates], values)
    curves = [coders, _mean_and_sd(mean_sd.mean, mean_sd.sd)]
    return Points(curves, description.signature, {"n": mean_sd.n})


def _mean_and_sd(mean: float, sd: float) -> Curve:
    return Curve("mean and SD", ("all",), (mean,), (mean - sd,), (mean + sd,))


def sizes_of_segments(data: Data, seed: int, *, corpus: str, unit: str = "paragraphs") -> Points:
    """Return the number of segments of each size; sizes in sentences are divided by their mean.

    "Choi" has the documents of Choi (2000), "artificial" the references of F13t §5.2.2.
    """
    if corpus == "Choi":
        sizes = [len(own) for segments in choi_documents(data.path(CHOI)) for own in segments]
    elif corpus == "artificial":
        generator = np.random.default_rng(seed)
        sizes = [size for _ in range(STUDY["n_sets"]) for size in _reference(generator).masses]
    else:
        sizes = [size for _, _, coding in data.corpus(CORPORA[corpus]) for size in coding.masses]
    numbers, mean = dict(sorted(Counter(sizes).items())), fmean(sizes)
    x = [size / mean for size in numbers] if unit == "sentences" else [*numbers]
    facts = {"n": len(sizes), "least": min(sizes), "greatest": max(sizes), "mean": mean}
    curve = Curve("segments", x, [*numbers.values()])
    return Points([curve], f"segment sizes|unit={unit}|caesura {__version__}", facts)


def sizes_of_documents(data: Data, seed: int) -> Points:
    """Return the potential boundaries of each chapter, and their mean with SD."""
    corpus = data.corpus(MOONSTONE)
    sizes = [corpus.n_units(chapter) - 1 for chapter in chapters(corpus)]
    curves = [Curve("chapters", chapters(corpus), sizes), _mean_and_sd(fmean(sizes), pstdev(sizes))]
    return Points(curves, f"potential boundaries|SD=population|caesura {__version__}")


def chapters(corpus: Corpus) -> tuple[str, ...]:
    """Return the names of the chapters by their numbers."""
    return tuple(sorted(corpus.documents, key=lambda name: int(name.removeprefix("ch"))))


def similarity_of_coders(data: Data, seed: int, *, corpus: str) -> Points:
    """Return box plots of S, 1-WD and B of every two codings of a document; 1-WD of both directions."""
    coded = data.corpus(CORPORA[corpus])
    pairs = [pair for document in coded.documents for pair in permutations(coded[document].values(), 2)]
    sides = [*zip(*pairs, strict=True)]
    values = {name: metric.batch(*sides).values for name, metric in METRICS.items()}
    values["1-WD"] = 1 - WD().batch(*sides).values
    return Points(box_plots(values), f"S B 1-WD|n_t=2|k=reference|caesura {__version__}", {"n": len(pairs)})


def coefficients_of_groups(data: Data, seed: int, *, corpus: str, groups: dict[str, str]) -> Points:
    """Return π* and κ* by S and by B of each group, as published."""
    parts = {label: corpus_of(data, {"file": CORPORA[corpus], "group": own}) for label, own in groups.items()}
    results = {
        (name, label): agreement(part, metric=metric, chance="published", n_resamples=0)
        for name, metric in METRICS.items()
        for label, part in (parts or {"all": data.corpus(CORPORA[corpus])}).items()
    }
    labels = [*dict.fromkeys(label for _, label in results)]
    curves = [
        Curve(f"{symbol} of {name}", labels, [getattr(results[name, label], which) for label in labels])
        for (symbol, which), name in product((("κ*", "kappa"), ("π*", "pi")), METRICS)
    ]
    return Points(curves, f"S and B|n_t=2|transposition=scaled|chance=published|caesura {__version__}")


def similarity_of_coder_and_chapter(data: Data, seed: int) -> Points:
    """Return a curve for each coder: mean B against the other coders of each chapter."""
    corpus = data.corpus(MOONSTONE)
    curves = []
    for coder in corpus.coders:
        means = {}
        for chapter in chapters(corpus):
            codings = corpus[chapter].items() if coder in corpus[chapter] else ()
            if peers := [coding for name, coding in codings if name != coder]:
                values = METRICS["B"].batch([corpus[chapter, coder]] * len(peers), peers).values
                means[chapter] = float(values.mean())
        curves.append(Curve(coder, [*means], [*means.values()]))
    return Points(curves, f"{METRICS['B'].settings}|average=macro|caesura {__version__}")


# -------------------------------------------------------------------- F13t §5.2.2: artificial coders

STUDY: dict[str, Any] = {"n_units": 1077, "mean_segment": 5.8148, "n_sets": 10, "n_coders": 10, "n_made": 9}
"""References, and the coders generated from each of them."""

PROBABILITIES = tuple(i / 10 for i in range(9))
"""The axis of F13 figure 9, which shows figure 5.27, goes from 0.0 to 0.8."""

METRICS: dict[str, Metric] = {"S": S(), "B": B()}

Sets = list[list[Segmentation]]


@lru_cache(maxsize=4)
def sets_of_coders(near_miss: float | None, full_miss: float | None, seed: int) -> list[Sets]:
    """Return ten sets of a reference and nine coders for each probability; None marks the rate that varies.

    All probabilities share their references, so that curves differ by the errors alone.
    """
    generator = np.random.default_rng(seed)
    references = [_reference(generator) for _ in range(STUDY["n_sets"])]
    sets = []
    for p in PROBABILITIES:
        near, full = (p if rate is None else rate for rate in (near_miss, full_miss))
        coders = partial(pseudo_coders, near_miss=near, full_miss=full, rng=generator)
        sets.append([[right, *coders(right, STUDY["n_made"])] for right in references])
    return sets


def _reference(generator: np.random.Generator, mean: float = STUDY["mean_segment"]) -> Segmentation:
    return segment_sizes(n_units=STUDY["n_units"], mean=mean, distribution="exponential", rng=generator)


def mean_pi(sets: Sets, n_coders: int, metric: Metric) -> float:
    """Return π* of the first coders of each set, averaged over the sets."""
    values = []
    for coded in sets:
        corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate(coded[:n_coders])}})
        values.append(published_pi(corpus, metric))
    return fmean(values)


def agreement_by_errors(
    data: Data, seed: int, *, name: str, near_miss: float | None, full_miss: float | None
) -> Points:
    """Return π* by the probability of an error, a curve for each number of coders."""
    metric = METRICS[name]
    by_probability = sets_of_coders(near_miss, full_miss, seed)
    curves = [
        Curve(f"{n} coders", PROBABILITIES, [mean_pi(sets, n, metric) for sets in by_probability])
        for n in range(2, STUDY["n_coders"] + 1)
    ]
    fixed = f"P(full miss) = {full_miss:g}" if near_miss is None else f"P(near miss) = {near_miss:g}"
    return Points(curves, _simulated(metric.settings, seed), {**STUDY, "fixed": fixed})


def agreement_of_random_coders(data: Data, seed: int, *, mean_size: float) -> Points:
    """Return π* of coders generated like the references, by the number of coders."""
    generator, n_sets, n_coders = np.random.default_rng(seed), STUDY["n_sets"], STUDY["n_coders"]
    sets = [[_reference(generator, mean_size) for _ in range(n_coders)] for _ in range(n_sets)]
    numbers = range(2, n_coders + 1)
    curves = [Curve(name, numbers, [mean_pi(sets, n, own) for n in numbers]) for name, own in METRICS.items()]
    return Points(curves, _simulated("S and B|n_t=2|transposition=scaled", seed), STUDY)


def _simulated(settings: str, seed: int) -> str:
    more = f"coefficient=pi|chance=published|sets={STUDY['n_sets']}|seed={seed}"
    return f"{settings}|{more}|caesura {__version__}"


# -------------------------------------------------------------------- KS12: segments, chapter 1, support


def segments_by_document(data: Data, seed: int) -> Points:
    """Return box plots of the number of segments of each chapter."""
    corpus = data.corpus(MOONSTONE)
    boxes = {name: [own.n_segments for own in corpus[name].values()] for name in chapters(corpus)}
    return Points(box_plots(boxes), f"segments per coding|quantiles=linear|caesura {__version__}")


def drawn_annotators(data: Data, seed: int) -> Points:
    """Return the boundaries of each annotator of chapter 1."""
    coded = data.corpus(MOONSTONE)["ch1"]
    curves = [
        Curve(f"annotator {number}", coding.positions, (number,) * coding.n_boundaries)
        for number, coding in enumerate(coded.values(), start=1)
    ]
    return Points(curves, facts={"annotators": ", ".join(coded), "k": window_size(*coded.values())})


def support_by_tolerance(data: Data, seed: int) -> Points:
    """Return box plots of the share of annotators who support a marked boundary, by tolerance."""
    description = described(data, "Moonstone")
    shares = description.prominence
    boxes = {share.tolerance: share[2:7] for share in shares}  # the quartiles of five numbers are these
    return Points(box_plots(boxes), description.signature, {"positions": shares[0].positions})


# -------------------------------------------------------------------- C10: linearizations, errors, lengths

EXAMPLE = Hierarchy.from_ranks({4: 1, 7: 2, 2: 3, 9: 4, 5: 5}, n_units=11)
"""An example of ours; the paper's is a drawing without numbers."""


def drawn_linearizations(data: Data, seed: int) -> Points:
    """Return the boundaries of a hierarchy by prominence, and which of them each linearization has."""
    ranked = EXAMPLE.to_segmentation().boundaries
    heights = Curve("prominence", [p for p, _ in ranked], [EXAMPLE.n_levels + 1 - rank for _, rank in ranked])
    levels = {step: EXAMPLE.level(step).positions for step in range(1, EXAMPLE.n_levels + 1)}
    steps = [Curve(f"step {step}", own, (step,) * len(own)) for step, own in levels.items()]
    return Points([heights, *steps])


def errors_of_documents(data: Data, seed: int, *, error: str, edges: Edges) -> Points:
    """Return the distribution of each hypothesis's error over documents, in per cent, and its mean."""
    path = data.choi(with_texts=True)
    names = (*SEGMENTED, *BASELINES)
    values = {name: [100 * value for value in word_errors(path, error, name, edges)] for name in names}
    mean, low, high = zip(*map(mean_interval, values.values()), strict=True)
    signature = f"{error}|edges={edges}|unit=words|rounding=half-up|caesura {__version__}"
    facts = {"n": len(choi_documents(path))}
    return Points([Curve("mean", names, mean, low, high), *box_plots(values)], signature, facts)


# -------------------------------------------------------------------- all figures

COMPUTE: dict[str, Callable[..., Points]] = {
    function.__name__: function
    for function in (
        *(drawn_full_misses, similarity_by_full_misses, similarity_by_distance, drawn_sizes),
        *(similarity_by_size, edits_by_n_t, spans_of_near_misses, boundaries_of_coders, agreement_by_errors),
        *(points_of_methods, similarity_by_size_range, sizes_of_segments, sizes_of_documents),
        *(similarity_of_coders, coefficients_of_groups, similarity_of_coder_and_chapter),
        *(agreement_of_random_coders, segments_by_document, drawn_annotators, support_by_tolerance),
        *(drawn_linearizations, errors_of_documents),
    )
}
"""The functions that ``figures.json`` names."""


def load_figures() -> dict[str, Figure]:
    """Return every figure by its name, those that cannot be recomputed included.

    >>> load_figures()["KS12 figure 1"].title
    'number of segments by chapter'
    """
    figures = {}
    for shared in packaged("figures.json"):
        for own in shared.pop("figures"):
            entry = shared | own
            compute = COMPUTE[entry.pop("compute")] if "compute" in entry else None
            published = tuple(Curve(**curve) for curve in entry.pop("published", ()))
            figures[entry["id"]] = Figure(**entry, compute=compute, published=published)
    return figures


SERIES = load_figures()
"""Every figure by its name."""
