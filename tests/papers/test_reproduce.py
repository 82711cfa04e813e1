"""caesura reproduce. Source of truth: the printed numbers in facts.json, each with its paper and place."""

from __future__ import annotations

import json

import pytest

from caesura import cli
from caesura.errors import ParameterError
from caesura.reproduce.facts import PAPERS, load_facts
from caesura.reproduce.recompute import Data, NotRecomputedError, recompute, within
from caesura.reproduce.results import reproduce

from ..real_data import data_path

FACTS = load_facts()


def test_there_are_162_facts_with_unique_ids():
    assert len({fact.id for fact in FACTS}) == len(FACTS) == 162
    assert {fact.paper for fact in FACTS} == set(PAPERS)


NEEDS_A_SEGMENTER = [fact for fact in FACTS if "HC99" in fact.id or "HCWM" in fact.id]
RECOMPUTED = [fact for fact in FACTS if fact not in NEEDS_A_SEGMENTER]


@pytest.mark.parametrize("fact", RECOMPUTED, ids=lambda fact: fact.id)
def test_published_value_is_reproduced(fact):
    ours = recompute(fact, Data(data_path()))
    assert within(fact.values, ours, fact.tolerance), (fact.values, ours)


@pytest.mark.parametrize("fact", NEEDS_A_SEGMENTER, ids=lambda fact: fact.id)
def test_outputs_of_segmenters_say_what_they_need(fact):
    with pytest.raises(NotRecomputedError, match="segmenter"):
        recompute(fact, Data(data_path()))


def test_without_data_the_missing_file_is_named(monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    found = reproduce(["KS12"])
    assert all(
        item.ours is None and "moonstone_masses.json is missing" in item.reason for item in found.items
    )


def test_built_in_data_is_enough_for_stargazers(monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    found = reproduce(["F13", "F13t"], item="table 5.3")
    assert len(found.items) == 15
    assert all(item.agrees for item in found.items)


def test_command_line(capsys, monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    assert cli.run(["reproduce", "F13", "--item", "near miss", "-f", "json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert [(item["published"], item["agrees"]) for item in items] == [
        ([0.9], True),
        ([0.75], True),
        ([0.7777], True),
    ]
    assert cli.run(["reproduce", "F13", "--item", "nonsense"]) == 1
    assert "nonsense" in capsys.readouterr().err
    assert cli.run(["reproduce", "F14"]) == 2


def test_bad_papers():
    with pytest.raises(ParameterError, match="list"):
        reproduce("F13")
    with pytest.raises(ParameterError, match="did you mean 'F13'"):
        reproduce(["F1"])
