"""Imports the package before anything is collected.

`caesura.agreement` is a function and the package behind it; if pytest imported the package first, for its
doctests, it would put the package in the function's place.
"""

import caesura  # noqa: F401

collect_ignore_glob = ["src/caesura/adapters/torchmetrics.py", "src/caesura/adapters/huggingface/*"]
"""Modules that import PyTorch or Hugging Face's libraries: tests/adapters runs them, and their examples."""
