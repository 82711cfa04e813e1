"""brat's annotation. Source of truth: facts of real files, counted without caesura, and files by hand."""

from __future__ import annotations

import time
import warnings

import pytest
from tests.real_data import data_path

from caesura import CorpusError
from caesura.io.formats import brat
from caesura.io.reading import read
from caesura.io.registry import FORMATS

TEXT = "It rained all day. We stayed at home."
HALVES = "T1\tTopic 0 18\tIt rained all day.\nT2\tTopic 19 37\tWe stayed at home.\n"


def put(folder, annotations, text=TEXT, name="d"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ann").write_bytes(annotations.encode())
    (folder / f"{name}.txt").write_bytes(text.encode())
    return folder / f"{name}.ann"


def noticed(path, **options):
    """Return a corpus and its notices, without the path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = read(path, **options)
    return corpus, [notice.removeprefix(f"{path}: ") for notice in corpus.metadata.get("notices", ())]


# -------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "n_characters", "n_edges", "edges"),
    [
        ("epi_PMID-18286479", 1765, 81, (5, 6, 11, 21, 40)),
        ("ncbi_PMID-10429004", 2484, 46, (94, 130, 148, 172, 334)),
        ("bionlp_ID_PMC2682197-02-Results-02", 5062, 229, (6, 195, 205, 232, 236)),
        ("news_100-attribute_annotation", 1143, 52, (497, 505, 506, 513, 519)),
        ("poio_aleman2000", 13201, 519, (6, 7, 11, 12, 17)),
    ],
)
def test_real_files(name, n_characters, n_edges, edges):
    corpus, notices = noticed(data_path("formats", "brat", f"{name}.ann"), overlap="edges", gaps="segment")
    assert corpus.metadata["format"] == "brat"
    coding = corpus[name, "brat"]  # the folder's name
    assert (coding.n_units, coding.n_boundaries, coding.positions[:5]) == (n_characters, n_edges, edges)
    if name.startswith("poio"):
        (notice,) = notices
        assert notice.startswith("the quoted text of 12 spans differs from the document's (line ")
    else:
        assert notices == []


def test_a_real_folder_is_read_with_its_texts():
    corpus, _ = noticed(data_path("formats", "brat"), overlap="edges", gaps="segment")
    assert len(corpus.documents) == len(corpus) == 5
    with pytest.raises(CorpusError, match=r"in no span: .*gaps='segment'"):
        read(data_path("formats", "brat", "epi_PMID-18286479.ann"))


# -------------------------------------------------------------------- documents and coders


def test_the_example(tmp_path):
    path = put(tmp_path / "ann", FORMATS["brat"].example, brat.FORMAT.example_beside)
    corpus = read(path)
    assert corpus.to_dict() == {"d": {"ann": [19, 18]}}
    assert corpus.spans["d"].text == TEXT


def test_folders_are_coders_together_or_from_above(tmp_path):
    put(tmp_path / "ann", HALVES)
    put(tmp_path / "bob", "T1\tTopic 0 37\t" + TEXT)
    expected = {"d": {"ann": [19, 18], "bob": [37]}}
    assert read([tmp_path / "ann", tmp_path / "bob"]).to_dict() == expected
    assert read(tmp_path).to_dict() == expected


def test_texts_of_one_name_that_differ_are_refused(tmp_path):
    put(tmp_path / "ann", HALVES)
    put(tmp_path / "bob", HALVES, TEXT.replace("rained", "snowed"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the quoted text differs, too
        with pytest.raises(CorpusError, match="document d: its texts differ at character 3: 'rained"):
            read(tmp_path)


def test_the_folder_of_a_bare_name_is_found(tmp_path, monkeypatch):
    put(tmp_path / "ann", HALVES)
    monkeypatch.chdir(tmp_path / "ann")
    assert read("d.ann").coders == ("ann",)


def test_settings_of_the_project_are_no_data(tmp_path):
    put(tmp_path / "ann", HALVES)
    (tmp_path / "ann" / "annotation.conf").write_text("[entities]\nTopic\n")
    assert read(tmp_path / "ann").documents == ("d",)


def test_a_file_without_spans_is_not_coded(tmp_path):
    put(tmp_path / "ann", "", name="d1")
    put(tmp_path / "ann", HALVES, name="d2")
    corpus, notices = noticed(tmp_path / "ann")
    assert corpus.documents == ("d1", "d2")
    assert [(document, coder) for document, coder, _ in corpus] == [("d2", "ann")]
    assert corpus.n_units("d1") == 37
    assert notices[0].endswith("d1.ann: 1 coding has no span: not coded")


def test_spans_are_chosen_by_type(tmp_path):
    path = put(tmp_path / "ann", HALVES + "T3\tVerb 3 9\trained\n")
    assert read(path, tiers=["Topic"]).to_dict() == {"d": {"ann": [19, 18]}}


def test_other_lines_and_repeated_spans(tmp_path):
    events = "E1\tTopic:T1\nR1\tr Arg1:T1 Arg2:T2\nA1\tNegation T1\nM1\tx T1\n"
    other = f"{events}N1\tReference T1 w:1\tx\n*\tEquiv T1 T2\n"
    path = put(tmp_path / "ann", f"#1\tAnnotatorNotes T1\tx\n{other}\n{HALVES}{HALVES}")
    assert read(path).to_dict() == {"d": {"ann": [19, 18]}}


def test_spans_in_parts_count_from_first_to_last(tmp_path):
    path = put(tmp_path / "ann", "T1\tTopic 0 2;10 18\tIt all day.\nT2\tTopic 19 37\tWe stayed at home.\n")
    corpus, notices = noticed(path)
    assert corpus.to_dict() == {"d": {"ann": [19, 18]}}
    assert notices == ["1 span in parts: each counts from its first character to its last"]


def test_line_ends_are_characters_and_quoted_as_spaces(tmp_path):
    path = put(tmp_path / "ann", "T1\tTopic 0 8\tOne  two\nT2\tTopic 10 15\tThree\n", "One\r\ntwo\r\nThree")
    corpus, notices = noticed(path)
    assert corpus.to_dict() == {"d": {"ann": [10, 5]}}
    assert notices == []


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("T1\tTopic 0 38\tx", "it ends at 38 and the text at 37; offsets count code points"),
        ("T1\tTopic 9 5\tx", "it ends at 5, before it starts at 9"),
        ("T1\tTopic 5 5\t", "it starts and ends at 5"),
        ("T1\tTopic -1 5\tx", "expected a span"),
        ("T1\tTopic 0.5 5\tx", "expected a span"),
        ("T1\tTopic nan 5\tx", "expected a span"),
        ("T1\tTopic 0\tx", "expected a span"),
        ("T1 Topic 0 5 x", "expected a span"),
        (f"T1\tTopic 0 {'9' * 5000}\tx", "beyond the end of any text"),
        ("some words", "it is 'some words': expected a span"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, fault):
    path = put(tmp_path / "ann", f"{HALVES}{line}\n")
    with pytest.raises(CorpusError, match=rf"d\.ann: line 3: .*{fault}") as error:
        read(path)
    assert len(str(error.value).splitlines()) == 1


def test_bad_texts(tmp_path):
    path = put(tmp_path / "ann", HALVES, "")
    with pytest.raises(CorpusError, match=r"d\.ann: d\.txt: the text is empty"):
        read(path)
    path.with_suffix(".txt").write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(CorpusError, match=r"d\.ann: d\.txt: "):
        read(path)
    path.with_suffix(".txt").unlink()
    with pytest.raises(CorpusError, match=r"d\.ann: the text d\.txt is missing beside it"):
        read(path)


# -------------------------------------------------------------------- size


@pytest.mark.exhaustive
def test_many_spans_take_linear_time(tmp_path):
    n = 100_000
    lines = "".join(f"T{i}\tTopic {i * 5} {i * 5 + 5}\tword \n" for i in range(n))
    path = put(tmp_path / "ann", lines, "word " * n)
    begin = time.process_time()
    assert read(path)["d", "ann"].n_segments == n
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.exhaustive
def test_many_long_spans_with_short_quotes_take_linear_time(tmp_path):
    n = 50_000
    path = put(tmp_path / "ann", f"T1\tTopic 0 {n * 10}\tx\n" * n, "x" * n * 10)
    begin = time.process_time()
    corpus, notices = noticed(path)
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["d", "ann"].n_segments == 1
    assert "50,000 spans" in notices[0]


def test_settings_of_a_collection_are_no_data(tmp_path):
    put(tmp_path / "ann", HALVES)
    put(tmp_path / "bob", "T1\tTopic 0 37\t" + TEXT + "\n")
    for name in ("annotation.conf", "visual.conf"):
        (tmp_path / name).write_text("[entities]\nTopic\n", encoding="utf-8")
    assert read(tmp_path).to_dict() == {"d": {"ann": [19, 18], "bob": [37]}}
