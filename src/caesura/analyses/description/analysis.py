"""describe(): sizes, rates and edits of an annotated corpus, finished from sums.

F13t is Fournier (2013), Evaluating text segmentation, the thesis: tables 5.3 and 5.4, figures 5.14 and 5.15.
KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance: figure 3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np

from caesura.analyses.description.documents import prominence
from caesura.analyses.description.means import mean_sd, mean_sd_of
from caesura.analyses.description.question import DescriptionQuestion
from caesura.analyses.description.results import CoderRate, Description, EditTotals, TypeCount, ratio
from caesura.arrays import FloatArray, bincount
from caesura.checks import ALPHA, N_T, check_whole
from caesura.errors import ParameterError
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.stats.choosing import holm
from caesura.stats.exchange import exchange_test
from caesura.sums.streams import CodingStream, Run
from caesura.sums.tallies import Name, Sums
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme, name_of_type

LARGEST_SWEEP = 1000
"""Largest n_t of a sweep."""


def describe(
    corpus: Corpus | CodingStream,
    *,
    n_t: int | str = N_T,
    sweep: Iterable[int] = range(2, 16),
    progress: Any = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
) -> Description:
    """Return a description of an annotated corpus in numbers (F13t §5.2.1, KS12 §4).

    It has totals, means with population standard deviations, and the edits between every two coders of each
    document, for ``n_t`` (on a time grid also a duration such as "3s") and for every n_t in ``sweep`` (empty:
    no sweep). ``progress`` is called with (pairs done, total pairs).

    A permutation test finds coders who mark more or fewer boundaries than the other coders of the same
    documents. It permutes the numbers of boundaries among the coders of each document; outliers have p ≤ 0.05
    after Holm's correction over all coders. With one document, or few documents and many coders, the test is
    inconclusive.

    A scan (``caesura.scan``) is read once and never held in memory. Its totals, sizes, rates and edits are
    identical to those of the same data in memory. Outliers, support of positions and single documents are
    not sums over documents and are omitted. ``progress``, ``engine`` and ``resume`` work as in ``evaluate``.

    >>> from caesura import load_stargazers
    >>> description = describe(load_stargazers())
    >>> description
    <Description of 1 document, 7 coders: 49 boundaries, 21 pairs>
    >>> description.pair_matches, description.pair_transpositions, description.pair_additions
    (83, 28, 72)
    >>> [edits.transpositions for edits in description.sweep[:3]], description.spans[1]
    ([28, 35, 36], 28)
    """
    all_n_t = tuple(check_whole("sweep: n_t", each, 1) for each in sweep)
    if max(all_n_t, default=1) > LARGEST_SWEEP:
        raise ParameterError(f"the sweep goes to n_t={max(all_n_t)}: expected at most {LARGEST_SWEEP}")
    if not isinstance(corpus, Corpus):
        question = DescriptionQuestion(reach_of(n_t, None), all_n_t)
        sums, _, left_out, _ = corpus.corpus_sums(question, Run.of(engine, progress, resume))
        return finish(question, sums, corpus.type_scheme, left_out=left_out)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume apply to scans only; this corpus is in memory")
    question = DescriptionQuestion(reach_of(n_t, corpus.step), all_n_t)
    corpus = coded(corpus)
    return finish(question, question.count(corpus, progress), corpus.type_scheme, corpus=corpus)


def finish(
    question: DescriptionQuestion,
    sums: Sums,
    scheme: TypeScheme | None,
    *,
    corpus: Corpus | None = None,
    left_out: tuple[str, ...] = (),
) -> Description:
    """Return the description of all documents; a corpus in memory adds the numbers that are not sums."""
    total = {name: tally.counts[0] for name, tally in sums.items()}
    edits = {
        n_t: EditTotals(n_t, *(total["edits", n_t, kind] for kind in range(4))) for n_t in question.all_n_t
    }
    rates = tuple(_coder_rates(total, corpus))
    per_position = [rate.rate for rate in rates if rate.potential_boundaries]
    sizes = ("documents", "codings", "units", "boundaries", "segments", "pairs")
    counts = {name: total[name,] for name in sizes}
    n_documents, n_codings, n_units, _, n_segments, _ = counts.values()
    types = tuple(_types(total, scheme))
    is_hierarchical = scheme is not None and scheme.ranks
    of_position = 1 if is_hierarchical else max(1, len(types))
    return Description(
        n_t=question.n_t,
        coders=len(rates),
        **counts,
        potential_boundaries=(n_units - n_documents) * of_position,
        document_size=mean_sd_of(n_documents, n_units, total["units", "squares"]),
        segment_size=mean_sd_of(n_segments, total["sizes",], total["sizes", "squares"]),
        segments_per_coding=mean_sd_of(n_codings, n_segments, total["segments", "squares"]),
        boundaries_per_coder=mean_sd([rate.boundaries for rate in rates]),
        boundaries_per_position_per_coder=mean_sd(per_position),
        pair_potential_boundaries=total["pair_positions",] * of_position,
        pair_boundaries=total["pair_boundaries",],
        **{f"pair_{kind}": n for kind, n in edits[question.n_t]._asdict().items() if kind != "n_t"},
        types=types,
        sweep=tuple(edits[n_t] for n_t in question.sweep),
        spans={
            n_t - 1: edits[n_t].transpositions - edits[n_t - 1].transpositions
            for n_t in range(2, max(question.sweep, default=0) + 1)
        },
        coder_rates=rates,
        prominence=() if corpus is None else prominence(corpus),
        is_hierarchical=is_hierarchical,
        left_out=left_out,
        source=corpus,
    )


def _types(total: Mapping[Name, int], scheme: TypeScheme | None) -> Iterator[TypeCount]:
    number: Counter[int] = Counter()
    users: Counter[int] = Counter()
    for name, n in total.items():
        if name[0] == "type":
            number[int(name[1])] += n
            users[int(name[1])] += 1
    for kind in sorted(number) if scheme is None else scheme.types:
        is_level = ("level", kind, 0) in total
        size = mean_sd_of(*(total["level", kind, moment] for moment in range(3))) if is_level else None
        share = ratio(number[kind], number.total())
        yield TypeCount(kind, name_of_type(scheme, kind), number[kind], share, users[kind], size)


# -------------------------------------------------------------------- coders


def _coder_rates(total: Mapping[Name, int], corpus: Corpus | None) -> Iterator[CoderRate]:
    """Yield the rate of each coder: in the corpus's order with a test, or by name without one."""
    coders = sorted(str(name[1]) for name in total if name[0] == "coded") if corpus is None else corpus.coders
    tests = [(math.nan, math.nan, math.nan)] * len(coders) if corpus is None else _coder_tests(corpus)
    for coder, test in zip(coders, tests, strict=True):
        positions, boundaries = total["positions", coder], total["marks", coder]
        divisor = float(max(1, positions))
        rates = boundaries / divisor, total["typical", coder] / 2 / divisor
        outlier = ("more" if test[0] > 0 else "fewer") if test[1] <= ALPHA else ""
        yield CoderRate(coder, total["coded", coder], positions, boundaries, *rates, *test, outlier)


