"""Corpora of columns against corpora of dictionaries.

Source of truth: ``Model``, the definition of a corpus written out (document → coder → Segmentation, in the
order of the data), on random corpora. Cost is tested by what is allocated, not by time.
"""

from __future__ import annotations

import copy
import pickle
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import (
    Corpus,
    CorpusError,
    Hierarchy,
    ParameterError,
    Segmentation,
    SegmentationError,
    TypeScheme,
    UnknownNameError,
)
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write
from caesura.values.columns import Columns, check_columns
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings

DOCUMENTS = ["d", "e", "é", "2020-01-01"]
CODERS = ["ann", "bob", "cy"]
RANKS = TypeScheme.of_ranks([1, 2, 3])
NOMINAL = TypeScheme({1: "a", 2: "b", 3: "c"}, nominal=True)


@dataclass
class Model:
    """A corpus as dictionaries."""

    codings: dict[str, dict[str, Segmentation]]
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scheme: TypeScheme | None = None

    def corpus(self) -> Corpus:
        return Corpus.from_dict(self.codings, units=self.units, type_scheme=self.scheme)

    @property
    def coders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(coder for coded in self.codings.values() for coder in coded))

    def mapped(self, change: Callable[[Segmentation], Segmentation]) -> dict[str, dict[str, Segmentation]]:
        return {d: {c: change(one) for c, one in coded.items()} for d, coded in self.codings.items()}


def assert_is(corpus: Corpus, model: Model) -> None:
    """Everything that can be looked at is what the dictionaries hold, in their order."""
    assert corpus.documents == tuple(model.codings)
    assert corpus.coders == model.coders
    rows = [(d, c, one) for d, coded in model.codings.items() for c, one in coded.items()]
    assert list(corpus) == rows
    assert corpus.n_codings == len(corpus) == len(rows)
    assert corpus.segmentations() == model.codings
    assert dict(corpus.units) == model.units
    assert len(corpus.units) == len(model.units)
    assert corpus.type_scheme == model.scheme
    assert corpus.document.tolist() == sorted(corpus.document.tolist())
    assert corpus.starts.tolist() == [0, *np.cumsum([len(coded) for coded in model.codings.values()])]
    for document, coded in model.codings.items():
        assert list(corpus[document].items()) == list(coded.items())
        assert (document in corpus.units) == (document in model.units)
        for coder, one in coded.items():
            assert corpus[document, coder] == one
            assert corpus.n_units(document) == one.n_units


@st.composite
def segmentations(draw, n_units: int, kinds: list[int], *, several: bool) -> Segmentation:
    if n_units == 1:
        return Segmentation.from_masses([1])
    places = st.integers(1, n_units - 1)
    if several:
        pairs = sorted(draw(st.sets(st.tuples(places, st.sampled_from(kinds)), max_size=5)))
    else:
        pairs = sorted(draw(st.dictionaries(places, st.sampled_from(kinds), max_size=5)).items())
    return Segmentation.from_positions([p for p, _ in pairs], n_units, [t for _, t in pairs])


@st.composite
def models(draw, documents: list[str] = DOCUMENTS, coders: list[str] = CODERS, min_size: int = 0) -> Model:
    """Random corpora; lengths and texts depend on the document's name, so that any two can be merged."""
    scheme = draw(st.sampled_from([None, None, RANKS, NOMINAL]))
    kinds = draw(st.sampled_from([[1], [1, 2, 3]]))
    codings, units = {}, {}
    for document in draw(st.lists(st.sampled_from(documents), unique=True, min_size=min_size)):
        n_units = 1 + 3 * DOCUMENTS.index(document)
        codings[document] = {
            coder: draw(segmentations(n_units, kinds, several=scheme is not RANKS))
            for coder in draw(st.lists(st.sampled_from(coders), unique=True, min_size=1))
        }
        if draw(st.booleans()):
            units[document] = tuple(f"{document} {i}" * (i % 3) for i in range(n_units))
    return Model(codings, units, scheme)


# -------------------------------------------------------------------- parts


@given(models())
def test_from_dict_keeps_everything_in_order(model):
    assert_is(model.corpus(), model)


