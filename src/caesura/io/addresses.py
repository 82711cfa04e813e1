"""Addresses: find and open the files that a path, a pattern, a folder or a URL names.

pyarrow opens a URL (``s3://bucket/folder``, ``memory://x.parquet``) whose scheme it knows, fsspec any other.
The name after the host is literal, with percent signs as they are; ``file://`` is a path on this machine,
with the escapes of browsers.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from caesura.errors import CorpusError, ParameterError, missing_extra, missing_package, naming
from caesura.io.files import PathLike, check_name, natural_key
from caesura.io.reading import files_below, is_beside_data
from caesura.values.arrow import load_pyarrow
from caesura.wording import short

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

LOCAL_URL = re.compile(r"file://(?:localhost)?(?=/)", re.IGNORECASE)

WILD = re.compile(r"[*?\[]")

BY_ARROW = frozenset(("s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss"))
"""The schemes of a full build of pyarrow."""

COPIED_BYTES = 2**23

QUERY = re.compile(r"\?(?:\w+=[^&]*&)*(?:scheme|region|endpoint_override)=")
"""Options of a server in the syntax of pyarrow; in a pattern, ? stands for any character."""


def is_url(name: str | os.PathLike[str]) -> bool:
    """Return whether a name is a URL rather than a path on this machine.

    >>> is_url("s3://bucket/x.parquet"), is_url("C:/x.parquet")
    (True, False)
    """
    return URL.match(os.fspath(name)) is not None


def absolute(name: str) -> str:
    """Return the name of a file in any working directory."""
    return name if is_url(name) else os.path.abspath(name)


def find_files(address: PathLike | Iterable[PathLike]) -> tuple[str, ...]:
    """Return the distinct files at one or several addresses; those of a folder in natural order.

    In a folder, hidden files, README files and files whose names begin with an underscore (which Hadoop and
    Spark put beside their data) are skipped.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("b10.jsonl.gz", "b9.jsonl", "_SUCCESS"):
    ...         Path(folder, name).touch()
    ...     [Path(file).name for file in find_files(folder)]
    ['b9.jsonl', 'b10.jsonl.gz']
    """
    addresses = [address] if isinstance(address, (str, os.PathLike)) else list(address)
    if not addresses:
        raise ParameterError("no address given: expected a path, a pattern, a folder or a URL")
    files: dict[str, None] = {}
    for name in addresses:
        if not isinstance(name, (str, os.PathLike)):
            raise ParameterError(f"the address is {short(name)}: expected a path, pattern, folder or URL")
        with naming(name):
            check_name(name)
        files.update(dict.fromkeys(_names_at(os.fspath(name))))
    return tuple(files)


def open_file(name: str) -> Any:
    """Open a file for pyarrow to read and seek."""
    pyarrow = load_pyarrow("files in pieces need")
    with _naming(name):
        if not is_url(name):
            return pyarrow.OSFile(name)
        filesystem, path = filesystem_of(name)
        return filesystem.open_input_file(path)


def state_of(name: str) -> tuple[int, str]:
    """Return the size of a file in bytes, and a text that changes with the file: its size and time."""
    if not is_url(name):
        about = os.stat(name)
        return about.st_size, f"{about.st_size} bytes, {about.st_mtime_ns}"
    filesystem, path = filesystem_of(name)
    info = filesystem.get_file_info(path)
    return int(info.size or 0), f"{info.size} bytes, {info.mtime_ns}"


def _names_at(address: str) -> Iterator[str]:
    """Yield the names of the files at one address."""
    if LOCAL_URL.match(address):
        from urllib.request import url2pathname  # slow to import

        address = url2pathname(LOCAL_URL.sub("", address))
    if is_url(address):
        yield from _names_at_url(address)
    elif os.path.isdir(address):
        below = [
            os.fspath(file)
            for file in files_below(Path(address))
            if _is_data(file.relative_to(address).as_posix())
        ]
        yield from _in_order(below, f"{address}: the folder holds no data files")
    elif os.path.exists(address) or not WILD.search(address):
        if not stat.S_ISREG(os.stat(address).st_mode):  # raises if it does not exist
            raise CorpusError(f"{address}: not a regular file")
        yield address
    else:
        import glob  # only patterns need it

        matching = [name for name in glob.glob(address, recursive=True) if os.path.isfile(name)]
        yield from _in_order(matching, f"{address}: no file matches this pattern")


def _is_data(path: str) -> bool:
    """Return whether a file below a folder is data."""
    parts = path.split("/")
    return not any(part.startswith((".", "_")) for part in parts) and not is_beside_data(parts[-1])


def _in_order(names: list[str], if_none: str) -> list[str]:
    if not names:
        raise CorpusError(if_none)
    return sorted(names, key=lambda name: natural_key(Path(name)))


# -------------------------------------------------------------------- URLs


def _names_at_url(address: str) -> list[str]:
    load_pyarrow("addresses need")
    from pyarrow import fs  # type: ignore[import-untyped]

    if QUERY.search(address):
        raise CorpusError(f"{address}: ? is a wildcard; set a server with AWS_ENDPOINT_URL=http://…")
    wild = WILD.search(address, address.index("://") + 3)
    base = address if wild is None else address[: address.rindex("/", 0, wild.start()) + 1]
    filesystem, path = filesystem_of(base)
    inner = path.strip("/")
    prefix = base.rstrip("/").removesuffix(inner) if inner else base
    with _naming(address):
        alone = path if wild is None else f"{path.rstrip('/')}/{address[len(base) :]}"
        if _is_file(filesystem, alone):  # whatever characters its name has
            return [address]
        if filesystem.get_file_info(path).type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), address)
        below = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    files = [info.path for info in below if info.type == fs.FileType.File]
    inside = {file: file.strip("/").removeprefix(path.strip("/")).strip("/") for file in files}
    if wild is None:
        files = [file for file in files if _is_data(inside[file])]
        fault = f"{address}: the folder holds no data files"
    else:
        fits = re.compile(_expression(address[len(base) :]))
        files = [file for file in files if fits.fullmatch(inside[file])]
        fault = f"{address}: no file matches this pattern"
    return _in_order([prefix + file.strip("/") for file in files], fault)


def _is_file(filesystem: Any, path: str) -> bool:
    from pyarrow import fs

    return bool(filesystem.get_file_info(path).type == fs.FileType.File)


def _expression(pattern: str) -> str:
    """Return the regular expression of a pattern, in which * stops at a slash and ** does not.

    >>> bool(re.fullmatch(_expression("*/a[!2].jsonl"), "x/a1.jsonl"))
    True
    >>> bool(re.fullmatch(_expression("*.jsonl"), "x/a1.jsonl"))
    False
    >>> bool(re.fullmatch(_expression("**/*.jsonl"), "a1.jsonl"))
    True
    """
    return "".join(map(_expressed, PIECES.findall(pattern)))


PIECES = re.compile(r"\*\*/|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[")
"""A wildcard of a pattern, or the text between two wildcards."""


def _expressed(piece: str) -> str:
    if piece.startswith("[") and piece.endswith("]"):
        return f"[{piece[1:].replace('!', '^', 1)}"
    return {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))


def filesystem_of(address: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path on it."""
    pyarrow = load_pyarrow("addresses need")
    from pyarrow import fs

    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    host, slash, name = rest.partition("/")
    uri = f"{scheme}://{host}{slash}{quote(name, errors='surrogateescape')}"
    try:
        with _naming(address, of_arrow=False):
            filesystem, path = fs.FileSystem.from_uri(uri)
            return filesystem, path
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        if scheme in BY_ARROW and isinstance(error, pyarrow.ArrowInvalid):
            raise CorpusError(f"{address}: {error}") from None
    try:
        import fsspec  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra(f"{scheme}:// needs fsspec", "remote") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # fsspec names the package
        raise missing_package(f"{scheme}:// needs a package ({error})", _package(str(error))) from None
    except (ValueError, OSError) as error:
        raise CorpusError(f"{address}: {error}") from None
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path


