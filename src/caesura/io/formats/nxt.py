"""NXT's XML of topics, as AMI and ICSI have it, with the files of words beside it.

Units are the words of all speakers by their starts, and a topic begins before its first word, with its depth
as the rank, so a word of the topic before that is spoken later falls into it; the coder is called reference.
Titles are not kept, nor are times where speakers overlap. Written with the words in the file of topics
itself, because a corpus does not say who spoke them.

A file ``meeting.topic.xml`` has ``topic`` elements, inside each other for subtopics, whose ``nite:child``
elements point at ranges of other files: at words (``meeting.A.words.xml``), or at segments that point at
words themselves. These stand beside it, in a folder ``words`` or ``segments`` beside its own, as in the
release of AMI, or in a folder ``Words`` or ``Segments`` beside that above, as in ICSI's. A pointer without a
file's name means the file itself, as in files that are written here: a corpus does not say who spoke a word,
so that topics and words are in one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError, SegmentationError, within
from caesura.io.base import REFERENCE, Contents, Document, Format, only_coding, ranks_up_to, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.recordings import check_order, time_from_0
from caesura.io.xml_files import parse_xml, root_of, xml_text
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.units import Units
from caesura.wording import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NITE = "{http://nite.sourceforge.net/}"
ID = f"{NITE}id"
ROOT = f'<nite:root nite:id="topics" xmlns:nite="{NITE[1:-1]}">'
TOPIC, WORD = "topic", "w"
FOLDERS = ("words", "segments", "dialogueActs", "ontologies", "Words", "Segments", "DialogueActs")
"""Where files that are pointed at may stand, in folders beside that of the topics or the one above it."""

HREF = re.compile(r"([^#]*+)#id\(([^()]++)\)(?:\.\.id\(([^()]++)\))?+")
TOPIC_START = re.compile(r"<topic[\s/>]")
POINTED = re.compile(r"""href\s*=\s*["']([^"'#<>]{1,255})#""")
SPEAKER = re.compile(r"([^.]++)\.[A-Z]\.words\.xml")
MAX_DEPTH = 1000
"""Deepest topic inside topics."""

MAX_WRITTEN_DEPTH = 100
"""Deepest that is written, where each topic has as many around it."""

MAX_FILES = 5
"""How many files a pointer may lead through."""

NONE = np.iinfo(np.int64).max
"""What is the first word of an element that has none."""


class Pointer(NamedTuple):
    """A range of elements of another file, both ends included."""

    file: str
    first: str
    last: str


class Word(NamedTuple):
    """A word of a speaker; times are those of the file, or of the words around it."""

    start: float
    end: float
    text: str


class Layer:
    """The elements of a file that others point at, in order, and the first word of each."""

    def __init__(self, name: str, root: Element) -> None:
        self.name = name
        self.elements = [element for element in root.iter() if element is not root and ID in element.attrib]
        self.words = [index for index, element in enumerate(self.elements) if element.tag == WORD]
        self._index = {element.get(ID): index for index, element in enumerate(self.elements)}
        self.firsts: list[IntArray] = []
        """The first word of each element, once they are known; row k has the least of 2**k neighbors."""

    def set_firsts(self, first_words: IntArray) -> None:
        """Take note of the first word of each element; two of the rows then cover any range."""
        self.firsts = [first_words]
        while (width := 2 ** (len(self.firsts) - 1)) <= len(first_words) // 2:
            row = self.firsts[-1]
            self.firsts.append(np.minimum(row[:-width], row[width:]))

    def first_in(self, pointer: Pointer) -> int:
        """Return the first word of the elements that a pointer means."""
        for key in (pointer.first, pointer.last):
            if key not in self._index:
                raise CorpusError(f"{self.name} has no element {shortened(key)}, which is pointed at")
        start, end = self._index[pointer.first], self._index[pointer.last] + 1
        if end <= start:
            raise misfit(f"{self.name}: the end of a pointer", pointer.last, f"one from {pointer.first} on")
        row = (end - start).bit_length() - 1
        return int(min(self.firsts[row][start], self.firsts[row][end - 2**row]))


class Layers:
    """The files beside the topics, each read once."""

    def __init__(self, source: Source, root: Element) -> None:
        self._source = source
        self._layers = {"": Layer(source.path.name, root)}

    def __getitem__(self, name: str) -> Layer:
        if name not in self._layers:
            if (beside := next(_beside(self._source, name), None)) is None:
                fix = "put it beside this one, or into a folder words"
                raise CorpusError(f"the file {shortened(name)}, at which it points, is missing: {fix}")
            with within(beside.path.name):
                self._layers[name] = Layer(name, parse_xml(beside.data))
        return self._layers[name]

    def load_all(self, pointers: Iterable[Pointer]) -> list[Layer]:
        """Read the files of these pointers and those that they point at, and return the files of words."""
        waiting = list(dict.fromkeys(pointer.file for pointer in pointers))
        seen: dict[str, None] = {}
        while waiting:
            if (name := waiting.pop()) not in seen:
                seen[name] = None
                waiting += {pointer.file for element in self[name].elements for pointer in _pointers(element)}
        for name in list(seen):
            seen.update(dict.fromkeys(words.path.name for words in _other_speakers(self._source, name)))
        return [layer for layer in map(self.__getitem__, sorted(seen)) if layer.words]

    def first_of(self, pointers: Iterable[Pointer], depth: int = 0) -> int:
        """Return the first word of all these ranges."""
        first = NONE
        for pointer in pointers:
            layer = self[pointer.file]
            if not layer.firsts:
                if depth > MAX_FILES:
                    raise CorpusError(f"{layer.name}: files point at each other, and never at words")
                firsts = [self.first_of(_pointers(element), depth + 1) for element in layer.elements]
                layer.set_firsts(np.array(firsts, dtype=np.int64))
            first = min(first, layer.first_in(pointer))
        return first


def _beside(source: Source, name: str) -> Iterator[Source]:
    """Yield the files of this name at the places where they may stand."""
    if "/" in name or "\\" in name:
        raise CorpusError(f"it points at {shortened(name)}: expected the name of a file, without a folder")
    own = source.path.parent
    others = (above / folder for above in (own.parent, own.parent.parent) for folder in FOLDERS)
    return filter(None, (source.beside(folder / name) for folder in (own, *others)))


def _other_speakers(source: Source, name: str) -> Iterator[Source]:
    """Yield the words of other speakers of a meeting: they are units even where nothing points at them."""
    if match := SPEAKER.fullmatch(name):
        for letter in string.ascii_uppercase:
            yield from _beside(source, f"{match[1]}.{letter}.words.xml")


def _pointers(element: Element) -> list[Pointer]:
    pointers = []
    for child in element.iterfind(f"{NITE}child"):
        href = child.get("href", "")
        if (match := HREF.fullmatch(href)) is None:
            raise misfit(f"element {shortened(element.get(ID, ''))}: href", href, "file#id(first)..id(last)")
        pointers.append(Pointer(match[1], match[2], match[3] or match[2]))
    return pointers


# -------------------------------------------------------------------- reading


def read(source: Source) -> Contents:
    """Read the topics of a meeting, and its words."""
    root = root_of(source)
    if not (topics := list(_topics(root))):
        raise CorpusError("there is no topic element: read the file of topics, which points at the others")
    layers = Layers(source, root)
    spoken = layers.load_all([pointer for topic, _ in topics for pointer in _pointers(topic)])
    notices: list[str] = []
    words = _in_order(spoken, notices)
    ranks = _ranks(topics, layers, notices)
    ranks.pop(0, None)
    units = None
    starts, ends = np.array([word[:2] for word in words]).T
    if ends.any():  # or no word has a time
        try:
            units = Units.from_arrays(starts, ends, "seconds")
        except SegmentationError:
            notices.append("words of speakers overlap in time, so their times are not kept")
    name, coder = names(source.name)
    codings = {coder: Hierarchy.from_ranks(ranks, n_units=len(words))}
    return read_documents(source, [Document(name, codings, [word.text for word in words], units)], notices)


def _topics(root: Element) -> Iterator[tuple[Element, int]]:
    """Yield the topics in the order of the file, each with its depth; 1 is the top."""
    waiting = [(root, 1 if root.tag == TOPIC else 0)]
    while waiting:
        element, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise CorpusError(f"topics are more than {MAX_DEPTH} deep")
        if element.tag == TOPIC:
            yield element, depth
        inner = [(child, depth + 1) for child in element if child.tag == TOPIC]
        waiting += reversed(inner)


def _in_order(spoken: Sequence[Layer], notices: list[str]) -> list[Word]:
    """Return the words of all speakers by their starts, and tell each file where its words went."""
    words: list[Word] = []
    n_untimed = 0
    for layer in spoken:
        last = 0.0
        for element in map(layer.elements.__getitem__, layer.words):
            words.append(_word(element, layer.name, last))
            n_untimed += not element.get("starttime")
            last = words[-1].end
    if not words:
        raise CorpusError("there are no words in the files at which the topics point")
    if n_untimed and not (len(spoken) == 1 and n_untimed == len(words)):  # these are in order as they stand
        notices.append(f"{counted(n_untimed, 'word')} without a time: taken to follow the word before")
    order = np.argsort([word.start for word in words], kind="stable")
    number = np.argsort(order, kind="stable")
    begin = 0
    for layer in spoken:
        first_words = np.full(len(layer.elements), NONE, dtype=np.int64)
        first_words[layer.words] = number[begin : begin + len(layer.words)]
        layer.set_firsts(first_words)
        begin += len(layer.words)
    return [words[index] for index in order.tolist()]


def _word(element: Element, file: str, last: float) -> Word:
    """Read a word that follows one that ended at ``last``, where it stands if it has no time."""
    name = shortened(element.get(ID, ""))
    times = {side: element.get(side, "") for side in ("starttime", "endtime")}
    own = {side: time_from_0(text, f"{file}: {side} of {name}") for side, text in times.items() if text}
    start = own.get("starttime", last)
    end = own.get("endtime", start)
    check_order(f"{file}: {name}", start, end)
    return Word(start, end, "".join(element.itertext()))


def _ranks(topics: Sequence[tuple[Element, int]], layers: Layers, notices: list[str]) -> dict[int, int]:
    """Return where topics begin, with the depth of the outermost that begins there."""
    ranks: dict[int, int] = {}
    is_open: list[int] = []  # the first word so far of the topic at each depth that is being read
    firsts = [layers.first_of(_pointers(topic)) for topic, _ in topics]
    # From the last topic to the first, so that a topic comes after those inside it.
    for (topic, depth), first in zip(reversed(topics), reversed(firsts), strict=True):
        first = min(first, is_open.pop() if len(is_open) > depth else NONE)
        if first == NONE:
            notices.append(f"topic {shortened(topic.get(ID, ''))} has no words and makes no segment")
            continue
        ranks[first] = min(ranks.get(first, depth), depth)
        is_open += [NONE] * (depth - len(is_open))
        is_open[depth - 1] = min(is_open[depth - 1], first)
    return ranks


# -------------------------------------------------------------------- writing


def write(corpus: Corpus, extension: str) -> str:
    """Return topics over the words of the same file; all are nested as deep as the deepest."""
    document, *_ = only = only_coding(corpus)
    holds = f"topics are written up to {MAX_WRITTEN_DEPTH} deep"
    units, ranks = corpus.units[document], ranks_up_to(MAX_WRITTEN_DEPTH, *only, holds)
    depth = max(ranks.values(), default=1)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', ROOT]
    numbers = count(1)
    for start, end in pairwise((0, *sorted(ranks), len(units))):
        rank = ranks.get(start, 1)
        if start:
            lines += ["</topic>"] * (depth - rank + 1)
        lines += [f'<topic nite:id="topic.{next(numbers)}">' for _ in range(rank, depth + 1)]
        lines.append(f'<nite:child href="#id(w.{start + 1})..id(w.{end})"/>')
    lines += ["</topic>"] * depth
    times = _written_times(corpus, document)
    for number, (unit, time) in enumerate(zip(units, times, strict=True), start=1):
        lines.append(f'<w nite:id="w.{number}"{time}>{xml_text(unit, f"unit {number}")}</w>')
    return "\n".join([*lines, "</nite:root>"]) + "\n"


def _written_times(corpus: Corpus, document: str) -> list[str]:
    units = corpus.spans.get(document)
    if units is None or units.axis != "seconds":
        return [""] * len(corpus.units[document])
    if units.origin < 0:
        raise CorpusError(f"document {document} starts at {units.origin:g}, before 0; use another format")
    return [f' starttime="{start!r}" endtime="{end!r}"' for start, end in units.spans]


def leaves_out(corpus: Corpus, path: Path) -> Iterator[str]:
    """Yield what is lost of units that are not in time."""
    if any(units.axis == "characters" for units in corpus.spans.values()):
        yield "the places of the units"


def sniff(source: Source) -> bool:
    """Tell it by its namespace and a topic."""
    return "http://nite.sourceforge.net/" in source.text and TOPIC_START.search(source.text) is not None


def companions(source: Source) -> Iterable[Path]:
    """Return the files at which one of topics points, and the words of other speakers of its meeting."""
    text = source.data.decode("latin-1")
    if not TOPIC_START.search(text):
        return []
    paths: dict[Path, None] = {}
    waiting = _names_pointed_at(text)
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        for file in (*_beside(source, name), *_other_speakers(source, name)):
            if file.path not in paths and not SPEAKER.fullmatch(file.path.name):  # words point at nothing
                further = set(_names_pointed_at(file.data.decode("latin-1"))) - seen
                seen |= further
                waiting += further
            paths[file.path] = None
    return list(paths)


def _names_pointed_at(text: str) -> list[str]:
    """Return the files beside that a file points at."""
    return [name for name in dict.fromkeys(POINTED.findall(text)) if not {"/", "\\"} & set(name)]


def names(name: str) -> tuple[str, str]:
    """Return the meeting of a file of topics, and its coder."""
    return name.removesuffix(".topic"), REFERENCE


FORMAT = Format.of(globals(), "nxt", (".xml",), {"ranks", "places"}, needs_units=True)
