"""AgreementDifference: how much two agreements differ, with interval and p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from caesura.analyses.coder_agreement.coefficients import label
from caesura.analyses.coder_agreement.results import Agreement
from caesura.results.result import Result
from caesura.stats.outcome import Interval
from caesura.version import __version__


@dataclass(frozen=True, eq=False, repr=False)
class AgreementDifference(Result):
    """The difference of two agreements: the first's value minus the second's."""

    first: Agreement
    second: Agreement
    names: tuple[str, str]
    """What the two are called."""
    interval: Interval | None
    """Of the difference, by a bootstrap of documents; None where there is none."""
    p_value: float
    """Two-sided p of the hypothesis that both agree equally well; NaN where there is none."""
    n_shared: int
    """Documents with at least two codings in both."""
    n_exchanges: int
    """How many exchanges p comes from."""
    is_exact: bool
    """Whether these are all there are."""
    n_resamples: int
    confidence: float
    seed: int | None
    reason: str | None
    """Why there is no difference, interval or p."""

    @property
    def difference(self) -> float:
        """The first's coefficient minus the second's."""
        return self.first.value - self.second.value

    @property
    def coefficient(self) -> str:
        """The coefficient's name, such as π*_B."""
        return label(self.first.metric, self.first.coefficient)

    @property
    def least_p(self) -> float:
        """The smallest p that so few documents allow; the opposite of an exchange is as extreme."""
        if not self.n_exchanges:
            return math.nan
        is_paired = self.n_shared == self.first.totals.n_documents == self.second.totals.n_documents
        return (2 if is_paired else 1) / self.n_exchanges if self.is_exact else 1 / (self.n_exchanges + 1)

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        first = self.first
        signature = (
            f"{first.metric.settings}|coefficient={first.coefficient}|chance={first.chance}|average=micro"
        )
        seed = "" if self.seed is None else f",seed={self.seed}"
        exchanges = (
            "" if not self.n_exchanges else f"|p=exchange,{self.n_exchanges}{'' if self.is_exact else seed}"
        )
        interval = (
            f"|interval=bootstrap,{self.confidence:g},{self.n_resamples}{seed}" if self.interval else ""
        )
        return f"{signature}{exchanges}{interval}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        sides = {
            side: {
                "name": name,
                "value": found.value,
                "observed": found.observed,
                "expected": found.expected,
                "n_coders": found.totals.n_coders,
                "n_documents": found.totals.n_documents,
                "n_pairs": found.n_pairs,
                "n_boundaries": found.n_boundaries,
                "single_documents": list(found.single_documents),
            }
            for side, name, found in zip(
                ("first", "second"), self.names, (self.first, self.second), strict=True
            )
        }
        return {
            "coefficient": self.coefficient,
            "signature": self.signature,
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "p_value": self.p_value,
            "n_shared": self.n_shared,
            "n_exchanges": self.n_exchanges,
            "is_exact": self.is_exact,
            **sides,
            "reason": self.reason,
        }

    def __repr__(self) -> str:
        return f"<AgreementDifference: {self.coefficient} {self.difference:+.4f}, p {self.p_value:.4f}>"
