"""Streaming: when DATA is streamed, and its options."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.analyses.evaluation import Evaluation, evaluate
from caesura.cli.options import NEW_FILE, Names, Parsed, bundle, check_new, first_given, flag, option
from caesura.cli.reading import INCOMPLETE, Reading, chosen_coders, split_name
from caesura.cli.remarks import echo, noting, stream_bar, understood
from caesura.cli.roles import check_hypothesis, named_roles
from caesura.errors import CaesuraError, ParameterError
from caesura.io.addresses import find_files, is_url
from caesura.metrics.base import Metric
from caesura.scale.data_files import DataFile
from caesura.scale.engines.registry import engine_of
from caesura.scale.engines.threads import Threads
from caesura.scale.parts import parts_in
from caesura.scale.readers import look_at
from caesura.scale.scanning import Scan, scan
from caesura.wording import counted

C = TypeVar("C", bound=Callable[..., Any])

LARGE = 2**26
"""The bytes of Parquet and JSON Lines from which files are streamed."""

STOPPED = 130
"""The exit code of shells after Ctrl-C."""

PARQUET = (".parquet", ".pq")


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of the GNU C library."""

HELD_BYTES = 32 << 20
"""The bytes of the largest array whose memory is held, and half of all memory that may be held."""


@cache
def keep_freed_memory() -> None:
    """Make the C library hold the memory of freed arrays for the next batch, in processes of commands.

    By default, freed arrays of a megabyte go back to the system, and page faults of the next arrays take a
    third of the time. Only the GNU library has this setting. Importing caesura does not change it.
    """
    import ctypes  # slow to import

    with suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(TRIM_THRESHOLD, 2 * HELD_BYTES)
        library.mallopt(MMAP_THRESHOLD, HELD_BYTES)


def is_streamed(data: Sequence[str], *, is_wanted: bool) -> bool:
    """Return whether to stream: URLs, large files of the layout, or all files of the layout if wanted."""
    return any(map(is_url, data)) or streamable(data, LARGE, is_wanted=is_wanted)


