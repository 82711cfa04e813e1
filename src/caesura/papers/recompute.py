"""Published facts, with their source, settings and tolerance, and how each is recomputed.

Papers: F13 Fournier (2013), ACL; F13t Fournier (2013), the thesis; KS12 Kazantseva & Szpakowicz (2012); PH02
Pevzner & Hearst (2002); C10 Carroll (2010).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, chain, permutations
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from caesura.alignment.alignment import align
from caesura.analyses.coder_agreement import agreement
from caesura.analyses.coder_agreement.strict import StrictAgreement
from caesura.analyses.description.analysis import Description, MeanSD, describe
from caesura.analyses.description.documents import support
from caesura.analyses.description.words import MEANS, PAIR_TOTALS, TOTALS
from caesura.analyses.level_errors import hierarchical_pk, hierarchical_window_diff
from caesura.arrays import bincount, repeat
from caesura.errors import CaesuraError
from caesura.io.reading import read
from caesura.metrics.base import Metric
from caesura.metrics.multi import mult_window_diff
from caesura.metrics.registry import METRICS
from caesura.metrics.window import WD, Edges, Pk, PkPrime, half_mean_length, window_size
from caesura.segmenters.registry import segmenter
from caesura.simulation import ErrorKind, segment_sizes, with_errors
from caesura.stargazers import load_stargazers
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

# -------------------------------------------------------------------- simulated errors


ERRORS_SEED = 2002
N_REFERENCES = 10
N_HYPOTHESES = 10
"""PH02 took 100 for each reference; ten give a mean that is stable well below the tolerance."""


def pevzner_hearst(fact: Fact) -> tuple[float, ...]:
    """Return means over hypotheses with one kind of error (PH02 §4), or the estimate from both kinds."""
    kind, sizes, metrics = fact.input["simulate"], fact.input["sizes"], fact.quantity.split(", ")
    if kind != "estimate":
        means = simulated_errors(kind, fact.input["p"], sizes, fact.config["k"])
        return tuple(means[metric] for metric in metrics)
    misses, false_alarms = (simulated_errors(each, 0.5, sizes, fact.config["k"]) for each in ("FN", "FP1"))
    weights = zip(metrics, fact.input["weights"], strict=True)
    return tuple(weight * false_alarms[metric] + misses[metric] / 2 for metric, weight in weights)


@lru_cache(maxsize=256)
def simulated_errors(kind: ErrorKind, p: float, sizes: str, k: int) -> dict[str, float]:
    """Return mean Pk, Pk′ and WD of hypotheses with one kind of error."""
    references, hypotheses = simulated_pairs(kind, p, sizes)
    metrics = {"Pk": Pk(k=k), "Pk prime": PkPrime(k=k), "WD": WD(k=k)}.items()
    return {name: float(each.batch(references, hypotheses).values.mean()) for name, each in metrics}


@lru_cache(maxsize=24)
def simulated_pairs(
    kind: ErrorKind, p: float, sizes: str, seed: int = ERRORS_SEED
) -> tuple[list[Segmentation], list[Segmentation]]:
    """Return references of 1,000 segments, each repeated for its hypotheses, and the hypotheses."""
    low, high = map(int, sizes.split("-"))
    generator = np.random.default_rng(seed)
    references: list[Segmentation] = []
    hypotheses: list[Segmentation] = []
    for _ in range(N_REFERENCES):
        reference = segment_sizes(1000, low=low, high=high, rng=generator)
        references += [reference] * N_HYPOTHESES
        hypotheses += [with_errors(reference, kind, p, rng=generator) for _ in range(N_HYPOTHESES)]
    return references, hypotheses


BASELINES: dict[str, Callable[[int], Hierarchy]] = {
    "NONE": lambda n_units: Hierarchy.from_ranks({}, n_units),
    "BIN": lambda n_units: bisected(n_units),
}

SEGMENTED = ("HC99",)
"""Hypotheses that are segmenters of caesura; they read the texts."""

TEXTS = "ref"
"""The folder of the texts, beside the file of word counts."""

ERRORS = {"E_Pk": hierarchical_pk, "E_WD": hierarchical_window_diff}


def carroll(fact: Fact, data: Data) -> float:
    """Return the mean word error of a hypothesis over Choi's documents, in percent."""
    kind, error, *_ = fact.quantity.split()
    hypothesis = fact.input["hypothesis"]
    path = data.choi(with_texts=hypothesis in SEGMENTED)
    if kind == "sentences":
        return fmean(len(segment) for segments in choi_documents(path) for segment in segments)
    if error in LINEAR:
        values = wrapped_errors(path, error, hypothesis, ends_are_boundaries=fact.config["ends"])
    else:
        values = word_errors(path, error, hypothesis, fact.config["edges"])
    if kind == "half-width":
        _, low, high = mean_interval([100 * value for value in values])
        return (high - low) / 2
    return 100 * fmean(values)


