"""caesura chunks: chunkings for retrieval, compared by questions with evidence, sizes and blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caesura.analyses.chunking import evaluate_chunks
from caesura.analyses.chunking.analysis import TOOLS
from caesura.analyses.chunking.results import DECIDING
from caesura.checks import EVALUATION_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import json_file, split_name
from caesura.cli.remarks import say_understood, say_written, understood
from caesura.errors import ParameterError
from caesura.figures import trade_off
from caesura.figures.save import writer_for
from caesura.io.files import write_whole
from caesura.io.reading import read_chunks, read_texts
from caesura.segmenters.similarities import VECTORIZERS
from caesura.values.chunks import Chunks
from caesura.values.units import WORD
from caesura.wording import counted, listed

UNITS = ("characters", "words")

PARTS = {"sizes": "texts", "intervals": "intervals", "tests": "tests"}
"""The tables that flags show."""


def _limits(text: str) -> tuple[float, float]:
    try:
        least, most = map(float, text.split(","))
    except ValueError:
        raise ParameterError(f"{text!r}: expected the smallest and largest size, such as 100,1100") from None
    return least, most


LIMITS = options.Parsed("least,greatest", _limits)


def _words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in WORD.finditer(text)]


@click.command("chunks")
@click.argument("texts", type=click.Path(exists=True))
@click.argument("chunkings", nargs=-1, required=True, metavar="NAME=CHUNKS...")
@click.option("-q", "--questions", type=options.FILE,
              help="Questions with the evidence that answers them: Chroma's CSV, or JSON.")  # fmt: skip
@click.option("--ranking", type=options.FILE,
              help="JSON {NAME: [[numbers of chunks, best first], …]}, one list per question.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(min=0, min_open=True),
              help="Use only the top-ranked chunks that fit into this many characters or words.")  # fmt: skip
@click.option("--limits", type=LIMITS, metavar="MIN,MAX", help="Range of chunk sizes that comply.")
@click.option("--blocks", "block_file", type=options.FILE,
              help="Blocks that should stay whole, in any chunk format.")  # fmt: skip
@click.option("--tolerance", type=click.IntRange(min=0), default=0,
              help="Ignore cuts this close to the end of a block, in characters.")  # fmt: skip
@options.choice("--count", UNITS, "Unit of sizes, amounts and the budget.", UNITS[0], name="size")
@options.choice("--vectors", VECTORIZERS, "Vectors for cohesion and coherence.")
@click.option("-m", "--metric", type=click.Choice(DECIDING), metavar="METRIC",
              help=f"Metric that decides which chunking is best: {listed(DECIDING, most=99, last='or')}; "
              "default, if there are questions: the first.")  # fmt: skip
@options.choice("--as-in", TOOLS, "Compute Precision_Ω as the tool's public code does.")
@click.option("--document", help="Entry of the chunks' metadata that names their document.")
@click.option("--figure", "figure", type=click.Path(dir_okay=False, path_type=Path),
              callback=options.check_new,
              help="Draw sizes against the metric to this file (.svg, .png, .pdf, .html).")  # fmt: skip
@options.flag("--sizes", help="Show sizes and the metrics that need no questions.")
@options.flag("--intervals", help="Show every value with its interval.")
@options.flag("--tests", help="Show the test of every pair of chunkings.")
@options.resamples_option(EVALUATION_RESAMPLES, "Resamples for the intervals; 0: no intervals.")
@options.seed_option()
@options.output_options
def command(
    texts: str,
    chunkings: tuple[str, ...],
    ranking: Path | None,
    block_file: Path | None,
    size: str,
    document: str | None,
    figure: Path | None,
    out: Output,
    **settings: Any,
) -> None:
    """Compare chunkings of TEXTS for retrieval.

    TEXTS is a file or folder of plain texts, or a corpus with texts. CHUNKS is a file or a folder of files as
    text splitters write them: lists of strings or spans, LangChain, LlamaIndex, Chonkie, Unstructured.

    caesura chunks speech.md small=small.jsonl large=large.json --questions questions.csv
    """
    with options.usage():
        write = figure and writer_for(figure)
    parts = [part for flag, part in PARTS.items() if settings.pop(flag)]
    known, chunks = read_texts([texts]), dict[str, Chunks]()
    for each in map(split_name, chunkings):
        name = each.coder or each.stem
        if name in chunks:
            raise click.UsageError(f"two chunkings are called {name!r}: rename one with NAME=CHUNKS")
        chunks[name] = read_chunks(each.path, known, document=document)
        understood(f"read {each.path} as {name}: {counted(len(chunks[name]), 'chunk')}")
    if block_file is not None:
        settings["blocks"] = read_chunks(block_file, known)
    settings |= {"ranking": ranking and json_file(ranking), "tokenizer": _words if size == "words" else None}
    with options.usage():
        result = evaluate_chunks(known, chunks, size=size, **settings)
    if write and figure:
        write_whole(figure, write(trade_off(result), "auto"))
        say_written("figure", figure)
    out.emit(result, *parts)
    say_understood()
