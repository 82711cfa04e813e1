"""LLM: ask a language model where segments begin, through a function that you pass.

The prompts are declared here and part of the signature. An unreadable answer is an error with a reason;
boundaries are never made up.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.declaration import choice, parameter
from caesura.errors import AnswerError, ParameterError, SegmentationError
from caesura.segmenters.base import Segmenter
from caesura.segmenters.text import UnitsLike, texts_of
from caesura.values.changed_text import align_text
from caesura.values.common_units import LEAST_KEPT
from caesura.wording import counted, short, whole_percent

Ask: TypeAlias = Callable[[str], str]  # from a prompt to the answer of a language model

ATTEMPTS = 2

SEPARATOR = "#####"
SEPARATOR_LINE = re.compile(rf"^[ \t]*{SEPARATOR}[ \t]*$", re.MULTILINE)
LIST_OF_NUMBERS = re.compile(r"\[[\d\s,]*\]")


class Prompt(NamedTuple):
    """A prompt, and how to read the answer."""

    task: str  # the text of the prompt, with fields for the text and the number of segments
    shown: Callable[[Sequence[str]], str]  # from the units to the text in the prompt
    read: Callable[[str, Sequence[str]], IntArray]
    """From an answer and the units to positions of boundaries, ascending."""


# -------------------------------------------------------------------- numbered units


def numbered(units: Sequence[str]) -> str:
    """Return the units with their numbers.

    >>> numbered(["It rained.", "We stayed."])
    '[1] It rained.\\n[2] We stayed.'
    """
    return "\n".join(f"[{number}] {unit}" for number, unit in enumerate(units, start=1))


def read_starts(answer: str, units: Sequence[str]) -> IntArray:
    """Return the boundaries of an answer with one list of the numbers of segments' first units.

    >>> read_starts("Segments begin at [1, 3].", ["a", "b", "c"])
    array([2])
    """
    lists = LIST_OF_NUMBERS.findall(answer)
    if len(lists) != 1:
        raise AnswerError(f"it has {counted(len(lists), 'list')} of numbers instead of one: {short(answer)}")
    try:
        starts: list[int] = json.loads(lists[0])
    except ValueError:
        raise AnswerError(f"{short(lists[0])} is not a list of numbers") from None
    if starts[:1] != [1] or starts != sorted(set(starts)) or starts[-1] > len(units):
        expected = f"ascending numbers from 1 to {len(units)}, of which the first is 1"
        raise AnswerError(f"it has {short(starts)} instead of {expected}")
    return np.array([start - 1 for start in starts[1:]], dtype=np.int64)


# -------------------------------------------------------------------- a copy with separators


def read_copy(answer: str, units: Sequence[str]) -> IntArray:
    """Return the boundaries of a copy of the text with separators between segments.

    The copy is aligned with the text, so words may differ. Each separator goes to the nearest boundary of
    units, and each boundary gets at most one.

    >>> read_copy("It rained.\\n#####\\nWe stayed in.", ["It rained.", "So we stayed in."])
    array([1])
    """
    segments = [part for part in map(str.strip, SEPARATOR_LINE.split(answer)) if part]
    try:
        alignment = align_text("\n".join(segments), "\n".join(units))
    except SegmentationError as error:
        raise AnswerError(str(error)) from None
    if alignment.kept < LEAST_KEPT:
        raise AnswerError(f"the copy has only {whole_percent(alignment.kept)} of the words of the text")
    cuts = alignment.map(np.cumsum([len(segment) + 1 for segment in segments[:-1]]) - 1)
    starts = np.concatenate([[0], np.cumsum([len(unit) + 1 for unit in units[:-1]]), [len("\n".join(units))]])
    positions = np.abs(cuts[:, np.newaxis] - starts).argmin(axis=1)
    if (np.diff([0, *positions, len(units)]) < 1).any():
        raise AnswerError("two separators are nearest to the same boundary, or one to an end of the text")
    return np.asarray(positions, dtype=np.int64)


# -------------------------------------------------------------------- the prompts

PROMPTS = {
    "numbered": Prompt(
        "Below is a text of numbered units. Divide it into {wanted}, so that each is about one topic. Answer "
        "with nothing but a list of the numbers of the units with which the segments begin, such as "
        "[1, 5, 12]; the first is 1.\n\n{text}",
        numbered,
        read_starts,
    ),
    "copy": Prompt(
        "Divide the text below into {wanted}, so that each is about one topic: copy it word for word, and "
        f"write a line {SEPARATOR} between two segments. Answer with nothing but the copy.\n\n{{text}}",
        "\n".join,
        read_copy,
    ),
}
"""The prompts by name."""


def _function(name: str, value: Any) -> Ask | None:
    if value is None or callable(value):
        return value  # type: ignore[no-any-return]
    raise ParameterError(f"{name} is {short(value)}: expected a function from a prompt to the model's answer")


@dataclass(frozen=True, repr=False)
class LLM(Segmenter):
    """LLM: a language model names the starts of segments.

    ``ask`` is your function from a prompt to the model's answer, both strings; the command line cannot pass
    one. The prompt ``numbered`` asks for the numbers of the units at which segments begin. The prompt
    ``copy`` asks for the text with a line ##### between segments; the answer is aligned with the text (extra
    ``chunks``), so the model may change words. The signature contains the digest of the prompt.

    If a call fails, or an answer is unreadable or has another number of segments, the model is asked once
    more. A second failure is an error with the reason. `cs.segment` then leaves the document without a
    coding, warns, and stores the reasons in the corpus's metadata, under ``failures``.

    >>> answer = "[1, 4]"  # instead of a model's
    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> LLM(ask=lambda prompt: answer)(text).masses
    (3, 3)
    """

    name = "LLM"
    title = "a language model, LLM"
    meaning = "the segments that your language model names, by a declared prompt"
    citation = "the prompts of caesura; no publication"
    cost = "one call of the model, two if its first answer is unreadable"
    needs = "the texts of the units, and a function that asks a language model"
    asks_a_model = True

    prompt: str = choice("numbered", "the prompt by name", tuple(PROMPTS))
    ask: Ask | None = parameter(None, "a function from a prompt to the answer of a model", _function)

    @cached_property
    def settings(self) -> str:
        """The name, all parameters, and the digest of the prompt."""
        digest = hashlib.sha256(PROMPTS[self.prompt].task.encode()).hexdigest()[:12]
        return f"{super().settings}|sha256={digest}"

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        texts = [" ".join(text.split()) for text in texts_of(units)]
        if self.ask is None:
            raise ParameterError("LLM has no model to ask: cs.segmenter('LLM', ask=function) gives one")
        prompt = PROMPTS[self.prompt]
        wanted = "segments" if n_segments is None else f"exactly {counted(n_segments, 'segment')}"
        question = prompt.task.format(wanted=wanted, text=prompt.shown(texts))
        reasons: list[str] = []
        while len(reasons) < ATTEMPTS:
            try:
                positions = prompt.read(_answer(self.ask, question), texts)
                if n_segments is None or len(positions) == n_segments - 1:
                    return positions
                reasons.append(f"it has {counted(len(positions) + 1, 'segment')} instead of {n_segments}")
            except AnswerError as error:
                reasons.append(str(error))
        raise AnswerError(f"{self.name}: no answer could be read, asked {ATTEMPTS} times: {reasons[-1]}")


def _answer(ask: Ask, question: str) -> str:
    """Return the answer; raise AnswerError if the function raises an error."""
    try:
        answer = ask(question)
    except Exception as error:
        raise AnswerError(f"the function raised {type(error).__name__}: {short(str(error))}") from error
    if not isinstance(answer, str):
        raise AnswerError(f"the function returned {short(answer)} instead of a string")
    return answer
