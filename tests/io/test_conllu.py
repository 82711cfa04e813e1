"""CoNLL-U. Source of truth: the facts counted for the real files, the package conllu, and files by hand."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write
from caesura.values.making import CorpusBuilder

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import conllu as oracle

REST = "\t_" * 8


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def word(number: object, form: str) -> str:
    return f"{number}\t{form}{REST}\n"


def masses(corpus: Corpus) -> dict[str, list[int]]:
    return {document: coded["reference"] for document, coded in corpus.to_dict().items()}


# -------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "paragraphs", "sentences"),
    [
        ("gentle_poetry_flower", [2, 1], [21, 6, 25]),
        ("gentle_threat_white", [2, 1, 1, 3], [49, 24, 49, 22, 51]),
    ],
)
def test_real_paragraphs(name, paragraphs, sentences):
    path = data_path("formats", "conllu", f"{name}.conllu")
    corpus = read(path)
    assert corpus.metadata["format"] == "conllu"
    (document,) = corpus.documents
    assert document.lower() == name
    assert masses(corpus)[document] == paragraphs
    by_words = masses(read(path, tiers=["sentences"]))[document]
    assert by_words[:5] == sentences
    assert len(by_words) == sum(paragraphs)


def test_real_sentences_where_no_paragraph_is_marked():
    path = data_path("formats", "conllu", "pud_first.conllu")
    corpus = read(path)
    found = masses(corpus)
    assert len(found) == 15
    assert [len(coding) for coding in found.values()][:5] == [2, 4, 4, 2, 3]
    assert sum(map(sum, found.values())) == 660
    assert sum(map(len, found.values())) == 30
    assert found["n01001"] == [35, 18]
    with pytest.raises(CorpusError, match="no paragraph is marked"):
        read(path, tiers=["paragraphs"])


@pytest.mark.parametrize("name", ["gentle_poetry_flower", "gentle_threat_white", "pud_first"])
def test_real_files_are_what_the_package_conllu_reads(name):
    path = data_path("formats", "conllu", f"{name}.conllu")
    lengths: list[list[int]] = []
    forms: list[list[str]] = []
    texts: list[str] = []
    opens: list[bool] = []
    for sentence in oracle.parse(path.read_text(encoding="utf-8")):
        words = [token["form"] for token in sentence if isinstance(token["id"], int)]
        if any(key.startswith("newdoc") for key in sentence.metadata):
            lengths.append([])
            forms.append([])
        lengths[-1].append(len(words))
        forms[-1] += words
        texts.append(sentence.metadata["text"])
        opens.append(any(key in ("newpar", "newpar id") for key in sentence.metadata))
    corpus = read(path, tiers=["sentences"])
    assert list(masses(corpus).values()) == lengths
    assert [list(corpus.units[document]) for document in corpus.documents] == forms
    if any(opens):
        paragraphs = read(path)
        (document,) = paragraphs.documents
        assert list(paragraphs.units[document]) == texts
        assert paragraphs[document, "reference"].positions == tuple(
            place for place, is_open in enumerate(opens) if is_open and place
        )


# -------------------------------------------------------------------- by hand


def test_the_example_is_read(tmp_path):
    corpus = read(put(tmp_path / "x.conllu", FORMATS["conllu"].example))
    assert masses(corpus) == {"walk": [2, 1]}
    assert corpus.units["walk"] == ("It rained.", "We stayed.", "Then the sun came out.")
    words = read(tmp_path / "x.conllu", tiers=["sentences"])
    assert masses(words) == {"walk": [3, 3, 6]}
    assert words.units["walk"][:4] == ("It", "rained", ".", "We")


def test_what_is_no_word_and_what_is_no_paragraph(tmp_path):
    text = (
        "# newpar_block = x\n" + word("1-2", "im") + word(1, "in") + word(2, "dem") + word("2.1", "ist")
        + word(3, "Haus") + "\n" + word(1, "Ja") + "\n\n\n"
    )  # fmt: skip
    corpus = read(put(tmp_path / "d.conllu", text))
    assert masses(corpus) == {"d": [3, 1]}
    assert corpus.units["d"] == ("in", "dem", "Haus", "Ja")


@pytest.mark.parametrize("mark", ["# newpar", "#newpar", "# newpar id = p2", "#  newpar  id=p2"])
def test_marks_of_paragraphs(tmp_path, mark):
    text = word(1, "One") + word(2, "two") + "\n" + f"{mark}\n" + word(1, "Three") + "\n" + word(1, "Four")
    corpus = read(put(tmp_path / "d.conllu", text))
    assert masses(corpus) == {"d": [1, 2]}
    assert corpus.units["d"] == ("One two", "Three", "Four")  # without # text: the words


@pytest.mark.parametrize(
    ("marks", "names"),
    [
        (["# newdoc id = a", "# newdoc id = b"], ["a", "b"]),
        (["# newdoc", "# newdoc"], ["1", "2"]),
        (["", "# newdoc id = b"], ["1", "b"]),
        (["# newdoc id = a", "# sent_id = 2"], ["a"]),
        (["# sent_id = 1", "# sent_id = 2"], ["d"]),
        (["# newdoc", ""], ["d"]),
    ],
)
def test_names_of_documents(tmp_path, marks, names):
    text = "\n".join(f"{mark}\n{word(1, 'x')}" for mark in marks)
    assert list(read(put(tmp_path / "d.conllu", text)).documents) == names


@pytest.mark.parametrize("change", ["BOM", "CRLF", "CR", "no end", "UTF-16"])
def test_other_forms_of_text(tmp_path, change):
    text = FORMATS["conllu"].example
    data = {
        "BOM": b"\xef\xbb\xbf" + text.encode(),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "CR": text.replace("\n", "\r").encode(),
        "no end": text.rstrip().encode(),
        "UTF-16": text.encode("utf-16"),
    }[change]
    path = tmp_path / "d.conllu"
    path.write_bytes(data)
    assert masses(read(path)) == {"walk": [2, 1]}


# -------------------------------------------------------------------- faults


GOOD = word(1, "One") + word(2, "two")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (GOOD + "3\tthr", "line 3 .* 10 columns with tabs, not 2; .* cut off"),
        (GOOD + "3 three _\n" + GOOD, r"line 3 .* 10 columns with tabs, not 1; .* tabs lost"),
        (GOOD + word("x", "y"), "line 3: the word's number is 'x'"),
        (GOOD + word("3-", "y"), "line 3: the word's number is '3-'"),
        (GOOD + word("9" * 5000, "y"), "line 3: the word's number is '999"),
        (GOOD + word(3, ""), "line 3: the second column is empty"),
        (GOOD + word(4, "four"), "line 3: 'four' has the number 4 where 3 was expected: is a line"),
        (GOOD + word(1, "x"), "line 3: .* number 1 where 3 .* is the blank line before it missing"),
        ("# newdoc id = a\n\n", "line 1: a document without words begins here"),
        (f"# newdoc id = a\n{GOOD}\n# newdoc id = b\n", "line 5: a document without words"),
        (f"# newdoc id = a\n{GOOD}\n# newdoc id = a\n{GOOD}", "line 6: document 'a' is there twice"),
        ("# text = x\n", "there are no words"),
        (GOOD + "\0", "is a NUL"),
        ("hello\n", "line 1 .* 10 columns with tabs, not 1"),
    ],
)
def test_faults_name_the_line(tmp_path, text, fault):
    path = put(tmp_path / "d.conllu", text)
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("tiers", [["words"], ["paragraphs", "sentences"]])
def test_tiers_that_are_not_there(tmp_path, tiers):
    with pytest.raises(CorpusError, match="choose paragraphs or sentences"):
        read(put(tmp_path / "d.conllu", GOOD), tiers=tiers)


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    rows = "".join(word(number, "w") for number in range(1, 100_001))
    assert masses(read(put(tmp_path / "long.conllu", rows))) == {"long": [100_000]}
    rows = (word(1, "w") + "\n") * 50_000
    assert len(masses(read(put(tmp_path / "many.conllu", rows)))["many"]) == 50_000
    wide = f"# {'=' * 200_000}\n1\t{'w' * 200_000}{REST}{'|' * 200_000}\n"
    assert masses(read(put(tmp_path / "wide.conllu", wide))) == {"wide": [1]}
    with pytest.raises(CorpusError, match="number"):
        read(put(tmp_path / "bad.conllu", word("1-" * 100_000, "w")))
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


# -------------------------------------------------------------------- writing


def test_words_are_written_as_sentences_and_read_by_the_package_conllu(tmp_path):
    corpus = Corpus.from_dict(
        {"a": {"reference": [2, 1]}, "b": {"reference": [1]}},
        units={"a": ["It", "rains", "Yes"], "b": ["No"]},
    )
    path = tmp_path / "d.conllu"
    write(corpus, path)
    sentences = oracle.parse(path.read_text(encoding="utf-8"))
    assert [[token["form"] for token in sentence] for sentence in sentences] == [
        ["It", "rains"],
        ["Yes"],
        ["No"],
    ]
    assert [sentence.metadata.get("newdoc id") for sentence in sentences] == ["a", None, "b"]
    assert read(path).to_dict() == corpus.to_dict()


def test_sentences_are_written_as_paragraphs_and_read_by_the_package_conllu(tmp_path):
    corpus = Corpus.from_dict({"a": {"reference": [2, 1]}}, units={"a": ["It rains.", "Yes.", "So what?"]})
    path = tmp_path / "d.conllu"
    write(corpus, path)
    sentences = oracle.parse(path.read_text(encoding="utf-8"))
    assert [sentence.metadata["text"] for sentence in sentences] == ["It rains.", "Yes.", "So what?"]
    assert ["newpar" in sentence.metadata for sentence in sentences] == [True, False, True]
    assert read(path).to_dict() == corpus.to_dict()


@pytest.mark.parametrize("name", ["gentle_poetry_flower", "gentle_threat_white", "pud_first"])
def test_real_files_are_written_and_read_back(tmp_path, name):
    corpus = read(data_path("formats", "conllu", f"{name}.conllu"))
    write(corpus, tmp_path / "d.conllu")
    found = read(tmp_path / "d.conllu")
    assert found.to_dict() == corpus.to_dict()
    assert dict(found.units) == dict(corpus.units)


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), min_size=1, max_size=6))
def test_forms_survive_or_are_refused(tmp_path_factory, texts):
    corpus = Corpus.from_dict({"a": {"reference": [len(texts)]}}, units={"a": texts})
    path = tmp_path_factory.mktemp("d") / "d.conllu"
    try:
        write(corpus, path)
    except CorpusError:
        assert any("\0" in text or not text.strip() or set(text) & set("\r\n") for text in texts)
        return
    assert read(path).units["a"] == tuple(texts)


def test_documents_that_nobody_has_coded_are_not_dropped(tmp_path):
    builder = CorpusBuilder()
    builder.add("a", "reference", [1, 1])
    builder.add_text("a", ["One", "two"])
    builder.add_text("b", ["Three"])
    with pytest.raises(CorpusError, match="document b is not coded"):
        write(Corpus.build(builder), tmp_path / "d.conllu")
