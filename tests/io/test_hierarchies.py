"""Reading and writing files of hierarchies.

Source of truth: small files typed by hand, with units and ranks worked out by hand; markdown-it-py for what
is a heading; a plain parse of the published HAPS codings; and for written files that reading gives the same.
"""

from __future__ import annotations

import json
import re
import warnings
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.real_data import data_path

from caesura import Corpus, CorpusError, Hierarchy, Segmentation, TypeScheme, cli
from caesura.io import files
from caesura.io.formats import haps_csv, markdown
from caesura.io.outlines import Outline
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept, write

RANKED = [name for name, format in FORMATS.items() if "ranks" in format.keeps]
MAY_REFUSE = {"markdown", "wiki727", "html", "nxt"}
"""Formats of texts, some of which they would read otherwise."""


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def run(capsys, *arguments):
    code = cli.run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", err)  # what was understood: cli/test_reading.py
    return code, out, said


def only(corpus):
    """The boundaries with their ranks, and the units, of a corpus of one coding."""
    ((document, _, segmentation),) = corpus
    return dict(segmentation.boundaries), list(corpus.units.get(document, ()))


def levels(n):
    return TypeScheme({rank: f"level {rank}" for rank in range(1, n + 1)}, ranks=True)


def refusal(path, format=None):
    with pytest.raises(CorpusError) as error:
        read(path, format)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 1000
    return message.removeprefix(f"{path}: ")


# -------------------------------------------------------------------- HAPS


HAPS = "par,level1,level2,level3\n1,0,1,1\n2,1,1,1\n3,0,0,1\n4,0,0,0\n5,1,1,1\n"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("name", ["ch1/ch1-an1.csv", "ch1-an1.csv", "ch1/an1.csv"])
def test_haps(tmp_path, end, name):
    put(tmp_path / "annots" / name, HAPS.replace("\n", end))
    corpus = read(tmp_path / "annots")
    assert corpus.metadata["format"] == "haps"
    assert (corpus.documents, corpus.coders) == (("ch1",), ("an1",))
    assert corpus["ch1", "an1"].n_units == 5
    assert only(corpus) == ({1: 2, 2: 1, 3: 3}, [])
    assert corpus.type_scheme == levels(3)
    assert "notices" not in corpus.metadata


@pytest.mark.parametrize(
    ("name", "document", "coder"),
    [
        ("ch1", "ch1", "reference"),
        ("moby-dick-ann", "moby-dick", "ann"),
        ("moby-dick/ann", "moby-dick", "ann"),
        ("moby-dick/moby-dick-ann-marie", "moby-dick", "ann-marie"),
        ("group1/ch1-an1", "group1/ch1", "an1"),
        ("part/ch1/ch1-an1", "part/ch1", "an1"),
        ("-an1", "-an1", "reference"),
        ("ch1-", "ch1-", "reference"),
    ],
)
def test_haps_names(name, document, coder):
    assert haps_csv.names(name) == (document, coder)


def test_haps_levels_that_do_not_nest_are_united_with_one_notice(tmp_path):
    # level 2 lacks the break after 2, level 3 those after 1 and 2; level 4 was not used.
    table = "par,level1,level2,level3,level4\n1,0,1,0,0\n2,1,0,0,0\n3,0,0,1,0\n4,1,1,1,1\n"
    for coder in ("an1", "an2", "an3"):
        put(tmp_path / "in" / f"d-{coder}.csv", table)
    with pytest.warns(UserWarning, match="do not nest") as caught:
        corpus = read(tmp_path / "in")
    assert len(caught) == 1
    notice = (
        "coder an1: the levels do not nest and are united: of the breaks above, "
        "level2 lacks 1 of 1, level3 lacks 2 of 2"
    )
    assert corpus.metadata["notices"][0] == f"{tmp_path / 'in' / 'd-an1.csv'}: {notice}"
    assert len(corpus.metadata["notices"]) == 3
    assert str(caught[0].message).startswith(corpus.metadata["notices"][0])
    assert "2 more notices" in str(caught[0].message)
    for coder in ("an1", "an2", "an3"):
        assert dict(corpus["d", coder].boundaries) == {1: 2, 2: 1, 3: 3}


def test_haps_without_a_marked_end_may_be_cut_off(tmp_path):
    path = put(tmp_path / "d.csv", HAPS[: HAPS.index("5,")])
    with pytest.warns(
        UserWarning, match=r"line 5: the document's end is not marked on level1, level2, level3"
    ):
        corpus = read(path)
    assert only(corpus)[0] == {1: 2, 2: 1, 3: 3}
    assert corpus["d", "reference"].n_units == 4


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("par,level1\n1,0\n2,x\n", r"line 3: level1 is 'x': expected 1 for a break after, 0 for none"),
        ("par,level1\n1,0\n2,\n", "line 3: level1 is ''"),
        ("par,level1\n1,0\n3,1\n", "line 3: par is '3', not 2"),
        ("par,level1\n1,0\n2\n", "line 3 has 1 cells, not 2"),
        ("par,level1\n", "there are no rows below the header"),
        ("par,level2\n1,1\n", r"line 1 is \['par', 'level2'\]: expected the columns par, level1"),
        ("par\n1\n", "line 1 is"),
    ],
)
def test_bad_haps(tmp_path, table, fault):
    assert re.match(fault, refusal(put(tmp_path / "d.csv", table), "haps"))


