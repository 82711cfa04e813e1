"""Files: safely read text, strict JSON, and files that appear whole or not at all.

Errors describe the content of the file; ``naming`` adds the path.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

from caesura.errors import CorpusError, SegmentationError
from caesura.io.options import ReadOptions

PathLike: TypeAlias = str | os.PathLike[str]

MAX_LINE = 50_000_000
"""Longest line, in characters, of a format that puts one record on a line."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARKED = ("UTF-8", "UTF-16-LE", "UTF-16-BE")
BYTE_ORDER_MARKS = dict(zip((codecs.BOM_UTF8, *UTF_16_MARKS), MARKED, strict=True))

BLANK = re.compile(rb"\s*")

PACKED = {
    b"PK": "it looks like a zip archive or a spreadsheet; give it the extension .zip or .xlsx, or unpack it",
    b"\x1f\x8b": "it looks like a gzip file; give it the extension .gz, or unpack it",
    b"PAR1": "it looks like a Parquet file; read it as the format parquet",
}
"""How packed files begin, and the fix for each."""

NAME_ENCODING = 'give its encoding, e.g. encoding="latin-1", or save it as UTF-8'
"""The fix for a text that is not UTF-8."""

SHOWN = 60

WHOLE = re.compile("-?[0-9]+")
MAX_DIGITS = 20
"""Most digits of a number in text; longer ones would only cost time."""


class Decoded(NamedTuple):
    """A decoded text, with warnings about the decoding."""

    text: str
    notices: tuple[str, ...] = ()


