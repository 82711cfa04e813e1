"""strips(): the segmentations of a document, one below the other, with the edits between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from caesura.alignment.alignment import Alignment, align
from caesura.analyses.comparison.bounds import central_coder
from caesura.analyses.segmenting import check_texts
from caesura.analyses.thresholds import Gaps
from caesura.checks import N_T
from caesura.errors import CorpusError, ParameterError
from caesura.figures import drawing
from caesura.figures.drawing import EDITS, SUBSTITUTED, WIDTH, Chart, Lengths, Row
from caesura.figures.theme import TEXT, alt
from caesura.metrics.base import signature_of
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import get_segmenter
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

Scores: TypeAlias = Mapping[str, Sequence[float]] | Segmenter | str

LEAST_HEIGHT = 0.3
"""The height of the lowest rank, as a share of the highest's."""


class Strip(NamedTuple):
    """A row: the coder, the segmentation, and its alignment with the reference (None for the reference)."""

    coder: str
    segmentation: Segmentation
    alignment: Alignment | None


class Profile(NamedTuple):
    """The scores of a document's gaps, and the name of their source."""

    name: str
    gaps: Gaps

    @classmethod
    def of(cls, alone: Corpus, scores: Scores) -> Profile:
        name = "the model" if isinstance(scores, Mapping) else str(get_segmenter(scores))
        return cls(name, Gaps.of(alone, scores_of(alone, scores), None))

    def chart(self, rows: Sequence[Strip], x: Any) -> Any:
        """Draw the scores as an area, and a line at each boundary, darker for more coders."""
        marked = Counter(at for row in rows for at in set(row.segmentation.positions))
        points = zip(self.gaps.position.tolist(), self.gaps.scores.tolist(), strict=True)
        area = drawing.chart({"position": at, "score": score} for at, score in points)
        line = drawing.chart({"position": at, "n": n, "share": n / len(rows)} for at, n in marked.items())
        y = alt.Y("score:Q", title="score").axis(tickCount=3)
        x = x.axis(labels=False, ticks=False, title=None, grid=False)
        shade = alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.1, 1]))
        return alt.layer(
            line.mark_rule(strokeWidth=1.5).encode(x=x, opacity=shade, tooltip=["position:Q", "n:Q"]),
            area.mark_area(opacity=0.35, line={"strokeWidth": 1.5}).encode(
                x=x, y=y, tooltip=drawing.tooltip("position:Q", numbers=["score"])
            ),
        )


def strips(
    codings: Corpus | Alignment,
    document: str | None = None,
    *,
    reference: str | None = None,
    n_t: int | str = N_T,
    scores: Scores | None = None,
    width: int = WIDTH,
) -> Chart:
    """Draw all segmentations of a document, with the differences from the reference.

    ``reference`` is a coder; default: the most central coder (greatest B against the others). An Alignment is
    drawn as reference and hypothesis. Each type has a lane; ranks of a hierarchy differ in height, the most
    prominent the highest.

    ``scores``, of each document or by a segmenter such as ``"TextTiling"``, are drawn above the boundaries,
    gap by gap (F13t figures 2.1 to 2.3).
    """
    if isinstance(codings, Alignment):
        rows = [Strip("reference", codings.reference, None), Strip("hypothesis", codings.hypothesis, codings)]
        return _draw(rows, None, "Two segmentations", "", _metric_of(codings), width, Lengths())
    document = document_of(codings, document)
    alone = codings.select(documents=[document])
    metric = metric_for(codings.type_scheme, "B", n_t, step=alone.step)
    assert isinstance(metric, B)  # with another n_t and types
    coded = codings[document]
    chosen = reference
    if chosen is None:
        chosen = central_coder(alone, metric) if len(coded) > 1 else next(iter(coded))
    base = codings[document, chosen]
    rows = [Strip(chosen, base, None)]
    for coder, segmentation in coded.items():
        if coder != chosen:
            alignment = align(
                base, segmentation, n_t=metric.n_t, substitution=metric.substitution, types=metric.types
            )
            rows.append(Strip(coder, segmentation, alignment))
    why = f"against {chosen}" + (", the most central coder" if reference is None and len(coded) > 1 else "")
    above = None if scores is None else Profile.of(alone, scores)
    lengths = Lengths.of(alone, document)
    return _draw(rows, codings.type_scheme, document, why, metric, width, lengths, above)


def _metric_of(alignment: Alignment) -> B:
    names = ("transposition", "substitution", "w0", "types")
    weights = {name: getattr(alignment.weights, name) for name in names}
    return B(n_t=alignment.n_t, method=alignment.method, **weights)


