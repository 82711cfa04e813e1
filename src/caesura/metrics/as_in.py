"""Metrics as other tools and shared tasks compute them, faults included.

``Pk(as_in='nltk')`` has no other parameters: the tool fixes them all. One table lists the metrics of each
tool. If the tool raises an error, so does the metric, with our value in the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from caesura.alignment.packed import PackedPairs
from caesura.arrays import IntArray, Number
from caesura.declaration import Declared, with_parameters
from caesura.errors import ParameterError, UnknownNameError, unknown
from caesura.metrics.base import Count, Counts, Metric, Quotient, Scores
from caesura.metrics.classic import GHD, F, P, R
from caesura.metrics.confusion import BF, BP, BR, confusion_matrix
from caesura.metrics.edit import B, S
from caesura.metrics.window import WD, Pk, half_mean_length
from caesura.values.segmentation import Segmentation, check_comparable
from caesura.wording import listed

NLTK_GHD_GAPS = 10_000  # the longest string of gaps that NLTK's GHD accepts

SEGEVAL_WINDOW = 255  # the largest window of segeval's WindowDiff, which compares numbers by identity

RT_SEG_WINDOW = 3  # the characters within which RT-SEG treats boundaries as equal by default

DECLARED = (*Declared.__annotations__, *Metric.__annotations__, "low", "high")
"""The attributes that a tool's metric takes from ours, unless it declares them."""


@dataclass(frozen=True, repr=False)
class AsIn(Metric):
    """A metric with the parameters and faults of a tool; by default the same as ours."""

    as_in: ClassVar[str]
    """The tool's name in specifications."""
    release: ClassVar[str]
    """The tool's name and version in signatures."""
    ours: ClassVar[Metric]

    def __init_subclass__(cls) -> None:
        own = {name for base in cls.__mro__[: cls.__mro__.index(AsIn)] for name in vars(base)}
        for name in DECLARED if "ours" in vars(cls) else ():
            if name not in own:
                setattr(cls, name, getattr(cls.ours, name))

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The tool, which fixes all parameters."""
        return {"as_in": self.as_in}

    @cached_property
    def settings(self) -> str:
        """The metric's name, and the tool with its version."""
        return f"{self.name}|as_in={self.release}"

    def __repr__(self) -> str:
        return f"{self.name}(as_in={self.as_in!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_in, (self.name, {"as_in": self.as_in})

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return the error that the tool raises for a pair, or an empty string."""
        return ""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the tool's counts of a pair for which it raises no error."""
        return self.ours.counts(reference, hypothesis)

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the tool's counts of a pair; raise ParameterError if the tool raises an error."""
        check_comparable(reference, hypothesis)
        if error := self.error(reference, hypothesis):
            ours = f"{self.name} of caesura is {self.ours(reference, hypothesis):.6g}"
            raise ParameterError(f"{self}: {self.release} raises {error}; {ours}")
        return self.count(reference, hypothesis)

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare pairs one by one; errors name the pair."""
        rows = []
        for number, pair in enumerate(pairs):
            try:
                rows.append(self.counts(*pair))
            except ParameterError as error:
                raise ParameterError(f"{pairs.name_of(number)}: {error}") from None
        return Scores.from_rows(self, rows)

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the fraction of our metric."""
        return self.ours.fraction(counts)


class Mean(AsIn):
    """A value per document; the tool takes the mean."""

    count_names = ("total", "documents")

    def value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the tool's value of a pair for which it raises no error."""
        raise NotImplementedError

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the value of one document."""
        return (self.value(reference, hypothesis), 1), 1

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the mean."""
        total, documents = counts
        return total, documents, 0.0


def _each(base: type[AsIn], *metrics: Metric, **declared: str) -> dict[str, AsIn]:
    """Return the tool's metric for each of our metrics."""
    return {ours.name: type(ours.name, (base,), {**declared, "ours": ours})() for ours in metrics}


# -------------------------------------------------------------------- NLTK


class Nltk(AsIn):
    """A metric of nltk.metrics.segmentation, which reads a string of gaps, one fewer than units."""

    as_in = "nltk"
    release = "nltk 3.10"


class NltkWindows(Nltk):
    """NLTK's pk and windowdiff, both with the k of its pk: half the gaps per boundary; k = 0 gives 0."""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Slide a window of that size; a reference without boundaries counts as one boundary."""
        n_gaps = reference.n_units - 1
        k = half_mean_length(n_gaps, max(1, len(reference.position_array)), "half-even")
        if not k:
            return (0, n_gaps + 1), 1
        return with_parameters(self.ours, {"k": k}).counts(reference, hypothesis)


class NltkGHD(Nltk):
    """NLTK's ghd."""

    ours = GHD()

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return the error for long documents."""
        return "ValueError for more than 10,000 gaps" if reference.n_units - 1 > NLTK_GHD_GAPS else ""


# -------------------------------------------------------------------- segeval


class Segeval(AsIn):
    """A metric of segeval, called with the hypothesis first."""

    as_in = "segeval"
    release = "segeval 2.0.11"

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return the error without boundaries: it takes the largest of the types."""
        is_marked = len(reference.position_array) or len(hypothesis.position_array)
        return "" if is_marked else "ValueError where neither side has a boundary"


