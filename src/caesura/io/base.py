"""Format: what a file format declares, once, for reading, writing, recognising and the help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from caesura.errors import CorpusError
from caesura.io.files import Source, shortened
from caesura.values.corpus import Corpus
from caesura.values.forms import MarkMeaning
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.values.units import INSTANT, Axis

Part: TypeAlias = Literal["documents", "coders", "types", "type scheme", "ranks", "units", "places"]
"""A part of a corpus: several documents, several coders, boundary types, their names, the units' text, and
where the units stand on their axis.

A format of hierarchies keeps ranks: boundary types, if the corpus declares them to be ranks.
"""

ALL_PARTS: frozenset[Part] = frozenset(get_args(Part)) - {"ranks"}
"""What caesura's own formats of codings keep; in them ranks are types that a scheme declares to be ranks."""

Codings: TypeAlias = Literal["needed", "optional", "none"]
"""Whether a document must be coded to be written, may be, or the format holds none: what is to be coded."""

EXAMPLES = {path.stem: path for path in (Path(__file__).parent / "examples").iterdir()}

REFERENCE = "reference"
"""The coder of formats that know of only one and do not name it."""


HOOKS = (
    "read",
    "write",
    "sniff",
    "names",
    "file_name",
    "companions",
    "leaves_out",
    "passages",
    "write_beside",
)
"""The fields of ``Format`` that are functions, as a format's module calls them."""


def named_by_file(name: str) -> tuple[str, str]:
    """Return document and coder of most formats' files: the file names the document."""
    return name, REFERENCE


def coded_by_file(name: str) -> tuple[str, str]:
    """Return them where the file says what its documents are called, and its name who has coded them."""
    return "", name


@dataclass(frozen=True)
class Contents:
    """What a reader returns of a file: all that is known of it."""

    corpus: Corpus
    notices: Sequence[str] = ()
    """What should be known of the file although it can be read."""
    understood: str = ""
    """How the file was understood, where there is more to say than what it holds."""
    marks: MarkMeaning | None = None
    """What values per unit were read as, where the file has such."""
    unfinished: Sequence[tuple[str, str]] = ()
    """Coders and the documents that they have begun or are to code, and have not finished."""


class Passage(NamedTuple):
    """A part of a document's text as a file has it; what the file does not say is None."""

    document: str | None
    text: str | None
    start: int | None
    where: str
    """Where in the file it stands."""
    end: int | None = None
    """Where it ends; None: as long as its text is."""
    goes_on: bool = False
    """Whether it belongs to the chunk of the passage before it."""
    is_named: bool = True
    """Whether the document's name is one, and no number that a program has made up."""


