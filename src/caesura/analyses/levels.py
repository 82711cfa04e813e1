"""Any analysis on each level of hierarchies, and the agreement of coders of hierarchies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.analyses.coder_agreement.coefficients import SYMBOLS
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.evaluation import Evaluation
from caesura.analyses.evaluation.words import pooled_cells, pooled_columns
from caesura.errors import ParameterError
from caesura.metrics.base import Score
from caesura.metrics.hierarchical import EWD
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy, HierarchyLike, as_hierarchy, check_levels
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme, name_of_type, unite_schemes
from caesura.wording import counted, listed

R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False)
class ByLevel(Result, Generic[R]):
    """What an analysis found on each level; ``by_level[2]`` is that of rank 2 and of those above."""

    levels: dict[int, R]
    """The result of each level, by its rank."""
    names: tuple[str, ...]
    """What the levels are called."""
    boundaries: dict[int, tuple[int, ...]]
    """How many boundaries each of the compared values has on each level."""

    def __getitem__(self, rank: int) -> R:
        """Return the result of a level."""
        return self.levels[rank]

    def __len__(self) -> int:
        return len(self.levels)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "levels": {str(rank): _plain(result) for rank, result in self.levels.items()},
            "names": {str(rank): name for rank, name in zip(self.levels, self.names, strict=True)},
            "boundaries": {str(rank): list(numbers) for rank, numbers in self.boundaries.items()},
        }

    def __repr__(self) -> str:
        results = zip(self.names, self.levels.values(), strict=True)
        said = [f"{name} {float(one):.4f}" for name, one in results if isinstance(one, float)]
        shown = listed(said) if said else type(next(iter(self.levels.values()))).__name__
        return f"<ByLevel of {counted(len(self), 'level')}: {shown}>"


def _plain(result: Any) -> Any:
    if isinstance(result, Result):
        return result.to_dict()
    if isinstance(result, Score):
        return {repr(result.metric): float(result), "signature": result.signature}
    return float(result) if hasattr(result, "__float__") else repr(result)


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalAgreement(Result):
    """Agreement of the coders of hierarchies, in three ways.

    On the boundaries of each level; on all boundaries with their ranks as ordinal types, where a wrong rank
    costs more the further it is off; and by E_WD (Carroll 2010), which looks at the order of the boundaries
    alone.
    """

    by_level: ByLevel[Agreement]
    """The agreement on each level."""
    ranked: Agreement
    """The agreement on all boundaries with their ranks as ordinal types."""
    errors: CoderMatrix
    """E_WD between every two coders, both ways."""

    @property
    def levels(self) -> dict[int, Agreement]:
        """The agreement on each level, by its rank."""
        return self.by_level.levels

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            **self.by_level.numbers(),
            "ranked": self.ranked.to_dict(),
            "E_WD": self.errors.to_dict(),
        }

    def __repr__(self) -> str:
        results = zip(self.by_level.names, self.levels.values(), strict=True)
        shown = [f"{name} {found.value:.4f}" for name, found in results]
        return f"<HierarchicalAgreement: {SYMBOLS[self.ranked.coefficient]} by level: {listed(shown)}>"


# -------------------------------------------------------------------- making it


def by_level(analysis: Callable[..., R], *values: Corpus | HierarchyLike, **options: Any) -> ByLevel[R]:
    """Call an analysis or metric once for each level: the boundaries of rank ≤ 1, ≤ 2 and so on.

    Parameters
    ----------
    analysis
        ``evaluate``, ``agreement``, ``describe``, ``coder_matrix``, ``compare``, a metric or a metric's
        function; whatever takes corpora or segmentations first.
    values
        Corpora of hierarchies, or hierarchies (of segmentations, types are the ranks). Every rank that one
        of them has is a level, at most 1000.
    options
        What else the analysis takes, by name.

    Per-level Pk and WindowDiff of two hierarchies are what Gklezakos et al. (2024, TreeSeg) report.

    >>> from caesura import boundary_similarity, evaluate
    >>> reference, hypothesis = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> found = by_level(boundary_similarity, reference, hypothesis)
    >>> found[1], found[2]
    (<B 1 = 1/1>, <B 0.666667 = 2/3>)
    >>> gold, mine = Corpus.from_dict({"d": {"ann": reference}}), Corpus.from_dict({"d": {"m": hypothesis}})
    >>> by_level(evaluate, gold, mine, metrics=["WD"], rng=0)[2]["WD"].micro
    <WD 0.222222 = 2/9>
    """
    corpora = [value for value in values if isinstance(value, Corpus)]
    if not values or len(corpora) not in (0, len(values)):
        raise ParameterError(
            "by_level takes corpora, or hierarchies, after the analysis; what else the analysis takes is "
            "given by name, such as metrics=['B']"
        )
    hierarchies = [] if corpora else [as_hierarchy(value) for value in values]  # type: ignore[arg-type]
    ranked = [corpus.as_hierarchies() for corpus in corpora]
    ranks = check_levels({rank for one in ranked for rank in one.ranks}.union(*_levels(hierarchies)))
    levels, boundaries = {}, {}
    for rank in ranks:
        parts: list[Corpus | Segmentation] = [corpus.level(rank) for corpus in ranked]
        parts += [hierarchy.up_to(rank) for hierarchy in hierarchies]
        levels[rank] = analysis(*parts, **options)
        boundaries[rank] = tuple(map(_n_boundaries, parts))
    scheme = (
        reduce(unite_schemes, (one.type_scheme for one in ranked)) if ranked else TypeScheme.of_ranks(ranks)
    )
    return ByLevel(levels, tuple(name_of_type(scheme, rank) for rank in ranks), boundaries)


def _levels(hierarchies: Sequence[Hierarchy]) -> list[tuple[int, ...]]:
    return [hierarchy.levels for hierarchy in hierarchies]


def _n_boundaries(part: Corpus | Segmentation) -> int:
    return len(part.codings.positions) if isinstance(part, Corpus) else part.n_boundaries


def hierarchical_agreement(corpus: Corpus, **options: Any) -> HierarchicalAgreement:
    """Return how far coders of hierarchies agree on each level, on the ranks, and by E_WD.

    The options are those of ``agreement``.

    >>> ann, bob = Hierarchy.from_nested([[2, 3], [6]]), Hierarchy.from_nested([[2, 3], [2, 4]])
    >>> found = hierarchical_agreement(Corpus.from_dict({"d": {"ann": ann, "bob": bob}}), n_resamples=0)
    >>> [round(level.observed, 4) for level in found.levels.values()]
    [1.0, 0.6667]
    >>> round(float(found.errors.scores.micro), 4)
    0.1667
    """
    corpus = corpus.as_hierarchies()
    return HierarchicalAgreement(
        by_level(agreement, corpus, **options), agreement(corpus, **options), coder_matrix(corpus, EWD())
    )


# -------------------------------------------------------------------- in tables and words


LEVEL = "level"
MEANING = "A level is the boundaries of its rank and of those above."


# -------------------------------------------------------------------- any analysis


def main_table(found: ByLevel[Any]) -> Table:
    """Return a row for each level of scores and evaluations, and the rows of other results' tables."""
    return _stacked(found.names, [*_short_tables(found)])


