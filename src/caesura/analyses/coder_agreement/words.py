"""Agreement in words and tables: scales with their sources, random coders, and when a value means little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Coefficient, label
from caesura.analyses.coder_agreement.drop import AgreementDrop
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import Agreement, Coefficients, GroupAgreement
from caesura.checks import N_T
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, EditMetric, S
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Presentation, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.version import __version__
from caesura.wording import counted, listed, percent, whole_percent

LANDIS_KOCH = (
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""Landis & Koch (1977), The measurement of observer agreement, Biometrics 33: up to where a name holds."""

TENTATIVE, RELIABLE = 0.667, 0.8
"""Krippendorff (2004), Content analysis: reliable from 0.8, tentative conclusions from 0.667."""

FEW_BOUNDARIES = 30
FEW_POSITIONS = 100
"""F13t, footnote 8: z assumes more than this many."""
NEAR_ONE = 0.9


def landis_koch(value: float) -> str:
    """Return the name that Landis & Koch (1977) give to a value.

    >>> landis_koch(-0.1), landis_koch(0.46), landis_koch(1.0)
    ('poor', 'moderate', 'almost perfect')
    """
    if value < 0:
        return "poor"
    return next((name for end, name in LANDIS_KOCH if value <= end), LANDIS_KOCH[-1][1])


def read_value(value: float, name: str) -> str:
    """Return a sentence about a coefficient."""
    return f"{name} {value:.2f}: {landis_koch(value)} (Landis & Koch 1977); {_threshold(value)}."


def _threshold(value: float) -> str:
    source = "(Krippendorff 2004; 0.8 also in Artstein & Poesio 2008)"
    if value >= RELIABLE:
        return f"above the 0.8 that is asked of reliable data {source}"
    if value < TENTATIVE:
        return f"below the 0.667 that allows tentative conclusions {source}"
    return f"0.667 allows tentative conclusions, 0.8 is asked of reliable data {source}"


def read_groups(values: Sequence[float]) -> str:
    """Return a sentence about the coefficients of several groups; empty for one.

    >>> read_groups([0.2, 0.31, 0.25])
    'In the 3 groups of coders who coded the same documents it is 0.20 to 0.31.'
    """
    known = sorted(value for value in values if not math.isnan(value))
    if len(values) < 2 or not known:
        return ""
    ends = listed(dict.fromkeys(f"{end:.2f}" for end in (known[0], known[-1])), last="to")
    undefined = f"; in {len(values) - len(known):,} it is not defined" if len(known) < len(values) else ""
    return f"In the {len(values):,} groups of coders who coded the same documents it is {ends}{undefined}."


def read_scales(metric: Metric) -> str:
    """Return a sentence about what those scales are worth here."""
    usual = "; in two segmentation studies π*_B was 0.18 to 0.44 (Fournier 2013)" if type(metric) is B else ""
    return f"Such scales are conventions for strict coefficients{usual}."


def read_near_misses(share: float, n_t: int) -> str:
    """Return a sentence about the share of near misses among all differences."""
    if math.isnan(share):
        return "The coders do not differ anywhere."
    return f"Near misses (n_t={n_t}) are {whole_percent(share)} of all differences."


def read_p_value(p_value: float) -> str:
    """Return a sentence about the test against 0, and what it does not say."""
    if math.isnan(p_value):
        return ""
    shown = "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
    return (
        f"Two-sided p of z against 0: {shown}; that alone shows little, since coders who place boundaries at "
        "random get more than 0."
    )


def read_random(result: Coefficients) -> str:
    """Return a sentence about what random coders would get; empty where that is not known."""
    random = result.random
    if random is None:
        return ""
    verdict = "the coders beat that" if random.p_value <= 0.05 else "the value is not safely above that"
    return (
        f"Coders who place as many boundaries at random would get {label(result.metric, result.coefficient)} "
        f"{random.mean:.2f}: {verdict} (randomisation test, {len(random.values)} rounds, "
        f"p ≤ {random.p_value:.2g})."
    )


# -------------------------------------------------------------------- of a group and of all


def interpretation(found: Coefficients) -> str:
    """Return a sentence or two on what the value means, with the sources of the scales."""
    name = label(found.metric, found.coefficient)
    if found.reason is not None:
        return f"{name} is not defined: {found.reason}."
    n_t = found.metric.parameters.get("n_t", N_T)
    sentences = [read_value(found.value, name)]
    if isinstance(found, Agreement):
        sentences.append(read_groups([group.value for group in found.shared_groups]))
    sentences += [read_scales(found.metric), read_near_misses(found.near_miss_share, n_t)]
    return " ".join(sentence for sentence in sentences if sentence)


