"""The report of a test of segmenters: assumptions, omnibus test, contrasts of pairs, and its tables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from caesura.checks import ALPHA
from caesura.results.notes import Note, finding, reading
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.wording import counted, p_shown

Design = Literal["within", "between"]


class PlainData:
    """Base of the frozen dataclasses below."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True)
class Assumption(PlainData):
    """A test of an assumption of the analysis of variance."""

    name: str
    of: str  # the segmenter, or "all"
    statistic: float
    p_value: float
    holds: bool | None  # None: not tested, so not relied upon
    reason: str | None = None


@dataclass(frozen=True)
class Omnibus(PlainData):
    """The test of all segmenters at once: are they equally good?

    An undefined value is NaN, and ``reason`` says why. For two segmenters, ``statistic`` and ``effect`` are
    positive if the first has the greater values.
    """

    name: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    effect: float
    effect_name: str
    reason: str | None = None


@dataclass(frozen=True)
class Contrast(PlainData):
    """The comparison of two segmenters.

    ``difference`` is the mean of the first minus that of the second. ``statistic`` and ``effect`` are
    positive if the first has the greater values or ranks. ``adjusted_p`` is corrected for the number of
    pairs, ``p_value`` is not. ``least_p`` is the smallest ``adjusted_p`` that the number of subjects or
    resamples allows. ``subjects`` is the number of subjects in which the two differ.
    """

    first: str
    second: str
    difference: float
    statistic: float
    p_value: float
    adjusted_p: float
    effect: float
    effect_name: str
    least_p: float = 0.0
    subjects: int = 0


@dataclass(frozen=True, repr=False)
class TestReport(Result):
    """A test: why it was chosen, its subjects, results and caveats."""

    __test__ = False  # the name must not make pytest collect it

    procedure: str
    subjects: int
    omnibus: Omnibus | None
    contrasts: tuple[Contrast, ...]
    alpha: float = ALPHA
    reason: str | None = None  # why this procedure was chosen
    assumptions: tuple[Assumption, ...] = ()
    remarks: tuple[str, ...] = ()
    """Notes on the procedure."""

    def numbers(self) -> dict[str, Any]:
        """Return procedure, omnibus result, contrasts and assumptions as plain data."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:
        subjects = counted(self.subjects, "subject")
        return f"<TestReport: {self.procedure} of {subjects}, p = {self.p_value:.2g}>"

    @property
    def p_value(self) -> float:
        """p of the omnibus test; without one, the smallest adjusted p of the pairs."""
        if self.omnibus is not None:
            return self.omnibus.p_value
        known = [contrast.adjusted_p for contrast in self.contrasts if not math.isnan(contrast.adjusted_p)]
        return min(known, default=math.nan)

    @property
    def significant(self) -> tuple[Contrast, ...]:
        """The pairs that differ at α; none if the omnibus test is not significant."""
        if not self.p_value < self.alpha:
            return ()
        return tuple(contrast for contrast in self.contrasts if contrast.adjusted_p < self.alpha)

    def named(self, labels: Mapping[str, str]) -> TestReport:
        """Return the report with other names of segmenters."""
        shown = dataclasses.replace
        contrasts = (
            shown(c, first=labels.get(c.first, c.first), second=labels.get(c.second, c.second))
            for c in self.contrasts
        )
        assumptions = (shown(each, of=labels.get(each.of, each.of)) for each in self.assumptions)
        return shown(self, contrasts=tuple(contrasts), assumptions=tuple(assumptions))

    def against(self, name: str) -> dict[str, Contrast]:
        """Return the contrasts of a segmenter by the name of the other one."""
        own = [contrast for contrast in self.contrasts if name in (contrast.first, contrast.second)]
        return {({contrast.first, contrast.second} - {name}).pop(): contrast for contrast in own}

    @property
    def cannot_tell(self) -> tuple[Contrast, ...]:
        """The pairs for which the test is inconclusive: no values could make them differ at α."""
        return tuple(contrast for contrast in self.contrasts if contrast.least_p >= self.alpha)

    def verdict(self, contrast: Contrast) -> str:
        """Return whether a pair differs, in words."""
        if self.p_value < self.alpha and contrast.adjusted_p < self.alpha:
            return "differ"
        return CANNOT_TELL if contrast.least_p >= self.alpha else "not significant"


@dataclass(frozen=True)
class Interval(PlainData):
    """An estimate, its bounds and its standard error; NaN if it cannot be resampled."""

    estimate: float
    low: float
    high: float
    standard_error: float

    def __iter__(self) -> Iterator[float]:
        """Yield the bounds: ``low, high = interval``."""
        return iter((self.low, self.high))

    def __getitem__(self, index: int) -> float:
        return (self.low, self.high)[index]


# -------------------------------------------------------------------- the report in tables and words


CANNOT_TELL = "inconclusive"


def contrasts_table(report: TestReport, difference: str = "difference") -> Table:
    """Return the contrasts of a test."""
    effect = next((contrast.effect_name for contrast in report.contrasts), "effect")
    names = ["first", "second", difference, "adjusted p", "verdict", "p", effect]
    rows: list[list[Cell]] = [
        [c.first, c.second, c.difference, c.adjusted_p, report.verdict(c), c.p_value, c.effect]
        for c in report.contrasts
    ]
    return Table.under(names, rows, report.notes, report.procedure)


def assumptions_table(report: TestReport) -> Table:
    """Return the tests of the assumptions of an analysis of variance."""
    verdicts = {True: "holds", False: "rejected", None: "not tested"}
    columns = ["assumption", "of", "verdict", "statistic", "p", "reason"]
    rows = (
        [each.name, each.of, verdicts[each.holds], each.statistic, each.p_value, each.reason]
        for each in report.assumptions
    )
    return Table.under(columns, rows, title="Assumptions")


def report_notes(report: TestReport) -> list[Note]:
    """Return the omnibus result, why the procedure was chosen, and its notes."""
    notes = [reading(text) for text in (report.reason, *report.remarks) if text]
    if omnibus := report.omnibus:
        result = omnibus.reason or p_shown(omnibus.p_value)
        notes.insert(0, finding(f"All segmenters together: {omnibus.name}, {result}."))
    elif n := len(report.contrasts):
        differing = len(report.significant)
        pairs = f"{differing:,} of {counted(n, 'pair')}" if differing else "No pair"
        differ = f"{pairs} {'differ' if differing > 1 else 'differs'} significantly"
        if len(report.cannot_tell) == n:
            differ = "Inconclusive for every pair"
        notes.insert(0, finding(f"{differ} ({report.procedure}, α = {report.alpha:g})."))
    return notes


present(TestReport, notes=report_notes, main=contrasts_table, assumptions=assumptions_table)
