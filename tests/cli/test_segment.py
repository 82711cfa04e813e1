"""caesura segment, segmenters and compare --segment. Source of truth: each segmenter called by itself, the
declarations, and the CLI's contract (exit 0, 1 for bad data, 2 for bad usage, an error is one line)."""

from __future__ import annotations

import csv
import json

import pytest

import caesura as cs
from caesura import cli
from caesura.cli.segment import split_specs

PETS = ["Cats purr.", "A cat purrs.", "My cat.", "Dogs bark.", "The dog barks.", "A dog and dogs."]
SHIPS = ["Ships sail.", "A ship sails.", "Moons rise.", "The moon.", "A moon rises."]
GOLD = {"pets": {"ann": [3, 3]}, "ships": {"ann": [2, 3], "bob": [2, 2, 1], "eve": [2, 2, 1]}}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for name, units in {"pets": PETS, "ships": SHIPS}.items():
        (tmp_path / "texts" / f"{name}.txt").write_text("\n".join(units) + "\n", encoding="utf-8")
    gold = cs.Corpus.from_dict(GOLD, units={"pets": PETS, "ships": SHIPS})
    cs.write(gold, "gold.jsonl")
    return tmp_path


def run(capsys, *arguments):
    code = cli.run([*arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_segmenters_become_coders_with_the_texts(capsys):
    code, out, err = run(capsys, "segment", "texts", "-s", "C99(mask=9),U00", "-s", "None", "-o", "x.jsonl")
    assert (code, out) == (0, "")
    found = cs.read("x.jsonl")
    assert found.coders == ("C99(mask=9)", "U00", "None")
    assert found.units["ships"] == tuple(SHIPS)
    for document, units in {"pets": PETS, "ships": SHIPS}.items():
        for spec in found.coders:
            assert found[document, spec] == cs.segmenter(spec)(units)
    assert "read texts/pets.txt as text without annotations: 6 lines" in err
    assert "2 documents by C99(mask=9), U00 and None" in err


@pytest.mark.parametrize(
    ("told", "numbers"),
    [
        (("--n-segments", "3"), {"pets": 3, "ships": 3}),
        (("--n-segments", "50"), {"pets": 6, "ships": 5}),
        # 2, 3 and 3 segments have the mean 2.67.
        (("--like", "gold.jsonl"), {"pets": 2, "ships": 3}),
    ],
)
def test_how_many_segments(capsys, told, numbers):
    code, _, _ = run(capsys, "segment", "texts", "-s", "BayesSeg", "-s", "Random", *told, "-o", "x.json")
    assert code == 0
    found = cs.read("x.json")
    assert {(document, coding.n_segments) for document, _, coding in found} == set(numbers.items())


def test_segmenters_that_take_no_number_are_named(capsys):
    _, _, err = run(
        capsys, "segment", "texts", "-s", "Uniform", "-s", "None", "--n-segments", "3", "-o", "x.jsonl"
    )
    assert "3 segments each (not None) -> x.jsonl" in err
    assert {coding.n_segments for _, coder, coding in cs.read("x.jsonl") if coder == "None"} == {1}
    command = ("compare", "gold.jsonl", "-r", "ann", "--segment", "Uniform,All", "--resamples", "99")
    assert "as many segments as the codings of ann have (not All)" in run(capsys, *command)[2]


def test_one_text_beside_one_coded_document_is_the_same(capsys):
    cs.write(cs.Corpus.from_dict({"other": {"ann": [1, 1, 4]}}), "one.json")
    assert run(capsys, "segment", "texts/pets.txt", "-s", "C99", "--like", "one.json", "-o", "x.json")[0] == 0
    assert cs.read("x.json")["pets", "C99"].n_segments == 3


def test_sentences_of_a_running_text(folder, capsys):
    (folder / "d.txt").write_text("Cats purr. A cat purrs. \nDogs bark. The dog barks.\n", encoding="utf-8")
    told = ("--units", "sentence", "--n-segments", "2", "-o", "x.jsonl")
    assert run(capsys, "segment", "d.txt", "-s", "U00", *told)[0] == 0
    found = cs.read("x.jsonl")
    assert found.units["d"] == ("Cats purr.", "A cat purrs.", "Dogs bark.", "The dog barks.")
    assert found["d", "U00"].masses == (2, 2)


def test_a_seed_repeats_chance(capsys):
    for name in ("x.json", "y.json"):
        told = ("-s", "Random(density=0.5)", "--seed", "4", "-o", name)
        assert run(capsys, "segment", "texts", *told)[0] == 0
    assert cs.read("x.json").to_dict() == cs.read("y.json").to_dict()


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
@pytest.mark.parametrize("spec", ["HC99", "Bisection"])
def test_hierarchies_are_written_with_their_ranks(capsys, spec, name):
    assert run(capsys, "segment", "texts", "-s", spec, "-o", name)[0] == 0
    found = cs.read(name)
    assert found.is_hierarchical
    assert cs.Hierarchy.from_segmentation(found["pets", spec]) == cs.segmenter(spec).hierarchy(PETS)


def test_ranks_are_dropped_where_that_is_asked_for(capsys):
    assert run(capsys, "segment", "texts", "-s", "Bisection(depth=1)", "--flat", "-o", "x.jsonl")[0] == 0
    found = cs.read("x.jsonl")
    assert not found.is_hierarchical
    assert found["pets", "Bisection(depth=1)"].masses == (3, 3)


def test_what_a_format_does_not_keep_is_said(capsys):
    _, _, err = run(capsys, "segment", "texts", "-s", "C99", "-o", "x.json")
    assert "not kept in segeval-json: the units' text" in err
    assert ".jsonl keeps everything" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("segment", "texts", "-o", "x.json"), 2, "Missing option '-s'"),
        (("segment", "texts", "-s", "C99"), 2, "Missing option '-o'"),
        (("segment", "texts", "-s", "C98", "-o", "x.json"), 2, "did you mean 'C99'"),
        (("segment", "texts", "-s", "C99(mark=9)", "-o", "x.json"), 2, "did you mean 'mask'"),
        (("segment", "texts", "-s", "C99,,U00", "-o", "x.json"), 2, "unknown segmenter 'C99,,U00'"),
        (("segment", "texts", "-s", "C99,C99", "-o", "x.json"), 2, "C99 is given twice"),
        (("segment", "texts", "-s", "C99", "-o", "x.nope"), 2, "names no format"),
        (("segment", "texts", "-s", "C99", "-o", "gold.jsonl"), 2, "use --force to overwrite"),
        (
            ("segment", "texts", "-s", "C99", "-o", "x.json", "--like", "gold.jsonl", "--n-segments", "2"),
            2,
            "give only one",
        ),
        (("segment", "texts", "-s", "C99", "-o", "x.json", "--n-segments", "0"), 2, "--n-segments"),
        (("segment", "nowhere", "-s", "C99", "-o", "x.json"), 1, "nowhere"),
        (("segment", "masses.json", "-s", "C99", "-o", "x.json"), 1, "texts of units, not known for d"),
        (
            ("segment", "texts", "-s", "C99", "-o", "x.json", "--like", "masses.json"),
            1,
            "no annotations of pets and ships",
        ),
        (("segmenters", "C98"), 2, "did you mean 'C99'"),
        (("compare", "gold.jsonl"), 2, "no segmenter given: name a coder with --segmenter"),
        (("compare", "gold.jsonl", "--segment", "C98"), 2, "did you mean 'C99'"),
        (("compare", "texts", "--segment", "C99"), 1, "DATA has no reference coder"),
        (("compare", "masses.json", "--segment", "C99"), 1, "texts of units, not known for d"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(capsys, arguments, code, said):
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 3]}}), "masses.json")
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", cs.SEGMENTERS)
def test_segmenters_are_listed_and_shown(capsys, name):
    cls = cs.SEGMENTERS[name]
    _, out, _ = run(capsys, "segmenters", "-f", "json")
    assert any(cls.title in row.values() for row in json.loads(out)["rows"])
    _, out, _ = run(capsys, "segmenters", name)
    for said in (cls.meaning[1:], cls.cost, cls.citation, *cls().parameters):
        assert " ".join(said.split()) in " ".join(out.split())


