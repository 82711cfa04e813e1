"""The layout of large files: the long table as Parquet, in row groups that never divide a document.

The file's metadata says under ``caesura.order`` what is known of its rows: ``grouped``, the rows of a
document are together; or ``sorted``, they are, and documents ascend by the UTF-8 bytes of their names, so
that two such files can be read side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.arrays import IntArray
from caesura.values.arrow import load_pyarrow

ORDER_KEY = b"caesura.order"

GROUPED, SORTED = b"grouped", b"sorted"

GROUP_ROWS = 2**18
"""Rows of a row group, but for a document that alone has more."""

GROUP_BYTES = 2**25
"""Bytes of a row group in memory, likewise."""

IN_DICTIONARIES = ("coder", "n_units", "positions.list.element", "types.list.element")
"""Columns of few values; names of documents are nearly all different."""


def load_parquet() -> Any:
    """Return pyarrow with its Parquet module."""
    load_pyarrow("Parquet needs")
    import pyarrow.parquet  # type: ignore[import-untyped]

    return pyarrow


def parquet_writer(sink: Any, schema: Any, order: bytes) -> Any:
    """Return pyarrow's writer of a file of this layout."""
    metadata = {**(schema.metadata or {}), ORDER_KEY: order}
    return load_parquet().parquet.ParquetWriter(
        sink,
        schema.with_metadata(metadata),
        compression="zstd",
        use_dictionary=[name for name in IN_DICTIONARIES if name.split(".")[0] in schema.names],
    )


def row_groups(
    starts: IntArray, n_rows: int, n_bytes: int, group_rows: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the first row of each row group and of what follows it, given where documents begin.

    >>> list(row_groups(np.array([0, 2]), 3, 0))
    [(0, 3)]
    >>> list(row_groups(np.array([0, 2, 4]), 5, 5 * GROUP_BYTES // 3))
    [(0, 2), (2, 5)]
    """
    most = max(1, min(group_rows or GROUP_ROWS, GROUP_BYTES * n_rows // max(1, n_bytes)))
    ends = np.append(starts[1:], n_rows)
    cuts = [0]
    while cuts[-1] < n_rows:
        # The last document that ends within the row group, or else the first that does not.
        fitting = int(np.searchsorted(ends, cuts[-1] + most, side="right")) - 1
        if fitting < 0 or ends[fitting] <= cuts[-1]:
            fitting += 1
        cuts.append(int(ends[fitting]))
    return pairwise(cuts)
