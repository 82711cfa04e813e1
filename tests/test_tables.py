"""Tables in every format, with their notes by kind, and the wording of lists and numbers.

Expected values are written out by hand.
"""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.report.page import folded_table
from caesura.results.notes import KINDS, Note, caveat, finding, reading, recipe
from caesura.results.table import Column, Table, distinct
from caesura.wording import counted, listed, shortened

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


# -------------------------------------------------------------------- columns and lists of names


def test_columns_of_one_name_are_refused_and_named():
    with pytest.raises(ValueError, match=r"called low 95% and SE: give each its own name"):
        Table("", [*map(Column, ["low 95%", "B", "SE", "low 95%", "SE", "SE"])], [])


def test_names_from_data_get_a_number_where_they_repeat():
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]
    assert distinct(["a", "mean"], beside=["mean"]) == ["a", "mean (2)"]
    assert distinct(["a", "a", "a (2)"]) == ["a", "a (2)", "a (2) (2)"]


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"])), st.lists(st.sampled_from(["a", "b"])))
def test_distinct_names_are_distinct(names, beside):
    found = distinct(names, beside)
    assert len(found) == len(set(found)) == len(names)
    assert not set(found) & set(beside)
    assert all(new.startswith(name) for new, name in zip(found, names, strict=True))


def coded(*coders: str) -> cs.Corpus:
    coding = {coder: [2 + place % 3, 4, 5 - place % 3] for place, coder in enumerate(coders)}
    return cs.Corpus.from_dict({"d": coding, "e": coding})


def test_data_may_use_the_names_of_columns():
    """A coder called "mean", a segmenter called "together", a metric asked for twice: every cell is kept."""
    corpus = coded("coder", "mean", "document", "together")
    matrix = cs.coder_matrix(corpus)
    assert set(matrix.to_table().to_dict()["rows"][0]) == {
        "coder", "coder (2)", "mean (2)", "document", "together", "mean"
    }  # fmt: skip
    assert len(matrix.to_document_table().to_dict()["rows"][0]) == 7
    found = cs.compare(corpus, segmenters=["document", "together"], human=False, bounds=(), n_resamples=99)
    (row, *_) = found.documents_table().to_dict()["rows"]
    assert list(row) == ["document", "document (2)", "together (2)", "together"]
    gold, mine = corpus.select(coders=["mean"]), corpus.select(coders=["coder"])
    twice = cs.evaluate(gold, mine, ["B", "B"], n_resamples=0).to_table()
    assert [column.name for column in twice.columns][-2:] == ["B", "B (2)"]


def test_means_of_several_metrics_are_all_in_the_data():
    corpus = coded("ann", "x", "y")
    found = cs.compare(
        corpus, segmenters=["x", "y"], metric="B", metrics=["S", "WD"], human=False, n_resamples=99
    )
    table = found.macro_table()
    row = table.to_dict()["rows"][0]
    assert list(row) == [
        "segmenter",
        *("B", "SE B", "low 95% B", "high 95% B"),
        *("S", "SE S", "low 95% S", "high 95% S"),
        *("WD", "SE WD", "low 95% WD", "high 95% WD"),
        "codings",
    ]
    assert [*row.values()] == list(table.rows[0])


MEMBERS = ("ann", "bob", "cy", "dan", "eve", "=fay")
NAMED = Table("", [Column("group"), Column("members")], [[1, MEMBERS], [2, MEMBERS[:4]], [3, ()], [4, None]])


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_readers_see_the_first_names_of_a_list(format):
    text = NAMED.render(format)
    assert "ann, bob, cy, dan and 2 more" in text
    assert "ann, bob, cy and dan" in text
    assert "eve" not in text
    assert "eve" not in NAMED._repr_html_()


def test_data_have_all_names_of_a_list():
    assert [row["members"] for row in json.loads(NAMED.to_json())["rows"]] == [
        list(MEMBERS), list(MEMBERS[:4]), [], None
    ]  # fmt: skip
    assert list(csv.reader(io.StringIO(NAMED.to_csv())))[1:] == [
        ["1", "ann, bob, cy, dan, eve, =fay"],
        ["2", "ann, bob, cy, dan"],
        ["3", ""],
        ["4", ""],
    ]


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_members_of_a_group_are_all_in_the_data(backend):
    corpus = coded(*MEMBERS)
    found = cs.agreement(corpus, n_resamples=0)
    for table in (found.to_table(), found.to_strict_table()):
        assert table.to_dict()["rows"][0]["members"] == list(MEMBERS)
        assert "cy, dan and 2 more" in table.to_text()
    assert list(found.to_frame(backend)["members"][0]) == list(MEMBERS)
    drop = cs.agreement_drop(corpus, ["ann"])
    assert drop.to_table().to_dict()["rows"][0]["members"] == list(MEMBERS[1:])
    assert list(drop.to_frame(backend)["members"][0]) == list(MEMBERS[1:])


# -------------------------------------------------------------------- wording


def test_lists_of_names_in_words():
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(("a", "b", "c"), last="or") == "a, b or c"
    assert listed(["a", "b", "c"], most=3) == "a, b and c"
    assert listed(["a", "b", "c"], most=2) == "a, b and 1 more"
    assert listed({"a": 1, "b": 2}) == "a and b"
    assert listed(range(100_000), most=1) == "0 and 99,999 more"


def test_long_names_are_shortened_in_a_list():
    assert listed(["x" * 10**6, "b"]) == "x" * 39 + "… and b"
    assert shortened("x" * 40) == "x" * 40


def test_numbers_with_their_nouns():
    assert [counted(n, "pair") for n in (0, 1, 2, 1200)] == ["0 pairs", "1 pair", "2 pairs", "1,200 pairs"]
    assert counted(0, "boundary", "boundaries") == "0 boundaries"
    assert counted(1, "boundary", "boundaries") == "1 boundary"
