"""Declared: metrics and segmenters as data, whose fields are parameters; Registry: members by name.

A registry finds the member that a specification names, such as ``B(n_t=3)`` or ``C99(mask=9)``. The member's
repr is a specification again.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from caesura.checks import check_choice, check_flag, check_number, check_whole
from caesura.errors import ParameterError, UnknownNameError, did_you_mean, unknown
from caesura.wording import listed, short

T = TypeVar("T")
D = TypeVar("D", bound="Declared")
Choice = TypeVar("Choice", bound=str)

Check: TypeAlias = Callable[[str, Any], Any]  # from name and value to the value, or raises

TITLE = re.compile(r"[^\W\d][\w ,'’′-]{,59}")
"""A name, or text that hints read as a name: boundary similarity, Pk′, B-precision."""

MAX_PARAMETER = 1e9
"""Greatest value of most parameters; 1 / MAX_PARAMETER is the least above 0, so products are finite."""

MAX_SPEC_LENGTH = 100_000
"""Longest specification: with a size for each unit of a long document."""


# -------------------------------------------------------------------- parameters


def parameter(default: T, help: str, check: Check, choices: Sequence[str] = ()) -> T:
    """Declare a parameter: its default, its meaning and its check."""
    return dataclasses.field(default=default, metadata={"help": help, "check": check, "choices": choices})


def whole(default: int, help: str, *, minimum: int) -> int:
    """Declare a whole number from ``minimum`` on."""
    return parameter(default, help, lambda name, value: check_whole(name, value, minimum))


def optional_whole(help: str, *, minimum: int) -> int | None:
    """Declare a whole number from ``minimum`` on that may be left open (None)."""

    def check(name: str, value: Any) -> int | None:
        return None if value is None else check_whole(name, value, minimum)

    return parameter(None, help, check)


def optional_number(
    help: str, *, minimum: float = 0.0, maximum: float = math.inf, exclusive: bool = False
) -> float | None:
    """Declare a number from ``minimum`` on that may be left open (None); ``exclusive``: above it."""

    def check(name: str, value: Any) -> float | None:
        return None if value is None else check_number(name, value, minimum, maximum, exclusive=exclusive)

    return parameter(None, help, check)


def number(default: float, help: str, *, maximum: float = MAX_PARAMETER, exclusive: bool = False) -> float:
    """Declare a number from 0 on; ``exclusive``: above 0."""
    minimum = 1 / MAX_PARAMETER if exclusive else 0.0
    return parameter(default, help, lambda name, value: check_number(name, value, minimum, maximum))


def choice(default: Choice, help: str, choices: Sequence[Choice]) -> Choice:
    """Declare one of several names."""
    return parameter(default, help, lambda name, value: check_choice(name, value, choices), choices)


def flag(default: bool, help: str) -> bool:
    """Declare a yes or no."""
    return parameter(default, help, check_flag)


# -------------------------------------------------------------------- declared classes


def sentences(text: str) -> tuple[str, ...]:
    """Return the items of a list with hyphens.

    >>> sentences('''
    ...     - It favors short
    ...       segments.
    ...     - It is not symmetric.
    ... ''')
    ('It favors short segments.', 'It is not symmetric.')
    """
    return tuple(" ".join(item.split()) for item in re.split(r"(?m)^ *- ", text)[1:])


@dataclass(frozen=True, repr=False)
class Declared:
    """A frozen dataclass whose fields are parameters, each declared with its meaning and check."""

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    citation: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()
    """Other names, beside the title, for hints at misspelled names."""

    def __post_init__(self) -> None:
        # The plain form, so that equal values compare equal and their repr parses back.
        for name, value in self.plain(vars(self)).items():
            object.__setattr__(self, name, value)

    @classmethod
    def plain(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters in plain form, checked as declared."""
        declared = cls.__dataclass_fields__
        return {
            name: declared[name].metadata["check"](f"{cls.name}: {name}", value)
            for name, value in parameters.items()
        }

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters and their values."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @cached_property
    def settings(self) -> str:
        """The name and all parameters, as signatures show them."""
        return "|".join([self.name, *(f"{name}={_plain(value)}" for name, value in self.parameters.items())])

    def __repr__(self) -> str:
        values = ((field, getattr(self, field.name)) for field in dataclasses.fields(self))
        changed = [f"{field.name}={_shown(value)}" for field, value in values if value != field.default]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


def default_settings(name: str) -> str:
    """Return the default settings of the class declared under a name; "" for other names.

    Metrics of a tool have our names, and declare our metric in ``ours``; they are skipped.
    """
    classes: list[type[Declared]] = [Declared]
    for cls in classes:
        if vars(cls).get("name") == name and "ours" not in vars(cls):
            return cls().settings
        classes += cls.__subclasses__()
    return ""


def _shown(value: object) -> str:
    """Return a value as in a specification; a function by its name."""
    return str(getattr(value, "__qualname__", None) or repr(value))


def _plain(value: object) -> str:
    if value is None:
        return "auto"
    if callable(value):
        return _shown(value)
    return ",".join(map(str, value)) or "none" if type(value) is tuple else str(value)


