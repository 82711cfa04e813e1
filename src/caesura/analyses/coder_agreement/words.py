"""Tables and sentences of agreement: scales with their sources, random coders, and caveats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

from caesura.analyses.coder_agreement.analysis import (
    STRICT_OF_DOCUMENTS,
    Agreement,
    GroupAgreement,
    StratumAgreement,
)
from caesura.analyses.coder_agreement.coefficients import COEFFICIENTS, SYMBOLS, Coefficient
from caesura.checks import N_T
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, EditMetric, S
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.stats.outcome import Interval
from caesura.version import __version__
from caesura.wording import counted, listed, p_shown, percent, shortened, whole_percent

PUBLISHED = (0.18, 0.44)
"""The lowest and the highest π*_B of two studies of segmentation (Fournier 2013)."""

LANDIS_KOCH = (
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""Names by upper bound: Landis & Koch (1977), The measurement of observer agreement, Biometrics 33."""

TENTATIVE, RELIABLE = 0.667, 0.8
"""Lower bounds of tentative conclusions and reliable data: Krippendorff (2004), Content analysis."""

FEW_BOUNDARIES = 30
FEW_POSITIONS = 100
"""z assumes more positions than this (F13t, footnote 8)."""
NEAR_ONE = 0.9

REPRODUCED = {
    "published": "counts segments to reproduce Fournier (2013)",
    "segeval": "averages the rates of documents as segeval 2.0.11 does",
}


def landis_koch(value: float) -> str:
    """Return the name of a value on the scale of Landis & Koch (1977).

    >>> landis_koch(-0.1), landis_koch(0.46), landis_koch(1.0)
    ('poor', 'moderate', 'almost perfect')
    """
    if value < 0:
        return "poor"
    return next((name for end, name in LANDIS_KOCH if value <= end), LANDIS_KOCH[-1][1])


def read_value(value: float, name: str) -> str:
    """Return a sentence on a coefficient.

    >>> read_value(0.464, "π*_B"), read_value(-0.1, "κ*_S")
    ('π*_B 0.46: 46 % of what perfect agreement would add over chance.', 'κ*_S -0.10: below chance.')
    """
    share = f"{whole_percent(value)} of what perfect agreement would add over chance"
    return f"{name} {value:.2f}: {'below chance' if value < 0 else share}."


def read_scales(value: float) -> str:
    """Return a sentence on scales proposed for strict coefficients, with their sources."""
    threshold = "between 0.667 (tentative conclusions) and 0.8 (reliable data)"
    if value >= RELIABLE:
        threshold = "above the 0.8 required of reliable data"
    elif value < TENTATIVE:
        threshold = "below the 0.667 required for tentative conclusions"
    return (
        f"Scales for coefficients without credit for near misses: {landis_koch(value)} (Landis & Koch 1977), "
        f"{threshold} (Krippendorff 2004; Artstein & Poesio 2008)."
    )


def read_groups(values: Sequence[float]) -> str:
    """Return a sentence on the coefficients of several groups; empty for one group.

    >>> read_groups([0.2, 0.31, 0.25])
    'In the 3 groups it is 0.20 to 0.31.'
    """
    known = sorted(value for value in values if not math.isnan(value))
    if len(values) < 2 or not known:
        return ""
    ends = listed(dict.fromkeys(f"{end:.2f}" for end in (known[0], known[-1])), last="to")
    undefined = f"; in {len(values) - len(known):,} it is not defined" if len(known) < len(values) else ""
    return f"In the {len(values):,} groups it is {ends}{undefined}."


def read_p_value(p_value: float) -> str:
    """Return a sentence on the test against 0, and its limits."""
    if math.isnan(p_value):
        return ""
    weak = " This is weak evidence: random coders also score above 0." if p_value < 0.05 else ""
    return f"{p_shown(p_value)} against 0 (z test).{weak}"


def read_random(result: StratumAgreement) -> str:
    """Return a sentence on the score of random coders; empty if not computed."""
    random = result.random
    if random is None:
        return ""
    verdict = "score higher" if random.p_value <= 0.05 else "do not score significantly higher"
    score = f"Random coders with the same number of boundaries would score {random.mean:.2f}"
    return f"{score}; these coders {verdict} (p ≤ {random.p_value:.2g})."


# -------------------------------------------------------------------- of a group and of all


