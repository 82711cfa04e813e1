"""caesura demo: the main job on the built-in example."""

from __future__ import annotations

import click

from caesura.edits import align
from caesura.examples import STARGAZERS
from caesura.metrics.base import signature
from caesura.metrics.registry import metric
from caesura.report.table import Cell, Column, Table
from caesura.segmentation import Segmentation


@click.command("demo")
def command() -> None:
    """Compare the seven readers of "Stargazers" (Hearst 1997) with each other."""
    codings = {coder: Segmentation.from_masses(masses) for coder, masses in STARGAZERS.items()}
    click.echo("Stargazers (Hearst 1997): 7 readers marked topic boundaries between 21 paragraphs.\n")
    for coder, coding in codings.items():
        click.echo(f"  reader {coder}  {_strip(coding)}  {coding.n_boundaries:2} boundaries")
    click.echo("\nBoundary similarity of each two readers:\n")
    click.echo(_indent(_pairwise(codings).to_text()))
    click.echo("\nWhere readers 1 and 6 differ:\n")
    click.echo(_indent(str(align(codings["1"], codings["6"]))))
    click.echo(
        "\nNext: write one segmentation per line to two files and run\n"
        "  caesura score REFERENCE HYPOTHESIS\n  caesura diff REFERENCE HYPOTHESIS"
    )


def _strip(coding: Segmentation) -> str:
    return "".join("┃" if mark == "1" else "─" for mark in coding.to_gaps())


def _pairwise(codings: dict[str, Segmentation]) -> Table:
    similarity = metric("B")
    rows: list[list[Cell]] = []
    total = None
    for one, first in codings.items():
        row: list[Cell] = [one]
        for other, second in codings.items():
            if one < other:
                score = similarity(first, second)
                row.append(float(score))
                total = score if total is None else total + score
            else:
                row.append(None)
        rows.append(row)
    if total is None:
        raise AssertionError("the example has more than one reader")
    notes = [f"mean over all pairs of boundaries: {float(total):.4f}", signature(similarity, total.n_pairs)]
    return Table("", [Column("reader"), *(Column(coder, 2) for coder in codings)], rows, notes=notes)


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" if line else line for line in text.splitlines())
