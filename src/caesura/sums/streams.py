"""The interface of a stream of codings: sums over all documents, from any engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from caesura.pairs import Typed
from caesura.sums.tallies import Name, Sums
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme


@dataclass(frozen=True)
class Progress:
    """The progress of reading a stream."""

    documents: int
    rows: int
    all_rows: int | None
    """None if unknown."""
    share: float | None = None
    """The share of the files that has been read; None if unknown."""


Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class Run:
    """How to read and count a stream."""

    engine: Any = None
    by: str | None = None
    """The column with the strata of documents."""
    documents: Path | None = None
    """The file for values of single documents."""
    progress: Watch | None = None
    resume: Path | None = None
    """The folder that stores counted parts."""
    remark: Callable[[str], None] = warnings.warn
    """Takes remarks on parts that are counted again or skipped."""

    @classmethod
    def of(cls, engine: Any, progress: Watch | None, resume: str | PathLike[str] | None) -> Run:
        """Return a run over the whole stream."""
        return cls(engine, progress=progress, resume=None if resume is None else Path(fspath(resume)))


class Total(NamedTuple):
    """The sums of a whole stream."""

    sums: Sums
    coders: tuple[str, ...]
    """All coders in the stream."""
    left_out: tuple[str, ...] = ()
    """The error of each skipped file."""
    typed: Typed = Typed()
    """The coders with several boundary types."""


class Question(Protocol):
    """What to count in documents: a pure function that pickles; its repr identifies it."""

    def count(self, corpus: Corpus) -> Sums:
        """Return sums by name; the sums of two sets of documents add up, name by name."""

    def check(self, names: Collection[Name]) -> None:
        """Raise ParameterError for more sums than memory should hold."""


class CodingStream(Protocol):
    """Codings that are counted while they are read, never all in memory."""

    @property
    def coders(self) -> tuple[str, ...]:
        """The selected coders, or else all coders."""

    @property
    def type_scheme(self) -> TypeScheme | None:
        """The declared types of boundaries, or None."""

    def select(self, *, coders: Sequence[str] | None = None) -> Self:
        """Return the stream of these coders' codings."""

    def evaluation_sums(self, hypothesis: Self, question: Any, run: Run) -> Total:
        """Return the sums of segmenters against references over all documents, by stratum."""

    def corpus_sums(self, question: Question, run: Run) -> Total:
        """Return the sums of a question about corpora over all documents."""
