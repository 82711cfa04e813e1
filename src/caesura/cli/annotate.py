"""caesura annotate: pages on which coders place boundaries in texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from caesura.cli import options
from caesura.cli.reading import Reading, data_command, reading_options, split_name
from caesura.cli.remarks import say_written
from caesura.errors import ParameterError, naming
from caesura.io.files import Source, write_whole
from caesura.pages.annotation import QUESTIONS, Study, page_name
from caesura.wording import counted


def _names(text: str) -> tuple[str, ...]:
    """Return the names between commas, which must be distinct and not empty."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not name or names.count(name) > 1:
            raise ParameterError(f"{text!r} has {f'{name!r} twice' if name else 'an empty name'}")
    return names


def _levels(text: str) -> tuple[str, ...]:
    """Return the names of levels, or default names for a number of levels."""
    if text.strip().isdecimal() and 0 < int(text.strip()[:4]) < 100:
        return tuple(f"level {rank}" for rank in range(1, int(text) + 1))
    return _names(text)


NAMES, LEVELS = options.Parsed("names", _names), options.Parsed("n|names", _levels)


def _names_option(flag: str, help: str, type: options.Parsed[tuple[str, ...]] = NAMES) -> options.Option:
    return click.option(flag, type=type, default=(), metavar="NAMES", help=help)


@data_command("annotate", metavar="TEXTS...")
@options.output_option(
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for the pages, or an HTML file for a single page.",
)
@_names_option("--coders", "A page for each of these coders. Default: one page on which coders type a name.")
@_names_option("--types", "Types of boundaries, such as topic,speaker; keys 1, 2 … set them.")
@_names_option("--levels", "Levels of boundaries, the highest first: their names, or a number.", LEVELS)
@click.option("--instructions", "guide", type=options.FILE, help="Guide for coders, in Markdown.")
@_names_option("--questions", f"What else is asked, of {', '.join(QUESTIONS)}.")
@click.option("--practice", metavar="KEYED", help="Practice document with one coding, the key for feedback.")
@click.option("--title", help="Title of the pages; default: the name of the first TEXTS.")
@options.seed_option(name="seed")
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: Path,
    coders: tuple[str, ...],
    guide: Path | None,
    practice: str | None,
    title: str | None,
    **study: Any,
) -> None:
    """Write a page per coder on which they place boundaries in TEXTS.

    TEXTS are files or folders in any format that stores the text of its units, or plain text with one unit
    per line; --units sentence splits it into sentences first. The pages need no network and no server: mail
    them. Coders open them in a browser and send back the file that they save; `caesura agree` reads these
    files. The pages never show boundaries of TEXTS. Each coder gets the documents in a different random
    order.
    """
    name = title or split_name(data[0]).stem
    pages = _pages(output, coders, page_name(name))
    options.refuse_existing([page for page in pages if page.exists()])
    texts = reading.corpus(data)
    study |= {"instructions": _text_of(guide, reading)}
    study |= {"practice": None if practice is None else Reading().corpus([practice])}
    with options.usage():
        planned = Study(name, texts, **study)
    made = [planned.page(coder) for coder in coders or [None]]
    if output not in pages:
        output.mkdir(parents=True, exist_ok=True)
    for page, content in zip(pages, made, strict=True):
        write_whole(page, content)
    documents = counted(len(texts.documents), "document")
    units = counted(int(texts.document_units.sum()), "unit")
    say_written(f"{documents}, {units}", ", ".join(map(str, pages)))


def _pages(output: Path, coders: Sequence[str], name: str) -> list[Path]:
    """Return the file of each coder's page."""
    if output.suffix.lower() in options.PAGES and not output.is_dir():
        if len(coders) > 1:
            raise click.UsageError(f"{output} is one page for {len(coders)} coders; give a folder")
        return [output]
    pages = [output / f"{name}.{page_name(coder)}.html" for coder in coders] or [output / f"{name}.html"]
    seen: dict[str, str] = {}
    for page, coder in zip(pages, coders, strict=False):
        first = seen.setdefault(page.name.casefold(), coder)
        if first != coder:
            raise click.UsageError(f"the pages of {first} and {coder} would both be {page}: rename one coder")
    return pages


def _text_of(path: Path | None, reading: Reading) -> str:
    if path is None:
        return ""
    with naming(path):
        return Source(path, path.stem, reading.read_options).text
