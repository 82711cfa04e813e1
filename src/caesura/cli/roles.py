"""Who is judged by whom: the reading of a reference and a hypothesis that are corpora."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from caesura.analyses.references import choose_references
from caesura.cli.reading import Reading, chosen_coders, split_name
from caesura.cli.remarks import echo
from caesura.errors import CorpusError
from caesura.io.files import Source
from caesura.io.formats import gaps
from caesura.io.lines import Form
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS, sniff
from caesura.values.corpus import Corpus


def is_corpus(argument: str, reading: Reading) -> bool:
    """Whether this is a corpus, by its extension or content; other files hold a segmentation per line."""
    coder, name = split_name(argument)
    path = Path(name)
    extensions = {extension for known in FORMATS.values() for extension in known.extensions}
    is_told = reading.format is not None or reading.units is not None or coder is not None
    if is_told or path.is_dir() or path.suffix.lower() in extensions - GENERIC_EXTENSIONS:
        return True
    try:
        return path.is_file() and sniff(Source(path, path.stem)) is not gaps.FORMAT
    except CorpusError:
        return False


def are_lines(reading: Reading, form: Form, reference: str, hypothesis: str | None) -> bool:
    """Whether both are files of one segmentation per line: --form says so, or no format fits them."""
    paths = [reference] if hypothesis is None else [reference, hypothesis]
    if form == "auto":
        return len(paths) == 2 and not any(is_corpus(path, reading) for path in paths)
    if len(paths) < 2 or any(Path(path).is_dir() for path in paths):
        raise click.UsageError("--form says what lines hold, and needs two files of lines")
    if reading.format is not None or reading.units is not None:
        raise click.UsageError("--form says what lines hold; --from and --units are for corpora")
    return True


def read_roles(
    reading: Reading,
    reference: str,
    hypothesis: str | None,
    segmenters: Sequence[str],
    references: Sequence[str],
    *,
    careful: bool = False,
) -> tuple[Corpus, Corpus]:
    """Return the codings to judge by and those to judge, of one file or of two.

    ``careful``: unless references are named, none of them may look like a segmenter's output.
    """
    if hypothesis is None and not segmenters:
        raise click.UsageError("give HYPOTHESIS, or name the coder of REFERENCE to judge by --segmenter")
    if hypothesis is None:
        people = reading.corpus([reference])
        judged = chosen_coders(segmenters, people)
        machine = people.select(coders=judged)
        if careful and not references:
            choose_references(people.coders, judged, None)
        people = people.select(coders=[coder for coder in people.coders if coder not in set(judged)])
    else:
        people, machine = _read_both(reading, reference, hypothesis)
        if segmenters:
            machine = machine.select(coders=chosen_coders(segmenters, machine))
    if people.is_hierarchical or machine.is_hierarchical:
        people, machine = people.as_hierarchies(), machine.as_hierarchies()
    if references:
        people = people.select(coders=chosen_coders(references, people))
    elif careful and len(people.coders) > 1:
        choose_references(people.coders, (), None)
    return people, machine


def _read_both(reading: Reading, reference: str, hypothesis: str) -> tuple[Corpus, Corpus]:
    inputs = [split_name(reference), split_name(hypothesis)]
    people, machine = reading.corpora(inputs)
    stems = [(Path(one.path).stem,) for one in inputs]
    if [people.documents, machine.documents] == stems:
        # A text's name is that of its file; who gives two texts means the same document.
        machine = machine.rename(documents={machine.documents[0]: people.documents[0]})
    if reading.units is None and (others := _other_texts(people, machine)):
        more = f" (and of {len(others) - 1} more)" if len(others) > 1 else ""
        paths = f"{inputs[0].path} and {inputs[1].path}"
        echo(f"note: document {others[0]}: {paths} have different texts of it{more}")
    people, machine = reading.put_on_units([people, machine], inputs)
    return people, machine


def _other_texts(people: Corpus, machine: Corpus) -> list[str]:
    """Return the documents whose units differ in their text: boundaries may not mean the same places."""
    shared = people.units.keys() & machine.units.keys()
    return sorted(document for document in shared if people.units[document] != machine.units[document])
