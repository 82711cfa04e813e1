"""The option of commands that read files of one segmentation per line."""

from __future__ import annotations

import click

from caesura.io.lines import FORMS

form_option = click.option(
    "--form",
    type=click.Choice(FORMS),
    default="auto",
    show_default=True,
    help="What a line holds: masses (2 3 6), gap indicators (0100100000), marks on the first or the last "
    "unit of a segment (10010, 00101), or a label per unit (a a b b b).",
)
