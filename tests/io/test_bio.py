"""BIO columns. Source of truth: facts counted for the real files, conlleval's rule, and files by hand."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.tables.marks import chunks_of
from caesura.io.writing import write


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def masses(corpus: Corpus, coder: str = "reference") -> list[list[int]]:
    return [coded[coder] for coded in corpus.to_dict().values()]


def conlleval_chunks(tags: list[str]) -> list[tuple[int, int]]:
    """Chunks by conlleval's startOfChunk and endOfChunk, for B, I and O, position by position."""
    chunks, start = [], None
    padded = ["O", *tags, "O"]
    for place in range(1, len(padded)):
        before, here = padded[place - 1], padded[place]
        kind_before, kind_here = before.partition("-")[2], here.partition("-")[2]
        ends = before[0] != "O" and (here[0] in "OB" or kind_before != kind_here)
        starts = here[0] != "O" and (here[0] == "B" or before[0] == "O" or kind_before != kind_here)
        if ends:
            chunks.append((start, place - 1))
        if starts:
            start = place - 1
    return chunks


def masses_by_rule(chunks: list[tuple[int, int]], n_units: int, rule: str) -> list[int]:
    """Segments by the rule's words: label every token, then count what stands together."""
    labels: list[object] = [None] * n_units
    for number, (start, end) in enumerate(chunks):
        labels[start:end] = [number] * (end - start)
    if rule == "segment":
        gap = 0
        for place in range(n_units):
            if labels[place] is None:
                labels[place] = f"gap {gap}"
            else:
                gap += 1
    else:
        for place in range(n_units):
            if labels[place] is None:
                labels[place] = labels[place - 1] if place and labels[place - 1] is not None else 0
    found = [1]
    for one, two in pairwise(labels):
        if one == two:
            found[-1] += 1
        else:
            found.append(1)
    return found


# -------------------------------------------------------------------- real files


REAL = [
    ("seqeval_ground_truth.txt", "column 3", [28, 17, 33, 19, 20], (40, 961), 459, 126,
     [(0, 3), (3, 6), (6, 7), (7, 8), (8, 9)]),
    ("ukp_essays_first3.dat", "reference", [363, 325, 418], (3, 1106), 39, 374,
     [(64, 78), (79, 124), (126, 165), (166, 174), (175, 187)]),
    ("wnut17_dev_first60.conll", "reference", [12, 19, 13, 23, 4], (60, 1055), 61, 960,
     [(18, 21), (28, 29), (30, 31), (40, 43), (45, 46)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "coder", "lengths", "totals", "n_chunks", "n_outside", "first"), REAL)
def test_real_files(name, coder, lengths, totals, n_chunks, n_outside, first):
    path = data_path("formats", "bio", name)
    with pytest.raises(CorpusError, match=r"gaps='segment'.*gaps='join'"):
        read(path)
    edges = read(path, gaps="segment")
    assert edges.metadata["format"] == "bio"
    found = masses(edges, coder)
    assert [sum(coding) for coding in found][:5] == lengths
    assert (len(found), sum(map(sum, found))) == totals
    # The chunks of the first sequences that have any, counted through the file: all of their edges are there.
    places, offset = set(), 0
    for coding in found:
        for mass in coding:
            places.add(offset)
            offset += mass
    assert {edge for chunk in first for edge in chunk} <= places
    # Joined, every chunk is a segment, and a sequence without chunks is one.
    tags = tags_of(path, 2 if coder == "column 3" else -1)
    assert sum(tag.startswith("O") for sequence in tags for tag in sequence) == n_outside
    without = sum(not conlleval_chunks(sequence) for sequence in tags)
    assert sum(map(len, masses(read(path, gaps="join"), coder))) == n_chunks + without


def tags_of(path: Path, column: int) -> list[list[str]]:
    blocks = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[line.split()[column].partition(":")[0] for line in block.splitlines()] for block in blocks]


@pytest.mark.parametrize("rule", ["segment", "join"])
def test_real_files_are_what_the_rule_of_conlleval_gives(rule):
    for name, columns in {
        "seqeval_ground_truth.txt": {"column 3": 2, "column 4": 3},
        "ukp_essays_first3.dat": {"reference": -1},
        "wnut17_dev_first60.conll": {"reference": -1},
    }.items():
        path = data_path("formats", "bio", name)
        corpus = read(path, gaps=rule)
        assert corpus.coders == tuple(columns)
        for coder, column in columns.items():
            expected = [
                masses_by_rule(conlleval_chunks(tags), len(tags), rule) for tags in tags_of(path, column)
            ]
            assert masses(corpus, coder) == expected