def checked_name(cls: Any, base: type[Declared], *methods: str) -> str:
    """Return the name that a class declares, after checking that it declares everything its base needs."""
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise ParameterError(f"{short(cls)} is not a {base.__name__.lower()}: expected a class of it")
    fault = f"{base.__name__.lower()} {cls.__name__}"
    declared = [name for each in cls.__mro__ for name in vars(each).get("__annotations__", ())]
    missing = [name for name in declared if not hasattr(cls, name)]
    missing += [name for name in methods if getattr(cls, name) is getattr(base, name)]
    if missing:
        raise ParameterError(f"{fault} does not declare {listed(missing)}")
    if any(isinstance(getattr(cls, name), dataclasses.Field) for name in declared):
        raise ParameterError(f"{fault}: decorate it with @dataclass(frozen=True, repr=False, kw_only=True)")
    for field in dataclasses.fields(cls):
        if "check" not in field.metadata:
            raise ParameterError(f"{fault}: write {field.name} = parameter(default, help, check)")
    return cls.name


# -------------------------------------------------------------------- specifications


def find(spec: str, registry: Mapping[str, type[D]], noun: str) -> D:
    """Return the member that ``Name``, ``Name(parameter=literal, ...)`` or a signature names."""
    name, *parts = spec.strip().split("|")
    is_signature = name in registry and any(part.startswith("caesura ") for part in parts)
    # A name may be one of Python's words: "None".
    name, keywords = (name, {}) if spec in registry or is_signature else parse(spec, noun)
    if name not in registry:
        raise unknown_name(name[:60], registry, noun)
    cls = registry[name]
    if is_signature:  # its other parts describe the analysis
        settings = (part.partition("=")[::2] for part in parts)
        keywords = {key: _unshown(key, text) for key, text in settings if key in cls().parameters}
    _check_names(cls, keywords)
    return cls(**keywords)


def _unshown(key: str, text: str) -> Any:
    """Return the value for its text in a signature."""
    if text in ("auto", "none"):
        return None if text == "auto" else ()
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    return (value,) if key == "types" and isinstance(value, int) else value


def with_parameters(declared: D, parameters: Mapping[str, Any]) -> D:
    """Return the metric or segmenter with other values of some parameters."""
    _check_names(type(declared), parameters)
    return dataclasses.replace(declared, **parameters)


def _check_names(cls: type[Declared], parameters: Iterable[str]) -> None:
    fields = [field.name for field in dataclasses.fields(cls)]
    for keyword in parameters:
        if keyword not in fields:
            hint = did_you_mean(keyword, fields) if fields else "it has none"
            raise UnknownNameError(f"{cls.name} has no parameter {keyword[:60]!r}; {hint}")


def unknown_name(name: str, registry: Mapping[str, type[Declared]], noun: str) -> UnknownNameError:
    """Return the error for a name that is not in a registry, with a hint by titles and other names."""
    also = [(alias, cls.name) for cls in registry.values() for alias in (cls.title, *cls.also)]
    return unknown(noun, name, registry, also)


def parse(spec: str, noun: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters that a specification holds."""
    fault = f"{spec[:60]!r} is not a {noun}: write its name, or name(parameter=value, ...)"
    if len(spec) > MAX_SPEC_LENGTH:
        raise ParameterError(fault)
    if TITLE.fullmatch(spec.strip()):
        return spec.strip(), {}
    try:
        node = ast.parse(spec.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            raise ParameterError(fault)
        names = [keyword.arg for keyword in node.keywords]
        if None in names or len(set(names)) < len(names):
            raise ParameterError(fault)
        return node.func.id, {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(fault) from None


# -------------------------------------------------------------------- registries


class Registry(Mapping[str, T], Generic[T]):
    """Members by name, in the order they were added.

    A member given as ``"module:name"`` is imported on first use. So are the members that installed packages
    declare as entry points of ``group``; they are looked up for the list of names, or for an unknown name.
    """

    def __init__(
        self, noun: str, members: Mapping[str, T | str], name_of: Callable[[Any], str], group: str = ""
    ) -> None:
        """Store the built-in members; ``name_of`` checks a member and returns its name."""
        self.noun, self.group = noun, group
        self._members, self._name_of = dict(members), name_of
        self._is_complete = not group

    def register(self, member: T) -> None:
        """Add a member under its declared name; raise ParameterError for a wrong or duplicate member."""
        self._add(self._name_of(member), member)

    def __getitem__(self, name: str) -> T:
        if name not in self._members:
            self._look_up()
        member = self._members[name]
        if isinstance(member, str):
            member = self._members[name] = self._imported(name, member)
        return member

    def __iter__(self) -> Iterator[str]:
        self._look_up()
        return iter(self._members)

    def __len__(self) -> int:
        self._look_up()
        return len(self._members)

    def _add(self, name: str, member: T | str) -> None:
        if self._members.get(name, member) != member:
            shown = f"{member.__module__}:{member.__name__}" if isinstance(member, type) else short(member)
            raise ParameterError(f"there is already a {self.noun} {name!r}: rename {shown}")
        self._members[name] = member

    def _look_up(self) -> None:
        if self._is_complete:
            return
        from importlib.metadata import entry_points  # slow to import

        for point in entry_points(group=self.group):
            self._add(point.name, point.value)
        self._is_complete = True

    def _imported(self, name: str, address: str) -> T:
        module, _, attribute = address.partition(":")
        try:
            member: T = getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ParameterError(f"{self.noun} {name!r} ({address}) cannot be imported: {error}") from error
        declared = self._name_of(member)
        if declared != name:
            raise ParameterError(f"{self.noun} {name!r} ({address}) calls itself {declared!r}: rename one")
        return member
