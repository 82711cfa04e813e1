"""Several corpora of the same documents on common units, so that they can be compared or merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura.checks import is_duration, seconds_of
from caesura.errors import CorpusError
from caesura.values.corpus import Corpus
from caesura.values.units import BY, Rule, Units


def on_common_units(
    corpora: Sequence[Corpus], target: Corpus | Mapping[str, Units] | str, rule: Rule = "nearest"
) -> list[Corpus]:
    """Return the corpora on the same units of each document.

    ``target`` is as ``Corpus.onto`` has it; a grid in time reaches from the earliest start to the latest end
    that any of them gives a document, and a running text that one of them knows serves all.

    >>> gold = Corpus.from_dict({"d": {"gold": [4, 6]}}).with_spans({"d": Units.every(1, end=10)})
    >>> mine = Corpus.from_dict({"d": {"mine": [8, 16]}}).with_spans({"d": Units.every(0.5, end=12)})
    >>> [one.n_units("d") for one in on_common_units([gold, mine], "2s")]
    [6, 6]
    """
    units = _shared_units(corpora, target) if isinstance(target, str) else target
    return [one if _is_on(one, units) else one.onto(units, rule) for one in corpora]


def _is_on(corpus: Corpus, target: Corpus | Mapping[str, Units]) -> bool:
    """Whether the codings segment these units already, or units of the same texts."""
    if corpus is target:
        return True
    if not isinstance(target, Corpus):
        return all(
            document in target and corpus.spans.get(document) == target[document]
            for document in corpus.documents
        )
    return all(_has_units_of(corpus, target, document) for document in corpus.documents)


def _has_units_of(corpus: Corpus, target: Corpus, document: str) -> bool:
    if document not in target.document_numbers:
        return False
    mine, theirs = corpus.spans.get(document), target.spans.get(document)
    if mine is not None and theirs is not None:
        return mine == theirs
    one, other = corpus.units.get(document), target.units.get(document)
    return one == other if one is not None and other is not None else mine is None and theirs is None


def _shared_units(corpora: Sequence[Corpus], target: str) -> dict[str, Units]:
    known: dict[str, list[Units]] = {}
    for corpus in corpora:
        for document, units in corpus.spans.items():
            known.setdefault(document, []).append(units)
    for corpus in corpora:
        for document in corpus.documents:
            if document not in known:
                raise CorpusError(
                    f"document {document}: it is not known where its units stand on an axis, so they cannot "
                    f"be put on units of {target}"
                )
    make = _grid if is_duration(target) else _division
    return {document: make(document, units, target) for document, units in known.items()}


def _grid(document: str, units: Sequence[Units], target: str) -> Units:
    for one in units:
        if one.axis != "seconds":
            raise CorpusError(f"document {document}: its axis is {one.axis}, so there is no grid of {target}")
    start, end = min(one.origin for one in units), max(one.end for one in units)
    return Units.every(seconds_of("units", target), end, start=float(np.minimum(start, end)))


def _division(document: str, units: Sequence[Units], target: str) -> Units:
    if target not in BY:
        raise CorpusError(
            f"units are {target!r}: expected a duration such as 1s, or one of {', '.join(BY)}, or a file "
            "with the units"
        )
    text = next((one.text for one in units if one.text is not None), None)
    if text is None:
        raise CorpusError(f"document {document}: its running text is not known, so it has no {target}s")
    return Units.from_text(text, by=target)
