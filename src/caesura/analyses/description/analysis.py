"""describe(): what a coded corpus looks like in numbers.

F13t is Fournier (2013), Evaluating text segmentation, the thesis: tables 5.3 and 5.4, figures 5.14 and 5.15.
KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance: figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from caesura.analyses.description.finish import finish
from caesura.analyses.description.question import DescriptionQuestion
from caesura.analyses.description.results import Description
from caesura.checks import check_whole
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.declared import reach_of
from caesura.sums.streams import CodingStream, Run
from caesura.values.corpus import Corpus

LARGEST_SWEEP = 1000
"""Largest n_t of a sweep."""


def describe(
    corpus: Corpus | CodingStream,
    *,
    n_t: int | str = 2,
    sweep: Iterable[int] = range(2, 16),
    progress: Any = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
) -> Description:
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
        sums, _, left_out, _ = corpus.corpus_sums(question, Run.of(engine, progress, resume))
        return finish(question, sums, corpus.type_scheme, left_out=left_out)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume are for scans; a corpus is in memory already")
    question = DescriptionQuestion(reach_of(n_t, corpus.step), tuple(wanted))
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents that anybody has coded")
    corpus = corpus.coded
    return finish(question, question.count(corpus, progress), corpus.type_scheme, corpus=corpus)


def _checked_sweep(sweep: Iterable[int]) -> list[int]:
    wanted = [check_whole("sweep: n_t", n_t, 1) for n_t in sweep]
    if max(wanted, default=1) > LARGEST_SWEEP:
        raise ParameterError(f"the sweep goes to n_t={max(wanted)}: expected at most {LARGEST_SWEEP}")
    return wanted
