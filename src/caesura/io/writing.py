"""Writing: a corpus to a file or folder of any format, which appears whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from caesura.errors import CorpusError, ParameterError, naming, one_line
from caesura.io.base import Format
from caesura.io.files import PathLike, Source, check_name, default_mode, write_whole
from caesura.io.formats import marked_text, nested_json, segeval_json
from caesura.io.reading import is_beside_data
from caesura.io.registry import FORMATS, find_format
from caesura.values.columns import is_typed
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme
from caesura.values.units import INSTANT
from caesura.wording import counted, listed

KEEP_DETAILS = ("adjudication", "annotation", "jsonl", "long")
"""Formats that hold further columns; those of the long table are not read back."""


def write(corpus: Corpus, path: PathLike, format: str | None = None, *, marker: str | None = None) -> None:
    """Write a corpus to a file, which appears whole or not at all.

    Parameters
    ----------
    corpus
        What to write. Boundary types that the format cannot hold are an error; ``not_kept`` lists what
        else a format loses.
    path
        The file; for formats of one document per file, and several documents, a new folder.
    format
        The name of a format in ``FORMATS``; by default the extension determines it.
    marker
        The line between segments in the format ``marked``.
    """
    chosen = format_to_write(path, format, marker=marker)
    target = Path(path)
    with naming(path):
        check_name(path)
        _check_writable(corpus, chosen)
        if _is_one_file(corpus, chosen, path):
            contents = _contents(corpus, chosen, target, target.suffix.lower())
            for file, own in contents.items():
                # The caller did not name the files beside it.
                if file != target and file.exists() and (not file.is_file() or file.read_bytes() != own):
                    raise CorpusError(f"{file.name} beside it already exists and differs; name another")
            for file, own in contents.items():
                write_whole(file, own)
        elif target.suffix.lower() in chosen.extensions:
            noun = "document" if chosen.file_name is None else "coding"
            n = len(corpus.documents) if chosen.file_name is None else len(corpus)
            raise CorpusError(f"{chosen.name} holds one {noun} per file and there are {n}; name a folder")
        else:
            _write_folder(corpus, target, chosen)


def _is_one_file(corpus: Corpus, format: Format, path: PathLike) -> bool:
    # A trailing slash says "folder", and is lost in a Path.
    if "documents" in format.keeps:
        return True
    is_folder = Path(path).is_dir() or os.fspath(path).endswith(("/", os.sep))
    n_files = len(corpus.documents) if format.file_name is None else len(corpus)
    return n_files == 1 and not is_folder


def format_to_write(path: PathLike, format: str | None = None, *, marker: str | None = None) -> Format:
    """Return the format that ``write`` would use."""
    chosen = None if format is None else find_format(format)
    if marker is not None:
        if chosen not in (None, marked_text.FORMAT):
            raise ParameterError("marker belongs to the format 'marked' only")
        return marked_text.with_marker(marker)
    extension = Path(path).suffix.lower()
    if chosen is None:
        chosen = next((known for known in FORMATS.values() if extension in known.extensions), None)
    if chosen is None:
        extensions = " ".join(sorted({ending for known in FORMATS.values() for ending in known.extensions}))
        raise CorpusError(f"{path}: its extension names no format; end it in {extensions}, or give format=")
    return chosen


def not_kept(corpus: Corpus, format: Format, path: PathLike) -> list[str]:
    """Return what the format would lose of this corpus, in words."""
    lost = []
    if corpus.n_codings and format.codings == "none":
        lost.append("the codings")
    if format.lacks:
        lost.append(format.lacks)
    if corpus.units and "units" not in format.keeps and format.needs_axis != "characters":
        lost.append("the units' text")
    lost += _places_not_kept(corpus, format)
    if not corpus.is_coded and format.codings == "needed":
        n_uncoded = int(np.count_nonzero(corpus.n_coders == 0))
        lost.append(counted(n_uncoded, "document without a coding", "documents without a coding"))
    if corpus.details and format.name not in KEEP_DETAILS:
        lost.append(f"what else is known of codings ({listed(corpus.details)})")
    if "type scheme" not in format.keeps:
        lost += _meaning_not_kept(corpus, format)
    document, coder = format.names(Path(path).stem)
    if format.coder is not None:
        coder = format.coder(Source(Path(path), Path(path).stem))
    is_one_file = _is_one_file(corpus, format, path)
    if "documents" not in format.keeps and is_one_file and corpus.documents != (document,):
        lost.append(f"the document's name (it will be {document})")
    takes_coder = format.codings != "none" and (is_one_file or format.file_name is None)
    if "coders" not in format.keeps and takes_coder and corpus.coders != (coder,):
        lost.append(f"the coder's name (it will be {coder})")
    if format.leaves_out is not None:
        lost += format.leaves_out(corpus, Path(path))
    if corpus.metadata.get("properties") and format.name != segeval_json.FORMAT.name:
        lost.append(f"properties of the file ({listed(corpus.metadata['properties'])})")
    return lost


def _places_not_kept(corpus: Corpus, format: Format) -> list[str]:
    """Return what a format loses of the units' offsets; plain counts have none."""
    places = [units for units in corpus.spans.values() if (units.axis, units.step) != ("count", 1)]
    if places and "places" not in format.keeps:
        return ["the places of the units"]
    if format.step is None or all(units.step == format.step for units in places):
        return []
    seconds = "instants of 0.1 µs" if format.step == INSTANT else f"of {format.step:g} s"
    return [f"the units (they will be {'characters' if format.needs_axis == 'characters' else seconds})"]


