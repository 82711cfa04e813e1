"""segment(): automatic segmenters on the texts of a corpus; they are the coders of the result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Literal, TypeAlias

import numpy as np

from caesura.arrays import bincount
from caesura.checks import Seed, as_generator, check_whole
from caesura.errors import AnswerError, CorpusError, ParameterError
from caesura.segmenters.base import Segmenter
from caesura.segmenters.baselines import Random
from caesura.segmenters.registry import get_segmenter
from caesura.segmenters.similarities import MOST_KNOWN, remember
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import Segmentation
from caesura.wording import counted, listed, short

Numbers: TypeAlias = int | Mapping[str, int] | Literal["like"] | None
"""Numbers of segments: one number, one for each document, the mean of its coders, or the segmenter's."""


def segment(
    corpus: Corpus,
    segmenters: Sequence[Segmenter | str],
    n_segments: Numbers = None,
    *,
    flat: bool = False,
    rng: Seed = None,
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """Run automatic segmenters on the texts of a corpus; each segmenter is a coder of the result.

    Parameters
    ----------
    n_segments
        One number, a number by document, "like" (the mean number of the document's coders, halves to even),
        or None: each segmenter chooses. A shorter document is split into its units.
    flat
        Leave out the ranks of hierarchical segmenters (HC99, HCWM, HBT, HAPS, TreeSeg, Bisection). Without
        ``n_segments`` the boundaries are those of calling the segmenter.
    rng
        Seed or generator for random segmenters.
    progress
        Called with the segmentations done and in all; first, for segmenters on vectors, with batches encoded.

    If a language model (LLM) gives no readable answer for a document, the document has no coding by it; a
    warning says so, and ``metadata["failures"]`` has the reasons.

    >>> text = {"pets": ["cats purr", "a cat purrs", "dogs bark", "the dog barks"]}
    >>> gold = Corpus.from_dict({"pets": {"ann": [2, 2]}}, units=text)
    >>> divided = segment(gold, ["C99", "Uniform"], "like")
    >>> divided["pets", "C99"].masses, divided.coders
    ((2, 2), ('C99', 'Uniform'))
    >>> segment(gold, ["Bisection"])["pets", "Bisection"].boundaries
    ((1, 2), (2, 1), (3, 2))
    >>> segment(gold, ["Bisection(depth=1)"], flat=True)["pets", "Bisection(depth=1)"].masses
    (2, 2)
    """
    chosen = _chosen(segmenters)
    numbers = _numbers(corpus, n_segments)
    generator = as_generator(rng)
    check_texts(corpus)
    _encode(corpus, chosen.values(), progress)
    builder = CorpusBuilder()
    advance = progress or (lambda done, of: None)
    spans, total, steps = corpus.spans, len(corpus.documents) * len(chosen), count(1)
    failures: dict[str, dict[str, str]] = {}
    advance(0, total)
    for document in corpus.documents:
        units = corpus.units[document]
        for name, segmenter in chosen.items():
            try:
                coding = _divided(segmenter, units, numbers.get(document), generator, flat)
                builder.add(document, name, coding)
            except AnswerError as error:
                failures.setdefault(name, {})[document] = str(error)
            advance(next(steps), total)
        builder.add_text(document, units)
        if document in spans:
            builder.add_units(document, spans[document], with_texts=False)
    signatures = {name: segmenter.settings for name, segmenter in chosen.items()}
    metadata = {**corpus.metadata, "segmenters": signatures}
    if failures:
        metadata["failures"] = failures
    for name, reasons in failures.items():
        document, reason = next(iter(reasons.items()))
        missing = f"{len(reasons)} of {counted(len(corpus.documents), 'document')}"
        warnings.warn(f"{name} has no coding of {missing}; {document}: {reason}", UserWarning, stacklevel=2)
    return Corpus.build(builder, metadata=metadata)


def _encode(
    corpus: Corpus, segmenters: Iterable[Segmenter], progress: Callable[[int, int], None] | None
) -> None:
    """Encode all texts for the segmenters on vectors, unless there are too many to remember."""
    for segmenter in segmenters:
        vectors = getattr(segmenter, "vectors", None)
        if vectors is not None and int(corpus.document_units.sum()) <= MOST_KNOWN:
            units = (segmenter.encoded_texts(corpus.units[document]) for document in corpus.documents)
            remember(vectors, (text for texts in units for text in texts), progress)


def check_texts(corpus: Corpus) -> None:
    """Refuse documents whose texts are not known."""
    texts, spans = corpus.units, corpus.spans
    if not corpus.documents:
        raise CorpusError("the corpus has no documents to segment")
    missing = [document for document in corpus.documents if document not in texts]
    if missing:
        is_running = all(document in spans and spans[document].text is not None for document in missing)
        fix = 'corpus.onto("sentence")' if is_running else "corpus.with_texts, or a format with texts"
        raise CorpusError(f"segmenters need the texts of units, not known for {listed(missing)}; use {fix}")


def _chosen(segmenters: Sequence[Segmenter | str]) -> dict[str, Segmenter]:
    if isinstance(segmenters, str) or not isinstance(segmenters, Collection) or not segmenters:
        raise ParameterError(f"segmenters is {short(segmenters)}: expected a list of at least one")
    given = [get_segmenter(segmenter) for segmenter in segmenters]
    chosen = {repr(segmenter): segmenter for segmenter in given}
    if len(chosen) < len(given):
        raise ParameterError(f"segmenters are {listed(given)}: one is given twice")
    return chosen


def _numbers(corpus: Corpus, n_segments: Numbers) -> dict[str, int]:
    """Return the number of segments of each document; empty: the segmenter chooses."""
    if n_segments is None:
        return {}
    if isinstance(n_segments, str):
        if n_segments != "like":
            raise ParameterError(f"n_segments is {n_segments!r}: expected a number, a mapping or 'like'")
        return numbers_like(corpus)
    if isinstance(n_segments, Mapping):
        if missing := [document for document in corpus.documents if document not in n_segments]:
            raise ParameterError(f"n_segments has no number for {listed(missing)}")
        return {name: check_whole(f"n_segments[{name!r}]", n_segments[name], 1) for name in corpus.documents}
    return dict.fromkeys(corpus.documents, check_whole("n_segments", n_segments, 1))


def numbers_like(corpus: Corpus) -> dict[str, int]:
    """Return the mean number of segments of each document's codings, rounded half to even.

    >>> numbers_like(Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [11]}}))
    {'d': 2}
    """
    uncoded = [corpus.documents[number] for number in np.flatnonzero(corpus.n_coders == 0).tolist()]
    if uncoded:
        raise CorpusError(f"n_segments is 'like', which needs annotations of {listed(uncoded)}")
    segments = np.diff(corpus.codings.first_types().offsets) + 1
    means = bincount(corpus.document, segments, minlength=len(corpus.documents)) / corpus.n_coders
    return dict(zip(corpus.documents, np.rint(means).astype(int).tolist(), strict=True))


def _divided(
    segmenter: Segmenter, units: Sequence[str], n_segments: int | None, rng: np.random.Generator, flat: bool
) -> Segmentation | Hierarchy:
    if isinstance(segmenter, Random):
        return segmenter(units, n_segments, rng=rng)
    if segmenter.is_hierarchical and not flat:
        return segmenter.hierarchy(units, n_segments)
    return segmenter(units, n_segments)
