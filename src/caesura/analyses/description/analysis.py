"""describe(): what a coded corpus looks like in numbers.

F13t is Fournier (2013), Evaluating text segmentation, the thesis: tables 5.3 and 5.4, figures 5.14 and 5.15.
KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance: figure 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any, overload

from caesura.analyses.description.coders import coder_rates
from caesura.analyses.description.edits import edits_by_n_t, pair_positions
from caesura.analyses.description.exact import exact_sum
from caesura.analyses.description.kinds import type_counts
from caesura.analyses.description.prominence import prominence
from caesura.analyses.description.results import Description, StreamedDescription
from caesura.analyses.description.sizes import mean_sd, segment_sizes
from caesura.analyses.description.streams import DescriptionQuestion, streamed_description
from caesura.analyses.evaluation.streams import CodingStream, Run, Watch
from caesura.checks import check_whole
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.declared import reach_of
from caesura.pairs import every_two
from caesura.values.corpus import Corpus

LARGEST_SWEEP = 1000
"""Largest n_t of a sweep."""


@overload
def describe(
    corpus: Corpus,
    *,
    n_t: int | str = 2,
    sweep: Iterable[int] = range(2, 16),
    progress: Callable[[int, int], None] | None = None,
) -> Description: ...


@overload
def describe(
    corpus: CodingStream,
    *,
    n_t: int | str = 2,
    sweep: Iterable[int] = range(2, 16),
    progress: Watch | None = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
) -> StreamedDescription: ...


def describe(
    corpus: Corpus | CodingStream,
    *,
    n_t: int | str = 2,
    sweep: Iterable[int] = range(2, 16),
    progress: Any = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
) -> Description | StreamedDescription:
    """Return what a coded corpus looks like in numbers (F13t §5.2.1, KS12 §4).

    Totals, means with population standard deviations, and the edits between every two coders of each
    document, for ``n_t`` (on a grid in time perhaps a duration, "3s") and for every n_t in ``sweep`` (none:
    leave it out). ``progress`` is called with (pairs done, pairs in all).

    A coder is pointed out whose numbers of boundaries differ from those of the other coders of the same
    documents by more than chance allows: the numbers are exchanged among the coders of each document, and p,
    adjusted by Holm over all coders, is at most 0.05. One document, or few with many coders, cannot tell.

    A scan (``caesura.scan``) is read once and never held in memory: totals, sizes, rates and edits are those
    of the same data in memory, to the last bit. What is no sum over documents is left out: outliers, support
    of positions, single documents. ``progress``, ``engine`` and ``resume`` are as in ``evaluate`` then.

    >>> from caesura import load_stargazers
    >>> description = describe(load_stargazers())
    >>> description
    <Description of 1 document, 7 coders: 49 boundaries, 21 pairs>
    >>> description.pair_matches, description.pair_transpositions, description.pair_additions
    (83, 28, 72)
    >>> [edits.transpositions for edits in description.sweep[:3]], description.spans[1]
    ([28, 35, 36], 28)
    """
    wanted = _checked_sweep(sweep)
    if not isinstance(corpus, Corpus):
        question = DescriptionQuestion(reach_of(n_t, None), tuple(wanted))
        run = Run(engine, None, None, progress, None if resume is None else Path(fspath(resume)))
        sums, _, left_out, _ = corpus.corpus_sums(question, run)
        return streamed_description(question, corpus.type_scheme, sums, left_out)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume are for scans; a corpus is in memory already")
    reach = reach_of(n_t, corpus.step)
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents that anybody has coded")
    corpus = corpus.coded
    pairs = every_two(corpus)
    largest = max(wanted, default=0)
    by_n_t = edits_by_n_t(pairs, [reach, *range(1, largest + 1)], progress)
    edits = by_n_t[reach]
    n_segments = corpus.codings.n_positions + 1
    n_boundaries = corpus.codings.n_boundaries
    rates = coder_rates(corpus)
    units, documents = exact_sum(corpus.document_units), len(corpus.document_names)
    return Description(
        corpus=corpus,
        n_t=reach,
        documents=documents,
        coders=len(corpus.coder_names),
        codings=len(corpus),
        units=units,
        potential_boundaries=units - documents,
        boundaries=int(n_boundaries.sum()),
        segments=int(n_segments.sum()),
        document_size=mean_sd(corpus.document_units),
        segment_size=mean_sd(segment_sizes(corpus.codings.marked)),
        segments_per_coding=mean_sd(n_segments),
        boundaries_per_coder=mean_sd([rate.boundaries for rate in rates]),
        boundaries_per_position_per_coder=mean_sd([rate.rate for rate in rates if rate.potential_boundaries]),
        pairs=len(pairs),
        pair_potential_boundaries=pair_positions(corpus),
        pair_boundaries=int((n_boundaries[pairs.first] + n_boundaries[pairs.second]).sum()),
        pair_matches=edits.matches,
        pair_additions=edits.additions,
        pair_substitutions=edits.substitutions,
        pair_transpositions=edits.transpositions,
        coder_rates=rates,
        types=type_counts(corpus),
        sweep=tuple(by_n_t[wide] for wide in wanted),
        spans={
            wide - 1: by_n_t[wide].transpositions - by_n_t[wide - 1].transpositions
            for wide in range(2, largest + 1)
        },
        prominence=prominence(corpus),
    )


def _checked_sweep(sweep: Iterable[int]) -> list[int]:
    wanted = [check_whole("sweep: n_t", n_t, 1) for n_t in sweep]
    if max(wanted, default=1) > LARGEST_SWEEP:
        raise ParameterError(f"the sweep goes to n_t={max(wanted)}: expected at most {LARGEST_SWEEP}")
    return wanted
