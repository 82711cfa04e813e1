"""rank_saved(): systems whose scores were saved, from best to worst, with intervals, and tests of any two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.analyses.saved_scores import SavedScores
from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE, TEST_RESAMPLES, Seed
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.results.notes import Note, caveat, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.stats.choosing import power_note
from caesura.stats.outcome import CANNOT_TELL, Interval, TestReport, contrasts_table
from caesura.stats.resampling import bootstrap_intervals, randomization
from caesura.values.forms import short_name
from caesura.version import __version__
from caesura.wording import counted, p_shown, percent


class Ranked(NamedTuple):
    """A system of the board."""

    system: str
    file: str
    intervals: tuple[Interval, ...]
    """The pooled value of each metric, and the ends of its interval."""


class Apart(NamedTuple):
    """A file that cannot be compared with the others."""

    file: str
    system: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Saved scores from best to worst."""

    NUMBERS = ("metric", "ranking", "tests", "documents", "set_apart")

    metric: str
    """The metric that ranks."""
    scores: tuple[SavedScores, ...]
    """From best to worst."""
    ranking: tuple[Ranked, ...]
    tests: TestReport | None
    """Of any two systems, adjusted for their number; None of one system."""
    set_apart: tuple[Apart, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics, that which ranks first."""
        return tuple(sorted(self.scores[0].signature, key=self.metric.__ne__))

    @property
    def documents(self) -> dict[str, list[float]]:
        """The values of each document by the metric that ranks, from the best system to the worst."""
        columns = [own.values(self.metric) for own in self.scores]
        return {document: [column[document] for column in columns] for document in columns[0]}

    def __repr__(self) -> str:
        return f"<Ranking of {counted(len(self.ranking), 'system')} by {self.metric}>"


def rank_saved(
    files: Mapping[str, SavedScores],
    metric: str | None = None,
    *,
    n_resamples: int = TEST_RESAMPLES,
    rng: Seed = 0,
) -> Ranking:
    """Rank those of some saved scores that can be compared; the others are set apart with the reason.

    The most files that share references, metrics and major version are ranked, of equally many those of the
    first file.

    Parameters
    ----------
    files
        Saved scores by the name of their file.
    metric
        The specification of the metric that ranks; by default the first of the files.
    """
    if not files:
        raise CorpusError("no saved scores given")
    leaders: list[str] = []
    group_of = {}
    for file, scores in files.items():
        leader = next((each for each in leaders if not scores.reason_apart(files[each])), file)
        leaders += [file] if leader == file else []
        group_of[file] = leader
    leader = max(leaders, key=[*group_of.values()].count)
    ours = {file: scores for file, scores in files.items() if group_of[file] == leader}
    by_system: dict[str, str] = {}
    for file, scores in ours.items():
        if scores.system in by_system:
            raise CorpusError(
                f"{file} and {by_system[scores.system]} are both of {short_name(scores.system)}: remove one, "
                "or score it again with its coder under another name"
            )
        by_system[scores.system] = file
    first = files[leader]
    chosen = next(iter(first.signature)) if metric is None else metric
    if chosen not in first.signature:
        raise ParameterError(f"no saved scores are of {chosen}; {did_you_mean(chosen, first.signature)}")
    judge = first.metrics[chosen]
    names = sorted(
        by_system, key=lambda name: judge.distance_from_best(float(files[by_system[name]].score(chosen)))
    )
    ranked = [files[by_system[name]] for name in names]
    intervals = [
        _intervals(ranked, each, n_resamples, rng) for each in sorted(first.signature, key=chosen.__ne__)
    ]
    tests = None
    if len(ranked) > 1:
        tests = randomization(judge, _table(ranked, chosen), names=names, n_resamples=n_resamples, rng=rng)
    return Ranking(
        chosen,
        tuple(ranked),
        tuple(Ranked(name, by_system[name], own) for name, *own in zip(names, *intervals, strict=True)),  # type: ignore[arg-type]
        tests,
        tuple(
            Apart(file, scores.system, scores.reason_apart(first))
            for file, scores in files.items()
            if file not in ours
        ),
    )


def _table(scores: list[SavedScores], name: str) -> FloatArray:
    return np.stack([own.counts(name) for own in scores], axis=1)


def _intervals(scores: list[SavedScores], name: str, n_resamples: int, rng: Seed) -> tuple[Interval, ...]:
    metric, table = scores[0].metrics[name], _table(scores, name)
    return bootstrap_intervals(metric, table, n_resamples=n_resamples, rng=rng, differences=False).segmenters


# -------------------------------------------------------------------- in tables and words


def _main_table(result: Ranking) -> Table:
    """Return a row for each system, the best first: intervals, and what tests say against the best."""
    level = percent(CONFIDENCE)
    columns = [
        part for name in result.metrics for part in (name, f"{name} low {level}", f"{name} high {level}")
    ]
    best = result.ranking[0].system
    against = {} if result.tests is None else {c.second: c for c in result.tests.contrasts if c.first == best}
    verdicts: dict[str, str] = {}
    for name, contrast in against.items():
        assert result.tests is not None
        is_blind, differs = contrast in result.tests.cannot_tell, contrast in result.tests.significant
        word = CANNOT_TELL if is_blind else "differs" if differs else "no difference shown"
        verdicts[name] = f"{word} ({p_shown(contrast.adjusted_p)})"
    rows: list[list[Cell]] = [
        [
            *(number, row.system),
            *(
                cell
                for interval in row.intervals
                for cell in (interval.estimate, interval.low, interval.high)
            ),
            verdicts.get(row.system, ""),
        ]
        for number, row in enumerate(result.ranking, start=1)
    ]
    first, last = ("rank", "system"), f"{result.metric} against the best"
    named = [Column(name) for name in distinct([*columns, last], beside=first)]
    return Table("", [Column("rank", 0), Column("system"), *named], rows, notes=_notes(result))


def _tests_table(result: Ranking) -> Table:
    """Return what the test says of any two systems."""
    return Table("", [], []) if result.tests is None else contrasts_table(result.tests, result.metric)


def _documents_table(result: Ranking) -> Table:
    """Return the best system's value of each document, and how far the others are from it."""
    names = [row.system for row in result.ranking]
    rows: list[list[Cell]] = [
        [document, values[0], *(value - values[0] for value in values[1:])]
        for document, values in result.documents.items()
    ]
    notes = [reading(f"{result.metric} of {short_name(names[0])}; for the others, the difference from it.")]
    return Table.under(["document", *distinct(names, beside=("document",))], rows, notes)


def _apart_table(result: Ranking) -> Table:
    """Return the files that are set apart, with the reason."""
    return Table.under(["file", "system", "reason"], result.set_apart)


def _notes(result: Ranking) -> list[Note]:
    n = len(result.scores[0].documents)
    notes = [
        reading(
            f"Values pool all codings; intervals resample the same {counted(n, 'document')} for all systems."
        )
    ]
    if len(result.ranking) > 1:
        notes.append(caveat(power_note(n, len(result.ranking))))
    signatures = result.scores[0].signature
    return [
        *notes,
        *(signature(f"{signatures[name]}|average=micro|caesura {__version__}") for name in result.metrics),
    ]


present(
    Ranking,
    notes=_notes,
    main=_main_table,
    tests=_tests_table,
    documents=_documents_table,
    set_apart=_apart_table,
)
