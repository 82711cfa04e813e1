"""Published facts, with their source, settings and tolerance, and how each is recomputed.

Papers: F13 Fournier (2013), ACL; F13t Fournier (2013), the thesis; KS12 Kazantseva & Szpakowicz (2012); PH02
Pevzner & Hearst (2002); C10 Carroll (2010).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from caesura.analyses.coder_agreement import agreement
from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.analyses.level_errors import HierarchicalError, hierarchical_pk, hierarchical_window_diff
from caesura.errors import CaesuraError
from caesura.io.reading import read
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, Ba, Bc, S
from caesura.metrics.window import WD, Edges, Pk, PkPrime, window_size
from caesura.segmenters.registry import segmenter
from caesura.simulation import segment_sizes, with_errors
from caesura.stargazers import load_stargazers
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

# -------------------------------------------------------------------- simulated ones


ERRORS_SEED = 2002
N_REFERENCES = 10
N_HYPOTHESES = 10
"""PH02 took 100 for each reference; ten give a mean that is stable well below the tolerance."""


def pevzner_hearst(fact: Fact) -> tuple[float, ...]:
    """Return mean Pk, Pk′ and WD of hypotheses with one kind of error (PH02 §5)."""
    low, high = map(int, fact.input["sizes"].split("-"))
    generator = np.random.default_rng(ERRORS_SEED)
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
    for segments, ranked in zip(choi_documents(path), hypotheses(path, hypothesis), strict=True):
        words = [count for segment in segments for count in segment]
        reference = Segmentation.from_masses([len(segment) for segment in segments])
        result = ERRORS[error](reference, ranked, edges=edges, rounding="half-up", unit_sizes=words)
        values.append(result.value)
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


# -------------------------------------------------------------------- all facts


PAPERS = ("F13", "F13t", "KS12", "PH02", "C10")

SEED = 2013
"""Seed of the simulated figures."""


@dataclass(frozen=True)
class Fact:
    """One published value, or several that stand in one row of a table."""

    id: str
    source: str
    quantity: str
    input: Any
    published: Any
    tolerance: float
    config: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.split()[0]

    @property
    def values(self) -> tuple[float, ...]:
        """The published values."""
        return tuple(self.published) if isinstance(self.published, list) else (self.published,)


def load_facts() -> list[Fact]:
    """Return all published facts.

    >>> len(load_facts())
    162
    """
    return [Fact(**entry) for entry in packaged("facts.json")]


def packaged(name: str) -> list[dict[str, Any]]:
    """Return the entries of a file beside this one."""
    entries: list[dict[str, Any]] = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return entries


STARGAZERS = "stargazers/hearst1997.json"
MOONSTONE = "moonstone/moonstone_masses.json"
CHOI = "choi_t3_11/word_counts.json"
"""The papers' data, as paths below the folder that holds it; Stargazers is built in."""


class MissingDataError(CaesuraError):
    """A file that the fact or figure needs is not there."""


class NotRecomputedError(CaesuraError):
    """The fact or figure cannot be recomputed here; the message says why."""


@dataclass(frozen=True)
class Data:
    """Where the data of the papers is; None: only what is built in."""

    folder: Path | None

    @classmethod
    def at(cls, folder: str | os.PathLike[str] | None) -> Data:
        """Return what is in a folder; None: in the one that $CAESURA_DATA names."""
        folder = folder if folder is not None else os.environ.get("CAESURA_DATA")
        return cls(Path(folder) if folder else None)

    def path(self, name: str) -> Path:
        """Return the path of a file, or raise MissingDataError."""
        if self.folder is None or not (self.folder / name).exists():
            raise MissingDataError(f"{name} is missing: put it below the folder of data=, or $CAESURA_DATA")
        return self.folder / name

    def choi(self, *, with_texts: bool) -> Path:
        """Return the path of the words of Choi's documents, beside which their texts are, if need be."""
        path = self.path(CHOI)
        if with_texts:
            self.path(f"{Path(CHOI).parent}/{TEXTS}")
        return path

    def corpus(self, name: str) -> Corpus:
        """Return a corpus; Stargazers is built in."""
        if name.startswith("stargazers/"):
            return load_stargazers()
        return _read(self.path(name))


@lru_cache(maxsize=4)
def _read(path: Path) -> Corpus:
    return read(path)


def recompute(fact: Fact, data: Data) -> tuple[float, ...]:
    """Return our values of a fact, in the order of the published ones.

    >>> from caesura.papers.recompute import load_facts
    >>> fact = next(fact for fact in load_facts() if fact.id == "F13 fig 6 (near miss) B")
    >>> fact.published, recompute(fact, Data(None))
    (0.75, (0.75,))
    """
    if isinstance(fact.input, dict) and "reference" in fact.input:
        return (_pair(fact),)
    if isinstance(fact.input, dict) and "simulate" in fact.input:
        return pevzner_hearst(fact)
    if fact.quantity in MEAN_ERRORS and fact.input["hypothesis"] in (*BASELINES, *SEGMENTED):
        return (carroll(fact, data.choi(with_texts=fact.input["hypothesis"] in SEGMENTED)),)
    if fact.input == "row":
        return _row_of_table_5_8(fact)
    if fact.quantity in AGREEMENT:
        return (_agreement(fact, data),)
    if fact.quantity in PAIRWISE:
        return (PAIRWISE[fact.quantity](data.corpus(fact.input)),)
    if fact.quantity in DESCRIPTION:
        return (DESCRIPTION[fact.quantity](described(data, fact.input)),)
    raise NotRecomputedError(fact.note or "not recomputed here")


