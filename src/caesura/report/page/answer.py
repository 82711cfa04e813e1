"""The first screen of the report: the answer in large figures, one picture, what to mind, what to do next.

Nothing is computed here; the sentences are those of the analyses, chosen by the kind of note.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from caesura.analyses.coder_agreement.coefficients import label
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.analyses.description.results import Description
from caesura.report.page import escaped, key_figures, sentence_list
from caesura.results.table import Table, show_cell
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.wording import percent

SHOWN_SEGMENTERS = 9
"""Of more segmenters and bounds, the first screen draws the best and the last."""

SETTLED = 0.8
"""Agreement from which on no one is told to settle differences (Krippendorff 2004)."""


@dataclass(frozen=True)
class Worst:
    """The document with the lowest value of what the report is about."""

    document: str
    value: str
    """Metric and number, as shown."""
    whose: str
    """A segmenter's name, or "" where people are compared among themselves."""

    @property
    def address(self) -> str:
        """The page's own link to it."""
        link = f"#doc={quote(self.document, errors='replace')}"
        return f"{link}&hyp={quote(self.whose, errors='replace')}" if self.whose else link


@dataclass(frozen=True)
class Answer:
    """What the first screen is made of."""

    comparison: Comparison | None
    agreement: Agreement | None
    at_random: str
    description: Description
    worst: Worst | None

    @property
    def best(self) -> SegmenterRow | None:
        """The segmenter with the best value."""
        return best_segmenter(self.comparison)

    def to_html(self) -> str:
        """Return figures, picture, sentences and what follows; the style sheet puts them side by side."""
        first, *others = self.findings
        head = key_figures(list(self._figures())) + f'<p class="lead">{escaped(first)}</p>'
        words = _division("head", head) + _division("more", sentence_list(others) if others else "")
        beside = _division("picture", self._picture()) + _division("after", self._next() + self._mind())
        return _division("answer", _division("column", words) + _division("column", beside))

    @cached_property
    def findings(self) -> list[str]:
        """What was found, the most important first."""
        found = [*_notes(self._tables, "finding")]
        if self.at_random:
            found.insert(1, self.at_random)
        if self.agreement is not None or not found:
            found += _notes([self.description.to_table()], "finding")
        return list(dict.fromkeys(found))

    @cached_property
    def small_print(self) -> list[str]:
        """What the numbers do not show, as the terminal says it too."""
        return list(dict.fromkeys(_notes(self._tables, "caveat")))

    @property
    def _tables(self) -> list[Table]:
        return [found.to_table() for found in (self.comparison, self.agreement) if found is not None]

    def _figures(self) -> Iterator[tuple[str, str, str]]:
        if self.comparison is not None and self.best is not None:
            found = self.comparison.intervals.get(self.best.name)
            beside = "best segmenter" if len(self.comparison.machines.coders) > 1 else "the segmenter"
            if found is not None and not math.isnan(found.low):
                beside = f"{beside}, {_interval(found.low, found.high, self.comparison.confidence)}"
            name = f"{self.comparison.metric.name} of {self.best.name}"
            yield name, show_cell(self.best.value, 3), beside
        if self.agreement is not None:
            yield from _agreement_figures(self.agreement)

    def _mind(self) -> str:
        if not self.small_print:
            return ""
        return _division("mind", f"<h3>Mind</h3>{sentence_list([*map(_sentence, self.small_print)])}")

    def _next(self) -> str:
        items = "".join(f"<li>{item}</li>" for item in self._steps())
        return _division("next", f"<h3>Next</h3><ul>{items}</ul>")

    def _steps(self) -> Iterator[str]:
        """What to do about it, as markup: links into the page, and commands."""
        if self.worst is not None:
            whose = f"{self.worst.whose} is farthest off" if self.worst.whose else "the coders agree least"
            why = (
                f"where {whose} ({self.worst.value})" if self.description.documents > 1 else "place by place"
            )
            link = f'<a href="{escaped(self.worst.address)}">Read {escaped(self.worst.document)}</a>'
            yield f"{link}, {escaped(why)}."
        if self.agreement is not None and self.agreement.value < SETTLED:
            yield "Settle what differs: <code>caesura adjudicate</code> ranks the places by what they cost."
        if self.description.documents < FEW_DOCUMENTS:
            yield "Code more documents: <code>caesura plan</code> says how many."
        yield '<a href="#documents">All documents</a>, by coder and by metric.'

    def _picture(self) -> str:
        if self.comparison is not None:
            return _means(self.comparison)
        return '<figure id="worst" class="worst"></figure>'


