"""Present a description in words and tables: how coders differ, outliers, and the effect of n_t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from caesura.analyses.description.differences import Differences, Granularity
from caesura.analyses.description.documents import K_MIN, ByDocument, Support
from caesura.analyses.description.results import CoderRate, Description, ratio
from caesura.checks import ALPHA
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present, table_of
from caesura.results.table import Cell, Column, Table
from caesura.version import __version__
from caesura.wording import counted, listed, shortened, whole_percent

# -------------------------------------------------------------------- sentences


NO_PAIRS = "No document has two coders, so there is nothing to compare."

MOST_NAMED = 5
"""Coders that a sentence names."""


def findings(description: Description) -> list[str]:
    """Return one or two sentences that say what the numbers mean."""
    about_coders = [] if description.is_streamed else [coder_finding(description)]
    return [pair_finding(description), *about_coders]


def pair_finding(description: Description) -> str:
    """Return what happens to boundaries when two coders are compared."""
    if not description.pairs:
        return NO_PAIRS
    if not description.pair_boundaries:
        return "No coder marks any boundary in the documents with two coders or more."
    matched, near, missed = (
        whole_percent(getattr(description.shares, name)) for name in ("matched", "near_missed", "missed")
    )
    sentence = (
        f"When two coders are compared, {matched} of their boundaries match, {near} are near misses and "
        f"{missed} are full misses"
    )
    if description.shares.substituted:
        kind = "level" if description.is_hierarchical else "type"
        sentence += f" ({whole_percent(description.shares.substituted)} have another {kind})"
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
    outliers = sorted(description.outliers, key=lambda rate: -abs(rate.difference))
    if outliers:
        rates = [
            f"{shortened(rate.coder)}{'' if number else ' marks'} {abs(rate.difference):.1f} {rate.outlier}"
            for number, rate in enumerate(outliers)
        ]
        p = max(rate.p_value for rate in outliers)
        return (
            f"{listed(rates, most=MOST_NAMED)} boundaries per 100 positions than the other coders of the "
            f"same documents (permutation test by document, Holm, p ≤ {p:.2g})."
        )
    least = min(rate.least_p for rate in tested)
    if least > ALPHA:
        return (
            f"Inconclusive whether coders mark more or fewer boundaries than others: with "
            f"{counted(description.documents, 'document')} by {counted(len(tested), 'coder')} the smallest "
            f"possible p is {least:.2g}."
        )
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
    return [
        f"The number of edits drops most ({whole_percent(drop)}) from n_t={narrow_n_t} to n_t={wide_n_t}. "
        "Fournier (2013, §5.2.1.1) reads this as support for the larger n_t."
    ]


STREAM_NOTE = (
    "Not available when streaming: outliers among coders, support of positions, single documents. Load the "
    "data with cs.read to get them."
)


def notes(description: Description) -> list[Note]:
    """Return what the numbers mean, what a stream omits, and their signature."""
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
    rows = _total_rows(description, TOTALS)
    rows += [[name, *getattr(description, field)] for name, field in MEANS.items()]
    if description.time is not None:
        rows.append(["minutes per coding", *description.time.per_coding])
        rows.append(["minutes per coder", *description.time.per_coder])
    if description.pairs:
        n, (first, *given) = description.pair_boundaries, description.probabilities._asdict().items()
        rows += _total_rows(description, PAIR_TOTALS)
        rows.append([f"P({first[0]})", first[1], None, description.pair_potential_boundaries])
        rows += [[f"P({name} | boundary)", value, None, n] for name, value in given]
        shares = description.shares._asdict()
        rows += [[f"share {name.replace('_', '-')}", value, None, n] for name, value in shares.items()]
    return Table.under(("quantity", "value", "SD", "n"), rows, description.notes)


def _total_rows(description: Description, fields: Sequence[str]) -> list[list[Cell]]:
    return [[field.replace("_", " "), getattr(description, field), None, None] for field in fields]


def outliers_table(description: Description) -> Table:
    """Return the rows of coders who are outliers."""
    title = f"Outliers among {counted(description.coders, 'coder')}"
    return _rates_table(description, title, description.outliers)


def _rates_table(description: Description, title: str, rates: tuple[CoderRate, ...]) -> Table:
    note = "rate: boundaries per position; typical rate: that of the median coder of the same documents"
    names = ["coder", "boundaries", "rate", "typical rate", "documents", "positions"]
    rows: list[list[Cell]] = [[rate[i] for i in (0, 3, 4, 5, 1, 2)] for rate in rates]
    if description.is_streamed:
        return Table.under(names, rows, _notes(description, note), title)
    columns = [*map(Column, names)]
    columns[3:3] = [Column("difference", 1), Column("p"), Column("outlier")]
    for row, rate in zip(rows, rates, strict=True):
        row[3:3] = [rate.difference, rate.p_value, rate.outlier]
    if description.time is not None:
        columns.append(Column("minutes", 1))
        rows = [[*row, description.time.coders.get(str(row[0]))] for row in rows]
    note += (
        "; difference: boundaries per 100 positions above the other coders of the same documents; p: "
        "permutation of coders within documents, Holm over coders; outlier: p ≤ 0.05."
    )
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
    note = (
        f"Edits over {counted(description.pairs, 'pair')} of coders; additions are full misses, "
        "transpositions are near misses."
    )
    notes = _notes(description, note, *sweep_findings(description))
    return Table.under(names, rows, notes, "Edits by n_t")


def prominence_table(description: Description) -> Table:
    """Return one row per tolerance: the five numbers of a box plot, as in KS12 figure 3."""
    names = ["tolerance", "positions", "by one", "by half", "by all"]
    names += ["least", "Q1", "median", "Q3", "greatest"]
    note = "by one, half, all: share of the positions that one, at least half, all coders support."
    sentences = [
        f"Half or more of the coders mark {whole_percent(exact.by_half)} of the marked positions exactly, "
        f"and {whole_percent(near.by_half)} within half a window."
        for exact, near in pairwise(description.prominence[:2])
    ]
    rows = [(*row[:2], *row[7:], *row[2:7]) for row in description.prominence]
    title = "Support of marked positions, as a share of each document's coders"
    return Table.under(names, rows, _notes(description, note, *sentences), title, digits=2)


# -------------------------------------------------------------------- granularity


DIFFERENCES = ("agreed", "near", "finer", "coarser", "conflict", "share", "chance")


def granularity_notes(granularity: Granularity) -> list[Note]:
    """Return how often coders differ only because one splits finer than the other."""
    total = granularity.total
    text = "No two coders of a document differ in a boundary."
    if total.share is not None:
        by_chance = "" if total.chance is None else f" (random coders: {whole_percent(total.chance)})"
        text = (
            f"In {whole_percent(total.share)} of the {total.granularity + total.conflict:,} differences one "
            f"coder splits a segment of the other; the rest are conflicts{by_chance}."
        )
    explained = (
        "finer: the coder splits a segment of the others; coarser: the others split one of the coder; "
        "conflict: both split, differently; share: finer and coarser among all differences."
    )
    return [finding(text), reading(explained), signature(granularity.signature)]


def granularity_table(granularity: Granularity) -> Table:
    """Return one row per coder, against all others of the same documents."""
    rows = [[each.coder, each.comparisons, *_differences(each.differences)] for each in granularity.coders]
    names, notes = ("coder", "comparisons", *DIFFERENCES), granularity_notes(granularity)
    return Table.under(names, rows, notes, "Granularity or conflict", digits=2)


def granularity_pairs_table(granularity: Granularity) -> Table:
    """Return one row per pair of coders; finer: the first splits finer, coarser: the second."""
    rows = [[*pair[:3], *_differences(pair.differences)] for pair in granularity.pairs]
    names, notes = ("coder", "other", "documents", *DIFFERENCES), granularity_notes(granularity)
    return Table.under(names, rows, notes, "Granularity or conflict", digits=2)


def _differences(of: Differences) -> list[Cell]:
    return [of.agreed, of.near, of.finer_first, of.finer_second, of.conflict, of.share, of.chance]


# -------------------------------------------------------------------- documents and positions


def document_notes(by_document: ByDocument) -> list[Note]:
    """Return the documents in which most agreement is lost, and the signature."""
    compared = [row for row in by_document.rows if row.pairs]
    sentence = NO_PAIRS
    if compared and compared[0].value == 1:
        sentence = "No coder differs from another in any document."
    elif compared:
        least, most = compared[0], max(compared, key=lambda row: row.lost)
        loss = f"{shortened(most.document)} accounts for most of what is lost ({whole_percent(most.lost)})"
        sentence = (
            f"The coders of {shortened(least.document)} agree least (B {least.value:.2f})"
            f"{f'; {loss}' if len(compared) > 1 else ''}."
        )
    about = (
        "B: pooled over all pairs of the document's coders; lost: share of the weight of all edits; "
        "boundaries: of all coders together."
    )
    return [finding(sentence), reading(about), signature(by_document.signature)]


def documents_table(by_document: ByDocument) -> Table:
    """Return one row per document, least agreement first."""
    names = ["document", "units", "coders", "pairs", "boundaries", "matches", "near misses", "full misses"]
    names += ["other type", "B", "lost"]
    columns = [Column(name, 2 if name == "lost" else 4) for name in names]
    return Table("Documents by disagreement", columns, by_document.rows, notes=document_notes(by_document))


def support_notes(support: Support) -> list[Note]:
    """Return the meaning of the columns of support, and their signature."""
    return [
        reading("Coders who mark the position, or one at most k/2 or k away; prominence: exact / coders."),
        signature(f"support|k={support.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"),
    ]


def support_table(support: Support) -> Table:
    """Return one row per marked position."""
    names = ["document", "position", "exact", "within k/2", "within k", "coders", "k"]
    shares = (support.exact / support.n_coders).tolist()
    rows = [*zip(*support.columns(), shares, strict=True)]
    columns = [*map(Column, names), Column("prominence", 2)]
    return Table("Support of each marked position", columns, rows, notes=support_notes(support))


present(
    Description,
    notes=notes,
    main=main_table,
    coders=lambda description: _rates_table(description, "Coders", description.coder_rates),
    outliers=outliers_table,
    types=types_table,
    sweep=sweep_table,
    prominence=prominence_table,
    documents=lambda description: table_of(description.by_document()),
    support=lambda description: table_of(description.support()),
)
present(Granularity, notes=granularity_notes, main=granularity_table, pairs=granularity_pairs_table)
present(ByDocument, notes=document_notes, main=documents_table)
present(Support, notes=support_notes, main=support_table)
