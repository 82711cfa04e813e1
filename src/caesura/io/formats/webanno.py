"""WebAnno's and INCEpTION's TSV 3: sentences and layers of spans.

A line is ``sentence-token<tab>begin-end<tab>form`` and a column for each feature of the layers that the lines
``#T_SP=`` (spans), ``#T_CH=`` and ``#T_RL=`` (chains and relations, left alone) declare. In such a column
``_`` is not a span, ``*`` is a span without a value, ``[n]`` joins the tokens of one span, and ``|``
separates spans on the same token. A line 1-2.1 is a part of token 1-2; a span of a part counts for its whole
token. A backslash escapes; quotes are literal.

Units are tokens, and sentences are the coding of the coder ``sentences``. ``tiers`` chooses layers
(``Category``) or features of them (``Category|value``), each a coding of that name; overlapping spans and
tokens without a span need a rule (``overlap``, ``gaps``). A layer without spans in the file is not coded.
Values, chains and relations are not kept.

Exported projects have a folder per document and a file per user, ``annotation/d1.txt/ann.tsv`` (and
``curation/d1.txt/CURATION_USER.tsv``). There the user is the coder, followed by the tier if several are read,
and ``tiers`` is required.

Offsets are Java's: a character beyond the Basic Multilingual Plane counts as two. caesura counts it as one.

Written with the coder ``sentences`` as sentences (by default a single one) and a layer for each other coder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.base import Contents, Document, Format, read_documents
from caesura.io.files import Source, misfit, shortened
from caesura.io.spans import placed
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import AXES, Units
from caesura.wording import listed

FORMAT_LINE = "#FORMAT=WebAnno TSV 3"
SPAN_LAYER = "#T_SP="
LAYERS = (SPAN_LAYER, "#T_CH=", "#T_RL=")
SENTENCES = "sentences"
PROJECT_FOLDERS = ("annotation", "curation")
N_FIXED = 3
"""Columns before those of the layers: number, offsets, form."""
PAIR = re.compile("([0-9]{1,15})-([0-9]{1,15})")
NUMBERED = re.compile(r"\[([0-9]+)\]\Z")
"""The number of a span, after its value."""
NO_SPAN = "_"
CHARACTERS = AXES[0]
CUSTOM, FEATURE = "webanno.custom.", "value"
"""Names of written layers and their feature."""

NO_NAME = re.compile(r"[.|\s\x00-\x1f]")
"""Characters that cannot be in a layer's name."""

ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
VALUE = re.compile(r"(?:[^|\\]|\\.?)++", re.DOTALL)
"""A value, up to the next unescaped bar."""

ESCAPED = re.compile(r"\\(.)", re.DOTALL)
CONTROLS = {"t": "\t", "n": "\n", "r": "\r"}


class Layer(NamedTuple):
    """A layer of spans: its short and full names, and the columns of its features."""

    name: str
    full_name: str
    features: dict[str, int]


class Token(NamedTuple):
    """A token: its sentence and number there, its offsets in the text, and its form."""

    sentence: int
    number: int
    begin: int
    end: int
    form: str


@dataclass
class Sheet:
    """The content of a file."""

    layers: list[Layer] = field(default_factory=list)
    n_columns: int = N_FIXED
    tokens: list[Token] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    """The token and the columns of each line, including lines of parts of tokens."""


def read(source: Source) -> Contents:
    """Read the document: its tokens, its sentences, and the layers that the caller chose."""
    sheet = _sheet(source)
    source.options.use("overlap", "gaps")
    user = source.path.stem if source.path.parent.parent.name in PROJECT_FOLDERS else None
    document = source.name if user is None else source.path.parent.name
    notices: list[str] = []
    tokens = Units.every(1, end=len(sheet.tokens), axis="count")
    tiers = _tiers(source.options.get("tiers"), sheet.layers, user, notices)
    codings: dict[str, Segmentation] = {}
    for name, columns in tiers.items():
        coder = name if user is None else user if len(tiers) == 1 else f"{user} {name}"
        if columns is None:
            codings[coder] = Segmentation.from_labels([token.sentence for token in sheet.tokens])
        elif spans := _spans(sheet, columns):
            with within(f"document {document}: coder {coder}"):
                codings[coder] = placed(source, tokens, spans).segmentation
        else:
            notices.append(f"the layer {name} has no span here: it has no annotations")
    forms = [token.form for token in sheet.tokens]
    units = _character_units(sheet.tokens, notices)
    return read_documents(source, [Document(document, codings, forms, units)], notices)


# -------------------------------------------------------------------- lines


def _sheet(source: Source) -> Sheet:
    lines = source.lines
    if not lines or not lines[0].startswith(FORMAT_LINE):
        raise misfit("line 1", lines[0] if lines else "", f"{FORMAT_LINE}.x; export as WebAnno TSV v3")
    sheet = Sheet()
    for number, line in enumerate(lines, start=1):
        if line.startswith(LAYERS):
            if sheet.tokens:
                raise CorpusError(f"line {number}: a layer is declared below the first token")
            _declare(sheet, line)
        elif line.strip() and not line.startswith("#"):
            _add_row(sheet, number, line, is_last=number == len(lines))
    if not sheet.tokens:
        raise CorpusError("there are no tokens: is the file cut off?")
    return sheet


