"""caesura agree: how far the coders of a corpus agree, by group, by document or by pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from caesura.analyses.agreement_difference import compare_agreement
from caesura.analyses.coder_agreement.analysis import agreement, agreements
from caesura.analyses.coder_agreement.coefficients import CHANCES, COEFFICIENTS, Chance, Coefficient
from caesura.analyses.coder_agreement.matrix import coder_matrix
from caesura.analyses.coder_agreement.words import (
    agreement_table,
    document_table,
    influence_table,
    strict_table,
)
from caesura.analyses.levels import hierarchical_agreement
from caesura.checks import AGREEMENT_RESAMPLES, MAX_RESAMPLES, TEST_RESAMPLES
from caesura.cli.options import (
    Output,
    coder_option,
    document_option,
    metric_options,
    output_options,
    with_n_t,
)
from caesura.cli.progress import progress_bar
from caesura.cli.reading import DataCommand, Reading, reading_options, selected, split_name
from caesura.cli.streams import Streaming, total_streaming_options
from caesura.metrics.base import Metric
from caesura.results.notes import reading as meaning
from caesura.results.table import Table

BY_LEVEL = (
    "The data are hierarchies: --levels shows each level by itself and E_WD, --pairwise -m EWD every two "
    "coders."
)


@click.command("agree", cls=DataCommand)
@click.argument("data", nargs=-1, required=True)
@metric_options(default=["B"])
@click.option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default="pi",
    show_default=True,
    help="The coefficient that interval, z and p are for: pi for a coding scheme, kappa for these coders.",
)
@click.option(
    "--chance",
    type=click.Choice(CHANCES),
    default="boundaries",
    show_default=True,
    help="Expected agreement by definition, or as in the numbers that Fournier (2013) published.",
)
@coder_option
@document_option
@click.option("--documents", "each_document", is_flag=True, help="Show each document by itself.")
@click.option("--pairwise", is_flag=True, help="Show the metric between every two coders instead.")
@click.option("--influence", is_flag=True, help="Show the coefficient without each coder instead.")
@click.option("--levels", is_flag=True, help="Show each level of hierarchies instead.")
@click.option("--strict", is_flag=True, help="Show the coefficients without credit for near misses instead.")
@click.option(
    "--versus",
    multiple=True,
    metavar="DATA",
    help="Compare with the agreement of other DATA, such as an earlier version; repeatable: read together.",
)
@click.option(
    "--resamples",
    type=click.IntRange(0, MAX_RESAMPLES),
    show_default="1000; 9999 with --versus",
    help="Bootstrap samples for the interval; 0: no interval and no random coders.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of everything random."
)
@total_streaming_options
@reading_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    reading: Reading,
    streaming: Streaming,
    data: tuple[str, ...],
    metrics: tuple[Metric, ...],
    n_t: int | str | None,
    coefficient: Coefficient,
    chance: Chance,
    coders: tuple[str, ...],
    documents: tuple[str, ...],
    each_document: bool,
    pairwise: bool,
    influence: bool,
    levels: bool,
    strict: bool,
    versus: tuple[str, ...],
    resamples: int | None,
    seed: int,
    out: Output,
) -> None:
    """Measure the agreement of the coders of DATA: files or folders of codings.

    The first row is the whole corpus: every two codings of one document, whoever coded it. Coders who have
    coded the same documents form a group, and if there are several each has a row below. Documents with one
    coding are left out. JSON holds everything at once; the other formats the one table that is asked for.

    With --versus the value is compared with that of other DATA: difference, interval, p, paired by document
    where both have it.

    Parquet and JSON Lines of any size can be streamed: the numbers of the whole corpus are the same, the
    interval is that of a Poisson bootstrap, and groups and documents are not listed.
    """
    chosen = with_n_t(metrics, n_t)
    if pairwise + influence + levels + strict > 1 or (each_document and (influence or levels or strict)):
        raise click.UsageError(
            "choose one of --pairwise, --influence, --levels, --strict; --documents goes with --pairwise"
        )
    if (pairwise or levels) and len(chosen) > 1:
        raise click.UsageError(f"{'--pairwise' if pairwise else '--levels'} shows one metric; give one -m")
    if versus and (each_document or pairwise or influence or levels or strict or len(chosen) > 1):
        raise click.UsageError("--versus compares two values; give one -m and none of the other tables")
    needs_all = {
        "--document": documents,
        "--documents": each_document,
        "--pairwise": pairwise,
        "--influence": influence,
        "--levels": levels,
        "--strict": strict,
        "--versus": versus,
        "--chance published": chance == "published",
    }
    hindrance = next((flag for flag, is_given in needs_all.items() if is_given), None)
    scanned = streaming.coder_scan(reading, data, coders, hindrance)
    if scanned is not None:
        with streaming.running("comparing coders") as how:
            streamed = agreements(
                scanned,
                chosen,
                coefficient=coefficient,
                n_resamples=AGREEMENT_RESAMPLES if resamples is None else resamples,
                rng=seed,
                **how,
            )
        first = streamed[0]
        n_documents = first.n_documents + first.n_single_documents
        streaming.say(data, [scanned], n_documents, "not listed", first.left_out)
        out.emit(
            lambda: agreement_table(streamed),
            data=lambda: {"agreements": [one.to_dict() for one in streamed]},
        )
        if first.left_out:
            context.exit(1)
        return
    corpus = selected(reading.corpus(data), coders, documents)
    if versus:
        other = selected(reading.corpus(versus), coders, documents)
        with progress_bar("comparing") as progress:
            difference = compare_agreement(
                corpus,
                other,
                metric=chosen[0],
                coefficient=coefficient,
                chance=chance,
                names=_names(data, versus),
                n_resamples=TEST_RESAMPLES if resamples is None else resamples,
                rng=seed,
                progress=progress,
            )
        out.emit(difference)
        return
    resamples = AGREEMENT_RESAMPLES if resamples is None else resamples
    if levels:
        by_level = hierarchical_agreement(
            corpus, metric=chosen[0], coefficient=coefficient, chance=chance, n_resamples=resamples, rng=seed
        )
        out.emit(by_level)
        return
    if pairwise:
        matrix = coder_matrix(corpus, chosen[0])
        out.emit(matrix, "documents" if each_document else "main")
        return
    shows_groups = out.format == "json" or not (each_document or influence or strict)
    resamples = resamples if shows_groups else 0
    results = [
        agreement(
            corpus, metric=metric, coefficient=coefficient, chance=chance, n_resamples=resamples, rng=seed
        )
        for metric in chosen
    ]

    def table() -> Table:
        if each_document:
            return document_table(results)
        if influence:
            return influence_table(results)
        if strict:
            return strict_table(results[0])
        remarks = [meaning(BY_LEVEL)] if corpus.is_hierarchical else []
        return agreement_table(results, remarks, every_group=out.format == "csv")

    out.emit(table, data=lambda: {"agreements": [result.to_dict() for result in results]})


def _names(data: Sequence[str], versus: Sequence[str]) -> tuple[str, str]:
    """Return what to call two inputs: their files' names, or the paths where these are the same."""
    names = tuple(Path(split_name(one[0]).path).stem for one in (data, versus))
    if names[0] == names[1]:
        names = data[0], versus[0]
    return (names[0], names[1]) if names[0] != names[1] else ("first", "second")
