"""Who judges: references are named, or nothing among the rest looks like a segmenter (SPEC §14).

Source of truth: the rule as the documentation states it, tried with names; no number is involved.
"""

from __future__ import annotations

import json

import pytest

import caesura as cs
from caesura.analyses.reporting import report
from caesura.analyses.roles import choose_references, looks_automatic
from caesura.cli import run

QUICK = {"n_resamples": 99, "bounds": (), "human": False, "rng": 0}


def corpus_of(*coders: str) -> cs.Corpus:
    return cs.Corpus.from_dict(
        {f"d{i}": {coder: [2 + n % 3, 9 - n % 3] for n, coder in enumerate(coders)} for i in range(3)}
    )


@pytest.mark.parametrize(
    ("left", "judged"),
    [
        (["ann", "bob"], ["mine"]),
        (["gold"], ["tt", "bert"]),
        (["gold1", "gold2"], ["x"]),
        (["1", "2", "3"], ["4", "5"]),
        (["an2", "an3"], ["an1"]),  # coders who stand in for segmenters
        (["rada", "automatico"], ["x"]),  # words, not letters
    ],
)
def test_people_are_references(left, judged):
    assert choose_references([*left, *judged], judged, None) == left


@pytest.mark.parametrize(
    ("left", "judged", "doubtful"),
    [
        (["gold", "c99"], ["tt", "bert"], "c99"),
        (["gold", "mine"], ["tt", "bert"], "mine"),
        (["ann", "bob", "TextTiling(k=6)"], ["x"], "TextTiling(k=6)"),
        (["ann", "bert-base-uncased"], ["x"], "bert-base-uncased"),
        (["ann", "random"], ["x"], "random"),
        (["ann", "cfg3"], ["cfg1", "cfg2"], "cfg3"),
        (["consensus", "ann", "bob"], ["x"], "ann and bob"),
        (["model_a"], ["model_b"], "model_a"),
    ],
)
def test_what_may_be_a_segmenter_is_asked_for(left, judged, doubtful):
    with pytest.raises(cs.ParameterError) as caught:
        choose_references([*judged, *left], judged, None)
    message = str(caught.value)
    assert "\n" not in message
    assert f"{doubtful} may be" in message
    assert "references=[" in message
    assert all(coder in message for coder in left)
    assert choose_references([*judged, *left], judged, left) == left


@pytest.mark.parametrize("name", [name for name in cs.SEGMENTERS if name not in ("None", "All")])
def test_every_segmenter_of_the_registry_is_known(name):
    assert looks_automatic(name)
    assert looks_automatic(f"{name.lower()}(x=3)")
    for written in (f"{name}-2", f"{name.lower()}_k10", f"my-{name.upper()}", f"{name} tuned"):
        assert looks_automatic(written)
    assert not looks_automatic(f"{name}ian")


def test_a_number_behind_the_name_of_a_segmenter_is_its_version():
    assert looks_automatic("TextTiling2")
    assert looks_automatic("mincut05")
    assert not looks_automatic("ann2")


def test_compare_and_report_ask_and_name_their_references():
    everyone = corpus_of("gold", "tt", "bert", "llm")
    for call in (cs.compare, report):
        with pytest.raises(
            cs.ParameterError, match="gold and llm would be references, but llm may be a segmenter"
        ):
            call(everyone, segmenters=["tt", "bert"])
    found = cs.compare(everyone, segmenters=["tt", "bert"], references=["gold"], **QUICK)
    assert found.coders == ("gold",)
    assert "Reference: gold." in str(found)
    assert "Reference: gold" in found.to_latex()
    assert found.to_dict()["references"] == ["gold"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(corpus_of("gold", "tt", "bert", "llm"), "all.json")
    cs.write(corpus_of("tt"), "tt.json")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "all.json", "-s", "tt", "-s", "bert"),
        ("score", "all.json", "-s", "tt"),
        ("score", "all.json", "tt.json"),
        ("report", "all.json", "-s", "tt", "-o", "page.html"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_commands_ask_in_one_line(arguments, files, capsys):
    assert run(list(arguments)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert "may be" in line
    assert "--reference gold" in line
    assert run([*arguments, "--reference", "gold"]) == 0
    if arguments[0] != "report":
        assert "Reference: gold." in capsys.readouterr().out


def test_score_says_whom_it_scores_against_in_json_too(files, capsys):
    assert run(["score", "all.json", "-s", "tt", "-r", "gold", "-f", "json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert {"kind": "reading", "text": "Reference: gold."} in notes
