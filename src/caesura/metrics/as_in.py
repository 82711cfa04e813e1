"""Metrics as others calculate them: the number that a tool prints, its faults included.

``Pk(as_in='nltk')`` has the name of ours and no parameter besides: the tool fixes them all. One table says
which tool has which metric; where the tool raises, so does this, with our value in the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from caesura.arrays import Number
from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Count, Counts, Metric, Quotient
from caesura.metrics.classic import GHD
from caesura.metrics.window import WD, Pk, WindowError, half_mean_length
from caesura.values.segmentation import Segmentation, check_comparable
from caesura.wording import listed

NLTK_GHD_GAPS = 10_000
"""Longest string of gaps of which NLTK takes a GHD."""

DECLARED = (
    *("name", "title", "also", "meaning", "formula", "citation", "biases"),
    *("direction", "symmetric", "count_names", "low", "high"),
)
"""What a metric of a tool declares as ours does."""


@dataclass(frozen=True, repr=False)
class AsIn(Metric):
    """A metric with the parameters, and the faults, of a tool; without more, it is ours by default."""

    as_in: ClassVar[str]
    """The tool, as a specification names it."""
    release: ClassVar[str]
    """The tool with its version, as signatures name it."""
    ours: ClassVar[Metric]

    def __init_subclass__(cls) -> None:
        for name in DECLARED if "ours" in vars(cls) else ():
            setattr(cls, name, getattr(type(cls.ours), name))

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The tool alone, which fixes every parameter."""
        return {"as_in": self.as_in}

    @cached_property
    def settings(self) -> str:
        """The name and the tool, with its version."""
        return f"{self.name}|as_in={self.release}"

    def __repr__(self) -> str:
        return f"{self.name}(as_in={self.as_in!r})"

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """Return what the tool raises for a pair; nothing where it prints a number."""
        return ""

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the tool's counts of one pair for which it raises nothing."""
        return self.ours.counts(reference, hypothesis)

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the tool's counts of one pair, or refuse as it does."""
        check_comparable(reference, hypothesis)
        if error := self.error(reference, hypothesis):
            value = self.ours(reference, hypothesis)
            raise ParameterError(
                f"{self}: {self.release} raises {error}; {self.name} of caesura is {value:.6g}"
            )
        return self.count(reference, hypothesis)

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Divide as our metric does."""
        return self.ours.fraction(counts)


# -------------------------------------------------------------------- NLTK


class Nltk(AsIn):
    """A metric of nltk.metrics.segmentation, which sees a string of gaps, one fewer than there are units."""

    as_in: ClassVar[str] = "nltk"
    release: ClassVar[str] = "nltk 3.10"


class NltkWindows(Nltk):
    """Windows of half the gaps per boundary, the k of NLTK's pk, which may be 0: then nothing is in error."""

    windows: ClassVar[type[WindowError]]

    def count(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Slide a window of that size; a reference without boundaries counts as if it had one."""
        n_gaps = reference.n_units - 1
        k = half_mean_length(n_gaps, max(1, len(reference.position_array)), "half-even")
        return self.windows(k=k).counts(reference, hypothesis) if k else ((0, n_gaps + 1), 1)


class NltkPk(NltkWindows):
    """NLTK's pk without a k."""

    ours = Pk()
    windows = Pk


class NltkWD(NltkWindows):
    """NLTK's windowdiff, which has no k of its own, with the k of its pk."""

    ours = WD()
    windows = WD


class NltkGHD(Nltk):
    """NLTK's ghd."""

    ours = GHD()

    def error(self, reference: Segmentation, hypothesis: Segmentation) -> str:
        """It refuses long documents."""
        return "ValueError for more than 10,000 gaps" if reference.n_units - 1 > NLTK_GHD_GAPS else ""


# -------------------------------------------------------------------- the table

SETTINGS: Mapping[str, Mapping[str, AsIn]] = {
    "nltk": {"Pk": NltkPk(), "WD": NltkWD(), "GHD": NltkGHD()},
}
"""By tool, the metrics that it has."""


def as_in(name: str, parameters: Mapping[str, Any]) -> Metric:
    """Return our metric of a name as a tool calculates it, which ``as_in`` among its parameters names.

    >>> as_in("Pk", {"as_in": "nltk"}).settings
    'Pk|as_in=nltk 3.10'
    """
    tool = str(parameters["as_in"])
    if tool not in SETTINGS:
        raise UnknownNameError(f"{name}: there is no as_in {tool[:60]!r}; {did_you_mean(tool, SETTINGS)}")
    metrics = SETTINGS[tool]
    if name not in metrics:
        raise ParameterError(f"{name} has no as_in={tool!r}: it is for {listed(metrics)}")
    if fixed := [parameter for parameter in parameters if parameter != "as_in"]:
        raise ParameterError(f"{metrics[name]} fixes every other parameter: leave out {listed(fixed)}")
    return metrics[name]
