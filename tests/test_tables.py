"""Tables in every format: their notes by kind.

Expected values are written out by hand.
"""

from __future__ import annotations

import json

import pytest

from caesura.report.page import folded_table
from caesura.results.notes import KINDS, Note, caveat, finding, reading, recipe
from caesura.results.table import Column, Table

# -------------------------------------------------------------------- notes

NOTES = (
    recipe("B|n_t=2"),
    reading("B: similarity"),
    caveat("few documents"),
    finding("b is best"),
    recipe("WD|k=auto"),
    finding("P(match | boundary) is 0.5"),
)
IN_ORDER = (
    "b is best",
    "P(match | boundary) is 0.5",
    "few documents",
    "B: similarity",
    "B|n_t=2",
    "WD|k=auto",
)


def noted(*notes: Note) -> Table:
    return Table("", [Column("coder")], [["ann"]], notes=notes)


def test_notes_stand_by_kind_and_inside_a_kind_as_given():
    table = noted(*NOTES)
    assert tuple(note.text for note in table.notes) == IN_ORDER
    assert isinstance(table.notes, tuple)
    assert [note.kind for note in table.notes] == [
        "finding", "finding", "caveat", "reading", "recipe", "recipe"
    ]  # fmt: skip
    assert table.to_text().splitlines()[-6:] == list(IN_ORDER)
    markdown = [line for line in table.to_markdown().splitlines()[3:] if line]
    assert [line.replace("\\", "") for line in markdown] == list(IN_ORDER)
    page = table._repr_html_()
    assert [page.index(text) for text in IN_ORDER] == sorted(page.index(text) for text in IN_ORDER)


def test_notes_of_a_kind():
    table = noted(*NOTES)
    assert table.of_kind("recipe") == (recipe("B|n_t=2"), recipe("WD|k=auto"))
    assert table.of_kind("caveat") == (caveat("few documents"),)
    assert sum((table.of_kind(kind) for kind in KINDS), ()) == table.notes


@pytest.mark.parametrize("notes", [["B|n_t=2"], "words", [finding("a"), None], [("finding", "a")]])
def test_a_note_without_a_kind_is_refused_with_the_way_to_make_one(notes):
    with pytest.raises(
        TypeError, match=r"finding\(text\), caveat\(text\), reading\(text\) or recipe\(text\)"
    ):
        Table("", [Column("coder")], [["ann"]], notes=notes)


def test_latex_has_recipes_in_the_caption_and_the_rest_in_comments():
    table = Table("Coders", [Column("coder")], [["ann"]], notes=NOTES)
    lines = table.to_latex().splitlines()
    assert lines[:4] == [
        "% b is best",
        r"% P(match \textbar{} boundary) is 0.5",
        "% few documents",
        "% B: similarity",
    ]
    assert lines[-2] == r"\caption{Coders. B\textbar{}n\_t=2. WD\textbar{}k=auto.}"


def test_json_says_the_kind_of_each_note():
    data = json.loads(noted(recipe("B|n_t=2"), finding("b is best")).to_json())
    assert data["notes"] == [
        {"kind": "finding", "text": "b is best"},
        {"kind": "recipe", "text": "B|n_t=2"},
    ]


def test_a_recipe_stays_on_its_line_and_everything_else_is_wrapped():
    long = "a|b " * 40
    lines = noted(finding(long), recipe(long.rstrip())).to_text().splitlines()
    assert lines[-1] == long.rstrip()
    assert max(map(len, lines[:-1])) <= 80
    assert " ".join(lines[3:-1]) == long.rstrip()


def test_the_report_shows_recipes_by_kind():
    page = folded_table(noted(finding("P(match | boundary)"), recipe("made by hand")), "Coders")
    assert '<p class="note">P(match | boundary)</p>' in page
    assert '<p class="recipe">made by hand</p>' in page
