"""The registry: all formats, and reading and writing by them.

>>> from tempfile import TemporaryDirectory
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

import errno
import os
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np

from caesura.errors import CorpusError, ParameterError, SegmentationError, UnknownNameError, did_you_mean
from caesura.io import (
    bio,
    brat,
    chapters,
    choi,
    chunkseg,
    conllu,
    dialseg711,
    disrpt,
    doccano,
    elan,
    excel,
    gaps,
    haps_csv,
    html_headings,
    jsonl,
    label_studio,
    langchain,
    llamaindex,
    long_table,
    markdown,
    marked_text,
    marks_table,
    nested_json,
    nxt,
    parquet,
    qmsum,
    rttm,
    segeval_json,
    segeval_tsv,
    spans_json,
    srt,
    textgrid,
    tiage,
    tinyrec,
    vtt_chapters,
    webanno,
    webvtt,
    wiki727,
    wikisection,
    ytseg,
)
from caesura.io.archives import GZIP, ZIP, gunzip, without_gzip, zip_members
from caesura.io.base import Format
from caesura.io.files import Source, default_mode, natural_key, write_whole
from caesura.io.options import OPTIONS, ReadOptions
from caesura.io.rows import is_typed
from caesura.io.tables import DELIMITERS, check_table
from caesura.io.understood import understood_size
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.marks import IN_TABLES, Reading
from caesura.values.strings import Strings
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.values.units import AXES
from caesura.wording import counted, listed

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        jsonl,
        long_table,
        marks_table,
        segeval_json,
        segeval_tsv,
        parquet,
        excel,
        marked_text,
        choi,
        gaps,
        dialseg711,
        tiage,
        haps_csv,
        nested_json,
        markdown,
        html_headings,
        wiki727,
        wikisection,
        ytseg,
        srt,
        webvtt,
        vtt_chapters,
        chapters,
        chunkseg,
        label_studio,
        doccano,
        brat,
        langchain,
        llamaindex,
        spans_json,
        conllu,
        disrpt,
        bio,
        webanno,
        qmsum,
        tinyrec,
        textgrid,
        elan,
        rttm,
        nxt,
    )
}
"""All formats by name; the first with an extension is what files with that extension are written in."""

GENERIC_EXTENSIONS = {".txt"}
"""Extensions that say nothing of the format."""

PROSE_EXTENSIONS = {".md", ".markdown", ".html", ".htm"}
"""Extensions of formats that files beside the data have as well."""

NO_DATA = re.compile(r"(^|[._-])(licen[cs]e|copying|readme)([._-]|$)", re.IGNORECASE)
"""Names of files that stand beside the data."""

LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
MAX_MESSAGE = 500

PathLike: TypeAlias = str | os.PathLike[str]


class Place(NamedTuple):
    """A file to read, and what its document is called if it does not say."""

    path: Path
    """Where it is; of a file inside an archive, the archive's path and its own below it."""
    name: str
    unpack: Callable[[], bytes] | None = None
    """What returns the bytes of a packed file."""

    def source(self, options: ReadOptions) -> Source:
        """Return the file for a format to read, by the name that it has unpacked."""
        return Source(without_gzip(self.path), self.name, options, self.unpack)


