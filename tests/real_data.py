"""Where the real corpora are that cannot be part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


def data_path(*parts: str) -> Path:
    """Return a path under $CAESURA_DATA, or else ../shared/data; skip the test where it is absent."""
    folder = Path(os.environ.get("CAESURA_DATA") or REPOSITORY.parent / "shared" / "data")
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)}, which is not in {folder}; $CAESURA_DATA names another folder")
    return path
