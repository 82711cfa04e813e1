"""Comparison: what compare() found, with its tests, tables and conclusion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.drop import AgreementDrop, agreement_drop
from caesura.analyses.comparison.bounds import distance_from_best
from caesura.analyses.comparison.judged import PairCorrectness
from caesura.arrays import FloatArray
from caesura.checks import check_choice
from caesura.errors import CaesuraError
from caesura.metrics.base import Metric, signature
from caesura.metrics.edit import EditMetric
from caesura.results.notes import caveat, finding, reading, recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table, distinct, latex_escape
from caesura.stats.choosing import CODINGS_NOTE, between_subjects, power_note, within_subjects
from caesura.stats.intervals import t_interval
from caesura.stats.outcome import Interval, TestReport
from caesura.stats.resampling import bootstrap_intervals, paired_bootstrap, pooled, randomization
from caesura.values.corpus import Corpus
from caesura.wording import listed

Subjects = Literal["documents", "bootstrap", "codings", "pairs"]
SUBJECTS = ("documents", "bootstrap", "codings", "pairs")

FEW_DOCUMENTS = 10


class MeanInterval(NamedTuple):
    """A mean over codings, its standard error and Student's interval."""

    mean: float
    se: float
    low: float
    high: float


@dataclass(frozen=True)
class SegmenterRow:
    """One segmenter or bound in numbers; counts of a bound of several draws are means over them."""

    name: str
    kind: str
    n_codings: int
    n_pairs: float
    value: float
    se: float
    se_n: float
    """What ``se`` is over: boundary pairs of B, codings of other metrics."""
    macro: float
    macro_se: float
    matches: float
    near_misses: float
    wrong_types: float
    missed: float
    spurious: float
    tp: float
    fp: float
    fn: float
    tn: float

    def t_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Student's interval of the value, as if what ``se`` is over were independent."""
        return t_interval(self.value, self.se, self.se_n, confidence)

    @property
    def precision(self) -> float:
        """B-precision."""
        return _share(self.tp, self.tp + self.fp, self.fn)

    @property
    def recall(self) -> float:
        """B-recall."""
        return _share(self.tp, self.tp + self.fn, self.fp)

    @property
    def f1(self) -> float:
        """B-F1."""
        whole = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / whole if whole else 1.0

    @property
    def density(self) -> float:
        """Predicted boundaries per reference boundary."""
        paired = self.matches + self.near_misses + self.wrong_types
        actual = paired + self.missed
        return (paired + self.spurious) / actual if actual else math.nan


