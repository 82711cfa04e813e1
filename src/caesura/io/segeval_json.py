"""segeval's JSON: ``{"segmentation_type": "linear", "items": {document: {coder: masses}}}``.

Other entries (an id, groups) are kept in the corpus's metadata as ``properties`` and written back.
"""

from __future__ import annotations

import json
from typing import Any

from caesura.errors import CorpusError, SegmentationError
from caesura.io.base import Format
from caesura.io.files import Source, shortened
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

TYPE = "segmentation_type"


def read(source: Source) -> Corpus:
    """Read the masses of all documents and coders."""
    data = source.json
    if not isinstance(data, dict):
        raise CorpusError(f'expected an object with "items", not {shortened(data)}')
    if TYPE not in data:
        raise CorpusError(f'there is no "{TYPE}"; add "{TYPE}": "linear"')
    if data[TYPE] != "linear":
        raise CorpusError(f'"{TYPE}" is {shortened(data[TYPE])}: only "linear" is known')
    if "items" not in data:
        raise CorpusError('there is no "items"; put the codings there, {document: {coder: masses}}')
    items = data["items"]
    if not isinstance(items, dict) or not items:
        raise CorpusError(f'"items" is {shortened(items)}: expected {{document: {{coder: masses}}}}')
    codings = {document: _coded(document, coded) for document, coded in items.items()}
    properties = {key: value for key, value in data.items() if key not in (TYPE, "items")}
    return Corpus.from_dict(codings, metadata={"properties": properties} if properties else {})


def _coded(document: str, coded: Any) -> dict[str, Segmentation]:
    if not isinstance(coded, dict):
        raise CorpusError(f"document {document}: expected {{coder: masses}}, not {shortened(coded)}")
    read: dict[str, Segmentation] = {}
    for coder, masses in coded.items():
        if not isinstance(masses, list):
            raise CorpusError(
                f"document {document}: coder {coder}: expected a list of masses, not {shortened(masses)}"
            )
        try:
            read[coder] = Segmentation.from_masses(masses)
        except SegmentationError as error:
            raise CorpusError(f"document {document}: coder {coder}: {error}") from None
    return read


def write(corpus: Corpus, extension: str) -> str:
    """Return the JSON with one coding per line, so that differences show."""
    entries = [f' "{TYPE}": "linear"']
    for name, value in corpus.metadata.get("properties", {}).items():
        try:
            entries.append(f" {_json(str(name))}: {_json(value)}")
        except (TypeError, ValueError):
            raise CorpusError(f"the property {name} is {shortened(value)}: JSON can not hold it") from None
    documents = []
    for document in corpus.documents:
        coded = corpus[document]
        lines = [f"   {_json(coder)}: {_json(coding.masses)}" for coder, coding in coded.items()]
        documents.append(f"  {_json(document)}: {{\n" + ",\n".join(lines) + "\n  }")
    entries.append(' "items": {\n' + ",\n".join(documents) + "\n }")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def sniff(source: Source) -> bool:
    """Tell it by its two entries; the lack of one is for ``read`` to say."""
    data = source.json_or_none
    return isinstance(data, dict) and (TYPE in data or isinstance(data.get("items"), dict))


FORMAT = Format(
    "segeval-json",
    "segeval's JSON of masses: items by document and coder",
    (".json", ".jsn"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders"}),
)