def test_published_haps_codings():
    folder = data_path("hierarchy", "annots")
    with pytest.warns(UserWarning, match="40 more notices") as caught:
        corpus = read(folder)
    assert len(caught) == 1
    expected = {}
    for file in folder.rglob("*.csv"):
        document, coder = file.stem.split("-")
        rows = [line.split(",")[1:] for line in file.read_bytes().decode().split("\r")[1:]]
        ranks = {after: row.index("1") + 1 for after, row in enumerate(rows, start=1) if "1" in row}
        assert ranks.pop(len(rows)) == 1
        expected[document, coder] = (len(rows), ranks)
    found = {(d, c): (coding.n_units, dict(coding.boundaries)) for d, c, coding in corpus}
    assert found == expected
    assert len(found) == 45
    assert corpus.documents == tuple(f"ch{n}" for n in (1, 2, 4, 5, 6, 7, 8, 9, 10))
    assert corpus.is_hierarchical
    assert corpus.type_scheme == levels(5)
    # 41 of the files do not nest; the other four are an1 and an5 of ch1 and an19 of ch8 and ch9.
    assert len(corpus.metadata["notices"]) == 41


def test_haps_folders_are_written_as_they_are_published(tmp_path):
    corpus = Corpus.from_dict(
        {
            "ch1": {"an1": Hierarchy.from_ranks({1: 2, 2: 1}, 4), "an-2": Hierarchy.from_ranks({3: 1}, 4)},
            "part/ch-2": {"an1": Hierarchy.from_ranks({1: 7}, 2)},
        }
    )
    write(corpus, tmp_path / "out", "haps")
    names = sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.csv")
    )
    assert names == ["ch1/ch1-an-2.csv", "ch1/ch1-an1.csv", "part/ch-2/ch-2-an1.csv"]
    assert (tmp_path / "out" / names[1]).read_text() == (
        "par,level1,level2,level3,level4,level5,level6\n"
        "1,0,1,0,0,0,0\n2,1,1,0,0,0,0\n3,0,0,0,0,0,0\n4,1,1,1,1,1,1\n"
    )
    found = read(tmp_path / "out")
    assert {coding[:2]: coding[2] for coding in found} == {coding[:2]: coding[2] for coding in corpus}
    with pytest.raises(CorpusError, match="holds one coding per file and there are 3; name a folder"):
        write(corpus, tmp_path / "out.csv", "haps")
    odd = Corpus.from_dict({"d": {"a/b": [2, 1], "c": [3]}})
    with pytest.raises(CorpusError, match=r"document 'd': coder 'a/b': no file name holds these"):
        write(odd, tmp_path / "odd", "haps")
    with pytest.raises(CorpusError, match="too large a table"):
        write(Corpus.from_dict({"d": {"a": [10**9, 1]}}), tmp_path / "d.csv", "haps")


# -------------------------------------------------------------------- Markdown


def markdown_file(tmp_path, text):
    return only(read(put(tmp_path / "d.md", text)))


def test_markdown(tmp_path):
    text = """Before all.

# Title

One,
two.

## Part

- a
- b

Sub
---

Last.
"""
    corpus = read(put(tmp_path / "d.md", text))
    assert corpus.metadata["format"] == "markdown"
    assert only(corpus) == ({1: 1, 2: 2, 3: 2}, ["Before all.", "One,\ntwo.", "- a\n- b", "Last."])
    assert corpus.type_scheme == levels(2)
    assert (corpus.documents, corpus.coders) == (("d",), ("reference",))


