"""DISRPT's .tok and .conllu. Source of truth: the facts counted for the real files, and files by hand."""

from __future__ import annotations

import time
import warnings
import zipfile
from pathlib import Path

import pytest
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import conllu as oracle

REST = "\t_" * 7


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def token(number: object, form: str, misc: str = "_") -> str:
    return f"{number}\t{form}{REST}\t{misc}\n"


def masses(corpus: Corpus) -> dict[str, list[int]]:
    return {document: coded["reference"] for document, coded in corpus.to_dict().items()}


@pytest.mark.parametrize(
    ("name", "totals", "tokens", "segments", "first"),
    [
        ("2023_zho.rst.sctb_dev.tok", (9, 2264, 103),
         [174, 139, 231, 476, 147], [11, 9, 8, 24, 6], [5, 8, 18, 40, 13]),
        ("2023_deu.rst.pcc_dev_first.conllu", (3, 547, 48),
         [189, 168, 190], [18, 13, 17], [2, 8, 6, 8, 17]),
        ("2025_spa.rst.sctb_dev_first.tok", (4, 1222, 52),
         [190, 209, 343, 480], [11, 9, 8, 24], [5, 13, 15, 36, 17]),
        ("2025_spa.rst.sctb_dev_first.conllu", (3, 742, 28),
         [190, 209, 343], [11, 9, 8], [5, 13, 15, 36, 17]),
    ],
)  # fmt: skip
def test_real_files(name, totals, tokens, segments, first):
    corpus = read(data_path("formats", "disrpt", name))
    assert corpus.metadata["format"] == "disrpt"
    found = list(masses(corpus).values())
    assert [sum(coding) for coding in found][:5] == tokens
    assert [len(coding) for coding in found][:5] == segments
    assert found[0][:5] == first
    assert (len(found), sum(map(sum, found)), sum(map(len, found))) == totals


def test_both_forms_of_one_corpus_are_the_same():
    blank_lines = read(data_path("formats", "disrpt", "2025_spa.rst.sctb_dev_first.conllu"))
    without = read(data_path("formats", "disrpt", "2025_spa.rst.sctb_dev_first.tok"))
    shared = without.select(documents=blank_lines.documents)
    assert masses(shared) == masses(blank_lines)
    assert dict(shared.units) == dict(blank_lines.units)


def test_a_real_file_is_what_the_package_conllu_reads():
    path = data_path("formats", "disrpt", "2023_deu.rst.pcc_dev_first.conllu")
    forms: list[str] = []
    starts: list[int] = []
    for sentence in oracle.parse(path.read_text(encoding="utf-8")):
        for one in sentence:
            if isinstance(one["id"], int):
                if (one["misc"] or {}).get("BeginSeg") == "Yes":
                    starts.append(len(forms))
                forms.append(one["form"])
    corpus = read(path)
    assert [text for document in corpus.documents for text in corpus.units[document]] == forms
    found, offset = [], 0
    for _, _, coding in corpus:
        found += [offset, *(offset + position for position in coding.positions)]
        offset += coding.n_units
    assert found == starts


def test_connectives_are_no_segmentation(tmp_path):
    with pytest.raises(CorpusError, match=r"marks connectives .* and no segments"):
        read(data_path("formats", "disrpt", "2025_eng.pdtb.tedm_dev_first.tok"))
    older = put(
        tmp_path / "d.tok", token(1, "But", "Seg=B-Conn") + token(2, "so", "Seg=I-Conn") + token(3, "x")
    )
    with pytest.raises(CorpusError, match="marks connectives"):
        read(older)
    as_conllu = put(tmp_path / "d.conllu", token(1, "But", "Conn=B-conn") + token(2, "x", "Conn=O"))
    with pytest.raises(CorpusError, match="marks connectives"):
        read(as_conllu)


def test_the_example_is_read(tmp_path):
    corpus = read(put(tmp_path / "x.tok", FORMATS["disrpt"].example))
    assert masses(corpus) == {"rain": [4, 3]}
    assert corpus.units["rain"] == ("When", "it", "rained", ",", "we", "stayed", ".")


def test_marks_beside_other_keys_and_lines_that_are_no_tokens(tmp_path):
    text = (
        "# newdoc_id = a\n"
        + token(1, "In", "SpaceAfter=No|BeginSeg=Yes")
        + token("2-3", "im", "BeginSeg=Yes")
        + token(2, "in", "BeginSeg=No")
        + token(3, "dem")
        + token(4, "Haus", "BeginSeg=Yes|Entity=(1)")
        + "# newdoc id = b\n"
        + token(1, "x", "BeginSeg=Yes")
    )
    corpus = read(put(tmp_path / "d.tok", text))
    assert masses(corpus) == {"a": [3, 1], "b": [1]}
    assert corpus.units["a"] == ("In", "in", "dem", "Haus")


