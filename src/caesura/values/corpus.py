"""Corpus: document × coder → Segmentation, as columns, with the documents' texts and the meaning of types.

A coder may be a person or an automatic segmenter. Missing codings are normal: not every coder has coded
every document. The codings of one document stand together.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import check_whole, seconds_of
from caesura.errors import (
    CorpusError,
    ParameterError,
    SegmentationError,
    UnknownNameError,
    did_you_mean,
    missing_extra,
)
from caesura.frames import make_frame
from caesura.values import arrow
from caesura.values.builder import CorpusBuilder, numbers_of
from caesura.values.columns import Columns, check_columns
from caesura.values.forms import Reading, coding_name, name_of, repeated, short_name
from caesura.values.hierarchy import HierarchyLike
from caesura.values.html import MOST_COLUMNS, MOST_ROWS, corpus_html
from caesura.values.projecting import project_columns
from caesura.values.segmentation import PLAIN_TYPE, Segmentation
from caesura.values.segments import Gaps
from caesura.values.strings import Strings, gather, offsets_of
from caesura.values.type_scheme import TypeScheme, unite_schemes
from caesura.values.unit_columns import UnitColumns
from caesura.values.units import AXES, BY, INSTANT, UNKNOWN, Rule, Units
from caesura.wording import short

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]
    from narwhals.typing import IntoDataFrame


UNKNOWN_SIGNS = np.array([ord(" "), ord(UNKNOWN)], dtype=np.uint32)
"""Characters of a running text that may stand for one that is not known."""

RECORD_COLUMNS = ("document", "coder", "masses", "gaps", "n_units", "positions", "types", "label", "unit")
"""What the long table may have beside texts."""

FEW_CODERS = 8
"""Of how many coders one's codings are looked for among all: beyond that they are sorted by coder, once."""

SCHEME_KEY = b"caesura.type_scheme"
"""Where the metadata of an Arrow table has the type scheme."""


class Group(NamedTuple):
    """Coders who have all coded the same documents, which nobody else has."""

    coders: IntArray  # numbers of coders, in the corpus's order
    documents: IntArray  # numbers of documents
    rows: IntArray  # documents × coders: the coding of each


