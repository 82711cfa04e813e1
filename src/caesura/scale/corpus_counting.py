"""What agreement() and describe() count of a piece: the sums of whole documents as a corpus by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from caesura.errors import UnknownNameError, did_you_mean
from caesura.scale.documents import DocumentRows
from caesura.scale.parts import Part
from caesura.scale.tasks import Task
from caesura.sums.streams import Question
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name


@dataclass(frozen=True)
class CorpusTask(Task):
    """Asks the same question of the documents of every piece."""

    question: Question
    coders: tuple[str, ...] | None = None
    """The coders who are selected; None: all."""

    @property
    def about(self) -> list[Any]:
        """The question, coders and types."""
        return [
            type(self.question).__name__,
            *self.question.about,
            self.coders,
            None if self.scheme is None else self.scheme.to_dict(),
        ]

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as there are."""
        self.question.check(total.sums)

    def check_total(self, total: Part) -> None:
        """Refuse coders that occur nowhere."""
        there = set(total.coders)
        for name in self.coders or ():
            if name not in there:
                raise UnknownNameError(
                    f"there is no coder {short_name(name)!r}; {did_you_mean(name, total.coders)}"
                )

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, other: Corpus) -> Part:
        if self.coders is not None:
            corpus = corpus.select(coders=[name for name in self.coders if name in corpus.coder_numbers])
        return replace(part, sums=self.question.count(corpus)) if len(corpus) else part