def test_compare_segments_the_texts_of_gold(capsys):
    """As segmented by hand into as many segments, then compared."""
    options = ("--resamples", "99", "--no-bounds", "-f", "json")
    code, at_once, err = run(capsys, "compare", "gold.jsonl", "--segment", "C99,U00", *options)
    assert code == 0
    assert "segmented 2 documents by C99 and U00, as many segments as the codings of ann, bob and eve" in err
    run(capsys, "segment", "gold.jsonl", "-s", "C99,U00", "--like", "gold.jsonl", "-o", "x.jsonl")
    _, in_steps, _ = run(capsys, "compare", "gold.jsonl", "x.jsonl", "-s", "C99", "-s", "U00", *options)
    assert json.loads(at_once) == json.loads(in_steps)


def test_compare_ranks_no_boundary_where_gold_has_no_ranks(capsys):
    """HC99 of as many segments as gold has is C99."""
    options = ("--resamples", "99", "--no-bounds", "-f", "csv")
    code, out, _ = run(capsys, "compare", "gold.jsonl", "--segment", "C99,HC99", *options)
    assert code == 0
    linear, ranked = csv.reader(out.splitlines()[1:3])
    assert (linear[1], ranked[1]) == ("C99", "HC99")
    assert linear[2:] == ranked[2:]


