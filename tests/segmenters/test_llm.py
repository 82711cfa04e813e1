"""LLM. Sources of truth: answers as language models give them, with the boundaries that they name."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura.errors import AnswerError, ParameterError
from caesura.segmenters.llm import LLM, PROMPTS, SEPARATOR

TEXT = [
    "The baker kneads the dough.",
    "Yeast makes the dough rise.",
    "The moon pulls the sea.",
    "The tide follows the moon.",
    "Pawns open a game of chess.",
]
MASSES = (2, 2, 1)
COPY = f"{TEXT[0]} {TEXT[1]}\n{SEPARATOR}\n{TEXT[2]}\n{TEXT[3]}\n{SEPARATOR}\n{TEXT[4]}\n"
CHANGED = f"""The baker kneads dough.
Yeast makes dough rise.
{SEPARATOR}
The moon pulls on the sea. The tides follow the moon.

  {SEPARATOR}
Pawns open a game of chess, as you know."""


class Recorded:
    """A model that gives recorded answers, one after another, and keeps what it was asked."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    "answer",
    ["[1, 3, 5]", "```json\n[1,3,5]\n```", "The segments begin at units [1, 3, 5].", "[\n 1,\n 3,\n 5\n]"],
)
def test_numbers_of_first_units_are_read(answer):
    model = Recorded(answer)
    assert LLM(ask=model)(TEXT).masses == MASSES
    (prompt,) = model.prompts
    assert "[1] The baker kneads the dough.\n[2] Yeast makes" in prompt
    assert prompt.endswith("[5] Pawns open a game of chess.")
    assert "into segments, so" in prompt


@pytest.mark.parametrize("answer", [COPY, CHANGED, f"{SEPARATOR}\n{COPY}{SEPARATOR}\n"])
def test_a_copy_is_aligned_with_the_text(answer):
    model = Recorded(answer)
    assert LLM(prompt="copy", ask=model)(TEXT, 3).masses == MASSES
    assert model.prompts[0].endswith("\n".join(TEXT))
    assert "into exactly 3 segments, so" in model.prompts[0]


@pytest.mark.parametrize(
    ("prompt", "answer", "reason"),
    [
        ("numbered", "", "0 lists of numbers instead of one"),
        ("numbered", "I cannot do that.", "0 lists of numbers instead of one: 'I cannot do that.'"),
        ("numbered", "First [1, 3], then [1, 4]", "2 lists of numbers instead of one"),
        ("numbered", "[1, 3,, 5]", "is not a list of numbers"),
        ("numbered", "[]", "ascending numbers from 1 to 5, of which the first is 1"),
        ("numbered", "[0, 2, 4]", "ascending numbers from 1 to 5"),
        ("numbered", "[3, 5]", "ascending numbers from 1 to 5"),
        ("numbered", "[1, 5, 3]", "ascending numbers from 1 to 5"),
        ("numbered", "[1, 3, 3]", "ascending numbers from 1 to 5"),
        ("numbered", "[1, 3, 6]", "ascending numbers from 1 to 5"),
        ("numbered", "[1, 1.5]", "0 lists"),
        ("numbered", None, "the function returned None instead of a string"),
        ("numbered", TimeoutError("too slow"), "the function raised TimeoutError: 'too slow'"),
        ("copy", "Bread, tides and chess.", "the copy has only 4 % of the words"),
        ("copy", COPY.replace("rise.", f"\n{SEPARATOR}\nrise."), "nearest to the same boundary"),
        ("copy", f"The\n{SEPARATOR}\n{COPY[4:]}", "nearest to the same boundary, or one to an end"),
    ],
)
def test_what_cannot_be_read_is_asked_for_once_more_and_then_a_failure(prompt, answer, reason):
    model = Recorded(answer, answer)
    with pytest.raises(AnswerError, match="asked 2 times") as caught:
        LLM(prompt=prompt, ask=model)(TEXT)
    assert reason in str(caught.value)
    assert model.answers == []
    model = Recorded(answer, "[1, 3, 5]" if prompt == "numbered" else COPY)
    assert LLM(prompt=prompt, ask=model)(TEXT).masses == MASSES
    assert model.prompts[0] == model.prompts[1]


def test_another_number_of_segments_than_wanted_is_a_failure():
    assert LLM(ask=Recorded("[1, 2]", "[1, 3, 5]"))(TEXT, 3).masses == MASSES
    with pytest.raises(AnswerError, match="it has 2 segments instead of 3"):
        LLM(ask=Recorded("[1, 2]", "[1, 3]"))(TEXT, 3)


def test_failures_are_counted_and_nothing_is_filled_in():
    corpus = cs.Corpus.from_dict(
        {name: {"ann": [2, 2, 1]} for name in "abc"}, units=dict.fromkeys("abc", TEXT)
    )
    model = LLM(ask=Recorded("[1, 3]", "no", ConnectionError("gone"), "no", "[1]"))
    with pytest.warns(UserWarning, match="LLM.* has no coding of 1 of 3 documents; b: LLM: no answer"):
        segmented = cs.segment(corpus, [model, "Uniform"])
    name = segmented.coders[0]
    assert [[*segmented[document]] for document in "abc"] == [
        [name, "Uniform"],
        ["Uniform"],
        [name, "Uniform"],
    ]
    assert segmented["a", name].masses == (2, 3)
    assert "ConnectionError: 'gone'" in segmented.metadata["failures"][name]["b"]


def test_the_prompt_is_in_the_signature():
    signatures = {name: LLM(prompt=name).settings for name in PROMPTS}
    assert len(set(signatures.values())) == len(PROMPTS)
    assert signatures["numbered"].startswith("LLM|prompt=numbered|ask=auto|sha256=")
    assert repr(LLM(prompt="copy", ask=print)) == "LLM(prompt='copy', ask=print)"


def test_line_ends_and_braces_of_units_stay_out_of_the_prompt_s_way():
    model = Recorded("[1, 2]")
    assert LLM(ask=model)(["a {wanted}\n  b", "c"]).masses == (1, 1)
    assert model.prompts[0].endswith("[1] a {wanted} b\n[2] c")


def test_without_a_function_the_error_says_what_gives_one():
    with pytest.raises(ParameterError, match=r"LLM has no model to ask: cs.segmenter\('LLM', ask=function\)"):
        LLM()(TEXT)
    with pytest.raises(ParameterError, match="ask is 'gpt': expected a function"):
        cs.segmenter("LLM(ask='gpt')")