def interpretation(result: StratumAgreement) -> str:
    """Return the meaning of the value in a few sentences, with the sources of scales."""
    scales = read_scales(result.value) if result.reason is None else ""
    return _joined(_value(result), _beside(result), scales)


def _value(result: StratumAgreement) -> str:
    if result.reason:
        return f"{result.label} is not defined: {result.reason}."
    return read_value(result.value, result.label)


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _beside(result: StratumAgreement) -> str:
    """Return sentences on groups, published studies and near misses; empty without a value."""
    if result.reason is not None:
        return ""
    near_misses = f"Near misses (n_t={result.metric.parameters.get('n_t', N_T)}) are"
    near_misses += f" {whole_percent(result.near_miss_share)} of all differences."
    ends = " to ".join(f"{value:.2f}" for value in PUBLISHED)
    published = f"In two published studies of segmentation π*_B was {ends} (Fournier 2013)."
    groups = [group.value for group in result.shared_groups] if isinstance(result, Agreement) else []
    if math.isnan(result.near_miss_share):
        near_misses = "The coders do not differ anywhere."
    return _joined(read_groups(groups), published if is_published(result.metric) else "", near_misses)


def is_published(metric: Metric) -> bool:
    """Return whether published values are comparable: those are B with one boundary type."""
    return type(metric) is B and len(metric.types or ()) < 2


def findings(result: StratumAgreement) -> list[Note]:
    """Return the value with random coders, further findings, scales, and the test against 0."""
    if result.reason is not None:
        return [finding(_value(result))]
    verdict, weak = _joined(_value(result), read_random(result)), read_p_value(result.p_value)
    scales = reading(read_scales(result.value))
    return [finding(verdict), finding(_beside(result)), scales, *([caveat(weak)] if weak else [])]


def warnings(group: StratumAgreement) -> dict[str, str]:
    """Return the caveats of a value, or why it is undefined: the text for several groups → with numbers."""
    if group.reason is not None:
        return {group.reason: group.reason}
    metric, warned = group.metric, {}

    def warn(text: str, several: str = "") -> None:
        warned[several or text] = text

    if group.n_documents == 1:
        note = "Only one document: the value does not generalize to other documents."
        if group.interval is not None:
            resampled = "the interval resamples positions within it and"
            note = f"Only one document: {resampled} does not generalize to other documents."
        elif group.n_resamples and group.is_streamed:
            note += " No interval: streaming cannot resample positions."
        elif group.n_resamples and not isinstance(metric, EditMetric):
            note += f" No interval: {metric.name} cannot be split by positions."
        warn(note)
    elif group.n_documents < FEW_DOCUMENTS and group.n_resamples:
        narrow = "documents: the interval is probably too narrow."
        warn(f"Only {group.n_documents} {narrow}", f"Fewer than {FEW_DOCUMENTS} {narrow}")
    if group.n_boundaries < FEW_BOUNDARIES:
        noticeable = "a single boundary more or less changes the value noticeably."
        number = f"{counted(group.n_boundaries, 'boundary', 'boundaries')} from {group.n_coders} coders"
        warn(f"Only {number}: {noticeable}", f"Fewer than {FEW_BOUNDARIES} boundaries: {noticeable}")
    if group.expected >= NEAR_ONE:
        effect = (
            f"most positions are boundaries, so {SYMBOLS[group.coefficient]} overstates small differences."
        )
        high = "Expected agreement is"
        warn(f"{high} {group.expected:.2f}: {effect}", f"{high} {NEAR_ONE:g} or more: {effect}")
    if group.n_positions <= FEW_POSITIONS:
        assumed = f"z and p need more than {FEW_POSITIONS} positions (Fournier 2013, footnote 8)"
        warn(f"{assumed}; this corpus has {group.n_positions}.", f"{assumed}; there are fewer.")
    if group.coefficient == "kappa" and group.n_coders > 2:
        warn("z and p of κ* use Cohen's variance for two coders (Fournier 2013, eq. 4.62).")
    if group.silent:
        warn(f"{listed(group.silent)} placed no boundaries.", "Some coders placed no boundaries.")
    if isinstance(metric, S):
        warn("S counts positions that no coder marked as agreement, so it is high where boundaries are rare.")
    if group.chance != "boundaries":
        warn(f"chance={group.chance!r} {REPRODUCED[group.chance]}; do not use it for new work.")
    return warned


