"""Recipes short and in full: a reader sees what differs from the defaults, files and JSON have everything.

A recipe is a name and its parts, ``B|n_t=2|…|caesura 0.1.0``. What declares defaults says here which parts
are usual; name and version tell them to whoever wants to compute the same.
"""

from __future__ import annotations

SEPARATOR = "|"

EVERYWHERE = frozenset(
    {"average=micro", "coefficient=pi", "chance=boundaries", "resamples=9999", "draws=100"}
)
"""What every analysis does unless something else is asked for."""

_USUAL: dict[str, frozenset[str]] = {
    "describe": frozenset({"n_t=2", "method=greedy", "SD=population", "k=auto"}),
    "support": frozenset({"k=auto", "rounding=half-even", "k_min=2"}),
}


def say_usual(name: str, recipe: str) -> None:
    """Say what the recipe of this name is where nothing differs from the defaults."""
    _USUAL[name] = frozenset(recipe.split(SEPARATOR)[1:])


def short_recipe(text: str) -> str:
    """Return a recipe without the parts that are usual.

    >>> short_recipe("describe|n_t=3|method=greedy|SD=population|k=auto|caesura 0.1.0")
    'describe|n_t=3|caesura 0.1.0'
    """
    name, *parts = text.split(SEPARATOR)
    usual = _USUAL.get(name, frozenset()) | EVERYWHERE
    return SEPARATOR.join([name, *(part for part in parts if part not in usual)])