@given(models(min_size=1), st.data())
def test_select_is_the_part_in_the_order_asked_for(model, data):
    corpus = model.corpus()
    documents = data.draw(st.none() | st.lists(st.sampled_from(corpus.documents), unique=True))
    coders = data.draw(st.none() | st.lists(st.sampled_from(corpus.coders), unique=True))
    codings = {}
    for document in corpus.documents if documents is None else documents:
        coded = model.codings[document]
        part = coded if coders is None else {coder: coded[coder] for coder in coders if coder in coded}
        if part:
            codings[document] = part
    units = {document: text for document, text in model.units.items() if document in codings}
    units = {document: units[document] for document in codings if document in units}
    assert_is(corpus.select(documents=documents, coders=coders), Model(codings, units, model.scheme))


def test_select_of_nothing_and_of_unknown_names():
    corpus = Corpus.from_dict({"d": {"ann": [2, 3]}}, units={"d": "abcde"})
    for part in (corpus.select(documents=[]), corpus.select(coders=[]), Corpus.from_dict({}), Corpus.merge()):
        assert_is(part, Model({}))
        assert part == Corpus.from_dict({})
        assert part.groups() == []
        assert_is(part.select(coders=[]), Model({}))
    for wrong in ({"documents": ["x"]}, {"coders": ["x"]}):
        with pytest.raises(UnknownNameError, match="unknown"):
            corpus.select(**wrong)


@given(models(), st.data())
def test_merge_is_the_union(model, data):
    """The same corpus, taken apart in any way."""
    keys = [(d, c) for d, coded in model.codings.items() for c in coded]
    owners = [data.draw(st.integers(0, 2)) for _ in keys]
    parts = []
    for owner in range(3):
        codings: dict[str, dict[str, Segmentation]] = {}
        for (document, coder), who in zip(keys, owners, strict=True):
            if who == owner:
                codings.setdefault(document, {})[coder] = model.codings[document][coder]
        units = {document: model.units[document] for document in codings if document in model.units}
        parts.append(Model(codings, units, model.scheme))
    merged: dict[str, dict[str, Segmentation]] = {}
    for part in parts:
        for document, coded in part.codings.items():
            merged.setdefault(document, {}).update(coded)
    units = {document: model.units[document] for document in merged if document in model.units}
    found = Corpus.merge(*(part.corpus() for part in parts))
    assert_is(found, Model(merged, units, model.scheme))
    assert found == model.corpus()


@pytest.mark.parametrize(
    ("other", "fault"),
    [
        (Corpus.from_dict({"d": {"ann": [5]}}), "document d: two of the merged corpora have coder ann"),
        (Corpus.from_dict({"d": {"bob": [6]}}), "document d: coder bob has 6 units where coder ann has 5"),
        (Corpus.from_dict({"d": {"bob": [5]}}, units={"d": "abcdX"}), "document d: .* different texts"),
        (Corpus.from_dict({"e": {"bob": [5]}}, type_scheme=NOMINAL), "declared differently"),
    ],
)
def test_what_cannot_be_merged(other, fault):
    one = Corpus.from_dict({"d": {"ann": [2, 3]}}, units={"d": "abcde"}, type_scheme=TypeScheme({1: "x"}))
    with pytest.raises(CorpusError, match=fault):
        Corpus.merge(one, other)


@given(models())
def test_groups_are_the_documents_of_the_same_coders(model):
    corpus = model.corpus()
    by_coders: dict[frozenset[str], list[str]] = {}
    for document, coded in model.codings.items():
        by_coders.setdefault(frozenset(coded), []).append(document)
    groups = corpus.groups()
    if not by_coders:
        return
    assert [group.documents for group in groups] == [tuple(documents) for documents in by_coders.values()]
    for group, documents in zip(groups, by_coders.values(), strict=True):
        codings = {document: model.codings[document] for document in documents}
        units = {document: model.units[document] for document in documents if document in model.units}
        assert_is(group, Model(codings, units, model.scheme))
    for group, found in zip(groups, corpus.find_groups(), strict=True):
        assert {corpus.coders[number] for number in found.coders} == set(group.coders)
        assert found.rows.shape == (len(group.documents), len(group.coders))


def up_to(rank: int) -> Callable[[Segmentation], Segmentation]:
    return lambda one: Segmentation.from_positions(
        sorted({position for position, kind in one.boundaries if kind <= rank}), one.n_units
    )


