"""The flags of the command line for what Python calls by keywords: messages below are in Python's words."""

from __future__ import annotations

import re

from caesura.io.options import OPTIONS

READING = {
    **{name: f"--{name}" for name in OPTIONS},
    "text": "--text-column",
    "document": "--document-column",
    "coders": "--coder-column",
    "tiers": "--tier",
    "format": "--from",
}
"""What readers are told."""

FLAGS = {
    **READING,
    **{name: f"--{name}" for name in ("form", "memory", "scores", "item", "data")},
    "references": "--reference",
    "segmenters": "--segmenter",
}

CALLS = (
    (re.compile(r"\btypes=True\b"), "--types"),
    (re.compile(r"""corpus\.onto\((['"])(\w+)\1\)"""), r"--units \2"),
    (re.compile(r"hypotheses\.onto\(references\)"), "--units reference"),
    (re.compile(r"corpus\.select\(coders=\[\.\.\.\]\)"), "-c NAME"),
    (re.compile(r"(?<=it as )document="), "--document"),
)

KEYWORD = re.compile(
    rf"""(?<![\w(.'"])({"|".join(FLAGS)})=('[^']*'(?:(?:, | or )'[^']*')*|"[^"]*"|\[[^\]]*\]|)"""
)


def as_flags(message: str) -> str:
    """Return a message with the flags that the command line has for keywords.

    >>> as_flags("gaps='segment' makes segments of them; end= says where, overlap='start' or 'end', too")
    '--gaps segment makes segments of them; --end says where, --overlap start or end, too'
    >>> as_flags("name those to judge by, references=['ann', 'bob'], or use corpus.onto('1s')")
    'name those to judge by, --reference ann --reference bob, or use --units 1s'
    """
    for call, flag in CALLS:
        message = call.sub(flag, message)
    return KEYWORD.sub(_flag, message)


def _flag(keyword: re.Match[str]) -> str:
    flag, value = FLAGS[keyword[1]], keyword[2]
    if not value.startswith("["):
        return f"{flag} {value.replace(value[:1], '')}" if value else flag
    names = re.findall(r"""(['"])(.*?)\1""", value)
    return " ".join(f"{flag} {name}" for _, name in names) or f"{flag} …"
