"""Agreement in tables: by group, by document, without each coder, strict, between every two coders, drops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Coefficient, label
from caesura.analyses.coder_agreement.drop import AgreementDrop
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import Agreement, GroupAgreement
from caesura.analyses.coder_agreement.sentences import (
    STRICT_NOTE,
    agreement_notes,
    caveats,
    drop_notes,
    group_notes,
    interpretation,
    matrix_notes,
    numbered,
    significance,
)
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.version import __version__
from caesura.wording import counted

# -------------------------------------------------------------------- agreement, of one or several metrics


def agreement_table(results: Sequence[Agreement], remarks: Sequence[Note] = ()) -> Table:
    """Return a table with a row for each group and, if there are several results, a column for the metric.

    ``remarks`` are further notes.
    """
    several = len(results) > 1
    first = results[0]
    columns = [
        *([Column("metric")] if several else []),
        *(Column(name) for name in ("group", "coders", "docs", "pairs", "boundaries")),
        Column("observed" if several else first.metric.name),
        *_coefficient_columns(first, "pi", several),
        *_coefficient_columns(first, "kappa", several),
        Column("bias"),
        Column("z", 2),
        Column("Fleiss κ"),
        Column("members"),
    ]
    rows = [
        [*([repr(result.metric)] if several else []), *_group_row(result, number, group)]
        for result in results
        for number, group in enumerate(result.groups, start=1)
    ]
    return Table(_title(first), columns, rows, notes=_notes(results, remarks))


def _title(result: Agreement) -> str:
    corpus = result.measurement.corpus
    n = (len(corpus.document_names), len(corpus.coder_names), len(result.groups))
    names = zip(n, ("document", "coder", "group"), strict=True)
    return " · ".join(counted(i, name) for i, name in names)


def _heading(result: Agreement, name: Coefficient, several: bool) -> str:
    return SYMBOLS[name] if several else label(result.metric, name)


def _coefficient_columns(result: Agreement, name: Coefficient, several: bool) -> list[Column]:
    """Return the column of a coefficient, and its interval's if it is the one that was asked for."""
    columns = [Column(_heading(result, name, several))]
    if result.coefficient == name and result.n_resamples:
        columns += [Column(f"{end} {100 * result.confidence:g} %") for end in ("low", "high")]
    return columns


def _group_row(result: Agreement, number: int, group: GroupAgreement) -> list[Cell]:
    interval: list[Cell] = []
    if result.n_resamples:
        interval = [None, None] if group.interval is None else [group.interval.low, group.interval.high]
    return [
        number,
        group.totals.n_coders,
        group.totals.n_documents,
        group.n_pairs,
        group.n_boundaries,
        group.observed,
        group.pi,
        *(interval if result.coefficient == "pi" else []),
        group.kappa,
        *(interval if result.coefficient == "kappa" else []),
        group.bias,
        group.z,
        group.strict.fleiss_kappa,
        group.coders,
    ]


def document_table(results: Sequence[Agreement]) -> Table:
    """Return a table with a row for each document, as if it were the only one."""
    several = len(results) > 1
    first = results[0]
    names = ("group", "document", "coders", "positions", "boundaries")
    columns = [
        *([Column("metric")] if several else []),
        *(Column(name) for name in names),
        Column("observed" if several else first.metric.name),
        Column(_heading(first, first.coefficient, several)),
    ]
    rows: list[list[Cell]] = [
        [
            *([repr(result.metric)] if several else []),
            number,
            row.document,
            group.totals.n_coders,
            row.n_positions,
            row.n_boundaries,
            row.observed,
            row.value,
        ]
        for result in results
        for number, group in enumerate(result.groups, start=1)
        for row in group.by_document
    ]
    return Table(_title(first), columns, rows, notes=[recipe(result.signature) for result in results])


STRICT = {
    "percent": "percent",
    "scott_pi": "Scott π",
    "cohen_kappa": "Cohen κ",
    "fleiss_kappa": "Fleiss κ",
    "davies_fleiss_kappa": "Davies & Fleiss κ",
    "krippendorff_alpha": "Krippendorff α",
    "cochran_q": "Cochran Q",
    "cochran_p": "p of Q",
}
"""The strict coefficients and their columns."""


