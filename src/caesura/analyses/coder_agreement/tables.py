"""Tables of agreement: by group, by document, without each coder, and the strict coefficients."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Coefficient
from caesura.analyses.coder_agreement.reading import label
from caesura.analyses.coder_agreement.results import Agreement, GroupAgreement
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.results.table import Cell, Column, Table
from caesura.version import __version__
from caesura.wording import counted


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
    coders = {coder for group in result.groups for coder in group.coders}
    n = (sum(len(group.documents) for group in result.groups), len(coders), len(result.groups))
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
        interval = [None, None] if group.interval is None else list(group.interval)
    return [
        number,
        len(group.coders),
        len(group.documents),
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
            len(group.coders),
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
    notes: dict[str, None] = {}
    for number, group in enumerate(result.groups, start=1):
        strict = group.strict
        values: list[Cell] = [getattr(strict, name) for name in STRICT]
        rows.append([number, strict.n_coders, strict.n_positions, *values, group.coders])
        notes.update(dict.fromkeys(f"group {number}: {reason}" for reason in strict.reasons.values()))
    overall = f"Krippendorff α over all documents, codings may be missing: {result.krippendorff_alpha:.4f}"
    meaning = (
        "Boundary or no boundary at each position: near misses count as disagreement, unmarked positions as "
        "agreement. A small p of Q: the coders do not mark equally often."
    )
    signature = f"strict|categories=boundary,none|caesura {__version__}"
    said = [reading(meaning), finding(overall), *map(caveat, notes), recipe(signature)]
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
    meaning = [finding(said) for result in results for said in (result.interpretation, result.significance)]
    strict = reading("Fleiss κ is strict: near misses count as disagreement.")
    warnings = [caveat(note) for result in results for note in result.notes]
    signatures = [recipe(result.signature) for result in results]
    return [note for note in dict.fromkeys((*meaning, strict, *remarks, *warnings, *signatures)) if note.text]