@pytest.mark.parametrize(
    ("text", "ranks", "units"),
    [
        ("# T\n\na\n\nb\n", {}, ["a", "b"]),
        ("no heading\n\nat all\n", {}, ["no heading", "at all"]),
        ("a\n# A\n## B\n### C\nb", {1: 1}, ["a", "b"]),
        ("a\n### C\n# A\nb", {1: 1}, ["a", "b"]),
        ("a\n### C\nb\n# last", {1: 3}, ["a", "b"]),
        ("a\n\n###### six\nb\n####### seven\nc", {1: 6}, ["a", "b\n####### seven\nc"]),
        ("a\n#5 bolt\n#\nb", {1: 1}, ["a\n#5 bolt", "b"]),
        ("a\n\nTwo\nlines\n===\n\nb", {1: 1}, ["a", "b"]),
        ("a\n\n---\n\nb\n\n***\nc", {}, ["a", "b", "c"]),
        ("a\n\n- item\n---\nb", {}, ["a", "- item", "b"]),
        ("a\n\n> quote\n===\n> # q", {}, ["a", "> quote\n===\n> # q"]),
        ("a\n```\n# no\n\nno\n===\n```\n# yes\nb", {2: 1}, ["a", "```\n# no\n\nno\n===\n```", "b"]),
        ("a\n~~~~\n```\n~~~\n# no\n~~~~~\n## yes\nb", {2: 2}, ["a", "~~~~\n```\n~~~\n# no\n~~~~~", "b"]),
        ("a\n```\n    ```\n# no\n   ````  \n# yes\nb", {2: 1}, ["a", "```\n    ```\n# no\n   ````  ", "b"]),
        ("a\n\n    # code\n\n\t# code\nb", {}, ["a", "    # code", "\t# code", "b"]),
        ("a\n\n<!-- one\n\n# no\n-->\n# yes\nb", {1: 1}, ["a", "b"]),
        ("a\n\n<!-- one --> two\n\nb", {}, ["a", "<!-- one --> two", "b"]),
        ("a\n\n<pre>\n\n# no\n</pre>\n# yes\nb", {2: 1}, ["a", "<pre>\n\n# no\n</pre>", "b"]),
        ("a\n\n<div>\n# no\n</div>\n\n# yes\nb", {2: 1}, ["a", "<div>\n# no\n</div>", "b"]),
        ("- a\n\n  # no\n\n  b\n\n# yes\nc", {3: 1}, ["- a", "  # no", "  b", "c"]),
        ("- ```\n  # no\n  ```\n\n# yes\na", {1: 1}, ["- ```\n  # no\n  ```", "a"]),
        ("---\ntitle: x\n---\na\n# A\nb", {1: 1}, ["a", "b"]),
        ("a\r\n# A\r\nb\r# B\rc", {1: 1, 2: 1}, ["a", "b", "c"]),
    ],
)
def test_what_is_a_heading_and_a_unit_in_markdown(tmp_path, text, ranks, units):
    assert markdown_file(tmp_path, text) == (ranks, units)


LINES = [
    *(
        "# a",
        "## b",
        "   ### c",
        "    # code",
        "#5",
        "#",
        "####### h",
        "\t# tab",
        "#\ttab",
        "text",
        "more text",
    ),
    *("===", "---", "-", "=== x", "* * *", "***", "", "", "", "- item", "  # in item", "  text in item"),
    *("- # it", "- ```", "+ ", "*", "> quote", "> # q", "```", "~~~", "``` py", "  ```", "````", "   ```"),
    *(
        "<!-- c -->",
        "<!--",
        "-->",
        "<!-- c --> text",
        "<div>",
        "</div>",
        "<pre>",
        "</pre>",
        "<b> text",
        "    ```",
    ),
]


@settings(max_examples=5 * settings.default.max_examples)
@given(st.lists(st.sampled_from(LINES), max_size=9))
def test_headings_are_those_of_commonmark(lines):
    found = []

    class Recorded(Outline):
        def add_heading(self, rank):
            found.append(rank)
            super().add_heading(rank)

    with patch.object(markdown, "Outline", Recorded):
        markdown._outline(lines)
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    assert found == [int(t.tag[1]) for t in tokens if t.type == "heading_open" and t.level == 0]


def test_markdown_code_without_an_end_is_noticed(tmp_path):
    with pytest.warns(UserWarning, match=r"d\.md: line 3: the code, comment or HTML .* has no end"):
        corpus = read(put(tmp_path / "d.md", "a\n\n```\n# no\n\nb\n"))
    assert only(corpus) == ({}, ["a", "```\n# no\n\nb"])


def test_bad_markdown(tmp_path):
    assert "there is no text" in refusal(put(tmp_path / "d.md", "# Only\n\n## headings\n"))
    units = {"d": ["a", "# b"]}
    corpus = Corpus.from_dict({"d": {"reference": [1, 1]}}, units=units)
    with pytest.raises(CorpusError, match="unit 2 is '# b': expected a text that Markdown reads back"):
        write(corpus, tmp_path / "o.md")
    for unit in ("a\n\nb", "", " ", "---", "```", "<!--", "x\ry", "Title\n==="):
        corpus = Corpus.from_dict({"d": {"reference": [1, 1]}}, units={"d": ["a", unit]})
        with pytest.raises(CorpusError, match="document d: unit 2 is"):
            write(corpus, tmp_path / "o.md")
    deep = Corpus.from_dict({"d": {"reference": Hierarchy.from_ranks({1: 7}, 2)}}, units={"d": ["a", "b"]})
    with pytest.raises(CorpusError, match="rank 7 at position 1: headings are from 1 to 6"):
        write(deep, tmp_path / "o.md")


def test_markdown_beside_data_is_not_read(tmp_path):
    put(tmp_path / "in" / "ch1.csv", "unit,ann\n1,1\n2,2\n")
    for name in ("README.md", "readme.markdown", "LICENSE.md", "README.html", "x_LICENSE.htm"):
        put(tmp_path / "in" / name, "# About\n\ntext\n\n# More\n\ntext\n")
    corpus = read(tmp_path / "in")
    assert corpus.documents == ("ch1",)
    assert not corpus.is_hierarchical
    assert read(tmp_path / "in" / "README.md").documents == ("README",)
    put(tmp_path / "in" / "notes.md", "a\n\n# More\n\ntext\n")
    with pytest.warns(UserWarning, match=r"ch1\.csv: it has no ranks where other files do"):
        assert read(tmp_path / "in").is_hierarchical


