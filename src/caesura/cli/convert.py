"""caesura convert: reads files of one or several formats and writes them as one corpus in another."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.options import FormatType
from caesura.cli.progress import read_data
from caesura.errors import CorpusError, ParameterError
from caesura.io.base import Format
from caesura.io.registry import (
    FORMATS,
    format_to_write,
    named_format,
    not_kept,
    write,
)
from caesura.results.table import terminal_safe
from caesura.values.corpus import Corpus


def _format_list() -> str:
    width = max(map(len, FORMATS))
    lines = [f"  {format.name:{width}}  {format.title}" for format in FORMATS.values()]
    return "\n".join(["\b", "Formats:", *lines])


@click.command("convert", epilog=_format_list())
@click.argument("sources", nargs=-1, required=True, metavar="IN...", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option("--from", "source_format", type=FormatType(), help="Format of IN; default: told by content.")
@click.option("--to", "target_format", type=FormatType(), help="Format of OUT; default: told by extension.")
@click.option("--marker", help="The line between segments of IN, marked text; default: a line of =, - or *.")
@click.option("--force", is_flag=True, help="Overwrite OUT if it is there already.")
def command(
    sources: tuple[str, ...],
    target: str,
    source_format: str | None,
    target_format: str | None,
    marker: str | None,
    force: bool,
) -> None:
    """Read IN, files or folders, merge them, and write them to OUT in another format.

    OUT is a file, or a new folder for formats of one document per file.
    """
    if Path(target).is_file() and not force:
        # `convert *.csv` without OUT must not eat the last file.
        raise click.UsageError(f"{target} is there already; --force overwrites it")
    try:
        chosen = named_format(source_format, marker=marker)
        into = format_to_write(target, target_format)
    except (CorpusError, ParameterError) as error:
        raise click.UsageError(str(error)) from None
    corpus = read_data(sources, chosen)
    write(corpus, target, target_format)
    click.echo(terminal_safe(_summary(sources, corpus, target, into)), err=True)
    lost = not_kept(corpus, into, target)
    if lost:
        click.echo(terminal_safe(f"not kept in {into.name}: {', '.join(lost)}"), err=True)


def _summary(sources: tuple[str, ...], corpus: Corpus, target: str, into: Format) -> str:
    what = sources[0] if len(sources) == 1 else f"{len(sources)} sources"
    counts = repr(corpus).removeprefix("<Corpus of ").removesuffix(">")
    return f"{what} ({corpus.metadata['format']}): {counts} -> {target} ({into.name})"
