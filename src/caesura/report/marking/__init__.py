"""What pages on which boundaries are marked share: a button between any two units, keys, undo, files."""

from __future__ import annotations

import numpy as np

from caesura.errors import CorpusError
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name

MOST_UNITS = 100_000
"""Units of one document that a browser can show with a button between any two."""


def check_shown(corpus: Corpus, instead: str) -> None:
    """Refuse documents that no browser can show; ``instead`` says what to do with them."""
    long = np.flatnonzero(corpus.document_units > MOST_UNITS)
    if len(long):
        name, n = corpus.documents[long[0]], int(corpus.document_units[long[0]])
        raise CorpusError(
            f"document {short_name(name)} has {n:,} units: a page shows at most {MOST_UNITS:,}; {instead}"
        )
