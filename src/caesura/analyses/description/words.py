"""A description in words and tables: how coders differ, who stands out, what n_t would change."""

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


def findings(description: Description) -> list[str]:
    """Return one or two sentences that say what the numbers mean."""
    about_coders = [] if description.is_streamed else [coder_finding(description)]
    return [pair_finding(description), *about_coders]


def pair_finding(description: Description) -> str:
    """Say what becomes of boundaries when two coders are compared."""
    if not description.pairs:
        return NO_PAIRS
    if not description.pair_boundaries:
        return "No coder marks any boundary in the documents with two coders or more."
    shares = description.shares
    sentence = (
        f"When two coders are compared, {whole_percent(shares.matched)} of their boundaries match, "
        f"{whole_percent(shares.near_missed)} are near misses and {whole_percent(shares.missed)} are full "
        "misses"
    )
    if shares.substituted:
        kind = "level" if description.is_hierarchical else "type"
        sentence += f" ({whole_percent(shares.substituted)} have another {kind})"
    wider = next((edits for edits in description.sweep if edits.n_t == description.n_t + 1), None)
    now = description.pair_additions + description.pair_substitutions + description.pair_transpositions
    if wider is not None and wider.edits != now:
        fewer = whole_percent(ratio(now - wider.edits, now))
        sentence += f"; n_t={wider.n_t} would need {fewer} fewer edits"
    return f"{sentence}."


MOST_NAMED = 5
"""How many coders a sentence names."""


def coder_finding(description: Description) -> str:
    """Say which coders mark more or fewer boundaries than others, or why that cannot be told."""
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
    """Say at which n_t the number of edits drops most."""
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
    """Return what the numbers mean, what is missing of a stream, and their signature."""
    left_out = [caveat(f"Left out: {line}") for line in description.left_out]
    missing = [reading(STREAM_NOTE)] if description.is_streamed else []
    return [*map(finding, findings(description)), *left_out, *missing, signature(description.signature)]


def document_notes(by_document: ByDocument) -> list[Note]:
    """Return in which documents most agreement is lost, and the signature."""
    compared = [row for row in by_document.rows if row.pairs]
    notes = [
        reading(
            "B: pooled over all pairs of the document's coders; lost: share of the weight of all edits; "
            "boundaries: of all coders together."
        ),
        signature(by_document.signature),
    ]
    if not compared:
        return [finding(NO_PAIRS), *notes]
    least = compared[0]
    if least.value == 1:
        return [finding("No coder differs from another in any document."), *notes]
    most = max(compared, key=lambda row: row.lost)
    sentence = f"The coders of {shortened(least.document)} agree least (B {least.value:.2f})"
    if len(compared) > 1:
        sentence += (
            f"; {shortened(most.document)} accounts for most of what is lost ({whole_percent(most.lost)})"
        )
    return [finding(f"{sentence}."), *notes]


def support_notes(support: Support) -> list[Note]:
    """Return what the columns of support are, and their signature."""
    return [
        reading("Coders who mark the position, or one at most k/2 or k away; prominence: exact / coders."),
        signature(f"support|k={support.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"),
    ]


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
    """Return one quantity a row, as F13t tables 5.3 and 5.4."""
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


def coders_table(description: Description) -> Table:
    """Return one row per coder: boundary rates, with outliers pointed out."""
    return _rates_table(description, "Coders", description.coder_rates)


def outliers_table(description: Description) -> Table:
    """Return the rows of coders who are outliers."""
    title = f"Outliers among {counted(description.coders, 'coder')}"
    return _rates_table(description, title, description.outliers)


def _rates_table(description: Description, title: str, rates: tuple[CoderRate, ...]) -> Table:
    note = "rate: boundaries per position; typical rate: that of the median coder of the same documents"
    names = ["coder", "boundaries", "rate", "typical rate", "documents", "positions"]
    sizes: list[list[Cell]] = [[rate[i] for i in (0, 3, 4, 5, 1, 2)] for rate in rates]
    if description.is_streamed:
        return Table(title, [*map(Column, names)], sizes, notes=_notes(description, note))
    tested = [Column("difference", 1), Column("p"), Column("outlier")]
    columns = [*map(Column, names[:3]), *tested, *map(Column, names[3:])]
    note += (
        "; difference: boundaries per 100 positions above the other coders of the same documents; p: "
        "permutation of coders within documents, Holm over coders; outlier: p ≤ 0.05."
    )
    rows: list[list[Cell]] = [
        [*size[:3], r.difference, r.p_value, r.outlier, *size[3:]]
        for r, size in zip(rates, sizes, strict=True)
    ]
    if description.time is not None:
        columns.append(Column("minutes", 1))
        rows = [[*row, description.time.coders.get(str(row[0]))] for row in rows]
    return Table(title, columns, rows, notes=_notes(description, note, coder_finding(description)))


