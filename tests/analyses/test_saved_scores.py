"""Scores to compare later: counts and digest as worked out apart, what is set apart, files that are refused.

Source of truth: F13 figure 6 (B of [2, 3, 6] and [2, 2, 7] is 1.5 of 2); the digest's
own definition, written out.
"""

import hashlib
import json
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli
from caesura.analyses.saved_scores import SavedScores, digest_of
from caesura.errors import CorpusError, ParameterError
from caesura.io.saved_files import read_saved, write_saved

GOLD = {"b": {"ann": [2, 3, 6], "bob": [5, 6]}, "a": {"ann": [4, 4]}}
MINE = {"b": {"mine": [2, 2, 7]}, "a": {"mine": [4, 4]}}


def saved(gold=GOLD, mine=MINE, metrics=("B", "WD"), **options) -> SavedScores:
    corpora = cs.Corpus.from_dict(gold), cs.Corpus.from_dict(mine)
    return SavedScores.of(cs.evaluate(*corpora, metrics, n_resamples=0, **options))


def test_counts_are_those_worked_out_by_hand():
    """In b ann's near miss gives 1.5 of 2, bob's and a boundary too many .5 of 2; in a all is right."""
    scores = saved()
    assert scores.scale["B"] == 2
    assert scores.documents == {"a": {"B": [2, 2], "WD": [0, 6]}, "b": {"B": [4, 8], "WD": [5, 17]}}
    assert scores.score("B") == (1 + 1.5 + 0.5) / (1 + 2 + 2)
    assert scores.values("B") == {"a": 1.0, "b": 2 / 4}


@pytest.mark.parametrize(
    "name", ["B", "B(n_t=3)", "S", "BP", "BF", "F", "Pk", "WD(k=2)", "GHD", "Purity", "MultWD"]
)
def test_saved_values_are_those_of_evaluate(name):
    corpora = cs.Corpus.from_dict(GOLD), cs.Corpus.from_dict(MINE)
    summary = cs.evaluate(*corpora, [name], n_resamples=0)[name]
    scores = saved(metrics=[name])
    assert float(scores.score(name)) == float(summary.micro)
    assert scores.values(name) == {"a": summary.documents[1], "b": summary.documents[0]}


def test_the_digest_is_that_of_its_definition():
    lines = ['["a", "ann", 8, [4]]', '["b", "ann", 11, [2, 5]]', '["b", "bob", 11, [5]]']
    oracle = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    assert digest_of(cs.Corpus.from_dict(GOLD)) == oracle == saved().gold


def test_the_order_of_documents_and_coders_does_not_change_the_digest():
    turned = {"a": GOLD["a"], "b": {"bob": [5, 6], "ann": [2, 3, 6]}}
    assert saved(gold=turned) == saved()


@pytest.mark.parametrize(
    "other",
    [
        {"b": {"ann": [2, 3, 6], "bob": [6, 5]}, "a": {"ann": [4, 4]}},  # a boundary
        {"b": {"ann": [2, 3, 6], "bob": [5, 6]}, "a": {"ann": [4, 5]}},  # a length
        {"b": {"ann": [2, 3, 6], "eve": [5, 6]}, "a": {"ann": [4, 4]}},  # a coder
        {"b": {"ann": [2, 3, 6], "bob": [5, 6]}, "c": {"ann": [4, 4]}},  # a document
        {"b": {"ann": [2, 3, 6]}, "a": {"ann": [4, 4], "bob": [5, 3]}},  # who coded what
    ],
)
def test_another_reference_has_another_digest(other):
    assert digest_of(cs.Corpus.from_dict(other)) != digest_of(cs.Corpus.from_dict(GOLD))


def test_types_are_in_the_digest():
    plain = cs.Segmentation.from_sets([set(), {1}, set()])
    typed = cs.Segmentation.from_sets([set(), {2}, set()])
    digests = [digest_of(cs.Corpus.from_dict({"d": {"ann": each}})) for each in ([2, 2], plain, typed)]
    assert digests[0] == digests[1] != digests[2]


def test_hostile_names_keep_the_digest_apart():
    """Two names that join to the same text are not the same."""
    one = cs.Corpus.from_dict({'a", "b': {"c": [4]}})
    two = cs.Corpus.from_dict({"a": {'b", "c': [4]}})
    assert digest_of(one) != digest_of(two)


def test_reasons_to_set_apart():
    mine = saved()
    assert mine.reason_apart(saved()) == ""
    one = {"a": GOLD["a"]}, {"a": MINE["a"]}
    assert mine.reason_apart(saved(*one)) == "it also has document b"
    assert saved(*one).reason_apart(mine) == "it lacks document b"
    other = saved(gold={**GOLD, "a": {"ann": [3, 5]}})
    assert other.reason_apart(mine).startswith("its reference has the same documents, but other boundaries")
    assert saved(metrics=["B"]).reason_apart(mine) == "it has no WD"
    assert mine.reason_apart(saved(metrics=["B"])) == "it also has WD"
    assert mine.reason_apart(saved(metrics=["B"]), ["B"]) == ""
    old = SavedScores(**{**vars(mine), "caesura": "7.1.0"})
    assert old.reason_apart(mine) == f"caesura 7.1.0 counted it, and {cs.__version__} the others"


def test_another_minor_version_is_not_set_apart():
    major = cs.__version__.split(".")[0]
    later = SavedScores(**{**vars(saved()), "caesura": f"{major}.99.1"})
    assert later.reason_apart(saved()) == ""