LINEAR: dict[str, type[Pk] | type[WD]] = {"Pk": Pk, "WD": WD}


@lru_cache(maxsize=16)
def wrapped_errors(path: Path, error: str, name: str, *, ends_are_boundaries: bool) -> tuple[float, ...]:
    """Return the linear error over words of NONE or ALL for each of Choi's documents, N windows in each.

    Windows that reach over the end of a document continue at its start, so the start is repeated at the end.
    """
    values = []
    for segments in choi_documents(path):
        ends = [list(accumulate(lengths)) for lengths in (map(sum, segments), chain(*segments))]
        n_words = ends[0].pop()
        k = half_mean_length(n_words, len(segments), "half-up")
        codings = []
        for boundaries in (ends[0], ends[1][:-1] if name == "ALL" else []):
            once_more = [n_words + position for position in boundaries if position < k]
            end = [n_words] if ends_are_boundaries else []
            codings.append(Segmentation.from_positions([*boundaries, *end, *once_more], n_words + k))
        values.append(float(LINEAR[error](k=k)(*codings)))
    return tuple(values)


@lru_cache(maxsize=16)
def word_errors(path: Path, error: str, hypothesis: str, edges: Edges) -> tuple[float, ...]:
    """Return the error of a hypothesis for each of Choi's documents; windows run over words."""
    values = []
    for segments, ranked in zip(choi_documents(path), hypotheses(path, hypothesis), strict=True):
        words = [count for segment in segments for count in segment]
        reference = Segmentation.from_masses([len(segment) for segment in segments])
        result = ERRORS[error](reference, ranked, edges=edges, rounding="half-up", unit_sizes=tuple(words))
        values.append(result.value)
    return tuple(values)


@lru_cache(maxsize=4)
def hypotheses(path: Path, name: str) -> list[Hierarchy]:
    """Return the hypothesis of a baseline or a segmenter for each of Choi's documents."""
    if name in BASELINES:
        return [BASELINES[name](sum(map(len, segments))) for segments in choi_documents(path)]
    corpora = (read(path.parent / TEXTS / document, "choi") for document in _word_counts(path))
    return [segmenter(name).hierarchy(corpus.units[corpus.documents[0]]) for corpus in corpora]


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval by the normal distribution.

    >>> mean, low, high = mean_interval([0.0, 1.0] * 50)
    >>> mean, round(high - mean, 4)
    (0.5, 0.0985)
    """
    mean = float(np.mean(values))
    reach = 1.959964 * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, mean - reach, mean + reach


def choi_documents(path: Path) -> list[Any]:
    """Return the words of each sentence of each segment of each document."""
    return list(_word_counts(path).values())


@lru_cache(maxsize=1)
def _word_counts(path: Path) -> dict[str, Any]:
    counts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return counts


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


LECTURES = "segmenters/lectures/ai"
"""Transcripts of lectures (Malioutov & Barzilay 2006), in the folder of the papers' data."""


def bayesseg_of_lectures(data: Data) -> float:
    """Return BayesSeg's mean WindowDiff on the AI lectures (F13t table 2.5), with the window of its authors.

    It has k + 1 words, with k = words // (2 × segments), and starts before the document's first word.
    """
    errors = []
    for path in sorted(data.path(LECTURES).glob("*.ref")):
        corpus = read(path, "choi")
        ((_, _, reference),) = corpus
        units = corpus.units[corpus.documents[0]]
        letters = ("".join(sign if sign.isalnum() else " " for sign in unit) for unit in units)
        ends = [*accumulate((max(1, len(unit.split())) for unit in letters), initial=1)]
        k = (ends[-1] - 1) // (2 * reference.n_segments)
        codings = (
            Segmentation.from_positions([ends[position] for position in coding.positions], ends[-1])
            for coding in (reference, segmenter("BayesSeg")(units, reference.n_segments))
        )
        errors.append(float(WD(k=k + 1)(*codings)))
    return fmean(errors)


