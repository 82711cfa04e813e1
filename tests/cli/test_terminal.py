"""What a terminal shows: no line wider than it, no name cut, the verdict first, and which file was written.

Source of truth: the terminal's own width, the names of coders and documents that were written to the files,
and the files that are there afterwards.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

import caesura as cs
from caesura import cli
from caesura.results.table import cell_len

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PEOPLE = ["annotator-anna", "annotator-bernd", "annotator-chiara"]
MACHINES = [f"texttiling-window-{n}" for n in range(10, 130, 10)]
DOCUMENTS = [f"interview-2024-{n:02d}-mayor" for n in range(1, 7)]


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Three people and twelve segmenters with long names, who segment six documents."""
    folder = tmp_path_factory.mktemp("terminal")
    rng = np.random.default_rng(7)
    codings = {}
    for document in DOCUMENTS:
        marks = rng.random((len(PEOPLE) + len(MACHINES), 29)) < 0.2
        codings[document] = {
            coder: cs.Segmentation.from_positions((np.flatnonzero(row) + 1).tolist(), 30)
            for coder, row in zip([*PEOPLE, *MACHINES], marks, strict=True)
        }
    corpus = cs.Corpus.from_dict(codings)
    cs.write(corpus, folder / "all.json")
    cs.write(corpus.select(coders=PEOPLE), folder / "people.json")
    cs.write(corpus.select(coders=PEOPLE), folder / "people.jsonl")
    for name, coder in (("ref", PEOPLE[0]), ("hyp", MACHINES[0])):
        lines = (" ".join(map(str, corpus[document, coder].masses)) for document in DOCUMENTS)
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    texts = {"talk": {"ann": [2, 3]}}
    units = {"talk": ["One ferry.", "Two ferries.", "A tax.", "More tax.", "No tax."]}
    cs.write(cs.Corpus.from_dict(texts, units=units), folder / "texts.jsonl")
    gold = {name: {"ann": [2, 3], "bob": [3, 2]} for name in ("talk", "walk", "balk", "calk")}
    cs.write(cs.Corpus.from_dict(gold, units=dict.fromkeys(gold, units["talk"])), folder / "gold.jsonl")
    outlines = {"ann": [[2, [1, 3]], 4], "bob": [[2, 4], [3, 1]]}
    trees = {coder: cs.Hierarchy.from_nested(nested) for coder, nested in outlines.items()}
    cs.write(cs.Corpus.from_dict(dict.fromkeys(DOCUMENTS, trees)), folder / "levels.jsonl")
    (folder / "talk.txt").write_text(" ".join(units["talk"]))
    (folder / "questions.csv").write_text("""question,references
What?,"[{""content"": ""One ferry.""}]"
Which?,"[{""content"": ""More tax.""}]"
""")
    for name, chunks in {"a": units["talk"], "b": [" ".join(units["talk"][:3])]}.items():
        (folder / f"{name}.json").write_text(json.dumps(chunks))
    return folder


@pytest.fixture
def terminal(data, monkeypatch):
    """Run a command in a terminal of so many columns: the exit code and what both streams show."""
    monkeypatch.chdir(data)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*arguments: str, width: int = 80) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(width))
        streams = Terminal(), Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            code = cli.run([*arguments])
        return code, *(stream.getvalue() for stream in streams)

    return run