def _declare(sheet: Sheet, line: str) -> None:
    """Add a layer; each of its fields is a column, and without fields it has one."""
    kind, _, rest = line.partition("=")
    full_name, *features = rest.split("|")
    columns = {feature: sheet.n_columns + index for index, feature in enumerate(features or [""])}
    sheet.n_columns += max(1, len(features))
    if f"{kind}=" == SPAN_LAYER:
        sheet.layers.append(Layer(full_name.rpartition(".")[2], full_name, columns))


def _add_row(sheet: Sheet, number: int, line: str, *, is_last: bool) -> None:
    cells = line.split("\t")
    if cells[-1] == "" and len(cells) == sheet.n_columns + 1:
        cells.pop()  # WebAnno ends its lines with a tab
    if len(cells) != sheet.n_columns:
        hint = "is the file cut off?" if is_last else "does the header declare all layers?"
        raise misfit(f"line {number}", line, f"{sheet.n_columns} columns, not {len(cells)}; {hint}")
    name, dot, part = cells[0].partition(".")
    with within(f"line {number}"):
        sentence, index = _numbers(name, "the token's number", "2-1")
        begin, end = _numbers(cells[1], "the token's place", "0-5")
        if end < begin:
            raise CorpusError(f"the token ends at {end}, before it begins at {begin}")
        if not dot:
            last, before = sheet.tokens[-1][:2] if sheet.tokens else (sentence, index - 1)
            if not (index == before + 1 if sentence == last else sentence > last and index == 1):
                raise CorpusError(f"token {shortened(cells[0])} follows {last}-{before}: is a line missing?")
            sheet.tokens.append(Token(sentence, index, begin, end, _unescaped(cells[2])))
        elif not part.isdigit() or not sheet.tokens:
            raise CorpusError(f"{shortened(cells[0])} is not a part of the token before it")
    sheet.rows.append((len(sheet.tokens) - 1, cells))


def _numbers(cell: str, name: str, example: str) -> tuple[int, int]:
    if (match := PAIR.fullmatch(cell)) is None:
        raise misfit(name, cell, f"two numbers such as {example}")
    return int(match[1]), int(match[2])


def _unescaped(text: str) -> str:
    r"""Return an escaped text without escapes.

    >>> _unescaped(r"HAS\_SIZE \[1\]")
    'HAS_SIZE [1]'
    """
    return ESCAPED.sub(lambda sign: CONTROLS.get(sign[1], sign[1]), text)


# -------------------------------------------------------------------- units


def n_beyond(text: str) -> int:
    """Return the number of characters that Java counts twice."""
    return sum(sign > "\uffff" for sign in text)


def _character_units(tokens: list[Token], notices: list[str]) -> Units | None:
    """Return the tokens as spans of the text; None with a notice if the offsets do not ascend."""
    spans = []
    surplus = 0  # of Java's offsets
    for token in tokens:
        length = token.end - token.begin
        begin = token.begin - surplus
        n_twice = n_beyond(token.form)
        surplus += n_twice if length == len(token.form) + n_twice else 0
        spans.append((begin, token.end - surplus))
    for index, ((_, end), (begin, _)) in enumerate(pairwise(spans), start=1):
        if begin < end:
            begins = f"token {index}, {shortened(tokens[index].form)}, begins at {tokens[index].begin}"
            order = f"the offsets do not ascend ({begins} and the one before ends at {tokens[index - 1].end})"
            notices.append(f"{order}: tokens are counted and have no place in a text")
            return None
    return Units.from_spans(spans)


# -------------------------------------------------------------------- layers


def _tiers(
    chosen: Sequence[str] | None, layers: list[Layer], user: str | None, notices: list[str]
) -> dict[str, list[int] | None]:
    """Return the columns of each coding to read, by name; None for the sentences."""
    known: dict[str, list[int] | None] = {SENTENCES: None}
    names = []
    count = Counter([SENTENCES, *(layer.name for layer in layers)])
    for layer in layers:
        short_name = layer.name if count[layer.name] == 1 else layer.full_name
        names += [f"{short_name}|{feature}" for feature in layer.features]
        for name in (short_name, layer.full_name):
            known[name] = list(layer.features.values())
            known.update({f"{name}|{feature}": [column] for feature, column in layer.features.items()})
    if chosen is None and names:
        if user is not None:
            raise CorpusError(f"all users have the same sentences: choose a layer by tiers=, {listed(names)}")
        notices.append(f"the sentences are read and the layers {listed(names)} are not: tiers= names others")
    chosen = (SENTENCES,) if chosen is None else chosen
    for name in chosen:
        if name not in known:
            raise CorpusError(f"unknown layer {shortened(name)}; {did_you_mean(name, known)}")
    return {name: known[name] for name in chosen}


