"""scan() and Scan: a long table on disk, read while it is counted and never all at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from caesura.analyses.evaluation.counting import Question as EvaluationQuestion
from caesura.checks import check_flag
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean, unknown
from caesura.io.addresses import find_files
from caesura.scale.counting import AT_ONCE, CorpusTask, EvaluationTask, with_total
from caesura.scale.data_files import BadFileError, DataFile, Wanted, n_rows_of, naming_file
from caesura.scale.readers import check_one_kind, located_rows, look_at
from caesura.scale.rows import LONG_TABLE
from caesura.scale.summing import add_up
from caesura.sums.streams import Question, Run, Total
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed


@dataclass(frozen=True, eq=False)
class Scan:
    """Files of the long table, with rows in any order, and the selected coders."""

    sources: tuple[str, ...]
    """The files, in the order in which they are read."""
    chosen: tuple[str, ...] | None = None
    """The selected coders; None: all."""
    declared: TypeScheme | None = None
    """What types mean, in place of what the files say."""
    skip_bad: bool = False
    """Whether files that cannot be read, or do not hold the layout, are skipped."""
    batch_rows: int = AT_ONCE

    def select(self, *, coders: Sequence[str] | None = None) -> Self:
        """Return the scan of these coders' codings; nothing is read."""
        if coders is None:
            return self
        if isinstance(coders, str) or not len(coders):
            raise ParameterError(f"coders is {coders!r}: give a list of at least one")
        for coder in coders:
            if self.chosen is not None and coder not in self.chosen:
                raise unknown("coder", coder, self.chosen)
        return replace(self, chosen=tuple(dict.fromkeys(coders)))

    def with_type_scheme(self, scheme: TypeScheme | None) -> Self:
        """Return the scan whose types this scheme declares."""
        return replace(self, declared=scheme)

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The selected coders, or else all who occur, for which their column is read."""
        coders = self.chosen or tuple(dict.fromkeys(self._coders_of_rows()))
        if not coders:
            raise CorpusError("the files have no rows")
        return coders

    def has(self, coders: Iterable[str]) -> bool:
        """Return whether all of these occur; files are read only until they do."""
        missing = set(coders)
        for coder in self._coders_of_rows():
            missing.discard(coder)
            if not missing:
                break
        return not missing

    def _coders_of_rows(self) -> Iterator[str]:
        """Yield the distinct coders of a batch of rows, then those of the next."""
        for file in self.files:
            try:
                for rows in located_rows(file, Wanted(coders_only=True)):
                    yield from rows.table["coder"].unique().to_pylist()
            except BadFileError:
                if not self.skip_bad:
                    raise

    @cached_property
    def type_scheme(self) -> TypeScheme | None:
        """What the types of boundaries mean: as declared, or as the files say, which must agree."""
        if self.declared is not None or not self.files:
            return self.declared
        first = self.files[0]
        for file in self.files:
            if file.scheme != first.scheme:
                fault = f"it declares other types than {first.path}; choose with scan.with_type_scheme()"
                raise CorpusError(f"{file.path}: {fault}")
        return first.scheme

    @property
    def files(self) -> tuple[DataFile, ...]:
        """What the files say about themselves, without those that are skipped."""
        return self._looked_at[0]

    @cached_property
    def _looked_at(self) -> tuple[tuple[DataFile, ...], tuple[BadFileError, ...]]:
        good, bad = [], []
        for path in self.sources:
            try:
                with naming_file(path):
                    good.append(look_at(path))
            except BadFileError as error:
                if not self.skip_bad:
                    raise
                bad.append(error)
        return tuple(good), tuple(bad)

    @property
    def n_rows(self) -> int | None:
        """Number of rows of all coders; None where only reading shows it."""
        return n_rows_of(self.files)

    def evaluation_sums(self, hypothesis: Self, question: EvaluationQuestion, run: Run) -> Total:
        """Return the sums of segmenters against references over all documents, by stratum."""
        sides = [self.files] if hypothesis.sources == self.sources else [self.files, hypothesis.files]
        if len(sides) > 1 and (self.skip_bad or hypothesis.skip_bad):
            raise ParameterError("skip_bad is for one scan; read references and hypotheses as one scan")
        task = EvaluationTask(
            question, self.coders, by=run.by, scheme=self.type_scheme, batch_rows=self.batch_rows
        )
        task = replace(task, with_documents=run.documents is not None)
        bad = self._looked_at[1]
        if run.by is not None:
            sides[0], lacking = self._with_column(run.by)
            bad += lacking
        total = add_up(task, sides, run, bad=bad if self.skip_bad else None)
        return total._replace(sums=with_total(total.sums))

    def corpus_sums(self, question: Question, run: Run) -> Total:
        """Return the sums of a question about corpora over all documents."""
        task = CorpusTask(question, self.chosen, scheme=self.type_scheme, batch_rows=self.batch_rows)
        return add_up(task, [self.files], run, bad=self._looked_at[1] if self.skip_bad else None)

    def _with_column(self, by: str) -> tuple[tuple[DataFile, ...], tuple[BadFileError, ...]]:
        """Return the files that have the column of strata, and the errors of the others."""
        if by in LONG_TABLE:
            raise ParameterError(f"by is {by!r}: give a column beside {', '.join(LONG_TABLE[:-1])}")
        good = tuple(file for file in self.files if by in file.further)
        errors = []
        for file in (file for file in self.files if file not in good):
            known = did_you_mean(by, [*file.further]) if file.further else "no further columns"
            fault = f"{file.path}: unknown column {short_name(by)!r}; {known}"
            if not self.skip_bad or not good:
                raise UnknownNameError(fault)
            errors.append(BadFileError(fault, file.path))
        return good, tuple(errors)

    def __repr__(self) -> str:
        who = "" if self.chosen is None else f", coders {listed(self.chosen)}"
        return f"<Scan of {counted(len(self.sources), 'file')}{who}>"


def scan(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, skip_bad: bool = False) -> Scan:
    """Return a scan of files with the long table: document, coder, n_units, positions (and types).

    Rows can be in any order. ``caesura.evaluate``, ``agreement`` and ``describe`` read a scan batch by
    batch, on all cores, and bring the rows of a document together on the disk where they are not.

    Parameters
    ----------
    path
        A file, a folder, a pattern such as ``"data/part-*.parquet"``, a URL such as ``"s3://bucket/data"``,
        or a list of these: Parquet, or JSON Lines or CSV, plain or compressed by gzip or Zstandard.
    skip_bad
        Skip files that cannot be read or do not hold the layout; results list them.
    """
    sources = find_files(path)
    check_one_kind(sources)
    return Scan(sources, skip_bad=check_flag("skip_bad", skip_bad))
