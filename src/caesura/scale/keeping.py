"""Parts on disk, so that nothing that was counted is counted again: one file each, checked when it is read.

A file has a line of JSON (what was counted, of which state of the file, the checksum of the rest), then the
part as an Arrow stream. It takes its name when it is whole.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from caesura.errors import CorpusError
from caesura.scale.addresses import check_here
from caesura.scale.layout_writer import named_os_error
from caesura.scale.parts import Part
from caesura.scale.pieces import Piece
from caesura.scale.ranges import NameRange
from caesura.scale.tasks import Task
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

PREFIX, SUFFIX = "part-", ".arrow"

CHANGED = "{path} has changed since"
OTHER = "they answer another question"
DAMAGED = "the file of a part is damaged"


def signature_of(task: Task) -> str:
    """Return what tells one question, and who answers it, from others."""
    return hashlib.sha256(json.dumps([__version__, *task.about], default=str).encode()).hexdigest()


@dataclass(frozen=True)
class Kept:
    """Counts a piece, or takes what is kept of it; what is counted is kept."""

    task: Task
    folder: Path
    signature: str

    def __call__(self, piece: Piece | NameRange) -> Part:
        """Return the part of a piece."""
        path = self.file_of(piece)
        part, reason = self._kept(path, piece)
        if part is not None:
            return part
        part = self.task(piece)
        self._keep(path, piece, part)
        return dataclasses.replace(part, recounted=reason)

    def file_of(self, piece: Piece | NameRange) -> Path:
        """Return where the part of a piece is kept."""
        place = hashlib.sha256(repr(piece.place).encode()).hexdigest()
        return self.folder / f"{PREFIX}{place[:24]}{SUFFIX}"

    def strangers(self, pieces: Sequence[Piece | NameRange]) -> int:
        """Count the parts in the folder that are of none of these pieces."""
        known = {self.file_of(piece).name for piece in pieces}
        return sum(path.name not in known for path in _parts(self.folder))

    def _kept(self, file: Path, piece: Piece | NameRange) -> tuple[Part | None, str | None]:
        """Return what is kept of a piece, or why it is counted again, if there is anything."""
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            return None, None
        line, _, body = data.partition(b"\n")
        try:
            about = json.loads(line)
            signature, states = about["signature"], dict(zip(piece.states, about["states"], strict=True))
            is_whole = about["sha256"] == hashlib.sha256(body).hexdigest()
        except (ValueError, KeyError, TypeError):
            is_whole = False
        if not is_whole:
            return None, DAMAGED
        if signature != self.signature:
            return None, OTHER
        for path, state in piece.states.items():
            if state != states[path]:
                return None, CHANGED.format(path=path)
        pyarrow = load_pyarrow()
        try:
            return Part.from_arrow(pyarrow.ipc.open_stream(body).read_next_batch()), None
        except (pyarrow.ArrowException, ValueError, KeyError, StopIteration):  # whole, but no part
            return None, DAMAGED

    def _keep(self, path: Path, piece: Piece | NameRange, part: Part) -> None:
        pyarrow = load_pyarrow()
        batch = part.to_arrow()
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        body = sink.getvalue().to_pybytes()
        about = {
            "signature": self.signature,
            "states": [*piece.states.values()],
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        draft = None
        try:
            handle, draft = tempfile.mkstemp(prefix=".", suffix=".draft", dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(about).encode() + b"\n" + body)
            os.replace(draft, path)
        except OSError as error:
            if draft is not None:
                Path(draft).unlink(missing_ok=True)
            raise named_os_error(error, path) from None


def has_parts(folder: Path) -> bool:
    """Whether anything is kept in a folder."""
    return any(True for _ in _parts(folder))


def _parts(folder: Path) -> Iterator[Path]:
    return folder.glob(f"{PREFIX}*{SUFFIX}")


def keep_parts(task: Task, folder: Path) -> Kept:
    """Make the folder, unless it is there, and return what counts with it."""
    check_here(folder, "parts are kept in a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise CorpusError(f"{folder}: parts are kept in a folder, and this is a file") from None
    for draft in folder.glob(".*.draft"):  # of a run that was killed
        draft.unlink(missing_ok=True)
    return Kept(task, folder, signature_of(task))
