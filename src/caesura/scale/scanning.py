"""scan() and Scan: a long table on disk, read when it is counted and never all at once."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from caesura.analyses.evaluation.counting import Question
from caesura.analyses.evaluation.streams import Run, Streamed
from caesura.checks import check_flag
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.io.files import natural_key
from caesura.scale.counting import BATCH_ROWS, EvaluationTask
from caesura.scale.pieces import BadFile, BadFileError, Piece, naming_file
from caesura.scale.readers import READERS, reader_of
from caesura.scale.summing import add_up
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import counted, listed

SIGNS = "*?["
"""What a pattern of file names has."""


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
        return add_up(task, self.pieces, run, hypotheses=hypothesis.pieces)

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
        A file, a folder, a pattern such as ``"data/part-*.parquet"``, or several of them.
    skip_bad
        Leave out files that cannot be read or do not hold the layout; results list them.
    """
    given = [path] if isinstance(path, (str, os.PathLike)) else [*path]
    if not given:
        raise ParameterError("scan() needs a file, a folder or a pattern")
    sources = [source for one in given for source in _sources(os.fspath(one))]
    return Scan(tuple(sources), skip_bad=check_flag("skip_bad", skip_bad))


def _sources(address: str) -> list[str]:
    """Return the files of a path, a folder or a pattern, in natural order."""
    path = Path(address)
    if path.is_dir():
        extensions = tuple(extension for reader in READERS.values() for extension in reader.extensions)
        found = [
            str(file)
            for file in path.rglob("*")
            if file.is_file()
            and file.name.lower().endswith(extensions)
            and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        ]
        if not found:
            raise CorpusError(f"{address}: the folder holds no {' or '.join(extensions)} files")
    elif path.exists():
        found = [address]
    elif any(sign in address for sign in SIGNS):
        found = glob.glob(address, recursive=True)
        if not found:
            raise CorpusError(f"{address}: no file fits this pattern")
    else:
        raise CorpusError(f"{address}: there is no such file or folder")
    for one in found:
        reader_of(one)
    return sorted(found, key=lambda one: natural_key(Path(one)))
