"""caesura figure. Source of truth: the registry of figures, and DESIGN for errors and exit codes."""

from __future__ import annotations

import json
import re

import pytest

import caesura as cs
from caesura import cli
from caesura.figures import FIGURES
from caesura.io.writing import write
from caesura.values.units import Units

pytestmark = pytest.mark.usefixtures("one_bundle")

CODINGS = {
    "one": {"ann": [2, 3, 6], "bob": [2, 3, 6], "near": [2, 2, 7], "none": [11]},
    "two": {"ann": [4, 4], "bob": [4, 2, 2], "near": [4, 4], "none": [8]},
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(cs.load_stargazers(), "stargazers.json")
    write(cs.Corpus.from_dict(CODINGS), "small.json")
    scores = {"one": [0.1, 0.9, 0.2, 0.8, *[0.1] * 6], "two": [0.1, 0.2, 0.3, 0.9, 0.1, 0.1, 0.1]}
    (tmp_path / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["figure", *arguments])
    captured = capsys.readouterr()
    # What was understood: test_reading.py.
    said = re.sub(r"(?m)^(caesura: read|figure ->) .*\n", "", captured.err)
    return code, captured.out, said


def refused(capsys, *arguments: str) -> tuple[int, str]:
    """The exit code and the one line of an error."""
    code, out, err = run(capsys, *arguments)
    assert out == ""
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1
    return code, err


GIVEN = {
    "segmenters": ("-s", "near", "-s", "none"),
    "references": ("-r", "ann"),
    "metric": ("-m", "B"),
    "n_t": ("-n", "3"),
    "resamples": ("--resamples", "99"),
    "seed": ("--seed", "1"),
    "papers": ("--data", "."),
    "scores": ("--scores", "scores.json"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [kind for kind, figure in FIGURES.items() if not figure.takes_name])
def test_every_kind_is_written(kind, in_a_folder, capsys):
    options = [part for name in FIGURES[kind].uses for part in GIVEN[name]]
    one = [] if kind == "half-widths" else ["-d", "one"]  # a plan needs to see how much documents differ
    assert run(capsys, kind, "small.json", "-o", "out.svg", *one, *options) == (0, "", "")
    assert (in_a_folder / "out.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("kind", FIGURES)
def test_options_that_change_nothing_are_refused(kind, in_a_folder, capsys):
    for name in GIVEN.keys() - FIGURES[kind].uses:
        code, error = refused(capsys, kind, "small.json", "-o", "out.svg", *GIVEN[name])
        assert code == 2
        assert f"{kind} does not use --" in error
    assert not (in_a_folder / "out.svg").exists()


@pytest.mark.parametrize(
    ("extension", "start"),
    [
        ("png", b"\x89PNG"),
        ("pdf", b"%PDF"),
        pytest.param("html", b"<!DOCTYPE", marks=pytest.mark.exhaustive),
    ],
)
def test_the_extension_says_how(extension, start, in_a_folder, capsys):
    assert run(capsys, "strips", "stargazers.json", "-o", f"out.{extension}") == (0, "", "")
    assert (in_a_folder / f"out.{extension}").read_bytes().startswith(start)


def test_options_reach_the_figure(in_a_folder, capsys):
    def drawn(*arguments: str) -> str:
        assert run(capsys, *arguments, "-o", "out.svg", "--force") == (0, "", "")
        return (in_a_folder / "out.svg").read_text(encoding="utf-8")

    assert "against 3:" in drawn("strips", "stargazers.json", "-r", "3")
    assert "n_t=4" in drawn("strips", "stargazers.json", "-n", "4")
    assert "WD 0.41 pooled" in drawn("heat-map", "stargazers.json", "-m", "WD")
    assert "3 coders" in drawn("heat-map", "stargazers.json", "-c", "1", "-c", "2", "-c", "3")
    assert "n_t=2 to n_t=6" in drawn("sweep", "stargazers.json", "-n", "6")
    assert "1 document," in drawn("heat-map", "small.json", "-d", "two")
    assert "on 1 document " in drawn("edits", "small.json", "-d", "two", "-s", "near")
    wide = drawn("heat-map", "stargazers.json", "--theme", "dark", "--width", "200")
    assert "#e4e4e4" in wide
    assert drawn("strips", "stargazers.json", "--width", "300") != drawn("strips", "stargazers.json")


def test_the_file_that_was_written_is_named(in_a_folder, capsys):
    assert cli.run(["figure", "heat-map", "small.json", "-o", "out.svg"]) == 0
    assert capsys.readouterr().err.endswith("\nfigure -> out.svg\n")


@pytest.mark.exhaustive
def test_a_figure_is_laid_out_as_a_paper_needs_it(in_a_folder, capsys):
    options = ("--width", "3in", "--font", "DejaVu Serif", "--font-size", "9", "--no-title", "--no-signature")
    assert run(capsys, "heat-map", "stargazers.json", "-o", "out.svg", *options) == (0, "", "")
    svg = (in_a_folder / "out.svg").read_text(encoding="utf-8")
    assert ' width="216pt"' in svg  # 72 points to the inch
    assert "DejaVu Serif" in svg
    assert not [text for text in re.findall(r">([^<]+)</t", svg) if "pooled" in text or "|" in text]
    assert "<metadata>B|n_t=2|" in svg
    assert run(capsys, "heat-map", "stargazers.json", "-o", "two.svg", "--column", "acl2") == (0, "", "")
    assert ' width="453.543pt"' in (in_a_folder / "two.svg").read_text(encoding="utf-8")  # 16 cm


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--width", "3.3"), "'3.3' is not a width: use 3.3in"),
        (("--width", "20"), "a plot of 20 pixels is out of range"),
        (("--width", "90000cm"), "a width of 90000cm is out of range"),
        (("--width", "3in", "--column", "acl"), "give either --width or --column"),
        (("--font-size", "0"), "--font-size"),
    ],
)
def test_layouts_that_make_no_sense_are_refused(given, message, in_a_folder, capsys):
    code, error = refused(capsys, "heat-map", "small.json", "-o", "out.svg", *given)
    assert (code, message in error) == (2, True)
    assert not (in_a_folder / "out.svg").exists()


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [kind for kind, figure in FIGURES.items() if "n_t" in figure.uses])
def test_near_misses_may_be_given_as_a_duration(kind, in_a_folder, capsys):
    """On a grid of half seconds 1.5 s are three units: the same figure as -n 3, but for the name of n_t."""
    corpus = cs.Corpus.from_dict(dict.fromkeys(("one", "two"), CODINGS["one"]))
    corpus = corpus.with_spans({name: Units.every(0.5, end=5.5) for name in ("one", "two")})
    write(corpus, "timed.jsonl")
    (in_a_folder / "scores.json").write_text(json.dumps(dict.fromkeys(("one", "two"), [0.1, 0.9] * 5)))
    others = [part for name in FIGURES[kind].uses if name != "n_t" for part in GIVEN[name]]
    one = ["-d", "one"] if kind == "strips" else []
    drawn = []
    for n_t in ("3", "1.5s"):
        arguments = (kind, "timed.jsonl", *one, *others, "-n", n_t, "-o", "out.svg", "--force")
        assert run(capsys, *arguments) == (0, "", "")
        svg = (in_a_folder / "out.svg").read_text(encoding="utf-8")
        drawn.append(re.sub(r"\bc[0-9a-f]{12}-", "", svg).replace("n_t=1.5s", "n_t=3"))
    assert drawn[0] == drawn[1]


