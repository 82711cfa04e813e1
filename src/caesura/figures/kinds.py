"""Kinds of figures: for each, the analysis of a corpus and the function that draws the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from caesura.analyses.coder_agreement.analysis import Agreement, agreement
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.analysis import Description, describe
from caesura.analyses.level_errors import HierarchicalError, hierarchical_window_diff
from caesura.analyses.study_plan import Plan, plan
from caesura.analyses.thresholds import Sweep, sweep
from caesura.analyses.type_confusion import type_confusion
from caesura.checks import N_T
from caesura.declaration import Registry
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean, naming
from caesura.figures import description, edit_bar, interval, line, matrix, scatter
from caesura.figures.drawing import WIDTH, Chart
from caesura.figures.layout import Layout
from caesura.figures.strip import Scores, document_of, scores_of, strips
from caesura.io.files import Source
from caesura.metrics.base import Metric
from caesura.metrics.registry import get_metric, metric_for, reach_of
from caesura.papers.recompute import SEED
from caesura.papers.reproduction import series
from caesura.papers.results import Series
from caesura.values.corpus import Corpus
from caesura.wording import listed, short

LARGEST = 15
"""F13t's largest n_t."""


@dataclass(frozen=True)
class Options:
    """The options of a figure; each kind uses some of them."""

    document: str | None = None
    segmenters: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    metric: Metric | str = "B"
    n_t: int | str | None = None
    resamples: int = 999
    seed: int | None = None
    """None: 0, or the seed of a reproduction."""
    width: int | str = WIDTH
    font: str | None = None
    font_size: float | None = None
    title: bool = True
    signature: bool = True
    """The last five are those of ``Layout``."""
    papers: str | None = None
    """Folder with the data of the papers, for reproductions."""
    scores: Scores | None = None
    """A model's scores of each document, by gap or unit start; or the segmenter that gives them."""

    def draw(self, figure: Callable[..., Chart], *results: Any, **settings: Any) -> Chart:
        """Return the chart that a function draws of results, in the chosen layout."""
        layout = Layout(self.width, self.font, self.font_size, self.title, self.signature)
        return layout.draw(figure, *results, **settings)


@dataclass(frozen=True)
class Figure:
    """A kind of figure: its name, what it shows, and the function that makes it."""

    kind: str
    summary: str
    make: Callable[[Any, Options], Chart]
    """Takes a corpus, or a name, and the options."""
    uses: tuple[str, ...] = ()
    """The fields of ``Options`` that it uses, besides document and layout."""
    takes_name: bool = False
    """Whether it is made from a name, such as that of a published figure, instead of a corpus."""


def drawn(
    kind: str, summary: str, draw: Callable[..., Chart], *analyses: Callable[..., Any],
    takes_name: bool = False, **settings: Any,
) -> Figure:  # fmt: skip
    """Return the kind of figure that draws the result of an analysis of a corpus, or of a name.

    An analysis takes the corpus, then the fields of ``Options`` that it uses, by name. Of two analyses, the
    first is used if segmenters are named, the second if not.
    """
    known = Options.__dataclass_fields__
    uses = [[name for name in signature(analyze).parameters if name in known] for analyze in analyses]

    def make(data: Any, options: Options) -> Chart:
        number = 0 if options.segmenters else -1
        chosen = {name: getattr(options, name) for name in uses[number]}
        return options.draw(draw, analyses[number](data, **chosen), **settings)

    used = dict.fromkeys(name for names in uses for name in names if name != "document")
    return Figure(kind, summary, make, tuple(used), takes_name)


# -------------------------------------------------------------------- results of a corpus


def _strips(corpus: Corpus, options: Options) -> Chart:
    if len(options.references) > 1:
        raise ParameterError("strips compare with one reference: name one coder as references=")
    reference = options.references[0] if options.references else None
    n_t = N_T if options.n_t is None else options.n_t
    document = document_of(corpus, options.document)
    return options.draw(strips, corpus, document, reference=reference, n_t=n_t, scores=options.scores)


