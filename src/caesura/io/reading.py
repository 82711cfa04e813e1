"""Reading: files, folders and archives of any format as one corpus; every error names its file.

>>> from tempfile import TemporaryDirectory
>>> from caesura.io.writing import write
>>> from caesura.stargazers import load_stargazers
>>> with TemporaryDirectory() as folder:
...     write(load_stargazers(), f"{folder}/stargazers.json")
...     corpus = read(f"{folder}/stargazers.json")
>>> corpus
<Corpus of 1 document, 7 coders, 7 codings>
>>> corpus.metadata["format"]
'segeval-json'
"""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NoReturn, TypeAlias

import numpy as np

from caesura.errors import CorpusError, ParameterError, naming, one_line, within, without_line_ends
from caesura.io.archives import GZIP, ZIP, gunzip, without_gzip, zip_members
from caesura.io.base import Contents, Format
from caesura.io.files import PathLike, Source, natural_key
from caesura.io.formats import chunk_strings
from caesura.io.options import OPTIONS, ReadOptions
from caesura.io.passages import by_document, document_of, segments_in_originals, spans_of
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS, find_format, sniff
from caesura.io.spans import Passage
from caesura.io.tables.marks import IN_TABLES
from caesura.values.chunks import Chunks, Texts, running_texts, segment_spans
from caesura.values.common_units import LEAST_KEPT, onto_originals
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.values.units import AXES
from caesura.wording import counted, listed, short, terminal_safe


def read(
    path: PathLike | Iterable[PathLike],
    format: str | None = None,
    *,
    encoding: str | None = None,
    marker: str | None = None,
    marks: str | None = None,
    text: str | None = None,
    document: str | None = None,
    coders: Sequence[str] | None = None,
    sheet: str | None = None,
    overlap: str | None = None,
    gaps: str | None = None,
    tiers: Sequence[str] | None = None,
    turns: str | None = None,
    end: float | str | None = None,
    ends: bool = False,
    numbering: str | None = None,
    text_of: Corpus | None = None,
    least_kept: float | None = None,
) -> Corpus:
    """Read a corpus from a file, from a folder (with all below it), or from several of them, merged.

    Parameters
    ----------
    path
        What to read. In a folder every file must be readable, except for hidden files and those called
        README or LICENSE whose extension names no format of data (README.md is not read, README.csv is).
        Files are taken in the natural order of their names (ch2 before ch10). A zip archive is read as a
        folder, and a gzip file (x.csv.gz) as what it holds. Files of several formats may stand together if
        each is told from its content, and their units are on one axis; a folder in which an export of spans
        or times has documents of its own, beside files of another format, is refused.
    format
        The name of a format in ``FORMATS``; if not given it is told by extension and content.
    encoding
        The encoding of text files that are not UTF-8, such as "cp1252". A byte order mark counts for more.
    marker
        The line between segments in the format ``marked``; files that have such a line are read so.
    marks, text, document, coders, sheet
        Of tables: what marks mean ("starts", "ends", "gaps", "labels"), and the names of the columns with
        the units' text, the document, and each coder; of spreadsheets, the sheet.
    overlap, gaps
        Of spans: where the boundary is between two that overlap ("start", "end", "middle", "edges"), and
        whether what no span covers is a "segment" of its own or "join"s the span before.
    tiers, turns, end, ends
        Of recordings: which tiers to read, whether boundaries are "changes" of speaker or "edges" of turns,
        where the recording ends if its file does not say, and whether the end of every segment of a
        transcript is a boundary.
    numbering
        Of lists of segments, such as a language model's: how they count units ("0-inclusive",
        "0-exclusive", "1-inclusive", "1-exclusive").
    text_of, least_kept
        Of changed copies of a text, such as a language model's: a corpus with the original texts, by the same
        names, onto whose units boundaries go (see ``align_text``; extra ``chunks``); and the share of the
        original's words that a copy must have, 0.8 if not given. ``understood`` has the account.

    An option concerns the files whose format takes it; one that concerns none of them is an error.

    Returns
    -------
    Corpus
        Its ``metadata`` says which ``format`` was taken, the ``source``, and what was ``understood`` of each
        file, in a line. Formats that do not name their
        document call it by the file, in a folder by the path below the folder, without the extension.
        Where files could be read but hold what should be known, one UserWarning says so, and ``metadata``
        has all ``notices``. ``unfinished`` has the documents that coders have not finished, by
        coder, where their files say so.
    """
    given = locals()  # all keywords but the format are options
    chosen = None if format is None else find_format(format)
    options = ReadOptions(**{name: given[name] for name in OPTIONS})
    paths = list(path) if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [path]
    for name in paths:
        if not isinstance(name, (str, os.PathLike)):
            raise ParameterError(f"path is {short(name)}: expected the name of a file or folder, or several")
    files = [file for name in paths for file in find_files(name)]
    names = [os.fspath(name) for name in paths]
    corpus = read_files(files, chosen, source=", ".join(names), options=options)
    options.check_used(names, corpus.metadata["format"])
    return corpus