def best_segmenter(comparison: Comparison | None) -> SegmenterRow | None:
    """Return the best of the segmenters that are no bounds."""
    if comparison is None:
        return None
    machines = set(comparison.machines.coders)
    return next((comparison[name] for name in comparison.ranking if name in machines), None)


def _division(kind: str, content: str) -> str:
    return f'<div class="{kind}">{content}</div>'


def _sentence(note: str) -> str:
    """Begin with a capital letter, unless it is a symbol that stands alone."""
    return note if note[1:2] == " " else note[:1].upper() + note[1:]


def _notes(tables: Iterable[Table], kind: str) -> list[str]:
    return [note.text for table in tables for note in table.notes if note.kind == kind]


def _interval(low: float, high: float, confidence: float) -> str:
    return f"{percent(confidence)} from {show_cell(low, 2)} to {show_cell(high, 2)}"


def _agreement_figures(found: Agreement) -> list[tuple[str, str, str]]:
    """Return what stands large at the top: name, value and explanation."""
    if math.isnan(found.value):
        return []
    beside = "agreement beyond chance"
    if found.interval is not None:
        beside = f"{beside}, {_interval(found.interval.low, found.interval.high, found.confidence)}"
    value = (label(found.metric, found.coefficient), show_cell(found.value, 3), beside)
    return [
        value,
        (f"observed {found.metric.name}", show_cell(found.observed, 3), f"{found.n_pairs:,} pairs"),
    ]


# -------------------------------------------------------------------- segmenters from best to worst


def _means(comparison: Comparison) -> str:
    """Draw values and intervals, a row each: a table, so that it can be read without seeing it."""
    names = list(comparison.ranking)
    left_out = len(names) - SHOWN_SEGMENTERS
    if left_out > 0:
        names = [*names[: SHOWN_SEGMENTERS - 1], names[-1]]
    ends = [end for name in names for end in _ends(comparison, name)]
    low, high = min(0.0, *ends), max(1.0, *ends) if max(ends) > 0.5 else max(ends)
    rows = [_mean_row(comparison, name, low, high or 1.0) for name in names]
    if left_out > 0:
        rows.insert(-1, f'<tr><td colspan="3" class="more">{left_out:,} more between these</td></tr>')
    metric = comparison.metric
    better = {"higher": "higher is better", "lower": "lower is better", "closest": "1 is best"}[
        metric.direction
    ]
    caption = f"{metric.name} from best to worst ({better}) with intervals over documents"
    return (
        f'<table class="means"><caption>{escaped(caption)}</caption>'
        '<colgroup><col class="name"><col><col class="value"></colgroup>'
        '<thead class="hidden"><tr><th scope="col">segmenter</th><th scope="col">picture</th>'
        f'<th scope="col">{escaped(metric.name)}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _ends(comparison: Comparison, name: str) -> list[float]:
    found = comparison.intervals.get(name)
    ends = [comparison[name].value] if found is None else [comparison[name].value, found.low, found.high]
    return [end for end in ends if math.isfinite(end)]


def _mean_row(comparison: Comparison, name: str, low: float, high: float) -> str:
    row = comparison[name]
    kind = "ours" if row.kind == "segmenter" else "bound"

    def place(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}"

    shapes = '<path class="track" d="M0 5H100"/>'
    ends = _ends(comparison, name)
    if len(ends) == 3:
        shapes += f'<path class="range" d="M{place(ends[1])} 5H{place(ends[2])}"/>'
    if ends:
        shapes += f'<path class="dot" d="M{place(ends[0])} 5h0"/>'
    return (
        f'<tr class="{kind}"><th scope="row">{escaped(name)}</th>'
        '<td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'{shapes}</svg></td><td class="number">{show_cell(row.value, 3)}</td></tr>'
    )
