"""cs.tune and caesura tune: parameters chosen on some documents, judged on the others (SPEC §17).

Source of truth: every combination run and scored by itself, by cs.segmenter and the metric of each pair.
"""

from __future__ import annotations

import json
import random

import pytest

import caesura as cs
from caesura import Corpus, ParameterError, UnknownNameError, cli
from caesura.analyses.tuning import grid_of

TOPICS = [
    ["harbor", "storm", "sail", "anchor", "mast", "wave", "crew"],
    ["recipe", "butter", "flour", "oven", "sugar", "dough", "whisk"],
    ["wind", "rain", "cloud", "frost", "hail", "thunder", "mist"],
    ["court", "judge", "trial", "verdict", "jury", "witness", "oath"],
]
GRID = "C99(mask=[3, 5, 9], cutoff=[0.6, 1.2, 2.4])"


def study(n_documents=12, seed=4):
    rng = random.Random(seed)
    codings, units = {}, {}
    for number in range(1, n_documents + 1):
        masses = [rng.randint(2, 6) for _ in range(rng.randint(2, 4))]
        topics = [topic for topic, mass in zip(TOPICS, masses, strict=False) for _ in range(mass)]
        units[f"ch{number}"] = [" ".join(rng.sample(topic, 3) + rng.sample(TOPICS[0], 1)) for topic in topics]
        whole = sum(masses)
        codings[f"ch{number}"] = {"ann": masses, "bob": [masses[0], whole - masses[0]]}
    return Corpus.from_dict(codings, units=units)


@pytest.fixture(scope="module")
def gold():
    return study()


def pooled(gold, documents, segmenter, metric, n_segments=None):
    """Return the value of all codings of these documents together, one by one."""
    metric = cs.metric(metric)
    scores = [
        metric(coding, cs.segmenter(segmenter)(gold.units[document], n_segments))
        for document in documents
        for coding in gold[document].values()
    ]
    return float(sum(scores[1:], scores[0]))


@pytest.mark.parametrize("metric", ["B", "WD", "Pk(k=2)", "F"])
def test_the_best_on_some_documents_is_judged_on_the_others(gold, metric):
    tuned = cs.tune(gold, [GRID], metric, on=["ch[1-5]"], rng=1)
    on = [f"ch{number}" for number in range(1, 6)]
    others = [document for document in gold.documents if document not in on]
    values = {repr(each): pooled(gold, on, repr(each), metric) for each in grid_of(GRID)}
    assert {candidate.specification: candidate.value for candidate in tuned.grid} == pytest.approx(values)
    better = min if cs.metric(metric).direction == "lower" else max
    assert tuned.chosen == better(values, key=values.__getitem__)  # of equal ones the first
    assert tuned.value == pytest.approx(values[tuned.chosen])
    assert tuned.held_out.value == pytest.approx(pooled(gold, others, tuned.chosen, metric))
    assert (list(tuned.tuned_on), list(tuned.held_out_documents)) == (on, others)
    assert tuned.interval.low <= tuned.value <= tuned.interval.high
    assert tuned.chosen_by_fold == ()


def test_without_documents_to_tune_on_all_are_held_out_in_turn():
    """Of four documents each by itself: the others choose for it."""
    gold = study(4, seed=11)
    tuned = cs.tune(gold, [GRID], "B", rng=1)
    every = [repr(each) for each in grid_of(GRID)]
    held_out, chosen = [], []
    for document in gold.documents:
        others = [name for name in gold.documents if name != document]
        values = [pooled(gold, others, each, "B") for each in every]
        best = every[values.index(max(values))]
        chosen.append(best)
        held_out += [
            cs.metric("B")(coding, cs.segmenter(best)(gold.units[document]))
            for coding in gold[document].values()
        ]
    assert sorted(tuned.chosen_by_fold) == sorted(chosen)
    assert tuned.held_out.value == pytest.approx(float(sum(held_out[1:], held_out[0])))
    values = [pooled(gold, gold.documents, each, "B") for each in every]
    assert tuned.chosen == every[values.index(max(values))]
    assert tuned.held_out_documents == ()


def test_several_segmenters_and_a_number_of_segments(gold):
    tuned = cs.tune(gold, ["Uniform", "C99(mask=[3, 5])"], "B", on="ch1*", n_segments=3, rng=1)
    values = {
        each: pooled(gold, ["ch1", "ch10", "ch11", "ch12"], each, "B", 3)
        for each in ("Uniform", "C99(mask=3)", "C99(mask=5)")
    }
    assert {candidate.specification: candidate.value for candidate in tuned.grid} == pytest.approx(values)
    like = cs.tune(gold, ["Uniform"], "B", on="ch1*", n_segments="like", rng=1)
    assert like.value != tuned.grid[0].value


