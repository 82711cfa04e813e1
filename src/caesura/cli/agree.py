"""caesura agree: inter-annotator agreement by group, document or pair of coders."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from caesura.analyses.agreement_difference import compare_agreement
from caesura.analyses.coder_agreement import words
from caesura.analyses.coder_agreement.analysis import Agreement, agreement, agreements
from caesura.analyses.coder_agreement.coefficients import CHANCES, COEFFICIENTS, Chance, Coefficient
from caesura.analyses.coder_agreement.matrix import coder_matrix
from caesura.analyses.levels import hierarchical_agreement
from caesura.checks import AGREEMENT_RESAMPLES, TEST_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, data_command, reading_options, split_name
from caesura.cli.remarks import progress_bar
from caesura.cli.streams import Streaming, total_streaming_options
from caesura.results.as_json import plain_data
from caesura.results.notes import reading as meaning
from caesura.results.table import Table

BY_LEVEL = "The data are hierarchies: --levels shows each level, --pairwise -m EWD every pair of coders."

VIEWS = ("pairwise", "influence", "levels", "strict", "subsets")

TABLES: dict[str, Callable[[list[Agreement]], Table | list[Table]]] = {
    "each_document": words.document_table,
    "influence": words.influence_table,
    "strict": lambda results: [
        table(results[0])
        for table in (words.strict_table, words.strict_intervals_table)[: 2 if results[0].n_resamples else 1]
    ],
    "subsets": lambda results: [result.subsets().to_table() for result in results],
}
"""Tables in place of the main one."""


@data_command("agree")
@options.metric_options("B")
@options.choice("--coefficient", COEFFICIENTS, "pi for a coding scheme, kappa for these coders.", "pi")
@options.choice("--chance", CHANCES, "Expected agreement: defined, published or as in segeval.", "boundaries")
@options.flag("--documents", "each_document", help="Show each document.")
@options.flag("--pairwise", help="Show the metric for every pair of coders.")
@options.flag("--influence", help="Show the coefficient without each coder.")
@options.flag("--levels", help="Show each level of hierarchies.")
@options.flag("--strict", help="Show coefficients without credit for near misses.")
@options.flag("--subsets", help="Show which coders and documents agree enough to train on.")
@click.option("--versus", multiple=True, metavar="DATA", help="Compare with other DATA; repeatable.")
@options.resamples_option(
    None,
    "Bootstrap samples; 0: no interval, no random coders.",
    show_default=f"{AGREEMENT_RESAMPLES}; {TEST_RESAMPLES} with --versus",
)
@options.seed_option()
@total_streaming_options
@reading_options
@options.output_options
def command(
    reading: Reading,
    streaming: Streaming,
    data: tuple[str, ...],
    chosen: options.Chosen,
    coefficient: Coefficient,
    chance: Chance,
    versus: tuple[str, ...],
    n_resamples: int | None,
    rng: int,
    out: Output,
    **views: bool,
) -> None:
    """Measure inter-annotator agreement in DATA.

    The first row pools every pair of codings of the same document. A group is a set of coders who coded the
    same documents; with several groups, each has a row. Documents with only one coding do not count. JSON
    holds all results; other formats hold the table that you ask for.

    --versus compares the value with that of other DATA: difference, interval and p, paired by document where
    both have it.

    Parquet and JSON Lines can be streamed at any size. The corpus values stay the same and the interval is
    from a Poisson bootstrap; groups and documents are not listed.
    """
    metrics = chosen.metrics
    shown = _checked([name for name, is_given in views.items() if is_given], len(metrics), bool(versus))
    if n_resamples is None:
        n_resamples = TEST_RESAMPLES if versus else AGREEMENT_RESAMPLES
    settings: dict[str, Any] = {"coefficient": coefficient, "n_resamples": n_resamples, "rng": rng}
    needs_all = {
        "--document": reading.documents,
        **{_flag(name): True for name in shown},
        "--versus": versus,
        f"--chance {chance}": chance != "boundaries",
    }
    scanned = streaming.coder_scan(reading, data, reading.coders, options.first_given(needs_all))
    if scanned is not None:
        with streaming.running("comparing coders") as watched:
            results = agreements(scanned, metrics, **settings, **watched)
        first = results[0]
        n_documents = first.n_documents + first.n_single_documents
        streaming.say(data, [scanned], n_documents, "not listed", first.left_out)
        _emit(out, results, words.agreement_table)
        return
    corpus = reading.corpus(data)
    settings["chance"] = chance
    if versus:
        rival = reading.corpus(versus)
        settings |= {"metric": metrics[0], "names": _names(data, versus)}
        with progress_bar("comparing") as progress:
            difference = compare_agreement(corpus, rival, progress=progress, **settings)
        out.emit(difference)
    elif "levels" in shown:
        out.emit(hierarchical_agreement(corpus, metric=metrics[0], **settings))
    elif "pairwise" in shown:
        out.emit(coder_matrix(corpus, metrics[0]), "documents" if "each_document" in shown else "main")
    else:
        if shown and (out.format == "csv" or (out.format != "json" and shown != ["strict"])):
            settings["n_resamples"] = 0  # these tables have no intervals
        remarks = [meaning(BY_LEVEL)] if corpus.is_hierarchical else []
        main = functools.partial(words.agreement_table, remarks=remarks, every_group=out.format == "csv")
        results = [agreement(corpus, metric=metric, **settings) for metric in metrics]
        _emit(out, results, TABLES[shown[0]] if shown else main, more=shown[0] if shown else "")


def _checked(shown: list[str], n_metrics: int, is_compared: bool) -> list[str]:
    """Return the chosen tables; refuse those that exclude each other."""
    alone = [name for name in shown if name != "each_document"]
    if len(alone) > 1 or (len(shown) > 1 and "pairwise" not in shown):
        raise click.UsageError(f"choose one of --{', --'.join(VIEWS)}; --documents also goes with --pairwise")
    if alone and alone[0] in ("pairwise", "levels") and n_metrics > 1:
        raise click.UsageError(f"{_flag(alone[0])} shows one metric; give only one -m")
    if is_compared and (shown or n_metrics > 1):
        raise click.UsageError("--versus compares two values; give only one -m and no other table")
    return shown


def _flag(name: str) -> str:
    return "--documents" if name == "each_document" else f"--{name}"


def _emit(
    out: Output,
    results: list[Agreement],
    table: Callable[[list[Agreement]], Table | list[Table]],
    *,
    more: str = "",
) -> None:
    def data() -> dict[str, Any]:
        parts = [result.to_dict() for result in results]
        for part, result in zip(parts, results, strict=True):
            if more == "strict":
                part["strict_intervals"] = plain_data(result.strict_intervals())
            elif more == "subsets":
                part["subsets"] = result.subsets().numbers()
        return {"agreements": parts}

    out.emit(lambda: table(results), data=data)


def _names(data: Sequence[str], versus: Sequence[str]) -> tuple[str, str]:
    """Return names for two inputs: their files' names, or the paths if these are equal."""
    stems, paths = (split_name(data[0]).stem, split_name(versus[0]).stem), (data[0], versus[0])
    return next((pair for pair in (stems, paths) if pair[0] != pair[1]), ("first", "second"))