@dataclass(frozen=True)
class Streaming:
    """The options of streaming."""

    stream: bool
    resume: Path | None
    skip_bad: bool
    engine: int | str | None
    by: str | None = None
    documents: Path | None = None

    @property
    def required_by(self) -> str | None:
        """The first option that requires streaming."""
        engine = self.engine is not None  # it may be 0
        given = {"--stream": self.stream, "--documents": self.documents, "--resume": self.resume}
        return first_given({**given, "--skip-bad": self.skip_bad, "--engine": engine})

    def scans(self, reading: Reading, data: Sequence[str], hindrance: str | None) -> list[Scan] | None:
        """Return scans of DATA if it is large or an option requires them; None: read it into memory.

        ``hindrance`` is an option that needs DATA in memory.
        """
        if hindrance is None and not reading.is_plain:
            hindrance = "an option on how DATA is read"
        if hindrance is None and any(split_name(argument).coder for argument in data):
            hindrance = "a coder's name before DATA"
        if self.required_by is None:
            is_wanted = hindrance is None and is_streamed(data, is_wanted=self.by is not None)
            return [scan(self._address(address)) for address in data] if is_wanted else None
        if hindrance is not None:
            raise click.UsageError(f"{self.required_by} streams DATA, but {hindrance} needs it in memory")
        if len(data) > 1 and self.skip_bad:
            raise click.UsageError("--skip-bad needs references and segmenters in one DATA")
        scans = [scan(self._address(address), skip_bad=self.skip_bad) for address in data]
        self._check_target(scans)
        return scans

    def _address(self, address: str) -> str:
        """Return the address for workers, which may have another working directory."""
        return address if is_url(address) or self._is_here else os.path.abspath(address)

    @property
    def _is_here(self) -> bool:
        return isinstance(engine_of(self.engine), Threads)

    def _check_target(self, scans: Sequence[Scan]) -> None:
        """Refuse to overwrite DATA with the values of documents."""
        if self.documents is not None and self.documents.exists():
            for file in (file for scan in scans for file in scan.sources if not is_url(file)):
                if os.path.samefile(file, self.documents):
                    raise click.UsageError(f"--documents {self.documents} is one of DATA")

    def evaluate(
        self, data: Sequence[str], scans: list[Scan], names: Names, metrics: Sequence[Metric], **settings: Any
    ) -> Evaluation:
        """Evaluate one scan, or references and hypotheses in two; report the input."""
        check_hypothesis(len(scans) > 1, names.segmenters)
        people, machines = named_roles(scans[0], scans[1] if len(scans) > 1 else None, names)
        settings |= {"by": self.by, "documents": self.documents}
        with self.running("scoring") as running:
            evaluation = evaluate(people, machines, metrics, **settings, **running)
        where = f"in {self.documents}" if self.documents else "not listed (--documents FILE.parquet has them)"
        self.say(data, scans, evaluation.size.documents, where, evaluation.left_out)
        return evaluation

    @contextmanager
    def running(self, task: str) -> Iterator[dict[str, Any]]:
        """Yield the engine, the folder of parts and the progress bar; warnings become notes."""
        keep_freed_memory()
        with self._stopping(), noting(), stream_bar(task) as watch:
            yield {"engine": self.engine, "resume": self.resume, "progress": watch}

    def say(
        self, data: Sequence[str], scans: list[Scan], n_documents: int, where: str, left_out: Sequence[str]
    ) -> None:
        """Report the streamed files, the workers, where values are, and skipped files."""
        files = {file for scan in scans for file in scan.sources}
        by_workers = "" if self._is_here else f" by {self.engine}"
        without = f", {len(left_out)} of them left out" if left_out else ""
        n = counted(n_documents, "document")
        read = f"{' and '.join(data)} as a stream{by_workers} ({counted(len(files), 'file')}{without})"
        understood(f"read {read}: {n}, {where}")
        for line in left_out:
            echo(f"skipped: {line}")
            click.get_current_context().meta[INCOMPLETE] = True

    def coder_scan(
        self, reading: Reading, data: Sequence[str], coders: Sequence[str], hindrance: str | None
    ) -> Scan | None:
        """Return the scan of coders in one DATA if it is streamed; None: read it into memory."""
        several = "a second DATA" if len(data) > 1 else None
        scans = self.scans(reading, data, hindrance or several)
        if scans is None:
            return None
        return scans[0].select(coders=chosen_coders(coders, scans[0]) or None)

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Report how to resume after Ctrl-C."""
        try:
            yield
        except KeyboardInterrupt:
            if self.resume is None:
                echo("stopped; use --resume FOLDER next time to keep the counts")
            elif any(parts_in(self.resume)):
                echo(f"stopped; the counts are in {self.resume}: run the same command again to resume")
            else:
                echo(f"stopped; nothing was counted yet, so {self.resume} is empty")
            raise click.exceptions.Exit(STOPPED) from None


def streamable(data: Sequence[str], least: int, *, is_wanted: bool) -> bool:
    """Return whether DATA has the layout, and is wanted as a stream, named by a pattern, or large."""
    try:
        files: list[DataFile] = []
        for address in data:
            looked_at = [look_at(file) for file in find_files(address)]
            if len({file.kind for file in looked_at}) > 1:
                return False
            files += looked_at
    except (CaesuraError, OSError):
        return False  # another table, which needs all rows
    if any(file.kind == "csv" or file.has_labels or file.path.lower().endswith(".json") for file in files):
        return False  # other formats have the same extension
    is_pattern = not all(Path(address).exists() for address in data)
    return is_wanted or is_pattern or sum(file.n_bytes for file in files) >= least


# -------------------------------------------------------------------- options


ENGINES = "threads, a number of threads, dask://HOST:PORT, spark or spark://HOST:PORT"


def _engine(text: str) -> int | str:
    engine = int(text) if text.isdecimal() and len(text) < 6 else text
    try:
        engine_of(engine)
    except ParameterError:
        raise ParameterError(f"{text!r} is not an engine: expected {ENGINES}") from None
    return engine


ENGINE = Parsed("engine", _engine)
"""The name or address of an engine, or a number of threads."""


def _check_documents(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in PARQUET:
        raise click.UsageError(f"--documents {path} is written as Parquet: call it {path.stem}.parquet")
    return check_new(context, parameter, path)  # type: ignore[no-any-return]


_STREAM = flag(
    "--stream",
    help="Read long-table Parquet or JSON Lines out-of-core; on by default for the options below, "
    f"URLs, patterns and data from {LARGE // 2**20} MB on.",
)
_OF_DOCUMENTS = (
    option("--by", "COLUMN", "Show results for each value of this column."),
    option("--documents", NEW_FILE, "Write the values of single documents to this file.",
           metavar="FILE.parquet", callback=_check_documents),
)  # fmt: skip
_OF_STREAMS = (
    option("--resume", click.Path(file_okay=False, path_type=Path),
           "Store counts here; the same command resumes from them.", metavar="FOLDER"),
    flag("--skip-bad", help="Skip and list unreadable files or other layouts; the exit code is then 1."),
    option("--engine", ENGINE, f"Workers: {ENGINES}.", metavar="ENGINE"),
)  # fmt: skip

streaming_options = bundle("streaming", Streaming, _STREAM, *_OF_DOCUMENTS, *_OF_STREAMS)
"""Add --stream and its options; the command gets them as ``streaming``."""

total_streaming_options = bundle("streaming", Streaming, _STREAM, *_OF_STREAMS)
"""Add --stream and its options, without strata and single documents."""
