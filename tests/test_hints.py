"""Hints at what was meant: titles, functions' names, and what other programs say lead to the right name.

Source of truth: the names of the public functions, and those of papers and other programs, are given here.
"""

import sys

import click
import pytest

import caesura as cs
from caesura.cli import ALSO, COMMANDS, group, run
from caesura.cli.reading import ReadingParameter
from caesura.cli.remarks import echo
from caesura.errors import did_you_mean
from caesura.metrics.registry import METRICS

FUNCTIONS = {
    "boundary_similarity": "B",
    "boundary_similarity_a": "Ba",
    "boundary_similarity_c": "Bc",
    "segmentation_similarity": "S",
    "pk": "Pk",
    "pk_prime": "PkPrime",
    "window_diff": "WD",
    "mult_window_diff": "MultWD",
    "hierarchical_pk": "EPk",
    "hierarchical_window_diff": "EWD",
    "win_pr": "WinF",
    "boundary_precision": "P",
    "boundary_recall": "R",
    "boundary_f": "F",
    "coverage": "Coverage",
    "purity": "Purity",
    "ghd": "GHD",
    "p_mu": "Pmu",
    "break_distance": "BD",
    "density_ratio": "Density",
}


@pytest.mark.parametrize(("function", "name"), FUNCTIONS.items())
def test_the_name_of_a_metrics_function_leads_to_the_metric(function, name):
    if function == name:
        return
    with pytest.raises(cs.UnknownNameError, match=f"did you mean '{name}'\\?$"):
        cs.metric(function)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *[
            ("windowdiff", "WD"),
            ("WindowDiff", "WD"),
            ("window-diff", "WD"),
            ("wd", "WD"),
            ("windowdif", "WD"),
        ],
        *[("pk'", "PkPrime"), ("Pk’", "PkPrime"), ("pk′", "PkPrime"), ("pk_prime", "PkPrime"), ("PK", "Pk")],
        *[("boundary similarity", "B"), ("Boundary_Similarity", "B"), ("b(n_t=3)", "B"), ("windiff", "WD")],
        *[("segmentation similarity", "S"), ("B-precision", "BP"), ("F1", "F"), ("precision", "P")],
        *[("winpr", "WinF"), ("generalized hamming distance", "GHD"), ("break distance", "BD")],
    ],
)
def test_what_papers_call_a_metric_leads_to_it(asked, name):
    with pytest.raises(cs.UnknownNameError, match=f"^unknown metric .*; did you mean '{name}'\\?$"):
        cs.metric(asked)


@pytest.mark.parametrize("name", METRICS)
def test_every_title_leads_to_its_metric(name):
    title = METRICS[name].title
    if title == name:
        return
    with pytest.raises(cs.UnknownNameError, match=f"did you mean '{name}'\\?$"):
        cs.metric(title)


def test_no_two_metrics_go_by_one_name():
    names = [
        other.lower().replace(" ", "").replace("_", "")
        for metric in METRICS.values()
        for other in {metric.name, metric.title.replace("_", ""), *metric.also}
    ]
    repeated = {name for name in names if names.count(name) > 1}
    # Pk, E_Pk and the like are titles in another spelling of their own names.
    assert {name for name in repeated if name not in {one.lower() for one in METRICS}} == set()


@pytest.mark.parametrize("spec", ["B n_t=3", "1", "", "B(2)", "B(n_t=3", "f" * 100_001, "x = 1", "b()c"])
def test_what_is_no_name_is_still_no_specification(spec):
    with pytest.raises(cs.CaesuraError, match=r"is not a metric: write its name|unknown metric"):
        cs.metric(spec)


@pytest.mark.parametrize(
    ("asked", "name"),
    [("texttiling", "TextTiling"), ("text-tiling", "TextTiling"), ("c99", "C99"), ("bayesseg", "BayesSeg")],
)
def test_segmenters_are_found_in_any_spelling(asked, name):
    with pytest.raises(cs.UnknownNameError, match=f"^unknown segmenter .*; did you mean '{name}'\\?$"):
        cs.segmenter(asked)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("xlsx", "did you mean 'excel'?"),
        ("Markdown", "did you mean 'markdown'?"),
        ("md", "did you mean 'markdown'?"),
        ("csv", "did you mean 'long', 'labels', 'segeval-tsv' or 'haps'?"),
    ],
)
def test_extensions_lead_to_the_formats_that_have_them(asked, hint, capsys, tmp_path):
    with pytest.raises(cs.UnknownNameError) as caught:
        cs.read(tmp_path / "none", format=asked)
    assert str(caught.value) == f"unknown format '{asked}'; {hint}"
    assert run(["describe", "--from", asked, "none"]) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *[
            ("evaluate", "score"),
            ("eval", "score"),
            ("Score", "score"),
            ("agreement", "agree"),
            ("iaa", "agree"),
        ],
        *[
            ("plot", "figure"),
            ("align", "diff"),
            ("stats", "describe"),
            ("export", "convert"),
            ("scor", "score"),
        ],
    ],
)
def test_what_others_call_a_command_leads_to_it(asked, name, capsys):
    assert run([asked, "a.json", "b.json"]) == 2
    assert capsys.readouterr().err == f"caesura: unknown command '{asked}'; did you mean '{name}'?\n"


