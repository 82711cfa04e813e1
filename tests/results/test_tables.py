"""Tables in every format, with their notes by kind, the wording of lists and numbers, and hints at names.

Expected values are written out by hand; the layout of text is compared with that of rich.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
import re
import sys
import tracemalloc
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.cells import cell_len as rich_cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

import caesura as cs
from caesura.cli.output import Output
from caesura.errors import did_you_mean
from caesura.pages.markup import folded_table
from caesura.results.as_json import json_text
from caesura.results.notes import KINDS, Note, caveat, finding, reading, signature
from caesura.results.table import Cell, Column, Table, cell_len, distinct, show_cell
from caesura.wording import counted, listed, shortened, terminal_safe

# -------------------------------------------------------------------- notes

NOTES = (
    signature("B|n_t=3"),
    reading("B: similarity"),
    caveat("few documents"),
    finding("b is best"),
    signature("WD|k=4"),
    finding("P(match | boundary) is 0.5"),
)
IN_ORDER = (
    "b is best",
    "P(match | boundary) is 0.5",
    "B: similarity",
    "few documents",
    "B|n_t=3",
    "WD|k=4",
)


def noted(*notes: Note) -> Table:
    return Table("", [Column("coder")], [["ann"]], notes=notes)


def test_notes_stand_by_kind_and_inside_a_kind_as_given():
    table = noted(*NOTES)
    assert tuple(note.text for note in table.notes) == IN_ORDER
    assert isinstance(table.notes, tuple)
    assert [note.kind for note in table.notes] == [
        "finding", "finding", "reading", "caveat", "signature", "signature"
    ]  # fmt: skip
    assert table.to_text().splitlines() == [
        "b is best",
        *("", "coder", "─────", "ann"),
        *("P(match | boundary) is 0.5", "B: similarity", "few documents"),
        "B|n_t=3  WD|k=4",
    ]
    in_full = replace(table, full_signatures=True)
    assert in_full.to_text().splitlines()[-2:] == ["B|n_t=3", "WD|k=4"]
    markdown = [line for line in table.to_markdown().splitlines()[3:] if line]
    assert [line.replace("\\", "") for line in markdown] == list(IN_ORDER)
    page = table._repr_html_()
    assert [page.index(text) for text in IN_ORDER] == sorted(page.index(text) for text in IN_ORDER)


def test_notes_of_a_kind():
    table = noted(*NOTES)
    assert table.of_kind("signature") == (signature("B|n_t=3"), signature("WD|k=4"))
    assert table.of_kind("caveat") == (caveat("few documents"),)
    assert sum((table.of_kind(kind) for kind in KINDS), ()) == table.notes


@pytest.mark.parametrize("notes", [["B|n_t=3"], "words", [finding("a"), None], [("finding", "a")]])
def test_a_note_without_a_kind_is_refused_with_the_way_to_make_one(notes):
    with pytest.raises(
        TypeError, match=r"finding\(text\), caveat\(text\), reading\(text\) or signature\(text\)"
    ):
        Table("", [Column("coder")], [["ann"]], notes=notes)


def test_latex_has_signatures_in_the_caption_and_the_rest_in_comments():
    table = Table("Coders", [Column("coder")], [["ann"]], notes=NOTES)
    lines = table.to_latex().splitlines()
    assert lines[:4] == [
        "% b is best",
        r"% P(match \textbar{} boundary) is 0.5",
        "% B: similarity",
        "% few documents",
    ]
    assert lines[-2] == r"\caption{Coders. B\textbar{}n\_t=3. WD\textbar{}k=4.}"


def test_json_says_the_kind_of_each_note():
    data = json.loads(noted(signature("B|n_t=3"), finding("b is best")).to_json())
    assert data["notes"] == [
        {"kind": "finding", "text": "b is best"},
        {"kind": "signature", "text": "B|n_t=3"},
    ]


def test_a_signature_stays_on_its_line_and_everything_else_is_wrapped():
    long = "a|b " * 40
    lines = noted(finding(long), signature(long.rstrip())).to_text().splitlines()
    assert lines[-1] == long.rstrip()
    assert max(map(len, lines[:-1])) <= 80
    assert " ".join(lines[: lines.index("")]) == long.rstrip()


def test_signatures_are_folded_to_one_line():
    """Names of what has the same parts stand together; what does not fit is counted."""
    metrics = ("B", "S", "WD")
    assert noted(*(signature(f"{name}|pairs=2") for name in metrics)).to_text().endswith("\nB, S, WD|pairs=2")
    many = noted(*(signature(f"{name}|k={len(name) * '9' * 20}") for name in metrics))
    assert many.to_text().splitlines()[-1] == f"B, S|k={'9' * 20}  WD|k={'9' * 40}"
    many = noted(*(signature(f"{name}|k={len(name) * '9' * 30}") for name in metrics))
    assert many.to_text().splitlines()[-1] == f"B|k={'9' * 30} and 2 more"


def test_the_report_shows_signatures_by_kind():
    page = folded_table(noted(finding("P(match | boundary)"), signature("made by hand")), "Coders")
    assert '<p class="note">P(match | boundary)</p>' in page
    assert '<p class="signature">made by hand</p>' in page


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
    assert len(matrix.to_table("documents").to_dict()["rows"][0]) == 4
    found = cs.compare(corpus, segmenters=["document", "together"], human=False, bounds=(), n_resamples=99)
    (row, *_) = found.to_table("documents").to_dict()["rows"]
    assert list(row) == ["document", "document (2)", "together (2)", "together"]
    gold, mine = corpus.select(coders=["mean"]), corpus.select(coders=["coder"])
    twice = cs.evaluate(gold, mine, ["B", "B"], n_resamples=0).to_table()
    assert [column.name for column in twice.columns][-2:] == ["B", "B (2)"]


def test_means_of_several_metrics_are_all_in_the_data():
    corpus = coded("ann", "x", "y")
    found = cs.compare(
        corpus, segmenters=["x", "y"], metric="B", metrics=["S", "WD"], human=False, n_resamples=99
    )
    table = found.to_table("macro")
    row = table.to_dict()["rows"][0]
    assert list(row) == [
        "segmenter",
        *("B", "SE B", "low 95 % B", "high 95 % B"),
        *("S", "SE S", "low 95 % S", "high 95 % S"),
        *("WD", "SE WD", "low 95 % WD", "high 95 % WD"),
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
    for table in (found.to_table(), found.to_table("strict")):
        assert table.to_dict()["rows"][0]["members"] == list(MEMBERS)
        assert "cy, dan and 2 more" in replace(table, width=None).to_text()
    assert list(found.to_frame(backend)["members"][0]) == list(MEMBERS)
    drop = cs.agreement_drop(corpus, ["ann"])
    assert drop.to_table().to_dict()["rows"][0]["members"] == list(MEMBERS[1:])
    assert list(drop.to_frame(backend)["members"][0]) == list(MEMBERS[1:])


# -------------------------------------------------------------------- text, as rich lays it out

WORDS = st.text(st.sampled_from("ab z|[]*–é日本ñ゚\u0301\u200b\x1b\n\tπ"), max_size=6)
CELLS = st.one_of(
    WORDS,
    st.integers(-(10**6), 10**6),
    st.floats(width=32),
    st.none(),
    st.lists(WORDS, max_size=6).map(tuple),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    # A column without any text is a cell wide for rich where it stands last, and has no width elsewhere.
    names = draw(st.lists(WORDS.filter(str.isalnum), min_size=1, max_size=5, unique=True))
    columns = [Column(name, draw(st.integers(0, 4))) for name in names]
    kinds = st.sampled_from([CELLS, WORDS, st.integers() | st.none(), st.floats() | st.none()])
    row = st.tuples(*(draw(kinds) for _ in names))
    return Table(draw(WORDS), columns, draw(st.lists(row, max_size=5)), draw(st.lists(row, max_size=2)))


def laid_out_by_rich(table: Table) -> str:
    """What rich makes of the cells: columns of numbers at the right, a line below the names."""
    numbers = [
        [cell for row in (*table.rows, *table.totals) if (cell := row[place]) is not None]
        for place in range(len(table.columns))
    ]
    laid = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column, cells in zip(table.columns, numbers, strict=True):
        right = bool(cells) and all(isinstance(cell, (int, float)) for cell in cells)
        name = Text(terminal_safe(column.name))
        laid.add_column(name, justify="right" if right else "left", no_wrap=True)

    def add(rows: Sequence[Sequence[Cell]]) -> None:
        for row in rows:
            shown = (show_cell(cell, column.digits) for cell, column in zip(row, table.columns, strict=True))
            laid.add_row(*(Text(terminal_safe(text)) for text in shown))

    add(table.rows)
    if table.totals:
        laid.add_section()
    add(table.totals)
    stream = io.StringIO()
    console = Console(file=stream, width=10_000, color_system=None, highlight=False)
    if table.title:
        console.print(Text(terminal_safe(table.title)))
    console.print(laid)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n")[:-1])


@given(tables())
def test_text_is_laid_out_as_rich_does(table):
    text = replace(table, width=None).to_text()
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    assert text == laid_out_by_rich(table)
    assert not set(text) & set("\x1b\t\u200b")


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("日本語", 6),
        ("e\u0301", 1),
        ("ｆｕｌｌ", 8),
        ("カ゚", 2),
        ("\u1112\u1161\u11ab", 2),
        ("🙂", 2),
        ("नि", 1),
        ("", 0),
    ],
)
def test_cells_of_a_terminal(text, cells):
    assert cell_len(text) == cells == rich_cell_len(text)


def test_text_by_hand():
    table = Table(
        "Coders",
        [Column("coder"), Column("B", 2), Column("n")],
        [["ann", 0.5, 12], ["日本", math.nan, None], ["-x\n", -math.inf, 3]],
        totals=[["mean", 1 / 3, 15]],
        notes=[finding("two of them"), signature("B|n_t=3")],
    )
    assert table.to_text().splitlines() == [
        "two of them",
        "",
        "Coders",
        "coder      B    n",
        "─────────────────",
        "ann     0.50   12",
        "日本     n/a",
        "-x\\n      −∞    3",
        "",
        "mean    0.33   15",
        "B|n_t=3",
    ]


def test_totals_alone_need_no_line_before_them():
    assert (
        Table("", [Column("a"), Column("b")], [], [["mean", 1]]).to_text() == "a      b\n────────\nmean   1"
    )


@pytest.mark.parametrize(("rows", "totals"), [([["a"]], []), ([["a", 1], ["b", 2, 3]], []), ([], [[]])])
def test_a_row_that_does_not_fit_the_columns_is_refused(rows, totals):
    with pytest.raises(ValueError, match=r"a row has \d cells? for 2 columns: \["):
        Table("", [Column("a"), Column("b")], rows, totals)


# -------------------------------------------------------------------- long tables


def long_table(n: int) -> Table:
    rows = [[f"d{number}", number, number / 7, None] for number in range(n)]
    columns = [Column("document"), Column("units"), Column("B"), Column("WD")]
    return Table("", columns, rows, [["micro", n, 0.5, 0.25]], [signature("B|n_t=3")])


@pytest.mark.exhaustive
@pytest.mark.parametrize("format", ["text", "csv", "json", "markdown", "latex"])
def test_work_and_memory_grow_by_a_little_with_each_row(format):
    """Function calls stand for work, which a busy machine does not change: rich made 440 a cell."""

    def cost(n: int) -> tuple[int, int]:
        table, calls = long_table(n), 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            table.render(format)
        finally:
            sys.setprofile(None)
        tracemalloc.start()
        table.render(format)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return calls, peak

    (calls, peak), (more_calls, greater_peak) = cost(1000), cost(4000)
    assert (more_calls - calls) / 3000 < 80
    assert (greater_peak - peak) / 3000 < 1000


def on_console(table: Table, *, terminal: bool, width: int = 100) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=terminal, color_system=None).print(table)
    return stream.getvalue()


def test_a_terminal_shows_the_first_rows_and_how_to_see_all():
    shown = on_console(long_table(1200), terminal=True)
    assert "d199 " in shown
    assert "d200 " not in shown
    assert "… 1,000 more rows: to_csv() and to_frame() have all" in shown
    assert shown.index("d199 ") < shown.index("\n…") < shown.index("micro") < shown.index("… 1,000")
    assert shown.index("… 1,000") < shown.index("B|n_t=3")
    assert "more row" not in on_console(long_table(200), terminal=True)
    assert "… 1 more row: " in on_console(long_table(201), terminal=True)


def test_a_notebook_shows_the_first_rows_and_how_to_see_all():
    page = long_table(1200)._repr_html_()
    assert page.count("<tr>") == 1 + 200 + 1 + 1
    assert "1,000 more rows: " in page
    assert "<td>micro</td>" in page


def test_everything_but_a_terminal_has_all_rows():
    table = long_table(1200)
    for text in (str(table), table.to_csv(), table.to_json(), table.to_markdown(), table.to_latex()):
        assert "d1199" in text
        assert "more rows" not in text
    assert on_console(table, terminal=False) == str(table) + "\n"


def test_columns_that_do_not_fit_are_left_out_and_named():
    names = [f"coder {number}" for number in range(12)]
    table = Table("", [Column("document"), *map(Column, names)], [["d", *([0.5] * 12)]], notes=[finding("!")])
    for terminal in (True, False):
        lines = on_console(table, terminal=terminal, width=50).splitlines()
        assert max(map(len, lines)) <= 50
        assert lines[0] == "!"
        assert lines[2].split("   ") == ["document", *names[:4]]
        assert " ".join(lines[-2:]) == (
            "8 more columns (coder 4, coder 5, coder 6, coder 7 and 4 more): to_csv() and to_frame() have all"
        )
    assert "coder 11" in replace(table, width=None).to_text()


def test_names_are_never_shortened_and_meanings_wrap():
    name, meaning = "x" * 40, "what it means " * 8
    text = Table("", [Column("name"), Column("meaning")], [[name, meaning.strip()], ["y", "z"]]).to_text()
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith(f"{name}   what it means")
    assert " ".join(line[43:] for line in lines[2:-1]) == meaning.strip()
    assert lines[-1] == f"{'y':40}   z"


def test_of_several_columns_of_words_the_widest_is_wrapped_most():
    choices, meaning = "plain | padded | wrap " * 3, "how windows at the ends count " * 4
    names = [Column(name) for name in ("parameter", "choices", "meaning", "k")]
    lines = Table("", names, [["x" * 30, choices.strip(), meaning.strip(), 7]]).to_text().splitlines()
    assert lines[0].split() == ["parameter", "choices", "meaning", "k"]
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith("x" * 30)
    assert lines[2].endswith("   7")
    assert sorted(" ".join(lines[2:]).split()) == sorted(["x" * 30, *choices.split(), *meaning.split(), "7"])


def test_the_ends_of_an_interval_are_one_column_for_readers_and_two_for_data():
    columns = [Column("coder"), Column("low 95 % B"), Column("high 95 % B"), Column("n")]
    rows = [["a", 0.25, 0.3719, 1], ["b", -0.1, 1.0, 2], ["c", None, None, 3], ["d", math.nan, math.nan, 4]]
    table = Table("", columns, [*rows, ["e", 0.84311, 0.84324, 5]])
    assert table.to_text().splitlines() == [
        "coder          95 % B   n",
        "─────────────────────────",
        "a           0.25–0.37   1",
        "b       -0.10 to 1.00   2",
        "c                       3",
        "d                 n/a   4",
        "e       0.8431–0.8432   5",
    ]
    assert next(csv.reader(io.StringIO(table.to_csv()))) == ["coder", "low 95 % B", "high 95 % B", "n"]
    assert list(json.loads(table.to_json())["rows"][0].values()) == rows[0]


@pytest.mark.parametrize("terminal", [True, False])
def test_the_command_line_cuts_on_a_terminal_alone(terminal, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")
    Output("text", None, full_signatures=False).emit(long_table(300))
    out = capsys.readouterr().out
    assert ("d299" in out) is not terminal
    assert ("… 100 more rows" in out) is terminal
    for format in ("csv", "json"):
        Output(format, None, full_signatures=False).emit(long_table(300))
        assert "d299" in capsys.readouterr().out
    Output("text", tmp_path / "table.txt", full_signatures=True).emit(long_table(300))
    assert (tmp_path / "table.txt").read_text(encoding="utf-8") == str(long_table(300)) + "\n"


# -------------------------------------------------------------------- JSON

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(PLAIN)
def test_json_holds_what_it_is_given_and_null_for_what_is_no_number(data):
    def expected(value):
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if isinstance(value, dict):
            return {key: expected(item) for key, item in value.items()}
        return [expected(item) for item in value] if isinstance(value, list) else value

    assert json.loads(json_text(data)) == expected(data)


def test_json_of_generators_and_other_keys():
    assert json.loads(json_text({"a": (n for n in (1, 2)), "b": iter_nothing(), "c": {3: [4]}})) == {
        "a": [1, 2], "b": [], "c": {"3": [4]}
    }  # fmt: skip


def iter_nothing():
    yield from ()


def test_a_row_is_a_line_of_json():
    text = Table("", [Column("a"), Column("b")], [["x", 1], ["y", math.nan]], [["z", 2.5]]).to_json()
    assert '\n    {"a": "x", "b": 1},\n    {"a": "y", "b": null}\n' in text
    assert json.loads(text) == {
        "title": "", "rows": [{"a": "x", "b": 1}, {"a": "y", "b": None}], "totals": [{"a": "z", "b": 2.5}],
        "notes": [],
    }  # fmt: skip


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


# -------------------------------------------------------------------- names that are not known


@pytest.fixture(scope="module")
def million() -> tuple[str, ...]:
    return tuple(f"document {number:06d}" for number in range(10**6))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many names each search has compared letter by letter."""
    found: list[int] = []
    search = difflib.get_close_matches

    def counting(word: str, possibilities: Collection[str], **options: Any) -> list[str]:
        found.append(len(possibilities))
        return search(word, possibilities, **options)

    monkeypatch.setattr(difflib, "get_close_matches", counting)
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("document 50x000", "document 50[0-9]000"),
        ("documnt 987654", "document 987654"),
        ("docunemt 987654", None),  # two places
        ("document 9876543", "document 987654"),
        ("DOCUMENT 987654", "document 987654"),
        ("", None),
        ("x" * 10**6, None),
    ],
)
def test_a_hint_among_a_million_names_compares_few_and_is_short(name, meant, million, compared):
    hint = did_you_mean(name, million)
    assert sum(compared) <= 1000
    assert len(hint) < 500
    if meant is None:
        assert hint.startswith("known: document 000000, document 000001, ")
        assert re.search(r" and 999,\d{3} more$", hint)
    else:
        assert re.fullmatch(f"did you mean '{meant}'\\?", hint)


