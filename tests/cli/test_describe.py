"""caesura describe and caesura consensus. Source of truth: F13t table 5.3, counts by hand, DESIGN."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

import caesura as cs
from caesura import Corpus, Segmentation, cli
from caesura.cli.remarks import progress_bar
from caesura.io.reading import read
from caesura.io.writing import write


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(cs.load_stargazers(), "stargazers.json")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: test_reading.py
    return code, captured.out, said


def rows(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, "describe", *arguments, "-f", "csv")
    assert (code, err) == (0, "")
    return list(csv.DictReader(io.StringIO(out)))


# -------------------------------------------------------------------- describe


def test_numbers_of_table_5_3_of_fournier_2013(capsys):
    found = {row["quantity"]: row for row in rows(capsys, "stargazers.json")}
    printed = {
        "units": 21,
        "potential boundaries": 20,
        "boundaries": 49,
        "segments": 56,
        "coders": 7,
        "pair potential boundaries": 420,
        "pair boundaries": 294,
        "pair additions": 72,
        "pair transpositions": 28,
        "P(boundary)": 0.7,
        "P(addition | boundary)": 0.2449,
        "P(transposition | boundary)": 0.0952,
        "segment size": 2.6250,
        "segments per coding": 8.0,
        "boundaries per coder": 7.0,
    }
    for quantity, value in printed.items():
        assert float(found[quantity]["value"]) == pytest.approx(value, abs=5e-5)
    assert float(found["segment size"]["SD"]) == pytest.approx(1.3438, abs=5e-5)
    assert found["segment size"]["n"] == "56"


def test_text_has_tables_then_sentences_then_the_signature(capsys):
    code, out, err = run(capsys, "describe", "stargazers.json", "--signature")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert any(line.split()[:4] == ["3", "10", "0.5000", "17.5"] for line in lines)
    assert "Support of marked positions, as a share of each document's coders" in lines
    assert any(line.split() == ["pair", "matches", "83"] for line in lines)
    assert " ".join(out.split()).startswith(
        "When two coders are compared, 56 % of their boundaries match, 19 % are near misses and 24 % are "
        "full misses; n_t=3 would need 7 % fewer edits. Coders coder boundaries"
    )
    assert (
        "Inconclusive whether coders mark more or fewer boundaries than others: with 1 document by 7 coders "
        "the smallest possible p is 1."
    ) in " ".join(out.split())
    assert lines[-1] == (f"describe|n_t=2|method=greedy|SD=population|k=auto|caesura {cs.__version__}")
    assert out.count("describe|n_t=2") == 1


def test_n_t(capsys):
    """Without transpositions each of the 28 near misses at n_t = 2 is two full misses more."""
    found = {row["quantity"]: row["value"] for row in rows(capsys, "stargazers.json", "-n", "1")}
    assert (found["pair transpositions"], found["pair additions"]) == ("0", str(72 + 2 * 28))


def test_sweep(capsys):
    found = rows(capsys, "stargazers.json", "--sweep")
    assert [row["n_t"] for row in found] == [str(n_t) for n_t in range(2, 16)]
    assert (found[0]["additions"], found[0]["transpositions"]) == ("72", "28")
    assert sum(int(row["of span n_t − 1"]) for row in found) == int(found[-1]["transpositions"])
    assert len(rows(capsys, "stargazers.json", "--sweep", "--max-n-t", "4")) == 3
    code, out, _ = run(capsys, "describe", "stargazers.json", "--sweep")
    assert code == 0
    assert out.splitlines()[-1].startswith("describe|")


def test_support(capsys):
    found = {row["position"]: row for row in rows(capsys, "stargazers.json", "--support")}
    # Counted in Hearst's readers: six of seven mark 2, and reader 5 marks 3.
    assert (found["2"]["exact"], found["2"]["within k/2"], found["2"]["coders"]) == ("6", "7", "7")
    assert "1" not in found


def test_coders(capsys):
    found = {row["coder"]: row for row in rows(capsys, "stargazers.json", "--coders")}
    assert found["3"]["boundaries"] == "10"
    assert float(found["3"]["rate"]) == 0.5


def test_json_holds_everything(capsys):
    code, out, err = run(capsys, "describe", "stargazers.json", "-f", "json", "--support")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert (data["pair_matches"], data["pairs"]) == (83, 21)
    assert len(data["sweep"]) == 14
    assert len(data["support"]) == 14
    assert {one["tolerance"] for one in data["prominence"]} == {"exact", "k/2", "k"}
    _, out, _ = run(capsys, "describe", "stargazers.json", "-f", "json")
    assert "support" not in json.loads(out)


def test_what_is_undefined_is_null_in_json(capsys):
    Path("one.json").write_text(json.dumps({"segmentation_type": "linear", "items": {"d": {"a": [4]}}}))
    code, out, _ = run(capsys, "describe", "one.json", "-f", "json")
    assert code == 0
    assert json.loads(out)["probabilities"]["boundary"] is None


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "json"])
def test_output_file_in_every_format(capsys, format):
    code, out, err = run(capsys, "describe", "stargazers.json", "-f", format, "--signature", "--wide")
    assert (code, err) == (0, "")
    assert run(capsys, "describe", "stargazers.json", "-f", format, "-o", "out") == (
        0, "", f"result -> out ({format})\n",
    )  # fmt: skip
    assert Path("out").read_text(encoding="utf-8") == out


def test_several_files_are_one_corpus(capsys):
    write(Corpus.from_dict({"other": {"1": [3, 3], "8": [6]}}), "other.json")
    found = {row["quantity"]: row["value"] for row in rows(capsys, "stargazers.json", "other.json")}
    assert (found["documents"], found["coders"], found["pairs"]) == ("2", "8", "22")


def test_documents_are_ranked_by_disagreement(capsys):
    coded = {"ann": [2, 3, 6], "bob": [2, 2, 7]}
    write(Corpus.from_dict({"agreed": {"ann": [5, 6], "bob": [5, 6]}, "worse": coded, "one": {"ann": [4]}}),
          "three.json")  # fmt: skip
    found = rows(capsys, "three.json", "--documents")
    assert [row["document"] for row in found] == ["worse", "agreed", "one"]
    # A match and a near miss of 1/2.
    assert [found[0][name] for name in ("coders", "pairs", "boundaries", "B", "lost")] == [
        "2", "1", "4", "0.75", "1.0"
    ]  # fmt: skip
    assert found[2]["B"] in ("", "nan")
    _, out, _ = run(capsys, "describe", "three.json", "--documents")
    assert "The coders of worse agree least (B 0.75)" in out
    data = json.loads(run(capsys, "describe", "three.json", "--documents", "-f", "json")[1])
    assert [row["document"] for row in data["by_document"]] == ["worse", "agreed", "one"]
    assert run(capsys, "describe", "three.json", "--documents", "--sweep")[0] == 2


def test_many_coders_are_summed_up(capsys):
    coded = {f"c{i:02}": Segmentation.from_positions(range(1, 11 + i % 3), 99) for i in range(50)}
    coded["busy"] = Segmentation.from_positions(range(1, 99), 99)
    write(Corpus.from_dict({f"d{i}": coded for i in range(4)}), "many.json")
    code, out, _ = run(capsys, "describe", "many.json")
    assert code == 0
    assert "Outliers among 51 coders" in out
    assert "c01" not in out
    assert "busy marks 88.8 more boundaries per 100 positions than the other coders" in " ".join(out.split())
    assert len(rows(capsys, "many.json", "--coders")) == 51


def test_names_from_data_can_do_no_harm(capsys):
    names = ["\x1b[31mred", "=1+1", "\\input{x}", "<b>", "a|b"]
    write(Corpus.from_dict({"d": {name: [2, 8] for name in names}}), "names.json")
    for format in ("text", "markdown", "latex", "csv"):
        code, out, _ = run(capsys, "describe", "names.json", "--coders", "-f", format)
        assert code == 0
        assert ("\x1b" in out) == (format == "csv")  # data are as they are; on a terminal, see below
        if format == "csv":
            assert "'=1+1" in out
        if format == "latex":
            assert "\\input" not in out
        if format == "markdown":
            assert "<b>" not in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["describe"], 2, "Missing argument 'DATA...'"),
        (["describe", "stargazers.json", "--sweep", "--support"], 2, "choose one of --coders, --documents"),
        (
            ["describe", "stargazers.json", "-n", "0"],
            2,
            "'0' is neither a positive whole number nor a duration",
        ),
        (["describe", "stargazers.json", "--max-n-t", "5000"], 2, "5000 is not in the range"),
        (["describe", "absent.json"], 1, "absent.json: No such file or directory"),
    ],
)
def test_errors_are_one_line(capsys, arguments, code, message):
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert err.startswith("caesura: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_file_with_a_fault_is_named(capsys):
    Path("bad.json").write_text(
        json.dumps({"segmentation_type": "linear", "items": {"d": {"a": [4], "b": [5]}}})
    )
    code, out, err = run(capsys, "describe", "bad.json")
    assert (code, out) == (1, "")
    assert "bad.json: document d: coder b has 5 units where coder a has 4" in err


# -------------------------------------------------------------------- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_and_nowhere_else(monkeypatch, capsys):
    with progress_bar("counting") as advance:
        assert advance is None
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    code = cli.run(["describe", "stargazers.json", "--coders", "-f", "csv"])
    assert code == 0
    assert "describing" in terminal.getvalue()
    assert "reading" in terminal.getvalue()
    out = capsys.readouterr().out
    assert out.startswith("coder,boundaries,")
    assert "describing" not in out


# -------------------------------------------------------------------- consensus


def test_consensus_is_written_and_told(capsys):
    code, out, err = run(capsys, "consensus", "stargazers.json", "-o", "gold.json")
    assert (code, out) == (0, "")
    # Positions of at least four of seven readers: 2 5 9 12 13 18.
    assert read("gold.json")["stargazers", "consensus"].positions == (2, 5, 9, 12, 13, 18)
    assert err == (
        "1 document: 6 boundaries marked by at least 1/2 of a document's coders, of 49 by 7 coders "
        "-> gold.json\n"
        "caesura: note: exact marks leave out 1 place that near marks would fill (--n-t 2)\n"
    )


def test_consensus_of_near_marks(capsys):
    masses = {"ann": [5, 6], "bob": [6, 5], "cy": [7, 4]}
    write(Corpus.from_dict({"d": masses}), "near.json")
    code, out, err = run(capsys, "consensus", "near.json", "-o", "exact.json")
    assert (code, out) == (0, "")
    assert "caesura: note: exact marks leave out 1 place that near marks would fill (--n-t 2)\n" in err
    assert read("exact.json")["d", "consensus"].positions == ()
    code, out, err = run(capsys, "consensus", "near.json", "--n-t", "2", "-o", "gold.json")
    assert read("gold.json")["d", "consensus"].positions == (6,)
    assert err == (
        "1 document: 1 boundary marked by at least 1/2 of a document's coders, exactly or nearby (n_t=2), "
        "of 3 by 3 coders -> gold.json\n"
    )


def test_consensus_options(capsys):
    arguments = ["consensus", "stargazers.json", "--share", "6/7", "--name", "gold", "--to", "segeval-json"]
    assert run(capsys, *arguments, "-o", "gold")[0] == 0
    assert read("gold", "segeval-json")["stargazers", "gold"].positions == (2, 9, 12)
    assert run(capsys, *arguments, "--strict", "-o", "gold")[0] == 2  # it is there already
    assert run(capsys, *arguments, "--strict", "-o", "gold", "--force")[0] == 0
    assert read("gold", "segeval-json")["stargazers", "gold"].positions == ()
    assert run(capsys, "consensus", "stargazers.json", "--share", "0", "-o", "all.jsonl")[0] == 0
    union = {p for _, _, coding in cs.load_stargazers() for p in coding.positions}
    assert set(read("all.jsonl")["stargazers", "consensus"].positions) == union


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["stargazers.json"], 2, "Missing option '-o'"),
        (["-o", "x.json"], 2, "Missing argument 'DATA...'"),
        (["stargazers.json", "-o", "x.json", "--share", "1.5"], 2, "share is '1.5'"),
        (["stargazers.json", "-o", "x.json", "--share", "most"], 2, "share is 'most'"),
        (["stargazers.json", "-o", "x.json", "--n-t", "0"], 2, "neither a positive whole number"),
        (["stargazers.json", "-o", "x.json", "--n-t", "3s"], 1, "n_t"),
        (["stargazers.json", "-o", "x.json", "--share", "1", "--strict"], 2, "more than all coders"),
        (["stargazers.json", "-o", "x.json", "--to", "segeval"], 2, "unknown format 'segeval'"),
        (["stargazers.json", "-o", "x.unknown"], 2, "its extension names no format"),
        (["absent.json", "-o", "x.json"], 1, "absent.json"),
        (["stargazers.json", "-o", "./stargazers.json"], 2, "already exists (use --force to overwrite)"),
        (["stargazers.json", "-o", "./stargazers.json", "--force"], 2, "is one of DATA"),
        ([".", "-o", "stargazers.json", "--force"], 2, "is one of DATA"),
    ],
)
def test_consensus_errors(capsys, arguments, code, message):
    found, out, err = run(capsys, "consensus", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(Path().glob("x*"))


NASTY = "a\x1b[31m\x9bb\0c\nd\u202ee\U000e0001"


@pytest.mark.parametrize("format", ["csv", "json"])
def test_names_are_written_out_on_a_terminal_only(format, tmp_path, monkeypatch, capsys):
    """A terminal gets a line per row and nothing to obey; a pipe and a file get the names as they are."""
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {NASTY: [2, 3], "bob": [5]}}), "data.json")
    command = ["describe", "data.json", "--coders", "-f", format]

    def printed(*more: str) -> str:
        assert cli.run([*command, *more]) == 0
        return capsys.readouterr().out

    def coders(text: str) -> set[str]:
        if format == "csv":
            return {row["coder"] for row in csv.DictReader(io.StringIO(text, newline=""))}
        return {row["coder"] for row in json.loads(text)["coder_rates"]}

    piped = printed()
    assert coders(piped) == {NASTY, "bob"}
    printed("-o", "out")
    assert Path("out").read_bytes().decode() == piped
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    shown = printed()
    assert all(line.isprintable() for line in shown.split("\n"))
    if format == "json":
        assert coders(shown) == {NASTY, "bob"}
    else:
        assert coders(shown) == {r"a\x1b[31m\x9bb\x00c\nd\u202ee\U000e0001", "bob"}
        assert shown.count("\n") == 3
