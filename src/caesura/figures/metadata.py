"""Metadata of files: title and signature of a figure, written into a PNG or a PDF."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping

SIGNATURE = 8
HEADER = 25
"""Bytes of a PNG's signature, and of its first chunk, after which text may stand."""


def in_png(png: bytes, words: Mapping[str, str]) -> bytes:
    """Return a PNG with texts of international letters (iTXt; PNG, section 11.3.3.4) after its header."""
    chunks = b""
    for key, text in words.items():
        content = b"iTXt" + key.encode() + b"\0\0\0\0\0" + text.encode()
        chunks += (len(content) - 4).to_bytes(4, "big") + content + zlib.crc32(content).to_bytes(4, "big")
    return png[: SIGNATURE + HEADER] + chunks + png[SIGNATURE + HEADER :]


def in_pdf(pdf: bytes, words: Mapping[str, str]) -> bytes:
    """Return a PDF with an incremental update of its document information (ISO 32000-1, 7.5.6 and 14.3.3)."""
    trailer = re.search(
        rb"/Size (\d+)\s+/Root (\d+ 0 R)(?:\s+/Info (\d+) 0 R)?.*startxref\s+(\d+)", pdf, re.DOTALL
    )
    if trailer is None:  # a later version of the library writes it otherwise
        return pdf
    size, root, info, before = trailer.groups()
    number = info or size
    entries = "".join(f"/{key} <feff{text.encode('utf-16-be').hex()}>" for key, text in words.items())
    update = pdf + b"\n%s 0 obj\n<<%s /Producer (caesura)>>\nendobj\n" % (number, entries.encode())
    table = b"xref\n%s 1\n%010d 00000 n\r\n" % (number, len(pdf) + 1)
    ends = max(int(size), int(number) + 1)
    end = b"trailer\n<</Size %d /Root %s /Info %s 0 R /Prev %s>>\nstartxref\n%d\n%%%%EOF\n"
    return update + table + end % (ends, root, number, before, len(update))