# -------------------------------------------------------------------- all facts


PAPERS = ("F13", "F13t", "KS12", "PH02", "C10")

SEED = 2013
"""Seed of the simulated figures."""


@dataclass(frozen=True)
class Fact:
    """One published value, or the values of one row of a table."""

    id: str
    source: str
    quantity: str
    input: Any
    published: Any
    tolerance: float
    config: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    differs: bool = False
    """Whether the printed value is known to differ; the note says why."""

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

    >>> load_facts()[0].id
    'F13 fig 5 (false negative) S'
    """
    return [Fact(**entry) for entry in packaged("facts.json")]


def packaged(name: str) -> list[dict[str, Any]]:
    """Return the entries of a JSON file of this folder."""
    entries: list[dict[str, Any]] = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return entries


STARGAZERS = "stargazers/hearst1997.json"
MOONSTONE = "moonstone/moonstone_masses.json"
CHOI = "choi_t3_11/word_counts.json"
"""The papers' data, as paths below its folder; Stargazers is built in."""


class MissingDataError(CaesuraError):
    """A file that the fact or figure needs is missing."""


class NotRecomputedError(CaesuraError):
    """The fact or figure cannot be recomputed here; the message says why."""


BECAUSE = "cannot be recomputed, because it "
"""The start of the message, before the missing requirement."""


@dataclass(frozen=True)
class Data:
    """The folder with the data of the papers; None: only built-in data."""

    folder: Path | None

    @classmethod
    def at(cls, folder: str | os.PathLike[str] | None) -> Data:
        """Return the data in a folder; None: in the folder that $CAESURA_DATA names."""
        folder = os.environ.get("CAESURA_DATA") if folder is None else folder
        return cls(Path(folder) if folder else None)

    def path(self, name: str) -> Path:
        """Return the path of a file, or raise MissingDataError."""
        if self.folder is None or not (self.folder / name).exists():
            raise MissingDataError(f"{name} is missing: add it to the folder of data= or $CAESURA_DATA")
        return self.folder / name

    def choi(self, *, with_texts: bool) -> Path:
        """Return the path of the word counts of Choi's documents, whose texts must be there if needed."""
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
    """Return the recomputed values of a fact, in the order of the published ones.

    >>> from caesura.papers.recompute import load_facts
    >>> fact = next(fact for fact in load_facts() if fact.id == "F13 fig 6 (near miss) B")
    >>> fact.published, recompute(fact, Data(None))
    (0.75, (0.75,))
    """
    source = fact.input
    if isinstance(source, dict) and "reference" in source:
        return _ranks(fact) if "hypotheses" in source else _pair(fact)
    if isinstance(source, dict) and "simulate" in source:
        return pevzner_hearst(fact)
    if isinstance(source, dict) and source.get("hypothesis") in (*BASELINES, *SEGMENTED, "ALL"):
        return (carroll(fact, data),)
    if source == "row":
        return _row_of_table_5_8(fact)
    if source == LECTURES:
        return (bayesseg_of_lectures(data),)
    quantities = fact.quantity.split(", ")
    known: Mapping[str, Callable[[Any], float]] = OF_CORPORA
    if quantities[0] in OF_DESCRIPTIONS:
        known = OF_DESCRIPTIONS
    if source is None or not known.keys() >= {*quantities}:
        raise NotRecomputedError(BECAUSE + fact.note)
    corpus = corpus_of(data, source)
    subject = corpus if known is OF_CORPORA else describe(corpus, sweep=())
    return tuple(float(known[quantity](subject)) for quantity in quantities)


# -------------------------------------------------------------------- two segmentations


EDITS = ("matches", "additions", "substitutions", "transpositions")
"""Quantities that count edits."""


def _pair(fact: Fact) -> tuple[float, ...]:
    """Return quantities of two segmentations, or differences of quantities, such as "Bc - Ba"."""
    reference, hypothesis = (_segmentation(fact.input[side]) for side in ("reference", "hypothesis"))
    values = []
    for quantity in fact.quantity.split(", "):
        first, *rest = (_of_pair(each, reference, hypothesis, fact.config) for each in quantity.split(" - "))
        values.append(first - sum(rest))
    return tuple(values)


