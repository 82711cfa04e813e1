"""Descriptions, and the support of positions, in tables."""

from __future__ import annotations

from caesura.analyses.description.documents import ByDocument
from caesura.analyses.description.prominence import Support
from caesura.analyses.description.results import CoderRate, Described, Description, StreamedDescription
from caesura.analyses.description.sentences import (
    coder_finding,
    document_notes,
    notes,
    streamed_notes,
    support_notes,
    sweep_findings,
)
from caesura.results.notes import finding, reading, recipe
from caesura.results.presentation import Presentation, present, table_of
from caesura.results.table import Cell, Column, Table
from caesura.wording import counted, whole_percent


def main_table(description: Described) -> Table:
    """Return one quantity a row, as F13t tables 5.3 and 5.4."""
    rows = _coding_rows(description) + (_pair_rows(description) if description.pairs else [])
    columns = [Column("quantity"), Column("value"), Column("SD"), Column("n")]
    return Table("", columns, rows, notes=[*description.notes])


def _coding_rows(description: Described) -> list[list[Cell]]:
    totals: dict[str, int] = {
        "documents": description.documents,
        "coders": description.coders,
        "codings": description.codings,
        "units": description.units,
        "potential boundaries": description.potential_boundaries,
        "boundaries": description.boundaries,
        "segments": description.segments,
    }
    means = {
        "units per document": description.document_size,
        "segment size": description.segment_size,
        "segments per coding": description.segments_per_coding,
        "boundaries per coder": description.boundaries_per_coder,
        "boundaries per position per coder": description.boundaries_per_position_per_coder,
    }
    rows: list[list[Cell]] = [[name, total, None, None] for name, total in totals.items()]
    return rows + [[name, mean.mean, mean.sd, mean.n] for name, mean in means.items()]


def _pair_rows(description: Described) -> list[list[Cell]]:
    counts: dict[str, int] = {
        "pairs": description.pairs,
        "pair potential boundaries": description.pair_potential_boundaries,
        "pair boundaries": description.pair_boundaries,
        "pair matches": description.pair_matches,
        "pair transpositions": description.pair_transpositions,
        "pair substitutions": description.pair_substitutions,
        "pair additions": description.pair_additions,
    }
    rows: list[list[Cell]] = [[name, count, None, None] for name, count in counts.items()]
    likely, n = description.probabilities, description.pair_boundaries
    rows.append(["P(boundary)", likely.boundary, None, description.pair_potential_boundaries])
    for name, value in zip(likely._fields[1:], likely[1:], strict=True):
        rows.append([f"P({name} | boundary)", value, None, n])
    for name, value in description.shares._asdict().items():
        rows.append([f"share {name.replace('_', '-')}", value, None, n])
    return rows


def coders_table(description: Description) -> Table:
    """Return one row per coder: boundary rates, with outliers pointed out."""
    return _rates_table(description, "Coders", description.coder_rates)


def outliers_table(description: Description) -> Table:
    """Return the rows of coders who are outliers."""
    return _rates_table(
        description, f"Outliers among {counted(description.coders, 'coder')}", description.outliers
    )


def _rates_table(description: Description, title: str, rates: tuple[CoderRate, ...]) -> Table:
    names = ["coder", "documents", "positions", "boundaries", "rate", "typical rate"]
    columns = [*map(Column, names), Column("difference", 1), Column("p"), Column("outlier")]
    note = (
        "rate: boundaries per position; typical: of the median coder of the same documents; difference: "
        "boundaries per 100 positions more than the other coders of the same documents; p: of that by "
        "exchanging coders within documents, Holm over coders; outlier: p ≤ 0.05"
    )
    rows: list[list[Cell]] = [[*rate[:8], rate.outlier] for rate in rates]
    said = [reading(note), finding(coder_finding(description)), recipe(description.signature)]
    return Table(title, columns, rows, notes=said)


def coder_totals_table(description: StreamedDescription) -> Table:
    """Return one row per coder of a stream."""
    names = ["coder", "documents", "positions", "boundaries", "rate", "typical rate"]
    note = "rate: boundaries per position; typical: of the median coder of the same documents"
    rows: list[list[Cell]] = [[*one] for one in description.coder_totals]
    said = [reading(note), recipe(description.signature)]
    return Table("Coders", [*map(Column, names)], rows, notes=said)


