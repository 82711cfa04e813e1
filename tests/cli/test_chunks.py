"""caesura chunks: one table of all chunkings, in every format, and a figure; what is wrong with its files."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura import cli

TEXT = "The rain fell. The sun shone. The snow lay."
QUESTIONS = [
    {"question": "What shone?", "evidence": [{"text": "The sun shone."}]},
    {"question": "What lay?", "evidence": [{"text": "The snow lay."}]},
]
RANKING = {"fine": [[1, 0], [2]], "coarse": [[0], [1]]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rain.md").write_text(TEXT)
    for name, content in {
        "fine": ["The rain fell.", "The sun shone.", "The snow lay."],
        "coarse": {"document": "rain", "chunks": [[0, 29], [30, 43]]},
        "questions": QUESTIONS,
        "ranking": RANKING,
        "blocks": [[0, 29]],
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


BOTH = ("chunks", "rain.md", "fine.json", "coarse=coarse.json")
WITH = ("--questions", "questions.json", "--ranking", "ranking.json", "--budget", "40", "--limits", "10,20")


def printed(capsys, *arguments):
    assert cli.run(list(arguments)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_table_fits_80_columns_and_says_what_it_is(folder, capsys):
    out = printed(capsys, *BOTH, *WITH)
    lines = out.splitlines()
    head, _, fine, coarse = lines[lines.index("") + 1 :][:4]
    assert head.split() == ["chunking", "n", "size", "fit", "Prec_Ω", "interval", "best", "recall", "IoU"]
    assert fine.split()[:5] == ["fine", "3", "14", "1.000", "1.000"]
    assert coarse.split()[:5] == ["coarse", "2", "21", "0.500", "0.741"]
    assert max(map(len, lines[:-1])) <= 80
    assert "budget=40|limits=10–20" in out


def test_json_and_csv_have_the_numbers_of_the_function(folder, capsys):
    data = json.loads(printed(capsys, *BOTH, *WITH, "-f", "json"))
    texts = {"rain": TEXT}
    chunks = {name: cs.read_chunks(f"{name}.json", texts) for name in ("fine", "coarse")}
    result = cs.evaluate_chunks(
        texts, chunks, questions="questions.json", ranking=RANKING, budget=40, limits=(10, 20), rng=0
    )
    assert data == json.loads(json.dumps(result.to_dict()))
    (row, _) = csv.DictReader(io.StringIO(printed(capsys, *BOTH, *WITH, "-f", "csv")))
    assert float(row["Prec_Ω"]) == result["fine"].precision_omega
    for format in ("markdown", "latex"):
        assert "coarse" in printed(capsys, *BOTH, *WITH, "-f", format)
    latex = printed(capsys, *BOTH, *WITH, "-f", "latex")
    assert r"Prec\_$\Omega$" in latex
    assert {char for char in latex if ord(char) > 255} <= {"–"}  # what LaTeX prints without a package


@pytest.mark.parametrize(("flag", "heading"), [("--sizes", "redundant"), ("--intervals", "value of"),
                                               ("--tests", "verdict")])  # fmt: skip
def test_other_tables(folder, capsys, flag, heading):
    assert heading in printed(capsys, *BOTH, *WITH, flag)


def test_without_questions_there_are_sizes_and_blocks(folder, capsys):
    out = printed(capsys, *BOTH, "--blocks", "blocks.json", "--count", "words")
    lines = out.splitlines()
    fine, coarse = lines[lines.index("") + 3 :][:2]
    assert lines[0].startswith("The smallest chunks are those of fine (mean size 3)")
    assert fine.split() == ["fine", "3", "3", "0", "3", "0.000", "1.000", "0.000", "0.500"]
    assert coarse.split()[-3:] == ["1.000", "1.000", "1.000"]


def test_texts_may_be_a_folder_or_a_corpus(folder, capsys):
    (folder / "texts").mkdir()
    (folder / "texts" / "rain.txt").write_text(TEXT)
    units = cs.Units.from_text(TEXT, by="sentence")
    corpus = cs.Corpus.from_dict({"rain": {"gold": [2, 1]}}).with_spans({"rain": units})
    cs.write(corpus, folder / "gold.json", "spans")
    tables = [printed(capsys, "chunks", texts, *BOTH[2:]) for texts in ("rain.md", "texts", "gold.json")]
    assert tables[0] == tables[1] == tables[2]


def test_the_figure_is_of_the_same_numbers(folder, capsys):
    pytest.importorskip("altair")
    printed(capsys, *BOTH, *WITH, "--figure", "now.svg")
    printed(capsys, *BOTH, *WITH, "-o", "result.json", "-f", "json")
    printed(capsys, "figure", "trade-off", "result.json", "-o", "later.svg")
    now, later = ((folder / name).read_text() for name in ("now.svg", "later.svg"))
    assert now == later
    assert "fine has the greatest Prec_Ω, 1.000" in now
    assert cli.run([*BOTH, *WITH, "--figure", "now.svg"]) == 2
    (folder / "wrong.json").write_text("[]")
    assert cli.run(["figure", "trade-off", "wrong.json", "-o", "x.svg"]) == 1
    assert "expected the JSON that `caesura chunks` writes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((*BOTH, "--budget", "5"), 2, "budget needs ranking"),
        ((*BOTH, "--as-in", "chroma"), 2, "as_in needs questions"),
        ((*BOTH, "--limits", "5"), 2, "expected the smallest and largest size"),
        ((*BOTH, "--limits", "9,5"), 2, "limits are 9 and 5"),
        ((*BOTH, "fine.json"), 2, "two chunkings are called 'fine'"),
        ((*BOTH, "--questions", "fine.json"), 1, "fine.json"),
        ((*BOTH, "--questions", "questions.json", "--ranking", "fine.json"), 2, "ranking"),
        (("chunks", "rain.md", "questions.json"), 1, "questions.json"),
        (("chunks", "rain.md", "none.json"), 1, "none.json"),
        (("chunks", "rain.md"), 2, "Missing argument"),
    ],
)
def test_what_is_wrong_is_one_line(folder, capsys, arguments, code, message):
    assert cli.run(list(arguments)) == code
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines()), message in err) == ("", 1, True), err


def test_the_speech_with_the_files_of_five_tools(capsys):
    folder = data_path("retrieval")
    names = ("langchain_400_0.jsonl", "chonkie_recursive.jsonl", "strings_800_200.json", "llamaindex.json")
    files = [f"{name.split('_')[0].split('.')[0]}={folder}/state_of_the_union.{name}" for name in names]
    out = printed(
        capsys, "chunks", f"{folder}/state_of_the_union.md", *files, "-q", f"{folder}/questions.csv"
    )
    lines = out.splitlines()
    assert [line.split()[3] for line in lines[lines.index("") + 3 :][:4]] == [
        "0.485",
        "0.376",
        "0.212",
        "0.188",
    ]


def test_the_example_of_the_readme_prints_what_it_says(tmp_path, capsys, monkeypatch):
    folder = data_path("retrieval")
    files = {
        "state_of_the_union.md": "state_of_the_union.md",
        "lc.jsonl": "state_of_the_union.langchain_400_0.jsonl",
        "ck.jsonl": "state_of_the_union.chonkie_recursive.jsonl",
        "strings.json": "state_of_the_union.strings_800_200.json",
        "questions.csv": "questions.csv",
    }
    monkeypatch.chdir(tmp_path)
    for name, original in files.items():
        Path(name).symlink_to(folder / original)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    command, shown = re.findall(r"^\$ (caesura chunks .*)\n((?:.*\n)+?)```$", readme, re.MULTILINE)[0]
    assert cli.run(command.split()[1:]) == 0
    assert capsys.readouterr().out.startswith(shown)
