"""Several corpora of the same documents on common units, so that they can be compared or merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.values.corpus import Corpus
from caesura.values.projecting import make_units
from caesura.values.units import Rule, Units


def on_common_units(
    corpora: Sequence[Corpus], target: Corpus | Mapping[str, Units] | str, rule: Rule = "nearest"
) -> list[Corpus]:
    """Return the corpora on the same units of each document.

    ``target`` is as ``Corpus.onto`` has it; a grid in time reaches from the earliest start to the latest end
    that any of them gives a document, and a running text that one of them knows serves all.

    >>> gold = Corpus.from_dict({"d": {"gold": [4, 6]}}).with_spans({"d": Units.every(1, end=10)})
    >>> mine = Corpus.from_dict({"d": {"mine": [8, 16]}}).with_spans({"d": Units.every(0.5, end=12)})
    >>> [corpus.n_units("d") for corpus in on_common_units([gold, mine], "2s")]
    [6, 6]
    """
    if not isinstance(target, str):
        return [corpus if _is_on(corpus, target) else corpus.onto(target, rule) for corpus in corpora]
    units: dict[str, Units] = {}
    spans: list[dict[str, Units]] = [{} for _ in corpora]
    for document in dict.fromkeys(name for corpus in corpora for name in corpus.documents):
        rows = [row for row, corpus in enumerate(corpora) if document in corpus.document_numbers]
        known = [corpora[row].spans.get(document) for row in rows]
        texts = [corpora[row].units.get(document) for row in rows]
        own, units[document] = make_units(document, known, texts, target)
        for row, placed in zip(rows, own, strict=True):
            spans[row][document] = placed
    # Where texts were written one below the other, places in that text mean nothing to anyone else.
    real = {name: new for name, new in units.items() if any(name in corpus.spans for corpus in corpora)}
    moved = []
    for corpus, places in zip(corpora, spans, strict=True):
        placed_corpus = corpus.with_spans(places)
        if _is_on(placed_corpus, units):
            moved.append(corpus)
        else:
            on_units = placed_corpus.onto(units, rule)
            names = [name for name in on_units.documents if name in real]
            moved.append(on_units.with_spans({name: real[name] for name in names}))
    return moved


def _is_on(corpus: Corpus, target: Corpus | Mapping[str, Units]) -> bool:
    """Whether the codings segment these units already, or units of the same texts."""
    if isinstance(target, Mapping):
        return all(corpus.spans.get(name) == target.get(name, ()) for name in corpus.documents)
    return corpus is target or all(_has_units_of(corpus, target, name) for name in corpus.documents)


def _has_units_of(corpus: Corpus, target: Corpus, document: str) -> bool:
    if document not in target.document_numbers:
        return False
    spans = corpus.spans.get(document), target.spans.get(document)
    if None not in spans:
        return spans[0] == spans[1]
    texts = corpus.units.get(document), target.units.get(document)
    return texts[0] == texts[1] if None not in texts else spans == (None, None)
