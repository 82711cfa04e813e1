"""Run any analysis on each level of hierarchies; the agreement of coders of hierarchies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.analyses.coder_agreement.analysis import Agreement
from caesura.analyses.coder_agreement.coefficients import SYMBOLS
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.evaluation import Evaluation
from caesura.analyses.evaluation.words import pooled_cells, pooled_columns
from caesura.errors import ParameterError
from caesura.metrics.base import Score
from caesura.metrics.hierarchical import EWD
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import HierarchyLike, as_hierarchy, check_levels
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme, name_of_type, unite_schemes
from caesura.wording import counted, listed

R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False)
class ByLevel(Result, Generic[R]):
    """The results of an analysis by level; ``by_level[2]`` is the result for ranks 1 and 2."""

    levels: dict[int, R]
    """The result of each level, by its rank."""
    names: tuple[str, ...]
    """The names of the levels."""
    boundaries: dict[int, tuple[int, ...]]
    """The number of boundaries of each compared value, by level."""

    def __getitem__(self, rank: int) -> R:
        """Return the result of a level."""
        return self.levels[rank]

    def __len__(self) -> int:
        return len(self.levels)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "levels": {str(rank): _plain(result) for rank, result in self.levels.items()},
            "names": dict(zip(map(str, self.levels), self.names, strict=True)),
            "boundaries": {str(rank): list(numbers) for rank, numbers in self.boundaries.items()},
        }

    def __repr__(self) -> str:
        results = zip(self.names, self.levels.values(), strict=True)
        values = [f"{name} {float(value):.4f}" for name, value in results if isinstance(value, float)]
        shown = listed(values) if values else type(next(iter(self.levels.values()))).__name__
        return f"<ByLevel of {counted(len(self), 'level')}: {shown}>"


def _plain(result: Any) -> Any:
    if isinstance(result, Result):
        return result.to_dict()
    if isinstance(result, Score):
        return {repr(result.metric): float(result), "signature": result.signature}
    return float(result) if hasattr(result, "__float__") else repr(result)


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalAgreement(Result):
    """Agreement of the coders of hierarchies: by level, with ranks as ordinal types, and by E_WD.

    With ordinal types, a wrong rank costs more the further off it is. E_WD (Carroll 2010) uses only the order
    of boundaries.
    """

    by_level: ByLevel[Agreement]
    """The agreement on each level."""
    ranked: Agreement
    """The agreement on all boundaries with their ranks as ordinal types."""
    errors: CoderMatrix
    """E_WD between all pairs of coders, both ways."""

    @property
    def levels(self) -> dict[int, Agreement]:
        """The agreement on each level, by its rank."""
        return self.by_level.levels

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        more = {"ranked": self.ranked.to_dict(), "E_WD": self.errors.to_dict()}
        return self.by_level.numbers() | more

    def __repr__(self) -> str:
        results = zip(self.by_level.names, self.levels.values(), strict=True)
        shown = [f"{name} {level.value:.4f}" for name, level in results]
        return f"<HierarchicalAgreement: {SYMBOLS[self.ranked.coefficient]} by level: {listed(shown)}>"


# -------------------------------------------------------------------- making it


def by_level(analysis: Callable[..., R], *values: Corpus | HierarchyLike, **options: Any) -> ByLevel[R]:
    """Call an analysis or metric for each level: the boundaries of rank ≤ 1, ≤ 2 and so on.

    Parameters
    ----------
    analysis
        ``evaluate``, ``agreement``, ``describe``, ``coder_matrix``, ``compare``, a metric, a metric's
        function, or any other that takes corpora or segmentations first.
    values
        Corpora of hierarchies, or hierarchies (the types of segmentations are ranks). Every rank of any of
        them is a level, at most 1000.
    options
        Further arguments of the analysis.

    Per-level Pk and WindowDiff of two hierarchies are what Gklezakos et al. (2024, TreeSeg) report.

    >>> from caesura import Hierarchy, boundary_similarity, evaluate
    >>> reference, hypothesis = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> levels = by_level(boundary_similarity, reference, hypothesis)
    >>> levels[1], levels[2]
    (<B 1 = 1/1>, <B 0.666667 = 2/3>)
    >>> gold, mine = Corpus.from_dict({"d": {"ann": reference}}), Corpus.from_dict({"d": {"m": hypothesis}})
    >>> by_level(evaluate, gold, mine, metrics=["WD"], rng=0)[2]["WD"].micro
    <WD 0.222222 = 2/9>
    """
    corpora = [value for value in values if isinstance(value, Corpus)]
    if not values or len(corpora) not in (0, len(values)):
        raise ParameterError("by_level takes corpora or hierarchies; pass other arguments by name")
    hierarchies = [] if corpora else [as_hierarchy(value) for value in values]  # type: ignore[arg-type]
    ranked = [corpus.as_hierarchies() for corpus in corpora]
    all_ranks = [*(corpus.ranks for corpus in ranked), *(hierarchy.levels for hierarchy in hierarchies)]
    ranks = check_levels({rank for own in all_ranks for rank in own})
    levels, boundaries = {}, {}
    for rank in ranks:
        parts: list[Corpus | Segmentation] = [corpus.level(rank) for corpus in ranked]
        parts += [hierarchy.up_to(rank) for hierarchy in hierarchies]
        levels[rank] = analysis(*parts, **options)
        boundaries[rank] = tuple(
            len(part.codings.positions) if isinstance(part, Corpus) else part.n_boundaries for part in parts
        )
    schemes = [corpus.type_scheme for corpus in ranked] or [TypeScheme.of_ranks(ranks)]
    scheme = reduce(unite_schemes, schemes)
    return ByLevel(levels, tuple(name_of_type(scheme, rank) for rank in ranks), boundaries)


def hierarchical_agreement(corpus: Corpus, **options: Any) -> HierarchicalAgreement:
    """Return the agreement of coders of hierarchies by level, with ranks, and by E_WD.

    The options are those of ``agreement``.

    >>> from caesura import Hierarchy
    >>> ann, bob = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> corpus = Corpus.from_dict({"d": {"ann": ann, "bob": bob}})
    >>> result = hierarchical_agreement(corpus, n_resamples=0)
    >>> [round(level.observed, 4) for level in result.levels.values()]
    [1.0, 0.6667]
    >>> round(float(result.errors.scores.micro), 4)
    0.1667
    """
    corpus = corpus.as_hierarchies()
    levels, ranked = by_level(agreement, corpus, **options), agreement(corpus, **options)
    return HierarchicalAgreement(levels, ranked, coder_matrix(corpus, EWD()))


# -------------------------------------------------------------------- in tables and words


LEVEL = "level"
MEANING = "A level has the boundaries of its rank and of higher ranks."


# -------------------------------------------------------------------- any analysis


def main_table(by_level: ByLevel[Any]) -> Table:
    """Return a row for each level of scores and evaluations, or the rows of other results' tables."""
    return _stacked(by_level.names, [*_tables(by_level, is_short=True)])


