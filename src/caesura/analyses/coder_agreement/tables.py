"""Agreement in tables: by group, by document, without each coder, strict, between every two coders, drops."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Coefficient, label
from caesura.analyses.coder_agreement.drop import AgreementDrop
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import (
    Agreement,
    Coefficients,
    GroupAgreement,
    OfCoders,
    StreamedAgreement,
)
from caesura.analyses.coder_agreement.sentences import (
    STRICT_NOTE,
    WHOLE_NOTE,
    agreement_notes,
    caveats,
    drop_notes,
    group_notes,
    interpretation,
    left_out,
    matrix_notes,
    numbered,
    numbered_groups,
    significance,
    streamed_notes,
)
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.version import __version__
from caesura.wording import counted, percent

# -------------------------------------------------------------------- agreement, of one or several metrics


ALL = "all"
"""The row of all documents with at least two coders."""

MOST_GROUPS = 20
"""Of more groups, tables for reading show the largest; CSV, JSON and Python have all."""


def agreement_table(
    results: Sequence[Agreement], remarks: Sequence[Note] = (), *, every_group: bool = False
) -> Table:
    """Return a row for the whole corpus and for each group, and if there are several a column for the metric.

    ``remarks`` are further notes; ``every_group``: however many there are.
    """
    several = len(results) > 1
    rows: list[list[Cell]] = [
        [*([repr(result.metric)] if several else []), *_row(result, who, found)]
        for result in results
        for who, found in _parts(result, every_group=every_group)
    ]
    notes = _notes(results, [*remarks, *([] if every_group else _shortened(results[0]))])
    return Table(_title(results[0]), _columns(results[0], several), rows, notes=notes)


def _columns(first: Coefficients, several: bool) -> list[Column]:
    return [
        *([Column("metric")] if several else []),
        *(Column(name) for name in ("group", "coders", "docs", "pairs", "boundaries")),
        Column("observed" if several else first.metric.name),
        *_coefficient_columns(first, "pi", several),
        *_coefficient_columns(first, "kappa", several),
        Column("bias"),
        Column("z", 2),
        Column("α"),
        Column("Fleiss κ"),
        Column("members"),
    ]


def _parts(result: Agreement, *, every_group: bool = False) -> list[tuple[Cell, OfCoders]]:
    """Return the whole and its groups, each with what stands for it; where there is one group, only that."""
    groups = numbered_groups(result)
    if len(groups) == 1:
        return [*groups]
    if not every_group and len(groups) > MOST_GROUPS:
        largest = {number for number, _ in sorted(groups, key=lambda one: -one[1].n_pairs)[:MOST_GROUPS]}
        groups = [one for one in groups if one[0] in largest]
    return [(ALL, result), *((str(number), group) for number, group in groups)]


def _shortened(result: Agreement) -> list[Note]:
    n = len(result.shared_groups)
    if n <= MOST_GROUPS:
        return []
    return [
        reading(
            f"Of {n:,} groups, the {MOST_GROUPS} with the most pairs of codings are shown; CSV, JSON and "
            "to_table() have all."
        )
    ]


def _title(result: Agreement) -> str:
    corpus = result.measurement.corpus
    n = (len(corpus.document_names), len(corpus.coder_names), len(result.shared_groups))
    names = zip(n, ("document", "coder", "group"), strict=True)
    return " · ".join(counted(i, name) for i, name in names)


def _heading(result: Coefficients, name: Coefficient, several: bool) -> str:
    return SYMBOLS[name] if several else label(result.metric, name)


def _coefficient_columns(result: Coefficients, name: Coefficient, several: bool) -> list[Column]:
    """Return the column of a coefficient, and its interval's if it is the one that was asked for."""
    columns = [Column(_heading(result, name, several))]
    if result.coefficient == name and result.n_resamples:
        columns += [Column(f"{end} {percent(result.confidence)}") for end in ("low", "high")]
    return columns


