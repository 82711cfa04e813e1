"""The file of an adjudication page: gold with its decisions; what is changed, cut or newer is refused.

Source of truth: the declared example, typed by hand, and what is changed in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run
from caesura.io.page_files import checksum_of
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept


@pytest.fixture
def content() -> dict[str, Any]:
    return json.loads(FORMATS["adjudication"].example)


def put(content: dict[str, Any], path: Path, *, resealed: bool = True) -> Path:
    if resealed:
        content["checksum"] = checksum_of(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def refusal(content: dict[str, Any], path: Path, *, resealed: bool = True) -> str:
    put(content, path, resealed=resealed)
    with pytest.raises(cs.CaesuraError) as error:
        cs.read(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_gold_is_read_with_its_decisions(content, tmp_path):
    corpus = cs.read(put(content, tmp_path / "gold.json"))
    assert corpus.metadata["format"] == "adjudication"
    assert corpus["rain", "gold"].positions == (2,)
    assert corpus.units["rain"][0] == "It rained all day."
    (row,) = corpus.to_frame().to_dict("records")
    (decision,) = row["decisions"]
    assert (decision["decision"], decision["comment"]) == ("chosen", "The next day begins here.")
    assert [one["coder"] for one in decision["votes"]] == ["ann", "bob"]
    assert row["seconds"] == 12


def test_undecided_places_are_said(content, tmp_path):
    content["documents"][0]["decisions"][0]["decision"] = "undecided"
    corpus = cs.read(put(content, tmp_path / "gold.json"))
    assert corpus.metadata["understood"][0].endswith("(1 place undecided and taken as proposed: rain)")


def test_texts_may_be_unknown(content, tmp_path):
    content["documents"][0]["units"] = None
    corpus = cs.read(put(content, tmp_path / "gold.json"))
    assert not corpus.units
    assert corpus["rain", "gold"].n_units == 3


def test_decisions_are_kept_by_json_lines_and_named_where_they_are_lost(content, tmp_path, capsys):
    gold = put(content, tmp_path / "gold.json")
    assert run(["convert", str(gold), str(tmp_path / "gold.jsonl")]) == 0
    assert cs.read(tmp_path / "gold.jsonl").details == cs.read(gold).details
    assert "what else is known of codings (seconds and decisions)" in not_kept(
        cs.read(gold), FORMATS["parquet"], "x.parquet"
    )
    cs.write(cs.read(gold), tmp_path / "again.json", "adjudication")
    assert cs.read(tmp_path / "again.json").details == cs.read(gold).details


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content.update(coder=3), "coder is 3: expected text"),
        (
            lambda content: content.update(version=2),
            "newer caesura (file version 2, supported: 1)",
        ),
        (lambda content: content.update(version=0), "its version is 0: expected a number from 1 to 1"),
        (lambda content: content.update(type_scheme=3), "type_scheme is 3"),
        (lambda content: content.update(documents=[3]), "documents[0] is 3: expected an object"),
        (lambda content: content["documents"][0].pop("document"), "documents[0]: document is None"),
        (lambda content: content["documents"][0].update(positions=[5]), "document rain: coder gold: "),
        (lambda content: content["documents"][0].update(n_units="3"), "document rain: n_units is '3'"),
        (lambda content: content["documents"][0].update(types=[1, 1]), "document rain: coder gold: "),
        (lambda content: content["documents"][0].update(units=["x"]), "document rain"),
        (lambda content: content["documents"][0].update(decisions=[3]), "document rain: decisions[0] is 3"),
        (lambda content: content["documents"][0].update(seconds=True), "document rain: seconds is True"),
    ],
)
def test_what_is_wrong_is_named(content, tmp_path, change, fault):
    change(content)
    assert fault in refusal(content, tmp_path / "gold.json")


def test_a_changed_file_is_refused(content, tmp_path):
    content["documents"][0]["positions"] = [1]
    message = refusal(content, tmp_path / "gold.json", resealed=False)
    assert "its checksum does not fit" in message


def test_ranks_and_types_must_fit(content, tmp_path):
    content["type_scheme"] = {"names": {"1": "part", "2": "chapter"}, "nominal": False, "ranks": True}
    assert "types is []: expected 1 levels" in refusal(content, tmp_path / "gold.json")
    content["documents"][0]["types"] = [2]
    assert cs.read(put(content, tmp_path / "gold.json"))["rain", "gold"].boundaries == ((2, 2),)


def test_only_one_coding_is_written(tmp_path):
    two = cs.Corpus.from_dict({"d": {"ann": [1, 1], "bob": [2]}})
    with pytest.raises(
        cs.CaesuraError, match="the file is one coding, and there are ann and bob; choose one"
    ):
        cs.write(two, tmp_path / "two.json", "adjudication")