def read(
    path: PathLike | Iterable[PathLike],
    format: str | None = None,
    *,
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
) -> Corpus:
    """Read a corpus from a file, from a folder (with all below it), or from several of them, merged.

    Parameters
    ----------
    path
        What to read. In a folder every file must be readable, except for hidden files and those called
        README or LICENSE whose extension names no format of data (README.md is not read, README.csv is).
        Files are taken in the natural order of their names (ch2 before ch10). A zip archive is read as a
        folder, and a gzip file (x.csv.gz) as what it holds. Files of several formats may stand together if
        each is told from its content, and their units are on one axis.
    format
        The name of a format in ``FORMATS``; if not given it is told by extension and content.
    marker
        The line between segments in the format ``marked``.
    marks, text, document, coders, sheet
        Of tables: what marks mean ("starts", "ends", "gaps", "labels"), and the names of the columns with
        the units' text, the document, and each coder; of spreadsheets, the sheet.
    overlap, gaps
        Of spans: where the boundary is between two that overlap ("start", "end", "middle", "edges"), and
        whether what no span covers is a "segment" of its own or "join"s the span before.
    tiers, turns, end
        Of recordings: which tiers to read, whether boundaries are "changes" of speaker or "edges" of turns,
        and where the recording ends if its file does not say.

    Returns
    -------
    Corpus
        Its ``metadata`` says which ``format`` was taken, the ``source``, and what was ``understood`` of each
        file, in a line. Formats that do not name their
        document call it by the file, in a folder by the path below the folder, without the extension.
        Where files could be read but hold what should be known, one UserWarning says so, and ``metadata``
        has all ``notices``.
    """
    chosen = named_format(format, marker=marker)
    options = ReadOptions(
        marks=marks,
        text=text,
        document=document,
        coders=coders,
        sheet=sheet,
        overlap=overlap,
        gaps=gaps,
        tiers=tiers,
        turns=turns,
        end=end,
    )
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    places = [place for one in paths for place in find_places(one)]
    return read_places(places, chosen, source=", ".join(os.fspath(one) for one in paths), options=options)


def find_places(path: PathLike) -> list[Place]:
    """Return the file, or the data files of a folder or zip archive in natural order."""
    path = Path(path)
    if not path.is_dir():
        return _places_of(path, PurePosixPath(path.name), is_alone=True)
    files = sorted(_files_below(path), key=lambda file: natural_key(file.relative_to(path)))
    if not files:
        raise CorpusError(f"{path}: the folder holds no data files")
    return [
        place
        for file in files
        for place in _places_of(file, PurePosixPath(file.relative_to(path).as_posix()), is_alone=False)
    ]


def _places_of(path: Path, name: PurePosixPath, *, is_alone: bool) -> list[Place]:
    """Return the file, unpacked if need be, or the files of an archive.

    An archive that is read alone is a folder; one inside a folder is a folder of that name.
    """
    if path.suffix.lower() == GZIP:
        return [Place(path, _document_name(name), partial(gunzip, path))]
    if path.suffix.lower() != ZIP:
        return [Place(path, _document_name(name))]
    with _naming(path):
        members = zip_members(path, _is_beside_data)
        if not members:
            raise CorpusError("the archive holds no data files")
    members.sort(key=lambda member: natural_key(Path(member.path)))
    above = PurePosixPath() if is_alone else name
    return [Place(path / member.path, _document_name(above / member.path), member.read) for member in members]


def _document_name(path: PurePosixPath) -> str:
    """Return a file's name without its extension, and without that of its packing."""
    return without_gzip(Path(path)).with_suffix("").as_posix()


def _files_below(folder: Path) -> list[Path]:
    found = []
    seen = set()
    for parent, folders, names in os.walk(folder, onerror=_raise, followlinks=True):
        status = os.stat(parent)
        if (status.st_dev, status.st_ino) in seen:  # a link to a folder above
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(parent, name) for name in names if not _is_beside_data(name)]
    found = _without_companions(found)
    for file in found:
        if not stat.S_ISREG(file.stat().st_mode):  # reading a pipe would wait for ever
            raise CorpusError(f"{file}: it is no regular file")
    return found


def _without_companions(files: list[Path]) -> list[Path]:
    """Leave out files that belong to others, which read them themselves."""
    companions: set[Path] = set()
    for format in FORMATS.values():
        if format.companions is not None:
            for file in files:
                if file.suffix.lower() in format.extensions:
                    companions.update(format.companions(file))
    return [file for file in files if file not in companions]


def _raise(error: OSError) -> NoReturn:
    raise error


def _is_beside_data(name: str) -> bool:
    if not (name.startswith(".") or NO_DATA.search(name)):
        return False
    extension = without_gzip(Path(name)).suffix.lower()
    if extension in GENERIC_EXTENSIONS | PROSE_EXTENSIONS:
        return True
    return not any(extension in format.extensions for format in FORMATS.values())


