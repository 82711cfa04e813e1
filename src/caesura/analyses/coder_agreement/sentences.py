"""What agreement means in words: scales with their sources, random coders, and when a value means little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caesura.analyses.coder_agreement.baseline import RandomAgreement
from caesura.analyses.coder_agreement.coefficients import SYMBOLS, label
from caesura.analyses.coder_agreement.drop import AgreementDrop
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.observed import DEFAULT_N_T
from caesura.analyses.coder_agreement.results import (
    Agreement,
    Coefficients,
    GroupAgreement,
    StreamedAgreement,
)
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, EditMetric, S
from caesura.results.notes import Note, caveat, finding, reading, recipe
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.wording import counted, listed, whole_percent

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


def read_random(found: RandomAgreement | None, n_rounds: int, name: str) -> str:
    """Return a sentence about what random coders would get."""
    if found is None:
        return ""
    beaten = found.p_value <= 0.05
    verdict = "the coders beat that" if beaten else "the value is not safely above that"
    return (
        f"Coders who place as many boundaries at random would get {name} {found.mean:.2f}: {verdict} "
        f"(randomisation test, {n_rounds} rounds, p ≤ {found.p_value:.2g})."
    )


# -------------------------------------------------------------------- of a group and of all


def interpretation(found: Coefficients) -> str:
    """Return a sentence or two on what the value means, with the sources of the scales."""
    name = label(found.metric, found.coefficient)
    if found.reason is not None:
        return f"{name} is not defined: {found.reason}."
    n_t = found.metric.parameters.get("n_t", DEFAULT_N_T)
    sentences = [read_value(found.value, name)]
    if isinstance(found, Agreement):
        sentences.append(read_groups([group.value for group in found.shared_groups]))
    sentences += [read_scales(found.metric), read_near_misses(found.near_miss_share, n_t)]
    return " ".join(sentence for sentence in sentences if sentence)


def significance(found: Coefficients) -> str:
    """Return a sentence on the test against 0; empty where there is none."""
    return read_p_value(found.p_value)


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
        elif group.n_resamples and isinstance(group, StreamedAgreement):
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
    found = [caveat(note.one) for note in of_all]
    if result.single_documents:
        found.insert(0, caveat(left_out(result.single_documents)))
    if len(result.shared_groups) == 1:
        return found
    said = {note.several for note in of_all}
    holders: dict[str, dict[int, str]] = {}
    for number, group in numbered_groups(result):
        for note in warnings(group, tests=tests):
            if note.several not in said:
                holders.setdefault(note.several, {})[number] = note.one
    for several, notes in holders.items():
        texts = set(notes.values())
        text = texts.pop() if len(texts) == 1 else several
        is_every = len(notes) == len(result.shared_groups)
        found.append(caveat(f"{'every group' if is_every else numbered([*notes])}: {text}"))
    return found


def left_out(documents: Sequence[str]) -> str:
    """Return a sentence about documents with one coding.

    >>> left_out(["ch1", "ch2"])
    '2 documents with one coding are left out: ch1 and ch2'
    """
    are = "is" if len(documents) == 1 else "are"
    return f"{counted(len(documents), 'document')} with one coding {are} left out: {listed(documents)}"


def numbered_groups(result: Agreement) -> list[tuple[int, GroupAgreement]]:
    """Return the groups of at least two coders with their numbers, from 1 among all groups."""
    return [(n, group) for n, group in enumerate(result.groups, start=1) if group.totals.n_coders > 1]


def numbered(numbers: Sequence[object]) -> str:
    """Return the groups with these numbers in words."""
    return f"group {numbers[0]}" if len(numbers) == 1 else f"groups {listed(numbers)}"


STRICT_NOTE = "α (Krippendorff) and Fleiss κ are strict: near misses count as disagreement."

WHOLE_NOTE = "all: every two codings of one document, whoever coded it; a group has coded the same documents."


def group_notes(group: GroupAgreement) -> list[Note]:
    """Return what a group's numbers mean, and what they do not."""
    findings = [finding(said) for said in (interpretation(group), significance(group)) if said]
    return [*findings, *(caveat(note.one) for note in warnings(group)), reading(STRICT_NOTE)]


def agreement_notes(result: Agreement) -> list[Note]:
    """Return what the numbers of the whole and of its groups mean, what they do not, and the recipe."""
    findings = [finding(said) for said in (interpretation(result), significance(result)) if said]
    whole = [reading(WHOLE_NOTE)] if len(result.shared_groups) > 1 else []
    return [*findings, *caveats(result), *whole, reading(STRICT_NOTE), recipe(result.signature)]


STREAM_NOTE = (
    "a stream lists no groups of coders, single documents or values without a coder: these are no sums over "
    "documents; read the data into memory for them."
)


def streamed_notes(result: StreamedAgreement) -> list[Note]:
    """Return what the numbers of a stream mean, what they do not, what is missing, and the recipe."""
    findings = [finding(said) for said in (interpretation(result), significance(result)) if said]
    found = [caveat(note.one) for note in warnings(result)]
    if result.n_single_documents:
        are = "is" if result.n_single_documents == 1 else "are"
        number = counted(result.n_single_documents, "document")
        found.insert(0, caveat(f"{number} with one coding {are} left out"))
    found += [caveat(f"left out: {line}") for line in result.left_out]
    return [*findings, *found, reading(STREAM_NOTE), reading(STRICT_NOTE), recipe(result.signature)]


def matrix_notes(matrix: CoderMatrix) -> list[Note]:
    """Return the averages over all pairs, and the recipe."""
    micro, macro = float(matrix.scores.micro), matrix.scores.macro
    sides = ""
    if not matrix.metric.symmetric:
        sides = "rows are references, columns hypotheses, means pool both ways; "
    return [
        finding(
            f"{sides}{matrix.metric.name} over all {matrix.n_pairs} pairs: {micro:.4f} pooled (micro), "
            f"{macro:.4f} on average (macro)"
        ),
        recipe(matrix.signature),
    ]


def drop_notes(drop: AgreementDrop) -> list[Note]:
    """Return what a drop does not show, and the recipe."""
    note = (
        "A drop has no test of its own and means little where the coders do not agree: report it beside "
        "a test (F13t §4.3)."
    )
    return [caveat(note), recipe(drop.signature)]
