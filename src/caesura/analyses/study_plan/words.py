"""Plans in words and tables: half-widths by documents and coders, and what was asked for."""

from __future__ import annotations

import math

from caesura.analyses.study_plan.results import Estimate, Of, Plan
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import Presentation, present
from caesura.results.table import Cell, Column, Table
from caesura.wording import counted, percent

FEW_DOCUMENTS = 10
"""A pilot of fewer says little about how much documents differ."""


def shown(estimate: Estimate) -> str:
    """Return a number of documents with its range.

    >>> shown(Estimate(27, 15, 41)), shown(Estimate(math.inf, 2, math.inf))
    ('27 documents (15 to 41)', 'more than ten million documents')
    """
    if math.isinf(estimate.value):
        return "more than ten million documents"
    number = counted(round(estimate.value), "document")
    if estimate.low == estimate.high:
        return number
    high = "many more" if math.isinf(estimate.high) else f"{estimate.high:,.0f}"
    return f"{number} ({estimate.low:,.0f} to {high})"


def conclusions(plan: Plan) -> list[str]:
    """Return sentences that say what is needed for what was asked; for nothing asked, what to expect."""
    found = []
    few, many = plan.coders[0], plan.coders[-1]
    if plan.width is not None:
        ends = [f"{shown(plan.needed['value'][i])} of {c} coders" for i, c in ((0, few), (-1, many))]
        found.append(f"π*_{plan.metric.name} to ± {plan.width:g}: {_or(ends)}.")
    if plan.detect is not None:
        ends = [f"{shown(plan.needed['detect'][i])} of {c} coders" for i, c in ((0, few), (-1, many))]
        found.append(
            f"To find a difference of {plan.detect:g} in {plan.metric.name} between two segmenters (power "
            f"{plan.power:g}, α {plan.alpha:g}): {_or(ends)}."
        )
    if not found:
        n = plan.documents[len(plan.documents) // 2]
        widths = [f"± {plan.half_width(n, c).value:.3f} with {c} coders" for c in dict.fromkeys((few, many))]
        found.append(f"{n} documents: π*_{plan.metric.name} {_or(widths)}.")
    return found


def _or(ends: list[str]) -> str:
    return " or ".join(dict.fromkeys(ends))


def notes(plan: Plan) -> list[Note]:
    """Return what was found, what speaks against it, how to read it, and the signature."""
    said = [finding(sentence) for sentence in conclusions(plan)]
    pilot = f"{plan.n_documents:,} documents of up to {plan.most_coders} coders"
    source = f"The pilot ({pilot}) has π*_{plan.metric.name} {plan.pi:.2f}"
    if plan.stated is not None:
        source = f"The stated rates give π*_{plan.metric.name} {plan.pi:.2f}"
    said.append(
        reading(
            f"{source}, observed {plan.metric.name} {plan.observed:.2f}. Cells are half-widths of the "
            f"{percent(plan.confidence)} interval to expect of that many documents and coders."
        )
    )
    if plan.stated is not None:
        said.append(caveat("real documents differ more than simulated ones: take a pilot when you can"))
        return [*said, signature(plan.signature)]
    if plan.n_documents < FEW_DOCUMENTS:
        said.append(
            caveat(f"a pilot of {plan.n_documents} documents says little about how much others differ")
        )
    if plan.assumed:
        said.append(
            caveat(
                "fewer than five documents of the pilot have four coders: how much more coders help is taken "
                "from simulated ones with its density and errors"
            )
        )
    if plan.needed:
        said.append(reading("In brackets: what 95 % of resamples of the pilot's documents say."))
    return [*said, signature(plan.signature)]


# -------------------------------------------------------------------- in tables


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