def _coder_tests(corpus: Corpus) -> Iterator[tuple[float, float, float]]:
    """Permute the numbers of boundaries among the coders of each document, to test each coder.

    Yield the difference from the others, p, and the least p that the documents allow, both after Holm.
    """
    n = len(corpus.coder_names)
    tests = exchange_test(corpus.codings.n_boundaries, corpus.document, corpus.coder, n)
    p_values = holm([test.p_value for test in tests])
    n_tested = sum(not math.isnan(test.p_value) for test in tests)
    least = np.minimum(1.0, [test.least_p * n_tested for test in tests])
    yield from zip(*(column.tolist() for column in (_differences(corpus), p_values, least)), strict=True)


def _differences(corpus: Corpus) -> FloatArray:
    """Return each coder's boundaries per 100 positions minus the mean of the others; NaN without others."""
    n = len(corpus.coder_names)
    n_boundaries = corpus.codings.n_boundaries
    in_all = bincount(corpus.document, n_boundaries, len(corpus.document_names))[corpus.document]
    others = corpus.n_coders[corpus.document] - 1
    shared = others > 0
    more = n_boundaries - (in_all - n_boundaries) / np.maximum(1, others)
    coder = corpus.coder[shared]
    positions = bincount(coder, (corpus.codings.n_units[shared] - 1).astype(float), n)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference: FloatArray = 100 * bincount(coder, more[shared], n) / positions
    return np.where(positions > 0, difference, np.nan)