@dataclass(eq=False)
class Source:
    """One file whose content is read once, however many formats look at it."""

    path: Path
    name: str
    """The name of a document or coder that is not named inside the file."""
    options: ReadOptions = field(default_factory=ReadOptions)
    unpack: Callable[[], bytes] | None = None
    """Returns the bytes of a packed file."""
    neighbors: Mapping[Path, Callable[[], bytes]] | None = None
    """For each file of the same archive, a function that returns its bytes."""
    is_named: bool = field(default=False, kw_only=True)
    """Whether the caller has named the format."""
    root: Path | None = field(default=None, kw_only=True)
    """The folder or archive that the caller has named, unless it is the file itself."""
    packed: Path | None = field(default=None, kw_only=True)
    """The path of a packed file; ``path`` is its unpacked name."""

    @property
    def location(self) -> Path:
        """The path on disk; for a file inside an archive, the archive's path and its own below it."""
        return self.packed or self.path

    @property
    def extension(self) -> str:
        """The file name's ending, in lower case, with its dot."""
        return self.path.suffix.lower()

    @cached_property
    def data(self) -> bytes:
        """The bytes; released once the text is decoded."""
        check_name(self.path)
        if self.unpack is not None:
            return self.unpack()
        mode = self.path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise CorpusError("neither a file nor a folder")  # a device may never end
        return self.path.read_bytes()

    def beside(self, path: Path) -> Source | None:
        """Return the file at this path, on disk or in the same archive, if it exists."""
        if self.neighbors is None:
            return Source(path, path.stem, self.options) if os.path.isfile(path) else None  # or too long
        unpack = self.neighbors.get(path)
        return None if unpack is None else Source(path, path.stem, self.options, unpack)

    @property
    def folder(self) -> str:
        """The name of the file's folder or archive; empty at the top of a disk."""
        parent = Path(os.path.abspath(self.path)).parent
        return parent.name if self.neighbors is None else parent.name.removesuffix(".zip")

    @property
    def size(self) -> int:
        """The number of bytes, or of characters once they are decoded."""
        return len(self.text if "decoded" in self.__dict__ else self.data)

    def forget(self) -> None:
        """Release the bytes; a file that is not a pipe is read again when needed."""
        if self.unpack is not None or stat.S_ISREG(self.path.stat().st_mode):
            self.__dict__.pop("data", None)

    @property
    def text(self) -> str:
        """The whole text, with the line ends of the file."""
        return self.decoded.text

    @cached_property
    def decoded(self) -> Decoded:
        """The text in the caller's encoding, or UTF-8."""
        encoding = self.options.get("encoding")
        text = decode(self.data, encoding)
        is_doubtful = encoding is not None and is_utf8_beyond_ascii(self.data) and text != decode(self.data)
        del self.data  # a large file is not held twice
        return Decoded(text, (f"read as {encoding}, and looks like UTF-8",) if is_doubtful else ())

    @cached_property
    def legacy(self) -> Decoded:
        """The text in UTF-8, or in Windows-1252 with a notice, as in old files."""
        try:
            return Decoded(self.text)
        except CorpusError:
            is_named = "encoding" in self.options.given
            if is_named or b"\0" in self.data or self.data.startswith(tuple(PACKED)):
                raise
            notice = "not UTF-8, and read as Windows-1252; save it as UTF-8 to be sure"
            return Decoded(self.data.decode("cp1252", "replace"), (notice,))

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings about the caller's encoding, if the file is text."""
        try:
            return self.decoded.notices if "encoding" in self.options.given else ()
        except CorpusError:  # XML names its encoding inside
            return ()

    @property
    def utf8(self) -> bytes:
        """The text as UTF-8 without a byte order mark; undecoded text is not checked."""
        is_decoded = "decoded" in self.__dict__ or "encoding" in self.options.given
        if is_decoded or self.data.startswith(UTF_16_MARKS):
            return self.text.encode()
        return self.data.removeprefix(codecs.BOM_UTF8)

    @cached_property
    def first_line(self) -> str:
        """The first line that is not blank, or its start, without decoding a large file."""
        data = self.utf8
        blank = BLANK.match(data)
        start = blank.end() if blank else 0
        ends = (data.find(end, start, start + MAX_LINE) for end in (b"\n", b"\r"))
        end = min((end for end in ends if end >= 0), default=start + MAX_LINE)
        return data[start:end].decode("utf-8", "replace")

    @cached_property
    def first_json(self) -> Any:
        """The JSON value on the first line, or None; for detection."""
        try:
            if "\n" not in self.text.strip():
                return self.json_or_none
            return parse_json(self.first_line)
        except CorpusError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The lines, with any line ends; a final line end does not start another line."""
        lines = split_lines(self.text)
        if lines[-1] == "":
            lines.pop()
        return lines

    def each_line(self) -> Iterator[str]:
        """Yield the lines one by one, without a list beside the text of a large file."""
        text = self.text
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        start, number = 0, 1
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            check_length(end - start, number)
            yield text[start:end]
            start, number = end + 1, number + 1

    @cached_property
    def json(self) -> Any:
        """The value of a file that is one JSON value."""
        return parse_json(self.text)

    @cached_property
    def json_or_none(self) -> Any:
        """The same, or None if the file is not JSON; for detection."""
        try:
            return self.json
        except CorpusError:
            return None


def check_name(path: PathLike) -> None:
    """Refuse an impossible file name."""
    name = os.fspath(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        raise CorpusError(f"no file can have this name: it holds {name[error.start]!r}; check it") from None
    if "\0" in name:
        raise CorpusError("no file can have this name: it holds a NUL; check it")


def decode(data: bytes, encoding: str | None = None) -> str:
    """Return the text of bytes in this encoding or UTF-8; a byte order mark overrides both.

    >>> decode(b"\\xef\\xbb\\xbfunit,ann"), decode(b"caf\\xe9", "latin-1")
    ('unit,ann', 'café')
    """
    mark = next((mark for mark in BYTE_ORDER_MARKS if data.startswith(mark)), b"")
    taken = BYTE_ORDER_MARKS.get(mark) or encoding or "UTF-8"
    packed = next((hint for start, hint in PACKED.items() if data.startswith(start)), None)
    try:
        text = str(memoryview(data)[len(mark) :], taken)
    except UnicodeDecodeError as error:
        at = error.start + len(mark)
        cut = "it is cut off, or " if error.reason == "unexpected end of data" else ""
        hint = packed or f"{cut}{'give another encoding' if encoding else NAME_ENCODING}"
        raise CorpusError(f"byte {at} (0x{data[at]:02x}) is not {taken}; {hint}") from None
    except UnicodeError as error:
        raise CorpusError(f"not {taken}: {error}") from None
    if "\0" in text:
        # UTF-16 without a mark decodes as UTF-8 with a NUL beside each letter.
        hint = packed or 'if it is UTF-16, give encoding="utf-16-le"'
        raise CorpusError(f"character {text.index(chr(0))} is a NUL; {hint}")
    return text


def is_utf8_beyond_ascii(data: bytes) -> bool:
    """Return whether bytes are UTF-8 beyond ASCII; text in other encodings almost never is."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not data.isascii()


