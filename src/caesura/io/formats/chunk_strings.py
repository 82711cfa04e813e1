"""Chunks as strings or spans, with the text that they are cut from beside them.

The file is a list of strings, ``["chunk", ...]``, a list of spans ``[start, end]`` of characters, or
``{"document": ..., "chunks": [...]}`` with either. Several documents are such objects, one per line or as a
list, or ``{document: [...]}``. ``cs.read_chunks(path, texts)`` finds strings in the given texts. To be read
as a corpus, a file needs its text: as NAME.txt beside it, or in ``text_of``. Units are the characters, the
coder is the file. Chunks that overlap need ``overlap`` (start, end or middle). A written file has its text
beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Format, coded_by_file, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import first_record, json_of, named_only, records_of, the_object
from caesura.io.passages import segments_in
from caesura.io.spans import TEXT_EXTENSION, Passage, checked_span, chunks_of, text_beside, write_text_beside
from caesura.values.corpus import Corpus

DOCUMENT, CHUNKS = "document", "chunks"


def passages(source: Source) -> Iterator[Passage]:
    """Yield the strings or spans, in the order of the file."""
    for name, chunks in _lists(source):
        where = "" if name is None else f"document {name}: "
        if not isinstance(chunks, list):
            raise misfit(f"{where}{CHUNKS}", chunks, "a list of strings, or of [start, end]")
        for number, chunk in enumerate(chunks):
            at = f"{where}chunk {number}"
            if isinstance(chunk, str):
                yield Passage(name, chunk, None, at)
            elif isinstance(chunk, list) and len(chunk) == 2:
                with within(at):
                    start, end = checked_span(chunk[0], chunk[1], MAX_NUMBER)
                yield Passage(name, None, start, at, end=end)
            else:
                raise misfit(at, chunk, "a string, or [start, end]")


def _lists(source: Source) -> Iterator[tuple[str | None, Any]]:
    """Yield the chunks of each document with its name, if it has one."""
    if CHUNKS in first_record(source):
        for where, _, record in records_of(source):
            if CHUNKS not in record:
                raise CorpusError(f"{where} has no {CHUNKS!r}")
            name = record.get(DOCUMENT)
            yield None if name is None else named_only(name, DOCUMENT), record[CHUNKS]
        return
    values = source.json
    if isinstance(values, dict) and values:
        yield from values.items()
    elif isinstance(values, list) and values:
        yield None, values
    else:
        raise CorpusError(f"expected chunks, a list of strings or of [start, end], not {shortened(values)}")


def read(source: Source) -> Contents:
    """Read the chunks of one document, with the text beside the file."""
    own = list(passages(source))
    several = {passage.document for passage in own}
    if len(several) > 1:
        raise CorpusError("it has chunks of several documents; cs.read_chunks takes their texts")
    text = text_beside(source, "name the text with text_of=, or give it to cs.read_chunks")
    name = next(iter(several), None) or source.name
    with within(source.path.with_suffix(TEXT_EXTENSION).name):
        return read_documents(source, [segments_in(own, text, name, source.name)])


def write(corpus: Corpus, extension: str) -> str:
    """Return the document's name and the strings of its segments."""
    strings = [text for *_, text in chunks_of(corpus)]
    return json_of({DOCUMENT: corpus.documents[0], CHUNKS: strings}) + "\n"


def companions(source: Source) -> Iterable[Path]:
    """Return the text of chunks; of other files with this extension only the first line is read."""
    text = source.path.with_suffix(TEXT_EXTENSION)
    if source.beside(text) is None:
        return []
    start = source.first_line.lstrip()[:1000]
    is_likely = start.startswith("[") or f'"{CHUNKS}"' in start
    return [text] if is_likely and sniff(source) else []


def sniff(source: Source) -> bool:
    """Look for a list of strings, or for the key of chunks."""
    values = source.json_or_none if not the_object(source) else None
    is_list = isinstance(values, list) and bool(values) and all(isinstance(each, str) for each in values)
    chunks = first_record(source).get(CHUNKS)
    return is_list or (isinstance(chunks, list) and bool(chunks) and isinstance(chunks[0], (str, list)))


names, write_beside = coded_by_file, write_text_beside
example_beside = "It rained all day. We stayed at home."
FORMAT = Format.of(globals(), "chunks", (".json", ".jsonl"), needs_axis="characters")