def test_the_first_token_opens_a_segment_with_a_notice_where_it_is_not_marked(tmp_path):
    text = token(1, "a", "Seg=O") + token(2, "b", "Seg=B-seg")
    with pytest.warns(UserWarning, match=r"document d: its first token \('a', line 1\) is not marked"):
        corpus = read(put(tmp_path / "d.tok", text))
    assert masses(corpus) == {"d": [1, 1]}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (token(1, "a") + token(2, "b"), "no token opens a segment: expected BeginSeg=Yes or Seg=B-seg"),
        (
            token(1, "a", "Seg=B-seg") + token(2, "b", "Seg=X"),
            "line 2: the mark is 'Seg=X': expected",
        ),
        (token(1, "a", "Seg=B-seg") + "2\tb", "line 2 .* 10 columns with tabs, not 2; .* cut off"),
        (token(1, "a", "Seg=B-seg") + token("b", "c"), "line 2: the word's number is 'b'"),
        (token(1, "a", "Seg=B-seg") + "\0", "is a NUL"),
    ],
)
def test_faults_name_the_line(tmp_path, text, fault):
    path = put(tmp_path / "d.tok", text)
    with pytest.raises(CorpusError, match=fault) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    rows = "".join(token(i, "w", "Seg=O" if i % 5 else "Seg=B-seg") for i in range(5, 100_005))
    assert masses(read(put(tmp_path / "long.tok", rows))) == {"long": [5] * 20_000}
    wide = token(1, "w" * 200_000, "Seg=O|" * 33_000 + "BeginSeg=Yes")
    assert masses(read(put(tmp_path / "wide.tok", wide))) == {"wide": [1]}
    with pytest.raises(CorpusError, match="expected BeginSeg=Yes"):
        read(put(tmp_path / "odd.tok", token(1, "w", "Seg=" * 50_000)))
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


@pytest.mark.parametrize("extension", [".tok", ".conllu", ".x"])
def test_round_trip(tmp_path, extension):
    corpus = Corpus.from_dict(
        {"a": {"reference": [2, 1]}, "b": {"reference": [1]}}, units={"a": ["It", "rains", "_"], "b": ["#"]}
    )
    path = tmp_path / f"d{extension}"
    write(corpus, path, "disrpt")
    found = read(path)
    assert found.metadata["format"] == "disrpt"
    assert found.to_dict() == corpus.to_dict()
    assert dict(found.units) == dict(corpus.units)


def test_real_files_are_written_and_read_back(tmp_path):
    corpus = read(data_path("formats", "disrpt", "2023_zho.rst.sctb_dev.tok"))
    write(corpus, tmp_path / "d.tok")
    assert read(tmp_path / "d.tok").to_dict() == corpus.to_dict()


@pytest.mark.parametrize("unit", ["", "a\tb", "a\nb", "a\rb"])
def test_units_that_are_no_tokens(tmp_path, unit):
    corpus = Corpus.from_dict({"a": {"reference": [1]}}, units={"a": [unit]})
    with pytest.raises(CorpusError, match="cannot be a word"):
        write(corpus, tmp_path / "d.tok")


# -------------------------------------------------------------------- a release's folder

RELATIONS = "doc\tunit1_toks\tunit2_toks\tlabel\nd\t1-2\t3-4\tcause\n"
PLAIN = "# newdoc id = d\n" + "".join(
    token(number, form, "Seg=B-seg" if number in (1, 3) else "Seg=O")
    for number, form in enumerate(["It", "rained", "we", "stayed"], start=1)
)
PARSED = PLAIN.replace("3\twe", "\n1\twe").replace("4\tstayed", "2\tstayed")


def release(folder: Path, *extensions: str) -> Path:
    folder.mkdir()
    for extension in extensions:
        put(folder / f"x_dev{extension}", {".tok": PLAIN, ".conllu": PARSED, ".rels": RELATIONS}[extension])
    return folder


def test_of_a_release_tok_is_read_and_a_notice_names_the_others(tmp_path):
    folder = release(tmp_path / "x", ".tok", ".conllu", ".rels")
    with pytest.warns(UserWarning, match=r"x_dev\.tok: x_dev\.conllu beside it was left out"):
        corpus = read(folder)
    assert masses(corpus) == {"d": [2, 2]}
    tok = folder / "x_dev.tok"
    assert corpus.metadata["notices"] == (
        f"{tok}: x_dev.conllu beside it was left out: it has the same tokens in sentences; name the file to "
        "read it instead",
        f"{tok}: x_dev.rels beside it was left out: it holds relations between segments",
    )


def test_without_tok_the_parsed_file_is_read(tmp_path):
    folder = release(tmp_path / "x", ".conllu", ".rels")
    with pytest.warns(UserWarning, match=r"x_dev\.conllu: x_dev\.rels beside it was left out"):
        corpus = read(folder)
    assert masses(corpus) == {"d": [2, 2]}


def test_a_release_in_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for extension, text in {".tok": PLAIN, ".conllu": PARSED, ".rels": RELATIONS}.items():
            archive.writestr(f"data/x_dev{extension}", text)
    with pytest.warns(UserWarning, match="and 1 more notices"):
        corpus = read(tmp_path / "x.zip")
    assert masses(corpus) == {"d": [2, 2]}


def test_a_file_that_is_named_is_read_without_a_notice(tmp_path):
    folder = release(tmp_path / "x", ".tok", ".conllu", ".rels")
    for name in ("x_dev.tok", "x_dev.conllu"):
        corpus = read(folder / name)
        assert masses(corpus) == {"d": [2, 2]}
        assert "notices" not in corpus.metadata
    with pytest.raises(CorpusError, match=r"x_dev\.conllu: document d already has a coding by reference"):
        read([folder / "x_dev.tok", folder / "x_dev.conllu"])


def test_relations_beside_other_conllu_are_not_left_out(tmp_path):
    folder = tmp_path / "x"
    folder.mkdir()
    put(folder / "x.conllu", PARSED.replace("Seg=B-seg", "_").replace("Seg=O", "_"))
    put(folder / "x.rels", RELATIONS)
    with pytest.raises(CorpusError, match=r"x\.rels"):
        read(folder)
