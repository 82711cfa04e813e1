"""DISRPT's tokens with marks of discourse units.

Units are tokens; a token whose last column has `BeginSeg=Yes` or `Seg=B-seg` opens a segment, as does the
first of a document. Other columns are not kept; written is the form of 2025. Of a release's folder .tok is
read; .conllu and .rels of the same name are left out with a notice.

The shared tasks on discourse segmentation (github.com/disrpt). A token opens a segment if its last column has
``BeginSeg=Yes`` (2019 to 2023) or ``Seg=B-seg`` (2025; the others have ``Seg=O``), perhaps beside other keys.
Units are tokens; lines of several words (3-4) are not tokens. A file .tok has no blank lines, and its tokens
are numbered through the document. PDTB's files mark connectives, which divide nothing: they are refused.

A release has each part three times: .tok, .conllu (the same tokens in sentences, parsed) and .rels (relations
between the units). In a folder .tok is read, which every corpus of the shared tasks has, and the others are
left out with a notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, Format, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.formats import conllu
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

CONLLU = ".conllu"
EXTENSIONS = (conllu.TOK, CONLLU)
RELATIONS = ".rels"
OPENS, CONTINUES = "Seg=B-seg", "Seg=O"
OPENING = {"BeginSeg=Yes", OPENS}
CONTINUING = {"BeginSeg=No", "BeginSeg=_", CONTINUES, "Seg=I-seg"}
KEYS = ("BeginSeg=", "Seg=")
LEFT_OUT = {
    CONLLU: "it has the same tokens in sentences; name the file to read it instead",
    RELATIONS: "it holds relations between segments",
}
"""Why a file of the same name is skipped in a folder."""

CONNECTIVES = ("conn=", "seg=b-conn", "seg=i-conn")


def read(source: Source) -> Contents:
    """Read all documents with their tokens."""
    beside = companions(source) if source.root is not None else ()
    notices = [f"{path.name} beside it was left out: {LEFT_OUT[path.suffix]}" for path in beside]
    documents, is_marked = [], False
    for name, sentences in conllu.documents_of(source).items():
        words = [word for sentence in sentences for word in sentence.words]
        opens = [_opens(word) for word in words]
        is_marked = is_marked or any(opens)
        first = f"its first token ({shortened(words[0].form)}, line {words[0].line})"
        own = () if opens[0] else (f"{first} is not marked and opens the first segment all the same",)
        coding, texts = Segmentation.from_starts(opens), [word.form for word in words]
        documents.append(Document(name, {REFERENCE: coding}, texts, notices=own))
    if not is_marked and conllu.has_entry(source, CONNECTIVES):
        raise CorpusError("it marks connectives (Conn=B-conn), as PDTB's files do, and no segments")
    if not is_marked:
        raise CorpusError("no token opens a segment: expected BeginSeg=Yes or Seg=B-seg in the last column")
    return read_documents(source, documents, notices)


def _opens(word: conllu.Word) -> bool:
    """Return whether a token opens a segment."""
    is_open = False
    for entry in word.misc.split("|"):
        if entry in OPENING:
            is_open = True
        elif entry.startswith(KEYS) and entry not in CONTINUING and not entry.lower().startswith(CONNECTIVES):
            raise misfit(f"line {word.line}: the mark", entry, "BeginSeg=Yes, Seg=B-seg or Seg=O")
    return is_open


def companions(source: Source) -> Iterable[Path]:
    """Return the files of this name with the same documents, or with relations between units."""
    extensions = [CONLLU, RELATIONS] if source.extension == conllu.TOK else [RELATIONS]
    paths = [source.path.with_suffix(extension) for extension in extensions]
    present = [path for path in paths if source.beside(path) is not None]
    return present if present and conllu.is_disrpt(source) else []


def write(corpus: Corpus, extension: str) -> str:
    """Return the tokens in the form of 2025, without blank lines."""
    lines = []
    for document, _, segmentation in corpus:
        lines.append(conllu.document_comment(document))
        starts = {0, *segmentation.positions}
        for index, text in enumerate(corpus.units[document]):
            lines.append(conllu.word_line(index + 1, text, OPENS if index in starts else CONTINUES))
    return "\n".join(lines) + "\n"


FORMAT = Format.of(globals(), "disrpt", EXTENSIONS, {"documents"}, needs_units=True, sniff=conllu.is_disrpt)