@dataclass(frozen=True, repr=False, eq=False)
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

    codings: Columns
    """The boundaries of every coding, document after document."""
    document: IntArray
    """The number of each coding's document, ascending."""
    coder: IntArray
    """The number of each coding's coder."""
    document_names: Strings
    coder_names: Strings
    texts: Strings | None = None
    """The units' texts of all documents that have any, end to end."""
    text_offsets: IntArray | None = None
    """Where each document's texts start, and where the last one's end; none: its text is not known."""
    unit_columns: UnitColumns | None = None
    """Where the units of documents stand on their axis, where anything is known of it."""
    type_scheme: TypeScheme | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """What else is known of codings, by name, a value for each: what coders typed, how long they took."""

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

        Hierarchies become segmentations whose types are the ranks, and the corpus says so:

        >>> from caesura.values.hierarchy import Hierarchy
        >>> corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]]), "bob": [5, 6]}})
        >>> corpus["d", "ann"].boundaries, corpus.is_hierarchical
        (((2, 2), (5, 1)), True)
        """
        builder = CorpusBuilder()
        for document, coded in codings.items():
            if not isinstance(coded, Mapping):
                raise CorpusError(
                    f"document {short_name(document)}: expected {{coder: segmentation}}, not "
                    f"{type(coded).__name__}"
                )
            if not coded:
                raise CorpusError(f"document {short_name(document)}: nobody has coded it")
            if builder.has_document(str(document)):
                raise CorpusError("two documents have the same name when written out")
            for coder, value in coded.items():
                if builder.has_coding(str(document), str(coder)):
                    raise CorpusError(
                        f"document {short_name(document)}: two coders have the same name when written out"
                    )
                builder.add(str(document), str(coder), value)
        for document, text in (units or {}).items():
            builder.add_text(str(document), text)
        return cls.build(builder, type_scheme=type_scheme, metadata=metadata)

    @classmethod
    def build(
        cls,
        builder: CorpusBuilder,
        *,
        type_scheme: TypeScheme | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Corpus:
        """Return the corpus of what was collected, one coding after the other."""
        parts = builder.columns()
        if builder.is_hierarchical and type_scheme is None:
            ranks = () if parts.codings.types is None else np.unique(parts.codings.types).tolist()
            plain = [PLAIN_TYPE] if parts.codings.is_plain and len(parts.codings.positions) else []
            type_scheme = TypeScheme.of_ranks([*ranks, *plain])
        corpus = cls(*parts, metadata=metadata or {})
        return corpus._renumbered(keep_uncoded=True).with_type_scheme(type_scheme)

    @classmethod
    def from_frame(
        cls,
        frame: IntoDataFrame,
        *,
        marks: Reading | None = None,
        text: str | None = None,
        document: str | None = None,
        coders: Sequence[str] = (),
        gaps: Gaps | None = None,
        name: str = "table",
    ) -> Corpus:
        """Read a table (pandas, polars, Arrow ...), long or wide, as the same table in a CSV file.

        Long: columns ``document`` and ``coder``, and one row per coding with ``masses``, with ``gaps``, or
        with ``positions`` and ``n_units`` (and ``types``); or one row per unit, in order, with ``label`` (and
        ``unit``, its number, and ``text``); there ``doc``, ``annotator`` or ``rater``, and ``mark`` or
        ``boundary`` will do, too. Lists may be written with spaces between.

        Wide: one row per unit, in order, and a column of marks or labels for each coder. A column of free
        text is the units' text; a column ``document`` says where there are several.

        Parameters
        ----------
        frame
            The table.
        marks
            What values per unit mean: "starts", "ends", "gaps" or "labels"; by default it is told from the
            values, see ``caesura.io.tables.marks``.
        text, document, coders
            Columns, where their names and values do not tell them; those of coders make a table wide.
        gaps
            What units outside of chunks (O) are among tags B, I and O: a "segment" of their own, or "join"ed
            to the chunk before.
        name
            What the document of a wide table is called, where no column says it.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"document": ["d", "d"], "coder": ["a", "b"], "masses": [[2, 3], [3, 2]]})
        >>> Corpus.from_frame(frame).coders
        ('a', 'b')
        >>> frame = pd.DataFrame({"sentence": ["Rain.", "It poured.", "Sun."], "ann": [0, 1, 1]})
        >>> Corpus.from_frame(frame, name="weather").to_dict()
        {'weather': {'ann': [2, 1]}}
        """
        try:
            import narwhals
        except ModuleNotFoundError:
            raise missing_extra("data frames need narwhals", "formats") from None
        try:
            table = narwhals.from_native(frame, eager_only=True)
        except TypeError:
            what = type(frame).__name__
            raise CorpusError(
                f"expected a data frame, not a {what}; a lazy one needs collect() first"
            ) from None
        from caesura.io.tables.columns import Told, check_chosen, check_once, is_long_header, long_columns
        from caesura.io.tables.wide_table import WideTable, cell_text

        told = Told(marks, text, document, coders, gaps)
        header = list(map(str, table.columns))
        if header and not is_long_header(header, told):
            body = [(number, list(map(cell_text, row))) for number, row in enumerate(table.iter_rows(), 1)]
            builder = CorpusBuilder()
            WideTable([(0, header), *body], told, name=name).read_into(builder)
            return cls.build(builder)
        columns = long_columns(header, told)
        check_once(columns)
        check_chosen(columns, told)
        form = record_form(columns)
        if form == "label":
            return cls._from_units(columns, table.iter_rows(), header, marks, gaps)
        if marks is not None or gaps is not None:
            option = "gaps" if marks is None else "marks"
            raise ParameterError(f"{option}= says nothing of a table of {form}; leave it out")
        as_arrow = arrow.frame_table(table)
        corpus = None if as_arrow is None else cls._from_table(arrow.with_names(as_arrow, columns))
        return cls.from_records(columns, table.iter_rows()) if corpus is None else corpus

    @classmethod
    def _from_units(
        cls,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        header: Sequence[str] | None,
        marks: Reading | None,
        gaps: Gaps | None = None,
    ) -> Corpus:
        """Read a row per unit and coder; the columns are called by their roles."""
        from caesura.io.tables.unit_rows import UnitRows

        units = UnitRows(columns, header=header)
        units.add_all(enumerate(rows, start=1))
        builder = CorpusBuilder()
        units.read_into(builder, marks, gaps=gaps)
        return cls.build(builder)

    @classmethod
    def from_records(
        cls, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, marks: Reading | None = None
    ) -> Corpus:
        """Read the rows of a long table; see ``from_frame`` for the columns."""
        form = record_form(columns)
        if form == "label":
            return cls._from_units(columns, rows, None, marks)
        index = {name: place for place, name in enumerate(columns)}
        builder = CorpusBuilder()
        for number, row in enumerate(rows, start=1):
            document, coder = (
                name_of(row[index[name]], name, "row", number) for name in ("document", "coder")
            )
            if builder.has_coding(document, coder):
                raise CorpusError(
                    f"row {number}: document {short_name(document)} already has a coding by "
                    f"{short_name(coder)}"
                )
            try:
                builder.add(document, coder, _record_segmentation(form, index, row))
            except SegmentationError as error:
                raise CorpusError(f"row {number}: {coding_name(document, coder)}: {error}") from None
        return cls.build(builder)

    @classmethod
    def from_columns(
        cls,
        document: IntArray,
        coder: IntArray,
        codings: Columns,
        document_names: Strings,
        coder_names: Strings,
        *,
        name: str = "row {}",
    ) -> Corpus:
        """Check the columns of a table with a row per coding, in any order; rows in messages count from 1."""

        def where(row: int) -> str:
            names = coding_name(document_names[int(document[row])], coder_names[int(coder[row])])
            return f"{name.format(row + 1)}: {names}"

        codings = check_columns(codings, where)
        order, document = _by_occurrence(document, len(document_names))
        document_names = document_names.take(order)
        key = document * len(coder_names) + coder
        row = _first_repeated(key)
        if row is not None:
            raise CorpusError(
                f"{name.format(row + 1)}: document {short_name(document_names[int(document[row])])} already "
                f"has a coding by {short_name(coder_names[int(coder[row])])}"
            )
        if bool((document[1:] < document[:-1]).any()):
            rows = np.argsort(document, kind="stable")
            document, coder, codings = document[rows], coder[rows], codings.take(rows)
        corpus = cls(codings, document, coder, document_names, coder_names)
        corpus._check_lengths()
        return corpus._renumbered()

    @classmethod
    def from_checked_columns(
        cls,
        document: IntArray,
        coder: IntArray,
        codings: Columns,
        document_names: Strings,
        coder_names: Strings,
    ) -> Corpus:
        """Return the corpus of columns that ``from_columns`` would find nothing wrong with, nor sort."""
        return cls(codings, document, coder, document_names, coder_names)._renumbered()

    @classmethod
    def _from_table(cls, table: pyarrow.Table) -> Corpus | None:
        """Read an Arrow table column by column; None where only its rows can tell what they hold."""
        columns = arrow.read_table(table)
        try:
            return None if columns is None else cls.from_columns(*columns)
        except CorpusError:
            return None  # of several faults the first row's counts

    def merge(*corpora: Corpus) -> Corpus:  # the first is self, if there is one
        """Unite corpora: other coders of the same documents, other documents, or both.

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
            return Corpus.build(CorpusBuilder())
        documents, document = _united([corpus.document_names for corpus in corpora])
        coders, coder = _united([corpus.coder_names for corpus in corpora])
        rows_document = np.concatenate(
            [numbers[corpus.document] for numbers, corpus in zip(document, corpora, strict=True)]
        )
        rows_coder = np.concatenate(
            [numbers[corpus.coder] for numbers, corpus in zip(coder, corpora, strict=True)]
        )
        twice = _first_repeated(rows_document * len(coders) + rows_coder)
        if twice is not None:
            raise CorpusError(
                f"document {short_name(documents[rows_document[twice]])}: two of the merged corpora have "
                f"coder {short_name(coders[rows_coder[twice]])}"
            )
        order = np.argsort(rows_document, kind="stable")
        codings = Columns.concatenate([corpus.codings for corpus in corpora]).take(order)
        merged = Corpus(codings, rows_document[order], rows_coder[order], documents, coders)
        merged._check_lengths()
        texts, text_offsets = _united_texts(corpora, document, documents)
        details = _united_details(corpora, order)
        merged = dataclasses.replace(
            merged, texts=texts, text_offsets=text_offsets, metadata=metadata, details=details
        )
        units = _united_units(corpora, document, documents)
        merged = dataclasses.replace(merged, unit_columns=units)
        merged._check_texts()
        return merged._renumbered(keep_uncoded=True).with_type_scheme(scheme)

    def with_type_scheme(self, scheme: TypeScheme | None) -> Corpus:
        """Return the corpus whose types this scheme declares; it must have all of them."""
        if scheme is not None:
            _check_types(self, scheme)
        return dataclasses.replace(self, type_scheme=scheme)

    def with_texts(self, units: Mapping[str, Sequence[str]]) -> Corpus:
        """Return the corpus with these texts of the units, by document, in place of any it has."""
        lengths = np.zeros(len(self.document_names), dtype=np.int64)
        chosen: dict[int, Sequence[str]] = {}
        for document, text in units.items():
            number = self._document_number(document)
            self._check_text(number, len(text))
            chosen[number], lengths[number] = text, len(text)
        texts = Strings.of(unit for number in sorted(chosen) for unit in chosen[number])
        return dataclasses.replace(self, texts=texts, text_offsets=offsets_of(lengths))

    def with_spans(self, units: Mapping[str, Units]) -> Corpus:
        """Return the corpus with these places of its documents' units, in place of any it has.

        >>> corpus = Corpus.from_dict({"d": {"ann": [2, 1]}})
        >>> corpus.with_spans({"d": Units.from_text("One two three", by="word")}).spans["d"].axis
        'characters'
        """
        found: list[Units | None] = [None] * len(self.document_names)
        for document, own in units.items():
            number = self._document_number(document)
            self._check_text(number, len(own), "axis")
            found[number] = own
        return dataclasses.replace(self, unit_columns=UnitColumns.of(found))

    def with_table_texts(self, table: pyarrow.Table) -> Corpus:
        """Return the corpus with the texts in the column ``units`` of the table that it was read from."""
        if "units" not in table.column_names or table["units"].null_count == len(table):
            return self
        row, offsets, texts = arrow.read_texts(table)
        names = table["document"].take(row).to_pylist()
        document = np.array([self.document_numbers[str(name)] for name in names], dtype=np.int64)
        order = np.argsort(document, kind="stable")
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = np.diff(document[order]) != 0
        chosen = order[is_first]
        again, before = order[~is_first], chosen[(np.cumsum(is_first) - 1)[~is_first]]
        for one, other in zip(again.tolist(), before.tolist(), strict=True):
            if texts[offsets[one] : offsets[one + 1]] != texts[offsets[other] : offsets[other + 1]]:
                name = self.documents[document[one]]
                raise CorpusError(f"document {short_name(name)}: its units differ between rows")
        n_texts = np.zeros(len(self.document_names), dtype=np.int64)
        n_texts[document[chosen]] = np.diff(offsets)[chosen]
        for number in document[chosen][n_texts[document[chosen]] != self.document_units[document[chosen]]]:
            self._check_text(int(number), int(n_texts[number]))
        _, where = gather(offsets, chosen)
        return dataclasses.replace(self, texts=texts.take(where), text_offsets=offsets_of(n_texts))

    def rename(
        self, coders: Mapping[str, str] | None = None, *, documents: Mapping[str, str] | None = None
    ) -> Corpus:
        """Return the corpus with other names of coders, and of documents.

        >>> Corpus.from_dict({"d": {"a": [2, 3], "b": [5]}}).rename({"a": "ann"}).coders
        ('ann', 'b')
        """
        for old in coders or {}:
            self._coder_number(old)
        for old in documents or {}:
            self._document_number(old)
        new_coders = [(coders or {}).get(name, name) for name in self.coders]
        new_documents = [(documents or {}).get(name, name) for name in self.documents]
        for what, names in (("coder", new_coders), ("document", new_documents)):
            twice = repeated(names)
            if twice is not None:
                raise CorpusError(f"two {what}s would be called {short_name(twice)}; choose other names")
        return dataclasses.replace(
            self, coder_names=Strings.of(new_coders), document_names=Strings.of(new_documents)
        )

    def with_one_coder(self, coder: str) -> Corpus:
        """Return a corpus with one coding per document as that of one coder, whoever made it.

        >>> Corpus.from_dict({"d": {"a": [2, 3]}, "e": {"b": [5]}}).with_one_coder("ann").coders
        ('ann',)
        """
        if bool((self.n_coders > 1).any()):
            document = self.documents[int(np.argmax(self.n_coders > 1))]
            raise CorpusError(
                f"document {short_name(document)} has several codings: these are not one coder's"
            )
        nobody = np.zeros(len(self), dtype=np.int64)
        return dataclasses.replace(self, coder=nobody, coder_names=Strings.of([coder] if len(self) else []))

    def with_metadata(self, metadata: Mapping[str, Any]) -> Corpus:
        """Return the corpus with this metadata in place of its own."""
        return dataclasses.replace(self, metadata=metadata)

    def with_details(self, details: Mapping[str, Sequence[Any]]) -> Corpus:
        """Return the corpus with these further columns of its codings, in place of any it has.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).with_details({"seconds": [40]}).to_records()
        (['document', 'coder', 'n_units', 'positions', 'seconds'], [['d', 'ann', 5, [2], 40]])
        """
        for name, values in details.items():
            if len(values) != len(self):
                raise CorpusError(f"details: {name} has {len(values)} values for {len(self)} codings")
            if name in RECORD_COLUMNS:
                raise CorpusError(f"details: {name} is a column of every corpus; choose another name")
        return dataclasses.replace(self, details={name: tuple(values) for name, values in details.items()})

    # ---------------------------------------------------------------- looking

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents, in the order of the data."""
        return tuple(self.document_names)

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """All coders, in the order of the data."""
        return tuple(self.coder_names)

    @property
    def n_codings(self) -> int:
        """Number of segmentations."""
        return len(self.codings)

    @cached_property
    def types(self) -> tuple[int, ...]:
        """The declared boundary types, or else those that occur."""
        return self.ranks if self.type_scheme is None else self.type_scheme.types

    @property
    def is_hierarchical(self) -> bool:
        """Whether the types are the ranks of hierarchies, 1 the most prominent."""
        return self.type_scheme is not None and self.type_scheme.ranks

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The ranks, or types, that occur, ascending."""
        if self.codings.types is None:
            return (PLAIN_TYPE,) if len(self.codings.positions) else ()
        return tuple(np.unique(self.codings.types).tolist())

    @cached_property
    def typed_coders(self) -> frozenset[str]:
        """The coders who mark boundaries of another type, or rank, than the plain one."""
        if self.codings.types is None:
            return frozenset()
        is_typed = self.codings.types != PLAIN_TYPE
        return frozenset(self.coder_names.take(np.unique(self.coder[self.codings.coding[is_typed]])))

    @cached_property
    def starts(self) -> IntArray:
        """The first coding of each document, and the number of codings."""
        return offsets_of(np.bincount(self.document, minlength=len(self.document_names)))

    @cached_property
    def n_coders(self) -> IntArray:
        """The number of codings of each document."""
        return np.diff(self.starts)

    @cached_property
    def document_units(self) -> IntArray:
        """The length of each document, in units."""
        if self.is_coded:
            return self.codings.n_units[self.starts[:-1]]
        lengths = self.units.lengths
        if self.unit_columns is not None:
            lengths = np.maximum(lengths, self.unit_columns.n_units)
        lengths[self.document] = self.codings.n_units
        return lengths

    @cached_property
    def step(self) -> float | None:
        """The length of every unit in seconds, where all documents are on one uniform grid in time.

        Documents whose boundaries are times, in instants, are not compared with others: what is near in one
        is nothing in the other.
        """
        columns = self.unit_columns
        if columns is None or not len(columns):
            return None
        steps = np.where(columns.axis == AXES.index("seconds"), columns.grid[:, 2], 0.0)
        if bool((steps == steps[0]).all()):
            return float(steps[0]) or None
        is_instant = steps == INSTANT
        if bool(is_instant.any()):
            timed, other = (self.documents[int(np.argmax(found))] for found in (is_instant, ~is_instant))
            raise CorpusError(
                f"the boundaries of document {short_name(timed)} are times and those of document "
                f"{short_name(other)} are not, or are on a grid: select(documents=...) one kind, or put all "
                "times on one grid, corpus.onto('1s')"
            )
        return None

    @cached_property
    def is_coded(self) -> bool:
        """Whether somebody has coded each document; others have texts or units alone."""
        return bool((self.n_coders > 0).all())

    @property
    def coded(self) -> Corpus:
        """The documents that somebody has coded."""
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

    @property
    def units(self) -> UnitTexts:
        """Text of each unit, by document, where it is known."""
        return UnitTexts(self)

    @property
    def spans(self) -> UnitSpans:
        """Where the units stand on their axis, by document, where it is known."""
        return UnitSpans(self)

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
            raise UnknownNameError(
                f"document {short_name(document)} has no coding by {short_name(coder)!r}; "
                f"{did_you_mean(str(coder), there)}"
            )
        return self.codings.segmentation(row)

    @cached_property
    def document_numbers(self) -> dict[str, int]:
        """The number of each document, by name."""
        return {name: number for number, name in enumerate(self.documents)}

    @cached_property
    def coder_numbers(self) -> dict[str, int]:
        """The number of each coder, by name."""
        return {name: number for number, name in enumerate(self.coders)}

    def _document_number(self, document: str) -> int:
        number = self.document_numbers.get(document)
        if number is None:
            raise UnknownNameError(
                f"there is no document {short_name(document)!r}; "
                f"{did_you_mean(str(document), self.documents)}"
            )
        return number

    def _coder_number(self, coder: str) -> int:
        number = self.coder_numbers.get(coder)
        if number is None:
            raise UnknownNameError(
                f"there is no coder {short_name(coder)!r}; {did_you_mean(str(coder), self.coders)}"
            )
        return number

    @cached_property
    def _sorted_keys(self) -> tuple[IntArray, IntArray]:
        key = self.document * len(self.coder_names) + self.coder
        order = np.argsort(key, kind="stable")
        return key[order], order

    def row(self, document: int, coder: int) -> int:
        """Return the number of the coding of a document by a coder, both by number; -1 if there is none."""
        if coder < 0:
            return -1
        return int(self.rows(np.array([document]), np.array([coder]))[0])

    def rows(self, document: IntArray, coder: IntArray) -> IntArray:
        """Return the numbers of many codings; -1 where there is none."""
        if len(self.coder_names) == 1 and len(self) == len(self.document_names):
            return document.copy()
        keys, order = self._sorted_keys
        wanted = document * len(self.coder_names) + coder
        place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        if not len(keys):
            return np.full(len(wanted), -1, dtype=np.int64)
        return np.where(keys[place] == wanted, order[place], -1)

    def __iter__(self) -> Iterator[tuple[str, str, Segmentation]]:
        rows = zip(self.document.tolist(), self.coder.tolist(), strict=True)
        for row, (document, coder) in enumerate(rows):
            yield self.documents[document], self.coders[coder], self.codings.segmentation(row)

    def __len__(self) -> int:
        return self.n_codings

    def __repr__(self) -> str:
        n = (len(self.document_names), len(self.coder_names), self.n_codings)
        names = ("document", "coder", "coding")
        parts = [f"{i:,} {name}{'' if i == 1 else 's'}" for i, name in zip(n, names, strict=True)]
        return f"<Corpus of {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: how many boundaries there are, documents × coders, the first few."""
        n_documents, n_coders = len(self.document_names), len(self.coder_names)
        documents, coders = range(min(n_documents, MOST_ROWS)), range(min(n_coders, MOST_COLUMNS))
        wanted = np.repeat(documents, len(coders)), np.tile(coders, len(documents))
        rows = self.rows(np.array(wanted[0], dtype=np.int64), np.array(wanted[1], dtype=np.int64)).tolist()
        counts = [None if row < 0 else int(self.codings.n_boundaries[row]) for row in rows]
        return corpus_html(
            repr(self).strip("<>"),
            [self.document_names[number] for number in documents],
            [self.coder_names[number] for number in coders],
            self.document_units[: len(documents)],
            [counts[number * len(coders) :][: len(coders)] for number in documents],
            (n_documents - len(documents), n_coders - len(coders)),
        )

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same codings, texts, types and metadata, in whatever order."""
        if not isinstance(other, Corpus):
            return NotImplemented
        if self.type_scheme != other.type_scheme or self.metadata != other.metadata:
            return False
        if self.n_codings != other.n_codings or set(self.coders) != set(other.coders):
            return False
        if set(self.documents) != set(other.documents):
            return False
        documents = np.array([other.document_numbers[name] for name in self.documents], dtype=np.int64)
        coders = np.array([other.coder_numbers[name] for name in self.coders], dtype=np.int64)
        rows = other.rows(documents[self.document], coders[self.coder])
        if bool((rows < 0).any()):
            return False
        if dict(self.details) != _details_at(other.details, rows):
            return False
        mine, theirs = self.codings, other.codings.take(rows)
        same = (
            np.array_equal(mine.n_units, theirs.n_units)
            and np.array_equal(mine.offsets, theirs.offsets)
            and np.array_equal(mine.positions, theirs.positions)
            and np.array_equal(mine.all_types, theirs.all_types)
        )
        return same and self._has_texts_of(other, documents) and dict(self.spans) == dict(other.spans)

    def _has_texts_of(self, other: Corpus, documents: IntArray) -> bool:
        """Whether the other's documents of these numbers have the same texts."""
        mine, theirs = self.units.lengths, other.units.lengths[documents]
        if not np.array_equal(mine, theirs):
            return False
        if self.texts is None or other.texts is None or other.text_offsets is None:
            return not mine.any()
        return self.texts == other.texts.take(gather(other.text_offsets, documents)[1])

    __hash__ = None  # type: ignore[assignment]  # metadata may hold anything

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns alone: what follows from them is found again when it is asked for."""
        state = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return {**state, "metadata": dict(self.metadata), "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    # ---------------------------------------------------------------- parts

    def select(
        self, *, documents: Iterable[str] | None = None, coders: Iterable[str] | None = None
    ) -> Corpus:
        """Return the corpus of these documents and coders, in the order asked for.

        Documents that none of the coders has coded are left out.
        """
        if documents is None and coders is None:
            return self
        if documents is not None:
            numbers = [self._document_number(name) for name in dict.fromkeys(documents)]
            rows = gather(self.starts, np.array(numbers, dtype=np.int64))[1]
        if coders is not None:
            chosen = np.array([self._coder_number(name) for name in dict.fromkeys(coders)], dtype=np.int64)
            if documents is None:
                rows = self._rows_of_numbers(chosen)
            # Documents stay in their order; within each, coders stand as they were asked for.
            rank = _place_among(chosen, self.coder[rows])
            rows, rank = rows[rank >= 0], rank[rank >= 0]
            block = np.cumsum(np.concatenate(([0], np.diff(self.document[rows]) != 0)))[: len(rows)]
            rows = rows[np.lexsort((rank, block))]
        return self.take(rows)

    def rows_of_coders(self, coders: Iterable[str]) -> IntArray:
        """Return the numbers of these coders' codings, ascending."""
        numbers = [self._coder_number(name) for name in dict.fromkeys(coders)]
        return self._rows_of_numbers(np.array(numbers, dtype=np.int64))

    def _rows_of_numbers(self, coders: IntArray) -> IntArray:
        """Return the codings of coders by number; of few among many, in time for theirs alone."""
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
        return order, offsets_of(np.bincount(self.coder, minlength=len(self.coder_names)))

    def take(self, rows: IntArray) -> Corpus:
        """Return the corpus of these codings, by number; those of one document must stand together."""
        part = dataclasses.replace(
            self,
            codings=self.codings.take(rows),
            document=self.document[rows],
            coder=self.coder[rows],
            details=_details_at(self.details, rows),
        )
        return part._renumbered()

    def _renumbered(self, *, keep_uncoded: bool = False) -> Corpus:
        """Number documents and coders in the order in which they occur; leave out those who do not."""
        if keep_uncoded and not self.is_coded:
            documents, document = np.arange(len(self.document_names)), self.document
        else:
            documents, document = _by_occurrence(self.document, len(self.document_names))
        coders, coder = _by_occurrence(self.coder, len(self.coder_names))
        if document is self.document and coder is self.coder:
            return self
        texts, text_offsets = self.texts, self.text_offsets
        if texts is not None and text_offsets is not None:
            text_offsets, where = gather(text_offsets, documents)
            texts = texts.take(where)
        return dataclasses.replace(
            self,
            document=document,
            coder=coder,
            document_names=self.document_names.take(documents),
            coder_names=self.coder_names.take(coders),
            texts=texts,
            text_offsets=text_offsets,
            unit_columns=None if self.unit_columns is None else self.unit_columns.take(documents),
        )

    # ---------------------------------------------------------------- other units

    def onto(self, target: Corpus | Mapping[str, Units] | str, rule: Rule = "nearest") -> Corpus:
        """Return the codings on other units of the same documents.

        Parameters
        ----------
        target
            A corpus whose units they are to have, the units by document, the step of a uniform grid in time
            ("1s", "200ms"), or what the running text is divided by ("sentence", "word", "line" ...). Units
            that have a text each, such as paragraphs, are divided further: their boundaries stay.
        rule
            Where a boundary inside a unit goes: to the nearest end, before, after, or nowhere ("strict").

        Returns
        -------
        Corpus
            ``metadata["moves"]`` says how many boundaries moved, how far, met, or fell on an end; where any
            did, one UserWarning says so.

        >>> words = Corpus.from_dict({"d": {"ann": [2, 3]}})
        >>> words = words.with_spans({"d": Units.from_text("One two. Three four five.", by="word")})
        >>> words.onto({"d": Units.from_spans([(0, 8), (9, 25)])})["d", "ann"].masses
        (1, 1)
        """
        coded = self if self._can_all_go(target) else self.coded
        if not coded.documents:
            raise CorpusError("nobody has coded a document: there is no boundary to put on other units")
        source = [coded._own_units(document, target) for document in coded.documents]
        wanted = [
            coded._target_of(name, own, target) for name, own in zip(coded.documents, source, strict=True)
        ]
        # Where texts were written one below the other, places in that text mean nothing to anyone else.
        places = [
            own if name in coded.spans else None for name, own in zip(coded.documents, wanted, strict=True)
        ]
        codings, moves = project_columns(
            coded.codings, coded.starts, source, wanted, coded.documents, rule, ranks=self.is_hierarchical
        )
        projected = dataclasses.replace(
            coded,
            codings=codings,
            texts=None,
            text_offsets=None,
            unit_columns=UnitColumns.of(places),
            metadata={**self.metadata, "moves": moves},
            details={},  # what was said of segments is not true of others
        )
        if not moves.is_exact:
            warnings.warn(str(moves), UserWarning, stacklevel=2)
        shared = _shared_texts(coded, target) if isinstance(target, Corpus) else None
        if shared is not None:
            return dataclasses.replace(projected, texts=shared[0], text_offsets=shared[1])
        texts = {name: text for name in coded.documents if (text := _texts_on(name, target)) is not None}
        texts |= {
            name: units.texts
            for name, units in zip(coded.documents, wanted, strict=True)
            if name not in texts and units.text is not None and not units.is_grid
        }
        return projected.with_texts(texts) if texts else projected

    def _can_all_go(self, target: Corpus | Mapping[str, Units] | str) -> bool:
        """Whether documents that nobody has coded can be put on other units, too."""
        if isinstance(target, Corpus):
            return False  # what it does not know may be what nobody has coded
        if isinstance(target, str):
            return all(self._has_places(document, target) for document in self.documents)
        return all(document in self.spans and document in target for document in self.documents)

    def _has_places(self, document: str, target: str) -> bool:
        return document in self.spans or (target in BY and document in self.units)

    def _own_units(self, document: str, target: Corpus | Mapping[str, Units] | str) -> Units:
        if document in self.spans:
            return self.spans[document]
        if isinstance(target, str) and self._has_places(document, target):
            return Units.joined(self.units[document])
        raise CorpusError(
            f"document {short_name(document)}: it is not known where its units stand on an axis, so they "
            "cannot be moved to other units; give their places by with_spans()"
        )

    def _target_of(self, document: str, own: Units, target: Corpus | Mapping[str, Units] | str) -> Units:
        """Return the units onto which a document's codings go."""
        if isinstance(target, str) and document not in self.spans:
            return own.divided(target)
        return _target_of(document, own, target)

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
        codings = self.codings
        if codings.types is not None and bool((codings.types < 1).any()):
            row = int(codings.coding[np.argmax(codings.types < 1)])
            raise SegmentationError(
                f"{self._coding_name(row)}: a type below 1 is no rank: ranks are whole numbers from 1, the "
                "most prominent"
            )
        ranked = dataclasses.replace(self, codings=codings.first_types())
        return ranked.with_type_scheme(TypeScheme.of_ranks(ranked.ranks))

    def without_types(self) -> Corpus:
        """Return the same boundaries as plain ones, whatever their types or ranks."""
        return dataclasses.replace(self, codings=self.codings.marked, type_scheme=None)

    def level(self, rank: int) -> Corpus:
        """Return the boundaries of this rank and of those above, without their ranks.

        >>> from caesura.values.hierarchy import Hierarchy
        >>> Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], [6]])}}).level(1)["d", "ann"].masses
        (5, 6)
        """
        rank = check_whole("rank", rank, 1)
        if not self.is_hierarchical:
            raise CorpusError(
                "the corpus has no levels: its types are not declared as ranks (TypeScheme(..., ranks=True))"
            )
        part = self.codings.keep(self.codings.all_types <= rank).without_types()
        return dataclasses.replace(self, codings=part, type_scheme=None, details={})

    def groups(self) -> list[Corpus]:
        """Return one corpus for each set of coders: the documents that just these coders have coded."""
        groups = self.find_groups()
        if len(groups) == 1:
            return [self]
        return [self.take(gather(self.starts, group.documents)[1]) for group in groups]

    def find_groups(self) -> list[Group]:
        """Return who has coded what together, in the order of the documents, without new corpora."""
        n_coders, found = self.n_coders, []
        for n in np.bincount(n_coders).nonzero()[0].tolist():
            documents = (n_coders == n).nonzero()[0]
            rows = self.in_order[self.starts[documents, None] + np.arange(n)]
            sets = self.coder[rows]
            if not (sets != sets[0]).any():
                found.append(Group(sets[0], documents, rows))
                continue
            by_set = np.lexsort(sets.T[::-1])
            sets, documents, rows = sets[by_set], documents[by_set], rows[by_set]
            ends = (sets[1:] != sets[:-1]).any(axis=1).nonzero()[0] + 1
            found += [
                Group(sets[start], documents[start:end], rows[start:end])
                for start, end in pairwise([0, *ends.tolist(), len(sets)])
            ]
        return sorted(found, key=lambda group: int(group.documents[0]))

    # ---------------------------------------------------------------- tables

    def to_arrow(self) -> pyarrow.Table:
        """Return the long table as Arrow; the arrays of numbers are not copied.

        >>> Corpus.from_dict({"d": {"ann": [2, 3]}}).to_arrow().column_names
        ['document', 'coder', 'n_units', 'positions']
        """
        texts = None
        if self.texts is not None and self.text_offsets is not None:
            texts = arrow.text_column(self.starts, self.texts, self.text_offsets)
        columns = arrow.TableColumns(
            self.document, self.coder, self.codings, self.document_names, self.coder_names
        )
        table = arrow.to_table(columns, texts)
        if self.type_scheme is not None:
            scheme = json.dumps(self.type_scheme.to_dict())
            table = table.replace_schema_metadata({SCHEME_KEY: scheme.encode("utf-8")})
        return table

    @classmethod
    def from_arrow(
        cls, table: pyarrow.Table, *, marks: Reading | None = None, gaps: Gaps | None = None
    ) -> Corpus:
        """Read the long table from Arrow, with a row per coding; numbers are not copied where that can be.

        With a row per unit, ``marks`` and ``gaps`` say what the column ``label`` holds, as in ``from_frame``.

        >>> Corpus.from_arrow(Corpus.from_dict({"d": {"ann": [2, 3]}}).to_arrow())["d", "ann"].masses
        (2, 3)
        """
        from caesura.io.tables.columns import Told, check_once, long_columns

        roles = long_columns(table.column_names, Told())
        check_once(roles)
        names = dict(zip(roles, table.column_names, strict=True))
        table = arrow.with_names(table, roles)
        corpus = cls._from_table(table)
        if corpus is None:
            columns = [name for name in table.column_names if name in (*RECORD_COLUMNS, "text")]
            rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
            if record_form(columns) == "label":
                header = [names[role] for role in columns]
                corpus = cls._from_units(columns, rows, header, marks, gaps)
            else:
                corpus = cls.from_records(columns, rows)
        return corpus.with_type_scheme(scheme_of_metadata(table.schema.metadata)).with_table_texts(table)

    def to_records(self) -> tuple[list[str], list[list[Any]]]:
        """Return columns and rows of the long table, one row per coding; ``from_records`` reads it back."""
        plain = self.codings.is_plain
        columns = ["document", "coder", "n_units", "positions", *([] if plain else ["types"])]
        offsets, positions = self.codings.offsets.tolist(), self.codings.positions.tolist()
        types = None if plain else self.codings.all_types.tolist()
        keys = zip(self.document.tolist(), self.coder.tolist(), self.codings.n_units.tolist(), strict=True)
        rows: list[list[Any]] = []
        for row, (document, coder, n_units) in enumerate(keys):
            start, end = offsets[row], offsets[row + 1]
            rows.append([self.documents[document], self.coders[coder], n_units, positions[start:end]])
            if types is not None:
                rows[-1].append(types[start:end])
            rows[-1] += [values[row] for values in self.details.values()]
        return [*columns, *self.details], rows

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

    # ---------------------------------------------------------------- checks

    def _coding_name(self, row: int) -> str:
        return coding_name(self.documents[self.document[row]], self.coders[self.coder[row]])

    def _check_lengths(self) -> None:
        """Refuse codings of one document that differ in length."""
        n_units = self.codings.n_units
        wrong = np.flatnonzero((np.diff(n_units) != 0) & (np.diff(self.document) == 0))
        if len(wrong):
            row = int(wrong[0]) + 1
            first = int(self.starts[self.document[row]])
            raise CorpusError(
                f"{self._coding_name(row)} has {n_units[row]} units where "
                f"{short_name(self.coders[self.coder[first]])} has {n_units[first]}: "
                "all must segment the same units"
            )

    def _check_texts(self) -> None:
        """Refuse texts and units of another length than the codings of their document."""
        known = {"text": self.units.lengths}
        if self.unit_columns is not None:
            known["axis"] = self.unit_columns.n_units
        for what, lengths in known.items():
            for document in np.flatnonzero((lengths > 0) & (lengths != self.document_units)).tolist():
                self._check_text(document, int(lengths[document]), what)

    def _check_text(self, document: int, length: int, what: str = "text") -> None:
        expected = int(self.document_units[document])
        if length != expected:
            has = f"where there are {expected}"
            if self.n_coders[document]:
                first = self.coders[self.coder[self.starts[document]]]
                has = f"where coder {short_name(first)} has {expected}"
            raise CorpusError(
                f"document {short_name(self.documents[document])}: the {what} has {length} units {has}"
            )


