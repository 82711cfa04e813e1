"""References and hypotheses of a command: two corpora, one corpus with both, or two files of lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from caesura.analyses.roles import S, cast, leave_out_uncoded, uncoded_note
from caesura.cli.options import Names, choice
from caesura.cli.reading import Reading, chosen_coders, split_name
from caesura.cli.remarks import echo, understood
from caesura.errors import CorpusError
from caesura.io.files import Source
from caesura.io.formats import gaps
from caesura.io.lines import FORMS, Form, LinePairs, read_pairs
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS, sniff
from caesura.values.corpus import Corpus

form_option = choice(
    "--form",
    FORMS,
    "Form of a line: masses (2 3 6), gap indicators (0100100000), marks on the first or last unit of a "
    "segment (10010, 00101), or a label per unit (a a b b b).",
    "auto",
)


def is_corpus(argument: str, reading: Reading) -> bool:
    """Return whether a file is a corpus, by extension or content, or has a segmentation per line."""
    coder, name = split_name(argument)
    path = Path(name)
    extensions = {extension for known in FORMATS.values() for extension in known.extensions}
    is_declared = reading.format is not None or reading.units is not None or coder is not None
    if is_declared or path.is_dir() or path.suffix.lower() in extensions - GENERIC_EXTENSIONS:
        return True
    try:
        return path.is_file() and sniff(Source(path, path.stem, reading.read_options)) is not gaps.FORMAT
    except CorpusError:
        return False


def are_lines(reading: Reading, form: Form, reference: str, hypothesis: str | None, names: Names) -> bool:
    """Return whether both files have a segmentation per line, by --form or if no format fits."""
    paths = [reference] if hypothesis is None else [reference, hypothesis]
    if form == "auto" and (len(paths) < 2 or any(is_corpus(path, reading) for path in paths)):
        return False
    if len(paths) < 2 or any(Path(path).is_dir() for path in paths):
        raise click.UsageError("--form needs two text files with one segmentation per line")
    if reading.format is not None or reading.units is not None:
        raise click.UsageError("--form is for files of lines; --from and --units are for corpora")
    if reading.documents or reading.coders or names.segmenters or names.references:
        raise click.UsageError("-d, -c, -s and -r need corpora; these files hold one segmentation per line")
    return True


def read_lines(reading: Reading, form: Form, reference: str, hypothesis: str) -> LinePairs:
    """Return the segmentations of two files of lines, and report how they were read."""
    lines = read_pairs(Path(reference), Path(hypothesis), form, reading.read_options)
    understood(f"read {reference} and {hypothesis} as {lines.understood}")
    return lines


def read_roles(
    reading: Reading, reference: str, hypothesis: str | None, names: Names, *, guard: bool = False
) -> tuple[Corpus, Corpus]:
    """Return the references and the hypotheses of one file or two."""
    check_hypothesis(hypothesis is not None, names.segmenters)
    if hypothesis is None:
        people, machine = reading.corpus([reference]), None
        if reading.coders and not set(people.coders) - set(chosen_coders(names.segmenters, people)):
            raise CorpusError(f"-c selects no reference coder of {reference}; add -c NAME for one")
    else:
        people, machine = _read_both(reading, reference, hypothesis)
    people, machine = named_roles(people, machine, names, guard=guard, where=reading.where)
    if people.is_hierarchical or machine.is_hierarchical:
        return people.as_hierarchies(), machine.as_hierarchies()
    return people, machine


def check_hypothesis(is_given: bool, segmenters: Sequence[str]) -> None:
    """Refuse a reference without hypothesis or segmenter."""
    if not is_given and not segmenters:
        raise click.UsageError("no hypothesis given: give HYPOTHESIS, or name a coder with --segmenter")


def named_roles(
    reference: S, hypothesis: S | None, names: Names, *, guard: bool = True, where: str = ""
) -> tuple[S, S]:
    """Return the references and the hypotheses that match names or patterns."""
    coded = reference if hypothesis is None else hypothesis
    machines = chosen_coders(names.segmenters, coded, where) or None
    people = chosen_coders(names.references, reference, where) or None
    by, scored = cast(reference, hypothesis, machines, people, guard=guard)
    if people and isinstance(reference, Corpus) and isinstance(by, Corpus) and isinstance(scored, Corpus):
        scored, uncoded = leave_out_uncoded(reference, by, scored, people)  # type: ignore[assignment]  # S is Corpus
        if uncoded:
            understood(uncoded_note(by.coders, uncoded))
    return by, scored


def _read_both(reading: Reading, reference: str, hypothesis: str) -> tuple[Corpus, Corpus]:
    inputs = [split_name(reference), split_name(hypothesis)]
    people, machine = reading.corpora(inputs)
    if [people.documents, machine.documents] == [(each.stem,) for each in inputs]:
        # A text is named after its file; two texts are two versions of one document.
        machine = machine.rename(documents={machine.documents[0]: people.documents[0]})
    if reading.units is None and (others := _other_texts(people, machine)):
        more = f" (and of {len(others) - 1} more)" if len(others) > 1 else ""
        paths = f"{inputs[0].path} and {inputs[1].path}"
        echo(f"note: document {others[0]}: {paths} have different texts of it{more}")
    whole = reading.put_on_units([people, machine], inputs)
    of_coders = replace(reading, documents=()).selected(whole)
    both = reading.selected(whole)
    for source, before, coded, after in zip(inputs, whole, of_coders, both, strict=True):
        if before.n_codings and not after.n_codings:
            option, known = ("-d", before.documents) if coded.n_codings else ("-c", before.coders)
            example = f"{'one, such as ' if known[1:] else ''}{option} {shlex.quote(known[0])}"
            raise CorpusError(f"{source.path}: {option} selects none of its codings; add {example}")
    return both[0], both[1]


def _other_texts(people: Corpus, machine: Corpus) -> list[str]:
    """Return the documents with different texts, whose boundaries may not correspond."""
    shared = people.units.keys() & machine.units.keys()
    return sorted(document for document in shared if people.units[document] != machine.units[document])
