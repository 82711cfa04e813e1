"""Study: texts as one HTML page on which a coder places boundaries, without a server or network.

The page has the texts but no annotations of other coders. It saves a file for
``caesura.io.formats.annotation``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markdown_it import MarkdownIt

from caesura.checks import check_choice
from caesura.errors import CorpusError, ParameterError
from caesura.io.formats.annotation import COLUMNS, LEVELS, PAGE, TYPES
from caesura.io.page_files import digest
from caesura.pages.markup import MARKING, check_shown, filled_page, script_json, web_files
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.making import CorpusBuilder
from caesura.values.segmentation import Segmentation
from caesura.wording import listed

QUESTIONS = tuple(COLUMNS)
"""Questions besides boundaries: a title or a comment of each segment, and doubts."""

MOST_TYPES = 9
"""The most types or levels, each of which has a key."""

STYLES = ("report/theme.css", "marking/marking.css", "annotate/annotate.css")
SCRIPTS = (
    *web_files("report", "elements optimal align"),
    *MARKING,
    *web_files("annotate", "tab_coder coding file marks documents practice main"),
)
"""The parts of the page's script, in order."""


@dataclass(frozen=True)
class Study:
    """The texts and questions of a study, the same for all coders."""

    title: str
    texts: Corpus
    """Documents with texts; its codings are not shown."""
    types: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    instructions: str = ""
    """Markdown; HTML in it is shown as text."""
    practice: Corpus | None = None
    """Documents with one coding each, the key that the page compares with a coder's practice."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.types and self.levels:
            raise ParameterError("a study has types or levels, not both")
        kind, names = self._scheme
        if len(names) > MOST_TYPES:
            raise ParameterError(f"{len(names)} {kind}: at most {MOST_TYPES} have a key each")
        if len(set(names)) < len(names) or not all(name.strip() for name in names):
            raise ParameterError(f"{kind} is {listed(names)}: expected different names")
        for question in self.questions:
            check_choice("questions", question, QUESTIONS)
        _check_texts(self.texts, "annotate")
        if self.practice is not None:
            _check_texts(self.practice, "practice on")
            _check_key(self.practice, names)

    @property
    def _scheme(self) -> tuple[str, tuple[str, ...]]:
        """``"types"`` or ``"levels"``, and the names."""
        return (TYPES, self.types) if self.types else (LEVELS, self.levels)

    def page(self, coder: str | None = None) -> str:
        """Return a coder's page, or a page on which coders type a name; equal studies give equal bytes.

        >>> texts = Corpus.from_dict({"d": {"gold": [1, 1]}}, units={"d": ["One.", "Two."]})
        >>> page = Study("Two", texts).page("ann")
        >>> page[:15], "gold" in page
        ('<!doctype html>', False)
        """
        return filled_page(
            "annotate/annotate.html",
            STYLES,
            SCRIPTS,
            title=self.title,
            things="Documents",
            ready="finished",
            data=script_json(self._payload(coder)),
            instructions=self._instructions(),
        )

    def _payload(self, coder: str | None) -> dict[str, Any]:
        """Return the page's data, without codings other than the key of the practice."""
        documents = [_document(self.texts, name) for name in self.texts.documents]
        if coder is not None:
            documents = in_order_of(documents, self.seed, coder)
        kind, names = self._scheme
        content: dict[str, Any] = {
            "format": PAGE.name,
            "version": PAGE.version,
            "title": self.title,
            "coder": coder,
            "seed": self.seed,
            "scheme": {"kind": kind, "names": list(names)} if names else None,
            "questions": list(self.questions),
            "documents": documents,
        }
        # The browser stores work under this digest, which differs for other texts or questions.
        digests = sorted((document["document"], document["digest"]) for document in documents)
        study = {**content, "documents": digests, "coder": None}
        return {**content, "study": digest(study), "practice": self._practice()}

    def _practice(self) -> list[dict[str, Any]]:
        if self.practice is None:
            return []
        keyed = []
        for name in self.practice.documents:
            (key,) = self.practice[name].values()
            if not self._scheme[1]:
                key = Segmentation.from_positions(sorted(set(key.positions)), key.n_units)
            coded = {"p": key.boundary_positions.tolist(), "t": key.boundary_types.tolist()}
            keyed.append({**_document(self.practice, name), "key": coded})
        return keyed

    def _instructions(self) -> str:
        if not self.instructions.strip():
            return ""
        text = self.instructions.encode("utf-8", "replace").decode("utf-8")
        shown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(text)
        # The page has the first level of headings; HTML in the guide is escaped.
        shown = re.sub(r"<(/?)h([1-5])>", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}>", shown)
        return (
            '<details id="instructions" class="guide" open><summary>Instructions</summary>'
            f'<div class="prose">{shown}</div></details>'
        )