def full_table(by_level: ByLevel[Any]) -> Table:
    """Return the rows of the table of every level."""
    return _stacked(by_level.names, [*_tables(by_level)])


def notes(by_level: ByLevel[Any]) -> list[Note]:
    """Return the notes of all levels, and what a level is."""
    return _merged(by_level.names, [table.notes for table in _tables(by_level, is_short=True)])


def _tables(by_level: ByLevel[Any], *, is_short: bool = False) -> Iterator[Table]:
    """Yield the table of each level; ``is_short``: with one row for an evaluation."""
    for rank, result in by_level.levels.items():
        if isinstance(result, Score):
            boundaries = by_level.boundaries[rank]
            sides = ("in reference", "in hypothesis") if len(boundaries) == 2 else ()
            names = distinct([repr(result.metric)], beside=sides)
            row: list[Cell] = [*(boundaries if sides else ()), float(result)]
            yield Table.under((*sides, *names), [row], [signature(result.signature)])
        elif is_short and isinstance(result, Evaluation):
            yield _evaluation_table(result)
        elif isinstance(result, Result):
            yield result.to_table()
        else:
            cell = float(result) if hasattr(result, "__float__") else str(result)
            yield Table.under(("value",), [[cell]])


def _evaluation_table(evaluation: Evaluation) -> Table:
    """Return the row of the pooled values with their intervals."""
    n = evaluation.size.documents
    columns = pooled_columns(distinct(evaluation.names), evaluation.confidence)
    resampled = f"; intervals resample the {n:,} documents" if n > 1 and evaluation.n_resamples else ""
    notes = [note for note in evaluation.notes if note.kind != "reading"]
    notes.append(reading(f"Values pool all codings{resampled}."))
    return Table("", columns, [pooled_cells(evaluation.summaries)], notes=notes)