def _package(message: str) -> str:
    """Return the package in fsspec's message.

    >>> _package("Install s3fs to access S3")
    's3fs'
    """
    name = re.search(r"[Ii]nstall (?:the )?[\"'`]?([\w.-]+)", message)
    return name.group(1) if name else "fsspec"


@contextmanager
def _naming(name: str, *, of_arrow: bool = True) -> Iterator[None]:
    """Prefix errors of the system or of Arrow with the name of the file."""
    kinds = (OSError, load_pyarrow().ArrowException) if of_arrow else (OSError,)
    try:
        yield
    except kinds as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise type(error)(error.errno, os.strerror(error.errno), name) from None
        raise CorpusError(f"{name}: {error}") from None


# -------------------------------------------------------------------- writing


def is_file(name: str) -> bool:
    """Return whether a file of this name exists, on this machine or at its address."""
    if not is_url(name):
        return os.path.isfile(name)
    load_pyarrow("addresses need")
    with _naming(name):
        return _is_file(*filesystem_of(name))


@contextmanager
def file_to_write(name: str) -> Iterator[Path]:
    """Yield the path of a file to write; for a URL, the whole file is copied there afterwards."""
    if not is_url(name):
        yield Path(name)
        return
    import tempfile  # slow to import

    filesystem, path = filesystem_of(name)
    _check_bucket(filesystem, path, name)
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        draft = Path(folder, path.rpartition("/")[2])
        yield draft
        with _naming(name), draft.open("rb") as stream, filesystem.open_output_stream(path) as target:
            shutil.copyfileobj(stream, target, COPIED_BYTES)


def _check_bucket(filesystem: Any, path: str, name: str) -> None:
    """Refuse a missing bucket before a long computation."""
    from pyarrow import fs

    if name.partition("://")[0].lower() not in ("s3", "gs", "gcs"):
        return
    with _naming(name):
        bucket = filesystem.get_file_info(path.partition("/")[0])
    if bucket.type == fs.FileType.NotFound:
        raise CorpusError(f"{name}: no bucket {bucket.path!r}")


def check_here(path: str | os.PathLike[str], use: str) -> None:
    """Refuse a URL, even one read as a path, for a file that must be on this machine."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:[/\\]", os.fspath(path)):
        raise CorpusError(f"{path}: {use} on this machine, and this is an address")
