"""Files of chunks and of texts: what splitters write, as spans of the texts that the caller has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from caesura.errors import CorpusError, naming, within
from caesura.io.base import Format, Passage
from caesura.io.files import PathLike, Source
from caesura.io.formats import chunk_strings
from caesura.io.options import ReadOptions
from caesura.io.passages import by_document, document_of, spans_of
from caesura.io.reading import find_files, read_files
from caesura.io.registry import FORMATS, find_format, sniff
from caesura.values.chunks import Chunks, Texts, running_texts
from caesura.values.corpus import Corpus

PLAIN_TEXT = (".txt", ".md", ".markdown", ".text")
"""Files with these endings are running texts."""


def read_texts(paths: Iterable[PathLike]) -> dict[str, str]:
    """Return the running texts of files and folders: plain ones as they are, and those of corpora."""
    texts: dict[str, str] = {}
    for path in paths:
        for file in find_files(path):
            if file.extension in PLAIN_TEXT:
                with naming(file.location):
                    own = {file.name: file.text}
            else:
                own = running_texts(read_files([file], None, str(path)))
            twice = next((name for name in own if name in texts), None)
            if twice is not None:
                raise CorpusError(f"{file.location}: document {twice} is there twice; rename or remove one")
            texts |= own
    return running_texts(texts)


def read_chunks(
    path: PathLike, texts: Texts, format: str | None = None, *, document: str | None = None
) -> Chunks:
    """Read the chunks of texts from a file, or from a folder of such files, as splitters write them.

    Lists of strings and of spans, ``{"document": …, "chunks": […]}``, the chunks of LangChain, LlamaIndex and
    Chonkie, the elements of Unstructured (a Title starts a chunk), and every other format of spans of
    characters. Offsets are checked against the texts; what has none is found in them, as
    ``Chunks.from_strings`` does it.

    Parameters
    ----------
    texts
        The running texts, by document, or a corpus with texts. With one text a file needs no name of it;
        otherwise chunks are of the document that they name, or whose name is that of a file that they name.
    format
        The name of a format in ``FORMATS``; if not given it is told by the content.
    document
        The entry of a chunk's metadata that names its document, for LangChain and LlamaIndex.
    """
    known = running_texts(texts)
    options = ReadOptions(document=document)
    chosen = None if format is None else find_format(format)
    passages: dict[str, list[Passage]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for file in find_files(path):
        with naming(file.location):
            own = replace(file, options=options, is_named=chosen is not None)
            fitting = chosen or _chunks_format(own)
            if fitting.passages is not None:
                for name, several in by_document(fitting.passages(own), file.name, known).items():
                    passages.setdefault(name, []).extend(several)
            else:
                corpus = fitting.contents(own).corpus
                for name, segments in _segments(corpus):
                    spans.setdefault(document_of(Passage(name, None, 0, ""), file.name, known), segments)
    options.check_used([str(path)], "chunks")
    with naming(path):
        for name, own_passages in passages.items():
            with within(f"document {name}"):
                spans[name] = spans_of(own_passages, known[name], name)
        return Chunks.from_spans({name: spans[name] for name in known if name in spans}, known)


def _chunks_format(source: Source) -> Format:
    """Return the format of a file that holds chunks: where nothing else fits, lists of strings or spans."""
    for format in FORMATS.values():
        if format.passages is not None and format.sniff(source):
            return format
    try:
        return sniff(source)
    except CorpusError:
        if source.json_or_none is not None:
            return chunk_strings.FORMAT
        raise


def _segments(corpus: Corpus) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield the segments of each document, which one coder has divided, as spans of characters."""
    if not all(name in corpus.spans and corpus.spans[name].axis == "characters" for name in corpus.documents):
        raise CorpusError("it holds no chunks: where in a text its segments stand is not known")
    if len(corpus) != len(corpus.documents):
        raise CorpusError(f"it has {len(corpus.coders)} coders, and chunks are of one; select one of them")
    for name, _, segmentation in corpus:
        units = corpus.spans[name]
        edges = [int(units.origin), *map(int, units.offsets(segmentation)), int(units.end)]
        yield name, list(pairwise(edges))
