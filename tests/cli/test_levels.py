"""score, agree, describe and simulate on hierarchies."""

from __future__ import annotations

import csv
import io
import json

import pytest

import caesura as cs
from caesura import cli


@pytest.fixture
def data(tmp_path):
    nested = cs.Hierarchy.from_nested
    corpus = cs.Corpus.from_dict(
        {
            "d": {"ann": nested([[2, 3], [6]]), "bob": nested([[2, 3], [2, 4]]), "m": [3, 3, 5]},
            "e": {"ann": nested([[4, 4], [2]]), "bob": nested([[4, 4], [2]]), "m": [8, 2]},
        }
    )
    cs.write(corpus, tmp_path / "data.jsonl")
    return tmp_path / "data.jsonl"


@pytest.fixture
def run(capsys):
    def run_it(*arguments: object) -> str:
        assert cli.run([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return run_it


@pytest.fixture
def refuse(capsys):
    def refuse_it(*arguments: object) -> str:
        assert cli.run([str(argument) for argument in arguments]) == 2
        return capsys.readouterr().err

    return refuse_it


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_score_of_hierarchies_is_by_b_and_the_hierarchical_errors(data, run):
    table = rows(run("score", data, "-s", "bob", "-r", "ann", "-f", "csv"))
    by_document = {row["document"]: row for row in table}
    assert set(table[0]) >= {"EPk", "EWD", "B"}
    assert float(by_document["e"]["EWD"]) == 0
    # Two boundaries of the reference; one of two tied ones is needed: 4 of 9 windows in half of the choices.
    assert float(by_document["d"]["EWD"]) == pytest.approx((0 + 2 / 9) / 2)
    assert float(by_document["d"]["B"]) == pytest.approx(2 / 3)


def test_score_says_that_there_are_levels(data, run):
    assert "--levels scores each level." in run("score", data, "-s", "bob")


def test_score_with_metrics_keeps_them(data, run):
    assert set(rows(run("score", data, "-s", "bob", "-m", "WD", "-f", "csv"))[0]) >= {"WD"}
    assert "EWD" not in run("score", data, "-s", "bob", "-m", "WD", "-f", "csv")


def test_score_of_each_level(data, run):
    table = rows(run("score", data, "-s", "bob", "-r", "ann", "--levels", "-f", "csv"))
    assert [row["level"] for row in table] == ["level 1", "level 2"]
    # Level 1 is the same; level 2 has 4 matches and one boundary more.
    assert [float(row["B"]) for row in table] == pytest.approx([1.0, 4 / 5])


def test_score_of_each_level_has_the_interval_of_each_metric(data, run):
    """JSON and CSV find columns by name, so that no two may share one."""
    arguments = ("score", data, "-s", "bob", "-r", "ann", "--levels")
    text = run(*arguments, "-f", "csv")
    header = text.splitlines()[0].split(",")
    assert len(set(header)) == len(header) == 1 + 3 * 3
    (top, _) = json.loads(run(*arguments, "-f", "json"))["rows"]
    # Level 1 is the same in both documents: perfect by each metric in every resample.
    assert (top["B low 95 %"], top["B high 95 %"]) == (1, 1)
    assert (top["Pk low 95 %"], top["WD high 95 %"]) == (0, 0)


def test_score_of_one_document_by_levels_has_no_interval(tmp_path, run):
    (tmp_path / "one.json").write_text('{"d": {"ann": [[2, 3], [6]], "bob": [[2, 3], [2, 4]]}}')
    text = run("score", tmp_path / "one.json", "-s", "bob", "--levels")
    assert "have no interval" in " ".join(text.split())
    assert "1 documents" not in text


REFERENCE = "one\n\n# A\n\ntwo\n\n## B\n\nthree\n\n# C\n\nfour\n"


def test_score_of_two_versions_of_a_text(tmp_path, run, capsys):
    """Files of one text are named after their file; the boundaries are at 1, 2 and 3 of ranks 1, 2, 1."""
    (tmp_path / "gold.md").write_text(REFERENCE)
    (tmp_path / "mine.md").write_text(REFERENCE.replace("## B\n\n", ""))
    table = rows(run("score", tmp_path / "gold.md", tmp_path / "mine.md", "-f", "csv"))
    assert (table[0]["document"], float(table[0]["B"])) == ("gold", pytest.approx(2 / 3))
    page = "<p>one<h1>A</h1><p>two<h2>B</h2><p>three<h1>C</h1><p>four"
    (tmp_path / "page.html").write_text(page)
    table = rows(run("score", tmp_path / "gold.md", tmp_path / "page.html", "-f", "csv"))
    assert [float(table[0][name]) for name in ("EPk", "EWD")] == [0, 0]
    assert cli.run(["score", str(tmp_path / "gold.md"), str(tmp_path / "mine.md")]) == 0
    assert "note" not in capsys.readouterr().err


@pytest.mark.parametrize("levels", [[], ["--levels"]])
def test_texts_without_headings_are_the_same(tmp_path, run, levels):
    for name in ("gold.md", "mine.md"):
        (tmp_path / name).write_text("one\n\ntwo\n")
    table = rows(run("score", tmp_path / "gold.md", tmp_path / "mine.md", "-f", "csv", *levels))
    assert float(next(value for name, value in table[0].items() if name.startswith("B"))) == 1


def test_score_of_other_texts_is_noticed(tmp_path, capsys):
    (tmp_path / "gold.md").write_text(REFERENCE)
    (tmp_path / "mine.md").write_text(REFERENCE.replace("four", "five"))
    assert cli.run(["score", str(tmp_path / "gold.md"), str(tmp_path / "mine.md")]) == 0
    assert "document gold: " in (error := capsys.readouterr().err)
    assert "have different texts of it" in error
    assert error.count("note") == 1


def test_types_that_nothing_declares_are_ranks_beside_hierarchies(data, tmp_path, run):
    typed = cs.Segmentation.from_positions([2, 5], n_units=11, types=[3, 4])
    cs.write(cs.Corpus.from_dict({"d": {"t": typed}, "e": {"t": [10]}}), tmp_path / "t.jsonl")
    table = rows(run("score", data, tmp_path / "t.jsonl", "-r", "ann", "-f", "csv"))
    # ann has ranks 2 and 1 at 2 and 5: of four ranks, one is off by 1, the other by 3.
    assert float(table[0]["B"]) == pytest.approx((3 / 4 + 1 / 4) / 2)


def test_levels_need_corpora(tmp_path, refuse):
    lines = tmp_path / "lines.txt"
    lines.write_text("2 3 6\n")
    assert "--levels needs corpora" in refuse("score", lines, lines, "--levels")


def test_agree_on_each_level(data, run):
    table = rows(run("agree", data, "--levels", "--resamples", "0", "-f", "csv"))
    assert [row["level"] for row in table][-1] == "with ranks"
    everything = json.loads(run("agree", data, "--levels", "--resamples", "0", "-f", "json"))
    assert set(everything["levels"]) == {"1", "2"}
    assert everything["E_WD"]["metric"] == "EWD"


def test_agree_points_to_the_levels(data, run):
    assert "--levels shows each level" in run("agree", data, "--resamples", "0")


def test_agree_shows_e_wd_of_every_two_coders(data, run):
    table = rows(run("agree", data, "--pairwise", "-m", "EWD", "-f", "csv"))
    by_coder = {row["coder"]: row for row in table}
    # Both documents: (2/9 + 0) over the 2 + 2 boundaries of ann.
    assert float(by_coder["ann"]["bob"]) == pytest.approx(2 / 9 / 4, abs=5e-5)


@pytest.mark.parametrize("other", ["--strict", "--influence", "--pairwise", "--documents"])
def test_agree_levels_goes_alone(data, other, refuse):
    assert "choose one of" in refuse("agree", data, "--levels", other)


def test_describe_shows_the_levels(data, run):
    text = run("describe", data)
    assert "Levels" in text
    assert "level 2" in text
    types = json.loads(run("describe", data, "-f", "json"))["types"]
    assert [kind["boundaries"] for kind in types] == [7, 5]


def test_simulated_hierarchies_are_read_back_as_such(tmp_path, run):
    run("simulate", "-o", tmp_path / "made.jsonl", "--levels", 3, "--wrong-type", 0.2, "--seed", 1)
    assert cs.read(tmp_path / "made.jsonl").is_hierarchical


# -------------------------------------------------------------------- windows over words


def test_windows_over_words_from_the_texts_or_from_a_file(tmp_path, capsys):
    """Both ways to say the words of each unit give one number, and another than units do."""
    gold, mine = tmp_path / "gold.md", tmp_path / "mine.md"
    gold.write_text("# A\n\none two three\n\nfour\n\n## B\n\nfive six\n\n# C\n\nseven\n\neight nine\n")
    mine.write_text("# A\n\none two three\n\n# B\n\nfour\n\nfive six\n\n## C\n\nseven\n\neight nine\n")
    sizes = tmp_path / "sizes.json"
    sizes.write_text('{"gold": [3, 1, 2, 1, 2]}')
    found = {}
    for name in ("words", str(sizes), None):
        options = [] if name is None else ["--unit-sizes", name]
        assert cli.run(["score", str(gold), str(mine), "-m", "EWD", "-f", "json", *options]) == 0
        found[name] = json.loads(capsys.readouterr().out)
    values = [data["totals"][0]["EWD"] for data in found.values()]
    assert values[0] == values[1] != values[2]
    signatures = [
        note["text"] for data in found.values() for note in data["notes"] if note["kind"] == "signature"
    ]
    assert signatures[0] == signatures[1] != signatures[2]
    assert "unit_sizes=1 document, 5 units, 9 in all" in signatures[0]


def test_window_diff_over_words_and_characters(tmp_path, capsys):
    """By hand: 3 + 1 + 2 words, references after 3 words, k = 2 (half of 6 / 2 is 1.5), WD over 4 windows."""
    gold, mine = tmp_path / "gold.md", tmp_path / "mine.md"
    gold.write_text("# A\n\none two three\n\n# B\n\nfour\n\nfive six\n")
    mine.write_text("# A\n\none two three\n\nfour\n\n# B\n\nfive six\n")
    assert cli.run(["score", str(gold), str(mine), "-m", "WD", "--unit-sizes", "words", "-f", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["totals"][0]["WD"] == 2 / 4
    assert cli.run(["score", str(gold), str(mine), "-m", "WD", "--unit-sizes", "characters"]) == 0
    assert "unit_sizes=1 document, 3 units, 25 in all" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [("[3]", "expected"), ("{", "not valid JSON"), ('{"gold": [3, 1]}', "2 sizes"), ("{}", "lacks 1")],
)
def test_wrong_sizes_are_one_line(tmp_path, capsys, text, message):
    for name in ("gold", "mine"):
        (tmp_path / f"{name}.md").write_text("# A\n\none\n\n# B\n\ntwo\n\nthree\n")
    (tmp_path / "sizes.json").write_text(text)
    files = [str(tmp_path / "gold.md"), str(tmp_path / "mine.md")]
    assert cli.run(["score", *files, "-m", "EWD", "--unit-sizes", str(tmp_path / "sizes.json")]) == 1
    error = capsys.readouterr().err.strip().split("\n")[-1]
    assert message in error
