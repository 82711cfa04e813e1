"""Levels in tables: a row, or the rows of a result's own table, for each level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caesura.analyses.coder_agreement.coefficients import SYMBOLS
from caesura.analyses.evaluation import Evaluation
from caesura.analyses.evaluation.tables import names_of
from caesura.analyses.levels.results import ByLevel, HierarchicalAgreement
from caesura.metrics.base import Score
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.presentation import Presentation, present
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table, distinct
from caesura.wording import listed, percent

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
    return Table("", [*map(Column, (*sides, *names))], [row], notes=[recipe(score.signature)])


def _evaluation_table(evaluation: Evaluation) -> Table:
    """Return one row: the pooled values with their intervals."""
    share = percent(evaluation.confidence)
    columns: list[Column] = []
    row: list[Cell] = []
    for name, summary in zip(distinct(names_of(evaluation)), evaluation.summaries, strict=True):
        columns += [Column(name), Column(f"{name} low {share}"), Column(f"{name} high {share}")]
        row += [float(summary.micro), summary.interval.low, summary.interval.high]
    n = evaluation.size.documents
    resampled = f"; intervals resample the {n:,} documents" if n > 1 and evaluation.n_resamples else ""
    kept = [note for note in evaluation.notes if note.kind != "reading"]
    return Table("", columns, [row], notes=[reading(f"Values pool all codings{resampled}."), *kept])


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
    """Return each note once; what only some levels say names them, but for recipes."""
    holders: dict[Note, list[str]] = {}
    for name, own in zip(names, said, strict=True):
        for note in own:
            holders.setdefault(note, []).append(name)
    return [
        reading(MEANING),
        *(
            note if note.kind == "recipe" or len(of) == len(names) else Note(note.kind, _said_of(of, note))
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
        recipe(found.ranked.signature),
        recipe(found.errors.signature),
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


present(ByLevel, Presentation(tables={"main": main_table, "full": full_table}, notes=notes))
present(HierarchicalAgreement, Presentation(tables={"main": agreement_table}, notes=agreement_notes))