def read_places(
    places: Iterable[Place], format: Format | None, source: str, options: ReadOptions | None = None
) -> Corpus:
    """Read these files and merge them; every error names its file."""
    options = ReadOptions() if options is None else options
    corpora: dict[Path, Corpus] = {}
    taken: dict[str, None] = {}
    notices: list[str] = []
    understood: list[str] = []
    readings: dict[Reading | None, Path] = {}
    formats: dict[Path, Format] = {}
    for place in places:
        path = place.path
        if path in corpora:
            raise CorpusError(f"{path}: it is to be read twice")
        with _naming(path):
            file = place.source(options)
            file.is_named = format is not None
            chosen = format or sniff(file)
            corpora[path] = chosen.read(file)
        taken[chosen.name] = None
        formats[path] = chosen
        understood.append(
            f"{path}: {_one_line(file.understood or understood_size(chosen.name, corpora[path]))}"
        )
        readings.setdefault(file.reading, path)
        notices += [f"{path}: {_one_line(notice)}" for notice in file.notices]
    if not corpora:
        raise CorpusError("there is no file to read")
    if options.unused:
        name = options.unused[0]
        raise ParameterError(
            f"{name}= ({OPTIONS[name].flag}) says nothing of the format {', '.join(taken)}; leave it out"
        )
    _check_readings(readings)
    _check_axes(corpora, formats)
    merged = next(iter(corpora.values())) if len(corpora) == 1 else _merge(corpora)
    metadata = {
        **merged.metadata,
        "format": ", ".join(taken),
        "source": source,
        "understood": tuple(understood),
    }
    notices += _flat_among_hierarchies(corpora)
    if notices:
        metadata["notices"] = tuple(notices)
        more = f" (and {len(notices) - 1} more notices, in metadata['notices'])" if notices[1:] else ""
        warnings.warn(notices[0] + more, UserWarning, stacklevel=3)
    return merged.with_metadata(metadata)


def _check_readings(readings: Mapping[Reading | None, Path]) -> None:
    """Refuse marks that were told to be starts in one file and ends in another: one may be wrong."""
    marks = [(reading, path) for reading, path in readings.items() if reading not in (None, "labels")]
    if len(marks) > 1:
        (one, path), (other, second), *_ = marks
        raise CorpusError(
            f"{second}: its marks look like {other} where those of {path} look like {one}: say which they "
            f"are in all files, {IN_TABLES.format(one)} or {IN_TABLES.format(other)}"
        )


def _check_axes(corpora: Mapping[Path, Corpus], formats: Mapping[Path, Format]) -> None:
    """Refuse files of different formats whose units are on different axes: they are no one corpus."""
    first: dict[str, Path] = {}
    for path, corpus in corpora.items():
        columns = corpus.unit_columns
        axes = [] if columns is None else np.unique(columns.axis[columns.is_known]).tolist()
        for axis in axes:
            first.setdefault(AXES[axis], path)
    if len(first) > 1:
        (axis, path), (other, second), *_ = first.items()
        if formats[path] is not formats[second]:
            raise CorpusError(
                f"{second}: its units are {other} ({formats[second].name}) where those of {path} are {axis} "
                f"({formats[path].name}): these are different exports; read one kind at a time"
            )


def _flat_among_hierarchies(corpora: dict[Path, Corpus]) -> list[str]:
    flat = [path for path, corpus in corpora.items() if not corpus.is_hierarchical]
    if not flat or len(flat) == len(corpora):
        return []
    more = f" (and {len(flat) - 1} more files)" if flat[1:] else ""
    return [f"{flat[0]}{more}: it has no ranks where other files do; its boundaries are taken as level 1"]


def _merge(corpora: dict[Path, Corpus]) -> Corpus:
    """Merge as ``Corpus.merge`` does, with errors that name the files."""
    try:
        return Corpus.merge(*corpora.values()).with_metadata({})
    except CorpusError as error:
        _raise_conflict(corpora)
        with _naming(list(corpora)[-1]):
            raise error


