"""rank_saved(): systems whose scores were saved, from best to worst, with intervals and pairwise tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.analyses.saved_scores import SavedScores
from caesura.checks import CONFIDENCE, TEST_RESAMPLES, Seed
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.results.notes import Note, caveat, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.stats.choosing import power_note
from caesura.stats.outcome import Interval, TestReport, contrasts_table
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
    """Of every pair of systems, with Holm correction; None for one system."""
    set_apart: tuple[Apart, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics; the one that ranks comes first."""
        return tuple(sorted(self.scores[0].signature, key=self.metric.__ne__))

    @property
    def documents(self) -> dict[str, list[float]]:
        """The values of each document by the ranking metric, from the best system to the worst."""
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
    """Rank the saved scores that can be compared; the others are set apart with the reason.

    The largest group of files that share references, metrics and major version is ranked; at a tie, the group
    of the first file.

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
            fault = f"{file} and {by_system[scores.system]} are both of {short_name(scores.system)}"
            raise CorpusError(f"{fault}; remove one, or score it again under another coder name")
        by_system[scores.system] = file
    first = files[leader]
    chosen = next(iter(first.signature)) if metric is None else metric
    if chosen not in first.signature:
        raise ParameterError(f"no saved scores are of {chosen}; {did_you_mean(chosen, first.signature)}")
    judge = first.metrics[chosen]
    best_first = sorted(ours, key=lambda file: judge.distance_from_best(float(files[file].score(chosen))))
    ranked = [files[file] for file in best_first]
    metrics = sorted(first.signature, key=chosen.__ne__)
    tables = [np.stack([scores.counts(name) for scores in ranked], axis=1) for name in metrics]
    intervals = [
        bootstrap_intervals(
            first.metrics[name], table, n_resamples=n_resamples, rng=rng, differences=False
        ).segmenters
        for name, table in zip(metrics, tables, strict=True)
    ]
    names = [scores.system for scores in ranked]
    tests = None
    if len(ranked) > 1:
        tests = randomization(judge, tables[0], names=names, n_resamples=n_resamples, rng=rng)
    apart = [(file, scores) for file, scores in files.items() if file not in ours]
    return Ranking(
        chosen,
        tuple(ranked),
        tuple(map(Ranked, names, best_first, zip(*intervals, strict=True))),
        tests,
        tuple(Apart(file, scores.system, scores.reason_apart(first)) for file, scores in apart),
    )


# -------------------------------------------------------------------- in tables and words


def _main_table(result: Ranking) -> Table:
    """Return a row for each system, the best first: intervals, and what tests say against the best."""
    level, tests = percent(CONFIDENCE), result.tests
    columns = [
        part for name in result.metrics for part in (name, f"{name} low {level}", f"{name} high {level}")
    ]
    verdicts: dict[str, str] = {}
    if tests is not None:
        for name, contrast in tests.against(result.ranking[0].system).items():
            verdicts[name] = f"{tests.verdict(contrast)} ({p_shown(contrast.adjusted_p)})"
    rows: list[list[Cell]] = []
    for rank, (system, _, intervals) in enumerate(result.ranking, start=1):
        cells = [cell for interval in intervals for cell in (interval.estimate, *interval)]
        rows.append([rank, system, *cells, verdicts.get(system, "")])
    first, last = ("rank", "system"), f"{result.metric} against the best"
    named = [Column(name) for name in distinct([*columns, last], beside=first)]
    return Table("", [Column("rank", 0), Column("system"), *named], rows, notes=_notes(result))


def _tests_table(result: Ranking) -> Table:
    """Return the test of every pair of systems."""
    return Table("", [], []) if result.tests is None else contrasts_table(result.tests, result.metric)


def _documents_table(result: Ranking) -> Table:
    """Return the best system's value of each document, and the differences of the others from it."""
    names = [row.system for row in result.ranking]
    rows: list[list[Cell]] = [
        [document, values[0], *(value - values[0] for value in values[1:])]
        for document, values in result.documents.items()
    ]
    notes = [reading(f"{result.metric} of {short_name(names[0])}; for the others, the difference from it.")]
    return Table.under(["document", *distinct(names, beside=("document",))], rows, notes)


def _apart_table(result: Ranking) -> Table:
    """Return the files that cannot be compared, with the reason."""
    return Table.under(["file", "system", "reason"], result.set_apart)


def _notes(result: Ranking) -> list[Note]:
    n = len(result.scores[0].documents)
    documents, signatures = counted(n, "document"), result.scores[0].signature
    notes = [reading(f"Values pool all codings; intervals resample the same {documents} for all systems.")]
    if len(result.ranking) > 1:
        notes.append(caveat(power_note(n, len(result.ranking))))
    return notes + [
        signature(f"{signatures[name]}|average=micro|caesura {__version__}") for name in result.metrics
    ]


present(
    Ranking,
    notes=_notes,
    main=_main_table,
    tests=_tests_table,
    documents=_documents_table,
    set_apart=_apart_table,
)
