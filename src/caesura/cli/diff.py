"""caesura diff: drawings of two segmentations with the edits between them."""

from __future__ import annotations

import shlex
import shutil
import sys
from textwrap import fill
from typing import NamedTuple

import click

from caesura.alignment.alignment import (
    ERRING,
    LEGEND,
    MAX_ROWS,
    SIGN_COLORS,
    WIDTH,
    Alignment,
    align,
    draw_alignment,
)
from caesura.alignment.weights import METHODS, Method
from caesura.analyses.windows_in_error import RUN_COLUMNS, RUN_NOTE, run_rows, windows
from caesura.checks import N_T
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import DataCommand, Reading, reading_options
from caesura.cli.remarks import as_flags
from caesura.cli.roles import are_lines, form_option, read_lines, read_roles
from caesura.errors import CorpusError, within
from caesura.io.lines import Form
from caesura.metrics.base import Metric
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.metrics.window import WindowError
from caesura.pairs import Typed, types_lacking
from caesura.results.notes import reading as meaning
from caesura.results.table import Cell, Column, Table, cell_len
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import unite_schemes
from caesura.wording import listed, terminal_safe, without_types

NEW_LINE = "\n"
WIDEST = 160


@click.command("diff", cls=DataCommand)
@click.argument("reference")
@click.argument("hypothesis", required=False)
@options.metric_options("B", "S", "WD")
@form_option
@options.role_options
@options.types_option
@options.choice("--method", METHODS, "Algorithm that finds edits.", "greedy")
@options.flag("--full", help="Draw every row of long documents.")
@reading_options
@options.output_options
def command(
    reading: Reading,
    reference: str,
    hypothesis: str | None,
    chosen: options.Chosen,
    form: Form,
    names: options.Names,
    types: bool | None,
    method: Method,
    full: bool,
    out: Output,
) -> None:
    """Draw where HYPOTHESIS differs from REFERENCE.

    Both are corpora, or text files with one segmentation per line; REFERENCE may also hold the segmenter. -m
    WD (Pk, PkPrime) shades the windows that count as errors. Other formats than text list matches and edits,
    or with these metrics alone the windows in error.
    """
    step = None
    lacking: tuple[str, ...] = ()
    if are_lines(reading, form, reference, hypothesis, names) and hypothesis is not None:
        metric = B(n_t=chosen.n_t or N_T, method=method)  # type: ignore[arg-type]  # a duration is refused below
        metric.check_units()
        pairs = zip(*read_lines(reading, form, reference, hypothesis), strict=True)
        compared = [
            Compared(f"line {number}", {"line": number}, align(*pair, n_t=metric.n_t, method=method))
            for number, pair in enumerate(pairs, start=1)
        ]
    else:
        people, machine = read_roles(reading, reference, hypothesis, names)
        step = people.step
        typed = Typed(people.typed_coders, machine.typed_coders)
        lacking = types_lacking([B()], types, typed, people.coders, machine.coders)
        types = types is not False and not lacking
        compared = _compare_corpora(people, machine, chosen.n_t or N_T, method, types)
    sliding = [metric for metric in chosen.given if isinstance(metric, WindowError)]
    if out.format != "text":
        only_windows = len(sliding) == len(chosen.given) > 0
        out.emit(_run_table(compared, sliding) if only_windows else _edit_table(compared))
        return
    metrics = [metric_for(None, metric, step=step, types=types is not False) for metric in chosen.metrics]
    on_terminal = out.path is None and sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, WIDEST) if on_terminal else WIDTH
    blocks = []
    for title, _, alignment in compared:
        with within(title):
            erring = [
                (metric.name, windows(alignment.reference, alignment.hypothesis, metric).stretches())
                for metric in sliding
            ]
            values = _values(alignment, metrics, width)
        drawing = draw_alignment(
            alignment, width=width, max_rows=None if full else MAX_ROWS, legend=False, erring=erring
        )
        title = terminal_safe(title)
        separator = " · " if cell_len(f"{title} · {drawing.partition(NEW_LINE)[0]}") <= width else NEW_LINE
        blocks.append(f"{title}{separator}{drawing}\n{values}")
    notes = fill(as_flags(without_types(lacking)), width) if lacking else ""
    legend = f"{LEGEND}\n{ERRING} in a window that errs" if sliding else LEGEND
    out.write("\n\n".join(filter(None, [*blocks, notes, legend])), SIGN_COLORS)


