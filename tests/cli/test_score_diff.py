"""The command line for pairs of files. Source of truth: F13 figure 6 for numbers, the README for the look."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli, kernel

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reference.txt").write_text("2 3 6\n5 6\n")
    Path("hypothesis.txt").write_text("2,2,7\n5 6\n")
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: test_reading.py
    return code, captured.out, said


def test_every_command_line_of_the_readme_prints_what_it_shows(files, capsys):
    blocks = re.findall(
        r"```\n\$ caesura (score .*?)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert blocks
    for command, shown in blocks:
        code, out, err = run(capsys, *command.split())
        assert (code, out, err) == (0, shown, "")


def test_score_json_has_values_of_fournier_2013_acl_figure_6(files, capsys):
    code, out, _ = run(
        capsys, "score", "reference.txt", "hypothesis.txt", "-f", "json", "-m", "B", "-m", "WD(k=2)"
    )
    assert code == 0
    data = json.loads(out)
    assert data["rows"][0]["B"] == 0.75
    assert data["rows"][0]["WD(k=2)"] == pytest.approx(1 - 0.7777, abs=1e-4)
    assert [row["line"] for row in data["totals"]] == ["micro", "macro"]
    assert data["totals"][0]["B"] == pytest.approx(2.5 / 3)  # 1.5 of 2 and 1 of 1 pairs
    assert data["totals"][1]["B"] == pytest.approx((0.75 + 1) / 2)
    verdict, *signatures = data["notes"]
    assert verdict["kind"] == "finding"
    assert "B 0.83" in verdict["text"]
    assert all(note["kind"] == "signature" and "caesura" in note["text"] for note in signatures)


@pytest.mark.parametrize("flags", [["--signature"], [], ["-f", "json"]])
def test_printed_signatures_are_metrics_on_the_command_line(files, capsys, flags):
    chosen = ["-m", "B(n_t=3)", "-m", "F", "-m", "Pk"]
    command = ["score", "reference.txt", "hypothesis.txt"]
    _, out, _ = run(capsys, *command, *chosen, *flags)
    lines = re.findall(r"(?m)[\w, ]+\|[^\"\n]*caesura [\d.]+[^\"\n]*", out)
    again = [word for line in lines for word in ("-m", line)]
    assert run(capsys, *command, *again, *flags) == (0, out, "")


def test_score_csv_keeps_full_precision(files, capsys):
    _, out, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "-f", "csv", "-m", "WD")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert float(rows[0]["WD"]) == 2 / 9


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_score_in_text_formats_shows_the_same_numbers(files, capsys, format):
    code, out, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "-f", format, "-m", "B")
    assert code == 0
    assert "0.7500" in out
    assert "0.8333" in out


def test_n_t_reaches_every_metric_that_knows_it(files, capsys):
    _, out, _ = run(
        capsys, "score", "reference.txt", "hypothesis.txt", "-n", "1", "-f", "json", "-m", "B", "-m", "Pk"
    )
    row = json.loads(out)["rows"][0]
    assert row["B(n_t=1)"] == pytest.approx(1 / 3)  # one match, two full misses
    assert row["Pk"] == pytest.approx(2 / 9)


def test_totals_only_leaves_out_lines(files, capsys):
    _, out, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "--totals-only", "-f", "json")
    assert json.loads(out)["rows"] == []


def test_output_file_appears_whole_and_nothing_is_printed(files, capsys):
    code, out, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "-f", "csv", "-o", "table.csv")
    assert (code, out) == (0, "")
    assert Path("table.csv").read_text().startswith("line,units,")
    assert sorted(p.name for p in files.iterdir()) == ["hypothesis.txt", "reference.txt", "table.csv"]


def test_output_file_is_untouched_when_the_data_is_bad(files, capsys):
    Path("table.csv").write_text("old")
    Path("hypothesis.txt").write_text("2 2\n5 6\n")
    code, _, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "-o", "table.csv")
    assert code == 2  # it is there already
    code, _, _ = run(capsys, "score", "reference.txt", "hypothesis.txt", "-o", "table.csv", "--force")
    assert code == 1
    assert Path("table.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("form", "reference", "hypothesis"),
    [
        ("auto", "0100100000\n", "0101000000\n"),
        ("gaps", "0100100000\n", "0101000000\n"),
        ("masses", "2 3 6\n", "2 2 7\n"),
        ("labels", "a a b b b c c c c c c\n", "x x y y z z z z z z z\n"),
        ("auto", "\ufeff2 3 6\r\n", "2 2 7\r"),
    ],
)
def test_forms_of_a_line_mean_the_same(files, capsys, form, reference, hypothesis):
    Path("r").write_bytes(reference.encode())
    Path("h").write_bytes(hypothesis.encode())
    code, out, _ = run(capsys, "score", "r", "h", "--form", form, "-f", "json", "-m", "B")
    assert code == 0
    assert json.loads(out)["rows"][0]["B"] == 0.75


def test_one_unit_documents_are_empty_gap_strings(files, capsys):
    Path("r").write_text("\n010\n")
    Path("h").write_text("\n010\n")
    _, out, _ = run(capsys, "score", "r", "h", "--form", "gaps", "-f", "json", "-m", "B")
    assert [row["units"] for row in json.loads(out)["rows"]] == [1, 4]


BAD_DATA = {
    "other length": ("2 3 6\n", "2 2 8\n", ["h: line 1 has 12 units where r has 11"]),
    "other number of lines": ("2 3 6\n", "2 3 6\n11\n", ["r has 1 lines and h 2"]),
    "zero mass": ("2 0 9\n", "2 2 7\n", ["r: line 1: masses[1] is 0", "at least one unit"]),
    "not a number": ("2 x 9\n", "2 2 7\n", ["r: line 1: masses[1] is 'x'", "--form labels"]),
    "blank line": ("2 3 6\n\n11\n", "2 2 7\n11\n11\n", ["r: line 2", "blank"]),
    "empty file": ("", "2 2 7\n", ["r: the file is empty"]),
    "ambiguous": ("11\n", "11\n", ["may be masses or gap indicators", "--form"]),
    "not utf-8": ("2 3 \udcff\n", "2 2 7\n", ["r: byte 4 (0xff) is not UTF-8"]),
    "nul bytes": ("2 3 6\0\n", "2 2 7\n", ["NUL"]),
    "huge number": ("9" * 5000 + "\n", "2 2 7\n", ["expected a whole number"]),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_is_one_line_and_exit_1(files, capsys, case):
    reference, hypothesis, parts = BAD_DATA[case]
    Path("r").write_bytes(reference.encode("utf-8", "surrogateescape"))
    Path("h").write_text(hypothesis)
    code, out, err = run(capsys, "score", "r", "h")
    assert (code, out) == (1, "")
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["score", "reference.txt", "hypothesis.txt", "-m", "Bx"], "unknown metric 'Bx'"),
        (
            ["score", "reference.txt", "hypothesis.txt", "-m", "B(n=2)"],
            "B has no parameter 'n'; did you mean",
        ),
        (["score", "reference.txt", "hypothesis.txt", "-f", "xml"], "xml"),
        (["score", "reference.txt"], "HYPOTHESIS"),
        (["scoer"], "did you mean 'score'?"),
        (["score", "reference.txt", "hypothesis.txt", "-n", "0"], "0"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(files, capsys, arguments, part):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1
    assert part in err


def test_missing_file_is_named(files, capsys):
    code, _, err = run(capsys, "score", "reference.txt", "nope.txt")
    assert (code, err) == (1, "caesura: nope.txt: No such file or directory\n")


def test_names_of_files_can_not_write_to_the_terminal(files, capsys):
    code, _, err = run(capsys, "score", "\x1b[31mred", "hypothesis.txt")
    assert code == 1
    assert "\x1b" not in err


def test_diff_draws_fournier_2013_acl_figure_6(files, capsys):
    code, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt")
    assert code == 0
    first = out.split("\n\n")[0].splitlines()
    assert first == [
        "line 1 · 11 units · n_t=2",
        "  ref  ───────┃───────────┃────────────────────────",
        "  hyp  ───────┃───────┃────────────────────────────",
        "              =       ╰~~~╯",
        "  1 match · 1 near miss (span 1) · 0 missed · 0 spurious",
        "  B 0.750 (1.5/2)   S 0.950 (9.5/10)   WD 0.222 (2/9)",
    ]


def test_diff_lists_edits_in_other_formats(files, capsys):
    Path("hypothesis.txt").write_text("2 2 7\n1 10\n")
    _, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    kinds = [
        (row["line"], row["kind"], row["reference"], row["hypothesis"], row["correctness"]) for row in rows
    ]
    assert kinds == [
        ("1", "match", "2", "2", "1.0"),
        ("1", "near miss", "5", "4", "0.5"),
        ("2", "spurious", "", "1", "0.0"),
        ("2", "missed", "5", "", "0.0"),
    ]


def test_diff_shades_the_windows_that_err(files, capsys):
    """Pevzner & Hearst (2002), figures 2 to 4: WindowDiff with k = 2 errs in the windows at 2 and at 4."""
    code, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt", "-m", "WD", "-m", "B")
    assert code == 0
    first, *_, legend = out.split("\n\n")
    assert first.splitlines()[1:] == [
        "  ref  ───────┃───────────┃────────────────────────",
        "  hyp  ───────┃───────┃────────────────────────────",
        "  WD           ░░░░░░░░░░░░░░░░",
        "              =       ╰~~~╯",
        "  1 match · 1 near miss (span 1) · 0 missed · 0 spurious",
        "  WD 0.222 (2/9)   B 0.750 (1.5/2)",
    ]
    assert legend.strip().endswith("░ in a window that errs")
    _, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt")
    assert "░" not in out


def test_diff_lists_runs_of_windows_where_only_windows_are_asked_for(files, capsys):
    _, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt", "-m", "WD", "-m", "Pk", "-f", "csv")
    assert list(csv.reader(io.StringIO(out))) == [
        ["line", "metric", "start", "end", "windows", "reference", "hypothesis", "weight"],
        ["1", "WD", "2", "4", "1", "0", "1", "1"],
        ["1", "WD", "4", "6", "1", "1", "0", "1"],
        ["1", "Pk", "2", "4", "1", "0", "1", "1"],
        ["1", "Pk", "4", "6", "1", "1", "0", "1"],
    ]
    _, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt", "-m", "WD", "-m", "B", "-f", "csv")
    assert "kind" in out.splitlines()[0]


def test_diff_shades_windows_over_wrapped_rows(files, capsys):
    """Shaded positions are those of the windows, also where a row of the drawing ends among them."""
    Path("reference.txt").write_text(" ".join(["20"] * 20) + "\n")
    Path("hypothesis.txt").write_text("400\n")
    _, out, _ = run(capsys, "diff", "reference.txt", "hypothesis.txt", "-m", "WD(k=4)", "--full")
    shaded = sum(line.count("░") for line in out.splitlines() if line.startswith("  WD "))
    assert shaded == 19 * 7  # each boundary is in 4 windows, which together cover 7 positions


def test_diff_of_corpora_draws_the_segmenter_beside_each_coder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    codings = {"one": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7]}, "two": {"ann": [4, 4], "x": [8]}}
    cs.write(cs.Corpus.from_dict(codings), "all.json")
    code, out, _ = run(capsys, "diff", "all.json", "-s", "x")
    assert code == 0
    titles = [line for line in out.splitlines() if "units" in line]
    assert titles == [
        "one · ann and x · 11 units · n_t=2",
        "one · bob and x · 11 units · n_t=2",
        "two · ann and x · 8 units · n_t=2",
    ]
    _, out, _ = run(capsys, "diff", "all.json", "-s", "x", "-d", "one", "-r", "ann", "-f", "csv")
    rows = [(row["document"], row["coder"], row["kind"]) for row in csv.DictReader(io.StringIO(out))]
    assert rows == [("one", "ann", "match"), ("one", "ann", "near miss")]


def test_diff_knows_what_types_mean(tmp_path, monkeypatch, capsys):
    """Of three ranks one that is two off keeps 1 - 2/3 of its worth; of nominal types nothing."""
    monkeypatch.chdir(tmp_path)
    ann = cs.Segmentation.from_positions([3, 5], n_units=8, types=[1, 2])
    bob = cs.Segmentation.from_positions([3, 5], n_units=8, types=[3, 2])
    for scheme, worth in (
        (cs.TypeScheme.of_ranks([1, 2, 3]), 1 / 3),
        (cs.TypeScheme({1: "a", 2: "b", 3: "c"}, nominal=True), 0.0),
    ):
        cs.write(cs.Corpus.from_dict({"d": {"ann": ann, "bob": bob}}, type_scheme=scheme), "typed.jsonl")
        _, out, _ = run(capsys, "diff", "typed.jsonl", "-s", "bob", "-f", "csv")
        first = next(csv.DictReader(io.StringIO(out)))
        assert first["kind"] == "wrong type"
        assert float(first["correctness"]) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("all.json",), 2, "--segmenter"),
        (("all.json", "all.json"), 1, "the hypothesis has ann and x; choose one, such as -s ann"),
        (("all.json", "-s", "x", "-d", "thre"), 1, "unknown document 'thre'; did you mean 'three'"),
        (("all.json", "-s", "x", "-d", "three"), 1, "unknown coder 'x' in the documents of --document"),
        (
            ("lines.txt", "lines.txt", "-s", "x"),
            2,
            "need corpora; these files hold one segmentation per line",
        ),
    ],
)
def test_diff_of_corpora_says_what_is_wrong(tmp_path, monkeypatch, capsys, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"one": {"ann": [2, 3], "x": [5]}, "three": {"ann": [4, 4]}}), "all.json")
    Path("lines.txt").write_text("2 3\n")
    found, _, err = run(capsys, "diff", *arguments)
    assert found == code
    assert message in err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--seed", value) for value in ("-1", "1.5", "one")),
        *(("--resamples", value) for value in ("-1", "10.5", "many", "10000001")),
    ],
)
def test_score_refuses_bad_seeds_and_resamples_in_one_line(tmp_path, capsys, option, value):
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3], "x": [5]}}), tmp_path / "all.json")
    code, out, err = run(capsys, "score", str(tmp_path / "all.json"), "-s", "x", option, value)
    assert (code, out) == (2, "")
    assert err.startswith(f"caesura: Invalid value for '{option}'")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "all.json", "-s", "x"),
        ("report", "all.json", "-o", "page.html"),
        ("convert", "all.json", "out.jsonl"),
    ],
)
def test_unknown_formats_are_bad_usage_in_every_command(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3], "x": [5]}}), "all.json")
    code, out, err = run(capsys, *command, "--from", "nosuch")
    assert (code, out) == (2, "")
    assert "unknown format 'nosuch'" in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["all.json"]


def test_score_of_several_segmenters(tmp_path, monkeypatch, capsys):
    """The hypotheses of one file beside each other; -s chooses one of them."""
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3]}, "e": {"ann": [4]}}), "gold.json")
    cs.write(cs.Corpus.from_dict({"d": {"x": [5], "y": [2, 3]}, "e": {"x": [4], "y": [4]}}), "both.json")
    code, out, _ = run(capsys, "score", "gold.json", "both.json", "-m", "B", "-f", "csv")
    assert code == 0
    row = next(csv.DictReader(io.StringIO(out)))
    assert (row["document"], float(row["x B"]), float(row["y B"])) == ("d", 0.0, 1.0)
    _, out, _ = run(capsys, "score", "gold.json", "both.json", "-s", "y", "-m", "B", "-f", "csv")
    assert float(next(csv.DictReader(io.StringIO(out)))["B"]) == 1.0


def test_metrics_lists_every_metric(capsys):
    from caesura import METRICS

    _, out, _ = run(capsys, "metrics", "-f", "json")
    assert [row["name"] for row in json.loads(out)["rows"]] == list(METRICS)


def test_metrics_shows_the_parameters_of_one(capsys):
    code, out, _ = run(capsys, "metrics", "WD")
    assert code == 0
    for word in ("edges", "plain | padded | wrap", "weighted", "Pevzner & Hearst (2002)"):
        assert word in out


def test_version_names_the_kernel(capsys):
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out.strip().endswith(f"({kernel.active.NAME} kernel)")


def test_demo_shows_the_pairs_of_stargazers(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    # F13t table 5.3: 28 transpositions, 72 additions; true matches 83. B = (83 + 28/2) / (83 + 28 + 72).
    assert f"{(83 + 14) / 183:.4f}" in out
    assert out.startswith("π*_B 0.46: ")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.exhaustive
def test_demo_writes_the_report_and_says_where(tmp_path, capsys):
    page = tmp_path / "stargazers.html"
    code, out, _ = run(capsys, "demo", "--report", str(page))
    assert code == 0
    assert str(page) in out
    assert "<title>Stargazers" in page.read_text(encoding="utf-8")


def test_a_line_of_tags_is_no_table_of_columns(tmp_path, capsys):
    """B I I B I I on one line are starts, not a token and five coders' tags; --form is never passed over."""
    ref, hyp = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    ref.write_text("B I I B I I\n")
    hyp.write_text("B I B I I I\n")
    for arguments in ([], ["--form", "starts"], ["--form", "labels"]):
        assert cli.run(["score", str(ref), str(hyp), *arguments, "-m", "F"]) == 0
        out, err = capsys.readouterr()
        assert "as lines of starts: reference 1 boundary, hypothesis 1" in err
        assert "0.0000" in out
    assert cli.run(["score", str(ref), "--form", "starts", "-s", "x"]) == 2
    assert cli.run(["diff", str(ref), str(tmp_path), "--form", "starts"]) == 2
    assert cli.run(["diff", str(ref), str(hyp), "--form", "starts", "--from", "bio"]) == 2


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    codings = {"d1": {"ann": [2, 3], "x": [1, 4]}, "d2": {"ann": [2, 30], "x": [2, 30]}}
    cs.write(cs.Corpus.from_dict(codings), "all.json")
    return ["all.json", "-s", "x"]


@pytest.mark.parametrize("format", ["text", "csv"])
def test_a_document_without_a_window_is_named(corpora, capsys, format):
    code, out, err = run(capsys, "diff", *corpora, "-m", "WD(k=20)", "-f", format)
    assert (code, out) == (1, "")
    assert err.startswith("caesura: d1 · ann and x: WD with k=20 has no window in 5 units")
    assert err.count("\n") == 1


def test_an_unknown_metric_to_test_against_is_bad_usage(corpora, capsys):
    code, out, err = run(capsys, "score", *corpora, "-m", "WD", "--against", "Bx")
    assert (code, out) == (2, "")
    assert "unknown metric 'Bx'" in err