def _raise_conflict(corpora: dict[Path, Corpus]) -> None:
    """Say which file is the first that does not fit those before, if one does not."""
    origin: dict[tuple[str, str], Path] = {}
    first: dict[str, tuple[str, int]] = {}  # by document: who, and how many units
    texts: dict[str, Strings] = {}
    scheme: TypeScheme | None = None
    for path, corpus in corpora.items():
        with _naming(path):
            for document, coder, segmentation in corpus:
                if (document, coder) in origin:
                    raise CorpusError(
                        f"document {document} already has a coding by {coder}, from "
                        f"{origin[document, coder]}; rename one"
                    )
                who, n_units = first.setdefault(document, (coder, segmentation.n_units))
                if segmentation.n_units != n_units:
                    raise CorpusError(
                        f"document {document}: coder {coder} has {segmentation.n_units} units where {who} "
                        f"has {n_units} in {origin[document, who]}: all must segment the same units"
                    )
                origin[document, coder] = path
            for document, text in corpus.units.encoded():
                if texts.setdefault(document, text) != text:
                    raise CorpusError(f"document {document}: its text differs from that in another file")
            try:
                scheme = unite_schemes(scheme, corpus.type_scheme)
            except CorpusError:
                raise CorpusError("it declares other boundary types than a file before") from None


@contextmanager
def _naming(path: PathLike) -> Iterator[None]:
    """Put the path before what is wrong with the content of a file."""
    try:
        yield
    except (CorpusError, SegmentationError) as error:
        raise CorpusError(f"{path}: {_one_line(str(error))}") from None


def _one_line(message: str) -> str:
    """Data may hold line ends, or be as long as its file; a message is one line that can be read."""
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE - 200]} ... {message[-200:]}"
    return LINE_END.sub(lambda end: end.group().encode("unicode_escape").decode(), message)


def find_format(name: str) -> Format:
    """Return the format of this name."""
    if name not in FORMATS:
        raise UnknownNameError(f"there is no format {name!r}; {did_you_mean(name, FORMATS)}")
    return FORMATS[name]


def named_format(format: str | None, *, marker: str | None = None) -> Format | None:
    """Return the format that the caller names, or None where it is to be told by the file."""
    chosen = None if format is None else find_format(format)
    if marker is None:
        return chosen
    if chosen not in (None, marked_text.FORMAT):
        raise ParameterError("marker belongs to the format 'marked' only")
    return marked_text.with_marker(marker)


def sniff(source: Source) -> Format:
    """Return the format of a file: those with its extension first, then any whose content fits."""
    likely = [format for format in FORMATS.values() if source.extension in format.extensions]
    for format in FORMATS.values():
        if format.is_binary and (likely == [format] or format.sniff(source)):
            return format
    if jsonl.FORMAT in likely and jsonl.sniff(source):
        return jsonl.FORMAT  # before a large file is decoded
    text = source.legacy_text if any(format.may_be_legacy for format in likely) else source.text
    if not text or text.isspace():
        if len(likely) == 1 and likely[0].may_be_empty:
            return likely[0]
        raise CorpusError("the file is empty")
    fitting = [format for format in likely if format.sniff(source)]
    if not fitting:
        others = [known for known in FORMATS.values() if known not in likely and not known.is_binary]
        fitting = [format for format in others if format.sniff(source)]
    if len(fitting) == 1:
        return fitting[0]
    if len(likely) == 1:
        return likely[0]  # its reader says what is wrong
    if jsonl.FORMAT in likely and not fitting:
        return jsonl.FORMAT  # so does this one: of files of lines it is the most likely
    # Where it is not even JSON or a table, or a line is too long, that is what to say.
    if source.extension in segeval_json.FORMAT.extensions:
        _ = source.json
    elif source.extension in DELIMITERS:
        check_table(source)
    _ = source.lines
    fault = "more than one format fits" if fitting else "no format fits the content"
    raise CorpusError(f"{fault}: {_candidates(fitting or likely)}; say which (format= or --from)")


def _candidates(formats: Sequence[Format]) -> str:
    if not formats:
        return f"known are {', '.join(FORMATS)}"
    return "it could be " + " or ".join(f"{format.name} ({format.title})" for format in formats)


# -------------------------------------------------------------------- writing


