"""Reads files of one segmentation per line: masses, gap indicators or labels."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from caesura.errors import CaesuraError, ComparisonError, SegmentationError
from caesura.values.segmentation import Segmentation

Form: TypeAlias = Literal["auto", "masses", "gaps", "labels"]
FORMS: tuple[Form, ...] = ("auto", "masses", "gaps", "labels")


def read_pairs(
    reference: Path, hypothesis: Path, form: Form
) -> tuple[list[Segmentation], list[Segmentation]]:
    """Read both files and check that line by line they segment documents of one length."""
    lines = [_lines(reference), _lines(hypothesis)]
    if form == "auto":
        form = _guess_form([(reference, lines[0]), (hypothesis, lines[1])])
    references = [_parse(reference, i, line, form) for i, line in enumerate(lines[0], start=1)]
    hypotheses = [_parse(hypothesis, i, line, form) for i, line in enumerate(lines[1], start=1)]
    if len(references) != len(hypotheses):
        raise ComparisonError(
            f"{reference} has {len(references)} lines and {hypothesis} {len(hypotheses)}: "
            "each line of one is compared with the same line of the other"
        )
    for number, (ref, hyp) in enumerate(zip(references, hypotheses, strict=True), start=1):
        if ref.n_units != hyp.n_units:
            raise ComparisonError(
                f"{hypothesis}: line {number} has {hyp.n_units} units where {reference} has {ref.n_units}: "
                f"both must segment the same units (read as {form}; --form says otherwise)"
            )
    return references, hypotheses


def _lines(path: Path) -> list[str]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SegmentationError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        raise SegmentationError(f"{path}: it holds NUL bytes; is it a text file?")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise SegmentationError(f"{path}: the file is empty; write one segmentation per line")
    return lines


def _guess_form(files: list[tuple[Path, list[str]]]) -> Form:
    """Tell masses from gap indicators; refuse where both readings are possible."""
    lines = [line.strip() for _, part in files for line in part]
    if not all(set(line) <= {"0", "1"} for line in lines):
        return "masses"
    # A number does not start with 0, and a document has at least one unit.
    if all(line and not line.startswith("0") for line in lines):
        raise SegmentationError(
            f"{files[0][0]}: {_short(lines[0])} may be masses or gap indicators; "
            "say which with --form masses or --form gaps"
        )
    return "gaps"


def _parse(path: Path, number: int, line: str, form: Form) -> Segmentation:
    try:
        if form == "gaps":
            return Segmentation.from_gaps(line.strip())
        fields = line.replace(",", " ").replace(";", " ").split()
        if not fields:
            raise SegmentationError("the line is blank; a document has at least one unit")
        if form == "labels":
            return Segmentation.from_labels(fields)
        return Segmentation.from_masses([_whole(field, i) for i, field in enumerate(fields)])
    except CaesuraError as error:
        raise SegmentationError(f"{path}: line {number}: {error}") from None


def _whole(field: str, index: int) -> int:
    if field.isascii() and field.lstrip("-").isdigit() and len(field) <= 20:
        return int(field)
    raise SegmentationError(
        f"masses[{index}] is {_short(field)}: expected a whole number; labels need --form labels"
    )


def _short(text: str) -> str:
    return repr(text) if len(text) <= 40 else repr(text[:37] + "...")
