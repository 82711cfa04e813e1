"""NXT's XML of topics, as AMI and ICSI have it, with the files of words beside it.

Units are the words of all speakers by their starts. A topic begins before its first word, and its depth is
the rank; later words of the topic before it fall into it. The coder is called reference. Titles are not kept,
nor are times if speakers overlap. caesura writes topics and words into one file, because a corpus does not
know the speakers.

A file ``meeting.topic.xml`` has ``topic`` elements, nested for subtopics, whose ``nite:child`` elements point
at ranges of other files: words (``meeting.A.words.xml``), or segments that point at words. These files are in
the same folder, in a folder ``words`` or ``segments`` beside it (AMI), or in ``Words`` or ``Segments`` one
level up (ICSI). A pointer without a file name means the same file.
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
"""Folders of other files, beside the folder of the topics or one level up."""

HREF = re.compile(r"([^#]*+)#id\(([^()]++)\)(?:\.\.id\(([^()]++)\))?+")
TOPIC_START = re.compile(r"<topic[\s/>]")
POINTED = re.compile(r"""href\s*=\s*["']([^"'#<>]{1,255})#""")
SPEAKER = re.compile(r"([^.]++)\.[A-Z]\.words\.xml")
MAX_DEPTH = 1000
"""Deepest nesting of topics."""

MAX_WRITTEN_DEPTH = 100
"""Deepest nesting that is written: each topic is nested this deep."""

MAX_FILES = 5
"""Most files between a topic and its words."""

NONE = np.iinfo(np.int64).max
"""The first word of an element without words."""


class Pointer(NamedTuple):
    """A range of elements of another file, including both ends."""

    file: str
    first: str
    last: str


class Word(NamedTuple):
    """A word of a speaker, with its times or those of the words around it."""

    start: float
    end: float
    text: str


class Layer:
    """The elements of a file in order, and the first word of each."""

    def __init__(self, name: str, root: Element) -> None:
        self.name = name
        self.elements = [element for element in root.iter() if element is not root and ID in element.attrib]
        self.words = [index for index, element in enumerate(self.elements) if element.tag == WORD]
        self._index = {element.get(ID): index for index, element in enumerate(self.elements)}
        self.firsts: list[IntArray] = []
        """The first word of each element, once known; row k has the minimum of 2**k neighbors."""

    def set_firsts(self, first_words: IntArray) -> None:
        """Set the first word of each element; two rows then cover any range."""
        self.firsts = [first_words]
        while (width := 2 ** (len(self.firsts) - 1)) <= len(first_words) // 2:
            row = self.firsts[-1]
            self.firsts.append(np.minimum(row[:-width], row[width:]))

    def first_in(self, pointer: Pointer) -> int:
        """Return the first word of a pointer's range."""
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
        """Read the files that these pointers reach, and return those with words."""
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
    """Yield the files of this name in the possible folders."""
    if "/" in name or "\\" in name:
        raise CorpusError(f"it points at {shortened(name)}: expected the name of a file, without a folder")
    own = source.path.parent
    others = (above / folder for above in (own.parent, own.parent.parent) for folder in FOLDERS)
    return filter(None, (source.beside(folder / name) for folder in (own, *others)))


def _other_speakers(source: Source, name: str) -> Iterator[Source]:
    """Yield the words of a meeting's other speakers, which are units even without pointers at them."""
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
    """Yield the topics in the order of the file, with their depths from 1 on."""
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
    """Return the words of all speakers by their starts, and set the numbers of words in each file."""
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
    if n_untimed and not (len(spoken) == 1 and n_untimed == len(words)):  # the order of the file counts
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
    """Read a word after one that ended at ``last``, its time by default."""
    name = shortened(element.get(ID, ""))
    times = {side: element.get(side, "") for side in ("starttime", "endtime")}
    own = {side: time_from_0(text, f"{file}: {side} of {name}") for side, text in times.items() if text}
    start = own.get("starttime", last)
    end = own.get("endtime", start)
    check_order(f"{file}: {name}", start, end)
    return Word(start, end, "".join(element.itertext()))


def _ranks(topics: Sequence[tuple[Element, int]], layers: Layers, notices: list[str]) -> dict[int, int]:
    """Return the depth of the outermost topic at each first word."""
    ranks: dict[int, int] = {}
    is_open: list[int] = []  # by depth: the first word of the open topic so far
    firsts = [layers.first_of(_pointers(topic)) for topic, _ in topics]
    # Backward, so that a topic comes after its subtopics.
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
    """Return topics over the words of the same file, all nested to the greatest depth."""
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
    """Yield the loss of offsets in a text."""
    if any(units.axis == "characters" for units in corpus.spans.values()):
        yield "the places of the units"


def sniff(source: Source) -> bool:
    """Recognize its namespace and a topic."""
    return "http://nite.sourceforge.net/" in source.text and TOPIC_START.search(source.text) is not None


def companions(source: Source) -> Iterable[Path]:
    """Return the files that a file of topics reaches, and the words of the other speakers."""
    text = source.data.decode("latin-1")
    if not TOPIC_START.search(text):
        return []
    paths: dict[Path, None] = {}
    waiting = _names_pointed_at(text)
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        for file in (*_beside(source, name), *_other_speakers(source, name)):
            if file.path not in paths and not SPEAKER.fullmatch(file.path.name):  # words have no pointers
                further = set(_names_pointed_at(file.data.decode("latin-1"))) - seen
                seen |= further
                waiting += further
            paths[file.path] = None
    return list(paths)


def _names_pointed_at(text: str) -> list[str]:
    """Return the files without folders that a file points at."""
    return [name for name in dict.fromkeys(POINTED.findall(text)) if not {"/", "\\"} & set(name)]


def names(name: str) -> tuple[str, str]:
    """Return the meeting of a file of topics, and its coder."""
    return name.removesuffix(".topic"), REFERENCE


FORMAT = Format.of(globals(), "nxt", (".xml",), {"ranks", "places"}, needs_units=True)
