"""Windows that miss a boundary and windows with a false alarm, each over those where that can happen.

Pk and WindowDiff divide both by all windows, so that a miss, which needs a boundary, weighs less than a false
alarm (Georgescul et al. 2006; F13t, §3.1.2). These two divide each by its own windows and weigh the rates.
"""

from __future__ import annotations

from dataclasses import dataclass

from caesura.arrays import IntArray, Number
from caesura.kernel.python import PLAIN, window_runs
from caesura.metrics.base import Counts, Quotient, number, sentences
from caesura.metrics.window import WindowMetric


class WindowRates(WindowMetric):
    """A weighted mean of the rates of misses and of false alarms; a rate without windows is 0."""

    count_names = ("missed", "can_be_missed", "false_alarms", "can_be_false")
    direction = "lower"
    in_kernel = False

    miss_weight: float

    def edges_code(self) -> int:
        """As printed: no window reaches over an edge."""
        return PLAIN

    def windows_of_pair(self, ref: IntArray, hyp: IntArray, n_units: int, k: int) -> tuple[int, ...]:
        """Count windows by what their numbers of boundaries are."""
        totals = [0] * len(self.count_names)
        for _, n_windows, r, h in window_runs(ref, hyp, n_units, k, self.edges_code()):
            for index, is_counted in enumerate(self.rates(r, h)):
                totals[index] += n_windows * is_counted
        return tuple(totals)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Return whether a window counts as each of ``count_names``."""
        raise NotImplementedError

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """The weighted mean, which no common denominator keeps from overflowing."""
        missed, can_be_missed, false_alarms, can_be_false = counts
        of_misses, of_alarms = can_be_missed + (can_be_missed == 0), can_be_false + (can_be_false == 0)
        misses, alarms = missed / of_misses, false_alarms / of_alarms
        return self.miss_weight * misses + (1 - self.miss_weight) * alarms, of_misses / of_misses, 0.0


@dataclass(frozen=True, repr=False, kw_only=True)
class Cseg(WindowRates):
    """C_seg of the evaluations of topic detection and tracking, with costs of 1."""

    name = "Cseg"
    title = "TDT segmentation cost C_seg"
    also = ("C_seg",)
    meaning = "weighted chances that a window's boundary is missed, and that one is invented"
    formula = "w P(h = 0 | r > 0) + (1 − w) P(h > 0 | r = 0)"
    citation = "Doddington (1998), The topic detection and tracking phase 2 evaluation plan"
    biases = sentences("""
        - Several boundaries in one window count as one, as for Pk (by its definition).
        - No boundaries at all cost w, 0.3 by default, boundaries everywhere 1 − w (by its definition).
    """)

    miss_weight: float = number(0.3, "w, the weight of misses; of false alarms 1 − w", maximum=1.0)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Boundary or no boundary."""
        return r > 0 and not h, r > 0, h > 0 and not r, not r


@dataclass(frozen=True, repr=False, kw_only=True)
class PrError(WindowRates):
    """Pr_error of Georgescul et al.: WindowDiff's errors as misses and false alarms."""

    name = "PrError"
    title = "Pr_error"
    also = ("Pr_error",)
    meaning = "weighted shares of windows with too few and with too many boundaries"
    formula = "w · windows with r > h / windows with r > 0 + (1 − w) · share of those with r < h"
    citation = (
        "Georgescul, Clark & Armstrong (2006), An analysis of quantitative aspects in the evaluation of "
        "thematic segmentation algorithms"
    )
    biases = sentences("""
        - It counts by windows as WindowDiff does, so the value depends on k and errors at the edges weigh
          less (Fournier 2013, thesis, §3.1.2).
        - No boundaries at all cost w, 0.5 by default (by its definition).
    """)

    miss_weight: float = number(0.5, "w, the weight of misses; of false alarms 1 − w", maximum=1.0)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Too few of those there are, too many of any."""
        return r > h, r > 0, r < h, True