def full_table(found: ByLevel[Any]) -> Table:
    """Return the rows of every level's own table."""
    return _stacked(
        found.names,
        [
            result.to_table() if isinstance(result, Result) else short
            for result, short in zip(found.levels.values(), _short_tables(found), strict=True)
        ],
    )


def notes(found: ByLevel[Any]) -> list[Note]:
    """Return what the results of all levels say, and what a level is."""
    return _merged(found.names, [table.notes for table in _short_tables(found)])


def _short_tables(found: ByLevel[Any]) -> Iterator[Table]:
    for rank, result in found.levels.items():
        if isinstance(result, Score):
            yield _score_table(result, found.boundaries[rank])
        elif isinstance(result, Evaluation):
            yield _evaluation_table(result)
        elif isinstance(result, Result):
            yield result.to_table()
        else:
            cell = float(result) if hasattr(result, "__float__") else str(result)
            yield Table("", [Column("value")], [[cell]])


def _score_table(score: Score, boundaries: Sequence[int]) -> Table:
    sides = ("in reference", "in hypothesis") if len(boundaries) == 2 else ()
    names = distinct([repr(score.metric)], beside=sides)
    row: list[Cell] = [*(boundaries if sides else ()), float(score)]
    return Table("", [*map(Column, (*sides, *names))], [row], notes=[signature(score.signature)])


