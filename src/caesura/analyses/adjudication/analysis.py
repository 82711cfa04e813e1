"""adjudicate(): places where coders differ, what each costs their agreement, and a proposal.

F13 is Fournier (2013), ACL: boundary similarity B.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.analyses.adjudication.results import Adjudication, Boundary, Place
from caesura.analyses.consensus_coding import agreed_places, as_share
from caesura.arrays import FloatArray, IntArray, bincount, changes, repeat
from caesura.checks import N_T
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.pairs import coded, every_two
from caesura.values.columns import BoolArray, Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings, offsets_of


def adjudicate(corpus: Corpus, *, n_t: int | str = N_T, share: float | Fraction | str = 0.5) -> Adjudication:
    """Return the places on which coders differ, the costliest first, and those on which they agree.

    Marked positions of a document that are fewer than ``n_t`` (on a grid in time perhaps a duration, "3s")
    from the next are one place, whoever marks them: near misses are one question. No edit of boundary edit
    distance reaches from one place to another, so observed agreement, B over every two codings of each
    document (A_o), is 1 minus a sum over places. The cost of a place is its part of that sum::

        Σ over pairs of coders (weights of their edits in the place)
        ──────────────────────────────────────────────────────────────────
        Σ over pairs of coders and all places (matches and edits)

    Substitutions weigh by the range of the declared types, or else of all that occur in the corpus.

    The proposal for a place is the consensus of its votes with ``share`` and ``n_t``, see ``consensus``;
    ``Adjudication.decide`` makes gold from decisions. Where one person has coded a document, or where all
    agree, there is nothing to decide.

    >>> corpus = Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2], "cy": [9, 2]}})
    >>> adjudication = adjudicate(corpus)
    >>> adjudication
    <Adjudication of 1 contested place, 1 unanimous>
    >>> place = adjudication.contested[0]
    >>> place.positions, place.proposal, place.support
    ((5, 6), (Boundary(position=5, type=1),), (2,))
    >>> round(adjudication.observed, 4), round(1 - place.cost, 4)
    (0.5833, 0.5833)
    """
    least = as_share(share)
    corpus = coded(corpus)
    metric = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(metric, B)
    if metric.types is None and corpus.types not in ((), (PLAIN_TYPE,)):
        metric = replace(metric, types=corpus.types)  # so that a place weighs the same beside all others
    split = _by_place(corpus, int(metric.n_t))
    weights, compared = _edits(split, metric)
    # In a place where all agree, every boundary of every two coders is a match.
    n_pairs = split.codings.n_coders * (split.codings.n_coders - 1) // 2
    total = compared + int((split.n_boundaries * n_pairs)[~split.is_contested].sum())
    costs = weights / total if total else np.zeros(len(weights))
    places = tuple(_places(corpus, split, costs, int(metric.n_t), least))
    all_pairs = int((corpus.n_coders * (corpus.n_coders - 1) // 2).sum())
    observed = 1.0 - float(weights.sum()) / total if total else (1.0 if all_pairs else math.nan)
    return Adjudication(corpus, metric, least, places, all_pairs, observed)


class Split(NamedTuple):
    """A corpus by place: each is a document of its own, with all codings of the document it is from."""

    codings: Corpus
    document: IntArray
    """The document of each place, in the order of documents and positions."""
    is_contested: BoolArray
    n_boundaries: IntArray
    """Different (position, type) that anyone marks."""


def _by_place(corpus: Corpus, reach: int) -> Split:
    """Split all codings at the gaps between marks that are ``reach`` or more."""
    codings = corpus.codings
    coding, positions, types = codings.coding, codings.positions, codings.all_types
    order = np.lexsort((types, positions, corpus.document[coding]))
    coding, positions, types = coding[order], positions[order], types[order]
    document = corpus.document[coding]
    is_first = changes(document)
    is_first[1:] |= np.diff(positions) >= reach
    place = np.cumsum(is_first) - 1
    is_new = is_first | changes(positions, types)
    n_places = int(is_first.sum())
    of_place = document[is_first]
    n_boundaries = bincount(place, is_new, n_places).astype(np.int64)
    n_marks = bincount(place, minlength=n_places)
    n_coders = corpus.n_coders[of_place]
    # A coder marks a boundary once, so all do if there are as many marks as boundaries times coders.
    is_contested = n_marks < n_boundaries * n_coders
    starts = offsets_of(n_coders)
    row = starts[place] + coding - corpus.starts[document]
    by_row = np.lexsort((types, positions, row))
    source = np.arange(starts[-1]) - repeat(starts[:-1] - corpus.starts[of_place], n_coders)
    columns = Columns(
        codings.n_units[source],
        offsets_of(bincount(row, minlength=int(starts[-1]))),
        positions[by_row],
        None if codings.types is None else types[by_row],
    )
    by_place = Corpus(
        columns,
        repeat(np.arange(n_places), n_coders),
        corpus.coder[source],
        Strings.of(map(str, range(n_places))),
        corpus.coder_names,
        type_scheme=corpus.type_scheme,
    )
    return Split(by_place, of_place, is_contested, n_boundaries)


def _edits(split: Split, metric: B) -> tuple[FloatArray, int]:
    """Return the weights of the edits in each place, and the matches and edits of contested places."""
    codings, n_places = split.codings, len(split.document)
    contested = np.flatnonzero(split.is_contested[codings.document])
    if not len(contested):
        return np.zeros(n_places), 0
    within = codings.take(contested)
    pairs = every_two(within)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    place = np.flatnonzero(split.is_contested)[within.document[pairs.first]]
    weights: FloatArray = bincount(place, edits.penalty.astype(float), n_places) / edits.scale
    return weights, int(edits.pairs.sum())


def _places(corpus: Corpus, split: Split, costs: FloatArray, reach: int, share: Fraction) -> Iterator[Place]:
    """Yield every place with its votes and its proposal."""
    codings = split.codings
    agreed = agreed_places(codings, reach, share, strict=False)
    starts = np.searchsorted(agreed.document, np.arange(len(costs) + 1)).tolist()
    proposed = list(map(Boundary, agreed.position.tolist(), agreed.type.tolist()))
    support = agreed.support.tolist()
    columns = codings.codings
    marks = list(map(Boundary, columns.positions.tolist(), columns.all_types.tolist()))
    offsets, coders = columns.offsets.tolist(), [corpus.coders[number] for number in codings.coder.tolist()]
    rows = codings.starts.tolist()
    for place, document in enumerate(split.document.tolist()):
        votes = {
            coders[row]: tuple(marks[offsets[row] : offsets[row + 1]])
            for row in range(rows[place], rows[place + 1])
        }
        chosen = slice(starts[place], starts[place + 1])
        yield Place(
            corpus.documents[document],
            tuple(sorted({mark.position for own in votes.values() for mark in own})),
            votes,
            tuple(proposed[chosen]),
            tuple(support[chosen]),
            float(costs[place]),
        )
