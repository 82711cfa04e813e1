"""windows(): the windows in error of Pk, Pk′ or WindowDiff, as in PH02, figures 2 to 4.

PH02 is Pevzner & Hearst (2002), A critique and improvement of an evaluation metric for text segmentation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, overload

from caesura.errors import ParameterError
from caesura.kernel.python import first_and_last, window_runs
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import METRICS, metric_for
from caesura.metrics.window import WindowCounts, WindowError
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.values.segmentation import SegmentationLike, as_segmentation, check_comparable
from caesura.wording import counted, listed


class Window(NamedTuple):
    """A window in error, which compares the units ``start`` and ``end``, k apart."""

    start: int
    """The first unit, counted from 0; below 0 if a padded window starts before the document."""
    end: int
    """The last unit, ``start`` + k; from ``n_units`` on it is outside the document, or wraps around."""
    reference: int
    """The number of boundaries of the reference inside."""
    hypothesis: int
    """The number of boundaries of the hypothesis inside."""
    weight: int
    """The window's part of the metric's errors."""


class Run(NamedTuple):
    """Neighboring windows with the same numbers of boundaries, and so the same error."""

    first: Window
    n_windows: int

    def window(self, index: int) -> Window:
        """Return one of the windows."""
        return self.first._replace(start=self.first.start + index, end=self.first.end + index)


class WindowErrors(Sequence[Window]):
    """Every window in error, in order; stored as runs, so the length of documents does not matter."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = tuple(runs)
        self._ends = list(accumulate(run.n_windows for run in self.runs))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Window]:
        return (run.window(i) for run in self.runs for i in range(run.n_windows))

    @overload
    def __getitem__(self, index: int) -> Window: ...
    @overload
    def __getitem__(self, index: slice) -> list[Window]: ...
    def __getitem__(self, index: int | slice) -> Window | list[Window]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        index = range(len(self))[index]
        run = bisect_right(self._ends, index)
        return self.runs[run].window(index - (self._ends[run - 1] if run else 0))

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'window')} in {counted(len(self.runs), 'run')}>"


@dataclass(frozen=True, repr=False)
class Windows(Result):
    """The windows that a metric slides over two segmentations, and those in error."""

    score: Score
    """The metric's value; the weights of the errors add up to its numerator."""
    n_units: int
    """Length of the document, in the units of windows."""
    k: int
    """Size of a window."""
    n_windows: int
    """Number of windows, with and without errors."""
    errors: WindowErrors
    """Every window with an error."""

    @property
    def metric(self) -> Metric:
        """The metric of the windows."""
        return self.score.metric

    def stretches(self) -> list[tuple[int, int]]:
        """Return the positions of the document that windows in error cover, as stretches (first, last)."""
        covered = [(run.first.start + 1, run.window(run.n_windows - 1).end) for run in self.errors.runs]
        if self.metric.parameters["edges"] == "wrap":
            covered += [(first - self.n_units, last - self.n_units) for first, last in covered]
        merged: list[tuple[int, int]] = []
        for first, last in sorted(covered):
            first, last = max(first, 1), min(last, self.n_units - 1)
            if merged and first <= merged[-1][1] + 1:
                first, last = merged[-1][0], max(merged.pop()[1], last)
            if first <= last:
                merged.append((first, last))
        return merged

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data; the windows in error as runs."""
        sizes = {name: getattr(self, name) for name in ("n_units", "k", "n_windows")}
        runs = [{**run.first._asdict(), "windows": run.n_windows} for run in self.errors.runs]
        own = {"value": float(self.score), "signature": self.score.signature, **sizes}
        return {**own, "n_errors": len(self.errors), "runs": runs}

    def __repr__(self) -> str:
        return f"<{len(self.errors):,} of {counted(self.n_windows, 'window')} err: {self.score!r}>"


RUN_COLUMNS = ("start", "end", "windows", "reference", "hypothesis", "weight")
FIRST = "start and end are the first and last unit (from 0) of the first window"
RUN_NOTE = reading(f"A row is a run of windows with the same counts: {FIRST}; weight is each window's error.")


def run_rows(windows: Windows) -> list[list[Cell]]:
    """Return a row for each run of windows in error."""
    return [[first.start, first.end, n, *first[2:]] for first, n in windows.errors.runs]


def _notes(windows: Windows) -> list[Note]:
    n = f"{len(windows.errors):,} of {counted(windows.n_windows, 'window')} of {windows.k} positions"
    verdict = finding(f"{n} are in error: {windows.metric.title} {float(windows.score):.4f}.")
    return [verdict, RUN_NOTE, signature(windows.score.signature)]


present(Windows, notes=_notes, main=lambda shown: Table.under(RUN_COLUMNS, run_rows(shown), _notes(shown)))


def windows(
    reference: SegmentationLike, hypothesis: SegmentationLike, metric: str | Metric = "WD"
) -> Windows:
    """Return the windows of Pk, Pk′ or WindowDiff, and those in error (PH02, figures 2 to 4).

    Window i holds the k positions between the units i and i + k. The weights of all errors add up to the
    numerator of the score. Time and memory grow with the boundaries, not with the units.

    Parameters
    ----------
    metric
        Pk, PkPrime or WD, with any of their parameters, such as "WD(k=4, edges='padded')"

    >>> result = windows([2, 3, 6], [2, 2, 7])
    >>> result
    <2 of 9 windows err: <WD 0.222222 = 2/9>>
    >>> result.errors[0]
    Window(start=2, end=4, reference=0, hypothesis=1, weight=1)
    >>> result.stretches()
    [(3, 6)]
    """
    judge = metric_for(None, metric)
    if not isinstance(judge, WindowError):
        names = [name for name, kind in METRICS.items() if issubclass(kind, WindowError)]
        raise ParameterError(f"{judge.name} does not slide a window: choose {listed(names, last='or')}")
    given = as_segmentation(reference), as_segmentation(hypothesis)
    check_comparable(*given)
    k, edges = judge.size(given[0]), judge.edges_code()
    ref, hyp = judge.refine(*given)
    runs = []
    for start, n, r, h in window_runs(ref.position_array, hyp.position_array, ref.n_units, k, edges):
        errs, is_false = (r > 0) != (h > 0), r == 0 < h
        of_one = WindowCounts(1, errs, is_false, r != h, abs(r - h), min(r, h), k, r, h)
        weight = int(judge.combine(of_one)[0])
        if weight:
            runs.append(Run(Window(start, start + k, r, h, weight), n))
    first, last = first_and_last(ref.n_units, k, edges)
    return Windows(judge(*given), ref.n_units, k, max(0, last - first + 1), WindowErrors(runs))
