"""Text with a sentence per line and a line ========== around each segment.

Choi (2000), Advances in domain independent linear text segmentation. A sentence is a unit; the one coding is
by the coder reference. The text is kept as it is.
"""

from __future__ import annotations

from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.outlines import marked_lines, read_marked
from caesura.values.corpus import Corpus

MARKER = "=========="


def _is_marker(line: str) -> bool:
    return line.strip() == MARKER


def read(source: Source) -> Contents:
    """Read one document with its text."""
    return read_marked(source, _is_marker)


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document, in the form of Choi's own files."""
    return "\n".join([*marked_lines(corpus, MARKER, _is_marker), MARKER]) + "\n"


def sniff(source: Source) -> bool:
    """Recognize it by the first and the last line."""
    lines = source.lines
    return len(lines) > 2 and _is_marker(lines[0]) and _is_marker(lines[-1])


FORMAT = Format.of(globals(), "choi", (".ref", ".txt"), needs_units=True)
