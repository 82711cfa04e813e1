"""The metrics inside other libraries: scikit-learn, Hugging Face evaluate, torchmetrics; one module each."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from caesura.errors import missing_extra

__all__ = ["huggingface_module_path"]


def huggingface_module_path() -> str:
    """Return what ``evaluate.load`` loads, without network: a file of the installed package.

    The configuration is a metric: ``evaluate.load(huggingface_module_path(), "B(n_t=2)")``.

    >>> Path(huggingface_module_path()).name
    'segmentation.py'
    """
    if find_spec("evaluate") is None:
        raise missing_extra("this adapter needs Hugging Face's evaluate", "huggingface")
    return str(Path(__file__).parent / "huggingface" / "segmentation.py")
