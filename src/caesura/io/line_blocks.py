"""Large text files, plain or compressed, in blocks of whole lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import closing

from caesura.errors import CorpusError
from caesura.io.addresses import open_file
from caesura.io.files import MAX_LINE, NAME_ENCODING, UTF_16_MARKS
from caesura.values.arrow import load_pyarrow

BLOCK = 2**22
"""Bytes read at a time."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


def line_blocks(path: str, quote: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines in UTF-8 with line feeds, and the number of the first line.

    With a character for quotes, a block ends outside quotes.
    """
    pyarrow = load_pyarrow("lines in pieces need")
    packing = next((kind for ending, kind in COMPRESSIONS.items() if path.lower().endswith(ending)), None)
    with closing(open_file(path)) as stream:
        if packing is not None:
            stream = pyarrow.CompressedInputStream(stream, packing)
        first, is_start, held, rest = 1, True, b"", b""
        while True:
            try:
                block = stream.read(BLOCK)
                block += stream.read(1) if block.endswith(b"\r") else b""  # its line feed may come next
            except (pyarrow.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise CorpusError(f"not a whole {packing} file: {error}") from None
            if is_start:
                if block.startswith(UTF_16_MARKS):
                    raise CorpusError("it is UTF-16; save it as UTF-8")
                block, is_start = block.removeprefix(codecs.BOM_UTF8), False
            end = block.rfind(b"\n") + 1 or block.rfind(b"\r") + 1
            if block and not end:
                rest += block
            else:
                held, rest = held + rest + block[:end], block[end:]
                is_whole = not block or not quote or held.count(quote) % 2 == 0
                if held and (is_whole or len(held) > MAX_LINE):
                    data, held = _checked(held, first), b""
                    yield first, data
                    first += data.count(b"\n")
            if len(rest) > MAX_LINE:
                line, most = first + held.count(b"\n"), MAX_LINE
                raise CorpusError(f"line {line} has more than {most:,} bytes; check its line ends")
            if not block:
                return


def _checked(data: bytes, first: int) -> bytes:
    """Return lines with line feeds as ends; refuse bytes that are not text."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    fault, at = "holds a NUL; save the file as UTF-8 text", data.find(b"\0")
    if at < 0 and not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            at = error.start
            fault = f"byte 0x{data[at]:02x} is not UTF-8; {NAME_ENCODING}"
    if at >= 0:
        line = first + data.count(b"\n", 0, at)
        raise CorpusError(f"line {line}: {fault}")
    return data
