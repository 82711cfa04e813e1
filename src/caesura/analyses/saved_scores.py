"""Scores to compare later: a system's counts for every document, and a digest of the references.

No text and no boundary is in them. The gate and the board read them; they compare those alone that were
counted by the same metrics, against the same reference, by the same major version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from caesura.analyses.evaluation.results import Evaluation
from caesura.arrays import FloatArray
from caesura.errors import CaesuraError, CorpusError, ParameterError
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import metric
from caesura.results.as_json import plain_fields
from caesura.stats.resampling import pooled
from caesura.values.columns import lists_of
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.segmentation import PLAIN_TYPE
from caesura.version import __version__
from caesura.wording import listed, short

DIGEST_LENGTH = 64
"""Hexadecimal digits of a SHA-256."""


def digest_of(corpus: Corpus) -> str:
    """Return the SHA-256 of a corpus's names, units and boundaries: a line of JSON for each coding, in order.

    A line is ``["document", "coder", units, [positions]]``, with a list of types where a type is not the
    plain one; the order is that of the names of documents, then of coders.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [5]}, "c": {"ann": [4]}})
    >>> digest_of(corpus)[:8] == digest_of(corpus.select(documents=["c", "d"]))[:8]
    True
    """
    codings = corpus.codings
    positions, types = ([*lists_of(codings.offsets, each)] for each in (codings.positions, codings.all_types))
    names = [
        (corpus.documents[document], corpus.coders[coder])
        for document, coder in zip(corpus.document.tolist(), corpus.coder.tolist(), strict=True)
    ]
    units = codings.n_units.tolist()
    digest = hashlib.sha256()
    for row in sorted(range(len(names)), key=names.__getitem__):
        line = [*names[row], units[row], positions[row]]
        if any(each != PLAIN_TYPE for each in types[row]):
            line.append(types[row])
        digest.update(json.dumps(line).encode("ascii") + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True)
class SavedScores:
    """What one system scored, as counts of every document."""

    caesura: str
    """The version that counted."""
    signature: Mapping[str, str]
    """Of each metric, by the specification under which counts stand."""
    gold: str
    """The digest of the references."""
    system: str
    scale: Mapping[str, int]
    """How many units of a metric's counts are 1."""
    documents: Mapping[str, Mapping[str, Sequence[int]]]
    """Document to metric to counts, in the order of the metric's ``count_names``."""

    @classmethod
    def of(cls, evaluation: Evaluation) -> SavedScores:
        """Take the counts of an evaluation of one segmenter, documents in order of their names."""
        if evaluation.references is None:
            raise ParameterError("scores of a stream are not kept by document: read the data to save them")
        if len(evaluation.segmenters) > 1:
            raise ParameterError(
                f"scores of one segmenter are saved, and there are {listed(evaluation.segmenters)}: "
                f"name the one to save, segmenters=[{evaluation.segmenters[0]!r}]"
            )
        own = {repr(summary.asked): summary for summary in evaluation.summaries}
        rows = {
            name: dict(zip(evaluation.documents, np.asarray(summary.counts).tolist(), strict=True))
            for name, summary in own.items()
        }
        saved = cls(
            __version__,
            {name: summary.metric.settings for name, summary in own.items()},
            digest_of(evaluation.references),
            evaluation.segmenters[0],
            {name: summary.micro.scale for name, summary in own.items()},
            {
                document: {name: rows[name][document] for name in own}
                for document in sorted(evaluation.documents)
            },
        )
        saved.check()
        return saved

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as files have it."""
        return plain_fields(self, ("caesura", "signature", "gold", "system", "scale", "documents"))

    def check(self) -> None:
        """Refuse what cannot be the counts of a system: names, numbers and digest must fit together."""
        if not self.caesura.split(".")[0].isdecimal():
            raise CorpusError(f"caesura is {short(self.caesura)}: expected a version")
        if len(self.gold) != DIGEST_LENGTH or not set(self.gold) <= set("0123456789abcdef"):
            raise CorpusError(f"gold is {short(self.gold)}: expected a SHA-256 in hexadecimal digits")
        if not self.signature or not self.documents:
            raise CorpusError(f"no {'documents' if self.signature else 'metrics'} in it")
        for name, signature in self.signature.items():
            known = _metric_of(name)
            if signature.split("|")[0] != known.name:
                raise CorpusError(f"signature: {short(signature)} does not belong to {known}")
            if self.scale.get(name, 0) < 1:
                raise CorpusError(
                    f"scale of {name} is {self.scale.get(name)}: expected a whole number from 1 on"
                )
            for document, counts in self.documents.items():
                if len(counts.get(name, ())) != len(known.count_names):
                    raise CorpusError(
                        f"document {short_name(document)}: {name} is {short(counts.get(name))}: expected "
                        f"{len(known.count_names)} counts, {listed(known.count_names)}"
                    )
        for name in self.signature:
            try:
                is_finite = bool(np.isfinite(self.counts(name)).all())
            except OverflowError:
                is_finite = False
            if not is_finite:
                raise CorpusError(f"the counts of {name} are too large")

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by their specifications."""
        return {name: _metric_of(name) for name in self.signature}

    def counts(self, name: str) -> FloatArray:
        """Return the counts of a metric, a row for each document in order of names."""
        scale = self.scale[name]
        return np.array(
            [
                [count / scale for count in self.documents[document][name]]
                for document in sorted(self.documents)
            ]
        )

    def score(self, name: str) -> Score:
        """Return the pooled value of all documents, exact until the last division."""
        totals = tuple(map(sum, zip(*(counts[name] for counts in self.documents.values()), strict=True)))
        return Score(self.metrics[name], totals, self.scale[name], len(self.documents))

    def values(self, name: str) -> dict[str, float]:
        """Return the value of each document, in order of names."""
        values = pooled(self.metrics[name], self.counts(name)).tolist()
        return dict(zip(sorted(self.documents), values, strict=True))

    def reason_apart(self, other: SavedScores, names: Collection[str] | None = None) -> str:
        """Return why scores cannot be compared with others; "" where they can, by these metrics or all."""
        mine, theirs = (each.caesura.split(".")[0] for each in (self, other))
        if mine != theirs:
            return f"caesura {self.caesura} counted it, and {other.caesura} the others"
        for lacking, more, word in ((self, other, "lacks"), (other, self, "has, beyond the others,")):
            if documents := sorted(more.documents.keys() - lacking.documents.keys()):
                return f"it {word} {listed([f'document {short_name(documents[0])}', *documents[1:]], 3)}"
        if self.gold != other.gold:
            return "its reference has the same documents, but other boundaries, units or coders"
        for name in other.signature if names is None else names:
            if name not in self.signature:
                return f"it has no {name}"
            if self.signature[name] != other.signature.get(name):
                return f"its {name} is {self.signature[name]}, not {other.signature.get(name)}"
        if names is None and (further := sorted(self.signature.keys() - other.signature.keys())):
            return f"it has {listed(further)}, too"
        return ""


def _metric_of(name: str) -> Metric:
    try:
        return metric(name)
    except CaesuraError as error:
        raise CorpusError(f"signature: {error}") from None
