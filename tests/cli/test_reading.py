"""What DATA means in every command: names of coders, units to compare in, what was understood, --force."""

import csv
import io
from itertools import pairwise
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli
from caesura.values.units import Units


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def table(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, *arguments, "-f", "csv")
    assert code == 0, err
    return list(csv.DictReader(io.StringIO(out)))


DATA_COMMANDS = (
    ["score", "a.jsonl", "b.jsonl"],
    ["diff", "a.jsonl", "b.jsonl"],
    ["describe", "a.jsonl", "b.jsonl"],
    ["agree", "a.jsonl", "b.jsonl", "--resamples", "0"],
    ["compare", "a.jsonl", "b.jsonl", "-s", "bob", "--resamples", "99"],
    ["consensus", "a.jsonl", "b.jsonl", "-o", "out.json"],
    ["convert", "a.jsonl", "b.jsonl", "out.json"],
)


def write_two() -> None:
    for name, coder, masses in (("a", "ann", [2, 3, 6]), ("b", "bob", [2, 2, 7])):
        cs.write(cs.Corpus.from_dict({"d": {coder: masses}}), f"{name}.jsonl")


@pytest.mark.parametrize("command", DATA_COMMANDS, ids=lambda command: command[0])
def test_every_command_says_what_it_understood(command, capsys):
    write_two()
    code, _, err = run(capsys, *command)
    assert code == 0
    assert "caesura: read " in err
    assert "jsonl" in err


@pytest.mark.parametrize("command", DATA_COMMANDS, ids=lambda command: command[0])
def test_every_command_takes_names_of_coders_and_a_format(command, capsys):
    write_two()
    named = [f"gold={one}" if one == "a.jsonl" else one for one in command]
    code, out, err = run(capsys, *named, "--from", "nosuch")
    assert (code, out) == (2, "")
    assert "unknown format 'nosuch'" in err
    code, out, err = run(capsys, *named, "--from", "jsonl")
    assert code == 0, err


def test_three_folders_of_outputs_and_one_of_gold_compare_in_one_line(capsys):
    for name, masses in (("gold", [2, 3, 6]), ("one", [2, 2, 7]), ("two", [5, 6]), ("three", [11])):
        Path(name).mkdir()
        for document in ("d1", "d2", "d3"):
            cs.write(cs.Corpus.from_dict({document: {"reference": masses}}), f"{name}/{document}.json")
    inputs = ["gold=gold", "one=one", "two=two", "three=three"]
    rows = table(capsys, "compare", *inputs, "-s", "one", "-s", "two", "-s", "three", "--no-bounds")
    by_name = {row["segmenter"]: float(row["B"]) for row in rows}
    assert by_name == {"one": 0.75, "two": 0.5, "three": 0.0}


def test_a_name_for_several_coders_is_refused(capsys):
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3], "bob": [5]}}), "both.json")
    code, out, err = run(capsys, "agree", "x=both.json")
    assert (code, out) == (1, "")
    assert "both.json: x= names one coder; the file has ann and bob" in err


def test_a_pattern_chooses_segmenters(capsys):
    codings = {"gold": [2, 3, 6], "cfg1": [2, 2, 7], "cfg2": [5, 6], "other": [11]}
    cs.write(cs.Corpus.from_dict({"d": codings}), "all.json")
    rows = table(
        capsys, "compare", "all.json", "-s", "cfg*", "-r", "gold", "--no-bounds", "--resamples", "99"
    )
    assert {row["segmenter"] for row in rows} == {"cfg1", "cfg2"}
    code, _, err = run(capsys, "compare", "all.json", "-s", "cgf*")
    assert code == 1
    assert "unknown coder 'cgf*'" in err


DOCUMENTS = ("talk1", "talk2", "paper")


@pytest.mark.parametrize(
    "command",
    [
        ["agree", "all.json", "--documents", "-f", "csv"],
        ["describe", "all.json", "--documents", "-f", "csv"],
        ["adjudicate", "all.json", "-f", "csv"],
        ["diff", "all.json", "-s", "bob", "-f", "csv"],
        ["consensus", "all.json", "-o", "out.jsonl"],
        ["convert", "all.json", "out.jsonl"],
    ],
    ids=lambda command: command[0],
)
def test_documents_are_chosen_by_name_or_pattern(command, capsys):
    """All documents have a boundary that coders do not share, so that every table names them."""
    codings = {name: {"ann": [2, 3, 6], "bob": [2, 2, 7]} for name in DOCUMENTS}
    cs.write(cs.Corpus.from_dict(codings), "all.json")
    for given, wanted in (
        ([], {*DOCUMENTS}),
        (["-d", "talk*"], {"talk1", "talk2"}),
        (["-d", "paper", "--document", "talk1"], {"paper", "talk1"}),
    ):
        Path("out.jsonl").unlink(missing_ok=True)
        code, out, err = run(capsys, *command, *given)
        assert code == 0, err
        shown = out or Path("out.jsonl").read_text(encoding="utf-8")
        assert {name for name in DOCUMENTS if name in shown} == wanted
    Path("out.jsonl").unlink(missing_ok=True)
    code, out, err = run(capsys, *command, "-d", "tolk1")
    assert (code, out) == (1, "")
    assert "unknown document 'tolk1'; did you mean 'talk1'?" in err