def split_lines(text: str) -> list[str]:
    """Split a text at line ends of any kind; refuse lines too long for one record."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        check_length(len(line), number)
    return lines


def check_length(length: int, number: int) -> None:
    """Refuse a line that is too long for one record."""
    if length > MAX_LINE:
        raise CorpusError(f"line {number} has {length:,} characters, more than {MAX_LINE:,}; lost line ends?")


def parse_json(text: str) -> Any:
    """Parse JSON strictly: repeated keys, NaN and very deep nesting are errors.

    >>> parse_json('{"d1": [2, 3], "d1": [5]}')
    Traceback (most recent call last):
    caesura.errors.CorpusError: not valid JSON: the key 'd1' is there twice in one object; remove one
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise CorpusError(f"not valid JSON: {_json_fault(text, error)}") from None
    except CorpusError as error:
        raise CorpusError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise CorpusError("not valid JSON: lists or objects are nested too deeply") from None
    except ValueError:  # Python's bound on the digits of a number
        raise CorpusError("not valid JSON: a number has thousands of digits") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise CorpusError(f"the key {shortened(twice)} is there twice in one object; remove one")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise CorpusError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)


def _json_fault(text: str, error: json.JSONDecodeError) -> str:
    where = f"line {error.lineno}, column {error.colno}: {error.msg}"
    if error.msg == "Extra data":
        return f"{where}: several values in one file are the format jsonl"
    # An unclosed string or value means a truncated file, wherever the parser stopped.
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return f"{where}: the file ends too early, is it cut off?"
    return where


def whole_numbers(texts: Iterable[str], name: str, hint: str = "") -> list[int]:
    """Read texts as whole numbers.

    >>> whole_numbers(["5", " 5.0"], "masses")
    Traceback (most recent call last):
    caesura.errors.SegmentationError: masses[1] is ' 5.0': expected a whole number
    """
    numbers = []
    for index, text in enumerate(texts):
        if not WHOLE.fullmatch(text) or len(text) > MAX_DIGITS:
            raise SegmentationError(f"{name}[{index}] is {shortened(text)}: expected a whole number{hint}")
        numbers.append(int(text))
    return numbers


def shortened(value: object) -> str:
    """Return a value's repr, cut to fit an error message."""
    # Cut before repr: a cell may be as long as its file.
    text = repr(value[: SHOWN + 1] if isinstance(value, (str, bytes, list)) else value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def misfit(name: str, value: object, expected: str) -> CorpusError:
    """Return the error for a value: its name, the value, and what was expected.

    >>> str(misfit("start", "3", "a whole number"))
    "start is '3': expected a whole number"
    """
    return CorpusError(f"{name} is {shortened(value)}: expected {expected}")


def natural_key(path: Path) -> list[list[tuple[int, int, str]]]:
    """Return a sort key for paths that orders numbers by value, folder by folder.

    >>> [path.name for path in sorted(map(Path, ["ch10.csv", "ch2.csv"]), key=natural_key)]
    ['ch2.csv', 'ch10.csv']
    """
    return [_natural_part(part) for part in path.parts]


def _natural_part(name: str) -> list[tuple[int, int, str]]:
    pieces = re.split(r"([0-9]+)", name)
    key = [(0, 0, piece.casefold()) for piece in pieces]
    # Every second piece is a number; without leading zeros, the longer one is greater.
    key[1::2] = [(1, len(digits), digits) for digits in (piece.lstrip("0") for piece in pieces[1::2])]
    return [*key, (0, 0, name)]


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a draft beside the file, then move it into place.

    Links are followed; a pipe, a terminal or /dev/stdout is written to directly.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    is_stream = path.exists() and not path.is_file() and not path.is_dir()
    if is_stream or path.parent in (Path("/dev"), Path("/dev/fd")):
        path.write_bytes(data)
        return
    with naming_target(path), draft_of(path) as draft:
        draft.write_bytes(data)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Yield the path of a draft, which replaces the file, or is removed after an error."""
    import tempfile  # writing is rare, and the module is slow to import

    target = Path(os.path.realpath(path))
    with naming_target(path):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
        os.close(handle)
    draft = Path(name)
    try:
        yield draft
        with naming_target(path):
            os.chmod(draft, default_mode(0o666))
            os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def naming_target(path: Path) -> Iterator[None]:
    """Name the target in write errors, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise OSError(f"{path}: {error}") from None
        raise type(error)(error.errno, os.strerror(error.errno), str(path)) from None


def default_mode(mode: int) -> int:
    """Return the permissions of a new file or folder; temporary ones get stricter ones."""
    mask = os.umask(0)
    os.umask(mask)
    return mode & ~mask
