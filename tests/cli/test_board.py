"""caesura board: ranking, intervals and tests; what is set apart; hostile names and files.

Source of truth: caesura.evaluate of all systems at once; p and Holm's adjustment written out here.
"""

import html
import json
import re
from itertools import combinations, product
from pathlib import Path

import pytest

import caesura as cs
from caesura import cli
from caesura.analyses.saved_scores import rank_saved
from caesura.io.saved_files import read_saved

GOLD = {f"d{i}": {"ann": [4, 4]} for i in range(6)}
MASSES = {"right": [4, 4], "near": [3, 5], "wrong": [2, 6]}
SYSTEMS = {
    "good": "right right right right right near",
    "fair": "right near right near right near",
    "poor": "near wrong wrong near wrong wrong",
}
EVEN = "right right right right right right"


def coded(words: str, coder: str) -> cs.Corpus:
    return cs.Corpus.from_dict({f"d{i}": {coder: MASSES[word]} for i, word in enumerate(words.split())})


def save(path: str, words: str, coder: str, *options: str, gold: str = "gold.jsonl") -> None:
    cs.write(coded(words, coder), "system.jsonl")
    assert cli.run(["score", gold, "system.jsonl", "--save", path, "--totals-only", *options]) == 0


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    cs.write(cs.Corpus.from_dict(GOLD), "gold.jsonl")
    for number, (name, words) in enumerate(SYSTEMS.items()):
        save(f"results/{9 - number}.json", words, name)
    capsys.readouterr()


def ranking(**options):
    return rank_saved({path.name: read_saved(path) for path in sorted(Path("results").iterdir())}, **options)


def test_ranking_and_intervals_are_those_of_evaluate():
    made = ranking(n_resamples=500)
    merged = cs.Corpus.merge(*(coded(words, name) for name, words in SYSTEMS.items()))
    evaluation = cs.evaluate(cs.Corpus.from_dict(GOLD), merged, n_resamples=500, rng=0)
    assert [row.system for row in made.ranking] == ["good", "fair", "poor"]
    for row in made.ranking:
        for metric, interval in zip(made.metrics, row.intervals, strict=True):
            expected = evaluation[metric, row.system]
            assert interval.estimate == float(expected.micro)
            assert [*interval] == pytest.approx([*expected.interval])
    assert made.documents["d5"] == [0.5, 0.5, 0.0]


def test_errors_rank_from_below():
    assert [row.system for row in ranking(metric="WD").ranking] == ["good", "fair", "poor"]
    assert ranking(metric="WD").metrics[0] == "WD"


def test_p_is_that_of_all_exchanges_adjusted_by_holm():
    credit = {"right": (1.0, 1), "near": (0.5, 1), "wrong": (0.0, 2)}

    def b_of(words):
        return sum(credit[word][0] for word in words) / sum(credit[word][1] for word in words)

    p_values = {}
    for first, second in combinations(SYSTEMS, 2):
        pairs = list(zip(SYSTEMS[first].split(), SYSTEMS[second].split(), strict=True))
        differences = []
        for exchanged in product((False, True), repeat=len(pairs)):
            turned = [pair[::-1] if swap else pair for pair, swap in zip(pairs, exchanged, strict=True)]
            differences.append(abs(b_of([a for a, _ in turned]) - b_of([b for _, b in turned])))
        p_values[first, second] = sum(d >= differences[0] - 1e-12 for d in differences) / len(differences)
    adjusted, least = {}, 0.0
    for rank, pair in enumerate(sorted(p_values, key=p_values.__getitem__)):
        least = adjusted[pair] = min(1.0, max(least, p_values[pair] * (len(p_values) - rank)))
    contrasts = ranking().tests.contrasts
    assert {(c.first, c.second): c.p_value for c in contrasts} == pytest.approx(p_values)
    assert {(c.first, c.second): c.adjusted_p for c in contrasts} == pytest.approx(adjusted)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["board", *arguments])
    captured = capsys.readouterr()
    assert captured.out == ""
    return code, Path("b.html").read_text(encoding="utf-8") if Path("b.html").exists() else "", captured.err


def rows_of(page: str, section: str) -> list[list[str]]:
    body = re.search(rf'<section id="{section}".*?<tbody>(.*?)</tbody>', page, re.DOTALL)[1]
    return [
        [html.unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body)
    ]


