"""caesura describe: an annotated corpus in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from caesura.analyses.description import Description, by_document, describe, support
from caesura.analyses.description.analysis import LARGEST_SWEEP
from caesura.analyses.description.differences import granularity
from caesura.checks import N_T
from caesura.cli.options import first_given, flag, n_t_option, output_options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, data_command, reading_options
from caesura.cli.remarks import progress_bar
from caesura.cli.streams import Streaming, total_streaming_options
from caesura.metrics.registry import reach_of
from caesura.results.result import Result
from caesura.results.table import Table
from caesura.values.corpus import Corpus

VIEWS = ("coders", "documents", "sweep", "granularity", "support")

MANY_CODERS = 40
"""The most coders in the table; of more, only the outliers are listed."""

SWEPT = click.IntRange(1, LARGEST_SWEEP)

ALONE: dict[str, Callable[[Corpus, Any], Result]] = {
    "documents": lambda corpus, n_t: by_document(corpus, n_t=n_t),
    "granularity": lambda corpus, n_t: granularity(corpus, reach_of(n_t, corpus.step)),
    "support": lambda corpus, _: support(corpus),
}
"""Views that need DATA in memory, but not the rest of the description."""


@data_command("describe")
@n_t_option("Near misses span fewer than this many positions.", default=N_T)
@flag("--coders", help="Show coders with their boundary rates.")
@flag("--documents", help="Show documents, lowest agreement first.")
@flag("--sweep", help="Show edits for each n_t, to choose one.")
@click.option("--max-n-t", type=SWEPT, default=15, help="Largest n_t of --sweep.")
@flag("--granularity", help="Show how many differences come from one coder segmenting more finely.")
@flag("--support", help="Show how many coders support each marked position.")
@total_streaming_options
@reading_options
@output_options
def command(
    reading: Reading,
    streaming: Streaming,
    data: tuple[str, ...],
    n_t: int | str,
    max_n_t: int,
    out: Output,
    **views: bool,
) -> None:
    """Describe DATA: coders, boundary rates, edits and support.

    JSON holds all results; CSV holds the table that you ask for.

    Parquet and JSON Lines can be streamed at any size. The numbers stay the same; outliers, support and
    single documents are not listed.
    """
    if sum(views.values()) > 1:
        raise click.UsageError(f"choose one of --{', --'.join(VIEWS)}")
    view = next((name for name, is_given in views.items() if is_given), "main")
    needs_all = {"--document": bool(reading.documents), f"--{view}": view in ALONE}
    scanned = streaming.coder_scan(reading, data, reading.coders, first_given(needs_all))
    if scanned is not None:
        with streaming.running("describing") as watched:
            streamed = describe(scanned, n_t=n_t, sweep=range(2, max_n_t + 1), **watched)
        streaming.say(data, [scanned], streamed.documents, "not listed", streamed.left_out)
        out.emit(streamed, view)
        return
    corpus = reading.corpus(data)
    is_json = out.format == "json"
    if view in ALONE and not is_json:
        out.emit(ALONE[view](corpus, n_t))
        return
    wanted = range(0) if view == "coders" and not is_json else range(2, max_n_t + 1)
    with progress_bar("describing") as advance:
        description = describe(corpus, n_t=n_t, sweep=wanted, progress=advance)
    shown = description if view != "main" or out.format == "csv" else lambda: _overview(description)
    out.emit(shown, view, data=lambda: _data(description, view))


def _overview(description: Description) -> list[Table]:
    """Return the coders and the support of positions, then all numbers."""
    few = description.coders <= MANY_CODERS
    parts = {
        "coders": few,
        "outliers": not few and description.outliers,
        "types": len(description.types) > 1,
        "prominence": description.prominence,
    }
    tables = [description.to_table(part) for part, is_shown in parts.items() if is_shown]
    tables = [*(replace(table, notes=table.of_kind("reading")) for table in tables), description.to_table()]
    # Findings come first, the signature last.
    findings = tables[-1].of_kind("finding")
    last = [note for note in tables[-1].notes if note not in findings]
    tables[-1] = replace(tables[-1], notes=last)
    return [replace(tables[0], notes=[*findings, *tables[0].notes]), *tables[1:]]


def _data(description: Description, view: str) -> dict[str, Any]:
    data = description.to_dict()
    if view == "support":
        data["support"] = description.support().numbers()["positions"]
    if view == "documents":
        data["by_document"] = description.by_document().numbers()["documents"]
    return data
