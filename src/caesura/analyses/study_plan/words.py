"""Present a plan in words and tables: half-widths by documents and coders, and the documents needed."""

from __future__ import annotations

import math

from caesura.analyses.study_plan.analysis import Estimate, Of, Plan
from caesura.results.notes import Note, caveat, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Column, Table
from caesura.wording import counted, percent

FEW_DOCUMENTS = 10
"""With fewer documents, a pilot says little about their variation."""


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
    """Return the documents needed for the targets, or without targets the half-width to expect."""
    ends, coders = (0, -1), plan.coders
    needed = {
        name: " or ".join(dict.fromkeys(f"{shown(row[i])} of {coders[i]} coders" for i in ends))
        for name, row in plan.needed.items()
    }
    sentences = []
    if plan.width is not None:
        sentences.append(f"To estimate π*_{plan.metric.name} to ± {plan.width:g} you need {needed['value']}.")
    if plan.detect is not None:
        sentences.append(
            f"To detect a difference of {plan.detect:g} in {plan.metric.name} between two segmenters (power "
            f"{plan.power:g}, α {plan.alpha:g}) you need {needed['detect']}."
        )
    if not sentences:
        n = plan.documents[len(plan.documents) // 2]
        widths = (f"± {plan.half_width(n, coders[i]).value:.3f} with {coders[i]} coders" for i in ends)
        sentences.append(
            f"With {n} documents expect π*_{plan.metric.name} {' or '.join(dict.fromkeys(widths))}."
        )
    return sentences


def notes(plan: Plan) -> list[Note]:
    """Return findings, caveats, how to read the table, and the signature."""
    name = f"π*_{plan.metric.name} {plan.pi:.2f}"
    pilot = f"{plan.n_documents:,} documents of up to {plan.most_coders} coders"
    source = f"The pilot ({pilot}) has {name}" if plan.stated is None else f"The stated rates give {name}"
    about = (
        f"{source}, observed {plan.metric.name} {plan.observed:.2f}. Cells are expected half-widths of the "
        f"{percent(plan.confidence)} interval with that many documents and coders."
    )
    few = f"Only {plan.n_documents} documents in the pilot: how much documents vary is uncertain."
    assumed = (
        "Fewer than five documents of the pilot have four coders: the gain from further coders is "
        "simulated with the pilot's density and errors."
    )
    beside = [caveat("Real documents vary more than simulated ones: use a pilot if you can.")]
    if plan.stated is None:
        beside = [caveat(few)] if plan.n_documents < FEW_DOCUMENTS else []
        beside += [caveat(assumed)] if plan.assumed else []
        if plan.needed:
            beside.append(reading("In brackets: the range of 95 % of resamples of the pilot's documents."))
    return [*map(finding, conclusions(plan)), reading(about), *beside, signature(plan.signature)]


# -------------------------------------------------------------------- in tables


def plan_table(plan: Plan, of: Of = "value") -> Table:
    """Return half-widths, documents × coders, and below them the documents needed for the targets."""
    columns = [Column("documents"), *(Column(f"{c} coders", 3) for c in plan.coders)]
    rows: list[list[Cell]] = [
        [n, *(estimate.value for estimate in row)]
        for n, row in zip(plan.documents, plan.half_widths[of], strict=True)
    ]
    totals: list[list[Cell]] = [
        [name, *(_number(estimate.value) for estimate in plan.needed[key])]
        for key, name in wanted(plan).items()
        if key in (of, "detect")
    ]
    title = f"half-width of {names(plan)[of]}, ±"
    return Table(title, columns, rows, totals=totals, notes=notes(plan))


def needed_table(plan: Plan) -> Table:
    """Return the documents needed for the targets, with their ranges, by coders."""
    rows: list[list[Cell]] = [
        [name, c, *map(_number, estimate)]
        for key, name in wanted(plan).items()
        for c, estimate in zip(plan.coders, plan.needed[key], strict=True)
    ]
    columns = ("for", "coders", "documents", "low", "high")
    return Table.under(columns, rows, notes(plan), "documents needed", digits=0)


def names(plan: Plan) -> dict[str, str]:
    """Return the names of the two values."""
    return {"value": f"π*_{plan.metric.name}", "observed": f"observed {plan.metric.name}"}


def wanted(plan: Plan) -> dict[str, str]:
    """Return a short description of each target."""
    wanted = {of: f"for ± {plan.width:g} of {name}" for of, name in names(plan).items() if of in plan.needed}
    if "detect" in plan.needed:
        wanted["detect"] = f"to detect {plan.detect:g} of {plan.metric.name}"
    return wanted


def _number(value: float) -> Cell:
    return None if math.isinf(value) else round(value)


present(
    Plan,
    notes=notes,
    words=lambda plan: {"conclusions": conclusions(plan)},
    main=plan_table,
    observed=lambda plan: plan_table(plan, "observed"),
    needed=needed_table,
)
