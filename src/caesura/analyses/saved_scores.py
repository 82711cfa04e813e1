"""Scores to compare later: a system's counts for every document, and a digest of the references.

They hold neither texts nor boundaries. The gate and the board compare scores of the same metrics, references
and major version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
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
    """Return the SHA-256 of a corpus's names, units and boundaries, as a line of JSON for each coding.

    A line is ``["document", "coder", units, [positions]]``, with a list of types where a type is not the
    plain one; the order is that of the names of documents, then of coders.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [5]}, "c": {"ann": [4]}})
    >>> digest_of(corpus)[:8] == digest_of(corpus.select(documents=["c", "d"]))[:8]
    True
    """
    codings = corpus.codings
    columns = (
        [corpus.documents[number] for number in corpus.document.tolist()],
        [corpus.coders[number] for number in corpus.coder.tolist()],
        codings.n_units.tolist(),
        *(lists_of(codings.offsets, each) for each in (codings.positions, codings.all_types)),
    )
    digest = hashlib.sha256()
    for *line, types in sorted(zip(*columns, strict=True), key=itemgetter(0, 1)):
        line += [types] if any(each != PLAIN_TYPE for each in types) else []
        digest.update(json.dumps(line).encode("ascii") + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True)
class SavedScores:
    """The scores of one system, as counts of every document."""

    caesura: str
    """The version that made the counts."""
    signature: Mapping[str, str]
    """Of each metric, by its specification."""
    gold: str
    """The digest of the references."""
    system: str
    scale: Mapping[str, int]
    """The units of a metric's counts that make 1."""
    documents: Mapping[str, Mapping[str, Sequence[int]]]
    """Document to metric to counts, in the order of the metric's ``count_names``."""

    @classmethod
    def of(cls, evaluation: Evaluation) -> SavedScores:
        """Take the counts of an evaluation of one segmenter, documents in order of their names."""
        if evaluation.references is None:
            raise ParameterError("scores of a stream are not known by document; read the data to save them")
        if len(evaluation.segmenters) > 1:
            segmenters, first = listed(evaluation.segmenters), evaluation.segmenters[0]
            raise ParameterError(f"cannot save {segmenters} together; choose one, segmenters=[{first!r}]")
        own = {repr(summary.requested): summary for summary in evaluation.summaries}
        counts = [np.asarray(summary.counts).tolist() for summary in own.values()]
        rows = {
            document: dict(zip(own, row, strict=True))
            for document, *row in zip(evaluation.documents, *counts, strict=True)
        }
        saved = cls(
            __version__,
            {name: summary.metric.settings for name, summary in own.items()},
            digest_of(evaluation.references),
            evaluation.segmenters[0],
            {name: summary.micro.scale for name, summary in own.items()},
            dict(sorted(rows.items())),
        )
        saved.check()
        return saved

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as files have it."""
        return plain_fields(self, ("caesura", "signature", "gold", "system", "scale", "documents"))

    def check(self) -> None:
        """Refuse names, numbers or a digest that do not fit together."""
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
                raise CorpusError(f"scale of {name} is {self.scale.get(name)}: expected at least 1")
            for document, counts in self.documents.items():
                if len(counts.get(name, ())) != len(known.count_names):
                    fault = f"document {short_name(document)}: {name} is {short(counts.get(name))}"
                    raise CorpusError(f"{fault}: expected the counts {listed(known.count_names)}")
            try:
                self.counts(name)
            except OverflowError:
                raise CorpusError(f"the counts of {name} are too large") from None

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by their specifications."""
        return {name: _metric_of(name) for name in self.signature}

    def counts(self, name: str) -> FloatArray:
        """Return the counts of a metric, a row for each document in order of names."""
        scale, rows = self.scale[name], [counts[name] for _, counts in sorted(self.documents.items())]
        return np.array([[count / scale for count in row] for row in rows])

    def score(self, name: str) -> Score:
        """Return the pooled value of all documents, exact until the last division."""
        totals = tuple(map(sum, zip(*(counts[name] for counts in self.documents.values()), strict=True)))
        return Score(self.metrics[name], totals, self.scale[name], len(self.documents))

    def values(self, name: str) -> dict[str, float]:
        """Return the value of each document, in order of names."""
        values = pooled(self.metrics[name], self.counts(name)).tolist()
        return dict(zip(sorted(self.documents), values, strict=True))

    def reason_apart(self, other: SavedScores, names: Collection[str] | None = None) -> str:
        """Return why scores cannot be compared with others by these metrics, or by all; "" if they can."""
        mine, theirs = (each.caesura.split(".")[0] for each in (self, other))
        if mine != theirs:
            return f"caesura {self.caesura} counted it, and {other.caesura} the others"
        for lacking, more, verb in ((self, other, "lacks"), (other, self, "also has")):
            if documents := sorted(more.documents.keys() - lacking.documents.keys()):
                return f"it {verb} {listed([f'document {short_name(documents[0])}', *documents[1:]], 3)}"
        if self.gold != other.gold:
            return "its reference has the same documents, but other boundaries, units or coders"
        for name in other.signature if names is None else names:
            if name not in self.signature:
                return f"it has no {name}"
            if self.signature[name] != other.signature.get(name):
                return f"its {name} is {self.signature[name]}, not {other.signature.get(name)}"
        if names is None and (further := sorted(self.signature.keys() - other.signature.keys())):
            return f"it also has {listed(further)}"
        return ""


def _metric_of(name: str) -> Metric:
    try:
        return metric(name)
    except CaesuraError as error:
        raise CorpusError(f"signature: {error}") from None
