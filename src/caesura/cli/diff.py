"""caesura diff: draws two segmentations of each line with the edits between them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from caesura.cli.lines import Form, form_option, read_pairs
from caesura.cli.options import metric_options, output_options, print_table, print_text, with_n_t
from caesura.drawing import LEGEND, MAX_ROWS, WIDTH, draw_alignment
from caesura.edits import METHODS, Alignment, Edit, Method, align
from caesura.metrics.base import Metric
from caesura.report.table import Cell, Column, Format, Table

WIDEST = 160


@click.command("diff")
@click.argument("reference", type=click.Path(path_type=Path))
@click.argument("hypothesis", type=click.Path(path_type=Path))
@metric_options(default=["B", "S", "WD"])
@form_option
@click.option("--method", type=click.Choice(METHODS), default="greedy", help="How edits are found.")
@click.option("--full", is_flag=True, help="Draw every row of a long document.")
@output_options
def command(
    reference: Path,
    hypothesis: Path,
    metrics: tuple[Metric, ...],
    n_t: int | None,
    form: Form,
    method: Method,
    full: bool,
    format: Format,
    output: Path | None,
) -> None:
    """Draw where HYPOTHESIS differs from REFERENCE, files of one segmentation per line.

    Other formats than text list the matches and edits.
    """
    references, hypotheses = read_pairs(reference, hypothesis, form)
    alignments = [
        align(ref, hyp, n_t=n_t or 2, method=method) for ref, hyp in zip(references, hypotheses, strict=True)
    ]
    if format != "text":
        print_table(_edit_table(alignments), format, output)
        return
    chosen = with_n_t(metrics, n_t)
    on_terminal = output is None and sys.stdout.isatty()
    width = min(shutil.get_terminal_size().columns, WIDEST) if on_terminal else WIDTH
    blocks = []
    for number, alignment in enumerate(alignments, start=1):
        drawing = draw_alignment(alignment, width=width, max_rows=None if full else MAX_ROWS, legend=False)
        blocks.append(f"line {number} · {drawing}\n  {_values(alignment, chosen)}")
    print_text("\n\n".join([*blocks, LEGEND]), output)


def _values(alignment: Alignment, metrics: list[Metric]) -> str:
    parts = []
    for metric in metrics:
        score = metric(alignment.reference, alignment.hypothesis)
        parts.append(f"{metric} {float(score):.3f} ({score.numerator:g}/{score.denominator:g})")
    return "   ".join(parts)


def _edit_table(alignments: list[Alignment]) -> Table:
    """One row per match or edit."""
    rows: list[list[Cell]] = []
    for number, alignment in enumerate(alignments, start=1):

        def correctness(edit: Edit, alignment: Alignment = alignment) -> float:
            return float(1 - alignment.weight(edit))

        found: list[list[Cell]] = []
        found += [["match", m.position, m.position, m.type, m.type, 1.0] for m in alignment.matches]
        found += [["missed", m.position, None, m.type, None, 0.0] for m in alignment.missed]
        found += [["spurious", None, s.position, None, s.type, 0.0] for s in alignment.spurious]
        for wrong in alignment.substitutions:
            types = (wrong.reference_type, wrong.hypothesis_type)
            found.append(["wrong type", wrong.position, wrong.position, *types, correctness(wrong)])
        for near in alignment.transpositions:
            positions = (near.reference_position, near.hypothesis_position)
            found.append(["near miss", *positions, near.type, near.type, correctness(near)])
        rows += [[number, *row] for row in sorted(found, key=_place)]
    names = ["line", "kind", "reference", "hypothesis", "reference type", "hypothesis type", "correctness"]
    n_t, method = alignments[0].n_t, alignments[0].method
    note = f"positions are units before the boundary; n_t={n_t}, {method} edits"
    return Table("", [Column(name) for name in names], rows, notes=[note])


def _place(row: list[Cell]) -> int:
    return int(row[1] if row[1] is not None else row[2])  # type: ignore[arg-type]