def _draw(
    rows: Sequence[Strip],
    scheme: TypeScheme | None,
    name: str,
    why: str,
    metric: B,
    width: int,
    lengths: Lengths,
    profile: Profile | None = None,
) -> Chart:
    n_units = rows[0].segmentation.n_units
    n_boundaries = sum(row.segmentation.n_boundaries for row in rows)
    ranked = scheme is not None and scheme.ranks
    types = sorted({kind for row in rows for kind in row.segmentation.types})
    lanes = len(types) > 1 and not ranked
    n_rows = len(rows) * (len(types) if lanes else 1)
    drawing.check_size(name, n_rows, n_boundaries + (n_units if profile is not None else 0))
    step = drawing.row_step(n_rows, largest=34 if not lanes else 24)
    look = _Look(scheme, types, step, ranked, lanes)
    marks, links = look.marks(rows)

    names = [look.row(row.coder, kind) for row in rows for kind in (types if lanes else [0])]
    y = drawing.name_axis(
        "Y", "row", names, domain=False, ticks=False, labelPadding=8, labelFontSize=min(TEXT, step)
    )
    y = y.scale(paddingInner=0.15, paddingOuter=0.1, domain=drawing.names(names))
    x = drawing.number_axis(
        "X", "position", f"{lengths.name}s" if lengths.step is None else "time", [0, n_units]
    )
    x = x.axis(grid=False, **lengths.axis(n_units))
    every = [*EDITS, look.substituted]
    encoding = drawing.edit_colors(
        "state", every, [state for state in every if any(mark["state"] == state for mark in marks)], {}
    )
    color = encoding["color"]
    tooltip = drawing.tooltip("coder:N", "position:Q", "state:N", "type:N")

    def chart_of(rows: Iterable[Row]) -> Any:
        return drawing.chart(rows).encode(y=y)

    own = chart_of(mark for mark in marks if mark["state"] == "reference")
    ticks = chart_of(mark for mark in marks if mark["state"] not in ("reference", "missed"))
    signs = chart_of(mark for mark in marks if mark["state"] != "reference")
    base = chart_of({"row": name, "start": 0, "end": n_units} for name in names).mark_rule(opacity=0.5)
    reference = own.mark_tick(thickness=3, style="ink", orient="vertical", opacity=1)
    boundary = ticks.mark_tick(thickness=2, orient="vertical", opacity=1)
    sign = signs.mark_point(size=_sign_size(width, rows), filled=True, opacity=1)
    size = alt.Size("height:Q", scale=None, legend=None)
    layers = [
        base.encode(x="start:Q", x2="end:Q"),
        chart_of(links).mark_rule(strokeWidth=3).encode(x="position:Q", x2="other:Q", color=color),
        reference.encode(x=x, size=size, tooltip=tooltip),
        boundary.encode(x=x, size=size, color=color, tooltip=tooltip),
        sign.encode(x=x, **encoding, tooltip=tooltip),
    ]
    wrong = [mark for mark in marks if mark["state"] == look.substituted]
    if wrong and lanes:
        across = chart_of(wrong).mark_rule(strokeWidth=2, strokeDash=[2, 2])
        layers.append(across.encode(y2="other row:N", x=x, color=color))
    elif wrong and _sign_size(width, rows) > 40:  # where there is room
        label = chart_of(wrong).mark_text(align="left", dx=6, dy=-8, fontSize=9)
        layers.append(label.encode(x=x, text="label:N"))
    scores = [
        {"row": look.row(row.coder, (types or [0])[0]), "end": n_units,
         "label": f"B {float(metric(rows[0].segmentation, row.segmentation)):.2f}"}
        for row in rows[1:]
    ]  # fmt: skip
    if scores:
        value = chart_of(scores).mark_text(align="left", dx=8, fontSize=min(TEXT, step))
        layers.append(value.encode(x="end:Q", text="label:N"))
    heading, explanation = _words(rows, name, why, metric, look, lengths)
    signature = signature_of(metric)
    if profile is not None:
        explanation += f" Above: the score of each gap by {profile.name}, and all marked positions."
        signature += f"\nscores={profile.name}"
    return drawing.framed(
        *layers,
        above=None if profile is None else profile.chart(rows, x),
        title=heading,
        subtitle=explanation,
        signature=signature,
        width=width,
        step=step,
    )


def _sign_size(width: int, rows: Sequence[Strip]) -> int:
    """Return the size of signs, which is smaller for many boundaries."""
    most = max(row.segmentation.n_boundaries for row in rows)
    return 48 if most < width / 14 else 10 if most < width / 4 else 4