@given(models(), st.integers(1, 4))
def test_levels_are_the_boundaries_of_this_rank_and_above(model, rank):
    corpus = model.corpus()
    if model.scheme is not RANKS:
        with pytest.raises(CorpusError, match="no levels"):
            corpus.level(rank)
        return
    assert_is(corpus.level(rank), Model(model.mapped(up_to(rank)), model.units))
    with pytest.raises(ParameterError):
        corpus.level(0)


def most_prominent(one: Segmentation) -> Segmentation:
    least: dict[int, int] = {}
    for position, kind in one.boundaries:
        least[position] = min(kind, least.get(position, kind))
    return Segmentation.from_positions(list(least), one.n_units, list(least.values()))


@given(models())
def test_types_as_hierarchies_keep_the_most_prominent(model):
    corpus = model.corpus()
    if model.scheme is NOMINAL:
        with pytest.raises(CorpusError, match="no levels"):
            corpus.as_hierarchies()
    elif model.scheme is RANKS:
        assert corpus.as_hierarchies() is corpus
    else:
        codings = model.mapped(most_prominent)
        ranks = {kind for coded in codings.values() for one in coded.values() for _, kind in one.boundaries}
        assert_is(corpus.as_hierarchies(), Model(codings, model.units, TypeScheme.of_ranks(ranks)))


def test_types_below_one_are_no_ranks():
    wrong = Segmentation.from_positions([1, 2], 4, [1, 0])
    with pytest.raises(SegmentationError, match="document d: coder ann: a type below 1 is not a rank"):
        Corpus.from_dict({"d": {"ann": wrong}}).as_hierarchies()


# -------------------------------------------------------------------- copies


@given(models(min_size=1), st.data())
def test_equal_in_whatever_order_and_not_if_anything_differs(model, data):
    corpus = model.corpus()
    assert corpus.select(documents=corpus.documents[::-1], coders=corpus.coders[::-1]) == corpus
    document = data.draw(st.sampled_from(corpus.documents))
    texts = dict(model.units)
    texts[document] = tuple(f"{text}!" for text in texts.get(document, "x" * corpus.n_units(document)))
    coder = data.draw(st.sampled_from(list(model.codings[document])))
    codings = {
        **model.codings,
        document: {**model.codings[document], f"{coder} 2": [corpus.n_units(document)]},
    }
    for other in (
        corpus.with_texts(texts),
        Model(codings, model.units, model.scheme).corpus(),
        corpus.rename({coder: "another"}),
        corpus.rename(documents={document: "another"}),
        corpus.with_metadata({"source": "x"}),
        corpus.with_type_scheme(TypeScheme({1: "x", 2: "y", 3: "z"})),
        corpus.select(documents=corpus.documents[1:]),
        0,
    ):
        assert corpus != other


@given(models(), st.sampled_from([{}, {"source": "x", "notices": ("a", "b")}]))
def test_pickled_and_copied_corpora_are_equal(model, metadata):
    corpus = model.corpus().with_metadata(metadata)
    part = corpus.select(documents=corpus.documents[1:])
    for original in (corpus, part):
        _ = original.documents, original.coder_numbers, original.starts  # what is kept must not matter
        for again in (
            *(pickle.loads(pickle.dumps(original, protocol)) for protocol in (2, 5)),
            copy.deepcopy(original),
            copy.copy(original),
        ):
            assert again == original
            assert again.metadata == metadata
            assert_is(again, Model(original.segmentations(), dict(original.units), original.type_scheme))


def test_a_part_is_pickled_without_the_rest():
    units = {f"d{i}": ["text " * 50] * 5 for i in range(1000)}
    corpus = Corpus.from_dict({name: {"ann": [2, 3]} for name in units}, units=units)
    assert len(pickle.dumps(corpus.select(documents=["d7"]))) < 10_000


def test_hierarchies_are_pickled():
    corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], 6]), "bob": [5, 6]}})
    assert pickle.loads(pickle.dumps(corpus)) == copy.deepcopy(corpus) == corpus
    assert copy.deepcopy(corpus).is_hierarchical


# -------------------------------------------------------------------- Arrow