def _stacked(names: Sequence[str], tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, each after the name of its level."""
    columns = {column.name: column for table in tables for column in table.columns}
    own_names = distinct([*columns], beside=[LEVEL])

    def stacked(part: str) -> list[list[Cell]]:
        rows = []
        for name, table in zip(names, tables, strict=True):
            for row in getattr(table, part):
                cells = dict(zip((column.name for column in table.columns), row, strict=True))
                rows.append([name, *map(cells.get, columns)])
        return rows

    own = (Column(name, column.digits) for name, column in zip(own_names, columns.values(), strict=True))
    titles = {table.title for table in tables}
    title = titles.pop() if len(titles) == 1 else ""
    notes = _merged(names, [table.notes for table in tables])
    return Table(title, [Column(LEVEL), *own], stacked("rows"), stacked("totals"), notes=notes)


def _merged(names: Sequence[str], notes: Sequence[Sequence[Note]]) -> list[Note]:
    """Return each note once; notes of some levels name these levels, except signatures."""
    holders: dict[Note, list[str]] = {}
    for name, own in zip(names, notes, strict=True):
        for note in own:
            holders.setdefault(note, []).append(name)
    every = [reading(MEANING)]
    for note, levels in holders.items():
        is_whole = note.kind == "signature" or len(levels) == len(names)
        every.append(note if is_whole else Note(note.kind, f"{listed(levels)}: {note.text}"))
    return every


# -------------------------------------------------------------------- agreement of coders of hierarchies


def agreement_table(result: HierarchicalAgreement) -> Table:
    """Return a row for each level and group, and totals: the agreement with ranks."""
    ranked, stacked = result.ranked, full_table(result.by_level)
    beside = SYMBOLS["kappa" if ranked.coefficient == "pi" else "pi"]
    left_out = {"bias", "α", "members", f"{beside}_{ranked.metric.name}"}
    if len(ranked.shared_groups) == 1:
        left_out.add("group")
    columns = {i: column for i, column in enumerate(stacked.columns) if column.name not in left_out}
    rows = [[row[i] for i in columns] for row in stacked.rows]
    # Strict coefficients ignore ranks.
    totals = [
        [None if columns[i].name == "Fleiss κ" else ("with ranks", *row)[i] for i in columns]
        for row in ranked.to_table().rows
    ]
    return Table("", [*columns.values()], rows, totals=totals, notes=agreement_notes(result))


def agreement_notes(result: HierarchicalAgreement) -> list[Note]:
    """Return the meaning of the rows, E_WD, the caveats, and the signatures."""
    name = SYMBOLS[result.ranked.coefficient]
    micro, n = float(result.errors.scores.micro), len(result.errors.scores)
    about = f"{MEANING} The last row compares all boundaries with their ranks."
    ranked = f"{name} with ranks to {name} of the levels: expected agreement is lower with ranks"
    order = f"E_WD between coders is {micro:.4f} ({n} comparisons, both ways; 0 is perfect)."
    against = [*map(caveat, _reasons(result)), *result.ranked.to_table().of_kind("caveat")]
    signatures = map(signature, (result.ranked.signature, result.errors.signature))
    return [reading(about), caveat(f"Do not compare {ranked}."), finding(order), *against, *signatures]


def _reasons(result: HierarchicalAgreement) -> Iterator[str]:
    """Yield why some levels have no value."""
    for name, level in zip(result.by_level.names, result.levels.values(), strict=True):
        if level.reason is not None and result.ranked.reason is None:
            yield f"{name}: {level.reason}"
            continue
        for number, group in enumerate(level.groups, start=1):
            if group.reason is not None and result.ranked.groups[number - 1].reason is None:
                yield f"{name}, group {number}: {group.reason}"


present(ByLevel, notes=notes, main=main_table, full=full_table)
present(HierarchicalAgreement, notes=agreement_notes, main=agreement_table)
