"""Lines of a packed or plain file in blocks: whole lines, numbered, of UTF-8, and never the file at once."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

from caesura.errors import CorpusError
from caesura.io import files
from caesura.io.archives import FREE_BYTES, MAX_RATIO
from caesura.scale.addresses import open_file
from caesura.values.arrow import load_pyarrow

BLOCK = 2**22
"""Bytes that are read at a time."""

PACKINGS = {".gz": "gzip", ".zst": "zstd"}


class LineBlock(NamedTuple):
    """Some whole lines, which end in a line feed, but for the last of a file."""

    first: int
    """The number of the first line, from 1."""
    data: bytes


def packing_of(path: str) -> str | None:
    """Return how a file is packed, by its name.

    >>> packing_of("x.jsonl.gz"), packing_of("x.jsonl")
    ('gzip', None)
    """
    return next((packing for ending, packing in PACKINGS.items() if path.lower().endswith(ending)), None)


def line_blocks(path: str, start: int = 0, stop: int | None = None) -> Iterator[LineBlock]:
    """Yield the lines that begin from one byte on and before another; errors do not name the file.

    The lines of a packed file, which are not where its bytes are, cannot be divided.
    """
    pyarrow = load_pyarrow("lines in pieces need")
    packing = packing_of(path)
    with closing(open_file(path)) as stream:
        try:
            if packing is not None:
                with closing(pyarrow.CompressedInputStream(stream, packing)) as unpacked:
                    yield from _blocks(unpacked, packed=stream)
                return
            begin = _line_start(stream, start)
            end = None if stop is None else _line_start(stream, stop)
            stream.seek(begin)
            yield from _blocks(stream, None if end is None else end - begin, is_start=begin == 0)
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise CorpusError(f"not a whole {packing} file: {error}") from None


def _line_start(stream: Any, place: int) -> int:
    """Return where the first line begins that does not begin before this byte."""
    if place == 0:
        return 0
    place -= 1  # where the line before may end
    stream.seek(place)
    while block := stream.read(BLOCK):
        end: int = block.find(b"\n")
        if end >= 0:
            return place + end + 1
        place += len(block)
    return place


def _blocks(
    stream: Any, n_bytes: int | None = None, *, packed: Any = None, is_start: bool = True
) -> Iterator[LineBlock]:
    """Cut at the last line end of each block, and keep the rest for the next."""
    rest: list[bytes] = []
    n_rest, n_read, first = 0, 0, 1
    while True:
        block = stream.read(BLOCK if n_bytes is None else min(BLOCK, n_bytes - n_read))
        if block.endswith(b"\r"):  # its line feed may come next
            block += stream.read(1)
        n_read += len(block)
        if packed is not None:
            _check_ratio(n_read, packed.tell())
        text = block
        if is_start:
            text, is_start = _without_mark(block), False
        end = text.rfind(b"\n") + 1 or text.rfind(b"\r") + 1
        if end or not block:
            data = _checked(b"".join([*rest, text[:end]]), first)
            rest, n_rest = [text[end:]], len(text) - end
            if data:
                yield LineBlock(first, data)
                first += data.count(b"\n")
        else:
            rest.append(text)
            n_rest += len(text)
        if n_rest > files.MAX_LINE:
            raise CorpusError(
                f"line {first} has more than {files.MAX_LINE:,} bytes: are the line ends lost? each line "
                "holds one record"
            )
        if not block:
            return


def _check_ratio(n_bytes: int, n_packed: int) -> None:
    """Refuse what is so much larger than packed that it can only be a bomb."""
    if n_bytes > FREE_BYTES and n_bytes > MAX_RATIO * max(1, n_packed):
        raise CorpusError(
            f"it unpacks to more than {MAX_RATIO} times its size; if that is no mistake, unpack it first"
        )


def _without_mark(block: bytes) -> bytes:
    if block.startswith(files.UTF_16_MARKS):
        raise CorpusError("it is UTF-16; save it as UTF-8")
    return block.removeprefix(codecs.BOM_UTF8)


def _checked(data: bytes, first: int) -> bytes:
    """Return lines that end in line feeds alone; refuse what is no text."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in data:
        line = first + data.count(b"\n", 0, data.index(b"\0"))
        raise CorpusError(
            f"line {line} holds a NUL; save the file as UTF-8 text (it may be binary or UTF-16)"
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = first + data.count(b"\n", 0, error.start)
            raise CorpusError(
                f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; {files.NAME_ENCODING}"
            ) from None
    return data
