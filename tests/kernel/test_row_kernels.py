"""Kernels of rows: compiled and readable ones give what a corpus takes row by row."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError
from caesura.kernel import resampling_python, rows, rows_python
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings, offsets_of

KERNELS = pytest.mark.parametrize("kernel", [rows_python, rows], ids=["python", "native"])
EXTREMES = [-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1]

NAMES = st.lists(st.text(alphabet="a9é\0", min_size=0, max_size=3), max_size=12)


# -------------------------------------------------------------------- names


@KERNELS
@given(names=NAMES)
def test_each_name_once_for_the_rows_on_which_it_follows_itself(kernel, names):
    strings = Strings.of(names)
    runs = kernel.name_runs(strings.data, strings.offsets)
    kept = [name for name, _ in groupby(names)]
    lengths = [len(list(same)) for _, same in groupby(names)]
    assert list(Strings(runs.data, runs.offsets)) == kept
    assert runs.starts.tolist() == [0, *np.cumsum(lengths).tolist()]
    assert runs.hashes.tolist() == resampling_python.hash_names(runs.data, runs.offsets).tolist()
    encoded = [name.encode() for name in kept]
    assert runs.ascends == (encoded == sorted(set(encoded)))
    assert runs.counts_up == (encoded == sorted(set(encoded), key=lambda name: (len(name), name)))


@KERNELS
def test_names_from_the_middle_of_a_buffer(kernel):
    """A slice of an Arrow array has offsets that do not start at 0."""
    strings = Strings.of(["x", "d9", "d9", "d10", "y"])
    runs = kernel.name_runs(strings.data, strings.offsets[1:5])
    assert list(Strings(runs.data, runs.offsets)) == ["d9", "d10"]
    assert (runs.starts.tolist(), runs.ascends, runs.counts_up) == ([0, 2, 3], False, True)


# -------------------------------------------------------------------- codings


@st.composite
def tables(draw):
    """Return documents of rows: coders, units and positions that are often fine."""
    documents = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    n_rows = sum(documents)
    coder = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    numbers = st.one_of(st.integers(1, 6), st.sampled_from(EXTREMES)) if draw(st.booleans()) else st.just(6)
    n_units = draw(st.lists(numbers, min_size=n_rows, max_size=n_rows))
    places = (
        st.one_of(st.integers(1, 6), st.sampled_from(EXTREMES)) if draw(st.booleans()) else st.integers(1, 5)
    )
    several = st.lists(places, max_size=3)
    if draw(st.booleans()):
        several = several.map(lambda found: sorted(set(found)))
    positions = draw(st.lists(several, min_size=n_rows, max_size=n_rows))
    return documents, coder, n_units, positions


@KERNELS
@given(table=tables())
def test_codings_fit_if_a_corpus_takes_them(kernel, table):
    documents, coder, n_units, positions = table
    columns = Columns(
        np.array(n_units, dtype=np.int64),
        offsets_of(np.array([len(row) for row in positions])),
        np.array([place for row in positions for place in row], dtype=np.int64),
    )
    numbers = np.array(coder, dtype=np.int64)
    starts = offsets_of(np.array(documents))
    arrays = columns.n_units, columns.offsets, columns.positions
    fits = kernel.codings_fit(starts, numbers, 3, *arrays, MAX_NUMBER)
    document = np.repeat(np.arange(len(documents)), documents)
    names = Strings.of(f"d{number}" for number in range(len(documents))), Strings.of("abc")
    try:
        Corpus.from_columns(CorpusColumns(columns, document, numbers, *names))
    except CorpusError:
        assert not fits
    else:
        assert fits
