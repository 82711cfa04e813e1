"""Registry: what is known by name: built in, declared by installed packages, or added by a caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from caesura.errors import ParameterError
from caesura.wording import short

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Members by name, in the order they were added.

    A member given as ``"module:name"`` is imported when it is asked for. So are those that installed packages
    declare as entry points of ``group``, which are looked up when all names are, or one that is not built in.
    """

    def __init__(
        self, noun: str, members: Mapping[str, T | str], name_of: Callable[[Any], str], group: str = ""
    ) -> None:
        """Keep the built-in members; ``name_of`` checks a member and returns its name."""
        self.noun, self.group = noun, group
        self._members, self._name_of = dict(members), name_of
        self._is_complete = not group

    def register(self, member: T) -> None:
        """Add a member under the name that it declares; a wrong or second one is refused."""
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
            raise ParameterError(f"there is already a {self.noun} {name!r}: rename {_shown(member)}")
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
            raise ParameterError(
                f"{self.noun} {name!r} ({address}) calls itself {declared!r}: name the entry point so"
            )
        return member


def _shown(member: object) -> str:
    return f"{member.__module__}:{member.__name__}" if isinstance(member, type) else short(member)
