"""The command line: one file per command, listed here and loaded when called."""

from __future__ import annotations

import ast
import importlib
import os
import signal
import sys
from pathlib import Path

import click

from caesura.errors import CaesuraError, did_you_mean
from caesura.version import __version__

GROUPS = {
    "Run a study": ("annotate", "agree", "describe", "plan", "consensus", "adjudicate"),
    "Evaluate segmenters": ("score", "diff", "compare", "tune", "gate", "board"),
    "Segment texts": ("segment", "chunks"),
    "Show results": ("report", "figure", "play"),
    "Data": ("convert", "simulate"),
    "Learn": ("demo", "metrics", "segmenters", "reproduce", "help"),
}
"""The commands by group, in the order of help."""

LISTINGS = ("metrics", "segmenters")

COMMANDS = {
    name: f"listings:{name}" if name in LISTINGS else f"{name}:command"
    for names in GROUPS.values()
    for name in names
}
"""The module and name of each command."""


ALSO = (
    *((name, "score") for name in ("evaluate", "eval", "judge")),
    *((name, "gate") for name in ("check", "baseline", "regression", "ci")),
    *((name, "board") for name in ("leaderboard", "rank", "ranking")),
    *((name, "diff") for name in ("align", "alignment", "show")),
    *((name, "convert") for name in ("read", "write", "import", "export")),
    *((name, "describe") for name in ("description", "summary", "statistics", "stats", "info")),
    *((name, "agree") for name in ("agreement", "iaa", "kappa", "pi", "alpha", "reliability")),
    *((name, "tune") for name in ("tuning", "optimize", "grid", "search")),
    *((name, "compare") for name in ("comparison", "significance", "test")),
    *((name, "annotate") for name in ("annotation", "code", "label")),
    *((name, "chunks") for name in ("chunking", "chunkings", "retrieval", "rag")),
    ("majority", "consensus"),
    *((name, "adjudicate") for name in ("adjudication", "curate", "curation", "gold")),
    *((name, "figure") for name in ("plot", "draw", "chart")),
)
"""Names of commands in Python and other programs, for hints at unknown names."""


LONGEST_SENTENCE = 200
"""The most characters of a command's summary in the list of commands."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            raise click.UsageError(f"unknown command {cmd_name!r}; {did_you_mean(cmd_name, COMMANDS, ALSO)}")
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"caesura.cli.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by group, each with the first sentence of its help."""
        widest = max(map(len, COMMANDS))
        for heading, names in GROUPS.items():
            with formatter.section(click.style(heading, bold=True)):
                formatter.write_dl([(f"{name:{widest}}", _summary(name)) for name in names])


def _summary(name: str) -> str:
    """Return the first sentence of a command's help from its source, because importing all is slow."""
    module, _, function = COMMANDS[name].partition(":")
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    (command,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    return click.Command(name, help=ast.get_docstring(command)).get_short_help_str(LONGEST_SENTENCE)


def _show_version(context: click.Context, option: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        # Imported here, because the kernels need NumPy, which is slow to import.
        kernel = importlib.import_module("caesura.kernel").active.NAME
        click.echo(f"caesura {__version__} ({kernel} kernel)")
        context.exit()


@click.group(
    cls=LazyGroup,
    epilog="`caesura COMMAND --help` lists options, `caesura help reading` those of reading data.",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.option(
    *("--version", "show_version"),
    help="Show the version and exit.",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
)
def group() -> None:
    """Score text segmentations, measure inter-annotator agreement, and compare segmenters."""


def main() -> None:
    """Run the command line: exit 0, 1 for bad data, 2 for bad usage; an error is one line."""
    signal.signal(signal.SIGTERM, _leave)
    sys.exit(run(sys.argv[1:]))


def _leave(number: int, frame: object) -> None:
    """Exit after SIGTERM as after Ctrl-C, which removes temporary files."""
    sys.exit(128 + number)


def _echo(line: str) -> None:
    importlib.import_module("caesura.cli.remarks").echo(line)  # it imports all options


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  (it stays open)
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # for terminals that lack characters of drawings
    try:
        code = group.main(arguments, prog_name="caesura", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        _echo(error.format_message().replace("\n", " "))
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("caesura: stopped", err=True)
        return 130
    except CaesuraError as error:
        _echo(str(error))
        return 1
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _echo(f"{where}{error.strerror or error}")
        return 1
    return code if isinstance(code, int) else 0  # of a command that called context.exit