def test_typed_against_plain_is_another_signature():
    typed = {name: {"ann": cs.Segmentation.from_sets([set(), {2}, set()])} for name in ("a", "b")}
    with_types = {name: {"x": cs.Segmentation.from_sets([set(), {2}, {1}])} for name in ("a", "b")}
    plain = {name: {"y": [2, 2]} for name in ("a", "b")}
    first, second = saved(typed, with_types, ["B"]), saved(typed, plain, ["B"])
    assert first.gold == second.gold
    assert "types=none" in second.reason_apart(first)


def test_several_segmenters_are_refused():
    with pytest.raises(ParameterError, match="cannot save x and y together; choose one"):
        saved(mine={name: {"x": codings["mine"], "y": codings["mine"]} for name, codings in MINE.items()})


def test_a_file_is_read_back_as_it_was(tmp_path):
    write_saved(saved(metrics=["B", "GHD", "WD(edges='wrap')"]), tmp_path / "s.json")
    assert read_saved(tmp_path / "s.json") == saved(metrics=["B", "GHD", "WD(edges='wrap')"])


FAULTS = {
    "no JSON": ("{", "not valid JSON"),
    "a list": ([], "expected an object, not []"),
    "no gold": ({"gold": ...}, "gold is None: expected text"),
    "a short digest": ({"gold": "abc"}, "gold is 'abc': expected a SHA-256"),
    "no version": ({"caesura": "new"}, "caesura is 'new': expected a version"),
    "a name that is a number": ({"system": 3}, "system is 3: expected text"),
    "no documents": ({"documents": {}}, "no documents in it"),
    "no metrics": ({"signature": {}}, "no metrics in it"),
    "an unknown metric": ({"signature": {"Bx": "Bx"}}, "signature: unknown metric 'Bx'"),
    "code for a metric": (
        {"signature": {"__import__('os')": "x"}},
        "signature: \"__import__('os')\" is not a metric",
    ),
    "another metric's signature": (
        {"signature": {"B": "WD|k=2"}},
        "signature: 'WD|k=2' does not belong to B",
    ),
    "no scale": ({"scale": {}}, "scale of B is None: expected at least 1"),
    "scale 0": ({"scale": {"B": 0}}, "scale of B is 0: expected at least 1"),
    "too few counts": (
        {"documents": {"a": {"B": [1]}}},
        "document a: B is [1]: expected the counts similar and compared",
    ),
    "no counts": (
        {"documents": {"a": {}}},
        "document a: B is None: expected the counts similar and compared",
    ),
    "a count that is a text": (
        {"documents": {"a": {"B": [1, "2"]}}},
        "documents.a.B[1] is '2': expected a whole",
    ),
    "a count that is no whole number": ({"documents": {"a": {"B": [1, 0.5]}}}, "expected a whole number"),
    "a huge count": ({"documents": {"a": {"B": [1, 10**400]}}}, "the counts of B are too large"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_faulty_files_are_refused_in_one_line_that_names_them(change, message, tmp_path):
    good = {
        "caesura": "1.0.0",
        "signature": {"B": "B|n_t=2"},
        "gold": "0" * 64,
        "system": "x",
        "scale": {"B": 2},
        "documents": {"a": {"B": [1, 2]}},
    }
    content = {**good, **change} if isinstance(change, dict) else change
    if isinstance(content, dict):
        content = {key: value for key, value in content.items() if value is not ...}
    file = tmp_path / "s.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(CorpusError) as caught:
        read_saved(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# -------------------------------------------------------------------- caesura score --save


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict(GOLD).with_texts({"a": ["SECRET"] * 8}), "gold.jsonl")
    cs.write(cs.Corpus.from_dict(MINE), "mine.jsonl")


@pytest.mark.usefixtures("files")
def test_score_saves_counts_and_no_texts(capsys):
    assert cli.run(["score", "gold.jsonl", "mine.jsonl", "-m", "B", "-m", "WD", "--save", "s.json"]) == 0
    assert "SECRET" not in Path("s.json").read_text()
    data = json.loads(Path("s.json").read_text())
    assert [data["caesura"], data["system"], data["gold"]] == [cs.__version__, "mine", saved().gold]
    assert data["documents"]["b"] == {"B": [4, 8], "WD": [5, 17]}
    assert cli.run(["score", "gold.jsonl", "mine.jsonl", "--save", "s.json"]) == 2
    assert "s.json already exists (use --force to overwrite)" in capsys.readouterr().err
    assert cli.run(["score", "gold.jsonl", "mine.jsonl", "--save", "s.json", "--force"]) == 0
    assert [*read_saved("s.json").signature] == ["B", "F", "Pk", "WD"]


@pytest.mark.usefixtures("files")
def test_a_file_that_cannot_be_written_is_one_line(capsys):
    assert cli.run(["score", "gold.jsonl", "mine.jsonl", "--save", "none/s.json"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not Path("none").exists()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("more", [["--levels"], ["--memory", "1GB"], ["-s", "ann", "-s", "bob"]])
def test_what_has_no_counts_of_one_system_is_bad_usage(more, capsys):
    names = ["gold.jsonl"] if "-s" in more else ["gold.jsonl", "mine.jsonl"]
    assert cli.run(["score", *names, "--save", "s.json", *more]) != 0
    assert not Path("s.json").exists()