def _comparison(
    corpus: Corpus,
    segmenters: Sequence[str],
    references: Sequence[str],
    metric: Metric | str,
    n_t: int | str | None,
    resamples: int,
    seed: int | None,
) -> Comparison:
    if not corpus.documents:
        raise CorpusError("the corpus has no documents")
    if not segmenters:
        raise ParameterError(f"this figure needs segmenters= from {listed(corpus.coders)}")
    return compare(
        corpus,
        segmenters=segmenters,
        references=references or None,
        metric=metric_for(None, metric, n_t, step=corpus.step),
        n_resamples=resamples,
        rng=seed or 0,
    )


def _agreement(
    corpus: Corpus, metric: Metric | str, n_t: int | str | None, resamples: int, seed: int | None
) -> Agreement:
    return agreement(corpus, metric=metric, n_t=n_t, n_resamples=resamples, rng=seed or 0)


def _matrices(corpus: Corpus, metric: Metric | str, n_t: int | str | None) -> list[CoderMatrix]:
    chosen = get_metric(metric)
    beside = [name for name in ("S", "WD") if name != chosen.name] if chosen.high == 1 else []
    return [
        coder_matrix(corpus, chosen, n_t=n_t),
        *(coder_matrix(corpus, name, n_t=n_t if name == "S" else None) for name in beside),
    ]


def _description(corpus: Corpus) -> Description:
    return describe(corpus, sweep=())


def _edits(corpus: Corpus, n_t: int | str | None) -> Description:
    return describe(corpus, n_t=N_T if n_t is None else n_t, sweep=())


def _by_n_t(corpus: Corpus, n_t: int | str | None) -> Description:
    largest = LARGEST if n_t is None else max(3, reach_of(n_t, corpus.step))
    return describe(corpus, sweep=range(2, largest + 1))


def _errors(
    corpus: Corpus, document: str | None, references: Sequence[str], segmenters: Sequence[str]
) -> dict[str, HierarchicalError]:
    coded = corpus[document := document_of(corpus, document)]
    if len(coded) < 2:
        raise CorpusError(f"document {document} has one coding; levels need a reference and a hypothesis")
    if len(references) != 1:
        raise ParameterError(f"levels need one reference: name a coder as references= ({listed(coded)})")
    reference = corpus[document, references[0]]
    names = segmenters or [coder for coder in coded if coder != references[0]]
    return {name: hierarchical_window_diff(reference, corpus[document, name]) for name in names}


def _sweep(
    corpus: Corpus,
    references: Sequence[str],
    metric: Metric | str,
    n_t: int | str | None,
    seed: int | None,
    scores: Scores | None,
) -> Sweep:
    if scores is None:
        raise ParameterError("this figure needs scores: name a file of them by scores=, or a segmenter")
    metric = metric_for(None, metric, n_t, step=corpus.step)
    corpus = corpus.select(coders=references or None)
    return sweep(corpus, scores_of(corpus, scores), metric, rng=seed or 0)


def _plan(corpus: Corpus, metric: Metric | str, n_t: int | str | None, seed: int | None) -> Plan:
    return plan(corpus, metric=metric, n_t=n_t, n_resamples=0, rng=seed or 0)


def _series(name: str, seed: int | None, papers: str | None) -> Series:
    return series(name, data=papers, rng=SEED if seed is None else seed)


def _saved_chunks(path: str) -> dict[str, Any]:
    """Read what ``caesura chunks`` writes as JSON."""
    with naming(path):
        data = Source(Path(path), Path(path).stem).json
        if not isinstance(data, dict) or not {"metric", "chunkings", "questions"} <= data.keys():
            raise CorpusError("expected the JSON that `caesura chunks` writes")
    return data


# -------------------------------------------------------------------- all kinds