def strict_table(result: Agreement) -> Table:
    """Return a table with the strict coefficients of each group."""
    columns = ["group", "coders", "positions", *STRICT.values(), "members"]
    rows: list[list[Cell]] = []
    undefined: dict[str, list[int]] = {}
    for number, group in enumerate(result.groups, start=1):
        strict = group.strict
        values: list[Cell] = [getattr(strict, name) for name in STRICT]
        rows.append([number, strict.n_coders, strict.n_positions, *values, group.coders])
        for reason in dict.fromkeys(strict.reasons.values()):
            undefined.setdefault(reason, []).append(number)
    overall = f"Krippendorff α over all documents, codings may be missing: {result.krippendorff_alpha:.4f}"
    meaning = (
        "Boundary or no boundary at each position: near misses count as disagreement, unmarked positions as "
        "agreement. A small p of Q: the coders do not mark equally often."
    )
    signature = f"strict|categories=boundary,none|caesura {__version__}"
    reasons = [caveat(f"{numbered(numbers)}: {reason}") for reason, numbers in undefined.items()]
    said = [reading(meaning), finding(overall), *reasons, recipe(signature)]
    return Table(_title(result), [Column(name) for name in columns], rows, notes=said)


def influence_table(results: Sequence[Agreement]) -> Table:
    """Return a table with the coefficient without each coder."""
    several = len(results) > 1
    first = results[0]
    name = _heading(first, first.coefficient, several)
    columns = [*(["metric"] if several else []), "group", "coder", name, f"{name} without", "change"]
    rows: list[list[Cell]] = [
        [
            *([repr(result.metric)] if several else []),
            number,
            coder,
            group.value,
            without,
            without - group.value,
        ]
        for result in results
        for number, group in enumerate(result.groups, start=1)
        for coder, without in group.influence.items()
    ]
    notes = [
        reading("A rise without a coder: the others agree better among themselves than with that one."),
        *(recipe(result.signature) for result in results),
    ]
    return Table(_title(first), [Column(column) for column in columns], rows, notes=notes)


def _notes(results: Sequence[Agreement], remarks: Sequence[Note]) -> list[Note]:
    said = [finding(text) for one in results for text in (interpretation(one), significance(one)) if text]
    warnings = [note for result in results for note in caveats(result)]
    signatures = [recipe(result.signature) for result in results]
    # Several metrics share most of it.
    return [*dict.fromkeys((*said, reading(STRICT_NOTE), *remarks, *warnings, *signatures))]


def group_table(group: GroupAgreement) -> Table:
    """Return the row of one group."""
    alone = Agreement(group.measurement, (group,))
    table = agreement_table([alone])
    return replace(table, title="", notes=group_notes(group))


present(
    Agreement,
    Presentation(
        tables={
            "main": lambda result: agreement_table([result]),
            "documents": lambda result: document_table([result]),
            "strict": strict_table,
            "influence": lambda result: influence_table([result]),
        },
        notes=agreement_notes,
        words=lambda result: {
            "interpretation": interpretation(result),
            "significance": significance(result),
        },
    ),
)
present(GroupAgreement, Presentation(tables={"main": group_table}, notes=group_notes))


# -------------------------------------------------------------------- every two coders


def matrix_table(matrix: CoderMatrix) -> Table:
    """Return the matrix, with each coder's mean over all pairs of that coder."""
    coders = distinct(matrix.coders, beside=("coder", "mean"))
    columns = [Column("coder"), *(Column(coder, 2) for coder in coders), Column("mean", 2)]
    rows: list[list[Cell]] = [
        [coder, *(None if math.isnan(value) else value for value in values), matrix.means[coder]]
        for coder, values in zip(matrix.coders, matrix.values.tolist(), strict=True)
    ]
    return Table("", columns, rows, notes=matrix_notes(matrix))


def matrix_documents_table(matrix: CoderMatrix) -> Table:
    """Return a row for every two coders of each document."""
    sides = ("coder", "other coder") if matrix.metric.symmetric else ("reference", "hypothesis")
    columns = [Column(name) for name in ("document", *sides, matrix.metric.name)]
    rows: list[list[Cell]] = [
        [*pair, value] for pair, value in zip(matrix.pairs, matrix.scores.values.tolist(), strict=True)
    ]
    return Table("", columns, rows, notes=matrix_notes(matrix))


present(
    CoderMatrix,
    Presentation(tables={"main": matrix_table, "documents": matrix_documents_table}, notes=matrix_notes),
)


# -------------------------------------------------------------------- segmenters that join the coders


def drop_table(found: AgreementDrop) -> Table:
    """Return a row for each segmenter and group of coders."""
    name = label(found.metric, found.coefficient)
    columns = ("segmenter", "coders", "documents", f"{name} of coders", f"{name} with it", "drop", "members")
    rows: list[list[Cell]] = [
        [
            drop.segmenter,
            len(drop.coders),
            len(drop.documents),
            drop.without,
            drop.joined,
            drop.drop,
            drop.coders,
        ]
        for drop in found.drops
    ]
    return Table("", [Column(column) for column in columns], rows, notes=drop_notes(found))


present(AgreementDrop, Presentation(tables={"main": drop_table}, notes=drop_notes))
