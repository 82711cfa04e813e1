"""A Griffe extension: examples in docstrings become code blocks, which Markdown would show as quotes."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^(>>> .*(?:\n(?!\s*$).*)*)", re.MULTILINE)
"""A prompt and all lines up to the next empty one."""

SECTION = re.compile(r"^-{4,}$", re.MULTILINE)
"""The line below a section's title; what follows a section belongs to it until the next title."""


class FencedExamples(griffe.Extension):
    """Marks each run of example lines as code."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of every object that has one."""
        if obj.docstring:
            value = obj.docstring.value
            marked = r"Examples\n--------\n\1" if SECTION.search(value) else r"```pycon\n\1\n```"
            obj.docstring.value = EXAMPLE.sub(marked, value)
