"""Plain text without annotations. Source of truth: lines and sentences counted by hand, and that no file of
another format, whole or broken, is taken for text."""

from __future__ import annotations

from contextlib import suppress

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.io.files import Source
from caesura.io.formats import plain_text
from caesura.io.registry import FORMATS, sniff

TEXT = "It rained all night. The river rose.\n\nThe bridge fell.\nWe stayed at home.\n"


def put(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_is_a_unit_and_nobody_has_coded_it(tmp_path):
    corpus = cs.read(put(tmp_path / "d.txt", TEXT))
    assert corpus.metadata["format"] == "text"
    assert corpus.metadata["understood"] == (f"{tmp_path}/d.txt as text without annotations: 3 lines",)
    assert corpus.units["d"] == (
        "It rained all night. The river rose.",
        "The bridge fell.",
        "We stayed at home.",
    )
    assert corpus.n_codings == 0


@pytest.mark.parametrize(("by", "n"), [("line", 3), ("paragraph", 2), ("sentence", 4), ("word", 14)])
def test_it_can_be_divided_otherwise(tmp_path, by, n):
    assert cs.read(put(tmp_path / "d.txt", TEXT)).onto(by).n_units("d") == n


def test_it_is_written_as_lines(tmp_path):
    gold = cs.Corpus.from_dict({"d": {"ann": [1, 2]}}, units={"d": ["One two.", "Three.", "Four."]})
    cs.write(gold, tmp_path / "d.txt", "text")
    assert (tmp_path / "d.txt").read_text(encoding="utf-8") == "One two.\nThree.\nFour.\n"


@pytest.mark.parametrize(
    "text",
    [
        "1\n10\n11\n",
        "0100100a\n",
        '{"items": {"a day": "in may"}}\n',
        "<text>It rained all night.</text>\n",
        "0:00 Intro and greetings\n0:99 Bad time here\n",
        "It rained.\n====\nThe sun shone.\n----\nIt rained.\n",
        "unit\tann\tbob says so\n",
        "a x\nb y\n",
    ],
)
def test_broken_files_of_other_formats_are_refused(tmp_path, text):
    with pytest.raises(cs.CaesuraError):
        cs.read(put(tmp_path / "d.txt", text))


def test_other_extensions_need_the_name(tmp_path):
    path = put(tmp_path / "d.text", TEXT)
    with pytest.raises(cs.CaesuraError, match="no format fits"):
        cs.read(path)
    assert cs.read(path, "text").n_units("d") == 3
    with pytest.raises(cs.CaesuraError, match="there is no text"):
        cs.read(put(tmp_path / "e.txt", " \n"), "text")


def test_text_beside_coded_files_is_refused(tmp_path):
    put(tmp_path / "a.txt", TEXT)
    put(tmp_path / "b.txt", "One two.\n=====\nThree four.\n")
    with pytest.raises(cs.CaesuraError, match=r"a\.txt: it is plain text .*beside .*b\.txt \(marked\)"):
        cs.read(tmp_path)


def test_the_text_of_a_coded_document_is_welcome(tmp_path):
    put(tmp_path / "a.txt", "One two.\nThree four.\nFive six.\n")
    put(tmp_path / "codings.json", '{"segmentation_type": "linear", "items": {"a": {"ann": [1, 2]}}}')
    corpus = cs.read(tmp_path)
    assert corpus["a", "ann"].masses == (1, 2)
    assert corpus.units["a"][0] == "One two."


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if not known.is_binary])
def test_no_example_of_another_format_is_taken_for_text(tmp_path, name):
    path = put(tmp_path / "ch1.txt", FORMATS[name].example)
    try:
        assert (sniff(Source(path, "ch1")).name == "text") == (name == "text")
    except cs.CaesuraError:  # some need their extension
        assert not plain_text.sniff(Source(path, "ch1"))


@pytest.mark.exhaustive
def test_no_real_file_of_another_format_is_taken_for_text():
    seen = 0
    for path in sorted(data_path("formats").rglob("*.txt")):
        if "LICENSE" in path.name or path.with_suffix(".ann").exists():
            continue
        seen += 1
        with suppress(cs.CaesuraError):
            assert sniff(Source(path, path.stem)).name != "text", path
    assert seen
