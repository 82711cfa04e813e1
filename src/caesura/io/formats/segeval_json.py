"""segeval's JSON of masses: items by document and coder.

Other entries (an id, groups) are kept in the corpus's metadata as ``properties`` and written back.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.json_files import shaped, the_object
from caesura.values.corpus import Corpus
from caesura.values.making import CorpusBuilder

TYPE = "segmentation_type"


Masses: TypeAlias = Annotated[list[Any], "a list of masses"]
Coded: TypeAlias = Annotated[dict[str, Any], "{coder: masses}"]
Documents: TypeAlias = Annotated[dict[str, Any], "{document: {coder: masses}}"]


def read(source: Source) -> Contents:
    """Read the masses of all documents and coders."""
    data = shaped(source.json, dict[str, Any])
    if TYPE not in data:
        raise CorpusError(f'there is no "{TYPE}"; add "{TYPE}": "linear"')
    if data[TYPE] != "linear":
        raise CorpusError(f'"{TYPE}" is {shortened(data[TYPE])}: only "linear" is known')
    if "items" not in data:
        raise CorpusError('there is no "items"; put the codings there, {document: {coder: masses}}')
    builder = CorpusBuilder()
    for document, coded in shaped(data["items"], Documents, '"items"').items():
        for coder, masses in shaped(coded, Coded, f"document {document}").items():
            builder.add(document, coder, shaped(masses, Masses, f"document {document}: coder {coder}"))
        if not coded:
            raise CorpusError(f"document {document}: it has no annotations")
    if not data["items"]:
        raise CorpusError('"items" is {}: expected {document: {coder: masses}}')
    properties = {key: value for key, value in data.items() if key not in (TYPE, "items")}
    return Contents(Corpus.build(builder, metadata={"properties": properties} if properties else {}))


def write(corpus: Corpus, extension: str) -> str:
    """Return the JSON with one coding per line, for readable diffs."""
    entries = [f' "{TYPE}": "linear"']
    for name, value in corpus.metadata.get("properties", {}).items():
        try:
            entries.append(f" {_json(str(name))}: {_json(value)}")
        except (TypeError, ValueError):
            raise CorpusError(f"the property {name} is {shortened(value)}: JSON cannot hold it") from None
    documents = []
    for document, codings in corpus.to_dict().items():
        lines = [f"   {_json(coder)}: {masses}" for coder, masses in codings.items()]
        documents.append(f"  {_json(document)}: {{\n" + ",\n".join(lines) + "\n  }")
    entries.append(' "items": {\n' + ",\n".join(documents) + "\n }")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def sniff(source: Source) -> bool:
    """Recognize it by its two entries; reading reports a missing one."""
    data = the_object(source)
    return TYPE in data or isinstance(data.get("items"), dict)


FORMAT = Format.of(globals(), "segeval-json", (".json", ".jsn"), {"documents", "coders"})