def test_other_names_of_commands_are_no_commands_and_lead_to_one():
    assert {command for _, command in ALSO} <= set(COMMANDS)
    assert {name for name, _ in ALSO}.isdisjoint(COMMANDS)
    assert len({name for name, _ in ALSO}) == len(ALSO)


def test_metrics_and_segmenters_are_looked_up_by_title_on_the_command_line(capsys):
    assert run(["metrics", "windowdiff"]) == 2
    assert capsys.readouterr().err == "caesura: unknown metric 'windowdiff'; did you mean 'WD'?\n"
    assert run(["segmenters", "texttiling"]) == 2
    assert "did you mean 'TextTiling'?" in capsys.readouterr().err


def test_a_name_that_several_go_by_names_them_all():
    also = [("tab", "long"), ("tab", "labels"), ("tab", "long")]
    assert did_you_mean("TAB", ["long", "labels"], also) == "did you mean 'long' or 'labels'?"


def test_a_known_name_means_itself_whatever_else_goes_by_it():
    also = [("jsonl", "doccano"), ("jsonl", "jsonl")]
    assert did_you_mean("JSONL", ["jsonl", "doccano"], also) == "did you mean 'jsonl'?"
    assert did_you_mean("jsonlines", ["jsonl", "doccano"], also) == "did you mean 'jsonl'?"


def test_a_known_name_is_closer_than_another_name_of_something_else():
    assert did_you_mean("scores", ["score", "figure"], [("scoring", "figure")]) == "did you mean 'score'?"


@pytest.mark.parametrize(
    ("asked", "name"),
    [("Pi", "pi"), ("scott", "pi"), ("fleiss", "pi"), ("cohen", "kappa"), ("kapa", "kappa")],
)
def test_coefficients_are_found_by_their_authors(asked, name):
    with pytest.raises(cs.UnknownNameError, match=f"^coefficient is '{asked}'; did you mean '{name}'\\?$"):
        cs.agreement(cs.load_stargazers(), coefficient=asked)


def test_commands_are_listed_in_groups_with_a_line_each(capsys):
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.partition("--help  ")[2].splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert len(headings) >= 5
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line.endswith(".")]
    assert listed[:-1] == [*COMMANDS]
    assert max(map(len, lines)) <= 80


def help_of(capsys, *arguments):
    assert run([*arguments]) == 0
    return capsys.readouterr().out


def test_how_data_are_read_is_said_once(capsys, monkeypatch):
    """By click's own account of the parameters of a command that reads data."""
    monkeypatch.setenv("COLUMNS", "80")
    context = click.Context(group)
    parameters = group.get_command(context, "agree").params
    flags = {each.opts[0] for each in parameters if isinstance(each, ReadingParameter)}
    assert len(flags) > 15
    alone, agree = help_of(capsys, "help", "reading"), help_of(capsys, "agree", "--help")
    assert {line.split()[0] for line in alone.splitlines() if line.startswith("  --")} == flags
    assert not any(line.startswith(f"  {flag} ") for flag in flags for line in agree.splitlines())
    assert "caesura help reading" in agree
    assert len(agree.splitlines()) <= 75
    assert max(map(len, (alone + agree).splitlines())) <= 80


def test_help_of_a_command_is_that_of_its_option(capsys):
    assert help_of(capsys, "help", "agree") == help_of(capsys, "agree", "--help")
    assert help_of(capsys, "help") == help_of(capsys, "--help")
    assert run(["help", "agre"]) == 2
    assert "did you mean 'agree'?" in capsys.readouterr().err


def test_a_terminal_wraps_long_lines_on_stderr_at_words(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    path = "a/path-that-is-longer/than-the-terminal-has-cells"
    for is_terminal, lines in (
        (True, ["caesura: one two three four five six", f"  {path}", "  end"]),
        (False, None),
    ):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal, raising=False)
        echo(f"one two three four five six {path} end")
        printed = capsys.readouterr().err
        assert printed.splitlines() == (lines or [f"caesura: one two three four five six {path} end"])


@pytest.mark.parametrize("kind", [cs.CaesuraError, *cs.CaesuraError.__subclasses__()])
def test_the_message_of_an_error_is_one_line_whatever_names_hold(kind):
    assert str(kind("a\x1b[31m\x9bb\0c\nd")) == r"a\x1b[31m\x9bb\x00c\nd"
    assert str(kind("plain π")) == "plain π"


def test_a_name_in_an_error_from_python_is_written_out():
    corpus = cs.Corpus.from_dict({"d\n\x1b": {"ann": [2, 3]}})
    with pytest.raises(cs.CaesuraError) as caught:
        cs.agreement(corpus.select(coders=["ann"]))
    assert str(caught.value).isprintable()
