"""caesura gate: exit codes, what falls short and by how much, baselines that do not fit, chance.

Source of truth: values worked out by hand; p by enumerating all exchanges of documents here.
"""

import json
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli
from caesura.analyses.gating import Limits
from caesura.errors import ParameterError
from caesura.io.saved_files import read_saved

# B is 1 where all is right, and 0 where the one boundary is missed by two and another one is there.
RIGHT, NEAR, WRONG = [4, 4], [3, 5], [2, 6]
CREDIT = {"right": (Fraction(1), 1), "near": (Fraction(1, 2), 1), "wrong": (Fraction(0), 2)}
MASSES = {"right": RIGHT, "near": NEAR, "wrong": WRONG}


def write(path: str, words: str, coder: str = "sys") -> None:
    """Write a system, of which each word says how it segmented a document."""
    cs.write(
        cs.Corpus.from_dict({f"d{i}": {coder: MASSES[word]} for i, word in enumerate(words.split())}), path
    )


def b_of(words: str) -> Fraction:
    """Return B by hand: credits over pairs of boundaries."""
    pairs = [CREDIT[word] for word in words.split()]
    return sum((credit for credit, _ in pairs), Fraction(0)) / sum(n for _, n in pairs)


def p_of(words: str, before: str) -> float:
    """Return p of a difference in B by all exchanges of documents."""
    pairs = list(zip(words.split(), before.split(), strict=True))
    observed = abs(b_of(words) - b_of(before))
    extreme = 0
    for exchanged in product((False, True), repeat=len(pairs)):
        turned = [(b, a) if swap else (a, b) for (a, b), swap in zip(pairs, exchanged, strict=True)]
        extreme += (
            abs(b_of(" ".join(a for a, _ in turned)) - b_of(" ".join(b for _, b in turned))) >= observed
        )
    return extreme / 2 ** len(pairs)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("gold.jsonl", "right right right right", "ann")
    write("good.jsonl", "right right near right")
    write("bad.jsonl", "right wrong near wrong")


