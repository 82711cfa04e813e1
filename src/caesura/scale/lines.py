"""Lines of a packed or plain file in blocks: whole lines, numbered, of UTF-8, and never the file at once."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, NamedTuple

from caesura.errors import CorpusError
from caesura.io import files
from caesura.io.archives import FREE_BYTES, MAX_RATIO
from caesura.scale.addresses import DataFile
from caesura.values.arrow import load_pyarrow

BLOCK = 2**22
"""Bytes that are read at a time."""


class LineBlock(NamedTuple):
    """Some whole lines, which end in a line feed, but for the last of a file."""

    first: int
    """The number of the first line, from 1."""
    data: bytes


def line_blocks(file: DataFile, block_size: int | None = None) -> Iterator[LineBlock]:
    """Yield the lines of a file; errors do not name it."""
    pyarrow = load_pyarrow("lines in batches need")
    stream = file.open()
    try:
        packed = stream
        if file.packing is not None:
            stream = pyarrow.CompressedInputStream(packed, file.packing)
        yield from _blocks(stream, packed if file.packing else None, block_size or BLOCK)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorpusError(f"not a whole {file.packing or 'file'} file: {error}") from None
    finally:
        stream.close()


def _blocks(stream: Any, packed: Any, block_size: int) -> Iterator[LineBlock]:
    """Cut at the last line end of each block, and keep the rest for the next."""
    rest: list[bytes] = []
    n_rest, n_bytes, first, is_start = 0, 0, 1, True
    while True:
        block = stream.read(block_size)
        n_bytes += len(block)
        if packed is not None:
            _check_ratio(n_bytes, packed.tell())
        if block.endswith(b"\r"):  # its line feed may come next
            block += stream.read(1)
        if is_start:
            block, is_start = _without_mark(block), False
        end = block.rfind(b"\n") + 1 or block.rfind(b"\r") + 1
        if not block or end:
            data = b"".join([*rest, block[:end]])
            rest, n_rest = [block[end:]], len(block) - end
            if data:
                data = _checked(data, first)
                yield LineBlock(first, data)
                first += data.count(b"\n")
        else:
            rest.append(block)
            n_rest += len(block)
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
                f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8 (it may "
                "be Latin-1 or Windows-1252, or be cut off)"
            ) from None
    return data
