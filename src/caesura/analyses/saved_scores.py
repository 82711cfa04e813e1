"""Scores to compare later: a system's counts for every document; and rank_saved(), which ranks systems.

Saved scores hold neither texts nor boundaries, but a digest of the references. The gate and the board compare
scores of the same metrics, references and major version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.evaluation.results import Evaluation
from caesura.analyses.evaluation.words import pooled_columns
from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE, TEST_RESAMPLES, Seed
from caesura.errors import CaesuraError, CorpusError, ParameterError, did_you_mean
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric
from caesura.results.as_json import plain_fields
from caesura.results.notes import Note, caveat, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.stats.choosing import power_note
from caesura.stats.outcome import Interval, TestReport, contrasts_table
from caesura.stats.resampling import bootstrap_intervals, pooled, randomization
from caesura.values.columns import lists_of
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.segmentation import PLAIN_TYPE
from caesura.version import __version__
from caesura.wording import counted, listed, p_shown, short

DIGEST_LENGTH = 64
"""Hexadecimal digits of a SHA-256."""


def digest_of(corpus: Corpus) -> str:
    """Return the SHA-256 of a corpus's names, units and boundaries, as a line of JSON for each coding.

    A line is ``["document", "coder", units, [positions]]``, with a list of types where a type is not the
    plain one. Lines are sorted by document, then by coder.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [5]}, "c": {"ann": [4]}})
    >>> digest_of(corpus)[:8] == digest_of(corpus.select(documents=["c", "d"]))[:8]
    True
    """
    codings = corpus.codings
    columns = (
        [corpus.documents[number] for number in corpus.document.tolist()],
        [corpus.coders[number] for number in corpus.coder.tolist()],
        codings.n_units.tolist(),
        *(lists_of(codings.offsets, each) for each in (codings.positions, codings.all_types)),
    )
    digest = hashlib.sha256()
    for *line, types in sorted(zip(*columns, strict=True), key=itemgetter(0, 1)):
        line += [types] if any(each != PLAIN_TYPE for each in types) else []
        digest.update(json.dumps(line).encode("ascii") + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True)
class SavedScores:
    """The scores of one system, as counts of every document."""

    caesura: str
    """The version that made the counts."""
    signature: Mapping[str, str]
    """Of each metric, by its specification."""
    gold: str
    """The digest of the references."""
    system: str
    scale: Mapping[str, int]
    """The units of a metric's counts that make 1."""
    documents: Mapping[str, Mapping[str, Sequence[int]]]
    """Document to metric to counts, in the order of the metric's ``count_names``."""

    @classmethod
    def of(cls, evaluation: Evaluation) -> SavedScores:
        """Take the counts of an evaluation of one segmenter, documents in order of their names."""
        if evaluation.references is None:
            raise ParameterError("scores of a stream are not known by document; read the data to save them")
        if len(evaluation.segmenters) > 1:
            segmenters, first = listed(evaluation.segmenters), evaluation.segmenters[0]
            raise ParameterError(f"cannot save {segmenters} together; choose one, segmenters=[{first!r}]")
        own = {repr(summary.requested): summary for summary in evaluation.summaries}
        counts = [np.asarray(summary.counts).tolist() for summary in own.values()]
        rows = {
            document: dict(zip(own, row, strict=True))
            for document, *row in zip(evaluation.documents, *counts, strict=True)
        }
        settings = {name: summary.metric.settings for name, summary in own.items()}
        scales = {name: summary.micro.scale for name, summary in own.items()}
        sides = digest_of(evaluation.references), evaluation.segmenters[0]
        saved = cls(__version__, settings, *sides, scales, dict(sorted(rows.items())))
        saved.check()
        return saved

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as files have it."""
        return plain_fields(self, ("caesura", "signature", "gold", "system", "scale", "documents"))

    def check(self) -> None:
        """Refuse names, numbers or a digest that do not fit together."""
        if not self.caesura.split(".")[0].isdecimal():
            raise CorpusError(f"caesura is {short(self.caesura)}: expected a version")
        if len(self.gold) != DIGEST_LENGTH or not set(self.gold) <= set("0123456789abcdef"):
            raise CorpusError(f"gold is {short(self.gold)}: expected a SHA-256 in hexadecimal digits")
        if not self.signature or not self.documents:
            raise CorpusError(f"no {'documents' if self.signature else 'metrics'} in it")
        for name, settings in self.signature.items():
            known = _metric_of(name)
            if settings.split("|")[0] != known.name:
                raise CorpusError(f"signature: {short(settings)} does not belong to {known}")
            if self.scale.get(name, 0) < 1:
                raise CorpusError(f"scale of {name} is {self.scale.get(name)}: expected at least 1")
            for document, counts in self.documents.items():
                if len(counts.get(name, ())) != len(known.count_names):
                    fault = f"document {short_name(document)}: {name} is {short(counts.get(name))}"
                    raise CorpusError(f"{fault}: expected the counts {listed(known.count_names)}")
            try:
                self.counts(name)
            except OverflowError:
                raise CorpusError(f"the counts of {name} are too large") from None

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by their specifications."""
        return {name: _metric_of(name) for name in self.signature}

    def counts(self, name: str) -> FloatArray:
        """Return the counts of a metric, a row for each document in order of names."""
        scale, rows = self.scale[name], [counts[name] for _, counts in sorted(self.documents.items())]
        return np.array([[count / scale for count in row] for row in rows])

    def score(self, name: str) -> Score:
        """Return the pooled value of all documents, exact until the last division."""
        totals = tuple(map(sum, zip(*(counts[name] for counts in self.documents.values()), strict=True)))
        return Score(self.metrics[name], totals, self.scale[name], len(self.documents))

    def values(self, name: str) -> dict[str, float]:
        """Return the value of each document, in order of names."""
        values = pooled(self.metrics[name], self.counts(name)).tolist()
        return dict(zip(sorted(self.documents), values, strict=True))

    def reason_apart(self, other: SavedScores, names: Collection[str] | None = None) -> str:
        """Return why scores cannot be compared with others by these metrics, or by all; "" if they can."""
        mine, theirs = (each.caesura.split(".")[0] for each in (self, other))
        if mine != theirs:
            return f"caesura {self.caesura} counted it, and {other.caesura} the others"
        for lacking, more, verb in ((self, other, "lacks"), (other, self, "also has")):
            if documents := sorted(more.documents.keys() - lacking.documents.keys()):
                return f"it {verb} {listed([f'document {short_name(documents[0])}', *documents[1:]], 3)}"
        if self.gold != other.gold:
            return "its reference has the same documents, but other boundaries, units or coders"
        for name in other.signature if names is None else names:
            if name not in self.signature:
                return f"it has no {name}"
            if self.signature[name] != other.signature.get(name):
                return f"its {name} is {self.signature[name]}, not {other.signature.get(name)}"
        if names is None and (further := sorted(self.signature.keys() - other.signature.keys())):
            return f"it also has {listed(further)}"
        return ""


