"""The first screen of the report: large figures, a picture, caveats, next steps.

Nothing is computed here; the sentences are notes of the analyses, selected by kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

from caesura.analyses.coder_agreement.analysis import Agreement
from caesura.analyses.coder_agreement.words import PUBLISHED, is_published
from caesura.analyses.comparison.bounds import CHANCE
from caesura.analyses.comparison.results import Comparison, SegmenterRow
from caesura.analyses.reporting import Report, Worst
from caesura.pages.markup import escaped, key_figures, sentence_list
from caesura.results.table import Interval, Table, show_cell
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.wording import counted, percent, shortened

SHOWN_SEGMENTERS = 9
"""The most segmenters and bounds on the first screen; of more, the best and the last are drawn."""

ROOM_FOR_STRIPS = 5
"""The most rows above a drawing of the worst document."""

PICTURE_LINES = 10
"""The approximate height of a picture in lines of text."""

LONGEST_LINK = 60
"""The most letters of a document's name in a link."""

LINE = 75
"""The letters of a line of text."""

SETTLED = 0.8
"""The agreement from which adjudication is not suggested (Krippendorff 2004)."""


@dataclass(frozen=True)
class Answer:
    """The first screen of a report."""

    report: Report

    def to_html(self) -> str:
        """Return figures, sentences and picture, which the style sheet arranges."""
        first, *others = self.findings
        words = key_figures(list(self._figures())) + f'<p class="lead">{escaped(first)}</p>'
        words += sentence_list(others) if others else ""
        picture, after = _division("picture", self._picture()), self._next() + self._caveats()
        # Next steps and caveats go into the column with more room.
        room = (2 if self._has_both_pictures else 1) * PICTURE_LINES
        is_short = sum(len(line) / LINE + 1 for line in self.findings) < room / 2
        columns = (words + after, picture) if is_short else (words, picture + after)
        return _division("answer", "".join(_division("column", column) for column in columns))

    @cached_property
    def findings(self) -> list[str]:
        """The findings, the most important first."""
        notes = _notes(self._tables, "finding")
        of_coders = _notes([self.report.description.to_table()], "finding")
        if self.report.agreement is not None:
            notes += of_coders
        elif not notes:  # the first: only one coder annotated
            notes = of_coders[:1]
        return list(dict.fromkeys(notes))

    @cached_property
    def small_print(self) -> list[str]:
        """The caveats of the terminal."""
        doubts = [self.report.doubt] if self.report.doubt else []
        notes = [*doubts, *_notes(self._tables, "caveat")]
        # Of "Only 5 documents: …" in two tables, only the first is shown.
        return list({note.partition(":")[0]: note for note in reversed(notes)}.values())[::-1]

    @property
    def is_compared(self) -> bool:
        """Whether segmenters or coders are compared."""
        return self.report.comparison is not None or self.report.agreement is not None

    @property
    def _tables(self) -> list[Table]:
        results = (self.report.comparison, self.report.agreement)
        return [result.to_table() for result in results if result is not None]

    def _figures(self) -> Iterator[tuple[str, str, str]]:
        comparison, best = self.report.comparison, self.report.best
        if comparison is not None and best is not None:
            span = best.interval
            beside = "best segmenter" if len(comparison.machines.coders) > 1 else "the segmenter"
            if span is not None and not math.isnan(span.low):
                beside = f"{beside}, {_interval(span.low, span.high, comparison.confidence)}"
            yield f"{comparison.metric.name} of {best.name}", show_cell(best.value, 3), beside
        result = self.report.agreement
        if result is not None and not math.isnan(result.value):
            beside = "agreement beyond chance"
            if result.interval is not None:
                ends = result.interval.low, result.interval.high
                beside = f"{beside}, {_interval(*ends, result.confidence)}"
            yield result.label, show_cell(result.value, 3), beside
            yield f"observed {result.metric.name}", show_cell(result.observed, 3), f"{result.n_pairs:,} pairs"
        if not self.is_compared:
            sizes = self.report.description.segment_size
            yield "mean segment", show_cell(sizes.mean, 1), f"units ± {sizes.sd:.1f} (SD)"
            yield "segments", f"{sizes.n:,}", f"of {counted(self.report.description.codings, 'coding')}"

    def _caveats(self) -> str:
        if not self.small_print:
            return ""
        return _division("caveats", f"<h3>Caveats</h3>{sentence_list([*map(_sentence, self.small_print)])}")

    def _next(self) -> str:
        items = "".join(f"<li>{item}</li>" for item in self._steps())
        return _division("next", f"<h3>Next</h3><ul>{items}</ul>")

    def _steps(self) -> Iterator[str]:
        """Yield the next steps as markup: links in the page, and commands."""
        report, worst = self.report, self.report.worst
        if worst is not None:
            whose = f"{worst.whose} is farthest off" if worst.whose else "the coders agree least"
            is_one = report.description.documents == 1
            why = "place by place" if is_one else f"where {whose} ({worst_value(worst)})"
            name = escaped(shortened(worst.document, LONGEST_LINK))
            yield f'<a href="{escaped(address(worst))}">Read {name}</a>, {escaped(why)}.'
        if self.report.agreement is not None and self.report.agreement.value < SETTLED:
            yield "Resolve contested boundaries: <code>caesura adjudicate</code> lists the most costly first."
        if not self.is_compared:
            yield "Add a second coder: <code>caesura annotate</code> makes the pages."
            yield "Score segmenters: <code>caesura report</code> with segmenters named."
        elif self.report.description.documents < FEW_DOCUMENTS:
            yield "Annotate more documents: <code>caesura plan</code> says how many."
        if self.report.description.documents > 1:
            views = ", by coder and by metric" if self.is_compared else ""
            yield f'<a href="#documents">All documents</a>{views}.'

    def _picture(self) -> str:
        strips = '<figure id="worst" class="worst"></figure>'
        if self.report.comparison is None:
            return (agreement_scale(self.report.agreement) if self.report.agreement else "") + strips
        return _means(self.report.comparison) + (strips if self._has_both_pictures else "")

    @property
    def _has_both_pictures(self) -> bool:
        """Whether the worst document is drawn below a few segmenters."""
        return self.report.comparison is not None and len(self.report.comparison.ranking) <= ROOM_FOR_STRIPS


