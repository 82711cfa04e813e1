"""Corpus: document × coder → Segmentation, as columns, with the documents' texts and the meaning of types.

A coder is a person or an automatic segmenter. Not every coder must code every document. The codings of a
document are adjacent.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray, bincount
from caesura.checks import check_whole
from caesura.errors import CorpusError, UnknownNameError, did_you_mean, unknown
from caesura.frames import make_frame
from caesura.values import arrow, making, projecting
from caesura.values.columns import is_typed, lists_of
from caesura.values.forms import MarkMeaning, repeated, short_name
from caesura.values.hierarchy import HierarchyLike
from caesura.values.html import MOST_COLUMNS, MOST_ROWS, corpus_html
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps
from caesura.values.strings import Strings, gather, offsets_of
from caesura.values.type_scheme import TypeScheme, check_types, ranked, unite_schemes
from caesura.values.unit_columns import TextColumns, UnitColumns
from caesura.values.units import Rule, Units
from caesura.wording import counted

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]
    from narwhals.typing import IntoDataFrame

FEW_CODERS = 8
"""Coders per chosen coder above which codings are sorted by coder once instead of searched."""

NO_LEVELS = "the corpus has no levels: its types are not declared as ranks (TypeScheme(..., ranks=True))"


class Group(NamedTuple):
    """The coders of the same documents, and these documents."""

    coders: IntArray  # numbers of coders, in the corpus's order
    documents: IntArray  # numbers of documents
    rows: IntArray  # documents × coders: the coding of each


@dataclass(frozen=True, repr=False, eq=False)
class Corpus(making.CorpusColumns):
    """Segmentations of documents by coders.

    >>> corpus = Corpus.from_dict({"d1": {"ann": [2, 3], "bob": [3, 2]}, "d2": {"ann": [4]}})
    >>> corpus
    <Corpus of 2 documents, 2 coders, 3 codings>
    >>> corpus["d1", "bob"].masses
    (3, 2)
    >>> [group.documents for group in corpus.groups()]
    [('d1',), ('d2',)]
    """

    type_scheme: TypeScheme | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Further values of codings by name, one for each coding: comments, time spent."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

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

        Hierarchies become segmentations with ranks as types, and the corpus is hierarchical:

        >>> from caesura.values.hierarchy import Hierarchy
        >>> corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]]), "bob": [5, 6]}})
        >>> corpus["d", "ann"].boundaries, corpus.is_hierarchical
        (((2, 2), (5, 1)), True)
        """
        builder = making.CorpusBuilder()
        builder.add_all(codings)
        for document, text in (units or {}).items():
            builder.add_text(str(document), text)
        return cls.build(builder, type_scheme=type_scheme, metadata=metadata)

    @classmethod
    def build(
        cls,
        builder: making.CorpusBuilder,
        *,
        type_scheme: TypeScheme | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Corpus:
        """Return the corpus of the codings that a builder collected."""
        columns = builder.columns()
        if builder.is_hierarchical and type_scheme is None:
            type_scheme = TypeScheme.of_ranks(columns.codings.kinds)
        return cls.of(columns, metadata=metadata or {}).with_type_scheme(type_scheme)

    @classmethod
    def from_frame(
        cls,
        frame: IntoDataFrame,
        *,
        marks: MarkMeaning | None = None,
        text: str | None = None,
        document: str | None = None,
        coders: Sequence[str] = (),
        gaps: Gaps | None = None,
        name: str = "table",
    ) -> Corpus:
        """Read a table (pandas, polars, Arrow ...), long or wide, as the same table in a CSV file.

        A long table has columns ``document`` and ``coder``. It has one row per coding, with ``masses``,
        ``gaps``, or ``positions`` and ``n_units`` (and ``types``), or one row per unit, in order, with
        ``label`` (and ``unit``, its number, and ``text``). ``doc``, ``annotator``, ``rater``, ``mark`` and
        ``boundary`` are other names of columns. Lists may be strings of numbers with spaces.

        A wide table has one row per unit, in order, and a column of marks or labels for each coder. A column
        of free text is the text of the units; a column ``document`` separates documents.

        Parameters
        ----------
        frame
            The table.
        marks
            What values per unit mean: "starts", "ends", "gaps" or "labels"; by default inferred from the
            values, see ``caesura.io.tables.marks``.
        text, document, coders
            Names of columns that cannot be inferred; columns of coders make a table wide.
        gaps
            What units outside chunks (O) become among tags B, I and O: a "segment", or "join"ed to the chunk
            before.
        name
            The name of the document of a wide table without a column for it.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"document": ["d", "d"], "coder": ["a", "b"], "masses": [[2, 3], [3, 2]]})
        >>> Corpus.from_frame(frame).coders
        ('a', 'b')
        >>> frame = pd.DataFrame({"sentence": ["Rain.", "It poured.", "Sun."], "ann": [0, 1, 1]})
        >>> Corpus.from_frame(frame, name="weather").to_dict()
        {'weather': {'ann': [2, 1]}}
        """
        from caesura.io.tables.columns import TableOptions
        from caesura.io.tables.rows import read_frame

        return cls.of(read_frame(frame, TableOptions(marks, text, document, coders, gaps), name))

    @classmethod
    def from_records(
        cls, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, marks: MarkMeaning | None = None
    ) -> Corpus:
        """Read the rows of a long table; see ``from_frame`` for the columns."""
        from caesura.io.tables.columns import TableOptions
        from caesura.io.tables.rows import read_long

        return cls.of(read_long(columns, enumerate(rows, start=1), TableOptions(marks), columns).columns)

    @classmethod
    def of(cls, columns: making.CorpusColumns, **further: Any) -> Corpus:
        """Return the corpus of valid columns, with further fields."""
        names = [column.name for column in dataclasses.fields(making.CorpusColumns)]
        return cls(*(getattr(columns, name) for name in names), **further)

    @classmethod
    def from_columns(cls, columns: making.CorpusColumns, *, name: str = "row {}") -> Corpus:
        """Check the columns of a table with a row per coding, in any order; messages count rows from 1."""
        return cls.of(making.checked_columns(columns, name))

    def merge(*corpora: Corpus) -> Corpus:  # the first is self, if there is one
        """Merge corpora: other coders of the same documents, other documents, or both.

        ``Corpus.merge(one, two)`` and ``one.merge(two)`` are the same.

        >>> one = Corpus.from_dict({"d": {"ann": [2, 3]}})
        >>> one.merge(Corpus.from_dict({"d": {"bob": [5]}})).coders
        ('ann', 'bob')
        """
        scheme: TypeScheme | None = None
        metadata: dict[str, Any] = {}
        for corpus in corpora:
            scheme = unite_schemes(scheme, corpus.type_scheme)
            metadata.update(corpus.metadata)
        if not corpora:
            return Corpus.build(making.CorpusBuilder())
        columns, order = making.merge_columns(corpora)
        details = making.merge_details([(corpus.details, len(corpus)) for corpus in corpora], order)
        return Corpus.of(columns, metadata=metadata, details=details).with_type_scheme(scheme)

    def with_type_scheme(self, scheme: TypeScheme | None) -> Corpus:
        """Return the corpus with this type scheme, which must declare all of its types."""
        if scheme is not None:
            check_types(self.codings, scheme, self.coding_name)
        return dataclasses.replace(self, type_scheme=scheme)

    def with_texts(self, units: Mapping[str, Sequence[str]]) -> Corpus:
        """Return the corpus with these texts of the units, by document, in place of its own."""
        chosen = {self._document_number(document): text for document, text in units.items()}
        self._check_known(chosen, "text")
        return dataclasses.replace(self, texts=TextColumns.of(chosen, len(self.document_names)))

    def with_spans(self, units: Mapping[str, Units]) -> Corpus:
        """Return the corpus with these units of its documents, in place of its own.

        >>> corpus = Corpus.from_dict({"d": {"ann": [2, 1]}})
        >>> corpus.with_spans({"d": Units.from_text("One two three", by="word")}).spans["d"].axis
        'characters'
        """
        chosen = {self._document_number(document): own for document, own in units.items()}
        self._check_known(chosen, "axis")
        columns = UnitColumns.of([chosen.get(number) for number in range(len(self.document_names))])
        return dataclasses.replace(self, unit_columns=columns)

    def _check_known(self, chosen: Mapping[int, Sequence[str] | Units], noun: str) -> None:
        lengths = np.array([len(units) for units in chosen.values()], dtype=np.int64)
        self.check_known(np.array(list(chosen), dtype=np.int64), lengths, noun)

    def rename(
        self, coders: Mapping[str, str] | None = None, *, documents: Mapping[str, str] | None = None
    ) -> Corpus:
        """Return the corpus with new names of coders or documents, by the old names.

        >>> Corpus.from_dict({"d": {"a": [2, 3], "b": [5]}}).rename({"a": "ann"}).coders
        ('ann', 'b')
        """
        for old in coders or {}:
            self._coder_number(old)
        for old in documents or {}:
            self._document_number(old)
        new_coders = [(coders or {}).get(name, name) for name in self.coders]
        new_documents = [(documents or {}).get(name, name) for name in self.documents]
        for noun, names in (("coder", new_coders), ("document", new_documents)):
            twice = repeated(names)
            if twice is not None:
                raise CorpusError(f"two {noun}s would be called {short_name(twice)}; choose other names")
        coder_names, document_names = Strings.of(new_coders), Strings.of(new_documents)
        return dataclasses.replace(self, coder_names=coder_names, document_names=document_names)

    def with_one_coder(self, coder: str) -> Corpus:
        """Return a corpus with one coding per document under the name of a single coder.

        >>> Corpus.from_dict({"d": {"a": [2, 3]}, "e": {"b": [5]}}).with_one_coder("ann").coders
        ('ann',)
        """
        if bool((self.n_coders > 1).any()):
            document = self.documents[int(np.argmax(self.n_coders > 1))]
            raise CorpusError(f"document {short_name(document)} has codings of several coders")
        names = Strings.of([coder] if len(self) else [])
        return dataclasses.replace(self, coder=np.zeros_like(self.coder), coder_names=names)

    def with_metadata(self, metadata: Mapping[str, Any]) -> Corpus:
        """Return the corpus with this metadata in place of its own."""
        return dataclasses.replace(self, metadata=metadata)

    def with_details(self, details: Mapping[str, Sequence[Any]]) -> Corpus:
        """Return the corpus with these further columns of its codings, in place of its own.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).with_details({"seconds": [40]}).to_records()
        (['document', 'coder', 'n_units', 'positions', 'seconds'], [['d', 'ann', 5, [2], 40]])
        """
        for name, values in details.items():
            if len(values) != len(self):
                raise CorpusError(f"details: {name} has {len(values)} values for {len(self)} codings")
            if name in making.RECORD_COLUMNS:
                raise CorpusError(f"details: every corpus has a column {name}; choose another name")
        return dataclasses.replace(self, details={name: tuple(values) for name, values in details.items()})

    # ---------------------------------------------------------------- contents

    @property
    def n_codings(self) -> int:
        """Number of segmentations."""
        return len(self.codings)

    @cached_property
    def types(self) -> tuple[int, ...]:
        """The declared boundary types, otherwise those that occur."""
        return self.ranks if self.type_scheme is None else self.type_scheme.types

    @property
    def is_hierarchical(self) -> bool:
        """Whether the types are the ranks of hierarchies, 1 the most prominent."""
        return self.type_scheme is not None and self.type_scheme.ranks

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The ranks, or types, that occur, ascending."""
        return self.codings.kinds

    @cached_property
    def typed_coders(self) -> frozenset[str]:
        """The coders who mark boundaries of a type or rank other than 1."""
        typed = self.coder[is_typed(self.codings)]
        return frozenset(self.coder_names.take(np.unique(typed)))

    @cached_property
    def n_coders(self) -> IntArray:
        """The number of codings of each document."""
        return np.diff(self.starts)

    @cached_property
    def step(self) -> float | None:
        """The length of every unit in seconds, if all documents are on one uniform grid in time.

        Documents whose boundaries are times (instants) cannot be mixed with others: a near miss would mean
        something else in each.
        """
        return None if self.unit_columns is None else self.unit_columns.step(self.documents)

    @cached_property
    def is_coded(self) -> bool:
        """Whether every document has a coding; a document may have only texts or units."""
        return bool((self.n_coders > 0).all())

    @property
    def coded(self) -> Corpus:
        """The corpus of the documents that have codings."""
        return self if self.is_coded else self.take(np.arange(self.n_codings))

    @cached_property
    def in_order(self) -> IntArray:
        """The numbers of all codings by document, and within one in the order of coders."""
        is_later = (np.diff(self.coder) > 0) | (np.diff(self.document) > 0)
        if bool(is_later.all()):
            return np.arange(self.n_codings)
        return np.lexsort((self.coder, self.document))

    def n_units(self, document: str) -> int:
        """Length of a document."""
        return int(self.document_units[self._document_number(document)])

    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        """Return ``corpus[document]``, the codings by coder, or ``corpus[document, coder]``, one of them."""
        document, coder = key if isinstance(key, tuple) else (key, None)
        number = self._document_number(document)
        if coder is None:
            rows = range(int(self.starts[number]), int(self.starts[number + 1]))
            return {self.coders[self.coder[row]]: self.codings.segmentation(row) for row in rows}
        row = self.row(number, self.coder_numbers.get(coder, -1))
        if row < 0:
            there = [self.coders[self.coder[i]] for i in range(*self.starts[number : number + 2].tolist())]
            fault = f"document {short_name(document)} has no coding by {short_name(coder)!r}"
            raise UnknownNameError(f"{fault}; {did_you_mean(str(coder), there)}")
        return self.codings.segmentation(row)

    @cached_property
    def coder_numbers(self) -> dict[str, int]:
        """The number of each coder, by name."""
        return {name: number for number, name in enumerate(self.coders)}

    def _document_number(self, document: str) -> int:
        return _number_of("document", document, self.document_numbers)

    def _coder_number(self, coder: str) -> int:
        return _number_of("coder", coder, self.coder_numbers)

    def row(self, document: int, coder: int) -> int:
        """Return the number of a coding by the numbers of its document and coder; -1 if it does not exist."""
        if coder < 0:
            return -1
        return int(self.rows(np.array([document]), np.array([coder]))[0])

    def rows(self, document: IntArray, coder: IntArray) -> IntArray:
        """Return the numbers of many codings; -1 for a coding that does not exist."""
        if len(self.coder_names) == 1 and len(self) == len(self.document_names):
            return document.copy()
        keys, wanted = self._sorted_keys, document * len(self.coder_names) + coder
        if not len(keys):
            return np.full(len(wanted), -1, dtype=np.int64)
        index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[index] == wanted, self.in_order[index], -1)

    @cached_property
    def _sorted_keys(self) -> IntArray:
        key: IntArray = self.document * len(self.coder_names) + self.coder
        return key[self.in_order]

    def __iter__(self) -> Iterator[tuple[str, str, Segmentation]]:
        rows = zip(self.document.tolist(), self.coder.tolist(), strict=True)
        for row, (document, coder) in enumerate(rows):
            yield self.documents[document], self.coders[coder], self.codings.segmentation(row)

    def __len__(self) -> int:
        return self.n_codings

    def __repr__(self) -> str:
        n_documents, n_coders = len(self.document_names), len(self.coder_names)
        sizes = counted(n_documents, "document"), counted(n_coders, "coder"), counted(len(self), "coding")
        return f"<Corpus of {', '.join(sizes)}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: numbers of boundaries, the first documents × coders."""
        documents, coders = self.document_names[:MOST_ROWS], self.coder_names[:MOST_COLUMNS]
        counts: list[list[int | None]] = []
        for number in range(len(documents)):
            rows = self.rows(np.full(len(coders), number), np.arange(len(coders))).tolist()
            counts.append([None if row < 0 else int(self.codings.n_boundaries[row]) for row in rows])
        hidden = len(self.document_names) - len(documents), len(self.coder_names) - len(coders)
        n_units = self.document_units[: len(documents)]
        return corpus_html(repr(self).strip("<>"), documents, coders, n_units, counts, hidden)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same codings, texts, types and metadata, in any order."""
        if not isinstance(other, Corpus):
            return NotImplemented
        if (self.type_scheme, self.metadata, len(self)) != (other.type_scheme, other.metadata, len(other)):
            return False
        if set(self.coders) != set(other.coders) or set(self.documents) != set(other.documents):
            return False
        documents = np.array([other.document_numbers[name] for name in self.documents], dtype=np.int64)
        coders = np.array([other.coder_numbers[name] for name in self.coders], dtype=np.int64)
        rows = other.rows(documents[self.document], coders[self.coder])
        if bool((rows < 0).any()) or not self.codings.equals(other.codings.take(rows)):
            return False
        mine = self.texts if self.units else None
        theirs = other.texts.take(documents) if other.texts is not None and other.units else None
        return (
            mine == theirs
            and dict(self.spans) == dict(other.spans)
            and dict(self.details) == making.take_details(other.details, rows)
        )

    __hash__ = None  # type: ignore[assignment]  # metadata may hold anything

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone, without cached values."""
        state = {column.name: getattr(self, column.name) for column in dataclasses.fields(self)}
        return {**state, "metadata": dict(self.metadata), "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    # ---------------------------------------------------------------- parts

    def select(
        self, *, documents: Iterable[str] | None = None, coders: Iterable[str] | None = None
    ) -> Corpus:
        """Return the corpus of these documents and coders, in the given order.

        With ``coders``, documents without a coding by any of them are left out.
        """
        if documents is None and coders is None:
            return self
        if documents is not None:
            numbers = np.array([self._document_number(name) for name in dict.fromkeys(documents)], np.int64)
            rows = gather(self.starts, numbers)[1]
        if coders is not None:
            chosen = np.array([self._coder_number(name) for name in dict.fromkeys(coders)], dtype=np.int64)
            if documents is None:
                rows = self._rows_of_numbers(chosen)
            # Documents keep their order; within each, coders have the given order.
            rank = _index_among(chosen, self.coder[rows])
            rows, rank = rows[rank >= 0], rank[rank >= 0]
            block = np.cumsum(np.concatenate(([0], np.diff(self.document[rows]) != 0)))[: len(rows)]
            rows = rows[np.lexsort((rank, block))]
        elif not self.is_coded:
            return self.take(rows, numbers)
        return self.take(rows)

    def rows_of_coders(self, coders: Iterable[str]) -> IntArray:
        """Return the numbers of these coders' codings, ascending."""
        numbers = [self._coder_number(name) for name in dict.fromkeys(coders)]
        return self._rows_of_numbers(np.array(numbers, dtype=np.int64))

    def _rows_of_numbers(self, coders: IntArray) -> IntArray:
        """Return the codings of coders by number; for few of many coders, in time linear in their codings."""
        if len(self.coder_names) > FEW_CODERS * len(coders):
            order, starts = self._by_coder
            return np.sort(order[gather(starts, coders)[1]])
        if len(coders) == 1:
            return np.flatnonzero(self.coder == coders[0])
        is_chosen = np.zeros(len(self.coder_names), dtype=bool)
        is_chosen[coders] = True
        return np.flatnonzero(is_chosen[self.coder])

    @cached_property
    def _by_coder(self) -> tuple[IntArray, IntArray]:
        """The codings, coder after coder, and where each coder's start."""
        order = np.argsort(self.coder, kind="stable")
        return order, offsets_of(bincount(self.coder, minlength=len(self.coder_names)))

    def take(self, rows: IntArray, documents: IntArray | None = None) -> Corpus:
        """Return the corpus of these codings, by number; codings of one document must be adjacent.

        ``documents``, also by number, stay even without codings.
        """
        codings, document, coder = self.codings.take(rows), self.document[rows], self.coder[rows]
        details = making.take_details(self.details, rows)
        taken = dataclasses.replace(self, codings=codings, document=document, coder=coder, details=details)
        return taken.renumbered(documents)

    # ---------------------------------------------------------------- other units

    def onto(self, target: projecting.Target, rule: Rule = "nearest") -> Corpus:
        """Return the codings on other units of the same documents.

        Parameters
        ----------
        target
            A corpus with the units, the units by document, the step of a uniform grid in time ("1s",
            "200ms"), or what to split the running text by ("sentence", "word", "line" ...). Units with
            texts, such as paragraphs, are split further and keep their boundaries.
        rule
            Where a boundary inside a unit moves: to the nearest end, before, after, or nowhere ("strict").

        Returns
        -------
        Corpus
            ``metadata["moves"]`` counts the boundaries that moved, how far, merged, or fell on an end. If any
            did, a UserWarning says so.

        >>> words = Corpus.from_dict({"d": {"ann": [2, 3]}})
        >>> words = words.with_spans({"d": Units.from_text("One two. Three four five.", by="word")})
        >>> words.onto({"d": Units.from_spans([(0, 8), (9, 25)])})["d", "ann"].masses
        (1, 1)
        """
        coded = self if projecting.can_all_go(self, target) else self.coded
        if not coded.documents:
            raise CorpusError("the corpus has no codings to put on other units")
        source, wanted = zip(*projecting.source_and_target(coded, target), strict=True)
        projected, moves = coded.projected(source, wanted, rule)
        if not moves.is_exact:
            warnings.warn(str(moves), UserWarning, stacklevel=2)
        # Offsets in texts joined by line ends are not real offsets.
        pairs = zip(coded.documents, wanted, strict=True)
        known = [units if name in coded.spans else None for name, units in pairs]
        texts, metadata = projecting.texts_on(coded, wanted, target), {**self.metadata, "moves": moves}
        units = UnitColumns.of(known)
        return dataclasses.replace(projected, texts=texts, unit_columns=units, metadata=metadata)

    def projected(
        self, source: Sequence[projecting.Places], target: Sequence[Units], rule: Rule = "nearest"
    ) -> tuple[Corpus, projecting.Moves]:
        """Return the codings on other units, given by document, and what moved; details go."""
        sides = self.starts, source, target, self.documents
        codings, moves = projecting.project_columns(self.codings, *sides, rule, ranks=self.is_hierarchical)
        return dataclasses.replace(self, codings=codings, details={}), moves

    def as_hierarchies(self) -> Corpus:
        """Return the corpus itself, or with its types as ranks if it has no type scheme.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).as_hierarchies().is_hierarchical
        True
        """
        if self.is_hierarchical:
            return self
        if self.type_scheme is not None:
            raise CorpusError(NO_LEVELS)
        codings = ranked(self.codings, self.coding_name)
        scheme = TypeScheme.of_ranks(codings.kinds)
        return dataclasses.replace(self, codings=codings, type_scheme=scheme)

    def without_types(self) -> Corpus:
        """Return the same boundaries as plain ones, whatever their types or ranks."""
        return dataclasses.replace(self, codings=self.codings.marked, type_scheme=None)

    def level(self, rank: int) -> Corpus:
        """Return the boundaries of this rank and of more prominent ones, without their ranks.

        >>> from caesura.values.hierarchy import Hierarchy
        >>> Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]])}}).level(1)["d", "ann"].masses
        (5, 6)
        """
        rank = check_whole("rank", rank, 1)
        if not self.is_hierarchical:
            raise CorpusError(NO_LEVELS)
        codings = self.codings.keep(self.codings.all_types <= rank).without_types()
        return dataclasses.replace(self, codings=codings, type_scheme=None, details={})

    def groups(self) -> list[Corpus]:
        """Return one corpus for each set of coders: the documents that exactly these coders have coded."""
        groups = self.find_groups()
        if len(groups) == 1:
            return [self]
        return [self.take(gather(self.starts, group.documents)[1]) for group in groups]

    def find_groups(self) -> list[Group]:
        """Return the sets of coders with their documents, in the order of documents, without new corpora."""
        n_coders, groups = self.n_coders, []
        for n in bincount(n_coders).nonzero()[0].tolist():
            documents = (n_coders == n).nonzero()[0]
            rows = self.in_order[self.starts[documents, None] + np.arange(n)]
            sets = self.coder[rows]
            if not (sets != sets[0]).any():
                groups.append(Group(sets[0], documents, rows))
                continue
            by_set = np.lexsort(sets.T[::-1])
            sets, documents, rows = sets[by_set], documents[by_set], rows[by_set]
            ends = (sets[1:] != sets[:-1]).any(axis=1).nonzero()[0] + 1
            groups += [
                Group(sets[start], documents[start:end], rows[start:end])
                for start, end in pairwise([0, *ends.tolist(), len(sets)])
            ]
        return sorted(groups, key=lambda group: int(group.documents[0]))

    # ---------------------------------------------------------------- tables

    def to_arrow(self) -> pyarrow.Table:
        """Return the long table as Arrow, without copying the arrays of numbers.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).to_arrow().column_names
        ['document', 'coder', 'n_units', 'positions']
        """
        return arrow.to_table(self, self.type_scheme)

    @classmethod
    def from_arrow(
        cls, table: pyarrow.Table, *, marks: MarkMeaning | None = None, gaps: Gaps | None = None
    ) -> Corpus:
        """Read the long table from Arrow, with a row per coding; numbers are not copied if possible.

        With a row per unit, ``marks`` and ``gaps`` describe the column ``label``, as in ``from_frame``.

        >>> Corpus.from_arrow(Corpus.from_dict({"d": {"ann": [2, 3]}}).to_arrow())["d", "ann"].masses
        (2, 3)
        """
        from caesura.io.tables.columns import TableOptions
        from caesura.io.tables.rows import read_arrow

        columns = read_arrow(table, TableOptions(marks, gaps=gaps))
        return cls.of(columns).with_type_scheme(arrow.scheme_of_metadata(table.schema.metadata))

    def to_records(self) -> tuple[list[str], list[list[Any]]]:
        """Return columns and rows of the long table, one row per coding; ``from_records`` reads it back."""
        codings = self.codings
        table: dict[str, Iterable[Any]] = {
            "document": (self.documents[number] for number in self.document.tolist()),
            "coder": (self.coders[number] for number in self.coder.tolist()),
            "n_units": codings.n_units.tolist(),
            "positions": lists_of(codings.offsets, codings.positions),
        }
        if codings.types is not None:
            table["types"] = lists_of(codings.offsets, codings.types)
        table |= self.details
        return list(table), list(map(list, zip(*table.values(), strict=True)))

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the long table as a pandas or polars data frame."""
        columns, rows = self.to_records()
        return make_frame({name: [row[i] for row in rows] for i, name in enumerate(columns)}, backend)

    def segmentations(self) -> dict[str, dict[str, Segmentation]]:
        """Return ``{document: {coder: Segmentation}}``; ``from_dict`` reads it back."""
        coded: dict[str, dict[str, Segmentation]] = {document: {} for document in self.documents}
        for document, coder, segmentation in self:
            coded[document][coder] = segmentation
        return coded

    def to_dict(self) -> dict[str, dict[str, list[int]]]:
        """Return ``{document: {coder: masses}}``; types are not kept."""
        return {
            document: {coder: list(segmentation.masses) for coder, segmentation in coded.items()}
            for document, coded in self.segmentations().items()
        }


def _number_of(noun: str, name: str, numbers: Mapping[str, int]) -> int:
    number = numbers.get(name)
    if number is None:
        raise unknown(noun, name, numbers)
    return number


def _index_among(chosen: IntArray, numbers: IntArray) -> IntArray:
    """Return the index of each number among the distinct chosen ones; -1 if it is not among them."""
    if not len(chosen):
        return np.full(len(numbers), -1, dtype=np.int64)
    order = np.argsort(chosen)
    index = order[np.minimum(np.searchsorted(chosen, numbers, sorter=order), len(chosen) - 1)]
    return np.where(chosen[index] == numbers, index, -1)
