"""Present a description in words and tables: how coders differ, outliers, and the effect of n_t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from caesura.analyses.description.analysis import CoderRate, Description, ratio
from caesura.analyses.description.documents import NO_PAIRS
from caesura.checks import ALPHA
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.wording import counted, listed, shortened, whole_percent

# -------------------------------------------------------------------- sentences


MOST_NAMED = 5
"""Coders that a sentence names."""


def findings(description: Description) -> list[str]:
    """Return one or two sentences on the numbers."""
    about_coders = [] if description.is_streamed else [coder_finding(description)]
    return [pair_finding(description), *about_coders]


def pair_finding(description: Description) -> str:
    """Return the shares of boundaries that match, are near misses and are full misses."""
    if not description.pairs:
        return NO_PAIRS
    if not description.pair_boundaries:
        return "No coder marks any boundary in the documents with two coders or more."
    missed, wrong, near, matched = map(whole_percent, description.shares)
    kind = f" ({wrong} have another {'level' if description.is_hierarchical else 'type'})"
    sentence = f"When two coders are compared, {matched} of their boundaries match, {near} are near misses"
    sentence += f" and {missed} are full misses{kind if description.shares.substituted else ''}"
    wider = next((edits for edits in description.sweep if edits.n_t == description.n_t + 1), None)
    now = description.pair_additions + description.pair_substitutions + description.pair_transpositions
    if wider is not None and wider.edits != now:
        fewer = whole_percent(ratio(now - wider.edits, now))
        sentence += f"; n_t={wider.n_t} would need {fewer} fewer edits"
    return f"{sentence}."


def coder_finding(description: Description) -> str:
    """Return which coders mark more or fewer boundaries than others, or why the test is inconclusive."""
    tested = [rate for rate in description.coder_rates if not math.isnan(rate.p_value)]
    if not tested:
        return "No document has two coders, so their rates cannot be compared."
    if outliers := sorted(description.outliers, key=lambda rate: -abs(rate.difference)):
        rates = [
            f"{shortened(rate.coder)}{'' if number else ' marks'} {abs(rate.difference):.1f} {rate.outlier}"
            for number, rate in enumerate(outliers)
        ]
        p = max(rate.p_value for rate in outliers)
        more = f"{listed(rates, most=MOST_NAMED)} boundaries per 100 positions than the other coders"
        return f"{more} of the same documents (permutation test by document, Holm, p ≤ {p:.2g})."
    least = min(rate.least_p for rate in tested)
    if least > ALPHA:
        size = f"{counted(description.documents, 'document')} by {counted(len(tested), 'coder')}"
        sentence = "Inconclusive whether coders mark more or fewer boundaries than others"
        return f"{sentence}: with {size} the smallest possible p is {least:.2g}."
    return "No coder's boundary rate differs significantly from that of the others on the same documents."


def sweep_findings(description: Description) -> list[str]:
    """Return the n_t at which the number of edits drops most."""
    drops = [
        (ratio(narrow.edits - wide.edits, narrow.edits), narrow.n_t, wide.n_t)
        for narrow, wide in pairwise(description.sweep)
        if narrow.edits
    ]
    if not drops:
        return []
    drop, narrow_n_t, wide_n_t = max(drops, key=lambda step: step[0])
    if drop <= 0:
        return ["The number of edits does not depend on n_t here."]
    most = f"The number of edits drops most ({whole_percent(drop)}) from n_t={narrow_n_t} to n_t={wide_n_t}"
    return [f"{most}. Fournier (2013, §5.2.1.1) reads this as support for the larger n_t."]


NOT_SUMS = "outliers among coders, support of positions, single documents"
STREAM_NOTE = f"Not available when streaming: {NOT_SUMS}. Load the data with cs.read to get them."


def notes(description: Description) -> list[Note]:
    """Return findings, the files and statistics left out, and the signature."""
    left_out = [caveat(f"Left out: {line}") for line in description.left_out]
    missing = [reading(STREAM_NOTE)] if description.is_streamed else []
    return [*map(finding, findings(description)), *left_out, *missing, signature(description.signature)]


# -------------------------------------------------------------------- tables


TOTALS = ("documents", "coders", "codings", "units", "potential_boundaries", "boundaries", "segments")

MEANS = {
    "units per document": "document_size",
    "segment size": "segment_size",
    "segments per coding": "segments_per_coding",
    "boundaries per coder": "boundaries_per_coder",
    "boundaries per position per coder": "boundaries_per_position_per_coder",
}

PAIR_EDITS = ("pair_matches", "pair_transpositions", "pair_substitutions", "pair_additions")
PAIR_TOTALS = ("pairs", "pair_potential_boundaries", "pair_boundaries", *PAIR_EDITS)


def main_table(description: Description) -> Table:
    """Return one row per quantity, as in F13t tables 5.3 and 5.4."""

    def totals(fields: Sequence[str]) -> list[list[Cell]]:
        return [[field.replace("_", " "), getattr(description, field), None, None] for field in fields]

    means = {name: getattr(description, field) for name, field in MEANS.items()}
    if description.time is not None:
        means["minutes per coding"] = description.time.per_coding
        means["minutes per coder"] = description.time.per_coder
    rows = totals(TOTALS) + [[name, *mean] for name, mean in means.items()]
    if description.pairs:
        n, (first, *given) = description.pair_boundaries, description.probabilities._asdict().items()
        rows += totals(PAIR_TOTALS)
        rows.append([f"P({first[0]})", first[1], None, description.pair_potential_boundaries])
        rows += [[f"P({name} | boundary)", value, None, n] for name, value in given]
        shares = description.shares._asdict()
        rows += [[f"share {name.replace('_', '-')}", value, None, n] for name, value in shares.items()]
    return Table.under(("quantity", "value", "SD", "n"), rows, description.notes)


def _rates_table(description: Description, title: str, rates: Sequence[CoderRate]) -> Table:
    note = "rate: boundaries per position; typical rate: that of the median coder of the same documents"
    names = ["coder", "boundaries", "rate", "typical rate", "documents", "positions"]
    rows: list[list[Cell]] = [[rate[i] for i in (0, 3, 4, 5, 1, 2)] for rate in rates]
    if description.is_streamed:
        known = sorted((rate for rate in rates if not math.isnan(rate.rate)), key=lambda rate: rate.rate)
        ends = [f"{shortened(rate.coder)} ({rate.rate:.2f})" for rate in (*known[-1:], *known[:1])]
        extremes = [f"{' marks most boundaries per position, '.join(ends)} fewest."] if known[1:] else []
        return Table.under(names, rows, _notes(description, note, *extremes), title)
    columns = [*map(Column, names)]
    columns[3:3] = [Column("difference", 1), Column("p"), Column("outlier")]
    for row, rate in zip(rows, rates, strict=True):
        row[3:3] = [rate.difference, rate.p_value, rate.outlier]
    if description.time is not None:
        columns.append(Column("minutes", 1))
        rows = [[*row, description.time.coders.get(str(row[0]))] for row in rows]
    note += "; difference: boundaries per 100 positions above the other coders of the same documents"
    note += "; p: permutation of coders within documents, Holm over coders; outlier: p ≤ 0.05."
    return Table(title, columns, rows, notes=_notes(description, note, coder_finding(description)))


def _notes(description: Description, note: str, *sentences: str) -> list[Note]:
    return [reading(note), *map(finding, sentences), signature(description.signature)]


def types_table(description: Description) -> Table:
    """Return one row per boundary type, or per level of hierarchies."""
    names, title = ["type", "boundaries", "share", "coders"], "Boundary types"
    note = "share: of all boundaries; coders: how many use it"
    if description.is_hierarchical:
        names, title = ["level", *names[1:], "segment size", "SD"], "Levels"
        note += "; segments lie between boundaries of the level and those above"
    rows = (
        [kind.name, kind.boundaries, kind.share, kind.coders, *(kind.segment_size or ())[:2]]
        for kind in description.types
    )
    return Table.under(names, rows, _notes(description, note), title)


def sweep_table(description: Description) -> Table:
    """Return one row per n_t: the edits by kind, and the transpositions of the widest span."""
    names = ["n_t", "matches", "additions", "substitutions", "transpositions", "edits", "of span n_t − 1"]
    rows = ([*edits, edits.edits, description.spans.get(edits.n_t - 1)] for edits in description.sweep)
    kinds = "additions are full misses, transpositions are near misses"
    note = f"Edits over {counted(description.pairs, 'pair')} of coders; {kinds}."
    notes = _notes(description, note, *sweep_findings(description))
    return Table.under(names, rows, notes, "Edits by n_t")


def prominence_table(description: Description) -> Table:
    """Return one row per tolerance: the five numbers of a box plot, as in KS12 figure 3."""
    names = ["tolerance", "positions", "by one", "by half", "by all"]
    names += ["least", "Q1", "median", "Q3", "greatest"]
    note = "by one, half, all: share of the positions that one, at least half, all coders support."
    shares = [whole_percent(row.by_half) for row in description.prominence[:2]]
    marked = " of the marked positions exactly, and ".join(shares)
    sentences = [f"Half or more of the coders mark {marked} within half a window."] if shares else []
    rows = [(*row[:2], *row[7:], *row[2:7]) for row in description.prominence]
    title = "Support of marked positions, as a share of each document's coders"
    return Table.under(names, rows, _notes(description, note, *sentences), title, digits=2)


present(
    Description,
    notes=notes,
    main=main_table,
    coders=lambda description: _rates_table(description, "Coders", description.coder_rates),
    outliers=lambda description: _rates_table(
        description, f"Outliers among {counted(description.coders, 'coder')}", description.outliers
    ),
    types=types_table,
    sweep=sweep_table,
    prominence=prominence_table,
    documents=lambda description: description.by_document().to_table(),
    support=lambda description: description.support().to_table(),
)
