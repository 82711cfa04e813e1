"""Signatures: short for readers, in full in files, JSON and with --signature; each metric of a table has one.

Source of truth: the declared defaults, and the rule that name, version and what differs from the defaults
tell the whole signature.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura as cs
from caesura.cli import run
from caesura.metrics.base import signature_of
from caesura.results.notes import finding, short_signature, signature

CORPUS = cs.Corpus.from_dict(
    {f"d{i}": {"ann": [2, 3, 6], "bob": [5, 6], "x": [2, 2, 7], "y": [11]} for i in range(4)}
)


@pytest.mark.parametrize("name", cs.METRICS)
def test_a_signature_of_defaults_is_name_and_version(name):
    assert short_signature(signature_of(cs.metric(name))) == f"{name}|caesura {cs.__version__}"


@pytest.mark.parametrize(
    ("spec", "kept"),
    [("B(n_t=3)", "n_t=3"), ("WD(edges='wrap')", "edges=wrap"), ("F(tolerance=2)", "tolerance=2")],
)
def test_what_differs_from_the_defaults_is_kept(spec, kept):
    short = short_signature(signature_of(cs.metric(spec), 5))
    assert short.split("|")[1:] == [kept, "pairs=5", f"caesura {cs.__version__}"]


def test_other_notes_are_never_shortened():
    assert finding("average=micro|n_t=2").short == "average=micro|n_t=2"
    assert signature("no signature that is known|x=1").short == "no signature that is known|x=1"


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(CORPUS, "data.json")
    return "data.json"


COMMANDS = {
    "score": ("score", "data.json", "-s", "x", "-r", "ann", "-m", "B", "-m", "WD"),
    "compare": ("compare", "data.json", "-s", "x", "-s", "y", "--resamples", "99"),
    "agree": ("agree", "data.json", "--resamples", "9"),
    "describe": ("describe", "data.json"),
}
USUAL = {"describe": "SD=population"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_signatures_are_short_unless_they_are_asked_for_or_written(command, format, data, capsys):
    arguments, usual = [*COMMANDS[command], "-f", format], USUAL.get(command, "transposition=scaled")
    assert run(arguments) == 0
    assert usual not in capsys.readouterr().out
    assert run([*arguments, "--signature", "--wide"]) == 0
    full = capsys.readouterr().out
    assert usual in full
    assert run([*arguments, "-o", "out"]) == 0
    assert Path("out").read_text(encoding="utf-8") == full


@pytest.mark.parametrize("command", COMMANDS)
def test_json_has_signatures_in_full(command, data, capsys):
    assert run([*COMMANDS[command], "-f", "json"]) == 0
    assert USUAL.get(command, "transposition=scaled") in json.dumps(json.loads(capsys.readouterr().out))


def test_every_metric_of_a_comparison_is_shown_and_has_its_signature(data, capsys):
    metrics = ["-m", "B", "-m", "Pk", "-m", "F(tolerance=1)", "-m", "WD(edges='wrap')"]
    assert run([*COMMANDS["compare"], *metrics, "--signature", "--wide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = lines[lines.index("") + 1]
    for name in ("B", "Pk", "F(tolerance=1)", "WD(edges='wrap')"):
        assert name in head
    signatures = [line.split("|")[0] for line in lines if f"|caesura {cs.__version__}" in line]
    assert signatures == ["B", "BP", "BR", "BF", "Pk", "F", "WD"]


@pytest.mark.parametrize("part", ["edits", "macro", "documents", "coders", "tests"])
def test_every_table_of_a_comparison_has_the_signatures_of_its_metrics(part):
    found = cs.compare(CORPUS, segmenters=["x", "y"], metric="WD", metrics=["B"], n_resamples=99, rng=0)
    names = [note.text.split("|")[0] for note in found.to_table(part).of_kind("signature")]
    assert names == {"edits": ["B"], "macro": ["WD", "B"]}.get(part, ["WD"])


def test_pooled_values_of_the_other_metrics_stand_in_the_table():
    """By the functions for single pairs, pooled with +."""
    found = cs.compare(CORPUS, segmenters=["x", "y"], n_resamples=99, rng=0, bounds=())
    table = found.to_table()
    columns = [column.name for column in table.columns]
    for spec, function in (("S", cs.segmentation_similarity), ("WD", cs.window_diff)):
        for row in table.rows:
            if row[1] in ("x", "y"):
                pooled = sum(
                    function(CORPUS[d, coder], CORPUS[d, row[1]])
                    for d in CORPUS.documents
                    for coder in ("ann", "bob")
                )
                assert row[columns.index(spec)] == pytest.approx(float(pooled))


def test_names_of_columns_say_what_they_are():
    found = cs.compare(CORPUS, segmenters=["x", "y"], n_resamples=99, rng=0)
    assert [column.name for column in found.to_table().columns][3:6] == [
        "low 95 %",
        "high 95 %",
        "beats",
    ]
    assert found.to_table().columns[-1].name == "SE of pairs"
    tests = [column.name for column in found.to_table("tests").columns]
    assert "effect" not in tests
    assert "documents won minus lost, share" in tests
    people, machines = CORPUS.select(coders=["ann"]), CORPUS.select(coders=["x"])
    tables = [
        found.to_table("macro"),
        cs.evaluate(people, machines, rng=0).to_table("segmenters"),
        cs.agreement(CORPUS.select(coders=["ann", "bob"]), n_resamples=9, rng=0).to_table(),
    ]
    shown = [column.name for table in tables for column in table.columns if "95" in column.name]
    assert shown
    assert all("95 %" in name for name in shown)


def test_latex_has_the_interval_over_documents_and_no_standard_error_of_pairs():
    found = cs.compare(CORPUS, segmenters=["x", "y"], n_resamples=99, rng=0)
    latex = found.to_latex()
    assert r"\pm" not in latex
    for name in ("x", "y"):
        low, high = found.intervals[name]
        assert f"[{low:.4f}, {high:.4f}]" in latex
    assert "bootstrap interval over 4 documents" in latex
    one = cs.compare(CORPUS.select(documents=["d0"]), segmenters=["x", "y"], n_resamples=99, rng=0)
    assert "95" not in one.to_latex()


@pytest.mark.parametrize(
    "spec",
    [
        *cs.METRICS,
        *("B(n_t=3, types=(1,))", "B(types=(1, 2), w0=0.25)", "S(types=())", "B(n_t='3s')"),
        *("WD(edges='wrap', k=4)", "F(tolerance=2)"),
    ],
)
def test_a_printed_signature_names_its_metric(spec):
    """Short or full, with what an analysis adds: the metric that printed it comes back."""
    asked = cs.metric(spec)
    for made in (signature_of(asked), signature_of(asked, 21)):
        for shown in (made, short_signature(made), f"{made}|interval=bootstrap,0.95,99,seed=0"):
            assert cs.metric(shown) == asked


def test_a_signature_is_a_metric_of_the_command_line(data, capsys):
    arguments = ["score", data, "-s", "x", "-r", "ann", "-f", "json", "-m"]
    assert run([*arguments, "WD(edges='wrap')"]) == 0
    by_name = capsys.readouterr().out
    assert run([*arguments, f"WD|edges=wrap|pairs=4|caesura {cs.__version__}"]) == 0
    assert capsys.readouterr().out == by_name
    assert run([*arguments, "WD|edges=nowhere|caesura 1.0.0"]) == 2
    assert "edges is 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "compare", "agree"])
@pytest.mark.parametrize("option", ["--seed", "--resamples"])
def test_two_runs_that_may_differ_have_signatures_that_do(data, capsys, command, option):
    """Each says what made its intervals, and is a metric specification all the same."""
    signatures = []
    for number in ("101", "102"):
        arguments = [word for word in COMMANDS[command] if word not in ("--resamples", "99", "9")]
        if option == "--seed":
            arguments += ["--resamples", "99"]
        assert run([*arguments, option, number, "--signature"]) == 0
        lines = capsys.readouterr().out.splitlines()
        signatures.append(next(line for line in lines if "|caesura" in line))
        assert cs.metric(signatures[-1]) == cs.metric("B")
    assert signatures[0] != signatures[1]
    assert signatures[0].replace("101", "102") == signatures[1]
