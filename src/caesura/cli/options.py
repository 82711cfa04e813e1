"""Options that commands share, each declared once, and the values that commands receive."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import click

from caesura.checks import MAX_RESAMPLES, is_duration
from caesura.cli.output import Output
from caesura.errors import CaesuraError, ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric
from caesura.results.notes import unfolded
from caesura.results.table import NOTE_WIDTH, RENDERERS

C = TypeVar("C", bound=Callable[..., Any])
T = TypeVar("T")
Option: TypeAlias = Callable[[Any], Any]

FORCE = "caesura.force"
"""The key of --force in a command's context."""

MAX_DIGITS = 15

PAGES = (".html", ".htm")
"""Extensions of HTML pages."""

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)

flag = functools.partial(click.option, is_flag=True)


def option(names: str, kind: Any, help: str, default: Any = None, **settings: Any) -> Option:
    """Add an option: its flags and the command's argument, and the type of its value or a word for a text."""
    settings |= {"metavar" if isinstance(kind, str) else "type": kind}
    settings |= {} if default is None else {"default": default}  # for click None is a value, too
    return click.option(*names.split(), help=help, **settings)


def choice(
    flag: str, choices: Iterable[str], help: str, default: Any = None, name: str = "", **settings: Any
) -> Option:
    """Add an option whose value is one of several words; ``name`` is the command's argument."""
    return option(f"{flag} {name}", click.Choice([*choices]), help, default, **settings)


def bundle(name: str, make: Callable[..., Any], *options: Option) -> Callable[[C], C]:
    """Add options whose values become one argument of the command; ``make`` gets them by name."""

    def add(command: C) -> C:
        @functools.wraps(command)
        def wrapped(*args: Any, **values: Any) -> Any:
            made = make(**{key: values.pop(key) for key in keys})
            return command(*args, **{name: made}, **values)

        before = len(getattr(command, "__click_params__", ()))
        added: Any = wrapped
        for option in reversed(options):
            added = option(added)
        keys = [option.name for option in added.__click_params__[before:] if option.expose_value]
        with_options: C = added
        return with_options

    return add


@contextmanager
def usage(errors: tuple[type[CaesuraError], ...] = (ParameterError,)) -> Iterator[None]:
    """Turn errors in parameters into usage errors."""
    try:
        yield
    except errors as error:
        raise click.UsageError(str(error)) from None


def first_given(options: Mapping[str, object]) -> str | None:
    """Return the first flag with a value."""
    return next((flag for flag, value in options.items() if value), None)


def refuse_beside(chosen: str, options: Mapping[str, object], why: str = "") -> None:
    """Refuse options that exclude the chosen one."""
    if given := first_given(options):
        raise click.UsageError(f"{given} does not work with {chosen}{why}")