class _Look(NamedTuple):
    """The row and height of each mark."""

    scheme: TypeScheme | None
    types: Sequence[int]
    step: float
    ranked: bool
    lanes: bool

    @property
    def substituted(self) -> str:
        return SUBSTITUTED[self.ranked][0]

    def type_name(self, kind: int) -> str:
        return str(self.scheme.names[kind]) if self.scheme is not None else str(kind)

    def row(self, coder: str, kind: int) -> str:
        return f"{coder} · {self.type_name(kind)}" if self.lanes else coder

    def mark(self, coder: str, position: int, kind: int, state: str) -> dict[str, Any]:
        depth = self.types.index(kind) / max(1, len(self.types) - 1) if self.ranked else 0.0
        height = 0.85 * self.step * (1 - (1 - LEAST_HEIGHT) * depth)
        return {"coder": coder, "row": self.row(coder, kind), "position": position, "state": state,
                "type": self.type_name(kind), "height": height}  # fmt: skip

    def marks(self, rows: Sequence[Strip]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return every boundary with its state, and the links of near misses."""
        marks: list[dict[str, Any]] = []
        links: list[dict[str, Any]] = []
        for coder, segmentation, alignment in rows:
            if alignment is None:
                marks += [self.mark(coder, at, kind, "reference") for at, kind in segmentation.boundaries]
                continue
            marks += [self.mark(coder, *match, "match") for match in alignment.matches]
            marks += [self.mark(coder, edit.position, edit.type, "missed") for edit in alignment.missed]
            marks += [self.mark(coder, edit.position, edit.type, "spurious") for edit in alignment.spurious]
            for edit in alignment.substitutions:
                mark = self.mark(coder, edit.position, edit.hypothesis_type, self.substituted)
                label = f"{edit.hypothesis_type}, not {edit.reference_type}"
                marks.append({**mark, "other row": self.row(coder, edit.reference_type), "label": label})
            for near in alignment.transpositions:
                marks.append(self.mark(coder, near.hypothesis_position, near.type, "near miss"))
                links.append({**marks[-1], "other": near.reference_position})
        return marks, links


def _words(
    rows: Sequence[Strip], name: str, why: str, metric: B, look: _Look, lengths: Lengths
) -> tuple[str, str]:
    """Return the title and the explanation."""
    base, alignments = rows[0].segmentation, [row.alignment for row in rows if row.alignment is not None]
    units = lengths.counted(base.n_units)
    n_boundaries = sum(row.segmentation.n_boundaries for row in rows)
    if not alignments:
        return f"{name}: {counted(n_boundaries, 'boundary', 'boundaries')} by one coder", units
    if not n_boundaries:
        return f"{name}: no boundaries", f"{counted(len(rows), 'coder')}, {units}"
    kinds = (("matched", "matches"), ("near-missed", "transpositions"), ("missed",) * 2, ("spurious",) * 2)
    sums = {word: sum(len(getattr(each, edits)) for each in alignments) for word, edits in kinds}
    n_substituted = sum(len(each.substitutions) for each in alignments)
    if n_substituted:
        sums[SUBSTITUTED[look.ranked][1]] = n_substituted
    parts = ", ".join(f"{n:,} {state}" for state, n in sums.items())
    scores = [float(metric(base, row.segmentation)) for row in rows[1:]]
    span = f"B {scores[0]:.2f}" if len(scores) == 1 else f"B from {min(scores):.2f} to {max(scores):.2f}"
    extra = " Each type has its row; dashed: the type of the reference." if look.lanes else ""
    if look.ranked:
        levels = "; 2, not 1: this coder's level, and the reference's" if n_substituted else ""
        extra = f" The higher, the more prominent{levels}."
    n_t = lengths.shown(metric.n_t)
    explained = (
        f"{len(rows)} codings of {units}, the reference on top; near misses (n_t={n_t}) are linked to the "
        f"reference's position; missed: only the reference has it, spurious: only this coder.{extra}"
    )
    return f"{name}{', ' + why if why else ''}: {parts}; {span}", explained


def document_of(corpus: Corpus, document: str | None) -> str:
    """Return the named document, or the only one."""
    if document is not None:
        corpus[document]  # raises an error with a hint for an unknown name
        return document
    if len(corpus.documents) == 1:
        return corpus.documents[0]
    if not corpus.documents:
        raise CorpusError("the corpus has no documents")
    raise ParameterError(f"this figure needs document= from {listed(corpus.documents, most=5)}")


def scores_of(corpus: Corpus, scores: Scores) -> Mapping[str, Sequence[float]]:
    """Return the scores of the documents of a corpus: the given ones, or those of a segmenter."""
    if isinstance(scores, Mapping):
        return {name: own for name, own in scores.items() if name in corpus.document_numbers}
    check_texts(corpus)
    chosen = get_segmenter(scores)
    return {name: chosen.scores(corpus.units[name]).tolist() for name in corpus.documents}