ONE_KIND = "read one kind at a time, or name the files"


@dataclass(frozen=True)
class FileRead:
    """A file that was read: its format, contents, and folder or archive."""

    path: Path
    format: Format
    contents: Contents
    root: Path | None

    @property
    def corpus(self) -> Corpus:
        """Its codings."""
        return self.contents.corpus


def read_files(
    files: Iterable[Source], format: Format | None, source: str, options: ReadOptions | None = None
) -> Corpus:
    """Read these files and merge them; every error names its file."""
    options = ReadOptions() if options is None else options
    by_path: dict[Path, FileRead] = {}
    notices: list[str] = []
    for file in files:
        if (path := file.location) in by_path:
            raise CorpusError(f"{path}: it is to be read twice")
        with naming(path):
            own = replace(file, options=options, is_named=format is not None)  # released after reading
            chosen = format or sniff(own)
            contents = _on_originals(_contents(own, chosen, options), options)
        by_path[path] = FileRead(path, chosen, contents, file.root)
        notices += [f"{path}: {one_line(notice)}" for notice in contents.notices]
    if not (read := list(by_path.values())):
        raise CorpusError("there is no file to read")
    _check_marks(read)
    _check_axes(read)
    if format is None:
        _check_beside(read)
        for folder in dict.fromkeys(file.root for file in read if file.root is not None):
            _check_one_kind([file for file in read if file.root == folder])
    first = read[0].corpus
    merged = first if len(read) == 1 else merge_files([(file.path, file.corpus) for file in read])
    metadata = {
        **(first.metadata if len(read) == 1 else {}),
        "format": ", ".join(dict.fromkeys(file.format.name for file in read)),
        "source": source,
        "understood": tuple(f"{file.path} as {one_line(file.contents.understood)}" for file in read),
    }
    notices += _flat_among_hierarchies(read)
    unfinished: dict[str, list[str]] = {}
    for coder, document in (pair for file in read for pair in file.contents.unfinished):
        unfinished.setdefault(coder, []).append(document)
    if unfinished:
        metadata["unfinished"] = {coder: tuple(documents) for coder, documents in unfinished.items()}
        lacking = [f"{coder} has not finished: {listed(names)}" for coder, names in unfinished.items()]
        notices.insert(0, without_line_ends("; ".join(lacking)))
    if notices:
        metadata["notices"] = tuple(notices)
        more = f" (and {len(notices) - 1} more notices, in metadata['notices'])" if notices[1:] else ""
        warnings.warn(terminal_safe(notices[0] + more), UserWarning, stacklevel=3)
    return merged.with_metadata(metadata)


def _contents(source: Source, format: Format, options: ReadOptions) -> Contents:
    """Return what a file holds; chunks without offsets are searched for in the originals."""
    try:
        contents = format.contents(source)
    except CorpusError:
        original = options.get("text_of")
        if format.passages is None or not isinstance(original, Corpus):
            raise
        contents = segments_in_originals(source, format, original)
    documents = counted(len(contents.corpus.documents), "document")
    size = f"{format.name}: {documents}, {counted(len(contents.corpus.coders), 'coder')}"
    return replace(contents, understood=contents.understood or size)


def _on_originals(contents: Contents, options: ReadOptions) -> Contents:
    """Put the codings of a file on the units of the original texts, if the caller gives them."""
    if (original := options.get("text_of")) is None:
        return contents
    if not isinstance(original, Corpus):
        raise ParameterError(f"text_of is {short(original)}: expected a corpus with texts")
    least_kept = options.get("least_kept", LEAST_KEPT)
    corpus, account, notices = onto_originals(contents.corpus, original, least_kept)
    understood = contents.understood + (f"; {account}" if account else "")
    return replace(contents, corpus=corpus, understood=understood, notices=[*contents.notices, *notices])


def _check_marks(files: Iterable[FileRead]) -> None:
    """Refuse marks that are starts in one file and ends in another: one may be wrong."""
    first: dict[MarkMeaning, Path] = {}
    for file in files:
        if file.contents.marks not in (None, "labels"):
            first.setdefault(file.contents.marks, file.path)
    if len(first) > 1:
        (meaning, path), (second_meaning, second), *_ = first.items()
        choice = f"{IN_TABLES.format(meaning)} or {IN_TABLES.format(second_meaning)}"
        look = f"its marks look like {second_meaning} where those of {path} look like {meaning}"
        raise CorpusError(f"{second}: {look}: say which they are in all files, {choice}")


