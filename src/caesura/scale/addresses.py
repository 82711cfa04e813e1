"""Addresses: a path, a pattern, a folder or a URL becomes the data files that it names, in order.

All files behind one address are of one kind, Parquet or JSON Lines (plain, gzip or Zstandard), told by their
extensions. A URL (``s3://bucket/folder``, ``memory://x.parquet``) is opened by pyarrow where it knows the
scheme, and by fsspec otherwise.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias, get_args

from caesura.errors import CorpusError, ParameterError, missing_extra, missing_package
from caesura.io.files import natural_key
from caesura.io.finding import PathLike, files_below, is_beside_data
from caesura.values.arrow import load_pyarrow
from caesura.wording import short

Kind: TypeAlias = Literal["parquet", "jsonl"]
Packing: TypeAlias = Literal["gzip", "zstd"]

KINDS: tuple[str, ...] = get_args(Kind)

TITLES = {"parquet": "Parquet", "jsonl": "JSON Lines"}

EXTENSIONS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",  # what Spark calls its lines
}

PACKINGS: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd"}

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class DataFile:
    """One file of a data set; it can be sent to another process, which opens it there."""

    name: str
    """As messages have it: the path, or the URL."""
    kind: Kind
    packing: Packing | None = None

    @property
    def is_local(self) -> bool:
        """Whether it lies on a disk of this machine."""
        return URL.match(self.name) is None

    def open(self) -> Any:
        """Return the file for pyarrow to read anywhere in it."""
        try:
            if self.is_local:
                return load_pyarrow(f"{TITLES[self.kind]} in batches needs").OSFile(self.name)
            filesystem, path = filesystem_of(self.name)
            return filesystem.open_input_file(path)
        except OSError as error:
            raise _named(error, self.name) from None

    @property
    def size(self) -> int:
        """Its bytes, packed as it is."""
        if self.is_local:
            return os.stat(self.name).st_size
        filesystem, path = filesystem_of(self.name)
        return int(filesystem.get_file_info(path).size or 0)


def find_files(address: PathLike | Iterable[PathLike]) -> tuple[DataFile, ...]:
    """Return the files that an address names, or several: each once, in natural order, all of one kind.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("b10.jsonl.gz", "b9.jsonl", "_SUCCESS"):
    ...         Path(folder, name).touch()
    ...     [Path(file.name).name for file in find_files(folder)]
    ['b9.jsonl', 'b10.jsonl.gz']
    """
    addresses = [address] if isinstance(address, (str, os.PathLike)) else list(address)
    if not addresses:
        raise ParameterError("there is no address: expected a path, a pattern, a folder or a URL")
    found: dict[str, DataFile] = {}
    for one in addresses:
        if not isinstance(one, (str, os.PathLike)):
            raise ParameterError(
                f"the address is {short(one)}: expected a path, a pattern, a folder or a URL"
            )
        found.update((name, data_file(name)) for name in _names_at(os.fspath(one)))
    files = tuple(found.values())
    other = next((file for file in files if file.kind != files[0].kind), None)
    if other is not None:
        raise CorpusError(
            f"{other.name}: it is {TITLES[other.kind]} where {files[0].name} is {TITLES[files[0].kind]}: "
            "read one kind at a time, or convert one of them first"
        )
    return files


def data_file(name: str) -> DataFile:
    """Return the file of this name, whose extension says its kind and how it is packed."""
    path = PurePosixPath(name.replace(os.sep, "/"))
    packing = PACKINGS.get(path.suffix.lower())
    kind = EXTENSIONS.get((path.with_suffix("") if packing else path).suffix.lower())
    if kind is None or (kind == "parquet" and packing):
        hint = "unpack it" if kind else "convert it to one of them first (caesura convert)"
        endings = f"{' '.join(EXTENSIONS)}, lines also packed as {' or '.join(PACKINGS)}"
        raise CorpusError(f"{name}: it is neither Parquet nor JSON Lines by its name ({endings}); {hint}")
    return DataFile(name, kind, packing)


def is_data_file(name: PathLike) -> bool:
    """Whether a name is that of a file that can be read in batches.

    >>> is_data_file("a.jsonl.zst"), is_data_file("a.csv")
    (True, False)
    """
    try:
        data_file(os.fspath(name))
    except CorpusError:
        return False
    return True


def _names_at(address: str) -> Iterator[str]:
    """Yield the names of the files at one address."""
    if URL.match(address):
        yield from _names_at_url(address)
    elif os.path.isdir(address):
        below = [
            file for file in files_below(Path(address)) if _is_data(file.relative_to(address).as_posix())
        ]
        yield from _in_order(
            [os.fspath(file) for file in below], f"{address}: the folder holds no data files"
        )
    elif os.path.exists(address) or not WILD.search(address):
        mode = os.stat(address).st_mode  # where there is none, this says so
        if not stat.S_ISREG(mode):
            raise CorpusError(f"{address}: it is no regular file: what is read in batches is read again")
        yield address
    else:
        import glob  # only patterns need it

        matching = [name for name in glob.glob(address, recursive=True) if os.path.isfile(name)]
        yield from _in_order(matching, f"{address}: no file matches this pattern")


def _is_data(path: str) -> bool:
    """Whether a file below a folder is data: Hadoop's marks begin with an underscore, others are hidden."""
    parts = path.split("/")
    return not any(part.startswith((".", "_")) for part in parts) and not is_beside_data(parts[-1])


