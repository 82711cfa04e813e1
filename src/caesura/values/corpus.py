"""Corpus: document × coder → Segmentation, with the documents' text units and the meaning of types.

A coder may be a person or an automatic segmenter. Missing codings are normal: not every coder has coded
every document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from caesura.checks import check_whole
from caesura.errors import CorpusError, MissingExtraError, SegmentationError, UnknownNameError, did_you_mean
from caesura.kernel.batch import PackedPairs, pack_pairs
from caesura.results.result import make_frame
from caesura.values.forms import short
from caesura.values.hierarchy import Hierarchy, HierarchyLike
from caesura.values.segmentation import Segmentation, as_segmentation
from caesura.values.type_scheme import TypeScheme, unite_schemes

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MAX_DIGITS = 20
"""Longest number in text: no unit or type is near it, and longer ones cost time to read."""

Codings: TypeAlias = Mapping[str, Mapping[str, Segmentation]]


class Pair(NamedTuple):
    """Two codings of one document."""

    document: str
    first: str
    second: str


@dataclass(frozen=True, repr=False)
class Corpus:
    """Segmentations of documents by coders.

    >>> corpus = Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [3, 2]}, "d2": {"ann": [4]}})
    >>> corpus
    <Corpus of 2 documents, 2 coders, 3 codings>
    >>> corpus["d1", "bob"].masses
    (3, 2)
    >>> [group.documents for group in corpus.groups()]
    [('d1',), ('d2',)]
    """

    codings: Codings
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Text of each unit, by document, where it is known."""
    type_scheme: TypeScheme | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {document: MappingProxyType(dict(coded)) for document, coded in self.codings.items()}
        object.__setattr__(self, "codings", MappingProxyType(frozen))
        object.__setattr__(self, "units", MappingProxyType(dict(self.units)))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        for document, coded in self.codings.items():
            _check_lengths(document, coded, self.units.get(document))
        if self.type_scheme is not None:
            _check_types(self.codings, self.type_scheme)

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_dict(
        cls,
        codings: Mapping[str, Mapping[str, HierarchyLike]],
        *,
        units: Mapping[str, Sequence[str]] | None = None,
        type_scheme: TypeScheme | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Corpus:
        """Read ``{document: {coder: segmentation}}``; a plain list is masses, a string gap indicators.

        Hierarchies become segmentations whose types are the ranks, and the corpus says so:

        >>> corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]]), "bob": [5, 6]}})
        >>> corpus["d", "ann"].boundaries, corpus.is_hierarchical
        (((2, 2), (5, 1)), True)
        """
        read: dict[str, dict[str, Segmentation]] = {}
        is_hierarchical = False
        for document, coded in codings.items():
            if not isinstance(coded, Mapping):
                raise CorpusError(
                    f"document {document}: expected {{coder: segmentation}}, not {type(coded).__name__}"
                )
            read[str(document)] = {}
            for coder, value in coded.items():
                if isinstance(value, Hierarchy):
                    is_hierarchical = True
                    value = value.to_segmentation()
                try:
                    read[str(document)][str(coder)] = as_segmentation(value)
                except SegmentationError as error:
                    raise CorpusError(f"document {document}: coder {coder}: {error}") from None
            if len(read[str(document)]) != len(coded):
                raise CorpusError(f"document {document}: two coders have the same name when written out")
        if len(read) != len(codings):
            raise CorpusError("two documents have the same name when written out")
        texts = {str(document): tuple(text) for document, text in (units or {}).items()}
        if is_hierarchical and type_scheme is None:
            codings_read = chain.from_iterable(coded.values() for coded in read.values())
            type_scheme = TypeScheme.of_ranks({kind for coding in codings_read for kind in coding.types})
        return cls(read, texts, type_scheme, metadata or {})

    @classmethod
    def from_frame(cls, frame: IntoDataFrame) -> Corpus:
        """Read a long table (pandas, polars, Arrow ...): columns document and coder, and the segmentation.

        One row per coding with ``masses``, with ``gaps``, or with ``positions`` and ``n_units`` (and
        ``types``); or one row per unit, in order, with ``label``. Lists may be written with spaces between.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"document": ["d", "d"], "coder": ["a", "b"], "masses": [[2, 3], [3, 2]]})
        >>> Corpus.from_frame(frame).coders
        ('a', 'b')
        """
        try:
            import narwhals
        except ModuleNotFoundError:
            raise MissingExtraError("data frames need narwhals: pip install 'caesura[formats]'") from None
        table = narwhals.from_native(frame, eager_only=True)
        return cls.from_records(table.columns, table.iter_rows())

    @classmethod
    def from_records(cls, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Corpus:
        """Read the rows of a long table; see ``from_frame`` for the columns."""
        form = _record_form(columns)
        index = {name: place for place, name in enumerate(columns)}
        codings: dict[str, dict[str, Segmentation]] = {}
        labels: dict[tuple[str, str], list[Any]] = {}
        for number, row in enumerate(rows, start=1):
            document, coder = (_name(row[index[name]], name, number) for name in ("document", "coder"))
            if form == "label":
                label = row[index["label"]]
                if label is None or label != label or label == "":
                    raise CorpusError(
                        f"row {number}: document {document}: coder {coder}: the label is missing"
                    )
                labels.setdefault((document, coder), []).append(label)
                continue
            if coder in codings.setdefault(document, {}):
                raise CorpusError(f"row {number}: document {document} already has a coding by {coder}")
            try:
                codings[document][coder] = _record_segmentation(form, index, row)
            except SegmentationError as error:
                raise CorpusError(f"row {number}: document {document}: coder {coder}: {error}") from None
        for (document, coder), unit_labels in labels.items():
            codings.setdefault(document, {})[coder] = Segmentation.from_labels(unit_labels)
        return cls(codings)

    @classmethod
    def merge(cls, *corpora: Corpus) -> Corpus:
        """Unite corpora: other coders of the same documents, other documents, or both.

        >>> one = Corpus.from_dict({"d": {"ann": [2, 3]}})
        >>> Corpus.merge(one, Corpus.from_dict({"d": {"bob": [5]}})).coders
        ('ann', 'bob')
        """
        codings: dict[str, dict[str, Segmentation]] = {}
        units: dict[str, tuple[str, ...]] = {}
        metadata: dict[str, Any] = {}
        scheme: TypeScheme | None = None
        for corpus in corpora:
            for document, coder, segmentation in corpus:
                if coder in codings.setdefault(document, {}):
                    raise CorpusError(f"document {document}: two of the merged corpora have coder {coder}")
                codings[document][coder] = segmentation
            for document, text in corpus.units.items():
                if units.setdefault(document, text) != text:
                    raise CorpusError(f"document {document}: the merged corpora have different texts of it")
            scheme = unite_schemes(scheme, corpus.type_scheme)
            metadata.update(corpus.metadata)
        return cls(codings, units, scheme, metadata)

    # ---------------------------------------------------------------- looking

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents, in the order of the data."""
        return tuple(self.codings)

    @property
    def coders(self) -> tuple[str, ...]:
        """All coders, in the order of the data."""
        return tuple(dict.fromkeys(chain.from_iterable(self.codings.values())))

    @property
    def n_codings(self) -> int:
        """Number of segmentations."""
        return sum(len(coded) for coded in self.codings.values())

    @property
    def types(self) -> tuple[int, ...]:
        """The declared boundary types, or else those that occur."""
        return self.ranks if self.type_scheme is None else self.type_scheme.types

    @property
    def is_hierarchical(self) -> bool:
        """Whether the types are the ranks of hierarchies, 1 the most prominent."""
        return self.type_scheme is not None and self.type_scheme.ranks

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks, or types, that occur, ascending."""
        return tuple(sorted({kind for _, _, segmentation in self for kind in segmentation.types}))

    def n_units(self, document: str) -> int:
        """Length of a document."""
        coded: Mapping[str, Segmentation] = self[document]
        return next(iter(coded.values())).n_units

    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        """Return ``corpus[document]``, the codings by coder, or ``corpus[document, coder]``, one of them."""
        document, coder = key if isinstance(key, tuple) else (key, None)
        if document not in self.codings:
            raise UnknownNameError(
                f"there is no document {document!r}; {did_you_mean(str(document), self.documents)}"
            )
        coded = self.codings[document]
        if coder is None:
            return coded
        if coder not in coded:
            hint = did_you_mean(str(coder), coded)
            raise UnknownNameError(f"document {document} has no coding by {coder!r}; {hint}")
        return coded[coder]

    def __iter__(self) -> Iterator[tuple[str, str, Segmentation]]:
        for document, coded in self.codings.items():
            for coder, segmentation in coded.items():
                yield document, coder, segmentation

    def __len__(self) -> int:
        return self.n_codings

    def __repr__(self) -> str:
        n = (len(self.documents), len(self.coders), self.n_codings)
        names = ("document", "coder", "coding")
        parts = [f"{i:,} {name}{'' if i == 1 else 's'}" for i, name in zip(n, names, strict=True)]
        return f"<Corpus of {', '.join(parts)}>"

    # ---------------------------------------------------------------- parts

    def select(
        self, *, documents: Iterable[str] | None = None, coders: Iterable[str] | None = None
    ) -> Corpus:
        """Return the corpus of these documents and coders, in the order asked for.

        Documents that none of the coders has coded are left out.
        """
        chosen = self.documents if documents is None else tuple(documents)
        if coders is not None:
            coders = tuple(coders)
            for coder in coders:
                if coder not in self.coders:
                    raise UnknownNameError(f"there is no coder {coder!r}; {did_you_mean(coder, self.coders)}")
        codings = {}
        for document in chosen:
            coded = self[document]
            part = coded if coders is None else {coder: coded[coder] for coder in coders if coder in coded}
            if part:
                codings[document] = part
        units = {document: text for document, text in self.units.items() if document in codings}
        return Corpus(codings, units, self.type_scheme, self.metadata)

    def as_hierarchies(self) -> Corpus:
        """Return the corpus itself, or with its types as ranks where nothing says what they mean.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).as_hierarchies().is_hierarchical
        True
        """
        if self.is_hierarchical:
            return self
        if self.type_scheme is not None:
            raise CorpusError(
                "there are no levels: the corpus declares boundary types that are no ranks (they would be "
                "with ranks=True in the type scheme)"
            )
        hierarchies = {
            document: {coder: Hierarchy.from_segmentation(coding) for coder, coding in coded.items()}
            for document, coded in self.codings.items()
        }
        return Corpus.from_dict(hierarchies, units=self.units, metadata=self.metadata)

    def level(self, rank: int) -> Corpus:
        """Return the boundaries of this rank and of those above, without their ranks.

        >>> Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]])}}).level(1)["d", "ann"].masses
        (5, 6)
        """
        rank = check_whole("rank", rank, 1)
        if not self.is_hierarchical:
            raise CorpusError(
                "the corpus has no levels: its types are not declared as ranks (TypeScheme(..., ranks=True))"
            )
        codings = {
            document: {
                coder: Hierarchy.from_segmentation(coding).up_to(rank) for coder, coding in coded.items()
            }
            for document, coded in self.codings.items()
        }
        return Corpus(codings, self.units, metadata=self.metadata)

    def groups(self) -> list[Corpus]:
        """Return one corpus for each set of coders: the documents that just these coders have coded."""
        members: dict[frozenset[str], list[str]] = {}
        for document, coded in self.codings.items():
            members.setdefault(frozenset(coded), []).append(document)
        return [self.select(documents=documents) for documents in members.values()]

    def pairs(self) -> list[Pair]:
        """Return every two coders of every document, in the corpus's order of coders."""
        order = {coder: place for place, coder in enumerate(self.coders)}
        return [
            Pair(document, first, second)
            for document, coded in self.codings.items()
            for first, second in combinations(sorted(coded, key=order.__getitem__), 2)
        ]

    def pack(self, pairs: Sequence[Pair]) -> PackedPairs:
        """Pack the segmentations of these pairs for the batch kernels."""
        place: dict[tuple[str, str], int] = {}
        segmentations: list[Segmentation] = []
        for document, coder, segmentation in self:
            place[document, coder] = len(segmentations)
            segmentations.append(segmentation)
        first = [place[pair.document, pair.first] for pair in pairs]
        second = [place[pair.document, pair.second] for pair in pairs]
        return pack_pairs(segmentations, first, second)

    # ---------------------------------------------------------------- tables

    def to_records(self) -> tuple[list[str], list[list[Any]]]:
        """Return columns and rows of the long table, one row per coding; ``from_records`` reads it back."""
        plain = all(segmentation.is_plain for _, _, segmentation in self)
        columns = ["document", "coder", "n_units", "positions", *([] if plain else ["types"])]
        rows = []
        for document, coder, segmentation in self:
            positions = [position for position, _ in segmentation.boundaries]
            row: list[Any] = [document, coder, segmentation.n_units, positions]
            rows.append(row if plain else [*row, [kind for _, kind in segmentation.boundaries]])
        return columns, rows

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the long table as a pandas or polars data frame."""
        columns, rows = self.to_records()
        return make_frame({name: [row[i] for row in rows] for i, name in enumerate(columns)}, backend)

    def to_dict(self) -> dict[str, dict[str, list[int]]]:
        """Return ``{document: {coder: masses}}``; types are not kept."""
        return {
            document: {coder: list(segmentation.masses) for coder, segmentation in coded.items()}
            for document, coded in self.codings.items()
        }


def _check_lengths(document: str, coded: Mapping[str, Segmentation], units: tuple[str, ...] | None) -> None:
    lengths = {coder: segmentation.n_units for coder, segmentation in coded.items()}
    if not lengths:
        raise CorpusError(f"document {document}: nobody has coded it")
    (first, n_units), *others = lengths.items()
    for coder, n in others:
        if n != n_units:
            raise CorpusError(
                f"document {document}: coder {coder} has {n} units where {first} has {n_units}: "
                "all must segment the same units"
            )
    if units is not None and len(units) != n_units:
        raise CorpusError(
            f"document {document}: the text has {len(units)} units where coder {first} has {n_units}"
        )


def _check_types(codings: Codings, scheme: TypeScheme) -> None:
    for document, coded in codings.items():
        for coder, segmentation in coded.items():
            undeclared = set(segmentation.types) - set(scheme.names)
            if undeclared:
                raise CorpusError(
                    f"document {document}: coder {coder}: type {min(undeclared)} is not among the declared "
                    f"types {', '.join(map(str, scheme.types))}"
                )
            if scheme.ranks and len(segmentation.positions) != len(segmentation.boundaries):
                twice = next(a for (a, _), (b, _) in pairwise(segmentation.boundaries) if a == b)
                raise CorpusError(
                    f"document {document}: coder {coder}: position {twice} has two ranks; keep the "
                    "most prominent, as Hierarchy.from_segmentation does"
                )


def _record_form(columns: Sequence[str]) -> str:
    for name in ("document", "coder"):
        if name not in columns:
            raise CorpusError(f"there is no column {name!r}; {did_you_mean(name, columns)}")
    for form in ("masses", "gaps", "positions", "label"):
        if form in columns:
            if form == "positions" and "n_units" not in columns:
                raise CorpusError("a column 'positions' needs a column 'n_units' beside it")
            return form
    raise CorpusError(
        "there is no column with the segmentation: expected masses, gaps, positions with n_units, or label"
    )


def _name(value: Any, column: str, number: int) -> str:
    if value is None or value != value or value == "":
        raise CorpusError(f"row {number}: the {column} is missing")
    return str(value)


def _record_segmentation(form: str, index: Mapping[str, int], row: Sequence[Any]) -> Segmentation:
    value = row[index[form]]
    if form == "gaps":
        if not isinstance(value, str):
            raise SegmentationError(
                f"gaps is {value!r}: expected text of 0 and 1 (a leading 0 is lost in numbers)"
            )
        return Segmentation.from_gaps(value)
    if form == "masses":
        return Segmentation.from_masses(_numbers(value, "masses"))
    types = _numbers(row[index["types"]], "types") if "types" in index else None
    return Segmentation.from_positions(_numbers(value, "positions"), row[index["n_units"]], types)


def _numbers(value: Any, name: str) -> Any:
    """Read a list of numbers, or text with spaces or commas between them."""
    if not isinstance(value, str):
        return [value] if isinstance(value, int) else value
    parts = value.replace(",", " ").split()
    if not all(part.isascii() and part.lstrip("-").isdigit() and len(part) <= MAX_DIGITS for part in parts):
        raise SegmentationError(f"{name} is {short(value)}: expected whole numbers with spaces between")
    return [int(part) for part in parts]
