"""Figure: one kind of figure, what it shows, and how it is made from a corpus; and what a caller chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeAlias

from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.analysis import describe
from caesura.analyses.description.results import Description
from caesura.analyses.segmenting import check_texts
from caesura.checks import N_T
from caesura.errors import CorpusError, ParameterError
from caesura.figures.drawing import WIDTH, Chart
from caesura.figures.layout import Layout
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import get_segmenter
from caesura.values.corpus import Corpus
from caesura.wording import listed

Scores: TypeAlias = Mapping[str, Sequence[float]] | Segmenter | str


@dataclass(frozen=True)
class Options:
    """What can be chosen when a figure is made from a corpus; each kind takes what it needs."""

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
    """Folder of the papers' data, for reproductions."""
    scores: Scores | None = None
    """A model's scores of each document, by gap or unit start; or the segmenter that gives them."""

    def draw(self, figure: Callable[..., Chart], *results: Any, **settings: Any) -> Chart:
        """Return what a figure's function draws of results, in the layout that was chosen."""
        layout = Layout(self.width, self.font, self.font_size, self.title, self.signature)
        return layout.draw(figure, *results, **settings)


@dataclass(frozen=True)
class Figure:
    """A kind of figure: its name, a line on what it shows, and what it is made from."""

    kind: str
    summary: str
    make: Callable[[Any, Options], Chart]
    """Takes a corpus, or a name, and what was chosen."""
    uses: tuple[str, ...] = ()
    """Which of ``Options`` change it; the document and the layout always do."""
    takes_name: bool = False
    """Whether it is made from the name of something that caesura computes, not from a corpus."""


def drawn(
    kind: str,
    summary: str,
    draw: Callable[..., Chart],
    *analyses: Callable[..., Any],
    takes_name: bool = False,
    **settings: Any,
) -> Figure:
    """Return the kind of figure that draws what an analysis of a corpus, or of a name, gives.

    An analysis takes the corpus and then those of ``Options`` that it uses, by their names. Of two the first
    is meant where segmenters are named, the second where there are none.
    """
    uses = [[*signature(analyse).parameters][1:] for analyse in analyses]

    def make(data: Any, options: Options) -> Chart:
        number = 0 if options.segmenters else -1
        chosen = {name: getattr(options, name) for name in uses[number]}
        return options.draw(draw, analyses[number](data, **chosen), **settings)

    used = dict.fromkeys(name for names in uses for name in names if name != "document")
    return Figure(kind, summary, make, tuple(used), takes_name)


def comparison_of(
    corpus: Corpus,
    segmenters: Sequence[str],
    references: Sequence[str],
    metric: Metric | str,
    n_t: int | str | None,
    resamples: int,
    seed: int | None,
) -> Comparison:
    """Return the comparison that a figure of segmenters shows."""
    if not corpus.documents:
        raise CorpusError("the corpus has no documents")
    if not segmenters:
        raise ParameterError(
            f"this figure compares segmenters: name at least one of the coders as segmenters= "
            f"({listed(corpus.coders)})"
        )
    return compare(
        corpus,
        segmenters=segmenters,
        references=references or None,
        metric=metric_for(None, metric, n_t, step=corpus.step),
        n_resamples=resamples,
        rng=seed or 0,
    )


def described_at(corpus: Corpus, n_t: int | str | None) -> Description:
    """Return the description that a figure of coders' edits shows."""
    return describe(corpus, n_t=N_T if n_t is None else n_t, sweep=())


def document_of(corpus: Corpus, document: str | None) -> str:
    """Return the document that was asked for, or the only one."""
    if document is not None:
        corpus[document]  # an unknown name is refused, with what was probably meant
        return document
    if len(corpus.documents) == 1:
        return corpus.documents[0]
    if not corpus.documents:
        raise CorpusError("the corpus has no documents")
    raise ParameterError(
        f"this figure shows one document of {len(corpus.documents):,}: name it as document= "
        f"({listed(corpus.documents, most=5)})"
    )


def scores_of(corpus: Corpus, scores: Scores) -> Mapping[str, Sequence[float]]:
    """Return the scores of the documents of a corpus: those given, or those of a segmenter."""
    if isinstance(scores, Mapping):
        return {name: own for name, own in scores.items() if name in corpus.document_numbers}
    check_texts(corpus)
    chosen = get_segmenter(scores)
    return {name: chosen.scores(corpus.units[name]).tolist() for name in corpus.documents}