def findings(result: Coefficients) -> list[Note]:
    """Return what the value means, what random coders would get, and the test against 0."""
    sentences = (interpretation(result), read_random(result), read_p_value(result.p_value))
    return [finding(sentence) for sentence in sentences if sentence]


class Warned(NamedTuple):
    """What speaks against a value: of one group with its numbers, and of several with other numbers."""

    one: str
    several: str


def warnings(group: Coefficients, *, tests: bool = True) -> Iterator[Warned]:
    """Say what one should know before trusting a value; the reason, where there is none.

    ``tests``: also what z and p assume.
    """
    if group.reason is not None:
        yield Warned(group.reason, group.reason)
        return
    totals, metric, symbol = group.totals, group.metric, SYMBOLS[group.coefficient]
    if totals.n_documents == 1:
        note = "one document: the value says nothing about others"
        if group.interval is not None:
            note += "; the interval resamples its positions as if they were independent"
        elif group.n_resamples and group.is_streamed:
            note += "; no interval: positions are resampled in memory only"
        elif group.n_resamples and not isinstance(metric, EditMetric):
            note += f"; no interval: {metric.name} cannot be split by positions"
        yield Warned(note, note)
    elif totals.n_documents < FEW_DOCUMENTS and group.n_resamples:
        yield Warned(
            f"the interval comes from only {totals.n_documents} documents and is probably too narrow",
            f"intervals come from fewer than {FEW_DOCUMENTS} documents and are probably too narrow",
        )
    if totals.boundaries < FEW_BOUNDARIES:
        yield Warned(
            f"few boundaries: {totals.boundaries} by {totals.n_coders} coders; "
            "one of them more or less changes the value a lot",
            f"few boundaries, less than {FEW_BOUNDARIES}: one of them more or less changes the value a lot",
        )
    if group.expected >= NEAR_ONE:
        effect = f"nearly every position is marked, so that {symbol} exaggerates small differences"
        yield Warned(
            f"expected agreement is {group.expected:.2f}: {effect}",
            f"expected agreement is {NEAR_ONE:g} or more: {effect}",
        )
    if tests and totals.positions <= FEW_POSITIONS:
        assumed = f"z and p assume more than {FEW_POSITIONS} positions (Fournier 2013, footnote 8)"
        yield Warned(f"{assumed}; there are {totals.positions}", f"{assumed}; there are fewer")
    if tests and group.coefficient == "kappa" and totals.n_coders > 2:
        note = "z and p of κ* use Cohen's variance for two coders (Fournier 2013, eq. 4.62)"
        yield Warned(note, note)
    if group.silent:
        yield Warned(
            f"no boundary at all by {listed(group.silent)}", "some coders have placed no boundary at all"
        )
    if isinstance(metric, S):
        note = "S counts positions that nobody marked as agreement: high wherever boundaries are rare"
        yield Warned(note, note)
    if group.chance == "published":
        note = "chance='published' counts segments to reproduce Fournier (2013); it is not for new work"
        yield Warned(note, note)


def caveats(result: Agreement, *, tests: bool = True) -> list[Note]:
    """Return what speaks against the value of the whole, and what only groups have against them."""
    of_all = [*warnings(result, tests=tests)]
    notes = [caveat(note.one) for note in of_all]
    if result.n_single_documents:
        notes.insert(0, caveat(left_out(result.n_single_documents, result.single_documents)))
    notes += [caveat(f"left out: {line}") for line in result.left_out]
    if len(result.shared_groups) < 2:
        return notes
    said = {note.several for note in of_all}
    holders: dict[str, dict[int, str]] = {}
    for number, group in numbered_groups(result):
        for note in warnings(group, tests=tests):
            if note.several not in said:
                holders.setdefault(note.several, {})[number] = note.one
    for several, by_group in holders.items():
        texts = set(by_group.values())
        text = texts.pop() if len(texts) == 1 else several
        is_every = len(by_group) == len(result.shared_groups)
        notes.append(caveat(f"{'every group' if is_every else numbered([*by_group])}: {text}"))
    return notes