def address(worst: Worst) -> str:
    """Return the link to a document in the page."""
    link = f"#doc={quote(worst.document, errors='replace')}"
    return f"{link}&hyp={quote(worst.whose, errors='replace')}" if worst.whose else link


def worst_value(worst: Worst) -> str:
    """Return the metric and its value, as shown."""
    return f"{worst.metric.name} {show_cell(worst.value, 3)}"


def _division(kind: str, content: str) -> str:
    return f'<div class="{kind}">{content}</div>'


def _sentence(note: str) -> str:
    """Return a note with a capital letter, unless its first word is a symbol, and a full stop.

    >>> _sentence("few boundaries: 9"), _sentence("z assumes more.")
    ('Few boundaries: 9.', 'z assumes more.')
    """
    begun = note if note[1:2] == " " else note[:1].upper() + note[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def _notes(tables: Iterable[Table], kind: str) -> list[str]:
    return [note.text for table in tables for note in table.notes if note.kind == kind]


def _interval(low: float, high: float, confidence: float) -> str:
    return f"{percent(confidence)} interval {Interval.of(low, high)}"


# -------------------------------------------------------------------- values on one axis


class Bar(NamedTuple):
    """A row of a picture of values: a dot, a range, or both."""

    kind: str
    """"ours", "bound", or "bound line" with a line across all rows."""
    name: str
    value: float | None
    ends: tuple[float, float] | None = None


def agreement_scale(result: Agreement) -> str:
    """Draw agreement beside the values of random coders and of published studies."""
    if math.isnan(result.value):
        return ""
    span = result.interval
    bars = [Bar("ours", "these coders", result.value, None if span is None else (span.low, span.high))]
    if result.random is not None:
        bars.append(Bar("bound line", "random coders", result.random.mean))
    if is_published(result.metric):
        bars.append(Bar("bound", "published studies", None, PUBLISHED))
    name = result.label
    return _axis(f"{name} from 0 to 1, which is perfect agreement", "coders", name, bars)


def _means(comparison: Comparison) -> str:
    """Draw people, and the segmenters from best to worst."""
    ranking = list(comparison.ranking)
    left_out = len(ranking) - SHOWN_SEGMENTERS
    if left_out > 0:
        ranking = [*ranking[: SHOWN_SEGMENTERS - 1], ranking[-1]]
    rows = [comparison[name] for name in ranking]
    people = [] if comparison.human is None else [comparison.human]
    metric = comparison.metric
    better = "1 is best" if metric.direction == "closest" else f"{metric.direction} is better"
    caption = f"{metric.name} from best to worst ({better}) with intervals over documents"
    return _axis(
        caption,
        "segmenter",
        metric.name,
        [_bar(row, comparison.labels[row.name]) for row in (*people, *rows)],
        left_out,
    )


def _bar(row: SegmenterRow, name: str) -> Bar:
    """Return the row of a segmenter, or of people or chance, whose lines cross all rows."""
    ends = None if row.interval is None else (row.interval.low, row.interval.high)
    if row.kind == "segmenter":
        return Bar("ours", name, row.value, ends)
    if row.kind == "upper bound":
        return Bar("bound line", "people", row.value, ends)
    return Bar("bound line" if name == CHANCE else "bound", name, row.value, ends)


def ticks(low: float, high: float) -> list[float]:
    """Return evenly spaced round numbers from at most low to at least high.

    >>> ticks(0, 1), ticks(-0.07, 1)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.5, 0.0, 0.5, 1.0])
    """
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    return [round(i * step, 9) for i in range(math.floor(low / step), math.ceil(high / step - 1e-9) + 1)]


def _axis(caption: str, subject: str, measure: str, bars: Sequence[Bar], left_out: int = 0) -> str:
    """Draw bars on an axis that includes 0 and 1, as a table that screen readers can read."""
    known = [value for bar in bars for value in (bar.value, *(bar.ends or ())) if value is not None]
    finite = [value for value in known if math.isfinite(value)]
    marks = ticks(min(0.0, *finite), max(1.0, *finite)) if finite else ticks(0, 1)
    lines = [bar.value for bar in bars if bar.kind.endswith("line") and bar.value in finite]
    rows = [_bar_row(bar, marks[0], marks[-1], lines) for bar in bars]
    if left_out > 0:
        rows.insert(-1, f'<tr><td colspan="3" class="more">{left_out:,} more between these</td></tr>')
    return (
        f'<table class="means"><caption>{escaped(caption)}</caption>'
        '<colgroup><col class="name"><col><col class="value"></colgroup>'
        f'<thead class="hidden"><tr><th scope="col">{subject}</th><th scope="col">picture</th>'
        f'<th scope="col">{escaped(measure)}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>"
        '<tfoot aria-hidden="true"><tr><td></td>'
        f"<td>{''.join(f'<span>{mark:g}</span>' for mark in marks)}</td><td></td></tr></tfoot></table>"
    )


def _bar_row(bar: Bar, low: float, high: float, lines: Iterable[float | None]) -> str:
    def along(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}"

    shapes = '<path class="track" d="M0 5H100"/>'
    shapes += "".join(f'<path class="through" d="M{along(x)} 0V10"/>' for x in lines if x is not None)
    if bar.ends is not None and all(map(math.isfinite, bar.ends)):
        shapes += f'<path class="range" d="M{along(bar.ends[0])} 5H{along(bar.ends[1])}"/>'
    if bar.value is not None and math.isfinite(bar.value):
        shapes += f'<path class="dot" d="M{along(bar.value)} 5h0"/>'
    shown = "–".join(f"{end:.2f}" for end in bar.ends or ()) if bar.value is None else show_cell(bar.value, 3)
    return (
        f'<tr class="{bar.kind}"><th scope="row">{escaped(bar.name)}</th>'
        '<td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'{shapes}</svg></td><td class="number">{shown}</td></tr>'
    )