def test_tokens_of_real_files():
    essays = read(data_path("formats", "bio", "ukp_essays_first3.dat"), gaps="join")
    assert essays.units["1"][:4] == ("Advance", "in", "transportation", "and")
    chunks = read(data_path("formats", "bio", "seqeval_ground_truth.txt"), gaps="join")
    assert chunks.units["1"][:3] == ("Rockwell", "International", "Corp.")


# -------------------------------------------------------------------- by hand


@given(st.lists(st.sampled_from(["O", "B-x", "I-x", "B-y", "I-y", "B", "I"]), max_size=12))
def test_chunks_are_those_of_conlleval(tags):
    assert chunks_of(tags) == conlleval_chunks(tags)


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("I-x I-x O I-x", [(0, 2), (3, 4)]),  # IOB1
        ("I-x B-x I-x", [(0, 1), (1, 3)]),
        ("B-x I-y", [(0, 1), (1, 2)]),
        ("B-x E-x S-x S-x I-x", [(0, 2), (2, 3), (3, 4), (4, 5)]),  # BIOES
        ("B-x I-x L-x U-x O", [(0, 3), (3, 4)]),  # BILOU
        ("B E B M E S", [(0, 2), (2, 5), (5, 6)]),  # BMES
        ("B-x:1:y I-x:2:z", [(0, 2)]),
    ],
)
def test_schemes_of_tags(tags, chunks):
    assert chunks_of(tags.split()) == chunks


def test_the_example_is_read_and_needs_no_rule(tmp_path):
    corpus = read(put(tmp_path / "x.bio", FORMATS["bio"].example))
    assert corpus.to_dict() == {"x": {"reference": [3, 2]}}
    assert corpus.units["x"] == ("When", "it", "rained", "we", "stayed")
    assert read(tmp_path / "x.bio", gaps="join").to_dict() == corpus.to_dict()


@pytest.mark.parametrize(("rule", "expected"), [("segment", [1, 2, 1, 1]), ("join", [4, 1])])
def test_tokens_outside_of_chunks(tmp_path, rule, expected):
    text = "a\tO\nb\tB-x\nc\tI-x\nd\tO\ne\tB-y\n\nf\tO\ng\tO\n\n\nh\tB-x\n\n"
    corpus = read(put(tmp_path / "d.conll", text), gaps=rule)
    assert masses(corpus) == [expected, [2], [1]]
    assert list(corpus.documents) == ["1", "2", "3"]