@pytest.fixture
def gate(capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(["gate", *arguments])
        captured = capsys.readouterr()
        lines = [line for line in captured.err.splitlines() if not line.startswith("caesura: read ")]
        return code, captured.out, "\n".join(lines)

    return run


def test_a_system_that_reaches_its_limits_is_0(gate):
    code, out, err = gate("gold.jsonl", "good.jsonl", "--fail-under", "B=0.875", "--fail-over", "WD=0.5")
    assert (code, err) == (0, "")
    assert out.startswith("sys holds: B 0.8750 and WD ")


def test_what_falls_short_is_1_and_one_line_says_by_how_much(gate):
    assert b_of("right wrong near wrong") == Fraction(1, 4)
    code, _, err = gate("gold.jsonl", "bad.jsonl", "--fail-under", "B=0.7")
    assert (code, err) == (1, "caesura: sys falls short: B is 0.2500, below 0.7 by 0.4500")
    assert gate("gold.jsonl", "bad.jsonl", "--fail-under", "B=0.25")[0] == 0


def test_the_line_on_what_falls_short_is_the_only_one(capsys):
    assert cli.run(["gate", "gold.jsonl", "bad.jsonl", "--fail-under", "B=0.7"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "caesura: sys falls short: B is 0.2500, below 0.7 by 0.4500"
    ]


def test_errors_are_limited_from_above(gate):
    value = cs.evaluate(cs.read("gold.jsonl"), cs.read("bad.jsonl"), ["WD"], n_resamples=0)["WD"].micro
    code, _, err = gate("gold.jsonl", "bad.jsonl", "--fail-over", "WD=0.1")
    assert (code, err) == (1, f"caesura: sys falls short: WD is {value:.4f}, above 0.1 by {value - 0.1:.4f}")


def test_drops_are_held_against_the_baseline(gate):
    limits = "--baseline", "base.json", "--max-drop", "B=0.1", "--max-drop", "WD=0.1"
    assert gate("gold.jsonl", "good.jsonl", *limits, "--update")[::2] == (0, "sys -> base.json")
    assert gate("gold.jsonl", "good.jsonl", *limits)[0] == 0
    before = Path("base.json").read_bytes()
    code, _, err = gate("gold.jsonl", "bad.jsonl", *limits)
    assert code == 1
    assert "B went from 0.8750 to 0.2500, worse by 0.6250, allowed 0.1" in err
    assert "WD went from " in err  # a rise of an error is a drop
    assert err.count("\n") == 0
    assert Path("base.json").read_bytes() == before
    assert gate("gold.jsonl", "bad.jsonl", *limits, "--update")[0] == 0  # drops pass, and are shown
    assert gate("gold.jsonl", "good.jsonl", *limits)[0] == 0  # it got better
    assert gate("gold.jsonl", "bad.jsonl", *limits)[0] == 0


def test_a_drop_that_is_just_allowed_is_not_a_matter_of_rounding(gate):
    write("base.jsonl", "right right right right")
    gate("gold.jsonl", "base.jsonl", "--baseline", "base.json", "--update")
    assert gate("gold.jsonl", "good.jsonl", "--baseline", "base.json", "--max-drop", "B=0.125")[0] == 0
    assert gate("gold.jsonl", "good.jsonl", "--baseline", "base.json", "--max-drop", "B=0.1249")[0] == 1


def test_an_update_that_misses_a_limit_writes_nothing(gate):
    code, _, err = gate(
        "gold.jsonl", "bad.jsonl", "--baseline", "b.json", "--fail-under", "B=0.7", "--update"
    )
    assert (code, Path("b.json").exists()) == (1, False)
    assert err.endswith("; b.json is not written")


def test_documents_that_got_worse_are_named_with_their_places(gate):
    gate("gold.jsonl", "good.jsonl", "--baseline", "b.json", "--update")
    arguments = "gold.jsonl", "bad.jsonl", "--baseline", "b.json", "--no-document-worse", "0.5"
    code, out, err = gate(*arguments, "-f", "markdown")
    short = "2 documents are worse by more than 0.5: d1 by 1.0000 (B) and d3 by 1.0000 (B)"
    assert (code, err) == (1, f"caesura: sys falls short: {short}")
    assert out.startswith("**sys falls short: 2 documents ")
    assert "| d1 | B | 1.0000 | 0.0000 | 1.0000 | missing after 4; spurious after 2 |" in out
    assert gate(*arguments[:-1], "1")[0] == 0
    data = json.loads(gate(*arguments, "-f", "json")[1])
    assert [data["holds"], data["documents"]] == [False, 4]
    assert [each["document"] for each in data["documents_worse"]] == ["d1", "d3"]


MANY = "right " * 6
DROPS = ("right " * 5 + "near", "near " * 5 + "right", "near " * 6)


@pytest.mark.parametrize("words", DROPS)
def test_p_is_that_of_all_exchanges_and_significant_lets_chance_pass(words, gate):
    write("gold.jsonl", MANY, "ann")
    write("base.jsonl", MANY)
    write("now.jsonl", words)
    gate("gold.jsonl", "base.jsonl", "--baseline", "b.json", "--update")
    limits = "gold.jsonl", "now.jsonl", "--baseline", "b.json", "--max-drop", "B=0.01"
    p = p_of(words, MANY)
    row = json.loads(gate(*limits, "-f", "json")[1])["metrics"][0]
    assert row["p_value"] == pytest.approx(p)
    assert gate(*limits)[0] == 1
    code, out, err = gate(*limits, "--significant")
    assert code == (1 if p < 0.05 else 0)
    assert ("within chance" in out + err) == (p >= 0.05)
    assert ("within chance" in gate(*limits)[2]) == (p >= 0.05)


def test_few_documents_can_show_no_drop_and_it_says_so(gate):
    gate("gold.jsonl", "good.jsonl", "--baseline", "b.json", "--update")
    limits = "--baseline", "b.json", "--max-drop", "B=0.1", "--significant"
    code, out, _ = gate("gold.jsonl", "bad.jsonl", *limits)
    assert code == 0
    assert "4 documents cannot show a drop at α = 0.05" in " ".join(out.split())


def test_what_score_saves_is_a_baseline(gate):
    assert cli.run(["score", "gold.jsonl", "good.jsonl", "--save", "b.json"]) == 0
    assert gate("gold.jsonl", "bad.jsonl", "--baseline", "b.json", "--max-drop", "B=0.1")[0] == 1


def test_the_order_of_documents_is_no_other_gold(gate):
    gate("gold.jsonl", "good.jsonl", "--baseline", "b.json", "--update")
    lines = Path("gold.jsonl").read_text().splitlines(keepends=True)
    Path("turned.jsonl").write_text("".join(reversed(lines)))
    assert gate("turned.jsonl", "good.jsonl", "--baseline", "b.json", "--max-drop", "B=0")[0] == 0


def test_same_output_every_time(gate):
    write("gold.jsonl", "right " * 40, "ann")
    write("base.jsonl", "right " * 40)
    write("now.jsonl", "right near wrong right " * 10)
    gate("gold.jsonl", "base.jsonl", "--baseline", "b.json", "--update")
    arguments = "gold.jsonl", "now.jsonl", "--baseline", "b.json", "--max-drop", "B=0.1", "-f", "json"
    assert gate(*arguments) == gate(*arguments)


def _another_gold() -> list[str]:
    write("other.jsonl", "right right right near", "ann")
    return ["other.jsonl", "good.jsonl", "--max-drop", "B=0.1"]


def _more_documents() -> list[str]:
    write("more.jsonl", "right " * 5, "ann")
    write("sys5.jsonl", "right " * 5)
    return ["more.jsonl", "sys5.jsonl", "--max-drop", "B=0.1"]


def _changed(**changes) -> list[str]:
    data = json.loads(Path("b.json").read_text())
    Path("b.json").write_text(json.dumps(data | changes))
    return ["gold.jsonl", "good.jsonl", "--max-drop", "B=0.1"]


def _missing() -> list[str]:
    Path("b.json").unlink()
    return ["gold.jsonl", "good.jsonl", "--max-drop", "B=0.1"]


def _broken() -> list[str]:
    Path("b.json").write_text("{")
    return ["gold.jsonl", "good.jsonl", "--max-drop", "B=0.1"]


PAIR = "gold.jsonl", "good.jsonl"
REFUSED = {
    "another gold": (
        _another_gold,
        "its reference has the same documents, but other boundaries, units or coders",
    ),
    "other documents": (_more_documents, "b.json: the baseline does not fit: it lacks document d4"),
    "another n_t": (lambda: [*PAIR, "--max-drop", "B=0.1", "-n", "3"], "it has no B(n_t=3)"),
    "another metric": (lambda: [*PAIR, "--max-drop", "F=0.1"], "the baseline does not fit: it has no F"),
    "another signature": (lambda: _changed(signature={"B": "B|n_t=4"}), "its B is B|n_t=4, not B|n_t=2"),
    "another version": (lambda: _changed(caesura="9.0.0"), "caesura 9.0.0 counted it"),
    "no baseline yet": (_missing, "b.json: there is no such baseline yet; --update writes it"),
    "a broken baseline": (_broken, "b.json: not valid JSON"),
    "an error from below": (
        lambda: [*PAIR, "--fail-under", "WD=0.3"],
        "WD is an error; limit it with --fail-over",
    ),
    "no error from above": (lambda: [*PAIR, "--fail-over", "B=0.3"], "limit it with --fail-under"),
    "per cent": (
        lambda: [*PAIR, "--fail-under", "B=70"],
        "--fail-under of B is 70.0: expected a number from 0 to 1",
    ),
    "NaN": (lambda: [*PAIR, "--fail-under", "B=nan"], "--fail-under of B is nan"),
    "a drop below 0": (
        lambda: [*PAIR, "--max-drop", "B=-1"],
        "--max-drop of B is -1.0: expected a number from 0",
    ),
    "a document below 0": (lambda: [*PAIR, "--no-document-worse", "-1"], "--no-document-worse is -1"),
    "no number": (
        lambda: [*PAIR, "--fail-under", "B=x"],
        "'B=x' is not a limit: write METRIC=VALUE, such as B=0.7",
    ),
    "no value": (lambda: [*PAIR, "--fail-under", "B"], "'B' is not a limit"),
    "no such metric": (lambda: [*PAIR, "--fail-under", "Bx=1"], "unknown metric 'Bx'"),
    "twice": (
        lambda: [*PAIR, "--fail-under", "B=.1", "--fail-under", "B=.2"],
        "the same limit is set twice for one metric",
    ),
    "chance alone": (lambda: [*PAIR, "--significant"], "--significant needs --max-drop"),
    "no such file": (lambda: ["gold.jsonl", "none.jsonl", "--fail-under", "B=0"], "none.jsonl: No such file"),
    "no system": (
        lambda: ["gold.jsonl", "--fail-under", "B=0"],
        "name a coder with --segmenter",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_answered_is_2_in_one_line(make, message, gate):
    gate("gold.jsonl", "good.jsonl", "--baseline", "b.json", "--update")
    code, out, err = gate(*make(), "--baseline", "b.json")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 0
    assert err.count("b.json: ") <= 1  # a file is named once


def test_without_limits_or_a_baseline_there_is_no_question(gate):
    assert gate(*PAIR)[::2] == (
        2,
        "caesura: no limit given: set one, such as --fail-under B=0.7, or a --baseline",
    )
    assert gate(*PAIR, "--max-drop", "B=0.1")[::2] == (
        2,
        "caesura: drops are held against an earlier run: name its file by --baseline",
    )


def test_an_update_replaces_a_baseline_of_another_gold(gate):
    gate(*PAIR, "--baseline", "b.json", "--update")
    write("other.jsonl", "right right right near", "ann")
    assert gate("other.jsonl", "good.jsonl", "--baseline", "b.json", "--update")[0] == 0
    assert gate("other.jsonl", "good.jsonl", "--baseline", "b.json", "--max-drop", "B=0")[0] == 0


def test_hostile_names_stay_in_their_cells(gate):
    name = "d|<b>x</b>\x1b[31m`"
    for path, coder, masses in (
        ("g.jsonl", "ann", RIGHT),
        ("s.jsonl", "sys", RIGHT),
        ("t.jsonl", "sys", WRONG),
    ):
        cs.write(cs.Corpus.from_dict({name: {coder: masses}}), path)
    gate("g.jsonl", "s.jsonl", "--baseline", "b.json", "--update")
    code, out, err = gate(
        "g.jsonl", "t.jsonl", "--baseline", "b.json", "--no-document-worse", "0", "-f", "markdown"
    )
    assert code == 1
    assert "<b>" not in out
    assert "\x1b" not in out + err
    row = [line for line in out.splitlines() if line.startswith("| d")][-1]  # after the head
    assert row.replace("\\|", "").count("|") == 7


def test_the_baseline_holds_no_text(gate):
    cs.write(cs.read("gold.jsonl").with_texts({"d0": ["SECRET"] * 8}), "text.jsonl")
    assert gate("text.jsonl", "good.jsonl", "--baseline", "b.json", "--update")[0] == 0
    assert "SECRET" not in Path("b.json").read_text()
    assert read_saved("b.json").system == "sys"


def test_closest_is_worse_on_either_side(gate):
    """Density is best at 1: from 1 to 1/2 and from 1 to 3/2 are equally worse."""
    write("base.jsonl", "right right right right")
    gate("gold.jsonl", "base.jsonl", "--baseline", "b.json", "-m", "Density", "--update")
    for name, masses in (("few", [8]), ("many", [2, 2, 4])):
        cs.write(
            cs.Corpus.from_dict({f"d{i}": {"sys": masses if i < 2 else RIGHT} for i in range(4)}),
            f"{name}.jsonl",
        )
        code, _, err = gate(
            "gold.jsonl", f"{name}.jsonl", "--baseline", "b.json", "--max-drop", "Density=0.4"
        )
        assert code == 1
        assert "worse by 0.5000, allowed 0.4" in err


def test_limits_in_python_are_checked_alike():
    assert Limits(fail_under={"B(n_t=3)": 0.5}).metrics == [cs.metric("B(n_t=3)")]
    with pytest.raises(ParameterError, match="limit it with fail_over="):
        Limits(fail_under={"Pk": 0.5})


def test_it_imports_no_library_but_numpy_and_click(tmp_path):
    """The heavy ones would cost more than the gate itself; benchmarks/bench.py measures the whole."""
    write("gold.jsonl", "right " * 4, "ann")
    write("now.jsonl", "right near " * 2)
    assert cli.run(["gate", "gold.jsonl", "now.jsonl", "--baseline", "b.json", "--update"]) == 0
    code = (
        "import sys; from caesura import cli; cli.run(sys.argv[1:]); print(*sys.modules.keys() & "
        "{'altair', 'narwhals', 'pandas', 'pyarrow', 'rich', 'scipy'}, file=sys.stderr)"
    )
    gate = "gate", "gold.jsonl", "now.jsonl", "--baseline", "b.json", "--max-drop", "B=0.1"
    ended = subprocess.run([sys.executable, "-c", code, *gate], capture_output=True, text=True, check=True)
    assert "B|caesura" in ended.stdout
    assert ended.stderr.splitlines()[-1] == ""
