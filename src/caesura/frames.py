"""Columns of numbers and names as a data frame of pandas, polars or another library."""

from __future__ import annotations

from typing import Any

from caesura.errors import missing_extra, missing_package


def make_frame(columns: dict[str, list[Any]], backend: Any) -> Any:
    """Return columns as a native data frame of the backend."""
    try:
        import narwhals
    except ModuleNotFoundError:
        raise missing_extra("data frames need narwhals", "formats") from None
    try:
        return narwhals.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError:
        raise missing_package(f"to_frame needs {backend}", str(backend)) from None
