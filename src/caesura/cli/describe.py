"""caesura describe: what a coded corpus looks like in numbers."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import click

from caesura.analyses.description import LARGEST_SWEEP, Description, by_document, describe
from caesura.analyses.description import granularity as granularity_of
from caesura.analyses.description import support as support_of
from caesura.checks import N_T
from caesura.cli.options import first_given, flag, n_t_option, output_options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, data_command, reading_options
from caesura.cli.remarks import progress_bar
from caesura.cli.streams import Streaming, total_streaming_options
from caesura.metrics.registry import reach_of
from caesura.results.table import Table

MANY_CODERS = 40
"""With more coders than this only the outliers are listed."""

SWEPT = click.IntRange(1, LARGEST_SWEEP)


@data_command("describe")
@n_t_option("Near misses span fewer than this many positions.", default=N_T)
@flag("--coders", "rates", help="Show only the coders, with their boundary rates.")
@flag("--documents", "each_document", help="Show only the documents, those with the least agreement first.")
@flag("--sweep", help="Show only the edits for each n_t, to choose one.")
@click.option("--max-n-t", type=SWEPT, default=15, help="Largest n_t of the sweep.")
@flag("--granularity", help="Show only how much of what differs is one coder dividing finer than another.")
@flag("--support", help="Show only how many coders support each marked position.")
@total_streaming_options
@reading_options
@output_options
def command(
    reading: Reading,
    streaming: Streaming,
    data: tuple[str, ...],
    n_t: int | str,
    rates: bool,
    each_document: bool,
    sweep: bool,
    max_n_t: int,
    granularity: bool,
    support: bool,
    out: Output,
) -> None:
    """Describe the codings of DATA, files or folders: sizes, rates, edits between coders, support.

    JSON holds everything at once; CSV holds the one table that is asked for.

    Parquet and JSON Lines of any size can be streamed: the numbers are the same; outliers, support and single
    documents are not listed.
    """
    if rates + each_document + sweep + granularity + support > 1:
        raise click.UsageError(
            "--coders, --documents, --sweep, --granularity and --support each show one table; give one of "
            "them"
        )
    part = "coders" if rates else "sweep" if sweep else "main"
    needs_all = {
        "--document": reading.documents,
        "--documents": each_document,
        "--granularity": granularity,
        "--support": support,
    }
    scanned = streaming.coder_scan(reading, data, reading.coders, first_given(needs_all))
    if scanned is not None:
        with streaming.running("describing") as how:
            streamed = describe(scanned, n_t=n_t, sweep=range(2, max_n_t + 1), **how)
        streaming.say(data, [scanned], streamed.documents, "not listed", streamed.left_out)
        out.emit(streamed, part)
        return
    corpus = reading.corpus(data)
    if support and out.format != "json":
        out.emit(support_of(corpus))
        return
    if each_document and out.format != "json":
        out.emit(by_document(corpus, n_t=n_t))
        return
    if granularity and out.format != "json":
        out.emit(granularity_of(corpus, reach_of(n_t, corpus.step)))
        return
    wanted = range(0) if rates and out.format != "json" else range(2, max_n_t + 1)
    with progress_bar("describing") as advance:
        description = describe(corpus, n_t=n_t, sweep=wanted, progress=advance)
    everything = functools.partial(_data, description, support, each_document)
    if rates or sweep or out.format == "csv":
        out.emit(description, part, data=everything)
    else:
        out.emit(lambda: _overview(description), data=everything)


def _overview(description: Description) -> list[Table]:
    """The coders and the support of positions, then the numbers with what they mean."""
    parts = []
    if description.coders <= MANY_CODERS:
        parts.append("coders")
    elif description.outliers:
        parts.append("outliers")
    if len(description.types) > 1:
        parts.append("types")
    if description.prominence:
        parts.append("prominence")
    tables = [description.to_table(part) for part in parts]
    # The signature stands once, at the end; the last table says what the coders' rates mean.
    return [*(replace(table, notes=table.of_kind("reading")) for table in tables), description.to_table()]


def _data(description: Description, support: bool, each_document: bool) -> dict[str, Any]:
    data = description.to_dict()
    if support:
        data["support"] = description.support().numbers()["positions"]
    if each_document:
        data["by_document"] = description.by_document().numbers()["documents"]
    return data