def _in_order(names: list[str], if_none: str) -> list[str]:
    if not names:
        raise CorpusError(if_none)
    return sorted(names, key=lambda name: natural_key(Path(name)))


# -------------------------------------------------------------------- URLs


def _names_at_url(address: str) -> list[str]:
    pyarrow = load_pyarrow("addresses need")
    from pyarrow import fs

    wild = WILD.search(address, URL.match(address).end())  # type: ignore[union-attr]
    base = address if wild is None else address[: address.rindex("/", 0, wild.start()) + 1]
    filesystem, path = filesystem_of(base)
    prefix = base.rstrip("/").removesuffix(path.strip("/"))
    try:
        here = filesystem.get_file_info(path)
        if here.type == fs.FileType.File:
            return [address]
        if here.type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), address)
        below = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    except (pyarrow.ArrowException, OSError) as error:
        raise _named(error, address) from None
    files = [one.path for one in below if one.type == fs.FileType.File]
    inside = {file: file.strip("/").removeprefix(path.strip("/")).strip("/") for file in files}
    if wild is None:
        files = [file for file in files if _is_data(inside[file])]
        fault = f"{address}: the folder holds no data files"
    else:
        fits = re.compile(_pattern(address[len(base) :]))
        files = [file for file in files if fits.fullmatch(inside[file])]
        fault = f"{address}: no file matches this pattern"
    return _in_order([prefix + file.strip("/") for file in files], fault)


def _pattern(pattern: str) -> str:
    """Return the regular expression of a pattern, in which a star ends at a slash and two do not.

    >>> bool(re.fullmatch(_pattern("*/a?.jsonl"), "x/a1.jsonl"))
    True
    >>> bool(re.fullmatch(_pattern("*.jsonl"), "x/a1.jsonl"))
    False
    >>> bool(re.fullmatch(_pattern("**/*.jsonl"), "a1.jsonl"))
    True
    """
    return "".join(
        WILDCARDS.get(piece)
        or (f"[{piece[1:].replace('!', '^', 1)}" if len(piece) > 2 and piece[0] == "[" else re.escape(piece))
        for piece in PIECES.findall(pattern)
    )


WILDCARDS = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}

PIECES = re.compile(r"\*\*/|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[")
"""A wildcard of a pattern, or what stands between two."""


def filesystem_of(address: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path on it."""
    pyarrow = load_pyarrow("addresses need")
    from pyarrow import fs

    scheme = address.partition("://")[0].lower()
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(address)
        return found
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        pass  # a scheme that pyarrow does not know
    except OSError as error:
        raise _named(error, address) from None
    try:
        import fsspec  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra(f"{scheme}:// needs fsspec", "remote") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # it says which package knows the scheme
        raise missing_package(f"{scheme}:// needs a package ({error})", _package(str(error))) from None
    except (ValueError, OSError) as error:
        raise CorpusError(f"{address}: {error}") from None
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path


def _package(message: str) -> str:
    """Return the package that fsspec asks for: "Install s3fs to access S3"."""
    found = re.search(r"[Ii]nstall (?:the )?[\"'`]?([\w.-]+)", message)
    return found.group(1) if found else "fsspec"


def _named(error: Exception, name: str) -> Exception:
    """Return what is wrong with a file by its own name."""
    if isinstance(error, OSError) and error.errno is not None:
        return type(error)(error.errno, os.strerror(error.errno), name)
    return CorpusError(f"{name}: {error}")
