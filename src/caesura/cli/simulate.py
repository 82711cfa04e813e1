"""caesura simulate: makes an artificial corpus and writes it to a file."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.progress import progress_bar
from caesura.cli.reading import format_of, to_option
from caesura.cli.remarks import noting
from caesura.errors import CorpusError, ParameterError
from caesura.io.formats import parquet
from caesura.io.writing import write
from caesura.scale.simulated_columns import write_simulated
from caesura.simulation import Simulation
from caesura.wording import counted, terminal_safe

PROBABILITY = click.FloatRange(0.0, 1.0)


@click.command("simulate")
@click.option("-o", "--output", required=True, type=click.Path(), help="File, or new folder, to write to.")
@click.option("--documents", type=click.IntRange(min=1), default=10, show_default=True, help="Documents.")
@click.option("--coders", type=click.IntRange(min=1), default=3, show_default=True, help="Coders of each.")
@click.option("--units", type=click.IntRange(min=1), default=100, show_default=True, help="Units of each.")
@click.option(
    "--mean-segment", type=float, default=6.0, show_default=True, help="Mean segment size in units."
)
@click.option(
    "--near-miss",
    type=PROBABILITY,
    default=0.1,
    show_default=True,
    help="Probability that a coder's boundary is beside its place.",
)
@click.option(
    "--full-miss",
    type=PROBABILITY,
    default=0.2,
    show_default=True,
    help="Probability that a coder leaves a boundary out.",
)
@click.option(
    "-n",
    "--n-t",
    type=click.IntRange(min=2),
    default=2,
    show_default=True,
    help="Near misses span fewer than this many positions.",
)
@click.option("--type", "types", multiple=True, metavar="NAME", help="A boundary type; repeatable.")
@click.option("--levels", type=click.IntRange(min=1), help="Make hierarchies of this many levels.")
@click.option(
    "--wrong-type",
    type=PROBABILITY,
    default=0.0,
    show_default=True,
    help="Probability that a coder mistakes a boundary's type, or its level for the one beside.",
)
@click.option("--reference", is_flag=True, help="Keep what coders tried to find, as a coder of that name.")
@click.option("--seed", type=click.IntRange(min=0), help="Same seed, same corpus; default: a new one.")
@to_option
@click.option("--force", is_flag=True, help="Overwrite OUT if it is there already.")
def command(
    output: str,
    documents: int,
    coders: int,
    units: int,
    mean_segment: float,
    near_miss: float,
    full_miss: float,
    n_t: int,
    types: tuple[str, ...],
    levels: int | None,
    wrong_type: float,
    reference: bool,
    seed: int | None,
    target_format: str | None,
    force: bool,
) -> None:
    """Make an artificial corpus: coders who miss some boundaries of random references (Fournier 2013).

    Parquet may have as many documents as the disk holds.
    """
    if Path(output).is_file() and not force:
        raise click.UsageError(f"{output} is there already; --force overwrites it")
    if seed is None:
        from secrets import randbits

        seed = randbits(32)
    into = format_of(output, target_format)
    try:
        plan = Simulation(
            documents,
            coders,
            n_units=units,
            mean_segment=mean_segment,
            near_miss=near_miss,
            full_miss=full_miss,
            n_t=n_t,
            types=types or None,
            levels=levels,
            wrong_type=wrong_type,
            reference=reference,
        )
        corpus = None if into is parquet.FORMAT else plan.corpus(seed)
    except (CorpusError, ParameterError) as error:
        raise click.UsageError(str(error)) from None
    if corpus is None:  # of any size
        with progress_bar("simulating") as advance:
            write_simulated(plan, output, rng=seed, advance=advance)
    else:
        with noting():
            write(corpus, output, target_format)
    n_coders = len(plan.coders)
    counts = (
        f"{counted(documents, 'document')}, {counted(n_coders, 'coder')}, "
        f"{counted(documents * n_coders, 'coding')}"
    )
    click.echo(terminal_safe(f"simulated with seed {seed}: {counts} -> {output} ({into.name})"), err=True)
