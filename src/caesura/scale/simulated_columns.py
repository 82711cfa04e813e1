"""Artificial corpora of any size: the columns of ``simulate`` straight to Parquet, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import Seed
from caesura.io.finding import PathLike
from caesura.io.layout import GROUPED
from caesura.scale.layout_writer import write_layout
from caesura.scale.rows import coding_arrays, compute, long_fields
from caesura.simulation import Simulation
from caesura.values.arrow import load_pyarrow
from caesura.values.columns import Columns


def write_simulated(
    plan: Simulation, path: PathLike, *, rng: Seed = None, advance: Callable[[int, int], None] | None = None
) -> None:
    """Write what ``simulate`` makes with the same parameters and the same seed, as a Parquet file.

    The file appears whole or not at all. Memory does not grow with the number of documents. ``advance`` is
    called with how many documents are written, and how many there will be.

    >>> import caesura as cs
    >>> from tempfile import TemporaryDirectory
    >>> parameters = dict(n_units=9, mean_segment=3, near_miss=0.1, full_miss=0.1)
    >>> with TemporaryDirectory() as folder:
    ...     write_simulated(Simulation(100, 2, **parameters), f"{folder}/x.parquet", rng=1)
    ...     corpus = cs.read(f"{folder}/x.parquet")
    >>> corpus["d100", "c2"] == cs.simulate(100, 2, **parameters, rng=1)["d100", "c2"]
    True
    """
    pyarrow = load_pyarrow("Parquet needs")
    fields = long_fields()
    if plan.type_scheme is None:
        del fields["types"]
    schema = pyarrow.schema(fields)

    def tables() -> Iterator[Any]:
        n_documents = 0
        for codings in plan.blocks(rng):
            n = len(codings) // len(plan.coders)
            names = _names(pyarrow, n_documents, n)
            yield _table(pyarrow, names, plan.coders, codings).select(schema.names)
            n_documents += n
            if advance is not None:
                advance(n_documents, plan.n_documents)

    write_layout(Path(path), tables(), schema, order=GROUPED, scheme=plan.type_scheme)


def _table(pyarrow: Any, names: Any, coders: tuple[str, ...], codings: Columns) -> Any:
    """Return the rows of a block."""

    def taken(array: Any, which: IntArray) -> Any:
        return array.take(pyarrow.array(which))

    columns = {
        "document": taken(names, np.repeat(np.arange(len(names)), len(coders))),
        "coder": taken(pyarrow.array(coders), np.tile(np.arange(len(coders)), len(names))),
    }
    # Where all types of a block are plain it has none, and its columns must still be those of the others.
    with_types = Columns(codings.n_units, codings.offsets, codings.positions, codings.all_types)
    return pyarrow.table(columns | coding_arrays(pyarrow, with_types))


def _names(pyarrow: Any, before: int, n: int) -> Any:
    """Return the names of the next documents: d1, d2 ..."""
    numbers = pyarrow.array(np.arange(before + 1, before + n + 1)).cast(pyarrow.string())
    return compute().binary_join_element_wise("d", numbers, "")
