"""Read files of one segmentation per line: masses, marks (gaps, starts, ends) or labels.

By default, lines of 0 and 1 are marks: ends if the last mark of every line of both files is set, starts if
the first is, gap indicators if neither is; both are refused. Lines of B and I, x, or true and false are marks
of units, even with the form labels. Other numbers are masses. Marks and labels need no separators,
``BIIBII``, if every line of both files is one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from caesura.errors import CaesuraError, ComparisonError, SegmentationError, naming
from caesura.io.files import Source, whole_numbers
from caesura.io.options import ReadOptions
from caesura.io.tables import marks
from caesura.values.forms import MarkMeaning
from caesura.values.segmentation import Segmentation
from caesura.wording import listed, short

Form: TypeAlias = Literal["auto", "masses", "gaps", "starts", "ends", "labels"]
FORMS: tuple[Form, ...] = ("auto", "masses", "gaps", "starts", "ends", "labels")

IS_BLANK = "the line is blank; a document has at least one unit"

Files: TypeAlias = list[tuple[Path, list[str]]]
"""The two files and their lines."""

BY_FORM = "form='{0}'"
"""How the user chooses a form."""

SEPARATORS = str.maketrans(",;", "  ")

LONGEST_MASS = 6
"""Most digits of a number of 0 and 1 that may be a mass."""


@dataclass(frozen=True)
class LinePairs:
    """The segmentations of two files, line by line, and the form of the lines."""

    references: list[Segmentation]
    hypotheses: list[Segmentation]
    form: Form
    understood: str
    """Such as ``lines of ends: reference 3 boundaries, hypothesis 4``."""

    def __iter__(self) -> Iterator[list[Segmentation]]:
        return iter((self.references, self.hypotheses))


def _fields(line: str) -> list[str]:
    """Split a line at spaces, commas and semicolons."""
    return line.translate(SEPARATORS).split()


def read_pairs(
    reference: Path, hypothesis: Path, form: Form, options: ReadOptions | None = None
) -> LinePairs:
    """Read both files and check that the documents have the same lengths, line by line."""
    options = ReadOptions() if options is None else options
    files: Files = []
    for path in (reference, hypothesis):
        with naming(path):
            files.append((path, Source(path, path.stem, options).lines))
            if not files[-1][1]:
                raise SegmentationError("the file is empty; write one segmentation per line")
    options.check_used([str(reference), str(hypothesis)], "lines of segmentations")
    meant = _guess_form(files) if form == "auto" else form
    if meant == "labels":
        meant, parsed = _read_values(files, prefer_labels=form == "labels")
    else:
        parsed = [[_parse(path, i, line, meant) for i, line in enumerate(own, 1)] for path, own in files]
    references, hypotheses = parsed
    if len(references) != len(hypotheses):
        counts = f"{reference} has {len(references)} lines and {hypothesis} {len(hypotheses)}"
        raise ComparisonError(f"{counts}: line k of one is compared with line k of the other")
    for number, (ref, hyp) in enumerate(zip(references, hypotheses, strict=True), start=1):
        if ref.n_units != hyp.n_units:
            n_units = f"line {number} has {hyp.n_units} units where {reference} has {ref.n_units}"
            raise ComparisonError(f"{hypothesis}: {n_units} (read as {meant}; form= says otherwise)")
    n_boundaries = (sum(segmentation.n_boundaries for segmentation in part) for part in parsed)
    understood = marks.boundaries_of(dict(zip(("reference", "hypothesis"), n_boundaries, strict=True)))
    return LinePairs(references, hypotheses, meant, f"lines of {meant}: {understood}")


def _guess_form(files: Files) -> Form:
    """Return the form of the lines; refuse ambiguous ones."""
    lines = [line.strip() for _, own in files for line in own]
    if not all(set(line) <= {"0", "1"} for line in lines):
        return "labels" if _are_marks(files) else "masses"
    # A number does not start with 0, and a document has at least one unit.
    if all(0 < len(line) <= LONGEST_MASS and line.startswith("1") for line in lines):
        fault = f"{short(lines[0])} may be masses or gap indicators (or starts or ends)"
        choices = listed([BY_FORM.format(form) for form in FORMS[1:5]], last="or")
        raise SegmentationError(f"{files[0][0]}: {fault}; say which with {choices}")
    try:
        return marks.string_reading(lines, choice=BY_FORM)
    except CaesuraError as error:
        raise SegmentationError(f"{files[0][0]}: {error}") from None


def _are_marks(files: Files) -> bool:
    """Return whether lines have a mark per unit; a mark of 1 everywhere may be masses."""
    fields = {field for lines in _values(files) for line in lines for field in line}
    return fields != {"1"} and marks.look(sorted(fields)) is not None


def _values(files: Files) -> list[list[list[str]]]:
    """Return the values on each line of both files: single characters if every line is one word."""
    values = [list(map(_fields, lines)) for _, lines in files]
    if all(len(line) == 1 for lines in values for line in lines):
        return [[list(line[0]) for line in lines] for lines in values]
    return values


def _read_values(files: Files, *, prefer_labels: bool) -> tuple[MarkMeaning, list[list[Segmentation]]]:
    """Read a value per unit, marks or labels, the same way in both files."""
    codings = []
    for (path, _), lines in zip(files, _values(files), strict=True):
        for number, fields in enumerate(lines, start=1):
            if not fields:
                raise SegmentationError(f"{path}: line {number}: {IS_BLANK}")
            at = partial(_value_name, path, number)
            codings.append(marks.UnitValues(f"on line {number}", str(path), fields, at))
    try:
        rules = partial(marks.read_marks, choice=BY_FORM, has_gaps=False)
        reading, segmentations = rules(codings, prefer_labels=prefer_labels)
    except CaesuraError as error:
        text = str(error)
        is_named = text.startswith(tuple(f"{path}: " for path, _ in files))
        raise SegmentationError(text if is_named else f"{files[0][0]}: {text}") from None
    n_references = len(files[0][1])
    return reading, [segmentations[:n_references], segmentations[n_references:]]


def _value_name(path: Path, number: int, index: int) -> str:
    return f"{path}: line {number}: value {index + 1}"


def _parse(path: Path, number: int, line: str, form: Form) -> Segmentation:
    try:
        if form in ("gaps", "starts", "ends"):
            return _from_marks(line, form)
        if not (fields := _fields(line)):
            raise SegmentationError(IS_BLANK)
        return Segmentation.from_masses(whole_numbers(fields, "masses", "; labels need form='labels'"))
    except CaesuraError as error:
        raise SegmentationError(f"{path}: line {number}: {error}") from None


def _from_marks(line: str, reading: MarkMeaning) -> Segmentation:
    """Read marks with or without separators."""
    text = line.strip()
    fields = _fields(text)
    marked = marks.look(fields if len(fields) > 1 else list(text))
    if marked is None:
        return marks.string_segmentation(text, reading)  # raises the error
    return marks.string_segmentation("".join("01"[is_set] for is_set in marked.is_set.tolist()), reading)