def _share(part: float, whole: float, errors: float) -> float:
    """A rate; without anything to divide by 1 if there is no error on the other side, else 0."""
    return part / whole if whole else float(errors == 0)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Segmenters in the order of the call, then lower bounds, then people.

    Tests use stored counts; nothing is compared again. ``print`` it to see the main table.
    """

    corpus: Corpus
    metric: Metric
    judge: EditMetric
    documents: tuple[str, ...]
    coders: tuple[str, ...]
    rows: tuple[SegmenterRow, ...]
    others: tuple[Metric, ...]
    beside: dict[str, dict[str, tuple[float, float]]]
    """Other metrics: mean and standard error over codings, by segmenter (F13t Table 5.7)."""
    counts: FloatArray = field(compare=False)  # documents × tested × counts
    values: FloatArray = field(compare=False)  # codings × tested
    correctness: tuple[PairCorrectness, ...] = field(compare=False)
    by_coder: FloatArray = field(compare=False)  # coders × tested × counts
    machines: Corpus = field(compare=False)
    alpha: float
    confidence: float
    n_resamples: int
    n_draws: int
    seed: int
    progress: Callable[[int, int], None] | None = field(default=None, compare=False)

    # ---------------------------------------------------------------- numbers

    @property
    def tested(self) -> tuple[str, ...]:
        """Segmenters and lower bounds: all that are judged on the same codings."""
        return tuple(row.name for row in self.rows if row.kind != "upper bound")

    def __getitem__(self, name: str) -> SegmenterRow:
        """Return the row of a segmenter or bound."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    @cached_property
    def means(self) -> dict[str, dict[str, MeanInterval]]:
        """Means over codings with Student's intervals: by metric, then by segmenter (F13t Table 5.7)."""
        found = {repr(self.metric): {name: (self[name].macro, self[name].macro_se) for name in self.tested}}
        found |= {spec: means for spec, means in self.beside.items() if spec not in found}
        return {
            spec: {
                name: MeanInterval(mean, se, *t_interval(mean, se, self[name].n_codings, self.confidence))
                for name, (mean, se) in means.items()
            }
            for spec, means in found.items()
        }

    @property
    def ranking(self) -> tuple[str, ...]:
        """Segmenters and lower bounds from the best value to the worst."""
        return tuple(_best_first(self.metric, {name: self[name].value for name in self.tested}))

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Document-clustered bootstrap intervals of the values."""
        found = bootstrap_intervals(
            self.metric,
            self.counts,
            n_resamples=self.n_resamples,
            confidence=self.confidence,
            rng=self.seed,
            progress=self.progress,
        )
        return dict(zip(self.tested, found.segmenters, strict=True))

    def test(self, subjects: Subjects = "documents") -> TestReport:
        """Test the segmenters and lower bounds against each other.

        ``documents`` (default): randomisation document by document, which holds its α when the boundary
        pairs of a document are correlated. ``bootstrap``: paired bootstrap of documents. ``codings``: every
        coding is a subject (F13t §5.3.1). ``pairs``: every boundary pair is (F13t §5.3.2); pairs of one
        document are not independent, so it finds differences that are not there.
        """
        check_choice("subjects", subjects, SUBJECTS)
        names = self.tested
        if subjects == "codings":
            report = within_subjects(self.values, names, self.alpha)
            return replace(report, notes=(*report.notes, CODINGS_NOTE))
        if subjects == "pairs":
            return between_subjects([one.values for one in self.correctness], names, self.alpha)
        resample = randomization if subjects == "documents" else paired_bootstrap
        return resample(
            self.metric,
            self.counts,
            names=names,
            n_resamples=self.n_resamples,
            alpha=self.alpha,
            rng=self.seed + 1,
            progress=self.progress,
        )

    @cached_property
    def report(self) -> TestReport | None:
        """The default test; None with a single segmenter."""
        return self.test() if len(self.tested) > 1 else None

    def beats(self, name: str) -> tuple[str, ...]:
        """Return whom a segmenter beats: better values, and a significant difference in the default test."""
        if self.report is None:
            return ()
        found = []
        for contrast in self.report.significant:
            if name in (contrast.first, contrast.second):
                other = contrast.second if name == contrast.first else contrast.first
                ours, theirs = (distance_from_best(self.metric, self[one].value) for one in (name, other))
                if ours < theirs:
                    found.append(other)
        return tuple(found)

    @cached_property
    def drop(self) -> AgreementDrop:
        """The drop of κ* when each segmenter joins the coders (F13t §4.3); it needs two coders or more."""
        segmenters = [row.name for row in self.rows if row.kind == "segmenter"]
        return agreement_drop(Corpus.merge(self.corpus, self.machines), segmenters, n_t=self.judge.n_t)

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each segmenter and lower bound, in the order of the ranking."""
        return {name: chr(ord("a") + i) if i < 26 else str(i + 1) for i, name in enumerate(self.ranking)}

    # ---------------------------------------------------------------- words

    def conclusion(self) -> str:
        """Return what the data supports, and no more."""
        ours = [row for row in self.rows if row.kind == "segmenter"]
        best = min(ours, key=lambda row: distance_from_best(self.metric, row.value))
        name = self.metric.name
        if self.report is None:
            return f"{best.name} has {name} {best.value:.3f}; nothing to compare it with."
        beaten = self.beats(best.name)
        others = [row.name for row in self.rows if row.kind != "upper bound" and row.name != best.name]
        if set(beaten) >= set(others):
            start = f"{best.name} is better than {listed(others)} ({name} {best.value:.3f}"
        elif beaten:
            rest = [other for other in others if other not in beaten]
            start = (
                f"{best.name} is better than {listed(beaten)}, but no difference from {listed(rest)} "
                f"is shown ({name} {best.value:.3f}"
            )
        else:
            start = f"No difference is shown between {best.name} and the others ({name} {best.value:.3f}"
        return f"{start}; {self.report.procedure}, α = {self.alpha:g}). {self._failure()}".rstrip()

    def _failure(self) -> str:
        """Say how the segmenters err, where it is one-sided."""
        parts = []
        for row in self.rows:
            if row.kind != "segmenter":
                continue
            actual = row.matches + row.near_misses + row.wrong_types + row.missed
            if actual and row.precision > 1.25 * row.recall:
                parts.append(f"{row.name} is precise but misses {row.missed / actual:.0%} of the boundaries")
            elif actual and row.recall > 1.25 * row.precision:
                predicted = actual - row.missed + row.spurious
                parts.append(f"{row.spurious / predicted:.0%} of the boundaries of {row.name} are spurious")
        return f"{'; '.join(parts)}." if parts else ""

    @property
    def rankings(self) -> dict[str, tuple[str, ...]]:
        """Segmenters and lower bounds from best to worst by each metric; other metrics by their mean."""
        found = {repr(self.metric): self.ranking}
        for other in self.others:
            means = self.beside[repr(other)]
            found[repr(other)] = tuple(_best_first(other, {name: means[name][0] for name in self.tested}))
        return found

    def disagreements(self) -> list[str]:
        """Say where another metric ranks segmenters differently, and what may be behind it."""
        notes = []
        for other in self.others:
            order = self.rankings[repr(other)]
            swapped = next(
                (
                    (a, b)
                    for i, a in enumerate(self.ranking)
                    for b in self.ranking[i + 1 :]
                    if order.index(b) < order.index(a)
                ),
                None,
            )
            if swapped:
                here, there = (self[name] for name in swapped)
                notes.append(
                    f"{other.name} puts {there.name} before {here.name}, {self.metric.name} after: "
                    f"{_habits(there)}; {_habits(here)}."
                )
        return notes

    def warnings(self) -> list[str]:
        """Say what the numbers do not show."""
        notes = []
        n_documents = len(self.documents)
        if n_documents < FEW_DOCUMENTS:
            few = "One document says nothing about others: there is no interval"
            if n_documents > 1:
                few = f"Only {n_documents} documents: intervals are too narrow"
            notes.append(f"{few}, and differences are hard to show.")
        if len(self.tested) > 1:
            notes.append(power_note(n_documents, len(self.tested), self.alpha))
        if len(self.coders) == 1:
            notes.append("One reference coder: another person might mark other boundaries.")
        if self.report is not None:
            notes += [self.report.reason] if self.report.reason else []
        return notes

    @property
    def signature(self) -> str:
        """The recipe behind the numbers."""
        draws = f"|draws={self.n_draws}" if self.n_draws else ""
        test = f"|test={self.report.procedure}, Holm" if self.report else ""
        return f"{signature(self.metric)}{test}|resamples={self.n_resamples}{draws}"

    # ---------------------------------------------------------------- tables

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        rows = [
            {**vars(row), "precision": row.precision, "recall": row.recall, "f1": row.f1,
             "density": row.density, "beats": list(self.beats(row.name)),
             "interval": self.intervals[row.name].to_dict() if row.name in self.intervals else None}
            for row in self.rows
        ]  # fmt: skip
        return {
            "signature": self.signature,
            "conclusion": self.conclusion(),
            "warnings": self.warnings(),
            "disagreements": self.disagreements(),
            "ranking": list(self.ranking),
            "rankings": {spec: list(order) for spec, order in self.rankings.items()},
            "segmenters": rows,
            "other metrics": {
                spec: {name: mean._asdict() for name, mean in found.items()}
                for spec, found in self.means.items()
                if spec in self.beside
            },
            "test": self.report.to_dict() if self.report else None,
            "agreement drop": self._drop_data(),
        }

    def _drop_data(self) -> dict[str, Any]:
        try:
            return self.drop.to_dict()
        except CaesuraError as error:
            return {"reason": str(error)}

    def to_table(self) -> Table:
        """Return the main table: F13t Table 5.8 with intervals and who beats whom."""

        letters = self.letters
        name, percent = self.metric.name, f"{self.confidence:.0%}"
        names = ["", "segmenter", name, "SE", f"low {percent}", f"high {percent}", "B-P", "B-R", "B-F1"]
        names += ["n", "codings", "beats"]
        people = [row for row in self.rows if row.kind == "upper bound"]
        rows: list[list[Cell]] = []
        for row in [*people, *(self[one] for one in self.ranking)]:
            interval = self.intervals.get(row.name)
            beaten = sorted(letters[one] for one in self.beats(row.name))
            rows.append(
                [
                    letters.get(row.name, ""),
                    row.name if row.kind == "segmenter" else f"{row.name} ({row.kind})",
                    row.value,
                    row.se,
                    *((interval.low, interval.high) if interval else (None, None)),
                    row.precision,
                    row.recall,
                    row.f1,
                    _count(row.n_pairs),
                    row.n_codings,
                    " ".join(beaten),
                ]
            )
        notes = [*map(finding, [self.conclusion(), *self.disagreements()]), *map(caveat, self.warnings())]
        notes.append(recipe(self.signature))
        return Table("", [Column(column) for column in names], rows, notes=notes)

    def to_latex(self) -> str:
        """Return the main table for a paper (booktabs): best values bold, superscripts for who is beaten."""

        letters = self.letters
        rows = [self[name] for name in self.ranking]
        best = {
            "value": min((row.value for row in rows), key=lambda v: distance_from_best(self.metric, v)),
            **{rate: max(getattr(row, rate) for row in rows) for rate in ("precision", "recall", "f1")},
        }

        def shown(row: SegmenterRow, quantity: str) -> str:
            number = f"{getattr(row, quantity):.4f}"
            is_best = row.kind != "upper bound" and getattr(row, quantity) == best[quantity]
            return rf"\textbf{{{number}}}" if is_best else number

        lines = [
            r"\begin{table}",
            r"\centering",
            r"\begin{tabular}{llrrrrr}",
            r"\toprule",
            rf" & segmenter & {latex_escape(self.metric.name)} $\pm$ SE & B-P & B-R & B-F$_1$ & $n$ \\",
            r"\midrule",
        ]
        for row in [*(row for row in self.rows if row.kind == "upper bound"), *rows]:
            beaten = "".join(sorted(letters[other] for other in self.beats(row.name)))
            mark = rf"$^{{{beaten}}}$" if beaten else ""
            rates = " & ".join(shown(row, rate) for rate in ("precision", "recall", "f1"))
            lines.append(
                rf"{letters.get(row.name, '')} & {latex_escape(row.name)} & "
                rf"{shown(row, 'value')}{mark} $\pm$ {row.se:.4f} & {rates} & {row.n_pairs:.0f} \\"
            )
        caption = f"Superscripts: segmenters that are beaten at α = {self.alpha:g}. {self.signature}"
        lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{latex_escape(caption)}.}}", r"\end{table}"]
        return "\n".join(lines)

    def edits_table(self) -> Table:
        """Return matches and edits by kind and side, and the confusion matrix (F13t figure 5.31)."""

        names = ["segmenter", "matches", "near misses", "wrong types", "missed", "spurious"]
        names += ["TP", "FP", "FN", "TN", "density"]
        rows: list[list[Cell]] = [
            [row.name, *(_count(n) for n in (row.matches, row.near_misses, row.wrong_types, row.missed,
             row.spurious, row.tp, row.fp, row.fn, row.tn)), row.density]
            for row in self.rows
        ]  # fmt: skip
        note = "missed: only the reference has it (FN side); spurious: only the segmenter has it (FP side)"
        notes = [reading(note), recipe(self.signature)]
        return Table("Edits", [Column(column, 1) for column in names], rows, notes=notes)

    def macro_table(self) -> Table:
        """Return means over codings for every metric, with SE and Student's interval (F13t Table 5.7)."""

        percent = f"{self.confidence:.0%}"
        names = ["segmenter"]
        for spec in self.means:
            names += [spec, f"SE {spec}", f"low {percent} {spec}", f"high {percent} {spec}"]
        rows: list[list[Cell]] = [
            [name, *(cell for means in self.means.values() for cell in means[name]), self[name].n_codings]
            for name in self.tested
        ]
        note = "Student's intervals take codings as independent; those of the main table resample documents."
        columns = [Column(column) for column in [*names, "codings"]]
        return Table("Means over codings", columns, rows, notes=[caveat(note), recipe(self.signature)])

    def documents_table(self) -> Table:
        """Return each segmenter's value on each document: which documents are hard."""
        return self._breakdown("document", self.documents, self.counts)

    def coders_table(self) -> Table:
        """Return each segmenter's value against each coder: which coders are hard to match."""
        return self._breakdown("coder", self.coders, self.by_coder)

    def _breakdown(self, what: str, names: Sequence[str], counts: FloatArray) -> Table:

        values = pooled(self.metric, counts)
        overall = pooled(self.metric, counts.sum(axis=1))
        order = np.argsort([distance_from_best(self.metric, value) for value in overall], kind="stable")[::-1]
        rows: list[list[Cell]] = [[names[i], *values[i].tolist(), float(overall[i])] for i in order.tolist()]
        tested = distinct(self.tested, beside=(what, "together"))
        columns = [Column(what), *map(Column, tested), Column("together")]
        hardest = f"hardest first; {self.metric.name} of all coders and documents of a row, pooled"
        return Table(f"By {what}", columns, rows, notes=[reading(hardest), recipe(self.signature)])

    def tests_table(self) -> Table:
        """Return the default test's comparison of every two segmenters."""

        if self.report is None:
            return Table("", [Column("first"), Column("second")], [], notes=[finding(self.conclusion())])
        names = ["first", "second", "difference", "p", "adjusted p", "effect"]
        rows: list[list[Cell]] = [
            [c.first, c.second, c.difference, c.p_value, c.adjusted_p, c.effect]
            for c in self.report.contrasts
        ]
        omnibus = self.report.omnibus
        notes = [finding(f"all together: {omnibus.name}, p = {omnibus.p_value:.4f}")] if omnibus else []
        notes += [*map(reading, self.report.notes), recipe(self.signature)]
        return Table(self.report.procedure, [Column(column) for column in names], rows, notes=notes)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {self[name].value:.4f}" for name in self.ranking)
        return f"<Comparison by {self.metric}: {shown}>"


def _best_first(metric: Metric, values: dict[str, float]) -> list[str]:
    return sorted(values, key=lambda name: distance_from_best(metric, values[name]))


def _habits(row: SegmenterRow) -> str:
    return (
        f"{row.name} has precision {row.precision:.2f}, recall {row.recall:.2f} and {row.density:.2f} "
        "boundaries per reference boundary"
    )


def _count(value: float) -> Cell:
    return int(value) if float(value).is_integer() else float(value)