def write(corpus: Corpus, path: PathLike, format: str | None = None, *, marker: str | None = None) -> None:
    """Write a corpus to a file, which appears whole or not at all.

    Parameters
    ----------
    corpus
        What to write. Boundary types that the format cannot hold are an error; see ``not_kept`` for what
        else a format leaves out.
    path
        The file; for formats of one document per file, and several documents, a new folder.
    format
        The name of a format in ``FORMATS``; if not given it is told by the extension.
    marker
        The line between segments in the format ``marked``.
    """
    chosen = format_to_write(path, format, marker=marker)
    target = Path(path)
    with _naming(path):
        _check_writable(corpus, chosen)
        if _is_one_file(corpus, chosen, path):
            write_whole(target, _content(corpus, chosen, target.suffix.lower()))
        elif target.suffix.lower() in chosen.extensions:
            what = "document" if chosen.file_name is None else "coding"
            n = len(corpus.documents) if chosen.file_name is None else len(corpus)
            raise CorpusError(f"{chosen.name} holds one {what} per file and there are {n}; name a folder")
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
    """Return the format that ``write`` would take."""
    chosen = named_format(format, marker=marker)
    extension = Path(path).suffix.lower()
    if chosen is None:
        chosen = next((known for known in FORMATS.values() if extension in known.extensions), None)
    writable = [known for known in FORMATS.values() if known.write is not None]
    known_names = ", ".join(known.name for known in writable)
    if chosen is None:
        extensions = sorted({extension for known in writable for extension in known.extensions})
        raise CorpusError(
            f"{path}: its extension names no format; end it in one of {' '.join(extensions)}, "
            f"or say which of {known_names} (format= or --to)"
        )
    if chosen.write is None:
        raise CorpusError(f"{path}: {chosen.name} can only be read; write one of {known_names}")
    return chosen


def not_kept(corpus: Corpus, format: Format, path: PathLike) -> list[str]:
    """Return what of this corpus would be missing in the format, in words."""
    lost = []
    if corpus.n_codings and format.codings == "none":
        lost.append("the codings")
    if format.lacks:
        lost.append(format.lacks)
    if corpus.units and "units" not in format.keeps:
        lost.append("the units' text")
    if corpus.spans and "places" not in format.keeps:
        lost.append("the places of the units")
    if not corpus.is_coded and format.codings == "needed":
        lost.append(
            counted(int(np.count_nonzero(corpus.n_coders == 0)), "document") + " that nobody has coded"
        )
    if "type scheme" not in format.keeps:
        lost += _meaning_not_kept(corpus, format)
    document, coder = format.names(Path(path).stem)
    is_one_file = _is_one_file(corpus, format, path)
    if "documents" not in format.keeps and is_one_file and corpus.documents != (document,):
        lost.append(f"the document's name (it will be {document})")
    if (
        "coders" not in format.keeps
        and format.codings != "none"
        and (is_one_file or format.file_name is None)
        and corpus.coders != (coder,)
    ):
        lost.append(f"the coder's name (it will be {coder})")
    if corpus.metadata.get("properties") and format.name != segeval_json.FORMAT.name:
        lost.append(f"properties of the file ({listed(corpus.metadata['properties'])})")
    return lost


def _meaning_not_kept(corpus: Corpus, format: Format) -> list[str]:
    """Return what of the types' meaning is missing in a format without type schemes."""
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
        others = [known.name for known in FORMATS.values() if known.codings != "needed"]
        raise CorpusError(
            f"document {document} is not coded, and {format.name} holds codings; code it first, or write it "
            f"as {listed(others, last='or')}"
        )
    if format.codings != "none":
        _check_codings(corpus, format)
    if format.needs_units and len(corpus.units) < len(corpus.documents):
        document = next(name for name in corpus.documents if name not in corpus.units)
        raise CorpusError(
            f"document {document} has no text, of which {format.name} consists; write another format"
        )
    if format.needs_axis is not None:
        _check_axis(corpus, format)


def _check_codings(corpus: Corpus, format: Format) -> None:
    """Refuse codings that the format cannot hold."""
    if "types" not in format.keeps and not ("ranks" in format.keeps and corpus.is_hierarchical):
        _check_plain(corpus, format)
    if "coders" not in format.keeps and format.file_name is None and len(corpus.coders) > 1:
        raise CorpusError(
            f"{format.name} holds one coder and there are {len(corpus.coders)} "
            f"({_one_line(listed(corpus.coders, most=3))}); "
            "select one of them"
        )