def _row(asked: Coefficients, who: Cell, group: Coefficients) -> list[Cell]:
    interval: list[Cell] = []
    if asked.n_resamples:
        interval = [None, None] if group.interval is None else [group.interval.low, group.interval.high]
    return [
        who,
        group.totals.n_coders,
        group.totals.n_documents,
        group.n_pairs,
        group.n_boundaries,
        group.observed,
        group.pi,
        *(interval if asked.coefficient == "pi" else []),
        group.kappa,
        *(interval if asked.coefficient == "kappa" else []),
        group.bias,
        group.z,
        group.strict.krippendorff_alpha,
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


def streamed_table(results: Sequence[StreamedAgreement]) -> Table:
    """Return a row for each metric of a stream."""
    several = len(results) > 1
    rows: list[list[Cell]] = [
        [*([repr(result.metric)] if several else []), *_row(result, ALL, result)] for result in results
    ]
    notes = [*dict.fromkeys(note for result in results for note in streamed_notes(result))]
    n = (results[0].n_documents + results[0].n_single_documents, len(results[0].coders))
    title = " · ".join(counted(i, name) for i, name in zip(n, ("document", "coder"), strict=True))
    return Table(title, _columns(results[0], several), rows, notes=notes)


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
    """Return a table with the strict coefficients of the whole and of each group."""
    columns = ["group", "coders", "positions", *STRICT.values(), "members"]
    rows: list[list[Cell]] = []
    undefined: dict[str, list[Cell]] = {}
    for who, found in _parts(result):
        strict = found.strict
        values: list[Cell] = [getattr(strict, name) for name in STRICT]
        rows.append([who, strict.n_coders, strict.n_positions, *values, found.coders])
        for reason in dict.fromkeys(strict.reasons.values()):
            undefined.setdefault(reason, []).append(who)
    overall = f"Krippendorff α over all documents, codings may be missing: {result.krippendorff_alpha:.4f}"
    meaning = (
        "Boundary or no boundary at each position: near misses count as disagreement, unmarked positions as "
        "agreement. A small p of Q: the coders do not mark equally often."
    )
    signature = f"strict|categories=boundary,none|caesura {__version__}"
    reasons = [caveat(f"{_named(who)}: {reason}") for reason, who in undefined.items()]
    single = [caveat(left_out(result.single_documents))] if result.single_documents else []
    notes = [reading(meaning), finding(overall), *single, *reasons, *_shortened(result), recipe(signature)]
    return Table(_title(result), [Column(name) for name in columns], rows, notes=notes)


def _named(who: Sequence[Cell]) -> str:
    """Return rows in words, such as "all, groups 2 and 3"."""
    groups = [one for one in who if one != ALL]
    return ", ".join([*([ALL] if ALL in who else []), *([numbered(groups)] if groups else [])])


def influence_table(results: Sequence[Agreement]) -> Table:
    """Return a table with the coefficient without each coder."""
    several = len(results) > 1
    first = results[0]
    name = _heading(first, first.coefficient, several)
    columns = [*(["metric"] if several else []), "group", "coder", name, f"{name} without", "change"]
    rows: list[list[Cell]] = [
        [
            *([repr(result.metric)] if several else []),
            who,
            coder,
            found.value,
            without,
            without - found.value,
        ]
        for result in results
        for who, found in _parts(result)
        for coder, without in found.influence.items()
    ]
    notes = [
        reading("A rise without a coder: the others agree better among themselves than with that one."),
        *_shortened(first),
        *(recipe(result.signature) for result in results),
    ]
    return Table(_title(first), [Column(column) for column in columns], rows, notes=notes)


def _notes(results: Sequence[Agreement], remarks: Sequence[Note]) -> list[Note]:
    said = [finding(text) for one in results for text in (interpretation(one), significance(one)) if text]
    warnings = [note for result in results for note in caveats(result)]
    signatures = [recipe(result.signature) for result in results]
    whole = [reading(WHOLE_NOTE)] if len(results[0].shared_groups) > 1 else []
    # Several metrics share most of it.
    return [*dict.fromkeys((*said, *whole, reading(STRICT_NOTE), *remarks, *warnings, *signatures))]


def group_table(group: GroupAgreement) -> Table:
    """Return the row of one group."""
    number = group.group + 1
    return Table("", _columns(group, several=False), [_row(group, number, group)], notes=group_notes(group))


present(
    Agreement,
    Presentation(
        tables={
            "main": lambda result: agreement_table([result], every_group=True),
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
present(
    StreamedAgreement,
    Presentation(
        tables={"main": lambda result: streamed_table([result])},
        notes=streamed_notes,
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
    """Return a row for each segmenter over all documents and, if there are several groups, for each."""
    name = label(found.metric, found.coefficient)
    shown = [drop for drop in found.drops if len(drop.coders) > 1]
    several = len(shown) > len(found.whole)
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
        for drop in (*found.whole, *(shown if several else ()))
    ]
    return Table("", [Column(column) for column in columns], rows, notes=drop_notes(found))


present(AgreementDrop, Presentation(tables={"main": drop_table}, notes=drop_notes))
