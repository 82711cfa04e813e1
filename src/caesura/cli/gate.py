"""caesura gate: fail a build if a system misses its limits or is worse than a baseline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import click

from caesura.analyses.gating import Limits
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import DataCommand, Reading, reading_options
from caesura.cli.remarks import UNDERSTOOD, echo, say_understood, say_written
from caesura.cli.roles import read_roles
from caesura.errors import CaesuraError, ParameterError
from caesura.io.saved_files import gate_on
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric

Given: TypeAlias = tuple[tuple[Metric, float], ...]
"""Metrics with their limits."""


def _limit(text: str) -> tuple[Metric, float]:
    """Parse METRIC=VALUE; parameters of the metric may contain = themselves.

    >>> _limit("WD(edges='wrap')=0.3")
    (WD(edges='wrap'), 0.3)
    """
    spec, _, value = text.rpartition("=")
    try:
        return metric(spec), float(value)
    except ValueError as error:
        if spec and isinstance(error, CaesuraError):
            raise
        raise ParameterError(f"{text!r} is not a limit: write METRIC=VALUE, such as B=0.7") from None


LIMIT = options.Parsed("limit", _limit)
"""A metric and a number, such as ``B=0.7``."""


def _limit_option(flag: str, help: str) -> options.Option:
    return click.option(flag, type=LIMIT, multiple=True, metavar="SPEC=VALUE", help=f"{help}; repeatable.")


@click.command("gate", cls=DataCommand)
@click.argument("gold")
@click.argument("system", required=False)
@_limit_option("--fail-under", "Lowest value allowed, such as B=0.7")
@_limit_option("--fail-over", "Highest value allowed of an error metric, such as WD=0.3")
@click.option("--baseline", type=click.Path(dir_okay=False, path_type=Path),
              help="Scores of an earlier run, from --update or `caesura score --save`.")  # fmt: skip
@_limit_option("--max-drop", "Allowed drop below the baseline, such as B=0.02")
@click.option("--no-document-worse", type=float, metavar="VALUE", help="Allowed drop on a single document.")
@options.flag("--significant", help="Accept drops that a randomization test over documents does not confirm.")
@options.flag("--update", help="Write the baseline, unless another limit than a drop is missed.")
@options.metric_options("those that have limits, or B")
@options.types_option
@options.role_options
@options.seed_option()
@reading_options
@options.output_options
def command(
    reading: Reading,
    gold: str,
    system: str | None,
    fail_under: Given,
    fail_over: Given,
    baseline: Path | None,
    max_drop: Given,
    no_document_worse: float | None,
    significant: bool,
    update: bool,
    chosen: options.Chosen,
    names: options.Names,
    out: Output,
    **settings: Any,
) -> None:
    """Fail a build (exit 1) where SYSTEM misses a limit on GOLD.

    Exit codes for pull requests: 0 if all limits hold; 1 if one does not, and a line says by how much; 2 for
    bad usage or data, or a baseline of another GOLD or metric. -f markdown writes a comment for the pull
    request. The baseline file holds counts, signatures and a digest of GOLD, but no texts.
    """
    with _usage():
        under, over, drop = (_with_n_t(given, chosen) for given in (fail_under, fail_over, max_drop))
        limits = Limits(under, over, drop, no_document_worse, significant)
        if not (limits.metrics or limits.needs_baseline or baseline):
            raise click.UsageError("no limit given: set one, such as --fail-under B=0.7, or a --baseline")
        people, machine = read_roles(reading, gold, system, names, guard=True)
        settings["metrics"] = replace(chosen, usual=()).metrics
        result = gate_on(people, machine, limits, baseline, update=update, **settings)
    context = click.get_current_context()
    if not result.holds:
        context.meta.pop(UNDERSTOOD, None)  # the missed limit is the line to read
    out.emit(result, "main", *(["documents"] if result.documents_worse else []))
    say_understood()
    if not result.holds:
        echo(f"{result.verdict}{f'; {baseline} is not written' if update else ''}")
        context.exit(1)
    if update:
        say_written(result.system, baseline)


@contextmanager
def _usage() -> Iterator[None]:
    """Turn every other error into a usage error: exit code 1 means a missed limit."""
    try:
        with options.usage((CaesuraError,)):
            yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.UsageError(f"{where}{error.strerror or error}") from None


def _with_n_t(given: Given, chosen: options.Chosen) -> dict[Metric, float]:
    """Return limits by metric, with the given n_t; a repeated limit is refused."""
    metrics = options.Chosen([each for each, _ in given], chosen.n_t).metrics
    limits = dict(zip(metrics, (value for _, value in given), strict=True))
    if len(limits) < len(given):
        raise click.UsageError("the same limit is set twice for one metric")
    return limits
