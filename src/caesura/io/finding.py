"""Finding files: those of a folder or an archive that hold data, and what their documents are called."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NoReturn, TypeAlias

from caesura.errors import CorpusError, naming
from caesura.io.archives import GZIP, ZIP, gunzip, without_gzip, zip_members
from caesura.io.files import Source, natural_key
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS

PROSE_EXTENSIONS = {".md", ".markdown", ".html", ".htm"}
"""Extensions of formats that files beside the data have as well."""

NO_DATA = re.compile(r"(^|[._-])(licen[cs]e|copying|readme)([._-]|$)", re.IGNORECASE)
"""Names of files that stand beside the data."""

PathLike: TypeAlias = str | os.PathLike[str]


def find_files(path: PathLike) -> list[Source]:
    """Return the file, or the data files of a folder or zip archive in natural order."""
    path = Path(path)
    return [
        file if file.location == path else replace(file, found_in=path)
        for file in _without_companions(_files_at(path))
    ]


def _files_at(path: Path) -> list[Source]:
    if not path.is_dir():
        return _files_of(path, PurePosixPath(path.name), is_alone=True)
    below = sorted((file.relative_to(path) for file in files_below(path)), key=natural_key)
    if not below:
        raise CorpusError(f"{path}: the folder holds no data files")
    return [
        file
        for name in below
        for file in _files_of(path / name, PurePosixPath(name.as_posix()), is_alone=False)
    ]


def _files_of(path: Path, name: PurePosixPath, *, is_alone: bool) -> list[Source]:
    """Return the file, unpacked if need be, or the files of an archive.

    An archive that is read alone is a folder; one inside a folder is a folder of that name.
    """
    if path.suffix.lower() == GZIP:
        return [_packed(path, name, partial(gunzip, path))]
    if path.suffix.lower() != ZIP:
        return [Source(path, _document_name(name))]
    with naming(path):
        members = zip_members(path, is_beside_data)
        if not members:
            raise CorpusError("the archive holds no data files")
    members.sort(key=lambda member: natural_key(Path(member.path)))
    above = PurePosixPath() if is_alone else name
    all_files = {path / member.path: member.read for member in members}
    return [_packed(path / member.path, above / member.path, member.read, all_files) for member in members]


def _packed(
    path: Path,
    name: PurePosixPath,
    unpack: Callable[[], bytes],
    neighbours: Mapping[Path, Callable[[], bytes]] | None = None,
) -> Source:
    return Source(without_gzip(path), _document_name(name), unpack=unpack, neighbours=neighbours, packed=path)


def _document_name(path: PurePosixPath) -> str:
    """Return a file's name without its extension, and without that of its packing."""
    return without_gzip(Path(path)).with_suffix("").as_posix()


def files_below(folder: Path) -> list[Path]:
    """Return the files of a folder and of all below it, but for hidden ones and what stands beside data."""
    files = []
    seen = set()
    for parent, folders, names in os.walk(folder, onerror=_raise, followlinks=True):
        status = os.stat(parent)
        if (status.st_dev, status.st_ino) in seen:  # a link to a folder above
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(parent, name) for name in names if not is_beside_data(name)]
    for file in files:
        if not stat.S_ISREG(file.stat().st_mode):  # reading a pipe would wait for ever
            raise CorpusError(f"{file}: it is no regular file")
    return files


def _without_companions(files: list[Source]) -> list[Source]:
    """Leave out files that belong to others, which read them themselves."""
    if len(files) == 1:
        return files  # it is not looked into: a pipe can be read once
    companions: set[Path] = set()
    for format in FORMATS.values():
        if format.companions is not None:
            for file in files:
                if file.extension in format.extensions:
                    with naming(file.location):
                        companions.update(format.companions(replace(file)))  # which is let go of again
    return [file for file in files if file.location not in companions]


def _raise(error: OSError) -> NoReturn:
    raise error


def is_beside_data(name: str) -> bool:
    """Whether a file of this name says something of the data, and is none of it."""
    if not (name.startswith(".") or NO_DATA.search(name)):
        return False
    extension = without_gzip(Path(name)).suffix.lower()
    if extension in GENERIC_EXTENSIONS | PROSE_EXTENSIONS:
        return True
    return not any(extension in format.extensions for format in FORMATS.values())