ALL = ("-s", "texttiling-*", "-r", "annotator-*")
ONE = ("-s", MACHINES[0], "-r", PEOPLE[0])
COMMANDS = {
    "demo": ["demo"],
    "agree": ["agree", "people.json"],
    "agree strict": ["agree", "people.json", "--strict"],
    "agree documents": ["agree", "people.json", "--documents"],
    "agree pairwise": ["agree", "people.json", "--pairwise"],
    "agree influence": ["agree", "people.json", "--influence"],
    "describe": ["describe", "people.json"],
    "describe documents": ["describe", "people.json", "--documents"],
    "agree subsets": ["agree", "people.json", "--subsets", "--resamples", "99"],
    "agree levels": ["agree", "levels.jsonl", "--levels", "--resamples", "99"],
    "agree versus": ["agree", "people.json", "--versus", "all.json", "--resamples", "99"],
    "describe sweep": ["describe", "people.json", "--sweep"],
    "describe coders": ["describe", "people.json", "--coders"],
    "describe coders of a stream": ["describe", "people.jsonl", "--stream", "--coders"],
    "describe granularity": ["describe", "people.json", "--granularity"],
    "describe support": ["describe", "people.json", "--support"],
    "score": ["score", "all.json", *ONE],
    "score many": ["score", "all.json", *ALL],
    "score lines": ["score", "ref.txt", "hyp.txt"],
    "score totals": ["score", "ref.txt", "hyp.txt", "--totals-only", "-m", "WD"],
    "score against": ["score", "all.json", *ONE, "--against", "0.5"],
    "score against metric": ["score", "all.json", *ALL, "-m", "WD", "--against", "Pk"],
    "score levels": ["score", "levels.jsonl", "-s", "bob", "-r", "ann", "--levels"],
    "chunks": ["chunks", "talk.txt", "a=a.json", "b=b.json", "-q", "questions.csv"],
    "chunk sizes": ["chunks", "talk.txt", "a=a.json", "b=b.json"],
    "tune": ["tune", "gold.jsonl", "--segment", "Random(density=[0.2,0.5])"],
    "diff": ["diff", "all.json", *ONE],
    "diff windows": ["diff", "ref.txt", "hyp.txt", "-m", "WD", "-m", "Pk", "-m", "B", "-m", "S", "-m", "F"],
    "compare": ["compare", "all.json", *ALL, "--resamples", "99"],
    "compare more": ["compare", "all.json", *ALL, "--resamples", "99", "--test", "documents",
                     *(word for part in ("edits", "macro", "documents", "coders", "human")
                       for word in ("--show", part))],
    "compare bootstrap": ["compare", "all.json", *ONE, "--resamples", "99", "--test", "bootstrap"],
    "compare codings": ["compare", "all.json", *ONE, "--resamples", "99", "--test", "codings"],
    "adjudicate": ["adjudicate", "people.json"],
    "plan": ["plan", "people.json", "--resamples", "9"],
    "gate": ["gate", "all.json", *ONE, "--fail-under", "B=0.01"],
    "metrics": ["metrics"],
    "metric": ["metrics", "WD"],
    "segmenters": ["segmenters"],
}  # fmt: skip
VERDICTS = [name for name in COMMANDS if name not in ("diff", "diff windows", "metric", "reproduce")]
"""What prints a table; the parameters of a metric have its meaning first, a drawing its document."""

SEVERAL_TABLES = ("demo", "describe", "agree strict", "compare more", "compare bootstrap", "compare codings")


PICTURES = Path(os.environ.get("CAESURA_SCREENSHOTS") or Path(__file__).parents[2] / "build" / "screenshots")


def keep_picture(name: str, width: int, out: str) -> None:
    """Keep what a terminal looks like, for people to see."""
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(Text.from_ansi(out))
    PICTURES.mkdir(parents=True, exist_ok=True)
    console.save_svg(PICTURES / f"terminal-{name.replace(' ', '-')}-{width}.svg", title=f"caesura {name}")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_is_wider_than_the_terminal_and_no_name_is_cut(terminal, name, width):
    code, out, err = terminal(*COMMANDS[name], width=width)
    assert code == 0, err
    keep_picture(name, width, out)
    for line in ESCAPE.sub("", out + err).replace("\r", "\n").split("\n"):
        assert cell_len(line) <= width or "|caesura" in line, line
    shown = ESCAPE.sub("", out)
    for stem, whole in (("texttiling", MACHINES), ("annotator", PEOPLE), ("interview", DOCUMENTS)):
        found = set(re.findall(rf"{stem}-[\w…-]*", shown))
        assert found <= {*whole}, "a name is cut"


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_stands_first_and_bold_and_signatures_stand_last_and_dim(terminal, name):
    _, out, _ = terminal(*COMMANDS[name])
    bold = re.match(r"(?:\x1b\[1m[^\x1b]+\x1b\[0m\n)+", out)
    assert bold is not None, out[:200]
    verdict = ESCAPE.sub("", bold[0])
    assert re.search(r"\d|^No ", verdict), "a verdict has a number or says that there is nothing"
    assert len(verdict) < 400
    main, bar, _ = out.partition("|caesura")
    assert not bar or main.rpartition("\n")[2].startswith("\x1b[2m")
    assert out.count("|caesura") <= 1 or name in SEVERAL_TABLES