def left_out(number: int, documents: Sequence[str]) -> str:
    """Return a sentence about documents with one coding, whose names a stream does not know.

    >>> left_out(2, ["ch1", "ch2"]), left_out(1, ())
    ('2 documents with one coding are left out: ch1 and ch2', '1 document with one coding is left out')
    """
    are = "is" if number == 1 else "are"
    names = f": {listed(documents)}" if documents else ""
    return f"{counted(number, 'document')} with one coding {are} left out{names}"


def numbered_groups(result: Agreement) -> list[tuple[int, GroupAgreement]]:
    """Return the groups of at least two coders with their numbers, from 1 among all groups."""
    return [(n, group) for n, group in enumerate(result.groups, start=1) if group.totals.n_coders > 1]


def numbered(numbers: Sequence[object]) -> str:
    """Return the groups with these numbers in words."""
    return f"group {numbers[0]}" if len(numbers) == 1 else f"groups {listed(numbers)}"


STRICT_NOTE = "α (Krippendorff) and Fleiss κ are strict: near misses count as disagreement."

WHOLE_NOTE = "all: every two codings of one document, whoever coded it; a group has coded the same documents."


STREAM_NOTE = (
    "a stream lists no groups of coders, single documents or values without a coder: these are no sums over "
    "documents; read the data into memory for them."
)


def group_notes(group: GroupAgreement) -> list[Note]:
    """Return what a group's numbers mean, and what they do not."""
    return [*findings(group), *(caveat(note.one) for note in warnings(group)), reading(STRICT_NOTE)]


def agreement_notes(results: Sequence[Agreement]) -> list[Note]:
    """Return what the numbers of the whole and of its groups mean, what they do not, and the signatures."""
    first = results[0]
    about = [reading(WHOLE_NOTE)] if len(first.shared_groups) > 1 else []
    about += [reading(STREAM_NOTE)] if first.is_streamed else []
    said = [note for result in results for note in findings(result)]
    against = [note for result in results for note in caveats(result)]
    signatures = [signature(result.signature) for result in results]
    # Several metrics share most of it.
    return [*dict.fromkeys((*said, *against, *about, reading(STRICT_NOTE), *signatures))]


def matrix_notes(matrix: CoderMatrix) -> list[Note]:
    """Return the averages over all pairs, and the signature."""
    micro, macro = float(matrix.scores.micro), matrix.scores.macro
    sides = ""
    if not matrix.metric.symmetric:
        sides = "rows are references, columns hypotheses, means pool both ways; "
    return [
        finding(
            f"{sides}{matrix.metric.name} over all {matrix.n_pairs} pairs: {micro:.4f} pooled (micro), "
            f"{macro:.4f} on average (macro)"
        ),
        signature(matrix.signature),
    ]


def drop_notes(drop: AgreementDrop) -> list[Note]:
    """Return what a drop does not show, and the signature."""
    note = (
        "A drop has no test of its own and means little where the coders do not agree: report it beside "
        "a test (F13t §4.3)."
    )
    return [caveat(note), signature(drop.signature)]


# -------------------------------------------------------------------- tables of one or several metrics


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
    notes = [*agreement_notes(results), *remarks, *([] if every_group else _shortened(results[0]))]
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


def _parts(result: Agreement, *, every_group: bool = False) -> list[tuple[Cell, Agreement | GroupAgreement]]:
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
    if result.stratum is None:
        n = [result.n_documents + result.n_single_documents, len(result.coders)]
    else:
        corpus = result.stratum.table.corpus
        n = [len(corpus.document_names), len(corpus.coder_names), len(result.shared_groups)]
    return " · ".join(counted(i, name) for i, name in zip(n, ("document", "coder", "group"), strict=False))


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
    return Table(_title(first), columns, rows, notes=[signature(result.signature) for result in results])


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
    made = signature(f"strict|categories=boundary,none|caesura {__version__}")
    reasons = [caveat(f"{_named(who)}: {reason}") for reason, who in undefined.items()]
    if result.n_single_documents:
        reasons.insert(0, caveat(left_out(result.n_single_documents, result.single_documents)))
    notes = [reading(meaning), finding(overall), *reasons, *_shortened(result), made]
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
        *(signature(result.signature) for result in results),
    ]
    return Table(_title(first), [Column(column) for column in columns], rows, notes=notes)


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
        notes=lambda result: agreement_notes([result]),
        words=lambda result: {
            "interpretation": interpretation(result),
            "significance": read_p_value(result.p_value),
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