def _details_at(details: Mapping[str, tuple[Any, ...]], rows: IntArray) -> dict[str, tuple[Any, ...]]:
    """Return the details of these codings."""
    chosen = rows.tolist() if details else ()
    return {name: tuple(values[row] for row in chosen) for name, values in details.items()}


def _united_details(corpora: Sequence[Corpus], order: IntArray) -> dict[str, tuple[Any, ...]]:
    """Return the details of the codings of all corpora, in this order; None where a corpus has none."""
    names = dict.fromkeys(name for corpus in corpora for name in corpus.details)
    united = {
        name: tuple(value for corpus in corpora for value in corpus.details.get(name, (None,) * len(corpus)))
        for name in names
    }
    return _details_at(united, order)


def _target_of(document: str, own: Units, target: Corpus | Mapping[str, Units] | str) -> Units:
    """Return the units onto which a document's codings go."""
    try:
        if isinstance(target, str):
            return _divided(own, target)
        spans = target.spans if isinstance(target, Corpus) else target
        if document in spans:
            return spans[document]
        if isinstance(target, Corpus) and document in target.units and own.text is not None:
            return Units.located(target.units[document], own.text)
    except SegmentationError as error:
        raise CorpusError(f"document {short_name(document)}: {error}") from None
    if isinstance(target, Corpus) and document in target.document_numbers:
        raise CorpusError(
            f"document {short_name(document)}: where the target's units stand is not known, nor is a running "
            "text in which their texts could be found"
        )
    raise CorpusError(f"document {short_name(document)}: the target has no units of it")


