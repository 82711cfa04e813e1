"""scan() and Scan: a long table on disk, read when it is counted and never all at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Self

from caesura.analyses.evaluation.counting import Question as EvaluationQuestion
from caesura.checks import check_flag
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.scale.addresses import find_files
from caesura.scale.corpus_counting import CorpusTask
from caesura.scale.counting import EvaluationTask, empty_sums
from caesura.scale.pieces import NEEDED, BadFile, BadFileError, Piece, naming_file
from caesura.scale.ranges import name_ranges
from caesura.scale.readers import READERS, reader_of
from caesura.scale.summing import add_up
from caesura.scale.tasks import BATCH_ROWS
from caesura.sums.named import added
from caesura.sums.streams import Question, Run, Total
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed, short


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
        found = tuple(dict.fromkeys(self._coders_of_batches()))
        if not found:
            raise CorpusError("the files have no rows")
        return found

    def has(self, coders: Iterable[str]) -> bool:
        """Whether all of these occur; files are read only until they do."""
        missing = set(coders)
        for coder in self._coders_of_batches():
            missing.discard(coder)
            if not missing:
                return True
        return not missing

    def _coders_of_batches(self) -> Iterator[str]:
        """Yield the coders of each batch, each once there."""
        for piece in self.pieces:
            try:
                with naming_file(piece.path):
                    for where, table in READERS[piece.reader].batches(piece, ["coder"], self.batch_rows):
                        if "coder" not in table.column_names:
                            raise BadFileError(f"{where}: there is no column 'coder'")
                        yield from map(_coder_name, table["coder"].unique().to_pylist(), repeat(where))
            except BadFileError:
                if not self.skip_bad:
                    raise

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

    def judged_sums(self, hypothesis: Self, question: EvaluationQuestion, run: Run) -> Total:
        """Return the sums of segmenters against references over all documents, by stratum."""
        if run.by is not None:
            self._check_column(run.by)
        task = EvaluationTask(
            question,
            self.coders,
            by=run.by,
            scheme=self.type_scheme,
            with_documents=run.documents is not None,
            batch_rows=self.batch_rows,
        )
        if hypothesis.sources == self.sources:
            found = add_up(task, self.pieces, run, bad=self._left_out)
        else:
            found = self._joined_sums(hypothesis, task, run)
        total = empty_sums(question)
        for name, tally in found.sums.items():  # of all, or of a stratum
            total = added(total, {name[-1:]: tally})
        return found._replace(sums=total if run.by is None else {**found.sums, **total})

    def _joined_sums(self, hypothesis: Self, task: EvaluationTask, run: Run) -> Total:
        """Return the sums where hypotheses are in files of their own."""
        if self.skip_bad or hypothesis.skip_bad:
            raise ParameterError(
                "skip_bad is for one scan: without a file of references or hypotheses, the others' documents "
                "would have nothing to be compared with"
            )
        if run.resume is None:
            # It reads everything once, where two ranges that share a row group both read it.
            return add_up(task, self.pieces, run, hypotheses=hypothesis.pieces)
        ranges = name_ranges(self.pieces, hypothesis.pieces)
        if ranges is None:
            raise ParameterError(
                "resume needs references and hypotheses in one scan, or each in sorted Parquet: caesura "
                "convert sorts them"
            )
        return add_up(task, self.pieces, run, ranges=ranges)

    def corpus_sums(self, question: Question, run: Run) -> Total:
        """Return the sums of a question about corpora over all documents."""
        task = CorpusTask(question, self.chosen, scheme=self.type_scheme, batch_rows=self.batch_rows)
        return add_up(task, self.pieces, run, bad=self._left_out)

    @property
    def _left_out(self) -> tuple[BadFile, ...] | None:
        """The files that cannot be opened, where these are left out; None: they are errors."""
        return self._divided[1] if self.skip_bad else None

    def _check_column(self, by: str) -> None:
        """Refuse what cannot divide documents before anything is counted; files may still differ in it."""
        if by in (*NEEDED, "types"):
            raise ParameterError(f"by is {by!r}: give a column beside {', '.join(NEEDED)}")
        columns: Sequence[str] = ()
        for path in [*self._divided[0]][: None if self.skip_bad else 1]:
            with naming_file(path):
                columns = reader_of(path).columns(path)
            if by in columns:
                return
        further = [name for name in columns if name not in (*NEEDED, "types")]
        if columns:
            known = did_you_mean(by, further) if further else "it has none beside the layout's"
            raise UnknownNameError(f"{path}: there is no column {short_name(by)!r}; {known}")

    def __repr__(self) -> str:
        who = "" if self.chosen is None else f", coders {listed(self.chosen)}"
        return f"<Scan of {counted(len(self.sources), 'file')}{who}>"


def _coder_name(value: object, where: str) -> str:
    """Return a value of the column of coders as a name."""
    if value is None:
        raise BadFileError(f"{where}: there is a row without a coder")
    if not isinstance(value, (str, int)):
        raise BadFileError(f"{where}: the coder is {short(value)}: expected text")
    return str(value)


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
