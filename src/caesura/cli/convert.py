"""caesura convert: reads files of one or several formats and writes them as one corpus in another."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.options import coder_option, document_option
from caesura.cli.reading import DataCommand, FormatType, Reading, chosen_coders, reading_options
from caesura.cli.remarks import say_understood
from caesura.errors import CorpusError
from caesura.io.base import Format
from caesura.io.registry import FORMATS
from caesura.io.writing import format_to_write, not_kept, write
from caesura.results.table import terminal_safe
from caesura.values.corpus import Corpus


def _format_list() -> str:
    width = max(map(len, FORMATS))
    lines = [f"  {format.name:{width}}  {format.title}" for format in FORMATS.values()]
    return "\n".join(["\b", "Formats:", *lines])


@click.command("convert", cls=DataCommand, epilog=_format_list())
@click.argument("sources", nargs=-1, required=True, metavar="IN...", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--to", "target_format", type=FormatType(), help="Format of OUT; default: told by extension.")
@click.option("--force", is_flag=True, help="Overwrite OUT if it is there already.")
@coder_option
@document_option
@reading_options
def command(
    reading: Reading,
    sources: tuple[str, ...],
    target: str,
    target_format: str | None,
    force: bool,
    coders: tuple[str, ...],
    documents: tuple[str, ...],
) -> None:
    """Read IN, files or folders, merge them, and write them to OUT in another format.

    OUT is a file, or a new folder for formats of one document per file.
    """
    if Path(target).is_file() and not force:
        # `convert *.csv` without OUT must not eat the last file.
        raise click.UsageError(f"{target} is there already; --force overwrites it")
    try:
        into = format_to_write(target, target_format)
    except CorpusError as error:
        raise click.UsageError(str(error)) from None
    corpus = reading.corpus(sources)
    corpus = corpus.select(coders=chosen_coders(coders, corpus) or None, documents=documents or None)
    lost = not_kept(corpus, into, target)
    if into.codings == "needed" and corpus.n_codings:
        corpus = corpus.coded  # the others are among what is lost
    write(corpus, target, target_format)
    say_understood()
    click.echo(terminal_safe(_summary(sources, corpus, target, into)), err=True)
    if lost:
        click.echo(terminal_safe(f"not kept in {into.name}: {', '.join(lost)}"), err=True)


def _summary(sources: tuple[str, ...], corpus: Corpus, target: str, into: Format) -> str:
    what = sources[0] if len(sources) == 1 else f"{len(sources)} sources"
    counts = repr(corpus).removeprefix("<Corpus of ").removesuffix(">")
    return f"{what} ({corpus.metadata['format']}): {counts} -> {target} ({into.name})"
