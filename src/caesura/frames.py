"""Columns of numbers and names as a data frame of pandas, polars or another library."""

from __future__ import annotations

from typing import Any

from caesura.errors import MissingExtraError


def make_frame(columns: dict[str, list[Any]], backend: Any) -> Any:
    """Return columns as a native data frame of the backend."""
    try:
        import narwhals
    except ModuleNotFoundError:
        raise MissingExtraError("data frames need narwhals: pip install 'caesura[formats]'") from None
    try:
        return narwhals.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError:
        raise MissingExtraError(f"to_frame needs {backend}: pip install {backend}") from None