def test_documents_that_are_chosen_are_read_at_once(capsys):
    """A stream cannot choose documents."""
    write_two()
    code, _, err = run(capsys, "agree", "a.jsonl", "-d", "d", "--stream")
    assert (code, "--document needs it in memory" in err) == (2, True)


def sentences_and_chunks() -> None:
    """Gold in sentences, chunks in characters of the same text: cut after 16 and after 30 characters."""
    text = "One is here. Two is there. Three comes. Four goes."
    units = Units.from_text(text, by="sentence")
    gold = cs.Corpus.from_dict({"d": {"gold": [2, 2]}}, units={"d": units.texts})
    Path("gold").mkdir()
    cs.write(gold, "gold/d.jsonl")
    characters = Units.from_text(text, by="character")
    chunks = cs.Corpus.from_dict({"d": {"chunks": cs.Segmentation.from_positions([16, 30], len(text))}})
    Path("chunks").mkdir()
    cs.write(chunks.with_spans({"d": characters}), "chunks/d.jsonl")


def test_chunks_are_scored_on_the_units_of_gold(capsys):
    """16 is nearer to the start of the second sentence (13), 30 to the start of the third (27)."""
    sentences_and_chunks()
    code, out, err = run(capsys, "score", "gold/", "chunks/", "--units", "gold", "-f", "csv", "--totals-only")
    assert code == 0, err
    assert float(next(csv.DictReader(io.StringIO(out)))["B"]) == 0.5
    assert "2 of 2 boundaries moved to other units (by 3 characters on average, at most 3)" in err


def test_units_that_nobody_knows_are_bad_usage(capsys):
    sentences_and_chunks()
    code, _, err = run(capsys, "score", "gold/", "chunks/", "--units", "sentance")
    assert code == 2
    assert "--units sentance: not a file, duration, one of DATA or character," in err


def times(name: str, places: list[float], end: float) -> None:
    units = Units.of_time(end)
    coding = units.place(places).segmentation
    cs.write(cs.Corpus.from_dict({"talk": {name: coding}}).with_spans({"talk": units}), f"{name}.jsonl")


def test_times_are_compared_on_a_grid_with_durations(capsys):
    """Boundaries at 10 and 60 s against 12 and 80 s: one near miss of 2 s, two misses; 3 s are near."""
    times("gold", [10.0, 60.0], 100)
    times("mine", [12.0, 80.0], 103)
    metrics = ["-m", "B(n_t='3s')", "-m", "F(tolerance='2s')", "--totals-only"]
    rows = table(capsys, "score", "gold.jsonl", "mine.jsonl", "--units", "1s", *metrics)
    assert float(rows[0]["B(n_t='3s')"]) == pytest.approx((1 - 2 / 3) / 3)
    assert float(rows[0]["F(tolerance='2s')"]) == 0.5


def test_near_misses_in_instants_are_refused(capsys):
    times("gold", [10.0], 100)
    times("mine", [12.0], 100)
    code, _, err = run(capsys, "score", "gold.jsonl", "mine.jsonl", "-m", "B")
    assert code == 1
    assert "give a duration" in err
    assert "--units 1s" in err


def test_durations_need_a_grid(capsys):
    write_two()
    code, _, err = run(capsys, "score", "a.jsonl", "b.jsonl", "-m", "B(n_t='3s')")
    assert code == 1
    assert "a duration needs a uniform grid in time" in err


@pytest.mark.parametrize("command", DATA_COMMANDS[:-1], ids=lambda command: command[0])
def test_no_command_overwrites_a_file_unasked(command, capsys):
    write_two()
    command = command if "-o" in command else [*command, "-o", "out.json"]
    Path("out.json").write_text("precious")
    code, out, err = run(capsys, *command)
    assert (code, out) == (2, "")
    assert "out.json already exists (use --force to overwrite)" in err
    assert Path("out.json").read_text() == "precious"
    assert run(capsys, *command, "--force")[0] == 0


def test_a_page_without_an_extension_is_refused(capsys):
    write_two()
    code, out, err = run(capsys, "report", "a.jsonl", "b.jsonl", "-o", "page")
    assert (code, out) == (2, "")
    assert "end it in .html" in err
    assert not Path("page").exists()


