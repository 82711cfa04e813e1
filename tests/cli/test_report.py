"""caesura report. Source of truth: the analyses themselves, and the CLI's contract (exit 0, 1 for bad data, 2
for bad usage, an error is one line, files appear whole or not at all)."""

from __future__ import annotations

import base64
import html
import json
import re
import sys
import zlib

import pytest

import caesura as cs
from caesura import cli
from caesura.analyses.reporting import Report
from caesura.cli import report as report_command

QUICK = ("--resamples", "0")
HAND = {
    "one": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7]},
    "two": {"ann": [4, 4], "bob": [4, 4], "x": [3, 5]},
}


@pytest.fixture
def hand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict(HAND), "hand.json")
    return "hand.json"


@pytest.fixture
def plain(monkeypatch):
    """Leave out the charts, which take a second: test_the_page_has_charts looks at them."""
    monkeypatch.setattr(Report, "with_charts", lambda made: made)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["report", *arguments])
    captured = capsys.readouterr()
    said = re.sub(r"(?m)^caesura: read .*\n", "", captured.err)  # what was understood: test_reading.py
    return code, captured.out, said


def payload(path) -> dict:
    text = path.read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="data">(.*?)</script>', text, re.S)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


@pytest.mark.usefixtures("plain")
def test_it_writes_one_page_and_says_where(hand, capsys, tmp_path):
    code, out, err = run(capsys, hand, "-o", "report.html", *QUICK)
    assert (code, out) == (0, "")
    assert err == "2 documents, 3 coders, 6 codings -> report.html\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hand.json", "report.html"]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>hand</title>" in text
    found = cs.agreement(cs.Corpus.from_dict(HAND), n_resamples=0)
    assert html.escape(found.notes[0].text) in text


@pytest.mark.usefixtures("plain")
def test_the_page_holds_the_codings(hand, capsys, tmp_path):
    run(capsys, hand, "-o", "report.html", *QUICK)
    data = payload(tmp_path / "report.html")
    assert data["coders"] == ["ann", "bob", "x"]
    assert [(one["name"], one["n"], one["coders"]) for one in data["documents"]] == [
        ("one", 11, [0, 1, 2]),
        ("two", 8, [0, 1, 2]),
    ]
    # Steps from boundary to boundary are the masses but the last.
    assert [one["codings"] for one in data["documents"]] == [[[2, 3], [5], [2, 2]], [[4], [4], [3]]]


@pytest.mark.usefixtures("plain")
def test_values_by_hand(hand, capsys, tmp_path):
    """x with ann: 1.5 of 2 pairs, with bob: 0.5 of 2; on the second document 0.5 of 1 with each."""
    run(capsys, hand, "-o", "report.html", "-s", "x", *QUICK)
    data = payload(tmp_path / "report.html")
    assert data["segmenters"] == [2]
    assert data["references"] == [0, 1]
    assert data["views"] == ["coders among themselves", "x against the references"]
    assert [one["values"][1][0] for one in data["documents"]] == pytest.approx([2 / 4, 1 / 2])
    assert [one["values"][0][0] for one in data["documents"]] == pytest.approx([1 / 2, 1])


@pytest.mark.usefixtures("plain")
def test_options_reach_the_page(hand, capsys, tmp_path):
    arguments = ("-s", "x", "-r", "ann", "-n", "3", "--title", "<Mine> & yours", "-m", "S")
    code, _, _ = run(capsys, hand, "-o", "report.html", *arguments, *QUICK)
    assert code == 0
    data = payload(tmp_path / "report.html")
    assert (data["title"], data["n_t"], data["references"]) == ("<Mine> & yours", 3, [0])
    assert [metric["spec"] for metric in data["metrics"]] == ["S(n_t=3)", "B(n_t=3)", "F", "Pk", "WD"]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>&lt;Mine&gt; &amp; yours</title>" in text
    assert "one reference, ann" in text


@pytest.mark.usefixtures("plain")
def test_with_references_alone_all_others_are_judged(hand, capsys, tmp_path):
    corpus = cs.read(hand)
    reference, *others = corpus.coders
    assert run(capsys, hand, "-o", "report.html", "-r", reference, *QUICK)[0] == 0
    data = payload(tmp_path / "report.html")
    assert [data["coders"][place] for place in data["references"]] == [reference]
    assert {data["coders"][place] for place in data["segmenters"]} == set(others)


@pytest.mark.usefixtures("plain")
def test_coders_who_may_be_segmenters_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {"gold": [2, 3], "C99": [3, 2]}}), "names.json")
    _, _, err = run(capsys, "names.json", "-o", "report.html", *QUICK)
    assert (
        "note: C99 may be a segmenter, but counts as a coder here; name segmenters with --segmenter." in err
    )
    _, _, err = run(capsys, "names.json", "-o", "report.html", "--force", "-s", "C99", *QUICK)
    assert "may be" not in err


@pytest.mark.usefixtures("plain")
def test_n_t_of_the_metric_is_kept(hand, capsys, tmp_path):
    run(capsys, hand, "-o", "report.html", "-m", "B(n_t=12)", *QUICK)
    data = payload(tmp_path / "report.html")
    assert (data["n_t"], data["max_n_t"], data["metrics"][0]["spec"]) == (12, 12, "B(n_t=12)")


@pytest.mark.exhaustive
def test_coders_may_be_called_like_bounds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3], "human": [3, 2], "random": [1, 4]}}), "names.json")
    code, _, err = run(capsys, "names.json", "-o", "report.html", "-s", "random", *QUICK)
    assert (code, err) == (0, "1 document, 3 coders, 3 codings -> report.html\n")