# -------------------------------------------------------------------- HTML


PAGE = """<!DOCTYPE html>
<html><head><title>No unit</title><style>p > a { color: red } /* <h1> */</style>
<script>if (1 < 2) { "<h1>no</h1>" }</script></head>
<body><nav><h2>Contents</h2><ul><li>no</li></ul></nav>
<h1 class="a > b">Title</h1>
<p>One &amp; <b>two</b>,
   three.<p>Four &lt; 5<br>six
<!-- <h2>no</h2> -->
<h2>Part</h2><h3>Sub</h3>
<div>In a div <ul><li>item<li>  item 2</ul> after</div>
<template><h1>no</h1><p>no</p></template>
<PRE>
  as  it
 is
</PRE>
<H1 ID=x>Next</H1>
<table><tr><td>cell</td><td>&nbsp;</td><td>a < b</td></tr></table>
<h2>Nothing below</h2>
</body></html>
"""


def test_html(tmp_path):
    units = [
        "One & two, three.",
        "Four < 5 six",
        "In a div",
        "item",
        "item 2",
        "after",
        "  as  it\n is",
        "cell",
        "a < b",
    ]
    for name in ("d.html", "d.htm", "d", "d.x"):
        corpus = read(put(tmp_path / name, PAGE))
        assert corpus.metadata["format"] == "html"
        assert only(corpus) == ({2: 2, 7: 1}, units)
        assert corpus.type_scheme == levels(2)
    plain = put(tmp_path / "e.html", "<p>a<h2>A</h2>b<h6>B</h6><p>c")
    assert only(read(plain)) == ({1: 2, 2: 6}, ["a", "b", "c"])
    assert only(read(put(tmp_path / "f.html", "just text"))) == ({}, ["just text"])


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>a\n<h1>b<p>c", "line 2: '<h1>b<p>c' is not closed"),
        ("<h1>a\n<p>b</p><h2>c</h2>", "line 1: '<h1>a"),
        ("<p>a\r\n\r\n<nav><p>c", "line 3: '<nav>"),
        ("<p>a <!-- b", "line 1: '<!-- b' is not closed"),
        ("<p>a <script> b", "line 1: '<script> b' is not closed"),
        ("<p>a <b", "line 1: '<b' is not closed"),
        ("<p>a <!b", "line 1: '<!b' is not closed"),
        ("<h1>a</h1>", "there is no text"),
    ],
)
def test_bad_html(tmp_path, page, fault):
    assert refusal(put(tmp_path / "d.html", page)).startswith(fault)


# -------------------------------------------------------------------- Wiki-727K


WIKI = """========,1,preface.
A dog barks .
***LIST***
========,2,Origin, and name.
========,3,Name.
It is old .

========,3,Use.
It is used .
========,2,See also.
"""


def test_wiki727(tmp_path):
    for name in ("12345", "12345.txt", "12345.x"):
        corpus = read(put(tmp_path / name, WIKI))
        assert corpus.metadata["format"] == "wiki727"
        assert only(corpus) == ({2: 2, 3: 3}, ["A dog barks .", "***LIST***", "It is old .", "It is used ."])
        assert corpus.type_scheme == levels(3)
    write(corpus, tmp_path / "again", "wiki727")
    assert (tmp_path / "again").read_text() == (
        "========,1,preface.\nA dog barks .\n***LIST***\n========,2,section 2.\nIt is old .\n"
        "========,3,section 3.\nIt is used .\n"
    )
    ruled = put(tmp_path / "ruled.txt", WIKI + "-----\n")
    assert only(read(ruled))[0] == {2: 2, 3: 3, 4: 2}


@pytest.mark.parametrize(
    "line", ["========,x,a.", "========,0,a.", "========,2", "==========", "========,1001,a."]
)
def test_bad_wiki727(tmp_path, line):
    message = refusal(put(tmp_path / "d", f"========,1,preface.\na\n{line}\nb\n"))
    assert message == f"line 3 is {line!r}: expected ========,level,title. with a level from 1 to 1000"
    corpus = Corpus.from_dict({"d": {"reference": [1, 1]}}, units={"d": ["a", line]})
    with pytest.raises(CorpusError, match="document d: unit 2 is"):
        write(corpus, tmp_path / "o", "wiki727")
    assert "there is no text" in refusal(put(tmp_path / "e", "========,1,preface.\n"))


# -------------------------------------------------------------------- WikiSection


TEXT = "First line.\nSecond line.\nThird. Fourth.\n\nFifth."


