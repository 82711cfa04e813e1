"""type_confusion(): which boundary types, or ranks, are confused, such as acts with scenes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from caesura.analyses.roles import cast
from caesura.errors import CorpusError
from caesura.metrics.base import signature_of
from caesura.metrics.confusion import ConfusionMatrix, confusion_matrix
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.pairs import every_two, pair_segmenters
from caesura.values.corpus import Corpus


@dataclass(frozen=True)
class TypeConfusion:
    """The summed confusion matrices of all pairs; near misses count in part, as in those of one pair."""

    matrix: ConfusionMatrix
    names: Mapping[int, str]
    """The name of each type."""
    is_hierarchical: bool
    """Whether the types are the ranks of hierarchies."""
    segmenters: tuple[str, ...]
    """The segmenters whose boundaries are predictions; empty: all coders, against each other."""
    n_pairs: int
    metric: B

    @property
    def confused(self) -> dict[tuple[int, int], float]:
        """How often each actual type is predicted as each other type, most frequent first."""
        types = self.matrix.types
        pairs = ((actual, predicted) for actual in types for predicted in types if actual != predicted)
        counts = {(actual, predicted): self.matrix[predicted, actual] for actual, predicted in pairs}
        return {pair: counts[pair] for pair in sorted(counts, key=lambda pair: -counts[pair]) if counts[pair]}

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"confusion|{signature_of(self.metric, self.n_pairs)}"


def type_confusion(
    corpus: Corpus,
    *,
    segmenters: Sequence[str] = (),
    references: Sequence[str] = (),
    n_t: int | str | None = None,
) -> TypeConfusion:
    """Return how segmenters confuse the types of references; without segmenters, coders among themselves.

    Source of the matrix: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa, §4.1.3.

    >>> from caesura.values.segmentation import Segmentation
    >>> ann = Segmentation.from_positions([4, 9], 12, types=[1, 2])
    >>> bob = Segmentation.from_positions([4, 9], 12, types=[2, 2])
    >>> play = Corpus.from_dict({"play": {"ann": ann, "bob": bob}})
    >>> type_confusion(play, segmenters=["bob"]).confused
    {(1, 2): 1}
    """
    if segmenters or references:
        people, machines = cast(corpus, None, segmenters or None, references or None)
        packed = pair_segmenters(people, machines).pairs
        if bool(people.typed_coders) != bool(machines.typed_coders):
            raise CorpusError("only one side has several boundary types, so none can be confused")
    else:
        packed, machines = (every_two(corpus.coded, both_ways=True),), corpus.select(coders=())
    metric = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(metric, B)
    weights = {name: getattr(metric, name) for name in ("n_t", "method", "substitution", "types")}
    matrices = [confusion_matrix(*pair, **weights) for pair in chain(*packed)]
    if not matrices:
        raise CorpusError("no document has two coders: there is nothing to compare")
    total = sum(matrices[1:], matrices[0])
    scheme = corpus.type_scheme
    names = {kind: scheme.names[kind] if scheme else f"type {kind}" for kind in total.types}
    return TypeConfusion(total, names, corpus.is_hierarchical, machines.coders, len(matrices), metric)
