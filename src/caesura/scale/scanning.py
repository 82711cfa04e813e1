"""scan() and Scan: a long table on disk, read when it is counted and never all at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from caesura.analyses.evaluation.counting import Question
from caesura.analyses.evaluation.streams import Run, Streamed
from caesura.checks import check_flag
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.scale.addresses import find_files
from caesura.scale.counting import BATCH_ROWS, EvaluationTask
from caesura.scale.documents import DocumentRows, whole_documents
from caesura.scale.joining import joined
from caesura.scale.pieces import BadFile, BadFileError, Piece, naming_file
from caesura.scale.readers import READERS, reader_of
from caesura.scale.summing import add_up
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed


@dataclass(frozen=True, eq=False)
class Scan:
    """Files that hold the long table, the rows of one document together, and which coders are meant."""

    sources: tuple[str, ...]
    """The files, in the order in which they are read."""
    chosen: tuple[str, ...] | None = None
    """The coders who are selected; None: all."""
    declared: TypeScheme | None = None
    """What types mean, in place of what the files say."""
    skip_bad: bool = False
    """Whether files that cannot be read, or do not hold the layout, are left out."""
    batch_rows: int = BATCH_ROWS

    def select(self, *, coders: Sequence[str] | None = None) -> Self:
        """Return the scan of these coders' codings; nothing is read."""
        if coders is None:
            return self
        if isinstance(coders, str) or not len(coders):
            raise ParameterError(f"coders is {coders!r}: give a list of at least one")
        wanted = tuple(dict.fromkeys(coders))
        if self.chosen is not None:
            for coder in wanted:
                if coder not in self.chosen:
                    raise UnknownNameError(
                        f"there is no coder {short_name(coder)!r}; {did_you_mean(coder, self.chosen)}"
                    )
        return replace(self, chosen=wanted)

    def with_type_scheme(self, scheme: TypeScheme | None) -> Self:
        """Return the scan whose types this scheme declares."""
        return replace(self, declared=scheme)

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders who are selected, or else all who occur, for which their column is read."""
        if self.chosen is not None:
            return self.chosen
        found: dict[str, None] = {}
        for piece in self.pieces:
            try:
                with naming_file(piece.path):
                    for where, table in READERS[piece.reader].batches(piece, ["coder"], self.batch_rows):
                        if "coder" not in table.column_names:
                            raise BadFileError(f"{where}: there is no column 'coder'")
                        found.update(dict.fromkeys(table["coder"].unique().to_pylist()))
            except BadFileError:
                if not self.skip_bad:
                    raise
        return tuple(str(name) for name in found)

    @cached_property
    def type_scheme(self) -> TypeScheme | None:
        """What the types of boundaries mean: as declared, or as the files say, which must agree."""
        if self.declared is not None:
            return self.declared
        schemes = [(path, reader_of(path).scheme(path)) for path in self._divided[0]]
        if not schemes:
            return None
        for path, scheme in schemes[1:]:
            if scheme != schemes[0][1]:
                raise CorpusError(
                    f"{path}: it declares other types than {schemes[0][0]}; scan.with_type_scheme() says "
                    "which are meant"
                )
        return schemes[0][1]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """What is read and counted by itself."""
        return tuple(piece for pieces in self._divided[0].values() for piece in pieces)

    @cached_property
    def _divided(self) -> tuple[dict[str, tuple[Piece, ...]], tuple[BadFile, ...]]:
        """The pieces of each file that can be opened, and those that cannot, if they are to be left out."""
        good: dict[str, tuple[Piece, ...]] = {}
        bad = []
        for path in self.sources:
            try:
                with naming_file(path):
                    good[path] = tuple(reader_of(path).pieces(path))
            except BadFileError as error:
                if not self.skip_bad:
                    raise
                bad.append(BadFile(path, str(error)))
        return good, tuple(bad)

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, of all coders; None where only reading tells."""
        rows = [piece.n_rows for piece in self.pieces]
        return None if None in rows else sum(n for n in rows if n is not None)

    def judged_sums(self, hypothesis: Self, question: Question, run: Run) -> Streamed:
        """Return the sums of a question over all documents."""
        task = EvaluationTask(
            question,
            self.coders,
            run.by,
            self.type_scheme,
            run.documents is not None,
            self.batch_rows,
        )
        if hypothesis.sources == self.sources:
            return add_up(task, self.pieces, run, bad=self._divided[1] if self.skip_bad else None)
        if run.resume is not None or self.skip_bad or hypothesis.skip_bad:
            raise ParameterError("resume and skip_bad are for one scan that holds references and hypotheses")
        pairs = joined(self._documents(task), hypothesis._documents(replace(task, by=None)))
        return add_up(task, self.pieces, run, joined_rows=pairs)

    def _documents(self, task: EvaluationTask) -> Iterator[DocumentRows]:
        """Read whole documents, one batch after the other."""
        return whole_documents(batch for piece in self.pieces for batch in task.read(piece))

    def __repr__(self) -> str:
        who = "" if self.chosen is None else f", coders {listed(self.chosen)}"
        return f"<Scan of {counted(len(self.sources), 'file')}{who}>"


def scan(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, skip_bad: bool = False) -> Scan:
    """Return a scan of files that hold the long table: document, coder, n_units, positions (and types).

    The rows of one document must stand together; ``caesura convert`` writes tables so. Nothing is held in
    memory: ``caesura.evaluate`` reads a scan batch by batch, on all cores.

    Parameters
    ----------
    path
        A file, a folder, a pattern such as ``"data/part-*.parquet"``, a URL such as ``"s3://bucket/data"``,
        or several of them: Parquet or JSON Lines, plain or packed by gzip or Zstandard.
    skip_bad
        Leave out files that cannot be read or do not hold the layout; results list them.
    """
    sources = find_files(path)
    kind = reader_of(sources[0]).name
    for one in sources[1:]:
        if reader_of(one).name != kind:
            raise CorpusError(
                f"{one}: it is {reader_of(one).name} where {sources[0]} is {kind}: scan one kind at a time"
            )
    return Scan(sources, skip_bad=check_flag("skip_bad", skip_bad))