def test_the_page_has_ranking_tests_and_documents(capsys):
    code, page, err = run(capsys, "results", "-o", "b.html", "--title", "Ours & theirs")
    assert (code, err) == (0, "3 systems -> b.html\n")
    assert "<h1>Ours &amp; theirs</h1>" in page
    assert [row[:3] for row in rows_of(page, "ranking")] == [
        ["1", "good", "0.9167"],
        ["2", "fair", "0.7500"],
        ["3", "poor", "0.1000"],
    ]
    assert len(rows_of(page, "tests")) == 3
    assert rows_of(page, "documents")[1] == ["d1", "1.0000", "-0.5000", "-1.0000"]
    assert 'id="apart"' not in page


def test_the_same_results_give_the_same_bytes(capsys):
    first = run(capsys, "results", "-o", "b.html")[1]
    assert run(capsys, "results", "-o", "b.html", "--force")[1] == first


def test_nothing_is_loaded_from_elsewhere(capsys):
    page = run(capsys, "results", "-o", "b.html")[1]
    assert re.findall(r'(?:src|href)="(?!#)', page) == []


def test_others_are_set_apart_with_the_reason(capsys):
    save("results/n_t.json", SYSTEMS["good"], "good", "-n", "3")
    cs.write(coded("right right right right right near", "ann"), "other.jsonl")
    save("results/gold.json", SYSTEMS["good"], "good", gold="other.jsonl")
    old = json.loads(Path("results/9.json").read_text())
    Path("results/old.json").write_text(json.dumps(old | {"caesura": "7.0.0"}))
    capsys.readouterr()
    code, page, err = run(capsys, "results", "-o", "b.html")
    assert code == 0
    reasons = {row[0]: row[2] for row in rows_of(page, "apart")}
    assert {Path(file).name: reason.split(":")[0] for file, reason in reasons.items()} == {
        "gold.json": "its reference has the same documents, but other boundaries, units or coders",
        "n_t.json": "it has no B",
        "old.json": f"caesura 7.0.0 counted it, and {cs.__version__} the others",
    }
    assert err.count("is listed separately") == 3
    assert len(rows_of(page, "ranking")) == 3


def test_only_the_metric_to_rank_by_is_needed(capsys):
    cs.write(coded(SYSTEMS["good"], "windows"), "windows.jsonl")
    assert cli.run(["score", "gold.jsonl", "windows.jsonl", "-m", "WD", "--save", "results/w.json"]) == 0
    capsys.readouterr()
    code, page, _ = run(capsys, "results", "-o", "b.html", "-m", "WD")
    assert (code, len(rows_of(page, "ranking")), 'id="apart"' in page) == (0, 4, False)
    made = ranking(metric="WD")
    assert (made.metrics, {row.system for row in made.ranking}) == (("WD",), {"windows", *SYSTEMS})
    Path("b.html").unlink()
    code, page, _ = run(capsys, "results", "-o", "b.html", "-m", "B")
    assert (code, len(rows_of(page, "ranking")), rows_of(page, "apart")[0][2]) == (0, 3, "it has no B")


def test_the_same_name_twice_is_refused(capsys):
    save("results/again.json", SYSTEMS["poor"], "good")
    capsys.readouterr()
    code, page, err = run(capsys, "results", "-o", "b.html")
    assert (code, page) == (1, "")
    assert "are both of good; remove one, or score it again under another coder name" in err
    assert err.count("\n") == 1


def test_hostile_names_are_text(capsys):
    name = "<script>alert(1)</script>\x1b]0;x\x07"
    save("results/x.json", EVEN, name)
    capsys.readouterr()
    code, page, _ = run(capsys, "results", "-o", "b.html", "--title", "<img src=x>")
    assert code == 0
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_one_system_alone_is_a_board(capsys):
    code, page, _ = run(capsys, "results/9.json", "-o", "b.html")
    assert (code, len(rows_of(page, "ranking")), 'id="tests"' in page) == (0, 1, False)


FAULTS = {
    "a broken file": ("results/z.json", "{", 1, "results/z.json: not valid JSON"),
    "another JSON": ("results/z.json", '{"a": 1}', 1, "results/z.json: caesura is None: expected text"),
}


@pytest.mark.parametrize(("file", "content", "code", "message"), FAULTS.values(), ids=FAULTS)
def test_files_that_are_no_results_are_refused(file, content, code, message, capsys):
    Path(file).write_text(content)
    got, page, err = run(capsys, "results", "-o", "b.html")
    assert (got, page, message in err, err.count("\n")) == (code, "", True, 1)


def test_bad_usage(capsys):
    Path("empty").mkdir()
    assert run(capsys, "empty", "-o", "b.html")[0] == 1
    assert run(capsys, "none", "-o", "b.html")[0] == 2
    assert run(capsys, "results", "-o", "b.txt")[0] == 2
    code, _, err = run(capsys, "results", "-o", "b.html", "-m", "GHD")
    assert (code, "no saved scores are of GHD" in err) == (1, True)
