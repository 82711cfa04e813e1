"""The built-in text to annotate: "The last ferry", a story of 32 sentences."""

from __future__ import annotations

from importlib.resources import files

from caesura.report.annotate.pages import Study
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus

INSTRUCTIONS = """\
Read the story once. Then place a boundary wherever it turns to something else: another time, another place,
another subject. There is no right answer; four to eight boundaries are usual. Give each part a short title.
"""


def ferry_study() -> Study:
    """Return a study of one story, which asks for titles and doubts.

    >>> ferry_study().texts.document_units
    array([32])
    """
    text = files("caesura.report.annotate").joinpath("ferry.txt").read_text(encoding="utf-8")
    builder = CorpusBuilder()
    builder.add_text("The last ferry", text.splitlines())
    return Study(
        "The last ferry", Corpus.build(builder), questions=("title", "unsure"), instructions=INSTRUCTIONS
    )
