"""A Griffe extension: functions that ``function_of`` makes are documented as what they are when imported."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import griffe

KINDS = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


class MadeFunctions(griffe.Extension):
    """Puts a function in the place of each attribute that ``function_of`` makes."""

    def on_module_members(self, *, mod: griffe.Module, **kwargs: Any) -> None:
        """Look through the attributes of a module."""
        for name, attribute in list(mod.attributes.items()):
            if str(attribute.value).startswith("function_of("):
                made = getattr(importlib.import_module(mod.path), name)
                mod.set_member(name, documented(made, attribute))


def documented(made: Callable[..., object], attribute: griffe.Attribute) -> griffe.Function:
    """Return Griffe's description of a function."""
    signature = inspect.signature(made)
    parameters = [
        griffe.Parameter(
            each.name,
            annotation=inspect.formatannotation(each.annotation),
            kind=KINDS[each.kind],
            default=None if each.default is each.empty else repr(each.default),
        )
        for each in signature.parameters.values()
    ]
    function = griffe.Function(
        made.__name__,
        lineno=attribute.lineno,
        endlineno=attribute.endlineno,
        parameters=griffe.Parameters(*parameters),
        returns=inspect.formatannotation(signature.return_annotation),
    )
    function.docstring = griffe.Docstring(inspect.getdoc(made) or "", parent=function)
    return function