def _of_pair(
    quantity: str, reference: Segmentation, hypothesis: Segmentation, config: dict[str, Any]
) -> float:
    if quantity in EDITS:
        return len(getattr(align(reference, hypothesis, **config), quantity))
    if quantity.endswith(" windows"):
        return float(METRICS[quantity.split()[0]](**config)(reference, hypothesis).numerator)
    if quantity == "1-WD":
        k = config.get("k")
        if isinstance(k, str):  # the thesis took k from the hypothesis there
            k = window_size(hypothesis)
        return 1 - float(WD(k=k)(reference, hypothesis))
    return float(METRICS[quantity](**config)(reference, hypothesis))


def _ranks(fact: Fact) -> tuple[float, ...]:
    """Return the rank of each hypothesis, 1 for the most similar; ties share the mean of their ranks."""
    pairs = ({"reference": fact.input["reference"], "hypothesis": each} for each in fact.input["hypotheses"])
    quantity = fact.quantity.removeprefix("ranks by ")
    similar = [round(_pair(replace(fact, input=pair, quantity=quantity))[0], 9) for pair in pairs]
    above = [(sum(each > value for each in similar), similar.count(value)) for value in similar]
    return tuple(greater + (equal + 1) / 2 for greater, equal in above)


def _segmentation(boundaries: list[Any]) -> Segmentation:
    """Return a fact's segmentation, given as masses or as the sets of types at all positions."""
    is_sets = any(isinstance(each, list) for each in boundaries)
    return Segmentation.from_sets(boundaries) if is_sets else Segmentation.from_masses(boundaries)


# -------------------------------------------------------------------- corpora


def corpus_of(data: Data, source: Any) -> Corpus:
    """Return the corpus of a fact: a file, documents of one, or codings in the fact."""
    if isinstance(source, str):
        return data.corpus(source)
    if "table" in source:
        return cross_tabulated(source["table"])
    if "codings" in source:
        codings = {coder: _segmentation(coding) for coder, coding in source["codings"].items()}
        return Corpus.from_dict({"d": codings})
    corpus = data.corpus(source["file"])
    groups = corpus.metadata["properties"]["groups"]
    return corpus.select(documents=source.get("documents") or groups[source["group"]]["chapters"])


def cross_tabulated(table: list[list[int]]) -> Corpus:
    """Return two coders with this contingency table of positions, unmarked ones first.

    >>> corpus = cross_tabulated([[90, 5], [4, 1]])
    >>> [coding.n_boundaries for coding in corpus["d"].values()]
    [5, 6]
    """
    (neither, second), (first, both) = table
    marks = {"1": f"{'0' * (neither + second)}{'1' * (first + both)}"}
    marks["2"] = f"{'0' * neither}{'1' * second}{'0' * first}{'1' * both}"
    return Corpus.from_dict({"d": {coder: Segmentation.from_gaps(gaps) for coder, gaps in marks.items()}})


OF_DESCRIPTIONS: dict[str, Callable[[Description], float]] = {
    **{name: attrgetter(name) for name in (*TOTALS, *PAIR_TOTALS)},
    **{f"{name}_{part}": attrgetter(f"{name}.{part}") for name in MEANS.values() for part in ("mean", "sd")},
    "pair_additions_deletions": lambda d: d.pair_additions,
    # The thesis counts two more for each compared pair.
    "pair_matches": lambda d: d.pair_matches + 2 * d.pairs,
    "P(m|b) of the thesis": lambda d: (d.pair_matches + 2 * d.pairs) / d.pair_boundaries,
    "P(b)": lambda d: d.probabilities.boundary,
    "P(a|b)": lambda d: d.probabilities.addition,
    "P(t|b)": lambda d: d.probabilities.transposition,
    "P(m|b)": lambda d: d.probabilities.match,
    "document_size_sample_sd": lambda d: sample_sd(d.document_size),
    "segment_size_sample_sd": lambda d: sample_sd(d.segment_size),
}


def sample_sd(values: MeanSD) -> float:
    """Return the standard deviation that divides by n - 1."""
    return values.sd * math.sqrt(values.n / (values.n - 1))


def published_pi(corpus: Corpus, metric: Metric | str) -> float:
    """Return π* with chance agreement as published."""
    return agreement(corpus, metric=metric, chance="published", n_resamples=0).pi