def test_colors_are_left_out_where_the_reader_wants_none(terminal, monkeypatch):
    for name in ("diff", "compare"):
        _, colored, _ = terminal(*COMMANDS[name])
        assert re.search(r"\x1b\[(?:1;)?3[1-6]m", colored)
        with monkeypatch.context() as patch:
            patch.setenv("NO_COLOR", "1")
            _, plain, _ = terminal(*COMMANDS[name])
        assert not re.search(r"\x1b\[(?:\d+;)*3[0-9]", plain)
        assert ESCAPE.sub("", plain) == ESCAPE.sub("", colored)


def test_signs_of_a_drawing_have_the_colors_of_their_kinds(terminal):
    """By F13's figure 6: a match and a near miss; a second line has a miss and a false alarm."""
    Path("a.txt").write_text("2 3 6\n5 6\n")
    Path("b.txt").write_text("2 2 7\n1 10\n")
    _, out, _ = terminal("diff", "a.txt", "b.txt")
    for sign, color in (("=", 32), ("╰", 33), ("╯", 33), ("−", 31), ("+", 34)):
        assert f"\x1b[{color}m{sign}" in out
    names = [line for line in out.split("\n") if re.match(r"  (ref|hyp)|line", ESCAPE.sub("", line))]
    assert names
    assert not any(ESCAPE.search(line) for line in names)


WRITERS = {
    "result": ["score", "all.json", *ONE, "-o", "new.json", "-f", "json"],
    "table": ["agree", "people.json", "-o", "new.csv", "-f", "csv"],
    "saved": ["score", "all.json", *ONE, "--save", "new.json"],
    "baseline": ["gate", "all.json", *ONE, "--baseline", "new.json", "--update"],
    "consensus": ["consensus", "people.json", "-o", "new.json"],
    "places": ["adjudicate", "people.json", "-o", "new.csv"],
    "page of places": ["adjudicate", "people.json", "-o", "new.html"],
    "convert": ["convert", "people.json", "new.csv"],
    "segment": ["segment", "texts.jsonl", "-s", "Random", "-o", "new.json"],
    "annotate": ["annotate", "texts.jsonl", "-o", "new.html"],
    "simulate": ["simulate", "-o", "new.json"],
    "parquet": ["simulate", "-o", "new.parquet"],
    "figure": ["figure", "heat-map", "people.json", "-o", "new.svg"],
    "report": ["report", "people.json", "-o", "new.html", "--resamples", "0"],
    "play": ["play", "-o", "new.html"],
    "demo": ["demo", "--annotate", "new.html"],
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_command_that_writes_a_file_says_which(data, monkeypatch, capsys, name):
    monkeypatch.chdir(data)
    (new,) = (word for word in WRITERS[name] if word.startswith("new."))
    Path(new).unlink(missing_ok=True)
    assert cli.run(WRITERS[name]) == 0
    assert Path(new).is_file()
    said = capsys.readouterr()
    assert re.search(rf"(?:-> |open .*){re.escape(new)}", said.err + (said.out if name == "demo" else ""))