@given(models(min_size=1))
def test_arrow_and_back(model):
    corpus = model.corpus()
    table = corpus.to_arrow()
    assert_is(Corpus.from_arrow(table), model)
    table.validate(full=True)
    assert table["document"].to_pylist() == [document for document, _, _ in corpus]
    assert table["positions"].to_pylist() == [one.boundary_positions.tolist() for _, _, one in corpus]
    assert_is(Corpus.from_arrow(corpus.select(documents=corpus.documents[-1:]).to_arrow()), Model(
        {corpus.documents[-1]: model.codings[corpus.documents[-1]]},
        {d: text for d, text in model.units.items() if d == corpus.documents[-1]},
        model.scheme,
    ))  # fmt: skip


def test_arrow_shares_memory():
    corpus = Corpus.from_dict(
        {f"d{i}": {"ann": [2, 3, 4], "bob": [4, 5]} for i in range(100)}, units={"d5": "abcdefghi"}
    )
    again = Corpus.from_arrow(corpus.to_arrow())
    for name in ("n_units", "positions"):
        assert np.shares_memory(getattr(corpus.codings, name), getattr(again.codings, name))
    assert corpus.texts is not None
    assert again.texts is not None
    assert np.shares_memory(corpus.texts.strings.data, again.texts.strings.data)


