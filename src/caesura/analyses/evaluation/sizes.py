"""The sizes of a corpus's units: windows of E_Pk and E_WD may run over words while units are sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import ParameterError
from caesura.metrics.hierarchical import UnitSizes
from caesura.pairs import Judged
from caesura.values.corpus import Corpus
from caesura.values.forms import as_list, whole_numbers

Sizes: TypeAlias = Mapping[str, Sequence[int]] | Literal["words"]
"""Sizes by document, or "words": the words, between white space, of the units' texts."""


def unit_sizes_of(judged: Judged, sizes: Sizes) -> UnitSizes:
    """Return the sizes of all units of the documents that are judged."""
    corpus = judged.subjects.corpus
    if isinstance(sizes, str):
        if sizes != "words":
            raise ParameterError(f"unit_sizes is {sizes!r}: expected 'words', or sizes by document")
        return UnitSizes(*_words(corpus), corpus.document)
    if not isinstance(sizes, Mapping):
        raise ParameterError("unit_sizes: expected a mapping from documents to lists of sizes, or 'words'")
    missing = [document for document in corpus.documents if document not in sizes]
    if missing:
        raise ParameterError(f"unit_sizes lacks {len(missing)} of the documents, such as {missing[0]!r}")
    found = []
    for number, document in enumerate(corpus.documents):
        name = f"unit_sizes[{document!r}]"
        found.append(whole_numbers(as_list(sizes[document], name), name))
        expected = int(corpus.document_units[number])
        if len(found[-1]) != expected:
            raise ParameterError(f"{name} has {len(found[-1])} sizes where the document has {expected} units")
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in found])), dtype=np.int64)
    return UnitSizes(np.array([n for one in found for n in one], dtype=np.int64), offsets, corpus.document)


def _words(corpus: Corpus) -> tuple[IntArray, IntArray]:
    """Count the words of each unit; a unit without any is refused, since no window could pass it."""
    if corpus.texts is None or corpus.text_offsets is None:
        raise ParameterError(
            "unit_sizes is 'words', and the references have no texts; give sizes by document"
        )
    lengths = np.diff(corpus.text_offsets)
    without = np.flatnonzero(lengths == 0)
    if len(without):
        raise ParameterError(
            f"unit_sizes is 'words', and document {corpus.documents[without[0]]} has no text"
        )
    words = np.fromiter((len(text.split()) for text in corpus.texts), dtype=np.int64, count=len(corpus.texts))
    empty = np.flatnonzero(words == 0)
    if len(empty):
        document = int(np.searchsorted(corpus.text_offsets, empty[0], side="right")) - 1
        unit = int(empty[0] - corpus.text_offsets[document])
        raise ParameterError(
            f"document {corpus.documents[document]}: unit {unit} has no word; join it to a neighbour"
        )
    return words, corpus.text_offsets