def pairwise(corpus: Corpus, cls: type[Pk] | type[WD]) -> list[list[float]]:
    """Return each group's errors of pairs; k is half the mean segment of all coders of the chapter."""
    by_group = []
    for group in corpus.groups():
        values: list[float] = []
        for document in group.documents:
            coded = group[document].values()
            sides = zip(*permutations(coded, 2), strict=True)
            values += cls(k=window_size(*coded)).batch(*sides).values.tolist()
        by_group.append(values)
    return by_group


def fleiss(corpus: Corpus) -> list[float]:
    """Return the strict κ of each document."""
    return [strict(corpus.select(documents=[document])).fleiss_kappa for document in corpus.documents]


def strict(corpus: Corpus) -> StrictAgreement:
    """Return the strict coefficients of a corpus."""
    return agreement(corpus, n_resamples=0).strict


def bounds(corpus: Corpus, name: str) -> float:
    """Return the mean best or worst case of multWinDiff, which does not depend on the hypothesis."""
    codings = ([*corpus[document].values()] for document in corpus.documents)
    return fmean(getattr(mult_window_diff(coded, coded[0]), name) for coded in codings)


def half_supported(corpus: Corpus) -> float:
    """Return the share of marked positions near which at least half of the coders have a boundary."""
    supported = support(corpus)
    return float((2 * supported.half_window >= supported.n_coders).mean())


def segments_by_coder(corpus: Corpus) -> list[float]:
    """Return each coder's mean number of segments."""
    segments = bincount(corpus.coder, corpus.codings.n_positions + 1)
    return [*(segments / bincount(corpus.coder)).tolist()]


OF_CORPORA: dict[str, Callable[[Corpus], float]] = {
    "pi* of B": lambda corpus: published_pi(corpus, "B"),
    "pi* of S": lambda corpus: published_pi(corpus, "S"),
    # the mean of the groups' means, and the sample deviation over the pairs of all groups
    "pairwise Pk mean": lambda corpus: fmean(map(fmean, pairwise(corpus, Pk))),
    "pairwise WD mean": lambda corpus: fmean(map(fmean, pairwise(corpus, WD))),
    "pairwise Pk SD": lambda corpus: stdev(chain(*pairwise(corpus, Pk))),
    "pairwise WD SD": lambda corpus: stdev(chain(*pairwise(corpus, WD))),
    "Fleiss kappa mean": lambda corpus: fmean(fleiss(corpus)),
    "Fleiss kappa SD": lambda corpus: stdev(fleiss(corpus)),
    "mean segments of coders": lambda corpus: fmean(segments_by_coder(corpus)),
    "SD of coders": lambda corpus: stdev(segments_by_coder(corpus)),
    "best case": lambda corpus: bounds(corpus, "best"),
    "worst case": lambda corpus: bounds(corpus, "worst"),
    "window size": window_size,
    "share with half the support": half_supported,
    "A_a": lambda corpus: strict(corpus).percent,
    "2A_a-1": lambda corpus: strict(corpus).bennett_s,
    "pi": lambda corpus: strict(corpus).fleiss_kappa,
    "kappa": lambda corpus: strict(corpus).davies_fleiss_kappa,
}
"""Quantities of corpora that a description does not have."""


# -------------------------------------------------------------------- F13t table 5.8


POSITIONS_OF_TABLE_5_8 = 5253
"""Potential boundaries of all comparisons of one segmenter."""


def _row_of_table_5_8(fact: Fact) -> tuple[float, ...]:
    """Return the row that its TP, FP, FN and n imply: TP = M + T/2 and n = M + T + FP + FN.

    The segmenters' outputs were never published, so that a row can only be checked for consistency.
    """
    _, _, n, _, _, _, tp, fp, fn, _ = fact.values
    paired = n - fp - fn
    near = 2 * (paired - tp)
    correctness = repeat([1.0, 0.5, 0.0], [int(paired - near), int(near), int(fp + fn)])
    mean, error = float(correctness.mean()), float(correctness.std(ddof=1) / math.sqrt(n))
    rates = tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)
    return (mean, error, n, *rates, tp, fp, fn, POSITIONS_OF_TABLE_5_8 - tp - fp - fn)


def within(published: Sequence[float], ours: Sequence[float], tolerance: float) -> bool:
    """Whether all values agree within the tolerance."""
    return all(abs(p - o) <= tolerance + 1e-12 for p, o in zip(published, ours, strict=True))