# -------------------------------------------------------------------- two segmentations


def _pair(fact: Fact) -> float:
    reference = Segmentation.from_masses(fact.input["reference"])
    hypothesis = Segmentation.from_masses(fact.input["hypothesis"])
    if fact.quantity == "1-WD":
        k = fact.config.get("k")
        if isinstance(k, str):  # the thesis took k from the hypothesis there
            k = window_size(hypothesis)
        return 1 - float(WD(k=k)(reference, hypothesis))
    cls = {"B": B, "Ba": Ba, "Bc": Bc, "S": S}[fact.quantity]
    return float(cls(**fact.config)(reference, hypothesis))


# -------------------------------------------------------------------- corpora


@lru_cache(maxsize=4)
def described(data: Data, name: str) -> Description:
    """Return what a corpus looks like, with n_t from 2 to 15."""
    return describe(data.corpus(name))


DESCRIPTION: dict[str, Callable[[Description], float]] = {
    "units": lambda d: d.units,
    "potential_boundaries": lambda d: d.potential_boundaries,
    "boundaries": lambda d: d.boundaries,
    "segments": lambda d: d.segments,
    "coders": lambda d: d.coders,
    "pair_potential_boundaries": lambda d: d.pair_potential_boundaries,
    "pair_boundaries": lambda d: d.pair_boundaries,
    "pair_additions_deletions": lambda d: d.pair_additions,
    "pair_transpositions": lambda d: d.pair_transpositions,
    # The thesis counts two more for each compared pair.
    "pair_matches": lambda d: d.pair_matches + 2 * d.pairs,
    "segment_size_mean": lambda d: d.segment_size.mean,
    "segment_size_sd": lambda d: d.segment_size.sd,
    "segments_per_coding_mean": lambda d: d.segments_per_coding.mean,
    "segments_per_coding_sd": lambda d: d.segments_per_coding.sd,
    "boundaries_per_coder_mean": lambda d: d.boundaries_per_coder.mean,
    "boundaries_per_position_per_coder_mean": lambda d: d.boundaries_per_position_per_coder.mean,
    "boundaries_per_position_per_coder_sd": lambda d: d.boundaries_per_position_per_coder.sd,
}

AGREEMENT: dict[str, type[Metric]] = {"pi* of B": B, "pi* of S": S}


def _agreement(fact: Fact, data: Data) -> float:
    name = fact.input if isinstance(fact.input, str) else fact.input["file"]
    corpus = data.corpus(name)
    if isinstance(fact.input, dict):
        groups = corpus.metadata["properties"]["groups"]
        corpus = corpus.select(documents=groups[fact.input["group"]]["chapters"])
    metric = AGREEMENT[fact.quantity](n_t=fact.config["n_t"])  # type: ignore[call-arg]
    return agreement(corpus, metric=metric, chance=fact.config["chance"], n_resamples=0).pi


def _pairwise_mean(corpus: Corpus, cls: type[Pk] | type[WD]) -> float:
    """Return the mean of groups' means; k is half the mean segment of all coders of the chapter."""
    means = []
    for group in corpus.groups():
        values = []
        for document in group.documents:
            coded = group[document]
            metric = cls(k=window_size(*coded.values()))
            pairs = [(coded[a], coded[b]) for a in coded for b in coded if a != b]
            values += metric.batch([a for a, _ in pairs], [b for _, b in pairs]).values.tolist()
        means.append(fmean(values))
    return fmean(means)


def _fleiss_mean(corpus: Corpus) -> float:
    return fmean(
        agreement(corpus.select(documents=[document]), n_resamples=0).strict.fleiss_kappa
        for document in corpus.documents
    )


PAIRWISE: dict[str, Callable[[Corpus], float]] = {
    "pairwise Pk mean": lambda corpus: _pairwise_mean(corpus, Pk),
    "pairwise WD mean": lambda corpus: _pairwise_mean(corpus, WD),
    "Fleiss kappa mean": _fleiss_mean,
}


# -------------------------------------------------------------------- F13t table 5.8


POSITIONS_OF_TABLE_5_8 = 5253
"""Potential boundaries of all comparisons of one segmenter."""


def _row_of_table_5_8(fact: Fact) -> tuple[float, ...]:
    """Return the row that its TP, FP, FN and n imply: TP = M + T/2 and n = M + T + FP + FN.

    The segmenters' outputs were never published, so a row can be checked only within itself.
    """
    _, _, n, _, _, _, tp, fp, fn, _ = fact.values
    paired = n - fp - fn
    near = 2 * (paired - tp)
    correctness = np.repeat([1.0, 0.5, 0.0], [int(paired - near), int(near), int(fp + fn)])
    error = correctness.std(ddof=1) / math.sqrt(n)
    precision, recall, f1 = tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)
    return (
        float(correctness.mean()),
        float(error),
        n,
        precision,
        recall,
        f1,
        tp,
        fp,
        fn,
        POSITIONS_OF_TABLE_5_8 - tp - fp - fn,
    )


def within(published: Sequence[float], ours: Sequence[float], tolerance: float) -> bool:
    """Whether all values agree within the tolerance."""
    return all(abs(p - o) <= tolerance + 1e-12 for p, o in zip(published, ours, strict=True))