def caveats(result: Agreement) -> list[Note]:
    """Return the caveats of the whole, and those that only groups have."""
    of_all, groups = warnings(result), result.shared_groups
    texts = [*left_out(result), *of_all.values(), *(f"Left out: {line}" for line in result.left_out)]
    holders: dict[str, dict[int, str]] = {}
    for group in groups if len(groups) > 1 else ():
        for several, alone in warnings(group).items():
            if several not in of_all:
                holders.setdefault(several, {})[group.number] = alone
    for several, by_group in holders.items():
        text = several if len({*by_group.values()}) > 1 else next(iter(by_group.values()))
        who = "Every group" if len(by_group) == len(groups) else _listed_rows([*by_group]).capitalize()
        texts.append(f"{who}: {text}")
    return [*map(caveat, texts)]


def left_out(result: Agreement) -> list[str]:
    """Return a sentence on documents with one coding, if any; a stream does not know their names."""
    n, names = result.n_single_documents, result.single_documents
    which = f": {listed(names)}" if names else ""
    does = "does" if n == 1 else "do"
    return [f"{counted(n, 'document')} with one coding {does} not count{which}."] if n else []


STRICT_NOTE = "α (Krippendorff) and Fleiss κ are strict: near misses count as disagreement."

WHOLE_NOTE = '"all" pools every pair of codings of a document; a group is the coders of the same documents.'

STREAM_NOTE = "Not available when streaming: groups, single documents, values without a coder; use cs.read."


def group_notes(group: GroupAgreement) -> list[Note]:
    """Return the notes of a group."""
    return [*findings(group), *map(caveat, warnings(group).values()), reading(STRICT_NOTE)]


def agreement_notes(results: Sequence[Agreement]) -> list[Note]:
    """Return the notes of the whole and its groups; several metrics share most of them."""
    notes = [note for result in results for note in (*findings(result), *caveats(result))]
    notes += [reading(WHOLE_NOTE)] if len(results[0].shared_groups) > 1 else []
    notes += [reading(STREAM_NOTE)] if results[0].is_streamed else []
    signatures = (signature(result.signature) for result in results)
    return [*dict.fromkeys((*notes, reading(STRICT_NOTE), *signatures))]


# -------------------------------------------------------------------- tables of one or several metrics


ALL = "all"
"""The row of all documents with at least two coders."""

MOST_GROUPS = 20
"""Tables for readers show the largest groups; CSV, JSON and Python have all."""

SIZES = {"coders": "n_coders", "docs": "n_documents", "pairs": "n_pairs", "boundaries": "n_boundaries"}
"""Columns of sizes, and their fields."""

STRICT = {
    "percent": "percent",
    "majority_percent": "of majority",
    "bennett_s": "Bennett S",
    "scott_pi": "Scott π",
    "cohen_kappa": "Cohen κ",
    "fleiss_kappa": "Fleiss κ",
    "davies_fleiss_kappa": "Davies & Fleiss κ",
    "krippendorff_alpha": "Krippendorff α",
    "cochran_coders.q": "Cochran Q",
    "cochran_coders.p_value": "p of Q",
    "cochran_positions.q": "Q of positions",
    "cochran_positions.p_value": "p of positions",
}
"""The strict coefficients and their columns; Q is that of coders unless named otherwise."""


def cells(part: Any, fields: Iterable[str]) -> list[Cell]:
    """Return the cells of these fields, which may have dots; None beyond a field that is None."""
    return [reduce(lambda of, name: of and getattr(of, name), field.split("."), part) for field in fields]


def ends(interval: Interval | None) -> list[Cell]:
    """Return the cells of an interval."""
    return [None, None] if interval is None else [interval.low, interval.high]


def _of_metrics(
    results: Sequence[Agreement],
    columns: Iterable[str],
    rows: Callable[[Agreement], Iterable[Sequence[Cell]]],
    notes: Sequence[Note],
) -> Table:
    """Return a table with the rows of each result; with several metrics, they are the first column."""
    several, result = len(results) > 1, results[0]
    names = ["metric", *columns] if several else columns
    body = [[repr(r.metric), *row] if several else [*row] for r in results for row in rows(r)]
    if result.stratum is None:
        n = [result.n_documents + result.n_single_documents, len(result.coders)]
    else:
        corpus = result.stratum.table.corpus
        n = [len(corpus.document_names), len(corpus.coder_names), len(result.shared_groups)]
    title = (counted(i, noun) for i, noun in zip(n, ("document", "coder", "group"), strict=False))
    return Table(" · ".join(title), [*map(_column, names)], body, notes=notes)


