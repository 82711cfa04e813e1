"""XML: safe parsing of untrusted files with defusedxml, and escaped texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from caesura.errors import CorpusError, missing_extra
from caesura.io.files import Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ESCAPES = {ord(sign): f"&#{ord(sign)};" for sign in '&<>"\t\n\r'}
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold, even escaped."""


def root_of(source: Source) -> Element:
    """Return the outermost element of a file."""
    try:
        content: str | bytes = source.text
    except CorpusError:
        content = source.data  # it may declare its encoding
    return parse_xml(content)


def parse_xml(content: str | bytes) -> Element:
    """Return the outermost element; refuse a document type, and with it all entities."""
    try:
        from defusedxml import DefusedXmlException, ElementTree  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("XML needs the package defusedxml", "formats") from None
    try:
        root: Element = ElementTree.fromstring(content, forbid_dtd=True)
    except DefusedXmlException:
        raise CorpusError("it has a DOCTYPE, which may declare harmful entities; remove it") from None
    except ElementTree.ParseError as error:
        hint = ": is it cut off?" if "no element found" in str(error) or "unclosed" in str(error) else ""
        raise CorpusError(f"not well-formed XML: {error}{hint}") from None
    except (ValueError, LookupError) as error:
        raise CorpusError(f"not XML that can be read: {error}") from None
    return root


def is_xml_name(name: str) -> bool:
    """Return whether a name is not empty and fits an attribute."""
    return bool(name) and not NO_XML.search(name)


def xml_text(text: str, label: str) -> str:
    """Return a text escaped for XML; refuse impossible characters, naming it by the label.

    >>> xml_text("Tom & Tim", "unit 1")
    'Tom &#38; Tim'
    """
    if sign := NO_XML.search(text):
        raise CorpusError(f"{label} holds {sign[0]!r}, which no XML file can hold; use jsonl")
    return text.translate(ESCAPES)
