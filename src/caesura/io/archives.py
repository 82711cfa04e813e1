"""Packed files: a gzip file is read as its content, a zip archive as a folder; bombs are refused."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile

from caesura.errors import CorpusError, within

GZIP, ZIP = ".gz", ".zip"

MAX_UNPACKED = 2**31
"""Most bytes that packed files may hold; reading takes several times this memory."""

MAX_RATIO = 250
"""How much larger than packed a file may be; prose shrinks to a third, tables of 0 and 1 to a hundredth."""

FREE_BYTES = 2**25
"""Bytes below which any ratio is harmless."""

MAX_MEMBERS = 100_000
"""Most files in an archive."""

CHUNK = 2**20


class Member(NamedTuple):
    """A file inside an archive."""

    path: PurePosixPath
    read: Callable[[], bytes]


def without_gzip(path: Path) -> Path:
    """Return the unpacked name of a file.

    >>> without_gzip(Path("x.csv.gz")).name, without_gzip(Path("x.csv")).name
    ('x.csv', 'x.csv')
    """
    return path.with_suffix("") if path.suffix.lower() == GZIP else path


def gunzip(path: Path) -> bytes:
    """Return the bytes of a gzip file."""
    with path.open("rb") as stream:
        return _gunzipped(stream, path.stat().st_size)


def _gunzipped(stream: IO[bytes], n_packed: int, free: int = FREE_BYTES) -> bytes:
    import gzip  # only packed files need it

    parts, n_bytes = [], 0
    try:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            while part := unpacked.read(CHUNK):
                parts.append(part)
                n_bytes += len(part)
                check_size(n_bytes, n_packed, free)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"not a whole gzip file: {error}") from None
    return b"".join(parts)


def check_size(n_bytes: int, n_packed: int, free: int = FREE_BYTES) -> None:
    """Refuse a size or compression ratio that only a bomb has."""
    if n_bytes > MAX_UNPACKED:
        raise CorpusError(f"it holds more than {MAX_UNPACKED:,} bytes; unpack it and read its parts")
    if n_bytes > free and n_bytes > MAX_RATIO * max(1, n_packed):
        raise CorpusError(f"it unpacks to more than {MAX_RATIO} times {n_packed:,} bytes; unpack it first")


def zip_members(path: Path, is_beside_data: Callable[[str], bool]) -> list[Member]:
    """Return the data files of a zip archive, in its order; hidden files are skipped."""
    members: list[Member] = []
    total = total_packed = 0
    with open_zip(path) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_MEMBERS:
            raise CorpusError(f"it holds {len(entries):,} files, more than {MAX_MEMBERS:,}; unpack it")
        for entry in entries:
            inside = PurePosixPath(entry.filename.replace("\\", "/"))
            if inside.is_absolute() or ".." in inside.parts:
                raise CorpusError(f"{inside}: its name leads out of the archive; pack it anew")
            is_hidden = any(part.startswith((".", "__MACOSX")) for part in inside.parts[:-1])
            if entry.is_dir() or is_hidden or is_beside_data(inside.name):
                continue
            with within(str(inside)):
                check_size(entry.file_size, entry.compress_size)
                if inside.suffix.lower() == ZIP:
                    raise CorpusError("it is an archive inside an archive; unpack the outer one")
            total, total_packed = total + entry.file_size, total_packed + entry.compress_size
            check_size(total, total_packed)
            free = FREE_BYTES // len(entries)  # packed members add up, too
            members.append(Member(inside, partial(_read_member, path, entry.filename, free)))
    return members


def open_zip(file: Path | IO[bytes], kind: str = "zip archive") -> ZipFile:
    """Open an archive; refuse other files."""
    try:
        return ZipFile(file)
    except (BadZipFile, ValueError, NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # missing, or without permission
        raise CorpusError(f"not a whole {kind}: {error}") from None


@contextmanager
def unpacking() -> Iterator[None]:
    """Report an encrypted, truncated or damaged member as one that cannot be unpacked."""
    try:
        yield
    except CorpusError:
        raise
    except (BadZipFile, EOFError, zlib.error, RuntimeError, OSError, ValueError) as error:
        raise CorpusError(f"it cannot be unpacked: {error}") from None


def _read_member(path: Path, name: str, free: int) -> bytes:
    """Return the bytes of a member, at most as many as the archive declares."""
    with open_zip(path) as archive, unpacking(), archive.open(name) as stream:
        if name.lower().endswith(GZIP):
            return _gunzipped(stream, archive.getinfo(name).compress_size, free)
        return stream.read()
