"""caesura consensus: writes one segmentation per document, of what enough of its coders mark, or nearly."""

from __future__ import annotations

import os
from fractions import Fraction

import click

from caesura.analyses.consensus_coding import as_share, consensus, left_out
from caesura.cli.options import document_option, n_t_option, output_option
from caesura.cli.reading import (
    DataCommand,
    Reading,
    format_of,
    reading_options,
    selected,
    split_name,
    to_option,
)
from caesura.cli.remarks import echo, noting, say_understood
from caesura.errors import CaesuraError
from caesura.io.finding import find_places
from caesura.io.writing import write
from caesura.wording import counted, terminal_safe


class ShareType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A share such as 0.5 or 1/3."""

    name = "share"

    def convert(
        self, value: str | Fraction, param: click.Parameter | None, ctx: click.Context | None
    ) -> Fraction:
        """Read the share; what is wrong with it is a usage error."""
        try:
            return as_share(value)
        except CaesuraError as error:
            self.fail(str(error), param, ctx)


@click.command("consensus", cls=DataCommand)
@click.argument("data", nargs=-1, required=True)
@output_option(required=True, help="The file or new folder to write.", type=click.Path())
@click.option(
    "--share",
    type=ShareType(),
    default="1/2",
    show_default=True,
    help="Least share of a document's coders, such as 0.3 or 1/3; 0: the union of all.",
)
@document_option
@n_t_option(
    "Marks that are fewer than this many positions apart count together; 1: exact marks only.",
    default=1,
)
@click.option("--strict", is_flag=True, help="More than the share, not at least: 1/2 is a strict majority.")
@click.option("--name", default="consensus", show_default=True, help="What the new coder is called.")
@to_option
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: str,
    documents: tuple[str, ...],
    share: Fraction,
    n_t: int | str,
    strict: bool,
    name: str,
    target_format: str | None,
) -> None:
    """Write one segmentation for each document of DATA: the boundaries that enough of its coders mark.

    With --n-t 2 or more near marks count together, and each place is one boundary.
    """
    format_of(output, target_format)
    if strict and share == 1:
        raise click.UsageError("--share 1 with --strict: more than all coders cannot mark a position")
    if os.path.realpath(output) in {
        os.path.realpath(place.path) for one in data for place in find_places(split_name(one).path)
    }:
        raise click.UsageError(f"{output} is one of DATA, which the consensus would replace")
    corpus = selected(reading.corpus(data), documents=documents)
    agreed = consensus(corpus, share, n_t=n_t, strict=strict, name=name)
    with noting():
        write(agreed, output, target_format)
    before, after = (len(one.codings.positions) for one in (corpus, agreed))
    size, coders = counted(len(agreed), "document"), counted(len(corpus.coder_names), "coder")
    kept = f"{counted(after, 'boundary', 'boundaries')} {agreed.metadata['consensus']}"
    say_understood()
    click.echo(terminal_safe(f"{size}: {kept}, of {before:,} by {coders} -> {output}"), err=True)
    if n_t == 1:
        filled = left_out(corpus, agreed, share, strict=strict)
        if filled:
            places = counted(filled, "place")
            echo(f"note: exact marks leave out {places} that near marks would fill (--n-t 2)")
