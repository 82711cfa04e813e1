"""All formats of subtitles, chapters and videos: their examples, and that none takes the files of another.

Source of truth: what the examples say, worked out by hand; and the folders that the sample files stand in.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.real_data import data_path

from caesura import Corpus, CorpusError, cli
from caesura.io.files import Source
from caesura.io.reading import read
from caesura.io.registry import FORMATS

EXAMPLES = {
    "srt": (3, ["It rained all day.", "We stayed at home\nand read.", "Then the sun came out."], {}),
    "webvtt": (3, ["It rained all day.", "We stayed at home\nand read.", "Then the sun came out."], {}),
    "vtt-chapters": (3_750_000_000, None, {"reference": [900_000_000, 1_505_000_000, 1_345_000_000]}),
    "chapters": (3900, None, {"reference": [90, 150, 3483, 177]}),
    "ytseg": (4, ["Hello.", "It rained.", "It poured.", "Then came sun."], {"reference": [1, 2, 1]}),
    "chunkseg": (
        500_000_000,
        None,
        {
            "reference": [110_000_000, 120_000_000, 110_000_000, 160_000_000],
            "hypothesis": [242_000_000, 97_400_000, 160_600_000],
        },
    ),
}
"""Of the first document of each example: its units, their texts, and the masses of its coders."""

FOLDERS = {"srt": "srt", "vtt": "webvtt", "chapters": "chapters"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_what_they_look_like(tmp_path, name):
    path = tmp_path / f"d{FORMATS[name].extensions[0]}"
    path.write_text(FORMATS[name].example, encoding="utf-8")
    corpus = read(path)  # a notice would be an error here
    assert corpus.metadata["format"] == name
    document = corpus.documents[0]
    n_units, texts, masses = EXAMPLES[name]
    assert corpus.n_units(document) == n_units
    assert corpus.units.get(document) == (None if texts is None else tuple(texts))
    assert {coder: list(coding.masses) for coder, coding in corpus[document].items()} == masses
    assert FORMATS[name].notes


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_sample_of_another_format_is_taken(name):
    taken = []
    for path in sorted(data_path().rglob("*")):
        if path.is_file() and FOLDERS.get(path.parent.name) != name:
            try:
                is_taken = FORMATS[name].sniff(Source(path, path.stem))
            except CorpusError:  # it is no text
                is_taken = False
            if is_taken:
                taken.append(path)
    assert taken == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_other_format_takes_an_example(tmp_path, name):
    path = tmp_path / "d.x"
    path.write_text(FORMATS[name].example, encoding="utf-8")
    others = [
        other for other, format in FORMATS.items() if other != "parquet" and format.sniff(Source(path, "d"))
    ]
    assert others == [name]


def test_the_command_line_converts_recordings(tmp_path, capsys):
    path = tmp_path / "talk.vtt"
    path.write_text(FORMATS["vtt-chapters"].example.replace("04:00.500", "04:00.000"), encoding="utf-8")
    out = tmp_path / "talk.txt"
    assert run(["convert", path, out, "--to", "chapters"]) == 0
    assert "not kept in chapters: where the recording ends" in capsys.readouterr().err
    assert out.read_text() == "0:00 Chapter 1\n1:30 Chapter 2\n4:00 Chapter 3\n"
    film = tmp_path / "film.srt"
    film.write_text(FORMATS["srt"].example, encoding="utf-8")
    assert run(["convert", film, tmp_path / "film.vtt"]) == 0
    assert read(tmp_path / "film.vtt").units == read(film).units
    assert run(["convert", film, tmp_path / "film.json"]) == 1
    assert "document film is not coded" in capsys.readouterr().err


def run(arguments: list[str | Path]) -> int:
    return cli.run([str(argument) for argument in arguments])


def test_subtitles_and_chapters_meet_on_the_time_axis(tmp_path):
    """The chapters of a film as a coding of its cues: 6.5 s is between the second and the third."""
    film, chapters = tmp_path / "film.srt", tmp_path / "film.chapters.vtt"
    film.write_text(FORMATS["srt"].example, encoding="utf-8")
    chapters.write_text(
        "WEBVTT\n\n00:00.000 --> 00:06.500\na\n\n00:06.500 --> 00:09.000\nb\n", encoding="utf-8"
    )
    coding = read(chapters).rename(documents={"film.chapters": "film"})
    projected = coding.onto(read(film))
    assert isinstance(projected, Corpus)
    assert projected.to_dict() == {"film": {"reference": [2, 1]}}
    assert projected.units["film"][2] == "Then the sun came out."
