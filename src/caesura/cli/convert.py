"""caesura convert: files of any formats, written as one corpus in another format."""

from __future__ import annotations

import click

from caesura.cli.options import flag, force_option, refuse_existing
from caesura.cli.output import write_corpus
from caesura.cli.reading import DataCommand, Reading, format_of, reading_options, size_of, to_option
from caesura.cli.remarks import echo, progress_bar, say_written
from caesura.cli.streams import is_streamed
from caesura.errors import ParameterError
from caesura.io.addresses import is_file, is_url
from caesura.io.formats import parquet
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept
from caesura.scale.converting import convert, memory_of


@click.command(
    "convert", cls=DataCommand, listed=("Formats", [(name, each.title) for name, each in FORMATS.items()])
)
@click.argument("sources", nargs=-1, required=True, metavar="IN...", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@to_option
@force_option
@flag("--sort", help="Sort by document; large files written as Parquet always are.")
@click.option("--memory", metavar="SIZE", default="512MB", help="Memory for sorting; the rest is on disk.")
@reading_options
def command(
    reading: Reading,
    sources: tuple[str, ...],
    target: str,
    target_format: str | None,
    sort: bool,
    memory: str,
) -> None:
    """Convert files or folders to another format.

    Several inputs are merged into one corpus. OUT is a file, or a new folder for formats with one document
    per file. Parquet and JSON Lines of any size are converted to Parquet out-of-core.
    """
    # `convert *.csv` without OUT must not overwrite the last file.
    refuse_existing([target] if is_file(target) else [])
    into = format_of(target, target_format)
    if sort and into is not parquet.FORMAT:
        raise click.UsageError(f"--sort works for Parquet only; {target} is {into.name}")
    is_plain = into is parquet.FORMAT and reading.is_plain
    if is_plain and is_streamed(sources, is_wanted=sort or is_url(target)):
        _convert_large(sources, target, reading, memory)
        return
    if is_url(target):
        raise click.UsageError(f"{target} is a URL, which takes only Parquet from Parquet or JSON Lines")
    corpus = reading.corpus(sources)
    if sort:
        corpus = corpus.select(documents=sorted(corpus.documents))
    lost = not_kept(corpus, into, target)
    if into.codings == "needed" and corpus.n_codings:
        corpus = corpus.coded  # documents without codings are lost, which a line below reports
    write_corpus(corpus, target, target_format)
    formats = corpus.metadata["format"]
    say_written(f"{_named(sources)} ({formats}): {size_of(corpus)}", f"{target} ({into.name})")
    if lost:
        echo(f"not kept in {into.name}: {', '.join(lost)}", "")


def _convert_large(sources: tuple[str, ...], target: str, reading: Reading, memory: str) -> None:
    """Convert without holding everything in memory."""
    try:
        size = memory_of(memory)
    except ParameterError as error:
        raise click.UsageError(f"--{error}") from None
    wanted = {"coders": reading.coders, "documents": reading.documents}
    with progress_bar("converting") as advance:
        converted = convert(sources, target, **wanted, memory=size, advance=advance)
    say_written(f"{_named(sources)}: {converted}", f"{target} (parquet, sorted by document)")
    if converted.not_kept:
        echo(f"not kept in parquet: {', '.join(converted.not_kept)}", "")


def _named(sources: tuple[str, ...]) -> str:
    return sources[0] if len(sources) == 1 else f"{len(sources)} sources"
