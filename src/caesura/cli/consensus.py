"""caesura consensus: one segmentation per document, of the boundaries that enough coders mark."""

from __future__ import annotations

import os
from fractions import Fraction

import click

from caesura.analyses.consensus_coding import as_share, consensus, left_out
from caesura.cli.options import Option, Parsed, flag, n_t_option, output_option
from caesura.cli.output import write_corpus
from caesura.cli.reading import Reading, data_command, format_of, reading_options, split_name, to_option
from caesura.cli.remarks import echo, say_written
from caesura.io.reading import find_files
from caesura.wording import counted


def share_option(help: str) -> Option:
    """Add --share: of coders, such as 0.5 or 1/3."""
    return click.option("--share", type=Parsed("share", as_share), default="1/2", help=help)


@data_command("consensus")
@output_option(required=True, help="File or new folder to write.", type=click.Path())
@share_option("Least share of a document's coders, such as 0.3 or 1/3; 0: the union of all.")
@n_t_option("Marks fewer than this many positions apart count together; 1: exact marks only.", default=1)
@flag("--strict", help="Require more than the share, not at least: 1/2 is a strict majority.")
@click.option("--name", default="consensus", help="Name of the new coder.")
@to_option
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: str,
    share: Fraction,
    n_t: int | str,
    strict: bool,
    name: str,
    target_format: str | None,
) -> None:
    """Merge each document's coders into one consensus segmentation.

    A boundary is kept if enough coders mark it. With --n-t 2 or more, near marks count together as one
    boundary.
    """
    format_of(output, target_format)
    if strict and share == 1:
        raise click.UsageError("--share 1 with --strict: no position can be marked by more than all coders")
    files = (file.location for name in data for file in find_files(split_name(name).path))
    if os.path.realpath(output) in map(os.path.realpath, files):
        raise click.UsageError(f"{output} is one of DATA and would be overwritten; choose another output")
    corpus = reading.corpus(data)
    agreed = consensus(corpus, share, n_t=n_t, strict=strict, name=name)
    write_corpus(agreed, output, target_format)
    before, after = (len(each.codings.positions) for each in (corpus, agreed))
    size, coders = counted(len(agreed), "document"), counted(len(corpus.coder_names), "coder")
    boundaries = f"{counted(after, 'boundary', 'boundaries')} {agreed.metadata['consensus']}"
    say_written(f"{size}: {boundaries}, of {before:,} by {coders}", output)
    if n_t == 1 and (filled := left_out(corpus, agreed, share, strict=strict)):
        places = counted(filled, "place")
        echo(f"note: exact marks leave out {places} that near marks would fill (--n-t 2)")