def _divided(own: Units, by: str) -> Units:
    if by in BY:
        if own.text is None:
            raise CorpusError(f"its running text is not known, so it cannot be divided by {by}")
        return Units.from_text(own.text, by=by)
    step = seconds_of("target", by)
    if own.axis != "seconds":
        raise SegmentationError(f"its axis is {own.axis}, not seconds, so there is no grid of {by}")
    return Units.every(step, own.end, start=own.origin)


def _shared_texts(corpus: Corpus, target: Corpus) -> tuple[Strings, IntArray] | None:
    """Return the target's texts of a corpus's documents as they are kept, where it has those of all."""
    if target.texts is None or target.text_offsets is None:
        return None
    if corpus.document_names == target.document_names:
        return (target.texts, target.text_offsets) if target.units.lengths.all() else None
    numbers = np.array([target.document_numbers[document] for document in corpus.documents], dtype=np.int64)
    if not target.units.lengths[numbers].all():
        return None
    offsets, where = gather(target.text_offsets, numbers)
    return target.texts.take(where), offsets


def _texts_on(document: str, target: Corpus | Mapping[str, Units] | str) -> Sequence[str] | None:
    return target.units.get(document) if isinstance(target, Corpus) else None


class UnitTexts(Mapping[str, tuple[str, ...]]):
    """The texts of a corpus's documents, decoded when they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @property
    def lengths(self) -> IntArray:
        """The number of texts of each document, 0 where its text is not known."""
        offsets = self._corpus.text_offsets
        return (
            np.zeros(len(self._corpus.document_names), dtype=np.int64)
            if offsets is None
            else np.diff(offsets)
        )

    @cached_property
    def _with_text(self) -> IntArray:
        return np.flatnonzero(self.lengths)

    def _slice(self, document: object) -> tuple[int, int]:
        number, offsets = self._corpus.document_numbers.get(document), self._corpus.text_offsets  # type: ignore[call-overload]
        return (0, 0) if number is None or offsets is None else tuple(offsets[number : number + 2].tolist())

    def __getitem__(self, document: str) -> tuple[str, ...]:
        start, end = self._slice(document)
        if start == end or self._corpus.texts is None:
            raise KeyError(document)
        return tuple(self._corpus.texts[start:end])

    def __contains__(self, document: object) -> bool:
        start, end = self._slice(document)
        return start < end

    def __iter__(self) -> Iterator[str]:
        return (self._corpus.documents[number] for number in self._with_text.tolist())

    def __len__(self) -> int:
        return len(self._with_text)

    def encoded(self) -> Iterator[tuple[str, Strings]]:
        """Yield each document and its texts as they are kept."""
        texts, offsets = self._corpus.texts, self._corpus.text_offsets
        if texts is not None and offsets is not None:
            for number in self._with_text.tolist():
                yield self._corpus.documents[number], texts[int(offsets[number]) : int(offsets[number + 1])]

    def __repr__(self) -> str:
        return f"<texts of {len(self):,} documents>"


class UnitSpans(Mapping[str, Units]):
    """The units of a corpus's documents, made when they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @cached_property
    def _known(self) -> IntArray:
        columns = self._corpus.unit_columns
        return np.empty(0, dtype=np.int64) if columns is None else np.flatnonzero(columns.is_known)

    def __getitem__(self, document: str) -> Units:
        columns, number = self._corpus.unit_columns, self._corpus.document_numbers.get(document)
        units = None if columns is None or number is None else columns[number]
        if units is None:
            raise KeyError(document)
        return units

    def __iter__(self) -> Iterator[str]:
        return (self._corpus.documents[number] for number in self._known.tolist())

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return f"<units of {len(self):,} documents>"