@pytest.mark.exhaustive
def test_hierarchies_with_a_segmenter(tmp_path, monkeypatch, capsys):
    """Ranks: the page says so, and E_WD stands beside the other metrics. A perfect segmenter has 0."""
    monkeypatch.chdir(tmp_path)
    truth = cs.Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    cs.write(cs.Corpus.from_dict({"d": {"ann": truth, "x": truth}}), "ranks.jsonl")
    code, _, _ = run(capsys, "ranks.jsonl", "-o", "report.html", "-s", "x", *QUICK)
    assert code == 0
    data = payload(tmp_path / "report.html")
    assert data["ranks"]
    assert [metric["name"] for metric in data["metrics"]] == ["B", "F", "Pk", "WD", "EWD"]
    assert data["documents"][0]["types"] == [[2, 1], [2, 1]]
    assert data["documents"][0]["values"] == [[1.0, 1.0, 0.0, 0.0, 0.0]]


@pytest.mark.exhaustive
def test_the_same_seed_writes_the_same_bytes(hand, capsys, tmp_path):
    written = []
    for seed in ("4", "4", "5"):
        run(capsys, hand, "-o", "report.html", "--force", "-s", "x", "--resamples", "99", "--seed", seed)
        written.append((tmp_path / "report.html").read_bytes())
    assert written[0] == written[1]
    assert written[0] != written[2]


@pytest.mark.usefixtures("plain")
def test_an_old_file_stays_unless_forced(hand, capsys, tmp_path):
    (tmp_path / "report.html").write_text("old", encoding="utf-8")
    code, _, err = run(capsys, hand, "-o", "report.html", *QUICK)
    assert (code, err) == (2, "caesura: report.html already exists (use --force to overwrite)\n")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "old"
    assert run(capsys, hand, "-o", "report.html", "--force", *QUICK)[0] == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8") != "old"


@pytest.mark.usefixtures("plain")
def test_open_shows_the_file(hand, capsys, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(report_command.click, "launch", opened.append)
    run(capsys, hand, "-o", "report.html", "--open", *QUICK)
    assert opened == [(tmp_path / "report.html").as_uri()]


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ((), "--output"),
        (("-o", "report.html", "-m", "BB"), "BB"),
        (("-o", "report.html", "-n", "0"), "n-t"),
        (("-o", "report.html", "--from", "word"), "word"),
        (("-o", "report.html", "--seed", "-1"), "seed"),
    ],
)
def test_bad_usage(hand, capsys, arguments, fragment):
    code, out, err = run(capsys, hand, *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert fragment in err


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("hand.json", "-s", "xx"), "did you mean 'x'"),
        (("hand.json", "-s", "x", "-r", "x"), "segmenter and a reference"),
        (("hand.json", "-s", "ann", "-s", "bob", "-s", "x"), "no reference coder"),
        (("hand.json", "-m", "B(substitution={(1, 2): 0.5})"), "table of substitution costs"),
        (("hand.json", "-m", "B(transposition={1: 0.5})"), "table of transposition costs"),
        (("missing.json",), "missing.json"),
    ],
)
def test_bad_data_is_one_line_and_leaves_no_file(hand, capsys, tmp_path, arguments, fragment):
    code, out, err = run(capsys, *arguments, "-o", "report.html", *QUICK)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert fragment in err
    assert not (tmp_path / "report.html").exists()


def test_one_coder_and_one_unit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"d": {"ann": [1]}}), "one.json")
    code, _, _ = run(capsys, "one.json", "-o", "report.html")
    assert code == 0
    assert payload(tmp_path / "report.html")["documents"][0]["codings"] == [[]]


def test_the_page_has_charts(hand, capsys, tmp_path):
    assert run(capsys, hand, "-o", "report.html", "-s", "x")[0] == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count('src="data:image/svg+xml;base64,') == 8


def test_without_altair_the_page_has_no_charts_and_a_line_says_why(hand, capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)  # importing it fails
    code, _, err = run(capsys, hand, "-o", "report.html", *QUICK)
    assert code == 0
    assert re.search(r"no charts: figures need Altair: .* -m pip install .*\[report\]'", err)
    assert "data:image/svg+xml;base64," not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_without_the_converter_of_charts_a_line_says_why(hand, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    code, _, err = run(capsys, hand, "-o", "report.html", *QUICK)
    assert code == 0
    assert "no charts: figures need vl-convert" in err


@pytest.mark.usefixtures("plain")
def test_texts_can_be_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    units = {"one": ["alpha", "beta", "gamma", "delta", "epsilon"]}
    cs.write(cs.Corpus.from_dict({"one": {"ann": [2, 3], "bob": [3, 2]}}, units=units), "text.jsonl")
    texts = []
    for options in ((), ("--no-text",)):
        code, _, _ = run(capsys, "text.jsonl", "-o", "report.html", "--force", *options, *QUICK)
        assert code == 0
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        packed = re.findall(r'<script type="text/plain" class="texts">(.*?)</script>', text)
        texts.append([json.loads(zlib.decompress(base64.b64decode(one))) for one in packed])
    assert texts == [[[units["one"]]], []]


@pytest.mark.usefixtures("plain")
def test_the_page_aligns_as_the_metric_says(hand, capsys, tmp_path):
    code, _, _ = run(capsys, hand, "-m", "B(method='optimal')", "-o", "report.html", *QUICK)
    assert code == 0
    assert payload(tmp_path / "report.html")["weights"]["method"] == "optimal"