def test_a_list_is_a_grid_and_a_list_of_lists_a_grid_of_lists():
    assert [repr(each) for each in grid_of("U00(longest=[3, 4])")] == ["U00(longest=3)", "U00(longest=4)"]
    assert [repr(each) for each in grid_of("C99")] == ["C99"]
    vectors = [each.vectors for each in grid_of("C99(vectors=[[[1, 0], [0, 1]], [[1, 1], [0, 2]]])")]
    assert [str(each).split(",")[0] for each in vectors] == ["<vectors of 2 units"] * 2
    assert vectors[0] != vectors[1]
    with pytest.raises(ParameterError, match="mask is an empty list"):
        grid_of("C99(mask=[])")
    with pytest.raises(UnknownNameError, match="no parameter 'mesk'"):
        grid_of("C99(mesk=[9, 11])")
    with pytest.raises(ParameterError, match="12,000 combinations; at most 10,000"):
        grid_of(f"C99(mask={[*range(1, 240, 2)]}, cutoff={[n / 100 for n in range(100)]})")
    with pytest.raises(ParameterError, match="mask is 4"):
        grid_of("C99(mask=[3, 4])")


def test_one_document_leaves_nothing_to_hold_out():
    tuned = cs.tune(study(1), [GRID], "B", rng=1)
    assert tuned.held_out is None
    assert "nothing is held out" in tuned.caveats[0]
    assert tuned.to_dict()["held_out"] is None


@pytest.mark.parametrize(
    ("on", "error", "message"),
    [
        (["x*"], UnknownNameError, "unknown document 'x\\*'; known: ch1"),
        (["ch1", "cH2"], UnknownNameError, "unknown document 'cH2'; did you mean 'ch2'"),
        ([], ParameterError, "on is .*: expected names of documents"),
        (5, ParameterError, "on is 5: expected names of documents"),
        (["ch*"], ParameterError, "on=ch\\* leaves none of the 12 documents held out"),
    ],
)
def test_patterns_that_divide_nothing_are_refused(gold, on, error, message):
    with pytest.raises(error, match=message):
        cs.tune(gold, [GRID], on=on)


def test_a_wrong_number_of_resamples_is_refused(gold):
    with pytest.raises(ParameterError, match="n_resamples is -1"):
        cs.tune(gold, [GRID], n_resamples=-1)


def test_the_same_seed_gives_the_same_output(gold):
    specs = ["Random", GRID]
    first, second = (cs.tune(gold, specs, "B", rng=7).to_dict() for _ in range(2))
    assert first == second


@pytest.fixture
def files(gold, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(gold, "gold.jsonl")


def test_what_the_command_writes_other_commands_take(files, gold, capsys):
    options = ["--segment", GRID, "--on", "ch[1-3]", "--on", "ch4", "-m", "WD", "--seed", "1"]
    assert cli.run(["tune", "gold.jsonl", *options, "-o", "tuned.json"]) == 0
    with open("tuned.json", encoding="utf-8") as file:
        tuned = json.load(file)
    expected = cs.tune(gold, [GRID], "WD", on=["ch[1-3]", "ch4"], rng=1)
    assert tuned["chosen"] == expected.chosen
    assert tuned["value"] == expected.value
    assert tuned["held_out"]["value"] == expected.held_out.value
    assert tuned["tuned_on"] == ["ch1", "ch2", "ch3", "ch4"]
    assert tuned["held_out_documents"] == [f"ch{number}" for number in range(5, 13)]
    assert len(tuned["grid"]) == 9
    assert {"specification", "value"} == set(tuned["grid"][0])
    assert cli.run(["segment", "gold.jsonl", "-s", "@tuned.json", "-o", "made.jsonl"]) == 0
    assert cs.read("made.jsonl").coders == (expected.chosen,)
    capsys.readouterr()
    command = ["compare", "gold.jsonl", "--segment", "@tuned.json", "--resamples", "99", "-f", "json"]
    assert cli.run(command) == 0
    assert expected.chosen in capsys.readouterr().out


def test_the_table_leads_with_the_choice_and_fits_a_terminal(files, capsys):
    assert cli.run(["tune", "gold.jsonl", "--segment", GRID, "--on", "ch[1-4]"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "held out" in out
    assert cli.run(["tune", "gold.jsonl", "--segment", GRID, "--grid", "-f", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 10
    values = [float(row.rsplit(",", 1)[1]) for row in rows[1:]]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--segment", GRID, "--on", "x*"], 1, "unknown document 'x*'"),
        (["--segment", "C99(mask=[])"], 2, "empty list"),
        (["--segment", GRID, "--n-segments", "3", "--like-gold"], 2, "--like-gold"),
        (["--segment", GRID, "--segment", "C99(mask=3, cutoff=0.6)"], 2, "given twice"),
    ],
)
def test_wrong_use_is_one_line(files, capsys, arguments, code, message):
    assert cli.run(["tune", "gold.jsonl", *arguments]) == code
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert message in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "expected what `caesura tune -o` writes"),
        ('{"chosen": "C98"}', "C98"),
        ("{", "not valid JSON"),
    ],
)
def test_a_file_that_holds_no_choice_is_refused(files, capsys, text, message):
    with open("wrong.json", "w", encoding="utf-8") as file:
        file.write(text)
    assert cli.run(["segment", "gold.jsonl", "-s", "@wrong.json", "-o", "made.jsonl"]) in (1, 2)
    assert message in capsys.readouterr().err.strip().splitlines()[-1]