def test_a_figure_of_one_document_takes_a_pattern_for_one(in_a_folder, capsys):
    assert run(capsys, "strips", "small.json", "-d", "t*", "-o", "out.svg") == (0, "", "")
    code, err = refused(capsys, "strips", "small.json", "-d", "*", "-o", "new.svg")
    assert (code, "this figure needs --document from " in err) == (1, True)


@pytest.mark.exhaustive
def test_the_same_seed_writes_the_same_bytes(in_a_folder, capsys):
    def drawn(seed: str) -> bytes:
        arguments = ("means", "small.json", "-s", "near", "-s", "none", "--seed", seed, "--resamples", "99")
        assert run(capsys, *arguments, "-o", "out.svg", "--force") == (0, "", "")
        return (in_a_folder / "out.svg").read_bytes()

    assert drawn("1") == drawn("1")
    assert drawn("1") != drawn("2")


def test_a_published_figure_is_named_instead_of_data(in_a_folder, capsys):
    assert run(capsys, "reproduction", "F13t figure 5.9, pattern A", "-o", "out.svg") == (0, "", "")
    assert "F13t figure 5.9, pattern A" in (in_a_folder / "out.svg").read_text(encoding="utf-8")
    code, err = refused(capsys, "reproduction", "F13t figure 5.99", "-o", "new.svg")
    assert code == 1
    assert "did you mean" in err
    code, err = refused(capsys, "reproduction", "F13t", "figure", "5.9", "-o", "new.svg")
    assert code == 2
    assert "put it in quotes: 'F13t figure 5.9'" in err


