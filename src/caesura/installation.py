"""How this package was installed, and the command that adds an extra or a package."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

NAME = "caesura"

Way: TypeAlias = Literal["pip", "uv", "pipx", "uv tool", "conda"]
"""The tool that manages the environment."""


def adding_extra(extra: str) -> str:
    """Return the command that adds one of the extras.

    >>> adding_extra("report").endswith("[report]'")
    True
    """
    return Installation.found().adding_extra(extra)


def adding_package(package: str) -> str:
    """Return the command that adds a package which is in no extra."""
    return Installation.found().adding([package])


@dataclass(frozen=True)
class Installation:
    """The environment and the package's metadata."""

    prefix: Path
    """The environment's folder."""
    python: str
    """Its interpreter."""
    installer: str
    """The tool that wrote the metadata: pip, uv, conda."""
    direct_url: dict[str, Any]
    """The origin of the package, unless an index: direct_url.json, PEP 610."""
    requirements: tuple[str, ...]
    """The requirements of the package and its extras in the metadata."""

    @classmethod
    def found(cls) -> Installation:
        """Look at the running environment."""
        from importlib import metadata  # only errors need it

        try:
            there = metadata.distribution(NAME)
        except metadata.PackageNotFoundError:  # the source tree is on the path, not installed
            return cls(Path(sys.prefix), sys.executable, "", _source_tree(), ())
        installer = (there.read_text("INSTALLER") or "").strip()
        direct_url = _read_json(there.read_text("direct_url.json"))
        return cls(Path(sys.prefix), sys.executable, installer, direct_url, tuple(there.requires or ()))

    @property
    def way(self) -> Way:
        """The tool that manages the environment, by its file there."""
        if (self.prefix / "pipx_metadata.json").is_file():
            return "pipx"
        if (self.prefix / "uv-receipt.toml").is_file():
            return "uv tool"
        if self.installer == "conda":
            return "conda"
        return "uv" if self.installer == "uv" else "pip"

    @cached_property
    def source(self) -> str | None:
        """The name, or the folder, file or repository of origin; None if it no longer exists."""
        from urllib.request import url2pathname  # slow to load, and only errors need it

        url = str(self.direct_url.get("url", ""))
        if not url:
            return NAME
        if "vcs_info" in self.direct_url:
            return f"{NAME} @ {self.direct_url['vcs_info'].get('vcs', 'git')}+{url}"
        if urlsplit(url).scheme != "file":
            return f"{NAME} @ {url}"
        path = Path(url2pathname(unquote(urlsplit(url).path)))
        if not path.exists():
            return None
        return "." if path == Path.cwd() else str(path)

    def adding_extra(self, extra: str) -> str:
        """Return the command that adds an extra."""
        if self.source is None or self.way in ("pipx", "conda"):
            # The packages themselves: the origin is gone, or the tool adds packages, not extras.
            return self.adding(self._packages_of(extra) or [f"{NAME}[{extra}]"])
        name, at, url = self.source.partition(" @ ")
        wanted = f"{name}[{extra}]{at}{url}"
        editable = ["-e"] if self.direct_url.get("dir_info", {}).get("editable") else []
        if self.way == "uv tool":
            return _joined(["uv", "tool", "install", *editable, wanted])
        return _joined([*self._pip, *editable, wanted])

    def adding(self, packages: Sequence[str]) -> str:
        """Return the command that adds packages."""
        if self.way == "pipx":
            return _joined(["pipx", "inject", NAME, *packages])
        if self.way == "conda":
            return _joined(["conda", "install", "-c", "conda-forge", *packages])
        if self.way == "uv tool":
            withs = [part for package in packages for part in ("--with", package)]
            return _joined(["uv", "tool", "install", *withs, self.source or NAME])
        return _joined([*self._pip, *packages])

    @property
    def _pip(self) -> list[str]:
        """The installer for this interpreter; a bare `pip` may belong to another."""
        from shutil import which

        if self.way == "uv":  # its environments have no pip
            return ["uv", "pip", "install", "--python", self.python]
        is_same = os.path.abspath(which("python") or "") == os.path.abspath(self.python)
        return ["python" if is_same else self.python, "-m", "pip", "install"]

    def _packages_of(self, extra: str) -> list[str]:
        """Return the packages of an extra: report needs altair by `altair>=5.5; extra == "report"`."""
        split = (requirement.partition(";") for requirement in self.requirements)
        marks = (f'extra == "{extra}"', f"extra == '{extra}'")
        return [name.strip() for name, _, condition in split if any(mark in condition for mark in marks)]


def _source_tree() -> dict[str, Any]:
    """Return the source tree as an editable installation, if this is one."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / "pyproject.toml").is_file():
        return {}
    return {"url": folder.as_uri(), "dir_info": {"editable": True}}


def _read_json(text: str | None) -> dict[str, Any]:
    """Return the content of direct_url.json; empty if it is missing or broken."""
    try:
        content = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


def _joined(parts: Sequence[str]) -> str:
    """Return the line to type, quoted for the shell."""
    if os.name == "nt":
        return " ".join(f'"{part}"' if set(part) & set(" []<>=") else part for part in parts)
    return shlex.join(parts)
