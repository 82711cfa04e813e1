"""caesura compare. Source of truth: counts by hand, simulated segmenters of known quality, the CLI's contract
(exit 0, 1 for bad data, 2 for bad usage, an error is one line)."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

import caesura as cs
from caesura import cli

# x: 3 of 5 boundary pairs (1.5 / 2 with ann, 0.5 / 2 with bob, 1 / 1); y: 0 / 2, 0 / 1, 0.5 / 1.
HAND = {
    "one": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7], "y": [11]},
    "two": {"ann": [4, 4], "x": [4, 4], "y": [3, 5]},
}
QUICK = ("--resamples", "99")


@pytest.fixture
def hand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict(HAND), "hand.json")
    return "hand.json"


@pytest.fixture
def simulated(tmp_path, monkeypatch):
    """Twelve documents; 'good' is right nearly everywhere, 'bad' marks as many places at random."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    codings = {}
    for i in range(12):
        truth = generator.random(99) < 0.15
        flipped = {"ann": 0.01, "bob": 0.01, "good": 0.01}
        gaps = {name: truth ^ (generator.random(99) < rate) for name, rate in flipped.items()}
        gaps["bad"] = generator.random(99) < 0.15
        codings[f"d{i}"] = {
            name: cs.Segmentation.from_positions((np.flatnonzero(marks) + 1).tolist(), 100)
            for name, marks in gaps.items()
        }
    cs.write(cs.Corpus.from_dict(codings), "simulated.json")
    return "simulated.json"


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["compare", *arguments])
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: test_reading.py
    return code, captured.out, said


def test_text_has_the_table_and_the_conclusion(simulated, capsys):
    code, out, err = run(capsys, simulated, "-s", "good", "-s", "bad", "--resamples", "999", "--signature")
    assert (code, err) == (0, "")
    verdict, head = out.split("\n\n")[0], out.split("\n\n")[1].splitlines()[0]
    assert verdict.startswith("good is better than bad and chance")
    assert head.split()[:5] == ["segmenter", "B", "95", "%", "beats"]
    assert "human (upper bound)" in out
    assert "chance (lower bound)" in out
    words = " ".join(out.split())
    assert "good is better than bad and chance" in words
    assert "randomization by document" in words
    assert [line.split("|")[0] for line in out.splitlines()[-6:]] == ["B", "BP", "BR", "BF", "S", "WD"]


@pytest.mark.parametrize("test", ["documents", "bootstrap", "codings", "pairs"])
def test_every_test_calls_random_boundaries_chance(simulated, capsys, test):
    assert cli.run(["compare", simulated, "-s", "good", "-s", "bad", *QUICK, "--test", test, "--wide"]) == 0
    rows = [re.split(r"  +", line) for line in capsys.readouterr().out.splitlines()]
    assert any(row[:2] == ["good", "chance"] for row in rows)
    assert not any("random" in row for row in rows)


def test_values_by_hand(hand, capsys):
    code, out, err = run(capsys, hand, "-s", "x", "-s", "y", "--no-bounds", "-f", "csv", *QUICK)
    assert (code, err) == (0, "")
    x, y = csv.DictReader(io.StringIO(out))
    assert (x["segmenter"], y["segmenter"]) == ("x", "y")
    assert float(x["B"]) == pytest.approx(3 / 5)
    assert float(y["B"]) == pytest.approx(0.5 / 4)
    assert (float(x["B-P"]), float(x["B-R"])) == (pytest.approx(3 / 4), 1.0)
    assert (x["n"], y["n"], x["codings"]) == ("5", "4", "3")


def test_references_and_n_t(hand, capsys):
    """n_t = 3: near misses of distance 1 cost 1 / 3. ann: 1 + 2 / 3 of 2, and 1 of 1."""
    arguments = (hand, "-s", "x", "-s", "y", "-r", "ann", "-n", "3", "--no-bounds", "-f", "csv", *QUICK)
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert float(next(csv.DictReader(io.StringIO(out)))["B"]) == pytest.approx((1 + 2 / 3 + 1) / 3)


def test_json_parses_and_has_no_nan(hand, capsys):
    code, out, err = run(capsys, hand, "-s", "x", "-s", "y", "-f", "json", *QUICK)
    assert (code, err) == (0, "")

    def refuse(name: str) -> None:
        raise AssertionError(name)

    data = json.loads(out, parse_constant=refuse)
    assert data["ranking"][0] == "x"
    rows = {row["name"]: row for row in data["segmenters"]}
    assert rows["x"]["value"] == pytest.approx(0.6)
    assert set(rows) == {"x", "y", "random", "human"}
    assert set(data["other metrics"]) == {"S", "WD"}
    assert data["conclusion"]


def test_the_first_metric_decides(simulated, capsys):
    arguments = ("-s", "bad", "-s", "good", "-m", "WD", "-m", "B", "--no-bounds", "-f", "json", *QUICK)
    code, out, _ = run(capsys, simulated, *arguments)
    data = json.loads(out)
    assert code == 0
    assert data["signature"].startswith("WD|")
    assert data["ranking"] == ["good", "bad"]
    assert list(data["other metrics"]) == ["B"]


def test_bounds(hand, capsys):
    arguments = ("-s", "x", "-s", "y", "--bound", "none", "--bound", "all", "-f", "json", *QUICK)
    _, out, _ = run(capsys, hand, *arguments)
    rows = {row["name"]: row for row in json.loads(out)["segmenters"]}
    assert list(rows) == ["x", "y", "none", "all", "human"]
    assert rows["none"]["missed"] == 4
    assert rows["all"]["value"] == pytest.approx(4 / 27)