class Parsed(click.ParamType, Generic[T]):  # type: ignore[type-arg]  # generic in newer click only
    """A parameter that a function parses; a CaesuraError becomes a usage error."""

    def __init__(self, name: str, parse: Callable[[str], T]) -> None:
        self.name = name
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> T:
        """Parse a text; a default needs no parsing."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return self.parse(value)
        except CaesuraError as error:
            self.fail(str(error), param, ctx)


# -------------------------------------------------------------------- metrics

METRIC = Parsed("metric", metric)
"""A metric specification such as ``B`` or ``WD(edges='wrap')``."""

METRICS = Parsed("metric", lambda text: [metric(spec) for spec in unfolded(text)])
"""A metric specification, or signatures as a table prints them."""


def _extent(text: str) -> int | str:
    if is_duration(text):
        return text
    if not text.isdecimal() or len(text) > MAX_DIGITS or int(text) < 1:
        raise ParameterError(f"{text!r} is neither a positive whole number nor a duration such as 3s")
    return int(text)


EXTENT = Parsed("units|duration", _extent)
"""A number of units, or a duration such as 3s on a time grid."""


def n_t_option(help: str, default: int | None = None) -> Option:
    """Add -n/--n-t: a number of units, or a duration."""
    return option("-n --n-t", EXTENT, help, default)


def metric_option(default: str) -> Option:
    """Add -m/--metric, given once."""
    return _metric_option("metric", "", default=default)


@dataclass(frozen=True)
class Chosen:
    """The given or default metrics, and an n_t for those with near misses."""

    given: Sequence[Metric]
    n_t: int | str | None
    usual: Sequence[str] = ()

    @property
    def metrics(self) -> list[Metric]:
        """The metrics, with the n_t."""
        chosen = list(self.given) or [metric(spec) for spec in self.usual]
        if self.n_t is None:
            return chosen
        return [
            type(each)(**each.parameters | {"n_t": self.n_t}) if "n_t" in each.parameters else each
            for each in chosen
        ]

    def usually(self, *specs: str) -> Chosen:
        """Return the choice with other defaults."""
        return replace(self, usual=specs)


def metric_options(*usual: str) -> Callable[[C], C]:
    """Add -m/--metric (repeatable) and -n/--n-t; the command gets them as ``chosen``."""
    return bundle(
        "chosen",
        lambda metrics, n_t: Chosen([*chain.from_iterable(metrics)], n_t, usual),
        _metric_option("metrics", "; repeatable", METRICS, multiple=True, show_default=", ".join(usual)),
        n_t_option("Near misses span fewer positions than this (on a time grid: 3s), in every metric."),
    )


def _metric_option(name: str, more: str, type: Parsed[Any] = METRIC, **settings: Any) -> Option:
    help = f"Metric, such as B or \"WD(edges='wrap')\"{more}. `caesura metrics` lists all."
    return option(f"-m --metric {name}", type, help, metavar="SPEC", **settings)


types_option = click.option(
    "--types/--no-types",
    default=None,
    help="Compare boundaries with or without types and ranks; default: with, if both sides have any.",
)

# -------------------------------------------------------------------- roles and selections


@dataclass(frozen=True)
class Names:
    """Segmenters and references by name or pattern."""

    segmenters: tuple[str, ...]
    references: tuple[str, ...]


_selection = functools.partial(option, multiple=True)

role_options = bundle(
    "names",
    Names,
    _selection("-s --segmenter segmenters", "CODER", "Coder to score, or a pattern ('cfg*'); repeatable."),
    _selection(
        "-r --reference --reference-coder references",
        "CODER",
        "Reference coder, or a pattern; repeatable. Default: all coders that are not scored, unless one may "
        "be a segmenter.",
    ),
)

selection_options = (
    _selection("-c --coder only_coders", "TEXT", "Only this coder or pattern ('ann*'); repeatable."),
    _selection(
        "-d --document only_documents", "TEXT", "Only this document or pattern ('talk*'); repeatable."
    ),
)

# -------------------------------------------------------------------- chance


def seed_option(default: int | None = 0, help: str = "Random seed.", name: str = "rng") -> Option:
    """Add --seed; the command gets it as ``rng``, or under another name."""
    return option(f"--seed {name}", click.IntRange(min=0), help, default)


def resamples_option(
    default: int | None, help: str, name: str = "n_resamples", *, minimum: int = 0, **settings: Any
) -> Option:
    """Add --resamples; the command gets them as ``n_resamples``, or under another name."""
    return option(f"--resamples {name}", click.IntRange(minimum, MAX_RESAMPLES), help, default, **settings)


# -------------------------------------------------------------------- output

force_option = flag(
    "--force",
    is_eager=True,  # before the output file is checked
    expose_value=False,
    callback=lambda context, _, value: context.meta.__setitem__(FORCE, value),
    help="Overwrite an existing file.",
)


def refuse_existing(files: Sequence[Any]) -> None:
    """Refuse to overwrite existing files without --force."""
    if files and not click.get_current_context().meta.get(FORCE):
        more = f" (and {len(files) - 1} more)" if files[1:] else ""
        raise click.UsageError(f"{files[0]}{more} already exists (use --force to overwrite)")


def check_new(context: click.Context, parameter: click.Parameter, output: Any) -> Any:
    """Refuse to overwrite an existing file without --force."""
    refuse_existing([output] if output is not None and Path(output).is_file() else [])
    return output


def _check_page(context: click.Context, parameter: click.Parameter, output: Path) -> Any:
    """Refuse a page whose name is not an HTML file's."""
    if output.suffix.lower() not in PAGES:
        raise click.UsageError(f"{output} is not an HTML file name: end it in .html")
    return check_new(context, parameter, output)


def output_option(*, help: str, required: bool = False, type: Any = None, check: Any = check_new) -> Option:
    """Add -o/--output, which does not overwrite a file, and --force, which does."""

    given = option("-o --output", type or NEW_FILE, help, required=required, callback=check)
    return lambda command: given(force_option(command))


page_option = output_option(required=True, help="HTML file to write.", check=_check_page)
"""Add -o/--output for a page."""


output_options = bundle(
    "out",
    lambda format, output, signature, wide: Output(
        format, output, signature or output is not None, None if wide or output is not None else NOTE_WIDTH
    ),
    choice("-f", RENDERERS, "Output format.", "text", name="--format"),
    output_option(help="Write to FILE instead of the terminal."),
    flag("--signature", help="Show signatures in full, with the defaults (as files and JSON do)."),
    flag("--wide", help="Show all columns and rows, however wide (as files do)."),
)
"""Add -f/--format, -o/--output, --signature and --wide; the command gets them as ``out``."""
