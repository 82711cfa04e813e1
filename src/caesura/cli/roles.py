"""Who is judged by whom: the reading of a reference and a hypothesis that are corpora."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.progress import read_data
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS
from caesura.results.table import terminal_safe
from caesura.values.corpus import Corpus


def is_corpus(path: Path) -> bool:
    """Whether this is a folder or has the extension of a format; other files hold a segmentation per line."""
    extensions = {extension for known in FORMATS.values() for extension in known.extensions}
    return path.is_dir() or path.suffix.lower() in extensions - GENERIC_EXTENSIONS


def read_roles(
    reference: Path, hypothesis: Path | None, segmenter: str | None, references: tuple[str, ...]
) -> tuple[Corpus, Corpus]:
    """Return the codings to judge by and those to judge, of one file or of two."""
    if hypothesis is None and segmenter is None:
        raise click.UsageError("give HYPOTHESIS, or name the coder of REFERENCE to judge by --segmenter")
    people = read_data([str(reference)])
    if hypothesis is None:
        machine = people.select(coders=[str(segmenter)])
        people = people.select(coders=[coder for coder in people.coders if coder != segmenter])
    else:
        machine = read_data([str(hypothesis)])
        if people.documents == (reference.stem,) and machine.documents == (hypothesis.stem,):
            # A text's name is that of its file; who gives two texts means the same document.
            machine = _renamed(machine, reference.stem)
        if others := _other_texts(people, machine):
            more = f" (and of {len(others) - 1} more)" if len(others) > 1 else ""
            note = f"document {others[0]}: {reference} and {hypothesis} have different texts of it{more}"
            click.echo(terminal_safe(f"caesura: note: {note}"), err=True)
        if segmenter is not None:
            machine = machine.select(coders=[segmenter])
    if people.is_hierarchical or machine.is_hierarchical:
        people, machine = people.as_hierarchies(), machine.as_hierarchies()
    return (people.select(coders=references) if references else people), machine


def _other_texts(people: Corpus, machine: Corpus) -> list[str]:
    """Return the documents whose units differ in their text: boundaries may not mean the same places."""
    shared = people.units.keys() & machine.units.keys()
    return sorted(document for document in shared if people.units[document] != machine.units[document])


def _renamed(corpus: Corpus, name: str) -> Corpus:
    """Return a corpus of one document under another name."""
    return corpus.rename(documents={corpus.documents[0]: name})