def _notes(description: Description, note: str, *sentences: str) -> list[Note]:
    return [reading(note), *map(finding, sentences), signature(description.signature)]


def types_table(description: Description) -> Table:
    """Return one row per boundary type, or per level of hierarchies."""
    is_ranked = description.is_hierarchical
    names = ["level" if is_ranked else "type", "boundaries", "share", "coders"]
    names += ["segment size", "SD"] if is_ranked else []
    rows = (
        [kind.name, kind.boundaries, kind.share, kind.coders, *(kind.segment_size or ())[:2]]
        for kind in description.types
    )
    note = "share: of all boundaries; coders: how many use it"
    note += "; segments lie between boundaries of the level and those above" if is_ranked else ""
    title = "Levels" if is_ranked else "Boundary types"
    return Table.under(names, rows, _notes(description, note), title)


def sweep_table(description: Description) -> Table:
    """Return one row per n_t: the edits by kind, and how many transpositions just fit."""
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
    return Table(
        "Support of marked positions, as a share of each document's coders",
        [Column(name, 2) for name in names],
        [(*row[:2], *row[7:], *row[2:7]) for row in description.prominence],
        notes=_notes(description, note, *sentences),
    )


DIFFERENCES = ("agreed", "near", "finer", "coarser", "conflict", "share", "chance")


def granularity_notes(granularity: Granularity) -> list[Note]:
    """Say how much of what differs is one coder dividing finer than another."""
    total = granularity.total
    text = "No two coders of a document differ in a boundary."
    if total.share is not None:
        text = (
            f"In {whole_percent(total.share)} of the {total.granularity + total.conflict:,} differences one "
            "coder splits a segment of the other; the rest are conflicts"
        )
        by_chance = "" if total.chance is None else f" (random coders: {whole_percent(total.chance)})"
        text = f"{text}{by_chance}."
    explained = (
        "finer: the coder splits a segment of the others; coarser: the others split one of the coder; "
        "conflict: both split, differently; share: finer and coarser among all differences."
    )
    return [finding(text), reading(explained), signature(granularity.signature)]


def granularity_table(granularity: Granularity) -> Table:
    """Return one row per coder, against all others of the same documents."""
    rows: list[list[Cell]] = [
        [each.coder, each.comparisons, *_differences(each.differences)] for each in granularity.coders
    ]
    columns = [Column(name, 2) for name in ("coder", "comparisons", *DIFFERENCES)]
    return Table("Granularity or conflict", columns, rows, notes=granularity_notes(granularity))


def granularity_pairs_table(granularity: Granularity) -> Table:
    """Return one row per pair of coders; finer: the first, coarser: the second divides finer."""
    rows: list[list[Cell]] = [
        [pair.first, pair.second, pair.documents, *_differences(pair.differences)]
        for pair in granularity.pairs
    ]
    columns = [Column(name, 2) for name in ("coder", "other", "documents", *DIFFERENCES)]
    return Table("Granularity or conflict", columns, rows, notes=granularity_notes(granularity))


def _differences(of: Differences) -> list[Cell]:
    return [of.agreed, of.near, of.finer_first, of.finer_second, of.conflict, of.share, of.chance]


def documents_table(by_document: ByDocument) -> Table:
    """Return one row per document, those with the least agreement first."""
    names = ["document", "units", "coders", "pairs", "boundaries", "matches", "near misses", "full misses"]
    names += ["other type", "B", "lost"]
    columns = [Column(name, 2 if name == "lost" else 4) for name in names]
    return Table("Documents by disagreement", columns, by_document.rows, notes=document_notes(by_document))


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
    coders=coders_table,
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