def article(*sections, text=TEXT, **entries):
    annotations = [
        {
            "begin": begin,
            "length": length,
            "sectionHeading": "H",
            "sectionLabel": "l",
            "class": "SectionAnnotation",
        }
        for begin, length in sections
    ]
    return {
        "id": "x1",
        "title": "T",
        "type": "city",
        "abstract": "",
        "text": text,
        "annotations": annotations,
    } | entries


def test_wikisection(tmp_path):
    # The second section ends inside a line, after "Third. "; between the last two there is only a line end.
    first = article((0, 12), (12, 20), (32, 7), (40, 7))
    second = article((0, 1), text="a", title="T2", id=7)
    corpus = read(put(tmp_path / "d.json", json.dumps([first, second])))
    assert corpus.metadata["format"] == "wikisection"
    assert corpus.to_dict() == {"T": {"reference": [1, 2, 1, 1]}, "T2": {"reference": [1]}}
    assert corpus.units["T"] == ("First line.", "Second line.", "Third. ", "Fourth.", "Fifth.")
    assert corpus.type_scheme is None
    same = [first, {**second, "title": "T"}]
    assert read(put(tmp_path / "e.json", json.dumps(same))).documents == ("x1", "7")
    other = article((12, 35), (0, 12))
    other["annotations"].append({"begin": 3, "length": 4, "class": "EntityAnnotation"})
    assert read(put(tmp_path / "f.json", json.dumps([other]))).to_dict() == {"T": {"reference": [1, 3]}}


def test_wikisection_sections_without_text_are_noticed(tmp_path):
    data = [article((0, 12), (12, 0), (12, 35))]
    with pytest.warns(UserWarning, match=r"document T: annotations\[1\] has no text and makes no segment"):
        assert read(put(tmp_path / "d.json", json.dumps(data))).to_dict() == {"T": {"reference": [1, 3]}}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (
            [article((0, 12), (11, 36))],
            "article 0: document T: annotations[1] begins at 11, inside the section before (to 12)",
        ),
        ([article((0, 12), (14, 33))], "article 0: document T: characters 12 to 14 ('Se') are in no section"),
        ([article((0, 40))], r"article 0: document T: characters 40 to 47 ('\nFifth.') are in no section"),
        ([article((0, 99))], "article 0: document T: annotations[0] ends at 99 and the text at 47"),
        (
            [article((-1, 48))],
            "article 0: document T: annotations[0]: begin is -1: characters are counted from 0",
        ),
        ([article((0, True))], "article 0: document T: annotations[0]: length is True"),
        ([article((0, 47)), article((0, 47))], "article 1: document x1 is there twice"),
        (
            [article((0, 47), title=None, id=None)],
            "article 0: the id (title None) is None: expected a name",
        ),
        ([article()], "article 0: document T: annotations is []: there is no section"),
        ([article((0, 1), text=" ")], "article 0: document T: there is no text"),
        ([article((0, 47), text=5)], "article 0: text is 5: expected text"),
        ([article((0, 47)), 3], "article 1 is 3: expected an object"),
        (
            [article((0, 47), annotations=[3])],
            "article 0: document T: annotations[0] is 3: expected an object",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_bad_wikisection(tmp_path, data, fault):
    message = refusal(put(tmp_path / "d.json", json.dumps(data)))
    assert message.startswith(fault)


def test_lists_inside_lists_hide_no_heading_in_markdown(tmp_path):
    path = tmp_path / "deep.md"

    def with_lists(depth):
        items = "".join(f"{'  ' * level}- item\n" for level in range(depth))
        path.write_text(f"# A\ntext\n\n{items}\n# B\n\ntext\n", encoding="utf-8")

    for depth in (1, 50, 98):
        with_lists(depth)
        assert read(path)["deep", "reference"].positions == (2,)
    for depth in (99, 400):
        with_lists(depth)
        with pytest.raises(CorpusError, match="line 102: lists and quotations are nested more than 98 deep"):
            read(path)


# -------------------------------------------------------------------- nested JSON


def test_nested_json(tmp_path):
    data = {"d": {"ann": [[2, 3], 6], "bob": [11], "units": list("abcdefghijk")}, "e": {"ann": [[[1], [1]]]}}
    for name in ("d.json", "d.x", "d"):
        corpus = read(put(tmp_path / name, json.dumps(data)))
        assert corpus.metadata["format"] == "nested-json"
        assert dict(corpus["d", "ann"].boundaries) == {2: 2, 5: 1}
        assert dict(corpus["d", "bob"].boundaries) == {}
        assert dict(corpus["e", "ann"].boundaries) == {1: 2}
        assert corpus.units == {"d": tuple("abcdefghijk")}
        assert corpus.type_scheme == levels(2)
    write(corpus, tmp_path / "o.json", "nested-json")
    expected = {"d": {"ann": [[2, 3], 6], "bob": [11], "units": list("abcdefghijk")}, "e": {"ann": [[1, 1]]}}
    assert json.loads((tmp_path / "o.json").read_text()) == expected


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (
            {"d": {"ann": [[2, 0], 6]}},
            "document d: coder ann: nested[0][1] is 0: a segment needs at least one unit",
        ),
        ({"d": {"ann": [[2, []], 6]}}, "document d: coder ann: nested[0][1] is empty"),
        ({"d": {"ann": [2, "x"]}}, "document d: coder ann: nested[1] is 'x'"),
        ({"d": {"ann": [2], "bob": [3]}}, "document d: coder bob has 3 units where coder ann has 2"),
        ({"d": {"ann": [2]}, "e": [3]}, "document e: expected {coder: nested masses}, not [3]"),
        ({"d": {"ann": [2]}, "e": {"ann": 3}}, "document e: coder ann: expected nested lists of masses"),
        ({"d": {"ann": [2], "units": ["a"]}}, "document d: the text has 1 units where coder ann has 2"),
        ({"d": {"units": ["a"]}}, "document d: it has no annotations"),
    ],
)
def test_bad_nested_json(tmp_path, data, fault):
    assert refusal(put(tmp_path / "d.json", json.dumps(data)), "nested-json").startswith(fault)