def _meaning_not_kept(corpus: Corpus, format: Format) -> list[str]:
    """Return what a format without type schemes loses of the meaning of types."""
    scheme = corpus.type_scheme
    lost = []
    if scheme is not None and scheme.ranks:
        if "ranks" not in format.keeps:
            lost.append("that the types are ranks")
        if scheme.names != TypeScheme.of_ranks(scheme.names).names:
            lost.append("the names of the levels")
    elif scheme is not None:
        lost.append("the names of the boundary types")
    if "ranks" in format.keeps and not corpus.is_hierarchical and format is not nested_json.FORMAT:
        lost.append("that boundaries have no rank (they will be of level 1)")
    return lost


def _check_writable(corpus: Corpus, format: Format) -> None:
    if not corpus.documents:
        raise CorpusError("the corpus is empty; there is nothing to write")
    if format.codings == "needed" and not corpus.is_coded:
        document = corpus.documents[int(np.argmin(corpus.n_coders))]
        uncoded = [known.name for known in FORMATS.values() if known.codings != "needed"]
        raise CorpusError(f"document {document} is not coded; code it, or write {listed(uncoded, last='or')}")
    if format.codings != "none":
        _check_codings(corpus, format)
    if format.needs_units and len(corpus.units) < len(corpus.documents):
        document = next(name for name in corpus.documents if name not in corpus.units)
        raise CorpusError(f"document {document} has no text, which {format.name} needs; write another format")
    for document in corpus.documents if format.needs_axis is not None else ():
        units = corpus.spans.get(document)
        if units is None or format.needs_axis not in ("any", units.axis):
            where = "in a text or in time" if format.needs_axis == "any" else f"in {format.needs_axis}"
            raise CorpusError(f"document {document}: {format.name} needs units {where}; call with_spans()")


