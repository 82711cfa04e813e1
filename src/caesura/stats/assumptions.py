"""Tests of what an analysis of variance takes for granted: normal values and equal variances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from caesura.arrays import FloatArray
from caesura.stats.outcome import Assumption

MAX_SHAPIRO = 5000
"""Beyond this many values the p-value of Shapiro–Wilk is not accurate (Royston 1995, algorithm AS R94)."""


def is_constant(values: FloatArray) -> bool:
    """Return whether there is no variation, or no value at all."""
    return len(values) == 0 or float(np.ptp(values)) == 0.0


def normality(values: FloatArray, name: str, alpha: float) -> Assumption:
    """Test whether values may be normal: Shapiro–Wilk, beyond 5,000 values D'Agostino–Pearson.

    >>> normality(np.array([0.1, 0.2, 0.2, 0.3, 0.9]), "texttiling", 0.05).holds
    False
    """
    from scipy import stats

    test = "Shapiro–Wilk"
    if len(values) < 3:
        return Assumption(test, name, math.nan, math.nan, None, "fewer than three values")
    if is_constant(values):
        return Assumption(test, name, math.nan, math.nan, None, "all values are equal")
    if len(values) > MAX_SHAPIRO:
        squared, p_value = stats.normaltest(values)
        reason = f"Shapiro–Wilk is not accurate beyond {MAX_SHAPIRO:,} values"
        holds = bool(p_value >= alpha)
        return Assumption("D'Agostino–Pearson", name, float(squared), float(p_value), holds, reason)
    statistic, p_value = stats.shapiro(values)
    return Assumption(test, name, float(statistic), float(p_value), bool(p_value >= alpha))


def equal_variances(samples: Sequence[FloatArray], alpha: float) -> Assumption:
    """Test whether samples may have one variance: Bartlett."""
    from scipy import stats

    if any(is_constant(sample) for sample in samples):
        return Assumption("Bartlett", "all", math.nan, math.nan, None, "a segmenter has equal values only")
    statistic, p_value = stats.bartlett(*samples)
    return Assumption("Bartlett", "all", float(statistic), float(p_value), bool(p_value >= alpha))


def sphericity(table: FloatArray) -> float:
    """Return Greenhouse & Geisser's ε of a table subjects × segmenters: 1 where all differences vary equally.

    ε = (Σ λ)² / ((k − 1) Σ λ²) over the eigenvalues of the doubly centred covariance matrix (Greenhouse &
    Geisser 1959); it multiplies both degrees of freedom of a repeated-measures F.

    >>> round(sphericity(np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 5.0]])), 9)
    1.0
    """
    k = table.shape[1]
    covariance = np.cov(table, rowvar=False)
    centred = covariance - covariance.mean(0) - covariance.mean(1)[:, None] + covariance.mean()
    squares = float((centred**2).sum())  # Σ λ² of a symmetric matrix
    return float(np.trace(centred)) ** 2 / ((k - 1) * squares) if squares else math.nan


def describe(assumption: Assumption) -> str:
    """Say what was found, for the reason of a report."""
    what = {"Bartlett": "equal variances"}.get(assumption.name, f"normal values of {assumption.of}")
    if assumption.holds is None:
        return f"{assumption.name} cannot test {what} ({assumption.reason})"
    verb = "does not reject" if assumption.holds else "rejects"
    return f"{assumption.name} {verb} {what} (p = {assumption.p_value:.2g})"
