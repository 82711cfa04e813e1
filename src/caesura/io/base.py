"""Formats: what each file format declares; and documents, from which every reader makes its corpus.

A coding is a segmentation, masses, a hierarchy, or the spans of its segments on the document's axis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from caesura.errors import CorpusError, within
from caesura.io.files import Source, shortened
from caesura.io.json_files import Record
from caesura.io.spans import Passage, Spans, on_one_line, placed, units_of_chunks
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning
from caesura.values.hierarchy import Hierarchy, HierarchyLike
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps, Overlap
from caesura.values.type_scheme import TypeScheme
from caesura.values.units import INSTANT, Axis, Projection, Units
from caesura.wording import counted, listed

T = TypeVar("T")

Part: TypeAlias = Literal["documents", "coders", "types", "type scheme", "ranks", "units", "places"]
"""A part of a corpus: several documents, several coders, boundary types, their names, the units' text, and
where the units stand on their axis.

A format of hierarchies keeps ranks: boundary types, if the corpus declares them to be ranks.
"""

ALL_PARTS: frozenset[Part] = frozenset(get_args(Part)) - {"ranks"}
"""What caesura's own formats keep; in them ranks are types that a type scheme declares to be ranks."""

Codings: TypeAlias = Literal["needed", "optional", "none"]
"""Whether documents of a format need annotations, may have them, or cannot."""

EXAMPLES = {path.stem: path for path in (Path(__file__).parent / "examples").iterdir()}

REFERENCE = "reference"
"""The coder in formats with one unnamed coder."""


def named_by_file(name: str) -> tuple[str, str]:
    """Return document and coder if the file's name is the document, as in most formats."""
    return name, REFERENCE


def coded_by_file(name: str) -> tuple[str, str]:
    """Return document and coder if the file's name is the coder, and documents are named inside."""
    return "", name


@dataclass(frozen=True)
class Contents:
    """What a reader returns for a file."""

    corpus: Corpus
    notices: Sequence[str] = ()
    """Warnings about a file that can be read."""
    understood: str = ""
    """How the file was understood; empty: the numbers of documents and coders say it."""
    marks: MarkMeaning | None = None
    """The meaning of values per unit, if the file has any."""
    unfinished: Sequence[tuple[str, str]] = ()
    """Pairs of coder and document that are not finished."""


@dataclass(frozen=True)
class Format:
    """A file format. ``read`` and ``write`` raise errors without the path, which the caller adds."""

    name: str
    title: str
    """One line, or the docstring of its module: this line and the notes."""
    extensions: tuple[str, ...]
    """Files in a folder are written with the first."""
    read: Callable[[Source], Contents]
    write: Callable[[Corpus, str], str | bytes]
    """Return the content of a file with this corpus and extension."""
    sniff: Callable[[Source], bool]
    """Return whether the content looks like this format, even if broken; a CorpusError means no."""
    keeps: Set[Part] = frozenset()
    """The parts of a corpus that it keeps, besides the units or places that it needs."""
    is_binary: bool = False
    """Whether the file is binary, not text."""
    needs_units: bool = False
    """Whether the format consists of the units' text."""
    needs_axis: Axis | Literal["any"] | None = None
    """The axis of its offsets, or any."""
    step: float | None = None
    """The step of the grid that replaces the units of the corpus."""
    codings: Codings = "needed"
    lacks: str = ""
    """What the format cannot hold, in words."""
    may_be_legacy: bool = False
    """Whether its files may be Windows-1252 instead of UTF-8."""
    may_be_empty: bool = False
    """Whether an empty file is valid: its document has no annotations yet."""
    is_of_page: bool = False
    """Whether one of caesura's pages saves it."""
    is_last: bool = False
    """Whether it is chosen only if no other format fits."""
    names: Callable[[str], tuple[str, str]] = named_by_file
    """Return the document and coder of a file name, for files that do not name them inside."""
    coder: Callable[[Source], str] | None = None
    """Return the coder of a file, if its folder names the coder."""
    file_name: Callable[[str, str], str] | None = None
    """Return the file name for a document and coder; for formats with one coding per file."""
    companions: Callable[[Source], Iterable[Path]] | None = None
    """Return the files that belong to a file of this format and are not read alone."""
    write_beside: Callable[[Corpus], Mapping[str, str]] | None = None
    """Return the files to write beside one of this format: their content by extension."""
    leaves_out: Callable[[Corpus, Path], Iterable[str]] | None = None
    """Return what a file at this path would lack despite ``keeps``, in words."""
    passages: Callable[[Source], Iterable[Passage]] | None = None
    """Return the passages of a file that can be read as chunks of texts that the caller has."""
    example: str = ""
    """A small file for the documentation and the tests; by default the one in ``examples``."""
    example_beside: str = ""
    """The text of the example's NAME.txt, if the format needs one."""
    example_options: Mapping[str, str] = field(default_factory=dict)
    """Options for reading the example."""
    notes: str = ""
    """What units and coders are, and which parts of the file are not kept."""

    def __post_init__(self) -> None:
        # Python -OO removes docstrings.
        title, *notes = (" ".join(paragraph.split()) for paragraph in (self.title or self.name).split("\n\n"))
        object.__setattr__(self, "title", title.removesuffix("."))
        object.__setattr__(self, "notes", "\n\n".join(notes) or self.notes)
        needed = {"units"} if self.needs_units else {"places"} if self.needs_axis else set()
        object.__setattr__(self, "keeps", frozenset(self.keeps | needed))
        if self.step is None and not self.needs_units:
            object.__setattr__(self, "step", {"characters": 1, "seconds": INSTANT}.get(self.needs_axis or ""))
        object.__setattr__(self, "sniff", partial(_sniffed, self.sniff))
        if not self.example and self.name in EXAMPLES:
            object.__setattr__(self, "example", EXAMPLES[self.name].read_text(encoding="utf-8"))

    @classmethod
    def of(
        cls,
        module: Mapping[str, Any],
        name: str,
        extensions: tuple[str, ...],
        keeps: Set[Part] = frozenset(),
        **declared: Any,
    ) -> Format:
        """Return the format of a module, from its docstring and the globals that have the names of fields."""
        functions = {own.name: module[own.name] for own in fields(cls) if own.name in module}
        return cls(name, module["__doc__"], extensions, keeps=keeps, **{**functions, **declared})

    def contents(self, source: Source) -> Contents:
        """Return what the reader returns for a file, with warnings about its encoding."""
        contents = self.read(source)
        notices = () if self.is_binary else source.notices
        return replace(contents, notices=(*notices, *contents.notices))


