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
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from caesura.errors import CorpusError, ParameterError
from caesura.io.base import Format
from caesura.io.finding import PathLike, Place, find_places
from caesura.io.messages import naming, one_line, understood_size, without_line_ends
from caesura.io.options import ReadOptions
from caesura.io.registry import find_format, sniff
from caesura.io.tables.marks import IN_TABLES
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.values.units import AXES
from caesura.wording import listed, short, terminal_safe


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
    tiers, turns, end
        Of recordings: which tiers to read, whether boundaries are "changes" of speaker or "edges" of turns,
        and where the recording ends if its file does not say.

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
    chosen = None if format is None else find_format(format)
    options = ReadOptions(
        encoding=encoding,
        marker=marker,
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
    paths = list(path) if isinstance(path, Iterable) and not isinstance(path, (str, bytes)) else [path]
    for one in paths:
        if not isinstance(one, (str, os.PathLike)):
            raise ParameterError(f"path is {short(one)}: expected the name of a file or folder, or several")
    places = [place for one in paths for place in find_places(one)]
    names = [os.fspath(one) for one in paths]
    corpus = read_places(places, chosen, source=", ".join(names), options=options)
    options.check_used(names, corpus.metadata["format"])
    return corpus


def read_places(
    places: Iterable[Place], format: Format | None, source: str, options: ReadOptions | None = None
) -> Corpus:
    """Read these files and merge them; every error names its file."""
    options = ReadOptions() if options is None else options
    corpora: dict[Path, Corpus] = {}
    taken: dict[str, None] = {}
    notices: list[str] = []
    unfinished: dict[str, list[str]] = {}
    understood: list[str] = []
    readings: dict[MarkMeaning | None, Path] = {}
    formats: dict[Path, Format] = {}
    folders: dict[Path, list[Path]] = {}
    for place in places:
        path = place.path
        if path in corpora:
            raise CorpusError(f"{path}: it is to be read twice")
        with naming(path):
            file = place.source(options, is_named=format is not None)
            chosen = format or sniff(file)
            contents = chosen.read(file)
        corpora[path] = contents.corpus
        taken[chosen.name] = None
        formats[path] = chosen
        if place.found_in is not None:
            folders.setdefault(place.found_in, []).append(path)
        understood.append(
            f"{path} as {one_line(contents.understood or understood_size(chosen.name, contents.corpus))}"
        )
        readings.setdefault(contents.marks, path)
        notices += [f"{path}: {one_line(notice)}" for notice in (*file.notices, *contents.notices)]
        for coder, document in contents.unfinished:
            unfinished.setdefault(coder, []).append(document)
    if not corpora:
        raise CorpusError("there is no file to read")
    _check_readings(readings)
    _check_axes(corpora, formats)
    if format is None:
        _check_beside(corpora, formats)
        for files in folders.values():
            _check_one_kind(files, corpora, formats)
    merged = next(iter(corpora.values())) if len(corpora) == 1 else merge_files(list(corpora.items()))
    metadata = {
        **(merged.metadata if len(corpora) == 1 else {}),
        "format": ", ".join(taken),
        "source": source,
        "understood": tuple(understood),
    }
    notices += _flat_among_hierarchies(corpora)
    if unfinished:
        metadata["unfinished"] = {coder: tuple(documents) for coder, documents in unfinished.items()}
        notices.insert(0, without_line_ends(_who_has_not_finished(unfinished)))
    if notices:
        metadata["notices"] = tuple(notices)
        more = f" (and {len(notices) - 1} more notices, in metadata['notices'])" if notices[1:] else ""
        warnings.warn(terminal_safe(notices[0] + more), UserWarning, stacklevel=3)
    return merged.with_metadata(metadata)


def _who_has_not_finished(unfinished: Mapping[str, Sequence[str]]) -> str:
    """Return a line on who is missing what.

    >>> _who_has_not_finished({"bob": ["d3"], "cy": ["d1", "d2"]})
    'bob has not finished: d3; cy has not finished: d1 and d2'
    """
    return "; ".join(f"{coder} has not finished: {listed(names)}" for coder, names in unfinished.items())


def _check_readings(readings: Mapping[MarkMeaning | None, Path]) -> None:
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


def _check_beside(corpora: Mapping[Path, Corpus], formats: Mapping[Path, Format]) -> None:
    """Refuse text without any marker beside coded files of other documents.

    It may be notes, or have lost its markers. The text of a document that another file codes is welcome.
    """
    texts = [path for path, known in formats.items() if known.is_last]
    coded = (
        {name: path for path, corpus in corpora.items() for name in corpus.coded.documents} if texts else {}
    )
    for path in texts:
        if coded and not any(document in coded for document in corpora[path].documents):
            other = next(iter(coded.values()))
            raise CorpusError(
                f"{path}: it is {formats[path].title}, beside {other} ({formats[other].name}), which is "
                "coded; read one kind at a time"
            )


def _check_one_kind(
    files: Sequence[Path], corpora: Mapping[Path, Corpus], formats: Mapping[Path, Format]
) -> None:
    """Refuse a folder of mixed exports: spans or times of documents that no file of another format has.

    Tables and texts of different documents may stand together: all that they say is counted in units.
    """
    first = {formats[path].name: path for path in reversed(files)}
    if len(first) < 2:
        return  # names of documents need not be looked at
    n_formats: Counter[str] = Counter()
    documents: dict[str, set[str]] = {name: set() for name in first}
    for path in files:
        documents[formats[path].name].update(corpora[path].documents)
    for own in documents.values():
        n_formats.update(own)
    for name, path in first.items():
        other = next((one for one in first if one != name), None)
        is_export = formats[path].needs_axis in ("characters", "seconds")
        if other is not None and is_export and all(n_formats[one] == 1 for one in documents[name]):
            raise CorpusError(
                f"{path}: it is {name} where {first[other]} is {other}, and no other file has its documents: "
                "these are different exports; read one kind at a time, or name the files"
            )


def _flat_among_hierarchies(corpora: dict[Path, Corpus]) -> list[str]:
    flat = [path for path, corpus in corpora.items() if not corpus.is_hierarchical]
    if not flat or len(flat) == len(corpora):
        return []
    more = f" (and {len(flat) - 1} more files)" if flat[1:] else ""
    return [f"{flat[0]}{more}: it has no ranks where other files do; its boundaries are taken as level 1"]


def merge_files(corpora: Sequence[tuple[PathLike, Corpus]]) -> Corpus:
    """Merge as ``Corpus.merge`` does, with errors that name the files."""
    try:
        return Corpus.merge(*(corpus for _, corpus in corpora))
    except CorpusError as error:
        _raise_conflict(corpora)
        with naming(corpora[-1][0]):
            raise error


def _raise_conflict(corpora: Sequence[tuple[PathLike, Corpus]]) -> None:
    """Say which file is the first that does not fit those before, if one does not."""
    origin: dict[tuple[str, str], PathLike] = {}
    first: dict[str, tuple[str, int]] = {}  # by document: who, and how many units
    texts: dict[str, tuple[PathLike, tuple[str, ...]]] = {}
    scheme: TypeScheme | None = None
    for path, corpus in corpora:
        with naming(path):
            for document, coder, segmentation in corpus:
                if (document, coder) in origin:
                    raise CorpusError(
                        f"document {document} already has a coding by {coder}, from "
                        f"{origin[document, coder]}; rename one (on the command line: NAME={path})"
                    )
                who, n_units = first.setdefault(document, (coder, segmentation.n_units))
                if segmentation.n_units != n_units:
                    raise CorpusError(
                        f"document {document}: coder {coder} has {segmentation.n_units} units where "
                        f"coder {who} has {n_units} in {origin[document, who]}: all must segment the same "
                        "units"
                    )
                origin[document, coder] = path
            for document, text in corpus.units.items():
                other, expected = texts.setdefault(document, (path, text))
                if expected != text:
                    raise CorpusError(f"document {document}: its text differs from that in {other}")
            try:
                scheme = unite_schemes(scheme, corpus.type_scheme)
            except CorpusError:
                raise CorpusError("it declares other boundary types than a file before") from None