def test_the_same_seed_prints_the_same(simulated, capsys):
    arguments = (simulated, "-s", "good", "-s", "bad", *QUICK)
    one, same, other = (run(capsys, *arguments, "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("part", "fragments"),
    [
        ("edits", ["Edits", "near misses", "spurious"]),
        ("macro", ["Means over codings", "SE WD"]),
        ("documents", ["By document", "together", "two"]),
        ("coders", ["By coder", "together", "bob"]),
        ("tests", ["randomization by document", "adjusted p"]),
        ("drop", ["drop", "of coders"]),
    ],
)
def test_show_adds_a_table(hand, capsys, part, fragments):
    arguments = (hand, "-s", "x", "-s", "y", *QUICK)
    _, short, _ = run(capsys, *arguments)
    code, out, err = run(capsys, *arguments, "--show", part)
    assert (code, err) == (0, "")
    assert out.startswith(short)
    more = out[len(short) :]
    assert all(fragment in more for fragment in fragments)


@pytest.mark.parametrize("format", ["text", "csv", "markdown", "latex"])
def test_all_parts_in_every_format(hand, capsys, format):
    parts = [word for part in ("edits", "macro", "documents", "coders", "tests", "drop")
             for word in ("--show", part)]  # fmt: skip
    code, out, err = run(capsys, hand, "-s", "x", "-s", "y", "-f", format, *parts, *QUICK)
    assert (code, err) == (0, "")
    assert out.count("segmenter") >= 4


def test_output_writes_the_whole_file(hand, capsys, tmp_path):
    arguments = (hand, "-s", "x", "-s", "y", "--show", "edits", "--show", "tests", "-f", "markdown", *QUICK)
    _, printed, _ = run(capsys, *arguments, "--signature")
    code, out, err = run(capsys, *arguments, "-o", "result.md")
    assert (code, out, err) == (0, "", "result -> result.md (markdown)\n")
    assert (tmp_path / "result.md").read_text(encoding="utf-8") == printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hand.json", "result.md"]


def test_json_to_a_file(hand, capsys, tmp_path):
    code, out, _ = run(capsys, hand, "-s", "x", "-s", "y", "-f", "json", "-o", "result.json", *QUICK)
    assert (code, out) == (0, "")
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["ranking"][0] == "x"


def test_a_failure_leaves_no_file(hand, capsys, tmp_path):
    code, _, _ = run(capsys, hand, "-s", "z", "-o", "result.md")
    assert code == 1
    assert not (tmp_path / "result.md").exists()


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ((), "--segmenter"),
        (("-s", "x", "-m", "BB"), "BB"),
        (("-s", "x", "--bound", "best"), "best"),
        (("-s", "x", "--show", "nothing"), "nothing"),
        (("-s", "x", "-f", "pdf"), "pdf"),
        (("-s", "x", "--resamples", "5"), "resamples"),
        (("-s", "x", "--alpha", "much"), "alpha"),
        (("-s", "x", "--n-t", "0"), "n-t"),
        (("-s", "x", "--colour"), "--colour"),
    ],
)
def test_bad_usage(hand, capsys, arguments, fragment):
    code, out, err = run(capsys, hand, *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert fragment in err


def test_no_data_is_bad_usage(capsys):
    code, _, err = run(capsys, "-s", "x")
    assert code == 2
    assert "DATA" in err


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("hand.json", "-s", "xx"), "did you mean 'x'"),
        (("hand.json", "-s", "x", "-r", "x"), "segmenter and a reference"),
        (("hand.json", "-s", "bob", "-s", "x"), "bob lacks 1 (two) of the 2 reference documents"),
        (("hand.json", "-s", "ann", "-s", "bob", "-s", "x", "-s", "y"), "no reference coder"),
        (("hand.json", "-s", "x", "-m", "MultWD"), "all references at once"),
        (("hand.json", "-s", "x", "--alpha", "2"), "alpha"),
        (("missing.json", "-s", "x"), "missing.json"),
        (("broken.json", "-s", "x"), "broken.json"),
        (("hand.json", "-s", "x", "-s", "y", "-o", "nowhere/result.md"), "nowhere"),
    ],
)
def test_bad_data_is_one_line(hand, capsys, tmp_path, arguments, fragment):
    (tmp_path / "broken.json").write_text('{"items": ', encoding="utf-8")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("caesura: ")
    assert fragment in err


def test_one_segmenter_on_few_documents(hand, capsys):
    code, out, _ = run(capsys, hand, "-s", "x", "-r", "ann", "--no-bounds", *QUICK)
    assert code == 0
    assert "add another segmenter to compare it with" in out


def test_a_drop_that_is_not_defined_is_said(tmp_path, monkeypatch, capsys):
    """Everybody marks every place: chance agreement is 1 and κ* has no value."""
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {name: [1] * 5 for name in ("ann", "bob", "x", "y")}}), "all.json")
    arguments = ("all.json", "-s", "x", "-s", "y", "--no-bounds", *QUICK)
    _, short, _ = run(capsys, *arguments)
    code, out, err = run(capsys, *arguments, "--show", "drop")
    assert code == 0
    assert out + err != short


@pytest.mark.exhaustive
def test_documents_can_be_chosen_where_a_segmenter_lacks_some(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    codings = {
        "one": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7]},
        "two": {"ann": [4, 4], "bob": [4, 4]},
    }
    cs.write(cs.Corpus.from_dict(codings), "some.json")
    code = cli.run(["compare", "some.json", "-s", "x", "--resamples", "99"])
    assert code == 1
    assert "segmenter x lacks" in capsys.readouterr().err
    for command in (["compare"], ["report", "-o", "page.html"]):
        assert cli.run([*command, "some.json", "-s", "x", "-d", "one", "--resamples", "99"]) == 0
