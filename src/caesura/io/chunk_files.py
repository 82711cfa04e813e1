"""Files of chunks and of texts: what splitters write, as spans of the texts that the caller has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import PurePath

from caesura.errors import CorpusError, did_you_mean, naming, within
from caesura.io.base import Format, Passage
from caesura.io.files import Source, shortened
from caesura.io.finding import PathLike, find_files
from caesura.io.formats import chunk_strings
from caesura.io.options import ReadOptions
from caesura.io.reading import read_files
from caesura.io.registry import FORMATS, find_format, sniff
from caesura.values.chunks import Chunks, Texts, running_texts
from caesura.values.corpus import Corpus
from caesura.values.string_search import in_form
from caesura.wording import counted

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
            own = Source(
                file.path, file.name, options, file.unpack, file.neighbours, is_named=chosen is not None
            )
            fitting = chosen or _chunks_format(own)
            if fitting.passages is not None:
                for passage in fitting.passages(own):
                    passages.setdefault(_document_of(passage, file.name, known), []).append(passage)
            else:
                corpus = fitting.contents(own).corpus
                for name, segments in _segments(corpus):
                    spans.setdefault(_document_of(Passage(name, None, 0, ""), file.name, known), segments)
    options.check_used([str(path)], "chunks")
    with naming(path):
        for name, own_passages in passages.items():
            with within(f"document {name}"):
                spans[name] = _spans(own_passages, known[name], name)
        return Chunks.from_spans({name: spans[name] for name in known if name in spans}, known)


def _chunks_format(source: Source) -> Format:
    """Return the format of a file that holds chunks: where nothing else fits, lists of strings or spans."""
    for format in FORMATS.values():
        if format.passages is not None and format.sniff(source):
            return format
    try:
        return sniff(source)
    except CorpusError:
        if source.json_or_none:
            return chunk_strings.FORMAT
        raise


def _document_of(passage: Passage, file: str, texts: dict[str, str]) -> str:
    """Return whose text a passage is a part of."""
    name = passage.document
    for candidate in (name, None if name is None else PurePath(name).stem, file if name is None else None):
        if candidate is not None and candidate in texts:
            return candidate
    if len(texts) == 1 and (name is None or not passage.is_named):
        return next(iter(texts))
    if name is None:
        several = f"there are {counted(len(texts), 'text')}, and the file does not say which it is of"
        raise CorpusError(f"{several}; name it like its text, or give one text")
    raise CorpusError(f"there is no text of document {shortened(name)}; {did_you_mean(name, texts)}")


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


def _spans(passages: list[Passage], text: str, document: str) -> list[tuple[int, int]]:
    """Return the spans of the chunks that the passages of a document make up."""
    if all(passage.start is not None and passage.start >= 0 for passage in passages):
        spans = [_checked(passage, text) for passage in passages]
    else:
        strings = [passage.text or "" for passage in passages]
        spans = list(Chunks.from_strings({document: strings}, {document: text})[document])
    joined: list[tuple[int, int]] = []
    for passage, (start, end) in zip(passages, spans, strict=True):
        if passage.goes_on and joined:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _checked(passage: Passage, text: str) -> tuple[int, int]:
    """Return the span of a passage, at which the text must have what the passage has."""
    start = passage.start or 0
    end = start + len(passage.text or "") if passage.end is None else passage.end
    own = text[start:end]
    if passage.text is not None and own != passage.text and in_form(own) != in_form(passage.text):
        theirs = f"the text has {shortened(own)}, and the chunk is {shortened(passage.text)}"
        hint = "is it another text? offsets count code points"
        raise CorpusError(f"{passage.where}: from character {start} on {theirs}: {hint}")
    return start, end
