"""caesura simulate: makes an artificial corpus and writes it to a file."""

from __future__ import annotations

from secrets import randbits
from typing import Any

import click

from caesura.checks import N_T
from caesura.cli.options import Option, check_new, flag, force_option, seed_option, usage
from caesura.cli.output import write_corpus
from caesura.cli.reading import format_of, to_option
from caesura.cli.remarks import echo, progress_bar
from caesura.errors import CorpusError, ParameterError
from caesura.io.formats import parquet
from caesura.scale.simulated_columns import write_simulated
from caesura.simulation import Simulation
from caesura.wording import counted

PROBABILITY, COUNT = click.FloatRange(0.0, 1.0), click.IntRange(min=1)


def _option(flag: str, default: float, type: click.ParamType, help: str, name: str | None = None) -> Option:  # type: ignore[type-arg]
    names = (flag,) if name is None else (flag, name)
    return click.option(*names, type=type, default=default, help=help)


@click.command("simulate")
@click.option(
    *("-o", "--output"),
    required=True,
    type=click.Path(),
    callback=check_new,
    help="File, or new folder, to write to.",
)
@_option("--documents", 10, COUNT, "Documents.", "n_documents")
@_option("--coders", 3, COUNT, "Coders of each.", "n_coders")
@_option("--units", 100, COUNT, "Units of each.", "n_units")
@_option("--mean-segment", 6.0, click.FLOAT, "Mean segment size in units.")
@_option("--near-miss", 0.1, PROBABILITY, "Probability that a coder's boundary is beside its place.")
@_option("--full-miss", 0.2, PROBABILITY, "Probability that a coder leaves a boundary out.")
@click.option(
    *("-n", "--n-t"),
    type=click.IntRange(min=2),
    default=N_T,
    help="Near misses span fewer than this many positions.",
)
@click.option("--type", "types", multiple=True, metavar="NAME", help="A boundary type; repeatable.")
@click.option("--levels", type=COUNT, help="Make hierarchies of this many levels.")
@_option(
    "--wrong-type",
    0.0,
    PROBABILITY,
    "Probability that a coder mistakes a boundary's type, or its level for the one beside.",
)
@flag("--reference", help="Keep what coders tried to find, as a coder of that name.")
@seed_option(None, "Same seed, same corpus; default: a new one.")
@to_option
@force_option
def command(
    output: str, types: tuple[str, ...], rng: int | None, target_format: str | None, **settings: Any
) -> None:
    """Make an artificial corpus: coders who miss some boundaries of random references (Fournier 2013).

    Parquet may have as many documents as the disk holds.
    """
    seed = randbits(32) if rng is None else rng
    into = format_of(output, target_format)
    with usage((CorpusError, ParameterError)):
        plan = Simulation(types=types or None, **settings)
        corpus = None if into is parquet.FORMAT else plan.corpus(seed)
    if corpus is None:  # of any size
        with progress_bar("simulating") as advance:
            write_simulated(plan, output, rng=seed, advance=advance)
    else:
        write_corpus(corpus, output, target_format)
    documents, coders = plan.n_documents, len(plan.coders)
    counts = [counted(documents, "document"), counted(coders, "coder"), counted(documents * coders, "coding")]
    echo(f"simulated with seed {seed}: {', '.join(counts)} -> {output} ({into.name})", "")
