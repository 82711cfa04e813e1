"""-d/--document and -c/--coder mean the same in every command: as if DATA held nothing else."""

from pathlib import Path

import click
import pytest

import caesura as cs
from caesura import cli
from caesura.cli.reading import DataCommand

CODINGS = {
    "talk1": {"a1": [2, 3, 3], "bob": [4, 4], "a2": [2, 2, 4], "sys": [3, 5]},
    "talk2": {"a1": [4, 4], "bob": [1, 7], "a2": [3, 5], "sys": [4, 4]},
    "talk3": {"a1": [1, 3, 4], "bob": [2, 6], "a2": [1, 3, 4], "sys": [8]},
    "other": {"a1": [8], "bob": [5, 3], "a2": [6, 2], "sys": [2, 6]},
}
WORDS = ["harbor", "storm", "sail", "anchor", "recipe", "butter", "flour", "oven"]

ROLES = ("-s", "sys")

COMMANDS = {
    "score": ["data.jsonl", *ROLES, "--resamples", "50"],
    "gate": ["data.jsonl", *ROLES, "--fail-under", "B=0"],
    "diff": ["data.jsonl", *ROLES],
    "convert": ["data.jsonl", "out.json"],
    "describe": ["data.jsonl"],
    "agree": ["data.jsonl", "--resamples", "50"],
    "segment": ["data.jsonl", "-s", "TextTiling", "-o", "out.jsonl"],
    "tune": ["data.jsonl", "--segment", "C99(mask=[3, 5])", "--resamples", "50"],
    "compare": ["data.jsonl", *ROLES, "--resamples", "99"],
    "plan": ["data.jsonl", "--documents", "4", "--coders", "3", "--resamples", "50"],
    "report": ["data.jsonl", *ROLES, "--resamples", "99", "-o", "out.html"],
    "annotate": ["data.jsonl", "-o", "out", "--coders", "x"],
    "consensus": ["data.jsonl", "-o", "out.json"],
    "adjudicate": ["data.jsonl", "-o", "out.csv"],
    "figure": ["support", "data.jsonl", "-o", "out.svg"],
}
CHOICE = ("-d", "talk*", "-c", "a*", "--coder", "sys")

TWO_FILES = {
    "score": ["ref.jsonl", "hyp.jsonl", "--resamples", "50"],
    "gate": ["ref.jsonl", "hyp.jsonl", "--fail-under", "B=0"],
    "diff": ["ref.jsonl", "hyp.jsonl"],
}


def corpus(documents: list[str], coders: list[str]) -> cs.Corpus:
    codings = {name: {coder: CODINGS[name][coder] for coder in coders} for name in documents}
    units = {name: [f"The {word} of {name} again." for word in WORDS] for name in documents}
    return cs.Corpus.from_dict(codings).with_texts(units)


def results(folder: Path, monkeypatch, capsys, *arguments: str) -> dict[str, bytes]:
    """Return what a command prints and writes."""
    monkeypatch.chdir(folder)
    before = set(Path().rglob("*"))
    assert cli.run(list(arguments)) == 0, capsys.readouterr().err
    written = {str(path): path.read_bytes() for path in set(Path().rglob("*")) - before if path.is_file()}
    return {"stdout": capsys.readouterr().out.encode(), **written}


@pytest.fixture
def folders(tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    for folder, documents, coders in (
        (whole, [*CODINGS], ["a1", "bob", "a2", "sys"]),
        (part, ["talk1", "talk2", "talk3"], ["a1", "a2", "sys"]),
    ):
        folder.mkdir()
        cs.write(corpus(documents, coders), folder / "data.jsonl")
        cs.write(corpus(documents, [coder for coder in coders if coder != "sys"]), folder / "ref.jsonl")
        cs.write(corpus(documents, ["sys"]), folder / "hyp.jsonl")
    return whole, part


def test_no_command_that_reads_data_is_forgotten():
    context = click.Context(cli.group)
    reading = [name for name in cli.COMMANDS if isinstance(cli.group.get_command(context, name), DataCommand)]
    assert sorted(reading) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param(*each, marks=pytest.mark.exhaustive if each[0] == "report" else ())
        for each in (*COMMANDS.items(), *TWO_FILES.items())
    ],
    ids=lambda value: value[0],
)
def test_a_choice_of_documents_and_coders_is_as_if_data_held_nothing_else(
    name, arguments, folders, monkeypatch, capsys
):
    whole, part = folders
    if name in ("report", "figure"):
        pytest.importorskip("altair")
    chosen = results(whole, monkeypatch, capsys, name, *arguments, *CHOICE)
    alone = results(part, monkeypatch, capsys, name, *arguments)
    assert chosen == alone
    everything = results(whole, monkeypatch, capsys, name, *arguments, *forced(arguments))
    assert everything != alone


def forced(arguments: list[str]) -> list[str]:
    return ["--force"] if any(part.startswith("out") for part in arguments) else []


@pytest.mark.parametrize(("name", "arguments"), COMMANDS.items(), ids=lambda value: value[0])
@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (("-d", "othr"), "unknown document 'othr'; did you mean 'other'"),
        (("-d", "x*"), "unknown document 'x*'"),
        (("-c", "bo"), "unknown coder 'bo'; did you mean 'bob'"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_unknown_names_are_errors_with_a_hint(name, arguments, choice, message, folders, monkeypatch, capsys):
    monkeypatch.chdir(folders[0])
    assert cli.run([name, *arguments, *choice]) == (
        2 if name == "gate" else 1
    )  # its 1 is a system that falls short
    out, err = capsys.readouterr()
    assert (out, message in err, len(err.splitlines())) == ("", True, 1), err
    assert not [*Path().glob("out*")]
