"""Gap strings (0100100000), a document per line, optionally name and tab before it.

A line is a document, a 1 a boundary in that gap; the file names the coder.

Without the extension ``.gaps``, the format's name or an option, a file may have a mark per unit instead: ends
if the last mark of every line is set, starts if the first is; if both are, the file is refused.

A document is named by its line number, or by the text before a tab; the coder by the file. So
``ann.gaps`` and ``bob.gaps`` read together are two coders of the same documents.
"""

from __future__ import annotations

import re

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, Documents, Format, coded_by_file
from caesura.io.files import Source, check_length, shortened
from caesura.io.tables.cells import marked
from caesura.io.tables.marks import string_reading, string_segmentation
from caesura.values.corpus import Corpus

EXTENSIONS = (".gaps", ".txt")


def read(source: Source) -> Contents:
    """Read one segmentation per line."""
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(source.lines, start=1):
        name, tab, marks = line.rpartition("\t")
        if bool(tab) != ("\t" in source.lines[0]):
            fault = "has a name where line 1 has none" if tab else "has no name where line 1 has one"
            raise CorpusError(f"line {number} {fault}: write a name and a tab on all lines or on none")
        if not line.strip() and not tab:
            raise CorpusError(f"line {number} is blank; write a document of one unit as its name and a tab")
        document = name if tab else str(number)
        if document == "" or "\t" in document:
            raise CorpusError(f"line {number}: the name is {shortened(document)}: expected one without tabs")
        rows.append((document, marks.strip(" ")))
    if not rows:
        raise CorpusError("there are no lines; expected a gap string on each")
    are_gaps = source.is_named or source.extension == ".gaps"
    meaning = source.options.get("marks", "gaps" if are_gaps else None)
    meaning = meaning or string_reading([marks for _, marks in rows])
    documents = Documents(source)
    for number, (document, marks) in enumerate(rows, start=1):
        with within(f"line {number}"), within(f"document {document}"):
            documents.add(Document(document, {source.name: string_segmentation(marks, meaning)}))
    return marked("file", documents.contents().corpus, meaning)


def write(corpus: Corpus, extension: str) -> str:
    """Return a line per document, without names if they are the line numbers."""
    numbered = corpus.documents == tuple(str(number) for number in range(1, len(corpus.documents) + 1))
    # A document of one unit has an empty gap string, which alone would be a blank line.
    bare = numbered and int(corpus.codings.n_units.min()) > 1
    lines = []
    for document, _, segmentation in corpus:
        if document == "" or re.search(r"[\t\r\n]", document):
            raise CorpusError(f"document {document!r}: a name before a gap string has no tab or line end")
        lines.append(segmentation.to_gaps() if bare else f"{document}\t{segmentation.to_gaps()}")
        check_length(len(lines[-1]), len(lines))
    return "\n".join(lines) + "\n"


def sniff(source: Source) -> bool:
    """Recognize strings of 0 and 1, unless all are numbers such as 10 or 11, which may be masses."""
    start = source.text[:1000].replace("\r", "\n").partition("\n")[0]
    if not _is_gaps(start):
        return False  # without reading all lines
    lines = source.lines
    if not all(_is_gaps(line) and ("\t" in line or line.strip()) for line in lines):
        return False
    return any("\t" in line or line.lstrip(" ").startswith("0") for line in lines)


def _is_gaps(line: str) -> bool:
    """Return whether a line is 0 and 1 between spaces, perhaps after a name and a tab."""
    name, tab, gaps = line.rpartition("\t")
    is_named = bool(name) and "\t" not in name
    return (is_named or not tab) and not gaps.strip(" ").strip("01")


FORMAT = Format.of(globals(), "gaps", EXTENSIONS, {"documents"}, names=coded_by_file)
