"""caesura adjudicate. Source of truth: counts by hand, DESIGN (what users see, exit codes)."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from caesura import Corpus, cli
from caesura.io.reading import read
from caesura.io.writing import write


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # 5 and 6 are near misses; all mark 9.
    write(Corpus.from_dict({"d": {"ann": [5, 4, 2], "bob": [6, 3, 2], "cy": [9, 2]}}), "data.json")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["adjudicate", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, re.sub(r"(?m)^caesura: read .*\n", "", captured.err)


def test_places_are_written_decided_and_read_back(capsys):
    code, out, err = run(capsys, "data.json", "-o", "places.csv")
    assert (code, out, err) == (0, "", "1 place to decide, most costly first -> places.csv\n")
    rows = list(csv.DictReader(io.StringIO(Path("places.csv").read_text(encoding="utf-8-sig"))))
    assert [(row["document"], row["first"], row["last"], row["proposal"]) for row in rows] == [
        ("d", "5", "6", "5")
    ]
    decided = Path("places.csv").read_text(encoding="utf-8-sig").replace("d,5,6,,", "d,5,6,6,")
    Path("places.csv").write_text(decided.replace(",", ";"), encoding="utf-8-sig")
    code, out, err = run(capsys, "data.json", "--decisions", "places.csv", "-o", "gold.json")
    assert (code, out) == (0, "")
    assert err == "1 document: 2 boundaries from 2 places (1 unanimous, 1 chosen) -> gold.json\n"
    assert read("gold.json")["d", "gold"].positions == (6, 9)


def test_the_table_and_json_show_the_places(capsys):
    code, out, _ = run(capsys, "data.json")
    assert code == 0
    assert re.search(r"d +5–6 +0\.4167 +5 +2 of 3 +5: 1 · 6: 1", out)
    assert "1 place to decide; the coders agree on 1 place." in out
    found = json.loads(run(capsys, "data.json", "-f", "json")[1])
    assert found["contested"][0]["votes"]["bob"] == [{"position": 6, "type": 1}]
    assert [place["positions"] for place in found["unanimous"]] == [[9]]
    by_share = json.loads(run(capsys, "data.json", "--share", "1", "-f", "json")[1])
    assert by_share["contested"][0]["proposal"] == []
    exact = json.loads(run(capsys, "data.json", "--n-t", "1", "-c", "ann", "-c", "bob", "-f", "json")[1])
    assert [place["positions"] for place in exact["contested"]] == [[5], [6]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["data.json", "--decisions", "absent.csv", "-o", "x.json"], 2, "absent.csv"),
        (
            ["data.json", "--decisions", "empty.csv"],
            2,
            "--decisions needs an output file, such as -o gold.json",
        ),
        (["data.json", "--decisions", "empty.csv", "-o", "x.unknown"], 2, "its extension names no format"),
        (
            ["data.json", "--decisions", "empty.csv", "-o", "x.json"],
            1,
            "empty.csv: line 2: document d: place",
        ),
        (["data.json", "--n-t", "3s"], 1, "n_t"),
        (["absent.json"], 1, "absent.json"),
        (["data.json", "-o", "data.json"], 2, "already exists (use --force to overwrite)"),
    ],
)
def test_errors_are_one_line(capsys, arguments, code, message):
    run(capsys, "data.json", "-o", "empty.csv")
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(Path().glob("x*"))
