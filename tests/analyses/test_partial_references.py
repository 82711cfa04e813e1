"""A reference coder who has not coded everything (KS12 table 2): other documents are left out and named."""

from __future__ import annotations

import json

import pytest

import caesura as cs
from caesura import cli


def partial() -> cs.Corpus:
    """Return six documents that bob and tt have coded, and ann the first four."""
    made = cs.simulate(6, 3, n_units=40, mean_segment=5, near_miss=0.2, full_miss=0.3, rng=5)
    return cs.Corpus.from_dict(
        {
            document: {
                **({"ann": made[document, "c1"]} if number < 4 else {}),
                "bob": made[document, "c2"],
                "tt": made[document, "c3"],
            }
            for number, document in enumerate(made.documents)
        }
    )


def test_ks12_table_2_one_coder_as_the_reference_of_what_that_coder_has_coded():
    corpus = partial()
    whole = corpus.select(documents=corpus.documents[:4])
    found = cs.evaluate(corpus, references=["ann"], segmenters=["tt"], metrics=["B", "MultWD"])
    expected = cs.evaluate(whole, references=["ann"], segmenters=["tt"], metrics=["B", "MultWD"])
    assert [each.micro for each in found.summaries] == [each.micro for each in expected.summaries]
    assert found.uncoded == tuple(corpus.documents[4:])
    assert expected.uncoded == ()
    (caveat,) = set(found.caveats) - set(expected.caveats)
    assert caveat == "2 documents that ann has not coded are left out: d5 and d6."
    assert found.to_dict()["uncoded"] == ["d5", "d6"]
    assert "uncoded" not in expected.to_dict()


def test_a_comparison_leaves_out_what_its_references_lack():
    corpus = partial()
    options = {"references": ["ann"], "segmenters": ["tt", "bob"], "n_resamples": 99, "rng": 0, "n_draws": 2}
    found = cs.compare(corpus, **options)
    expected = cs.compare(corpus.select(documents=corpus.documents[:4]), **options)
    assert found["tt"].value == expected["tt"].value
    assert found["tt"].interval == expected["tt"].interval
    assert found.uncoded == ("d5", "d6")
    assert any("2 documents that ann has not coded are left out" in note.text for note in found.notes)
    assert found.to_dict()["uncoded"] == ["d5", "d6"]


def test_a_document_without_any_other_coder_is_left_out_too_but_unknown_ones_are_refused():
    corpus = partial()
    people, machine = corpus.select(coders=["ann", "bob"]), corpus.select(coders=["tt"])
    assert cs.evaluate(people, machine, references=["ann"], metrics=["B"]).uncoded == ("d5", "d6")
    few = people.select(documents=people.documents[:5])
    with pytest.raises(cs.CorpusError, match=r"segmenter tt has 1 \(d6\), which no reference coder has"):
        cs.evaluate(few, machine, references=["ann"], metrics=["B"])
    with pytest.raises(cs.CorpusError, match="which no reference coder has"):  # nobody is named
        cs.evaluate(people.select(coders=["ann"]), machine, metrics=["B"])


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_say_what_is_left_out(tmp_path, capsys, command):
    cs.write(partial(), tmp_path / "coded.json")
    arguments = [command, str(tmp_path / "coded.json"), "-r", "ann", "-s", "tt", "-m", "B"]
    assert cli.run(arguments) == 0
    out, err = capsys.readouterr()
    assert "2 documents that ann has not coded are left out: d5 and d6" in " ".join((out + err).split())
    assert cli.run([*arguments, "-f", "json"]) == 0
    json.loads(capsys.readouterr().out)