@pytest.mark.parametrize("letter", ["x", "日", "\x1b", "\U000e0001"])
def test_messages_about_long_names_are_short(letter):
    known = [letter * 1000 + str(number) for number in range(2000)]
    assert len(did_you_mean("something else", known)) < 500
    assert len(did_you_mean(letter * 1000, known[:5])) < 500
    assert "2,000" not in listed(known)


def test_few_names_are_all_listed():
    names = [f"format-{number}" for number in range(25)]
    assert did_you_mean("zzz", names) == "known: " + ", ".join(names[:24]) + " and format-24"
    assert did_you_mean("zzz", []) == "known: "


@given(
    st.lists(st.text("abcAB", min_size=1, max_size=4), unique_by=str.lower, min_size=1),
    st.text("abcAB", max_size=5),
)
def test_hints_at_few_names_are_those_of_difflib(known, name):
    close = difflib.get_close_matches(name.lower(), [one.lower() for one in known], n=1, cutoff=0.5)
    hint = did_you_mean(name, known)
    if close:
        assert hint.lower() == f"did you mean '{close[0]}'?"
    else:
        assert hint.startswith("known: ")


def test_an_unknown_document_among_many_is_a_short_message():
    corpus = cs.Corpus.from_dict({f"document {number}": {"ann": [1, 1]} for number in range(20_000)})
    with pytest.raises(cs.UnknownNameError) as caught:
        corpus["nowhere"]
    assert len(str(caught.value)) < 500