class SegevalS(Segeval):
    """segmentation_similarity, which multiplies by the number of types twice."""

    ours = S()

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Subtract the same penalty from more potential boundaries."""
        (similar, compared), scale = self.ours.counts(reference, hypothesis)
        slots = compared * (compared // (scale * (reference.n_units - 1)))
        return (similar + slots - compared, slots), scale


class SegevalPk(Segeval):
    """pk, whose window may be as long as the document: then nothing is in error."""

    ours = Pk()

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return an empty string: it never raises an error."""
        return ""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return no windows for two units."""
        return ((0, 0), 1) if reference.n_units == 2 else self.ours.counts(reference, hypothesis)


class SegevalWD(Segeval):
    """window_diff."""

    ours = WD()

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return the error for two units, a division by 0, or for long windows, an assertion."""
        n_units, n_segments = reference.n_units, len(reference.position_array) + 1
        if n_units == 2:
            return "InvalidOperation for two units"
        is_long = half_mean_length(n_units, n_segments, "half-even") > SEGEVAL_WINDOW
        return f"AssertionError for windows of more than {SEGEVAL_WINDOW} units" if is_long else ""


class SegevalRate(Segeval):
    """precision and recall of a confusion matrix: both are the share of counts on its diagonal."""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Count "no boundary" as a class of its own."""
        cells = confusion_matrix(reference, hypothesis).cells
        right = sum(count for (predicted, actual), count in cells.items() if predicted == actual)
        wrong = int(2 * (sum(cells.values()) - right))
        return (int(2 * right), wrong, wrong), 2


class SegevalBF(Segeval, Mean):
    """fmeasure of a confusion matrix: it sums the numerators and denominators of F over types."""

    ours = BF()

    def value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return F with full misses and spurious boundaries exchanged."""
        matrix = confusion_matrix(reference, hypothesis)
        cells = {cell[::-1] if None in cell else cell: count for cell, count in matrix.cells.items()}
        over = under = Fraction(0)
        for kind in matrix.types:
            if right := cells.get((kind, kind)):
                p, r = (right / sum(n for cell, n in cells.items() if cell[side] == kind) for side in (0, 1))
                over, under = over + 2 * p * r, under + p + r
        return float(over / under) if over else 0.0


# -------------------------------------------------------------------- shared tasks


RATES = F(), P(), R()  # the rates of shared tasks


class Disrpt(AsIn):
    """Tokens that open a segment, including the first of each document; the scripts differ only in marks."""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Count the first token as a hit."""
        (hits, *errors), scale = self.ours.counts(reference, hypothesis)
        return (hits + scale, *errors), scale


class Chunked(AsIn):
    """Chunks of one type, or words, that are right at both ends."""

    formula = "of segments with the same start and end on both sides"

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Count segments, not boundaries."""
        right = len({*reference.to_spans()} & {*hypothesis.to_spans()})
        return (right, hypothesis.n_segments - right, reference.n_segments - right), 1


# -------------------------------------------------------------------- RT-SEG


class RtSegB(Mean):
    """RT-SEG's boundary similarity, in which one boundary may be near many."""

    as_in = "rt-seg"
    release = f"rt-seg window={RT_SEG_WINDOW}"
    formula = f"2pr / (p + r), p and r shares of boundaries within {RT_SEG_WINDOW} of another"
    ours = B()

    def value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the harmonic mean of the shares of near boundaries on both sides."""
        ref, hyp = reference.position_array, hypothesis.position_array
        if not len(ref) or not len(hyp):
            return float(len(ref) == len(hyp))
        p, r = _share_near(ref, hyp), _share_near(hyp, ref)
        return 2 * p * r / (p + r) if p + r else 0.0


def _share_near(positions: IntArray, others: IntArray) -> float:
    first = np.searchsorted(others, positions - RT_SEG_WINDOW)
    return float((np.searchsorted(others, positions + RT_SEG_WINDOW, "right") > first).mean())


# -------------------------------------------------------------------- the table

SETTINGS: Mapping[str, Mapping[str, AsIn]] = {
    "nltk": {**_each(NltkWindows, Pk(), WD()), "GHD": NltkGHD()},
    "segeval": {
        **_each(Segeval, B()),
        **_each(SegevalRate, BP(), BR()),
        "BF": SegevalBF(),
        "S": SegevalS(),
        "Pk": SegevalPk(),
        "WD": SegevalWD(),
    },
    "disrpt2023": _each(Disrpt, *RATES, as_in="disrpt2023", release="disrpt2023 seg_eval 1.0.1"),
    "disrpt2025": _each(Disrpt, *RATES, as_in="disrpt2025", release="disrpt2025 disrpt_eval 2.0.0"),
    "conll-chunking": _each(Chunked, *RATES, as_in="conll-chunking", release="conll-chunking 2004-01-26"),
    "sighan": _each(Chunked, *RATES, as_in="sighan", release="sighan 2005"),
    "rt-seg": {"B": RtSegB()},
}
"""The metrics of each tool."""


def as_in(name: str, parameters: Mapping[str, Any]) -> Metric:
    """Return the metric as the tool computes it that the parameter ``as_in`` names.

    >>> as_in("Pk", {"as_in": "nltk"}).settings
    'Pk|as_in=nltk 3.10'
    """
    tool = str(parameters["as_in"])
    if tool not in SETTINGS:
        raise UnknownNameError(f"{name}: {unknown('as_in', tool, SETTINGS)}")
    metrics = SETTINGS[tool]
    if name not in metrics:
        raise ParameterError(f"{name} has no as_in={tool!r}: it is for {listed(metrics, len(metrics))}")
    if fixed := [parameter for parameter in parameters if parameter != "as_in"]:
        raise ParameterError(f"{metrics[name]} fixes every other parameter: leave out {listed(fixed)}")
    return metrics[name]
