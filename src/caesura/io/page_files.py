"""Files that pages save: plain data with a checksum.

The checksum is the SHA-256 of all other entries in ``canonical`` form: spaces and the order of entries do not
matter, a changed letter does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypedDict

from caesura.errors import CorpusError
from caesura.io.base import ALL_PARTS, Part
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import Record, shaped, the_object
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.wording import listed

Seconds: TypeAlias = Annotated[int, "a number"]


PARTS: frozenset[Part] = ALL_PARTS - {"places"} | {"ranks"}
"""The parts of a corpus that these files keep."""


Known: TypeAlias = dict[str, Any]
"""Facts about a document, by their names in the file or in the corpus's details."""

SavedOf: TypeAlias = Callable[[str, Segmentation, Known], Known]
"""Return what is saved of a document from its name, its coding, and the coding's details."""


class Named(TypedDict):
    """A document of a study."""

    document: str


class Saved(TypedDict):
    """The content common to these files."""

    coder: str
    documents: list[Named]


@dataclass(frozen=True)
class PageFile:
    """A kind of file: its format entry, latest version, the page that saves it, and what it contains."""

    name: str
    version: int
    page: str
    of: str

    def sniff(self, source: Source) -> bool:
        """Recognize a file by its format entry."""
        return bool(the_object(source).get("format") == self.name)

    def read(self, source: Source) -> tuple[str, list[Record[dict[str, Any]]]]:
        """Return the coder of a file and its documents; refuse a file that no page saved like this."""
        content = source.json
        self._check(content)
        coder, documents = shaped(content, Saved)["coder"], content["documents"]
        return coder, [Record(f"document {own['document']}", own["document"], own) for own in documents]

    def _check(self, data: Any) -> None:
        """Refuse other files, files of newer pages, and edited files."""
        if not isinstance(data, dict) or data.get("format") != self.name:
            raise CorpusError(f'expected the file that {self.page} saves, with "format": "{self.name}"')
        version, latest = data.get("version"), self.version
        if type(version) is not int or version < 1:
            raise misfit("its version", version, f"a number from 1 to {latest}")
        if version > latest:
            fault = f"saved by a newer caesura (file version {version}, supported: {latest})"
            raise CorpusError(f"{fault}; upgrade caesura")
        try:
            is_whole = data.get("checksum") == checksum_of(data)
        except ValueError:  # 1e400, which no page writes
            is_whole = False
        if not is_whole:
            fix = f"ask {shortened(data.get('coder'))} to open the page and press Save file again"
            raise CorpusError(f"its checksum does not fit: it was changed or is damaged; {fix}")

    def write(self, corpus: Corpus, saved: SavedOf, **content: Any) -> str:
        """Return the file of a corpus of one coder, with this content and what is saved of each document."""
        if len(corpus.coders) != 1:
            raise CorpusError(f"the file is one {self.of}, and there are {listed(corpus.coders)}; choose one")
        head = {"format": self.name, "version": self.version, "study": "", "coder": corpus.coders[0]}
        documents = []
        for row, (name, _, coding) in enumerate(corpus):
            known = {key: values[row] for key, values in corpus.details.items()}
            documents.append({"document": name, **saved(name, coding, known)})
        return sealed({**head, **content, "documents": documents})


def canonical(value: Any) -> str:
    """Return JSON that is the same in every programming language: sorted keys, no spaces, ASCII only.

    >>> canonical({"b": "é", "a": [1, True]})
    '{"a":[1,true],"b":"\\\\u00e9"}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of plain data, in hexadecimal.

    >>> digest([])[:8]
    '4f53cda1'
    """
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def checksum_of(content: dict[str, Any]) -> str:
    """Return the checksum of all entries but the checksum."""
    return digest({key: value for key, value in content.items() if key != "checksum"})


def sealed(content: dict[str, Any]) -> str:
    """Return the text of a file with its checksum."""
    return json.dumps({**content, "checksum": checksum_of(content)}, indent=1) + "\n"


def with_ranks_between(scheme: TypeScheme) -> TypeScheme:
    """Return a scheme of ranks with all ranks above the deepest; other schemes are unchanged.

    >>> with_ranks_between(TypeScheme({2: "chapter"}, ranks=True)).names
    {1: 'level 1', 2: 'chapter'}
    """
    if not scheme.ranks:
        return scheme
    names = {rank: f"level {rank}" for rank in range(1, max(scheme.names) + 1)}
    return TypeScheme({**names, **scheme.names}, ranks=True)


def coding_of(
    positions: list[Any], types: list[Any] | None, n_units: int, scheme: TypeScheme | None
) -> Segmentation | Hierarchy:
    """Return the coding that a page saved."""
    if scheme is None or not scheme.ranks or types is None:
        return Segmentation.from_positions(positions, n_units, types)
    if len(types) != len(positions):
        raise misfit("types", types, f"{len(positions)} levels, one for each boundary")
    return Hierarchy.from_ranks(dict(zip(positions, types, strict=True)), n_units)
