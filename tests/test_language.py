"""The language of everything that people read: plain negation, no antiquated pronouns, no word twice.

Source of truth: the lists below; spelling and style are for codespell and proselint, in ``make lint``.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PROSE = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
SOURCES = sorted(
    path
    for extension in ("py", "pyi", "pyx", "js", "html")
    for path in (REPOSITORY / "src").rglob(f"*.{extension}")
)

AWKWARD = re.compile(
    r"\b(?:whoever|whom|nobody|everybody|seldom)\b|\bof one's own\b"
    r"|(?<!\bthere )\b(?:is|are) no\b(?! longer| more than)",
    re.IGNORECASE,
)
"""Write "anyone who", "no one", "rarely"; "is not a segment" rather than "is no segment"."""

TWICE = re.compile(r"\b([a-z]+)\s+\1\b", re.IGNORECASE)
FENCED = re.compile(r"^```.*?^```$|`[^`\n]+`|^\|.*\|$|^#.*$", re.DOTALL | re.MULTILINE)


def uses(paths, pattern):
    """Return where a pattern stands: file, line, text."""
    return [
        f"{path.relative_to(REPOSITORY)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in paths
        for text in [path.read_text(encoding="utf-8")]
        for match in pattern.finditer(text)
    ]


def test_awkward_negations_and_pronouns_are_rare():
    assert len(PROSE) > 40
    assert len(SOURCES) > 200
    awkward = uses([*PROSE, *SOURCES], AWKWARD)
    assert len(awkward) <= 25, "\n".join(awkward)


def test_the_pattern_finds_what_it_is_for():
    for bad in ("whoever asks", "it is no segment", "they are no units", "Nobody has coded it"):
        assert AWKWARD.search(bad), bad
    for good in ("there is no text", "It is no longer used", "are no more than two", "no one has coded it"):
        assert not AWKWARD.search(good), good


def test_no_word_stands_twice():
    twice = []
    for path in PROSE:
        if path.name not in ("formats.md", "as-in.md"):  # examples of files
            text = FENCED.sub("", path.read_text(encoding="utf-8"))
            twice += [f"{path.name}: {match[0]!r}" for match in TWICE.finditer(text)]
    assert twice == []