@given(models(min_size=1), st.data())
def test_rows_of_a_table_in_any_order(model, data):
    """A document's rows need not stand together; documents and coders are in the order of the rows."""
    rows = [(d, c, one) for d, coded in model.codings.items() for c, one in coded.items()]
    rows = data.draw(st.permutations(rows))
    codings: dict[str, dict[str, Segmentation]] = {}
    for document, coder, one in rows:
        codings.setdefault(document, {})[coder] = one
    table = {
        "document": pa.array([document for document, _, _ in rows], pa.string()),
        "coder": pa.array([coder for _, coder, _ in rows], pa.string()),
        "n_units": [one.n_units for _, _, one in rows],
        "positions": pa.array([one.boundary_positions.tolist() for _, _, one in rows], pa.list_(pa.int32())),
        "types": pa.array([one.boundary_types.tolist() for _, _, one in rows], pa.list_(pa.int8())),
    }
    n_pieces = data.draw(st.integers(1, 3))
    for name in ("document", "coder"):
        if data.draw(st.booleans()):  # names as numbers, in another order than that of the rows
            values = sorted({*table[name].to_pylist(), "nobody"}, reverse=data.draw(st.booleans()))
            indices = [values.index(value) for value in table[name].to_pylist()]
            table[name] = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int16()), values)
    whole = pa.table(table)
    cuts = [i * len(rows) // n_pieces for i in range(n_pieces + 1)]
    pieces = pa.concat_tables([whole.slice(start, end - start) for start, end in pairwise(cuts)])
    assert_is(Corpus.from_arrow(pieces), Model(codings))


@given(models(min_size=1), st.sampled_from(["masses", "gaps", "positions"]))
def test_every_form_of_a_table(model, form):
    plain = Model(model.mapped(up_to(9)))
    rows = list(plain.corpus())
    table = {"Document": [d for d, _, _ in rows], " coder": [c for _, c, _ in rows]}
    if form == "gaps":
        table["gaps"] = [one.to_gaps() for _, _, one in rows]
    elif form == "masses":
        table["masses"] = [list(one.masses) for _, _, one in rows]
    else:
        table["positions"] = pa.array([list(one.positions) for _, _, one in rows], pa.large_list(pa.uint16()))
        table["n_units"] = pa.array([one.n_units for _, _, one in rows], pa.uint8())
    assert_is(Corpus.from_arrow(pa.table(table)), plain)


def test_names_that_stand_twice_in_a_dictionary_are_one():
    names = pa.DictionaryArray.from_arrays([0, 1], ["d", "d"])
    table = pa.table({"document": names, "coder": ["ann", "bob"], "masses": [[2, 3], [5]]})
    assert Corpus.from_arrow(table).to_dict() == {"d": {"ann": [2, 3], "bob": [5]}}


TABLE = {"document": ["d", "d"], "coder": ["a", "b"]}
WRONG_TABLES = {
    "nothing": ({}, "no column 'document'"),
    "no segmentation": (TABLE, "no column masses, gaps, positions"),
    "no n_units": ({**TABLE, "positions": [[1], [2]]}, "needs a column 'n_units'"),
    "unsorted": ({**TABLE, "n_units": [5, 5], "positions": [[1], [3, 2]]}, r"row 2: .* b: positions\[1\]"),
    "outside": ({**TABLE, "n_units": [5, 5], "positions": [[1], [5]]}, r"row 2: .*: positions\[0\] is 5"),
    "no unit": ({**TABLE, "n_units": [0, 5], "positions": [[], [1]]}, "row 1: .*: n_units is 0"),
    "mass 0": ({**TABLE, "masses": [[2], [2, 0]]}, r"row 2: .*: masses\[1\] is 0"),
    "gaps": ({**TABLE, "gaps": ["01", "0x"]}, r"row 2: .*: gaps\[1\] is 'x'"),
    "a type twice": (
        {**TABLE, "n_units": [5, 5], "positions": [[1], [2, 2]], "types": [[1], [3, 3]]},
        "row 2: .*: position 2 has type 3 twice",
    ),
    "too few types": (
        {**TABLE, "n_units": [5, 5], "positions": [[1], [2, 3]], "types": [[1], [3]]},
        "row 2: .*: 2 positions but 1 types",
    ),
    "a coding twice": ({**TABLE, "coder": ["a"] * 2, "masses": [[2], [2]]}, "row 2: .*: coder a is there"),
    "other lengths": ({**TABLE, "masses": [[2], [3]]}, "document d: coder b has 3 units where coder a has 2"),
    "no name": ({**TABLE, "coder": ["a", None], "masses": [[2], [3]]}, "row 2: the coder is missing"),
    "the first fault counts": (
        {"document": ["d", "d", "e"], "coder": ["a", "a", "a"], "masses": [[2], [2], [0]]},
        "row 2: document d: coder a is there twice",
    ),
    "large": (
        {**TABLE, "n_units": pa.array([2**63, 5], pa.uint64()), "positions": [[1], [2]]},
        r"row 1: .*2\*\*53",
    ),
    "huge types": (
        {**TABLE, "n_units": [5, 5], "positions": [[1], [2]], "types": [[1], [-(2**63)]]},
        r"row 2: .*: types\[0\]",
    ),
    "far from ascending": (
        {**TABLE, "n_units": [5, 5], "positions": [[1], [2**63 - 1, -(2**63)]]},
        r"row 2: .*: positions\[0\]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_what_is_wrong_with_a_table(case):
    columns, fault = WRONG_TABLES[case]
    with pytest.raises(CorpusError, match=fault) as error:
        Corpus.from_arrow(pa.table(columns))
    assert len(str(error.value).splitlines()) == 1
    if case != "large":
        frames = [pl.DataFrame(pa.table(columns)), pa.table(columns).to_pandas()]
        for frame in frames:
            with pytest.raises(CorpusError, match=fault):
                Corpus.from_frame(frame)


@pytest.mark.parametrize(
    ("units", "fault"),
    [
        (["ab", None], "document d: units is 'ab': expected a list of texts"),
        ([[1, 2], None], r"document d: units is \[1, 2\]: expected a list of texts"),
        ([["a", None], None], r"document d: units is \['a', None\]: expected a list of texts"),
        ([["a"], None], "document d: the text has 1 units where coder a has 2"),
        ([[], None], "document d: the text has 0 units where coder a has 2"),
        ([["a", "b"], ["a", "c"]], "document d: its units differ between rows"),
        ([["a", "b"], ["a"]], "document d: its units differ between rows"),
    ],
)
def test_what_is_wrong_with_texts_in_a_table(units, fault):
    table = pa.table({**TABLE, "masses": [[2], [1, 1]], "units": units})
    with pytest.raises(CorpusError, match=fault):
        Corpus.from_arrow(table)


def test_texts_on_any_row_of_a_table():
    table = {
        "document": ["e", "d", "e", "d", "f"],
        "coder": ["a", "a", "b", "b", "a"],
        "masses": [[1], [2], [1], [2], [1]],
        "units": [None, ["x", ""], ["é"], ["x", ""], None],
    }
    corpus = Corpus.from_arrow(pa.table(table))
    assert dict(corpus.units) == {"e": ("é",), "d": ("x", "")}
    assert corpus.documents == ("e", "d", "f")
    in_pieces = pa.concat_tables([pa.table(table).slice(i, 1) for i in range(5)])
    assert Corpus.from_arrow(in_pieces) == corpus


def test_texts_behind_a_missing_list_do_not_count():
    """Arrow lets a cell that is missing have a length."""
    texts = pa.array(["a", "b", "x", "y", "c", "d"])
    missing = pa.array([False, True, False])
    units = pa.LargeListArray.from_arrays(pa.array([0, 2, 4, 6]), texts, mask=missing)
    table = pa.table(
        {"document": ["d", "d", "e"], "coder": ["a", "b", "a"], "masses": [[2], [2], [2]], "units": units}
    )
    assert dict(Corpus.from_arrow(table).units) == {"d": ("a", "b"), "e": ("c", "d")}
    assert dict(Corpus.from_arrow(table.slice(1)).units) == {"e": ("c", "d")}


# -------------------------------------------------------------------- data frames


@given(
    models(min_size=1),
    st.sampled_from(["masses", "positions", "types", "gaps", "text", "numbers"]),
    st.data(),
)
def test_frames_are_read_as_their_rows_are(model, form, data):
    codings = model.codings if form == "types" else model.mapped(up_to(9))
    rows = data.draw(
        st.permutations([(d, c, one) for d, coded in codings.items() for c, one in coded.items()])
    )
    columns: dict[str, list[object]] = {"document": [d for d, _, _ in rows], "coder": [c for _, c, _ in rows]}
    if form in ("masses", "numbers"):
        columns["masses"] = [list(one.masses) for _, _, one in rows]
    elif form == "text":
        columns["masses"] = [" ".join(map(str, one.masses)) for _, _, one in rows]
    elif form == "gaps":
        columns["gaps"] = [one.to_gaps() for _, _, one in rows]
    else:
        columns["n_units"] = [one.n_units for _, _, one in rows]
        columns["positions"] = [one.boundary_positions.tolist() for _, _, one in rows]
    if form == "types":
        columns["types"] = [one.boundary_types.tolist() for _, _, one in rows]
    if form == "numbers":
        columns["document"] = [DOCUMENTS.index(str(document)) for document in columns["document"]]
    expected = Corpus.from_records(list(columns), zip(*columns.values(), strict=True))
    assert {str(document) for document in columns["document"]} == set(expected.documents)
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        found = Corpus.from_frame(frame)
        assert_is(found, Model(expected.segmentations()))


def test_frames_without_pyarrow(monkeypatch):
    frame = pd.DataFrame({"document": ["d", "d"], "coder": ["a", "b"], "masses": [[2, 3], [5]]})
    expected = Corpus.from_frame(frame)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert Corpus.from_frame(frame) == expected


def test_categories_are_in_the_order_of_the_rows():
    frame = pd.DataFrame({"document": ["z", "a"], "coder": ["y", "b"], "masses": [[2], [3]]})
    for names in ("document", "coder"):
        frame[names] = frame[names].astype("category")
    assert Corpus.from_frame(frame).documents == ("z", "a")
    assert Corpus.from_frame(frame).coders == ("y", "b")


# -------------------------------------------------------------------- columns and strings


any_boundary = st.tuples(st.integers(-1, 6), st.sampled_from([1, 2, 2**60]))


@given(st.lists(st.tuples(st.integers(-1, 6), st.lists(any_boundary))), st.booleans())
def test_columns_are_checked_as_segmentations_are(codings, typed):
    """Of any numbers, the fault is the first that reading them one by one finds."""
    sizes = np.array([0, *(len(pairs) for _, pairs in codings)])
    columns = Columns(
        np.array([n_units for n_units, _ in codings], dtype=np.int64),
        np.cumsum(sizes),
        np.array([p for _, pairs in codings for p, _ in pairs], dtype=np.int64),
        np.array([t for _, pairs in codings for _, t in pairs], dtype=np.int64) if typed else None,
    )
    expected = []
    fault = None
    for row, (n_units, pairs) in enumerate(codings):
        types = [t for _, t in pairs] if typed else None
        try:
            expected.append(Segmentation.from_positions([p for p, _ in pairs], n_units, types))
        except SegmentationError as error:
            fault = f"row {row}: {error}"
            break
    if fault is not None:
        with pytest.raises(CorpusError) as error:
            check_columns(columns, lambda row: f"row {row}")
        assert str(error.value) == fault
    else:
        checked = check_columns(columns, lambda row: f"row {row}")
        assert [checked.segmentation(i) for i in range(len(checked))] == expected


@given(st.lists(st.text(max_size=200)), st.data())
def test_strings_are_a_list_of_texts(texts, data):
    strings = Strings.of(texts)
    assert list(strings) == texts
    start, end = data.draw(st.integers(-3, 9)), data.draw(st.integers(-3, 9))
    assert list(strings[start:end]) == texts[start:end]
    indices = data.draw(st.lists(st.integers(0, len(texts) - 1))) if texts else []
    taken = strings.take(np.array(indices, dtype=np.int64))
    assert list(taken) == [texts[i] for i in indices]
    assert list(Strings.concatenate([taken, strings[start:end], strings])) == [
        *taken,
        *texts[start:end],
        *texts,
    ]
    assert pickle.loads(pickle.dumps(taken)) == taken == copy.deepcopy(taken)
    assert (strings == taken) == (texts == list(taken))


# -------------------------------------------------------------------- cost


def many(n_documents: int, *, n_coders: int = 3, texts: bool = False) -> Corpus:
    """Documents of 54 units with five boundaries in each coding."""
    n = n_documents * n_coders
    columns = CorpusColumns(
        Columns(np.full(n, 54), np.arange(n + 1) * 5, np.tile(np.array([5, 9, 20, 30, 53]), n)),
        np.repeat(np.arange(n_documents), n_coders),
        np.tile(np.arange(n_coders), n_documents),
        Strings.of(f"document {i}" for i in range(n_documents)),
        Strings.of(f"coder {i}" for i in range(n_coders)),
    )
    corpus = Corpus.from_columns(columns)
    if texts:
        corpus = corpus.with_texts({name: ["some text"] * 54 for name in corpus.documents})
    return corpus


def test_a_coding_of_five_boundaries_takes_less_than_200_bytes():
    corpus = many(10_000)
    for found in (corpus, Corpus.from_arrow(corpus.to_arrow()), Corpus.from_dict(corpus.segmentations())):
        arrays = (found.document, found.coder, found.codings.n_units, found.codings.offsets)
        size = sum(array.nbytes for array in (*arrays, found.codings.positions))
        for names in (found.document_names, found.coder_names):
            size += names.data.nbytes + names.offsets.nbytes
        assert found.codings.types is None
        assert size / len(found) <= 200


def peak(function: Callable[[], object]) -> int:
    """Return the bytes that were allocated at most, at one time."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_part_costs_what_it_holds_and_not_what_there_is():
    corpus = many(20_000, texts=True)
    last = corpus.documents[-1]
    assert corpus.texts is not None
    coder = corpus.coders[1]
    parts: dict[str, Callable[[], object]] = {
        "a document": lambda: corpus.select(documents=[last]),
        "a coding": lambda: corpus.select(documents=[last], coders=[coder]),
        "its codings": lambda: corpus[last],
        "its text": lambda: corpus.units[last],
        "whether there is one": lambda: last in corpus.units,
        "rows": lambda: corpus.take(np.arange(6)),
    }
    for what, part in parts.items():
        part()  # look-ups are made once
        assert peak(part) < 20_000, what  # an array of a number per document has 160,000 bytes
    crowd = many(2, n_coders=20_000)
    crowd.select(coders=[crowd.coders[5]])
    assert peak(lambda: crowd.select(coders=[crowd.coders[7]])) < 20_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["choi", "haps", "markdown", "marked", "labels", "wiki727", "segeval-tsv"])
def test_folders_are_written_part_by_part(tmp_path: Path, monkeypatch, name):
    """Nothing of the length of the corpus is made for each of its files."""
    n_documents = 300
    codings = {
        f"d{i}": {"reference": Hierarchy.from_ranks({2: 1, 3: 2}, n_units=5)} for i in range(n_documents)
    }
    if FORMATS[name].keeps.isdisjoint({"ranks", "types"}):
        codings = {document: {"reference": [2, 3]} for document in codings}
    corpus = Corpus.from_dict(
        codings, units={document: [f"unit {i}" for i in range(5)] for document in codings}
    )
    handled = []
    take, select = Corpus.take, Corpus.select
    monkeypatch.setattr(Corpus, "take", lambda self, *rows: handled.append(len(rows[0])) or take(self, *rows))
    monkeypatch.setattr(Corpus, "select", lambda self, **options: pytest.fail("names are looked up"))
    write(corpus, tmp_path / "out", name)
    assert handled == [1] * n_documents
    monkeypatch.setattr(Corpus, "select", select)
    merges = []
    merge = Corpus.merge
    monkeypatch.setattr(Corpus, "merge", lambda *parts: merges.append(len(parts)) or merge(*parts))
    found = read(tmp_path / "out", name)
    assert merges == [n_documents]
    assert found.documents == corpus.documents
    assert found.segmentations() == corpus.segmentations()


def test_unknown_names_among_many_give_a_short_message():
    corpus = many(100_000)
    for look in (
        lambda: corpus["document 1OO"],
        lambda: corpus.n_units("x" * 10**6),
        lambda: corpus.select(documents=["nothing like it"]),
        lambda: corpus.select(coders=["nobody"]),
        lambda: corpus["document 7", "nobody"],
        lambda: corpus.rename(documents={"another": "one"}),
    ):
        with pytest.raises(UnknownNameError) as error:
            look()
        assert len(str(error.value)) < 700


def test_long_names_are_cut_in_messages():
    name = "x" * 10**6
    one = Corpus.from_dict({name: {name: [1, 1]}})
    for make in (
        lambda: Corpus.from_dict({name: {name: [0]}}),
        lambda: Corpus.from_dict({name: {name: [2], "b": [3]}}),
        lambda: Corpus.from_dict({name: {}}),
        lambda: Corpus.from_dict({name: [2]}),
        lambda: Corpus.from_dict({name: {name: [2]}}, units={name: ["a"]}),
        lambda: one.with_type_scheme(TypeScheme({2: "x"})),
        lambda: one.with_texts({name: ["a"]}),
        lambda: Corpus.merge(one, one),
        lambda: Corpus.merge(one, Corpus.from_dict({name: {"b": [3]}})),
        lambda: Corpus.from_records(["document", "coder", "masses"], [[name, name, [2]], [name, name, [2]]]),
        lambda: Corpus.from_arrow(pa.table({"document": [name], "coder": [name], "masses": [[0]]})),
        lambda: Corpus.from_dict({"d": {name: [2], "b": [2]}}).rename({"b": name}),
    ):
        with pytest.raises(CorpusError) as error:
            make()
        assert len(str(error.value)) < 500


# -------------------------------------------------------------------- details


def test_details_are_a_value_for_each_coding():
    corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [5]}})
    for details, expected in (
        ({"seconds": [1]}, "seconds has 1 values for 2 codings"),
        ({"coder": [1, 2]}, "every corpus has a column coder"),
    ):
        with pytest.raises(CorpusError, match=expected):
            corpus.with_details(details)
    with_details = corpus.with_details({"titles": [["a", "b"], None]})
    for backend in ("pandas", "polars"):
        frame = with_details.to_frame(backend)
        assert list(frame["titles"])[1] is None
        assert list(next(iter(frame["titles"]))) == ["a", "b"]
    assert pickle.loads(pickle.dumps(with_details)) == with_details


def test_what_was_said_of_segments_is_not_said_of_others():
    """On other units, or on one level, there are other segments."""
    hierarchy = Hierarchy.from_nested([[2, 3], [6]])
    corpus = Corpus.from_dict({"d": {"ann": hierarchy}}).with_details({"titles": [["a", "b", "c"]]})
    assert corpus.level(1).details == {}
    assert corpus.rename({"ann": "bob"}).details == corpus.details


def test_a_corpus_merges_with_others() -> None:
    ann, bob = (Corpus.from_dict({"d": {coder: [2, 3]}}) for coder in ("ann", "bob"))
    both = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [2, 3]}})
    assert ann.merge(bob) == Corpus.merge(ann, bob) == both
    assert ann.merge() == ann