def test_columns_of_tags_are_coders_and_can_be_chosen(tmp_path):
    path = put(tmp_path / "d.conll", "a NN B-x I-x\nb NN B-x I-x\nc NN I-x I-x\n")
    both = {"column 3": [1, 2], "column 4": [3]}
    assert read(path).to_dict() == {"d": both}
    assert read(path, coders=["4"]).to_dict() == {"d": {"column 4": [3]}}
    assert read(path, coders=["column 3"]).to_dict() == {"d": {"column 3": [1, 2]}}
    with pytest.raises(
        CorpusError, match="'column 2' is not a column of tags: there is column 3 and column 4"
    ):
        read(path, coders=["2"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1\tx\tB\n2\ty\tI\n", ("x", "y")),  # the first column only counts
        ("1\tB\n2\tI\n", ("1", "2")),  # or is all there is
        ("x\t_\tB\ny\t_\tI\n", ("x", "y")),
        ("B\tx\nI\ty\n", ("x", "y")),  # tags first, as CRFsuite has them
        ("O\tB\nI\tI\n", ("O", "I")),  # tokens that look like tags
        ("two words\tB\n y \tI\n", ("two words", " y ")),
        ("-DOCSTART- O\n\nx B\ny I\n", ("x", "y")),
        ("-DOCSTART- B\n", ("-DOCSTART-",)),
        ("#tag\tB\n\ufeff\tI\n", ("#tag", "\ufeff")),
    ],
)
def test_which_column_is_the_token(tmp_path, text, tokens):
    corpus = read(put(tmp_path / "d.bio", text))
    assert list(corpus.units.values()) == [tokens]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a\tB\nb\n", "line 2 has 1 column where line 1 has 2: is the file cut off"),
        ("a B x\nb I\nc I x\n", "line 2 has 2 columns where line 1 has 3: a column is missing"),
        ("a B x\nb I", "line 2 has 2 columns where line 1 has 3: is the file cut off"),
        ("a B\nb I\nc X-y\n", "line 3: column 2 is 'X-y': expected a tag"),
        ("a B\nb I\nc -100\n", "line 3: column 2 is '-100': expected a tag"),
        ("a\nb\n", "line 1 is 'a': expected two columns, a token and its tag"),
        ("a O\nb O\n", "all tokens are O: give gaps="),
        ("a B\0\n", "is a NUL"),
    ],
)
def test_faults_name_the_line(tmp_path, text, fault):
    path = put(tmp_path / "d.bio", text)
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["a x\nb y\n", "a O\nb O\n", "O\nO\n", "a S\nb E\n", "B-x\nI-x\n"])
def test_what_is_not_taken_for_bio(tmp_path, text):
    with pytest.raises(CorpusError, match="no format fits"):
        read(put(tmp_path / "d.txt", text))


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    path = put(tmp_path / "long.bio", "a\tB-x\nb\tI-x\nc\tO\n" * 33_334)
    assert masses(read(path, gaps="join")) == [[3] * 33_334]
    path = put(tmp_path / "many.bio", "a\tB-x\nb\tI-x\n\n" * 30_000)
    assert len(read(path).documents) == 30_000
    path = put(tmp_path / "wide.bio", f"a\tB-{'x:' * 100_000}\n")
    assert masses(read(path)) == [[1]]
    path = put(tmp_path / "columns.txt", f"a{' O' * 100_000} B\n")
    assert masses(read(path, coders=["100002"]), "column 100002") == [[1]]
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


# -------------------------------------------------------------------- writing


@pytest.mark.parametrize("extension", [".bio", ".conll", ".iob", ".dat", ".txt", ".x"])
def test_round_trip(tmp_path, extension):
    corpus = Corpus.from_dict({"d": {"reference": [2, 1, 1]}}, units={"d": ["It", "rains a lot", "O", "7"]})
    path = tmp_path / f"d{extension}"
    write(corpus, path, "bio")
    assert path.read_text() == "It\tB-seg\nrains a lot\tI-seg\nO\tB-seg\n7\tB-seg\n"
    found = read(path)
    assert found.metadata["format"] == "bio"
    assert found.to_dict() == corpus.to_dict()
    assert dict(found.units) == dict(corpus.units)


@pytest.mark.parametrize("unit", ["", "a\tb", "a\nb", "a\rb"])
def test_units_that_are_no_tokens(tmp_path, unit):
    corpus = Corpus.from_dict({"d": {"reference": [1]}}, units={"d": [unit]})
    with pytest.raises(CorpusError, match="cannot be a token"):
        write(corpus, tmp_path / "d.bio")


def test_label_studio_writes_docstart_before_the_tokens_and_with_fewer_columns(tmp_path):
    head = "-DOCSTART- -X- O\n"
    tokens = "It -X- _ B-t\nrained -X- _ I-t\nWe -X- _ B-t\n\n"
    assert masses(read(put(tmp_path / "a.conll", head + tokens))) == [[2, 1]]
    assert masses(read(put(tmp_path / "b.conll", head + tokens + head + tokens))) == [[2, 1], [2, 1]]


def test_comments_open_sequences(tmp_path):
    text = "# id 52\tdomain=train\nthe _ _ B-x\nmoon _ _ I-x\n\n# id 53\n# B-x\nno _ _ B-y\n"
    with pytest.raises(CorpusError, match="line 6 has 2 columns where line 2 has 4"):
        read(put(tmp_path / "a.conll", text))  # which may be a token
    corpus = read(put(tmp_path / "b.conll", text.replace("# B-x", "# _ _ B-x")))
    assert corpus.to_dict() == {"1": {"reference": [2]}, "2": {"reference": [1, 1]}}
    assert corpus.units["2"] == ("#", "no")
