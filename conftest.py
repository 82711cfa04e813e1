"""Imports the package before anything is collected.

`caesura.agreement` is a function and the package behind it; if pytest imported the package first, for its
doctests, it would put the package in the function's place.
"""

import caesura  # noqa: F401