def _check_axes(files: Iterable[FileRead]) -> None:
    """Refuse files of different formats with units on different axes."""
    first: dict[str, FileRead] = {}
    for file in files:
        if (columns := file.corpus.unit_columns) is not None:
            for number in np.unique(columns.axis[columns.is_known]).tolist():
                first.setdefault(AXES[number], file)
    if len(first) > 1:
        (axis, file), (second_axis, second), *_ = first.items()
        if file.format is not second.format:
            own = f"its units are {second_axis} ({second.format.name})"
            those = f"those of {file.path} are {axis} ({file.format.name})"
            raise CorpusError(f"{second.path}: {own} where {those}; {ONE_KIND}")


def _check_beside(files: Sequence[FileRead]) -> None:
    """Refuse text without markers beside coded files of other documents.

    It may be notes, or have lost its markers. Text of a document that another file codes is fine.
    """
    texts = [file for file in files if file.format.is_last]
    coded = {name: file for file in files for name in file.corpus.coded.documents} if texts else {}
    for text in texts:
        if coded and not any(document in coded for document in text.corpus.documents):
            beside = next(iter(coded.values()))
            coding = f"{beside.path} ({beside.format.name}), which is coded"
            raise CorpusError(f"{text.path}: it is plain text without a coding, beside {coding}; {ONE_KIND}")


def _check_one_kind(files: Sequence[FileRead]) -> None:
    """Refuse a folder with spans or times of documents that no file of another format has.

    Tables and texts of different documents may be mixed: they count in units.
    """
    first = {file.format.name: file for file in reversed(files)}
    if len(first) < 2:
        return  # names of documents need not be looked at
    documents: dict[str, set[str]] = {name: set() for name in first}
    for file in files:
        documents[file.format.name].update(file.corpus.documents)
    n_formats = Counter(document for own in documents.values() for document in own)
    for name, file in first.items():
        beside = next((known for known in first if known != name), None)
        is_export = file.format.needs_axis in ("characters", "seconds")
        if beside is not None and is_export and all(n_formats[own] == 1 for own in documents[name]):
            kinds = f"it is {name} where {first[beside].path} is {beside}"
            raise CorpusError(f"{file.path}: {kinds}, and no other file has its documents; {ONE_KIND}")


def _flat_among_hierarchies(files: Sequence[FileRead]) -> list[str]:
    flat = [file.path for file in files if not file.corpus.is_hierarchical]
    if not flat or len(flat) == len(files):
        return []
    more = f" (and {len(flat) - 1} more files)" if flat[1:] else ""
    return [f"{flat[0]}{more}: it has no ranks where other files do; its boundaries are taken as level 1"]


def merge_files(corpora: Sequence[tuple[PathLike, Corpus]]) -> Corpus:
    """Merge like ``Corpus.merge``, with errors that name the files."""
    try:
        return Corpus.merge(*(corpus for _, corpus in corpora))
    except CorpusError as error:
        _raise_conflict(corpora)
        with naming(corpora[-1][0]):
            raise error


def _raise_conflict(corpora: Sequence[tuple[PathLike, Corpus]]) -> None:
    """Raise the error for the first file that conflicts with an earlier one."""
    origin: dict[tuple[str, str], PathLike] = {}
    first: dict[str, tuple[str, int]] = {}  # by document: coder and number of units
    texts: dict[str, tuple[PathLike, tuple[str, ...]]] = {}
    scheme: TypeScheme | None = None
    for path, corpus in corpora:
        with naming(path):
            for document, coder, segmentation in corpus:
                if (document, coder) in origin:
                    fix = f"rename one (on the command line: NAME={path})"
                    twice = f"document {document} already has a coding by {coder}"
                    raise CorpusError(f"{twice}, from {origin[document, coder]}; {fix}")
                who, n_units = first.setdefault(document, (coder, segmentation.n_units))
                if segmentation.n_units != n_units:
                    own = f"coder {coder} has {segmentation.n_units} units"
                    theirs = f"coder {who} has {n_units} in {origin[document, who]}"
                    raise CorpusError(f"document {document}: {own} where {theirs}")
                origin[document, coder] = path
            for document, text in corpus.units.items():
                before, expected = texts.setdefault(document, (path, text))
                if expected != text:
                    raise CorpusError(f"document {document}: its text differs from that in {before}")
            try:
                scheme = unite_schemes(scheme, corpus.type_scheme)
            except CorpusError:
                raise CorpusError("it declares other boundary types than a file before") from None


# -------------------------------------------------------------------- files of folders and archives

Unpack: TypeAlias = Callable[[], bytes]

PROSE_EXTENSIONS = {".md", ".markdown", ".html", ".htm"}
"""Extensions of data formats that README files have as well."""

NO_DATA = re.compile(r"(^|[._-])(licen[cs]e|copying|readme)([._-]|$)", re.IGNORECASE)
"""Names of files beside the data."""


