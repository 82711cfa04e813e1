"""caesura adjudicate: contested boundaries, a page or a file to decide them in, and the gold standard."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click

from caesura.analyses.adjudication import Adjudication, adjudicate
from caesura.checks import N_T
from caesura.cli.consensus import share_option
from caesura.cli.options import FILE, PAGES, n_t_option, output_options
from caesura.cli.output import Output, write_corpus
from caesura.cli.reading import Reading, data_command, format_of, reading_options, split_name
from caesura.cli.remarks import say_written
from caesura.io.decisions import read_decisions, write_places
from caesura.io.files import write_whole
from caesura.pages.adjudication import adjudication_page
from caesura.wording import counted

PLACES = ".csv"


@data_command("adjudicate")
@n_t_option("Marks that are fewer than this many positions apart are one place.", default=N_T)
@share_option("Least share of a document's coders for a boundary that is proposed.")
@click.option("--decisions", type=FILE, help="File of decided places; writes gold to OUTPUT.")
@click.option("--name", default="gold", help="Name of the coder of the gold standard.")
@click.option("--title", help="Title of the page; default: the name of the first DATA.")
@reading_options
@output_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    n_t: int | str,
    share: Fraction,
    decisions: Path | None,
    name: str,
    title: str | None,
    out: Output,
) -> None:
    """List contested boundaries; turn decisions into a gold standard.

    The most costly boundaries come first. With -o adjudicate.html you decide them one by one in a browser;
    the page needs no network and saves a gold standard that every command reads. With -o places.csv you
    decide them in a spreadsheet: write accept, none or positions (6, or 5 and 9) into the column decision,
    and pass the file to --decisions with -o gold.json. Boundaries on which all coders agree are taken over.
    """
    output = out.path
    if decisions is not None:
        if output is None:
            raise click.UsageError("--decisions needs an output file, such as -o gold.json")
        format_of(output)
    adjudication = adjudicate(reading.corpus(data), n_t=n_t, share=share)
    if decisions is not None and output is not None:
        _write_gold(adjudication, decisions, output, name)
    elif output is not None and out.format == "text" and output.suffix.lower() in (PLACES, *PAGES):
        if output.suffix.lower() == PLACES:
            write_places(adjudication, output)
        else:
            title = title or split_name(data[0]).stem
            write_whole(output, adjudication_page(adjudication, title=title, name=name))
        places = counted(len(adjudication.contested), "place")
        say_written(f"{places} to decide, most costly first", output)
    else:
        out.emit(adjudication, "places" if out.format == "csv" else "main")


def _write_gold(adjudication: Adjudication, decisions: Path, output: Path, name: str) -> None:
    gold = adjudication.decide(read_decisions(decisions, adjudication), name=name)
    write_corpus(gold.corpus, output, None)
    made = ", ".join(f"{n:,} {kind}" for kind, n in gold.counts.items())
    documents = counted(len(gold.corpus), "document")
    boundaries = counted(len(gold.corpus.codings.positions), "boundary", "boundaries")
    places = f" from {counted(len(gold.records), 'place')} ({made})" if made else ""
    say_written(f"{documents}: {boundaries}{places}", output)
