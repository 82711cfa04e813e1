"""caesura annotate: texts become pages on which coders place boundaries, one file each comes back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from caesura.cli.options import Option, Parsed, is_forced, output_option, seed_option
from caesura.cli.reading import DataCommand, Reading, reading_options, split_name
from caesura.cli.remarks import echo, say_understood
from caesura.errors import ParameterError, naming
from caesura.io.files import Source, write_whole
from caesura.pages.annotation import QUESTIONS, Study, page_name
from caesura.wording import counted

PAGES = (".html", ".htm")


def _names(text: str) -> tuple[str, ...]:
    """Split at commas; a name may neither be empty nor stand there twice."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not name or names.count(name) > 1:
            raise ParameterError(f"{text!r} has {f'{name!r} twice' if name else 'an empty name'}")
    return names


def _levels(text: str) -> tuple[str, ...]:
    """Name levels of which only the number is given."""
    if text.strip().isdecimal() and 0 < int(text.strip()[:4]) < 100:
        return tuple(f"level {rank}" for rank in range(1, int(text) + 1))
    return _names(text)


NAMES, LEVELS = Parsed("names", _names), Parsed("n|names", _levels)


def _names_option(flag: str, help: str, type: Parsed[tuple[str, ...]] = NAMES) -> Option:
    return click.option(flag, type=type, default=(), metavar="NAMES", help=help)


@click.command("annotate", cls=DataCommand)
@click.argument("data", nargs=-1, required=True, metavar="TEXTS...")
@output_option(
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write the pages to; or an HTML file, if there is one page.",
)
@_names_option("--coders", "A page for each of these coders. Default: one page on which coders type a name.")
@_names_option("--types", "Types of boundaries, such as topic,speaker; keys 1, 2 … set them.")
@_names_option(
    "--levels", "Boundaries of several levels, the highest first: their names, or how many.", LEVELS
)
@click.option(
    "--instructions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A guide for coders, in Markdown.",
)
@_names_option("--questions", f"What else is asked, of {', '.join(QUESTIONS)}.")
@click.option(
    "--practice",
    metavar="KEYED",
    help="A document to practise on: text with one coding, the key by which the page gives feedback.",
)
@click.option("--title", help="The title of the pages; default: the name of the first of TEXTS.")
@seed_option()
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: Path,
    coders: tuple[str, ...],
    types: tuple[str, ...],
    levels: tuple[str, ...],
    instructions: Path | None,
    questions: tuple[str, ...],
    practice: str | None,
    title: str | None,
    seed: int,
) -> None:
    """Write a page for each coder on which boundaries are placed between the units of TEXTS.

    TEXTS are files or folders of any format that has the text of its units, or plain text with a unit per
    line; --units sentence divides it by sentences first. The pages need no network and no server: mail them.
    Coders open them in a browser and send back the file that they save; `caesura agree` reads these files.
    What TEXTS say about boundaries is in no page. Documents are in a random order, another for each coder.
    """
    name = title or Path(split_name(data[0]).path).stem
    pages = _pages(output, coders, page_name(name))
    there = [] if is_forced() else [page for page in pages if page.exists()]
    if there:
        more = f" (and {len(there) - 1} more)" if there[1:] else ""
        raise click.UsageError(f"{there[0]}{more} is there already; --force overwrites it")
    texts = reading.corpus(data)
    try:
        study = Study(
            title=name,
            texts=texts,
            types=types,
            levels=levels,
            questions=questions,
            instructions=_guide(instructions, reading),
            practice=None if practice is None else Reading().corpus([practice]),
            seed=seed,
        )
    except ParameterError as error:
        raise click.UsageError(str(error)) from None
    made = [study.page(coder) for coder in coders or [None]]
    if output not in pages:
        output.mkdir(parents=True, exist_ok=True)
    for page, content in zip(pages, made, strict=True):
        write_whole(page, content)
    say_understood()
    documents = counted(len(texts.documents), "document")
    units = counted(int(texts.document_units.sum()), "unit")
    echo(f"{documents}, {units} -> {', '.join(str(page) for page in pages)}")


def _pages(output: Path, coders: Sequence[str], name: str) -> list[Path]:
    """Return the file of each coder's page."""
    if output.suffix.lower() in PAGES and not output.is_dir():
        if len(coders) > 1:
            raise click.UsageError(
                f"{output} is one page, and {len(coders)} coders get one each: name a folder"
            )
        return [output]
    pages = [output / f"{name}.{page_name(coder)}.html" for coder in coders] or [output / f"{name}.html"]
    seen: dict[str, str] = {}
    for page, coder in zip(pages, coders, strict=False):
        other = seen.setdefault(page.name.casefold(), coder)
        if other != coder:
            raise click.UsageError(
                f"the pages of {other} and {coder} would both be {page}: choose other names"
            )
    return pages


def _guide(path: Path | None, reading: Reading) -> str:
    if path is None:
        return ""
    with naming(path):
        return Source(path, path.stem, reading.read_options).text