def find_files(path: PathLike) -> list[Source]:
    """Return a file, or the data files of a folder or zip archive, in natural order."""
    path = Path(path)
    files = _without_companions(_files_at(path))
    return [file if file.location == path else replace(file, root=path) for file in files]


def _files_at(path: Path) -> list[Source]:
    if not path.is_dir():
        return _files_of(path, PurePosixPath(path.name), is_alone=True)
    below = sorted((file.relative_to(path) for file in files_below(path)), key=natural_key)
    if not below:
        raise CorpusError(f"{path}: the folder holds no data files")
    nested = (_files_of(path / name, PurePosixPath(name.as_posix()), is_alone=False) for name in below)
    return [file for files in nested for file in files]


def _files_of(path: Path, name: PurePosixPath, *, is_alone: bool) -> list[Source]:
    """Return a file, possibly packed, or the files of an archive.

    A single archive is read as a folder, an archive inside a folder as a folder of that name.
    """
    if path.suffix.lower() == GZIP:
        return [_packed(path, name, partial(gunzip, path))]
    if path.suffix.lower() != ZIP:
        return [Source(path, _document_name(name))]
    with naming(path):
        if not (members := zip_members(path, is_beside_data)):
            raise CorpusError("the archive holds no data files")
    members.sort(key=lambda member: natural_key(Path(member.path)))
    above = PurePosixPath() if is_alone else name
    all_files = {path / member.path: member.read for member in members}
    return [_packed(path / member.path, above / member.path, member.read, all_files) for member in members]


def _packed(
    path: Path, name: PurePosixPath, unpack: Unpack, neighbors: Mapping[Path, Unpack] | None = None
) -> Source:
    return Source(without_gzip(path), _document_name(name), unpack=unpack, neighbors=neighbors, packed=path)


def _document_name(path: PurePosixPath) -> str:
    """Return a file's name without its extension and .gz."""
    return without_gzip(Path(path)).with_suffix("").as_posix()


def files_below(folder: Path) -> list[Path]:
    """Return the files below a folder, except hidden files and README and LICENSE files."""
    files = []
    seen = set()
    for parent, folders, names in os.walk(folder, onerror=_raise, followlinks=True):
        status = os.stat(parent)
        if (status.st_dev, status.st_ino) in seen:  # a link to a folder above
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [Path(parent, name) for name in names if not is_beside_data(name)]
    for file in files:
        if not stat.S_ISREG(file.stat().st_mode):  # reading a pipe would never end
            raise CorpusError(f"{file}: not a regular file")
    return files


def _without_companions(files: list[Source]) -> list[Source]:
    """Remove files that other files read themselves."""
    if len(files) == 1:
        return files  # a pipe can be read only once
    companions: set[Path] = set()
    for format in FORMATS.values():
        if format.companions is not None:
            for file in files:
                if file.extension in format.extensions:
                    with naming(file.location):
                        companions.update(format.companions(replace(file)))  # the copy is released
    return [file for file in files if file.location not in companions]


def _raise(error: OSError) -> NoReturn:
    raise error


def is_beside_data(name: str) -> bool:
    """Return whether a file of this name describes the data, such as README."""
    if not (name.startswith(".") or NO_DATA.search(name)):
        return False
    extension = without_gzip(Path(name)).suffix.lower()
    if extension in GENERIC_EXTENSIONS | PROSE_EXTENSIONS:
        return True
    return not any(extension in format.extensions for format in FORMATS.values())


# -------------------------------------------------------------------- texts and their chunks

PLAIN_TEXT = (".txt", ".md", ".markdown", ".text")
"""Extensions of running texts."""


def read_texts(paths: Iterable[PathLike]) -> dict[str, str]:
    """Return the running texts of plain files and of corpora, in files and folders."""
    texts: dict[str, str] = {}
    for path in paths:
        for file in find_files(path):
            if file.extension in PLAIN_TEXT:
                with naming(file.location):
                    own = {file.name: file.text}
            else:
                own = running_texts(read_files([file], None, str(path)))
            if (twice := next((name for name in own if name in texts), None)) is not None:
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
                for name, segments in segment_spans(fitting.contents(own).corpus).items():
                    spans.setdefault(document_of(Passage(name, None, 0, ""), file.name, known), segments)
    options.check_used([str(path)], "chunks")
    with naming(path):
        for name, own_passages in passages.items():
            with within(f"document {name}"):
                spans[name] = spans_of(own_passages, known[name], name)
        return Chunks.from_spans({name: spans[name] for name in known if name in spans}, known)


def _chunks_format(source: Source) -> Format:
    """Return the format of a file with chunks; by default lists of strings or spans."""
    for format in FORMATS.values():
        if format.passages is not None and format.sniff(source):
            return format
    try:
        return sniff(source)
    except CorpusError:
        if source.json_or_none is not None:
            return chunk_strings.FORMAT
        raise