def _column(name: str) -> Column:
    return Column(name, 2 if name == "z" else 4)


def _parts(result: Agreement, *, every_group: bool = False) -> list[tuple[Cell, StratumAgreement]]:
    """Return the whole and its groups with the names of their rows; for one group, only the group."""
    groups = result.shared_groups
    if not every_group and len(groups) > MOST_GROUPS:
        largest = sorted(groups, key=lambda group: -group.n_pairs)[:MOST_GROUPS]
        groups = tuple(group for group in groups if group in largest)
    if len(groups) == 1:
        return [(groups[0].number, groups[0])]
    return [(ALL, result), *((str(group.number), group) for group in groups)]


def _shortened(result: Agreement) -> list[Note]:
    n = len(result.shared_groups)
    note = f"Of {n:,} groups, the {MOST_GROUPS} largest are shown; CSV, JSON and to_table() have all."
    return [reading(note)] if n > MOST_GROUPS else []


def _headings(results: Sequence[StratumAgreement]) -> tuple[str, dict[Coefficient, str]]:
    """Return the columns of observed agreement and of the coefficients, which name the only metric."""
    metric = results[0].metric
    if len(results) > 1:
        return "observed", {name: SYMBOLS[name] for name in COEFFICIENTS}
    return metric.name, {name: f"{SYMBOLS[name]}_{metric.name}" for name in COEFFICIENTS}


def _columns(results: Sequence[StratumAgreement]) -> dict[str, str]:
    """Return the columns of the main table; the interval follows the coefficient of ``value``."""
    first, (observed, names) = results[0], _headings(results)
    fields = SIZES | {observed: "observed"}
    for name in COEFFICIENTS:
        fields[names[name]] = name
        if name == first.coefficient and first.n_resamples:
            level = percent(first.confidence)
            fields |= {f"low {level}": "interval.low", f"high {level}": "interval.high"}
    fields |= {"bias": "bias", "z": "z", "α": "strict.krippendorff_alpha", "Fleiss κ": "strict.fleiss_kappa"}
    return fields | {"members": "coders"}


def agreement_table(
    results: Sequence[Agreement], remarks: Sequence[Note] = (), *, every_group: bool = False
) -> Table:
    """Return a row for the whole corpus and for each group, and if there are several a column for the metric.

    ``remarks`` are further notes; ``every_group`` shows groups beyond ``MOST_GROUPS``.
    """
    notes = [*agreement_notes(results), *remarks, *([] if every_group else _shortened(results[0]))]
    columns = _columns(results)

    def rows(result: Agreement) -> Iterable[list[Cell]]:
        parts = _parts(result, every_group=every_group)
        return ([who, *cells(part, columns.values())] for who, part in parts)

    return _of_metrics(results, ["group", *columns], rows, notes)


def document_table(results: Sequence[Agreement]) -> Table:
    """Return a row for each document alone."""
    observed, names = _headings(results)
    value = names[results[0].coefficient]
    strict = [STRICT[name] for name in STRICT_OF_DOCUMENTS]
    columns = ["group", "document", "coders", observed, value, "positions", "boundaries", *strict]

    def rows(result: Agreement) -> Iterator[list[Cell]]:
        for group in result.groups:
            for row in group.by_document:
                values = row.observed, row.value, row.n_positions, row.n_boundaries
                yield [group.number, row.document, group.n_coders, *values, *row[5:]]

    notes = [finding(_of_documents(result)) for result in results]
    notes += [signature(result.signature) for result in results]
    return _of_metrics(results, columns, rows, notes)


def _of_documents(result: Agreement) -> str:
    """Return a sentence on the documents with the lowest and the highest agreement."""
    by_value = {row.document: row.value for row in result.by_document if not math.isnan(row.value)}
    if not by_value:
        return f"{result.label} is not defined on any document."
    low, high = min(by_value, key=by_value.__getitem__), max(by_value, key=by_value.__getitem__)
    if by_value[low] == by_value[high]:
        return f"{result.label} is {by_value[low]:.2f} on {counted(len(by_value), 'document')}."
    least = f"{shortened(low)} ({result.label} {by_value[low]:.2f})"
    return f"The coders agree least on {least} and most on {shortened(high)} ({by_value[high]:.2f})."