@dataclass(frozen=True)
class Format:
    """A file format. ``read`` and ``write`` raise errors without the path, which ``registry`` adds."""

    name: str
    title: str
    """What it is, in a line; or the docstring of its module: such a line, and below it the notes."""
    extensions: tuple[str, ...]
    """The first is what files in a folder get."""
    read: Callable[[Source], Contents]
    write: Callable[[Corpus, str], str | bytes]
    """Content of the file that holds a corpus, given the extension it will have."""
    sniff: Callable[[Source], bool]
    """Whether the content looks like this format; it may be broken all the same."""
    keeps: Set[Part] = frozenset()
    """What it keeps of a corpus: units and places go without saying where it needs them."""
    is_binary: bool = False
    """Whether the file is no text."""
    needs_units: bool = False
    """Whether the format consists of the units' text."""
    needs_axis: Axis | Literal["any"] | None = None
    """The axis on which the units must stand, where the format consists of places on it; or any."""
    step: float | None = None
    """The step of the grid that its units are read as, where those of a corpus are not kept: the finest."""
    codings: Codings = "needed"
    lacks: str = ""
    """What no file of this format can hold, in words."""
    may_be_legacy: bool = False
    """Whether files of it may be Windows-1252 instead of UTF-8."""
    may_be_empty: bool = False
    """Whether a file without content is one of it: nobody has coded its document yet."""
    is_of_page: bool = False
    """Whether a page saves it: every file says so, and no other file could be one."""
    is_last: bool = False
    """Whether a file is one of it only where no other format fits."""
    names: Callable[[str], tuple[str, str]] = named_by_file
    """Document and coder that a file of this name has, where the file itself does not say."""
    coder: Callable[[Source], str] | None = None
    """Coder of a file, where that is not in ``names`` because the file's folder says it."""
    file_name: Callable[[str, str], str] | None = None
    """Name that ``names`` reads as this document and coder, for formats with one coding per file."""
    companions: Callable[[Source], Iterable[Path]] | None = None
    """Files that belong to a file of this format, which reads them itself: they are no data of their own."""
    write_beside: Callable[[Corpus], Mapping[str, str]] | None = None
    """Files to write beside one of this format, which are read with it: their content by their extension."""
    leaves_out: Callable[[Corpus, Path], Iterable[str]] | None = None
    """What a file at this path would lack of this corpus although ``keeps`` names it, in words."""
    passages: Callable[[Source], Iterable[Passage]] | None = None
    """The parts of texts that a file holds, where it may be read as chunks of texts that the caller has."""
    example: str = ""
    """A small file, as the documentation shows it; the tests read it. Those of caesura's own are files."""
    example_beside: str = ""
    """The text beside it, of formats that need one, as NAME.txt."""
    example_options: Mapping[str, str] = field(default_factory=dict)
    """What its reader must be told of the example."""
    notes: str = ""
    """What becomes of what: units, coders, and what of the file is not kept."""

    def __post_init__(self) -> None:
        # Python leaves docstrings out where it is told to.
        title, *notes = (" ".join(paragraph.split()) for paragraph in (self.title or self.name).split("\n\n"))
        object.__setattr__(self, "title", title.removesuffix("."))
        object.__setattr__(self, "notes", "\n\n".join(notes) or self.notes)
        needed = {"units"} if self.needs_units else {"places"} if self.needs_axis else set()
        object.__setattr__(self, "keeps", frozenset(self.keeps | needed))
        if self.step is None and not self.needs_units:
            object.__setattr__(self, "step", {"characters": 1, "seconds": INSTANT}.get(self.needs_axis or ""))
        if not self.example and self.name in EXAMPLES:
            object.__setattr__(self, "example", EXAMPLES[self.name].read_text(encoding="utf-8"))

    @classmethod
    def of(
        cls,
        module: Mapping[str, Any],
        name: str,
        extensions: tuple[str, ...],
        keeps: Set[Part] = frozenset(),
        **fields: Any,
    ) -> Format:
        """Return the format of a module (its globals), whose docstring and functions are fields."""
        functions = {hook: module[hook] for hook in HOOKS if hook in module}
        return cls(name, module["__doc__"], extensions, keeps=keeps, **{**functions, **fields})

    def contents(self, source: Source) -> Contents:
        """Return what its reader makes of a file, with what should be known of the file's encoding."""
        contents = self.read(source)
        notices = () if self.is_binary else source.notices
        return replace(contents, notices=(*notices, *contents.notices))


def misfit(name: str, value: object, expected: str) -> CorpusError:
    """Return what is wrong with a value: what it is called, the value, and what was expected.

    >>> str(misfit("start", "3", "a whole number"))
    "start is '3': expected a whole number"
    """
    return CorpusError(f"{name} is {shortened(value)}: expected {expected}")


def only_coding(corpus: Corpus) -> tuple[str, str, Segmentation]:
    """Return document, coder and segmentation of a corpus that is known to hold just one."""
    (coding,) = corpus
    return coding


def ranks_up_to(
    most: int, document: str, coder: str, segmentation: Segmentation, holds: str
) -> dict[int, int]:
    """Return the ranks of a coding by position, or say which is deeper than a format holds."""
    ranks = dict(segmentation.boundaries)
    deep = next((position for position, rank in ranks.items() if rank > most), None)
    if deep is not None:
        raise CorpusError(
            f"document {document}: coder {coder} has the rank {ranks[deep]} at position {deep}: {holds}; use "
            "jsonl"
        )
    return ranks


def united(levels: Sequence[Iterable[int]]) -> dict[int, int]:
    """Return the ranks of boundaries that stand on levels, the coarsest first: that of the first that has it.

    >>> united([[5], [2, 5]])
    {2: 2, 5: 1}
    """
    ranked = [(position, rank) for rank, level in enumerate(levels, start=1) for position in level]
    return dict(sorted(ranked, key=lambda pair: -pair[1]))


def with_all_ranks(corpus: Corpus) -> Corpus:
    """Return a corpus of hierarchies that declares all ranks down to the deepest, used or not.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_ranks({2: 3}, n_units=4)}})
    >>> list(with_all_ranks(corpus).type_scheme.names.values())
    ['level 1', 'level 2', 'level 3']
    """
    return corpus.with_type_scheme(TypeScheme.of_ranks(range(1, max(corpus.ranks, default=1) + 1)))


def check_named(corpus: Corpus) -> None:
    """Refuse names that a table could not tell from a missing cell."""
    if "" in corpus.documents or "" in corpus.coders:
        raise CorpusError("a document or coder without a name cannot stand in a table; name it")
