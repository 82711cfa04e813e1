"""Several corpora of the same documents on common units, so that they can be compared or merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura.checks import is_duration, seconds_of
from caesura.errors import CorpusError, SegmentationError
from caesura.values.corpus import Corpus
from caesura.values.units import BY, Rule, Units


def on_common_units(
    corpora: Sequence[Corpus], target: Corpus | Mapping[str, Units] | str, rule: Rule = "nearest"
) -> list[Corpus]:
    """Return the corpora on the same units of each document.

    ``target`` is as ``Corpus.onto`` has it; a grid in time reaches from the earliest start to the latest end
    that any of them gives a document, and a running text that one of them knows serves all. Where only the
    texts of units are known they are found in it, and the new units keep all of their boundaries.

    >>> gold = Corpus.from_dict({"d": {"gold": [4, 6]}}).with_spans({"d": Units.every(1, end=10)})
    >>> mine = Corpus.from_dict({"d": {"mine": [8, 16]}}).with_spans({"d": Units.every(0.5, end=12)})
    >>> [one.n_units("d") for one in on_common_units([gold, mine], "2s")]
    [6, 6]
    """
    if isinstance(target, str) and target in BY:
        return _divided(corpora, target, rule)
    units = _grids(corpora, target) if isinstance(target, str) else target
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


def _grids(corpora: Sequence[Corpus], target: str) -> dict[str, Units]:
    """Return a grid in time for each document."""
    if not is_duration(target):
        raise CorpusError(
            f"units are {target!r}: expected a duration such as 1s, or one of {', '.join(BY)}, or a file "
            "with the units"
        )
    known: dict[str, list[Units]] = {}
    for corpus in corpora:
        for document in corpus.documents:
            if document not in corpus.spans:
                raise _unknown(document, target)
            known.setdefault(document, []).append(corpus.spans[document])
    return {document: _grid(document, units, target) for document, units in known.items()}


def _grid(document: str, units: Sequence[Units], target: str) -> Units:
    for one in units:
        if one.axis != "seconds":
            raise CorpusError(f"document {document}: its axis is {one.axis}, so there is no grid of {target}")
    start, end = min(one.origin for one in units), max(one.end for one in units)
    return Units.every(seconds_of("units", target), end, start=float(np.minimum(start, end)))


def _divided(corpora: Sequence[Corpus], by: str, rule: Rule) -> list[Corpus]:
    """Return the corpora on the words, sentences ... of each document's running text."""
    units: dict[str, Units] = {}
    places: list[dict[str, Units]] = [{} for _ in corpora]
    for document in dict.fromkeys(name for corpus in corpora for name in corpus.documents):
        rows = [row for row, corpus in enumerate(corpora) if document in corpus.document_numbers]
        own, units[document] = _division(document, [corpora[row] for row in rows], by)
        for row, one in zip(rows, own, strict=True):
            places[row][document] = one
    # Where texts were written one below the other, places in that text mean nothing to anyone else.
    real = {name: own for name, own in units.items() if any(name in corpus.spans for corpus in corpora)}
    found = []
    for corpus, spans in zip(corpora, places, strict=True):
        placed = corpus.with_spans(spans)
        if _is_on(placed, units):
            found.append(corpus)
        else:
            moved = placed.onto(units, rule)
            found.append(moved.with_spans({name: real[name] for name in moved.documents if name in real}))
    return found


def _division(document: str, corpora: Sequence[Corpus], by: str) -> tuple[list[Units], Units]:
    """Return where the units of each corpus stand in the running text of a document, and the new units."""
    spans = [corpus.spans.get(document) for corpus in corpora]
    texts = [corpus.units.get(document) for corpus in corpora]
    if any(one is None and own is None for one, own in zip(spans, texts, strict=True)):
        raise _unknown(document, by)
    known = [one for one in spans if one is not None]
    whole = next((one for one in known if one.text is not None), None)
    if known and whole is None:
        raise CorpusError(f"document {document}: its running text is not known, so it has no {by}s")
    try:
        if whole is None:
            whole = Units.joined(texts[0] or ())
            spans = [whole if own == texts[0] else None for own in texts]
        found = [
            one if one is not None else Units.located(own or (), str(whole.text))
            for one, own in zip(spans, texts, strict=True)
        ]
        named = [one for one, corpus in zip(found, corpora, strict=True) if document not in corpus.spans]
        if not named:
            return found, Units.from_text(str(whole.text), by=by)
        return found, named[0].divided(by, also=named[1:])
    except SegmentationError as error:
        raise CorpusError(f"document {document}: {error}") from None


def _unknown(document: str, target: str) -> CorpusError:
    return CorpusError(
        f"document {document}: it is not known where its units stand on an axis, so they cannot be put on "
        f"units of {target}"
    )