def _metric_of(name: str) -> Metric:
    try:
        return get_metric(name)
    except CaesuraError as error:
        raise CorpusError(f"signature: {error}") from None


# -------------------------------------------------------------------- ranking


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
    metrics: tuple[str, ...]
    """The metrics that all systems have; the one that ranks comes first."""
    scores: tuple[SavedScores, ...]
    """From best to worst."""
    ranking: tuple[Ranked, ...]
    tests: TestReport | None
    """Of every pair of systems, with Holm correction; None for one system."""
    set_apart: tuple[Apart, ...]

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

    The largest group of files that share references, major version and ``metric`` (None: all metrics) is
    ranked; at a tie, the group of the first file. Beside it stand the other metrics that all of them have.

    Parameters
    ----------
    files
        Saved scores by the name of their file.
    metric
        The specification of the metric that ranks; None: the first of the files.
    """
    if not files:
        raise CorpusError("no saved scores given")
    names = None if metric is None else [metric]
    group_of: dict[str, str] = {}
    for file, scores in files.items():
        if metric is None or metric in scores.signature:
            leaders = dict.fromkeys(group_of.values())
            fitting = (each for each in leaders if not scores.reason_apart(files[each], names))
            group_of[file] = next(fitting, file)
    if not group_of:
        known = {name for scores in files.values() for name in scores.signature}
        raise ParameterError(f"no saved scores are of {metric}; {did_you_mean(str(metric), known)}")
    leader = max(group_of.values(), key=[*group_of.values()].count)
    ours = {file: files[file] for file in group_of if group_of[file] == leader}
    by_system: dict[str, str] = {}
    for file, scores in ours.items():
        if scores.system in by_system:
            fault = f"{file} and {by_system[scores.system]} are both of {short_name(scores.system)}"
            raise CorpusError(f"{fault}; remove one, or score it again under another coder name")
        by_system[scores.system] = file
    first = files[leader]
    chosen = next(iter(first.signature)) if metric is None else metric
    judge = first.metrics[chosen]
    best_first = sorted(ours, key=lambda file: judge.distance_from_best(float(files[file].score(chosen))))
    ranked = [files[file] for file in best_first]
    shared = set.intersection(*({*scores.signature.items()} for scores in ranked))
    common = [name for name, own in first.signature.items() if (name, own) in shared]
    metrics = sorted(common, key=chosen.__ne__)
    tables = [np.stack([scores.counts(name) for scores in ranked], axis=1) for name in metrics]
    options: Any = {"n_resamples": n_resamples, "rng": rng}
    named = zip(metrics, tables, strict=True)
    intervals = [bootstrap_intervals(first.metrics[name], table, **options) for name, table in named]
    systems = [scores.system for scores in ranked]
    several = len(ranked) > 1
    tests = randomization(judge, tables[0], names=systems, **options) if several else None
    rows = tuple(map(Ranked, systems, best_first, zip(*intervals, strict=True)))
    others = [(file, scores) for file, scores in files.items() if file not in ours]
    apart = tuple(Apart(file, own.system, own.reason_apart(first, names)) for file, own in others)
    return Ranking(chosen, tuple(metrics), tuple(ranked), rows, tests, apart)


# -------------------------------------------------------------------- in tables and words


def _main_table(result: Ranking) -> Table:
    """Return a row for each system, the best first: intervals, and the test against the best."""
    tests = result.tests
    verdicts: dict[str, str] = {}
    if tests is not None:
        for name, contrast in tests.against(result.ranking[0].system).items():
            verdicts[name] = f"{tests.verdict(contrast)} ({p_shown(contrast.adjusted_p)})"
    rows: list[list[Cell]] = []
    for rank, (system, _, intervals) in enumerate(result.ranking, start=1):
        cells = [cell for interval in intervals for cell in (interval.estimate, *interval)]
        rows.append([rank, system, *cells, verdicts.get(system, "")])
    columns = pooled_columns(result.metrics, CONFIDENCE, ("rank", "system"))
    columns.append(Column(f"{result.metric} against the best"))
    return Table("", columns, rows, notes=_notes(result))


def _tests_table(result: Ranking) -> Table:
    """Return the test of every pair of systems."""
    return Table("", [], []) if result.tests is None else contrasts_table(result.tests, result.metric)


def _documents_table(result: Ranking) -> Table:
    """Return the best system's value of each document, and the differences of the others from it."""
    names = [row.system for row in result.ranking]
    items = result.documents.items()
    rows: list[list[Cell]] = [[name, own[0], *(v - own[0] for v in own[1:])] for name, own in items]
    notes = [reading(f"{result.metric} of {short_name(names[0])}; for the others, the difference from it.")]
    return Table.under(["document", *distinct(names, beside=("document",))], rows, notes)


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
    set_apart=lambda result: Table.under(["file", "system", "reason"], result.set_apart),
)