def test_two_codings_by_one_name_are_refused_with_both_files_and_the_fix(capsys):
    for folder, masses in (("x", [2, 3]), ("y", [4, 1])):
        Path(folder).mkdir()
        cs.write(cs.Corpus.from_dict({"d": {"reference": masses}}), f"{folder}/d.jsonl")
    fault = "document d already has a coding by {}, from {}; rename one (on the command line: NAME={})"
    for data, line in {
        ("x", "y"): "y/d.jsonl: " + fault.format("reference", "x/d.jsonl", "y/d.jsonl"),
        ("a=x", "a=y"): "y: " + fault.format("a", "x", "y"),
    }.items():
        code, out, err = run(capsys, "describe", *data)
        assert (code, out) == (1, "")
        assert err.splitlines()[-1] == f"caesura: {line}"
    assert run(capsys, "describe", "a=x", "b=y")[0] == 0


def test_texts_that_differ_are_refused_with_both_files(capsys):
    for name, text in (("x", "One two"), ("y", "One too")):
        corpus = cs.Corpus.from_dict({"d": {"reference": [1, 1]}}, units={"d": text.split()})
        cs.write(corpus, f"{name}.jsonl")
    code, _, err = run(capsys, "describe", "a=x.jsonl", "b=y.jsonl")
    assert code == 1
    assert err.splitlines()[-1] == "caesura: y.jsonl: document d: its text differs from that in x.jsonl"


SRT = """1
00:00:00,500 --> 00:00:02,000
Welcome back.

2
00:00:02,500 --> 00:00:05,000
First the weather.

3
00:00:05,500 --> 00:00:08,000
It will snow.

4
00:00:08,200 --> 00:00:10,000
Now sport.
"""


def chapters(*times: str) -> str:
    cues = (f"{start} --> {end}\nx\n" for start, end in pairwise(times))
    return "WEBVTT\n\n" + "\n".join(cues)


def test_the_file_with_the_units_may_be_of_another_format_than_the_data(capsys):
    """Chapters at 2.3 and 8.1 s are in the pauses after cues 1 and 3, one at 2.6 s goes to the first: 1/2."""
    Path("talk.srt").write_text(SRT)
    Path("gold.vtt").write_text(chapters("00:00.000", "00:02.300", "00:08.100", "00:10.000"))
    Path("model.vtt").write_text(chapters("00:00.000", "00:02.600", "00:10.000"))
    data = ["score", "gold.vtt", "model.vtt", "--from", "vtt-chapters", "-m", "B", "-f", "csv"]
    (row, *_) = table(capsys, *data[:-2], "--units", "talk.srt")
    assert (row["units"], float(row["B"])) == ("4", 0.5)
    Path("talk.srt").write_text(SRT.replace("00:00:05,500", "00:00:09,500"))
    code, _, err = run(capsys, *data, "--units", "talk.srt")
    assert code == 1
    assert err.splitlines()[-1].startswith("caesura: talk.srt: ")
    assert "WEBVTT" not in err  # what is wrong with it as subtitles, not as chapters


MARKDOWN = (
    "# One\n\nIt rained. We stayed in.\n\n# Two\n\nThe sun came out! We left.\n\n## Three\n\nHome again.\n"
)
HTML = "<h1>One</h1><p>It rained. We stayed in.</p><h1>Two</h1><p>The sun came out! We left.</p>"
HTML += "<h2>Three</h2><p>Home again.</p>"


@pytest.mark.parametrize(("name", "content"), [("d.md", MARKDOWN), ("d.html", HTML)])
@pytest.mark.parametrize(("units", "positions"), [("sentence", [2, 4]), ("word", [5, 11])])
def test_sections_are_divided_into_sentences_and_words(capsys, name, content, units, positions):
    """Sections of 2, 2 and 1 sentences, and of 5, 6 and 2 words."""
    Path(name).write_text(content)
    code, _, err = run(capsys, "convert", name, "out.jsonl", "--units", units)
    assert code == 0, err
    found = cs.read("out.jsonl")["d", "reference"]
    assert [position for position, _ in found.boundaries] == positions
    assert [rank for _, rank in found.boundaries] == [1, 2]
    for command in (
        ["score", name, name],
        ["segment", name, "-s", "Uniform", "--n-segments", "2", "-o", "s.jsonl"],
        ["describe", name],
        ["figure", "strips", name, "-o", "x.html"],
    ):
        code, _, err = run(capsys, *command, "--units", units)
        assert code == 0, err


@pytest.mark.parametrize(
    "arguments",
    [
        ("describe", "hyp.txt"),
        ("score", "gold.json", "hyp.txt"),
        ("score", "hyp.txt", "gold.json"),
        ("report", "hyp.txt", "-o", "x.html"),
    ],
)
def test_text_without_annotations_is_named_with_the_option_for_separators(
    tmp_path, monkeypatch, capsys, arguments
):
    """Blank lines may separate segments or paragraphs; only the user knows."""
    monkeypatch.chdir(tmp_path)
    cs.write(cs.Corpus.from_dict({"hyp": {"ann": [1, 1]}}), "gold.json")
    (tmp_path / "hyp.txt").write_text("It rained.\n\nWe stayed.\n")
    assert cli.run([*arguments]) == 1
    err = capsys.readouterr().err
    assert err == "caesura: hyp.txt has no annotations; --marker names the lines that separate segments\n"
