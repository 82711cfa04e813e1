"""Projection of corpora onto common units, or onto the units of the originals of changed texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.errors import CorpusError, did_you_mean, within
from caesura.values.changed_text import TextAlignment, align_text, shares_shown
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.projecting import make_units
from caesura.values.unit_columns import TextColumns, UnitColumns
from caesura.values.units import Rule, Units
from caesura.wording import counted, whole_percent

LEAST_KEPT = 0.8
"""Default share of the original's words that a changed text must keep."""


@dataclass(frozen=True)
class AlignedUnits:
    """The units of a changed text, with an alignment that maps their boundaries to the original."""

    units: Units
    alignment: TextAlignment

    def between(self, positions: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the gap of each position in the original; a single offset if it is uncertain."""
        low, high = self.units.between(positions)
        end = self.alignment.map(high)
        start = np.where(self.alignment.uncertainty(high) > 0, end, self.alignment.map(low))
        return start.astype(np.float64), end.astype(np.float64)


def onto_originals(
    corpus: Corpus, original: Corpus, least_kept: float = LEAST_KEPT
) -> tuple[Corpus, str, list[str]]:
    """Return the codings on the units of the original texts, an account of the changes, and warnings.

    Documents are matched by name, a single document on each side in any case. A document without text must
    have as many units as the original. The account is empty if no text was changed.

    >>> copy = Corpus.from_dict({"d": {"llm": [1, 1]}}).with_texts({"d": ["one too", "three four"]})
    >>> gold = Corpus.from_dict({"d": {"ann": [3, 1]}}).with_texts({"d": ["one", "two", "three", "four"]})
    >>> moved, account, _ = onto_originals(copy, gold, least_kept=0.7)
    >>> moved["d", "llm"].masses
    (2, 2)
    >>> print(account.replace("; ", "\\n"))
    75 % kept, 25 % altered, 0 % lost of 4 words
    0 % added of 4 words
    1 of 1 boundary may be off, by up to 4 characters
    """
    if len(corpus.documents) == 1 == len(original.documents):
        corpus = corpus.rename(documents={corpus.documents[0]: original.documents[0]})
    wanted = [_original_units(name, original) for name in corpus.documents]
    source: list[Units | AlignedUnits] = []
    totals = np.zeros(6)
    for name, units in zip(corpus.documents, wanted, strict=True):
        own = text_units(corpus, name)
        if own is None and corpus.n_units(name) == len(units):
            source.append(units)
        elif own is None:
            numbers = f"{counted(corpus.n_units(name), 'unit')} where the original has {len(units):,}"
            raise CorpusError(f"document {short_name(name)}: it has no text to align, but {numbers}")
        elif own.text == units.text:
            source.append(own)
        else:
            with within(f"document {short_name(name)}"):
                alignment = align_text(own.text or "", units.text or "")
                if alignment.kept < least_kept:
                    least = f"below {whole_percent(least_kept)} kept, is it the same text?"
                    raise CorpusError(f"{alignment}: {least} least_kept= accepts less")
            source.append(AlignedUnits(own, alignment))
            totals += alignment.counts
    projected, moves = corpus.projected(source, wanted)
    uncertain = list(_uncertain(corpus, source))
    texts = {i: original.units[name] for i, name in enumerate(corpus.documents) if name in original.units}
    text_columns = TextColumns.of(texts, len(wanted)) if texts else None
    unit_columns = UnitColumns.of([original.spans.get(name) for name in corpus.documents])
    moved = dataclasses.replace(projected, texts=text_columns, unit_columns=unit_columns)
    account = shares_shown(*totals) if totals.any() else ""
    n_off = sum(len(off) for _, off, _ in uncertain)
    if n_off:
        most = max(int(off.max()) for _, off, _ in uncertain)
        n_all = counted(len(corpus.codings.positions), "boundary", "boundaries")
        account += f"; {n_off:,} of {n_all} may be off, by up to {counted(most, 'character')}"
    if account and not moves.is_exact:
        account += f"; {moves}"
    return moved, account, [_in_lost(name, off[lost]) for name, off, lost in uncertain if len(lost)]


def text_units(corpus: Corpus, document: str) -> Units | None:
    """Return the units of a document in its running text, or in their texts, joined by line ends."""
    units, texts = corpus.spans.get(document), corpus.units.get(document)
    if units is not None and units.text is not None:
        return units
    return None if texts is None else Units.joined(texts)


def _original_units(document: str, original: Corpus) -> Units:
    if document not in original.document_numbers:
        hint = did_you_mean(document, original.documents)
        raise CorpusError(f"document {short_name(document)} is not among the original texts; {hint}")
    units = text_units(original, document)
    if units is None:
        raise CorpusError(f"document {short_name(document)}: the original has no text; name data with texts")
    return units


def _uncertain(
    corpus: Corpus, source: list[Units | AlignedUnits]
) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Yield by how much boundaries of a document may be off, and which of those are in lost text."""
    bounds = corpus.codings.offsets[corpus.starts]
    for number, units in enumerate(source):
        if not isinstance(units, AlignedUnits):
            continue
        positions = corpus.codings.positions[bounds[number] : bounds[number + 1]]
        offsets = units.units.between(positions)[1]
        off = units.alignment.uncertainty(offsets)
        if (off > 0).any():
            is_lost = units.alignment.is_in_lost(offsets)
            yield corpus.documents[number], off[off > 0], np.flatnonzero(is_lost[off > 0])


def _in_lost(document: str, off: IntArray) -> str:
    are = "boundary is" if len(off) == 1 else "boundaries are"
    where = f"document {short_name(document)}: {len(off):,} {are} in the middle of text that was lost"
    return f"{where}, and may be off by up to {counted(int(off.max()), 'character')}"


# -------------------------------------------------------------------- several corpora


def on_common_units(
    corpora: Sequence[Corpus], target: Corpus | Mapping[str, Units] | str, rule: Rule = "nearest"
) -> list[Corpus]:
    """Return the corpora on the same units of each document.

    ``target`` is as in ``Corpus.onto``. A grid in time reaches from the earliest start to the latest end of a
    document in any corpus, and a running text of one corpus serves all.

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
    # Offsets in texts joined by line ends are not real offsets.
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
    """Return whether the codings already segment these units, or units with the same texts."""
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
