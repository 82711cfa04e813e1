"""caesura agree. Source of truth: the values that F13 prints, counts done by hand, DESIGN for the look."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli
from caesura.io.writing import write


@pytest.fixture
def stargazers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(cs.load_stargazers(), "stargazers.json")
    return "stargazers.json"


@pytest.fixture
def two_groups(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    codings = {
        "one": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]},
        "two": {"ann": [4, 4], "bob": [4, 4], "cy": [4, 4]},
        "three": {"dan": [3, 3], "eve": [3, 3]},
    }
    write(cs.Corpus.from_dict(codings), "groups.json")
    return "groups.json"


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: test_reading.py
    return code, captured.out, said


def rows(capsys, *arguments: str) -> list[dict]:
    code, out, err = run(capsys, "agree", *arguments, "-f", "csv")
    assert (code, err) == (0, "")
    return [{name: number(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(out))]


def number(cell: str) -> float | str | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def test_one_group_with_the_values_of_fournier_2013(stargazers, capsys):
    (row,) = rows(capsys, stargazers, "--chance", "published")
    assert row["π*_B"] == pytest.approx(0.4405, abs=5e-5)
    assert (row["coders"], row["docs"], row["pairs"], row["boundaries"]) == (7, 1, 21, 49)
    (row,) = rows(capsys, stargazers, "-m", "S", "--chance", "published")
    assert row["π*_S"] == pytest.approx(0.7562, abs=5e-5)


def test_text_ends_with_meaning_warnings_and_signature(stargazers, capsys):
    code, out, err = run(capsys, "agree", stargazers, "--signature")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("π*_B 0.46: 46 % of what perfect agreement would add over chance.")
    assert "moderate (Landis & Koch 1977)" in " ".join(lines)
    assert "1 document · 7 coders · 1 group" in lines
    assert "0.4644" in out  # by definition (SPEC §7)
    assert "Krippendorff 2004" in out
    assert "of boundaries would score 0.2" in out
    assert "Only one document: the interval resamples positions within it" in out
    assert lines[-1].startswith("B|n_t=2|")
    assert (
        "coefficient=pi|chance=boundaries|average=micro|pairs=21|interval=bootstrap,0.95,1000,seed=0"
        in lines[-1]
    )


def test_the_same_seed_prints_the_same_and_another_does_not(stargazers, capsys):
    outputs = [run(capsys, "agree", stargazers, "--seed", seed)[1] for seed in ("1", "1", "2")]
    assert outputs[0] == outputs[1] != outputs[2]


def test_groups_are_found(two_groups, capsys):
    whole, first, second = rows(capsys, two_groups)
    assert [row["group"] for row in (whole, first, second)] == ["all", 1, 2]
    # Two more boundaries on 2 × 5 positions, and one more pair that agrees.
    rate = (8 + 2) / (3 * (10 + 7) + 2 * 5)
    assert whole["B"] == pytest.approx((1.5 + 1 + 0.5 + 3 + 1) / (2 + 2 + 2 + 3 + 1))
    assert whole["π*_B"] == pytest.approx((whole["B"] - rate**2) / (1 - rate**2))
    assert (whole["coders"], whole["docs"], whole["pairs"], whole["boundaries"]) == (5, 3, 7, 10)
    assert (first["members"], second["members"]) == ("ann, bob, cy", "dan, eve")
    # By hand, ann-bob, ann-cy, bob-cy: 1.5 of 2, 1 of 2, 0.5 of 2 (4 and 5 are near) and 1 of 1 each.
    assert first["B"] == pytest.approx((1.5 + 1 + 0.5 + 3) / (2 + 2 + 2 + 3))
    rate = 8 / (3 * (10 + 7))
    assert first["π*_B"] == pytest.approx((first["B"] - rate**2) / (1 - rate**2))
    assert second["B"] == second["π*_B"] == second["κ*_B"] == 1


def test_no_resamples_leave_out_interval_and_random_coders(two_groups, capsys):
    code, out, _ = run(capsys, "agree", two_groups, "--resamples", "0")
    assert code == 0
    assert "95 %" not in out
    assert "Random coders" not in out


def test_kappa_puts_the_interval_beside_itself(stargazers, capsys):
    _, out, _ = run(capsys, "agree", stargazers, "--coefficient", "kappa", "-f", "csv")
    header = next(csv.reader(io.StringIO(out)))
    assert header[header.index("κ*_B") + 1 :][:2] == ["low 95 %", "high 95 %"]


def test_documents(two_groups, capsys):
    found = {row["document"]: row for row in rows(capsys, two_groups, "--documents")}
    assert list(found) == ["one", "two", "three"]
    assert found["one"]["B"] == pytest.approx(3 / 6)
    assert found["one"]["positions"] == 10
    assert found["two"]["π*_B"] == 1


def test_pairwise(two_groups, capsys):
    found = {row["coder"]: row for row in rows(capsys, two_groups, "--pairwise")}
    assert found["ann"]["bob"] == found["bob"]["ann"] == pytest.approx((1.5 + 1) / (2 + 1))
    assert found["ann"]["ann"] is None
    assert found["ann"]["dan"] is None
    assert found["dan"]["eve"] == 1


def test_pairwise_by_document_with_a_metric_that_has_sides(two_groups, capsys):
    found = rows(capsys, two_groups, "--pairwise", "--documents", "-m", "P")
    cell = {(row["document"], row["reference"], row["hypothesis"]): row["P"] for row in found}
    assert cell["one", "ann", "cy"] == 1  # the reference is ann: cy's only boundary is right
    assert cell["one", "cy", "ann"] == 0.5
    assert len(found) == len(cell) == 6 + 6 + 2


def test_influence(two_groups, capsys):
    found = {row["coder"]: row for row in rows(capsys, two_groups, "--influence")}
    rate = 6 / (2 * 17)
    pooled = (1.5 + 1) / (2 + 1)
    assert found["cy"]["π*_B without"] == pytest.approx((pooled - rate**2) / (1 - rate**2))
    assert math.isnan(found["dan"]["π*_B without"])


def test_strict(two_groups, capsys):
    _, _, second = rows(capsys, two_groups, "--strict")
    assert second["percent"] == second["Cohen κ"] == second["Scott π"] == second["Krippendorff α"] == 1
    code, out, _ = run(capsys, "agree", two_groups, "--strict")
    assert code == 0
    assert "Krippendorff α over all documents" in out
    assert "group 2: no two coders differ at any position" in out


def test_several_metrics_and_n_t(two_groups, capsys):
    found = rows(capsys, two_groups, "-m", "B", "-m", "S", "-m", "F", "-n", "1")
    assert [row["metric"] for row in found[::3]] == ["B(n_t=1)", "S(n_t=1)", "F"]
    assert found[1]["observed"] == pytest.approx((1 + 1 + 0 + 3) / (3 + 2 + 3 + 3))


def test_json_holds_everything(two_groups, capsys):
    code, out, _ = run(capsys, "agree", two_groups, "-m", "B", "-m", "S", "-f", "json")
    assert code == 0
    b, s = json.loads(out)["agreements"]
    assert (b["metric"], s["metric"]) == ("B", "S")
    assert b["observed"] == pytest.approx(7 / 10)
    assert b["random"]["rounds"] == 100
    first, second = b["groups"]
    assert first["coders"] == ["ann", "bob", "cy"]
    assert first["observed"] == pytest.approx(6 / 9)
    assert set(first["influence"]) == {"ann", "bob", "cy"}
    assert [row["document"] for row in first["by_document"]] == ["one", "two"]
    assert first["random"]["rounds"] == 100
    assert first["interval"][0] <= first["interval"][1]
    assert second["strict"]["cohen_kappa"] == 1
    assert second["influence"] == {"dan": None, "eve": None}  # JSON knows no NaN


def test_json_of_pairs(two_groups, capsys):
    code, out, _ = run(capsys, "agree", two_groups, "--pairwise", "-f", "json")
    assert code == 0
    data = json.loads(out)
    assert data["values"]["dan"] == {"eve": 1.0}
    assert data["by_document"]["one"]["ann"] == {"bob": 0.75, "cy": 0.5}


@pytest.mark.parametrize("format", ["markdown", "latex", "csv", "text"])
def test_every_format_to_a_file(stargazers, capsys, tmp_path, format):
    code, out, _ = run(capsys, "agree", stargazers, "-f", format, "-o", "out.txt")
    assert (code, out) == (0, "")
    assert "0.464" in (tmp_path / "out.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-m", "WD"), 1, "is not a similarity from 0 to 1"),
        (("-m", "Q"), 2, "unknown metric 'Q'"),
        (("--pairwise", "-m", "B", "-m", "S"), 2, "give only one -m"),
        (("--pairwise", "--strict"), 2, "choose one"),
        (("--documents", "--influence"), 2, "choose one"),
        (("--chance", "none"), 2, "none"),
        (("--resamples", "-1"), 2, "resamples"),
        (("--seed", "-1"), 2, "seed"),
        (("--seed", "1.5"), 2, "seed"),
    ],
)
def test_errors_are_one_line(stargazers, capsys, arguments, code, message):
    found, out, err = run(capsys, "agree", stargazers, *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1


def test_nothing_shared_is_bad_data(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(cs.Corpus.from_dict({"d": {"a": [2, 3]}, "e": {"b": [2, 3]}}), "alone.json")
    code, _, err = run(capsys, "agree", "alone.json")
    assert code == 1
    assert err == "caesura: no document has two coders; agreement needs at least two per document\n"


def test_a_missing_file_is_named(capsys):
    code, _, err = run(capsys, "agree", "nowhere.json")
    assert code == 1
    assert "nowhere.json" in err


def test_only_the_coders_that_are_named_are_looked_at(stargazers, capsys):
    code, out, _ = run(capsys, "agree", stargazers, "-c", "1", "-c", "6", "--resamples", "0", "-f", "csv")
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    # Readers 1 and 6: 4 matches, 1 near miss, 2 full misses.
    assert float(row["B"]) == pytest.approx(4.5 / 7)
    code, out, _ = run(capsys, "describe", stargazers, "-c", "1", "-c", "6", "-f", "json")
    assert json.loads(out)["pair_matches"] == 4
    code, _, err = run(capsys, "agree", stargazers, "-c", "9")
    assert code == 1
    assert "unknown coder '9'" in err


def test_codings_may_be_missing_and_single_ones_are_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    codings = {
        "one": {"ann": [2, 3, 6], "bob": [2, 2, 7]},
        "two": {"bob": [4, 4], "cy": [4, 4]},
        "three": {"dan": [3, 3]},
    }
    write(cs.Corpus.from_dict(codings), "turns.json")
    code, out, _ = run(capsys, "agree", "turns.json", "--resamples", "0")
    assert code == 0
    rate = 6 / (2 * 10 + 2 * 7)
    assert (
        f"{((1.5 + 1) / (2 + 1) - rate**2) / (1 - rate**2):.4f}" in out
    )  # one near miss of 1.5/2, one match
    assert "1 document with one coding does not count: three." in out
    assert '"all" pools every pair of codings of a document' in out


# -------------------------------------------------------------------- two versions


@pytest.fixture
def two_versions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = {"n_units": 60, "mean_segment": 6, "near_miss": 0.1}
    write(cs.simulate(12, 3, full_miss=0.4, rng=1, **options), "v1.json")
    write(cs.simulate(14, 3, full_miss=0.1, rng=2, **options), "v2.json")
    return "v2.json", "--versus", "v1.json"


def test_two_versions_are_compared(two_versions, capsys):
    new, old, difference = rows(capsys, *two_versions)
    assert [row["version"] for row in (new, old, difference)] == ["v2", "v1", "difference"]
    values = [cs.agreement(cs.read(name), n_resamples=0).value for name in ("v2.json", "v1.json")]
    assert difference["π*_B"] == pytest.approx(values[0] - values[1])
    assert difference["low 95 %"] < difference["π*_B"] < difference["high 95 %"]
    assert difference["p"] < 0.01
    code, out, _ = run(capsys, "agree", *two_versions)
    assert code == 0
    assert "the coders of v2 agree better than those of v1" in " ".join(out.split())
    assert "12 documents in both versions, compared in pairs; 2 only in v2, 0 only in v1" in " ".join(
        out.split()
    )
    outputs = [run(capsys, "agree", *two_versions, "-f", "json")[1] for _ in "ab"]
    assert outputs[0] == outputs[1]
    assert json.loads(outputs[0])["n_shared"] == 12


@pytest.mark.parametrize("option", ["--strict", "--pairwise", "--influence", "--levels", "--documents"])
def test_two_versions_have_one_table(two_versions, capsys, option):
    code, _, err = run(capsys, "agree", *two_versions, option)
    assert code == 2
    assert "--versus compares two values" in err


def test_a_version_without_two_coders_is_one_line(two_versions, capsys):
    write(cs.read("v1.json").select(coders=["c1"]), "single.json")
    code, out, err = run(capsys, "agree", "v2.json", "--versus", "single.json")
    assert (code, out) == (1, "")
    assert err == "caesura: single: no document has two coders; agreement needs at least two per document\n"


@pytest.mark.exhaustive
def test_everybody_says_the_same_about_random_coders(stargazers, capsys):
    """Python, terminal, JSON, demo and page show one field of one result."""
    result = cs.agreement(cs.load_stargazers(), rng=0)
    (sentence,) = [note.text for note in result.notes if "Random coders" in note.text]
    assert f"{result.random.mean:.2f}" in sentence
    printed = " ".join(run(capsys, "agree", stargazers, "--seed", "0")[1].split())
    demo = " ".join(run(capsys, "demo", "--report", "page.html")[1].split())
    assert [sentence in text for text in (printed, demo)] == [True, True]
    (data,) = json.loads(run(capsys, "agree", stargazers, "--seed", "0", "-f", "json")[1])["agreements"]
    assert data["random"] == result.to_dict()["random"]
    assert data["random"]["mean"] == result.random.mean
    assert sentence in {note["text"] for note in data["notes"]}
    assert sentence in html.unescape(Path("page.html").read_text(encoding="utf-8"))
