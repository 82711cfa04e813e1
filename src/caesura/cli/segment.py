"""caesura segment: automatic segmenters divide texts; the result is a corpus in which they are the coders."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.analyses.segmenting import Numbers, numbers_like, segment
from caesura.cli.options import output_option, seed_option
from caesura.cli.progress import progress_bar
from caesura.cli.reading import DataCommand, Reading, format_of, reading_options, to_option
from caesura.cli.remarks import echo, noting, say_understood
from caesura.cli.segmenter_options import distinct, fit_option, fitted, segmenters_option
from caesura.errors import CorpusError
from caesura.io.writing import not_kept, write
from caesura.segmenters.base import Segmenter
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed


@click.command("segment", cls=DataCommand)
@click.argument("texts", nargs=-1, required=True, metavar="TEXTS...")
@segmenters_option(
    "-s",
    "--segmenter",
    "given",
    required=True,
    help='A segmenter, such as C99 or "C99(mask=9)"; repeatable. `caesura segmenters` lists them.',
)
@output_option(required=True, help="The file or new folder to write.", type=click.Path())
@click.option("--n-segments", type=click.IntRange(min=1), help="Segments of every document.")
@click.option(
    "--like",
    metavar="GOLD",
    help="As many segments as a document's coders have in GOLD, in the mean. Default: as it chooses.",
)
@click.option("--flat", is_flag=True, help="Write the boundaries of hierarchical segmenters without ranks.")
@fit_option
@seed_option
@to_option
@reading_options
def command(
    reading: Reading,
    texts: tuple[str, ...],
    given: tuple[tuple[Segmenter, ...], ...],
    output: str,
    n_segments: int | None,
    like: str | None,
    flat: bool,
    learnt_from: str | None,
    seed: int,
    target_format: str | None,
) -> None:
    """Divide TEXTS by automatic segmenters, and write a corpus in which they are the coders.

    TEXTS are files or folders of any format that has the text of its units, or plain text with a unit per
    line; --units sentence divides it by sentences first. What people have coded is not read, except for
    their number of segments: --like may name TEXTS again. Hierarchical segmenters (HC99, HCWM, HBT, HAPS,
    Bisection) rank their boundaries, which `caesura score -m EPk` then takes into account.
    """
    if n_segments is not None and like is not None:
        raise click.UsageError("--n-segments and --like both say how many segments: give one of them")
    segmenters = distinct(given)
    into = format_of(output, target_format)
    corpus = reading.corpus(texts)
    segmenters = fitted(segmenters, learnt_from, corpus)
    wanted: Numbers = n_segments if like is None else _numbers(like, corpus)
    with progress_bar("segmenting") as progress:
        found = segment(corpus, segmenters, wanted, flat=flat, rng=seed, progress=progress)
    lost = not_kept(found, into, output)
    with noting():
        write(found, output, target_format)
    say_understood()
    documents = counted(len(found.documents), "document")
    echo(f"{documents} by {listed(found.coders)}, {_how_many(wanted)} -> {output} ({into.name})")
    if lost:
        cure = "; .jsonl keeps everything" if into.name != "jsonl" else ""
        echo(f"not kept in {into.name}: {', '.join(lost)}{cure}")


def _numbers(like: str, corpus: Corpus) -> dict[str, int]:
    """Return how many segments each document has in another corpus."""
    gold = Reading(None, {}, None, "nearest").corpus([like])
    if len(gold.documents) == len(corpus.documents) == 1:
        # A text's name is that of its file; one text beside one document means the same.
        gold = gold.rename(documents={gold.documents[0]: corpus.documents[0]})
    known = set(gold.coded.documents)
    missing = [document for document in corpus.documents if document not in known]
    if missing:
        raise CorpusError(f"{Path(like)}: nobody has coded {listed(missing)} there")
    return numbers_like(gold.coded)


def _how_many(wanted: Numbers) -> str:
    if wanted is None:
        return "each with as many segments as it chooses"
    if isinstance(wanted, int):
        return f"{counted(wanted, 'segment')} each"
    return "as many segments as coders have"
