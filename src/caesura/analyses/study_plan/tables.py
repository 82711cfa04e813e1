"""Plans in tables: half-widths by documents and coders, and below what was asked for."""

from __future__ import annotations

import math

from caesura.analyses.study_plan.results import Of, Plan
from caesura.analyses.study_plan.sentences import conclusions, notes
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table


def plan_table(plan: Plan, of: Of = "value") -> Table:
    """Return half-widths, documents × coders; below, the documents that were asked for."""
    columns = [Column("documents"), *(Column(f"{c} coders", 3) for c in plan.coders)]
    rows: list[list[Cell]] = [
        [n, *(one.value for one in row)] for n, row in zip(plan.documents, plan.half_widths[of], strict=True)
    ]
    totals: list[list[Cell]] = [
        [name, *(_number(one.value) for one in plan.needed[key])]
        for key, name in asked(plan).items()
        if key in (of, "detect")
    ]
    title = f"half-width of {names(plan)[of]}, ±"
    return Table(title, columns, rows, totals=totals, notes=notes(plan))


def needed_table(plan: Plan) -> Table:
    """Return the documents that were asked for, with their ranges, by coders."""
    columns = ["for", "coders", "documents", "low", "high"]
    rows: list[list[Cell]] = [
        [name, c, *map(_number, one)]
        for key, name in asked(plan).items()
        for c, one in zip(plan.coders, plan.needed[key], strict=True)
    ]
    return Table("documents needed", [Column(name, 0) for name in columns], rows, notes=notes(plan))


def names(plan: Plan) -> dict[str, str]:
    """Return what the two values are called."""
    return {"value": f"π*_{plan.metric.name}", "observed": f"observed {plan.metric.name}"}


def asked(plan: Plan) -> dict[str, str]:
    """Return what was asked for, in a few words each."""
    found = {of: f"for ± {plan.width:g} of {name}" for of, name in names(plan).items() if of in plan.needed}
    if "detect" in plan.needed:
        found["detect"] = f"to find {plan.detect:g} of {plan.metric.name}"
    return found


def _number(value: float) -> Cell:
    return None if math.isinf(value) else round(value)


present(
    Plan,
    Presentation(
        tables={
            "main": plan_table,
            "observed": lambda plan: plan_table(plan, "observed"),
            "needed": needed_table,
        },
        notes=notes,
        words=lambda plan: {"conclusions": conclusions(plan)},
    ),
)
