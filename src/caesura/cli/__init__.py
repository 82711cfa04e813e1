"""The command line: one file per command, listed here once; loaded when it is called."""

from __future__ import annotations

import importlib
import os
import sys

import click

from caesura import kernel
from caesura.errors import CaesuraError, did_you_mean
from caesura.results.table import terminal_safe
from caesura.version import __version__

COMMANDS = {
    "score": "caesura.cli.score",
    "diff": "caesura.cli.diff",
    "convert": "caesura.cli.convert",
    "describe": "caesura.cli.describe",
    "agree": "caesura.cli.agree",
    "segment": "caesura.cli.segment",
    "compare": "caesura.cli.compare",
    "plan": "caesura.cli.plan",
    "report": "caesura.cli.report",
    "consensus": "caesura.cli.consensus",
    "figure": "caesura.cli.figure",
    "simulate": "caesura.cli.simulate",
    "reproduce": "caesura.cli.reproduce",
    "metrics": "caesura.cli.metrics",
    "segmenters": "caesura.cli.segmenters",
    "demo": "caesura.cli.demo",
}
"""Command name to the module whose ``command`` it is."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            raise click.UsageError(f"there is no command {cmd_name!r}; {did_you_mean(cmd_name, COMMANDS)}")
        command: click.Command = importlib.import_module(COMMANDS[cmd_name]).command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    __version__, prog_name="caesura", message=f"%(prog)s %(version)s ({kernel.active.NAME} kernel)"
)
def group() -> None:
    """Evaluate text segmentation: compare segmentations and see where they differ."""


def main() -> None:
    """Run the command line: exit 0, 1 for bad data, 2 for bad usage; an error is one line."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without the signs we draw with
    try:
        group.main(arguments, prog_name="caesura", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        _complain(error.format_message().replace("\n", " "))
        return 2
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _complain("stopped")
        return 130
    except CaesuraError as error:
        _complain(str(error))
        return 1
    except BrokenPipeError:
        # The reader of our output has left; what it wanted is written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}")
        return 1
    return 0


def _complain(message: str) -> None:
    click.echo(f"caesura: {terminal_safe(message)}", err=True)
