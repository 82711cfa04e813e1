"""caesura segment: a corpus of texts segmented by automatic segmenters, which are its coders."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from caesura.analyses.segmenting import Numbers, numbers_like, segment
from caesura.cli.options import Parsed, flag, option, output_option, refuse_beside, seed_option
from caesura.cli.output import write_corpus
from caesura.cli.reading import Reading, data_command, format_of, json_file, reading_options, to_option
from caesura.cli.remarks import echo, progress_bar, say_written, understood
from caesura.errors import CorpusError
from caesura.io.writing import not_kept
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import segmenter
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed


def split_specs(text: str) -> list[str]:
    """Split specifications at commas outside their parameters.

    >>> split_specs("C99(mask=9, window=50), U00(words='a,b'),None")
    ['C99(mask=9, window=50)', "U00(words='a,b')", 'None']
    """
    source = f"[{text}, None]"  # a comma at the end is an error
    try:
        specs = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return [text]  # the segmenter's own error tells what is wrong
    parts = specs.elts[:-1] if isinstance(specs, ast.List) else []
    return [ast.get_source_segment(source, part) or text for part in parts] or [text]


def _named(text: str) -> tuple[Segmenter, ...]:
    """Return the segmenters of specifications, or the segmenter in a file of `caesura tune`."""
    if text.startswith("@"):
        return (segmenter(_tuned(Path(text[1:]))),)
    return tuple(map(segmenter, split_specs(text)))


def _tuned(path: Path) -> str:
    tuned = json_file(path)
    if not isinstance(tuned, dict) or not isinstance(tuned.get("chosen"), str):
        raise CorpusError(f'{path}: expected what `caesura tune -o` writes, {{"chosen": "C99(mask=9)", …}}')
    return str(tuned["chosen"])


SEGMENTERS = Parsed("segmenters", _named)
"""Specifications of segmenters, such as ``C99,U00`` or ``BayesSeg(prior=0.1)``; or @tuned.json."""


segmenters_option = partial(option, kind=SEGMENTERS, multiple=True, metavar="SPEC")
"""Add an option of segmenters; the command gets tuples, which ``distinct`` joins."""

fit_option = option("--fit learnt_from", "CORPUS", "Texts to train segmenters such as CWM, other than TEXTS.")


def distinct(given: Iterable[tuple[Segmenter, ...]]) -> list[Segmenter]:
    """Return all segmenters; a repeated one is a usage error."""
    segmenters = [each for several in given for each in several]
    for number, each in enumerate(segmenters):
        if each in segmenters[:number]:
            raise click.UsageError(f"the segmenter {each} is given twice")
    return segmenters


def fitted(segmenters: Sequence[Segmenter], learnt_from: str | None, corpus: Corpus) -> list[Segmenter]:
    """Return the segmenters; those that need training are fitted to the texts of another corpus."""
    learning = [each for each in segmenters if each.is_fitted]
    if learnt_from is None:
        if learning:
            raise click.UsageError(f"{listed(learning)} needs training texts; name them with --fit CORPUS")
        return list(segmenters)
    if not learning:
        none = f"; {listed(segmenters)} is not" if segmenters else ", such as CWM"
        raise click.UsageError(f"--fit is for segmenters that are trained{none}")
    texts = Reading().corpus([learnt_from])
    _say_shared(corpus, texts)
    name = Path(learnt_from).name or learnt_from
    return [each.fit(texts, name) if each.is_fitted else each for each in segmenters]


def _say_shared(corpus: Corpus, texts: Corpus) -> None:
    """Report texts to segment that are also training texts."""
    known = set(texts.texts.strings if texts.texts else ())
    units = corpus.texts.strings if corpus.texts else ()
    shared = sum(unit in known for unit in units)
    if shared:
        units_shared = f"{shared:,} of {counted(len(units), 'unit')} to segment"
        understood(f"{units_shared} are also in the texts of --fit, which biases the result upwards")


@data_command("segment", "texts", metavar="TEXTS...")
@segmenters_option(
    "-s --segmenter given",
    help='Segmenter, such as C99 or "C99(mask=9)", or @tuned.json from `caesura tune`; repeatable. '
    "`caesura segmenters` lists all.",
    required=True,
)
@output_option(required=True, help="File or new folder to write.", type=click.Path())
@click.option("--n-segments", type=click.IntRange(min=1), help="Number of segments per document.")
@option("--like", "GOLD", "Use the mean number of segments in GOLD; default: the segmenter decides.")
@flag("--flat", help="Write the boundaries of hierarchical segmenters without ranks.")
@fit_option
@seed_option()
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
    rng: int,
    target_format: str | None,
) -> None:
    """Run automatic segmenters on TEXTS and write a corpus.

    The segmenters are coders of that corpus. TEXTS are files or folders in any format that stores the text of
    its units, or plain text with one unit per line; --units sentence splits it into sentences first.
    Boundaries of people are not used, only how many segments they made: --like may name TEXTS again, and
    --coder chooses coders of GOLD. Hierarchical segmenters (HC99, HCWM, HBT, HAPS, TreeSeg, Bisection) rank
    their boundaries, which `caesura score -m EPk` uses.
    """
    if like is not None:
        refuse_beside("--like", {"--n-segments": n_segments}, "; give only one")
    segmenters = distinct(given)
    into = format_of(output, target_format)
    corpus = (reading if like is None else replace(reading, coders=())).corpus(texts)
    segmenters = fitted(segmenters, learnt_from, corpus)
    wanted: Numbers = n_segments if like is None else _numbers(like, corpus, reading.coders)
    with progress_bar("segmenting") as progress:
        segmented = segment(corpus, segmenters, wanted, flat=flat, rng=rng, progress=progress)
    lost = not_kept(segmented, into, output)
    write_corpus(segmented, output, target_format)
    documents = counted(len(segmented.documents), "document")
    say_written(
        f"{documents} by {listed(segmented.coders)}, {_how_many(wanted, segmenters)}",
        f"{output} ({into.name})",
    )
    if lost:
        cure = "; .jsonl keeps everything" if into.name != "jsonl" else ""
        echo(f"not kept in {into.name}: {', '.join(lost)}{cure}")


def _numbers(like: str, corpus: Corpus, coders: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers of segments of each document in another corpus."""
    gold = Reading(coders=coders).corpus([like])
    if len(gold.documents) == len(corpus.documents) == 1:
        # A text is named after its file; one text and one document are the same.
        gold = gold.rename(documents={gold.documents[0]: corpus.documents[0]})
    known = set(gold.coded.documents)
    missing = [document for document in corpus.documents if document not in known]
    if missing:
        raise CorpusError(f"{Path(like)}: no annotations of {listed(missing)}")
    return numbers_like(gold.coded)


def _how_many(wanted: Numbers, segmenters: Sequence[Segmenter]) -> str:
    if wanted is None:
        return "each with as many segments as it chooses"
    if isinstance(wanted, int):
        return but_choosing(f"{counted(wanted, 'segment')} each", segmenters)
    return but_choosing("as many segments as coders have", segmenters)


def but_choosing(numbers: str, segmenters: Sequence[Segmenter]) -> str:
    """Return the number of segments as text, with the segmenters that choose their own."""
    choosing = [repr(segmenter) for segmenter in segmenters if not segmenter.takes_n_segments]
    return f"{numbers} (not {listed(choosing)})" if choosing else numbers