def test_the_help_lists_every_kind_with_its_line(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    text = " ".join(out.split())
    for kind, figure in FIGURES.items():
        assert f"{kind} {figure.summary}" in text


def test_bad_usage_is_one_line_with_exit_code_2(in_a_folder, capsys):
    code, err = refused(capsys, "stripes", "small.json", "-o", "out.svg")
    assert code == 2
    assert "unknown figure 'stripes'; did you mean 'strips'?" in err
    code, err = refused(capsys, "strips", "stargazers.json", "-o", "out.gif")
    assert code == 2
    assert "out.gif: unknown extension of a figure; use .svg, .png, .pdf, .html" in err
    code, err = refused(capsys, "strips", "stargazers.json")
    assert code == 2
    assert "--output" in err
    code, err = refused(capsys, "strips", "stargazers.json", "-o", "out.svg", "--theme", "pink")
    assert code == 2
    assert not list(in_a_folder.glob("out*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("means", "small.json"), "this figure needs --segmenter from ann, bob, near and none"),
        (("means", "small.json", "-s", "bayes"), "unknown coder 'bayes'"),
        (("strips", "small.json"), "this figure needs --document from one and two"),
        (("strips", "small.json", "-d", "tow"), "did you mean 'two'?"),
        (("strips", "small.json", "-d", "one", "-r", "ann", "-r", "bob"), "name one coder as --reference"),
        (("levels", "small.json", "-d", "one"), "name a coder as --reference"),
        (("heat-map", "small.json", "-c", "ann"), "no document has two coders"),
        (("heat-map", "small.json", "-m", "WD", "-n", "3"), "WD has no n_t"),
        (("heat-map", "missing.json"), "missing.json"),
    ],
)
def test_data_that_do_not_fit_are_one_line_with_exit_code_1(arguments, said, in_a_folder, capsys):
    code, err = refused(capsys, *arguments, "-o", "out.svg")
    assert code == 1
    assert said in err
    assert not list(in_a_folder.glob("*out*"))


def test_a_file_that_is_there_stays_when_the_figure_fails(in_a_folder, capsys):
    (in_a_folder / "out.svg").write_text("before", encoding="utf-8")
    refused(capsys, "means", "small.json", "-o", "out.svg")
    assert (in_a_folder / "out.svg").read_text(encoding="utf-8") == "before"


def test_a_folder_that_is_not_there_is_named(capsys):
    code, err = refused(capsys, "strips", "stargazers.json", "-o", "nowhere/out.svg")
    assert code == 1
    assert "nowhere/out.svg" in err


def test_thresholds_need_scores_of_every_document(in_a_folder, capsys):
    code, err = refused(capsys, "thresholds", "small.json", "-o", "out.svg")
    assert (code, "name a file of them by --scores" in err) == (1, True)
    (in_a_folder / "scores.json").write_text('{"one": [0.1]}', encoding="utf-8")
    code, err = refused(capsys, "thresholds", "small.json", "-o", "out.svg", "--scores", "scores.json")
    assert (code, "no scores for two" in err) == (1, True)
    code, err = refused(capsys, "thresholds", "small.json", "-o", "out.svg", "--scores", "absent.json")
    assert (code, "unknown file or segmenter 'absent.json'" in err) == (2, True)
    assert not (in_a_folder / "out.svg").exists()


def test_a_segmenter_gives_the_scores_itself(in_a_folder, capsys):
    text = {"one": ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]}
    write(cs.Corpus.from_dict({"one": {"ann": [3, 3], "bob": [2, 4]}}, units=text), "texts.jsonl")
    for kind in ("strips", "thresholds"):
        options = ("--scores", "TextTiling(w=2, k=2)", "-r", "ann", "-o", f"{kind}.svg")
        assert run(capsys, kind, "texts.jsonl", *options) == (0, "", "")
    drawn = (in_a_folder / "strips.svg").read_text(encoding="utf-8")
    assert "by TextTiling(w=2, k=2)" in " ".join(re.findall(r">([^<]+)</t", drawn))