def strict_table(result: Agreement) -> Table:
    """Return a table with the strict coefficients of the whole and of each group."""
    rows: list[list[Cell]] = []
    undefined: dict[str, list[Cell]] = {}
    for who, part in _parts(result):
        rows.append([who, *cells(part.strict, ("n_coders", "n_positions", *STRICT)), part.coders])
        for reason in dict.fromkeys(part.strict.reasons.values()):
            undefined.setdefault(reason, []).append(who)
    meaning = (
        "Near misses count as disagreement, unmarked positions as agreement. Of majority: share marked as by "
        "most coders (F13t eq. 2.8). Bennett S: 2 A_a - 1. Small p of Q: some coders mark more often. Small "
        "p of positions: coders agree more than if all positions were equally likely (F13t eq. 2.9)."
    )
    overall = f"Krippendorff α over all documents is {result.krippendorff_alpha:.4f}; codings may be missing."
    notes = [
        *(reading(meaning), finding(overall), *map(caveat, left_out(result))),
        *(caveat(f"{_listed_rows(who)}: {reason}") for reason, who in undefined.items()),
        *(*_shortened(result), signature(f"strict|categories=boundary,none|caesura {__version__}")),
    ]
    columns = ["group", "coders", "positions", *STRICT.values(), "members"]
    return _of_metrics([result], columns, lambda _: rows, notes)


def strict_intervals_table(result: Agreement) -> Table:
    """Return a row for each strict coefficient of the whole and of each group, with its interval."""
    level = percent(result.confidence)
    rows: list[list[Cell]] = [
        [who, STRICT[name], getattr(part.strict, name), *ends(interval)]
        for who, part in _parts(result)
        for name, interval in part.strict_intervals().items()
    ]
    notes = [
        reading("Intervals resample documents (bootstrap); a single document has no interval."),
        *_shortened(result),
        signature(f"strict{result.interval_part()}|caesura {__version__}"),
    ]
    columns = ["group", "coefficient", "value", f"low {level}", f"high {level}"]
    return _of_metrics([result], columns, lambda _: rows, notes)


def _listed_rows(who: Sequence[Cell]) -> str:
    """Return the names of rows in words, such as "all, groups 2 and 3"."""
    groups = [number for number in who if number != ALL]
    names = [ALL] if ALL in who else []
    return ", ".join([*names, *([f"group{'s' * (len(groups) > 1)} {listed(groups)}"] if groups else [])])


def influence_table(results: Sequence[Agreement]) -> Table:
    """Return a table with the coefficient without each coder."""
    name = _headings(results)[1][results[0].coefficient]

    def rows(result: Agreement) -> Iterator[list[Cell]]:
        for who, part in _parts(result):
            for coder, without in part.influence.items():
                yield [who, coder, part.value, without, without - part.value]

    notes = [
        *(finding(_of_influence(result)) for result in results),
        reading("A positive change: the other coders agree better with each other than with this coder."),
        *_shortened(results[0]),
        *(signature(result.signature) for result in results),
    ]
    return _of_metrics(results, ["group", "coder", name, f"{name} without", "change"], rows, notes)


def _of_influence(result: Agreement) -> str:
    """Return a sentence on the coder whose omission changes the value most."""
    part, name = _parts(result)[0][1], result.label
    known = {coder: value for coder, value in part.influence.items() if not math.isnan(value)}
    if not known or math.isnan(part.value):
        return f"{name} is not defined with fewer than two coders, so no coder can be left out."
    coder = max(known, key=lambda coder: abs(known[coder] - part.value))
    return f"{name} changes most without {shortened(coder)}: from {part.value:.2f} to {known[coder]:.2f}."


def group_table(group: GroupAgreement) -> Table:
    """Return the row of one group."""
    columns = _columns([group])
    row = [group.number, *cells(group, columns.values())]
    return Table("", [*map(_column, ["group", *columns])], [row], notes=group_notes(group))


present(
    Agreement,
    notes=lambda result: agreement_notes([result]),
    words=lambda result: {
        "interpretation": interpretation(result),
        "significance": read_p_value(result.p_value),
    },
    main=lambda result: agreement_table([result], every_group=True),
    documents=lambda result: document_table([result]),
    strict=strict_table,
    strict_intervals=strict_intervals_table,
    influence=lambda result: influence_table([result]),
)
present(GroupAgreement, notes=group_notes, main=group_table)