def _sniffed(sniff: Callable[[Source], bool], source: Source) -> bool:
    try:
        return sniff(source)
    except CorpusError:
        return False


def only_coding(corpus: Corpus) -> tuple[str, str, Segmentation]:
    """Return document, coder and segmentation of a corpus with one coding."""
    (coding,) = corpus
    return coding


def ranks_up_to(most: int, document: str, coder: str, coding: Segmentation, holds: str) -> dict[int, int]:
    """Return the ranks of a coding by position; refuse a rank below those of the format."""
    for position, rank in coding.boundaries:
        if rank > most:
            deep = f"coder {coder} has the rank {rank} at position {position}"
            raise CorpusError(f"document {document}: {deep}: {holds}; use jsonl")
    return dict(coding.boundaries)


def united(levels: Sequence[Iterable[int]], n_units: int) -> Hierarchy:
    """Return the hierarchy of these levels, from the coarsest on; the first level of a boundary is its rank.

    >>> united([[5], [2, 5]], 11)
    Hierarchy.from_ranks({2: 2, 5: 1}, n_units=11)
    """
    ranked = [(position, rank) for rank, level in enumerate(levels, start=1) for position in level]
    return Hierarchy.from_ranks(dict(sorted(ranked, key=lambda pair: -pair[1])), n_units)


def with_all_ranks(corpus: Corpus) -> Corpus:
    """Return a corpus of hierarchies that declares all ranks up to the deepest, used or not.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_ranks({2: 3}, n_units=4)}})
    >>> list(with_all_ranks(corpus).type_scheme.names.values())
    ['level 1', 'level 2', 'level 3']
    """
    return corpus.with_type_scheme(TypeScheme.of_ranks(range(1, max(corpus.ranks, default=1) + 1)))


def check_named(corpus: Corpus) -> None:
    """Refuse empty names: in a table they are missing cells."""
    if "" in corpus.documents or "" in corpus.coders:
        raise CorpusError("a document or coder without a name cannot stand in a table; name it")


# -------------------------------------------------------------------- documents


@dataclass(frozen=True)
class Segments:
    """A coding with these half-open spans as its segments; without spans, the document is not coded."""

    spans: Spans
    overlap: Overlap = "error"
    """The format's rule for overlapping spans, unless the caller of ``read`` gives one."""
    gaps: Gaps = "error"
    """Its rule for parts in no span."""


Span: TypeAlias = tuple[int, int]
Coding: TypeAlias = HierarchyLike | Segments | Projection