def _check_codings(corpus: Corpus, format: Format) -> None:
    """Refuse codings that the format cannot hold."""
    if "coders" not in format.keeps and format.file_name is None and len(corpus.coders) > 1:
        coders = f"{len(corpus.coders)} ({one_line(listed(corpus.coders, most=3))})"
        raise CorpusError(f"{format.name} holds one coder, not {coders}; use corpus.select(coders=[...])")
    if "types" in format.keeps or ("ranks" in format.keeps and corpus.is_hierarchical):
        return
    typed = np.flatnonzero(is_typed(corpus.codings))
    if not len(typed):
        return
    document, coder = corpus.documents[corpus.document[typed[0]]], corpus.coders[corpus.coder[typed[0]]]
    parts = {"types", "ranks"} if corpus.is_hierarchical else {"types"}
    keeping = [known.name for known in FORMATS.values() if parts & known.keeps and not known.is_of_page]
    unless = " unless they are declared as ranks" if "ranks" in format.keeps else ""
    typed_by = f"document {document}: coder {coder} has boundaries of other types than 1"
    raise CorpusError(f"{typed_by}, which {format.name} cannot hold{unless}; write {', '.join(keeping)}")


def _contents(corpus: Corpus, format: Format, file: Path, extension: str) -> dict[Path, bytes]:
    """Return the bytes of the files to write beside a file, then of the file itself."""
    beside = {} if format.write_beside is None else format.write_beside(corpus)
    texts = {file.with_suffix(ending): text for ending, text in beside.items()}
    contents = {**texts, file: format.write(corpus, extension)}
    return {path: _encoded(content, format) for path, content in contents.items()}


def _encoded(content: str | bytes, format: Format) -> bytes:
    """Return the bytes of a text; refuse one that could not be read back."""
    if isinstance(content, bytes):
        return content
    if "\0" in content:
        raise CorpusError(f"a name or text holds a NUL character, which {format.name} cannot hold")
    if content.startswith("\ufeff"):
        content = "\ufeff" + content  # or readers drop the first character as a byte order mark
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(f"a name or text holds {content[error.start]!r}, half a character") from None


def _write_folder(corpus: Corpus, folder: Path, format: Format) -> None:
    """Write a file per document (or coding) into a new folder, which appears whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CorpusError("the folder already exists and is not empty; name a new one")
    extension = format.extensions[0]
    parent = Path(os.path.realpath(folder)).parent  # also for a loop of links
    if not parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    import shutil  # writing is rare, and these modules are slow to import
    import tempfile

    temporary = Path(tempfile.mkdtemp(dir=parent, prefix=f".{folder.name[:50]}."))
    temporary.chmod(default_mode(0o777))
    try:
        for name, part in _parts(corpus, format):
            file = temporary / _file_name(name, extension)
            file.parent.mkdir(parents=True, exist_ok=True)
            contents = _contents(part, format, file, extension)
            for own, content in contents.items():
                with own.open("xb") as stream:  # fails if a and A are the same name here
                    stream.write(content)
        if folder.exists():
            folder.rmdir()
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _parts(corpus: Corpus, format: Format) -> Iterator[tuple[str, Corpus]]:
    """Yield the name and the content of each file."""
    if format.file_name is None:
        for number, (start, end) in enumerate(pairwise(corpus.starts.tolist())):
            yield corpus.documents[number], corpus.take(np.arange(start, end), np.array([number]))
        return
    codings = zip(corpus.document.tolist(), corpus.coder.tolist(), strict=True)
    for row, (document_number, coder_number) in enumerate(codings):
        document, coder = corpus.documents[document_number], corpus.coders[coder_number]
        name = format.file_name(document, coder)
        if format.names(name) != (document, coder):
            raise CorpusError(f"document {document!r}: coder {coder!r}: no file name holds these; rename one")
        yield name, corpus.take(np.array([row]))


def _file_name(document: str, extension: str) -> str:
    parts = document.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts) or "\\" in document:
        raise CorpusError(f"document {document!r}: its name cannot be the name of a file; rename it")
    if any(part.startswith(".") for part in parts[:-1]) or is_beside_data(parts[-1] + extension):
        raise CorpusError(f"document {document!r}: a file of this name would not be read; rename it")
    return document + extension