def test_the_deepest_nested_json(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_ranks({1: 500, 2: 1}, 3)}})
    write(corpus, tmp_path / "o.json", "nested-json")
    assert dict(read(tmp_path / "o.json").segmentations()) == dict(corpus.segmentations())
    deeper = Corpus.from_dict({"d": {"ann": Hierarchy.from_ranks({1: 501}, 2)}})
    with pytest.raises(CorpusError, match="the rank 501 at position 1: lists are at most 500 deep"):
        write(deeper, tmp_path / "p.json", "nested-json")


def test_nested_json_is_not_taken_for_other_json(tmp_path):
    for data, name in [
        ({"segmentation_type": "linear", "items": {"d": {"ann": [2, 3]}}}, "segeval-json"),
        ({"d": [["a", "-1"], ["b", "1"]]}, "tiage"),
        ([{"dial_id": 1, "utterances": ["a"], "segments": [1]}], "dialseg711"),
        ([article((0, 47))], "wikisection"),
        ({"items": [[2]], "d": {"a": [1]}}, None),
        ({"d": {"ann": [[2.5]]}}, None),
        ({"d": {}}, None),
    ]:
        path = put(tmp_path / "d.json", json.dumps(data))
        if name is None:
            assert "no format fits the content" in refusal(path)
        else:
            assert read(path).metadata["format"] == name
    assert "segmentation_type" in refusal(put(tmp_path / "d.json", '{"items": {"ann": [2]}}'), "segeval-json")


# -------------------------------------------------------------------- all of them


@st.composite
def ranked(draw, name):
    n_units = draw(st.integers(1, 9))
    deepest = {"markdown": 6, "html": 6, "tinyrec": 2}.get(name, 12)
    ranks = {}
    if n_units > 1:
        ranks = draw(st.dictionaries(st.integers(1, n_units - 1), st.integers(1, deepest)))
    line = st.one_of(
        st.sampled_from(
            ["One .", "# no", "a\nb", "- x", "```", "========", "> q", "---", "a\n===", " b", "\ufeffx"]
        ),
        st.text(max_size=5),
    )
    units = draw(st.lists(line, min_size=n_units, max_size=n_units))
    return Hierarchy.from_ranks(ranks, n_units), units


@pytest.mark.parametrize("name", RANKED)
@given(data=st.data())
def test_what_is_written_is_read_back_or_refused(tmp_path, name, data):
    hierarchy, units = data.draw(ranked(name))
    corpus = Corpus.from_dict({"d": {"reference": hierarchy}}, units={"d": units})
    path = tmp_path / f"d{FORMATS[name].extensions[0]}"
    path.unlink(missing_ok=True)
    try:
        write(corpus, path, name)
    except CorpusError as error:
        fault = str(error)
    else:
        fault = None
    if fault is not None:
        assert fault.startswith(f"{path}: ")
        assert not path.exists()
        assert name in MAY_REFUSE or "half a character" in fault or "NUL" in fault
        return
    found = read(path, name)
    assert dict(found.segmentations()) == dict(corpus.segmentations())
    assert dict(found.units) == (dict(corpus.units) if "units" in FORMATS[name].keeps else {})
    deepest = max(hierarchy.ranks, default=1)
    is_flat = name == "nested-json" and deepest == 1  # flat lists are plain segmentations
    assert found.type_scheme == (None if is_flat else levels(deepest))


@pytest.mark.parametrize("name", RANKED)
def test_simple_texts_are_never_refused_and_always_recognised(tmp_path, name):
    corpus = Corpus.from_dict(
        {"d": {"reference": Hierarchy.from_ranks({1: 2, 2: 1, 3: 2 if name == "tinyrec" else 6}, 5)}},
        units={"d": ["One, two.", '"3"', "=4", "naïve 日本", "- item"]},
    )
    format = FORMATS[name]
    extensions = format.extensions if name == "markdown" else (*format.extensions, ".other", "")
    for extension in extensions:
        write(corpus, tmp_path / f"d{extension}", name)
        found = read(tmp_path / f"d{extension}")
        assert found.metadata["format"] == name
        assert dict(found.segmentations()) == dict(corpus.segmentations())