def types_table(description: Described) -> Table:
    """Return one row per boundary type, or per level of hierarchies."""
    is_ranked = description.is_hierarchical
    names = ["level" if is_ranked else "type", "boundaries", "share", "coders"]
    names += ["segment size", "SD"] if is_ranked else []
    rows: list[list[Cell]] = [
        [kind.name, kind.boundaries, kind.share, kind.coders, *(kind.segment_size or ())[:2]]
        for kind in description.types
    ]
    note = "share: of all boundaries; coders: how many use it"
    note += "; segments lie between boundaries of the level and those above" if is_ranked else ""
    title = "Levels" if is_ranked else "Boundary types"
    return Table(title, [*map(Column, names)], rows, notes=[reading(note), recipe(description.signature)])


def sweep_table(description: Described) -> Table:
    """Return one row per n_t: the edits by kind, and how many transpositions just fit."""
    names = ["n_t", "matches", "additions", "substitutions", "transpositions", "edits", "of span n_t − 1"]
    rows: list[list[Cell]] = [
        [*edits, edits.edits, description.spans.get(edits.n_t - 1)] for edits in description.sweep
    ]
    said = [
        reading(
            f"edits between every two coders, {counted(description.pairs, 'pair')}; additions are full "
            "misses, transpositions near misses"
        ),
        *map(finding, sweep_findings(description)),
        recipe(description.signature),
    ]
    return Table("Edits by n_t", [*map(Column, names)], rows, notes=said)


def prominence_table(description: Description) -> Table:
    """Return one row per tolerance: the five numbers of a box plot, as in KS12 figure 3."""
    names = ["tolerance", "positions", "least", "Q1", "median", "Q3", "greatest"]
    names += ["by one", "by half", "by all"]
    said = [reading("by one, half, all: share of the positions that one, at least half, all coders support")]
    if description.prominence:
        exact, near, _ = description.prominence
        said.append(
            finding(
                f"Half or more of the coders mark {whole_percent(exact.by_half)} of the marked positions "
                f"exactly, and {whole_percent(near.by_half)} within half a window."
            )
        )
    return Table(
        "Support of marked positions, as a share of each document's coders",
        [Column(name, 2) for name in names],
        [list(distribution) for distribution in description.prominence],
        notes=[*said, recipe(description.signature)],
    )


def documents_table(found: ByDocument) -> Table:
    """Return one row per document, those with the least agreement first."""
    names = ["document", "units", "coders", "pairs", "boundaries", "matches", "near misses", "full misses"]
    names += ["other type", "B", "lost"]
    rows: list[list[Cell]] = [[*row] for row in found.rows]
    columns = [Column(name, 2 if name == "lost" else 4) for name in names]
    return Table("Documents by disagreement", columns, rows, notes=document_notes(found))


def support_table(support: Support) -> Table:
    """Return one row per marked position."""
    names = ["document", "position", "exact", "within k/2", "within k", "coders", "k"]
    shares = (support.exact / support.n_coders).tolist()
    rows = [*zip(*support.columns(), shares, strict=True)]
    columns = [*map(Column, names), Column("prominence", 2)]
    return Table("Support of each marked position", columns, rows, notes=support_notes(support))


present(
    Description,
    Presentation(
        tables={
            "main": main_table,
            "coders": coders_table,
            "outliers": outliers_table,
            "types": types_table,
            "sweep": sweep_table,
            "prominence": prominence_table,
            "documents": lambda description: table_of(description.by_document()),
            "support": lambda description: table_of(description.support()),
        },
        notes=notes,
    ),
)
present(
    StreamedDescription,
    Presentation(
        tables={
            "main": main_table,
            "coders": coder_totals_table,
            "types": types_table,
            "sweep": sweep_table,
        },
        notes=streamed_notes,
    ),
)
present(ByDocument, Presentation(tables={"main": documents_table}, notes=document_notes))
present(Support, Presentation(tables={"main": support_table}, notes=support_notes))