def in_order_of(documents: Sequence[dict[str, Any]], seed: int, coder: str) -> list[dict[str, Any]]:
    """Return the documents in a random order that depends only on seed and coder.

    The page sorts by the same digest if a coder types a name.
    """
    return sorted(documents, key=lambda document: digest([seed, coder, document["document"]]))


def _document(corpus: Corpus, name: str) -> dict[str, Any]:
    units = list(corpus.units[name])
    paragraphs = _paragraphs(corpus, name)
    return {"document": name, "digest": digest(units), "units": units, "paragraphs": paragraphs}


def _paragraphs(corpus: Corpus, name: str) -> list[int]:
    """Return the units before a line break in the running text, unless all units are lines.

    >>> from caesura import Units
    >>> spans = {"d": Units.from_text("One. Two.\\n\\nThree.", by="sentence")}
    >>> _paragraphs(Corpus.from_dict({"d": {"ann": [3]}}).with_spans(spans), "d")
    [2]
    """
    spans = corpus.spans.get(name)
    if spans is None or spans.text is None:
        return []
    ends, starts = spans.ends.astype(int), spans.starts.astype(int)
    breaks = [i for i in range(1, len(starts)) if "\n" in spans.text[ends[i - 1] : starts[i]]]
    return breaks if len(breaks) < len(starts) - 1 else []


def _check_texts(corpus: Corpus, purpose: str) -> None:
    silent = [name for name in corpus.documents if name not in corpus.units]
    if silent or not corpus.documents:
        fault = f"document {listed(silent)} has no text" if silent else "no documents"
        raise CorpusError(f"{fault} to {purpose}; give files with the text of their units")
    check_shown(corpus, "divide it into several")


def _check_key(practice: Corpus, names: Sequence[str]) -> None:
    for document in practice.documents:
        codings: dict[str, Segmentation] = practice[document]
        if len(codings) != 1:
            who = f"codings by {listed(codings)}" if codings else "no coding"
            raise CorpusError(f"practice: document {short_name(document)} has {who}; expected one coding")
        (key,) = codings.values()
        strange = set(key.boundary_types.tolist()) - set(range(1, len(names) + 1))
        if names and strange:
            raise CorpusError(
                f"practice: {short_name(document)} has type {min(strange)}, not {listed(names)}"
            )


def page_name(text: str) -> str:
    """Return a text as part of a file's name.

    >>> page_name("Ann Lee"), page_name("../x"), page_name("Žofie")
    ('Ann-Lee', 'x', 'Žofie')
    """
    plain = "".join(sign if sign.isalnum() or sign in "_." else "-" for sign in text)
    short = "-".join(part for part in plain.split("-") if part).strip(".-")[:80]
    return short or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


FERRY_INSTRUCTIONS = """\
Read the story once. Then place a boundary wherever it turns to something else: another time, another place,
another subject. There is no right answer; four to eight boundaries are usual. Give each part a short title.
"""


def ferry_study() -> Study:
    """Return the built-in study of a story of 32 sentences, with titles and doubts.

    >>> ferry_study().texts.document_units
    array([32])
    """
    text = files("caesura.pages").joinpath("web/annotate/ferry.txt").read_text(encoding="utf-8")
    builder = CorpusBuilder()
    builder.add_text("The last ferry", text.splitlines())
    return Study(
        "The last ferry",
        Corpus.build(builder),
        questions=("title", "unsure"),
        instructions=FERRY_INSTRUCTIONS,
    )