class Compared(NamedTuple):
    """Two segmentations: the title, the first cells of their rows, and their alignment."""

    title: str
    where: dict[str, Cell]
    alignment: Alignment


def _compare_corpora(
    people: Corpus, machine: Corpus, n_t: int | str, method: Method, types: bool
) -> list[Compared]:
    """Align the segmenter with every reference coder of each document."""
    if len(machine.coders) != 1:
        example = shlex.quote(machine.coders[0])
        raise CorpusError(f"the hypothesis has {listed(machine.coders, 5)}; choose one, such as -s {example}")
    (segmenter,) = machine.coders
    shared = [document for document in people.documents if document in machine.document_numbers]
    scheme = unite_schemes(people.type_scheme, machine.type_scheme)
    metric = metric_for(scheme, B(method=method), n_t, step=people.step, types=types)
    weights = {name: metric.parameters[name] for name in ("n_t", "substitution", "types")}
    compared = [
        Compared(
            f"{document} · {coder} and {segmenter}",
            {"document": document, "coder": coder},
            align(coding, machine[document, segmenter], method=method, **weights),
        )
        for document in shared
        for coder, coding in people[document].items()
    ]
    if not compared:
        raise CorpusError(f"no document was segmented by both {segmenter} and a reference coder")
    return compared


def _values(alignment: Alignment, metrics: list[Metric], width: int) -> str:
    lines = [""]
    for metric in metrics:
        score = metric(alignment.reference, alignment.hypothesis)
        part = f"  {metric} {float(score):.3f} ({score.numerator:g}/{score.denominator:g})"
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append(part)
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return NEW_LINE.join(lines)


def _edit_table(compared: list[Compared]) -> Table:
    """Return a row per match or edit."""
    rows: list[list[Cell]] = []
    for _, where, alignment in compared:
        edits: list[list[Cell]] = []
        edits += [["match", m.position, m.position, m.type, m.type, 1.0] for m in alignment.matches]
        edits += [["missed", m.position, None, m.type, None, 0.0] for m in alignment.missed]
        edits += [["spurious", None, s.position, None, s.type, 0.0] for s in alignment.spurious]
        for wrong in alignment.substitutions:
            types = (wrong.reference_type, wrong.hypothesis_type)
            right = float(1 - alignment.weight(wrong))
            edits.append(["wrong type", wrong.position, wrong.position, *types, right])
        for near in alignment.transpositions:
            positions = (near.reference_position, near.hypothesis_position)
            edits.append(["near miss", *positions, near.type, near.type, float(1 - alignment.weight(near))])
        rows += [[*where.values(), *row] for row in sorted(edits, key=_position)]
    first = compared[0].alignment
    names = [*compared[0].where, "kind", "reference", "hypothesis", "reference type", "hypothesis type"]
    note = meaning(f"positions are units before the boundary; n_t={first.n_t}, {first.method} edits")
    return Table("", [Column(name) for name in (*names, "correctness")], rows, notes=[note])


def _run_table(compared: list[Compared], metrics: list[WindowError]) -> Table:
    """Return a row per run of windows with the same error."""
    rows: list[list[Cell]] = []
    for title, where, alignment in compared:
        with within(title):
            rows += [
                [*where.values(), metric.name, *row]
                for metric in metrics
                for row in run_rows(windows(alignment.reference, alignment.hypothesis, metric))
            ]
    names = [*compared[0].where, "metric", *RUN_COLUMNS]
    return Table("", [Column(name) for name in names], rows, notes=[RUN_NOTE])


def _position(row: list[Cell]) -> int:
    return int(row[1] if row[1] is not None else row[2])  # type: ignore[arg-type]