def _by_occurrence(numbers: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return which of 0 .. n − 1 occur, in the order in which they do, and the numbers in that order.

    Takes time for the numbers, not for all that could occur; those in order already are returned as they are.
    """
    if len(numbers) < n:
        kept, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    else:
        everyone = np.arange(n)
        if np.array_equal(numbers[:n], everyone) or _counts_up(numbers, n):
            return everyone, numbers
        kept, which = everyone, numbers
        first = np.full(n, len(numbers), dtype=np.int64)
        np.minimum.at(first, numbers, np.arange(len(numbers)))
    order = np.argsort(first, kind="stable")[: int(np.count_nonzero(first < len(numbers)))]
    place = np.empty(len(kept), dtype=np.int64)
    place[order] = np.arange(len(order))
    return kept[order], place[which]


def _counts_up(numbers: IntArray, n: int) -> bool:
    """Whether the numbers are 0 .. n − 1, ascending, each perhaps several times."""
    step = np.diff(numbers)
    return bool(numbers[0] == 0 and numbers[-1] == n - 1 and step.min() >= 0 and step.max() <= 1)


def _place_among(chosen: IntArray, numbers: IntArray) -> IntArray:
    """Return where each number stands among those chosen, each of them once; -1 where it does not."""
    if not len(chosen):
        return np.full(len(numbers), -1, dtype=np.int64)
    order = np.argsort(chosen)
    place = order[np.minimum(np.searchsorted(chosen, numbers, sorter=order), len(chosen) - 1)]
    return np.where(chosen[place] == numbers, place, -1)


def _united(names: Sequence[Strings]) -> tuple[Strings, list[IntArray]]:
    """Return all names once, and the numbers that each list's names have among them."""
    if all(part == names[0] for part in names[1:]):
        return names[0], [np.arange(len(part)) for part in names]
    index: dict[str, int] = {}
    numbers = [
        np.array([index.setdefault(name, len(index)) for name in part], dtype=np.int64) for part in names
    ]
    return Strings.of(index), numbers


def _first_repeated(key: IntArray) -> int | None:
    """Return the first place whose key was there before."""
    if bool((key[1:] > key[:-1]).all()):
        return None
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    return int(order[twice + 1].min()) if len(twice) else None


def _united_texts(
    corpora: Sequence[Corpus], numbers: Sequence[IntArray], documents: Sequence[str]
) -> tuple[Strings | None, IntArray | None]:
    """Unite the documents' texts; two texts of one document must be the same."""
    lengths = np.zeros(len(documents), dtype=np.int64)
    found: list[tuple[int, Strings]] = []
    owner: dict[int, Strings] = {}
    for corpus, number in zip(corpora, numbers, strict=True):
        if corpus.texts is None or corpus.text_offsets is None:
            continue
        for own in np.flatnonzero(np.diff(corpus.text_offsets)).tolist():
            start, end = corpus.text_offsets[own : own + 2].tolist()
            text, document = corpus.texts[start:end], int(number[own])
            if document not in owner:
                owner[document] = text
                lengths[document] = len(text)
                found.append((document, text))
            elif owner[document] != text:
                raise CorpusError(
                    f"document {short_name(documents[document])}: the merged corpora have different texts "
                    "of it"
                )
    if not found:
        return None, None
    texts = Strings.concatenate([text for _, text in sorted(found, key=lambda pair: pair[0])])
    return texts, offsets_of(lengths)


def _united_units(
    corpora: Sequence[Corpus], numbers: Sequence[IntArray], documents: Sequence[str]
) -> UnitColumns | None:
    """Unite the places of units; those of one document must be the same."""
    if all(corpus.unit_columns is None for corpus in corpora):
        return None
    found: list[Units | None] = [None] * len(documents)
    for corpus, number in zip(corpora, numbers, strict=True):
        for name, units in corpus.spans.items():
            document = int(number[corpus.document_numbers[name]])
            known = found[document]
            if known is not None and known != units:
                raise CorpusError(
                    f"document {short_name(name)}: its units stand at other places in another corpus; "
                    "project one onto the units of the other"
                )
            if known is not None and known.is_grid:
                _check_same_text(name, known.text, units.text)
            found[document] = units if known is None or known.text is None else known
    return UnitColumns.of(found)


def _check_same_text(document: str, one: str | None, other: str | None) -> None:
    """Refuse two running texts of a document that differ where both are known.

    What is in no chunk of a file is a space in its text, or the sign for what is not known.
    """
    if one is None or other is None or one == other:
        return
    mine, theirs = (np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") for text in (one, other))
    is_known = ~(np.isin(mine, UNKNOWN_SIGNS) | np.isin(theirs, UNKNOWN_SIGNS))
    different = np.flatnonzero((mine != theirs) & is_known)
    if len(different):
        place = int(different[0])
        raise CorpusError(
            f"document {short_name(document)}: its texts differ at character {place}: "
            f"{one[place : place + 20]!r} and {other[place : place + 20]!r}"
        )


def _check_types(corpus: Corpus, scheme: TypeScheme) -> None:
    codings = corpus.codings

    def where(boundary: int) -> str:
        return corpus._coding_name(int(codings.coding[boundary]))

    undeclared = set(corpus.ranks) - set(scheme.names)
    if undeclared:
        is_wrong = np.isin(codings.all_types, list(undeclared))
        first = int(np.argmax(is_wrong))
        row = codings.coding[first]
        kind = int(codings.all_types[is_wrong & (codings.coding == row)].min())
        raise CorpusError(
            f"{where(first)}: type {kind} is not among the declared types {', '.join(map(str, scheme.types))}"
        )
    if scheme.ranks and codings.types is not None:
        twice = np.flatnonzero((np.diff(codings.positions) == 0) & (np.diff(codings.coding) == 0))
        if len(twice):
            first = int(twice[0])
            raise CorpusError(
                f"{where(first)}: position {codings.positions[first]} has two ranks; keep the most "
                "prominent, as Hierarchy.from_segmentation does"
            )


def scheme_of_metadata(metadata: Mapping[bytes, bytes] | None) -> TypeScheme | None:
    """Return the type scheme that the metadata of an Arrow table hold; None where they hold none."""
    scheme = (metadata or {}).get(SCHEME_KEY)
    return None if scheme is None else TypeScheme.from_dict(json.loads(scheme))


def record_form(columns: Sequence[str]) -> str:
    """Return the column of a long table that has the segmentation."""
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


def _record_segmentation(form: str, index: Mapping[str, int], row: Sequence[Any]) -> Segmentation:
    value = row[index[form]]
    if form == "gaps":
        if not isinstance(value, str):
            raise SegmentationError(
                f"gaps is {short(value)}: expected text of 0 and 1 (a leading 0 is lost in numbers)"
            )
        return Segmentation.from_gaps(value)
    if form == "masses":
        return Segmentation.from_masses(numbers_of(value, "masses"))
    types = numbers_of(row[index["types"]], "types") if "types" in index else None
    return Segmentation.from_positions(numbers_of(value, "positions"), row[index["n_units"]], types)
