"""segment(): segmenters as coders of a corpus's texts. Source of truth: each segmenter called by itself."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura.segmenters.least_cost import U00

TEXTS = {
    "pets": ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks"],
    "ships": ["ships sail", "a ship", "moons rise", "the moon", "moon", "stars", "a star"],
}
GOLD = cs.Corpus.from_dict({"pets": {"ann": [3, 2]}, "ships": {"ann": [2, 3, 2], "bob": [7]}}, units=TEXTS)


@pytest.mark.parametrize(
    ("n_segments", "wanted"),
    [(None, (None, None)), (2, (2, 2)), ({"pets": 1, "ships": 4}, (1, 4)), ("like", (2, 2)), (50, (5, 7))],
)
def test_segmenters_are_the_coders(n_segments, wanted):
    found = cs.segment(GOLD, ["C99", "U00(longest=9)", "BayesSeg"], n_segments)
    assert found.coders == ("C99", "U00(longest=9)", "BayesSeg")
    for (document, units), number in zip(TEXTS.items(), wanted, strict=True):
        for spec in found.coders:
            assert found[document, spec] == cs.segmenter(spec)(units, number)
        assert found.units[document] == tuple(units)


@pytest.mark.parametrize("spec", ["HC99", "HBT", "HAPS", "Bisection"])
def test_hierarchies_are_kept(spec):
    found = cs.segment(GOLD, [spec])
    assert found.is_hierarchical
    ranked = cs.Hierarchy.from_segmentation(found["pets", spec])
    assert ranked == cs.segmenter(spec).hierarchy(TEXTS["pets"])


def test_hierarchies_have_the_number_of_segments():
    assert cs.segment(GOLD, ["HC99"], 3)["pets", "HC99"].n_boundaries == 2


@pytest.mark.parametrize("spec", ["HC99", "HBT", "HAPS", "Bisection(depth=1)"])
@pytest.mark.parametrize("n_segments", [None, 3])
def test_flat_ones_have_no_ranks(spec, n_segments):
    found = cs.segment(GOLD, [spec], n_segments, flat=True)
    assert not found.is_hierarchical
    for document, units in TEXTS.items():
        assert found[document, spec] == cs.segmenter(spec)(units, n_segments)
        assert found[document, spec].is_plain


def test_functions_are_named_not_addressed():
    """A name with an address in it would be another one in every run."""
    found = cs.segment(GOLD, [U00(words=str.split)])
    assert found.coders == ("U00(words=str.split)",)
    assert found.metadata["segmenters"]["U00(words=str.split)"] == "U00|longest=auto|words=str.split"


def test_progress_is_told():
    steps = []
    cs.segment(GOLD, ["C99", "U00"], progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_places_are_kept():
    units = cs.Units.from_text("Cats purr. A cat purrs. Dogs bark.", by="sentence")
    gold = cs.Corpus.from_dict({"d": {"ann": [2, 1]}}).with_spans({"d": units})
    with pytest.raises(cs.CaesuraError, match=r'corpus.onto\("sentence"\)'):
        cs.segment(gold, ["C99"])
    assert cs.segment(gold.onto("sentence"), ["C99"], 2).spans["d"] == units


def test_chance_is_an_argument():
    first, second = (cs.segment(GOLD, ["Random(density=0.5)"], rng=3) for _ in range(2))
    assert first == second


def test_one_line_more_compares_them():
    found = cs.segment(GOLD, ["C99", "Uniform", "None"], "like")
    evaluation = cs.evaluate(GOLD, found, ["B"], rng=1)
    assert evaluation["B", "C99"].n == 3


def test_the_signature_stays_with_the_corpus():
    found = cs.segment(GOLD, ["C99(mask=9)"])
    assert found.metadata["segmenters"]["C99(mask=9)"].startswith("C99|mask=9|cutoff=1.2")


@pytest.mark.parametrize(
    ("corpus", "segmenters", "n_segments", "said"),
    [
        (cs.Corpus.from_dict({"d": {"ann": [3]}}), ["C99"], None, "texts of units, not known for d"),
        (GOLD, "C99", None, "at least one"),
        (GOLD, [], None, "at least one"),
        (GOLD, ["C99", "C99()"], None, "given twice"),
        (GOLD, ["C99"], "gold", "'like'"),
        (GOLD, ["C99"], {"pets": 2}, "no number for ships"),
        (GOLD, ["C99"], {"pets": 2, "ships": 0}, "ships"),
        (GOLD, ["C99"], 0, "n_segments is 0"),
    ],
)
def test_what_is_wrong_is_said(corpus, segmenters, n_segments, said):
    with pytest.raises(cs.CaesuraError, match=said):
        cs.segment(corpus, segmenters, n_segments)