KINDS = (
    Figure("strips", "the segmentations of one document, with edits against a reference",
           _strips, uses=("references", "n_t", "scores")),
    drawn("heat-map", "a metric between every two coders", matrix.heat_map, coder_matrix),
    drawn("pair-values", "box plots of a metric, of S and of 1 − WD between every two codings",
          matrix.pair_values, _matrices),
    drawn("document-heat-map", "a metric by document and coder, of coders or of a segmenter",
          matrix.document_heat_map, _comparison, coder_matrix),
    drawn("document-heat-map-pooled", "a metric by document and coder, of all segmenters together",
          matrix.document_heat_map, _comparison, pooled=True),
    drawn("post-hoc", "which segmenters differ: every two of them with difference and p",
          matrix.post_hoc, _comparison),
    drawn("type-confusion", "which types of boundaries, or ranks, are taken for which",
          matrix.type_confusion, type_confusion),
    drawn("agreement", "agreement of all coders and of each group of them with its interval",
          interval.agreement, _agreement),
    drawn("means", "each segmenter's mean with its interval, between lower and upper bounds",
          interval.means, _comparison, by=None),
    drawn("means-by-metric", "each segmenter's mean over codings, by several metrics",
          interval.means, _comparison, by="metric"),
    drawn("means-by-coder", "each segmenter's mean against each coder",
          interval.means, _comparison, by="coder"),
    drawn("means-by-document", "each segmenter's mean on each document",
          interval.means, _comparison, by="document"),
    drawn("means-by-coder-pooled", "the mean of all segmenters together against each coder",
          interval.means, _comparison, by="coder", pooled=True),
    drawn("means-by-document-pooled", "the mean of all segmenters together on each document",
          interval.means, _comparison, by="document", pooled=True),
    drawn("boundaries", "boundaries per position of each coder, with mean and SD",
          description.boundaries, _description),
    drawn("segment-sizes", "histogram of segment sizes over all codings",
          description.segment_sizes, _description),
    drawn("segment-sizes-by-document", "box plots of segment sizes, by document",
          description.segment_sizes, _description, by="document"),
    drawn("document-sizes", "size of each document, with mean and SD",
          description.document_sizes, _description),
    drawn("granularity", "how much of each coder's differences is finer or coarser division or conflict",
          description.granularity, _edits),
    drawn("segment-counts", "box plots of segments per coding, by document",
          description.segment_counts, _description),
    drawn("support", "how many coders support the marked positions", description.support, _description),
    drawn("sweep", "edits between coders for each n_t up to 15, or up to the one given",
          description.sweep, _by_n_t),
    drawn("spans", "distances of near misses between coders", description.spans, _by_n_t),
    drawn("edits", "matches and edits by kind, of segmenters or between coders",
          edit_bar.edit_bars, _comparison, _edits),
    drawn("precision-recall", "B-precision against B-recall of segmenters, over lines of equal F",
          scatter.precision_recall, _comparison),
    drawn("half-widths", "expected interval half-width by number of documents, for 2 to 7 coders",
          line.half_widths, _plan),
    drawn("levels", "hierarchical error (E_WD) level by level, against a reference", line.levels, _errors),
    drawn("thresholds", "a metric against the threshold of a model's scores, the best one and held out",
          line.thresholds, _sweep),
    drawn("reproduction", "a paper's figure recomputed; DATA is its name, such as 'F13t figure 5.25, B'",
          line.curves, _series, takes_name=True),
    drawn("trade-off", "sizes of chunks against the evidence in them; DATA is JSON of `caesura chunks`",
          scatter.trade_off, _saved_chunks, takes_name=True),
)  # fmt: skip


def _name_of(figure: Figure) -> str:
    if not isinstance(figure, Figure):
        raise ParameterError(f"{short(figure)} is not a figure: expected a caesura.figures.Figure")
    return figure.kind


FIGURES: Registry[Figure] = Registry("figure", {figure.kind: figure for figure in KINDS}, _name_of)


def named_figure(kind: str) -> Figure:
    """Return a kind of figure by its name."""
    if kind not in FIGURES:
        raise UnknownNameError(f"unknown figure {kind!r}; {did_you_mean(kind, FIGURES)}")
    return FIGURES[kind]
