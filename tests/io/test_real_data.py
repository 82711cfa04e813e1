"""Real corpora in their own formats. Source of truth: the files, counted with awk, grep and by eye."""

from __future__ import annotations

from tests.real_data import data_path

from caesura import load_stargazers
from caesura.io.reading import read
from caesura.io.writing import write


def test_stargazers_in_three_forms_are_the_built_in_example(tmp_path):
    folder = data_path("stargazers")
    expected = load_stargazers()["stargazers"]
    for name, document, taken in [
        ("hearst1997.json", "stargazer", "segeval-json"),
        ("hearst1997.tsv", "hearst1997", "segeval-tsv"),
        ("hearst1997_positions.csv", "hearst1997_positions", "segeval-tsv"),
    ]:
        corpus = read(folder / name)
        assert corpus.documents == (document,)
        assert corpus.metadata["format"] == taken
        assert corpus[document] == expected
    assert len(read(folder).documents) == 3  # its license is not data


def test_moonstone_labels():
    corpus = read(data_path("moonstone", "segmentations"))
    assert corpus.metadata["format"] == "labels"
    assert corpus.documents == (
        *("ch1", "ch2", "ch3", "ch4", "ch5", "ch7", "ch8", "ch9", "ch10", "ch11", "ch12"),
        *("ch13", "ch14", "ch15", "ch16", "ch17", "ch18", "ch19", "ch20", "ch21"),
    )
    assert corpus.coders == ("an1", "an2", "an3", "an4", "an5", "an6")
    assert len(corpus) == 108
    assert sum(map(corpus.n_units, corpus.documents)) == 1076
    assert corpus["ch1", "an2"].masses == (2, 1, 7, 2, 1)
    assert corpus["ch1", "an4"].masses == (2, 8, 2, 1)
    assert [corpus["ch10", coder].n_boundaries for coder in corpus.coders] == [4, 12, 10, 7, 8, 9]
    assert list(corpus["ch21"]) == ["an1", "an2", "an3", "an4", "an5"]


def test_moonstone_masses():
    corpus = read(data_path("moonstone", "moonstone_masses.json"))
    assert (len(corpus.documents), len(corpus.coders), len(corpus)) == (20, 27, 108)
    assert corpus["ch1", "an5"].masses == (2, 8, 2, 1)
    assert corpus["ch2", "an7"].masses == (4, 7, 3, 1)
    assert len(corpus.groups()) == 5
    assert list(corpus.metadata["properties"]["groups"]) == ["1", "2", "3", "4", "5"]
    # The same codings as the labels, under other coders' names.
    labels = read(data_path("moonstone", "segmentations"))
    for document in labels.documents:
        assert sorted(s.masses for s in labels[document].values()) == sorted(
            s.masses for s in corpus[document].values()
        )


def test_choi_with_its_text(tmp_path):
    folder = data_path("choi_t3_11", "ref")
    corpus = read(folder)
    assert corpus.metadata["format"] == "choi"
    assert (len(corpus.documents), corpus.coders) == (400, ("reference",))
    assert corpus.documents[:2] == ("1/3-11/0", "1/3-11/1")
    assert sum(map(corpus.n_units, corpus.documents)) == 28145
    assert {segmentation.n_segments for _, _, segmentation in corpus} == {10}
    assert corpus["3/3-11/10", "reference"].masses == (6, 3, 8, 5, 10, 10, 4, 9, 7, 3)
    assert corpus.units["1/3-11/0"][0].startswith("Santa Barbara -- `` The present recovery movement")
    assert corpus.units["3/3-11/10"][1].startswith("These were the last two days set aside")
    # Written again, every file is the same to the byte.
    write(corpus, tmp_path / "ref", "choi")
    for file in folder.rglob("*.ref"):
        assert (tmp_path / "ref" / file.relative_to(folder)).read_bytes() == file.read_bytes()


def test_tiage():
    corpus = read(data_path("formats", "tiage"))
    assert corpus.metadata["format"] == "tiage"
    assert len(corpus.documents) == 100
    assert sum(segmentation.n_boundaries for _, _, segmentation in corpus) == 311
    assert sum(map(len, corpus.units.values())) == 100 + 311 + 1135
    assert corpus["1", "reference"].masses == (16,)
    assert corpus["2", "reference"].positions[0] == 5
    assert corpus.units["2"][5].startswith("good for you . do you like vintage cars ?")


def test_dialseg711():
    corpus = read(data_path("formats", "dialseg711", "sample.json"))
    assert corpus.metadata["format"] == "dialseg711"
    assert corpus.documents == tuple(map(str, range(60)))
    assert corpus["0", "reference"].masses == (4, 6, 6, 4, 4)
    assert corpus["59", "reference"].masses == (6, 6, 2, 8, 4)
    assert sum(segmentation.n_segments for _, _, segmentation in corpus) == 296
    assert sum(map(len, corpus.units.values())) == 1747
    assert corpus.units["0"][4].startswith("Yes, can you give me the information on the Huntingdon")