def test_compare_counts_the_segments_of_the_references(capsys):
    _, _, err = run(capsys, "compare", "gold.jsonl", "-r", "ann", "--segment", "Uniform", "--resamples", "99")
    assert "as many segments as the codings of ann have" in err


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("C99", ["C99"]),
        ("C99, U00", ["C99", "U00"]),
        ("C99(mask=9,window=50),U00", ["C99(mask=9,window=50)", "U00"]),
        ("X(a='(,'),Y", ["X(a='(,')", "Y"]),
    ],
)
def test_commas_between_segmenters_divide(text, specs):
    assert split_specs(text) == specs


# -------------------------------------------------------------------- learning first

OTHERS = ["ships sail", "a ship sails", "ships", "cats purr", "cat and dog", "the moon", "dogs bark"]


def test_what_is_learnt_first_comes_from_other_texts(folder, capsys):
    (folder / "other").mkdir()
    (folder / "other" / "o.txt").write_text("\n".join(OTHERS) + "\n", encoding="utf-8")
    told = ("--fit", "other", "--n-segments", "2", "-o", "x.jsonl")
    code, _, err = run(capsys, "segment", "texts", "-s", "C99,CWM(rank=2, passage=1)", *told)
    assert code == 0
    found = cs.read("x.jsonl")
    assert found.coders == ("C99", "CWM(rank=2, passage=1) fitted on other")
    others = cs.Corpus.from_dict({"o": {"ann": [7]}}, units={"o": OTHERS})
    cwm = cs.segmenter("CWM(rank=2, passage=1)").fit(others)
    for document, units in {"pets": PETS, "ships": SHIPS}.items():
        assert found[document, "CWM(rank=2, passage=1) fitted on other"] == cwm(units, 2)
    assert "read other/o.txt" in err
    assert "also in the texts of --fit" not in err
    code, out, _ = run(
        capsys, "compare", "gold.jsonl", "--segment", "CWM(rank=2, passage=1),U00", "--fit", "other"
    )
    assert code == 0
    assert "CWM(rank=2, passage=1) fitted on other" in out


def test_texts_that_are_learnt_from_and_segmented_are_said(capsys):
    code, _, err = run(
        capsys, "segment", "texts", "-s", "CWM(rank=2, passage=1)", "--fit", "texts", "-o", "x.jsonl"
    )
    assert code == 0
    assert "11 of 11 units to segment are also in the texts of --fit" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ("segment", "texts", "-s", "CWM", "-o", "x.json"),
            2,
            "CWM needs training texts; name them with --fit",
        ),
        (("segment", "texts", "-s", "C99", "--fit", "texts", "-o", "x.json"), 2, "C99 is not"),
        (("compare", "gold.jsonl", "--segment", "CWM,C99"), 2, "--fit CORPUS"),
        (("compare", "gold.jsonl", "-s", "bob", "--fit", "texts"), 2, "--fit is for"),
        (("segment", "texts", "-s", "CWM", "--fit", "nowhere", "-o", "x.json"), 1, "nowhere: "),
        (("segment", "texts", "-s", "CWM", "--fit", "texts", "-o", "x.json"), 1, "expected a lower rank"),
    ],
)
def test_what_is_wrong_with_learning_is_said(folder, capsys, arguments, code, said):
    found, _, err = run(capsys, *arguments)
    assert (found, said in err) == (code, True)
    assert "Traceback" not in err
    assert not (folder / "x.json").exists()
