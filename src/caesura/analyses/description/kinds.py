"""How often each boundary type is used; of hierarchies, each rank."""

from __future__ import annotations

import numpy as np

from caesura.analyses.description.results import TypeCount, ratio
from caesura.analyses.description.sizes import level_sizes, mean_sd_of
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import name_of_type


def type_counts(corpus: Corpus) -> tuple[TypeCount, ...]:
    """Return an entry for each boundary type that is declared or occurs."""
    codings, n_coders = corpus.codings, len(corpus.coder_names)
    kind = np.searchsorted(np.array(corpus.types, dtype=np.int64), codings.all_types)
    uses = np.unique(kind * n_coders + corpus.coder[codings.coding])
    n_types = len(corpus.types)
    boundaries = np.bincount(kind, minlength=n_types).tolist()
    users = np.bincount(uses // n_coders, minlength=n_types).tolist()
    sizes = level_sizes(codings, corpus.types) if corpus.is_hierarchical else {}
    total = len(kind)
    return tuple(
        TypeCount(
            one,
            name_of_type(corpus.type_scheme, one),
            n,
            ratio(n, total),
            n_users,
            mean_sd_of(*sizes[one]) if one in sizes else None,
        )
        for one, n, n_users in zip(corpus.types, boundaries, users, strict=True)
    )