@dataclass(frozen=True)
class Document:
    """A document as a record describes it."""

    name: str
    codings: Mapping[str, Coding]
    """By coder."""
    texts: Iterable[str] | None = None
    """The texts of its units."""
    units: Units | None = None
    """Where its units stand."""
    notices: Sequence[str] = ()
    """Warnings."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """The time each coder took, if known."""


@dataclass
class Documents:
    """The documents of a file, and the notices about all of them."""

    source: Source
    builder: CorpusBuilder = field(default_factory=CorpusBuilder)
    notices: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of entries that are not spans, by kind."""
    _seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    _labels: Counter[str] = field(default_factory=Counter)
    _n_chosen: int = 0
    _n_uncoded: int = 0
    _n_quotes_differ: int = 0
    _first_quote: str = ""

    def add(self, document: Document) -> None:
        """Add a document with its codings; refuse a repeated name."""
        name, builder = document.name, self.builder
        if builder.has_document(name):
            raise CorpusError(f"document {name} is there twice; rename or remove one")
        if document.units is not None:
            builder.add_units(name, document.units)
        for coder, coding in document.codings.items():
            if not isinstance(coding, Segments):
                builder.add(name, coder, coding.segmentation if isinstance(coding, Projection) else coding)
            elif not len(coding.spans):
                self._n_uncoded += 1
            elif document.units is not None:
                with within(f"document {name}: coder {coder}"):
                    own = placed(self.source, document.units, coding.spans, coding.overlap, coding.gaps)
                builder.add(name, coder, own.segmentation)
        if document.texts is not None:
            builder.add_text(name, document.texts)
        self._seconds |= {(name, coder): seconds for coder, seconds in document.seconds.items()}
        self.notices += [f"document {name}: {notice}" for notice in document.notices]

    def takes(self, labels: Iterable[str]) -> bool:
        """Return whether ``tiers`` selects a span with these labels; without ``tiers`` it selects all."""
        if (wanted := self.source.options.get("tiers")) is None:
            return True
        own = list(labels)
        self._labels.update(own)
        is_chosen = not set(wanted).isdisjoint(own)
        self._n_chosen += is_chosen
        return is_chosen

    def compare_quote(self, where: str, text: str | None, parts: Sequence[Span], quote: object) -> None:
        """Count the spans whose quoted text differs from the text at their offsets."""
        if text is None or not isinstance(quote, str):
            return
        length = sum(end - start for start, end in parts) + len(parts) - 1
        # Compare lengths first: a file may quote one word for each of many long spans.
        if length == len(quote) and on_one_line(_joined(text, parts)) == on_one_line(quote):
            return
        self._n_quotes_differ += 1
        if not self._first_quote:
            self._first_quote = f"{where}: {shortened(_joined(text, parts))}, not {shortened(quote)}"

    def contents(self, expected: str = "documents") -> Contents:
        """Return the corpus of all documents, with the notices."""
        if not self.builder.n_documents:
            raise CorpusError(f"there are no {expected}")
        corpus = Corpus.build(self.builder)
        if self.builder.is_hierarchical:
            corpus = with_all_ranks(corpus)
        if self._seconds:
            taken = [self._seconds.get((document, coder)) for document, coder, _ in corpus]
            corpus = corpus.with_details({"seconds": taken})
        notices = []
        if self._labels and not self._n_chosen:
            labels, n_labels = listed([*dict(self._labels.most_common(6))]), self._labels.total()
            notices.append(f"none of its {counted(n_labels, 'label')} was asked for: there are {labels}")
        if self._n_uncoded:
            notices.append(f"{counted(self._n_uncoded, 'coding has', 'codings have')} no span: not coded")
        if self._n_quotes_differ:
            n_spans = counted(self._n_quotes_differ, "span")
            first = f"({self._first_quote}); the offsets count, in code points"
            notices.append(f"the quoted text of {n_spans} differs from the document's {first}")
        left_out = [f"{kind} ({n:,})" for kind, n in sorted(self.left_out.items()) if n]
        last = [f"left out, as they are not spans: {', '.join(left_out)}"] if left_out else []
        return Contents(corpus, [*notices, *self.notices, *last])


def _joined(text: str, parts: Sequence[Span]) -> str:
    return " ".join(text[start:end] for start, end in parts)


def read_documents(source: Source, documents: Iterable[Document], notices: Sequence[str] = ()) -> Contents:
    """Return the corpus of these documents, with further notices."""
    file = Documents(source, notices=list(notices))
    for document in documents:
        file.add(document)
    return file.contents()


def read_records(
    source: Source, records: Iterable[Record[T]], document_of: Callable[[Record[T]], Document], expected: str
) -> Contents:
    """Return the corpus of a file with a document per record; ``expected`` names them in the plural."""
    documents = Documents(source)
    for record in records:
        with within(record.where):
            documents.add(document_of(record))
    return documents.contents(expected)


TEXT_OF = "name the text with text_of="


def read_passages(
    source: Source, passages: Iterable[Passage], start: str, fix: str = TEXT_OF, coder: str | None = None
) -> Contents:
    """Return the corpus of one coder, by default the file, whose segments are these passages.

    ``start`` is the file's name for their offset; ``fix`` says what to do without one.
    """
    chunks: dict[str, list[Passage]] = {}
    for passage in passages:
        if passage.start is None or passage.start < 0:
            value = "missing" if passage.start is None else passage.start
            raise CorpusError(f"{passage.where}: {start} is {value}; {fix}")
        name = source.name if passage.document is None else passage.document
        chunks.setdefault(name, []).append(passage)
    documents = Documents(source)
    for name, own in chunks.items():
        own.sort(key=lambda chunk: chunk.span)
        with within(f"document {name}"):
            units = units_of_chunks(own)
        segments = Segments([chunk.span for chunk in own])
        documents.add(Document(name, {coder or source.name: segments}, units=units))
    return documents.contents("chunks")
