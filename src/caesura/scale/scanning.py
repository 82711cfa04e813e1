"""scan() and Scan: a long table on disk, read when it is counted and never all at once."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from caesura.analyses.evaluation.counting import Question, Sums
from caesura.analyses.evaluation.streams import Run
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.io.files import natural_key
from caesura.scale.counting import BATCH_ROWS, EvaluationTask
from caesura.scale.documents import DocumentRows, whole_documents
from caesura.scale.joining import joined
from caesura.scale.pieces import Piece
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
            for batch in READERS[piece.reader].batches(piece, ["coder"], self.batch_rows):
                if "coder" not in batch.table.column_names:
                    raise CorpusError(f"{batch.where}: there is no column 'coder'")
                found.update(dict.fromkeys(batch.table["coder"].unique().to_pylist()))
        return tuple(found)

    @cached_property
    def type_scheme(self) -> TypeScheme | None:
        """What the types of boundaries mean: as declared, or as the files say, which must agree."""
        if self.declared is not None:
            return self.declared
        schemes = [(path, reader_of(path).scheme(path)) for path in self.sources]
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
        return tuple(piece for path in self.sources for piece in reader_of(path).pieces(path))

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, of all coders; None where only reading tells."""
        rows = [piece.n_rows for piece in self.pieces]
        return None if None in rows else sum(n for n in rows if n is not None)

    def judged_sums(self, hypothesis: Self, question: Question, run: Run) -> tuple[Sums, Mapping[str, Sums]]:
        """Return the sums of a question over all documents, and by stratum where these are asked for."""
        task = EvaluationTask(
            question,
            self.coders,
            run.by,
            self.type_scheme,
            run.documents is not None,
            self.batch_rows,
        )
        if hypothesis.sources == self.sources:
            return add_up(task, self.pieces, self.pieces, run)
        pairs = joined(self._documents(task), hypothesis._documents(replace(task, by=None)))
        return add_up(task, pairs, self.pieces, run)

    def _documents(self, task: EvaluationTask) -> Iterator[DocumentRows]:
        """Read whole documents, one batch after the other."""
        return whole_documents(batch for piece in self.pieces for batch in task.read(piece))

    def __repr__(self) -> str:
        who = "" if self.chosen is None else f", coders {listed(self.chosen)}"
        return f"<Scan of {counted(len(self.sources), 'file')}{who}>"


def scan(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Scan:
    """Return a scan of files that hold the long table: document, coder, n_units, positions (and types).

    The rows of one document must stand together; ``caesura convert`` writes tables so. Nothing is held in
    memory: ``caesura.evaluate`` reads a scan batch by batch, on all cores.

    Parameters
    ----------
    path
        A file, a folder, a pattern such as ``"data/part-*.parquet"``, or several of them.
    """
    given = [path] if isinstance(path, (str, os.PathLike)) else [*path]
    if not given:
        raise ParameterError("scan() needs a file, a folder or a pattern")
    sources = [source for one in given for source in _sources(os.fspath(one))]
    return Scan(tuple(sources))


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
