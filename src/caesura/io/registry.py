"""The registry: all formats by name, and detection of a file's format from its name and content."""

from __future__ import annotations

from collections import deque
from importlib import import_module

from caesura.declaration import Registry
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.io.base import Format
from caesura.io.files import Source
from caesura.io.formats import jsonl, marked_text, segeval_json
from caesura.io.tables.cells import DELIMITERS, rows_of
from caesura.wording import short


def _name_of(format: Format) -> str:
    if not isinstance(format, Format):
        raise ParameterError(f"{short(format)} is not a format: expected a caesura.io.base.Format")
    return format.name


MODULES = (
    "jsonl", "long_table", "marks_table", "segeval_json", "segeval_tsv", "annotation", "adjudication",
    "parquet", "excel", "marked_text", "choi", "gaps", "plain_text", "dialseg711", "superdialseg",
    "tiage", "haps_csv", "nested_json", "markdown", "html_headings", "wiki727", "wikisection", "ytseg",
    "srt", "webvtt", "vtt_chapters", "chapters", "whisper", "chunkseg", "label_studio", "doccano",
    "brat", "langchain", "llamaindex", "chonkie", "unstructured", "chunk_strings", "spans_json",
    "conllu", "disrpt", "bio", "webanno", "qmsum", "tinyrec", "titles", "textgrid", "elan", "rttm",
    "nxt",
)  # fmt: skip
"""In the order of listings and of detection."""

_MODULES = (import_module(f"caesura.io.formats.{module}") for module in MODULES)
_KNOWN: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in _MODULES}
FORMATS: Registry[Format] = Registry("format", _KNOWN, _name_of, "caesura.formats")
"""All formats by name; the first with an extension writes files with it."""

GENERIC_EXTENSIONS = {".txt"}
"""Extensions that are not specific to a format."""


def find_format(name: str) -> Format:
    """Return the format of this name."""
    if name not in FORMATS:
        also = [(ending[1:], known.name) for known in FORMATS.values() for ending in known.extensions]
        raise unknown("format", name, FORMATS, also)
    return FORMATS[name]


def sniff(source: Source) -> Format:
    """Return the format of a file: try those with its extension first, then all others."""
    likely = [format for format in FORMATS.values() if source.extension in format.extensions]
    for format in FORMATS.values():
        if format.is_binary and (likely == [format] or format.sniff(source)):
            return format
    if marked_text.has_named_marker(source):
        return marked_text.FORMAT
    if jsonl.FORMAT in likely and jsonl.FORMAT.sniff(source):
        return jsonl.FORMAT  # before a large file is decoded
    text = source.legacy.text if any(format.may_be_legacy for format in likely) else source.text
    if not text or text.isspace():
        if len(likely) == 1 and likely[0].may_be_empty:
            return likely[0]
        raise CorpusError("the file is empty")
    fitting = [format for format in likely if not format.is_last and format.sniff(source)]
    if not fitting:
        others = [known for known in FORMATS.values() if known not in likely and not known.is_binary]
        fitting = [format for format in others if not format.is_last and format.sniff(source)]
    if not fitting:
        fitting = [format for format in likely if format.is_last and format.sniff(source)]
        if fitting and "marker" in source.options.given:
            return marked_text.FORMAT  # a text without markers is one segment
    if len(fitting) == 1:
        return fitting[0]
    if len(likely) == 1:
        return likely[0]  # its reader reports the fault
    if jsonl.FORMAT in likely and not fitting:
        return jsonl.FORMAT  # the most likely format of lines; its reader reports the fault
    # Report invalid JSON, a broken table or too long a line first.
    if source.extension in segeval_json.FORMAT.extensions:
        _ = source.json
    elif source.extension in DELIMITERS:
        deque(rows_of(source, ragged=True), 0)
    _ = source.lines
    fault = "more than one format fits" if fitting else "no format fits the content"
    candidates = fitting or [format for format in likely if not format.is_of_page]
    could_be = " or ".join(f"{format.name} ({format.title})" for format in candidates)
    hint = f"it could be {could_be}" if candidates else f"known are {', '.join(FORMATS)}"
    raise CorpusError(f"{fault}: {hint}; say which by format=")
