"""What a reader understood of a file, in one line: how marks were read, and how much each coder has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.io.tables.marks import boundaries_of
from caesura.values.corpus import Corpus
from caesura.values.forms import Reading, short_name
from caesura.wording import counted, listed


def understood_marks(
    what: str, corpus: Corpus, reading: Reading, text: str | None = None, left_out: Sequence[str] = ()
) -> str:
    """Return how values per unit were read: ``a table of starts: ann 3 boundaries, bob 4``.

    So that nothing is left out without a word, it names who has not coded all documents, and other columns.
    """
    n_documents = len(corpus.documents)
    parts = [boundaries_of(boundaries_by_coder(corpus))]
    if n_documents > 1:
        parts.append(f"in {n_documents:,} documents")
        n_codings = np.bincount(corpus.coder, minlength=len(corpus.coder_names)).tolist()
        few = [
            f"{short_name(coder)} {n:,}"
            for coder, n in zip(corpus.coders, n_codings, strict=True)
            if n < n_documents
        ]
        if few:
            parts.append(f"of which coded by {listed(few)}")
    if text is not None:
        parts.append(f"text from {short_name(text)!r}")
    if left_out:
        parts.append(f"left out {listed([repr(short_name(name)) for name in left_out])}")
    return f"a {what} of {reading}: {', '.join(parts)}"


def boundaries_by_coder(corpus: Corpus) -> dict[str, int]:
    """Return how many boundaries each coder has placed, in all documents."""
    counts = np.bincount(
        corpus.coder, weights=np.diff(corpus.codings.offsets), minlength=len(corpus.coder_names)
    )
    return dict(zip(corpus.coders, counts.astype(np.int64).tolist(), strict=True))


def understood_size(format: str, corpus: Corpus) -> str:
    """Return what any file holds: ``segeval-json: 1 document, 7 coders``."""
    documents, coders = counted(len(corpus.documents), "document"), counted(len(corpus.coders), "coder")
    return f"{format}: {documents}, {coders}"