@pytest.mark.parametrize("name", ["jsonl", "parquet"])
def test_ranks_are_kept_where_everything_is(tmp_path, name):
    corpus = Corpus.from_dict({"d": {"ann": Hierarchy.from_nested([[2, 3], 6]), "bob": [5, 6]}})
    path = tmp_path / f"d.{name}"
    write(corpus, path)
    found = read(path)
    assert found.type_scheme == corpus.type_scheme
    assert found.is_hierarchical
    assert dict(found.segmentations()) == dict(corpus.segmentations())
    assert not_kept(corpus, FORMATS[name], path) == []


def test_schemes_without_ranks_are_written_as_before(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": [2, 3]}}, type_scheme=TypeScheme({1: "x"}))
    write(corpus, tmp_path / "d.jsonl")
    first = (tmp_path / "d.jsonl").read_text().splitlines()[0]
    assert first == '{"type_scheme": {"names": {"1": "x"}, "nominal": false}}'
    broken = (
        '{"type_scheme": {"names": {"1": "x"}, "ranks": 1}}\n{"document": "d", "coder": "a", "masses": [1]}\n'
    )
    assert refusal(put(tmp_path / "e.jsonl", broken)).startswith("line 1: type_scheme is")
    both = broken.replace('"ranks": 1', '"ranks": true, "nominal": true')
    assert "cannot be nominal" in refusal(put(tmp_path / "e.jsonl", both))


def test_files_of_different_depth_are_united(tmp_path):
    put(tmp_path / "in" / "a.md", "x\n\n# A\n\ny\n")
    put(tmp_path / "in" / "b.html", "<p>x</p><h3>B</h3><p>y</p>")
    corpus = read(tmp_path / "in")
    assert corpus.type_scheme == levels(3)
    assert corpus.metadata["format"] == "markdown, html"
    other = Corpus.from_dict({"c": {"ann": [1, 1]}}, type_scheme=TypeScheme({1: "x"}))
    write(other, tmp_path / "in" / "c.jsonl")
    with pytest.raises(CorpusError, match=r"c\.jsonl: it declares other boundary types than a file before"):
        read(tmp_path / "in")


@pytest.mark.parametrize("name", [name for name in RANKED if "types" not in FORMATS[name].keeps])
def test_types_that_are_no_ranks_are_refused(tmp_path, name):
    typed = Segmentation.from_positions([1, 2], 4, [1, 2])
    corpus = Corpus.from_dict({"d": {"ann": typed}}, units={"d": list("abcd")})
    with pytest.raises(
        CorpusError, match=f"{name} cannot hold unless they are declared as ranks; write jsonl"
    ):
        write(corpus, tmp_path / "d.x", name)


def test_what_is_not_kept_is_told(tmp_path):
    corpus = Corpus.from_dict(
        {"d": {"ann": Hierarchy.from_nested([[2, 3], 6])}}, units={"d": list("abcdefghijk")}
    )
    assert not_kept(corpus, FORMATS["nested-json"], "o.json") == []
    assert not_kept(corpus, FORMATS["long"], "o.csv") == ["the units' text", "that the types are ranks"]
    assert not_kept(corpus, FORMATS["haps"], "d-ann.csv") == ["the units' text"]
    assert not_kept(corpus, FORMATS["haps"], "o.csv") == [
        "the units' text",
        "the document's name (it will be o)",
        "the coder's name (it will be reference)",
    ]
    write(corpus, tmp_path / "out/", "haps")
    write(corpus, f"{tmp_path}/folder/", "haps")
    assert not_kept(corpus, FORMATS["haps"], f"{tmp_path}/folder/") == ["the units' text"]
    named = Corpus.from_dict(
        corpus.segmentations(),
        units=corpus.units,
        type_scheme=TypeScheme({1: "part", 2: "chapter"}, ranks=True),
    )
    assert not_kept(named, FORMATS["nested-json"], "o.json") == ["the names of the levels"]
    flat = Corpus.from_dict({"d": {"ann": [2, 3]}})
    assert not_kept(flat, FORMATS["nested-json"], "o.json") == []
    assert not_kept(flat, FORMATS["haps"], "d-ann.csv") == [
        "that boundaries have no rank (they will be of level 1)"
    ]


# -------------------------------------------------------------------- hostile files


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("d.json", '{"d": {"ann": ' + "[" * 100_000 + "1" + "]" * 100_000 + "}}", "nested too deeply"),
        ("e.json", '{"d": {"ann": ' + "[" * 1001 + "1" + "]" * 1001 + "}}", "deep"),
        ("d", "========,1,a.\nx\n========,99999999999999999999,b.\ny\n", "with a level from 1 to 1000"),
        ("d.html", "<!--" * 500_000, "not closed"),
        ("e.html", "<a " * 500_000, "not closed"),
        ("f.html", "<h1>" * 100_000, "not closed"),
    ],
)
def test_hostile_files_are_refused(tmp_path, capsys, name, content, fault):
    path = put(tmp_path / name, content)
    assert fault in refusal(path)
    code, _, err = run(capsys, "describe", path)
    assert (code, err.count("\n")) == (1, 1)


