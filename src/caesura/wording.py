"""Names, numbers and values in sentences: short lists, plurals, escaped control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from itertools import islice

LONGEST_NAME = 40
"""Most characters of a name in a sentence."""


def listed(names: Collection[object], most: int = 6, last: str = "and") -> str:
    """Return the first names as a list in words.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], last="or")
    ('a, b and c', 'a, b or c')
    >>> listed(range(1, 1001), most=2)
    '1, 2 and 998 more'
    """
    shown = [shortened(str(name)) for name in islice(names, most)]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "pair"), counted(1200, "pair"), counted(2, "boundary", "boundaries")
    ('1 pair', '1,200 pairs', '2 boundaries')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def p_shown(p_value: float) -> str:
    """Return a p value in words.

    >>> p_shown(0.0314), p_shown(0.0002)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name that fits into a sentence.

    >>> shortened("a name that goes on and on", 10)
    'a name th…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"


def short(value: object) -> str:
    """Return a repr that fits into a message."""
    try:
        text = repr(value).replace("\n", " ")
    except ValueError:  # Python does not write whole numbers of thousands of digits
        text = f"{type(value).__name__} of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


def without_types(coders: Collection[str]) -> str:
    """Return the sentence that types were ignored because these coders have none.

    >>> print(without_types(["mine"]))
    Compared without boundary types and ranks, because mine has none; types=True keeps them.
    """
    without = f"{listed(coders, most=3)} {'has' if len(coders) == 1 else 'have'} none"
    return f"Compared without boundary types and ranks, because {without}; types=True keeps them."


NAMED = 12
"""Most references that a sentence names."""


def whose_references(references: Collection[str]) -> str:
    """Return the sentence that names the reference coders.

    >>> whose_references(["ann", "bob"])
    'References: ann and bob.'
    """
    if len(references) > NAMED:
        return f"References: {counted(len(references), 'coder')}."
    return f"Reference{'s' if len(references) > 1 else ''}: {listed(references, most=NAMED)}."


def percent(share: float) -> str:
    """Return a share as in names of columns.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.10g} %"


def whole_percent(share: float) -> str:
    """Return a share in a sentence, rounded.

    >>> whole_percent(0.4515)
    '45 %'
    """
    return f"{100 * share:.0f} %"


INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of control, format and surrogate characters and of line and paragraph separators."""


def clock(seconds: float) -> str:
    """Return a time as m:ss, or h:mm:ss from an hour on, with its fraction of a second.

    >>> clock(75), clock(3723), clock(-0.5)
    ('1:15', '1:02:03', '−0:00.5')
    """
    minutes, rest = divmod(round(abs(seconds), 3), 60)
    hours, minutes = divmod(int(minutes), 60)
    shown = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{'−' if seconds < 0 else ''}{shown}:{f'{rest:06.3f}'.rstrip('0').rstrip('.')}"


def terminal_safe(text: str) -> str:
    """Return a text with escaped control and format characters, which could move the cursor.

    >>> print(terminal_safe("a" + chr(27) + "[31m"))
    a\\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in INVISIBLE else char
        for char in text
    )
