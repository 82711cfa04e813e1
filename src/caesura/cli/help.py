"""caesura help: the list of commands, the help of one, or how every command reads data."""

from __future__ import annotations

import click

from caesura.cli.reading import Reading, reading_options

READING = "reading"


@click.command(READING, options_metavar="")
@click.argument("data", nargs=-1)
@reading_options
def reading(data: tuple[str, ...], reading: Reading) -> None:
    """How every command reads DATA.

    DATA is one or more files or folders. NAME=PATH gives the coder of PATH a name. The format is detected
    from the content, and one line on stderr reports what was read. A file that can be read in two ways is
    refused with the option that decides. `caesura convert --help` lists all formats.
    """


@click.command("help")
@click.argument("topic", required=False)
@click.pass_context
def command(context: click.Context, topic: str | None) -> None:
    """Show the help of a command, or of `reading` data."""
    parent = context.parent or context
    shown = parent.command
    if topic == READING:
        shown, parent = reading, click.Context(click.Command("COMMAND"), parent, info_name="COMMAND")
    elif topic is not None and isinstance(shown, click.Group):
        shown = shown.get_command(parent, topic) or shown
    else:
        click.echo(parent.get_help())
        return
    name = "" if topic == READING else topic
    click.echo(shown.get_help(shown.context_class(shown, info_name=name, parent=parent, show_default=True)))