def _evaluation_table(evaluation: Evaluation) -> Table:
    """Return one row: the pooled values with their intervals."""
    columns = pooled_columns(evaluation, distinct(evaluation.names))
    n = evaluation.size.documents
    resampled = f"; intervals resample the {n:,} documents" if n > 1 and evaluation.n_resamples else ""
    notes = [note for note in evaluation.notes if note.kind != "reading"]
    notes.append(reading(f"Values pool all codings{resampled}."))
    return Table("", columns, [pooled_cells(evaluation.summaries)], notes=notes)


def _stacked(names: Sequence[str], tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, each after the name of its level."""
    columns = {column.name: column for table in tables for column in table.columns}

    def rows(name: str, table: Table, own: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
        place = {column.name: i for i, column in enumerate(table.columns)}
        for row in own:
            yield [name, *(row[place[column]] if column in place else None for column in columns)]

    named = [*zip(names, tables, strict=True)]
    titles = {table.title for table in tables}
    own_names = distinct([*columns], beside=[LEVEL])
    return Table(
        titles.pop() if len(titles) == 1 else "",
        [
            Column(LEVEL),
            *(Column(name, column.digits) for name, column in zip(own_names, columns.values(), strict=True)),
        ],
        [row for name, table in named for row in rows(name, table, table.rows)],
        totals=[row for name, table in named for row in rows(name, table, table.totals)],
        notes=_merged(names, [table.notes for table in tables]),
    )


def _merged(names: Sequence[str], said: Sequence[Sequence[Note]]) -> list[Note]:
    """Return each note once; what only some levels say names them, but for signatures."""
    holders: dict[Note, list[str]] = {}
    for name, own in zip(names, said, strict=True):
        for note in own:
            holders.setdefault(note, []).append(name)
    return [
        reading(MEANING),
        *(
            note if note.kind == "signature" or len(of) == len(names) else Note(note.kind, _said_of(of, note))
            for note, of in holders.items()
        ),
    ]


def _said_of(levels: Sequence[str], note: Note) -> str:
    return f"{listed(levels)}: {note.text}"


# -------------------------------------------------------------------- agreement of coders of hierarchies


def agreement_table(found: HierarchicalAgreement) -> Table:
    """Return a row for each level and group, and below the agreement on the ranks."""
    ranked, stacked = found.ranked, full_table(found.by_level)
    other = SYMBOLS["kappa" if ranked.coefficient == "pi" else "pi"]
    left_out = {"bias", "α", "members", f"{other}_{ranked.metric.name}"}
    if len(ranked.shared_groups) == 1:
        left_out.add("group")
    kept = [i for i, column in enumerate(stacked.columns) if column.name not in left_out]
    columns = [stacked.columns[i] for i in kept]
    with_ranks = [["with ranks", *row] for row in ranked.to_table().rows]
    return Table(
        "",
        columns,
        [[row[i] for i in kept] for row in stacked.rows],
        totals=[
            # Strict coefficients know no ranks.
            [None if stacked.columns[i].name == "Fleiss κ" else row[i] for i in kept]
            for row in with_ranks
        ],
        notes=agreement_notes(found),
    )


def agreement_notes(found: HierarchicalAgreement) -> list[Note]:
    """Return what the rows are, and what they do not show."""
    name = SYMBOLS[found.ranked.coefficient]
    micro, n = float(found.errors.scores.micro), len(found.errors.scores)
    return [
        reading(
            "A level is the boundaries of its rank and of those above; the last row compares all boundaries "
            "with their ranks, where a wrong rank costs more the further it is off."
        ),
        caveat(
            f"Chance seldom hits the right rank, too, so {name} with ranks is not to be compared with that "
            "of the levels."
        ),
        finding(
            f"E_WD between coders, which looks at the order of boundaries alone: {micro:.4f} "
            f"({n} comparisons, each coder of a pair as reference once; 0 is perfect)."
        ),
        *map(caveat, _reasons(found)),
        *found.ranked.to_table().of_kind("caveat"),
        signature(found.ranked.signature),
        signature(found.errors.signature),
    ]


def _reasons(found: HierarchicalAgreement) -> Iterator[str]:
    """Say why levels have no value, where only some have none."""
    for level, one in zip(found.by_level.names, found.levels.values(), strict=True):
        if one.reason is not None and found.ranked.reason is None:
            yield f"{level}: {one.reason}"
            continue
        for number, group in enumerate(one.groups, start=1):
            if group.reason is not None and found.ranked.groups[number - 1].reason is None:
                yield f"{level}, group {number}: {group.reason}"


present(ByLevel, notes=notes, main=main_table, full=full_table)
present(HierarchicalAgreement, notes=agreement_notes, main=agreement_table)