def _check_axis(corpus: Corpus, format: Format) -> None:
    """Refuse documents of which it is not known where their units stand on the axis of a format."""
    spans, axis = corpus.spans, format.needs_axis
    for document in corpus.documents:
        if document not in spans or axis not in ("any", spans[document].axis):
            where = "in a text or in time" if axis == "any" else f"in {axis}"
            raise CorpusError(
                f"document {document}: it is not known where its units stand {where}, of which {format.name} "
                "consists; write another format, or give their places by with_spans()"
            )


def _check_plain(corpus: Corpus, format: Format) -> None:
    typed = np.flatnonzero(is_typed(corpus.codings))
    if not len(typed):
        return
    document, coder = corpus.documents[corpus.document[typed[0]]], corpus.coders[corpus.coder[typed[0]]]
    kept = {"types", "ranks"} if corpus.is_hierarchical else {"types"}
    keeping = [known.name for known in FORMATS.values() if known.write is not None and kept & known.keeps]
    unless = " unless they are declared as ranks" if "ranks" in format.keeps else ""
    raise CorpusError(
        f"document {document}: coder {coder} has boundaries of other types than 1, which "
        f"{format.name} cannot hold{unless}; write one of {', '.join(keeping)}"
    )


def _content(corpus: Corpus, format: Format, extension: str) -> bytes:
    """Return a file's bytes; refuse what could not be read back."""
    if format.write is None:
        raise CorpusError(f"{format.name} can only be read")
    content = format.write(corpus, extension)
    if isinstance(content, bytes):
        return content
    if "\0" in content:
        raise CorpusError(f"a name or text holds a NUL character, which {format.name} cannot hold")
    if content.startswith("\ufeff"):
        content = "\ufeff" + content  # or the reader takes the name's first character for a byte order mark
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"a name or text holds {content[error.start]!r}, which is half a character"
        ) from None


def _write_folder(corpus: Corpus, folder: Path, format: Format) -> None:
    """Write a file per document (or coding) into a new folder, which appears whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CorpusError("it is there already and not empty; name a new folder")
    extension = format.extensions[0]
    parent = folder.resolve().parent
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
            content = _content(part, format, extension)
            with file.open("xb") as stream:  # where a and A are the same name, the second fails
                stream.write(content)
        if folder.exists():
            folder.rmdir()
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _parts(corpus: Corpus, format: Format) -> Iterator[tuple[str, Corpus]]:
    """Yield what goes into a file each, with the file's name."""
    if format.file_name is None:
        for document, (start, end) in zip(corpus.documents, pairwise(corpus.starts.tolist()), strict=True):
            yield document, corpus.take(np.arange(start, end)) if start < end else _uncoded(corpus, document)
        return
    codings = zip(corpus.document.tolist(), corpus.coder.tolist(), strict=True)
    for row, (document_number, coder_number) in enumerate(codings):
        document, coder = corpus.documents[document_number], corpus.coders[coder_number]
        name = format.file_name(document, coder)
        if format.names(name) != (document, coder):
            raise CorpusError(
                f"document {document!r}: coder {coder!r}: no file name can hold these; rename one"
            )
        yield name, corpus.take(np.array([row]))


def _uncoded(corpus: Corpus, document: str) -> Corpus:
    """Return the corpus of one document that nobody has coded."""
    builder = CorpusBuilder()
    if document in corpus.units:
        builder.add_text(document, corpus.units[document])
    if document in corpus.spans:
        builder.add_units(document, corpus.spans[document])
    return Corpus.build(builder)


def _file_name(document: str, extension: str) -> str:
    parts = document.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts) or "\\" in document:
        raise CorpusError(f"document {document!r}: its name cannot be the name of a file; rename it")
    if any(part.startswith(".") for part in parts[:-1]) or _is_beside_data(parts[-1] + extension):
        raise CorpusError(f"document {document!r}: a file of this name would not be read; rename it")
    return document + extension