@pytest.mark.exhaustive
def test_deep_and_long_files_are_read(tmp_path):
    n = 100_000
    deep = put(
        tmp_path / "d.html", "<div>" * n + "a" + "</div>" * n + "<h2>A</h2>" + "<blockquote>" * n + "b"
    )
    assert only(read(deep)) == ({1: 2}, ["a", "b"])
    quotes = put(tmp_path / "d.md", f"{'>' * n} a\n\n# A\n\n{'- ' * n}b\n\n# B\n\n{'> ' * n}c\n")
    ranks, units = only(read(quotes))
    assert (ranks, len(units)) == ({1: 1, 2: 1}, 3)
    long = put(tmp_path / "e.html", "<p>word &amp; word</p><h2>t</h2>" * 160_000)  # 5 MB on one line
    corpus = read(long)
    assert corpus["e", "reference"].n_boundaries == 159_999
    headings = put(tmp_path / "f.md", "# a\n" * 100_000 + "b\n\n" + "#" * 1_000_000 + " c\n")
    assert only(read(headings))[0] == {}


@pytest.mark.parametrize("name", ["d.md", "d"])
def test_too_long_lines(tmp_path, monkeypatch, name):
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = put(tmp_path / name, "========,1,a.\n" + "x" * 1001)
    assert "line 2 has 1,001 characters, more than 1,000" in refusal(
        path, None if name == "d.md" else "wiki727"
    )


@settings(max_examples=3 * settings.default.max_examples)
@given(
    text=st.text(st.sampled_from("<>/!-h12p#=`~ \n\r\t'\"&;ab=,0"), max_size=40) | st.binary(max_size=40),
    name=st.sampled_from([*RANKED, "wikisection"]),
)
def test_no_text_at_all_makes_a_traceback(tmp_path, text, name):
    assert_read_or_refused(put(tmp_path / "d.x", text), name)


def assert_read_or_refused(path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            assert len(read(path, name)) >= 1
        except CorpusError as error:
            fault = str(error)
        else:
            return
    assert fault.startswith(f"{path}: ")
    assert len(fault.splitlines()) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.sampled_from([1.5, 10**30, "a", "\ud800", "T"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["d", "units", "text", "annotations", "begin", "length", "title"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
articles = st.fixed_dictionaries(
    {
        "text": st.just("ab\ncd"),
        "annotations": st.lists(
            st.fixed_dictionaries({"begin": json_values, "length": json_values}), max_size=3
        ),
    },
    optional={"title": json_values, "id": json_values},
)


@pytest.mark.exhaustive
@settings(max_examples=3 * settings.default.max_examples)
@given(value=json_values | st.lists(articles, max_size=3) | st.dictionaries(st.just("d"), json_values))
def test_no_json_at_all_makes_a_traceback(tmp_path, value):
    path = put(tmp_path / "d.json", json.dumps(value))
    for name in ("nested-json", "wikisection", None):
        assert_read_or_refused(path, name)


# -------------------------------------------------------------------- the command line


def test_convert_and_describe(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "d.md", "a\n\n# A\n\nb\n\n## B\n\nc\n")
    assert run(capsys, "convert", "d.md", "d.jsonl") == (
        0,
        "",
        "d.md (markdown): 1 document, 1 coder, 1 coding -> d.jsonl (jsonl)\n",
    )
    assert read("d.jsonl").type_scheme == levels(2)
    assert run(capsys, "convert", "d.jsonl", "out", "--to", "haps") == (
        0,
        "",
        "d.jsonl (jsonl): 1 document, 1 coder, 1 coding -> out (haps)\n"
        "not kept in haps: the units' text, the document's name (it will be out)\n",
    )
    assert run(capsys, "convert", "d.jsonl", "folder/", "--to", "haps") == (
        0,
        "",
        "d.jsonl (jsonl): 1 document, 1 coder, 1 coding -> folder/ (haps)\n"
        "not kept in haps: the units' text\n",
    )
    assert (tmp_path / "folder" / "d" / "d-reference.csv").is_file()
    assert run(capsys, "convert", "folder", "n.json", "--to", "nested-json")[0] == 0
    assert json.loads((tmp_path / "n.json").read_text()) == {"d": {"reference": [1, [1, 1]]}}
    assert run(capsys, "convert", "d.jsonl", "again.md")[0] == 0
    assert only(read("again.md")) == ({1: 1, 2: 2}, ["a", "b", "c"])
    put(tmp_path / "w", WIKI)
    put(tmp_path / "p.html", PAGE)
    put(tmp_path / "s.json", json.dumps([article((0, 12), (12, 35))]))
    for name in ("d.md", "w", "p.html", "s.json", "n.json", "folder"):
        code, out, err = run(capsys, "describe", name)
        assert (code, err) == (0, ""), name
        assert out
