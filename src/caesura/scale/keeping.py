"""Parts on disk, so that nothing that was counted is counted again: one file each, checked when it is read.

A file has a line of JSON (what was counted, of which state of the file, the checksum of the rest), then the
part. It takes its name when it is whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from caesura.errors import CorpusError
from caesura.io.files import write_whole
from caesura.scale.addresses import absolute, check_here
from caesura.scale.grouping import Job
from caesura.scale.parts import Part
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

PREFIX, SUFFIX = "part-", ".part"

CHANGED = "{path} has changed since"
OTHER = "they answer another question"
DAMAGED = "the file of a part is damaged"


@dataclass(frozen=True)
class Kept:
    """Parts of a job in a folder: those that are there and fit are not counted again."""

    job: Job
    folder: Path
    signature: str

    def file_of(self, number: int) -> Path:
        """Return where a part is kept."""
        paths = [[absolute(file.path) for file in side] for side in self.job.sides]
        name = hashlib.sha256(repr((paths, self.job.n_parts, number)).encode()).hexdigest()
        return self.folder / f"{PREFIX}{name[:24]}{SUFFIX}"

    @cached_property
    def _states(self) -> dict[str, str]:
        return {file.path: file.state for side in self.job.sides for file in side}

    def strangers(self) -> int:
        """Count the parts in the folder that are of other files, or of other parts."""
        known = {self.file_of(number).name for number in range(self.job.n_parts)}
        return sum(path.name not in known for path in _parts(self.folder))

    def part(self, number: int) -> tuple[Part | None, str | None]:
        """Return what is kept of a part, or why it is counted again, if there is anything."""
        try:
            line, _, body = self.file_of(number).read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None, None
        try:
            about = json.loads(line)
            states = dict(zip(self._states, about["states"], strict=True))
            if about["sha256"] != hashlib.sha256(body).hexdigest():
                return None, DAMAGED
            if about["signature"] != self.signature:
                return None, OTHER
            for path, state in self._states.items():
                if state != states[path]:
                    return None, CHANGED.format(path=path)
            return Part.from_bytes(body), None
        except (load_pyarrow().ArrowException, ValueError, KeyError, TypeError):
            return None, DAMAGED

    def keep(self, number: int, part: Part) -> None:
        """Write a part, whole."""
        body = part.to_bytes()
        about = {
            "signature": self.signature,
            "states": [*self._states.values()],
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        write_whole(self.file_of(number), json.dumps(about).encode() + b"\n" + body)


def has_parts(folder: Path) -> bool:
    """Whether anything is kept in a folder."""
    return any(True for _ in _parts(folder))


def _parts(folder: Path) -> Iterator[Path]:
    return folder.glob(f"{PREFIX}*{SUFFIX}")


def keep_parts(job: Job, folder: Path) -> Kept:
    """Make the folder, unless it is there, and return what keeps parts in it."""
    check_here(folder, "parts are kept in a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise CorpusError(f"{folder}: parts are kept in a folder, and this is a file") from None
    for draft in folder.glob(f".{PREFIX}*"):  # of a run that was killed
        draft.unlink(missing_ok=True)
    question = json.dumps([__version__, *job.task.about], default=str)
    return Kept(job, folder, hashlib.sha256(question.encode()).hexdigest())