def _spans(sheet: Sheet, columns: list[int]) -> list[tuple[int, int]]:
    """Return the spans of tokens with a value in one of these columns."""
    joined: dict[str, tuple[int, int]] = {}
    alone: dict[tuple[int, int], None] = {}
    for token, cells in sheet.rows:
        for column in columns:
            for number in _span_numbers(cells[column]):
                if number:
                    joined[number] = (joined.get(number, (token, token))[0], token + 1)
                else:
                    alone[token, token + 1] = None
    return [*alone, *joined.values()]


def _span_numbers(cell: str) -> Iterator[str]:
    """Yield the number of each span on a token; empty for a span without a number.

    >>> list(_span_numbers("PER[3]|LOC")), list(_span_numbers("_")), list(_span_numbers("*"))
    (['3', ''], [], [''])
    """
    for value in _stacked(cell):
        if value not in (NO_SPAN, ""):
            match = NUMBERED.search(value)
            yield match[1] if match else ""


def _stacked(cell: str) -> list[str]:
    """Split a cell at its unescaped bars."""
    return VALUE.findall(cell) if "\\" in cell else cell.split("|")


# -------------------------------------------------------------------- writing


def write(corpus: Corpus, extension: str) -> str:
    """Return the tokens, the sentences, and a layer per coder."""
    (document,) = corpus.documents
    forms, codings = corpus.units[document], corpus[document]
    layers = {coder: coding for coder, coding in codings.items() if coder != SENTENCES}
    for coder in layers:
        if not coder or NO_NAME.search(coder):
            raise CorpusError(f"coder {coder!r}: this cannot be the name of a layer of webanno; rename it")
    lines = [f"{FORMAT_LINE}.3", *(f"{SPAN_LAYER}{CUSTOM}{coder}|{FEATURE}" for coder in layers), ""]
    places = _java_places(corpus, document)
    cells = _layer_cells(list(layers.values()), len(forms))
    sentences = codings.get(SENTENCES, Segmentation.from_masses([len(forms)]))
    for number, (first, last) in enumerate(sentences.to_spans(), start=1):
        lines += ["", f"#Text={_sentence_text(corpus, document, first, last).translate(ESCAPES)}"]
        for token in range(first, last):
            begin, end = places[token]
            fixed = (f"{number}-{token - first + 1}", f"{begin}-{end}", forms[token].translate(ESCAPES))
            lines.append("\t".join((*fixed, *cells[token], "")))
    return "\n".join(lines) + "\n"


def _layer_cells(layers: list[Segmentation], n_tokens: int) -> list[list[str]]:
    """Return the cells of each token: the number of its segment in each layer."""
    starts = accumulate((layer.n_segments for layer in layers), initial=0)
    numbered = zip(starts, layers, strict=False)
    columns = [[start + label for label in layer.to_labels()] for start, layer in numbered]
    return [[f"*[{column[token]}]" for column in columns] for token in range(n_tokens)]


def _java_places(corpus: Corpus, document: str) -> list[tuple[int, int]]:
    """Return the tokens' offsets as Java counts; without known offsets, a space separates tokens."""
    forms, units = corpus.units[document], corpus.spans.get(document)
    if units is None or units.axis != CHARACTERS:
        starts = accumulate((len(form) + 1 for form in forms), initial=0)
        spans = [(start, start + len(form)) for start, form in zip(starts, forms, strict=False)]
    else:
        spans = [(int(start), int(end)) for start, end in units.spans]
    places = []
    surplus = 0
    for form, (begin, end) in zip(forms, spans, strict=True):
        before = surplus
        surplus += n_beyond(form) if end - begin == len(form) else 0
        places.append((begin + before, end + surplus))
    return places


def _sentence_text(corpus: Corpus, document: str, first: int, last: int) -> str:
    """Return the text of these tokens and between them."""
    units = corpus.spans.get(document)
    if units is None or units.text is None:
        return " ".join(corpus.units[document][first:last])
    text = units.text[int(units.starts[first]) : int(units.ends[last - 1])]
    forms = "".join(corpus.units[document][first:last])
    if n_beyond(text) != n_beyond(forms):
        where = f"document {document}: between units {first + 1} and {last} of its text"
        raise CorpusError(f"{where} stands a character that Java counts twice; use jsonl")
    return text


def leaves_out(corpus: Corpus, path: Path) -> Iterator[str]:
    """Yield the losses: most coders become layers."""
    if layers := [coder for coder in corpus.coders if coder != SENTENCES]:
        yield f"that {listed(layers)} are read by default (they will be layers, which tiers= names)"
    if any(units.axis != CHARACTERS for units in corpus.spans.values()):
        yield "the places of the units"
    if any(units.text is not None for units in corpus.spans.values()):
        yield "the text between the units"


def sniff(source: Source) -> bool:
    """Recognize its first line."""
    return source.first_line.startswith(FORMAT_LINE)


example_options = {"tiers": "sentences"}
FORMAT = Format.of(globals(), "webanno", (".tsv",), {"coders", "places"}, needs_units=True)
